//! The facts that a proof needs, as [`crate::shrink`] finds the conjuncts of other invariants: from the error
//! location backwards, a conjunct is kept when the core of a query that shows a kept one contains it, or one
//! of its instances for the cells that the edge touches. Then a conjunct is dropped that the others at its
//! location imply.
//!
//! Entry point: [`needed`].

use palisade_program::{CutInvariants, EdgeId, Loc};
use palisade_smt::Answer;
use palisade_term::Term;
use rustc_hash::FxHashMap;

use crate::shrink::without_implied;
use crate::{Budget, Task};

/// Solver steps of one query.
const MAX_STEPS: u64 = 500_000;

/// The needed part of invariants of all locations that hold for all values of some integers. They come back
/// as they were if a query is not decided.
pub fn needed(task: &Task<'_>, budget: &Budget, invariants: CutInvariants) -> CutInvariants {
    let conjuncts = |f: &Option<Term>| f.map_or(Vec::new(), |f| task.pool.conjuncts(f));
    let all: Vec<Vec<Term>> = invariants.formulas.iter().map(conjuncts).collect();
    let none = vec![Vec::new(); all.len()];
    let mut search = Search { task, budget, invariants: &invariants, all, needed: none };
    let found = search.run();
    match found {
        Some(formulas) if invariants.first_interior().is_none() => CutInvariants { formulas, ..invariants },
        _ => invariants,
    }
}

struct Search<'t, 'a> {
    task: &'t Task<'a>,
    budget: &'t Budget,
    invariants: &'t CutInvariants,
    /// All conjuncts by location, and those known to be needed.
    all: Vec<Vec<Term>>,
    needed: Vec<Vec<Term>>,
}

impl Search<'_, '_> {
    fn run(&mut self) -> Option<Vec<Option<Term>>> {
        let (pool, program) = (self.task.pool, self.task.program);
        let incoming = program.incoming();
        let mut goals: Vec<(Loc, Term)> = vec![(program.error, pool.fls())];
        while let Some((l, goal)) = goals.pop() {
            for &e in &incoming[l.index()] {
                let source = program.edge(e).source;
                for found in self.reasons(e, goal)? {
                    if !self.needed[source.index()].contains(&found) {
                        self.needed[source.index()].push(found);
                        goals.push((source, found));
                    }
                }
            }
        }
        let formula = |l: Loc| match () {
            () if l == program.error => Some(Some(pool.fls())),
            () => {
                let needed = self.needed[l.index()].clone();
                without_implied(self.task, self.budget, needed).map(|kept| Some(pool.and(kept)))
            }
        };
        program.locs().map(formula).collect()
    }

    /// The conjuncts at an edge's source that show the goal behind it.
    fn reasons(&self, e: EdgeId, goal: Term) -> Option<Vec<Term>> {
        let (pool, program) = (self.task.pool, self.task.program);
        self.budget.check().ok()?;
        let edge = program.edge(e);
        let violated = pool.not(program.after(pool, e, goal));
        if violated == pool.fls() {
            return Some(Vec::new());
        }
        let touching: Vec<Term> = edge.update.iter().copied().chain([edge.guard, violated]).collect();
        let mut solver = self.task.solver(self.budget, Some(MAX_STEPS));
        solver.assert(edge.guard);
        solver.assert(violated);
        for conjuncts in [&self.needed[edge.source.index()], &self.all[edge.source.index()]] {
            let mut of: FxHashMap<Term, Term> = FxHashMap::default();
            let mut assumed: Vec<Term> = Vec::new();
            for &c in conjuncts {
                for instance in std::iter::once(c).chain(self.instances(c, &touching)) {
                    if of.insert(instance, c).is_none() {
                        assumed.push(instance);
                    }
                }
            }
            match solver.check(&assumed) {
                Answer::Unsat(core) => return Some(core.iter().filter_map(|t| of.get(t).copied()).collect()),
                Answer::Sat(_) => {}
                Answer::Unknown(_) => return None,
            }
        }
        None
    }

    /// The formula at other indices: one variable at a time.
    fn instances(&self, formula: Term, touching: &[Term]) -> Vec<Term> {
        let pool = self.task.pool;
        let mut out = Vec::new();
        for k in self.invariants.forall_of(pool, formula) {
            let indices = self.invariants.instances_of(pool, formula, k, touching.iter().copied());
            out.extend(
                indices.into_iter().map(|i| pool.substitute(formula, &[(k, i)].into_iter().collect())),
            );
        }
        out
    }
}
