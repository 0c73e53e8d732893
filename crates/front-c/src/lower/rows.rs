//! Pointers to arrays of variable length, and arrays of such arrays.
//!
//! `a[i]`, where `a` points to rows of `m` elements, is `i * m` elements away: such a pointer is moved as a
//! pointer to elements. A local array of rows whose name is used as a pointer (`f(n, a)`) is one array of
//! `n * m` elements, and its name stands for what a pointer to it points to. Others keep their dimensions.
//!
//! A parameter of such a type is a pointer to elements. In the body a variable of its name and type has its
//! value; the lengths are evaluated where the body begins, as C has it (C11 6.9.1p10).
//!
//! Entry points: [`Lowerer::move_by_rows`], [`Lowerer::flat_array`], [`Lowerer::row_parameter`].

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};
use lang_c::visit::{self, Visit};
use rustc_hash::FxHashSet;

use super::parameters::Parameter;
use super::qualifiers::{adjust, declared_qualifiers, declares_volatile};
use super::relied::Sites;
use super::{Lowerer, Res, Symbol};
use crate::ir::{BinOp, CmpOp, Expr, ExprKind, Instr, Place, PlaceKind, Span, VarRef};
use crate::types::{IntType, Len, Type};

/// What lengths are counted in.
const COUNT: Type = Type::Int(IntType::new(64, true));

impl Lowerer<'_> {
    /// What an array of variable length is made of, without further ones, and how many.
    fn cells(&mut self, ty: &Type, span: Span) -> (Type, Expr) {
        let (mut element, mut product) = (ty.clone(), None);
        while element.is_variable() {
            let Type::Array(t, len) = element else { unreachable!("an array") };
            let n = match len {
                Len::Variable(v) => Place::var(VarRef::Local(v), COUNT, span).load(),
                Len::Fixed(n) => Expr::constant(i128::from(n), COUNT, span),
                Len::Unknown => Expr::constant(1, COUNT, span),
            };
            product = Some(match product {
                Some(m) => times(m, n),
                None => n,
            });
            element = (*t).clone();
        }
        (element, product.unwrap_or_else(|| Expr::constant(1, COUNT, span)))
    }

    /// `pointer + index`, where it points to an array of variable length.
    pub(super) fn move_by_rows(&mut self, pointer: Expr, index: Expr, minus: bool) -> Expr {
        let (ty, span) = (pointer.ty.clone(), pointer.span);
        let row = ty.pointee().expect("a pointer").clone();
        if self.options.checks.overflow {
            let at = AstSpan::span(span.start as usize, span.end as usize);
            let what =
                self.located(at, "a pointer to an array of variable length, where overflow is checked");
            return Expr { ty, kind: ExprKind::Unsupported(what.into()), span };
        }
        let (element, cells) = self.cells(&row, span);
        let index = self.convert(index, COUNT);
        let first = self.convert(pointer, element.pointer_to());
        let steps = Box::new(times(index, cells));
        let moved =
            Expr { ty: first.ty.clone(), kind: ExprKind::PtrAdd(Box::new(first), steps, minus), span };
        self.convert(moved, ty)
    }

    /// The pointer to the first element of an array of variable length, by a pointer to that.
    pub(super) fn first_of_row(&mut self, pointer: Expr, element: Type) -> Expr {
        // In two steps, by which `in_row` knows it.
        let plain = self.convert(pointer, Type::Void.pointer_to());
        self.convert(plain, element.pointer_to())
    }

    /// An index of an element behind such a pointer. It must be inside the array, though there may be further
    /// elements behind that.
    pub(super) fn in_row(&mut self, first: &Expr, index: Expr, at: AstSpan) -> Expr {
        let ExprKind::Cast(plain) = &first.kind else { return index };
        let ExprKind::Cast(pointer) = &plain.kind else { return index };
        let Some(Type::Array(_, len)) = pointer.ty.pointee().filter(|t| t.is_variable()) else {
            return index;
        };
        let span = index.span;
        let n = match len {
            Len::Variable(v) => Place::var(VarRef::Local(*v), COUNT, span).load(),
            Len::Fixed(n) => Expr::constant(i128::from(*n), COUNT, span),
            Len::Unknown => return index,
        };
        let index = self.convert(index, COUNT);
        let compare = |op, a: &Expr, b: Expr| {
            let kind = ExprKind::Compare(op, Box::new(a.clone()), Box::new(b));
            Box::new(Expr { ty: Type::INT, kind, span })
        };
        let above = compare(CmpOp::Ge, &index, Expr::constant(0, COUNT, span));
        let below = compare(CmpOp::Lt, &index, n);
        let inside = Expr { ty: Type::INT, kind: ExprKind::And(above, below), span };
        let what = self.located(at, "an index outside of an array of variable length");
        let outside = Expr { ty: COUNT, kind: ExprKind::Unsupported(what.into()), span };
        let kind = ExprKind::Cond(Box::new(inside), Box::new(index), Box::new(outside));
        Expr { ty: COUNT, kind, span }
    }

    /// Declares a local array of arrays of variable length as one array of all elements.
    pub(super) fn flat_array(&mut self, name: &str, v: u32, ty: &Type, span: Span) {
        let mut part = ty;
        while let Type::Array(element, len) = part {
            if let Len::Variable(n) = len {
                let n = Place::var(VarRef::Local(*n), COUNT, span).load();
                let least = Box::new(Expr::constant(1, COUNT, span));
                let kind = ExprKind::Compare(CmpOp::Ge, Box::new(n), least);
                let (good, bad) = (self.b().label(), self.b().label());
                self.b().branch(Expr { ty: Type::INT, kind, span }, good, bad);
                self.b().place(bad);
                self.undefined("an array of no length");
                self.b().place(good);
            }
            part = element;
        }
        let (element, cells) = self.cells(ty, span);
        let length = self.b().temp("length", COUNT);
        let PlaceKind::Var(VarRef::Local(l)) = length.kind else { unreachable!("a variable") };
        self.b().emit(Instr::Assign(length, cells));
        let flat = Type::Array(std::sync::Arc::new(element), Len::Variable(l));
        self.b().vars[v as usize].ty = flat.clone();
        self.declare(name, Symbol::Flat(v, flat, ty.clone()));
    }

    /// What the name of such an array stands for.
    pub(super) fn flat_place(&mut self, v: u32, flat: Type, ty: Type, span: Span) -> Place {
        let array = Place::var(VarRef::Local(v), flat, span);
        let first = self.value_of(array);
        let pointer = self.convert(first, ty.clone().pointer_to());
        Place { ty, kind: PlaceKind::Deref(Box::new(pointer)), span }
    }

    /// Declares the variable for a parameter that points to arrays of variable length.
    pub(super) fn row_parameter(&mut self, p: &Parameter, v: u32) -> Res<()> {
        let Some(written) = &p.rows else { return Ok(()) };
        let span = self.span(written.span);
        let ty = self.stating(Sites::default(), |me| {
            let specified = me.specifiers(&written.node.specifiers, written.span)?;
            let Some(d) = &written.node.declarator else { unreachable!("it has lengths") };
            let plain = super::parameters::without_length(&written.node);
            let plain = plain.declarator.as_ref().expect("the same");
            let ty = me.declarator(specified.ty, (specified.volatile, specified.qualifiers), plain)?.1;
            let volatile = declares_volatile(specified.volatile, d);
            Ok(adjust(ty, volatile, declared_qualifiers(specified.qualifiers, d)))
        })?;
        let value = Place::var(VarRef::Local(v), p.ty.clone(), span).load();
        let value = self.convert(value, ty.clone());
        let own = self.b().var(&p.name, ty.clone(), false);
        self.b().vars[own as usize].visible = self.b().vars[v as usize].visible;
        self.b().emit(Instr::Assign(Place::var(VarRef::Local(own), ty.clone(), span), value));
        self.declare(&p.name, Symbol::Var(VarRef::Local(own), ty));
        Ok(())
    }
}

