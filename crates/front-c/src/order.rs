//! Which orders of evaluation matter: resolves the [`Order`]s that the lowering left open.
//!
//! Two evaluations whose order C leaves open *conflict* where one writes what the other reads or writes, or
//! where one may end the program and the other may violate the property (C11 6.5p2-3, 6.5.2.2p10). What a
//! part of the graph does is a set of *atoms*: accesses to objects, and calls, each with what the called
//! functions do, transitively. Then, for every order:
//!
//! - no conflict: the order is fixed, from left to right;
//! - one conflict, with a call: both orders are explored, for proofs only (see `lower/order.rs`). A call is
//!   not interleaved with anything (6.5.2.2p10), so these are all there are;
//! - a conflict without a call is undefined behaviour, several conflicts allow more than two outcomes:
//!   unsupported.
//!
//! Accesses are compared by variable, type and member. If an order is chosen because of types, an object that
//! both sides may access cannot be seen as bytes (`memory::views`), and an access as another type is
//! unsupported. A pointer reaches a variable or a member only if its address is taken somewhere. Pointers of
//! all types may point to one place if there are addresses in unions.

use std::sync::Arc;

use palisade_report::instrument::SEGMENT;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::inline::{pointer_targets, reachable_nodes};
use crate::ir::{
    ByType, Callee, Expr, ExprKind, FloatOp, FuncId, Function, Instr, Node, NodeId, NodeKind, OpenChoice,
    Order, Part, Place, PlaceKind, Side, Unit, VarRef,
};
use crate::numbers::AS_NUMBER;
use crate::options::{COptions, UndefinedMemory};
use crate::types::{Record, RecordId, Type};

/// The types whose cells are different: integers by width, pointers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Class {
    Int(u32),
    Pointer,
    /// A whole struct or array, or part of a union.
    Any,
}

/// A place as far as conflicts need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Access {
    /// The variable, unless it is reached through a pointer.
    var: Option<VarRef>,
    class: Class,
    /// The member of the innermost struct.
    member: Option<(RecordId, u32)>,
    /// The element, of an array that is not indexed twice.
    element: Option<i128>,
}

/// What a part of the program does.
#[derive(Clone, Debug, Default)]
struct Effects {
    reads: FxHashSet<Access>,
    writes: FxHashSet<Access>,
    /// It may end the program, or not end.
    stops: bool,
    /// It may end the program.
    halts: bool,
    /// It may violate the property.
    errs: bool,
    /// It accesses memory, which may violate the property, or be undefined, which is reported.
    fails: bool,
    /// It calls functions without body, which may change what has external linkage and what they have
    /// pointers to.
    foreign: bool,
}

/// An evaluation that nothing is interleaved with.
struct Atom {
    call: bool,
    effects: Effects,
}

/// Resolves all orders of a program.
pub(crate) fn resolve(unit: &mut Unit, options: &COptions) {
    let mut open: Vec<OpenChoice> = Vec::new();
    let mut patches: Vec<(usize, NodeId, NodeKind)> = Vec::new();
    let mut by_type: Vec<(usize, ByType)> = Vec::new();
    for (i, f) in unit.functions.iter().enumerate() {
        if f.nodes.iter().any(|n| is_assembly(&n.kind)) {
            open.push(OpenChoice::Assembly(FuncId(i as u32)));
        }
    }
    let mut gates: Vec<(usize, NodeId, NodeKind)> = Vec::new();
    if unit.functions.iter().any(|f| !f.orders.is_empty()) {
        let mut facts = Facts::new(unit, options);
        for (i, f) in unit.functions.iter().enumerate() {
            for order in &f.orders {
                facts.bytes = true;
                let careful = facts.judge(FuncId(i as u32), order);
                facts.bytes = false;
                let judgement = facts.judge(FuncId(i as u32), order);
                if judgement != careful {
                    let (left, right) = (accessed(f, &order.left), accessed(f, &order.right));
                    by_type.push((i, ByType { left, right }));
                }
                match (judgement, &order.choice) {
                    (Judgement::Fixed, choice) => {
                        let fixed = choice.iter().flat_map(|c| &c.0);
                        patches.extend(fixed.map(|&(at, next)| (i, at, NodeKind::Instr(Instr::Nop, next))));
                    }
                    (Judgement::Explored { violates }, Some((_, late))) => {
                        open.push(OpenChoice::Order(FuncId(i as u32), order.what.clone()));
                        // Then already a violation in one of the operands may be due to the order.
                        if let (true, NodeKind::Instr(_, next)) = (violates, &f.node(order.gate).kind) {
                            gates.push((i, order.gate, NodeKind::Instr(Instr::Open, *next)));
                        }
                        for &at in late {
                            if let NodeKind::Instr(_, next) = f.node(at).kind {
                                patches.push((i, at, NodeKind::Instr(Instr::Open, next)));
                            }
                        }
                    }
                    _ => {
                        let what = format!("a result that depends on {}", order.what);
                        patches.push((i, order.gate, NodeKind::Unsupported(what.into())));
                    }
                }
            }
        }
    }
    for (f, order) in by_type {
        unit.functions[f].ordered_by_type.push(order);
    }
    for (f, at, kind) in gates.into_iter().chain(patches) {
        unit.functions[f].nodes[at.0 as usize].kind = kind;
    }
    unit.functions.iter_mut().for_each(|f| f.orders.clear());
    unit.open.append(&mut open);
}

