//! Values of terms, and assignments of values to variables.
//!
//! Values are canonical, so equal values are equal data: bit-vectors in `0 .. 2^w`, arrays as a default and
//! the exceptions from it. A variable without a value has the default of its sort.

use std::fmt;

use num_traits::Zero;
use rpds::RedBlackTreeMapSync;
use rustc_hash::FxHashMap;

use crate::{Integer, Rational, Sort, Term, TermPool};

/// A concrete value.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Value {
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(Integer),
    /// A rational.
    Real(Rational),
    /// A bit-vector: width and unsigned value.
    BitVec(u32, Integer),
    /// An array.
    Array(Box<ArrayValue>),
}

/// An array value: finitely many exceptions from a default. Canonical: no exception equals the default.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ArrayValue {
    /// The sort of the indices.
    pub index_sort: Sort,
    /// The value everywhere else.
    pub default: Value,
    /// Exceptions. Copies share what is equal, so that a run through a program that fills an array is not
    /// quadratic.
    pub entries: RedBlackTreeMapSync<Value, Value>,
}

impl ArrayValue {
    /// The element at an index.
    pub fn get(&self, index: &Value) -> &Value {
        self.entries.get(index).unwrap_or(&self.default)
    }

    /// Writes an element, keeping the representation canonical.
    pub fn set(&mut self, index: Value, value: Value) {
        if value == self.default {
            self.entries.remove_mut(&index);
        } else {
            self.entries.insert_mut(index, value);
        }
    }
}

impl Value {
    /// The default value of a sort: false, zero, the constant array of the element's default.
    pub fn default_of(sort: &Sort) -> Value {
        match sort {
            Sort::Bool => Value::Bool(false),
            Sort::Int => Value::Int(Integer::zero()),
            Sort::Real => Value::Real(Rational::zero()),
            Sort::BitVec(w) => Value::BitVec(*w, Integer::zero()),
            Sort::Array(p) => Value::Array(Box::new(ArrayValue {
                index_sort: p.0.clone(),
                default: Value::default_of(&p.1),
                entries: RedBlackTreeMapSync::default(),
            })),
        }
    }

    /// The sort of the value.
    pub fn sort(&self) -> Sort {
        match self {
            Value::Bool(_) => Sort::Bool,
            Value::Int(_) => Sort::Int,
            Value::Real(_) => Sort::Real,
            Value::BitVec(w, _) => Sort::BitVec(*w),
            Value::Array(a) => Sort::array(a.index_sort.clone(), a.default.sort()),
        }
    }

    /// The truth value; panics for other sorts.
    pub fn as_bool(&self) -> bool {
        match self {
            Value::Bool(b) => *b,
            v => panic!("a Boolean value, not {v}"),
        }
    }

    /// The integer; panics for other sorts.
    pub fn as_int(&self) -> &Integer {
        match self {
            Value::Int(i) => i,
            v => panic!("an integer value, not {v}"),
        }
    }

    /// The number as a rational, for `Int` and `Real`.
    pub fn as_rational(&self) -> Option<Rational> {
        match self {
            Value::Int(i) => Some(Rational::from_integer(i.clone())),
            Value::Real(r) => Some(r.clone()),
            _ => None,
        }
    }

    /// The constant term of this value.
    pub fn to_term(&self, pool: &TermPool) -> Term {
        match self {
            Value::Bool(b) => pool.bool(*b),
            Value::Int(i) => pool.int(i.clone()),
            Value::Real(r) => pool.real(r.clone()),
            Value::BitVec(w, v) => pool.bitvec(v.clone(), *w),
            Value::Array(a) => {
                let base = pool.const_array(&self.sort(), a.default.to_term(pool));
                a.entries.iter().fold(base, |t, (i, v)| pool.store(t, i.to_term(pool), v.to_term(pool)))
            }
        }
    }
}

impl fmt::Display for Value {
    /// Plain mathematical notation: `-3`, `1/2`, `#x0f` as an unsigned number, `[0 else; 1 -> 5]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(b) => write!(f, "{b}"),
            Value::Int(i) => write!(f, "{i}"),
            Value::Real(r) if r.is_negative() => write!(f, "-{}", r.abs()),
            Value::Real(r) => write!(f, "{r}"),
            Value::BitVec(_, v) => write!(f, "{v}"),
            Value::Array(a) => {
                write!(f, "[{} else", a.default)?;
                for (i, v) in &a.entries {
                    write!(f, "; {i} -> {v}")?;
                }
                write!(f, "]")
            }
        }
    }
}

/// An assignment of values to variables. Variables it does not mention have their sort's default value, so
/// that every assignment is a total model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Assignment {
    values: FxHashMap<Term, Value>,
}

impl Assignment {
    /// The empty assignment.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets a variable.
    pub fn set(&mut self, var: Term, value: Value) {
        self.values.insert(var, value);
    }

    /// The value of a variable, if it is mentioned.
    pub fn get(&self, var: Term) -> Option<&Value> {
        self.values.get(&var)
    }

    /// The number of variables mentioned.
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Mentions no variable.
    pub fn is_empty(&self) -> bool {
        self.values.is_empty()
    }

    /// The variables with their values, in the order of the terms.
    pub fn sorted(&self) -> Vec<(Term, &Value)> {
        let mut all: Vec<_> = self.values.iter().map(|(t, v)| (*t, v)).collect();
        all.sort_unstable_by_key(|(t, _)| *t);
        all
    }
}

impl FromIterator<(Term, Value)> for Assignment {
    fn from_iter<I: IntoIterator<Item = (Term, Value)>>(iter: I) -> Self {
        Assignment { values: iter.into_iter().collect() }
    }
}
