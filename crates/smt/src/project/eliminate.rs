//! Model-based projection of a cube of terms.
//!
//! Three steps, each of which keeps the model and only strengthens what is left to eliminate:
//! - **equalities are solved**: a variable that linear arithmetic cannot eliminate (a bit-vector, an array, a
//!   number inside such a term) and that a literal defines is replaced by its definition;
//! - **values**: what remains of these variables is replaced by its value in the model;
//! - **linear arithmetic**: all the rest goes to [`palisade_arith::mbp`]. A quotient or remainder by a
//!   constant is linear once the model has fixed the residue, which joins the cube as a divisibility
//!   constraint.
//!
//! Entry point: [`project`].

use std::cell::RefCell;

use num_traits::{One, Zero};
use palisade_arith::mbp::{self, LinCon, Rel};
use palisade_arith::{Int, Var};
use palisade_term::eval::Evaluator;
use palisade_term::{Assignment, Integer, Linear, Mentions, Op, Rational, Sort, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

/// Eliminates `vars` from a cube that holds in the model. The result holds in the model and implies `exists
/// vars. cube`.
pub fn project(pool: &TermPool, cube: Vec<Term>, model: &Assignment, vars: &[Term]) -> Vec<Term> {
    let mut out = Vec::with_capacity(cube.len());
    let eliminated: FxHashSet<Term> = vars.iter().copied().collect();
    let mentions = RefCell::new(Mentions::new(pool, vars.iter().copied()));
    let mentions = |t: Term| mentions.borrow_mut().any_in(t);
    let mut cube: Vec<Term> = (cube.into_iter())
        .filter(|&l| {
            let stays = !mentions(l);
            if stays {
                out.push(l);
            }
            !stays
        })
        .collect();
    let hard = |cube: &[Term]| -> Vec<Term> {
        let mut hard = Vec::new();
        cube.iter().for_each(|&l| outside_arithmetic(pool, l, &eliminated, &mut hard));
        hard.sort_unstable();
        hard.dedup();
        hard
    };
    solve_equalities(pool, &mut cube, &hard);
    let by_value: FxHashMap<Term, Term> =
        hard(&cube).into_iter().map(|v| (v, pool.eval(v, model).to_term(pool))).collect();
    if !by_value.is_empty() {
        cube = cube.into_iter().map(|l| pool.substitute(l, &by_value)).collect();
    }
    let mut arithmetic = Arithmetic {
        pool,
        ev: Evaluator::new(pool, model),
        terms: Vec::new(),
        numbers: FxHashMap::default(),
    };
    let mut cons = Vec::new();
    for l in cube {
        if mentions(l) {
            arithmetic.constraint(l, &mentions, &mut cons);
        } else {
            out.push(l);
        }
    }
    out.extend(arithmetic.project(&cons, &eliminated));
    out.retain(|&l| l != pool.tru());
    out.sort_unstable();
    out.dedup();
    debug_assert!(out.iter().all(|&l| pool.holds(l, model)), "a projection holds in its model");
    debug_assert!(!out.iter().any(|&l| mentions(l)), "a projection is free of the variables");
    out
}

/// The sides of a linear literal: is it negated, its atom's operator, and `left - right`.
fn linear_literal(pool: &TermPool, lit: Term) -> Option<(bool, &Op, Linear)> {
    let (negated, atom) = pool.strip_not(lit);
    let op = pool.op(atom);
    let args = pool.args(atom);
    match op {
        Op::Le | Op::Lt => {}
        Op::Eq if pool.sort(args[0]).is_arith() => {}
        _ => return None,
    }
    Some((negated, op, pool.linear(args[0]).minus(&pool.linear(args[1]))))
}

/// The constant divisor of a quotient or remainder.
fn divisor(pool: &TermPool, t: Term) -> Option<Integer> {
    if !matches!(pool.op(t), Op::IntDiv | Op::Mod) {
        return None;
    }
    let k = pool.as_number(pool.args(t)[1])?.to_integer();
    (!k.is_zero()).then_some(k)
}

/// Collects the eliminated variables of a literal that occur where linear arithmetic does not reach.
fn outside_arithmetic(pool: &TermPool, lit: Term, eliminated: &FxHashSet<Term>, out: &mut Vec<Term>) {
    let all_of = |t: Term, out: &mut Vec<Term>| {
        out.extend(pool.free_vars(t).into_iter().filter(|v| eliminated.contains(v)));
    };
    let Some((_, _, expr)) = linear_literal(pool, lit) else { return all_of(lit, out) };
    let mut work: Vec<Term> = expr.coeffs.into_iter().map(|(t, _)| t).collect();
    while let Some(t) = work.pop() {
        if divisor(pool, t).is_some() {
            work.extend(pool.linear(pool.args(t)[0]).coeffs.into_iter().map(|(u, _)| u));
        } else if !pool.is_var(t) {
            all_of(t, out);
        }
    }
}

/// Replaces variables that arithmetic cannot eliminate by what an equality of the cube says they are.
fn solve_equalities(pool: &TermPool, cube: &mut Vec<Term>, hard: &dyn Fn(&[Term]) -> Vec<Term>) {
    loop {
        let wanted: FxHashSet<Term> = hard(cube).into_iter().collect();
        if wanted.is_empty() {
            return;
        }
        let map = pool.independent_definitions(cube.iter().copied(), |v| wanted.contains(&v));
        if map.is_empty() {
            return;
        }
        *cube = cube.iter().map(|&l| pool.substitute(l, &map)).filter(|&l| l != pool.tru()).collect();
    }
}

/// The translation between terms and the constraints of [`mbp`].
struct Arithmetic<'p, 'm> {
    pool: &'p TermPool,
    ev: Evaluator<'p, 'm>,
    /// The term of each variable.
    terms: Vec<Term>,
    numbers: FxHashMap<Term, Var>,
}

impl Arithmetic<'_, '_> {
    fn var(&mut self, t: Term) -> Var {
        *self.numbers.entry(t).or_insert_with(|| {
            self.terms.push(t);
            Var(u32::try_from(self.terms.len() - 1).expect("fewer than 2^32 terms"))
        })
    }

    /// The constraints of a literal that is linear up to quotients and remainders.
    fn constraint(&mut self, lit: Term, mentions: &dyn Fn(Term) -> bool, cons: &mut Vec<LinCon>) {
        let (negated, op, expr) =
            linear_literal(self.pool, lit).expect("what is not linear was replaced by values");
        if let (Op::Eq, Some(con)) = (op, self.residue(negated, &expr)) {
            return cons.push(con);
        }
        let expr = self.without_division(expr, mentions, cons);
        // not (e <= 0) is -e < 0, not (e < 0) is -e <= 0.
        let sign = if negated && *op != Op::Eq { -Rational::one() } else { Rational::one() };
        let rel = match (op, negated) {
            (Op::Eq, false) => Rel::Eq,
            (Op::Eq, true) => Rel::Ne,
            (Op::Le, false) | (Op::Lt, true) => Rel::Le,
            _ => Rel::Lt,
        };
        let con = self.con(&expr.scaled(&sign), rel);
        cons.push(con);
    }

    /// `t mod k = r`, or its negation, as a divisibility constraint.
    fn residue(&mut self, negated: bool, expr: &Linear) -> Option<LinCon> {
        let [(t, c)] = expr.coeffs.as_slice() else { return None };
        if *self.pool.op(*t) != Op::Mod {
            return None;
        }
        let k = divisor(self.pool, *t)?;
        let r = -(&expr.constant / c);
        if !r.is_integer() || r.is_negative() || r >= Rational::from_integer(k.magnitude().clone().into()) {
            return None;
        }
        let mut inner = self.pool.linear(self.pool.args(*t)[0]);
        let linear = inner.coeffs.iter().all(|(u, c)| self.pool.is_var(*u) && c.is_integer());
        if !linear || !inner.constant.is_integer() {
            return None;
        }
        inner.constant -= r;
        let k = Int::from(k);
        Some(self.con(&inner, if negated { Rel::NotDivides(k) } else { Rel::Divides(k) }))
    }

    /// Fixes the residues of quotients and remainders that mention an eliminated variable: `t div k` is then
    /// `(t - r) / k`.
    fn without_division(
        &mut self,
        mut expr: Linear,
        mentions: &dyn Fn(Term) -> bool,
        cons: &mut Vec<LinCon>,
    ) -> Linear {
        loop {
            let found = expr.coeffs.iter().find(|(t, _)| !self.pool.is_var(*t) && mentions(*t)).cloned();
            let Some((t, c)) = found else { return expr };
            let k = divisor(self.pool, t).expect("other terms were replaced by values");
            let (inner, k) = (self.pool.args(t)[0], Rational::from_integer(k));
            let remainder =
                if *self.pool.op(t) == Op::Mod { t } else { self.pool.int_mod(inner, self.pool.args(t)[1]) };
            let r = self.ev.eval(remainder).as_rational().expect("a number");
            let mut exact = self.pool.linear(inner);
            exact.constant -= &r;
            expr.coeffs.retain(|(u, _)| *u != t);
            if *self.pool.op(t) == Op::Mod {
                expr.constant += &c * &r;
            } else {
                expr = expr.add_scaled(&(&c / &k), &exact);
            }
            let exact = self.without_division(exact, mentions, cons);
            // Scaling to whole coefficients scales the divisor with them.
            let scale = scale_of(&exact);
            let modulus = Int::from((&scale * &k).to_integer());
            let con = self.con(&exact, Rel::Divides(modulus));
            cons.push(con);
        }
    }

    /// `expr rel 0` with whole coefficients.
    fn con(&mut self, expr: &Linear, rel: Rel) -> LinCon {
        let scale = scale_of(expr);
        let whole = |c: &Rational| (c * &scale).num();
        let coeffs = expr.coeffs.iter().map(|(t, c)| (self.var(*t), whole(c))).collect();
        LinCon::new(coeffs, rel, -whole(&expr.constant))
    }

    /// Eliminates and translates back.
    fn project(&mut self, cons: &[LinCon], eliminated: &FxHashSet<Term>) -> Vec<Term> {
        let pool = self.pool;
        let values: Vec<Rational> =
            self.terms.iter().map(|&t| self.ev.eval(t).as_rational().expect("a number")).collect();
        let is_int: Vec<bool> = self.terms.iter().map(|&t| *pool.sort(t) == Sort::Int).collect();
        let vars: Vec<Var> = (self.terms.iter().enumerate())
            .filter(|(_, t)| eliminated.contains(*t))
            .map(|(i, _)| Var(u32::try_from(i).expect("made from one")))
            .collect();
        let projected = mbp::project(cons, &|v| values[v.index()].clone(), &|v| is_int[v.index()], &vars)
            .expect("the cube holds in the model");
        projected.iter().map(|con| self.literal(con)).collect()
    }

    fn literal(&self, con: &LinCon) -> Term {
        let pool = self.pool;
        let number = |i: &Int| Rational::from(i);
        let mut coeffs: Vec<(Term, Rational)> =
            con.coeffs.iter().map(|(v, c)| (self.terms[v.index()], number(c))).collect();
        coeffs.sort_unstable_by_key(|(t, _)| *t);
        let sort = coeffs.first().map_or(Sort::Int, |(t, _)| pool.sort(*t).clone());
        let expr = Linear { coeffs, constant: -number(&con.rhs) };
        let residue = |k: &Int| {
            let left = pool.from_linear(&Linear { constant: Rational::zero(), ..expr.clone() }, &sort);
            let modulus = k.abs();
            let r = con.rhs.mod_floor(&modulus);
            pool.eq(pool.int_mod(left, pool.int(modulus.to_big())), pool.int(r.to_big()))
        };
        match &con.rel {
            Rel::Eq => pool.linear_eq(expr, &sort),
            Rel::Ne => pool.not(pool.linear_eq(expr, &sort)),
            Rel::Le => pool.linear_le(expr, &sort),
            Rel::Lt => pool.linear_lt(expr, &sort),
            Rel::Divides(k) => residue(k),
            Rel::NotDivides(k) => pool.not(residue(k)),
        }
    }
}

/// The positive factor that makes coefficients and constant whole.
fn scale_of(expr: &Linear) -> Rational {
    let mut scale = Integer::one();
    for c in expr.coeffs.iter().map(|(_, c)| c).chain([&expr.constant]) {
        if !c.is_integer() {
            scale = num_integer::Integer::lcm(&scale, &c.denom());
        }
    }
    Rational::from_integer(scale)
}
