//! IC3 on the SAT core.
//!
//! The ideas, where they are, and their papers:
//! - frames, relative induction, obligations ([`run`], `Ic3::block`): Bradley, SAT-Based Model Checking
//!   without Unrolling, 2011;
//! - delta-encoded frames, obligations asked again at higher levels (`frames`, `obligations`): Een,
//!   Mishchenko, Brayton, Efficient Implementation of Property Directed Reachability, 2011;
//! - chains of predecessors at one level (`obligations`): Somenzi, Bradley, IC3: Where Monolithic and
//!   Incremental Meet, 2011, II.B;
//! - lifting by ternary simulation (`lift`): Een, Mishchenko, Brayton, Efficient Implementation of Property
//!   Directed Reachability, 2011;
//! - lifting by the core of a query (`lift`): Chockler et al., Incremental Formal Verification of Hardware,
//!   2011;
//! - `mic`, `down` (`generalize`): Bradley, Manna, Checking Safety by Inductive Generalization of
//!   Counterexamples to Induction, 2007;
//! - `ctgDown` (`generalize`): Hassan, Bradley, Somenzi, Better Generalization in IC3, 2013;
//! - parent lemmas (`generalize`): Xia et al., Searching for i-Good Lemmas to Accelerate Safety Model
//!   Checking, 2023;
//! - predicted lemmas (`generalize`, `push`): Su, Yang, Ci, Predicting Lemmas in Generalization of IC3, 2024;
//! - strategy by activity of the obligation, counterexamples to generalisation blocked by way of their
//!   predecessors (`generalize`): Su et al., Extended Counterexamples to Generalization and Dynamic
//!   Adjustment, 2025;
//! - workers that tell each other lemmas (`parallel`): Bradley, 2011;
//! - queries on a domain, clauses added on demand (`crate::step`): Su et al., Extended CDCL for IC3 (GipSAT),
//!   2024.
//!
//! # Invariants
//! Let `F_0` be the initial states and `F_i` the conjunction of the lemmas of level `i` and higher.
//! - `F_0` implies `F_1`, `F_i` implies `F_{i+1}`, and a constrained step from `F_i` leads to `F_{i+1}`.
//! - No state of `F_i` is bad, for `i` below the frontier.
//! - All states of an obligation's cube go, with the obligation's inputs, into the cube of the next one (or
//!   are bad), and the constraints hold. So a cube with an initial state is the beginning of a
//!   counterexample.
//!
//! Bad states may depend on inputs: the first query at a frontier asks for a state and inputs that are bad.
//! With `property_frames`, and if bad states are about latches only, it asks for a state one step before, and
//! every frame contains the property, as in the first and third paper.
//!
//! With `beside`, bounded search goes on beside it for a part of the work: it finds what is shallow and wide.
//!
//! # Limits
//! A run is repeated exactly with one worker only (see `parallel`).

mod frames;
mod generalize;
mod lift;
mod obligations;
mod parallel;
mod push;
mod solvers;

use palisade_aig::{Circuit, Trace};
use palisade_sat::Lit;
use rustc_hash::FxHashMap;

use crate::bmc::Search;
use crate::model::Model;
use crate::options::Options;
use crate::simulation;
use crate::step::Step;
use crate::{
    Clause, Control, Counter, Invariant, Monitor, Predicate, Stopped, Unknown, Verdict, with_reduction,
};
pub(crate) use frames::Cube;
use frames::{Frames, Marks};
pub(crate) use lift::Lifter;
use obligations::{Obligation, Obligations};
use parallel::Port;
use push::Obstacle;
use solvers::Solvers;

/// Obligations between two looks at what else is to do.
const PAUSE: u64 = 64;

