//! The state of the search, and the parts of it that need no theory: variables, trail, decision heap.
//!
//! Invariants kept throughout:
//! - a clause of two or more literals is watched at its literals 0 and 1; watch lists of binary clauses hold
//!   the other literal, so that propagation never opens them. The literal a long clause implies is at
//!   position 0;
//! - if a watched literal is false and propagated, the clause holds by a literal of no higher level, or is
//!   the conflict being reported;
//! - a literal assigned at level 0 has no reason but a [`Root`]: the deepest scope it depends on and its unit
//!   proof step.

use crate::arena::{Arena, CRef};
use crate::domain::Domain;
use crate::heap::Heap;
use crate::lit::{Lit, Var};
use crate::options::{Limits, Options, Stats};
use crate::proof::{Proof, StepId};
use crate::propagate::Watcher;
use crate::restart::Restarts;
use crate::scope::Scope;
use crate::theory::{Lifetime, Outbox};

/// Why a literal is on the trail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Reason {
    /// A decision, or assigned at level 0.
    None,
    /// Implied by a clause.
    Clause(CRef),
    /// Implied by the theory, not yet explained.
    Theory(u32),
    /// Implied by the theory; the explanation is in the arena, watched by nobody, and dies with the
    /// assignment.
    Explained(CRef),
}

#[derive(Clone, Copy)]
pub(crate) struct VarInfo {
    pub(crate) reason: Reason,
    pub(crate) level: u32,
    /// Position on the trail.
    pub(crate) position: u32,
}

/// What a literal assigned at level 0 rests on.
#[derive(Clone, Copy)]
pub(crate) struct Root {
    pub(crate) scope: u32,
    pub(crate) id: StepId,
}

/// The clauses of `scope` and below are unsatisfiable.
#[derive(Clone, Copy)]
pub(crate) struct Refuted {
    pub(crate) scope: u32,
    pub(crate) id: StepId,
}

#[derive(Clone, Copy)]
pub(crate) struct Level {
    /// Length of the trail before the decision.
    pub(crate) trail: usize,
    /// Index of the assumption that was decided, or the number of assumptions.
    pub(crate) cursor: usize,
}

/// Flags of a variable.
pub(crate) const THEORY: u8 = 1;
pub(crate) const DECISION: u8 = 2;
pub(crate) const ALIVE: u8 = 4;

const ACTIVITY_LIMIT: f64 = 1e100;

pub(crate) struct Core {
    pub(crate) options: Options,
    pub(crate) limits: Limits,
    pub(crate) stats: Stats,

    // Assignment; `values` is indexed by literal: 1 true, -1 false, 0 unassigned.
    pub(crate) values: Vec<i8>,
    pub(crate) vars: Vec<VarInfo>,
    pub(crate) roots: Vec<Root>,
    pub(crate) trail: Vec<Lit>,
    pub(crate) levels: Vec<Level>,
    pub(crate) qhead: usize,
    /// Everything before this on the trail was handed to the theory.
    pub(crate) theory_head: usize,

    // Variables.
    pub(crate) flags: Vec<u8>,
    pub(crate) var_scope: Vec<u32>,
    pub(crate) free_vars: Vec<Var>,

    // Decisions.
    pub(crate) phase: Vec<bool>,
    pub(crate) activity: Vec<f64>,
    pub(crate) increment: f64,
    pub(crate) heap: Heap,
    pub(crate) domain: Domain,
    pub(crate) restarts: Restarts,

    // Clauses.
    pub(crate) arena: Arena,
    pub(crate) watches: Vec<Vec<Watcher>>,
    /// Open scopes, the base scope first.
    pub(crate) scopes: Vec<Scope>,
    pub(crate) spare_scopes: Vec<Scope>,
    pub(crate) refuted: Option<Refuted>,
    pub(crate) learned_alive: usize,
    pub(crate) next_reduce: usize,
    pub(crate) simplified_roots: usize,
    pub(crate) next_simplify: u64,

