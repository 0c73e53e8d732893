//! The canonical form of formulas: what remains of them are Boolean connectives over atoms that are
//! inequalities, bits, equalities between arrays and Boolean variables. It is equivalent to the formula, term
//! by term:
//!
//! - a comparison of sums is a comparison of linear combinations of *leaves* (terms that are not sums), with
//!   `x mod y` as `x - y·(x div y)`, `to_real(x)` as `x` and the number of a bit-vector as the sum of its
//!   bits; an equality is the conjunction of `<=` and `>=`;
//! - a comparison of a choice between constants is the choice between the comparisons;
//! - a comparison of bit-vectors is a [circuit](crate::circuit) over [bits](crate::circuit::bit);
//! - a disjunction is a negated conjunction.

use num_traits::{One, Signed, Zero};
use palisade_term::{Integer, Linear, Op, Rational, Sort, Term, TermPool};
use rustc_hash::FxHashMap;

use crate::circuit;
use crate::inequality::typed;

/// A choice between constants with more nodes than this is a leaf.
const CHOICE_LIMIT: usize = 32;

/// A comparison with zero.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rel {
    Le,
    Lt,
    Eq,
}

/// Canonical forms, each made once.
pub struct Canon<'p> {
    pool: &'p TermPool,
    formulas: FxHashMap<Term, Term>,
    bits: FxHashMap<Term, Box<[Term]>>,
}

impl<'p> Canon<'p> {
    /// Nothing made yet.
    pub fn new(pool: &'p TermPool) -> Self {
        Canon { pool, formulas: FxHashMap::default(), bits: FxHashMap::default() }
    }

    /// The canonical form of a formula.
    pub fn formula(&mut self, t: Term) -> Term {
        self.make(t);
        self.formulas[&t]
    }

    /// The bits of a bit-vector term, least significant first.
    pub fn bits(&mut self, t: Term) -> &[Term] {
        self.make(t);
        &self.bits[&t]
    }

    fn done(&self, t: Term) -> bool {
        match self.pool.sort(t) {
            Sort::Bool => self.formulas.contains_key(&t),
            Sort::BitVec(_) => self.bits.contains_key(&t),
            _ => true,
        }
    }

    fn make(&mut self, root: Term) {
        let mut stack = vec![root];
        while let Some(&t) = stack.last() {
            if self.done(t) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let needed = self.needed(t);
            stack.extend(needed.into_iter().filter(|&u| !self.done(u)));
            if stack.len() > before {
                continue;
            }
            stack.pop();
            if *self.pool.sort(t) == Sort::Bool {
                let made = self.make_formula(t);
                self.formulas.insert(t, made);
            } else {
                let made = self.make_bits(t);
                self.bits.insert(t, made.into());
            }
        }
    }

    /// The Boolean and bit-vector terms that must be made before `t`.
    fn needed(&self, t: Term) -> Vec<Term> {
        let args = self.pool.args(t);
        match self.comparison(t) {
            Some(_) => match self.by_cases(t) {
                Some(cases) => vec![cases],
                None => self.bit_vectors_in(args[0]),
            },
            None if self.is_opaque(t) => Vec::new(),
            None => args.to_vec(),
        }
    }

    /// Is this a Boolean or bit-vector term whose arguments say nothing about its form: a read, an equality
    /// of arrays, `int2bv`?
    fn is_opaque(&self, t: Term) -> bool {
        match self.pool.op(t) {
            Op::Select | Op::IntToBv(_) => true,
            Op::Eq => matches!(self.pool.sort(self.pool.args(t)[0]), Sort::Array(_)),
            _ => false,
        }
    }

    fn comparison(&self, t: Term) -> Option<Rel> {
        match self.pool.op(t) {
            Op::Le => Some(Rel::Le),
            Op::Lt => Some(Rel::Lt),
            Op::Eq if self.pool.sort(self.pool.args(t)[0]).is_arith() => Some(Rel::Eq),
            _ => None,
        }
    }

