//! Builders of integer and rational arithmetic, in normal form (see the crate documentation).
//!
//! Sums are collected into linear combinations, constraints are scaled to coprime coefficients with a
//! positive leading one. `div` and `mod` are Euclidean, as in SMT-LIB; by a constant they take out what the
//! divisor divides, so that `(4x + y + 5) mod 4` is `(y + 1) mod 4`. Products of two terms that are not
//! constant stay opaque.

use num_integer::Integer as _;
use num_traits::{One, Signed, Zero};

use crate::op::Op;
use crate::{Integer, Linear, Rational, Sort, Term, TermPool};

/// Euclidean quotient as in SMT-LIB: the remainder is never negative. Division by zero gives zero.
pub(crate) fn euclid_div(a: &Integer, b: &Integer) -> Integer {
    if b.is_zero() {
        return Integer::zero();
    }
    if b.is_positive() { a.div_floor(b) } else { -a.div_floor(&-b) }
}

/// Euclidean remainder as in SMT-LIB. Modulo zero gives the dividend.
pub(crate) fn euclid_mod(a: &Integer, b: &Integer) -> Integer {
    if b.is_zero() { a.clone() } else { a.mod_floor(&b.abs()) }
}

/// A comparison between a linear combination and zero.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rel {
    Le,
    Lt,
    Eq,
}

impl TermPool {
    fn arith_sort(&self, t: Term) -> &Sort {
        let s = self.sort(t);
        assert!(s.is_arith(), "arithmetic over numbers, not {s}");
        s
    }

    /// The sum of at least one term, all of one arithmetic sort.
    pub fn add(&self, args: impl IntoIterator<Item = Term>) -> Term {
        let mut it = args.into_iter();
        let first = it.next().expect("a sum of at least one term");
        let sort = self.arith_sort(first).clone();
        let mut rest = it.peekable();
        if rest.peek().is_none() {
            return first;
        }
        // Collect all monomials, then sort and merge once.
        let mut all = self.linear(first);
        for t in rest {
            assert_eq!(*self.sort(t), sort, "a sum of one sort");
            let l = self.linear(t);
            all.constant += l.constant;
            all.coeffs.extend(l.coeffs);
        }
        all.coeffs.sort_by_key(|(t, _)| *t);
        let mut merged: Vec<(Term, Rational)> = Vec::with_capacity(all.coeffs.len());
        for (t, c) in all.coeffs {
            match merged.last_mut() {
                Some((u, d)) if *u == t => *d += c,
                _ => merged.push((t, c)),
            }
        }
        merged.retain(|(_, c)| !c.is_zero());
        self.from_linear(&Linear { coeffs: merged, constant: all.constant }, &sort)
    }

    /// Sum of two.
    pub fn add2(&self, a: Term, b: Term) -> Term {
        self.add([a, b])
    }

    /// Difference.
    pub fn sub(&self, a: Term, b: Term) -> Term {
        self.add([a, self.neg(b)])
    }

    /// Arithmetic negation.
    pub fn neg(&self, t: Term) -> Term {
        self.scale(&-Rational::one(), t)
    }

    /// Product with a constant.
    pub fn scale(&self, k: &Rational, t: Term) -> Term {
        if k.is_one() {
            return t;
        }
        let sort = self.arith_sort(t).clone();
        self.from_linear(&self.linear(t).scaled(k), &sort)
    }

    /// Product of two. Linear when one side is constant; otherwise a nonlinear monomial.
    pub fn mul(&self, a: Term, b: Term) -> Term {
        assert_eq!(self.sort(a), self.sort(b), "a product of one sort");
        let sort = self.arith_sort(a).clone();
        if let Some(c) = self.as_number(a) {
            return self.scale(&c, b);
        }
        if let Some(c) = self.as_number(b) {
            return self.scale(&c, a);
        }
        // Pull the constant factors out, so that 2x * y and x * 2y are one term.
        let mut k = Rational::one();
        let mut factors: Vec<Term> = Vec::new();
        for t in [a, b] {
            let l = self.linear(t);
            if l.coeffs.len() == 1 && l.constant.is_zero() {
                k *= &l.coeffs[0].1;
                let u = l.coeffs[0].0;
                if *self.op(u) == Op::Mul { factors.extend(self.args(u)) } else { factors.push(u) }
            } else {
                factors.push(t);
            }
        }
        factors.sort_unstable();
        let m = self.intern(Op::Mul, &factors, sort);
        self.scale(&k, m)
    }

