//! Tags of unions: which member was written last, required by reads and set by writes.
//!
//! Plain unions need tags only to know whether anything was written (see `overlap`). In other unions, a
//! member that is a number can also be read if another number of the same size was written last: it has the
//! bits of that. A part of a member that lies behind all others is like a member of a struct.
//!
//! The flag of objects that a function without body may have changed is handled here too: a read requires
//! that it is not set, and a write of the whole object resets it.

use palisade_float::Circuits;
use palisade_term::Term;

use super::overlap::Padding;
use super::{Access, Case, Root, Spot, Tag, View};
use crate::encode::Encoder;
use crate::encode::state::Otherwise;
use crate::ir::Span;
use crate::memory::{ALL_ZERO, Cell, INDETERMINATE, Leaf, MIXED, ObjectId, UnionStep};
use crate::points_to::Target;
use crate::types::{IntType, Type};

impl Encoder<'_> {
    /// The tags of the unions around a cell of a leaf.
    pub(super) fn tags(
        &mut self,
        o: ObjectId,
        leaf: &Leaf,
        (constant, dynamic): (i128, Option<Term>),
    ) -> Vec<Tag> {
        let mut out = Vec::new();
        let plain = self.plain_union(leaf);
        // Unions inside a plain one share its bits.
        let count = plain.map_or(leaf.unions.len(), |k| k + 1);
        for (k, u) in leaf.unions.iter().take(count).enumerate() {
            let tag = self.leaf(o, u.slot).expect("a union has a tag");
            // Inside the union there may be more arrays; their part of the offset does not count.
            let (at, _) = self.around_union(o, leaf, u, (constant, dynamic));
            let spot = self.stored_spot(o, &tag, at);
            let (views, plain) = (Vec::new(), plain == Some(k));
            let alone = !plain && self.memory.layouts.is_behind(leaf, u);
            let padding = match plain {
                true => self.padding_of(u, leaf.slot..leaf.slot + 1, false),
                false => Padding::default(),
            };
            let (member, whole, foreign) = (u.member, u.whole, false);
            let pool = self.unit.records.pool() == Some(u.record);
            out.push(Tag { spot, member, whole, foreign, views, plain, alone, pool, padding });
        }
        if let (None, Some(tag), Some(u)) = (plain, out.last_mut(), leaf.unions.last()) {
            tag.views = self.views(o, leaf, u, (constant, dynamic));
        }
        out
    }

    /// The other members of the innermost union that are numbers of the leaf's size.
    fn views(&mut self, o: ObjectId, leaf: &Leaf, u: &UnionStep, at: (i128, Option<Term>)) -> Vec<View> {
        let unit = self.unit;
        let fields = unit.records.fields(u.record);
        let Some(size) = number_bits(&leaf.ty) else { return Vec::new() };
        if !u.whole || fields[u.member as usize].bit_field || !self.is_stored(o, leaf) {
            return Vec::new();
        }
        let mut out = Vec::new();
        for (k, field) in fields.iter().enumerate() {
            let member = k as u32;
            if member == u.member || field.bit_field || number_bits(&field.ty) != Some(size) {
                continue;
            }
            let slot = u.first + self.memory.layouts.field(u.record, member).0;
            let Some(other) = self.leaf(o, slot) else { continue };
            if other.dims.len() == leaf.dims.len() && self.is_stored(o, &other) {
                let spot = self.stored_spot(o, &other, at);
                out.push(View { member, spot, ty: other.ty.clone() });
            }
        }
        out
    }

    /// What is read from a union if another member of the same size was written last; else the value.
    pub(super) fn seen_through(&mut self, c: &Case, ty: &Type, value: Term) -> Term {
        let Some(tag) = c.tags.last() else { return value };
        let Some(last) = self.content(&tag.spot) else { return value };
        if tag.pool {
            return self.perhaps_padding(last, value, ty, c.condition);
        }
        let mut out = value;
        for v in &tag.views {
            let Some(raw) = self.content(&v.spot) else { continue };
            let member = self.domain.constant(i128::from(v.member), IntType::INT).term;
            let written = self.pool.eq(last, member);
            let condition = self.pool.and2(c.condition, written);
            let seen = self.reinterpreted(raw, &v.ty, ty, condition);
            out = self.pool.ite(written, seen, out);
        }
        out
    }

    /// The bits of a number as a number of another type of the same size. The bits of a NaN are not known:
    /// machines differ.
    pub(super) fn reinterpreted(&mut self, raw: Term, from: &Type, to: &Type, condition: Term) -> Term {
        match (from, to) {
            (Type::Int(a), Type::Int(b)) => self.domain.convert(self.domain.variable(raw, *a), *a, *b).term,
            (Type::Ieee(f), Type::Int(_)) => {
                let circuits = Circuits::new(self.pool, *f);
                let nan = circuits.is_nan(raw);
                if nan == self.pool.fls() {
                    return raw;
                }
                self.set_open(self.pool.and2(condition, nan));
                let any = self.arbitrary("nan", from);
                let any = self.pool.ite(circuits.is_nan(any), any, raw);
                self.pool.ite(nan, any, raw)
            }
            _ => raw,
        }
    }

    /// The tags of unions in memory of the environment, as far as the path to the place says.
    pub(super) fn foreign_tags(&mut self, a: &Access) -> Vec<Tag> {
        let Root::Pointer(..) = a.root else { return Vec::new() };
        if a.raw || a.unions.is_empty() {
            return Vec::new();
        }
        let array = self.environment(Cell::Int(IntType::INT));
        let mut out = Vec::new();
        for u in &a.unions {
            let tag = Access { offset: u.offset, dynamic: u.dynamic, unions: Vec::new(), ..a.clone() };
            let spot = Spot::Element(array, self.cell_address(&tag), true);
            let (member, views) = (u.member, Vec::new());
            let (whole, foreign, plain, alone) = (false, true, false, false);
            let (padding, pool) = (Padding::default(), false);
            out.push(Tag { spot, member, whole, foreign, views, plain, alone, pool, padding });
        }
        out
    }

    /// Requires, for a named object that is copied as a whole, that no function without body may have changed
    /// it.
    pub(in crate::encode) fn check_fresh(&mut self, a: &Access) {
        if let Root::Object(o) = a.root {
            let (spot, ty, tags) = (Spot::Nowhere, Type::Void, Vec::new());
            let (condition, object) = (self.pool.tru(), Some((o, false)));
            let case = Case { condition, spot, ty, tags, object, twins: Vec::new() };
            self.check_tags(&[case], a.span);
        }
    }

    /// Requires that no function without body may have changed what is read.
    pub(super) fn check_unchanged(&mut self, cases: &[Case], span: Span) {
        for c in cases {
            if let Some((o, _)) = c.object
                && let Some(flag) = self.stale(o)
                && !self.is_havocked(c)
            {
                let name = &self.memory.get(o).name;
                let at = self.position(span);
                let what = format!("`{name}` may have been changed by a function without body, {at}");
                let fresh = self.pool.implies(c.condition, self.pool.not(self.get(flag)));
                self.require(fresh, &Otherwise::Unsupported(what.into()));
            }
        }
    }

    /// Requires that no function without body may have changed what is read, and that the union members
    /// around it were written last.
    pub(super) fn check_tags(&mut self, cases: &[Case], span: Span) {
        self.check_unchanged(cases, span);
        for c in cases {
            for t in c.tags.iter().filter(|t| !t.alone) {
                if t.plain {
                    self.require_written(c.condition, t, span);
                    continue;
                }
                let mut allowed: Vec<i128> = t.views.iter().map(|v| i128::from(v.member)).collect();
                if !t.foreign {
                    allowed.push(ALL_ZERO);
                }
                let what = match t.pool {
                    true => "the number of a byte that a pointer has",
                    false => "read of a union member that was not written last",
                };
                allowed.extend(t.pool.then_some(INDETERMINATE));
                let what = format!("{what}, {}", self.position(span));
                self.require_tag(c.condition, t, &allowed, what);
            }
        }
    }

    /// Requires that some member of a plain union was written, and that no bits are read that are padding.
    fn require_written(&mut self, condition: Term, tag: &Tag, span: Span) {
        let Some(value) = self.content(&tag.spot) else { return };
        let mut forbidden = vec![(INDETERMINATE, "read of a union that was not written")];
        if tag.padding.touched {
            forbidden.push((MIXED, "read of a union that was written with padding"));
        }
        for (not, what) in forbidden {
            let not = self.domain.constant(not, IntType::INT).term;
            let fine = self.pool.not(self.pool.eq(value, not));
            let what = format!("{what}, {}", self.position(span));
            self.require(self.pool.implies(condition, fine), &Otherwise::Unsupported(what.into()));
        }
    }

    fn require_tag(&mut self, condition: Term, tag: &Tag, others: &[i128], what: String) {
        let Some(same) = self.is_last(tag, others) else { return };
        let required = self.pool.implies(condition, same);
        self.require(required, &Otherwise::Unsupported(what.into()));
    }

    /// Was the member written last, or is the tag one of the others?
    fn is_last(&mut self, tag: &Tag, others: &[i128]) -> Option<Term> {
        let value = self.content(&tag.spot)?;
        let wanted = [i128::from(tag.member)];
        let same = wanted.iter().chain(others).map(|&v| {
            let v = self.domain.constant(v, IntType::INT).term;
            self.pool.eq(value, v)
        });
        Some(self.pool.or(same.collect::<Vec<_>>()))
    }

    /// Notes that the members around a scalar are now the ones written last.
    pub(super) fn set_tags(&mut self, cases: &[Case], span: Span) {
        for c in cases {
            if let Some((o, true)) = c.object
                && let Some(flag) = self.stale(o)
            {
                let value = self.pool.and2(self.get(flag), self.pool.not(c.condition));
                self.set(flag, value);
            }
            for t in c.tags.iter().filter(|t| !t.alone) {
                let mut member = self.domain.constant(i128::from(t.member), IntType::INT).term;
                let mixed = self.domain.constant(MIXED, IntType::INT).term;
                if t.padding.blurred {
                    member = mixed;
                } else if t.padding.kept
                    && let Some(last) = self.content(&t.spot)
                {
                    member = self.pool.ite(self.pool.eq(last, mixed), mixed, member);
                } else if !t.whole && !t.plain {
                    if t.foreign {
                        let at = self.position(span);
                        let what =
                            format!("write to a part of a union member that was not written last, {at}");
                        self.require_tag(c.condition, t, &[], what);
                    } else if let Some(same) = self.is_last(t, &[ALL_ZERO, INDETERMINATE]) {
                        // The rest has the bits of another member, which nobody knows from here on.
                        member = self.pool.ite(same, member, mixed);
                    }
                }
                self.set_spot(c.condition, &t.spot, member);
            }
        }
    }

    /// For a scalar that is in no array: is it what the unions around it hold? Certainly, and perhaps.
    pub(in crate::encode) fn is_current(&mut self, o: ObjectId, leaf: &Leaf) -> (Term, Term) {
        let (mut certain, mut perhaps) = (Vec::new(), Vec::new());
        let tags = self.tags(o, leaf, (0, None));
        for t in tags.iter().filter(|t| !t.alone && !t.plain) {
            certain.extend(self.is_last(t, &[ALL_ZERO]));
            perhaps.extend(self.is_last(t, &[ALL_ZERO, MIXED]));
        }
        (self.pool.and(certain), self.pool.and(perhaps))
    }

    /// Handles the unions around a place that is read or written as a whole: the same checks as for a scalar.
    pub(in crate::encode) fn enter_unions(&mut self, a: &Access, ty: &Type, write: bool) {
        let place: Vec<(ObjectId, u32)> = match &a.root {
            Root::Object(o) if self.memory.get(*o).pool => Vec::new(),
            Root::Object(o) => vec![(*o, a.slot)],
            Root::Pointer(_, targets) => targets
                .iter()
                .filter_map(|t| match *t {
                    // The accesses to objects that are seen as bytes handle their unions.
                    Target::Object(o, _) if self.memory.get(o).as_bytes => None,
                    Target::Object(o, s) => Some((o, s + a.slot)),
                    _ => None,
                })
                .collect(),
        };
        let scalar = !matches!(ty, Type::Record(_) | Type::Array(..));
        let mut cases = if scalar { self.cases(a, ty).list } else { Vec::new() };
        if !scalar {
            let foreign = match &a.root {
                Root::Object(_) => false,
                Root::Pointer(_, t) => t.contains(&Target::Unknown) || t.contains(&Target::Foreign),
            };
            if foreign && !a.unions.is_empty() {
                let address = self.cell_address(a);
                let condition = self.domain.address_le(address, self.domain.address(-1));
                let (spot, ty, tags) = (Spot::Nowhere, ty.clone(), self.foreign_tags(a));
                cases.push(Case { condition, spot, ty, tags, object: None, twins: Vec::new() });
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
                        let address = self.cell_address(a);
                        self.target_case(o, slot, address, true, (a.raw, a.copied))
                    }
                };
                let Some(mut case) = case else { continue };
                case.condition = self.pool.and2(case.condition, a.valid);
                case.tags.truncate(around.len());
                let slots = slot..slot + self.memory.layouts.slots(ty);
                for (t, u) in case.tags.iter_mut().zip(&around) {
                    t.whole = u.whole;
                    if t.plain {
                        t.padding = self.padding_of(u, slots.clone(), true);
                    }
                }
                cases.push(case);
            }
        }
        if write {
            self.set_tags(&cases, a.span);
        } else {
            self.check_tags(&cases, a.span);
        }
    }

    /// The tag of a union that is copied: inside a plain union, that of the outermost one counts.
    pub(in crate::encode) fn copied_tag(&mut self, a: &Access, span: Span) -> Term {
        if let Root::Object(o) = a.root
            && let Some(leaf) = self.leaf(o, a.slot)
            && let Some(k) = self.plain_union(&leaf)
        {
            let u = leaf.unions[k];
            let (outer, _) = self.around_union(o, &leaf, &u, (a.offset - leaf.offset, a.dynamic));
            let tag = self.leaf(o, u.slot).expect("a union has a tag");
            let spot = self.stored_spot(o, &tag, outer);
            if let Some(value) = self.content(&spot) {
                return value;
            }
        }
        self.load_int(a, IntType::INT, span).term
    }
}

/// The bits of a type of numbers whose bits mean the same everywhere.
fn number_bits(ty: &Type) -> Option<u32> {
    match ty {
        Type::Int(t) if !t.boolean => Some(t.bits),
        Type::Ieee(f) => Some(f.width()),
        _ => None,
    }
}
