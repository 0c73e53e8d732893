//! The plain loop of IC3: block bad states, push, repeat. `ic3` and `ic3-ia` are made of it.
//!
//! After Cimatti and Griggio, "Software Model Checking via IC3" (CAV 2012), Figure 1, which lifts Bradley, "SAT-Based Model
//! Checking without Unrolling" (VMCAI 2011), from SAT to SMT:
//!
//! | Figure 1 | here |
//! |---|---|
//! | `trace`, a list of clause sets | [`Frames`], delta-encoded |
//! | `c is a cube of trace.last() and not P` | a predecessor of the error location |
//! | relative induction, query (1) | [`super::consecution`], with `not c` on self-loops |
//! | APPROX-PREIMAGE | [`super::predecessor`] |
//! | generalisation, propagation | [`super::generalize`], [`super::push`] |
//!
//! Initial states are the edges from the entry, so that initiation is one more edge to refute. The bad states are an
//! obligation like any other: the root, with the empty cube, one level above the frontier.
//!
//! What a path from the entry means is the engine's business: with exact predecessors it is a counterexample, with abstract
//! ones it may be spurious ([`Obstacle::Path`]).
//!
//! Entry points: [`Ic3::block`] and [`Ic3::push`].

use palisade_program::EdgeId;
use palisade_term::Term;

use super::by_location::{ByLocation, Way};
use super::frames::Frames;
use super::generalize::{Blocked, Generalizer};
use super::obligations::{Duty, ObligationId, Obligations};
use super::predecessor::Predecessors;
use super::push::Pusher;
use super::{Answer, At, Flavour as _};
use crate::{Budget, Event, Observer, Partial, Reason, Task, options};

/// Why blocking ended without success.
pub enum Obstacle {
    /// The obligations form a path from the entry: its first one.
    Path(ObligationId),
    /// No answer.
    Unknown(Reason),
}

/// The state of a run.
pub struct Ic3<'a> {
    task: Task<'a>,
    budget: Budget,
    /// Frames and queries.
    pub lemmas: ByLocation<'a>,
    /// From blocked cubes to lemmas.
    pub generalizer: Generalizer,
    pusher: Pusher<Way>,
    /// What is to be blocked.
    pub obligations: Obligations<Term>,
    root: ObligationId,
    /// The highest level.
    pub frontier: u32,
}

impl<'a> Ic3<'a> {
    /// Empty frames.
    pub fn new(
        task: &Task<'a>,
        budget: &Budget,
        predecessors: Box<dyn Predecessors + 'a>,
        generalize: &options::Generalize,
    ) -> Ic3<'a> {
        let mut obligations = Obligations::new(Duty::Must);
        let root = obligations.root(task.program.error, Vec::new());
        Ic3 {
            task: *task,
            budget: budget.clone(),
            lemmas: ByLocation::new(task, budget, Frames::new(task.program), predecessors),
            generalizer: Generalizer::new(generalize),
            pusher: Pusher::default(),
            obligations,
            root,
            frontier: 0,
        }
    }

    /// The blocking phase: blocks bad cubes and their predecessors until the frontier excludes every step into the error.
    pub fn block(&mut self, observer: &mut dyn Observer) -> Result<(), Obstacle> {
        self.obligations.enqueue(self.root, self.frontier + 1);
        while let Some((id, level)) = self.obligations.pop(self.frontier + 1) {
            self.budget.check().map_err(|stop| Obstacle::Unknown(Reason::Stopped(stop)))?;
            let location = self.obligations.get(id).location;
            let cube = self.obligations.get(id).cube.clone();
            let at = At { location, level };
            let is_bad = id == self.root;
            if !is_bad && self.lemmas.frames.blocked(self.task.pool, location, &cube, level) {
                continue;
            }
            match self.lemmas.blocked(at, &cube) {
                Answer::No(way) => self.predecessor(id, &cube, &way, level, observer)?,
                Answer::Yes(_) if is_bad => {}
                Answer::Yes(core) => self.learn(id, at, &cube, core, observer),
                Answer::Undecided(why) => return Err(Obstacle::Unknown(Reason::Solver(why))),
            }
        }
        Ok(())
    }

    /// The states of a way in have to be blocked first, one level below.
    fn predecessor(
        &mut self,
        id: ObligationId,
        cube: &[Term],
        (e, model): &Way,
        level: u32,
        observer: &mut dyn Observer,
    ) -> Result<(), Obstacle> {
        let source = self.task.program.edge(*e).source;
        let states = self.lemmas.predecessors.cube(*e, model, cube);
        let child = self.obligations.predecessor(id, (*e, source), states, level - 1, observer);
        if source == self.task.program.entry {
            return Err(Obstacle::Path(child));
        }
        self.obligations.enqueue(child, level - 1);
        self.obligations.enqueue(id, level);
        Ok(())
    }

    /// Generalises a blocked cube, adds its negation, and asks the obligation again one level higher.
    fn learn(
        &mut self,
        id: ObligationId,
        mut at: At,
        cube: &[Term],
        core: Vec<Term>,
        observer: &mut dyn Observer,
    ) {
        let (level, core) = self.lemmas.highest(at, self.frontier, cube, core);
        at.level = level;
        let next = self.obligations.get(id).next;
        let relevant = next.and_then(|(e, next)| self.lemmas.relevant(e, &self.obligations.get(next).cube));
        let blocked = Blocked { cube, core, relevant: relevant.as_ref() };
        let lemma = self.generalizer.generalize(&mut self.lemmas, at, blocked);
        self.lemmas.tell(observer);
        self.lemmas.learn_up_to(self.frontier, at, lemma, observer);
        if self.task.options.ic3.reenqueue && at.level < self.frontier {
            self.obligations.enqueue(id, at.level + 1);
        }
    }

    /// The propagation phase; a level whose frames are inductive ends the run.
    pub fn push(&mut self, observer: &mut dyn Observer) -> Option<u32> {
        self.pusher.push(&mut self.lemmas, self.frontier, &self.budget, observer)
    }

    /// Forgets all obligations; lemmas stay.
    pub fn forget_obligations(&mut self) {
        self.obligations = Obligations::new(Duty::Must);
        self.root = self.obligations.root(self.task.program.error, Vec::new());
    }

    /// The edges of the path that begins with an obligation.
    pub fn path(&self, first: ObligationId) -> Vec<EdgeId> {
        self.obligations.chain(first).into_iter().map(|(e, _)| e).collect()
    }

    /// What is known when the run ends without an answer.
    pub fn partial(&self) -> Partial {
        Partial {
            safe_bound: self.frontier.checked_sub(1),
            invariants: self.lemmas.frames.always(),
            notes: vec![format!("frontier {}, {} lemmas", self.frontier, self.lemmas.frames.len())],
            ..Partial::default()
        }
    }

    /// The counters of the run.
    pub fn report(&self, observer: &mut dyn Observer) {
        let own = [("obligations", self.obligations.made() as u64), ("frontier", u64::from(self.frontier))];
        let parts = self.lemmas.counters().into_iter().chain(self.generalizer.counters());
        for (name, value) in parts.chain(self.pusher.counters()).chain(own) {
            observer.event(Event::Counter(name, value));
        }
    }
}
