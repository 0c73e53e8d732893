//! The parts of IC3 over SMT. Those that do not depend on what a literal is are the crate [`palisade_ic3`].
//!
//! | part | module | generic over |
//! |---|---|---|
//! | lemmas by location and level, delta-encoded, with subsumption | [`palisade_ic3::frames`] | the literal |
//! | the queue of proof obligations | [`palisade_ic3::obligations`], [`obligations`] | the literal |
//! | `mic`, `ctgDown` with joins, weaker literals | [`palisade_ic3::mic`] | the flavour |
//! | lemma cache, cores, fewer variables, Farkas sums, relaxed constants | [`generalize`] | terms |
//! | triggered pushing, fixpoint, promotion | [`push`] | flavours with frames |
//! | one incremental solver per edge, groups of clauses to assume | [`edge_solvers`] | - |
//! | edge-relative induction: edge solvers that follow the frames | [`consecution`] | the frames' literal |
//! | from a model to a set of states that lead into a cube | [`predecessor`] | - |
//! | conjectures from lemmas that repeat themselves | [`guidance`] | - |
//! | a chain of obligations made a run | [`concretize`] | - |
//! | interpolants of blocked cubes | [`interpolant`] | - |
//! | the loop: strengthen, push, grow | [`blocking`] | - |
//!
//! A flavour is a way to ask whether a set of states can be excluded. The contract for a new one is the head
//! of [`palisade_ic3`]. One that keeps its lemmas in [`Frames`](palisade_ic3::frames::Frames) also implements
//! [`push::Framed`] and gets pushing for free: a lemma reaches level `i + 1` only after
//! [`Flavour::blocked`] at that level. [`by_location::ByLocation`] is the flavour of `ic3-cfa` and `ic3`.

pub mod bad;
pub mod blocking;
pub mod by_location;
pub mod concretize;
pub mod consecution;
pub mod edge_solvers;
pub mod generalize;
pub mod guidance;
pub mod interpolant;
pub mod lift;
pub mod obligations;
pub mod predecessor;
pub mod push;

use palisade_program::Loc;

pub use palisade_ic3::{Answer, Flavour};

/// The frame of a location at a level: where a cube is blocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameId {
    /// The location.
    pub location: Loc,
    /// The level.
    pub level: u32,
}
