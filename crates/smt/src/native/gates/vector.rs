//! Equalities of vectors and comparisons with constants, as constraints on bits.
//!
//! They lie between the skeleton and circuits: their clauses are emitted per polarity, like those of the
//! skeleton, and speak of bits directly.

use palisade_sat::Lit;

use super::{ClauseSink, Gate, Gates, Rule, fls, tru};

impl Gates {
    /// Equality of two vectors. No clauses yet: see [`Gates::require`].
    pub fn equal_gate(&mut self, sink: &mut impl ClauseSink, a: &[Lit], b: &[Lit]) -> Lit {
        // Bits that agree or differ for certain.
        let mut pairs: Vec<(Lit, Lit)> = Vec::with_capacity(a.len());
        for (&x, &y) in a.iter().zip(b) {
            if x == !y {
                return fls();
            }
            // Constants to the right.
            let pair = if x.var() == tru().var() { (y, x) } else { (x, y) };
            if x != y && !pairs.contains(&pair) {
                pairs.push(pair);
            }
        }
        match pairs[..] {
            [] => return tru(),
            [(x, y)] => return !self.xor2(sink, x, y),
            _ => {}
        }
        let lits: Vec<Lit> = pairs.iter().map(|p| p.0).chain(pairs.iter().map(|p| p.1)).collect();
        let (start, _) = self.store(&lits);
        let v = sink.new_var(false, self.scoped);
        self.set(v, Gate::Equal(start, pairs.len() as u32));
        v.positive()
    }

    /// Unsigned `a <= k` for a constant that is not the greatest. No clauses yet.
    pub fn at_most_gate(&mut self, sink: &mut impl ClauseSink, a: &[Lit], k: &[Lit]) -> Lit {
        debug_assert!(k.contains(&fls()));
        let (start, _) = self.store(&[a, k].concat());
        let v = sink.new_var(false, self.scoped);
        self.set(v, Gate::AtMost(start, a.len() as u32));
        v.positive()
    }

    pub(super) fn emit_equal(&mut self, sink: &mut impl ClauseSink, l: Lit, start: u32, len: u32) {
        let tag = Rule::Bit.tag(l.var().index() as u32);
        let lits = self.children(start, 2 * len).to_vec();
        let (left, right) = lits.split_at(len as usize);
        if l.is_positive() {
            for (&x, &y) in left.iter().zip(right) {
                if y.var() == tru().var() {
                    sink.clause(&[!l, if y == tru() { x } else { !x }], tag);
                } else {
                    sink.clause(&[!l, !x, y], tag);
                    sink.clause(&[!l, x, !y], tag);
                }
            }
            return;
        }
        let mut clause = vec![!l];
        for (&x, &y) in left.iter().zip(right) {
            if y.var() == tru().var() {
                clause.push(if y == tru() { !x } else { x });
                continue;
            }
            // Not from the cache: the difference must live exactly as long as the equality.
            let v = sink.new_var(false, self.scoped_vars[l.var().index()]);
            let scoped = std::mem::replace(&mut self.scoped, self.scoped_vars[l.var().index()]);
            self.set(v, Gate::Bit(x, y, y));
            self.scoped = scoped;
            let d = v.positive();
            sink.clause(&[!d, x, y], tag);
            sink.clause(&[!d, !x, !y], tag);
            sink.clause(&[d, !x, y], tag);
            sink.clause(&[d, x, !y], tag);
            clause.push(d);
        }
        sink.clause(&clause, tag);
    }

    pub(super) fn emit_at_most(&mut self, sink: &mut impl ClauseSink, l: Lit, start: u32, len: u32) {
        let tag = Rule::Bit.tag(l.var().index() as u32);
        let x = self.children(start, len).to_vec();
        let mut k: Vec<bool> = self.children(start + len, len).iter().map(|&b| b == tru()).collect();
        let len = len as usize;
        let mut clause = Vec::with_capacity(len + 1);
        if l.is_positive() {
            // A one where the constant has a zero needs a zero above where the constant has a one.
            for i in (0..len).filter(|&i| !k[i]) {
                clause.clear();
                clause.extend([!l, !x[i]]);
                clause.extend((i + 1..len).filter(|&j| k[j]).map(|j| !x[j]));
                sink.clause(&clause, tag);
            }
            return;
        }
        // Otherwise x is at least k + 1: a zero where that has a one needs a one above where it has a zero.
        let carry = k.iter().position(|&b| !b).expect("the constant is not the greatest");
        k[..carry].fill(false);
        k[carry] = true;
        for i in (0..len).filter(|&i| k[i]) {
            clause.clear();
            clause.extend([!l, x[i]]);
            clause.extend((i + 1..len).filter(|&j| !k[j]).map(|j| x[j]));
            sink.clause(&clause, tag);
        }
    }
}
