//! `ic3-cfa`: IC3 on control-flow automata.
//!
//! After Lange, Neuhaeusser and Noll, "IC3 Software Model Checking on Control Flow Automata" (FMCAD 2015), whose function
//! names are kept: `prove` (Algorithm 1), `strengthen` (Algorithm 2), `backward_block` (Algorithm 3). The paper stops at
//! exact weakest preconditions without generalisation (`--preset paper`); here predecessors are projected and blocked
//! cubes are generalised.
//!
//! | idea | where |
//! |---|---|
//! | location-local, delta-encoded frames | [`crate::ic3::frames`] |
//! | edge-relative induction; `not s` only on self-loops | [`crate::ic3::consecution`] |
//! | obligation queue, lowest level first | [`crate::ic3::obligations`] |
//! | predecessors by projection, weakest precondition or lifting | [`crate::ic3::predecessor`] |
//! | core, `mic`, `ctgDown`, Farkas sums | [`crate::ic3::generalize`] |
//! | interpolants as candidates | [`crate::ic3::interpolant`] |
//! | global guidance: clusters and progressions | [`crate::ic3::guidance`] |
//! | triggered pushing, fixpoint, promotion | [`crate::ic3::push`] |
//! | long counterexamples by execution | [`crate::walk`] |
//! | the part of the invariant that is needed | [`crate::shrink`] |
//!
//! # Invariants (the paper's (b) and (c))
//! - `F(i, l) => F(i+1, l)`: by the delta encoding.
//! - `F(i, l) and edge(l, l') => F(i+1, l')'` for every edge: a lemma enters level `i+1` only after every incoming edge was
//!   refuted from `F(i)`.
//! - Every obligation's states reach the error location along its chain of edges.
//!
//! The error location is treated as an obligation like any other: the root, with the empty cube, one level above the
//! frontier.
//!
//! # What it does not do
//! - It never claims anything on the word of an undecided query: such a query is "not blocked" in generalisation and
//!   pushing, and ends the run with UNKNOWN in blocking.
//! - Lemmas are clauses over the variables of one location; an invariant that needs quantifiers is out of reach.
//! - Long counterexamples through many loop iterations are found by execution or not at all.

use palisade_program::{Loc, Run};
use palisade_term::Term;

use crate::ic3::by_location::{ByLocation, Way};
use crate::ic3::concretize::concretize;
use crate::ic3::frames::{ALWAYS, Frames};
use crate::ic3::generalize::{Blocked, Generalizer};
use crate::ic3::guidance::Guidance;
use crate::ic3::obligations::{Duty, ObligationId, Obligations};
use crate::ic3::predecessor::Concrete;
use crate::ic3::push::Pusher;
use crate::ic3::{Answer, At, Flavour as _, interpolant};
use crate::shrink::shrink;
use crate::walk::walk;
use crate::{Budget, Engine, Event, Observer, Outcome, Partial, Reason, Stop, Task, background};

/// The engine.
pub struct Ic3CfaEngine;

impl Engine for Ic3CfaEngine {
    fn name(&self) -> &'static str {
        "ic3-cfa"
    }

    fn about(&self) -> &'static str {
        "IC3 with frames per location, edge-relative induction, projection and global guidance"
    }

    fn run(&self, task: &Task<'_>, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
        Ic3Cfa::new(task, budget, observer).prove()
    }
}

/// On infinite state spaces, asking blocked obligations again at higher levels can go on for ever at one frontier. Past
/// this many steps, and this many more per level, only what the error location needs is blocked.
const PATIENCE: usize = 200;
const PATIENCE_PER_LEVEL: usize = 50;
/// Steps that one conjecture may take.
const MAY_STEPS: usize = 30;

/// The obligations after which the program is first run in search of a counterexample, and the effort of that search for
/// each of them.
const FIRST_WALK: usize = 128;
const EFFORT_PER_WORK: usize = 12;

/// Why blocking ended without success.
enum Failure {
    /// A real path: the obligation at the entry.
    Counterexample(ObligationId),
    /// An execution that reaches the error.
    Execution(Run),
    /// The solver could not decide.
    Unknown(String),
    /// The budget ended.
    Stopped(Stop),
}

/// What became of one obligation.
enum Progress {
    /// Blocked up to this level.
    Blocked(u32),
    /// A predecessor has to be blocked first.
    Predecessor(ObligationId),
}

/// Obligations of this engine.
type Queue = Obligations<Term>;

/// One run of the engine.
pub struct Ic3Cfa<'a, 'o> {
    task: Task<'a>,
    budget: Budget,
    observer: &'o mut dyn Observer,
    /// Frames and queries.
    ic3: ByLocation<'a>,
    generalizer: Generalizer,
    guidance: Guidance,
    pusher: Pusher<Way>,
    frontier: u32,
    /// Obligations processed at this frontier.
    steps: usize,
    /// How many of them before blocked ones are let go.
    patience: usize,
    /// Obligations processed at all frontiers.
    work: usize,
    busy_at: Option<Loc>,
}

