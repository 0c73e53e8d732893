//! Members of unions that overlap: a write to one of them is a write to the bits that the others have there.
//!
//! A union is **plain** if its members are made of integers (bit-fields too) and modelled floating-point
//! numbers, and all without padding, or one of them has a scalar for every bit of the union; arrays, structs
//! and unions inside it are too. In a plain union every scalar always has the bits that are in memory,
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
//! Limits: a union of more than [`MAX_ELEMENTS`] scalars, and one with other padding, `volatile`, `_Bool` or
//! pointer members is not plain: there the tag decides (see `unions`).
//!
//! Entry points: [`Encoder::twins`], [`Encoder::write_twins`].

use std::ops::Range;
use std::sync::Arc;

use palisade_term::Term;

use super::{Offset, Spot};
use crate::domain::Val;
use crate::encode::Encoder;
use crate::ir::BinOp;
use crate::memory::{Cell, Leaf, ObjectId, UnionStep};
use crate::options::IntMode;
use crate::records::Field;
use crate::types::{IntType, Len, RecordId, Type};

/// The most scalars of a plain union.
const MAX_ELEMENTS: usize = 128;

/// The most elements of one of its arrays.
const MAX_OF_ONE: usize = 64;

/// The type in which bits are moved.
const WORD: IntType = IntType::new(64, false);

/// A scalar of a plain union.
#[derive(Clone, Copy)]
pub(in crate::encode) struct Element {
    /// Its slot, from the start of the union.
    slot: u32,
    /// Its cell, from the first cell of its leaf.
    cell: i128,
    /// Its first bit, from the start of the union.
    bit: u64,
    ty: Cell,
}

impl Element {
    fn end(&self) -> u64 {
        self.bit + u64::from(bits_of(self.ty).bits)
    }
}

/// A plain union.
pub(in crate::encode) struct Plain {
    elements: Vec<Element>,
    /// The bits that are padding in some member.
    padding: Vec<Range<u64>>,
    bits: u64,
}

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

