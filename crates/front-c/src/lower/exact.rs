//! The types of expressions with their qualifiers, for questions about types: `typeof`, `_Generic`,
//! `__builtin_types_compatible_p`, and `__alignof__` of an expression.
//!
//! Elsewhere qualifiers do not matter, and types do not have them. Here the type is read off the expression,
//! part by part: every part is visited once, because such questions are nested in each other. Where gcc and
//! clang disagree (`typeof(v++)`), and of what is computed by models of the library, they are not known.
//!
//! Entry points: [`Lowerer::exact`], [`Lowerer::alignment_of`].

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};

use super::condition::common_type;
use super::constant::{is_assignment, is_same};
use super::{Lowerer, Res, Symbol};
use crate::ir::Expr;
use crate::types::{Len, Qualifiers, RecordId, Type};

type Node = Ast<ast::Expression>;

/// What a declaration says about a variable besides its type.
#[derive(Clone, Copy, Debug)]
pub(super) struct About {
    pub(super) qualifiers: Qualifiers,
    /// The alignment that an attribute or a typedef gives it.
    pub(super) align: Option<u64>,
}

impl Lowerer<'_> {
    /// The type of an expression before arrays become pointers, and its qualifiers. Nothing is evaluated.
    pub(super) fn exact_type(&mut self, e: &Node) -> Res<(Type, Qualifiers)> {
        use ast::Expression as E;
        use ast::UnaryOperator as U;
        let none = |ty: Type| (ty, Qualifiers::NONE);
        Ok(match &e.node {
            E::Identifier(i) => match self.lookup(&i.node.name) {
                Some(Symbol::Func(f)) => none(self.unit.function(*f).ty.clone()),
                Some(Symbol::Var(_, ty)) => {
                    let ty = ty.clone();
                    (ty, self.about(&i.node.name).map_or(Qualifiers::OPEN, |a| a.qualifiers))
                }
                Some(Symbol::Flat(.., ty)) => {
                    let ty = ty.clone();
                    (ty, self.about(&i.node.name).map_or(Qualifiers::OPEN, |a| a.qualifiers))
                }
                Some(Symbol::Constant(..)) => none(self.unconverted_type(e)?),
                _ => (self.unconverted_type(e)?, Qualifiers::OPEN),
            },
            E::StringLiteral(_) | E::Constant(_) => none(self.unconverted_type(e)?),
            E::UnaryOperator(u) => match u.node.operator.node {
                U::Indirection => match self.exact_value(&u.node.operand)? {
                    Type::Pointer(to) => ((*to).clone(), to.qualifiers),
                    _ => none(self.unconverted_type(e)?),
                },
                U::Address => {
                    let (ty, qualifiers) = self.exact_type(&u.node.operand)?;
                    none(ty.pointer_to_qualified(qualifiers.include(Qualifiers::VOLATILE), qualifiers))
                }
                U::PreIncrement | U::PostIncrement | U::PreDecrement | U::PostDecrement => {
                    self.stored(&u.node.operand)?
                }
                _ => none(self.unconverted_type(e)?),
            },
            E::BinaryOperator(b) => match b.node.operator.node {
                ast::BinaryOperator::Index => match self.exact_value(&b.node.lhs)? {
                    Type::Pointer(to) => ((*to).clone(), to.qualifiers),
                    _ => match self.exact_value(&b.node.rhs)? {
                        Type::Pointer(to) => ((*to).clone(), to.qualifiers),
                        _ => none(self.unconverted_type(e)?),
                    },
                },
                ast::BinaryOperator::Plus | ast::BinaryOperator::Minus => self.sum(&b.node, e)?,
                ref op if is_assignment(op) => self.stored(&b.node.lhs)?,
                _ => none(self.unconverted_type(e)?),
            },
            E::Member(m) => self.exact_member(&m.node, e)?,
            E::Cast(c) => none(self.dry(|me| me.type_name(&c.node.type_name))?),
            E::CompoundLiteral(c) => {
                let (ty, qualifiers) = self.dry(|me| me.association(&c.node.type_name))?;
                match ty {
                    Type::Array(_, Len::Unknown) => (self.unconverted_type(e)?, qualifiers),
                    _ => (ty, qualifiers),
                }
            }
            E::Conditional(c) => {
                let then = match is_same(&c.node.then_expression.node) {
                    true => &c.node.condition,
                    false => &c.node.then_expression,
                };
                let otherwise = &c.node.else_expression;
                let null = [self.is_null_constant(then), self.is_null_constant(otherwise)];
                let (a, b) = (self.exact_value(then)?, self.exact_value(otherwise)?);
                none(common_type(&a, &b, null))
            }
            E::Comma(list) => none(self.exact_value(list.last().expect("a comma has operands"))?),
            E::GenericSelection(g) => {
                let selected = self.selected(&g.node, e.span)?;
                self.exact_type(selected)?
            }
            E::Call(c) => self.exact_call(&c.node, e)?,
            E::Statement(_) => {
                let value = self.dry(|me| me.expr(e))?;
                none(value.ty)
            }
            E::VaArg(_) => (self.unconverted_type(e)?, Qualifiers::OPEN),
            _ => none(self.unconverted_type(e)?),
        })
    }

    /// The same for `typeof`: the length of an array that only the expression names would have to be
    /// evaluated.
    pub(super) fn checked_exact(&mut self, e: &Node) -> Res<(Type, Qualifiers)> {
        let before = self.builder.as_ref().map_or(0, |b| b.vars.len());
        let (ty, qualifiers) = self.exact_type(e)?;
        self.refuse_new_lengths(&ty, before, e.span)?;
        Ok((ty, qualifiers))
    }

    /// The type of the value of an expression.
    pub(super) fn exact_value(&mut self, e: &Node) -> Res<Type> {
        let (ty, qualifiers) = self.exact_type(e)?;
        let volatile = qualifiers.include(Qualifiers::VOLATILE);
        Ok(match ty {
            Type::Array(t, _) => Type::clone(&t).pointer_to_qualified(volatile, qualifiers),
            Type::Function(_) => ty.pointer_to_qualified(false, Qualifiers::NONE),
            other => other,
        })
    }

    /// The value of an assignment; in gcc `typeof` of it is `volatile` where the object is.
    fn stored(&mut self, object: &Node) -> Res<(Type, Qualifiers)> {
        let (ty, qualifiers) = self.exact_type(object)?;
        let plain = qualifiers == Qualifiers::NONE;
        Ok((ty, if plain { qualifiers } else { Qualifiers::OPEN }))
    }

    /// `a + b` and `a - b`: a pointer that is moved keeps its type.
    fn sum(&mut self, b: &ast::BinaryOperatorExpression, e: &Node) -> Res<(Type, Qualifiers)> {
        let (x, y) = (self.exact_value(&b.lhs)?, self.exact_value(&b.rhs)?);
        let ty = match (x, y) {
            (x @ Type::Pointer(_), Type::Int(_)) => x,
            (Type::Int(_), y @ Type::Pointer(_)) => y,
            (Type::Int(x), Type::Int(y)) => Type::Int(x.common(y)),
            _ => self.unconverted_type(e)?,
        };
        Ok((ty, Qualifiers::NONE))
    }

    fn exact_member(&mut self, m: &ast::MemberExpression, e: &Node) -> Res<(Type, Qualifiers)> {
        let (base, mut qualifiers) = match m.operator.node {
            ast::MemberOperator::Direct => self.exact_type(&m.expression)?,
            ast::MemberOperator::Indirect => match self.exact_value(&m.expression)? {
                Type::Pointer(to) => ((*to).clone(), to.qualifiers),
                other => (other, Qualifiers::OPEN),
            },
        };
        let mut ty = base;
        let Some(path) = self.member_path(&ty, m) else {
            return Ok((self.unconverted_type(e)?, Qualifiers::OPEN));
        };
        for (r, k) in path {
            let field = &self.unit.records.fields(r)[k as usize];
            qualifiers = qualifiers.and(field.qualifiers);
            ty = field.ty.clone();
        }
        Ok((ty, qualifiers))
    }

    /// The structs and members on the way to a member.
    fn member_path(&self, ty: &Type, m: &ast::MemberExpression) -> Option<Vec<(RecordId, u32)>> {
        let Type::Record(mut r) = *ty else { return None };
        let mut out = Vec::new();
        for k in self.unit.records.find(r, &m.identifier.node.name)? {
            out.push((r, k));
            if let Type::Record(inner) = self.unit.records.fields(r)[k as usize].ty {
                r = inner;
            }
        }
        Some(out)
    }

    fn exact_call(&mut self, c: &ast::CallExpression, e: &Node) -> Res<(Type, Qualifiers)> {
        let callee = match &c.callee.node {
            ast::Expression::Identifier(i) => match (i.node.name.as_str(), &c.arguments[..]) {
                ("__builtin_choose_expr", [k, a, b]) => {
                    let chosen = if self.constant(k)? != 0 { a } else { b };
                    return self.exact_type(chosen);
                }
                (name, _) => match self.lookup(name) {
                    Some(Symbol::Func(f)) => Some(self.unit.function(*f).ty.clone()),
                    Some(Symbol::Var(_, ty)) => Some(ty.clone()),
                    _ => None,
                },
            },
            _ => Some(self.exact_value(&c.callee)?),
        };
        let function = match &callee {
            Some(Type::Pointer(to)) => Some(&**to),
            other => other.as_ref(),
        };
        match function {
            Some(Type::Function(f)) => Ok((f.result.clone(), Qualifiers::NONE)),
            _ => match self.unconverted_type(e)? {
                ty @ Type::Pointer(_) => {
                    // The model of a builtin may have another type than the builtin.
                    drop(ty);
                    self.unsupported(e.span, "a question about the type of this call")
                }
                ty => Ok((ty, Qualifiers::NONE)),
            },
        }
    }

    /// What the declaration of a variable says, if it is known.
    fn about(&self, name: &str) -> Option<About> {
        let scope = self.scopes.iter().rev().find(|s| s.names.contains_key(name))?;
        scope.about.get(name).copied()
    }

    /// Keeps what the declaration of a variable in this scope says.
    pub(super) fn declare_about(&mut self, name: &str, about: About) {
        self.scopes.last_mut().expect("a scope").about.insert(name.to_string(), about);
    }

    /// `__alignof__ e`: what the declaration of the variable or member says, else the alignment of the type.
    pub(super) fn alignment_of(&mut self, e: &Node, at: AstSpan) -> Res<Expr> {
        use ast::Expression as E;
        let (ty, _) = self.exact_type(e)?;
        let own = match &e.node {
            E::Identifier(i) if matches!(self.lookup(&i.node.name), Some(Symbol::Var(..))) => {
                match self.about(&i.node.name) {
                    Some(about) => about.align,
                    None => return self.unsupported(at, "the alignment of this variable"),
                }
            }
            E::Identifier(i) if matches!(self.lookup(&i.node.name), Some(Symbol::Func(_))) => {
                return self.unsupported(at, "the alignment of a function");
            }
            E::Member(m) => {
                let base = match m.node.operator.node {
                    ast::MemberOperator::Direct => self.exact_type(&m.node.expression)?.0,
                    ast::MemberOperator::Indirect => match self.exact_value(&m.node.expression)? {
                        Type::Pointer(to) => (*to).clone(),
                        other => other,
                    },
                };
                let field = self.member_path(&base, &m.node).and_then(|path| path.last().copied());
                let field = field.map(|(r, k)| self.unit.records.fields(r)[k as usize].clone());
                match field {
                    Some(f) if !f.bit_field => Some(f.align),
                    _ => return self.invalid(at, "the alignment of a bit-field"),
                }
            }
            // gcc looks at what a pointer was before a cast, and at declared alignments behind `*&`.
            E::UnaryOperator(u)
                if u.node.operator.node == ast::UnaryOperator::Indirection
                    && !matches!(u.node.operand.node, E::Identifier(_) | E::Member(_)) =>
            {
                return self.unsupported(at, "the alignment of this expression");
            }
            _ => None,
        };
        let a = own.unwrap_or_else(|| self.unit.records.preferred_align_of(&ty, self.options.data_model));
        Ok(Expr::constant(i128::from(a), self.size_type(), self.span(at)))
    }
}
