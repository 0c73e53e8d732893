//! The abstract reachability tree: what the lazy-abstraction engines have in common.
//!
//! After Cimatti and Griggio, "Software Model Checking via IC3" (CAV 2012, §2 and Fig. 3) and McMillan, "Lazy
//! Abstraction with Interpolants" (CAV 2006). A node has a location, a formula (a conjunction of *clauses*,
//! which need not be clauses for every engine), a number, an edge from its parent, and children.
//!
//! # Invariants
//! - (i) Numbers are unique; a child's is greater than its parent's.
//! - (ii) The root is the entry location with the formula true.
//! - (iii) An expanded node has a child for every edge that leaves its location, and its formula together
//!   with the edge implies the child's formula.
//! - A node is *covered* when an uncovered node of its location with a smaller number has a formula that it
//!   implies, or when a proper ancestor is covered so. Covering a node uncovers what it and its descendants
//!   covered (what it covered itself is covered again at once); strengthening a node uncovers what it
//!   covered.
//! - A node with the formula false has no descendants: they are removed, with everything that was kept about
//!   them.
//! - Formulas only get stronger, so a state that shows that one formula does not imply another goes on to
//!   show it for as long as it satisfies the first.
//!
//! The tree is *complete* when no leaf is open, and *safe* when besides all error nodes are false. Then the
//! disjunction of the uncovered nodes' formulas is an inductive invariant ([`Art::invariants`]).
//!
//! # Parts
//! This file has the tree, [`cover`] implication and covering, [`refine`] paths of the tree, [`unwind`] the
//! search, `check` the invariants as assertions, [`proof`] the invariant of a safe tree.
//!
//! # Limits
//! Covering looks at all earlier nodes of a location; the tree is not meant for tens of thousands of nodes at
//! one location.

mod check;
pub mod cover;
pub mod options;
pub mod proof;
pub mod refine;
pub mod unwind;

use std::cell::RefCell;
use std::collections::BTreeSet;

use palisade_program::{EdgeId, Loc};
use palisade_smt::Solver;
use palisade_term::{Assignment, Term};
use rustc_hash::FxHashSet;

use crate::path::Path;
use crate::{Budget, Event, Observer, Partial, Task};

use cover::Implication;
use options::Order;

/// A node of the tree, by its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct NodeId(u32);

impl NodeId {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    /// The number that events tell.
    pub fn number(self) -> u64 {
        u64::from(self.0) + 1
    }
}

/// A node of the tree.
#[derive(Clone, Debug)]
pub struct Node {
    /// Where it stands.
    pub location: Loc,
    /// Its formula, as conjuncts. The formula false is the one conjunct false.
    pub clauses: Vec<Term>,
    /// The node above and the edge from there.
    pub parent: Option<(NodeId, EdgeId)>,
    /// The nodes below, once it is expanded.
    pub children: Vec<NodeId>,
    /// The number of edges from the root.
    pub depth: u32,
    expanded: bool,
    covered_by: Option<NodeId>,
    covers: Vec<NodeId>,
    /// States of its formula that showed that it implied some other formula not.
    samples: Vec<Assignment>,
    /// Has it changed since it was last tried to be covered?
    changed: bool,
    /// How often its formula got stronger.
    version: u64,
    /// The ancestors whose clauses it was tried with, and [`Art::path_version`] of that time.
    tried: Vec<(NodeId, u64)>,
    /// When it was last tried to be covered, and when it last was uncovered, directly or above.
    closed_at: u64,
    uncovered_at: u64,
}

/// Counters of a tree.
#[derive(Clone, Copy, Debug, Default)]
pub struct ArtStats {
    /// Nodes made.
    pub nodes: u64,
    /// Nodes removed again.
    pub removed: u64,
    /// Times a node was covered.
    pub covers: u64,
    /// Of these, after its formula was strengthened for that.
    pub forced: u64,
    /// Times a node was uncovered.
    pub uncovers: u64,
    /// Clauses added to nodes.
    pub strengthened: u64,
    /// Implications shown or refuted without the solver.
    pub cheap: u64,
    /// Implications asked of the solver.
    pub queries: u64,
    /// Implications along paths asked of the solver.
    pub path_queries: u64,
    /// Paths between nodes that were given up because a query was not decided.
    pub undecided: u64,
    /// The longest path.
    pub longest: u32,
}