    // The query.
    pub(crate) assumptions: Vec<Lit>,
    /// All assumptions before this one are true.
    pub(crate) cursor: usize,
    pub(crate) failed: Vec<Lit>,
    pub(crate) final_step: Option<StepId>,

    pub(crate) proof: Option<Box<Proof>>,
    pub(crate) outbox: Outbox,

    // Scratch space of conflict analysis and clause normalisation.
    pub(crate) seen: Vec<u8>,
    pub(crate) seen_vars: Vec<Var>,
    pub(crate) seen_roots: Vec<Var>,
    pub(crate) learned: Vec<Lit>,
    pub(crate) chain: Vec<StepId>,
    pub(crate) stack: Vec<(CRef, u32, Var)>,
    pub(crate) level_stamp: Vec<u64>,
    pub(crate) stamp: u64,
    pub(crate) clause: Vec<Lit>,
    pub(crate) explanation: Vec<Lit>,
}

impl Core {
    pub(crate) fn new(options: Options) -> Self {
        let proof = options.proof.then(Box::default);
        let next_reduce = options.reduce_base;
        Core {
            options,
            limits: Limits::default(),
            stats: Stats::default(),
            values: Vec::new(),
            vars: Vec::new(),
            roots: Vec::new(),
            trail: Vec::new(),
            levels: Vec::new(),
            qhead: 0,
            theory_head: 0,
            flags: Vec::new(),
            var_scope: Vec::new(),
            free_vars: Vec::new(),
            phase: Vec::new(),
            activity: Vec::new(),
            increment: 1.0,
            heap: Heap::default(),
            domain: Domain::default(),
            restarts: Restarts::new(),
            arena: Arena::default(),
            watches: Vec::new(),
            scopes: vec![Scope::default()],
            spare_scopes: Vec::new(),
            refuted: None,
            learned_alive: 0,
            next_reduce,
            simplified_roots: 0,
            next_simplify: 0,
            assumptions: Vec::new(),
            cursor: 0,
            failed: Vec::new(),
            final_step: None,
            proof,
            outbox: Outbox::default(),
            seen: Vec::new(),
            seen_vars: Vec::new(),
            seen_roots: Vec::new(),
            learned: Vec::new(),
            chain: Vec::new(),
            stack: Vec::new(),
            level_stamp: vec![0],
            stamp: 0,
            clause: Vec::new(),
            explanation: Vec::new(),
        }
    }

    // ---- Variables
    // -------------------------------------------------------------------------------------------

    pub(crate) fn new_var(&mut self, theory: bool, lifetime: Lifetime) -> Var {
        let scope = if lifetime == Lifetime::Scope { self.depth() as u32 } else { 0 };
        let flags = ALIVE | DECISION | if theory { THEORY } else { 0 };
        let v = match self.free_vars.pop() {
            Some(v) => v,
            None => {
                let v = Var::new(self.vars.len());
                self.vars.push(VarInfo { reason: Reason::None, level: 0, position: 0 });
                self.roots.push(Root { scope: 0, id: StepId::NONE });
                self.values.extend([0, 0]);
                self.watches.extend([Vec::new(), Vec::new()]);
                self.flags.push(0);
                self.var_scope.push(0);
                self.phase.push(false);
                self.activity.push(0.0);
                self.seen.push(0);
                self.level_stamp.push(0);
                self.heap.grow(self.vars.len());
                self.domain.grow(self.vars.len());
                v
            }
        };
        let i = v.index();
        self.flags[i] = flags;
        self.var_scope[i] = scope;
        (self.phase[i], self.activity[i]) = self.first_guess(i);
        self.heap.insert(v, self.activity[v.index()]);
        if scope > 0 {
            self.scopes[scope as usize].vars.push(v);
        }
        v
    }

