//! Proof obligations at the locations of an automaton: the queue of [`palisade_ic3::obligations`] with edges
//! as steps, and an observer that is told.

use palisade_program::{EdgeId, Loc};
use palisade_term::Term;

pub use palisade_ic3::obligations::{Duty, ObligationId};

use crate::{Event, Observer};

/// The obligations of a run: cubes of literals at locations, one edge apart.
pub type Obligations<L, X = ()> = palisade_ic3::obligations::Obligations<Loc, Vec<L>, EdgeId, X>;

/// Registers a predecessor of an obligation along an edge and tells the observer.
pub fn predecessor<X: Default>(
    obligations: &mut Obligations<Term, X>,
    of: ObligationId,
    (e, location): (EdgeId, Loc),
    cube: Vec<Term>,
    level: u32,
    observer: &mut dyn Observer,
) -> ObligationId {
    let id = obligations.predecessor(of, e, location, cube, X::default());
    if observer.wants_detail() {
        let (parent, cube) = (Some(of.number()), &obligations.get(id).cube[..]);
        observer.event(Event::Obligation { id: id.number(), parent, level, location, cube });
    }
    id
}
