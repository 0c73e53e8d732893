//! `ic3-cegar`: IC3 with predicate abstraction, refined when an obligation meets a spurious step.
//!
//! Birgmeier, "Software Verification with IC3 via Abstraction and Interpolation" (master's thesis, TU Wien
//! 2013; the algorithm became CTIGAR, CAV 2014). The program is one loop with a program counter. Obligations
//! are *concrete*: lifted states, conjunctions of equations. Lemmas are *abstract*: clauses of predicates. To
//! block a state, its abstract states are enumerated, and each is blocked, generalised and learned. If one
//! cannot be blocked, the state itself is asked about: it has a predecessor, which is the next obligation, or
//! the step into the abstract state is spurious and the domain is refined.
//!
//! | thesis | here |
//! |---|---|
//! | lifting of states, section 3.2 | [`crate::ic3::lift`] |
//! | abstract domain, lattice of predicates, section 3.1 | [`crate::abstraction::domain`] |
//! | initial abstract domain, section 3.6 | [`crate::abstraction::initial`] |
//! | abstraction of states, section 3.3 | `Ic3Cegar::handle` |
//! | handling proof obligations, algorithms 3 and 6 | `Ic3Cegar::block`, `Ic3Cegar::handle` |
//! | eliminating an abstract state, algorithm 7 | `Ic3Cegar::eliminate` |
//! | refinement by interpolation, section 3.4 | [`crate::abstraction::spurious`] |
//! | refinement by few half-spaces, section 3.4 | [`crate::abstraction::beautiful`] |
//! | refinement by pre-images, section 3.4 | `Ic3Cegar::uncover` |
//! | state mining, algorithms 4 and 5 | [`crate::abstraction::mining`] |
//! | `mic` with `ctgDown`, algorithms 8 and 9 | [`palisade_ic3::mic`] |
//! | consecution, with cores that contain `or I` | [`crate::abstraction::by_predicate`] |
//!
//! Level `i` of this engine is level `i - 1` of the thesis, because the edge from the entry counts. The first
//! frame is the initial condition where that is a formula; where it is none, initiation is a query like any
//! other, and a failure refines.
//!
//! The thesis enumerates all abstract states, skips those that a clause of the same round excludes, and stops
//! when a second solver says that the obligation is covered. Here the enumeration assumes the frame and every
//! clause that is learned on the way, so it visits exactly the abstract states that are not yet excluded, and
//! ends when the obligation is covered.
//!
//! # What it does not do
//! Control flow is lost, as in the thesis; `--set encoding=cfa` keeps it, with predicates per location.

use palisade_ic3::mic::{Limits, Mic};
use palisade_options::Preset;
use palisade_program::{EdgeId, Program, Run};
use palisade_smt::Answer as Satisfiable;
use palisade_smt::project::{Enumeration, all_sat_but};
use palisade_term::{Term, TermPool};

use crate::abstraction::beautiful::half_spaces;
use crate::abstraction::by_predicate::ByPredicate;
use crate::abstraction::domain::Literal;
use crate::abstraction::initial::{control_variables, expressions, initial_condition, pairs};
use crate::abstraction::mining::Mining;
use crate::abstraction::preimage::{Preimages, determined};
use crate::abstraction::spurious::{Spurious, interpolate, split_equation};
use crate::ic3::by_location::Way;
use crate::ic3::concretize::concretize;
use crate::ic3::consecution::{CubeAnswer, Induction};
use crate::ic3::lift::{self, lifted, successor};
use crate::ic3::obligations::{self, Duty, ObligationId, Obligations};
use crate::ic3::push::Pusher;
use crate::ic3::{Answer, Flavour as _, FrameId};
use crate::shrink::shrink;
use crate::timed::Timed;
use crate::{Budget, Engine, Event, Observer, Options, Outcome, Partial, Pc, Reason, Shape, Task};

/// Why blocking ended without success.
enum Obstacle {
    /// The obligations form a path from the entry: its first one.
    Path(ObligationId),
    /// No answer.
    Unknown(Reason),
}

/// The engine.
pub struct Ic3CegarEngine;

