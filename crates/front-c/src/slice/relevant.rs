//! What the property can see: a backward slice over data and control dependences (Weiser: Program slicing,
//! 1984), on the flat program, without regard to the order of statements.
//!
//! A *part* is a slot of an object (or the whole object where it cannot be divided), or memory of the
//! environment, which is one part. A part is relevant if a relevant statement reads it. A statement is
//! relevant if it may write a relevant part, if it ends the run or violates the property, or if it is a
//! branch that decides whether a relevant statement is executed. A call is relevant if a relevant statement
//! is in the function. A parameter is a part; the call writes it.

use rustc_hash::FxHashMap;

use super::exact::Exact;
use super::flat::Flat;
use super::regions::Regions;
use crate::inline::InstanceId;
use crate::ir::{Callee, Expr, ExprKind, Instr, NodeId, NodeKind, Part as Piece, Place, PlaceKind, Unit};
use crate::memory::{Memory, ObjectId};
use crate::points_to::{PointsTo, Target};
use crate::types::{Len, Type};

/// A slot of an object.
type Part = (ObjectId, u32);

/// Memory of the environment.
const ENVIRONMENT: Part = (ObjectId(u32::MAX), 0);

/// The slot that stands for all members of unions of an object.
const UNIONS: u32 = u32::MAX;

/// Something that writes a part.
#[derive(Clone, Copy)]
enum Writer {
    Node(u32),
    /// The argument of a call.
    Argument(u32, u32),
    /// The result of a call.
    Result(u32),
    /// An initialiser of a global variable.
    Initial(u32, u32),
}

/// What is relevant; statements are numbered as in [`Flat`].
pub(super) struct Relevant<'a, 'u> {
    unit: &'u Unit,
    flat: &'a Flat,
    memory: &'a Memory<'u>,
    points_to: &'a PointsTo,
    regions: &'a [Option<Regions>],
    /// What may not come to its end is relevant.
    careful: Option<&'a Exact<'a>>,
    writers: FxHashMap<Part, Vec<Writer>>,
    slots: FxHashMap<Part, u32>,
    callers: Vec<Vec<u32>>,
    owner: Vec<InstanceId>,
    parts: FxHashMap<Part, ()>,
    new_parts: Vec<Part>,
    new_nodes: Vec<u32>,
    /// The statements.
    pub(super) nodes: Vec<bool>,
    /// The arguments of calls.
    pub(super) arguments: FxHashMap<(u32, u32), ()>,
    /// The results of calls.
    pub(super) results: FxHashMap<u32, ()>,
    /// The initialisers of global variables.
    pub(super) initials: FxHashMap<(u32, u32), ()>,
}

impl<'a, 'u> Relevant<'a, 'u> {
    /// Finds out what is relevant.
    pub(super) fn new(
        unit: &'u Unit,
        flat: &'a Flat,
        memory: &'a Memory<'u>,
        points_to: &'a PointsTo,
        regions: &'a [Option<Regions>],
        careful: Option<&'a Exact<'a>>,
    ) -> Relevant<'a, 'u> {
        let count = flat.instances.nodes as usize;
        let mut out = Relevant {
            unit,
            flat,
            memory,
            points_to,
            regions,
            careful,
            writers: FxHashMap::default(),
            slots: FxHashMap::default(),
            callers: vec![Vec::new(); flat.instances.all.len()],
            owner: Vec::with_capacity(count),
            parts: FxHashMap::default(),
            new_parts: Vec::new(),
            new_nodes: Vec::new(),
            nodes: vec![false; count],
            arguments: FxHashMap::default(),
            results: FxHashMap::default(),
            initials: FxHashMap::default(),
        };
        for (n, instance) in flat.instances.all.iter().enumerate() {
            let nodes = unit.function(instance.function).nodes.len();
            out.owner.extend(std::iter::repeat_n(InstanceId(n as u32), nodes));
        }
        for (g, global) in unit.globals.iter().enumerate() {
            for (k, (p, _)) in global.init.iter().enumerate() {
                out.writes(p, InstanceId(0), Writer::Initial(g as u32, k as u32));
            }
        }
        for n in 0..flat.instances.all.len() as u32 {
            out.collect(InstanceId(n));
        }
        out.solve();
        out
    }