/// An abstract reachability tree.
pub struct Art<'a, 'o> {
    /// The task.
    pub task: Task<'a>,
    /// The budget.
    pub budget: Budget,
    /// Who is told what happens.
    pub observer: &'o mut dyn Observer,
    /// Counters.
    pub stats: ArtStats,
    /// Removed nodes leave a hole.
    nodes: Vec<Option<Box<Node>>>,
    /// The nodes of each location, oldest first.
    at: Vec<Vec<NodeId>>,
    open: BTreeSet<(u64, NodeId)>,
    order: Order,
    outgoing: Vec<Vec<EdgeId>>,
    /// The fewest edges to the error location.
    to_error: Vec<u32>,
    implication: Implication<'a>,
    /// Counts the tries to cover and the uncoverings.
    clock: u64,
    /// When a node of a location was last uncovered.
    uncovered_at: Vec<u64>,
    /// Invariants that every node of a location starts with.
    background: Vec<Vec<Term>>,
    /// Did the budget end during the background analyses?
    background_stopped: bool,
    /// What the assertions have already shown to be unsatisfiable.
    checked: RefCell<FxHashSet<Term>>,
}

impl<'a, 'o> Art<'a, 'o> {
    /// The tree of the root alone.
    pub fn new(task: &Task<'a>, budget: &Budget, observer: &'o mut dyn Observer) -> Self {
        let program = task.program;
        let to_error = distances_to_error(task);
        let mut outgoing = program.outgoing();
        for edges in &mut outgoing {
            // Depth-first search takes the newest child first: that shall be the one nearest to the error,
            // and of several the first edge.
            edges.sort_by_key(|&e| std::cmp::Reverse((to_error[program.edge(e).target.index()], e)));
            // A child that cannot reach the error needs no proof.
            edges.retain(|&e| to_error[program.edge(e).target.index()] != u32::MAX);
        }
        let mut art = Art {
            task: *task,
            budget: budget.clone(),
            observer,
            stats: ArtStats::default(),
            nodes: Vec::new(),
            at: vec![Vec::new(); program.locations.len()],
            open: BTreeSet::new(),
            order: task.options.art.order,
            outgoing,
            to_error,
            implication: Implication::new(task, budget),
            clock: 0,
            uncovered_at: vec![0; program.locations.len()],
            background: vec![Vec::new(); program.locations.len()],
            background_stopped: false,
            checked: RefCell::default(),
        };
        if task.options.art.background {
            art.add_background();
            art.background_stopped = art.budget.check().is_err();
        }
        art.add(program.entry, None);
        art
    }

    /// What the background analyses find joins the formula of every new node. They are inductive together, so
    /// point (iii) holds.
    fn add_background(&mut self) {
        for (location, formula) in crate::background::invariants(&self.task, &self.budget) {
            if location != self.task.program.entry && location != self.task.program.error {
                let known = &mut self.background[location.index()];
                if formula == self.task.pool.fls() {
                    known.clear();
                }
                if known.first() != Some(&self.task.pool.fls()) {
                    known.push(formula);
                }
                self.observer.event(Event::Lemma { level: None, location, formula, by: "background" });
            }
        }
    }

    /// The clauses that a node starts with.
    pub fn background(&self, l: Loc) -> &[Term] {
        &self.background[l.index()]
    }

    /// A node that has not been removed.
    pub fn node(&self, v: NodeId) -> &Node {
        self.nodes[v.index()].as_ref().expect("the node has not been removed")
    }

    fn node_mut(&mut self, v: NodeId) -> &mut Node {
        self.nodes[v.index()].as_mut().expect("the node has not been removed")
    }

    /// Is the node still there?
    pub fn exists(&self, v: NodeId) -> bool {
        self.nodes[v.index()].is_some()
    }

    /// The nodes of a location, oldest first.
    pub fn nodes_at(&self, l: Loc) -> &[NodeId] {
        &self.at[l.index()]
    }

