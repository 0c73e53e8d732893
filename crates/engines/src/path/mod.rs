//! Paths of a program: as formulas, as runs, and as sequences of interpolants.
//!
//! A [`Path`] is a sequence of edges. Position `k` is the location before edge `k`; the variables of that
//! location and the inputs of that edge are copied to step `k` (`x@k`), which is static single assignment
//! along the path. A [`Question`] adds what is known at the positions and the states that are asked for at
//! the end. [`Path::refute`] answers it in one query: with a model, or with one interpolant for each position
//! over the variables of the location that stands there (McMillan, "Lazy Abstraction with Interpolants", CAV
//! 2006). [`block`] answers it edge by edge (Cimatti and Griggio, "Software Model Checking via IC3", CAV
//! 2012, Fig. 2).
//!
//! # Invariants
//! - Interpolants `I_1 .. I_n`: `known_0 and T_0 => I_1'`, `I_k and known_k and T_k => I_{k+1}'`, and `I_n
//!   and known_n` excludes the goal.
//! - Each is over plain variables of its location. A sequence with a foreign variable is not given out.
//! - A run is given out only after the interpreter has executed it.
//!
//! # Limits
//! One query for the whole path can be exponential in the branches of its edges. The caller sets a step limit
//! and has a fallback.

pub mod block;
pub mod cnf;
pub mod edges;
pub mod exclude;
pub mod options;

use palisade_program::{EdgeId, Loc, Program, Run, Step, interpret};
use palisade_smt::interpolate::{Settings, Strength};
use palisade_smt::{Interpolation, Limits};
use palisade_term::{Assignment, Term, TermPool, Value, Version};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Budget, Task};

/// A sequence of edges, each starting where the one before ends.
#[derive(Clone)]
pub struct Path<'a> {
    pool: &'a TermPool,
    program: &'a Program,
    start: Loc,
    edges: Vec<EdgeId>,
}

/// What is asked about a path: do states that satisfy `known[k]` at every position lead into `goal` at the
/// end?
#[derive(Clone, Debug)]
pub struct Question<'q> {
    /// A formula for each position, over the variables of its location; positions beyond the slice are
    /// unconstrained.
    pub known: &'q [Term],
    /// The states asked for at the last position.
    pub goal: Term,
}

/// The answer to a [`Question`].
#[derive(Clone, Debug)]
pub enum Refutation {
    /// No: one formula for each position from 1 to the last.
    Interpolants(Vec<Term>),
    /// Yes: a model of the step variables.
    Feasible(Assignment),
    /// Not decided, or refuted without interpolants.
    Unknown(String),
}

