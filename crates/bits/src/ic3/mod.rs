//! IC3 on the SAT core.
//!
//! The ideas, where they are, and their papers:
//! - frames, relative induction, obligations ([`run`], `Ic3::block`): Bradley, SAT-Based Model Checking
//!   without Unrolling, 2011;
//! - delta-encoded frames, obligations asked again at higher levels ([`palisade_ic3`]): Een,
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
//! - comparisons of words in cubes, beside latches (`signals`): after Dureja, Gurfinkel, Ivrii, Vizel, IC3
//!   with Internal Signals, 2021;
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
//! Random simulation comes first, and again between frontiers: it finds what is deep and has little choice.
//!
//! # Limits
//! A run is repeated exactly with one worker only (see `parallel`).

mod frames;
mod generalize;
mod lift;
mod obligations;
mod parallel;
mod push;
mod signals;
mod solvers;

use palisade_aig::{Circuit, Lit as Edge, Trace};
use palisade_ic3::frames::LemmaId;
use palisade_ic3::mic::{Limits, Mic};
use palisade_ic3::obligations::{Duty, ObligationId};
use palisade_sat::Lit;
use rustc_hash::FxHashMap;

use crate::bmc::Search;
use crate::marks::Marks;
use crate::model::Model;
use crate::options::Options;
use crate::simulation::{Simulated, Simulation};
use crate::step::Step;
use crate::{
    Clause, Control, Counter, Invariant, Monitor, Predicate, Stopped, Unknown, Verdict, on_folded,
    with_reduction,
};
pub(crate) use frames::negated;
use frames::{Frames, Latches};
pub(crate) use lift::Lifter;
use obligations::{Attempt, Obligations};
use parallel::Port;
use push::Obstacle;
use signals::Signals;
use solvers::Solvers;

/// Obligations between two looks at what else is to do.
const PAUSE: u64 = 64;

/// Runs IC3 on a circuit.
pub fn run(circuit: &Circuit, options: &Options, control: &Control, monitor: &mut dyn Monitor) -> Verdict {
    let seed = control.seed.wrapping_add(1);
    with_reduction(circuit, options, control, monitor, |circuit, monitor| {
        let mut simulation = Simulation::new(circuit, Vec::new(), seed);
        let found = simulation.search(options.simulate, control);
        let Simulated { steps, forks, found: by_simulation } = simulation.simulated;
        monitor.counters(&[
            ("simulated steps", steps),
            ("simulated forks", forks),
            ("found by simulation", u64::from(by_simulation)),
        ]);
        match found {
            Ok(Some(trace)) => Verdict::Unsafe(trace),
            Ok(None) if options.fold && !circuit.constraints.is_empty() => {
                on_folded(circuit, |circuit, holds| search(circuit, &[holds], options, control, monitor))
            }
            Ok(None) => search(circuit, &[], options, control, monitor),
            Err(Stopped) => Verdict::Unknown(Unknown::Stopped),
        }
    })
}

/// Runs one worker, or several. Simulation gives up runs in which a literal of `guide` is false.
fn search(
    circuit: &Circuit,
    guide: &[Edge],
    options: &Options,
    control: &Control,
    monitor: &mut dyn Monitor,
) -> Verdict {
    let model = Model::new(circuit, options.property_frames, options);
    let problem = Problem { circuit, model: &model, guide };
    if control.workers > 1 {
        parallel::run(problem, options, control, monitor)
    } else {
        run_one(problem, options, control, None, monitor).0
    }
}

/// What a worker works on.
#[derive(Clone, Copy)]
struct Problem<'m> {
    circuit: &'m Circuit,
    model: &'m Model,
    /// What simulation takes for constraints.
    guide: &'m [Edge],
}

/// Runs IC3 on a circuit as it is, without reductions. Also returns the lemmas of each level at the end;
/// `F_i` has those of level `i` and higher, and the property with `property_frames`.
pub fn run_with_frames(
    circuit: &Circuit,
    options: &Options,
    control: &Control,
    monitor: &mut dyn Monitor,
) -> (Verdict, Vec<Vec<Clause>>) {
    let model = Model::new(circuit, options.property_frames, options);
    run_one(Problem { circuit, model: &model, guide: &[] }, options, control, None, monitor)
}

