//! `kind`: k-induction. Sheeran, Singh, Stålmarck, "Checking Safety Properties Using Induction and a
//! SAT-Solver", FMCAD 2000, over the control-flow automaton.
//!
//! For `k = 0, 1, 2, ...`: the base case is bounded model checking to depth `k + 1`; the step case asks for a
//! path of `k + 1` edges from any state to the error whose states before the last have no edge into the
//! error. If there is none, `N_k` ("no error within `k` edges", `backward.rs`) is an inductive invariant, and
//! that is what is returned: k-induction's proof in the form that every other engine gives. The argument is
//! in the documentation of that module.
//!
//! With `kind.simple-path`, paths that repeat a state are excluded, lazily: a pair of equal states found in a
//! model is forbidden from then on.
//!
//! Circuits, and other finite programs that are one loop, are unrolled as and-inverter graphs on the SAT core
//! instead (`palisade_bits::kind`; `--set kind.backend`).
//!
//! Entry point: [`Kind`].

use palisade_aig::Circuit;
use palisade_program::Program;
use palisade_smt::{Answer, Stats, UnknownReason};
use palisade_term::{Assignment, Term, TermPool, eval::Evaluator};

use crate::backward::Backward;
use crate::bmc::Search;
use crate::unroll::{Start, Unrolling};
use crate::{Budget, Engine, Event, Observer, Options, Outcome, Reason, Shape, Task, bits};

/// The engine.
pub struct Kind;

impl Engine for Kind {
    fn name(&self) -> &'static str {
        "kind"
    }

    fn about(&self) -> &'static str {
        "k-induction: counterexamples as bmc, and proofs of properties that are inductive over k steps"
    }

    fn shape(&self, pool: &TermPool, program: &Program, options: &Options) -> Shape {
        if bits::wanted(options.kind.backend, pool, program) { Shape::Bits } else { Shape::Blocks }
    }

    fn run(&self, task: &Task<'_>, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
        let simple_path = task.options.kind.simple_path.or(true);
        let method =
            &move |circuit: &Circuit, options: &_, control: &_, monitor: &mut dyn palisade_bits::Monitor| {
                palisade_bits::kind::run(circuit, options, simple_path, control, monitor)
            };
        let backend = task.options.kind.backend;
        if let Some(outcome) = bits::attempt(method, backend, &task.options.bits, task, budget, observer) {
            return outcome;
        }
        let mut base = Search::new(task, budget);
        let mut step = StepCase::new(task, budget);
        for k in 0.. {
            if let Some(outcome) = base.deepen(task, observer) {
                return outcome;
            }
            if let Err(stop) = budget.check() {
                return base.unknown(Reason::Stopped(stop));
            }
            if let Some(gap) = base.gap() {
                return base.unknown(Reason::Solver(gap.to_string()));
            }
            let answer = step.check(k);
            observer.event(Event::Queries(base.unrolling.stats().queries + step.stats().queries));
            match answer {
                Answer::Unsat(_) => {
                    observer.event(Event::Fixpoint(k));
                    return match Backward::new(task, budget).invariants(k) {
                        Ok(invariants) => Outcome::Safe(invariants),
                        Err(reason) => base.unknown(reason),
                    };
                }
                Answer::Unknown(UnknownReason::Failed(e)) => return base.unknown(Reason::Solver(e)),
                // Not decided at this k; a larger one may be easier.
                Answer::Sat(_) | Answer::Unknown(_) => {}
            }
        }
        unreachable!("the loop only returns")
    }
}

/// The step case: paths from anywhere into the error.
struct StepCase<'a> {
    pool: &'a TermPool,
    unrolling: Unrolling<'a>,
    /// For each location, the states without an edge into the error, where inputs can be eliminated.
    /// Elsewhere `true`: a weaker step case, that holds less often, and implies the exact one.
    no_error: Vec<Term>,
    simple_path: bool,
}

impl<'a> StepCase<'a> {
    fn new(task: &Task<'a>, budget: &Budget) -> Self {
        let backward = Backward::new(task, budget);
        let no_error = task.program.locs().map(|l| backward.step_at(l).unwrap_or(task.pool.tru())).collect();
        let unrolling = Unrolling::new(task, budget, Start::Anywhere);
        let simple_path = task.options.kind.simple_path.or(false);
        StepCase { pool: task.pool, unrolling, no_error, simple_path }
    }

    fn stats(&self) -> Stats {
        self.unrolling.stats()
    }

    /// The step case at `k`; called for 0, 1, 2, ... in turn.
    fn check(&mut self, k: u32) -> Answer {
        if let Some(before) = k.checked_sub(1) {
            for (l, &formula) in self.no_error.iter().enumerate() {
                self.unrolling.constrain(palisade_program::Loc(l as u32), before, formula);
            }
        }
        self.unrolling.extend();
        loop {
            let answer = self.unrolling.check_error();
            let Answer::Sat(model) = &answer else { return answer };
            if !self.simple_path || !self.forbid_repetition(model) {
                return answer;
            }
        }
    }

    /// Forbids the equal states that a model's path has; false when it has none.
    fn forbid_repetition(&mut self, model: &Assignment) -> bool {
        let Some((locs, _)) = self.unrolling.path(model) else { return false };
        let mut ev = Evaluator::new(self.pool, model);
        let mut facts = Vec::new();
        for (j, &l) in locs.iter().enumerate() {
            for (i, _) in locs[..j].iter().enumerate().filter(|(_, m)| **m == l) {
                let (Some(a), Some(b)) = (self.unrolling.cell(l, i as u32), self.unrolling.cell(l, j as u32))
                else {
                    continue;
                };
                let equal = self.pool.and(a.state.iter().zip(&b.state).map(|(&x, &y)| self.pool.eq(x, y)));
                if ev.holds(equal) {
                    facts.push(self.pool.not(self.pool.and([a.at, b.at, equal])));
                }
            }
        }
        for &fact in &facts {
            self.unrolling.assert(fact);
        }
        !facts.is_empty()
    }
}
