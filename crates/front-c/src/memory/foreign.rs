//! Memory of the environment that the program sees as more than one type.
//!
//! Memory that functions without body return is separate for each type of scalars: an `int` that was written
//! there is not seen through a pointer to `char`. Where pointers to such memory change from one view to
//! another one, all memory of the environment is *mixed*: a read gives any value, a write is forgotten, and a
//! violation that follows from a read is open. So nothing rests on what is stored there. Addresses there
//! count cells, whatever the type, so comparisons of such pointers have any result as well.
//!
//! The view changes in casts (`(struct urb *)external_alloc()`, the bytes of a packet), in casts of pointers
//! to such pointers (`(char **)p` of an `int **`), and where one variable or the members of one union hold
//! pointers of several types.
//!
//! A pointer that is read from mixed memory may be one that was written as a number: then the points-to
//! analysis takes every pointer that becomes a number to be stored there.
//!
//! Limits: two structs are taken to be two objects, as C demands.
//!
//! Entry points: [`mix`], and [`cells`] for what functions without body may change there.

use rustc_hash::FxHashMap;

use crate::inline::{InstanceId, Instances};
use crate::ir::{ExprKind, Part, Place, Unit};
use crate::memory::{Cell, Memory, ObjectId};
use crate::points_to::{PointsTo, Seen, Target, TargetSet};
use crate::types::{RecordId, Type};

/// What a pointer to memory of the environment sees there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum View {
    Scalar(Cell),
    Record(RecordId),
}

impl View {
    /// What a pointer of a type points to; `None` for `void` and functions.
    fn of(pointer: &Type) -> Option<View> {
        match inside(pointer.pointee()?) {
            Type::Record(r) => Some(View::Record(*r)),
            ty => Cell::of(ty).map(View::Scalar),
        }
    }

    /// Are values that are written as one not seen as the other?
    fn clashes(self, other: View) -> bool {
        self != other && !matches!((self, other), (View::Record(_), View::Record(_)))
    }
}

/// The elements of an array.
fn inside(mut ty: &Type) -> &Type {
    while let Type::Array(element, _) = ty {
        ty = element;
    }
    ty
}

struct Search<'a, 'u> {
    instances: &'a Instances,
    memory: &'a Memory<'u>,
    points_to: &'a PointsTo,
    outside: FxHashMap<TargetSet, bool>,
    /// The views of what is seen through `void *` as well: it may all be the same memory.
    through_void: Vec<View>,
    /// As what the pointers in a part of an object are used.
    held: FxHashMap<(ObjectId, u32), Option<View>>,
    /// Sets of places whose pointers were looked at.
    seen: Seen<Option<View>>,
    mixed: bool,
}

/// Finds out whether memory of the environment is mixed. Returns whether that is new.
pub fn mix(unit: &Unit, instances: &Instances, memory: &mut Memory<'_>, points_to: &PointsTo) -> bool {
    if memory.mixed {
        return false;
    }
    let (outside, through_void, held, seen) = Default::default();
    let mut search = Search { instances, memory, points_to, outside, through_void, held, seen, mixed: false };
    crate::numbers::visit(unit, instances, &mut |part, i| search.note(part, i));
    let through_void = &search.through_void;
    let clash = through_void.iter().any(|v| through_void.iter().any(|other| other.clashes(*v)));
    memory.mixed = search.mixed || clash;
    memory.mixed
}

/// The scalars that the program has in memory of the environment.
pub fn cells(unit: &Unit, instances: &Instances, memory: &Memory<'_>, points_to: &PointsTo) -> Vec<Cell> {
    let mut found: Vec<Cell> = Vec::new();
    let mut outside: FxHashMap<TargetSet, bool> = FxHashMap::default();
    crate::numbers::visit(unit, instances, &mut |part, i| {
        let Part::Place(p) = part else { return };
        if p.root().is_some() {
            return;
        }
        let places = points_to.place_set(p, i, instances, memory);
        let is_outside = outside.entry(places).or_insert_with(|| {
            points_to.members_of(places).iter().any(|t| matches!(t, Target::Unknown | Target::Foreign))
        });
        if *is_outside {
            let leaves = memory.layouts.leaves(&p.ty);
            let new: Vec<Cell> = leaves.iter().filter_map(|l| Cell::of(&l.ty)).collect();
            new.into_iter().for_each(|c| found.extend((!found.contains(&c)).then_some(c)));
        }
    });
    found
}

impl Search<'_, '_> {
    fn note(&mut self, part: Part<'_>, i: InstanceId) {
        match part {
            _ if self.mixed => {}
            Part::Place(p) => self.pointer_in(p, i),
            Part::Expr(e) => {
                let ExprKind::Cast(inner) = &e.kind else { return };
                let (Some(from), Some(to)) = (inner.ty.pointee(), e.ty.pointee()) else { return };
                let places = self.points_to.target_set(inner, i, self.instances, self.memory);
                if self.is_outside(places) {
                    self.both(View::of(&inner.ty), View::of(&e.ty));
                }
                // What is behind pointers there.
                let (from, to) = (inside(from), inside(to));
                if from != to && from.pointee().is_some() && to.pointee().is_some() {
                    let held = self.points_to.stored_in(places, self.memory);
                    if self.is_outside(held) {
                        self.both(View::of(from), View::of(to));
                        // Further levels are not followed.
                        let deeper = |t: &Type| t.pointee().is_some_and(|t| inside(t).pointee().is_some());
                        self.mixed |= deeper(from) || deeper(to);
                    }
                }
            }
        }
    }

    /// The same memory is seen as two views.
    fn both(&mut self, a: Option<View>, b: Option<View>) {
        match (a, b) {
            (Some(a), Some(b)) => self.mixed |= a.clashes(b),
            (Some(view), None) | (None, Some(view)) if !self.through_void.contains(&view) => {
                self.through_void.push(view);
            }
            _ => {}
        }
    }

    /// A pointer that is read or written somewhere.
    fn pointer_in(&mut self, p: &Place, i: InstanceId) {
        if p.ty.pointee().is_none_or(|t| matches!(t, Type::Function(_))) {
            return;
        }
        let view = View::of(&p.ty);
        let places = self.points_to.place_set(p, i, self.instances, self.memory);
        if !self.seen.is_new(places, view) {
            return;
        }
        let held = self.points_to.stored_in(places, self.memory);
        if !self.is_outside(held) {
            return;
        }
        for t in self.points_to.members_of(places).iter() {
            let Target::Object(o, slot) = *t else { continue };
            // The members of a union are one part.
            let part = (o, self.memory.layouts.joined(&self.memory.get(o).ty, slot));
            match self.held.get(&part).copied() {
                Some(other) if other != view => self.both(other, view),
                Some(_) => {}
                None => _ = self.held.insert(part, view),
            }
        }
    }

    fn is_outside(&mut self, set: TargetSet) -> bool {
        let foreign = |t: &Target| matches!(t, Target::Unknown | Target::Foreign);
        *self.outside.entry(set).or_insert_with(|| self.points_to.members_of(set).iter().any(foreign))
    }
}
