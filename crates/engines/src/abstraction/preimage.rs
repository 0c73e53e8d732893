//! Pre-images of abstract states: the predicates that tell which states lead on.
//!
//! After Birgmeier, "Software Verification with IC3 via Abstraction and Interpolation" (master's thesis, TU
//! Wien 2013), section 3.4, "Refinement by Preimage Computation". The pre-image of an abstract state along an
//! edge, the edge's inputs eliminated, is a formula; its atoms become predicates. Pre-images are remembered.
//!
//! Entry point: [`Preimages::atoms`].

use palisade_eliminate::exists_within;
use palisade_program::EdgeId;
use palisade_term::{Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::Task;

/// Terms that the elimination of the inputs of one pre-image may create. Where that is not enough, the atoms
/// without inputs become predicates.
const MAX_TERMS: usize = 2_000;

/// The pre-images computed so far.
#[derive(Default)]
pub struct Preimages {
    known: FxHashMap<(EdgeId, Term), Vec<Term>>,
    /// Pre-images computed.
    pub computed: u64,
}

impl Preimages {
    /// The atoms of the pre-image of some states along an edge.
    pub fn atoms(&mut self, task: &Task<'_>, e: EdgeId, states: Term) -> Vec<Term> {
        if let Some(known) = self.known.get(&(e, states)) {
            return known.clone();
        }
        self.computed += 1;
        let Task { pool, program, .. } = *task;
        let edge = program.edge(e);
        let before = program.pre(pool, e, states);
        let free = pool.free_vars(before);
        let inputs: Vec<Term> = edge.inputs.iter().copied().filter(|i| free.contains(i)).collect();
        let formula = if inputs.is_empty() {
            before
        } else {
            exists_within(pool, &inputs, before, MAX_TERMS).unwrap_or(before)
        };
        let own: FxHashSet<Term> = program.vars(edge.source).iter().copied().collect();
        let over_own = |a: &Term| pool.free_vars(*a).iter().all(|v| own.contains(v));
        let atoms: Vec<Term> = pool.atoms(formula).into_iter().filter(over_own).collect();
        self.known.insert((e, states), atoms.clone());
        atoms
    }
}

/// An abstract state that contains a lifted state: the predicates whose values the lifted state determines.
pub fn determined(pool: &TermPool, state: &[Term], predicates: &[Term]) -> Term {
    let mut values: FxHashMap<Term, Term> = FxHashMap::default();
    for &equation in state {
        match *pool.args(pool.strip_not(equation).1) {
            [v, c] | [c, v] if pool.is_var(v) && pool.is_const(c) => {
                values.insert(v, c);
            }
            // A Boolean variable or its negation.
            _ => {
                let (negated, v) = pool.strip_not(equation);
                values.insert(v, pool.bool(!negated));
            }
        }
    }
    let literal = |&p: &Term| {
        let value = pool.as_bool(pool.substitute(p, &values))?;
        Some(if value { p } else { pool.not(p) })
    };
    pool.and(predicates.iter().filter_map(literal))
}
