//! Questions about single edges whose source is described by the caller: a node of a tree, a position of a
//! path.
//!
//! The query is `clauses and guard(e) and cube[update(e)]`: (2) of Cimatti and Griggio, "Software Model
//! Checking via IC3" (CAV 2012), *without* the negated cube at the source. Relative induction would be
//! unsound here: the edges of a path differ, and the formula at one position need not contain that of the
//! next.
//!
//! Every clause is a group of its own in the solver of the edge ([`EdgeSolvers`]), so nodes that share
//! clauses share what was learned about them. A solver that has seen many clauses is replaced, with the
//! numbers of its groups: dead nodes cost nothing in the long run.

use palisade_program::EdgeId;
use palisade_term::Term;
use rustc_hash::FxHashMap;

use crate::ic3::edge_solvers::{Assumed, EdgeAnswer, EdgeSolvers, Group, Question};
use crate::{Budget, Task, literal};

/// Clauses that a solver has seen before it is replaced.
const MAX_CLAUSES: usize = 2_000;

/// The edge queries of a program.
pub struct EdgeQueries<'a> {
    solvers: EdgeSolvers<'a>,
    /// The groups that each solver has, by their clause.
    groups: Vec<FxHashMap<Term, Group>>,
    /// Questions that an earlier model answered.
    pub by_witness: u64,
}

impl<'a> EdgeQueries<'a> {
    /// Prepares the queries; solvers are made when first needed.
    pub fn new(task: &Task<'a>, budget: &Budget) -> Self {
        let solvers = EdgeSolvers::new(task, budget);
        let groups = vec![FxHashMap::default(); solvers.slots()];
        EdgeQueries { solvers, groups, by_witness: 0 }
    }

    /// Does a state that satisfies the clauses lead along the edge into the cube?
    pub fn ask(&mut self, e: EdgeId, clauses: &[Term], cube: &[Term]) -> EdgeAnswer {
        self.ask_besides(e, clauses, cube, &[])
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
        let outside: Vec<Term> = except.iter().map(|c| literal::clause(pool, c)).collect();
        self.ask_besides(e, clauses, cube, &outside)
    }

    /// The same, for states that satisfy some more clauses, which the solver does not keep.
    fn ask_besides(&mut self, e: EdgeId, clauses: &[Term], cube: &[Term], besides: &[Term]) -> EdgeAnswer {
        let question = Question { assumed: Assumed::These(&[]), cube, relative: false, besides };
        let admitted = |ev: &mut palisade_term::eval::Evaluator<'_, '_>| clauses.iter().all(|&c| ev.holds(c));
        if let Some(model) = self.solvers.known_witness(e, question, admitted) {
            self.by_witness += 1;
            return EdgeAnswer::Predecessor(model);
        }
        if self.solvers.clauses(e).is_some_and(|n| n > MAX_CLAUSES) {
            self.solvers.reset(e);
            self.groups[self.solvers.slot(e)].clear();
        }
        let groups: Vec<Group> = clauses.iter().map(|&c| self.group(e, c)).collect();
        self.solvers.ask(e, Question { assumed: Assumed::These(&groups), ..question })
    }

    /// A literal of the target as it is seen before the edge.
    pub fn after(&mut self, e: EdgeId, lit: Term) -> Term {
        self.solvers.after(e, lit)
    }

    /// The group of a clause in the solver of an edge, which gets it if it has not.
    fn group(&mut self, e: EdgeId, clause: Term) -> Group {
        let groups = &mut self.groups[self.solvers.slot(e)];
        let next = Group::try_from(groups.len()).expect("fewer than 2^32 clauses");
        let group = *groups.entry(clause).or_insert(next);
        if group == next {
            self.solvers.add(e, Some(group), clause);
        }
        group
    }

    /// An estimate of the memory that the solvers take.
    pub fn bytes(&self) -> u64 {
        let groups = self.groups.iter().map(|g| g.capacity() * 16).sum::<usize>();
        self.solvers.solver_stats().memory + groups as u64
    }

    /// Queries that reached a solver.
    pub fn solved(&self) -> u64 {
        self.solvers.solved
    }

    /// The counters by name.
    pub fn counters(&self) -> [(&'static str, u64); 4] {
        [
            ("edge queries", self.solvers.solved),
            ("edge queries answered by a remembered model", self.by_witness),
            ("edge solvers replaced", self.solvers.rebuilt),
            ("bytes of the edge solvers", self.bytes()),
        ]
    }
}

#[cfg(test)]
mod tests {
    use palisade_program::{Edge, Location, Program};
    use palisade_term::{Sort, TermPool};

    use super::*;
    use crate::{Options, tests::Native};

    /// Thousands of clauses come and go; what is kept is bounded by one solver's share.
    #[test]
    fn dead_clauses_are_forgotten() {
        let pool = TermPool::new();
        let x = pool.var("x", Sort::Int);
        let mut program = Program::new();
        let l = program.add_location(Location { name: "l".into(), position: None, vars: vec![x] });
        let e = program.add_edge(Edge::new(l, l, &[], pool.tru(), &[pool.add2(x, pool.int(1))]));
        let options = Options::new();
        let task = Task { pool: &pool, program: &program, solvers: &Native, options: &options };
        let mut queries = EdgeQueries::new(&task, &Budget::unlimited());
        let cube = [pool.lt(x, pool.int(0))];
        for k in 0..3 * MAX_CLAUSES {
            let clause = pool.ge(x, pool.int(k as i64));
            assert!(matches!(queries.ask(e, &[clause], &cube), EdgeAnswer::Blocked(_)));
            assert!(queries.groups[0].len() <= MAX_CLAUSES + 1);
        }
        assert_eq!(queries.solvers.rebuilt, 2);
        // What is excepted is no group.
        let held = queries.groups[0].len();
        let found = queries.ask_except(e, &[], &cube, &[vec![pool.le(x, pool.int(-5))]]);
        let EdgeAnswer::Predecessor(model) = found else { panic!("{found:?}") };
        assert!(pool.holds(pool.gt(x, pool.int(-5)), &model));
        assert_eq!(queries.groups[0].len(), held);
    }
}
