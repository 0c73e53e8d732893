//! Path conditions as a tree, and the merging of paths that meet.
//!
//! A path condition is a chain of literals from the root. Where paths meet, their chains form a tree;
//! reducing it bottom-up gives both the condition of the meeting point (two branches `g` and `!g` of one
//! parent give back the parent) and the selection of values (`ite(g, a, b)`, not `ite` over whole path
//! conditions). So a sequence of `if`s costs what its source costs.
//!
//! Sound because paths are exclusive: at most one of the merged conditions holds for given state and inputs.

use std::collections::BTreeMap;
use std::rc::Rc;

use palisade_term::{Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

/// A path condition: an index into its arena. Greater than the indices of its ancestors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct PathCond(u32);

/// How far up a chain one looks for a literal that is already there or contradicts.
const LOOK_BACK: usize = 64;

struct Node {
    parent: PathCond,
    literal: Term,
    /// The conjunction of all literals on the chain.
    formula: Term,
}

/// The arena of the path conditions of one exploration.
pub(crate) struct PathConds<'a> {
    pool: &'a TermPool,
    nodes: Vec<Node>,
    index: FxHashMap<(PathCond, Term), PathCond>,
}

/// A part of a merge below some node: paths that continue with `literal` and reach the meeting point when
/// `rest` holds.
struct Branch {
    literal: Term,
    rest: Term,
    values: Rc<[Term]>,
}

impl<'a> PathConds<'a> {
    /// An arena with the root, `true`.
    pub fn new(pool: &'a TermPool) -> Self {
        let root = Node { parent: PathCond(0), literal: pool.tru(), formula: pool.tru() };
        PathConds { pool, nodes: vec![root], index: FxHashMap::default() }
    }

    /// The condition `true`.
    pub fn root(&self) -> PathCond {
        PathCond(0)
    }

    /// The condition as a formula.
    pub fn formula(&self, pc: PathCond) -> Term {
        self.nodes[pc.0 as usize].formula
    }

    /// The condition with one more literal; `None` when that is plainly unsatisfiable.
    pub fn extend(&mut self, pc: PathCond, literal: Term) -> Option<PathCond> {
        match self.pool.as_bool(literal) {
            Some(true) => return Some(pc),
            Some(false) => return None,
            None => {}
        }
        let negation = self.pool.not(literal);
        let mut up = pc;
        for _ in 0..LOOK_BACK {
            if up == self.root() {
                break;
            }
            let node = &self.nodes[up.0 as usize];
            if node.literal == literal {
                return Some(pc);
            }
            if node.literal == negation {
                return None;
            }
            up = node.parent;
        }
        let formula = self.pool.and2(self.formula(pc), literal);
        if formula == self.pool.fls() {
            return None;
        }
        let fresh = PathCond(u32::try_from(self.nodes.len()).expect("fewer than 2^32 path conditions"));
        let id = *self.index.entry((pc, literal)).or_insert(fresh);
        if id == fresh {
            self.nodes.push(Node { parent: pc, literal, formula });
        }
        Some(id)
    }

    /// Merges exclusive paths that meet: one condition, and values that are right whenever it holds; `None`
    /// when none is feasible.
    pub fn merge(&mut self, paths: Vec<(PathCond, Rc<[Term]>)>) -> Option<(PathCond, Rc<[Term]>)> {
        let tru = self.pool.tru();
        let mut open: BTreeMap<PathCond, Vec<Branch>> = BTreeMap::new();
        for (pc, values) in paths {
            open.entry(pc).or_default().push(Branch { literal: tru, rest: tru, values });
        }
        loop {
            let (pc, branches) = open.pop_last().expect("at least one path");
            let (rest, values) = self.reduce(branches);
            if open.is_empty() {
                // What the common ancestor lacks to be the condition of all.
                return self.extend(pc, rest).map(|pc| (pc, values));
            }
            let node = &self.nodes[pc.0 as usize];
            open.entry(node.parent).or_default().push(Branch { literal: node.literal, rest, values });
        }
    }

    /// The disjunction of branches of one node, and their values.
    fn reduce(&self, mut branches: Vec<Branch>) -> (Term, Rc<[Term]>) {
        let pool = self.pool;
        // Branches arrive from the latest to the earliest. The source's order reads better; a path that ends
        // right here goes last, untested.
        branches.reverse();
        branches.sort_by_key(|b| b.literal == pool.tru());
        if let [a, b] = &branches[..]
            && pool.not(a.literal) == b.literal
        {
            return (pool.ite(a.literal, a.rest, b.rest), self.select(a.literal, &a.values, &b.values));
        }
        let conditions: Vec<Term> = branches.iter().map(|b| pool.and2(b.literal, b.rest)).collect();
        let rest = if self.covers(&branches) { pool.tru() } else { pool.or(conditions.iter().copied()) };
        let mut values = branches.last().expect("a node is opened with a branch").values.clone();
        for (b, &c) in branches.iter().zip(&conditions).rev().skip(1) {
            values = self.select(c, &b.values, &values);
        }
        (rest, values)
    }

    fn select(&self, condition: Term, a: &Rc<[Term]>, b: &Rc<[Term]>) -> Rc<[Term]> {
        if Rc::ptr_eq(a, b) {
            return a.clone();
        }
        a.iter().zip(b.iter()).map(|(&x, &y)| self.pool.ite(condition, x, y)).collect()
    }

    /// Do the literals of complete branches plainly cover everything? So it is when one's conjuncts all have
    /// their negation among them (a `switch` with its default, or `g` and `!g`).
    fn covers(&self, branches: &[Branch]) -> bool {
        let tru = self.pool.tru();
        let complete: FxHashSet<Term> =
            branches.iter().filter(|b| b.rest == tru).map(|b| b.literal).collect();
        branches
            .iter()
            .filter(|b| b.rest == tru)
            .any(|b| self.pool.conjuncts(b.literal).iter().all(|&c| complete.contains(&self.pool.not(c))))
    }
}
