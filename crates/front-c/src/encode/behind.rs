//! Addresses behind an object: there another object may begin.
//!
//! Entry point: [`Encoder::is_behind`].

use palisade_term::Term;

use super::Encoder;
use crate::memory::{Kind, ObjectId};
use crate::types::{Len, Type};

impl Encoder<'_> {
    /// Is it the address behind an object, or of a part without bytes at its end? The slots are those that
    /// the pointer may be to. `None` if the object holds many, or if nobody knows how long it is.
    pub(super) fn is_behind(&mut self, o: ObjectId, slots: &[u32], address: Term) -> Option<Term> {
        let end = self.end_of(o).or_else(|| self.end_of_variable(o))?;
        Some(self.is_behind_end(o, slots, address, end))
    }

    /// The same, of an object or block that ends there.
    pub(super) fn is_behind_end(&self, o: ObjectId, slots: &[u32], address: Term, end: Term) -> Term {
        let (object, layouts, d) = (self.memory.get(o), &self.memory.layouts, &self.domain);
        let between = |from: Term, to: Term| {
            self.pool.and2(self.domain.address_le(from, address), self.domain.address_le(address, to))
        };
        let behind = self.pool.eq(address, end);
        let heap = matches!(object.kind, Kind::Heap { .. });
        match layouts.flexible(&object.ty) {
            _ if object.as_bytes => return behind,
            Some(_) if heap => return behind,
            Some((_, first, element)) if self.declared_length(o).0 > 0 => {
                // It has at least these elements.
                let known = first + self.declared_length(o).0 * layouts.cells(&element);
                return between(d.address(object.base + known), d.address(object.base + object.extent));
            }
            _ => {}
        }
        let mut last = &object.ty;
        while let Type::Array(element, Len::Unknown | Len::Variable(_)) = last {
            last = element;
        }
        if layouts.size(last).is_none() {
            return behind;
        }
        let begin = d.address_sub(end, d.address(layouts.cells(last)));
        let mut all = vec![behind];
        for e in layouts.ends(last).iter().filter(|e| slots.iter().any(|slot| e.slots.contains(slot))) {
            let [from, to] = [e.first, e.last].map(|n| d.address_add(begin, d.address(n)));
            all.push(between(from, to));
        }
        self.pool.or(all)
    }

    /// The address behind the last element of an array of variable length.
    fn end_of_variable(&mut self, o: ObjectId) -> Option<Term> {
        let object = self.memory.get(o);
        let &Kind::Local(instance) = &object.kind else { return None };
        let (mut end, mut ty) = (self.domain.address(object.base), &object.ty);
        while let Type::Array(element, len) = ty {
            let count = match *len {
                Len::Fixed(n) => self.domain.address(i128::from(n)),
                Len::Variable(v) => self.variable_length(v, instance),
                Len::Unknown => return None,
            };
            let last = self.domain.address_sub(count, self.domain.address(1));
            let last = self.domain.address_scale(last, self.memory.layouts.cells(element));
            (end, ty) = (self.domain.address_add(end, last), &**element);
        }
        Some(self.domain.address_add(end, self.domain.address(self.memory.layouts.cells(ty))))
    }
}
