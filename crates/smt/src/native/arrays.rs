//! Arrays by instances of axioms on demand.
//!
//! Formulas are freed of arrays before they are encoded: a read becomes a fresh variable of the element sort,
//! an equality between arrays a fresh Boolean, a choice between arrays a fresh array with two conditional
//! equalities. What the fresh variables mean is enforced lazily, on candidate models, after Christ and
//! Hoenicke ("Weakly equivalent arrays", FroCoS 2015): arrays are nodes; a true equality joins two nodes at
//! every index, a write joins its result and its argument at every index but one. Two reads at equal indices
//! from nodes that are joined at that index must agree; if they do not, the path between them is the lemma.
//! No new reads are made for this, except one witness for each equality that may be false.
//!
//! When nothing is violated, the joined classes are the array values of the model.

mod examine;

use palisade_proof::{ArrayFact, Definition, Meaning};
use palisade_term::{Op, Sort, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

pub(crate) use examine::{Finding, Scene};

/// Rewritten terms that are remembered in any case.
const MEMO: usize = 20_000;

/// What was replaced by what.
pub(crate) struct Arrays<'p> {
    pool: &'p TermPool,
    memo: FxHashMap<Term, Term>,
    /// The size at which unchanged terms are forgotten.
    memo_limit: usize,
    /// Fresh variables of reads: array and index.
    reads: FxHashMap<Term, (Term, Term)>,
    read_of: FxHashMap<(Term, Term), Term>,
    /// Fresh Booleans of equalities between arrays.
    equalities: FxHashMap<Term, (Term, Term)>,
    /// Fresh arrays of choices: condition and branches.
    choices: FxHashMap<Term, (Term, Term, Term)>,
    /// The index at which the arrays of an equality differ if they do, and the equality of such an index.
    witnesses: FxHashMap<Term, Term>,
    compared_at: FxHashMap<Term, Term>,
    fresh: FxHashSet<Term>,
    /// What each lemma says, for proofs, if they are kept.
    facts: Option<FxHashMap<Term, ArrayFact>>,
}

impl<'p> Arrays<'p> {
    pub fn new(pool: &'p TermPool, proofs: bool) -> Self {
        Arrays {
            pool,
            memo: FxHashMap::default(),
            memo_limit: MEMO,
            reads: FxHashMap::default(),
            read_of: FxHashMap::default(),
            equalities: FxHashMap::default(),
            choices: FxHashMap::default(),
            witnesses: FxHashMap::default(),
            compared_at: FxHashMap::default(),
            fresh: FxHashSet::default(),
            facts: proofs.then(FxHashMap::default),
        }
    }

    /// Has any formula mentioned arrays?
    pub fn is_used(&self) -> bool {
        !self.fresh.is_empty()
    }

    /// Was the variable made here?
    pub fn is_fresh(&self, t: Term) -> bool {
        self.fresh.contains(&t)
    }

    /// What a lemma says; `None` if no proofs are kept.
    pub fn fact(&self, lemma: Term) -> Option<&ArrayFact> {
        self.facts.as_ref()?.get(&lemma)
    }

    fn note(&mut self, lemma: Term, fact: impl FnOnce() -> ArrayFact) {
        if let Some(facts) = &mut self.facts {
            facts.entry(lemma).or_insert_with(fact);
        }
    }

    /// What a formula that was rewritten became.
    pub fn rewritten(&self, t: Term) -> Term {
        self.memo.get(&t).copied().unwrap_or(t)
    }

    /// The definition of a variable that was made here.
    pub fn definition(&self, var: Term) -> Option<Definition> {
        let pool = self.pool;
        let meaning = if let Some(&(a, i)) = self.reads.get(&var) {
            Meaning::Term(pool.select(a, i))
        } else if let Some(&(a, b)) = self.equalities.get(&var) {
            Meaning::Term(pool.eq(a, b))
        } else if let Some(&(c, a, b)) = self.choices.get(&var) {
            Meaning::Term(pool.ite(c, a, b))
        } else {
            let equality = self.compared_at.get(&var)?;
            let &(a, b) = self.equalities.get(equality)?;
            Meaning::Difference(a, b)
        };
        Some(Definition { var, meaning })
    }

    fn fresh_var(&mut self, prefix: &str, sort: Sort) -> Term {
        let v = self.pool.fresh_var(prefix, sort);
        self.fresh.insert(v);
        v
    }

    /// Forgets which terms stay as they are, if these are many: it can be found out again.
    pub fn forget_unchanged(&mut self) {
        if self.memo.len() > self.memo_limit {
            self.memo.retain(|t, new| t != new);
            self.memo.shrink_to_fit();
            self.memo_limit = MEMO.max(2 * self.memo.len());
        }
    }

    /// The formula with reads, equalities and choices of arrays replaced by fresh variables.
    pub fn rewrite(&mut self, root: Term) -> Term {
        if let Some(&t) = self.memo.get(&root) {
            return t;
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
            let rebuilt =
                if args[..] == node.args[..] { t } else { pool.rebuild(&node.op, &args, &node.sort) };
            let new = self.replace(rebuilt);
            self.memo.insert(t, new);
        }
        self.memo[&root]
    }

    /// Replaces the top of a term whose arguments are rewritten.
    fn replace(&mut self, t: Term) -> Term {
        if let Some(&v) = self.memo.get(&t) {
            return v;
        }
        let pool = self.pool;
        let args = pool.args(t);
        let new = match pool.op(t) {
            Op::Select => self.read(args[0], args[1]),
            Op::Eq if matches!(pool.sort(args[0]), Sort::Array(_)) => {
                let v = self.fresh_var("same", Sort::Bool);
                self.equalities.insert(v, (args[0], args[1]));
                v
            }
            Op::Ite if matches!(pool.sort(t), Sort::Array(_)) => {
                let v = self.fresh_var("choice", pool.sort(t).clone());
                self.choices.insert(v, (args[0], args[1], args[2]));
                v
            }
            _ => t,
        };
        self.memo.insert(t, new);
        new
    }

    /// The variable that stands for a read.
    fn read(&mut self, array: Term, index: Term) -> Term {
        let pool = self.pool;
        let t = pool.select(array, index);
        if *pool.op(t) != Op::Select {
            return t; // read through a write
        }
        let (array, index) = (pool.args(t)[0], pool.args(t)[1]);
        if let Some(&v) = self.read_of.get(&(array, index)) {
            return v;
        }
        let v = self.fresh_var("read", pool.sort(t).clone());
        self.reads.insert(v, (array, index));
        self.read_of.insert((array, index), v);
        v
    }
}
