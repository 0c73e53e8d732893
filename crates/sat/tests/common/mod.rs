//! What the tests share: a generator, brute force, and a proof checker that knows nothing of the solver.
#![allow(dead_code)]

pub mod difference;

use palisade_fuzzing::Random;
use palisade_sat::{Lit, Proof, Step, StepId, Tag, Var};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A random literal over the first `vars` variables.
pub fn random_lit(rng: &mut Random, vars: usize) -> Lit {
    Var::new(rng.below(vars)).lit(rng.chance(50))
}

/// Whether the assignment, given as bits, satisfies the literal.
pub fn holds(assignment: u64, lit: Lit) -> bool {
    (assignment >> lit.var().index() & 1 == 1) == lit.is_positive()
}

/// Whether some assignment of the first `vars` variables satisfies all clauses and `also`.
pub fn brute_force(vars: usize, clauses: &[Vec<Lit>], also: impl Fn(u64) -> bool) -> bool {
    (0..1u64 << vars).any(|a| clauses.iter().all(|c| c.iter().any(|&l| holds(a, l))) && also(a))
}

/// Replays the part of the proof that `root` needs, resolution by resolution, and panics at the first step
/// that does not hold. Returns the clause of the root. Input and theory steps are judged by the callbacks.
pub fn check_proof(
    proof: &Proof,
    root: StepId,
    mut input: impl FnMut(&[Lit], Tag) -> bool,
    mut theory: impl FnMut(&[Lit], Tag) -> bool,
) -> BTreeSet<Lit> {
    let trimmed = proof.trim(root);
    let mut clauses: BTreeMap<StepId, BTreeSet<Lit>> = BTreeMap::new();
    let mut last = None;
    for (id, step) in trimmed.steps() {
        let stated: BTreeSet<Lit> = step.lits().iter().copied().collect();
        assert_eq!(stated.len(), step.lits().len(), "duplicate literal in {step:?}");
        match step {
            Step::Input { lits, tag } => {
                assert!(input(lits, tag), "not a live input: {lits:?} with tag {tag}")
            }
            Step::Theory { lits, tag } => {
                assert!(theory(lits, tag), "not valid in the theory: {lits:?} with tag {tag}")
            }
            Step::Derived { chain, .. } => {
                let mut resolvent = clauses[&chain[0]].clone();
                for a in &chain[1..] {
                    let other = &clauses[a];
                    let clashing: Vec<Lit> =
                        resolvent.iter().copied().filter(|&l| other.contains(&!l)).collect();
                    assert_eq!(clashing.len(), 1, "{resolvent:?} and {other:?} do not clash on one literal");
                    resolvent.remove(&clashing[0]);
                    resolvent.extend(other.iter().copied().filter(|&l| l != !clashing[0]));
                }
                assert_eq!(resolvent, stated, "the chain of {id:?} derives something else");
            }
        }
        last = Some(stated.clone());
        clauses.insert(id, stated);
    }
    last.expect("a trimmed proof has its root")
}

/// Runs random call sequences; one that fails is shrunk by deleting calls, printed, and run again for its
/// message. `PALISADE_TEST_SCALE` and `PALISADE_TEST_SEED` try more and other seeds.
pub fn fuzz<S: Debug, C: Clone + Debug>(
    seeds: u64,
    make: impl Fn(&mut Random) -> (S, Vec<C>),
    run: impl Fn(&S, &[C]),
) {
    let fails = |setup: &S, calls: &[C]| catch_unwind(AssertUnwindSafe(|| run(setup, calls))).is_err();
    for seed in palisade_fuzzing::seeds(0..seeds) {
        let (setup, calls) = make(&mut Random::new(seed));
        if fails(&setup, &calls) {
            let small = shrink(calls, |calls| fails(&setup, calls));
            eprintln!("seed {seed} with {setup:?} fails on:");
            for call in &small {
                eprintln!("    {call:?}");
            }
            run(&setup, &small);
            unreachable!("the shrunk sequence fails");
        }
    }
}

/// Deletes calls, in ever smaller chunks, as long as the rest still fails.
fn shrink<C: Clone>(mut calls: Vec<C>, fails: impl Fn(&[C]) -> bool) -> Vec<C> {
    let mut chunk = calls.len() / 2;
    while chunk > 0 {
        let mut at = 0;
        while at < calls.len() {
            let mut fewer = calls.clone();
            fewer.drain(at..(at + chunk).min(calls.len()));
            if fails(&fewer) {
                calls = fewer;
            } else {
                at += chunk;
            }
        }
        chunk /= 2;
    }
    calls
}
