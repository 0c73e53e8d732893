//! The check of invariants about bits: one incremental SAT solver for all queries, and a replay of everything
//! that it derives.
//!
//! Invariants of circuits are thousands of clauses, each easy. One SMT query with a proof of its own for each
//! would cost more than finding them did. So program and invariants become clauses here (Tseitin's encoding
//! of the [canonical forms](palisade_proof::Canon), which the proof checker trusts too), each obligation is a
//! set of assumptions, and [`Replay`] repeats every resolution of the solver's log. It shares no code with
//! the solver: it knows which clauses were given, and that a resolvent follows from its antecedents. What it
//! has not repeated does not count.
//!
//! The obligations are those of [`Checker::proof`](crate::Checker::proof). This way only ever accepts; what
//! it does not accept is asked again of the SMT solver, which also says what is wrong.
//!
//! Entry point: [`accepts`].

use palisade_program::{CutInvariants, Program};
use palisade_proof::Canon;
use palisade_sat::{Lit, Options, SolveResult, Solver, Step, StepId};
use palisade_term::{Op, Sort, Substitution, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

/// Are these formulas about bits, one for each location, and a proof of safety? The caller has checked their
/// shape.
pub(crate) fn accepts(pool: &TermPool, program: &Program, invariants: &CutInvariants) -> bool {
    let Some(formulas) = invariants.complete() else { return false };
    if !formulas.formulas.iter().all(|&f| about_bits(pool, f)) {
        return false;
    }
    let mut prover = Prover::new(pool);
    // The source of an obligation is assumed by a literal that implies each conjunct of its formula.
    let mut assumed = Vec::new();
    for l in program.locs() {
        let here = prover.fresh();
        for conjunct in pool.conjuncts(formulas.at(l)) {
            let Some(c) = prover.literal(conjunct) else { return false };
            prover.clause(&[!here, c]);
        }
        assumed.push(here);
    }
    let entry = pool.conjuncts(formulas.at(program.entry));
    if !entry.into_iter().all(|c| prover.literal(c).is_some_and(|c| prover.refutes(&[!c]))) {
        return false;
    }
    program.edge_ids().all(|e| {
        let edge = program.edge(e);
        let Some(guard) = prover.literal(edge.guard) else { return false };
        let here = assumed[edge.source.index()];
        let map = program.update_map(e);
        let mut after = Substitution::new(pool, &map);
        (pool.conjuncts(formulas.at(edge.target)).into_iter())
            .all(|c| prover.literal(after.apply(c)).is_some_and(|c| prover.refutes(&[here, guard, !c])))
    })
}

/// Are the atoms of the formula Boolean variables and single bits?
fn about_bits(pool: &TermPool, formula: Term) -> bool {
    let is_bit = |t: Term| match (pool.op(t), pool.args(t)) {
        (Op::Var(..), _) => true,
        (Op::Eq, [a, b]) => {
            let single = |t: Term| matches!(pool.op(t), Op::Extract(..) | Op::Var(..) | Op::BitVec(_));
            *pool.sort(*a) == Sort::BitVec(1) && single(*a) && single(*b)
        }
        _ => false,
    };
    pool.atoms(formula).into_iter().all(is_bit)
}

/// A solver over the bits of terms, whose every refutation is replayed.
struct Prover<'p> {
    pool: &'p TermPool,
    canon: Canon<'p>,
    solver: Solver,
    replay: Replay,
    literals: FxHashMap<Term, Lit>,
}

impl<'p> Prover<'p> {
    fn new(pool: &'p TermPool) -> Self {
        let solver = Solver::new(Options { proof: true, ..Options::default() });
        let (replay, literals) = Default::default();
        Prover { pool, canon: Canon::new(pool), solver, replay, literals }
    }

    fn fresh(&mut self) -> Lit {
        self.solver.new_var().positive()
    }

    /// Asserts a clause.
    fn clause(&mut self, lits: &[Lit]) {
        self.replay.given(lits);
        self.solver.add_clause(lits);
    }

