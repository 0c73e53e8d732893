//! Traversals that rebuild or inspect: substitution, priming, free variables, rebuilding a node.
//!
//! All are iterative and visit a shared subterm once. What changes is built anew by the simplifying builders,
//! so results are in normal form. [`TermPool::rewrite`] is the loop under the others; [`Substitution`] keeps
//! its memory between terms.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use crate::op::{Op, Version};
use crate::{Sort, Term, TermPool};

impl TermPool {
    /// Builds a node anew from its operator and (possibly changed) arguments, through the simplifying
    /// builders.
    pub fn rebuild(&self, op: &Op, args: &[Term], sort: &Sort) -> Term {
        match op {
            Op::Var(..) | Op::Bool(_) | Op::Int(_) | Op::Real(_) | Op::BitVec(_) => {
                self.intern(op.clone(), args, sort.clone())
            }
            Op::Not => self.not(args[0]),
            Op::And => self.and(args.iter().copied()),
            Op::Or => self.or(args.iter().copied()),
            Op::Eq => self.eq(args[0], args[1]),
            Op::Ite => self.ite(args[0], args[1], args[2]),
            Op::Add => self.add(args.iter().copied()),
            Op::Mul => args[1..].iter().fold(args[0], |p, &a| self.mul(p, a)),
            Op::Div => self.div(args[0], args[1]),
            Op::IntDiv => self.int_div(args[0], args[1]),
            Op::Mod => self.int_mod(args[0], args[1]),
            Op::ToReal => self.to_real(args[0]),
            Op::ToInt => self.to_int(args[0]),
            Op::Le => self.le(args[0], args[1]),
            Op::Lt => self.lt(args[0], args[1]),
            Op::Concat => self.concat(args[0], args[1]),
            Op::Extract(h, l) => self.extract(*h, *l, args[0]),
            Op::ZeroExtend(n) => self.zero_extend(*n, args[0]),
            Op::SignExtend(n) => self.sign_extend(*n, args[0]),
            Op::BvNot => self.bv_not(args[0]),
            Op::BvNeg => self.bv_neg(args[0]),
            Op::BvAnd => self.bv_and(args[0], args[1]),
            Op::BvOr => self.bv_or(args[0], args[1]),
            Op::BvXor => self.bv_xor(args[0], args[1]),
            Op::BvAdd => self.bv_add(args[0], args[1]),
            Op::BvMul => self.bv_mul(args[0], args[1]),
            Op::BvUdiv => self.bv_udiv(args[0], args[1]),
            Op::BvUrem => self.bv_urem(args[0], args[1]),
            Op::BvSdiv => self.bv_sdiv(args[0], args[1]),
            Op::BvSrem => self.bv_srem(args[0], args[1]),
            Op::BvSmod => self.bv_smod(args[0], args[1]),
            Op::BvShl => self.bv_shl(args[0], args[1]),
            Op::BvLshr => self.bv_lshr(args[0], args[1]),
            Op::BvAshr => self.bv_ashr(args[0], args[1]),
            Op::BvUlt => self.bv_ult(args[0], args[1]),
            Op::BvUle => self.bv_ule(args[0], args[1]),
            Op::BvSlt => self.bv_slt(args[0], args[1]),
            Op::BvSle => self.bv_sle(args[0], args[1]),
            Op::BvToInt => self.bv_to_int(args[0]),
            Op::IntToBv(w) => self.int_to_bv(*w, args[0]),
            Op::Select => self.select(args[0], args[1]),
            Op::Store => self.store(args[0], args[1], args[2]),
            Op::ConstArray => self.const_array(sort, args[0]),
        }
    }

    /// Replaces variables (or any subterms) by terms of the same sort, simultaneously.
    pub fn substitute(&self, t: Term, map: &FxHashMap<Term, Term>) -> Term {
        if map.is_empty() {
            return t;
        }
        Substitution::new(self, map).apply(t)
    }

