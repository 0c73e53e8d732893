//! Which statements can be left out without a trace: those that come out at their end in every run.
//!
//! Arithmetic that may be undefined cuts a run, a loop may not end, and what is not supported may do
//! anything. Where something like that is left out, the slice has runs that the program may not have.

use super::flat::Flat;
use super::regions::successors;
use crate::inline::InstanceId;
use crate::ir::{BinOp, Callee, CmpOp, Expr, ExprKind, FloatOp, Function, Instr, NodeKind, Part, Unit};
use crate::options::{COptions, IntMode};
use crate::types::{IntType, Type};

/// What is known about leaving things out.
pub(super) struct Exact<'a> {
    unit: &'a Unit,
    flat: &'a Flat,
    options: &'a COptions,
    /// Does a call of the function come back in every run?
    functions: Vec<bool>,
}

impl<'a> Exact<'a> {
    pub(super) fn new(unit: &'a Unit, flat: &'a Flat, options: &'a COptions) -> Exact<'a> {
        let count = flat.instances.all.len();
        let mut out = Exact { unit, flat, options, functions: vec![false; count] };
        // From functions without calls upwards; those that call themselves never get there.
        loop {
            let mut changed = false;
            for n in 0..count {
                if !out.functions[n] && out.returns(InstanceId(n as u32)) {
                    out.functions[n] = true;
                    changed = true;
                }
            }
            if !changed {
                return out;
            }
        }
    }

    fn returns(&self, i: InstanceId) -> bool {
        let f = self.flat.function(self.unit, i);
        self.region(f, f.entry.0, u32::MAX)
    }

    /// Does every run from a node come to another one, or to the end of the function?
    pub(super) fn region(&self, f: &Function, from: u32, to: u32) -> bool {
        // 1: on the current way, 2: done.
        let mut state = vec![0u8; f.nodes.len()];
        let mut stack = vec![(from, false)];
        while let Some((n, left)) = stack.pop() {
            if left {
                state[n as usize] = 2;
                continue;
            }
            if n == to || state[n as usize] == 2 {
                continue;
            }
            if state[n as usize] == 1 || !self.passes(&f.nodes[n as usize].kind) {
                return false;
            }
            state[n as usize] = 1;
            stack.push((n, true));
            for s in successors(f, n) {
                match s {
                    _ if s == to => {}
                    // A way back: a loop.
                    _ if state[s as usize] == 1 => return false,
                    _ if state[s as usize] == 0 => stack.push((s, false)),
                    _ => {}
                }
            }
        }
        true
    }

    /// Does a node come to its successor in every run?
    pub(super) fn passes(&self, kind: &NodeKind) -> bool {
        let itself = match kind {
            NodeKind::Halt | NodeKind::Error(_) | NodeKind::Undefined(_) | NodeKind::Unsupported(_) => false,
            NodeKind::Exit | NodeKind::Branch(..) | NodeKind::Switch(..) => true,
            NodeKind::Instr(instr, _) => match instr {
                Instr::Nop | Instr::Scope { .. } | Instr::Free(_) => true,
                // Assembly, perhaps, that does not go on.
                Instr::Open => false,
                Instr::Assign(..) | Instr::Zero(..) | Instr::Nondet(..) | Instr::BlockSize(..) => true,
                Instr::Havoc(p) => !p.ty.is_variable(),
                Instr::Clear(_, size) => size.as_const().is_some(),
                Instr::Alloc { count, .. } => count.as_const().is_some(),
                Instr::Assume(_) | Instr::Quit { .. } | Instr::ChangesNothing(_) => false,
                Instr::Call { callee, .. } => match callee {
                    Callee::Direct(g) => {
                        self.flat.instance_of[g.0 as usize].is_some_and(|i| self.functions[i.0 as usize])
                    }
                    Callee::Indirect(_) => false,
                },
            },
        };
        let mut fine = itself;
        kind.visit(&mut |part| {
            if let Part::Expr(e) = part {
                fine &= self.defined(e);
            }
        });
        fine
    }

    /// Is an expression defined in every run, all of it?
    pub(super) fn is_defined(&self, e: &Expr) -> bool {
        let mut fine = true;
        Part::Expr(e).visit(&mut |part| {
            if let Part::Expr(e) = part {
                fine &= self.defined(e);
            }
        });
        fine
    }

    /// Is the outermost operation of an expression defined in every run?
    fn defined(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Unsupported(_) | ExprKind::PtrSub(..) => false,
            ExprKind::Float(op, _) => !matches!(op, FloatOp::ToInt(_)),
            ExprKind::Cast(a) => !matches!((&a.ty, &e.ty), (Type::Ieee(_) | Type::Float(_), Type::Int(_))),
            ExprKind::Compare(op, a, _) => {
                matches!(op, CmpOp::Eq | CmpOp::Ne) || !matches!(a.ty, Type::Pointer(_))
            }
            ExprKind::Neg(_) | ExprKind::Binary(..) => {
                let Type::Int(ty) = e.ty else { return true };
                self.range(e, ty).is_some()
            }
            _ => true,
        }
    }

