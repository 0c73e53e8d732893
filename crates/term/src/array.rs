//! Builders of array terms.
//!
//! Reads go through writes at indices that are surely equal or surely distinct (constants, or linear terms a
//! constant apart); a write over a write at the same index replaces it, a write of what is there already is
//! none.

use rustc_hash::FxHashMap;

use crate::op::Op;
use crate::{Sort, Term, TermPool};

impl TermPool {
    /// Are these two terms known to differ, by constants alone?
    fn surely_distinct(&self, a: Term, b: Term) -> bool {
        if a == b {
            return false;
        }
        if self.is_const(a) && self.is_const(b) && !matches!(self.sort(a), Sort::Array(_)) {
            return true;
        }
        if self.sort(a).is_arith() {
            let d = self.linear(a).minus(&self.linear(b));
            return d.is_constant() && d.constant != crate::Rational::from_integer(0.into());
        }
        false
    }

    /// `array[index]`. Reads through stores whose indices are syntactically equal or surely distinct.
    pub fn select(&self, array: Term, index: Term) -> Term {
        let Some((i, e)) = self.sort(array).array_parts() else { panic!("select from an array") };
        assert_eq!(self.sort(index), i, "index sort");
        let e = e.clone();
        let mut a = array;
        loop {
            match self.op(a) {
                Op::Store => {
                    let args = self.args(a);
                    if args[1] == index {
                        return args[2];
                    }
                    if !self.surely_distinct(args[1], index) {
                        break;
                    }
                    a = args[0];
                }
                Op::ConstArray => return self.args(a)[0],
                _ => break,
            }
        }
        self.intern(Op::Select, &[a, index], e)
    }

    /// `array` with `index` mapped to `value`.
    pub fn store(&self, array: Term, index: Term, value: Term) -> Term {
        let sort = self.sort(array).clone();
        let Some((i, e)) = sort.array_parts() else { panic!("store into an array") };
        assert_eq!(self.sort(index), i, "index sort");
        assert_eq!(self.sort(value), e, "element sort");
        let mut base = array;
        if *self.op(base) == Op::Store && self.args(base)[1] == index {
            base = self.args(base)[0]; // overwritten
        }
        if *self.op(value) == Op::Select && self.args(value) == [base, index] {
            return base;
        }
        self.intern(Op::Store, &[base, index, value], sort)
    }

    /// The first array whose condition holds, else the last one, cell by cell; `None` unless all are writes
    /// at constant indices into one and the same array.
    pub fn choose_cells(&self, ways: &[(Term, Term)]) -> Option<Term> {
        let parts: Vec<_> = ways.iter().map(|&(_, a)| self.written_cells(a)).collect();
        let ((base, last), others) = parts.split_last()?;
        if others.iter().any(|(other, _)| other != base) {
            return None;
        }
        let mut indices: Vec<Term> = parts.iter().flat_map(|(_, cells)| cells.keys().copied()).collect();
        indices.sort_unstable();
        indices.dedup();
        let mut chosen = *base;
        for index in indices {
            let cell = |cells: &FxHashMap<Term, Term>| {
                cells.get(&index).copied().unwrap_or_else(|| self.select(*base, index))
            };
            let conditions = ways.iter().map(|&(condition, _)| condition);
            let value = (others.iter().zip(conditions).rev())
                .fold(cell(last), |rest, ((_, cells), condition)| self.ite(condition, cell(cells), rest));
            chosen = self.store(chosen, index, value);
        }
        Some(chosen)
    }

    /// The array under the last writes at constant indices, and what they wrote.
    fn written_cells(&self, mut array: Term) -> (Term, FxHashMap<Term, Term>) {
        let mut cells = FxHashMap::default();
        while let (Op::Store, [inner, index, element]) = (self.op(array), self.args(array)) {
            // Constants of a scalar sort are equal only if they are the same term.
            if !self.is_const(*index) || matches!(self.sort(*index), Sort::Array(_)) {
                break;
            }
            cells.entry(*index).or_insert(*element);
            array = *inner;
        }
        (array, cells)
    }

    /// Are two arrays equal that are writes of constants over one constant array? `None` for others.
    pub(crate) fn arrays_equal(&self, a: Term, b: Term) -> Option<bool> {
        let ((base, first), (other, second)) = (self.constant_cells(a)?, self.constant_cells(b)?);
        // With different bases the indices would have to be counted.
        let default = self.args(base)[0];
        let differs = |x: &FxHashMap<Term, Term>, y: &FxHashMap<Term, Term>| {
            x.iter().any(|(index, element)| y.get(index).unwrap_or(&default) != element)
        };
        (base == other).then(|| !differs(&first, &second) && !differs(&second, &first))
    }

    /// The base and the written cells of an array that is writes of constants over a constant array.
    fn constant_cells(&self, mut array: Term) -> Option<(Term, FxHashMap<Term, Term>)> {
        let mut cells = FxHashMap::default();
        while let (Op::Store, [inner, index, element]) = (self.op(array), self.args(array)) {
            let scalars =
                [*index, *element].map(|t| self.is_const(t) && !matches!(self.sort(t), Sort::Array(_)));
            if scalars != [true; 2] {
                return None;
            }
            cells.entry(*index).or_insert(*element);
            array = *inner;
        }
        let scalar = *self.op(array) == Op::ConstArray
            && self.is_const(array)
            && !matches!(self.sort(self.args(array)[0]), Sort::Array(_));
        scalar.then_some((array, cells))
    }

    /// The constant array of the given sort.
    pub fn const_array(&self, sort: &Sort, value: Term) -> Term {
        let Some((_, e)) = sort.array_parts() else { panic!("an array sort") };
        assert_eq!(self.sort(value), e, "element sort");
        self.intern(Op::ConstArray, &[value], sort.clone())
    }
}