    /// The number of a statement.
    pub(super) fn number(&self, i: InstanceId, n: u32) -> u32 {
        self.flat.instances.get(i).first_node + n
    }

    /// Collects what a function writes, and marks what is relevant for itself.
    fn collect(&mut self, i: InstanceId) {
        let f = self.flat.function(self.unit, i);
        let reachable = &self.flat.instances.reachable[self.flat.instances.get(i).function.0 as usize];
        let cyclic = crate::ends::on_cycles(f, &vec![false; f.nodes.len()]);
        for n in (0..f.nodes.len() as u32).filter(|n| reachable[*n as usize]) {
            let at = self.number(i, n);
            let node = &f.nodes[n as usize];
            let branch = matches!(node.kind, NodeKind::Branch(..) | NodeKind::Switch(..));
            let stops = |exact: &Exact<'_>| !exact.passes(&node.kind) || branch && cyclic[n as usize];
            if self.is_criterion(i, n) || self.careful.is_some_and(stops) {
                self.mark(at);
            }
            let NodeKind::Instr(instr, _) = &node.kind else { continue };
            // Code of the environment may also use pointers that it was given before.
            if matches!(instr, Instr::Nondet(_, n) if n.foreign) {
                self.outside(Writer::Node(at));
            }
            match instr {
                Instr::Assign(p, _)
                | Instr::Zero(p, _)
                | Instr::Havoc(p)
                | Instr::BlockSize(p, _)
                | Instr::Nondet(Some(p), _) => {
                    self.writes(p, i, Writer::Node(at));
                }
                Instr::Alloc { dest, site, .. } => {
                    self.writes(dest, i, Writer::Node(at));
                    let block = self.memory.block(&self.flat.instances, i, *site);
                    self.writes_object(block, Writer::Node(at));
                }
                Instr::Clear(e, _) => {
                    for t in self.points_to.targets(e, i, &self.flat.instances, self.memory) {
                        match t {
                            Target::Object(o, _) => self.writes_object(o, Writer::Node(at)),
                            Target::Function(_) => {}
                            _ => {
                                self.writers.entry(ENVIRONMENT).or_default().push(Writer::Node(at));
                                self.outside(Writer::Node(at));
                            }
                        }
                    }
                }
                Instr::Call { dest, .. } => {
                    if let Some(d) = dest {
                        self.writes(d, i, Writer::Result(at));
                    }
                    let targets = self.flat.instances.calls.get(&(i, NodeId(n))).cloned().unwrap_or_default();
                    for callee in targets.into_iter().filter_map(|t| t.instance) {
                        self.callers[callee.0 as usize].push(at);
                        let first = self.flat.instances.get(callee).first_var;
                        let params = &self.flat.function(self.unit, callee).params;
                        for (k, p) in params.iter().enumerate() {
                            self.writes_object(ObjectId(first + p), Writer::Argument(at, k as u32));
                        }
                    }
                }
                Instr::Nondet(None, _)
                | Instr::Nop
                | Instr::Scope { .. }
                | Instr::Free(_)
                | Instr::Open
                | Instr::Assume(_)
                | Instr::ChangesNothing(_)
                | Instr::Quit { .. } => {}
            }
        }
        // The lengths of arrays.
        let first = self.flat.instances.get(i).first_var;
        let mut lengths = Vec::new();
        f.vars.iter().for_each(|v| find_lengths(&v.ty, &mut lengths));
        for node in &f.nodes {
            node.kind.visit(&mut |piece| {
                if let Piece::Expr(e) = piece {
                    find_lengths(&e.ty, &mut lengths);
                }
            });
        }
        lengths.into_iter().for_each(|v| self.see((ObjectId(first + v), 0)));
    }

