//! The objects that functions without body can access, and what they may store there.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;

use super::{Analysis, Set, Target};
use crate::inline::InstanceId;
use crate::ir::{Instr, NodeKind, Part};
use crate::memory::ObjectId;

impl Analysis<'_, '_> {
    /// These objects, and whether memory of the environment can be accessed, too.
    pub(super) fn escaped(&self) -> (BTreeSet<ObjectId>, bool) {
        // An address that has become a number may be given to them in many ways.
        let mut given: BTreeSet<Target> = BTreeSet::new();
        crate::numbers::visit(self.unit, self.instances, &mut |part, i| {
            if let Part::Expr(e) = part
                && let Some(pointer) = crate::numbers::becomes_number(e)
            {
                given.extend(self.targets_of(pointer, i));
            }
        });
        let numbers = !given.is_empty();
        let (mut called, mut asked) = (false, false);
        let mut hidden: BTreeSet<Target> = BTreeSet::new();
        for (n, instance) in self.instances.all.iter().enumerate() {
            let reachable = &self.instances.reachable[instance.function.0 as usize];
            let nodes = &self.unit.function(instance.function).nodes;
            for (node, _) in nodes.iter().zip(reachable).filter(|(_, r)| **r) {
                let NodeKind::Instr(Instr::Nondet(_, nondet), _) = &node.kind else { continue };
                let reaches = self.result.linkage || !nondet.pointers.is_empty() || numbers;
                called |= nondet.foreign && reaches;
                asked |= nondet.foreign;
                let pointers = nondet.pointers.iter();
                pointers.for_each(|e| given.extend(self.targets_of(e, InstanceId(n as u32))));
                for e in &nondet.values {
                    let all = self.result.passed(e, InstanceId(n as u32), self.instances, self.memory);
                    hidden.extend(all.into_iter().filter(|t| matches!(t, Target::Object(..))));
                }
            }
        }
        // Nor need they be given anything if memory of theirs holds an address.
        let stored = asked && self.result.environment != Set::EMPTY;
        if !called && !stored && hidden.is_empty() {
            return (BTreeSet::new(), false);
        }
        given.extend(hidden);
        given.extend(self.result.members(self.result.environment).iter());
        let mut outside = given.iter().any(is_outside);
        let linkage = self.result.linkage;
        let exported = self.unit.globals.iter().enumerate().filter(|(_, g)| linkage && g.exported);
        let mut work: Vec<ObjectId> = exported.map(|(g, _)| ObjectId(g as u32)).collect();
        let object = |t: &Target| match t {
            Target::Object(o, _) => Some(*o),
            _ => None,
        };
        work.extend(given.iter().filter_map(object));
        // Not by their types, which allocated blocks get later.
        let mut slots_of: FxHashMap<ObjectId, Vec<u32>> = FxHashMap::default();
        self.result.sets.keys().for_each(|(o, s)| slots_of.entry(*o).or_default().push(*s));
        let mut out = BTreeSet::new();
        while let Some(o) = work.pop() {
            if out.insert(o) {
                let mut held = Set::EMPTY;
                for s in slots_of.get(&o).into_iter().flatten().copied().chain([0]) {
                    held = self.result.union(held, self.result.content(Target::Object(o, s), self.memory));
                }
                let held = self.result.members(held);
                outside |= held.iter().any(is_outside);
                work.extend(held.iter().filter_map(object));
            }
        }
        (out, outside)
    }

    /// Stores what functions without body can access in all that they can access.
    pub(super) fn store_outside(&mut self, handed: &BTreeSet<ObjectId>) {
        if handed.is_empty() {
            return;
        }
        let places = |o: ObjectId| {
            let slots = self.memory.layouts.slots(&self.memory.get(o).ty).max(1);
            (0..slots).map(move |s| Target::Object(o, s))
        };
        let mut all: Vec<Target> = handed.iter().flat_map(|&o| places(o)).collect();
        let to = self.result.pool.get_mut().set(all.clone());
        all.push(Target::Foreign);
        let values = self.result.pool.get_mut().set(all);
        self.store(to, values);
        self.store(self.result.of(Target::Foreign), values);
    }
}

/// Is it memory of the environment?
fn is_outside(t: &Target) -> bool {
    matches!(t, Target::Unknown | Target::Foreign | Target::Fixed)
}