impl Engine for Ic3CegarEngine {
    fn name(&self) -> &'static str {
        "ic3-cegar"
    }

    fn about(&self) -> &'static str {
        "IC3 with predicate abstraction, refined at spurious steps, with state mining"
    }

    fn shape(&self, _pool: &TermPool, _program: &Program, _options: &Options) -> Shape {
        Shape::Loop { pc: Pc::Int, merged: false }
    }

    fn run(&self, task: &Task<'_>, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
        if task.program.entry == task.program.error {
            return Outcome::Unsafe(Run::default());
        }
        let timed = Timed::new(task.solvers);
        let task = Task { solvers: &timed, ..*task };
        let outcome = Ic3Cegar::new(&task, budget).prove(observer);
        timed.report(observer);
        outcome
    }
}

palisade_options::choices! {
    /// Where the predicates that exclude a spurious step come from.
    pub enum Refinement {
        #[default] Interpolation = "interpolation",
        Beautiful = "beautiful",
        Preimage = "preimage",
    }
}

palisade_options::options! {
    /// IC3 with predicate abstraction refined at spurious steps.
    pub struct Ic3CegarOptions in "ic3-cegar" {
        /// take `v < w` for all pairs of a function's variables as first predicates
        pub pairs: bool = true,
        /// take the Boolean expressions of the program as first predicates
        pub expressions: bool = true,
        /// predicates from interpolants, from interpolants of few half-spaces, or from pre-images
        pub refinement: Refinement = Refinement::Interpolation,
        /// counterexamples to generalisation that are blocked for one dropped literal
        pub max_ctgs: usize = 3,
        /// how deep the blocking of counterexamples to generalisation may nest (0: no `ctgDown`)
        pub max_depth: usize = 1,
        /// joins of a cube with counterexamples to generalisation for one dropped literal
        pub max_joins: usize = 1_000,
        /// join with the abstract state of a counterexample, not with the literals that hold in its state
        pub abstract_joins: bool = false,
        /// block counterexamples to generalisation at the highest level where that is possible
        pub push_ctgs: bool = false,
        /// geometric generalisation: weaker literals tried for one cube (0: off)
        pub max_geo: usize = 0,
        /// state mining: look for an equation through so many states (0: off)
        pub min_points: usize = 3,
        /// lazy refinement: spurious steps in a row before the domain is refined (0: refine at once)
        pub max_spurious: u32 = 0,
    }
}

/// What an obligation knows besides its states.
#[derive(Default)]
struct Trail {
    /// The spurious steps between it and the root.
    spurious: u32,
    /// If its own step is spurious: the level of the obligation that it leads to, and the step.
    step: Option<(u32, Way)>,
    /// The spurious step has been excluded by refinement: there is nothing to block any more.
    abandoned: bool,
}

/// What the engine counts (appendix A of the thesis).
#[derive(Default)]
struct Counts {
    abstractions: u64,
    abstract_states: u64,
    interpolations: u64,
    half_spaces: u64,
    by_preimages: u64,
    spurious_steps: u64,
    depth: u64,
}

/// What became of an abstract state.
enum Fate {
    /// It is excluded up to a level by the negation of a cube.
    Eliminated(u32, Vec<Literal>),
    /// Something else has to be done first: a predecessor, or the domain has been refined.
    Later,
}

/// One run of the engine.
struct Ic3Cegar<'a> {
    task: Task<'a>,
    budget: Budget,
    lemmas: ByPredicate<'a>,
    mic: Mic<Literal>,
    pusher: Pusher<Way>,
    mining: Option<Mining>,
    preimages: Preimages,
    obligations: Obligations<Term, Trail>,
    root: ObligationId,
    frontier: u32,
    counts: Counts,
}

impl<'a> Ic3Cegar<'a> {
    fn new(task: &Task<'a>, budget: &Budget) -> Self {
        let options = &task.options.ic3_cegar;
        let mut obligations = Obligations::new(Duty::Must);
        let root = obligations.root(task.program.error, Vec::new(), Trail::default());
        Ic3Cegar {
            task: *task,
            budget: budget.clone(),
            lemmas: ByPredicate::new(task, budget),
            mic: Mic::new(Limits {
                max_ctgs: options.max_ctgs,
                max_depth: options.max_depth,
                max_joins: options.max_joins,
                max_geo: options.max_geo,
                ..Limits::PLAIN
            }),
            pusher: Pusher::default(),
            preimages: Preimages::default(),
            mining: (options.min_points > 0).then(|| Mining::new(options.min_points)),
            obligations,
            root,
            frontier: 0,
            counts: Counts::default(),
        }
    }

