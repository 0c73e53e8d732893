//! Random simulation: 64 runs at a time from the reset, in search of a bad state.
//!
//! Cheap, and it finds what symbolic search finds last: violations far away in a system with little choice,
//! like a counter. A run that violates a constraint goes on as a copy of another one (constraint-guided).
//! Inputs come from a seeded generator, so a run is told again by simulating again. Copies that no living run
//! goes back to are forgotten from time to time, so memory is bounded.
//!
//! Entry points: [`Simulation::search`], [`Simulation::again`].

use palisade_aig::simulate::Simulator;
use palisade_aig::{Circuit, Lit, Trace};
use palisade_random::Random;

use crate::{Control, Stopped};

/// The inputs of a step: the same for the same seed and step. Some steps have rare ones, some rare zeros.
pub(crate) fn inputs(circuit: &Circuit, seed: u64, step: u64) -> Vec<u64> {
    let mut random = Random::new(seed ^ step.wrapping_mul(0xd134_2543_de82_ef95));
    let kind = random.bits() % 4;
    let word = |random: &mut Random| match kind {
        0 => random.bits() & random.bits(),
        1 => random.bits() | random.bits(),
        _ => random.bits(),
    };
    circuit.inputs.iter().map(|_| word(&mut random)).collect()
}

/// A run that was continued as a copy of another: in this step, this one, that one.
struct Fork {
    step: u64,
    to: u32,
    from: u32,
}

/// The first states of 64 runs.
pub(crate) fn initial(circuit: &Circuit, seed: u64) -> Vec<u64> {
    let mut random = Random::new(seed);
    let first = |r: Option<bool>, random: &mut Random| {
        r.map_or_else(|| random.bits(), |value| if value { u64::MAX } else { 0 })
    };
    circuit.latches.iter().map(|l| first(l.reset, &mut random)).collect()
}

/// Forks of one run are thinned out when there are more than this; twice as many that still matter end the
/// copying.
const MANY_FORKS: usize = 1 << 16;

/// What was simulated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Simulated {
    /// Steps of 64 runs.
    pub(crate) steps: u64,
    /// Runs that were continued as copies of others.
    pub(crate) forks: u64,
    /// Did one of them end in a bad state?
    pub(crate) found: bool,
}

/// 64 runs that can be continued.
pub(crate) struct Simulation<'c> {
    circuit: &'c Circuit,
    /// Literals that are true in every step of a run that matters, besides the constraints.
    guide: Vec<Lit>,
    seed: u64,
    initial: Vec<u64>,
    state: Vec<u64>,
    step: u64,
    /// The runs that have satisfied all constraints.
    living: u64,
    forks: Vec<Fork>,
    simulator: Simulator,
    pub(crate) simulated: Simulated,
}

impl<'c> Simulation<'c> {
    /// Runs of no step. Those in which a literal of `guide` is false are given up like those that violate a
    /// constraint.
    pub(crate) fn new(circuit: &'c Circuit, guide: Vec<Lit>, seed: u64) -> Self {
        let initial = initial(circuit, seed);
        Simulation {
            circuit,
            guide,
            seed,
            state: initial.clone(),
            initial,
            step: 0,
            living: u64::MAX,
            forks: Vec::new(),
            simulator: Simulator::new(circuit),
            simulated: Simulated::default(),
        }
    }

    /// Other runs from the reset, if there are others.
    pub(crate) fn again(&mut self) {
        if self.circuit.inputs.is_empty() && self.circuit.latches.iter().all(|l| l.reset.is_some()) {
            return;
        }
        self.seed = self.seed.wrapping_add(1);
        self.initial = initial(self.circuit, self.seed);
        self.state.clone_from(&self.initial);
        (self.step, self.living) = (0, u64::MAX);
        self.forks.clear();
    }

    /// Simulates for about `work` evaluations of gates. The run into a bad state, if one was met.
    pub(crate) fn search(&mut self, work: u64, control: &Control) -> Result<Option<Trace>, Stopped> {
        let circuit = self.circuit;
        let mut done = 0;
        while done < work && self.living != 0 {
            if self.step.is_multiple_of(1024) {
                control.check()?;
            }
            self.simulator.evaluate(circuit, &self.state, &inputs(circuit, self.seed, self.step));
            let required = circuit.constraints.iter().chain(&self.guide);
            self.living &= required.fold(u64::MAX, |all, &c| all & self.simulator.value(c));
            let bad = circuit.bads.iter().fold(0, |any, &b| any | self.simulator.value(b)) & self.living;
            self.simulated.steps += 1;
            if bad != 0 {
                self.simulated.found = true;
                return Ok(Some(self.retell(bad.trailing_zeros())));
            }
            self.simulator.next_state(circuit, &mut self.state);
            done += circuit.aig.len() as u64 + 16 + self.revive();
            self.step += 1;
        }
        Ok(None)
    }

