//! The cube test: Bromberger and Weidenbach, "Fast Cube Tests for LIA Constraint Solving", IJCAR 2016.
//!
//! If a point lies so deep inside the polyhedron that the unit cube around it fits, rounding the point gives
//! an integral solution. Shrinking each form's bounds by half the 1-norm of its integer coefficients finds
//! such a point with one check over the rationals. The test is incomplete (equalities leave no room) and
//! cheap.

use crate::config::{Check, Stop};
use crate::delta::Delta;
use crate::solver::Arith;
use crate::types::{Bound, BoundKind, Var};
use palisade_number::{Int, Rational};

impl Arith {
    /// Tries to find an integral assignment in the middle of the polyhedron; installs it if there is one.
    pub(crate) fn cube_test(&mut self) -> Result<bool, Stop> {
        let forms = self.active_slacks.clone();
        // An equality over integer variables leaves no cube.
        let hopeless = |v: &Var| self.fixed_value(*v).is_some() && !self.half_norm(*v).is_zero();
        if forms.iter().any(hopeless) {
            return Ok(false);
        }
        self.push_level();
        let unate = std::mem::replace(&mut self.config.unate_propagation, false);
        let mut answer = Check::Sat;
        'assert: for &var in &forms {
            for kind in [BoundKind::Lower, BoundKind::Upper] {
                if let Some(bound) = self.shrunk(var, kind)
                    && !self.assert_tight(bound)
                {
                    answer = Check::Unsat;
                    break 'assert;
                }
            }
        }
        if answer == Check::Sat {
            answer = self.check();
        }
        self.config.unate_propagation = unate;
        self.pop_levels(1);
        match answer {
            Check::Sat => Ok(self.install_rounded()),
            Check::Unsat => Ok(false),
            Check::Unknown(stop) => Err(stop),
        }
    }

    /// Half the 1-norm of a form's coefficients of integer variables.
    fn half_norm(&self, var: Var) -> Rational {
        let form = self.form(var).unwrap_or(&[]);
        let mut norm = Int::ZERO;
        for (_, coeff) in form.iter().filter(|(v, _)| self.is_int(*v)) {
            norm += &coeff.abs();
        }
        Rational::of(&norm, &Int::from(2))
    }

    fn shrunk(&self, var: Var, kind: BoundKind) -> Option<Bound> {
        let mut bound = self.bound(var, kind)?.clone();
        let half = self.half_norm(var);
        if half.is_zero() {
            return None;
        }
        let sign = if kind == BoundKind::Upper { Rational::ONE } else { Rational::MINUS_ONE };
        bound.value.real = &bound.value.real - &(&half * &sign);
        if self.is_int(var) {
            // Rounding gives an integer, so it suffices to stay strictly within one more.
            bound.value.real = &bound.value.real + &sign;
            bound.value.inf = -sign;
        }
        Some(bound)
    }

    /// Rounds all integer variables; keeps the result if all bounds hold.
    fn install_rounded(&mut self) -> bool {
        let old = self.value.clone();
        for v in &self.int_vars {
            let value = &mut self.value[v.index()];
            *value = Delta::from(value.round());
        }
        for slack in self.active_slacks.clone() {
            self.value[slack.index()] = self.form_value(slack);
        }
        let broken = (0..self.trail.len()).any(|i| {
            let var = self.trail[i].bound.var;
            self.below_lower(var) || self.above_upper(var)
        });
        if broken {
            self.value = old;
        }
        !broken
    }
}
