//! Where variables of blocks begin and end to exist (C11 6.2.4p6).
//!
//! Every node of a function knows the block that it is in. Where an edge of the graph leaves blocks or enters
//! them, an [`Instr::Scope`] is put on it that names their variables, as far as pointers to them can be left
//! over. That a function ends is not said here: its [`NodeKind::Exit`] is enough.
//!
//! Entry point: [`insert`]. It runs after the orders of evaluation are resolved, which knows nodes by number.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{Expr, ExprKind, Function, Instr, Node, NodeId, NodeKind, Part, PlaceKind, Unit, VarRef};

/// Marks the beginnings and ends in all functions.
pub(crate) fn insert(unit: &mut Unit) {
    unit.functions.iter_mut().for_each(insert_in);
}

fn insert_in(f: &mut Function) {
    let taken = taken(f);
    let mut by_scope: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    for (v, var) in f.vars.iter().enumerate() {
        if taken.contains(&(v as u32)) {
            by_scope.entry(var.scope).or_default().push(v as u32);
        }
    }
    if by_scope.is_empty() {
        return;
    }
    let around = |mut s: u32| {
        let mut all = vec![s];
        while s != 0 {
            s = f.scopes[s as usize];
            all.push(s);
        }
        all
    };
    let mut made: FxHashMap<(u32, NodeId), NodeId> = FxHashMap::default();
    let mut added: Vec<Node> = Vec::new();
    let count = f.nodes.len() as u32;
    let (nodes, scopes) = (&f.nodes, &f.scopes);
    let mut target = |from: &Node, to: NodeId| -> NodeId {
        let Some(next) = nodes.get(to.0 as usize) else { return to };
        if from.scope == next.scope || matches!(next.kind, NodeKind::Exit) || scopes.len() == 1 {
            return to;
        }
        let (here, there) = (around(from.scope), around(next.scope));
        let vars = |of: &[u32], not: &[u32]| -> Vec<u32> {
            let scopes = of.iter().filter(|s| !not.contains(s));
            scopes.filter_map(|s| by_scope.get(s)).flatten().copied().collect()
        };
        let (left, entered) = (vars(&here, &there), vars(&there, &here));
        if left.is_empty() && entered.is_empty() {
            return to;
        }
        *made.entry((from.scope, to)).or_insert_with(|| {
            let kind = NodeKind::Instr(Instr::Scope { left, entered }, to);
            added.push(Node { kind, span: from.span, loop_head: false, scope: next.scope });
            NodeId(count + added.len() as u32 - 1)
        })
    };
    let mut kinds: Vec<NodeKind> = Vec::with_capacity(nodes.len());
    for node in nodes {
        kinds.push(match &node.kind {
            NodeKind::Instr(i, next) => NodeKind::Instr(i.clone(), target(node, *next)),
            NodeKind::Branch(c, a, b) => NodeKind::Branch(c.clone(), target(node, *a), target(node, *b)),
            NodeKind::Switch(e, cases, default) => {
                let cases = cases.iter().map(|(low, high, to)| (*low, *high, target(node, *to))).collect();
                NodeKind::Switch(e.clone(), cases, target(node, *default))
            }
            other => other.clone(),
        });
    }
    for (node, kind) in f.nodes.iter_mut().zip(kinds) {
        node.kind = kind;
    }
    f.nodes.extend(added);
}

/// The variables of a function whose address is taken.
fn taken(f: &Function) -> FxHashSet<u32> {
    let mut out = FxHashSet::default();
    for node in &f.nodes {
        node.kind.visit(&mut |part| {
            let Part::Expr(Expr { kind: ExprKind::Address(p), .. }) = part else { return };
            let mut place = &**p;
            while let PlaceKind::Index(base, _) | PlaceKind::Field(base, _) = &place.kind {
                place = base;
            }
            if let PlaceKind::Var(VarRef::Local(v)) = place.kind {
                out.insert(v);
            }
        });
    }
    out
}