    /// Runs that are not allowed go on as copies of those that are, in turn. The work.
    fn revive(&mut self) -> u64 {
        if self.living == 0 || self.living == u64::MAX {
            return 0;
        }
        if self.forks.len() > MANY_FORKS {
            self.thin_out();
        }
        if self.forks.len() > 2 * MANY_FORKS {
            return 0;
        }
        let living: Vec<u32> = (0..64).filter(|i| self.living >> i & 1 == 1).collect();
        let before = self.forks.len();
        for (k, to) in (0..64u32).filter(|i| self.living >> i & 1 == 0).enumerate() {
            let from = living[k % living.len()];
            for word in &mut self.state {
                *word = *word & !(1 << to) | (*word >> from & 1) << to;
            }
            self.forks.push(Fork { step: self.step, to, from });
        }
        self.living = u64::MAX;
        let made = (self.forks.len() - before) as u64;
        self.simulated.forks += made;
        made * (self.state.len() as u64 + 4)
    }

    /// Forgets the forks that no living run goes back to.
    fn thin_out(&mut self) {
        let mut told = self.living;
        let mut kept: Vec<Fork> = Vec::new();
        for fork in self.forks.drain(..).rev() {
            if told >> fork.to & 1 == 1 {
                told = told & !(1 << fork.to) | 1 << fork.from;
                kept.push(fork);
            }
        }
        kept.reverse();
        self.forks = kept;
    }

    /// The run that is `pattern` in the last step, followed backwards through its copies.
    fn retell(&self, pattern: u32) -> Trace {
        let mut at = pattern;
        let mut forks = self.forks.iter().rev().peekable();
        let mut steps = Vec::new();
        for step in (0..=self.step).rev() {
            while let Some(fork) = forks.next_if(|f| f.step >= step) {
                // Copied after the step: up to it, it was the other one.
                if fork.to == at {
                    at = fork.from;
                }
            }
            let inputs = inputs(self.circuit, self.seed, step);
            steps.push(inputs.iter().map(|w| w >> at & 1 == 1).collect());
        }
        steps.reverse();
        Trace { initial: self.initial.iter().map(|w| w >> at & 1 == 1).collect(), inputs: steps }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A counter of `bits` bits that is only allowed to go on while the input is on, and bad at its end.
    fn counter(bits: usize) -> Circuit {
        let mut c = Circuit::default();
        let on = c.add_input();
        let state: Vec<Lit> = (0..bits).map(|_| c.add_latch(Some(false))).collect();
        let mut carry = Lit::TRUE;
        for (i, &b) in state.iter().enumerate() {
            c.latches[i].next = c.aig.xor(b, carry);
            carry = c.aig.and(carry, b);
        }
        c.bads = vec![c.aig.and_all(state)];
        c.constraints = vec![on];
        c
    }

    #[test]
    fn runs_that_fork_in_every_step_are_told_and_do_not_fill_the_memory() {
        let c = counter(15);
        let mut simulation = Simulation::new(&c, Vec::new(), 7);
        let trace = simulation.search(u64::MAX, &Control::default()).unwrap().expect("a run");
        assert_eq!((c.replay(&trace), trace.inputs.len()), (Ok(0), 1 << 15));
        let forks = simulation.simulated.forks;
        assert!(forks > 500_000, "{forks} forks");
        assert!(simulation.forks.len() < MANY_FORKS + 64, "{} forks are kept", simulation.forks.len());
    }

    #[test]
    fn the_work_is_bounded_with_forks() {
        let c = counter(40);
        let mut simulation = Simulation::new(&c, Vec::new(), 7);
        let work = 1_000_000;
        assert_eq!(simulation.search(work, &Control::default()), Ok(None));
        let Simulated { steps, forks, found } = simulation.simulated;
        assert!(!found && (steps + 20 * forks) < work, "{steps} steps, {forks} forks");
        // Half of the runs violate the constraint in every step.
        assert!(forks > 16 * steps, "{steps} steps, {forks} forks");
    }
}
