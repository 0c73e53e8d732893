//! The theory hook: what a decision procedure implements to take part in the search (CDCL(T)).
//!
//! The core hands over every literal of a *theory variable* in the order of the trail, and keeps the theory
//! in step with a stack of levels: one for each open scope and one for each decision. The theory answers
//! through the [`Context`] it is given: it may propagate literals (explained lazily, only if conflict
//! analysis asks), raise conflicts, make variables and add clauses at any moment of the search. Clauses are
//! always given *as clauses*: a conflict is a clause whose literals are all false.

use crate::core::Core;
use crate::lit::{Lit, Var};
use crate::proof::Tag;

/// What a theory says about a full (or, in a domain, sufficient) assignment.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FinalCheck {
    /// The assignment is a model. Only counts if the theory emitted nothing in this call.
    Consistent,
    /// The theory emitted a conflict, a propagation or a clause that the assignment does not satisfy, made a
    /// variable or extended the domain, or will [`decide`](Theory::decide) something: search on.
    Progress,
    /// The theory cannot tell; the query ends as unknown.
    Unknown,
}

/// How long a clause of the theory lives.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lifetime {
    /// For good (or as long as the scoped variables in it).
    Permanent,
    /// Until the current scope is popped.
    Scope,
}

/// A decision procedure that the search consults.
///
/// Levels: [`new_level`](Theory::new_level) is called for each scope and each decision;
/// [`backtrack`](Theory::backtrack) undoes whole levels. A literal that was asserted in a level which is
/// undone is asserted again if it still holds.
pub trait Theory {
    /// False only for [`NoTheory`]: takes all hooks out of the compiled search.
    const ACTIVE: bool = true;

    /// A literal of a theory variable became true. Only recorded here; work belongs in
    /// [`propagate`](Theory::propagate).
    fn assert(&mut self, lit: Lit);

    /// A new level begins.
    fn new_level(&mut self);

    /// The last `levels` levels are undone.
    fn backtrack(&mut self, levels: usize);

