//! Frames: delta-encoded lemmas. A lemma is a cube that is excluded; the lemma of level `i` holds in the frames `1..=i`.
//!
//! Subsumption is by signature: one bit for each literal, hashed to 64; a cube can be part of another only if its signature is.

use palisade_sat::Lit;

/// An excluded cube: literals over latches, sorted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Cube {
    pub(crate) lits: Box<[Lit]>,
    signature: u64,
}

impl Cube {
    /// A cube from literals in any order.
    pub(crate) fn new(mut lits: Vec<Lit>) -> Cube {
        lits.sort_unstable();
        let bit = |l: &Lit| 1u64 << ((l.code() as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58);
        let signature = lits.iter().map(bit).fold(0, |a, b| a | b);
        Cube { lits: lits.into(), signature }
    }

    /// Is every literal of this cube in the other? Then this excludes all that the other excludes.
    pub(crate) fn subsumes(&self, other: &Cube) -> bool {
        if self.signature & !other.signature != 0 || self.lits.len() > other.lits.len() {
            return false;
        }
        let mut rest = other.lits.iter();
        self.lits.iter().all(|l| rest.any(|m| m == l))
    }

    /// The clause that excludes the cube.
    pub(crate) fn clause(&self) -> Vec<Lit> {
        self.lits.iter().map(|&l| !l).collect()
    }
}

/// All frames. Level 0 is the initial states and has no lemmas here.
#[derive(Default)]
pub(crate) struct Frames {
    levels: Vec<Vec<Cube>>,
    /// The lowest level that changed since it was last pushed.
    pub(crate) lowest_change: usize,
}

impl Frames {
    /// Makes room for a level.
    pub(crate) fn grow(&mut self, level: usize) {
        self.levels.resize_with(self.levels.len().max(level + 1), Vec::new);
    }

    /// The lemmas of exactly this level.
    pub(crate) fn at(&self, level: usize) -> &[Cube] {
        &self.levels[level]
    }

    /// The lemmas of this level and higher ones: the frame.
    pub(crate) fn from(&self, level: usize) -> impl Iterator<Item = &Cube> {
        self.levels[level.min(self.levels.len())..].iter().flatten()
    }

    /// Is the cube excluded at the level?
    pub(crate) fn blocks(&self, level: usize, cube: &Cube) -> bool {
        self.from(level).any(|lemma| lemma.subsumes(cube))
    }

    /// A lemma of exactly this level that excludes the cube.
    pub(crate) fn parent(&self, level: usize, cube: &Cube) -> Option<&Cube> {
        self.levels.get(level)?.iter().find(|lemma| lemma.subsumes(cube))
    }

    /// Adds a lemma and drops those it makes superfluous. Returns from which level on the lemma is new: its solvers below have a lemma that is as strong.
    pub(crate) fn add(&mut self, level: usize, cube: Cube) -> usize {
        let mut from = 1;
        for i in (1..=level).rev() {
            let lemmas = &mut self.levels[i];
            let before = lemmas.len();
            if from == 1 && lemmas.contains(&cube) {
                from = i + 1;
            }
            lemmas.retain(|old| !cube.subsumes(old));
            if lemmas.len() != before {
                self.lowest_change = self.lowest_change.min(i);
            }
        }
        self.levels[level].push(cube);
        self.lowest_change = self.lowest_change.min(level);
        from
    }

    /// Number of lemmas.
    pub(crate) fn len(&self) -> usize {
        self.levels.iter().map(Vec::len).sum()
    }
}
