//! `pdr-cfg`: PDR lifted to control-flow graphs.
//!
//! After Werner, "Property Directed Reachability in Ultimate" (2018), chapter 4, Algorithm 2. The algorithm
//! as it stands there: frames per location; every level starts with one obligation per edge into the error
//! location; an obligation is blocked when every incoming edge is refuted from the frame below, else its
//! weakest precondition becomes an obligation one level down; there is no propagation phase, only the search
//! for a level where all frames repeat. Induction is not relative.
//!
//! The improvements of section 4.4 are switches (`--preset paper` turns them off):
//! - `pdr-cfg.dnf`: an obligation is one cube of the disjunctive normal form of the weakest precondition, the
//!   one that the model satisfies;
//! - `pdr-cfg.syntactic`: parts of an obligation that the source's frame already contains are dropped;
//! - `pdr-cfg.core`: a blocked obligation is reduced to the literals that its queries needed;
//! - `pdr-cfg.interpolants`: what is learned is an interpolant between the frames below the edges and the
//!   obligation (the thesis leaves this as an open end). Where none is found, the obligation's negation is
//!   learned.
//!
//! Inputs of edges are projected out under the model where the weakest precondition mentions them.
//!
//! Entry point: [`PdrCfgEngine`]. The frames, queries and queue are shared with `ic3-cfa`.
//!
//! # What it does not do
//! It does not generalise beyond the switches above and does not push lemmas, so it diverges on most loops
//! that need an inequality; it is here to compare with.

use palisade_ic3::frames::Frames;
use palisade_program::{EdgeId, Run};
use palisade_term::{Assignment, Term};
use rustc_hash::FxHashSet;

use crate::ic3::by_location::invariants;
use crate::ic3::concretize::concretize;
use crate::ic3::consecution::{Consecution, CubeAnswer, Induction};
use crate::ic3::obligations::{Duty, ObligationId, Obligations, predecessor};
use crate::ic3::predecessor::{projected, weakest_precondition};
use crate::ic3::{FrameId, interpolant};
use crate::shrink::shrink;
use crate::{Budget, Engine, Event, Observer, Outcome, Partial, Reason, Task, learned, literal};

/// The engine.
pub struct PdrCfgEngine;

impl Engine for PdrCfgEngine {
    fn name(&self) -> &'static str {
        "pdr-cfg"
    }

    fn about(&self) -> &'static str {
        "PDR lifted to control-flow graphs: weakest preconditions, frames per location, no propagation"
    }

    fn run(&self, task: &Task<'_>, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
        PdrCfg::new(task, budget, observer).prove()
    }
}

/// Weakest preconditions with more nodes than this are split even without the switch.
const MAX_WP: usize = 5_000;

struct PdrCfg<'a, 'o> {
    task: Task<'a>,
    budget: Budget,
    observer: &'o mut dyn Observer,
    consecution: Consecution<'a>,
    frames: Frames,
    obligations: Obligations<Term>,
    level: u32,
}

/// How the blocking of a level ended.
enum Blocking {
    Done,
    Counterexample(ObligationId),
    Failed(Reason),
}

impl<'a, 'o> PdrCfg<'a, 'o> {
    fn new(task: &Task<'a>, budget: &Budget, observer: &'o mut dyn Observer) -> Self {
        PdrCfg {
            task: *task,
            budget: budget.clone(),
            observer,
            consecution: Consecution::new(task, budget),
            frames: Frames::without_distances(task.program),
            obligations: Obligations::new(Duty::Must),
            level: 0,
        }
    }

