//! Bit gates: conjunction, exclusive or, the sum and carry of a full adder, multiplexer.
//!
//! Structurally hashed, normalised by the symmetries of their function, with all their clauses from the
//! start.

use palisade_sat::{Lit, Var};

use super::{ClauseSink, Gate, Gates, Rule, fls, tru};

/// The function of a bit gate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BitGate {
    And(Lit, Lit),
    Xor(Lit, Lit),
    Parity(Lit, Lit, Lit),
    Majority(Lit, Lit, Lit),
    Choice(Lit, Lit, Lit),
}

/// A key of one of the caches.
pub(super) enum CacheKey {
    And((Lit, Lit)),
    Xor((Lit, Lit)),
    Xor3((Lit, Lit, Lit)),
    Maj((Lit, Lit, Lit)),
    Mux((Lit, Lit, Lit)),
}

impl Gates {
    /// The bit gates, in no particular order.
    pub fn bit_gates(&self) -> impl Iterator<Item = (Var, BitGate)> {
        let and = self.and_cache.iter().map(|(&(a, b), g)| (g.var(), BitGate::And(a, b)));
        let xor = self.xor_cache.iter().map(|(&(a, b), g)| (g.var(), BitGate::Xor(a, b)));
        let parity = self.xor3_cache.iter().map(|(&(a, b, c), g)| (g.var(), BitGate::Parity(a, b, c)));
        let majority = self.maj_cache.iter().map(|(&(a, b, c), g)| (g.var(), BitGate::Majority(a, b, c)));
        let choice = self.mux_cache.iter().map(|(&(c, a, b), g)| (g.var(), BitGate::Choice(c, a, b)));
        and.chain(xor).chain(parity).chain(majority).chain(choice)
    }

    fn note(&mut self, key: CacheKey) {
        if self.scoped {
            self.scoped_keys.push(key);
        }
    }

    /// Forgets the gates that were made for a query.
    pub fn forget_scoped(&mut self) {
        self.scoped_children.clear();
        for v in self.scoped_mentions.drain(..) {
            self.mentioned[v.index()] = false;
        }
        self.hide_scoped();
    }

    /// No gate that is made from now on is one of those that were made for a query.
    pub fn hide_scoped(&mut self) {
        for key in self.scoped_keys.drain(..) {
            match key {
                CacheKey::And(k) => self.and_cache.remove(&k),
                CacheKey::Xor(k) => self.xor_cache.remove(&k),
                CacheKey::Xor3(k) => self.xor3_cache.remove(&k),
                CacheKey::Maj(k) => self.maj_cache.remove(&k),
                CacheKey::Mux(k) => self.mux_cache.remove(&k),
            };
        }
    }

    fn bit_gate(&mut self, sink: &mut impl ClauseSink, a: Lit, b: Lit, c: Lit) -> Lit {
        let v = sink.new_var(false, self.scoped);
        self.set(v, Gate::Bit(a, b, c));
        v.positive()
    }

    /// The conjunction of two bits.
    pub fn and2(&mut self, sink: &mut impl ClauseSink, a: Lit, b: Lit) -> Lit {
        if a == fls() || b == fls() || a == !b {
            return fls();
        }
        if a == tru() || a == b {
            return b;
        }
        if b == tru() {
            return a;
        }
        let key = if a < b { (a, b) } else { (b, a) };
        if let Some(&g) = self.and_cache.get(&key) {
            return g;
        }
        let g = self.bit_gate(sink, key.0, key.1, key.1);
        let tag = Rule::Bit.tag(g.var().index() as u32);
        sink.clause(&[!g, a], tag);
        sink.clause(&[!g, b], tag);
        sink.clause(&[g, !a, !b], tag);
        self.and_cache.insert(key, g);
        self.note(CacheKey::And(key));
        g
    }

    /// The disjunction of two bits.
    pub fn or2(&mut self, sink: &mut impl ClauseSink, a: Lit, b: Lit) -> Lit {
        !self.and2(sink, !a, !b)
    }

    /// Exclusive or of two bits.
    pub fn xor2(&mut self, sink: &mut impl ClauseSink, a: Lit, b: Lit) -> Lit {
        for (x, y) in [(a, b), (b, a)] {
            if x.var() == tru().var() {
                return if x == tru() { !y } else { y };
            }
        }
        if a.var() == b.var() {
            return if a == b { fls() } else { tru() };
        }
        let negate = a.is_positive() != b.is_positive();
        let (a, b) = (a.var().positive(), b.var().positive());
        let key = if a < b { (a, b) } else { (b, a) };
        let g = match self.xor_cache.get(&key) {
            Some(&g) => g,
            None => {
                let g = self.bit_gate(sink, key.0, key.1, key.1);
                let tag = Rule::Bit.tag(g.var().index() as u32);
                sink.clause(&[!g, a, b], tag);
                sink.clause(&[!g, !a, !b], tag);
                sink.clause(&[g, !a, b], tag);
                sink.clause(&[g, a, !b], tag);
                self.xor_cache.insert(key, g);
                self.note(CacheKey::Xor(key));
                g
            }
        };
        if negate { !g } else { g }
    }

