//! Execution of a program that has one run only, of any shape: the inputs that transformations add are
//! choices between paths, and are searched for.

#![allow(dead_code)] // not every test file needs it

use palisade_program::{EdgeId, Program, Run, State, Step, take};
use palisade_term::eval::Evaluator;
use palisade_term::{Assignment, Sort, TermPool, Value};

/// Choices of one step that are tried, as bits.
const BITS: usize = 12;

/// The run to the error. `None`: a step has more choices than are tried, and none of those that were can be
/// taken.
pub fn to_error(pool: &TermPool, program: &Program) -> Result<Option<Run>, String> {
    let outgoing = program.outgoing();
    let initial: State =
        program.vars(program.entry).iter().map(|&v| Value::default_of(pool.sort(v))).collect();
    let (mut at, mut state) = (program.entry, initial.clone());
    let mut run = Run { initial, steps: Vec::new() };
    for _ in 0..200_000 {
        if at == program.error {
            return Ok(Some(run));
        }
        let name = &program.location(at).name;
        // Most edges are out of the question, and one evaluator for all of them knows.
        let assignment: Assignment = program.vars(at).iter().copied().zip(state.iter().cloned()).collect();
        let mut evaluator = Evaluator::new(pool, &assignment);
        let mut found = Vec::new();
        for &e in &outgoing[at.index()] {
            let edge = program.edge(e);
            let has_choice = edge.inputs.iter().any(|&i| *pool.sort(i) == Sort::Bool);
            if has_choice || evaluator.holds(edge.guard) {
                found.extend(enabled(pool, program, &state, e));
            }
        }
        if found.len() > 1 {
            return Err(format!("several ways on from {name}"));
        }
        let Some((step, after)) = found.pop() else {
            let all_tried = outgoing[at.index()].iter().all(|&e| choices(pool, program, e).len() <= BITS);
            return if all_tried { Err(format!("no way on from {name}")) } else { Ok(None) };
        };
        at = program.edge(step.edge).target;
        run.steps.push(step);
        state = after;
    }
    Err("too many steps".into())
}

/// The inputs of an edge that are choices.
fn choices(pool: &TermPool, program: &Program, e: EdgeId) -> Vec<usize> {
    let inputs = &program.edge(e).inputs;
    (0..inputs.len()).filter(|&i| *pool.sort(inputs[i]) == Sort::Bool).collect()
}

/// The edge with choices under which it can be taken, and the state behind it.
fn enabled(pool: &TermPool, program: &Program, state: &State, e: EdgeId) -> Option<(Step, State)> {
    let inputs = &program.edge(e).inputs;
    let choices = choices(pool, program, e);
    let tries = 1u32 << choices.len().min(BITS);
    let mut values: Vec<Value> = inputs.iter().map(|&i| Value::default_of(pool.sort(i))).collect();
    (0..tries).find_map(|code| {
        for (bit, &i) in choices.iter().enumerate() {
            values[i] = Value::Bool(code >> bit & 1 == 1);
        }
        let after = take(pool, program, state, e, &values)?;
        Some((Step { edge: e, inputs: values.clone() }, after))
    })
}
