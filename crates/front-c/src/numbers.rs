//! Addresses as numbers: which objects have one, and what the program does with it.
//!
//! The addresses of the automaton are made up. Where a pointer becomes an integer and the integer becomes a
//! pointer again, or where the program computes with it (`((uintptr_t)p & 3) == 0`), the number matters. An
//! object that has a number gets it once, at the start: any multiple of its alignment such that the object
//! ends below the largest number and shares no byte with another such object. What is proved holds for all
//! of them. `encode/numbers.rs` computes with these numbers.
//!
//! Objects that have a number exist as long as the program runs: global variables, and the variables of the
//! outermost block of the first function. Others are where they are only for a while, and two of them may
//! have the same address one after the other; their numbers are any number each time, as are those of string
//! literals, of functions and of memory of the environment.
//!
//! An object counts in bytes, if pointers see it as bytes, or it has scalars of one type only. Where integers
//! become pointers, `memory/views.rs` makes objects with several members bytes.
//!
//! A violation may be due to the numbers where these were not only *moved*: copied, added to, and with bits
//! that are known by the alignment changed, but compared, divided, or used as a size or an index.
//! [`Numbers::decisive`] are the nodes that do so. They are found by the points-to analysis, which follows
//! integers like pointers where they become pointers again; where it does not follow them
//! ([`Numbers::followed`]), a violation may be due to a number as soon as there is one. Whether a number is 0
//! is no decision: an address is not null wherever the object lies. If it is asked somewhere, computing with
//! numbers is one.
//!
//! A number that the program itself chooses may happen to be an address, too. That is seen in the run: one
//! that does not execute where the objects lie elsewhere is no violation (`Story::rests_on_places`).
//!
//! Entry points: [`come_back`], [`Numbers::new`].

use std::collections::BTreeSet;

use rustc_hash::FxHashSet;

use crate::inline::{InstanceId, Instances};
use crate::ir::{
    BinOp, CmpOp, Expr, ExprKind, Instr, Node, NodeId, NodeKind, Part, Place, PlaceKind, Unit, is_label,
};
use crate::lower::fold;
use crate::memory::{Kind, Memory, ObjectId};
use crate::options::{COptions, IntMode};
use crate::points_to::{PointsTo, Target};
use crate::types::Type;

/// What a violation depends on that is due to numbers.
pub const AS_NUMBER: &str = "an address as a number";

/// How the names of inputs begin that stand for the number of something that has none: any number.
pub const ANY_ADDRESS: &str = "address";

/// The most objects with a number: each two of them are told to be disjoint.
const MOST: usize = 16;

/// An object with a number.
#[derive(Clone, Copy, Debug)]
pub struct Numbered {
    /// The object.
    pub object: ObjectId,
    /// Its size in bytes.
    pub size: i128,
    /// What its number is a multiple of.
    pub align: i128,
    /// The bytes from one address to the next.
    pub unit: i128,
}

/// The objects with numbers.
#[derive(Default)]
pub struct Numbers {
    /// Those whose address becomes a number somewhere.
    pub all: Vec<Numbered>,
    /// It is known which integers hold them.
    pub followed: bool,
    /// The nodes at which they decide something other than what pointers point to.
    pub decisive: FxHashSet<(InstanceId, NodeId)>,
}

/// Is an expression a pointer that becomes an integer?
pub fn becomes_number(e: &Expr) -> Option<&Expr> {
    match (&e.ty, &e.kind) {
        (Type::Int(_), ExprKind::Cast(from)) if matches!(from.ty, Type::Pointer(_)) => Some(from),
        _ => None,
    }
}

/// Is it an integer that becomes a pointer?
pub fn becomes_pointer(e: &Expr) -> Option<&Expr> {
    match (&e.ty, &e.kind) {
        (Type::Pointer(_), ExprKind::Cast(from)) if from.ty.as_int().is_some() => Some(from),
        _ => None,
    }
}

