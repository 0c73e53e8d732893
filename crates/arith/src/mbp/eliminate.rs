//! Elimination of one variable from normalised constraints.

use super::{Context, LinCon, Rel, push_normal, simplify};
use crate::types::Var;
use palisade_number::{Int, Rational};

/// A bound `a·var >= Σ terms + constant` (or `<=`), `a > 0`, strict or not.
#[derive(Clone, Debug)]
struct BoundOf {
    a: Int,
    terms: Vec<(Var, Int)>,
    constant: Int,
    strict: bool,
}

impl BoundOf {
    fn from(con: &LinCon, var: Var) -> BoundOf {
        let coeff = con.coeff(var).expect("the variable occurs");
        let flip = coeff.is_positive();
        let others = con.coeffs.iter().filter(|(v, _)| *v != var);
        BoundOf {
            a: coeff.abs(),
            terms: others.map(|(v, c)| (*v, if flip { -c } else { c.clone() })).collect(),
            constant: if flip { con.rhs.clone() } else { -&con.rhs },
            strict: con.rel == Rel::Lt,
        }
    }

    /// The value of the term, before division by `a`.
    fn term_value(&self, cx: &Context<'_>) -> Rational {
        let mut sum = Rational::from(&self.constant);
        for (var, coeff) in &self.terms {
            sum.add_mul_int(coeff, &(cx.model)(*var));
        }
        sum
    }

    fn is_integral(&self, cx: &Context<'_>) -> bool {
        self.terms.iter().all(|(v, _)| (cx.is_int)(*v))
    }
}

/// The constraints on one variable, by kind.
#[derive(Default)]
struct Parts {
    equalities: Vec<LinCon>,
    /// `-a·var + ... <= ...`
    lower: Vec<LinCon>,
    /// `a·var + ... <= ...`
    upper: Vec<LinCon>,
    disequalities: Vec<LinCon>,
    divisibility: Vec<LinCon>,
}

/// Takes the constraints that mention `var` out of `cons`.
fn take(cons: &mut Vec<LinCon>, var: Var) -> Parts {
    let mut parts = Parts::default();
    cons.retain(|con| {
        let Some(coeff) = con.coeff(var) else { return true };
        let list = match con.rel {
            Rel::Eq => &mut parts.equalities,
            Rel::Lt | Rel::Le if coeff.is_positive() => &mut parts.upper,
            Rel::Lt | Rel::Le => &mut parts.lower,
            Rel::Ne => &mut parts.disequalities,
            Rel::Divides(_) | Rel::NotDivides(_) => &mut parts.divisibility,
        };
        list.push(con.clone());
        false
    });
    parts
}

/// How much trouble eliminating `var` is: the smallest goes first.
pub(super) fn cost(cons: &[LinCon], var: Var, cx: &Context<'_>) -> (u8, usize) {
    let (mut lower, mut upper, mut others, mut divisibility) = (0, 0, 0, 0);
    let (mut equality, mut unit_lower, mut unit_upper) = (None, true, true);
    for con in cons {
        let Some(coeff) = con.coeff(var) else { continue };
        match con.rel {
            Rel::Eq => {
                let size = (if coeff.is_unit() || !(cx.is_int)(var) { 1 } else { 4 }, con.coeffs.len());
                equality = Some(equality.map_or(size, |e: (u8, usize)| e.min(size)));
            }
            Rel::Lt | Rel::Le if coeff.is_positive() => {
                upper += 1;
                unit_upper &= coeff.is_unit();
            }
            Rel::Lt | Rel::Le => {
                lower += 1;
                unit_lower &= coeff.is_unit();
            }
            Rel::Ne => others += 1,
            Rel::Divides(_) | Rel::NotDivides(_) => divisibility += 1,
        }
    }
    if let Some(size) = equality {
        return size;
    }
    if (lower == 0 || upper == 0) && divisibility == 0 {
        return (0, 0);
    }
    let easy = divisibility == 0 && (!(cx.is_int)(var) || unit_lower || unit_upper);
    (if easy { 2 } else { 5 }, lower + upper + others + 2 * divisibility)
}

/// The shortest equality that defines a variable of `wanted`: with a unit coefficient, or over the rationals.
pub(super) fn definition(cons: &[LinCon], wanted: &[Var], cx: &Context<'_>) -> Option<(usize, Var)> {
    let mut best: Option<(usize, usize, Var)> = None;
    for (i, con) in cons.iter().enumerate() {
        if con.rel != Rel::Eq || best.is_some_and(|(size, ..)| size <= con.coeffs.len()) {
            continue;
        }
        let integral = con.coeffs.iter().all(|(v, _)| (cx.is_int)(*v));
        let defined = con.coeffs.iter().find(|(v, c)| {
            wanted.binary_search(v).is_ok() && if (cx.is_int)(*v) { integral && c.is_unit() } else { true }
        });
        if let Some((v, _)) = defined {
            best = Some((con.coeffs.len(), i, *v));
        }
    }
    best.map(|(_, i, v)| (i, v))
}

