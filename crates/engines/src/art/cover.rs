//! Covering: when the formula of one node implies that of another.
//!
//! Implication is decided in three steps, cheapest first: a state kept from an earlier query that satisfies
//! the one and not the other; subsumption, clause by clause; one query, whose counter-model is kept with the
//! node. Solvers are per location and thrown away when they have seen many formulas.

use palisade_program::Loc;
use palisade_smt::{Answer, Solver};
use palisade_term::{Assignment, Term, TermPool};

use super::{Art, NodeId};
use crate::{Budget, Event, Task, literal};

/// Formulas that a solver is asked about before it is replaced: what it knows of dead formulas costs time and
/// memory.
const MAX_FORMULAS: usize = 4_000;
/// States kept with a node.
const MAX_SAMPLES: usize = 6;
/// Solver steps of one implication. An implication that is not decided is not used.
const MAX_STEPS: u64 = 200_000;

/// Answers implications between formulas over the variables of one location.
pub(super) struct Implication<'a> {
    task: Task<'a>,
    budget: Budget,
    solvers: Vec<Option<(Box<dyn Solver + 'a>, usize)>>,
}

impl<'a> Implication<'a> {
    pub(super) fn new(task: &Task<'a>, budget: &Budget) -> Self {
        let solvers = task.program.locs().map(|_| None).collect();
        Implication { task: *task, budget: budget.clone(), solvers }
    }

    /// An estimate of the memory that the solvers take.
    pub(super) fn bytes(&self) -> u64 {
        self.solvers.iter().flatten().map(|(solver, _)| solver.stats().memory).sum()
    }

    /// Can the clauses hold while `other` does not?
    fn differ(&mut self, l: Loc, clauses: &[Term], other: Term) -> Answer {
        let pool = self.task.pool;
        let slot = &mut self.solvers[l.index()];
        if slot.as_ref().is_some_and(|(_, used)| *used > MAX_FORMULAS) {
            *slot = None;
        }
        let (solver, used) = slot.get_or_insert_with(|| (self.task.solver(&self.budget, Some(MAX_STEPS)), 0));
        *used += clauses.len() + 1;
        solver.check_with(&[pool.not(other)], clauses)
    }
}

/// Is clause `c` implied by clause `b` syntactically: does every literal of `b` imply a literal of `c`?
pub fn clause_implies(pool: &TermPool, b: Term, c: Term) -> bool {
    if b == c || b == pool.fls() {
        return true;
    }
    let (mine, other) = (pool.disjuncts(b), pool.disjuncts(c));
    mine.iter().all(|&l| other.iter().any(|&m| literal::implies(pool, l, m)))
}

impl Art<'_, '_> {
    /// Is the node covered, directly or above?
    pub fn is_covered(&self, v: NodeId) -> bool {
        let mut here = Some(v);
        while let Some(x) = here {
            let node = self.node(x);
            if node.covered_by.is_some() {
                return true;
            }
            here = node.parent.map(|(p, _)| p);
        }
        false
    }

    /// The node that covers this one directly.
    pub fn covered_by(&self, v: NodeId) -> Option<NodeId> {
        self.node(v).covered_by
    }

    /// Does the formula of the node imply the clause?
    pub fn implies_clause(&mut self, v: NodeId, clause: Term) -> bool {
        let pool = self.task.pool;
        let node = self.node(v);
        if node.clauses.iter().any(|&c| clause_implies(pool, c, clause)) {
            self.stats.cheap += 1;
            return true;
        }
        if node.clauses.is_empty() && clause == pool.fls() {
            return false;
        }
        if node.samples.iter().any(|s| !pool.holds(clause, s)) {
            self.stats.cheap += 1;
            return false;
        }
        self.ask(v, clause)
    }

    /// Does the formula of `v` imply that of `w`? Both are at one location.
    pub fn implies(&mut self, v: NodeId, w: NodeId) -> bool {
        let pool = self.task.pool;
        let (mine, other) = (self.node(v), self.node(w));
        let outside = |s: &Assignment| other.clauses.iter().any(|&c| !pool.holds(c, s));
        if mine.samples.iter().any(outside) {
            self.stats.cheap += 1;
            return false;
        }
        let subsumed = |c: Term| mine.clauses.iter().any(|&b| clause_implies(pool, b, c));
        if other.clauses.iter().all(|&c| subsumed(c)) {
            self.stats.cheap += 1;
            return true;
        }
        let formula = self.formula(w);
        self.ask(v, formula)
    }

    /// Asks the solver whether the formula of a node implies another, and keeps a state that shows that it
    /// does not.
    fn ask(&mut self, v: NodeId, other: Term) -> bool {
        self.stats.queries += 1;
        let node = self.nodes[v.index()].as_ref().expect("the node has not been removed");
        match self.implication.differ(node.location, &node.clauses, other) {
            Answer::Unsat(_) => true,
            Answer::Unknown(_) => false,
            Answer::Sat(model) => {
                self.keep(v, &model);
                false
            }
        }
    }

