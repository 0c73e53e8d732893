//! Predicates by location, and abstract states as cubes of their literals.
//!
//! A predicate is an atom over the variables of its location, kept without negation and once. Predicates are
//! never removed, so a formula made of predicates stays one.

use std::cell::RefCell;
use std::rc::Rc;

use palisade_program::{EdgeId, Loc, Program};
use palisade_smt::Answer;
use palisade_term::eval::Evaluator;
use palisade_term::{Assignment, Op, Term, TermPool};
use rustc_hash::FxHashSet;

use crate::ic3::predecessor::{Predecessors, projected};
use crate::{Budget, Task};

/// The predicates of all locations.
pub struct Predicates {
    at: Vec<Vec<Term>>,
    known: Vec<FxHashSet<Term>>,
}

impl Predicates {
    /// None.
    pub fn new(program: &Program) -> Predicates {
        let n = program.locations.len();
        Predicates { at: vec![Vec::new(); n], known: vec![FxHashSet::default(); n] }
    }

    /// The predicates of a location, oldest first.
    pub fn at(&self, l: Loc) -> &[Term] {
        &self.at[l.index()]
    }

    /// How many there are.
    pub fn count(&self) -> usize {
        self.at.iter().map(Vec::len).sum()
    }

    /// Adds a predicate; false if it is known already, or says nothing.
    pub fn add(&mut self, pool: &TermPool, l: Loc, predicate: Term) -> bool {
        let (_, atom) = pool.strip_not(predicate);
        let new = pool.as_bool(atom).is_none() && self.known[l.index()].insert(atom);
        if new {
            self.at[l.index()].push(atom);
        }
        new
    }

    /// Is it known?
    pub fn contains(&self, pool: &TermPool, l: Loc, predicate: Term) -> bool {
        self.known[l.index()].contains(&pool.strip_not(predicate).1)
    }

    /// The abstract state of a concrete one: every predicate of the location, or its negation.
    pub fn abstract_state(&self, pool: &TermPool, l: Loc, state: &Assignment) -> Vec<Term> {
        let mut ev = Evaluator::new(pool, state);
        self.at(l).iter().map(|&p| if ev.holds(p) { p } else { pool.not(p) }).collect()
    }
}

/// The atoms of a formula as predicates. Equations between numbers become two inequalities if asked for.
pub fn atoms(pool: &TermPool, formula: Term, split_equations: bool) -> Vec<Term> {
    let mut out = Vec::new();
    for atom in pool.atoms(formula) {
        match (pool.op(atom), pool.args(atom)) {
            (Op::Eq, &[a, b]) if split_equations && pool.sort(a).is_arith() => {
                out.extend([pool.le(a, b), pool.ge(a, b)]);
            }
            _ => out.push(atom),
        }
    }
    out
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
    predicates: Rc<RefCell<Predicates>>,
    reduce: bool,
}

/// Solver steps of one reduction.
const MAX_STEPS: u64 = 20_000;

impl<'a> AbstractStates<'a> {
    /// Over these predicates, which may grow.
    pub fn new(
        task: &Task<'a>,
        budget: &Budget,
        predicates: Rc<RefCell<Predicates>>,
        reduce: bool,
    ) -> AbstractStates<'a> {
        AbstractStates { task: *task, budget: budget.clone(), predicates, reduce }
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
        let state = self.predicates.borrow().abstract_state(self.task.pool, source, model);
        if self.reduce { self.reduced(e, model, cube, state) } else { state }
    }
}
