//! What functions without body may change: all objects that they can access.
//!
//! A call gives every number in such an object any value ([`Encoder::havoc_escaped`]), so that a proof covers
//! whatever the function does. A violation after a read of such a value is open, since nobody knows whether
//! the function does that. Pointers, members of unions with a tag and cells that are only seen as bytes keep
//! their values: to read one of them after the call, before it is written again, is unsupported
//! (`access/unions.rs`). So is everything in a program with too many objects of this kind. With `--undefined
//! report` all memory of the environment changes as well.

use rustc_hash::FxHashSet;

use super::{Case, Spot};
use crate::encode::exec::cells_of;
use crate::encode::{Encoder, VarKey};
use crate::memory::Kind;
use crate::types::Type;

/// Variables that one call may change.
const MAX_CHANGED: usize = 300;

impl Encoder<'_> {
    /// Finds out which variables hold the numbers that functions without body can change.
    pub(in crate::encode) fn find_havocked(&mut self) {
        if self.open.is_none() {
            return;
        }
        let span = self.span;
        let mut found = Vec::new();
        let objects: Vec<_> = self.points_to.escaped().iter().copied().collect();
        for o in objects {
            if self.stale(o).is_none() {
                continue;
            }
            let object = self.memory.get(o);
            let many = matches!(object.kind, Kind::Heap { .. });
            if many || object.volatile || object.constant || object.as_bytes {
                continue;
            }
            let ty = object.ty.clone();
            let access = self.object_access(o, span);
            for leaf in self.memory.layouts.leaves(&ty).iter() {
                let is_number = matches!(leaf.ty, Type::Int(_) | Type::Ieee(_));
                if leaf.tag || !leaf.unions.is_empty() || !is_number {
                    continue;
                }
                let first = self.part(&access, leaf, leaf.offset);
                if let Some(var) = self.whole_storage(&first, leaf) {
                    found.push((var, leaf.ty.clone(), true));
                    continue;
                }
                for cell in cells_of(leaf).into_iter().flatten().take(MAX_CHANGED) {
                    let part = self.part(&access, leaf, cell);
                    for case in self.cases(&part, &leaf.ty).list {
                        if let Spot::Var(var) = case.spot {
                            found.push((var, leaf.ty.clone(), false));
                        }
                    }
                }
            }
            if found.len() > MAX_CHANGED {
                return;
            }
        }
        self.havocked = found;
        self.is_changed = self.havocked.iter().map(|h| h.0).collect::<FxHashSet<_>>();
    }

    /// A function without body is called.
    pub(in crate::encode) fn havoc_escaped(&mut self) {
        for (var, ty, is_array) in self.havocked.clone() {
            let value = if is_array {
                let sort = self.array_sort(self.sort_of(&ty));
                self.input("changed", sort)
            } else {
                self.arbitrary("changed", &ty)
            };
            self.set(var, value);
        }
        for cell in self.outside.clone() {
            let var = self.environment(cell);
            let value = self.input("changed", self.pool.sort(var).clone());
            self.set(var, value);
        }
    }

    /// Is what is read here memory of the environment, where functions without body change it?
    pub(super) fn is_changed_outside(&self, c: &Case) -> bool {
        match (&c.spot, c.object) {
            (Spot::Element(v, ..), None) => {
                self.outside.iter().any(|cell| self.vars.get(&VarKey::Environment(*cell)) == Some(v))
            }
            _ => false,
        }
    }

    /// Is what is read here given any value by functions without body?
    pub(super) fn is_havocked(&self, c: &Case) -> bool {
        match &c.spot {
            Spot::Var(v) | Spot::Element(v, ..) => c.tags.is_empty() && self.is_changed.contains(v),
            _ => false,
        }
    }
}
