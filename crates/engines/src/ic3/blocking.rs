//! The loop of IC3 on a program: strengthen the frontier, push, grow. `ic3-cfa`, `ic3` and `ic3-ia` are made
//! of it.
//!
//! After Lange, Neuhaeusser and Noll, "IC3 Software Model Checking on Control Flow Automata" (FMCAD 2015),
//! whose function names are kept: `Ic3::strengthen` (Algorithm 2), `backward_block` (Algorithm 3). On a
//! program that is one loop it is Figure 1 of Cimatti and Griggio, "Software Model Checking via IC3" (CAV
//! 2012), which lifts Bradley, "SAT-Based Model Checking without Unrolling" (VMCAI 2011), from SAT to SMT:
//!
//! | Figure 1 | here |
//! |---|---|
//! | `trace`, a list of clause sets | [`Frames`], delta-encoded |
//! | `c is a cube of trace.last() and not P` | a predecessor of the error location |
//! | relative induction, query (1) | [`super::consecution`], with `not c` on self-loops |
//! | APPROX-PREIMAGE | [`super::predecessor`], with `ic3.cubes` cubes |
//! | generalisation, propagation | [`super::generalize`], [`super::push`] |
//!
//! Initial states are the edges from the entry, so initiation is one more edge to refute. The error location
//! is an obligation like any other: the root, with the empty cube, one level above the frontier. Lemmas that
//! repeat themselves suggest conjectures ([`super::guidance`]), which are blocked as may-obligations. Much
//! backward search hints at a long run, which is looked for by execution ([`crate::walk`]).
//!
//! What a path from the entry means is the engine's business ([`Path`]): with exact predecessors it is a
//! counterexample, with abstract ones it may be spurious, and the engine refines.
//!
//! # Invariants
//! - `F(i, l) => F(i+1, l)`: by the delta encoding.
//! - `F(i, l) and edge(l, l') => F(i+1, l')'` for every edge: a lemma enters level `i+1` only after every
//!   incoming edge was refuted from `F(i)`.
//!
//! Entry points: [`Ic3::prove`], and [`Ic3::run_exactly`] for engines that refine nothing.

use palisade_ic3::frames::{ALWAYS, Frames};
use palisade_program::{EdgeId, Loc, Run};
use palisade_term::Term;

use super::by_location::{ByLocation, Way};
use super::concretize::concretize;
use super::consecution::Induction;
use super::edge_solvers::EdgeAnswer;
use super::generalize::{Blocked, Generalizer};
use super::guidance::Guidance;
use super::obligations::{self, Duty, ObligationId, Obligations};
use super::predecessor::{Concrete, Predecessors};
use super::push::Pusher;
use super::{Answer, Flavour as _, FrameId, interpolant};
use crate::shrink::shrink;
use crate::timed::Timed;
use crate::walk::walk;
use crate::{Budget, Event, Observer, Outcome, Partial, Reason, Task, background, literal, options};

/// On infinite state spaces, asking blocked obligations again at higher levels can go on for ever at one
/// frontier. Past this many steps, and this many more per level, only what the error location needs is
/// blocked.
const PATIENCE: usize = 200;
const PATIENCE_PER_LEVEL: usize = 50;
/// Steps that one conjecture may take.
const MAY_STEPS: usize = 30;

/// The obligations after which the program is first run in search of a counterexample, and the effort of that
/// search for each of them.
const FIRST_WALK: usize = 128;
const EFFORT_PER_WORK: usize = 12;

/// What an engine makes of a path from the entry to the error.
pub enum Path {
    /// It is a counterexample.
    Real(Run),
    /// It is excluded now: the search goes on.
    Refined,
}

/// Decides what the path is that begins with an obligation.
pub type Decide<'d, 'a> =
    dyn FnMut(&mut Ic3<'a>, ObligationId, &mut dyn Observer) -> Result<Path, Reason> + 'd;

/// Why strengthening ended without success.
enum Obstacle {
    /// The obligations form a path from the entry: its first one.
    Path(ObligationId),
    /// An execution that reaches the error.
    Execution(Run),
    /// No answer.
    Unknown(Reason),
}

/// What became of one obligation.
enum Progress {
    /// Blocked up to this level.
    Blocked(u32),
    /// Predecessors have to be blocked first.
    Predecessors(Vec<ObligationId>),
}

/// Obligations over terms.
type Queue = Obligations<Term>;

/// The state of a run.
pub struct Ic3<'a> {
    task: Task<'a>,
    budget: Budget,
    /// Frames and queries.
    pub lemmas: ByLocation<'a>,
    generalizer: Generalizer,
    guidance: Guidance,
    pusher: Pusher<Way>,
    /// What is to be blocked.
    pub obligations: Queue,
    root: ObligationId,
    /// The highest level.
    pub frontier: u32,
    /// Conjectures that were proved, as the cubes they exclude.
    pub proved: Vec<(Loc, Vec<Term>)>,
    /// Obligations processed at this frontier.
    steps: usize,
    /// How many of them before blocked ones are let go.
    patience: usize,
    /// Obligations processed at all frontiers.
    work: usize,
    busy_at: Option<Loc>,
}

