//! Model-based projection of a conjunction of linear constraints.
//!
//! Given constraints `C`, a model `M` of them and variables `X`, [`project`] computes constraints `P` without
//! `X` such that `M` satisfies `P`, and `P` implies `∃X. C`. So `P` is the part around `M` of the exact
//! projection: a generalised predecessor for IC3 (Komuravelli, Gurfinkel and Chaki, "SMT-Based Model Checking
//! for Recursive Programs", 2014; Bjørner and Janota, "Playing with Quantified Satisfaction", 2015).
//!
//! Over the rationals this is Loos-Weispfenning virtual substitution with the one test point that the model
//! picks; over the integers Cooper's elimination likewise, where the residue of the test point is taken from
//! the model and divisibility constraints may remain. Every step replaces a variable by a term (or by its
//! value), which is why `P` implies `∃X. C`.
//!
//! Preferences, best first: drop a variable that is unbounded on a side; substitute by an equality (unit
//! coefficients first); take the side where the elimination is exact; the side that leaves fewer and shorter
//! constraints.

mod eliminate;
mod lincon;

use std::fmt;

pub use lincon::{LinCon, Normal, Rel};

use crate::types::Var;
use palisade_number::{Int, Rational};

/// The model does not satisfy the constraints to be projected.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NotAModel {
    /// The index of a violated constraint.
    pub constraint: usize,
}

impl fmt::Display for NotAModel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "constraint {} is false in the model", self.constraint)
    }
}

impl std::error::Error for NotAModel {}

/// What projection needs to know about variables.
pub(crate) struct Context<'a> {
    pub model: &'a dyn Fn(Var) -> Rational,
    pub is_int: &'a dyn Fn(Var) -> bool,
}

/// Beyond this size of coefficients a variable is replaced by its value, which keeps the result small.
const MAX_BITS: u64 = 48;

/// Projects the variables `eliminate` out of the conjunction of `constraints`, around `model`.
///
/// The result is true in the model and implies that values for the eliminated variables exist. It contains
/// [`Rel::Ne`] and [`Rel::NotDivides`] only for constraints that did not mention an eliminated variable.
///
/// # Errors
/// If the model violates a constraint or gives an integer variable a fractional value.
pub fn project(
    constraints: &[LinCon],
    model: &dyn Fn(Var) -> Rational,
    is_int: &dyn Fn(Var) -> bool,
    eliminate: &[Var],
) -> Result<Vec<LinCon>, NotAModel> {
    let cx = Context { model, is_int };
    let mut cons = Vec::with_capacity(constraints.len());
    for (constraint, con) in constraints.iter().enumerate() {
        let integral = con.coeffs.iter().all(|(v, _)| !is_int(*v) || model(*v).is_integer());
        if !integral || !con.holds(model) {
            return Err(NotAModel { constraint });
        }
        push_normal(&mut cons, con.clone(), &cx);
    }
    let mut left: Vec<Var> = eliminate.to_vec();
    left.sort_unstable();
    left.dedup();
    // Definitions first, shortest first: they cost nothing, are exact, and may free others.
    while let Some((con, var)) = eliminate::definition(&cons, &left, &cx) {
        eliminate::by_definition(&mut cons, con, var, &cx);
        left.retain(|v| *v != var);
    }
    simplify(&mut cons);
    left.retain(|v| cons.iter().any(|con| con.coeff(*v).is_some()));
    while !left.is_empty() {
        // Rationals first: an integer test point may not contain them.
        let cost = |v: &Var| (is_int(*v), eliminate::cost(&cons, *v, &cx), *v);
        let (at, _) = left.iter().enumerate().min_by_key(|(_, v)| cost(v)).expect("not empty");
        let var = left.remove(at);
        let too_big =
            |con: &LinCon| con.coeff(var).is_some() && con.coeffs.iter().any(|(_, c)| c.bits() > MAX_BITS);
        if is_int(var) && cons.iter().any(too_big) {
            eliminate::by_value(&mut cons, var, &cx);
        } else {
            eliminate::variable(&mut cons, var, &cx);
        }
        simplify(&mut cons);
        debug_assert!(cons.iter().all(|c| c.holds(model)), "projection keeps the model");
    }
    Ok(cons)
}

/// Adds the normal form of a constraint, unless it is true. A false one stays visible as `0 <= -1`.
pub(crate) fn push_normal(cons: &mut Vec<LinCon>, con: LinCon, cx: &Context<'_>) {
    match con.normalise(cx.is_int) {
        Normal::True => {}
        Normal::False => cons.push(LinCon { coeffs: Vec::new(), rel: Rel::Le, rhs: Int::MINUS_ONE }),
        Normal::Constraint(con) => cons.push(con),
    }
}

/// Removes duplicates and constraints implied by one with the same left side; joins opposite bounds that meet
/// to an equality. The order of what remains is that of the left sides, hence deterministic.
pub(crate) fn simplify(cons: &mut Vec<LinCon>) {
    cons.sort();
    cons.dedup();
    // Sorted by left side, relation class and right side: an equality or the strongest upper bound comes
    // first.
    cons.dedup_by(|next, kept| {
        let weaker = match (&kept.rel, &next.rel) {
            (Rel::Eq | Rel::Le, Rel::Le) | (Rel::Lt, Rel::Le | Rel::Lt) => kept.rhs <= next.rhs,
            (Rel::Eq | Rel::Le, Rel::Lt) => kept.rhs < next.rhs,
            _ => false,
        };
        weaker && next.coeffs == kept.coeffs
    });
    let mut i = 0;
    while i < cons.len() {
        if cons[i].rel == Rel::Le && !cons[i].coeffs.is_empty() {
            let mirror = cons[i].negated_left();
            if let Some(j) = cons.iter().position(|c| *c == mirror) {
                let (low, high) = (i.min(j), i.max(j));
                cons.remove(high);
                let positive = cons[low].coeffs[0].1.is_positive();
                let con = if positive { cons[low].clone() } else { cons[low].negated_left() };
                cons[low] = LinCon { rel: Rel::Eq, ..con };
                continue;
            }
        }
        i += 1;
    }
    cons.sort();
    cons.dedup();
}
