//! Constant expressions: array lengths, case labels, enumerators, bit-field widths; literals; and what can be
//! known of an expression without evaluating it.
//!
//! Constants are lowered like any expression and folded. [`Lowerer::dry`] lowers something only for its type
//! or value; [`has_effects`] says which expressions add nothing to the graph.

use lang_c::ast;
use lang_c::span::Node as Ast;

use super::{Lowerer, Res};
use crate::dialect::{ALIGNMENT, COMPATIBLE, SAME};
use crate::ir::{BinOp, CmpOp, Expr, ExprKind};
use crate::options::IntMode;
use crate::types::{IntType, Name, Type};

impl Lowerer<'_> {
    /// The value of an integer constant expression. Leaves no trace in the graph under construction.
    pub(super) fn constant(&mut self, e: &Ast<ast::Expression>) -> Res<i128> {
        Ok(self.typed_constant(e)?.0)
    }

    /// The value and the type of an integer constant expression.
    pub(super) fn typed_constant(&mut self, e: &Ast<ast::Expression>) -> Res<(i128, Type)> {
        if has_effects(&e.node) {
            return self.invalid(e.span, "not a constant expression");
        }
        let value = self.at_translation(|s| s.dry(|s| s.expr(e)))?;
        match fold(&value) {
            Some(v) => {
                self.rely_on_constant(e, v);
                Ok((v, value.ty))
            }
            None => self.invalid(e.span, "not a constant expression"),
        }
    }

    /// Lowers something that is computed while the program is translated, not while it runs.
    pub(super) fn at_translation<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.at_translation, true);
        let out = f(self);
        self.at_translation = outer;
        out
    }

    /// Lowers something that [`has_effects`] says has none, before or after what it stands beside. `None`
    /// where that adds to the graph all the same (the lengths of arrays in types, structs chosen by `?:`):
    /// then its time matters, it is taken back, and the parts count as acting from now on.
    pub(super) fn pure<T>(
        &mut self,
        parts: &[&Ast<ast::Expression>],
        f: impl FnOnce(&mut Self) -> Res<T>,
    ) -> Res<Option<T>> {
        let Some(b) = &mut self.builder else { return f(self).map(Some) };
        let (before, nodes) = (b.detach(), b.nodes.len());
        let out = f(self);
        let b = self.b();
        if b.nodes.len() == nodes {
            b.current = before.current;
            return out.map(Some);
        }
        b.take_back(before);
        self.timed.extend(parts.iter().map(|e| (e.span.start, e.span.end)));
        out.map(|_| None)
    }

    /// Lowers something only for its type or value: whatever it added to the graph is taken back.
    pub(super) fn dry<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let Some(b) = &mut self.builder else { return f(self) };
        let before = b.detach();
        let out = f(self);
        self.b().take_back(before);
        out
    }

    pub(super) fn literal(&self, c: &Ast<ast::Constant>) -> Res<Expr> {
        let span = self.span(c.span);
        match &c.node {
            ast::Constant::Integer(i) => {
                let radix = match i.base {
                    ast::IntegerBase::Decimal => 10,
                    ast::IntegerBase::Octal => 8,
                    ast::IntegerBase::Hexadecimal => 16,
                    ast::IntegerBase::Binary => 2,
                };
                let Ok(value) = i128::from_str_radix(&i.number, radix) else {
                    return self.invalid(c.span, "an integer constant that is too large");
                };
                let long = self.options.data_model.word();
                let least = match i.suffix.size {
                    ast::IntegerSize::Int => Name::Int,
                    ast::IntegerSize::Long => Name::Long,
                    ast::IntegerSize::LongLong => Name::LongLong,
                };
                let c90 = self.options.is_c90();
                let unsigned = |t: &IntType| radix != 10 || c90 && t.name >= Name::Long;
                let ty = [(Name::Int, 32), (Name::Long, long), (Name::LongLong, 64)]
                    .into_iter()
                    .filter(|(name, _)| *name >= least)
                    .flat_map(|(name, bits)| [true, false].map(|s| IntType::new(bits, s).called(name)))
                    .filter(|t| if i.suffix.unsigned { !t.signed } else { t.signed || unsigned(t) })
                    .find(|t| t.contains(value));
                match ty {
                    Some(t) => Ok(Expr::constant(value, Type::Int(t), span)),
                    // A decimal constant too large for any signed type of the standard: gcc takes `__int128`
                    // where it has that, else the value wraps around.
                    None if IntType::new(64, false).contains(value) && long == 32 => {
                        let ty = IntType::new(64, true);
                        Ok(Expr::constant(ty.wrap(value), Type::Int(ty), span))
                    }
                    None if IntType::new(64, false).contains(value)
                        && !i.suffix.unsigned
                        && self.options.int_mode == IntMode::Bv =>
                    {
                        Ok(Expr::constant(value, Type::Int(IntType::new(128, true)), span))
                    }
                    None if IntType::new(64, false).contains(value) => {
                        self.unsupported(c.span, "an integer constant that only `__int128` holds")
                    }
                    None => self.invalid(c.span, "an integer constant that is too large"),
                }
            }
            ast::Constant::Character(text) => self.character_constant(text, c.span),
            ast::Constant::Float(f) => Ok(self.float_literal(f, c.span)),
        }
    }
}

