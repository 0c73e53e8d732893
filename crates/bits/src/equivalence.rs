//! Latches that are equal or opposite in every reachable state (van Eijk: Sequential Equivalence Checking
//! Based on Structural Similarities, 2000, for latches).
//!
//! Random runs from the reset put latches into classes: those that they do not tell apart, where each value
//! is taken relative to the latch's reset. All classes together are assumed of a state; if a step can lead to
//! a state where two of a class differ, the class is divided, and all is asked again. What is left is
//! inductive, and each class becomes one latch. The class of those that never leave their reset value is a
//! constant.
//!
//! Entry point: [`merge`]. [`Merged`] has the way back: clauses for the invariant, resets for a run.

use std::collections::BTreeMap;

use palisade_aig::simulate::Simulator;
use palisade_aig::{Circuit, Lit, Trace};
use palisade_sat::{Limits, SolveResult};

use crate::unroll::Clauses;
use crate::{Clause, Control, Stopped, simulation};

/// Gates that are evaluated to tell latches apart.
const SIMULATION: u64 = 20_000_000;
/// Steps of a random run, at most.
const STEPS: u64 = 2000;
/// Rounds after which nothing is merged.
const ROUNDS: usize = 300;
/// Conflicts after which two latches count as different.
const CONFLICTS: u64 = 1000;

/// A circuit with fewer latches.
pub(crate) struct Merged {
    pub(crate) circuit: Circuit,
    /// The original number of each latch.
    latches: Vec<usize>,
    /// What each original latch is equal to.
    images: Vec<Image>,
}

/// What a latch is in the merged circuit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Image {
    Constant(bool),
    /// A latch of the original circuit, or its negation. It may be itself.
    Latch(usize, bool),
}

impl Merged {
    /// How many latches are gone.
    pub(crate) fn gone(&self) -> usize {
        self.images.len() - self.latches.len()
    }

    /// The number that a latch had before.
    pub(crate) fn original(&self, latch: usize) -> usize {
        self.latches[latch]
    }

    /// Clauses that say what is equal.
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

    /// A run of the original circuit. Inputs are the same; latches that are gone have resets.
    pub(crate) fn expand(&self, original: &Circuit, trace: Trace) -> Trace {
        let mut initial: Vec<bool> = original.latches.iter().map(|l| l.reset.unwrap_or(false)).collect();
        for (&old, &value) in self.latches.iter().zip(&trace.initial) {
            initial[old] = value;
        }
        Trace { initial, ..trace }
    }
}

/// The classes: for each latch the number of its class; 0 is that of constants. Latches without a reset are
/// alone.
struct Classes {
    of: Vec<usize>,
    count: usize,
}

impl Classes {
    /// Divides the classes by a value of each latch. The class of constants keeps those with the value 0.
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

    /// The first latch of each class.
    fn first(&self) -> Vec<Option<usize>> {
        let mut first = vec![None; self.count];
        for (l, &class) in self.of.iter().enumerate() {
            first[class].get_or_insert(l);
        }
        first
    }
}

/// Is the latch one at reset?
fn reset(circuit: &Circuit, latch: usize) -> bool {
    circuit.latches[latch].reset.unwrap_or(false)
}

/// Merges equal latches. `None` if there are none, or if they are too hard to find.
pub(crate) fn merge(circuit: &Circuit, control: &Control) -> Result<Option<Merged>, Stopped> {
    let count = circuit.latches.len() + 1;
    let mut classes = Classes { of: vec![0; circuit.latches.len()], count: 1 };
    // A latch without a reset can be equal to nothing.
    let free = |l: usize| if circuit.latches[l].reset.is_none() { l + 1 } else { 0 };
    classes.divide(free);
    simulate(circuit, control, &mut classes)?;
    for _ in 0..ROUNDS {
        if classes.count == count && !classes.of.contains(&0) {
            return Ok(None);
        }
        let (merged, map) = substitute(circuit, &classes);
        if !refine(circuit, &merged, &map, control, &mut classes)? {
            return Ok((merged.gone() > 0).then_some(merged));
        }
    }
    Ok(None)
}

/// Divides the classes by random runs.
fn simulate(circuit: &Circuit, control: &Control, classes: &mut Classes) -> Result<(), Stopped> {
    let mut simulator = Simulator::new(circuit);
    let seed = control.seed.wrapping_add(2);
    let mut state = simulation::initial(circuit, seed);
    let steps = (SIMULATION / (circuit.aig.len() as u64 + 1)).min(STEPS);
    let mut alive = u64::MAX;
    for step in 0..steps {
        control.check()?;
        simulator.evaluate(circuit, &state, &simulation::inputs(circuit, seed, step));
        alive &= circuit.constraints.iter().fold(u64::MAX, |all, &c| all & simulator.value(c));
        if alive == 0 {
            break;
        }
        simulator.next_state(circuit, &mut state);
        classes.divide(|l| (state[l] ^ if reset(circuit, l) { u64::MAX } else { 0 }) & alive);
    }
    Ok(())
}

