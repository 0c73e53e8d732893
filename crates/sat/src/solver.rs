//! The solver: the public interface around the search.

use crate::core::{Core, Root};
use crate::lit::{Lit, Var};
use crate::options::{Limits, Options, Stats};
use crate::proof::{Proof, StepId, Tag};
use crate::theory::{Lifetime, NoTheory, Theory};

/// The answer to a query.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SolveResult {
    /// There is a model; [`Solver::value`] reads it until the solver is next changed.
    Sat,
    /// There is no model; [`Solver::core`] returns the assumptions that caused this.
    Unsat,
    /// The search stopped before it knew.
    Unknown(Stopped),
}

/// Why a search stopped without an answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stopped {
    /// [`Limits::conflicts`] was reached.
    Conflicts,
    /// [`Limits::propagations`] was reached.
    Propagations,
    /// [`Limits::memory_bytes`] was reached.
    Memory,
    /// The interrupt flag was set.
    Interrupted,
    /// The theory gave up.
    Theory,
}

/// An incremental SAT solver, optionally modulo a theory.
///
/// The trail of a query stays in place until the next call that changes the solver, so that models cost
/// nothing to keep and the next query can reuse the levels of the assumptions it shares with this one.
///
/// ```
/// use palisade_sat::{Options, Solver, SolveResult};
/// let mut s = Solver::new(Options::default());
/// let (a, b) = (s.new_var().positive(), s.new_var().positive());
/// s.add_clause(&[a, b]);
/// s.push();
/// s.add_clause(&[!a]);
/// assert_eq!(s.solve(&[!b]), SolveResult::Unsat);
/// assert_eq!(s.core(), [!b]);
/// s.pop();
/// assert_eq!(s.solve(&[!b]), SolveResult::Sat);
/// assert_eq!(s.value(a), Some(true));
/// ```
pub struct Solver<T: Theory = NoTheory> {
    pub(crate) core: Core,
    pub(crate) theory: T,
    /// The theory has not been asked since something may have changed for it.
    pub(crate) theory_dirty: bool,
}

impl Solver<NoTheory> {
    /// A solver for plain SAT.
    pub fn new(options: Options) -> Self {
        Solver::with_theory(options, NoTheory)
    }
}

impl<T: Theory> Solver<T> {
    /// A solver modulo `theory`.
    pub fn with_theory(options: Options, theory: T) -> Self {
        Solver { core: Core::new(options), theory, theory_dirty: true }
    }

    /// The theory.
    pub fn theory(&self) -> &T {
        &self.theory
    }

    /// The theory, to be changed. What was asserted to it stays asserted: call
    /// [`backtrack`](Solver::backtrack) first if that matters.
    pub fn theory_mut(&mut self) -> &mut T {
        self.theory_dirty = true;
        &mut self.theory
    }

    // ---- Variables
    // -------------------------------------------------------------------------------------------

    /// A new permanent variable.
    pub fn new_var(&mut self) -> Var {
        self.core.new_var(false, Lifetime::Permanent)
    }

    /// A new variable that is released, for its index to be used again, when the current scope is popped.
    /// Clauses over it live no longer than it does.
    pub fn new_scoped_var(&mut self) -> Var {
        self.core.new_var(false, Lifetime::Scope)
    }

    /// A new variable whose literals are handed to the theory.
    pub fn new_theory_var(&mut self, lifetime: Lifetime) -> Var {
        self.core.new_var(true, lifetime)
    }

    /// Number of variable indices in use, released ones included.
    pub fn num_vars(&self) -> usize {
        self.core.vars.len()
    }

    /// Number of variables that are alive.
    pub fn live_vars(&self) -> usize {
        self.core.vars.len() - self.core.free_vars.len()
    }

    /// Allows or forbids deciding the variable. A variable that is never decided may stay without value in a
    /// model.
    pub fn set_decision_var(&mut self, v: Var, decide: bool) {
        let core = &mut self.core;
        let flags = &mut core.flags[v.index()];
        if decide {
            *flags |= crate::core::DECISION;
            core.heap.insert(v, core.activity[v.index()]);
            core.domain.offer(v, core.activity[v.index()], core.increment);
        } else {
            *flags &= !crate::core::DECISION;
        }
    }

    /// Sets the value that the variable is tried with next.
    pub fn set_phase(&mut self, v: Var, value: bool) {
        self.core.set_phase(v, value);
    }

