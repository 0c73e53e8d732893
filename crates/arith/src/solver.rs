//! The solver's state: variables, linear forms, bounds, levels, atoms.
//!
//! Bounds live on one trail. A variable's current bound is an index into it, and an entry remembers the
//! index it replaced, so backtracking is a loop of index restorations, and an index taken at some time denotes
//! the same bound for as long as its level lives: explanations are lists of such indices.
//!
//! Invariants:
//! - `value` satisfies every row equation, and every bound on the trail before `checked`.
//! - A slack is *active* if it has a row. Asserting a bound does not activate a slack, a check does, with
//!   [`Config::lazy_rows`] only if the assignment violates the bound; a slack without bounds loses its row in
//!   [`Arith::collect_rows`]. A form that nobody bounds costs nothing, one whose bounds hold anyway an evaluation.
//! - An integer variable has integer bounds; a bound's infinitesimal part is 0, -1 (upper) or 1 (lower).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::FxHashMap;

use crate::disequality::Disequality;
use crate::num::{Delta, Int, Rat};
use crate::proof::{Conflict, Farkas};
use crate::tableau::{NONE, Tableau};
use crate::types::{ALit, AtomId, Bound, BoundKind, Reason, Var};

/// A sum `Σ coeff·var`.
pub type Form = [(Var, Int)];

/// The switches of the solver.
#[derive(Clone, Debug)]
pub struct Config {
    /// Pivots of one check before it changes to Bland's rule, which terminates.
    pub bland_after: u32,
    /// Rows longer than this are not used for bound propagation.
    pub propagation_row_limit: usize,
    /// Report atoms implied by a bound on the same variable.
    pub unate_propagation: bool,
    /// Slacks that may have rows without the check looking for rows to drop.
    pub min_rows: usize,
    /// Give a slack a row only when the assignment violates one of its bounds, rather than when it is first bounded. Fewer and
    /// shorter rows, and less propagation along rows.
    pub lazy_rows: bool,
    /// Offer cuts over new forms from the integer check (otherwise only splits on single variables).
    pub cuts: bool,
    /// Every how many failed integer checks a cut is tried before a split.
    pub cut_period: u32,
    /// Cuts with a coefficient of more bits than this are not offered.
    pub cut_max_bits: u64,
    /// Use the cube test (Bromberger and Weidenbach, IJCAR 2016) before splitting.
    pub cube_test: bool,
    /// Solve the equalities over the integers before splitting.
    pub diophantine: bool,
    /// Splits and cuts that [`Arith::final_check`] requests between two calls of [`Arith::reset_budget`].
    pub max_splits: u32,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            bland_after: 100,
            propagation_row_limit: 32,
            unate_propagation: true,
            min_rows: 24,
            lazy_rows: true,
            cuts: true,
            cut_period: 4,
            cut_max_bits: 32,
            cube_test: true,
            diophantine: true,
            max_splits: 10_000,
        }
    }
}

/// Deterministic counters of work done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Calls of [`Arith::check`].
    pub checks: u64,
    /// Conflicts, of bounds and of checks.
    pub conflicts: u64,
    /// Pivots.
    pub pivots: u64,
    /// Row additions in pivots and row activations.
    pub row_additions: u64,
    /// Rows made for slacks.
    pub activations: u64,
    /// Rows dropped.
    pub drops: u64,
    /// Atoms implied by a bound on the same variable.
    pub unate_propagations: u64,
    /// Atoms implied by a row.
    pub row_propagations: u64,
    /// Integer variables made integral by moving a nonbasic variable.
    pub patches: u64,
    /// Integral solutions found by the cube test.
    pub cubes: u64,
    /// Cuts offered.
    pub cuts: u64,
    /// Splits requested.
    pub splits: u64,
    /// Conflicts and cuts from solving equalities over the integers.
    pub diophantine: u64,
    /// Disequalities satisfied by moving a variable.
    pub diseq_moves: u64,
}

/// Why an answer is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The step budget is used up.
    Budget,
    /// The caller's interrupt flag is set.
    Interrupt,
}

/// The answer of a check over the rationals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// The bounds have a common rational solution.
    Sat,
    /// They have none; see [`Arith::conflict`].
    Unsat,
    /// Stopped before an answer.
    Unknown(Stop),
}

/// What a comparison of a form with a constant comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// The form has no variables and the comparison holds.
    True,
    /// The form has no variables and the comparison does not hold.
    False,
    /// It depends.
    Literal(ALit),
}