/// Visits the expressions and places of the program that can be executed, with their instances.
pub fn visit<'u>(unit: &'u Unit, instances: &Instances, f: &mut dyn FnMut(Part<'u>, InstanceId)) {
    for (n, instance) in instances.all.iter().enumerate() {
        let reachable = &instances.reachable[instance.function.0 as usize];
        let nodes = unit.function(instance.function).nodes.iter().zip(reachable);
        for (node, _) in nodes.filter(|(_, r)| **r) {
            node.kind.visit(&mut |part| f(part, InstanceId(n as u32)));
        }
    }
    for (_, value) in unit.globals.iter().flat_map(|g| &g.init) {
        Part::Expr(value).visit(&mut |part| f(part, InstanceId(0)));
    }
}

/// Do pointers become integers, and do integers become pointers?
pub fn directions(unit: &Unit, instances: &Instances) -> (bool, bool) {
    let (mut there, mut back) = (false, false);
    visit(unit, instances, &mut |part, _| {
        if let Part::Expr(e) = part {
            there |= becomes_number(e).is_some();
            back |= becomes_pointer(e).is_some();
        }
    });
    (there, back)
}

/// Do pointers become integers, and integers pointers again?
pub fn come_back(unit: &Unit, instances: &Instances, options: &COptions) -> bool {
    options.int_mode != IntMode::Math && directions(unit, instances) == (true, true)
}

/// Does the object exist as long as the program runs?
pub fn is_permanent(unit: &Unit, instances: &Instances, memory: &Memory<'_>, o: ObjectId) -> bool {
    match memory.get(o).kind {
        Kind::Global(_) => {
            let global = &unit.globals[o.0 as usize];
            !global.literal && !is_label(global)
        }
        Kind::Local(InstanceId(0)) => {
            let first = instances.get(InstanceId(0));
            let f = unit.function(first.function);
            // The parameters are in the first block, and the body is the next one.
            let scope = f.vars[(o.0 - first.first_var) as usize].scope;
            scope == 0 || scope == 1 && f.scopes[1] == 0
        }
        Kind::Local(_) | Kind::Heap { .. } => false,
    }
}

/// The bytes from one address in an object to the next, if that is the same everywhere.
pub fn unit_of(memory: &Memory<'_>, o: ObjectId) -> Option<i128> {
    let object = memory.get(o);
    if object.as_bytes {
        return Some(1);
    }
    let leaves = memory.layouts.leaves(&object.ty);
    let [leaf] = &leaves[..] else { return None };
    let one = memory.layouts.size(&leaf.ty)?;
    let flat = leaf.unions.is_empty() && !leaf.tag && !leaf.bit_field;
    let whole = memory.layouts.size(&object.ty)? == one * memory.layouts.cells(&object.ty);
    (flat && whole).then_some(one)
}

impl Numbers {
    /// Finds the objects.
    pub fn new(
        unit: &Unit,
        instances: &Instances,
        memory: &Memory<'_>,
        points_to: &PointsTo,
        options: &COptions,
    ) -> Numbers {
        if options.int_mode == IntMode::Math {
            return Numbers::default();
        }
        let mut found: BTreeSet<ObjectId> = BTreeSet::new();
        visit(unit, instances, &mut |part, i| {
            let Part::Expr(e) = part else { return };
            let Some(from) = becomes_number(e) else { return };
            found.extend(points_to.targets(from, i, instances, memory).into_iter().filter_map(|t| match t {
                Target::Object(o, _) => Some(o),
                _ => None,
            }));
        });
        let numbered = |o: ObjectId| {
            let object = memory.get(o);
            let size = memory.layouts.size(&object.ty).filter(|n| *n > 0)?;
            let fixed = memory.layouts.flexible(&object.ty).is_none();
            let unit_size = unit_of(memory, o).filter(|_| fixed && object.exposed)?;
            let of_type = if unit.loosely_aligned { 1 } else { memory.layouts.align(&object.ty) };
            let declared = memory.variable(o, instances).map_or(1, |var| i128::from(var.align));
            let align = of_type.max(declared);
            is_permanent(unit, instances, memory, o).then_some(Numbered {
                object: o,
                size,
                align,
                unit: unit_size,
            })
        };
        let all: Vec<Numbered> = found.into_iter().filter_map(numbered).take(MOST).collect();
        let align = all.iter().map(|n| n.align).min().unwrap_or(1);
        let bits = options.data_model.word();
        let decisive = decisive(unit, Uses { instances, memory, points_to, align, bits, tested: false });
        Numbers { all, followed: decisive.is_some(), decisive: decisive.unwrap_or_default() }
    }
}