    /// Makes the variable more likely to be decided soon.
    pub fn bump_var(&mut self, v: Var) {
        self.core.bump(v);
    }

    // ---- Clauses and scopes
    // ----------------------------------------------------------------------------------

    /// Adds a clause to the current scope.
    pub fn add_clause(&mut self, lits: &[Lit]) {
        self.add_clause_in(self.depth(), lits, 0);
    }

    /// Adds a clause to the current scope, with a tag for the proof.
    pub fn add_tagged_clause(&mut self, lits: &[Lit], tag: Tag) {
        self.add_clause_in(self.depth(), lits, tag);
    }

    /// Adds a clause to an open scope: 0 for good, [`depth`](Solver::depth) for the current one. A clause
    /// over scoped variables lives no longer than they do.
    pub fn add_clause_in(&mut self, scope: usize, lits: &[Lit], tag: Tag) {
        assert!(scope <= self.depth(), "no such scope");
        self.backtrack();
        let mut clause = std::mem::take(&mut self.core.clause);
        clause.clear();
        clause.extend_from_slice(lits);
        self.core.clause = clause;
        let conflict = self.insert_clause(scope as u32, tag, true, false);
        debug_assert!(conflict.is_none(), "at level 0 a false clause refutes the scope");
    }

    /// Opens a scope.
    pub fn push(&mut self) {
        self.backtrack();
        self.core.stats.pushes += 1;
        self.propagate_roots();
        if T::ACTIVE {
            self.assert_to_theory();
            self.theory.new_level();
        }
        self.core.push_scope();
    }

    /// Closes the innermost scope: its clauses, all that was learned from them and its variables are gone.
    /// Panics if no scope is open.
    pub fn pop(&mut self) {
        self.backtrack();
        if T::ACTIVE {
            assert!(self.depth() > 0, "pop without push");
            self.theory.backtrack(1);
            self.theory_dirty = true;
        }
        let theory = &mut self.theory;
        self.core.pop_scope(|v| {
            if T::ACTIVE {
                theory.release(v);
            }
        });
        self.core.collect_if_wasteful();
    }

    /// Number of open scopes.
    pub fn depth(&self) -> usize {
        self.core.depth()
    }

    /// Whether the clauses are already known to be unsatisfiable without assumptions.
    pub fn is_refuted(&self) -> bool {
        self.core.refuted.is_some()
    }

    /// Propagates level 0 and removes clauses that are satisfied there. Happens by itself now and then.
    pub fn simplify(&mut self) {
        self.backtrack();
        self.propagate_roots();
        if self.core.refuted.is_none() {
            self.core.simplify();
        }
    }

    // ---- Queries
    // ---------------------------------------------------------------------------------------------

    /// Looks for a model of all clauses and assumptions. Respects the domain, if one is set.
    pub fn solve(&mut self, assumptions: &[Lit]) -> SolveResult {
        self.core.stats.solves += 1;
        self.core.failed.clear();
        self.core.final_step = None;
        if let Some(refuted) = self.core.refuted {
            self.backtrack();
            self.core.final_step = self.core.proof.is_some().then_some(refuted.id);
            return SolveResult::Unsat;
        }
        if self.core.options.propagate_in_domain {
            debug_assert!(!T::ACTIVE, "theories extend domains while they search");
            assumptions.iter().for_each(|l| self.extend_domain(l.var()));
        }
        self.reuse_levels(assumptions);
        self.core.restarts.new_query();
        self.theory_dirty = true;
        self.search()
    }

    /// As [`solve`](Solver::solve), deciding only variables of `domain` (and assumptions). See
    /// [`set_domain`](Solver::set_domain).
    pub fn solve_in_domain(
        &mut self,
        assumptions: &[Lit],
        domain: impl IntoIterator<Item = Var>,
    ) -> SolveResult {
        self.set_domain(domain);
        self.solve(assumptions)
    }

    /// From now on only the given variables are decided. Costs what the domain costs, not what the instance
    /// does.
    ///
    /// The contract: a model then is a partial assignment that is closed under propagation and assigns at
    /// least the domain; it satisfies every clause over domain variables and falsifies none. The caller
    /// guarantees that it can be extended to the rest, as is the case if the rest are definitions (gates)
    /// that feed nothing in the domain. Unsatisfiability needs no such guarantee. With
    /// [`propagate_in_domain`](Options::propagate_in_domain) it is closed only under propagation within the
    /// domain, and clauses that the rest has to satisfy are not looked at.
    pub fn set_domain(&mut self, domain: impl IntoIterator<Item = Var>) {
        if self.core.options.propagate_in_domain {
            // What is kept of the last query was propagated in another domain.
            self.backtrack();
        }
        self.core.domain.begin(self.core.stats.conflicts);
        for v in domain {
            self.core.extend_domain(v);
        }
    }

