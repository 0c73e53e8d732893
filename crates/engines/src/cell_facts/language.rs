//! What is said of cells: linear comparisons of an index, of variables and of cells.

use num_traits::ToPrimitive;
use palisade_term::{Rational, Term, TermPool};

use super::table::{Snapshot, Variables};

/// A number that a fact speaks of, for an index and a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Number {
    /// The index.
    Index,
    /// A variable ([`Variables::scalars`]).
    Scalar(usize),
    /// The cell of an array at the index.
    Cell(usize),
    /// The cell of an array to which the cell of another one leads: `b[a[k] + offset]`.
    Behind(usize, i64, usize),
}

/// What a sum is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Relation {
    /// Zero.
    Zero,
    /// Not zero.
    NonZero,
    /// At least zero.
    AtLeast,
    /// A multiple of this.
    Multiple(i64),
    /// A truth value: this one.
    Is(bool),
}

/// A sum with a property; or another number is zero.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Atom {
    pub relation: Relation,
    /// The number that may be zero instead.
    pub or_zero: Option<Number>,
    terms: Vec<(i64, Number)>,
    constant: i64,
}

/// The largest coefficient of a sum.
const MAX_COEFFICIENT: i64 = 1000;

impl Atom {
    fn new(relation: Relation, terms: Vec<(i64, Number)>, constant: i64) -> Atom {
        Atom { relation, or_zero: None, terms, constant }
    }

    /// `left - right - more`, or without `right`.
    fn difference(relation: Relation, left: Number, right: Option<Number>, more: i64) -> Atom {
        Atom::of_sum(relation, &[(1, left)], right, more)
    }

    /// `left - right - more`, or without `right`, where `left` is a sum of numbers with coefficients.
    pub fn of_sum(relation: Relation, left: &[(i64, Number)], right: Option<Number>, more: i64) -> Atom {
        let right = right.map(|n| (-1, n));
        Atom::new(relation, left.iter().copied().chain(right).collect(), -more)
    }

    /// `left == right + more`; `right` may be missing.
    pub fn eq(left: Number, right: Option<Number>, more: i64) -> Atom {
        Atom::difference(Relation::Zero, left, right, more)
    }

    /// `left != right + more`.
    pub fn ne(left: Number, right: Option<Number>, more: i64) -> Atom {
        Atom::difference(Relation::NonZero, left, right, more)
    }

    /// `left >= right + more`.
    pub fn ge(left: Number, right: Option<Number>, more: i64) -> Atom {
        Atom::difference(Relation::AtLeast, left, right, more)
    }

    /// `left <= right + more`.
    pub fn le(left: Number, right: Option<Number>, more: i64) -> Atom {
        Atom::ge(left, right, more).negated_sum()
    }

    /// `left - more` is a multiple.
    pub fn multiple(left: Number, of: i64, more: i64) -> Atom {
        Atom::difference(Relation::Multiple(of), left, None, more)
    }

    /// A truth value is this one.
    pub fn is(left: Number, truth: bool) -> Atom {
        Atom::new(Relation::Is(truth), vec![(1, left)], 0)
    }

    /// The equation with these coefficients, if they are small, and there are any.
    pub fn equation(numbers: &[Number], coefficients: &[Rational], constant: &Rational) -> Option<Atom> {
        let all = || coefficients.iter().chain([constant]);
        let factor = all().fold(Rational::ONE, |factor, c| {
            let denominator = (c * &factor).denom();
            factor * Rational::from_integer(denominator)
        });
        let scaled: Vec<i64> = all().map(|c| (c * &factor).to_integer().to_i64()).collect::<Option<_>>()?;
        let (constant, parts) = scaled.split_last()?;
        let terms = parts.iter().copied().zip(numbers.iter().copied());
        let terms: Vec<(i64, Number)> = terms.filter(|(c, _)| *c != 0).collect();
        let small = !terms.is_empty() && terms.iter().all(|(c, _)| c.abs() <= MAX_COEFFICIENT);
        small.then(|| Atom::new(Relation::Zero, terms, *constant))
    }

