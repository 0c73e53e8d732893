//! Proof by cases: a formula that is a disjunction of states is asked about one state at a time.
//!
//! A disjunct that fixes variables (`x = 3`, `a[2] = 5`) decides most of a query by evaluation: the values
//! are put into the guard and into the goal, and often nothing is left to ask. `(A or B) and F` has a model
//! if and only if `A and F` or `B and F` has one, and putting in the value of a variable that a fact fixes
//! changes nothing as long as the fact stays. What the rule is applied to, and that no case gets lost, is
//! decided here; of the algebra of terms it takes substitution.
//!
//! Entry points: [`of`], [`Case::apply`].

use palisade_term::{Op, Substitution, Term, TermPool};
use rustc_hash::FxHashMap;

/// One case of a formula.
pub(crate) struct Case<'p> {
    /// What holds in it.
    pub fact: Term,
    /// The variables that it fixes; arrays are written to where it knows a cell.
    values: FxHashMap<Term, Term>,
    pool: &'p TermPool,
}

impl Case<'_> {
    /// A formula with the values of the case.
    pub fn apply(&self, formula: Term) -> Term {
        match self.values.is_empty() {
            true => formula,
            false => Substitution::new(self.pool, &self.values).apply(formula),
        }
    }
}

/// The cases of a formula: one for each disjunct of the longest conjunct that is a list of states, if there
/// is one, else the formula itself.
pub(crate) fn of(pool: &TermPool, formula: Term) -> Vec<Case<'_>> {
    let case = |fact| Case { fact, values: values(pool, fact), pool };
    let is_list =
        |c: &Term| *pool.op(*c) == Op::Or && pool.args(*c).iter().all(|&d| !values(pool, d).is_empty());
    let conjuncts = pool.conjuncts(formula);
    match conjuncts.iter().copied().filter(is_list).max_by_key(|&c| pool.args(c).len()) {
        Some(list) => {
            let rest = pool.and(conjuncts.into_iter().filter(|&c| c != list));
            pool.args(list).iter().map(|&state| case(pool.and2(state, rest))).collect()
        }
        None => vec![case(formula)],
    }
}

/// The values that a conjunction fixes.
fn values(pool: &TermPool, fact: Term) -> FxHashMap<Term, Term> {
    let mut values = FxHashMap::default();
    for conjunct in pool.conjuncts(fact) {
        if *pool.op(conjunct) != Op::Eq {
            continue;
        }
        let [a, b] = pool.args(conjunct) else { continue };
        for (left, value) in [(*a, *b), (*b, *a)] {
            if !is_constant(pool, value) {
                continue;
            }
            if pool.is_var(left) {
                values.entry(left).or_insert(value);
            } else if *pool.op(left) == Op::Select {
                let (array, index) = (pool.args(left)[0], pool.args(left)[1]);
                if pool.is_var(array) && pool.is_const(index) {
                    let known = values.entry(array).or_insert(array);
                    *known = pool.store(*known, index, value);
                }
            }
        }
    }
    values
}

/// A constant, or writes of constants over one.
fn is_constant(pool: &TermPool, mut value: Term) -> bool {
    while *pool.op(value) == Op::Store {
        let [array, index, element] = pool.args(value) else { return false };
        if !pool.is_const(*index) || !pool.is_const(*element) {
            return false;
        }
        value = *array;
    }
    pool.is_const(value)
}

#[cfg(test)]
mod tests {
    use palisade_term::{Sort, TermPool};

    /// Every disjunct is a case, with its values put in; cells of arrays too.
    #[test]
    fn states_become_cases() {
        let pool = TermPool::new();
        let x = pool.var("x", Sort::Int);
        let a = pool.var("a", Sort::array(Sort::Int, Sort::Int));
        let cell = pool.select(a, pool.int(2));
        let first = pool.and2(pool.eq(x, pool.int(3)), pool.eq(cell, pool.int(5)));
        let formula = pool.or2(first, pool.eq(x, pool.int(4)));
        let cases = super::of(&pool, formula);
        assert_eq!(cases.len(), 2);
        let sum = pool.eq(pool.add([x, cell]), pool.int(8));
        let first = cases.iter().find(|c| c.fact == first).unwrap();
        assert_eq!(first.apply(sum), pool.tru());
        let other = cases.iter().find(|c| c.fact != first.fact).unwrap();
        assert_eq!(other.apply(sum), pool.eq(cell, pool.int(4)));
    }

    /// A clause is no list of states.
    #[test]
    fn other_formulas_stay_whole() {
        let pool = TermPool::new();
        let x = pool.var("x", Sort::Int);
        let formula = pool.or2(pool.eq(x, pool.int(3)), pool.le(pool.int(7), x));
        let cases = super::of(&pool, formula);
        assert_eq!(cases.len(), 1);
        assert_eq!((cases[0].fact, cases[0].apply(x)), (formula, x));
    }
}
