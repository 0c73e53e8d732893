//! Definitions: literals that say what a variable is.
//!
//! `exists x. x = t and F(x)` is `F(t)` if `x` is not in `t` (the one-point rule). Whoever eliminates
//! variables first looks for such literals: [`TermPool::definitions`] reads one literal in all the ways that
//! are exact,
//! - a Boolean variable or its negation: the value;
//! - an equality (between Booleans also a disequality) with a variable as one side: the other side;
//! - a linear equation: over the rationals by any coefficient, over the integers by `1` and `-1`;
//! - an equation between sums of bit-vectors: by any odd coefficient, which has an inverse modulo `2^w`;
//!
//! and [`TermPool::independent_definitions`] takes from many literals what can be substituted at once.
//!
//! This is term algebra only: no model, no solver, no choice that depends on anything but the terms.

use num_traits::One;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::bvsum::BvSum;
use crate::op::Op;
use crate::{Integer, Sort, Term, TermPool};

impl TermPool {
    /// The ways to read a literal as `x = t`, with a variable `x` that `may` be solved for and does not occur
    /// in `t`.
    ///
    /// In the order of the equation: sides as they stand, then the monomials of a sum ascending. The literal
    /// is equivalent to each `x = t`.
    pub fn definitions(&self, literal: Term, may: impl Fn(Term) -> bool) -> Vec<(Term, Term)> {
        let wanted = |x: Term| self.is_var(x) && may(x);
        let (negated, atom) = self.strip_not(literal);
        if wanted(atom) {
            return vec![(atom, self.bool(!negated))];
        }
        let (Op::Eq, &[a, b]) = (self.op(atom), self.args(atom)) else { return Vec::new() };
        let sort = self.sort(a);
        if negated && *sort != Sort::Bool {
            return Vec::new();
        }
        if sort.is_arith() {
            return self.linear_definitions(a, b, sort, wanted);
        }
        let mut found: Vec<(Term, Term)> = [(a, b), (b, a)]
            .into_iter()
            .filter(|&(x, t)| wanted(x) && !self.occurs(x, t))
            .map(|(x, t)| (x, if negated { self.not(t) } else { t }))
            .collect();
        if let Sort::BitVec(width) = sort {
            let sides_only = [a, b].iter().all(|&t| !self.is_bv_sum(t));
            if !sides_only && let Some(sum) = BvSum::difference(self, *width, a, b) {
                let new = |x: Term| wanted(x) && x != a && x != b;
                found.extend(sum.roots(self, new).filter(|&(x, t)| !self.occurs(x, t)));
            }
        }
        found
    }

    fn linear_definitions(
        &self,
        a: Term,
        b: Term,
        sort: &Sort,
        wanted: impl Fn(Term) -> bool,
    ) -> Vec<(Term, Term)> {
        let sum = self.linear(a).minus(&self.linear(b));
        let integers = *sort == Sort::Int;
        let mut found = Vec::new();
        for (x, k) in &sum.coeffs {
            // Over the integers, only a unit can be divided by.
            if !wanted(*x) || integers && !k.abs().is_one() {
                continue;
            }
            if sum.coeffs.iter().any(|(u, _)| u != x && self.occurs(*x, *u)) {
                continue;
            }
            let mut rest = sum.scaled(&-k.recip());
            rest.coeffs.retain(|(u, _)| u != x);
            found.push((*x, self.from_linear(&rest, sort)));
        }
        found
    }

    /// Definitions from many literals that can be substituted simultaneously: no term mentions a variable
    /// that is defined. Earlier literals take precedence, and each gives one definition at most.
    pub fn independent_definitions(
        &self,
        literals: impl IntoIterator<Item = Term>,
        may: impl Fn(Term) -> bool,
    ) -> FxHashMap<Term, Term> {
        let mut map: FxHashMap<Term, Term> = FxHashMap::default();
        let mut mentioned: FxHashSet<Term> = FxHashSet::default();
        for literal in literals {
            let free = |x: Term| may(x) && !map.contains_key(&x) && !mentioned.contains(&x);
            let mut found =
                self.definitions(literal, free).into_iter().map(|(x, t)| (x, t, self.free_vars(t)));
            let first = found.find(|(_, _, inside)| inside.iter().all(|v| !map.contains_key(v)));
            if let Some((x, t, inside)) = first {
                mentioned.extend(inside);
                map.insert(x, t);
            }
        }
        map
    }

