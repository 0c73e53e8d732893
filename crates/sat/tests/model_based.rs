//! A model-based tester: random sequences of legal calls against a reference by brute force. What fails is
//! shrunk by deleting calls, and printed.
//!
//! Calls name variables by position among those alive, so that every subsequence of a legal sequence is
//! legal. `PALISADE_TEST_SCALE=n` runs more seeds, `PALISADE_TEST_SEED=n` starts elsewhere.

mod common;

use common::{Name, brute_force, check_proof, fuzz, holds};
use palisade_fuzzing::Random;
use palisade_sat::{Limits, Lit, Options, RestartPolicy, SolveResult, Solver, Var};
use std::cell::Cell;

#[derive(Clone, Debug)]
enum Call {
    NewVar {
        scoped: bool,
    },
    /// A clause for the scope that is `up` levels out.
    Clause {
        lits: Vec<Name>,
        up: usize,
    },
    Push,
    Pop,
    Solve {
        assumptions: Vec<Name>,
    },
    /// A query in the domain of all variables but the last few; those must be unconstrained for the contract
    /// to hold, so the reference checks only what is promised.
    Domain {
        assumptions: Vec<Name>,
        skip: usize,
    },
    Limited {
        assumptions: Vec<Name>,
        conflicts: u64,
    },
    Simplify,
    Phase(Name),
    Bump(usize),
    Backtrack,
    CompactProof,
}

/// Up to this many variables answers are compared with brute force; beyond, they rest on models and proofs
/// alone.
const BRUTE_VARS: usize = 11;

#[derive(Debug)]
struct Setup {
    options: Options,
    max_vars: usize,
}

type Reference = common::Reference<()>;

/// Whether brute force finds a model; None if that would take too long.
fn satisfiable(r: &Reference, assumptions: &[Lit]) -> Option<bool> {
    if !r.brute {
        return None;
    }
    // Variable indices are dense enough: released ones are reused.
    let top = r.vars.iter().map(|(v, ..)| v.index() + 1).max().unwrap_or(0);
    let clauses: Vec<Vec<Lit>> = r.clauses.iter().map(|c| c.2.clone()).collect();
    Some(brute_force(top, &clauses, |a| assumptions.iter().all(|&l| holds(a, l))))
}

fn random_calls(rng: &mut Random, max_vars: usize) -> Vec<Call> {
    let names = |rng: &mut Random, max: usize| -> Vec<Name> {
        let n = rng.below(max + 1);
        (0..n).map(|_| (rng.below(max_vars), rng.chance(50))).collect()
    };
    let n = 5 * max_vars + rng.below(13 * max_vars);
    let mut calls = vec![Call::NewVar { scoped: false }; max_vars / 2 + rng.below(max_vars / 2)];
    // How crowded with clauses, and how much within scopes, differs from run to run.
    let clause_share = 25 + rng.below(40);
    let scope_share = rng.below(45);
    for _ in 0..n {
        calls.push(if rng.chance(clause_share) {
            // Short clauses are rare, so that it takes a search to refute.
            let spread = if rng.chance(85) { 1 } else { 5 };
            let len = match rng.below(300) {
                0 => 0,
                1..=4 => 1,
                5..=25 => 2,
                _ => 3 + rng.below(spread),
            };
            let lits = (0..len).map(|_| (rng.below(max_vars), rng.chance(50))).collect();
            Call::Clause { lits, up: if rng.chance(75) { 0 } else { rng.below(4) } }
        } else if rng.chance(scope_share) {
            if rng.chance(55) { Call::Push } else { Call::Pop }
        } else {
            match rng.below(13) {
                0 => Call::NewVar { scoped: rng.chance(70) },
                1 => Call::Simplify,
                2 => Call::Phase((rng.below(max_vars), rng.chance(50))),
                3 => Call::Bump(rng.below(max_vars)),
                4 => Call::Domain { assumptions: names(rng, 3), skip: rng.below(4) },
                5 => Call::Limited { assumptions: names(rng, 3), conflicts: rng.below(3) as u64 },
                6 => Call::Backtrack,
                7 => Call::CompactProof,
                _ => Call::Solve { assumptions: names(rng, 5) },
            }
        });
    }
    calls.push(Call::Solve { assumptions: vec![] });
    calls
}

fn random_options(rng: &mut Random, max_vars: usize) -> Setup {
    let policies =
        [RestartPolicy::Alternate, RestartPolicy::Glucose, RestartPolicy::Luby, RestartPolicy::Never];
    let options = Options {
        proof: max_vars > BRUTE_VARS || rng.chance(60),
        restarts: policies[rng.below(4)],
        default_phase: rng.chance(50),
        reduce_base: if rng.chance(50) { 4 } else { 2000 },
        reduce_step: 1,
        collect_floor: if rng.chance(50) { 8 } else { 1 << 16 },
        minimize: rng.chance(80),
        reuse_trail: rng.chance(70),
        propagate_in_domain: rng.chance(40),
        ..Options::default()
    };
    Setup { options, max_vars }
}

fn check_answer(s: &mut Solver, r: &Reference, assumptions: &[Lit], answer: SolveResult) {
    match answer {
        SolveResult::Sat => {
            assert_ne!(satisfiable(r, assumptions), Some(false), "SAT, but there is no model");
            for l in assumptions {
                assert_eq!(s.value(*l), Some(true), "assumption {l:?} is not true in the model");
            }
            for (_, _, c) in &r.clauses {
                assert!(c.iter().any(|&l| s.value(l) == Some(true)), "the model does not satisfy {c:?}");
            }
        }
        SolveResult::Unsat => check_unsat(s, r, assumptions),
        SolveResult::Unknown(_) => {}
    }
}

