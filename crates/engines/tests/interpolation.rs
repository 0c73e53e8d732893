//! `imc` over SMT: programs over integers, and random finite programs against explicit-state search.

mod common;

use common::finite::{random_program, shortest};
use common::{Native, Recorder, edge, location, verdict};
use palisade_certify::Checker;
use palisade_engines::imc::Imc;
use palisade_engines::{Budget, Engine, Options, Outcome, SolverFactory as _, Task};
use palisade_fuzzing::Random;
use palisade_program::Program;
use palisade_term::{Sort, TermPool};

/// `x` counts up from 0 by two, and stops at 10 or more; bad when it is `bad`.
fn even(pool: &TermPool, bad: i64) -> Program {
    let x = pool.var("x", Sort::Int);
    let mut p = Program::new();
    let (entry, error) = (p.entry, p.error);
    let head = location(&mut p, "head", &[x]);
    edge(&mut p, entry, head, &[], pool.tru(), &[pool.int(0)]);
    let more = pool.add([x, pool.int(2)]);
    edge(&mut p, head, head, &[], pool.lt(x, pool.int(10)), &[more]);
    edge(&mut p, head, error, &[], pool.eq(x, pool.int(bad)), &[]);
    p
}

#[test]
fn images_over_integers_reach_a_fixpoint() {
    let pool = TermPool::new();
    let (safe, recorder) = verdict(&Imc, &pool, &even(&pool, 13), &[]);
    assert!(safe);
    assert!(recorder.fixpoint.is_some());
    assert!(recorder.counters.iter().any(|(name, count)| *name == "images" && *count >= 2));
    let (safe, recorder) = verdict(&Imc, &pool, &even(&pool, 8), &[]);
    assert!(!safe);
    assert_eq!(recorder.counterexample.map(|edges| edges.len()), Some(6));
}

#[test]
fn interpolation_over_smt_agrees_with_explicit_search() {
    let (mut safe, mut violated) = (0, 0);
    for seed in 0..400 {
        let pool = TermPool::new();
        let program = random_program(&pool, &mut Random::new(seed));
        if program.locations.len() > 3 {
            continue;
        }
        let mut options = Options::new();
        options.set("imc.backend", "smt").expect("a good option");
        let task = Task { pool: &pool, program: &program, solvers: &Native, options: &options };
        let outcome = Imc.run(&task, &Budget::unlimited(), &mut Recorder::default());
        let checker = Checker::new(&pool, &program);
        match (outcome, shortest(&pool, &program)) {
            (Outcome::Safe(invariants), None) => {
                assert!(checker.proof(invariants, &|p| Native.solver(p)).is_ok(), "seed {seed}");
                safe += 1;
            }
            (Outcome::Unsafe(run), Some(_)) => {
                assert!(checker.counterexample(run).is_ok(), "seed {seed}");
                violated += 1;
            }
            (Outcome::Unknown(..), _) => {}
            (outcome, expected) => panic!("seed {seed}: {outcome:?}, search: {expected:?}"),
        }
    }
    assert!(safe >= 5 && violated >= 5, "{safe} safe, {violated} unsafe");
}
