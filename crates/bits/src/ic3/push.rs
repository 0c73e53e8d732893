//! Pushing: lemmas move to the next level when they hold there. A level that is left empty is a fixpoint.
//!
//! A state that prevents a push prevents it as long as no new lemma excludes it; until then the lemma is not
//! tried again. The state after it shows what to add to the lemma when a larger cube is generalised (Su,
//! Yang, Ci: Predicting Lemmas in Generalization of IC3, 2024).

use palisade_sat::{Lit, Var};

use super::Ic3;
use super::frames::Cube;
use crate::Stopped;

/// Latch values of obstacles that are kept, at most.
const MAX_REMEMBERED: usize = 20_000_000;

/// A counterexample to propagation.
pub(super) struct Obstacle {
    level: usize,
    /// What the model says about the latches before the step.
    before: Vec<Lit>,
    /// The same after the step.
    pub(super) after: Vec<Lit>,
    /// How many lemmas had been added when it was last found to hold.
    since: usize,
}

impl Ic3<'_> {
    /// Pushes the lemmas of every level below the frontier. The level from which on the frames are inductive,
    /// if there is one.
    pub(super) fn push(&mut self) -> Result<Option<usize>, Stopped> {
        if self.obstacles.len().saturating_mul(self.model.latches) > MAX_REMEMBERED {
            self.obstacles.clear();
        }
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
        if self.options.infinite {
            self.push_to_infinity()?;
            let empty = (1..self.frontier).find(|&level| self.frames.at(level).is_empty());
            return Ok(empty);
        }
        Ok(None)
    }

    /// Lemmas of the frontier that are inductive together with the lemmas of all frames, and nothing else,
    /// become such.
    fn push_to_infinity(&mut self) -> Result<(), Stopped> {
        for lemma in self.frames.at(self.frontier).to_vec() {
            self.control.check()?;
            let after: Vec<Lit> = lemma.lits.iter().map(|&l| self.next(l)).collect();
            let clause = lemma.clause();
            if !self.infinite.solve(&after, &clause)? {
                self.stats.infinite += 1;
                self.infinite.add_clause(&clause);
                self.solvers.add_everywhere(&clause);
                self.frames.add_infinite(lemma);
            }
        }
        Ok(())
    }

    fn push_level(&mut self, level: usize) -> Result<(), Stopped> {
        let mut lemmas = self.frames.at(level).to_vec();
        lemmas.sort_by_key(|l| l.lits.len());
        for lemma in lemmas {
            self.control.check()?;
            if !self.frames.at(level).contains(&lemma) {
                continue; // another one made it superfluous
            }
            if self.is_obstructed(level, &lemma) {
                self.stats.push_skips += 1;
                continue;
            }
            let after: Vec<Lit> = lemma.lits.iter().map(|&l| self.next(l)).collect();
            if self.solvers.solve(level, &after, &[])? {
                self.remember_obstacle(level, lemma);
            } else {
                self.stats.pushed += 1;
                self.obstacles.remove(&lemma);
                let core = self.core(level, &lemma.lits);
                self.add_lemma(level + 1, Cube::new(core));
            }
        }
        Ok(())
    }

    /// Does a known state still prevent the push?
    fn is_obstructed(&mut self, level: usize, lemma: &Cube) -> bool {
        if !self.options.triggered_pushing {
            return false;
        }
        let Some(obstacle) = self.obstacles.get_mut(lemma) else { return false };
        if obstacle.level != level || self.frames.excluded_since(obstacle.since, level, &obstacle.before) {
            return false;
        }
        obstacle.since = self.frames.added();
        true
    }

    fn remember_obstacle(&mut self, level: usize, lemma: Cube) {
        if !self.options.triggered_pushing && !self.options.predict {
            return;
        }
        let solver = self.solvers.step(level);
        let latches = (0..self.model.latches).map(Var::new);
        let before = latches.clone().filter_map(|v| solver.value(v.positive()).map(|b| v.lit(b))).collect();
        let next = |v: Var| solver.value(self.next(v.positive())).map(|b| v.lit(b));
        let after = latches.filter_map(next).collect();
        let since = self.frames.added();
        self.obstacles.insert(lemma, Obstacle { level, before, after, since });
    }

    /// The clauses of the initial states that hold after one step.
    pub(super) fn initial_clauses(&mut self) -> Result<(), Stopped> {
        for (i, reset) in self.model.reset.iter().enumerate() {
            let Some(value) = *reset else { continue };
            let cube = Cube::new(vec![Var::new(i).lit(!value)]);
            let after = [self.next(cube.lits[0])];
            if !self.solvers.solve(0, &after, &[])? {
                self.add_lemma(1, cube);
            }
        }
        Ok(())
    }
}
