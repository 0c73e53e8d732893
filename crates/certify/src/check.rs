//! The checker: initiation, consecution on every edge and along every path through interior locations,
//! exclusion of the error; and replay.
//!
//! Everything is asked of fresh solvers on the program as the front-end gave it. An undecided query is a
//! rejection. A proof is accepted only if every query was refuted, a counterexample only if it executes to
//! the error location; these are the only places where a [`Proof`] or a [`Counterexample`] is made.
//!
//! Entry points: [`Checker::proof`], [`Checker::counterexample`].

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use palisade_program::{CutInvariants, EdgeId, Loc, Program, Run, interpret};
use palisade_smt::{Answer, Solver, UnknownReason};
use palisade_term::eval::Evaluator;
use palisade_term::{Assignment, Op, Sort, Substitution, Term, TermPool, Version};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::bits;
use crate::cases::{self, Case};
use crate::instances::Instances;
use crate::one_point::OnePoint;
use crate::parts::Parts;
use crate::region::{Region, Regions};
use crate::rejection::Query;
use crate::unwind::{Unwound, unwind};
use crate::{Counterexample, Proof, Rejection};

/// The edges of an unwound program: more would take too much memory.
const MAX_UNWOUND: usize = 400_000;

/// From so many facts on, a goal is asked with those that it has to do with first.
const FEW_FACTS: usize = 16;

/// Makes the solvers of a check. Limits and interruption are the maker's business.
pub type MakeSolver<'m> = dyn for<'p> Fn(&'p TermPool) -> Box<dyn Solver + 'p> + 'm;

/// Checks claims about one program.
#[derive(Clone)]
pub struct Checker<'a> {
    pool: &'a TermPool,
    program: &'a Program,
    interrupt: Option<Arc<AtomicBool>>,
}

impl<'a> Checker<'a> {
    /// A checker for a program as its front-end gave it.
    pub fn new(pool: &'a TermPool, program: &'a Program) -> Self {
        Checker { pool, program, interrupt: None }
    }

    /// The same, whose checks on the SAT core end without success once the signal is raised.
    pub fn interrupted_by(self, signal: Arc<AtomicBool>) -> Self {
        Checker { interrupt: Some(signal), ..self }
    }

    /// Are these invariants a proof that the error location cannot be reached?
    ///
    /// - **Cut**: every cycle has a location with a formula, and so do entry and error.
    /// - **Initiation**: the formula of the entry is valid, since runs start there in any state.
    /// - **Consecution**: for every edge between locations with formulas, `inv(source) and guard and not
    ///   inv(target)[update]` is unsatisfiable; and no path through locations without one leads from inside a
    ///   formula to outside the next.
    /// - **Safety**: the formula of the error location is false.
    ///
    /// Formulas that hold for all values of some variables are shown for any values, and assumed for those
    /// and for the cells that the edge or path touches (`instances.rs`).
    ///
    /// A number of rounds excuses cycles without a formula: they are unwound first (`unwind.rs`), and that no
    /// run stays longer is a part of consecution.
    ///
    /// Formulas about bits are checked on the SAT core, with a replay of what it derives.
    pub fn proof(
        &self,
        invariants: impl Into<CutInvariants>,
        make_solver: &MakeSolver<'_>,
    ) -> Result<Proof, Rejection> {
        let invariants = invariants.into();
        self.program.check(self.pool).map_err(Rejection::Program)?;
        self.shape(&invariants)?;
        if let Some(rounds) = invariants.rounds {
            return self.unwound(invariants, rounds, make_solver);
        }
        if bits::accepts(self.pool, self.program, &invariants, self.interrupt.clone()) {
            return Ok(Proof { invariants });
        }
        let mut regions = Regions::new(self.pool, self.program, &invariants).map_err(Rejection::Uncut)?;
        let mut solver = make_solver(self.pool);
        self.initiation(&invariants, solver.as_mut())?;
        for edge in self.program.edge_ids().filter(|&e| regions.is_direct(e)) {
            self.consecution(&invariants, edge, solver.as_mut())?;
        }
        for l in self.program.locs().filter(|&l| invariants.at(l).is_some()) {
            self.paths(&invariants, l, &mut regions, solver.as_mut())?;
        }
        Ok(Proof { invariants })
    }

