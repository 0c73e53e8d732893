//! Random finite programs, and the truth about them by explicit-state search. The tests of `verify` use this
//! too.

use std::collections::BTreeSet;

use palisade_fuzzing::Random;
use palisade_program::{Edge, Loc, Location, Program, State, take};
use palisade_term::{Sort, Term, TermPool, Value};

/// Programs over variables of two bits, one to three locations.
pub fn random_program(pool: &TermPool, r: &mut Random) -> Program {
    let sort = Sort::BitVec(2);
    let vars = [pool.var("x", sort.clone()), pool.var("y", sort.clone()), pool.var("z", sort.clone())];
    let input = pool.var("i", sort);
    let mut p = Program::new();
    let (entry, error) = (p.entry, p.error);
    let mut locs = vec![];
    for l in 0..1 + r.below(3) {
        let vars = vars[..1 + r.below(3)].to_vec();
        locs.push(p.add_location(Location { name: format!("l{l}"), position: None, vars }));
    }
    for n in 0..3 + r.below(6) {
        let source = if n == 0 { entry } else { r.pick(&locs) };
        let target = if n > 1 && r.below(3) == 0 { error } else { r.pick(&locs) };
        let inputs = if r.below(2) == 0 { vec![input] } else { vec![] };
        let mut terms: Vec<Term> = p.vars(source).to_vec();
        terms.extend(&inputs);
        terms.extend((0..4u32).map(|c| pool.bitvec(c, 2)));
        let guard = random_guard(pool, r, &terms);
        let update: Vec<Term> = p.vars(target).iter().map(|_| random_value(pool, r, &terms)).collect();
        p.add_edge(Edge::new(source, target, &inputs, guard, &update));
    }
    p
}

/// Programs over two variables of two bits that go round a ring of one to three locations, with a second way
/// between two of them: the error is a state that may be missed for many rounds.
pub fn random_ring(pool: &TermPool, r: &mut Random) -> Program {
    let sort = Sort::BitVec(2);
    let vars = vec![pool.var("x", sort.clone()), pool.var("y", sort.clone())];
    let input = pool.var("i", sort);
    let mut p = Program::new();
    let (entry, error) = (p.entry, p.error);
    let location = |n| Location { name: format!("l{n}"), position: None, vars: vars.clone() };
    let locs: Vec<Loc> = (0..1 + r.below(3)).map(|n| p.add_location(location(n))).collect();
    let constant = |r: &mut Random| pool.bitvec(r.below(4) as u32, 2);
    let first = [constant(r), constant(r)];
    p.add_edge(Edge::new(entry, locs[0], &[], pool.tru(), &first));
    let terms = [vars[0], vars[1], pool.bitvec(1u32, 2), pool.bitvec(2u32, 2)];
    let ways = locs.iter().enumerate().map(|(k, &l)| (l, locs[(k + 1) % locs.len()]));
    for (source, target) in ways.chain([(r.pick(&locs), r.pick(&locs))]).collect::<Vec<_>>() {
        let inputs = if r.below(4) == 0 { vec![input] } else { vec![] };
        let guard = if r.below(2) == 0 { pool.tru() } else { random_guard(pool, r, &terms) };
        let seen = [&terms[..], &inputs].concat();
        let update = [random_value(pool, r, &seen), random_value(pool, r, &seen)];
        p.add_edge(Edge::new(source, target, &inputs, guard, &update));
    }
    let bad = pool.and2(pool.eq(vars[0], constant(r)), pool.eq(vars[1], constant(r)));
    p.add_edge(Edge::new(r.pick(&locs), error, &[], bad, &[]));
    p
}

fn random_value(pool: &TermPool, r: &mut Random, terms: &[Term]) -> Term {
    let (a, b) = (r.pick(terms), r.pick(terms));
    match r.below(3) {
        0 => a,
        1 => pool.bv_add(a, b),
        _ => pool.bv_and(a, b),
    }
}

fn random_guard(pool: &TermPool, r: &mut Random, terms: &[Term]) -> Term {
    let atom = |r: &mut Random| {
        let (a, b) = (random_value(pool, r, terms), random_value(pool, r, terms));
        match r.below(3) {
            0 => pool.eq(a, b),
            1 => pool.bv_ule(a, b),
            _ => pool.bv_ult(a, b),
        }
    };
    match r.below(4) {
        0 => pool.tru(),
        1 => pool.or2(atom(r), atom(r)),
        _ => pool.and2(atom(r), atom(r)),
    }
}

/// The length of a shortest run to the error, by search over all states.
pub fn shortest(pool: &TermPool, p: &Program) -> Option<usize> {
    let values: Vec<Value> = (0..4).map(|v| Value::BitVec(2, v.into())).collect();
    shortest_among(pool, p, &values)
}

/// The same, where inputs are one of these.
pub fn shortest_among(pool: &TermPool, p: &Program, values: &[Value]) -> Option<usize> {
    let mut seen: BTreeSet<(Loc, State)> = BTreeSet::from([(p.entry, vec![])]);
    let mut layer: Vec<(Loc, State)> = seen.iter().cloned().collect();
    for depth in 1.. {
        let mut next = Vec::new();
        for (l, state) in &layer {
            for e in p.edge_ids().filter(|&e| p.edge(e).source == *l) {
                let inputs: Vec<Vec<Value>> = match p.edge(e).inputs.len() {
                    0 => vec![vec![]],
                    _ => values.iter().map(|v| vec![v.clone()]).collect(),
                };
                for i in inputs {
                    let Some(state) = take(pool, p, state, e, &i) else { continue };
                    let target = p.edge(e).target;
                    if target == p.error {
                        return Some(depth);
                    }
                    if seen.insert((target, state.clone())) {
                        next.push((target, state));
                    }
                }
            }
        }
        if next.is_empty() {
            return None;
        }
        layer = next;
    }
    unreachable!("the state space is finite")
}