fn check_unsat(s: &mut Solver, r: &Reference, assumptions: &[Lit]) {
    let core: Vec<Lit> = s.core().to_vec();
    assert_ne!(satisfiable(r, &core), Some(true), "the core {core:?} is satisfiable");
    assert!(core.iter().all(|l| assumptions.contains(l)), "the core is no subset of the assumptions");
    let Some(proof) = s.proof() else { return };
    match s.final_step() {
        None => assert!(core.iter().any(|&l| core.contains(&!l)), "UNSAT without proof"),
        Some(root) => {
            let live = |lits: &[Lit], tag: u64| r.is_live(lits, tag);
            let proved = check_proof(proof, root, live, |_, _| false);
            assert_eq!(proved, core.iter().map(|&l| !l).collect(), "the proof ends in another clause");
        }
    }
}

/// Runs the calls; the number of conflicts.
fn run(setup: &Setup, calls: &[Call]) -> u64 {
    let mut s = Solver::new(setup.options.clone());
    let brute = setup.max_vars <= BRUTE_VARS;
    let mut r = Reference::new(brute, 1);
    for call in calls {
        let usable = !r.vars.is_empty();
        match call {
            Call::NewVar { scoped } if r.vars.len() < setup.max_vars => {
                let v = if *scoped { s.new_scoped_var() } else { s.new_var() };
                r.add_var(v, *scoped, ());
            }
            Call::Clause { lits, up } if usable || lits.is_empty() => {
                r.add_clause(&mut s, lits, *up);
            }
            Call::Push if r.depth < 6 => {
                s.push();
                r.depth += 1;
            }
            Call::Pop if r.depth > 0 => {
                s.pop();
                r.pop();
                assert_eq!(s.live_vars(), r.vars.len());
            }
            Call::Solve { assumptions } if usable || assumptions.is_empty() => {
                let assumptions = r.lits(assumptions);
                s.clear_domain();
                s.set_limits(Limits::default());
                let answer = s.solve(&assumptions);
                assert!(!matches!(answer, SolveResult::Unknown(_)), "unknown without limits");
                check_answer(&mut s, &r, &assumptions, answer);
                if answer == SolveResult::Unsat {
                    let core = s.core().to_vec();
                    assert_eq!(s.solve(&core), SolveResult::Unsat, "the core alone is not refuted");
                    check_unsat(&mut s, &r, &core);
                }
            }
            Call::Domain { assumptions, skip } if usable => {
                let assumptions = r.lits(assumptions);
                let n = r.vars.len().saturating_sub(*skip);
                let domain: Vec<Var> = r.vars[..n].iter().map(|v| v.0).collect();
                s.set_limits(Limits::default());
                match s.solve_in_domain(&assumptions, domain.iter().copied()) {
                    SolveResult::Sat => {
                        for v in &domain {
                            assert!(s.value(v.positive()).is_some(), "a domain variable has no value");
                        }
                        for (_, _, c) in &r.clauses {
                            let within = c.iter().all(|l| domain.contains(&l.var()));
                            let open = c.iter().filter(|&&l| s.value(l).is_none()).count();
                            let true_ = c.iter().any(|&l| s.value(l) == Some(true));
                            let least = if setup.options.propagate_in_domain { 1 } else { 2 };
                            assert!(true_ || (!within && open >= least), "not closed under {c:?}");
                        }
                    }
                    SolveResult::Unsat => check_unsat(&mut s, &r, &assumptions),
                    SolveResult::Unknown(_) => panic!("unknown without limits"),
                }
            }
            Call::Limited { assumptions, conflicts } if usable || assumptions.is_empty() => {
                let assumptions = r.lits(assumptions);
                s.clear_domain();
                s.set_limits(Limits { conflicts: Some(*conflicts), ..Limits::default() });
                let answer = s.solve(&assumptions);
                check_answer(&mut s, &r, &assumptions, answer);
            }
            Call::Simplify => s.simplify(),
            Call::Phase((i, value)) if usable => s.set_phase(r.vars[i % r.vars.len()].0, *value),
            Call::Bump(i) if usable => s.bump_var(r.vars[i % r.vars.len()].0),
            Call::Backtrack => s.backtrack(),
            Call::CompactProof => s.compact_proof(),
            _ => {}
        }
        for &l in s.fixed_literals() {
            assert_ne!(satisfiable(&r, &[!l]), Some(true), "{l:?} is fixed but its negation is satisfiable");
        }
    }
    s.stats().conflicts
}

fn fuzz_calls(seeds: u64, max_vars: usize) {
    let conflicts = Cell::new(0);
    let make = |rng: &mut Random| (random_options(rng, max_vars), random_calls(rng, max_vars));
    fuzz(seeds, make, |setup, calls| conflicts.set(conflicts.get() + run(setup, calls)));
    assert!(conflicts.get() > seeds, "only {} conflicts: this tests nothing", conflicts.get());
}

#[test]
fn calls_against_brute_force() {
    fuzz_calls(400, BRUTE_VARS);
}

#[test]
fn calls_with_proofs() {
    fuzz_calls(60, 60);
}
