//! Abstraction of post-images.
//!
//! The Cartesian part comes first: predicates that have one value after the edge, found with as few queries
//! as models allow. The Boolean part enumerates the values of the others with `all_sat` (Lahiri, Nieuwenhuis,
//! Oliveras, "SMT Techniques for Fast Predicate Abstraction", CAV 2006); cubes that differ in one literal are
//! merged.

use palisade_program::EdgeId;
use palisade_smt::project::{Enumeration, all_sat};
use palisade_smt::{Answer, Solver};
use palisade_term::eval::Evaluator;
use palisade_term::{Assignment, Term};

use super::Precision;
use crate::{Budget, Stop, Task};

/// Abstractions that a solver makes before it is replaced.
const MAX_USES: u32 = 300;
/// With more cubes than this, merging them costs more than it saves.
const MAX_MERGED: usize = 128;

/// Counters.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct AbstractionStats {
    pub computed: u64,
    pub cartesian: u64,
    pub cubes: u64,
    pub queries: u64,
    pub undecided: u64,
}

/// Computes abstractions; keeps a solver for each edge.
pub(super) struct Abstraction<'a> {
    task: Task<'a>,
    budget: Budget,
    solvers: Vec<Option<(Box<dyn Solver + 'a>, u32)>>,
    pub stats: AbstractionStats,
}

/// What a predicate is after the edge.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Seen {
    Only(bool),
    Both,
}

impl<'a> Abstraction<'a> {
    pub fn new(task: &Task<'a>, budget: &Budget) -> Self {
        let solvers = task.program.edge_ids().map(|_| None).collect();
        Abstraction { task: *task, budget: budget.clone(), solvers, stats: AbstractionStats::default() }
    }

    /// The strongest formula over the predicates that holds after the edge from the clauses, as conjuncts. A
    /// query that is not decided makes it weaker.
    pub fn post(&mut self, clauses: &[Term], e: EdgeId, predicates: &[Term]) -> Result<Vec<Term>, Stop> {
        let pool = self.task.pool;
        self.stats.computed += 1;
        let update = self.task.program.update_map(e);
        let after: Vec<Term> = predicates.iter().map(|&p| pool.substitute(p, &update)).collect();
        if self.solvers[e.index()].as_ref().is_some_and(|(_, uses)| *uses >= MAX_USES) {
            self.solvers[e.index()] = None;
        }
        let solver = self.solver(e);
        solver.push();
        for &c in clauses {
            solver.assert(c);
        }
        let queries = solver.stats().queries;
        let result = self.enumerate(e, predicates, &after);
        let solver = self.solver(e);
        solver.pop(1);
        let asked = solver.stats().queries - queries;
        self.stats.queries += asked;
        if let Some((_, uses)) = &mut self.solvers[e.index()] {
            *uses += 1;
        }
        // What was interrupted is not an abstraction.
        self.budget.check()?;
        Ok(result)
    }

    fn solver(&mut self, e: EdgeId) -> &mut dyn Solver {
        let slot = &mut self.solvers[e.index()];
        let (solver, _) = slot.get_or_insert_with(|| {
            let mut solver = self.task.solver(&self.budget, None);
            solver.assert(self.task.program.edge(e).guard);
            (solver, 0)
        });
        &mut **solver
    }

    /// What is asserted in the solver of the edge, abstracted.
    fn enumerate(&mut self, e: EdgeId, predicates: &[Term], after: &[Term]) -> Vec<Term> {
        let pool = self.task.pool;
        let Some(values) = self.values(e, after) else { return vec![pool.fls()] };
        let literal = |p: Term, value: bool| if value { p } else { pool.not(p) };
        let mut clauses = Vec::new();
        let mut open = Vec::new();
        for (i, value) in values.iter().enumerate() {
            match *value {
                Seen::Only(value) => clauses.push(literal(predicates[i], value)),
                Seen::Both => open.push(i),
            }
        }
        let options = &self.task.options.predabs;
        let (cartesian, limit) = (options.abstraction == Precision::Cartesian, options.max_cubes);
        if cartesian || open.len() < 2 {
            return clauses;
        }
        let atoms: Vec<Term> = open.iter().map(|&i| after[i]).collect();
        let mut cubes: Vec<Vec<Option<bool>>> = Vec::new();
        let end = all_sat(self.solver(e), &atoms, &[], &mut |cube| {
            cubes.push(cube.iter().zip(&atoms).map(|(&l, &a)| Some(l == a)).collect());
            cubes.len() < limit
        });
        match end {
            Enumeration::Complete => {}
            Enumeration::Unknown(_) => {
                self.stats.undecided += 1;
                return clauses;
            }
            Enumeration::Stopped => {
                self.stats.cartesian += 1;
                return clauses;
            }
        }
        self.stats.cubes += cubes.len() as u64;
        let cube = |c: &Vec<Option<bool>>| {
            let fixed = c.iter().zip(&open).filter_map(|(v, &i)| v.map(|v| literal(predicates[i], v)));
            pool.and(fixed)
        };
        clauses.extend(pool.conjuncts(pool.or(merged(cubes).iter().map(cube))));
        clauses.retain(|&c| c != pool.tru());
        clauses
    }

    /// The values that each predicate can have; `None` when the edge cannot be taken.
    fn values(&mut self, e: EdgeId, after: &[Term]) -> Option<Vec<Seen>> {
        let pool = self.task.pool;
        let solver = self.solver(e);
        let evaluate = |model: &Assignment| -> Vec<bool> {
            let mut ev = Evaluator::new(pool, model);
            after.iter().map(|&a| ev.holds(a)).collect()
        };
        let mut seen: Vec<Seen> = match solver.check(&[]) {
            Answer::Sat(model) => evaluate(&model).into_iter().map(Seen::Only).collect(),
            Answer::Unsat(_) => return None,
            Answer::Unknown(_) => {
                self.stats.undecided += 1;
                return Some(vec![Seen::Both; after.len()]);
            }
        };
        let mut undecided = 0;
        for i in 0..after.len() {
            let Seen::Only(value) = seen[i] else { continue };
            let other = if value { pool.not(after[i]) } else { after[i] };
            match solver.check(&[other]) {
                Answer::Sat(model) => {
                    for (s, value) in seen.iter_mut().zip(evaluate(&model)) {
                        if *s != Seen::Only(value) {
                            *s = Seen::Both;
                        }
                    }
                }
                Answer::Unsat(_) => {}
                // Not known to have one value: that is what both says.
                Answer::Unknown(_) => {
                    undecided += 1;
                    seen[i] = Seen::Both;
                }
            }
        }
        self.stats.undecided += undecided;
        Some(seen)
    }
}

/// Merges cubes that differ in one literal, until none do.
fn merged(mut cubes: Vec<Vec<Option<bool>>>) -> Vec<Vec<Option<bool>>> {
    if cubes.len() > MAX_MERGED {
        return cubes;
    }
    'again: loop {
        for i in 0..cubes.len() {
            for j in i + 1..cubes.len() {
                let different: Vec<usize> =
                    (0..cubes[i].len()).filter(|&k| cubes[i][k] != cubes[j][k]).collect();
                if let [k] = different[..]
                    && cubes[i][k].is_some()
                    && cubes[j][k].is_some()
                {
                    cubes[i][k] = None;
                    cubes.swap_remove(j);
                    continue 'again;
                }
            }
        }
        return cubes;
    }
}