    /// `lifted-PDR-prove`.
    fn prove(mut self) -> Outcome {
        let program = self.task.program;
        if program.entry == program.error {
            return Outcome::Unsafe(Run::default());
        }
        let root = self.obligations.root(program.error, Vec::new(), ());
        loop {
            self.observer.event(Event::Bound(self.level));
            // The initial obligations: the error location one step above the level; its predecessors are the
            // edges into it.
            self.obligations.enqueue(root, self.level + 1);
            match self.block() {
                Blocking::Done => {}
                Blocking::Counterexample(at) => {
                    return concretize(&self.task, &self.budget, &self.obligations, at, self.observer)
                        .map_or_else(|why| Outcome::Unknown(why, self.partial()), Outcome::Unsafe);
                }
                Blocking::Failed(reason) => return Outcome::Unknown(reason, self.partial()),
            }
            if let Some(i) = self.global_fixpoint() {
                self.observer.event(Event::Fixpoint(i));
                let found = invariants(&self.consecution, &self.frames, i);
                return Outcome::Safe(shrink(&self.task, &self.budget, found));
            }
            self.level += 1;
        }
    }

    /// A level at which the frames of all locations equal those of the level above.
    fn global_fixpoint(&self) -> Option<u32> {
        (self.frames.diameter().max(1)..=self.level).find(|&i| self.frames.exactly(i).is_empty())
    }

    /// The blocking phase.
    fn block(&mut self) -> Blocking {
        let program = self.task.program;
        while let Some((id, level)) = self.obligations.pop(self.level + 1) {
            if let Err(stop) = self.budget.check() {
                return Blocking::Failed(Reason::Stopped(stop));
            }
            let location = self.obligations.get(id).place;
            let t = self.obligations.get(id).cube.clone();
            let is_error = location == program.error;
            if !is_error && self.frames.blocked(self.task.pool, location, &t, level) {
                continue;
            }
            match self.consecution.cube(&self.frames, location, &t, level, Induction::Plain) {
                CubeAnswer::Predecessor(e, model) => {
                    let source = program.edge(e).source;
                    let p = self.weakest_precondition(e, &t, &model, level - 1);
                    let child =
                        predecessor(&mut self.obligations, id, (e, source), p, level - 1, self.observer);
                    if source == program.entry {
                        return Blocking::Counterexample(child);
                    }
                    self.obligations.enqueue(child, level - 1);
                    self.obligations.enqueue(id, level);
                }
                CubeAnswer::Blocked(core) if !is_error => {
                    self.strengthen(FrameId { location, level }, t, core)
                }
                CubeAnswer::Blocked(_) => {}
                CubeAnswer::Unknown(why) => return Blocking::Failed(Reason::Solver(why)),
            }
        }
        Blocking::Done
    }

    /// Adds what excludes the blocked obligation to all frames up to the level.
    fn strengthen(&mut self, at: FrameId, t: Vec<Term>, core: Vec<Term>) {
        let (task, options) = (&self.task, &self.task.options.pdr_cfg);
        let mut cube = if options.core { core } else { t };
        if options.interpolants {
            let edges = self.consecution.incoming(at.location);
            let found = interpolant::of_blocked_cube(task, &self.budget, &self.frames, at, edges, &cube);
            cube = found.map_or(cube, |formula| vec![task.pool.not(formula)]);
        }
        if self.observer.wants_detail() {
            let formula = literal::clause(task.pool, &cube);
            learned(self.observer, Some(at.level), at.location, formula, "block");
        }
        self.frames.add(task.pool, at.location, cube, at.level);
    }

    /// The states before the edge from which it leads into `t`.
    fn weakest_precondition(&self, e: EdgeId, t: &[Term], model: &Assignment, level: u32) -> Vec<Term> {
        let Task { pool, program, options, .. } = self.task;
        let exact = !options.pdr_cfg.dnf;
        let mut cube = (exact.then(|| weakest_precondition(pool, program, e, t, MAX_WP)).flatten())
            .unwrap_or_else(|| projected(pool, program, e, model, t));
        if options.pdr_cfg.syntactic {
            let framed: FxHashSet<Term> = (self.frames.at(program.edge(e).source))
                .filter(|(_, m)| m.level >= level)
                .map(|(_, m)| m.formula)
                .collect();
            cube.retain(|a| !framed.contains(a));
        }
        cube
    }

    fn partial(&self) -> Partial {
        Partial {
            safe_bound: self.level.checked_sub(1),
            notes: vec![format!("level {}, {} lemmas", self.level, self.frames.len())],
            ..Partial::default()
        }
    }
}