/// Is the sum of a number and another value, or the number with some bits changed, as far from the first
/// byte of the object whatever the number of that is?
fn keeps_place(op: BinOp, e: &Expr, other: &Expr, align: i128) -> bool {
    let Some(ty) = e.ty.as_int() else { return false };
    match op {
        _ if is_tag(e, align) => true,
        BinOp::Add | BinOp::Sub => !ty.signed,
        // Bits below the alignment.
        BinOp::Or | BinOp::Xor => fold(other).is_some_and(|c| (0..align).contains(&c)),
        BinOp::And => fold(other).is_some_and(|c| (0..align).contains(&(ty.wrap(-1) - ty.wrap(c)))),
        _ => false,
    }
}

/// Is it `n & c` with bits below the alignment only?
fn is_tag(e: &Expr, align: i128) -> bool {
    let below = |c: &Expr| fold(c).is_some_and(|c| (0..align).contains(&c));
    match &e.kind {
        ExprKind::Binary(BinOp::And, a, b) => below(a) || below(b),
        ExprKind::Cast(a) => e.ty.as_int().is_some() && is_tag(a, align),
        _ => false,
    }
}

/// Is it a comparison with 0?
fn is_test(e: &Expr) -> bool {
    let zero = |e: &Expr| fold(e) == Some(0);
    matches!(&e.kind, ExprKind::Compare(CmpOp::Eq | CmpOp::Ne, a, b) if zero(a) || zero(b))
}

/// What looks at integers that may hold an address.
struct Uses<'u> {
    instances: &'u Instances,
    memory: &'u Memory<'u>,
    points_to: &'u PointsTo,
    /// Every number is a multiple of this.
    align: i128,
    /// Those of an address.
    bits: u32,
    /// Somewhere it is asked whether a number is 0. That is a decision where the number was computed.
    tested: bool,
}

