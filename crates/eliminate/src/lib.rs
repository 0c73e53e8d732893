//! Exact quantifier elimination: the one home of it. Transformations use it for the way back of invariants,
//! `kind` for the inputs in weakest preconditions, predicate abstraction for initial states and pre-images.
//!
//! [`forall`] turns `forall v. F` into an equivalent quantifier-free formula or says why it cannot. The
//! quantifier is first pushed inwards: through conjunctions, past disjuncts that do not mention `v`, away by
//! the one-point rule (`v != t or D(v)` is `D(t)`). What is left are small disjunctions, and these are
//! replaced by the conjunction of their instances at finitely many test points (`points`):
//! - integers: Cooper's test points; bounds with coefficients become quotients (`3v >= t` is `v >= -((-t) div
//!   3)`), so that no divisibility constraints arise. `div` and `mod` of `v` are removed before by writing
//!   `v` as `m*q + r` (`lift`);
//! - rationals: Loos and Weispfenning's virtual substitution of minus infinity and `t + epsilon`;
//! - bit-vectors: the points where a comparison of `v` (or of `v` plus something) changes its value around
//!   the circle;
//! - Booleans: both values; arrays that are only read: an element for each read.
//!
//! Every step is an equivalence: there is no over- or under-approximation. What needs a solver is elsewhere:
//! model-based projection in `palisade_smt::project`, of linear constraints in `palisade_arith::mbp`.
//!
//! Entry points: [`forall`], [`exists`].

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod bounds;
mod lift;
mod points;

use palisade_term::{Mentions, Op, Sort, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

/// Bound on the terms that the elimination of the variables of one formula may create.
const MAX_TERMS: usize = 200_000;

/// Bound on the terms that are looked at to find those that depend on one variable by cases. Floating-point
/// circuits depend on their operands in nothing but cases, and share them all.
const MAX_LOOKS: usize = 1_000_000;

/// `forall vars. f` without quantifiers, or why there is none.
pub fn forall(pool: &TermPool, vars: &[Term], f: Term) -> Result<Term, String> {
    forall_within(pool, vars, f, MAX_TERMS)
}

/// As [`forall`], creating not many more terms than allowed.
pub fn forall_within(pool: &TermPool, vars: &[Term], f: Term, max_terms: usize) -> Result<Term, String> {
    if vars.is_empty() || pool.as_bool(f).is_some() {
        return Ok(f);
    }
    let end = pool.len() + max_terms.min(MAX_TERMS);
    let present = pool.free_vars(f);
    let mut left: Vec<Term> = vars.iter().copied().filter(|v| present.contains(v)).collect();
    // Booleans are cheapest, arrays become elements.
    left.sort_by_key(|&v| match pool.sort(v) {
        Sort::Bool => 0,
        Sort::Array(_) => 1,
        _ => 2,
    });
    let mut f = f;
    // A variable that resists may give way once others are gone.
    while !left.is_empty() {
        let mut failed = Vec::new();
        let mut reason = String::new();
        let before = left.len();
        for v in std::mem::take(&mut left) {
            match (Eliminator::new(pool, v, end)).forall(f) {
                Ok((g, fresh)) => {
                    f = g;
                    failed.extend(fresh);
                }
                Err(why) => {
                    reason = why;
                    failed.push(v);
                }
            }
        }
        if failed.len() >= before && !reason.is_empty() {
            return Err(reason);
        }
        left = failed;
    }
    Ok(f)
}

/// `exists vars. f` without quantifiers, or why there is none.
pub fn exists(pool: &TermPool, vars: &[Term], f: Term) -> Result<Term, String> {
    exists_within(pool, vars, f, MAX_TERMS)
}

/// As [`exists`], creating not many more terms than allowed.
pub fn exists_within(pool: &TermPool, vars: &[Term], f: Term, max_terms: usize) -> Result<Term, String> {
    Ok(pool.not(forall_within(pool, vars, pool.not(f), max_terms)?))
}

/// The elimination of one variable from one formula.
struct Eliminator<'a> {
    pool: &'a TermPool,
    v: Term,
    /// Whether a term mentions `v`.
    mentions: Mentions<'a>,
    /// The pool may grow to this many terms.
    end: usize,
    /// So many terms may still be looked at.
    looks: usize,
}

/// How the quantifier is pushed into a formula.
enum Plan {
    /// It is gone.
    Done(Term),
    /// `free or (and of forall v. part)`.
    Parts { free: Vec<Term>, parts: Vec<Term> },
}

impl<'a> Eliminator<'a> {
    fn new(pool: &'a TermPool, v: Term, end: usize) -> Self {
        Eliminator { pool, v, mentions: Mentions::new(pool, [v]), end, looks: MAX_LOOKS }
    }