    /// The values of an integer expression, by the types and constants in it; `None` if it may be undefined.
    fn range(&self, e: &Expr, ty: IntType) -> Option<(i128, i128)> {
        let whole = (ty.min(), ty.max());
        let Type::Int(own) = e.ty else { return Some(whole) };
        let full = (own.min(), own.max());
        let part = |x: &Expr| match x.ty {
            Type::Int(t) => self.range(x, t),
            _ => Some(full),
        };
        match &e.kind {
            ExprKind::Const(v) => Some((*v, *v)),
            ExprKind::Cast(a) => {
                let (lo, hi) = part(a)?;
                Some(if own.contains(lo) && own.contains(hi) { (lo, hi) } else { full })
            }
            ExprKind::Not(_) | ExprKind::Compare(..) | ExprKind::And(..) | ExprKind::Or(..) => Some((0, 1)),
            ExprKind::Neg(_) | ExprKind::Binary(..) if own.is_int128() => None,
            ExprKind::Neg(a) => self.fitted(part(a).map(|(lo, hi)| (-hi, -lo)), own),
            ExprKind::Binary(op, a, b) => {
                let ((a, b), (c, d)) = (part(a)?, part(b)?);
                match op {
                    BinOp::Add => self.fitted(Some((a + c, b + d)), own),
                    BinOp::Sub => self.fitted(Some((a - d, b - c)), own),
                    BinOp::Mul => {
                        let all =
                            [a.checked_mul(c)?, a.checked_mul(d)?, b.checked_mul(c)?, b.checked_mul(d)?];
                        self.fitted(Some((*all.iter().min()?, *all.iter().max()?)), own)
                    }
                    // The divisor is positive.
                    BinOp::Div | BinOp::Rem if c > 0 => Some(full),
                    BinOp::Shr if c >= 0 && d < i128::from(own.bits) => Some(full),
                    BinOp::Shl if c >= 0 && d < i128::from(own.bits) => {
                        let exact = (a >= 0).then(|| b.checked_shl(d as u32)).flatten();
                        match exact {
                            _ if !own.signed => Some(full),
                            Some(top) if top >> d == b && own.contains(top) => Some((0, top)),
                            _ => None,
                        }
                    }
                    BinOp::Div | BinOp::Rem | BinOp::Shl | BinOp::Shr => None,
                    BinOp::And if a >= 0 || c >= 0 => {
                        let top = if a < 0 {
                            d
                        } else if c < 0 {
                            b
                        } else {
                            b.min(d)
                        };
                        Some((0, top))
                    }
                    BinOp::And | BinOp::Or | BinOp::Xor => Some(full),
                }
            }
            _ => Some(full),
        }
    }

    fn fitted(&self, range: Option<(i128, i128)>, ty: IntType) -> Option<(i128, i128)> {
        let (lo, hi) = range?;
        if ty.contains(lo) && ty.contains(hi) {
            return Some((lo, hi));
        }
        let total = !ty.signed || self.options.signed_wrap || self.options.int_mode == IntMode::Math;
        total.then_some((ty.min(), ty.max()))
    }
}