    fn make_formula(&self, t: Term) -> Term {
        let p = self.pool;
        let args = p.args(t);
        let made = |u: Term| self.formulas[&u];
        if let Some(rel) = self.comparison(t) {
            return match self.by_cases(t) {
                Some(cases) => made(cases),
                None => self.compare(rel, args[0], args[1]),
            };
        }
        match p.op(t) {
            Op::Not => p.not(made(args[0])),
            Op::And => circuit::all(p, args.iter().map(|&a| made(a))),
            Op::Or => circuit::any(p, args.iter().map(|&a| made(a))),
            Op::Ite => p.ite(made(args[0]), made(args[1]), made(args[2])),
            Op::Eq if *p.sort(args[0]) == Sort::Bool => p.eq(made(args[0]), made(args[1])),
            op => match args {
                [a, b] if !self.is_opaque(t) => {
                    circuit::compare(p, op, &self.bits[a], &self.bits[b]).unwrap_or(t)
                }
                _ => t,
            },
        }
    }

    fn make_bits(&self, t: Term) -> Vec<Term> {
        let p = self.pool;
        let args = p.args(t);
        let named = || (0..p.width(t)).map(|i| circuit::bit(p, t, i)).collect();
        match p.op(t) {
            Op::BitVec(v) => circuit::constant(p, v, p.width(t)),
            Op::Ite => {
                circuit::select(p, self.formulas[&args[0]], &self.bits[&args[1]], &self.bits[&args[2]])
            }
            _ if self.is_opaque(t) => named(),
            op => {
                let inputs: Vec<&[Term]> = args.iter().map(|a| &*self.bits[a]).collect();
                circuit::apply(p, op, &inputs).unwrap_or_else(named)
            }
        }
    }

    // ---- arithmetic ----------------------------------------------------------------------------

    /// `a rel b`, where the bit-vectors in `a` are made.
    fn compare(&self, rel: Rel, a: Term, b: Term) -> Term {
        let p = self.pool;
        let mut l = self.expand(a);
        l.constant -= p.as_number(b).unwrap_or_else(|| panic!("a comparison has a constant on the right"));
        let (l, sort) = typed(p, l);
        match rel {
            Rel::Le => p.linear_le(l, &sort),
            Rel::Lt => p.linear_lt(l, &sort),
            Rel::Eq => {
                let ge = p.linear_le(l.scaled(&-Rational::one()), &sort);
                p.and2(p.linear_le(l, &sort), ge)
            }
        }
    }

    /// A comparison as made here, of terms that need no preparation by [`Canon::make`].
    fn atom(&mut self, rel: Rel, a: Term, b: Term) -> Term {
        let p = self.pool;
        let difference = p.sub(a, b);
        for t in self.bit_vectors_in(difference) {
            self.make(t);
        }
        self.compare(rel, difference, p.number(Rational::zero(), p.sort(a)))
    }

    /// A sum over leaves.
    fn expand(&self, sum: Term) -> Linear {
        let p = self.pool;
        let mut out = Linear::constant(Rational::zero());
        let mut work: Vec<(Term, Rational)> = vec![(sum, Rational::one())];
        while let Some((t, k)) = work.pop() {
            let l = p.linear(t);
            out.constant += &k * &l.constant;
            for (u, c) in l.coeffs {
                let c = c * &k;
                let args = p.args(u);
                match p.op(u) {
                    Op::ToReal => work.push((args[0], c)),
                    Op::Mod => {
                        let product = p.mul(args[1], p.int_div(args[0], args[1]));
                        work.push((args[0], c.clone()));
                        work.push((product, -c));
                    }
                    Op::BvToInt => {
                        let mut weight = c;
                        for &bit in &self.bits[&args[0]] {
                            let digit = p.ite(bit, p.int(1), p.int(0));
                            match p.as_number(digit) {
                                Some(d) => out.constant += d * &weight,
                                None => out = out.add_scaled(&weight, &Linear::term(digit)),
                            }
                            weight = &weight + &weight;
                        }
                    }
                    _ => out = out.add_scaled(&c, &Linear::term(u)),
                }
            }
        }
        out
    }

    /// The bit-vectors whose numbers occur in a sum.
    fn bit_vectors_in(&self, sum: Term) -> Vec<Term> {
        let p = self.pool;
        let mut out = Vec::new();
        let mut work = vec![sum];
        while let Some(u) = work.pop() {
            match p.op(u) {
                Op::Add | Op::Mul | Op::ToReal | Op::Mod => work.extend(p.args(u)),
                Op::BvToInt => out.extend(p.args(u)),
                _ => {}
            }
        }
        out
    }

