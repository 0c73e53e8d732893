//! Conflict analysis: first unique implication point, recursive minimisation, final conflicts over
//! assumptions.
//!
//! Everything here can write its proof: antecedents are collected in an order in which each resolves with
//! what came before on exactly one literal. All literals of the resolvent are false, so only the literal a
//! reason implies can clash, and trail order backwards is a resolution order. Units of level 0 come last.
//!
//! The learned clause depends on the deepest scope among its antecedents. Minimisation must not make that
//! worse: it only uses reasons of scopes that the clause depends on anyway, so that what could be kept after
//! a pop still is.

use crate::arena::CRef;
use crate::core::{Core, Reason};
use crate::lit::{Lit, Var};
use crate::proof::StepId;
use crate::solver::Solver;
use crate::theory::Theory;

// Marks of variables during analysis.
const SOURCE: u8 = 1;
const REDUNDANT: u8 = 2;
const KEPT: u8 = 3;
const RESOLVED: u8 = 4;
const ROOT: u8 = 5;

/// What analysis found besides the literals, which are in `Core::learned` with the asserting one first.
pub(crate) struct Learned {
    pub(crate) backjump: usize,
    pub(crate) glue: u32,
    pub(crate) scope: u32,
    pub(crate) id: StepId,
}

impl<T: Theory> Solver<T> {
    /// Analyses the conflict `c`, which has a literal of the current level.
    pub(crate) fn analyze(&mut self, c: CRef) -> Learned {
        let level = self.core.level() as u32;
        self.core.learned.clear();
        self.core.learned.push(Lit(0));
        self.core.chain.clear();
        let mut scope = 0;
        let mut open = 0;
        let mut position = self.core.trail.len();
        let mut reason = c;
        let mut implied = None;
        loop {
            scope = scope.max(self.core.arena.scope(reason));
            open += self.core.resolve_on(reason, implied, level, &mut scope);
            let lit = loop {
                position -= 1;
                let lit = self.core.trail[position];
                if self.core.seen[lit.var().index()] != 0 {
                    break lit;
                }
            };
            open -= 1;
            if open == 0 {
                self.core.learned[0] = !lit;
                break;
            }
            reason = self.reason_clause(lit);
            implied = Some(lit);
        }
        let core = &mut self.core;
        if core.options.minimize {
            core.minimize(scope);
        }
        let (glue, backjump) = core.finish_learned();
        let id = core.log_learned();
        core.clear_seen();
        Learned { backjump, glue, scope, id }
    }

    /// The assumption `p` is false: collects the assumptions that are to blame in `Core::failed`.
    pub(crate) fn analyze_final(&mut self, p: Lit) {
        self.core.failed.clear();
        self.core.failed.push(p);
        self.core.final_step = None;
        let info = self.core.vars[p.var().index()];
        if info.level == 0 {
            self.core.final_step = self.core.proof.is_some().then(|| self.core.roots[p.var().index()].id);
            return;
        }
        if info.reason == Reason::None {
            // Two assumptions contradict each other; their clause is a tautology and needs no derivation.
            self.core.failed.push(!p);
            return;
        }
        self.core.chain.clear();
        self.core.mark(p.var(), SOURCE);
        let bottom = self.core.levels[0].trail;
        for i in (bottom..=info.position as usize).rev() {
            let lit = self.core.trail[i];
            if self.core.seen[lit.var().index()] == 0 {
                continue;
            }
            if self.core.vars[lit.var().index()].reason == Reason::None {
                self.core.failed.push(lit);
                continue;
            }
            let c = self.reason_clause(lit);
            let core = &mut self.core;
            core.chain_push(c);
            for k in 0..core.arena.len(c) {
                let v = core.arena.lit(c, k).var();
                if v != lit.var() && core.seen[v.index()] == 0 {
                    if core.vars[v.index()].level > 0 {
                        core.mark(v, SOURCE);
                    } else {
                        core.mark_root(v);
                    }
                }
            }
        }
        let core = &mut self.core;
        core.chain_roots();
        if let Some(proof) = &mut core.proof {
            core.learned.clear();
            core.learned.extend(core.failed.iter().map(|&l| !l));
            core.final_step = Some(proof.derived(&core.learned, &core.chain));
        }
        core.clear_seen();
    }

    /// The clause that implies `lit`. A theory is asked to explain at most once per assignment.
    pub(crate) fn reason_clause(&mut self, lit: Lit) -> CRef {
        match self.core.vars[lit.var().index()].reason {
            Reason::Clause(c) | Reason::Explained(c) => c,
            Reason::Theory(payload) => {
                let c = self.explain(lit, payload);
                self.core.vars[lit.var().index()].reason = Reason::Explained(c);
                c
            }
            Reason::None => unreachable!("a decision has no reason"),
        }
    }

