//! The final check: integrality and disequalities on top of a rational solution.
//!
//! From cheap to expensive: round the nonbasic variables; *patch* a fractional basic variable by moving one
//! nonbasic variable of its row; the gcd test on rows; solve the equalities over the integers (module
//! `diophantine`); now and then a Chvátal-Gomory cut; the cube test (module `cube`); and at last ask the
//! caller for a case split on a variable or, when that has not helped some times, on a form.
//!
//! Conflicts and cuts come with a cutting-plane derivation. The caller adds a cut as a lemma
//! (`reasons of the proof -> form <= bound`) and a split as a new atom; both exclude the current assignment.

use crate::config::{Check, Stop};
use crate::delta::Delta;
use crate::proof::{Conflict, CutProof, CutStep, Source};
use crate::solver::Arith;
use crate::types::{Bound, BoundKind, Reason, Var};
use palisade_number::{Int, Rational};

/// Splits on single variables between two resets of the budget before forms are split on too.
const FORM_SPLITS_AFTER: u32 = 8;

/// A consequence of asserted bounds over the integers that the current assignment violates.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cut {
    /// The left side, over structural variables.
    pub form: Vec<(Var, Int)>,
    /// `form <= bound`.
    pub bound: Int,
    /// Its derivation; the premises' reasons imply the cut.
    pub proof: CutProof,
}

/// The answer of the final check.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Final {
    /// The assignment satisfies bounds, integrality and disequalities; see [`Arith::model`].
    Sat,
    /// No solution; see [`Arith::conflict`].
    Unsat,
    /// Assert `var <= k` or `var >= k + 1`.
    Split {
        /// The integer variable.
        var: Var,
        /// The lower branch's bound.
        k: Int,
    },
    /// The disequality `var != value` is violated: assert `var < value` or `var > value`.
    SplitDisequality {
        /// The variable.
        var: Var,
        /// The forbidden value.
        value: Rational,
        /// The reason the disequality was asserted with.
        reason: Reason,
    },
    /// Assert this consequence.
    Cut(Cut),
    /// Stopped before an answer.
    Unknown(Stop),
}

/// What the integer check remembers between calls.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    /// Splits and cuts since the last reset of the budget.
    pub splits: u32,
    /// Checks that found a fractional solution.
    calls: u32,
}

/// An equality `Σ λᵢ·xᵢ = Σ λᵢ·kᵢ` over fixed variables `xᵢ = kᵢ`.
pub(crate) type FixedSum = Vec<(Var, Rational)>;

impl Arith {
    /// Decides integrality and disequalities after [`Arith::check`] (which it calls itself if bounds are
    /// pending).
    pub fn final_check(&mut self) -> Final {
        match self.try_final_check() {
            Ok(answer) => answer,
            Err(stop) => Final::Unknown(stop),
        }
    }

    fn try_final_check(&mut self) -> Result<Final, Stop> {
        match self.check() {
            Check::Sat => {}
            Check::Unsat => return Ok(Final::Unsat),
            Check::Unknown(stop) => return Err(stop),
        }
        if self.is_integral() && self.violated_disequalities() == 0 {
            return Ok(Final::Sat);
        }
        // From here on the assignment is moved with an eye on rows: every bounded form needs one.
        self.activate_from(0, true);
        if !self.is_integral() {
            self.round_nonbasic()?;
            if let Some(answer) = self.make_integral()? {
                return Ok(answer);
            }
        }
        match self.repair_disequalities()? {
            None => Ok(Final::Sat),
            Some(split) => {
                self.count_split()?;
                Ok(split)
            }
        }
    }

    fn count_split(&mut self) -> Result<(), Stop> {
        if self.is_limited && self.integers.splits >= self.config.max_splits {
            return Err(Stop::Budget);
        }
        self.integers.splits += 1;
        self.stats.splits += 1;
        Ok(())
    }

    /// The structural variables whose value breaks integrality (slacks follow them).
    fn fractional(&self) -> impl Iterator<Item = Var> {
        self.int_vars.iter().copied().filter(|v| !self.value[v.index()].is_integer())
    }

    fn is_integral(&self) -> bool {
        self.fractional().next().is_none()
    }

