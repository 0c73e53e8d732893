//! Reading the model of a satisfiable query.

use num_traits::Zero;
use palisade_sat::Lit;
use palisade_term::{Assignment, Integer, Sort, Term, Value};

use super::NativeSolver;

impl NativeSolver<'_> {
    /// The values of all variables that were ever encoded, after `Sat`. Variables without value have their
    /// sort's default and are left out.
    pub(super) fn model(&self) -> Assignment {
        let enc = self.sat.theory().enc();
        let mut model = Assignment::new();
        for &t in &enc.variables {
            if let Some(v) = self.value_of(t) {
                model.set(t, v);
            }
        }
        model
    }

    /// The value of an encoded Boolean, bit-vector or arithmetic term that is a variable of the solver.
    pub(super) fn value_of(&self, t: Term) -> Option<Value> {
        let enc = self.sat.theory().enc();
        let bit = |l: Lit| self.sat.value(l).unwrap_or(!l.is_positive());
        match self.pool.sort(t) {
            Sort::Bool => enc.known(t).map(|l| Value::Bool(bit(l))),
            Sort::BitVec(w) => enc.known_bits(t).map(|bits| {
                let mut v = Integer::zero();
                for (i, &l) in bits.iter().enumerate() {
                    v.set_bit(i as u64, bit(l));
                }
                Value::BitVec(*w, v)
            }),
            sort => enc.known_var(t).map(|x| {
                let value = enc.arith.evaluate(x).at(&self.sat.theory().epsilon);
                match sort {
                    Sort::Int => {
                        Value::Int(value.to_int().expect("integer variables have integer values").to_big())
                    }
                    _ => Value::Real(value),
                }
            }),
        }
    }
}