    fn prove(mut self, observer: &mut dyn Observer) -> Outcome {
        self.first_predicates(observer);
        let outcome = loop {
            observer.event(Event::Bound(self.frontier));
            observer.event(Event::Queries(self.lemmas.consecution.stats().solved));
            self.lemmas.frontier = self.frontier;
            match self.block(observer) {
                Ok(()) => {}
                Err(Obstacle::Path(first)) => {
                    self.show_lifted(first, observer);
                    break concretize(&self.task, &self.budget, &self.obligations, first, observer)
                        .map_or_else(|why| Outcome::Unknown(why, self.partial()), Outcome::Unsafe);
                }
                Err(Obstacle::Unknown(reason)) => break Outcome::Unknown(reason, self.partial()),
            }
            if let Some(level) = self.pusher.push(&mut self.lemmas, self.frontier, &self.budget, observer) {
                observer.event(Event::Fixpoint(level));
                self.report_fixpoint(level, observer);
                break Outcome::Safe(shrink(&self.task, &self.budget, self.lemmas.invariants(level)));
            }
            self.frontier += 1;
        };
        self.report(observer);
        outcome
    }

    /// The initial abstract domain.
    fn first_predicates(&mut self, observer: &mut dyn Observer) {
        let Task { program, options, .. } = self.task;
        for l in program.locs().filter(|&l| l != program.entry && l != program.error) {
            if let Some(condition) = initial_condition(&self.task, l) {
                self.lemmas.set_initial(l, condition);
            }
            if options.ic3_cegar.expressions {
                self.lemmas.domain.extend(l, expressions(&self.task, l), "program", observer);
            }
            if options.ic3_cegar.pairs {
                self.lemmas.domain.extend(l, pairs(&self.task, l), "pairs", observer);
            }
        }
    }

    /// `HANDLEOBLIGATIONS`: blocks bad states and their predecessors until the frontier excludes every step
    /// into the error.
    fn block(&mut self, observer: &mut dyn Observer) -> Result<(), Obstacle> {
        self.obligations.enqueue(self.root, self.frontier + 1);
        while let Some((id, level)) = self.obligations.pop(self.frontier + 1) {
            self.budget.check().map_err(|stop| Obstacle::Unknown(Reason::Stopped(stop)))?;
            if id == self.root {
                let at = FrameId { location: self.task.program.error, level };
                if self.concrete_predecessor(id, at, Induction::Relative, observer)? {
                    self.obligations.enqueue(id, level);
                }
            } else if !self.abandoned(id) {
                match self.handle(id, level, observer)? {
                    None => self.obligations.enqueue(id, level),
                    // Push the obligation forward.
                    Some(reached) if reached < self.frontier => self.obligations.enqueue(id, reached + 1),
                    Some(_) => {}
                }
            }
        }
        Ok(())
    }

    /// One round of an obligation: eliminates its abstract states. Returns the level up to which all of them
    /// are excluded, or nothing if the obligation has to be handled again.
    fn handle(
        &mut self,
        id: ObligationId,
        level: u32,
        observer: &mut dyn Observer,
    ) -> Result<Option<u32>, Obstacle> {
        let at = FrameId { location: self.obligations.get(id).place, level };
        if self.lemmas.frames.unreachable(at.location, level) {
            return Ok(Some(level));
        }
        let state = self.obligations.get(id).cube.clone();
        let predicates = self.lemmas.relevant(at.location, &state);
        let atoms: Vec<Term> = predicates.iter().map(|&p| self.lemmas.domain.predicate(p)).collect();
        let mut solver = self.task.solver(&self.budget, None);
        for &equation in &state {
            solver.assert(equation);
        }
        for (_, lemma) in self.lemmas.frames.at(at.location).filter(|(_, m)| m.level >= level) {
            solver.assert(lemma.formula);
        }
        self.counts.abstractions += 1;
        let before = self.counts.abstract_states;
        let mut lowest = None;
        let mut obstacle = None;
        let end = all_sat_but(&mut *solver, &atoms, &[], &mut |pool, cube| {
            self.counts.abstract_states += 1;
            let signs = predicates.iter().zip(cube.iter().zip(&atoms));
            let abstract_state: Vec<Literal> = signs.map(|(&p, (c, a))| Literal::new(p, c == a)).collect();
            match self.eliminate(id, at, &state, &abstract_state, observer) {
                Ok(Fate::Eliminated(reached, lemma)) => {
                    lowest = Some(lowest.map_or(reached, |l: u32| l.min(reached)));
                    Some(pool.not(pool.and(self.lemmas.domain.terms(&lemma))))
                }
                Ok(Fate::Later) => None,
                Err(why) => {
                    obstacle = Some(why);
                    None
                }
            }
        });
        if observer.wants_detail() {
            let states = self.counts.abstract_states - before;
            observer.event(Event::Abstraction { id: id.number(), level, location: at.location, states });
        }
        match (end, obstacle) {
            (_, Some(obstacle)) => Err(obstacle),
            (Enumeration::Complete, None) => match lowest {
                Some(lowest) => Ok(Some(lowest)),
                None => self.excluded_up_to(at, &state).map(Some),
            },
            (Enumeration::Stopped, None) => Ok(None),
            (Enumeration::Unknown(why), None) => {
                self.budget.check().map_err(|stop| Obstacle::Unknown(Reason::Stopped(stop)))?;
                Err(Obstacle::Unknown(Reason::Solver(why.to_string())))
            }
        }
    }

