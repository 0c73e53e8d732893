//! The interface by example: each test is one promise of the documentation.

mod common;

use common::{check_proof, random_lit};
use palisade_fuzzing::Random;
use palisade_sat::{Limits, Lit, Options, SolveResult, Solver, Stopped, Var};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

fn solver(vars: usize, proof: bool) -> (Solver, Vec<Lit>) {
    let mut s = Solver::new(Options { proof, ..Options::default() });
    let lits = (0..vars).map(|_| s.new_var().positive()).collect();
    (s, lits)
}

fn pigeonhole(s: &mut Solver, holes: usize) {
    let at: Vec<Vec<Lit>> =
        (0..=holes).map(|_| (0..holes).map(|_| s.new_var().positive()).collect()).collect();
    for pigeon in &at {
        s.add_clause(pigeon);
    }
    for (p, pigeon) in at.iter().enumerate() {
        for other in &at[..p] {
            for (&here, &there) in pigeon.iter().zip(other) {
                s.add_clause(&[!here, !there]);
            }
        }
    }
}

fn random_3sat(s: &mut Solver, vars: usize, clauses: usize, seed: u64) -> Vec<Vec<Lit>> {
    let mut rng = Random::new(seed);
    for _ in 0..vars {
        s.new_var();
    }
    let clauses: Vec<Vec<Lit>> =
        (0..clauses).map(|_| (0..3).map(|_| random_lit(&mut rng, vars)).collect()).collect();
    for c in &clauses {
        s.add_clause(c);
    }
    clauses
}

#[test]
fn pigeonholes_are_refuted_with_proof() {
    let (mut s, _) = solver(0, true);
    pigeonhole(&mut s, 6);
    assert_eq!(s.solve(&[]), SolveResult::Unsat);
    let proved = check_proof(s.proof().unwrap(), s.final_step().unwrap(), |_, _| true, |_, _| false);
    assert!(proved.is_empty());
    let trimmed = s.proof().unwrap().trim(s.final_step().unwrap());
    assert!(trimmed.len() < s.proof().unwrap().len(), "trimming a searched proof drops something");
}

#[test]
fn random_3sat_near_the_threshold() {
    let mut answers = [0, 0];
    for seed in 0..20 {
        let (mut s, _) = solver(0, true);
        let clauses = random_3sat(&mut s, 120, 511, seed);
        match s.solve(&[]) {
            SolveResult::Sat => {
                answers[0] += 1;
                assert!(clauses.iter().all(|c| c.iter().any(|&l| s.value(l) == Some(true))));
            }
            SolveResult::Unsat => {
                answers[1] += 1;
                check_proof(s.proof().unwrap(), s.final_step().unwrap(), |_, _| true, |_, _| false);
            }
            SolveResult::Unknown(_) => panic!("unknown without limits"),
        }
    }
    assert!(answers.iter().all(|&n| n > 0), "one-sided instances test little: {answers:?}");
}

#[test]
fn the_empty_solver_is_satisfiable_and_the_empty_clause_is_not() {
    let (mut s, _) = solver(0, true);
    assert_eq!(s.solve(&[]), SolveResult::Sat);
    s.push();
    s.add_clause(&[]);
    assert_eq!(s.solve(&[]), SolveResult::Unsat);
    assert!(s.core().is_empty() && s.is_refuted());
    s.pop();
    assert_eq!(s.solve(&[]), SolveResult::Sat);
}

#[test]
fn contradictory_assumptions_are_their_own_core() {
    let (mut s, v) = solver(2, true);
    assert_eq!(s.solve(&[v[0], v[1], !v[0]]), SolveResult::Unsat);
    let mut core = s.core().to_vec();
    core.sort();
    assert_eq!(core, [v[0], !v[0]]);
    assert_eq!(s.final_step(), None);
}

#[test]
fn a_core_leaves_out_what_is_not_to_blame() {
    let (mut s, v) = solver(4, true);
    s.add_clause(&[!v[0], !v[2]]);
    assert_eq!(s.solve(&[v[0], v[1], v[2], v[3]]), SolveResult::Unsat);
    let mut core = s.core().to_vec();
    core.sort();
    assert_eq!(core, [v[0], v[2]]);
    let proved = check_proof(s.proof().unwrap(), s.final_step().unwrap(), |_, _| true, |_, _| false);
    assert_eq!(proved.into_iter().collect::<Vec<_>>(), [!v[0], !v[2]]);
}

