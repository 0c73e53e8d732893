//! Simulation: 64 patterns in a word, and three values.

use crate::circuit::Circuit;
use crate::graph::{Aig, Lit, Node};

/// Evaluates a circuit for 64 patterns at once.
#[derive(Clone, Debug)]
pub struct Simulator {
    values: Vec<u64>,
}

impl Simulator {
    /// A simulator with room for the circuit's nodes.
    pub fn new(circuit: &Circuit) -> Simulator {
        Simulator { values: vec![0; circuit.aig.len()] }
    }

    /// Evaluates all nodes for a state and inputs.
    pub fn evaluate(&mut self, circuit: &Circuit, state: &[u64], inputs: &[u64]) {
        for (latch, &v) in circuit.latches.iter().zip(state) {
            self.values[latch.lit.node()] = v;
        }
        for (input, &v) in circuit.inputs.iter().zip(inputs) {
            self.values[input.node()] = v;
        }
        for (n, node) in circuit.aig.nodes().iter().enumerate() {
            if let Node::And(a, b) = *node {
                self.values[n] = self.value(a) & self.value(b);
            }
        }
    }

    /// The patterns for which a literal is true.
    #[inline]
    pub fn value(&self, l: Lit) -> u64 {
        self.values[l.node()] ^ if l.is_negated() { u64::MAX } else { 0 }
    }

    /// The state after the step that was evaluated.
    pub fn next_state(&self, circuit: &Circuit, state: &mut [u64]) {
        for (latch, s) in circuit.latches.iter().zip(state) {
            *s = self.value(latch.next);
        }
    }
}

/// One of three values: a set of the truth values that are possible.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ternary {
    /// Certainly false.
    False,
    /// Certainly true.
    True,
    /// Either.
    Unknown,
}

impl Ternary {
    /// The value that is certain.
    pub fn known(value: bool) -> Ternary {
        if value { Ternary::True } else { Ternary::False }
    }

    /// The truth value, if it is certain.
    pub fn certain(self) -> Option<bool> {
        match self {
            Ternary::False => Some(false),
            Ternary::True => Some(true),
            Ternary::Unknown => None,
        }
    }

    /// Negated if `negate`.
    #[inline]
    pub fn signed(self, negate: bool) -> Ternary {
        match (self, negate) {
            (Ternary::False, true) => Ternary::True,
            (Ternary::True, true) => Ternary::False,
            (v, _) => v,
        }
    }

    /// Conjunction: false wins over unknown.
    #[inline]
    pub fn and(self, other: Ternary) -> Ternary {
        match (self, other) {
            (Ternary::False, _) | (_, Ternary::False) => Ternary::False,
            (Ternary::True, v) | (v, Ternary::True) => v,
            _ => Ternary::Unknown,
        }
    }

    /// What is certain whichever of the two it is.
    #[inline]
    pub fn join(self, other: Ternary) -> Ternary {
        if self == other { self } else { Ternary::Unknown }
    }
}

/// Evaluates all nodes with three values; `values` has those of the leaves.
pub fn evaluate_ternary(aig: &Aig, values: &mut [Ternary]) {
    values[0] = Ternary::False;
    for (n, node) in aig.nodes().iter().enumerate() {
        if let Node::And(a, b) = *node {
            values[n] = ternary(values, a).and(ternary(values, b));
        }
    }
}

/// The value of a literal.
#[inline]
pub fn ternary(values: &[Ternary], l: Lit) -> Ternary {
    values[l.node()].signed(l.is_negated())
}

/// The values that the latches have in all reachable states, as far as ternary simulation from the reset
/// shows: the state is widened by what each step adds until nothing is added. Inputs are unknown and
/// constraints are ignored, so what is certain here is certain.
pub fn reachable_ternary(circuit: &Circuit) -> Vec<Ternary> {
    let mut state: Vec<Ternary> =
        circuit.latches.iter().map(|l| l.reset.map_or(Ternary::Unknown, Ternary::known)).collect();
    let mut values = vec![Ternary::Unknown; circuit.aig.len()];
    loop {
        for (latch, &s) in circuit.latches.iter().zip(&state) {
            values[latch.lit.node()] = s;
        }
        evaluate_ternary(&circuit.aig, &mut values);
        let mut changed = false;
        for (latch, s) in circuit.latches.iter().zip(&mut state) {
            let joined = s.join(ternary(&values, latch.next));
            changed |= joined != *s;
            *s = joined;
        }
        if !changed {
            return state;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ternary_simulation_keeps_x1_and_not_x2() {
        // 3.4 of the thesis on PDR: x2' = x1, x3' = x2, x1' free; in the state x1, !x2, !x3 the successor's
        // x2', x3' depend on x1 and x2 only.
        let mut c = Circuit::default();
        let i = c.add_input();
        let x: Vec<Lit> = (0..3).map(|_| c.add_latch(Some(false))).collect();
        (c.latches[0].next, c.latches[1].next, c.latches[2].next) = (i, x[0], x[1]);
        let needed: Vec<bool> = (0..3)
            .map(|unknown| {
                let mut values = vec![Ternary::Unknown; c.aig.len()];
                values[i.node()] = Ternary::False;
                for (k, value) in [true, false, false].into_iter().enumerate() {
                    values[x[k].node()] = if k == unknown { Ternary::Unknown } else { Ternary::known(value) };
                }
                evaluate_ternary(&c.aig, &mut values);
                c.latches.iter().any(|l| ternary(&values, l.next) == Ternary::Unknown)
            })
            .collect();
        assert_eq!(needed, [true, true, false]);
    }

    #[test]
    fn a_latch_that_feeds_itself_is_constant() {
        let mut c = Circuit::default();
        let i = c.add_input();
        let (a, b, d) = (c.add_latch(Some(false)), c.add_latch(Some(true)), c.add_latch(None));
        c.latches[0].next = c.aig.and(a, i);
        c.latches[1].next = c.aig.or(b, i);
        c.latches[2].next = d;
        assert_eq!(reachable_ternary(&c), [Ternary::False, Ternary::True, Ternary::Unknown]);
    }
}
