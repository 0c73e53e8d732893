//! From the place of an expression to an [`Access`]: members, elements and their bounds; addresses.

use std::sync::Arc;

use palisade_term::Term;
use rustc_hash::FxHashSet;

use super::{Access, ByteWay, OUTSIDE, PathUnion, Root};
use crate::domain::Val;
use crate::encode::Encoder;
use crate::encode::state::Otherwise;
use crate::ir::{Expr, Place, PlaceKind, Span};
use crate::memory::{DANGLING, FIXED, Kind, Leaf, NOWHERE, ObjectId};
use crate::options::IntMode;
use crate::points_to::Target;
use crate::types::{IntType, Len, Type};

impl Encoder<'_> {
    /// Resolves a place. When only its address is taken, an index may lie one past the end.
    pub(in crate::encode) fn resolve(&mut self, p: &Place, address_only: bool) -> Access {
        match &p.kind {
            PlaceKind::Var(v) => {
                let o = self.memory.object_of(*v, self.instances, self.instance);
                self.object_access(o, p.span)
            }
            PlaceKind::Deref(e) => self.resolve_deref(e, p.span),
            PlaceKind::Field(base, k) => {
                let mut a = self.resolve(base, address_only);
                let Type::Record(r) = base.ty else { unreachable!("a member of a record") };
                if self.unit.records.get(r).union {
                    let (_, c) = self.memory.layouts.tag(r);
                    a.unions.push(PathUnion { offset: a.offset + c, dynamic: a.dynamic, member: *k });
                }
                let (s, c) = self.memory.layouts.field(r, *k);
                a.slot += s;
                a.offset += c;
                let field = &self.unit.records.fields(r)[*k as usize];
                a.volatile |= field.volatile;
                if let Some(way) = &mut a.way {
                    way.bits += i128::from(field.bit_offset);
                    way.bit_field = field.bit_field;
                }
                a
            }
            PlaceKind::Index(base, index) => {
                let mut a = self.resolve(base, address_only);
                let Type::Array(element, _) = &base.ty else { unreachable!("an element of an array") };
                let v = self.int(index);
                let ty = index.ty.as_int().unwrap_or(IntType::INT);
                if !address_only {
                    let open_end = matches!(a.root, Root::Pointer(..)) && self.is_last_member(base);
                    let unclear = match self.options.checks.deref || self.options.goes_on() {
                        true if matches!(base.kind, PlaceKind::Var(_)) => None,
                        true => Some("an index outside an array that is a part of an object"),
                        false if open_end && !self.options.checks.bounds => {
                            Some("an array at the end of a struct used beyond its length")
                        }
                        false => None,
                    };
                    self.check_index(&mut a, v, ty, &base.ty, unclear);
                }
                let stride = self.memory.layouts.cells(element);
                let size = self.memory.layouts.size(element);
                // Elsewhere the index was compared with the length.
                if address_only || matches!(base.ty, Type::Array(_, Len::Unknown)) {
                    let near = self.is_near(v, ty, stride.max(a.way.and(size).unwrap_or(0)));
                    a.near = self.pool.and2(a.near, near);
                    if !address_only {
                        let takes_place = self.require_access(near, OUTSIDE, p.span);
                        a.valid = self.pool.and2(a.valid, takes_place);
                    }
                }
                match v.point() {
                    Some(i) => {
                        a.offset += i * stride;
                        a.stepped |= i != 0;
                        a.way = a.way.zip(size).map(|(w, n)| ByteWay { bits: w.bits + 8 * n * i, ..w });
                    }
                    None => {
                        let i = self.domain.to_address(v, ty);
                        let add = |to: Option<Term>, by: Term| match to {
                            Some(d) => self.domain.address_add(d, by),
                            None => by,
                        };
                        a.dynamic = Some(add(a.dynamic, self.domain.address_scale(i, stride)));
                        a.way = a.way.zip(size).map(|(w, n)| ByteWay {
                            dynamic: Some(add(w.dynamic, self.domain.address_scale(i, n))),
                            ..w
                        });
                    }
                }
                a
            }
        }
    }

    fn resolve_deref(&mut self, e: &Expr, span: Span) -> Access {
        let address = self.pointer(e);
        let targets: Arc<[Target]> =
            self.points_to.targets(e, self.instance, self.instances, self.memory).into();
        if let Some(pointee @ (Type::Record(_) | Type::Array(..))) = e.ty.pointee() {
            self.check_shape(&targets, pointee, address, span);
        }
        let way = self.any_bytes(&targets).then_some(ByteWay { bits: 0, dynamic: None, bit_field: false });
        Access {
            root: Root::Pointer(address, targets),
            slot: 0,
            offset: 0,
            dynamic: None,
            way,
            unions: Vec::new(),
            raw: false,
            copied: 0,
            pointee: e.ty.pointee().cloned().unwrap_or(Type::Void),
            volatile: e.ty.points_to_volatile(),
            valid: self.pool.tru(),
            near: self.pool.tru(),
            stepped: false,
            span,
        }
    }

    /// Members are found by their place in the type of the pointer: the object must have that type there.
    pub(in crate::encode) fn check_shape(
        &mut self,
        targets: &[Target],
        pointee: &Type,
        address: Term,
        span: Span,
    ) {
        let mut refused: FxHashSet<ObjectId> = FxHashSet::default();
        for t in targets {
            let Target::Object(o, slot) = *t else { continue };
            let object = self.memory.get(o);
            let fits = match object.as_bytes {
                true => self.memory.layouts.size(pointee).is_some(),
                false => self.memory.layouts.steps(&object.ty, slot, pointee),
            };
            if object.ty != Type::Void && !fits && refused.insert(o) {
                let what = format!(
                    "`{}` used through a pointer to another type, {}",
                    object.name,
                    self.position(span)
                );
                let inside = self.inside(o, address);
                self.require(self.pool.not(inside), &Otherwise::Unsupported(what.into()));
            }
        }
    }

    /// Is it an array at the end of a struct? It is longer if the block was allocated longer.
    fn is_last_member(&self, p: &Place) -> bool {
        match &p.kind {
            PlaceKind::Field(base, k) => match base.ty {
                Type::Record(r) => *k as usize + 1 == self.unit.records.fields(r).len(),
                _ => false,
            },
            _ => false,
        }
    }

    /// Requires that an index is inside its array. `unclear`: outside of it nobody knows what is there,
    /// unless the place is outside of the whole object.
    fn check_index(
        &mut self,
        a: &mut Access,
        v: Val,
        ty: IntType,
        array: &Type,
        unclear: Option<&'static str>,
    ) {
        let p = self.pool;
        let Type::Array(element, len) = array else { unreachable!("an element of an array") };
        match *len {
            Len::Fixed(n) if v.within(0, i128::from(n) - 1) => {}
            Len::Fixed(n) => {
                let i = self.domain.to_address(v, ty);
                let below = self.domain.address_le(i, self.domain.address(i128::from(n) - 1));
                // A number of 64 bits has a sign as an address.
                let inside = if v.within(0, i128::from(i64::MAX)) {
                    below
                } else {
                    p.and2(self.domain.address_le(self.domain.address(0), i), below)
                };
                if let Some(what) = unclear {
                    let what = format!("{what}, {}", self.position(a.span));
                    let far = self.is_far(a, element, i);
                    self.require(p.or2(inside, far), &Otherwise::Unsupported(what.into()));
                }
                let takes_place = self.require_access(inside, OUTSIDE, a.span);
                a.valid = p.and2(a.valid, takes_place);
            }
            Len::Variable(l) => {
                let i = self.domain.to_address(v, ty);
                let instance = match a.root {
                    Root::Object(o) => match self.memory.get(o).kind {
                        Kind::Local(i) => i,
                        _ => self.instance,
                    },
                    Root::Pointer(..) => self.instance,
                };
                let n = self.variable_length(l, instance);
                let above = self.domain.address_le(self.domain.address(0), i);
                let inside = p.and2(above, p.not(self.domain.address_le(n, i)));
                if let Some(what) = unclear {
                    let what = format!("{what}, {}", self.position(a.span));
                    self.require(inside, &Otherwise::Unsupported(what.into()));
                }
                let takes_place = self.require_access(inside, OUTSIDE, a.span);
                a.valid = p.and2(a.valid, takes_place);
            }
            Len::Unknown => {
                if let Root::Object(o) = a.root
                    && !matches!(self.memory.get(o).kind, Kind::Heap { .. })
                {
                    self.check_declared(a, o, v, ty);
                }
            }
        }
    }

    /// Requires that an index is inside the array without length that a variable is or ends in.
    fn check_declared(&mut self, a: &mut Access, o: ObjectId, v: Val, ty: IntType) {
        let (length, exact) = self.declared_length(o);
        if v.within(0, length - 1) {
            return;
        }
        let i = self.domain.to_address(v, ty);
        let above = self.domain.address_le(self.domain.address(0), i);
        let below = self.domain.address_le(i, self.domain.address(length - 1));
        let inside = self.pool.and2(above, below);
        let takes_place = if exact {
            self.require_access(inside, OUTSIDE, a.span)
        } else {
            self.trust_length(o, inside, a.span);
            self.require_access(above, OUTSIDE, a.span)
        };
        a.valid = self.pool.and2(a.valid, takes_place);
    }

    /// How many elements the array without length has that a variable is or ends in: so many, or at least so
    /// many. The place of an element may have been made before the length was known.
    pub(in crate::encode) fn declared_length(&self, o: ObjectId) -> (i128, bool) {
        let object = self.memory.get(o);
        let last = match &object.ty {
            Type::Array(_, Len::Fixed(n)) => return (i128::from(*n), true),
            Type::Record(r) if self.memory.layouts.flexible(&object.ty).is_some() => {
                self.unit.records.fields(*r).len() as u32 - 1
            }
            _ => return (0, false),
        };
        let Kind::Global(false) = object.kind else { return (0, false) };
        // The elements that have an initialiser are there (gcc's manual, "Zero-length arrays").
        let element = |p: &Place| {
            let mut p = p;
            loop {
                let (PlaceKind::Index(base, _) | PlaceKind::Field(base, _)) = &p.kind else { return None };
                if let (PlaceKind::Index(_, index), PlaceKind::Field(root, k)) = (&p.kind, &base.kind)
                    && *k == last
                    && matches!(root.kind, PlaceKind::Var(_))
                {
                    return index.as_const();
                }
                p = base;
            }
        };
        let known = self.unit.globals[o.0 as usize].init.iter().filter_map(|(p, _)| element(p)).max();
        (known.map_or(0, |k| k + 1), false)
    }

    /// Nobody knows how long the array is that a variable is or ends in. One that is defined elsewhere is
    /// long enough, unless that is the question.
    pub(super) fn trust_length(&mut self, o: ObjectId, inside: Term, span: Span) {
        let object = self.memory.get(o);
        let checked = self.options.checks.bounds || self.options.checks.memory();
        if matches!(object.kind, Kind::Global(true)) && !checked {
            self.note("that arrays whose length is not known are long enough", span);
        } else {
            let what = format!("the length of `{}`, {}", object.name, self.position(span));
            self.require(inside, &Otherwise::Unsupported(what.into()));
        }
    }

    /// Addresses that are bit-vectors wrap around, and those of pointers have a sign: is an element, or the
    /// target of a move by so many, so near that the way there does not lead around?
    pub(in crate::encode) fn is_near(&self, index: Val, ty: IntType, stride: i128) -> Term {
        let most = DANGLING / stride.max(1);
        let least = if ty.signed { -most } else { 0 };
        if self.options.int_mode != IntMode::Bv || index.within(least, most) {
            return self.pool.tru();
        }
        let (i, d) = (self.domain.to_address(index, ty), &self.domain);
        match (stride <= 1, ty.signed) {
            // By single cells, every number leads to another address.
            (true, true) => self.pool.tru(),
            (true, false) => d.address_le(d.address(0), i),
            (false, _) => self.pool.and2(d.address_le(d.address(least), i), d.address_le(i, d.address(most))),
        }
    }

    /// Is an element so far from its array's beginning that it cannot be in the object?
    fn is_far(&self, a: &Access, element: &Type, index: Term) -> Term {
        let size = |ty: &Type| self.unit.records.size_of(ty, self.options.data_model).map(i128::from);
        let Root::Object(o) = a.root else { return self.pool.fls() };
        let (Some(whole), Some(one)) = (size(&self.memory.get(o).ty), size(element)) else {
            return self.pool.fls();
        };
        let most = (whole + one - 1) / one.max(1);
        let d = &self.domain;
        self.pool.or2(d.address_le(d.address(most), index), d.address_le(index, d.address(-most - 1)))
    }

    /// The length of a variable-length array.
    pub(in crate::encode) fn variable_length(
        &mut self,
        local: u32,
        instance: crate::inline::InstanceId,
    ) -> Term {
        let o = ObjectId(self.instances.get(instance).first_var + local);
        let leaf = self.leaf(o, 0).expect("a length is a scalar");
        let var = self.leaf_var(o, &leaf);
        let ty = leaf.ty.as_int().expect("a length is an integer");
        let v = self.domain.variable(self.get(var), ty);
        self.domain.to_address(v, ty)
    }

    /// The address of a place.
    pub(in crate::encode) fn address(&mut self, a: &Access) -> Term {
        let cells = self.address_from(a, a.offset, a.dynamic);
        let Some(bytes) = self.byte_address(a) else { return cells };
        match &a.root {
            Root::Object(_) => bytes,
            Root::Pointer(from, targets) => self.by_region(*from, targets, bytes, cells),
        }
    }

    fn address_from(&self, a: &Access, offset: i128, dynamic: Option<Term>) -> Term {
        let d = &self.domain;
        let base = match &a.root {
            Root::Object(o) => d.address(self.memory.get(*o).base + offset),
            Root::Pointer(t, _) if offset == 0 => *t,
            Root::Pointer(t, _) => d.address_add(*t, d.address(offset)),
        };
        match dynamic {
            Some(x) => d.address_add(base, x),
            None => base,
        }
    }

    /// The address of a place, counted in cells.
    pub(super) fn cell_address(&self, a: &Access) -> Term {
        self.address_from(a, a.offset, a.dynamic)
    }

    /// The address of a place, counted in bytes: of the byte that its first bit is in.
    pub(super) fn byte_address(&self, a: &Access) -> Option<Term> {
        a.way.map(|way| self.address_from(a, way.bits.div_euclid(8), way.dynamic))
    }

    /// Can a pointer see an object as bytes?
    pub(in crate::encode) fn any_bytes(&self, targets: &[Target]) -> bool {
        targets.iter().any(|t| matches!(t, Target::Object(o, _) if self.memory.get(*o).as_bytes))
    }

    /// What holds for a pointer that counts bytes, or cells: which one, its address says.
    pub(in crate::encode) fn by_region(
        &self,
        address: Term,
        targets: &[Target],
        bytes: Term,
        cells: Term,
    ) -> Term {
        let counts_bytes = |t: &Target| match t {
            Target::Object(o, _) => self.memory.get(*o).as_bytes,
            // Integers that became pointers count bytes.
            Target::Function(_) | Target::Fixed => true,
            _ => false,
        };
        let fixed = targets.contains(&Target::Fixed);
        if bytes == cells || !(fixed || self.any_bytes(targets)) {
            cells
        } else if targets.iter().all(counts_bytes) {
            bytes
        } else {
            let mut region = self.in_byte_region(address);
            if fixed {
                let high = self.domain.address_le(self.domain.address(FIXED), address);
                region = self.pool.or2(region, high);
            }
            self.pool.ite(region, bytes, cells)
        }
    }

    /// Is it an address that counts bytes?
    pub(in crate::encode) fn in_byte_region(&self, address: Term) -> Term {
        let (first, end) = self.memory.byte_region;
        let d = &self.domain;
        self.pool.and2(d.address_le(d.address(first), address), d.address_le(address, d.address(end - 1)))
    }

    /// The address of a place as a value: it may be the one behind the last element.
    pub(in crate::encode) fn address_of(&mut self, a: &Access) -> Term {
        let to = self.reached(a);
        self.pool.ite(a.near, to, self.domain.address(NOWHERE))
    }

    fn reached(&mut self, a: &Access) -> Term {
        let to = self.address(a);
        // Offsets are counted in cells, and integers that became pointers in bytes.
        if let Root::Pointer(from, targets) = &a.root
            && targets.contains(&Target::Fixed)
            && (a.offset != 0 || a.dynamic.is_some())
        {
            let elsewhere = self.pool.not(self.domain.address_le(self.domain.address(FIXED), *from));
            let what = format!("the address of a part of a fixed address, {}", self.position(a.span));
            self.require(elsewhere, &Otherwise::Unsupported(what.into()));
        }
        match &a.root {
            Root::Object(o) => {
                let object = self.memory.get(*o);
                let offset = if object.as_bytes { a.way.map_or(-1, |w| w.bits / 8) } else { a.offset };
                if a.dynamic.is_none() && (0..=object.extent).contains(&offset) {
                    return to;
                }
                let from = self.domain.address(object.base);
                self.moved(&[Target::Object(*o, 0)], from, to, a.span)
            }
            Root::Pointer(from, targets)
                if a.dynamic.is_some() || a.stepped || a.way.is_some_and(|w| w.bits != 0) =>
            {
                let (from, targets) = (*from, Arc::clone(targets));
                self.moved(&targets, from, to, a.span)
            }
            Root::Pointer(..) => to,
        }
    }

    /// Is the address inside the object?
    pub(in crate::encode) fn inside(&self, o: ObjectId, address: Term) -> Term {
        let object = self.memory.get(o);
        let d = &self.domain;
        self.pool.and2(
            d.address_le(d.address(object.base), address),
            d.address_le(address, d.address(object.base + object.extent - 1)),
        )
    }

    /// The place of an element of a leaf inside a place, by its cell.
    pub(in crate::encode) fn part(&self, a: &Access, leaf: &Leaf, cell: i128) -> Access {
        let way = a.way.map(|w| ByteWay { bits: w.bits + leaf.bit_at(cell), bit_field: leaf.bit_field, ..w });
        Access { slot: a.slot + leaf.slot, offset: a.offset + cell, way, raw: true, ..a.clone() }
    }

    /// The same, where all of the place is copied: scalars that share bits with this one are copied too.
    pub(in crate::encode) fn copied_part(&self, a: &Access, leaf: &Leaf, cell: i128) -> Access {
        Access { copied: leaf.unions.len(), ..self.part(a, leaf, cell) }
    }

    /// A whole object as a place.
    pub(in crate::encode) fn object_access(&self, o: ObjectId, span: Span) -> Access {
        let root = Root::Object(o);
        let way = self.memory.get(o).as_bytes.then_some(ByteWay { bits: 0, dynamic: None, bit_field: false });
        Access {
            root,
            slot: 0,
            offset: 0,
            dynamic: None,
            way,
            unions: Vec::new(),
            raw: false,
            copied: 0,
            pointee: Type::Void,
            volatile: false,
            valid: self.pool.tru(),
            near: self.pool.tru(),
            stepped: false,
            span,
        }
    }

    /// The object a place is the whole of.
    pub(in crate::encode) fn named_object(&self, a: &Access) -> Option<ObjectId> {
        match a.root {
            Root::Object(o) if a.slot == 0 && a.offset == 0 && a.dynamic.is_none() => Some(o),
            _ => None,
        }
    }
}
