//! Affine relations modulo two at every location, by models: Karr's analysis over the field with two elements.
//!
//! The abstract state is the affine hull of the parity vectors seen: a point and directions in echelon form, one machine word each. A state that leaves it adds a
//! direction, so a location changes at most once per integer variable. What comes out are the equations of the hull, such as `i + j + n` is even.
//! Relations of one variable, and of two, are left to [`super::congruence`], which knows every modulus.

use std::collections::BTreeSet;

use palisade_program::{EdgeId, Loc, take};
use palisade_smt::Answer;
use palisade_term::{Assignment, Sort, Term, TermPool, Value, eval::Evaluator};

use super::Allowance;
use crate::{Budget, Task};

/// Locations with fewer integer variables than this have no relation worth finding here, with more than that no room in a word.
const VARIABLES: std::ops::RangeInclusive<usize> = 3..=60;

/// An affine space of parity vectors; bit `i` belongs to the location's `i`-th integer variable.
#[derive(Clone)]
struct Hull {
    point: u64,
    /// Echelon form: the highest bit of each occurs in no other.
    directions: Vec<u64>,
}

impl Hull {
    /// Extends to a vector; false if it was included.
    fn join(&mut self, vector: u64) -> bool {
        let mut d = vector ^ self.point;
        for &b in &self.directions {
            if d & lead(b) != 0 {
                d ^= b;
            }
        }
        if d == 0 {
            return false;
        }
        for b in &mut self.directions {
            if *b & lead(d) != 0 {
                *b ^= d;
            }
        }
        self.directions.push(d);
        true
    }

    /// The equations of the space: a mask and the parity of the variables in it.
    fn equations(&self, variables: usize) -> Vec<(u64, bool)> {
        let leads: u64 = self.directions.iter().map(|&d| lead(d)).sum();
        let free = (0..variables).map(|i| 1u64 << i).filter(|bit| leads & bit == 0);
        free.map(|bit| {
            // The variable of `bit` follows from the leading ones whose direction moves it.
            let mask = self.directions.iter().filter(|d| *d & bit != 0).fold(bit, |m, &d| m | lead(d));
            (mask, (self.point & mask).count_ones() % 2 == 1)
        })
        .collect()
    }
}

fn lead(d: u64) -> u64 {
    1 << (63 - d.leading_zeros())
}

/// The integer variables of a location.
fn integers(task: &Task<'_>, l: Loc) -> Vec<Term> {
    task.program.vars(l).iter().copied().filter(|&v| *task.pool.sort(v) == Sort::Int).collect()
}

/// The equations of a hull as literals over the location's variables.
fn literals<'t>(pool: &'t TermPool, vars: &'t [Term], hull: &Hull) -> impl Iterator<Item = (u32, Term)> + 't {
    hull.equations(vars.len()).into_iter().map(|(mask, odd)| {
        let sum = pool.add((0..vars.len()).filter(|i| mask >> i & 1 == 1).map(|i| vars[i]));
        (mask.count_ones(), pool.eq(pool.int_mod(sum, pool.int(2)), pool.int(i64::from(odd))))
    })
}

/// All relations of three and more variables modulo two, as literals by location; `known` are invariants already found.
pub fn analyse(task: &Task<'_>, budget: &Budget, known: &[(Loc, Term)]) -> Vec<(Loc, Term)> {
    if !task.program.locs().any(|l| VARIABLES.contains(&integers(task, l).len())) {
        return Vec::new();
    }
    let mut state: Vec<Option<Hull>> = vec![None; task.program.locations.len()];
    let mut allowance = Allowance::new(budget);
    let outgoing = task.program.outgoing();
    let mut work: BTreeSet<EdgeId> = outgoing[task.program.entry.index()].iter().copied().collect();
    while let Some(e) = work.pop_first() {
        let target = task.program.edge(e).target;
        if target == task.program.error {
            continue;
        }
        match saturate(task, &mut allowance, &mut state, known, e) {
            None => return Vec::new(),
            Some(true) => work.extend(&outgoing[target.index()]),
            Some(false) => {}
        }
    }
    let mut out = Vec::new();
    for l in task.program.locs() {
        let vars = integers(task, l);
        if let Some(hull) = &state[l.index()]
            && VARIABLES.contains(&vars.len())
        {
            out.extend(literals(task.pool, &vars, hull).filter(|(n, _)| *n > 2).map(|(_, t)| (l, t)));
        }
    }
    out
}