    /// Is a statement relevant for itself?
    fn is_criterion(&self, i: InstanceId, n: u32) -> bool {
        let f = self.flat.function(self.unit, i);
        let node = &f.nodes[n as usize];
        let function = self.flat.instances.get(i).function.0 as usize;
        let ends = match &node.kind {
            NodeKind::Halt | NodeKind::Error(_) | NodeKind::Undefined(_) | NodeKind::Unsupported(_) => true,
            NodeKind::Instr(Instr::Assume(_) | Instr::Quit { .. }, _) => true,
            NodeKind::Instr(Instr::ChangesNothing(_), _) => true,
            // What has ended cannot be compared.
            NodeKind::Instr(Instr::Free(_), _) => self.unit.moves,
            NodeKind::Instr(Instr::Call { callee: Callee::Direct(g), .. }, _) => {
                !self.unit.function(*g).defined()
            }
            NodeKind::Instr(Instr::Call { callee: Callee::Indirect(e), .. }, _) => {
                self.is_unknown_call(e, i, NodeId(n))
            }
            // Where all ways from a branch meet only at the end, it cannot be left out.
            NodeKind::Branch(..) | NodeKind::Switch(..) => {
                let regions = self.regions[function].as_ref();
                regions.is_none_or(|r| r.next[n as usize].is_none())
            }
            NodeKind::Instr(..) | NodeKind::Exit => false,
        };
        // Nobody knows where such a pointer points to.
        let mut made_up = false;
        node.kind.visit(&mut |part| {
            if let Piece::Expr(Expr { ty, kind: ExprKind::Unsupported(_), .. }) = part {
                made_up |= !matches!(ty, Type::Int(_) | Type::Ieee(_) | Type::Float(_));
            }
        });
        ends || made_up
    }

    /// May a call through a pointer be one of something else than functions of the program that fit?
    fn is_unknown_call(&self, e: &Expr, i: InstanceId, n: NodeId) -> bool {
        let known = self.flat.instances.calls.get(&(i, n));
        let all = self.points_to.targets(e, i, &self.flat.instances, self.memory);
        let is_known = |t: &Target| match t {
            Target::Function(g) => {
                known.into_iter().flatten().any(|k| k.function == *g && k.instance.is_some())
            }
            _ => false,
        };
        all.is_empty() || !all.iter().all(is_known)
    }

    // ---- parts --------------------------------------------------------------------------------------

    /// The part of an object at a slot.
    fn part(&mut self, o: ObjectId, slot: u32) -> Part {
        let slot = self.memory.part_of(o, slot);
        let memory = self.memory;
        let own = *self.slots.entry((o, slot)).or_insert_with(|| {
            let in_union = |l: crate::memory::Leaf| if l.unions.is_empty() && !l.tag { slot } else { UNIONS };
            match memory.get(o).as_bytes {
                true => 0,
                false => memory.layouts.leaf(&memory.get(o).ty, slot).map_or(slot, in_union),
            }
        });
        (o, own)
    }

    /// All parts of a place.
    fn parts_of(&mut self, p: &Place, i: InstanceId) -> Vec<Part> {
        let address = Expr {
            ty: p.ty.clone().pointer_to(),
            kind: ExprKind::Address(Box::new(p.clone())),
            span: p.span,
        };
        let count = if p.ty.is_scalar() { 1 } else { self.memory.layouts.slots(&p.ty).max(1) };
        let mut out = Vec::new();
        for t in self.points_to.targets(&address, i, &self.flat.instances, self.memory) {
            match t {
                Target::Object(o, s) => {
                    let last = if self.memory.get(o).as_bytes { s } else { s + count - 1 };
                    out.extend((s..=last).map(|s| self.part(o, s)));
                }
                Target::Foreign => {
                    out.push(ENVIRONMENT);
                    out.extend(self.escaped());
                }
                Target::Unknown | Target::Fixed => out.push(ENVIRONMENT),
                Target::Function(_) => {}
            }
        }
        out.sort_unstable();
        out.dedup();
        out
    }

    /// What code of the environment can change.
    fn escaped(&mut self) -> Vec<Part> {
        let objects: Vec<ObjectId> = self.points_to.escaped().iter().copied().collect();
        let mut out: Vec<Part> = objects.into_iter().flat_map(|o| self.parts_of_object(o)).collect();
        if self.points_to.environment_escapes() {
            out.push(ENVIRONMENT);
        }
        out
    }