    /// How far lemmas exclude the states, given that those of the frame do: no level in between needs to be
    /// looked at.
    fn excluded_up_to(&mut self, at: FrameId, state: &[Term]) -> Result<u32, Obstacle> {
        let mut solver = self.task.solver(&self.budget, None);
        for &equation in state {
            solver.assert(equation);
        }
        let above = |lowest: u32| {
            let lemmas = self.lemmas.frames.at(at.location).filter(move |(_, m)| m.level >= lowest);
            lemmas.map(|(_, m)| (m.formula, m.level.min(self.frontier)))
        };
        let mut reached = at.level;
        while reached < self.frontier {
            let (formulas, levels): (Vec<Term>, Vec<u32>) = above(reached + 1).unzip();
            let Satisfiable::Unsat(core) = solver.check(&formulas) else { break };
            let needed = formulas.iter().zip(levels).filter(|(f, _)| core.contains(f)).map(|(_, l)| l);
            reached = needed.min().unwrap_or(self.frontier);
        }
        Ok(reached)
    }

    /// `ELIMINATEABSTRACTSTATE`: blocks an abstract state, or finds out why that cannot be.
    fn eliminate(
        &mut self,
        id: ObligationId,
        at: FrameId,
        state: &[Term],
        abstract_state: &[Literal],
        observer: &mut dyn Observer,
    ) -> Result<Fate, Obstacle> {
        self.budget.check().map_err(|stop| Obstacle::Unknown(Reason::Stopped(stop)))?;
        let way = match self.lemmas.blocked(at, abstract_state) {
            Answer::Yes(core) => {
                let cube = self.mic.mic(&mut self.lemmas, at, core);
                self.mic.reward(&cube);
                let (reached, cube) = self.lemmas.learn_pushed(at, cube, observer);
                return Ok(Fate::Eliminated(reached, cube));
            }
            Answer::No(way) => way,
            Answer::Undecided(why) => return Err(Obstacle::Unknown(Reason::Solver(why))),
        };
        if self.concrete_predecessor(id, at, Induction::Relative, observer)? {
            return Ok(Fate::Later);
        }
        self.counts.spurious_steps += 1;
        if observer.wants_detail() {
            let cube = &self.lemmas.domain.terms(abstract_state)[..];
            observer.event(Event::Spurious { id: id.number(), level: at.level, location: at.location, cube });
        }
        let seen = self.obligations.get(id).extra.spurious;
        if seen < self.task.options.ic3_cegar.max_spurious
            && self.spurious_predecessor(id, at, abstract_state, &way, seen + 1, observer)
        {
            return Ok(Fate::Later);
        }
        self.refine(id, at, state, &way, observer)?;
        Ok(Fate::Later)
    }

