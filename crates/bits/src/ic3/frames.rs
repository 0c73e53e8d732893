//! The frames of a circuit: those of [`palisade_ic3::frames`] with SAT literals over latches, and one place.

use palisade_ic3::frames::{self, Language, LemmaId};
use palisade_sat::Lit;

/// Literals over latches: one implies another only if it is the same.
pub(crate) struct Latches;

impl Language for Latches {
    type Place = ();
    type Literal = Lit;
    type Key = Lit;
    type Formula = ();

    fn index((): ()) -> usize {
        0
    }

    fn key(&self, literal: Lit) -> Lit {
        literal
    }

    fn implies(&self, a: Lit, b: Lit) -> bool {
        a == b
    }

    fn clause(&self, _cube: &[Lit]) {}

    fn subsumes(&self, small: &[Lit], big: &[Lit]) -> bool {
        small.len() <= big.len() && small.iter().all(|l| big.binary_search(l).is_ok())
    }
}

/// All frames. Level 0 is the initial states and has no lemmas here.
pub(crate) type Frames = frames::Frames<Latches>;

/// No lemma yet.
pub(crate) fn empty() -> Frames {
    Frames::with_distances([Some(0)])
}

/// The lemmas of a level and the higher ones: the frame.
pub(crate) fn from(frames: &Frames, level: usize) -> impl Iterator<Item = &[Lit]> {
    frames.at(()).filter(move |(_, m)| m.level as usize >= level).map(|(_, m)| &m.cube[..])
}

/// A lemma of exactly this level that excludes the cube, which is sorted.
pub(crate) fn parent(frames: &Frames, level: usize, cube: &[Lit]) -> Option<LemmaId> {
    frames.excluding(&Latches, (), cube).find(|(_, m)| m.level as usize == level).map(|(id, _)| id)
}

/// The cube with its literals in order.
pub(crate) fn sorted(mut cube: Vec<Lit>) -> Vec<Lit> {
    cube.sort_unstable();
    cube
}

/// The clause that excludes a cube.
pub(crate) fn negated(cube: &[Lit]) -> Vec<Lit> {
    cube.iter().map(|&l| !l).collect()
}
