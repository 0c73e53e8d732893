//! Programs with edges for undefined behaviour, or for violations that depend on what C leaves open: a
//! violation is found as if there were none, a proof must do without them.
//!
//! First the edges into the error location that stand for undefined behaviour are cut off. A violation that
//! is found then is one; a proof says only that nothing *else* goes wrong. So it is tried on the whole
//! program, and where it does not hold there, the engine is asked whether one of those edges can be taken,
//! with the first proof as an assumption. The answer of both questions together is checked on the program
//! as the front-end gave it.
//!
//! A program that has only edges for what is open is asked about as a whole first: a proof must cover them,
//! and one of the cut program would rest on its not being open. If a run ends in such an edge, a violation is
//! searched without them.

use palisade_program::{CutInvariants, Program, Property};
use palisade_term::{Substitution, Term, TermPool};
use rustc_hash::FxHashMap;

/// Has the program edges for undefined or open behaviour?
pub fn occurs(program: &Program) -> bool {
    program.edges.iter().any(|e| is_undefined(e.origin.property.as_ref()))
}

/// Has the program edges for undefined behaviour?
pub(crate) fn is_reported(program: &Program) -> bool {
    program.edges.iter().any(|e| matches!(e.origin.property, Some(Property::Undefined(_))))
}

pub(crate) fn is_undefined(property: Option<&Property>) -> bool {
    matches!(property, Some(Property::Undefined(_) | Property::Open(_)))
}

pub(crate) fn is_unsupported(property: Option<&Property>) -> bool {
    matches!(property, Some(Property::Unsupported(_)))
}

/// The program without undefined behaviour: all edges keep their numbers, but those are never taken.
pub fn cut(pool: &TermPool, program: &Program) -> Program {
    without(pool, program, is_undefined)
}

/// The program without undefined behaviour and without what is unsupported. Its violations are violations of
/// the program; a proof of it says nothing.
pub(crate) fn cut_all(pool: &TermPool, program: &Program) -> Program {
    without(pool, program, |property| is_undefined(property) || is_unsupported(property))
}

fn without(pool: &TermPool, program: &Program, cut: impl Fn(Option<&Property>) -> bool) -> Program {
    let mut out = program.clone();
    for edge in out.edges.iter_mut().filter(|e| cut(e.origin.property.as_ref())) {
        edge.guard = pool.fls();
    }
    out
}

/// An assumption with more distinct subterms costs more than it helps.
const LARGE: usize = 2000;

/// The program with invariants of the cut one as assumptions, where they speak of every location.
pub(crate) fn assuming(pool: &TermPool, program: &Program, known: &CutInvariants) -> Program {
    let mut out = program.clone();
    if known.first_interior().is_none() {
        for edge in &mut out.edges {
            let fact = known.at(edge.source).unwrap_or_else(|| pool.tru());
            if pool.dag_size(fact) <= LARGE && known.forall_of(pool, fact).is_empty() {
                edge.guard = pool.and2(fact, edge.guard);
            }
        }
    }
    out
}

/// A proof of the program from one of the cut program and one that assumed it.
pub(crate) fn together(pool: &TermPool, known: &CutInvariants, more: CutInvariants) -> CutInvariants {
    // What is proved by unwinding needs no assumption.
    if known.first_interior().is_some() || more.rounds.is_some() {
        return more;
    }
    // What holds for all values of one variable and of another one holds for all values of one.
    let (mut forall, mut map) = (known.forall.clone(), FxHashMap::default());
    for &v in &more.forall {
        let same = |k: &&Term| pool.sort(**k) == pool.sort(v) && !map.values().any(|taken| taken == *k);
        match known.forall.iter().find(same) {
            Some(&k) => {
                map.insert(v, k);
            }
            None => forall.push(v),
        }
    }
    let mut renamed = Substitution::new(pool, &map);
    let both = |(a, b): (&Option<Term>, &Option<Term>)| Some(pool.and2((*a)?, renamed.apply((*b)?)));
    let formulas = known.formulas.iter().zip(&more.formulas).map(both);
    CutInvariants { formulas: formulas.collect(), rounds: None, forall }
}