    /// If some state of the frame below leads into the obligation, makes it an obligation, or the end of the
    /// run, or of a spurious trace.
    fn concrete_predecessor(
        &mut self,
        id: ObligationId,
        at: FrameId,
        induction: Induction,
        observer: &mut dyn Observer,
    ) -> Result<bool, Obstacle> {
        let cube = self.obligations.get(id).cube.clone();
        let (e, model) = match self.lemmas.concrete(at, &cube, induction) {
            CubeAnswer::Blocked(_) => return Ok(false),
            CubeAnswer::Predecessor(e, model) => (e, model),
            CubeAnswer::Unknown(why) => return Err(Obstacle::Unknown(Reason::Solver(why))),
        };
        let spurious = self.obligations.get(id).extra.spurious;
        let before = lifted(&self.task, &self.budget, e, &model, &cube);
        let child = self.predecessor(id, e, before, at.level - 1, observer);
        self.obligations.get_mut(child).extra.spurious = spurious;
        if self.task.program.edge(e).source != self.task.program.entry {
            self.obligations.enqueue(child, at.level - 1);
        } else if spurious == 0 {
            return Err(Obstacle::Path(child));
        } else {
            self.backtrack_refine(child, observer)?;
        }
        Ok(true)
    }

    fn predecessor(
        &mut self,
        id: ObligationId,
        e: EdgeId,
        states: Vec<Term>,
        level: u32,
        observer: &mut dyn Observer,
    ) -> ObligationId {
        let source = self.task.program.edge(e).source;
        let child = obligations::predecessor(&mut self.obligations, id, (e, source), states, level, observer);
        self.counts.depth = self.counts.depth.max(u64::from(self.obligations.get(child).depth));
        child
    }

    /// Lazy refinement: the state that leads into the abstract state becomes an obligation of the first
    /// level, unless it is initial.
    fn spurious_predecessor(
        &mut self,
        id: ObligationId,
        at: FrameId,
        abstract_state: &[Literal],
        way: &Way,
        spurious: u32,
        observer: &mut dyn Observer,
    ) -> bool {
        let (e, model) = way;
        let source = self.task.program.edge(*e).source;
        if source == self.task.program.entry {
            return false;
        }
        let terms = self.lemmas.domain.terms(abstract_state);
        let before = lifted(&self.task, &self.budget, *e, model, &terms);
        let first = FrameId { location: source, level: 1 };
        if !matches!(self.lemmas.concrete(first, &before, Induction::Relative), CubeAnswer::Blocked(_)) {
            return false;
        }
        let child = self.predecessor(id, *e, before, 1, observer);
        self.obligations.get_mut(child).extra =
            Trail { spurious, step: Some((at.level, way.clone())), abandoned: false };
        self.obligations.enqueue(child, 1);
        true
    }

    /// `BACKTRACKREFINE`: refines with the last spurious step of the trace and gives up what came before it.
    fn backtrack_refine(&mut self, first: ObligationId, observer: &mut dyn Observer) -> Result<(), Obstacle> {
        let mut id = first;
        loop {
            let (_, next) = self.obligations.get(id).next.expect("a spurious step before the root");
            if let Some((level, way)) = self.obligations.get(id).extra.step.clone() {
                self.obligations.get_mut(id).extra.abandoned = true;
                observer.event(Event::Backtracked { id: first.number(), to: next.number() });
                let target = self.obligations.get(next);
                let (location, state) = (target.place, target.cube.clone());
                return self.refine(next, FrameId { location, level }, &state, &way, observer);
            }
            id = next;
        }
    }

    /// Is the obligation part of a trace whose spurious step has been excluded?
    fn abandoned(&self, id: ObligationId) -> bool {
        self.obligations.get(id).extra.abandoned
            || self.obligations.chain(id).iter().any(|(_, o)| self.obligations.get(*o).extra.abandoned)
    }

