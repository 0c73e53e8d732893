//! The native solver: CDCL(T) made for IC3's stream of many small queries.
//!
//! The parts: `encode` turns terms into literals over `gates` (and `blast`s bit-vectors); `theory` is what the SAT core consults:
//! arithmetic, decisions by justification (`justify`), and the clauses that are held back (`lemmas`); `arrays` and
//! `nonlinear` refine candidate models on demand; `solved` replaces variables that equalities give away; `model` reads the answer; `compact` starts over when most of what was
//! encoded is dead.
//!
//! Invariants:
//! - Encodings are permanent, whatever scope they were made in; scopes hold only asserted clauses and what was learned from them.
//! - A query opens a scope of its own for its temporary clauses, the atoms and circuits of its literals, its integer splits and what is learned from them. Nothing of it stays but
//!   what follows without it. Other terms of a query stay until the solver starts over.
//! - `Sat` is only answered with a model under which every asserted formula, temporary and assumption evaluates to true wherever incomplete
//!   reasoning (nonlinear arithmetic, arrays) took part, and everywhere with [`Options::checked`].
//! - Everything is counted in steps; the same queries give the same answers.

mod arrays;
mod blast;
mod compact;
mod encode;
mod gates;
mod justify;
mod lemmas;
mod model;
mod nonlinear;
mod refine;
mod refutation;
mod solved;
mod theory;
mod words;

use std::collections::BTreeMap;

use palisade_proof::ProductFact;
use palisade_sat::{Lit, SolveResult, Solver as SatSolver, Stopped, Tag, Var};
use palisade_term::eval::Evaluator;
use palisade_term::{Assignment, Op, Term, TermPool};
use rustc_hash::FxHashMap;

use crate::solver::{Answer, Interpolation, Limits, Solver, Stats, UnknownReason};
use arrays::Arrays;
use encode::Encoder;
use gates::{ClauseSink, Rule};
use justify::Obligation;
use lemmas::View;
use solved::Solved;
use theory::{GaveUp, Glue};

pub use gates::Rule as ProofRule;
pub use refutation::Refutation;
pub use theory::Certificate;

/// The switches of the solver.
#[derive(Clone, Debug)]
pub struct Options {
    /// Evaluate every model on the asserted formulas, and panic if it is none.
    pub checked: bool,
    /// Hold asserted clauses of literals back until a candidate model violates them.
    pub hold_back: bool,
    /// Keep a proof log with certificates, and make a proof of every refutation. Nothing is held back then.
    pub proofs: bool,
    /// Answer `Unsat` only if the independent checker accepts the proof; implies `proofs`.
    pub certified: bool,
    /// Offer cuts over new forms in integer reasoning; without them only splits on single variables.
    pub cuts: bool,
    /// Solve equalities over the integers before splitting.
    pub equations: bool,
    /// Other than 0: fresh variables are tried in an order and with values drawn from this seed.
    pub seed: u64,
    /// Replace variables that an asserted equality gives away. Not with proofs: those are about what was asserted.
    pub solve_equalities: bool,
    /// Parts of the encoding that may be dead before the solver starts over from what is asserted.
    pub garbage: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            checked: cfg!(debug_assertions),
            hold_back: true,
            proofs: false,
            certified: false,
            cuts: true,
            equations: true,
            seed: 0,
            solve_equalities: true,
            garbage: 4_000,
        }
    }
}

/// The core as a sink of clauses.
struct CoreSink<'a, 'p>(&'a mut SatSolver<Glue<'p>>);

impl ClauseSink for CoreSink<'_, '_> {
    const FORGETS_ATOMS: bool = true;

    fn new_var(&mut self, theory: bool, scoped: bool) -> Var {
        match (theory, scoped) {
            (true, true) => self.0.new_theory_var(palisade_sat::Lifetime::Scope),
            (true, false) => self.0.new_theory_var(palisade_sat::Lifetime::Permanent),
            (false, true) => self.0.new_scoped_var(),
            (false, false) => self.0.new_var(),
        }
    }

