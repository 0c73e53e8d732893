//! The one-point rule: `x = t` among the facts of a query, `x` not in `t`, makes `x` superfluous.
//!
//! Facts about bit-vectors and arrays often only rename values. Otherwise a solver has to find out that two
//! copies of the same circuit are equal, which can be arbitrarily hard; after the substitution they are the
//! same term. `facts and not goal` has a model if and only if what [`OnePoint::apply`] makes of it has one.
//! Numbers are left alone: arithmetic solves equations itself.
//!
//! Which equations define something is decided by [`TermPool::independent_definitions`], as everywhere. That
//! is algebra of terms, of which the checker also takes substitution and evaluation; what the rule is applied
//! to, and that no fact gets lost, is decided here.

use palisade_term::{Assignment, Sort, Term, TermPool};
use rustc_hash::FxHashMap;

/// Definitions found among facts.
pub(crate) struct OnePoint<'p> {
    pool: &'p TermPool,
    /// Substitutions to apply one after the other; the terms of each mention none of its variables.
    passes: Vec<FxHashMap<Term, Term>>,
}

impl<'p> OnePoint<'p> {
    /// The definitions among the conjuncts of facts, and the facts without them.
    pub fn of(pool: &'p TermPool, facts: impl IntoIterator<Item = Term>) -> (OnePoint<'p>, Vec<Term>) {
        let mut facts: Vec<Term> = facts.into_iter().flat_map(|f| pool.conjuncts(f)).collect();
        let mut rule = OnePoint { pool, passes: Vec::new() };
        loop {
            let pass = pool.independent_definitions(facts.iter().copied(), |x| {
                matches!(pool.sort(x), Sort::BitVec(_) | Sort::Array(_))
            });
            if pass.is_empty() {
                return (rule, facts);
            }
            let substituted = facts.iter().map(|&f| pool.substitute(f, &pass));
            facts = substituted.flat_map(|f| pool.conjuncts(f)).filter(|&f| f != pool.tru()).collect();
            rule.passes.push(pass);
        }
    }

    /// A formula without the variables that were defined.
    pub fn apply(&self, formula: Term) -> Term {
        self.passes.iter().fold(formula, |f, pass| self.pool.substitute(f, pass))
    }

    /// Gives the defined variables their values.
    pub fn complete(&self, model: &mut Assignment) {
        for pass in self.passes.iter().rev() {
            let values: Vec<_> = pass.iter().map(|(&x, &t)| (x, self.pool.eval(t, model))).collect();
            values.into_iter().for_each(|(x, value)| model.set(x, value));
        }
    }
}

#[cfg(test)]
mod tests {
    use palisade_term::{Assignment, Sort, TermPool, Value};

    use super::OnePoint;

    /// Chains and cycles of equalities: everything that can go goes, and models come back whole.
    #[test]
    fn definitions_are_followed_to_their_end() {
        let pool = TermPool::new();
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|n| pool.var(n, Sort::BitVec(8)));
        let one = pool.bitvec(1, 8);
        let facts = [
            pool.eq(b, pool.bv_add(a, one)),
            pool.eq(c, b),
            pool.eq(c, pool.bv_add(d, one)),
            pool.eq(b, pool.bv_mul(b, a)),
        ];
        let (rule, rest) = OnePoint::of(&pool, facts);
        // a = d remains as a consequence or is applied too; nothing mentions b and c any more.
        for gone in [b, c] {
            assert!(rest.iter().all(|&f| !pool.free_vars(f).contains(&gone)));
            assert!(!pool.free_vars(rule.apply(gone)).contains(&gone));
        }
        let mut model = Assignment::new();
        model.set(a, Value::BitVec(8, 0.into()));
        model.set(d, Value::BitVec(8, 0.into()));
        rule.complete(&mut model);
        assert!(facts[..3].iter().all(|&f| pool.holds(f, &model)));
    }

    #[test]
    fn a_variable_is_not_defined_by_itself() {
        let pool = TermPool::new();
        let a = pool.var("a", Sort::BitVec(8));
        let fact = pool.eq(a, pool.bv_mul(a, a));
        let (_, rest) = OnePoint::of(&pool, [fact]);
        assert_eq!(rest, [fact]);
    }
}