#[test]
fn what_does_not_depend_on_a_scope_survives_it() {
    let (mut s, v) = solver(3, false);
    s.push();
    s.add_clause(&[v[0]]);
    // Belongs to the base scope although it is added inside, and contradicts the inner one.
    s.add_clause_in(0, &[!v[0]], 0);
    s.add_clause_in(0, &[v[0], v[1]], 0);
    assert_eq!(s.solve(&[]), SolveResult::Unsat);
    s.pop();
    assert_eq!(s.solve(&[]), SolveResult::Sat);
    assert_eq!((s.fixed(v[0]), s.fixed(v[1]), s.fixed(v[2])), (Some(false), Some(true), None));
}

#[test]
fn learned_clauses_of_a_scope_go_with_it_and_others_stay() {
    let (mut s, _) = solver(0, false);
    random_3sat(&mut s, 100, 400, 5);
    let (added, _) = s.num_clauses();
    s.push();
    let mut rng = Random::new(1);
    for _ in 0..40 {
        let lits = [random_lit(&mut rng, 100), random_lit(&mut rng, 100), random_lit(&mut rng, 100)];
        s.add_clause(&lits);
    }
    assert_ne!(s.solve(&[]), SolveResult::Unknown(Stopped::Theory));
    let (_, learned_inside) = s.num_clauses();
    s.pop();
    let (added_after, learned_after) = s.num_clauses();
    assert!(added_after <= added);
    assert!(learned_after < learned_inside, "{learned_after} of {learned_inside}");
    assert!(learned_after > 0, "some conflicts need the base clauses only");
}

#[test]
fn thousands_of_scopes_leave_nothing_behind() {
    let (mut s, v) = solver(50, false);
    for i in 0..48 {
        s.add_clause(&[v[i], !v[i + 1], v[i + 2]]);
    }
    let mut bytes = 0;
    for round in 0..20_000 {
        s.push();
        let t = s.new_scoped_var().positive();
        s.add_clause(&[t, v[round % 50]]);
        s.add_clause(&[t, !v[round * 7 % 50]]);
        assert_eq!(s.solve(&[!v[round * 3 % 50]]), SolveResult::Sat);
        s.pop();
        if round == 100 {
            bytes = s.memory_bytes();
        }
    }
    assert_eq!(s.num_vars(), 51);
    assert_eq!(s.num_clauses(), (48, 0));
    assert!(s.memory_bytes() <= bytes, "{} bytes after {bytes}", s.memory_bytes());
}

#[test]
fn nested_scopes_by_the_thousand() {
    let (mut s, v) = solver(1, false);
    let mut last = v[0];
    for _ in 0..3000 {
        s.push();
        let t = s.new_scoped_var().positive();
        s.add_clause(&[!last, t]);
        last = t;
    }
    assert_eq!(s.solve(&[v[0], !last]), SolveResult::Unsat);
    for _ in 0..3000 {
        s.pop();
    }
    assert_eq!(s.solve(&[v[0]]), SolveResult::Sat);
    assert_eq!((s.live_vars(), s.depth()), (1, 0));
}

#[test]
fn a_domain_leaves_the_rest_alone() {
    let (mut s, v) = solver(1000, false);
    for i in 1..1000 {
        s.add_clause(&[!v[i], v[i - 1]]);
    }
    let domain = v[..3].iter().map(|l| l.var());
    let before = s.stats().decisions;
    assert_eq!(s.solve_in_domain(&[v[1]], domain), SolveResult::Sat);
    assert!(s.stats().decisions - before <= 3);
    assert_eq!(s.value(v[0]), Some(true));
    assert_eq!(s.value(v[10]), if s.value(v[2]) == Some(false) { Some(false) } else { None });
    s.clear_domain();
    assert_eq!(s.solve(&[]), SolveResult::Sat);
    assert!(v.iter().all(|&l| s.value(l).is_some()));
}

