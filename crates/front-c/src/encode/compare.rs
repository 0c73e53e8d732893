//! Comparisons and differences of pointers.
//!
//! The addresses of objects are made up, so nothing may depend on how two objects lie to each other:
//!
//! - `<` and `-` need two pointers into one object (C11 6.5.8p5, 6.5.6p9), all else is undefined behaviour;
//! - a pointer behind an object may be equal to one to another object or not (6.5.9p6): unsupported;
//! - a pointer from outside may be the address of something that was given away, or a number: unsupported;
//! - so is a pointer that was moved from null, beside numbers, since it counts cells here, and a number
//!   that was moved to null;
//! - so are comparisons of two literals that a compiler may put into one place (`literals`), of addresses of
//!   labels, which differ where a function is copied, and of pointers to different parts of one object where
//!   the order of cells is not that of bytes (unions, padding).
//!
//! Pointers that became integers can be compared in any case; there numbers decide (`numbers.rs`).
//!
//! Entry points: [`Encoder::compare_pointers`], [`Encoder::compare_numbers`], [`Encoder::difference`].

use palisade_term::Term;

use super::state::Otherwise;
use super::{Encoder, VarKey};
use crate::domain::Val;
use crate::ir::{CmpOp, Expr, ExprKind, Global, PlaceKind, Span, VarRef, is_label};
use crate::library::PREFIX;
use crate::memory::{CONSTANTS, DANGLING, ENVIRONMENT_STRIDE, FIXED, Kind, NOWHERE, ObjectId};
use crate::numbers::becomes_number;
use crate::options::UndefinedMemory;
use crate::points_to::Target;
use crate::types::{IntType, Len, Type};

/// What a pointer may point to, as far as comparisons need it.
#[derive(Default)]
struct Pointees {
    objects: Vec<ObjectId>,
    /// Parts of them.
    slots: Vec<(ObjectId, u32)>,
    /// Memory of the environment.
    environment: bool,
    /// What a function without body returned.
    foreign: bool,
    fixed: bool,
    functions: bool,
}

impl Pointees {
    /// Is this object all that there is?
    fn is_only(&self, o: ObjectId) -> bool {
        self.objects == [o] && !self.environment && !self.fixed && !self.functions
    }
}

