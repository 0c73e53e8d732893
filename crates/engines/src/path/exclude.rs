//! Excluding a goal from the end of a path: by interpolants when that is possible and wanted, edge by edge
//! when not.
//!
//! The four ways of the lazy-abstraction engines are settings of one [`Excluder`]: interpolants as they are
//! (`impact`, `predabs`), interpolants as clauses when they are not too many (`tree-ic3-itp`; Cimatti and
//! Griggio, "Software Model Checking via IC3", CAV 2012, §5), edge by edge only (`tree-ic3`). What
//! interpolation cannot do within its step limit is done edge by edge in every case. Counters say which way
//! was taken.

use palisade_program::Run;
use palisade_term::Term;

use super::block::{Blocker, Blocking};
use super::{Path, Question, Refutation, cnf};
use crate::ic3::concretize::concretize;
use crate::{Budget, Event, Observer, Reason, Task, literal};

/// How interpolants are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interpolants {
    /// Not at all.
    Never,
    /// As they are.
    Formulas,
    /// As clauses, unless those are too many.
    Clauses,
}

/// What became of a goal.
pub enum Excluded {
    /// Formulas that exclude it, by position (the first is empty: nothing is learned at the start), and how
    /// they were found.
    Clauses(Vec<Vec<Term>>, Way),
    /// The path can be run into it. The run is there when the path starts at the entry.
    Feasible(Option<Run>),
}

/// How a goal was excluded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Way {
    /// The path was interpolated.
    Interpolants,
    /// It was blocked edge by edge.
    Edges,
}

impl Way {
    /// The word that events have for it.
    pub fn word(self) -> &'static str {
        match self {
            Way::Interpolants => "interpolants",
            Way::Edges => "edges",
        }
    }
}

/// What a goal is excluded for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// The path leads to the error.
    Error,
    /// The goal is the negation of clauses that a node is strengthened with.
    Strengthening,
    /// The goal is the negation of the formula of a node that shall cover the last one.
    ForcedCover,
}

/// Counters of the ways taken.
#[derive(Clone, Copy, Debug, Default)]
pub struct ExcludeStats {
    /// Goals excluded by interpolants, and edge by edge, by purpose.
    excluded: [[u64; 2]; 3],
    /// Questions about whole paths.
    pub asked: u64,
    /// Interpolations that gave nothing: the step limit, or a proof that cannot be interpolated.
    pub gave_up: u64,
    /// Interpolants that would have made too many clauses.
    pub too_large: u64,
}

impl ExcludeStats {
    /// How many goals were excluded so.
    pub fn excluded(&self, purpose: Purpose, way: Way) -> u64 {
        self.excluded[purpose as usize][way as usize]
    }
}

/// Excludes goals.
pub struct Excluder<'a> {
    task: Task<'a>,
    budget: Budget,
    /// How interpolants are used; may change between goals.
    pub interpolants: Interpolants,
    /// Edge by edge.
    pub blocker: Blocker<'a>,
    /// Counters.
    pub stats: ExcludeStats,
}

impl<'a> Excluder<'a> {
    /// With one use of interpolants.
    pub fn new(task: &Task<'a>, budget: &Budget, interpolants: Interpolants) -> Self {
        let blocker = Blocker::new(task, budget);
        Excluder {
            task: *task,
            budget: budget.clone(),
            interpolants,
            blocker,
            stats: ExcludeStats::default(),
        }
    }

    /// Excludes the error at the end of a path; see [`Excluder::exclude_for`].
    pub fn exclude(
        &mut self,
        path: &Path<'a>,
        known: &[Vec<Term>],
        goals: &[Vec<Term>],
        observer: &mut dyn Observer,
    ) -> Result<Excluded, Reason> {
        self.exclude_for(Purpose::Error, path, known, goals, observer)
    }

    /// Excludes the goals, cubes at the end of the path. `known` are the clauses of each position.
    pub fn exclude_for(
        &mut self,
        purpose: Purpose,
        path: &Path<'a>,
        known: &[Vec<Term>],
        goals: &[Vec<Term>],
        observer: &mut dyn Observer,
    ) -> Result<Excluded, Reason> {
        let found = self.find(path, known, goals, observer)?;
        if let Excluded::Clauses(_, way) = found {
            self.stats.excluded[purpose as usize][way as usize] += 1;
        }
        Ok(found)
    }

