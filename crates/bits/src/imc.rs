//! Interpolation-based model checking (McMillan: Interpolation and SAT-Based Model Checking, 2003).
//!
//! `R` is a set of states, at first the initial ones. If no run of `1..=k` steps leads from `R` to a bad
//! state, the refutation has an interpolant between the first step and the others: a set of states that
//! contains the image of `R` and from which no bad state is reached within `k - 1` steps. It is added to `R`,
//! until nothing new comes: then `R` is inductive. If a run exists, it is a counterexample when `R` is the
//! initial states, otherwise the image was too coarse and `k` grows.
//!
//! Interpolants are read off the resolution proof, by McMillan's rules, their dual or Pudlak's, and are
//! and-inverter graphs over the latches. After each image what is left of `R` is copied into a fresh graph.
//!
//! Entry point: [`run`].

use palisade_aig::{Aig, Circuit, Lit, Predicate};
use palisade_sat::{Lit as SatLit, Proof, SolveResult, Solver, Step, Var};

use crate::bmc::Search;
use crate::options::System;
use crate::unroll::{Clauses, Unrolling};
use crate::{Control, Counter, Invariant, Monitor, Options, Stopped, Unknown, Verdict, with_reduction};

/// The tag of clauses about the first step.
const FIRST: u64 = 1;
/// The tag of clauses about the other steps.
const REST: u64 = 2;

/// Runs interpolation-based model checking on a circuit.
pub fn run(circuit: &Circuit, options: &Options, control: &Control, monitor: &mut dyn Monitor) -> Verdict {
    with_reduction(circuit, options, control, monitor, |circuit, monitor| {
        let mut imc = Imc::new(circuit, control, options.system);
        let verdict = imc.run(options, monitor).unwrap_or(Verdict::Unknown(Unknown::Stopped));
        monitor.counters(&imc.counters());
        verdict
    })
}

/// An invariant by images that exclude bad states within `k - 1` steps; `None` if one is too coarse. The
/// caller knows that no bad state is initial.
pub(crate) fn invariant(
    circuit: &Circuit,
    control: &Control,
    system: System,
    k: usize,
) -> Result<Option<Predicate>, Stopped> {
    let mut imc = Imc::new(circuit, control, system);
    Ok(imc.images(k)?.map(States::predicate))
}

struct Imc<'c> {
    circuit: &'c Circuit,
    control: &'c Control,
    system: System,
    stats: Stats,
}

/// Counts of what happened.
#[derive(Default)]
struct Stats {
    k: u64,
    images: u64,
    queries: u64,
    /// Resolutions and clauses of the refutations, as far as the empty clause needs them.
    proof_steps: u64,
    /// Gates of the interpolants as they were read off, and of those that the roots need.
    gates_made: u64,
    gates: u64,
    /// Gates of the last `R`.
    states: u64,
}

/// A set of states over leaves, one for each latch.
#[derive(Clone)]
struct States {
    aig: Aig,
    leaves: Vec<Lit>,
    root: Lit,
}

impl States {
    /// What the root needs, in a fresh graph.
    fn compacted(&self) -> States {
        let mut aig = Aig::new();
        let leaves: Vec<Lit> = self.leaves.iter().map(|_| aig.leaf()).collect();
        let root = copy(&self.aig, &self.leaves, self.root, &mut aig, &leaves);
        States { aig, leaves, root }
    }

    fn predicate(self) -> Predicate {
        let latches = self.leaves.into_iter().enumerate().collect();
        Predicate { aig: self.aig, latches, root: self.root }
    }
}

/// Copies what a root needs into another graph, whose leaves stand for these; its image.
fn copy(from: &Aig, leaves: &[Lit], root: Lit, to: &mut Aig, images: &[Lit]) -> Lit {
    let mut map = vec![Lit::FALSE; from.len()];
    for (l, &image) in leaves.iter().zip(images) {
        map[l.node()] = image;
    }
    from.copy_into(to, &from.cone([root]), &mut map);
    map[root.node()] ^ root.is_negated()
}

impl<'c> Imc<'c> {
    fn new(circuit: &'c Circuit, control: &'c Control, system: System) -> Self {
        Imc { circuit, control, system, stats: Stats::default() }
    }

    fn counters(&self) -> Vec<Counter> {
        let s = &self.stats;
        vec![
            ("k", s.k),
            ("queries", s.queries),
            ("images", s.images),
            ("proof steps", s.proof_steps),
            ("interpolant gates made", s.gates_made),
            ("interpolant gates", s.gates),
            ("gates of the states", s.states),
        ]
    }

