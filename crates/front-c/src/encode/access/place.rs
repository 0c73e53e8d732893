//! From the place of an expression to an [`Access`]: members, elements and their bounds; addresses.

use std::sync::Arc;

use palisade_term::Term;

use super::{Access, OUTSIDE, PathUnion, Root};
use crate::domain::Val;
use crate::encode::Encoder;
use crate::encode::state::Otherwise;
use crate::ir::{Expr, Place, PlaceKind, Span};
use crate::memory::{Kind, ObjectId};
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
                a
            }
            PlaceKind::Index(base, index) => {
                let mut a = self.resolve(base, address_only);
                let Type::Array(element, _) = &base.ty else { unreachable!("an element of an array") };
                let v = self.int(index);
                let ty = index.ty.as_int().unwrap_or(IntType::INT);
                if !address_only {
                    let open_end = matches!(a.root, Root::Pointer(..)) && self.is_last_member(base);
                    let unclear = match self.options.checks.deref {
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
                match v.point() {
                    Some(i) => {
                        a.offset += i * stride;
                        a.stepped |= i != 0;
                    }
                    None => {
                        let i = self.domain.to_address(v, ty);
                        let i = self.domain.address_scale(i, stride);
                        a.dynamic = Some(match a.dynamic {
                            Some(d) => self.domain.address_add(d, i),
                            None => i,
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
        Access {
            root: Root::Pointer(address, targets),
            slot: 0,
            offset: 0,
            dynamic: None,
            unions: Vec::new(),
            raw: false,
            pointee: e.ty.pointee().cloned().unwrap_or(Type::Void),
            valid: self.pool.tru(),
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
        for t in targets {
            let Target::Object(o, slot) = *t else { continue };
            let object = self.memory.get(o);
            if object.ty != Type::Void && !self.memory.layouts.steps(&object.ty, slot, pointee) {
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
                let inside = if v.nonnegative() {
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
            Len::Unknown => {}
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
    pub(super) fn variable_length(&mut self, local: u32, instance: crate::inline::InstanceId) -> Term {
        let o = ObjectId(self.instances.get(instance).first_var + local);
        let leaf = self.leaf(o, 0).expect("a length is a scalar");
        let var = self.leaf_var(o, &leaf);
        let ty = leaf.ty.as_int().expect("a length is an integer");
        let v = self.domain.variable(self.get(var), ty);
        self.domain.to_address(v, ty)
    }

    /// The address of a place.
    pub(in crate::encode) fn address(&mut self, a: &Access) -> Term {
        let d = &self.domain;
        let base = match &a.root {
            Root::Object(o) => d.address(self.memory.get(*o).base + a.offset),
            Root::Pointer(t, _) if a.offset == 0 => *t,
            Root::Pointer(t, _) => d.address_add(*t, d.address(a.offset)),
        };
        match a.dynamic {
            Some(x) => d.address_add(base, x),
            None => base,
        }
    }

    /// The address of a place as a value: it may be the one behind the last element.
    pub(in crate::encode) fn address_of(&mut self, a: &Access) -> Term {
        let to = self.address(a);
        match &a.root {
            Root::Object(o) => {
                let object = self.memory.get(*o);
                if a.dynamic.is_none() && (0..=object.extent).contains(&a.offset) {
                    return to;
                }
                let from = self.domain.address(object.base);
                self.moved(&[Target::Object(*o, 0)], from, to, a.span)
            }
            Root::Pointer(from, targets) if a.dynamic.is_some() || a.stepped => {
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

    /// The place of a leaf inside a place, with the cell of its first element.
    pub(in crate::encode) fn part(&self, a: &Access, slot: u32, offset: i128) -> Access {
        Access { slot: a.slot + slot, offset: a.offset + offset, raw: true, ..a.clone() }
    }

    /// A whole object as a place.
    pub(in crate::encode) fn object_access(&self, o: ObjectId, span: Span) -> Access {
        let root = Root::Object(o);
        Access {
            root,
            slot: 0,
            offset: 0,
            dynamic: None,
            unions: Vec::new(),
            raw: false,
            pointee: Type::Void,
            valid: self.pool.tru(),
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