    fn find(
        &mut self,
        path: &Path<'a>,
        known: &[Vec<Term>],
        goals: &[Vec<Term>],
        observer: &mut dyn Observer,
    ) -> Result<Excluded, Reason> {
        if self.interpolants != Interpolants::Never
            && let Some(found) = self.by_interpolants(path, known, goals)
        {
            return Ok(found);
        }
        self.budget.check().map_err(Reason::Stopped)?;
        match self.blocker.block_path(path, known, goals, observer) {
            Blocking::Blocked(clauses) => Ok(Excluded::Clauses(clauses, Way::Edges)),
            Blocking::Feasible(..) if path.location(0) != self.task.program.entry => {
                Ok(Excluded::Feasible(None))
            }
            Blocking::Feasible(obligations, first) => {
                let run = concretize(&self.task, &self.budget, &obligations, first, observer)?;
                Ok(Excluded::Feasible(Some(run)))
            }
            Blocking::Unknown(why) => Err(Reason::Solver(why)),
            Blocking::Stopped(stop) => Err(Reason::Stopped(stop)),
        }
    }

    /// `None` when it has to be done edge by edge.
    fn by_interpolants(
        &mut self,
        path: &Path<'a>,
        known: &[Vec<Term>],
        goals: &[Vec<Term>],
    ) -> Option<Excluded> {
        let pool = self.task.pool;
        let known: Vec<Term> = known.iter().map(|c| pool.and(c.iter().copied())).collect();
        let goal = pool.or(goals.iter().map(|g| pool.and(g.iter().copied())));
        self.stats.asked += 1;
        match path.refute(&self.task, &self.budget, &Question { known: &known, goal }) {
            Refutation::Feasible(_) if path.location(0) != self.task.program.entry => {
                Some(Excluded::Feasible(None))
            }
            // A model whose run does not execute is no counterexample.
            Refutation::Feasible(model) => path.run(&model).map(|run| Excluded::Feasible(Some(run))),
            Refutation::Unknown(_) => {
                self.stats.gave_up += 1;
                None
            }
            Refutation::Interpolants(sequence) => {
                let formulas: Option<Vec<Vec<Term>>> = sequence.iter().map(|&i| self.conjuncts(i)).collect();
                let Some(formulas) = formulas else {
                    self.stats.too_large += 1;
                    return None;
                };
                Some(Excluded::Clauses([vec![Vec::new()], formulas].concat(), Way::Interpolants))
            }
        }
    }

    fn conjuncts(&self, interpolant: Term) -> Option<Vec<Term>> {
        let pool = self.task.pool;
        match self.interpolants {
            Interpolants::Clauses => cnf::clauses(pool, interpolant, self.task.options.path.cnf_factor),
            _ => Some(pool.conjuncts(interpolant)),
        }
    }

    /// Queries so far: whole paths and edges.
    pub fn queries(&self) -> u64 {
        self.stats.asked + self.blocker.queries.solved()
    }

    /// Tells the counters.
    pub fn report(&self, observer: &mut dyn Observer) {
        let s = self.stats;
        let own = [
            ("paths refuted by interpolants", s.excluded(Purpose::Error, Way::Interpolants)),
            ("paths refuted edge by edge", s.excluded(Purpose::Error, Way::Edges)),
            ("strengthenings by interpolants", s.excluded(Purpose::Strengthening, Way::Interpolants)),
            ("strengthenings edge by edge", s.excluded(Purpose::Strengthening, Way::Edges)),
            ("forced covers by interpolants", s.excluded(Purpose::ForcedCover, Way::Interpolants)),
            ("forced covers edge by edge", s.excluded(Purpose::ForcedCover, Way::Edges)),
            ("interpolations given up", s.gave_up),
            ("interpolants with too many clauses", s.too_large),
        ];
        for (name, value) in own.into_iter().chain(self.blocker.counters()) {
            observer.event(Event::Counter(name, value));
        }
    }
}

/// The cubes whose exclusion is the conjunction of these clauses.
pub fn negated(pool: &palisade_term::TermPool, clauses: &[Term]) -> Vec<Vec<Term>> {
    let mut cubes: Vec<Vec<Term>> = clauses.iter().map(|&c| cnf::excluded_cube(pool, c)).collect();
    cubes.iter_mut().for_each(|c| literal::tidy(pool, c));
    cubes
}