/// Runs one worker. Also returns the lemmas of each level at the end.
fn run_one(
    problem: Problem<'_>,
    options: &Options,
    control: &Control,
    port: Option<Port>,
    monitor: &mut dyn Monitor,
) -> (Verdict, Vec<Vec<Clause>>) {
    let Problem { circuit, model, .. } = problem;
    let mut ic3 = Ic3::new(problem, options, control);
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
    let exactly = |i: usize| ic3.frames.exactly(i as u32).into_iter();
    let clauses = |i| exactly(i).map(|id| model.clause_of(&ic3.frames.lemma(id).cube)).collect();
    (verdict, (0..ic3.solvers.len()).map(clauses).collect())
}

/// How a run ends.
enum End {
    /// The frames of this level and the next are equal.
    Invariant(usize),
    /// The cube of this obligation has an initial state that is bad.
    BadStart(ObligationId),
    /// The cube of this obligation has an initial state.
    Counterexample(ObligationId),
    /// Bounded search or simulation found a run.
    Run(Trace),
}

/// Counts of what happened.
#[derive(Default)]
struct Stats {
    blocked: u64,
    lemma_literals: u64,
    parents: u64,
    pushed: u64,
    push_skips: u64,
    predictions: u64,
    predicted: u64,
    lifted_away: u64,
    infinite: u64,
    imported: u64,
    /// Blocked obligations that were put back for a higher level.
    reenqueued: u64,
    /// By how many levels blocked cubes were found to hold higher than asked.
    levels_raised: u64,
    /// Obligations that were taken up, and what bounded search cost when it was last thought of.
    handled: u64,
    beside: u64,
    /// Propagations when runs were last simulated.
    simulated_until: u64,
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
    /// Adds signals to cubes.
    signals: Signals,
    /// How much a state variable occurred in blocked cubes lately.
    activity: Vec<f64>,
    increment: f64,
    frontier: usize,
    /// The assumptions of the last core.
    marks: Marks,
    /// Why lemmas could not be pushed.
    obstacles: FxHashMap<LemmaId, Obstacle>,
    /// How much of the frames' log had been written when lemmas were last pushed.
    pushed_until: usize,
    /// Drops literals of blocked cubes.
    mic: Mic<Lit>,
    /// Was a query of a generalisation stopped?
    stopped: bool,
    /// The lemmas of all frames, and nothing else.
    infinite: Step<'m>,
    /// Where other workers are heard.
    port: Option<Port>,
    /// Bounded search beside.
    search: Search<'m>,
    /// Random runs between frontiers.
    simulation: Simulation<'m>,
    stats: Stats,
}

/// The answer to a query for a predecessor.
enum Answer {
    /// There is none; literals of the cube that are enough, without initial states.
    Blocked(Vec<Lit>),
    /// There is one: its states, and the inputs.
    Predecessor(Vec<Lit>, Box<[u64]>),
}

impl<'m> Ic3<'m> {
    fn new(problem: Problem<'m>, options: &'m Options, control: &'m Control) -> Self {
        let Problem { circuit, model, guide } = problem;
        let mut ic3 = Ic3 {
            model,
            options,
            control,
            solvers: Solvers::new(model, options, control),
            frames: frames::empty(),
            obligations: Obligations::new(Duty::Must),
            lifter: Lifter::new(model, options, control),
            signals: Signals::new(model),
            activity: vec![0.0; if model.signals.is_empty() { model.latches } else { model.vars() }],
            increment: 1.0,
            frontier: 0,
            marks: Marks::default(),
            obstacles: FxHashMap::default(),
            pushed_until: 0,
            mic: Mic::new(Limits::PLAIN),
            stopped: false,
            infinite: Step::new(model, control, options.domain, true),
            port: None,
            search: Search::new(circuit, control),
            simulation: Simulation::new(circuit, guide.to_vec(), control.seed.wrapping_add(1)),
            stats: Stats::default(),
        };
        ic3.add_frame();
        ic3
    }

    /// Opens the next frame.
    fn add_frame(&mut self) {
        self.solvers.grow(&self.frames);
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
            if let Some(trace) = self.simulate_between()? {
                return Ok(End::Run(trace));
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
            if self.model.is_initial(&self.obligations.get(id).cube) {
                return Ok(Some(End::Counterexample(id)));
            }
            self.obligations.enqueue(id, frontier as u32);
        }
    }

    /// The obligation of the model by which a frame's solver satisfies `target`.
    fn bad_obligation(&mut self, frame: usize, target: Lit) -> Result<ObligationId, Stopped> {
        let (cube, inputs) = self.states_before(frame, &[target])?;
        Ok(self.obligations.root((), cube, Attempt::new(inputs)))
    }

