//! The checker: initiation, consecution on every edge, exclusion of the error; and replay.

use palisade_program::{EdgeId, Invariants, Loc, Program, Run, interpret};
use palisade_smt::{Answer, Solver};
use palisade_term::{Op, Sort, Term, TermPool, Version};

use crate::{Counterexample, Proof, Rejection};

/// Makes the solvers of a check. Limits and interruption are the maker's business.
pub type MakeSolver<'m> = dyn for<'p> Fn(&'p TermPool) -> Box<dyn Solver + 'p> + 'm;

/// Checks claims about one program.
#[derive(Clone, Copy)]
pub struct Checker<'a> {
    pool: &'a TermPool,
    program: &'a Program,
}

impl<'a> Checker<'a> {
    /// A checker for a program as its front-end gave it.
    pub fn new(pool: &'a TermPool, program: &'a Program) -> Self {
        Checker { pool, program }
    }

    /// Are these invariants a proof that the error location cannot be reached?
    ///
    /// - **Initiation**: the formula of the entry is valid, since runs start there in any state.
    /// - **Consecution**: for every edge, `inv(source) and guard and not inv(target)[update]` is unsatisfiable.
    /// - **Safety**: the formula of the error location is false.
    pub fn proof(&self, invariants: Invariants, make_solver: &MakeSolver<'_>) -> Result<Proof, Rejection> {
        self.program.check(self.pool).map_err(Rejection::Program)?;
        self.shape(&invariants)?;
        let mut solver = make_solver(self.pool);
        self.initiation(&invariants, solver.as_mut())?;
        for edge in self.program.edge_ids() {
            self.consecution(&invariants, edge, solver.as_mut())?;
        }
        Ok(Proof { invariants })
    }

    /// Does this run execute, and end in the error location?
    pub fn counterexample(&self, run: Run) -> Result<Counterexample, Rejection> {
        self.program.check(self.pool).map_err(Rejection::Program)?;
        let replay = interpret(self.pool, self.program, &run).map_err(Rejection::Replay)?;
        let end = replay.states.last().expect("a replay has at least the initial state").0;
        if end != self.program.error {
            return Err(Rejection::EndsElsewhere(end));
        }
        Ok(Counterexample { run, replay })
    }

    /// One formula per location, over its own plain variables; false at the error location.
    fn shape(&self, invariants: &Invariants) -> Result<(), Rejection> {
        let (expected, found) = (self.program.locations.len(), invariants.formulas.len());
        if expected != found {
            return Err(Rejection::WrongCount { expected, found });
        }
        for l in self.program.locs() {
            self.scope(l, invariants.at(l))?;
        }
        // The error location has no variables, so its formula has a value.
        let at_error = self.pool.eval(invariants.at(self.program.error), &Default::default());
        if at_error.as_bool() { Err(Rejection::ErrorNotExcluded) } else { Ok(()) }
    }

    fn scope(&self, location: Loc, formula: Term) -> Result<(), Rejection> {
        let out_of_scope = |term| Err(Rejection::OutOfScope { location, term });
        if *self.pool.sort(formula) != Sort::Bool {
            return out_of_scope(formula);
        }
        let vars = self.program.vars(location);
        let stray = |t: &Term| match self.pool.op(*t) {
            Op::Var(_, Version::Plain) => !vars.contains(t),
            _ => true,
        };
        match self.pool.free_vars(formula).into_iter().find(stray) {
            Some(term) => out_of_scope(term),
            None => Ok(()),
        }
    }

    fn initiation(&self, invariants: &Invariants, solver: &mut dyn Solver) -> Result<(), Rejection> {
        for conjunct in self.pool.conjuncts(invariants.at(self.program.entry)) {
            match solver.check(&[self.pool.not(conjunct)]) {
                Answer::Unsat(_) => {}
                Answer::Sat(model) => return Err(Rejection::Initiation { conjunct, model }),
                Answer::Unknown(why) => return Err(Rejection::Undecided { edge: None, why }),
            }
        }
        Ok(())
    }

    /// One conjunct of the target at a time: smaller queries, and the report names the conjunct that fails.
    fn consecution(
        &self,
        invariants: &Invariants,
        id: EdgeId,
        solver: &mut dyn Solver,
    ) -> Result<(), Rejection> {
        let edge = self.program.edge(id);
        let goals = self.pool.conjuncts(invariants.at(edge.target));
        if goals.is_empty() {
            return Ok(());
        }
        solver.push();
        solver.assert(invariants.at(edge.source));
        solver.assert(edge.guard);
        let mut result = Ok(());
        for conjunct in goals {
            let after = self.program.after(self.pool, id, conjunct);
            match solver.check(&[self.pool.not(after)]) {
                Answer::Unsat(_) => continue,
                Answer::Sat(model) => result = Err(Rejection::Consecution { edge: id, conjunct, model }),
                Answer::Unknown(why) => result = Err(Rejection::Undecided { edge: Some(id), why }),
            }
            break;
        }
        solver.pop(1);
        result
    }
}