    /// Adds a variable to the domain, if one is set.
    pub fn extend_domain(&mut self, v: Var) {
        if self.core.options.propagate_in_domain && !self.core.domain.contains(v) {
            self.backtrack();
        }
        self.core.extend_domain(v);
    }

    /// All variables are decided again.
    pub fn clear_domain(&mut self) {
        if self.core.options.propagate_in_domain {
            self.backtrack();
        }
        self.core.domain.clear();
    }

    /// Sets the limits of the following queries; each query starts counting anew.
    pub fn set_limits(&mut self, limits: Limits) {
        self.core.limits = limits;
    }

    /// The value of a literal: in the model after [`SolveResult::Sat`], until the solver is changed; later
    /// the value it is fixed to, if any.
    #[inline]
    pub fn value(&self, lit: Lit) -> Option<bool> {
        self.core.value(lit)
    }

    /// The value of a literal that clauses fix without assumptions, as far as known.
    pub fn fixed(&self, lit: Lit) -> Option<bool> {
        if self.core.level_of(lit) == 0 { self.core.value(lit) } else { None }
    }

    /// The literals that clauses fix without assumptions, as far as known.
    pub fn fixed_literals(&self) -> &[Lit] {
        let end = self.core.levels.first().map_or(self.core.trail.len(), |l| l.trail);
        &self.core.trail[..end]
    }

    /// After [`SolveResult::Sat`]: all literals that are true, in the order in which they became so.
    pub fn assigned_literals(&self) -> &[Lit] {
        &self.core.trail
    }

    /// After [`SolveResult::Unsat`]: assumptions that cannot hold together with the clauses. Empty if the
    /// clauses are unsatisfiable by themselves.
    pub fn core(&self) -> &[Lit] {
        &self.core.failed
    }

    /// Undoes all decisions; the model is gone. Done by every call that changes the solver.
    pub fn backtrack(&mut self) {
        self.cancel_until(0);
    }

    // ---- Proof, statistics
    // -----------------------------------------------------------------------------------

    /// The proof log, if [`Options::proof`] is on.
    pub fn proof(&self) -> Option<&Proof> {
        self.core.proof.as_deref()
    }

    /// After [`SolveResult::Unsat`] with a proof log: the step whose clause is the negation of
    /// [`core`](Solver::core). None if the core is two assumptions that contradict each other.
    pub fn final_step(&self) -> Option<StepId> {
        self.core.final_step
    }

    /// Drops the proof steps that nothing alive rests on: no clause, no fixed literal, not the last answer.
    /// Step numbers change. Without this the log only grows.
    pub fn compact_proof(&mut self) {
        self.core.compact_proof();
    }

    /// The counters.
    pub fn stats(&self) -> &Stats {
        &self.core.stats
    }

    /// Number of clauses alive: added ones and learned ones; units not counted.
    pub fn num_clauses(&self) -> (usize, usize) {
        let added = self.core.scopes.iter().map(|s| s.clauses.len()).sum();
        (added, self.core.learned_alive)
    }

    /// Estimated heap use in bytes, without the theory.
    pub fn memory_bytes(&self) -> usize {
        self.core.memory_bytes()
    }

    /// Propagates level 0 without consulting the theory.
    fn propagate_roots(&mut self) {
        if self.core.refuted.is_none()
            && let Some(c) = self.core.propagate()
        {
            self.core.refute(c);
        }
    }

    /// Keeps the levels of the assumptions that the new query shares with the last one, and undoes the
    /// others.
    fn reuse_levels(&mut self, assumptions: &[Lit]) {
        let core = &self.core;
        let mut level = 0;
        let mut common = 0;
        if core.options.reuse_trail {
            common = core.assumptions.iter().zip(assumptions).take_while(|(a, b)| a == b).count();
            level = core.levels.partition_point(|l| l.cursor < common);
        }
        self.cancel_until(level);
        let core = &mut self.core;
        // At level 0 start over: an assumption that was fixed may not be any more.
        core.cursor = if level == 0 { 0 } else { core.cursor.min(common) };
        core.stats.reused_levels += level as u64;
        core.assumptions.clear();
        core.assumptions.extend_from_slice(assumptions);
    }

