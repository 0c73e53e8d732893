//! The queue of proof obligations: lowest level first, then deepest.
//!
//! After Een, Mishchenko and Brayton, "Efficient Implementation of Property Directed Reachability" (FMCAD
//! 2011), and Lange, Neuhaeusser and Noll, "IC3 Software Model Checking on Control Flow Automata" (FMCAD
//! 2015), Algorithm 3.
//!
//! An obligation says: the states of `cube` at `location` reach the root's states along the chain of its
//! parents. If the root *must* be excluded (it is the error location), then a chain from the entry is a
//! counterexample; if it only *may* be (it is a conjecture), then the conjecture has failed. A queue holds
//! obligations of one root only.
//!
//! Obligations are kept after they are popped (their chain is the counterexample); the queue holds only their
//! numbers. A flavour may hang its own data on an obligation (`X`).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use palisade_program::{EdgeId, Loc};
use palisade_term::Term;

use crate::{Event, Observer};

/// Number of an obligation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObligationId(u32);

impl ObligationId {
    /// As a number for reports.
    pub fn number(self) -> u64 {
        u64::from(self.0)
    }
}

/// A set of states that can reach the root.
#[derive(Clone, Debug)]
pub struct Obligation<L, X = ()> {
    /// Where.
    pub location: Loc,
    /// The states, a conjunction of literals over the location's variables.
    pub cube: Vec<L>,
    /// The edge and obligation it leads to; `None` for the root (the error location itself).
    pub next: Option<(EdgeId, ObligationId)>,
    /// The number of edges to the root.
    pub depth: u32,
    /// What the flavour keeps with it.
    pub extra: X,
}

/// What it means that a chain of obligations begins at the entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duty {
    /// The root must be excluded: there is a counterexample.
    Must,
    /// The root is a conjecture: it has failed, and nothing else is lost.
    May,
}

/// The obligations of a run and the queue of those still open.
pub struct Obligations<L, X = ()> {
    /// Must the root be excluded?
    pub duty: Duty,
    all: Vec<Obligation<L, X>>,
    queue: BinaryHeap<Reverse<(u32, Reverse<u32>, ObligationId)>>,
}

impl<L, X> Obligations<L, X> {
    /// No obligations.
    pub fn new(duty: Duty) -> Obligations<L, X> {
        Obligations { duty, all: Vec::new(), queue: BinaryHeap::new() }
    }

    /// Registers an obligation without queueing it.
    pub fn create(&mut self, o: Obligation<L, X>) -> ObligationId {
        let id = ObligationId(u32::try_from(self.all.len()).expect("fewer than 2^32 obligations"));
        self.all.push(o);
        id
    }

    /// Queues an obligation at a level.
    pub fn enqueue(&mut self, id: ObligationId, level: u32) {
        self.queue.push(Reverse((level, Reverse(self.get(id).depth), id)));
    }

    /// The next obligation whose level does not exceed the limit, with its level.
    pub fn pop(&mut self, limit: u32) -> Option<(ObligationId, u32)> {
        let Reverse((level, _, _)) = self.queue.peek()?;
        if *level > limit {
            return None;
        }
        self.queue.pop().map(|Reverse((level, _, id))| (id, level))
    }

    /// An obligation.
    pub fn get(&self, id: ObligationId) -> &Obligation<L, X> {
        &self.all[id.0 as usize]
    }

    /// The number of queued obligations.
    pub fn queued(&self) -> usize {
        self.queue.len()
    }

    /// The number of obligations ever made.
    pub fn made(&self) -> usize {
        self.all.len()
    }

    /// Forgets what is queued.
    pub fn clear_queue(&mut self) {
        self.queue.clear();
    }

    /// An obligation, to be changed.
    pub fn get_mut(&mut self, id: ObligationId) -> &mut Obligation<L, X> {
        &mut self.all[id.0 as usize]
    }

    /// The edges from this obligation to the root.
    pub fn chain(&self, mut id: ObligationId) -> Vec<(EdgeId, ObligationId)> {
        let mut out = Vec::new();
        while let Some((edge, next)) = self.get(id).next {
            out.push((edge, next));
            id = next;
        }
        out
    }
}

impl<X: Default> Obligations<Term, X> {
    /// Registers the root: these states, and every state of a location without variables.
    pub fn root(&mut self, location: Loc, cube: Vec<Term>) -> ObligationId {
        self.create(Obligation { location, cube, next: None, depth: 0, extra: X::default() })
    }

    /// Registers a predecessor of an obligation along an edge and tells the observer.
    pub fn predecessor(
        &mut self,
        of: ObligationId,
        (e, location): (EdgeId, Loc),
        cube: Vec<Term>,
        level: u32,
        observer: &mut dyn Observer,
    ) -> ObligationId {
        let depth = self.get(of).depth + 1;
        let id = self.create(Obligation { location, cube, next: Some((e, of)), depth, extra: X::default() });
        if observer.wants_detail() {
            let (parent, cube) = (Some(of.number()), &self.get(id).cube[..]);
            observer.event(Event::Obligation { id: id.number(), parent, level, location, cube });
        }
        id
    }
}
