//! What parts of a program do: which objects they access, whether they may end the program or violate the
//! property, and whether they call functions without body.
//!
//! Entry points: [`Facts::new`] looks at the whole program; [`Facts::part`] and [`Facts::node`] give the
//! effects of parts of expressions and of nodes, `summaries` those of functions.

use std::sync::Arc;

use palisade_report::instrument::SEGMENT;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::inline::{pointer_targets, reachable_nodes};
use crate::ir::{
    Callee, CmpOp, Expr, ExprKind, FuncId, Function, Instr, Node, NodeKind, Part, Place, PlaceKind, Unit,
    VarRef,
};
use crate::library::PREFIX;
use crate::options::{COptions, UndefinedMemory};
use crate::types::{RecordId, Type};

/// The types whose cells are different: integers by width, pointers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Class {
    Int(u32),
    Pointer,
    /// A whole struct or array, or part of a union.
    Any,
}

/// A place as far as conflicts need it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Access {
    /// The variable, unless it is reached through a pointer.
    pub(super) var: Option<VarRef>,
    pub(super) class: Class,
    /// The member of the innermost struct.
    pub(super) member: Option<(RecordId, u32)>,
    /// The element, of an array that is not indexed twice.
    pub(super) element: Option<i128>,
}

/// What a part of the program does.
#[derive(Clone, Debug, Default)]
pub(super) struct Effects {
    pub(super) reads: FxHashSet<Access>,
    pub(super) writes: FxHashSet<Access>,
    /// It may not end.
    pub(super) loops: bool,
    /// It may end the program.
    pub(super) halts: bool,
    /// It may violate the property.
    pub(super) errs: bool,
    /// It accesses memory, which may violate the property, or be undefined, which is reported.
    pub(super) fails: bool,
    /// It may end in undefined behaviour, which is reported or assumed not to happen.
    pub(super) undefined: bool,
    /// It may jump to other statements.
    pub(super) leaves: bool,
    /// It calls functions without body, which may change what has external linkage and what they have
    /// pointers to.
    pub(super) foreign: bool,
    /// It allocates a block.
    pub(super) allocates: bool,
}

/// What is known of the whole program.
pub(super) struct Facts<'u> {
    pub(super) unit: &'u Unit,
    /// Functions without body change things.
    pub(super) foreign: bool,
    /// Accesses through pointers may be to objects of other types.
    pub(super) bytes: bool,
    /// Every operation may violate the property.
    pub(super) checked: bool,
    /// Accesses to memory may violate it, or be undefined, which is reported.
    pub(super) accesses: bool,
    /// They may violate it. Otherwise it is not looked at whether a loop ends that stands beside one.
    pub(super) strict: bool,
    /// What is left when the program ends may violate it, or what looks like its end is a jump.
    pub(super) tracked: bool,
    /// That the program ends, or that it does not, may violate it.
    pub(super) ended: bool,
    /// The members whose address is taken.
    pub(super) members: FxHashSet<(RecordId, u32)>,
    /// The records that are inside unions, and the unions.
    pub(super) overlaid: FxHashSet<RecordId>,
    /// There are pointers to unions or into them.
    pub(super) pointers_to_unions: bool,
    /// The variables whose address is taken: globals, and locals by function.
    pub(super) globals: FxHashSet<u32>,
    pub(super) locals: FxHashSet<(FuncId, u32)>,
    /// The globals that are read by name.
    pub(super) read: FxHashSet<u32>,
    /// What each function does.
    pub(super) summaries: FxHashMap<FuncId, Arc<Effects>>,
    /// The counter of a witness that is woven in. It is not of the program: waypoints are met in the order
    /// that is chosen.
    pub(super) segment: Option<VarRef>,
}

