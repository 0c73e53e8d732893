//! Memory of the environment that the program sees as more than one type.
//!
//! Memory that functions without body return is separate for each type of scalars: an `int` that was written
//! there is not seen through a pointer to `char`. Where pointers to such memory are cast from one view to
//! another one (`(struct urb *)external_alloc()`, the bytes of a packet), the scalars of both views are
//! *mixed*: a read gives any value, a write is forgotten, and a violation that follows from a read is open.
//! So nothing rests on what is stored there. Addresses there count cells, whatever the type, so comparisons
//! of such pointers have any result as well.
//!
//! A pointer that is read from mixed memory may be one that was written as a number: then the points-to
//! analysis takes every pointer that becomes a number to be stored there.
//!
//! Limits: two structs are taken to be two objects, as C demands.
//!
//! Entry point: [`mix`].

use rustc_hash::{FxHashMap, FxHashSet};

use crate::inline::Instances;
use crate::ir::{Expr, ExprKind, Part, Unit};
use crate::memory::{Cell, Memory};
use crate::points_to::{PointsTo, Target, TargetSet};
use crate::types::{RecordId, Type};

/// What a pointer to memory of the environment sees there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum View {
    Scalar(Cell),
    Record(RecordId),
}

impl View {
    /// What the value of a pointer expression points to; `None` for `void` and functions.
    fn of(pointer: &Expr) -> Option<View> {
        let mut ty = pointer.ty.pointee()?;
        while let Type::Array(element, _) = ty {
            ty = element;
        }
        match ty {
            Type::Record(r) => Some(View::Record(*r)),
            _ => Cell::of(ty).map(View::Scalar),
        }
    }

    /// Are values that are written as one not seen as the other?
    fn clashes(self, other: View) -> bool {
        self != other && !matches!((self, other), (View::Record(_), View::Record(_)))
    }
}

/// Finds the scalars that are mixed. Returns whether there are more than before.
pub fn mix(unit: &Unit, instances: &Instances, memory: &mut Memory<'_>, points_to: &PointsTo) -> bool {
    let mut outside: FxHashMap<TargetSet, bool> = FxHashMap::default();
    // The views that become others directly, and those that become `void *` or come from there: what is seen
    // through `void *` may all be the same memory.
    let (mut mixed, mut through_void): (Vec<View>, Vec<View>) = (Vec::new(), Vec::new());
    crate::numbers::visit(unit, instances, &mut |part, i| {
        let Part::Expr(e) = part else { return };
        let ExprKind::Cast(inner) = &e.kind else { return };
        let (from, to) = (View::of(inner), View::of(e));
        let known = |views: &[View], v: &Option<View>| v.is_none_or(|v| views.contains(&v));
        let news = match (from, to) {
            (Some(a), Some(b)) => a.clashes(b) && !(known(&mixed, &from) && known(&mixed, &to)),
            _ => e.ty.pointee().is_some() && !(known(&through_void, &from) && known(&through_void, &to)),
        };
        if !news {
            return;
        }
        let set = points_to.target_set(inner, i, instances, memory);
        let foreign = |t: &Target| matches!(t, Target::Unknown | Target::Foreign);
        if *outside.entry(set).or_insert_with(|| points_to.members_of(set).iter().any(foreign)) {
            match (from, to) {
                (Some(a), Some(b)) => mixed.extend([a, b]),
                _ => through_void.extend(from.or(to)),
            }
        }
    });
    let clashes = |v: &&View| through_void.iter().any(|other| other.clashes(**v));
    mixed.extend(through_void.iter().filter(clashes));
    let mut cells: FxHashSet<Cell> = FxHashSet::default();
    for view in mixed {
        match view {
            View::Scalar(cell) => _ = cells.insert(cell),
            View::Record(r) => {
                let leaves = memory.layouts.leaves(&Type::Record(r));
                cells.extend(leaves.iter().filter_map(|l| Cell::of(&l.ty)));
            }
        }
    }
    let before = memory.mixed.len();
    memory.mixed.extend(cells);
    memory.mixed.len() > before
}
