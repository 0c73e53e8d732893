//! Random simulation: 64 runs at a time from the reset, in search of a bad state.
//!
//! Cheap, and it finds what symbolic search finds last: violations far away in a system with little choice,
//! like a counter. A run that violates a constraint goes on as a copy of another one. Inputs come from a
//! seeded generator, so a run is told again by simulating again.
//!
//! Entry point: [`search`].

use palisade_aig::simulate::Simulator;
use palisade_aig::{Circuit, Trace};
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

/// Simulates for about `work` evaluations of gates. The run into a bad state, if one was met.
pub(crate) fn search(
    circuit: &Circuit,
    seed: u64,
    work: u64,
    control: &Control,
) -> Result<Option<Trace>, Stopped> {
    let steps = work / (circuit.aig.len() as u64 + 16);
    let initial = initial(circuit, seed);
    let mut state = initial.clone();
    let mut simulator = Simulator::new(circuit);
    let mut forks = Vec::new();
    for step in 0..steps {
        if step % 1024 == 0 {
            control.check()?;
        }
        simulator.evaluate(circuit, &state, &inputs(circuit, seed, step));
        let allowed = circuit.constraints.iter().fold(u64::MAX, |all, &c| all & simulator.value(c));
        let bad = circuit.bads.iter().fold(0, |any, &b| any | simulator.value(b)) & allowed;
        if bad != 0 {
            return Ok(Some(retell(circuit, seed, &initial, &forks, step, bad.trailing_zeros())));
        }
        if allowed == 0 {
            return Ok(None);
        }
        simulator.next_state(circuit, &mut state);
        if allowed != u64::MAX {
            revive(&mut state, allowed, step, &mut forks);
        }
    }
    Ok(None)
}

/// Runs that are not allowed go on as copies of those that are, in turn.
fn revive(state: &mut [u64], allowed: u64, step: u64, forks: &mut Vec<Fork>) {
    let living: Vec<u32> = (0..64).filter(|i| allowed >> i & 1 == 1).collect();
    for (k, to) in (0..64u32).filter(|i| allowed >> i & 1 == 0).enumerate() {
        let from = living[k % living.len()];
        for word in state.iter_mut() {
            *word = *word & !(1 << to) | (*word >> from & 1) << to;
        }
        forks.push(Fork { step, to, from });
    }
}

/// The run that is `pattern` in the last step, followed backwards through its copies.
fn retell(circuit: &Circuit, seed: u64, initial: &[u64], forks: &[Fork], last: u64, pattern: u32) -> Trace {
    let mut at = pattern;
    let mut forks = forks.iter().rev().peekable();
    let mut steps = Vec::new();
    for step in (0..=last).rev() {
        while let Some(fork) = forks.next_if(|f| f.step >= step) {
            // Copied after the step: up to it, it was the other one.
            if fork.to == at {
                at = fork.from;
            }
        }
        steps.push(inputs(circuit, seed, step).iter().map(|w| w >> at & 1 == 1).collect());
    }
    steps.reverse();
    Trace { initial: initial.iter().map(|w| w >> at & 1 == 1).collect(), inputs: steps }
}
