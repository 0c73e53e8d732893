//! Random incremental scripts by logic against `z3`.
//!
//! About half a minute of CPU. `PALISADE_TEST_SCALE=10` runs ten times as many scripts,
//! `PALISADE_TEST_SEED=n` others; the tool `difftest` runs without end. Without `z3` on the path the answers
//! are still checked: models by evaluation, `unsat` by a fresh solver on the conjunction.

mod common;

use common::{Command, Counts, Logic, Oracle, Settings, fails, script, show, shrink};
use palisade_fuzzing::seeds;
use palisade_smt::native::Options;
use palisade_term::TermPool;

/// Plays scripts of a logic. At least this share of the queries must be decided.
fn run(logic: Logic, scripts: u64, decided: f64) {
    let mut counts = Counts::default();
    let mut process = Oracle::start(&TermPool::new()).map(Oracle::rest);
    if process.is_none() {
        eprintln!("z3 is not on the path: {logic:?} is only checked against a fresh solver");
    }
    for seed in seeds(1000..1000 + scripts) {
        let pool = TermPool::new();
        let mut oracle = process.take().map(|p| p.wake(&pool));
        let commands = script(&pool, logic, seed, 30);
        let options = Options {
            checked: true,
            hold_back: !seed.is_multiple_of(4),
            cuts: !seed.is_multiple_of(3),
            proofs: seed.is_multiple_of(5),
            garbage: if seed % 7 < 3 { 0 } else { 2_000 },
            ..Options::default()
        };
        let settings = Settings { options, steps: 50_000, interpolate: 4 };
        match fails(&pool, &commands, &settings, &mut oracle) {
            Ok(c) => counts.add(c),
            Err(what) => {
                let mut again = |s: &[Command]| fails(&pool, s, &settings, &mut oracle).is_err();
                let small = shrink(&commands, &mut again);
                panic!("{logic:?} seed {seed}: {what}\n{}", show(&pool, &small));
            }
        }
        process = oracle.map(Oracle::rest);
    }
    let share = 1.0 - counts.unknown as f64 / counts.queries() as f64;
    assert!(counts.sat > 0 && counts.unsat > 0, "{logic:?}: one-sided scripts test little: {counts:?}");
    assert!(
        counts.oracle_unknown * 100 <= counts.queries(),
        "{logic:?}: the oracle left much undecided: {counts:?}"
    );
    assert!(share >= decided, "{logic:?}: only {share} of the queries were decided");
}

#[test]
fn booleans() {
    run(Logic::Bool, 200, 1.0);
}

#[test]
fn linear_integers() {
    run(Logic::Lia, 200, 0.99);
}

#[test]
fn linear_rationals() {
    run(Logic::Lra, 200, 1.0);
}

#[test]
fn differences() {
    run(Logic::Idl, 200, 1.0);
}

#[test]
fn rational_differences() {
    run(Logic::Rdl, 200, 1.0);
}

#[test]
fn conversions() {
    run(Logic::Convert, 60, 0.8);
}

#[test]
fn all_sorts_together() {
    run(Logic::Mixed, 60, 0.8);
}

#[test]
fn division_by_constants() {
    run(Logic::DivMod, 100, 0.99);
}

#[test]
fn integers_and_rationals() {
    run(Logic::Lira, 120, 0.8);
}

#[test]
fn huge_numbers() {
    run(Logic::Huge, 40, 0.95);
}

#[test]
fn bit_vectors() {
    run(Logic::Bv, 50, 0.99);
}

#[test]
fn arrays() {
    run(Logic::Arrays, 40, 0.95);
}

#[test]
fn arrays_of_bit_vectors() {
    run(Logic::BvArrays, 40, 0.95);
}

#[test]
fn products() {
    run(Logic::Nonlinear, 50, 0.7);
}