    /// The first value and activity of a variable. Drawn activities stay below that of a single bump: they
    /// only order variables nothing is known about.
    fn first_guess(&self, i: usize) -> (bool, f64) {
        let Options { seed, default_phase, .. } = self.options;
        if seed == 0 {
            return (default_phase, 0.0);
        }
        let bits = palisade_random::at(seed, i as u64);
        (bits & 1 == 1, (bits >> 11) as f64 / (1u64 << 53) as f64)
    }

    pub(crate) fn set_phase(&mut self, v: Var, value: bool) {
        self.phase[v.index()] = value;
    }

    #[inline]
    pub(crate) fn bump(&mut self, v: Var) {
        let i = v.index();
        self.activity[i] += self.increment;
        if self.activity[i] > ACTIVITY_LIMIT {
            for a in &mut self.activity {
                *a /= ACTIVITY_LIMIT;
            }
            self.increment /= ACTIVITY_LIMIT;
            self.heap.rescale(ACTIVITY_LIMIT);
            self.domain.rescale(ACTIVITY_LIMIT);
        }
        self.heap.bumped(v, self.activity[v.index()]);
        if self.domain.is_on() {
            self.domain.bumped(v, self.activity[v.index()]);
        }
    }

    // ---- Domain
    // ----------------------------------------------------------------------------------------------

    #[inline]
    pub(crate) fn extend_domain(&mut self, v: Var) {
        // One that has a value becomes a candidate when it loses it.
        if self.domain.insert(v)
            && self.flags[v.index()] & DECISION != 0
            && self.values[v.positive().code()] == 0
        {
            self.domain.offer(v, self.activity[v.index()], self.increment);
        }
    }

    /// The unassigned variable to decide next. Outside a domain the heap holds all unassigned variables that
    /// may be decided; inside, the domain has its own candidates, and the heap keeps at least what it had.
    pub(crate) fn pick_variable(&mut self) -> Option<Var> {
        let (values, flags) = (&self.values, &self.flags);
        let open = |v: Var| values[v.positive().code()] == 0 && flags[v.index()] & DECISION != 0;
        if self.domain.is_on() {
            return self.domain.pick(self.stats.conflicts, &self.activity, open);
        }
        loop {
            let v = self.heap.pop()?;
            if open(v) {
                return Some(v);
            }
        }
    }

    // ---- Assignment
    // ------------------------------------------------------------------------------------------

    #[inline]
    pub(crate) fn value(&self, lit: Lit) -> Option<bool> {
        match self.values[lit.code()] {
            0 => None,
            v => Some(v > 0),
        }
    }

    #[inline]
    pub(crate) fn level(&self) -> usize {
        self.levels.len()
    }

    #[inline]
    pub(crate) fn level_of(&self, lit: Lit) -> usize {
        self.vars[lit.var().index()].level as usize
    }

    #[inline]
    pub(crate) fn assign(&mut self, lit: Lit, reason: Reason) {
        debug_assert!(self.values[lit.code()] == 0);
        self.values[lit.code()] = 1;
        self.values[(!lit).code()] = -1;
        self.vars[lit.var().index()] =
            VarInfo { reason, level: self.levels.len() as u32, position: self.trail.len() as u32 };
        self.trail.push(lit);
    }

    /// Assigns a literal that clause `c` implies.
    #[inline]
    pub(crate) fn imply(&mut self, lit: Lit, c: CRef) {
        if self.levels.is_empty() {
            self.imply_root(lit, c);
        } else {
            self.assign(lit, Reason::Clause(c));
        }
    }

    /// Assigns, at level 0, a literal that clause `c` implies, and works out what that rests on.
    pub(crate) fn imply_root(&mut self, lit: Lit, c: CRef) {
        let root = self.root_of(c, Some(lit));
        self.assign_root(lit, root);
    }

