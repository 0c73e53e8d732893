//! Which objects the program sees through pointers of other types.
//!
//! Such an object has the leaves of its declared type, like all others, and accesses by its name are those of
//! its declared type. Pointers see it as bytes: addresses in it count bytes, an access finds the leaves that
//! have these bytes (`encode/access/bytes.rs`), and the points-to analysis does not tell its parts apart.
//!
//! An object is chosen if a pointer to it is used
//! - for an access, or for arithmetic, as a type that is not at this place of the object. If the pointer may
//!   also point to objects that fit, only an access as `char` counts: otherwise the points-to analysis is
//!   more likely imprecise than the program plays with types;
//! - after a cast from a struct to a scalar type, or to `void` if a pointer to where the struct begins moves
//!   as one to a scalar: `&s` and the address of its first member are the same;
//! - as an integer, in programs where integers become pointers again (`crate::numbers`), if it has several
//!   members.
//!
//! Nothing depends on a choice that is too small: the encoder refuses each access that does not fit, and, in
//! objects that were found here and cannot be had as bytes, pointers that leave a member. A choice changes
//! what pointers may point to, so the caller repeats both until nothing is added.
//!
//! A block of structs whose size is not written as a number of structs (`malloc(sizeof *p + n)`) becomes one
//! struct with bytes behind it. A block of constant size that has no type for all its elements
//! (`malloc(sizeof(int) + 3)`) becomes an array of bytes.
//!
//! An object that both sides of an order of evaluation may access, where that order was chosen because their
//! types differ (`crate::order`), is never seen as bytes.
//!
//! Limits: objects without unions and `volatile`, with at most 256 bytes (an array counts as one element).
//! Not in the mathematical mode, whose integers have no bytes.
//!
//! Entry point: [`choose`].

use std::collections::BTreeSet;

use crate::inline::{InstanceId, Instances};
use crate::ir::{Expr, ExprKind, Part, Place, PlaceKind, Unit};
use crate::memory::{Kind, Memory, Motion, ObjectId};
use crate::numbers::{is_permanent, unit_of};
use crate::options::{COptions, IntMode};
use crate::points_to::{PointsTo, Seen, Target};
use crate::types::{Len, Type};

/// The most bytes of an object, with every array counted as one element.
const MAX_POSITIONS: i128 = 256;

/// The largest block, in bytes, that becomes an array of bytes.
const LARGEST_BLOCK: u64 = 4096;