    /// Exclusive or of three bits: the sum of a full adder.
    pub fn xor3(&mut self, sink: &mut impl ClauseSink, a: Lit, b: Lit, c: Lit) -> Lit {
        let constant = [a, b, c].iter().any(|l| l.var() == tru().var());
        if constant || a.var() == b.var() || b.var() == c.var() || a.var() == c.var() {
            let ab = self.xor2(sink, a, b);
            return self.xor2(sink, ab, c);
        }
        let negate = [a, b, c].iter().filter(|l| !l.is_positive()).count() % 2 == 1;
        let mut k = [a.var().positive(), b.var().positive(), c.var().positive()];
        k.sort_unstable();
        let [a, b, c] = k;
        let g = match self.xor3_cache.get(&(a, b, c)) {
            Some(&g) => g,
            None => {
                let g = self.bit_gate(sink, a, b, c);
                let tag = Rule::Bit.tag(g.var().index() as u32);
                for bits in 0..8u32 {
                    // Under a = bits.0, b = bits.1, c = bits.2 the gate is their parity.
                    let off = |l: Lit, i: u32| if bits >> i & 1 == 1 { !l } else { l };
                    let out = if bits.count_ones() % 2 == 1 { g } else { !g };
                    sink.clause(&[off(a, 0), off(b, 1), off(c, 2), out], tag);
                }
                self.xor3_cache.insert((a, b, c), g);
                self.note(CacheKey::Xor3((a, b, c)));
                g
            }
        };
        if negate { !g } else { g }
    }

    /// Majority of three bits: the carry of a full adder.
    pub fn maj(&mut self, sink: &mut impl ClauseSink, a: Lit, b: Lit, c: Lit) -> Lit {
        for (x, y, z) in [(a, b, c), (b, a, c), (c, a, b)] {
            if x == tru() {
                return self.or2(sink, y, z);
            }
            if x == fls() {
                return self.and2(sink, y, z);
            }
            if y == z {
                return y;
            }
            if y == !z {
                return x;
            }
        }
        let mut k = [a, b, c];
        k.sort_unstable();
        // Majority is self-dual: at most one negation among three, by turning all around.
        let negate = k.iter().filter(|l| !l.is_positive()).count() >= 2;
        if negate {
            k = k.map(|l| !l);
        }
        let [a, b, c] = k;
        let g = match self.maj_cache.get(&(a, b, c)) {
            Some(&g) => g,
            None => {
                let g = self.bit_gate(sink, a, b, c);
                let tag = Rule::Bit.tag(g.var().index() as u32);
                for (x, y) in [(a, b), (a, c), (b, c)] {
                    sink.clause(&[!x, !y, g], tag);
                    sink.clause(&[x, y, !g], tag);
                }
                self.maj_cache.insert((a, b, c), g);
                self.note(CacheKey::Maj((a, b, c)));
                g
            }
        };
        if negate { !g } else { g }
    }

    /// A multiplexer: `c ? a : b`.
    pub fn mux(&mut self, sink: &mut impl ClauseSink, c: Lit, a: Lit, b: Lit) -> Lit {
        if c == tru() || a == b {
            return a;
        }
        if c == fls() {
            return b;
        }
        if !c.is_positive() {
            return self.mux(sink, !c, b, a);
        }
        if a == tru() || a == c {
            return self.or2(sink, c, b);
        }
        if a == fls() || a == !c {
            return self.and2(sink, !c, b);
        }
        if b == tru() || b == !c {
            return self.or2(sink, !c, a);
        }
        if b == fls() || b == c {
            return self.and2(sink, c, a);
        }
        if a == !b {
            return !self.xor2(sink, c, a);
        }
        if !a.is_positive() {
            return !self.mux(sink, c, !a, !b);
        }
        if let Some(&g) = self.mux_cache.get(&(c, a, b)) {
            return g;
        }
        let g = self.bit_gate(sink, c, a, b);
        let tag = Rule::Bit.tag(g.var().index() as u32);
        sink.clause(&[!c, !a, g], tag);
        sink.clause(&[!c, a, !g], tag);
        sink.clause(&[c, !b, g], tag);
        sink.clause(&[c, b, !g], tag);
        // Redundant, but they propagate when both branches agree.
        sink.clause(&[!a, !b, g], tag);
        sink.clause(&[a, b, !g], tag);
        self.mux_cache.insert((c, a, b), g);
        self.note(CacheKey::Mux((c, a, b)));
        g
    }
}