    /// Called when clauses propagate nothing more and something was asserted (and at least once per query).
    fn propagate(&mut self, cx: &mut Context<'_>);

    /// Called when there is nothing left to decide.
    fn final_check(&mut self, cx: &mut Context<'_>) -> FinalCheck;

    /// Why `lit`, which this theory propagated with `payload`, follows: pushes the *other* literals of a
    /// clause that contains `lit`, is valid in the theory, and whose other literals were all false before
    /// `lit` was propagated. Returns the tag of that clause.
    fn explain(&mut self, lit: Lit, payload: u32, clause: &mut Vec<Lit>) -> Tag;

    /// A literal to decide next, if the theory has a preference. It must be unassigned; otherwise it is
    /// ignored.
    fn decide(&mut self, _cx: &Context<'_>) -> Option<Lit> {
        None
    }

    /// The value to try first for a theory variable that is about to be decided.
    fn phase(&mut self, _var: Var) -> Option<bool> {
        None
    }

    /// A scoped theory variable ceases to exist; its index may come back as another variable.
    fn release(&mut self, _var: Var) {}
}

/// No theory: plain SAT, at no cost.
#[derive(Clone, Copy, Default, Debug)]
pub struct NoTheory;

impl Theory for NoTheory {
    const ACTIVE: bool = false;
    fn assert(&mut self, _: Lit) {}
    fn new_level(&mut self) {}
    fn backtrack(&mut self, _: usize) {}
    fn propagate(&mut self, _: &mut Context<'_>) {}
    fn final_check(&mut self, _: &mut Context<'_>) -> FinalCheck {
        FinalCheck::Consistent
    }
    fn explain(&mut self, _: Lit, _: u32, _: &mut Vec<Lit>) -> Tag {
        0
    }
}

/// A clause the theory added, waiting for the callback to return.
pub(crate) struct Pending {
    pub(crate) start: usize,
    pub(crate) len: usize,
    pub(crate) lifetime: Lifetime,
    pub(crate) redundant: bool,
    pub(crate) input: bool,
    pub(crate) tag: Tag,
}

/// What a theory emitted during one callback.
#[derive(Default)]
pub(crate) struct Outbox {
    pub(crate) conflict: Option<Tag>,
    pub(crate) conflict_lits: Vec<Lit>,
    /// A propagated literal that was already false.
    pub(crate) clash: Option<(Lit, u32)>,
    pub(crate) clauses: Vec<Pending>,
    pub(crate) lits: Vec<Lit>,
    pub(crate) new_vars: usize,
}

/// The view of the search that a theory gets during a callback.
pub struct Context<'a> {
    pub(crate) core: &'a mut Core,
}

impl Context<'_> {
    /// The current value of a literal.
    #[inline]
    pub fn value(&self, lit: Lit) -> Option<bool> {
        self.core.value(lit)
    }

    /// Whether the literal is assigned at level 0: true until its scope is popped.
    pub fn is_fixed(&self, lit: Lit) -> bool {
        self.core.value(lit).is_some() && self.core.vars[lit.var().index()].level == 0
    }

    /// The decision level at which the variable of `lit` was assigned. Only meaningful if it is.
    pub fn level_of(&self, lit: Lit) -> usize {
        self.core.vars[lit.var().index()].level as usize
    }

    /// The current decision level.
    pub fn level(&self) -> usize {
        self.core.level()
    }

    /// Depth of open scopes.
    pub fn depth(&self) -> usize {
        self.core.depth()
    }

    /// Whether the variable may be decided in this query (always, unless there is a domain).
    pub fn in_domain(&self, var: Var) -> bool {
        self.core.domain.contains(var)
    }

    /// Adds a variable to the domain of this query, if there is one.
    pub fn extend_domain(&mut self, var: Var) {
        self.core.extend_domain(var);
    }

    /// States that the theory implies `lit`; `payload` comes back in [`Theory::explain`]. Nothing happens if
    /// `lit` is true already; if it is false, its explanation becomes a conflict.
    pub fn propagate(&mut self, lit: Lit, payload: u32) {
        self.core.theory_propagate(lit, payload);
    }

    /// States that the clause is valid in the theory; all its literals must be false. Only the first conflict
    /// of a callback counts.
    pub fn conflict(&mut self, clause: &[Lit], tag: Tag) {
        debug_assert!(
            clause.iter().all(|&l| self.value(l) == Some(false)),
            "a conflict clause has a literal that is not false"
        );
        let out = &mut self.core.outbox;
        if out.conflict.is_none() {
            out.conflict = Some(tag);
            out.conflict_lits.clear();
            out.conflict_lits.extend_from_slice(clause);
        }
    }

    /// Adds a clause that is valid in the theory. It may be unit or false under the current assignment. A
    /// `redundant` clause may be forgotten by the search as learned clauses are. Its variables join the
    /// domain.
    pub fn lemma(&mut self, clause: &[Lit], lifetime: Lifetime, redundant: bool, tag: Tag) {
        self.core.outbox.push(clause, Pending { start: 0, len: 0, lifetime, redundant, input: false, tag });
    }

    /// Adds a clause of the problem itself that was held back until the search ran into it. It counts as
    /// input in the proof.
    pub fn input_clause(&mut self, clause: &[Lit], lifetime: Lifetime, tag: Tag) {
        self.core
            .outbox
            .push(clause, Pending { start: 0, len: 0, lifetime, redundant: false, input: true, tag });
    }

    /// Makes a variable: a theory variable or not, permanent or released when the current scope is popped. It
    /// joins the domain.
    pub fn new_var(&mut self, theory: bool, lifetime: Lifetime) -> Var {
        self.core.outbox.new_vars += 1;
        let v = self.core.new_var(theory, lifetime);
        self.core.extend_domain(v);
        v
    }

    /// The value that the variable is tried with next: the last it had, mostly.
    #[inline]
    pub fn phase(&self, var: Var) -> bool {
        self.core.phase[var.index()]
    }

    /// How often the variable took part in conflicts of late; only comparisons mean anything.
    #[inline]
    pub fn activity(&self, var: Var) -> f64 {
        self.core.activity[var.index()]
    }

    /// Sets the value that the variable is tried with next.
    pub fn set_phase(&mut self, var: Var, value: bool) {
        self.core.set_phase(var, value);
    }

    /// Makes the variable more likely to be decided soon.
    pub fn bump(&mut self, var: Var) {
        self.core.bump(var);
    }
}

impl Outbox {
    fn push(&mut self, clause: &[Lit], mut pending: Pending) {
        pending.start = self.lits.len();
        pending.len = clause.len();
        self.lits.extend_from_slice(clause);
        self.clauses.push(pending);
    }
}