    /// Makes the nonbasic integer variables integral. A failed check may leave fractional ones behind,
    /// because it gives values back but keeps its pivots.
    fn round_nonbasic(&mut self) -> Result<(), Stop> {
        self.begin_saving();
        let mut moved = false;
        for i in 0..self.int_vars.len() + self.active_slacks.len() {
            let var = *self.int_vars.get(i).unwrap_or_else(|| &self.active_slacks[i - self.int_vars.len()]);
            let v = var.index();
            if self.is_int(var) && !self.tableau.is_basic(var) && !self.value[v].is_integer() {
                // Bounds are integers, so the floor respects them.
                let theta = &Delta::from(self.value[v].floor()) - &self.value[v];
                self.shift(var, &theta);
                moved = true;
            }
        }
        if !moved {
            return Ok(());
        }
        match self.resume() {
            Check::Sat => Ok(()),
            Check::Unsat => unreachable!("the same bounds had a rational solution"),
            Check::Unknown(stop) => Err(stop),
        }
    }

    /// Finds an integral assignment (`None`), or says what to do.
    fn make_integral(&mut self) -> Result<Option<Final>, Stop> {
        self.patch()?;
        if self.is_integral() {
            return Ok(None);
        }
        self.integers.calls += 1;
        let calls = self.integers.calls;
        if let Some(conflict) = self.gcd_test() {
            return Ok(Some(self.integer_conflict(conflict)));
        }
        if self.config.diophantine {
            match self.solve_equalities()? {
                Some(Ok(conflict)) => return Ok(Some(self.integer_conflict(conflict))),
                Some(Err(cut)) => {
                    self.count_split()?;
                    return Ok(Some(Final::Cut(cut)));
                }
                None => {}
            }
        }
        if self.config.cuts
            && calls.is_multiple_of(self.config.cut_period)
            && let Some(cut) = self.gomory_cut()
        {
            self.count_split()?;
            self.stats.cuts += 1;
            return Ok(Some(Final::Cut(cut)));
        }
        if self.config.cube_test && (calls % 8 == 1) && self.cube_test()? {
            self.stats.cubes += 1;
            return Ok(None);
        }
        if self.config.form_splits
            && self.integers.splits >= FORM_SPLITS_AFTER
            && self.integers.splits.is_multiple_of(2)
            && let Some((var, k)) = self.split_on_form()?
        {
            self.count_split()?;
            self.stats.form_splits += 1;
            return Ok(Some(Final::Split { var, k }));
        }
        let var = self.split_variable();
        self.count_split()?;
        Ok(Some(Final::Split { var, k: self.value[var.index()].floor() }))
    }

    fn integer_conflict(&mut self, proof: CutProof) -> Final {
        self.stats.conflicts += 1;
        self.conflict = Conflict::Cuts(proof);
        debug_assert_eq!(self.verify(&self.conflict), Ok(()));
        Final::Unsat
    }

    /// The fractional variable with the smallest range, so that splits exhaust it soon; the first among
    /// equals.
    fn split_variable(&self) -> Var {
        let range = |var: Var| -> Option<Rational> {
            let lower = self.bound(var, BoundKind::Lower)?;
            let upper = self.bound(var, BoundKind::Upper)?;
            Some(&upper.value.real - &lower.value.real)
        };
        let mut best: Option<(Var, Option<Rational>)> = None;
        for var in self.fractional() {
            let size = range(var);
            let better = match (&best, &size) {
                (None, _) | (Some((_, None)), Some(_)) => true,
                (Some((_, Some(a))), Some(b)) => b < a,
                (Some(_), None) => false,
            };
            if better {
                best = Some((var, size));
            }
        }
        best.expect("some variable is fractional").0
    }

    // ----- patching -----

    /// Tries to make fractional basic variables integral one by one, each by moving one nonbasic variable.
    fn patch(&mut self) -> Result<(), Stop> {
        for i in 0..self.int_vars.len() {
            let v = self.int_vars[i];
            if self.value[v.index()].is_integer() || !self.tableau.is_basic(v) {
                continue;
            }
            self.step()?;
            if let Some((var, theta)) = self.find_patch(v) {
                self.shift(var, &theta);
                self.stats.patches += 1;
            }
        }
        debug_assert!(!self.has_violations());
        Ok(())
    }

