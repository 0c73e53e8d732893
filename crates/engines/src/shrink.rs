//! Smaller invariants: what a proof needs, and nothing it says twice.
//!
//! The frames at a fixpoint hold everything that was learned on the way. A person who reads the invariant
//! wants what makes the property inductive (after Ivrii, Gurfinkel, Belov, "Small Inductive Safe Invariants",
//! FMCAD 2014):
//! - from the error location backwards, a conjunct is kept when the core of the query that shows a kept
//!   conjunct, or the error's exclusion, contains it;
//! - of what is kept, a conjunct that the others at its location imply is dropped, longest first.
//!
//! The result is again inductive and excludes the error. Should a query fail or the budget end, the
//! invariants come back as they were. Entry point: [`shrink`].

use palisade_program::{EdgeId, Invariants, Loc};
use palisade_smt::{Answer, Solver};
use palisade_term::Term;
use rustc_hash::FxHashSet;

use crate::{Budget, Task};

/// Solver steps of one query.
const MAX_STEPS: u64 = 500_000;
/// Locations with more conjuncts than this keep those that the others imply: finding them takes a query each.
const MAX_IMPLIED: usize = 200;

/// An inductive part of inductive invariants that still excludes the error location.
pub fn shrink(task: &Task<'_>, budget: &Budget, invariants: Invariants) -> Invariants {
    match Shrinker::new(task, budget, &invariants).run() {
        Some(smaller) => smaller,
        None => invariants,
    }
}

struct Shrinker<'t, 'a> {
    task: &'t Task<'a>,
    budget: &'t Budget,
    /// All conjuncts by location, and those known to be needed, in the order in which they were found.
    all: Vec<Vec<Term>>,
    needed: Vec<Vec<Term>>,
    solvers: Vec<Option<Box<dyn Solver + 'a>>>,
}

impl<'t, 'a> Shrinker<'t, 'a> {
    fn new(task: &'t Task<'a>, budget: &'t Budget, invariants: &Invariants) -> Shrinker<'t, 'a> {
        let n = task.program.locations.len();
        Shrinker {
            task,
            budget,
            all: invariants.formulas.iter().map(|&f| task.pool.conjuncts(f)).collect(),
            needed: vec![Vec::new(); n],
            solvers: task.program.edge_ids().map(|_| None).collect(),
        }
    }

    fn run(mut self) -> Option<Invariants> {
        let (pool, program) = (self.task.pool, self.task.program);
        let incoming = program.incoming();
        let mut goals: Vec<(Loc, Term)> = vec![(program.error, pool.fls())];
        while let Some((l, goal)) = goals.pop() {
            for &e in &incoming[l.index()] {
                for found in self.reasons(e, goal)? {
                    let source = program.edge(e).source;
                    self.needed[source.index()].push(found);
                    goals.push((source, found));
                }
            }
        }
        let mut out = Invariants::trivial(pool, program);
        for l in program.locs().filter(|&l| l != program.error) {
            let kept = self.without_implied(l)?;
            out.set(l, pool.and(kept));
        }
        Some(out)
    }

    /// The conjuncts at the edge's source, not yet known to be needed, that show the goal after the edge.
    fn reasons(&mut self, e: EdgeId, goal: Term) -> Option<Vec<Term>> {
        let (pool, program) = (self.task.pool, self.task.program);
        self.budget.check().ok()?;
        let source = program.edge(e).source;
        let violated = pool.not(program.after(pool, e, goal));
        if violated == pool.fls() {
            return Some(Vec::new());
        }
        let solver = self.solvers[e.index()].get_or_insert_with(|| {
            let mut solver = self.task.solver(self.budget, Some(MAX_STEPS));
            solver.assert(program.edge(e).guard);
            solver
        });
        let needed = &self.needed[source.index()];
        match solver.check_with(&[violated], needed) {
            Answer::Unsat(_) => return Some(Vec::new()),
            Answer::Unknown(_) => return None,
            Answer::Sat(_) => {}
        }
        match solver.check_with(&[violated], &self.all[source.index()]) {
            Answer::Unsat(core) => {
                let known: FxHashSet<Term> = needed.iter().copied().collect();
                let all: FxHashSet<Term> = self.all[source.index()].iter().copied().collect();
                Some(core.into_iter().filter(|t| all.contains(t) && !known.contains(t)).collect())
            }
            _ => None,
        }
    }

    /// The needed conjuncts of a location without those that the others imply.
    fn without_implied(&self, l: Loc) -> Option<Vec<Term>> {
        let pool = self.task.pool;
        let mut kept = self.needed[l.index()].clone();
        kept.sort_unstable();
        if kept.len() < 2 || kept.len() > MAX_IMPLIED {
            return Some(kept);
        }
        let mut longest_first = kept.clone();
        longest_first.sort_by_key(|&t| (std::cmp::Reverse(pool.dag_size(t)), t));
        let mut solver = self.task.solver(self.budget, Some(MAX_STEPS));
        for t in longest_first {
            self.budget.check().ok()?;
            let others: Vec<Term> = kept.iter().copied().filter(|&u| u != t).collect();
            if let Answer::Unsat(_) = solver.check_with(&[pool.not(t)], &others) {
                kept = others;
            }
        }
        Some(kept)
    }
}
