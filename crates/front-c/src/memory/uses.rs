//! How functions use their variables: an object whose address is never taken needs no address; an array that
//! is only indexed by constants needs no array.

use crate::ir::{Expr, ExprKind, Function, Part, Place, PlaceKind, VarRef};

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
        Part::Expr(Expr { kind: ExprKind::Address(p), .. }) => match p.root() {
            Some(VarRef::Global(g)) => globals.exposed[g as usize] = true,
            Some(VarRef::Local(l)) => locals.exposed[l as usize] = true,
            None => {}
        },
        Part::Place(Place { kind: PlaceKind::Index(base, i), .. }) if i.as_const().is_none() => {
            match base.root() {
                Some(VarRef::Global(g)) => globals.varying[g as usize] = true,
                Some(VarRef::Local(l)) => locals.varying[l as usize] = true,
                None => {}
            }
        }
        _ => {}
    }
}
