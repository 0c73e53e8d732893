//! Walks: executions that reach an error behind a long loop.

mod common;

use common::{Native, edge, location};
use palisade_engines::walk::walk;
use palisade_engines::{Budget, Options, Task};
use palisade_program::{Program, Run, State, take};
use palisade_term::{Sort, TermPool, Value};

fn search(pool: &TermPool, program: &Program, steps: usize) -> Option<Run> {
    let options = Options::new();
    walk(&Task { pool, program, solvers: &Native, options: &options }, &Budget::unlimited(), steps)
}

/// Replays a run; true if it ends at the error location.
fn reaches_error(pool: &TermPool, program: &Program, run: &Run) -> bool {
    let mut at = program.entry;
    let mut state: State = run.initial.clone();
    for step in &run.steps {
        assert_eq!(program.edge(step.edge).source, at);
        state = take(pool, program, &state, step.edge, &step.inputs).expect("the edge is enabled");
        at = program.edge(step.edge).target;
    }
    at == program.error
}

/// `x = 0; while (x < n) x++; error`.
fn long_loop(pool: &TermPool, n: i64) -> Program {
    let x = pool.var("x", Sort::Int);
    let mut p = Program::new();
    let head = location(&mut p, "head", &[x]);
    let (entry, error) = (p.entry, p.error);
    edge(&mut p, entry, head, &[], pool.tru(), &[pool.int(0)]);
    edge(&mut p, head, head, &[], pool.lt(x, pool.int(n)), &[pool.add2(x, pool.int(1))]);
    edge(&mut p, head, error, &[], pool.ge(x, pool.int(n)), &[]);
    p
}

#[test]
fn a_long_loop_is_run_through() {
    let pool = TermPool::new();
    let program = long_loop(&pool, 5_000);
    let run = search(&pool, &program, 11_000).expect("the error is 5002 steps away");
    assert_eq!(run.steps.len(), 5_002);
    assert!(reaches_error(&pool, &program, &run));
}

#[test]
fn the_effort_is_kept() {
    let pool = TermPool::new();
    assert!(search(&pool, &long_loop(&pool, 5_000), 9_000).is_none());
}

/// Inputs that no guess would hit come from the solver.
#[test]
fn inputs_are_solved_for() {
    let pool = TermPool::new();
    let [x, i] = ["x", "i"].map(|n| pool.var(n, Sort::Int));
    let mut p = Program::new();
    let head = location(&mut p, "head", &[x]);
    let (entry, error) = (p.entry, p.error);
    edge(&mut p, entry, head, &[], pool.tru(), &[pool.int(0)]);
    let key = pool.eq(i, pool.add2(pool.mul(pool.int(3), x), pool.int(123_457)));
    edge(&mut p, head, head, &[i], pool.and2(key, pool.lt(x, pool.int(50))), &[pool.add2(x, pool.int(1))]);
    edge(&mut p, head, error, &[], pool.ge(x, pool.int(50)), &[]);
    let run = search(&pool, &p, 5_000).expect("51 steps and their inputs");
    assert!(reaches_error(&pool, &p, &run));
    assert_eq!(run.steps[2].inputs, [Value::Int(123_460.into())]);
}
