//! Functions of the library that ask or change the outside: what they need besides the models of
//! `library/outside.rs`, and what functions return that only write.

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};

use super::call::Args;
use super::constant::{fold, has_effects};
use super::{Lowerer, Res, Symbol};
use crate::ir::{Callee, CmpOp, Expr, ExprKind, FuncId, Instr};
use crate::library::{HANDLERS, internal_name, is_reserved, used_arguments};
use crate::types::{IntType, Type};

impl Lowerer<'_> {
    /// A function of the library that asks or changes the outside. What its model does not look at must be
    /// valid all the same.
    pub(super) fn outside_call(
        &mut self,
        name: &str,
        f: Option<FuncId>,
        args: Args<'_>,
        at: AstSpan,
    ) -> Res<Option<Expr>> {
        let used = used_arguments(name).unwrap_or_default();
        if !self.is_declared_as(name, f, args)? {
            return self.unsupported(at, &format!("`{name}` that is not declared as in the library"));
        }
        for (k, a) in args.iter().enumerate().filter(|(k, _)| !used.contains(k)) {
            let value = self.dry(|me| me.expr(a))?;
            let known = self.is_text(&value) || self.is_stream(a) || value.as_const() == Some(0);
            if self.options.checks.memory() && matches!(value.ty, Type::Pointer(_)) && !known {
                let what = format!("memory that `{name}` uses, argument {}", k + 1);
                return self.unsupported(at, &what);
            }
        }
        self.touch_errno(at);
        self.unit.outside |= name != "atexit";
        self.library_call(name, f, args, at)
    }

    /// Do the types of the arguments and the result have the form that the model has? Names that C does not
    /// reserve must be declared by a header of the system.
    fn is_declared_as(&mut self, name: &str, f: Option<FuncId>, args: Args<'_>) -> Res<bool> {
        let model = internal_name(name).and_then(|n| self.linked.get(&n));
        let Some(Symbol::Func(model)) = model else { return Ok(false) };
        let model = self.unit.function(*model).signature();
        let params = model.params.as_deref().unwrap_or_default();
        let fits = if model.variadic { params.len() <= args.len() } else { params.len() == args.len() };
        let result = self.declared_result(f).unwrap_or(Type::INT);
        let same = |a: &Type, b: &Type| match (a, b) {
            (Type::Pointer(_), Type::Pointer(_)) | (Type::Void, Type::Void) => true,
            (Type::Int(_) | Type::Ieee(_) | Type::Float(_), Type::Int(_)) => true,
            _ => a == b,
        };
        let known = is_reserved(name) || f.is_some_and(|f| self.in_system_header(f));
        if !known || !fits || !same(&result, &model.result) {
            return Ok(false);
        }
        let word = u64::from(self.options.data_model.word() / 8);
        for (a, p) in args.iter().zip(params) {
            let given = self.dry(|me| me.expr(a))?;
            if !same(&given.ty, &p.ty) && given.as_const() != Some(0) {
                return Ok(false);
            }
            // Where a number of the model is written into a number or a struct, it is that number.
            let size = match name {
                "time" => word,
                "clock_gettime" | "gettimeofday" => 2 * word,
                _ => continue,
            };
            let pointee = given.ty.pointee().filter(|t| **t != Type::Void);
            let pointee = pointee.and_then(|t| self.unit.records.size_of(t, self.options.data_model));
            if pointee.is_some_and(|s| s != size) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// `getenv` of a literal: each name has a number.
    pub(super) fn environment(
        &mut self,
        name: &Ast<ast::Expression>,
        f: Option<FuncId>,
        at: AstSpan,
    ) -> Res<Expr> {
        const MOST: usize = 8;
        let ast::Expression::StringLiteral(s) = &name.node else {
            return self.unsupported(at, "`getenv` of a name that is no literal");
        };
        let text = self.string_bytes(s)?;
        let known = self.environment.iter().position(|n| *n == text);
        let k = known.unwrap_or(self.environment.len());
        if known.is_none() {
            self.environment.push(text);
        }
        let Some(Symbol::Func(model)) = internal_name("getenv").and_then(|n| self.linked.get(&n)) else {
            return self.unsupported(at, "call of `getenv`");
        };
        self.unit.outside = true;
        if k >= MOST {
            return self.unsupported(at, "`getenv` of so many names");
        }
        let model = *model;
        let signature = self.unit.function(model).signature();
        let k = Expr::constant(k as i128, Type::INT, self.span(at));
        let result = self.emit_call(Callee::Direct(model), &signature, vec![k]).expect("a value");
        Ok(match self.declared_result(f) {
            Some(ty) => self.convert(result, ty),
            None => result,
        })
    }

    /// Calls what `atexit` was given, if it is called anywhere.
    pub(super) fn run_handlers(&mut self) {
        if let Some(Symbol::Func(f)) = self.linked.get(HANDLERS) {
            let f = *f;
            let signature = self.unit.function(f).signature();
            self.emit_call(Callee::Direct(f), &signature, Vec::new());
        }
    }

    /// What a function that only writes to the outside returns: it may fail, and else C knows the result.
    pub(super) fn result_of_output(
        &mut self,
        name: &str,
        args: Args<'_>,
        place: usize,
        at: AstSpan,
    ) -> Res<Option<Expr>> {
        let span = self.span(at);
        let plain = name.trim_end_matches("_unlocked");
        let text = match (plain, args.get(place).map(|e| &e.node)) {
            ("printf" | "fprintf", Some(ast::Expression::StringLiteral(s))) => Some(self.string_bytes(s)?),
            _ => None,
        };
        let done = match (plain, args) {
            ("fclose" | "fflush", _) => Expr::constant(0, Type::INT, span),
            ("putchar" | "fputc" | "putc", [c, ..]) if !has_effects(&c.node) => {
                let c = self.expr(c)?;
                let c = self.convert(c, Type::Int(IntType::new(8, false)));
                self.convert(c, Type::INT)
            }
            ("printf" | "fprintf" | "vprintf" | "vfprintf", _) => {
                let (written, exact) = text.as_deref().map_or((0, false), length_of_output);
                let written = Expr::constant(written, Type::INT, span);
                if exact {
                    written
                } else if self.sign_only == Some(at) {
                    self.bounded(CmpOp::Ge, written)
                } else {
                    // Nobody counts how long numbers and texts are.
                    let count = self.unknown(Type::INT);
                    let count = self.b().save(count);
                    let kind = ExprKind::Compare(CmpOp::Ge, Box::new(count.clone()), Box::new(written));
                    self.b().emit(Instr::Assume(Expr { ty: Type::INT, kind, span }));
                    count
                }
            }
            ("puts" | "fputs", _) => self.bounded(CmpOp::Ge, Expr::constant(0, Type::INT, span)),
            ("fwrite", [_, size, n, _]) if !has_effects(&n.node) && !has_effects(&size.node) => {
                let (size, n) = (self.expr(size)?, self.expr(n)?);
                let (size, n) = (self.convert(size, self.size_type()), self.convert(n, self.size_type()));
                // Of elements without bytes, none is written.
                let none = Expr::constant(0, n.ty.clone(), span);
                let is_empty = ExprKind::Compare(CmpOp::Eq, Box::new(size), Box::new(none.clone()));
                let is_empty = Expr { ty: Type::INT, kind: is_empty, span };
                let ty = n.ty.clone();
                let kind = ExprKind::Cond(Box::new(is_empty), Box::new(none), Box::new(n));
                let n = self.b().save(Expr { ty, kind, span });
                return Ok(Some(self.bounded(CmpOp::Le, n)));
            }
            _ => return Ok(None),
        };
        self.unit.outside = true;
        let fails = self.outside(Type::Int(IntType::BOOL)).expect("a value");
        let failure = Expr::constant(-1, Type::INT, span);
        let kind = ExprKind::Cond(Box::new(fails), Box::new(failure), Box::new(done));
        let result = Expr { ty: Type::INT, kind, span };
        Ok(Some(self.b().save(result)))
    }

    /// `printf(..) < 0` and `>= 0` ask only whether it failed.
    pub(super) fn expect_sign_only(&mut self, b: &ast::BinaryOperatorExpression) -> Res<()> {
        use ast::BinaryOperator as B;
        if matches!(b.lhs.node, ast::Expression::Call(_))
            && matches!(b.operator.node, B::Less | B::GreaterOrEqual)
            && !has_effects(&b.rhs.node)
        {
            let zero = self.dry(|me| me.expr(&b.rhs))?;
            self.sign_only = (fold(&zero) == Some(0)).then_some(b.lhs.span);
        }
        Ok(())
    }

    /// A value of the outside, with a bound of this type.
    fn bounded(&mut self, op: CmpOp, bound: Expr) -> Expr {
        let span = bound.span;
        self.unit.outside = true;
        let value = self.outside(bound.ty.clone()).expect("a value");
        let value = self.b().save(value);
        let kind = ExprKind::Compare(op, Box::new(value.clone()), Box::new(bound));
        self.b().emit(Instr::Assume(Expr { ty: Type::INT, kind, span }));
        value
    }
}

/// How many characters a format writes at least, and whether these are all.
fn length_of_output(format: &[u8]) -> (i128, bool) {
    // Up to the first zero.
    let mut rest = format.iter().copied().take_while(|b| *b != 0).peekable();
    let (mut least, mut exact) = (0, true);
    while let Some(b) = rest.next() {
        if b != b'%' {
            least += 1;
            continue;
        }
        match rest.peek() {
            Some(b'%' | b'c') => {
                rest.next();
                least += 1;
            }
            _ => {
                exact = false;
                // The rest of the conversion.
                while rest.next_if(|b| !b.is_ascii_alphabetic() || b"hlLqjztIZ".contains(b)).is_some() {}
                rest.next();
            }
        }
    }
    (least, exact)
}
