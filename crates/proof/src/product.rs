//! Facts about products: formulas that hold for all numbers `x` and `y`, over `x`, `y` and their product.
//!
//! Each is the sign of a product of two differences, multiplied out: `(x - a)·(y - b)` has the sign of its
//! factors. The formulas are made here; a proof only names the factors and the numbers.

use num_traits::Zero;
use palisade_term::{Rational, Sort, Term, TermPool};

use crate::format::{ProductFact, ProductKind};

/// The formula of a fact; an error if it is malformed.
pub(crate) fn formula(p: &TermPool, fact: &ProductFact) -> Result<Term, String> {
    let (x, y) = (fact.x, fact.y);
    let sort = p.sort(x).clone();
    if !sort.is_arith() || *p.sort(y) != sort {
        return Err("a product of what are not numbers of one sort".into());
    }
    let number = |r: &Rational| match sort {
        Sort::Int if !r.is_integer() => Err("a fraction among integers".to_string()),
        _ => Ok(p.number(r.clone(), &sort)),
    };
    let square = || if x == y { Ok(()) } else { Err("a fact about squares for two factors") };
    let product = p.mul(x, y);
    let zero = number(&Rational::zero())?;
    Ok(match &fact.kind {
        ProductKind::Zero => p.eq(p.eq(product, zero), p.or2(p.eq(x, zero), p.eq(y, zero))),
        ProductKind::Signs { x_positive, y_positive } => {
            let side = |t: Term, positive: bool| if positive { p.gt(t, zero) } else { p.lt(t, zero) };
            let premises = [p.not(side(x, *x_positive)), p.not(side(y, *y_positive))];
            p.or([premises[0], premises[1], side(product, x_positive == y_positive)])
        }
        ProductKind::Plane { a, b, x_above, y_above } => {
            // (x - a)·(y - b) = x·y - (b·x + a·y - a·b)
            let plane = p.sub(p.add2(p.scale(b, x), p.scale(a, y)), number(&(a * b))?);
            let (a, b) = (number(a)?, number(b)?);
            let side = |t: Term, k: Term, above: bool| if above { p.ge(t, k) } else { p.le(t, k) };
            let premises = [p.not(side(x, a, *x_above)), p.not(side(y, b, *y_above))];
            p.or([premises[0], premises[1], side(product, plane, x_above == y_above)])
        }
        ProductKind::Tangent(a) => {
            // (x - a)² >= 0
            square()?;
            number(a)?;
            p.ge(product, p.sub(p.scale(&(a + a), x), number(&(a * a))?))
        }
        ProductKind::Secant { low, high } => {
            // (x - low)·(x - high) <= 0 between them
            square()?;
            let outside = [p.lt(x, number(low)?), p.gt(x, number(high)?)];
            let secant = p.sub(p.scale(&(low + high), x), number(&(low * high))?);
            p.or([outside[0], outside[1], p.le(product, secant)])
        }
        ProductKind::Fixed(a) => p.or2(p.not(p.eq(x, number(a)?)), p.eq(product, p.scale(a, y))),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use palisade_term::{Assignment, Value};

    fn whole(n: i64) -> Rational {
        Rational::from_integer(n.into())
    }

    fn kinds(a: i64, b: i64) -> Vec<ProductKind> {
        let mut out = vec![
            ProductKind::Zero,
            ProductKind::Fixed(whole(a)),
            ProductKind::Tangent(whole(a)),
            ProductKind::Secant { low: whole(a), high: whole(b) },
        ];
        for (s, t) in [(false, false), (false, true), (true, false), (true, true)] {
            out.push(ProductKind::Signs { x_positive: s, y_positive: t });
            out.push(ProductKind::Plane { a: whole(a), b: whole(b), x_above: s, y_above: t });
        }
        out
    }

    #[test]
    fn facts_hold_for_all_numbers() {
        let p = TermPool::new();
        for (sort, step) in [(Sort::Int, 1), (Sort::Real, 2)] {
            let (x, y) = (p.var(&format!("x{step}"), sort.clone()), p.var(&format!("y{step}"), sort.clone()));
            let mut facts = Vec::new();
            for (a, b) in [(0, 0), (1, -2), (-1, 1), (2, 3)] {
                for kind in kinds(a, b) {
                    for (x, y) in [(x, y), (x, x), (p.add2(x, y), x)] {
                        facts.extend(formula(&p, &ProductFact { x, y, kind: kind.clone() }));
                    }
                }
            }
            assert!(facts.len() > 100);
            for i in -8..=8 {
                for j in -8..=8 {
                    let value = |n: i64| match sort {
                        Sort::Int => Value::Int(n.into()),
                        _ => Value::Real(Rational::new(n.into(), step.into())),
                    };
                    let mut at = Assignment::new();
                    at.set(x, value(i));
                    at.set(y, value(j));
                    for &f in &facts {
                        assert!(p.holds(f, &at), "{} for {i}, {j}", p.infix(f));
                    }
                }
            }
        }
    }

    #[test]
    fn what_is_no_fact() {
        let p = TermPool::new();
        let (x, y, b) = (p.var("x", Sort::Int), p.var("y", Sort::Int), p.var("b", Sort::Bool));
        let half = Rational::new(1.into(), 2.into());
        let bad = |x, y, kind| formula(&p, &ProductFact { x, y, kind }).is_err();
        assert!(bad(x, y, ProductKind::Tangent(whole(1))));
        assert!(bad(x, y, ProductKind::Secant { low: whole(1), high: whole(2) }));
        assert!(bad(x, b, ProductKind::Zero));
        assert!(bad(x, p.to_real(y), ProductKind::Zero));
        assert!(bad(x, y, ProductKind::Fixed(half.clone())));
        assert!(bad(x, x, ProductKind::Tangent(half)));
    }
}
