//! `pdr-cfg`: the lifted PDR of seed 002 (J. Werner, "Property Directed Reachability in Ultimate", 2018), chapter 4, Algorithm 2.
//!
//! The algorithm as it stands there: frames per location; every level starts with one obligation per edge into the error location; an obligation is
//! blocked when every incoming edge is refuted from the frame below, else its weakest precondition becomes an obligation one level down; there is no
//! propagation phase, only the search for a level where all frames repeat. Induction is not relative.
//!
//! The improvements of §4.4 are switches:
//! - `pdr-cfg.dnf`: an obligation is one cube of the disjunctive normal form of the weakest precondition, the one that the model satisfies;
//! - `pdr-cfg.syntactic`: parts of an obligation that the edge does not assign and the source's frame already contains are dropped;
//! - `pdr-cfg.core`: a blocked obligation is reduced to the literals that its queries needed;
//! - `pdr-cfg.interpolants`: what is learned is an interpolant between the frames below the edges and the obligation (the thesis leaves this as an open
//!   end): the disjunction over the incoming edges of interpolants of `F and T` against `t'`. Where none is found, the obligation's negation is learned.
//!
//! Inputs of edges are projected out under the model where the weakest precondition mentions them.
//!
//! Entry point: [`PdrCfgEngine`]. The frames, queries and queue are shared with `ic3-cfa`.

use palisade_program::{EdgeId, Loc, Run};
use palisade_smt::project;
use palisade_term::{Assignment, Term};
use rustc_hash::FxHashSet;

use crate::concretize::concretize;
use crate::consecution::{Consecution, EdgeAnswer};
use crate::frames::Frames;
use crate::obligations::{Obligation, ObligationId, Obligations};
use crate::push::invariants;
use crate::shrink::shrink;
use crate::{Budget, Engine, Event, Observer, Outcome, Partial, Reason, Task, interpolant};

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
    q: Consecution<'a>,
    frames: Frames,
    obligations: Obligations,
    dnf: bool,
    syntactic: bool,
    core: bool,
    interpolants: bool,
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
            q: Consecution::new(task.pool, task.program, task.solvers, budget, task.options.general.solvers),
            frames: Frames::without_distances(task.program),
            obligations: Obligations::new(),
            dnf: task.options.pdr_cfg.dnf,
            syntactic: task.options.pdr_cfg.syntactic,
            core: task.options.pdr_cfg.core,
            interpolants: task.options.pdr_cfg.interpolants,
            level: 0,
        }
    }

    /// `lifted-PDR-prove`.
    fn prove(mut self) -> Outcome {
        let program = self.task.program;
        if program.entry == program.error {
            return Outcome::Unsafe(Run::default());
        }
        let root = self.obligations.create(Obligation {
            location: program.error,
            cube: Vec::new(),
            next: None,
            depth: 0,
        });
        loop {
            self.observer.event(Event::Bound(self.level));
            // The initial obligations: the error location one step above the level, whose predecessors are the edges into it.
            self.obligations.enqueue(root, self.level + 1);
            match self.block() {
                Blocking::Done => {}
                Blocking::Counterexample(at) => {
                    return concretize(&self.task, &self.obligations, at, self.observer)
                        .map_or_else(|why| Outcome::Unknown(why, self.partial()), Outcome::Unsafe);
                }
                Blocking::Failed(reason) => return Outcome::Unknown(reason, self.partial()),
            }
            if let Some(i) = self.global_fixpoint() {
                self.observer.event(Event::Fixpoint(i));
                let found = invariants(&self.q, &self.frames, i);
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
        while let Some((id, level)) = self.obligations.pop(self.level + 1) {
            if let Err(stop) = self.budget.check() {
                return Blocking::Failed(Reason::Stopped(stop));
            }
            let (location, t) = {
                let o = self.obligations.get(id);
                (o.location, o.cube.clone())
            };
            if location != self.task.program.error && self.frames.blocked(self.task.pool, location, &t, level)
            {
                continue;
            }
            let edges = self.q.incoming(location).to_vec();
            let mut core: Vec<Term> = Vec::new();
            let mut open = None;
            for &e in &edges {
                match self.q.edge(&self.frames, e, level - 1, &t, false) {
                    EdgeAnswer::Blocked(part) => core.extend(part),
                    EdgeAnswer::Predecessor(model) => {
                        open = Some((e, model));
                        break;
                    }
                    EdgeAnswer::Unknown(why) => return Blocking::Failed(Reason::Solver(why)),
                }
            }
            match open {
                Some((e, model)) => {
                    let source = self.task.program.edge(e).source;
                    let p = self.weakest_precondition(e, &t, &model, level - 1);
                    let depth = self.obligations.get(id).depth + 1;
                    let child = Obligation { location: source, cube: p, next: Some((e, id)), depth };
                    let child = self.obligations.create(child);
                    self.report_obligation(child, id, level - 1);
                    if source == self.task.program.entry {
                        return Blocking::Counterexample(child);
                    }
                    self.obligations.enqueue(child, level - 1);
                    self.obligations.enqueue(id, level);
                }
                None if location == self.task.program.error => {}
                None => self.strengthen(location, &edges, t, core, level),
            }
        }
        Blocking::Done
    }

    /// Adds what excludes the blocked obligation to all frames up to the level.
    fn strengthen(&mut self, l: Loc, edges: &[EdgeId], t: Vec<Term>, mut core: Vec<Term>, level: u32) {
        core.sort_unstable();
        core.dedup();
        let mut cube = if self.core { core } else { t };
        if self.interpolants
            && let Some(i) =
                interpolant::of_blocked_cube(&self.task, &self.budget, &self.frames, l, edges, &cube, level)
        {
            cube = vec![self.task.pool.not(i)];
        }
        if self.observer.wants_detail() {
            let formula = crate::literal::clause(self.task.pool, &cube);
            self.observer.event(Event::Lemma { level: Some(level), location: l, formula, by: "block" });
        }
        self.frames.add(self.task.pool, l, cube, level);
    }

    /// The states before the edge from which it leads into `t`.
    fn weakest_precondition(&self, e: EdgeId, t: &[Term], model: &Assignment, level: u32) -> Vec<Term> {
        let pool = self.task.pool;
        let edge = self.task.program.edge(e);
        let pre = self.task.program.pre(pool, e, pool.and(t.iter().copied()));
        let vars = pool.free_vars(pre);
        let exact = !edge.inputs.iter().any(|i| vars.contains(i)) && pool.dag_size(pre) <= MAX_WP;
        let mut cube = if exact && !self.dnf {
            pool.conjuncts(pool.nnf(pre))
        } else {
            project::preimage(pool, pre, model, &edge.inputs)
        };
        if self.syntactic {
            let framed: FxHashSet<Term> = (self.frames.at(edge.source))
                .filter(|(_, m)| m.level >= level)
                .map(|(_, m)| m.formula)
                .collect();
            cube.retain(|a| !framed.contains(a));
        }
        cube
    }

    fn report_obligation(&mut self, child: ObligationId, parent: ObligationId, level: u32) {
        if self.observer.wants_detail() {
            let o = self.obligations.get(child);
            self.observer.event(Event::Obligation {
                id: child.number(),
                parent: Some(parent.number()),
                level,
                location: o.location,
                cube: &o.cube,
            });
        }
    }

    fn partial(&self) -> Partial {
        Partial {
            safe_bound: self.level.checked_sub(1),
            notes: vec![format!("level {}, {} lemmas", self.level, self.frames.len())],
            ..Partial::default()
        }
    }
}
