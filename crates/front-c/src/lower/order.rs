//! Operands whose order C leaves open: of binary operators, calls, assignments, subscripts and initialiser
//! lists.
//!
//! Where no operand has effects, there is nothing to do. Otherwise the graph gets both orders of an operand
//! and the rest, behind a choice of the environment, and an [`Order`] that says which parts are meant. When
//! all functions are known, `crate::order` looks at what the parts read and write: an order that cannot
//! matter becomes a fixed one, one that cannot be explored becomes unsupported.
//!
//! An operand without effects is evaluated before or after all operands with effects. It is lowered once and
//! stored twice. An operand with effects is evaluated before or after all that stand before it; it is lowered
//! twice, unless it holds statements or is deep inside others that are.
//!
//! A proof must cover all orders. A violation in one order need not occur with a compiler that chose another:
//! after [`Instr::Open`] a violation is [`Property::Open`](palisade_program::Property::Open). If the value of
//! the operand is the same at both times, `Open` is not set.

use std::ops::Range;

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};
use lang_c::visit::{self, Visit};

use super::builder::Builder;
use super::call::cannot_fail;
use super::constant::{has_effects, is_assignment};
use super::escape::escapes;
use super::{Lowerer, Res};
use crate::ir::{CmpOp, Expr, ExprKind, Instr, NodeId, Nondet, Order, Part, Place, PlaceKind, Side, VarRef};
use crate::types::{IntType, Type};

type Node = Ast<ast::Expression>;

/// The limit for operands that are lowered twice inside each other: the graph would grow exponentially.
const MAX_COPIES: u32 = 3;