impl Encoder<'_> {
    /// The truth of a comparison.
    pub(super) fn compare_pointers(&mut self, op: CmpOp, a: &Expr, b: &Expr, span: Span) -> Term {
        let (x, y) = (self.pointer(a), self.pointer(b));
        let sets = [a, b].map(|e| self.pointees(e));
        self.check_outside(&sets, [x, y], span);
        self.check_near_null(&sets, [a, b], [x, y], span);
        match op {
            CmpOp::Eq | CmpOp::Ne => self.check_equality(&sets, [a, b], [x, y], span),
            CmpOp::Before | CmpOp::Lt if self.are_apart(op, a, b) => return self.pool.fls(),
            CmpOp::Before => {}
            _ => {
                self.check_two_outside(&sets, [x, y], "comparison", span);
                self.check_one_object([a, b], [x, y], "comparison of pointers to different objects", span);
                self.check_numbers(&sets, [x, y], span);
            }
        }
        if op != CmpOp::Before {
            self.check_order(&sets, [a, b], [x, y], span);
        }
        let exact = self.places_compared(op, [x, y]);
        if x == y || !sets.iter().all(|s| s.environment) || !self.memory.mixed {
            return exact;
        }
        // Addresses in mixed memory are not those of bytes.
        let minus = self.domain.address(-1);
        let both = self.pool.and2(self.domain.address_le(x, minus), self.domain.address_le(y, minus));
        self.set_open(both);
        let any = self.arbitrary("order", &Type::Int(IntType::BOOL));
        let any = self.domain.truth(IntType::BOOL, self.domain.variable(any, IntType::BOOL));
        self.pool.ite(both, any, exact)
    }

    fn places_compared(&self, op: CmpOp, [x, y]: [Term; 2]) -> Term {
        let p = self.pool;
        match op {
            CmpOp::Eq => p.eq(x, y),
            CmpOp::Ne => p.not(p.eq(x, y)),
            CmpOp::Le => self.domain.address_le(x, y),
            CmpOp::Ge => self.domain.address_le(y, x),
            CmpOp::Lt | CmpOp::Before => p.not(self.domain.address_le(y, x)),
            CmpOp::Gt => p.not(self.domain.address_le(x, y)),
        }
    }

    /// The truth of a comparison of two pointers that were made integers. In one object, the later place has
    /// the larger number. Of two objects, their numbers decide.
    pub(super) fn compare_numbers(&mut self, op: CmpOp, ty: IntType, of: [&Expr; 2]) -> Option<Term> {
        let [Some(a), Some(b)] = of.map(becomes_number) else { return None };
        let sets = [a, b].map(|e| self.pointees(e));
        if sets.iter().all(|s| s.environment) && self.is_environment_walked() {
            let at = [self.pointer(a), self.pointer(b)];
            self.check_two_outside(&sets, at, "comparison", self.span);
            return None;
        }
        let outside = sets.iter().any(|s| s.environment);
        if outside || ty.signed || ty.bits < self.options.data_model.word() {
            return None;
        }
        let at = [self.pointer(a), self.pointer(b)];
        self.check_outside(&sets, at, self.span);
        self.check_existing(&sets, [a, b], at, self.span);
        self.check_order(&sets, [a, b], at, self.span);
        let one = self.one_object([a, b], at);
        let inside = self.places_compared(op, at);
        let apart = self.pool.not(one);
        let by_number = self.under(apart, |s| {
            s.set_placed(s.pool.tru());
            let (x, y) = (s.int(of[0]), s.int(of[1]));
            s.domain.compare(op, ty, x, y)
        });
        Some(self.pool.ite(one, inside, by_number))
    }

    /// Can two pointers not point into one object? Asked by copies, which must not overlap: those of the
    /// library's models, which use `<`, and those that the lowering writes.
    fn are_apart(&self, op: CmpOp, a: &Expr, b: &Expr) -> bool {
        if op == CmpOp::Lt && !self.in_model() {
            return false;
        }
        let [a, b] = [a, b].map(|e| self.pointees(e));
        let outside = a.environment && b.environment || a.fixed && b.fixed;
        !outside && !a.objects.iter().any(|o| b.objects.contains(o))
    }

    /// Is this code of the library's models?
    fn in_model(&self) -> bool {
        self.unit.function(self.instances.get(self.instance).function).name.starts_with(PREFIX)
    }

    /// The difference of two pointers, in elements.
    pub(super) fn difference(&mut self, a: &Expr, b: &Expr, ty: IntType, span: Span) -> Val {
        let pointee = a.ty.pointee().cloned().unwrap_or(Type::Void);
        let (x, y) = (self.pointer(a), self.pointer(b));
        let sets = [a, b].map(|e| self.pointees(e));
        self.check_outside(&sets, [x, y], span);
        if sets.iter().all(|s| s.environment) && self.memory.mixed {
            let what = format!("a difference of pointers from outside, {}", self.position(span));
            let own = self.domain.address_le(self.domain.address(0), x);
            self.require(own, &Otherwise::Unsupported(what.into()));
        }
        self.check_two_outside(&sets, [x, y], "difference", span);
        self.check_one_object([a, b], [x, y], "difference of pointers to different objects", span);
        self.check_order(&sets, [a, b], [x, y], span);
        self.check_steps(a, &pointee, x, a);
        self.check_steps(b, &pointee, y, b);
        let d = self.domain.address_sub(x, y);
        self.check_move(b, &pointee, y, d, b);
        let back = self.domain.address_sub(y, x);
        self.check_move(a, &pointee, x, back, a);
        let divided = |s: &Self, by: i128| if by == 1 { d } else { s.domain.address_div(d, by) };
        let cells = divided(self, self.memory.layouts.cells(&pointee));
        let targets = self.points_to.targets(a, self.instance, self.instances, self.memory);
        let size = self
            .memory
            .layouts
            .size(&pointee)
            .filter(|n| *n > 0 && (self.any_bytes(&targets) || targets.contains(&Target::Fixed)));
        let bytes = size.map_or(cells, |n| divided(self, n));
        if let Some(n) = size.filter(|n| *n > 1) {
            let back = self.domain.address_scale(bytes, n);
            let whole = self.pool.or2(self.pool.eq(back, d), self.pool.not(self.in_byte_region(x)));
            let what = format!("a difference that is no number of elements, {}", self.position(span));
            self.require(whole, &Otherwise::Unsupported(what.into()));
        }
        let d = self.by_region(x, &targets, bytes, cells);
        // An object is not larger than that.
        if let Some(range) = self.domain.range(d, ty) {
            self.require(range, &Otherwise::Cut);
        }
        self.domain.address_to_int(d, ty)
    }

    fn pointees(&self, e: &Expr) -> Pointees {
        let mut out = Pointees::default();
        for t in self.points_to.targets(e, self.instance, self.instances, self.memory) {
            match t {
                Target::Object(o, slot) => {
                    out.objects.push(o);
                    out.slots.push((o, slot));
                }
                Target::Unknown => out.environment = true,
                Target::Foreign => (out.environment, out.foreign) = (true, true),
                Target::Fixed => out.fixed = true,
                Target::Function(_) => out.functions = true,
            }
        }
        out.objects.dedup();
        out
    }

    /// Demands that two pointers are equal or point into one object, or behind it.
    fn check_one_object(&mut self, of: [&Expr; 2], at: [Term; 2], what: &str, span: Span) {
        // `memmove` asks which one comes first; for two objects either answer will do.
        if self.in_model() {
            return;
        }
        let one = self.one_object(of, at);
        self.require_meaning(one, what, span);
    }

    /// Are two pointers equal, or do they point into one object, or behind it?
    fn one_object(&mut self, of: [&Expr; 2], at: [Term; 2]) -> Term {
        let [a, b] = of.map(|e| self.pointees(e));
        let (p, d) = (self.pool, &self.domain);
        let both = |f: &dyn Fn(Term) -> Term| p.and2(f(at[0]), f(at[1]));
        let mut one = vec![p.eq(at[0], at[1])];
        let open = a.environment || a.fixed || b.environment || b.fixed;
        match (&a.objects[..], &b.objects[..]) {
            // There is nothing else than null.
            ([x], [y]) if x == y && !open && !self.memory.is_many(*x) => {
                let null = d.address(0);
                one.push(both(&|t| p.not(p.eq(t, null))));
            }
            _ => {
                let shared = a.objects.iter().filter(|o| b.objects.contains(o) && !self.memory.is_many(**o));
                one.extend(shared.map(|&o| both(&|t| self.in_margin(o, t))));
                if a.environment && b.environment {
                    one.push(both(&|t| d.address_le(t, d.address(-1))));
                }
                if a.fixed && b.fixed {
                    one.push(both(&|t| d.address_le(d.address(FIXED), t)));
                }
            }
        }
        let many: Vec<ObjectId> = a.objects.iter().copied().filter(|o| self.memory.is_many(*o)).collect();
        for o in many.into_iter().filter(|o| b.objects.contains(o)) {
            one.push(self.in_block(o, at));
        }
        p.or(one)
    }

    /// Demands that a pointer from outside is not compared with what it may be equal to although they have
    /// different addresses here: an object that a function without body could return, a function, an address
    /// that was given as a number.
    fn check_outside(&mut self, sets: &[Pointees; 2], at: [Term; 2], span: Span) {
        let assume = self.options.undefined == UndefinedMemory::Assume;
        for (k, other) in [(0, 1), (1, 0)] {
            let (from, to) = (&sets[k], &sets[other]);
            // What cannot be changed may have been given away all the same.
            let given = |o: &ObjectId| {
                self.points_to.escaped().contains(o) || self.memory.get(*o).constant || self.is_literal(*o)
            };
            let own = from.foreign && !assume && to.objects.iter().any(given);
            // A number of which nobody knows the address points nowhere.
            let nowhere = from.objects.is_empty() && !from.fixed && !from.functions;
            let elsewhere = (from.environment || nowhere) && (to.fixed || to.functions);
            if !own && !elsewhere {
                continue;
            }
            let null = self.domain.address(0);
            let inside = self.domain.address_le(null, at[k]);
            let outside = self.domain.address_le(at[other], null);
            let what = format!("a comparison of a pointer from outside, {}", self.position(span));
            self.require(self.pool.or2(inside, outside), &Otherwise::Unsupported(what.into()));
        }
    }

    /// Demands that no pointer that was moved from null is compared with a number, or with another such one:
    /// how many bytes it was moved is not known here (`&((struct s *)0)->b == (int *)4`). Nor is a number
    /// compared that was moved to 0, since it is not null here (`(char *)8 - 8`).
    fn check_near_null(&mut self, sets: &[Pointees; 2], of: [&Expr; 2], at: [Term; 2], span: Span) {
        let (p, d) = (self.pool, &self.domain);
        let nowhere = |s: &Pointees| s.objects.is_empty() && !s.environment && !s.fixed && !s.functions;
        let null = at.map(|t| p.eq(t, d.address(0)));
        let fine = if sets.iter().all(nowhere) && of.iter().all(|e| is_moved(e)) {
            p.or2(null[0], null[1])
        } else if sets[0].fixed || sets[1].fixed {
            p.and([(0, 1), (1, 0)].map(|(k, other)| {
                let (last, first) = self.memory.between_functions_and_objects();
                let from = if sets[k].functions { last } else { 1 };
                let to = if nowhere(&sets[k]) { NOWHERE } else { first };
                let (below, above) =
                    (d.address_le(at[k], d.address(from - 1)), d.address_le(d.address(to), at[k]));
                let number = p.not(p.eq(at[k], d.address(CONSTANTS)));
                p.and2(p.or([null[other], below, above]), number)
            }))
        } else {
            return;
        };
        let what =
            format!("a comparison of a pointer that was moved from or to null, {}", self.position(span));
        self.require(fine, &Otherwise::Unsupported(what.into()));
    }

    /// Demands that two addresses that were given as numbers are in the order of these. The last ones, such
    /// as `(void *)-1`, come first here.
    fn check_numbers(&mut self, sets: &[Pointees; 2], at: [Term; 2], span: Span) {
        if sets.iter().all(|s| s.fixed) {
            let low = at.map(|t| self.domain.address_le(self.domain.address(CONSTANTS), t));
            let what = format!("the order of addresses given as numbers, {}", self.position(span));
            self.require(self.pool.eq(low[0], low[1]), &Otherwise::Unsupported(what.into()));
        }
    }

    /// Demands that the order of cells is that of bytes where two pointers may be to different parts of one
    /// object.
    fn check_order(&mut self, sets: &[Pointees; 2], of: [&Expr; 2], at: [Term; 2], span: Span) {
        if of.iter().any(|e| is_null(e)) || self.in_model() {
            return;
        }
        for &o in sets[0].objects.iter().filter(|o| sets[1].objects.contains(o)) {
            let walked = self.is_walked(o);
            let object = self.memory.get(o);
            let slots = |s: &Pointees| s.slots.iter().filter(|t| t.0 == o).map(|t| t.1).collect::<Vec<_>>();
            let [x, y] = [slots(&sets[0]), slots(&sets[1])];
            let nothing = of[0].ty.pointee().is_some_and(|t| self.memory.layouts.size(t) == Some(0));
            let one = x.len() == 1 && x == y && !nothing;
            if object.as_bytes || one || self.memory.layouts.is_in_order(&object.ty, walked) {
                continue;
            }
            let what = format!(
                "comparison of pointers to different parts of `{}`, {}",
                object.name,
                self.position(span)
            );
            let both = match self.memory.is_many(o) {
                true => self.in_block(o, at),
                false => self.pool.and2(self.in_reach(o, at[0]), self.in_reach(o, at[1])),
            };
            self.require(self.pool.not(both), &Otherwise::Unsupported(what.into()));
        }
    }

    /// Demands that C says whether two pointers are equal.
    fn check_equality(&mut self, sets: &[Pointees; 2], of: [&Expr; 2], at: [Term; 2], span: Span) {
        let p = self.pool;
        self.check_existing(sets, of, at, span);
        self.check_labels(sets, of, at, span);
        for (k, other) in [(0, 1), (1, 0)] {
            // Memory of the environment, or at an address that was given as a number, may begin anywhere.
            let anywhere = sets[other].environment || sets[other].fixed;
            for &o in &sets[k].objects {
                let many = self.memory.is_many(o) && (anywhere || !sets[other].objects.is_empty());
                let others = anywhere || sets[other].objects.iter().any(|x| *x != o);
                // An object without size may lie where another one does.
                let empty = self.memory.layouts.size(&self.memory.get(o).ty) == Some(0);
                if !(others || many) || !(empty || self.is_walked(o)) {
                    continue;
                }
                let null = p.eq(at[other], self.domain.address(0));
                let slots: Vec<u32> = sets[k].slots.iter().filter(|t| t.0 == o).map(|t| t.1).collect();
                let fine = if empty {
                    p.or([p.not(self.in_reach(o, at[k])), self.in_reach(o, at[other]), null])
                } else if many {
                    let (cell, length) = (self.offset_in_block(o, at[k]), self.block_length(o, at[k]));
                    let behind = self.is_behind_end(o, &slots, cell, length);
                    let behind = p.and2(self.inside(o, at[k]), behind);
                    p.or([p.not(behind), self.in_block(o, at), null])
                } else {
                    let mut before = match self.is_behind(o, &slots, at[k]) {
                        Some(behind) => p.not(behind),
                        // Nobody knows how long it is: only its first address is surely not behind it.
                        None => p.eq(at[k], self.domain.address(self.memory.get(o).base)),
                    };
                    // Others become no address when they leave their object.
                    if sets[k].is_only(o) {
                        let nothing = p.eq(at[k], self.domain.address(0));
                        before = p.and2(before, p.or2(nothing, self.in_reach(o, at[k])));
                    }
                    p.or([before, self.in_reach(o, at[other]), null])
                };
                let what = format!(
                    "comparison of a pointer outside of `{}` with another object, {}",
                    self.memory.get(o).name,
                    self.position(span)
                );
                self.require(fine, &Otherwise::Unsupported(what.into()));
            }
        }
        // Nobody knows where memory of the environment ends.
        if self.is_environment_walked() {
            self.check_first_address(sets, at, span);
            self.check_two_outside(sets, at, "comparison", span);
        }
        self.check_literals([&sets[0].objects, &sets[1].objects], at, span);
    }

    /// Demands that no pointer to memory of the environment is compared with the first address of an object:
    /// it may be the one behind that memory.
    fn check_first_address(&mut self, sets: &[Pointees; 2], at: [Term; 2], span: Span) {
        let (p, minus) = (self.pool, self.domain.address(-1));
        for (k, other) in [(0, 1), (1, 0)] {
            if !sets[k].environment {
                continue;
            }
            let mut first = Vec::new();
            for &o in &sets[other].objects {
                let begins = match self.memory.is_many(o) {
                    true => {
                        let offset = self.offset_in_block(o, at[other]);
                        p.and2(self.inside(o, at[other]), p.eq(offset, self.domain.address(0)))
                    }
                    false => p.eq(at[other], self.domain.address(self.memory.get(o).base)),
                };
                first.push(begins);
            }
            let outside = self.domain.address_le(at[k], minus);
            let what =
                format!("comparison of a pointer from outside that was moved, {}", self.position(span));
            let fine = p.not(p.and2(outside, p.or(first)));
            self.require(fine, &Otherwise::Unsupported(what.into()));
        }
    }

    /// Demands that no two pointers to memory of the environment are compared that need not be into one
    /// object of it, and could be: one is behind an object where another one begins, or both are into one
    /// array.
    fn check_two_outside(&mut self, sets: &[Pointees; 2], at: [Term; 2], what: &str, span: Span) {
        if !sets.iter().all(|s| s.environment) || self.in_model() {
            return;
        }
        let (p, d) = (self.pool, &self.domain);
        let outside = at.map(|t| d.address_le(t, d.address(-1)));
        // The number of the object, which begins at its multiple of the distance below zero.
        let number = at.map(|t| {
            let cells = d.address_sub(d.address(ENVIRONMENT_STRIDE - 1), t);
            d.address_sub(cells, d.address_mod(cells, ENVIRONMENT_STRIDE))
        });
        let one = p.eq(number[0], number[1]);
        let fine = p.or([p.not(outside[0]), p.not(outside[1]), one]);
        let what = format!("{what} of two pointers from outside, {}", self.position(span));
        self.require(fine, &Otherwise::Unsupported(what.into()));
    }

    /// Demands that no addresses of labels are compared: where a function is copied, each copy has labels of
    /// its own. A computed `goto` compares with the label itself.
    fn check_labels(&mut self, sets: &[Pointees; 2], of: [&Expr; 2], at: [Term; 2], span: Span) {
        let is_label = |o: ObjectId| self.unit.globals.get(o.0 as usize).is_some_and(is_label);
        if of.iter().any(|e| names_label(e, &self.unit.globals)) {
            return;
        }
        let into = |k: usize| {
            let labels = sets[k].objects.iter().filter(|o| is_label(**o));
            self.pool.or(labels.map(|&o| self.in_reach(o, at[k])))
        };
        let apart = self.pool.not(self.pool.and2(into(0), into(1)));
        let what = format!("comparison of addresses of labels, {}", self.position(span));
        self.require(apart, &Otherwise::Unsupported(what.into()));
    }

    /// Demands that no pointer to something that has ended, or that has left its object, is compared, except
    /// with null.
    fn check_existing(&mut self, sets: &[Pointees; 2], of: [&Expr; 2], at: [Term; 2], span: Span) {
        if of.iter().any(|e| is_null(e)) {
            return;
        }
        self.check_margins(sets, at, span);
        for k in [0, 1] {
            let ending: Vec<ObjectId> =
                sets[k].objects.iter().copied().filter(|o| self.may_end(*o)).collect();
            let nothing = ending
                .into_iter()
                .map(|o| self.pool.eq(at[k], self.domain.address(DANGLING + i128::from(o.0))));
            let mut exists = self.pool.not(self.pool.or(nothing));
            for &o in &sets[k].objects {
                let many = self.memory.is_many(o);
                let here = if many { self.inside(o, at[k]) } else { self.in_reach(o, at[k]) };
                let there = self.pool.or2(self.pool.not(here), self.exists(o, at[k]));
                exists = self.pool.and2(exists, there);
            }
            self.require_meaning(exists, "comparison of a pointer to an object that has ended", span);
            if sets[k].objects.iter().any(|o| self.may_leave(*o)) {
                let there = self.pool.not(self.pool.eq(at[k], self.domain.address(NOWHERE)));
                self.require_meaning(there, "comparison of a pointer that has left its object", span);
            }
        }
    }

    /// Demands that a pointer that has left its object for the margin is compared with pointers to the same
    /// object only: on the machine another one may be there.
    fn check_margins(&mut self, sets: &[Pointees; 2], at: [Term; 2], span: Span) {
        for (k, other) in [(0, 1), (1, 0)] {
            for &o in &sets[k].objects {
                if self.memory.get(o).margin == 0 || !self.is_walked(o) {
                    continue;
                }
                let (p, null) = (self.pool, self.pool.eq(at[other], self.domain.address(0)));
                let left = p.and2(self.in_margin(o, at[k]), p.not(self.in_reach(o, at[k])));
                let fine = p.or([p.not(left), null, self.in_margin(o, at[other])]);
                let what = format!(
                    "comparison of a pointer that has left `{}`, {}",
                    self.memory.get(o).name,
                    self.position(span)
                );
                self.require(fine, &Otherwise::Unsupported(what.into()));
            }
        }
    }

    /// Are two addresses in one of many blocks, or behind it?
    fn in_block(&mut self, o: ObjectId, [x, y]: [Term; 2]) -> Term {
        let same = self.pool.eq(self.start_of_block(o, x), self.start_of_block(o, y));
        self.pool.and([self.inside(o, x), self.inside(o, y), same])
    }

    /// Is the address that of a cell of the object, or behind its last one?
    pub(super) fn in_reach(&self, o: ObjectId, address: Term) -> Term {
        let before = self.domain.address_sub(address, self.domain.address(1));
        let first = self.pool.eq(address, self.domain.address(self.memory.get(o).base));
        self.pool.or2(first, self.inside(o, before))
    }

    /// The address behind an object; `None` if it holds many, or if nobody knows how long it is.
    pub(super) fn end_of(&mut self, o: ObjectId) -> Option<Term> {
        let object = self.memory.get(o);
        let base = self.domain.address(object.base);
        let flexible = self.memory.layouts.flexible(&object.ty);
        let length = |s: &mut Self| {
            let length = s.counter(VarKey::Length(o));
            s.get(length)
        };
        match (&object.kind, &object.ty) {
            (Kind::Heap { many: true, .. }, _) | (_, Type::Array(_, Len::Variable(_))) => None,
            (Kind::Heap { .. }, ty)
                if object.as_bytes && (object.tail || matches!(ty, Type::Array(_, Len::Unknown))) =>
            {
                let length = self.byte_length(o);
                Some(self.domain.address_add(base, length))
            }
            (Kind::Heap { .. }, Type::Array(_, Len::Unknown)) => {
                let one = self.memory.element_cells(o);
                let length = length(self);
                let cells = self.domain.address_scale(length, one);
                Some(self.domain.address_add(base, cells))
            }
            // Another file says how long it is.
            (_, Type::Array(_, Len::Unknown)) => None,
            _ if object.as_bytes => Some(self.domain.address(object.base + object.extent)),
            (Kind::Heap { .. }, _) if flexible.is_some() => {
                let (_, first, element) = flexible.expect("just seen");
                let length = length(self);
                let cells = self.domain.address_scale(length, self.memory.layouts.cells(&element));
                let first = self.domain.address(object.base + first);
                Some(self.domain.address_add(first, cells))
            }
            (_, ty) => Some(self.domain.address(object.base + self.memory.layouts.cells(ty))),
        }
    }
}

/// The constant 0, converted or not.
fn is_null(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Const(v) => *v == 0,
        ExprKind::Cast(inner) => is_null(inner),
        _ => false,
    }
}

/// Is it the result of arithmetic, or the address of a place, converted or not?
fn is_moved(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::PtrAdd(..) | ExprKind::Address(_) => true,
        ExprKind::Cast(inner) => is_moved(inner),
        _ => false,
    }
}

/// Is the expression the address of a label?
fn names_label(e: &Expr, globals: &[Global]) -> bool {
    match &e.kind {
        ExprKind::Cast(inner) => names_label(inner, globals),
        ExprKind::Address(place) => match place.kind {
            PlaceKind::Var(VarRef::Global(g)) => is_label(&globals[g as usize]),
            _ => false,
        },
        _ => false,
    }
}
