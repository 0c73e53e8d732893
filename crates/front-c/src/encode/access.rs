//! Places: from C lvalues to variables, array elements, and case splits over what a pointer may point to.
//!
//! A place is resolved in two steps. [`Encoder::resolve`] makes an [`Access`]: a root (a named object, or a pointer with its points-to set) and the way from there, as a
//! slot and a cell offset whose constant and varying parts are kept apart. Loads and stores then list the cases: for a named object the one variable or array element it
//! is; for a pointer one case per target, each under the condition that the address lies in it.
//!
//! Invariants:
//! - The conditions of the cases exclude each other, and that one of them holds is required (checked, reported or assumed, as the options say): so the last case of a read needs
//!   no condition. Where undefined accesses go on with any value, it is not required, and a read has one more case.
//! - A case whose stored type cannot represent the accessed one is no case: reaching it is unsupported.
//! - A read of a leaf inside a union requires that its member was the last one written (or that the union is zero throughout); a write says so in the union's tag. A write to a
//!   part of a member that was not written last is unsupported, as the rest of the member would be bytes of another one. Parts of a place that is handled as a whole (`raw`)
//!   skip this: their tags are leaves like others, and [`Encoder::enter_unions`] looks at the unions around the whole.
//! - A read of a `volatile` leaf, or at a fixed address, is an input.
//! - What is read from indeterminate memory (of the environment, of arrays without initial values) is confined to the range of its type.

use std::sync::Arc;

use palisade_term::Term;

use super::state::Otherwise;
use super::{Encoder, VarKey};
use crate::domain::Val;
use crate::ir::{Expr, Place, PlaceKind, Span};
use crate::memory::{ALL_ZERO, Cell, Dim, ENVIRONMENT_STRIDE, FIXED, INDETERMINATE, Kind, Leaf, ObjectId};
use crate::options::UndefinedMemory;
use crate::points_to::Target;
use crate::types::{IntType, Len, Type};

/// What an access outside an object is called.
const OUTSIDE: &str = "access outside an object";

/// Where a place starts.
#[derive(Clone)]
enum Root {
    /// A named object.
    Object(ObjectId),
    /// What a pointer points to: its value, and what it may be.
    Pointer(Term, Arc<[Target]>),
}

/// A place, resolved: a root and the way from there.
#[derive(Clone)]
pub(super) struct Access {
    root: Root,
    slot: u32,
    offset: i128,
    /// The part of the offset that is not constant.
    dynamic: Option<Term>,
    /// The unions on the way: what leads to the tag, and the member chosen. Only memory of the environment needs them: elsewhere the leaf knows the unions around it.
    unions: Vec<PathUnion>,
    /// A part of a place that is handled as a whole: tags are neither checked nor set.
    raw: bool,
    /// What the pointer at the root points to.
    pointee: Type,
    /// The indices are inside their arrays; where that is not so the access does not take place.
    valid: Term,
    span: Span,
}

#[derive(Clone)]
struct PathUnion {
    offset: i128,
    dynamic: Option<Term>,
    member: u32,
}

/// A scalar in memory.
enum Spot {
    /// A variable.
    Var(Term),
    /// An element of an array; the flag says that its value may be indeterminate.
    Element(Term, Term, bool),
    /// Not stored: a read is an input, a write changes nothing.
    Nowhere,
    /// Stored in this one, but a read is an input.
    Volatile(Box<Spot>),
}

/// The tag of a union around a scalar.
struct Tag {
    spot: Spot,
    member: u32,
    /// The access is to all of the member.
    whole: bool,
    /// It may be any number: memory of the environment.
    foreign: bool,
}

/// All possibilities for a place.
struct Cases {
    list: Vec<Case>,
    /// One of them applies. Otherwise none may: then a read gives any value, and a write changes nothing.
    total: bool,
}

/// One possibility for a place: the condition under which it applies, and the type the scalar has there.
struct Case {
    condition: Term,
    spot: Spot,
    ty: Type,
    tags: Vec<Tag>,
    /// The object, and whether this is all of it.
    object: Option<(ObjectId, bool)>,
}

