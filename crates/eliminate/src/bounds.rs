//! Connectives that keep only the tightest of several bounds on one linear form.
//!
//! Weakest preconditions and test points produce many instances of the same constraint with different
//! constants. Keeping one of them is what keeps formulas of programs with long blocks small.

use palisade_term::{Op, Rational, Term, TermPool};
use rustc_hash::FxHashMap;

/// `form <= value` (or `<`) for an upper bound, `form > value` (or `>=`) for a lower one.
#[derive(Clone)]
struct Bound {
    value: Rational,
    strict: bool,
    literal: Term,
}

/// Conjunction.
pub fn and(pool: &TermPool, parts: impl IntoIterator<Item = Term>) -> Term {
    junction(pool, parts, true)
}

/// Disjunction.
pub fn or(pool: &TermPool, parts: impl IntoIterator<Item = Term>) -> Term {
    junction(pool, parts, false)
}

fn junction(pool: &TermPool, parts: impl IntoIterator<Item = Term>, conjunction: bool) -> Term {
    let op = if conjunction { Op::And } else { Op::Or };
    let mut others = Vec::new();
    // For every form (in the order of first occurrence) its upper and lower bound.
    let mut forms: Vec<[Option<Bound>; 2]> = Vec::new();
    let mut index: FxHashMap<Term, usize> = FxHashMap::default();
    let mut add = |part: Term| match bound(pool, part) {
        None => others.push(part),
        Some((form, lower, new)) => {
            let k = *index.entry(form).or_insert_with(|| {
                forms.push([None, None]);
                forms.len() - 1
            });
            let slot = &mut forms[k][usize::from(lower)];
            match slot {
                Some(old) if implies(&new, old, lower) == conjunction => *slot = Some(new),
                Some(_) => {}
                None => *slot = Some(new),
            }
        }
    };
    for part in parts {
        if *pool.op(part) == op {
            pool.args(part).iter().for_each(|&a| add(a));
        } else {
            add(part);
        }
    }
    for [upper, lower] in &forms {
        if let (Some(u), Some(l)) = (upper, lower) {
            // In a conjunction, is there no value between them; in a disjunction, is every value on one side?
            let decided = if conjunction {
                u.value < l.value || (u.value == l.value && (u.strict || l.strict))
            } else {
                u.value > l.value || (u.value == l.value && !(u.strict && l.strict))
            };
            if decided {
                return pool.bool(!conjunction);
            }
        }
    }
    let bounds = forms.into_iter().flatten().flatten().map(|b| b.literal);
    let all = others.into_iter().chain(bounds);
    if conjunction { pool.and(all) } else { pool.or(all) }
}

/// Reads a literal as a bound: the form, whether it is a lower bound, and the bound.
fn bound(pool: &TermPool, literal: Term) -> Option<(Term, bool, Bound)> {
    let (negated, atom) = pool.strip_not(literal);
    let op = pool.op(atom);
    if !matches!(op, Op::Le | Op::Lt) {
        return None;
    }
    let (form, value) = (pool.args(atom)[0], pool.as_number(pool.args(atom)[1])?);
    Some((form, negated, Bound { value, strict: (*op == Op::Lt) != negated, literal }))
}

/// Does one bound imply another on the same side?
fn implies(a: &Bound, b: &Bound, lower: bool) -> bool {
    let tighter = if lower { a.value > b.value } else { a.value < b.value };
    tighter || (a.value == b.value && (a.strict || !b.strict))
}

#[cfg(test)]
mod tests {
    use palisade_term::{Assignment, Sort, Value};

    use super::*;

    /// Every pair of bounds on one form, against evaluation.
    #[test]
    fn pairs_of_bounds() {
        for sort in [Sort::Int, Sort::Real] {
            let pool = TermPool::new();
            let x = pool.var("x", sort.clone());
            let c = |i: i64| pool.number(Rational::from_integer(i.into()), &sort);
            let mut literals = Vec::new();
            for i in 0..3 {
                let (le, lt) = (pool.le(x, c(i)), pool.lt(x, c(i)));
                literals.extend([le, lt, pool.not(le), pool.not(lt)]);
            }
            for &a in &literals {
                for &b in &literals {
                    let (both, either) = (and(&pool, [a, b]), or(&pool, [a, b]));
                    assert!(pool.dag_size(both) <= pool.dag_size(pool.and2(a, b)));
                    for i in -4..8 {
                        let half = Rational::new(i.into(), 2.into());
                        let value = match sort {
                            Sort::Int => Value::Int(i.into()),
                            _ => Value::Real(half),
                        };
                        let model: Assignment = [(x, value)].into_iter().collect();
                        let (p, q) = (pool.holds(a, &model), pool.holds(b, &model));
                        assert_eq!(
                            pool.holds(both, &model),
                            p && q,
                            "{} and {}",
                            pool.infix(a),
                            pool.infix(b)
                        );
                        assert_eq!(
                            pool.holds(either, &model),
                            p || q,
                            "{} or {}",
                            pool.infix(a),
                            pool.infix(b)
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn integer_gaps_close() {
        let pool = TermPool::new();
        let x = pool.var("x", Sort::Int);
        let (le, ge) = (pool.le(x, pool.int(3)), pool.ge(x, pool.int(4)));
        assert_eq!(and(&pool, [le, ge]), pool.fls());
        assert_eq!(or(&pool, [le, ge]), pool.tru());
    }
}
