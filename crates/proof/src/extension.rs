//! Definitions: new variables that stand for reads, equalities and choices of arrays, and for indices at
//! which arrays differ.
//!
//! With them a formula about arrays becomes one without: every term that is defined is replaced by its
//! variable. This changes nothing about satisfiability: a model of the asserted formulas gives each new
//! variable its value, one after the other. That needs, and [`Extension::new`] checks, that a new variable
//! occurs neither in the asserted formulas nor in its own or an earlier definition. What the variables mean
//! beyond their names is in the facts of the module `array`.

use palisade_term::{Sort, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::format::{Definition, Meaning};

/// The definitions of a proof, found sound.
pub(crate) struct Extension<'a> {
    pool: &'a TermPool,
    /// What each new variable means.
    meaning: FxHashMap<Term, &'a Meaning>,
    /// The variable for a term.
    name: FxHashMap<Term, Term>,
    memo: FxHashMap<Term, Term>,
}

impl<'a> Extension<'a> {
    /// Checks that the definitions extend every model of the asserted formulas.
    pub fn new(pool: &'a TermPool, asserted: &[Term], definitions: &'a [Definition]) -> Result<Self, String> {
        let mut out = Extension {
            pool,
            meaning: FxHashMap::default(),
            name: FxHashMap::default(),
            memo: FxHashMap::default(),
        };
        // All that a new variable must not be: it grows with the definitions.
        let mut known: FxHashSet<Term> = FxHashSet::default();
        if !definitions.is_empty() {
            visit(pool, &mut known, asserted);
        }
        for d in definitions {
            let sort = match &d.meaning {
                Meaning::Term(t) => {
                    visit(pool, &mut known, &[*t]);
                    pool.sort(*t)
                }
                Meaning::Difference(a, b) => {
                    visit(pool, &mut known, &[*a, *b]);
                    let parts = pool.sort(*a).array_parts().filter(|_| pool.sort(*a) == pool.sort(*b));
                    parts.ok_or("what is no array differs at an index")?.0
                }
            };
            if !pool.is_var(d.var) || pool.sort(d.var) != sort {
                return Err(format!("{:?} cannot stand for what it is defined as", d.var));
            }
            if !known.insert(d.var) {
                return Err(format!("{:?} is not new where it is defined", d.var));
            }
            if let Meaning::Term(t) = d.meaning {
                out.name.insert(t, d.var);
            }
            out.meaning.insert(d.var, &d.meaning);
        }
        Ok(out)
    }

    /// What a new variable means.
    pub fn meaning(&self, var: Term) -> Option<&'a Meaning> {
        self.meaning.get(&var).copied()
    }

    /// The term with everything that is defined replaced by its variable, from the inside out.
    pub fn apply(&mut self, root: Term) -> Term {
        if self.name.is_empty() {
            return root;
        }
        let pool = self.pool;
        let mut stack = vec![root];
        let mut args: Vec<Term> = Vec::new();
        while let Some(&t) = stack.last() {
            if self.memo.contains_key(&t) {
                stack.pop();
                continue;
            }
            let node = pool.node(t);
            let before = stack.len();
            stack.extend(node.args.iter().filter(|a| !self.memo.contains_key(a)));
            if stack.len() > before {
                continue;
            }
            stack.pop();
            args.clear();
            args.extend(node.args.iter().map(|a| self.memo[a]));
            let same = args[..] == node.args[..];
            let made = if same { t } else { pool.rebuild(&node.op, &args, &node.sort) };
            self.memo.insert(t, self.name.get(&made).copied().unwrap_or(made));
        }
        self.memo[&root]
    }

    /// `array[index]`, as [`Extension::apply`] makes it; `None` if the sorts do not fit.
    pub fn select(&mut self, array: Term, index: Term) -> Option<Term> {
        let (sort, _) = self.pool.sort(array).array_parts()?;
        if sort != self.pool.sort(index) {
            return None;
        }
        Some(self.apply(self.pool.select(array, index)))
    }

    /// `a = b`, as [`Extension::apply`] makes it; `None` if the sorts do not fit.
    pub fn equal(&mut self, a: Term, b: Term) -> Option<Term> {
        if self.pool.sort(a) != self.pool.sort(b) {
            return None;
        }
        Some(self.apply(self.pool.eq(a, b)))
    }
}

/// Adds all subterms of the roots.
fn visit(pool: &TermPool, seen: &mut FxHashSet<Term>, roots: &[Term]) {
    let mut work = roots.to_vec();
    while let Some(t) = work.pop() {
        if seen.insert(t) {
            work.extend(pool.args(t));
        }
    }
}

/// Has the sort more values than this?
pub(crate) fn has_more_values(sort: &Sort, n: usize) -> bool {
    match sort {
        Sort::Int | Sort::Real => true,
        Sort::BitVec(w) => *w as usize >= usize::BITS as usize - 1 || 1 << w > n,
        // At least two; what they really have is not needed.
        Sort::Bool | Sort::Array(_) => n < 2,
    }
}
