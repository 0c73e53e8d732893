//! Points-to analysis: for every pointer the parts of objects it may point to.
//!
//! Inclusion-based (Andersen), flow-insensitive, on the inlined program: so it is sensitive to the calling
//! context, to fields (slots), and not to array indices. Assumes that pointer arithmetic stays inside the
//! array it starts in, as C demands, except in objects that pointers see as bytes: all parts of such an
//! object are one.
//!
//! An assignment is looked at again only when a set that it read has grown. The result is the least solution,
//! whatever the order.

use std::cell::RefCell;
use std::collections::{BTreeSet, VecDeque};
use std::rc::Rc;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::inline::{InstanceId, Instances};
use crate::ir::{Callee, Expr, ExprKind, FuncId, Instr, NodeKind, Part, Place, PlaceKind, Unit};
use crate::memory::{Kind, Memory, ObjectId};
use crate::options::{COptions, UndefinedMemory};
use crate::types::Type;

mod contents;
mod escaped;
mod sets;

use contents::Contents;
use sets::{Pool, Set};

/// What a pointer may point to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Target {
    /// A part of an object.
    Object(ObjectId, u32),
    /// A function.
    Function(FuncId),
    /// Memory of the environment.
    Unknown,
    /// Memory of the environment at an address that the program gives as a number.
    Fixed,
    /// What a function without body returned: memory of the environment, or part of an object that it could
    /// access.
    Foreign,
}

/// The result of the analysis.
#[derive(Default)]
pub struct PointsTo {
    /// Pointers in allocated memory that was never written point nowhere, not to the environment.
    strict: bool,
    /// Every scalar may hold a pointer, or bytes of one.
    all: bool,
    /// All that is in a union is one part.
    joined: bool,
    /// Functions without body store what they can access in all that they can access. (Not for the encoder:
    /// it refuses pointers that they may have changed, and numbers that they chose as pointers.)
    outside: bool,
    /// What an integer that becomes a pointer may point to, besides what it was computed from.
    exposed: Set,
    /// Functions without body know the objects with external linkage.
    linkage: bool,
    pool: RefCell<Pool>,
    contents: RefCell<Contents>,
    sets: FxHashMap<(ObjectId, u32), Set>,
    /// What pointers in memory of the environment may point to, besides more of that memory.
    environment: Set,
    /// The objects that functions without body can access: those with external linkage, those whose address
    /// they were given or has become a number, and what these point to. Empty if no such function is called.
    escaped: BTreeSet<ObjectId>,
    /// The same, with objects that cannot be changed: pointers in them lead on.
    handed: BTreeSet<ObjectId>,
    /// They are given pointers by which they can change memory of the environment.
    environment_escapes: bool,
}

/// A set of targets. Those of one analysis can be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TargetSet(Set);

/// What was looked at for a set of targets: most pointers of a large program have one of a few sets.
pub struct Seen<T>(FxHashMap<TargetSet, Vec<T>>);

impl<T> Default for Seen<T> {
    fn default() -> Self {
        Seen(FxHashMap::default())
    }
}

impl<T: PartialEq> Seen<T> {
    /// Notes something; says whether it is new.
    pub fn is_new(&mut self, set: TargetSet, what: T) -> bool {
        let known = self.0.entry(set).or_default();
        let new = !known.contains(&what);
        if new {
            known.push(what);
        }
        new
    }
}