/// Does evaluating this expression do anything (assign, call)? If not, lowering it adds nothing to the graph,
/// which [`Lowerer::pure`] checks where it matters.
///
/// A comma counts: what stands before it is evaluated only to be checked, where the expression is reached.
pub(super) fn has_effects(e: &ast::Expression) -> bool {
    use ast::Expression as E;
    let any = |es: &[&Ast<ast::Expression>]| es.iter().any(|x| has_effects(&x.node));
    match e {
        // The operand of a question is not evaluated.
        E::Call(c) if matches!(&c.node.callee.node, E::Identifier(i) if i.node.name == ALIGNMENT) => false,
        E::Call(c) if !is_run(&c.node) => c.node.arguments.iter().any(|a| has_effects(&a.node)),
        E::Call(_) | E::Statement(_) | E::CompoundLiteral(_) | E::VaArg(_) | E::Comma(_) => true,
        E::Member(m) => any(&[&m.node.expression]),
        E::UnaryOperator(u) => {
            use ast::UnaryOperator as U;
            matches!(
                u.node.operator.node,
                U::PostIncrement | U::PostDecrement | U::PreIncrement | U::PreDecrement
            ) || any(&[&u.node.operand])
        }
        // What becomes `void` is evaluated only to be checked, too.
        E::Cast(c) => {
            is_void(&c.node.type_name.node)
                || type_has_effects(&c.node.type_name.node)
                || any(&[&c.node.expression])
        }
        E::SizeOfTy(t) => type_has_effects(&t.node.0.node),
        E::OffsetOf(o) => indices(&o.node).any(|i| has_effects(&i.node)),
        E::BinaryOperator(b) => is_assignment(&b.node.operator.node) || any(&[&b.node.lhs, &b.node.rhs]),
        E::GenericSelection(g) => g.node.associations.iter().any(|a| match &a.node {
            ast::GenericAssociation::Type(t) => has_effects(&t.node.expression.node),
            ast::GenericAssociation::Default(e) => has_effects(&e.node),
        }),
        // The value of `a` in `a ?: b` is stored.
        E::Conditional(c) if is_same(&c.node.then_expression.node) && !is_number(&c.node.condition.node) => {
            true
        }
        E::Conditional(c) => any(&[&c.node.condition, &c.node.then_expression, &c.node.else_expression]),
        _ => false,
    }
}

/// The indices in an `offsetof`.
pub(super) fn indices(o: &ast::OffsetOfExpression) -> impl Iterator<Item = &Ast<ast::Expression>> {
    o.designator.node.members.iter().filter_map(|m| match &m.node {
        ast::OffsetMember::Index(e) => Some(e),
        ast::OffsetMember::Member(_) | ast::OffsetMember::IndirectMember(_) => None,
    })
}

/// Is it more than a question about types, or a choice between expressions?
pub(super) fn is_run(c: &ast::CallExpression) -> bool {
    let asked = [COMPATIBLE, ALIGNMENT, "__builtin_choose_expr"];
    !matches!(&c.callee.node, ast::Expression::Identifier(i) if asked.contains(&i.node.name.as_str()))
}

/// Stands this for the value of the condition?
pub(crate) fn is_same(e: &ast::Expression) -> bool {
    matches!(e, ast::Expression::Identifier(i) if i.node.name == SAME)
}

/// Is this made of numbers only?
fn is_number(e: &ast::Expression) -> bool {
    use ast::Expression as E;
    match e {
        E::Constant(_) | E::SizeOfTy(_) | E::SizeOfVal(_) | E::AlignOf(_) => true,
        E::Cast(c) => is_number(&c.node.expression.node),
        E::UnaryOperator(u) => is_number(&u.node.operand.node),
        E::BinaryOperator(b) => is_number(&b.node.lhs.node) && is_number(&b.node.rhs.node),
        _ => false,
    }
}

/// Does evaluating a type do anything? The lengths of its arrays are evaluated.
fn type_has_effects(t: &ast::TypeName) -> bool {
    let specified = t.specifiers.iter().any(|s| match &s.node {
        ast::SpecifierQualifier::TypeSpecifier(s) => match &s.node {
            ast::TypeSpecifier::TypeOf(of) => match &of.node {
                ast::TypeOf::Type(t) => type_has_effects(&t.node),
                ast::TypeOf::Expression(_) => false,
            },
            _ => false,
        },
        _ => false,
    });
    specified || t.declarator.as_ref().is_some_and(|d| lengths(&d.node).iter().any(|e| has_effects(&e.node)))
}

