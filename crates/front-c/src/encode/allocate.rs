//! Allocation: a block gets an address, a length and its first contents.
//!
//! What an allocation site allocates is one object. If it is executed at most once, the object is the block;
//! otherwise the object holds all its blocks, one after the other (`memory`). The number of bytes that the
//! program asks for becomes a number of elements of the type that the uses of the block show. First contents
//! that a harness must choose are recorded with the edge.
//!
//! Entry points: [`Encoder::allocate`], [`Encoder::start_blocks`].

use palisade_term::Term;

use super::exec::Fill;
use super::state::{Otherwise, RawBlock};
use super::{Encoder, VarKey};
use crate::ir::{BinOp, Expr, ExprKind, Place, Storage};
use crate::memory::{Kind, ObjectId, tail_size};
use crate::options::{DataModel, IntMode};
use crate::types::{IntType, Len, Type};

impl Encoder<'_> {
    /// Allocates a block, and stores its address.
    pub(super) fn allocate(&mut self, dest: &Place, count: &Expr, by_malloc: bool, site: u32) {
        let o = self.memory.block(self.instances, self.instance, site);
        let object = self.memory.get(o);
        let Kind::Heap { zero, many, .. } = object.kind else { unreachable!("a block") };
        let (ty, base, block) = (object.ty.clone(), object.base, object.block);
        let (as_bytes, tail) = (object.as_bytes, object.tail);
        self.check_size(count, object.bytes);
        self.forbid_huge(count);
        self.keep_size(o, count);
        let mut contents = RawBlock::default();
        let value = match &ty {
            // Nothing ever points into it: the contents do not matter.
            Type::Void => self.domain.address(base),
            Type::Array(element, Len::Unknown) => {
                let mut n = self.element_count(count, element);
                let mut cells = self.memory.element_cells(o);
                if !as_bytes {
                    self.check_block(o, count, element, n);
                }
                let d = &self.domain;
                let legal = d.address_le(n, d.address(self.memory.layouts.span()));
                self.require(legal, &Otherwise::Cut);
                if as_bytes {
                    // Whole elements or not: the length is counted in bytes.
                    n = self.byte_count(o, count);
                    cells = 1;
                }
                if many {
                    // A new block after all the others.
                    let next = self.counter(VarKey::Next(o));
                    let (at, d) = (self.get(next), &self.domain);
                    let end = d.address_add(at, d.address(block));
                    let value = d.address_add(d.address(base), at);
                    let fits = d.address_le(n, d.address(block / cells - 1));
                    let what = format!("a block of more than 2^31 elements, {}", self.position(count.span));
                    self.require(fits, &Otherwise::Unsupported(what.into()));
                    self.set(next, end);
                    if self.memory.has_lengths(o) {
                        let lengths = self.counter(VarKey::Lengths(o));
                        let new = self.pool.store(self.get(lengths), at, n);
                        self.set(lengths, new);
                    }
                    value
                } else {
                    let length = self.counter(VarKey::Length(o));
                    self.set(length, n);
                    contents = self.fill_block(o, &ty, zero);
                    self.domain.address(base)
                }
            }
            _ => {
                if tail {
                    let n = self.byte_count(o, count);
                    let length = self.counter(VarKey::Length(o));
                    self.set(length, n);
                } else if self.memory.layouts.cells(&ty) >= self.memory.layouts.span() {
                    self.set_flexible_length(o, &ty, count);
                }
                contents = self.fill_block(o, &ty, zero);
                self.domain.address(base)
            }
        };
        if !zero && by_malloc {
            self.state.blocks.push(contents);
        }
        self.begin_block(o);
        self.count_block(o);
        let access = self.resolve(dest, false);
        self.store(&access, &dest.ty, value);
    }

    /// No block has 2^63 bytes or more: an address, which has a sign, would not hold their number.
    fn forbid_huge(&mut self, bytes: &Expr) {
        let ty = bytes.ty.as_int().unwrap_or(IntType::UINT);
        let total = self.int(bytes);
        if total.hi.is_some_and(|h| h <= i128::from(i64::MAX)) || self.options.int_mode != IntMode::Bv {
            return;
        }
        let d = &self.domain;
        let fits = d.address_le(d.address(0), d.to_address(total, ty));
        self.require(fits, &Otherwise::Cut);
    }

    /// A block has the size that its layout was made for.
    fn check_size(&mut self, bytes: &Expr, expected: Option<u64>) {
        let Some(expected) = expected.filter(|_| bytes.as_const().is_none()) else { return };
        let ty = bytes.ty.as_int().unwrap_or(IntType::UINT);
        let total = self.int(bytes);
        let total = self.domain.to_address(total, ty);
        let what = format!("a block whose size is not constant, {}", self.position(bytes.span));
        let same = self.pool.eq(total, self.domain.address(i128::from(expected)));
        self.require(same, &Otherwise::Unsupported(what.into()));
    }

    /// A block that is a struct with an array of unknown length at its end: the array has the rest.
    fn set_flexible_length(&mut self, o: ObjectId, ty: &Type, bytes: &Expr) {
        let Some((begin, _, element)) = self.memory.layouts.flexible(ty) else {
            return self.unsupported("a block that ends in a flexible array", bytes.span);
        };
        let size = self.memory.layouts.size(&element).unwrap_or(1).max(1);
        let word = bytes.ty.as_int().unwrap_or(IntType::UINT);
        let total = self.int(bytes);
        let total = self.domain.to_address(total, word);
        let d = &self.domain;
        let rest = d.address_sub(total, d.address(begin));
        let (long, short) =
            (d.address_le(d.address(0), rest), d.address_le(rest, d.address(self.memory.layouts.span())));
        let what = format!("a block that is shorter than its type, {}", self.position(bytes.span));
        self.require(long, &Otherwise::Unsupported(what.into()));
        self.require(short, &Otherwise::Cut);
        let n = match size {
            1 => rest,
            _ => self
                .domain
                .address_div(self.domain.address_sub(rest, self.domain.address_mod(rest, size)), size),
        };
        let length = self.counter(VarKey::Length(o));
        self.set(length, n);
    }

    /// The bytes of a block that pointers see as bytes. One struct with bytes behind it has a largest size.
    fn byte_count(&mut self, o: ObjectId, bytes: &Expr) -> Term {
        let ty = bytes.ty.as_int().unwrap_or(IntType::UINT);
        let total = self.int(bytes);
        let total = self.domain.to_address(total, ty);
        if self.memory.get(o).tail {
            let most = i128::from(tail_size(self.options.data_model));
            let fits = self.domain.address_le(total, self.domain.address(most));
            // On a machine of 32 bits no object is larger.
            let otherwise = match self.options.data_model {
                DataModel::Ilp32 => Otherwise::Cut,
                DataModel::Lp64 => {
                    let what = format!("a block of more than 2^33 bytes, {}", self.position(bytes.span));
                    Otherwise::Unsupported(what.into())
                }
            };
            self.require(fits, &otherwise);
        }
        total
    }

    /// A block of structs or arrays consists of whole ones. Otherwise the members of the last, partial one
    /// would be lost, or the block ends in a flexible array. Where no pointer moves, only the first one
    /// matters.
    fn check_block(&mut self, o: ObjectId, bytes: &Expr, element: &Type, n: Term) {
        if !matches!(element, Type::Record(_) | Type::Array(..)) {
            return;
        }
        let flexible = self.memory.layouts.cells(element) >= self.memory.layouts.span();
        let what = format!("a block whose size is no multiple of its type's, {}", self.position(bytes.span));
        let size = self.unit.records.size_of(element, self.options.data_model).unwrap_or(1).max(1);
        let ty = bytes.ty.as_int().unwrap_or(IntType::UINT);
        let total = self.int(bytes);
        let total = self.domain.to_address(total, ty);
        let whole = self.pool.eq(self.domain.address_scale(n, i128::from(size)), total);
        let fine = match (flexible, self.is_walked(o)) {
            (true, _) => self.pool.fls(),
            (false, true) => whole,
            (false, false) => {
                self.pool.or2(whole, self.domain.address_le(self.domain.address(i128::from(size)), total))
            }
        };
        if !flexible && self.may_end_in_part() {
            // What lies behind the last whole one is outside of the block: any value, and nothing is kept.
            return self.set_open(self.pool.not(fine));
        }
        self.require(fine, &Otherwise::Unsupported(what.into()));
    }

    /// May a block end in a part of its elements? Where an access outside of a block gives any value.
    fn may_end_in_part(&self) -> bool {
        self.options.goes_on() && !self.options.checks.memory()
    }

    /// Returns the inputs that are now in it.
    fn fill_block(&mut self, o: ObjectId, ty: &Type, zero: bool) -> RawBlock {
        let with = if zero { Fill::Zero } else { Fill::Arbitrary };
        let name = self.memory.get(o).name.clone();
        let access = self.object_access(o, self.span);
        self.fill_access(&access, ty, (with, true), &name, self.span)
    }

    /// The number of elements in so many bytes.
    fn element_count(&mut self, bytes: &Expr, element: &Type) -> Term {
        let size = self.unit.records.size_of(element, self.options.data_model).unwrap_or(1).max(1);
        let ty = bytes.ty.as_int().unwrap_or(IntType::UINT);
        let total = self.int(bytes);
        // `n * sizeof(T)` that does not wrap around is `n` elements.
        if let ExprKind::Binary(BinOp::Mul, a, b) = &bytes.kind {
            for (n, k) in [(a, b), (b, a)] {
                if k.as_const() == Some(i128::from(size)) {
                    let v = self.int(n);
                    let exact = v.hi.and_then(|h| h.checked_mul(i128::from(size)));
                    if self.options.int_mode == crate::options::IntMode::Math
                        || exact.is_some_and(|m| m <= ty.max())
                    {
                        return self.domain.to_address(v, ty);
                    }
                }
            }
        }
        let total = self.domain.to_address(total, ty);
        self.domain.address_div(total, i128::from(size))
    }

    /// Is the length of a single block a value of the program?
    fn has_length(&self, o: ObjectId) -> bool {
        let object = self.memory.get(o);
        match &object.ty {
            Type::Array(_, Len::Unknown) => !object.as_bytes || object.bytes.is_none(),
            Type::Void => false,
            ty => object.tail || self.memory.layouts.cells(ty) >= self.memory.layouts.span(),
        }
    }

    /// Objects that hold many blocks exist from the start; so does memory of the environment. A block of
    /// unknown length has no cells before it is allocated.
    pub(super) fn start_blocks(&mut self) {
        for k in self.memory.heap..self.memory.objects.len() as u32 {
            let o = ObjectId(k);
            let object = self.memory.get(o);
            let Kind::Heap { zero, many, .. } = object.kind else { continue };
            if !many {
                if self.has_length(o) {
                    let length = self.counter(VarKey::Length(o));
                    let none = self.domain.address(0);
                    self.set(length, none);
                }
                continue;
            }
            let ty = object.ty.clone();
            self.fill_block(o, &ty, zero);
            let next = self.counter(VarKey::Next(o));
            let first = self.domain.address(0);
            self.set(next, first);
            if matches!(self.memory.get(o).kind, Kind::Heap { storage: Storage::Stack, .. }) {
                let floor = self.counter(VarKey::Floor(o));
                self.set(floor, first);
            }
            if self.memory.has_lengths(o) {
                let lengths = self.counter(VarKey::Lengths(o));
                let none = self.pool.const_array(&self.array_sort(self.domain.address_sort()), first);
                self.set(lengths, none);
            }
        }
    }
}
