//! Memory of unknown type that is set to zero: `memset(p, 0, n)` of a `void *`.
//!
//! What is there is known from the points-to analysis. It must be whole objects, or whole blocks: all their
//! scalars become zero.
//!
//! Entry point: [`Encoder::clear`].

use std::sync::Arc;

use palisade_term::Term;

use super::Encoder;
use super::state::Otherwise;
use crate::ir::{Expr, Place, PlaceKind};
use crate::memory::ObjectId;
use crate::points_to::Target;
use crate::types::{IntType, Len, Type};

impl Encoder<'_> {
    /// Sets bytes to zero.
    pub(super) fn clear(&mut self, e: &Expr, bytes: &Expr) {
        let at = self.pointer(e);
        let ty = bytes.ty.as_int().unwrap_or(IntType::UINT);
        let size = self.int(bytes);
        let size = self.domain.to_address(size, ty);
        let targets = self.points_to.targets(e, self.instance, self.instances, self.memory);
        let mut objects: Vec<(ObjectId, u32)> = Vec::new();
        for t in &targets {
            match *t {
                Target::Object(o, slot) => objects.push((o, slot)),
                Target::Function(_) => {}
                Target::Unknown | Target::Fixed | Target::Foreign => {
                    return self.unsupported("memory that the program did not allocate as bytes", e.span);
                }
            }
        }
        if objects.iter().any(|(o, _)| self.memory.get(*o).pool) {
            return self.unsupported("a part of a pool as bytes", e.span);
        }
        if objects.is_empty() {
            let never = self.pool.fls();
            self.require_access(never, "access outside an object", e.span);
            return;
        }
        // All of them have one type and size: then the memory is an object of that type.
        let element = self.element(objects[0].0);
        let whole = self.whole_size(objects[0].0);
        let same = objects
            .iter()
            .all(|&(o, slot)| slot == 0 && self.element(o) == element && self.whole_size(o) == whole);
        let (Some((one, count, bytes)), true) = (whole, same && element != Type::Void) else {
            return self.unsupported("memory of more than one kind as bytes", e.span);
        };
        // Behind the last element there may be bytes that are no part of one.
        let (elements, total) = (i128::from(one * count), self.domain.address(i128::from(bytes)));
        let all = self.domain.address_le(self.domain.address(elements), size);
        let begins = self.pool.or(objects.iter().map(|&(o, _)| self.is_beginning(o, at)).collect::<Vec<_>>());
        let inside = self.pool.or(objects.iter().map(|&(o, _)| self.inside(o, at)));
        let what = format!("a part of an object as bytes, {}", self.position(e.span));
        let short = self.pool.and2(inside, self.pool.not(self.pool.and2(begins, all)));
        let long = self.pool.and2(begins, self.pool.not(self.domain.address_le(size, total)));
        let fine = self.pool.or2(self.pool.not(short), long);
        self.require(fine, &Otherwise::Unsupported(what.into()));
        let legal = self.pool.and2(begins, self.domain.address_le(size, total));
        let outside = "access outside an object, or to one that has ended";
        let there = self.require_access(legal, outside, e.span);
        if there != self.pool.tru() {
            return self.unsupported("undefined memory as bytes", e.span);
        }
        let ty = match count {
            1 => element,
            n => Type::Array(Arc::new(element), Len::Fixed(n)),
        };
        let pointer = Expr { ty: ty.clone().pointer_to(), ..e.clone() };
        self.set_to_zero(&Place { ty, kind: PlaceKind::Deref(Box::new(pointer)), span: e.span });
    }

    fn element(&self, o: ObjectId) -> Type {
        match &self.memory.get(o).ty {
            Type::Array(element, _) => (**element).clone(),
            ty => ty.clone(),
        }
    }

    /// The size of an element, how many there are, and the size of the whole object.
    fn whole_size(&self, o: ObjectId) -> Option<(u64, u64, u64)> {
        let size = self.unit.records.size_of(&self.element(o), self.options.data_model)?;
        let object = self.memory.get(o);
        match &object.ty {
            _ if object.tail => None,
            Type::Array(_, Len::Fixed(n)) => Some((size, *n, object.bytes.unwrap_or(size * n))),
            Type::Array(_, Len::Unknown) => object.each.zip(object.bytes).map(|(n, bytes)| (size, n, bytes)),
            Type::Array(_, Len::Variable(_)) | Type::Void => None,
            _ => Some((size, 1, object.bytes.unwrap_or(size))),
        }
    }

    /// Is it the address of a variable, or of a block?
    fn is_beginning(&self, o: ObjectId, at: Term) -> Term {
        let first = match self.memory.is_many(o) {
            true => self.offset_in_block(o, at),
            false => self.domain.address_sub(at, self.domain.address(self.memory.get(o).base)),
        };
        self.pool.and2(self.inside(o, at), self.pool.eq(first, self.domain.address(0)))
    }
}
