//! Frames: delta-encoded lemmas. A lemma is a cube that is excluded; the lemma of level `i` holds in the
//! frames `1..=i`. Lemmas that are inductive together without the help of others are at no level: they hold
//! in every frame.
//!
//! Subsumption is by signature: one bit for each literal, hashed to 64; a cube can be part of another only if
//! its signature is. When one cube is compared with many lemmas, its literals are marked.

use palisade_sat::Lit;

/// An excluded cube: literals over latches, sorted.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
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

    /// As [`Cube::subsumes`], when the literals of the other are marked.
    fn is_within(&self, marks: &Marks, other: &Cube) -> bool {
        self.signature & !other.signature == 0 && self.lits.iter().all(|&l| marks.contains(l))
    }

    /// The clause that excludes the cube.
    pub(crate) fn clause(&self) -> Vec<Lit> {
        self.lits.iter().map(|&l| !l).collect()
    }
}

/// A set of literals that is emptied in no time.
#[derive(Default)]
pub(crate) struct Marks {
    /// `stamps[l] == stamp`: the literal is in the set.
    stamps: Vec<u32>,
    stamp: u32,
}

impl Marks {
    /// The set of these literals.
    pub(crate) fn set(&mut self, lits: &[Lit]) {
        self.stamp += 1;
        for l in lits {
            if self.stamps.len() <= l.code() {
                self.stamps.resize(l.code() + 1, 0);
            }
            self.stamps[l.code()] = self.stamp;
        }
    }

    #[inline]
    pub(crate) fn contains(&self, l: Lit) -> bool {
        self.stamps.get(l.code()).is_some_and(|&s| s == self.stamp)
    }
}

/// All frames. Level 0 is the initial states and has no lemmas here.
#[derive(Default)]
pub(crate) struct Frames {
    levels: Vec<Vec<Cube>>,
    /// The lemmas of all frames.
    infinite: Vec<Cube>,
    /// Every lemma that was ever added, with its level.
    log: Vec<(usize, Cube)>,
    marks: Marks,
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
        self.levels[level.min(self.levels.len())..].iter().flatten().chain(&self.infinite)
    }

    /// The lemmas that hold in every frame.
    pub(crate) fn infinite(&self) -> &[Cube] {
        &self.infinite
    }

    /// Adds lemmas that are inductive together with those of all frames.
    pub(crate) fn add_infinite(&mut self, cube: Cube) {
        for i in 1..self.levels.len() {
            let before = self.levels[i].len();
            self.levels[i].retain(|old| !cube.subsumes(old));
            if self.levels[i].len() != before {
                self.lowest_change = self.lowest_change.min(i);
            }
        }
        self.infinite.retain(|old| !cube.subsumes(old));
        self.log.push((usize::MAX, cube.clone()));
        self.infinite.push(cube);
    }

    /// Is the cube excluded at the level?
    pub(crate) fn blocks(&mut self, level: usize, cube: &Cube) -> bool {
        self.marks.set(&cube.lits);
        self.from(level).any(|lemma| lemma.is_within(&self.marks, cube))
    }

    /// A lemma of exactly this level that excludes the cube.
    pub(crate) fn parent(&mut self, level: usize, cube: &Cube) -> Option<&Cube> {
        self.marks.set(&cube.lits);
        let marks = &self.marks;
        self.levels.get(level)?.iter().find(|lemma| lemma.is_within(marks, cube))
    }

    /// How many lemmas were added so far.
    pub(crate) fn added(&self) -> usize {
        self.log.len()
    }

    /// Does a lemma that was added since then exclude the states at this level?
    pub(crate) fn excluded_since(&mut self, since: usize, level: usize, states: &[Lit]) -> bool {
        if since == self.log.len() {
            return false;
        }
        self.marks.set(states);
        let marks = &self.marks;
        self.log[since..]
            .iter()
            .any(|(l, lemma)| *l >= level && lemma.lits.iter().all(|&l| marks.contains(l)))
    }

    /// Adds a lemma and drops those it makes superfluous. Returns from which level on the lemma is new: its
    /// solvers below have a lemma that is as strong.
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
        self.log.push((level, cube.clone()));
        self.levels[level].push(cube);
        self.lowest_change = self.lowest_change.min(level);
        from
    }

    /// Number of lemmas.
    pub(crate) fn len(&self) -> usize {
        self.infinite.len() + self.levels.iter().map(Vec::len).sum::<usize>()
    }
}
