//! Brings a formula into the shape that test points need: `v` occurs in atoms only linearly.
//!
//! - `ite` terms that mention `v` are lifted out of the atoms;
//! - reads of a written array become a case distinction, reads of an array variable become its elements;
//! - `div` and `mod` by constants disappear when `v` is written as `m * quotient + remainder`: for each
//!   remainder in turn when `m` is small, with the remainder as another quantified variable otherwise.

use num_traits::{Signed, ToPrimitive};
use palisade_term::{Integer, Op, Rational, Sort, Term};
use rustc_hash::FxHashMap;

use super::Eliminator;

/// Moduli whose least common multiple is at most this are handled remainder by remainder.
const SMALL_MODULUS: u32 = 16;

/// Rounds of lifting before giving up.
const MAX_ROUNDS: usize = 64;

/// A formula equivalent to the given one under the quantifiers.
pub(super) struct Lifted {
    pub formula: Term,
    /// The variable that is to be eliminated now.
    pub variable: Term,
    /// Universally quantified variables that were introduced and are to be eliminated later.
    pub others: Vec<Term>,
}

impl Eliminator<'_> {
    /// Prepares `f` for the elimination of `v`.
    pub(super) fn lift(&mut self, f: Term) -> Result<Lifted, String> {
        let formula = self.lift_ites(f)?;
        if let Sort::Array(parts) = self.pool.sort(self.v) {
            let element = parts.1.clone();
            return self.elements(formula, &element);
        }
        if *self.pool.sort(self.v) == Sort::Int {
            return self.remove_quotients(formula);
        }
        Ok(Lifted { formula, variable: self.v, others: Vec::new() })
    }

    /// Moves `ite` terms that mention the variable out of the atoms.
    fn lift_ites(&mut self, f: Term) -> Result<Term, String> {
        let pool = self.pool;
        let mut f = f;
        for _ in 0..MAX_ROUNDS {
            let mut cases: FxHashMap<Term, Term> = FxHashMap::default();
            for atom in pool.atoms(f) {
                if !self.has(atom) {
                    continue;
                }
                if self.looks == 0 {
                    return Err(self.too_many_cases());
                }
                let Some((inner, condition, a, b)) = self.conditional(atom) else { continue };
                let branch = |t: Term| pool.substitute(atom, &FxHashMap::from_iter([(inner, t)]));
                cases.insert(atom, pool.ite(condition, branch(a), branch(b)));
            }
            if cases.is_empty() {
                return Ok(f);
            }
            // Atoms inside the condition of another atom's ite are replaced when they have come to the
            // surface.
            f = pool.substitute(f, &cases);
            if pool.len() > self.end {
                break;
            }
        }
        Err(self.too_many_cases())
    }

    fn too_many_cases(&self) -> String {
        format!("input {} occurs in too many conditional terms", self.pool.infix(self.v))
    }

    /// A term inside the atom that stands for a case distinction and mentions the variable: the term, the
    /// condition and the two cases.
    fn conditional(&mut self, atom: Term) -> Option<(Term, Term, Term, Term)> {
        let pool = self.pool;
        let mut inside = Vec::new();
        pool.visit([atom], |t| inside.push(t));
        self.looks = self.looks.saturating_sub(inside.len());
        for t in inside {
            let args = pool.args(t);
            match pool.op(t) {
                Op::Ite if *pool.sort(t) != Sort::Bool && self.has(t) => {
                    return Some((t, args[0], args[1], args[2]));
                }
                Op::Select if *pool.op(args[0]) == Op::Store && self.has(t) => {
                    let store = pool.args(args[0]);
                    let below = pool.select(store[0], args[1]);
                    return Some((t, pool.eq(store[1], args[1]), store[2], below));
                }
                _ => {}
            }
        }
        None
    }

    /// Replaces the reads of the array variable by elements: equal indices have equal elements.
    fn elements(&mut self, f: Term, element: &Sort) -> Result<Lifted, String> {
        let pool = self.pool;
        let mut reads = Vec::new();
        let v = self.v;
        pool.visit([f], |t| {
            if *pool.op(t) == Op::Select && pool.args(t)[0] == v {
                reads.push(t);
            }
        });
        if reads.is_empty() || reads.iter().any(|&r| self.has(pool.args(r)[1])) {
            // Compared as a whole, or an index depends on it: only the one-point rule can help.
            return Ok(Lifted { formula: f, variable: v, others: Vec::new() });
        }
        let fresh: Vec<Term> = reads.iter().map(|_| pool.fresh_var("element", element.clone())).collect();
        let map: FxHashMap<Term, Term> = reads.iter().copied().zip(fresh.iter().copied()).collect();
        let mut parts = vec![pool.substitute(f, &map)];
        for (i, (&r, &x)) in reads.iter().zip(&fresh).enumerate() {
            for (&s, &y) in reads[..i].iter().zip(&fresh) {
                let same = pool.eq(pool.args(r)[1], pool.args(s)[1]);
                parts.push(pool.and2(same, pool.not(pool.eq(x, y))));
            }
        }
        Ok(Lifted { formula: pool.or(parts), variable: v, others: fresh })
    }

    /// Removes `div` and `mod` by constants over the variable, which is an integer.
    fn remove_quotients(&mut self, f: Term) -> Result<Lifted, String> {
        let pool = self.pool;
        let (mut formula, mut others) = (f, Vec::new());
        for _ in 0..MAX_ROUNDS {
            let quotients = self.quotients(formula);
            if quotients.is_empty() {
                return Ok(Lifted { formula, variable: self.v, others });
            }
            let lcm = quotients.iter().fold(Integer::from(1), |l, (_, m)| num_integer::Integer::lcm(&l, m));
            let quotient = pool.fresh_var("quotient", Sort::Int);
            let mut next = quotient;
            formula = if let Some(m) = lcm.to_u32().filter(|m| *m <= SMALL_MODULUS) {
                // v = m * quotient + r, for each r; the builders then reduce div and mod of it.
                let instance =
                    |r: u32| pool.add2(pool.scale(&Rational::from_integer(m.into()), quotient), pool.int(r));
                let cases =
                    (0..m).map(|r| pool.substitute(formula, &FxHashMap::from_iter([(self.v, instance(r))])));
                pool.and(cases)
            } else {
                let r = pool.fresh_var("remainder", Sort::Int);
                // The remainder goes first: its coefficients are units.
                others.push(quotient);
                next = r;
                self.change_variable(formula, &quotients, quotient, r)?
            };
            self.replace_variable(next);
            if pool.len() > self.end {
                break;
            }
        }
        Err(format!("input {} occurs in too many quotients", pool.infix(self.v)))
    }

    /// The dividends and moduli of `div` and `mod` terms that mention the variable, innermost first.
    fn quotients(&mut self, f: Term) -> Vec<(Term, Integer)> {
        let pool = self.pool;
        let mut found = Vec::new();
        pool.visit([f], |t| {
            if matches!(pool.op(t), Op::IntDiv | Op::Mod)
                && let Op::Int(m) = pool.op(pool.args(t)[1])
                && m.is_positive()
            {
                found.push((pool.args(t)[0], m.clone()));
            }
        });
        found.retain(|(u, _)| self.has(*u));
        found
    }

    /// For a dividend `u = v + t` (or `-v + t`): `v` is written so that `u = m * quotient + remainder`, under
    /// `0 <= remainder < m`.
    fn change_variable(
        &mut self,
        f: Term,
        quotients: &[(Term, Integer)],
        quotient: Term,
        remainder: Term,
    ) -> Result<Term, String> {
        let pool = self.pool;
        for (u, m) in quotients {
            let mut rest = pool.linear(*u);
            let Some(i) = rest.coeffs.iter().position(|(t, _)| *t == self.v) else { continue };
            let (_, k) = rest.coeffs.remove(i);
            let unit = k.abs() == Rational::from_integer(1.into());
            if !unit || rest.coeffs.iter().any(|(t, _)| self.has(*t)) {
                continue;
            }
            let whole = pool.add2(pool.scale(&Rational::from_integer(m.clone()), quotient), remainder);
            let modulus = pool.int(m.clone());
            let named = FxHashMap::from_iter([
                (pool.int_div(*u, modulus), quotient),
                (pool.int_mod(*u, modulus), remainder),
            ]);
            let value = pool.scale(&k, pool.sub(whole, pool.from_linear(&rest, &Sort::Int)));
            let f = pool.substitute(pool.substitute(f, &named), &FxHashMap::from_iter([(self.v, value)]));
            let range = pool.and2(pool.ge(remainder, pool.int(0)), pool.lt(remainder, modulus));
            return Ok(pool.implies(range, f));
        }
        Err(format!("input {} occurs in a quotient that is not linear in it", pool.infix(self.v)))
    }
}
