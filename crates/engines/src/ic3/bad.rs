//! Bad cubes: which literals of a bad state its badness needs.
//!
//! Cimatti and Griggio, "Software Model Checking via IC3" (CAV 2012), section 6.1, reduce bad cubes by the
//! *dual-rail encoding* (Roorda and Claessen, "SAT-Based Assistance in Abstraction Refinement for Symbolic
//! Trajectory Evaluation", CAV 2006): every atom of the formula is known to be true, known to be false, or
//! unknown, and the formula has to be known to be true. With the values of a model given, an atom needs one
//! Boolean, "it is known", and the encoding is monotone in these. A minimal set of known atoms is a minimal
//! core of its negation, which is a question without arithmetic. The other way asks about the atoms
//! themselves: the core of `model's literals and not formula`, which sees that one atom implies another.
//!
//! Entry points: [`dual_rail`] and [`core()`]. Both return literals of the formula's atoms that hold in the
//! model and imply the formula.

use palisade_smt::Answer;
use palisade_term::eval::Evaluator;
use palisade_term::{Assignment, Op, Sort, Term};
use rustc_hash::FxHashMap;

use crate::{Budget, Task};

/// The literals of the atoms of a formula under a model.
fn literals(task: &Task<'_>, formula: Term, model: &Assignment) -> Vec<Term> {
    let pool = task.pool;
    let mut ev = Evaluator::new(pool, model);
    let atoms = pool.atoms(formula).into_iter().filter(|&a| pool.as_bool(a).is_none());
    atoms.map(|a| if ev.holds(a) { a } else { pool.not(a) }).collect()
}

/// Literals of the model that make the formula true whatever the other atoms are.
pub fn dual_rail(task: &Task<'_>, budget: &Budget, formula: Term, model: &Assignment) -> Vec<Term> {
    let pool = task.pool;
    let formula = pool.nnf(formula);
    let literals = literals(task, formula, model);
    let known: Vec<Term> = literals.iter().map(|_| pool.fresh_var("known", Sort::Bool)).collect();
    // "Is known to be true", for every part of the formula.
    let mut rail: FxHashMap<Term, Term> = literals.iter().copied().zip(known.iter().copied()).collect();
    let mut stack = vec![formula];
    while let Some(&t) = stack.last() {
        if rail.contains_key(&t) {
            stack.pop();
            continue;
        }
        let args = pool.args(t);
        let made = match pool.op(t) {
            Op::And | Op::Or => {
                let before = stack.len();
                stack.extend(args.iter().filter(|a| !rail.contains_key(a)));
                if stack.len() > before {
                    continue;
                }
                let parts: Vec<Term> = args.iter().map(|a| rail[a]).collect();
                if *pool.op(t) == Op::And { pool.and(parts) } else { pool.or(parts) }
            }
            // A constant is what it is; any other literal contradicts the model.
            _ => pool.bool(pool.as_bool(t) == Some(true)),
        };
        rail.insert(t, made);
        stack.pop();
    }
    let mut solver = task.solver(budget, None);
    solver.assert(pool.not(rail[&formula]));
    match solver.check(&known) {
        Answer::Unsat(core) => {
            let core = solver.minimize_core(&[], &core);
            let needed = literals.iter().zip(&known).filter(|(_, k)| core.contains(k));
            needed.map(|(&l, _)| l).collect()
        }
        Answer::Sat(_) | Answer::Unknown(_) => literals,
    }
}

/// Literals of the model that imply the formula.
pub fn core(task: &Task<'_>, budget: &Budget, formula: Term, model: &Assignment) -> Vec<Term> {
    let literals = literals(task, formula, model);
    let mut solver = task.solver(budget, None);
    solver.assert(task.pool.not(formula));
    match solver.check(&literals) {
        Answer::Unsat(core) => solver.minimize_core(&[], &core),
        Answer::Sat(_) | Answer::Unknown(_) => literals,
    }
}