    /// `REFINEABSTRACTDOMAIN`: excludes a step into an abstract state of the obligation that the obligation
    /// does not have.
    fn refine(
        &mut self,
        id: ObligationId,
        at: FrameId,
        state: &[Term],
        way: &Way,
        observer: &mut dyn Observer,
    ) -> Result<(), Obstacle> {
        let (e, model) = way;
        let pool = self.task.pool;
        let source = self.task.program.edge(*e).source;
        let frame = self.lemmas.frames.formula(pool, source, at.level - 1);
        let excluded = pool.not(pool.and(state.iter().copied()));
        let inside = source == at.location && !pool.holds(excluded, model);
        if inside && self.concrete_predecessor(id, at, Induction::Plain, observer)? {
            return Ok(());
        }
        let geometric = self.task.options.ic3_cegar.max_geo > 0;
        let split = |found: Vec<Term>| -> Vec<Term> {
            found.iter().flat_map(|&p| split_equation(pool, p, geometric)).collect()
        };
        let known = self.lemmas.domain.len();
        let control = control_variables(&self.task, at.location);
        let mined = match &mut self.mining {
            Some(mining) => split(mining.add(pool, at.location, state, |v| control.contains(&v))),
            None => Vec::new(),
        };
        let uncovered = self.task.options.ic3_cegar.refinement == Refinement::Preimage
            && self.uncover(id, at, way, observer)?;
        if !uncovered {
            let before = if source == at.location && !inside { pool.and2(frame, excluded) } else { frame };
            let step = Spurious { edge: *e, before, state };
            let few = match self.task.options.ic3_cegar.refinement {
                Refinement::Beautiful => half_spaces(&self.task, &self.budget, &step),
                Refinement::Interpolation | Refinement::Preimage => None,
            };
            let (found, by) = match few {
                Some(found) => {
                    self.counts.half_spaces += 1;
                    (found, "half-spaces")
                }
                None => {
                    self.counts.interpolations += 1;
                    (interpolate(&self.task, &self.budget, &step), "interpolation")
                }
            };
            self.lemmas.domain.extend(at.location, split(found), by, observer);
        }
        self.lemmas.domain.extend(at.location, mined, "mining", observer);
        if !uncovered && self.lemmas.domain.len() == known {
            // The state itself excludes the step, whatever the interpolant was.
            self.lemmas.domain.extend(at.location, split(state.to_vec()), "state", observer);
        }
        let predicates = self.lemmas.domain.len() - known;
        if predicates == 0 && !uncovered {
            self.budget.check().map_err(|stop| Obstacle::Unknown(Reason::Stopped(stop)))?;
            let why = "a spurious step brings no new predicate".into();
            return Err(Obstacle::Unknown(Reason::Incomplete(why)));
        }
        let (id, level, location) = (id.number(), at.level, at.location);
        observer.event(Event::Refined { id, level, location, predicates });
        Ok(())
    }

    /// Refinement by pre-images: the state after a spurious step follows the obligations towards the error.
    /// Where it cannot go on, the pre-image of the abstract state ahead brings predicates; if it arrives, its
    /// path is a new trace of obligations that begins before the step. False if there is nothing new.
    fn uncover(
        &mut self,
        id: ObligationId,
        at: FrameId,
        way: &Way,
        observer: &mut dyn Observer,
    ) -> Result<bool, Obstacle> {
        let Task { pool, program, .. } = self.task;
        let mut state = successor(&self.task, way.0, &way.1);
        let mut steps: Vec<Way> = vec![way.clone()];
        let mut here = id;
        for (edge, next) in self.obligations.chain(id) {
            let ahead = self.obligations.get(next);
            let predicates: Vec<Term> = (self.lemmas.domain.at(ahead.place).iter())
                .map(|&p| self.lemmas.domain.predicate(p))
                .collect();
            let ahead = determined(pool, &ahead.cube, &predicates);
            let atoms = self.preimages.atoms(&self.task, edge, ahead);
            let location = self.obligations.get(here).place;
            if self.lemmas.domain.extend(location, atoms, "pre-image", observer) > 0 {
                self.counts.by_preimages += 1;
                return Ok(true);
            }
            let mut solver = self.task.solver(&self.budget, None);
            for equation in lift::state(&self.task, program.vars(location), &state) {
                solver.assert(equation);
            }
            let Satisfiable::Sat(step) = solver.check(&[program.pre(pool, edge, ahead)]) else {
                return Ok(false);
            };
            state = successor(&self.task, edge, &step);
            steps.push((edge, step));
            here = next;
        }
        let mut first = self.root;
        for (edge, step) in steps.iter().rev() {
            let cube = self.obligations.get(first).cube.clone();
            let before = lifted(&self.task, &self.budget, *edge, step, &cube);
            first = self.predecessor(first, *edge, before, at.level - 1, observer);
        }
        if program.edge(way.0).source == program.entry {
            return Err(Obstacle::Path(first));
        }
        self.obligations.enqueue(first, at.level - 1);
        Ok(true)
    }

