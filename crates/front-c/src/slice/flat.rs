//! The program with one instance for each function that can be called: what the analyses before inlining
//! work on. Its size is that of the text.
//!
//! Functions are reached from the entry: by calls, and by pointers of a type that fits if something that is
//! reached mentions the function. Objects are told apart as after inlining, but all calls of a function share
//! its variables and its allocated blocks.
//!
//! The points-to analysis is the one of [`crate::points_to`], and it must be right without the encoder, which
//! refuses what that analysis does not see. So here every scalar may hold (bytes of) a pointer, and an object
//! that is accessed as a type that is not at its place, or in which a pointer or an index moves by other
//! steps than those of its parts, is *one* part (`as_bytes`, see [`collapse`]). So is one whose address is
//! computed with as a number. An integer that becomes a pointer points into the objects whose addresses it
//! was computed from (as gcc has it: its manual, "Arrays and pointers implementation", says that the pointer
//! must reference the same object as the original one), and into those whose addresses, as numbers, decide
//! something.

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use crate::inline::{InstanceId, Instances, pointer_targets};
use crate::ir::{
    BinOp, Callee, Expr, ExprKind, FuncId, Function, Instr, Node, NodeId, NodeKind, Part, Place, PlaceKind,
    Unit, VarRef,
};
use crate::memory::{Memory, Motion, ObjectId, blocks};
use crate::options::COptions;
use crate::points_to::{PointsTo, Target};
use crate::types::{Len, Type};

/// What can be reached.
pub(super) struct Flat {
    /// One instance for each function.
    pub(super) instances: Instances,
    /// The instance of each function.
    pub(super) instance_of: Vec<Option<InstanceId>>,
    /// The global variables that are mentioned.
    pub(super) globals: Vec<bool>,
}

struct Search<'u> {
    unit: &'u Unit,
    flat: Flat,
    functions: FxHashSet<FuncId>,
    indirect: Vec<(InstanceId, NodeId)>,
    new_globals: Vec<u32>,
}

impl Flat {
    pub(super) fn new(unit: &Unit, entry: FuncId) -> Flat {
        let flat = Flat {
            instances: Instances::without_calls(unit),
            instance_of: vec![None; unit.functions.len()],
            globals: vec![false; unit.globals.len()],
        };
        let mut search = Search {
            unit,
            flat,
            functions: FxHashSet::default(),
            indirect: Vec::new(),
            new_globals: Vec::new(),
        };
        search.reach(entry);
        let mut next = 0;
        loop {
            while next < search.flat.instances.all.len() {
                search.scan(InstanceId(next as u32));
                next += 1;
            }
            for (i, n) in search.indirect.clone() {
                let f = unit.function(search.flat.instances.get(i).function);
                let NodeKind::Instr(Instr::Call { callee: Callee::Indirect(e), args, .. }, _) =
                    &f.node(n).kind
                else {
                    continue;
                };
                for g in pointer_targets(unit, &e.ty, args.len()) {
                    if search.functions.contains(&g) {
                        search.call((i, n), g);
                    }
                }
            }
            if next == search.flat.instances.all.len() {
                return search.flat;
            }
        }
    }

    /// All statements that can be reached.
    fn nodes<'a>(&'a self, unit: &'a Unit) -> impl Iterator<Item = (InstanceId, &'a Node)> {
        self.instances.all.iter().zip(0..).flat_map(move |(instance, i)| {
            let nodes = &unit.function(instance.function).nodes;
            let reachable = &self.instances.reachable[instance.function.0 as usize];
            nodes.iter().zip(reachable).filter(|(_, r)| **r).map(move |(node, _)| (InstanceId(i), node))
        })
    }

    /// The function of an instance.
    pub(super) fn function<'u>(&self, unit: &'u Unit, i: InstanceId) -> &'u Function {
        unit.function(self.instances.get(i).function)
    }
}

impl Search<'_> {
    fn reach(&mut self, f: FuncId) -> Option<InstanceId> {
        if !self.unit.function(f).defined() {
            return None;
        }
        let known = self.flat.instance_of[f.0 as usize];
        Some(known.unwrap_or_else(|| {
            let i = self.flat.instances.add_alone(self.unit, f);
            self.flat.instance_of[f.0 as usize] = Some(i);
            i
        }))
    }

    fn call(&mut self, at: (InstanceId, NodeId), g: FuncId) {
        let instance = self.reach(g);
        let targets = self.flat.instances.calls.entry(at).or_default();
        if targets.iter().all(|t| t.function != g) {
            targets.push(crate::inline::Target { function: g, instance });
        }
    }

    fn scan(&mut self, i: InstanceId) {
        let id = self.flat.instances.get(i).function;
        let f = self.unit.function(id);
        for (n, node) in f.nodes.iter().enumerate() {
            if !self.flat.instances.reachable[id.0 as usize][n] {
                continue;
            }
            let at = (i, NodeId(n as u32));
            match &node.kind {
                NodeKind::Instr(Instr::Call { callee: Callee::Direct(g), .. }, _) => self.call(at, *g),
                NodeKind::Instr(Instr::Call { callee: Callee::Indirect(_), .. }, _) => self.indirect.push(at),
                _ => {}
            }
            node.kind.visit(&mut |part| self.mention(part));
        }
        while let Some(g) = self.new_globals.pop() {
            let unit = self.unit;
            for (p, e) in &unit.globals[g as usize].init {
                Part::Place(p).visit(&mut |part| self.mention(part));
                Part::Expr(e).visit(&mut |part| self.mention(part));
            }
        }
    }

    fn mention(&mut self, part: Part<'_>) {
        match part {
            Part::Expr(Expr { kind: ExprKind::Function(f), .. }) => {
                self.functions.insert(*f);
            }
            Part::Place(Place { kind: PlaceKind::Var(VarRef::Global(g)), .. })
                if !self.flat.globals[*g as usize] =>
            {
                self.flat.globals[*g as usize] = true;
                self.new_globals.push(*g);
            }
            _ => {}
        }
    }
}