/// Runs IC3 on a circuit.
pub fn run(circuit: &Circuit, options: &Options, control: &Control, monitor: &mut dyn Monitor) -> Verdict {
    let seed = control.seed.wrapping_add(1);
    with_reduction(circuit, options, control, monitor, |circuit, monitor| {
        match simulation::search(circuit, seed, options.simulate, control) {
            Ok(Some(trace)) => Verdict::Unsafe(trace),
            Ok(None) if control.workers > 1 => parallel::run(circuit, options, control, monitor),
            Ok(None) => run_with_frames(circuit, options, control, monitor).0,
            Err(Stopped) => Verdict::Unknown(Unknown::Stopped),
        }
    })
}

/// Runs IC3 on a circuit as it is, without reductions. Also returns the lemmas of each level at the end;
/// `F_i` has those of level `i` and higher, and the property with `property_frames`.
pub fn run_with_frames(
    circuit: &Circuit,
    options: &Options,
    control: &Control,
    monitor: &mut dyn Monitor,
) -> (Verdict, Vec<Vec<Clause>>) {
    let model = Model::new(circuit, options.property_frames);
    run_one(circuit, &model, options, control, None, monitor)
}

/// Runs one worker. Also returns the lemmas of each level at the end.
fn run_one(
    circuit: &Circuit,
    model: &Model,
    options: &Options,
    control: &Control,
    port: Option<Port>,
    monitor: &mut dyn Monitor,
) -> (Verdict, Vec<Vec<Clause>>) {
    let mut ic3 = Ic3::new(circuit, model, options, control);
    ic3.port = port;
    let result = ic3.run(monitor);
    monitor.counters(&ic3.counters());
    let verdict = match result {
        Ok(End::Invariant(level)) => {
            let property = model.bad_next.map(|_| Predicate::property(circuit));
            Verdict::Safe(Invariant { clauses: ic3.invariant(level), predicate: property })
        }
        Ok(End::Run(trace)) => Verdict::Unsafe(trace),
        Ok(End::BadStart(id)) => Verdict::Unsafe(ic3.trace(id)),
        Ok(End::Counterexample(id)) => {
            let mut trace = ic3.trace(id);
            if model.bad_next.is_some() {
                // The last obligation leads into a bad state, whatever the inputs are there.
                trace.inputs.push(vec![false; model.inputs]);
            }
            Verdict::Unsafe(trace)
        }
        Err(Stopped) => Verdict::Unknown(Unknown::Stopped),
    };
    let levels = 0..ic3.solvers.len();
    (verdict, levels.map(|i| ic3.frames.at(i).iter().map(clause_of).collect()).collect())
}

/// How a run ends.
enum End {
    /// The frames of this level and the next are equal.
    Invariant(usize),
    /// The cube of this obligation has an initial state that is bad.
    BadStart(u32),
    /// The cube of this obligation has an initial state.
    Counterexample(u32),
    /// Bounded search found a run.
    Run(Trace),
}

/// Counts of what happened.
#[derive(Default)]
struct Stats {
    blocked: u64,
    lemma_literals: u64,
    mic_drops: u64,
    mic_failures: u64,
    ctgs: u64,
    extended: u64,
    joins: u64,
    parents: u64,
    pushed: u64,
    push_skips: u64,
    predictions: u64,
    predicted: u64,
    lifted_away: u64,
    infinite: u64,
    imported: u64,
    /// Obligations that were taken up, and what bounded search cost when it was last thought of.
    handled: u64,
    beside: u64,
}

struct Ic3<'m> {
    model: &'m Model,
    options: &'m Options,
    control: &'m Control,
    /// The solvers of the frames, `F_0` first.
    solvers: Solvers<'m>,
    frames: Frames,
    obligations: Obligations,
    lifter: Lifter<'m>,
    /// How much a latch occurred in blocked cubes lately.
    activity: Vec<f64>,
    increment: f64,
    frontier: usize,
    /// The assumptions of the last core.
    marks: Marks,
    /// Why lemmas could not be pushed.
    obstacles: FxHashMap<Cube, Obstacle>,
    /// The lemmas of all frames, and nothing else.
    infinite: Step<'m>,
    /// Where other workers are heard.
    port: Option<Port>,
    /// Bounded search beside.
    search: Search<'m>,
    stats: Stats,
}