#[derive(Clone, Debug)]
pub(crate) struct TrailEntry {
    pub bound: Bound,
    /// The trail index of the bound this one replaced, or `NONE`.
    pub previous: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Level {
    trail: u32,
    marks: u32,
    explanations: u32,
    premises: u32,
    diseqs: u32,
}

#[derive(Clone, Debug)]
pub(crate) struct VarInfo {
    pub is_int: bool,
    /// The form that a slack stands for, over structural variables.
    pub form: Option<Box<Form>>,
    /// Structural, or a slack that has a row.
    pub active: bool,
}

/// An atom in the list of its variable, sorted by `high`.
#[derive(Clone, Debug)]
pub(crate) struct AtomRef {
    /// The atom is `x <= high`.
    pub high: Delta,
    pub id: AtomId,
}

#[derive(Clone, Debug)]
pub(crate) struct Atom {
    pub var: Var,
    pub high: Delta,
    /// Its value if asserted or implied.
    pub mark: Option<bool>,
    /// For an implied atom: `UNATE | trail index` or an index into `explanations`.
    pub explanation: u32,
    /// Given up by the caller; its number is free once it has no value.
    released: bool,
}

/// Marks an explanation that is a single trail index.
pub(crate) const UNATE: u32 = 1 << 31;

/// The premises of an atom implied by a row: `premises[start..end]`, and the coefficient of the negated atom.
#[derive(Clone, Debug)]
pub(crate) struct Explanation {
    pub start: u32,
    pub end: u32,
    pub conclusion: Int,
}

/// Linear arithmetic over rationals and integers: the theory solver of a CDCL(T) loop.
///
/// See the [crate documentation](crate) for the protocol.
#[derive(Clone, Debug)]
pub struct Arith {
    pub(crate) config: Config,
    pub(crate) vars: Vec<VarInfo>,
    forms: FxHashMap<Box<Form>, Var>,
    pub(crate) value: Vec<Delta>,
    pub(crate) lower: Vec<u32>,
    pub(crate) upper: Vec<u32>,
    pub(crate) tableau: Tableau,
    pub(crate) trail: Vec<TrailEntry>,
    levels: Vec<Level>,
    /// `value` satisfies the bounds of `trail[..checked]`.
    pub(crate) checked: u32,
    /// Rows touched by `trail[..propagated]` have been used for propagation.
    pub(crate) propagated: u32,
    /// Slacks with rows.
    pub(crate) active_slacks: Vec<Var>,
    /// The structural variables over the integers.
    pub(crate) int_vars: Vec<Var>,
    pub(crate) row_limit: usize,
    pub(crate) atoms: Vec<Atom>,
    pub(crate) atoms_of: Vec<Vec<AtomRef>>,
    free_atoms: Vec<AtomId>,
    /// Marked atoms in order, and whether the mark is news to the caller.
    pub(crate) marks: Vec<(ALit, bool)>,
    /// Marks before this have been reported.
    reported: usize,
    pub(crate) explanations: Vec<Explanation>,
    /// Trail index and coefficient.
    pub(crate) premises: Vec<(u32, Int)>,
    pub(crate) diseqs: Vec<Disequality>,
    pub(crate) conflict: Conflict,
    pub(crate) scratch: crate::simplex::Scratch,
    pub(crate) integers: crate::integer::State,
    pub(crate) stats: Stats,
    steps_left: u64,
    interrupt: Option<Arc<AtomicBool>>,
}

impl Default for Arith {
    fn default() -> Arith {
        Arith::new(Config::default())
    }
}

impl Arith {
    /// An empty solver.
    pub fn new(config: Config) -> Arith {
        let row_limit = config.min_rows;
        Arith {
            config,
            vars: Vec::new(),
            forms: FxHashMap::default(),
            value: Vec::new(),
            lower: Vec::new(),
            upper: Vec::new(),
            tableau: Tableau::default(),
            trail: Vec::new(),
            levels: Vec::new(),
            checked: 0,
            propagated: 0,
            active_slacks: Vec::new(),
            int_vars: Vec::new(),
            row_limit,
            atoms: Vec::new(),
            atoms_of: Vec::new(),
            free_atoms: Vec::new(),
            marks: Vec::new(),
            reported: 0,
            explanations: Vec::new(),
            premises: Vec::new(),
            diseqs: Vec::new(),
            conflict: Conflict::Farkas(Farkas::default()),
            scratch: crate::simplex::Scratch::default(),
            integers: crate::integer::State::default(),
            stats: Stats::default(),
            steps_left: u64::MAX,
            interrupt: None,
        }
    }

