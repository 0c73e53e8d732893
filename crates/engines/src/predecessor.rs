//! Predecessors: from the model of a failed query to a set of states that all lead into the cube.
//!
//! Three ways, chosen by `ic3.predecessor`:
//! - `project` (default): an implicant of `guard and cube[update]` under the model, with the edge's inputs projected out;
//! - `wp`: the exact weakest precondition as one formula (seeds 002 and 004), when the edge's inputs do not occur in it and it is not too large;
//! - `state`: the model's state, lifted: the literals `x = value` that an unsatisfiable query with the inputs fixed does not need are dropped.
//!
//! Whatever the way, every state of the result has, for some inputs, the edge into the cube; and the result contains the model's state.

use palisade_program::EdgeId;
use palisade_smt::{Answer, project};
use palisade_term::{Assignment, Term, Value};

use crate::consecution::Consecution;
use crate::options::PredecessorMode;
use crate::{Options, SolverFactory, literal};

/// Weakest preconditions with more nodes than this fall back to projection.
const MAX_WP: usize = 2_000;

/// Makes predecessors.
pub struct Predecessors<'a> {
    mode: PredecessorMode,
    split_equalities: bool,
    factory: &'a dyn SolverFactory,
}

impl<'a> Predecessors<'a> {
    /// With the mode of the options.
    pub fn new(options: &Options, factory: &'a dyn SolverFactory) -> Predecessors<'a> {
        Predecessors {
            mode: options.ic3.predecessor,
            split_equalities: options.generalize.split_equalities,
            factory,
        }
    }

    /// A cube at the edge's source that contains the model's state and leads into `cube`. `None` only if the solver fails.
    pub fn cube(
        &self,
        q: &Consecution<'_>,
        e: EdgeId,
        model: &Assignment,
        cube: &[Term],
    ) -> Option<Vec<Term>> {
        let pool = q.pool();
        let edge = q.program().edge(e);
        let target = pool.and(cube.iter().copied());
        let pre = q.program().pre(pool, e, target);
        let out = match self.mode {
            PredecessorMode::Project => project::preimage(pool, pre, model, &edge.inputs),
            PredecessorMode::WeakestPrecondition => {
                let vars = pool.free_vars(pre);
                if edge.inputs.iter().any(|i| vars.contains(i)) || pool.dag_size(pre) > MAX_WP {
                    project::preimage(pool, pre, model, &edge.inputs)
                } else {
                    pool.conjuncts(pool.nnf(pre))
                }
            }
            PredecessorMode::State => self.lifted_state(q, e, model, pre)?,
        };
        let mut out = if self.split_equalities { literal::split_equalities(pool, &out) } else { out };
        literal::tidy(pool, &mut out);
        Some(out)
    }

    /// The model's state without the equalities that the transition does not depend on.
    fn lifted_state(
        &self,
        q: &Consecution<'_>,
        e: EdgeId,
        model: &Assignment,
        pre: Term,
    ) -> Option<Vec<Term>> {
        let pool = q.pool();
        let edge = q.program().edge(e);
        let value = |v: &Term| model.get(*v).cloned().unwrap_or_else(|| Value::default_of(pool.sort(*v)));
        let fixed = |v: &Term| pool.eq(*v, value(v).to_term(pool));
        let state: Vec<Term> = q.program().vars(edge.source).iter().map(fixed).collect();
        let mut solver = self.factory.solver(pool);
        for i in &edge.inputs {
            solver.assert(fixed(i));
        }
        solver.assert(pool.not(pre));
        match solver.check(&state) {
            Answer::Unsat(core) => Some(core),
            // The model satisfies `pre`, so this can only be an undecided query: keep the whole state.
            _ => Some(state),
        }
    }
}
