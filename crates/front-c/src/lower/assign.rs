//! Assignments: plain, compound, and by steps of one.
//!
//! An assignment returns its place: in C it is an expression, and its value is what the place then holds.

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};

use super::constant::has_effects;
use super::{Lowerer, Res};
use crate::ir::{BinOp, Expr, Instr, Place, PlaceKind};
use crate::types::Type;

type Node = Ast<ast::Expression>;

impl Lowerer<'_> {
    /// Performs `++` or `--` on an lvalue; returns the place.
    pub(super) fn step(&mut self, operand: &Node, up: bool, at: AstSpan) -> Res<Place> {
        let place = self.place(operand)?;
        self.step_place(place, up, at)
    }

    pub(super) fn step_place(&mut self, place: Place, up: bool, at: AstSpan) -> Res<Place> {
        self.inside_a_function(at)?;
        let old = self.value_of(place.clone());
        let one = Expr::constant(1, Type::INT, self.span(at));
        let new = self.arithmetic(if up { BinOp::Add } else { BinOp::Sub }, old, one, at)?;
        self.assign(place.clone(), new);
        Ok(place)
    }

    /// Stores a converted value. Floating-point objects are not modelled: what they hold matters only where it is used, and every
    /// use is unsupported.
    pub(super) fn assign(&mut self, place: Place, value: Expr) {
        if matches!(place.ty, Type::Float(_)) {
            return self.evaluate(value);
        }
        let value = self.convert(value, place.ty.clone());
        self.b().emit(Instr::Assign(place, value));
    }

    pub(super) fn assignment(&mut self, b: &ast::BinaryOperatorExpression, at: AstSpan) -> Res<Place> {
        self.inside_a_function(at)?;
        if b.operator.node == ast::BinaryOperator::Assign {
            let mut place = self.place(&b.lhs)?;
            if has_effects(&b.rhs.node) && !self.only_asks(&b.rhs) {
                place = self.freeze(place);
            }
            let value = self.expr(&b.rhs)?;
            self.assign(place.clone(), value);
            return Ok(place);
        }
        let place = self.place(&b.lhs)?;
        let value = self.expr(&b.rhs)?;
        let old = self.value_of(place.clone());
        let Some(op) = compound_op(&b.operator.node) else {
            return self.invalid(at, "an operator that is not expected here");
        };
        let new = self.arithmetic(op, old, value, at)?;
        self.assign(place.clone(), new);
        Ok(place)
    }

    fn inside_a_function(&self, at: AstSpan) -> Res<()> {
        if self.builder.is_none() {
            return self.invalid(at, "an assignment outside a function");
        }
        Ok(())
    }

    /// Is this only a call of a function without body, which changes nothing?
    fn only_asks(&self, e: &Node) -> bool {
        match &e.node {
            ast::Expression::Cast(c) => self.only_asks(&c.node.expression),
            ast::Expression::Call(c) => match &c.node.callee.node {
                ast::Expression::Identifier(i) => {
                    let undefined = !self.defined.contains(&i.node.name);
                    undefined && !c.node.arguments.iter().any(|a| has_effects(&a.node))
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Fixes which object a place is: later effects do not change its indices and pointers. Like gcc, the place of an assignment is
    /// determined before the value.
    fn freeze(&mut self, place: Place) -> Place {
        let kind = match place.kind {
            PlaceKind::Var(_) => place.kind,
            PlaceKind::Deref(e) => PlaceKind::Deref(Box::new(self.b().save(*e))),
            PlaceKind::Index(base, i) => {
                let base = self.freeze(*base);
                PlaceKind::Index(Box::new(base), Box::new(self.b().save(*i)))
            }
            PlaceKind::Field(base, k) => PlaceKind::Field(Box::new(self.freeze(*base)), k),
        };
        Place { kind, ..place }
    }
}

fn compound_op(op: &ast::BinaryOperator) -> Option<BinOp> {
    use ast::BinaryOperator as B;
    Some(match op {
        B::AssignMultiply => BinOp::Mul,
        B::AssignDivide => BinOp::Div,
        B::AssignModulo => BinOp::Rem,
        B::AssignPlus => BinOp::Add,
        B::AssignMinus => BinOp::Sub,
        B::AssignShiftLeft => BinOp::Shl,
        B::AssignShiftRight => BinOp::Shr,
        B::AssignBitwiseAnd => BinOp::And,
        B::AssignBitwiseXor => BinOp::Xor,
        B::AssignBitwiseOr => BinOp::Or,
        _ => return None,
    })
}