    /// The counterexample as lifted states: only the variables that matter (section 3.2).
    fn show_lifted(&self, first: ObligationId, observer: &mut dyn Observer) {
        let ids = [first].into_iter().chain(self.obligations.chain(first).into_iter().map(|(_, o)| o));
        for id in ids {
            let o = self.obligations.get(id);
            observer.event(Event::Lifted { location: o.place, cube: &o.cube });
        }
    }

    fn partial(&self) -> Partial {
        Partial {
            safe_bound: self.frontier.checked_sub(1),
            invariants: self.lemmas.frames.always(),
            notes: vec![format!(
                "frontier {}, {} lemmas, {} predicates",
                self.frontier,
                self.lemmas.frames.len(),
                self.lemmas.domain.len()
            )],
            ..Partial::default()
        }
    }

    /// The clauses of the fixpoint and their literals.
    fn report_fixpoint(&self, level: u32, observer: &mut dyn Observer) {
        let (mut clauses, mut literals) = (0, 0);
        for l in self.task.program.locs() {
            for (_, lemma) in self.lemmas.frames.at(l).filter(|(_, m)| m.level >= level) {
                clauses += 1;
                literals += lemma.cube.len() as u64;
            }
        }
        observer.event(Event::Counter("clauses at the fixpoint", clauses));
        observer.event(Event::Counter("literals at the fixpoint", literals));
    }

    fn report(&self, observer: &mut dyn Observer) {
        let queries = self.lemmas.consecution.stats();
        let own = [
            ("queries", queries.solved),
            ("queries answered by a remembered model", queries.by_witness),
            ("lemmas", self.lemmas.frames.len() as u64),
            ("obligations", self.obligations.made() as u64),
            ("frontier", u64::from(self.frontier)),
            ("abstractions", self.counts.abstractions),
            ("abstract states", self.counts.abstract_states),
            ("obligation depth", self.counts.depth),
            ("predicates", self.lemmas.domain.len() as u64),
            ("equivalent predicates skipped", self.lemmas.domain.skipped),
            ("spurious steps", self.counts.spurious_steps),
            ("interpolating refinements", self.counts.interpolations),
            ("refinements by half-spaces", self.counts.half_spaces),
            ("refinements by pre-images", self.counts.by_preimages),
            ("pre-images", self.preimages.computed),
            ("minings", self.mining.as_ref().map_or(0, |m| m.found)),
            ("literals dropped by mic", self.mic.dropped),
            ("counterexamples to generalisation blocked", self.mic.ctgs),
            ("joins", self.mic.joins),
            ("geometric generalisations", self.mic.weakened),
        ];
        for (name, value) in own.into_iter().chain(self.pusher.counters()) {
            observer.event(Event::Counter(name, value));
        }
    }
}

/// A preset of the thesis.
const fn preset(
    name: &'static str,
    about: &'static str,
    settings: &'static [(&'static str, &'static str)],
) -> Preset {
    Preset { name, engine: "ic3-cegar", about, settings }
}

const MINING: (&str, &str) = ("ic3-cegar.min-points", "3");
const NO_MINING: (&str, &str) = ("ic3-cegar.min-points", "0");
const GEOMETRIC: (&str, &str) = ("ic3-cegar.max-geo", "100");
const LAZY: (&str, &str) = ("ic3-cegar.max-spurious", "3");

/// The configurations of section 4.2.
pub const PRESETS: [Preset; 7] = [
    preset(
        "NOOPT",
        "no ctgDown, no mining",
        &[("ic3-cegar.max-ctgs", "0"), ("ic3-cegar.max-depth", "0"), NO_MINING],
    ),
    preset("C", "ctgDown", &[NO_MINING]),
    preset("CG", "ctgDown, geometric generalisation", &[NO_MINING, GEOMETRIC]),
    preset("CR", "ctgDown, state mining", &[MINING]),
    preset("CGR", "ctgDown, geometric generalisation, state mining", &[MINING, GEOMETRIC]),
    preset("CRL", "ctgDown, state mining, lazy refinement", &[MINING, LAZY]),
    preset("CGRL", "ctgDown, geometric generalisation, mining, lazy refinement", &[MINING, GEOMETRIC, LAZY]),
];
