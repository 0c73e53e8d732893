//! Parameters of functions.
//!
//! The scope of a parameter is the rest of the list and the body of the function (C11 6.2.1). Here a list is
//! no scope of its own: a type that mentions an earlier parameter, or that is defined in the list, is
//! unsupported. The outermost length of an array does not matter and may mention what it wants.
//!
//! Entry points: [`Lowerer::params`] for prototypes, [`Lowerer::parameter`] for definitions.

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};
use lang_c::visit::{self, Visit};

use super::constant::has_effects;
use super::qualifiers::{adjust, declared_qualifiers, declares_volatile};
use super::relied::Sites;
use super::{Lowerer, Problem, Res};
use crate::types::{Len, Param, Qualifiers, Type};

/// A parameter that is declared.
pub(super) struct Parameter {
    pub(super) name: String,
    /// Its type, after arrays and functions have become pointers.
    pub(super) ty: Type,
    /// It points to `const`.
    pub(super) readonly: bool,
    /// It is `volatile` itself.
    pub(super) volatile: bool,
    /// Its own qualifiers.
    pub(super) qualifiers: Qualifiers,
    /// As it is written, if it points to arrays of variable length. `ty` then is a pointer to elements.
    pub(super) rows: Option<Ast<ast::ParameterDeclaration>>,
}

/// What the types of parameters mention.
#[derive(Default)]
pub(super) struct Seen<'n> {
    /// The names to look for.
    pub(super) names: &'n [String],
    /// One of them is in an expression.
    pub(super) mentions: bool,
    /// A type is defined.
    pub(super) defines: bool,
}

impl<'ast> Visit<'ast> for Seen<'_> {
    fn visit_expression(&mut self, e: &'ast ast::Expression, span: &'ast AstSpan) {
        if let ast::Expression::Identifier(i) = e {
            self.mentions |= self.names.contains(&i.node.name);
        }
        visit::visit_expression(self, e, span);
    }

    fn visit_struct_type(&mut self, s: &'ast ast::StructType, span: &'ast AstSpan) {
        self.defines |= s.declarations.is_some();
        visit::visit_struct_type(self, s, span);
    }

    fn visit_enum_type(&mut self, e: &'ast ast::EnumType, span: &'ast AstSpan) {
        self.defines |= !e.enumerators.is_empty();
        visit::visit_enum_type(self, e, span);
    }
}

/// The declaration without the outermost length of its array.
pub(super) fn without_length(p: &ast::ParameterDeclaration) -> ast::ParameterDeclaration {
    let mut plain = p.clone();
    if let Some(d) = &mut plain.declarator
        && let Some(a) = outermost_array(d)
    {
        a.size = ast::ArraySize::Unknown;
    }
    plain
}

/// The array that a parameter is declared as, if it is one: `int a[2][3]`, `int (a)[2]`, but not
/// `int (*a)[2]`, a pointer to an array. What stands next to the name comes first, arrays before pointers.
fn outermost_array(d: &mut Ast<ast::Declarator>) -> Option<&mut ast::ArrayDeclarator> {
    if let ast::DeclaratorKind::Declarator(inner) = &d.node.kind.node
        && has_derived(&inner.node)
    {
        let ast::DeclaratorKind::Declarator(inner) = &mut d.node.kind.node else { unreachable!() };
        return outermost_array(inner);
    }
    let pointer = |x: &ast::DerivedDeclarator| {
        matches!(x, ast::DerivedDeclarator::Pointer(_) | ast::DerivedDeclarator::Block(_))
    };
    match &mut d.node.derived.iter_mut().find(|x| !pointer(&x.node))?.node {
        ast::DerivedDeclarator::Array(a) => Some(&mut a.node),
        _ => None,
    }
}

/// Does a declarator say anything besides the name?
fn has_derived(d: &ast::Declarator) -> bool {
    let inner = matches!(&d.kind.node, ast::DeclaratorKind::Declarator(inner) if has_derived(&inner.node));
    inner || !d.derived.is_empty()
}

