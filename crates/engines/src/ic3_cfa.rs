//! `ic3-cfa`: IC3 on control-flow automata.
//!
//! After Lange, Neuhäußer and Noll, "IC3 Software Model Checking on Control Flow Automata" (FMCAD 2015; seed 004), whose function names are kept:
//! `prove` (Algorithm 1), `strengthen` (Algorithm 2), `backward_block` (Algorithm 3). The paper stops at exact weakest
//! preconditions without generalisation; here predecessors are projected and blocked cubes are generalised.
//!
//! | idea | where |
//! |---|---|
//! | location-local, delta-encoded frames | [`crate::frames`] |
//! | edge-relative induction; `not s` only on self-loops | [`crate::consecution`] |
//! | obligation queue, lowest level first | [`crate::obligations`] |
//! | predecessors by projection, weakest precondition or lifting | [`crate::predecessor`] |
//! | core, `mic`, `ctgDown`, Farkas sums | [`crate::generalize`] |
//! | interpolants as candidates | [`crate::interpolant`] |
//! | global guidance: clusters and progressions | [`crate::guidance`] |
//! | triggered pushing, fixpoint, promotion | [`crate::push`] |
//! | long counterexamples by execution | [`crate::walk`] |
//! | the part of the invariant that is needed | [`crate::shrink`] |
//!
//! # Invariants (the paper's (b) and (c))
//! - `F(i, l) => F(i+1, l)`: by the delta encoding.
//! - `F(i, l) and edge(l, l') => F(i+1, l')'` for every edge: a lemma enters level `i+1` only after every incoming edge was refuted from `F(i)`.
//! - Every obligation's states reach the error location along its chain of edges.
//!
//! The error location is treated as an obligation like any other: the root, with the empty cube, one level above the frontier.
//!
//! # What it does not do
//! It never claims anything on the word of an undecided query: such a query is "not blocked" in generalisation and pushing, and ends the run with
//! UNKNOWN in blocking.

use std::collections::BTreeSet;

use palisade_program::{Loc, Run};
use palisade_term::{Assignment, Term};

use crate::concretize::concretize;
use crate::consecution::{Consecution, CubeAnswer};
use crate::frames::{ALWAYS, Frames};
use crate::generalize::{At, Generalizer};
use crate::guidance::Guidance;
use crate::obligations::{Obligation, ObligationId, Obligations};
use crate::predecessor::Predecessors;
use crate::push::{Pusher, invariants};
use crate::shrink::shrink;
use crate::walk::walk;
use crate::{
    Budget, Engine, Event, Observer, Outcome, Partial, Reason, Stop, Task, background, interpolant, literal,
};

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

/// On infinite state spaces, asking blocked obligations again at higher levels can go on for ever at one frontier. Past this many steps,
/// and this many more per level, only what the error location needs is blocked.
const PATIENCE: usize = 200;
const PATIENCE_PER_LEVEL: usize = 50;
/// Steps that one conjecture may take.
const MAY_STEPS: usize = 30;

/// The obligations after which the program is first run in search of a counterexample, and the effort of that search for each of them.
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

/// One run of the engine.
pub struct Ic3Cfa<'a, 'o> {
    task: Task<'a>,
    budget: Budget,
    observer: &'o mut dyn Observer,
    q: Consecution<'a>,
    frames: Frames,
    obligations: Obligations,
    predecessors: Predecessors<'a>,
    generalizer: Generalizer,
    guidance: Option<Guidance>,
    progressions: bool,
    interpolants: bool,
    reenqueue: bool,
    walks: bool,
    pusher: Pusher,
    frontier: u32,
    /// Obligations processed at this frontier.
    steps: usize,
    /// How many of them before blocked ones are let go.
    patience: usize,
    /// Obligations processed at all frontiers.
    work: usize,
    conjectures: u64,
    conjectures_proved: u64,
    busy_at: Option<Loc>,
}

impl<'a, 'o> Ic3Cfa<'a, 'o> {
    /// Prepares a run.
    pub fn new(task: &Task<'a>, budget: &Budget, observer: &'o mut dyn Observer) -> Ic3Cfa<'a, 'o> {
        Ic3Cfa {
            task: *task,
            budget: budget.clone(),
            observer,
            q: Consecution::new(task.pool, task.program, task.solvers, budget, task.options.general.solvers),
            frames: Frames::new(task.program),
            obligations: Obligations::new(),
            predecessors: Predecessors::new(task.options, task.solvers),
            generalizer: Generalizer::new(task.options),
            guidance: task.options.ic3.guidance.then(Guidance::new),
            progressions: task.options.ic3.progressions,
            interpolants: task.options.generalize.interpolants,
            reenqueue: task.options.ic3.reenqueue,
            walks: task.options.ic3.walk,
            pusher: Pusher::default(),
            frontier: 0,
            steps: 0,
            patience: PATIENCE,
            work: 0,
            conjectures: 0,
            conjectures_proved: 0,
            busy_at: None,
        }
    }