    #[inline]
    pub(crate) fn cancel_until(&mut self, level: usize) {
        let levels = self.core.level();
        if levels > level {
            self.core.cancel_until(level);
            if T::ACTIVE {
                self.theory.backtrack(levels - level);
            }
        }
    }

    /// Adds the clause in `Core::clause` at any moment of the search, backtracking as far as its watches
    /// demand. Returns it if it is false at the current level, which must then be analysed.
    pub(crate) fn insert_clause(
        &mut self,
        scope: u32,
        tag: Tag,
        input: bool,
        redundant: bool,
    ) -> Option<crate::arena::CRef> {
        let (root, satisfied) = self.core.normalize_clause(scope, tag, input);
        if satisfied {
            return None;
        }
        match self.core.clause.len() {
            0 => {
                self.cancel_until(0);
                self.core.set_refuted(root.scope, root.id);
                None
            }
            1 => {
                self.cancel_until(0);
                let unit = self.core.clause[0];
                self.core.add_root(unit, root);
                None
            }
            _ => self.attach_clause(root, redundant),
        }
    }

    fn attach_clause(&mut self, Root { scope, id }: Root, redundant: bool) -> Option<crate::arena::CRef> {
        let core = &mut self.core;
        let mut lits = std::mem::take(&mut core.clause);
        core.order_watches(&mut lits);
        let (a, b) = (lits[0], lits[1]);
        let glue = if redundant { lits.len() as u32 } else { 0 };
        let c = core.arena.alloc(&lits, redundant, glue, scope, id);
        core.clause = lits;
        core.attach(c);
        if redundant {
            core.arena.set_used(c, core.initial_use(glue));
            core.learned_alive += 1;
            core.scopes[scope as usize].learned.push(c);
        } else {
            core.scopes[scope as usize].clauses.push(c);
        }
        let mut conflict = None;
        if core.value(b) == Some(false) {
            let (level_a, level_b) = (core.level_of(a), core.level_of(b));
            match core.value(a) {
                Some(true) if level_a <= level_b => {}
                Some(false) if level_a == level_b => {
                    if level_a == 0 {
                        self.cancel_until(0);
                        self.core.refute(c);
                    } else {
                        self.cancel_until(level_a);
                        conflict = Some(c);
                    }
                }
                _ => {
                    self.cancel_until(level_b);
                    self.core.imply(a, c);
                }
            }
        }
        self.core.recheck_later(c, a, b);
        conflict
    }
}

impl Core {
    /// Sorts the clause in `Core::clause`, logs it and strips what level 0 decides for as long as the clause
    /// lives. Returns what the clause rests on, and whether it holds anyway.
    fn normalize_clause(&mut self, scope: u32, tag: Tag, input: bool) -> (Root, bool) {
        let mut lits = std::mem::take(&mut self.clause);
        lits.sort_unstable();
        lits.dedup();
        let mut scope = scope;
        let mut satisfied = lits.windows(2).any(|w| w[0] == !w[1]);
        let mut strip = false;
        for &l in &lits {
            debug_assert!(self.flags[l.var().index()] & crate::core::ALIVE != 0, "{l:?} was released");
            scope = scope.max(self.var_scope[l.var().index()]);
        }
        let fixed = |core: &Core, l: Lit| {
            let v = l.var().index();
            core.values[l.code()] != 0 && core.vars[v].level == 0 && core.roots[v].scope <= scope
        };
        for &l in &lits {
            if fixed(self, l) {
                satisfied |= self.values[l.code()] > 0;
                strip = true;
            }
        }
        let mut id = StepId::NONE;
        if !satisfied {
            if let Some(proof) = &mut self.proof {
                id = if input { proof.input(&lits, tag) } else { proof.theory(&lits, tag) };
            }
            if strip {
                self.chain.clear();
                self.chain.push(id);
                for &l in &lits {
                    if fixed(self, l) {
                        self.chain.push(self.roots[l.var().index()].id);
                    }
                }
                lits.retain(|&l| !fixed(self, l));
                if let Some(proof) = &mut self.proof {
                    id = proof.derived(&lits, &self.chain);
                }
            }
        }
        self.clause = lits;
        (Root { scope, id }, satisfied)
    }
}
