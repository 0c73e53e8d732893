//! Assertion scopes: removable clauses without activation literals.
//!
//! Every clause carries the deepest scope it depends on: its own for an added clause, the maximum over its
//! antecedents for a learned one. Literals fixed at level 0 carry the same ([`Root`](crate::core::Root)).
//! Popping a scope removes exactly what carries its number; everything learned that does not depend on it
//! stays. The cost is that of what happened inside the scope and not of the instance:
//! - each scope lists its clauses; they sit near the end of their watch lists and of the arena, where they
//!   are cheap to take out;
//! - literals fixed inside the scope that do not depend on it stay on the trail, and only they are propagated
//!   again, because a clause may have rested on a literal that is gone;
//! - clauses of outer scopes that were added inside while literals of theirs were fixed by the scope are
//!   listed in `recheck`, and choose their watches anew; units of outer scopes that the scope contradicts
//!   wait in `units`.

use crate::arena::{CRef, MAX_SCOPE};
use crate::core::{Core, Root, THEORY};
use crate::lit::{Lit, Var};
use crate::proof::StepId;

/// An open scope.
#[derive(Default)]
pub(crate) struct Scope {
    /// Length of the trail when the scope was opened.
    pub(crate) trail: usize,
    /// Clauses that were added and depend on this scope and no deeper one.
    pub(crate) clauses: Vec<CRef>,
    /// Learned clauses of the same kind.
    pub(crate) learned: Vec<CRef>,
    /// Clauses of outer scopes whose watches must be chosen anew when this scope goes.
    pub(crate) recheck: Vec<CRef>,
    /// Units of outer scopes that this scope contradicts.
    pub(crate) units: Vec<(Lit, Root)>,
    /// Variables to release.
    pub(crate) vars: Vec<Var>,
}

impl Core {
    #[inline]
    pub(crate) fn depth(&self) -> usize {
        self.scopes.len() - 1
    }

    /// Opens a scope; level 0 must be propagated (or refuted).
    pub(crate) fn push_scope(&mut self) {
        debug_assert!(self.levels.is_empty());
        debug_assert!(self.refuted.is_some() || self.qhead == self.trail.len());
        assert!((self.depth() as u32) < MAX_SCOPE, "too many open scopes");
        let mut scope = self.spare_scopes.pop().unwrap_or_default();
        scope.trail = self.trail.len();
        self.scopes.push(scope);
    }

    /// Removes the innermost scope with all that depends on it. `released` is told each theory variable that
    /// ceases to exist.
    pub(crate) fn pop_scope(&mut self, mut released: impl FnMut(Var)) {
        debug_assert!(self.levels.is_empty());
        let number = self.depth() as u32;
        assert!(number > 0, "pop without push");
        let mut scope = self.scopes.pop().expect("the base scope is never popped");
        self.undo_roots(scope.trail, number);
        if self.refuted.is_some_and(|r| r.scope >= number) {
            self.refuted = None;
        }
        self.learned_alive -= scope.learned.iter().filter(|&&c| !self.arena.is_deleted(c)).count();
        self.remove_clauses(&mut scope);
        for v in scope.vars.drain(..) {
            if self.flags[v.index()] & THEORY != 0 {
                released(v);
            }
            self.release(v);
        }
        for (lit, root) in scope.units.drain(..) {
            self.add_root(lit, root);
        }
        for c in scope.recheck.drain(..) {
            if !self.arena.is_deleted(c) {
                self.rewatch(c);
            }
        }
        self.spare_scopes.push(scope);
    }

    fn undo_roots(&mut self, mark: usize, number: u32) {
        let mut kept = mark;
        for i in mark..self.trail.len() {
            let lit = self.trail[i];
            if self.roots[lit.var().index()].scope >= number {
                self.unassign(lit);
            } else {
                self.vars[lit.var().index()].position = kept as u32;
                self.trail[kept] = lit;
                kept += 1;
            }
        }
        self.trail.truncate(kept);
        self.qhead = self.qhead.min(mark);
        self.theory_head = self.theory_head.min(mark);
        self.simplified_roots = self.simplified_roots.min(mark);
    }

