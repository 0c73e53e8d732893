//! Calls: of error functions, of functions with a body, of names with a meaning (`super::named`), and of
//! unknown functions; and claims, which are not of the program.
//!
//! In this order: an error function is the error, whatever its body does; a function that is defined is
//! called; a name with a meaning here has that meaning; a library function that is modelled calls its model
//! (see [`crate::library`]); a library function without a model is unsupported (see
//! [`crate::known::functions`]). Any other function without a body returns an arbitrary value. If it gets a
//! pointer through which it could change something, it is unsupported; with `--undefined arbitrary` it is
//! unsupported to read what it may have changed.

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};
use lang_c::visit::Visit as _;
use palisade_float::Format;
use palisade_report::annotations::ENSURES;
use palisade_report::instrument::{self, CLAIM};

use super::constant::{has_effects, is_run};
use super::decl::CLASH;
use super::order::{Operand, Operated};
use super::parameters::Seen;
use super::{Lowerer, Problem, Res, Symbol};
use crate::dialect::{ALIGNMENT, COMPATIBLE, GOTO};
use crate::ir::{BinOp, Callee, CmpOp, Expr, ExprKind, FuncId, Instr, NodeKind, Nondet, Part, PlaceKind};
use crate::known::{builtins, functions};
use crate::library::{HANDLERS, PREFIX};
use crate::numbers::becomes_number;
use crate::options::UndefinedMemory;
use crate::types::{FunctionType, Type};

pub(super) type Args<'t> = &'t [Ast<ast::Expression>];

