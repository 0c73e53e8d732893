//! Signals that are equal or opposite in every reachable state (van Eijk: Sequential Equivalence Checking
//! Based on Structural Similarities, 2000): latches, and with `signals` also gates over latches.
//!
//! Random runs from the reset put signals into classes: those that they do not tell apart, where each value
//! is taken relative to the one at reset. All classes together are assumed of a state; if a step can lead to
//! a state where two of a class differ, the class is divided, and all is asked again. What is left is
//! inductive, and each class becomes one signal: a latch if it has one, else its first gate. The class of
//! those that never leave their reset value is a constant.
//!
//! Entry point: [`merge`]. [`Merged`] has the way back: clauses and a predicate for the invariant, resets for
//! a run.
//!
//! # Limits
//! Gates that depend on inputs, or on latches without a reset, are not looked at. That two gates over inputs
//! are equal is no statement about states, so an invariant could not have it.

use std::collections::BTreeMap;

use palisade_aig::simulate::Simulator;
use palisade_aig::{Aig, Circuit, Lit, Node, Trace};
use palisade_sat::{Limits, SolveResult};

use crate::unroll::Clauses;
use crate::{Clause, Control, Predicate, Stopped, simulation};

/// Gates that are evaluated to tell signals apart.
const SIMULATION: u64 = 20_000_000;
/// Steps of a random run, at most.
const STEPS: u64 = 2000;
/// Rounds after which nothing is merged.
const ROUNDS: usize = 300;
/// Conflicts after which two signals count as different.
const CONFLICTS: u64 = 1000;

/// A circuit with fewer signals.
pub(crate) struct Merged {
    pub(crate) circuit: Circuit,
    /// The original number of each latch.
    latches: Vec<usize>,
    /// What each original latch is equal to.
    images: Vec<Image>,
    /// The gates that are gone: each original literal, and what it is equal to.
    gates: Vec<(Lit, Lit)>,
}

/// What a latch is in the merged circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Image {
    Constant(bool),
    /// A latch of the original circuit, or its negation. It may be itself.
    Latch(usize, bool),
}

impl Merged {
    /// How many latches and how many gates are gone.
    pub(crate) fn gone(&self) -> (usize, usize) {
        (self.images.len() - self.latches.len(), self.gates.len())
    }

    /// The number that a latch had before.
    pub(crate) fn original(&self, latch: usize) -> usize {
        self.latches[latch]
    }

    /// Clauses that say which latches are equal.
    pub(crate) fn clauses(&self) -> Vec<Clause> {
        let mut out = Vec::new();
        for (l, image) in self.images.iter().enumerate() {
            match *image {
                Image::Constant(value) => out.push(vec![(l, value)]),
                Image::Latch(m, _) if m == l => {}
                Image::Latch(m, negated) => {
                    out.push(vec![(l, true), (m, negated)]);
                    out.push(vec![(l, false), (m, !negated)]);
                }
            }
        }
        out
    }

    /// Which gates of the original circuit are equal, if any are.
    pub(crate) fn predicate(&self, original: &Circuit) -> Option<Predicate> {
        let roots = self.gates.iter().flat_map(|&(a, b)| [a, b]);
        let cone = original.aig.cone(roots);
        let mut aig = Aig::new();
        let mut map = vec![Lit::FALSE; original.aig.len()];
        let mut latches = Vec::new();
        for (l, latch) in original.latches.iter().enumerate() {
            if cone[latch.lit.node()] {
                map[latch.lit.node()] = aig.leaf();
                latches.push((l, map[latch.lit.node()]));
            }
        }
        original.aig.copy_into(&mut aig, &cone, &mut map);
        let image = |l: Lit| map[l.node()] ^ l.is_negated();
        let equal: Vec<Lit> = self.gates.iter().map(|&(a, b)| !aig.xor(image(a), image(b))).collect();
        let root = aig.and_all(equal);
        (root != Lit::TRUE).then_some(Predicate { aig, latches, root })
    }

    /// A run of the original circuit. Inputs are the same; latches that are gone have resets.
    pub(crate) fn expand(&self, original: &Circuit, trace: Trace) -> Trace {
        let mut initial: Vec<bool> = original.latches.iter().map(|l| l.reset.unwrap_or(false)).collect();
        for (&old, &value) in self.latches.iter().zip(&trace.initial) {
            initial[old] = value;
        }
        Trace { initial, ..trace }
    }
}

/// The signals that are looked at: all latches, in order, then gates.
struct Signals {
    /// A literal of the circuit, not negated.
    lits: Vec<Lit>,
    /// The value at reset; `None` if it may be either.
    reset: Vec<Option<bool>>,
}

