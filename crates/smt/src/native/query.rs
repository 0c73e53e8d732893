//! Queries: what is assumed and added for one of them, its limits, its answer.

use palisade_sat::{Lit, SolveResult, Stopped};
use palisade_term::eval::Evaluator;
use palisade_term::{Assignment, Term};

use super::gates;
use super::guarded::Assumption;
use super::justify::Demand;
use super::refutation::Refutation;
use super::theory::GaveUp;
use super::{NativeSolver, refine};
use crate::solver::{Answer, UnknownReason};

/// Steps that a round of refinement counts for.
const ROUND_STEPS: u64 = 100;
/// Steps that a conflict counts for, besides those of arithmetic.
pub(super) const CONFLICT_STEPS: u64 = 4;
/// Propagations that count as a step.
pub(super) const PROPAGATIONS_PER_STEP: u64 = 20;

/// What the core had done when the query began, and the rounds of refinement since.
#[derive(Clone, Copy, Default)]
pub(super) struct Spent {
    conflicts: u64,
    propagations: u64,
    rounds: u64,
}

/// A query: what it was given, and what that became.
struct Query<'a> {
    temporary: &'a [Term],
    assumptions: &'a [Term],
    /// Assumptions and temporary formulas without the variables that equalities replace, and without arrays.
    resolved: Vec<Term>,
    rewritten: Vec<Term>,
    treated: Vec<Assumption>,
}

