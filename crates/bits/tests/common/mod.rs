//! Explicit-state search: the oracle of the tests.
#![allow(dead_code)] // each test file uses a part

use palisade_aig::simulate::Simulator;
use palisade_aig::{Circuit, Lit, Trace};
use palisade_bits::{Invariant, Verdict};
use palisade_fuzzing::Random;

/// All steps of a small circuit: for each state and input, whether constraints hold, whether it is bad, and
/// the next state.
pub struct Explicit {
    pub latches: usize,
    pub inputs: usize,
    steps: Vec<(bool, bool, u32)>,
    initial: Vec<bool>,
    /// What is watched, in each state.
    watched: Vec<Vec<bool>>,
}

impl Explicit {
    pub fn new(c: &Circuit) -> Explicit {
        let (latches, inputs) = (c.latches.len(), c.inputs.len());
        let (mut steps, mut watched) = (Vec::new(), Vec::new());
        let mut simulator = Simulator::new(c);
        let words = |n: usize, bits: usize| -> Vec<u64> {
            (0..bits).map(|i| if n >> i & 1 == 1 { u64::MAX } else { 0 }).collect()
        };
        for s in 0..1usize << latches {
            for i in 0..1usize << inputs {
                let mut state = words(s, latches);
                simulator.evaluate(c, &state, &words(i, inputs));
                let allowed = c.constraints.iter().all(|&l| simulator.value(l) != 0);
                let bad = c.bads.iter().any(|&l| simulator.value(l) != 0);
                simulator.next_state(c, &mut state);
                let next = state.iter().enumerate().map(|(k, &v)| u32::from(v != 0) << k).sum();
                steps.push((allowed, bad, next));
            }
            watched.push(c.watched.iter().map(|&l| simulator.value(l) != 0).collect());
        }
        let fits = |s: usize| {
            c.latches.iter().enumerate().all(|(k, l)| l.reset.is_none_or(|r| r == (s >> k & 1 == 1)))
        };
        Explicit { latches, inputs, steps, initial: (0..1 << latches).map(fits).collect(), watched }
    }

    fn steps_from(&self, s: usize) -> &[(bool, bool, u32)] {
        &self.steps[s << self.inputs..(s + 1) << self.inputs]
    }

    /// The length in steps of a shortest run into a bad state.
    pub fn shortest(&self) -> Option<usize> {
        let mut seen = self.initial.clone();
        let mut layer: Vec<usize> = (0..seen.len()).filter(|&s| seen[s]).collect();
        let mut depth = 0;
        while !layer.is_empty() {
            let mut next = Vec::new();
            for &s in &layer {
                for &(allowed, bad, t) in self.steps_from(s) {
                    if allowed && bad {
                        return Some(depth);
                    }
                    if allowed && !std::mem::replace(&mut seen[t as usize], true) {
                        next.push(t as usize);
                    }
                }
            }
            layer = next;
            depth += 1;
        }
        None
    }

    /// Is this an inductive invariant that excludes bad states?
    pub fn is_invariant(&self, invariant: &Invariant) -> bool {
        let clauses = &invariant.clauses;
        let value = |s: usize, l: usize| match l.checked_sub(self.latches) {
            None => s >> l & 1 == 1,
            Some(place) => self.watched[s][place],
        };
        let holds = |s: usize| {
            clauses.iter().all(|c| c.iter().any(|&(l, v)| value(s, l) == v))
                && invariant.predicate.as_ref().is_none_or(|p| p.holds(|latch| s >> latch & 1 == 1))
        };
        (0..self.initial.len()).all(|s| {
            (!self.initial[s] || holds(s))
                && (!holds(s)
                    || self
                        .steps_from(s)
                        .iter()
                        .all(|&(allowed, bad, t)| !allowed || !bad && holds(t as usize)))
        })
    }
}

/// Checks a verdict against the search.
pub fn judge(c: &Circuit, explicit: &Explicit, verdict: &Verdict, what: &str) {
    match (verdict, explicit.shortest()) {
        (Verdict::Safe(invariant), None) => assert!(explicit.is_invariant(invariant), "{what}: no invariant"),
        (Verdict::Unsafe(trace), Some(shortest)) => {
            assert!(c.replay(trace).is_ok(), "{what}: {:?}", c.replay(trace));
            assert!(trace.inputs.len() > shortest, "{what}");
        }
        (verdict, shortest) => panic!("{what}: {verdict:?}, but the shortest run is {shortest:?}"),
    }
}

/// A random circuit.
pub fn random_circuit(random: &mut Random, max_latches: usize) -> Circuit {
    let mut c = Circuit::default();
    let mut lits = vec![Lit::FALSE];
    for _ in 0..random.below(4) {
        lits.push(c.add_input());
    }
    for _ in 0..1 + random.below(max_latches) {
        let reset = random.pick(&[Some(false), Some(false), Some(true), None]);
        lits.push(c.add_latch(reset));
    }
    for _ in 0..5 + random.below(40) {
        let mut pick = || random.pick(&lits) ^ (random.below(2) == 1);
        let (a, b, d) = (pick(), pick(), pick());
        let gate = match random.below(4) {
            0 => c.aig.xor(a, b),
            1 => c.aig.ite(a, b, d),
            _ => c.aig.and(a, b),
        };
        lits.push(gate);
    }
    for i in 0..c.latches.len() {
        c.latches[i].next = random.pick(&lits) ^ (random.below(2) == 1);
    }
    // Conjunctions make bad states rare enough to be interesting.
    let mut bad = random.pick(&lits);
    for _ in 0..random.below(4) {
        let also = random.pick(&lits) ^ (random.below(2) == 1);
        bad = c.aig.and(bad, also);
    }
    c.bads = vec![bad];
    for _ in 0..random.below(5).saturating_sub(2) {
        let some = [random.pick(&lits), random.pick(&lits) ^ true, random.pick(&lits)];
        let constraint = c.aig.or_all(some);
        c.constraints.push(constraint);
    }
    if random.below(2) == 1 {
        // Those that depend on inputs are not to be used.
        c.watched = (0..5).map(|_| random.pick(&lits) ^ (random.below(2) == 1)).collect();
    }
    c
}

/// A run's states, each as bits in the order of the latches.
pub fn states(c: &Circuit, trace: &Trace) -> Vec<String> {
    let mut simulator = Simulator::new(c);
    let mut state: Vec<u64> = trace.initial.iter().map(|&b| if b { 1 } else { 0 }).collect();
    let mut out = Vec::new();
    for inputs in &trace.inputs {
        out.push(state.iter().map(|v| if v & 1 == 1 { '1' } else { '0' }).collect());
        let inputs: Vec<u64> = inputs.iter().map(|&b| u64::from(b)).collect();
        simulator.evaluate(c, &state, &inputs);
        simulator.next_state(c, &mut state);
    }
    out
}
