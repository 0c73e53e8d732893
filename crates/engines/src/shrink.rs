//! Smaller invariants: what a proof needs, and nothing it says twice.
//!
//! The frames at a fixpoint hold everything that was learned on the way. A person who reads the invariant
//! wants what makes the property inductive (after Ivrii, Gurfinkel, Belov, "Small Inductive Safe Invariants",
//! FMCAD 2014):
//! - from the error location backwards, a conjunct is kept when the core of the query that shows a kept
//!   conjunct, or the error's exclusion, contains it;
//! - of what is kept, a conjunct that the others at its location imply is dropped, longest first;
//! - in a disjunction of conjunctions (the invariant of several tree nodes) a disjunct goes that the others
//!   have, a part of a disjunct that the rest implies, a literal of such a part that the rest excludes, and
//!   then every part without which the invariants are still inductive.
//!
//! The result is again inductive and excludes the error. Should a query fail or the budget end, the
//! invariants come back as they were. Entry point: [`shrink`].

use palisade_program::{EdgeId, Invariants, Loc};
use palisade_smt::{Answer, Solver};
use palisade_term::{Term, TermPool};
use rustc_hash::FxHashSet;

use crate::{Budget, Task};

/// Solver steps of one query.
const MAX_STEPS: u64 = 500_000;
/// Locations with more conjuncts than this keep those that the others imply: finding them takes a query each.
const MAX_IMPLIED: usize = 200;

/// Solver steps of a query that may fail.
const MAX_TRY: u64 = 50_000;
/// Queries that making the disjunctions of one run smaller may take.
const MAX_TRIES: u32 = 2_000;

/// An inductive part of inductive invariants that still excludes the error location.
pub fn shrink(task: &Task<'_>, budget: &Budget, invariants: Invariants) -> Invariants {
    match Shrinker::new(task, budget, &invariants).run() {
        Some(smaller) => smaller,
        None => invariants,
    }
}

/// A disjunction of conjunctions.
type Cases = Vec<Vec<Term>>;

fn formula(pool: &TermPool, cases: &[Vec<Term>]) -> Term {
    pool.or(cases.iter().map(|c| pool.and(c.iter().copied())))
}