impl<'u> Facts<'u> {
    pub(super) fn new(unit: &'u Unit, options: &COptions) -> Facts<'u> {
        let c = &options.checks;
        let segment = unit.globals.iter().position(|g| g.var.name == SEGMENT);
        let mut facts = Facts {
            unit,
            segment: segment.map(|g| VarRef::Global(g as u32)),
            foreign: options.undefined == UndefinedMemory::Report,
            bytes: false,
            checked: c.overflow || c.division || c.bounds || c.shift,
            strict: c.access().is_some(),
            tracked: c.track || c.cleanup || unit.jumps.is_some(),
            ended: c.termination || c.cleanup || c.track,
            accesses: c.access().is_some() || options.undefined == UndefinedMemory::Report,
            members: FxHashSet::default(),
            overlaid: FxHashSet::default(),
            pointers_to_unions: false,
            globals: FxHashSet::default(),
            locals: FxHashSet::default(),
            read: FxHashSet::default(),
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
            Part::Expr(Expr { kind: ExprKind::Load(p), .. }) => {
                if let Some(VarRef::Global(g)) = p.root() {
                    self.read.insert(g);
                }
            }
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
            // The loops of the models end: what they do not find is where the object ends.
            let of_library = f.name.starts_with(PREFIX);
            let mut own = Effects::default();
            let mut called = Vec::new();
            let reachable = reachable_nodes(f);
            for (node, _) in f.nodes.iter().zip(reachable).filter(|(_, reachable)| *reachable) {
                self.node(node, |e| own.merge(&e), &mut |targets| called.extend(targets));
                own.loops |= node.loop_head && !of_library;
            }
            own.loops |= has_cycle(f) && !of_library;
            // Its own variables are gone when it is left.
            own.reads.retain(|a| !matches!(a.var, Some(VarRef::Local(_))));
            own.writes.retain(|a| !matches!(a.var, Some(VarRef::Local(_))));
            called.sort_unstable();
            called.dedup();
            callees.insert(id, called);
            current.insert(id, own);
        }
        for id in recursive(&callees) {
            current.entry(id).or_default().loops = true;
        }
        loop {
            let mut changed = false;
            for id in &ids {
                let mut effects = current.remove(id).expect("every function has effects");
                let before = effects.size();
                for g in &callees[id] {
                    // It may call itself.
                    if let Some(other) = current.get(g) {
                        effects.merge(other);
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
    pub(super) fn part(&self, part: Part<'_>) -> Effects {
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
                ExprKind::Compare(op, a, _) if !matches!(op, CmpOp::Eq | CmpOp::Ne) => {
                    fails = self.accesses && matches!(a.ty, Type::Pointer(_));
                }
                ExprKind::Neg(_) | ExprKind::Binary(..) | ExprKind::PtrAdd(..) => errs = self.checked,
                _ => {}
            },
        }
        Effects { reads, errs, fails, ..Effects::default() }
    }

    /// The effects of one node, each access for itself; calls are given to `call`.
    pub(super) fn node(
        &self,
        node: &Node,
        mut found: impl FnMut(Effects),
        call: &mut dyn FnMut(Vec<FuncId>),
    ) {
        node.kind.visit(&mut |part| found(self.part(part)));
        let mut write = |p: &Place| {
            found(Effects { writes: [self.access(p)].into_iter().collect(), ..Effects::default() });
        };
        match &node.kind {
            NodeKind::Instr(instr, _) => match instr {
                Instr::Assign(p, _) | Instr::Zero(p, _) | Instr::Havoc(p) | Instr::BlockSize(p, _) => {
                    write(p)
                }
                Instr::Alloc { dest, .. } => {
                    write(dest);
                    found(Effects { allocates: true, ..Effects::default() });
                }
                Instr::Nondet(p, n) => {
                    p.iter().for_each(&mut write);
                    if n.foreign && (self.foreign || !n.pointers.is_empty()) {
                        found(Effects { foreign: true, ..Effects::default() });
                    }
                }
                Instr::Call { dest, callee, args } => {
                    dest.iter().for_each(&mut write);
                    let fits = |f: &FuncId| self.takes(*f, args);
                    if !matches!(callee, Callee::Direct(f) if fits(f)) {
                        found(Effects { fails: self.accesses, ..Effects::default() });
                    }
                    call(match callee {
                        Callee::Direct(f) => vec![*f],
                        Callee::Indirect(e) => pointer_targets(self.unit, &e.ty, args.len()),
                    });
                }
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
            NodeKind::Halt => found(Effects { halts: true, ..Effects::default() }),
            NodeKind::Undefined(_) => found(Effects { undefined: true, ..Effects::default() }),
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

    /// Are these the arguments that a function is defined with? Otherwise the call may be undefined.
    fn takes(&self, f: FuncId, args: &[Expr]) -> bool {
        let f = self.unit.function(f);
        let variadic = matches!(&f.ty, Type::Function(t) if t.variadic);
        let params = f.params.iter().map(|&v| &f.vars[v as usize].ty);
        !f.defined()
            || (args.len() == f.params.len() || variadic && args.len() > f.params.len())
                && params.zip(args).all(|(ty, e)| *ty == e.ty)
    }

    pub(super) fn access(&self, p: &Place) -> Access {
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
}

impl Effects {
    pub(super) fn merge(&mut self, other: &Effects) {
        self.reads.extend(&other.reads);
        self.writes.extend(&other.writes);
        self.loops |= other.loops;
        self.halts |= other.halts;
        self.errs |= other.errs;
        self.fails |= other.fails;
        self.undefined |= other.undefined;
        self.leaves |= other.leaves;
        self.foreign |= other.foreign;
        self.allocates |= other.allocates;
    }

    pub(super) fn size(&self) -> usize {
        self.reads.len() + self.writes.len() + self.flags().into_iter().filter(|f| *f).count()
    }

    /// Does it more than read?
    pub(super) fn acts(&self) -> bool {
        !self.writes.is_empty() || self.flags().contains(&true)
    }

    fn flags(&self) -> [bool; 8] {
        [
            self.loops,
            self.halts,
            self.errs,
            self.fails,
            self.undefined,
            self.leaves,
            self.foreign,
            self.allocates,
        ]
    }
}

/// The functions from which calls lead to a recursion.
fn recursive(callees: &FxHashMap<FuncId, Vec<FuncId>>) -> Vec<FuncId> {
    let mut callers: FxHashMap<FuncId, Vec<FuncId>> = FxHashMap::default();
    let mut open: FxHashMap<FuncId, usize> = FxHashMap::default();
    for (&f, called) in callees {
        open.insert(f, called.len());
        called.iter().for_each(|&g| callers.entry(g).or_default().push(f));
    }
    // A function is done when all that it calls are.
    let mut done: Vec<FuncId> = open.iter().filter(|f| *f.1 == 0).map(|f| *f.0).collect();
    while let Some(g) = done.pop() {
        open.remove(&g);
        for f in callers.get(&g).into_iter().flatten() {
            let left = open.get_mut(f).expect("it calls one that was not done");
            *left -= 1;
            if *left == 0 {
                done.push(*f);
            }
        }
    }
    open.into_keys().collect()
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
