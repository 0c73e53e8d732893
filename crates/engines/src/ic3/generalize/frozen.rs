//! Relations to variables that never change: `k <= 9` and `i >= 100` become `k < i`.
//!
//! A prophecy (`prophecy` of `transform`) keeps its value and is compared with the index that a loop writes:
//! `i == k`. What holds of the cell that it names depends on whether the loop has been there: on `k < i`.
//! A cube about the end of the loop says instead that `k` is small and `i` is large, each by a constant, and
//! its core that `i` is large: at each level by another constant, without end. So before the core is taken,
//! a bound on such a variable and the opposite bound on another one are replaced by the relation that the
//! program asks about. The cube gets more states, as by a Farkas sum; it must be blocked still.
//!
//! Entry points: [`Frozen::of`], [`Frozen::relate`].

use palisade_program::Program;
use palisade_term::{Linear, Op, Rational, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

use super::TermFlavour;
use crate::ic3::Answer;
use crate::literal::{self, HalfSpace};

/// Cubes with more inequalities than this are left alone.
const MAX_INEQUALITIES: usize = 16;

/// The variables that never change and are compared for equality, with the factors of what they are compared
/// with: 2 for `k == 2 * i + 1`.
#[derive(Clone, Debug, Default)]
pub struct Frozen {
    factors: FxHashMap<Term, Vec<Rational>>,
}

impl Frozen {
    /// Those of a program.
    pub fn of(pool: &TermPool, program: &Program) -> Frozen {
        let mut changed: FxHashSet<Term> = FxHashSet::default();
        let mut kept: FxHashSet<Term> = FxHashSet::default();
        for edge in &program.edges {
            for (&v, &u) in program.vars(edge.target).iter().zip(&edge.update) {
                let begins = !program.vars(edge.source).contains(&v);
                if v == u {
                    kept.insert(v);
                } else if !begins {
                    changed.insert(v);
                }
            }
        }
        kept.retain(|v| pool.sort(*v).is_arith() && !changed.contains(v));
        let mut factors: FxHashMap<Term, Vec<Rational>> = FxHashMap::default();
        if kept.is_empty() {
            return Frozen { factors };
        }
        let terms = program.edges.iter().flat_map(|e| e.update.iter().chain([&e.guard])).copied();
        pool.visit(terms, |t| {
            let (Op::Eq, [a, b]) = (pool.op(t), pool.args(t)) else { return };
            if !pool.sort(*a).is_arith() {
                return;
            }
            let difference = pool.linear(*a).minus(&pool.linear(*b));
            for (k, c) in &difference.coeffs {
                if !kept.contains(k) {
                    continue;
                }
                let others = difference.coeffs.iter().filter(|(v, _)| !kept.contains(v));
                for (_, d) in others {
                    let factor = (d / c).abs();
                    let known = factors.entry(*k).or_default();
                    if !known.contains(&factor) {
                        known.push(factor);
                    }
                }
            }
        });
        Frozen { factors }
    }

    /// Replaces opposite bounds on such a variable and on another one by their relation, while the cube stays
    /// blocked; returns the core of the last answer, with the number of replacements.
    pub fn relate<F: TermFlavour>(
        &self,
        flavour: &mut F,
        at: F::Place,
        cube: &[Term],
        core: Vec<Term>,
    ) -> (Vec<Term>, u64) {
        let (mut cube, mut core, mut count) = (cube.to_vec(), core, 0);
        if self.factors.is_empty() {
            return (core, 0);
        }
        while let Some((wider, smaller)) = self.related(flavour, at, &cube) {
            (cube, core) = (wider, smaller);
            count += 1;
        }
        (core, count)
    }

    fn related<F: TermFlavour>(
        &self,
        flavour: &mut F,
        at: F::Place,
        cube: &[Term],
    ) -> Option<(Vec<Term>, Vec<Term>)> {
        let halves: Vec<(Term, HalfSpace)> =
            cube.iter().filter_map(|&t| HalfSpace::of(flavour.pool(), t).map(|h| (t, h))).collect();
        if halves.len() < 2 || halves.len() > MAX_INEQUALITIES {
            return None;
        }
        for (a, bound) in &halves {
            for (b, other) in halves.iter().filter(|(b, h)| b != a && h.sort == bound.sort) {
                for relation in self.relations(bound, other) {
                    let mut wider: Vec<Term> = cube.iter().copied().filter(|t| t != a && t != b).collect();
                    wider.push(relation.literal(flavour.pool()));
                    literal::tidy(flavour.pool(), &mut wider);
                    if let Answer::Yes(core) = flavour.blocked(at, &wider) {
                        return Some((wider, core));
                    }
                }
            }
        }
        None
    }

    /// What a bound on a variable that never changes and one on others say together, with the weakest
    /// constants first.
    fn relations(&self, bound: &HalfSpace, other: &HalfSpace) -> Vec<HalfSpace> {
        let mut out = Vec::new();
        let one = Rational::ONE;
        for (k, c) in &bound.expr.coeffs {
            let Some(factors) = self.factors.get(k).filter(|_| c.abs() == one) else { continue };
            // A relation already, or no bound on anything else.
            let is_other = |e: &Linear| e.coeffs.iter().any(|(v, _)| !self.factors.contains_key(v));
            let shared = |v: &Term| !other.expr.coeff(*v).is_zero();
            let relates = bound.expr.coeffs.iter().any(|(v, _)| v != k && !shared(v));
            if relates || !other.expr.coeff(*k).is_zero() || !is_other(&other.expr) {
                continue;
            }
            for factor in factors {
                let sum = bound.combine(&one, other, factor);
                if sum.expr.coeff(*k).is_zero() || !is_other(&sum.expr) {
                    continue;
                }
                for constant in [Rational::ONE, Rational::ZERO] {
                    if sum.expr.constant >= constant {
                        out.push(sum.with_constant(constant));
                    }
                }
            }
        }
        out
    }
}
