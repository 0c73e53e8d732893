//! Objects that pointers see as bytes (`memory::views`): which scalars an access at a byte offset touches.
//!
//! The object keeps the leaves of its declared type. An access of a type finds
//! - a **hit**: a scalar of that type begins there. It is read and written as always;
//! - else a [`Patch`]: the bytes of other scalars. Each byte of the access has alternatives, one for every
//!   [`Position`] in the object that it may be at (a byte of a leaf, with all array indices open), and the
//!   conditions of these exclude each other. A read puts the bits together, a write replaces them in each
//!   scalar. The machine is little-endian.
//!
//! The bits of scalars are cut out by `extract` where integers are bit-vectors, else by `div` and `mod`.
//! Floating-point numbers (bit-vectors only) are their IEEE 754 bits; those of a NaN may be any that stand
//! for a NaN. Bits that belong to no scalar are padding: a read gives any value, a write changes nothing. A
//! violation after a read of such bits is told to depend on them.
//!
//! Of a plain union one member stands for all (`memory::plain`): its scalars are read, and a write to them
//! changes the other members like any write (`overlap`).
//!
//! Accesses as a type that the object does not have there are undefined in C11 (6.5p7) unless they are of
//! character type. gcc and clang read and write the bytes with `-fno-strict-aliasing`: so it is here.
//!
//! Not supported: bytes of pointers, whose values are made up (in an array of bytes a whole pointer can be
//! stored and read, see `pool`); an access that is misaligned for certain; a
//! `_Bool` that would be neither 0 nor 1; unions that are not plain; unions as a whole through pointers.
//!
//! Entry points: [`Encoder::byte_cases`], [`Encoder::read_bytes`], [`Encoder::write_bytes`].

use std::sync::Arc;

use palisade_term::Term;

use super::cases::representable;
use super::{Access, Case, Root, Spot};
use crate::domain::Val;
use crate::encode::state::Otherwise;
use crate::encode::{Encoder, VarKey};
use crate::ir::Span;
use crate::memory::{Dim, Leaf, NOWHERE, ObjectId};
use crate::options::IntMode;
use crate::types::{IntType, Len, Type};

/// A byte of an object, with all array indices open.
pub(in crate::encode) struct Position {
    /// Its offset when all indices are zero.
    base: i128,
    dims: Vec<Dim>,
    parts: Vec<PositionPart>,
}

/// The bits of a byte that belong to one leaf.
struct PositionPart {
    slot: u32,
    /// The first bit, from that of the scalar.
    at: u32,
    /// The first bit, from that of the byte.
    to: u32,
    bits: u32,
}

/// Bytes of scalars of other types than the accessed one.
#[derive(Clone, PartialEq)]
pub(super) struct Patch {
    object: ObjectId,
    /// The value of an access has so many bits, ...
    width: u32,
    /// ... of which the first is this bit of the first byte.
    skipped: u32,
    /// Where each byte may be.
    bytes: Vec<Vec<Alternative>>,
    /// A byte may also be padding.
    padded: bool,
}

#[derive(Clone, PartialEq)]
struct Alternative {
    condition: Term,
    pieces: Vec<Piece>,
}

/// Bits of one scalar.
#[derive(Clone, PartialEq)]
struct Piece {
    spot: Spot,
    /// Its leaf, and its cell from the first of that.
    slot: u32,
    index: Option<Term>,
    /// The type of the scalar, and its width in memory.
    ty: Type,
    width: u32,
    /// The first bit of the scalar, and of the accessed value.
    at: u32,
    from: u32,
    bits: u32,
}

