//! The term pool: interning, inspection, variables.
//!
//! Nodes live in an append-only vector of boxes, so that references to them stay valid while others are
//! added; a hash table of indices finds the one that exists. Invariant: arguments have smaller indices than
//! what is built from them.

use std::cell::RefCell;
use std::fmt;
use std::hash::{BuildHasher, Hash, Hasher};

use elsa::FrozenVec;
use hashbrown::HashTable;
use rustc_hash::{FxBuildHasher, FxHashMap};

use crate::op::{Node, Op, Symbol, Version};
use crate::{Integer, Rational, Sort};

/// A term: an index into its [`TermPool`]. Ordered by creation, so arguments come before what is built from
/// them.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Term(pub(crate) u32);

impl Term {
    /// The index of the term in its pool, dense from 0; for side tables.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl fmt::Debug for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "t{}", self.0)
    }
}

/// The store of all terms of a run. See the crate documentation for its invariants.
pub struct TermPool {
    nodes: FrozenVec<Box<Node>>,
    index: RefCell<HashTable<u32>>,
    symbols: FrozenVec<Box<str>>,
    symbol_index: RefCell<FxHashMap<Box<str>, Symbol>>,
    true_: Term,
    false_: Term,
    /// For visits that are to come.
    spare_marks: RefCell<Vec<Marks>>,
}

/// A set of terms: those with the present stamp. So a new set costs nothing.
#[derive(Default)]
pub(crate) struct Marks {
    stamp: u32,
    stamps: Vec<u32>,
}

impl Marks {
    /// Adds a term; says whether it is new.
    pub(crate) fn insert(&mut self, t: Term) -> bool {
        if self.stamps.len() <= t.index() {
            self.stamps.resize(t.index() + 1, 0);
        }
        std::mem::replace(&mut self.stamps[t.index()], self.stamp) != self.stamp
    }
}

impl Default for TermPool {
    fn default() -> Self {
        Self::new()
    }
}

fn hash_of(op: &Op, args: &[Term], sort: &Sort) -> u64 {
    let mut h = FxBuildHasher.build_hasher();
    op.hash(&mut h);
    args.hash(&mut h);
    sort.hash(&mut h);
    h.finish()
}

impl TermPool {
    /// An empty pool.
    pub fn new() -> Self {
        let mut pool = TermPool {
            nodes: FrozenVec::new(),
            index: RefCell::default(),
            symbols: FrozenVec::new(),
            symbol_index: RefCell::default(),
            true_: Term(0),
            false_: Term(0),
            spare_marks: RefCell::default(),
        };
        pool.false_ = pool.intern(Op::Bool(false), &[], Sort::Bool);
        pool.true_ = pool.intern(Op::Bool(true), &[], Sort::Bool);
        pool
    }

    /// The number of terms built so far.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Never true: the constants are always there.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// Returns the unique term for this node. Performs no simplification: use the builders.
    pub(crate) fn intern(&self, op: Op, args: &[Term], sort: Sort) -> Term {
        let hash = hash_of(&op, args, &sort);
        let mut index = self.index.borrow_mut();
        let same = |&i: &u32| {
            let n = &self.nodes[i as usize];
            n.op == op && *n.args == *args && n.sort == sort
        };
        if let Some(&i) = index.find(hash, same) {
            return Term(i);
        }
        let i = u32::try_from(self.nodes.len()).expect("fewer than 2^32 terms");
        self.nodes.push(Box::new(Node { op, args: args.into(), sort }));
        index.insert_unique(hash, i, |&j| {
            let n = &self.nodes[j as usize];
            hash_of(&n.op, &n.args, &n.sort)
        });
        Term(i)
    }

    /// The node of a term.
    pub fn node(&self, t: Term) -> &Node {
        &self.nodes[t.index()]
    }

    /// The operator of a term.
    pub fn op(&self, t: Term) -> &Op {
        &self.node(t).op
    }

    /// The arguments of a term.
    pub fn args(&self, t: Term) -> &[Term] {
        &self.node(t).args
    }

    /// An empty set of terms.
    pub(crate) fn marks(&self) -> Marks {
        let mut marks = self.spare_marks.borrow_mut().pop().unwrap_or_default();
        match marks.stamp.checked_add(1) {
            Some(stamp) => marks.stamp = stamp,
            None => marks = Marks { stamp: 1, stamps: Vec::new() },
        }
        marks
    }

    /// Takes a set back, whose memory the next one uses.
    pub(crate) fn give_back(&self, marks: Marks) {
        self.spare_marks.borrow_mut().push(marks);
    }

    /// The sort of a term.
    pub fn sort(&self, t: Term) -> &Sort {
        &self.node(t).sort
    }

