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
use super::relied::Sites;
use super::typename::{adjust, declares_volatile};
use super::{Lowerer, Problem, Res};
use crate::types::{Param, Type};

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
fn without_length(p: &ast::ParameterDeclaration) -> ast::ParameterDeclaration {
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
            let (name, ty, readonly, _) = self.parameter(p, &names)?;
            names.push(name);
            if ty != Type::Void {
                out.push(Param { ty, readonly });
            }
        }
        Ok(out)
    }

    /// Name, adjusted type, whether it points to `const`, and whether it is `volatile` itself. `before` are
    /// the names of the parameters before it.
    pub(super) fn parameter(
        &mut self,
        p: &Ast<ast::ParameterDeclaration>,
        before: &[String],
    ) -> Res<(String, Type, bool, bool)> {
        let mut seen = Seen { names: before, ..Seen::default() };
        seen.visit_parameter_declaration(&without_length(&p.node), &p.span);
        let mentions = seen.mentions;
        seen.visit_parameter_declaration(&p.node, &p.span);
        self.refuse(mentions, seen.defines, p.span)?;
        self.stating(Sites::default(), |me| me.named_parameter(p))
    }

    /// In the types of a list of parameters: a mention of another parameter, and the definition of a type.
    pub(super) fn refuse(&mut self, mentions: bool, defines: bool, at: AstSpan) -> Res<()> {
        match (mentions, defines) {
            (true, _) => self.unsupported(at, "a parameter whose type depends on another parameter"),
            (_, true) => self.unsupported(at, "a type that is defined in a list of parameters"),
            _ => Ok(()),
        }
    }

    fn named_parameter(&mut self, p: &Ast<ast::ParameterDeclaration>) -> Res<(String, Type, bool, bool)> {
        let specified = self.among_parameters(|me| me.specifiers(&p.node.specifiers, p.span))?;
        let pointer = matches!(specified.ty, Type::Pointer(_));
        let (name, ty) = match &p.node.declarator {
            Some(d) => {
                let base = (specified.ty, specified.volatile);
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
        let adjusted = adjust(ty.clone(), volatile);
        let reaches = |t: &Type| t.has_pointers(&self.unit.records);
        let readonly = specified.constant && !pointer && !adjusted.pointee().is_some_and(reaches);
        let volatile = volatile && !matches!(ty, Type::Array(..));
        Ok((name, adjusted, readonly, volatile))
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
        (base, volatile): (Type, bool),
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
        match self.declarator(base, volatile, &plain) {
            // What the inner lengths are made of may be other parameters, which are not known here.
            Err(Problem::Invalid(_)) if has_inner_lengths(&plain) => {
                self.unsupported(d.span, "an array parameter whose inner lengths are not constant")
            }
            done => done,
        }
    }
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
