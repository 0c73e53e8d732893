//! Linear inequalities over terms, exactly, with the checker's own numbers.

use std::collections::BTreeMap;

use palisade_term::{Linear, Op, Rational, Sort, Term, TermPool};

use crate::exact::Exact;

/// `Σ coeffs·t <= rhs`, or `<` if strict. The terms are not sums; an integer term counts as its own value
/// among rationals.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inequality {
    /// The left side, without zeros.
    pub coeffs: BTreeMap<Term, Exact>,
    /// The right side.
    pub rhs: Exact,
    /// Is it strict?
    pub strict: bool,
}

impl Default for Inequality {
    /// `0 <= 0`.
    fn default() -> Self {
        Inequality { coeffs: BTreeMap::new(), rhs: Exact::small(0), strict: false }
    }
}

impl Inequality {
    /// What a literal over `<=` or `<` says; `None` if it is something else. Over the integers it is never
    /// strict.
    pub fn of_literal(pool: &TermPool, literal: Term) -> Option<Inequality> {
        let (negated, atom) = pool.strip_not(literal);
        let strict = match pool.op(atom) {
            Op::Le => negated,
            Op::Lt => !negated,
            _ => return None,
        };
        let args = pool.args(atom);
        let l = pool.linear(args[0]);
        let sign = Exact::small(if negated { -1 } else { 1 });
        let rhs = Exact::of(&pool.as_number(args[1])?) - Exact::of(&l.constant);
        let mut out = Inequality { rhs: rhs * &sign, ..Self::default() };
        for (t, c) in &l.coeffs {
            let t = if *pool.op(*t) == Op::ToReal { pool.args(*t)[0] } else { *t };
            out.add_term(t, &(Exact::of(c) * &sign));
        }
        out.strict = strict;
        if strict && *pool.sort(args[0]) == Sort::Int && out.is_integral(pool) {
            out.rhs = out.rhs.ceil() - Exact::small(1);
            out.strict = false;
        }
        Some(out)
    }

    /// Adds a multiple of another inequality; the factor must not be negative.
    pub fn add(&mut self, other: &Inequality, factor: &Rational) {
        assert!(!factor.is_negative(), "inequalities are added with the same direction");
        let factor = Exact::of(factor);
        for (t, c) in &other.coeffs {
            self.add_term(*t, &(c * &factor));
        }
        self.rhs += &other.rhs * &factor;
        self.strict |= other.strict && !factor.is_zero();
    }

    fn add_term(&mut self, t: Term, c: &Exact) {
        let slot = self.coeffs.entry(t).or_insert_with(|| Exact::small(0));
        *slot += c;
        if slot.is_zero() {
            self.coeffs.remove(&t);
        }
    }

    /// Are all coefficients integers, and all terms?
    pub fn is_integral(&self, pool: &TermPool) -> bool {
        self.coeffs.iter().all(|(t, c)| *pool.sort(*t) == Sort::Int && c.is_integer())
    }

    /// Rounds the right side down. False, and nothing is done, unless that is valid: integer coefficients on
    /// integer terms, not strict.
    pub fn round(&mut self, pool: &TermPool) -> bool {
        let valid = !self.strict && self.is_integral(pool);
        if valid {
            self.rhs = self.rhs.floor();
        }
        valid
    }

    /// Is it false whatever the terms are?
    pub fn is_contradiction(&self) -> bool {
        self.coeffs.is_empty() && (self.rhs.is_negative() || (self.strict && self.rhs.is_zero()))
    }

    /// The inequality as a formula in normal form: over the integers if all its terms are, else over the
    /// rationals.
    pub fn to_term(&self, pool: &TermPool) -> Term {
        let l = Linear {
            coeffs: self.coeffs.iter().map(|(t, c)| (*t, c.to_rational())).collect(),
            constant: (-&self.rhs).to_rational(),
        };
        let (l, sort) = typed(pool, l);
        if self.strict { pool.linear_lt(l, &sort) } else { pool.linear_le(l, &sort) }
    }
}

/// A combination of integer and rational terms in one sort: the integers if all are, else the rationals.
pub(crate) fn typed(pool: &TermPool, mut l: Linear) -> (Linear, Sort) {
    if l.coeffs.iter().all(|(t, _)| *pool.sort(*t) == Sort::Int) {
        return (l, Sort::Int);
    }
    for (t, _) in &mut l.coeffs {
        *t = pool.to_real(*t);
    }
    l.coeffs.sort_by_key(|(t, _)| *t);
    (l, Sort::Real)
}
