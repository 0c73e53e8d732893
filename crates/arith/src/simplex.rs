//! The check over the rationals: the general simplex of Dutertre and de Moura, "A Fast Linear-Arithmetic
//! Solver for DPLL(T)", CAV 2006.
//!
//! Nonbasic variables are kept within their bounds; as long as a basic variable violates one of its own, it
//! is exchanged with a nonbasic variable of its row that has room to move. If none has, the row is a Farkas
//! certificate.
//!
//! Pivot rule: the leaving variable is the smallest that is violated; the entering one has the shortest
//! column (least fill), and after [`crate::Config::bland_after`] pivots the smallest index, which is Bland's
//! rule and terminates.
//!
//! A check that fails gives the assignment back as it was before the check (pivots stay): the bounds that
//! remain after backtracking mostly are those it satisfied.

use crate::config::{Check, Stop};
use crate::delta::Delta;
use crate::proof::{Conflict, Farkas};
use crate::solver::Arith;
use crate::tableau::NONE;
use crate::types::{Bound, BoundKind, Var};
use palisade_number::{Int, Rational};

/// Buffers of the check.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scratch {
    /// Basic variables that may be violated.
    infeasible: Vec<Var>,
    in_infeasible: Vec<bool>,
    /// Values before the running check, of the variables it has changed.
    saved: Vec<(Var, Delta)>,
    /// `saved_at[v] == stamp` if `v` is in `saved`.
    saved_at: Vec<u32>,
    stamp: u32,
    /// Marks rows already seen by the running propagation.
    pub row_seen: Vec<u32>,
    /// Where two terms of a row lacked a bound below, and two above, when propagation last looked.
    pub row_gaps: Vec<[(u32, u32); 2]>,
    pub row_stamp: u32,
}

impl Scratch {
    pub fn add_var(&mut self) {
        self.in_infeasible.push(false);
        self.saved_at.push(0);
    }
}

impl Arith {
    #[inline]
    pub(crate) fn below_lower(&self, var: Var) -> bool {
        let index = self.lower[var.index()];
        index != NONE && self.value[var.index()] < self.trail[index as usize].bound.value
    }

    #[inline]
    pub(crate) fn above_upper(&self, var: Var) -> bool {
        let index = self.upper[var.index()];
        index != NONE && self.value[var.index()] > self.trail[index as usize].bound.value
    }

    #[inline]
    fn can_increase(&self, var: Var) -> bool {
        let index = self.upper[var.index()];
        index == NONE || self.value[var.index()] < self.trail[index as usize].bound.value
    }

    #[inline]
    fn can_decrease(&self, var: Var) -> bool {
        let index = self.lower[var.index()];
        index == NONE || self.value[var.index()] > self.trail[index as usize].bound.value
    }

    fn note_if_violated(&mut self, var: Var) {
        if !self.scratch.in_infeasible[var.index()] && (self.below_lower(var) || self.above_upper(var)) {
            self.scratch.in_infeasible[var.index()] = true;
            self.scratch.infeasible.push(var);
        }
    }

    #[inline]
    fn save(&mut self, var: Var) {
        let scratch = &mut self.scratch;
        if scratch.saved_at[var.index()] != scratch.stamp {
            scratch.saved_at[var.index()] = scratch.stamp;
            scratch.saved.push((var, self.value[var.index()].clone()));
        }
    }

    /// Moves a nonbasic variable by `theta` and the basic variables of its column with it.
    pub(crate) fn shift(&mut self, var: Var, theta: &Delta) {
        self.save(var);
        let value = &mut self.value[var.index()];
        *value = &*value + theta;
        for i in 0..self.tableau.column(var).len() {
            let at = self.tableau.column(var)[i];
            let basic = self.tableau.basic(at.row);
            self.save(basic);
            let a = self.tableau.coeff(at);
            let b = self.tableau.basic_coeff(at.row);
            let value = &mut self.value[basic.index()];
            if b == &Int::MINUS_ONE {
                value.add_mul_int(a, theta);
            } else if b.is_one() {
                value.add_mul_int(&-a, theta);
            } else {
                value.add_mul(&-Rational::of(a, b), theta);
            }
            self.note_if_violated(basic);
        }
    }