/// The answer to a query for a predecessor.
enum Answer {
    /// There is none; literals of the cube that are enough, without initial states.
    Blocked(Vec<Lit>),
    /// There is one: its states, and the inputs.
    Predecessor(Cube, Box<[u64]>),
}

/// The clause that excludes a cube.
fn clause_of(cube: &Cube) -> Clause {
    cube.lits.iter().map(|l| (l.var().index(), !l.is_positive())).collect()
}

impl<'m> Ic3<'m> {
    fn new(circuit: &'m Circuit, model: &'m Model, options: &'m Options, control: &'m Control) -> Self {
        let mut ic3 = Ic3 {
            model,
            options,
            control,
            solvers: Solvers::new(model, options, control),
            frames: Frames::default(),
            obligations: Obligations::default(),
            lifter: Lifter::new(model, options, control),
            activity: vec![0.0; model.latches],
            increment: 1.0,
            frontier: 0,
            marks: Marks::default(),
            obstacles: FxHashMap::default(),
            infinite: Step::new(model, control, options.domain, true),
            port: None,
            search: Search::new(circuit, control),
            stats: Stats::default(),
        };
        ic3.add_frame();
        ic3
    }

    /// Opens the next frame.
    fn add_frame(&mut self) {
        self.solvers.grow(&self.frames);
        self.frames.grow(self.solvers.len() - 1);
    }

    fn run(&mut self, monitor: &mut dyn Monitor) -> Result<End, Stopped> {
        if self.solvers.solve(0, &[self.model.bad], &[])? {
            return Ok(End::BadStart(self.bad_obligation(0, self.model.bad)?));
        }
        let target = self.model.bad_next.unwrap_or(self.model.bad);
        if self.model.bad_next.is_some() && self.solvers.solve(0, &[target], &[])? {
            return Ok(End::Counterexample(self.bad_obligation(0, target)?));
        }
        self.frontier = 1;
        self.add_frame();
        if self.options.initial_clauses {
            self.initial_clauses()?;
        }
        loop {
            monitor.bound(self.frontier as u32);
            if let Some(end) = self.strengthen(target)? {
                return Ok(end);
            }
            self.add_frame();
            self.frontier += 1;
            self.listen()?;
            if let Some(level) = self.push()? {
                return Ok(End::Invariant(level));
            }
            self.solvers.rebuild(&self.frames);
            if !self.options.keep_obligations {
                self.obligations.clear();
            }
        }
    }

    /// Excludes bad states from the frontier. A counterexample, if there is one.
    fn strengthen(&mut self, target: Lit) -> Result<Option<End>, Stopped> {
        loop {
            if let Some(end) = self.block()? {
                return Ok(Some(end));
            }
            let frontier = self.frontier;
            if !self.solvers.solve(frontier, &[target], &[])? {
                return Ok(None);
            }
            let id = self.bad_obligation(frontier, target)?;
            if self.model.is_initial(&self.obligations.get(id).cube.lits) {
                return Ok(Some(End::Counterexample(id)));
            }
            self.obligations.push(id, frontier);
        }
    }

    /// The obligation of the model by which a frame's solver satisfies `target`.
    fn bad_obligation(&mut self, frame: usize, target: Lit) -> Result<u32, Stopped> {
        let (cube, inputs) =
            self.lifter.predecessor(self.model, self.solvers.step(frame), &[target], &self.activity)?;
        self.stats.lifted_away += (self.model.latches - cube.lits.len()) as u64;
        Ok(self.obligations.add(Obligation { cube, inputs, next: None, depth: 0, failures: 0 }))
    }

