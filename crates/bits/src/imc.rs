//! Interpolation-based model checking (McMillan: Interpolation and SAT-Based Model Checking, 2003).
//!
//! `R` is a set of states, at first the initial ones. If no run of `1..=k` steps leads from `R` to a bad
//! state, the refutation has an interpolant between the first step and the others: a set of states that
//! contains the image of `R` and from which no bad state is reached within `k - 1` steps. It is added to `R`,
//! until nothing new comes: then `R` is inductive. If a run exists, it is a counterexample when `R` is the
//! initial states, otherwise the image was too coarse and `k` grows.
//!
//! Interpolants are read off the resolution proof by McMillan's rules and are and-inverter graphs over the
//! latches.
//!
//! Entry point: [`run`].

use palisade_aig::{Aig, Circuit, Lit, Predicate};
use palisade_sat::{Lit as SatLit, Proof, SolveResult, Solver, Step, Var};

use crate::bmc::Search;
use crate::unroll::{Clauses, Unrolling};
use crate::{Control, Invariant, Monitor, Options, Stopped, Unknown, Verdict, with_reduction};

/// The tag of clauses about the first step.
const FIRST: u64 = 1;
/// The tag of clauses about the other steps.
const REST: u64 = 2;

/// Runs interpolation-based model checking on a circuit.
pub fn run(circuit: &Circuit, options: &Options, control: &Control, monitor: &mut dyn Monitor) -> Verdict {
    with_reduction(circuit, options, control, monitor, |circuit, monitor| {
        let mut imc = Imc { circuit, control };
        imc.run(options, monitor).unwrap_or(Verdict::Unknown(Unknown::Stopped))
    })
}

/// An invariant by images that exclude bad states within `k - 1` steps; `None` if one is too coarse. The
/// caller knows that no bad state is initial.
pub(crate) fn invariant(
    circuit: &Circuit,
    control: &Control,
    k: usize,
) -> Result<Option<Predicate>, Stopped> {
    let imc = Imc { circuit, control };
    Ok(imc.images(k)?.map(States::predicate))
}

struct Imc<'c> {
    circuit: &'c Circuit,
    control: &'c Control,
}

/// A set of states over leaves, one for each latch.
#[derive(Clone)]
struct States {
    aig: Aig,
    leaves: Vec<Lit>,
    root: Lit,
}

impl States {
    fn predicate(self) -> Predicate {
        let latches = self.leaves.into_iter().enumerate().collect();
        Predicate { aig: self.aig, latches, root: self.root }
    }
}

impl Imc<'_> {
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
    fn images(&self, k: usize) -> Result<Option<States>, Stopped> {
        let mut states = self.initial();
        loop {
            self.control.check()?;
            let Some(image) = self.image(&mut states, k)? else { return Ok(None) };
            // Both are over the same leaves of the same graph.
            if self.implies(&states.aig, image, states.root)? {
                return Ok(Some(states));
            }
            states.root = states.aig.or(states.root, image);
        }
    }

    fn implies(&self, aig: &Aig, a: Lit, b: Lit) -> Result<bool, Stopped> {
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
    fn image(&self, states: &mut States, k: usize) -> Result<Option<Lit>, Stopped> {
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
                Ok(Some(interpolant(&proof, &shared, states)))
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

/// McMillan's interpolant of a refutation: a clause of the first part gives its shared literals, one of the
/// other part `true`; resolving on a variable of the first part alone is a disjunction, on any other a
/// conjunction.
fn interpolant(proof: &Proof, shared: &[Var], states: &mut States) -> Lit {
    let vars = proof.steps().flat_map(|(_, s)| s.lits()).map(|l| l.var().index() + 1).max().unwrap_or(0);
    let mut leaf_of: Vec<Option<Lit>> = vec![None; vars.max(shared.len())];
    for (v, &leaf) in shared.iter().zip(&states.leaves) {
        leaf_of[v.index()] = Some(leaf);
    }
    // A variable of the first part alone occurs in its clauses and is not shared.
    let mut first_only = vec![false; vars];
    for (_, step) in proof.steps() {
        if let Step::Input { lits, tag: FIRST } = step {
            lits.iter().for_each(|l| first_only[l.var().index()] = leaf_of[l.var().index()].is_none());
        }
    }
    let mut partial: Vec<Lit> = Vec::with_capacity(proof.len());
    for (_, step) in proof.steps() {
        let lit = match step {
            Step::Input { lits, tag: FIRST } => {
                let shared = |l: &SatLit| leaf_of[l.var().index()].map(|leaf| leaf ^ !l.is_positive());
                let literals: Vec<Lit> = lits.iter().filter_map(shared).collect();
                states.aig.or_all(literals)
            }
            Step::Input { .. } | Step::Theory { .. } => Lit::TRUE,
            Step::Derived { chain, .. } => {
                let mut clause = Resolvent::default();
                let mut lit = Lit::TRUE;
                for (i, a) in chain.iter().enumerate() {
                    let pivot = clause.resolve(proof.step(*a).lits());
                    let other = partial[a.index()];
                    lit = match pivot {
                        _ if i == 0 => other,
                        Some(v) if first_only[v.index()] => states.aig.or(lit, other),
                        _ => states.aig.and(lit, other),
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
    /// Resolves with a clause; the variable that was resolved on, if there is one.
    fn resolve(&mut self, clause: &[SatLit]) -> Option<Var> {
        let pivot = clause.iter().copied().find(|l| self.lits.contains(&!*l));
        if let Some(p) = pivot {
            self.lits.remove(&!p);
        }
        self.lits.extend(clause.iter().copied().filter(|&l| Some(l) != pivot));
        pivot.map(SatLit::var)
    }
}
