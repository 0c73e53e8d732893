//! What GNU C and C11 have beside the C of expressions and statements: addresses of labels and computed
//! `goto`, `_Generic` and questions about types, casts to unions, and the name of a function.
//!
//! A label whose address is taken is an object of its own that nothing reads or writes. A computed `goto`
//! compares its operand with the address of each such label of the function. If it is none of them, the jump
//! is unsupported.
//!
//! Questions about types look at them with their qualifiers ([`super::exact`]). Where these are not known, a
//! question is answered only if they cannot matter.

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};
use palisade_float::Format;

use super::text::Text;
use super::{Lowerer, Res};
use crate::dialect::LABEL;
use crate::ir::{CmpOp, Expr, ExprKind, Instr, NodeId, NodeKind, Place, PlaceKind, VarRef, is_label};
use crate::types::{FunctionType, IntType, Len, Qualifiers, Type};

/// A computed `goto` whose targets are not known before the function ends.
pub(super) struct ComputedGoto {
    node: NodeId,
    target: Expr,
    scope: u32,
    at: AstSpan,
}

impl Lowerer<'_> {
    /// `&&label`, as the name that stands for it.
    pub(super) fn label_address(&mut self, name: &str, at: AstSpan) -> Res<Expr> {
        let Some(label) = name.strip_prefix(LABEL) else { return self.invalid(at, "no label") };
        if self.builder.is_none() {
            return self.invalid(at, "the address of a label outside a function");
        }
        if !self.b().taken.iter().any(|l| l == label) {
            self.b().taken.push(label.to_string());
        }
        let place = self.label_object(label, at);
        let address = Expr {
            ty: place.ty.clone().pointer_to(),
            span: place.span,
            kind: ExprKind::Address(Box::new(place)),
        };
        Ok(self.convert(address, Type::Void.pointer_to()))
    }

    /// Is it the address of a label?
    pub(super) fn is_label_address(&self, e: &Expr) -> bool {
        match &e.kind {
            ExprKind::Cast(inner) => self.is_label_address(inner),
            ExprKind::Address(place) => matches!(place.kind, PlaceKind::Var(VarRef::Global(g))
                if is_label(&self.unit.globals[g as usize])),
            _ => false,
        }
    }

    fn label_object(&mut self, label: &str, at: AstSpan) -> Place {
        let (span, begin) = (self.span(at), self.b().begin);
        let ty = Type::Int(IntType::CHAR);
        let key = (span.unit, begin, format!("&&{label}").into_bytes());
        let name = |_| format!("&&{label}");
        let g = self.constant_object(key, ty.clone(), name, |_, _| Vec::new(), false);
        Place::var(VarRef::Global(g), ty, span)
    }

    /// `goto *e;`
    pub(super) fn computed_goto(&mut self, e: &Ast<ast::Expression>, at: AstSpan) -> Res<()> {
        let target = self.expr(e)?;
        let target = self.convert(target, Type::Void.pointer_to());
        let target = self.b().save(target);
        let node = self.b().label();
        self.b().place(node);
        let scope = self.b().scope;
        self.b().gotos.push(ComputedGoto { node, target, scope, at });
        self.b().current = None;
        Ok(())
    }

    /// Completes the computed jumps of a function: all its labels are known now.
    pub(super) fn finish_gotos(&mut self) {
        let outer = self.b().scope;
        for goto in std::mem::take(&mut self.b().gotos) {
            self.b().scope = goto.scope;
            self.b().current = Some(goto.node);
            if !self.b().cleanups.is_empty() {
                // gcc leaves such a block without the call, and clang takes no such program.
                let what = self.located(goto.at, "a computed goto in a function with attribute `cleanup`");
                self.b().finish(NodeKind::Unsupported(what.into()));
                self.b().current = None;
                continue;
            }
            for label in self.b().taken.clone() {
                let Some(&to) = self.b().labels.get(&label) else { continue };
                let place = self.label_object(&label, goto.at);
                let span = place.span;
                let ty = Type::Void.pointer_to();
                let address = Expr {
                    ty: place.ty.clone().pointer_to(),
                    span,
                    kind: ExprKind::Address(Box::new(place)),
                };
                let address = self.convert(address, ty);
                let kind = ExprKind::Compare(CmpOp::Eq, Box::new(goto.target.clone()), Box::new(address));
                let other = self.b().label();
                self.b().branch(Expr { ty: Type::INT, kind, span }, to, other);
                self.b().place(other);
            }
            let what = self.located(goto.at, "a computed goto to no label of the function");
            self.b().finish(NodeKind::Unsupported(what.into()));
            self.b().current = None;
        }
        self.b().scope = outer;
    }

    /// Are two types compatible, without their qualifiers at the top (of an array, those of its elements)?
    /// `None`: it depends on what is not known of them.
    fn compatible(&self, a: &Type, b: &Type) -> Option<bool> {
        match (a, b) {
            (Type::Int(x), Type::Int(y)) => x.compatible(*y, self.options.data_model),
            (Type::Pointer(x), Type::Pointer(y)) => match self.compatible(x, y) {
                Some(false) => Some(false),
                known => match x.qualifiers.same(y.qualifiers) {
                    Some(false) => Some(false),
                    same => known.and(same),
                },
            },
            (Type::Array(x, n), Type::Array(y, m)) => match self.compatible(x, y) {
                Some(false) => Some(false),
                _ if matches!((n, m), (Len::Fixed(a), Len::Fixed(b)) if a != b) => Some(false),
                known if !matches!((n, m), (Len::Variable(_), _) | (_, Len::Variable(_))) => known,
                _ => None,
            },
            (Type::Record(x), Type::Record(y)) => Some(x == y),
            (Type::Void, Type::Void) => Some(true),
            // `float` and `_Float32` are different types with the same numbers.
            (Type::Float(x), Type::Float(y)) if x == y => (!self.float_n).then_some(true),
            (Type::Ieee(x), Type::Ieee(y)) if x == y => (!self.float_n).then_some(true),
            (Type::Function(x), Type::Function(y)) => self.compatible_functions(x, y),
            _ => Some(false),
        }
    }

    /// The same for functions (C11 6.7.6.3p15). What they return has no qualifiers (DR 423).
    fn compatible_functions(&self, a: &FunctionType, b: &FunctionType) -> Option<bool> {
        let mut parts = vec![self.compatible(&a.result, &b.result)];
        match (&a.params, &b.params) {
            (None, None) => {}
            (Some(x), Some(y)) if x.len() != y.len() || a.variadic != b.variadic => return Some(false),
            (Some(x), Some(y)) => {
                parts.extend(x.iter().zip(y).map(|(x, y)| self.compatible(&x.ty, &y.ty)));
            }
            // A function that says nothing of its parameters takes those that are promoted to themselves.
            (Some(params), None) | (None, Some(params)) => {
                let kept = |t: &Type| match t {
                    Type::Int(t) => t.promoted() == *t,
                    Type::Float(size) => *size != 4,
                    Type::Ieee(f) => *f == Format::BINARY64,
                    _ => true,
                };
                if a.variadic || b.variadic || !params.iter().all(|p| kept(&p.ty)) {
                    return Some(false);
                }
            }
        }
        match parts.contains(&Some(false)) {
            true => Some(false),
            false => parts.into_iter().all(|p| p == Some(true)).then_some(true),
        }
    }

    /// `__builtin_types_compatible_p`; the types stand in `sizeof`s.
    pub(super) fn compatible_types(&mut self, args: &[Ast<ast::Expression>], at: AstSpan) -> Res<Expr> {
        let mut types = Vec::new();
        for a in args {
            let ast::Expression::SizeOfTy(t) = &a.node else { return self.invalid(at, "no types") };
            types.push(self.dry(|me| me.type_name(&t.node.0))?);
        }
        let [a, b] = &types[..] else { return self.invalid(at, "two types are needed") };
        match self.compatible(a, b) {
            Some(same) => Ok(Expr::constant(i128::from(same), Type::INT, self.span(at))),
            None => self.unsupported(at, "`__builtin_types_compatible_p` of these types"),
        }
    }

    /// The expression that `_Generic` selects.
    pub(super) fn selected<'e>(
        &mut self,
        g: &'e ast::GenericSelection,
        at: AstSpan,
    ) -> Res<&'e Ast<ast::Expression>> {
        let ty = self.exact_value(&g.expression)?;
        let (mut default, mut found) = (None, None);
        for (i, association) in g.associations.iter().enumerate() {
            match &association.node {
                ast::GenericAssociation::Default(e) => default = Some((i, &**e)),
                ast::GenericAssociation::Type(t) => {
                    let (own, qualifiers) = self.dry(|me| me.association(&t.node.type_name))?;
                    match self.compatible(&ty, &own) {
                        Some(false) => {}
                        _ if qualifiers.same(Qualifiers::NONE) == Some(false) => {}
                        Some(true) if qualifiers == Qualifiers::NONE && found.is_none() => {
                            found = Some((i, &*t.node.expression))
                        }
                        _ => return self.unsupported(at, "generic selection between these types"),
                    }
                }
            }
        }
        let Some((i, e)) = found.or(default) else {
            return self.invalid(at, "a generic selection without a type that fits");
        };
        self.rely_on_selection(g, i, at);
        Ok(e)
    }

    /// `(union u)x`: a union whose member of that type is `x`.
    pub(super) fn cast_to_union(&mut self, value: Expr, ty: Type, at: AstSpan) -> Res<Expr> {
        let Type::Record(r) = ty else { return self.invalid(at, "no union") };
        let fields = self.unit.records.fields(r);
        let Some(k) = fields.iter().position(|f| f.ty == value.ty && !f.bit_field) else {
            return self.unsupported(at, "a cast to a union that has no member of this type");
        };
        let span = self.span(at);
        let object = self.b().temp("literal", ty);
        self.b().emit(Instr::Havoc(object.clone()));
        let k = self.unit.records.representative(r, k as u32);
        let kind = PlaceKind::Field(Box::new(object.clone()), k);
        self.assign(Place { ty: value.ty.clone(), kind, span }, value);
        Ok(object.load())
    }

    /// `__func__` and its kind: arrays that the function has from its beginning, one for each spelling.
    pub(super) fn function_name(&mut self, spelling: &str, at: AstSpan) -> Res<Place> {
        let Some(b) = &self.builder else {
            return self.invalid(at, "the name of a function outside one");
        };
        let codes = b.name.bytes().chain([0]).map(u32::from).collect();
        let begin = AstSpan::span(b.begin as usize, b.begin as usize);
        Ok(self.named_string(&Text { element: IntType::CHAR, codes }, spelling, begin))
    }
}
