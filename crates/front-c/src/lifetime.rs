//! Where variables of blocks begin and end to exist (C11 6.2.4p6).
//!
//! Every node of a function knows the block that it is in. Where an edge of the graph leaves blocks or enters
//! them, an [`Instr::Scope`] is put on it that names their variables, as far as pointers to them can be left
//! over. That a function ends is not said here: its [`NodeKind::Exit`] is enough.
//!
//! A variable whose declaration a jump can pass over is indeterminate where its block is entered: it must not
//! have the value that it had when the block, or the function, was executed before.
//!
//! Entry point: [`insert`]. It runs after the orders of evaluation are resolved, which knows nodes by number.

use rustc_hash::{FxHashMap, FxHashSet};

use crate::ir::{
    Expr, ExprKind, Function, Instr, Node, NodeId, NodeKind, Part, Place, PlaceKind, Unit, VarRef,
};
use crate::types::Type;

/// Marks the beginnings and ends in all functions.
pub(crate) fn insert(unit: &mut Unit) {
    for f in &mut unit.functions {
        forget(f);
        insert_in(f);
    }
}

/// Gives variables any value where their block is entered, if they may be used before something is stored in
/// all of them.
fn forget(f: &mut Function) {
    let mut uses: FxHashMap<u32, Vec<u32>> = FxHashMap::default();
    let mut before: Vec<Vec<u32>> = vec![Vec::new(); f.nodes.len()];
    for (n, node) in f.nodes.iter().enumerate() {
        for next in node.kind.successors() {
            if let Some(before) = before.get_mut(next.0 as usize) {
                before.push(n as u32);
            }
        }
        let stored = stored_whole(&node.kind);
        let mut used = Vec::new();
        node.kind.visit(&mut |part| {
            if let Part::Place(Place { kind: PlaceKind::Var(VarRef::Local(v)), .. }) = part {
                used.push(*v);
            }
        });
        // What is stored is mentioned once.
        if let Some(at) = stored.and_then(|v| used.iter().position(|u| *u == v)) {
            used.swap_remove(at);
        }
        used.sort_unstable();
        used.dedup();
        used.into_iter().for_each(|v| uses.entry(v).or_default().push(n as u32));
    }
    let mut entered: FxHashMap<(Option<u32>, NodeId), Vec<u32>> = FxHashMap::default();
    let mut uses: Vec<(u32, Vec<u32>)> = uses.into_iter().collect();
    uses.sort_unstable();
    for (v, mut work) in uses {
        let var = &f.vars[v as usize];
        let declared = !var.temporary && !f.params.contains(&v) && f.result != Some(v);
        if !declared || var.ty.is_variable() || matches!(var.ty, Type::Float(_)) {
            continue;
        }
        let mut seen: FxHashSet<u32> = work.iter().copied().collect();
        while let Some(n) = work.pop() {
            let to = NodeId(n);
            if to == f.entry {
                entered.entry((None, to)).or_default().push(v);
            }
            for &p in &before[n as usize] {
                let from = f.node(NodeId(p));
                if stored_whole(&from.kind) == Some(v) {
                    continue;
                }
                let (here, there) = (from.scope, f.node(to).scope);
                if f.is_around(var.scope, there) && !f.is_around(var.scope, here) {
                    entered.entry((Some(p), to)).or_default().push(v);
                } else if seen.insert(p) {
                    work.push(p);
                }
            }
        }
    }
    let mut edges: Vec<_> = entered.into_iter().collect();
    edges.sort_unstable_by_key(|e| (e.0.0, e.0.1.0));
    for ((from, to), vars) in edges {
        let mut next = to;
        let (span, scope) = (f.node(to).span, f.node(to).scope);
        for v in vars {
            let place = Place::var(VarRef::Local(v), f.vars[v as usize].ty.clone(), span);
            let kind = NodeKind::Instr(Instr::Havoc(place), next);
            next = NodeId(f.nodes.len() as u32);
            f.nodes.push(Node { kind, span, loop_head: false, scope });
        }
        match from {
            None => f.entry = next,
            Some(p) => f.nodes[p as usize].kind.redirect(to, next),
        }
    }
}

/// The local variable that a node stores all of.
fn stored_whole(kind: &NodeKind) -> Option<u32> {
    let NodeKind::Instr(instr, _) = kind else { return None };
    let place = match instr {
        Instr::Assign(p, _) | Instr::Zero(p, _) | Instr::Havoc(p) => p,
        Instr::Nondet(Some(p), _) | Instr::Call { dest: Some(p), .. } => p,
        Instr::Alloc { dest, .. } => dest,
        _ => return None,
    };
    match place.kind {
        PlaceKind::Var(VarRef::Local(v)) => Some(v),
        _ => None,
    }
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