    /// Keeps the state of a model of a node's formula.
    fn keep(&mut self, v: NodeId, model: &Assignment) {
        let (pool, program) = (self.task.pool, self.task.program);
        let vars = program.vars(self.node(v).location);
        let state: Assignment = vars.iter().map(|&x| (x, pool.eval(x, model))).collect();
        let node = self.node_mut(v);
        if node.samples.len() == MAX_SAMPLES {
            node.samples.remove(0);
        }
        node.samples.push(state);
    }

    /// Is the formula unsatisfiable? Then it becomes false.
    pub fn refuted(&mut self, v: NodeId) -> bool {
        if self.is_false(v) {
            return true;
        }
        let fls = self.task.pool.fls();
        if self.node(v).clauses.is_empty() || !self.node(v).samples.is_empty() || !self.ask(v, fls) {
            return false;
        }
        self.refute(v);
        true
    }

    /// May the node be covered, though it could not when that was last tried? Its formula has changed, or an
    /// earlier node was uncovered.
    pub fn is_due(&self, v: NodeId) -> bool {
        let node = self.node(v);
        let newer = self.uncovered_at[node.location.index()] > node.closed_at;
        node.changed || newer && self.earlier(v).into_iter().any(|w| self.is_newly_uncovered(w, v))
    }

    fn is_newly_uncovered(&self, w: NodeId, v: NodeId) -> bool {
        self.node(w).uncovered_at > self.node(v).closed_at
    }

    /// McMillan's CLOSE: covers the node by an earlier one that its formula implies. Is it covered now?
    pub fn close(&mut self, v: NodeId) -> bool {
        let mut candidates = self.earlier(v);
        if !self.node(v).changed {
            candidates.retain(|&w| self.is_newly_uncovered(w, v));
        }
        let now = self.clock;
        let node = self.node_mut(v);
        node.changed = false;
        node.closed_at = now;
        for w in candidates {
            if self.implies(v, w) {
                self.cover(v, w);
                return true;
            }
        }
        false
    }

    /// The nodes that may cover this one, newest first.
    pub fn earlier(&self, v: NodeId) -> Vec<NodeId> {
        let candidates = self.nodes_at(self.node(v).location).iter().rev().copied();
        candidates.filter(|&w| w < v && !self.is_false(w) && !self.is_covered(w)).collect()
    }

    /// Covers one node by another, whose formula it implies. What it covered is covered by that one in its
    /// place; what its descendants covered is uncovered.
    ///
    /// Were the former uncovered only, to be tried again later, then nodes with one formula could take turns
    /// in covering each other, exponentially often.
    pub fn cover(&mut self, v: NodeId, w: NodeId) {
        debug_assert!(w < v && self.node(v).location == self.node(w).location);
        debug_assert!(!self.is_covered(v) && !self.is_covered(w));
        self.set_cover(v, w);
        for x in std::mem::take(&mut self.node_mut(v).covers) {
            self.tell_uncovered(x);
            self.set_cover(x, w);
        }
        let mut below = vec![v];
        while let Some(x) = below.pop() {
            below.extend(self.node(x).children.iter().copied());
            self.uncover_all_by(x);
        }
    }

    fn set_cover(&mut self, v: NodeId, w: NodeId) {
        self.stats.covers += 1;
        let location = self.node(v).location;
        self.observer.event(Event::Covered { id: v.number(), by: w.number(), location });
        self.node_mut(v).covered_by = Some(w);
        self.node_mut(w).covers.push(v);
    }

    fn tell_uncovered(&mut self, v: NodeId) {
        self.stats.uncovers += 1;
        let location = self.node(v).location;
        self.observer.event(Event::Uncovered { id: v.number(), location });
    }

    /// Uncovers everything that a node covers.
    pub(super) fn uncover_all_by(&mut self, w: NodeId) {
        for v in std::mem::take(&mut self.node_mut(w).covers) {
            self.tell_uncovered(v);
            let node = self.node_mut(v);
            node.covered_by = None;
            node.changed = true;
            self.clock += 1;
            self.reopen_below(v);
        }
    }