    /// The formula of a node.
    pub fn formula(&self, v: NodeId) -> Term {
        self.task.pool.and(self.node(v).clauses.iter().copied())
    }

    /// Is its formula false?
    pub fn is_false(&self, v: NodeId) -> bool {
        self.node(v).clauses.first() == Some(&self.task.pool.fls())
    }

    /// Has it been expanded?
    pub fn is_expanded(&self, v: NodeId) -> bool {
        self.node(v).expanded
    }

    fn add(&mut self, location: Loc, parent: Option<(NodeId, EdgeId)>) -> NodeId {
        let v = NodeId(u32::try_from(self.nodes.len()).expect("fewer than 2^32 nodes"));
        let depth = parent.map_or(0, |(p, _)| self.node(p).depth + 1);
        self.nodes.push(Some(Box::new(Node {
            location,
            clauses: self.background[location.index()].clone(),
            parent,
            children: Vec::new(),
            depth,
            expanded: false,
            covered_by: None,
            covers: Vec::new(),
            samples: Vec::new(),
            changed: true,
            version: 0,
            tried: Vec::new(),
            closed_at: 0,
            uncovered_at: 0,
        })));
        self.at[location.index()].push(v);
        self.stats.nodes += 1;
        self.stats.longest = self.stats.longest.max(depth);
        self.reopen(v);
        let parent = parent.map(|(p, _)| p.number());
        self.observer.event(Event::Node { id: v.number(), parent, location });
        v
    }

    /// Gives a leaf its children, one for each edge; they are open and have the formula true.
    pub fn expand(&mut self, v: NodeId) -> Vec<NodeId> {
        debug_assert!(!self.is_expanded(v) && !self.is_false(v));
        let edges = self.outgoing[self.node(v).location.index()].clone();
        let children: Vec<NodeId> =
            edges.iter().map(|&e| self.add(self.task.program.edge(e).target, Some((v, e)))).collect();
        let node = self.node_mut(v);
        node.expanded = true;
        node.children.clone_from(&children);
        children
    }

    /// The next open leaf that is not covered.
    pub fn next_leaf(&mut self) -> Option<NodeId> {
        while let Some((_, v)) = self.open.pop_first() {
            // Uncovering opens the leaves below again.
            if self.exists(v) && !self.is_expanded(v) && !self.is_false(v) && !self.is_covered(v) {
                return Some(v);
            }
        }
        None
    }

    /// Puts a leaf among the open ones.
    pub fn reopen(&mut self, v: NodeId) {
        let node = self.node(v);
        let rank = match self.order {
            Order::DepthFirst => u64::MAX - v.number(),
            Order::BreadthFirst => u64::from(node.depth),
            Order::Distance => u64::from(self.to_error[node.location.index()]),
        };
        self.open.insert((rank, v));
    }

    /// Adds a clause to a node's formula, unless the formula implies it: did it change? What the node covered
    /// is uncovered.
    ///
    /// The caller sees to it that the clause holds after the edge from the parent, and that those below still
    /// follow (a stronger formula above always does).
    pub fn strengthen(&mut self, v: NodeId, clause: Term) -> bool {
        let pool = self.task.pool;
        if clause == pool.tru() || self.is_false(v) || self.implies_clause(v, clause) {
            return false;
        }
        self.stats.strengthened += 1;
        if clause == pool.fls() {
            self.refute(v);
            return true;
        }
        let location = self.node(v).location;
        self.observer.event(Event::Strengthened { id: v.number(), location, clause });
        self.uncover_all_by(v);
        let node = self.node_mut(v);
        node.changed = true;
        node.version += 1;
        node.clauses.retain(|&c| !cover::clause_implies(pool, clause, c));
        node.clauses.push(clause);
        node.samples.retain(|s| pool.holds(clause, s));
        true
    }

