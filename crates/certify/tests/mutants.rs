//! Corrupted certificates are rejected, and only those: every systematic mutant of a proof is held against an
//! oracle that executes all edges from all states.

mod common;

use std::collections::BTreeMap;

use common::{Proved, check, counters, door, is_inductive, lock};
use palisade_certify::{Checker, read_proof, read_run, write_proof, write_run};
use palisade_program::{EdgeId, Run};
use palisade_term::{Op, Sort, Term, TermPool};

/// All terms that differ from `t` in one place, with the kind of the change.
fn mutants(pool: &TermPool, t: Term, vars: &[Term]) -> Vec<(&'static str, Term)> {
    let mut out = Vec::new();
    if *pool.sort(t) == Sort::Bool {
        out.push(("to true", pool.tru()));
        out.push(("to false", pool.fls()));
        out.push(("negate", pool.not(t)));
    }
    match pool.op(t) {
        Op::BitVec(v) => {
            let w = pool.width(t);
            out.push(("constant + 1", pool.bitvec(v + 1, w)));
            out.push(("constant - 1", pool.bitvec(v - 1, w)));
        }
        Op::Var(..) => {
            let others = vars.iter().filter(|&&v| v != t && pool.sort(v) == pool.sort(t));
            out.extend(others.map(|&v| ("other variable", v)));
        }
        Op::And => out.push(("and to or", pool.or(pool.args(t).iter().copied()))),
        Op::Or => out.push(("or to and", pool.and(pool.args(t).iter().copied()))),
        Op::BvUle => out.push(("turn <= around", pool.bv_ule(pool.args(t)[1], pool.args(t)[0]))),
        _ => {}
    }
    for (i, &a) in pool.args(t).iter().enumerate() {
        for (kind, b) in mutants(pool, a, vars) {
            let mut args = pool.args(t).to_vec();
            args[i] = b;
            out.push((kind, pool.rebuild(pool.op(t), &args, pool.sort(t))));
        }
    }
    out
}

fn check_all_mutants(pool: &TermPool, proved: &Proved) -> BTreeMap<&'static str, (u32, u32)> {
    let Proved { program, invariants } = proved;
    check(pool, program, invariants).expect("the proof itself is accepted");
    let mut counts: BTreeMap<&'static str, (u32, u32)> = BTreeMap::new();
    for l in program.locs() {
        for (kind, formula) in mutants(pool, invariants.at(l), program.vars(l)) {
            let mut mutant = invariants.clone();
            mutant.set(l, formula);
            // Through the file: a certificate is what is written, not what was meant. (Entry and error are
            // not in it.)
            if l != program.entry && l != program.error {
                let written = mutant.clone().into();
                let text = write_proof(pool, program, &written, &[]);
                assert_eq!(read_proof(pool, program, &text).unwrap(), written, "{text}");
            }
            let good = is_inductive(pool, program, &mutant);
            let verdict = check(pool, program, &mutant);
            assert_eq!(verdict.is_ok(), good, "{kind}: {} at {l:?}: {verdict:?}", pool.infix(formula));
            let count = counts.entry(kind).or_default();
            if good { count.0 += 1 } else { count.1 += 1 }
        }
    }
    counts
}

#[test]
fn every_mutant_of_a_proof_is_judged_rightly() {
    let pool = TermPool::new();
    for (name, proved) in [("counters", counters(&pool)), ("lock", lock(&pool))] {
        let counts = check_all_mutants(&pool, &proved);
        let rejected: u32 = counts.values().map(|c| c.1).sum();
        assert!(rejected >= 30, "{name}: the mutants are real changes: {counts:?}");
        for kind in ["to true", "to false", "negate", "constant + 1", "constant - 1"] {
            assert!(counts[kind].1 > 0, "{name}: some `{kind}` is rejected: {counts:?}");
        }
    }
}

#[test]
fn invariants_of_the_wrong_places_are_rejected() {
    let pool = TermPool::new();
    let Proved { program, invariants } = lock(&pool);
    let mut swapped = invariants.clone();
    swapped.formulas.swap(2, 3);
    assert!(!is_inductive(&pool, &program, &swapped));
    check(&pool, &program, &swapped).unwrap_err();
    let mut short = invariants.clone();
    short.formulas.pop();
    check(&pool, &program, &short).unwrap_err();
    // A formula over a variable that does not live there, a primed one, and a term that is no formula.
    for stray in [
        pool.var("go", Sort::Bool),
        pool.primed(pool.var("held", Sort::Bool)),
        pool.var("t", Sort::BitVec(2)),
    ] {
        let mut bad = invariants.clone();
        bad.set(palisade_program::Loc(2), stray);
        check(&pool, &program, &bad).unwrap_err();
    }
}

#[test]
fn every_mutant_of_a_run_is_rejected() {
    let pool = TermPool::new();
    let (program, run) = door(&pool);
    let checker = Checker::new(&pool, &program);
    checker.counterexample(run.clone()).expect("the run itself is accepted");
    let mut mutants: Vec<Run> = Vec::new();
    for i in 0..run.steps.len() {
        for value in common::domain(&Sort::BitVec(3)) {
            let mut m = run.clone();
            m.steps[i].inputs = vec![value];
            mutants.push(m);
        }
        for e in 0..4 {
            let mut m = run.clone();
            m.steps[i].edge = EdgeId(e);
            mutants.push(m);
        }
        let mut dropped = run.clone();
        dropped.steps.remove(i);
        mutants.push(dropped);
        let mut twice = run.clone();
        twice.steps.insert(i, twice.steps[i].clone());
        mutants.push(twice);
        let mut none = run.clone();
        none.steps[i].inputs.clear();
        mutants.push(none);
    }
    mutants.push(Run::default());
    let mut rejected = 0;
    for m in mutants {
        if m == run {
            continue;
        }
        checker.counterexample(m.clone()).expect_err(&format!("{m:?}"));
        rejected += 1;
    }
    assert!(rejected > 35);
}

/// Every digit of the file, changed: the file is refused, or its run is, or the digit means nothing (the
/// format's version, say, is refused; edges and values are not the only digits).
#[test]
fn every_changed_digit_of_a_run_file_is_noticed() {
    let pool = TermPool::new();
    let (program, run) = door(&pool);
    let text = write_run(&pool, &program, &run, &[]);
    assert_eq!(read_run(&pool, &program, &text).unwrap(), run);
    let checker = Checker::new(&pool, &program);
    let mut tried = 0;
    for (i, c) in text.char_indices().filter(|(_, c)| c.is_ascii_digit()) {
        for d in ('0'..='9').filter(|&d| d != c) {
            let mut changed = text.clone();
            changed.replace_range(i..=i, &d.to_string());
            let accepted =
                read_run(&pool, &program, &changed).is_ok_and(|r| checker.counterexample(r).is_ok());
            assert!(!accepted, "{changed}");
            tried += 1;
        }
    }
    assert!(tried >= 9 * 10);
}
