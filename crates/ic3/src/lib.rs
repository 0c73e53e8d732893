//! The parts of IC3 that do not depend on what a literal is: terms, signed numbers of predicates, literals of
//! a SAT solver. The engines over SMT (`engines::ic3`) and the ones on circuits (`bits::ic3`) are made of
//! them.
//!
//! | part | module |
//! |---|---|
//! | lemmas by place and level, delta-encoded, with subsumption | [`frames`] |
//! | the queue of proof obligations | [`obligations`] |
//! | `mic`, `ctgDown` with joins, weaker literals | [`mic`] |
//! | literals that are terms | [`literal`] |
//!
//! # The contract for a new flavour
//! A flavour is a way to ask whether a set of states can be excluded. It implements [`Flavour`]:
//!
//! - **Places** say where a cube is blocked: a location and a level, a node of a tree, a position of a path,
//!   a frame of a circuit. The parts only hand them back to the flavour.
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
//! query about it; frames are monotone (`F(i, l) => F(i+1, l)`) because a lemma has one level; nothing
//! depends on the order of a hash map.
//!
//! The first test of `tests/flavours.rs` has the smallest flavour.
//!
//! # Limits
//! Cubes are conjunctions. There are no quantified lemmas, and no lemma spans several places.

pub mod frames;
pub mod literal;
pub mod mic;
pub mod obligations;

use std::fmt::Debug;
use std::hash::Hash;

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

/// A way to ask whether states can be excluded. The head of this crate is the contract.
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
    /// `cube`. Called right after the query that gave the model.
    fn counterexample(
        &mut self,
        at: Self::Place,
        cube: &[Self::Literal],
        model: &Self::Model,
    ) -> Option<(Self::Place, Vec<Self::Literal>)>;

    /// Adds the negation of a blocked cube. False if it was known already.
    fn learn(&mut self, at: Self::Place, cube: Vec<Self::Literal>) -> bool;

    /// The highest place at which a cube that is blocked at `at` stays blocked, and what suffices there.
    /// Where the flavour does not look, `at` itself.
    fn highest(&mut self, at: Self::Place, cube: Vec<Self::Literal>) -> (Self::Place, Vec<Self::Literal>) {
        (at, cube)
    }

    /// The literals of the cube that hold before the step of the model, if that state is at the cube's own
    /// place: the join of the cube with the state. `None` where a join makes no sense. `kept` are literals
    /// that could not be dropped before; a flavour may refuse to give them up.
    fn join(
        &mut self,
        _at: Self::Place,
        _cube: &[Self::Literal],
        _kept: &[Self::Literal],
        _model: &Self::Model,
    ) -> Option<Vec<Self::Literal>> {
        None
    }

    /// The order in which `mic` tries to drop literals. `None`: those least active in earlier lemmas first.
    fn order(&mut self, _at: Self::Place, _cube: &[Self::Literal]) -> Option<Vec<Self::Literal>> {
        None
    }

    /// A much smaller cube that may be blocked too, to be tried before literals are dropped one at a time.
    /// `core` is a part of `states` that is blocked. None by default.
    fn shortcut(
        &mut self,
        _at: Self::Place,
        _states: &[Self::Literal],
        _core: &[Self::Literal],
    ) -> Option<Vec<Self::Literal>> {
        None
    }

    /// The next weaker literals, for geometric generalisation: each is implied by this one. None by default.
    fn weaker(&self, _literal: Self::Literal) -> Vec<Self::Literal> {
        Vec::new()
    }
}