    /// Decides whether the asserted bounds have a common rational solution.
    ///
    /// After `Sat` the assignment satisfies all bounds. After `Unsat`, [`Arith::conflict`] is a certificate,
    /// and the caller must pop a level. After `Unknown` nothing is lost; the check may be called again.
    pub fn check(&mut self) -> Check {
        self.stats.checks += 1;
        if self.checked as usize == self.trail.len() {
            return Check::Sat;
        }
        if self.active_slacks.len() > self.row_limit {
            self.collect_rows();
            self.row_limit = self.config.min_rows.max(2 * self.active_slacks.len());
        }
        self.activate_from(self.checked as usize, !self.config.lazy_rows);
        self.begin_saving();
        for i in self.checked as usize..self.trail.len() {
            let var = self.trail[i].bound.var;
            if !self.vars[var.index()].active {
                continue;
            }
            if self.tableau.is_basic(var) {
                self.note_if_violated(var);
            } else if let Some(target) = self.violated_bound(var) {
                let theta = &target - &self.value[var.index()];
                self.shift(var, &theta);
            }
        }
        self.resume()
    }

    /// Repairs the variables noted as violated; the end of a check.
    pub(crate) fn resume(&mut self) -> Check {
        let late = self.active_slacks.len();
        let mut answer = self.make_feasible();
        // Where the assignment moved, it may have broken bounds of forms without rows.
        while answer == Check::Sat && !self.scratch.saved.is_empty() {
            let from = self.active_slacks.len();
            self.activate_broken();
            if self.active_slacks.len() == from {
                break;
            }
            for i in from..self.active_slacks.len() {
                self.note_if_violated(self.active_slacks[i]);
            }
            answer = self.make_feasible();
        }
        self.clear_infeasible();
        if answer == Check::Sat {
            self.scratch.saved.clear();
            self.checked = self.trail.len() as u32;
        } else {
            self.restore();
            for i in late..self.active_slacks.len() {
                let slack = self.active_slacks[i];
                self.value[slack.index()] = self.form_value(slack);
            }
        }
        answer
    }

    /// Gives rows to the slacks with violated bounds, looking only at forms over variables that the running
    /// check has moved.
    fn activate_broken(&mut self) {
        for i in 0..self.trail.len() {
            let bound = &self.trail[i].bound;
            let info = &self.vars[bound.var.index()];
            if info.active {
                continue;
            }
            let scratch = &self.scratch;
            let moved = |(v, _): &(Var, Int)| scratch.saved_at[v.index()] == scratch.stamp;
            if info.form.iter().flatten().any(moved) && self.breaks(bound) {
                self.activate(bound.var);
            }
        }
    }

    /// Does the assignment violate a bound of a slack without a row?
    fn breaks(&self, bound: &Bound) -> bool {
        let value = self.form_value(bound.var);
        match bound.kind {
            BoundKind::Lower => value < bound.value,
            BoundKind::Upper => value > bound.value,
        }
    }

    /// Gives rows to the slacks bounded on `trail[from..]`: all of them, or those whose bound the assignment
    /// violates.
    pub(crate) fn activate_from(&mut self, from: usize, all: bool) {
        for i in from..self.trail.len() {
            let bound = &self.trail[i].bound;
            if !self.vars[bound.var.index()].active && (all || self.breaks(bound)) {
                self.activate(bound.var);
            }
        }
    }

    pub(crate) fn begin_saving(&mut self) {
        self.scratch.stamp = self.scratch.stamp.wrapping_add(1);
        if self.scratch.stamp == 0 {
            self.scratch.saved_at.fill(0);
            self.scratch.stamp = 1;
        }
        self.scratch.saved.clear();
    }

    /// Gives every variable the value it had when saving began.
    pub(crate) fn restore(&mut self) {
        for (var, value) in self.scratch.saved.drain(..) {
            self.value[var.index()] = value;
        }
    }

    pub(crate) fn clear_infeasible(&mut self) {
        for var in self.scratch.infeasible.drain(..) {
            self.scratch.in_infeasible[var.index()] = false;
        }
    }

    fn violated_bound(&self, var: Var) -> Option<Delta> {
        if self.below_lower(var) {
            Some(self.trail[self.lower[var.index()] as usize].bound.value.clone())
        } else if self.above_upper(var) {
            Some(self.trail[self.upper[var.index()] as usize].bound.value.clone())
        } else {
            None
        }
    }