    /// Asks the theory why `lit` holds, and puts the clause into the arena, watched by nobody.
    pub(crate) fn explain(&mut self, lit: Lit, payload: u32) -> CRef {
        let mut lits = std::mem::take(&mut self.core.explanation);
        lits.clear();
        let tag = self.theory.explain(lit, payload, &mut lits);
        #[cfg(debug_assertions)]
        for &l in &lits {
            let info = &self.core.vars;
            assert_eq!(self.core.value(l), Some(false), "an explanation has a literal that is not false");
            let clash = self.core.value(lit) == Some(false);
            let earlier = info[l.var().index()].position < info[lit.var().index()].position;
            assert!(clash || earlier, "an explanation uses a literal assigned after what it explains");
        }
        lits.push(lit);
        let c = self.core.alloc_theory(&mut lits, tag);
        self.core.explanation = lits;
        self.core.stats.explanations += 1;
        c
    }
}

impl Core {
    /// Logs a clause of the theory and stores it unwatched.
    pub(crate) fn alloc_theory(&mut self, lits: &mut Vec<Lit>, tag: u64) -> CRef {
        lits.sort_unstable();
        lits.dedup();
        let id = self.proof.as_mut().map_or(StepId::NONE, |p| p.theory(lits, tag));
        let scope = lits.iter().map(|l| self.var_scope[l.var().index()]).max().unwrap_or(0);
        self.arena.alloc_loose(lits, scope, id)
    }

    #[inline]
    fn mark(&mut self, v: Var, mark: u8) {
        self.seen[v.index()] = mark;
        self.seen_vars.push(v);
    }

    #[inline]
    fn mark_root(&mut self, v: Var) {
        if self.proof.is_some() {
            self.mark(v, ROOT);
            self.seen_roots.push(v);
        }
    }

    #[inline]
    fn chain_push(&mut self, c: CRef) {
        if self.proof.is_some() {
            self.chain.push(self.arena.id(c));
        }
    }

    /// Ends the chain with the units of the level-0 literals that were met.
    fn chain_roots(&mut self) {
        for v in self.seen_roots.drain(..) {
            self.chain.push(self.roots[v.index()].id);
        }
    }

    fn clear_seen(&mut self) {
        for v in self.seen_vars.drain(..) {
            self.seen[v.index()] = 0;
        }
        self.seen_roots.clear();
    }

    /// Resolves the clause in the making with `c` on `implied`. Returns how many new literals are of the
    /// current level.
    #[inline]
    fn resolve_on(&mut self, c: CRef, implied: Option<Lit>, level: u32, scope: &mut u32) -> u32 {
        self.chain_push(c);
        if self.arena.is_learned(c) {
            self.note_use(c);
        }
        let mut open = 0;
        for k in 0..self.arena.len(c) {
            let lit = self.arena.lit(c, k);
            let v = lit.var();
            if Some(lit) == implied || self.seen[v.index()] != 0 {
                continue;
            }
            let l = self.vars[v.index()].level;
            if l == 0 {
                *scope = (*scope).max(self.roots[v.index()].scope);
                self.mark_root(v);
                continue;
            }
            self.mark(v, SOURCE);
            self.bump(v);
            if l == level {
                open += 1;
            } else {
                self.learned.push(lit);
            }
        }
        open
    }

    /// A learned clause took part in a conflict: it stays for a while, and its glue may have improved.
    fn note_use(&mut self, c: CRef) {
        let mut glue = self.arena.glue(c);
        if glue > self.options.tier1_glue {
            let now = self.glue_of(c);
            if now < glue {
                glue = now;
                self.arena.set_glue(c, glue);
            }
        }
        self.arena.set_used(c, self.initial_use(glue));
    }

    /// For how many reductions a clause is safe.
    pub(crate) fn initial_use(&self, glue: u32) -> u32 {
        match glue {
            g if g <= self.options.tier1_glue => 3,
            g if g <= self.options.tier2_glue => 2,
            _ => 1,
        }
    }

    fn glue_of(&mut self, c: CRef) -> u32 {
        self.stamp += 1;
        let mut glue = 0;
        for &l in self.arena.lits(c) {
            let level = self.vars[l.var().index()].level as usize;
            if self.level_stamp[level] != self.stamp {
                self.level_stamp[level] = self.stamp;
                glue += 1;
            }
        }
        glue
    }

    /// Removes literals that the others imply, using only reasons that depend on no deeper scope than
    /// `scope`.
    fn minimize(&mut self, scope: u32) {
        self.stamp += 1;
        let stamp = self.stamp;
        for l in &self.learned {
            self.level_stamp[self.vars[l.var().index()].level as usize] = stamp;
        }
        let before = self.learned.len();
        let mut kept = 1;
        for i in 1..before {
            let lit = self.learned[i];
            if !self.is_redundant(lit.var(), scope, stamp) {
                self.learned[kept] = lit;
                kept += 1;
            } else {
                // Keep what was removed behind the clause: the proof has to resolve on it.
                self.learned.push(lit);
            }
        }
        self.stats.minimized_literals += (before - kept) as u64;
        if self.proof.is_some() && kept < before {
            self.chain_minimized(before, kept);
        }
        self.learned.truncate(kept);
    }

