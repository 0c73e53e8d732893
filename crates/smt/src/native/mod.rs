//! The native solver: CDCL(T) made for IC3's stream of many small queries.
//!
//! The parts: `assert` makes clauses of formulas and `query` answers questions about them; `encode` turns
//! terms into literals over `gates` (and `blast`s bit-vectors); `theory` is what the SAT core consults:
//! arithmetic, decisions by justification (`justify`), and the clauses that are held back (`held_back`);
//! `guarded` keeps clauses out of the core that no query needs which does not assume their guard; `arrays`
//! and `nonlinear` refine candidate models on demand; `solved` replaces variables that equalities define;
//! `model` reads the answer; `refutation` makes proofs; `compact` starts over when most of what was encoded
//! is dead.
//!
//! Invariants:
//! - Encodings are permanent, whatever scope they were made in; scopes hold only asserted clauses and what
//!   was learned from them.
//! - A query opens a scope of its own for its temporary clauses, the atoms and circuits of its literals, its
//!   integer splits and what is learned from them. Nothing of it stays but what follows without it. Other
//!   terms of a query stay until the solver starts over.
//! - `Sat` is only answered with a model under which every asserted formula, temporary and assumption
//!   evaluates to true wherever incomplete reasoning (nonlinear arithmetic, arrays) took part, and everywhere
//!   with [`Options::checked`].
//! - Everything is counted in steps; the same queries give the same answers.

mod arrays;
mod assert;
mod blast;
mod compact;
mod encode;
mod gates;
mod guarded;
mod held_back;
mod justify;
mod model;
mod nonlinear;
mod query;
mod refine;
mod refutation;
mod relation;
mod solved;
mod theory;
mod words;

use std::collections::BTreeMap;

use palisade_proof::ProductFact;
use palisade_sat::{Lit, Solver as SatSolver, Tag, Var};
use palisade_term::{Term, TermPool};
use rustc_hash::FxHashMap;

use crate::solver::{Answer, Limits, Solver, Stats};
use arrays::Arrays;
use encode::Encoder;
use gates::ClauseSink;
use guarded::Guards;
use justify::Demand;
use query::Spent;
use solved::Solved;
use theory::Theories;

pub use gates::Rule as ProofRule;
pub use refutation::Refutation;
pub use theory::Certificate;

/// The switches of the solver.
#[derive(Clone, Debug)]
pub struct Options {
    /// Evaluate every model on the asserted formulas, and panic if one is false.
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
    /// Replace variables that an asserted equality defines. Not with proofs: those are about what was
    /// asserted.
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
            garbage: 2_000,
        }
    }
}

/// The core as a sink of clauses.
struct CoreSink<'a, 'p>(&'a mut SatSolver<Theories<'p>>);

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
    sat: SatSolver<Theories<'p>>,
    arrays: Arrays<'p>,
    /// What theory lemmas about products say, if proofs are kept.
    product_facts: FxHashMap<Term, ProductFact>,
    /// Facts about arrays that were needed so far: their variables, and what to see to.
    instances: BTreeMap<Term, (Vec<Term>, Vec<Demand>)>,
    /// Demands of the asserted formulas, and the formulas.
    roots: Vec<Demand>,
    asserted: Vec<Term>,
    /// Asserted clauses that no query needs which does not assume their guard.
    guards: Guards,
    /// Variables that asserted equalities define.
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
            guards: Guards::default(),
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

    /// Runs `f` with the encoder and the core apart from each other.
    fn encode<R>(&mut self, f: impl FnOnce(&mut Encoder<'p>, &mut CoreSink<'_, 'p>) -> R) -> R {
        self.sat.backtrack();
        let mut enc = self.sat.theory_mut().take_encoder();
        let result = f(&mut enc, &mut CoreSink(&mut self.sat));
        self.sat.theory_mut().put_encoder(enc);
        result
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
        self.sat.theory_mut().held_back.pop(depth);
    }

    fn assert(&mut self, formula: Term) {
        let resolved = self.solved.resolve(formula);
        let for_good = self.options.solve_equalities && self.scopes.is_empty();
        let resolved = self.solved.assert(resolved, for_good);
        let rewritten = self.arrays.rewrite(resolved);
        if self.guard_clause(formula, resolved, rewritten) {
            return;
        }
        self.asserted.push(formula);
        self.resolved.push(resolved);
        self.rewritten.push(rewritten);
        self.add_asserted(rewritten);
    }

    fn check(&mut self, assumptions: &[Term]) -> Answer {
        self.query(&[], assumptions)
    }

    fn check_with(&mut self, temporary: &[Term], assumptions: &[Term]) -> Answer {
        self.query(temporary, assumptions)
    }

    fn set_limits(&mut self, limits: Limits) {
        self.limits = limits;
    }

    fn stats(&self) -> Stats {
        self.stats_so_far()
    }
}