    /// Replaces every plain variable by its given version: `Version::Primed` primes a formula.
    pub fn version_all(&self, t: Term, version: Version) -> Term {
        self.transform(t, |pool, u| match pool.op(u) {
            Op::Var(_, Version::Plain) => Some(pool.with_version(u, version)),
            _ => None,
        })
    }

    /// Replaces every primed variable by the plain one.
    pub fn unprime(&self, t: Term) -> Term {
        self.transform(t, |pool, u| match pool.op(u) {
            Op::Var(_, Version::Primed) => Some(pool.with_version(u, Version::Plain)),
            _ => None,
        })
    }

    /// Rebuilds a term bottom-up; `f` gives the replacement of a subterm (asked before its arguments are
    /// visited) or `None` to descend.
    pub fn transform(&self, t: Term, mut f: impl FnMut(&TermPool, Term) -> Option<Term>) -> Term {
        let mut memo = FxHashMap::default();
        self.rewrite(t, &mut memo, &mut f)
    }

    /// As [`TermPool::transform`], with the results of earlier calls for the same `f`.
    pub fn rewrite(
        &self,
        root: Term,
        memo: &mut FxHashMap<Term, Term>,
        f: &mut impl FnMut(&TermPool, Term) -> Option<Term>,
    ) -> Term {
        let mut stack = vec![root];
        let mut new_args: Vec<Term> = Vec::new();
        while let Some(&t) = stack.last() {
            if memo.contains_key(&t) {
                stack.pop();
                continue;
            }
            if let Some(u) = f(self, t) {
                assert_eq!(self.sort(t), self.sort(u), "a replacement has the sort of what it replaces");
                memo.insert(t, u);
                stack.pop();
                continue;
            }
            let node = self.node(t);
            let before = stack.len();
            for a in &node.args {
                if !memo.contains_key(a) {
                    stack.push(*a);
                }
            }
            if stack.len() > before {
                continue;
            }
            new_args.clear();
            new_args.extend(node.args.iter().map(|a| memo[a]));
            let u =
                if new_args[..] == node.args[..] { t } else { self.rebuild(&node.op, &new_args, &node.sort) };
            memo.insert(t, u);
            stack.pop();
        }
        memo[&root]
    }

    /// Visits every distinct subterm once, arguments before the terms built from them.
    pub fn visit(&self, roots: impl IntoIterator<Item = Term>, mut f: impl FnMut(Term)) {
        let mut marks = self.marks();
        let mut stack: Vec<(Term, bool)> = Vec::new();
        for root in roots {
            stack.push((root, false));
            while let Some((t, done)) = stack.pop() {
                if done {
                    f(t);
                } else if marks.insert(t) {
                    stack.push((t, true));
                    stack.extend(self.args(t).iter().rev().map(|&a| (a, false)));
                }
            }
        }
        self.give_back(marks);
    }

    /// The variables (of all versions) in a term.
    pub fn free_vars(&self, t: Term) -> BTreeSet<Term> {
        let mut out = BTreeSet::new();
        self.visit([t], |u| {
            if self.is_var(u) {
                out.insert(u);
            }
        });
        out
    }

    /// The number of distinct subterms.
    pub fn dag_size(&self, t: Term) -> usize {
        let mut n = 0;
        self.visit([t], |_| n += 1);
        n
    }
}

/// A substitution whose results are remembered, for applying one map to many terms.
pub struct Substitution<'p, 'm> {
    pool: &'p TermPool,
    map: &'m FxHashMap<Term, Term>,
    memo: FxHashMap<Term, Term>,
}

impl<'p, 'm> Substitution<'p, 'm> {
    /// Prepares a substitution.
    pub fn new(pool: &'p TermPool, map: &'m FxHashMap<Term, Term>) -> Self {
        Substitution { pool, map, memo: FxHashMap::default() }
    }

    /// The term with the substitution applied.
    pub fn apply(&mut self, t: Term) -> Term {
        let map = self.map;
        self.pool.rewrite(t, &mut self.memo, &mut |_, u| map.get(&u).copied())
    }
}
