//! From a formula to clauses: equivalent, by distribution, without new variables.
//!
//! Clauses are kept as the cubes that they exclude, so this is the disjunctive normal form of the negation.
//! At every step cubes that contradict themselves are dropped, and so are cubes that another one subsumes.
//! The result can be exponentially larger; it is given up when it passes a multiple of the formula's size
//! (Cimatti and Griggio, "Software Model Checking via IC3", CAV 2012, §5 and §6.1). Entry point:
//! [`excluded_cubes`].

use palisade_term::{Op, Term, TermPool};
use rustc_hash::FxHashMap;

use crate::literal;

/// A conjunction of literals.
pub type Cube = Vec<Term>;

/// The cubes that the formula excludes: it is equivalent to the conjunction of their negations. `None` when
/// they have more than `factor` times as many literals as the formula has nodes.
pub fn excluded_cubes(pool: &TermPool, formula: Term, factor: usize) -> Option<Vec<Cube>> {
    let negated = pool.nnf(pool.not(formula));
    let limit = factor.saturating_mul(pool.dag_size(negated));
    let mut known: FxHashMap<Term, Vec<Cube>> = FxHashMap::default();
    let mut work = vec![negated];
    while let Some(&t) = work.last() {
        let connective = matches!(pool.op(t), Op::And | Op::Or);
        let missing: Vec<Term> = match connective {
            true => pool.args(t).iter().copied().filter(|a| !known.contains_key(a)).collect(),
            false => Vec::new(),
        };
        if !missing.is_empty() {
            work.extend(missing);
            continue;
        }
        work.pop();
        let cubes = match pool.op(t) {
            Op::Bool(true) => vec![Vec::new()],
            Op::Bool(false) => Vec::new(),
            Op::Or => {
                let mut all = Vec::new();
                pool.args(t).iter().for_each(|a| all.extend(known[a].iter().cloned()));
                without_subsumed(pool, all)
            }
            Op::And => product(pool, pool.args(t).iter().map(|a| known[a].as_slice()), limit)?,
            _ => vec![vec![t]],
        };
        if size(&cubes) > limit {
            return None;
        }
        known.insert(t, cubes);
    }
    known.remove(&negated)
}

/// The clauses of a formula, within the same bound.
pub fn clauses(pool: &TermPool, formula: Term, factor: usize) -> Option<Vec<Term>> {
    let cubes = excluded_cubes(pool, formula, factor)?;
    Some(cubes.iter().map(|c| literal::clause(pool, c)).collect())
}

/// The cube that a clause excludes.
pub fn excluded_cube(pool: &TermPool, clause: Term) -> Cube {
    pool.disjuncts(clause).into_iter().map(|l| pool.not(l)).collect()
}

fn size(cubes: &[Cube]) -> usize {
    cubes.iter().map(Vec::len).sum()
}

/// The conjunction of disjunctions of cubes, multiplied out.
fn product<'c>(
    pool: &TermPool,
    factors: impl Iterator<Item = &'c [Cube]>,
    limit: usize,
) -> Option<Vec<Cube>> {
    let mut all: Vec<Cube> = vec![Vec::new()];
    for factor in factors {
        let mut next = Vec::with_capacity(all.len() * factor.len());
        for a in &all {
            for b in factor {
                let mut both = [a.as_slice(), b.as_slice()].concat();
                literal::tidy(pool, &mut both);
                if !contradicts_itself(pool, &both) {
                    next.push(both);
                }
            }
        }
        all = without_subsumed(pool, next);
        if size(&all) > limit {
            return None;
        }
    }
    Some(all)
}

fn contradicts_itself(pool: &TermPool, cube: &[Term]) -> bool {
    cube.iter().any(|&l| {
        let negation = pool.not(l);
        cube.iter().any(|&m| literal::implies(pool, m, negation))
    })
}

/// Drops cubes whose states another cube has, too.
fn without_subsumed(pool: &TermPool, cubes: Vec<Cube>) -> Vec<Cube> {
    let mut kept: Vec<Cube> = Vec::with_capacity(cubes.len());
    for cube in cubes {
        if kept.iter().any(|k| literal::subsumes(pool, k, &cube)) {
            continue;
        }
        kept.retain(|k| !literal::subsumes(pool, &cube, k));
        kept.push(cube);
    }
    kept
}

#[cfg(test)]
mod tests {
    use palisade_term::Sort;

    use super::*;

    #[test]
    fn distributes_and_subsumes() {
        let p = TermPool::new();
        let v = |n: &str| p.var(n, Sort::Bool);
        let (a, b, c) = (v("a"), v("b"), v("c"));
        // (a and b) or c: two clauses.
        let f = p.or2(p.and2(a, b), c);
        let mut got = clauses(&p, f, 5).expect("small");
        got.sort_unstable();
        let mut expected = vec![p.or2(a, c), p.or2(b, c)];
        expected.sort_unstable();
        assert_eq!(got, expected);
        // x <= 3 or (x <= 5 and a) is (x <= 5) and (x <= 3 or a).
        let x = p.var("x", Sort::Int);
        let (three, five) = (p.le(x, p.int(3)), p.le(x, p.int(5)));
        let mut got = clauses(&p, p.or2(three, p.and2(five, a)), 5).expect("small");
        got.sort_unstable();
        let mut expected = vec![five, p.or2(three, a)];
        expected.sort_unstable();
        assert_eq!(got, expected);
        assert_eq!(clauses(&p, p.tru(), 5), Some(vec![]));
        assert_eq!(clauses(&p, p.fls(), 5), Some(vec![p.fls()]));
    }

    #[test]
    fn gives_up_when_it_grows() {
        let p = TermPool::new();
        let pairs = (0..12).map(|i| {
            let v = |n: &str| p.var(&format!("{n}{i}"), Sort::Bool);
            p.and2(v("a"), v("b"))
        });
        let f = p.or(pairs);
        assert_eq!(excluded_cubes(&p, f, 5), None);
    }
}
