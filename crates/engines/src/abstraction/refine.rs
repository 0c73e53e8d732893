//! From a spurious abstract path to the predicates that exclude it.
//!
//! After Cimatti, Griggio, Mover and Tonetta, "IC3 Modulo Theories via Implicit Predicate Abstraction" (TACAS 2014): the
//! path is unrolled; if it is feasible, it is the counterexample; otherwise the atoms of its sequence interpolants exclude
//! it, and a minimal part of them is kept. What is minimal is asked of the *abstract* path: positions are linked only by
//! the predicates of their location (the paper's `EQ`), new predicates under an activation literal each, and the core of
//! the refutation says which are needed.
//!
//! Entry point: [`refine`].

use palisade_program::{EdgeId, Loc, Run};
use palisade_smt::Answer;
use palisade_term::{Sort, Term};

use super::predicates::{Predicates, atoms};
use crate::path::{Path, Question, Refutation};
use crate::{Budget, Task};

/// What became of an abstract path.
pub enum Refinement {
    /// It is real.
    Run(Run),
    /// These predicates exclude it.
    Predicates(Vec<(Loc, Term)>),
    /// The path could not be decided, or its interpolants have no atom that is new.
    Failed(String),
}

/// Solver steps of the search for a minimal set of predicates.
const MAX_STEPS: u64 = 200_000;

/// Makes a run of the path or finds predicates that exclude it.
pub fn refine(
    task: &Task<'_>,
    budget: &Budget,
    edges: Vec<EdgeId>,
    predicates: &Predicates,
    split_equations: bool,
    minimize: bool,
) -> Refinement {
    let pool = task.pool;
    let path = Path::new(task, task.program.entry, edges);
    let interpolants = match path.refute(task, budget, &Question { known: &[], goal: pool.tru() }) {
        Refutation::Feasible(model) => {
            return match path.run(&model) {
                Some(run) => Refinement::Run(run),
                None => Refinement::Failed("a feasible path could not be executed".into()),
            };
        }
        Refutation::Interpolants(sequence) => sequence,
        Refutation::Unknown(why) => return Refinement::Failed(why),
    };
    let mut found: Vec<(Loc, Term)> = Vec::new();
    for (k, &interpolant) in interpolants.iter().enumerate() {
        let l = path.location(k + 1);
        for atom in atoms(pool, interpolant, split_equations) {
            let (_, atom) = pool.strip_not(atom);
            let new = pool.as_bool(atom).is_none() && !predicates.contains(pool, l, atom);
            if new && !found.contains(&(l, atom)) {
                found.push((l, atom));
            }
        }
    }
    if found.is_empty() {
        return Refinement::Failed("the interpolants of a spurious path bring no new predicate".into());
    }
    if minimize && let Some(needed) = needed(task, budget, &path, predicates, &found) {
        found = needed;
    }
    Refinement::Predicates(found)
}

/// The new predicates that the refutation of the abstract path needs.
fn needed(
    task: &Task<'_>,
    budget: &Budget,
    path: &Path<'_>,
    predicates: &Predicates,
    new: &[(Loc, Term)],
) -> Option<Vec<(Loc, Term)>> {
    let Task { pool, program, .. } = *task;
    let mut solver = task.solver(budget, Some(MAX_STEPS));
    let switches: Vec<Term> = new.iter().map(|_| pool.fresh_var("needs", Sort::Bool)).collect();
    for (k, &e) in path.edges().iter().enumerate() {
        solver.assert(path.at(k, program.edge(e).guard));
        let target = path.location(k + 1);
        // A predicate after edge `k` as it is seen before it, and at position `k + 1`.
        let link = |p: Term| pool.eq(path.at(k, program.after(pool, e, p)), path.at(k + 1, p));
        for &p in predicates.at(target) {
            solver.assert(link(p));
        }
        for (&(l, p), &switch) in new.iter().zip(&switches) {
            if l == target {
                solver.assert(pool.implies(switch, link(p)));
            }
        }
    }
    let Answer::Unsat(core) = solver.check(&switches) else { return None };
    let core = solver.minimize_core(&[], &core);
    let needed = new.iter().zip(&switches).filter(|(_, s)| core.contains(s)).map(|(p, _)| *p);
    Some(needed.collect())
}
