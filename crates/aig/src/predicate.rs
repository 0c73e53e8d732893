//! Predicates: sets of states as circuits over latches.

use std::collections::BTreeMap;

use palisade_term::{Term, TermPool};

use crate::circuit::Circuit;
use crate::graph::{Aig, Lit, Node};

/// A set of states of a circuit.
#[derive(Clone, Debug)]
pub struct Predicate {
    /// The gates.
    pub aig: Aig,
    /// The leaves: the number of the latch, and its literal.
    pub latches: Vec<(usize, Lit)>,
    /// True for the states of the set.
    pub root: Lit,
}

impl Predicate {
    /// The states that are not bad, of a circuit whose bad states depend on latches only.
    pub fn property(circuit: &Circuit) -> Predicate {
        let mut aig = Aig::new();
        let latches: Vec<(usize, Lit)> = (0..circuit.latches.len()).map(|i| (i, aig.leaf())).collect();
        let mut map = vec![Lit::FALSE; circuit.aig.len()];
        for (l, (_, leaf)) in circuit.latches.iter().zip(&latches) {
            map[l.lit.node()] = *leaf;
        }
        let cone = circuit.aig.cone(circuit.bads.iter().copied());
        circuit.aig.copy_into(&mut aig, &cone, &mut map);
        let bads: Vec<Lit> = circuit.bads.iter().map(|b| map[b.node()] ^ b.is_negated()).collect();
        let root = !aig.or_all(bads);
        Predicate { aig, latches, root }
    }

    /// The predicate where a latch has a value; it is not about that latch any more.
    pub fn fixed(&self, latch: usize, value: bool) -> Predicate {
        let mut aig = Aig::new();
        let mut map = vec![Lit::FALSE; self.aig.len()];
        let mut latches = Vec::new();
        for &(l, leaf) in &self.latches {
            map[leaf.node()] = if l == latch { Lit::constant(value) } else { aig.leaf() };
            if l != latch {
                latches.push((l, map[leaf.node()]));
            }
        }
        self.aig.copy_into(&mut aig, &self.aig.cone([self.root]), &mut map);
        Predicate { aig, latches, root: map[self.root.node()] ^ self.root.is_negated() }
    }

    /// The states that are also in another set.
    pub fn and(&self, other: &Predicate) -> Predicate {
        let mut aig = Aig::new();
        let mut latches = BTreeMap::new();
        let mut roots = Vec::new();
        for p in [self, other] {
            let mut map = vec![Lit::FALSE; p.aig.len()];
            for &(l, leaf) in &p.latches {
                map[leaf.node()] = *latches.entry(l).or_insert_with(|| aig.leaf());
            }
            p.aig.copy_into(&mut aig, &p.aig.cone([p.root]), &mut map);
            roots.push(map[p.root.node()] ^ p.root.is_negated());
        }
        let root = aig.and_all(roots);
        Predicate { aig, latches: latches.into_iter().collect(), root }
    }

    /// Is a state in the set?
    pub fn holds(&self, latch: impl Fn(usize) -> bool) -> bool {
        let mut values = vec![false; self.aig.len()];
        for &(l, lit) in &self.latches {
            values[lit.node()] = latch(l);
        }
        for (n, node) in self.aig.nodes().iter().enumerate() {
            if let Node::And(a, b) = *node {
                values[n] = (values[a.node()] ^ a.is_negated()) && (values[b.node()] ^ b.is_negated());
            }
        }
        values[self.root.node()] ^ self.root.is_negated()
    }

    /// The set as a formula; `latch` gives the term of a latch.
    pub fn term(&self, pool: &TermPool, latch: impl Fn(usize) -> Term) -> Term {
        let cone = self.aig.cone([self.root]);
        let mut terms = vec![pool.fls(); self.aig.len()];
        for &(l, lit) in &self.latches {
            terms[lit.node()] = latch(l);
        }
        let signed = |terms: &[Term], l: Lit| {
            if l.is_negated() { pool.not(terms[l.node()]) } else { terms[l.node()] }
        };
        for (n, node) in self.aig.nodes().iter().enumerate() {
            if let (true, Node::And(a, b)) = (cone[n], *node) {
                terms[n] = pool.and([signed(&terms, a), signed(&terms, b)]);
            }
        }
        signed(&terms, self.root)
    }
}