impl Encoder<'_> {
    /// Resolves a place. When only its address is taken, an index may lie one past the end.
    pub(super) fn resolve(&mut self, p: &Place, address_only: bool) -> Access {
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
                let Type::Array(element, len) = &base.ty else { unreachable!("an element of an array") };
                let v = self.int(index);
                let ty = index.ty.as_int().unwrap_or(IntType::INT);
                if !address_only {
                    let open_end = matches!(a.root, Root::Pointer(..)) && self.is_last_member(base);
                    self.check_index(&mut a, v, ty, *len, open_end);
                }
                let stride = self.memory.layouts.cells(element);
                match v.point() {
                    Some(i) => a.offset += i * stride,
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
            span,
        }
    }

    /// Members are found by their place in the type of the pointer: the object must have that type there.
    pub(super) fn check_shape(&mut self, targets: &[Target], pointee: &Type, address: Term, span: Span) {
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

    /// Is it an array at the end of a struct? Blocks may be allocated longer, and then it is longer too.
    fn is_last_member(&self, p: &Place) -> bool {
        match &p.kind {
            PlaceKind::Field(base, k) => match base.ty {
                Type::Record(r) => *k as usize + 1 == self.unit.records.fields(r).len(),
                _ => false,
            },
            _ => false,
        }
    }

    fn check_index(&mut self, a: &mut Access, v: Val, ty: IntType, len: Len, open_end: bool) {
        let p = self.pool;
        match len {
            Len::Fixed(n) if v.within(0, i128::from(n) - 1) => {}
            Len::Fixed(n) => {
                let i = self.domain.to_address(v, ty);
                let below = self.domain.address_le(i, self.domain.address(i128::from(n) - 1));
                let inside = if v.nonnegative() {
                    below
                } else {
                    p.and2(self.domain.address_le(self.domain.address(0), i), below)
                };
                if open_end && !self.options.checks.bounds {
                    let what = format!(
                        "an array at the end of a struct used beyond its length, {}",
                        self.position(a.span)
                    );
                    self.require(inside, &Otherwise::Unsupported(what.into()));
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
                let takes_place = self.require_access(inside, OUTSIDE, a.span);
                a.valid = p.and2(a.valid, takes_place);
            }
            Len::Unknown => {}
        }
    }

    /// The length of a variable-length array.
    fn variable_length(&mut self, local: u32, instance: crate::inline::InstanceId) -> Term {
        let o = ObjectId(self.instances.get(instance).first_var + local);
        let leaf = self.leaf(o, 0).expect("a length is a scalar");
        let var = self.leaf_var(o, &leaf);
        let ty = leaf.ty.as_int().expect("a length is an integer");
        let v = self.domain.variable(self.get(var), ty);
        self.domain.to_address(v, ty)
    }

    /// The address of a place.
    pub(super) fn address(&mut self, a: &Access) -> Term {
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

    /// Is the address inside the object?
    pub(super) fn inside(&self, o: ObjectId, address: Term) -> Term {
        let object = self.memory.get(o);
        let d = &self.domain;
        let many = matches!(object.kind, Kind::Heap { many: true, .. });
        let cells =
            self.memory.layouts.cells(&object.ty).max(if many { self.memory.layouts.span() } else { 1 });
        self.pool.and2(
            d.address_le(d.address(object.base), address),
            d.address_le(address, d.address(object.base + cells - 1)),
        )
    }

    /// The scalar of a named object.
    fn object_case(&mut self, o: ObjectId, a: &Access) -> Option<Case> {
        let leaf = self.leaf(o, a.slot)?;
        let (tru, ty) = (self.pool.tru(), leaf.ty.clone());
        let at = (a.offset - leaf.offset, a.dynamic);
        let spot = self.spot(o, &leaf, at);
        let tags = if a.raw { Vec::new() } else { self.tags(o, &leaf, at) };
        let object = Some((o, leaf.dims.is_empty() && self.memory.get(o).ty.is_scalar()));
        Some(Case { condition: tru, spot, ty, tags, object })
    }

    /// Is what was written to a leaf what is read there? Floating-point numbers are not modelled, `volatile` objects change by themselves.
    fn is_stored(&self, o: ObjectId, leaf: &Leaf) -> bool {
        leaf.ty.is_scalar() && !leaf.volatile && !self.memory.get(o).volatile
    }

    /// Where the scalar of a leaf is, at so many cells (a constant and a varying part) from its first. That a number is `volatile` does not keep it from being stored:
    /// whether it has changed by itself must be known.
    fn spot(&mut self, o: ObjectId, leaf: &Leaf, at: (i128, Option<Term>)) -> Spot {
        match leaf.ty {
            _ if self.is_stored(o, leaf) => self.stored_spot(o, leaf, at),
            Type::Int(_) => Spot::Volatile(Box::new(self.stored_spot(o, leaf, at))),
            _ => Spot::Nowhere,
        }
    }

    /// The variable or array element of a leaf.
    fn stored_spot(&mut self, o: ObjectId, leaf: &Leaf, (constant, dynamic): (i128, Option<Term>)) -> Spot {
        let object = self.memory.get(o);
        let (split, indeterminate) = (object.split, object.indeterminate);
        if leaf.dims.is_empty() {
            return Spot::Var(self.leaf_var(o, leaf));
        }
        if split {
            return Spot::Var(self.cell_var(o, leaf, leaf.offset + constant));
        }
        let array = self.leaf_var(o, leaf);
        let constant = self.domain.address(constant);
        let index = match dynamic {
            Some(x) => self.domain.address_add(x, constant),
            None => constant,
        };
        Spot::Element(array, index, indeterminate)
    }

    /// The tags of the unions around a cell of a leaf.
    fn tags(&mut self, o: ObjectId, leaf: &Leaf, (constant, dynamic): (i128, Option<Term>)) -> Vec<Tag> {
        let mut out = Vec::new();
        for u in &leaf.unions {
            let tag = self.leaf(o, u.slot).expect("a union has a tag");
            // Inside the union there may be more arrays; their part of the offset does not count.
            let at = match tag.dims.last() {
                None => (0, None),
                Some(_) if tag.dims.len() == leaf.dims.len() => (constant, dynamic),
                Some(d) => match dynamic {
                    None => (constant - constant.rem_euclid(d.stride), None),
                    Some(x) => {
                        let index = self.domain.address_add(x, self.domain.address(constant));
                        let inner = self.domain.address_mod(index, d.stride);
                        (0, Some(self.domain.address_sub(index, inner)))
                    }
                },
            };
            let spot = self.stored_spot(o, &tag, at);
            out.push(Tag { spot, member: u.member, whole: u.whole, foreign: false });
        }
        out
    }

    /// The scalar at an address, if the pointer points into this object.
    fn target_case(
        &mut self,
        o: ObjectId,
        slot: u32,
        address: Term,
        ambiguous: bool,
        raw: bool,
    ) -> Option<Case> {
        let leaf = self.leaf(o, slot)?;
        let ty = leaf.ty.clone();
        let base = self.memory.get(o).base;
        let (p, start) = (self.pool, self.domain.address(base + leaf.offset));
        let index = self.domain.address_sub(address, start);
        let at = if leaf.dims.is_empty() { (0, None) } else { (0, Some(index)) };
        let condition = if leaf.dims.is_empty() {
            p.eq(address, start)
        } else {
            let mut condition = vec![self.domain.address_le(self.domain.address(0), index)];
            condition.push(self.below_end(o, &leaf, index));
            if ambiguous {
                condition.push(self.aligned(&leaf.dims, index));
            }
            p.and(condition)
        };
        let spot = self.spot(o, &leaf, at);
        let tags = if raw { Vec::new() } else { self.tags(o, &leaf, at) };
        let object = Some((o, leaf.dims.is_empty() && self.memory.get(o).ty.is_scalar()));
        Some(Case { condition, spot, ty, tags, object })
    }

    /// Is a cell offset from the leaf's first element before the end of its arrays?
    fn below_end(&mut self, o: ObjectId, leaf: &Leaf, index: Term) -> Term {
        let mut last = self.domain.address(0);
        for d in &leaf.dims {
            let extent = match d.len {
                Len::Fixed(n) => self.domain.address((i128::from(n) - 1) * d.stride),
                Len::Variable(l) => {
                    let instance = match self.memory.get(o).kind {
                        Kind::Local(i) => i,
                        _ => self.instance,
                    };
                    let n = self.variable_length(l, instance);
                    let n = self.domain.address_sub(n, self.domain.address(1));
                    self.domain.address_scale(n, d.stride)
                }
                Len::Unknown => match self.memory.get(o).kind {
                    Kind::Heap { many: true, .. } => {
                        let next = self.counter(VarKey::Next(o));
                        self.domain.address_sub(self.get(next), self.domain.address(1))
                    }
                    Kind::Heap { .. } => {
                        let n = self.counter(VarKey::Length(o));
                        let n = self.domain.address_sub(self.get(n), self.domain.address(1));
                        self.domain.address_scale(n, d.stride)
                    }
                    _ => self.domain.address(self.memory.layouts.span() - 1),
                },
            };
            last = self.domain.address_add(last, extent);
        }
        self.domain.address_le(index, last)
    }

    /// Does a cell offset (not negative) hit this leaf, and not another one of the same elements?
    fn aligned(&self, dims: &[Dim], index: Term) -> Term {
        let p = self.pool;
        let mut parts = Vec::new();
        let mut rest = index;
        for (k, d) in dims.iter().enumerate() {
            if k > 0 {
                let last = match d.len {
                    Len::Fixed(n) => (i128::from(n) - 1) * d.stride,
                    _ => self.memory.layouts.span() * d.stride,
                };
                parts.push(self.domain.address_le(rest, self.domain.address(last)));
            }
            if d.stride == 1 {
                return p.and(parts);
            }
            rest = self.domain.address_mod(rest, d.stride);
        }
        parts.push(p.eq(rest, self.domain.address(0)));
        p.and(parts)
    }

    /// All possibilities for a scalar place. Demands that one of them applies.
    fn cases(&mut self, a: &Access, ty: &Type) -> Cases {
        let (address, targets) = match &a.root {
            Root::Object(o) => {
                let mut case = self.object_case(*o, a).filter(|c| representable(&c.ty, ty));
                match &mut case {
                    Some(c) => c.condition = a.valid,
                    None => self.unsupported("floating point", a.span),
                }
                let total = a.valid == self.pool.tru();
                return Cases { list: case.into_iter().collect(), total };
            }
            Root::Pointer(_, targets) => (self.address(a), targets.clone()),
        };
        let mut out: Vec<Case> = Vec::new();
        for (k, t) in targets.iter().enumerate() {
            match *t {
                Target::Object(o, _) if !self.lives(o) => {}
                Target::Object(o, s) => {
                    let twice = targets
                        .iter()
                        .enumerate()
                        .any(|(j, u)| j != k && matches!(u, Target::Object(p, _) if *p == o));
                    match self.target_case(o, s + a.slot, address, twice, a.raw) {
                        Some(c) if representable(&c.ty, ty) => out.push(c),
                        _ => {
                            let what = format!(
                                "access to `{}` as `{ty}`, {}",
                                self.memory.get(o).name,
                                self.position(a.span)
                            );
                            let inside = self.inside(o, address);
                            self.require(self.pool.not(inside), &Otherwise::Unsupported(what.into()));
                        }
                    }
                    if self.options.checks.bounds
                        && matches!(self.memory.get(o).kind, Kind::Heap { many: true, .. })
                    {
                        let what = format!("bounds of repeated allocations, {}", self.position(a.span));
                        let inside = self.inside(o, address);
                        self.require(self.pool.not(inside), &Otherwise::Unsupported(what.into()));
                    }
                }
                // The same memory as the other.
                Target::Unknown if targets.contains(&Target::Foreign) => {}
                Target::Unknown | Target::Foreign => {
                    if *t == Target::Foreign && self.may_be_own(&a.pointee) {
                        let at = self.position(a.span);
                        let what = format!("memory that a function without body returned, {at}");
                        let above = self.domain.address_le(self.domain.address(0), address);
                        self.require(above, &Otherwise::Unsupported(what.into()));
                    }
                    let spot = match Cell::of(ty) {
                        Some(cell) => Spot::Element(self.environment(cell), address, true),
                        None => Spot::Nowhere,
                    };
                    let condition = self.domain.address_le(address, self.domain.address(-1));
                    let tags = self.foreign_tags(a);
                    out.push(Case { condition, spot, ty: ty.clone(), tags, object: None });
                }
                Target::Fixed => {
                    let condition = self.domain.address_le(self.domain.address(FIXED), address);
                    let (spot, ty) = (Spot::Nowhere, ty.clone());
                    out.push(Case { condition, spot, ty, tags: Vec::new(), object: None });
                }
                Target::Function(_) => {}
            }
        }
        let (p, null) = (self.pool, self.domain.address(0));
        let mut takes_place = a.valid;
        if !self.options.checks.bounds {
            let there = self.require_access(p.not(p.eq(address, null)), "null dereference", a.span);
            takes_place = p.and2(takes_place, there);
        }
        let any = p.or(out.iter().map(|c| c.condition));
        let there = self.require_access(any, OUTSIDE, a.span);
        takes_place = p.and2(takes_place, there);
        let total = takes_place == p.tru();
        if !total {
            out.iter_mut().for_each(|c| c.condition = p.and2(c.condition, takes_place));
        }
        Cases { list: out, total }
    }

    /// Does the object exist while the function at hand is executed? A local variable only while its function does.
    fn lives(&self, o: ObjectId) -> bool {
        let Kind::Local(owner) = self.memory.get(o).kind else { return true };
        let mut at = Some(self.instance);
        while let Some(i) = at {
            if i == owner {
                return true;
            }
            at = self.instances.get(i).caller.map(|(caller, _)| caller);
        }
        self.options.undefined == UndefinedMemory::Assume
    }

    /// The tags of unions in memory of the environment, as far as the path to the place says.
    fn foreign_tags(&mut self, a: &Access) -> Vec<Tag> {
        let Root::Pointer(..) = a.root else { return Vec::new() };
        if a.raw || a.unions.is_empty() {
            return Vec::new();
        }
        let array = self.environment(Cell::Int(IntType::INT));
        let mut out = Vec::new();
        for u in &a.unions {
            let tag = Access { offset: u.offset, dynamic: u.dynamic, unions: Vec::new(), ..a.clone() };
            let spot = Spot::Element(array, self.address(&tag), true);
            out.push(Tag { spot, member: u.member, whole: false, foreign: true });
        }
        out
    }

    fn content(&self, spot: &Spot) -> Option<Term> {
        match spot {
            Spot::Var(v) => Some(self.get(*v)),
            Spot::Element(array, index, _) => Some(self.pool.select(self.get(*array), *index)),
            Spot::Nowhere | Spot::Volatile(_) => None,
        }
    }

    fn set_spot(&mut self, condition: Term, spot: &Spot, value: Term) {
        let (var, new) = match spot {
            Spot::Var(v) => (*v, value),
            Spot::Element(array, index, _) => (*array, self.pool.store(self.get(*array), *index, value)),
            Spot::Nowhere => return,
            Spot::Volatile(spot) => return self.set_spot(condition, spot, value),
        };
        let new = self.pool.ite(condition, new, self.get(var));
        self.set(var, new);
    }

    /// Reads every case; the last one needs no condition if one of them applies.
    fn read(
        &mut self,
        cases: &Cases,
        ty: &Type,
        span: Span,
        convert: impl Fn(&Self, Term, &Type) -> Term,
    ) -> Option<Term> {
        let mut result = (!cases.total).then(|| self.arbitrary("undefined", ty));
        for c in cases.list.iter().rev() {
            let raw = match self.content(&c.spot) {
                Some(value) => value,
                None => self.other_value(c, span),
            };
            let value = convert(self, raw, &c.ty);
            result = Some(match result {
                None => value,
                Some(rest) => self.pool.ite(c.condition, value, rest),
            });
        }
        result
    }

    /// What is read where nothing is stored: any number. A pointer would have to be any pointer.
    fn other_value(&mut self, c: &Case, span: Span) -> Term {
        if let Type::Int(_) = c.ty {
            let value = self.arbitrary("value", &c.ty);
            if let Spot::Volatile(spot) = &c.spot
                && let Some(stored) = self.content(spot)
            {
                let changed = self.pool.and2(c.condition, self.pool.not(self.pool.eq(value, stored)));
                self.set_open(changed);
            }
            return value;
        }
        let what = format!("a pointer that the environment may change, {}", self.position(span));
        let not_here = self.pool.not(c.condition);
        self.require(not_here, &Otherwise::Unsupported(what.into()));
        self.domain.address(0)
    }

    /// Demands that a named object that is copied as a whole was not left to a function without body.
    pub(super) fn check_fresh(&mut self, a: &Access) {
        if let Root::Object(o) = a.root {
            let (spot, ty, tags) = (Spot::Nowhere, Type::Void, Vec::new());
            let case = Case { condition: self.pool.tru(), spot, ty, tags, object: Some((o, false)) };
            self.check_tags(&[case], a.span);
        }
    }

    /// Can memory of this type that a function without body returned be part of an object of the program? A pointer to bytes may point anywhere.
    fn may_be_own(&self, pointee: &Type) -> bool {
        let anywhere = matches!(pointee, Type::Int(t) if t.bits == 8) || *pointee == Type::Void;
        let layouts = &self.memory.layouts;
        self.options.undefined == UndefinedMemory::Report
            && self.points_to.escaped().iter().any(|o| {
                let ty = &self.memory.get(*o).ty;
                anywhere || (0..layouts.slots(ty)).any(|s| layouts.around(ty, s, pointee).is_some())
            })
    }

    /// Demands that what is read was not left to a function without body, and that the union members around it were the last ones written.
    fn check_tags(&mut self, cases: &[Case], span: Span) {
        for c in cases {
            if let Some((o, _)) = c.object
                && let Some(flag) = self.stale(o)
            {
                let name = &self.memory.get(o).name;
                let at = self.position(span);
                let what = format!("`{name}` may have been changed by a function without body, {at}");
                let fresh = self.pool.implies(c.condition, self.pool.not(self.get(flag)));
                self.require(fresh, &Otherwise::Unsupported(what.into()));
            }
            for t in &c.tags {
                let allowed: &[i128] = if t.foreign { &[] } else { &[ALL_ZERO] };
                let what =
                    format!("read of a union member that was not written last, {}", self.position(span));
                self.require_tag(c.condition, t, allowed, what);
            }
        }
    }

    fn require_tag(&mut self, condition: Term, tag: &Tag, others: &[i128], what: String) {
        let Some(value) = self.content(&tag.spot) else { return };
        let wanted = [i128::from(tag.member)];
        let same = wanted.iter().chain(others).map(|&v| {
            let v = self.domain.constant(v, IntType::INT).term;
            self.pool.eq(value, v)
        });
        let same = self.pool.or(same.collect::<Vec<_>>());
        let required = self.pool.implies(condition, same);
        self.require(required, &Otherwise::Unsupported(what.into()));
    }

    /// Notes that the members around a scalar are now the ones written last.
    fn set_tags(&mut self, cases: &[Case], span: Span) {
        for c in cases {
            if let Some((o, true)) = c.object
                && let Some(flag) = self.stale(o)
            {
                let value = self.pool.and2(self.get(flag), self.pool.not(c.condition));
                self.set(flag, value);
            }
            for t in &c.tags {
                if !t.whole {
                    let allowed: &[i128] = if t.foreign { &[] } else { &[ALL_ZERO, INDETERMINATE] };
                    let what = format!(
                        "write to a part of a union member that was not written last, {}",
                        self.position(span)
                    );
                    self.require_tag(c.condition, t, allowed, what);
                }
                let member = self.domain.constant(i128::from(t.member), IntType::INT).term;
                self.set_spot(c.condition, &t.spot, member);
            }
        }
    }

    /// Handles the unions around a place that is read or written as a whole: the same checks as for a scalar.
    pub(super) fn enter_unions(&mut self, a: &Access, ty: &Type, write: bool) {
        let place: Vec<(ObjectId, u32)> = match &a.root {
            Root::Object(o) => vec![(*o, a.slot)],
            Root::Pointer(_, targets) => targets
                .iter()
                .filter_map(|t| match *t {
                    Target::Object(o, s) => Some((o, s + a.slot)),
                    _ => None,
                })
                .collect(),
        };
        let scalar = !matches!(ty, Type::Record(_) | Type::Array(..));
        let mut cases = if scalar { self.cases(a, ty).list } else { Vec::new() };
        if !scalar {
            let foreign = matches!(&a.root, Root::Pointer(_, t) if t.contains(&Target::Unknown) || t.contains(&Target::Foreign));
            if foreign && !a.unions.is_empty() {
                let address = self.address(a);
                let condition = self.domain.address_le(address, self.domain.address(-1));
                let (spot, ty, tags) = (Spot::Nowhere, ty.clone(), self.foreign_tags(a));
                cases.push(Case { condition, spot, ty, tags, object: None });
            }
            for (o, slot) in place {
                let object_type = self.memory.get(o).ty.clone();
                let Some(around) = self.memory.layouts.around(&object_type, slot, ty) else { continue };
                if around.is_empty() {
                    continue;
                }
                let case = match &a.root {
                    Root::Object(_) => self.object_case(o, a),
                    Root::Pointer(..) => {
                        let address = self.address(a);
                        self.target_case(o, slot, address, true, a.raw)
                    }
                };
                let Some(mut case) = case else { continue };
                case.condition = self.pool.and2(case.condition, a.valid);
                case.tags.truncate(around.len());
                case.tags.iter_mut().zip(&around).for_each(|(t, u)| t.whole = u.whole);
                cases.push(case);
            }
        }
        if write {
            self.set_tags(&cases, a.span);
        } else {
            self.check_tags(&cases, a.span);
        }
    }

    /// Reads an integer.
    pub(super) fn load_int(&mut self, a: &Access, ty: IntType, span: Span) -> Val {
        let cases = self.cases(a, &Type::Int(ty));
        self.check_tags(&cases.list, a.span);
        let value = self.read(&cases, &Type::Int(ty), span, |s, raw, stored| {
            let from = stored.as_int().unwrap_or(ty);
            s.domain.convert(s.domain.variable(raw, from), from, ty).term
        });
        let Some(term) = value else { return self.domain.constant(0, ty) };
        if cases.list.iter().any(|c| matches!(c.spot, Spot::Element(_, _, true)))
            && let Some(range) = self.domain.range(term, ty)
        {
            self.require(range, &Otherwise::Cut);
        }
        self.domain.variable(term, ty)
    }

    /// Reads a pointer.
    pub(super) fn load_pointer(&mut self, a: &Access, e: &Expr) -> Term {
        let cases = self.cases(a, &e.ty);
        self.check_tags(&cases.list, a.span);
        let Some(term) = self.read(&cases, &e.ty, e.span, |_, raw, _| raw) else {
            return self.domain.address(0);
        };
        if cases.list.iter().any(|c| matches!(c.spot, Spot::Element(_, _, true))) {
            let mut range = self.pointer_range(e, term);
            if !cases.total {
                let takes_place = self.pool.or(cases.list.iter().map(|c| c.condition));
                range = self.pool.implies(takes_place, range);
            }
            self.require(range, &Otherwise::Cut);
        }
        term
    }

    /// Reads a pointer that is only moved: what it can be is asked where it is used.
    pub(super) fn load_moved(&mut self, a: &Access, ty: &Type) -> Term {
        let cases = self.cases(a, ty);
        self.read(&cases, ty, a.span, |_, raw, _| raw).unwrap_or_else(|| self.domain.address(0))
    }

    /// What a pointer from indeterminate memory can be: null, memory of the environment, or something the program stored.
    fn pointer_range(&mut self, e: &Expr, term: Term) -> Term {
        let d = &self.domain;
        let mut parts = vec![self.pool.eq(term, d.address(0))];
        for t in self.points_to.targets(e, self.instance, self.instances, self.memory) {
            parts.push(match t {
                Target::Object(o, _) => self.inside(o, term),
                Target::Function(f) => self.pool.eq(term, d.address(crate::memory::function_address(f))),
                Target::Unknown | Target::Foreign => {
                    let minus = d.address_sub(d.address(0), term);
                    let aligned = self.pool.eq(d.address_mod(minus, ENVIRONMENT_STRIDE), d.address(0));
                    self.pool.and2(d.address_le(term, d.address(-1)), aligned)
                }
                Target::Fixed => d.address_le(d.address(FIXED), term),
            });
        }
        self.pool.or(parts)
    }

    /// Writes a scalar of type `ty`.
    pub(super) fn store(&mut self, a: &Access, ty: &Type, value: Term) {
        let cases = self.cases(a, ty);
        self.set_tags(&cases.list, a.span);
        let only = cases.total && cases.list.len() == 1;
        for c in cases.list {
            let new = match (ty.as_int(), c.ty.as_int()) {
                (Some(from), Some(to)) => {
                    self.domain.convert(self.domain.variable(value, from), from, to).term
                }
                _ => value,
            };
            let condition = if only { self.pool.tru() } else { c.condition };
            self.set_spot(condition, &c.spot, new);
        }
    }

    /// The place of a leaf inside a place, with the cell of its first element.
    pub(super) fn part(&self, a: &Access, slot: u32, offset: i128) -> Access {
        Access { slot: a.slot + slot, offset: a.offset + offset, raw: true, ..a.clone() }
    }

    /// The variable of a whole array leaf of a named object, if nothing but this array is around it.
    pub(super) fn whole_array(&mut self, a: &Access, inner_dims: usize) -> Option<Term> {
        let Root::Object(o) = a.root else { return None };
        let leaf = self.leaf(o, a.slot)?;
        if self.memory.get(o).split || a.dynamic.is_some() || leaf.dims.len() != inner_dims || inner_dims == 0
        {
            return None;
        }
        if !self.is_stored(o, &leaf) {
            return None;
        }
        Some(self.leaf_var(o, &leaf))
    }

    /// A whole object as a place.
    pub(super) fn object_access(&self, o: ObjectId, span: Span) -> Access {
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
            span,
        }
    }

    /// The object a place is the whole of.
    pub(super) fn named_object(&self, a: &Access) -> Option<ObjectId> {
        match a.root {
            Root::Object(o) if a.slot == 0 && a.offset == 0 && a.dynamic.is_none() => Some(o),
            _ => None,
        }
    }
}

/// Can a scalar stored as one type be accessed as the other?
fn representable(stored: &Type, accessed: &Type) -> bool {
    match (stored, accessed) {
        (Type::Int(a), Type::Int(b)) => a.bits == b.bits && a.boolean == b.boolean,
        (Type::Pointer(_), Type::Pointer(_)) => true,
        (Type::Float(a), Type::Float(b)) => a == b,
        _ => false,
    }
}