impl<'a, 'o> Ic3Cfa<'a, 'o> {
    /// Prepares a run.
    pub fn new(task: &Task<'a>, budget: &Budget, observer: &'o mut dyn Observer) -> Ic3Cfa<'a, 'o> {
        let predecessors = Box::new(Concrete::new(task, budget));
        Ic3Cfa {
            task: *task,
            budget: budget.clone(),
            observer,
            ic3: ByLocation::new(task, budget, Frames::new(task.program), predecessors),
            generalizer: Generalizer::new(&task.options.generalize),
            guidance: Guidance::new(),
            pusher: Pusher::default(),
            frontier: 0,
            steps: 0,
            patience: PATIENCE,
            work: 0,
            busy_at: None,
        }
    }

    /// Algorithm 1: grows the frontier until the frames are inductive or a counterexample is found.
    pub fn prove(mut self) -> Outcome {
        if self.task.program.entry == self.task.program.error {
            return Outcome::Unsafe(Run::default());
        }
        let mut queue = Queue::new(Duty::Must);
        let root = queue.root(self.task.program.error, Vec::new());
        for (location, invariant) in background::invariants(&self.task, &self.budget) {
            self.ic3.assume(location, invariant, self.observer);
        }
        let outcome = loop {
            self.observer.event(Event::Bound(self.frontier));
            self.steps = 0;
            self.patience = PATIENCE + PATIENCE_PER_LEVEL * self.frontier as usize;
            if let Err(failure) = self.strengthen(&mut queue, root) {
                break self.conclude(&queue, failure);
            }
            if let Some(level) = self.pusher.push(&mut self.ic3, self.frontier, &self.budget, self.observer) {
                self.observer.event(Event::Fixpoint(level));
                break Outcome::Safe(shrink(&self.task, &self.budget, self.ic3.invariants(level)));
            }
            self.frontier += 1;
        };
        self.report(&queue);
        outcome
    }

    /// Algorithm 2: makes `F(frontier)` exclude every step into the error location.
    fn strengthen(&mut self, queue: &mut Queue, root: ObligationId) -> Result<(), Failure> {
        loop {
            self.backward_block(queue, self.frontier)?;
            match self.process(queue, root, self.frontier + 1)? {
                Progress::Blocked(_) => return Ok(()),
                Progress::Predecessor(cti) => queue.enqueue(cti, self.frontier),
            }
        }
    }

    /// Algorithm 3: works off the queue, lowest level first, up to a level. A conjecture that needs too many steps, or that a
    /// path from the entry refutes, is given up: false.
    fn backward_block(&mut self, queue: &mut Queue, up_to: u32) -> Result<bool, Failure> {
        let must = queue.duty == Duty::Must;
        for step in 0.. {
            let Some((id, level)) = queue.pop(up_to) else { break };
            self.budget.check().map_err(Failure::Stopped)?;
            if must {
                self.count_step()?;
            } else if step >= MAY_STEPS {
                return Ok(false);
            }
            match self.process(queue, id, level) {
                Ok(Progress::Predecessor(child)) => {
                    queue.enqueue(child, level - 1);
                    queue.enqueue(id, level);
                }
                Ok(Progress::Blocked(level)) => {
                    let again = must && self.task.options.ic3.reenqueue && self.steps < self.patience;
                    if again && level < ALWAYS {
                        // Beyond the frontier it waits for the frontier to grow.
                        queue.enqueue(id, level + 1);
                    }
                }
                Err(Failure::Stopped(stop)) => return Err(Failure::Stopped(stop)),
                Err(_) if !must => return Ok(false),
                Err(failure) => return Err(failure),
            }
        }
        Ok(true)
    }

    /// Much backward search hints at a long run: looks for one by executing the program whenever the work has doubled.
    fn count_step(&mut self) -> Result<(), Failure> {
        self.steps += 1;
        self.work += 1;
        if self.task.options.ic3.walk
            && self.work >= FIRST_WALK
            && self.work.is_power_of_two()
            && let Some(run) = walk(&self.task, &self.budget, EFFORT_PER_WORK * self.work)
        {
            return Err(Failure::Execution(run));
        }
        if self.steps.is_multiple_of(64) {
            self.observer.event(Event::Queries(self.ic3.consecution.stats().solved));
        }
        Ok(())
    }

    /// One obligation at one level: finds a predecessor, or excludes it.
    fn process(&mut self, queue: &mut Queue, id: ObligationId, level: u32) -> Result<Progress, Failure> {
        let location = queue.get(id).location;
        self.busy_at = Some(location);
        let is_error = location == self.task.program.error;
        if !is_error && self.ic3.frames.blocked(self.task.pool, location, &queue.get(id).cube, level) {
            return Ok(Progress::Blocked(level));
        }
        let at = At { location, level };
        match self.ic3.blocked(at, &queue.get(id).cube) {
            Answer::Yes(_) if is_error => Ok(Progress::Blocked(level)),
            Answer::Yes(core) => self.exclude(queue, id, at, core).map(Progress::Blocked),
            Answer::No(way) => self.predecessor(queue, id, &way, level).map(Progress::Predecessor),
            Answer::Undecided(why) => Err(Failure::Unknown(why)),
        }
    }