/// Is it an expression that has a value in every run: a constant, a variable, an address?
pub(super) fn cannot_fail(e: &Expr) -> bool {
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
        if self.builder.is_none() && is_run(&c.node) {
            if let ast::Expression::Identifier(i) = &c.node.callee.node
                && i.node.name.starts_with("__builtin_")
                && let Some(value) = self.float_constant(&i.node.name, &c.node.arguments, at)
            {
                return Ok(Some(value));
            }
            return self.invalid(at, "a call outside a function");
        }
        let args = &c.node.arguments;
        if let ast::Expression::Identifier(i) = &c.node.callee.node {
            let name = i.node.name.clone();
            match (name.as_str(), &args[..]) {
                (GOTO, [target]) => return self.computed_goto(target, at).map(|()| None),
                (CLAIM, [e]) => return self.claim(e).map(Some),
                (CLAIM, [e, _]) => return self.claim_outside(e).map(Some),
                (ENSURES, []) => {
                    self.b().ensured = true;
                    return Ok(None);
                }
                (ALIGNMENT, [e]) => return self.alignment_of(e, at).map(Some),
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
            let function = self.unit.function(f);
            let (name, defined) = (function.name.clone(), self.defined.contains(&function.name));
            // A conversion to another type matters to what is passed.
            if !defined || signature == self.visible_signature(&name, f) {
                return self.named_call(&name, Some(f), args, at);
            }
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
        self.unit.claims.insert(span);
        let outer = std::mem::replace(&mut self.b().span, span);
        let value = self.expr(e)?;
        let value = self.b().save(value);
        self.b().span = outer;
        Ok(value)
    }

    /// The same about names of the whole file. What a block declares hides them.
    fn claim_outside(&mut self, e: &Ast<ast::Expression>) -> Res<Expr> {
        let inside = self.scopes[1..].iter().flat_map(|s| s.names.keys());
        let hidden: Vec<String> = inside.filter(|n| !n.starts_with(PREFIX)).cloned().collect();
        let mut seen = Seen { names: &hidden, ..Seen::default() };
        seen.visit_expression(&e.node, &e.span);
        if seen.mentions {
            return self.unsupported(e.span, "`ensures` about a name that is declared again in the function");
        }
        self.claim(e)
    }

    fn named_call(
        &mut self,
        name: &str,
        f: Option<FuncId>,
        args: Args<'_>,
        at: AstSpan,
    ) -> Res<Option<Expr>> {
        let defined = self.is_defined(name);
        // A call of an error function is the error, whatever its body does. `__builtin_abort` is `abort`.
        let own = name.strip_prefix("__builtin_").filter(|own| functions::status(own).is_some());
        let error = own.filter(|own| self.is_error(own)).unwrap_or(name);
        if self.is_error(error) {
            // What is around the call has a type all the same: that of the declaration, or of the function
            // that compilers know by this name.
            let ty = match f {
                Some(f) => self.unit.function(f).signature().result.clone(),
                None => match self.dry(|me| me.special(name, None, args, at)) {
                    Ok(Some(known)) => known.map_or(Type::Void, |value| value.ty),
                    Ok(None) | Err(_) => Type::INT,
                },
            };
            self.effects(args)?;
            // A loop may have several annotations in one condition.
            let (outer, here) = (self.b().span, self.span(at));
            if name == palisade_report::annotations::WRONG {
                self.b().span = here;
            }
            self.violate(error);
            self.b().span = outer;
            return Ok((ty != Type::Void).then(|| {
                let nothing = self.b().temp("tmp", ty);
                self.value_of(nothing)
            }));
        }
        if let Some(own) = name.strip_prefix("__builtin_").filter(|own| self.is_defined(own)) {
            return self.unsupported(at, &format!("`{name}` where the program defines `{own}`"));
        }
        if name == "main" && self.linked.contains_key(HANDLERS) {
            return self.unsupported(at, "a call of `main` in a program with `atexit`");
        }
        if let Some(what) = self.unusable(name) {
            return Err(Problem::Unsupported(format!("call of a function with {what}")));
        }
        if !defined && let Some(done) = self.special(name, f, args, at)? {
            return Ok(done.map(|value| self.as_declared(value, f)));
        }
        let Some(f) = f else {
            return self.implicit(name, args, at);
        };
        let signature = self.visible_signature(name, f);
        let values = self.arguments(args, Some(&signature), at)?;
        let replaced = builtins::is_replaced(name) && self.unit.function(f).exported;
        if defined && let (true, [n]) = (replaced, &values[..]) {
            let n = self.b().save(n.clone());
            let result = self.emit_call(Callee::Direct(f), &signature, vec![n.clone()]);
            return Ok(result.map(|r| self.replaced(name, n, r, at)));
        }
        if defined {
            return Ok(self.emit_call(Callee::Direct(f), &signature, values));
        }
        let value = self.unknown_call(name, &signature, &values, at)?;
        if self.unit.function(f).noreturn {
            self.stop();
        }
        Ok(value)
    }

    /// A pointer that a function of the library returns, as its declaration says.
    fn as_declared(&mut self, value: Expr, f: Option<FuncId>) -> Expr {
        match self.declared_result(f) {
            Some(ty @ Type::Pointer(_)) if value.ty != ty && matches!(value.ty, Type::Pointer(_)) => {
                self.convert(value, ty)
            }
            _ => value,
        }
    }

    /// The result of a function that the program defines and compilers replace by their own (`abs`): both
    /// must agree.
    fn replaced(&mut self, name: &str, n: Expr, result: Expr, at: AstSpan) -> Expr {
        let span = self.span(at);
        let what = format!("a definition of `{name}` that compilers replace by their own");
        if n.ty != result.ty || n.ty.as_int().is_none() {
            let what = self.located(at, &what);
            self.b().finish(NodeKind::Unsupported(what.into()));
            self.b().current = None;
            return result;
        }
        let result = self.b().save(result);
        let constant = |v: i128| Box::new(Expr::constant(v, n.ty.clone(), span));
        let make = |ty: Type, kind: ExprKind| Box::new(Expr { ty, kind, span });
        let compare = |op, left, right| make(Type::INT, ExprKind::Compare(op, left, right));
        let x = || Box::new(n.clone());
        let own = match name {
            "isdigit" => {
                let digits = compare(CmpOp::Le, constant(48), x());
                make(Type::INT, ExprKind::And(digits, compare(CmpOp::Le, x(), constant(57))))
            }
            "isascii" => {
                let characters = compare(CmpOp::Le, constant(0), x());
                make(Type::INT, ExprKind::And(characters, compare(CmpOp::Le, x(), constant(127))))
            }
            "toascii" => make(n.ty.clone(), ExprKind::Binary(BinOp::And, x(), constant(127))),
            _ => {
                let minus = make(n.ty.clone(), ExprKind::Neg(x()));
                make(n.ty.clone(), ExprKind::Cond(compare(CmpOp::Lt, x(), constant(0)), minus, x()))
            }
        };
        let other = *compare(CmpOp::Ne, Box::new(result.clone()), own);
        self.refuse_if(other, &what, at);
        result
    }

    /// A function without a body returns an arbitrary value, and what it is given pointers to may be changed
    /// afterwards. Where memory safety is the property, nobody knows what it does with them.
    pub(super) fn unknown_call(
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
            let reaches = |t: &Type| *t == Type::Void || t.has_pointers(&self.unit.records);
            let reaches = super::bytes::stripped(a).ty.pointee().is_some_and(reaches);
            let trusted = readonly && !reaches && !self.options.checks.memory();
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
    pub(super) fn harmless(&self, e: &Expr) -> bool {
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
            Some(Symbol::Func(f)) => {
                let f = *f;
                let result = &self.unit.function(f).signature().result;
                if !self.unit.records.compatible(result, &Type::INT) {
                    let what = self.located(at, &format!("{CLASH}, by a call without a declaration"));
                    self.refused.insert(name.to_string(), what);
                }
                f
            }
            _ => {
                let span = self.span(at);
                let f = self.unit.declare(name, ty, span);
                self.linked.insert(name.to_string(), Symbol::Func(f));
                let call = self.source().position(at.start).to_string();
                self.undeclared.insert(name.to_string(), call);
                f
            }
        };
        self.scopes[0].names.insert(name.to_string(), Symbol::Func(f));
        f
    }

    pub(super) fn arguments(
        &mut self,
        args: Args<'_>,
        signature: Option<&FunctionType>,
        at: AstSpan,
    ) -> Res<Vec<Expr>> {
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
    pub(super) fn nondet(&mut self, name: &str, ty: Type, at: AstSpan) -> Option<Expr> {
        let call = self.span(at);
        self.ask(Nondet::value(Some(name.into()), ty, call))
    }

    pub(super) fn ask(&mut self, nondet: Nondet) -> Option<Expr> {
        let ty = &nondet.ty;
        let dest = (*ty != Type::Void).then(|| self.b().temp("tmp", ty.clone()));
        self.b().emit(Instr::Nondet(dest.clone(), nondet));
        dest.map(|p| self.value_of(p))
    }

    /// What follows must not be reached.
    pub(super) fn undefined(&mut self, what: &'static str) {
        self.b().finish(NodeKind::Undefined(what));
        self.b().current = None;
    }

    /// The program stops here, as if by `abort`.
    pub(super) fn stop(&mut self) {
        if self.options.checks.leaks() {
            let scope = self.b().scope;
            self.b().emit(Instr::Quit { abort: true, scope });
        }
        self.halt();
    }

    /// A run ends here, and nobody looks at it.
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
            let has_value = value.ty.is_scalar() || matches!(value.ty, Type::Record(_));
            let evaluated = has_value && modelled && !cannot_fail(&value);
            operands.push(if evaluated { Operand::Value(a) } else { Operand::Effects(a) });
        }
        for operated in self.operands(&operands, false, first.span)? {
            if let Operated::Value(value) = operated {
                self.save(value);
            }
        }
        Ok(())
    }
}
