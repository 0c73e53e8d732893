//! The parts of IC3, written once for every flavour of it.
//!
//! | part | module | generic over |
//! |---|---|---|
//! | lemmas by location and level, delta-encoded, with subsumption | [`frames`] | the literal |
//! | the queue of proof obligations | [`obligations`] | the literal |
//! | `mic`, `ctgDown` with joins, weaker literals | [`generalize::mic`] | the flavour |
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
//! # The contract for a new flavour
//! A flavour is a way to ask whether a set of states can be excluded. It implements [`Flavour`]:
//!
//! - **Places** say where a cube is blocked: a location and a level ([`FrameId`]), a node of a tree, a
//!   position of a path, a frame of a circuit. The parts only hand them back to the flavour.
//! - **Literals** make cubes: terms, signed numbers of predicates, literals of a SAT solver.
//! - [`Flavour::blocked`] must be right in one direction: `Yes(core)` only if every part of the program
//!   through which the cube could be entered is refuted, initial states included, and the literals of the
//!   core alone suffice for that. It never says `Yes` on the word of an undecided query.
//! - [`Flavour::counterexample`] turns the model of a `No` into states that lead into the cube and the place
//!   one step before. `None` means that nothing can be learned there, for example because it is an initial
//!   state.
//! - [`Flavour::learn`] is called only with cubes for which [`Flavour::blocked`] has just said `Yes` at that
//!   place.
//!
//! The parts keep these invariants: whatever comes out of generalisation is blocked at its place by the last
//! query about it; frames are monotone (`F(i, l) => F(i+1, l)`) because a lemma has one level; a lemma
//! reaches level `i + 1` only after `blocked` at that level; nothing depends on the order of a hash map.
//!
//! A flavour that keeps its lemmas in [`frames::Frames`] also implements [`push::Framed`] and gets pushing
//! for free. [`by_location::ByLocation`] is the flavour of `ic3-cfa` and `ic3`; the test `toy_flavour` of
//! `tests/flavours.rs` is the smallest one.
//!
//! # Limits
//! Cubes are conjunctions. There are no quantified lemmas, and no lemma spans several locations.

pub mod bad;
pub mod blocking;
pub mod by_location;
pub mod concretize;
pub mod consecution;
pub mod edge_solvers;
pub mod frames;
pub mod generalize;
pub mod guidance;
pub mod interpolant;
pub mod obligations;
pub mod predecessor;
pub mod push;

use std::fmt::Debug;
use std::hash::Hash;

use palisade_program::Loc;

/// The answer to "is this cube blocked here?".
#[derive(Clone, Debug)]
pub enum Answer<L, M> {
    /// It is; these literals suffice.
    Yes(Vec<L>),
    /// It is not; a model of a way in.
    No(M),
    /// Not decided.
    Undecided(String),
}

/// A way to ask whether states can be excluded. The head of this module is the contract.
pub trait Flavour {
    /// Where a cube is blocked.
    type Place: Copy + Debug;
    /// What cubes are made of.
    type Literal: Copy + Ord + Hash + Debug;
    /// Evidence that a cube is not blocked.
    type Model;

    /// Can the cube be excluded here?
    fn blocked(&mut self, at: Self::Place, cube: &[Self::Literal]) -> Answer<Self::Literal, Self::Model>;

    /// The states of a counterexample to generalisation: where they are, and a cube of states that lead into
    /// `cube`.
    fn counterexample(
        &mut self,
        at: Self::Place,
        cube: &[Self::Literal],
        model: &Self::Model,
    ) -> Option<(Self::Place, Vec<Self::Literal>)>;

    /// Adds the negation of a blocked cube. False if it was known already.
    fn learn(&mut self, at: Self::Place, cube: Vec<Self::Literal>) -> bool;

    /// The literals of the cube that hold before the step of the model, if that state is at the cube's own
    /// place: the join of the cube with the state. `None` where a join makes no sense.
    fn join(
        &mut self,
        _at: Self::Place,
        _cube: &[Self::Literal],
        _model: &Self::Model,
    ) -> Option<Vec<Self::Literal>> {
        None
    }

    /// The next weaker literals, for geometric generalisation: each is implied by this one. None by default.
    fn weaker(&self, _literal: Self::Literal) -> Vec<Self::Literal> {
        Vec::new()
    }
}

/// The frame of a location at a level: where a cube is blocked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameId {
    /// The location.
    pub location: Loc,
    /// The level.
    pub level: u32,
}
