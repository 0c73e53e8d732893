//! The solvers of the frames: one for each, or one for all.
//!
//! With one for each, a lemma is a clause of every solver up to its level. With one for all, a lemma of level
//! `i` is a clause that an assumption switches on: the query of a frame assumes the switches of its level and
//! the higher ones. What is learned then serves all frames, but each query carries the lemmas of all.
//!
//! Lemmas that were dropped as superfluous, or moved to a higher level, stay in the solvers until
//! [`Solvers::rebuild`] makes those anew.

use palisade_sat::{Lit, Var};

use super::frames::{Frames, from, negated};
use crate::model::Model;
use crate::options::Options;
use crate::step::Step;
use crate::{Control, Stopped};

/// A solver is made anew when it has more than this many clauses besides twice the lemmas of its frame.
const SLACK: usize = 200;

/// The solvers.
pub(super) struct Solvers<'m> {
    model: &'m Model,
    options: &'m Options,
    control: &'m Control,
    steps: Vec<Step<'m>>,
    /// With one solver for all: the switch of each level.
    switches: Vec<Lit>,
    levels: usize,
    /// Clauses of lemmas that were added to each solver.
    added: Vec<usize>,
    /// Queries and conflicts of solvers that are gone.
    past: [u64; 3],
    pub(super) rebuilt: u64,
}

impl<'m> Solvers<'m> {
    pub(super) fn new(model: &'m Model, options: &'m Options, control: &'m Control) -> Self {
        Solvers {
            model,
            options,
            control,
            steps: Vec::new(),
            switches: Vec::new(),
            levels: 0,
            added: Vec::new(),
            past: [0; 3],
            rebuilt: 0,
        }
    }

    /// Number of levels.
    pub(super) fn len(&self) -> usize {
        self.levels
    }

    /// Opens the next frame. Level 0 has the resets, the others the property if frames begin with it.
    pub(super) fn grow(&mut self, frames: &Frames) {
        let level = self.levels;
        self.levels += 1;
        if !self.options.one_solver || level == 0 {
            let mut step = Step::new(self.model, self.control, self.options.domain, true);
            if self.options.one_solver {
                self.switches.push(step.new_switch());
            } else {
                self.begin(&mut step, level);
            }
            self.added.push(0);
            self.steps.push(step);
            self.load(level, frames);
        } else {
            self.switches.push(self.steps[0].new_switch());
        }
        if self.options.one_solver {
            self.begin_switched(level);
        }
    }

    fn begin(&self, step: &mut Step<'m>, level: usize) {
        if level == 0 {
            self.model.initial_literals().for_each(|l| step.add_clause(&[l]));
        } else if self.model.bad_next.is_some() {
            step.load(!self.model.bad);
            step.add_clause(&[!self.model.bad]);
        }
    }

    /// As `begin`, behind the switch of the level.
    fn begin_switched(&mut self, level: usize) {
        let off = !self.switches[level];
        let step = &mut self.steps[0];
        if level == 0 {
            self.model.initial_literals().for_each(|l| step.add_clause(&[l, off]));
        } else if self.model.bad_next.is_some() {
            step.load(!self.model.bad);
            step.add_clause(&[!self.model.bad, off]);
        }
    }

    /// The lemmas of a frame that a new solver needs.
    fn load(&mut self, level: usize, frames: &Frames) {
        if self.options.one_solver || level == 0 {
            // Nothing is known when the one solver is made, and `F_0` is as exact as can be.
            return;
        }
        for lemma in from(frames, level) {
            self.steps[level].add_lemma(&negated(lemma));
            self.added[level] += 1;
        }
    }

    /// The solver in which the answer to the last query about a level can be read.
    #[inline]
    pub(super) fn step(&self, level: usize) -> &Step<'m> {
        &self.steps[if self.options.one_solver { 0 } else { level }]
    }

    /// Is there a model of the frame, the assumptions and, if it is not empty, the clause?
    pub(super) fn solve(
        &mut self,
        level: usize,
        assumptions: &[Lit],
        clause: &[Lit],
    ) -> Result<bool, Stopped> {
        if self.options.one_solver {
            self.steps[0].solve_with(&self.switches[level..], assumptions, clause)
        } else {
            self.steps[level].solve(assumptions, clause)
        }
    }

    /// Adds the clause of a lemma to the frames `from..=level`.
    pub(super) fn add(&mut self, from: usize, level: usize, clause: &[Lit]) {
        if self.options.one_solver {
            let switched: Vec<Lit> = clause.iter().copied().chain([!self.switches[level]]).collect();
            self.steps[0].add_lemma(&switched);
            self.added[0] += 1;
            return;
        }
        for i in from..=level {
            self.steps[i].add_lemma(clause);
            self.added[i] += 1;
        }
    }

    /// Adds a clause that holds in all frames but the first, now and later.
    pub(super) fn add_everywhere(&mut self, clause: &[Lit]) {
        if self.options.one_solver {
            self.steps[0].add_lemma(clause);
        } else {
            self.steps.iter_mut().skip(1).for_each(|s| s.add_lemma(clause));
        }
    }

    /// Makes solvers anew that have many clauses of lemmas that are no more. What they learned is lost.
    pub(super) fn rebuild(&mut self, frames: &Frames) {
        if !self.options.rebuild || self.options.one_solver {
            return;
        }
        for level in (1..self.levels).rev() {
            if self.added[level] <= 2 * from(frames, level).count() + SLACK {
                continue;
            }
            let mut step = Step::new(self.model, self.control, self.options.domain, true);
            self.begin(&mut step, level);
            let old = std::mem::replace(&mut self.steps[level], step);
            self.past = add(self.past, counts(&old));
            self.added[level] = 0;
            self.load(level, frames);
            self.rebuilt += 1;
        }
    }

    /// Queries, conflicts and propagations so far.
    pub(super) fn counts(&self) -> [u64; 3] {
        self.steps.iter().map(counts).fold(self.past, add)
    }
}

pub(super) fn counts(step: &Step<'_>) -> [u64; 3] {
    [step.queries, step.sat.stats().conflicts, step.sat.stats().propagations]
}

pub(super) fn add(a: [u64; 3], b: [u64; 3]) -> [u64; 3] {
    [a[0] + b[0], a[1] + b[1], a[2] + b[2]]
}

impl Model {
    /// The literals that the resets fix.
    fn initial_literals(&self) -> impl Iterator<Item = Lit> + '_ {
        let fixed = |(i, reset): (usize, &Option<bool>)| reset.map(|value| Var::new(i).lit(value));
        self.reset.iter().enumerate().filter_map(fixed)
    }
}
