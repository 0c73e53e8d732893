//! The queue of proof obligations: lowest level first, then deepest, then oldest.
//!
//! After Een, Mishchenko and Brayton, "Efficient Implementation of Property Directed Reachability" (FMCAD
//! 2011), and Lange, Neuhaeusser and Noll, "IC3 Software Model Checking on Control Flow Automata" (FMCAD
//! 2015), Algorithm 3.
//!
//! An obligation says: the states of `cube` at `place` reach the root's states along the chain of its
//! parents. If the root *must* be excluded (it is the error location), then a chain from the entry is a
//! counterexample; if it only *may* be (it is a conjecture), then the conjecture has failed. A queue holds
//! obligations of one root only.
//!
//! An obligation that was blocked may be asked again one level higher: so a chain of predecessors can grow at
//! one level, which is how counterexamples much longer than the frontier are found (Somenzi and Bradley,
//! "IC3: Where Monolithic and Incremental Meet", FMCAD 2011, II.B).
//!
//! Obligations are kept after they are popped (their chain is the counterexample); the queue holds only their
//! numbers. A flavour may hang its own data on an obligation (`X`).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Number of an obligation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ObligationId(u32);

impl ObligationId {
    /// As a number for reports.
    pub fn number(self) -> u64 {
        u64::from(self.0)
    }
}

/// A set of states that can reach the root: a cube `C` at a place `P`, one step `S` before the next.
#[derive(Clone, Debug)]
pub struct Obligation<P, C, S, X = ()> {
    /// Where.
    pub place: P,
    /// The states, a conjunction of literals.
    pub cube: C,
    /// The step and the obligation it leads to; `None` for the root.
    pub next: Option<(S, ObligationId)>,
    /// The number of steps to the root.
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
pub struct Obligations<P, C, S, X = ()> {
    /// Must the root be excluded?
    pub duty: Duty,
    all: Vec<Obligation<P, C, S, X>>,
    queue: BinaryHeap<Reverse<(u32, Reverse<u32>, ObligationId)>>,
}

impl<P: Copy, C, S: Copy, X> Obligations<P, C, S, X> {
    /// No obligations.
    pub fn new(duty: Duty) -> Self {
        Obligations { duty, all: Vec::new(), queue: BinaryHeap::new() }
    }

    /// Registers the root without queueing it.
    pub fn root(&mut self, place: P, cube: C, extra: X) -> ObligationId {
        self.create(Obligation { place, cube, next: None, depth: 0, extra })
    }

    /// Registers states that lead, by a step, into those of another obligation. They are not queued.
    pub fn predecessor(&mut self, of: ObligationId, step: S, place: P, cube: C, extra: X) -> ObligationId {
        let depth = self.get(of).depth + 1;
        self.create(Obligation { place, cube, next: Some((step, of)), depth, extra })
    }

    fn create(&mut self, o: Obligation<P, C, S, X>) -> ObligationId {
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
    pub fn get(&self, id: ObligationId) -> &Obligation<P, C, S, X> {
        &self.all[id.0 as usize]
    }

    /// An obligation, to be changed.
    pub fn get_mut(&mut self, id: ObligationId) -> &mut Obligation<P, C, S, X> {
        &mut self.all[id.0 as usize]
    }

    /// The number of queued obligations.
    pub fn queued(&self) -> usize {
        self.queue.len()
    }

    /// The number of obligations that are kept.
    pub fn made(&self) -> usize {
        self.all.len()
    }

    /// Forgets what is queued.
    pub fn clear_queue(&mut self) {
        self.queue.clear();
    }

    /// Forgets all obligations.
    pub fn clear(&mut self) {
        self.queue.clear();
        self.all.clear();
    }

    /// The steps from this obligation to the root, each with the obligation that it leads to.
    pub fn chain(&self, id: ObligationId) -> Vec<(S, ObligationId)> {
        std::iter::successors(self.get(id).next, |&(_, id)| self.get(id).next).collect()
    }
}
