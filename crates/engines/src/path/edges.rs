//! Questions about single edges whose source is described by the caller: a node of a tree, a position of a
//! path.
//!
//! The query is `clauses and guard(e) and cube[update(e)]`: (2) of Cimatti and Griggio, "Software Model
//! Checking via IC3" (CAV 2012), *without* the negated cube at the source. Relative induction would be
//! unsound here: the edges of a path differ, and the formula at one position need not contain that of the
//! next.
//!
//! Every clause is a group of its own in the solver of the edge ([`EdgeSolvers`]), so nodes that share
//! clauses share what was learned about them. A solver that has seen many clauses is replaced: dead nodes
//! cost nothing in the long run.

use palisade_program::EdgeId;
use palisade_term::Term;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::ic3::edge_solvers::{Assumed, EdgeAnswer, EdgeSolvers, Group, Question};
use crate::{Budget, Task, literal};

/// Clauses that a solver has seen before it is replaced.
const MAX_CLAUSES: usize = 2_000;

/// The edge queries of a program.
pub struct EdgeQueries<'a> {
    solvers: EdgeSolvers<'a>,
    groups: FxHashMap<Term, Group>,
    /// The groups that each solver has.
    added: Vec<FxHashSet<Group>>,
    /// Questions that an earlier model answered.
    pub by_witness: u64,
}

impl<'a> EdgeQueries<'a> {
    /// Prepares the queries; solvers are made when first needed.
    pub fn new(task: &Task<'a>, budget: &Budget) -> Self {
        let solvers = EdgeSolvers::new(task, budget);
        let added = vec![FxHashSet::default(); solvers.slots()];
        EdgeQueries { solvers, groups: FxHashMap::default(), added, by_witness: 0 }
    }

    /// Does a state that satisfies the clauses lead along the edge into the cube?
    pub fn ask(&mut self, e: EdgeId, clauses: &[Term], cube: &[Term]) -> EdgeAnswer {
        let question = Question { assumed: Assumed::These(&[]), cube, relative: false, besides: &[] };
        let admitted = |ev: &mut palisade_term::eval::Evaluator<'_, '_>| clauses.iter().all(|&c| ev.holds(c));
        if let Some(model) = self.solvers.known_witness(e, question, admitted) {
            self.by_witness += 1;
            return EdgeAnswer::Predecessor(model);
        }
        let groups: Vec<Group> = clauses.iter().map(|&c| self.group(c)).collect();
        let slot = self.solvers.slot(e);
        if self.solvers.clauses(e).is_some_and(|n| n > MAX_CLAUSES) {
            self.solvers.reset(e);
            self.added[slot].clear();
        }
        for (&group, &clause) in groups.iter().zip(clauses) {
            if self.added[slot].insert(group) {
                self.solvers.add(e, Some(group), clause);
            }
        }
        self.solvers.ask(e, Question { assumed: Assumed::These(&groups), ..question })
    }

    /// The same, for states outside the cubes of `except` (over the source's variables).
    pub fn ask_except(
        &mut self,
        e: EdgeId,
        clauses: &[Term],
        cube: &[Term],
        except: &[Vec<Term>],
    ) -> EdgeAnswer {
        let pool = self.solvers.pool();
        let outside = except.iter().map(|c| literal::clause(pool, c));
        let all: Vec<Term> = clauses.iter().copied().chain(outside).collect();
        self.ask(e, &all, cube)
    }

    /// A literal of the target as it is seen before the edge.
    pub fn after(&mut self, e: EdgeId, lit: Term) -> Term {
        self.solvers.after(e, lit)
    }

    fn group(&mut self, clause: Term) -> Group {
        let next = Group::try_from(self.groups.len()).expect("fewer than 2^32 clauses");
        *self.groups.entry(clause).or_insert(next)
    }

    /// The counters by name.
    pub fn counters(&self) -> [(&'static str, u64); 3] {
        [
            ("edge queries", self.solvers.solved),
            ("edge queries answered by a remembered model", self.by_witness),
            ("edge solvers replaced", self.solvers.rebuilt),
        ]
    }
}
