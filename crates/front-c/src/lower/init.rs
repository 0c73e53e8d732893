//! Initialisers: brace lists with designators and brace elision, strings, scalars (C11 6.7.9).
//!
//! An initialiser is spread over its object into entries, a path to a part and the expression for it, in the
//! order of the text; what has no entry is zero. Of two entries for one part the later wins, because the
//! stores are executed in order.

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};

use super::order::{Operand, Operated};
use super::place::string_init;
use super::{Lowerer, Res};
use crate::ir::{Expr, Instr, Place, PlaceKind, Span};
use crate::types::{Len, Type};

/// One step into an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Index(u64),
    Field(u32),
}

/// One initialised part of an object.
pub(super) struct Entry<'t> {
    pub(super) path: Vec<Step>,
    value: &'t Ast<ast::Expression>,
}

type Items<'t> = &'t [Ast<ast::InitializerListItem>];

impl Lowerer<'_> {
    /// Spreads an initialiser over an object of type `ty`; completes the type if its length comes from the
    /// initialiser.
    pub(super) fn initialiser<'t>(
        &mut self,
        ty: &mut Type,
        init: &'t Ast<ast::Initializer>,
    ) -> Res<Vec<Entry<'t>>> {
        let mut out = Vec::new();
        match &init.node {
            ast::Initializer::Expression(e) => out.push(Entry { path: Vec::new(), value: e }),
            ast::Initializer::List(items) => self.list(ty, Vec::new(), items, &mut out)?,
        }
        if let Type::Array(_, len @ Len::Unknown) = ty {
            let mut n = 0;
            for e in &out {
                n = n.max(match (e.path.first(), string_of(e.value)) {
                    (Some(Step::Index(i)), _) => i + 1,
                    (None, Some(s)) => self.string_bytes(s)?.len() as u64,
                    _ => 0,
                });
            }
            *len = Len::Fixed(n);
        }
        Ok(out)
    }

    /// A braced list for an object of type `ty` at `path`.
    fn list<'t>(
        &mut self,
        ty: &Type,
        path: Vec<Step>,
        items: Items<'t>,
        out: &mut Vec<Entry<'t>>,
    ) -> Res<()> {
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
            && string_of(e).is_some()
            && is_char_array(ty)
        {
            out.push(Entry { path, value: e });
            return Ok(());
        }
        let mut items = items;
        self.elements(ty, path, &mut items, out, true)
    }

    /// Takes as many items as the aggregate needs (all of them inside its own braces).
    fn elements<'t>(
        &mut self,
        ty: &Type,
        path: Vec<Step>,
        items: &mut Items<'t>,
        out: &mut Vec<Entry<'t>>,
        braced: bool,
    ) -> Res<()> {
        let mut position = 0u64;
        let mut first = true;
        while let Some((item, rest)) = items.split_first() {
            if !item.node.designation.is_empty() {
                if !braced && !first {
                    return Ok(()); // belongs to the enclosing braces
                }
                if braced {
                    *items = rest;
                    position = self.designated(ty, &path, item, out)? + 1;
                    first = false;
                    continue;
                }
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
        out: &mut Vec<Entry<'t>>,
    ) -> Res<()> {
        let (item, rest) = items.split_first().expect("an item");
        let aggregate = matches!(ty, Type::Array(..) | Type::Record(_));
        if let (true, ast::Initializer::Expression(e)) = (aggregate, &item.node.initializer.node) {
            let whole = (is_char_array(ty) && string_of(e).is_some())
                || (matches!(ty, Type::Record(_)) && self.type_of(e).is_ok_and(|t| t == *ty));
            if !whole {
                return self.elements(ty, path, items, out, false);
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
        out: &mut Vec<Entry<'t>>,
    ) -> Res<()> {
        match &init.node {
            ast::Initializer::Expression(e) => {
                out.push(Entry { path, value: e });
                Ok(())
            }
            ast::Initializer::List(inner) => self.list(ty, path, inner, out),
        }
    }

    /// Initialises what the designators name; returns the position of the first one.
    fn designated<'t>(
        &mut self,
        ty: &Type,
        path: &[Step],
        item: &'t Ast<ast::InitializerListItem>,
        out: &mut Vec<Entry<'t>>,
    ) -> Res<u64> {
        let (mut from, mut to) = (0, 0);
        let mut inner = ty.clone();
        let mut tail = Vec::new();
        for (depth, d) in item.node.designation.iter().enumerate() {
            let (steps, range) = self.designator(&inner, d)?;
            if depth == 0 {
                (from, to) = range;
            } else if range.0 != range.1 {
                return self.unsupported(d.span, "nested range designator");
            }
            for s in steps {
                inner = match self.part(&inner, position_of(s)) {
                    Some((_, t)) => t,
                    None => return self.invalid(d.span, "a designator outside the object"),
                };
                tail.push(s);
            }
        }
        for i in from..=to {
            let mut at = path.to_vec();
            at.extend(&tail);
            if let Some(Step::Index(k)) = at.get_mut(path.len()) {
                *k = i;
            }
            self.item(&inner, at, &item.node.initializer, out)?;
        }
        Ok(to)
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
        if let (Some(s), true) = (string_of(entry.value), is_char_array(&place.ty)) {
            let bytes = self.string_bytes(s)?;
            return Ok(string_init(&place, &bytes));
        }
        let value = self.expr(entry.value)?;
        Ok(vec![(place, value)])
    }

    /// Emits the instructions that initialise a local object.
    pub(super) fn run_initialiser(&mut self, object: Place, entries: Vec<Entry<'_>>) -> Res<()> {
        let span = object.span;
        if matches!(object.ty, Type::Array(..) | Type::Record(_))
            && !entries.iter().any(|e| e.path.is_empty() && !is_char_array(&object.ty))
        {
            self.b().emit(Instr::Zero(object.clone()));
        }
        // Where there are effects, C leaves the order open (6.7.9p23).
        let open = entries.len() > 1 && entries.iter().any(|e| self.acts(e.value));
        if open {
            return self.run_in_any_order(&object, &entries);
        }
        for entry in entries {
            let place = self.at_path(&object, &entry.path, span);
            for (place, value) in self.entry_values(place, &entry)? {
                self.assign(place, value);
            }
        }
        Ok(())
    }

    fn run_in_any_order(&mut self, object: &Place, entries: &[Entry<'_>]) -> Res<()> {
        let places: Vec<Place> = entries.iter().map(|e| self.at_path(object, &e.path, object.span)).collect();
        let is_string = |e: &Entry<'_>, p: &Place| string_of(e.value).is_some() && is_char_array(&p.ty);
        let evaluated = entries.iter().zip(&places).filter(|(e, p)| !is_string(e, p));
        let operands: Vec<Operand<'_>> = evaluated.map(|(e, _)| Operand::Value(e.value)).collect();
        let at = entries[0].value.span;
        let mut values = self.operands(&operands, false, at)?.into_iter().map(Operated::value);
        for (entry, place) in entries.iter().zip(places) {
            if is_string(entry, &place) {
                for (place, value) in self.entry_values(place, entry)? {
                    self.assign(place, value);
                }
            } else {
                self.assign(place, values.next().expect("one value for each entry"));
            }
        }
        Ok(())
    }

    pub(super) fn compound_literal(&mut self, mut ty: Type, items: Items<'_>, at: AstSpan) -> Res<Place> {
        let init = Ast::new(ast::Initializer::List(items.to_vec()), at);
        let entries = self.initialiser(&mut ty, &init)?;
        let object = self.b().temp("literal", ty);
        self.run_initialiser(object.clone(), entries)?;
        Ok(object)
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

fn is_char_array(ty: &Type) -> bool {
    match ty {
        Type::Array(t, _) => t.as_int().is_some_and(|t| t.bits == 8),
        _ => false,
    }
}
