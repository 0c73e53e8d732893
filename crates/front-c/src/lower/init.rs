//! Initialisers: brace lists with designators and brace elision, strings, scalars (C11 6.7.9).
//!
//! An initialiser is spread over its object into entries, a path to a part and the expression for it, in the
//! order of the text; what has no entry is zero. Behind a designator the list goes on in the innermost
//! aggregate that it leads into (6.7.9p17). With designators an entry can override earlier ones: those for
//! the same part, for parts of it, and for other members of its union are dropped. Where compilers differ it
//! is refused: a dropped entry with an effect, and a part of what one expression initialised as a whole.

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};
use rustc_hash::FxHashMap;

use super::order::{Operand, Operated, find};
use super::text::{string_init, takes_text};
use super::{Lowerer, Res};
use crate::ir::{Expr, Instr, Padding, Place, PlaceKind, Span, VarRef};
use crate::types::{Len, Type};

/// One step into an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Step {
    Index(u64),
    Field(u32),
}

/// One initialised part of an object.
pub(super) struct Entry<'t> {
    pub(super) path: Vec<Step>,
    pub(super) value: &'t Ast<ast::Expression>,
}

type Items<'t> = &'t [Ast<ast::InitializerListItem>];

/// The entries of an initialiser so far.
struct Spread<'t> {
    /// `None`: overridden.
    entries: Vec<Option<Entry<'t>>>,
    /// Where there are designators: what entries can override.
    seen: Option<Seen>,
}

/// Which parts have entries.
struct Seen {
    /// The type of the object.
    ty: Type,
    /// For every part that entries are for or lead through, which ones.
    under: FxHashMap<Vec<Step>, Vec<usize>>,
    /// The last entry for a part.
    exact: FxHashMap<Vec<Step>, usize>,
    /// The member of a union that has entries.
    members: FxHashMap<Vec<Step>, Step>,
}

/// Which items an aggregate takes.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Taken {
    /// All those in its braces.
    Braced,
    /// As many as it has parts, since its braces are left out.
    Elided,
    /// The same, from a position on; the one before had a designator.
    From(u64),
}

