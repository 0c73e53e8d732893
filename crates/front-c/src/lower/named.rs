//! Functions that have a meaning by their name: assertions and assumptions, inputs, output, files, the ends
//! of a program, and the functions of the library that are modelled.
//!
//! The order in which a call is looked at is that of [`super::call`]; allocation is in [`super::allocate`],
//! the models are in [`crate::library`]. A name has its meaning only where no function of the program has it.
//!
//! Entry point: [`Lowerer::special`].

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};

use super::bytes::OVERLAP;
use super::calendar::is_calendar;
use super::call::Args;
use super::constant::has_effects;
use super::constructors::Hook;
use super::{Lowerer, Res, Symbol, float};
use crate::ir::{
    Callee, Expr, ExprKind, FuncId, Instr, NodeId, NodeKind, Nondet, Place, PlaceKind, Storage, VarRef,
};
use crate::known::{Status, builtins, functions};
use crate::library::{HANDLERS, internal_name, is_inexact, used_arguments};
use crate::types::{IntType, Type};

impl Lowerer<'_> {
    /// Does a function without body with a name like `assert` or `assume` decide what is checked or assumed?
    /// Names that every program may use do so where they are declared without a result. (`assert` that is not
    /// declared at all is the one of a header that is missing.)
    fn decides(&self, name: &str, f: Option<FuncId>) -> bool {
        let reserved = name.starts_with("__");
        match self.declared_result(f) {
            Some(result) => reserved || result == Type::Void,
            None => reserved || name.ends_with("assert"),
        }
    }

    /// Evaluates the argument of such a function, as its parameter has it, and jumps.
    fn decided(&mut self, c: &Ast<ast::Expression>, f: Option<FuncId>, yes: NodeId, no: NodeId) -> Res<()> {
        let signature = f.map(|f| self.unit.function(f).signature());
        let first = signature.as_ref().and_then(|s| s.params.as_ref()?.first());
        if let Some(param) = first.map(|p| p.ty.clone()) {
            let ty = self.dry(|me| me.expr(c))?.ty;
            // Zero stays zero, and what is not zero can become it where bits or digits are lost.
            let keeps = match (&ty, &param) {
                (Type::Pointer(_), _) => true,
                (_, Type::Int(p)) if p.boolean => true,
                (Type::Int(t), Type::Int(p)) => t.bits <= p.bits,
                (Type::Int(_), _) => true,
                _ => ty == param,
            };
            if !keeps {
                let args = self.arguments(std::slice::from_ref(c), signature.as_deref(), c.span)?;
                let value = args.into_iter().next().expect("one for each argument");
                let value = self.truth(value, c.span, false);
                self.b().branch(value, yes, no);
                return Ok(());
            }
        }
        self.condition(c, yes, no)
    }

    /// The functions that mean something without a body. `None`: not one of them.
    #[allow(clippy::too_many_lines)]
    pub(super) fn special(
        &mut self,
        name: &str,
        f: Option<FuncId>,
        args: Args<'_>,
        at: AstSpan,
    ) -> Res<Option<Option<Expr>>> {
        self.check_without_prototype(name, f, args, at)?;
        self.check_prototype(name, f, args, at)?;
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        let output = matches!(functions::status(plain), Some(Status::Harmless(_)));
        let name = if output || internal_name(plain).is_some() { plain } else { name };
        Ok(Some(match (name, args) {
            ("assert" | "__VERIFIER_assert" | "__CPROVER_assert" | "static_assert", [c, rest @ ..])
                if self.decides(name, f) =>
            {
                if rest.iter().any(|a| has_effects(&a.node)) {
                    return self.unsupported(at, "an argument of an assertion that does something");
                }
                let (good, bad) = (self.b().label(), self.b().label());
                self.decided(c, f, good, bad)?;
                self.b().place(bad);
                self.failed_assertion();
                self.b().place(good);
                None
            }
            ("__assert_fail" | "__assert" | "__assert_rtn" | "__assert_func" | "__assert_perror_fail", _) => {
                if args.iter().any(|a| has_effects(&a.node)) {
                    self.effects(args)?;
                }
                self.failed_assertion();
                None
            }
            ("assume" | "__VERIFIER_assume" | "__CPROVER_assume" | "assume_abort_if_not", [c])
                if self.decides(name, f) =>
            {
                if !name.starts_with("__") {
                    let call = self.span(at);
                    self.unit.assumed.push(call);
                }
                let (good, bad) = (self.b().label(), self.b().label());
                self.decided(c, f, good, bad)?;
                self.b().place(bad);
                self.halt();
                self.b().place(good);
                None
            }
            (
                "abort" | "exit" | "_exit" | "_Exit" | "quick_exit" | "__builtin_abort" | "__builtin_exit",
                _,
            ) => {
                self.effects(args)?;
                if matches!(name, "exit" | "__builtin_exit") {
                    if self.options.function != "main" && self.linked.contains_key(HANDLERS) {
                        let what =
                            "`exit` in a program with `atexit`, with another entry function than `main`";
                        return self.unsupported(at, what);
                    }
                    self.run_handlers();
                    self.run_hooks(Hook::After);
                    self.run_handlers();
                }
                let scope = self.b().scope;
                self.b().emit(Instr::Quit { abort: name.ends_with("abort"), scope });
                self.halt();
                None
            }
            ("malloc" | "__builtin_malloc" | "kmalloc" | "xmalloc", [size, rest @ ..]) => {
                if rest.iter().any(|a| has_effects(&a.node)) {
                    return self.unsupported(at, "an argument of an allocation that does something");
                }
                let size = self.expr(size)?;
                Some(match name {
                    "xmalloc" => self.allocate_bytes(size, false, Storage::Allocated, true),
                    _ => self.try_to_allocate(size, false, at),
                })
            }
            ("alloca" | "__builtin_alloca", [size]) => {
                let size = self.expr(size)?;
                Some(self.allocate_bytes(size, false, Storage::Stack, true))
            }
            ("free" | "__builtin_free", [block]) => {
                let block = self.expr(block)?;
                if matches!(block.ty, Type::Pointer(_)) && block.as_const() != Some(0) {
                    self.unit.frees = true;
                    self.b().emit(Instr::Free(block));
                }
                None
            }
            ("realloc" | "__builtin_realloc", [block, size]) => Some(self.reallocate(block, size, at)?),
            ("qsort", _) => {
                self.sort(args, at)?;
                None
            }
            ("bsearch", _) => Some(self.search(args, at)?),
            ("div" | "ldiv" | "lldiv" | "imaxdiv", [a, b]) => {
                Some(self.quotient_and_rest(name, f, a, b, at)?)
            }
            ("calloc" | "__builtin_calloc", [n, size]) => {
                let (n, size) = self.two_values(n, size, at)?;
                Some(self.allocate_elements(n, size, at)?)
            }
            ("__palisade_no_format", []) => {
                return self.unsupported(at, "this conversion of a format");
            }
            ("__palisade_no_overlap", []) => {
                return self.unsupported(at, OVERLAP);
            }
            ("__palisade_no_result", []) => {
                self.undefined("a builtin that has no result for zero");
                None
            }
            ("__palisade_no_number", []) => {
                return self.unsupported(at, "a number of many digits, or in another form, in a text");
            }
            ("__palisade_no_exponent", []) => {
                return self.unsupported(at, "the exponent of an infinity or a NaN");
            }
            ("setjmp" | "_setjmp", [buffer]) | ("sigsetjmp" | "__sigsetjmp", [buffer, _]) => {
                if args[1..].iter().any(|a| has_effects(&a.node)) {
                    return self.unsupported(at, "`sigsetjmp` with an argument that does something");
                }
                Some(self.set_jump(buffer, at)?)
            }
            ("longjmp" | "_longjmp" | "siglongjmp", [buffer, value]) => {
                self.jump_to([buffer, value], at)?;
                None
            }
            ("__palisade_unknown", []) => {
                self.b().emit(Instr::Open);
                None
            }
            ("__palisade_block", [size]) => {
                let size = self.expr(size)?;
                Some(self.allocate_bytes(size, false, Storage::Library, false))
            }
            ("__palisade_no_file", []) => {
                return self.unsupported(at, "more than 8 open files");
            }
            ("__palisade_no_handler", []) => {
                return self.unsupported(at, "more than 32 functions for `atexit`");
            }
            ("__palisade_no_options", []) => {
                return self.unsupported(at, "`getopt` with an `optind` outside of its arguments");
            }
            ("__palisade_no_clock", []) => {
                return self.unsupported(at, "this clock");
            }
            ("__palisade_no_flags", []) => {
                return self.unsupported(at, "`recv` with `MSG_TRUNC` or `MSG_PEEK`");
            }
            ("__palisade_no_mode", []) => {
                return self.unsupported(at, "a rounding mode that is none of `<fenv.h>`");
            }
            ("__palisade_no_seed", []) => {
                return self.unsupported(at, "a second seed, after which the same random numbers come again");
            }
            ("fscanf", [f, format, rest @ ..]) => {
                if self.options.checks.memory() && !self.is_stream(f) || has_effects(&f.node) {
                    return self.unsupported(at, "memory that `fscanf` uses");
                }
                Some(self.scan_input(format, rest, at)?)
            }
            ("scanf", [format, rest @ ..]) => Some(self.scan_input(format, rest, at)?),
            ("fopen", [_, _]) => self.open_file(f, args, at)?,
            ("memset", [object, byte, size]) => match self.fill(object, byte, size, at)? {
                Some(done) => Some(done),
                None => self.library_call(name, f, args, at)?,
            },
            ("memcpy", [to, from, size]) => match self.copy(to, from, size, at)? {
                Some(done) => Some(done),
                None => self.library_call(name, f, args, at)?,
            },
            _ if crate::library::may_change_errno(name)
                && self.linked.contains_key(crate::library::ERRNO) =>
            {
                return self.unsupported(at, &format!("call of `{name}`, which may change `errno`"));
            }
            ("signal", [signal, handler]) if f.is_some_and(|f| self.in_system_header(f)) => {
                Some(self.set_handler(f, [signal, handler], at)?)
            }
            _ if is_calendar(name) => self.calendar(name, f, args, at)?,
            _ if is_inexact(name) && self.changes_rounding => {
                return self.unsupported(at, &format!("call of `{name}` where the rounding mode changes"));
            }
            _ if is_inexact(name) => {
                if self.errno(at).is_some() {
                    // Whether it says that there is no result is up to the library.
                    self.unknown(Type::INT);
                }
                self.touch_errno(at);
                self.library_call(name, f, args, at)?
            }
            _ if matches!(name.trim_end_matches("_unlocked"), "getchar" | "getc" | "fgetc" | "fgets") => {
                self.touch_errno(at);
                self.library_call(name, f, args, at)?
            }
            ("isdigit", _) if !self.source().text[at.start..].starts_with(name) => {
                // The builtin of gcc gives another value than the macro of <ctype.h>.
                return self.unsupported(at, "`isdigit` that is no plain call");
            }
            ("getenv", [variable]) => Some(self.environment(variable, f, at)?),
            _ if used_arguments(name).is_some() => self.outside_call(name, f, args, at)?,
            _ if internal_name(name).is_some() => self.library_call(name, f, args, at)?,
            ("__nondet_int" | "nondet_int", _) => {
                self.effects(args)?;
                self.nondet(name, self.declared_result(f).unwrap_or(Type::INT), at)
            }
            ("__nondet_bool" | "nondet_bool", _) => {
                self.effects(args)?;
                self.nondet(name, self.declared_result(f).unwrap_or(Type::Int(IntType::BOOL)), at)
            }
            _ if matches!(functions::status(name), Some(Status::Harmless(_))) => {
                self.output(name, f, args, at)?
            }
            _ if self.models_floats() && float::is_modelled(name) => {
                let result = self.float_call(name, args, at)?;
                self.check_float_prototype(name, f, result.as_ref(), at)?;
                result
            }
            _ if self.models_floats() && float::is_long(name) => self.long_call(name, f, args, at)?,
            _ if float::is_modelled(name) => {
                return self.unsupported(at, &format!("call of `{name}`: floating point (use --int bv)"));
            }
            _ if builtins::is_builtin(name) => self.builtin(name, args, at)?,
            _ if functions::status(name).is_some() => {
                return self.unsupported(at, &format!("call of `{name}`"));
            }
            _ if name.starts_with("__VERIFIER_atomic") => {
                return self.unsupported(at, &format!("call of `{name}`"));
            }
            ("__VERIFIER_nondet_memory", _) => return self.unsupported(at, &format!("call of `{name}`")),
            _ if name.starts_with("__VERIFIER_nondet_") => {
                self.effects(args)?;
                self.nondet(name, self.declared_result(f).unwrap_or(Type::INT), at)
            }
            _ if f.is_some_and(|f| self.in_system_header(f)) => {
                return self
                    .unsupported(at, &format!("call of `{name}`, a library function without a model"));
            }
            _ => return Ok(None),
        }))
    }

    pub(super) fn declared_result(&self, f: Option<FuncId>) -> Option<Type> {
        f.map(|f| self.unit.function(f).signature().result.clone())
    }

    /// Was the function declared by a header of the system?
    pub(super) fn in_system_header(&self, f: FuncId) -> bool {
        let span = self.unit.function(f).span;
        self.sources[span.unit as usize].in_system_header(span.start as usize)
    }

    /// A value of the environment that no function of the program returns.
    pub(super) fn outside(&mut self, ty: Type) -> Option<Expr> {
        let dest = self.b().temp("tmp", ty.clone());
        let nondet = Nondet::value(None, ty, Default::default());
        self.b().emit(Instr::Nondet(Some(dest.clone()), nondet));
        Some(self.value_of(dest))
    }

    /// A function that only writes to the outside. What it returns is not known, and `errno` may have
    /// changed.
    fn output(&mut self, name: &str, f: Option<FuncId>, args: Args<'_>, at: AstSpan) -> Res<Option<Expr>> {
        let formatted = name.contains("printf") || name.contains("syslog") || name == "printk";
        let place = match name {
            "printf" | "vprintf" | "printk" => 0,
            "__fprintf_chk" | "__vfprintf_chk" => 2,
            _ => 1,
        };
        let mut formats = Vec::new();
        let known = args.get(place).is_some_and(|e| strings(e, &mut formats));
        let (mut writes, mut strings) = (false, 0);
        if formatted && known {
            for s in formats {
                let bytes = self.string_bytes(s)?;
                let letters = conversions(&String::from_utf8_lossy(&bytes));
                writes |= letters.contains(&'n');
                strings = strings.max(letters.iter().filter(|c| "sS".contains(**c)).count());
            }
        } else if formatted {
            // The format may ask for a number to be stored through any other argument.
            for a in args.iter().skip(place + 1) {
                let value = self.dry(|me| me.expr(a))?;
                writes |= matches!(value.ty, Type::Pointer(_)) && !self.harmless(&value);
            }
        }
        if writes {
            return self.unsupported(at, &format!("`{name}` with `%n`"));
        }
        if self.options.checks.memory() {
            let (mut read, mut harmless) = (false, 0);
            for (k, a) in args.iter().enumerate() {
                let value = self.dry(|me| me.expr(a))?;
                let pointer = matches!(value.ty, Type::Pointer(_));
                let known = name != "fwrite" && self.is_text(&value) || self.is_stream(a);
                read |= pointer && !known;
                harmless += usize::from(pointer && k > place);
            }
            if read || harmless < strings {
                return self.unsupported(at, &format!("memory that `{name}` uses"));
            }
        }
        let unused = self.unused_call == Some(at);
        self.effects(args)?;
        self.touch_errno(at);
        let ty = self.declared_result(f).unwrap_or(Type::INT);
        if !unused
            && ty.as_int().is_some()
            && let Some(result) = self.result_of_output(name, args, place, at)?
        {
            return Ok(Some(self.convert(result, ty)));
        }
        let what = self.located(at, &format!("the result of `{name}`"));
        let unknown = Expr { ty, kind: ExprKind::Unsupported(what.into()), span: self.span(at) };
        Ok(unknown.ty.is_scalar().then_some(unknown))
    }

    /// Is this the beginning of a string literal?
    pub(super) fn is_text(&self, e: &Expr) -> bool {
        let ExprKind::Address(p) = &super::bytes::stripped(e).kind else { return false };
        let PlaceKind::Index(text, i) = &p.kind else { return false };
        let PlaceKind::Var(VarRef::Global(g)) = text.kind else { return false };
        i.as_const() == Some(0) && self.unit.globals[g as usize].literal
    }

    /// One of the streams that are always open.
    pub(super) fn is_stream(&self, e: &Ast<ast::Expression>) -> bool {
        let ast::Expression::Identifier(i) = &e.node else { return false };
        let Some(Symbol::Var(VarRef::Global(g), _)) = self.lookup(&i.node.name) else { return false };
        let outside = self.unit.globals[*g as usize].external;
        outside && matches!(i.node.name.as_str(), "stdin" | "stdout" | "stderr")
    }

    /// `errno` may have changed.
    pub(super) fn touch_errno(&mut self, at: AstSpan) {
        if let Some(errno) = self.errno(at) {
            self.b().emit(Instr::Havoc(errno));
        }
    }

    /// `errno`, if the program, or a model that it uses, has it.
    pub(super) fn errno(&self, at: AstSpan) -> Option<Place> {
        match self.linked.get(crate::library::ERRNO) {
            Some(Symbol::Var(errno, ty)) => Some(Place::var(*errno, ty.clone(), self.span(at))),
            _ => None,
        }
    }

    /// `fopen`: null, or an object of its own with any contents.
    fn open_file(&mut self, f: Option<FuncId>, args: Args<'_>, at: AstSpan) -> Res<Option<Expr>> {
        let ty = self.declared_result(f).unwrap_or(Type::Void.pointer_to());
        let Some(pointee) = ty.pointee().cloned() else {
            return self.unsupported(at, "`fopen` that is not declared as in the library");
        };
        self.effects(args)?;
        self.touch_errno(at);
        let span = self.span(at);
        let file = self.b().temp("file", ty.clone());
        self.b().emit(Instr::Assign(file.clone(), Expr::constant(0, ty.clone(), span)));
        let (open, end) = (self.b().label(), self.b().label());
        let opened = self.outside(Type::Int(IntType::BOOL)).expect("a value");
        self.b().branch(opened, open, end);
        self.b().place(open);
        let size = self.unit.records.size_of(&pointee, self.options.data_model);
        let size = Expr::constant(i128::from(size.unwrap_or(1)), self.size_type(), span);
        let block = self.allocate_bytes(size, true, Storage::Library, true);
        let block = self.convert(block, ty);
        self.b().emit(Instr::Assign(file.clone(), block));
        if let Type::Record(r) = pointee
            && self.unit.records.get(r).fields.is_some()
        {
            let kind = PlaceKind::Deref(Box::new(file.clone().load()));
            self.b().emit(Instr::Havoc(Place { ty: pointee, kind, span }));
        }
        self.b().place(end);
        Ok(Some(file.load()))
    }

    /// It calls `abort`.
    fn failed_assertion(&mut self) {
        if !self.options.checks.assertions {
            return self.stop();
        }
        self.b().finish(NodeKind::Error("assert".into()));
        self.b().current = None;
    }

    // ---- memory --------------------------------------------------------------------------------

    /// A call of a library function that is modelled by C.
    pub(super) fn library_call(
        &mut self,
        name: &str,
        f: Option<FuncId>,
        args: Args<'_>,
        at: AstSpan,
    ) -> Res<Option<Expr>> {
        let model = internal_name(name).and_then(|n| self.linked.get(&n));
        let Some(Symbol::Func(model)) = model else {
            return self.unsupported(at, &format!("call of `{name}`"));
        };
        if self.math() && needs_widths(name) {
            return self.unsupported(at, &format!("call of `{name}` where integers have no width"));
        }
        let model = *model;
        let signature = self.unit.function(model).signature();
        let fits = |n: usize| if signature.variadic { n <= args.len() } else { n == args.len() };
        if !signature.params.as_ref().is_some_and(|p| fits(p.len())) {
            return self.invalid(at, format!("`{name}` is called with {} arguments", args.len()));
        }
        // What the program declared is what it computes with.
        let Some(f) = f else {
            let values = self.arguments(args, Some(&signature), at)?;
            return Ok(self.call_model(model, name, args, values));
        };
        let declared = self.visible_signature(name, f);
        let values = match declared.params {
            Some(_) => self.arguments(args, Some(&declared), at)?,
            None => self.arguments(args, Some(&signature), at)?,
        };
        let values = self.converted(values, Some(&signature));
        let result = self.call_model(model, name, args, values);
        Ok(result.map(|e| match &declared.result {
            Type::Void => e,
            ty => self.convert(e, ty.clone()),
        }))
    }

    /// Calls a model of the library, or the one for the format of the call.
    fn call_model(&mut self, model: FuncId, name: &str, args: Args<'_>, values: Vec<Expr>) -> Option<Expr> {
        let (model, values) = self.for_format(name, args, &values).unwrap_or((model, values));
        let signature = self.unit.function(model).signature();
        let values = self.converted(values, Some(&signature));
        self.emit_call(Callee::Direct(model), &signature, values)
    }
}

