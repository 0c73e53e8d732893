//! Deterministic execution of a translated program: nondeterministic functions return given values.

use std::collections::HashMap;

use palisade_front_c::CProgram;
use palisade_program::{Loc, Property, Run, Step, take};
use palisade_term::{Sort, TermPool, Value};

/// How a run ended.
#[derive(Debug, PartialEq, Eq)]
pub enum End {
    /// The program ended.
    Exit,
    /// The named property was violated.
    Error(Property),
    /// No edge could be taken (undefined behaviour was cut off), at the named location.
    Stuck(String),
    /// More than one edge could be taken: the translation is wrong.
    Ambiguous(String),
    /// Too many steps.
    Endless,
}

fn value(sort: &Sort, v: i128) -> Value {
    match sort {
        Sort::Bool => Value::Bool(v != 0),
        Sort::Int => Value::Int(v.into()),
        Sort::BitVec(w) => Value::BitVec(*w, (v & ((1i128 << w) - 1)).into()),
        other => Value::default_of(other),
    }
}

#[allow(dead_code)] // not every test file needs it
/// Runs the program; `next(function, k)` is the k-th value of a function. Returns the end and how often each
/// function was asked.
pub fn execute(
    pool: &TermPool,
    c: &CProgram,
    next: impl FnMut(&str, usize) -> i128,
) -> (End, HashMap<String, usize>) {
    let (end, asked, _) = walk(pool, c, 0, next);
    (end, asked)
}

#[allow(dead_code)] // not every test file needs it
/// The same, where everything that is arbitrary without a call (uninitialised variables) has this value.
pub fn execute_filled(pool: &TermPool, c: &CProgram, filler: i128) -> (End, HashMap<String, usize>) {
    let (end, asked, _) = walk(pool, c, filler, |_, _| 0);
    (end, asked)
}

/// Runs the program and returns the steps.
#[allow(dead_code)] // not every test file needs it
pub fn execute_run(pool: &TermPool, c: &CProgram, next: impl FnMut(&str, usize) -> i128) -> Run {
    walk(pool, c, 0, next).2
}

fn walk(
    pool: &TermPool,
    c: &CProgram,
    filler: i128,
    mut next: impl FnMut(&str, usize) -> i128,
) -> (End, HashMap<String, usize>, Run) {
    let mut run = Run::default();
    let program = &c.program;
    let outgoing = program.outgoing();
    let mut asked: HashMap<String, usize> = HashMap::new();
    let mut at: Loc = program.entry;
    let mut state = Vec::new();
    for _ in 0..200_000 {
        if program.location(at).name == "exit" {
            return (End::Exit, asked, run);
        }
        let mut taken = None;
        for &e in &outgoing[at.index()] {
            let edge = program.edge(e);
            let mut inputs: Vec<Value> = edge.inputs.iter().map(|&i| value(pool.sort(i), filler)).collect();
            let mut local = asked.clone();
            for n in c.calls.on(e) {
                let count = local.entry(n.function.clone()).or_default();
                if let Some(i) = n.input {
                    inputs[i] = value(pool.sort(edge.inputs[i]), next(&n.function, *count));
                }
                *count += 1;
            }
            if let Some(after) = take(pool, program, &state, e, &inputs) {
                if taken.is_some() {
                    return (End::Ambiguous(program.location(at).name.clone()), asked, run);
                }
                taken = Some((e, after, local, inputs));
            }
        }
        let Some((e, after, local, inputs)) = taken else {
            return (End::Stuck(program.location(at).name.clone()), asked, run);
        };
        asked = local;
        run.steps.push(Step { edge: e, inputs });
        let edge = program.edge(e);
        if edge.target == program.error {
            return (
                End::Error(
                    edge.origin.property.clone().expect("an edge into the error location has a property"),
                ),
                asked,
                run,
            );
        }
        at = edge.target;
        state = after;
    }
    (End::Endless, asked, run)
}