    fn clause(&mut self, lits: &[Lit], tag: Tag) {
        self.0.add_clause_in(0, lits, tag);
    }
}

/// Steps that a round of refinement counts for.
const ROUND_STEPS: u64 = 100;

/// What the core had done when the query began, and the rounds of refinement since.
#[derive(Clone, Copy, Default)]
struct Spent {
    conflicts: u64,
    propagations: u64,
    rounds: u64,
}

#[derive(Clone, Copy)]
struct Scope {
    roots: usize,
    asserted: usize,
    alive: usize,
}

/// The native solver. See the [module](self).
pub struct NativeSolver<'p> {
    pool: &'p TermPool,
    options: Options,
    limits: Limits,
    spent: Spent,
    sat: SatSolver<Glue<'p>>,
    arrays: Arrays<'p>,
    /// What lemmas about products say, if proofs are kept.
    product_facts: FxHashMap<Term, ProductFact>,
    /// Facts about arrays that were needed so far: their variables, and what to see to.
    instances: BTreeMap<Term, (Vec<Term>, Vec<Obligation>)>,
    /// Obligations of the asserted formulas, and the formulas.
    roots: Vec<Obligation>,
    asserted: Vec<Term>,
    /// Variables that asserted equalities give away.
    solved: Solved<'p>,
    /// The asserted formulas without those.
    resolved: Vec<Term>,
    /// The same without arrays.
    rewritten: Vec<Term>,
    scopes: Vec<Scope>,
    /// What the asserted formulas of open scopes need of the core; see the module `compact`.
    alive: usize,
    /// The counters of cores that are gone.
    past: Stats,
    queries: u64,
    /// What is being added belongs to the running query.
    for_query: bool,
    lits: Vec<Lit>,
    /// Of the last query, if it was refuted and proofs are kept.
    refutation: Option<Result<Refutation, String>>,
}

impl<'p> NativeSolver<'p> {
    /// A solver over the terms of a pool.
    pub fn new(pool: &'p TermPool) -> Self {
        Self::with_options(pool, Options::default())
    }

    /// A solver with switches.
    pub fn with_options(pool: &'p TermPool, mut options: Options) -> Self {
        options.proofs |= options.certified;
        options.hold_back &= !options.proofs;
        options.solve_equalities &= !options.proofs;
        let proofs = options.proofs;
        let mut solver = NativeSolver {
            pool,
            limits: Limits::default(),
            spent: Spent::default(),
            sat: Self::core(pool, &options),
            options,
            product_facts: FxHashMap::default(),
            arrays: Arrays::new(pool, proofs),
            instances: BTreeMap::new(),
            roots: Vec::new(),
            asserted: Vec::new(),
            solved: Solved::new(pool),
            resolved: Vec::new(),
            rewritten: Vec::new(),
            scopes: Vec::new(),
            alive: 0,
            past: Stats::default(),
            queries: 0,
            for_query: false,
            lits: Vec::new(),
            refutation: None,
        };
        solver.init_core();
        solver
    }

    /// The formulas that are asserted in open scopes.
    pub fn asserted(&self) -> &[Term] {
        &self.asserted
    }