/// Eliminates `var` by the equality at `at`, which [`definition`] found.
pub(super) fn by_definition(cons: &mut Vec<LinCon>, at: usize, var: Var, cx: &Context<'_>) {
    let point = BoundOf::from(&cons.swap_remove(at), var);
    let (with, without) = std::mem::take(cons).into_iter().partition(|con| con.coeff(var).is_some());
    *cons = without;
    let with: Vec<LinCon> = with;
    substitute_all(cons, &with, var, &point, cx);
}

/// Replaces `var` by its value in the model.
pub(super) fn by_value(cons: &mut Vec<LinCon>, var: Var, cx: &Context<'_>) {
    let value = (cx.model)(var);
    let (num, den) = (value.num(), value.den());
    for con in std::mem::take(cons) {
        if con.coeff(var).is_some() {
            push_normal(cons, con.substitute(var, &den, &[], &num), cx);
        } else {
            cons.push(con);
        }
    }
}

/// Eliminates `var` around the model.
pub(super) fn variable(cons: &mut Vec<LinCon>, var: Var, cx: &Context<'_>) {
    if (cx.is_int)(var) { integer(cons, var, cx) } else { rational(cons, var, cx) }
}

/// The inequality on the side of a disequality where the model is.
fn model_side(con: &LinCon, cx: &Context<'_>) -> LinCon {
    let below = con.left(cx.model) < Rational::from(&con.rhs);
    let con = LinCon { rel: Rel::Lt, ..con.clone() };
    if below { con } else { con.negated_left() }
}

/// Splits disequalities to the model's side and files them under the bounds.
fn resolve_disequalities(parts: &mut Parts, var: Var, cx: &Context<'_>) {
    for con in std::mem::take(&mut parts.disequalities) {
        let mut normal = Vec::new();
        push_normal(&mut normal, model_side(&con, cx), cx);
        for con in normal {
            let list = if con.coeff(var).is_some_and(Int::is_positive) {
                &mut parts.upper
            } else {
                &mut parts.lower
            };
            list.push(con);
        }
    }
}

fn substitute_all<'a>(
    into: &mut Vec<LinCon>,
    cons: impl IntoIterator<Item = &'a LinCon>,
    var: Var,
    by: &BoundOf,
    cx: &Context<'_>,
) {
    for con in cons {
        push_normal(into, con.substitute(var, &by.a, &by.terms, &by.constant), cx);
    }
}

fn rational(cons: &mut Vec<LinCon>, var: Var, cx: &Context<'_>) {
    let mut parts = take(cons, var);
    // Divisibility speaks of integers only; a rational variable in it has no better term than its value.
    if !parts.divisibility.is_empty() {
        for con in
            [parts.equalities, parts.lower, parts.upper, parts.disequalities, parts.divisibility].concat()
        {
            cons.push(con);
        }
        return by_value(cons, var, cx);
    }
    if let Some(at) = shortest(&parts.equalities, var) {
        let equality = BoundOf::from(&parts.equalities.swap_remove(at), var);
        let others = [parts.equalities, parts.lower, parts.upper, parts.disequalities].concat();
        return substitute_all(cons, &others, var, &equality, cx);
    }
    // Far enough out on the open side, all the rest holds.
    if parts.lower.is_empty() || parts.upper.is_empty() {
        return;
    }
    resolve_disequalities(&mut parts, var, cx);
    let from_below = loos_weispfenning(&parts.lower, &parts.upper, var, cx, true);
    let from_above = loos_weispfenning(&parts.upper, &parts.lower, var, cx, false);
    let key = |exact: bool, result: &[LinCon]| (!exact, size(result));
    let below = key(parts.lower.len() == 1, &from_below) <= key(parts.upper.len() == 1, &from_above);
    cons.extend(if below { from_below } else { from_above });
}

fn size(cons: &[LinCon]) -> (usize, usize) {
    (cons.len(), cons.iter().map(|c| c.coeffs.len()).sum())
}

/// The index of the equality with the smallest coefficient of `var`, then the fewest variables.
fn shortest(equalities: &[LinCon], var: Var) -> Option<usize> {
    let key = |con: &LinCon| (con.coeff(var).map(Int::abs), con.coeffs.len());
    (0..equalities.len()).min_by_key(|i| key(&equalities[*i]))
}

/// The test point is the tightest bound of `near` (or, if that is strict, the point just inside it).
fn loos_weispfenning(
    near: &[LinCon],
    far: &[LinCon],
    var: Var,
    cx: &Context<'_>,
    lower: bool,
) -> Vec<LinCon> {
    let (at, point) = tightest(near, var, cx, lower);
    let mut result = Vec::new();
    for (i, con) in near.iter().enumerate() {
        if i != at {
            // point ± ε satisfies a strict bound as soon as the point satisfies the weak one.
            let rel = if con.rel == Rel::Lt && !point.strict { Rel::Lt } else { Rel::Le };
            substitute_all(&mut result, [&LinCon { rel, ..con.clone() }], var, &point, cx);
        }
    }
    for con in far {
        let rel = if con.rel == Rel::Lt || point.strict { Rel::Lt } else { Rel::Le };
        substitute_all(&mut result, [&LinCon { rel, ..con.clone() }], var, &point, cx);
    }
    simplify(&mut result);
    result
}