/// An operand and what is wanted of it.
#[derive(Clone, Copy)]
pub(super) enum Operand<'t> {
    Value(&'t Node),
    Place(&'t Node),
    /// Only its effects.
    Effects(&'t Node),
}

/// An evaluated operand.
pub(super) enum Operated {
    Value(Expr),
    Place(Place),
    Nothing,
}

impl Operated {
    pub(super) fn value(self) -> Expr {
        match self {
            Operated::Value(e) => e,
            _ => unreachable!("a value was asked for"),
        }
    }

    pub(super) fn place(self) -> Place {
        match self {
            Operated::Place(p) => p,
            _ => unreachable!("a place was asked for"),
        }
    }
}

impl Operand<'_> {
    fn node(&self) -> &Node {
        match self {
            Operand::Value(e) | Operand::Place(e) | Operand::Effects(e) => e,
        }
    }
}

/// What is stored so that later effects do not change it.
type Stores = Vec<(Place, Expr)>;

/// A choice between two times of evaluation: where to patch it if the order does not matter, and if it does.
struct Choice {
    flag: Expr,
    fixed: Vec<(NodeId, NodeId)>,
    open: Vec<NodeId>,
}

impl Lowerer<'_> {
    /// The values of two expressions in either order.
    pub(super) fn two_values(&mut self, a: &Node, b: &Node, at: AstSpan) -> Res<(Expr, Expr)> {
        let mut done = self.operands(&[Operand::Value(a), Operand::Value(b)], false, at)?.into_iter();
        let mut next = || done.next().expect("one result for each operand").value();
        Ok((next(), next()))
    }

    /// Evaluates operands in every order. `stored`: the first one is a place that is assigned to afterwards.
    pub(super) fn operands(
        &mut self,
        operands: &[Operand<'_>],
        stored: bool,
        at: AstSpan,
    ) -> Res<Vec<Operated>> {
        let mut acts: Vec<bool> = operands.iter().map(|o| self.acts(o.node())).collect();
        let only = operands.len() == 1 && !stored;
        if self.builder.is_none() || only || !acts.contains(&true) {
            return operands.iter().map(|o| self.operand(o)).collect();
        }
        // Operands without effects add nothing to the graph: what they store is known now.
        let mut done: Vec<Option<Operated>> = operands.iter().map(|_| None).collect();
        let mut pure: Vec<(usize, Stores)> = Vec::new();
        for (i, o) in operands.iter().enumerate().filter(|(i, _)| !acts[*i]) {
            let Some(value) = self.pure(&[o.node()], |me| me.operand(o))? else { continue };
            let (value, stores) = self.detach(value);
            done[i] = Some(value);
            if !stores.is_empty() {
                pure.push((i, stores));
            }
        }
        for (i, value) in done.iter().enumerate() {
            acts[i] = value.is_none();
        }
        let acting = acts.iter().filter(|a| **a).count();
        let first_acting = acts.iter().position(|a| *a).expect("one has effects");
        let pure: Vec<(bool, Stores)> = pure.into_iter().map(|(i, s)| (i < first_acting, s)).collect();
        let steps = stored && operands.iter().any(|o| find(last(o.node()), is_step));
        if acting == 1 && pure.is_empty() && !steps {
            for (slot, o) in done.iter_mut().zip(operands) {
                if slot.is_none() {
                    let value = self.operand(o)?;
                    *slot = Some(value);
                }
            }
            return Ok(done.into_iter().flatten().collect());
        }

        let gate = self.b().label();
        self.b().place(gate);
        let mut choices: Vec<Choice> = Vec::new();
        for (early, stores) in &pure {
            let mut choice = self.b().choice();
            let skip = (!early).then(|| self.b().begin_option(&mut choice));
            self.b().store(stores);
            skip.into_iter().for_each(|s| self.b().place(s));
            choices.push(choice);
        }
        // The last operands first: each comes before all that stand before it.
        let twice = self.b().copies < MAX_COPIES && operands.iter().any(|o| find(o.node(), is_call));
        let mut copies: Vec<Option<(Choice, Option<Place>)>> = operands.iter().map(|_| None).collect();
        for (i, o) in operands.iter().enumerate().skip(first_acting + 1).rev() {
            if !acts[i] || !twice || find(o.node(), is_statement) || matches!(o, Operand::Place(_)) {
                continue;
            }
            let mut choice = self.b().choice();
            let start = self.b().nodes.len() as u32;
            let skip = self.b().begin_option(&mut choice);
            let value = self.in_copy(|me| me.operand(o))?;
            let place = self.keep(&value, None);
            self.b().place(skip);
            let end = self.b().nodes.len() as u32;
            self.b().early.push(start..end);
            copies[i] = Some((choice, place));
        }
        let mut sides: Vec<Range<u32>> = Vec::new();
        let mut ways_out: Vec<Side> = Vec::new();
        for (i, o) in operands.iter().enumerate() {
            if done[i].is_some() {
                continue;
            }
            let copy = copies[i].take();
            let again = copy.map(|(mut choice, place)| (self.b().begin_copy(&mut choice), choice, place));
            let start = self.b().nodes.len() as u32;
            let value = match &again {
                Some(_) => self.in_copy(|me| me.operand(o))?,
                None => self.operand(o)?,
            };
            let value = match &again {
                Some((_, _, Some(place))) => {
                    self.keep(&value, Some(place));
                    Operated::Value(place.clone().load())
                }
                Some((_, _, None)) => value,
                None => {
                    let (value, stores) = self.detach(value);
                    self.b().store(&stores);
                    value
                }
            };
            let side = start..self.b().nodes.len() as u32;
            let choice = again.map(|(skip, choice, _)| {
                self.b().place(skip);
                choice
            });
            let ways = escapes(o.node());
            if !sides.is_empty() {
                let left = sides.iter().cloned().map(Side::Nodes).chain(ways_out.iter().cloned()).collect();
                let right = [Side::Nodes(side.clone())].into_iter().chain(ways.iter().cloned()).collect();
                self.order(gate, left, right, choice, at);
            }
            ways_out.extend(ways);
            sides.push(side);
            done[i] = Some(value);
        }
        for ((early, stores), mut choice) in pure.into_iter().zip(choices) {
            if early {
                self.b().store_again(&mut choice, &stores);
            } else {
                self.b().store_late(&mut choice, &stores);
            }
            let reads = stores.into_iter().map(|(_, e)| Side::Reads(e)).collect();
            let acting = sides.iter().cloned().map(Side::Nodes).chain(ways_out.iter().cloned()).collect();
            self.order(gate, reads, acting, Some(choice), at);
        }
        let done: Vec<Operated> = done.into_iter().flatten().collect();
        if steps && let Operated::Place(place) = &done[0] {
            // In `a = b = v`, where both have the same type, the order of the two stores does not matter,
            // whether or not `a` is `b`.
            let stored = operands.last().is_some_and(|o| gives_stored(&o.node().node));
            let same =
                if stored && !self.in_union(place) { self.b().chain_of(&place.ty) } else { Vec::new() };
            let acting = sides.into_iter().flat_map(|s| without(s, &same)).map(Side::Nodes).collect();
            self.order(gate, vec![Side::Store(place.clone())], acting, None, at);
        }
        Ok(done)
    }

    /// Place, old value and right operand of a compound assignment. The place is determined first; where that
    /// matters, it is unsupported.
    pub(super) fn compound_operands(
        &mut self,
        to: &Node,
        by: &Node,
        at: AstSpan,
    ) -> Res<(Place, Expr, Expr)> {
        if self.builder.is_none() || !has_effects(&by.node) {
            let mut done = self.operands(&[Operand::Place(to), Operand::Value(by)], true, at)?.into_iter();
            let mut next = || done.next().expect("one result for each operand");
            let (place, value) = (next().place(), next().value());
            return Ok((place.clone(), self.value_of(place), value));
        }
        let gate = self.b().label();
        self.b().place(gate);
        let start = self.b().nodes.len() as u32;
        let place = self.place(to)?;
        let mut stores = Stores::new();
        let place = self.detach_place(place, &mut stores);
        self.b().store(&stores);
        let determined = start..self.b().nodes.len() as u32;
        let mut kept = Stores::new();
        let old = self.value_of(place.clone());
        let old = self.detach_value(old, &mut kept);
        self.b().store(&kept);
        let start = self.b().nodes.len() as u32;
        let value = self.expr(by)?;
        let mut stores = Stores::new();
        let value = self.detach_value(value, &mut stores);
        self.b().store(&stores);
        let mut right = vec![Side::Nodes(start..self.b().nodes.len() as u32)];
        right.extend(escapes(by));
        let mut choice = self.b().choice();
        self.b().store_again(&mut choice, &kept);
        let reads = kept.into_iter().map(|(_, e)| Side::Reads(e)).collect();
        let left = [Side::Nodes(determined)].into_iter().chain(escapes(to)).collect();
        self.order(gate, left, right.clone(), None, at);
        self.order(gate, reads, right.clone(), Some(choice), at);
        self.order(gate, vec![Side::Store(place.clone())], right, None, at);
        Ok((place, old, value))
    }

    fn order(
        &mut self,
        gate: NodeId,
        left: Vec<Side>,
        right: Vec<Side>,
        choice: Option<Choice>,
        at: AstSpan,
    ) {
        let what = self.located(at, "the order of evaluation").into();
        let choice = choice.map(|c| (c.fixed, c.open));
        self.b().orders.push(Order { gate, left, right, choice, what });
    }

    /// Lowers something that is lowered twice.
    fn in_copy<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.b().copies += 1;
        let out = f(self);
        self.b().copies -= 1;
        out
    }

    fn operand(&mut self, o: &Operand<'_>) -> Res<Operated> {
        Ok(match o {
            Operand::Value(e) => Operated::Value(self.expr(e)?),
            Operand::Place(e) => Operated::Place(self.place(e)?),
            Operand::Effects(e) => {
                self.discard(e)?;
                Operated::Nothing
            }
        })
    }

    /// Stores the value of one of two copies of an operand, if it can be stored.
    fn keep(&mut self, value: &Operated, to: Option<&Place>) -> Option<Place> {
        let Operated::Value(value) = value else { return None };
        if !storable(&value.ty) {
            return None;
        }
        let place = to.cloned().unwrap_or_else(|| self.b().temp("tmp", value.ty.clone()));
        self.b().emit(Instr::Assign(place.clone(), value.clone()));
        Some(place)
    }

    /// Stores what an operand reads in temporaries.
    fn detach(&mut self, operand: Operated) -> (Operated, Stores) {
        let mut stores = Stores::new();
        let operand = match operand {
            Operated::Value(e) => Operated::Value(self.detach_value(e, &mut stores)),
            Operated::Place(p) => Operated::Place(self.detach_place(p, &mut stores)),
            Operated::Nothing => Operated::Nothing,
        };
        (operand, stores)
    }

    fn detach_value(&mut self, e: Expr, stores: &mut Stores) -> Expr {
        if !storable(&e.ty) || !self.reads(&e) && cannot_fail(&e) {
            return e;
        }
        let place = self.b().temp("tmp", e.ty.clone());
        stores.push((place.clone(), e));
        place.load()
    }

    /// Fixes which object a place is: later effects do not change its indices and pointers.
    fn detach_place(&mut self, place: Place, stores: &mut Stores) -> Place {
        let kind = match place.kind {
            PlaceKind::Var(_) => place.kind,
            PlaceKind::Deref(e) => PlaceKind::Deref(Box::new(self.detach_value(*e, stores))),
            PlaceKind::Index(base, i) => {
                let base = self.detach_place(*base, stores);
                PlaceKind::Index(Box::new(base), Box::new(self.detach_value(*i, stores)))
            }
            PlaceKind::Field(base, k) => PlaceKind::Field(Box::new(self.detach_place(*base, stores)), k),
        };
        Place { kind, ..place }
    }

    /// Does the value depend on anything but constants and temporaries, which nothing changes?
    fn reads(&mut self, e: &Expr) -> bool {
        let mut reads = false;
        let vars = &self.b().vars;
        Part::Expr(e).visit(&mut |part| {
            if let Part::Expr(Expr { kind: ExprKind::Load(p), .. }) = part {
                let fixed = |v: u32| vars[v as usize].temporary && !vars[v as usize].literal;
                reads |= !matches!(p.kind, PlaceKind::Var(VarRef::Local(v)) if fixed(v) && p.ty.is_scalar());
            }
        });
        reads
    }
}

