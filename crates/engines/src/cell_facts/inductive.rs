//! The guesses that are inductive together: guess and check (Flanagan and Leino, "Houdini, an Annotation
//! Assistant for ESC/Java", 2001), with instances of the guesses for the cells that an edge touches, and with
//! weaker guesses in the place of those that are dropped.

use std::collections::BTreeSet;

use palisade_program::{EdgeId, Loc};
use palisade_smt::{Answer, Solver};
use palisade_term::{Op, Sort, Substitution, Term, TermPool};
use rustc_hash::FxHashMap;

use super::guess::Guesses;
use super::table::{Groups, Snapshot, Table};
use crate::background::houdini;
use crate::{Budget, Task};

/// Steps of one query.
const MAX_STEPS: u64 = 100_000;
/// Queries about one edge before its guesses are given up.
const MAX_QUERIES: usize = 400;

/// What is guessed of one location.
pub struct Place {
    pub table: Table,
    /// By group; the last one is about variables alone.
    pub guesses: Vec<(Option<usize>, Guesses)>,
}

impl Place {
    /// All guesses as formulas about an index.
    pub fn terms(&self, pool: &TermPool, k: Term) -> Vec<(Option<usize>, Term)> {
        let mut out = Vec::new();
        for (group, guesses) in &self.guesses {
            let term = |g| (*group, guesses.term(pool, &self.table.variables, g, k));
            out.extend(guesses.all.iter().map(term));
        }
        out
    }

    /// Drops what follows from the rest, the more complicated ones first.
    pub fn without_implied(&mut self, task: &Task<'_>, budget: &Budget, k: Term) {
        let Place { table, guesses } = self;
        for (_, guesses) in guesses {
            let terms = guesses.all.iter().map(|g| guesses.term(task.pool, &table.variables, g, k));
            let mut kept: Vec<Term> = terms.collect();
            for i in (0..kept.len()).rev() {
                let others = (0..kept.len()).filter(|&j| j != i).map(|j| kept[j]);
                let mut solver = task.solver(budget, Some(MAX_STEPS));
                others.for_each(|t| solver.assert(t));
                if matches!(solver.check(&[task.pool.not(kept[i])]), Answer::Unsat(_)) {
                    guesses.all.remove(i);
                    kept.remove(i);
                }
            }
        }
    }

    fn is_empty(&self) -> bool {
        self.guesses.iter().all(|(_, g)| g.all.is_empty())
    }
}

/// Drops what is no invariant; `None` if the budget ended.
pub fn inductive(
    task: &Task<'_>,
    budget: &Budget,
    places: &mut [Place],
    groups: &Groups,
    known: &[(Loc, Term)],
    k: Term,
) -> Option<()> {
    let program = task.program;
    let outgoing = program.outgoing();
    let mut work: BTreeSet<EdgeId> = program.edge_ids().collect();
    while let Some(e) = work.pop_first() {
        let target = program.edge(e).target;
        if target == program.error || places[target.index()].is_empty() {
            continue;
        }
        if check(task, budget, places, groups, known, k, e)? {
            work.extend(&outgoing[target.index()]);
        }
    }
    Some(())
}