    fn make_feasible(&mut self) -> Check {
        let mut pivots = 0;
        while let Some(leaving) = self.select_leaving() {
            let row = self.tableau.row_of(leaving);
            let increase = self.below_lower(leaving);
            let Some(entering) =
                self.select_entering(row, leaving, increase, pivots >= self.config.bland_after)
            else {
                self.stats.conflicts += 1;
                self.conflict = Conflict::Farkas(self.row_conflict(row, leaving, increase));
                debug_assert_eq!(self.verify(&self.conflict), Ok(()));
                return Check::Unsat;
            };
            if let Err(stop) = self.step() {
                return Check::Unknown(stop);
            }
            pivots += 1;
            self.stats.pivots += 1;
            let target = self.violated_bound(leaving).expect("the leaving variable is violated");
            let theta = self.step_to(row, entering, &(&target - &self.value[leaving.index()]));
            self.shift(entering, &theta);
            debug_assert_eq!(self.value[leaving.index()], target);
            self.tableau.pivot(row, entering);
            self.note_if_violated(entering);
        }
        Check::Sat
    }

    /// How far `entering` has to move for the basic variable of `row` to move by `distance`.
    fn step_to(&self, row: u32, entering: Var, distance: &Delta) -> Delta {
        let own = self.tableau.column(entering).iter().find(|o| o.row == row);
        let a = self.tableau.coeff(*own.expect("the entering variable occurs in the row"));
        let b = self.tableau.basic_coeff(row);
        // b·leaving + a·entering + ... = 0
        let mut scaled = Delta::ZERO;
        scaled.add_mul_int(&-b, distance);
        scaled.div_int(a)
    }

    /// The smallest violated basic variable.
    fn select_leaving(&mut self) -> Option<Var> {
        let mut best: Option<Var> = None;
        let mut i = 0;
        while i < self.scratch.infeasible.len() {
            let var = self.scratch.infeasible[i];
            if self.tableau.is_basic(var) && (self.below_lower(var) || self.above_upper(var)) {
                if best.is_none_or(|b| var < b) {
                    best = Some(var);
                }
                i += 1;
            } else {
                self.scratch.infeasible.swap_remove(i);
                self.scratch.in_infeasible[var.index()] = false;
            }
        }
        best
    }

    fn select_entering(&self, row: u32, leaving: Var, increase: bool, bland: bool) -> Option<Var> {
        let basic_positive = self.tableau.basic_coeff(row).is_positive();
        let mut best: Option<(usize, Var)> = None;
        for entry in self.tableau.row(row) {
            if entry.var == leaving {
                continue;
            }
            let key = (if bland { 0 } else { self.tableau.column(entry.var).len() }, entry.var);
            if best.is_some_and(|b| b < key) {
                continue;
            }
            // leaving = Σ -(a/b)·x: it grows with x if the signs differ.
            let up = (entry.coeff.is_positive() != basic_positive) == increase;
            if if up { self.can_increase(entry.var) } else { self.can_decrease(entry.var) } {
                best = Some(key);
            }
        }
        best.map(|(_, var)| var)
    }

    /// The certificate of a row whose basic variable must move and whose other variables cannot.
    fn row_conflict(&self, row: u32, leaving: Var, increase: bool) -> Farkas {
        let basic_positive = self.tableau.basic_coeff(row).is_positive();
        let entries = self.tableau.row(row);
        let mut premises = Vec::with_capacity(entries.len());
        for entry in entries {
            let lower = if entry.var == leaving {
                increase
            } else {
                (entry.coeff.is_positive() != basic_positive) != increase
            };
            let kind = if lower { BoundKind::Lower } else { BoundKind::Upper };
            let bound = self.bound(entry.var, kind).expect("a variable without room has a bound");
            premises.push((bound.clone(), entry.coeff.abs()));
        }
        Farkas { premises }
    }

    /// Panics if the assignment breaks a row, a checked bound or the tableau is inconsistent.
    #[cfg(any(test, debug_assertions))]
    pub fn assert_invariants(&self) {
        self.tableau.assert_consistent();
        for (v, info) in self.vars.iter().enumerate() {
            if info.form.is_some() && info.active {
                assert_eq!(
                    self.form_value(Var(v as u32)),
                    self.value[v],
                    "the value of a slack is that of its form"
                );
            }
        }
        for entry in &self.trail[..self.checked as usize] {
            let value = self.evaluate(entry.bound.var);
            match entry.bound.kind {
                BoundKind::Lower => assert!(value >= entry.bound.value),
                BoundKind::Upper => assert!(value <= entry.bound.value),
            }
        }
    }

    /// Runs a closure with saved values; gives them back unless it returns `true`.
    pub(crate) fn attempt(&mut self, f: impl FnOnce(&mut Arith) -> Result<bool, Stop>) -> Result<bool, Stop> {
        self.begin_saving();
        let result = f(self);
        self.clear_infeasible();
        if result != Ok(true) {
            self.restore();
        }
        self.scratch.saved.clear();
        result
    }
}
