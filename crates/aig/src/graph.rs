//! The graph: nodes, literals, structural hashing.
//!
//! [`Aig::and`] hashes structurally and applies the rules of one and two levels (constants, idempotence,
//! contradiction, absorption, substitution) of Brummayer and Biere, Local Two-Level And-Inverter Graph
//! Minimization without Blowup, 2006, as far as they make no new node.

use std::fmt;
use std::ops::{BitXor, Not};

use rustc_hash::FxHashMap;

/// A node or its negation: twice the node's number, plus one for the negation, as in AIGER.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Lit(u32);

impl Lit {
    /// The constant false.
    pub const FALSE: Lit = Lit(0);
    /// The constant true.
    pub const TRUE: Lit = Lit(1);

    /// The literal of a node.
    #[inline]
    pub fn new(node: usize, negated: bool) -> Lit {
        debug_assert!(node < (u32::MAX / 2) as usize);
        Lit((node as u32) << 1 | u32::from(negated))
    }

    /// The constant of a truth value.
    #[inline]
    pub fn constant(value: bool) -> Lit {
        Lit(u32::from(value))
    }

    /// The node.
    #[inline]
    pub fn node(self) -> usize {
        (self.0 >> 1) as usize
    }

    /// Is the node negated?
    #[inline]
    pub fn is_negated(self) -> bool {
        self.0 & 1 == 1
    }

    /// The number by which AIGER writes it.
    #[inline]
    pub fn code(self) -> u32 {
        self.0
    }

    /// The truth value, of a constant.
    #[inline]
    pub fn as_constant(self) -> Option<bool> {
        (self.0 < 2).then_some(self.0 == 1)
    }
}

impl Not for Lit {
    type Output = Lit;
    #[inline]
    fn not(self) -> Lit {
        Lit(self.0 ^ 1)
    }
}

/// Negates if the right side is true.
impl BitXor<bool> for Lit {
    type Output = Lit;
    #[inline]
    fn bitxor(self, negate: bool) -> Lit {
        Lit(self.0 ^ u32::from(negate))
    }
}

impl fmt::Debug for Lit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}n{}", if self.is_negated() { "!" } else { "" }, self.node())
    }
}

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Node {
    /// The constant false: node 0 only.
    False,
    /// A variable: a primary input or a latch.
    Leaf,
    /// A conjunction of two earlier nodes or their negations.
    And(Lit, Lit),
}

/// An and-inverter graph.
#[derive(Clone, Debug)]
pub struct Aig {
    nodes: Vec<Node>,
    table: FxHashMap<(Lit, Lit), u32>,
}

impl Default for Aig {
    fn default() -> Self {
        Aig { nodes: vec![Node::False], table: FxHashMap::default() }
    }
}

impl Aig {
    /// The graph with only the constant.
    pub fn new() -> Aig {
        Aig::default()
    }

    /// Number of nodes, the constant included.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Is there nothing but the constant?
    pub fn is_empty(&self) -> bool {
        self.nodes.len() == 1
    }

    /// A node.
    #[inline]
    pub fn node(&self, n: usize) -> Node {
        self.nodes[n]
    }

    /// All nodes in order.
    pub fn nodes(&self) -> &[Node] {
        &self.nodes
    }

    /// Number of conjunctions.
    pub fn ands(&self) -> usize {
        self.table.len()
    }

    /// A new variable.
    pub fn leaf(&mut self) -> Lit {
        self.nodes.push(Node::Leaf);
        Lit::new(self.nodes.len() - 1, false)
    }

    /// Conjunction.
    pub fn and(&mut self, a: Lit, b: Lit) -> Lit {
        let (a, b) = if a <= b { (a, b) } else { (b, a) };
        if let Some(simple) = self.simplify(a, b) {
            return simple;
        }
        if let Some(&n) = self.table.get(&(a, b)) {
            return Lit::new(n as usize, false);
        }
        self.nodes.push(Node::And(a, b));
        let n = self.nodes.len() - 1;
        self.table.insert((a, b), n as u32);
        Lit::new(n, false)
    }

    /// Simplifies a conjunction to something that is there already; `a <= b`.
    fn simplify(&mut self, a: Lit, b: Lit) -> Option<Lit> {
        if a == Lit::FALSE || a == !b {
            return Some(Lit::FALSE);
        }
        if a == Lit::TRUE || a == b {
            return Some(b);
        }
        for (x, y) in [(a, b), (b, a)] {
            let Node::And(p, q) = self.nodes[y.node()] else { continue };
            if !y.is_negated() {
                if x == p || x == q {
                    return Some(y); // absorption
                }
                if x == !p || x == !q {
                    return Some(Lit::FALSE); // contradiction
                }
            } else {
                if x == !p || x == !q {
                    return Some(x); // not (p and q) follows from x
                }
                // substitution: x and not (x and q) is x and not q
                if x == p {
                    return Some(self.and(x, !q));
                }
                if x == q {
                    return Some(self.and(x, !p));
                }
            }
        }
        self.simplify_pair(a, b)
    }

    /// Both arguments are gates.
    fn simplify_pair(&self, a: Lit, b: Lit) -> Option<Lit> {
        let (Node::And(p, q), Node::And(r, s)) = (self.nodes[a.node()], self.nodes[b.node()]) else {
            return None;
        };
        let clash = |x: Lit| x == !r || x == !s;
        match (a.is_negated(), b.is_negated()) {
            (false, false) if clash(p) || clash(q) => Some(Lit::FALSE),
            // not (r and s) follows from p and q when these contradict r or s
            (false, true) if clash(p) || clash(q) => Some(a),
            (true, false) if clash(p) || clash(q) => Some(b),
            // not (p and q) and not (p and not q) is not p
            (true, true) if p == r && q == !s || p == s && q == !r => Some(!p),
            (true, true) if q == s && p == !r || q == r && p == !s => Some(!q),
            _ => None,
        }
    }

