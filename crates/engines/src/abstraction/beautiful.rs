//! Interpolants of few half-spaces.
//!
//! After Albarghouthi and McMillan, "Beautiful Interpolants" (CAV 2013), as Birgmeier's thesis (TU Wien 2013,
//! section 3.4) uses them. The interpolant is a union of half-spaces, each found by separating *samples*:
//! states after the step, which it contains, from the state that is to be excluded. A sample that no
//! half-space contains joins the samples of one if they can still be separated by small coefficients, or gets
//! one of its own; so there are few. The paper has samples on both sides and polytopes instead of
//! half-spaces; here the other side is one point, and one half-space separates it from any set whose hull
//! does not contain it.
//!
//! Entry point: [`half_spaces`]. It gives up after a number of samples; the caller has another way.

use num_traits::Zero;
use palisade_smt::Answer;
use palisade_term::{Assignment, Linear, Rational, Sort, Term, Value, Version};

use super::spurious::Spurious;
use crate::{Budget, Task};

/// Samples drawn before giving up.
const MAX_SAMPLES: usize = 40;

/// Solver steps of a question.
const MAX_STEPS: u64 = 50_000;

/// The largest absolute values of coefficients that are tried, in this order.
const COEFFICIENTS: [i64; 3] = [1, 2, 8];

/// A half-space with the samples for which it was made.
struct Cluster {
    samples: Vec<Vec<Rational>>,
    contains: Term,
}

/// The negations of half-spaces that together contain all states after the step and not the state that is to
/// be excluded.
pub fn half_spaces(task: &Task<'_>, budget: &Budget, spurious: &Spurious<'_>) -> Option<Vec<Term>> {
    let pool = task.pool;
    let target = task.program.edge(spurious.edge).target;
    // The numbers of the state, all of one sort, make the point; what else it says is assumed of all samples.
    let (mut variables, mut point, mut rest) = (Vec::new(), Vec::new(), Vec::new());
    for &equation in spurious.state {
        let is_coordinate = |v: Term| {
            let sort = pool.sort(v);
            pool.is_var(v) && sort.is_arith() && variables.first().is_none_or(|&w| pool.sort(w) == sort)
        };
        match *pool.args(equation) {
            [v, c] if is_coordinate(v) && pool.as_number(c).is_some() => {
                variables.push(v);
                point.extend(pool.as_number(c));
            }
            _ => rest.push(equation),
        }
    }
    if variables.is_empty() {
        return None;
    }
    let primed = |t: Term| pool.version_all(t, Version::Primed);
    let mut solver = task.solver(budget, Some(MAX_STEPS));
    solver.assert(spurious.before);
    solver.assert(task.program.relation(pool, spurious.edge));
    let mut clusters: Vec<Cluster> = Vec::new();
    for _ in 0..MAX_SAMPLES {
        let outside = clusters.iter().map(|c| pool.not(c.contains)).chain(rest.iter().copied());
        let outside: Vec<(Term, Term)> = outside.map(|t| (t, primed(t))).collect();
        let assumed: Vec<Term> = outside.iter().map(|o| o.1).collect();
        let model = match solver.check(&assumed) {
            Answer::Sat(model) => model,
            Answer::Unsat(core) => {
                debug_assert!(variables.iter().all(|v| task.program.vars(target).contains(v)));
                return Some(outside.iter().filter(|o| core.contains(&o.1)).map(|o| o.0).collect());
            }
            Answer::Unknown(_) => return None,
        };
        let sample = values(task, &variables, &model);
        let joined = clusters.iter_mut().any(|cluster| {
            cluster.samples.push(sample.clone());
            match separate(task, budget, &variables, &cluster.samples, &point) {
                Some(contains) => {
                    cluster.contains = contains;
                    true
                }
                None => {
                    cluster.samples.pop();
                    false
                }
            }
        });
        if !joined {
            let samples = vec![sample];
            let contains = separate(task, budget, &variables, &samples, &point)?;
            clusters.push(Cluster { samples, contains });
        }
    }
    None
}

/// The values after the step.
fn values(task: &Task<'_>, variables: &[Term], model: &Assignment) -> Vec<Rational> {
    let pool = task.pool;
    let value = |v: &Term| {
        let value = model.get(pool.primed(*v)).and_then(Value::as_rational);
        value.unwrap_or_else(Rational::zero)
    };
    variables.iter().map(value).collect()
}

/// A half-space `a x <= c` with small coefficients that contains the samples and not the point.
fn separate(
    task: &Task<'_>,
    budget: &Budget,
    variables: &[Term],
    samples: &[Vec<Rational>],
    point: &[Rational],
) -> Option<Term> {
    let pool = task.pool;
    let sort = pool.sort(variables[0]).clone();
    let unknowns: Vec<Term> = variables.iter().map(|_| pool.fresh_var("a", sort.clone())).collect();
    let bound = pool.fresh_var("c", sort.clone());
    let side = |at: &[Rational]| pool.add(unknowns.iter().zip(at).map(|(&a, x)| pool.scale(x, a)));
    let mut solver = task.solver(budget, Some(MAX_STEPS));
    for sample in samples {
        solver.assert(pool.le(side(sample), bound));
    }
    solver.assert(pool.gt(side(point), bound));
    let number = |n: i64| pool.number(Rational::from_integer(n.into()), &sort);
    for limit in COEFFICIENTS {
        let small: Vec<Term> = (unknowns.iter())
            .flat_map(|&a| [pool.le(a, number(limit)), pool.ge(a, number(-limit))])
            .collect();
        let Answer::Sat(model) = solver.check(&small) else { continue };
        let value = |t: Term| model.get(t).and_then(Value::as_rational).unwrap_or_else(Rational::zero);
        let coefficients: Vec<Rational> = unknowns.iter().map(|&a| value(a)).collect();
        let side =
            |at: &[Rational]| coefficients.iter().zip(at).fold(Rational::zero(), |sum, (a, x)| sum + a * x);
        // Between rationals there is always another bound: a whole one, or else the tightest.
        let bound = match samples.iter().map(|s| side(s)).max() {
            Some(most) if sort == Sort::Real => {
                let whole = Rational::from(most.ceil());
                if whole < side(point) { whole } else { most }
            }
            _ => value(bound),
        };
        let parts = variables.iter().zip(&coefficients);
        let form = parts.fold(Linear::constant(-bound), |sum, (&v, a)| sum.add_scaled(a, &Linear::term(v)));
        return Some(pool.linear_le(form, &sort));
    }
    None
}
