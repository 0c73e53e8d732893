//! Reductions before a run, each with its way back: latches that are constant, and the cone of influence.
//!
//! A latch that ternary simulation from the reset shows constant is replaced by its value. What then remains
//! is cut to what bad states and constraints depend on, through latches. [`Reduced`] maps literals of the
//! small circuit to the large one, so that clauses over its latches are clauses of the original; and it
//! completes a run of the small circuit. Values of inputs and resets that were cut are arbitrary: false.

use rustc_hash::FxHashSet;

use crate::circuit::{Circuit, Latch, Trace};
use crate::graph::{Aig, Lit, Node, image};
use crate::simulate::{Ternary, reachable_ternary};

/// A reduced circuit and the way back.
#[derive(Clone, Debug)]
pub struct Reduced {
    /// The circuit that remains.
    pub circuit: Circuit,
    /// For each of its latches, the number of the original latch.
    pub latches: Vec<usize>,
    /// For each of its inputs, the number of the original input.
    pub inputs: Vec<usize>,
    /// For each function that it watches, the place of the original one.
    pub watched: Vec<usize>,
    /// Original latches that are constant, with their values. The invariant of the original has these as unit
    /// clauses.
    pub constants: Vec<(usize, bool)>,
}

impl Reduced {
    /// The original number of a latch or, after the latches, of something watched.
    pub fn state_var(&self, original: &Circuit, v: usize) -> usize {
        let watched = |place: usize| original.latches.len() + self.watched[place];
        self.latches.get(v).copied().unwrap_or_else(|| watched(v - self.latches.len()))
    }

    /// A run of the original circuit from one of the reduced circuit.
    pub fn expand(&self, original: &Circuit, trace: &Trace) -> Trace {
        let mut initial: Vec<bool> = original.latches.iter().map(|l| l.reset.unwrap_or(false)).collect();
        for (&old, &value) in self.latches.iter().zip(&trace.initial) {
            initial[old] = value;
        }
        let step = |values: &Vec<bool>| {
            let mut all = vec![false; original.inputs.len()];
            for (&old, &value) in self.inputs.iter().zip(values) {
                all[old] = value;
            }
            all
        };
        Trace { initial, inputs: trace.inputs.iter().map(step).collect() }
    }
}

/// Removes constant latches and what bad states and constraints do not depend on.
pub fn reduce(original: &Circuit) -> Reduced {
    let fixed = reachable_ternary(original);
    let mut map = vec![Lit::FALSE; original.aig.len()];
    let mut folded = Circuit::default();
    for l in &original.inputs {
        map[l.node()] = folded.add_input();
    }
    for (l, value) in original.latches.iter().zip(&fixed) {
        // A latch that is not constant stays a latch here, with the same number; a constant one becomes its
        // value.
        let lit = folded.add_latch(l.reset);
        map[l.lit.node()] = value.certain().map_or(lit, Lit::constant);
    }
    original.aig.copy_into(&mut folded.aig, &vec![true; original.aig.len()], &mut map);
    for (l, new) in original.latches.iter().zip(&mut folded.latches) {
        new.next = image(&map, l.next);
    }
    folded.bads = original.bads.iter().map(|&b| image(&map, b)).collect();
    folded.constraints =
        original.constraints.iter().map(|&c| image(&map, c)).filter(|&c| c != Lit::TRUE).collect();
    folded.watched = original.watched.iter().map(|&w| image(&map, w)).collect();
    let mut reduced = cone_of_influence(&folded);
    let constant = |(i, v): (usize, &Ternary)| v.certain().map(|b| (i, b));
    reduced.constants = fixed.iter().enumerate().filter_map(constant).collect();
    reduced
}

/// Keeps what bad states and constraints depend on.
fn cone_of_influence(circuit: &Circuit) -> Reduced {
    let aig = &circuit.aig;
    let mut latch_of = vec![None; aig.len()];
    for (i, l) in circuit.latches.iter().enumerate() {
        latch_of[l.lit.node()] = Some(i);
    }
    let mut marked = vec![false; aig.len()];
    let mut work: Vec<usize> = circuit.bads.iter().chain(&circuit.constraints).map(|l| l.node()).collect();
    while let Some(n) = work.pop() {
        if std::mem::replace(&mut marked[n], true) {
            continue;
        }
        match aig.node(n) {
            Node::And(a, b) => work.extend([a.node(), b.node()]),
            _ => work.extend(latch_of[n].map(|i| circuit.latches[i].next.node())),
        }
    }
    let mut out = Circuit::default();
    let (mut latches, mut inputs) = (Vec::new(), Vec::new());
    let mut map = vec![Lit::FALSE; aig.len()];
    for (i, l) in circuit.inputs.iter().enumerate().filter(|(_, l)| marked[l.node()]) {
        map[l.node()] = out.add_input();
        inputs.push(i);
    }
    for (i, l) in circuit.latches.iter().enumerate().filter(|(_, l)| marked[l.lit.node()]) {
        map[l.lit.node()] = out.add_latch(l.reset);
        latches.push(i);
    }
    let known = |&place: &usize| add_cone(aig, &mut marked, circuit.watched[place]);
    let watched: Vec<usize> = (0..circuit.watched.len()).filter(known).collect();
    aig.copy_into(&mut out.aig, &marked, &mut map);
    for (new, &old) in out.latches.iter_mut().zip(&latches) {
        let Latch { next, .. } = circuit.latches[old];
        new.next = image(&map, next);
    }
    out.bads = circuit.bads.iter().map(|&b| image(&map, b)).collect();
    out.constraints = circuit.constraints.iter().map(|&c| image(&map, c)).collect();
    out.watched = watched.iter().map(|&place| image(&map, circuit.watched[place])).collect();
    Reduced { circuit: out, latches, inputs, watched, constants: Vec::new() }
}

/// Marks the gates of a function too, if all leaves that it depends on are marked.
fn add_cone(aig: &Aig, marked: &mut [bool], root: Lit) -> bool {
    let (mut cone, mut work) = (Vec::new(), vec![root.node()]);
    let mut seen = FxHashSet::default();
    while let Some(n) = work.pop() {
        if marked[n] || !seen.insert(n) {
            continue;
        }
        match aig.node(n) {
            Node::And(a, b) => {
                cone.push(n);
                work.extend([a.node(), b.node()]);
            }
            Node::Leaf => return false,
            Node::False => {}
        }
    }
    cone.iter().for_each(|&n| marked[n] = true);
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constants_and_what_does_not_matter_go() {
        let mut c = Circuit::default();
        let (i, j) = (c.add_input(), c.add_input());
        let (dead, constant, live) = (c.add_latch(None), c.add_latch(Some(false)), c.add_latch(None));
        c.latches[0].next = i;
        c.latches[1].next = c.aig.and(constant, i);
        let either = c.aig.or(constant, j);
        c.latches[2].next = c.aig.xor(live, either);
        c.bads = vec![live];
        let _ = dead;
        let r = reduce(&c);
        assert_eq!((r.latches.clone(), r.inputs.clone()), (vec![2], vec![1]));
        assert_eq!(r.constants, [(1, false)]);
        let trace = Trace { initial: vec![true], inputs: vec![vec![false]] };
        assert_eq!(r.circuit.replay(&trace), Ok(0));
        assert_eq!(c.replay(&r.expand(&c, &trace)), Ok(0));
    }
}