impl NativeSolver<'_> {
    pub(super) fn query(&mut self, temporary: &[Term], assumptions: &[Term]) -> Answer {
        self.queries += 1;
        self.refutation = None;
        self.compact();
        loop {
            self.wake_all_if_needed();
            let resolved: Vec<Term> =
                assumptions.iter().chain(temporary).map(|&t| self.solved.resolve(t)).collect();
            let rewritten: Vec<Term> = resolved.iter().map(|&t| self.arrays.rewrite(t)).collect();
            let treated = self.treat_assumptions(&rewritten[..assumptions.len()]);
            let query = Query { temporary, assumptions, resolved, rewritten, treated };
            let known = self.sat.theory().enc().variables.len();
            self.sat.push();
            let answer = self.query_in_scope(query);
            self.sat.theory_mut().enc_mut().end_query();
            self.sat.pop();
            if let Some(answer) = answer {
                return answer;
            }
            self.wake_mentioned(known);
        }
    }

    /// Answers a query in a scope of the core that is its own. `None` if it has to be begun anew: nothing of
    /// it may be forgotten, or it mentions a guard that nothing mentioned before.
    fn query_in_scope(&mut self, query: Query<'_>) -> Option<Answer> {
        let Query { temporary, assumptions, resolved, mut rewritten, treated } = query;
        let mut roots = Vec::new();
        let mut assumed: Vec<Lit> = Vec::with_capacity(assumptions.len());
        // Lemmas about arrays and products are for good and may mention anything, so then everything is. So
        // is what proofs refer to.
        let keep = self.options.proofs || self.arrays.is_used();
        let enc = self.sat.theory_mut().enc_mut();
        enc.forget = !keep && enc.products.is_empty();
        // What stays is encoded first: it must not refer to what goes.
        let known = enc.variables.len();
        let mut parts: Vec<Term> = Vec::new();
        for a in &treated {
            match a {
                Assumption::Formula(t) => parts.push(*t),
                Assumption::Guard(_, clauses) => parts.extend(clauses.iter().flatten()),
                Assumption::Absent => {}
            }
        }
        for &t in &rewritten[assumptions.len()..] {
            parts.extend(self.clauses_of(t).into_iter().flatten());
        }
        self.encode(|enc, sink| {
            for t in parts {
                enc.note_use(t);
                if !enc.is_forgettable(t) {
                    enc.literal(sink, t);
                }
            }
        });
        let enc = self.sat.theory_mut().enc_mut();
        if enc.forget && !enc.products.is_empty() {
            return None;
        }
        for a in &treated {
            assumed.push(match a {
                Assumption::Formula(t) => self.encode(|enc, sink| enc.required_for_query(sink, *t)),
                Assumption::Guard(_, clauses) => self.assume_guard(clauses, &mut roots),
                Assumption::Absent => gates::tru(),
            });
        }
        self.for_query = true;
        for &t in &rewritten[assumptions.len()..] {
            self.add_formula(t, &mut roots, false);
        }
        self.for_query = false;
        if !self.woken_since(known).is_empty() {
            return None;
        }
        let mut goal = None;
        if self.arrays.is_used() || !self.sat.theory().enc().products.is_empty() {
            rewritten.extend(&self.rewritten);
            let given: Vec<Term> = self.resolved.iter().chain(&resolved).copied().collect();
            goal = self.goal(given, &rewritten);
        }
        self.begin_limits();
        let theories = self.sat.theory_mut();
        theories.begin_query();
        for &l in &assumed {
            theories.demands.add_root(Demand::True(l));
        }
        for &o in roots.iter().chain(&self.roots) {
            theories.demands.add_root(o);
        }
        self.sat.set_domain([]);
        let outcome = match &mut goal {
            Some(goal) => self.solve_refining(&assumed, goal),
            None => match self.solve_within_limits(&assumed) {
                SolveResult::Sat => Ok(self.model()),
                SolveResult::Unsat => Err(refine::Stopped::Unsat),
                SolveResult::Unknown(stopped) => Err(refine::Stopped::Unknown(self.reason(stopped))),
            },
        };
        let answer = match outcome {
            Ok(mut model) | Err(refine::Stopped::Model(mut model)) => {
                Self::complete_guards(&treated, &mut model);
                self.solved.complete(&mut model);
                self.verify(&model, temporary, assumptions);
                Answer::Sat(model)
            }
            Err(refine::Stopped::Unknown(reason)) => Answer::Unknown(reason),
            Err(refine::Stopped::Unsat) => {
                let failed = self.sat.core();
                // In the order given, each literal once.
                let mut core: Vec<(Term, Lit)> = Vec::with_capacity(failed.len());
                for (&t, l) in assumptions.iter().zip(&assumed) {
                    if failed.contains(l) && !core.iter().any(|(_, used)| used == l) {
                        core.push((t, *l));
                    }
                }
                self.prove(temporary, &core)
            }
        };
        self.sat.clear_domain();
        self.sat.backtrack();
        Some(answer)
    }

    /// The answer to a refuted query, with its proof if proofs are kept.
    fn prove(&mut self, temporary: &[Term], core: &[(Term, Lit)]) -> Answer {
        if self.options.proofs {
            let refutation = self.refutation(temporary, core);
            if self.options.certified {
                let failed = match &refutation {
                    Ok(r) => r.check(self.pool).err().map(|e| e.to_string()),
                    Err(why) => Some(format!("the proof is incomplete: {why}")),
                };
                if let Some(why) = failed {
                    return Answer::Unknown(UnknownReason::Failed(why));
                }
            }
            self.refutation = Some(refutation);
        }
        Answer::Unsat(core.iter().map(|(t, _)| *t).collect())
    }

    /// The proof of the last query, if that was refuted and `Options::proofs` is on; an error says why
    /// there is none.
    pub fn last_refutation(&self) -> Option<Result<&Refutation, &str>> {
        self.refutation.as_ref().map(|r| r.as_ref().map_err(String::as_str))
    }

    pub(super) fn reason(&self, stopped: Stopped) -> UnknownReason {
        match stopped {
            Stopped::Interrupted => UnknownReason::Interrupted,
            Stopped::Conflicts | Stopped::Propagations | Stopped::Memory => UnknownReason::Limit,
            Stopped::Theory => match self.sat.theory().gave_up {
                Some(GaveUp::Interrupted) => UnknownReason::Interrupted,
                _ => UnknownReason::Limit,
            },
        }
    }

    /// The limits of a query. A step is about a microsecond: some propagations, a fraction of a conflict, a
    /// pivot.
    fn begin_limits(&mut self) {
        let (steps, interrupt) = (self.limits.steps, self.limits.interrupt.clone());
        let stats = self.sat.stats();
        self.spent = Spent { conflicts: stats.conflicts, propagations: stats.propagations, rounds: 0 };
        let arith = &mut self.sat.theory_mut().enc_mut().arith;
        arith.reset_budget(steps.unwrap_or(u64::MAX));
        arith.set_interrupt(interrupt);
    }

    /// Runs the core with what is left of the limits of the query. Each run costs something even if it finds
    /// nothing to do: refinement makes many.
    pub(super) fn solve_within_limits(&mut self, assumed: &[Lit]) -> SolveResult {
        let stats = self.sat.stats();
        let conflicts =
            stats.conflicts - self.spent.conflicts + self.spent.rounds * ROUND_STEPS / CONFLICT_STEPS;
        let propagations = stats.propagations - self.spent.propagations;
        self.spent.rounds += 1;
        let left = |all: u64, used: u64| all.saturating_sub(used);
        let steps = self.limits.steps;
        let limits = palisade_sat::Limits {
            conflicts: steps.map(|s| left(s / CONFLICT_STEPS + 1, conflicts)),
            propagations: steps.map(|s| left(s.saturating_mul(PROPAGATIONS_PER_STEP), propagations)),
            memory_bytes: None,
            interrupt: self.limits.interrupt.clone(),
        };
        if limits.conflicts == Some(0) || limits.propagations == Some(0) {
            return SolveResult::Unknown(Stopped::Conflicts);
        }
        self.sat.set_limits(limits);
        self.sat.solve(assumed)
    }

    fn verify(&self, model: &Assignment, temporary: &[Term], assumptions: &[Term]) {
        if !self.options.checked {
            return;
        }
        let mut ev = Evaluator::new(self.pool, model);
        let asserted = self.asserted.iter().copied().chain(self.guards.asserted());
        for t in asserted.chain(temporary.iter().chain(assumptions).copied()) {
            assert!(ev.holds(t), "the model falsifies {}", self.pool.infix(t));
        }
    }
}
