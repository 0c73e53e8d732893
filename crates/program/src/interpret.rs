//! Runs and their interpreter: executes a program under given inputs, with exact values.

use std::fmt;

use palisade_term::{Assignment, Term, TermPool, Value, eval::Evaluator};

use crate::{EdgeId, Loc, Program};

/// The values of a location's variables, in the order of [`crate::Location::vars`].
pub type State = Vec<Value>;

/// One step of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The edge taken.
    pub edge: EdgeId,
    /// The values of its inputs, in the order of [`crate::Edge::inputs`].
    pub inputs: Vec<Value>,
}

/// A run: initial values of the entry's variables, then steps. States in between follow by execution.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Run {
    /// The values of the entry location's variables.
    pub initial: State,
    /// The steps.
    pub steps: Vec<Step>,
}

/// A run as executed: the location and state before every step, and at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replay {
    /// Locations with their states, one more than there are steps.
    pub states: Vec<(Loc, State)>,
}

/// Why a run does not execute.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReplayError {
    /// The initial state has the wrong number or sorts of values.
    Initial,
    /// The step's edge does not exist or does not start where the run is.
    WrongSource {
        /// The step's index.
        step: usize,
    },
    /// The step's inputs have the wrong number or sorts.
    WrongInputs {
        /// The step's index.
        step: usize,
    },
    /// The edge's guard is false.
    GuardFalse {
        /// The step's index.
        step: usize,
    },
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ReplayError::Initial => write!(f, "the initial state does not fit the entry location"),
            ReplayError::WrongSource { step } => write!(f, "step {step} does not start where the run is"),
            ReplayError::WrongInputs { step } => write!(f, "the inputs of step {step} do not fit its edge"),
            ReplayError::GuardFalse { step } => write!(f, "the guard of step {step} is false"),
        }
    }
}

impl std::error::Error for ReplayError {}

fn fits(pool: &TermPool, vars: &[Term], values: &[Value]) -> bool {
    vars.len() == values.len() && vars.iter().zip(values).all(|(&v, x)| *pool.sort(v) == x.sort())
}

/// Takes one edge from a state: the next state, or `None` when the guard is false.
pub fn take(
    pool: &TermPool,
    program: &Program,
    state: &State,
    edge: EdgeId,
    inputs: &[Value],
) -> Option<State> {
    let e = program.edge(edge);
    let mut values = program.vars(e.source).iter().copied().zip(state.iter().cloned()).collect();
    step(pool, program, &mut values, edge, inputs)
}

/// The same with the values of variables, which are those of the next state afterwards. Only what the edge
/// changes is written, since runs may have millions of steps.
fn step(
    pool: &TermPool,
    program: &Program,
    values: &mut Assignment,
    edge: EdgeId,
    inputs: &[Value],
) -> Option<State> {
    let e = program.edge(edge);
    e.inputs.iter().zip(inputs).for_each(|(&v, x)| values.set(v, x.clone()));
    let mut ev = Evaluator::new(pool, values);
    if !ev.holds(e.guard) {
        return None;
    }
    let next: State = e.update.iter().map(|&u| ev.eval(u)).collect();
    let changes = program.vars(e.target).iter().zip(&e.update).zip(&next).filter(|((v, u), _)| v != u);
    changes.for_each(|((&v, _), x)| values.set(v, x.clone()));
    Some(next)
}

/// Executes a run from the entry location.
pub fn interpret(pool: &TermPool, program: &Program, run: &Run) -> Result<Replay, ReplayError> {
    if !fits(pool, program.vars(program.entry), &run.initial) {
        return Err(ReplayError::Initial);
    }
    let mut values = program.vars(program.entry).iter().copied().zip(run.initial.iter().cloned()).collect();
    let mut states = vec![(program.entry, run.initial.clone())];
    for (i, step) in run.steps.iter().enumerate() {
        let loc = states.last().expect("never empty").0;
        let known = step.edge.index() < program.edges.len();
        if !known || program.edge(step.edge).source != loc {
            return Err(ReplayError::WrongSource { step: i });
        }
        if !fits(pool, &program.edge(step.edge).inputs, &step.inputs) {
            return Err(ReplayError::WrongInputs { step: i });
        }
        let next = self::step(pool, program, &mut values, step.edge, &step.inputs)
            .ok_or(ReplayError::GuardFalse { step: i })?;
        states.push((program.edge(step.edge).target, next));
    }
    Ok(Replay { states })
}
