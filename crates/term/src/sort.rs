//! Sorts of terms.

use std::fmt;
use std::sync::Arc;

/// The sort (type) of a term.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Sort {
    /// Truth values.
    Bool,
    /// Mathematical integers.
    Int,
    /// Rational numbers (the models of `Real` that this tool handles are rational).
    Real,
    /// Bit-vectors of the given positive width.
    BitVec(u32),
    /// Total arrays from the first sort to the second.
    Array(Arc<(Sort, Sort)>),
}

impl Sort {
    /// The array sort from `index` to `element`.
    pub fn array(index: Sort, element: Sort) -> Sort {
        Sort::Array(Arc::new((index, element)))
    }

    /// Is this `Int` or `Real`?
    pub fn is_arith(&self) -> bool {
        matches!(self, Sort::Int | Sort::Real)
    }

    /// The width of a bit-vector sort.
    pub fn width(&self) -> Option<u32> {
        match self {
            Sort::BitVec(w) => Some(*w),
            _ => None,
        }
    }

    /// Index and element sorts of an array sort.
    pub fn array_parts(&self) -> Option<(&Sort, &Sort)> {
        match self {
            Sort::Array(parts) => Some((&parts.0, &parts.1)),
            _ => None,
        }
    }
}

impl fmt::Display for Sort {
    /// SMT-LIB notation.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sort::Bool => write!(f, "Bool"),
            Sort::Int => write!(f, "Int"),
            Sort::Real => write!(f, "Real"),
            Sort::BitVec(w) => write!(f, "(_ BitVec {w})"),
            Sort::Array(p) => write!(f, "(Array {} {})", p.0, p.1),
        }
    }
}
