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
