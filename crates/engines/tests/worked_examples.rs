//! The worked examples of the papers: same verdict, same counterexample, same invariants.

mod common;

use common::{Recorder, edge, location, verdict};
use palisade_engines::options::PRESETS;
use palisade_engines::{Engine, ic3_cfa::Ic3CfaEngine, pdr_cfg::PdrCfgEngine};
use palisade_program::Program;
use palisade_term::{Sort, Term, TermPool};

/// Werner, "Property Directed Reachability in Ultimate" (2018), section 4.3.2, and Lange, Neuhäußer, Noll,
/// "IC3 Software Model Checking on Control Flow Automata" (2015), Fig. 2: `x = 0; y = x; loop { x++; y++ }`,
/// error when `x != y`.
fn twins(pool: &TermPool) -> (Program, Term, Term) {
    let (x, y) = (pool.var("x", Sort::Int), pool.var("y", Sort::Int));
    let mut p = Program::new();
    let l1 = location(&mut p, "l1", &[x, y]);
    let l2 = location(&mut p, "l2", &[x, y]);
    let (zero, one) = (pool.int(0), pool.int(1));
    let entry = p.entry;
    edge(&mut p, entry, l1, &[], pool.tru(), &[zero, zero]);
    edge(&mut p, l1, l1, &[], pool.tru(), &[pool.add2(x, one), pool.add2(y, one)]);
    edge(&mut p, l1, l2, &[], pool.eq(x, y), &[x, y]);
    let error = p.error;
    edge(&mut p, l1, error, &[], pool.not(pool.eq(x, y)), &[]);
    (p, x, y)
}

/// The settings of an engine's preset `paper`.
fn paper(engine: &dyn Engine) -> &'static [(&'static str, &'static str)] {
    let own = PRESETS.iter().find(|p| p.engine == engine.name() && p.name == "paper");
    own.expect("it has that preset").settings
}

#[test]
fn twins_are_safe_by_equality() {
    let pool = TermPool::new();
    let (p, x, y) = twins(&pool);
    let (safe, record) = verdict(&PdrCfgEngine, &pool, &p, paper(&PdrCfgEngine));
    assert!(safe);
    // The thesis learns x = y at l1 on levels 1 and 2 and finds the fixpoint there.
    let equal = pool.eq(x, y);
    assert!(record.lemmas.iter().all(|(_, l, f)| l.0 == 2 && *f == equal), "{:?}", record.lemmas);
    let levels: Vec<_> = record.lemmas.iter().map(|(k, ..)| *k).collect();
    assert_eq!(levels, [Some(1), Some(2)]);
    assert_eq!(record.fixpoint, Some(1));

    let (safe, _) = verdict(&Ic3CfaEngine, &pool, &p, &[]);
    assert!(safe);
}

#[test]
fn the_papers_ic3_cfa_finds_the_equality_at_once() {
    // With exact weakest preconditions and without generalisation, as in the paper.
    let pool = TermPool::new();
    let (p, x, y) = twins(&pool);
    let paper = paper(&Ic3CfaEngine);
    let (safe, record) = verdict(&Ic3CfaEngine, &pool, &p, paper);
    assert!(safe);
    assert!(!record.lemmas.is_empty());
    assert!(record.lemmas.iter().all(|(.., f)| *f == pool.eq(x, y)));
}

/// Werner, section 4.3.1: `x := 0; x := x + 1;` error when `x = 1`.
fn straight_line(pool: &TermPool) -> Program {
    let x = pool.var("x", Sort::Int);
    let mut p = Program::new();
    let l1 = location(&mut p, "l1", &[x]);
    let l2 = location(&mut p, "l2", &[x]);
    let l3 = location(&mut p, "l3", &[x]);
    let (entry, error) = (p.entry, p.error);
    let one = pool.int(1);
    edge(&mut p, entry, l1, &[], pool.tru(), &[pool.int(0)]);
    edge(&mut p, l1, l2, &[], pool.tru(), &[pool.add2(x, one)]);
    edge(&mut p, l2, error, &[], pool.eq(x, one), &[]);
    edge(&mut p, l2, l3, &[], pool.not(pool.eq(x, one)), &[x]);
    p
}

#[test]
fn straight_line_reaches_the_error() {
    let pool = TermPool::new();
    let p = straight_line(&pool);
    for engine in [&PdrCfgEngine as &dyn Engine, &Ic3CfaEngine] {
        let (safe, record) = verdict(engine, &pool, &p, paper(engine));
        assert!(!safe);
        let edges: Vec<u32> = record.counterexample.expect("a counterexample").iter().map(|e| e.0).collect();
        assert_eq!(edges, [0, 1, 2], "l0 -> l1 -> l2 -> error");
    }
}

