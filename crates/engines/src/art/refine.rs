//! Refinement: excluding goals along paths of the tree, and what that teaches its nodes.

use palisade_smt::Answer;
use palisade_term::Term;

use super::unwind::Ending;
use super::{Art, NodeId};
use crate::path::exclude::{Excluded, Excluder};
use crate::path::{Path, Question};
use crate::{Event, Reason};

impl<'a> Art<'a, '_> {
    /// Excludes goals at the last of some nodes that follow each other. The formula of the first node is
    /// assumed, those of the others as the options say.
    pub fn exclude_goals(
        &mut self,
        excluder: &mut Excluder<'a>,
        nodes: &[NodeId],
        goals: &[Vec<Term>],
    ) -> Result<Excluded, Ending> {
        let path = self.path(nodes);
        let known = self.known(nodes);
        excluder.exclude(&path, &known, goals, self.observer).map_err(Ending::Reason)
    }

    /// The clauses that are assumed at each position of a path through these nodes.
    fn known(&self, nodes: &[NodeId]) -> Vec<Vec<Term>> {
        let all = self.task.options.path.assume_nodes;
        let clauses = |(k, &v): (usize, &NodeId)| {
            if k == 0 || all { self.node(v).clauses.clone() } else { Vec::new() }
        };
        nodes.iter().enumerate().map(clauses).collect()
    }

    /// Refutes the path from the root to an error node, or returns its run.
    pub fn refute_path(
        &mut self,
        excluder: &mut Excluder<'a>,
        v: NodeId,
    ) -> Result<(Vec<NodeId>, Vec<Vec<Term>>), Ending> {
        let nodes = self.nodes_from(None, v);
        let by_edges = excluder.stats.edge_by_edge;
        match self.exclude_goals(excluder, &nodes, &[Vec::new()])? {
            Excluded::Feasible(Some(run)) => Err(Ending::Run(run)),
            Excluded::Feasible(None) => {
                let why = "a path to the error could not be made concrete".into();
                Err(Ending::Reason(Reason::Incomplete(why)))
            }
            Excluded::Clauses(found) => {
                let by = if excluder.stats.edge_by_edge > by_edges { "edges" } else { "interpolants" };
                let length = self.node(v).depth;
                self.observer.event(Event::PathBlocked { id: v.number(), length, by });
                Ok((nodes, found))
            }
        }
    }

    /// Refutes the path from the root to an error node, and strengthens its nodes by what that takes.
    pub fn block_path(&mut self, excluder: &mut Excluder<'a>, v: NodeId) -> Result<(), Ending> {
        let (nodes, found) = self.refute_path(excluder, v)?;
        self.strengthen_nodes(&nodes, &found);
        Ok(())
    }

    /// Adds what was found at each position to the node there.
    pub fn strengthen_nodes(&mut self, nodes: &[NodeId], found: &[Vec<Term>]) {
        for (&v, clauses) in nodes.iter().zip(found) {
            for &c in clauses {
                if self.exists(v) {
                    self.strengthen(v, c);
                }
            }
        }
    }

    /// The clauses, out of these, that the path through the nodes implies at its end, when each node is as
    /// its formula says. What is not decided is not implied.
    pub fn entailed(&mut self, nodes: &[NodeId], clauses: &[Term]) -> Vec<Term> {
        let (pool, path) = (self.task.pool, self.path(nodes));
        let end = path.len();
        let known: Vec<Term> = nodes.iter().map(|&v| self.formula(v)).collect();
        let read: Vec<Term> = pool.free_vars(pool.and(clauses.iter().copied())).into_iter().collect();
        let mut solver = self.limited_solver();
        for part in path.parts_reading(&Question { known: &known, goal: pool.tru() }, &read) {
            solver.assert(part);
        }
        let holds = |c: &Term| {
            let violated = path.at(end, pool.not(*c));
            matches!(solver.check(&pool.conjuncts(violated)), Answer::Unsat(_))
        };
        clauses.iter().copied().filter(holds).collect()
    }

    /// Is the conjunction of the clauses implied, all of it?
    pub fn entails_all(&mut self, nodes: &[NodeId], clauses: &[Term]) -> bool {
        let pool = self.task.pool;
        let path: Path<'a> = self.path(nodes);
        let known: Vec<Term> = self.known(nodes).iter().map(|c| pool.and(c.iter().copied())).collect();
        let goal = pool.not(pool.and(clauses.iter().copied()));
        let mut solver = self.limited_solver();
        for part in path.parts(&Question { known: &known, goal }) {
            solver.assert(part);
        }
        matches!(solver.check(&[]), Answer::Unsat(_))
    }
}
