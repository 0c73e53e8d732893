//! A max-heap of variables ordered by activity, with positions, so that a bumped variable can rise.
//!
//! Entries carry their activity, and each has four children: sinking, which is where the time goes, then
//! reads neighbouring memory only.

use crate::lit::Var;

const ABSENT: u32 = u32::MAX;
const ARITY: usize = 4;

#[derive(Clone, Copy)]
struct Entry {
    activity: f64,
    var: Var,
}

impl Entry {
    /// Higher activity first; ties by index, so that the order never depends on history of the heap.
    #[inline]
    fn before(self, other: Entry) -> bool {
        self.activity > other.activity || (self.activity == other.activity && self.var < other.var)
    }
}

#[derive(Default)]
pub(crate) struct Heap {
    heap: Vec<Entry>,
    position: Vec<u32>,
}

impl Heap {
    /// Makes room for the positions of `vars` variables.
    pub(crate) fn grow(&mut self, vars: usize) {
        if self.position.len() < vars {
            self.position.resize(vars, ABSENT);
        }
    }

    #[inline]
    pub(crate) fn contains(&self, v: Var) -> bool {
        self.position[v.index()] != ABSENT
    }

    #[inline]
    pub(crate) fn insert(&mut self, var: Var, activity: f64) {
        if !self.contains(var) {
            self.heap.push(Entry { activity, var });
            self.rise(self.heap.len() - 1);
        }
    }

    /// Restores the order after the activity of `v` grew.
    #[inline]
    pub(crate) fn bumped(&mut self, v: Var, activity: f64) {
        let at = self.position[v.index()];
        if at != ABSENT {
            self.heap[at as usize].activity = activity;
            self.rise(at as usize);
        }
    }

    /// All activities are divided by `by`. Those that become equal were close, but the order must be that of
    /// all other heaps.
    pub(crate) fn rescale(&mut self, by: f64) {
        for e in &mut self.heap {
            e.activity /= by;
        }
        for at in (0..self.heap.len().div_ceil(ARITY)).rev() {
            self.sink(at);
        }
    }

    pub(crate) fn pop(&mut self) -> Option<Var> {
        let top = self.heap.first()?.var;
        self.remove(top);
        Some(top)
    }

    pub(crate) fn remove(&mut self, v: Var) {
        let at = self.position[v.index()];
        if at == ABSENT {
            return;
        }
        let at = at as usize;
        self.position[v.index()] = ABSENT;
        let last = self.heap.pop().expect("a variable with a position is in the heap");
        if last.var != v {
            self.heap[at] = last;
            self.position[last.var.index()] = at as u32;
            self.sink(at);
            if at > 0 && self.position[last.var.index()] as usize == at {
                self.rise(at);
            }
        }
    }

    pub(crate) fn clear(&mut self) {
        for e in self.heap.drain(..) {
            self.position[e.var.index()] = ABSENT;
        }
    }

    fn rise(&mut self, mut at: usize) {
        let e = self.heap[at];
        while at > 0 {
            let parent = (at - 1) / ARITY;
            let p = self.heap[parent];
            if !e.before(p) {
                break;
            }
            self.heap[at] = p;
            self.position[p.var.index()] = at as u32;
            at = parent;
        }
        self.heap[at] = e;
        self.position[e.var.index()] = at as u32;
    }

    fn sink(&mut self, mut at: usize) {
        let e = self.heap[at];
        loop {
            let first = ARITY * at + 1;
            let end = (first + ARITY).min(self.heap.len());
            if first >= end {
                break;
            }
            let (mut child, mut best) = (first, self.heap[first]);
            for (i, &c) in self.heap[first..end].iter().enumerate().skip(1) {
                if c.before(best) {
                    (child, best) = (first + i, c);
                }
            }
            if !best.before(e) {
                break;
            }
            self.heap[at] = best;
            self.position[best.var.index()] = at as u32;
            at = child;
        }
        self.heap[at] = e;
        self.position[e.var.index()] = at as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pops_by_activity_then_index() {
        let activity = [1.0, 5.0, 3.0, 5.0, 0.0, 3.5];
        let mut heap = Heap::default();
        heap.grow(6);
        for i in [4, 2, 0, 5, 3, 1] {
            heap.insert(Var::new(i), activity[i]);
        }
        heap.remove(Var::new(2));
        let order: Vec<usize> = std::iter::from_fn(|| heap.pop()).map(Var::index).collect();
        assert_eq!(order, [1, 3, 5, 0, 4]);
    }

    #[test]
    fn bump_and_clear() {
        let activity = [1.0, 2.0, 3.0];
        let mut heap = Heap::default();
        heap.grow(3);
        for (i, a) in activity.into_iter().enumerate() {
            heap.insert(Var::new(i), a);
        }
        heap.bumped(Var::new(0), 9.0);
        assert_eq!(heap.pop(), Some(Var::new(0)));
        assert!(!heap.contains(Var::new(0)) && heap.contains(Var::new(1)));
        heap.clear();
        assert_eq!(heap.pop(), None);
        assert!(!heap.contains(Var::new(1)));
    }
}