    /// `k·ite(c, 1, 0) <= b` as `c ? k·1 <= b : k·0 <= b`, for choices between constants that are small
    /// enough.
    fn by_cases(&self, t: Term) -> Option<Term> {
        let p = self.pool;
        let [sum, bound] = *p.args(t) else { return None };
        let l = p.linear(sum);
        let [(choice, k)] = &l.coeffs[..] else { return None };
        if *p.op(*choice) != Op::Ite {
            return None;
        }
        // All nodes, arguments last.
        let mut nodes = vec![*choice];
        let mut next = 0;
        while next < nodes.len() {
            let u = nodes[next];
            next += 1;
            match p.op(u) {
                Op::Ite => nodes.extend(&p.args(u)[1..]),
                _ if p.is_const(u) => {}
                _ => return None,
            }
            if next > CHOICE_LIMIT {
                return None;
            }
        }
        let mut made: FxHashMap<Term, Term> = FxHashMap::default();
        for &u in nodes.iter().rev() {
            let case = if let [c, a, b] = *p.args(u) {
                p.ite(c, made[&a], made[&b])
            } else {
                let value = p.scale(k, u);
                match p.op(t) {
                    Op::Le => p.le(value, bound),
                    Op::Lt => p.lt(value, bound),
                    _ => p.eq(value, bound),
                }
            };
            made.insert(u, case);
        }
        Some(made[choice])
    }

    // ---- definitions ---------------------------------------------------------------------------

    /// A formula, in canonical form, that holds by the meaning of the term's operator; `None` if there is
    /// nothing to say about it.
    pub fn definition(&mut self, t: Term) -> Option<Term> {
        let p = self.pool;
        let args = p.args(t);
        let clauses: Vec<Vec<Term>> = match p.op(t) {
            Op::Ite if p.sort(t).is_arith() => {
                let c = self.formula(args[0]);
                let (then, otherwise) = (self.atom(Rel::Eq, t, args[1]), self.atom(Rel::Eq, t, args[2]));
                let mut clauses = vec![vec![p.not(c), then], vec![c, otherwise]];
                if let (Some(x), Some(y)) = (p.as_number(args[1]), p.as_number(args[2])) {
                    let (low, high) = if x < y { (args[1], args[2]) } else { (args[2], args[1]) };
                    clauses.push(vec![self.atom(Rel::Le, low, t)]);
                    clauses.push(vec![self.atom(Rel::Le, t, high)]);
                }
                clauses
            }
            Op::IntDiv => {
                // 0 <= x - y * q < |y|; by zero the quotient is zero.
                let (x, y) = (args[0], args[1]);
                let rest = p.sub(x, p.mul(y, t));
                let zero = p.int(0);
                let not_negative = self.formula(p.ge(rest, zero));
                match p.op(y) {
                    Op::Int(k) if k.is_positive() => {
                        vec![vec![not_negative], vec![self.formula(p.le(rest, p.int(k - 1)))]]
                    }
                    _ => {
                        let positive = self.formula(p.gt(y, zero));
                        let negative = self.formula(p.lt(y, zero));
                        vec![
                            vec![positive, negative, self.formula(p.eq(t, zero))],
                            vec![self.formula(p.eq(y, zero)), not_negative],
                            vec![p.not(positive), self.formula(p.lt(rest, y))],
                            vec![p.not(negative), self.formula(p.lt(rest, p.neg(y)))],
                        ]
                    }
                }
            }
            Op::Div => {
                let (x, y, zero) = (args[0], args[1], p.real(Rational::zero()));
                let by_zero = self.formula(p.eq(y, zero));
                vec![
                    vec![p.not(by_zero), self.formula(p.eq(t, zero))],
                    vec![by_zero, self.formula(p.eq(p.mul(y, t), x))],
                ]
            }
            Op::ToInt => {
                let floor = p.to_real(t);
                let above = p.add2(floor, p.real(Rational::one()));
                vec![vec![self.formula(p.le(floor, args[0]))], vec![self.formula(p.lt(args[0], above))]]
            }
            Op::IntToBv(w) => {
                let modulus = p.int(Integer::one() << *w);
                vec![vec![self.formula(p.eq(p.int_mod(args[0], modulus), p.bv_to_int(t)))]]
            }
            _ => return None,
        };
        Some(p.and(clauses.into_iter().map(|c| p.not(p.and(c.into_iter().map(|l| p.not(l)))))))
    }
}
