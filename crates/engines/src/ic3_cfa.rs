//! `ic3-cfa`: IC3 on control-flow automata.
//!
//! After Lange, Neuhaeusser and Noll, "IC3 Software Model Checking on Control Flow Automata" (FMCAD 2015).
//! Its algorithms are [`crate::ic3::blocking`], under the paper's names: `prove` (Algorithm 1), `strengthen`
//! (Algorithm 2), `backward_block` (Algorithm 3). The paper stops at exact weakest preconditions without
//! generalisation (`--preset paper`); here predecessors are projected and blocked cubes are generalised.
//!
//! | idea | where |
//! |---|---|
//! | the algorithms | [`crate::ic3::blocking`] |
//! | location-local, delta-encoded frames | [`palisade_ic3::frames`] |
//! | edge-relative induction; `not s` only on self-loops | [`crate::ic3::consecution`] |
//! | obligation queue, lowest level first | [`crate::ic3::obligations`] |
//! | predecessors by projection, weakest precondition or lifting | [`crate::ic3::predecessor`] |
//! | core, `mic`, `ctgDown`, Farkas sums | [`crate::ic3::generalize`] |
//! | interpolants as candidates | [`crate::ic3::interpolant`] |
//! | global guidance: clusters and progressions | [`crate::ic3::guidance`] |
//! | triggered pushing, fixpoint, promotion | [`crate::ic3::push`] |
//! | long counterexamples by execution | [`crate::walk`] |
//! | the part of the invariant that is needed | [`crate::shrink`] |
//!
//! Every obligation's states reach the error location along its chain of edges, so a chain from the entry is
//! a counterexample.
//!
//! # What it does not do
//! - It never claims anything on the word of an undecided query: such a query is "not blocked" in
//!   generalisation and pushing, and ends the run with UNKNOWN in blocking.
//! - Lemmas are clauses over the variables of one location. A fact about all cells of an array is found as
//!   one about any cell, on a program that was made for that (`prophecy` of `transform`), or not at all.
//! - Long counterexamples through many loop iterations are found by execution or not at all.

use palisade_program::Run;

use crate::ic3::blocking::Ic3;
use crate::{Budget, Engine, Observer, Outcome, Task};

/// The engine.
pub struct Ic3CfaEngine;

impl Engine for Ic3CfaEngine {
    fn name(&self) -> &'static str {
        "ic3-cfa"
    }

    fn about(&self) -> &'static str {
        "IC3 with frames per location, edge-relative induction, projection and global guidance"
    }

    fn run(&self, task: &Task<'_>, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
        if task.program.entry == task.program.error {
            return Outcome::Unsafe(Run::default());
        }
        Ic3::run_exactly(task, budget, observer)
    }
}
