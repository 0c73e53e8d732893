//! Boolean formulas as gates: connectives over variables whose literals are known.

use palisade_term::{Op, Sort, Term, TermPool};
use rustc_hash::FxHashMap;

use crate::graph::{Aig, Lit};

/// A formula that is not made of connectives and known variables: the part that is not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NoGate(pub(crate) String);

/// The literals of formulas.
#[derive(Clone, Debug, Default)]
pub(crate) struct Formulas {
    known: FxHashMap<Term, Lit>,
}

impl Formulas {
    /// Says which literal a formula is.
    pub(crate) fn insert(&mut self, t: Term, lit: Lit) {
        self.known.insert(t, lit);
    }

    /// The literal of a formula that was asked for before.
    pub(crate) fn get(&self, t: Term) -> Option<Lit> {
        self.known.get(&t).copied()
    }

    /// The literal of a formula, without recursion. Gates that it needs are added to the graph.
    pub(crate) fn literal(&mut self, pool: &TermPool, aig: &mut Aig, root: Term) -> Result<Lit, NoGate> {
        let mut stack = vec![root];
        while let Some(&t) = stack.last() {
            if self.known.contains_key(&t) {
                stack.pop();
                continue;
            }
            let op = pool.op(t);
            let structural = matches!(op, Op::Bool(_) | Op::Not | Op::And | Op::Or | Op::Ite | Op::Eq);
            let args = pool.args(t);
            if !structural || args.iter().any(|&a| *pool.sort(a) != Sort::Bool) {
                return Err(NoGate(format!("`{}` is no Boolean function of bits", pool.infix(t))));
            }
            let before = stack.len();
            stack.extend(args.iter().copied().filter(|a| !self.known.contains_key(a)));
            if stack.len() == before {
                stack.pop();
                let lit = self.gate(aig, op, args);
                self.known.insert(t, lit);
            }
        }
        Ok(self.known[&root])
    }

    fn gate(&self, aig: &mut Aig, op: &Op, args: &[Term]) -> Lit {
        let lits: Vec<Lit> = args.iter().map(|a| self.known[a]).collect();
        match (op, lits.as_slice()) {
            (Op::Bool(b), _) => Lit::constant(*b),
            (Op::Not, [a]) => !*a,
            (Op::And, _) => aig.and_all(lits),
            (Op::Or, _) => aig.or_all(lits),
            (Op::Ite, [c, a, b]) => aig.ite(*c, *a, *b),
            (Op::Eq, [a, b]) => !aig.xor(*a, *b),
            _ => unreachable!("the structure was checked"),
        }
    }
}
