//! Random programs over integers and rationals: one loop with a counter, whose guards keep the numbers in a
//! small range.

use palisade_fuzzing::Random;
use palisade_program::Program;
use palisade_term::{Rational, Sort, Term, TermPool};

use super::{edge, location};

/// Numbers are at most this.
pub const MOST: i64 = 6;

/// A program over numbers of this sort.
pub fn random_loop(pool: &TermPool, r: &mut Random, sort: &Sort) -> Program {
    let number = |n: i64| pool.number(Rational::from_integer(n.into()), sort);
    let pc = pool.var("pc", Sort::Int);
    let (x, y) = (pool.var("x", sort.clone()), pool.var("y", sort.clone()));
    let input = pool.var("i", sort.clone());
    let mut p = Program::new();
    let l = location(&mut p, "loop", &[pc, x, y]);
    let (entry, error) = (p.entry, p.error);
    let bounded = |t: Term| pool.and2(pool.le(number(0), t), pool.le(t, number(MOST)));
    let first = [number(r.below(2) as i64), number(r.below(2) as i64)];
    edge(&mut p, entry, l, &[], pool.tru(), &[pool.int(0), first[0], first[1]]);
    let value = |r: &mut Random, inputs: &[Term]| {
        let own = [x, y];
        let base = if !inputs.is_empty() && r.below(3) == 0 { inputs[0] } else { r.pick(&own) };
        match r.below(5) {
            0 => base,
            1 => pool.add2(x, y),
            2 => pool.sub(base, number(1)),
            _ => pool.add2(base, number(1 + r.below(2) as i64)),
        }
    };
    let atom = |r: &mut Random| {
        let (a, b) = (value(r, &[]), value(r, &[]));
        let b = if r.below(2) == 0 { b } else { number(r.below(MOST as usize) as i64) };
        match r.below(4) {
            0 => pool.eq(a, b),
            1 => pool.lt(a, b),
            _ => pool.le(a, b),
        }
    };
    for _ in 0..3 + r.below(4) {
        let inputs = if r.below(3) == 0 { vec![input] } else { vec![] };
        let at = pool.eq(pc, pool.int(r.below(3) as i64));
        let to = pool.int(r.below(3) as i64);
        let update = [value(r, &inputs), value(r, &inputs)];
        let condition = if r.below(2) == 0 { pool.tru() } else { atom(r) };
        let ranges = [x, y, update[0], update[1]].into_iter().chain(inputs.iter().copied()).map(bounded);
        let guard = pool.and(ranges.chain([at, condition]));
        edge(&mut p, l, l, &inputs, guard, &[to, update[0], update[1]]);
    }
    let at = pool.eq(pc, pool.int(r.below(3) as i64));
    let guard = pool.and([bounded(x), bounded(y), at, atom(r), atom(r)]);
    edge(&mut p, l, error, &[], guard, &[]);
    p
}
