//! What the solver can prove, and the replay of it.
//!
//! A [`Farkas`] certificate is a list of asserted bounds with positive coefficients whose weighted sum,
//! written as `... <= ...`, is `0 <= c` with `c < 0`, or `0 < 0`. A [`CutProof`] is a sequence of
//! cutting-plane steps (Chvátal-Gomory): each step is a weighted sum of bounds and earlier steps, after which
//! the right side may be rounded down if all coefficients are integers over integer variables. Both are
//! checked by plain summation over the structural variables: [`Arith::verify`] does so without looking at the
//! tableau.

use std::collections::BTreeMap;
use std::fmt;

use crate::solver::Arith;
use crate::types::{Bound, BoundKind, Reason, Var};
use palisade_number::{Int, Rational};

/// A contradiction by weighted sum.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Farkas {
    /// The bounds and their positive coefficients.
    pub premises: Vec<(Bound, Int)>,
}

/// A premise of a [`CutStep`].
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Source {
    /// An asserted bound.
    Bound(Bound),
    /// The result of an earlier step of the same proof.
    Step(usize),
}

/// A weighted sum, rounded or not.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CutStep {
    /// The premises and their positive coefficients.
    pub premises: Vec<(Source, Rational)>,
    /// Round the right side down? Requires integer coefficients on integer variables only.
    pub round: bool,
}

/// A cutting-plane derivation; the last step is its result.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CutProof {
    /// The steps, each over bounds and earlier steps.
    pub steps: Vec<CutStep>,
}

/// Why the asserted bounds have no common solution.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Conflict {
    /// They have no rational solution.
    Farkas(Farkas),
    /// They have no integer solution; the result of the derivation is a contradiction.
    Cuts(CutProof),
}

impl Conflict {
    /// The reasons of all premises, sorted, without repetition.
    pub fn reasons(&self) -> Vec<Reason> {
        let mut reasons: Vec<Reason> = match self {
            Conflict::Farkas(f) => f.premises.iter().map(|(b, _)| b.reason).collect(),
            Conflict::Cuts(p) => p.reasons(),
        };
        reasons.sort_unstable();
        reasons.dedup();
        reasons
    }
}

impl CutProof {
    /// The reasons of all premises, sorted, without repetition.
    pub fn reasons(&self) -> Vec<Reason> {
        let premises = self.steps.iter().flat_map(|s| &s.premises);
        let mut reasons: Vec<Reason> = premises
            .filter_map(|(source, _)| match source {
                Source::Bound(b) => Some(b.reason),
                Source::Step(_) => None,
            })
            .collect();
        reasons.sort_unstable();
        reasons.dedup();
        reasons
    }
}

/// An inequality `Σ coeffs·x <= rhs`, or `<` if strict, over structural variables.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Inequality {
    /// The left side, without zeros.
    pub coeffs: BTreeMap<Var, Rational>,
    /// The right side.
    pub rhs: Rational,
    /// Is it strict?
    pub strict: bool,
}

impl Inequality {
    /// Is it false for every assignment?
    pub fn is_contradiction(&self) -> bool {
        self.coeffs.is_empty() && (self.rhs.is_negative() || (self.strict && self.rhs.is_zero()))
    }

    fn add(&mut self, other: &Inequality, factor: &Rational) {
        for (var, coeff) in &other.coeffs {
            self.add_term(*var, &(coeff * factor));
        }
        self.rhs.add_mul(&other.rhs, factor);
        self.strict |= other.strict;
    }

    fn add_term(&mut self, var: Var, coeff: &Rational) {
        let slot = self.coeffs.entry(var).or_default();
        *slot += coeff;
        if slot.is_zero() {
            self.coeffs.remove(&var);
        }
    }
}

/// Why a proof is not one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum ProofError {
    /// A coefficient is zero or negative.
    NotPositive,
    /// A step refers to itself or a later one.
    ForwardReference,
    /// Rounding where a coefficient is not an integer or a variable is not.
    CannotRound,
    /// The derivation has no steps.
    Empty,
    /// The sum is not a contradiction.
    NotContradictory,
}

impl fmt::Display for ProofError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            ProofError::NotPositive => "a premise has a coefficient that is not positive",
            ProofError::ForwardReference => "a step refers to a later step",
            ProofError::CannotRound => "rounding needs integer coefficients on integer variables",
            ProofError::Empty => "the derivation has no steps",
            ProofError::NotContradictory => "the sum is not a contradiction",
        })
    }
}

impl std::error::Error for ProofError {}

impl Arith {
    /// The bound as an inequality over structural variables.
    pub fn bound_inequality(&self, bound: &Bound) -> Inequality {
        let mut result = Inequality::default();
        let sign = if bound.kind == BoundKind::Upper { Rational::ONE } else { Rational::MINUS_ONE };
        match self.form(bound.var) {
            Some(form) => {
                for (var, coeff) in form {
                    result.add_term(*var, &(&Rational::from(coeff) * &sign));
                }
            }
            None => result.add_term(bound.var, &sign),
        }
        result.rhs = &bound.value.real * &sign;
        result.strict = !bound.value.inf.is_zero();
        result
    }

    /// The inequality that a derivation proves.
    ///
    /// # Errors
    /// If a step is not valid.
    pub fn replay(&self, proof: &CutProof) -> Result<Inequality, ProofError> {
        let mut results: Vec<Inequality> = Vec::with_capacity(proof.steps.len());
        for step in &proof.steps {
            let mut sum = Inequality::default();
            for (source, coeff) in &step.premises {
                if !coeff.is_positive() {
                    return Err(ProofError::NotPositive);
                }
                match source {
                    Source::Bound(bound) => sum.add(&self.bound_inequality(bound), coeff),
                    Source::Step(i) => sum.add(results.get(*i).ok_or(ProofError::ForwardReference)?, coeff),
                }
            }
            if step.round {
                if sum.strict || sum.coeffs.iter().any(|(v, c)| !self.is_int(*v) || !c.is_integer()) {
                    return Err(ProofError::CannotRound);
                }
                sum.rhs = Rational::from(sum.rhs.floor());
            }
            results.push(sum);
        }
        results.pop().ok_or(ProofError::Empty)
    }

    /// Checks a conflict by summation over structural variables.
    ///
    /// # Errors
    /// If it does not prove a contradiction.
    pub fn verify(&self, conflict: &Conflict) -> Result<(), ProofError> {
        let result = match conflict {
            Conflict::Farkas(f) => self.farkas_sum(f)?,
            Conflict::Cuts(p) => self.replay(p)?,
        };
        if result.is_contradiction() { Ok(()) } else { Err(ProofError::NotContradictory) }
    }

    /// The weighted sum of a certificate.
    ///
    /// # Errors
    /// If a coefficient is not positive.
    pub fn farkas_sum(&self, farkas: &Farkas) -> Result<Inequality, ProofError> {
        let mut sum = Inequality::default();
        for (bound, coeff) in &farkas.premises {
            if !coeff.is_positive() {
                return Err(ProofError::NotPositive);
            }
            sum.add(&self.bound_inequality(bound), &Rational::from(coeff));
        }
        Ok(sum)
    }
}