    // ----- variables and forms -----

    fn add_var(&mut self, info: VarInfo) -> Var {
        let var = Var(self.vars.len() as u32);
        self.vars.push(info);
        self.value.push(Delta::ZERO);
        self.lower.push(NONE);
        self.upper.push(NONE);
        self.atoms_of.push(Vec::new());
        self.tableau.add_var();
        self.scratch.add_var();
        var
    }

    /// A new structural variable, over the integers or the rationals.
    pub fn new_var(&mut self, is_int: bool) -> Var {
        let var = self.add_var(VarInfo { is_int, form: None, active: true });
        if is_int {
            self.int_vars.push(var);
        }
        var
    }

    /// The number of variables, structural and slack.
    pub fn num_vars(&self) -> usize {
        self.vars.len()
    }

    /// The variable `v` and the factor `k` such that `form = k·v`, or `None` if the form is identically zero.
    ///
    /// Forms equal up to a factor share one slack: `v` stands for the form with coprime integer coefficients, the first one positive.
    /// Repeated variables are added up; slacks in the form are replaced by what they stand for.
    pub fn define(&mut self, form: &Form) -> Option<(Var, Int)> {
        let mut terms: Vec<(Var, Int)> = Vec::with_capacity(form.len());
        for (var, coeff) in form {
            match &self.vars[var.index()].form {
                None => terms.push((*var, coeff.clone())),
                Some(inner) => terms.extend(inner.iter().map(|(v, c)| (*v, c * coeff))),
            }
        }
        let factor = normalise(&mut terms)?;
        if let [(var, _)] = terms.as_slice() {
            return Some((*var, factor));
        }
        if let Some(slack) = self.forms.get(terms.as_slice()) {
            return Some((*slack, factor));
        }
        let is_int = terms.iter().all(|(v, _)| self.is_int(*v));
        let form: Box<Form> = terms.into();
        let slack = self.add_var(VarInfo { is_int, form: Some(form.clone()), active: false });
        self.forms.insert(form, slack);
        Some((slack, factor))
    }

    /// The form that a slack stands for; `None` for a structural variable.
    #[inline]
    pub fn form(&self, var: Var) -> Option<&Form> {
        self.vars[var.index()].form.as_deref()
    }

    /// Does the variable range over the integers?
    #[inline]
    pub fn is_int(&self, var: Var) -> bool {
        self.vars[var.index()].is_int
    }

    // ----- atoms -----

    /// The literal for `var >= value` or `var <= value`; `value`'s infinitesimal part says whether it is strict.
    pub fn atom(&mut self, var: Var, kind: BoundKind, value: &Delta) -> ALit {
        let value = self.tighten(var, kind, value);
        let (high, positive) = match kind {
            BoundKind::Upper => (value, true),
            BoundKind::Lower => (self.just_below(var, &value), false),
        };
        let list = &self.atoms_of[var.index()];
        let at = list.partition_point(|a| a.high < high);
        if let Some(found) = list.get(at)
            && found.high == high
        {
            return ALit::new(found.id, positive);
        }
        let atom = Atom { var, high: high.clone(), mark: None, explanation: NONE, released: false };
        let id = match self.free_atoms.pop() {
            Some(id) => {
                self.atoms[id.index()] = atom;
                id
            }
            None => {
                self.atoms.push(atom);
                AtomId((self.atoms.len() - 1) as u32)
            }
        };
        self.atoms_of[var.index()].insert(at, AtomRef { high, id });
        self.mark_if_implied(id);
        ALit::new(id, positive)
    }

    /// A new atom may be decided by bounds that are there already.
    fn mark_if_implied(&mut self, id: AtomId) {
        let Atom { var, high, .. } = &self.atoms[id.index()];
        let (lower, upper) = (self.lower[var.index()], self.upper[var.index()]);
        if upper != NONE && self.trail[upper as usize].bound.value <= *high {
            self.mark_implied(ALit::new(id, true), UNATE | upper);
        } else if lower != NONE && self.trail[lower as usize].bound.value > *high {
            self.mark_implied(ALit::new(id, false), UNATE | lower);
        }
    }

