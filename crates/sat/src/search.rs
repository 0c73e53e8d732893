//! The search: propagation by clauses and theory, decisions, conflicts, restarts, limits.

use crate::arena::CRef;
use crate::core::{Reason, Root, THEORY};
use crate::lit::Lit;
use crate::solver::{SolveResult, Solver, Stopped};
use crate::theory::{Context, FinalCheck, Lifetime, Theory};
use std::sync::atomic::Ordering;

/// How propagation ended.
enum Propagated {
    /// Nothing more follows, and the theory knows all.
    All,
    /// The clause is false.
    Conflict(CRef),
    /// A conflict of the theory was resolved; there is more to propagate.
    Learned,
}

/// What a decision led to.
enum Next {
    Propagate,
    Answer(SolveResult),
}

/// Counters at which a query has to stop.
struct Budget {
    conflicts: u64,
    propagations: u64,
}

impl<T: Theory> Solver<T> {
    pub(crate) fn search(&mut self) -> SolveResult {
        let (stats, limits) = (&self.core.stats, &self.core.limits);
        let until = |now: u64, limit: Option<u64>| limit.map_or(u64::MAX, |n| now.saturating_add(n));
        let budget = Budget {
            conflicts: until(stats.conflicts, limits.conflicts),
            propagations: until(stats.propagations, limits.propagations),
        };
        loop {
            let propagated = self.propagate_all();
            if let Propagated::Conflict(c) = propagated {
                self.resolve_conflict(c);
            }
            if let Some(refuted) = self.core.refuted {
                self.core.failed.clear();
                self.core.final_step = self.core.proof.is_some().then_some(refuted.id);
                return SolveResult::Unsat;
            }
            if let Some(stopped) = self.exhausted(&budget) {
                return SolveResult::Unknown(stopped);
            }
            if let Propagated::All = propagated {
                self.housekeeping();
                if let Next::Answer(answer) = self.decide() {
                    return answer;
                }
            }
        }
    }

    fn exhausted(&self, budget: &Budget) -> Option<Stopped> {
        let core = &self.core;
        if core.stats.conflicts >= budget.conflicts {
            return Some(Stopped::Conflicts);
        }
        if core.stats.propagations >= budget.propagations {
            return Some(Stopped::Propagations);
        }
        if core.limits.interrupt.as_ref().is_some_and(|i| i.load(Ordering::Relaxed)) {
            return Some(Stopped::Interrupted);
        }
        if core.limits.memory_bytes.is_some_and(|limit| core.memory_bytes() > limit) {
            return Some(Stopped::Memory);
        }
        None
    }

    /// What can be done between conflicts, when everything is propagated.
    fn housekeeping(&mut self) {
        if self.core.restarts.due(&self.core.options) {
            let assumed = self.core.levels.partition_point(|l| l.cursor < self.core.assumptions.len());
            self.cancel_until(assumed);
            self.core.stats.restarts += 1;
        }
        if self.core.reduce_due() {
            self.core.reduce();
        }
        self.core.simplify_if_due();
        self.core.collect_if_wasteful();
    }

    /// Propagates clauses and theory until nothing follows any more or there is a conflict.
    fn propagate_all(&mut self) -> Propagated {
        loop {
            if let Some(c) = self.core.propagate() {
                return Propagated::Conflict(c);
            }
            if !T::ACTIVE || !(self.assert_to_theory() || self.theory_dirty) {
                return Propagated::All;
            }
            self.theory_dirty = false;
            let from = self.core.trail.len();
            let conflicts = self.core.stats.conflicts;
            self.theory.propagate(&mut Context { core: &mut self.core });
            self.take_outbox(from);
            if self.core.stats.conflicts > conflicts || self.core.refuted.is_some() {
                return Propagated::Learned;
            }
        }
    }

    /// Hands new literals over to the theory; whether there were any.
    pub(crate) fn assert_to_theory(&mut self) -> bool {
        let mut any = false;
        while let Some(&lit) = self.core.trail.get(self.core.theory_head) {
            self.core.theory_head += 1;
            if self.core.flags[lit.var().index()] & THEORY != 0 {
                self.theory.assert(lit);
                any = true;
            }
        }
        any
    }

    /// Works off what the theory emitted; its propagations are on the trail after `from`.
    fn take_outbox(&mut self, from: usize) {
        if self.core.levels.is_empty() {
            self.explain_roots(from);
        }
        let clash = self.core.outbox.clash.take();
        if let Some(tag) = self.core.outbox.conflict.take() {
            let mut lits = std::mem::take(&mut self.core.outbox.conflict_lits);
            let c = self.core.alloc_theory(&mut lits, tag);
            self.core.outbox.conflict_lits = lits;
            self.core.stats.theory_conflicts += 1;
            self.resolve_conflict(c);
        } else if let Some((lit, payload)) = clash {
            let c = self.explain(lit, payload);
            self.core.stats.theory_conflicts += 1;
            self.resolve_conflict(c);
        }
        self.take_clauses();
    }