impl Builder {
    /// A choice of the environment, not made yet.
    fn choice(&mut self) -> Choice {
        Choice { flag: self.flag(), fixed: Vec::new(), open: Vec::new() }
    }

    fn flag(&mut self) -> Expr {
        self.temp("order", Type::Int(IntType::BOOL)).load()
    }

    fn store(&mut self, stores: &Stores) {
        for (place, value) in stores {
            self.emit(Instr::Assign(place.clone(), value.clone()));
        }
    }

    /// Makes a choice. Gives the node where it is made.
    fn ask(&mut self, flag: &Expr) -> Option<NodeId> {
        let ExprKind::Load(place) = &flag.kind else { unreachable!("a variable") };
        let asked = Nondet::value(None, flag.ty.clone(), Default::default());
        self.emit(Instr::Nondet(Some((**place).clone()), asked));
        self.current
    }

    /// Begins what is only done if the environment chooses so; gives the label behind it.
    fn begin_option(&mut self, choice: &mut Choice) -> NodeId {
        let asked = self.ask(&choice.flag);
        let (then, skip) = (self.label(), self.label());
        self.branch(choice.flag.clone(), then, skip);
        self.place(then);
        choice.fixed.extend(asked.map(|n| (n, skip)));
        skip
    }

    /// From here on a violation may be due to the choice.
    fn open(&mut self, choice: &mut Choice) {
        self.emit(Instr::Nop);
        choice.open.extend(self.current);
    }