    /// The bound that a literal stands for.
    pub fn literal_bound(&self, lit: ALit) -> (Var, BoundKind, Delta) {
        let atom = &self.atoms[lit.atom().index()];
        if lit.positive() {
            (atom.var, BoundKind::Upper, atom.high.clone())
        } else {
            (atom.var, BoundKind::Lower, self.just_above(atom.var, &atom.high))
        }
    }

    /// Forgets an atom: it is not reported any more, and its number may come back as another atom.
    ///
    /// A bound asserted through it stays until its level is popped, under the reason it was asserted with.
    pub fn release_atom(&mut self, id: AtomId) {
        let atom = &mut self.atoms[id.index()];
        debug_assert!(!atom.released, "an atom is released once");
        atom.released = true;
        let list = &mut self.atoms_of[atom.var.index()];
        let at = list.iter().position(|a| a.id == id).expect("an atom is in the list of its variable");
        list.remove(at);
        if atom.mark.is_none() {
            self.free_atoms.push(id);
        }
    }

    /// The literal for `form <= rhs`, `form < rhs`, `form >= rhs` or `form > rhs`: the form is normalised and shared, the bound
    /// scaled and, over the integers, tightened.
    pub fn comparison(&mut self, form: &Form, kind: BoundKind, strict: bool, rhs: &Rat) -> Comparison {
        let Some((var, factor)) = self.define(form) else {
            let order = Rat::ZERO.cmp(rhs);
            let holds = match kind {
                BoundKind::Upper => order.is_lt() || (!strict && order.is_eq()),
                BoundKind::Lower => order.is_gt() || (!strict && order.is_eq()),
            };
            return if holds { Comparison::True } else { Comparison::False };
        };
        let kind = if factor.is_positive() { kind } else { kind.opposite() };
        let value = rhs / &Rat::from(&factor);
        let value = match (strict, kind) {
            (false, _) => Delta::real(value),
            (true, BoundKind::Upper) => Delta::below(value),
            (true, BoundKind::Lower) => Delta::above(value),
        };
        Comparison::Literal(self.atom(var, kind, &value))
    }

    /// The number of registered atoms, released ones included until their numbers are used again.
    pub fn num_atoms(&self) -> usize {
        self.atoms.len()
    }

    fn just_below(&self, var: Var, value: &Delta) -> Delta {
        if self.is_int(var) {
            Delta::real(&value.real - &Rat::ONE)
        } else {
            Delta { real: value.real.clone(), inf: &value.inf - &Rat::ONE }
        }
    }

    fn just_above(&self, var: Var, value: &Delta) -> Delta {
        if self.is_int(var) {
            Delta::real(&value.real + &Rat::ONE)
        } else {
            Delta { real: value.real.clone(), inf: &value.inf + &Rat::ONE }
        }
    }

    /// The tightest bound equivalent to the given one: an integer, or an infinitesimal part of unit size.
    pub(crate) fn tighten(&self, var: Var, kind: BoundKind, value: &Delta) -> Delta {
        if self.is_int(var) {
            if value.is_integer() {
                return value.clone();
            }
            return Delta::from(if kind == BoundKind::Upper { value.floor() } else { value.ceil() });
        }
        let strict = match kind {
            BoundKind::Upper => value.inf.is_negative(),
            BoundKind::Lower => value.inf.is_positive(),
        };
        match (strict, kind) {
            (false, _) => Delta::real(value.real.clone()),
            (true, BoundKind::Upper) => Delta::below(value.real.clone()),
            (true, BoundKind::Lower) => Delta::above(value.real.clone()),
        }
    }

    #[inline]
    pub(crate) fn mark_implied(&mut self, lit: ALit, explanation: u32) {
        let atom = &mut self.atoms[lit.atom().index()];
        if atom.mark.is_none() {
            atom.mark = Some(lit.positive());
            atom.explanation = explanation;
            self.marks.push((lit, true));
        }
    }

    /// The next literal implied by what has been asserted, each once; `None` when all have been reported.
    ///
    /// A bound implies the weaker atoms over its variable at once; [`Arith::propagate`] adds what rows imply.
    pub fn next_implied(&mut self) -> Option<ALit> {
        while let Some((lit, news)) = self.marks.get(self.reported) {
            self.reported += 1;
            if *news && !self.atoms[lit.atom().index()].released {
                return Some(*lit);
            }
        }
        None
    }