impl<'a> Path<'a> {
    /// The path of these edges from a location.
    pub fn new(task: &Task<'a>, start: Loc, edges: Vec<EdgeId>) -> Path<'a> {
        let path = Path { pool: task.pool, program: task.program, start, edges };
        debug_assert!((0..path.len()).all(|k| path.program.edge(path.edges[k]).source == path.location(k)));
        path
    }

    /// The number of edges.
    pub fn len(&self) -> usize {
        self.edges.len()
    }

    /// Has it no edge?
    pub fn is_empty(&self) -> bool {
        self.edges.is_empty()
    }

    /// The edges.
    pub fn edges(&self) -> &[EdgeId] {
        &self.edges
    }

    /// The location at a position, from 0 to [`Path::len`].
    pub fn location(&self, k: usize) -> Loc {
        if k == 0 { self.start } else { self.program.edge(self.edges[k - 1]).target }
    }

    /// A formula over the variables of position `k`, as it is said in the formulas of the path.
    pub fn at(&self, k: usize, formula: Term) -> Term {
        self.pool.version_all(formula, Version::Step(step(k)))
    }

    /// A formula of the path as one over the variables of position `k`; `None` when it mentions anything
    /// else.
    pub fn back(&self, k: usize, formula: Term) -> Option<Term> {
        let here: FxHashMap<Term, Term> =
            self.program.vars(self.location(k)).iter().map(|&v| (self.pool.at_step(v, step(k)), v)).collect();
        let own = self.pool.free_vars(formula).iter().all(|v| here.contains_key(v));
        own.then(|| self.pool.substitute(formula, &here))
    }

    /// The formulas of the edges in order, with what is known at their sources, and then that of the end.
    ///
    /// A variable that nothing later on the path reads gets no equation: only runs tell its value, and they
    /// are executed.
    pub fn parts(&self, question: &Question<'_>) -> Vec<Term> {
        self.parts_reading(question, &[])
    }

    /// The same, for queries that also read these variables at the end.
    pub fn parts_reading(&self, question: &Question<'_>, at_end: &[Term]) -> Vec<Term> {
        let pool = self.pool;
        let known = |k: usize| question.known.get(k).copied().unwrap_or_else(|| pool.tru());
        let mut parts = Vec::with_capacity(self.len() + 1);
        let end = pool.and2(known(self.len()), question.goal);
        let mut read: FxHashSet<Term> =
            pool.free_vars(end).into_iter().chain(at_end.iter().copied()).collect();
        parts.push(self.at(self.len(), end));
        for k in (0..self.len()).rev() {
            let edge = self.program.edge(self.edges[k]);
            let here = pool.and2(known(k), edge.guard);
            let assigned = self.program.vars(edge.target).iter().copied().zip(edge.update.iter().copied());
            let assigned: Vec<(Term, Term)> = assigned.filter(|(v, _)| read.contains(v)).collect();
            read = pool.free_vars(here).into_iter().collect();
            let mut conjuncts = vec![self.at(k, here)];
            for (v, value) in assigned {
                read.extend(pool.free_vars(value));
                conjuncts.push(pool.eq(pool.at_step(v, step(k + 1)), self.at(k, value)));
            }
            parts.push(pool.and(conjuncts));
        }
        parts.reverse();
        parts
    }

    /// Answers the question in one query, with interpolants when the answer is no.
    pub fn refute(&self, task: &Task<'_>, budget: &Budget, question: &Question<'_>) -> Refutation {
        let mut parts = self.parts(question);
        // At the error location nothing is asked for but being there: the last interpolant is false.
        let trivial_end = parts.last() == Some(&self.pool.tru());
        if trivial_end {
            parts.pop();
        }
        let settings = settings(task, budget);
        match task.solvers.interpolator(task.pool).interpolate(&parts, &settings) {
            Interpolation::Sat(model) => Refutation::Feasible(model),
            Interpolation::Unknown(why) => Refutation::Unknown(why.to_string()),
            Interpolation::Interpolants(mut sequence) => {
                sequence.extend(trivial_end.then(|| self.pool.fls()));
                let plain = sequence.iter().enumerate().map(|(i, &t)| self.back(i + 1, t)).collect();
                match plain {
                    Some(sequence) => Refutation::Interpolants(sequence),
                    None => Refutation::Unknown("an interpolant over foreign variables".into()),
                }
            }
        }
    }

    /// The run of a model, if the path starts at the entry and the run executes.
    pub fn run(&self, model: &Assignment) -> Option<Run> {
        let value = |v: Term, k: usize| {
            let copy = self.pool.at_step(v, step(k));
            model.get(copy).cloned().unwrap_or_else(|| Value::default_of(self.pool.sort(v)))
        };
        let initial = self.program.vars(self.start).iter().map(|&v| value(v, 0)).collect();
        let taken = |(k, &e): (usize, &EdgeId)| Step {
            edge: e,
            inputs: self.program.edge(e).inputs.iter().map(|&i| value(i, k)).collect(),
        };
        let run = Run { initial, steps: self.edges.iter().enumerate().map(taken).collect() };
        (self.start == self.program.entry && interpret(self.pool, self.program, &run).is_ok()).then_some(run)
    }
}

/// How paths are interpolated.
pub(crate) fn settings(task: &Task<'_>, budget: &Budget) -> Settings {
    let options = &task.options.path;
    let strength = match options.strength {
        options::Strength::Stronger => Strength::Stronger,
        options::Strength::Weaker => Strength::Weaker,
    };
    let limits = Limits {
        steps: (options.steps > 0).then_some(options.steps),
        interrupt: Some(budget.interrupt_flag()),
    };
    Settings { strength, simplify: options.simplify, limits }
}

/// A position as the step of an unrolling.
fn step(k: usize) -> u32 {
    u32::try_from(k).expect("fewer than 2^32 edges")
}
