//! Definitions of the terms that are variables for arithmetic: choices, quotients, floors, conversions.
//!
//! Their clauses are permanent, but count only in queries in which the term occurs.

use num_traits::{One, Signed, Zero};
use palisade_sat::Lit;
use palisade_term::{Integer, Op, Rational, Sort, Term};

use super::Encoder;
use crate::native::gates::{ClauseSink, Rule};

impl Encoder<'_> {
    pub(super) fn define_pending(&mut self, sink: &mut impl ClauseSink) {
        while let Some((t, def)) = self.pending.pop() {
            if *self.pool.op(t) == Op::Ite {
                self.define_ite(sink, t, def);
                continue;
            }
            let terms = self.definition(t);
            let mut clauses: Vec<Vec<Lit>> = Vec::with_capacity(terms.len());
            for c in &terms {
                for &l in c {
                    self.encode(sink, l);
                }
                clauses.push(c.iter().map(|&l| self.known(l).expect("just encoded")).collect());
            }
            self.gates.define(sink, def, &clauses, Rule::Term.tag(t.index() as u32));
        }
    }

    /// `c -> t = a`, `not c -> t = b`. Not by way of terms: those would compare the cases of `t`.
    fn define_ite(&mut self, sink: &mut impl ClauseSink, t: Term, def: u32) {
        let args = self.pool.args(t);
        self.encode(sink, args[0]);
        let c = self.known(args[0]).expect("just encoded");
        let then = self.difference(sink, &Op::Eq, t, args[1]);
        let other = self.difference(sink, &Op::Eq, t, args[2]);
        let mut clauses = vec![vec![!c, then], vec![c, other]];
        if let (Some(x), Some(y)) = (self.pool.as_number(args[1]), self.pool.as_number(args[2])) {
            let (low, high) = if x < y { (args[1], args[2]) } else { (args[2], args[1]) };
            clauses.push(vec![self.difference(sink, &Op::Le, low, t)]);
            clauses.push(vec![self.difference(sink, &Op::Le, t, high)]);
        }
        self.gates.define(sink, def, &clauses, Rule::Term.tag(t.index() as u32));
    }

    /// The clauses that define a term which is a variable for arithmetic.
    fn definition(&self, t: Term) -> Vec<Vec<Term>> {
        let p = self.pool;
        let args = p.args(t);
        let zero = |sort: &Sort| p.number(Rational::zero(), sort);
        match p.op(t) {
            Op::IntDiv => {
                let (x, y) = (args[0], args[1]);
                let rest = p.sub(x, p.mul(y, t));
                let zero = zero(&Sort::Int);
                if let Op::Int(k) = p.op(y) {
                    // 0 <= x - k * q <= k - 1; the builders made k positive.
                    debug_assert!(k.is_positive());
                    return vec![vec![p.ge(rest, zero)], vec![p.le(rest, p.int(k - 1))]];
                }
                let (positive, negative) = (p.gt(y, zero), p.lt(y, zero));
                vec![
                    vec![positive, negative, p.eq(t, zero)],
                    vec![p.eq(y, zero), p.ge(rest, zero)],
                    vec![p.not(positive), p.lt(rest, y)],
                    vec![p.not(negative), p.lt(rest, p.neg(y))],
                ]
            }
            Op::Div => {
                let (x, y) = (args[0], args[1]);
                let zero = zero(&Sort::Real);
                let is_zero = p.eq(y, zero);
                vec![vec![p.not(is_zero), p.eq(t, zero)], vec![is_zero, p.eq(p.mul(y, t), x)]]
            }
            Op::ToInt => {
                let floor = p.to_real(t);
                let above = p.add2(floor, p.real(Rational::one()));
                vec![vec![p.le(floor, args[0])], vec![p.lt(args[0], above)]]
            }
            Op::IntToBv(w) => {
                let modulus = p.int(Integer::one() << *w);
                vec![vec![p.eq(p.int_mod(args[0], modulus), p.bv_to_int(t))]]
            }
            other => unreachable!("{other:?} has no arithmetic definition"),
        }
    }
}
