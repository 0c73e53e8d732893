//! Calls: the functions with a meaning of their own (`assert`, `__VERIFIER_*`, `malloc`, ...), functions with
//! a body, and unknown ones.
//!
//! In this order: an error function is the error, whatever its body does; a function that is defined is
//! called; a name with a meaning here has that meaning; a library function that is modelled calls its model
//! (see [`crate::library`]); a library function without a model is unsupported (see
//! [`crate::known::functions`]). Any other function without a body returns an arbitrary value. If it gets a
//! pointer through which it could change something, it is unsupported; with `--undefined arbitrary` it is
//! unsupported to read what it may have changed.

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};
use palisade_float::Format;
use palisade_report::annotations::ENSURES;
use palisade_report::instrument::{self, CLAIM};

use super::bytes::OVERLAP;
use super::constant::{fold, has_effects};
use super::order::{Operand, Operated};
use super::{Lowerer, Problem, Res, Symbol, float};
use crate::dialect::{COMPATIBLE, GOTO};
use crate::ir::{
    BinOp, Callee, CmpOp, Expr, ExprKind, FuncId, Instr, NodeId, NodeKind, Nondet, Part, Place, PlaceKind,
    Storage,
};
use crate::known::{Status, builtins, functions};
use crate::library::internal_name;
use crate::numbers::becomes_number;
use crate::options::{IntMode, UndefinedMemory};
use crate::types::{FunctionType, IntType, Type};

type Args<'t> = &'t [Ast<ast::Expression>];

/// Is it an expression that has a value in every run: a constant, a variable, an address?
fn cannot_fail(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Const(_) | ExprKind::FloatConst(_) | ExprKind::Function(_) => true,
        ExprKind::Load(p) => matches!(p.kind, PlaceKind::Var(_)),
        ExprKind::Address(p) => {
            let mut place = &**p;
            while let PlaceKind::Field(base, _) = &place.kind {
                place = base;
            }
            matches!(place.kind, PlaceKind::Var(_))
        }
        ExprKind::Cast(a) => !matches!(a.ty, Type::Ieee(_) | Type::Float(_)) && cannot_fail(a),
        _ => false,
    }
}

