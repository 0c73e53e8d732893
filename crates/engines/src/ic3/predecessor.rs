//! Predecessors: from the model of a failed query to a set of states that all lead into the cube.
//!
//! [`Predecessors`] is what a flavour needs; [`Concrete`] makes sets of states in three ways, chosen by
//! `ic3.predecessor`:
//! - `project` (default): an implicant of `guard and cube[update]` under the model, with the edge's inputs
//!   projected out;
//! - `wp`: the exact weakest precondition as one formula, when the edge's inputs do not occur in it and it is
//!   not too large (Werner, "Property Directed Reachability in Ultimate", 2018; Lange, Neuhaeusser and Noll,
//!   "IC3 Software Model Checking on Control Flow Automata", 2015);
//! - `state`: the model's state, lifted: the literals `x = value` that an unsatisfiable query with the inputs
//!   fixed does not need are dropped.
//!
//! Predecessors of the error location, the bad cubes, can be reduced in two other ways (`ic3.bad`,
//! [`super::bad`]).
//!
//! Whatever the way, every state of the result has, for some inputs, the edge into the cube; and the result
//! contains the model's state.

use palisade_program::{EdgeId, Program};
use palisade_smt::project;
use palisade_term::{Assignment, Term, TermPool};

use super::bad::{core, dual_rail};
use super::lift::lifted;
use crate::options::{BadCubes, PredecessorMode};
use crate::{Budget, Task, literal};

/// Weakest preconditions with more nodes than this fall back to projection.
const MAX_WP: usize = 2_000;

/// Makes cubes of predecessors.
pub trait Predecessors {
    /// A cube at the edge's source that contains the model's state.
    fn cube(&mut self, e: EdgeId, model: &Assignment, cube: &[Term]) -> Vec<Term>;
}

/// Predecessors that all lead into the cube.
pub struct Concrete<'a> {
    task: Task<'a>,
    budget: Budget,
}

impl<'a> Concrete<'a> {
    /// With the mode of the options.
    pub fn new(task: &Task<'a>, budget: &Budget) -> Concrete<'a> {
        Concrete { task: *task, budget: budget.clone() }
    }
}

impl Predecessors for Concrete<'_> {
    fn cube(&mut self, e: EdgeId, model: &Assignment, cube: &[Term]) -> Vec<Term> {
        let Task { pool, program, options, .. } = self.task;
        let is_bad = program.edge(e).target == program.error;
        let bad = || (program.edge(e).guard, &program.edge(e).inputs);
        let mut out = match options.ic3.predecessor {
            _ if is_bad && options.ic3.bad == BadCubes::DualRail => {
                let (guard, inputs) = bad();
                let needed = dual_rail(&self.task, &self.budget, guard, model);
                project::project(pool, needed, model, inputs)
            }
            _ if is_bad && options.ic3.bad == BadCubes::Core => {
                let (guard, inputs) = bad();
                project::project(pool, core(&self.task, &self.budget, guard, model), model, inputs)
            }
            PredecessorMode::Project => projected(pool, program, e, model, cube),
            PredecessorMode::WeakestPrecondition => weakest_precondition(pool, program, e, cube, MAX_WP)
                .unwrap_or_else(|| projected(pool, program, e, model, cube)),
            PredecessorMode::State => lifted(&self.task, &self.budget, e, model, cube),
        };
        if options.generalize.split_equalities {
            out = literal::split_equalities(pool, &out);
        }
        literal::tidy(pool, &mut out);
        out
    }
}

/// An implicant of the weakest precondition under the model, without the edge's inputs: one cube of its
/// disjunctive normal form.
pub fn projected(
    pool: &TermPool,
    program: &Program,
    e: EdgeId,
    model: &Assignment,
    cube: &[Term],
) -> Vec<Term> {
    let pre = program.pre(pool, e, pool.and(cube.iter().copied()));
    project::preimage(pool, pre, model, &program.edge(e).inputs)
}

/// The exact states before the edge from which it leads into the cube, if they need no quantifier and no more
/// than so many nodes.
pub fn weakest_precondition(
    pool: &TermPool,
    program: &Program,
    e: EdgeId,
    cube: &[Term],
    max_nodes: usize,
) -> Option<Vec<Term>> {
    let pre = program.pre(pool, e, pool.and(cube.iter().copied()));
    let vars = pool.free_vars(pre);
    let needs_inputs = program.edge(e).inputs.iter().any(|i| vars.contains(i));
    (!needs_inputs && pool.dag_size(pre) <= max_nodes).then(|| pool.conjuncts(pool.nnf(pre)))
}
