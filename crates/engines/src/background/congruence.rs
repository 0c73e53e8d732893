//! Congruences at every location, by models (the domain of Granger 1989).
//!
//! For every integer variable, and for sums and differences of two where there are few, the abstract state is `expression = residue (mod modulus)`; modulus 0 means a
//! constant, modulus 1 means anything. A state that leaves it replaces the modulus by the greatest common divisor with the distance, so every expression
//! changes only a few times.

use std::collections::BTreeSet;

use num_integer::Integer as _;
use num_traits::{One, Zero};
use palisade_program::{EdgeId, Loc, take};
use palisade_smt::Answer;
use palisade_term::{Integer, Sort, Term, Value, eval::Evaluator};

use super::Allowance;
use crate::{Budget, Task};

/// Locations with more integer variables than this get no sums and differences.
const MAX_PAIRWISE: usize = 6;

/// `expression = residue (mod modulus)`.
#[derive(Clone)]
struct Congruence {
    expression: Term,
    modulus: Integer,
    residue: Integer,
}

impl Congruence {
    /// Extends to a value; false if it was included.
    fn join(&mut self, value: &Integer) -> bool {
        let modulus = self.modulus.gcd(&(value - &self.residue));
        if modulus == self.modulus {
            return false;
        }
        if !modulus.is_zero() {
            self.residue = self.residue.mod_floor(&modulus);
        }
        self.modulus = modulus;
        true
    }

    /// As a literal; true when it says nothing.
    fn literal(&self, task: &Task<'_>) -> Term {
        let pool = task.pool;
        let residue = pool.int(self.residue.clone());
        if self.modulus.is_zero() {
            return pool.eq(self.expression, residue);
        }
        pool.eq(pool.int_mod(self.expression, pool.int(self.modulus.clone())), residue)
    }
}

/// All congruences with a modulus of at least two, as literals by location; `known` are invariants already found.
pub fn analyse(task: &Task<'_>, budget: &Budget, known: &[(Loc, Term)]) -> Vec<(Loc, Term)> {
    let mut state: Vec<Option<Vec<Congruence>>> = vec![None; task.program.locations.len()];
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
        let found = state[l.index()].iter().flatten().filter(|c| c.modulus > Integer::one());
        out.extend(found.map(|c| (l, c.literal(task))));
    }
    out
}

/// Joins what the edge can reach until nothing new comes; true if the target's state changed.
fn saturate(
    task: &Task<'_>,
    allowance: &mut Allowance,
    state: &mut [Option<Vec<Congruence>>],
    known: &[(Loc, Term)],
    e: EdgeId,
) -> Option<bool> {
    let (pool, program) = (task.pool, task.program);
    let edge = program.edge(e);
    let mut solver = task.solvers.solver(pool);
    solver.set_limits(allowance.limits());
    for &(l, t) in known {
        if l == edge.source {
            solver.assert(t);
        }
    }
    for c in state[edge.source.index()].iter().flatten() {
        solver.assert(c.literal(task));
    }
    solver.assert(edge.guard);
    let mut changed = false;
    loop {
        allowance.spend()?;
        let leaves = match &state[edge.target.index()] {
            None => pool.tru(),
            Some(cs) => pool.or(cs.iter().map(|c| pool.not(program.after(pool, e, c.literal(task))))),
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
        let after = program.vars(edge.target).iter().copied().zip(next).collect();
        let mut ev = Evaluator::new(pool, &after);
        match &mut state[edge.target.index()] {
            slot @ None => {
                let start = |t: Term| {
                    let residue = ev.eval(t).as_int().clone();
                    Congruence { expression: t, modulus: Integer::zero(), residue }
                };
                *slot = Some(expressions(task, edge.target).into_iter().map(start).collect());
            }
            Some(cs) => {
                let mut grew = false;
                for c in cs.iter_mut() {
                    grew |= c.join(ev.eval(c.expression).as_int());
                }
                if !grew {
                    return None; // the model does not leave the state: do not trust it
                }
                cs.retain(|c| !c.modulus.is_one());
            }
        }
        changed = true;
    }
}

/// The expressions that are watched at a location.
fn expressions(task: &Task<'_>, l: Loc) -> Vec<Term> {
    let pool = task.pool;
    let vars: Vec<Term> =
        task.program.vars(l).iter().copied().filter(|&v| *pool.sort(v) == Sort::Int).collect();
    let mut out = vars.clone();
    if vars.len() <= MAX_PAIRWISE {
        for (i, &a) in vars.iter().enumerate() {
            for &b in &vars[i + 1..] {
                out.push(pool.sub(a, b));
                out.push(pool.add2(a, b));
            }
        }
    }
    out
}
