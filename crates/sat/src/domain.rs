//! The domain of a query: the variables that it may decide, in the order in which it does.
//!
//! Most decisions of an IC3 query are about bits that nobody cares for, and nearly all variables have an
//! activity that says nothing any more. A heap is too expensive for those: every decision takes a variable
//! out and every backtrack puts it back. So at first only variables of the latest conflicts are in a heap,
//! and go first; the others are in a list, in the order in which they were made (inputs of circuits before
//! their outputs), with a place below which all are assigned. A query that turns out to be hard goes on with
//! the heap alone.

use crate::heap::Heap;
use crate::lit::Var;

/// Activity, as a part of what a bump adds now, from which a variable counts as active: bumped in the last
/// ten conflicts.
const RECENT: f64 = 0.6;
/// Conflicts after which a query is hard.
const HARD: u64 = 100;
const ABSENT: u32 = u32::MAX;

#[derive(Default)]
pub(crate) struct Domain {
    on: bool,
    /// `member[v] == epoch` if `v` may be decided.
    member: Vec<u32>,
    epoch: u32,
    /// The unassigned members that are active.
    heap: Heap,
    /// The other members, and active ones that were not when they joined; `place` is where a variable is.
    list: Vec<Var>,
    place: Vec<u32>,
    /// All members of the list before this are assigned, or in the heap.
    next: usize,
    sorted: bool,
    /// Is everything in the heap?
    hard: bool,
    /// Conflicts when the query began.
    began: u64,
}

impl Domain {
    /// Makes room for `vars` variables.
    pub(crate) fn grow(&mut self, vars: usize) {
        self.member.resize(vars, 0);
        self.place.resize(vars, ABSENT);
        self.heap.grow(vars);
    }

    /// Starts an empty domain, after so many conflicts.
    pub(crate) fn begin(&mut self, conflicts: u64) {
        self.clear();
        if self.epoch == u32::MAX {
            self.member.fill(0);
            self.epoch = 0;
        }
        self.epoch += 1;
        self.on = true;
        self.began = conflicts;
    }

    /// Ends the domain: everything may be decided.
    pub(crate) fn clear(&mut self) {
        for v in self.list.drain(..) {
            self.place[v.index()] = ABSENT;
        }
        self.heap.clear();
        (self.on, self.hard, self.next, self.sorted) = (false, false, 0, true);
    }

    #[inline]
    pub(crate) fn is_on(&self) -> bool {
        self.on
    }

    /// May the variable be decided?
    #[inline]
    pub(crate) fn contains(&self, v: Var) -> bool {
        !self.on || self.member[v.index()] == self.epoch
    }

    /// The members, and what is written at them.
    #[inline]
    pub(crate) fn members(&self) -> (&[u32], u32) {
        (&self.member, self.epoch)
    }

    /// Adds a variable; false if it was there, or if there is no domain.
    #[inline]
    pub(crate) fn insert(&mut self, v: Var) -> bool {
        self.on && std::mem::replace(&mut self.member[v.index()], self.epoch) != self.epoch
    }

    /// The variable ceases to exist.
    pub(crate) fn remove(&mut self, v: Var) {
        self.member[v.index()] = 0;
        self.heap.remove(v);
    }

    /// A variable lost its value, or is new: if it belongs here it is a candidate. `increment` is what a bump
    /// adds now.
    #[inline]
    pub(crate) fn offer(&mut self, v: Var, activity: f64, increment: f64) {
        if !self.on || self.member[v.index()] != self.epoch {
            return;
        }
        if self.hard || activity >= RECENT * increment {
            self.heap.insert(v, activity);
            return;
        }
        match self.place[v.index()] {
            ABSENT => {
                self.place[v.index()] = self.list.len() as u32;
                self.sorted &= self.list.last().is_none_or(|&last| last < v);
                self.list.push(v);
            }
            at => self.next = self.next.min(at as usize),
        }
    }

