//! Abstract states as predecessors: cubes of the literals of a [`Domain`].
//!
//! After Cimatti, Griggio, Mover and Tonetta, "IC3 Modulo Theories via Implicit Predicate Abstraction" (TACAS
//! 2014): a predecessor is what the predicates say of the state that a query found. Predicates are never
//! removed, so a cube of predicates stays one.

use std::cell::RefCell;
use std::rc::Rc;

use palisade_program::EdgeId;
use palisade_smt::Answer;
use palisade_term::{Assignment, Term, TermPool};
use rustc_hash::FxHashSet;

use super::domain::Domain;
use super::spurious::split_equation;
use crate::ic3::predecessor::{Predecessors, projected};
use crate::{Budget, Task};

/// The atoms of a formula as predicates. Equations between numbers become two inequalities if asked for.
pub fn atoms(pool: &TermPool, formula: Term, split_equations: bool) -> Vec<Term> {
    let atoms = pool.atoms(formula);
    if !split_equations {
        return atoms;
    }
    atoms.into_iter().flat_map(|a| split_equation(pool, a, false)).collect()
}

/// Predecessors as abstract states: all predicates of the source under the model.
///
/// With `reduce`, literals are dropped that the step into the cube does not need. The step needs the
/// projected implicant of the weakest precondition under the model. A literal of it that the abstract state
/// implies is represented by the core of that implication. One that the state does not imply may hold or not;
/// it is represented by all predicates that are connected with it by shared variables. What is left out is
/// independent of the step: every abstract state of the result has the step, for some of its states.
pub struct AbstractStates<'a> {
    task: Task<'a>,
    budget: Budget,
    domain: Rc<RefCell<Domain<'a>>>,
    reduce: bool,
}

/// Solver steps of one reduction.
const MAX_STEPS: u64 = 20_000;

impl<'a> AbstractStates<'a> {
    /// Over the predicates of a domain, which may grow.
    pub fn new(
        task: &Task<'a>,
        budget: &Budget,
        domain: Rc<RefCell<Domain<'a>>>,
        reduce: bool,
    ) -> AbstractStates<'a> {
        AbstractStates { task: *task, budget: budget.clone(), domain, reduce }
    }

    fn reduced(&self, e: EdgeId, model: &Assignment, target: &[Term], state: Vec<Term>) -> Vec<Term> {
        let Task { pool, program, .. } = self.task;
        let needed = projected(pool, program, e, model, target);
        let mut solver = self.task.solver(&self.budget, Some(MAX_STEPS));
        let mut core_of = |formula: Term| {
            let assumed: Vec<Term> = state.iter().copied().chain([pool.not(formula)]).collect();
            match solver.check(&assumed) {
                Answer::Unsat(core) => Some(core),
                Answer::Sat(_) | Answer::Unknown(_) => None,
            }
        };
        let mut kept: FxHashSet<Term> = FxHashSet::default();
        let mut open: Vec<Term> = Vec::new();
        match core_of(pool.and(needed.iter().copied())) {
            Some(core) => kept.extend(core),
            None => {
                for literal in needed {
                    match core_of(literal) {
                        Some(core) => kept.extend(core),
                        None => open.extend(pool.free_vars(literal)),
                    }
                }
            }
        }
        let mut reached: FxHashSet<Term> = open.into_iter().collect();
        let connected = connected(pool, &state, &mut reached);
        state.iter().zip(connected).filter(|(l, c)| *c || kept.contains(l)).map(|(l, _)| *l).collect()
    }
}

/// Which formulas are connected with the variables, directly or by others.
fn connected(pool: &TermPool, formulas: &[Term], variables: &mut FxHashSet<Term>) -> Vec<bool> {
    let own: Vec<Vec<Term>> = formulas.iter().map(|&f| pool.free_vars(f).into_iter().collect()).collect();
    let mut found = vec![false; formulas.len()];
    loop {
        let next = (0..own.len()).find(|&i| !found[i] && own[i].iter().any(|v| variables.contains(v)));
        let Some(i) = next else { return found };
        found[i] = true;
        variables.extend(&own[i]);
    }
}

impl Predecessors for AbstractStates<'_> {
    fn cube(&mut self, e: EdgeId, model: &Assignment, cube: &[Term]) -> Vec<Term> {
        let source = self.task.program.edge(e).source;
        let domain = self.domain.borrow();
        let state = domain.terms(&domain.abstract_state(domain.at(source), model));
        if self.reduce { self.reduced(e, model, cube, state) } else { state }
    }
}
