//! Farkas sums: two inequalities of a cube are replaced by a positive combination of them.
//!
//! That is what an interpolant of the edge query would contain: `k <= 0, j <= n-1` becomes `j+k <= n-1`. The
//! combinations tried are the plain sum and those that cancel a variable. The biggest single gain among the
//! steps of generalisation (docs/RESULTS.md).

use palisade_term::{Rational, Term};

use super::TermFlavour;
use crate::ic3::Answer;
use crate::literal::{self, HalfSpace};

/// Cubes with more inequalities than this are not summed pairwise.
const MAX_INEQUALITIES: usize = 12;

/// Replaces pairs of inequalities by sums while the cube stays blocked; counts the sums.
pub fn farkas_sums<F: TermFlavour>(
    flavour: &mut F,
    at: F::Place,
    mut cube: Vec<Term>,
    sums: &mut u64,
) -> Vec<Term> {
    while let Some(smaller) = summed(flavour, at, &cube) {
        *sums += 1;
        cube = smaller;
    }
    cube
}

/// The first pair whose sum will do in its place.
fn summed<F: TermFlavour>(flavour: &mut F, at: F::Place, cube: &[Term]) -> Option<Vec<Term>> {
    let halves: Vec<(Term, HalfSpace)> =
        cube.iter().filter_map(|&t| HalfSpace::of(flavour.pool(), t).map(|h| (t, h))).collect();
    if halves.len() < 2 || halves.len() > MAX_INEQUALITIES {
        return None;
    }
    for (i, (a, half_a)) in halves.iter().enumerate() {
        for (b, half_b) in halves[i + 1..].iter().filter(|(_, h)| h.sort == half_a.sort) {
            for sum in combinations(half_a, half_b) {
                if sum.expr.is_constant() {
                    continue; // the pair is contradictory or says nothing together
                }
                let mut candidate: Vec<Term> = cube.iter().copied().filter(|t| t != a && t != b).collect();
                candidate.push(sum.literal(flavour.pool()));
                literal::tidy(flavour.pool(), &mut candidate);
                if let Answer::Yes(core) = flavour.blocked(at, &candidate) {
                    return Some(core);
                }
            }
        }
    }
    None
}

/// The combinations of two half-spaces worth trying: the plain sum, and each that cancels a shared variable.
fn combinations(a: &HalfSpace, b: &HalfSpace) -> Vec<HalfSpace> {
    let one = Rational::from_integer(1.into());
    let mut out = vec![a.combine(&one, b, &one)];
    for (v, c) in &a.expr.coeffs {
        let d = b.expr.coeff(*v);
        if d.is_zero() || c.is_positive() == d.is_positive() {
            continue;
        }
        let (x, y) = (d.abs(), c.abs());
        if x == y {
            continue; // the plain sum cancels it already
        }
        let sum = a.combine(&x, b, &y);
        if !out.contains(&sum) {
            out.push(sum);
        }
    }
    out
}
