//! Instances of formulas that hold for all values of some variables.
//!
//! A formula about all cells of an array is assumed at the start of an edge or path and shown at its end. At
//! the end the variables stand for themselves: any values. At the start every instance is a fact. The first
//! one asked is that for the same values; then come those for the cells that the edge touches and for what
//! the formula compares its variables with, in all combinations ([`CutInvariants::instances_of`]).
//!
//! Leaving instances out can only make a proof fail, so there may be a bound on them.
//!
//! Entry point: [`Instances::touching`].

use palisade_program::CutInvariants;
use palisade_term::{Substitution, Term, TermPool};
use rustc_hash::FxHashMap;

/// So many instances of one formula at the most.
const MOST: usize = 100;

/// The instances of one formula.
pub(crate) struct Instances<'p> {
    pool: &'p TermPool,
    invariants: &'p CutInvariants,
    formula: Term,
    /// The variables that it holds for all values of.
    forall: Vec<Term>,
}

impl<'p> Instances<'p> {
    /// Those of a formula of these invariants.
    pub fn of(pool: &'p TermPool, invariants: &'p CutInvariants, formula: Term) -> Instances<'p> {
        Instances { pool, invariants, formula, forall: invariants.forall_of(pool, formula) }
    }

    /// The instances for the cells that these terms touch, without the formula itself.
    pub fn touching(&self, terms: impl IntoIterator<Item = Term>) -> Vec<Term> {
        if self.forall.is_empty() {
            return Vec::new();
        }
        let terms: Vec<Term> = terms.into_iter().collect();
        let mut maps: Vec<FxHashMap<Term, Term>> = vec![FxHashMap::default()];
        for &v in &self.forall {
            let fitting = self.invariants.instances_of(self.pool, self.formula, v, terms.iter().copied());
            let extended = maps.iter().flat_map(|map| {
                fitting.iter().map(|&i| {
                    let mut map = map.clone();
                    map.insert(v, i);
                    map
                })
            });
            let extended: Vec<_> = extended.collect();
            maps.extend(extended);
            maps.truncate(MOST);
        }
        let instance = |map: &FxHashMap<Term, Term>| Substitution::new(self.pool, map).apply(self.formula);
        maps.iter().filter(|map| !map.is_empty()).map(instance).collect()
    }
}

#[cfg(test)]
mod tests {
    use palisade_program::{CutInvariants, Program};
    use palisade_term::{Sort, TermPool};

    use super::Instances;

    /// One instance for each cell that is touched; none of a formula without such a variable.
    #[test]
    fn cells_that_are_touched_have_instances() {
        let pool = TermPool::new();
        let (k, i) = (pool.var("k", Sort::Int), pool.var("i", Sort::Int));
        let a = pool.var("a", Sort::array(Sort::Int, Sort::Int));
        let i_is_small = pool.lt(i, pool.int(0));
        let positive = |index| pool.lt(pool.int(0), pool.select(a, index));
        let forall = vec![k];
        let invariants = CutInvariants { forall, ..CutInvariants::bare(&pool, &Program::new()) };
        let touched = [positive(i), pool.eq(pool.store(a, pool.int(7), i), a)];
        let of = |formula| Instances::of(&pool, &invariants, formula).touching(touched);
        assert_eq!(of(positive(k)), [positive(i), positive(pool.int(7))]);
        assert!(of(positive(i)).is_empty());
        // What the formula compares its variable with, whatever the terms touch.
        let below = |index| pool.le(index, pool.add2(i, pool.int(3)));
        let of = |formula| Instances::of(&pool, &invariants, formula).touching([pool.tru()]);
        assert_eq!(of(pool.or2(pool.not(below(k)), i_is_small)), [i_is_small]);
    }
}