/// Do the limits of types, or their wrapping around, matter to what the model of a function computes?
fn needs_widths(name: &str) -> bool {
    let reads = ["ato", "strtol", "strtoul", "strtoi", "strtou"].iter().any(|start| name.starts_with(start));
    reads || name.ends_with("scanf") || name.ends_with("sprintf") || name.ends_with("snprintf")
}

/// The string literals that an expression can be; false if it can be something else.
fn strings<'t>(e: &'t Ast<ast::Expression>, out: &mut Vec<&'t Ast<ast::StringLiteral>>) -> bool {
    match &e.node {
        ast::Expression::StringLiteral(s) => {
            out.push(s);
            true
        }
        ast::Expression::Conditional(c) => {
            strings(&c.node.then_expression, out) && strings(&c.node.else_expression, out)
        }
        _ => false,
    }
}

/// The letters of the conversions in a format, `n` for `%ln`.
fn conversions(format: &str) -> Vec<char> {
    let mut out = Vec::new();
    let mut parts = format.split('%').skip(1);
    while let Some(part) = parts.next() {
        // Behind sizes and glibc's flag `I`.
        match part.chars().find(|c| c.is_ascii_alphabetic() && !"hlLqjzZtI".contains(*c)) {
            Some(letter) => out.push(letter),
            None if part.is_empty() => drop(parts.next()), // `%%`, and the text behind it
            None => {}
        }
    }
    out
}