    /// Disjunction.
    pub fn or(&mut self, a: Lit, b: Lit) -> Lit {
        !self.and(!a, !b)
    }

    /// Exclusive or.
    pub fn xor(&mut self, a: Lit, b: Lit) -> Lit {
        let (na, nb) = (a.is_negated(), b.is_negated());
        let (a, b) = (a ^ na, b ^ nb);
        let both = self.and(a, b);
        let none = self.and(!a, !b);
        self.and(!both, !none) ^ (na != nb)
    }

    /// If `c` then `a` else `b`.
    pub fn ite(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
        if a == b {
            return a;
        }
        if a == !b {
            return self.xor(c, b);
        }
        let yes = self.and(c, a);
        let no = self.and(!c, b);
        self.or(yes, no)
    }

    /// Majority of three.
    pub fn majority(&mut self, a: Lit, b: Lit, c: Lit) -> Lit {
        let both = self.and(a, b);
        let either = self.or(a, b);
        let carry = self.and(either, c);
        self.or(both, carry)
    }

    /// Conjunction of many, as a balanced tree.
    pub fn and_all(&mut self, lits: impl IntoIterator<Item = Lit>) -> Lit {
        let mut lits: Vec<Lit> = lits.into_iter().collect();
        lits.sort_unstable();
        lits.dedup();
        while lits.len() > 1 {
            lits = lits.chunks(2).map(|c| if c.len() == 2 { self.and(c[0], c[1]) } else { c[0] }).collect();
        }
        lits.first().copied().unwrap_or(Lit::TRUE)
    }

    /// Disjunction of many.
    pub fn or_all(&mut self, lits: impl IntoIterator<Item = Lit>) -> Lit {
        !self.and_all(lits.into_iter().map(|l| !l))
    }

    /// Marks the nodes that the roots depend on, themselves included.
    pub fn cone(&self, roots: impl IntoIterator<Item = Lit>) -> Vec<bool> {
        let mut mark = vec![false; self.nodes.len()];
        for r in roots {
            mark[r.node()] = true;
        }
        for n in (0..self.nodes.len()).rev() {
            if let (true, Node::And(a, b)) = (mark[n], self.nodes[n]) {
                mark[a.node()] = true;
                mark[b.node()] = true;
            }
        }
        mark
    }

    /// Copies the marked nodes into another graph. `map` has the image of each leaf and gets the images of
    /// the gates.
    pub fn copy_into(&self, target: &mut Aig, marked: &[bool], map: &mut [Lit]) {
        map[0] = Lit::FALSE;
        for n in 1..self.nodes.len() {
            if let (true, Node::And(a, b)) = (marked[n], self.nodes[n]) {
                map[n] = target.and(image(map, a), image(map, b));
            }
        }
    }
}

/// The image of a literal under a map of nodes.
#[inline]
pub(crate) fn image(map: &[Lit], l: Lit) -> Lit {
    map[l.node()] ^ l.is_negated()
}

#[cfg(test)]
mod tests {
    use super::*;
    use palisade_fuzzing::Random;

    fn value(aig: &Aig, l: Lit, leaves: u32) -> bool {
        let mut values = vec![false; aig.len()];
        let mut leaf = 0;
        for n in 1..aig.len() {
            values[n] = match aig.node(n) {
                Node::False => false,
                Node::Leaf => {
                    leaf += 1;
                    leaves >> (leaf - 1) & 1 == 1
                }
                Node::And(a, b) => (values[a.node()] ^ a.is_negated()) && (values[b.node()] ^ b.is_negated()),
            };
        }
        values[l.node()] ^ l.is_negated()
    }

    #[test]
    fn gates_mean_what_they_say_however_they_are_simplified() {
        let mut random = Random::new(7);
        for _ in 0..200 {
            let mut aig = Aig::new();
            // Each literal with its truth table over four leaves.
            let mut known: Vec<(Lit, u16)> = vec![(Lit::FALSE, 0)];
            for t in [0xaaaau16, 0xcccc, 0xf0f0, 0xff00] {
                known.push((aig.leaf(), t));
            }
            for _ in 0..30 {
                let mut pick = || {
                    let (l, t) = known[random.below(known.len())];
                    if random.below(2) == 0 { (l, t) } else { (!l, !t) }
                };
                let ((a, ta), (b, tb), (c, tc)) = (pick(), pick(), pick());
                known.push(match random.below(4) {
                    0 => (aig.and(a, b), ta & tb),
                    1 => (aig.xor(a, b), ta ^ tb),
                    2 => (aig.ite(a, b, c), ta & tb | !ta & tc),
                    _ => (aig.majority(a, b, c), ta & tb | ta & tc | tb & tc),
                });
            }
            for &(l, t) in &known {
                for leaves in 0..16 {
                    assert_eq!(value(&aig, l, leaves), t >> leaves & 1 == 1);
                }
            }
        }
    }

    #[test]
    fn equal_structure_is_one_node() {
        let mut aig = Aig::new();
        let (a, b, c) = (aig.leaf(), aig.leaf(), aig.leaf());
        let x = aig.xor(a, b);
        let nodes = aig.len();
        assert_eq!(aig.xor(!b, a), !x);
        assert_eq!(aig.and_all([c, a, b, a]), aig.and_all([a, b, c]));
        assert_eq!(aig.and_all([a, !a, c]), Lit::FALSE);
        assert!(aig.len() <= nodes + 4);
    }
}