    /// Opens the leaves at and below a node that is no longer covered.
    fn reopen_below(&mut self, v: NodeId) {
        let now = self.clock;
        let mut work = vec![v];
        while let Some(x) = work.pop() {
            let node = self.node_mut(x);
            node.uncovered_at = now;
            let location = node.location;
            self.uncovered_at[location.index()] = now;
            if self.is_expanded(x) {
                work.extend(self.node(x).children.iter().copied());
            } else if !self.is_false(x) {
                self.reopen(x);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use palisade_program::{Edge, Location, Program};
    use palisade_term::Sort;

    use super::*;
    use crate::tests::Native;
    use crate::{Options, Silent};

    /// A tree whose root is expanded: so many nodes at `l`, each with one edge to `m` and on to the error.
    fn with_ways(ways: i64, test: impl FnOnce(&TermPool, [Term; 2], &mut Art<'_, '_>, &[NodeId])) {
        let pool = TermPool::new();
        let vars = ["x", "y"].map(|n| pool.var(n, Sort::Int));
        let mut program = Program::new();
        let location = |name: &str| Location { name: name.into(), position: None, vars: vars.to_vec() };
        let [l, m] = ["l", "m"].map(|name| program.add_location(location(name)));
        let (entry, error) = (program.entry, program.error);
        for k in 0..ways {
            program.add_edge(Edge::new(entry, l, &[], pool.tru(), &[pool.int(k), pool.int(0)]));
        }
        program.add_edge(Edge::new(l, m, &[], pool.tru(), &vars));
        program.add_edge(Edge::new(m, error, &[], pool.lt(vars[0], pool.int(0)), &[]));
        let mut options = Options::new();
        options.set("art.background", "false").expect("an option");
        let task = Task { pool: &pool, program: &program, solvers: &Native, options: &options };
        let mut silent = Silent;
        let mut art = Art::new(&task, &Budget::unlimited(), &mut silent);
        let nodes = art.expand(NodeId(0));
        test(&pool, vars, &mut art, &nodes);
    }

    /// The child of a node with one child.
    fn below(art: &mut Art<'_, '_>, v: NodeId) -> NodeId {
        let [child] = art.expand(v)[..] else { panic!("one edge leaves l") };
        child
    }

    /// Nodes 2 and 3 are at `l`, 4 below 3 and 5 below 2 are at `m`. While 3 is covered by 2, node 4 is, too,
    /// and cannot cover node 5. Strengthening 2 uncovers 3, and then node 4 can.
    #[test]
    fn a_node_is_tried_again_when_an_earlier_one_is_uncovered() {
        with_ways(2, |pool, [x, _], art, nodes| {
            let [two, three] = nodes[..] else { panic!("two edges leave the entry") };
            let four = below(art, three);
            let five = below(art, two);
            assert!(art.close(three) && art.covered_by(three) == Some(two));
            assert!(!art.close(five) && !art.is_due(five));
            art.strengthen(two, pool.ge(x, pool.int(0)));
            assert!(!art.is_covered(four));
            assert!(art.is_due(five) && art.close(five));
            assert_eq!(art.covered_by(five), Some(four));
        });
    }

    /// Node 3 covers node 5, and node 6 below it covers node 7 below 4. When 2 covers 3, it covers 5 as well,
    /// while 7 is open again: what covered it is covered itself.
    #[test]
    fn covering_a_node_uncovers_what_its_descendants_covered() {
        with_ways(4, |_, _, art, nodes| {
            let [two, three, four, five] = nodes[..] else { panic!("four edges leave the entry") };
            let six = below(art, three);
            let seven = below(art, four);
            art.cover(five, three);
            assert!(art.close(seven) && art.covered_by(seven) == Some(six));
            art.cover(three, two);
            assert_eq!((art.covered_by(five), art.covered_by(seven)), (Some(two), None));
            assert!(art.is_covered(six) && !art.is_covered(seven));
            assert_eq!((art.stats.covers, art.stats.uncovers), (4, 2));
            assert_eq!(art.next_leaf(), Some(seven));
            assert!(art.is_due(seven) && !art.close(seven), "nothing at m is uncovered");
            assert_eq!(art.check_tree(), Ok(()));
        });
    }

    /// One question to the solver: its counter-model answers until the formula excludes it, then a clause
    /// subsumes the other. What only arithmetic shows is asked.
    #[test]
    fn implication_asks_the_solver_last() {
        with_ways(2, |pool, [x, y], art, nodes| {
            let [two, three] = nodes[..] else { panic!("two edges leave the entry") };
            let at_most = |v, k| pool.le(v, pool.int(k));
            art.strengthen(two, at_most(y, 10));
            art.strengthen(three, pool.le(y, x));
            let asked = |art: &mut Art<'_, '_>| {
                let before = (art.stats.queries, art.stats.cheap);
                let implied = art.implies(three, two);
                (implied, art.stats.queries - before.0, art.stats.cheap - before.1)
            };
            assert_eq!(asked(art), (false, 1, 0));
            assert_eq!(asked(art), (false, 0, 1), "the counter-model is kept");
            art.strengthen(three, at_most(x, 10));
            assert!(art.node(three).samples.is_empty(), "it is outside the formula now");
            assert_eq!(asked(art), (true, 1, 0));
            art.strengthen(three, at_most(y, 9));
            assert_eq!(asked(art), (true, 0, 1));
        });
    }
}
