//! Places that are read or written as a whole, where pointers see them as bytes: which ones may be, and their
//! padding.
//!
//! Padding belongs to no scalar. A pool knows which of its bytes are padding (`pool`); in other objects a
//! struct with padding is only where its type says so.
//!
//! Entry points: [`Encoder::check_whole`] before the scalars are read or written, [`Encoder::touch_padding`]
//! behind that.

use std::sync::Arc;

use super::{Access, ByteWay, OUTSIDE, Root};
use crate::encode::Encoder;
use crate::encode::exec::cells_of;
use crate::encode::state::Otherwise;
use crate::ir::Span;
use crate::memory::{Kind, Leaf, ObjectId};
use crate::points_to::Target;
use crate::types::{IntType, Type};

/// The largest struct, in bytes, that is written as a whole in spite of padding.
const LARGEST: i128 = 1024;

impl Encoder<'_> {
    /// Objects that are seen as bytes have no tags, and floating-point numbers that are not modelled have no
    /// bytes: what contains one of these cannot be copied or set there as a whole. Nor can a struct with
    /// padding where something else than the same struct is: only its members are accessed.
    pub(in crate::encode) fn check_whole(&mut self, a: &Access, ty: &Type, leaves: &[Leaf], span: Span) {
        let tagged = leaves.iter().any(|l| l.tag || !l.ty.is_scalar());
        let tagged_here =
            format!("a struct or union in memory that is seen as bytes, {}", self.position(span));
        let (address, targets) = match &a.root {
            // By its name a place is what it was declared as, except in a pool.
            Root::Object(o) if !self.memory.get(*o).pool => return,
            Root::Object(_) if tagged => return self.unsupported_located(tagged_here.into()),
            Root::Object(_) if self.memory.layouts.is_in_order(ty, true) => return,
            Root::Object(o) => return self.check_padding(*o, a, ty, span),
            Root::Pointer(address, targets) => (*address, Arc::clone(targets)),
        };
        if tagged && self.any_bytes(&targets) {
            let outside = self.pool.not(self.in_byte_region(address));
            self.require(outside, &Otherwise::Unsupported(tagged_here.into()));
        }
        if self.memory.layouts.is_in_order(ty, true) {
            return;
        }
        let mut seen = Vec::new();
        for t in targets.iter() {
            let Target::Object(o, _) = *t else { continue };
            if self.memory.get(o).as_bytes && !seen.contains(&o) {
                seen.push(o);
                self.check_padding(o, a, ty, span);
            }
        }
    }

    /// A struct with padding is read or written as a whole, if the place is in this object: then it is where
    /// the object has such a struct, or in bytes that know what padding is (`pool`).
    fn check_padding(&mut self, o: ObjectId, a: &Access, ty: &Type, span: Span) {
        let Some(place) = self.byte_address(a) else { return }; // each access is refused
        let object = self.memory.get(o);
        let (object_type, base, name) = (object.ty.clone(), object.base, object.name.clone());
        let partial = matches!(object.kind, Kind::Heap { .. }) && !object.whole;
        let offset = self.domain.address_sub(place, self.domain.address(base));
        let mut fine = Vec::new();
        if !partial {
            for (first, dims) in self.memory.layouts.places_of(&object_type, ty) {
                let from = self.domain.address_sub(offset, self.domain.address(first));
                fine.push(self.element_at(&dims, from, 0).0);
            }
        }
        if self.memory.get(o).pool && self.padding_bytes(ty).is_some() {
            let size = self.memory.layouts.size(ty).expect("its padding is known");
            fine.push(self.in_pooled_part(o, offset, size));
        }
        let what =
            format!("a struct with padding in `{name}`, which is something else, {}", self.position(span));
        let here = self.pool.and2(a.valid, self.inside(o, place));
        let known = self.pool.implies(here, self.pool.or(fine));
        self.require(known, &Otherwise::Unsupported(what.into()));
    }

    /// The padding of a struct that is read or written as a whole is part of the access. A write sets the
    /// tags of its bytes: to 0 if it is zero from then on, or to [`INDETERMINATE`] until it is written by
    /// itself.
    pub(in crate::encode) fn touch_padding(&mut self, a: &Access, ty: &Type, write: Option<i128>) {
        let pool = |o: ObjectId| Some(o).filter(|o| self.memory.get(*o).pool);
        let pools: Vec<ObjectId> = match &a.root {
            Root::Object(o) => pool(*o).into_iter().collect(),
            Root::Pointer(_, targets) => {
                let object = |t: &Target| if let Target::Object(o, _) = *t { pool(o) } else { None };
                targets.iter().filter_map(object).collect()
            }
        };
        let (Some(way), Some(begin), false) = (a.way, self.byte_address(a), pools.is_empty()) else { return };
        let number = Type::Int(IntType::new(8, false));
        let zero = self.zero(&number);
        for byte in self.padding_bytes(ty).unwrap_or_default() {
            let way = Some(ByteWay { bits: way.bits + 8 * byte, ..way });
            let at = Access { way, ..a.clone() };
            for &o in &pools {
                let cases = self.byte_cases(o, &at, &number);
                let there = self.pool.or(cases.iter().map(|c| c.condition));
                let begins = self.pool.and2(a.valid, self.inside(o, begin));
                self.require_access(self.pool.implies(begins, there), OUTSIDE, a.span);
                let Some(tag) = write else { continue };
                for case in cases.iter().filter(|c| c.tags.iter().any(|t| t.pool)) {
                    let here = self.pool.and2(case.condition, a.valid);
                    let new = self.tag_of_byte(tag);
                    case.tags.iter().for_each(|t| self.set_spot(here, &t.spot, new));
                    if tag == 0 {
                        self.set_spot(here, &case.spot, zero);
                    }
                }
            }
        }
    }

    /// The bytes of a type that belong to no scalar. `None` where parts of bytes do not, or if it is large.
    pub(in crate::encode) fn padding_bytes(&self, ty: &Type) -> Option<Vec<i128>> {
        let size = self.memory.layouts.size(ty).filter(|n| *n <= LARGEST)?;
        let mut taken = vec![0; usize::try_from(size).ok()?];
        for leaf in self.memory.layouts.byte_leaves(ty)? {
            for cell in cells_of(&leaf)? {
                let first = leaf.bit_at(cell);
                for bit in first..first + i128::from(leaf.width) {
                    *taken.get_mut(usize::try_from(bit / 8).ok()?)? += 1;
                }
            }
        }
        let whole = taken.iter().all(|bits| [0, 8].contains(bits));
        whole.then(|| (0..).zip(taken).filter(|b| b.1 == 0).map(|b| b.0).collect())
    }
}