impl<'a> Ic3<'a> {
    /// Empty frames.
    pub fn new(
        task: &Task<'a>,
        budget: &Budget,
        predecessors: Box<dyn Predecessors + 'a>,
        generalize: &options::Generalize,
    ) -> Ic3<'a> {
        let mut obligations = Queue::new(Duty::Must);
        let root = obligations.root(task.program.error, Vec::new(), ());
        Ic3 {
            task: *task,
            budget: budget.clone(),
            lemmas: ByLocation::new(task, budget, Frames::new(task.program), predecessors),
            generalizer: Generalizer::new(generalize),
            guidance: Guidance::new(),
            pusher: Pusher::default(),
            obligations,
            root,
            frontier: 0,
            proved: Vec::new(),
            steps: 0,
            patience: PATIENCE,
            work: 0,
            busy_at: None,
        }
    }

    /// A whole run with exact predecessors, where every path from the entry is a counterexample.
    pub fn run_exactly(task: &Task<'a>, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
        let timed = Timed::new(task.solvers);
        let task = &Task { solvers: &timed, ..*task };
        let predecessors = Box::new(Concrete::new(task, budget));
        let mut ic3 = Ic3::new(task, budget, predecessors, &task.options.generalize);
        ic3.assume_background(observer);
        let outcome = ic3.prove(&mut |ic3, first, observer| ic3.concretize(first, observer), observer);
        ic3.report(observer);
        timed.report(observer);
        outcome
    }

    /// Begins with what the background analyses know, as lemmas of all levels.
    pub fn assume_background(&mut self, observer: &mut dyn Observer) {
        for (location, invariant) in background::invariants(&self.task, &self.budget) {
            self.lemmas.assume(location, invariant, observer);
        }
    }

    /// Algorithm 1: grows the frontier until the frames are inductive or a counterexample is found. `decide`
    /// is asked about every path from the entry to the error that the obligations form.
    pub fn prove(&mut self, decide: &mut Decide<'_, 'a>, observer: &mut dyn Observer) -> Outcome {
        loop {
            observer.event(Event::Bound(self.frontier));
            match self.strengthen(observer) {
                Ok(()) => {}
                Err(Obstacle::Path(first)) => match decide(self, first, observer) {
                    Ok(Path::Refined) => continue,
                    Ok(Path::Real(run)) => return Outcome::Unsafe(run),
                    Err(reason) => return Outcome::Unknown(reason, self.partial()),
                },
                Err(Obstacle::Execution(run)) => {
                    let edges: Vec<_> = run.steps.iter().map(|s| s.edge).collect();
                    observer.event(Event::Counterexample(&edges));
                    return Outcome::Unsafe(run);
                }
                Err(Obstacle::Unknown(reason)) => return Outcome::Unknown(reason, self.partial()),
            }
            if let Some(level) = self.push(observer) {
                observer.event(Event::Fixpoint(level));
                return Outcome::Safe(shrink(&self.task, &self.budget, self.lemmas.invariants(level)));
            }
            self.frontier += 1;
        }
    }

    /// The run of a path whose obligations are exact: each leads into the next for some inputs.
    fn concretize(&mut self, first: ObligationId, observer: &mut dyn Observer) -> Result<Path, Reason> {
        concretize(&self.task, &self.budget, &self.obligations, first, observer).map(Path::Real)
    }

    /// Algorithm 2: makes `F(frontier)` exclude every step into the error location.
    fn strengthen(&mut self, observer: &mut dyn Observer) -> Result<(), Obstacle> {
        self.steps = 0;
        self.patience = PATIENCE + PATIENCE_PER_LEVEL * self.frontier as usize;
        let mut queue = std::mem::replace(&mut self.obligations, Queue::new(Duty::Must));
        let result = self.exclude_error(&mut queue, observer);
        self.obligations = queue;
        result
    }

    fn exclude_error(&mut self, queue: &mut Queue, observer: &mut dyn Observer) -> Result<(), Obstacle> {
        loop {
            self.backward_block(queue, self.frontier, observer)?;
            match self.process(queue, self.root, self.frontier + 1, observer)? {
                Progress::Blocked(_) => return Ok(()),
                Progress::Predecessors(ctis) => {
                    ctis.into_iter().for_each(|cti| queue.enqueue(cti, self.frontier));
                }
            }
        }
    }

    /// Algorithm 3: works off the queue, lowest level first, up to a level. A conjecture that needs too many
    /// steps, or that a path from the entry refutes, is given up: false.
    fn backward_block(
        &mut self,
        queue: &mut Queue,
        up_to: u32,
        observer: &mut dyn Observer,
    ) -> Result<bool, Obstacle> {
        let must = queue.duty == Duty::Must;
        for step in 0.. {
            let Some((id, level)) = queue.pop(up_to) else { break };
            self.budget.check().map_err(|stop| Obstacle::Unknown(Reason::Stopped(stop)))?;
            if must {
                self.count_step(observer)?;
            } else if step >= MAY_STEPS {
                return Ok(false);
            }
            match self.process(queue, id, level, observer) {
                Ok(Progress::Predecessors(children)) => {
                    children.into_iter().for_each(|child| queue.enqueue(child, level - 1));
                    queue.enqueue(id, level);
                }
                Ok(Progress::Blocked(level)) => {
                    let again = must && self.task.options.ic3.reenqueue && self.steps < self.patience;
                    if again && level < ALWAYS {
                        // Beyond the frontier it waits for the frontier to grow.
                        queue.enqueue(id, level + 1);
                    }
                }
                Err(Obstacle::Unknown(Reason::Stopped(stop))) => {
                    return Err(Obstacle::Unknown(Reason::Stopped(stop)));
                }
                Err(_) if !must => return Ok(false),
                Err(obstacle) => return Err(obstacle),
            }
        }
        Ok(true)
    }

    /// Much backward search hints at a long run: looks for one by executing the program whenever the work has
    /// doubled.
    fn count_step(&mut self, observer: &mut dyn Observer) -> Result<(), Obstacle> {
        self.steps += 1;
        self.work += 1;
        if self.task.options.ic3.walk
            && self.work >= FIRST_WALK
            && self.work.is_power_of_two()
            && let Some(run) = walk(&self.task, &self.budget, EFFORT_PER_WORK * self.work)
        {
            return Err(Obstacle::Execution(run));
        }
        if self.steps.is_multiple_of(64) {
            observer.event(Event::Queries(self.lemmas.consecution.stats().solved));
        }
        Ok(())
    }

    /// One obligation at one level: finds a predecessor, or excludes it.
    fn process(
        &mut self,
        queue: &mut Queue,
        id: ObligationId,
        level: u32,
        observer: &mut dyn Observer,
    ) -> Result<Progress, Obstacle> {
        let location = queue.get(id).place;
        self.busy_at = Some(location);
        let is_error = location == self.task.program.error;
        if !is_error && self.lemmas.frames.blocked(self.task.pool, location, &queue.get(id).cube, level) {
            return Ok(Progress::Blocked(level));
        }
        let at = FrameId { location, level };
        match self.lemmas.blocked(at, &queue.get(id).cube) {
            Answer::Yes(_) if is_error => Ok(Progress::Blocked(level)),
            Answer::Yes(core) => self.exclude(queue, id, at, core, observer).map(Progress::Blocked),
            Answer::No(way) => {
                let first = self.predecessor(queue, id, &way, level, observer)?;
                let children = self.more_predecessors(queue, id, (way.0, first), level, observer)?;
                Ok(Progress::Predecessors(children))
            }
            Answer::Undecided(why) => Err(Obstacle::Unknown(Reason::Solver(why))),
        }
    }

    /// Learns why a blocked obligation is unreachable; returns the level up to which it is blocked.
    fn exclude(
        &mut self,
        queue: &Queue,
        id: ObligationId,
        mut at: FrameId,
        core: Vec<Term>,
        observer: &mut dyn Observer,
    ) -> Result<u32, Obstacle> {
        let obligation = queue.get(id);
        let mut cube = obligation.cube.clone();
        // A lemma that holds higher generalises from weaker frames and is less accidental.
        let (level, mut core) = self.lemmas.highest(at, self.frontier, &cube, core);
        at.level = level;
        if self.task.options.generalize.interpolants {
            let (task, budget) = (&self.task, &self.budget);
            core = interpolant::wider_cube(task, budget, &mut self.lemmas, at, &core).unwrap_or(core);
            cube.clone_from(&core);
        }
        let relevant = obligation.next.and_then(|(e, next)| self.lemmas.relevant(e, &queue.get(next).cube));
        let blocked = Blocked { cube: &cube, core, relevant: relevant.as_ref() };
        let lemma = self.generalizer.generalize(&mut self.lemmas, at, blocked);
        self.lemmas.tell(observer);
        let level = self.lemmas.learn_up_to(self.frontier, at, lemma.clone(), observer);
        if queue.duty == Duty::Must && self.task.options.ic3.guidance {
            self.guide(FrameId { location: at.location, level }, &lemma, observer)?;
        }
        Ok(at.level)
    }

    /// The obligation of a predecessor; reaching the entry is a path.
    fn predecessor(
        &mut self,
        queue: &mut Queue,
        id: ObligationId,
        (e, model): &Way,
        level: u32,
        observer: &mut dyn Observer,
    ) -> Result<ObligationId, Obstacle> {
        let source = self.task.program.edge(*e).source;
        let states = self.lemmas.predecessors.cube(*e, model, &queue.get(id).cube);
        let child = obligations::predecessor(queue, id, (*e, source), states, level - 1, observer);
        if source == self.task.program.entry {
            return Err(Obstacle::Path(child));
        }
        Ok(child)
    }

    /// APPROX-PREIMAGE with more than one cube: the same edge is asked again for states outside the cubes
    /// found so far.
    fn more_predecessors(
        &mut self,
        queue: &mut Queue,
        id: ObligationId,
        (e, first): (EdgeId, ObligationId),
        level: u32,
        observer: &mut dyn Observer,
    ) -> Result<Vec<ObligationId>, Obstacle> {
        let mut children = vec![first];
        let cube = queue.get(id).cube.clone();
        while children.len() < self.task.options.ic3.cubes {
            let outside: Vec<Term> =
                children.iter().map(|&c| literal::clause(self.task.pool, &queue.get(c).cube)).collect();
            let ByLocation { consecution, frames, .. } = &mut self.lemmas;
            let asked = (Induction::Relative, &outside[..]);
            match consecution.edge_except(frames, e, level - 1, &cube, asked) {
                EdgeAnswer::Predecessor(model) => {
                    children.push(self.predecessor(queue, id, &(e, model), level, observer)?);
                }
                EdgeAnswer::Blocked(_) | EdgeAnswer::Unknown(_) => break,
            }
        }
        Ok(children)
    }

    /// Tries the conjectures that the new lemma suggests: may-obligations. Everything learned on the way is
    /// sound; a failure costs a bounded number of steps and nothing else.
    fn guide(&mut self, at: FrameId, lemma: &[Term], observer: &mut dyn Observer) -> Result<(), Obstacle> {
        let progressions = self.task.options.ic3.progressions;
        for cube in self.guidance.observe(self.task.pool, at.location, lemma, progressions) {
            if self.lemmas.frames.blocked(self.task.pool, at.location, &cube, at.level) {
                continue;
            }
            self.guidance.tried += 1;
            let mut queue = Queue::new(Duty::May);
            let root = queue.root(at.location, cube.clone(), ());
            queue.enqueue(root, at.level);
            if self.backward_block(&mut queue, at.level, observer)? {
                self.guidance.proved += 1;
                self.proved.push((at.location, cube));
                break;
            }
        }
        Ok(())
    }

    /// The propagation phase; a level whose frames are inductive ends the run.
    fn push(&mut self, observer: &mut dyn Observer) -> Option<u32> {
        self.pusher.push(&mut self.lemmas, self.frontier, &self.budget, observer)
    }

    /// Forgets all obligations; lemmas stay.
    pub fn forget_obligations(&mut self) {
        self.obligations = Queue::new(Duty::Must);
        self.root = self.obligations.root(self.task.program.error, Vec::new(), ());
    }

    /// The edges of the path that begins with an obligation.
    pub fn path(&self, first: ObligationId) -> Vec<EdgeId> {
        self.obligations.chain(first).into_iter().map(|(e, _)| e).collect()
    }

    /// The states along that path: location and cube of each position.
    pub fn states(&self, first: ObligationId) -> impl Iterator<Item = (Loc, &[Term])> {
        let rest = self.obligations.chain(first).into_iter().map(|(_, next)| next);
        std::iter::once(first).chain(rest).map(|id| {
            let obligation = self.obligations.get(id);
            (obligation.place, &obligation.cube[..])
        })
    }

    /// What is known when the run ends without an answer.
    fn partial(&self) -> Partial {
        Partial {
            safe_bound: self.frontier.checked_sub(1),
            stuck_at: self.busy_at,
            invariants: self.lemmas.frames.always(),
            notes: vec![format!("frontier {}, {} lemmas", self.frontier, self.lemmas.frames.len())],
        }
    }

    /// The counters of the run.
    pub fn report(&self, observer: &mut dyn Observer) {
        let own = [
            ("obligations", self.obligations.made() as u64),
            ("conjectures", self.guidance.tried),
            ("conjectures proved", self.guidance.proved),
            ("frontier", u64::from(self.frontier)),
        ];
        let parts = self.lemmas.counters().into_iter().chain(self.generalizer.counters());
        for (name, value) in parts.chain(self.pusher.counters()).chain(own) {
            observer.event(Event::Counter(name, value));
        }
    }
}