/// The circuit in which all latches of a class are the first one of it; also where its nodes went.
fn substitute(circuit: &Circuit, classes: &Classes) -> (Merged, Vec<Lit>) {
    let mut out = Circuit::default();
    let mut map = vec![Lit::FALSE; circuit.aig.len()];
    for l in &circuit.inputs {
        map[l.node()] = out.add_input();
    }
    let first = classes.first();
    let (mut latches, mut images) = (Vec::new(), Vec::new());
    for (l, latch) in circuit.latches.iter().enumerate() {
        let class = classes.of[l];
        let image = match first[class] {
            _ if class == 0 => Image::Constant(reset(circuit, l)),
            Some(m) => Image::Latch(m, reset(circuit, l) != reset(circuit, m)),
            None => unreachable!("a class has a member"),
        };
        map[latch.lit.node()] = match image {
            Image::Constant(value) => Lit::constant(value),
            Image::Latch(m, _) if m == l => {
                latches.push(l);
                out.add_latch(latch.reset)
            }
            // The first of a class comes before the others.
            Image::Latch(m, negated) => map[circuit.latches[m].lit.node()] ^ negated,
        };
        images.push(image);
    }
    circuit.aig.copy_into(&mut out.aig, &vec![true; circuit.aig.len()], &mut map);
    let image = |l: Lit| map[l.node()] ^ l.is_negated();
    for (new, &old) in out.latches.iter_mut().zip(&latches) {
        new.next = image(circuit.latches[old].next);
    }
    out.bads = circuit.bads.iter().map(|&b| image(b)).collect();
    out.constraints = circuit.constraints.iter().map(|&c| image(c)).filter(|&c| c != Lit::TRUE).collect();
    (Merged { circuit: out, latches, images }, map)
}

/// Divides the classes that a step from states of the merged circuit leaves. Was there one?
fn refine(
    circuit: &Circuit,
    merged: &Merged,
    map: &[Lit],
    control: &Control,
    classes: &mut Classes,
) -> Result<bool, Stopped> {
    let small = &merged.circuit;
    let mut sat = control.solver(false);
    let mut clauses = Clauses::default();
    for &c in &small.constraints {
        let c = clauses.literal(&small.aig, c, &mut sat, 0);
        sat.add_clause(&[c]);
    }
    let limits =
        Limits { conflicts: Some(CONFLICTS), interrupt: Some(control.stop.clone()), ..Limits::default() };
    sat.set_limits(limits);
    let next = |l: usize| {
        let edge = circuit.latches[l].next;
        map[edge.node()] ^ edge.is_negated()
    };
    let mut simulator = Simulator::new(small);
    let mut divided = false;
    for (l, image) in merged.images.iter().enumerate() {
        control.check()?;
        let expected = match *image {
            Image::Constant(value) => Lit::constant(value),
            Image::Latch(m, _) if m == l => continue,
            Image::Latch(m, negated) => next(m) ^ negated,
        };
        if next(l) == expected || divided && !together(classes, l, image) {
            continue;
        }
        let a = clauses.literal(&small.aig, next(l), &mut sat, 0);
        let b = clauses.literal(&small.aig, expected, &mut sat, 0);
        for assumptions in [[a, !b], [!a, b]] {
            match sat.solve(&assumptions) {
                SolveResult::Unsat => continue,
                SolveResult::Sat => {
                    let word = |&e: &Lit| if clauses.value(e, &sat) { u64::MAX } else { 0 };
                    let state: Vec<u64> = small.latches.iter().map(|l| word(&l.lit)).collect();
                    let inputs: Vec<u64> = small.inputs.iter().map(word).collect();
                    simulator.evaluate(small, &state, &inputs);
                    let moved = |l: usize| simulator.value(next(l)) & 1 != u64::from(reset(circuit, l));
                    classes.divide(moved);
                    divided = true;
                }
                SolveResult::Unknown(_) => {
                    control.check()?;
                    classes.divide(|k| k == l);
                    divided = true;
                }
            }
            break;
        }
    }
    Ok(divided)
}

/// Is a latch still in the class of what it was merged with?
fn together(classes: &Classes, l: usize, image: &Image) -> bool {
    match *image {
        Image::Constant(_) => classes.of[l] == 0,
        Image::Latch(m, _) => classes.of[l] == classes.of[m],
    }
}
