//! Proof obligations on a circuit: the queue of [`palisade_ic3::obligations`] with sorted cubes of latches.

use palisade_ic3::obligations::{self, ObligationId};
use palisade_sat::Lit;

/// What is kept with an obligation.
pub(crate) struct Attempt {
    /// The input bits, packed, under which all states of the cube lead into the next one, or are bad.
    pub(crate) inputs: Box<[u64]>,
    /// How often it could not be blocked.
    pub(crate) failures: u32,
}

impl Attempt {
    /// Not tried yet.
    pub(crate) fn new(inputs: Box<[u64]>) -> Attempt {
        Attempt { inputs, failures: 0 }
    }
}

/// The queue, and all obligations that were made.
pub(crate) type Obligations = obligations::Obligations<(), Vec<Lit>, (), Attempt>;

/// How hard it was so far to block the obligations that this one leads to: the most failures of the next
/// three.
pub(crate) fn effort(obligations: &Obligations, id: ObligationId) -> u32 {
    let next = |id: ObligationId| obligations.get(id).next.map(|((), next)| next);
    let after = std::iter::successors(next(id), |&id| next(id));
    after.take(3).map(|id| obligations.get(id).extra.failures).max().unwrap_or(0)
}
