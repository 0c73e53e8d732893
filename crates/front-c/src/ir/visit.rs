//! Walks over all expressions and places of a node.
//!
//! Entry points: [`NodeKind::visit`], [`NodeKind::visit_mut`].

use super::{Callee, Expr, ExprKind, Instr, NodeKind, Place, PlaceKind};

/// What occurs in an instruction.
#[derive(Clone, Copy, Debug)]
pub enum Part<'u> {
    /// An expression.
    Expr(&'u Expr),
    /// A place.
    Place(&'u Place),
}

impl<'u> Part<'u> {
    /// Visits this part, then all that it consists of, from left to right.
    pub fn visit(self, f: &mut impl FnMut(Part<'u>)) {
        f(self);
        match self {
            Part::Expr(e) => match &e.kind {
                ExprKind::Const(_)
                | ExprKind::FloatConst(_)
                | ExprKind::Function(_)
                | ExprKind::Unsupported(_) => {}
                ExprKind::Float(_, args) => args.iter().for_each(|x| Part::Expr(x).visit(f)),
                ExprKind::Load(p) | ExprKind::Address(p) => Part::Place(p).visit(f),
                ExprKind::Neg(a) | ExprKind::BitNot(a) | ExprKind::Not(a) | ExprKind::Cast(a) => {
                    Part::Expr(a).visit(f)
                }
                ExprKind::Binary(_, a, b)
                | ExprKind::Compare(_, a, b)
                | ExprKind::PtrAdd(a, b, _)
                | ExprKind::PtrSub(a, b)
                | ExprKind::Rounded(a, b)
                | ExprKind::And(a, b)
                | ExprKind::Or(a, b) => [a, b].into_iter().for_each(|x| Part::Expr(x).visit(f)),
                ExprKind::Cond(c, a, b) => [c, a, b].into_iter().for_each(|x| Part::Expr(x).visit(f)),
            },
            Part::Place(p) => match &p.kind {
                PlaceKind::Var(_) => {}
                PlaceKind::Deref(e) => Part::Expr(e).visit(f),
                PlaceKind::Field(base, _) => Part::Place(base).visit(f),
                PlaceKind::Index(base, i) => {
                    Part::Place(base).visit(f);
                    Part::Expr(i).visit(f);
                }
            },
        }
    }
}

/// The same, to be changed.
#[derive(Debug)]
pub enum PartMut<'u> {
    /// An expression.
    Expr(&'u mut Expr),
    /// A place.
    Place(&'u mut Place),
}

impl PartMut<'_> {
    /// Visits all that this part consists of, then the part.
    fn visit(self, f: &mut impl FnMut(PartMut<'_>)) {
        match self {
            PartMut::Expr(e) => {
                match &mut e.kind {
                    ExprKind::Const(_)
                    | ExprKind::FloatConst(_)
                    | ExprKind::Function(_)
                    | ExprKind::Unsupported(_) => {}
                    ExprKind::Float(_, args) => args.iter_mut().for_each(|x| PartMut::Expr(x).visit(f)),
                    ExprKind::Load(p) | ExprKind::Address(p) => PartMut::Place(p).visit(f),
                    ExprKind::Neg(a) | ExprKind::BitNot(a) | ExprKind::Not(a) | ExprKind::Cast(a) => {
                        PartMut::Expr(a).visit(f);
                    }
                    ExprKind::Binary(_, a, b)
                    | ExprKind::Compare(_, a, b)
                    | ExprKind::PtrAdd(a, b, _)
                    | ExprKind::PtrSub(a, b)
                    | ExprKind::Rounded(a, b)
                    | ExprKind::And(a, b)
                    | ExprKind::Or(a, b) => [a, b].into_iter().for_each(|x| PartMut::Expr(x).visit(f)),
                    ExprKind::Cond(c, a, b) => {
                        [c, a, b].into_iter().for_each(|x| PartMut::Expr(x).visit(f));
                    }
                }
                f(PartMut::Expr(e));
            }
            PartMut::Place(p) => {
                match &mut p.kind {
                    PlaceKind::Var(_) => {}
                    PlaceKind::Deref(e) => PartMut::Expr(e).visit(f),
                    PlaceKind::Field(base, _) => PartMut::Place(base).visit(f),
                    PlaceKind::Index(base, i) => {
                        PartMut::Place(base).visit(f);
                        PartMut::Expr(i).visit(f);
                    }
                }
                f(PartMut::Place(p));
            }
        }
    }
}

impl NodeKind {
    /// Visits every place and expression that occurs in the node, also inside others.
    pub fn visit<'u>(&'u self, f: &mut impl FnMut(Part<'u>)) {
        let (place, value) = match self {
            NodeKind::Instr(instr, _) => match instr {
                Instr::Nop | Instr::Open | Instr::Scope { .. } | Instr::Quit { .. } => (None, None),
                Instr::Assign(p, e) => (Some(p), Some(e)),
                Instr::Zero(p, _) | Instr::Havoc(p) => (Some(p), None),
                Instr::BlockSize(p, e) => (Some(p), Some(e)),
                Instr::Nondet(p, _) => (p.as_ref(), None),
                Instr::Assume(e) | Instr::Free(e) | Instr::Clear(e, _) | Instr::ChangesNothing(e) => {
                    (None, Some(e))
                }
                Instr::Alloc { dest, count, .. } => (Some(dest), Some(count)),
                Instr::Call { dest, callee: Callee::Indirect(e), .. } => (dest.as_ref(), Some(e)),
                Instr::Call { dest, callee: Callee::Direct(_), .. } => (dest.as_ref(), None),
            },
            NodeKind::Branch(e, ..) | NodeKind::Switch(e, ..) => (None, Some(e)),
            NodeKind::Exit
            | NodeKind::Halt
            | NodeKind::Error(_)
            | NodeKind::Undefined(_)
            | NodeKind::Unsupported(_) => (None, None),
        };
        let args = match self {
            NodeKind::Instr(Instr::Call { args, .. }, _) => &args[..],
            NodeKind::Instr(Instr::Nondet(_, n), _) => &n.pointers[..],
            NodeKind::Instr(Instr::Clear(_, size), _) => std::slice::from_ref(size),
            _ => &[],
        };
        let values = match self {
            NodeKind::Instr(Instr::Nondet(_, n), _) => &n.values[..],
            _ => &[],
        };
        place.into_iter().for_each(|p| Part::Place(p).visit(f));
        value.into_iter().chain(args).chain(values).for_each(|e| Part::Expr(e).visit(f));
    }

    /// Visits every place and expression that occurs in the node, what is inside of another one first.
    pub fn visit_mut(&mut self, f: &mut impl FnMut(PartMut<'_>)) {
        let (mut places, mut exprs) = (Vec::new(), Vec::new());
        match self {
            NodeKind::Instr(instr, _) => match instr {
                Instr::Nop | Instr::Open | Instr::Scope { .. } | Instr::Quit { .. } => {}
                Instr::Assign(p, e) | Instr::BlockSize(p, e) => {
                    places.push(p);
                    exprs.push(e);
                }
                Instr::Zero(p, _) | Instr::Havoc(p) => places.push(p),
                Instr::Nondet(p, n) => {
                    places.extend(p);
                    exprs.extend(n.pointers.iter_mut().chain(&mut n.values));
                }
                Instr::Assume(e) | Instr::Free(e) | Instr::ChangesNothing(e) => exprs.push(e),
                Instr::Clear(e, size) => exprs.extend([e, size]),
                Instr::Alloc { dest, count, .. } => {
                    places.push(dest);
                    exprs.push(count);
                }
                Instr::Call { dest, callee, args } => {
                    places.extend(dest);
                    exprs.extend(if let Callee::Indirect(e) = callee { Some(e) } else { None });
                    exprs.extend(args);
                }
            },
            NodeKind::Branch(e, ..) | NodeKind::Switch(e, ..) => exprs.push(e),
            NodeKind::Exit
            | NodeKind::Halt
            | NodeKind::Error(_)
            | NodeKind::Undefined(_)
            | NodeKind::Unsupported(_) => {}
        }
        places.into_iter().for_each(|p| PartMut::Place(p).visit(f));
        exprs.into_iter().for_each(|e| PartMut::Expr(e).visit(f));
    }
}