/// What the sides of an order access. `None` if that may be anything.
fn accessed(f: &Function, sides: &[Side]) -> Option<Vec<Place>> {
    let mut out = Vec::new();
    let mut note = |part: Part<'_>| {
        if let Part::Place(p) = part
            && matches!(p.kind, PlaceKind::Deref(_) | PlaceKind::Var(_))
        {
            out.push(p.clone());
        }
    };
    for side in sides {
        match side {
            Side::Reads(e) => Part::Expr(e).visit(&mut note),
            Side::Store(p) => Part::Place(p).visit(&mut note),
            Side::Nodes(range) => {
                for node in &f.nodes[range.start as usize..range.end as usize] {
                    if !is_simple(&node.kind) {
                        return None;
                    }
                    node.kind.visit(&mut note);
                }
            }
        }
    }
    Some(out)
}

/// Does a node access only what it names?
fn is_simple(kind: &NodeKind) -> bool {
    let NodeKind::Instr(instr, _) = kind else {
        return matches!(kind, NodeKind::Branch(..) | NodeKind::Switch(..));
    };
    use Instr::{Assign, Assume, Havoc, Nondet, Nop, Open, Scope, Zero};
    matches!(instr, Nop | Assign(..) | Zero(_) | Havoc(_) | Nondet(..) | Scope { .. } | Assume(_) | Open)
}

/// What a violation may depend on that C or the environment leaves open, in the functions that are executed.
pub(crate) fn reasons(unit: &Unit, executed: &dyn Fn(FuncId) -> bool) -> Vec<Arc<str>> {
    let here = |f: &(usize, &Function)| executed(FuncId(f.0 as u32));
    let functions: Vec<&Function> = unit.functions.iter().enumerate().filter(here).map(|f| f.1).collect();
    let mut orders = unit.open.iter().filter_map(|c| match c {
        OpenChoice::Order(f, what) => executed(*f).then_some(what),
        _ => None,
    });
    let assembly = |c: &OpenChoice| matches!(c, OpenChoice::Assembly(f) if executed(*f));
    let sliced = |c: &OpenChoice| matches!(c, OpenChoice::Sliced);
    let others = [
        (unit.sorts, "which elements are compared, or the order of equal ones"),
        (has_volatile(unit, &functions), "a `volatile` object that changes by itself"),
        (has_addresses_as_numbers(unit, &functions), AS_NUMBER),
        (leaves_bits_open(unit, &functions), "floating-point bits that C leaves open"),
        (unit.open.iter().any(assembly), "inline assembly"),
        (unit.open.iter().any(sliced), "code that was sliced away, which may not end or be undefined"),
    ];
    let others = others.into_iter().filter(|o| o.0).map(|o| Arc::from(o.1));
    orders.next().cloned().into_iter().chain(others).collect()
}