    /// Handles obligations up to the frontier. A counterexample, if one is met.
    fn block(&mut self) -> Result<Option<End>, Stopped> {
        while let Some((id, level)) = self.obligations.pop(self.frontier as u32) {
            let level = level as usize;
            self.control.check()?;
            self.stats.handled += 1;
            if self.stats.handled.is_multiple_of(PAUSE) {
                self.listen()?;
                if let Some(trace) = self.search_beside()? {
                    return Ok(Some(End::Run(trace)));
                }
            }
            let cube = self.obligations.get(id).cube.clone();
            if self.blocks(level, &cube) {
                self.again(id, level + 1);
                continue;
            }
            match self.relative(level - 1, &cube)? {
                Answer::Blocked(core) => {
                    let effort = obligations::effort(&self.obligations, id);
                    let reached = self.learn(level, &cube, core, effort)?;
                    self.again(id, reached + 1);
                }
                Answer::Predecessor(pre, inputs) => {
                    let initial = self.model.is_initial(&pre);
                    self.obligations.get_mut(id).extra.failures += 1;
                    let p = self.obligations.predecessor(id, (), (), pre, Attempt::new(inputs));
                    if initial {
                        return Ok(Some(End::Counterexample(p)));
                    }
                    self.obligations.enqueue(p, level as u32 - 1);
                    self.obligations.enqueue(id, level as u32);
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

    /// Other random runs, for their part of the work since the last ones.
    fn simulate_between(&mut self) -> Result<Option<Trace>, Stopped> {
        let propagations = self.solvers.counts()[2];
        let work = (propagations - self.stats.simulated_until) / 100 * self.options.simulate_between;
        if work == 0 {
            return Ok(None);
        }
        self.stats.simulated_until = propagations;
        self.simulation.again();
        self.simulation.search(work, self.control)
    }

    /// Asks a blocked obligation again at a higher level: now, or at the next frontier.
    fn again(&mut self, id: ObligationId, level: usize) {
        if self.options.reenqueue && (level <= self.frontier || self.options.keep_obligations) {
            self.obligations.enqueue(id, level as u32);
            self.stats.reenqueued += 1;
        }
    }

    /// Is the cube, which is sorted, excluded at the level by a lemma?
    fn blocks(&self, level: usize, cube: &[Lit]) -> bool {
        self.frames.blocked(&Latches, (), cube, level as u32)
    }

    /// Can a step from `F_level`, outside the cube, lead into the cube?
    fn relative(&mut self, level: usize, cube: &[Lit]) -> Result<Answer, Stopped> {
        Ok(match self.refute(level, cube)? {
            Some(core) => Answer::Blocked(core),
            None => {
                let (cube, inputs) = self.lifted(level, cube)?;
                Answer::Predecessor(cube, inputs)
            }
        })
    }

    /// As [`Ic3::relative`], when only the answer matters: the core, if the cube is blocked.
    fn refute(&mut self, level: usize, cube: &[Lit]) -> Result<Option<Vec<Lit>>, Stopped> {
        let sat = self.solvers.solve(level, &self.model.after(cube), &negated(cube))?;
        Ok(if sat { None } else { Some(self.core(level, cube)) })
    }

    /// The states, and the inputs, of the model by which a step from `F_level` leads into the cube.
    fn lifted(&mut self, level: usize, cube: &[Lit]) -> Result<(Vec<Lit>, Box<[u64]>), Stopped> {
        let after = self.model.after(cube);
        self.states_before(level, &after)
    }

    /// The states, and the inputs, of the last model of a frame's solver, in which all targets are true.
    fn states_before(&mut self, level: usize, targets: &[Lit]) -> Result<(Vec<Lit>, Box<[u64]>), Stopped> {
        let solver = self.solvers.step(level);
        let (mut states, inputs) = self.lifter.predecessor(self.model, solver, targets, &self.activity)?;
        self.stats.lifted_away += (self.model.latches - states.len()) as u64;
        self.signals.extend(self.model, &mut states);
        Ok((states, inputs))
    }

    /// The literals of a cube that the last refutation needs, and one that excludes the initial states.
    fn core(&mut self, level: usize, cube: &[Lit]) -> Vec<Lit> {
        self.marks.set(self.solvers.step(level).core());
        let needed = |l: &Lit| self.marks.contains(self.model.after_step(*l));
        let mut kept: Vec<Lit> = cube.iter().copied().filter(needed).collect();
        if self.model.is_initial(&kept) {
            kept.extend(cube.iter().copied().find(|&l| self.model.excludes_initial(l)));
        }
        kept
    }

    /// Generalises a cube that is blocked at a level, and adds the lemma as high as it holds. Returns its
    /// level.
    fn learn(&mut self, level: usize, states: &[Lit], core: Vec<Lit>, effort: u32) -> Result<usize, Stopped> {
        self.stats.blocked += 1;
        let cube = self.generalize(level, states, core, effort)?;
        self.bump(&cube);
        let (level, cube) = self.raised(level, cube)?;
        self.add_lemma(level, cube);
        Ok(level)
    }

    /// The highest level at which a cube that is blocked at `level` stays blocked, and what suffices there.
    fn raised(&mut self, mut level: usize, mut cube: Vec<Lit>) -> Result<(usize, Vec<Lit>), Stopped> {
        while level < self.frontier {
            match self.refute(level, &cube)? {
                Some(core) => cube = core,
                None => break,
            }
            level += 1;
            self.stats.levels_raised += 1;
        }
        Ok((level, cube))
    }

    fn add_lemma(&mut self, level: usize, cube: Vec<Lit>) {
        if let Some(port) = &self.port {
            port.tell(level, &cube);
        }
        self.add_own_lemma(level, cube);
    }

    /// Adds a lemma without telling it to others.
    fn add_own_lemma(&mut self, level: usize, cube: Vec<Lit>) {
        let cube = frames::sorted(cube);
        self.stats.lemma_literals += cube.len() as u64;
        let clause = negated(&cube);
        let same = self.frames.excluding(&Latches, (), &cube).find(|(_, m)| m.cube.len() == cube.len());
        let from = match same.map(|(id, m)| (id, m.level as usize)) {
            // The solvers up to its level have the clause already.
            Some((_, known)) if known >= level => return,
            Some((id, known)) => {
                self.frames.raise(&Latches, id, level as u32);
                known + 1
            }
            None if self.frames.add(&Latches, (), cube, level as u32).is_none() => return,
            None => 1,
        };
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
        frames::from(&self.frames, level + 1).map(|cube| self.model.clause_of(cube)).collect()
    }

    /// The run that begins in the cube of an obligation.
    fn trace(&self, id: ObligationId) -> Trace {
        let mut initial: Vec<bool> = self.model.reset.iter().map(|r| r.unwrap_or(false)).collect();
        for l in self.obligations.get(id).cube.iter().filter(|l| self.model.is_latch(l.var())) {
            initial[l.var().index()] = l.is_positive();
        }
        let after = self.obligations.chain(id).into_iter().map(|((), id)| id);
        let inputs = |id: ObligationId| {
            let packed = &self.obligations.get(id).extra.inputs;
            (0..self.model.inputs).map(|i| packed[i / 64] >> (i % 64) & 1 == 1).collect()
        };
        Trace { initial, inputs: [id].into_iter().chain(after).map(inputs).collect() }
    }

    fn signals_in_lemmas(&self) -> u64 {
        frames::from(&self.frames, 0).flatten().filter(|l| !self.model.is_latch(l.var())).count() as u64
    }

    fn counters(&self) -> Vec<Counter> {
        let s = &self.stats;
        let [before, after] = self.model.relation.sizes;
        let others = [self.lifter.solver(), &self.infinite].map(solvers::counts);
        let [queries, conflicts, propagations] = others.into_iter().fold(self.solvers.counts(), solvers::add);
        vec![
            ("frontier", self.frontier as u64),
            ("frames begin with the property", u64::from(self.model.bad_next.is_some())),
            ("gates and leaves", before.variables as u64),
            ("clauses of gates", before.clauses as u64),
            ("variables after elimination", after.variables as u64),
            ("clauses after elimination", after.clauses as u64),
            ("signals", self.model.signals.len() as u64),
            ("signals in cubes", self.signals.added),
            ("signals in lemmas", self.signals_in_lemmas()),
            ("cubes without bits of words", self.mic.shortcuts),
            ("queries", queries),
            ("conflicts", conflicts),
            ("propagations", propagations),
            ("obligations", self.obligations.made() as u64),
            ("blocked", s.blocked),
            ("lemmas", self.frames.at(()).count() as u64),
            ("lemma literals", s.lemma_literals),
            ("literals dropped", self.mic.dropped),
            ("literals kept", self.mic.kept),
            ("ctgs tried", self.mic.attempted),
            ("ctgs", self.mic.ctgs),
            ("ctgs of ctgs", self.mic.extended),
            ("joins", self.mic.joins),
            ("parent lemmas", s.parents),
            ("pushed", s.pushed),
            ("attempts to push saved", s.push_skips),
            ("predictions", s.predictions),
            ("predicted lemmas", s.predicted),
            ("literals lifted", s.lifted_away),
            ("literals lifted by ternary simulation", self.lifter.by_ternary),
            ("literals lifted by cores", self.lifter.by_core),
            ("obligations asked again", s.reenqueued),
            ("levels raised", s.levels_raised),
            ("lemmas of all frames", s.infinite),
            ("lemmas of other workers", s.imported),
            ("solvers made anew", self.solvers.rebuilt),
            ("steps of bounded search", self.search.depth() as u64),
            ("simulated steps between frontiers", self.simulation.simulated.steps),
            ("simulated forks between frontiers", self.simulation.simulated.forks),
            ("found by simulation between frontiers", u64::from(self.simulation.simulated.found)),
        ]
    }
}

#[cfg(test)]
mod tests {
    use palisade_sat::Var;

    use super::*;

    /// Fig. 2 of Somenzi and Bradley, IC3: Where Monolithic and Incremental Meet, 2011, read backwards: a
    /// shift register of three bits, bad when all are on. Which predecessor of the counterexample to
    /// induction 110 comes first is the solver's choice, so both are handed in here.
    #[test]
    fn fig_2_with_both_predecessors() {
        let mut c = Circuit::default();
        let i = c.add_input();
        let x: Vec<_> = (0..3).map(|_| c.add_latch(Some(false))).collect();
        (c.latches[0].next, c.latches[1].next, c.latches[2].next) = (i, x[0], x[1]);
        c.bads = vec![c.aig.and_all(x)];
        let options = Options { ctg: false, ternary: false, lift: false, ..Options::default() };
        let model = Model::new(&c, options.property_frames, &options);
        let control = Control::default();
        let state = |bits: [bool; 3]| (0..3).map(|k| Var::new(k).lit(bits[k])).collect::<Vec<_>>();
        let (s, on) = (state([true, true, false]), || Attempt::new(Box::new([1])));
        for direct in [true, false] {
            let mut ic3 = Ic3::new(Problem { circuit: &c, model: &model, guide: &[] }, &options, &control);
            let lemmas = |ic3: &Ic3<'_>| -> Vec<Vec<Clause>> {
                let clause = |id| model.clause_of(&ic3.frames.lemma(id).cube);
                (1..=ic3.frontier as u32)
                    .map(|k| ic3.frames.exactly(k).into_iter().map(clause).collect())
                    .collect()
            };
            let target = model.bad_next.expect("bad states are about latches");
            ic3.add_frame();
            ic3.frontier = 1;
            assert!(ic3.strengthen(target).unwrap().is_none());
            assert_eq!(lemmas(&ic3), [vec![vec![(1, false)]]], "the negation of 110 becomes !x2");
            ic3.add_frame();
            ic3.frontier = 2;
            assert!(ic3.push().unwrap().is_none());
            assert_eq!(lemmas(&ic3), [vec![vec![(1, false)]], vec![]], "!x2 is not propagated");
            ic3.obligations.clear();
            let id = ic3.obligations.root((), s.clone(), on());
            let before = ic3.obligations.predecessor(id, (), (), state([true, false, !direct]), on());
            ic3.obligations.enqueue(before, 1);
            let found = if direct {
                ic3.block().unwrap()
            } else {
                // The predecessors of 101 are not in F_1: it is blocked at level 2, by !x3.
                assert!(ic3.block().unwrap().is_none());
                assert_eq!(lemmas(&ic3), [vec![vec![(1, false)]], vec![vec![(2, false)]]]);
                ic3.strengthen(target).unwrap()
            };
            let Some(End::Counterexample(id)) = found else { panic!("a counterexample") };
            let mut trace = ic3.trace(id);
            trace.inputs.push(vec![false]);
            assert_eq!((c.replay(&trace), trace.inputs.len()), (Ok(0), 4), "q0 q1 q3 q7");
        }
    }
}
