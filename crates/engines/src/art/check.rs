//! The definition of an abstract reachability tree, checked: used by assertions and tests.

use palisade_smt::Answer;
use palisade_term::Term;

use super::{Art, NodeId};

/// Solver steps of one check; what is not decided is not held against the tree.
const MAX_STEPS: u64 = 1_000_000;

impl Art<'_, '_> {
    /// Points (i) to (iii) of the definition, and that covered nodes are covered rightly; or what is wrong.
    pub fn check_tree(&self) -> Result<(), String> {
        self.check_each(|v| self.check_node(v))
    }

    /// Completeness and safety, or what is wrong.
    pub fn check_safe(&self) -> Result<(), String> {
        self.check_each(|v| self.check_closed(v))
    }

    /// How many nodes there are.
    pub fn alive(&self) -> u64 {
        self.stats.nodes - self.stats.removed
    }

    fn check_each(&self, check: impl Fn(NodeId) -> Result<(), String>) -> Result<(), String> {
        for i in 0..self.nodes.len() {
            let v = NodeId(u32::try_from(i).expect("numbers fit"));
            if self.exists(v) {
                check(v).map_err(|why| format!("node {}: {why}", v.number()))?;
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
        if self.is_false(v) && !node.children.is_empty() {
            return Err("it is false and has children".into());
        }
        let edges = &self.outgoing[node.location.index()];
        let has_child = |e| node.children.iter().any(|&c| self.node(c).parent.map(|(_, f)| f) == Some(e));
        if node.expanded && !edges.iter().all(|&e| has_child(e)) {
            return Err("an edge without a child".into());
        }
        match node.covered_by {
            Some(w) => self.check_cover(v, w),
            None => Ok(()),
        }
    }

    fn check_closed(&self, v: NodeId) -> Result<(), String> {
        let node = self.node(v);
        if self.is_covered(v) || self.is_false(v) {
            return Ok(());
        }
        if node.location == self.task.program.error {
            return Err("an error node that is not false: the tree is not safe".into());
        }
        if !node.expanded {
            return Err("an open leaf: the tree is not complete".into());
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
        let fits = self.exists(w) && w < v && self.node(w).location == self.node(v).location;
        if !fits || self.is_covered(w) || !self.node(w).covers.contains(&v) {
            return Err("it is covered by a node that may not cover it".into());
        }
        let claim = pool.and2(self.formula(v), pool.not(self.formula(w)));
        self.unsatisfiable(claim, "its formula does not imply that of the node that covers it")
    }

    fn unsatisfiable(&self, claim: Term, why: &str) -> Result<(), String> {
        if self.checked.borrow().contains(&claim) {
            return Ok(());
        }
        let mut solver = self.task.solver(&self.budget, Some(MAX_STEPS));
        solver.assert(claim);
        if let Answer::Sat(_) = solver.check(&[]) {
            return Err(why.into());
        }
        self.checked.borrow_mut().insert(claim);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use palisade_program::{Edge, Location, Program};
    use palisade_term::{Sort, TermPool};

    use super::*;
    use crate::tests::Native;
    use crate::{Budget, Options, Silent, Task};

    /// `x = 0; loop x++; assert(x >= 0)`, and a tree of it: node 2 is the loop location with `x >= 0`, 3 the
    /// loop location again, covered by 2, 4 the error, which is false.
    fn with_tree(test: impl FnOnce(&TermPool, &mut Art<'_, '_>)) {
        let pool = TermPool::new();
        let x = pool.var("x", Sort::Int);
        let mut program = Program::new();
        let l = program.add_location(Location { name: "l".into(), position: None, vars: vec![x] });
        let (entry, error) = (program.entry, program.error);
        program.add_edge(Edge::new(entry, l, &[], pool.tru(), &[pool.int(0)]));
        program.add_edge(Edge::new(l, l, &[], pool.tru(), &[pool.add2(x, pool.int(1))]));
        program.add_edge(Edge::new(l, error, &[], pool.lt(x, pool.int(0)), &[]));
        let mut options = Options::new();
        options.set("art.background", "false").expect("an option");
        let task = Task { pool: &pool, program: &program, solvers: &Native, options: &options };
        let mut silent = Silent;
        let mut art = Art::new(&task, &Budget::unlimited(), &mut silent);
        let [two] = art.expand(NodeId(0))[..] else { panic!("one edge leaves the entry") };
        let [three, four] = art.expand(two)[..] else { panic!("two edges leave the loop") };
        let positive = pool.ge(x, pool.int(0));
        art.strengthen(two, positive);
        art.strengthen(three, positive);
        art.strengthen(four, pool.fls());
        assert!(art.close(three));
        test(&pool, &mut art);
    }

    /// Breaks the tree and returns what the checks say.
    fn broken(change: impl FnOnce(&TermPool, &mut Art<'_, '_>)) -> [Result<(), String>; 2] {
        let mut said = [Ok(()), Ok(())];
        with_tree(|pool, art| {
            change(pool, art);
            said = [art.check_tree(), art.check_safe()];
        });
        said
    }

    const TWO: NodeId = NodeId(1);
    const THREE: NodeId = NodeId(2);
    const FOUR: NodeId = NodeId(3);

    fn x(pool: &TermPool) -> Term {
        pool.var("x", Sort::Int)
    }

    fn says(result: &Result<(), String>, words: &str) -> bool {
        result.as_ref().is_err_and(|why| why.contains(words))
    }

    #[test]
    fn a_good_tree_passes() {
        assert_eq!(broken(|_, _| {}), [Ok(()), Ok(())]);
    }

    #[test]
    fn a_root_with_a_formula_is_wrong() {
        let [tree, _] = broken(|pool, art| art.node_mut(NodeId(0)).clauses = vec![pool.fls()]);
        assert!(says(&tree, "node 1: the root"), "{tree:?}");
    }

    #[test]
    fn a_formula_must_follow_from_the_parent() {
        let [tree, _] = broken(|p, art| art.node_mut(THREE).clauses.push(p.ge(x(p), p.int(2))));
        assert!(says(&tree, "node 3: its formula does not follow"), "{tree:?}");
        let [tree, _] = broken(|_, art| art.node_mut(TWO).clauses.clear());
        assert!(says(&tree, "does not follow"), "{tree:?}");
    }

    #[test]
    fn a_child_must_hang_on_its_parent() {
        let [tree, _] = broken(|_, art| art.node_mut(TWO).children.retain(|&c| c != FOUR));
        assert!(tree.is_err());
        let [tree, _] = broken(|_, art| art.node_mut(FOUR).location = art.task.program.entry);
        assert!(says(&tree, "node 4: it does not hang"), "{tree:?}");
    }

    #[test]
    fn an_edge_needs_a_child() {
        let [tree, _] = broken(|_, art| {
            art.node_mut(TWO).children.pop();
            art.nodes[FOUR.index()] = None;
        });
        assert!(says(&tree, "node 2: an edge without a child"), "{tree:?}");
    }

    #[test]
    fn a_cover_must_be_weaker_earlier_and_uncovered() {
        let [tree, _] = broken(|p, art| art.node_mut(TWO).clauses.push(p.le(x(p), p.int(0))));
        assert!(says(&tree, "node 3: its formula does not imply"), "{tree:?}");
        let [tree, _] = broken(|_, art| art.node_mut(THREE).covered_by = Some(FOUR));
        assert!(says(&tree, "node 3: it is covered by a node that may not"), "{tree:?}");
        let [tree, _] = broken(|_, art| art.node_mut(TWO).covered_by = Some(NodeId(0)));
        assert!(says(&tree, "node 2: it is covered by a node that may not"), "{tree:?}");
    }

    #[test]
    fn a_safe_tree_has_no_open_leaf_and_no_error() {
        let [tree, safe] = broken(|_, art| art.uncover_all_by(TWO));
        assert_eq!(tree, Ok(()));
        assert!(says(&safe, "node 3: an open leaf"), "{safe:?}");
        let [tree, safe] = broken(|_, art| art.node_mut(FOUR).clauses.clear());
        assert_eq!(tree, Ok(()));
        assert!(says(&safe, "node 4: an error node"), "{safe:?}");
    }
}
