//! Loads and stores, over the cases of an access.

use palisade_float::Format;
use palisade_term::Term;

use super::{Access, Case, Cases, Root, Spot};
use crate::domain::Val;
use crate::encode::Encoder;
use crate::encode::state::Otherwise;
use crate::ir::{Expr, Span};
use crate::memory::{DANGLING, ENVIRONMENT_STRIDE, FIXED, Leaf, NOWHERE};
use crate::points_to::Target;
use crate::types::{IntType, Type};

impl Encoder<'_> {
    pub(super) fn content(&self, spot: &Spot) -> Option<Term> {
        match spot {
            Spot::Var(v) => Some(self.get(*v)),
            Spot::Element(array, index, _) => Some(self.pool.select(self.get(*array), *index)),
            Spot::Nowhere | Spot::Mixed | Spot::Volatile(_) | Spot::Bytes(_) | Spot::Pooled(_) => None,
        }
    }

    pub(super) fn set_spot(&mut self, condition: Term, spot: &Spot, value: Term) {
        let (var, new) = match spot {
            Spot::Var(v) => (*v, value),
            Spot::Element(array, index, _) => (*array, self.pool.store(self.get(*array), *index, value)),
            Spot::Nowhere | Spot::Mixed | Spot::Bytes(_) | Spot::Pooled(_) => return,
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
            let raw = match (&c.spot, self.content(&c.spot)) {
                (Spot::Bytes(patch), _) => self.read_bytes(patch, ty, c.condition, span),
                (Spot::Pooled(x), _) => self.read_pooled(x, c.condition, span),
                (_, Some(value)) => value,
                (_, None) => self.other_value(c, span),
            };
            self.perhaps_changed(c);
            let value = convert(self, raw, &c.ty);
            let value = self.seen_through(c, ty, value);
            result = Some(match result {
                None => value,
                Some(rest) => self.pool.ite(c.condition, value, rest),
            });
        }
        result
    }

    /// Notes where what is read may have been changed by a function without body: a violation is open then.
    fn perhaps_changed(&mut self, c: &Case) {
        if let Some((o, _)) = c.object
            && self.is_havocked(c)
            && let Some(flag) = self.stale(o).map(|flag| self.get(flag))
            && flag != self.pool.fls()
        {
            self.set_open(self.pool.and2(c.condition, flag));
        }
        if self.is_changed_outside(c) {
            let flag = self.stale_outside();
            self.set_open(self.pool.and2(c.condition, self.get(flag)));
        }
    }

    /// What is read where nothing is stored: any number. A pointer would have to be any pointer.
    fn other_value(&mut self, c: &Case, span: Span) -> Term {
        if matches!(c.spot, Spot::Mixed) {
            self.set_open(c.condition);
            return self.arbitrary("mixed", &c.ty);
        }
        if let Type::Int(_) | Type::Ieee(_) = c.ty {
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

    /// Reads an integer.
    pub(in crate::encode) fn load_int(&mut self, a: &Access, ty: IntType, span: Span) -> Val {
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
            self.require(range, &Otherwise::Chosen);
        }
        self.domain.variable(term, ty)
    }

    /// Reads a floating-point number.
    pub(in crate::encode) fn load_float(&mut self, a: &Access, f: Format, span: Span) -> Term {
        let ty = Type::Ieee(f);
        let cases = self.cases(a, &ty);
        self.check_tags(&cases.list, a.span);
        let value = self.read(&cases, &ty, span, |_, raw, _| raw);
        value.unwrap_or_else(|| self.pool.bitvec(0, f.width()))
    }

    /// Reads a floating-point number that is not modelled: only the access matters.
    pub(in crate::encode) fn touch(&mut self, a: &Access, ty: &Type) {
        self.cases(a, ty);
    }

    /// Reads a pointer.
    pub(in crate::encode) fn load_pointer(&mut self, a: &Access, e: &Expr) -> Term {
        let cases = self.cases(a, &e.ty);
        self.check_tags(&cases.list, a.span);
        let Some(term) = self.read(&cases, &e.ty, e.span, |_, raw, _| raw) else {
            return self.domain.address(0);
        };
        if cases.list.iter().any(|c| matches!(c.spot, Spot::Element(_, _, true) | Spot::Mixed)) {
            let mut range = self.pointer_range(e, term);
            if !cases.total {
                let takes_place = self.pool.or(cases.list.iter().map(|c| c.condition));
                range = self.pool.implies(takes_place, range);
            }
            self.require(range, &Otherwise::Chosen);
        }
        term
    }

    /// Reads a pointer that is only copied. Its possible values are constrained where it is used.
    pub(in crate::encode) fn load_moved(&mut self, a: &Access, ty: &Type) -> Term {
        let cases = self.cases(a, ty);
        self.check_unchanged(&cases.list, a.span);
        self.read(&cases, ty, a.span, |_, raw, _| raw).unwrap_or_else(|| self.domain.address(0))
    }

    /// What a pointer from indeterminate memory can be: null, memory of the environment (nothing, where
    /// memory safety is the property), or something the program stored, which may be the address behind an
    /// object.
    fn pointer_range(&mut self, e: &Expr, term: Term) -> Term {
        let targets = self.points_to.targets(e, self.instance, self.instances, self.memory);
        let leaves = targets.iter().any(|t| matches!(t, Target::Object(o, _) if self.may_leave(*o)));
        let d = &self.domain;
        let mut parts = vec![self.pool.eq(term, d.address(0))];
        if leaves || self.options.checks.memory() {
            parts.push(self.pool.eq(term, d.address(NOWHERE)));
        }
        for t in targets {
            let walked = matches!(t, Target::Object(o, _) if self.is_walked(o));
            let at = |o| if walked { self.in_margin(o, term) } else { self.in_reach(o, term) };
            let d = &self.domain;
            parts.push(match t {
                Target::Object(o, _) if self.may_end(o) => {
                    let nothing = self.pool.eq(term, d.address(DANGLING + i128::from(o.0)));
                    self.pool.or2(at(o), nothing)
                }
                Target::Object(o, _) => at(o),
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

    /// A write through a pointer to an object that was defined `const`, or to a string literal, is undefined.
    fn forbid_constants(&mut self, cases: &mut Cases, span: Span) {
        let constant = |c: &&Case| c.object.is_some_and(|(o, _)| self.memory.get(o).constant);
        let conditions: Vec<Term> = cases.list.iter().filter(constant).map(|c| c.condition).collect();
        if conditions.is_empty() {
            return;
        }
        let allowed = self.pool.not(self.pool.or(conditions));
        let takes_place = self.require_access(allowed, "write to a constant object", span);
        if takes_place != self.pool.tru() {
            cases.total = false;
            for c in &mut cases.list {
                c.condition = self.pool.and2(c.condition, takes_place);
            }
        }
    }

    /// Writes a scalar of type `ty`.
    pub(in crate::encode) fn store(&mut self, a: &Access, ty: &Type, value: Term) {
        let mut cases = self.cases(a, ty);
        if let Root::Pointer(..) = a.root {
            self.forbid_constants(&mut cases, a.span);
        }
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
            if let Spot::Bytes(patch) = &c.spot {
                self.write_bytes(patch, ty, condition, value, a.span);
                continue;
            }
            if let Spot::Pooled(x) = &c.spot {
                self.write_pooled(x, condition, value);
                continue;
            }
            self.set_spot(condition, &c.spot, new);
            self.write_twins(&c.twins, condition, new, &c.ty);
        }
    }

    /// Must a scalar be filled with arbitrary bits that other scalars of the place have too? `part` is its
    /// leaf in the type that is filled.
    pub(in crate::encode) fn fills_shared_bits(&mut self, a: &Access, part: &Leaf) -> bool {
        let Root::Object(o) = a.root else { return false };
        let Some(leaf) = self.leaf(o, a.slot).filter(|l| !l.tag) else { return false };
        self.shares_bits(o, &leaf, part.unions.len())
    }

    /// The variable of a whole array leaf of a named object, if nothing but this array is around it and its
    /// contents are what a read gives. `part` is the leaf in the type that is handled as a whole.
    pub(in crate::encode) fn whole_array(&mut self, a: &Access, part: &Leaf) -> Option<Term> {
        let Root::Object(o) = a.root else { return None };
        let leaf = self.leaf(o, a.slot)?;
        if self.is_stored(o, &leaf) { self.whole_storage(a, part) } else { None }
    }

    /// The same for a write: what is stored of a `volatile` array can be written as a whole, too.
    pub(in crate::encode) fn whole_storage(&mut self, a: &Access, part: &Leaf) -> Option<Term> {
        let inner_dims = part.dims.len();
        let Root::Object(o) = a.root else { return None };
        let leaf = self.leaf(o, a.slot)?;
        if self.memory.get(o).split || a.dynamic.is_some() || leaf.dims.len() != inner_dims || inner_dims == 0
        {
            return None;
        }
        // The slots of a pool are others than those of its declared type, and its bytes are three arrays.
        if self.memory.get(o).pool {
            return None;
        }
        // A part of a plain union is written with its twins.
        let inner = part.unions.len();
        if self.plain_union(&leaf).is_some_and(|k| k + inner < leaf.unions.len()) {
            return None;
        }
        Some(self.leaf_var(o, &leaf))
    }
}