    fn run(&mut self, options: &Options, monitor: &mut dyn Monitor) -> Result<Verdict, Stopped> {
        let mut search = Search::new(self.circuit, self.control);
        if let Some(trace) = search.deepen()? {
            return Ok(Verdict::Unsafe(trace));
        }
        for k in 1.. {
            if options.bound != 0 && k as u64 > options.bound {
                let why = format!("no proof and no counterexample of up to {} steps", options.bound);
                return Ok(Verdict::Unknown(Unknown::Incomplete(why)));
            }
            if let Some(trace) = search.deepen()? {
                return Ok(Verdict::Unsafe(trace));
            }
            self.stats.k = k as u64;
            self.stats.queries += 1;
            monitor.bound(k as u32);
            if let Some(states) = self.images(k)? {
                let predicate = Some(states.predicate());
                return Ok(Verdict::Safe(Invariant { clauses: Vec::new(), predicate }));
            }
        }
        unreachable!("there are more numbers than anybody can count")
    }

    /// The initial states.
    fn initial(&self) -> States {
        let mut aig = Aig::new();
        let leaves: Vec<Lit> = self.circuit.latches.iter().map(|_| aig.leaf()).collect();
        let fixed = |(l, &leaf): (&palisade_aig::Latch, &Lit)| l.reset.map(|value| leaf ^ !value);
        let literals: Vec<Lit> = self.circuit.latches.iter().zip(&leaves).filter_map(fixed).collect();
        let root = aig.and_all(literals);
        States { aig, leaves, root }
    }

    /// Adds images until they repeat: then the states are inductive. `None` if an image is too coarse.
    fn images(&mut self, k: usize) -> Result<Option<States>, Stopped> {
        let mut states = self.initial();
        loop {
            self.control.check()?;
            let Some(image) = self.image(&mut states, k)? else { return Ok(None) };
            self.stats.images += 1;
            // Both are over the same leaves of the same graph.
            if self.implies(&states.aig, image, states.root)? {
                return Ok(Some(states));
            }
            states.root = states.aig.or(states.root, image);
            states = states.compacted();
            self.stats.states = states.aig.len() as u64;
        }
    }

    fn implies(&mut self, aig: &Aig, a: Lit, b: Lit) -> Result<bool, Stopped> {
        self.stats.queries += 1;
        let mut sat = self.control.solver(false);
        let mut clauses = Clauses::default();
        let (a, b) = (clauses.literal(aig, a, &mut sat, 0), clauses.literal(aig, b, &mut sat, 0));
        match sat.solve(&[a, !b]) {
            SolveResult::Sat => Ok(false),
            SolveResult::Unsat => Ok(true),
            SolveResult::Unknown(_) => Err(Stopped),
        }
    }

    /// A set that contains the image of the states and from which no bad state is reached within `k - 1`
    /// steps, as a literal over the leaves of `states`; `None` if there is none.
    fn image(&mut self, states: &mut States, k: usize) -> Result<Option<Lit>, Stopped> {
        self.stats.queries += 1;
        let mut sat = self.control.solver(true);
        // The state between the two parts: the only variables that they share.
        let shared: Vec<Var> = self.circuit.latches.iter().map(|_| sat.new_var()).collect();
        self.first_step(states, &shared, &mut sat);
        self.other_steps(k, &shared, &mut sat);
        match sat.solve(&[]) {
            SolveResult::Sat => Ok(None),
            SolveResult::Unknown(_) => Err(Stopped),
            SolveResult::Unsat => {
                let step = sat.final_step().expect("the log is on and there are no assumptions");
                let proof = sat.proof().expect("the log is on").trim(step);
                self.stats.proof_steps += proof.len() as u64;
                // Most of what the partial interpolants of a proof need is not needed by the last one.
                let mut aig = Aig::new();
                let leaves: Vec<Lit> = shared.iter().map(|_| aig.leaf()).collect();
                let root = interpolant(&proof, &shared, &leaves, self.system, &mut aig);
                self.stats.gates_made += aig.len() as u64;
                let before = states.aig.len();
                let image = copy(&aig, &leaves, root, &mut states.aig, &states.leaves);
                self.stats.gates += (states.aig.len() - before) as u64;
                Ok(Some(image))
            }
        }
    }

    /// From the states, one step into the shared state.
    fn first_step(&self, states: &States, shared: &[Var], sat: &mut Solver) {
        let mut step = Unrolling::from(self.circuit, states.aig.clone(), states.leaves.clone());
        step.extend();
        let mut clauses = Clauses::default();
        for l in [states.root, step.constraint[0]] {
            let l = clauses.literal(&step.aig, l, sat, FIRST);
            sat.add_tagged_clause(&[l], FIRST);
        }
        for (&after, v) in step.state().iter().zip(shared) {
            let l = clauses.literal(&step.aig, after, sat, FIRST);
            sat.add_tagged_clause(&[!l, v.positive()], FIRST);
            sat.add_tagged_clause(&[l, v.negative()], FIRST);
        }
    }

