//! A binary max-heap of variables ordered by activity, with positions, so that a bumped variable can rise.

use crate::lit::Var;

const ABSENT: u32 = u32::MAX;

#[derive(Default)]
pub(crate) struct Heap {
    heap: Vec<Var>,
    position: Vec<u32>,
}

/// Higher activity first; ties by index, so that the order never depends on history of the heap.
#[inline]
fn before(activity: &[f64], a: Var, b: Var) -> bool {
    let (x, y) = (activity[a.index()], activity[b.index()]);
    x > y || (x == y && a < b)
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
    pub(crate) fn insert(&mut self, v: Var, activity: &[f64]) {
        if !self.contains(v) {
            self.heap.push(v);
            self.rise(self.heap.len() - 1, activity);
        }
    }

    /// Restores the order after the activity of `v` grew.
    #[inline]
    pub(crate) fn bumped(&mut self, v: Var, activity: &[f64]) {
        let at = self.position[v.index()];
        if at != ABSENT {
            self.rise(at as usize, activity);
        }
    }

    pub(crate) fn pop(&mut self, activity: &[f64]) -> Option<Var> {
        let top = *self.heap.first()?;
        self.remove(top, activity);
        Some(top)
    }

    pub(crate) fn remove(&mut self, v: Var, activity: &[f64]) {
        let at = self.position[v.index()];
        if at == ABSENT {
            return;
        }
        let at = at as usize;
        self.position[v.index()] = ABSENT;
        let last = self.heap.pop().expect("a variable with a position is in the heap");
        if last != v {
            self.heap[at] = last;
            self.position[last.index()] = at as u32;
            self.sink(at, activity);
            if at > 0 && self.position[last.index()] as usize == at {
                self.rise(at, activity);
            }
        }
    }

    pub(crate) fn clear(&mut self) {
        for v in self.heap.drain(..) {
            self.position[v.index()] = ABSENT;
        }
    }

    fn rise(&mut self, mut at: usize, activity: &[f64]) {
        let v = self.heap[at];
        while at > 0 {
            let parent = (at - 1) / 2;
            let p = self.heap[parent];
            if !before(activity, v, p) {
                break;
            }
            self.heap[at] = p;
            self.position[p.index()] = at as u32;
            at = parent;
        }
        self.heap[at] = v;
        self.position[v.index()] = at as u32;
    }

    fn sink(&mut self, mut at: usize, activity: &[f64]) {
        let v = self.heap[at];
        loop {
            let mut child = 2 * at + 1;
            if child >= self.heap.len() {
                break;
            }
            if child + 1 < self.heap.len() && before(activity, self.heap[child + 1], self.heap[child]) {
                child += 1;
            }
            let c = self.heap[child];
            if !before(activity, c, v) {
                break;
            }
            self.heap[at] = c;
            self.position[c.index()] = at as u32;
            at = child;
        }
        self.heap[at] = v;
        self.position[v.index()] = at as u32;
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
            heap.insert(Var::new(i), &activity);
        }
        heap.remove(Var::new(2), &activity);
        let order: Vec<usize> = std::iter::from_fn(|| heap.pop(&activity)).map(Var::index).collect();
        assert_eq!(order, [1, 3, 5, 0, 4]);
    }

    #[test]
    fn bump_and_clear() {
        let mut activity = [1.0, 2.0, 3.0];
        let mut heap = Heap::default();
        heap.grow(3);
        for i in 0..3 {
            heap.insert(Var::new(i), &activity);
        }
        activity[0] = 9.0;
        heap.bumped(Var::new(0), &activity);
        assert_eq!(heap.pop(&activity), Some(Var::new(0)));
        assert!(!heap.contains(Var::new(0)) && heap.contains(Var::new(1)));
        heap.clear();
        assert_eq!(heap.pop(&activity), None);
        assert!(!heap.contains(Var::new(1)));
    }
}
