//! Plain unions: those whose members share their bits exactly, whatever is written.
//!
//! They are made of integers (bit-fields too) and modelled floating-point numbers, all without padding, or
//! with one member that has a scalar for every bit; arrays, structs and unions inside them are too. Whether a
//! union is one depends on its type only: otherwise a copy could bring members that do not have the same
//! bits. What follows for accesses is in `encode::access::overlap`.
//!
//! Limits: [`MAX_ELEMENTS`] scalars; no `volatile`, `_Bool` or pointer members. Over mathematical integers
//! nothing has bits.
//!
//! Entry points: [`Layouts::plain`], [`Layouts::byte_leaves`].

use std::ops::Range;
use std::sync::Arc;

use super::{Cell, Layouts, Leaf};
use crate::records::Field;
use crate::types::{IntType, Len, RecordId, Type};

/// The most scalars of a plain union.
const MAX_ELEMENTS: usize = 128;

/// The most elements of one of its arrays.
const MAX_OF_ONE: usize = 64;

/// Any type: an element gets its own when it is found.
const WORD: IntType = IntType::new(64, false);

/// A scalar of a plain union.
#[derive(Clone, Copy)]
pub struct Element {
    /// Its slot, from the start of the union.
    pub slot: u32,
    /// Its cell, from the first cell of its leaf.
    pub cell: i128,
    /// Its first bit, from the start of the union.
    pub bit: u64,
    /// What it is.
    pub ty: Cell,
}

impl Element {
    /// The bit behind its last one.
    pub fn end(&self) -> u64 {
        self.bit + u64::from(bits_of(self.ty).bits)
    }
}

/// A plain union.
pub struct Plain {
    /// The scalars of all members.
    pub elements: Vec<Element>,
    /// The bits that are padding in some member.
    pub padding: Vec<Range<u64>>,
    /// Its size.
    pub bits: u64,
    /// A member of which every bit of the union is in just one scalar, of integers if there is such a one. It
    /// stands for all where the union is seen as bytes.
    pub whole: Option<u32>,
}

/// The bits of a number, as an integer type.
pub fn bits_of(ty: Cell) -> IntType {
    match ty {
        Cell::Int(t) => t,
        Cell::Float(f) => IntType::new(f.width(), false),
        Cell::Address => unreachable!("there are no pointers in plain unions"),
    }
}

impl Layouts<'_> {
    /// A union as a plain one, if it is.
    pub fn plain(&self, r: RecordId) -> Option<Arc<Plain>> {
        if let Some(known) = self.plain.borrow().get(&r) {
            return known.clone();
        }
        let found = if self.math { None } else { self.find_plain(r).map(Arc::new) };
        self.plain.borrow_mut().insert(r, found.clone());
        found
    }

    fn find_plain(&self, r: RecordId) -> Option<Plain> {
        let records = &self.unit.records;
        let bits = 8 * records.size_of(&Type::Record(r), self.model)?;
        let (mut out, mut padding, mut complete, mut whole) = (Vec::new(), Vec::new(), false, Vec::new());
        for (k, field) in records.fields(r).iter().enumerate() {
            let before = out.len();
            let slot = self.field(r, k as u32).0;
            let first = Element { slot, cell: 0, bit: field.bit_offset, ty: Cell::Int(WORD) };
            self.add_elements(&field.ty, field.volatile, first, &mut out)?;
            let own = &out[before..];
            padding.extend(self.padding_in(field, 0, own)?);
            if gaps(own, 0, bits).is_empty() {
                complete = true;
                let once = own.iter().map(|e| e.end() - e.bit).sum::<u64>() == bits;
                let floats = own.iter().any(|e| matches!(e.ty, Cell::Float(_)));
                whole.extend(once.then_some((floats, k as u32)));
            }
        }
        let of_one = |e: &Element| out.iter().filter(|f| f.slot == e.slot).count();
        if !padding.is_empty() && !complete || out.iter().any(|e| of_one(e) > MAX_OF_ONE) {
            return None;
        }
        let whole = whole.into_iter().min().map(|(_, k)| k);
        Some(Plain { elements: out, padding, bits, whole })
    }

    /// The leaves that have the bytes of a type, each byte once: of a plain union those of one member. `None`
    /// if there is another union.
    pub fn byte_leaves(&self, ty: &Type) -> Option<Vec<Leaf>> {
        let mut out = Vec::new();
        for leaf in self.leaves(ty).iter().cloned() {
            if leaf.tag {
                continue;
            }
            let Some(&u) = leaf.unions.first() else {
                out.push(leaf);
                continue;
            };
            // A pointer in a pool has no bytes.
            if self.unit.records.pool() == Some(u.record) {
                out.extend((u.member == 0).then_some(leaf));
                continue;
            }
            let plain = self.plain(u.record).filter(|plain| plain.padding.is_empty())?;
            if plain.whole? == u.member {
                out.push(leaf);
            }
        }
        Some(out)
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
                let stride = self.cells(element);
                let bits = 8 * self.unit.records.size_of(element, self.model)?;
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
        let size = self.unit.records.size_of(&field.ty, self.model)?;
        Some(gaps(elements, first, 8 * size))
    }

    fn add_members(&self, r: RecordId, at: Element, out: &mut Vec<Element>) -> Option<()> {
        for (k, field) in self.unit.records.fields(r).iter().enumerate() {
            let slot = at.slot + self.field(r, k as u32).0;
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
}

/// The bits, of so many from one on, that no scalar has.
pub fn gaps(elements: &[Element], begin: u64, bits: u64) -> Vec<Range<u64>> {
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
