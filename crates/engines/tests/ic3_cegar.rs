//! `ic3-cegar` on examples worked by hand, algorithm by algorithm. The names of the algorithms are those of
//! Birgmeier, "Software Verification with IC3 via Abstraction and Interpolation" (master's thesis, TU Wien
//! 2013).
//!
//! Algorithms 4 and 5 are tested in `abstraction/mining.rs`, 8 and 9 on explicit systems in `flavours.rs`.

mod common;

use common::{Native, Recorder, Tree, edge, location, verdict};
use palisade_engines::abstraction::beautiful::half_spaces;
use palisade_engines::abstraction::domain::{Domain, Literal};
use palisade_engines::abstraction::initial::{control_variables, initial_condition, pairs};
use palisade_engines::abstraction::spurious::Spurious;
use palisade_engines::ic3_cegar::Ic3CegarEngine;
use palisade_engines::{Budget, Options, Task};
use palisade_program::{Loc, Program};
use palisade_term::{Rational, Sort, Term, TermPool};

/// No predicates but the initial condition, nothing mined.
const BARE: [(&str, &str); 3] =
    [("ic3-cegar.pairs", "false"), ("ic3-cegar.expressions", "false"), ("ic3-cegar.min-points", "0")];

fn counter(record: &Recorder, name: &str) -> u64 {
    record.counters.iter().find(|(n, _)| *n == name).expect("a counter of this name").1
}

fn predicates(record: &Recorder) -> Vec<Term> {
    let found = record.tree.iter().map(|t| match t {
        Tree::Predicate(_, p) => *p,
        other => panic!("{other:?}"),
    });
    found.collect()
}

/// `x = 0; loop { x += 2 }`, error when `x = 5`.
fn evens(pool: &TermPool) -> (Program, Term) {
    let x = pool.var("x", Sort::Int);
    let mut p = Program::new();
    let l = location(&mut p, "loop", &[x]);
    let (entry, error) = (p.entry, p.error);
    edge(&mut p, entry, l, &[], pool.tru(), &[pool.int(0)]);
    edge(&mut p, l, l, &[], pool.tru(), &[pool.add2(x, pool.int(2))]);
    edge(&mut p, l, error, &[], pool.eq(x, pool.int(5)), &[]);
    (p, x)
}

#[test]
fn a_spurious_step_brings_a_predicate_that_excludes_it() {
    // Algorithm 3. The only predicate is I, `x = 0`. The bad state 5 is first met at level 2; its abstract
    // state is "not I". The first frame is I, and 0 -> 2 enters "not I", while nothing enters 5: a spurious
    // step. The interpolant of `x = 0, x' = x + 2` and `x' = 5` contains 2 and not 5.
    let pool = TermPool::new();
    let (p, x) = evens(&pool);
    let (safe, record) = verdict(&Ic3CegarEngine, &pool, &p, &BARE);
    assert!(safe);
    let (level, _, cube) = &record.obligations[0];
    assert_eq!((*level, &cube[..]), (2, &[pool.eq(x, pool.int(5))][..]));
    let first = predicates(&record)[0];
    let at = |value: i64| {
        let state = [(x, palisade_term::Value::Int(value.into()))].into_iter().collect();
        pool.holds(first, &state)
    };
    assert_ne!(at(2), at(5), "{}", pool.infix(first));
    assert!(counter(&record, "interpolating refinements") >= 1);
    assert_eq!(counter(&record, "interpolating refinements"), counter(&record, "spurious steps"));
}

#[test]
fn blocked_states_are_pushed_forward() {
    // Algorithm 3, line 37: the predecessors of 5 are 3, 1 and -1, and nothing else is ever asked about,
    // although the frontier moves on: a blocked state is asked again one level higher, not found again.
    let pool = TermPool::new();
    let (p, x) = evens(&pool);
    let (_, record) = verdict(&Ic3CegarEngine, &pool, &p, &BARE);
    let allowed: Vec<Term> = [5, 3, 1, -1, -3].iter().map(|&v| pool.eq(x, pool.int(v))).collect();
    for (_, _, cube) in &record.obligations {
        assert!(cube.len() == 1 && allowed.contains(&cube[0]), "{cube:?}");
    }
    assert!(counter(&record, "obligations") <= 6);
}