    /// Does a variable occur in a term?
    fn occurs(&self, x: Term, t: Term) -> bool {
        // Arguments are older than what is built from them, so nothing older than `x` contains it.
        if t <= x {
            return t == x;
        }
        let mut seen = FxHashSet::default();
        let mut work = vec![t];
        while let Some(t) = work.pop() {
            if self.args(t).contains(&x) {
                return true;
            }
            work.extend(self.args(t).iter().copied().filter(|&a| a > x && seen.insert(a)));
        }
        false
    }
}

impl BvSum {
    /// `a - b`, if it is short.
    fn difference(pool: &TermPool, width: u32, a: Term, b: Term) -> Option<BvSum> {
        BvSum::of(pool, width, &[(Integer::one(), a), (-Integer::one(), b)])
    }

    /// For every wanted term with an odd coefficient: what it is when the sum is zero.
    fn roots(&self, pool: &TermPool, wanted: impl Fn(Term) -> bool) -> impl Iterator<Item = (Term, Term)> {
        let odd = self.terms().filter(move |(x, k)| wanted(*x) && k.bit(0));
        odd.map(|(x, k)| (x, self.without(x).scaled(&-odd_inverse(k, self.width())).term(pool)))
    }
}

/// The inverse of an odd number modulo `2^width`, by Newton's iteration: every round doubles the bits that
/// are right.
fn odd_inverse(k: &Integer, width: u32) -> Integer {
    let modulus = Integer::one() << width;
    let mut inverse = k.clone(); // right in the lowest three bits
    let mut bits = 3;
    while bits < width {
        inverse = &inverse * (2 - k * &inverse) % &modulus;
        bits *= 2;
    }
    inverse
}

#[cfg(test)]
mod tests {
    use crate::{Assignment, Integer, Rational, Sort, Term, TermPool, Value};

    use super::odd_inverse;

    const ANY: fn(Term) -> bool = |_| true;

    /// `k * t` over the integers or the rationals.
    fn times(p: &TermPool, k: i64, t: Term) -> Term {
        p.scale(&Rational::from_integer(k.into()), t)
    }

    #[test]
    fn every_odd_number_has_its_inverse() {
        for width in 1..=11_u32 {
            for k in (1..1_u64 << width).step_by(2) {
                let product = Integer::from(k) * odd_inverse(&k.into(), width);
                assert_eq!((product - 1_u64) % (1_u64 << width), Integer::ZERO, "{k} modulo 2^{width}");
            }
        }
    }

    /// Every definition of a bit-vector equation is equivalent to it, and free of its variable: all values
    /// are tried.
    #[test]
    fn bit_vector_definitions_are_the_equation() {
        const WIDTH: u32 = 3;
        let p = TermPool::new();
        let vars = ["x", "y", "z"].map(|n| p.var(n, Sort::BitVec(WIDTH)));
        let [x, y, z] = vars;
        let c = |v: u64| p.bitvec(v, WIDTH);
        let mut solved = 0;
        for (k, m) in (0..8).flat_map(|k| (0..8).map(move |m| (k, m))) {
            let left = p.bv_add(p.bv_mul(c(k), x), p.bv_add(p.bv_mul(c(m), y), c(k + m)));
            for right in [z, c(5), p.bv_sub(z, x), p.bv_mul(x, y), p.bv_mul(c(3), z)] {
                let equation = p.eq(left, right);
                let found = p.definitions(equation, ANY);
                let product = right == p.bv_mul(x, y);
                // `x` and `y` go when their coefficient is odd; the subtraction adds one to that of `x`.
                let of_x = if right == p.bv_sub(z, x) { k + 1 } else { k };
                let expected = |v: Term| {
                    let odd = if v == x { of_x % 2 == 1 } else { m % 2 == 1 };
                    odd && !product && p.as_bool(equation).is_none()
                };
                for v in [x, y] {
                    assert_eq!(found.iter().any(|d| d.0 == v), expected(v), "{}", p.infix(equation));
                }
                solved += found.len();
                for (v, t) in found {
                    assert!(!p.free_vars(t).contains(&v));
                    let defined = p.eq(v, t);
                    for values in 0..512_u64 {
                        let at = |i: u32| Value::BitVec(WIDTH, ((values >> (3 * i)) & 7).into());
                        let model: Assignment = vars.into_iter().zip((0..3).map(at)).collect();
                        assert_eq!(
                            p.holds(equation, &model),
                            p.holds(defined, &model),
                            "{}",
                            p.infix(equation)
                        );
                    }
                }
            }
        }
        assert!(solved > 300, "{solved}");
    }

