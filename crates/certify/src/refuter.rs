//! An incremental SAT solver whose refutations are all repeated by independent code.
//!
//! [`Replay`] repeats every resolution of the solver's log. It shares no code with the solver: it knows which
//! clauses were given, and that a resolvent follows from its antecedents. What it has not repeated does not
//! count.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use palisade_sat::{Limits, Lit, Options, SolveResult, Solver, Step, StepId};
use rustc_hash::FxHashSet;

/// The solver and the replay.
pub(crate) struct Refuter {
    solver: Solver,
    replay: Replay,
}

impl Refuter {
    /// A refuter that refutes nothing more once the signal is raised.
    pub(crate) fn new(interrupt: Option<Arc<AtomicBool>>) -> Self {
        let mut solver = Solver::new(Options { proof: true, ..Options::default() });
        solver.set_limits(Limits { interrupt, ..Limits::default() });
        Refuter { solver, replay: Replay::default() }
    }

    /// A new variable.
    pub(crate) fn fresh(&mut self) -> Lit {
        self.solver.new_var().positive()
    }

    /// Asserts a clause.
    pub(crate) fn clause(&mut self, lits: &[Lit]) {
        self.replay.given(lits);
        self.solver.add_clause(lits);
    }

    /// Asserts that `g` is the conjunction of `args`.
    pub(crate) fn conjunction(&mut self, g: Lit, args: &[Lit]) {
        let mut long = vec![g];
        for &a in args {
            self.clause(&[!g, a]);
            long.push(!a);
        }
        self.clause(&long);
    }

    /// Can these literals not hold together? Only if the solver says so and its derivation can be repeated.
    pub(crate) fn refutes(&mut self, assumptions: &[Lit]) -> bool {
        if self.solver.solve(assumptions) != SolveResult::Unsat {
            return false;
        }
        match self.solver.final_step() {
            Some(step) => {
                let proof = self.solver.proof().expect("the log is on");
                self.replay.follow(proof)
                    && proof.step(step).lits().iter().all(|l| assumptions.contains(&!*l))
            }
            None => assumptions.iter().any(|l| assumptions.contains(&!*l)),
        }
    }
}

/// Repeats a log of resolutions.
#[derive(Default)]
struct Replay {
    /// The clauses that were given, sorted.
    given: FxHashSet<Box<[Lit]>>,
    /// The clause of each step that was repeated.
    clauses: Vec<Box<[Lit]>>,
    /// `present[l] == stamp`: the literal is in the clause in the making.
    present: Vec<u32>,
    stamp: u32,
}

impl Replay {
    fn given(&mut self, lits: &[Lit]) {
        let mut clause = lits.to_vec();
        clause.sort_unstable();
        clause.dedup();
        self.given.insert(clause.into());
    }

    /// Repeats the steps that are new in the log. False if one does not follow.
    fn follow(&mut self, proof: &palisade_sat::Proof) -> bool {
        for (id, step) in proof.steps().skip(self.clauses.len()) {
            debug_assert_eq!(id.index(), self.clauses.len());
            let holds = match step {
                Step::Input { lits, .. } => {
                    let mut clause = lits.to_vec();
                    clause.sort_unstable();
                    self.given.contains(clause.as_slice())
                }
                Step::Theory { .. } => false,
                Step::Derived { lits, chain } => self.resolves(lits, chain),
            };
            if !holds {
                return false;
            }
            self.clauses.push(step.lits().into());
        }
        true
    }

    /// Does resolving the antecedents in order give the clause, or a part of it?
    fn resolves(&mut self, clause: &[Lit], chain: &[StepId]) -> bool {
        self.stamp += 1;
        let mut open = 0usize; // literals of the resolvent that are not in the clause
        let mut wanted: Vec<Lit> = clause.to_vec();
        wanted.sort_unstable();
        for (i, antecedent) in chain.iter().enumerate() {
            let Some(lits) = self.clauses.get(antecedent.index()) else { return false };
            let top = lits.iter().map(|l| l.code() | 1).max().unwrap_or(0);
            if self.present.len() <= top {
                self.present.resize(top + 1, 0);
            }
            let mut pivot = None;
            for &l in lits.iter().filter(|l| self.present[(!**l).code()] == self.stamp) {
                if pivot.replace(l).is_some() {
                    return false;
                }
            }
            if pivot.is_some() == (i == 0) {
                return false;
            }
            if let Some(p) = pivot {
                self.present[(!p).code()] = 0;
                open -= usize::from(wanted.binary_search(&!p).is_err());
            }
            for &l in lits.iter().filter(|&&l| Some(l) != pivot) {
                if self.present[l.code()] != self.stamp {
                    self.present[l.code()] = self.stamp;
                    open += usize::from(wanted.binary_search(&l).is_err());
                }
            }
        }
        !chain.is_empty() && open == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_does_not_follow_is_not_repeated() {
        let lit = |n: i64| Lit::from_dimacs(n);
        let mut replay = Replay::default();
        let clauses: [&[i64]; 3] = [&[1, 2], &[-2, 3], &[-1, 4]];
        replay.clauses = clauses.iter().map(|c| c.iter().map(|&n| lit(n)).collect()).collect();
        // Steps are numbered by the solver's log only; take the numbers from one.
        let mut solver = Solver::new(Options { proof: true, ..Options::default() });
        for _ in 0..4 {
            solver.new_var();
        }
        for c in clauses {
            solver.add_clause(&c.iter().map(|&n| lit(n)).collect::<Vec<_>>());
        }
        let ids: Vec<StepId> = solver.proof().unwrap().steps().map(|(id, _)| id).collect();
        assert!(replay.resolves(&[lit(1), lit(3)], &[ids[0], ids[1]]));
        assert!(replay.resolves(&[lit(1), lit(3), lit(4)], &[ids[0], ids[1]]));
        assert!(!replay.resolves(&[lit(1)], &[ids[0], ids[1]]), "3 is missing");
        assert!(!replay.resolves(&[lit(3), lit(4)], &[ids[1], ids[2]]), "no clash");
        assert!(replay.resolves(&[lit(3), lit(4)], &[ids[0], ids[1], ids[2]]));
        assert!(!replay.resolves(&[], &[]));
    }
}
