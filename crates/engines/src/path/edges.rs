//! Questions about single edges whose source is described by the caller: a node of a tree, a position of a path.
//!
//! The query is `clauses and guard(e) and cube[update(e)]`: (2) of Cimatti and Griggio, "Software Model Checking via IC3" (CAV 2012), *without* the negated cube at the source. Relative
//! induction would be unsound here: the edges of a path differ, and the formula at one position need not contain that of the next.
//!
//! There is one incremental solver for each edge of the program, which holds the guard; the clauses of the source are assumptions, so nodes that share clauses share what was learned about them. A
//! solver that has seen many clauses is replaced, so that dead nodes cost nothing in the long run.

use palisade_program::EdgeId;
use palisade_smt::{Answer, Limits, Solver};
use palisade_term::{Assignment, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::{Budget, Task};

/// Different formulas that a solver has seen before it is replaced.
const MAX_FORMULAS: usize = 3_000;

/// The answer to a question about an edge.
#[derive(Clone, Debug)]
pub enum EdgeAnswer {
    /// A state of the source leads into the cube: a model of the source's variables and the edge's inputs.
    Predecessor(Assignment),
    /// None does; these literals of the cube suffice for that.
    Blocked(Vec<Term>),
    /// The solver did not decide.
    Unknown(String),
}

/// The edge queries of a program.
pub struct EdgeQueries<'a> {
    task: Task<'a>,
    budget: Budget,
    edges: Vec<Option<EdgeSolver<'a>>>,
    /// Queries asked.
    pub asked: u64,
    /// Solvers replaced.
    pub replaced: u64,
}

struct EdgeSolver<'a> {
    solver: Box<dyn Solver + 'a>,
    update: FxHashMap<Term, Term>,
    /// Literals after the update.
    after: FxHashMap<Term, Term>,
    seen: FxHashSet<Term>,
}

impl<'a> EdgeQueries<'a> {
    /// Prepares the queries; solvers are made when first needed.
    pub fn new(task: &Task<'a>, budget: &Budget) -> Self {
        let edges = task.program.edge_ids().map(|_| None).collect();
        EdgeQueries { task: *task, budget: budget.clone(), edges, asked: 0, replaced: 0 }
    }

    /// Does a state that satisfies the clauses lead along the edge into the cube?
    pub fn ask(&mut self, e: EdgeId, clauses: &[Term], cube: &[Term]) -> EdgeAnswer {
        self.ask_except(e, clauses, cube, &[])
    }

    /// The same, for states outside the cubes of `except` (over the source's variables).
    pub fn ask_except(
        &mut self,
        e: EdgeId,
        clauses: &[Term],
        cube: &[Term],
        except: &[Vec<Term>],
    ) -> EdgeAnswer {
        let pool = self.task.pool;
        self.asked += 1;
        let edge = self.edge(e);
        let after: Vec<Term> = cube.iter().map(|&l| edge.after(pool, l)).collect();
        edge.seen.extend(clauses.iter().chain(&after));
        let assumptions: Vec<Term> = clauses.iter().chain(&after).copied().collect();
        let temporary: Vec<Term> = except.iter().map(|c| crate::literal::clause(pool, c)).collect();
        let answer = if temporary.is_empty() {
            edge.solver.check(&assumptions)
        } else {
            edge.solver.check_with(&temporary, &assumptions)
        };
        match answer {
            Answer::Sat(model) => EdgeAnswer::Predecessor(model),
            Answer::Unknown(why) => EdgeAnswer::Unknown(why.to_string()),
            Answer::Unsat(core) => {
                let core: FxHashSet<Term> = core.into_iter().collect();
                let needed = cube.iter().zip(&after).filter(|(_, a)| core.contains(*a));
                EdgeAnswer::Blocked(needed.map(|(&l, _)| l).collect())
            }
        }
    }

    /// The solver of an edge.
    fn edge(&mut self, e: EdgeId) -> &mut EdgeSolver<'a> {
        let slot = &mut self.edges[e.index()];
        if slot.as_ref().is_some_and(|s| s.seen.len() > MAX_FORMULAS) {
            *slot = None;
            self.replaced += 1;
        }
        slot.get_or_insert_with(|| {
            let mut solver = self.task.solvers.solver(self.task.pool);
            solver.set_limits(Limits { steps: None, interrupt: Some(self.budget.interrupt_flag()) });
            solver.assert(self.task.program.edge(e).guard);
            EdgeSolver {
                solver,
                update: self.task.program.update_map(e),
                after: FxHashMap::default(),
                seen: FxHashSet::default(),
            }
        })
    }
}

impl EdgeSolver<'_> {
    fn after(&mut self, pool: &palisade_term::TermPool, lit: Term) -> Term {
        *self.after.entry(lit).or_insert_with(|| pool.substitute(lit, &self.update))
    }
}
