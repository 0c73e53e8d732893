//! Relaxing: the constants of a cube's inequalities move outward as far as the cube stays blocked.
//!
//! An experiment (`generalize.relax`): on `c/ctigar` it did not pay for its queries (docs/RESULTS.md).

use palisade_term::{Rational, Term};

use super::TermFlavour;
use crate::ic3::Answer;
use crate::literal::HalfSpace;

/// How often one constant is moved, in doubling steps.
const MAX_MOVES: usize = 8;

/// Moves the constant of each inequality outward while the cube stays blocked; counts the moves.
pub fn relax_constants<F: TermFlavour>(
    flavour: &mut F,
    at: F::Place,
    mut cube: Vec<Term>,
    moves: &mut u64,
) -> Vec<Term> {
    for lit in cube.clone() {
        let Some(half) = HalfSpace::of(flavour.pool(), lit) else { continue };
        let mut step = Rational::from_integer(1.into());
        let mut current = lit;
        let mut constant = half.expr.constant.clone();
        for _ in 0..MAX_MOVES {
            let new = half.with_constant(&constant - &step).literal(flavour.pool());
            let candidate: Vec<Term> = cube.iter().map(|&t| if t == current { new } else { t }).collect();
            let Answer::Yes(core) = flavour.blocked(at, &candidate) else { break };
            cube = core;
            if !cube.contains(&new) {
                break; // not needed at all
            }
            *moves += 1;
            current = new;
            constant -= &step;
            step = &step + &step;
        }
    }
    cube
}
