//! Refinement: excluding goals along paths of the tree, and what that teaches its nodes.

use palisade_smt::Answer;
use palisade_term::Term;

use super::unwind::Ending;
use super::{Art, NodeId};
use crate::path::exclude::{Excluded, Excluder, Purpose};
use crate::path::{Path, Question};
use crate::{Event, Reason};

impl<'a> Art<'a, '_> {
    /// Excludes goals at the last of some nodes that follow each other, which the first need not be the root.
    /// The formula of the first node is assumed, those of the others as the options say. `None` when that is
    /// not possible or not decided: the search does not depend on it.
    pub fn imply(
        &mut self,
        excluder: &mut Excluder<'a>,
        purpose: Purpose,
        nodes: &[NodeId],
        goals: &[Vec<Term>],
    ) -> Result<Option<Vec<Vec<Term>>>, Ending> {
        let (path, known) = (self.path(nodes), self.known(nodes));
        let (found, by) = match excluder.exclude_for(purpose, &path, &known, goals, self.observer) {
            Ok(Excluded::Clauses(found, by)) => (found, by),
            Ok(Excluded::Feasible(_)) => return Ok(None),
            Err(stopped @ Reason::Stopped(_)) => return Err(Ending::Reason(stopped)),
            Err(_) => {
                self.stats.undecided += 1;
                return Ok(None);
            }
        };
        let (from, id) = (nodes[0].number(), nodes[nodes.len() - 1].number());
        let length = u32::try_from(path.len()).expect("fewer than 2^32 edges");
        self.observer.event(Event::PathImplies { from, id, length, by: by.word() });
        Ok(Some(found))
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
        let (path, known) = (self.path(&nodes), self.known(&nodes));
        let excluded = excluder.exclude(&path, &known, &[Vec::new()], self.observer);
        match excluded.map_err(Ending::Reason)? {
            Excluded::Feasible(Some(run)) => Err(Ending::Run(run)),
            Excluded::Feasible(None) => {
                let why = "a path to the error could not be made concrete".into();
                Err(Ending::Reason(Reason::Incomplete(why)))
            }
            Excluded::Clauses(found, by) => {
                let length = self.node(v).depth;
                self.observer.event(Event::PathBlocked { id: v.number(), length, by: by.word() });
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
            self.stats.path_queries += 1;
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
        self.stats.path_queries += 1;
        matches!(solver.check(&[]), Answer::Unsat(_))
    }
}