    /// Runs `f` with the encoder and the core apart from each other.
    fn encode<R>(&mut self, f: impl FnOnce(&mut Encoder<'p>, &mut CoreSink<'_, 'p>) -> R) -> R {
        self.sat.backtrack();
        let mut enc = self.sat.theory_mut().take_encoder();
        let result = f(&mut enc, &mut CoreSink(&mut self.sat));
        self.sat.theory_mut().put_encoder(enc);
        result
    }

    // ---- asserting -----------------------------------------------------------------------------

    /// Adds an asserted formula, freed of arrays, to the current scope.
    fn add_asserted(&mut self, formula: Term) {
        let before = self.parts();
        let mut roots = std::mem::take(&mut self.roots);
        self.add_formula(formula, &mut roots, true);
        self.roots = roots;
        self.alive += self.parts().saturating_sub(before);
    }

    /// Adds a formula to the current scope of the core; obligations go to `roots`.
    fn add_formula(&mut self, formula: Term, roots: &mut Vec<Obligation>, hold_back: bool) {
        let (scope, tag) = (self.sat.depth(), Rule::Input.tag(formula.index() as u32));
        self.add_clauses(formula, scope, tag, roots, hold_back);
    }

    /// Adds a valid formula for good.
    fn add_permanent(&mut self, formula: Term, rule: Rule, roots: &mut Vec<Obligation>) {
        self.add_clauses(formula, 0, rule.tag(formula.index() as u32), roots, false);
    }

    fn add_clauses(
        &mut self,
        formula: Term,
        scope: usize,
        tag: Tag,
        roots: &mut Vec<Obligation>,
        hold_back: bool,
    ) {
        for clause in self.clauses_of(formula) {
            if !(hold_back && clause.len() > 1 && self.hold_back(&clause)) {
                self.add_clause(&clause, scope, tag, roots);
            }
        }
    }

    /// The clauses whose conjunction a formula is at its top.
    fn clauses_of(&self, formula: Term) -> Vec<Vec<Term>> {
        let pool = self.pool;
        let mut out = Vec::new();
        let mut work = vec![(formula, true)];
        while let Some((t, positive)) = work.pop() {
            let args = pool.args(t);
            match (pool.op(t), positive) {
                (Op::Not, _) => work.push((args[0], !positive)),
                (Op::And, true) | (Op::Or, false) => work.extend(args.iter().rev().map(|&a| (a, positive))),
                (Op::And, false) | (Op::Or, true) => out.push(self.flatten_clause(t, positive)),
                _ => out.push(vec![if positive { t } else { pool.not(t) }]),
            }
        }
        out
    }

    /// The disjuncts of a disjunction, or of a negated conjunction.
    fn flatten_clause(&self, t: Term, positive: bool) -> Vec<Term> {
        let pool = self.pool;
        let mut out = Vec::new();
        let mut work = vec![(t, positive)];
        while let Some((u, positive)) = work.pop() {
            let args = pool.args(u);
            match (pool.op(u), positive) {
                (Op::Not, _) => work.push((args[0], !positive)),
                (Op::And, false) | (Op::Or, true) => work.extend(args.iter().rev().map(|&a| (a, positive))),
                _ => out.push(if positive { u } else { pool.not(u) }),
            }
        }
        out
    }

    fn add_clause(&mut self, clause: &[Term], scope: usize, tag: Tag, roots: &mut Vec<Obligation>) {
        let mut lits = std::mem::take(&mut self.lits);
        lits.clear();
        let for_query = self.for_query;
        self.encode(|enc, sink| {
            for &t in clause {
                lits.push(if for_query { enc.required_for_query(sink, t) } else { enc.required(sink, t) });
            }
            enc.gates.mention(&lits);
            if lits.contains(&gates::tru()) {
                return;
            }
            lits.retain(|&l| l != gates::fls());
            roots.push(match lits[..] {
                [l] => Obligation::True(l),
                _ => {
                    let range =
                        if for_query { enc.gates.store_for_query(&lits) } else { enc.gates.store(&lits) };
                    Obligation::Clause(range.0, range.1)
                }
            });
        });
        self.sat.add_clause_in(scope, &lits, tag);
        self.lits = lits;
    }

    /// Holds a clause back if it can be evaluated; whether it did.
    fn hold_back(&mut self, clause: &[Term]) -> bool {
        if !self.options.hold_back {
            return false;
        }
        let pool = self.pool;
        // The guard is a negated Boolean variable; the rest must be literals, with arithmetic or bit-vectors among them.
        let guard = clause.iter().position(|&t| {
            let (negated, atom) = pool.strip_not(t);
            negated && pool.is_var(atom)
        });
        let theory = clause.iter().any(|&t| !pool.is_var(pool.strip_not(t).1));
        if !theory || !clause.iter().all(|&t| pool.is_literal(t)) {
            return false;
        }
        let mut views = Vec::with_capacity(clause.len());
        for (i, &t) in clause.iter().enumerate() {
            if Some(i) == guard {
                continue;
            }
            match self.view(t) {
                Some(v) => views.push(v),
                None => return false,
            }
        }
        let guard = guard.map(|i| {
            let var = pool.strip_not(clause[i]).1;
            self.encode(|enc, sink| enc.literal(sink, var))
        });
        let depth = self.scopes.len();
        self.sat.theory_mut().lemmas.add(guard, &views, depth);
        true
    }

    /// How a literal of a held-back clause is evaluated; `None` if it cannot be.
    fn view(&mut self, t: Term) -> Option<u32> {
        if let Some(v) = self.sat.theory().lemmas.view(t) {
            return Some(v);
        }
        let pool = self.pool;
        let (negated, atom) = pool.strip_not(t);
        let view = if pool.is_var(atom) {
            View::Bool(self.encode(|enc, sink| enc.literal(sink, t)))
        } else if pool.args(atom).first().is_some_and(|&a| pool.sort(a).is_arith()) {
            let (var, relation, bound) = self.sat.theory_mut().enc_mut().linear_view(atom)?;
            View::Linear(var, if negated { relation.negated() } else { relation }, bound)
        } else if self.sat.theory().words.supports(atom) {
            View::Word(atom, negated)
        } else {
            return None;
        };
        Some(self.sat.theory_mut().lemmas.add_view(t, view))
    }

    // ---- queries -------------------------------------------------------------------------------

    fn query(&mut self, temporary: &[Term], assumptions: &[Term]) -> Answer {
        self.queries += 1;
        self.refutation = None;
        self.compact();
        loop {
            self.sat.push();
            let answer = self.query_in_scope(temporary, assumptions);
            self.sat.theory_mut().enc_mut().end_query();
            self.sat.pop();
            if let Some(answer) = answer {
                return answer;
            }
        }
    }

    /// Answers a query in a scope of the core that is its own. `None` if it turned out that nothing of it may be forgotten.
    fn query_in_scope(&mut self, temporary: &[Term], assumptions: &[Term]) -> Option<Answer> {
        let mut roots = Vec::new();
        let mut assumed: Vec<Lit> = Vec::with_capacity(assumptions.len());
        let resolved: Vec<Term> =
            assumptions.iter().chain(temporary).map(|&t| self.solved.resolve(t)).collect();
        let mut rewritten: Vec<Term> = resolved.iter().map(|&t| self.arrays.rewrite(t)).collect();
        // Lemmas about arrays and products are for good and may mention anything, so then everything is. So is what proofs refer to.
        let keep = self.options.proofs || self.arrays.is_used();
        let enc = self.sat.theory_mut().enc_mut();
        enc.forget = !keep && enc.products.is_empty();
        // What stays is encoded first: it must not refer to what goes.
        let mut parts: Vec<Term> = rewritten[..assumptions.len()].to_vec();
        for &t in &rewritten[assumptions.len()..] {
            parts.extend(self.clauses_of(t).into_iter().flatten());
        }
        self.encode(|enc, sink| {
            for t in parts {
                if !enc.is_forgettable(t) {
                    enc.literal(sink, t);
                }
            }
        });
        let enc = self.sat.theory_mut().enc_mut();
        if enc.forget && !enc.products.is_empty() {
            return None;
        }
        for &t in &rewritten[..assumptions.len()] {
            assumed.push(self.encode(|enc, sink| enc.required_for_query(sink, t)));
        }
        self.for_query = true;
        for &t in &rewritten[assumptions.len()..] {
            self.add_formula(t, &mut roots, false);
        }
        self.for_query = false;
        let mut goal = None;
        if self.arrays.is_used() || !self.sat.theory().enc().products.is_empty() {
            rewritten.extend(&self.rewritten);
            let given: Vec<Term> = self.resolved.iter().chain(&resolved).copied().collect();
            goal = self.goal(given, &rewritten);
        }
        self.begin_limits();
        let glue = self.sat.theory_mut();
        glue.begin_query();
        for &l in &assumed {
            glue.frontier.add_root(Obligation::True(l));
        }
        for &o in roots.iter().chain(&self.roots) {
            glue.frontier.add_root(o);
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

    /// The proof of the last query, if that was refuted and [`Options::proofs`] is on; an error says why there is none.
    pub fn last_refutation(&self) -> Option<Result<&Refutation, &str>> {
        self.refutation.as_ref().map(|r| r.as_ref().map_err(String::as_str))
    }

    fn reason(&self, stopped: Stopped) -> UnknownReason {
        match stopped {
            Stopped::Interrupted => UnknownReason::Interrupted,
            Stopped::Conflicts | Stopped::Propagations | Stopped::Memory => UnknownReason::Limit,
            Stopped::Theory => match self.sat.theory().gave_up {
                Some(GaveUp::Interrupted) => UnknownReason::Interrupted,
                _ => UnknownReason::Limit,
            },
        }
    }

    /// The limits of a query. A step is about a microsecond: some propagations, a fraction of a conflict, a pivot.
    fn begin_limits(&mut self) {
        let (steps, interrupt) = (self.limits.steps, self.limits.interrupt.clone());
        let stats = self.sat.stats();
        self.spent = Spent { conflicts: stats.conflicts, propagations: stats.propagations, rounds: 0 };
        let arith = &mut self.sat.theory_mut().enc_mut().arith;
        arith.reset_budget(steps.unwrap_or(u64::MAX));
        arith.set_interrupt(interrupt);
    }

    /// Runs the core with what is left of the limits of the query. Each run costs something even if it finds nothing to do: refinement makes many.
    fn solve_within_limits(&mut self, assumed: &[Lit]) -> SolveResult {
        let stats = self.sat.stats();
        let conflicts = stats.conflicts - self.spent.conflicts + self.spent.rounds * ROUND_STEPS / 4;
        let propagations = stats.propagations - self.spent.propagations;
        self.spent.rounds += 1;
        let left = |all: u64, used: u64| all.saturating_sub(used);
        let steps = self.limits.steps;
        let limits = palisade_sat::Limits {
            conflicts: steps.map(|s| left(s / 4 + 1, conflicts)),
            propagations: steps.map(|s| left(s.saturating_mul(20), propagations)),
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
        for &t in self.asserted.iter().chain(temporary).chain(assumptions) {
            assert!(ev.holds(t), "the model falsifies {}", self.pool.infix(t));
        }
    }
}

impl Solver for NativeSolver<'_> {
    fn pool(&self) -> &TermPool {
        self.pool
    }

    fn push(&mut self) {
        self.open_scope(self.asserted.len());
    }

    fn pop(&mut self, scopes: usize) {
        assert!(scopes <= self.scopes.len(), "pop without push");
        for _ in 0..scopes {
            self.sat.pop();
            let scope = self.scopes.pop().expect("counted");
            self.roots.truncate(scope.roots);
            self.asserted.truncate(scope.asserted);
            self.resolved.truncate(scope.asserted);
            self.rewritten.truncate(scope.asserted);
            self.alive = scope.alive;
        }
        let depth = self.scopes.len();
        self.sat.theory_mut().lemmas.pop(depth);
    }

    fn assert(&mut self, formula: Term) {
        self.asserted.push(formula);
        let formula = self.solved.resolve(formula);
        let for_good = self.options.solve_equalities && self.scopes.is_empty();
        let formula = self.solved.assert(formula, for_good);
        self.resolved.push(formula);
        let formula = self.arrays.rewrite(formula);
        self.rewritten.push(formula);
        self.add_asserted(formula);
    }

    fn check(&mut self, assumptions: &[Term]) -> Answer {
        self.query(&[], assumptions)
    }

    fn check_with(&mut self, temporary: &[Term], assumptions: &[Term]) -> Answer {
        self.query(temporary, assumptions)
    }

    fn interpolate(&mut self, parts: &[Term]) -> Interpolation {
        let settings = crate::interpolate::Settings { limits: self.limits.clone(), ..Default::default() };
        crate::interpolate::interpolate(self.pool, parts, &settings)
    }

    fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    fn stats(&self) -> Stats {
        self.stats_so_far()
    }
}