impl Lowerer<'_> {
    /// Lowers a call; the value is `None` for a void function.
    pub(super) fn call(&mut self, c: &Ast<ast::CallExpression>, at: AstSpan) -> Res<Option<Expr>> {
        if self.builder.is_none() {
            return self.invalid(at, "a call outside a function");
        }
        let args = &c.node.arguments;
        if let ast::Expression::Identifier(i) = &c.node.callee.node {
            let name = i.node.name.clone();
            match (name.as_str(), &args[..]) {
                (GOTO, [target]) => return self.computed_goto(target, at).map(|()| None),
                (CLAIM, [e]) => return self.claim(e).map(Some),
                (ENSURES, []) => {
                    self.b().ensured = true;
                    return Ok(None);
                }
                (COMPATIBLE, types) => return self.compatible_types(types, at).map(Some),
                _ => {}
            }
            let symbol = self.lookup(&name).cloned();
            match symbol {
                Some(Symbol::Func(f)) => return self.named_call(&name, Some(f), args, at),
                None => return self.named_call(&name, None, args, at),
                _ => {}
            }
        }
        let callee = &c.node.callee;
        let known = self.dry(|me| me.expr(callee))?;
        let signature = match known.ty.pointee() {
            Some(Type::Function(t)) => t.clone(),
            _ => return self.invalid(at, "a call of something that is no function"),
        };
        if let (ExprKind::Function(f), false) = (known.kind, has_effects(&callee.node)) {
            let name = self.unit.function(f).name.clone();
            return self.named_call(&name, Some(f), args, at);
        }
        let operands: Vec<Operand<'_>> = std::iter::once(&**callee).chain(args).map(Operand::Value).collect();
        let mut values = self.operands(&operands, false, at)?.into_iter().map(Operated::value);
        let callee = values.next().expect("the callee");
        let values = self.converted(values.collect(), Some(&signature));
        Ok(self.emit_call(Callee::Indirect(callee), &signature, values))
    }

    /// Is a call of this function an error?
    pub(super) fn is_error(&self, name: &str) -> bool {
        self.options.checks.error_functions.contains(name)
    }

    /// An error function is called here.
    pub(super) fn violate(&mut self, name: &str) {
        let property = match name {
            palisade_report::annotations::WRONG => "annotation",
            instrument::WRONG => "invariant",
            instrument::VIOLATION => instrument::VIOLATION,
            instrument::ASSERTION => instrument::ASSERTION,
            _ => "unreach-call",
        };
        self.b().finish(NodeKind::Error(property.into()));
        self.b().current = None;
    }

    /// The value of an expression that is not of the program. It changes nothing, and where it is undefined
    /// the run does not end unseen (see `encode::state`).
    fn claim(&mut self, e: &Ast<ast::Expression>) -> Res<Expr> {
        if has_effects(&e.node) {
            return self.invalid(e.span, "an annotation or a witness with a side effect or a call");
        }
        let span = self.span(e.span);
        self.unit.claims.push(span);
        let outer = std::mem::replace(&mut self.b().span, span);
        let value = self.expr(e)?;
        let value = self.b().save(value);
        self.b().span = outer;
        Ok(value)
    }

    fn named_call(
        &mut self,
        name: &str,
        f: Option<FuncId>,
        args: Args<'_>,
        at: AstSpan,
    ) -> Res<Option<Expr>> {
        let defined = self.defined.contains(name);
        // A call of an error function is the error, whatever its body does.
        if self.is_error(name) {
            self.effects(args)?;
            self.violate(name);
            // What is around the call has a type all the same.
            let ty = f.map_or(Type::INT, |f| self.unit.function(f).signature().result.clone());
            return Ok((ty != Type::Void).then(|| {
                let nothing = self.b().temp("tmp", ty);
                self.value_of(nothing)
            }));
        }
        if let Some(what) = self.unusable(name) {
            return Err(Problem::Unsupported(format!("call of a function with {what}")));
        }
        if !defined && let Some(done) = self.special(name, f, args, at)? {
            return Ok(done);
        }
        let Some(f) = f else {
            return self.implicit(name, args, at);
        };
        let signature = self.unit.function(f).signature();
        let values = self.arguments(args, Some(&signature), at)?;
        if defined && let (true, [n]) = (builtins::is_absolute(name), &values[..]) {
            let n = self.b().save(n.clone());
            let result = self.emit_call(Callee::Direct(f), &signature, vec![n.clone()]);
            return Ok(result.map(|r| self.replaced(name, n, r, at)));
        }
        if defined {
            return Ok(self.emit_call(Callee::Direct(f), &signature, values));
        }
        let value = self.unknown_call(name, &signature, &values, at)?;
        if self.unit.function(f).noreturn {
            self.halt();
        }
        Ok(value)
    }

    /// The result of a function that the program defines and compilers replace by their own (`abs`): both
    /// must agree.
    fn replaced(&mut self, name: &str, n: Expr, result: Expr, at: AstSpan) -> Expr {
        let span = self.span(at);
        let what = self.located(at, &format!("a definition of `{name}` that compilers replace by their own"));
        if n.ty != result.ty || n.ty.as_int().is_none() {
            self.b().finish(NodeKind::Unsupported(what.into()));
            self.b().current = None;
            return result;
        }
        let result = self.b().save(result);
        let zero = Expr::constant(0, n.ty.clone(), span);
        let make = |ty: Type, kind: ExprKind| Expr { ty, kind, span };
        let negative = make(Type::INT, ExprKind::Compare(CmpOp::Lt, Box::new(n.clone()), Box::new(zero)));
        let minus = make(n.ty.clone(), ExprKind::Neg(Box::new(n.clone())));
        let kind = ExprKind::Cond(Box::new(negative), Box::new(minus), Box::new(n.clone()));
        let own = make(n.ty, kind);
        let same = make(Type::INT, ExprKind::Compare(CmpOp::Eq, Box::new(result.clone()), Box::new(own)));
        let (good, bad) = (self.b().label(), self.b().label());
        self.b().branch(same, good, bad);
        self.b().place(bad);
        self.b().finish(NodeKind::Unsupported(what.into()));
        self.b().current = None;
        self.b().place(good);
        result
    }

    /// A function without a body returns an arbitrary value, and what it is given pointers to may be changed
    /// afterwards. Where memory safety is the property, nobody knows what it does with them.
    fn unknown_call(
        &mut self,
        name: &str,
        signature: &FunctionType,
        args: &[Expr],
        at: AstSpan,
    ) -> Res<Option<Expr>> {
        let mode = self.options.undefined;
        // An address is given as a pointer, or as a number.
        let mut given: Vec<Expr> = Vec::new();
        for a in args {
            Part::Expr(a).visit(&mut |part| {
                if let Part::Expr(e) = part
                    && let Some(pointer) = becomes_number(e)
                {
                    given.push(pointer.clone());
                }
            });
        }
        let mut written = Vec::new();
        let mut trusts = false;
        for (i, a) in args.iter().chain(&given).enumerate() {
            let readonly = signature.params.as_ref().and_then(|p| p.get(i)).is_some_and(|p| p.readonly);
            // Even a function that only reads needs valid memory.
            let trusted = readonly && !self.options.checks.memory();
            let holds = |t: &Type| matches!(t, Type::Record(r) if self.unit.records.holds_pointer(*r));
            let writes = matches!(a.ty, Type::Pointer(_)) && !trusted && !self.harmless(a);
            trusts |= matches!(a.ty, Type::Pointer(_)) && trusted && !self.harmless(a);
            if writes && mode != UndefinedMemory::Assume && !self.options.checks.memory() {
                written.push(a.clone());
            } else if writes || holds(&a.ty) {
                return self.unsupported(at, &format!("pointer passed to the undefined function `{name}`"));
            }
        }
        // All arguments are evaluated, whatever becomes of their values.
        let mut values = Vec::new();
        for a in args {
            let scalar = matches!(a.ty, Type::Int(_) | Type::Ieee(_) | Type::Pointer(_));
            let value = if scalar && !cannot_fail(a) { self.save(a.clone()) } else { a.clone() };
            match a.ty {
                Type::Float(_) => self.evaluate(a.clone()),
                Type::Int(_) | Type::Ieee(_) if value.as_const().is_none() => values.push(value),
                Type::Record(_) => values.push(value),
                _ => {}
            }
        }
        let writes = !written.is_empty();
        let pointers = match mode {
            UndefinedMemory::Report => {
                args.iter().chain(&given).filter(|a| matches!(a.ty, Type::Pointer(_))).cloned().collect()
            }
            UndefinedMemory::Arbitrary | UndefinedMemory::Assume => written,
        };
        let (ty, call) = (signature.result.clone(), self.span(at));
        let function = Some(name.into());
        let asked =
            Nondet { foreign: true, pointers, values, writes, trusts, ..Nondet::value(function, ty, call) };
        Ok(self.ask(asked))
    }

    /// Where floating-point numbers are not modelled, nobody would see where an address goes as one.
    pub(super) fn refuse_address(&mut self, value: &Expr, ty: &Type, at: AstSpan) -> Res<()> {
        let mut found = false;
        Part::Expr(value).visit(&mut |part| {
            found |= matches!(part, Part::Expr(e) if becomes_number(e).is_some());
        });
        match ty {
            Type::Float(_) if found => self.unsupported(at, "an address as a floating-point number"),
            _ => Ok(()),
        }
    }

    /// Null, a string literal, or a function.
    fn harmless(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Const(_) | ExprKind::Function(_) => true,
            ExprKind::Cast(inner) => self.harmless(inner),
            ExprKind::Address(p) => {
                let mut place = &**p;
                while let PlaceKind::Index(base, _) = &place.kind {
                    place = base;
                }
                let PlaceKind::Var(crate::ir::VarRef::Global(g)) = place.kind else { return false };
                self.unit.globals[g as usize].var.name.starts_with('"')
            }
            _ => false,
        }
    }

    /// A function that was never declared: C90 takes it as `int f()`.
    fn implicit(&mut self, name: &str, args: Args<'_>, at: AstSpan) -> Res<Option<Expr>> {
        let ty = Type::Function(std::sync::Arc::new(FunctionType {
            result: Type::INT,
            params: None,
            variadic: false,
        }));
        let f = self.declare_implicit(name, ty, at);
        self.named_call(name, Some(f), args, at)
    }

    fn declare_implicit(&mut self, name: &str, ty: Type, at: AstSpan) -> FuncId {
        let f = match self.linked.get(name) {
            Some(Symbol::Func(f)) => *f,
            _ => {
                let span = self.span(at);
                let f = self.unit.declare(name, ty, span);
                self.linked.insert(name.to_string(), Symbol::Func(f));
                f
            }
        };
        self.scopes[0].names.insert(name.to_string(), Symbol::Func(f));
        f
    }

    fn arguments(&mut self, args: Args<'_>, signature: Option<&FunctionType>, at: AstSpan) -> Res<Vec<Expr>> {
        let operands: Vec<Operand<'_>> = args.iter().map(Operand::Value).collect();
        let values: Vec<Expr> =
            self.operands(&operands, false, at)?.into_iter().map(Operated::value).collect();
        let params = signature.and_then(|s| s.params.as_ref()).into_iter().flatten();
        for (value, p) in values.iter().zip(params) {
            self.refuse_address(value, &p.ty, at)?;
        }
        Ok(self.converted(values, signature))
    }

    /// Arguments, converted for a call.
    pub(super) fn converted(&mut self, values: Vec<Expr>, signature: Option<&FunctionType>) -> Vec<Expr> {
        let mut out = Vec::new();
        for (i, value) in values.into_iter().enumerate() {
            let param = signature.and_then(|s| s.params.as_ref()).and_then(|p| p.get(i));
            let value = match (param, &value.ty) {
                (Some(p), _) => self.convert(value, p.ty.clone()),
                (None, Type::Int(t)) => {
                    let ty = Type::Int(t.promoted());
                    self.convert(value, ty)
                }
                (None, Type::Ieee(_)) => self.convert(value, Type::Ieee(Format::BINARY64)),
                _ => value,
            };
            if matches!(value.ty, Type::Float(_)) {
                self.evaluate(value.clone());
            }
            out.push(value);
        }
        out
    }

    pub(super) fn emit_call(
        &mut self,
        callee: Callee,
        signature: &FunctionType,
        args: Vec<Expr>,
    ) -> Option<Expr> {
        let args = self.pack_arguments(signature, args);
        let dest = (signature.result != Type::Void).then(|| self.b().temp("tmp", signature.result.clone()));
        self.b().emit(Instr::Call { dest: dest.clone(), callee, args });
        dest.map(|p| self.value_of(p))
    }

    /// A function that only gives a value.
    fn nondet(&mut self, name: &str, ty: Type, at: AstSpan) -> Option<Expr> {
        let call = self.span(at);
        self.ask(Nondet::value(Some(name.into()), ty, call))
    }

    fn ask(&mut self, nondet: Nondet) -> Option<Expr> {
        let ty = &nondet.ty;
        let dest = (*ty != Type::Void).then(|| self.b().temp("tmp", ty.clone()));
        self.b().emit(Instr::Nondet(dest.clone(), nondet));
        dest.map(|p| self.value_of(p))
    }

    /// What follows must not be reached.
    pub(super) fn undefined(&mut self, what: &'static str) {
        self.b().emit(Instr::Undefined(what));
        self.halt();
    }

    pub(super) fn halt(&mut self) {
        self.b().finish(NodeKind::Halt);
        self.b().current = None;
    }

    /// Evaluates arguments whose values nothing depends on.
    pub(super) fn effects(&mut self, args: Args<'_>) -> Res<()> {
        let Some(first) = args.first() else { return Ok(()) };
        let mut operands = Vec::new();
        for a in args {
            let value = self.dry(|me| me.expr(a))?;
            let mut modelled = true;
            Part::Expr(&value).visit(&mut |part| {
                modelled &= !matches!(part, Part::Expr(Expr { kind: ExprKind::Unsupported(_), .. }));
            });
            let evaluated = matches!(value.ty, Type::Int(_)) && modelled && !cannot_fail(&value);
            operands.push(if evaluated { Operand::Value(a) } else { Operand::Effects(a) });
        }
        for operated in self.operands(&operands, false, first.span)? {
            if let Operated::Value(value) = operated {
                self.save(value);
            }
        }
        Ok(())
    }

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
    fn special(
        &mut self,
        name: &str,
        f: Option<FuncId>,
        args: Args<'_>,
        at: AstSpan,
    ) -> Res<Option<Option<Expr>>> {
        let plain = name.strip_prefix("__builtin_").unwrap_or(name);
        let name = if internal_name(plain).is_some() { plain } else { name };
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
                self.b().emit(Instr::Quit { abort: name.ends_with("abort") });
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
            ("__palisade_no_mode", []) => {
                return self.unsupported(at, "a rounding mode that is none of `<fenv.h>`");
            }
            ("__palisade_no_seed", []) => {
                return self.unsupported(at, "a second seed, after which the same random numbers come again");
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
            _ if internal_name(name).is_some() => self.library_call(name, f, args, at)?,
            ("__nondet_int" | "nondet_int", _) => {
                self.effects(args)?;
                self.nondet(name, self.declared_result(f).unwrap_or(Type::INT), at)
            }
            ("__nondet_bool" | "nondet_bool", _) => {
                self.effects(args)?;
                self.nondet(name, self.declared_result(f).unwrap_or(Type::Int(IntType::BOOL)), at)
            }
            ("time", [e]) if fold(&self.dry(|me| me.expr(e))?) == Some(0) => {
                let long = Type::Int(IntType::new(self.options.data_model.word(), true));
                self.outside(self.declared_result(f).unwrap_or(long))
            }
            _ if matches!(functions::status(name), Some(Status::Harmless(_))) => {
                self.output(name, f, args, at)?
            }
            _ if self.models_floats() && float::is_modelled(name) => self.float_call(name, args, at)?,
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
    fn in_system_header(&self, f: FuncId) -> bool {
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
        let mut writes = false;
        if formatted && known {
            for s in formats {
                writes |= stores_count(&String::from_utf8_lossy(&self.string_bytes(s)?));
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
            for a in args {
                let value = self.dry(|me| me.expr(a))?;
                let bytes = |t: &Type| *t == Type::Void || t.as_int().is_some();
                if value.ty.pointee().is_some_and(bytes) && !self.harmless(&value) {
                    return self.unsupported(at, &format!("memory that `{name}` reads"));
                }
            }
        }
        self.effects(args)?;
        self.touch_errno(at);
        let ty = self.declared_result(f).unwrap_or(Type::INT);
        let what = self.located(at, &format!("the result of `{name}`"));
        let unknown = Expr { ty, kind: ExprKind::Unsupported(what.into()), span: self.span(at) };
        Ok(unknown.ty.is_scalar().then_some(unknown))
    }

    /// `errno` may have changed.
    fn touch_errno(&mut self, at: AstSpan) {
        if let Some(Symbol::Var(errno, ty)) = self.linked.get(crate::library::ERRNO) {
            let place = Place::var(*errno, ty.clone(), self.span(at));
            self.b().emit(Instr::Havoc(place));
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

    fn failed_assertion(&mut self) {
        let kind =
            if self.options.checks.assertions { NodeKind::Error("assert".into()) } else { NodeKind::Halt };
        self.b().finish(kind);
        self.b().current = None;
    }

    // ---- memory --------------------------------------------------------------------------------

    /// `malloc` or `calloc`, which may fail if the options say so.
    fn try_to_allocate(&mut self, bytes: Expr, zero: bool, at: AstSpan) -> Expr {
        if !self.options.malloc_fails {
            return self.allocate_bytes(bytes, zero, Storage::Allocated, true);
        }
        let span = self.span(at);
        let ty = Type::Void.pointer_to();
        let bytes = self.b().save(bytes);
        let result = self.b().temp("block", ty.clone());
        self.b().emit(Instr::Assign(result.clone(), Expr::constant(0, ty, span)));
        let flag = self.b().temp("fails", Type::Int(IntType::BOOL));
        let function = Some(crate::harness::MALLOC_FAILS.into());
        let (ty, call) = (Type::Int(IntType::BOOL), crate::ir::Span::default());
        let nondet = Nondet::value(function, ty, call);
        self.b().emit(Instr::Nondet(Some(flag.clone()), nondet));
        let (works, end) = (self.b().label(), self.b().label());
        self.b().branch(flag.load(), end, works);
        self.b().place(works);
        let block = self.allocate_bytes(bytes, zero, Storage::Allocated, true);
        self.b().emit(Instr::Assign(result.clone(), block));
        self.b().place(end);
        result.load()
    }

    /// `calloc`: null if the number of bytes is no `size_t`.
    fn allocate_elements(&mut self, n: Expr, size: Expr, at: AstSpan) -> Res<Expr> {
        let span = self.span(at);
        let (n, size) = (self.convert(n, self.size_type()), self.convert(size, self.size_type()));
        let most = (1i128 << self.options.data_model.word()) - 1;
        let fits = match (fold(&n), fold(&size)) {
            _ if self.math() => Some(true),
            (Some(a), Some(b)) => Some(a.checked_mul(b).is_some_and(|total| total <= most)),
            (Some(0 | 1), _) | (_, Some(0 | 1)) => Some(true),
            _ => None,
        };
        if fits == Some(true) {
            let total = self.arithmetic(BinOp::Mul, n, size, at)?;
            return Ok(self.try_to_allocate(total, true, at));
        }
        let ty = Type::Void.pointer_to();
        let result = self.b().temp("block", ty.clone());
        self.b().emit(Instr::Assign(result.clone(), Expr::constant(0, ty, span)));
        if fits == Some(false) {
            return Ok(result.load());
        }
        // By a constant, if one factor is one.
        let (n, size) = if fold(&n).is_some() { (size, n) } else { (n, size) };
        let n = self.b().save(n);
        let size = if fold(&size).is_some() { size } else { self.b().save(size) };
        let (divide, allocate, end) = (self.b().label(), self.b().label(), self.b().label());
        let zero = Expr::constant(0, self.size_type(), span);
        let make = |op, a: &Expr, b: Expr| {
            let kind = ExprKind::Compare(op, Box::new(a.clone()), Box::new(b));
            Expr { ty: Type::INT, kind, span }
        };
        let limit = match fold(&size) {
            Some(size) => {
                self.b().jump(divide);
                Expr::constant(most / size, self.size_type(), span)
            }
            None => {
                self.b().branch(make(CmpOp::Eq, &size, zero), allocate, divide);
                let most = Expr::constant(most, self.size_type(), span);
                self.arithmetic(BinOp::Div, most, size.clone(), at)?
            }
        };
        self.b().place(divide);
        self.b().branch(make(CmpOp::Le, &n, limit), allocate, end);
        self.b().place(allocate);
        let total = self.arithmetic(BinOp::Mul, n, size, at)?;
        let block = self.try_to_allocate(total, true, at);
        self.b().emit(Instr::Assign(result.clone(), block));
        self.b().place(end);
        Ok(result.load())
    }

    /// Allocates untyped memory. The element type is decided by what the pointer is converted to, see
    /// [`Instr::Alloc`].
    pub(super) fn allocate_bytes(
        &mut self,
        bytes: Expr,
        zero: bool,
        storage: Storage,
        by_malloc: bool,
    ) -> Expr {
        let dest = self.b().temp("block", Type::Void.pointer_to());
        let site = self.b().sites;
        self.b().sites += 1;
        let count = self.convert(bytes, self.size_type());
        self.evaluate(count.clone());
        let element = Type::Void;
        self.b().emit(Instr::Alloc { dest: dest.clone(), element, count, zero, storage, by_malloc, site });
        dest.load()
    }

    /// A call of a library function that is modelled by C.
    fn library_call(
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
        if self.options.int_mode == IntMode::Math && needs_widths(name) {
            return self.unsupported(at, &format!("call of `{name}` where integers have no width"));
        }
        let model = *model;
        let signature = self.unit.function(model).signature();
        let fits = |n: usize| if signature.variadic { n <= args.len() } else { n == args.len() };
        if !signature.params.as_ref().is_some_and(|p| fits(p.len())) {
            return self.invalid(at, format!("`{name}` is called with {} arguments", args.len()));
        }
        let values = self.arguments(args, Some(&signature), at)?;
        let result = self.emit_call(Callee::Direct(model), &signature, values);
        // What the program declared is what it computes with.
        let declared = f.and_then(|f| match &self.unit.function(f).ty {
            Type::Function(t) if t.result != Type::Void => Some(t.result.clone()),
            _ => None,
        });
        Ok(result.map(|e| match declared {
            Some(ty) => self.convert(e, ty),
            None => e,
        }))
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

/// Does a format have the conversion `%n`?
fn stores_count(format: &str) -> bool {
    let mut conversions = format.split('%').skip(1);
    while let Some(conversion) = conversions.next() {
        match conversion.chars().find(|c| c.is_ascii_alphabetic() && !"hlLqjzt".contains(*c)) {
            Some('n') => return true,
            None if conversion.is_empty() => drop(conversions.next()), // `%%`, and the text behind it
            _ => {}
        }
    }
    false
}
