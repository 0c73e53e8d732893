//! How functions use their variables, and which of their statements may be executed more than once.
//!
//! An object whose address is never taken needs no address; an array that is only indexed by constants needs
//! no array; an allocation that may be executed repeatedly stands for many blocks.

use crate::ir::{Expr, ExprKind, Function, NodeKind, Part, Place, PlaceKind, VarRef};

/// How a function uses its variables.
#[derive(Clone, Debug, Default)]
pub(super) struct Uses {
    /// The address is taken.
    pub(super) exposed: Vec<bool>,
    /// It is indexed by something that is not a constant.
    pub(super) varying: Vec<bool>,
}

pub(super) fn function_uses(f: &Function, globals: &mut Uses) -> Uses {
    let mut uses = Uses { exposed: vec![false; f.vars.len()], varying: vec![false; f.vars.len()] };
    f.nodes.iter().for_each(|node| node.kind.visit(&mut |part| note(part, globals, &mut uses)));
    uses
}

/// Notes what one part of an instruction says about variables; those inside it come separately.
pub(super) fn note(part: Part<'_>, globals: &mut Uses, locals: &mut Uses) {
    match part {
        Part::Expr(Expr { kind: ExprKind::Address(p), .. }) => match root(p) {
            Some(VarRef::Global(g)) => globals.exposed[g as usize] = true,
            Some(VarRef::Local(l)) => locals.exposed[l as usize] = true,
            None => {}
        },
        Part::Place(Place { kind: PlaceKind::Index(base, i), .. }) if i.as_const().is_none() => {
            match root(base) {
                Some(VarRef::Global(g)) => globals.varying[g as usize] = true,
                Some(VarRef::Local(l)) => locals.varying[l as usize] = true,
                None => {}
            }
        }
        _ => {}
    }
}

/// The variable a place is part of.
fn root(p: &Place) -> Option<VarRef> {
    match &p.kind {
        PlaceKind::Var(v) => Some(*v),
        PlaceKind::Deref(_) => None,
        PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => root(base),
    }
}

/// Which nodes lie on a cycle of the function's graph (Tarjan's strongly connected components, iteratively).
pub(super) fn nodes_in_cycles(f: &Function) -> Vec<bool> {
    let n = f.nodes.len();
    let successors = |v: usize| -> Vec<usize> {
        let all: Vec<_> = match &f.nodes[v].kind {
            NodeKind::Instr(_, next) => vec![*next],
            NodeKind::Branch(_, a, b) => vec![*a, *b],
            NodeKind::Switch(_, cases, default) => cases.iter().map(|c| c.2).chain([*default]).collect(),
            _ => Vec::new(),
        };
        all.into_iter().map(|x| x.0 as usize).filter(|&x| x < n).collect()
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