    /// Begins what is done if the option was not taken; gives the label behind it. `early` is what is done if
    /// it was.
    fn begin_rest(&mut self, choice: &mut Choice, early: impl FnOnce(&mut Builder, &mut Choice)) -> NodeId {
        self.emit(Instr::Nop);
        let decided = self.current;
        let (before, rest, fixed, skip) = (self.label(), self.label(), self.label(), self.label());
        self.branch(choice.flag.clone(), before, rest);
        self.place(before);
        early(self, choice);
        self.jump(skip);
        self.place(rest);
        self.open(choice);
        self.place(fixed);
        choice.fixed.extend(decided.map(|n| (n, fixed)));
        skip
    }

    /// The second copy of an operand.
    fn begin_copy(&mut self, choice: &mut Choice) -> NodeId {
        self.begin_rest(choice, Builder::open)
    }

    /// Stores late what may have been stored early.
    fn store_late(&mut self, choice: &mut Choice, stores: &Stores) {
        let skip = self.begin_rest(choice, |b, choice| {
            let (same, end) = (b.flag(), b.label());
            b.ask(&same);
            b.same_or_open(choice, &same, stores, end);
            b.place(end);
        });
        self.store(stores);
        self.place(skip);
    }

    /// Stores again what was stored early.
    fn store_again(&mut self, choice: &mut Choice, stores: &Stores) {
        let (same, end) = (self.flag(), self.label());
        let asked = self.ask(&same);
        self.same_or_open(choice, &same, stores, end);
        // Open: early or late?
        self.ask(&choice.flag.clone());
        let late = self.label();
        self.branch(choice.flag.clone(), late, end);
        self.place(late);
        self.store(stores);
        self.place(end);
        choice.fixed.extend(asked.map(|n| (n, end)));
    }