#[test]
fn lazy_refinement_follows_spurious_steps() {
    // Algorithms 6 and 7, with at most three spurious steps in a row.
    let pool = TermPool::new();
    let (p, x) = evens(&pool);
    let run = |more: &'static str| {
        let set = [&BARE[..], &[("ic3-cegar.max-spurious", more)]].concat();
        let (safe, record) = verdict(&Ic3CegarEngine, &pool, &p, &set);
        assert!(safe, "a trace with a spurious step is no counterexample");
        record
    };
    let is = |value: i64| vec![pool.eq(x, pool.int(value))];
    let asked = |r: &Recorder| r.obligations.iter().map(|o| (o.0, o.2.clone())).collect::<Vec<_>>();
    let lazy = run("3");
    // 5 is met at level 2. The step 0 -> 2 into its abstract state `x != 0` begins in the initial state: it
    // is refined at once, by `x <= 2`. At level 3 the step 1 -> 3 into `x != 0, x >= 3` does not: 1 becomes
    // an obligation of the first level. The step 0 -> 2 into its abstract state `x != 0, x <= 2` is
    // spurious, too, and 2 is asked about, which has the real predecessor 0, to which the entry leads. That
    // trace ends in the last of its spurious steps, the one into the states of 1: `x <= 1` excludes it.
    let first = [(2, is(5)), (3, is(5)), (1, is(1)), (1, is(2)), (1, is(0)), (0, vec![])];
    assert_eq!(&asked(&lazy)[..6], &first);
    assert_eq!(lazy.spurious.len(), 6);
    let levels: Vec<u32> = lazy.refined.iter().map(|r| r.0).collect();
    assert_eq!((levels, lazy.backtracked), (vec![2, 2, 3, 3, 4], 3));
    assert_eq!(&predicates(&lazy)[..2], &[2, 1].map(|c| pool.le(x, pool.int(c))));
    // With none, every spurious step is refined.
    let eager = run("0");
    assert_eq!((eager.spurious.len(), eager.backtracked), (eager.refined.len(), 0));
    assert!(asked(&eager).iter().all(|(level, _)| *level > 1));
}

#[test]
fn rationals_are_refined() {
    // x grows by a half; it is never negative, and y counts with it.
    let pool = TermPool::new();
    let (x, y) = (pool.var("x", Sort::Real), pool.var("y", Sort::Real));
    let number = |n: i64, d: i64| pool.real(Rational::new(n.into(), d.into()));
    let mut p = Program::new();
    let l = location(&mut p, "loop", &[x, y]);
    let (entry, error) = (p.entry, p.error);
    edge(&mut p, entry, l, &[], pool.tru(), &[number(0, 1), number(1, 1)]);
    edge(&mut p, l, l, &[], pool.tru(), &[pool.add2(x, number(1, 2)), pool.add2(y, x)]);
    edge(&mut p, l, error, &[], pool.lt(y, number(1, 2)), &[]);
    for refinement in ["interpolation", "beautiful"] {
        let (safe, record) = verdict(
            &Ic3CegarEngine,
            &pool,
            &p,
            &[&BARE[..], &[("ic3-cegar.refinement", refinement)]].concat(),
        );
        assert!(safe, "{refinement}");
        let half_spaces = counter(&record, "refinements by half-spaces");
        assert_eq!(half_spaces > 0, refinement == "beautiful", "{refinement}");
        assert!(record.refined.len() < 20, "{refinement}: {}", record.refined.len());
    }
}

/// The program of section 3.2, with the numbers of its lines as the program counter.
fn section_3_2(pool: &TermPool) -> (Program, Vec<Term>) {
    let vars = ["pc", "m", "n", "i", "j", "k"].map(|v| pool.var(v, Sort::Int));
    let [pc, m, n, i, j, k] = vars;
    let star = pool.var("star", Sort::Int);
    let start = ["m0", "n0", "i0", "j0", "k0"].map(|v| pool.var(v, Sort::Int));
    let mut p = Program::new();
    let l = location(&mut p, "loop", &vars);
    let (entry, error) = (p.entry, p.error);
    let line = |at: i64| pool.int(at);
    let first: Vec<Term> = [line(0)].into_iter().chain(start).collect();
    edge(&mut p, entry, l, &start, pool.tru(), &first);
    let at = |value: i64, guard: Term| pool.and2(pool.eq(pc, line(value)), guard);
    let one = pool.int(1);
    edge(&mut p, l, l, &[star], at(0, pool.tru()), &[line(1), star, n, i, j, k]);
    edge(&mut p, l, l, &[star], at(1, pool.tru()), &[line(2), m, star, i, j, k]);
    edge(&mut p, l, l, &[], at(2, pool.tru()), &[line(3), m, n, line(0), j, k]);
    edge(&mut p, l, l, &[], at(3, pool.le(n, m)), &[line(4), m, n, i, j, k]);
    edge(&mut p, l, l, &[], at(3, pool.gt(n, m)), &[line(5), m, n, i, j, k]);
    edge(&mut p, l, l, &[], at(5, pool.lt(m, n)), &[line(6), m, n, i, j, k]);
    edge(&mut p, l, l, &[], at(6, pool.tru()), &[line(7), pool.add2(m, one), n, i, j, k]);
    edge(&mut p, l, l, &[], at(7, pool.tru()), &[line(5), m, n, pool.add2(i, one), j, k]);
    edge(&mut p, l, l, &[], at(5, pool.ge(m, n)), &[line(9), m, n, i, j, k]);
    edge(&mut p, l, error, &[], at(9, pool.not(pool.eq(m, pool.add2(n, one)))), &[]);
    (p, vars.to_vec())
}