    /// Takes the scope's clauses out, youngest first, so that the end of the arena can be given back.
    fn remove_clauses(&mut self, scope: &mut Scope) {
        loop {
            let (a, b) = (scope.clauses.last().map(|c| c.0), scope.learned.last().map(|c| c.0));
            let c = match (a, b) {
                (None, None) => break,
                _ if a > b => scope.clauses.pop(),
                _ => scope.learned.pop(),
            };
            let c = c.expect("the list with the younger clause is not empty");
            if !self.arena.is_deleted(c) {
                self.detach(c);
                self.stats.popped += 1;
            }
            self.arena.free(c);
        }
    }

    fn release(&mut self, v: Var) {
        let i = v.index();
        debug_assert!(self.values[v.positive().code()] == 0, "a scoped variable is fixed outside its scope");
        debug_assert!(
            self.watches[v.positive().code()].is_empty() && self.watches[v.negative().code()].is_empty()
        );
        self.heap.remove(v);
        self.domain.remove(v);
        self.flags[i] = 0;
        self.free_vars.push(v);
    }

    /// Chooses the watches of an attached clause anew, at level 0.
    fn rewatch(&mut self, c: CRef) {
        self.detach(c);
        let mut lits = std::mem::take(&mut self.clause);
        lits.clear();
        lits.extend_from_slice(self.arena.lits(c));
        self.order_watches(&mut lits);
        self.arena.lits_mut(c).copy_from_slice(&lits);
        self.attach(c);
        let (a, b) = (lits[0], lits[1]);
        self.clause = lits;
        if self.value(b) == Some(false) {
            match self.value(a) {
                Some(true) => {}
                Some(false) => self.refute(c),
                None => self.imply_root(a, c),
            }
        }
        self.recheck_later(c, a, b);
    }

    /// Lists a clause for [`Scope::recheck`] if a watch is fixed by a scope that the clause outlives.
    pub(crate) fn recheck_later(&mut self, c: CRef, a: Lit, b: Lit) {
        let fixed = |l: Lit| self.values[l.code()] != 0 && self.level_of(l) == 0;
        if (self.arena.scope(c) as usize) < self.depth() && (fixed(a) || fixed(b)) {
            self.scopes.last_mut().expect("there is a base scope").recheck.push(c);
        }
    }

    /// Moves the two literals that are best to watch to the front: true before unassigned before false, and
    /// false as late as possible.
    pub(crate) fn order_watches(&self, lits: &mut [Lit]) {
        if lits.iter().all(|l| self.values[l.code()] == 0) {
            return;
        }
        let key = |l: Lit| -> u64 {
            let info = &self.vars[l.var().index()];
            match self.values[l.code()] {
                1 => u64::MAX - u64::from(info.level),
                0 => 1 << 63,
                _ if info.level == 0 => u64::from(self.roots[l.var().index()].scope),
                _ => u64::from(info.level) << 32,
            }
        };
        for k in 0..2.min(lits.len()) {
            let best =
                (k..lits.len()).max_by_key(|&i| (key(lits[i]), std::cmp::Reverse(i))).expect("not empty");
            lits.swap(k, best);
        }
    }

    /// Assigns a unit clause at level 0, or notes that it holds without some scopes, or that it is false.
    pub(crate) fn add_root(&mut self, lit: Lit, root: Root) {
        debug_assert!(self.levels.is_empty());
        let old = self.roots[lit.var().index()];
        match self.values[lit.code()] {
            0 => self.assign_root(lit, root),
            1 if root.scope < old.scope => self.roots[lit.var().index()] = root,
            1 => {}
            _ => {
                let mut id = StepId::NONE;
                if let Some(proof) = &mut self.proof {
                    id = proof.derived(&[], &[root.id, old.id]);
                }
                self.set_refuted(root.scope.max(old.scope), id);
                if (root.scope as usize) < self.depth() {
                    self.scopes.last_mut().expect("there is a base scope").units.push((lit, root));
                }
            }
        }
    }
}