/// The rounds in which the types of allocated blocks are found.
const MOST_ROUNDS: u32 = 8;

/// Objects and pointers of the flat program.
pub(super) fn analyse<'u>(
    unit: &'u Unit,
    flat: &Flat,
    options: &COptions,
    outside: bool,
) -> (Memory<'u>, PointsTo) {
    let mut memory = Memory::new(unit, &flat.instances, options);
    let mut exposed = BTreeSet::new();
    let mut rounds = 0;
    loop {
        let found = PointsTo::of_all_scalars(unit, &flat.instances, &memory, &exposed, outside);
        let types: Vec<Type> = memory.objects.iter().map(|o| o.ty.clone()).collect();
        blocks::type_blocks(unit, &flat.instances, &mut memory, &found, options.data_model);
        let mut changed = collapse(unit, flat, &mut memory, &found);
        changed |= memory.bound_parts(&found);
        let before = exposed.len();
        expose(unit, flat, &memory, &found, &mut exposed);
        // Where the unions are in a block says what is one part. A type that does not settle has no parts.
        for (object, old) in memory.objects.iter_mut().zip(types) {
            if object.ty != old && !object.as_bytes {
                object.as_bytes = rounds >= MOST_ROUNDS;
                changed = true;
            }
        }
        rounds += 1;
        if !changed && exposed.len() == before {
            return (memory, found);
        }
    }
}

/// Collects the objects whose addresses, as numbers, decide something: a number that is computed under such a
/// decision may be an address, too. So may one that comes from functions without body that have the address,
/// and one of which it is not known how it is computed: then all addresses that are numbers count.
fn expose(unit: &Unit, flat: &Flat, memory: &Memory<'_>, points_to: &PointsTo, out: &mut BTreeSet<Target>) {
    let (mut open, mut numbers) = (false, Vec::new());
    for (i, node) in flat.nodes(unit) {
        node.kind.visit(&mut |part| {
            let Part::Expr(e) = part else { return };
            open |= matches!(e.kind, ExprKind::Unsupported(_)) && !matches!(e.ty, Type::Pointer(_));
            if let ExprKind::Cast(a) = &e.kind
                && let (Type::Pointer(_), Some(_)) = (&a.ty, e.ty.as_int())
            {
                numbers.push((a, i));
            }
        });
    }
    for (a, i) in numbers.into_iter().filter(|_| open) {
        let all = points_to.targets(a, i, &flat.instances, memory);
        out.extend(all.into_iter().filter(|t| matches!(t, Target::Object(..))));
    }
    let mut decides = |e: &Expr, i: InstanceId| {
        Part::Expr(e).visit(&mut |part| {
            if let Part::Expr(e) = part
                && e.ty.as_int().is_some()
            {
                let all = points_to.targets(e, i, &flat.instances, memory);
                out.extend(all.into_iter().filter(|t| matches!(t, Target::Object(..))));
            }
        });
    };
    for (i, node) in flat.nodes(unit) {
        if let NodeKind::Branch(e, ..) | NodeKind::Switch(e, ..) = &node.kind {
            decides(e, i);
        }
        node.kind.visit(&mut |part| match part {
            Part::Place(Place { kind: PlaceKind::Index(_, index), .. }) => decides(index, i),
            Part::Expr(e) => match &e.kind {
                ExprKind::PtrAdd(_, by, _) => decides(by, i),
                ExprKind::Cond(c, ..) => decides(c, i),
                ExprKind::Compare(_, a, b) | ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                    decides(a, i);
                    decides(b, i);
                }
                ExprKind::Not(a) => decides(a, i),
                ExprKind::Float(_, args) => args.iter().for_each(|a| decides(a, i)),
                _ => {}
            },
            Part::Place(_) => {}
        });
    }
    for &o in points_to.handed() {
        let slots = memory.layouts.slots(&memory.get(o).ty);
        out.extend((0..slots).map(|slot| Target::Object(o, slot)));
    }
}

/// Is the last member of a struct an array that programs allocate more of than is declared?
fn ends_open(unit: &Unit, ty: &Type) -> bool {
    let Type::Record(r) = ty else { return false };
    match unit.records.fields(*r).last().map(|last| &last.ty) {
        Some(Type::Array(_, Len::Fixed(n))) => *n <= 1,
        Some(Type::Array(..)) => true,
        Some(last) => ends_open(unit, last),
        None => false,
    }
}