impl Signals {
    fn new(circuit: &Circuit, gates: bool) -> Signals {
        let lits = circuit.latches.iter().map(|l| l.lit).collect();
        let mut signals = Signals { lits, reset: circuit.latches.iter().map(|l| l.reset).collect() };
        if gates {
            let mut value: Vec<Option<bool>> = vec![None; circuit.aig.len()];
            for l in &circuit.latches {
                value[l.lit.node()] = l.reset;
            }
            for (n, node) in circuit.aig.nodes().iter().enumerate() {
                let Node::And(a, b) = *node else { continue };
                let known = |l: Lit| value[l.node()].map(|v| v != l.is_negated());
                // A value that is certain without one of the arguments is not looked at either.
                if let (Some(a), Some(b)) = (known(a), known(b)) {
                    value[n] = Some(a && b);
                    signals.lits.push(Lit::new(n, false));
                    signals.reset.push(value[n]);
                }
            }
        }
        signals
    }

    /// Is the signal one at reset?
    fn at_reset(&self, signal: usize) -> bool {
        self.reset[signal].unwrap_or(false)
    }
}

/// The classes: for each signal the number of its class; 0 is that of constants. Latches without a reset are
/// alone.
struct Classes {
    of: Vec<usize>,
    count: usize,
}

impl Classes {
    /// Divides the classes by a value of each signal. The class of constants keeps those with the value 0.
    fn divide<V: Ord + Default>(&mut self, value: impl Fn(usize) -> V) {
        let mut numbers = BTreeMap::from([((0, V::default()), 0)]);
        let mut seen = vec![false; self.count];
        let mut count = self.count;
        for (l, class) in self.of.iter_mut().enumerate() {
            let old = *class;
            // The first part of a class keeps its number.
            *class = *numbers.entry((old, value(l))).or_insert_with(|| {
                if old != 0 && !std::mem::replace(&mut seen[old], true) {
                    return old;
                }
                count += 1;
                count - 1
            });
        }
        self.count = count;
    }

    /// The first signal of each class.
    fn first(&self) -> Vec<Option<usize>> {
        let mut first = vec![None; self.count];
        for (l, &class) in self.of.iter().enumerate() {
            first[class].get_or_insert(l);
        }
        first
    }

    /// Is a signal still equal to what stood for it?
    fn together(&self, signal: usize, with: Option<usize>) -> bool {
        self.of[signal] == with.map_or(0, |m| self.of[m])
    }
}

/// Merges equal latches, and equal gates over latches if `gates`. `None` if there are none, or if they are
/// too hard to find.
pub(crate) fn merge(circuit: &Circuit, gates: bool, control: &Control) -> Result<Option<Merged>, Stopped> {
    let signals = Signals::new(circuit, gates);
    let count = signals.lits.len() + 1;
    let mut classes = Classes { of: vec![0; signals.lits.len()], count: 1 };
    // A latch without a reset can be equal to nothing.
    classes.divide(|s| if signals.reset[s].is_none() { s + 1 } else { 0 });
    simulate(circuit, &signals, control, &mut classes)?;
    for _ in 0..ROUNDS {
        if classes.count == count && !classes.of.contains(&0) {
            return Ok(None);
        }
        let (merged, map) = substitute(circuit, &signals, &classes);
        if !refine(circuit, &signals, &merged, &map, control, &mut classes)? {
            return Ok((merged.gone() != (0, 0)).then_some(merged));
        }
    }
    Ok(None)
}

/// Divides the classes by random runs.
fn simulate(
    circuit: &Circuit,
    signals: &Signals,
    control: &Control,
    classes: &mut Classes,
) -> Result<(), Stopped> {
    let mut simulator = Simulator::new(circuit);
    let seed = control.seed.wrapping_add(2);
    let mut state = simulation::initial(circuit, seed);
    let steps = (SIMULATION / (circuit.aig.len() as u64 + 1)).min(STEPS);
    let mut alive = u64::MAX;
    for step in 0..steps {
        control.check()?;
        simulator.evaluate(circuit, &state, &simulation::inputs(circuit, seed, step));
        classes.divide(|s| {
            let reset = if signals.at_reset(s) { u64::MAX } else { 0 };
            (simulator.value(signals.lits[s]) ^ reset) & alive
        });
        alive &= circuit.constraints.iter().fold(u64::MAX, |all, &c| all & simulator.value(c));
        if alive == 0 {
            break;
        }
        simulator.next_state(circuit, &mut state);
    }
    Ok(())
}