    /// Learns why a blocked obligation is unreachable; returns the level up to which it is blocked.
    fn exclude(
        &mut self,
        queue: &Queue,
        id: ObligationId,
        mut at: At,
        core: Vec<Term>,
    ) -> Result<u32, Failure> {
        let obligation = queue.get(id);
        let mut cube = obligation.cube.clone();
        // A lemma that holds higher generalises from weaker frames and is less accidental.
        let (level, mut core) = self.ic3.highest(at, self.frontier, &cube, core);
        at.level = level;
        if self.task.options.generalize.interpolants {
            core =
                interpolant::wider_cube(&self.task, &self.budget, &mut self.ic3, at, &core).unwrap_or(core);
            cube.clone_from(&core);
        }
        let relevant = obligation.next.and_then(|(e, next)| self.ic3.relevant(e, &queue.get(next).cube));
        let blocked = Blocked { cube: &cube, core, relevant: relevant.as_ref() };
        let lemma = self.generalizer.generalize(&mut self.ic3, at, blocked);
        self.ic3.tell(self.observer);
        let level = self.ic3.learn_up_to(self.frontier, at, lemma.clone(), self.observer);
        if queue.duty == Duty::Must && self.task.options.ic3.guidance {
            self.guide(At { location: at.location, level }, &lemma)?;
        }
        Ok(at.level)
    }

    /// The obligation of a predecessor; reaching the entry is a counterexample.
    fn predecessor(
        &mut self,
        queue: &mut Queue,
        id: ObligationId,
        (e, model): &Way,
        level: u32,
    ) -> Result<ObligationId, Failure> {
        let source = self.task.program.edge(*e).source;
        let states = self.ic3.predecessors.cube(*e, model, &queue.get(id).cube);
        let child = queue.predecessor(id, (*e, source), states, level - 1, self.observer);
        if source == self.task.program.entry {
            return Err(Failure::Counterexample(child));
        }
        Ok(child)
    }

    /// Tries the conjectures that the new lemma suggests: may-obligations. Everything learned on the way is sound; a failure
    /// costs a bounded number of steps and nothing else.
    fn guide(&mut self, at: At, lemma: &[Term]) -> Result<(), Failure> {
        let progressions = self.task.options.ic3.progressions;
        for cube in self.guidance.observe(self.task.pool, at.location, lemma, progressions) {
            if self.ic3.frames.blocked(self.task.pool, at.location, &cube, at.level) {
                continue;
            }
            self.guidance.tried += 1;
            let mut queue = Queue::new(Duty::May);
            let root = queue.root(at.location, cube);
            queue.enqueue(root, at.level);
            if self.backward_block(&mut queue, at.level)? {
                self.guidance.proved += 1;
                break;
            }
        }
        Ok(())
    }

    /// The outcome of a run that could not be blocked.
    fn conclude(&mut self, queue: &Queue, failure: Failure) -> Outcome {
        match failure {
            Failure::Counterexample(at) => concretize(&self.task, &self.budget, queue, at, self.observer)
                .map_or_else(|why| Outcome::Unknown(why, self.partial()), Outcome::Unsafe),
            Failure::Execution(run) => {
                let edges: Vec<_> = run.steps.iter().map(|s| s.edge).collect();
                self.observer.event(Event::Counterexample(&edges));
                Outcome::Unsafe(run)
            }
            Failure::Unknown(why) => Outcome::Unknown(Reason::Solver(why), self.partial()),
            Failure::Stopped(stop) => Outcome::Unknown(Reason::Stopped(stop), self.partial()),
        }
    }

    /// What is known when the run ends without an answer.
    fn partial(&self) -> Partial {
        Partial {
            safe_bound: self.frontier.checked_sub(1),
            stuck_at: self.busy_at,
            invariants: self.ic3.frames.always(),
            notes: vec![format!("frontier {}, {} lemmas", self.frontier, self.ic3.frames.len())],
        }
    }

    /// The counters of the run.
    fn report(&mut self, queue: &Queue) {
        let own = [
            ("obligations", queue.made() as u64),
            ("conjectures", self.guidance.tried),
            ("conjectures proved", self.guidance.proved),
            ("frontier", u64::from(self.frontier)),
        ];
        let parts = self.ic3.counters().into_iter().chain(self.generalizer.counters());
        for (name, value) in parts.chain(self.pusher.counters()).chain(own) {
            self.observer.event(Event::Counter(name, value));
        }
    }
}