    /// If the stored value is unchanged, the order does not matter. Otherwise a violation may be due to the
    /// order.
    fn same_or_open(&mut self, choice: &mut Choice, same: &Expr, stores: &Stores, end: NodeId) {
        let differs = self.label();
        // Zeros of different signs are equal.
        let exact = |ty: &Type| ty.is_scalar() && !matches!(ty, Type::Ieee(_));
        if stores.iter().all(|(place, _)| exact(&place.ty)) {
            let unchanged = self.label();
            self.branch(same.clone(), unchanged, differs);
            self.place(unchanged);
            for (place, value) in stores {
                let (a, b) = (Box::new(place.clone().load()), Box::new(value.clone()));
                let kind = ExprKind::Compare(CmpOp::Eq, a, b);
                self.emit(Instr::Assume(Expr { ty: Type::INT, kind, span: value.span }));
            }
            self.jump(end);
        } else {
            self.jump(differs);
        }
        self.place(differs);
        self.open(choice);
    }
}

pub(super) fn storable(ty: &Type) -> bool {
    ty.is_scalar() || matches!(ty, Type::Record(_))
}

fn is_call(e: &ast::Expression) -> bool {
    matches!(e, ast::Expression::Call(_))
}

fn is_statement(e: &ast::Expression) -> bool {
    matches!(e, ast::Expression::Statement(_))
}

/// Does the expression itself change an object?
pub(super) fn is_step(e: &ast::Expression) -> bool {
    use ast::UnaryOperator as U;
    match e {
        ast::Expression::BinaryOperator(b) => is_assignment(&b.node.operator.node),
        ast::Expression::UnaryOperator(u) => matches!(
            u.node.operator.node,
            U::PostIncrement | U::PostDecrement | U::PreIncrement | U::PreDecrement
        ),
        ast::Expression::Statement(_) => true,
        _ => false,
    }
}

/// Is the value of the expression what it stores?
pub(super) fn gives_stored(e: &ast::Expression) -> bool {
    matches!(e, ast::Expression::BinaryOperator(b) if is_assignment(&b.node.operator.node))
}

/// A part of the graph without some nodes.
fn without(part: Range<u32>, nodes: &[u32]) -> Vec<Range<u32>> {
    let mut cuts: Vec<u32> = nodes.iter().copied().filter(|n| part.contains(n)).collect();
    cuts.sort_unstable();
    let starts = [part.start].into_iter().chain(cuts.iter().map(|n| n + 1));
    let ends = cuts.iter().copied().chain([part.end]);
    starts.zip(ends).map(|(start, end)| start..end).filter(|r| !r.is_empty()).collect()
}

/// The part of an expression that gives its value. What stands before a comma is complete before that.
fn last(e: &Node) -> &Node {
    match &e.node {
        ast::Expression::Comma(all) => all.last().map_or(e, last),
        _ => e,
    }
}

/// Is there an expression of this kind in it?
pub(super) fn find(e: &Node, wanted: fn(&ast::Expression) -> bool) -> bool {
    struct Finder {
        wanted: fn(&ast::Expression) -> bool,
        found: bool,
    }
    impl<'ast> Visit<'ast> for Finder {
        fn visit_expression(&mut self, e: &'ast ast::Expression, span: &'ast lang_c::span::Span) {
            self.found |= (self.wanted)(e);
            if !self.found {
                visit::visit_expression(self, e, span);
            }
        }
    }
    let mut finder = Finder { wanted, found: false };
    finder.visit_expression(&e.node, &e.span);
    finder.found
}