    /// Handles obligations up to the frontier. A counterexample, if one is met.
    fn block(&mut self) -> Result<Option<End>, Stopped> {
        while let Some((id, level)) = self.obligations.pop(self.frontier) {
            self.control.check()?;
            self.stats.handled += 1;
            if self.stats.handled.is_multiple_of(PAUSE) {
                self.listen()?;
                if let Some(trace) = self.search_beside()? {
                    return Ok(Some(End::Run(trace)));
                }
            }
            let cube = self.obligations.get(id).cube.clone();
            if self.frames.blocks(level, &cube) {
                self.again(id, level + 1);
                continue;
            }
            match self.relative(level - 1, &cube.lits, true)? {
                Answer::Blocked(core) => {
                    let effort = self.obligations.effort(id);
                    let reached = self.learn(level, core, effort)?;
                    self.again(id, reached + 1);
                }
                Answer::Predecessor(pre, inputs) => {
                    let initial = self.model.is_initial(&pre.lits);
                    self.obligations.bump(id);
                    let depth = self.obligations.get(id).depth + 1;
                    let p = self.obligations.add(Obligation {
                        cube: pre,
                        inputs,
                        next: Some(id),
                        depth,
                        failures: 0,
                    });
                    if initial {
                        return Ok(Some(End::Counterexample(p)));
                    }
                    self.obligations.push(p, level - 1);
                    self.obligations.push(id, level);
                }
            }
        }
        Ok(None)
    }

    /// Goes on with bounded search while it has done less than its part of the work.
    fn search_beside(&mut self) -> Result<Option<Trace>, Stopped> {
        let allowed = self.solvers.counts()[2] / 100 * self.options.beside;
        while self.stats.beside < allowed {
            let before = self.search.propagations();
            let found = self.search.advance(Some(allowed - self.stats.beside))?;
            if found.is_some() {
                return Ok(found);
            }
            // Clauses have their cost too, even where nothing follows from them.
            self.stats.beside += self.search.propagations() - before + self.search.gates() as u64;
        }
        Ok(None)
    }

    /// Asks a blocked obligation again at a higher level: now, or at the next frontier.
    fn again(&mut self, id: u32, level: usize) {
        if self.options.reenqueue && (level <= self.frontier || self.options.keep_obligations) {
            self.obligations.push(id, level);
        }
    }

    /// Can a step from `F_level`, outside the cube if `inductive`, lead into the cube?
    fn relative(&mut self, level: usize, cube: &[Lit], inductive: bool) -> Result<Answer, Stopped> {
        let after: Vec<Lit> = cube.iter().map(|&l| self.next(l)).collect();
        let outside: Vec<Lit> = if inductive { cube.iter().map(|&l| !l).collect() } else { Vec::new() };
        if self.solvers.solve(level, &after, &outside)? {
            let solver = self.solvers.step(level);
            let (cube, inputs) = self.lifter.predecessor(self.model, solver, &after, &self.activity)?;
            self.stats.lifted_away += (self.model.latches - cube.lits.len()) as u64;
            return Ok(Answer::Predecessor(cube, inputs));
        }
        Ok(Answer::Blocked(self.core(level, cube)))
    }

    /// The literals of a cube that the last refutation needs, and one that excludes the initial states.
    fn core(&mut self, level: usize, cube: &[Lit]) -> Vec<Lit> {
        self.marks.set(self.solvers.step(level).core());
        let needed = |l: &Lit| self.marks.contains(self.next(*l));
        let mut kept: Vec<Lit> = cube.iter().copied().filter(needed).collect();
        if self.model.is_initial(&kept) {
            kept.extend(cube.iter().copied().find(|&l| self.model.excludes_initial(l)));
        }
        kept
    }

    /// The literal that is true when a latch literal is true after the step.
    #[inline]
    fn next(&self, l: Lit) -> Lit {
        let next = self.model.next[l.var().index()];
        if l.is_positive() { next } else { !next }
    }

