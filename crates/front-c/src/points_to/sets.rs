//! Sets of targets, each kept once.
//!
//! Entry point: [`Pool`].

use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::Target;
use crate::memory::Memory;

/// The number of a set of targets in its [`Pool`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Set(u32);

impl Set {
    pub(super) const EMPTY: Set = Set(0);
}

/// All sets of targets, each once: in large programs most of them are equal. So a union or a shift that was
/// computed before is looked up.
pub(super) struct Pool {
    /// Each in order.
    sets: Vec<Rc<[Target]>>,
    numbers: FxHashMap<Rc<[Target]>, Set>,
    unions: FxHashMap<(Set, Set), Set>,
    shifts: FxHashMap<(Set, u32), Set>,
}

impl Default for Pool {
    fn default() -> Pool {
        let empty: Rc<[Target]> = Rc::from([]);
        Pool {
            sets: vec![empty.clone()],
            numbers: std::iter::once((empty, Set::EMPTY)).collect(),
            unions: FxHashMap::default(),
            shifts: FxHashMap::default(),
        }
    }
}

impl Pool {
    /// The set of some targets, in any order.
    pub(super) fn set(&mut self, mut targets: Vec<Target>) -> Set {
        if !targets.is_sorted() {
            // Two sets that are in order, one behind the other: that is fast.
            targets.sort();
        }
        targets.dedup();
        if let Some(known) = self.numbers.get(&targets[..]) {
            return *known;
        }
        let (targets, number): (Rc<[Target]>, Set) = (targets.into(), Set(self.sets.len() as u32));
        self.sets.push(targets.clone());
        self.numbers.insert(targets, number);
        number
    }

    pub(super) fn of(&mut self, t: Target) -> Set {
        match self.numbers.get(&[t][..]) {
            Some(known) => *known,
            None => self.set(vec![t]),
        }
    }

    pub(super) fn get(&self, set: Set) -> Rc<[Target]> {
        self.sets[set.0 as usize].clone()
    }

    /// The targets in all sets.
    pub(super) fn all(&self) -> impl Iterator<Item = &Target> {
        self.sets.iter().flat_map(|set| set.iter())
    }

    pub(super) fn union(&mut self, a: Set, b: Set) -> Set {
        if a == b || b == Set::EMPTY {
            return a;
        }
        if a == Set::EMPTY {
            return b;
        }
        let key = (a.min_by_number(b), a.max_by_number(b));
        if let Some(known) = self.unions.get(&key) {
            return *known;
        }
        let union = self.merged(&[a, b]);
        self.unions.insert(key, union);
        union
    }

    /// The union of sets, at least one: the largest, and what that has not.
    fn merged(&mut self, sets: &[Set]) -> Set {
        let of = |s: &Set| &self.sets[s.0 as usize];
        let largest = *sets.iter().max_by_key(|s| of(s).len()).expect("there is a set");
        let (most, others) = (of(&largest), sets.iter().filter(|s| **s != largest));
        let new = |t: &&Target| most.binary_search(t).is_err();
        let mut more: Vec<Target> = others.flat_map(|s| of(s).iter().filter(new)).copied().collect();
        if more.is_empty() {
            return largest;
        }
        more.sort_unstable();
        more.dedup();
        let (mut all, mut more) = (Vec::with_capacity(most.len() + more.len()), more.into_iter().peekable());
        for t in most.iter() {
            all.extend(std::iter::from_fn(|| more.next_if(|m| m < t)));
            all.push(*t);
        }
        all.extend(more);
        self.set(all)
    }

    /// The union of some sets.
    pub(super) fn union_of(&mut self, mut sets: Vec<Set>) -> Set {
        sets.sort_unstable();
        sets.dedup();
        match sets[..] {
            [] => Set::EMPTY,
            [one] => one,
            [a, b] => self.union(a, b),
            _ => self.merged(&sets),
        }
    }

    /// The parts that are so many slots further on.
    pub(super) fn shifted(&mut self, set: Set, by: u32, memory: &Memory<'_>) -> Set {
        if let Some(known) = self.shifts.get(&(set, by)) {
            return *known;
        }
        let part = |t: &Target| match *t {
            Target::Object(o, s) => Target::Object(o, memory.part_of(o, s + by)),
            other => other,
        };
        let parts = self.get(set).iter().map(part).collect();
        let parts = self.set(parts);
        self.shifts.insert((set, by), parts);
        parts
    }
}

impl Set {
    fn min_by_number(self, other: Set) -> Set {
        Set(self.0.min(other.0))
    }

    fn max_by_number(self, other: Set) -> Set {
        Set(self.0.max(other.0))
    }
}