    /// Rational division. By a constant it is a product; by zero it is zero.
    pub fn div(&self, a: Term, b: Term) -> Term {
        assert_eq!(*self.sort(a), Sort::Real, "division of rationals");
        assert_eq!(*self.sort(b), Sort::Real, "division of rationals");
        match self.as_number(b) {
            Some(d) if d.is_zero() => self.real(Rational::zero()),
            Some(d) => self.scale(&d.recip(), a),
            None => self.intern(Op::Div, &[a, b], Sort::Real),
        }
    }

    /// Integer division (SMT-LIB `div`).
    pub fn int_div(&self, a: Term, b: Term) -> Term {
        assert!(*self.sort(a) == Sort::Int && *self.sort(b) == Sort::Int, "div of integers");
        if let (Op::Int(x), Op::Int(y)) = (self.op(a), self.op(b)) {
            return self.int(euclid_div(x, y));
        }
        match self.op(b) {
            Op::Int(y) if y.is_one() => a,
            Op::Int(y) if y.is_zero() => self.int(0),
            Op::Int(y) if y.is_negative() => self.neg(self.int_div(a, self.int(-y))),
            Op::Int(y) => {
                let (multiple, rest) = self.split_multiple(a, y);
                match self.op(rest) {
                    Op::Int(r) => self.add2(multiple, self.int(euclid_div(r, y))),
                    _ => self.add2(multiple, self.intern(Op::IntDiv, &[rest, b], Sort::Int)),
                }
            }
            _ => self.intern(Op::IntDiv, &[a, b], Sort::Int),
        }
    }

    /// Integer remainder (SMT-LIB `mod`).
    pub fn int_mod(&self, a: Term, b: Term) -> Term {
        assert!(*self.sort(a) == Sort::Int && *self.sort(b) == Sort::Int, "mod of integers");
        if let (Op::Int(x), Op::Int(y)) = (self.op(a), self.op(b)) {
            return self.int(euclid_mod(x, y));
        }
        match self.op(b) {
            Op::Int(y) if y.is_zero() => a,
            Op::Int(y) if y.abs().is_one() => self.int(0),
            Op::Int(y) if y.is_negative() => self.int_mod(a, self.int(-y)),
            Op::Int(y) => {
                let (_, rest) = self.split_multiple(a, y);
                match self.op(rest) {
                    Op::Int(r) => self.int(euclid_mod(r, y)),
                    _ => self.intern(Op::Mod, &[rest, b], Sort::Int),
                }
            }
            _ => self.intern(Op::Mod, &[a, b], Sort::Int),
        }
    }

    /// Writes an integer term as `y * multiple + rest` with coefficients of `rest` smaller than `y` in
    /// magnitude and its constant in `0 .. y`: `(4x + y + 5) mod 4` is `(y + 1) mod 4`.
    fn split_multiple(&self, a: Term, y: &Integer) -> (Term, Term) {
        let l = self.linear(a);
        let (mut multiple, mut rest) =
            (Linear::constant(Rational::zero()), Linear::constant(Rational::zero()));
        for (t, c) in &l.coeffs {
            let (q, r) = c.numer().div_rem(y);
            if !q.is_zero() {
                multiple.coeffs.push((*t, Rational::from_integer(q)));
            }
            if !r.is_zero() {
                rest.coeffs.push((*t, Rational::from_integer(r)));
            }
        }
        let (q, r) = l.constant.numer().div_mod_floor(y);
        multiple.constant = Rational::from_integer(q);
        rest.constant = Rational::from_integer(r);
        (self.from_linear(&multiple, &Sort::Int), self.from_linear(&rest, &Sort::Int))
    }

    /// Absolute value.
    pub fn abs(&self, a: Term) -> Term {
        let zero = self.number(Rational::zero(), &self.arith_sort(a).clone());
        self.ite(self.ge(a, zero), a, self.neg(a))
    }

    /// Integer to rational. Distributes over linear combinations.
    pub fn to_real(&self, a: Term) -> Term {
        match self.sort(a) {
            Sort::Real => return a,
            Sort::Int => {}
            s => panic!("to_real of {s}"),
        }
        let l = self.linear(a);
        let coeffs = l
            .coeffs
            .into_iter()
            .map(|(t, c)| (self.intern(Op::ToReal, &[t], Sort::Real), c))
            .collect::<Vec<_>>();
        let mut l = Linear { coeffs, constant: l.constant };
        l.coeffs.sort_by_key(|(t, _)| *t);
        self.from_linear(&l, &Sort::Real)
    }

