//! Paths of programs to interpolate.

use palisade_term::{Sort, Term, TermPool};

/// `x = y = 0`, then `steps` times both grow by one, then `x != y`.
pub fn counters(pool: &TermPool, steps: u32) -> Vec<Term> {
    let (x, y) = (pool.var("x", Sort::Int), pool.var("y", Sort::Int));
    let grow = |v: Term, k: u32| pool.eq(pool.at_step(v, k + 1), pool.add2(pool.at_step(v, k), pool.int(1)));
    let zero = |v: Term| pool.eq(pool.at_step(v, 0), pool.int(0));
    let mut parts = vec![pool.and2(zero(x), zero(y))];
    parts.extend((0..steps).map(|k| pool.and2(grow(x, k), grow(y, k))));
    parts.push(pool.not(pool.eq(pool.at_step(x, steps), pool.at_step(y, steps))));
    parts
}