    /// Why a reported literal is implied: a certificate made of the asserted bounds that imply it and, last, the bound of
    /// its negation with the given reason. Valid until the level of the report is popped.
    ///
    /// # Panics
    /// If the literal has not been reported as implied.
    pub fn explain(&self, lit: ALit, negation: Reason) -> Farkas {
        let mut farkas = Farkas { premises: Vec::new() };
        let atom = &self.atoms[lit.atom().index()];
        assert!(atom.mark == Some(lit.positive()) && atom.explanation != NONE, "the literal is implied");
        let bound_at = |index: u32| self.trail[index as usize].bound.clone();
        let mut conclusion = Int::ONE;
        if atom.explanation & UNATE != 0 {
            farkas.premises.push((bound_at(atom.explanation & !UNATE), Int::ONE));
        } else {
            let explanation = &self.explanations[atom.explanation as usize];
            let premises = &self.premises[explanation.start as usize..explanation.end as usize];
            farkas.premises.extend(premises.iter().map(|(i, c)| (bound_at(*i), c.clone())));
            conclusion = explanation.conclusion.clone();
        }
        let (var, kind, value) = self.literal_bound(!lit);
        farkas.premises.push((Bound { var, kind, value, reason: negation }, conclusion));
        farkas
    }

    /// The reasons of the bounds that imply a reported literal, appended to `out`. Same validity as [`Arith::explain`].
    ///
    /// # Panics
    /// If the literal has not been reported as implied.
    pub fn explain_reasons(&self, lit: ALit, out: &mut Vec<Reason>) {
        let atom = &self.atoms[lit.atom().index()];
        assert!(atom.mark == Some(lit.positive()) && atom.explanation != NONE, "the literal is implied");
        if atom.explanation & UNATE != 0 {
            out.push(self.trail[(atom.explanation & !UNATE) as usize].bound.reason);
        } else {
            let explanation = &self.explanations[atom.explanation as usize];
            let premises = &self.premises[explanation.start as usize..explanation.end as usize];
            out.extend(premises.iter().map(|(i, _)| self.trail[*i as usize].bound.reason));
        }
    }

    // ----- asserting -----

    /// Asserts a literal. `false` if its bound contradicts the opposite bound of the same variable: see [`Arith::conflict`].
    #[inline]
    pub fn assert_lit(&mut self, lit: ALit, reason: Reason) -> bool {
        let (var, kind, value) = self.literal_bound(lit);
        let atom = &mut self.atoms[lit.atom().index()];
        if atom.mark.is_none() {
            atom.mark = Some(lit.positive());
            atom.explanation = NONE;
            self.marks.push((lit, false));
        }
        self.assert_tight(Bound { var, kind, value, reason })
    }

    /// Asserts `var >= value` or `var <= value`. `false` if it contradicts the opposite bound: see [`Arith::conflict`].
    pub fn assert_bound(&mut self, var: Var, kind: BoundKind, value: &Delta, reason: Reason) -> bool {
        let value = self.tighten(var, kind, value);
        self.assert_tight(Bound { var, kind, value, reason })
    }

    /// Asserts a bound whose value is as [`Arith::tighten`] makes it.
    pub(crate) fn assert_tight(&mut self, bound: Bound) -> bool {
        let v = bound.var.index();
        let (previous, opposite) = match bound.kind {
            BoundKind::Lower => (self.lower[v], self.upper[v]),
            BoundKind::Upper => (self.upper[v], self.lower[v]),
        };
        if previous != NONE {
            let old = &self.trail[previous as usize].bound.value;
            let redundant = match bound.kind {
                BoundKind::Lower => bound.value <= *old,
                BoundKind::Upper => bound.value >= *old,
            };
            if redundant {
                return true;
            }
        }
        if opposite != NONE {
            let other = &self.trail[opposite as usize].bound;
            let clash = match bound.kind {
                BoundKind::Lower => bound.value > other.value,
                BoundKind::Upper => bound.value < other.value,
            };
            if clash {
                self.stats.conflicts += 1;
                let premises = vec![(other.clone(), Int::ONE), (bound, Int::ONE)];
                self.conflict = Conflict::Farkas(Farkas { premises });
                return false;
            }
        }
        let index = self.trail.len() as u32;
        match bound.kind {
            BoundKind::Lower => self.lower[v] = index,
            BoundKind::Upper => self.upper[v] = index,
        }
        self.trail.push(TrailEntry { bound, previous });
        if self.config.unate_propagation && !self.atoms_of[v].is_empty() {
            self.propagate_unate(index);
        }
        true
    }

