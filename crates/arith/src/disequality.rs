//! Disequalities `x != c`, decided at the final check.
//!
//! Simplex knows no disequalities. A rational solution mostly satisfies them; where it does not, it is moved
//! a little, and only if that fails the caller is asked for the case split `x < c` or `x > c`.

use crate::config::Stop;
use crate::delta::Delta;
use crate::integer::Final;
use crate::solver::Arith;
use crate::types::{Reason, Var};
use palisade_number::{Int, Rational};

/// An asserted disequality `var != value`.
#[derive(Clone, Debug)]
pub(crate) struct Disequality {
    pub var: Var,
    pub value: Rational,
    pub reason: Reason,
}

impl Arith {
    /// Asserts `var != value`, until the current level is popped.
    pub fn assert_disequality(&mut self, var: Var, value: Rational, reason: Reason) {
        self.diseqs.push(Disequality { var, value, reason });
    }

    fn violates(&self, d: &Disequality) -> bool {
        let value = self.evaluate(d.var);
        value.is_real() && value.real == d.value
    }

    pub(crate) fn violated_disequalities(&self) -> usize {
        self.diseqs.iter().filter(|d| self.violates(d)).count()
    }

    /// Moves the assignment so that all disequalities hold (`None`), or asks for a split.
    pub(crate) fn repair_disequalities(&mut self) -> Result<Option<Final>, Stop> {
        while let Some(d) = self.diseqs.iter().find(|d| self.violates(d)).cloned() {
            self.step()?;
            if !self.vars[d.var.index()].active {
                self.activate(d.var);
            }
            if !self.move_away(d.var)? {
                return Ok(Some(Final::SplitDisequality { var: d.var, value: d.value, reason: d.reason }));
            }
            self.stats.diseq_moves += 1;
        }
        Ok(None)
    }

    /// Moves one nonbasic variable so that `var` changes, bounds and integrality hold, and fewer
    /// disequalities are violated.
    fn move_away(&mut self, var: Var) -> Result<bool, Stop> {
        let violated = self.violated_disequalities();
        let movers: Vec<(Var, Rational)> = if self.tableau.is_basic(var) {
            let row = self.tableau.row_of(var);
            let basic = self.tableau.basic_coeff(row);
            let others = self.tableau.row(row).iter().filter(|e| e.var != var);
            others.map(|e| (e.var, Rational::of(&e.coeff, basic))).collect()
        } else {
            vec![(var, Rational::ONE)]
        };
        for (mover, slope) in movers {
            for up in [true, false] {
                for theta in self.candidate_steps(mover, &slope, up) {
                    if !self.move_keeps_integrality(mover, &theta) {
                        continue;
                    }
                    let moved = self.attempt(|s| {
                        s.shift(mover, &theta);
                        Ok(s.violated_disequalities() < violated)
                    })?;
                    if moved {
                        return Ok(true);
                    }
                }
            }
        }
        Ok(false)
    }

    /// A few distances that `mover` can go within the bounds.
    fn candidate_steps(&self, mover: Var, slope: &Rational, up: bool) -> Vec<Delta> {
        let room = self.room(mover, up);
        let sizes: Vec<Delta> = if self.is_int(mover) {
            // Multiples of the slope's denominator keep an integral basic variable integral.
            let unit = slope.den();
            let sizes = (1..=4).map(|k| Delta::from(&unit * &Int::from(k)));
            sizes.filter(|s| room.as_ref().is_none_or(|r| s <= r)).collect()
        } else {
            match room {
                None => (1..=4).map(Delta::from).collect(),
                Some(room) if room.signum().is_gt() => (1..=5).map(|k| room.div_int(&Int::from(k))).collect(),
                Some(_) => Vec::new(),
            }
        };
        if up { sizes } else { sizes.iter().map(Delta::neg).collect() }
    }
}
