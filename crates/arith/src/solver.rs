//! The solver's state: variables, linear forms, bounds, levels, atoms.
//!
//! Bounds live on one trail. A variable's current bound is an index into it, and an entry remembers the index
//! it replaced, so backtracking is a loop of index restorations, and an index taken at some time denotes the
//! same bound for as long as its level lives: explanations are lists of such indices.
//!
//! Invariants:
//! - `value` satisfies every row equation, and every bound on the trail before `checked`.
//! - A slack is *active* if it has a row. Asserting a bound does not activate a slack, a check does, with
//!   [`Config::lazy_rows`] only if the assignment violates the bound; a slack without bounds loses its row in
//!   [`Arith::collect_rows`]. A form that nobody bounds costs nothing, one whose bounds hold anyway an
//!   evaluation.
//! - An integer variable has integer bounds; a bound's infinitesimal part is 0, -1 (upper) or 1 (lower).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustc_hash::FxHashMap;

use crate::atoms::{Atom, AtomRef, Explanation};
use crate::config::{Config, Stats, Stop};
use crate::delta::Delta;
use crate::disequality::Disequality;
use crate::proof::{Conflict, Farkas};
use crate::tableau::{NONE, Tableau};
use crate::types::{ALit, AtomId, Bound, BoundKind, Reason, Var};
use palisade_number::Int;

/// A sum `Σ coeff·var`.
pub type Form = [(Var, Int)];

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

/// Entries added to rows that count as a step.
const ENTRIES_PER_STEP: u64 = 64;

#[derive(Clone, Debug)]
pub(crate) struct VarInfo {
    pub is_int: bool,
    /// The form that a slack stands for, over structural variables.
    pub form: Option<Box<Form>>,
    /// Structural, or a slack that has a row.
    pub active: bool,
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
    /// Is there a structural variable over the rationals? Without one no value has an infinitesimal part.
    pub(crate) has_rationals: bool,
    pub(crate) row_limit: usize,
    pub(crate) atoms: Vec<Atom>,
    pub(crate) atoms_of: Vec<Vec<AtomRef>>,
    pub(crate) free_atoms: Vec<AtomId>,
    /// Marked atoms in order, and whether the mark is news to the caller.
    pub(crate) marks: Vec<(ALit, bool)>,
    /// Marks before this have been reported.
    pub(crate) reported: usize,
    pub(crate) explanations: Vec<Explanation>,
    /// Trail index and coefficient.
    pub(crate) premises: Vec<(u32, Int)>,
    pub(crate) diseqs: Vec<Disequality>,
    pub(crate) conflict: Conflict,
    pub(crate) scratch: crate::simplex::Scratch,
    pub(crate) integers: crate::integer::State,
    pub(crate) stats: Stats,
    steps_left: u64,
    /// There is a limit of steps, and so of splits.
    pub(crate) is_limited: bool,
    /// Entries added to rows that steps were taken for.
    entries_paid: u64,
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
            has_rationals: false,
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
            is_limited: true,
            entries_paid: 0,
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
        self.has_rationals |= !is_int;
        var
    }

    /// The number of variables, structural and slack.
    pub fn num_vars(&self) -> usize {
        self.vars.len()
    }

    /// The variable `v` and the factor `k` such that `form = k·v`, or `None` if the form is identically zero.
    ///
    /// Forms equal up to a factor share one slack: `v` stands for the form with coprime integer coefficients,
    /// the first one positive. Repeated variables are added up; slacks in the form are replaced by what they
    /// stand for.
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

    // ----- asserting -----

    /// Asserts a literal. `false` if its bound contradicts the opposite bound of the same variable: see
    /// [`Arith::conflict`].
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

    /// Asserts `var >= value` or `var <= value`. `false` if it contradicts the opposite bound: see
    /// [`Arith::conflict`].
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
                // The slack's equation is in the row space, so some row holds it; the shortest makes the
                // cheapest pivot.
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

    // ----- limits and figures -----

    /// Allows `steps` more steps, and resets the count of splits. A step is a pivot, or a move of an integer;
    /// a pivot in a dense tableau is several.
    pub fn reset_budget(&mut self, steps: u64) {
        self.steps_left = steps;
        self.is_limited = steps < u64::MAX;
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

    /// Takes one step; says when to stop.
    pub(crate) fn step(&mut self) -> Result<(), Stop> {
        self.charge(1)
    }

    /// Takes several steps at once, and those for the rows added since the last time; says when to stop.
    pub(crate) fn charge(&mut self, steps: u64) -> Result<(), Stop> {
        let rows = (self.tableau.entries_added - self.entries_paid) / ENTRIES_PER_STEP;
        self.entries_paid += rows * ENTRIES_PER_STEP;
        if self.steps_left == 0 {
            return Err(Stop::Budget);
        }
        let steps = steps + rows;
        self.stats.steps += steps;
        self.steps_left = self.steps_left.saturating_sub(steps);
        match &self.interrupt {
            Some(flag) if flag.load(Ordering::Relaxed) => Err(Stop::Interrupt),
            _ => Ok(()),
        }
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