    /// Marks the atoms that a new bound decides and the bound it replaced did not.
    fn propagate_unate(&mut self, index: u32) {
        let TrailEntry { bound, previous } = &self.trail[index as usize];
        let list = &self.atoms_of[bound.var.index()];
        let old = (*previous != NONE).then(|| &self.trail[*previous as usize].bound.value);
        let at = list.partition_point(|a| a.high < bound.value);
        let (range, positive) = match bound.kind {
            BoundKind::Upper => {
                let end =
                    old.map_or(list.len(), |o| at + list[at..].iter().take_while(|a| a.high < *o).count());
                (at..end, true)
            }
            BoundKind::Lower => {
                let count = old.map_or(at, |o| list[..at].iter().rev().take_while(|a| a.high >= *o).count());
                (at - count..at, false)
            }
        };
        let var = bound.var.index();
        for i in range {
            let id = self.atoms_of[var][i].id;
            if self.atoms[id.index()].mark.is_none() {
                self.stats.unate_propagations += 1;
                self.mark_implied(ALit::new(id, positive), UNATE | index);
            }
        }
    }

    /// The value an atom has by assertion or implication at this point.
    pub fn atom_mark(&self, atom: AtomId) -> Option<bool> {
        self.atoms[atom.index()].mark
    }

    /// The current bound of a variable on one side.
    pub fn bound(&self, var: Var, kind: BoundKind) -> Option<&Bound> {
        let index = match kind {
            BoundKind::Lower => self.lower[var.index()],
            BoundKind::Upper => self.upper[var.index()],
        };
        (index != NONE).then(|| &self.trail[index as usize].bound)
    }

    // ----- levels -----

    /// Opens a backtracking level.
    pub fn push_level(&mut self) {
        self.levels.push(Level {
            trail: self.trail.len() as u32,
            marks: self.marks.len() as u32,
            explanations: self.explanations.len() as u32,
            premises: self.premises.len() as u32,
            diseqs: self.diseqs.len() as u32,
        });
    }

    /// The number of open levels.
    pub fn level(&self) -> usize {
        self.levels.len()
    }

    /// Closes the innermost `count` levels: their bounds and disequalities are gone. The assignment stays.
    ///
    /// # Panics
    /// If fewer levels are open.
    pub fn pop_levels(&mut self, count: usize) {
        if count == 0 {
            return;
        }
        let keep = self.levels.len().checked_sub(count).expect("as many levels are open");
        let level = self.levels[keep];
        self.levels.truncate(keep);
        for entry in self.trail.drain(level.trail as usize..).rev() {
            let v = entry.bound.var.index();
            match entry.bound.kind {
                BoundKind::Lower => self.lower[v] = entry.previous,
                BoundKind::Upper => self.upper[v] = entry.previous,
            }
        }
        for (lit, _) in self.marks.drain(level.marks as usize..) {
            let atom = &mut self.atoms[lit.atom().index()];
            atom.mark = None;
            if atom.released {
                self.free_atoms.push(lit.atom());
            }
        }
        self.reported = self.reported.min(self.marks.len());
        self.explanations.truncate(level.explanations as usize);
        self.premises.truncate(level.premises as usize);
        self.diseqs.truncate(level.diseqs as usize);
        self.checked = self.checked.min(level.trail);
        self.propagated = self.propagated.min(level.trail);
    }

    // ----- rows -----

    /// Gives a slack its row.
    pub(crate) fn activate(&mut self, slack: Var) {
        debug_assert!(!self.vars[slack.index()].active);
        self.value[slack.index()] = self.form_value(slack);
        self.vars[slack.index()].active = true;
        self.active_slacks.push(slack);
        let form = self.vars[slack.index()].form.as_deref().expect("a slack has a form");
        self.tableau.add_row(slack, form);
        self.stats.activations += 1;
    }