struct Search<'a, 'u> {
    instances: &'a Instances,
    memory: &'a Memory<'u>,
    points_to: &'a PointsTo,
    unit: &'a Unit,
    found: Vec<ObjectId>,
    /// Where pointers to structs point that become pointers to `void`.
    whole: BTreeSet<(ObjectId, u32)>,
    /// From where pointers to scalars move that may come to the end of a member.
    leaving: BTreeSet<(ObjectId, u32)>,
    /// The types as which sets of targets were used, and moved (`true`).
    seen: Seen<(&'a Type, bool)>,
}

/// Chooses objects, and marks them. Returns whether that changed something.
pub fn choose(
    unit: &Unit,
    instances: &Instances,
    memory: &mut Memory<'_>,
    points_to: &PointsTo,
    options: &COptions,
) -> bool {
    let (found, whole, leaving) = (Vec::new(), BTreeSet::new(), BTreeSet::new());
    let seen = Seen::default();
    let mut search = Search { instances, memory, points_to, unit, found, whole, leaving, seen };
    let ordered = search.ordered_by_type().filter(|_| options.int_mode != IntMode::Math);
    for (n, instance) in instances.all.iter().enumerate() {
        let f = unit.function(instance.function);
        let reachable = &instances.reachable[instance.function.0 as usize];
        for (node, _) in f.nodes.iter().zip(reachable).filter(|(_, r)| **r) {
            node.kind.visit(&mut |part| search.note(part, InstanceId(n as u32)));
        }
    }
    for (_, value) in unit.globals.iter().flat_map(|g| &g.init) {
        Part::Expr(value).visit(&mut |part| search.note(part, InstanceId(0)));
    }
    let (mut found, leaving) = (search.found, search.leaving);
    found.extend(leaving.intersection(&search.whole).map(|t| t.0));
    found.sort_unstable();
    found.dedup();
    let changed = ordered.is_some_and(|ordered| mark(unit, memory, ordered, &found));
    for o in found {
        let object = &mut memory.objects[o.0 as usize];
        object.seen_as_bytes = !object.as_bytes && !object.untyped;
    }
    leaving.into_iter().for_each(|(o, _)| memory.objects[o.0 as usize].left = true);
    changed
}

/// Marks objects that can be seen as bytes, and those that must not be. Returns whether that changed
/// something.
fn mark(unit: &Unit, memory: &mut Memory<'_>, ordered: BTreeSet<ObjectId>, found: &[ObjectId]) -> bool {
    let mut changed = false;
    for o in ordered {
        let object = &mut memory.objects[o.0 as usize];
        changed |= object.as_bytes || object.untyped;
        (object.as_bytes, object.untyped, object.only_cells) = (false, false, true);
    }
    for &o in found {
        changed |= give_tail(unit, memory, o);
        let new = !memory.get(o).as_bytes && !memory.get(o).only_cells && is_possible(memory, o);
        memory.objects[o.0 as usize].as_bytes |= new;
        let untyped = !memory.get(o).as_bytes && !memory.get(o).untyped && is_block_of_bytes(memory, o);
        memory.objects[o.0 as usize].untyped |= untyped;
        changed |= new || untyped;
    }
    // The type of a block may be another one now.
    for o in (0..memory.objects.len() as u32).map(ObjectId) {
        if memory.get(o).as_bytes && give_tail(unit, memory, o) {
            changed = true;
        } else if memory.get(o).as_bytes && !is_possible(memory, o) {
            let object = &mut memory.objects[o.0 as usize];
            (object.as_bytes, object.only_cells) = (false, true);
            changed = true;
        }
    }
    changed
}

/// Makes a block one struct with bytes behind it, where its size does not say that it has whole structs.
fn give_tail(unit: &Unit, memory: &mut Memory<'_>, o: ObjectId) -> bool {
    let object = memory.get(o);
    let heap = matches!(object.kind, Kind::Heap { .. });
    let element = match &object.ty {
        Type::Array(element, _) => &**element,
        ty => ty,
    };
    let Some(r) = unit.records.tailed(element).filter(|_| heap) else { return false };
    let free = !(object.whole || object.tail || object.untyped || object.only_cells);
    let unions = memory.layouts.leaves(&Type::Record(r)).iter().any(|l| l.tag);
    if !free || unions || !is_plain(memory, &Type::Record(r), false) {
        return false;
    }
    let object = &mut memory.objects[o.0 as usize];
    object.ty = match object.kind {
        Kind::Heap { many: true, .. } => Type::Array(Type::Record(r).into(), Len::Unknown),
        _ => Type::Record(r),
    };
    (object.tail, object.as_bytes) = (true, true);
    true
}

/// Can the object be seen as bytes?
fn is_possible(memory: &Memory<'_>, o: ObjectId) -> bool {
    let object = memory.get(o);
    let heap = matches!(object.kind, Kind::Heap { .. });
    let element = match &object.ty {
        Type::Array(element, Len::Unknown) if heap => element,
        ty => ty,
    };
    let Some(size) = memory.layouts.size(element).filter(|n| *n > 0) else { return false };
    // A block of unknown size is checked when it is allocated.
    let whole = object.tail || object.bytes.is_none_or(|n| i128::from(n) % size == 0);
    let known = !object.volatile && object.exposed && object.ty != Type::Void;
    if !(whole && known) {
        return false;
    }
    is_plain(memory, &object.ty, !std::ptr::eq(element, &object.ty))
}

/// Does a type consist of scalars that have bytes? `blocks`: it is an array of blocks.
fn is_plain(memory: &Memory<'_>, ty: &Type, blocks: bool) -> bool {
    let Some(leaves) = memory.layouts.byte_leaves(ty) else { return false };
    let plain = leaves.iter().all(|l| {
        let mut inner = l.dims.iter();
        if blocks {
            inner.next();
        }
        let flat = inner.all(|d| d.bytes > 0 && matches!(d.len, Len::Fixed(_)));
        flat && !l.volatile && l.width > 0
    });
    let positions: i128 = leaves.iter().map(|l| i128::from(l.width.div_ceil(8))).sum();
    plain && positions <= MAX_POSITIONS
}

/// Can an allocated block be an array of bytes?
fn is_block_of_bytes(memory: &Memory<'_>, o: ObjectId) -> bool {
    let object = memory.get(o);
    let one = matches!(object.kind, Kind::Heap { many: false, .. });
    one && !object.only_cells && object.bytes.is_some_and(|n| 0 < n && n <= LARGEST_BLOCK)
}

impl<'a> Search<'a, '_> {
    /// The objects that both sides of an order may access that was chosen because of types. `None` if they
    /// may be any.
    fn ordered_by_type(&self) -> Option<BTreeSet<ObjectId>> {
        let mut out = BTreeSet::new();
        for (n, instance) in self.instances.all.iter().enumerate() {
            for order in &self.unit.function(instance.function).ordered_by_type {
                let right = self.accessed(order.right.as_ref()?, InstanceId(n as u32))?;
                let left = self.accessed(order.left.as_ref()?, InstanceId(n as u32))?;
                out.extend(left.intersection(&right));
            }
        }
        Some(out)
    }

