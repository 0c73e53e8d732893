//! The definition of a safe abstract reachability tree, checked: used by assertions and tests.

use palisade_smt::Answer;

use super::{Art, NodeId};

/// Solver steps of one check; what is not decided is not held against the tree.
const MAX_STEPS: u64 = 1_000_000;

impl Art<'_, '_> {
    /// Points (i) to (iii) of the definition, completeness and safety, or what is wrong.
    pub fn check(&self) -> Result<(), String> {
        for i in 0..self.nodes.len() {
            let v = NodeId(u32::try_from(i).expect("numbers fit"));
            if self.exists(v) {
                self.check_node(v).map_err(|why| format!("node {}: {why}", v.number()))?;
            }
        }
        Ok(())
    }

    fn check_node(&self, v: NodeId) -> Result<(), String> {
        let (program, node) = (self.task.program, self.node(v));
        match node.parent {
            None if node.location != program.entry || !node.clauses.is_empty() => {
                return Err("the root is not the entry with the formula true".into());
            }
            Some((p, e)) => {
                let edge = program.edge(e);
                let fits = edge.target == node.location && edge.source == self.node(p).location;
                if p >= v || !fits || !self.node(p).children.contains(&v) {
                    return Err("it does not hang on its parent".into());
                }
                self.check_edge(p, v)?;
            }
            None => {}
        }
        if let Some(w) = node.covered_by {
            self.check_cover(v, w)?;
        }
        if self.is_covered(v) || self.is_false(v) {
            return Ok(());
        }
        if node.location == program.error {
            return Err("an error node that is not false: the tree is not safe".into());
        }
        let edges = &self.outgoing[node.location.index()];
        let has_child = |e| node.children.iter().any(|&c| self.node(c).parent.map(|(_, f)| f) == Some(e));
        if !node.expanded || !edges.iter().all(|&e| has_child(e)) {
            return Err("an open leaf, or an edge without a child: the tree is not complete".into());
        }
        Ok(())
    }

    /// Point (iii): the formula of the parent and the edge imply the formula of the child.
    fn check_edge(&self, p: NodeId, v: NodeId) -> Result<(), String> {
        let (pool, program) = (self.task.pool, self.task.program);
        let e = self.node(v).parent.expect("not the root").1;
        let violated = pool.not(program.after(pool, e, self.formula(v)));
        let claim = pool.and([self.formula(p), program.edge(e).guard, violated]);
        self.unsatisfiable(claim, "its formula does not follow from its parent's")
    }

    fn check_cover(&self, v: NodeId, w: NodeId) -> Result<(), String> {
        let pool = self.task.pool;
        if !self.exists(w) || w >= v || self.node(w).location != self.node(v).location || self.is_covered(w) {
            return Err("it is covered by a node that may not cover it".into());
        }
        let claim = pool.and2(self.formula(v), pool.not(self.formula(w)));
        self.unsatisfiable(claim, "its formula does not imply that of the node that covers it")
    }

    fn unsatisfiable(&self, claim: palisade_term::Term, why: &str) -> Result<(), String> {
        let mut solver = self.task.solver(&self.budget, Some(MAX_STEPS));
        solver.assert(claim);
        match solver.check(&[]) {
            Answer::Sat(_) => Err(why.into()),
            Answer::Unsat(_) | Answer::Unknown(_) => Ok(()),
        }
    }
}