    /// Drops the rows of slacks that have no bounds. The assignment does not change.
    ///
    /// [`Arith::check`] calls this when many such rows may have piled up.
    pub fn collect_rows(&mut self) {
        let mut slacks = std::mem::take(&mut self.active_slacks);
        slacks.retain(|&slack| {
            if self.lower[slack.index()] != NONE || self.upper[slack.index()] != NONE {
                return true;
            }
            if !self.tableau.is_basic(slack) {
                // The slack's equation is in the row space, so some row holds it; the shortest makes the cheapest pivot.
                let column = self.tableau.column(slack);
                let row = column.iter().map(|o| o.row).min_by_key(|&r| (self.tableau.row(r).len(), r));
                self.tableau.pivot(row.expect("a nonbasic slack occurs in a row"), slack);
            }
            self.tableau.drop_row(slack);
            self.vars[slack.index()].active = false;
            self.stats.drops += 1;
            false
        });
        self.active_slacks = slacks;
    }

    /// The value of a variable under the current assignment, also of a slack without a row.
    pub fn evaluate(&self, var: Var) -> Delta {
        let info = &self.vars[var.index()];
        if info.active { self.value[var.index()].clone() } else { self.form_value(var) }
    }

    /// The value of a slack, computed from the structural variables.
    pub(crate) fn form_value(&self, slack: Var) -> Delta {
        let mut sum = Delta::ZERO;
        for (var, coeff) in self.form(slack).expect("a slack has a form") {
            sum.add_mul_int(coeff, &self.value[var.index()]);
        }
        sum
    }

    /// Is the literal true under the current assignment? (A good phase for a decision.)
    pub fn holds(&self, lit: ALit) -> bool {
        let atom = &self.atoms[lit.atom().index()];
        let value = self.evaluate(atom.var);
        // Any negative infinitesimal, not only -δ, is below a strict bound.
        let order = value.real.cmp(&atom.high.real).then_with(|| {
            let value = value.inf.cmp(&Rat::ZERO);
            value.cmp(&atom.high.inf.cmp(&Rat::ZERO))
        });
        order.is_le() == lit.positive()
    }

    // ----- limits and figures -----

    /// Allows `steps` more pivots (and as many integer moves), and resets the count of splits.
    pub fn reset_budget(&mut self, steps: u64) {
        self.steps_left = steps;
        self.integers.splits = 0;
    }

    /// Steps left of the budget.
    pub fn budget(&self) -> u64 {
        self.steps_left
    }

    /// A flag that stops a running check soon after it is set.
    pub fn set_interrupt(&mut self, flag: Option<Arc<AtomicBool>>) {
        self.interrupt = flag;
    }

    /// Takes one step; says when to stop. The flag is looked at every few steps.
    pub(crate) fn step(&mut self) -> Result<(), Stop> {
        if self.steps_left == 0 {
            return Err(Stop::Budget);
        }
        self.steps_left -= 1;
        if self.steps_left.is_multiple_of(16)
            && let Some(flag) = &self.interrupt
            && flag.load(Ordering::Relaxed)
        {
            return Err(Stop::Interrupt);
        }
        Ok(())
    }

    /// Why the last assertion or check failed.
    pub fn conflict(&self) -> &Conflict {
        &self.conflict
    }

    /// The counters.
    pub fn stats(&self) -> Stats {
        Stats { row_additions: self.tableau.row_additions, ..self.stats }
    }

    /// Bytes held, roughly.
    pub fn memory(&self) -> usize {
        let forms: usize = self.vars.iter().filter_map(|v| v.form.as_ref()).map(|f| 2 * f.len() * 24).sum();
        let atoms = self.atoms.len() * (size_of::<Atom>() + size_of::<AtomRef>());
        let vars = self.vars.len() * (size_of::<VarInfo>() + size_of::<Delta>() + 64);
        let trail = self.trail.capacity() * size_of::<TrailEntry>();
        forms + atoms + vars + trail + self.tableau.memory()
    }
}

/// Sorts and adds up terms, divides by the gcd and makes the first coefficient positive.
/// The factor taken out; `None` if nothing is left.
pub(crate) fn normalise(terms: &mut Vec<(Var, Int)>) -> Option<Int> {
    terms.sort_by_key(|(v, _)| *v);
    terms.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += &next.1;
        }
        same
    });
    terms.retain(|(_, c)| !c.is_zero());
    let mut factor = Int::ZERO;
    for (_, coeff) in terms.iter() {
        factor = factor.gcd(coeff);
        if factor.is_one() {
            break;
        }
    }
    if terms.first()?.1.is_negative() {
        factor = -factor;
    }
    if !factor.is_one() {
        for (_, coeff) in terms.iter_mut() {
            *coeff = coeff.div_floor(&factor);
        }
    }
    Some(factor)
}
