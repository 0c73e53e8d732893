//! Checked results. The fields are private to the crate: only the checker makes these values.

use palisade_program::{CutInvariants, Program, Property, Replay, Run};

/// Invariants that the checker has found to be a proof of safety.
#[derive(Clone, Debug)]
pub struct Proof {
    pub(crate) invariants: CutInvariants,
}

impl Proof {
    /// The invariants; not every location needs to have one.
    pub fn invariants(&self) -> &CutInvariants {
        &self.invariants
    }
}

/// A run that the checker has executed into the error location.
#[derive(Clone, Debug)]
pub struct Counterexample {
    pub(crate) run: Run,
    pub(crate) replay: Replay,
}

impl Counterexample {
    /// The run, with all inputs; it ends in the error location.
    pub fn run(&self) -> &Run {
        &self.run
    }

    /// The states it passes through.
    pub fn replay(&self) -> &Replay {
        &self.replay
    }

    /// What its last edge means, as the front-end said.
    pub fn property<'p>(&self, program: &'p Program) -> Option<&'p Property> {
        self.run.steps.last().and_then(|s| program.edge(s.edge).origin.property.as_ref())
    }
}