    /// Algorithm 1: grows the frontier until the frames are inductive or a counterexample is found.
    pub fn prove(mut self) -> Outcome {
        let error = self.task.program.error;
        if self.task.program.entry == error {
            return Outcome::Unsafe(Run::default());
        }
        let root =
            self.obligations.create(Obligation { location: error, cube: Vec::new(), next: None, depth: 0 });
        for (l, invariant) in background::invariants(&self.task, &self.budget) {
            self.background(l, invariant);
        }
        let outcome = loop {
            self.observer.event(Event::Bound(self.frontier));
            self.steps = 0;
            self.patience = PATIENCE + PATIENCE_PER_LEVEL * self.frontier as usize;
            match self.strengthen(root) {
                Ok(()) => {}
                Err(Failure::Counterexample(at)) => {
                    break concretize(&self.task, &self.obligations, at, self.observer)
                        .map_or_else(|why| Outcome::Unknown(why, self.partial()), Outcome::Unsafe);
                }
                Err(Failure::Execution(run)) => {
                    let edges: Vec<_> = run.steps.iter().map(|s| s.edge).collect();
                    self.observer.event(Event::Counterexample(&edges));
                    break Outcome::Unsafe(run);
                }
                Err(Failure::Unknown(why)) => break Outcome::Unknown(Reason::Solver(why), self.partial()),
                Err(Failure::Stopped(stop)) => break Outcome::Unknown(Reason::Stopped(stop), self.partial()),
            }
            let fixpoint =
                self.pusher.push(&mut self.q, &mut self.frames, self.frontier, &self.budget, self.observer);
            if let Some(level) = fixpoint {
                self.observer.event(Event::Fixpoint(level));
                let found = invariants(&self.q, &self.frames, level);
                break Outcome::Safe(shrink(&self.task, &self.budget, found));
            }
            self.frontier += 1;
        };
        self.report();
        outcome
    }

    /// Much backward search hints at a long run: looks for one by executing the program whenever the work has doubled.
    fn walk(&mut self) -> Result<(), Failure> {
        self.work += 1;
        if !self.walks || self.work < FIRST_WALK || !self.work.is_power_of_two() {
            return Ok(());
        }
        match walk(&self.task, &self.budget, EFFORT_PER_WORK * self.work) {
            Some(run) => Err(Failure::Execution(run)),
            None => Ok(()),
        }
    }

    /// Takes an invariant from elsewhere as a lemma of all levels.
    fn background(&mut self, location: Loc, formula: Term) {
        let excluded = self.task.pool.not(formula);
        // `false` excludes everything: the empty cube.
        let cube = if excluded == self.task.pool.tru() { Vec::new() } else { vec![excluded] };
        self.frames.add(self.task.pool, location, cube, ALWAYS);
        self.observer.event(Event::Lemma { level: None, location, formula, by: "background" });
    }

    /// Algorithm 2: makes `F(frontier)` exclude every step into the error location.
    fn strengthen(&mut self, root: ObligationId) -> Result<(), Failure> {
        loop {
            self.backward_block()?;
            match self.process(root, self.frontier + 1, self.frontier + 1)? {
                Progress::Blocked(_) => return Ok(()),
                Progress::Predecessor(cti) => self.obligations.enqueue(cti, self.frontier),
            }
        }
    }

    /// Algorithm 3: works off the queue, lowest level first, up to the frontier.
    fn backward_block(&mut self) -> Result<(), Failure> {
        while let Some((id, level)) = self.obligations.pop(self.frontier) {
            self.budget.check().map_err(Failure::Stopped)?;
            self.steps += 1;
            self.walk()?;
            if self.steps.is_multiple_of(64) {
                self.observer.event(Event::Queries(self.q.stats.solved));
            }
            match self.process(id, level, self.frontier)? {
                Progress::Predecessor(child) => {
                    self.obligations.enqueue(child, level - 1);
                    self.obligations.enqueue(id, level);
                }
                Progress::Blocked(up_to) => {
                    if self.reenqueue && self.steps < self.patience && up_to < ALWAYS {
                        // Beyond the frontier it waits for the frontier to grow.
                        self.obligations.enqueue(id, up_to + 1);
                    }
                }
            }
        }
        Ok(())
    }