    /// Replaces a leaf's formula by a stronger one.
    pub fn relabel(&mut self, v: NodeId, clauses: Vec<Term>) {
        let pool = self.task.pool;
        if clauses.contains(&pool.fls()) {
            return self.refute(v);
        }
        self.uncover_all_by(v);
        let formula = pool.and(clauses.iter().copied());
        if formula != pool.tru() {
            let location = self.node(v).location;
            self.observer.event(Event::Strengthened { id: v.number(), location, clause: formula });
        }
        let node = self.node_mut(v);
        node.changed = true;
        node.version += 1;
        node.clauses = clauses;
        node.samples.retain(|s| pool.holds(formula, s));
    }

    /// Makes a node's formula false and removes what is below.
    pub fn refute(&mut self, v: NodeId) {
        let (pool, location) = (self.task.pool, self.node(v).location);
        self.observer.event(Event::Strengthened { id: v.number(), location, clause: pool.fls() });
        self.uncover_all_by(v);
        self.remove_below(v);
        let node = self.node_mut(v);
        node.clauses = vec![pool.fls()];
        node.samples.clear();
        node.changed = false;
        self.release(v);
    }

    /// Ends a node's being covered, without opening anything.
    fn release(&mut self, v: NodeId) {
        if let Some(w) = self.node_mut(v).covered_by.take()
            && self.exists(w)
        {
            self.node_mut(w).covers.retain(|&x| x != v);
        }
    }

    /// Removes all descendants of a node, which becomes a leaf again.
    pub fn remove_below(&mut self, v: NodeId) {
        let mut work = std::mem::take(&mut self.node_mut(v).children);
        self.node_mut(v).expanded = false;
        let mut gone = Vec::new();
        while let Some(x) = work.pop() {
            work.extend(self.node(x).children.iter().copied());
            gone.push(x);
        }
        for &x in &gone {
            self.release(x);
            self.uncover_all_by(x);
        }
        for &x in &gone {
            let location = self.node(x).location;
            self.nodes[x.index()] = None;
            let here = &mut self.at[location.index()];
            if let Ok(i) = here.binary_search(&x) {
                here.remove(i);
            }
        }
        self.stats.removed += gone.len() as u64;
        if !gone.is_empty() {
            let location = self.node(v).location;
            self.observer.event(Event::Removed { id: v.number(), location, nodes: gone.len() as u64 });
        }
    }

    /// The nodes from an ancestor (or the root) to a node, both included.
    pub fn nodes_from(&self, ancestor: Option<NodeId>, v: NodeId) -> Vec<NodeId> {
        let mut nodes = vec![v];
        let mut here = v;
        while Some(here) != ancestor
            && let Some((p, _)) = self.node(here).parent
        {
            nodes.push(p);
            here = p;
        }
        nodes.reverse();
        nodes
    }