/// Drops the target's guesses that the edge does not preserve; true if there were any.
fn check(
    task: &Task<'_>,
    budget: &Budget,
    places: &mut [Place],
    groups: &Groups,
    known: &[(Loc, Term)],
    k: Term,
    e: EdgeId,
) -> Option<bool> {
    let (pool, program) = (task.pool, task.program);
    let edge = program.edge(e);
    let (source, target) = (edge.source.index(), edge.target.index());
    let update = program.update_map(e);
    let mut after = Substitution::new(pool, &update);
    let mut changed = false;
    let mut queries = 0;
    // On a loop, what is dropped is assumed no more, once nothing else is refuted: by a new solver.
    loop {
        let mut solver = task.solver(budget, Some(MAX_STEPS));
        solver.assert(edge.guard);
        known.iter().filter(|(l, _)| *l == edge.source).for_each(|&(_, t)| solver.assert(t));
        let goals = goals(pool, &places[target], k, &mut after);
        let touched = touched(pool, groups, edge.update.iter().copied().chain([edge.guard]).chain(goals));
        for (group, term) in places[source].terms(pool, k) {
            solver.assert(term);
            let at = group.and_then(|g| touched.get(&g)).into_iter().flatten();
            for &index in at {
                let map = [(k, index)].into_iter().collect();
                solver.assert(pool.substitute(term, &map));
            }
        }
        let mut assumes_too_much = false;
        loop {
            budget.check().ok()?;
            queries += 1;
            let goals = self::goals(pool, &places[target], k, &mut after);
            if goals.is_empty() {
                return Some(changed);
            }
            let broken = pool.or(goals.iter().map(|&g| pool.not(g)));
            let dropped = match solver.check(&[broken]) {
                Answer::Unsat(_) if assumes_too_much => break,
                Answer::Unsat(_) => return Some(changed),
                Answer::Sat(model) => {
                    let next = houdini::behind(pool, program, e, &model)?;
                    let vars = program.vars(edge.target);
                    let at = |v: Term| vars.iter().position(|&w| w == v).expect("a variable of it");
                    let Place { table, guesses } = &mut places[target];
                    let snapshot = Snapshot::exact(&table.variables, |v| next[at(v)].clone());
                    let index = Snapshot::number(&pool.eval(k, &model));
                    match (snapshot, index) {
                        (Some(snapshot), Some(index)) => {
                            guesses.iter_mut().map(|(_, g)| g.instead(table, &snapshot, index)).sum()
                        }
                        _ => 0,
                    }
                }
                Answer::Unknown(_) => 0,
            };
            if dropped == 0 || queries > MAX_QUERIES {
                // Undecided as a whole, or numbers beyond those that are looked at: one by one.
                if !drop_unproved(pool, &mut *solver, &mut places[target], k, &mut after, budget)? {
                    return Some(changed);
                }
            }
            changed = true;
            assumes_too_much = source == target;
        }
    }
}

/// Drops the guesses that are not proved alone.
fn drop_unproved(
    pool: &TermPool,
    solver: &mut dyn Solver,
    place: &mut Place,
    k: Term,
    after: &mut Substitution<'_, '_>,
    budget: &Budget,
) -> Option<bool> {
    let Place { table, guesses } = place;
    let mut dropped = false;
    for (_, guesses) in guesses {
        let mut i = 0;
        while i < guesses.all.len() {
            budget.check().ok()?;
            let goal = after.apply(guesses.term(pool, &table.variables, &guesses.all[i], k));
            if matches!(solver.check(&[pool.not(goal)]), Answer::Unsat(_)) {
                i += 1;
            } else {
                guesses.drop_at(i);
                dropped = true;
            }
        }
    }
    Some(dropped)
}

/// The guesses of a place behind an edge, but those that hold anyway.
fn goals(pool: &TermPool, place: &Place, k: Term, after: &mut Substitution<'_, '_>) -> Vec<Term> {
    let goals = place.terms(pool, k).into_iter().map(|(_, t)| after.apply(t));
    goals.filter(|&t| pool.as_bool(t) != Some(true)).collect()
}

/// The indices at which formulas touch the arrays of each group.
pub fn touched(
    pool: &TermPool,
    groups: &Groups,
    terms: impl IntoIterator<Item = Term>,
) -> FxHashMap<usize, Vec<Term>> {
    let mut out: FxHashMap<usize, Vec<Term>> = FxHashMap::default();
    pool.visit(terms, |t| {
        if matches!(pool.op(t), Op::Select | Op::Store) && *pool.sort(pool.args(t)[1]) == Sort::Int {
            let (array, index) = (pool.args(t)[0], pool.args(t)[1]);
            if let Some(group) = groups.of_term(pool, array) {
                let all = out.entry(group).or_default();
                if !all.contains(&index) {
                    all.push(index);
                }
            }
        }
    });
    out
}