    /// The same, unless a number is zero, if one is given.
    pub fn or_zero(self, or_zero: Option<Number>) -> Atom {
        Atom { or_zero, ..self }
    }

    /// The same, unless a number is zero.
    pub fn unless_zero(self, number: Number) -> Atom {
        self.or_zero(Some(number))
    }

    /// The numbers in the sum.
    pub fn numbers(&self) -> impl Iterator<Item = Number> {
        self.terms.iter().map(|(_, n)| *n)
    }

    /// The same of the negated sum.
    pub fn negated_sum(mut self) -> Atom {
        self.terms.iter_mut().for_each(|(c, _)| *c = -*c);
        self.constant = -self.constant;
        self
    }

    /// What follows from it, in the next simplest words.
    pub fn weaker(&self) -> Vec<Atom> {
        let mut out = Vec::new();
        if self.relation == Relation::Zero {
            let at_least = Atom { relation: Relation::AtLeast, ..self.clone() };
            out.extend([at_least.clone(), at_least.negated_sum()]);
        }
        let is_truth = matches!(self.relation, Relation::Is(_));
        if let (false, None, Some(&(_, n @ (Number::Cell(_) | Number::Scalar(_))))) =
            (is_truth, self.or_zero, self.terms.first())
        {
            out.push(self.clone().unless_zero(n));
        }
        out
    }

    /// Does it hold in a state, for an index?
    pub fn holds(&self, state: &Snapshot, k: i64) -> bool {
        if self.or_zero.is_some_and(|n| value(n, state, k) == 0) {
            return true;
        }
        let terms = self.terms.iter().map(|&(c, n)| i128::from(c) * i128::from(value(n, state, k)));
        let sum = terms.sum::<i128>() + i128::from(self.constant);
        match self.relation {
            Relation::Zero => sum == 0,
            Relation::NonZero => sum != 0,
            Relation::AtLeast => sum >= 0,
            Relation::Multiple(m) => sum % i128::from(m) == 0,
            Relation::Is(truth) => (sum == 1) == truth,
        }
    }

    /// The formula.
    pub fn term(&self, pool: &TermPool, of: &Variables, k: Term) -> Term {
        let part = |&(c, n): &(i64, Number)| (Rational::from_integer(c.into()), term(pool, of, n, k));
        let sum = || {
            let parts = self.terms.iter().map(part).map(|(c, t)| pool.scale(&c, t));
            pool.add(parts.chain([pool.int(self.constant)]))
        };
        let body = match self.relation {
            Relation::Zero => pool.eq(sum(), pool.int(0)),
            Relation::NonZero => pool.not(pool.eq(sum(), pool.int(0))),
            Relation::AtLeast => pool.ge(sum(), pool.int(0)),
            Relation::Multiple(m) => pool.eq(pool.int_mod(sum(), pool.int(m)), pool.int(0)),
            Relation::Is(true) => part(&self.terms[0]).1,
            Relation::Is(false) => pool.not(part(&self.terms[0]).1),
        };
        match self.or_zero {
            Some(n) => pool.or2(pool.eq(term(pool, of, n, k), pool.int(0)), body),
            None => body,
        }
    }
}

/// The value of a number.
pub fn value(number: Number, state: &Snapshot, k: i64) -> i64 {
    match number {
        Number::Index => k,
        Number::Scalar(i) => state.scalars[i],
        Number::Cell(a) => state.cell(a, k),
        Number::Behind(a, offset, b) => state.cell(b, state.cell(a, k) + offset),
    }
}

fn term(pool: &TermPool, of: &Variables, number: Number, k: Term) -> Term {
    let cell = |a: usize, k: Term| pool.select(of.arrays[a].0, k);
    match number {
        Number::Index => k,
        Number::Scalar(i) => of.scalars[i],
        Number::Cell(a) => cell(a, k),
        Number::Behind(a, offset, b) => cell(b, pool.add2(cell(a, k), pool.int(offset))),
    }
}