    /// The literal of a formula; `None` if the formula is not only about bits.
    fn literal(&mut self, formula: Term) -> Option<Lit> {
        let root = self.canon.formula(formula);
        let mut stack = vec![root];
        while let Some(&t) = stack.last() {
            if self.literals.contains_key(&t) {
                stack.pop();
                continue;
            }
            let args = self.pool.args(t);
            let is_leaf = match self.pool.op(t) {
                Op::Var(..) => true,
                Op::Not | Op::And | Op::Or | Op::Ite | Op::Bool(_) => false,
                Op::Eq if *self.pool.sort(args[0]) == Sort::Bool => false,
                Op::Eq if *self.pool.sort(args[0]) == Sort::BitVec(1) => true,
                _ => return None,
            };
            let before = stack.len();
            if !is_leaf {
                stack.extend(args.iter().copied().filter(|a| !self.literals.contains_key(a)));
            }
            if stack.len() == before {
                stack.pop();
                let literal = if is_leaf { self.fresh() } else { self.gate(t) };
                self.literals.insert(t, literal);
            }
        }
        Some(self.literals[&root])
    }

    /// The literal of a connective whose arguments have theirs, with the clauses that define it.
    fn gate(&mut self, t: Term) -> Lit {
        let args: Vec<Lit> = self.pool.args(t).iter().map(|a| self.literals[a]).collect();
        if let (Op::Not, [a]) = (self.pool.op(t), args.as_slice()) {
            return !*a;
        }
        let g = self.fresh();
        match (self.pool.op(t), args.as_slice()) {
            (Op::Bool(value), _) => self.clause(&[if *value { g } else { !g }]),
            (Op::And, _) => self.conjunction(g, &args),
            (Op::Or, _) => self.conjunction(!g, &args.iter().map(|&a| !a).collect::<Vec<_>>()),
            (Op::Eq, [a, b]) => {
                for [x, y, z] in [[!g, *a, !*b], [!g, !*a, *b], [g, *a, *b], [g, !*a, !*b]] {
                    self.clause(&[x, y, z]);
                }
            }
            (Op::Ite, [c, a, b]) => {
                for [x, y, z] in [[!g, !*c, *a], [!g, *c, *b], [g, !*c, !*a], [g, *c, !*b]] {
                    self.clause(&[x, y, z]);
                }
            }
            _ => unreachable!("the connectives were told apart from leaves"),
        }
        g
    }

    fn conjunction(&mut self, g: Lit, args: &[Lit]) {
        let mut long = vec![g];
        for &a in args {
            self.clause(&[!g, a]);
            long.push(!a);
        }
        self.clause(&long);
    }

    /// Can these literals not hold together? Only if the solver says so and its derivation can be repeated.
    fn refutes(&mut self, assumptions: &[Lit]) -> bool {
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
    use palisade_program::{Edge, Invariants, Location};

    /// A two-bit counter that skips 3 by wrapping from 2 to 0; bad at 3.
    fn counter(pool: &TermPool) -> (Program, [Term; 2]) {
        let x = [pool.var("x0", Sort::Bool), pool.var("x1", Sort::Bool)];
        let mut p = Program::new();
        let head = p.add_location(Location { name: "loop".into(), position: None, vars: x.to_vec() });
        let next = [pool.and([pool.not(x[0]), pool.not(x[1])]), x[0]];
        p.add_edge(Edge::new(p.entry, head, &[], pool.tru(), &[pool.fls(), pool.fls()]));
        p.add_edge(Edge::new(head, head, &[], pool.tru(), &next));
        p.add_edge(Edge::new(head, p.error, &[], pool.and(x), &[]));
        (p, x)
    }

    #[test]
    fn only_what_is_inductive_is_accepted() {
        let pool = TermPool::new();
        let (program, x) = counter(&pool);
        let head = palisade_program::Loc(2);
        let with = |f: Term| {
            let mut i = Invariants::trivial(&pool, &program);
            i.set(head, f);
            CutInvariants::from(i)
        };
        let not_both = pool.or([pool.not(x[0]), pool.not(x[1])]);
        assert!(accepts(&pool, &program, &with(not_both)));
        assert!(!accepts(&pool, &program, &with(pool.tru())), "bad is not excluded");
        assert!(!accepts(&pool, &program, &with(pool.not(x[0]))), "not inductive");
        assert!(!accepts(&pool, &program, &with(x[0])), "not initial");
        assert!(!accepts(&pool, &program, &with(pool.fls())), "not initial");
    }

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
