//! From a safe tree to an inductive invariant.
//!
//! The invariant of a location is the disjunction of the formulas of its uncovered nodes. It is inductive: an
//! edge leads from an uncovered node into its child, which is uncovered or implies an uncovered node. A
//! location from which no path leads to the error location has no nodes and the invariant true.
//!
//! Disjuncts that imply another one are dropped, and clauses that all disjuncts have are put in front, so
//! that the invariant is read clause by clause.

use palisade_program::{Invariants, Loc};
use palisade_term::Term;

use super::cover::clause_implies;
use super::{Art, NodeId};

/// Locations with more nodes than this keep disjuncts that imply another one: finding them may take a query
/// for each pair.
const MAX_IMPLIED: usize = 60;

impl Art<'_, '_> {
    /// The invariants of a safe tree.
    pub fn invariants(&mut self) -> Invariants {
        let (pool, program) = (self.task.pool, self.task.program);
        let mut out = Invariants::trivial(pool, program);
        for l in program.locs().filter(|&l| l != program.error) {
            if self.to_error[l.index()] != u32::MAX {
                let formula = self.invariant(l);
                out.set(l, formula);
            }
        }
        out
    }

    fn invariant(&mut self, l: Loc) -> Term {
        let pool = self.task.pool;
        let live = |v: &NodeId| !self.is_false(*v) && !self.is_covered(*v);
        let nodes: Vec<NodeId> = self.nodes_at(l).iter().copied().filter(live).collect();
        let mut kept: Vec<NodeId> = Vec::new();
        for &v in nodes.iter().rev() {
            // The older node comes later here, and is the weaker one more often.
            let implied = nodes.len() <= MAX_IMPLIED
                && nodes.iter().any(|&w| w != v && self.implies(v, w) && (w < v || !self.implies(w, v)));
            if !implied {
                kept.push(v);
            }
        }
        kept.reverse();
        let Some((first, rest)) = kept.split_first() else { return pool.fls() };
        let implied = |v: &NodeId, c: Term| self.node(*v).clauses.iter().any(|&b| clause_implies(pool, b, c));
        let mut common: Vec<Term> = Vec::new();
        for &v in &kept {
            let here = self.node(v).clauses.iter().copied();
            common.extend(here.filter(|&c| kept.iter().all(|w| implied(w, c))));
        }
        common.sort_unstable();
        common.dedup();
        if rest.is_empty() {
            return self.formula(*first);
        }
        let in_front = |c: Term| common.iter().any(|&d| clause_implies(pool, d, c));
        let other = |v: &NodeId| pool.and(self.node(*v).clauses.iter().copied().filter(|&c| !in_front(c)));
        let alternatives = pool.or(kept.iter().map(other));
        pool.and(common.iter().copied().chain([alternatives]))
    }
}

#[cfg(test)]
mod tests {
    use palisade_program::{Edge, Location, Program};
    use palisade_term::{Sort, TermPool};

    use super::*;
    use crate::tests::Native;
    use crate::{Budget, Options, Silent, Task};

    /// Four ways into `l`, and what their nodes say:
    ///
    /// | node | state | clauses | in the invariant |
    /// |---|---|---|---|
    /// | 2 | (0, 0) | `x >= 0`, `y <= 0` | `y <= 0` |
    /// | 3 | (1, 5) | `x >= 1`, `y >= 5` | `x >= 1 and y >= 5` |
    /// | 4 | (2, 9) | `x >= 2`, `y >= 9` | nothing: it implies node 3 |
    /// | 5 | (0, -1) | `x >= 0`, `y <= -1` | nothing: node 2 covers it |
    ///
    /// `x >= 0`, which every node implies, stands in front. `dead`, from where no error is reached, is true.
    #[test]
    fn a_disjunction_without_implied_nodes_and_common_clauses_in_front() {
        let pool = TermPool::new();
        let [x, y] = ["x", "y"].map(|n| pool.var(n, Sort::Int));
        let mut program = Program::new();
        let [l, dead] = ["l", "dead"].map(|name| {
            program.add_location(Location { name: name.into(), position: None, vars: vec![x, y] })
        });
        let (entry, error) = (program.entry, program.error);
        // Of several edges the first one's child is the newest.
        for (a, b) in [(0, -1), (2, 9), (1, 5), (0, 0)] {
            program.add_edge(Edge::new(entry, l, &[], pool.tru(), &[pool.int(a), pool.int(b)]));
        }
        program.add_edge(Edge::new(l, dead, &[], pool.tru(), &[x, y]));
        program.add_edge(Edge::new(l, error, &[], pool.lt(x, pool.int(0)), &[]));
        let mut options = Options::new();
        options.set("art.background", "false").expect("an option");
        let task = Task { pool: &pool, program: &program, solvers: &Native, options: &options };
        let mut silent = Silent;
        let mut art = Art::new(&task, &Budget::unlimited(), &mut silent);
        let [two, three, four, five] = art.expand(NodeId(0))[..] else {
            panic!("four edges leave the entry")
        };
        let at_least = |v, k| pool.ge(v, pool.int(k));
        let at_most = |v, k| pool.le(v, pool.int(k));
        let clauses = [
            (two, [at_least(x, 0), at_most(y, 0)]),
            (three, [at_least(x, 1), at_least(y, 5)]),
            (four, [at_least(x, 2), at_least(y, 9)]),
            (five, [at_least(x, 0), at_most(y, -1)]),
        ];
        for (v, clauses) in clauses {
            clauses.into_iter().for_each(|c| assert!(art.strengthen(v, c)));
        }
        assert!(art.close(five) && art.covered_by(five) == Some(two));
        for v in [two, three, four] {
            let [below] = art.expand(v)[..] else { panic!("one edge leads on to the error") };
            art.refute(below);
        }
        assert_eq!((art.check_tree(), art.check_safe()), (Ok(()), Ok(())));
        let found = art.invariants();
        let cases = pool.or2(at_most(y, 0), pool.and2(at_least(x, 1), at_least(y, 5)));
        assert_eq!(found.at(l), pool.and2(at_least(x, 0), cases), "{}", pool.infix(found.at(l)));
        assert_eq!((found.at(entry), found.at(dead)), (pool.tru(), pool.tru()));
        // A location without a live node cannot be reached.
        for v in [two, three, four] {
            art.refute(v);
        }
        art.refute(five);
        assert_eq!(art.invariants().at(l), pool.fls());
    }
}