/// The greatest lower (or least upper) bound under the model; of equal ones a strict one, then one with a
/// small coefficient.
fn tightest(cons: &[LinCon], var: Var, cx: &Context<'_>, lower: bool) -> (usize, BoundOf) {
    let mut best: Option<(usize, BoundOf, Rational)> = None;
    for (i, con) in cons.iter().enumerate() {
        let bound = BoundOf::from(con, var);
        let value = &bound.term_value(cx) / &Rational::from(&bound.a);
        let better = best.as_ref().is_none_or(|(_, b, v)| {
            let order = if lower { value.cmp(v) } else { v.cmp(&value) };
            order.then_with(|| bound.strict.cmp(&b.strict)).then_with(|| b.a.cmp(&bound.a)).is_gt()
        });
        if better {
            best = Some((i, bound, value));
        }
    }
    let (at, bound, _) = best.expect("there is a bound");
    (at, bound)
}

fn integer(cons: &mut Vec<LinCon>, var: Var, cx: &Context<'_>) {
    let mut parts = take(cons, var);
    // Residues as in the model.
    for con in &mut parts.divisibility {
        if let Rel::NotDivides(k) = &con.rel {
            let left = con.left(cx.model).num();
            *con =
                LinCon { rhs: left.mod_floor(k), rel: Rel::Divides(k.clone()), coeffs: con.coeffs.clone() };
        }
    }
    if let Some(at) = shortest(&parts.equalities, var) {
        let con = parts.equalities.swap_remove(at);
        let equality = BoundOf::from(&con, var);
        let others =
            [parts.equalities, parts.lower, parts.upper, parts.disequalities, parts.divisibility].concat();
        if !equality.is_integral(cx) {
            cons.push(con);
            cons.extend(others);
            return by_value(cons, var, cx);
        }
        return substitute_point(cons, &others, var, &equality, cx);
    }
    if parts.lower.is_empty() || parts.upper.is_empty() {
        return drop_unbounded(cons, &parts, var, cx);
    }
    resolve_disequalities(&mut parts, var, cx);
    let mut period = Int::ONE;
    for con in &parts.divisibility {
        if let Rel::Divides(k) = &con.rel {
            period = period.lcm(k);
        }
    }
    let from_below = cooper(&parts, var, &period, cx, true);
    let from_above = cooper(&parts, var, &period, cx, false);
    // Unit coefficients first: they lose least and bring no divisibility.
    let key = |side: &Option<(Int, Vec<LinCon>)>, bounds: usize| {
        side.as_ref().map(|(a, result)| (a.clone(), bounds != 1, size(result)))
    };
    let (below, above) = (key(&from_below, parts.lower.len()), key(&from_above, parts.upper.len()));
    let choice = match (&below, &above) {
        (Some(b), Some(a)) if a < b => from_above,
        (None, _) => from_above,
        _ => from_below,
    };
    match choice {
        Some((_, result)) => cons.extend(result),
        None => {
            cons.extend([parts.lower, parts.upper, parts.divisibility].concat());
            by_value(cons, var, cx);
        }
    }
}

/// One side is open: far out there, with the model's residue, all bounds and disequalities hold.
fn drop_unbounded(cons: &mut Vec<LinCon>, parts: &Parts, var: Var, cx: &Context<'_>) {
    let residue = (cx.model)(var).num();
    for con in &parts.divisibility {
        push_normal(cons, con.substitute(var, &Int::ONE, &[], &residue), cx);
    }
}

/// Substitutes `var = (Σ terms + constant) / a`, which must be an integer.
fn substitute_point(cons: &mut Vec<LinCon>, others: &[LinCon], var: Var, point: &BoundOf, cx: &Context<'_>) {
    substitute_all(cons, others, var, point, cx);
    let divisible =
        LinCon { coeffs: point.terms.clone(), rel: Rel::Divides(point.a.clone()), rhs: -&point.constant };
    push_normal(cons, divisible, cx);
}

/// Cooper's test point on one side: the tightest bound, moved inside to the model's residue modulo `a ·
/// period`. It lies between that bound and the model's value, so it satisfies all bounds of both sides in the
/// model, and it has the model's residues.
fn cooper(
    parts: &Parts,
    var: Var,
    period: &Int,
    cx: &Context<'_>,
    lower: bool,
) -> Option<(Int, Vec<LinCon>)> {
    let near = if lower { &parts.lower } else { &parts.upper };
    let (_, mut point) = tightest(near, var, cx, lower);
    if !point.is_integral(cx) {
        return None;
    }
    let distance = &(&(cx.model)(var) * &Rational::from(&point.a)) - &point.term_value(cx);
    let modulus = &point.a * period;
    let offset =
        if lower { distance.num().mod_floor(&modulus) } else { -(-distance.num()).mod_floor(&modulus) };
    point.constant += &offset;
    let others = [parts.lower.clone(), parts.upper.clone(), parts.divisibility.clone()].concat();
    let mut result = Vec::new();
    substitute_point(&mut result, &others, var, &point, cx);
    simplify(&mut result);
    Some((point.a, result))
}
