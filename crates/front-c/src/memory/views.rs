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
//! struct with bytes behind it. So do blocks with an array of unknown length at the end, where one allocation
//! makes many. A block of constant size that has no type for all its elements
//! (`malloc(sizeof(int) + 3)`) becomes an array of bytes.
//!
//! An array of numbers, or a block, from which the program gives out memory (a *pool*, an arena) may have to
//! hold pointers: if a struct with pointers, or with padding, is used there, and the pointer to it leads
//! nowhere else.
//! Each of its bytes is then a number, or a byte of a pointer (`Records::add_pools`): what is stored as a
//! pointer can be read as that pointer, at the same place, until one of its bytes is overwritten.
//!
//! An object that both sides of an order of evaluation may access, where that order was chosen because their
//! types differ (`crate::order`), is never seen as bytes.
//!
//! Limits: objects without unions and `volatile`, with at most 256 bytes (an array counts as one element).
//! Not in the mathematical mode, whose integers have no bytes.
//!
//! Entry point: [`choose`].

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::inline::{InstanceId, Instances};
use crate::ir::{Expr, ExprKind, Part, Place, PlaceKind, Unit};
use crate::memory::{Kind, Memory, Motion, ObjectId};
use crate::numbers::{is_permanent, unit_of};
use crate::options::{COptions, IntMode};
use crate::points_to::{PointsTo, Seen, Target};
use crate::types::{DataModel, IntType, Len, Type};

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
    /// Where pointers are read or written, or structs that have pointers, and there are none.
    holders: BTreeSet<ObjectId>,
    /// The types with pointers as which objects are used.
    structs: FxHashMap<ObjectId, Vec<&'a Type>>,
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
    let (holders, structs, seen) = (BTreeSet::new(), FxHashMap::default(), Seen::default());
    let mut search =
        Search { instances, memory, points_to, unit, found, whole, leaving, holders, structs, seen };
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
    let holders = search.holders;
    let changed = ordered
        .is_some_and(|ordered| mark(unit, instances, memory, ordered, &found, (holders, options.data_model)));
    for o in found {
        let object = &mut memory.objects[o.0 as usize];
        object.seen_as_bytes = !object.as_bytes && !object.untyped;
    }
    leaving.into_iter().for_each(|(o, _)| memory.objects[o.0 as usize].left = true);
    changed
}

/// Marks objects that can be seen as bytes, and those that must not be. Returns whether that changed
/// something.
fn mark(
    unit: &Unit,
    instances: &Instances,
    memory: &mut Memory<'_>,
    ordered: BTreeSet<ObjectId>,
    found: &[ObjectId],
    (holders, model): (BTreeSet<ObjectId>, DataModel),
) -> bool {
    let mut changed = false;
    for o in ordered {
        let declared = memory.variable(o, instances).map(|var| var.ty.clone());
        let object = &mut memory.objects[o.0 as usize];
        changed |= object.as_bytes || object.untyped;
        (object.as_bytes, object.untyped, object.only_cells) = (false, false, true);
        if std::mem::replace(&mut object.pool, false)
            && let Some(ty) = declared
        {
            object.ty = ty;
        }
    }
    for o in holders {
        changed |= make_pool(unit, memory, o, model);
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
        let object = memory.get(o);
        let flexible = |ty: &Type| memory.layouts.flexible(ty).is_some();
        let ends_open = matches!(&object.ty, Type::Array(element, Len::Unknown) if flexible(element));
        if (object.as_bytes || ends_open) && give_tail(unit, memory, o) {
            changed = true;
        } else if memory.get(o).as_bytes && !is_possible(memory, o) {
            let object = &mut memory.objects[o.0 as usize];
            (object.as_bytes, object.only_cells) = (false, true);
            changed = true;
        }
    }
    changed
}

/// Lets arrays of numbers in an object, and its unions, hold pointers, as bytes. Returns whether that is new.
fn make_pool(unit: &Unit, memory: &mut Memory<'_>, o: ObjectId, model: DataModel) -> bool {
    let object = memory.get(o);
    let own = match object.kind {
        Kind::Global(outside) => !outside,
        Kind::Local(_) => true,
        Kind::Heap { many, .. } => !many && !object.tail && object.bytes.is_some(),
    };
    let free = !(object.pool || object.volatile || object.constant || object.only_cells);
    let (mut ty, mut untyped) = (unit.records.pooled(&object.ty, model), object.untyped);
    if ty.is_none() && is_block_of_bytes(memory, o) {
        let size = object.bytes.expect("it is known of a block of bytes");
        let bytes = Type::Array(Type::Int(IntType::new(8, false)).into(), Len::Fixed(size));
        (ty, untyped) = (unit.records.pooled(&bytes, model), true);
    }
    // Pointers go where other members are.
    let declared = matches!(object.kind, Kind::Global(_) | Kind::Local(_));
    if ty.is_none() && declared && !unit.records.holds_volatile(&object.ty) {
        let size = memory.layouts.size(&object.ty).and_then(|n| u64::try_from(n).ok());
        ty = size.filter(|n| *n <= LARGEST_BLOCK).and_then(|n| unit.records.pool_of(n));
    }
    let Some(ty) = ty.filter(|ty| own && free && object.exposed && is_plain(memory, ty, false)) else {
        return false;
    };
    let object = &mut memory.objects[o.0 as usize];
    (object.ty, object.untyped, object.as_bytes, object.pool) = (ty, untyped, true, true);
    true
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
    let whole = object.whole && memory.layouts.flexible(element).is_none();
    let free = !(whole || object.tail || object.untyped || object.only_cells);
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
        let layouts = &self.memory.layouts;
        let padded = matches!(pointee, Type::Record(_)) && layouts.is_padded(pointee);
        if padded || !layouts.pointer_slots(pointee).is_empty() {
            let mut lost = !all.is_empty();
            for &(o, slot) in &all {
                lost &= !self.fits(o, slot, pointee) | self.is_another(o, pointee);
            }
            self.holders.extend(all.iter().filter(|_| lost).map(|t| t.0));
        }
        let strange = |&(o, slot): &(ObjectId, u32)| {
            let object = self.memory.get(o);
            !object.as_bytes && !self.memory.layouts.steps(&object.ty, slot, pointee)
        };
        self.add(&all, pointee, &strange);
    }

    /// May there be something of this type at a slot of an object? Objects that are seen as bytes have one.
    fn fits(&self, o: ObjectId, slot: u32, pointee: &Type) -> bool {
        let (object, layouts) = (self.memory.get(o), &self.memory.layouts);
        match object.as_bytes {
            true => (0..layouts.slots(&object.ty)).any(|slot| layouts.steps(&object.ty, slot, pointee)),
            false => layouts.steps(&object.ty, slot, pointee),
        }
    }

    /// Is an allocated block used as structs of types that have nothing to do with each other?
    fn is_another(&mut self, o: ObjectId, pointee: &'a Type) -> bool {
        if !matches!(self.memory.get(o).kind, Kind::Heap { .. }) {
            return false;
        }
        let layouts = &self.memory.layouts;
        let part = |of: &Type, ty: &Type| (0..layouts.slots(of)).any(|slot| layouts.steps(of, slot, ty));
        let known = self.structs.entry(o).or_default();
        // Each type is compared with the others once.
        if known.contains(&pointee) {
            return false;
        }
        let other = known.iter().any(|ty| !part(ty, pointee) && !part(pointee, ty));
        known.push(pointee);
        other
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