    /// Floor of a rational, as an integer.
    pub fn to_int(&self, a: Term) -> Term {
        match self.op(a) {
            Op::Real(r) => self.int(r.floor().to_big()),
            Op::ToReal => self.args(a)[0],
            _ => {
                assert_eq!(*self.sort(a), Sort::Real, "to_int of a rational");
                self.intern(Op::ToInt, &[a], Sort::Int)
            }
        }
    }

    /// Is a rational whole?
    pub fn is_int(&self, a: Term) -> Term {
        self.eq(a, self.to_real(self.to_int(a)))
    }

    /// `a <= b`.
    pub fn le(&self, a: Term, b: Term) -> Term {
        self.compare(a, b, Rel::Le)
    }

    /// `a < b`.
    pub fn lt(&self, a: Term, b: Term) -> Term {
        self.compare(a, b, Rel::Lt)
    }

    /// `a >= b`.
    pub fn ge(&self, a: Term, b: Term) -> Term {
        self.compare(b, a, Rel::Le)
    }

    /// `a > b`.
    pub fn gt(&self, a: Term, b: Term) -> Term {
        self.compare(b, a, Rel::Lt)
    }

    pub(crate) fn arith_eq(&self, a: Term, b: Term) -> Term {
        self.compare(a, b, Rel::Eq)
    }

    fn compare(&self, a: Term, b: Term, rel: Rel) -> Term {
        assert_eq!(self.sort(a), self.sort(b), "a comparison of one sort");
        let sort = self.arith_sort(a).clone();
        let l = self.linear(a).minus(&self.linear(b));
        self.constraint(l, rel, &sort)
    }

    /// `l <= 0` as a term in normal form; the terms of `l` have the given sort.
    pub fn linear_le(&self, l: Linear, sort: &Sort) -> Term {
        self.constraint(l, Rel::Le, sort)
    }

    /// `l < 0` as a term in normal form.
    pub fn linear_lt(&self, l: Linear, sort: &Sort) -> Term {
        self.constraint(l, Rel::Lt, sort)
    }

    /// `l = 0` as a term in normal form.
    pub fn linear_eq(&self, l: Linear, sort: &Sort) -> Term {
        self.constraint(l, Rel::Eq, sort)
    }

    /// The normal form of `l rel 0`.
    fn constraint(&self, mut l: Linear, rel: Rel, sort: &Sort) -> Term {
        if l.is_constant() {
            return self.bool(match rel {
                Rel::Le => !l.constant.is_positive(),
                Rel::Lt => l.constant.is_negative(),
                Rel::Eq => l.constant.is_zero(),
            });
        }
        l.make_primitive();
        let flipped = l.leading_negative();
        if flipped {
            l = l.scaled(&-Rational::one());
        }
        // Now: form + constant rel 0, or (flipped) -(form + constant) rel 0.
        let bound = -std::mem::replace(&mut l.constant, Rational::zero());
        let form = self.from_linear(&l, sort);
        let atom = |op: Op, c: Rational| self.intern(op, &[form, self.number(c, sort)], Sort::Bool);
        let int = *sort == Sort::Int;
        match (rel, flipped) {
            (Rel::Eq, _) if int && !bound.is_integer() => self.fls(),
            (Rel::Eq, _) => atom(Op::Eq, bound),
            // form <= bound
            (Rel::Le, false) if int => atom(Op::Le, bound.floor().into()),
            (Rel::Le, false) => atom(Op::Le, bound),
            // form < bound: over the integers form <= ceil(bound) - 1
            (Rel::Lt, false) if int => atom(Op::Le, Rational::from(bound.ceil()) - Rational::ONE),
            (Rel::Lt, false) => atom(Op::Lt, bound),
            // form >= bound: not (form <= ceil(bound) - 1), or not (form < bound)
            (Rel::Le, true) if int => self.not(atom(Op::Le, Rational::from(bound.ceil()) - Rational::ONE)),
            (Rel::Le, true) => self.not(atom(Op::Lt, bound)),
            // form > bound: not (form <= floor(bound))
            (Rel::Lt, true) if int => self.not(atom(Op::Le, bound.floor().into())),
            (Rel::Lt, true) => self.not(atom(Op::Le, bound)),
        }
    }
}