/// A product of two counts.
fn times(a: Expr, b: Expr) -> Expr {
    match (a.as_const(), b.as_const()) {
        (Some(1), _) => b,
        (_, Some(1)) => a,
        _ => {
            let span = a.span;
            Expr { ty: COUNT, kind: ExprKind::Binary(BinOp::Mul, Box::new(a), Box::new(b)), span }
        }
    }
}

/// The names in a function that stand somewhere else than in `name[i][j]`.
pub(super) fn used_as_pointers(body: &Ast<ast::Statement>) -> FxHashSet<String> {
    let mut names = Names(FxHashSet::default());
    names.visit_statement(&body.node, &body.span);
    names.0
}

struct Names(FxHashSet<String>);

impl<'ast> Visit<'ast> for Names {
    fn visit_expression(&mut self, e: &'ast ast::Expression, span: &'ast AstSpan) {
        use ast::Expression as E;
        if let Some((base, first)) = indexed(e)
            && let Some((array, second)) = indexed(&base.node)
            && matches!(array.node, E::Identifier(_))
        {
            self.visit_expression(&first.node, &first.span);
            self.visit_expression(&second.node, &second.span);
            return;
        }
        match e {
            E::Identifier(i) => drop(self.0.insert(i.node.name.clone())),
            E::SizeOfVal(_) => {}
            _ => visit::visit_expression(self, e, span),
        }
    }
}

/// `base[index]`
fn indexed(e: &ast::Expression) -> Option<(&Ast<ast::Expression>, &Ast<ast::Expression>)> {
    let ast::Expression::BinaryOperator(b) = e else { return None };
    (b.node.operator.node == ast::BinaryOperator::Index).then_some((&*b.node.lhs, &*b.node.rhs))
}
