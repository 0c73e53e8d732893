//! The sizes of allocated blocks that are constant without being written as a constant: functions that wrap
//! `malloc` get the size as an argument, and other tools put it into a variable first.
//!
//! From the allocation, [`constant`] goes back through statements that have one predecessor, to the one that
//! sets the variable or to the beginning of the function, and from there to the call. What it finds is only
//! used to choose how memory is laid out: the encoder requires that the size is what was found. [`multiple`]
//! and [`constant_part`] say what a size that is not constant is made of.

use crate::inline::{InstanceId, Instances};
use crate::ir::{BinOp, Expr, ExprKind, Function, Instr, NodeId, NodeKind, Place, PlaceKind, Unit, VarRef};
use crate::types::Type;

/// How far to look back.
const STEPS: usize = 256;

/// The value of an expression at a node, if it is found to be constant.
pub(crate) fn constant(
    unit: &Unit,
    instances: &Instances,
    e: &Expr,
    (instance, node): (InstanceId, NodeId),
) -> Option<i128> {
    let mut search = Search { unit, instances, steps: STEPS };
    search.value(e, instance, node)
}

/// Is the value of an expression at a node found to be a multiple of a number, if nothing wraps around?
pub(crate) fn multiple(
    unit: &Unit,
    instances: &Instances,
    e: &Expr,
    (instance, node): (InstanceId, NodeId),
    of: i128,
) -> bool {
    let mut search = Search { unit, instances, steps: STEPS };
    search.is_multiple(e, instance, node, of)
}

/// The constant that is added in a sum, at a node: the size of what a block begins with, perhaps.
pub(crate) fn constant_part(
    unit: &Unit,
    instances: &Instances,
    e: &Expr,
    (instance, node): (InstanceId, NodeId),
) -> i128 {
    let mut search = Search { unit, instances, steps: STEPS };
    search.constant_part(e, instance, node)
}

struct Search<'a> {
    unit: &'a Unit,
    instances: &'a Instances,
    steps: usize,
}