#[test]
fn assumption_levels_are_reused() {
    let (mut s, v) = solver(20, false);
    s.add_clause(&[v[0], v[19]]);
    assert_eq!(s.solve(&[v[0], v[1], v[2], v[3]]), SolveResult::Sat);
    assert_eq!(s.solve(&[v[0], v[1], v[2], !v[3]]), SolveResult::Sat);
    assert_eq!(s.stats().reused_levels, 3);
    assert_eq!(s.value(v[3]), Some(false));
}

#[test]
fn limits_stop_and_do_no_harm() {
    let (mut s, _) = solver(0, true);
    pigeonhole(&mut s, 6);
    s.set_limits(Limits { conflicts: Some(10), ..Limits::default() });
    assert_eq!(s.solve(&[]), SolveResult::Unknown(Stopped::Conflicts));
    assert_eq!(s.stats().conflicts, 10);
    s.set_limits(Limits { propagations: Some(10), ..Limits::default() });
    assert_eq!(s.solve(&[]), SolveResult::Unknown(Stopped::Propagations));
    s.set_limits(Limits { memory_bytes: Some(1), ..Limits::default() });
    assert_eq!(s.solve(&[]), SolveResult::Unknown(Stopped::Memory));
    let flag = Arc::new(AtomicBool::new(true));
    s.set_limits(Limits { interrupt: Some(flag), ..Limits::default() });
    assert_eq!(s.solve(&[]), SolveResult::Unknown(Stopped::Interrupted));
    s.set_limits(Limits::default());
    assert_eq!(s.solve(&[]), SolveResult::Unsat);
    check_proof(s.proof().unwrap(), s.final_step().unwrap(), |_, _| true, |_, _| false);
}

#[test]
fn runs_are_deterministic() {
    let run = || {
        let (mut s, _) = solver(0, true);
        random_3sat(&mut s, 100, 430, 3);
        let answer = s.solve(&[]);
        (answer, s.stats().clone(), s.proof().cloned())
    };
    assert_eq!(run(), run());
}

#[test]
fn phases_are_tried_first() {
    let (mut s, v) = solver(8, false);
    for (i, l) in v.iter().enumerate() {
        s.set_phase(l.var(), i % 3 == 0);
    }
    assert_eq!(s.solve(&[]), SolveResult::Sat);
    assert!(v.iter().enumerate().all(|(i, &l)| s.value(l) == Some(i % 3 == 0)));
}

#[test]
fn variables_that_are_not_decided_get_values_by_propagation_only() {
    let (mut s, v) = solver(3, false);
    s.set_decision_var(v[1].var(), false);
    s.set_decision_var(v[2].var(), false);
    s.add_clause(&[!v[0], v[1]]);
    s.set_phase(v[0].var(), true);
    assert_eq!(s.solve(&[]), SolveResult::Sat);
    assert_eq!((s.value(v[1]), s.value(v[2])), (Some(true), None));
}

#[test]
fn compacting_keeps_what_proofs_need() {
    let (mut s, v) = solver(6, true);
    s.add_clause(&[v[0], v[1]]);
    for i in 0..50 {
        s.push();
        s.add_clause(&[!v[0], v[2 + i % 4]]);
        s.add_clause(&[!v[1]]);
        assert_eq!(s.solve(&[!v[2 + i % 4]]), SolveResult::Unsat);
        s.compact_proof();
        let proved = check_proof(s.proof().unwrap(), s.final_step().unwrap(), |_, _| true, |_, _| false);
        assert_eq!(proved.into_iter().collect::<Vec<_>>(), [v[2 + i % 4]]);
        s.pop();
    }
    s.push();
    s.compact_proof();
    assert!(s.proof().unwrap().len() < 10, "{} steps", s.proof().unwrap().len());
}

#[test]
fn dimacs_numbers_name_literals() {
    for n in [1, -1, 7, -7] {
        assert_eq!(Lit::from_dimacs(n).to_dimacs(), n);
    }
    assert_eq!(Lit::from_dimacs(-3), Var::new(2).negative());
    assert_eq!(Lit::from_code(Var::new(2).negative().code()), Var::new(2).negative());
}
