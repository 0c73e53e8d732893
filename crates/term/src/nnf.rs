//! Negation normal form, literals, cubes and clauses.
//!
//! A literal is an atom or its negation, an atom a Boolean term that is no connective. In negation normal
//! form only `and`, `or` and literals occur. Entry point: [`TermPool::nnf`].

use rustc_hash::{FxHashMap, FxHashSet};

use crate::op::Op;
use crate::{Assignment, Sort, Term, TermPool};

impl TermPool {
    /// Is this an atom: a Boolean term without Boolean structure on top?
    pub fn is_atom(&self, t: Term) -> bool {
        match self.op(t) {
            Op::Not | Op::And | Op::Or | Op::Bool(_) => false,
            Op::Eq => *self.sort(self.args(t)[0]) != Sort::Bool,
            Op::Ite => false,
            _ => *self.sort(t) == Sort::Bool,
        }
    }

    /// Is this an atom or its negation?
    pub fn is_literal(&self, t: Term) -> bool {
        self.is_atom(self.strip_not(t).1)
    }

    /// The conjuncts of a formula, flattened.
    pub fn conjuncts(&self, t: Term) -> Vec<Term> {
        self.flatten(t, &Op::And)
    }

    /// The disjuncts of a formula, flattened.
    pub fn disjuncts(&self, t: Term) -> Vec<Term> {
        self.flatten(t, &Op::Or)
    }

    /// The conjuncts of a formula, flattened, with negated disjunctions among them opened, too.
    pub fn open_conjuncts(&self, t: Term) -> Vec<Term> {
        let mut out = Vec::new();
        let mut work = vec![t];
        while let Some(t) = work.pop() {
            for c in self.conjuncts(t) {
                match self.strip_not(c) {
                    (true, atom) if *self.op(atom) == Op::Or => {
                        work.extend(self.args(atom).iter().map(|&a| self.not(a)))
                    }
                    _ => out.push(c),
                }
            }
        }
        out
    }

    fn flatten(&self, t: Term, op: &Op) -> Vec<Term> {
        let unit = self.bool(*op == Op::And);
        let mut out = Vec::new();
        let mut seen = FxHashSet::default();
        let mut stack = vec![t];
        while let Some(u) = stack.pop() {
            if u == unit || !seen.insert(u) {
                continue;
            }
            if self.op(u) == op {
                stack.extend(self.args(u).iter().rev());
            } else {
                out.push(u);
            }
        }
        out
    }

    /// Negation normal form: only `and`, `or` and literals remain. Equivalences and Boolean `ite` are
    /// expanded, so the result can be exponentially larger as a tree, but is shared as a graph.
    pub fn nnf(&self, t: Term) -> Term {
        let mut memo: FxHashMap<(Term, bool), Term> = FxHashMap::default();
        let mut stack = vec![(t, false)];
        while let Some(&(u, neg)) = stack.last() {
            if memo.contains_key(&(u, neg)) {
                stack.pop();
                continue;
            }
            // Each case: the pairs needed, then the result from them.
            let args = self.args(u);
            let need: Vec<(Term, bool)> = match self.op(u) {
                Op::Not => vec![(args[0], !neg)],
                Op::And | Op::Or => args.iter().map(|&a| (a, neg)).collect(),
                Op::Eq if *self.sort(args[0]) == Sort::Bool => {
                    vec![(args[0], false), (args[0], true), (args[1], false), (args[1], true)]
                }
                Op::Ite if *self.sort(u) == Sort::Bool => {
                    vec![(args[0], false), (args[0], true), (args[1], neg), (args[2], neg)]
                }
                _ => Vec::new(),
            };
            let before = stack.len();
            stack.extend(need.iter().filter(|k| !memo.contains_key(*k)));
            if stack.len() > before {
                continue;
            }
            let got: Vec<Term> = need.iter().map(|k| memo[k]).collect();
            let result = match self.op(u) {
                Op::Not => got[0],
                Op::And if !neg => self.and(got),
                Op::And => self.or(got),
                Op::Or if !neg => self.or(got),
                Op::Or => self.and(got),
                Op::Eq if got.len() == 4 => {
                    let (p, np, q, nq) = (got[0], got[1], got[2], got[3]);
                    if neg {
                        self.and([self.or([p, q]), self.or([np, nq])])
                    } else {
                        self.and([self.or([np, q]), self.or([p, nq])])
                    }
                }
                Op::Ite if got.len() == 4 => self.and([self.or([got[1], got[2]]), self.or([got[0], got[3]])]),
                _ if neg => self.not(u),
                _ => u,
            };
            memo.insert((u, neg), result);
            stack.pop();
        }
        memo[&(t, false)]
    }

    /// The atoms of a formula, in ascending order; atoms inside non-Boolean `ite` conditions included.
    pub fn atoms(&self, t: Term) -> Vec<Term> {
        let mut out = Vec::new();
        self.visit([t], |u| {
            if self.is_atom(u) {
                out.push(u);
            }
        });
        out.sort_unstable();
        out
    }

    /// The cube (list of literals) of an assignment to the given atoms.
    pub fn cube_of(&self, atoms: &[Term], model: &Assignment) -> Vec<Term> {
        let mut ev = crate::eval::Evaluator::new(self, model);
        atoms.iter().map(|&a| if ev.holds(a) { a } else { self.not(a) }).collect()
    }
}
