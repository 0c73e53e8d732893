//! Loops that may not end.
//!
//! A run that does not end goes through some nodes again and again. [`find`] marks nodes so that every cycle
//! of a function's graph that may be taken for ever has a marked one.
//!
//! A loop that asks the environment whether to go on (`while (__VERIFIER_nondet_int())`) may be left at once,
//! whatever happened before. Where that is said, only cycles count in runs that leave such loops: from each
//! state there is a run like that.
//!
//! Entry point: [`find`].

use rustc_hash::FxHashSet;

use crate::inline::reachable_nodes;
use crate::ir::{Expr, ExprKind, Function, Instr, NodeId, NodeKind, Place, PlaceKind, VarRef};
use crate::types::Type;

/// The loops of a function.
pub(crate) struct Loops {
    /// The nodes that stand for those that may not end.
    pub counted: Vec<bool>,
    /// Branches with the way that stays in a loop which may be left instead: the environment chooses.
    pub stays: FxHashSet<(NodeId, NodeId)>,
}

/// Those of a function. `free` says that loops may be left where the environment is asked.
pub(crate) fn find(f: &Function, free: bool) -> Loops {
    let heads: Vec<bool> = f.nodes.iter().map(|n| n.loop_head).collect();
    let none = vec![false; f.nodes.len()];
    let mut stays = FxHashSet::default();
    let count = |cyclic: &[bool]| cyclic.iter().filter(|c| **c).count();
    let mut all = on_cycles_but(f, &none, &stays);
    for (branch, ways) in if free { free_branches(f) } else { Vec::new() } {
        for way in ways {
            let mut more = stays.clone();
            more.insert((branch, way));
            let cyclic = on_cycles_but(f, &none, &more);
            if count(&cyclic) < count(&all) {
                (stays, all) = (more, cyclic);
                break;
            }
        }
    }
    // Loops that are made of `goto` have no head: then every node counts.
    let rest = on_cycles_but(f, &heads, &stays);
    let other = rest.iter().any(|x| *x);
    let counted = all.iter().zip(&heads).map(|(cyclic, head)| *cyclic && (*head || other)).collect();
    Loops { counted, stays }
}

/// Do all runs of a function's graph that end do so where that is seen: by a return, or by `exit` and the
/// like? Assumptions and what never returns end runs silently.
pub(crate) fn are_seen(f: &Function) -> bool {
    let reachable = reachable_nodes(f);
    let mut nodes = f.nodes.iter().zip(reachable).filter(|(_, reached)| *reached);
    nodes.all(|(n, _)| match &n.kind {
        NodeKind::Instr(Instr::Assume(_), _) => false,
        NodeKind::Instr(Instr::Quit { .. }, _) => true,
        kind => kind.successors().iter().all(|next| !matches!(f.nodes[next.0 as usize].kind, NodeKind::Halt)),
    })
}

/// Branches on whether a number that the environment has just chosen is zero.
fn free_branches(f: &Function) -> Vec<(NodeId, [NodeId; 2])> {
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); f.nodes.len()];
    for (i, node) in f.nodes.iter().enumerate() {
        for next in node.kind.successors() {
            before[next.0 as usize].push(i);
        }
    }
    let is_free = |branch: usize, condition: &Expr| {
        let mut asked = tested(condition);
        let mut at = branch;
        while let (Some(v), [previous]) = (asked, before[at].as_slice()) {
            at = *previous;
            let NodeKind::Instr(instr, _) = &f.nodes[at].kind else { return false };
            match instr {
                Instr::Nop | Instr::Scope { .. } => {}
                Instr::Nondet(Some(Place { kind: PlaceKind::Var(w), .. }), value) if *w == v => {
                    return matches!(value.ty, Type::Int(_));
                }
                Instr::Assign(Place { kind: PlaceKind::Var(w), .. }, e) if *w == v => asked = copied(e),
                _ => return false,
            }
        }
        false
    };
    let of = |(i, node): (usize, &crate::ir::Node)| match &node.kind {
        NodeKind::Branch(e, yes, no) if is_free(i, e) => Some((NodeId(i as u32), [*yes, *no])),
        _ => None,
    };
    f.nodes.iter().enumerate().filter_map(of).collect()
}

/// The local variable of which a condition asks whether it is zero.
fn tested(condition: &Expr) -> Option<VarRef> {
    match &condition.kind {
        ExprKind::Not(e) => tested(e),
        ExprKind::Compare(crate::ir::CmpOp::Eq | crate::ir::CmpOp::Ne, a, b) => match &b.kind {
            ExprKind::Const(0) => tested(a),
            _ => None,
        },
        _ => copied(condition),
    }
}

/// The local variable that an expression is the value of.
fn copied(e: &Expr) -> Option<VarRef> {
    match &e.kind {
        ExprKind::Load(place) => match place.kind {
            PlaceKind::Var(v @ VarRef::Local(_)) => Some(v),
            _ => None,
        },
        _ => None,
    }
}

/// Which nodes lie on a cycle of the function's graph without some nodes (Tarjan's strongly connected
/// components, iteratively).
pub(crate) fn on_cycles(f: &Function, without: &[bool]) -> Vec<bool> {
    on_cycles_but(f, without, &FxHashSet::default())
}

/// The same, without some edges.
fn on_cycles_but(f: &Function, without: &[bool], edges: &FxHashSet<(NodeId, NodeId)>) -> Vec<bool> {
    let n = f.nodes.len();
    let successors = |v: usize| -> Vec<usize> {
        let all = if without[v] { Vec::new() } else { f.nodes[v].kind.successors() };
        let taken = all.into_iter().filter(|&x| edges.is_empty() || !edges.contains(&(NodeId(v as u32), x)));
        taken.map(|x| x.0 as usize).filter(|&x| x < n).collect()
    };
    let (mut index, mut low) = (vec![usize::MAX; n], vec![0; n]);
    let (mut on_stack, mut out) = (vec![false; n], vec![false; n]);
    let (mut stack, mut counter) = (Vec::new(), 0);
    for start in 0..n {
        if index[start] != usize::MAX {
            continue;
        }
        let mut work: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut enter = Some(start);
        loop {
            if let Some(v) = enter.take() {
                index[v] = counter;
                low[v] = counter;
                counter += 1;
                stack.push(v);
                on_stack[v] = true;
                work.push((v, successors(v)));
            }
            let Some((v, rest)) = work.last_mut() else { break };
            let v = *v;
            match rest.pop() {
                Some(w) if index[w] == usize::MAX => enter = Some(w),
                Some(w) => {
                    if on_stack[w] {
                        low[v] = low[v].min(index[w]);
                        out[v] |= w == v;
                    }
                }
                None => {
                    work.pop();
                    if let Some((u, _)) = work.last() {
                        low[*u] = low[*u].min(low[v]);
                    }
                    if low[v] == index[v] {
                        let at = stack.iter().rposition(|&w| w == v).expect("on the stack");
                        let component = stack.split_off(at);
                        let cycle = component.len() > 1;
                        for w in component {
                            on_stack[w] = false;
                            out[w] |= cycle;
                        }
                    }
                }
            }
        }
    }
    out
}