impl Encoder<'_> {
    fn positions(&mut self, o: ObjectId) -> Arc<[Position]> {
        if let Some(known) = self.positions.get(&o) {
            return Arc::clone(known);
        }
        let mut out: Vec<Position> = Vec::new();
        for leaf in self.byte_leaves(&self.memory.get(o).ty) {
            let end = leaf.bit + i128::from(leaf.width);
            for byte in leaf.bit / 8..(end + 7) / 8 {
                let (first, last) = (leaf.bit.max(8 * byte), end.min(8 * byte + 8));
                let part = PositionPart {
                    slot: leaf.slot,
                    at: (first - leaf.bit) as u32,
                    to: (first - 8 * byte) as u32,
                    bits: (last - first) as u32,
                };
                match out.iter_mut().find(|p| p.base == byte && p.dims == leaf.dims) {
                    Some(p) => p.parts.push(part),
                    None => out.push(Position { base: byte, dims: leaf.dims.clone(), parts: vec![part] }),
                }
            }
        }
        let out: Arc<[Position]> = out.into();
        self.positions.insert(o, Arc::clone(&out));
        out
    }

    /// The cases of an access to an object that is seen as bytes.
    pub(super) fn byte_cases(&mut self, o: ObjectId, a: &Access, ty: &Type) -> Vec<Case> {
        let (p, object) = (self.pool, self.memory.get(o));
        let (base, object_type, size) = (object.base, object.ty.clone(), object.extent);
        let tail = object.tail;
        let many = self.memory.is_many(o);
        let size_of_type = self.memory.layouts.size(ty);
        let (Some(address), Some(way), Some(type_size)) = (self.byte_address(a), a.way, size_of_type) else {
            let inside = self.in_byte_region(self.cell_address(a));
            self.refuse(inside, o, &format!("as `{ty}`"), a.span);
            return Vec::new();
        };
        let offset = self.domain.address_sub(address, self.domain.address(base));
        let skipped = way.bits.rem_euclid(8) as u32;
        let width = match ty {
            Type::Int(t) if way.bit_field => t.bits,
            _ => 8 * type_size as u32,
        };
        let align = if way.bit_field { 1 } else { self.memory.layouts.align(ty) };
        let aligned_base = align > 1 && self.memory.layouts.align(&object_type) % align == 0;
        let mut exists = self.exists(o, address);
        if let (Root::Pointer(from, _), true) = (&a.root, way.bits != 0 || way.dynamic.is_some()) {
            // From null or from another object the way leads here by chance.
            exists = p.and2(exists, self.in_margin(o, *from));
            if many && self.may_leave(o) {
                // The head of a list may be there.
                let left = p.eq(*from, self.domain.address(NOWHERE));
                self.refuse(left, o, "through a pointer that has left it", a.span);
            }
            if many {
                let same = p.eq(self.start_of_block(o, *from), self.start_of_block(o, address));
                exists = p.and2(exists, same);
            }
        }
        let bytes = (skipped + width).div_ceil(8);
        let d = &self.domain;
        let inside = match &object_type {
            _ if tail || matches!(object_type, Type::Array(_, Len::Unknown)) => {
                let inside = self.in_block_of_bytes(o, address, i128::from(bytes));
                exists = p.and2(exists, inside);
                inside
            }
            _ => p.and2(
                d.address_le(d.address(0), offset),
                d.address_le(offset, d.address(size - i128::from(bytes))),
            ),
        };
        let mut out = Vec::new();
        // The leaves whose bytes are always part of a hit.
        let mut covered = Vec::new();
        for leaf in self.byte_leaves(&object_type) {
            if self.is_pooled(&leaf) && matches!(ty, Type::Pointer(_)) {
                let place = (o, p.and2(inside, exists));
                out.extend(self.pointer_in_pool(place, &leaf, offset, i128::from(bytes), ty));
                continue;
            }
            let same = leaf.width == width && leaf.bit.rem_euclid(8) == i128::from(skipped);
            if !same || !representable(&leaf.ty, ty) {
                continue;
            }
            let whole = (aligned_base || align == 1) && i128::from(width) == 8 * align && skipped == 0;
            if whole && leaf.bit % (8 * align) == 0 && leaf.dims.iter().all(|d| d.bytes % align == 0) {
                covered.push(leaf.slot);
            }
            let from = self.domain.address_sub(offset, self.domain.address(leaf.bit / 8));
            let (here, index) = self.element_at(&leaf.dims, from, 0);
            if here == p.fls() {
                continue;
            }
            let spot = self.spot(o, &leaf, (0, index));
            let object = Some((o, leaf.dims.is_empty() && object_type.is_scalar()));
            let condition = p.and2(here, exists);
            let (ty, at) = (leaf.ty.clone(), (0, index));
            let (tags, twins) = (self.tags(o, &leaf, at), self.twins(o, &leaf, at, 0));
            out.push(Case { condition, spot, ty, tags, object, twins });
        }
        let anywhere = p.and2(inside, exists);
        if out.iter().any(|c| c.condition == anywhere) {
            return out;
        }
        let no_hit = p.not(p.or(out.iter().map(|c| c.condition)));
        let rest = p.and([inside, exists, no_hit]);
        if rest == p.fls() {
            return out;
        }
        if !matches!(ty, Type::Int(_) | Type::Ieee(_)) {
            self.refuse(rest, o, &format!("as `{ty}`"), a.span);
            return out;
        }
        let mut condition = rest;
        if aligned_base {
            let from_start = if many { self.offset_in_block(o, address) } else { offset };
            let aligned = p.eq(self.remainder(from_start, align), self.domain.address(0));
            self.refuse(p.and2(rest, p.not(aligned)), o, "at an address that is not aligned", a.span);
            condition = p.and2(rest, aligned);
        }
        let padded = self.memory.layouts.is_padded(&object_type);
        let mut places = Vec::new();
        for k in 0..bytes {
            let all =
                self.alternatives(o, offset, k, (skipped, width), &covered, aligned_base.then_some(align));
            if all.is_empty() && !padded {
                return out; // every such access is a hit
            }
            places.push(all);
        }
        let patch = Patch { object: o, width, skipped, bytes: places, padded };
        let (spot, ty) = (Spot::Bytes(Box::new(patch)), ty.clone());
        let (tags, object, twins) = (Vec::new(), Some((o, false)), Vec::new());
        out.push(Case { condition, spot, ty, tags, object, twins });
        out
    }

    /// Are so many bytes from an address on in an allocated block, or in one of many?
    fn in_block_of_bytes(&mut self, o: ObjectId, address: Term, bytes: i128) -> Term {
        let base = self.domain.address(self.memory.get(o).base);
        let offset = self.domain.address_sub(address, base);
        let mut all = vec![self.domain.address_le(self.domain.address(0), offset)];
        let (length, first) = if self.memory.is_many(o) {
            let next = self.counter(VarKey::Next(o));
            all.push(self.pool.not(self.domain.address_le(self.get(next), offset)));
            (self.block_length(o, address), self.offset_in_block(o, address))
        } else {
            (self.byte_length(o), offset)
        };
        let end = self.domain.address_add(first, self.domain.address(bytes));
        all.push(self.domain.address_le(end, length));
        self.pool.and(all)
    }

    /// Where a byte of an access may be: `k` bytes behind its first.
    fn alternatives(
        &mut self,
        o: ObjectId,
        offset: Term,
        k: u32,
        (skipped, width): (u32, u32),
        covered: &[u32],
        align: Option<i128>,
    ) -> Vec<Alternative> {
        let mut out = Vec::new();
        let (lo, hi) = ((8 * k).max(skipped), (8 * k + 8).min(skipped + width));
        for position in self.positions(o).iter() {
            if position.parts.iter().all(|part| covered.contains(&part.slot)) {
                continue;
            }
            let first = position.base - i128::from(k);
            let fits = |n: i128| first.rem_euclid(n) == 0 || position.dims.iter().any(|d| d.bytes % n != 0);
            if !align.is_none_or(fits) {
                continue;
            }
            let from = self.domain.address_sub(offset, self.domain.address(first));
            let (condition, index) = self.element_at(&position.dims, from, 0);
            if condition == self.pool.fls() {
                continue;
            }
            let mut pieces = Vec::new();
            for part in &position.parts {
                let (first, last) = ((8 * k + part.to).max(lo), (8 * k + part.to + part.bits).min(hi));
                if first >= last {
                    continue;
                }
                let leaf = self.leaf(o, part.slot).expect("a leaf of the object");
                pieces.push(Piece {
                    spot: self.spot(o, &leaf, (0, index)),
                    slot: part.slot,
                    index,
                    ty: leaf.ty.clone(),
                    width: leaf.width,
                    at: part.at + first - (8 * k + part.to),
                    from: first - skipped,
                    bits: last - first,
                });
            }
            let certain = condition == self.pool.tru();
            out.push(Alternative { condition, pieces });
            if certain {
                break;
            }
        }
        out
    }

    /// Is a byte offset from the first element of arrays `at` bytes into one of their elements? And the cell
    /// of that element, from the first.
    pub(super) fn element_at(&self, dims: &[Dim], from: Term, at: i128) -> (Term, Option<Term>) {
        let (p, d) = (self.pool, &self.domain);
        if dims.is_empty() {
            return (p.eq(from, d.address(at)), None);
        }
        let mut all = vec![d.address_le(d.address(0), from)];
        let (mut rest, mut index) = (from, d.address(0));
        for dim in dims {
            // The length of a block is checked elsewhere.
            if let Len::Fixed(n) = dim.len {
                all.push(d.address_le(rest, d.address(i128::from(n) * dim.bytes - 1)));
            }
            let inner = self.remainder(rest, dim.bytes);
            let number = self.quotient(d.address_sub(rest, inner), dim.bytes);
            index = d.address_add(index, d.address_scale(number, dim.stride));
            rest = inner;
        }
        all.push(p.eq(rest, d.address(at)));
        (p.and(all), Some(index))
    }

    /// The remainder of an offset that is not negative.
    fn remainder(&self, a: Term, by: i128) -> Term {
        match self.shift_by(by) {
            Some(0) => self.domain.address(0),
            Some(k) => {
                let width = self.pool.width(a);
                self.pool.zero_extend(width - k, self.pool.extract(k - 1, 0, a))
            }
            None if by == 1 => self.domain.address(0),
            None => self.domain.address_mod(a, by),
        }
    }

    /// The exact quotient of an offset that is not negative.
    fn quotient(&self, a: Term, by: i128) -> Term {
        match self.shift_by(by) {
            Some(0) => a,
            Some(k) => {
                let width = self.pool.width(a);
                self.pool.zero_extend(k, self.pool.extract(width - 1, k, a))
            }
            None if by == 1 => a,
            None => self.domain.address_div(a, by),
        }
    }

    /// Where addresses are bit-vectors: the bits that a division by a power of two drops.
    fn shift_by(&self, by: i128) -> Option<u32> {
        let power = self.options.int_mode == IntMode::Bv && by > 0 && by & (by - 1) == 0;
        power.then(|| by.trailing_zeros())
    }

    fn refuse(&mut self, where_it_holds: Term, o: ObjectId, how: &str, span: Span) {
        let what = format!("access to `{}` {how}, {}", self.memory.get(o).name, self.position(span));
        self.require(self.pool.not(where_it_holds), &Otherwise::Unsupported(what.into()));
    }

    /// The pieces of an access, if it is certain which ones they are.
    fn certain_pieces(&self, patch: &Patch) -> Option<Vec<Piece>> {
        let mut out: Vec<Piece> = Vec::new();
        for all in &patch.bytes {
            let [Alternative { condition, pieces }] = &all[..] else { return None };
            if *condition != self.pool.tru() {
                return None;
            }
            for piece in pieces {
                match out.last_mut() {
                    Some(l)
                        if l.spot == piece.spot
                            && l.at + l.bits == piece.at
                            && l.from + l.bits == piece.from =>
                    {
                        l.bits += piece.bits;
                    }
                    _ => out.push(piece.clone()),
                }
            }
        }
        Some(out)
    }

    /// The value of the bytes of other scalars, of the sort of the accessed type.
    pub(super) fn read_bytes(&mut self, patch: &Patch, ty: &Type, condition: Term, span: Span) -> Term {
        let p = self.pool;
        let bits = if let Some(pieces) = self.certain_pieces(patch) {
            self.joined(&pieces, 0, patch.width, condition, (patch.object, span))
        } else {
            let mut parts = Vec::new();
            for (k, all) in (0..).zip(&patch.bytes) {
                let lo = (8 * k).max(patch.skipped) - patch.skipped;
                let hi = (8 * k + 8).min(patch.skipped + patch.width) - patch.skipped;
                let mut value = None;
                if patch.padded || all.is_empty() {
                    let none = p.not(p.or(all.iter().map(|x| x.condition)));
                    let here = p.and2(condition, none);
                    value = (here != p.fls()).then(|| self.padding(hi - lo, here));
                }
                for x in all.iter().rev() {
                    let here = p.and2(condition, x.condition);
                    let new = self.joined(&x.pieces, lo, hi, here, (patch.object, span));
                    value = Some(match value {
                        None => new,
                        Some(rest) => p.ite(x.condition, new, rest),
                    });
                }
                let value = value.unwrap_or_else(|| self.padding(hi - lo, condition));
                parts.push((lo, hi - lo, value));
            }
            self.concatenated(&parts, patch.width)
        };
        let unsigned = IntType::new(patch.width, false);
        let value = self.domain.variable(bits, unsigned);
        match ty {
            Type::Int(t) if t.boolean => {
                let one = self.domain.constant(1, unsigned);
                let fine = self.domain.compare(crate::ir::CmpOp::Le, unsigned, value, one);
                let wrong = p.and2(condition, p.not(fine));
                self.refuse(wrong, patch.object, "as a `_Bool` that is neither 0 nor 1", span);
                self.domain.convert(value, unsigned, *t).term
            }
            Type::Int(t) => self.domain.convert(value, unsigned, *t).term,
            _ => bits,
        }
    }

    /// Bits that belong to no scalar.
    fn padding(&mut self, bits: u32, condition: Term) -> Term {
        self.set_open(condition);
        self.arbitrary("padding", &Type::Int(IntType::new(bits, false)))
    }

    /// The bits of a value from `lo` to `hi`, as an unsigned number.
    fn joined(
        &mut self,
        pieces: &[Piece],
        lo: u32,
        hi: u32,
        condition: Term,
        (o, span): (ObjectId, Span),
    ) -> Term {
        let mut pieces: Vec<&Piece> = pieces.iter().collect();
        pieces.sort_by_key(|x| x.from);
        let (mut parts, mut next) = (Vec::new(), lo);
        for x in pieces {
            if next < x.from {
                parts.push((next - lo, x.from - next, self.padding(x.from - next, condition)));
            }
            let value = self.stored_bits(x, condition, (o, span));
            parts.push((x.from - lo, x.bits, value));
            next = x.from + x.bits;
        }
        if next < hi {
            parts.push((next - lo, hi - next, self.padding(hi - next, condition)));
        }
        self.concatenated(&parts, hi - lo)
    }

    /// A number from its bits: where they begin, how many, and which.
    fn concatenated(&self, parts: &[(u32, u32, Term)], width: u32) -> Term {
        let p = self.pool;
        if let [(0, bits, value)] = parts
            && *bits == width
        {
            return *value;
        }
        if self.options.int_mode == IntMode::Bv {
            let joined = parts.iter().map(|x| x.2).reduce(|low, high| p.concat(high, low));
            return joined.expect("there is at least one bit");
        }
        let scaled = parts.iter().map(|(at, _, v)| self.domain.address_scale(*v, 1 << at));
        scaled.reduce(|a, b| self.domain.address_add(a, b)).expect("there is at least one bit")
    }

    /// The bits of a scalar as an unsigned number, in its width in memory; `None` if they are made up.
    fn raw_bits(&mut self, x: &Piece, condition: Term) -> Option<Term> {
        let raw = self.content(&x.spot)?;
        let unsigned = IntType::new(x.width, false);
        if let (Spot::Element(_, _, true), Type::Int(t)) = (&x.spot, &x.ty)
            && let Some(range) = self.domain.range(raw, *t)
        {
            self.require(self.pool.implies(condition, range), &Otherwise::Chosen);
        }
        match &x.ty {
            Type::Int(t) => Some(self.domain.convert(self.domain.variable(raw, *t), *t, unsigned).term),
            Type::Ieee(_) => Some(raw),
            _ => None,
        }
    }

    fn stored_bits(&mut self, x: &Piece, condition: Term, (o, span): (ObjectId, Span)) -> Term {
        let unsigned = IntType::new(x.width, false);
        let Some(mut raw) = self.raw_bits(x, condition) else {
            self.refuse(condition, o, &format!("that has a `{}` there", x.ty), span);
            return self.domain.constant(0, IntType::new(x.bits, false)).term;
        };
        // Nobody gives a union in an array bits when it begins.
        let leaf = self.leaf(o, x.slot).expect("a leaf of the object");
        if self.is_pooled(&leaf) || leaf.unions.first().is_some_and(|u| self.is_loose(o, u)) {
            raw = self.known_bits((o, x), &leaf, raw, condition, span);
        }
        if x.ty.as_float().is_some() {
            raw = self.reinterpreted(raw, &x.ty, &Type::Int(unsigned), condition);
        }
        self.some_bits(raw, x.width, x.at, x.bits)
    }

    /// Demands that the bits of a scalar in a union are those of a number; padding has any value.
    fn known_bits(
        &mut self,
        (o, x): (ObjectId, &Piece),
        leaf: &Leaf,
        raw: Term,
        condition: Term,
        span: Span,
    ) -> Term {
        let (tags, spot, ty) = (self.tags(o, leaf, (0, x.index)), x.spot.clone(), x.ty.clone());
        let last = tags.iter().filter(|t| t.pool).find_map(|t| self.content(&t.spot));
        self.check_tags(&[Case { condition, spot, ty, tags, object: None, twins: Vec::new() }], span);
        match last {
            Some(last) => self.perhaps_padding(last, raw, &x.ty, condition),
            None => raw,
        }
    }

    /// Some bits of an unsigned number, as an unsigned number.
    pub(super) fn some_bits(&self, v: Term, width: u32, at: u32, bits: u32) -> Term {
        if at == 0 && bits == width {
            return v;
        }
        if self.options.int_mode == IntMode::Bv {
            return self.pool.extract(at + bits - 1, at, v);
        }
        let p = self.pool;
        let whole = if at == 0 { v } else { p.int_div(v, p.int(1i128 << at)) };
        if at + bits == width { whole } else { p.int_mod(whole, p.int(1i128 << bits)) }
    }

    /// An unsigned number with some of its bits replaced.
    pub(super) fn with_bits(&self, old: Term, width: u32, new: Term, at: u32, bits: u32) -> Term {
        if at == 0 && bits == width {
            return new;
        }
        let mut parts = Vec::new();
        if at > 0 {
            parts.push((0, at, self.some_bits(old, width, 0, at)));
        }
        parts.push((at, bits, new));
        let end = at + bits;
        if end < width {
            parts.push((end, width - end, self.some_bits(old, width, end, width - end)));
        }
        self.concatenated(&parts, width)
    }

    /// Writes a value to the bytes of other scalars.
    pub(super) fn write_bytes(&mut self, patch: &Patch, ty: &Type, condition: Term, value: Term, span: Span) {
        let unsigned = IntType::new(patch.width, false);
        let value = match ty {
            Type::Int(t) => self.domain.convert(self.domain.variable(value, *t), *t, unsigned).term,
            _ => value,
        };
        let place = (patch.object, span);
        if let Some(pieces) = self.certain_pieces(patch) {
            for x in &pieces {
                if let Some(new) = self.replaced(x, patch.width, value, condition, place) {
                    self.replace(x, condition, new, place);
                }
            }
            return;
        }
        for all in &patch.bytes {
            // The alternatives exclude each other: each scalar is written once.
            let mut writes: Vec<(&Piece, Term, Term)> = Vec::new();
            for x in all {
                let here = self.pool.and2(condition, x.condition);
                for piece in &x.pieces {
                    let Some(new) = self.replaced(piece, patch.width, value, here, place) else { continue };
                    match writes.iter_mut().find(|w| w.0.spot == piece.spot) {
                        Some((_, any, old)) => {
                            *old = self.pool.ite(x.condition, new, *old);
                            *any = self.pool.or2(*any, here);
                        }
                        None => writes.push((piece, here, new)),
                    }
                }
            }
            for (piece, here, new) in writes {
                self.replace(piece, here, new, place);
            }
        }
    }

    /// Writes a scalar of which some bits are new, and what shares its bits in a union.
    fn replace(&mut self, x: &Piece, condition: Term, new: Term, (o, span): (ObjectId, Span)) {
        let (leaf, at) = (self.leaf(o, x.slot).expect("a leaf of the object"), (0, x.index));
        let (tags, twins) = (self.tags(o, &leaf, at), self.twins(o, &leaf, at, 0));
        self.set_spot(condition, &x.spot, new);
        self.write_twins(&twins, condition, new, &x.ty);
        let (spot, ty) = (x.spot.clone(), x.ty.clone());
        self.set_tags(&[Case { condition, spot, ty, tags, object: None, twins }], span);
    }

    /// The leaves of an object that is seen as bytes.
    fn byte_leaves(&self, ty: &Type) -> Vec<Leaf> {
        self.memory.layouts.byte_leaves(ty).expect("its unions are plain")
    }

    /// The new value of a scalar of which some bits are replaced; `None` if that is not possible.
    fn replaced(
        &mut self,
        x: &Piece,
        width: u32,
        value: Term,
        condition: Term,
        (o, span): (ObjectId, Span),
    ) -> Option<Term> {
        let Some(mut old) = self.raw_bits(x, condition) else {
            self.refuse(condition, o, &format!("that has a `{}` there", x.ty), span);
            return None;
        };
        let leaf = self.leaf(o, x.slot).expect("a leaf of the object");
        if x.bits < x.width && self.is_pooled(&leaf) {
            // The other bits stay.
            old = self.known_bits((o, x), &leaf, old, condition, span);
        }
        let new = self.some_bits(value, width, x.from, x.bits);
        let new = self.with_bits(old, x.width, new, x.at, x.bits);
        let unsigned = IntType::new(x.width, false);
        let Type::Int(t) = &x.ty else { return Some(new) };
        let v: Val = self.domain.variable(new, unsigned);
        if t.boolean {
            let one = self.domain.constant(1, unsigned);
            let fine = self.domain.compare(crate::ir::CmpOp::Le, unsigned, v, one);
            let wrong = self.pool.and2(condition, self.pool.not(fine));
            self.refuse(wrong, o, "that has a `_Bool` there, which would be neither 0 nor 1", span);
        }
        Some(self.domain.convert(v, unsigned, *t).term)
    }
}