    /// The objects that these places may be in. `None` if they may be any.
    fn accessed(&self, places: &[Place], i: InstanceId) -> Option<BTreeSet<ObjectId>> {
        let mut out = BTreeSet::new();
        for place in places {
            match &place.kind {
                PlaceKind::Var(v) => _ = out.insert(self.memory.object_of(*v, self.instances, i)),
                PlaceKind::Deref(e) => {
                    for t in self.points_to.targets(e, i, self.instances, self.memory) {
                        match t {
                            Target::Object(o, _) => _ = out.insert(o),
                            Target::Foreign => return None,
                            Target::Function(_) | Target::Unknown | Target::Fixed => {}
                        }
                    }
                }
                _ => {}
            }
        }
        Some(out)
    }

    fn note(&mut self, part: Part<'a>, i: InstanceId) {
        match part {
            Part::Place(Place { kind: PlaceKind::Deref(e), .. }) => self.used(e, e, i),
            Part::Expr(e) => match &e.kind {
                ExprKind::PtrAdd(base, by, _) if by.as_const() != Some(0) => self.moved(base, e, i),
                ExprKind::PtrSub(a, b) => {
                    self.moved(a, a, i);
                    self.moved(b, b, i);
                }
                ExprKind::Cast(from) => self.cast(from, e, i),
                _ => {}
            },
            Part::Place(_) => {}
        }
    }

    fn targets(&self, e: &Expr, i: InstanceId) -> Vec<(ObjectId, u32)> {
        let all = self.points_to.targets(e, i, self.instances, self.memory);
        let objects = all.into_iter().filter_map(|t| match t {
            Target::Object(o, s) => Some((o, s)),
            _ => None,
        });
        objects.filter(|(o, _)| self.memory.get(*o).ty != Type::Void).collect()
    }

    /// Is it new that a pointer to these targets is used, or moved, as one to this type?
    fn is_new(&mut self, e: &Expr, pointee: &'a Type, i: InstanceId, moved: bool) -> bool {
        let set = self.points_to.target_set(e, i, self.instances, self.memory);
        self.seen.is_new(set, (pointee, moved))
    }

    /// The pointer `e` is used as one of the type of `typed`.
    fn used(&mut self, e: &Expr, typed: &'a Expr, i: InstanceId) {
        let Some(pointee) = typed.ty.pointee().filter(|t| !matches!(t, Type::Void | Type::Function(_)))
        else {
            return;
        };
        if !self.is_new(e, pointee, i, false) {
            return;
        }
        let all = self.targets(e, i);
        let strange = |&(o, slot): &(ObjectId, u32)| {
            let object = self.memory.get(o);
            !object.as_bytes && !self.memory.layouts.steps(&object.ty, slot, pointee)
        };
        self.add(&all, pointee, &strange);
    }