/// A Boolean transition system with its relation as a guard over next-state inputs.
fn boolean(
    pool: &TermPool,
    n: usize,
    init: &[bool],
    trans: impl Fn(&[Term], &[Term]) -> Term,
    bad: impl Fn(&[Term]) -> Term,
) -> Program {
    let x: Vec<Term> = (1..=n).map(|i| pool.var(&format!("x{i}"), Sort::Bool)).collect();
    let next: Vec<Term> = (1..=n).map(|i| pool.var(&format!("n{i}"), Sort::Bool)).collect();
    let mut p = Program::new();
    let l = location(&mut p, "loop", &x);
    let (entry, error) = (p.entry, p.error);
    let values: Vec<Term> = init.iter().map(|&b| pool.bool(b)).collect();
    edge(&mut p, entry, l, &[], pool.tru(), &values);
    edge(&mut p, l, l, &next, trans(&x, &next), &next);
    edge(&mut p, l, error, &[], bad(&x), &[]);
    p
}

fn clauses(pool: &TermPool, x: &[Term], next: &[Term], cnf: &[&[i32]]) -> Term {
    // 1..=n: current, 11..: next; negative: negated.
    let lit = |i: &i32| {
        let k = i.unsigned_abs() as usize;
        let v = if k > 10 { next[k - 11] } else { x[k - 1] };
        if *i < 0 { pool.not(v) } else { v }
    };
    pool.and(cnf.iter().map(|c| pool.or(c.iter().map(lit))))
}

fn states(record: &Recorder) -> Option<usize> {
    record.counterexample.as_ref().map(Vec::len)
}

#[test]
fn werners_shift_register_fails_in_three_steps() {
    let pool = TermPool::new();
    let p = boolean(
        &pool,
        3,
        &[false, false, false],
        |x, n| clauses(&pool, x, n, &[&[1, -12], &[-1, 12], &[2, -13], &[-2, 13]]),
        |x| pool.and(x.iter().copied()),
    );
    for engine in [&PdrCfgEngine as &dyn Engine, &Ic3CfaEngine] {
        let (safe, record) = verdict(engine, &pool, &p, paper(engine));
        assert!(!safe);
        // 000 -> 100 -> 110 -> 111: entry, three steps, error.
        assert_eq!(states(&record), Some(5));
    }
}

#[test]
fn werners_passing_system_is_safe() {
    let pool = TermPool::new();
    let p = boolean(
        &pool,
        2,
        &[false, false],
        |x, n| clauses(&pool, x, n, &[&[1, -2, 12], &[1, 2, -11], &[-1, 11], &[-1, -12], &[2, -12]]),
        |x| pool.and([x[0], pool.not(x[1])]),
    );
    for engine in [&PdrCfgEngine as &dyn Engine, &Ic3CfaEngine] {
        assert!(verdict(engine, &pool, &p, paper(engine)).0);
    }
}

/// Somenzi and Bradley, "IC3: Where Monolithic and Incremental Meet" (2011), section II: `x, y` from `1, 1`;
/// `x' = x + 1, y' = y + x`; always `y >= 1`.
#[test]
fn bradleys_two_variables() {
    let pool = TermPool::new();
    let (x, y) = (pool.var("x", Sort::Int), pool.var("y", Sort::Int));
    let mut p = Program::new();
    let l = location(&mut p, "loop", &[x, y]);
    let (entry, error) = (p.entry, p.error);
    let one = pool.int(1);
    edge(&mut p, entry, l, &[], pool.tru(), &[one, one]);
    edge(&mut p, l, l, &[], pool.tru(), &[pool.add2(x, one), pool.add2(y, x)]);
    edge(&mut p, l, error, &[], pool.lt(y, one), &[]);
    assert!(verdict(&Ic3CfaEngine, &pool, &p, &[]).0);
}

/// `while (*) { x++; y++; } while (x > 0) { x--; y--; } assert(y > -1)` from `x = y = 0`.
#[test]
fn up_and_down() {
    let pool = TermPool::new();
    let (x, y) = (pool.var("x", Sort::Int), pool.var("y", Sort::Int));
    let mut p = Program::new();
    let up = location(&mut p, "up", &[x, y]);
    let down = location(&mut p, "down", &[x, y]);
    let (entry, error) = (p.entry, p.error);
    let (zero, one) = (pool.int(0), pool.int(1));
    edge(&mut p, entry, up, &[], pool.tru(), &[zero, zero]);
    edge(&mut p, up, up, &[], pool.tru(), &[pool.add2(x, one), pool.add2(y, one)]);
    edge(&mut p, up, down, &[], pool.tru(), &[x, y]);
    edge(&mut p, down, down, &[], pool.gt(x, zero), &[pool.sub(x, one), pool.sub(y, one)]);
    edge(&mut p, down, error, &[], pool.and([pool.le(x, zero), pool.le(y, pool.int(-1))]), &[]);
    assert!(verdict(&Ic3CfaEngine, &pool, &p, &[]).0);
}