    /// The same with cycles that are unwound.
    fn unwound(
        &self,
        invariants: CutInvariants,
        rounds: u32,
        make_solver: &MakeSolver<'_>,
    ) -> Result<Proof, Rejection> {
        let undecided = |why| Rejection::Undecided { query: Query::Rounds(rounds), why };
        let Some(Unwound { program, invariants: of_copies }) =
            unwind(self.pool, self.program, &invariants, rounds, MAX_UNWOUND)
        else {
            return Err(undecided(UnknownReason::Limit));
        };
        let checker = Checker { program: &program, ..self.clone() };
        match checker.proof(of_copies, make_solver) {
            Ok(_) => Ok(Proof { invariants }),
            Err(Rejection::Undecided { why, .. }) => Err(undecided(why)),
            Err(other) => Err(Rejection::Rounds { rounds, why: other.describe(self.pool, &program) }),
        }
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

    /// Formulas over the plain variables of their locations; entry and error have one, and the error's is
    /// false.
    fn shape(&self, invariants: &CutInvariants) -> Result<(), Rejection> {
        let (expected, found) = (self.program.locations.len(), invariants.formulas.len());
        if expected != found {
            return Err(Rejection::WrongCount { expected, found });
        }
        self.apart(invariants)?;
        for l in self.program.locs() {
            match invariants.at(l) {
                Some(formula) => self.scope(l, formula, &invariants.forall)?,
                None if l == self.program.entry || l == self.program.error => {
                    return Err(Rejection::Missing(l));
                }
                None => {}
            }
        }
        // The error location has no variables, so its formula has a value. For all values of others it is
        // false if it is false for one.
        let at_error = self.pool.eval(formula(invariants, self.program.error), &Default::default());
        if at_error.as_bool() { Err(Rejection::ErrorNotExcluded) } else { Ok(()) }
    }

    /// The variables that stand for all values are no variables of the program.
    fn apart(&self, invariants: &CutInvariants) -> Result<(), Rejection> {
        let forall: FxHashSet<Term> = invariants.forall.iter().copied().collect();
        let of_locations =
            self.program.locs().flat_map(|l| self.program.vars(l).iter().map(move |&v| (l, v)));
        let of_edges = self.program.edges.iter().flat_map(|e| e.inputs.iter().map(|&i| (e.source, i)));
        match of_locations.chain(of_edges).find(|(_, v)| forall.contains(v)) {
            Some((location, term)) => Err(Rejection::OutOfScope { location, term }),
            None => Ok(()),
        }
    }

    fn scope(&self, location: Loc, formula: Term, forall: &[Term]) -> Result<(), Rejection> {
        let out_of_scope = |term| Err(Rejection::OutOfScope { location, term });
        if *self.pool.sort(formula) != Sort::Bool {
            return out_of_scope(formula);
        }
        let vars = self.program.vars(location);
        let stray = |t: &Term| match self.pool.op(*t) {
            Op::Var(_, Version::Plain) => !vars.contains(t) && !forall.contains(t),
            _ => true,
        };
        match self.pool.free_vars(formula).into_iter().find(stray) {
            Some(term) => out_of_scope(term),
            None => Ok(()),
        }
    }

    fn initiation(&self, invariants: &CutInvariants, solver: &mut dyn Solver) -> Result<(), Rejection> {
        for conjunct in self.pool.conjuncts(formula(invariants, self.program.entry)) {
            match solver.check(&[self.pool.not(conjunct)]) {
                Answer::Unsat(_) => {}
                Answer::Sat(model) => return Err(Rejection::Initiation { conjunct, model }),
                Answer::Unknown(why) => return Err(Rejection::Undecided { query: Query::Entry, why }),
            }
        }
        Ok(())
    }

    /// One conjunct of the target at a time: smaller queries, and the report names the conjunct that fails.
    fn consecution(
        &self,
        invariants: &CutInvariants,
        id: EdgeId,
        solver: &mut dyn Solver,
    ) -> Result<(), Rejection> {
        let edge = self.program.edge(id);
        let goals = self.pool.conjuncts(formula(invariants, edge.target));
        if goals.is_empty() {
            return Ok(());
        }
        let goals: Vec<(Term, Term)> =
            goals.into_iter().map(|goal| (goal, self.program.after(self.pool, id, goal))).collect();
        let instances = Instances::of(self.pool, invariants, formula(invariants, edge.source));
        for case in cases::of(self.pool, formula(invariants, edge.source)) {
            let guard = case.apply(edge.guard);
            if guard == self.pool.fls() {
                continue;
            }
            // Often the edge leaves alone what the goal is about.
            let known: FxHashSet<Term> = self.pool.conjuncts(case.fact).into_iter().collect();
            let changed = goals.iter().filter(|(_, after)| !known.contains(after));
            let applied = changed.map(|&(goal, after)| (goal, case.apply(after)));
            let open: Vec<(Term, Term)> = applied.filter(|(_, after)| *after != self.pool.tru()).collect();
            if open.is_empty() {
                continue;
            }
            let more = || {
                let touched = [edge.guard].into_iter().chain(goals.iter().map(|(_, after)| *after));
                let more = instances.touching(touched.chain(edge.update.iter().copied()));
                more.into_iter().map(|f| case.apply(f)).collect()
            };
            solver.push();
            let result = self.goals(id, [case.fact, guard], &open, &more, solver);
            solver.pop(1);
            result?;
        }
        Ok(())
    }

    /// Do the facts imply these conjuncts of the target, as they are before the edge? There are `more` facts
    /// where these do not suffice.
    fn goals(
        &self,
        edge: EdgeId,
        facts: [Term; 2],
        goals: &[(Term, Term)],
        more: &dyn Fn() -> Vec<Term>,
        solver: &mut dyn Solver,
    ) -> Result<(), Rejection> {
        let [_, guard] = facts;
        let (rule, facts) = OnePoint::of(self.pool, facts);
        let mut open: Vec<(Term, Term)> =
            goals.iter().map(|&(goal, after)| (goal, rule.apply(after))).collect();
        if facts.len() > FEW_FACTS {
            open = self.without_obvious(rule.apply(guard), &facts, open, solver);
        }
        facts.into_iter().for_each(|f| solver.assert(f));
        let more = || more().into_iter().map(|f| rule.apply(f)).collect();
        let mut more = More::new(&more);
        for (conjunct, after) in open {
            match check(self.pool, solver, &[self.pool.not(after)], &mut more) {
                Answer::Unsat(_) => {}
                Answer::Sat(_) if more.any => {
                    return Err(Rejection::Undecided { query: Query::Edge(edge), why: few_instances() });
                }
                Answer::Sat(mut model) => {
                    rule.complete(&mut model);
                    return Err(Rejection::Consecution { edge, conjunct, model });
                }
                Answer::Unknown(why) => return Err(Rejection::Undecided { query: Query::Edge(edge), why }),
            }
        }
        Ok(())
    }

    /// The goals that do not follow from the facts that they and the guard have to do with.
    fn without_obvious(
        &self,
        guard: Term,
        facts: &[Term],
        goals: Vec<(Term, Term)>,
        solver: &mut dyn Solver,
    ) -> Vec<(Term, Term)> {
        let parts = Parts::of(self.pool, facts);
        let mut by_parts: BTreeMap<Vec<usize>, Vec<(Term, Term)>> = BTreeMap::new();
        for (goal, after) in goals {
            by_parts.entry(parts.about([guard, after])).or_default().push((goal, after));
        }
        let mut open = Vec::new();
        for (about, goals) in by_parts {
            solver.push();
            about.iter().flat_map(|&part| &parts.facts[part]).for_each(|&f| solver.assert(f));
            let mut follows = |after| matches!(solver.check(&[self.pool.not(after)]), Answer::Unsat(_));
            open.extend(goals.into_iter().filter(|&(_, after)| !follows(after)));
            solver.pop(1);
        }
        open
    }

    /// All paths from an annotated location through interior ones to the next annotated ones.
    fn paths(
        &self,
        invariants: &CutInvariants,
        start: Loc,
        regions: &mut Regions<'_>,
        solver: &mut dyn Solver,
    ) -> Result<(), Rejection> {
        let region = regions.behind(start);
        if region.exits.is_empty() {
            return Ok(());
        }
        for case in cases::of(self.pool, formula(invariants, start)) {
            solver.push();
            let result = self.exits(invariants, start, &region, &case, solver);
            solver.pop(1);
            result?;
        }
        Ok(())
    }

    /// The paths through a region, in one case of its start.
    fn exits(
        &self,
        invariants: &CutInvariants,
        start: Loc,
        region: &Region,
        case: &Case<'_>,
        solver: &mut dyn Solver,
    ) -> Result<(), Rejection> {
        let constraints = region.constraints.iter().map(|&c| case.apply(c));
        let (rule, facts) = OnePoint::of(self.pool, [case.fact].into_iter().chain(constraints));
        facts.into_iter().for_each(|f| solver.assert(f));
        let instances = Instances::of(self.pool, invariants, formula(invariants, start));
        let touching = || {
            let values = region.exits.iter().flat_map(|(_, reached)| reached.values.iter().copied());
            let goals = region.exits.iter().map(|(target, reached)| {
                let vars = self.program.vars(*target).iter().copied();
                let map = vars.zip(reached.values.iter().copied()).collect();
                self.pool.substitute(formula(invariants, *target), &map)
            });
            let goals: Vec<Term> = goals.collect();
            let touched = region.constraints.iter().copied().chain(values).chain(goals);
            instances.touching(touched).into_iter().map(|f| rule.apply(case.apply(f))).collect()
        };
        let mut more = More::new(&touching);
        for (target, reached) in &region.exits {
            let vars = self.program.vars(*target).iter().copied();
            let map: FxHashMap<Term, Term> = vars.zip(reached.values.iter().copied()).collect();
            let mut arriving = Substitution::new(self.pool, &map);
            let reach = rule.apply(case.apply(reached.reach));
            for conjunct in self.pool.conjuncts(formula(invariants, *target)) {
                let arrived = rule.apply(case.apply(self.pool.not(arriving.apply(conjunct))));
                match check(self.pool, solver, &[reach, arrived], &mut more) {
                    Answer::Unsat(_) => {}
                    Answer::Sat(_) if more.any => {
                        let query = Query::Paths { start, target: *target };
                        return Err(Rejection::Undecided { query, why: few_instances() });
                    }
                    Answer::Sat(mut model) => {
                        rule.complete(&mut model);
                        let path = region.path(self.pool, self.program, reached, &model);
                        return Err(Rejection::Path { start, target: *target, path, conjunct, model });
                    }
                    Answer::Unknown(why) => {
                        let query = Query::Paths { start, target: *target };
                        return Err(Rejection::Undecided { query, why });
                    }
                }
            }
        }
        Ok(())
    }
}

/// Facts that are made when the others do not suffice, once, and that are assumed when a model refutes them:
/// there are many, and few of them are needed.
struct More<'a> {
    make: Option<&'a dyn Fn() -> Vec<Term>>,
    /// Those that are not yet assumed.
    open: Vec<Term>,
    /// There were some.
    any: bool,
}

