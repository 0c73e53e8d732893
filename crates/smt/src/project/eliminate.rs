//! Model-based projection: eliminates variables from a cube under the guidance of a model.
//!
//! Linear arithmetic follows Loos and Weispfenning over the rationals and Cooper over the integers, with the model choosing the one disjunct
//! to keep: an equality is solved for the variable; otherwise the variable is set to its greatest lower (or least upper) bound. Everything else
//! (Booleans, bit-vectors, arrays, variables under nonlinear or modular terms) is replaced by its value in the model.

use num_integer::Integer as _;
use num_traits::{One, Signed, Zero};
use palisade_term::eval::Evaluator;
use palisade_term::{Assignment, Integer, Linear, Op, Rational, Sort, Term, TermPool, Value};
use rustc_hash::FxHashMap;

/// How a literal constrains the variable.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rel {
    /// `expr <= 0`
    Le,
    /// `expr < 0`
    Lt,
    /// `expr = 0`
    Eq,
}

/// A literal over the variable, as a linear constraint; the coefficient of the variable is not zero.
struct Con {
    expr: Linear,
    rel: Rel,
}

/// Eliminates `vars` from a cube that holds in the model. The result holds in the model and implies `exists vars. cube`.
pub fn project(pool: &TermPool, mut cube: Vec<Term>, model: &Assignment, vars: &[Term]) -> Vec<Term> {
    let mut left: Vec<Term> = vars.to_vec();
    // Variables solved by a unit equality first: they cost nothing and may free others.
    while !left.is_empty() {
        let occurring = occurring(pool, &cube, &left);
        left.retain(|v| occurring.contains_key(v));
        let Some(&v) = left.iter().min_by_key(|v| {
            let n = occurring[*v];
            let unit = cube.iter().any(|&l| is_unit_equality(pool, l, **v));
            (!unit, n, **v)
        }) else {
            break;
        };
        cube = eliminate_one(pool, cube, model, v);
        left.retain(|&u| u != v);
    }
    cube.retain(|&l| l != pool.tru());
    cube.sort_unstable();
    cube.dedup();
    debug_assert!(cube.iter().all(|&l| pool.holds(l, model)), "a projection holds in its model");
    cube
}

/// In how many literals each variable occurs.
fn occurring(pool: &TermPool, cube: &[Term], vars: &[Term]) -> FxHashMap<Term, usize> {
    let wanted: rustc_hash::FxHashSet<Term> = vars.iter().copied().collect();
    let mut out = FxHashMap::default();
    for &l in cube {
        pool.visit([l], |t| {
            if wanted.contains(&t) {
                *out.entry(t).or_insert(0) += 1;
            }
        });
    }
    out
}

fn is_unit_equality(pool: &TermPool, lit: Term, v: Term) -> bool {
    *pool.op(lit) == Op::Eq && pool.sort(pool.args(lit)[0]).is_arith() && {
        let c = pool.linear(pool.args(lit)[0]).coeff(v);
        c.abs().is_one()
    }
}

fn eliminate_one(pool: &TermPool, cube: Vec<Term>, model: &Assignment, v: Term) -> Vec<Term> {
    let mut rest = Vec::new();
    let mut cons: Vec<Con> = Vec::new();
    let mut linear = pool.sort(v).is_arith();
    for &l in &cube {
        if !linear {
            break;
        }
        match constraint(pool, l, v) {
            Occurs::No => rest.push(l),
            Occurs::Linear(c) => cons.push(c),
            Occurs::Otherwise => linear = false,
        }
    }
    if !linear {
        return by_value(pool, cube, model, v);
    }
    let sort = pool.sort(v).clone();
    let integer = sort == Sort::Int;
    let solved = solve(&cons, pool, model, v, integer);
    let Some(Solution { coeff, value, strict_above, divisible }) = solved else {
        return rest; // bounded on one side only
    };
    // coeff * v = value (plus an infinitesimal when strict_above): substitute in every constraint, scaled by coeff > 0.
    for c in &cons {
        let k = c.expr.coeff(v);
        let others = without(&c.expr, v);
        let new = others.scaled(&coeff).add_scaled(&k, &value);
        // k*(value + eps)/coeff + others: with eps > 0 and k > 0 the inequality becomes strict, with k < 0 it loosens.
        let t = match c.rel {
            Rel::Eq => pool.linear_eq(new, &sort),
            Rel::Le if strict_above && k.is_positive() => pool.linear_lt(new, &sort),
            Rel::Lt if strict_above && k.is_negative() => pool.linear_le(new, &sort),
            Rel::Le => pool.linear_le(new, &sort),
            Rel::Lt => pool.linear_lt(new, &sort),
        };
        rest.push(t);
    }
    if divisible {
        let t = pool.from_linear(&value, &sort);
        rest.push(pool.eq(pool.int_mod(t, pool.int(coeff.to_integer())), pool.int(0)));
    }
    rest
}

/// `coeff * v = value`, `coeff > 0`.
struct Solution {
    coeff: Rational,
    value: Linear,
    /// `v` is infinitesimally above `value / coeff` (a strict greatest lower bound over the rationals).
    strict_above: bool,
    /// `coeff` must divide `value`.
    divisible: bool,
}

