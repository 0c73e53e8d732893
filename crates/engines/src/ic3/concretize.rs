//! From a chain of obligations to a run: one small query per step fixes the inputs.
//!
//! Every obligation's states have, for some inputs, the edge into the next obligation; starting from any
//! state of the first cube and asking for such inputs at each step gives a run to the error location. The
//! result is executed while it is built and will be replayed by the checker.

use palisade_program::{Run, Step, take};
use palisade_smt::Answer;
use palisade_term::{Assignment, Term, TermPool, Value};
use rustc_hash::FxHashMap;

use super::obligations::{ObligationId, Obligations};
use crate::{Budget, Event, Observer, Reason, Task};

/// The run of a chain that starts at the entry location.
pub fn concretize<X>(
    task: &Task<'_>,
    budget: &Budget,
    obligations: &Obligations<Term, X>,
    start: ObligationId,
    observer: &mut dyn Observer,
) -> Result<Run, Reason> {
    let (pool, program) = (task.pool, task.program);
    let chain = obligations.chain(start);
    let edges: Vec<_> = chain.iter().map(|(e, _)| *e).collect();
    observer.event(Event::Counterexample(&edges));
    let stuck = || Reason::Incomplete("a path to the error could not be made concrete".into());
    let first = pool.and(obligations.get(start).cube.iter().copied());
    let model = solve(task, budget, first).ok_or_else(stuck)?;
    let mut state = values(pool, program.vars(program.entry), &model);
    let mut run = Run { initial: state.clone(), steps: Vec::new() };
    for (e, next) in chain {
        let edge = program.edge(e);
        let post = pool.and(obligations.get(next).cube.iter().copied());
        let pre = program.pre(pool, e, post);
        let known: FxHashMap<Term, Term> =
            program.vars(edge.source).iter().copied().zip(state.iter().map(|v| v.to_term(pool))).collect();
        let model = solve(task, budget, pool.substitute(pre, &known)).ok_or_else(stuck)?;
        let inputs = values(pool, &edge.inputs, &model);
        state = take(pool, program, &state, e, &inputs).ok_or_else(stuck)?;
        run.steps.push(Step { edge: e, inputs });
    }
    Ok(run)
}

fn solve(task: &Task<'_>, budget: &Budget, formula: Term) -> Option<Assignment> {
    let mut solver = task.solver(budget, None);
    solver.assert(formula);
    match solver.check(&[]) {
        Answer::Sat(model) => Some(model),
        _ => None,
    }
}

fn values(pool: &TermPool, vars: &[Term], model: &Assignment) -> Vec<Value> {
    let get = |v: &Term| model.get(*v).cloned().unwrap_or_else(|| Value::default_of(pool.sort(*v)));
    vars.iter().map(get).collect()
}
