//! Limits: steps bound the work of a query whatever part of the solver does it and are deterministic, an interrupt from another thread ends it, memory is accounted for and does not grow
//! with queries that leave nothing behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use palisade_smt::native::{NativeSolver, Options};
use palisade_smt::{Answer, Limits, Solver, UnknownReason};
use palisade_term::{Sort, Term, TermPool};

/// More pigeons than holes: hard for clause learning.
fn pigeons(p: &TermPool, holes: i64) -> Vec<Term> {
    let pigeons: Vec<Term> = (0..=holes).map(|i| p.var(&format!("p{i}"), Sort::Int)).collect();
    let mut out: Vec<Term> = pigeons.iter().map(|&x| p.or((0..holes).map(|h| p.eq(x, p.int(h))))).collect();
    out.push(p.distinct(&pigeons));
    out
}

/// Cubes that add up to a cube: no solution, and no bound to find that by.
fn cubes(p: &TermPool) -> Vec<Term> {
    let vars: Vec<Term> = (0..3).map(|i| p.var(&format!("x{i}"), Sort::Int)).collect();
    let cube = |t: Term| p.mul(t, p.mul(t, t));
    let mut out: Vec<Term> = vars.iter().map(|&x| p.ge(x, p.int(2))).collect();
    out.push(p.eq(p.add2(cube(vars[0]), cube(vars[1])), cube(vars[2])));
    out
}

/// As many writes at unknown places in two orders; the results differ.
fn writes(p: &TermPool, n: i64) -> Vec<Term> {
    let sort = Sort::array(Sort::Int, Sort::Int);
    let a = p.var("a", sort);
    let at: Vec<Term> = (0..n).map(|k| p.var(&format!("k{k}"), Sort::Int)).collect();
    let write =
        |order: &mut dyn Iterator<Item = usize>| order.fold(a, |a, k| p.store(a, at[k], p.int(k as i64)));
    let (one, other) = (write(&mut (0..at.len())), write(&mut (0..at.len()).rev()));
    vec![p.distinct(&at), p.not(p.eq(one, other))]
}

fn solver<'p>(p: &'p TermPool, formulas: &[Term], proofs: bool) -> NativeSolver<'p> {
    let mut s = NativeSolver::with_options(p, Options { proofs, ..Options::default() });
    formulas.iter().for_each(|&f| s.assert(f));
    s
}

#[test]
fn steps_bound_the_work_of_every_part() {
    let p = TermPool::new();
    for (what, formulas) in [("pigeons", pigeons(&p, 9)), ("cubes", cubes(&p)), ("writes", writes(&p, 12))] {
        for proofs in [false, true] {
            for steps in [1, 100, 2_000] {
                let mut s = solver(&p, &formulas, proofs);
                s.set_limits(Limits { steps: Some(steps), interrupt: None });
                let answer = s.check(&[]);
                // What is decided within the limit is decided rightly.
                let fine = match &answer {
                    Answer::Unknown(why) => *why == UnknownReason::Limit,
                    other => other.is_unsat(),
                };
                assert!(fine, "{what}, {steps} steps: {answer:?}");
                let stats = s.stats();
                assert!(stats.conflicts <= steps / 4 + 2, "{what}, {steps} steps: {stats:?}");
                assert!(stats.pivots <= steps + 1, "{what}, {steps} steps: {stats:?}");
            }
        }
    }
}

#[test]
fn limits_are_deterministic() {
    for steps in [50, 500, 5_000] {
        let run = || {
            let p = TermPool::new();
            let mut s = solver(&p, &pigeons(&p, 7), false);
            s.set_limits(Limits { steps: Some(steps), interrupt: None });
            (format!("{:?}", s.check(&[])), s.stats())
        };
        assert_eq!(run(), run());
    }
}

#[test]
fn an_interrupt_from_another_thread_ends_the_query() {
    let p = TermPool::new();
    // Far more than anybody waits for.
    for formulas in [pigeons(&p, 14), writes(&p, 40)] {
        let mut s = solver(&p, &formulas, false);
        let flag = Arc::new(AtomicBool::new(false));
        s.set_limits(Limits { steps: None, interrupt: Some(flag.clone()) });
        let answer = std::thread::scope(|scope| {
            scope.spawn(|| {
                std::thread::sleep(Duration::from_millis(200));
                flag.store(true, Ordering::Relaxed);
            });
            let started = Instant::now();
            let answer = s.check(&[]);
            assert!(started.elapsed() < Duration::from_secs(60), "the interrupt was not heard");
            answer
        });
        assert!(
            matches!(answer, Answer::Unknown(UnknownReason::Interrupted)) || answer.is_unsat(),
            "{answer:?}"
        );
        // Lowered again, the solver goes on.
        flag.store(false, Ordering::Relaxed);
        s.push();
        s.assert(p.fls());
        assert!(s.check(&[]).is_unsat());
    }
}

#[test]
fn minimised_cores_respect_limits() {
    let p = TermPool::new();
    let x = p.var("x", Sort::Int);
    let bounds: Vec<Term> = (0..20).map(|k| p.ge(x, p.int(k))).collect();
    let mut s = NativeSolver::new(&p);
    s.assert(p.le(x, p.int(4)));
    let small = s.minimize_core(&[], &bounds);
    assert_eq!(small.len(), 1, "one bound above 4 suffices");
    // Interrupted, it gives back what it has: still a core.
    s.set_limits(Limits { steps: None, interrupt: Some(Arc::new(AtomicBool::new(true))) });
    let same = s.minimize_core(&[], &bounds);
    s.set_limits(Limits::default());
    assert!(s.check(&same).is_unsat());
    // What a temporary formula decides needs no assumption.
    assert!(s.minimize_core(&[p.ge(x, p.int(7))], &bounds).is_empty());
}

#[test]
fn memory_is_accounted_for_and_given_back() {
    let p = TermPool::new();
    let x: Vec<Term> = (0..6).map(|i| p.var(&format!("x{i}"), Sort::Int)).collect();
    let mut s = NativeSolver::new(&p);
    let empty = s.stats().memory;
    assert!(empty > 0);
    for k in 0..200 {
        let (a, b) = (x[k % 6], x[(k + 1) % 6]);
        s.assert(p.or2(p.le(a, p.int(1000 + k as i64)), p.ge(b, p.int(k as i64))));
    }
    let full = s.stats().memory;
    assert!(full > empty, "{empty} before, {full} after 200 clauses");
    // Clauses of single queries come and go; the atoms of cubes stay, for they come again.
    let query = |s: &mut NativeSolver<'_>, k: i64| {
        let cube: Vec<Term> = x.iter().enumerate().map(|(i, &v)| p.ge(v, p.int(k % 50 + i as i64))).collect();
        let _ = s.check_with(&[p.or(cube.iter().map(|&c| p.not(c)))], &cube[..3]);
    };
    (0..200).for_each(|k| query(&mut s, k));
    let warm = s.stats().memory;
    (200..2_000).for_each(|k| query(&mut s, k));
    let later = s.stats().memory;
    assert!(later < 3 * warm, "{warm} after 200 queries, {later} after 2000");
}
