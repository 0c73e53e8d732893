//! Concrete models: numbers for the infinitesimal.

use crate::delta::Delta;
use crate::solver::Arith;
use crate::types::{BoundKind, Var};
use palisade_number::Rational;

/// Values of the structural variables.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Model {
    /// Indexed by variable; the entries of slacks are zero.
    values: Vec<Rational>,
}

impl Model {
    /// The value of a structural variable.
    pub fn value(&self, var: Var) -> &Rational {
        &self.values[var.index()]
    }
}

impl Arith {
    /// A model of the bounds and disequalities, after `Sat`.
    pub fn model(&self) -> Model {
        let epsilon = self.epsilon();
        let value =
            |v: usize| if self.vars[v].form.is_none() { self.value[v].at(&epsilon) } else { Rational::ZERO };
        Model { values: (0..self.vars.len()).map(value).collect() }
    }

    /// The value of a variable, structural or slack, in a model.
    pub fn value_in(&self, model: &Model, var: Var) -> Rational {
        match self.form(var) {
            None => model.value(var).clone(),
            Some(form) => {
                let mut sum = Rational::ZERO;
                for (v, coeff) in form {
                    sum.add_mul_int(coeff, model.value(*v));
                }
                sum
            }
        }
    }

    /// A number for `δ` small enough that everything that holds symbolically holds with it.
    pub fn epsilon(&self) -> Rational {
        let mut epsilon = Rational::ONE;
        if !self.has_rationals {
            return epsilon;
        }
        // smaller + k·δ <= greater + d·δ must go on to hold.
        let mut limit = |smaller: &Delta, greater: &Delta| {
            if smaller.inf > greater.inf {
                let ratio = &(&greater.real - &smaller.real) / &(&smaller.inf - &greater.inf);
                if ratio < epsilon {
                    epsilon = ratio;
                }
            }
        };
        for entry in &self.trail {
            let value = self.evaluate(entry.bound.var);
            match entry.bound.kind {
                BoundKind::Lower => limit(&entry.bound.value, &value),
                BoundKind::Upper => limit(&value, &entry.bound.value),
            }
        }
        for d in &self.diseqs {
            let value = self.evaluate(d.var);
            if !value.is_real() {
                let meeting = &(&d.value - &value.real) / &value.inf;
                if meeting.is_positive() && meeting <= epsilon {
                    epsilon = &meeting / &Rational::from(2);
                }
            }
        }
        epsilon
    }
}
