//! Circuits: a graph with primary inputs, latches, bad states and constraints; and their runs.

use std::fmt;

use crate::graph::{Aig, Lit};
use crate::simulate::Simulator;

/// A register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Latch {
    /// Its current value: a leaf, not negated.
    pub lit: Lit,
    /// Its value in the next step.
    pub next: Lit,
    /// Its value in the first step; `None` if that may be either.
    pub reset: Option<bool>,
}

/// A transition system: the head of the crate says what its runs are.
#[derive(Clone, Debug, Default)]
pub struct Circuit {
    /// The gates.
    pub aig: Aig,
    /// The primary inputs: leaves, not negated.
    pub inputs: Vec<Lit>,
    /// The latches. Every leaf is an input or a latch.
    pub latches: Vec<Latch>,
    /// The property is violated when one of these is true.
    pub bads: Vec<Lit>,
    /// What is true in every step of every run.
    pub constraints: Vec<Lit>,
    /// Functions of latches that may occur in invariants beside the latches: a hint for engines, of no matter
    /// for what the runs are.
    pub watched: Vec<Lit>,
    /// Names of the inputs, as far as the file gives them; may be shorter than `inputs`.
    pub input_names: Vec<Option<String>>,
    /// Names of the latches likewise.
    pub latch_names: Vec<Option<String>>,
}

/// A run of a circuit.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Trace {
    /// The first state: a value for each latch.
    pub initial: Vec<bool>,
    /// For each step a value for each input. The property is violated in the last step.
    pub inputs: Vec<Vec<bool>>,
}

/// Why a run does not show a violation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadTrace {
    /// It has no step, or the wrong number of values.
    Shape,
    /// The first state is not one that the resets allow; the latch.
    Initial(usize),
    /// A constraint is false; the step.
    Constraint(usize),
    /// No bad literal is true in the last step.
    NotBad,
}

impl fmt::Display for BadTrace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BadTrace::Shape => write!(f, "the run does not fit the circuit"),
            BadTrace::Initial(l) => write!(f, "latch {l} does not start with its reset value"),
            BadTrace::Constraint(s) => write!(f, "a constraint is false in step {s}"),
            BadTrace::NotBad => write!(f, "no bad state is reached in the last step"),
        }
    }
}

impl std::error::Error for BadTrace {}

impl Circuit {
    /// A new primary input.
    pub fn add_input(&mut self) -> Lit {
        let l = self.aig.leaf();
        self.inputs.push(l);
        l
    }

    /// A new latch that keeps its value; its next state can be set later.
    pub fn add_latch(&mut self, reset: Option<bool>) -> Lit {
        let lit = self.aig.leaf();
        self.latches.push(Latch { lit, next: lit, reset });
        lit
    }

    /// All constraints as one literal.
    pub fn constraint(&mut self) -> Lit {
        let all = self.constraints.clone();
        self.aig.and_all(all)
    }

    /// All bad states as one literal.
    pub fn bad(&mut self) -> Lit {
        let any = self.bads.clone();
        self.aig.or_all(any)
    }

    /// Executes a run. On success, the number of a bad literal that is true in its last step.
    ///
    /// # Errors
    /// Says why the run does not violate the property.
    pub fn replay(&self, trace: &Trace) -> Result<usize, BadTrace> {
        let simulator = self.execute(trace)?;
        self.bads.iter().position(|&b| simulator.value(b) != 0).ok_or(BadTrace::NotBad)
    }

    /// Executes a run that claims to reach a certain bad state.
    ///
    /// # Errors
    /// Says why the run does not reach it.
    pub fn replay_bad(&self, trace: &Trace, bad: usize) -> Result<(), BadTrace> {
        let simulator = self.execute(trace)?;
        let reached = self.bads.get(bad).is_some_and(|&b| simulator.value(b) != 0);
        if reached { Ok(()) } else { Err(BadTrace::NotBad) }
    }

    /// Executes a run; the values of its last step.
    fn execute(&self, trace: &Trace) -> Result<Simulator, BadTrace> {
        let fits = trace.initial.len() == self.latches.len()
            && !trace.inputs.is_empty()
            && trace.inputs.iter().all(|i| i.len() == self.inputs.len());
        if !fits {
            return Err(BadTrace::Shape);
        }
        let wrong = |(l, &v): (&Latch, &bool)| l.reset.is_some_and(|r| r != v);
        if let Some(i) = self.latches.iter().zip(&trace.initial).position(wrong) {
            return Err(BadTrace::Initial(i));
        }
        let word = |b: &bool| if *b { u64::MAX } else { 0 };
        let mut simulator = Simulator::new(self);
        let mut state: Vec<u64> = trace.initial.iter().map(word).collect();
        for (step, inputs) in trace.inputs.iter().enumerate() {
            let inputs: Vec<u64> = inputs.iter().map(word).collect();
            simulator.evaluate(self, &state, &inputs);
            if self.constraints.iter().any(|&c| simulator.value(c) == 0) {
                return Err(BadTrace::Constraint(step));
            }
            simulator.next_state(self, &mut state);
        }
        Ok(simulator)
    }
}