/// The bits of a number, as an integer type.
fn bits_of(ty: Cell) -> IntType {
    match ty {
        Cell::Int(t) => t,
        Cell::Float(f) => IntType::new(f.width(), false),
        Cell::Address => unreachable!("there are no pointers in plain unions"),
    }
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
        (0..leaf.unions.len()).find(|k| self.plain_of(leaf.unions[*k].record).is_some())
    }

    /// Is the plain union of a leaf in an array, so that nobody gives it bits when it begins?
    fn is_loose(&mut self, o: ObjectId, u: &UnionStep) -> bool {
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

    /// A union as a plain one, if it is. That depends on its type only: otherwise a copy could bring members
    /// that do not have the same bits.
    fn plain_of(&mut self, r: RecordId) -> Option<Arc<Plain>> {
        if !self.plain.contains_key(&r) {
            let found = self.find_plain(r).map(Arc::new);
            self.plain.insert(r, found);
        }
        self.plain[&r].clone()
    }

    fn find_plain(&self, r: RecordId) -> Option<Plain> {
        let records = &self.unit.records;
        if self.options.int_mode == IntMode::Math {
            return None;
        }
        let bits = 8 * records.size_of(&Type::Record(r), self.options.data_model)?;
        let (mut out, mut padding, mut complete) = (Vec::new(), Vec::new(), false);
        for (k, field) in records.fields(r).iter().enumerate() {
            let before = out.len();
            let slot = self.memory.layouts.field(r, k as u32).0;
            let first = Element { slot, cell: 0, bit: field.bit_offset, ty: Cell::Int(WORD) };
            self.add_elements(&field.ty, field.volatile, first, &mut out)?;
            let own = &out[before..];
            padding.extend(self.padding_in(field, 0, own)?);
            complete |= gaps(own, 0, bits).is_empty();
        }
        let of_one = |e: &Element| out.iter().filter(|f| f.slot == e.slot).count();
        if !padding.is_empty() && !complete || out.iter().any(|e| of_one(e) > MAX_OF_ONE) {
            return None;
        }
        Some(Plain { elements: out, padding, bits })
    }

    /// Has a union padding beside bits that other members have?
    pub(in crate::encode) fn is_padded(&mut self, r: RecordId) -> bool {
        self.plain_of(r).is_some_and(|plain| !plain.padding.is_empty())
    }

    /// What an access to the slots of a part of a plain union means for its padding. `whole`: it accesses all
    /// of them, not only one element.
    pub(super) fn padding_of(&mut self, u: &UnionStep, slots: Range<u32>, whole: bool) -> Padding {
        let Some(plain) = self.plain_of(u.record).filter(|plain| !plain.padding.is_empty()) else {
            return Padding::default();
        };
        let inside = plain.elements.iter().filter(|e| slots.contains(&(u.first + e.slot)));
        let part: Vec<Element> = inside.copied().collect();
        let meets = |e: &Element| plain.padding.iter().any(|p| e.bit < p.end && p.start < e.end());
        let covered = (whole || part.len() == 1) && gaps(&part, 0, plain.bits).is_empty();
        Padding { touched: part.iter().any(meets), blurred: whole && !covered, kept: !covered }
    }

    /// Adds the scalars of a type that begins at `at`. `None` if it has something else than numbers.
    fn add_elements(&self, ty: &Type, volatile: bool, at: Element, out: &mut Vec<Element>) -> Option<()> {
        match ty {
            _ if volatile || out.len() >= MAX_ELEMENTS => None,
            Type::Int(t) if t.boolean => None,
            Type::Int(_) | Type::Ieee(_) => {
                out.push(Element { ty: Cell::of(ty)?, ..at });
                Some(())
            }
            Type::Array(element, Len::Fixed(n)) => {
                let stride = self.memory.layouts.cells(element);
                let bits = 8 * self.unit.records.size_of(element, self.options.data_model)?;
                (0..*n).try_for_each(|i| {
                    let cell = at.cell + i128::from(i) * stride;
                    self.add_elements(element, false, Element { cell, bit: at.bit + i * bits, ..at }, out)
                })
            }
            Type::Record(r) => self.add_members(*r, at, out),
            _ => None,
        }
    }

    /// The bits of a member of a union, from its first one on, that none of its elements has.
    fn padding_in(&self, field: &Field, first: u64, elements: &[Element]) -> Option<Vec<Range<u64>>> {
        if field.bit_field {
            return Some(Vec::new());
        }
        let size = self.unit.records.size_of(&field.ty, self.options.data_model)?;
        Some(gaps(elements, first, 8 * size))
    }

    fn add_members(&self, r: RecordId, at: Element, out: &mut Vec<Element>) -> Option<()> {
        for (k, field) in self.unit.records.fields(r).iter().enumerate() {
            let slot = at.slot + self.memory.layouts.field(r, k as u32).0;
            let inner = Element { slot, bit: at.bit + field.bit_offset, ..at };
            let before = out.len();
            self.add_elements(&field.ty, field.volatile, inner, out)?;
            let union = self.unit.records.get(r).union;
            if union && !self.padding_in(field, at.bit, &out[before..])?.is_empty() {
                return None;
            }
        }
        Some(())
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
        let plain = self.plain_of(u.record).expect("a plain union");
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
        let raw = self.domain.variable(raw, from);
        for t in twins {
            let Some(old) = self.content(&t.spot) else { continue };
            let here = self.pool.and2(condition, t.condition);
            // The same number, whatever its bits are.
            if t.ty == cell && matches!(cell, Cell::Float(_)) && t.bits == from.bits {
                self.set_spot(here, &t.spot, value);
                continue;
            }
            let to = bits_of(t.ty);
            let bits = self.cut(raw, from, t.from, t.bits);
            let old = self.domain.variable(old, to);
            let new = self.pasted(old, to, bits, t.to, t.bits);
            self.set_spot(here, &t.spot, new.term);
        }
    }

    /// Some bits of a value, as a word.
    fn cut(&self, v: Val, ty: IntType, first: u32, bits: u32) -> Val {
        let mut word = self.word(v, ty);
        if first > 0 {
            word = self.on_words(BinOp::Shr, word, i128::from(first));
        }
        if first + bits < ty.bits {
            word = self.on_words(BinOp::And, word, (1 << bits) - 1);
        }
        word
    }

    /// The value with some of its bits replaced by those of a word.
    fn pasted(&self, old: Val, ty: IntType, bits: Val, first: u32, count: u32) -> Val {
        let unsigned = IntType::new(ty.bits, false);
        let mut word = bits;
        if count < ty.bits {
            let all = unsigned.max();
            let kept = all ^ (((1 << count) - 1) << first);
            let kept = self.on_words(BinOp::And, self.word(old, ty), kept);
            let moved = match first {
                0 => bits,
                _ => self.on_words(BinOp::Shl, bits, i128::from(first)),
            };
            let sum = self.domain.binary(BinOp::Add, WORD, kept, moved, WORD);
            word = sum.expect("words can be added").val;
        }
        self.domain.convert(self.domain.convert(word, WORD, unsigned), unsigned, ty)
    }

    /// The bits of a value as a word: zeros before them.
    fn word(&self, v: Val, ty: IntType) -> Val {
        let unsigned = IntType::new(ty.bits, false);
        self.domain.convert(self.domain.convert(v, ty, unsigned), unsigned, WORD)
    }

    /// An operation on a word and a constant; all of these are defined.
    fn on_words(&self, op: BinOp, word: Val, constant: i128) -> Val {
        let constant = self.domain.constant(constant, WORD);
        let outcome = self.domain.binary(op, WORD, word, constant, WORD);
        outcome.expect("shifts and masks by constants can be expressed").val
    }
}

/// The bits, of so many from one on, that no scalar has.
fn gaps(elements: &[Element], begin: u64, bits: u64) -> Vec<Range<u64>> {
    let mut all: Vec<(u64, u64)> = elements.iter().map(|e| (e.bit, e.end())).collect();
    all.sort_unstable();
    all.push((begin + bits, begin + bits));
    let (mut out, mut end) = (Vec::new(), begin);
    for (first, last) in all {
        if end < first {
            out.push(end..first);
        }
        end = end.max(last);
    }
    out
}