    /// The pointer `e` moves by elements of the type of `typed`.
    fn moved(&mut self, e: &Expr, typed: &'a Expr, i: InstanceId) {
        self.used(e, typed, i);
        let Some(pointee) = typed.ty.pointee().filter(|t| self.is_new(e, t, i, true)) else { return };
        let all = self.targets(e, i);
        let lost = |&(o, slot): &(ObjectId, u32)| {
            let object = self.memory.get(o);
            let motion = self.memory.layouts.motion(&object.ty, slot, pointee);
            !object.as_bytes && matches!(motion, Motion::Unknown)
        };
        self.add(&all, pointee, &lost);
        // From one member it may come to the next one, and from the front of a block to its bytes.
        let strays = |&(o, slot): &(ObjectId, u32)| {
            let object = self.memory.get(o);
            let odd = slot == 0 && !object.whole && matches!(object.kind, Kind::Heap { .. });
            let leaves = match self.memory.layouts.motion(&object.ty, slot, pointee) {
                Motion::Inside(room) => odd || room.cells == 1,
                Motion::Whole | Motion::Unknown => false,
            };
            !object.as_bytes && (leaves || self.memory.layouts.strays(&object.ty, slot, pointee))
        };
        let byte = matches!(pointee, Type::Int(t) if t.bits == 8);
        let found: Vec<ObjectId> = all.iter().filter(|t| byte && strays(t)).map(|t| t.0).collect();
        let leaves = |&(o, slot): &(ObjectId, u32)| {
            let object = self.memory.get(o);
            let inside = matches!(self.memory.layouts.motion(&object.ty, slot, pointee), Motion::Inside(_));
            !object.as_bytes && (inside || self.memory.layouts.strays(&object.ty, slot, pointee))
        };
        let leaving: Vec<(ObjectId, u32)> =
            all.iter().copied().filter(|t| pointee.is_scalar() && leaves(t)).collect();
        self.found.extend(found);
        self.leaving.extend(leaving);
    }

    /// A pointer to a struct becomes one to a scalar: the program means its bytes. One that becomes a number
    /// counts bytes.
    fn cast(&mut self, from: &Expr, to: &Expr, i: InstanceId) {
        if self.points_to.follows_integers() && to.ty.as_int().is_some() && from.ty.pointee().is_some() {
            let all = self.targets(from, i).into_iter().map(|t| t.0);
            let (unit, instances, memory) = (self.unit, self.instances, self.memory);
            let odd =
                |o: &ObjectId| is_permanent(unit, instances, memory, *o) && unit_of(memory, *o).is_none();
            let odd: Vec<ObjectId> = all.filter(odd).collect();
            self.found.extend(odd);
        }
        let mut from = from;
        while let ExprKind::Cast(inner) = &from.kind
            && from.ty.pointee() == Some(&Type::Void)
        {
            from = inner;
        }
        let (Some(Type::Record(r)), Some(part)) = (from.ty.pointee(), to.ty.pointee()) else { return };
        if *part == Type::Void {
            let all = self.targets(from, i);
            self.whole.extend(all);
        }
        let size = |ty: &Type| self.memory.layouts.size(ty);
        if part.is_scalar() && size(part) < size(&Type::Record(*r)) {
            let all = self.targets(from, i);
            self.found.extend(all.into_iter().map(|t| t.0));
        }
    }

    fn add(&mut self, all: &[(ObjectId, u32)], pointee: &Type, strange: &dyn Fn(&(ObjectId, u32)) -> bool) {
        let byte = matches!(pointee, Type::Int(t) if t.bits == 8);
        let bytes = |t: &(ObjectId, u32)| self.memory.get(t.0).as_bytes;
        if byte || all.iter().all(|t| bytes(t) || strange(t)) {
            let new: Vec<ObjectId> = all.iter().filter(|t| strange(t)).map(|t| t.0).collect();
            self.found.extend(new);
        }
    }
}
