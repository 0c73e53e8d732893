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

mod effects;

use std::sync::Arc;

use effects::{Access, Class, Effects, Facts};

use crate::ir::{
    ByType, Expr, ExprKind, FloatOp, FuncId, Function, Instr, NodeId, NodeKind, OpenChoice, Order, Part,
    Place, PlaceKind, Side, Unit, VarRef,
};
use crate::numbers::AS_NUMBER;
use crate::options::COptions;
use crate::types::{Record, RecordId, Type};

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
            let of_library =
                f.name.starts_with(crate::library::PREFIX) || unit.unknown_results.contains(&f.name);
            let choice = if of_library { OpenChoice::Library } else { OpenChoice::Assembly };
            open.push(choice(FuncId(i as u32)));
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
                    (Judgement::Explored { violates, differs }, Some((_, late))) => {
                        if !violates && !differs {
                            continue;
                        }
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
            Side::Leaves | Side::Loops => {}
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
    matches!(instr, Nop | Assign(..) | Zero(..) | Havoc(_) | Nondet(..) | Scope { .. } | Assume(_) | Open)
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
    let library = |c: &OpenChoice| matches!(c, OpenChoice::Library(f) if executed(*f));
    let sliced = |c: &OpenChoice| matches!(c, OpenChoice::Sliced);
    let others = [
        (unit.sorts, "which elements are compared, or the order of equal ones"),
        (has_volatile(unit, &functions), "a `volatile` object that changes by itself"),
        (has_addresses_as_numbers(unit, &functions), AS_NUMBER),
        (leaves_bits_open(unit, &functions), "floating-point bits that C leaves open"),
        (unit.open.iter().any(assembly), "inline assembly"),
        (unit.open.iter().any(library), "what the library knows of earlier calls"),
        (unit.open.iter().any(sliced), "code that was sliced away, which may not end or be undefined"),
    ];
    let others = others.into_iter().filter(|o| o.0).map(|o| Arc::from(o.1));
    orders.next().cloned().into_iter().chain(others).collect()
}

/// Is it the effect of inline assembly, or of a function of the library, that is not known?
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

/// Is there a `volatile` object or member, or a pointer to such objects?
fn has_volatile(unit: &Unit, functions: &[&Function]) -> bool {
    let vars = functions.iter().flat_map(|f| &f.vars).chain(unit.globals.iter().map(|g| &g.var));
    let mut fields = unit.records.all.iter().flat_map(|r| r.fields.iter().flatten());
    vars.into_iter().any(|v| v.volatile || v.ty.leads_to_volatile())
        || fields.any(|f| f.volatile || f.ty.leads_to_volatile())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Judgement {
    Fixed,
    /// `violates`: one side may violate the property, or not, for what the other does.
    /// `differs`: what follows may depend on the order. Otherwise only whether it is reached does.
    Explored {
        violates: bool,
        differs: bool,
    },
    Refused,
}

impl Facts<'_> {
    /// The atoms of one side of an order.
    fn atoms(&self, f: FuncId, side: &Side, out: &mut Vec<Atom>) {
        let f = self.unit.function(f);
        let mut simple = |effects: Effects| {
            let own = |a: &Access| match a.var {
                Some(VarRef::Local(v)) => !f.vars[v as usize].temporary || f.vars[v as usize].literal,
                _ => true,
            };
            if effects.size() > 0 && effects.reads.iter().chain(&effects.writes).all(own) {
                let e = &effects;
                let ends = e.loops || e.halts || e.undefined;
                let call = e.foreign || ends || e.errs || e.fails || e.allocates;
                out.push(Atom { call, effects });
            }
        };
        match side {
            Side::Reads(e) => Part::Expr(e).visit(&mut |part| simple(self.part(part))),
            Side::Store(p) => {
                simple(Effects { writes: [self.access(p)].into_iter().collect(), ..Effects::default() });
            }
            Side::Leaves => {
                let effects = Effects { leaves: true, ..Effects::default() };
                out.push(Atom { call: true, effects });
            }
            Side::Loops => {
                let effects = Effects { loops: true, ..Effects::default() };
                out.push(Atom { call: true, effects });
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
        let (mut conflicts, mut ends, mut left_behind) = (0, false, false);
        for a in &left {
            for b in &right {
                // A store comes after the values and the calls, not after other side effects.
                if stored && (b.call || b.effects.writes.is_empty()) {
                    continue;
                }
                // A jump ends the expression, and what the other does may be seen where it leads.
                let skipped = |a: &Atom, b: &Atom| a.effects.leaves && b.effects.acts();
                if skipped(a, b) || skipped(b, a) {
                    return Judgement::Refused;
                }
                let either = |is: &dyn Fn(&Effects, &Effects) -> bool| {
                    is(&a.effects, &b.effects) || is(&b.effects, &a.effects)
                };
                let seen = either(&|a, b| self.may_leave_behind(a, b));
                let ended = seen || either(&|a, b| self.may_end(a, b));
                let conflict = self.conflict(f, a, b);
                if !a.call && !b.call && (conflict || ended) {
                    return Judgement::Refused;
                }
                // The end may come between two effects of the other side, and be seen there.
                left_behind |= seen;
                ends |= ended && !conflict && !seen;
                conflicts += usize::from(conflict || seen);
            }
        }
        let violates =
            |a: &Atom| a.effects.errs || self.strict && a.effects.fails || self.ended && a.effects.loops;
        let violates = left.iter().chain(&right).any(violates);
        // What may end the program comes before all of the other side, or after it: that is one choice,
        // however many violations there may be.
        conflicts += usize::from(ends);
        match conflicts {
            0 => Judgement::Fixed,
            1 => Judgement::Explored { violates, differs: !ends || left_behind },
            _ => Judgement::Refused,
        }
    }

    /// May one end the program before the other violates the property?
    fn may_end(&self, a: &Effects, b: &Effects) -> bool {
        (a.loops || a.halts || a.undefined) && (b.errs || self.strict && b.fails)
            || a.halts && (b.fails || b.undefined)
            || self.ended && (a.halts || a.undefined) && b.loops
    }

    /// May one end the program, where it matters what the other has done before?
    fn may_leave_behind(&self, a: &Effects, b: &Effects) -> bool {
        self.tracked && a.halts && (b.allocates || !b.writes.is_empty())
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
                    && (self.tracked || self.is_read(x))
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

    /// May a variable be read? The order of writes to any other one changes nothing (`errno`).
    fn is_read(&self, v: VarRef) -> bool {
        match v {
            VarRef::Global(g) => self.read.contains(&g) || self.globals.contains(&g),
            VarRef::Local(_) => true,
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