    /// The width of a bit-vector term; panics for other sorts.
    pub fn width(&self, t: Term) -> u32 {
        self.sort(t).width().expect("a bit-vector term")
    }

    // ---- names and variables -------------------------------------------------------------------

    /// Interns a name.
    pub fn symbol(&self, name: &str) -> Symbol {
        let mut index = self.symbol_index.borrow_mut();
        if let Some(&s) = index.get(name) {
            return s;
        }
        let s = Symbol(u32::try_from(self.symbols.len()).expect("fewer than 2^32 names"));
        self.symbols.push(name.into());
        index.insert(name.into(), s);
        s
    }

    /// The text of a name.
    pub fn symbol_text(&self, s: Symbol) -> &str {
        &self.symbols[s.0 as usize]
    }

    /// The variable with this name and sort.
    pub fn var(&self, name: &str, sort: Sort) -> Term {
        let s = self.symbol(name);
        self.intern(Op::Var(s, Version::Plain), &[], sort)
    }

    /// A variable whose name begins with `prefix` and is not yet the name of anything in this pool.
    pub fn fresh_var(&self, prefix: &str, sort: Sort) -> Term {
        let mut n = self.symbols.len();
        loop {
            let name = format!("{prefix}!{n}");
            if !self.symbol_index.borrow().contains_key(name.as_str()) {
                return self.var(&name, sort);
            }
            n += 1;
        }
    }

    /// Is this term a variable (of any version)?
    pub fn is_var(&self, t: Term) -> bool {
        matches!(self.op(t), Op::Var(..))
    }

    /// Name and version of a variable.
    pub fn var_parts(&self, t: Term) -> Option<(Symbol, Version)> {
        match self.op(t) {
            Op::Var(s, v) => Some((*s, *v)),
            _ => None,
        }
    }

    /// The bare name of a variable, without its version; panics for other terms.
    pub fn var_name(&self, t: Term) -> &str {
        let (s, _) = self.var_parts(t).expect("a variable");
        self.symbol_text(s)
    }

    /// Another version of a variable; panics if `var` is not one.
    pub fn with_version(&self, var: Term, version: Version) -> Term {
        let (s, _) = self.var_parts(var).expect("a variable");
        self.intern(Op::Var(s, version), &[], self.sort(var).clone())
    }

    /// The next-state copy `x'` of a variable.
    pub fn primed(&self, var: Term) -> Term {
        self.with_version(var, Version::Primed)
    }

    /// The copy `x@k` of a variable at step `k`.
    pub fn at_step(&self, var: Term, k: u32) -> Term {
        self.with_version(var, Version::Step(k))
    }

    // ---- constants -----------------------------------------------------------------------------

    /// Truth.
    pub fn tru(&self) -> Term {
        self.true_
    }

    /// Falsity.
    pub fn fls(&self) -> Term {
        self.false_
    }

    /// A truth constant.
    pub fn bool(&self, b: bool) -> Term {
        if b { self.true_ } else { self.false_ }
    }

    /// An integer constant.
    pub fn int(&self, value: impl Into<Integer>) -> Term {
        self.intern(Op::Int(value.into()), &[], Sort::Int)
    }

    /// A rational constant.
    pub fn real(&self, value: Rational) -> Term {
        self.intern(Op::Real(value), &[], Sort::Real)
    }

    /// A number of the given arithmetic sort. Panics when a fraction is asked for as an integer.
    pub fn number(&self, value: Rational, sort: &Sort) -> Term {
        match sort {
            Sort::Int => {
                assert!(value.is_integer(), "an integer constant must be whole");
                self.int(value.to_integer())
            }
            Sort::Real => self.real(value),
            other => panic!("no number of sort {other}"),
        }
    }

    /// The value of a numeric constant.
    pub fn as_number(&self, t: Term) -> Option<Rational> {
        match self.op(t) {
            Op::Int(i) => Some(Rational::from_integer(i.clone())),
            Op::Real(r) => Some(r.clone()),
            _ => None,
        }
    }

    /// The value of a Boolean constant.
    pub fn as_bool(&self, t: Term) -> Option<bool> {
        match self.op(t) {
            Op::Bool(b) => Some(*b),
            _ => None,
        }
    }

    /// The (unsigned) value of a bit-vector constant.
    pub fn as_bitvec(&self, t: Term) -> Option<&Integer> {
        match self.op(t) {
            Op::BitVec(v) => Some(v),
            _ => None,
        }
    }

    /// Is this term a constant of any sort?
    pub fn is_const(&self, t: Term) -> bool {
        match self.op(t) {
            Op::Bool(_) | Op::Int(_) | Op::Real(_) | Op::BitVec(_) => true,
            Op::ConstArray => self.is_const(self.args(t)[0]),
            _ => false,
        }
    }
}