#[test]
fn the_counterexample_of_section_3_2_is_lifted() {
    let pool = TermPool::new();
    let (p, vars) = section_3_2(&pool);
    let [pc, m, n, ..] = vars[..] else { unreachable!("six variables") };
    let (safe, record) = verdict(&Ic3CegarEngine, &pool, &p, &[]);
    assert!(!safe);
    // From first to last: the entry, and then the states of the thesis's trace with the variables that
    // matter.
    let inside: Vec<_> = record.lifted.iter().filter(|(l, _)| *l == Loc(2)).collect();
    assert!(inside.len() >= 8, "{} states", inside.len());
    for (k, (_, cube)) in inside.iter().enumerate() {
        let assigned: Vec<Term> = cube.iter().flat_map(|&t| pool.free_vars(t)).collect();
        let expected: &[Term] = match k {
            0 => &[pc],
            1 => &[pc, m],
            _ => &[pc, m, n],
        };
        assert!(expected.iter().all(|v| assigned.contains(v)), "state {k}: {assigned:?}");
        assert_eq!(assigned.len(), expected.len(), "state {k}");
    }
}

#[test]
fn the_lattice_links_neighbours_only() {
    let pool = TermPool::new();
    let (p, x) = evens(&pool);
    let options = Options::new();
    let task = Task { pool: &pool, program: &p, solvers: &Native, options: &options };
    let mut domain = Domain::new(&task, &Budget::unlimited());
    let mut add = |formula: Term| domain.add(Loc(2), formula);
    let at_most = |c: i64| pool.le(x, pool.int(c));
    let (low, high) = (add(at_most(0)).expect("new"), add(at_most(9)).expect("new"));
    let middle = add(at_most(5)).expect("new");
    assert_eq!(add(pool.gt(x, pool.int(5))), None, "the negation of a known predicate");
    assert_eq!(add(pool.and2(at_most(5), at_most(7))), None, "equivalent to a known predicate");
    assert_eq!(add(pool.or2(at_most(5), pool.gt(x, pool.int(3)))), None, "always true");
    let point = add(pool.eq(x, pool.int(3))).expect("new");
    assert_eq!((domain.parents(low), domain.children(low)), (&[middle][..], &[][..]));
    assert_eq!((domain.parents(middle), domain.children(middle)), (&[high][..], &[low, point][..]));
    assert_eq!(domain.children(high), [middle]);
    // Weaker literals: upward for a predicate, downward for a negation.
    assert_eq!(domain.weaker(Literal::new(low, true)), [Literal::new(middle, true)]);
    assert_eq!(domain.weaker(Literal::new(high, false)), [Literal::new(middle, false)]);
}

#[test]
fn the_first_predicates() {
    let pool = TermPool::new();
    let (p, vars) = section_3_2(&pool);
    let options = Options::new();
    let task = Task { pool: &pool, program: &p, solvers: &Native, options: &options };
    let initial = initial_condition(&task, Loc(2));
    assert_eq!(initial, Some(pool.eq(vars[0], pool.int(0))));
    assert_eq!(control_variables(&task, Loc(2)).into_iter().collect::<Vec<_>>(), [vars[0]]);
    // Five variables besides the counter, both orders.
    assert_eq!(pairs(&task, Loc(2)).len(), 20);
}

#[test]
fn every_refinement_proves_the_example() {
    // `x = 0; while (x < 10) x++;`, error when `x > 10`. The pre-image of the error is the invariant's
    // negation.
    let pool = TermPool::new();
    let x = pool.var("x", Sort::Int);
    let mut p = Program::new();
    let l = location(&mut p, "loop", &[x]);
    let (entry, error, ten) = (p.entry, p.error, pool.int(10));
    edge(&mut p, entry, l, &[], pool.tru(), &[pool.int(0)]);
    edge(&mut p, l, l, &[], pool.lt(x, ten), &[pool.add2(x, pool.int(1))]);
    edge(&mut p, l, error, &[], pool.gt(x, ten), &[]);
    for refinement in ["interpolation", "beautiful", "preimage"] {
        let set = [&BARE[..], &[("ic3-cegar.refinement", refinement)]].concat();
        let (safe, record) = verdict(&Ic3CegarEngine, &pool, &p, &set);
        assert!(safe);
        let preimages = counter(&record, "pre-images");
        assert_eq!(preimages > 0, refinement == "preimage", "{refinement}: {preimages}");
    }
}