    /// A move of a nonbasic variable that makes `basic` integral and breaks nothing.
    fn find_patch(&self, basic: Var) -> Option<(Var, Delta)> {
        let row = self.tableau.row_of(basic);
        let b = self.tableau.basic_coeff(row);
        let value = &self.value[basic.index()];
        for entry in self.tableau.row(row) {
            if entry.var == basic {
                continue;
            }
            // basic = (p/q)·x + ...; solve (p/q)·θ + value ∈ ℤ.
            let slope = -Rational::of(&entry.coeff, b);
            if !self.is_int(entry.var) {
                // A rational variable takes up any fraction, and infinitesimals.
                for target in [value.floor(), value.ceil()] {
                    let mut theta = Delta::ZERO;
                    theta.add_mul(&slope.recip(), &(&Delta::from(target) - value));
                    if self.move_keeps_bounds(entry.var, &theta)
                        && self.move_keeps_integrality(entry.var, &theta)
                    {
                        return Some((entry.var, theta));
                    }
                }
                continue;
            }
            if !value.is_real() {
                continue;
            }
            let (p, q) = (slope.num(), slope.den());
            if q.is_one() || !value.real.den().divides(&q) {
                continue;
            }
            let Some(inverse) = inverse_mod(&p, &q) else { continue };
            let residue = (&(&value.real.num() * &q.div_floor(&value.real.den())) * &inverse).mod_floor(&q);
            // θ ≡ -residue (mod q): the nearest moves down and up.
            let down = -&residue;
            let up = &q - &residue;
            for theta in [up, down] {
                let theta = Delta::from(theta);
                if self.move_keeps_bounds(entry.var, &theta) && self.move_keeps_integrality(entry.var, &theta)
                {
                    return Some((entry.var, theta));
                }
            }
        }
        None
    }

    /// Would all bounds hold if the nonbasic `var` moved by `theta`?
    pub(crate) fn move_keeps_bounds(&self, var: Var, theta: &Delta) -> bool {
        self.room(var, theta.signum().is_gt()).is_none_or(|room| {
            let size = if theta.signum().is_lt() { theta.neg() } else { theta.clone() };
            size <= room
        })
    }

    /// Would no integral basic variable become fractional if the nonbasic `var` moved by `theta`?
    pub(crate) fn move_keeps_integrality(&self, var: Var, theta: &Delta) -> bool {
        if self.is_int(var) && !theta.is_integer() {
            return false;
        }
        self.tableau.column(var).iter().all(|at| {
            let basic = self.tableau.basic(at.row);
            if !self.is_int(basic) || !self.value[basic.index()].is_integer() {
                return true;
            }
            let slope = Rational::of(self.tableau.coeff(*at), self.tableau.basic_coeff(at.row));
            theta.is_real() && (&slope * &theta.real).is_integer()
        })
    }

    /// How far the nonbasic `var` can go up (or down) with all bounds kept; `None` if without limit.
    pub(crate) fn room(&self, var: Var, up: bool) -> Option<Delta> {
        let distance = |v: Var, up: bool| -> Option<Delta> {
            let bound = self.bound(v, if up { BoundKind::Upper } else { BoundKind::Lower })?;
            let value = &self.value[v.index()];
            Some(if up { &bound.value - value } else { value - &bound.value })
        };
        let mut room = distance(var, up);
        for at in self.tableau.column(var) {
            let basic = self.tableau.basic(at.row);
            let slope = -Rational::of(self.tableau.coeff(*at), self.tableau.basic_coeff(at.row));
            if let Some(d) = distance(basic, up == slope.is_positive()) {
                let mut limit = Delta::ZERO;
                limit.add_mul(&slope.abs().recip(), &d);
                if room.as_ref().is_none_or(|r| limit < *r) {
                    room = Some(limit);
                }
            }
        }
        room
    }

    fn has_violations(&self) -> bool {
        (0..self.vars.len() as u32)
            .map(Var)
            .any(|v| self.vars[v.index()].active && (self.below_lower(v) || self.above_upper(v)))
    }

    // ----- gcd test and cuts -----

    /// The common value of both bounds, if equal.
    pub(crate) fn fixed_value(&self, var: Var) -> Option<&Rational> {
        let lower = self.bound(var, BoundKind::Lower)?;
        let upper = self.bound(var, BoundKind::Upper)?;
        (lower.value == upper.value).then_some(&lower.value.real)
    }

    /// The gcd test: in a row over the integers, the gcd of the coefficients of the variables that are not
    /// fixed must divide what the fixed ones add up to.
    fn gcd_test(&self) -> Option<CutProof> {
        for v in self.fractional().filter(|v| self.tableau.is_basic(*v)) {
            let row = self.tableau.row(self.tableau.row_of(v));
            if !row.iter().all(|e| self.is_int(e.var)) {
                continue;
            }
            let (mut gcd, mut sum) = (Int::ZERO, Rational::ZERO);
            for entry in row {
                match self.fixed_value(entry.var) {
                    Some(value) => sum.add_mul_int(&entry.coeff, value),
                    None => gcd = gcd.gcd(&entry.coeff),
                }
            }
            if !gcd.is_zero() && !gcd.divides(&sum.num()) {
                let fixed = row.iter().filter(|e| self.fixed_value(e.var).is_some());
                let sum: FixedSum = fixed.map(|e| (e.var, Rational::of(&e.coeff, &gcd))).collect();
                return Some(self.fractional_equality(&sum));
            }
        }
        None
    }

