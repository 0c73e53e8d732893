//! The check of invariants about bits: one incremental SAT solver for all queries, and a replay of everything
//! that it derives.
//!
//! Invariants of circuits are thousands of clauses, each easy. One SMT query with a proof of its own for each
//! would cost more than finding them did. So program and invariants become clauses here (Tseitin's encoding
//! of the [canonical forms](palisade_proof::Canon), which the proof checker trusts too), each obligation is a
//! set of assumptions, and a [`Refuter`] decides them.
//!
//! The obligations are those of [`Checker::proof`](crate::Checker::proof). This way only ever accepts; what
//! it does not accept is asked again of the SMT solver, which also says what is wrong.
//!
//! Entry point: [`accepts`].

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use palisade_program::{CutInvariants, Program};
use palisade_proof::Canon;
use palisade_sat::Lit;
use palisade_term::{Op, Sort, Substitution, Term, TermPool};
use rustc_hash::FxHashMap;

use crate::refuter::Refuter;

/// Are these formulas about bits, one for each location, and a proof of safety? The caller has checked their
/// shape.
/// Not once the signal is raised.
pub(crate) fn accepts(
    pool: &TermPool,
    program: &Program,
    invariants: &CutInvariants,
    interrupt: Option<Arc<AtomicBool>>,
) -> bool {
    let Some(formulas) = invariants.complete() else { return false };
    if !formulas.formulas.iter().all(|&f| about_bits(pool, f)) {
        return false;
    }
    let mut prover = Prover::new(pool, interrupt);
    // The source of an obligation is assumed by a literal that implies each conjunct of its formula.
    let mut assumed = Vec::new();
    for l in program.locs() {
        let here = prover.refuter.fresh();
        for conjunct in pool.conjuncts(formulas.at(l)) {
            let Some(c) = prover.literal(conjunct) else { return false };
            prover.refuter.clause(&[!here, c]);
        }
        assumed.push(here);
    }
    let entry = pool.conjuncts(formulas.at(program.entry));
    if !entry.into_iter().all(|c| prover.literal(c).is_some_and(|c| prover.refuter.refutes(&[!c]))) {
        return false;
    }
    program.edge_ids().all(|e| {
        let edge = program.edge(e);
        let Some(guard) = prover.literal(edge.guard) else { return false };
        let here = assumed[edge.source.index()];
        let map = program.update_map(e);
        let mut after = Substitution::new(pool, &map);
        (pool.conjuncts(formulas.at(edge.target)).into_iter()).all(|c| {
            prover.literal(after.apply(c)).is_some_and(|c| prover.refuter.refutes(&[here, guard, !c]))
        })
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
    refuter: Refuter,
    literals: FxHashMap<Term, Lit>,
}

impl<'p> Prover<'p> {
    fn new(pool: &'p TermPool, interrupt: Option<Arc<AtomicBool>>) -> Self {
        let (refuter, literals) = (Refuter::new(interrupt), FxHashMap::default());
        Prover { pool, canon: Canon::new(pool), refuter, literals }
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
                let literal = if is_leaf { self.refuter.fresh() } else { self.gate(t) };
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
        let g = self.refuter.fresh();
        match (self.pool.op(t), args.as_slice()) {
            (Op::Bool(value), _) => self.refuter.clause(&[if *value { g } else { !g }]),
            (Op::And, _) => self.refuter.conjunction(g, &args),
            (Op::Or, _) => self.refuter.conjunction(!g, &args.iter().map(|&a| !a).collect::<Vec<_>>()),
            (Op::Eq, [a, b]) => {
                for [x, y, z] in [[!g, *a, !*b], [!g, !*a, *b], [g, *a, *b], [g, !*a, !*b]] {
                    self.refuter.clause(&[x, y, z]);
                }
            }
            (Op::Ite, [c, a, b]) => {
                for [x, y, z] in [[!g, !*c, *a], [!g, *c, *b], [g, !*c, !*a], [g, *c, !*b]] {
                    self.refuter.clause(&[x, y, z]);
                }
            }
            _ => unreachable!("the connectives were told apart from leaves"),
        }
        g
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
        let accepted = |f: Term| accepts(&pool, &program, &with(f), None);
        assert!(accepted(not_both));
        assert!(!accepted(pool.tru()), "bad is not excluded");
        assert!(!accepted(pool.not(x[0])), "not inductive");
        assert!(!accepted(x[0]), "not initial");
        assert!(!accepted(pool.fls()), "not initial");
        let raised = Arc::new(AtomicBool::new(true));
        assert!(!accepts(&pool, &program, &with(not_both), Some(raised)), "interrupted");
    }
}