/// Is it the effect of inline assembly that is not known?
fn is_assembly(kind: &NodeKind) -> bool {
    match kind {
        NodeKind::Instr(Instr::Nondet(_, n), _) => n.open,
        // Other open orders come later.
        NodeKind::Instr(Instr::Open, _) => true,
        _ => false,
    }
}

/// Does a pointer become an integer somewhere?
fn has_addresses_as_numbers(unit: &Unit, functions: &[&Function]) -> bool {
    let mut found = false;
    let mut note = |part: Part<'_>| {
        if let Part::Expr(Expr { ty: Type::Int(_), kind: ExprKind::Cast(from), .. }) = part {
            found |= matches!(from.ty, Type::Pointer(_));
        }
    };
    functions.iter().flat_map(|f| &f.nodes).for_each(|n| n.kind.visit(&mut note));
    let initial = unit.globals.iter().flat_map(|g| &g.init);
    initial.for_each(|(_, e)| Part::Expr(e).visit(&mut note));
    found
}

/// Is there a floating-point operation of which C leaves the sign open, or a union by which the bits of a NaN
/// can be seen?
fn leaves_bits_open(unit: &Unit, functions: &[&Function]) -> bool {
    let seen = |r: &Record| {
        let mut fields = r.fields.iter().flatten();
        r.union && fields.any(|f| f.ty.has_float(&unit.records))
    };
    let mut found = unit.records.all.iter().any(seen);
    let mut note = |part: Part<'_>| {
        if let Part::Expr(Expr { kind: ExprKind::Float(op, _), .. }) = part {
            found |= matches!(
                op,
                FloatOp::SignBit | FloatOp::IsInfinite | FloatOp::CopySign | FloatOp::Min | FloatOp::Max
            );
        }
    };
    functions.iter().flat_map(|f| &f.nodes).for_each(|n| n.kind.visit(&mut note));
    found
}

/// Is there a `volatile` object or member?
fn has_volatile(unit: &Unit, functions: &[&Function]) -> bool {
    let vars = functions.iter().flat_map(|f| &f.vars).chain(unit.globals.iter().map(|g| &g.var));
    let mut fields = unit.records.all.iter().flat_map(|r| r.fields.iter().flatten());
    vars.into_iter().any(|v| v.volatile) || fields.any(|f| f.volatile)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Judgement {
    Fixed,
    /// `violates`: one side may violate the property, or not, for what the other does.
    Explored {
        violates: bool,
    },
    Refused,
}

/// Is there a way from a node of a function back to it?
fn has_cycle(f: &Function) -> bool {
    // 1: on the current way, 2: done.
    let mut state = vec![0u8; f.nodes.len()];
    let mut stack = if f.defined() { vec![(f.entry, false)] } else { Vec::new() };
    while let Some((n, left)) = stack.pop() {
        let Some(own) = state.get_mut(n.0 as usize) else { continue };
        if left {
            *own = 2;
            continue;
        }
        match *own {
            0 => *own = 1,
            // It was reached again before its turn came.
            _ => continue,
        }
        stack.push((n, true));
        let next = f.node(n).kind.successors();
        // A node on the current way closes a cycle; one that only waits on the stack does not.
        if next.iter().any(|m| state.get(m.0 as usize) == Some(&1)) {
            return true;
        }
        stack.extend(next.into_iter().filter(|m| state.get(m.0 as usize) == Some(&0)).map(|m| (m, false)));
    }
    false
}

/// What is known of the whole program.
struct Facts<'u> {
    unit: &'u Unit,
    /// Functions without body change things.
    foreign: bool,
    /// Accesses through pointers may be to objects of other types.
    bytes: bool,
    /// Every operation may violate the property.
    checked: bool,
    /// Accesses to memory may violate it, or be undefined, which is reported.
    accesses: bool,
    /// They may violate it. Otherwise it is not looked at whether a loop ends that stands beside one.
    strict: bool,
    /// What is left when the program ends may violate it.
    tracked: bool,
    /// The members whose address is taken.
    members: FxHashSet<(RecordId, u32)>,
    /// The records that are inside unions, and the unions.
    overlaid: FxHashSet<RecordId>,
    /// There are pointers to unions or into them.
    pointers_to_unions: bool,
    /// The variables whose address is taken: globals, and locals by function.
    globals: FxHashSet<u32>,
    locals: FxHashSet<(FuncId, u32)>,
    /// What each function does.
    summaries: FxHashMap<FuncId, Arc<Effects>>,
    /// The counter of a witness that is woven in. It is not of the program: waypoints are met in the order
    /// that is chosen.
    segment: Option<VarRef>,
}

