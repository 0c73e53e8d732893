//! Products of non-constants by instances of axioms on demand: sound, and complete where luck or bounds
//! allow.
//!
//! A product is a free variable for linear arithmetic. A candidate model under which some product has the
//! wrong value is excluded by a fact about products that it violates: signs and zeros, a factor fixed to its
//! current value, tangent planes at the current point (Cimatti, Griggio, Irfan, Roveri, Sebastiani,
//! "Incremental linearization", TOCL 2018), and for squares of integers the secant between neighbours.
//! Divisions by non-constants are defined through products and need nothing further.

use num_traits::{One, Zero};
use palisade_proof::{ProductFact, ProductKind};
use palisade_term::{Op, Rational, Sort, Term, TermPool};
use rustc_hash::FxHashSet;

/// The products of non-constants in formulas, and those that define their divisions.
pub(crate) fn products(pool: &TermPool, formulas: &[Term]) -> Vec<Term> {
    let mut seen: FxHashSet<Term> = FxHashSet::default();
    let mut out = Vec::new();
    let mut work: Vec<Term> = formulas.to_vec();
    while let Some(t) = work.pop() {
        if !seen.insert(t) {
            continue;
        }
        let args = pool.args(t);
        work.extend(args.iter().rev());
        match pool.op(t) {
            Op::Mul if !pool.is_const(args[0]) => out.push(t),
            Op::IntDiv if !pool.is_const(args[1]) => work.push(pool.mul(args[1], t)),
            Op::Div => work.push(pool.mul(args[1], t)),
            Op::Mod if !pool.is_const(args[1]) => {
                let quotient = pool.int_div(args[0], args[1]);
                work.push(pool.mul(args[1], quotient));
            }
            _ => {}
        }
    }
    // A constant factor in front is no product of its own.
    out.retain(|&t| *pool.op(t) == Op::Mul);
    out.sort_unstable();
    out
}

/// Facts about the product `m` of two factors that exclude the given values, strongest first, and what they
/// say for a proof. `x * y = m` must be wrong for the values.
///
/// `m` is the product's term, or a term that stands for part of a longer product.
pub(crate) fn instances(
    pool: &TermPool,
    m: Term,
    x: (Term, &Rational),
    y: (Term, &Rational),
    value: &Rational,
) -> Vec<(Term, ProductFact)> {
    let ((x, a), (y, b)) = (x, y);
    let sort = pool.sort(m).clone();
    let number = |r: &Rational| pool.number(r.clone(), &sort);
    let zero = number(&Rational::zero());
    let mut out = Vec::new();
    let mut add = |lemma: Term, kind: ProductKind| out.push((lemma, ProductFact { x, y, kind }));
    let product = a * b;
    debug_assert!(product != *value);
    // Zero, and signs.
    if product.is_zero() != value.is_zero() {
        let either = pool.or([pool.eq(x, zero), pool.eq(y, zero)]);
        add(pool.eq(pool.eq(m, zero), either), ProductKind::Zero);
    }
    if product.is_positive() && value.is_negative() || product.is_negative() && value.is_positive() {
        let side = |t: Term, r: &Rational| if r.is_positive() { pool.gt(t, zero) } else { pool.lt(t, zero) };
        let conclusion = if product.is_positive() { pool.gt(m, zero) } else { pool.lt(m, zero) };
        let signs = ProductKind::Signs { x_positive: a.is_positive(), y_positive: b.is_positive() };
        add(pool.or([pool.not(side(x, a)), pool.not(side(y, b)), conclusion]), signs);
    }
    if x == y {
        // Squares lie above their tangents; over the integers above the secants of neighbours.
        let two = Rational::from_integer(2.into());
        if *value < product {
            let tangent = pool.sub(pool.scale(&(&two * a), x), number(&(a * a)));
            add(pool.ge(m, tangent), ProductKind::Tangent(a.clone()));
        }
        if sort == Sort::Int && *value > product {
            // Not above the secant of a-1 and a+1 between them.
            let (low, high) = (a - Rational::one(), a + Rational::one());
            let secant = pool.sub(pool.scale(&(&low + &high), x), number(&(&low * &high)));
            let inside = [pool.lt(x, number(&low)), pool.gt(x, number(&high))];
            add(pool.or([inside[0], inside[1], pool.le(m, secant)]), ProductKind::Secant { low, high });
        }
    } else {
        // (x - a) * (y - b) has the sign of its factors.
        let plane = pool.sub(pool.add2(pool.scale(b, x), pool.scale(a, y)), number(&product));
        let (le, ge) = (pool.le(m, plane), pool.ge(m, plane));
        let (xl, xg) = (pool.le(x, number(a)), pool.ge(x, number(a)));
        let (yl, yg) = (pool.le(y, number(b)), pool.ge(y, number(b)));
        let not = |t: Term| pool.not(t);
        let kind = |x_above, y_above| ProductKind::Plane { a: a.clone(), b: b.clone(), x_above, y_above };
        if *value < product {
            add(pool.or([not(xl), not(yl), ge]), kind(false, false));
            add(pool.or([not(xg), not(yg), ge]), kind(true, true));
        } else {
            add(pool.or([not(xl), not(yg), le]), kind(false, true));
            add(pool.or([not(xg), not(yl), le]), kind(true, false));
        }
    }
    out
}

/// `x = a` implies `x * y = a * y`: what makes the product linear once a factor is fixed.
pub(crate) fn fix(pool: &TermPool, m: Term, x: (Term, &Rational), y: Term) -> (Term, (Term, ProductFact)) {
    let fixed = pool.eq(x.0, pool.number(x.1.clone(), pool.sort(m)));
    let linear = pool.eq(m, pool.scale(x.1, y));
    let fact = ProductFact { x: x.0, y, kind: ProductKind::Fixed(x.1.clone()) };
    (fixed, (pool.or([pool.not(fixed), linear]), fact))
}

/// The factors of a product as a pair: the first, and the product of the others.
pub(crate) fn split(pool: &TermPool, m: Term) -> (Term, Term) {
    let args = pool.args(m);
    let rest = args[1..].iter().copied().reduce(|a, b| pool.mul(a, b)).expect("two factors at least");
    (args[0], rest)
}
