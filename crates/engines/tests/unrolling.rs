//! `bmc` and `kind`: worked examples. Random finite programs: `crates/verify/tests/random.rs`.

mod common;

use common::{Native, Recorder, edge, location, verdict};
use palisade_engines::bmc::Bmc;
use palisade_engines::kind::Kind;
use palisade_engines::{Budget, Engine, Event, Observer, Options, Outcome, Reason, Stop, Task};
use palisade_program::Program;
use palisade_term::{Sort, Term, TermPool};

/// Ends a run that goes on to too large a bound.
struct Impatient(Budget, u32);

impl Observer for Impatient {
    fn event(&mut self, event: Event<'_>) {
        if matches!(event, Event::Bound(k) if k >= self.1) {
            self.0.stop(Stop::Timeout);
        }
    }
}

fn run(engine: &dyn Engine, pool: &TermPool, program: &Program, set: &[(&str, &str)]) -> Outcome {
    let mut options = Options::new();
    for (name, value) in set {
        options.set(name, value).unwrap();
    }
    let budget = Budget::unlimited();
    let mut observer = Impatient(budget.clone(), 24);
    engine.run(&Task { pool, program, solvers: &Native, options: &options }, &budget, &mut observer)
}

/// `x = 0; while (x < n) x += step; assert(x != bad)`, with `x` an integer.
fn counter(pool: &TermPool, n: i64, step: i64, bad: i64) -> Program {
    let x = pool.var("x", Sort::Int);
    let mut p = Program::new();
    let head = location(&mut p, "head", &[x]);
    let (entry, error) = (p.entry, p.error);
    edge(&mut p, entry, head, &[], pool.tru(), &[pool.int(0)]);
    edge(&mut p, head, head, &[], pool.lt(x, pool.int(n)), &[pool.add2(x, pool.int(step))]);
    let done = pool.ge(x, pool.int(n));
    edge(&mut p, head, error, &[], pool.and2(done, pool.eq(x, pool.int(bad))), &[]);
    p
}

#[test]
fn bmc_finds_a_shortest_run() {
    let pool = TermPool::new();
    for n in [1, 5, 40] {
        let (safe, recorder) = verdict(&Bmc, &pool, &counter(&pool, n, 1, n), &[]);
        assert!(!safe);
        assert_eq!(recorder.counterexample.unwrap().len() as i64, n + 2);
    }
}

#[test]
fn bmc_stops_at_its_bound_with_what_it_knows() {
    let pool = TermPool::new();
    let program = counter(&pool, 100, 1, 100);
    let Outcome::Unknown(Reason::Incomplete(_), partial) = run(&Bmc, &pool, &program, &[("bmc.bound", "20")])
    else {
        panic!("101 steps are needed")
    };
    assert_eq!(partial.safe_bound, Some(20));
}

#[test]
fn bmc_proves_a_program_whose_runs_all_end_by_their_values() {
    let pool = TermPool::new();
    assert!(verdict(&Bmc, &pool, &counter(&pool, 10, 1, 11), &[]).0);
}

#[test]
fn bmc_proves_a_program_whose_runs_all_end_by_their_length() {
    let pool = TermPool::new();
    let program = counter(&pool, 10, 1, 11);
    let few = [("values.states", "5")];
    let outcome = run(&Bmc, &pool, &program, &few);
    assert!(matches!(outcome, Outcome::Ends(12)), "{outcome:?}");
    assert!(verdict(&Bmc, &pool, &program, &few).0);
}