/// The virtual value of `v` that the model suggests; `None` when constraints bound it on one side only.
fn solve(cons: &[Con], pool: &TermPool, model: &Assignment, v: Term, integer: bool) -> Option<Solution> {
    let best_eq = cons.iter().filter(|c| c.rel == Rel::Eq).min_by(|a, b| {
        a.expr.coeff(v).abs().cmp(&b.expr.coeff(v).abs()).then(a.expr.coeffs.len().cmp(&b.expr.coeffs.len()))
    });
    if let Some(c) = best_eq {
        // k*v + t = 0
        let k = c.expr.coeff(v);
        let sign = if k.is_positive() { -Rational::one() } else { Rational::one() };
        let value = without(&c.expr, v).scaled(&sign);
        let coeff = k.abs();
        let divisible = integer && !coeff.is_one();
        return Some(Solution { coeff, value, strict_above: false, divisible });
    }
    let lower: Vec<&Con> = cons.iter().filter(|c| c.expr.coeff(v).is_negative()).collect();
    let upper: Vec<&Con> = cons.iter().filter(|c| c.expr.coeff(v).is_positive()).collect();
    if lower.is_empty() || upper.is_empty() {
        return None;
    }
    let mut ev = Evaluator::new(pool, model);
    // The value of the bound -t/k that a constraint k*v + t <= 0 puts on v.
    let mut bound = |c: &Con| {
        let k = c.expr.coeff(v);
        let t = without(&c.expr, v);
        let mut sum = t.constant.clone();
        for (x, d) in &t.coeffs {
            sum += d * number(&ev.eval(*x));
        }
        -(sum / k)
    };
    let use_lower = lower.len() <= upper.len() || !integer;
    let side = if use_lower { &lower } else { &upper };
    let mut best: Option<(Rational, &Con)> = None;
    for &c in side {
        let b = bound(c);
        let better = match &best {
            None => true,
            Some((x, d)) => {
                let tighter = if use_lower { b > *x } else { b < *x };
                tighter || (b == *x && c.rel == Rel::Lt && d.rel == Rel::Le)
            }
        };
        if better {
            best = Some((b, c));
        }
    }
    let (b, c) = best.expect("the side is not empty");
    let k = c.expr.coeff(v);
    let coeff = k.abs();
    // lower: k < 0: |k| v >= t; upper: k > 0: k v <= -t.
    let mut value = without(&c.expr, v);
    if !use_lower {
        value = value.scaled(&-Rational::one());
    }
    if !integer {
        return Some(Solution { coeff, value, strict_above: c.rel == Rel::Lt, divisible: false });
    }
    if coeff.is_one() {
        return Some(Solution { coeff, value, strict_above: false, divisible: false });
    }
    // coeff * v = value + d with the smallest |d| that makes it divisible in the model.
    let a = coeff.to_integer();
    let at: Integer = (b * &coeff).to_integer();
    let d = if use_lower { (-&at).mod_floor(&a) } else { -at.mod_floor(&a) };
    value.constant += Rational::from_integer(d);
    Some(Solution { coeff, value, strict_above: false, divisible: true })
}

fn number(v: &Value) -> Rational {
    v.as_rational().expect("a number")
}

fn without(l: &Linear, v: Term) -> Linear {
    Linear {
        coeffs: l.coeffs.iter().filter(|(t, _)| *t != v).cloned().collect(),
        constant: l.constant.clone(),
    }
}

enum Occurs {
    No,
    Linear(Con),
    Otherwise,
}

/// How `v` occurs in a literal.
fn constraint(pool: &TermPool, lit: Term, v: Term) -> Occurs {
    let mut occurs = false;
    pool.visit([lit], |t| occurs |= t == v);
    if !occurs {
        return Occurs::No;
    }
    let (negated, atom) = pool.strip_not(lit);
    let args = pool.args(atom);
    let rel = match (pool.op(atom), negated) {
        (Op::Le, _) => Rel::Le,
        (Op::Lt, _) => Rel::Lt,
        (Op::Eq, false) if pool.sort(args[0]).is_arith() => Rel::Eq,
        _ => return Occurs::Otherwise,
    };
    let mut expr = pool.linear(args[0]).minus(&pool.linear(args[1]));
    // v must not occur inside another (nonlinear, modular, ...) term of the sum.
    for (t, _) in &expr.coeffs {
        if *t != v {
            let mut inside = false;
            pool.visit([*t], |u| inside |= u == v);
            if inside {
                return Occurs::Otherwise;
            }
        }
    }
    let rel = match (rel, negated) {
        (r, false) => r,
        (Rel::Le, true) if *pool.sort(v) == Sort::Int => {
            expr = expr.scaled(&-Rational::one());
            expr.constant += Rational::one();
            Rel::Le
        }
        (r, true) => {
            expr = expr.scaled(&-Rational::one());
            if r == Rel::Le { Rel::Lt } else { Rel::Le }
        }
    };
    debug_assert!(!expr.coeff(v).is_zero());
    Occurs::Linear(Con { expr, rel })
}

/// Replaces a variable by its value in the model.
fn by_value(pool: &TermPool, cube: Vec<Term>, model: &Assignment, v: Term) -> Vec<Term> {
    let value = pool.eval(v, model).to_term(pool);
    let map: FxHashMap<Term, Term> = [(v, value)].into_iter().collect();
    cube.into_iter().map(|l| pool.substitute(l, &map)).collect()
}