impl Uses<'_> {
    /// May an integer be an address? What is shorter may have come from one, and that was a decision.
    fn holds(&self, e: &Expr, i: InstanceId) -> bool {
        if e.ty.as_int().is_none_or(|t| t.bits < self.bits) || is_tag(e, self.align) {
            return false;
        }
        match &e.kind {
            ExprKind::Cast(a) if a.ty.as_int().is_some() => self.holds(a, i),
            ExprKind::Binary(_, a, b) | ExprKind::Cond(_, a, b) => self.holds(a, i) || self.holds(b, i),
            _ => !self.points_to.targets(e, i, self.instances, self.memory).is_empty(),
        }
    }

    /// May an address be one of the environment?
    fn meets_environment(&self, e: &Expr, i: InstanceId) -> bool {
        let targets = self.points_to.targets(e, i, self.instances, self.memory);
        targets.iter().any(|t| matches!(t, Target::Unknown | Target::Foreign))
    }

    /// Does an expression ask whether an integer that may be an address is 0?
    fn tests(&self, part: Part<'_>, i: InstanceId) -> bool {
        let Part::Expr(e) = part else { return false };
        match &e.kind {
            ExprKind::Not(a) | ExprKind::Cond(a, ..) => self.holds(a, i),
            ExprKind::And(a, b) | ExprKind::Or(a, b) => self.holds(a, i) || self.holds(b, i),
            ExprKind::Cast(a) => e.ty.as_int().is_some_and(|t| t.boolean) && self.holds(a, i),
            ExprKind::Compare(..) => is_test(e) && self.compares(e, i),
            _ => false,
        }
    }

    fn compares(&self, e: &Expr, i: InstanceId) -> bool {
        matches!(&e.kind, ExprKind::Compare(_, a, b) if self.holds(a, i) || self.holds(b, i))
    }

    /// Does the value of an expression depend on the numbers that its operands hold?
    fn decides(&self, part: Part<'_>, i: InstanceId) -> bool {
        let e = match part {
            Part::Place(Place { kind: PlaceKind::Index(_, index), .. }) => return self.holds(index, i),
            Part::Place(_) => return false,
            Part::Expr(e) => e,
        };
        match &e.kind {
            // Two pointers as integers: `encode/compare.rs` says where numbers decide.
            ExprKind::Compare(_, a, b)
                if becomes_number(a).is_some()
                    && becomes_number(b).is_some()
                    && a.ty.as_int().is_some_and(|t| !t.signed && t.bits >= self.bits)
                    && !self.meets_environment(a, i)
                    && !self.meets_environment(b, i) =>
            {
                false
            }
            ExprKind::Compare(..) => !is_test(e) && self.compares(e, i),
            ExprKind::PtrAdd(_, index, _) => self.holds(index, i),
            ExprKind::Neg(a) | ExprKind::BitNot(a) => self.holds(a, i),
            ExprKind::Binary(op, a, b) => match (self.holds(a, i), self.holds(b, i)) {
                (false, false) => false,
                (true, false) => self.tested || !keeps_place(*op, e, b, self.align),
                (false, true) => self.tested || *op == BinOp::Sub || !keeps_place(*op, e, a, self.align),
                (true, true) => true,
            },
            ExprKind::Float(_, args) => args.iter().any(|a| self.holds(a, i)),
            ExprKind::Rounded(a, b) => self.holds(a, i) || self.holds(b, i),
            // To a floating-point number, or so that a part is lost.
            ExprKind::Cast(a) => match (&e.ty, &a.ty) {
                (Type::Int(to), Type::Int(from)) => !to.boolean && to.bits < from.bits && self.holds(a, i),
                (Type::Ieee(_) | Type::Float(_), Type::Int(_)) => self.holds(a, i),
                _ => false,
            },
            _ => false,
        }
    }

    /// Does a node ask whether a number is 0?
    fn node_tests(&self, node: &Node, i: InstanceId) -> bool {
        let mut tests = match &node.kind {
            NodeKind::Branch(e, ..) | NodeKind::Instr(Instr::Assume(e), _) => self.holds(e, i),
            _ => false,
        };
        node.kind.visit(&mut |part| tests |= self.tests(part, i));
        tests
    }

    /// Does a node do something that depends on a number?
    fn node_decides(&self, node: &Node, i: InstanceId) -> bool {
        let mut decides = match &node.kind {
            NodeKind::Switch(e, ..) => self.holds(e, i),
            NodeKind::Instr(Instr::Clear(_, e) | Instr::Alloc { count: e, .. }, _) => self.holds(e, i),
            _ => false,
        };
        node.kind.visit(&mut |part| decides |= self.decides(part, i));
        decides
    }
}

/// The nodes at which something depends on an integer that may hold an address, beside what pointers point
/// to; `None` if it is not known which integers may.
fn decisive(unit: &Unit, mut uses: Uses<'_>) -> Option<FxHashSet<(InstanceId, NodeId)>> {
    let Uses { instances, memory, points_to, bits, .. } = uses;
    // Where scalars share bits, the analysis does not see where an integer goes.
    if !points_to.follows_integers() || points_to.holds_hidden_numbers(memory, i128::from(bits / 8)) {
        return None;
    }
    for (n, instance) in instances.all.iter().enumerate() {
        let i = InstanceId(n as u32);
        for node in &unit.function(instance.function).nodes {
            uses.tested |= uses.node_tests(node, i);
        }
    }
    // The initial values of globals belong to no node.
    let mut at_start = false;
    for (_, value) in unit.globals.iter().flat_map(|g| &g.init) {
        Part::Expr(value).visit(&mut |part| at_start |= uses.decides(part, InstanceId(0)));
    }
    if at_start {
        return None;
    }
    let mut found = FxHashSet::default();
    for (n, instance) in instances.all.iter().enumerate() {
        let i = InstanceId(n as u32);
        let nodes = unit.function(instance.function).nodes.iter().enumerate();
        let decides = nodes.filter(|(_, node)| uses.node_decides(node, i));
        found.extend(decides.map(|(k, _)| (i, NodeId(k as u32))));
    }
    Some(found)
}