    /// The path of edges through nodes that follow each other.
    pub fn path(&self, nodes: &[NodeId]) -> Path<'a> {
        let edges = nodes[1..].iter().map(|&x| self.node(x).parent.expect("not the root").1).collect();
        Path::new(&self.task, self.node(nodes[0]).location, edges)
    }

    /// The proper ancestors of a node at its own location, nearest first.
    pub fn ancestors_at_location(&self, v: NodeId) -> impl Iterator<Item = NodeId> {
        let parent = |x: &NodeId| self.node(*x).parent.map(|(p, _)| p);
        let location = self.node(v).location;
        std::iter::successors(Some(v), parent).skip(1).filter(move |&p| self.node(p).location == location)
    }

    /// Rises whenever a formula from an ancestor to a node, both included, gets stronger.
    fn path_version(&self, ancestor: NodeId, v: NodeId) -> u64 {
        self.nodes_from(Some(ancestor), v).iter().map(|&x| self.node(x).version).sum()
    }

    /// Were the clauses of this ancestor tried at the node, and has no formula on the path changed since?
    pub fn is_tried(&self, ancestor: NodeId, v: NodeId) -> bool {
        let tried = self.node(v).tried.iter().find(|(p, _)| *p == ancestor);
        tried.is_some_and(|&(_, version)| version == self.path_version(ancestor, v))
    }

    /// Notes that the clauses of this ancestor were tried at the node.
    pub fn set_tried(&mut self, ancestor: NodeId, v: NodeId) {
        let version = self.path_version(ancestor, v);
        let tried = &mut self.node_mut(v).tried;
        tried.retain(|(p, _)| *p != ancestor);
        tried.push((ancestor, version));
    }

    /// The nearest node that both have above them (or are).
    pub fn common_ancestor(&self, mut v: NodeId, mut w: NodeId) -> NodeId {
        while v != w {
            // A parent's number is smaller than its child's.
            if v > w {
                v = self.node(v).parent.expect("the root is above every node").0;
            } else {
                w = self.node(w).parent.expect("the root is above every node").0;
            }
        }
        v
    }

    /// A fresh solver for a query that may fail.
    fn limited_solver(&self) -> Box<dyn Solver + 'a> {
        let steps = self.task.options.path.steps;
        self.task.solver(&self.budget, (steps > 0).then_some(steps))
    }

    /// What is known when the run ends without an answer, while it was busy with a path of these locations.
    pub fn partial(&self, busy: &[Loc]) -> Partial {
        let s = self.stats;
        let note = if self.background_stopped {
            "the background analyses did not finish; no node was made".into()
        } else {
            format!(
                "{} nodes ({} removed), {} covers, longest path {}",
                s.nodes, s.removed, s.covers, s.longest
            )
        };
        let stuck_at = stuck_at(busy, self.task.program.error);
        Partial { stuck_at, notes: vec![note], ..Partial::default() }
    }

    /// Tells the counters.
    pub fn report(&mut self) {
        let s = self.stats;
        let counters = [
            ("nodes", s.nodes),
            ("nodes removed", s.removed),
            ("covers", s.covers),
            ("forced covers", s.forced),
            ("uncovers", s.uncovers),
            ("clauses added to nodes", s.strengthened),
            ("implications decided without the solver", s.cheap),
            ("implications asked", s.queries),
            ("implications along paths asked", s.path_queries),
            ("paths between nodes not decided", s.undecided),
            ("longest path", u64::from(s.longest)),
            ("bytes of the tree", self.bytes()),
        ];
        for (name, value) in counters {
            self.observer.event(Event::Counter(name, value));
        }
    }

    /// An estimate of the memory that the tree takes: the nodes with what they own, the lists of them, and
    /// the solvers that compare their formulas. Terms belong to the pool.
    fn bytes(&self) -> u64 {
        let node = |n: &Node| {
            let lists = 4 * (n.clauses.capacity() + n.children.capacity() + n.covers.capacity());
            let samples: usize = n.samples.iter().map(|s| 64 + 48 * s.len()).sum();
            size_of::<Node>() + lists + 16 * n.tried.capacity() + samples
        };
        let nodes: usize = self.nodes.iter().flatten().map(|n| node(n)).sum();
        let lists = 8 * self.nodes.capacity() + self.at.iter().map(|at| 4 * at.capacity()).sum::<usize>();
        (nodes + lists + 16 * self.open.len()) as u64 + self.implication.bytes()
    }
}

/// The loop that a path goes through: the location that occurs on it most often, of several the first. A path
/// that visits no location twice is stuck at its end, or before that if its end is the error location.
fn stuck_at(path: &[Loc], error: Loc) -> Option<Loc> {
    let times = |l: Loc| path.iter().filter(|&&m| m == l).count();
    let mut inner = path.iter().copied().filter(|&l| l != error);
    let most = inner.clone().map(times).max()?;
    if most > 1 { inner.find(|&l| times(l) == most) } else { inner.next_back() }
}

/// The fewest edges from each location to the error location; `u32::MAX` where there is no way.
fn distances_to_error(task: &Task<'_>) -> Vec<u32> {
    let program = task.program;
    let incoming = program.incoming();
    let mut distance = vec![u32::MAX; program.locations.len()];
    distance[program.error.index()] = 0;
    let mut queue = std::collections::VecDeque::from([program.error]);
    while let Some(l) = queue.pop_front() {
        for &e in &incoming[l.index()] {
            let source = program.edge(e).source;
            if distance[source.index()] == u32::MAX {
                distance[source.index()] = distance[l.index()] + 1;
                queue.push_back(source);
            }
        }
    }
    distance
}