    fn outside(&mut self, writer: Writer) {
        for part in self.escaped() {
            self.writers.entry(part).or_default().push(writer);
        }
    }

    fn writes(&mut self, p: &Place, i: InstanceId, writer: Writer) {
        for part in self.parts_of(p, i) {
            self.writers.entry(part).or_default().push(writer);
        }
    }

    fn parts_of_object(&mut self, o: ObjectId) -> Vec<Part> {
        let count = match self.memory.get(o).as_bytes {
            true => 1,
            false => self.memory.layouts.slots(&self.memory.get(o).ty).max(1),
        };
        let mut out: Vec<Part> = (0..count).map(|s| self.part(o, s)).collect();
        out.sort_unstable();
        out.dedup();
        out
    }

    fn writes_object(&mut self, o: ObjectId, writer: Writer) {
        for part in self.parts_of_object(o) {
            self.writers.entry(part).or_default().push(writer);
        }
    }

    // ---- dependences ----------------------------------------------------------------------------------

    fn mark(&mut self, n: u32) {
        if !std::mem::replace(&mut self.nodes[n as usize], true) {
            self.new_nodes.push(n);
        }
    }

    fn see(&mut self, part: Part) {
        if self.parts.insert(part, ()).is_none() {
            self.new_parts.push(part);
        }
    }

    /// An expression is evaluated.
    fn reads(&mut self, e: &Expr, i: InstanceId) {
        let mut loads = Vec::new();
        Piece::Expr(e).visit(&mut |piece| {
            if let Piece::Expr(Expr { kind: ExprKind::Load(p), .. }) = piece {
                loads.push((**p).clone());
            }
        });
        for p in loads {
            for part in self.parts_of(&p, i) {
                self.see(part);
            }
        }
    }

    /// The address of a place is computed.
    fn locates(&mut self, p: &Place, i: InstanceId) {
        match &p.kind {
            PlaceKind::Var(_) => {}
            PlaceKind::Deref(e) => self.reads(e, i),
            PlaceKind::Index(base, index) => {
                self.locates(base, i);
                self.reads(index, i);
            }
            PlaceKind::Field(base, _) => self.locates(base, i),
        }
    }

    fn solve(&mut self) {
        loop {
            if let Some(n) = self.new_nodes.pop() {
                self.depend(n);
            } else if let Some(part) = self.new_parts.pop() {
                for w in self.writers.get(&part).cloned().unwrap_or_default() {
                    self.written_by(w);
                }
            } else {
                return;
            }
        }
    }

    fn written_by(&mut self, writer: Writer) {
        match writer {
            Writer::Node(n) => self.mark(n),
            Writer::Argument(n, k) => {
                if self.arguments.insert((n, k), ()).is_none() {
                    let (i, NodeKind::Instr(Instr::Call { args, .. }, _)) = self.at(n) else { return };
                    if let Some(a) = args.get(k as usize) {
                        self.reads(a, i);
                    }
                }
                self.mark(n);
            }
            Writer::Result(n) => {
                if self.results.insert(n, ()).is_none() {
                    let (i, NodeKind::Instr(Instr::Call { dest, .. }, _)) = self.at(n) else { return };
                    if let Some(d) = dest {
                        self.locates(d, i);
                    }
                    let node = NodeId(n - self.flat.instances.get(i).first_node);
                    let targets = self.flat.instances.calls.get(&(i, node)).cloned().unwrap_or_default();
                    for callee in targets.into_iter().filter_map(|t| t.instance) {
                        let first = self.flat.instances.get(callee).first_var;
                        if let Some(r) = self.flat.function(self.unit, callee).result {
                            for part in self.parts_of_object(ObjectId(first + r)) {
                                self.see(part);
                            }
                        }
                    }
                }
                self.mark(n);
            }
            Writer::Initial(g, k) => {
                if self.initials.insert((g, k), ()).is_none() {
                    let (p, e) = &self.unit.globals[g as usize].init[k as usize];
                    self.reads(e, InstanceId(0));
                    self.locates(p, InstanceId(0));
                }
            }
        }
    }

