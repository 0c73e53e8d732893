//! Members of unions that overlap: a write to one of them is a write to the bits that the others have there.
//!
//! In a plain union (see `memory::plain`) every scalar always has the bits that are in memory,
//! because each write to one changes all others that share bits with it ([`Twin`]). So any member can be
//! read, whichever was written last, and a part of a member can be written. What nobody reads is sliced away
//! later. Of unions inside unions, the outermost plain one counts.
//!
//! A member of a register, `struct { unsigned ready : 1, : 6, error : 1; }`, may have padding where the word
//! beside it has bits. To write one of its members leaves them as they are, as with gcc. To write the struct
//! as a whole, or to initialise the union by a list, makes them unspecified (C11 6.2.6.1): the tag is
//! [`MIXED`](crate::memory::MIXED) then, and they cannot be read until all bits are written.
//!
//! A union cannot be read before something is written to it. One that is not in an array gets arbitrary bits
//! when it begins, the same for all members.
//!
//! The bits of a larger member that lie beyond a smaller one that is written stay as they are. C11 (6.2.6.1)
//! leaves them unspecified; gcc and clang document that reading another member gives the bytes in memory.
//! The bits of a NaN that is written are any that stand for a NaN, and a violation that follows is open.
//!
//! Limits: in a union that is not plain the tag decides (see `unions`).
//!
//! Entry points: [`Encoder::twins`], [`Encoder::write_twins`].

use std::ops::Range;

use palisade_term::Term;

use super::{Offset, Spot};
use crate::encode::Encoder;
use crate::memory::{Cell, Element, Leaf, ObjectId, UnionStep, bits_of, gaps};
use crate::types::{IntType, RecordId, Type};

/// What an access to a part of a plain union with padding means for it.
#[derive(Clone, Copy, Default)]
pub(super) struct Padding {
    /// It accesses bits that are padding in some member.
    pub(super) touched: bool,
    /// Padding is unspecified after such a write.
    pub(super) blurred: bool,
    /// Padding is unspecified after such a write if it was before.
    pub(super) kept: bool,
}

/// A scalar of another member that shares bits with one that is written.
pub(super) struct Twin {
    /// The write is to the element that shares them.
    condition: Term,
    spot: Spot,
    ty: Cell,
    /// The first shared bit, from the first bit of the scalar that is written, and of the twin.
    from: u32,
    to: u32,
    bits: u32,
}