    /// The activity of a variable grew.
    #[inline]
    pub(crate) fn bumped(&mut self, v: Var, activity: f64) {
        self.heap.bumped(v, activity);
    }

    /// All activities are divided by `by`.
    pub(crate) fn rescale(&mut self, by: f64) {
        self.heap.rescale(by);
    }

    /// The candidate to decide next, after so many conflicts. `open`: is the variable unassigned, and may it
    /// be decided at all?
    pub(crate) fn pick(
        &mut self,
        conflicts: u64,
        activity: &[f64],
        open: impl Fn(Var) -> bool,
    ) -> Option<Var> {
        if conflicts - self.began > HARD && !self.hard {
            self.hard = true;
            for v in self.list.drain(..) {
                self.place[v.index()] = ABSENT;
                self.heap.insert(v, activity[v.index()]);
            }
        }
        while let Some(v) = self.heap.pop() {
            if open(v) {
                return Some(v);
            }
        }
        if !self.sorted {
            self.sort();
        }
        while let Some(&v) = self.list.get(self.next) {
            self.next += 1;
            if open(v) {
                return Some(v);
            }
        }
        None
    }

    fn sort(&mut self) {
        self.list.sort_unstable();
        for (i, v) in self.list.iter().enumerate() {
            self.place[v.index()] = i as u32;
        }
        (self.next, self.sorted) = (0, true);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn domain(activity: &[f64], members: &[usize]) -> Domain {
        let mut d = Domain::default();
        d.grow(activity.len());
        d.begin(0);
        for &i in members {
            assert!(d.insert(Var::new(i)) && !d.insert(Var::new(i)));
            d.offer(Var::new(i), activity[i], 1.0);
        }
        d
    }

    #[test]
    fn active_variables_go_first() {
        let activity = [0.1, 5.0, 0.0, 7.0, 0.2, 9.0];
        let mut d = domain(&activity, &[4, 2, 0, 1, 3]);
        let mut assigned = [false; 6];
        let mut order = Vec::new();
        while let Some(v) = d.pick(0, &activity, |v| !assigned[v.index()]) {
            assigned[v.index()] = true;
            order.push(v.index());
            if order == [3, 1, 0, 2] {
                // Two lose their values, and one that is not of the domain.
                for i in [3, 0, 5] {
                    assigned[i] = false;
                    d.offer(Var::new(i), activity[i], 1.0);
                }
            }
        }
        assert_eq!(order, [3, 1, 0, 2, 3, 0, 4]);
        d.clear();
        assert!(d.contains(Var::new(5)) && !d.insert(Var::new(5)));
        d.begin(0);
        assert!(!d.contains(Var::new(1)));
        assert_eq!(d.pick(0, &activity, |_| true), None);
    }

    #[test]
    fn a_variable_that_becomes_active_leaves_the_list() {
        let mut activity = [0.0, 0.0, 4.0];
        let mut d = domain(&activity, &[0, 1, 2]);
        // Bumped while it had a value.
        activity[1] = 9.0;
        d.bumped(Var::new(1), 9.0);
        d.offer(Var::new(1), activity[1], 1.0);
        let mut assigned = [false; 3];
        let order: Vec<usize> = std::iter::from_fn(|| {
            let v = d.pick(0, &activity, |v| !assigned[v.index()])?;
            assigned[v.index()] = true;
            Some(v.index())
        })
        .collect();
        assert_eq!(order, [1, 2, 0]);
    }

    #[test]
    fn a_hard_query_goes_by_activity_alone() {
        let activity = [0.1, 0.0, 0.3, 0.2];
        let mut d = domain(&activity, &[0, 1, 2, 3]);
        let mut assigned = [false; 4];
        let mut order = Vec::new();
        for conflicts in [0, HARD + 1, HARD + 1, HARD + 2] {
            let v = d.pick(conflicts, &activity, |v| !assigned[v.index()]).expect("there are four");
            assigned[v.index()] = true;
            order.push(v.index());
        }
        assert_eq!(order, [0, 2, 3, 1]);
    }
}
