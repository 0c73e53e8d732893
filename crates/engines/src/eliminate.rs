//! Exact elimination of existentially quantified variables, where simple rules suffice.
//!
//! The rules: a variable that does not occur, a quantifier that moves into disjunctions and past conjuncts without the variable, an equality that defines the variable (the one-point rule), and the two
//! values of a Boolean. The result is equivalent to the quantified formula, or there is none.
//!
//! Entry point: [`eliminate_exists`].

use palisade_term::{Linear, Op, Rational, Sort, Term, TermPool};
use rustc_hash::FxHashMap;

/// A formula without `vars` that is equivalent to `exists vars. formula`; `None` when the rules do not reach that far.
pub(crate) fn eliminate_exists(pool: &TermPool, formula: Term, vars: &[Term]) -> Option<Term> {
    let mut work = Elimination { pool, steps: MAX_STEPS };
    let mut todo: Vec<Term> = vars.to_vec();
    let mut formula = formula;
    // Eliminating one variable can turn another's equation into a definition: go round until nothing changes.
    while !todo.is_empty() {
        let before = todo.len();
        todo.retain(|&v| match work.one(formula, v) {
            Some(f) => {
                formula = f;
                false
            }
            None => true,
        });
        if todo.len() == before {
            return None;
        }
    }
    Some(formula)
}

/// Case splits per call, against explosion.
const MAX_STEPS: u32 = 10_000;

struct Elimination<'p> {
    pool: &'p TermPool,
    steps: u32,
}

impl Elimination<'_> {
    fn one(&mut self, formula: Term, var: Term) -> Option<Term> {
        let pool = self.pool;
        if !pool.free_vars(formula).contains(&var) {
            return Some(formula);
        }
        self.steps = self.steps.checked_sub(1)?;
        if *pool.sort(var) == Sort::Bool {
            return Some(pool.or([true, false].map(|b| substitute(pool, formula, var, pool.bool(b)))));
        }
        match pool.op(formula) {
            Op::Or => self.each(&pool.disjuncts(formula), var),
            Op::Not if *pool.op(pool.args(formula)[0]) == Op::And => {
                let parts: Vec<Term> =
                    pool.conjuncts(pool.args(formula)[0]).iter().map(|&c| pool.not(c)).collect();
                self.each(&parts, var)
            }
            Op::Ite if *pool.sort(formula) == Sort::Bool => {
                let [c, a, b] = pool.args(formula)[..] else { unreachable!("ite has three arguments") };
                self.each(&[pool.and2(c, a), pool.and2(pool.not(c), b)], var)
            }
            _ => self.conjunction(&conjuncts_pushed(pool, formula), var),
        }
    }

    fn each(&mut self, parts: &[Term], var: Term) -> Option<Term> {
        let parts: Option<Vec<Term>> = parts.iter().map(|&p| self.one(p, var)).collect();
        Some(self.pool.or(parts?))
    }

    fn conjunction(&mut self, conjuncts: &[Term], var: Term) -> Option<Term> {
        let pool = self.pool;
        let (with, without): (Vec<Term>, Vec<Term>) =
            conjuncts.iter().partition(|&&c| pool.free_vars(c).contains(&var));
        if let Some(definition) = with.iter().find_map(|&c| definition_of(pool, c, var)) {
            let parts = with.iter().map(|&c| substitute(pool, c, var, definition));
            return Some(pool.and(parts.chain(without)));
        }
        if let [single] = with[..] {
            if satisfiable_by(pool, single, var) {
                return Some(pool.and(without));
            }
            if conjuncts.len() == 1 && !splits(pool, single) {
                return None;
            }
            let inner = self.one(single, var)?;
            return Some(pool.and(without.into_iter().chain([inner])));
        }
        // Distribute over the smallest disjunction that mentions the variable.
        let split = with.iter().copied().filter(|&c| splits(pool, c)).min_by_key(|&c| pool.dag_size(c))?;
        let cases = cases_of(pool, split);
        let rest: Vec<Term> = with.iter().copied().filter(|&c| c != split).collect();
        let mut parts = Vec::with_capacity(cases.len());
        for case in cases {
            let conjunction = pool.and(rest.iter().copied().chain([case]));
            parts.push(self.one(conjunction, var)?);
        }
        Some(pool.and(without.into_iter().chain([pool.or(parts)])))
    }
}