/// One assignment that moves pointers.
enum Flow<'u> {
    /// Destination, value, and the instances they are to be read in.
    Assign(&'u Place, InstanceId, &'u Expr, InstanceId),
    /// An argument to a parameter.
    Param(ObjectId, &'u Expr, InstanceId),
    /// A result: destination in the caller, and the variable of the callee.
    Result(&'u Place, InstanceId, ObjectId),
    /// An address.
    Address(&'u Place, InstanceId, Target),
    /// A parameter of the entry function.
    Entry(ObjectId),
    /// A pointer that becomes a number: that may be read as a pointer in memory of the environment.
    Number(&'u Expr, InstanceId),
}

/// Where an expression is to be read.
#[derive(Clone, Copy)]
struct At<'a, 'u> {
    i: InstanceId,
    instances: &'a Instances,
    memory: &'a Memory<'u>,
}

struct Analysis<'a, 'u> {
    unit: &'u Unit,
    instances: &'a Instances,
    memory: &'a Memory<'u>,
    result: PointsTo,
    track: Track,
}

/// The part of an object that has a set; `None`: memory of the environment.
type Holder = Option<(ObjectId, u32)>;

/// What assignments read and enlarge.
#[derive(Default)]
struct Track {
    /// The sets of places that the current one has read.
    read: Vec<Set>,
    /// Those in which more is stored since then.
    grown: Vec<Set>,
    /// The assignments that read a set of places when they were looked at last, and the same by assignment.
    readers: FxHashMap<Set, FxHashSet<u32>>,
    reads: FxHashMap<u32, Vec<Set>>,
    /// What was stored in each set of places.
    stored: FxHashMap<Set, Set>,
}

impl PointsTo {
    /// Runs the analysis.
    pub fn new<'u>(
        unit: &'u Unit,
        instances: &Instances,
        memory: &Memory<'u>,
        options: &COptions,
    ) -> PointsTo {
        let linkage = options.undefined == UndefinedMemory::Report;
        // Integers that become pointers again are followed like pointers.
        let all = crate::numbers::come_back(unit, instances, options);
        let result = PointsTo { strict: options.checks.memory(), linkage, all, ..PointsTo::default() };
        Analysis { unit, instances, memory, result, track: Track::default() }.solve()
    }

    /// The same where every scalar may hold a pointer, or bytes of one. `exposed`: what an integer that
    /// becomes a pointer may point to, besides what it was computed from. `outside`: what functions without
    /// body store counts.
    pub fn of_all_scalars<'u>(
        unit: &'u Unit,
        instances: &Instances,
        memory: &Memory<'u>,
        exposed: &BTreeSet<Target>,
        outside: bool,
    ) -> PointsTo {
        let mut result = PointsTo { all: true, joined: true, outside, ..PointsTo::default() };
        result.exposed = result.pool.get_mut().set(exposed.iter().copied().collect());
        Analysis { unit, instances, memory, result, track: Track::default() }.solve()
    }

    /// Does it follow integers that hold an address?
    pub fn follows_integers(&self) -> bool {
        self.all
    }

    /// May an address be stored as a number where other scalars share its bits, or in memory of the
    /// environment? `word`: the bytes of an address; a smaller object does not hold a whole one.
    pub fn holds_hidden_numbers(&self, memory: &Memory<'_>, word: i128) -> bool {
        let shared = |o: ObjectId| {
            let object = memory.get(o);
            let small = memory.layouts.size(&object.ty).is_some_and(|n| n < word);
            let leaves = memory.layouts.leaves(&object.ty);
            let overlaid = leaves.iter().any(|l| !l.unions.is_empty() || l.tag || l.bit_field);
            !small && (object.as_bytes || overlaid)
        };
        let pointers = |o: ObjectId| memory.layouts.pointer_slots(&memory.get(o).ty);
        let hidden = self.sets.iter().filter(|(_, set)| **set != Set::EMPTY);
        let mut hidden = hidden.map(|((o, s), _)| (*o, *s));
        hidden.any(|(o, s)| shared(o) && (memory.get(o).as_bytes || !pointers(o).contains(&s)))
            || self.environment != Set::EMPTY
    }

    /// The objects that functions without body can access.
    pub fn escaped(&self) -> &BTreeSet<ObjectId> {
        &self.escaped
    }

    /// The objects that functions without body can access, with those that they cannot change.
    pub fn handed(&self) -> &BTreeSet<ObjectId> {
        &self.handed
    }

    /// Can functions without body change memory of the environment by pointers that they are given?
    pub fn environment_escapes(&self) -> bool {
        self.environment_escapes
    }

    /// For every object the places that may hold a pointer to it: object, holder, slot.
    pub fn holders(&self, memory: &Memory<'_>) -> Vec<(ObjectId, ObjectId, u32)> {
        let mut out = Vec::new();
        for (holder, slots, set) in self.places(memory) {
            for t in self.members(set).iter() {
                if let Target::Object(o, _) = t {
                    out.extend(slots.iter().map(|slot| (*o, holder, *slot)));
                }
            }
        }
        out.sort_unstable();
        out.dedup();
        out
    }

    /// The places that may hold pointers to more than one object or function.
    pub fn undecided(&self, memory: &Memory<'_>) -> BTreeSet<(ObjectId, u32)> {
        let mut seen: FxHashMap<(ObjectId, u32), Target> = FxHashMap::default();
        let mut out = BTreeSet::new();
        for (holder, slots, set) in self.places(memory) {
            for t in self.members(set).iter() {
                let what = match t {
                    Target::Object(o, _) => Target::Object(*o, 0),
                    Target::Function(_) => *t,
                    _ => continue,
                };
                for &slot in &slots {
                    if *seen.entry((holder, slot)).or_insert(what) != what {
                        out.insert((holder, slot));
                    }
                }
            }
        }
        out
    }

    /// The places that hold pointers, by their objects: their slots, and what they may hold.
    fn places(&self, memory: &Memory<'_>) -> Vec<(ObjectId, Vec<u32>, Set)> {
        let mut out = Vec::new();
        for (&(holder, slot), set) in &self.sets {
            let pointers = || memory.layouts.pointer_slots(&memory.get(holder).ty);
            let slots = match memory.get(holder).as_bytes {
                true => pointers().to_vec(),
                // A number does not change when its object ends.
                false if self.all && !pointers().contains(&slot) => continue,
                false => vec![slot],
            };
            out.push((holder, slots, *set));
        }
        out
    }

    /// May memory of the environment hold pointers to objects?
    pub fn environment_leads(&self) -> bool {
        self.members(self.environment).iter().any(|t| matches!(t, Target::Object(..)))
    }

    /// May memory of the environment hold a pointer to an object?
    pub fn environment_holds(&self, o: ObjectId) -> bool {
        self.members(self.environment).iter().any(|t| matches!(t, Target::Object(x, _) if *x == o))
    }

    /// The last part of each object that a pointer was found to.
    pub fn last_parts(&self) -> FxHashMap<ObjectId, u32> {
        let mut out: FxHashMap<ObjectId, u32> = FxHashMap::default();
        self.pool.borrow().all().for_each(|t| {
            if let Target::Object(o, slot) = *t {
                let last = out.entry(o).or_default();
                *last = slot.max(*last);
            }
        });
        out
    }

    /// What the value of a pointer expression may point to, as the number of a set: equal sets have the same.
    pub fn target_set(
        &self,
        e: &Expr,
        i: InstanceId,
        instances: &Instances,
        memory: &Memory<'_>,
    ) -> TargetSet {
        TargetSet(self.value(e, At { i, instances, memory }, &mut Vec::new()))
    }

    /// The places that a place may be.
    pub fn place_set(
        &self,
        p: &Place,
        i: InstanceId,
        instances: &Instances,
        memory: &Memory<'_>,
    ) -> TargetSet {
        TargetSet(self.place(p, At { i, instances, memory }, &mut Vec::new()))
    }

    /// What may be stored at some places.
    pub fn stored_in(&self, places: TargetSet, memory: &Memory<'_>) -> TargetSet {
        TargetSet(self.contents(places.0, memory, &mut Vec::new()))
    }

    /// The targets in a set.
    pub fn members_of(&self, set: TargetSet) -> Rc<[Target]> {
        self.members(set.0)
    }

    /// What the value of a pointer expression may point to.
    pub fn targets(
        &self,
        e: &Expr,
        i: InstanceId,
        instances: &Instances,
        memory: &Memory<'_>,
    ) -> Vec<Target> {
        self.members_of(self.target_set(e, i, instances, memory)).to_vec()
    }

    fn members(&self, set: Set) -> Rc<[Target]> {
        self.pool.borrow().get(set)
    }

    fn of(&self, t: Target) -> Set {
        self.pool.borrow_mut().of(t)
    }

    fn union(&self, a: Set, b: Set) -> Set {
        self.pool.borrow_mut().union(a, b)
    }

    /// What a value may point to. `read`: gets the places whose contents were looked at.
    fn value(&self, e: &Expr, at: At<'_, '_>, read: &mut Vec<Set>) -> Set {
        match &e.kind {
            ExprKind::Load(p) => {
                let places = self.place(p, at, read);
                self.contents(places, at.memory, read)
            }
            ExprKind::Address(p) => self.place(p, at, read),
            ExprKind::Function(f) => self.of(Target::Function(*f)),
            ExprKind::Const(v) if *v != 0 && matches!(e.ty, Type::Pointer(_)) => self.of(Target::Fixed),
            ExprKind::Rounded(_, a) => self.value(a, at, read),
            ExprKind::Cast(a) | ExprKind::PtrAdd(a, _, _) => {
                let set = self.value(a, at, read);
                let number = a.ty.as_int().is_some() && matches!(e.ty, Type::Pointer(_));
                let set = if number && self.all { self.union(set, self.exposed) } else { set };
                // A register whose address is computed.
                let register = number && at.memory.leads_to_registers(&e.ty);
                if register { self.union(set, self.of(Target::Fixed)) } else { set }
            }
            ExprKind::Cond(_, a, b) => {
                let (a, b) = (self.value(a, at, read), self.value(b, at, read));
                self.union(a, b)
            }
            ExprKind::Binary(_, a, b) | ExprKind::PtrSub(a, b) if self.all => {
                let (a, b) = (self.value(a, at, read), self.value(b, at, read));
                self.union(a, b)
            }
            ExprKind::Neg(a) | ExprKind::BitNot(a) if self.all => self.value(a, at, read),
            ExprKind::Float(_, args) if self.all => {
                args.iter().fold(Set::EMPTY, |set, a| self.union(set, self.value(a, at, read)))
            }
            _ => Set::EMPTY,
        }
    }

    /// The slot whose set has what is stored at a slot.
    fn holder(&self, o: ObjectId, s: u32, memory: &Memory<'_>) -> u32 {
        if self.joined { memory.layouts.joined(&memory.get(o).ty, s) } else { s }
    }

    /// What a value that is passed on may point to, with all members of a struct.
    pub fn passed(&self, e: &Expr, i: InstanceId, instances: &Instances, memory: &Memory<'_>) -> Vec<Target> {
        let (Type::Record(_), ExprKind::Load(p)) = (&e.ty, &e.kind) else {
            return self.targets(e, i, instances, memory);
        };
        let mut read = Vec::new();
        let places = self.place(p, At { i, instances, memory }, &mut read);
        let mut out = Set::EMPTY;
        for t in self.members(places).iter() {
            match *t {
                Target::Object(o, s) => {
                    for s in s..s + memory.layouts.slots(&e.ty) {
                        let held = self.content(Target::Object(o, memory.part_of(o, s)), memory);
                        out = self.union(out, held);
                    }
                }
                other => out = self.union(out, self.content(other, memory)),
            }
        }
        self.members(out).to_vec()
    }

    /// What the pointers stored at some targets may point to.
    fn contents(&self, places: Set, memory: &Memory<'_>, read: &mut Vec<Set>) -> Set {
        read.push(places);
        let mut contents = self.contents.borrow_mut();
        let Contents { known, with } = &mut *contents;
        if let Some((held, more)) = known.get_mut(&places) {
            if !more.is_empty() {
                more.push(*held);
                *held = self.pool.borrow_mut().union_of(std::mem::take(more));
            }
            return *held;
        }
        let members = self.members(places);
        for t in members.iter() {
            if let Some(holder) = self.holder_of(*t, memory) {
                let sets = with.entry(holder).or_default();
                if sets.last() != Some(&places) {
                    sets.push(places);
                }
            }
        }
        let parts = members.iter().map(|t| self.content(*t, memory)).collect();
        let held = self.pool.borrow_mut().union_of(parts);
        known.insert(places, (held, Vec::new()));
        held
    }

    /// Who has what is stored at a target; `None`: nothing is stored there.
    fn holder_of(&self, t: Target, memory: &Memory<'_>) -> Option<Holder> {
        match t {
            Target::Object(o, s) => Some(Some((o, self.holder(o, s, memory)))),
            Target::Unknown | Target::Foreign => Some(None),
            Target::Fixed if self.all => Some(None),
            Target::Function(_) | Target::Fixed => None,
        }
    }

    /// What the pointer stored at a target may point to.
    fn content(&self, t: Target, memory: &Memory<'_>) -> Set {
        match t {
            Target::Object(o, s) => {
                let held = self.sets.get(&(o, self.holder(o, s, memory))).copied().unwrap_or_default();
                // Indeterminate memory from outside may hold pointers to memory of the environment.
                match memory.get(o).kind {
                    Kind::Heap { zero: false, .. } if self.strict => held,
                    Kind::Global(true) if !self.all && !memory.may_hold_pointers(o) => held,
                    Kind::Heap { zero: false, .. } | Kind::Global(true) => {
                        self.union(held, self.of(Target::Unknown))
                    }
                    _ => held,
                }
            }
            Target::Unknown | Target::Foreign => self.union(self.of(t), self.environment),
            Target::Fixed if self.all => self.union(self.of(t), self.environment),
            Target::Function(_) | Target::Fixed => Set::EMPTY,
        }
    }

    fn place(&self, p: &Place, at: At<'_, '_>, read: &mut Vec<Set>) -> Set {
        match &p.kind {
            PlaceKind::Var(v) => self.of(Target::Object(at.memory.object_of(*v, at.instances, at.i), 0)),
            PlaceKind::Deref(e) => self.value(e, at, read),
            PlaceKind::Index(base, _) => self.place(base, at, read),
            PlaceKind::Field(base, k) => {
                let Type::Record(r) = base.ty else { return Set::EMPTY };
                let (slot, _) = at.memory.layouts.field(r, *k);
                let whole = self.place(base, at, read);
                self.shifted(whole, slot, at.memory)
            }
        }
    }

    fn shifted(&self, set: Set, by: u32, memory: &Memory<'_>) -> Set {
        self.pool.borrow_mut().shifted(set, by, memory)
    }
}

impl<'u> Analysis<'_, 'u> {
    fn solve(mut self) -> PointsTo {
        let flows = self.flows();
        let mut queue: VecDeque<u32> = (0..flows.len() as u32).collect();
        let mut waits = vec![true; flows.len()];
        let (handed, outside) = loop {
            while let Some(k) = queue.pop_front() {
                waits[k as usize] = false;
                self.apply(&flows[k as usize]);
                self.note_read(k);
                self.wake(&mut queue, &mut waits);
            }
            let (handed, outside) = self.escaped();
            if self.result.outside {
                self.store_outside(&handed);
            }
            self.wake(&mut queue, &mut waits);
            if queue.is_empty() {
                break (handed, outside);
            }
        };
        let changes = handed.iter().filter(|o| !self.memory.get(**o).constant);
        self.result.escaped = changes.copied().collect();
        (self.result.handed, self.result.environment_escapes) = (handed, outside);
        self.result
    }

    /// Queues the assignments that have read what has grown.
    fn wake(&mut self, queue: &mut VecDeque<u32>, waits: &mut [bool]) {
        for places in std::mem::take(&mut self.track.grown) {
            let Some(readers) = self.track.readers.get(&places) else { continue };
            let mut readers: Vec<u32> = readers.iter().copied().filter(|k| !waits[*k as usize]).collect();
            readers.sort_unstable();
            for k in readers {
                waits[k as usize] = true;
                queue.push_back(k);
            }
        }
    }

    /// Notes which sets of places an assignment has read. What it read before does not matter any more: most
    /// sets are what a larger one was once.
    fn note_read(&mut self, k: u32) {
        let mut read = std::mem::take(&mut self.track.read);
        read.sort_unstable();
        read.dedup();
        let before = self.track.reads.get(&k).map_or(&[][..], |before| before);
        if before == read {
            return;
        }
        for places in before.iter().filter(|places| read.binary_search(places).is_err()) {
            let Some(readers) = self.track.readers.get_mut(places) else { continue };
            readers.remove(&k);
            if readers.is_empty() {
                self.track.readers.remove(places);
                self.result.contents.get_mut().forget(*places);
            }
        }
        for places in read.iter().filter(|places| before.binary_search(places).is_err()) {
            self.track.readers.entry(*places).or_default().insert(k);
        }
        self.track.reads.insert(k, read);
    }

    /// The parts of a type that pointers can be in.
    fn pointer_slots(&self, ty: &Type) -> Arc<[u32]> {
        match self.result.all {
            true => (0..self.memory.layouts.slots(ty)).collect(),
            false => self.memory.layouts.pointer_slots(ty),
        }
    }

    fn moves_pointers(&self, ty: &Type) -> bool {
        match ty {
            _ if self.result.all => !matches!(ty, Type::Void | Type::Function(_)),
            _ => self.holds_pointers(ty),
        }
    }

    fn holds_pointers(&self, ty: &Type) -> bool {
        match ty {
            Type::Pointer(_) => true,
            Type::Record(_) | Type::Array(..) => !self.memory.layouts.pointer_slots(ty).is_empty(),
            _ => false,
        }
    }

    /// All assignments that move pointers.
    fn flows(&self) -> Vec<Flow<'u>> {
        let unit = self.unit;
        let main = InstanceId(0);
        let mut out = Vec::new();
        for g in &unit.globals {
            for (p, e) in &g.init {
                if self.moves_pointers(&p.ty) {
                    out.push(Flow::Assign(p, main, e, main));
                }
            }
        }
        let entry = self.instances.get(main);
        for &p in &unit.function(entry.function).params {
            let o = ObjectId(entry.first_var + p);
            if self.holds_pointers(&self.memory.get(o).ty) {
                out.push(Flow::Entry(o));
            }
        }
        if self.memory.mixed {
            let note = &mut |part: Part<'u>, i| {
                if let Part::Expr(e) = part
                    && let Some(pointer) = crate::numbers::becomes_number(e)
                {
                    out.push(Flow::Number(pointer, i));
                }
            };
            crate::numbers::visit(unit, self.instances, note);
        }
        // Which nodes matter is the same for all instances of a function.
        let relevant: Vec<Vec<u32>> =
            unit.functions.iter().enumerate().map(|(f, _)| self.relevant(f)).collect();
        for (n, instance) in self.instances.all.iter().enumerate() {
            let i = InstanceId(n as u32);
            let f = unit.function(instance.function);
            for &k in &relevant[instance.function.0 as usize] {
                let NodeKind::Instr(instr, _) = &f.nodes[k as usize].kind else { continue };
                match instr {
                    Instr::Assign(p, e) => out.push(Flow::Assign(p, i, e, i)),
                    Instr::Nondet(Some(p), n) if self.holds_pointers(&p.ty) => {
                        let from = if n.foreign { Target::Foreign } else { Target::Unknown };
                        out.push(Flow::Address(p, i, from));
                    }
                    Instr::Alloc { dest, site, .. } => {
                        let block = self.memory.block(self.instances, i, *site);
                        out.push(Flow::Address(dest, i, Target::Object(block, 0)));
                    }
                    Instr::Call { dest, args, .. } => {
                        let targets = self.instances.calls.get(&(i, crate::ir::NodeId(k)));
                        for t in targets.into_iter().flatten() {
                            let Some(callee) = t.instance else { continue };
                            let first = self.instances.get(callee).first_var;
                            let g = unit.function(t.function);
                            for (&p, a) in g.params.iter().zip(args) {
                                out.push(Flow::Param(ObjectId(first + p), a, i));
                            }
                            if let (Some(d), Some(r)) = (dest, g.result) {
                                out.push(Flow::Result(d, i, ObjectId(first + r)));
                            }
                        }
                    }
                    _ => {}
                }
            }
        }
        out
    }

    fn relevant(&self, f: usize) -> Vec<u32> {
        let function = &self.unit.functions[f];
        let reachable = &self.instances.reachable[f];
        let nodes = function.nodes.iter().enumerate().filter(|(k, _)| reachable[*k]);
        nodes
            .filter(|(_, node)| match &node.kind {
                NodeKind::Instr(Instr::Assign(p, _) | Instr::Nondet(Some(p), _), _) => {
                    self.moves_pointers(&p.ty)
                }
                NodeKind::Instr(Instr::Alloc { .. }, _) => true,
                NodeKind::Instr(Instr::Call { dest, callee, args }, _) => {
                    matches!(callee, Callee::Indirect(_))
                        || args.iter().any(|a| self.moves_pointers(&a.ty))
                        || dest.as_ref().is_some_and(|d| self.moves_pointers(&d.ty))
                }
                _ => false,
            })
            .map(|(k, _)| k as u32)
            .collect()
    }

    fn apply(&mut self, flow: &Flow<'u>) {
        match flow {
            Flow::Assign(p, i, e, j) => match (&p.ty, &e.kind) {
                (Type::Record(_), ExprKind::Load(q)) => {
                    let (to, from) = (self.places(p, *i), self.places(q, *j));
                    self.copy(&p.ty, to, from);
                }
                _ => {
                    let values = self.values(e, *j);
                    let to = self.places(p, *i);
                    self.store(to, values);
                }
            },
            Flow::Param(o, e, i) => {
                let to = self.result.of(Target::Object(*o, 0));
                let ty = self.memory.get(*o).ty.clone();
                match (&ty, &e.kind) {
                    (Type::Record(_), ExprKind::Load(q)) => {
                        let from = self.places(q, *i);
                        self.copy(&ty, to, from);
                    }
                    _ => {
                        let values = self.values(e, *i);
                        self.store(to, values);
                    }
                }
            }
            Flow::Result(p, i, o) => {
                let (to, from) = (self.places(p, *i), self.result.of(Target::Object(*o, 0)));
                self.copy(&p.ty, to, from);
            }
            Flow::Address(p, i, t) => {
                let (to, value) = (self.places(p, *i), self.result.of(*t));
                let slots = match p.ty.is_scalar() {
                    true => Arc::from([0]),
                    false => self.memory.layouts.pointer_slots(&p.ty),
                };
                for &s in &*slots {
                    self.store(self.result.shifted(to, s, self.memory), value);
                }
            }
            Flow::Number(e, i) => {
                let values = self.values(e, *i);
                self.store(self.result.of(Target::Unknown), values);
            }
            Flow::Entry(o) => {
                self.store(self.result.of(Target::Object(*o, 0)), self.result.of(Target::Unknown));
            }
        }
    }

    fn at(&self, i: InstanceId) -> At<'_, 'u> {
        At { i, instances: self.instances, memory: self.memory }
    }

    fn places(&mut self, p: &Place, i: InstanceId) -> Set {
        let mut read = std::mem::take(&mut self.track.read);
        let places = self.result.place(p, self.at(i), &mut read);
        self.track.read = read;
        places
    }

    fn values(&mut self, e: &Expr, i: InstanceId) -> Set {
        let mut read = std::mem::take(&mut self.track.read);
        let values = self.result.value(e, self.at(i), &mut read);
        self.track.read = read;
        values
    }

    fn targets_of(&self, e: &Expr, i: InstanceId) -> Vec<Target> {
        self.result.targets(e, i, self.instances, self.memory)
    }

    fn store(&mut self, to: Set, values: Set) {
        let before = self.track.stored.get(&to).copied().unwrap_or_default();
        let stored = self.result.union(before, values);
        if stored == before {
            return;
        }
        self.track.stored.insert(to, stored);
        for t in self.result.members(to).iter() {
            let Some(holder) = self.result.holder_of(*t, self.memory) else { continue };
            let old = match holder {
                Some(key) => self.result.sets.get(&key).copied().unwrap_or_default(),
                None => self.result.environment,
            };
            let all = self.result.union(old, values);
            if all != old {
                match holder {
                    Some(key) => drop(self.result.sets.insert(key, all)),
                    None => self.result.environment = all,
                }
                self.result.contents.get_mut().grow(holder, values, &mut self.track.grown);
            }
        }
    }

    /// Copies the pointers of a whole object.
    fn copy(&mut self, ty: &Type, to: Set, from: Set) {
        let slots = if ty.is_scalar() { Arc::from([0]) } else { self.pointer_slots(ty) };
        for &s in &*slots {
            let from = self.result.shifted(from, s, self.memory);
            let values = self.result.contents(from, self.memory, &mut self.track.read);
            self.store(self.result.shifted(to, s, self.memory), values);
        }
    }
}