    /// Whether `v`, in the clause, is implied by the other literals of the clause. Levels with a literal in
    /// the clause bear `stamp`.
    fn is_redundant(&mut self, v: Var, scope: u32, stamp: u64) -> bool {
        let Some(c) = self.usable_reason(v, scope) else { return false };
        debug_assert!(self.stack.is_empty());
        let (mut c, mut k, mut v) = (c, 0, v);
        loop {
            if k as usize == self.arena.len(c) {
                // All literals of the reason are covered.
                if self.seen[v.index()] == 0 {
                    self.mark(v, REDUNDANT);
                }
                match self.stack.pop() {
                    None => return true,
                    Some(frame) => (c, k, v) = frame,
                }
                continue;
            }
            let u = self.arena.lit(c, k as usize).var();
            k += 1;
            let info = &self.vars[u.index()];
            if u == v || matches!(self.seen[u.index()], SOURCE | REDUNDANT) {
                continue;
            }
            if info.level == 0 {
                if self.roots[u.index()].scope <= scope {
                    continue;
                }
            } else if self.seen[u.index()] == 0 && self.level_stamp[info.level as usize] == stamp {
                if let Some(reason) = self.usable_reason(u, scope) {
                    self.stack.push((c, k, v));
                    (c, k, v) = (reason, 0, u);
                    continue;
                }
                self.mark(u, KEPT);
            }
            // `u` is not covered, hence nothing on the way to it is.
            if self.seen[v.index()] == 0 {
                self.mark(v, KEPT);
            }
            while let Some((_, _, v)) = self.stack.pop() {
                if self.seen[v.index()] == 0 {
                    self.mark(v, KEPT);
                }
            }
            return false;
        }
    }

    /// A reason that minimisation may use: theories are not asked to explain for it.
    fn usable_reason(&self, v: Var, scope: u32) -> Option<CRef> {
        match self.vars[v.index()].reason {
            Reason::Clause(c) | Reason::Explained(c) if self.arena.scope(c) <= scope => Some(c),
            _ => None,
        }
    }

    /// Extends the chain by the reasons of the literals that minimisation removed (kept in `learned` from
    /// `before` on) and of all that those bring in.
    fn chain_minimized(&mut self, before: usize, kept: usize) {
        // In the clause: SOURCE. To be resolved away: RESOLVED.
        let mut resolved: Vec<Var> = self.learned.drain(before..).map(Lit::var).collect();
        self.learned.truncate(kept);
        for &v in &resolved {
            self.seen[v.index()] = RESOLVED;
        }
        // What was resolved at the conflict level is of another level than anything met here.
        let mut next = 0;
        while next < resolved.len() {
            let v = resolved[next];
            next += 1;
            let (Reason::Clause(c) | Reason::Explained(c)) = self.vars[v.index()].reason else {
                unreachable!("a redundant literal has a reason")
            };
            for k in 0..self.arena.len(c) {
                let u = self.arena.lit(c, k).var();
                if u == v || matches!(self.seen[u.index()], SOURCE | RESOLVED | ROOT) {
                    continue;
                }
                if self.vars[u.index()].level == 0 {
                    self.mark_root(u);
                } else {
                    self.mark(u, RESOLVED);
                    resolved.push(u);
                }
            }
        }
        resolved.sort_unstable_by_key(|v| std::cmp::Reverse(self.vars[v.index()].position));
        for v in resolved {
            if let Reason::Clause(c) | Reason::Explained(c) = self.vars[v.index()].reason {
                self.chain_push(c);
            }
        }
    }

    /// Puts a literal of the backjump level second; returns the glue and that level.
    fn finish_learned(&mut self) -> (u32, usize) {
        self.stamp += 1;
        let (mut glue, mut backjump, mut second) = (0, 0, 0);
        for (i, l) in self.learned.iter().enumerate() {
            let level = self.vars[l.var().index()].level as usize;
            if self.level_stamp[level] != self.stamp {
                self.level_stamp[level] = self.stamp;
                glue += 1;
            }
            if i > 0 && level > backjump {
                (backjump, second) = (level, i);
            }
        }
        if second > 1 {
            self.learned.swap(1, second);
        }
        (glue, backjump)
    }

    fn log_learned(&mut self) -> StepId {
        if self.proof.is_none() {
            return StepId::NONE;
        }
        self.chain_roots();
        let proof = self.proof.as_mut().expect("checked above");
        proof.derived(&self.learned, &self.chain)
    }
}
