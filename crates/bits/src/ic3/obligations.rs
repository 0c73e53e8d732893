//! Proof obligations: cubes of states that lead to a bad state, to be excluded at a level.
//!
//! The lowest level goes first; at one level, what is farthest from the bad state. An obligation that was
//! blocked is asked again one level higher: so a chain of predecessors can grow at one level, which is how
//! counterexamples much longer than the frontier are found (Somenzi and Bradley, IC3: Where Monolithic and
//! Incremental Meet, 2011, II.B).

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::frames::Cube;

/// A cube whose states all lead, under the inputs, into the cube of the next obligation, or to a bad state.
#[derive(Clone, Debug)]
pub(crate) struct Obligation {
    pub(crate) cube: Cube,
    /// The input bits of the step, packed.
    pub(crate) inputs: Box<[u64]>,
    /// The obligation that the step leads to.
    pub(crate) next: Option<u32>,
    pub(crate) depth: u32,
    /// How often it could not be blocked.
    pub(crate) failures: u32,
}

/// The queue, and all obligations that were made.
#[derive(Default)]
pub(crate) struct Obligations {
    all: Vec<Obligation>,
    queue: BinaryHeap<(Reverse<u32>, u32, u32)>,
}

impl Obligations {
    /// A new obligation; it is not queued yet.
    pub(crate) fn add(&mut self, obligation: Obligation) -> u32 {
        self.all.push(obligation);
        (self.all.len() - 1) as u32
    }

    /// Queues an obligation at a level.
    pub(crate) fn push(&mut self, id: u32, level: usize) {
        self.queue.push((Reverse(level as u32), self.all[id as usize].depth, id));
    }

    /// The next obligation at a level of at most `frontier`.
    pub(crate) fn pop(&mut self, frontier: usize) -> Option<(u32, usize)> {
        if self.queue.peek()?.0.0 as usize > frontier {
            return None;
        }
        self.queue.pop().map(|(Reverse(level), _, id)| (id, level as usize))
    }

    pub(crate) fn get(&self, id: u32) -> &Obligation {
        &self.all[id as usize]
    }

    /// The obligation could not be blocked.
    pub(crate) fn bump(&mut self, id: u32) {
        self.all[id as usize].failures += 1;
    }

    /// How hard it was so far to block the obligations that this one leads to: the most failures of the next
    /// three.
    pub(crate) fn effort(&self, id: u32) -> u32 {
        let mut at = self.all[id as usize].next;
        let mut most = 0;
        for _ in 0..3 {
            let Some(o) = at.map(|id| &self.all[id as usize]) else { break };
            most = most.max(o.failures);
            at = o.next;
        }
        most
    }

    /// Forgets what is queued. Obligations that are needed for a run stay until the run is known.
    pub(crate) fn clear(&mut self) {
        self.queue.clear();
        self.all.clear();
    }

    pub(crate) fn len(&self) -> usize {
        self.all.len()
    }
}
