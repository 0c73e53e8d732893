//! Truth values: conditions that jump, short-circuit operators, conditional expressions.
//!
//! Operands without effects stay expressions. Otherwise evaluation branches, and the value is that of a
//! temporary.

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};

use super::constant::{fold, fold_defined, is_same};
use super::{Lowerer, Res};
use crate::ir::{CmpOp, Expr, ExprKind, Instr, NodeId, Span};
use crate::types::Type;

type Node = Ast<ast::Expression>;

impl Lowerer<'_> {
    /// The condition as `int`: `e != 0`, or `e == 0` when negated.
    pub(super) fn truth(&mut self, e: Expr, at: AstSpan, negate: bool) -> Expr {
        let span = self.span(at);
        match &e.ty {
            Type::Int(_) => {
                if let Some(v) = fold_defined(&e) {
                    return Expr::constant(i128::from((v != 0) != negate), Type::INT, span);
                }
                if !negate {
                    return e;
                }
                Expr { ty: Type::INT, kind: ExprKind::Not(Box::new(e)), span }
            }
            Type::Pointer(_) => {
                let null = Expr::constant(0, e.ty.clone(), span);
                let op = if negate { CmpOp::Eq } else { CmpOp::Ne };
                Expr { ty: Type::INT, kind: ExprKind::Compare(op, Box::new(e), Box::new(null)), span }
            }
            Type::Ieee(_) => {
                let zero = Expr { ty: e.ty.clone(), kind: ExprKind::FloatConst(0), span };
                self.compare(if negate { CmpOp::Eq } else { CmpOp::Ne }, e, zero, at)
            }
            _ => {
                let e = self.not_an_integer(e, at);
                Expr { ty: Type::INT, ..e }
            }
        }
    }

    /// `&&` and `||`: an expression where that is possible, else branches.
    pub(super) fn logical(&mut self, b: &ast::BinaryOperatorExpression, at: AstSpan) -> Res<Expr> {
        let and = b.operator.node == ast::BinaryOperator::LogicalAnd;
        let span = self.span(at);
        if self.acts(&b.lhs) || self.acts(&b.rhs) {
            return self.logical_value(|me, yes, no| me.condition_parts(and, b, yes, no), span);
        }
        let x = self.expr(&b.lhs)?;
        let x = self.truth(x, b.lhs.span, false);
        // A constant on the left decides whether the right is evaluated at all.
        if let Some(v) = x.as_const() {
            if (v != 0) != and {
                return Ok(Expr::constant(i128::from(v != 0), Type::INT, span));
            }
            let y = self.expr(&b.rhs)?;
            let y = self.truth(y, b.rhs.span, true);
            return Ok(self.truth(y, at, true));
        }
        let Some(y) = self.pure(&[&b.rhs], |me| me.expr(&b.rhs))? else {
            return self.logical_value(
                |me, yes, no| {
                    let right = me.b().label();
                    let (then, otherwise) = if and { (right, no) } else { (yes, right) };
                    me.b().branch(x, then, otherwise);
                    me.b().place(right);
                    me.condition(&b.rhs, yes, no)
                },
                span,
            );
        };
        let y = self.truth(y, b.rhs.span, false);
        let (x, y) = (Box::new(x), Box::new(y));
        Ok(Expr { ty: Type::INT, kind: if and { ExprKind::And(x, y) } else { ExprKind::Or(x, y) }, span })
    }

    /// 1 or 0, where the evaluation branches.
    fn logical_value(
        &mut self,
        evaluate: impl FnOnce(&mut Self, NodeId, NodeId) -> Res<()>,
        span: Span,
    ) -> Res<Expr> {
        let result = self.b().temp("tmp", Type::INT);
        let (yes, no, end) = (self.b().label(), self.b().label(), self.b().label());
        evaluate(self, yes, no)?;
        for (label, value) in [(yes, 1), (no, 0)] {
            self.b().place(label);
            self.b().emit(Instr::Assign(result.clone(), Expr::constant(value, Type::INT, span)));
            self.b().jump(end);
        }
        self.b().place(end);
        Ok(result.load())
    }

    /// Jumps to `yes` or `no` as the short-circuit operator says.
    fn condition_parts(
        &mut self,
        and: bool,
        b: &ast::BinaryOperatorExpression,
        yes: NodeId,
        no: NodeId,
    ) -> Res<()> {
        let more = self.b().label();
        if and {
            self.condition(&b.lhs, more, no)?;
        } else {
            self.condition(&b.lhs, yes, more)?;
        }
        self.b().place(more);
        self.condition(&b.rhs, yes, no)
    }

    /// Evaluates a condition and jumps.
    pub(super) fn condition(&mut self, e: &Node, yes: NodeId, no: NodeId) -> Res<()> {
        let own = self.span(e.span);
        let outer = std::mem::replace(&mut self.b().span, own);
        let done = self.condition_inner(e, yes, no);
        self.b().span = outer;
        done
    }

    fn condition_inner(&mut self, e: &Node, yes: NodeId, no: NodeId) -> Res<()> {
        use ast::Expression as E;
        match &e.node {
            E::BinaryOperator(b)
                if self.acts(e)
                    && matches!(
                        b.node.operator.node,
                        ast::BinaryOperator::LogicalAnd | ast::BinaryOperator::LogicalOr
                    ) =>
            {
                let and = b.node.operator.node == ast::BinaryOperator::LogicalAnd;
                self.condition_parts(and, &b.node, yes, no)
            }
            E::UnaryOperator(u) if u.node.operator.node == ast::UnaryOperator::Negate => {
                self.condition(&u.node.operand, no, yes)
            }
            _ => {
                let value = self.expr(e)?;
                let value = self.truth(value, e.span, false);
                self.b().branch(value, yes, no);
                Ok(())
            }
        }
    }

    /// `c ? a : b`: an expression where that is possible, else branches.
    ///
    /// Each part is lowered once, whatever its type turns out to be: conditional expressions are nested in
    /// each other.
    pub(super) fn conditional(&mut self, c: &ast::ConditionalExpression, at: AstSpan) -> Res<Expr> {
        let span = self.span(at);
        let (then, otherwise) = (&c.then_expression, &c.else_expression);
        let pure = !self.acts(then) && !self.acts(otherwise);
        // `k ?: b`: the condition is evaluated once, and is the value if it is not zero.
        let mut same = None;
        if is_same(&then.node) {
            let value = self.expr(&c.condition)?;
            same = Some(if fold(&value).is_some() { value } else { self.save(value) });
        }
        let mut values = match (&same, pure) {
            (Some(k), true) => self.pure(&[otherwise], |me| me.expr(otherwise))?.map(|b| (k.clone(), b)),
            (None, true) => self.pure(&[then, otherwise], |me| Ok((me.expr(then)?, me.expr(otherwise)?)))?,
            _ => None,
        };
        let null = [self.is_null_constant(then), self.is_null_constant(otherwise)];
        if let Some((a, b)) = values.take_if(|(a, b)| common_type(&a.ty, &b.ty, null).is_scalar()) {
            let ty = common_type(&a.ty, &b.ty, null);
            let k = match &same {
                Some(k) => k.clone(),
                None => self.expr(&c.condition)?,
            };
            let k = self.truth(k, c.condition.span, false);
            if let Some(v) = k.as_const() {
                return Ok(self.convert(if v != 0 { a } else { b }, ty));
            }
            let a = self.convert(a, ty.clone());
            let b = self.convert(b, ty.clone());
            return Ok(Expr { ty, kind: ExprKind::Cond(Box::new(k), Box::new(a), Box::new(b)), span });
        }
        if self.builder.is_none() {
            return self.invalid(at, "a conditional expression that is no constant outside a function");
        }
        let (yes, no, end) = (self.b().label(), self.b().label(), self.b().label());
        match &same {
            Some(k) => {
                let k = self.truth(k.clone(), c.condition.span, false);
                self.b().branch(k, yes, no);
            }
            None => self.condition(&c.condition, yes, no)?,
        }
        let (known_a, known_b) = values.unzip();
        let known_a = known_a.or(same);
        let mut branch = |label: NodeId, e: &Node, known: Option<Expr>| -> Res<(Expr, Option<NodeId>)> {
            self.b().place(label);
            let value = match known {
                Some(value) => value,
                None => self.expr(e)?,
            };
            Ok((value, self.b().current.take()))
        };
        let (a, after_a) = branch(yes, then, known_a)?;
        let (b, after_b) = branch(no, otherwise, known_b)?;
        let ty = common_type(&a.ty, &b.ty, null);
        let result = (ty != Type::Void).then(|| self.b().temp("tmp", ty.clone()));
        for (e, value, after) in [(then, a, after_a), (otherwise, b, after_b)] {
            self.b().current = after;
            match &result {
                Some(place) => {
                    let value = self.convert(value, ty.clone());
                    self.b().emit(Instr::Assign(place.clone(), value));
                }
                // A pure expression without use matters only for what it must satisfy.
                None if !self.acts(e) => self.evaluate(value),
                None => {}
            }
            self.b().jump(end);
        }
        self.b().place(end);
        Ok(match result {
            Some(place) => place.load(),
            None => Expr::constant(0, Type::Void, span),
        })
    }

    /// The integer constant 0, or that as `void *` (C11 6.3.2.3p3); not a pointer made a pointer again.
    pub(super) fn is_null_constant(&mut self, e: &Node) -> bool {
        let number = match &e.node {
            ast::Expression::Cast(c) if is_qualified(&c.node.type_name.node) => return false,
            ast::Expression::Cast(c) => &c.node.expression,
            _ => e,
        };
        self.is_constant(&number.node)
            && self.dry(|me| me.expr(number)).is_ok_and(|x| x.ty.as_int().is_some() && fold(&x) == Some(0))
    }
}