fn length_of(size: &ast::ArraySize) -> Option<&Ast<ast::Expression>> {
    match size {
        ast::ArraySize::VariableExpression(e) | ast::ArraySize::StaticExpression(e) => Some(e),
        _ => None,
    }
}

impl Lowerer<'_> {
    /// The parameter types of a prototype.
    pub(super) fn params(&mut self, f: &Ast<ast::FunctionDeclarator>) -> Res<Vec<Param>> {
        let (mut out, mut names) = (Vec::new(), Vec::new());
        for p in &f.node.parameters {
            let p = self.parameter(p, &names)?;
            names.push(p.name);
            if p.ty != Type::Void {
                out.push(Param { ty: p.ty, readonly: p.readonly });
            }
        }
        Ok(out)
    }

    /// One parameter. `before` are the names of the parameters before it.
    pub(super) fn parameter(
        &mut self,
        p: &Ast<ast::ParameterDeclaration>,
        before: &[String],
    ) -> Res<Parameter> {
        let rows = self.without_row_lengths(p, before);
        let plain = rows.as_ref().unwrap_or(p);
        let mut seen = Seen { names: before, ..Seen::default() };
        seen.visit_parameter_declaration(&without_length(&plain.node), &p.span);
        let mentions = seen.mentions;
        seen.visit_parameter_declaration(&p.node, &p.span);
        self.refuse(mentions, seen.defines, p.span)?;
        let known = self.stating(Sites::default(), |me| me.named_parameter(plain))?;
        if rows.is_none() {
            return Ok(known);
        }
        let Some(ty) = pointer_to_elements(&known.ty) else {
            return self.unsupported(p.span, "a parameter whose type depends on another parameter");
        };
        Ok(Parameter { ty, rows: Some(p.clone()), ..known })
    }

    /// A parameter without those lengths of inner arrays that are no constants, if there are any.
    fn without_row_lengths(
        &mut self,
        p: &Ast<ast::ParameterDeclaration>,
        before: &[String],
    ) -> Option<Ast<ast::ParameterDeclaration>> {
        let mut plain = p.clone();
        let declarator = plain.node.declarator.as_mut()?;
        // The outermost length stays, and is not looked at.
        let outermost = outermost_array(declarator).map(|a| std::ptr::from_ref(a));
        let mut changed = false;
        let mut d = declarator;
        loop {
            for x in &mut d.node.derived {
                let ast::DerivedDeclarator::Array(a) = &mut x.node else { continue };
                if outermost == Some(std::ptr::from_ref(&a.node)) {
                    continue;
                }
                let variable = match length_of(&a.node.size) {
                    Some(e) => {
                        let mut seen = Seen { names: before, ..Seen::default() };
                        seen.visit_expression(&e.node, &e.span);
                        // A type that is defined there is refused.
                        !seen.defines && (seen.mentions || self.dry(|me| me.constant(e)).is_err())
                    }
                    None => a.node.size == ast::ArraySize::VariableUnknown,
                };
                if variable {
                    a.node.size = ast::ArraySize::Unknown;
                    changed = true;
                }
            }
            match &mut d.node.kind.node {
                ast::DeclaratorKind::Declarator(inner) => d = inner,
                _ => break,
            }
        }
        changed.then_some(plain)
    }

    /// In the types of a list of parameters: a mention of another parameter, and the definition of a type.
    pub(super) fn refuse(&mut self, mentions: bool, defines: bool, at: AstSpan) -> Res<()> {
        match (mentions, defines) {
            (true, _) => self.unsupported(at, "a parameter whose type depends on another parameter"),
            (_, true) => self.unsupported(at, "a type that is defined in a list of parameters"),
            _ => Ok(()),
        }
    }

    fn named_parameter(&mut self, p: &Ast<ast::ParameterDeclaration>) -> Res<Parameter> {
        let specified = self.among_parameters(|me| me.specifiers(&p.node.specifiers, p.span))?;
        let pointer = matches!(specified.ty, Type::Pointer(_));
        let (name, ty) = match &p.node.declarator {
            Some(d) => {
                let base = (specified.ty, (specified.volatile, specified.qualifiers));
                self.among_parameters(|me| me.parameter_declarator(base, d))?
            }
            None => (String::new(), specified.ty),
        };
        // What is `const` is what the pointer points to, not the pointer that a typedef names; and not what
        // pointers in there point to.
        let volatile = p
            .node
            .declarator
            .as_ref()
            .map_or(specified.volatile, |d| declares_volatile(specified.volatile, d));
        let declarator = p.node.declarator.as_ref();
        let qualifiers =
            declarator.map_or(specified.qualifiers, |d| declared_qualifiers(specified.qualifiers, d));
        let adjusted = adjust(ty.clone(), volatile, qualifiers);
        let in_brackets = |d: &Ast<ast::Declarator>| {
            outermost_array(&mut d.clone()).is_some_and(|a| !a.qualifiers.is_empty())
        };
        let qualifiers = match ty {
            Type::Array(..) if declarator.is_some_and(in_brackets) => Qualifiers::OPEN,
            Type::Array(..) | Type::Function(_) => Qualifiers::NONE,
            _ => qualifiers,
        };
        let reaches = |t: &Type| t.has_pointers(&self.unit.records);
        let readonly = specified.constant && !pointer && !adjusted.pointee().is_some_and(reaches);
        let volatile = volatile && !matches!(ty, Type::Array(..));
        Ok(Parameter { name, ty: adjusted, readonly, volatile, qualifiers, rows: None })
    }

    /// The constant length of a parameter that is declared as an array. It says what the function expects.
    pub(super) fn declared_length(&mut self, p: &Ast<ast::ParameterDeclaration>) -> Option<u64> {
        let mut declarator = p.node.declarator.clone()?;
        let e = length_of(&outermost_array(&mut declarator)?.size)?;
        self.constant(e).ok().and_then(|n| u64::try_from(n).ok()).filter(|&n| n > 0)
    }

    /// The outermost length of an array parameter does not matter, and may mention other parameters. But it
    /// is evaluated when the function is called: one with a side effect is refused.
    fn parameter_declarator(
        &mut self,
        (base, qualifiers): (Type, (bool, Qualifiers)),
        d: &Ast<ast::Declarator>,
    ) -> Res<(String, Type)> {
        let mut plain = d.clone();
        if let Some(a) = outermost_array(&mut plain) {
            let size = std::mem::replace(&mut a.size, ast::ArraySize::Unknown);
            if let Some(e) = length_of(&size)
                && has_effects(&e.node)
            {
                return self.unsupported(e.span, "an array parameter whose length has a side effect");
            }
        }
        match self.declarator(base, qualifiers, &plain) {
            // What the inner lengths are made of may be other parameters, which are not known here.
            Err(Problem::Invalid(_)) if has_inner_lengths(&plain) => {
                self.unsupported(d.span, "an array parameter whose inner lengths are not constant")
            }
            done => done,
        }
    }
}

/// What a pointer to arrays without lengths is as a pointer to their elements, if it is one.
fn pointer_to_elements(ty: &Type) -> Option<Type> {
    fn open(ty: &Type) -> bool {
        matches!(ty, Type::Array(t, len) if *len == Len::Unknown || open(t))
    }
    let Type::Pointer(to) = ty else { return None };
    if !open(to) {
        return None;
    }
    let mut element = &**to;
    while let (Type::Array(t, _), true) = (element, open(element)) {
        element = t;
    }
    Some(element.clone().pointer_to_qualified(to.volatile, to.qualifiers))
}

/// Has a declarator lengths of arrays that are not plain constants?
fn has_inner_lengths(d: &Ast<ast::Declarator>) -> bool {
    let own = d.node.derived.iter().any(|x| match &x.node {
        ast::DerivedDeclarator::Array(a) => {
            length_of(&a.node.size).is_some_and(|e| !matches!(e.node, ast::Expression::Constant(_)))
        }
        _ => false,
    });
    own || matches!(&d.node.kind.node, ast::DeclaratorKind::Declarator(inner) if has_inner_lengths(inner))
}
