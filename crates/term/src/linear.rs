//! Linear views of arithmetic terms: `sum c_i t_i + c`.
//!
//! Invariant: terms ascend, no coefficient is zero. The view of a term and the term of a view are inverse to
//! each other ([`TermPool::linear`], [`TermPool::from_linear`]).

use num_integer::Integer as _;
use num_traits::{One, Zero};

use crate::op::Op;
use crate::{Integer, Rational, Sort, Term, TermPool};

/// A linear combination of non-constant terms plus a constant. Coefficients are non-zero, terms ascend.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Linear {
    /// Terms with their coefficients.
    pub coeffs: Vec<(Term, Rational)>,
    /// The constant part.
    pub constant: Rational,
}

impl Linear {
    /// The constant combination.
    pub fn constant(c: Rational) -> Linear {
        Linear { coeffs: Vec::new(), constant: c }
    }

    /// A single term.
    pub fn term(t: Term) -> Linear {
        Linear { coeffs: vec![(t, Rational::one())], constant: Rational::zero() }
    }

    /// Has no terms.
    pub fn is_constant(&self) -> bool {
        self.coeffs.is_empty()
    }

    /// The coefficient of a term (zero when absent).
    pub fn coeff(&self, t: Term) -> Rational {
        match self.coeffs.binary_search_by_key(&t, |(u, _)| *u) {
            Ok(i) => self.coeffs[i].1.clone(),
            Err(_) => Rational::zero(),
        }
    }

    /// `self + k * other`.
    pub fn add_scaled(&self, k: &Rational, other: &Linear) -> Linear {
        let mut coeffs = Vec::with_capacity(self.coeffs.len() + other.coeffs.len());
        let (mut i, mut j) = (0, 0);
        while i < self.coeffs.len() || j < other.coeffs.len() {
            let left = self.coeffs.get(i);
            let right = other.coeffs.get(j);
            match (left, right) {
                (Some((t, c)), Some((u, d))) if t == u => {
                    let sum = c + k * d;
                    if !sum.is_zero() {
                        coeffs.push((*t, sum));
                    }
                    i += 1;
                    j += 1;
                }
                (Some((t, c)), Some((u, _))) if t < u => {
                    coeffs.push((*t, c.clone()));
                    i += 1;
                }
                (Some((t, c)), None) => {
                    coeffs.push((*t, c.clone()));
                    i += 1;
                }
                (_, Some((u, d))) => {
                    let c = k * d;
                    if !c.is_zero() {
                        coeffs.push((*u, c));
                    }
                    j += 1;
                }
                (None, None) => unreachable!(),
            }
        }
        Linear { coeffs, constant: &self.constant + k * &other.constant }
    }

    /// `k * self`.
    pub fn scaled(&self, k: &Rational) -> Linear {
        if k.is_zero() {
            return Linear::constant(Rational::zero());
        }
        Linear {
            coeffs: self.coeffs.iter().map(|(t, c)| (*t, c * k)).collect(),
            constant: &self.constant * k,
        }
    }

    /// `self - other`.
    pub fn minus(&self, other: &Linear) -> Linear {
        self.add_scaled(&-Rational::one(), other)
    }

    /// Divides by the positive rational that makes the coefficients coprime integers; returns that factor.
    /// The constant is divided too and may stay a fraction. No effect on constants.
    pub fn make_primitive(&mut self) -> Rational {
        if self.coeffs.is_empty() {
            return Rational::one();
        }
        let all_small = self.coeffs.iter().any(|(_, c)| matches!(c.small_parts(), Some((1 | -1, 1))))
            && self.coeffs.iter().all(|(_, c)| c.is_integer());
        if all_small {
            return Rational::one(); // a unit coefficient among integers: the gcd is 1
        }
        let mut den = Integer::one();
        for (_, c) in &self.coeffs {
            den = den.lcm(&c.denom());
        }
        let mut gcd = Integer::zero();
        for (_, c) in &self.coeffs {
            gcd = gcd.gcd(&(c.numer() * (&den / c.denom())));
        }
        let factor = Rational::new(gcd, den);
        for (_, c) in &mut self.coeffs {
            *c /= &factor;
        }
        self.constant /= &factor;
        factor
    }

    /// Is the first coefficient negative?
    pub fn leading_negative(&self) -> bool {
        self.coeffs.first().is_some_and(|(_, c)| c.is_negative())
    }
}

impl TermPool {
    /// The linear view of an arithmetic term. Nonlinear subterms count as opaque terms.
    pub fn linear(&self, t: Term) -> Linear {
        let mut out = Linear::constant(Rational::zero());
        match self.op(t) {
            Op::Add => {
                out.coeffs.reserve(self.args(t).len());
                for &m in self.args(t) {
                    self.push_monomial(m, &mut out);
                }
                out.coeffs.sort_unstable_by_key(|(t, _)| *t);
            }
            _ => self.push_monomial(t, &mut out),
        }
        out
    }

    /// Splits a monomial of a normalised sum into coefficient and term.
    fn push_monomial(&self, m: Term, out: &mut Linear) {
        if let Some(c) = self.as_number(m) {
            out.constant += c;
            return;
        }
        if *self.op(m) == Op::Mul {
            let args = self.args(m);
            if args.len() == 2
                && let Some(c) = self.as_number(args[0])
            {
                out.coeffs.push((args[1], c));
                return;
            }
        }
        out.coeffs.push((m, Rational::one()));
    }

    /// The normalised term of a linear combination of terms of the given arithmetic sort.
    pub fn from_linear(&self, l: &Linear, sort: &Sort) -> Term {
        if l.coeffs.is_empty() {
            return self.number(l.constant.clone(), sort);
        }
        if l.coeffs.len() == 1 && l.constant.is_zero() {
            return self.monomial(l.coeffs[0].0, &l.coeffs[0].1, sort);
        }
        let mut args: Vec<Term> = l.coeffs.iter().map(|(t, c)| self.monomial(*t, c, sort)).collect();
        args.sort_unstable();
        if !l.constant.is_zero() {
            args.push(self.number(l.constant.clone(), sort));
        }
        self.intern(Op::Add, &args, sort.clone())
    }

    fn monomial(&self, t: Term, c: &Rational, sort: &Sort) -> Term {
        if c.is_one() { t } else { self.intern(Op::Mul, &[self.number(c.clone(), sort), t], sort.clone()) }
    }
}
