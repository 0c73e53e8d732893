//! Pointers in arrays of bytes (`memory::views`): memory that the program gives out itself.
//!
//! Every byte of a pool has a number, a pointer and a tag (`Records::add_pools`). A pointer that is stored at
//! a byte goes to the pointer of that byte, and the tags of all its bytes count them from 1 on. A write of a
//! number sets the tag of its bytes to 0.
//!
//! A pointer is read where the tags count from 1 on, or where all bytes are numbers and zero: that is a null
//! pointer. Every other pointer would be made of parts, which is unsupported, and so is the number of a byte
//! that belongs to a pointer (`check_tags`).
//!
//! The padding of a struct that is written as a whole has any value until it is written. A pool that is
//! copied by its name is copied number by number, which is unsupported where it holds a pointer: the analysis
//! of pointers would not see it.
//!
//! Entry points: [`Encoder::pointer_in_pool`], [`Encoder::read_pooled`], [`Encoder::write_pooled`].

use palisade_term::Term;

use super::{Access, Case, Spot};
use crate::encode::Encoder;
use crate::encode::state::Otherwise;
use crate::ir::Span;
use crate::memory::{Dim, INDETERMINATE, Leaf, ObjectId};
use crate::types::{IntType, Len, Type};

/// A pointer in a pool.
#[derive(Clone, PartialEq)]
pub(super) struct Pooled {
    object: ObjectId,
    /// Where the pointer is stored.
    value: Box<Spot>,
    /// The tag and the number of each of its bytes.
    bytes: Vec<(Spot, Spot)>,
}

impl Encoder<'_> {
    /// Is the leaf a number in a pool?
    pub(super) fn is_pooled(&self, leaf: &Leaf) -> bool {
        let pool = self.unit.records.pool();
        leaf.unions.first().is_some_and(|u| pool == Some(u.record))
    }

    /// The access to a pointer at a byte of an object that has such bytes, if these are all its bytes.
    /// `leaf` are the numbers; the condition is that the access is inside of the object.
    pub(super) fn pointer_in_pool(
        &mut self,
        (o, inside): (ObjectId, Term),
        leaf: &Leaf,
        offset: Term,
        size: i128,
        ty: &Type,
    ) -> Option<Case> {
        let [Dim { len: Len::Fixed(n), .. }] = leaf.dims[..] else { return None };
        let [pointer, tag] = [1, 2].map(|k| self.leaf(o, leaf.slot + k).expect("a leaf of a pool"));
        let from = self.domain.address_sub(offset, self.domain.address(leaf.bit / 8));
        let mut at = |k: i128, leaf: &Leaf| {
            let from = self.domain.address_add(from, self.domain.address(k));
            let (here, index) = self.element_at(&leaf.dims, from, 0);
            (here, self.stored_spot(o, leaf, (0, index)))
        };
        let (first, value) = at(0, &pointer);
        let (last, _) = at(size - 1, &pointer);
        let bytes = (0..size).map(|k| (at(k, &tag).1, at(k, leaf).1)).collect();
        let spot = Spot::Pooled(Box::new(Pooled { object: o, value: Box::new(value), bytes }));
        let all = leaf.bit == 0 && self.memory.get(o).extent == i128::from(n);
        let here = if all { self.pool.tru() } else { self.pool.and2(first, last) };
        let (condition, object) = (self.pool.and2(inside, here), Some((o, false)));
        Some(Case { condition, spot, ty: ty.clone(), tags: Vec::new(), object, twins: Vec::new() })
    }

    /// Reads a pointer.
    pub(super) fn read_pooled(&mut self, x: &Pooled, condition: Term, span: Span) -> Term {
        let (mut whole, mut null) = (Vec::new(), Vec::new());
        for (k, (tag, number)) in (1..).zip(&x.bytes) {
            let (Some(tag), Some(number)) = (self.content(tag), self.content(number)) else { continue };
            whole.push(self.pool.eq(tag, self.tag_of_byte(k)));
            let zero = self.domain.constant(0, IntType::new(8, false)).term;
            let zero = self.pool.eq(number, zero);
            null.push(self.pool.and2(self.pool.eq(tag, self.tag_of_byte(0)), zero));
        }
        let first = whole[0];
        let (whole, null) = (self.pool.and(whole), self.pool.and(null));
        let name = &self.memory.get(x.object).name;
        let what = format!("a pointer in `{name}` made of other bytes, {}", self.position(span));
        let known = self.pool.implies(condition, self.pool.or2(whole, null));
        self.require(known, &Otherwise::Unsupported(what.into()));
        let value = self.content(&x.value).expect("it is stored");
        self.pool.ite(first, value, self.domain.address(0))
    }

    /// Writes a pointer.
    pub(super) fn write_pooled(&mut self, x: &Pooled, condition: Term, value: Term) {
        self.set_spot(condition, &x.value, value);
        for (k, (tag, _)) in (1..).zip(&x.bytes) {
            self.set_spot(condition, tag, self.tag_of_byte(k));
        }
    }

    /// The number of a byte with this tag, which is any number if it is padding.
    pub(super) fn perhaps_padding(&mut self, last: Term, value: Term, ty: &Type, condition: Term) -> Term {
        let padding = self.pool.eq(last, self.tag_of_byte(INDETERMINATE));
        let here = self.pool.and2(condition, padding);
        if here == self.pool.fls() {
            return value;
        }
        self.set_open(here);
        let any = self.arbitrary("padding", ty);
        self.pool.ite(padding, any, value)
    }

    /// The variable with pools in it that a place is the whole of.
    pub(in crate::encode) fn whole_pool(&self, a: &Access, ty: &Type) -> Option<ObjectId> {
        let size = |ty: &Type| self.memory.layouts.size(ty);
        self.named_object(a).filter(|o| {
            let object = self.memory.get(*o);
            object.pool && size(&object.ty) == size(ty) && a.valid == self.pool.tru()
        })
    }

    /// The parts of an object that hold numbers and pointers: the leaf of their numbers, their first byte,
    /// and the one behind them.
    fn pooled_parts(&self, o: ObjectId) -> Vec<(Leaf, i128, i128)> {
        let leaves = self.memory.layouts.byte_leaves(&self.memory.get(o).ty).unwrap_or_default();
        let part = |leaf: Leaf| {
            let [Dim { len: Len::Fixed(n), .. }] = leaf.dims[..] else { return None };
            let begin = leaf.bit / 8;
            Some((leaf, begin, begin + i128::from(n)))
        };
        leaves.into_iter().filter(|leaf| self.is_pooled(leaf)).filter_map(part).collect()
    }

    /// Is a place with so many bytes in a part of an object that holds numbers and pointers?
    pub(super) fn in_pooled_part(&self, o: ObjectId, offset: Term, size: i128) -> Term {
        let d = &self.domain;
        let within = |(_, begin, end): (Leaf, i128, i128)| {
            let (first, last) = (d.address_le(d.address(begin), offset), d.address(end - size));
            self.pool.and2(first, d.address_le(offset, last))
        };
        self.pool.or(self.pooled_parts(o).into_iter().map(within).collect::<Vec<_>>())
    }

    /// The tag of a number (0), or of the so many-th byte of a pointer.
    pub(super) fn tag_of_byte(&self, k: i128) -> Term {
        self.domain.constant(k, IntType::INT).term
    }
}
