//! Pushing: lemmas move to the next level when they hold there. A level that is left empty is a fixpoint.

use palisade_sat::{Lit, Var};

use super::Ic3;
use super::frames::Cube;
use crate::Stopped;

impl Ic3<'_> {
    /// Pushes the lemmas of every level below the frontier. The level from which on the frames are inductive, if there is one.
    pub(super) fn push(&mut self) -> Result<Option<usize>, Stopped> {
        let first = self.frames.lowest_change.max(1);
        self.frames.lowest_change = self.frontier;
        for level in 1..self.frontier {
            if level >= first {
                self.push_level(level)?;
            }
            if self.frames.at(level).is_empty() {
                return Ok(Some(level));
            }
        }
        Ok(None)
    }

    fn push_level(&mut self, level: usize) -> Result<(), Stopped> {
        let mut lemmas = self.frames.at(level).to_vec();
        lemmas.sort_by_key(|l| l.lits.len());
        for lemma in lemmas {
            self.stop.check()?;
            if !self.frames.at(level).contains(&lemma) {
                continue; // another one made it superfluous
            }
            let after: Vec<Lit> = lemma.lits.iter().map(|&l| self.next(l)).collect();
            if !self.solvers[level].solve(&after, &[])? {
                self.stats.pushed += 1;
                let core = self.core(level, &lemma.lits);
                self.add_lemma(level + 1, Cube::new(core));
            }
        }
        Ok(())
    }

    /// The clauses of the initial states that hold after one step.
    pub(super) fn initial_clauses(&mut self) -> Result<(), Stopped> {
        for (i, reset) in self.model.reset.iter().enumerate() {
            let Some(value) = *reset else { continue };
            let cube = Cube::new(vec![Var::new(i).lit(!value)]);
            let after = [self.next(cube.lits[0])];
            if !self.solvers[0].solve(&after, &[])? {
                self.add_lemma(1, cube);
            }
        }
        Ok(())
    }
}