impl Encoder<'_> {
    /// The outermost plain union around a leaf, by its number among the unions around it.
    pub(super) fn plain_union(&mut self, leaf: &Leaf) -> Option<usize> {
        (0..leaf.unions.len()).find(|k| self.memory.layouts.plain(leaf.unions[*k].record).is_some())
    }

    /// Is the plain union of a leaf in an array, so that nobody gives it bits when it begins?
    pub(super) fn is_loose(&mut self, o: ObjectId, u: &UnionStep) -> bool {
        let tag = self.leaf(o, u.slot).expect("a union has a tag");
        !self.memory.get(o).split && !tag.dims.is_empty()
    }

    /// Must all bits of the plain union around a leaf be arbitrary, the same for all members, when the object
    /// begins? `inner`: so many unions are inside what is filled.
    pub(super) fn shares_bits(&mut self, o: ObjectId, leaf: &Leaf, inner: usize) -> bool {
        let Some(k) = self.plain_union(leaf) else { return false };
        let u = leaf.unions[k];
        k + inner >= leaf.unions.len() && !self.is_loose(o, &u)
    }

    /// Has a union padding beside bits that other members have?
    pub(in crate::encode) fn is_padded(&mut self, r: RecordId) -> bool {
        self.memory.layouts.plain(r).is_some_and(|plain| !plain.padding.is_empty())
    }

    /// What an access to the slots of a part of a plain union means for its padding. `whole`: it accesses all
    /// of them, not only one element.
    pub(super) fn padding_of(&mut self, u: &UnionStep, slots: Range<u32>, whole: bool) -> Padding {
        let Some(plain) = self.memory.layouts.plain(u.record).filter(|plain| !plain.padding.is_empty())
        else {
            return Padding::default();
        };
        let inside = plain.elements.iter().filter(|e| slots.contains(&(u.first + e.slot)));
        let part: Vec<Element> = inside.copied().collect();
        let meets = |e: &Element| plain.padding.iter().any(|p| e.bit < p.end && p.start < e.end());
        let covered = (whole || part.len() == 1) && gaps(&part, 0, plain.bits).is_empty();
        Padding { touched: part.iter().any(meets), blurred: whole && !covered, kept: !covered }
    }

    /// The scalars of other members that share bits with a scalar of a leaf, at an offset in cells from its
    /// first. `inner`: so many unions are inside a place that is copied as a whole. There all scalars are
    /// written.
    pub(super) fn twins(&mut self, o: ObjectId, leaf: &Leaf, at: Offset, inner: usize) -> Vec<Twin> {
        let Some(k) = self.plain_union(leaf).filter(|_| !leaf.tag) else { return Vec::new() };
        if k + inner >= leaf.unions.len() {
            return Vec::new();
        }
        let u = leaf.unions[k];
        let plain = self.memory.layouts.plain(u.record).expect("a plain union");
        let all = &plain.elements;
        let (outer, inner) = self.around_union(o, leaf, &u, at);
        let mut out = Vec::new();
        for e in all.iter().filter(|e| u.first + e.slot == leaf.slot) {
            let condition = match inner {
                (k, None) if k == e.cell => self.pool.tru(),
                (_, None) => continue,
                (k, Some(index)) => self.pool.eq(index, self.domain.address(e.cell - k)),
            };
            for other in all.iter().filter(|f| (f.slot, f.cell) != (e.slot, e.cell)) {
                let (first, end) = (e.bit.max(other.bit), e.end().min(other.end()));
                if first >= end {
                    continue;
                }
                let twin = self.leaf(o, u.first + other.slot).expect("a scalar of the union");
                let spot = self.stored_spot(o, &twin, (outer.0 + other.cell, outer.1));
                out.push(Twin {
                    condition,
                    spot,
                    ty: other.ty,
                    from: (first - e.bit) as u32,
                    to: (first - other.bit) as u32,
                    bits: (end - first) as u32,
                });
            }
        }
        out
    }

    /// Divides an offset in cells from the first of a leaf: to the union around it, and inside.
    pub(super) fn around_union(
        &mut self,
        o: ObjectId,
        leaf: &Leaf,
        u: &UnionStep,
        at: Offset,
    ) -> (Offset, Offset) {
        let tag = self.leaf(o, u.slot).expect("a union has a tag");
        let (constant, dynamic) = at;
        if tag.dims.is_empty() {
            return ((0, None), at);
        }
        if tag.dims.len() == leaf.dims.len() {
            return (at, (0, None));
        }
        // From the outermost array inwards: the stride of one need not be a multiple of the next.
        let strides = tag.dims.iter().map(|d| d.stride);
        match dynamic {
            None => {
                let inner = strides.fold(constant, |rest, stride| rest.rem_euclid(stride));
                ((constant - inner, None), (inner, None))
            }
            Some(x) => {
                let index = self.domain.address_add(x, self.domain.address(constant));
                let inner = strides.fold(index, |rest, stride| self.domain.address_mod(rest, stride));
                ((0, Some(self.domain.address_sub(index, inner))), (0, Some(inner)))
            }
        }
    }

    /// Writes the bits of a value of type `ty` to what shares them.
    pub(super) fn write_twins(&mut self, twins: &[Twin], condition: Term, value: Term, ty: &Type) {
        let Some(cell) = Cell::of(ty).filter(|_| !twins.is_empty()) else { return };
        let from = bits_of(cell);
        let mut raw = value;
        if let Cell::Float(_) = cell {
            raw = self.reinterpreted(value, ty, &Type::Int(from), condition);
        }
        let raw = self.unsigned(raw, from);
        for t in twins {
            let Some(old) = self.content(&t.spot) else { continue };
            let here = self.pool.and2(condition, t.condition);
            // The same number, whatever its bits are.
            if t.ty == cell && matches!(cell, Cell::Float(_)) && t.bits == from.bits {
                self.set_spot(here, &t.spot, value);
                continue;
            }
            let to = bits_of(t.ty);
            let bits = self.some_bits(raw, from.bits, t.from, t.bits);
            let new = self.with_bits(self.unsigned(old, to), to.bits, bits, t.to, t.bits);
            let unsigned = IntType::new(to.bits, false);
            let new = self.domain.convert(self.domain.variable(new, unsigned), unsigned, to);
            self.set_spot(here, &t.spot, new.term);
        }
    }

    /// The bits of a number, as an unsigned one.
    fn unsigned(&self, v: Term, ty: IntType) -> Term {
        let v = self.domain.variable(v, ty);
        self.domain.convert(v, ty, IntType::new(ty.bits, false)).term
    }
}
