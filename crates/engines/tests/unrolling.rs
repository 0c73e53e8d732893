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