    /// The contradiction from an equality with integer coefficients and a fractional constant.
    pub(crate) fn fractional_equality(&self, sum: &FixedSum) -> CutProof {
        let side = |kind| CutStep { premises: self.fixed_premises(sum, kind), round: true };
        let both = vec![(Source::Step(0), Rational::ONE), (Source::Step(1), Rational::ONE)];
        let steps =
            vec![side(BoundKind::Upper), side(BoundKind::Lower), CutStep { premises: both, round: false }];
        CutProof { steps }
    }

    /// The premises that prove `Σ λᵢ·xᵢ <= Σ λᵢ·kᵢ` (`Upper`) or `>=` (`Lower`).
    pub(crate) fn fixed_premises(&self, sum: &FixedSum, kind: BoundKind) -> Vec<(Source, Rational)> {
        let premise = |(var, factor): &(Var, Rational)| {
            let kind = if factor.is_positive() { kind } else { kind.opposite() };
            let bound = self.bound(*var, kind).expect("a fixed variable has both bounds");
            (Source::Bound(bound.clone()), factor.abs())
        };
        sum.iter().filter(|(_, factor)| !factor.is_zero()).map(premise).collect()
    }

    /// A Chvátal-Gomory cut from the row of a fractional basic variable.
    fn gomory_cut(&self) -> Option<Cut> {
        let rows = self.fractional().filter(|v| self.tableau.is_basic(*v) && self.value[v.index()].is_real());
        rows.filter_map(|v| self.row_cut(v)).min_by_key(|cut| {
            (cut.form.iter().map(|(_, c)| c.bits()).max(), cut.form.len(), cut.proof.steps[0].premises.len())
        })
    }

    /// With nonbasic `xⱼ = lⱼ + yⱼ` or `uⱼ - yⱼ`, the row says `b + Σ dⱼ·yⱼ = β`. Adding `yⱼ >= 0` times the
    /// fractional part of `dⱼ` leaves integer coefficients, so the right side can be rounded. The negated row
    /// gives a second cut.
    fn row_cut(&self, basic: Var) -> Option<Cut> {
        let row = self.tableau.row_of(basic);
        let b = self.tableau.basic_coeff(row);
        let mut terms: Vec<(Bound, Rational)> = Vec::new();
        for entry in self.tableau.row(row) {
            if !self.is_int(entry.var) {
                return None;
            }
            let d = Rational::of(&entry.coeff, b);
            if entry.var == basic || d.is_integer() {
                continue;
            }
            let value = &self.value[entry.var.index()];
            let at = |kind| self.bound(entry.var, kind).filter(|bound| bound.value == *value);
            if let Some(bound) = at(BoundKind::Lower) {
                terms.push((bound.clone(), d.fract()));
            } else if let Some(bound) = at(BoundKind::Upper) {
                terms.push((bound.clone(), (-d).fract()));
            } else {
                return None;
            }
        }
        let cut = |negated: bool| {
            let premise = |(bound, f): &(Bound, Rational)| {
                (Source::Bound(bound.clone()), if negated { &Rational::ONE - f } else { f.clone() })
            };
            let step = CutStep { premises: terms.iter().map(premise).collect(), round: true };
            self.cut_from(CutProof { steps: vec![step] })
        };
        let size = |cut: &Cut| cut.form.iter().map(|(_, c)| c.bits()).max();
        [cut(false), cut(true)]
            .into_iter()
            .flatten()
            .filter(|cut| size(cut) <= Some(self.config.cut_max_bits))
            .min_by_key(|cut| (size(cut), cut.form.len()))
    }

    /// The cut that a derivation proves, unless it is trivial.
    pub(crate) fn cut_from(&self, proof: CutProof) -> Option<Cut> {
        let result = self.replay(&proof).expect("a derivation is valid");
        let form: Vec<(Var, Int)> = result.coeffs.iter().map(|(v, c)| (*v, c.num())).collect();
        debug_assert!(result.coeffs.values().all(Rational::is_integer) && result.rhs.is_integer());
        (!form.is_empty()).then(|| Cut { form, bound: result.rhs.num(), proof })
    }
}

/// The inverse of `a` modulo `m > 1`, if they are coprime.
fn inverse_mod(a: &Int, m: &Int) -> Option<Int> {
    let (mut r0, mut r1) = (m.clone(), a.mod_floor(m));
    let (mut t0, mut t1) = (Int::ZERO, Int::ONE);
    while !r1.is_zero() {
        let quotient = r0.div_floor(&r1);
        (r0, r1) = (r1.clone(), &r0 - &(&quotient * &r1));
        (t0, t1) = (t1.clone(), &t0 - &(&quotient * &t1));
    }
    r0.is_one().then(|| t0.mod_floor(m))
}