impl<'u> Facts<'u> {
    fn new(unit: &'u Unit, options: &COptions) -> Facts<'u> {
        let c = &options.checks;
        let segment = unit.globals.iter().position(|g| g.var.name == SEGMENT);
        let mut facts = Facts {
            unit,
            segment: segment.map(|g| VarRef::Global(g as u32)),
            foreign: options.undefined == UndefinedMemory::Report,
            bytes: false,
            checked: c.overflow || c.division || c.bounds || c.shift,
            strict: c.access().is_some(),
            tracked: c.track || c.cleanup,
            accesses: c.access().is_some() || options.undefined == UndefinedMemory::Report,
            members: FxHashSet::default(),
            overlaid: FxHashSet::default(),
            pointers_to_unions: false,
            globals: FxHashSet::default(),
            locals: FxHashSet::default(),
            summaries: FxHashMap::default(),
        };
        for r in (0..unit.records.all.len() as u32).map(RecordId) {
            if unit.records.get(r).union {
                facts.overlay(r);
            }
        }
        for (i, f) in unit.functions.iter().enumerate() {
            for node in &f.nodes {
                node.kind.visit(&mut |part| facts.expose(Some(FuncId(i as u32)), part));
            }
        }
        for (_, value) in unit.globals.iter().flat_map(|g| &g.init) {
            Part::Expr(value).visit(&mut |part| facts.expose(None, part));
        }
        facts.summarise();
        facts
    }

    fn overlay(&mut self, r: RecordId) {
        if !self.overlaid.insert(r) {
            return;
        }
        for field in self.unit.records.fields(r) {
            let mut ty = &field.ty;
            while let Type::Array(t, _) = ty {
                ty = t;
            }
            if let Type::Record(inner) = ty {
                self.overlay(*inner);
            }
        }
    }

    /// What an expression lets pointers get at.
    fn expose(&mut self, f: Option<FuncId>, part: Part<'_>) {
        match part {
            Part::Expr(Expr { kind: ExprKind::Address(p), .. }) => self.take_address(f, p),
            // A pointer to a struct is one to its first member.
            Part::Expr(Expr { kind: ExprKind::Cast(from), ty, .. }) => {
                for pointer in [&from.ty, ty] {
                    if let (Some(pointee), true) = (pointer.pointee(), from.ty != *ty) {
                        self.expose_first(pointee);
                    }
                }
            }
            _ => {}
        }
    }

    /// The members at the beginning of a type.
    fn expose_first(&mut self, ty: &Type) {
        match ty {
            Type::Array(element, _) => self.expose_first(element),
            Type::Record(r) => {
                self.pointers_to_unions |= self.overlaid.contains(r);
                if self.members.insert((*r, 0))
                    && let Some(first) = self.unit.records.get(*r).fields.as_ref().and_then(|f| f.first())
                {
                    self.expose_first(&first.ty);
                }
            }
            _ => {}
        }
    }

    fn take_address(&mut self, f: Option<FuncId>, p: &Place) {
        let access = self.access(p);
        match access.var {
            Some(VarRef::Global(g)) => drop(self.globals.insert(g)),
            Some(VarRef::Local(l)) => drop(f.map(|f| self.locals.insert((f, l)))),
            None => {}
        }
        self.members.extend(access.member);
        // A union, or an object around one, or a part of one.
        let mut place = p;
        while let PlaceKind::Field(base, _) | PlaceKind::Index(base, _) = &place.kind {
            self.pointers_to_unions |= self.is_overlaid(&place.ty);
            place = base;
        }
        self.pointers_to_unions |= self.is_overlaid(&place.ty);
    }

    /// Is a type one of those that are, or may be, inside unions?
    fn is_overlaid(&self, ty: &Type) -> bool {
        match ty {
            Type::Array(element, _) => self.is_overlaid(element),
            Type::Record(r) => self.overlaid.contains(r),
            _ => false,
        }
    }

    /// What every function does: a fixpoint over the calls.
    fn summarise(&mut self) {
        let ids: Vec<FuncId> = (0..self.unit.functions.len() as u32).map(FuncId).collect();
        let mut callees: FxHashMap<FuncId, Vec<FuncId>> = FxHashMap::default();
        let mut current: FxHashMap<FuncId, Effects> = FxHashMap::default();
        for &id in &ids {
            let f = self.unit.function(id);
            let mut own = Effects::default();
            let mut called = Vec::new();
            let reachable = reachable_nodes(f);
            for (node, _) in f.nodes.iter().zip(reachable).filter(|(_, reachable)| *reachable) {
                self.node(node, |e| own.merge(&e), &mut |targets| called.extend(targets));
                own.stops |= node.loop_head;
            }
            own.stops |= has_cycle(f);
            // Its own variables are gone when it is left.
            own.reads.retain(|a| !matches!(a.var, Some(VarRef::Local(_))));
            own.writes.retain(|a| !matches!(a.var, Some(VarRef::Local(_))));
            called.sort_unstable();
            called.dedup();
            callees.insert(id, called);
            current.insert(id, own);
        }
        loop {
            let mut changed = false;
            for id in &ids {
                let mut effects = current.remove(id).expect("every function has effects");
                let before = effects.size();
                for g in &callees[id] {
                    match current.get(g) {
                        Some(other) => effects.merge(other),
                        None => effects.stops = true, // it calls itself
                    }
                }
                changed |= effects.size() != before;
                current.insert(*id, effects);
            }
            if !changed {
                break;
            }
        }
        self.summaries = current.into_iter().map(|(f, e)| (f, Arc::new(e))).collect();
    }

    /// The effects of a part of an expression.
    fn part(&self, part: Part<'_>) -> Effects {
        let number = |e: &Expr| e.ty.as_int().is_some();
        let (mut reads, mut errs, mut fails) = (FxHashSet::default(), false, false);
        match part {
            Part::Place(p) => {
                fails = self.accesses
                    && match &p.kind {
                        PlaceKind::Deref(_) => true,
                        PlaceKind::Index(_, i) => i.as_const().is_none(),
                        PlaceKind::Var(_) | PlaceKind::Field(..) => false,
                    };
            }
            Part::Expr(e) => match &e.kind {
                ExprKind::Load(p) => _ = reads.insert(self.access(p)),
                ExprKind::Unsupported(_) => errs = true,
                ExprKind::Cast(a) => errs = matches!(e.ty, Type::Pointer(_)) && number(a),
                ExprKind::PtrSub(..) => fails = self.accesses,
                ExprKind::Neg(_) | ExprKind::Binary(..) | ExprKind::PtrAdd(..) => errs = self.checked,
                _ => {}
            },
        }
        Effects { reads, errs, fails, ..Effects::default() }
    }

    /// The effects of one node, each access for itself; calls are given to `call`.
    fn node(&self, node: &Node, mut found: impl FnMut(Effects), call: &mut dyn FnMut(Vec<FuncId>)) {
        node.kind.visit(&mut |part| found(self.part(part)));
        let mut write = |p: &Place| {
            found(Effects { writes: [self.access(p)].into_iter().collect(), ..Effects::default() });
        };
        match &node.kind {
            NodeKind::Instr(instr, _) => match instr {
                Instr::Assign(p, _) | Instr::Zero(p) | Instr::Havoc(p) | Instr::BlockSize(p, _) => write(p),
                Instr::Alloc { dest, .. } => write(dest),
                Instr::Nondet(p, n) => {
                    p.iter().for_each(&mut write);
                    if n.foreign && (self.foreign || !n.pointers.is_empty()) {
                        found(Effects { foreign: true, ..Effects::default() });
                    }
                }
                Instr::Call { dest, callee, args } => {
                    dest.iter().for_each(&mut write);
                    if let Callee::Indirect(_) = callee {
                        found(Effects { fails: self.accesses, ..Effects::default() });
                    }
                    call(match callee {
                        Callee::Direct(f) => vec![*f],
                        Callee::Indirect(e) => pointer_targets(self.unit, &e.ty, args.len()),
                    });
                }
                Instr::Undefined(_) => found(Effects { errs: true, ..Effects::default() }),
                // Whatever pointers point to may be gone.
                Instr::Free(_) | Instr::Clear(..) => {
                    let any = Access { var: None, class: Class::Any, member: None, element: None };
                    let (writes, fails) = ([any].into_iter().collect(), self.accesses);
                    found(Effects { writes, fails, ..Effects::default() });
                }
                Instr::ChangesNothing(_) => found(Effects { errs: true, ..Effects::default() }),
                // Assumptions are about what the environment chooses: no run of the program ends there.
                Instr::Nop | Instr::Assume(_) | Instr::Open | Instr::Scope { .. } | Instr::Quit { .. } => {}
            },
            NodeKind::Halt => found(Effects { stops: true, halts: true, ..Effects::default() }),
            // What is unsupported may do anything.
            NodeKind::Error(_) | NodeKind::Unsupported(_) => {
                found(Effects { errs: true, ..Effects::default() });
            }
            NodeKind::Branch(..) | NodeKind::Switch(..) | NodeKind::Exit => {}
        }
        if self.checked {
            found(Effects { errs: true, ..Effects::default() });
        }
    }

    fn access(&self, p: &Place) -> Access {
        let mut class = match &p.ty {
            Type::Int(t) => Class::Int(t.bits),
            Type::Pointer(_) => Class::Pointer,
            _ => Class::Any,
        };
        let (mut member, mut element, mut depth) = (None, None, 0);
        let mut place = p;
        let var = loop {
            match &place.kind {
                PlaceKind::Var(v) => break Some(*v),
                PlaceKind::Deref(_) => break None,
                PlaceKind::Index(base, i) => {
                    element = if depth == 0 { i.as_const() } else { None };
                    depth += 1;
                    place = base;
                }
                PlaceKind::Field(base, k) => {
                    if let Type::Record(r) = base.ty {
                        if self.overlaid.contains(&r) {
                            class = Class::Any;
                        }
                        member = member.or(Some((r, *k)));
                    }
                    depth += 1;
                    place = base;
                }
            }
        };
        if class == Class::Any {
            (member, element) = (None, None);
        }
        Access { var, class, member, element }
    }

    /// The atoms of one side of an order.
    fn atoms(&self, f: FuncId, side: &Side, out: &mut Vec<Atom>) {
        let f = self.unit.function(f);
        let mut simple = |effects: Effects| {
            let own = |a: &Access| match a.var {
                Some(VarRef::Local(v)) => !f.vars[v as usize].temporary,
                _ => true,
            };
            if effects.size() > 0 && effects.reads.iter().chain(&effects.writes).all(own) {
                let call = effects.foreign || effects.stops || effects.errs || effects.fails;
                out.push(Atom { call, effects });
            }
        };
        match side {
            Side::Reads(e) => Part::Expr(e).visit(&mut |part| simple(self.part(part))),
            Side::Store(p) => {
                simple(Effects { writes: [self.access(p)].into_iter().collect(), ..Effects::default() });
            }
            Side::Nodes(range) => {
                let copies: Vec<_> =
                    f.early.iter().filter(|r| r.start >= range.start && r.end <= range.end).collect();
                let mut calls = Vec::new();
                for n in range.clone().filter(|n| !copies.iter().any(|r| r.contains(n))) {
                    self.node(&f.nodes[n as usize], &mut simple, &mut |targets| calls.push(targets));
                }
                for targets in calls {
                    let mut effects = Effects::default();
                    targets.iter().for_each(|g| effects.merge(&self.summaries[g]));
                    out.push(Atom { call: true, effects });
                }
            }
        }
    }

    fn judge(&self, f: FuncId, order: &Order) -> Judgement {
        let stored = order.left.iter().any(|s| matches!(s, Side::Store(_)));
        let (mut left, mut right) = (Vec::new(), Vec::new());
        order.left.iter().for_each(|s| self.atoms(f, s, &mut left));
        order.right.iter().for_each(|s| self.atoms(f, s, &mut right));
        let (mut conflicts, mut ends) = (0, false);
        for a in &left {
            for b in &right {
                // A store comes after the values and the calls, not after other side effects.
                if stored && (b.call || b.effects.writes.is_empty()) {
                    continue;
                }
                let ended = self.may_end(&a.effects, &b.effects) || self.may_end(&b.effects, &a.effects);
                let conflict = self.conflict(f, a, b);
                if !a.call && !b.call && (conflict || ended) {
                    return Judgement::Refused;
                }
                ends |= ended && !conflict;
                conflicts += usize::from(conflict);
            }
        }
        let violates = left.iter().chain(&right).any(|a| a.effects.errs || a.effects.fails);
        // What may end the program comes before all of the other side, or after it: that is one choice,
        // however many violations there may be.
        conflicts += usize::from(ends);
        match conflicts {
            0 => Judgement::Fixed,
            1 => Judgement::Explored { violates },
            _ => Judgement::Refused,
        }
    }

    /// May one end the program before the other violates the property?
    fn may_end(&self, a: &Effects, b: &Effects) -> bool {
        let accesses = if self.strict { a.stops } else { a.halts };
        a.stops && b.errs || accesses && b.fails || self.tracked && a.halts && !b.writes.is_empty()
    }

    /// Does one write what the other reads or writes?
    fn conflict(&self, f: FuncId, a: &Atom, b: &Atom) -> bool {
        let one_way = |a: &Effects, b: &Effects| {
            let touched = || b.reads.iter().chain(&b.writes);
            a.writes.iter().any(|w| touched().any(|t| self.overlap(f, w, t)))
                || a.foreign && (b.foreign || touched().any(|t| self.exposed(f, t)))
        };
        one_way(&a.effects, &b.effects) || one_way(&b.effects, &a.effects)
    }

    /// May a function without body change it?
    fn exposed(&self, f: FuncId, a: &Access) -> bool {
        match a.var {
            None => true,
            Some(VarRef::Global(g)) => {
                let global = &self.unit.globals[g as usize];
                !global.var.constant && (global.exported || self.globals.contains(&g))
            }
            Some(VarRef::Local(l)) => self.locals.contains(&(f, l)),
        }
    }

    /// May two accesses, at least one of them a write, be to the same cell?
    fn overlap(&self, f: FuncId, a: &Access, b: &Access) -> bool {
        let pointer = a.var.is_none() || b.var.is_none();
        let any = a.class == Class::Any || b.class == Class::Any || self.bytes && pointer;
        match (a.var, b.var) {
            (Some(x), Some(y)) => {
                x == y
                    && self.segment != Some(x)
                    && (any
                        || a.class == b.class
                            && a.member == b.member
                            && (a.element == b.element || a.element.is_none() || b.element.is_none()))
            }
            (Some(v), None) | (None, Some(v)) => {
                let taken = match v {
                    VarRef::Global(g) => self.globals.contains(&g),
                    VarRef::Local(l) => self.locals.contains(&(f, l)),
                };
                taken && (any || a.class == b.class && self.may_be(a.member, b.member))
            }
            (None, None) if self.pointers_to_unions && a.member.is_none() && b.member.is_none() => true,
            (None, None) => any || a.class == b.class && self.may_be(a.member, b.member),
        }
    }

    /// May two accesses be to the same member, one of them through a pointer?
    fn may_be(&self, a: Option<(RecordId, u32)>, b: Option<(RecordId, u32)>) -> bool {
        match (a, b) {
            (Some((r, k)), Some((s, l))) => {
                k == l && self.unit.records.same_shape(&Type::Record(r), &Type::Record(s))
            }
            (Some(x), None) | (None, Some(x)) => self.members.contains(&x),
            (None, None) => true,
        }
    }
}

impl Effects {
    fn merge(&mut self, other: &Effects) {
        self.reads.extend(&other.reads);
        self.writes.extend(&other.writes);
        self.stops |= other.stops;
        self.halts |= other.halts;
        self.errs |= other.errs;
        self.fails |= other.fails;
        self.foreign |= other.foreign;
    }

    fn size(&self) -> usize {
        let flags = [self.stops, self.halts, self.errs, self.fails, self.foreign];
        self.reads.len() + self.writes.len() + flags.into_iter().filter(|f| *f).count()
    }
}