    pub(crate) fn assign_root(&mut self, lit: Lit, root: Root) {
        debug_assert!(self.levels.is_empty());
        self.roots[lit.var().index()] = root;
        self.assign(lit, Reason::None);
    }

    /// What the unit `implied`, or the empty clause, rests on if it follows from `c` and literals that are
    /// false at level 0.
    pub(crate) fn root_of(&mut self, c: CRef, implied: Option<Lit>) -> Root {
        let mut scope = self.arena.scope(c);
        if self.scopes.len() > 1 {
            for &l in self.arena.lits(c) {
                if Some(l) != implied {
                    scope = scope.max(self.roots[l.var().index()].scope);
                }
            }
        }
        let mut id = StepId::NONE;
        if let Some(proof) = &mut self.proof {
            id = self.arena.id(c);
            self.chain.clear();
            self.chain.push(id);
            for &l in self.arena.lits(c) {
                if Some(l) != implied {
                    self.chain.push(self.roots[l.var().index()].id);
                }
            }
            if self.chain.len() > 1 {
                id = proof.derived(implied.as_slice(), &self.chain);
            }
        }
        Root { scope, id }
    }

    /// Records that clause `c` is false at level 0.
    pub(crate) fn refute(&mut self, c: CRef) {
        let Root { scope, id } = self.root_of(c, None);
        self.set_refuted(scope, id);
    }

    pub(crate) fn set_refuted(&mut self, scope: u32, id: StepId) {
        if self.refuted.is_none_or(|r| scope < r.scope) {
            self.refuted = Some(Refuted { scope, id });
        }
    }

    pub(crate) fn theory_propagate(&mut self, lit: Lit, payload: u32) {
        match self.values[lit.code()] {
            0 => {
                self.stats.theory_propagations += 1;
                self.assign(lit, Reason::Theory(payload));
            }
            -1 if self.outbox.clash.is_none() => self.outbox.clash = Some((lit, payload)),
            _ => {}
        }
    }

    /// Opens a decision level.
    #[inline]
    pub(crate) fn new_level(&mut self) {
        self.levels.push(Level { trail: self.trail.len(), cursor: self.cursor });
    }

    /// Undoes all levels above `level`. The theory has to be told by the caller.
    pub(crate) fn cancel_until(&mut self, level: usize) {
        if self.levels.len() <= level {
            return;
        }
        let Level { trail, cursor } = self.levels[level];
        for i in (trail..self.trail.len()).rev() {
            let lit = self.trail[i];
            self.unassign(lit);
            if let Reason::Explained(c) = self.vars[lit.var().index()].reason {
                self.arena.free_loose(c);
            }
        }
        self.trail.truncate(trail);
        self.levels.truncate(level);
        self.cursor = cursor;
        self.qhead = self.qhead.min(trail);
        self.theory_head = self.theory_head.min(trail);
    }

    #[inline]
    pub(crate) fn unassign(&mut self, lit: Lit) {
        let v = lit.var();
        self.values[lit.code()] = 0;
        self.values[(!lit).code()] = 0;
        self.phase[v.index()] = lit.is_positive();
        if self.flags[v.index()] & DECISION != 0 {
            self.heap.insert(v, self.activity[v.index()]);
            self.domain.offer(v, self.activity[v.index()], self.increment);
        }
    }

    // ---- Accounting
    // ------------------------------------------------------------------------------------------

    pub(crate) fn memory_bytes(&self) -> usize {
        // Watch lists are counted as two watchers for each clause, with the slack that growing vectors have.
        const PER_VAR: usize = 2 * 24 + 16 + 8 + 4 * 4 + 8 + 8 + 8 + 8;
        let clauses = self.scopes.iter().map(|s| s.clauses.len() + s.learned.len()).sum::<usize>();
        self.vars.len() * PER_VAR
            + self.arena.bytes()
            + clauses * (4 + 3 * size_of::<Watcher>())
            + self.proof.as_ref().map_or(0, |p| p.bytes())
    }
}
