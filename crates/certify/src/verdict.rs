//! Checked results. The fields are private to the crate: only the checker makes these values.

use std::sync::Arc;

use palisade_program::{CutInvariants, Program, Replay, Run};

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

    /// The name of the property it violates, as the front-end named it on the last edge.
    pub fn property<'p>(&self, program: &'p Program) -> Option<&'p Arc<str>> {
        self.run.steps.last().and_then(|s| program.edge(s.edge).origin.property.as_ref())
    }
}
