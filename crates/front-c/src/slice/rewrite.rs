//! The program without what is not relevant.

use super::exact::Exact;
use super::flat::Flat;
use super::regions::Regions;
use super::relevant::Relevant;
use crate::inline::InstanceId;
use crate::ir::{Expr, ExprKind, Function, Instr, Node, NodeId, NodeKind, Part, Unit};
use crate::types::Type;

/// Can another value be passed instead of this one? Not where it is not known what it is.
pub(super) fn can_be_left_out(e: &Expr) -> bool {
    let mut unsupported = false;
    Part::Expr(e).visit(&mut |part| {
        unsupported |= matches!(part, Part::Expr(Expr { kind: ExprKind::Unsupported(_), .. }));
    });
    matches!(e.ty, Type::Int(_) | Type::Pointer(_) | Type::Ieee(_)) && !unsupported
}

/// How much is left of a program.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Count {
    /// The statements that were left out.
    pub(super) out: usize,
    /// All statements that can be reached.
    pub(super) all: usize,
    /// Something was left out that may not end, or may be undefined.
    pub(super) opens: bool,
}

/// A function without what is not relevant.
pub(super) fn rewrite(
    unit: &Unit,
    flat: &Flat,
    relevant: &Relevant<'_, '_>,
    regions: &Regions,
    exact: &Exact<'_>,
    i: InstanceId,
) -> (Function, Count) {
    let f = flat.function(unit, i);
    let reachable = &flat.instances.reachable[flat.instances.get(i).function.0 as usize];
    let mut out = f.clone();
    let mut count = Count { all: reachable.iter().filter(|r| **r).count(), ..Count::default() };
    for n in (0..f.nodes.len() as u32).filter(|n| reachable[*n as usize]) {
        let number = relevant.number(i, n);
        let kept = relevant.nodes[number as usize];
        let node = &f.nodes[n as usize];
        let kind = match &node.kind {
            NodeKind::Instr(Instr::Nop | Instr::Open | Instr::Scope { .. }, _) => continue,
            NodeKind::Instr(Instr::Call { dest, callee, args }, next) if kept => {
                let (mut dest, mut args) = (dest.clone(), args.clone());
                let mut passes = true;
                if !relevant.results.contains_key(&number) {
                    dest = None;
                }
                for (k, a) in args.iter_mut().enumerate() {
                    // The type stays, so that what is wrong with it is still found.
                    if can_be_left_out(a) && !relevant.arguments.contains_key(&(number, k as u32)) {
                        passes &= exact.is_defined(a);
                        a.kind = match a.ty {
                            Type::Ieee(_) => ExprKind::FloatConst(0),
                            _ => ExprKind::Const(0),
                        };
                    }
                }
                let call = NodeKind::Instr(Instr::Call { dest, callee: callee.clone(), args }, *next);
                if passes {
                    call
                } else {
                    count.opens = true;
                    let behind = NodeId(out.nodes.len() as u32);
                    out.nodes.push(Node { kind: call, loop_head: false, ..node.clone() });
                    NodeKind::Instr(Instr::Open, behind)
                }
            }
            _ if kept => continue,
            NodeKind::Instr(_, next) => {
                let passes = exact.passes(&node.kind);
                count.opens |= !passes;
                NodeKind::Instr(if passes { Instr::Nop } else { Instr::Open }, *next)
            }
            NodeKind::Branch(..) | NodeKind::Switch(..) => {
                let Some(next) = regions.next[n as usize] else { continue };
                let passes = exact.region(f, n, next);
                count.opens |= !passes;
                NodeKind::Instr(if passes { Instr::Nop } else { Instr::Open }, NodeId(next))
            }
            NodeKind::Exit
            | NodeKind::Halt
            | NodeKind::Error(_)
            | NodeKind::Undefined(_)
            | NodeKind::Unsupported(_) => continue,
        };
        out.nodes[n as usize].kind = kind;
    }
    compact(&mut out);
    count.out = count.all.saturating_sub(out.nodes.len());
    (out, count)
}

/// Removes nodes that cannot be reached, and those that do nothing.
fn compact(f: &mut Function) {
    let forward = |f: &Function, mut n: NodeId| {
        for _ in 0..f.nodes.len() {
            match &f.node(n).kind {
                NodeKind::Instr(Instr::Nop, next) if !f.node(n).loop_head => n = *next,
                _ => break,
            }
        }
        n
    };
    for n in 0..f.nodes.len() {
        let mut kind = f.nodes[n].kind.clone();
        match &mut kind {
            NodeKind::Instr(_, next) => *next = forward(f, *next),
            NodeKind::Branch(_, a, b) => (*a, *b) = (forward(f, *a), forward(f, *b)),
            NodeKind::Switch(_, cases, default) => {
                cases.iter_mut().for_each(|c| c.2 = forward(f, c.2));
                *default = forward(f, *default);
            }
            NodeKind::Exit
            | NodeKind::Halt
            | NodeKind::Error(_)
            | NodeKind::Undefined(_)
            | NodeKind::Unsupported(_) => {}
        }
        f.nodes[n].kind = kind;
    }
    f.entry = forward(f, f.entry);
    let reachable = crate::inline::reachable_nodes(f);
    let mut number = vec![NodeId(0); f.nodes.len()];
    let mut next = 0;
    for n in (0..f.nodes.len()).filter(|n| reachable[*n]) {
        number[n] = NodeId(next);
        next += 1;
    }
    let new = |n: &mut NodeId| *n = number[n.0 as usize];
    let mut nodes = Vec::with_capacity(next as usize);
    for (n, mut node) in std::mem::take(&mut f.nodes).into_iter().enumerate() {
        if !reachable[n] {
            continue;
        }
        match &mut node.kind {
            NodeKind::Instr(_, next) => new(next),
            NodeKind::Branch(_, a, b) => {
                new(a);
                new(b);
            }
            NodeKind::Switch(_, cases, default) => {
                cases.iter_mut().for_each(|c| new(&mut c.2));
                new(default);
            }
            NodeKind::Exit
            | NodeKind::Halt
            | NodeKind::Error(_)
            | NodeKind::Undefined(_)
            | NodeKind::Unsupported(_) => {}
        }
        nodes.push(node);
    }
    f.nodes = nodes;
    f.entry = number[f.entry.0 as usize];
    f.early.clear();
}
