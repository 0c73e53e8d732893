//! Pushing: lemmas move to the next level when they hold there. A level that is left empty is a fixpoint.
//!
//! A state that prevents a push prevents it as long as no new lemma excludes it; until then the lemma is not
//! tried again. The state after it shows what to add to the lemma when a larger cube is generalised (Su,
//! Yang, Ci: Predicting Lemmas in Generalization of IC3, 2024).

use palisade_ic3::frames::{ALWAYS, LemmaId};
use palisade_sat::{Lit, Var};

use super::frames::Latches;
use super::{Ic3, negated};
use crate::Stopped;

/// Latch values of obstacles that are kept, at most.
const MAX_REMEMBERED: usize = 20_000_000;

/// A counterexample to propagation.
pub(super) struct Obstacle {
    level: usize,
    /// What the model says about latches and signals before the step.
    before: Vec<Lit>,
    /// The same after the step.
    pub(super) after: Vec<Lit>,
    /// How much of the log had been written when it was last found to hold.
    since: usize,
}

impl Ic3<'_> {
    /// Pushes the lemmas of every level below the frontier. The level from which on the frames are inductive,
    /// if there is one.
    pub(super) fn push(&mut self) -> Result<Option<usize>, Stopped> {
        if self.obstacles.len().saturating_mul(self.model.latches) > MAX_REMEMBERED {
            self.obstacles.clear();
        }
        // Where nothing was added, nothing has become easier to push.
        let news = &self.frames.log(())[self.pushed_until..];
        let first = news.iter().map(|&(_, level)| level as usize).min().unwrap_or(self.frontier);
        self.pushed_until = self.frames.log(()).len();
        for level in 1..self.frontier {
            if level >= first {
                self.push_level(level)?;
            }
            if self.frames.exactly(level as u32).is_empty() {
                return Ok(Some(level));
            }
        }
        if self.options.infinite {
            self.push_to_infinity()?;
            let empty = (1..self.frontier).find(|&level| self.frames.exactly(level as u32).is_empty());
            return Ok(empty);
        }
        Ok(None)
    }

    /// Lemmas of the frontier that are inductive together with the lemmas of all frames, and nothing else,
    /// become such.
    fn push_to_infinity(&mut self) -> Result<(), Stopped> {
        for id in self.frames.exactly(self.frontier as u32) {
            self.control.check()?;
            let lemma = self.frames.lemma(id);
            if lemma.subsumed {
                continue;
            }
            let (after, clause) = (self.model.after(&lemma.cube), negated(&lemma.cube));
            if !self.infinite.solve(&after, &clause)? {
                self.stats.infinite += 1;
                self.infinite.add_lemma(&clause);
                self.solvers.add_everywhere(&clause);
                self.frames.raise(&Latches, id, ALWAYS);
            }
        }
        Ok(())
    }

    fn push_level(&mut self, level: usize) -> Result<(), Stopped> {
        let mut lemmas = self.frames.exactly(level as u32);
        lemmas.sort_by_key(|&id| self.frames.lemma(id).cube.len());
        for id in lemmas {
            self.control.check()?;
            let lemma = self.frames.lemma(id);
            if lemma.subsumed || lemma.level as usize != level {
                continue; // another one made it superfluous
            }
            let cube = lemma.cube.clone();
            if self.is_obstructed(level, id) {
                self.stats.push_skips += 1;
                continue;
            }
            if self.solvers.solve(level, &self.model.after(&cube), &[])? {
                self.remember_obstacle(level, id);
            } else {
                self.stats.pushed += 1;
                self.obstacles.remove(&id);
                let core = self.core(level, &cube);
                self.add_lemma(level + 1, core);
            }
        }
        Ok(())
    }

    /// Does a known state still prevent the push?
    fn is_obstructed(&mut self, level: usize, lemma: LemmaId) -> bool {
        if !self.options.triggered_pushing {
            return false;
        }
        let Some(obstacle) = self.obstacles.get_mut(&lemma) else { return false };
        let log = self.frames.log(());
        if obstacle.level != level {
            return false;
        }
        if obstacle.since < log.len() {
            self.marks.set(&obstacle.before);
            let excluding = |&(id, l): &(LemmaId, u32)| {
                l as usize >= level && self.frames.lemma(id).cube.iter().all(|&l| self.marks.contains(l))
            };
            if log[obstacle.since..].iter().any(excluding) {
                return false;
            }
            obstacle.since = log.len();
        }
        true
    }

    fn remember_obstacle(&mut self, level: usize, lemma: LemmaId) {
        if !self.options.triggered_pushing && !self.options.predict {
            return;
        }
        let solver = self.solvers.step(level);
        let vars = || self.model.state_vars();
        let before = vars().filter_map(|v| solver.value(v.positive()).map(|b| v.lit(b))).collect();
        let next = |v: Var| solver.value(self.model.after_step(v.positive())).map(|b| v.lit(b));
        let after = vars().filter_map(next).collect();
        let since = self.frames.log(()).len();
        self.obstacles.insert(lemma, Obstacle { level, before, after, since });
    }

    /// The clauses of the initial states that hold after one step.
    pub(super) fn initial_clauses(&mut self) -> Result<(), Stopped> {
        for (i, reset) in self.model.reset.iter().enumerate() {
            let Some(value) = *reset else { continue };
            let cube = vec![Var::new(i).lit(!value)];
            if !self.solvers.solve(0, &self.model.after(&cube), &[])? {
                self.add_lemma(1, cube);
            }
        }
        Ok(())
    }
}
