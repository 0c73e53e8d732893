//! The types of allocated blocks, from the pointers to them.
//!
//! A block has the largest type, structs first, that a pointer to its beginning has, if there is room for it.
//! Its size in bytes, where it is known, says how many elements there are, and whether they are whole.
//!
//! Entry point: [`type_blocks`].

use std::collections::BTreeSet;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::inline::{InstanceId, Instances};
use crate::ir::{Expr, Instr, NodeId, NodeKind, Part, Unit};
use crate::memory::{Kind, Memory, ObjectId};
use crate::points_to::{PointsTo, Seen, Target};
use crate::types::{DataModel, IntType, Len, RecordId, Type};

/// Sets the types of the objects that are allocated blocks.
pub fn type_blocks<'u>(
    unit: &'u Unit,
    instances: &Instances,
    memory: &mut Memory<'_>,
    points_to: &PointsTo,
    model: DataModel,
) {
    let mut types: FxHashMap<ObjectId, Vec<Type>> = FxHashMap::default();
    let mut records: FxHashMap<ObjectId, BTreeSet<RecordId>> = FxHashMap::default();
    let mut seen: Seen<&Type> = Seen::default();
    let mut consider = |memory: &Memory<'_>, e: &'u Expr, i: InstanceId| {
        let Some(ty) = e.ty.pointee() else { return };
        if matches!(ty, Type::Void | Type::Function(_)) || unit.records.size_of(ty, model).is_none() {
            return;
        }
        let set = points_to.target_set(e, i, instances, memory);
        if !seen.is_new(set, ty) {
            return;
        }
        for &t in points_to.members_of(set).iter() {
            if let Target::Object(o, 0) = t
                && matches!(memory.get(o).kind, Kind::Heap { .. })
            {
                if let Type::Record(r) = ty {
                    records.entry(o).or_default().insert(*r);
                }
                let known = types.entry(o).or_default();
                if !known.contains(ty) {
                    known.push(ty.clone());
                }
            }
        }
    };
    if memory.heap as usize == memory.objects.len() {
        return;
    }
    for (n, instance) in instances.all.iter().enumerate() {
        let f = unit.function(instance.function);
        for (k, node) in f.nodes.iter().enumerate() {
            if instances.reachable[instance.function.0 as usize][k] {
                node.kind.visit(&mut |part| {
                    if let Part::Expr(e) = part
                        && matches!(e.ty, Type::Pointer(_))
                    {
                        consider(memory, e, InstanceId(n as u32));
                    }
                });
            }
        }
    }
    for (n, instance) in instances.all.iter().enumerate() {
        let f = unit.function(instance.function);
        for (k, node) in f.nodes.iter().enumerate() {
            let NodeKind::Instr(Instr::Alloc { count, site, .. }, _) = &node.kind else { continue };
            let o = memory.block(instances, InstanceId(n as u32), *site);
            let many = matches!(memory.get(o).kind, Kind::Heap { many: true, .. });
            // Blocks that nothing is known to be in are told apart by their addresses.
            let bytes = || many.then_some(Type::Int(IntType::new(8, true)));
            let place = (InstanceId(n as u32), NodeId(k as u32));
            let whole = crate::sizes::constant(unit, instances, count, place);
            let whole = whole.and_then(|c| u64::try_from(c).ok());
            let rank =
                |t: &&Type| (matches!(t, Type::Record(_) | Type::Array(..)), unit.records.size_of(t, model));
            // What the points-to analysis is wrong about: there is no room for it, or the size is that of
            // something smaller and more (`malloc(n + 1)`).
            let part = crate::sizes::constant_part(unit, instances, count, place);
            let fits = |t: &&Type| {
                let size = unit.records.size_of(t, model).map_or(0, i128::from);
                whole.is_none_or(|c| size <= i128::from(c)) && (part == 0 || size <= part)
            };
            let all = types.get(&o).map_or(&[][..], |all| all);
            // Of several that are equal, the first.
            let largest = all.iter().rev().filter(fits).max_by_key(rank);
            let best = largest.or_else(|| all.iter().rev().max_by_key(rank));
            let Some(mut element) = best.cloned().or_else(bytes) else { continue };
            if whole.is_none() {
                // `sizeof(T) + n` bytes begin with a `T`, even if there is something larger behind it.
                let is_head = |r: &RecordId| i128::from(unit.records.get(*r).size) == part;
                let head = records.get(&o).and_then(|all| all.iter().copied().find(is_head));
                element = head.map_or(element, Type::Record);
            }
            let size = unit.records.size_of(&element, model).unwrap_or(1).max(1);
            let flexible = memory.layouts.flexible(&element).is_some();
            let object = &mut memory.objects[o.0 as usize];
            object.bytes = whole;
            object.each = whole.map(|c| c / size).filter(|n| *n < 1 << 31);
            object.whole = match whole {
                Some(c) => c % size == 0,
                None => crate::sizes::multiple(unit, instances, count, place, i128::from(size)),
            };
            if let (true, Some(r)) = (object.tail, unit.records.tailed(&element)) {
                object.each = Some(1);
                object.ty = match many {
                    true => Type::Array(Arc::new(Type::Record(r)), Len::Unknown),
                    false => Type::Record(r),
                };
                continue;
            }
            object.ty = match whole {
                Some(c) if object.untyped => {
                    let byte = Arc::new(Type::Int(IntType::new(8, false)));
                    Type::Array(byte, Len::Fixed(c))
                }
                _ if flexible && !many => element,
                Some(c) if !many && c == size => element,
                Some(c) if !many && c % size == 0 => Type::Array(Arc::new(element), Len::Fixed(c / size)),
                _ => Type::Array(Arc::new(element), Len::Unknown),
            };
            if let (true, Some(ty)) = (object.pool, unit.records.pooled(&object.ty, model)) {
                object.ty = ty;
            }
        }
    }
}
