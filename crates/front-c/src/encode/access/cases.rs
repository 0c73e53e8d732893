//! The cases of an access: for a named object the one variable or element that it is, for a pointer one case
//! per target, each under the condition that the address lies in it.

use palisade_term::Term;
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Access, Case, Cases, OUTSIDE, OUTSIDE_OR_ENDED, Root, Spot};
use crate::encode::state::Otherwise;
use crate::encode::{Encoder, VarKey};
use crate::ir::Span;
use crate::memory::{Cell, Dim, FIXED, Kind, Leaf, ObjectId};
use crate::options::UndefinedMemory;
use crate::points_to::Target;
use crate::types::{Len, Type};

impl Encoder<'_> {
    /// The scalar of a named object.
    pub(super) fn object_case(&mut self, o: ObjectId, a: &Access) -> Option<Case> {
        let leaf = self.leaf(o, a.slot)?;
        let (tru, ty) = (self.pool.tru(), leaf.ty.clone());
        let at = (a.offset - leaf.offset, a.dynamic);
        let spot = self.spot(o, &leaf, at);
        let tags = if a.raw { Vec::new() } else { self.tags(o, &leaf, at) };
        let object = Some((o, leaf.dims.is_empty() && self.memory.get(o).ty.is_scalar()));
        let twins = self.twins(o, &leaf, at, a.copied);
        Some(Case { condition: tru, spot, ty, tags, object, twins })
    }

    /// Does a read of the leaf give the value that was written last? Not for floating-point numbers, which
    /// are not modelled, and not for `volatile` objects, which change by themselves.
    pub(super) fn is_stored(&self, o: ObjectId, leaf: &Leaf) -> bool {
        leaf.ty.is_scalar() && !leaf.volatile && !self.memory.get(o).volatile
    }

    /// Where the scalar of a leaf is, at an offset in cells (a constant and a varying part) from its first. A
    /// `volatile` number is stored too, because the encoding must know whether it has changed by itself.
    pub(super) fn spot(&mut self, o: ObjectId, leaf: &Leaf, at: (i128, Option<Term>)) -> Spot {
        match leaf.ty {
            _ if self.is_stored(o, leaf) => self.stored_spot(o, leaf, at),
            Type::Int(_) | Type::Ieee(_) => Spot::Volatile(Box::new(self.stored_spot(o, leaf, at))),
            _ => Spot::Nowhere,
        }
    }

    /// The variable or array element of a leaf.
    pub(super) fn stored_spot(
        &mut self,
        o: ObjectId,
        leaf: &Leaf,
        (constant, dynamic): (i128, Option<Term>),
    ) -> Spot {
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

    /// The scalar at an address, if the pointer points into this object.
    pub(super) fn target_case(
        &mut self,
        o: ObjectId,
        slot: u32,
        address: Term,
        ambiguous: bool,
        (raw, copied): (bool, usize),
    ) -> Option<Case> {
        let leaf = self.leaf(o, slot)?;
        let ty = leaf.ty.clone();
        let base = self.memory.get(o).base;
        let (p, start) = (self.pool, self.domain.address(base + leaf.offset));
        let index = self.domain.address_sub(address, start);
        let at = if leaf.dims.is_empty() { (0, None) } else { (0, Some(index)) };
        let ambiguous = ambiguous || self.may_be_between(o, &leaf.dims);
        let condition = if leaf.dims.is_empty() {
            p.and2(p.eq(address, start), self.exists(o, address))
        } else if self.memory.is_many(o) {
            self.in_living_block(o, &leaf, address, index, ambiguous)
        } else {
            let mut condition = vec![self.domain.address_le(self.domain.address(0), index)];
            condition.push(self.below_end(o, &leaf, index));
            if ambiguous {
                condition.push(self.aligned(&leaf.dims, index));
            }
            condition.push(self.exists(o, address));
            p.and(condition)
        };
        let spot = self.spot(o, &leaf, at);
        let tags = if raw { Vec::new() } else { self.tags(o, &leaf, at) };
        let object = Some((o, leaf.dims.is_empty() && self.memory.get(o).ty.is_scalar()));
        let twins = self.twins(o, &leaf, at, copied);
        Some(Case { condition, spot, ty, tags, object, twins })
    }

    /// Nobody knows whether memory of the environment may be accessed: that is no proof of `valid-deref`.
    fn distrust(&mut self, here: Term, span: crate::ir::Span) {
        if self.options.checks.deref {
            let at = self.position(span);
            let what = format!("access to memory that the program did not allocate, {at}");
            self.require(self.pool.not(here), &Otherwise::Unsupported(what.into()));
        }
    }

    /// Is an address in one of many blocks that exists? `index` is the cell offset from the leaf's first
    /// element.
    fn in_living_block(
        &mut self,
        o: ObjectId,
        leaf: &Leaf,
        address: Term,
        index: Term,
        ambiguous: bool,
    ) -> Term {
        let next = self.counter(VarKey::Next(o));
        let next = self.get(next);
        let base = self.domain.address(self.memory.get(o).base);
        let mut all = vec![self.domain.address_le(self.domain.address(0), index)];
        // Without arithmetic, a pointer is to the first element of a block.
        let first = leaf.dims.len() == 1 && !self.is_walked(o);
        if first {
            all.push(self.pool.not(self.domain.address_le(next, index)));
            // There may be none.
            let length = self.length_from(o, index);
            all.push(self.pool.not(self.domain.address_le(length, self.domain.address(0))));
        } else {
            let offset = self.domain.address_sub(address, base);
            all.push(self.pool.not(self.domain.address_le(next, offset)));
            let (inner, length) = (self.offset_in_block(o, address), self.block_length(o, address));
            all.push(self.pool.not(self.domain.address_le(length, inner)));
        }
        if ambiguous {
            all.push(self.aligned(&leaf.dims, index));
        }
        let start = if first { index } else { self.start_of_block(o, address) };
        all.push(self.is_not_freed(o, start));
        self.pool.and(all)
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
                    Kind::Heap { .. } => {
                        let n = self.counter(VarKey::Length(o));
                        let n = self.domain.address_sub(self.get(n), self.domain.address(1));
                        self.domain.address_scale(n, d.stride)
                    }
                    _ => {
                        let length = self.declared_length(o).0 * d.stride;
                        let first = self.domain.address(self.memory.get(o).base + leaf.offset);
                        let elsewhere = self.pool.not(self.inside(o, self.domain.address_add(first, index)));
                        let below = self.domain.address_le(index, self.domain.address(length - 1));
                        let span = self.span;
                        self.trust_length(o, self.pool.or2(elsewhere, below), span);
                        self.domain.address(self.memory.layouts.span() - 1)
                    }
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

    /// All possibilities for a scalar place. Requires that one of them applies.
    pub(super) fn cases(&mut self, a: &Access, ty: &Type) -> Cases {
        let (address, targets) = match &a.root {
            // By its name, too, it is bytes.
            Root::Object(o) if self.memory.get(*o).pool => {
                let mut list = self.byte_cases(*o, a, ty);
                list.iter_mut().for_each(|c| c.condition = self.pool.and2(c.condition, a.valid));
                return Cases { list, total: a.valid == self.pool.tru() };
            }
            Root::Object(o) => {
                let mut case = self.object_case(*o, a).filter(|c| representable(&c.ty, ty));
                match &mut case {
                    Some(c) => c.condition = a.valid,
                    None => self.unsupported("floating point", a.span),
                }
                let total = a.valid == self.pool.tru();
                return Cases { list: case.into_iter().collect(), total };
            }
            Root::Pointer(_, targets) => (self.cell_address(a), targets.clone()),
        };
        let mut out: Vec<Case> = Vec::new();
        let parts = parts_of(&targets);
        // An object that is refused at one of its parts is refused at all of them.
        let mut refused: FxHashSet<ObjectId> = FxHashSet::default();
        for t in targets.iter() {
            match *t {
                Target::Object(o, _) if !self.lives(o) => {}
                Target::Object(o, _) if self.memory.get(o).as_bytes => out.extend(self.byte_cases(o, a, ty)),
                Target::Object(o, s) if self.leaf(o, s + a.slot).is_some_and(|leaf| leaf.is_nowhere()) => {
                    let (name, at) = (self.memory.get(o).name.clone(), self.position(a.span));
                    let what = format!("access to an array of no elements in `{name}`, {at}");
                    let inside = self.inside(o, address);
                    self.require(self.pool.not(inside), &Otherwise::Unsupported(what.into()));
                }
                Target::Object(o, s) => {
                    let there = self.leaf(o, s + a.slot).is_some_and(|leaf| representable(&leaf.ty, ty));
                    let twice = parts[&o] > 1;
                    let case = match there {
                        true => self.target_case(o, s + a.slot, address, twice, (a.raw, a.copied)),
                        false => None,
                    };
                    match case {
                        Some(c) => out.push(c),
                        _ if !refused.insert(o) => {}
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
                }
                // `Foreign` covers the same memory.
                Target::Unknown if targets.contains(&Target::Foreign) => {}
                Target::Unknown | Target::Foreign => {
                    if *t == Target::Foreign && self.may_be_own(&a.pointee) {
                        let at = self.position(a.span);
                        let what = format!("memory that a function without body returned, {at}");
                        let above = self.domain.address_le(self.domain.address(0), address);
                        self.require(above, &Otherwise::Unsupported(what.into()));
                    }
                    let spot = match Cell::of(ty) {
                        Some(_) if self.memory.mixed => Spot::Mixed,
                        Some(cell) => {
                            let stored = Spot::Element(self.environment(cell), address, true);
                            if a.volatile { Spot::Volatile(Box::new(stored)) } else { stored }
                        }
                        None => Spot::Nowhere,
                    };
                    let condition = self.domain.address_le(address, self.domain.address(-1));
                    self.distrust(condition, a.span);
                    let tags = self.foreign_tags(a);
                    out.push(Case { condition, spot, ty: ty.clone(), tags, object: None, twins: Vec::new() });
                }
                Target::Fixed => {
                    let condition = self.domain.address_le(self.domain.address(FIXED), address);
                    self.distrust(condition, a.span);
                    let (spot, ty) = (Spot::Nowhere, ty.clone());
                    out.push(Case { condition, spot, ty, tags: Vec::new(), object: None, twins: Vec::new() });
                }
                Target::Function(_) => {}
            }
        }
        let (p, null) = (self.pool, self.domain.address(0));
        let mut takes_place = a.valid;
        if self.options.checks.access().is_none() {
            let there = self.require_access(p.not(p.eq(address, null)), "null dereference", a.span);
            takes_place = p.and2(takes_place, there);
        }
        let any = p.or(out.iter().map(|c| c.condition));
        if self.options.checks.deref || self.options.goes_on() {
            self.spare_neighbours(&targets, address, any, a.span);
        }
        let ends = targets.iter().any(|t| matches!(t, Target::Object(o, _) if self.may_end(*o)));
        let there = self.require_access(any, if ends { OUTSIDE_OR_ENDED } else { OUTSIDE }, a.span);
        takes_place = p.and2(takes_place, there);
        let total = takes_place == p.tru();
        if !total {
            out.iter_mut().for_each(|c| c.condition = p.and2(c.condition, takes_place));
        }
        Cases { list: out, total }
    }

    /// A pointer to one member of a variable that was moved to another one: C leaves the access undefined,
    /// but it is inside of the object, so it is no violation of `valid-deref`, and no access to memory that
    /// the program does not have.
    fn spare_neighbours(&mut self, targets: &[Target], address: Term, any: Term, span: Span) {
        let mut seen = Vec::new();
        for t in targets {
            let Target::Object(o, slot) = *t else { continue };
            let leaf = self.leaf(o, slot);
            let between = leaf.is_some_and(|leaf| self.may_be_between(o, &leaf.dims));
            let object = self.memory.get(o);
            let declared = matches!(object.kind, Kind::Global(_) | Kind::Local(_)) && has_members(&object.ty);
            // With `valid-deref` it matters where a block ends.
            let deref = self.options.checks.deref && !declared;
            let end = if deref { self.end_of(o) } else { None };
            let object = self.memory.get(o);
            let known = if deref { end.is_some() } else { declared || object.left || between };
            if !known || object.as_bytes || !self.lives(o) || seen.contains(&o) {
                continue;
            }
            seen.push(o);
            let what =
                format!("a pointer moved to another part of `{}`, {}", object.name, self.position(span));
            let behind = end.map_or(self.pool.fls(), |end| self.domain.address_le(end, address));
            let elsewhere = self.pool.or2(behind, self.pool.not(self.inside(o, address)));
            self.require(self.pool.or2(any, elsewhere), &Otherwise::Unsupported(what.into()));
        }
    }

    /// Does the object exist while the current function runs? A local variable exists only while its function
    /// runs.
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

    /// Can memory of this type that a function without body returned be part of an object of the program? A
    /// pointer to bytes may point anywhere.
    fn may_be_own(&self, pointee: &Type) -> bool {
        let anywhere = matches!(pointee, Type::Int(t) if t.bits == 8) || *pointee == Type::Void;
        let layouts = &self.memory.layouts;
        self.options.undefined != UndefinedMemory::Assume
            && self.points_to.escaped().iter().any(|o| {
                let ty = &self.memory.get(*o).ty;
                anywhere || (0..layouts.slots(ty)).any(|s| layouts.around(ty, s, pointee).is_some())
            })
    }
}

/// How many parts of each object there are among some targets.
fn parts_of(targets: &[Target]) -> FxHashMap<ObjectId, u32> {
    let mut out: FxHashMap<ObjectId, u32> = FxHashMap::default();
    for t in targets {
        if let Target::Object(o, _) = *t {
            *out.entry(o).or_default() += 1;
        }
    }
    out
}

/// Is it a struct or a union, or an array of so many?
fn has_members(ty: &Type) -> bool {
    match ty {
        Type::Record(_) => true,
        Type::Array(element, Len::Fixed(_)) => has_members(element),
        _ => false,
    }
}

/// Can a scalar stored as one type be accessed as the other?
pub(super) fn representable(stored: &Type, accessed: &Type) -> bool {
    match (stored, accessed) {
        (Type::Int(a), Type::Int(b)) => a.bits == b.bits && a.boolean == b.boolean,
        (Type::Pointer(_), Type::Pointer(_)) => true,
        (Type::Float(a), Type::Float(b)) => a == b,
        (Type::Ieee(a), Type::Ieee(b)) => a == b,
        _ => false,
    }
}