impl Lowerer<'_> {
    /// Spreads an initialiser over an object of type `ty`; completes the type if its length comes from the
    /// initialiser.
    pub(super) fn initialiser<'t>(
        &mut self,
        ty: &mut Type,
        init: &'t Ast<ast::Initializer>,
    ) -> Res<Vec<Entry<'t>>> {
        let mut out = Spread { entries: Vec::new(), seen: None };
        let (whole, items) = match &init.node {
            ast::Initializer::Expression(e) => (Some(e), self.list_of(ty, e)),
            ast::Initializer::List(items) => (None, Some(&items[..])),
        };
        if let Some(items) = items {
            out.seen = has_designators(items).then(|| Seen {
                ty: ty.clone(),
                under: FxHashMap::default(),
                exact: FxHashMap::default(),
                members: FxHashMap::default(),
            });
            self.list(ty, Vec::new(), items, init.span, &mut out)?;
        } else {
            out.entries.extend(whole.map(|value| Some(Entry { path: Vec::new(), value })));
        }
        if let Type::Array(_, len @ Len::Unknown) = ty {
            let mut n = 0;
            for e in out.entries.iter().flatten() {
                n = n.max(match (e.path.first(), string_of(e.value)) {
                    (Some(Step::Index(i)), _) => i + 1,
                    (None, Some(s)) => self.text(s)?.codes.len() as u64,
                    _ => 0,
                });
            }
            *len = Len::Fixed(n);
        }
        Ok(out.entries.into_iter().flatten().collect())
    }

    /// One more entry, which overrides others.
    fn push<'t>(&mut self, entry: Entry<'t>, out: &mut Spread<'t>) -> Res<()> {
        self.override_others(&entry.path, entry.value.span, out)?;
        let number = out.entries.len();
        if let Some(seen) = &mut out.seen {
            for k in 0..=entry.path.len() {
                seen.under.entry(entry.path[..k].to_vec()).or_default().push(number);
            }
            seen.exact.insert(entry.path.clone(), number);
        }
        out.entries.push(Some(entry));
        Ok(())
    }

    /// Drops the entries that one for this part overrides.
    fn override_others(&mut self, path: &[Step], at: AstSpan, out: &mut Spread<'_>) -> Res<()> {
        let Some(seen) = &mut out.seen else { return Ok(()) };
        let mut dropped = seen.under.remove(path).unwrap_or_default();
        let mut inner = seen.ty.clone();
        for (k, step) in path.iter().enumerate() {
            let prefix = &path[..k];
            let whole = seen.exact.get(prefix).and_then(|&e| out.entries[e].as_ref());
            if whole.is_some_and(|e| string_of(e.value).is_none()) {
                return self.unsupported(at, "an initialiser for a part of what another one sets");
            }
            if matches!(&inner, Type::Record(r) if self.unit.records.get(*r).union)
                && seen.members.insert(prefix.to_vec(), *step).is_some_and(|other| other != *step)
            {
                dropped.extend(seen.under.remove(prefix).unwrap_or_default());
            }
            inner = match self.part(&inner, position_of(*step)) {
                Some((_, t)) => t,
                None => return self.invalid(at, "an initialiser outside the object"),
            };
        }
        for number in dropped {
            if let Some(entry) = out.entries[number].take()
                && self.acts(entry.value)
            {
                return self
                    .unsupported(entry.value.span, "an initialiser with an effect that is overridden");
            }
        }
        Ok(())
    }

    /// A braced list for an object of type `ty` at `path`.
    fn list<'t>(
        &mut self,
        ty: &Type,
        path: Vec<Step>,
        items: Items<'t>,
        at: AstSpan,
        out: &mut Spread<'t>,
    ) -> Res<()> {
        self.override_others(&path, at, out)?;
        if !matches!(ty, Type::Array(..) | Type::Record(_)) {
            // A scalar in braces.
            return match items.first() {
                Some(item) => self.item(ty, path, &item.node.initializer, out),
                None => Ok(()),
            };
        }
        if let (Type::Array(..), [only]) = (ty, items)
            && only.node.designation.is_empty()
            && let ast::Initializer::Expression(e) = &only.node.initializer.node
            && takes_text(ty, e)
        {
            return self.push(Entry { path, value: e }, out);
        }
        let mut items = items;
        self.elements(ty, path, &mut items, out, Taken::Braced)
    }

    /// Takes as many items as the aggregate needs from a position on (all of them inside its own braces).
    fn elements<'t>(
        &mut self,
        ty: &Type,
        path: Vec<Step>,
        items: &mut Items<'t>,
        out: &mut Spread<'t>,
        taken: Taken,
    ) -> Res<()> {
        let braced = taken == Taken::Braced;
        let (mut position, mut first) = match taken {
            Taken::From(n) => (n, false),
            _ => (0, true),
        };
        while let Some((item, rest)) = items.split_first() {
            if !item.node.designation.is_empty() && (braced || !first) {
                if !braced {
                    return Ok(()); // belongs to the enclosing braces
                }
                position = self.designated(ty, &path, &item.node.designation, items, out)? + 1;
                continue;
            }
            // Without a designator a union takes its first member only.
            let full = position > 0 && matches!(ty, Type::Record(r) if self.unit.records.get(*r).union);
            let Some((step, inner)) = self.part(ty, position).filter(|_| !full) else {
                if braced {
                    *items = rest; // excess initialisers are ignored, as compilers do with a warning
                    continue;
                }
                return Ok(());
            };
            let mut at = path.clone();
            at.push(step);
            self.next_part(&inner, at, items, out)?;
            position += 1;
            first = false;
        }
        Ok(())
    }

    /// Initialises one part with the next item, or with the next items if its braces are left out.
    fn next_part<'t>(
        &mut self,
        ty: &Type,
        path: Vec<Step>,
        items: &mut Items<'t>,
        out: &mut Spread<'t>,
    ) -> Res<()> {
        let (item, rest) = items.split_first().expect("an item");
        let aggregate = matches!(ty, Type::Array(..) | Type::Record(_));
        if let (true, ast::Initializer::Expression(e)) = (aggregate, &item.node.initializer.node) {
            let whole = takes_text(ty, e)
                || (matches!(ty, Type::Record(_)) && self.unconverted_type(e).is_ok_and(|t| t == *ty));
            if !whole {
                return self.elements(ty, path, items, out, Taken::Elided);
            }
        }
        *items = rest;
        self.item(ty, path, &item.node.initializer, out)
    }

    fn item<'t>(
        &mut self,
        ty: &Type,
        path: Vec<Step>,
        init: &'t Ast<ast::Initializer>,
        out: &mut Spread<'t>,
    ) -> Res<()> {
        match &init.node {
            // GNU: a compound literal as the initialiser of its own type is its list.
            ast::Initializer::Expression(e) => match self.list_of(ty, e) {
                Some(items) => self.list(ty, path, items, init.span, out),
                None => self.push(Entry { path, value: e }, out),
            },
            ast::Initializer::List(inner) => self.list(ty, path, inner, init.span, out),
        }
    }

    /// The list of a compound literal of this type, outside of all functions.
    fn list_of<'t>(&mut self, ty: &Type, e: &'t Ast<ast::Expression>) -> Option<Items<'t>> {
        let ast::Expression::CompoundLiteral(c) = &e.node else { return None };
        let is_static = self.builder.is_none() && matches!(ty, Type::Array(..) | Type::Record(_));
        let same = is_static && self.type_name(&c.node.type_name).is_ok_and(|t| t == *ty);
        same.then_some(&c.node.initializer_list[..])
    }

    /// Initialises what the designators of the next item name, and goes on inside it as far as items without
    /// designators reach; returns the position of the first designator.
    fn designated<'t>(
        &mut self,
        ty: &Type,
        path: &[Step],
        designators: &'t [Ast<ast::Designator>],
        items: &mut Items<'t>,
        out: &mut Spread<'t>,
    ) -> Res<u64> {
        let Some((d, inner)) = designators.split_first() else { return Ok(0) };
        let (steps, (from, to)) = self.designator(ty, d)?;
        let item = &items[0];
        if from != to {
            if let ast::Initializer::Expression(e) = &item.node.initializer.node
                && self.acts(e)
            {
                return self.unsupported(e.span, "a range of parts with an effect, which happens once");
            }
            for i in from..to {
                let mut once = std::slice::from_ref(item);
                self.step_into(ty, path, &[Step::Index(i)], d, inner, &mut once, out)?;
            }
        }
        let mut steps = steps;
        if let [Step::Index(k)] = steps.as_mut_slice() {
            *k = to;
        }
        self.step_into(ty, path, &steps, d, inner, items, out)?;
        Ok(to)
    }

    /// Steps into a part (several steps lead into structs without a name), then follows the designators left.
    #[allow(clippy::too_many_arguments)] // a step of one recursion
    fn step_into<'t>(
        &mut self,
        ty: &Type,
        path: &[Step],
        steps: &[Step],
        d: &Ast<ast::Designator>,
        designators: &'t [Ast<ast::Designator>],
        items: &mut Items<'t>,
        out: &mut Spread<'t>,
    ) -> Res<()> {
        let Some((step, steps)) = steps.split_first() else { return Ok(()) };
        let Some((_, inner)) = self.part(ty, position_of(*step)) else {
            return self.invalid(d.span, "a designator outside the object");
        };
        let mut at = path.to_vec();
        at.push(*step);
        let position = if let Some(next) = steps.first() {
            self.step_into(&inner, &at, steps, d, designators, items, out)?;
            position_of(*next)
        } else if designators.is_empty() {
            return self.next_part(&inner, at, items, out);
        } else {
            self.designated(&inner, &at, designators, items, out)?
        };
        self.elements(&inner, at, items, out, Taken::From(position + 1))
    }

    fn designator(&mut self, ty: &Type, d: &Ast<ast::Designator>) -> Res<(Vec<Step>, (u64, u64))> {
        let index = |me: &mut Self, e: &Ast<ast::Expression>| match u64::try_from(me.constant(e)?) {
            Ok(i) => Ok(i),
            Err(_) => me.invalid(e.span, "a negative index"),
        };
        match &d.node {
            ast::Designator::Index(e) => {
                let i = index(self, e)?;
                Ok((vec![Step::Index(i)], (i, i)))
            }
            ast::Designator::Range(r) => {
                let (a, b) = (index(self, &r.node.from)?, index(self, &r.node.to)?);
                Ok((vec![Step::Index(a)], (a, b)))
            }
            ast::Designator::Member(m) => {
                let found = match ty {
                    Type::Record(r) => self.unit.records.find(*r, &m.node.name),
                    _ => None,
                };
                match found {
                    Some(fields) => {
                        let first = u64::from(fields[0]);
                        Ok((fields.into_iter().map(Step::Field).collect(), (first, first)))
                    }
                    None => self.invalid(m.span, format!("no member `{}`", m.node.name)),
                }
            }
        }
    }

    /// The part of an aggregate at a position.
    fn part(&self, ty: &Type, position: u64) -> Option<(Step, Type)> {
        match ty {
            Type::Array(t, len) => {
                let inside = match len {
                    Len::Fixed(n) => position < *n,
                    _ => true,
                };
                inside.then(|| (Step::Index(position), (**t).clone()))
            }
            Type::Record(r) => {
                let fields = self.unit.records.fields(*r);
                fields.get(position as usize).map(|f| (Step::Field(position as u32), f.ty.clone()))
            }
            _ => None,
        }
    }

    /// The place a path leads to.
    pub(super) fn at_path(&self, object: &Place, path: &[Step], span: Span) -> Place {
        path.iter().fold(object.clone(), |place, step| {
            let (_, ty) = self.part(&place.ty, position_of(*step)).expect("a path inside the object");
            let kind = match step {
                Step::Index(i) => {
                    let index = Expr::constant(i128::from(*i), Type::INT, span);
                    PlaceKind::Index(Box::new(place), Box::new(index))
                }
                Step::Field(k) => {
                    let Type::Record(r) = place.ty else { unreachable!("a member of a record") };
                    let k = self.unit.records.representative(r, *k);
                    PlaceKind::Field(Box::new(place), k)
                }
            };
            Place { ty, kind, span }
        })
    }

    /// The scalar stores that initialise a part.
    pub(super) fn entry_values(&mut self, place: Place, entry: &Entry<'_>) -> Res<Vec<(Place, Expr)>> {
        if let (Some(s), true) = (string_of(entry.value), takes_text(&place.ty, entry.value)) {
            let text = self.text(s)?;
            return Ok(string_init(&place, &text.codes));
        }
        let value = self.expr(entry.value)?;
        Ok(vec![(place, value)])
    }

    /// Emits the instructions that initialise a local object.
    ///
    /// The object lives as long as its block. If a jump leads back to here, a value may be read from what it
    /// was: then all values are computed before the object is set to zero.
    pub(super) fn run_initialiser(&mut self, object: Place, entries: Vec<Entry<'_>>) -> Res<()> {
        let whole = matches!(object.ty, Type::Array(..) | Type::Record(_))
            && !entries.iter().any(|e| e.path.is_empty() && !takes_text(&object.ty, e.value));
        let literal = match object.kind {
            PlaceKind::Var(VarRef::Local(v)) => self.b().vars[v as usize].temporary,
            _ => false,
        };
        let reads = || entries.iter().any(|e| find(e.value, follows_pointers));
        let early = whole && (!self.b().placed.is_empty() || literal && reads());
        if whole && !early {
            self.b().emit(Instr::Zero(object.clone(), Padding::Open));
        }
        // Where there are effects, C leaves the order open (6.7.9p23).
        let open = entries.len() > 1 && entries.iter().any(|e| self.acts(e.value));
        if !open && !early {
            for entry in entries {
                let place = self.at_path(&object, &entry.path, object.span);
                for (place, value) in self.entry_values(place, &entry)? {
                    self.assign(place, value);
                }
            }
            return Ok(());
        }
        let mut stores = if open {
            self.values_in_any_order(&object, &entries)?
        } else {
            let mut stores = Vec::new();
            for entry in &entries {
                let place = self.at_path(&object, &entry.path, object.span);
                stores.extend(self.entry_values(place, entry)?);
            }
            stores
        };
        if early {
            // Numbers that are not modelled are refused where they are used.
            let kept = |v: &Expr| v.as_const().is_none() && !matches!(v.ty, Type::Float(_));
            for (_, value) in stores.iter_mut().filter(|(_, v)| kept(v)) {
                let now = std::mem::replace(value, Expr::constant(0, Type::INT, object.span));
                *value = self.b().save(now);
            }
            self.b().emit(Instr::Zero(object, Padding::Open));
        }
        stores.into_iter().for_each(|(place, value)| self.assign(place, value));
        Ok(())
    }

    fn values_in_any_order(&mut self, object: &Place, entries: &[Entry<'_>]) -> Res<Vec<(Place, Expr)>> {
        let places: Vec<Place> = entries.iter().map(|e| self.at_path(object, &e.path, object.span)).collect();
        let is_string = |e: &Entry<'_>, p: &Place| takes_text(&p.ty, e.value);
        let evaluated = entries.iter().zip(&places).filter(|(e, p)| !is_string(e, p));
        let operands: Vec<Operand<'_>> = evaluated.map(|(e, _)| Operand::Value(e.value)).collect();
        let at = entries[0].value.span;
        let mut values = self.operands(&operands, false, at)?.into_iter().map(Operated::value);
        let mut stores = Vec::new();
        for (entry, place) in entries.iter().zip(places) {
            if is_string(entry, &place) {
                stores.extend(self.entry_values(place, entry)?);
            } else {
                stores.push((place, values.next().expect("one value for each entry")));
            }
        }
        Ok(stores)
    }

    /// A compound literal outside of all functions is an object as long-lived as the program.
    pub(super) fn static_literal(&mut self, mut ty: Type, items: Items<'_>, at: AstSpan) -> Res<Place> {
        let span = self.span(at);
        // What is lowered twice is one object.
        let key = (span.unit, span.start, b"literal".to_vec());
        if let Some(&g) = self.strings.get(&key) {
            let ty = self.unit.globals[g as usize].var.ty.clone();
            return Ok(Place::var(VarRef::Global(g), ty, span));
        }
        let init = Ast::new(ast::Initializer::List(items.to_vec()), at);
        let entries = self.initialiser(&mut ty, &init)?;
        let name = |g| format!("literal {g}");
        let g = self.constant_object(key, ty.clone(), name, |_, _| Vec::new(), false);
        let object = Place::var(VarRef::Global(g), ty, span);
        let init = self.at_translation(|me| me.static_values(&object, entries, at))?;
        let global = &mut self.unit.globals[g as usize];
        global.var.constant = false;
        global.init = init;
        Ok(object)
    }

    pub(super) fn compound_literal(&mut self, mut ty: Type, items: Items<'_>, at: AstSpan) -> Res<Place> {
        let init = Ast::new(ast::Initializer::List(items.to_vec()), at);
        let entries = self.initialiser(&mut ty, &init)?;
        let object = self.b().literal(ty);
        self.run_initialiser(object.clone(), entries)?;
        Ok(object)
    }
}

/// Does this read through a pointer, or call something that may?
pub(super) fn follows_pointers(e: &ast::Expression) -> bool {
    use ast::Expression as E;
    match e {
        E::Call(_) => true,
        E::Member(m) => m.node.operator.node == ast::MemberOperator::Indirect,
        E::UnaryOperator(u) => u.node.operator.node == ast::UnaryOperator::Indirection,
        E::BinaryOperator(b) => b.node.operator.node == ast::BinaryOperator::Index,
        _ => false,
    }
}

fn position_of(s: Step) -> u64 {
    match s {
        Step::Index(i) => i,
        Step::Field(k) => u64::from(k),
    }
}

fn string_of(e: &Ast<ast::Expression>) -> Option<&Ast<ast::StringLiteral>> {
    match &e.node {
        ast::Expression::StringLiteral(s) => Some(s),
        _ => None,
    }
}

/// Has the list designators, or one of the lists in it?
fn has_designators(items: Items<'_>) -> bool {
    items.iter().any(|item| {
        !item.node.designation.is_empty()
            || matches!(&item.node.initializer.node, ast::Initializer::List(inner) if has_designators(inner))
    })
}