    /// From the shared state, a bad state within `k - 1` steps. Constraints hold up to the bad state.
    fn other_steps(&self, k: usize, shared: &[Var], sat: &mut Solver) {
        let mut aig = Aig::new();
        let leaves: Vec<Lit> = shared.iter().map(|_| aig.leaf()).collect();
        let mut clauses = Clauses::default();
        for (&leaf, &v) in leaves.iter().zip(shared) {
            clauses.bind(&aig, leaf, v);
        }
        let mut steps = Unrolling::from(self.circuit, aig, leaves);
        let mut allowed = Lit::TRUE;
        let mut reached = Lit::FALSE;
        for i in 0..k {
            steps.extend();
            allowed = steps.aig.and(allowed, steps.constraint[i]);
            let here = steps.aig.and(allowed, steps.bad[i]);
            reached = steps.aig.or(reached, here);
        }
        let l = clauses.literal(&steps.aig, reached, sat, REST);
        sat.add_tagged_clause(&[l], REST);
    }
}

/// Where a variable of a refutation occurs.
#[derive(Clone, Copy, PartialEq)]
enum Side {
    First,
    Rest,
    /// In both; the leaf that stands for it.
    Shared(Lit),
}

/// An interpolant of a refutation, as a literal of a graph that begins with the given leaves.
///
/// Each clause gets a partial interpolant (D'Silva, Kroening, Purandare, Weissenbacher: Interpolant Strength,
/// 2010, has all three systems in one). Of a clause of the first part: its shared literals with McMillan's
/// system, else `false`. Of one of the other part: the negation of its shared literals with the dual system,
/// else `true`. A resolution on a variable of the first part is a disjunction, on one of the other part a
/// conjunction. On a shared one it is a conjunction with McMillan's system, a disjunction with the dual one,
/// and with Pudlak's a choice by the variable.
fn interpolant(proof: &Proof, shared: &[Var], leaves: &[Lit], system: System, aig: &mut Aig) -> Lit {
    let vars = proof.steps().flat_map(|(_, s)| s.lits()).map(|l| l.var().index() + 1).max().unwrap_or(0);
    let mut sides = vec![Side::Rest; vars.max(shared.len())];
    for (_, step) in proof.steps() {
        if let Step::Input { lits, tag: FIRST } = step {
            lits.iter().for_each(|l| sides[l.var().index()] = Side::First);
        }
    }
    for (v, &leaf) in shared.iter().zip(leaves) {
        sides[v.index()] = Side::Shared(leaf);
    }
    let leaf = |l: SatLit| match sides[l.var().index()] {
        Side::Shared(leaf) => Some(leaf ^ !l.is_positive()),
        _ => None,
    };
    let mut partial: Vec<Lit> = Vec::with_capacity(proof.len());
    for (_, step) in proof.steps() {
        let lit = match step {
            Step::Input { lits, tag: FIRST } if system == System::McMillan => {
                aig.or_all(lits.iter().filter_map(|&l| leaf(l)).collect::<Vec<_>>())
            }
            Step::Input { tag: FIRST, .. } => Lit::FALSE,
            Step::Input { lits, .. } if system == System::Dual => {
                aig.and_all(lits.iter().filter_map(|&l| leaf(!l)).collect::<Vec<_>>())
            }
            Step::Input { .. } | Step::Theory { .. } => Lit::TRUE,
            Step::Derived { chain, .. } => {
                let mut clause = Resolvent::default();
                let mut lit = Lit::TRUE;
                for (i, a) in chain.iter().enumerate() {
                    let pivot = clause.resolve(proof.step(*a).lits());
                    let other = partial[a.index()];
                    let Some(pivot) = pivot.filter(|_| i > 0) else {
                        // The first clause of the chain. (Every other one has a pivot; without one the
                        // conjunction is right if it is a consequence, and the images are checked.)
                        lit = if i == 0 { other } else { aig.and(lit, other) };
                        continue;
                    };
                    lit = match (sides[pivot.var().index()], system) {
                        (Side::First, _) | (Side::Shared(_), System::Dual) => aig.or(lit, other),
                        (Side::Rest, _) | (Side::Shared(_), System::McMillan) => aig.and(lit, other),
                        // The clause of the chain has the pivot, the one so far its negation.
                        (Side::Shared(leaf), System::Pudlak) => {
                            aig.ite(leaf ^ !pivot.is_positive(), lit, other)
                        }
                    };
                }
                lit
            }
        };
        partial.push(lit);
    }
    partial.last().copied().unwrap_or(Lit::TRUE)
}

/// The clause in the making along a chain.
#[derive(Default)]
struct Resolvent {
    lits: std::collections::BTreeSet<SatLit>,
}

impl Resolvent {
    /// Resolves with a clause; its literal that was resolved on, if there is one.
    fn resolve(&mut self, clause: &[SatLit]) -> Option<SatLit> {
        let pivot = clause.iter().copied().find(|l| self.lits.contains(&!*l));
        if let Some(p) = pivot {
            self.lits.remove(&!p);
        }
        self.lits.extend(clause.iter().copied().filter(|&l| Some(l) != pivot));
        pivot
    }
}
