//! Keeping the clause database small: forgetting learned clauses, removing satisfied ones, collecting the
//! arena.
//!
//! Learned clauses are kept in tiers by glue (Audemard and Simon, "Predicting Learnt Clauses Quality in
//! Modern SAT Solvers", 2009; tiers after Oh, "Between SAT and UNSAT: The Fundamental Difference in CDCL
//! SAT", 2015): a clause that took part in a conflict is safe for one to three reductions depending on its
//! tier, and goes last. No tier is kept for ever: in a long stream of small queries nearly every learned
//! clause has a low glue, and what is not used must go some day.

use crate::arena::{Arena, CRef};
use crate::core::{Core, Reason};
use crate::lit::Lit;
use crate::proof::StepId;

impl Core {
    /// Whether the clause is the reason of a literal on the trail.
    fn is_locked(&self, c: CRef) -> bool {
        let first = self.arena.lit(c, 0);
        self.values[first.code()] > 0 && self.vars[first.var().index()].reason == Reason::Clause(c)
    }

    pub(crate) fn reduce_due(&self) -> bool {
        self.learned_alive >= self.next_reduce
    }

    /// Forgets learned clauses until about half of the limit is left: first those not used for long, of these
    /// the worst.
    pub(crate) fn reduce(&mut self) {
        self.stats.reductions += 1;
        let mut candidates: Vec<(u32, u32, u32, CRef)> = Vec::new();
        for s in 0..self.scopes.len() {
            for i in 0..self.scopes[s].learned.len() {
                let c = self.scopes[s].learned[i];
                let len = self.arena.len(c);
                if self.arena.is_deleted(c) || len == 2 || self.is_locked(c) {
                    continue;
                }
                let used = self.arena.used(c);
                candidates.push((used, self.arena.glue(c), len as u32, c));
                self.arena.set_used(c, used.saturating_sub(1));
            }
        }
        // Among equals the older goes first, which has the lower address.
        candidates.sort_unstable_by_key(|&(used, glue, len, c)| (used, std::cmp::Reverse((glue, len)), c.0));
        candidates.truncate(self.learned_alive.saturating_sub(self.next_reduce / 2));
        for &(_, _, _, c) in &candidates {
            self.arena.delete(c);
        }
        self.stats.reduced += candidates.len() as u64;
        self.learned_alive -= candidates.len();
        let limit =
            self.options.reduce_base + self.options.reduce_step * self.stats.reductions.isqrt() as usize;
        // What cannot be removed must not trigger the next reduction at once.
        self.next_reduce = limit.max(self.learned_alive + self.options.reduce_base / 4 + 1);
        self.sweep();
        self.collect_if_wasteful();
    }

    /// Drops watchers and list entries of deleted clauses.
    fn sweep(&mut self) {
        let arena = &self.arena;
        for list in &mut self.watches {
            list.retain(|w| !arena.is_deleted(w.cref()));
        }
        for scope in &mut self.scopes {
            scope.clauses.retain(|&c| !arena.is_deleted(c));
            scope.learned.retain(|&c| !arena.is_deleted(c));
            scope.recheck.retain(|&c| !arena.is_deleted(c));
        }
    }

    /// Removes, at level 0 and if enough work was done since the last time, clauses that hold for as long as
    /// they live, and literals that are false for as long.
    pub(crate) fn simplify_if_due(&mut self) {
        let due = self.stats.propagations >= self.next_simplify && self.trail.len() > self.simplified_roots;
        if due && self.levels.is_empty() && self.refuted.is_none() && self.qhead == self.trail.len() {
            self.simplify();
        }
    }

    pub(crate) fn simplify(&mut self) {
        debug_assert!(self.levels.is_empty() && self.qhead == self.trail.len());
        self.stats.simplifications += 1;
        let mut deleted = 0;
        for s in 0..self.scopes.len() {
            let learned_from = self.scopes[s].clauses.len();
            for i in 0..learned_from + self.scopes[s].learned.len() {
                let learned = i >= learned_from;
                let c = if learned {
                    self.scopes[s].learned[i - learned_from]
                } else {
                    self.scopes[s].clauses[i]
                };
                if self.arena.is_deleted(c) {
                    continue;
                }
                let fixed = |core: &Core, l: Lit| {
                    core.values[l.code()] != 0 && core.roots[l.var().index()].scope <= s as u32
                };
                let lits = self.arena.lits(c);
                if lits.iter().any(|&l| self.values[l.code()] > 0 && fixed(self, l)) {
                    self.arena.delete(c);
                    deleted += 1;
                    self.learned_alive -= usize::from(learned);
                } else if lits.len() > 3 && lits[2..].iter().any(|&l| fixed(self, l)) {
                    self.strengthen(c, s as u32);
                }
            }
        }
        self.stats.satisfied += deleted;
        if deleted > 0 {
            self.sweep();
        }
        self.simplified_roots = self.trail.len();
        self.next_simplify = self.stats.propagations + self.arena.words() as u64;
        self.collect_if_wasteful();
    }