    #[test]
    fn integers_are_divided_by_units_and_rationals_by_anything() {
        let p = TermPool::new();
        let solve = |sort: Sort| {
            let [x, y] = ["x", "y"].map(|n| p.var(n, sort.clone()));
            let two = p.number(Rational::from_integer(2.into()), &sort);
            p.definitions(p.eq(p.add2(times(&p, 3, x), two), y), ANY)
        };
        let [x, y] = ["x", "y"].map(|n| p.var(n, Sort::Int));
        assert_eq!(solve(Sort::Int), [(y, p.add2(times(&p, 3, x), p.int(2)))]);
        let [x, y] = ["x", "y"].map(|n| p.var(n, Sort::Real));
        let third = Rational::new(1.into(), 3.into());
        let x_is = p.sub(p.scale(&third, y), p.real(Rational::new(2.into(), 3.into())));
        assert_eq!(
            solve(Sort::Real),
            [(x, x_is), (y, p.add2(times(&p, 3, x), p.real(Rational::from_integer(2.into()))))]
        );
    }

    #[test]
    fn booleans_are_defined_by_literals_and_both_signs_of_an_equality() {
        let p = TermPool::new();
        let [a, b] = ["a", "b"].map(|n| p.var(n, Sort::Bool));
        assert_eq!(p.definitions(a, ANY), [(a, p.tru())]);
        assert_eq!(p.definitions(p.not(a), ANY), [(a, p.fls())]);
        let differ = p.not(p.eq(a, b));
        assert_eq!(p.definitions(differ, ANY), [(a, p.not(b)), (b, p.not(a))]);
        assert_eq!(p.definitions(differ, |t| t == b), [(b, p.not(a))]);
        let both = p.and([a, b]);
        assert_eq!(p.definitions(p.eq(a, both), |t| t == a), []);
    }

    #[test]
    fn arrays_are_defined_as_wholes() {
        let p = TermPool::new();
        let sort = Sort::array(Sort::Int, Sort::Int);
        let [a, b] = ["a", "b"].map(|n| p.var(n, sort.clone()));
        let written = p.store(b, p.int(0), p.int(1));
        assert_eq!(p.definitions(p.eq(a, written), ANY), [(a, written)]);
        assert_eq!(p.definitions(p.eq(b, written), ANY), []);
        assert_eq!(p.definitions(p.not(p.eq(a, b)), ANY), []);
    }

    /// A variable inside an opaque part of the equation is not defined by it.
    #[test]
    fn nothing_is_defined_by_itself() {
        let p = TermPool::new();
        let [x, y] = ["x", "y"].map(|n| p.var(n, Sort::Int));
        let rest = p.int_mod(p.add2(x, y), p.int(3));
        assert_eq!(p.definitions(p.eq(x, rest), ANY), []);
        let z = p.var("z", Sort::Int);
        assert_eq!(p.definitions(p.eq(p.add2(x, z), rest), ANY), [(z, p.sub(rest, x))]);
        let v = p.var("v", Sort::BitVec(8));
        assert_eq!(p.definitions(p.eq(v, p.bv_mul(v, v)), ANY), []);
    }

    /// What is applied together does not mention each other; the earlier equation wins, and a later one takes
    /// another of its variables.
    #[test]
    fn definitions_applied_together_are_independent() {
        let p = TermPool::new();
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|n| p.var(n, Sort::Int));
        let one = p.int(1);
        let facts = [p.eq(a, p.add2(b, one)), p.eq(b, times(&p, 2, c)), p.eq(a, p.sub(c, d))];
        let map = p.independent_definitions(facts, ANY);
        // The second equation defines neither `b` (mentioned) nor `c` (coefficient 2); the third mentions
        // `a`.
        assert_eq!(map.into_iter().collect::<Vec<_>>(), [(a, p.add2(b, one))]);
        let map = p.independent_definitions(facts, |t| t == b || t == d);
        let mut found: Vec<_> = map.into_iter().collect();
        found.sort_unstable();
        assert_eq!(found, [(b, p.sub(a, one)), (d, p.sub(c, a))]);
    }
}
