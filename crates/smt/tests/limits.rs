//! Limits: steps bound the work of a query whatever part of the solver does it and are deterministic, an
//! interrupt from another thread ends it, memory is accounted for and does not grow with queries that leave
//! nothing behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use palisade_smt::native::{NativeSolver, Options};
use palisade_smt::{Answer, Limits, Solver, UnknownReason};
use palisade_term::{Rational, Sort, Term, TermPool};

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
    // What is asserted stays; what queries need comes and goes.
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

/// Asks queries about literals that never come again. Memory, and the work of a query, must not grow with the
/// number of queries before it.
fn stays_small(name: &str, queries: u64, relation: Term, p: &TermPool, literal: impl Fn(u64) -> Term) {
    // All terms are made before: the solver has a table that is as long as the pool.
    let cubes: Vec<(Vec<Term>, Term)> = (0..queries)
        .map(|i| {
            let cube: Vec<Term> = (3 * i..3 * i + 3).map(&literal).collect();
            let clause = p.or(cube.iter().map(|&l| p.not(p.unprime(l))));
            (cube, clause)
        })
        .collect();
    let mut s = NativeSolver::with_options(p, Options { garbage: 500, ..Options::default() });
    s.assert(relation);
    // The most memory at the end of a query, and the work, of each quarter.
    let mut quarters = Vec::new();
    for quarter in cubes.chunks(cubes.len().div_ceil(4)) {
        let before = s.stats();
        let mut most = 0;
        for (cube, clause) in quarter {
            let _ = s.check_with(&[*clause], cube);
            most = most.max(s.stats().memory);
        }
        let after = s.stats();
        let work = after.propagations - before.propagations + after.pivots - before.pivots;
        quarters.push((most, work));
    }
    let ((memory, work), (later, hard)) = (quarters[0], quarters[3]);
    assert!(later < 2 * memory, "{name}: {memory} bytes in the first quarter, {later} in the last");
    assert!(hard < 2 * work + 1_000, "{name}: {work} steps in the first quarter, {hard} in the last");
}

#[test]
fn queries_about_terms_that_never_come_again_leave_nothing_behind() {
    let p = TermPool::new();
    let vars = |name: &str, sort: &Sort| -> [Term; 4] {
        std::array::from_fn(|i| p.var(&format!("{name}{i}"), sort.clone()))
    };
    let (x, r, v) = (vars("x", &Sort::Int), vars("r", &Sort::Real), vars("v", &Sort::BitVec(16)));
    let step = |vars: &[Term; 4], one: Term, add: &dyn Fn(Term, Term) -> Term| {
        let kept = (1..4).map(|i| p.eq(p.primed(vars[i]), vars[1 + i % 3]));
        p.or([
            p.eq(p.primed(vars[0]), add(vars[0], one)),
            p.and(kept.chain([p.eq(p.primed(vars[0]), vars[1])])),
        ])
    };
    let pick = |vars: &[Term; 4], i: u64| p.primed(vars[(i * i % 7 % 4) as usize]);
    let side = |i: u64, low: Term, high: Term| if i % 5 < 2 { p.le(low, high) } else { p.le(high, low) };
    let int = |i: u64| p.int(i as i64);
    let sum = |a: Term, b: Term| p.add2(a, b);
    let integers = step(&x, p.int(1), &sum);
    stays_small("bounds", 4_000, integers, &p, |i| side(i, pick(&x, i), int(i)));
    stays_small("differences", 4_000, integers, &p, |i| side(i, p.sub(pick(&x, i), pick(&x, i + 1)), int(i)));
    stays_small("forms", 4_000, integers, &p, |i| {
        let scaled = p.scale(&Rational::from_integer((i + 2).into()), pick(&x, i));
        side(i, p.add2(scaled, pick(&x, i + 1)), int(i))
    });
    stays_small("definitions", 600, integers, &p, |i| {
        let choice = p.ite(p.le(pick(&x, i), int(i)), pick(&x, i + 1), int(i + 2));
        side(i, p.add2(choice, p.int_div(pick(&x, i), int(i + 3))), int(7))
    });
    stays_small("rationals", 4_000, step(&r, p.real(Rational::from_integer(1.into())), &sum), &p, |i| {
        side(i, pick(&r, i), p.real(Rational::new(i.into(), 7.into())))
    });
    stays_small("bit-vectors", 2_000, step(&v, p.bitvec(1, 16), &|a, b| p.bv_add(a, b)), &p, |i| {
        p.bv_ule(p.bv_add(pick(&v, i), p.bitvec(i, 16)), pick(&v, i + 1))
    });
}