    /// Theory propagations at level 0 are explained at once: what they rest on decides how long they hold.
    fn explain_roots(&mut self, from: usize) {
        for i in from..self.core.trail.len() {
            let lit = self.core.trail[i];
            if let Reason::Theory(payload) = self.core.vars[lit.var().index()].reason {
                let c = self.explain(lit, payload);
                let root = self.core.root_of(c, Some(lit));
                self.core.roots[lit.var().index()] = root;
                self.core.vars[lit.var().index()].reason = Reason::None;
                self.core.arena.free_loose(c);
            }
        }
    }

    fn take_clauses(&mut self) {
        if self.core.outbox.clauses.is_empty() {
            return;
        }
        let mut pending = std::mem::take(&mut self.core.outbox.clauses);
        let lits = std::mem::take(&mut self.core.outbox.lits);
        for p in &pending {
            let clause = &lits[p.start..p.start + p.len];
            for &l in clause {
                self.core.extend_domain(l.var());
            }
            self.core.clause.clear();
            self.core.clause.extend_from_slice(clause);
            let scope = if p.lifetime == Lifetime::Scope { self.core.depth() as u32 } else { 0 };
            self.core.stats.theory_clauses += 1;
            if let Some(c) = self.insert_clause(scope, p.tag, p.input, p.redundant) {
                self.resolve_conflict(c);
            }
        }
        pending.clear();
        self.core.outbox.clauses = pending;
        self.core.outbox.lits = lits;
        self.core.outbox.lits.clear();
    }

    /// Learns from a false clause and backjumps; at level 0 this refutes the scope.
    fn resolve_conflict(&mut self, c: CRef) {
        self.core.stats.conflicts += 1;
        let level = self.core.arena.lits(c).iter().map(|&l| self.core.level_of(l)).max().unwrap_or(0);
        // A theory may find its conflicts late.
        self.cancel_until(level);
        if level == 0 {
            self.core.refute(c);
            if self.core.arena.is_loose(c) {
                self.core.arena.free_loose(c);
            }
            return;
        }
        let learned = self.analyze(c);
        self.cancel_until(learned.backjump);
        if self.core.arena.is_loose(c) {
            self.core.arena.free_loose(c);
        }
        let core = &mut self.core;
        core.stats.learned += 1;
        core.stats.learned_literals += core.learned.len() as u64;
        core.restarts.conflict(learned.glue);
        let lits = std::mem::take(&mut core.learned);
        if let [unit] = lits[..] {
            core.add_root(unit, Root { scope: learned.scope, id: learned.id });
        } else {
            let c = core.arena.alloc(&lits, true, learned.glue, learned.scope, learned.id);
            core.arena.set_used(c, core.initial_use(learned.glue));
            core.attach(c);
            core.scopes[learned.scope as usize].learned.push(c);
            core.learned_alive += 1;
            core.imply(lits[0], c);
        }
        core.learned = lits;
        core.increment /= core.options.var_decay;
    }

    /// Opens a level for the next assumption or decision; answers if there is none left.
    fn decide(&mut self) -> Next {
        while let Some(&p) = self.core.assumptions.get(self.core.cursor) {
            match self.core.value(p) {
                Some(true) => self.core.cursor += 1,
                Some(false) => {
                    self.analyze_final(p);
                    return Next::Answer(SolveResult::Unsat);
                }
                None => {
                    self.open_level(p);
                    self.core.cursor += 1;
                    return Next::Propagate;
                }
            }
        }
        if T::ACTIVE {
            let choice = self.theory.decide(&Context { core: &mut self.core });
            if let Some(lit) = choice.filter(|&l| self.core.value(l).is_none()) {
                self.open_level(lit);
                return Next::Propagate;
            }
        }
        let Some(v) = self.core.pick_variable() else { return self.final_check() };
        let mut phase = self.core.phase[v.index()];
        if T::ACTIVE
            && self.core.flags[v.index()] & THEORY != 0
            && let Some(preferred) = self.theory.phase(v)
        {
            phase = preferred;
        }
        self.open_level(v.lit(phase));
        Next::Propagate
    }

    #[inline]
    fn open_level(&mut self, lit: Lit) {
        self.core.stats.decisions += 1;
        self.core.new_level();
        if T::ACTIVE {
            self.theory.new_level();
        }
        self.core.assign(lit, Reason::None);
    }

    fn final_check(&mut self) -> Next {
        if !T::ACTIVE {
            return Next::Answer(SolveResult::Sat);
        }
        self.core.stats.final_checks += 1;
        self.core.outbox.new_vars = 0;
        let from = self.core.trail.len();
        let verdict = self.theory.final_check(&mut Context { core: &mut self.core });
        let out = &self.core.outbox;
        let emitted =
            out.conflict.is_some() || out.clash.is_some() || !out.clauses.is_empty() || out.new_vars > 0;
        let emitted = emitted || self.core.trail.len() > from;
        if verdict == FinalCheck::Unknown {
            self.take_outbox(from);
            return Next::Answer(SolveResult::Unknown(Stopped::Theory));
        }
        if !emitted && verdict == FinalCheck::Consistent {
            return Next::Answer(SolveResult::Sat);
        }
        self.theory_dirty = true;
        self.take_outbox(from);
        Next::Propagate
    }
}
