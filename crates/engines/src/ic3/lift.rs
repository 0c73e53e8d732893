//! Lifting: from a state to the part of it that a step depends on.
//!
//! After Birgmeier, "Software Verification with IC3 via Abstraction and Interpolation" (master's thesis, TU
//! Wien 2013), section 3.2. A state `t` has the step into `s`; the core of `t and T and not s'` says which
//! values of `t` matter. A lifted state is a cube of equations `variable = value`, and all its states have
//! the step.
//!
//! What the step assigns without determination is an input of the edge here. The inputs are fixed to their
//! values in the model. For a variable that takes the value of an input this drops its equation from `s`, as
//! in the thesis; where guards read inputs, it keeps the choice of the model.
//!
//! Entry points: [`lifted`]; [`lifted_run`] for every state of a run.

use palisade_program::{EdgeId, Replay, Run};
use palisade_smt::Answer;
use palisade_term::eval::Evaluator;
use palisade_term::{Assignment, Term, Value};

use crate::{Budget, Task};

/// Solver steps of a query about a run that is only told.
const MAX_STEPS: u64 = 2_000;

/// The equations of a state: one for each variable.
pub fn state(task: &Task<'_>, variables: &[Term], model: &Assignment) -> Vec<Term> {
    let pool = task.pool;
    let value = |v: Term| model.get(v).cloned().unwrap_or_else(|| Value::default_of(pool.sort(v)));
    variables.iter().map(|&v| pool.eq(v, value(v).to_term(pool))).collect()
}

/// The equations of the model's state before the edge that the step into the cube needs.
pub fn lifted(task: &Task<'_>, budget: &Budget, e: EdgeId, model: &Assignment, cube: &[Term]) -> Vec<Term> {
    lifted_within(task, budget, None, e, model, cube)
}

/// The same with a limit of solver steps for each query; what is not decided within it stays.
fn lifted_within(
    task: &Task<'_>,
    budget: &Budget,
    steps: Option<u64>,
    e: EdgeId,
    model: &Assignment,
    cube: &[Term],
) -> Vec<Term> {
    let Task { pool, program, .. } = *task;
    let edge = program.edge(e);
    let state_before = state(task, program.vars(edge.source), model);
    let mut solver = task.solver(budget, steps);
    for fixed in state(task, &edge.inputs, model) {
        solver.assert(fixed);
    }
    solver.assert(pool.not(program.pre(pool, e, pool.and(cube.iter().copied()))));
    match solver.check(&state_before) {
        Answer::Unsat(core) => solver.minimize_core(&[], &core),
        // The model has the step, so this can only be an undecided query: keep the whole state.
        _ => state_before,
    }
}

/// What matters of each state of a run, from the first to the one before the last step: with these values,
/// and the inputs of the run, every state goes the same way.
pub fn lifted_run(task: &Task<'_>, budget: &Budget, run: &Run, replay: &Replay) -> Vec<Vec<Term>> {
    let program = task.program;
    let mut cube = Vec::new();
    let mut out: Vec<Vec<Term>> = Vec::with_capacity(run.steps.len());
    for (step, (l, values)) in run.steps.iter().zip(&replay.states).rev() {
        let inputs = program.edge(step.edge).inputs.iter().zip(&step.inputs);
        let model = program.vars(*l).iter().zip(values).chain(inputs);
        let model: Assignment = model.map(|(&v, value)| (v, value.clone())).collect();
        cube = lifted_within(task, budget, Some(MAX_STEPS), step.edge, &model, &cube);
        out.push(cube.clone());
    }
    out.reverse();
    out
}

/// The state after the step of a model.
pub fn successor(task: &Task<'_>, e: EdgeId, model: &Assignment) -> Assignment {
    let Task { pool, program, .. } = *task;
    let edge = program.edge(e);
    let mut before = Evaluator::new(pool, model);
    program.vars(edge.target).iter().copied().zip(edge.update.iter().map(|&u| before.eval(u))).collect()
}
