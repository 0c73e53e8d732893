//! The way back to cut points only: what comes back is accepted by the independent checker, which includes
//! that it cuts every cycle of the program that was given.

mod common;

use common::generate::{Generator, Shape};
use common::{explore, invariant, show};
use palisade_certify::Checker;
use palisade_fuzzing::Random;
use palisade_program::{CutInvariants, Invariants, Program};
use palisade_smt::NativeSolver;
use palisade_term::TermPool;
use palisade_transform::{Context, Options, Prepared, Untranslatable, prepare};

/// A safe program, what it was transformed into, a proof for that, and what comes back of the proof.
struct Case {
    old: Program,
    prepared: Prepared,
    proof: Invariants,
    cut: CutInvariants,
}

/// The random program of a seed, if it is safe and small enough to know.
fn case(pool: &TermPool, seed: u64) -> Option<Case> {
    let shape = Shape { max_locations: 12, max_vars: 3, inputs: 25, quotients: false };
    let mut rng = Random::new(seed);
    let old = Generator::new(pool, &mut rng, shape).program();
    let prepared = prepare(pool, &old, &Options { control: None, ..Options::default() });
    let explored = explore(pool, &prepared.program)?;
    if explored.error_run.is_some() {
        return None;
    }
    let proof = invariant(pool, &prepared.program, &mut rng, &explored);
    let cut = prepared.cut_invariants(pool, &old, &proof).unwrap();
    Some(Case { old, prepared, proof, cut })
}

#[test]
fn formulas_at_cut_points_are_certificates() {
    let (mut safe, mut partial) = (0, 0);
    for seed in 20_000..21_000 {
        let pool = TermPool::new();
        let Some(Case { old, prepared, cut, .. }) = case(&pool, seed) else { continue };
        let accepted =
            Checker::new(&pool, &old).proof(cut.clone(), &|pool| Box::new(NativeSolver::new(pool)));
        if let Err(rejection) = accepted {
            let why = rejection.describe(&pool, &old);
            panic!("seed {seed}: {why}\nold {}\nnew {}", show(&pool, &old), show(&pool, &prepared.program));
        }
        safe += 1;
        partial += usize::from(cut.first_interior().is_some());
    }
    println!("{safe} safe, {partial} with interior locations");
    assert!(safe > 100 && partial > 40, "the generator has lost its balance: {safe}, {partial}");
}

/// Without an allowance, whatever has an interior is refused, and the rest is not.
#[test]
fn the_allowance_is_kept() {
    let (mut refused, mut translated) = (0, 0);
    for seed in 30_000..30_300 {
        let pool = TermPool::new();
        let Some(Case { old, prepared, proof, cut }) = case(&pool, seed) else { continue };
        let mut none = Context { allowance: 0, ..Context::new(&pool) };
        match prepared.invariants(&mut none, &old, &proof) {
            Err(Untranslatable::Allowance) => {
                assert!(cut.first_interior().is_some());
                refused += 1;
            }
            other => {
                assert_eq!(other.map(Into::into), Ok(cut));
                translated += 1;
            }
        }
    }
    assert!(refused > 10 && translated > 5, "{refused} refused, {translated} translated");
}
