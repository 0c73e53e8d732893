//! What happens in a block, for the [story](crate::story) of a run: the log of a block, and the names of
//! variables.
//!
//! Edges of one block share its log up to where they leave it.

use std::sync::Arc;

use palisade_term::Term;
use rustc_hash::{FxHashMap, FxHashSet};

use super::state::RawEdge;
use super::{Encoder, VarKey};
use crate::addresses::{Addresses, Part, Pointee};
use crate::ir::{FuncId, Function, NodeKind, Span};
use crate::memory::{Kind, Leaf, ObjectId, function_address};
use crate::story::{Event, Frame, Name, Placed, Story};
use crate::types::Type;

impl Encoder<'_> {
    pub(super) fn log(&mut self, event: Event) {
        if let Some(log) = self.logs.last_mut() {
            log.push(event);
        }
    }

    /// The condition at hand is no choice: the block goes on.
    pub(super) fn keep_tail(&mut self) {
        let tail = std::mem::take(&mut self.state.tail);
        tail.into_iter().for_each(|event| self.log(event));
    }

    /// Everything that happens on an edge.
    pub(super) fn events_of(&self, edge: &RawEdge) -> Vec<Event> {
        let (log, upto) = edge.log;
        self.logs[log][..upto].iter().chain(&edge.tail).cloned().collect()
    }

    /// The story, without its sources.
    pub(super) fn story(&mut self, edges: Vec<Vec<Event>>, unset: Vec<Vec<(Term, Term)>>) -> Story {
        let frame = |i: &crate::inline::Instance| Frame {
            function: self.unit.function(i.function).name.clone(),
            caller: i.caller.map(|c| c.0.0),
        };
        let frames = self.instances.all.iter().map(frame).collect();
        let keys: Vec<(VarKey, Term)> = self.vars.iter().map(|(k, t)| (*k, *t)).collect();
        let names: FxHashMap<Term, Name> =
            keys.into_iter().filter_map(|(k, t)| Some((t, self.source_name(k)?))).collect();
        let addresses = self.addresses(&names);
        let placed = |n: &crate::numbers::Numbered| {
            let multiple = *self.vars.get(&VarKey::Number(n.object))?;
            Some(Placed { multiple, align: n.align, size: n.size })
        };
        let numbers = self.numbers.all.iter().filter_map(placed).collect();
        let (sources, sites, assertions) = (Vec::new(), Vec::new(), self.assertions());
        let placement = Some(self.placement);
        Story { sources, frames, edges, unset, names, addresses, numbers, placement, assertions, sites }
    }

    /// The assertions of all functions that have an instance.
    fn assertions(&self) -> Vec<(Arc<str>, Span, u32)> {
        let mut out = Vec::new();
        let mut seen = FxHashSet::default();
        for (i, instance) in self.instances.all.iter().enumerate() {
            if !seen.insert(instance.function.0) {
                continue;
            }
            for node in &self.unit.function(instance.function).nodes {
                if let NodeKind::Error(property) = &node.kind {
                    out.push((property.clone(), node.span, i as u32));
                }
            }
        }
        out
    }

    /// The objects that pointers can point to, functions, and what the types of pointers look like.
    fn addresses(&self, names: &FxHashMap<Term, Name>) -> Addresses {
        let layouts = &self.memory.layouts;
        let records = &self.unit.records;
        let object = |o: &crate::memory::Object| {
            let part = match o.as_bytes {
                true => Part::of_bytes(&o.ty, o.extent, layouts),
                false => Part::new(&o.ty, layouts, records),
            };
            Pointee { name: o.name.clone(), base: o.base, part }
        };
        let objects = self.memory.objects.iter().filter(|o| o.exposed).map(object).collect();
        let mut types: Vec<Part> = Vec::new();
        for name in names.values() {
            if let Type::Pointer(to) = &name.ty
                && !matches!(**to, Type::Function(_) | Type::Void)
                && !types.iter().any(|t| t.ty == **to)
            {
                types.push(Part::new(to, layouts, records));
            }
        }
        let functions = self.unit.functions.iter().enumerate();
        let function = |(i, f): (usize, &Function)| (function_address(FuncId(i as u32)), f.name.clone());
        Addresses { objects, functions: functions.map(function).collect(), types }
    }

    /// What a variable of the automaton is in the source.
    fn source_name(&mut self, key: VarKey) -> Option<Name> {
        let (o, slot, cell) = match key {
            VarKey::Leaf(o, slot) => (o, Some(slot), None),
            VarKey::Cell(o, cell) => (o, None, Some(cell)),
            _ => return None,
        };
        let object = self.memory.get(o).clone();
        let (base, frame, scope, internal) = self.object_name(o);
        let internal = internal || base.starts_with(crate::library::PREFIX);
        let leaf = match (slot, cell) {
            (Some(slot), _) => self.leaf(o, slot)?,
            (None, Some(cell)) => {
                let leads = |l: &&Leaf| {
                    // The indices that lead to the cell, if it is one of this leaf.
                    let mut rest = cell - l.offset;
                    l.dims.iter().for_each(|d| rest = rest.rem_euclid(d.stride));
                    rest == 0 && cell >= l.offset && l.ty.is_scalar()
                };
                Arc::new(self.memory.layouts.leaves(&object.ty).iter().find(leads)?.clone())
            }
            (None, None) => return None,
        };
        let path = self.path(&object.ty, leaf.slot)?;
        let mut text = match path.strip_prefix('.') {
            Some(member) => crate::entry::joined(&base, ".", member),
            None => base + &path,
        };
        let mut strides: Vec<i128> = leaf.dims.iter().map(|d| d.stride).collect();
        if let Some(cell) = cell {
            let mut rest = cell - leaf.offset;
            for stride in strides.drain(..) {
                text = text.replacen("[]", &format!("[{}]", rest.div_euclid(stride)), 1);
                rest = rest.rem_euclid(stride);
            }
        }
        let internal = internal || leaf.tag || object.volatile;
        let origin = (object.exposed && !object.as_bytes).then(|| object.base + leaf.offset);
        let home = match object.kind {
            Kind::Global(_) if !self.unit.globals[o.0 as usize].exported => scope.map(|s| s.unit),
            _ => None,
        };
        Some(Name { text, frame, ty: leaf.ty.clone(), strides, origin, internal, scope, home })
    }

    /// The name of an object in the source, its frame and scope, and whether the source has no name for it.
    fn object_name(&self, o: ObjectId) -> (String, Option<u32>, Option<Span>, bool) {
        match self.memory.get(o).kind {
            Kind::Global(_) => {
                let var = &self.unit.globals[o.0 as usize].var;
                // `f::x` is a static variable of a function; a string literal is its text.
                let literal = var.name.starts_with('"');
                let ours = literal || var.temporary || var.name.starts_with("__palisade_");
                (var.name.clone(), None, var.visible, ours)
            }
            Kind::Local(i) => {
                let instance = self.instances.get(i);
                let var = &self.unit.function(instance.function).vars[(o.0 - instance.first_var) as usize];
                (var.name.clone(), Some(i.0), var.visible, var.temporary)
            }
            Kind::Heap { .. } => (self.memory.get(o).name.clone(), None, None, false),
        }
    }

    /// The path from an object to the leaf of a slot, as C with open indices: `.a[].b`.
    fn path(&self, ty: &Type, slot: u32) -> Option<String> {
        let (mut ty, mut slot) = (ty.clone(), slot);
        let mut out = String::new();
        loop {
            ty = match &ty {
                Type::Array(t, _) => {
                    out.push_str("[]");
                    (**t).clone()
                }
                Type::Record(r) => {
                    let fields = self.unit.records.fields(*r);
                    let inside = |k: &usize| {
                        let (first, _) = self.memory.layouts.field(*r, *k as u32);
                        first <= slot && slot < first + self.memory.layouts.slots(&fields[*k].ty)
                    };
                    let Some(k) = (0..fields.len()).find(inside) else {
                        // The tag of a union.
                        return Some(out);
                    };
                    slot -= self.memory.layouts.field(*r, k as u32).0;
                    if !fields[k].name.is_empty() {
                        out.push('.');
                        out.push_str(&fields[k].name);
                    }
                    fields[k].ty.clone()
                }
                _ => return Some(out),
            };
        }
    }
}