    /// Removes literals beyond the watched ones that are false as long as the clause lives. At least three
    /// stay, so that the clause remains a long one.
    fn strengthen(&mut self, c: CRef, scope: u32) {
        let mut lits = std::mem::take(&mut self.clause);
        lits.clear();
        self.chain.clear();
        if self.proof.is_some() {
            self.chain.push(self.arena.id(c));
        }
        let all = self.arena.len(c);
        for k in 0..all {
            let l = self.arena.lit(c, k);
            let removable = k >= 2 && (lits.len() >= 3 || k + 1 < all);
            if removable && self.values[l.code()] < 0 && self.roots[l.var().index()].scope <= scope {
                if self.proof.is_some() {
                    self.chain.push(self.roots[l.var().index()].id);
                }
            } else {
                lits.push(l);
            }
        }
        if lits.len() < all {
            if let Some(proof) = &mut self.proof {
                let id = proof.derived(&lits, &self.chain);
                self.arena.set_id(c, id);
            }
            self.arena.lits_mut(c)[..lits.len()].copy_from_slice(&lits);
            self.arena.shrink(c, lits.len());
        }
        self.clause = lits;
    }

    /// Collects the arena once a fair part of it is garbage. No clause address may be held across this.
    pub(crate) fn collect_if_wasteful(&mut self) {
        if self.arena.wasted() > self.options.collect_floor && self.arena.wasted() * 4 > self.arena.words() {
            self.collect();
        }
    }

    fn collect(&mut self) {
        self.stats.collections += 1;
        let mut to = self.arena.successor();
        let from = &mut self.arena;
        for scope in &mut self.scopes {
            for list in [&mut scope.clauses, &mut scope.learned, &mut scope.recheck] {
                list.retain(|&c| !from.is_deleted(c));
                for c in list {
                    *c = from.relocate(*c, &mut to);
                }
            }
        }
        from.relocate_loose(&mut to);
        for list in &mut self.watches {
            for w in list {
                let moved = from.relocate(w.cref(), &mut to);
                *w = w.at(moved);
            }
        }
        let decided = self.levels.first().map_or(self.trail.len(), |l| l.trail);
        for lit in &self.trail[decided..] {
            let reason = &mut self.vars[lit.var().index()].reason;
            *reason = match *reason {
                Reason::Clause(c) => Reason::Clause(from.relocate(c, &mut to)),
                Reason::Explained(c) => Reason::Explained(from.relocate(c, &mut to)),
                other => other,
            };
        }
        self.arena = to;
    }

    /// Drops proof steps that nothing alive rests on, and renumbers.
    pub(crate) fn compact_proof(&mut self) {
        let Some(old) = self.proof.take() else { return };
        let mut needed = vec![false; old.len()];
        self.each_step(|id| needed[id.index()] = true);
        let (new, number) = old.trimmed(&mut needed);
        self.each_step(|id| *id = number[id.index()]);
        self.proof = Some(Box::new(new));
    }

    /// Visits every step number that the solver holds.
    fn each_step(&mut self, mut visit: impl FnMut(&mut StepId)) {
        let mut clause = |arena: &mut Arena, c: CRef| {
            let mut id = arena.id(c);
            visit(&mut id);
            arena.set_id(c, id);
        };
        for scope in &self.scopes {
            for &c in scope.clauses.iter().chain(&scope.learned) {
                if !self.arena.is_deleted(c) {
                    clause(&mut self.arena, c);
                }
            }
        }
        let fixed = self.levels.first().map_or(self.trail.len(), |l| l.trail);
        for lit in &self.trail[fixed..] {
            if let Reason::Explained(c) = self.vars[lit.var().index()].reason {
                clause(&mut self.arena, c);
            }
        }
        for lit in &self.trail[..fixed] {
            visit(&mut self.roots[lit.var().index()].id);
        }
        for (_, root) in self.scopes.iter_mut().flat_map(|s| &mut s.units) {
            visit(&mut root.id);
        }
        if let Some(refuted) = &mut self.refuted {
            visit(&mut refuted.id);
        }
        if let Some(id) = &mut self.final_step {
            visit(id);
        }
    }
}