    /// Generalises a cube that is blocked at a level, and adds the lemma as high as it holds. Returns its
    /// level.
    fn learn(&mut self, level: usize, core: Vec<Lit>, effort: u32) -> Result<usize, Stopped> {
        self.stats.blocked += 1;
        let cube = self.generalize(level, core, effort)?;
        self.bump(&cube);
        let (mut level, mut cube) = (level, Cube::new(cube));
        while level < self.frontier {
            match self.relative_unlifted(level, &cube.lits)? {
                Some(core) => cube = Cube::new(core),
                None => break,
            }
            level += 1;
        }
        self.add_lemma(level, cube);
        Ok(level)
    }

    /// As [`Ic3::relative`], when only the answer matters: the core, if the cube is blocked.
    fn relative_unlifted(&mut self, level: usize, cube: &[Lit]) -> Result<Option<Vec<Lit>>, Stopped> {
        let after: Vec<Lit> = cube.iter().map(|&l| self.next(l)).collect();
        let outside: Vec<Lit> = cube.iter().map(|&l| !l).collect();
        let sat = self.solvers.solve(level, &after, &outside)?;
        Ok(if sat { None } else { Some(self.core(level, cube)) })
    }

    fn add_lemma(&mut self, level: usize, cube: Cube) {
        if let Some(port) = &self.port {
            port.tell(level, &cube);
        }
        self.add_own_lemma(level, cube);
    }

    /// Adds a lemma without telling it to others.
    fn add_own_lemma(&mut self, level: usize, cube: Cube) {
        self.stats.lemma_literals += cube.lits.len() as u64;
        let clause = cube.clause();
        let from = self.frames.add(level, cube);
        self.solvers.add(from, level, &clause);
    }

    fn bump(&mut self, cube: &[Lit]) {
        for l in cube {
            self.activity[l.var().index()] += self.increment;
        }
        self.increment /= 0.99;
        if self.increment > 1e100 {
            self.activity.iter_mut().for_each(|a| *a *= 1e-100);
            self.increment *= 1e-100;
        }
    }

    /// The lemmas that hold in the level after `level`, which are inductive.
    fn invariant(&self, level: usize) -> Vec<Clause> {
        self.frames.from(level + 1).map(clause_of).collect()
    }

    /// The run that begins in the cube of an obligation.
    fn trace(&self, id: u32) -> Trace {
        let first = self.obligations.get(id);
        let mut initial: Vec<bool> = self.model.reset.iter().map(|r| r.unwrap_or(false)).collect();
        for l in &first.cube.lits {
            initial[l.var().index()] = l.is_positive();
        }
        let mut trace = Trace { initial, inputs: Vec::new() };
        let mut at = Some(id);
        while let Some(id) = at {
            let o = self.obligations.get(id);
            let bit = |i: usize| o.inputs[i / 64] >> (i % 64) & 1 == 1;
            trace.inputs.push((0..self.model.inputs).map(bit).collect());
            at = o.next;
        }
        trace
    }

    fn counters(&self) -> Vec<Counter> {
        let s = &self.stats;
        let others = [self.lifter.solver(), &self.infinite].map(solvers::counts);
        let [queries, conflicts, propagations] = others.into_iter().fold(self.solvers.counts(), solvers::add);
        vec![
            ("frontier", self.frontier as u64),
            ("queries", queries),
            ("conflicts", conflicts),
            ("propagations", propagations),
            ("obligations", self.obligations.len() as u64),
            ("blocked", s.blocked),
            ("lemmas", self.frames.len() as u64),
            ("lemma literals", s.lemma_literals),
            ("literals dropped", s.mic_drops),
            ("literals kept", s.mic_failures),
            ("ctgs", s.ctgs),
            ("ctgs of ctgs", s.extended),
            ("joins", s.joins),
            ("parent lemmas", s.parents),
            ("pushed", s.pushed),
            ("attempts to push saved", s.push_skips),
            ("predictions", s.predictions),
            ("predicted lemmas", s.predicted),
            ("literals lifted", s.lifted_away),
            ("lemmas of all frames", s.infinite),
            ("lemmas of other workers", s.imported),
            ("solvers made anew", self.solvers.rebuilt),
            ("steps of bounded search", self.search.depth() as u64),
        ]
    }
}