/// The circuit in which all signals of a class are the first one of it; also where its nodes went.
fn substitute(circuit: &Circuit, signals: &Signals, classes: &Classes) -> (Merged, Vec<Lit>) {
    let mut out = Circuit::default();
    let mut map = vec![Lit::FALSE; circuit.aig.len()];
    for l in &circuit.inputs {
        map[l.node()] = out.add_input();
    }
    let first = classes.first();
    // What a signal is equal to: a literal of the original circuit.
    let equal = |s: usize| match first[classes.of[s]] {
        _ if classes.of[s] == 0 => Lit::constant(signals.at_reset(s)),
        Some(m) => signals.lits[m] ^ (signals.at_reset(s) != signals.at_reset(m)),
        None => unreachable!("a class has a member"),
    };
    let (mut latches, mut images) = (Vec::new(), Vec::new());
    for (l, latch) in circuit.latches.iter().enumerate() {
        let to = equal(l);
        if to == latch.lit {
            latches.push(l);
            map[latch.lit.node()] = out.add_latch(latch.reset);
        } else {
            // The first of a class comes before the others.
            map[latch.lit.node()] = image(&map, to);
        }
        images.push(match (to.as_constant(), first[classes.of[l]]) {
            (Some(value), _) => Image::Constant(value),
            (None, m) => Image::Latch(m.unwrap_or(l), to.is_negated()),
        });
    }
    let mut gates = Vec::new();
    let mut signal = circuit.latches.len();
    for (n, node) in circuit.aig.nodes().iter().enumerate() {
        let Node::And(a, b) = *node else { continue };
        let own = Lit::new(n, false);
        let to = if signals.lits.get(signal) == Some(&own) { equal(signal) } else { own };
        signal += usize::from(signals.lits.get(signal) == Some(&own));
        map[n] = if to == own { out.aig.and(image(&map, a), image(&map, b)) } else { image(&map, to) };
        if to != own {
            gates.push((own, to));
        }
    }
    for (new, &old) in out.latches.iter_mut().zip(&latches) {
        new.next = image(&map, circuit.latches[old].next);
    }
    out.bads = circuit.bads.iter().map(|&b| image(&map, b)).collect();
    out.constraints =
        circuit.constraints.iter().map(|&c| image(&map, c)).filter(|&c| c != Lit::TRUE).collect();
    (Merged { circuit: out, latches, images, gates }, map)
}

fn image(map: &[Lit], l: Lit) -> Lit {
    map[l.node()] ^ l.is_negated()
}

/// The signals after a step of the merged circuit, in a graph that has that circuit's nodes and more.
fn after_step(circuit: &Circuit, signals: &Signals, small: &mut Circuit, map: &[Lit]) -> Vec<Lit> {
    let mut after = vec![Lit::FALSE; circuit.aig.len()];
    for l in &circuit.latches {
        after[l.lit.node()] = image(map, l.next);
    }
    for &s in &signals.lits {
        if let Node::And(a, b) = circuit.aig.node(s.node()) {
            after[s.node()] = small.aig.and(image(&after, a), image(&after, b));
        }
    }
    signals.lits.iter().map(|s| after[s.node()]).collect()
}

/// Divides the classes that a step from states of the merged circuit leaves. Was there one?
fn refine(
    circuit: &Circuit,
    signals: &Signals,
    merged: &Merged,
    map: &[Lit],
    control: &Control,
    classes: &mut Classes,
) -> Result<bool, Stopped> {
    let mut small = merged.circuit.clone();
    let after = after_step(circuit, signals, &mut small, map);
    let mut sat = control.solver(false);
    let mut clauses = Clauses::default();
    for &c in &small.constraints {
        let c = clauses.literal(&small.aig, c, &mut sat, 0);
        sat.add_clause(&[c]);
    }
    let limits =
        Limits { conflicts: Some(CONFLICTS), interrupt: Some(control.stop.clone()), ..Limits::default() };
    sat.set_limits(limits);
    let mut simulator = Simulator::new(&small);
    let first = classes.first();
    // The signal that stands for another one; `None` for constants.
    let standing: Vec<Option<usize>> =
        classes.of.iter().map(|&class| if class == 0 { None } else { first[class] }).collect();
    let mut divided = false;
    for (s, &with) in standing.iter().enumerate() {
        control.check()?;
        let expected = match with {
            None => Lit::constant(signals.at_reset(s)),
            Some(m) if m == s => continue,
            Some(m) => after[m] ^ (signals.at_reset(s) != signals.at_reset(m)),
        };
        if after[s] == expected || divided && !classes.together(s, with) {
            continue;
        }
        let a = clauses.literal(&small.aig, after[s], &mut sat, 0);
        let b = clauses.literal(&small.aig, expected, &mut sat, 0);
        for assumptions in [[a, !b], [!a, b]] {
            match sat.solve(&assumptions) {
                SolveResult::Unsat => continue,
                SolveResult::Sat => {
                    let word = |&e: &Lit| if clauses.value(e, &sat) { u64::MAX } else { 0 };
                    let state: Vec<u64> = small.latches.iter().map(|l| word(&l.lit)).collect();
                    let inputs: Vec<u64> = small.inputs.iter().map(word).collect();
                    simulator.evaluate(&small, &state, &inputs);
                    classes.divide(|s| simulator.value(after[s]) & 1 != u64::from(signals.at_reset(s)));
                    divided = true;
                }
                SolveResult::Unknown(_) => {
                    control.check()?;
                    classes.divide(|k| k == s);
                    divided = true;
                }
            }
            break;
        }
    }
    Ok(divided)
}