/// `x = 0; for (i = 0; i < n; i++) for (j = 0; j < m; j++) x++; assert(x != bad)`, with inputs that end the
/// inner loop early; words.
fn nested(pool: &TermPool, n: u32, m: u32, bad: u32) -> Program {
    let var = |name| pool.var(name, Sort::BitVec(8));
    let (x, i, j) = (var("x"), var("i"), var("j"));
    let leave = pool.var("leave", Sort::Bool);
    let bv = |n: u32| pool.bitvec(n, 8);
    let next = |t: Term| pool.bv_add(t, bv(1));
    let mut p = Program::new();
    let (entry, error) = (p.entry, p.error);
    let outer = location(&mut p, "outer", &[x, i]);
    let inner = location(&mut p, "inner", &[x, i, j]);
    edge(&mut p, entry, outer, &[], pool.tru(), &[bv(0), bv(0)]);
    edge(&mut p, outer, inner, &[], pool.bv_ult(i, bv(n)), &[x, i, bv(0)]);
    let more = pool.and2(pool.bv_ult(j, bv(m)), pool.not(leave));
    edge(&mut p, inner, inner, &[leave], more, &[next(x), i, next(j)]);
    let stop = pool.or2(pool.not(pool.bv_ult(j, bv(m))), leave);
    edge(&mut p, inner, outer, &[leave], stop, &[x, next(i)]);
    let done = pool.not(pool.bv_ult(i, bv(n)));
    edge(&mut p, outer, error, &[], pool.and2(done, pool.eq(x, bv(bad))), &[]);
    p
}

#[test]
fn loops_are_unwound_one_after_the_other() {
    let pool = TermPool::new();
    let loops = [("bmc.order", "loops"), ("bmc.backend", "smt")];
    let outcome = run(&Bmc, &pool, &nested(&pool, 5, 3, 16), &loops);
    assert!(matches!(outcome, Outcome::Ends(5)), "the outer loop is come back to five times: {outcome:?}");
    assert!(verdict(&Bmc, &pool, &nested(&pool, 5, 3, 16), &loops).0);
    let (safe, recorder) = verdict(&Bmc, &pool, &nested(&pool, 5, 3, 15), &loops);
    assert!(!safe);
    // All rounds of both loops.
    assert_eq!(recorder.counterexample.unwrap().len(), 1 + 5 * (1 + 3 + 1) + 1);
}

/// A jump into a loop beside its head: the head is come to in the second round only.
#[test]
fn loops_may_be_entered_in_two_places() {
    let pool = TermPool::new();
    let (x, side) = (pool.var("x", Sort::BitVec(8)), pool.var("side", Sort::Bool));
    let bv = |n: u32| pool.bitvec(n, 8);
    for (bad, expected) in [(5, true), (4, false)] {
        let mut p = Program::new();
        let (entry, error) = (p.entry, p.error);
        let (head, body) = (location(&mut p, "head", &[x]), location(&mut p, "body", &[x]));
        edge(&mut p, entry, head, &[side], side, &[bv(0)]);
        edge(&mut p, entry, body, &[side], pool.not(side), &[bv(1)]);
        edge(&mut p, head, body, &[], pool.bv_ult(x, bv(4)), &[pool.bv_add(x, bv(1))]);
        edge(&mut p, body, head, &[], pool.tru(), &[pool.bv_add(x, bv(1))]);
        let done = pool.not(pool.bv_ult(x, bv(4)));
        let bad = pool.eq(x, bv(bad));
        edge(&mut p, head, error, &[], pool.and2(done, bad), &[]);
        let loops = [("bmc.order", "loops"), ("bmc.backend", "smt")];
        assert_eq!(verdict(&Bmc, &pool, &p, &loops).0, expected);
    }
}

