//! The sizes of allocated blocks that are constant without being written as a constant: functions that wrap
//! `malloc` get the size as an argument, and other tools put it into a variable first.
//!
//! From the allocation, [`constant`] goes back through statements that have one predecessor, to the one that
//! sets the variable or to the beginning of the function, and from there to the call. What it finds is only
//! used to choose how memory is laid out: the encoder requires that the size is what was found.

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

    /// The value of a local variable before a node.
    fn variable(&mut self, v: u32, i: InstanceId, at: NodeId) -> Option<i128> {
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
                    return self.value(e, i, before);
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

    fn argument(&mut self, f: &Function, v: u32, i: InstanceId) -> Option<i128> {
        let k = f.params.iter().position(|p| *p == v)?;
        let (caller, at) = self.instances.get(i).caller?;
        let call = self.unit.function(self.instances.get(caller).function).node(at);
        let NodeKind::Instr(Instr::Call { args, .. }, _) = &call.kind else { return None };
        let arg = args.get(k).filter(|a| a.ty == f.vars[v as usize].ty)?;
        self.value(arg, caller, at)
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
        NodeKind::Exit | NodeKind::Halt | NodeKind::Error(_) | NodeKind::Unsupported(_) => false,
    };
    let mut all = (0..f.nodes.len() as u32).map(NodeId).filter(|n| leads(&f.node(*n).kind));
    match (all.next(), all.next()) {
        (Some(n), None) => Some(n),
        _ => None,
    }
}
