//! Qualifiers of declarations: which ones a declarator leaves on what it declares, and what is `volatile`.

use lang_c::ast;
use lang_c::span::Node as Ast;

use super::{Lowerer, Res};
use crate::ir::{Place, PlaceKind, VarRef};
use crate::types::{Qualifiers, Type};

impl Lowerer<'_> {
    /// Does a type name say `volatile` about the object itself?
    pub(super) fn names_volatile(&mut self, t: &Ast<ast::TypeName>) -> Res<bool> {
        let base = self.dry(|me| me.qualified(&t.node.specifiers, t.span))?;
        Ok(t.node.declarator.as_ref().map_or(base.volatile, |d| declares_volatile(base.volatile, d)))
    }

    /// Is the expression an object that was declared `volatile`, or `*(volatile T *)`?
    pub(super) fn is_volatile_object(&mut self, e: &Ast<ast::Expression>) -> bool {
        if let ast::Expression::UnaryOperator(u) = &e.node
            && u.node.operator.node == ast::UnaryOperator::Indirection
            && let ast::Expression::Cast(c) = &u.node.operand.node
        {
            let specifiers = &c.node.type_name.node.specifiers;
            return self.qualified(specifiers, e.span).is_ok_and(|q| q.volatile);
        }
        if !is_path(&e.node) {
            return false;
        }
        self.place(e).is_ok_and(|place| self.place_is_volatile(&place))
    }

    /// Is what `typeof` of an expression declares `volatile`, given the qualifiers of its type? Where that is
    /// not known, it is: then nothing is known of its value.
    pub(super) fn may_be_volatile(&mut self, e: &Ast<ast::Expression>, qualifiers: Qualifiers) -> bool {
        let unknown = qualifiers == Qualifiers::OPEN && !is_path(&e.node);
        unknown || qualifiers.include(Qualifiers::VOLATILE) || self.dry(|me| me.is_volatile_object(e))
    }

    /// Is a place declared `volatile`, by its name or by the pointer to it?
    pub(super) fn place_is_volatile(&self, place: &Place) -> bool {
        match &place.kind {
            PlaceKind::Var(VarRef::Global(g)) => self.unit.globals[*g as usize].var.volatile,
            PlaceKind::Var(VarRef::Local(l)) => {
                self.builder.as_ref().is_some_and(|b| b.vars[*l as usize].volatile)
            }
            PlaceKind::Field(base, k) => {
                let field = match &base.ty {
                    Type::Record(r) => self.unit.records.fields(*r).get(*k as usize),
                    _ => None,
                };
                field.is_some_and(|f| f.volatile) || self.place_is_volatile(base)
            }
            PlaceKind::Index(base, _) => self.place_is_volatile(base),
            PlaceKind::Deref(e) => e.ty.points_to_volatile(),
        }
    }
}

/// Is what a declarator declares `volatile`, if its specifiers say so (or not)?
pub(super) fn declares_volatile(specified: bool, d: &Ast<ast::Declarator>) -> bool {
    declares(specified, d, &ast::TypeQualifier::Volatile)
}

/// Has what a declarator declares this qualifier, if its specifiers say so (or not)?
pub(super) fn declares(specified: bool, d: &Ast<ast::Declarator>, wanted: &ast::TypeQualifier) -> bool {
    let found = d.node.derived.iter().fold(specified, |found, x| match &x.node {
        ast::DerivedDeclarator::Array(_) => found,
        other => has_qualifier(other, wanted),
    });
    match &d.node.kind.node {
        ast::DeclaratorKind::Declarator(inner) => declares(found, inner, wanted),
        _ => found,
    }
}

/// The qualifiers of what a declarator declares, if its specifiers have these.
pub(super) fn declared_qualifiers(specified: Qualifiers, d: &Ast<ast::Declarator>) -> Qualifiers {
    let found = d.node.derived.iter().fold(specified, |found, x| match &x.node {
        ast::DerivedDeclarator::Array(_) => found,
        other => own_qualifiers(other),
    });
    match &d.node.kind.node {
        ast::DeclaratorKind::Declarator(inner) => declared_qualifiers(found, inner),
        _ => found,
    }
}

/// The qualifiers of a pointer itself.
pub(super) fn own_qualifiers(x: &ast::DerivedDeclarator) -> Qualifiers {
    let ast::DerivedDeclarator::Pointer(all) = x else { return Qualifiers::NONE };
    all.iter().fold(Qualifiers::NONE, |found, q| match &q.node {
        ast::PointerQualifier::TypeQualifier(t) => found.and(qualifier(&t.node)),
        ast::PointerQualifier::Extension(_) => found,
    })
}

/// One qualifier. Those of other compilers say nothing here.
pub(super) fn qualifier(q: &ast::TypeQualifier) -> Qualifiers {
    use ast::TypeQualifier as Q;
    match q {
        Q::Const => Qualifiers::CONST,
        Q::Volatile => Qualifiers::VOLATILE,
        Q::Restrict => Qualifiers::RESTRICT,
        Q::Atomic => Qualifiers::ATOMIC,
        Q::Nonnull | Q::NullUnspecified | Q::Nullable => Qualifiers::NONE,
    }
}

/// Has a pointer this qualifier itself?
pub(super) fn has_qualifier(x: &ast::DerivedDeclarator, wanted: &ast::TypeQualifier) -> bool {
    let ast::DerivedDeclarator::Pointer(qualifiers) = x else { return false };
    let is =
        |q: &ast::PointerQualifier| matches!(q, ast::PointerQualifier::TypeQualifier(t) if t.node == *wanted);
    qualifiers.iter().any(|q| is(&q.node))
}

/// A variable, or a part of one that is named without further expressions: these are not nested deeply.
fn is_path(e: &ast::Expression) -> bool {
    match e {
        ast::Expression::Identifier(_) => true,
        ast::Expression::Member(m) => is_path(&m.node.expression.node),
        ast::Expression::BinaryOperator(b) => {
            let index = &b.node.rhs.node;
            b.node.operator.node == ast::BinaryOperator::Index
                && is_path(&b.node.lhs.node)
                && matches!(index, ast::Expression::Constant(_) | ast::Expression::Identifier(_))
        }
        _ => false,
    }
}

/// Arrays and functions as parameters are pointers. `volatile`: the elements of the array are, and these are
/// their qualifiers.
pub(super) fn adjust(ty: Type, volatile: bool, qualifiers: Qualifiers) -> Type {
    match ty {
        Type::Array(t, _) => Type::clone(&t).pointer_to_qualified(volatile, qualifiers),
        Type::Function(_) => ty.pointer_to_qualified(false, Qualifiers::NONE),
        other => other,
    }
}