    /// One obligation at one level: finds a predecessor, or blocks it as high as `limit` and learns why.
    fn process(&mut self, id: ObligationId, level: u32, limit: u32) -> Result<Progress, Failure> {
        let location = self.obligations.get(id).location;
        let cube = self.obligations.get(id).cube.clone();
        self.busy_at = Some(location);
        let is_error = location == self.task.program.error;
        if !is_error && self.frames.blocked(self.task.pool, location, &cube, level) {
            return Ok(Progress::Blocked(level));
        }
        let mut core = match self.q.cube(&self.frames, location, &cube, level) {
            CubeAnswer::Blocked(core) => core,
            CubeAnswer::Predecessor(e, model) => return self.predecessor(id, e, &model, level),
            CubeAnswer::Unknown(why) => return Err(Failure::Unknown(why)),
        };
        if is_error {
            return Ok(Progress::Blocked(level));
        }
        // A lemma that holds higher generalises from weaker frames and is less accidental.
        let mut up_to = level;
        while up_to < limit {
            match self.q.cube(&self.frames, location, &cube, up_to + 1) {
                CubeAnswer::Blocked(c) => {
                    core = c;
                    up_to += 1;
                }
                _ => break,
            }
        }
        if self.interpolants
            && let Some(wider) = self.interpolant(location, &core, up_to)
        {
            core = wider;
        }
        let cube = if self.interpolants { core.clone() } else { cube };
        let relevant = self.relevant(id);
        let lemma = self.generalizer.generalize(
            &mut self.q,
            &mut self.frames,
            &self.predecessors,
            At { location, level: up_to },
            (&cube, core),
            relevant.as_ref(),
        );
        let reached = self.learn(location, lemma.clone(), up_to, "block");
        if self.guidance.is_some() {
            self.guide(location, &lemma, reached)?;
        }
        Ok(Progress::Blocked(up_to))
    }

    /// The variables of the weakest precondition that an obligation's cube was made for.
    fn relevant(&mut self, id: ObligationId) -> Option<BTreeSet<Term>> {
        let (e, next) = self.obligations.get(id).next?;
        let target = self.obligations.get(next).cube.clone();
        let mut variables = BTreeSet::new();
        for lit in target {
            variables.extend(self.task.pool.free_vars(self.q.after(e, lit)));
        }
        (!variables.is_empty()).then_some(variables)
    }

    /// The cube that an interpolant of the blocking queries excludes, where that is a cube and still blocked by induction.
    fn interpolant(&mut self, location: Loc, cube: &[Term], level: u32) -> Option<Vec<Term>> {
        let pool = self.task.pool;
        let edges = self.q.incoming(location).to_vec();
        let formula = interpolant::of_blocked_cube(
            &self.task,
            &self.budget,
            &self.frames,
            location,
            &edges,
            cube,
            level,
        )?;
        let excluded = pool.conjuncts(pool.nnf(pool.not(formula)));
        if !excluded.iter().all(|&t| pool.is_literal(t)) {
            return None;
        }
        match self.q.cube(&self.frames, location, &excluded, level) {
            CubeAnswer::Blocked(core) => Some(core),
            _ => None,
        }
    }

    /// Adds a lemma, pushed as far as the frontier; returns its level.
    fn learn(&mut self, location: Loc, mut cube: Vec<Term>, mut level: u32, by: &'static str) -> u32 {
        while level < self.frontier {
            match self.q.cube(&self.frames, location, &cube, level + 1) {
                CubeAnswer::Blocked(core) => {
                    cube = core;
                    level += 1;
                }
                _ => break,
            }
        }
        if self.observer.wants_detail() {
            let formula = literal::clause(self.task.pool, &cube);
            self.observer.event(Event::Lemma { level: Some(level), location, formula, by });
        }
        self.frames.add(self.task.pool, location, cube, level);
        level
    }