    fn at(&self, n: u32) -> (InstanceId, &'u NodeKind) {
        let i = self.owner[n as usize];
        let own = n - self.flat.instances.get(i).first_node;
        (i, &self.flat.function(self.unit, i).nodes[own as usize].kind)
    }

    /// What a relevant statement depends on.
    fn depend(&mut self, n: u32) {
        let (i, kind) = self.at(n);
        match kind {
            NodeKind::Instr(instr, _) => match instr {
                Instr::Assign(p, e) => {
                    self.locates(p, i);
                    self.reads(e, i);
                }
                Instr::Zero(p, _) | Instr::Havoc(p) => self.locates(p, i),
                Instr::Nondet(p, nondet) => {
                    p.iter().for_each(|p| self.locates(p, i));
                    nondet.pointers.iter().for_each(|e| self.reads(e, i));
                    for e in &nondet.values {
                        let targets = self.points_to.passed(e, i, &self.flat.instances, self.memory);
                        if !targets.is_empty() {
                            self.reads(e, i);
                        }
                    }
                    // What it can change is found by the pointers in what it can access.
                    if nondet.foreign {
                        for o in self.points_to.handed().clone() {
                            self.parts_of_object(o).into_iter().for_each(|part| self.see(part));
                        }
                        if self.points_to.environment_escapes() || self.points_to.environment_leads() {
                            self.see(ENVIRONMENT);
                        }
                    }
                }
                Instr::Clear(e, size) => {
                    self.reads(e, i);
                    self.reads(size, i);
                }
                Instr::Assume(e) | Instr::Free(e) | Instr::ChangesNothing(e) => self.reads(e, i),
                Instr::BlockSize(p, e) => {
                    self.locates(p, i);
                    self.reads(e, i);
                    // Who allocates the block says how large it is.
                    for t in self.points_to.targets(e, i, &self.flat.instances, self.memory) {
                        if let Target::Object(o, _) = t {
                            self.parts_of_object(o).into_iter().for_each(|part| self.see(part));
                        }
                    }
                }
                Instr::Alloc { dest, count, .. } => {
                    self.locates(dest, i);
                    self.reads(count, i);
                }
                Instr::Call { dest, callee, args } => {
                    if let Callee::Indirect(e) = callee {
                        self.reads(e, i);
                    }
                    // What is passed or returned in another way than the rewriting knows is kept.
                    for (k, a) in args.iter().enumerate() {
                        let stops = self.careful.is_some_and(|exact| !exact.is_defined(a));
                        if stops || !super::rewrite::can_be_left_out(a) {
                            self.arguments.insert((n, k as u32), ());
                            self.reads(a, i);
                        }
                    }
                    let _ = dest;
                }
                Instr::Nop | Instr::Scope { .. } | Instr::Open | Instr::Quit { .. } => {}
            },
            NodeKind::Branch(e, ..) | NodeKind::Switch(e, ..) => self.reads(e, i),
            NodeKind::Exit
            | NodeKind::Halt
            | NodeKind::Error(_)
            | NodeKind::Undefined(_)
            | NodeKind::Unsupported(_) => {}
        }
        let instance = self.flat.instances.get(i);
        if let Some(regions) = &self.regions[instance.function.0 as usize] {
            for &b in &regions.depends[(n - instance.first_node) as usize] {
                self.mark(instance.first_node + b);
            }
        }
        for c in std::mem::take(&mut self.callers[i.0 as usize]) {
            self.mark(c);
        }
    }
}

/// The variables that hold the lengths of arrays in a type.
fn find_lengths(ty: &Type, out: &mut Vec<u32>) {
    let mut ty = ty;
    loop {
        ty = match ty {
            Type::Array(element, len) => {
                if let Len::Variable(v) = len
                    && !out.contains(v)
                {
                    out.push(*v);
                }
                element
            }
            Type::Pointer(to) => to,
            _ => return,
        };
    }
}