/// Joins what the edge can reach until nothing new comes; true if the target's state changed.
fn saturate(
    task: &Task<'_>,
    allowance: &mut Allowance,
    state: &mut [Option<Hull>],
    known: &[(Loc, Term)],
    e: EdgeId,
) -> Option<bool> {
    let (pool, program) = (task.pool, task.program);
    let edge = program.edge(e);
    let (sources, targets) = (integers(task, edge.source), integers(task, edge.target));
    let mut solver = task.solvers.solver(pool);
    solver.set_limits(allowance.limits());
    for &(l, t) in known {
        if l == edge.source {
            solver.assert(t);
        }
    }
    if let Some(hull) = &state[edge.source.index()]
        && VARIABLES.contains(&sources.len())
    {
        literals(pool, &sources, hull).for_each(|(_, t)| solver.assert(t));
    }
    solver.assert(edge.guard);
    let mut changed = false;
    loop {
        allowance.spend()?;
        let leaves = match &state[edge.target.index()] {
            None => pool.tru(),
            Some(_) if !VARIABLES.contains(&targets.len()) => pool.fls(),
            Some(hull) => {
                pool.or(literals(pool, &targets, hull).map(|(_, t)| pool.not(program.after(pool, e, t))))
            }
        };
        if leaves == pool.fls() {
            return Some(changed);
        }
        let model = match solver.check(&[leaves]) {
            Answer::Unsat(_) => return Some(changed),
            Answer::Unknown(_) => return None,
            Answer::Sat(model) => model,
        };
        let value = |v: &Term| model.get(*v).cloned().unwrap_or_else(|| Value::default_of(pool.sort(*v)));
        let before: Vec<Value> = program.vars(edge.source).iter().map(value).collect();
        let inputs: Vec<Value> = edge.inputs.iter().map(value).collect();
        let next = take(pool, program, &before, e, &inputs)?;
        let after: Assignment = program.vars(edge.target).iter().copied().zip(next).collect();
        let mut ev = Evaluator::new(pool, &after);
        let mut vector = 0;
        for (i, &v) in targets.iter().enumerate().take(*VARIABLES.end()) {
            vector |= u64::from(ev.eval(v).as_int().bit(0)) << i;
        }
        match &mut state[edge.target.index()] {
            slot @ None => *slot = Some(Hull { point: vector, directions: Vec::new() }),
            Some(hull) => {
                if !hull.join(vector) {
                    return None; // the model does not leave the state: do not trust it
                }
            }
        }
        changed = true;
    }
}

#[cfg(test)]
mod tests {
    use super::Hull;

    /// The hull of even-weight vectors has the one equation that says so.
    #[test]
    fn equations_describe_the_vectors_joined() {
        let mut hull = Hull { point: 0b000, directions: Vec::new() };
        assert!(hull.join(0b011) && hull.join(0b110));
        assert!(!hull.join(0b101));
        assert_eq!(hull.equations(3), [(0b111, false)]);
        assert!(hull.join(0b100));
        assert_eq!(hull.equations(3), []);
    }

    /// Every vector of a random space satisfies its equations, and there are as many as dimensions missing.
    #[test]
    fn equations_and_directions_are_complementary() {
        let mut seed = 0x9e37_79b9_7f4a_7c15_u64;
        let mut next = || {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            seed
        };
        for _ in 0..200 {
            let n = 2 + (next() % 9) as usize;
            let vectors: Vec<u64> = (0..next() % 8 + 1).map(|_| next() % (1 << n)).collect();
            let mut hull = Hull { point: vectors[0], directions: Vec::new() };
            for &v in &vectors {
                hull.join(v);
            }
            let equations = hull.equations(n);
            assert_eq!(equations.len() + hull.directions.len(), n);
            for (mask, odd) in equations {
                assert!(vectors.iter().all(|v| ((v & mask).count_ones() % 2 == 1) == odd));
            }
        }
    }
}