impl Search<'_> {
    fn value(&mut self, e: &Expr, i: InstanceId, at: NodeId) -> Option<i128> {
        let Type::Int(ty) = e.ty else { return None };
        let fits = |v: i128| (ty.min() <= v && v <= ty.max()).then_some(v);
        match &e.kind {
            ExprKind::Const(v) => Some(*v),
            ExprKind::Cast(inner) => self.value(inner, i, at).and_then(fits),
            ExprKind::Binary(op, a, b) => {
                let (a, b) = (self.value(a, i, at)?, self.value(b, i, at)?);
                match op {
                    BinOp::Add => a.checked_add(b).and_then(fits),
                    BinOp::Mul => a.checked_mul(b).and_then(fits),
                    _ => None,
                }
            }
            ExprKind::Load(p) => match p.kind {
                PlaceKind::Var(VarRef::Local(v)) => self.variable(v, i, at),
                _ => None,
            },
            _ => None,
        }
    }

    fn is_multiple(&mut self, e: &Expr, i: InstanceId, at: NodeId, of: i128) -> bool {
        match &e.kind {
            ExprKind::Const(v) => v % of == 0,
            ExprKind::Cast(inner) if inner.ty.as_int().is_some() => self.is_multiple(inner, i, at, of),
            ExprKind::Binary(BinOp::Add | BinOp::Sub, a, b) | ExprKind::Cond(_, a, b) => {
                self.is_multiple(a, i, at, of) && self.is_multiple(b, i, at, of)
            }
            ExprKind::Binary(BinOp::Mul, a, b) => {
                self.is_multiple(a, i, at, of) || self.is_multiple(b, i, at, of)
            }
            ExprKind::Load(p) => match p.kind {
                PlaceKind::Var(VarRef::Local(v)) => {
                    let set = self.set_at(v, i, at);
                    set.is_some_and(|(e, i, at)| self.is_multiple(&e, i, at, of))
                }
                _ => false,
            },
            _ => false,
        }
    }

    fn constant_part(&mut self, e: &Expr, i: InstanceId, at: NodeId) -> i128 {
        match &e.kind {
            ExprKind::Const(v) => *v,
            ExprKind::Cast(inner) if inner.ty.as_int().is_some() => self.constant_part(inner, i, at),
            ExprKind::Binary(BinOp::Add, a, b) => {
                let mut part = |e: &Expr| match &e.kind {
                    // What is in a variable is not what the block begins with.
                    ExprKind::Load(_) => 0,
                    ExprKind::Cast(x) if matches!(x.kind, ExprKind::Load(_)) => 0,
                    _ => self.constant_part(e, i, at),
                };
                [a, b].map(|e| part(e)).into_iter().fold(0, i128::saturating_add)
            }
            ExprKind::Load(p) => match p.kind {
                PlaceKind::Var(VarRef::Local(v)) => {
                    let set = self.set_at(v, i, at);
                    set.map_or(0, |(e, i, at)| self.constant_part(&e, i, at))
                }
                _ => 0,
            },
            _ => 0,
        }
    }

    /// The value of a local variable before a node.
    fn variable(&mut self, v: u32, i: InstanceId, at: NodeId) -> Option<i128> {
        let (e, i, at) = self.set_at(v, i, at)?;
        self.value(&e, i, at)
    }

    /// The expression that a local variable has the value of before a node, and where that is.
    fn set_at(&mut self, v: u32, i: InstanceId, at: NodeId) -> Option<(Expr, InstanceId, NodeId)> {
        let f = self.unit.function(self.instances.get(i).function);
        let mut at = at;
        loop {
            self.steps = self.steps.checked_sub(1)?;
            if at == f.entry {
                return self.argument(f, v, i);
            }
            let before = only_predecessor(f, at)?;
            match &f.node(before).kind {
                NodeKind::Instr(Instr::Assign(p, e), _) if is_variable(p, v) => {
                    return Some((e.clone(), i, before));
                }
                NodeKind::Instr(
                    Instr::Nondet(Some(p), _) | Instr::Call { dest: Some(p), .. } | Instr::Havoc(p),
                    _,
                ) if is_variable(p, v) => return None,
                // What is written through a pointer is taken for something else.
                _ => at = before,
            }
        }
    }

    fn argument(&self, f: &Function, v: u32, i: InstanceId) -> Option<(Expr, InstanceId, NodeId)> {
        let k = f.params.iter().position(|p| *p == v)?;
        let (caller, at) = self.instances.get(i).caller?;
        let call = self.unit.function(self.instances.get(caller).function).node(at);
        let NodeKind::Instr(Instr::Call { args, .. }, _) = &call.kind else { return None };
        let arg = args.get(k).filter(|a| a.ty == f.vars[v as usize].ty)?;
        Some((arg.clone(), caller, at))
    }
}

fn is_variable(p: &Place, v: u32) -> bool {
    matches!(p.kind, PlaceKind::Var(VarRef::Local(x)) if x == v)
}

fn only_predecessor(f: &Function, at: NodeId) -> Option<NodeId> {
    let leads = |kind: &NodeKind| match kind {
        NodeKind::Instr(_, next) => *next == at,
        NodeKind::Branch(_, a, b) => *a == at || *b == at,
        NodeKind::Switch(_, cases, default) => *default == at || cases.iter().any(|c| c.2 == at),
        NodeKind::Exit
        | NodeKind::Halt
        | NodeKind::Error(_)
        | NodeKind::Undefined(_)
        | NodeKind::Unsupported(_) => false,
    };
    let mut all = (0..f.nodes.len() as u32).map(NodeId).filter(|n| leads(&f.node(*n).kind));
    match (all.next(), all.next()) {
        (Some(n), None) => Some(n),
        _ => None,
    }
}
