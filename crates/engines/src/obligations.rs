//! The queue of proof obligations: lowest level first, then deepest (Eén, Mishchenko, Brayton 2011; seed 004, Algorithm 3).
//!
//! An obligation says: the states of `cube` at `location` can reach the error location along the chain of its parents, so they must be shown
//! unreachable within `level` steps, or else there is a counterexample. Obligations are kept after they are popped (their chain is the counterexample);
//! the queue holds only their numbers.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use palisade_program::{EdgeId, Loc};
use palisade_term::Term;

/// Number of an obligation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObligationId(u32);

impl ObligationId {
    /// As a number for reports.
    pub fn number(self) -> u64 {
        u64::from(self.0)
    }
}

/// A set of states that can reach the error.
#[derive(Clone, Debug)]
pub struct Obligation {
    /// Where.
    pub location: Loc,
    /// The states, a conjunction of literals over the location's variables.
    pub cube: Vec<Term>,
    /// The edge and obligation it leads to; `None` for the root (the error location itself).
    pub next: Option<(EdgeId, ObligationId)>,
    /// The number of edges to the error location.
    pub depth: u32,
}

/// The obligations of a run and the queue of those still open.
#[derive(Default)]
pub struct Obligations {
    all: Vec<Obligation>,
    queue: BinaryHeap<Reverse<(u32, Reverse<u32>, ObligationId)>>,
}

impl Obligations {
    /// No obligations.
    pub fn new() -> Obligations {
        Obligations::default()
    }

    /// Registers an obligation without queueing it.
    pub fn create(&mut self, o: Obligation) -> ObligationId {
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
    pub fn get(&self, id: ObligationId) -> &Obligation {
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

    /// The edges from this obligation to the error location.
    pub fn chain(&self, mut id: ObligationId) -> Vec<(EdgeId, ObligationId)> {
        let mut out = Vec::new();
        while let Some((edge, next)) = self.get(id).next {
            out.push((edge, next));
            id = next;
        }
        out
    }
}