/// No loops: two inputs are clamped, their sum is in range.
#[test]
fn bmc_proves_programs_without_loops() {
    let pool = TermPool::new();
    let (x, y, i) = (pool.var("x", Sort::Int), pool.var("y", Sort::Int), pool.var("i", Sort::Int));
    let mut p = Program::new();
    let (entry, error) = (p.entry, p.error);
    let one = location(&mut p, "one", &[x]);
    let two = location(&mut p, "two", &[x, y]);
    let three = location(&mut p, "three", &[x]);
    let range = |t: Term| pool.and([pool.ge(t, pool.int(0)), pool.le(t, pool.int(9))]);
    edge(&mut p, entry, one, &[i], range(i), &[i]);
    edge(&mut p, one, two, &[i], range(i), &[x, i]);
    edge(&mut p, one, three, &[], pool.gt(x, pool.int(4)), &[x]);
    edge(&mut p, two, three, &[], pool.tru(), &[pool.add2(x, y)]);
    let bad = edge(&mut p, three, error, &[], pool.gt(x, pool.int(18)), &[]);
    assert!(verdict(&Bmc, &pool, &p, &[]).0);
    assert!(verdict(&Kind, &pool, &p, &[]).0);
    p.edges[bad.index()].guard = pool.gt(x, pool.int(17));
    assert!(!verdict(&Bmc, &pool, &p, &[]).0);
    assert!(!verdict(&Kind, &pool, &p, &[]).0);
}

fn fixpoint(recorder: &Recorder) -> u32 {
    recorder.fixpoint.expect("a proof by induction")
}

/// `a = 1, b = 2, c = 3; loop (a, b, c) = (b, c, a); assert(a != 4)` needs k = 3.
#[test]
fn kind_proves_what_is_inductive_over_some_steps() {
    let pool = TermPool::new();
    let v: Vec<Term> = ["a", "b", "c"].iter().map(|n| pool.var(n, Sort::Int)).collect();
    let mut p = Program::new();
    let (entry, error) = (p.entry, p.error);
    let head = location(&mut p, "head", &v);
    edge(&mut p, entry, head, &[], pool.tru(), &[pool.int(1), pool.int(2), pool.int(3)]);
    edge(&mut p, head, head, &[], pool.tru(), &[v[1], v[2], v[0]]);
    edge(&mut p, head, error, &[], pool.eq(v[0], pool.int(4)), &[]);
    let (safe, recorder) = verdict(&Kind, &pool, &p, &[]);
    assert!(safe);
    assert_eq!(fixpoint(&recorder), 3);
}

/// A property that is not k-inductive for any k, because of a loop among unreachable states; the simple-path
/// restriction excludes that loop.
#[test]
fn kind_needs_simple_paths_for_loops_among_unreachable_states() {
    let pool = TermPool::new();
    let x = pool.var("x", Sort::BitVec(2));
    let go = pool.var("go", Sort::Bool);
    let bv = |n: u32| pool.bitvec(n, 2);
    let mut p = Program::new();
    let (entry, error) = (p.entry, p.error);
    let head = location(&mut p, "head", &[x]);
    edge(&mut p, entry, head, &[], pool.tru(), &[bv(0)]);
    edge(&mut p, head, head, &[], pool.eq(x, bv(0)), &[bv(0)]);
    // Unreachable: 1 stays 1 for as long as it likes, then goes on to 2.
    edge(&mut p, head, head, &[go], pool.eq(x, bv(1)), &[pool.ite(go, bv(2), bv(1))]);
    edge(&mut p, head, error, &[], pool.eq(x, bv(2)), &[]);
    let smt = ("kind.backend", "smt");
    let (safe, recorder) = verdict(&Kind, &pool, &p, &[smt, ("kind.simple-path", "true")]);
    assert!(safe);
    assert_eq!(fixpoint(&recorder), 2);
    // Without the restriction the step case fails for ever: the run goes on until it is stopped.
    assert!(matches!(run(&Kind, &pool, &p, &[smt]), Outcome::Unknown(Reason::Stopped(_), _)));
    // On the SAT core, where finite programs with one loop go, the restriction is on by default.
    let (safe, _) = verdict(&Kind, &pool, &p, &[]);
    assert!(safe);
    let without = [("kind.simple-path", "false")];
    assert!(matches!(run(&Kind, &pool, &p, &without), Outcome::Unknown(Reason::Stopped(_), _)));
}