/// The lengths of the arrays in a declarator.
pub(super) fn lengths(d: &ast::Declarator) -> Vec<&Ast<ast::Expression>> {
    let mut out = Vec::new();
    for x in &d.derived {
        if let ast::DerivedDeclarator::Array(a) = &x.node
            && let ast::ArraySize::VariableExpression(e) | ast::ArraySize::StaticExpression(e) = &a.node.size
        {
            out.push(&**e);
        }
    }
    if let ast::DeclaratorKind::Declarator(inner) = &d.kind.node {
        out.extend(lengths(&inner.node));
    }
    out
}

/// Is it the constant 0?
pub(crate) fn is_zero(e: &ast::Expression) -> bool {
    matches!(e, ast::Expression::Constant(c)
        if matches!(&c.node, ast::Constant::Integer(i) if i.number.trim_matches('0').is_empty()))
}

/// Is this the type `void`?
pub(super) fn is_void(t: &ast::TypeName) -> bool {
    let void = |s: &Ast<ast::SpecifierQualifier>| match &s.node {
        ast::SpecifierQualifier::TypeSpecifier(s) => s.node == ast::TypeSpecifier::Void,
        _ => false,
    };
    t.declarator.is_none() && t.specifiers.iter().any(void)
}

/// Is this `=` or one of the compound assignments?
pub(super) fn is_assignment(op: &ast::BinaryOperator) -> bool {
    use ast::BinaryOperator as B;
    matches!(
        op,
        B::Assign
            | B::AssignMultiply
            | B::AssignDivide
            | B::AssignModulo
            | B::AssignPlus
            | B::AssignMinus
            | B::AssignShiftLeft
            | B::AssignShiftRight
            | B::AssignBitwiseAnd
            | B::AssignBitwiseXor
            | B::AssignBitwiseOr
    )
}

/// Evaluates an expression of integer constants as compilers do while they translate.
pub(crate) fn fold(e: &Expr) -> Option<i128> {
    evaluate(e, false)
}

/// The same for an expression that the program computes: only if C defines the value.
pub(super) fn fold_defined(e: &Expr) -> Option<i128> {
    evaluate(e, true)
}

fn evaluate(e: &Expr, defined: bool) -> Option<i128> {
    let fold = |e: &Expr| evaluate(e, defined);
    if matches!(e.ty, Type::Float(_) | Type::Ieee(_)) {
        return None;
    }
    let ty = e.ty.as_int();
    let v = match &e.kind {
        ExprKind::Const(v) => *v,
        ExprKind::Neg(a) => fold(a)?.checked_neg()?,
        ExprKind::BitNot(a) => !fold(a)?,
        ExprKind::Not(a) => i128::from(fold(a)? == 0),
        ExprKind::And(a, b) => i128::from(fold(a)? != 0 && fold(b)? != 0),
        ExprKind::Or(a, b) => i128::from(fold(a)? != 0 || fold(b)? != 0),
        ExprKind::Cond(c, a, b) => fold(if fold(c)? != 0 { a } else { b })?,
        ExprKind::Cast(a) => {
            a.ty.as_int()?;
            fold(a)?
        }
        ExprKind::Compare(op, a, b) => {
            let (x, y) = (fold(a)?, fold(b)?);
            i128::from(match op {
                CmpOp::Eq => x == y,
                CmpOp::Ne => x != y,
                CmpOp::Lt | CmpOp::Before => x < y,
                CmpOp::Le => x <= y,
                CmpOp::Gt => x > y,
                CmpOp::Ge => x >= y,
            })
        }
        ExprKind::Binary(op, a, b) => {
            let (x, y) = (fold(a)?, fold(b)?);
            match op {
                BinOp::Add => x.checked_add(y)?,
                BinOp::Sub => x.checked_sub(y)?,
                BinOp::Mul => x.checked_mul(y)?,
                BinOp::Div => x.checked_div(y)?,
                BinOp::Rem if defined && ty?.signed && !ty?.contains(x.checked_div(y)?) => return None,
                BinOp::Rem => x.checked_rem(y)?,
                BinOp::Shl | BinOp::Shr => {
                    let most = if defined { ty?.bits } else { ty?.bits.max(64) };
                    let places = u32::try_from(y).ok().filter(|&s| s < most)?;
                    match op {
                        BinOp::Shr => x >> places,
                        // Of other types the bits that are lost here are none of the type's.
                        _ if ty?.bits > 64 && (x << places) >> places != x => return None,
                        _ => x << places,
                    }
                }
                BinOp::And => x & y,
                BinOp::Or => x | y,
                BinOp::Xor => x ^ y,
            }
        }
        _ => return None,
    };
    let Some(ty) = ty else { return Some(v) };
    let computed = matches!(e.kind, ExprKind::Neg(_) | ExprKind::Binary(..));
    if defined && computed && ty.signed && !ty.contains(v) {
        return None;
    }
    ty.wrapped(v)
}
