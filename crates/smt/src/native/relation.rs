//! Comparisons of numbers, as the encoder makes them and held-back clauses evaluate them.

use palisade_term::Rational;

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Relation {
    Le,
    Lt,
    Ge,
    Gt,
    Eq,
    Ne,
}

impl Relation {
    /// The comparison that holds when this one does not.
    pub fn negated(self) -> Relation {
        match self {
            Relation::Le => Relation::Gt,
            Relation::Lt => Relation::Ge,
            Relation::Ge => Relation::Lt,
            Relation::Gt => Relation::Le,
            Relation::Eq => Relation::Ne,
            Relation::Ne => Relation::Eq,
        }
    }

    /// Does it hold of two numbers?
    pub fn holds(self, a: &Rational, b: &Rational) -> bool {
        match self {
            Relation::Le => a <= b,
            Relation::Lt => a < b,
            Relation::Ge => a >= b,
            Relation::Gt => a > b,
            Relation::Eq => a == b,
            Relation::Ne => a != b,
        }
    }
}