    /// The obligation of a predecessor; reaching the entry is a counterexample.
    fn predecessor(
        &mut self,
        id: ObligationId,
        e: palisade_program::EdgeId,
        model: &Assignment,
        level: u32,
    ) -> Result<Progress, Failure> {
        let source = self.task.program.edge(e).source;
        let cube = self.obligations.get(id).cube.clone();
        let Some(pre) = self.predecessors.cube(&self.q, e, model, &cube) else {
            return Err(Failure::Unknown("no predecessor could be made of a model".into()));
        };
        let depth = self.obligations.get(id).depth + 1;
        let child =
            self.obligations.create(Obligation { location: source, cube: pre, next: Some((e, id)), depth });
        if self.observer.wants_detail() {
            let o = self.obligations.get(child);
            self.observer.event(Event::Obligation {
                id: child.number(),
                parent: Some(id.number()),
                level: level - 1,
                location: source,
                cube: &o.cube,
            });
        }
        if source == self.task.program.entry {
            return Err(Failure::Counterexample(child));
        }
        Ok(Progress::Predecessor(child))
    }

    /// Tries the conjectures that the new lemma suggests.
    fn guide(&mut self, location: Loc, lemma: &[Term], level: u32) -> Result<(), Failure> {
        let Some(guidance) = &mut self.guidance else { return Ok(()) };
        let conjectures = guidance.observe(self.task.pool, location, lemma, self.progressions);
        for cube in conjectures {
            if self.frames.blocked(self.task.pool, location, &cube, level) {
                continue;
            }
            self.conjectures += 1;
            if self.try_block(location, cube, level)? {
                self.conjectures_proved += 1;
                break;
            }
        }
        Ok(())
    }

    /// A may-obligation: tries to block a cube that nothing requires to be unreachable. Everything learned on the way is sound; failure costs a
    /// bounded number of steps and nothing else.
    fn try_block(&mut self, location: Loc, cube: Vec<Term>, level: u32) -> Result<bool, Failure> {
        let guidance = self.guidance.take(); // conjectures do not nest
        let outer = std::mem::take(&mut self.obligations);
        let root = self.obligations.create(Obligation { location, cube, next: None, depth: 0 });
        self.obligations.enqueue(root, level);
        let mut result = Ok(true);
        for steps in 0.. {
            let Some((id, at)) = self.obligations.pop(level) else { break };
            if steps >= MAY_STEPS {
                result = Ok(false);
                break;
            }
            if let Err(stop) = self.budget.check() {
                result = Err(Failure::Stopped(stop));
                break;
            }
            match self.process(id, at, self.frontier) {
                Ok(Progress::Predecessor(child)) => {
                    self.obligations.enqueue(child, at - 1);
                    self.obligations.enqueue(id, at);
                }
                Ok(Progress::Blocked(_)) => {}
                Err(Failure::Stopped(stop)) => {
                    result = Err(Failure::Stopped(stop));
                    break;
                }
                Err(_) => {
                    result = Ok(false);
                    break;
                }
            }
        }
        self.obligations = outer;
        self.guidance = guidance;
        result
    }

    /// What is known when the run ends without an answer.
    fn partial(&self) -> Partial {
        let mut p = Partial {
            safe_bound: self.frontier.checked_sub(1),
            stuck_at: self.busy_at,
            ..Partial::default()
        };
        for l in self.task.program.locs() {
            let known = self.frames.at(l).filter(|(_, m)| m.level == ALWAYS);
            p.invariants.extend(known.map(|(_, m)| (l, m.formula)));
        }
        p.notes.push(format!("frontier {}, {} lemmas", self.frontier, self.frames.len()));
        p
    }

    /// The counters of the run.
    fn report(&mut self) {
        let g = self.generalizer.stats;
        let counters = [
            ("queries", self.q.stats.solved),
            ("queries answered by a remembered model", self.q.stats.by_witness),
            ("queries answered by counting steps", self.q.stats.by_distance),
            ("solvers rebuilt", self.q.stats.rebuilt),
            ("obligations", self.obligations.made() as u64),
            ("lemmas", self.frames.len() as u64),
            ("cubes blocked by cached lemmas", g.cached),
            ("literals dropped by cores", g.core_dropped),
            ("literals dropped by variable reduction", g.variables_dropped),
            ("literals dropped by mic", g.mic_dropped),
            ("counterexamples to generalisation blocked", g.ctgs),
            ("farkas sums", g.sums),
            ("constants relaxed", g.relaxed),
            ("conjectures", self.conjectures),
            ("conjectures proved", self.conjectures_proved),
            ("lemmas pushed", self.pusher.pushed),
            ("lemmas promoted", self.pusher.promoted),
            ("pushes skipped", self.pusher.skipped),
            ("frontier", u64::from(self.frontier)),
        ];
        for (name, value) in counters {
            self.observer.event(Event::Counter(name, value));
        }
    }
}
