//! Places: lvalues, members, elements, string literals.
//!
//! `a[i]` of an array is an element of it, so that the index can be checked against the length; of a pointer
//! it is what `a + i` points to. A string literal is a global of its own.

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};

use super::builder::Builder;
use super::text::{Text, string_init};
use super::{Lowerer, Problem, Res, Symbol};
use crate::ir::{Expr, ExprKind, Global, Instr, Place, PlaceKind, VarRef, Variable};
use crate::types::{Len, Qualifiers, Type};

type Node = Ast<ast::Expression>;

impl Lowerer<'_> {
    /// The value of a place: arrays become pointers to their first elements. A floating-point number that is
    /// not modelled is refused where it is used; that it is read through a bad pointer is not lost.
    pub(super) fn value_of(&mut self, place: Place) -> Expr {
        let span = place.span;
        match &place.ty {
            Type::Array(t, _) => {
                let element = (**t).clone();
                if let (PlaceKind::Deref(pointer), true) = (&place.kind, place.ty.is_variable()) {
                    return self.first_of_row((**pointer).clone(), element);
                }
                let ty =
                    element.clone().pointer_to_qualified(self.place_is_volatile(&place), Qualifiers::OPEN);
                if let Some(address) = self.fixed_address(&place) {
                    return Expr::constant(address, ty, span);
                }
                if let (Some(b), Some(VarRef::Local(v))) = (&mut self.builder, place.root()) {
                    b.expose(v);
                }
                let zero = Expr::constant(0, Type::INT, span);
                let first =
                    Place { ty: element, kind: PlaceKind::Index(Box::new(place), Box::new(zero)), span };
                Expr { ty, kind: ExprKind::Address(Box::new(first)), span }
            }
            Type::Float(_) => {
                if self.builder.is_some() && !is_always_there(&place) {
                    let (ty, read) = (Type::INT, Box::new(place.clone().load()));
                    self.b().save(Expr { ty, kind: ExprKind::Cast(read), span });
                }
                let position = self.sources[span.unit as usize].position(span.start as usize);
                let what = format!("{}, {position}", super::float::refused(&place.ty));
                Expr { ty: place.ty.clone(), kind: ExprKind::Unsupported(what.into()), span }
            }
            _ => place.load(),
        }
    }

    /// What a pointer points to.
    pub(super) fn deref(&self, pointer: Expr, at: AstSpan) -> Res<Place> {
        let Some(ty) = pointer.ty.pointee().cloned() else {
            return self.invalid(at, "a dereference of something that is no pointer");
        };
        let span = self.span(at);
        // `*&x` is `x`.
        match pointer.kind {
            ExprKind::Address(place) if place.ty == ty => Ok(Place { ty, ..*place }),
            _ => Ok(Place { ty, kind: PlaceKind::Deref(Box::new(pointer)), span }),
        }
    }

    /// An lvalue.
    pub(super) fn place(&mut self, e: &Node) -> Res<Place> {
        let place = self.object(e)?;
        self.rely_on_place(e, &place);
        Ok(place)
    }

    fn object(&mut self, e: &Node) -> Res<Place> {
        use ast::Expression as E;
        let span = self.span(e.span);
        match &e.node {
            E::Identifier(i)
                if matches!(i.node.name.as_str(), "__func__" | "__FUNCTION__" | "__PRETTY_FUNCTION__") =>
            {
                self.function_name(&i.node.name, e.span)
            }
            E::GenericSelection(g) => {
                let selected = self.selected(&g.node, e.span)?;
                self.place(selected)
            }
            E::Identifier(i) => match self.lookup(&i.node.name) {
                Some(Symbol::Var(VarRef::Global(_), _)) if self.refused.contains_key(&i.node.name) => {
                    let what = &self.refused[&i.node.name];
                    Err(Problem::Unsupported(format!("use of a variable with {what}")))
                }
                Some(Symbol::Var(v, ty)) => Ok(Place::var(*v, ty.clone(), span)),
                Some(Symbol::Func(_) | Symbol::Constant(..)) => self.invalid(e.span, "this is no object"),
                Some(Symbol::Flat(v, flat, ty)) => {
                    let (v, flat, ty) = (*v, flat.clone(), ty.clone());
                    Ok(self.flat_place(v, flat, ty, span))
                }
                Some(Symbol::Arguments(v, ty, too_many)) => {
                    let (argv, too_many) = ((*v, ty.clone()), too_many.clone());
                    Ok(self.argument_vector(argv, too_many, e.span))
                }
                Some(Symbol::Argument) => {
                    self.unsupported(e.span, &format!("the contents of `{}`", i.node.name))
                }
                Some(Symbol::Refused(what)) => Err(Problem::Unsupported(what.clone())),
                _ => self.invalid(e.span, format!("`{}` is not declared", i.node.name)),
            },
            E::StringLiteral(s) => {
                let text = self.text(s)?;
                Ok(self.string_object(&text, e.span))
            }
            E::UnaryOperator(u) if u.node.operator.node == ast::UnaryOperator::Indirection => {
                let pointer = self.expr(&u.node.operand)?;
                self.deref(pointer, e.span)
            }
            E::BinaryOperator(b) if b.node.operator.node == ast::BinaryOperator::Index => {
                self.index(&b.node, e.span)
            }
            E::Member(m) => {
                let base = if m.node.operator.node == ast::MemberOperator::Indirect {
                    let pointer = self.expr(&m.node.expression)?;
                    self.deref(pointer, e.span)?
                } else {
                    self.place(&m.node.expression)?
                };
                self.member(base, &m.node.identifier, e.span)
            }
            E::CompoundLiteral(c) => {
                let ty = self.type_name(&c.node.type_name)?;
                let volatile = self.names_volatile(&c.node.type_name)?;
                let qualifiers = self.dry(|me| me.association(&c.node.type_name))?.1;
                let items = &c.node.initializer_list;
                let literal = match self.builder {
                    None => self.static_literal(ty, items, e.span)?,
                    Some(_) => self.compound_literal(ty, items, e.span)?,
                };
                let var = match literal.kind {
                    PlaceKind::Var(VarRef::Global(g)) => &mut self.unit.globals[g as usize].var,
                    PlaceKind::Var(VarRef::Local(l)) => &mut self.b().vars[l as usize],
                    _ => return Ok(literal),
                };
                var.volatile |= volatile;
                var.constant |= qualifiers.include(Qualifiers::CONST);
                // Where that is not known, it may be `const`.
                var.shared = qualifiers.include(Qualifiers::CONST) || qualifiers == Qualifiers::OPEN;
                Ok(literal)
            }
            E::Comma(list) => {
                let (last, first) = list.split_last().expect("a comma has operands");
                for x in first {
                    self.discard(x)?;
                }
                self.place(last)
            }
            // GNU: `({ ...; x; })` and `c ? a : b` of struct type, assignments used as objects.
            _ => match self.expr(e)?.kind {
                ExprKind::Load(p) => Ok(self.rvalue(*p)),
                _ => self.invalid(e.span, "this is no object"),
            },
        }
    }

    /// The object of a struct that is no lvalue: with arrays in it, a temporary of its own.
    fn rvalue(&mut self, place: Place) -> Place {
        let is_new = |b: &Builder| match place.kind {
            PlaceKind::Var(VarRef::Local(v)) => b.vars[v as usize].temporary,
            _ => false,
        };
        let copied = self.unit.records.holds_array(&place.ty);
        let Some(b) = self.builder.as_mut().filter(|_| copied) else { return place };
        let place = match is_new(b) {
            true => place,
            false => {
                let copy = b.temp("tmp", place.ty.clone());
                b.emit(Instr::Assign(copy.clone(), place.load()));
                copy
            }
        };
        if let PlaceKind::Var(VarRef::Local(v)) = place.kind {
            b.rvalues.push(v);
        }
        place
    }

    pub(super) fn member(&mut self, base: Place, name: &Ast<ast::Identifier>, at: AstSpan) -> Res<Place> {
        let Type::Record(r) = base.ty else {
            return self.invalid(at, "a member of something that is no struct");
        };
        let Some(path) = self.unit.records.find(r, &name.node.name) else {
            return self.invalid(name.span, format!("no member `{}`", name.node.name));
        };
        let span = self.span(at);
        Ok(path.into_iter().fold(base, |place, k| {
            let Type::Record(r) = place.ty else { unreachable!("a path of records") };
            let ty = self.unit.records.fields(r)[k as usize].ty.clone();
            let k = self.unit.records.representative(r, k);
            Place { ty, kind: PlaceKind::Field(Box::new(place), k), span }
        }))
    }

    pub(super) fn index(&mut self, b: &ast::BinaryOperatorExpression, at: AstSpan) -> Res<Place> {
        let span = self.span(at);
        let (mut base, mut index) = self.two_values(&b.lhs, &b.rhs, at)?;
        if base.ty.as_int().is_some() {
            std::mem::swap(&mut base, &mut index);
        }
        if index.ty.as_int().is_none() {
            return self.invalid(at, "an index that is no integer");
        }
        let index = self.short_index(index, at)?;
        let Some(ty) = base.ty.pointee().cloned() else {
            return self.invalid(at, "an index into something that is no array");
        };
        // `a[i]` of an array object stays a direct access.
        if let ExprKind::Address(first) = &base.kind
            && let PlaceKind::Index(array, zero) = &first.kind
            && zero.as_const() == Some(0)
            && first.ty == ty
        {
            return Ok(Place { ty, kind: PlaceKind::Index(array.clone(), Box::new(index)), span });
        }
        let index = self.in_row(&base, index, at);
        let pointer = self.pointer_plus(base, index, false);
        Ok(Place { ty, kind: PlaceKind::Deref(Box::new(pointer)), span })
    }

    pub(super) fn string_object(&mut self, text: &Text, at: AstSpan) -> Place {
        self.named_string(text, "", at)
    }

    /// The object of a string that the program calls by this name, or does not name.
    pub(super) fn named_string(&mut self, text: &Text, name: &str, at: AstSpan) -> Place {
        let span = self.span(at);
        let length = Len::Fixed(text.codes.len() as u64);
        let ty = Type::Array(std::sync::Arc::new(Type::Int(text.element)), length);
        // What is lowered twice is one object.
        let bytes = name.bytes().chain(text.codes.iter().flat_map(|c| c.to_le_bytes())).collect();
        let key = (span.unit, span.start, bytes);
        let init = |g, _: &[u8]| string_init(&Place::var(VarRef::Global(g), ty.clone(), span), &text.codes);
        let g = self.constant_object(key, ty.clone(), |g| format!("\"string {g}\""), init, true);
        Place::var(VarRef::Global(g), ty, span)
    }

    /// The object of something that the program cannot change: one for each key.
    pub(super) fn constant_object(
        &mut self,
        key: (u32, u32, Vec<u8>),
        ty: Type,
        name: impl FnOnce(u32) -> String,
        init: impl FnOnce(u32, &[u8]) -> Vec<(Place, Expr)>,
        literal: bool,
    ) -> u32 {
        if let Some(&g) = self.strings.get(&key) {
            return g;
        }
        let g = self.unit.globals.len() as u32;
        let var = Variable { constant: true, ..Variable::new(name(g), ty) };
        let init = init(g, &key.2);
        self.unit.globals.push(Global { var, init, external: false, exported: false, literal });
        self.strings.insert(key, g);
        g
    }
}

/// Is it a variable, or a member of one?
fn is_always_there(place: &Place) -> bool {
    match &place.kind {
        PlaceKind::Var(_) => true,
        PlaceKind::Field(base, _) => is_always_there(base),
        _ => false,
    }
}