impl<'a> More<'a> {
    fn new(make: &'a dyn Fn() -> Vec<Term>) -> Self {
        More { make: Some(make), open: Vec::new(), any: false }
    }

    /// Those that a model refutes.
    fn refuted(&mut self, pool: &TermPool, model: &Assignment) -> Vec<Term> {
        if let Some(make) = self.make.take() {
            let facts: FxHashSet<Term> = make().into_iter().flat_map(|f| pool.conjuncts(f)).collect();
            self.open = facts.into_iter().collect();
            self.open.sort_unstable();
            self.any = !self.open.is_empty();
        }
        let mut values = Evaluator::new(pool, model);
        let (open, refuted) = std::mem::take(&mut self.open).into_iter().partition(|f| values.holds(*f));
        self.open = open;
        refuted
    }
}

/// Asks a query; with more facts, if it has a model that they refute.
fn check(pool: &TermPool, solver: &mut dyn Solver, query: &[Term], more: &mut More<'_>) -> Answer {
    loop {
        let answer = solver.check(query);
        let Answer::Sat(model) = &answer else { return answer };
        let refuted = more.refuted(pool, model);
        if refuted.is_empty() {
            return answer;
        }
        refuted.into_iter().for_each(|f| solver.assert(f));
    }
}

/// A model of some instances is none of all.
fn few_instances() -> UnknownReason {
    UnknownReason::Incomplete("a fact about all cells may be needed for more of them".to_owned())
}

/// The formula of a location that is known to have one.
fn formula(invariants: &CutInvariants, l: Loc) -> Term {
    invariants.at(l).expect("an annotated location")
}
