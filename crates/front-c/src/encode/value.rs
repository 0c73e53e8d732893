//! Expressions to terms: integers through the [`Domain`](crate::domain::Domain), truth values as formulas,
//! pointers as addresses.
//!
//! Operands of `&&`, `||` and `?:` are evaluated under the condition that selects them, so that what they
//! require is required only then.

use palisade_term::Term;

use super::Encoder;
use super::float::Mode;
use super::state::Otherwise;
use crate::domain::{Outcome, Undefined, Val};
use crate::ir::{BinOp, Expr, ExprKind, FloatOp, Place, PlaceKind};
use crate::lower::fold;
use crate::memory::{Dim, Motion, NOWHERE, ObjectId, Room, constant_address, function_address, has_address};
use crate::options::IntMode;
use crate::points_to::Target;
use crate::types::{IntType, Len, Type};

/// Rows whose length is variable have no place beside each other: only `a[i][j]` itself is known.
const ROWS: &str = "a pointer into an array of arrays of variable length";

impl Encoder<'_> {
    /// The term of a scalar expression, of the sort of its type.
    pub(super) fn scalar(&mut self, e: &Expr) -> Term {
        match &e.ty {
            Type::Int(_) => self.int(e).term,
            Type::Ieee(f) => self.float(e, *f),
            _ => self.pointer(e),
        }
    }

    /// Evaluates something only if a condition holds.
    pub(super) fn under<T>(&mut self, condition: Term, f: impl FnOnce(&mut Self) -> T) -> T {
        self.state.path.push(condition);
        let out = f(self);
        self.state.path.pop();
        out
    }

    fn type_of(e: &Expr) -> IntType {
        e.ty.as_int().unwrap_or(IntType::INT)
    }

    /// An integer expression.
    pub(super) fn int(&mut self, e: &Expr) -> Val {
        let ty = Self::type_of(e);
        match &e.kind {
            ExprKind::Const(v) => self.domain.constant(*v, ty),
            ExprKind::Load(p) => {
                let access = self.resolve(p, false);
                self.load_int(&access, ty, e.span)
            }
            ExprKind::Neg(a) => {
                let a = self.int(a);
                let out = self.domain.neg(ty, a);
                self.outcome(out, e)
            }
            ExprKind::BitNot(a) => {
                let a = self.int(a);
                self.domain.complement(ty, a)
            }
            ExprKind::Not(_) | ExprKind::Compare(..) | ExprKind::And(..) | ExprKind::Or(..) => {
                let c = self.condition(e);
                self.truth_value(c, ty)
            }
            ExprKind::Binary(op, a, b) => self.binary(*op, ty, a, b, e),
            ExprKind::PtrSub(a, b) => self.difference(a, b, ty, e.span),
            ExprKind::Cond(c, a, b) => {
                let c = self.condition(c);
                let x = self.under(c, |s| s.int(a));
                let y = self.under(self.pool.not(c), |s| s.int(b));
                let bound = |x: Option<i128>, y: Option<i128>, f: fn(i128, i128) -> i128| Some(f(x?, y?));
                Val {
                    term: self.pool.ite(c, x.term, y.term),
                    lo: bound(x.lo, y.lo, i128::min),
                    hi: bound(x.hi, y.hi, i128::max),
                    zeros: x.zeros.min(y.zeros),
                }
            }
            ExprKind::Cast(a) => match &a.ty {
                Type::Ieee(from) => self.float_to_int(a, *from, ty, e.span),
                Type::Int(from) => {
                    let v = self.int(a);
                    self.domain.convert(v, *from, ty)
                }
                // A number that is not modelled. Nobody uses it, but it is read.
                Type::Float(_) => {
                    if let ExprKind::Load(p) = &a.kind {
                        let access = self.resolve(p, false);
                        self.touch(&access, &p.ty);
                    }
                    self.domain.constant(0, ty)
                }
                _ => self.number_of(a, e, ty),
            },
            ExprKind::Unsupported(what) => {
                self.unsupported_located(what.clone());
                self.domain.constant(0, ty)
            }
            ExprKind::Float(FloatOp::ToInt(r), args) => {
                self.rounded_to_int(Mode::Fixed(*r), args, ty, e.span)
            }
            ExprKind::Rounded(mode, op) => {
                let mode = self.mode(mode);
                match &op.kind {
                    ExprKind::Float(FloatOp::ToInt(_), args) => self.rounded_to_int(mode, args, ty, e.span),
                    _ => unreachable!("not an operation that is rounded to an integer"),
                }
            }
            ExprKind::Float(op, args) => {
                let c = self.float_predicate(*op, args, e.span);
                self.answer_value(*op, c, ty)
            }
            ExprKind::Address(_) | ExprKind::Function(_) | ExprKind::PtrAdd(..) | ExprKind::FloatConst(_) => {
                unreachable!("not an integer")
            }
        }
    }

    fn outcome(&mut self, out: Outcome, e: &Expr) -> Val {
        for (kind, condition) in out.requires {
            let assumed = !self.options.checks.overflow && !self.options.signed_wrap;
            if kind == Undefined::Overflow && assumed && condition == self.pool.fls() && fold(e).is_some() {
                // Compilers go on with another number, and their sanitizers do not see it.
                self.unsupported("a constant expression that overflows", e.span);
            } else if kind == Undefined::Overflow && e.ty.as_int().is_some_and(|t| (33..64).contains(&t.bits))
            {
                // To gcc its type has that width, to others it is `long long`.
                let what = format!("overflow of a wide bit-field, {}", self.position(e.span));
                self.require(condition, &Otherwise::Unsupported(what.into()));
            } else {
                self.require_defined(kind, condition);
            }
        }
        out.val
    }

    pub(super) fn truth_value(&self, c: Term, ty: IntType) -> Val {
        if ty.boolean {
            return Val { term: c, lo: Some(0), hi: Some(1), zeros: 0 };
        }
        let (one, zero) = (self.domain.constant(1, ty), self.domain.constant(0, ty));
        match self.pool.as_bool(c) {
            Some(true) => one,
            Some(false) => zero,
            None => Val { term: self.pool.ite(c, one.term, zero.term), lo: Some(0), hi: Some(1), zeros: 0 },
        }
    }

    fn binary(&mut self, op: BinOp, ty: IntType, a: &Expr, b: &Expr, e: &Expr) -> Val {
        let x = self.int(a);
        let y = self.int(b);
        match self.domain.binary(op, ty, x, y, Self::type_of(b)) {
            Ok(out) => self.outcome(out, e),
            Err(why) => {
                self.unsupported(why, e.span);
                self.domain.constant(0, ty)
            }
        }
    }

    /// The truth of an expression.
    pub(super) fn condition(&mut self, e: &Expr) -> Term {
        match &e.kind {
            ExprKind::Not(a) => {
                let c = self.condition(a);
                self.pool.not(c)
            }
            ExprKind::And(a, b) => {
                let x = self.condition(a);
                let y = self.under(x, |s| s.condition(b));
                self.pool.and2(x, y)
            }
            ExprKind::Or(a, b) => {
                let x = self.condition(a);
                let y = self.under(self.pool.not(x), |s| s.condition(b));
                self.pool.or2(x, y)
            }
            ExprKind::Compare(op, a, b) => match &a.ty {
                Type::Int(t) => self.compare_numbers(*op, *t, [a, b]).unwrap_or_else(|| {
                    let (x, y) = (self.int(a), self.int(b));
                    self.domain.compare(*op, *t, x, y)
                }),
                Type::Ieee(f) => self.compare_floats(*op, *f, a, b),
                _ => self.compare_pointers(*op, a, b, e.span),
            },
            ExprKind::Float(op, args) if !matches!(op, FloatOp::ToInt(_)) => {
                self.float_predicate(*op, args, e.span)
            }
            ExprKind::Cast(a) if a.ty.as_int().is_some() && Self::type_of(e).boolean => self.condition(a),
            _ => {
                let v = self.int(e);
                self.domain.truth(Self::type_of(e), v)
            }
        }
    }

    /// A pointer expression: its address.
    pub(super) fn pointer(&mut self, e: &Expr) -> Term {
        match &e.kind {
            ExprKind::Const(v) => {
                let bits = self.options.int_mode == IntMode::Bv;
                if bits && !has_address(*v) {
                    self.unsupported("a pointer that was this number (use --int c)", e.span);
                }
                self.domain.address(constant_address(*v))
            }
            ExprKind::Function(f) => self.domain.address(function_address(*f)),
            ExprKind::Load(p) => {
                let access = self.resolve(p, false);
                self.load_pointer(&access, e)
            }
            ExprKind::Address(p) => {
                if is_in_variable_row(p) {
                    self.unsupported(ROWS, e.span);
                }
                let access = self.resolve(p, true);
                self.address_of(&access)
            }
            ExprKind::Cast(a) if !matches!(a.ty, Type::Pointer(_)) => self.pointer_from(a, e),
            ExprKind::Cast(a) => self.pointer(a),
            ExprKind::PtrAdd(a, index, minus) => self.step(e, a, index, *minus),
            ExprKind::Cond(c, a, b) => {
                let c = self.condition(c);
                let x = self.under(c, |s| s.pointer(a));
                let y = self.under(self.pool.not(c), |s| s.pointer(b));
                self.pool.ite(c, x, y)
            }
            ExprKind::Unsupported(what) => {
                self.unsupported_located(what.clone());
                self.domain.address(0)
            }
            _ => {
                self.unsupported("this pointer expression", e.span);
                self.domain.address(0)
            }
        }
    }

    /// Pointer arithmetic.
    fn step(&mut self, e: &Expr, base: &Expr, index: &Expr, minus: bool) -> Term {
        let pointee = e.ty.pointee().expect("a pointer").clone();
        if pointee.is_variable() {
            self.unsupported(ROWS, e.span);
        } else if self.memory.layouts.flexible(&pointee).is_some() {
            self.unsupported("arithmetic on a pointer to a struct with a flexible array", e.span);
        }
        let from = self.pointer(base);
        self.check_steps(base, &pointee, from, e);
        let v = self.int(index);
        let i = self.domain.to_address(v, Self::type_of(index));
        let targets = self.points_to.targets(base, self.instance, self.instances, self.memory);
        let scale = |s: &Self, stride: i128| s.domain.address_scale(i, if minus { -stride } else { stride });
        let cells = scale(self, self.memory.layouts.cells(&pointee));
        self.check_move(base, &pointee, from, cells, e);
        let bytes = self.memory.layouts.size(&pointee).map_or(cells, |n| scale(self, n));
        let by = self.by_region(from, &targets, bytes, cells);
        let to = self.domain.address_add(from, by);
        let to = self.moved(&targets, from, to, e.span);
        let size = self.memory.layouts.size(&pointee).filter(|_| self.any_bytes(&targets));
        let stride = self.memory.layouts.cells(&pointee).max(size.unwrap_or(0));
        let near = self.is_near(v, Self::type_of(index), stride);
        self.pool.ite(near, to, self.domain.address(NOWHERE))
    }

    /// Beyond a member of a record, cells and bytes count differently: what moves further is not supported.
    pub(super) fn check_move(&mut self, base: &Expr, pointee: &Type, from: Term, by: Term, e: &Expr) {
        let targets = self.points_to.targets(base, self.instance, self.instances, self.memory);
        let mut stays: Vec<(ObjectId, Term)> = Vec::new();
        for t in targets {
            let Target::Object(o, slot) = t else { continue };
            let object = self.memory.get(o);
            if object.as_bytes {
                continue;
            }
            let many = self.memory.is_many(o);
            let strays = object.seen_as_bytes && self.memory.layouts.strays(&object.ty, slot, pointee);
            let here = match self.memory.layouts.motion(&object.ty, slot, pointee) {
                Motion::Whole if !strays => self.pool.tru(),
                Motion::Inside(room) if !many && !strays => {
                    // Behind a member, there is the next one for who sees bytes.
                    let behind = i128::from(!object.seen_as_bytes);
                    self.stays_in(object.base, room, from, by, behind)
                }
                Motion::Whole | Motion::Inside(_) | Motion::Unknown => {
                    self.pool.eq(by, self.domain.address(0))
                }
            };
            // The pointer may be at any of the slots of an object.
            match stays.iter_mut().find(|s| s.0 == o) {
                Some((_, known)) => *known = self.pool.or2(*known, here),
                None => stays.push((o, here)),
            }
        }
        for (o, here) in stays {
            let name = &self.memory.get(o).name;
            let place = self.position(e.span);
            let what = format!("arithmetic on a pointer beyond a member of `{name}`, {place}");
            let elsewhere = self.pool.not(self.inside(o, from));
            self.require(self.pool.or2(elsewhere, here), &Otherwise::Unsupported(what.into()));
        }
    }

    /// Is the address in the part of an object that begins at `base`, and does it stay there, or come at most
    /// to so many cells `behind` its last?
    fn stays_in(&self, base: i128, room: Room, from: Term, by: Term, behind: i128) -> Term {
        let d = &self.domain;
        let mut at = d.address_sub(from, d.address(base + room.start));
        let mut all = vec![d.address_le(d.address(0), at)];
        if let Some(Dim { stride, len, .. }) = room.repeats {
            if let Len::Fixed(n) = len {
                all.push(d.address_le(at, d.address(stride * i128::from(n) - 1)));
            }
            at = d.address_mod(at, stride);
        }
        let first = d.address_sub(at, d.address(room.offset));
        for place in [first, d.address_add(first, by)] {
            all.push(d.address_le(d.address(0), place));
            all.push(d.address_le(place, d.address(room.cells - 1 + behind)));
        }
        self.pool.and(all)
    }

    /// Arithmetic counts cells: it is exact only where the pointer moves over objects of its own type. The
    /// address behind an object belongs to it here.
    pub(super) fn check_steps(&mut self, base: &Expr, pointee: &Type, address: Term, e: &Expr) {
        let targets = self.points_to.targets(base, self.instance, self.instances, self.memory);
        self.check_shape(&targets, pointee, address, e.span);
        let before = self.domain.address_sub(address, self.domain.address(1));
        self.check_shape(&targets, pointee, before, e.span);
    }
}

/// Is it a row of variable length among others, or inside one?
fn is_in_variable_row(place: &Place) -> bool {
    match &place.kind {
        PlaceKind::Index(array, _) => place.ty.is_variable() || is_in_variable_row(array),
        PlaceKind::Field(record, _) => is_in_variable_row(record),
        PlaceKind::Var(_) | PlaceKind::Deref(_) => false,
    }
}
