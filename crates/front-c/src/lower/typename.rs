//! Types from declaration specifiers and declarators.
//!
//! Specifiers are counted as words, since C allows them in any order; declarators are read inside out. A `struct` or `enum` is declared in its scope as soon as its tag
//! is seen, so that it can point to itself. The length of a variable array is evaluated where the declaration stands and kept in a temporary.

use std::sync::Arc;

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};

use super::{Lowerer, Problem, Res, Symbol, Tag};
use crate::ir::Instr;
use crate::types::{FunctionType, IntType, Len, Member, Param, RecordId, Type};

/// What declaration specifiers say.
pub(super) struct Specified {
    pub(super) ty: Type,
    pub(super) storage: Option<ast::StorageClassSpecifier>,
    pub(super) constant: bool,
}

#[derive(Default)]
struct Words {
    void: bool,
    char: bool,
    short: bool,
    int: bool,
    long: u32,
    float: bool,
    double: bool,
    signed: bool,
    unsigned: bool,
    boolean: bool,
    other: Option<Type>,
}

impl Lowerer<'_> {
    pub(super) fn specifiers(
        &mut self,
        specs: &[Ast<ast::DeclarationSpecifier>],
        at: AstSpan,
    ) -> Res<Specified> {
        let mut words = Words::default();
        let (mut storage, mut constant) = (None, false);
        for s in specs {
            match &s.node {
                ast::DeclarationSpecifier::StorageClass(c) => storage = Some(c.node.clone()),
                ast::DeclarationSpecifier::TypeSpecifier(t) => self.word(t, &mut words)?,
                ast::DeclarationSpecifier::TypeQualifier(q) => {
                    constant |= q.node == ast::TypeQualifier::Const
                }
                _ => {}
            }
        }
        Ok(Specified { ty: self.named_by(words, at)?, storage, constant })
    }

    fn qualified(&mut self, specs: &[Ast<ast::SpecifierQualifier>], at: AstSpan) -> Res<Type> {
        let mut words = Words::default();
        for s in specs {
            if let ast::SpecifierQualifier::TypeSpecifier(t) = &s.node {
                self.word(t, &mut words)?;
            }
        }
        self.named_by(words, at)
    }

    pub(super) fn type_name(&mut self, t: &Ast<ast::TypeName>) -> Res<Type> {
        let base = self.qualified(&t.node.specifiers, t.span)?;
        match &t.node.declarator {
            Some(d) => Ok(self.declarator(base, d)?.1),
            None => Ok(base),
        }
    }

    fn word(&mut self, t: &Ast<ast::TypeSpecifier>, w: &mut Words) -> Res<()> {
        use ast::TypeSpecifier as T;
        match &t.node {
            T::Void => w.void = true,
            T::Char => w.char = true,
            T::Short => w.short = true,
            T::Int => w.int = true,
            T::Long => w.long += 1,
            T::Float => w.float = true,
            T::Double => w.double = true,
            T::Signed => w.signed = true,
            T::Unsigned => w.unsigned = true,
            T::Bool => w.boolean = true,
            T::Complex => return self.unsupported(t.span, "complex numbers"),
            T::TS18661Float(f) => w.other = Some(Type::Float(f.width as u64 / 8)),
            T::Atomic(inner) => w.other = Some(self.type_name(inner)?),
            T::Struct(s) => w.other = Some(Type::Record(self.record(s)?)),
            T::Enum(e) => w.other = Some(Type::Int(self.enumeration(e)?)),
            T::TypedefName(n) => match self.lookup(&n.node.name) {
                Some(Symbol::Typedef(ty)) => w.other = Some(ty.clone()),
                // The parser knows this name without a declaration.
                _ if n.node.name == "__builtin_va_list" => w.other = Some(Type::Void.pointer_to()),
                _ => return self.invalid(n.span, format!("`{}` is not a type", n.node.name)),
            },
            T::TypeOf(e) => {
                w.other = Some(match &e.node {
                    ast::TypeOf::Type(t) => self.type_name(t)?,
                    ast::TypeOf::Expression(e) => self.type_of(e)?,
                });
            }
        }
        Ok(())
    }

    fn named_by(&self, w: Words, at: AstSpan) -> Res<Type> {
        if let Some(t) = w.other {
            return Ok(t);
        }
        let word = self.options.data_model.word();
        Ok(if w.void {
            Type::Void
        } else if w.boolean {
            Type::Int(IntType::BOOL)
        } else if w.float {
            Type::Float(4)
        } else if w.double {
            let long = if word == 32 { 12 } else { 16 };
            Type::Float(if w.long > 0 { long } else { 8 })
        } else if w.char {
            Type::Int(IntType::new(8, !w.unsigned))
        } else if w.short {
            Type::Int(IntType::new(16, !w.unsigned))
        } else if w.long >= 2 {
            Type::Int(IntType::new(64, !w.unsigned))
        } else if w.long == 1 {
            Type::Int(IntType::new(word, !w.unsigned))
        } else if w.int || w.signed || w.unsigned {
            Type::Int(IntType::new(32, !w.unsigned))
        } else if at.start < at.end {
            Type::INT // implicit int
        } else {
            return self.invalid(at, "a declaration without a type");
        })
    }

    fn record(&mut self, s: &Ast<ast::StructType>) -> Res<RecordId> {
        let union = s.node.kind.node == ast::StructKind::Union;
        let name = s.node.identifier.as_ref().map(|i| i.node.name.clone());
        let id = match &name {
            Some(n) => {
                let found = if s.node.declarations.is_some() {
                    // A definition completes a declaration of its own scope only.
                    self.scopes.last().and_then(|c| c.tags.get(n))
                } else {
                    self.scopes.iter().rev().find_map(|c| c.tags.get(n))
                };
                match found {
                    Some(Tag::Record(r))
                        if s.node.declarations.is_none() || self.unit.records.get(*r).fields.is_none() =>
                    {
                        *r
                    }
                    _ => {
                        let id = self.unit.records.declare(n.clone(), union);
                        self.scopes.last_mut().expect("a scope").tags.insert(n.clone(), Tag::Record(id));
                        id
                    }
                }
            }
            None => self.unit.records.declare("anonymous".into(), union),
        };
        if let Some(declarations) = &s.node.declarations {
            let mut members = Vec::new();
            for d in declarations {
                let ast::StructDeclaration::Field(f) = &d.node else { continue };
                let base = self.qualified(&f.node.specifiers, f.span)?;
                if f.node.declarators.is_empty() {
                    members.push(Member { name: String::new(), ty: base.clone(), width: None });
                }
                for d in &f.node.declarators {
                    let (name, ty) = match &d.node.declarator {
                        Some(decl) => self.declarator(base.clone(), decl)?,
                        None => (String::new(), base.clone()),
                    };
                    let width = match &d.node.bit_width {
                        Some(e) => Some(u32::try_from(self.constant(e)?).unwrap_or(0)),
                        None => None,
                    };
                    members.push(Member { name, ty, width });
                }
            }
            self.unit.records.complete(id, members, self.options.data_model);
        }
        Ok(id)
    }

    fn enumeration(&mut self, e: &Ast<ast::EnumType>) -> Res<IntType> {
        let name = e.node.identifier.as_ref().map(|i| i.node.name.clone());
        if e.node.enumerators.is_empty() {
            let found = name.as_ref().and_then(|n| self.scopes.iter().rev().find_map(|c| c.tags.get(n)));
            return Ok(match found {
                Some(Tag::Enum(t)) => *t,
                _ => IntType::UINT,
            });
        }
        let mut next = 0i128;
        let mut least = 0;
        for c in &e.node.enumerators {
            if let Some(v) = &c.node.expression {
                next = self.constant(v)?;
            }
            least = least.min(next);
            let ty = [IntType::INT, IntType::UINT, IntType::new(64, true), IntType::new(64, false)]
                .into_iter()
                .find(|t| t.contains(next))
                .unwrap_or(IntType::INT);
            self.declare(&c.node.identifier.node.name.clone(), Symbol::Constant(next, ty));
            next += 1;
        }
        // As gcc: unsigned unless there is a negative enumerator.
        let ty = if least < 0 { IntType::INT } else { IntType::UINT };
        if let Some(n) = name {
            self.scopes.last_mut().expect("a scope").tags.insert(n, Tag::Enum(ty));
        }
        Ok(ty)
    }

    /// Applies a declarator to a base type: the declared name (empty if abstract) and its type.
    pub(super) fn declarator(&mut self, base: Type, d: &Ast<ast::Declarator>) -> Res<(String, Type)> {
        let (pointers, rest): (Vec<_>, Vec<_>) = d.node.derived.iter().partition(|x| {
            matches!(x.node, ast::DerivedDeclarator::Pointer(_) | ast::DerivedDeclarator::Block(_))
        });
        let mut ty = pointers.iter().fold(base, |t, _| t.pointer_to());
        for x in rest.iter().rev() {
            ty = match &x.node {
                ast::DerivedDeclarator::Array(a) => {
                    let len = self.array_length(a)?;
                    Type::Array(Arc::new(ty), len)
                }
                ast::DerivedDeclarator::Function(f) => {
                    let params = self.params(f)?;
                    let variadic = f.node.ellipsis == ast::Ellipsis::Some;
                    Type::Function(Arc::new(FunctionType { result: ty, params: Some(params), variadic }))
                }
                ast::DerivedDeclarator::KRFunction(_) => {
                    Type::Function(Arc::new(FunctionType { result: ty, params: None, variadic: false }))
                }
                _ => ty,
            };
        }
        match &d.node.kind.node {
            ast::DeclaratorKind::Abstract => Ok((String::new(), ty)),
            ast::DeclaratorKind::Identifier(i) => Ok((i.node.name.clone(), ty)),
            ast::DeclaratorKind::Declarator(inner) => self.declarator(ty, inner),
        }
    }

    fn array_length(&mut self, a: &Ast<ast::ArrayDeclarator>) -> Res<Len> {
        let e = match &a.node.size {
            ast::ArraySize::Unknown | ast::ArraySize::VariableUnknown => return Ok(Len::Unknown),
            ast::ArraySize::VariableExpression(e) | ast::ArraySize::StaticExpression(e) => e,
        };
        match self.constant(e) {
            Ok(n) => match u64::try_from(n) {
                Ok(n) => Ok(Len::Fixed(n)),
                Err(_) => self.invalid(e.span, "an array of negative length"),
            },
            Err(p) if self.builder.is_none() => Err(p),
            Err(Problem::Invalid(_)) | Err(Problem::Unsupported(_)) => {
                // A variable length: its value now is kept for the life of the array.
                let n = self.expr(e)?;
                let ty = Type::Int(IntType::new(64, true));
                let n = self.convert(n, ty.clone());
                let place = self.b().temp("length", ty);
                let crate::ir::PlaceKind::Var(crate::ir::VarRef::Local(v)) = place.kind else {
                    unreachable!()
                };
                self.b().emit(Instr::Assign(place, n));
                Ok(Len::Variable(v))
            }
        }
    }

    /// The parameter types of a prototype.
    fn params(&mut self, f: &Ast<ast::FunctionDeclarator>) -> Res<Vec<Param>> {
        let mut out = Vec::new();
        for p in &f.node.parameters {
            let (_, ty, readonly) = self.parameter(p)?;
            if ty != Type::Void {
                out.push(Param { ty, readonly });
            }
        }
        Ok(out)
    }

    /// Name, adjusted type, and whether it points to `const`.
    pub(super) fn parameter(&mut self, p: &Ast<ast::ParameterDeclaration>) -> Res<(String, Type, bool)> {
        let specified = self.specifiers(&p.node.specifiers, p.span)?;
        let (name, ty) = match &p.node.declarator {
            Some(d) => self.parameter_declarator(specified.ty, d)?,
            None => (String::new(), specified.ty),
        };
        let readonly = specified.constant && !matches!(ty.pointee(), Some(Type::Pointer(_)));
        Ok((name, adjust(ty), readonly))
    }

    /// The outermost length of an array parameter does not matter: it may mention other parameters.
    fn parameter_declarator(&mut self, base: Type, d: &Ast<ast::Declarator>) -> Res<(String, Type)> {
        let mut plain = d.clone();
        let outermost = plain.node.derived.iter_mut().find_map(|x| match &mut x.node {
            ast::DerivedDeclarator::Array(a) => Some(a),
            _ => None,
        });
        if let Some(a) = outermost {
            a.node.size = ast::ArraySize::Unknown;
        }
        self.declarator(base, &plain)
    }
}

/// Arrays and functions as parameters are pointers.
pub(super) fn adjust(ty: Type) -> Type {
    match ty {
        Type::Array(t, _) => Type::Pointer(t),
        Type::Function(_) => ty.pointer_to(),
        other => other,
    }
}
