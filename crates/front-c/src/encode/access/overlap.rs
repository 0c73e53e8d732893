//! Members of unions that overlap: a write to one of them is a write to the bits that the others have there.
//!
//! A union is **plain** if its members are made of integers (bit-fields too) without padding, and no other
//! union is around or inside it. In a plain union every member always has the bits that are in memory,
//! because each write to a scalar changes the scalars of the other members that share bits with it
//! ([`Twin`]). So any member can be read, whichever was written last, and a part of a member can be written.
//! What nobody reads is sliced away later.
//!
//! The bits of a larger member that lie beyond a smaller one that is written stay as they are. C11 (6.2.6.1)
//! leaves them unspecified; gcc and clang document that reading another member gives the bytes in memory.
//!
//! Limits: a union of more than [`MAX_ELEMENTS`] scalars, and one with `volatile`, `_Bool`, pointer or
//! floating-point members is not plain: there the tag decides (see `unions`).
//!
//! Entry points: [`Encoder::twins`], [`Encoder::write_twins`].

use std::sync::Arc;

use palisade_term::Term;

use super::{Case, Offset, Spot};
use crate::domain::Val;
use crate::encode::Encoder;
use crate::ir::BinOp;
use crate::memory::{Leaf, ObjectId, UnionStep};
use crate::options::IntMode;
use crate::types::{IntType, Len, Record, RecordId, Type};

/// The most scalars of a plain union.
const MAX_ELEMENTS: usize = 64;

/// The type in which bits are moved.
const WORD: IntType = IntType { bits: 64, signed: false, boolean: false };

/// A scalar of a plain union.
#[derive(Clone, Copy)]
pub(in crate::encode) struct Element {
    /// The member that it is in.
    member: u32,
    /// Its slot, from the start of the union.
    slot: u32,
    /// Its cell, from the first cell of its leaf.
    cell: i128,
    /// Its first bit, from the start of the union.
    bit: u64,
    ty: IntType,
}

impl Element {
    fn end(&self) -> u64 {
        self.bit + u64::from(self.ty.bits)
    }
}

/// A scalar of another member that shares bits with one that is written.
pub(super) struct Twin {
    /// The write is to the element that shares them.
    condition: Term,
    spot: Spot,
    ty: IntType,
    /// The first shared bit, from the first bit of the scalar that is written, and of the twin.
    from: u32,
    to: u32,
    bits: u32,
}

impl Encoder<'_> {
    /// Is the union around a leaf plain?
    pub(super) fn is_plain(&mut self, leaf: &Leaf) -> bool {
        matches!(&leaf.unions[..], [u] if self.elements(u.record).is_some())
    }

    /// The scalars of a union, if it is plain. That depends on its type only: otherwise a copy could bring
    /// members that do not have the same bits.
    fn elements(&mut self, r: RecordId) -> Option<Arc<[Element]>> {
        if !self.plain.contains_key(&r) {
            let found = self.find_elements(r).map(Arc::from);
            self.plain.insert(r, found);
        }
        self.plain[&r].clone()
    }

    fn find_elements(&self, r: RecordId) -> Option<Vec<Element>> {
        let records = &self.unit.records;
        let is_inside = |outer: &Record| {
            let fields = outer.fields.iter().flatten();
            outer.union && fields.into_iter().any(|f| self.contains(&f.ty, r))
        };
        if self.options.int_mode == IntMode::Math || records.all.iter().any(is_inside) {
            return None;
        }
        let mut out = Vec::new();
        for (k, field) in records.fields(r).iter().enumerate() {
            let before = out.len();
            let slot = self.memory.layouts.field(r, k as u32).0;
            let first = Element { member: k as u32, slot, cell: 0, bit: field.bit_offset, ty: WORD };
            self.add_elements(&field.ty, field.volatile, first, &mut out)?;
            let bits: u64 = out[before..].iter().map(|e| u64::from(e.ty.bits)).sum();
            let size = records.size_of(&field.ty, self.options.data_model)?;
            if !field.bit_field && bits != 8 * size {
                return None; // padding
            }
        }
        Some(out)
    }

    /// Is a record part of a type?
    fn contains(&self, ty: &Type, r: RecordId) -> bool {
        match ty {
            Type::Array(element, _) => self.contains(element, r),
            Type::Record(s) => {
                let fields = self.unit.records.get(*s).fields.iter().flatten();
                *s == r || fields.into_iter().any(|f| self.contains(&f.ty, r))
            }
            _ => false,
        }
    }

    /// Adds the scalars of a type that begins at `at`. `None` if it has something else than integers.
    fn add_elements(&self, ty: &Type, volatile: bool, at: Element, out: &mut Vec<Element>) -> Option<()> {
        match ty {
            _ if volatile || out.len() >= MAX_ELEMENTS => None,
            Type::Int(t) if t.boolean => None,
            Type::Int(t) => {
                out.push(Element { ty: *t, ..at });
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

    fn add_members(&self, r: RecordId, at: Element, out: &mut Vec<Element>) -> Option<()> {
        if self.unit.records.get(r).union {
            return None;
        }
        for (k, field) in self.unit.records.fields(r).iter().enumerate() {
            let slot = at.slot + self.memory.layouts.field(r, k as u32).0;
            let inner = Element { slot, bit: at.bit + field.bit_offset, ..at };
            self.add_elements(&field.ty, field.volatile, inner, out)?;
        }
        Some(())
    }

    /// The scalars of other members that share bits with a scalar of a leaf, at an offset in cells from its
    /// first.
    pub(super) fn twins(&mut self, o: ObjectId, leaf: &Leaf, at: Offset) -> Vec<Twin> {
        let [u] = &leaf.unions[..] else { return Vec::new() };
        let (u, tag) = (*u, leaf.tag);
        let Some(all) = self.elements(u.record).filter(|_| !tag) else { return Vec::new() };
        let (outer, inner) = self.around_union(o, leaf, &u, at);
        let mut out = Vec::new();
        for e in all.iter().filter(|e| u.first + e.slot == leaf.slot) {
            let condition = match inner {
                (k, None) if k == e.cell => self.pool.tru(),
                (_, None) => continue,
                (k, Some(index)) => self.pool.eq(index, self.domain.address(e.cell - k)),
            };
            for other in all.iter().filter(|f| f.member != e.member) {
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
        match tag.dims.last() {
            None => ((0, None), at),
            Some(_) if tag.dims.len() == leaf.dims.len() => (at, (0, None)),
            Some(d) => match dynamic {
                None => {
                    let inner = constant.rem_euclid(d.stride);
                    ((constant - inner, None), (inner, None))
                }
                Some(x) => {
                    let index = self.domain.address_add(x, self.domain.address(constant));
                    let inner = self.domain.address_mod(index, d.stride);
                    ((0, Some(self.domain.address_sub(index, inner))), (0, Some(inner)))
                }
            },
        }
    }

    /// Writes the bits of a value of type `ty` to what shares them.
    pub(super) fn write_twins(&mut self, case: &Case, condition: Term, value: Term, ty: IntType) {
        let value = self.domain.variable(value, ty);
        for t in &case.twins {
            let Some(old) = self.content(&t.spot) else { continue };
            let bits = self.cut(value, ty, t.from, t.bits);
            let old = self.domain.variable(old, t.ty);
            let new = self.pasted(old, t.ty, bits, t.to, t.bits);
            let here = self.pool.and2(condition, t.condition);
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