    /// `forall v. f`, and variables that were introduced and remain to be eliminated.
    fn forall(&mut self, f: Term) -> Result<(Term, Vec<Term>), String> {
        if !self.has(f) {
            return Ok((f, Vec::new()));
        }
        let lifted = self.lift(f)?;
        let root = self.pool.nnf(lifted.formula);
        if lifted.variable != self.v {
            // Written in terms of another variable, which takes the place of `v`.
            self.replace_variable(lifted.variable);
        }
        Ok((self.push_inwards(root)?, lifted.others))
    }

    fn push_inwards(&mut self, root: Term) -> Result<Term, String> {
        let mut done: FxHashMap<Term, Term> = FxHashMap::default();
        let mut plans: FxHashMap<Term, (Vec<Term>, Vec<Term>)> = FxHashMap::default();
        let mut stack = vec![root];
        while let Some(&f) = stack.last() {
            if done.contains_key(&f) {
                stack.pop();
                continue;
            }
            let Some((free, parts)) = plans.get(&f) else {
                match self.plan(f)? {
                    Plan::Done(g) => {
                        done.insert(f, g);
                        stack.pop();
                    }
                    Plan::Parts { free, parts } => {
                        stack.extend(parts.iter().filter(|p| !done.contains_key(*p)));
                        plans.insert(f, (free, parts));
                    }
                }
                continue;
            };
            let conjunction = bounds::and(self.pool, parts.iter().map(|p| done[p]));
            let g = bounds::or(self.pool, free.iter().copied().chain([conjunction]));
            done.insert(f, g);
            stack.pop();
        }
        Ok(done[&root])
    }

    /// `f` is in negation normal form.
    fn plan(&mut self, f: Term) -> Result<Plan, String> {
        let pool = self.pool;
        if !self.has(f) {
            return Ok(Plan::Done(f));
        }
        if pool.len() > self.end {
            return Err("quantifier elimination grew too large".into());
        }
        match pool.op(f) {
            Op::And => Ok(Plan::Parts { free: Vec::new(), parts: pool.args(f).to_vec() }),
            Op::Or => self.plan_disjunction(f),
            _ => Ok(Plan::Done(self.instances(f)?)),
        }
    }

    fn plan_disjunction(&mut self, f: Term) -> Result<Plan, String> {
        let pool = self.pool;
        let (bound, free): (Vec<Term>, Vec<Term>) = pool.disjuncts(f).into_iter().partition(|&d| self.has(d));
        if bound.len() == 1 {
            return Ok(Plan::Parts { free, parts: bound });
        }
        // One-point rule: v != t or D(v).
        if let Some((k, t)) =
            bound.iter().enumerate().find_map(|(k, &d)| self.differs_from(d).map(|t| (k, t)))
        {
            let map = FxHashMap::from_iter([(self.v, t)]);
            let rest =
                bound.iter().enumerate().filter(|(i, _)| *i != k).map(|(_, &d)| pool.substitute(d, &map));
            return Ok(Plan::Done(bounds::or(pool, rest.chain(free))));
        }
        // Literals beside one conjunction: distribute, so that each part has few test points.
        let (conjunctions, literals): (Vec<Term>, Vec<Term>) =
            bound.iter().partition(|&&d| *pool.op(d) == Op::And);
        if let [conjunction] = conjunctions[..]
            && literals.iter().all(|&l| pool.is_literal(l))
        {
            let parts = pool.conjuncts(conjunction);
            let parts =
                parts.into_iter().map(|c| bounds::or(pool, literals.iter().copied().chain([c]))).collect();
            return Ok(Plan::Parts { free, parts });
        }
        let instances = self.instances(pool.or(bound))?;
        Ok(Plan::Done(bounds::or(pool, free.into_iter().chain([instances]))))
    }

    /// For a literal `v != t` with `v` not in `t`: that `t`.
    fn differs_from(&self, literal: Term) -> Option<Term> {
        let definitions = self.pool.definitions(self.pool.not(literal), |x| x == self.v);
        definitions.first().map(|&(_, t)| t)
    }

    /// Does a term mention the variable?
    fn has(&mut self, t: Term) -> bool {
        self.mentions.any_in(t)
    }

    /// Goes on with another variable in the place of the first.
    fn replace_variable(&mut self, v: Term) {
        self.v = v;
        self.mentions = Mentions::new(self.pool, [v]);
    }

    /// The atoms that mention the variable, with their polarities in a formula in negation normal form.
    fn literals(&mut self, f: Term) -> Vec<(Term, bool)> {
        let mut out = Vec::new();
        let mut seen = FxHashSet::default();
        let mut stack = vec![f];
        while let Some(t) = stack.pop() {
            if !self.has(t) || !seen.insert(t) {
                continue;
            }
            match self.pool.op(t) {
                Op::And | Op::Or => stack.extend(self.pool.args(t)),
                _ => {
                    let (negated, atom) = self.pool.strip_not(t);
                    out.push((atom, !negated));
                }
            }
        }
        out.sort_unstable();
        out.dedup();
        out
    }
}