/// Is an index below a length (and not negative), whatever its variables are?
fn stays_below(index: &Expr, length: u64) -> bool {
    let below = |bound: i128| bound <= i128::from(length);
    let unsigned = |e: &Expr| e.ty.as_int().filter(|t| !t.signed);
    match &index.kind {
        ExprKind::Const(v) => *v >= 0 && below(v + 1),
        ExprKind::Cast(a) if index.ty.as_int().is_some_and(|t| t.bits >= 32) => {
            unsigned(a).is_some_and(|t| t.bits <= 16 && below(1 << t.bits)) || stays_below(a, length)
        }
        ExprKind::Binary(BinOp::And, a, b) => {
            [a, b].into_iter().any(|e| e.as_const().is_some_and(|v| v >= 0 && below(v + 1)))
        }
        ExprKind::Binary(BinOp::Rem, a, b) => {
            unsigned(a).is_some() && b.as_const().is_some_and(|v| v > 0 && below(v))
        }
        _ => false,
    }
}

/// Marks the objects that cannot be divided into parts. Returns whether there are new ones.
fn collapse(unit: &Unit, flat: &Flat, memory: &mut Memory<'_>, points_to: &PointsTo) -> bool {
    let mut found: Vec<ObjectId> = Vec::new();
    let fits = |t: &Target, pointee: &Type, moves: bool| match t {
        Target::Object(o, slot) => {
            let object = memory.get(*o);
            let nowhere = || memory.layouts.leaf(&object.ty, *slot).is_some_and(|leaf| leaf.is_nowhere());
            let here = object.as_bytes || memory.layouts.steps(&object.ty, *slot, pointee) && !nowhere();
            // In a part of a record it may come to the next part, and behind a record to its last array.
            let lost = || {
                !matches!(memory.layouts.motion(&object.ty, *slot, pointee), Motion::Whole)
                    || memory.layouts.strays(&object.ty, *slot, pointee)
                    || ends_open(unit, pointee)
            };
            here && (object.as_bytes || !moves || !lost())
        }
        _ => true,
    };
    let anything = Type::Void.pointer_to();
    let in_pieces = |p: &Place, i: InstanceId| {
        let places = points_to.place_set(p, i, &flat.instances, memory);
        points_to.members_of(places).iter().any(|t| match *t {
            Target::Object(o, slot) => {
                let object = memory.get(o);
                let leaf = || memory.layouts.leaf(&object.ty, slot);
                object.as_bytes || leaf().is_none_or(|leaf| !leaf.unions.is_empty())
            }
            _ => false,
        })
    };
    let mut used = |e: &Expr, ty: &Type, i: InstanceId, moves: bool| {
        let Some(pointee) = ty.pointee().filter(|t| !matches!(t, Type::Function(_))) else { return };
        for t in points_to.targets(e, i, &flat.instances, memory) {
            if let Target::Object(o, _) = t
                && !fits(&t, pointee, moves)
            {
                found.push(o);
            }
        }
    };
    let mut note = |part: Part<'_>, i: InstanceId| match part {
        Part::Place(Place { kind: PlaceKind::Deref(e), .. }) => used(e, &e.ty, i, false),
        Part::Expr(e) => match &e.kind {
            ExprKind::PtrAdd(base, by, _) if by.as_const() != Some(0) => used(base, &e.ty, i, true),
            // An address that is computed as a number may be any address in the object.
            ExprKind::Cast(a) if a.ty.as_int().is_some() && matches!(e.ty, Type::Pointer(_)) => {
                used(a, &anything, i, true);
            }
            ExprKind::Binary(..) | ExprKind::Neg(_) | ExprKind::BitNot(_) => used(e, &anything, i, true),
            // One of whose bytes or bits may have been written alone.
            ExprKind::Load(p) if matches!(e.ty, Type::Pointer(_)) && in_pieces(p, i) => {
                used(e, &anything, i, true);
            }
            _ => {}
        },
        // So does an index that may leave its array.
        Part::Place(Place { kind: PlaceKind::Index(base, index), ty, span }) => {
            let inside = |len: &Len| matches!(len, Len::Fixed(n) if stays_below(index, *n));
            if !matches!(&base.ty, Type::Array(_, len) if inside(len)) {
                let ty = ty.clone().pointer_to();
                let kind = ExprKind::Address(base.clone());
                used(&Expr { ty: ty.clone(), kind, span: *span }, &ty, i, true);
            }
        }
        Part::Place(_) => {}
    };
    for (i, node) in flat.nodes(unit) {
        node.kind.visit(&mut |part| note(part, i));
    }
    for (p, value) in unit.globals.iter().flat_map(|g| &g.init) {
        Part::Place(p).visit(&mut |part| note(part, InstanceId(0)));
        Part::Expr(value).visit(&mut |part| note(part, InstanceId(0)));
    }
    let mut changed = false;
    for o in found {
        changed |= !std::mem::replace(&mut memory.objects[o.0 as usize].as_bytes, true);
    }
    changed
}
