//! Assignments: plain, compound, and by steps of one.
//!
//! An assignment is an expression: its value is what the place then holds.

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};

use super::constant::has_effects;
use super::order::{Operand, gives_stored, storable};
use super::{Lowerer, Res};
use crate::crosscheck::Observable;
use crate::ir::{BinOp, Expr, ExprKind, Instr, Place, PlaceKind, VarRef};
use crate::options::UndefinedMemory;
use crate::types::Type;

type Node = Ast<ast::Expression>;

impl Lowerer<'_> {
    /// Performs `++` or `--` on an lvalue; gives the new value.
    pub(super) fn step(&mut self, operand: &Node, up: bool, at: AstSpan) -> Res<Expr> {
        let place = self.place(operand)?;
        let place = self.written(place);
        let new = self.stepped(&place, up, at)?;
        Ok(self.assign_value(place, new))
    }

    /// The same where the new value is not used.
    pub(super) fn step_place(&mut self, place: Place, up: bool, at: AstSpan) -> Res<()> {
        let place = self.written(place);
        let new = self.stepped(&place, up, at)?;
        self.assign(place, new);
        Ok(())
    }

    fn stepped(&mut self, place: &Place, up: bool, at: AstSpan) -> Res<Expr> {
        self.inside_a_function(at)?;
        self.observe(at, &place.ty);
        let old = self.value_of(place.clone());
        let one = Expr::constant(1, Type::INT, self.span(at));
        self.arithmetic(if up { BinOp::Add } else { BinOp::Sub }, old, one, at)
    }

    /// Stores a converted value. Floating-point objects are not modelled: what they hold matters only where
    /// it is used, and every use is unsupported. That they overwrite other members of a union, or are written
    /// through a bad pointer, does matter.
    pub(super) fn assign(&mut self, place: Place, value: Expr) {
        if matches!(place.ty, Type::Float(_)) {
            self.evaluate(value);
            if self.in_union(&place) || !matches!(place.kind, PlaceKind::Var(_)) {
                self.b().emit(Instr::Havoc(place));
            }
            return;
        }
        let value = self.convert(value, place.ty.clone());
        self.b().emit(Instr::Assign(place, value));
    }

    /// Stores a value and gives what the place then holds. A variable is read again; anything else may be
    /// `volatile`, where reading it again would give another value.
    fn assign_value(&mut self, place: Place, value: Expr) -> Expr {
        let plain = matches!(place.kind, PlaceKind::Var(v) if !self.is_volatile(v));
        if plain || !storable(&place.ty) {
            self.assign(place.clone(), value);
            return self.value_of(place);
        }
        let value = if place.ty.is_scalar() { self.convert(value, place.ty.clone()) } else { value };
        let value = self.b().save(value);
        self.assign(place, value.clone());
        value
    }

    fn is_volatile(&mut self, v: VarRef) -> bool {
        match v {
            VarRef::Global(g) => self.unit.globals[g as usize].var.volatile,
            VarRef::Local(l) => self.b().vars[l as usize].volatile,
        }
    }

    /// The place of an assignment. A part of an object that was defined `const` can only be written through a
    /// pointer (`*(int *)&x = 1`), and so it stays an access through a pointer: the encoding looks at those.
    pub(super) fn written(&mut self, place: Place) -> Place {
        let constant = match place.root() {
            Some(VarRef::Global(g)) => self.unit.globals[g as usize].var.constant,
            Some(VarRef::Local(l)) => self.b().vars[l as usize].constant,
            None => false,
        };
        if constant { through_pointer(place) } else { place }
    }

    /// Is the place part of a union, as far as its path says?
    pub(super) fn in_union(&self, place: &Place) -> bool {
        match &place.kind {
            PlaceKind::Var(_) | PlaceKind::Deref(_) => false,
            PlaceKind::Index(base, _) => self.in_union(base),
            PlaceKind::Field(base, _) => {
                matches!(base.ty, Type::Record(r) if self.unit.records.get(r).union) || self.in_union(base)
            }
        }
    }

    /// An assignment whose value is not used.
    pub(super) fn assign_only(&mut self, b: &ast::BinaryOperatorExpression, at: AstSpan) -> Res<()> {
        let (place, value) = self.assignment_parts(b, at)?;
        self.assign(place, value);
        Ok(())
    }

    /// An assignment; gives its value.
    pub(super) fn assignment(&mut self, b: &ast::BinaryOperatorExpression, at: AstSpan) -> Res<Expr> {
        let (place, value) = self.assignment_parts(b, at)?;
        let link = (!self.in_union(&place)).then(|| place.ty.clone());
        let plain = b.operator.node == ast::BinaryOperator::Assign;
        let before = if plain && gives_stored(&b.rhs.node) { self.b().chain.take() } else { None };
        let value = self.assign_value(place, value);
        self.b().link(link, before);
        Ok(value)
    }

    /// Place and new value of an assignment.
    fn assignment_parts(&mut self, b: &ast::BinaryOperatorExpression, at: AstSpan) -> Res<(Place, Expr)> {
        self.inside_a_function(at)?;
        let plain = b.operator.node == ast::BinaryOperator::Assign;
        if plain && self.only_asks(&b.rhs) {
            let place = self.place(&b.lhs)?;
            let place = self.written(place);
            let value = self.expr(&b.rhs)?;
            self.observe(at, &place.ty);
            return Ok((place, value));
        }
        if plain {
            let operands = [Operand::Place(&b.lhs), Operand::Value(&b.rhs)];
            let mut done = self.operands(&operands, true, at)?.into_iter();
            let mut next = || done.next().expect("one result for each operand");
            let (place, value) = (next().place(), next().value());
            self.observe(at, &place.ty);
            return Ok((self.written(place), value));
        }
        let Some(op) = compound_op(&b.operator.node) else {
            return self.invalid(at, "an operator that is not expected here");
        };
        let (place, old, value) = self.compound_operands(&b.lhs, &b.rhs, at)?;
        let new = self.arithmetic(op, old, value, at)?;
        self.observe(at, &place.ty);
        Ok((self.written(place), new))
    }

    /// Notes that the value of an expression is stored or returned.
    pub(super) fn observe(&mut self, at: AstSpan, ty: &Type) {
        // What is recorded has 64 bits.
        if !matches!(ty, Type::Int(t) if !t.is_int128()) && !matches!(ty, Type::Ieee(_)) {
            return;
        }
        let ty = ty.clone();
        let (start, end) = (at.start as u32, at.end as u32);
        let seen = Observable { unit: self.unit_index, start, end, ty };
        if self.observed.insert((self.unit_index, start, end)) {
            self.unit.observables.push(seen);
        }
    }

    fn inside_a_function(&self, at: AstSpan) -> Res<()> {
        if self.builder.is_none() {
            return self.invalid(at, "an assignment outside a function");
        }
        Ok(())
    }

    /// Is this only a call of a function without body, which changes nothing? Where undefined behaviour is
    /// reported, others than inputs may change what they can reach.
    fn only_asks(&self, e: &Node) -> bool {
        match &e.node {
            ast::Expression::Cast(c) => self.only_asks(&c.node.expression),
            ast::Expression::Call(c) => match &c.node.callee.node {
                ast::Expression::Identifier(i) => {
                    let name = i.node.name.as_str();
                    let changes = crate::library::internal_name(name).is_some() || name == "scanf";
                    let function = matches!(self.lookup(name), None | Some(super::Symbol::Func(_)));
                    let asks = self.options.undefined != UndefinedMemory::Report
                        || name.starts_with("__VERIFIER_nondet_");
                    function
                        && asks
                        && !changes
                        && !self.is_defined(name)
                        && !c.node.arguments.iter().any(|a| has_effects(&a.node))
                }
                _ => false,
            },
            _ => false,
        }
    }
}

/// A part of a variable, found through the address of the variable.
fn through_pointer(place: Place) -> Place {
    let (ty, span) = (place.ty.clone(), place.span);
    let kind = match place.kind {
        PlaceKind::Field(base, k) => PlaceKind::Field(Box::new(through_pointer(*base)), k),
        PlaceKind::Index(base, i) => PlaceKind::Index(Box::new(through_pointer(*base)), i),
        PlaceKind::Var(_) => {
            let kind = ExprKind::Address(Box::new(place));
            PlaceKind::Deref(Box::new(Expr { ty: ty.clone().pointer_to(), kind, span }))
        }
        kind @ PlaceKind::Deref(_) => kind,
    };
    Place { ty, kind, span }
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