/// Is a type name one of something `const` or `volatile`?
fn is_qualified(t: &ast::TypeName) -> bool {
    t.specifiers.iter().any(|s| matches!(s.node, ast::SpecifierQualifier::TypeQualifier(_)))
}

/// The type of a conditional expression with these branches, of which some are null pointer constants.
pub(super) fn common_type(a: &Type, b: &Type, null: [bool; 2]) -> Type {
    match (a, b) {
        (Type::Int(x), Type::Int(y)) => Type::Int(x.common(*y)),
        // A pointer to `void` wins, unless it is the null pointer constant (C11 6.5.15p6).
        (Type::Pointer(x), Type::Pointer(_)) if **x == Type::Void && null[0] => b.clone(),
        (Type::Pointer(_), Type::Pointer(y)) if **y == Type::Void && null[1] => a.clone(),
        (Type::Pointer(x), Type::Pointer(y)) => {
            let target = if **y == Type::Void { y } else { x };
            Type::clone(target).pointer_to_qualified(target.volatile, x.qualifiers.and(y.qualifiers))
        }
        (Type::Pointer(_), _) => a.clone(),
        (_, Type::Pointer(_)) => b.clone(),
        (Type::Void, _) | (_, Type::Void) => Type::Void,
        (Type::Float(_), _) | (_, Type::Float(_)) => super::float::common(a, b),
        (Type::Ieee(x), Type::Ieee(y)) => Type::Ieee(super::float::wider(*x, *y)),
        (Type::Ieee(_), _) => a.clone(),
        (_, Type::Ieee(_)) => b.clone(),
        _ => a.clone(),
    }
}
