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