struct Shrinker<'t, 'a> {
    task: &'t Task<'a>,
    budget: &'t Budget,
    /// All conjuncts by location, and those known to be needed, in the order in which they were found.
    all: Vec<Vec<Term>>,
    needed: Vec<Vec<Term>>,
    solvers: Vec<Option<Box<dyn Solver + 'a>>>,
    /// Queries left for disjunctions.
    tries: u32,
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
            tries: MAX_TRIES,
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
        for l in program.locs().filter(|&l| l != program.error) {
            for conjunct in pool.conjuncts(out.at(l)) {
                self.smaller_disjunction(&mut out, l, conjunct)?;
            }
        }
        Some(out)
    }

    /// Makes one conjunct of a location smaller, if it is a disjunction of conjunctions.
    fn smaller_disjunction(&mut self, out: &mut Invariants, l: Loc, conjunct: Term) -> Option<()> {
        let pool = self.task.pool;
        let mut cases: Cases = pool.disjuncts(conjunct).iter().map(|&d| pool.conjuncts(d)).collect();
        if cases.len() < 2 || cases.iter().all(|c| c.len() < 2) {
            return Some(());
        }
        let mut others = pool.conjuncts(out.at(l));
        others.retain(|&c| c != conjunct);
        let whole = |cases: &Cases| pool.and(others.iter().copied().chain([formula(pool, cases)]));
        self.equivalent(&mut cases, &others)?;
        out.set(l, whole(&cases));
        let mut weaker = false;
        // A part that an edge leads from one case into another needs to go from both at once, or stay.
        let mut parts = cases.concat();
        parts.sort_unstable();
        parts.dedup();
        let everywhere = parts.into_iter().map(|part| (None, part));
        let single = cases.iter().enumerate().flat_map(|(i, c)| c.iter().map(move |&part| (Some(i), part)));
        for (only, part) in everywhere.chain(single).collect::<Vec<_>>() {
            let mut candidate = cases.clone();
            let here = |&(i, _): &(usize, &mut Vec<Term>)| only.is_none_or(|k| k == i);
            candidate.iter_mut().enumerate().filter(here).for_each(|(_, c)| c.retain(|&p| p != part));
            if candidate == cases {
                continue;
            }
            let before = out.at(l);
            out.set(l, whole(&candidate));
            if self.leaves_well(out, l)? {
                (cases, weaker) = (candidate, true);
            } else {
                out.set(l, before);
            }
        }
        if weaker {
            self.equivalent(&mut cases, &others)?;
            out.set(l, whole(&cases));
        }
        Some(())
    }

    /// Makes cases smaller without changing the states that they have together, among those of the others.
    fn equivalent(&mut self, cases: &mut Cases, others: &[Term]) -> Option<()> {
        let pool = self.task.pool;
        let mut solver = self.task.solver(self.budget, Some(MAX_TRY));
        others.iter().for_each(|&c| solver.assert(c));
        for i in (0..cases.len()).rev() {
            let rest: Cases =
                cases.iter().enumerate().filter(|&(j, _)| j != i).map(|(_, c)| c.clone()).collect();
            let outside = pool.not(formula(pool, &rest));
            if !rest.is_empty() && self.excluded(&mut *solver, &[outside], &cases[i])? {
                cases.remove(i);
                continue;
            }
            for k in (0..cases[i].len()).rev() {
                let part = cases[i][k];
                let mut without = cases[i].clone();
                without.remove(k);
                if self.excluded(&mut *solver, &[outside, pool.not(part)], &without)? {
                    cases[i] = without;
                    continue;
                }
                let mut literals = pool.disjuncts(part);
                for n in (0..literals.len()).rev().filter(|_| part != pool.fls()) {
                    let mut fewer = literals.clone();
                    let dropped = fewer.remove(n);
                    let lost = [outside, dropped, pool.not(pool.or(fewer.iter().copied()))];
                    if !fewer.is_empty() && self.excluded(&mut *solver, &lost, &without)? {
                        literals = fewer;
                    }
                }
                cases[i][k] = pool.or(literals);
            }
        }
        Some(())
    }

    /// Are there no such states? What is not decided counts as there being some.
    fn excluded(&mut self, solver: &mut dyn Solver, claim: &[Term], parts: &[Term]) -> Option<bool> {
        self.budget.check().ok()?;
        if self.tries == 0 {
            return Some(false);
        }
        self.tries -= 1;
        Some(matches!(solver.check_with(claim, parts), Answer::Unsat(_)))
    }

    /// Does every edge that leaves a location lead into the invariants, the error excluded?
    fn leaves_well(&mut self, inv: &Invariants, l: Loc) -> Option<bool> {
        let (pool, program) = (self.task.pool, self.task.program);
        for e in program.edge_ids().filter(|&e| program.edge(e).source == l) {
            let violated = pool.not(program.after(pool, e, inv.at(program.edge(e).target)));
            let mut solver = self.task.solver(self.budget, Some(MAX_TRY));
            solver.assert(program.edge(e).guard);
            if !self.excluded(&mut *solver, &[violated], &pool.conjuncts(inv.at(l)))? {
                return Some(false);
            }
        }
        Some(true)
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
        without_implied(self.task, self.budget, self.needed[l.index()].clone())
    }
}

/// Conjuncts without those that the others imply, longest first. All of them if there are too many to ask.
pub(crate) fn without_implied(task: &Task<'_>, budget: &Budget, mut kept: Vec<Term>) -> Option<Vec<Term>> {
    let pool = task.pool;
    kept.sort_unstable();
    if kept.len() < 2 || kept.len() > MAX_IMPLIED {
        return Some(kept);
    }
    let mut longest_first = kept.clone();
    longest_first.sort_by_key(|&t| (std::cmp::Reverse(pool.dag_size(t)), t));
    let mut solver = task.solver(budget, Some(MAX_STEPS));
    for t in longest_first {
        budget.check().ok()?;
        let others: Vec<Term> = kept.iter().copied().filter(|&u| u != t).collect();
        if let Answer::Unsat(_) = solver.check_with(&[pool.not(t)], &others) {
            kept = others;
        }
    }
    Some(kept)
}