fn substitute(pool: &TermPool, t: Term, var: Term, by: Term) -> Term {
    pool.substitute(t, &FxHashMap::from_iter([(var, by)]))
}

/// The conjuncts, with negated disjunctions taken apart too.
fn conjuncts_pushed(pool: &TermPool, formula: Term) -> Vec<Term> {
    let mut out = Vec::new();
    for c in pool.conjuncts(formula) {
        match pool.op(c) {
            Op::Not if *pool.op(pool.args(c)[0]) == Op::Or => {
                let inner = pool.disjuncts(pool.args(c)[0]);
                out.extend(inner.into_iter().flat_map(|d| conjuncts_pushed(pool, pool.not(d))));
            }
            _ => out.push(c),
        }
    }
    out
}

/// Does a case distinction take this formula apart?
fn splits(pool: &TermPool, t: Term) -> bool {
    match pool.op(t) {
        Op::Or => true,
        Op::Not => *pool.op(pool.args(t)[0]) == Op::And,
        Op::Ite => *pool.sort(t) == Sort::Bool,
        _ => false,
    }
}

fn cases_of(pool: &TermPool, t: Term) -> Vec<Term> {
    match pool.op(t) {
        Op::Or => pool.disjuncts(t),
        Op::Not => pool.conjuncts(pool.args(t)[0]).into_iter().map(|c| pool.not(c)).collect(),
        _ => {
            let [c, a, b] = pool.args(t)[..] else { unreachable!("ite has three arguments") };
            vec![pool.and2(c, a), pool.and2(pool.not(c), b)]
        }
    }
}

/// The term that an equality makes `var` equal to.
fn definition_of(pool: &TermPool, equality: Term, var: Term) -> Option<Term> {
    if *pool.op(equality) != Op::Eq {
        return None;
    }
    let [a, b] = pool.args(equality)[..] else { return None };
    if pool.sort(a).is_arith() {
        let l = pool.linear(a).minus(&pool.linear(b));
        let (rest, k) = isolate(pool, &l, var)?;
        let unit = k.denom() == k.numer() || *k.denom() == -k.numer();
        if *pool.sort(var) == Sort::Int && !unit {
            return None;
        }
        return Some(pool.from_linear(&rest.scaled(&-k.recip()), pool.sort(var)));
    }
    for (x, t) in [(a, b), (b, a)] {
        if x == var && !pool.free_vars(t).contains(&var) {
            return Some(t);
        }
    }
    None
}

/// Splits `l` into `k * var` and a rest in which `var` does not occur, not even inside other terms.
fn isolate(pool: &TermPool, l: &Linear, var: Term) -> Option<(Linear, Rational)> {
    let mut rest = l.clone();
    let k = rest.coeffs.iter().position(|(t, _)| *t == var).map(|i| rest.coeffs.remove(i).1)?;
    rest.coeffs.iter().all(|(t, _)| !pool.free_vars(*t).contains(&var)).then_some((rest, k))
}

/// Can a literal be made true by choosing `var`, whatever the other variables are? One linear inequality or disequality always can.
fn satisfiable_by(pool: &TermPool, literal: Term, var: Term) -> bool {
    let (negated, atom) = pool.strip_not(literal);
    match pool.op(atom) {
        Op::Le | Op::Lt => {}
        Op::Eq if negated => {}
        _ => return false,
    }
    let args = pool.args(atom);
    pool.sort(args[0]).is_arith()
        && isolate(pool, &pool.linear(args[0]).minus(&pool.linear(args[1])), var).is_some()
}
