//! Sets of literals.

use palisade_sat::Lit;

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