#[test]
fn where_the_initial_states_are_no_formula_initiation_is_a_query() {
    // `x = i & 15; while (x < 20) x++;`, error when `x = 30`. The initial states of words are not computed,
    // so there is no predicate I: what the first frame excludes is found by queries about the first edge, and
    // its spurious steps are refined like others, at the first level.
    let pool = TermPool::new();
    let word = Sort::BitVec(8);
    let (x, i) = (pool.var("x", word.clone()), pool.var("i", word));
    let number = |n: u32| pool.bitvec(n, 8);
    let mut p = Program::new();
    let l = location(&mut p, "loop", &[x]);
    let (entry, error) = (p.entry, p.error);
    edge(&mut p, entry, l, &[i], pool.tru(), &[pool.bv_and(i, number(15))]);
    edge(&mut p, l, l, &[], pool.bv_ult(x, number(20)), &[pool.bv_add(x, number(1))]);
    edge(&mut p, l, error, &[], pool.eq(x, number(30)), &[]);
    let options = Options::new();
    let task = Task { pool: &pool, program: &p, solvers: &Native, options: &options };
    assert_eq!(initial_condition(&task, l), None);
    let (safe, record) = verdict(&Ic3CegarEngine, &pool, &p, &BARE);
    assert!(safe);
    assert_eq!(record.refined[0].0, 1, "{:?}", record.refined);
}

#[test]
fn counterexamples_to_generalisation_are_abstract_states() {
    // Algorithm 8. `b' = b or d`, `d' = d`, and a stays only with b, or is set where b does not become true;
    // all are false at first, and the error is `a and b`. From the initial states the lemma `not b` follows,
    // but it is not inductive: d might hold. At the next frontier `a and b` is blocked, and without a there
    // is the counterexample to generalisation "d, not b". If it is blocked, `not b` can be kept.
    let pool = TermPool::new();
    let names = ["a", "b", "d"].map(|n| pool.var(n, Sort::Bool));
    let ([a, b, d], i) = (names, pool.var("i", Sort::Bool));
    let mut p = Program::new();
    let l = location(&mut p, "loop", &names);
    let (entry, error) = (p.entry, p.error);
    edge(&mut p, entry, l, &[], pool.tru(), &[pool.fls(); 3]);
    let after = pool.or([b, d]);
    let set = pool.or([pool.and2(a, b), pool.and2(i, pool.not(after))]);
    edge(&mut p, l, l, &[i], pool.tru(), &[set, after, d]);
    edge(&mut p, l, error, &[], pool.and2(a, b), &[]);
    let run = |ctgs: &'static str| {
        let set = [("ic3-cegar.min-points", "0"), ("ic3-cegar.max-ctgs", ctgs)];
        let (safe, record) = verdict(&Ic3CegarEngine, &pool, &p, &set);
        assert!(safe);
        let blocked = counter(&record, "counterexamples to generalisation blocked");
        (blocked, record.lemmas.into_iter().map(|(level, _, f)| (level, f)).collect::<Vec<_>>())
    };
    let not = |t: Term| pool.not(t);
    let first = (Some(2), not(b));
    assert_eq!(run("0"), (0, vec![first, (Some(3), not(pool.and2(a, b)))]));
    assert_eq!(run("3"), (1, vec![first, (Some(2), not(d)), (Some(3), not(b))]));
}

#[test]
fn half_spaces_separate_with_small_coefficients() {
    // `x = y` before and after; the state to exclude has x = 7, y = 3. One half-space will do: x <= y + c or
    // the like.
    let pool = TermPool::new();
    let (x, y) = (pool.var("x", Sort::Int), pool.var("y", Sort::Int));
    let mut p = Program::new();
    let l = location(&mut p, "loop", &[x, y]);
    let (entry, one) = (p.entry, pool.int(1));
    edge(&mut p, entry, l, &[], pool.tru(), &[pool.int(0), pool.int(0)]);
    let step = edge(&mut p, l, l, &[], pool.tru(), &[pool.add2(x, one), pool.add2(y, one)]);
    let options = Options::new();
    let task = Task { pool: &pool, program: &p, solvers: &Native, options: &options };
    let state = [pool.eq(x, pool.int(7)), pool.eq(y, pool.int(3))];
    let spurious = Spurious { edge: step, before: pool.eq(x, y), state: &state };
    let found = half_spaces(&task, &Budget::unlimited(), &spurious).expect("separable");
    assert_eq!(found.len(), 1, "{found:?}");
    let values = |a: i64, b: i64| {
        let value = |v: i64| palisade_term::Value::Int(v.into());
        [(x, value(a)), (y, value(b))].into_iter().collect()
    };
    assert!(pool.holds(found[0], &values(7, 3)));
    for k in -20..20 {
        assert!(!pool.holds(found[0], &values(k, k)), "{}", pool.infix(found[0]));
    }
}
