//! Types from declaration specifiers and declarators.
//!
//! Specifiers are counted as words, since C allows them in any order; declarators are read inside out. A
//! `struct` or `enum` is declared in its scope as soon as its tag is seen, so that it can point to itself.
//! The length of a variable array is evaluated where the declaration stands and kept in a temporary.

use std::sync::Arc;

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};

use super::attributes::Marks;
use super::constant::{has_effects, lengths};
use super::qualifiers::{declared_qualifiers, declares_volatile, has_qualifier, own_qualifiers, qualifier};
use super::relied::Sites;
use super::{Lowerer, Problem, Res, Symbol, Tag};
use crate::ir::Instr;
use crate::options::IntMode;
use crate::types::{
    DataModel, FunctionType, IntType, Len, Member, Name, Packing, Qualifiers, RecordId, Type,
};

/// The name of a struct or union without a tag.
pub(super) const ANONYMOUS: &str = "anonymous";

/// What declaration specifiers say.
#[derive(Clone)]
pub(super) struct Specified {
    pub(super) ty: Type,
    pub(super) storage: Option<ast::StorageClassSpecifier>,
    pub(super) constant: bool,
    pub(super) volatile: bool,
    pub(super) marks: Marks,
    /// The alignment of the type, if a typedef sets it.
    pub(super) align: Option<u64>,
    /// The qualifiers of the type that the specifiers name.
    pub(super) qualifiers: Qualifiers,
    /// `_Alignas` says something about what is declared.
    pub(super) aligned_as: bool,
}

/// The most bytes of an array: offsets are counted in bits, in 64 of them.
const LARGEST: u64 = 1 << 48;

/// The type that stands for `__int128` (see `dialect`).
fn is_int128(t: &ast::TS18661FloatType) -> bool {
    matches!((&t.format, t.width), (ast::TS18661FloatFormat::BinaryExtended, 16))
}

impl Specified {
    /// The alignment that a typedef gives an object of this declared type: arrays have that of their
    /// elements.
    pub(super) fn align_of(&self, ty: &Type) -> Option<u64> {
        let mut element = ty;
        while let (Type::Array(t, _), true) = (element, *element != self.ty) {
            element = t;
        }
        self.align.filter(|_| *element == self.ty)
    }
}

struct Words {
    volatile: bool,
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
    int128: bool,
    other: Option<Type>,
    /// The alignment that a typedef or `_Atomic` sets.
    align: Option<u64>,
    qualifiers: Qualifiers,
    /// `_Atomic`, where it stands.
    atomic: Option<AstSpan>,
}

impl Words {
    fn new() -> Words {
        Words {
            volatile: false,
            void: false,
            char: false,
            short: false,
            int: false,
            long: 0,
            float: false,
            double: false,
            signed: false,
            unsigned: false,
            boolean: false,
            int128: false,
            other: None,
            align: None,
            qualifiers: Qualifiers::NONE,
            atomic: None,
        }
    }

    fn qualify(&mut self, q: &Ast<ast::TypeQualifier>) {
        self.qualifiers = self.qualifiers.and(qualifier(&q.node));
        self.volatile |= q.node == ast::TypeQualifier::Volatile;
        if q.node == ast::TypeQualifier::Atomic {
            self.atomic = Some(q.span);
        }
    }
}

impl Lowerer<'_> {
    pub(super) fn specifiers(
        &mut self,
        specs: &[Ast<ast::DeclarationSpecifier>],
        at: AstSpan,
    ) -> Res<Specified> {
        use ast::DeclarationSpecifier as S;
        let mut words = Words::new();
        let (mut storage, mut constant, mut aligned_as) = (None, false, false);
        let mut marks = Marks::default();
        for (i, s) in specs.iter().enumerate() {
            match &s.node {
                S::StorageClass(c) if c.node == ast::StorageClassSpecifier::ThreadLocal => {
                    return self.unsupported(c.span, "thread-local variable");
                }
                S::StorageClass(c) => storage = Some(c.node.clone()),
                S::TypeSpecifier(t) => {
                    let behind = specs.get(i + 1).map(|s| &s.node);
                    let extensions = match behind {
                        Some(S::Extension(list)) if defines_tag(t) => list.as_slice(),
                        _ => &[],
                    };
                    self.word(t, extensions, &mut words)?;
                }
                S::TypeQualifier(q) => {
                    constant |= q.node == ast::TypeQualifier::Const;
                    words.qualify(q);
                }
                S::Extension(_)
                    if i > 0 && matches!(&specs[i - 1].node, S::TypeSpecifier(t) if defines_tag(t)) => {}
                S::Extension(list) => self.marks(list, &mut marks)?,
                S::Function(f) => marks.noreturn |= f.node == ast::FunctionSpecifier::Noreturn,
                // The parser accepts it for variables only, and the value of an address is never used as a
                // number.
                S::Alignment(_) => aligned_as = true,
            }
        }
        let named = self.specified(words, marks, at)?;
        Ok(Specified { storage, constant, aligned_as, ..named })
    }

    /// The type that the words of a declaration or a type name stand for.
    fn specified(&self, words: Words, marks: Marks, at: AstSpan) -> Res<Specified> {
        let (mut align, volatile) = (words.align, words.volatile);
        // The models of the library are not declared as the library is.
        let known = !self.source().is_named(crate::LIBRARY);
        let qualifiers = if known { words.qualifiers } else { Qualifiers::OPEN };
        let atomic = words.atomic;
        let ty = self.named_by(words, at)?;
        let ty = self.with_mode(ty, &marks);
        if let Some(at) = atomic {
            align = self.atomic_alignment(&ty, at)?.or(align);
        }
        Ok(Specified {
            ty,
            storage: None,
            constant: false,
            volatile,
            marks,
            align,
            qualifiers,
            aligned_as: false,
        })
    }

    /// The alignment of an atomic object, if it is not that of its type. With one thread it is an object like
    /// others, but it is aligned by its size, and a struct may be larger.
    fn atomic_alignment(&self, ty: &Type, at: AstSpan) -> Res<Option<u64>> {
        let model = self.options.data_model;
        match self.unit.records.size_of(ty, model) {
            Some(size @ (1 | 2 | 4 | 8)) if !matches!(ty, Type::Array(..)) => {
                Ok(Some(size).filter(|&size| size != self.unit.records.align_of(ty, model)))
            }
            _ => self.unsupported(at, "`_Atomic` of a type that has not 1, 2, 4 or 8 bytes"),
        }
    }

    pub(super) fn qualified(
        &mut self,
        specs: &[Ast<ast::SpecifierQualifier>],
        at: AstSpan,
    ) -> Res<Specified> {
        use ast::SpecifierQualifier as S;
        let mut words = Words::new();
        let mut marks = Marks::default();
        for (i, s) in specs.iter().enumerate() {
            match &s.node {
                S::TypeSpecifier(t) => {
                    let extensions = match specs.get(i + 1).map(|s| &s.node) {
                        Some(S::Extension(list)) if defines_tag(t) => list.as_slice(),
                        _ => &[],
                    };
                    self.word(t, extensions, &mut words)?;
                }
                S::TypeQualifier(q) => words.qualify(q),
                S::Extension(_)
                    if i > 0 && matches!(&specs[i - 1].node, S::TypeSpecifier(t) if defines_tag(t)) => {}
                S::Extension(list) => self.marks(list, &mut marks)?,
            }
        }
        self.specified(words, marks, at)
    }

    /// The type of an association in a generic selection, and its qualifiers.
    pub(super) fn association(&mut self, t: &Ast<ast::TypeName>) -> Res<(Type, Qualifiers)> {
        let (ty, base) = self.named_type(t)?;
        let qualifiers = t.node.declarator.as_ref();
        Ok((ty, qualifiers.map_or(base.qualifiers, |d| declared_qualifiers(base.qualifiers, d))))
    }

    pub(super) fn type_name(&mut self, t: &Ast<ast::TypeName>) -> Res<Type> {
        Ok(self.named_type(t)?.0)
    }

    /// A type name, and its alignment if an attribute or a typedef sets it.
    pub(super) fn aligned_type_name(&mut self, t: &Ast<ast::TypeName>) -> Res<(Type, Option<u64>)> {
        let (ty, base) = self.named_type(t)?;
        let align = base.marks.align.or(base.align_of(&ty));
        Ok((ty, align))
    }

    /// A type name, and what its specifiers say.
    fn named_type(&mut self, t: &Ast<ast::TypeName>) -> Res<(Type, Specified)> {
        let base = self.qualified(&t.node.specifiers, t.span)?;
        let ty = match &t.node.declarator {
            Some(d) => self.declarator(base.ty.clone(), (base.volatile, base.qualifiers), d)?.1,
            None => base.ty.clone(),
        };
        Ok((ty, base))
    }

    /// One type specifier. `behind`: the attributes that follow the braces of a struct or enum.
    fn word(
        &mut self,
        t: &Ast<ast::TypeSpecifier>,
        behind: &[Ast<ast::Extension>],
        w: &mut Words,
    ) -> Res<()> {
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
            T::TS18661Float(f) if is_int128(f) => match self.options.data_model {
                DataModel::Lp64 if self.options.int_mode == IntMode::Bv => w.int128 = true,
                DataModel::Lp64 => return self.unsupported(t.span, "`__int128` (use --int bv)"),
                DataModel::Ilp32 => return self.unsupported(t.span, "`__int128` with words of 32 bits"),
            },
            T::TS18661Float(f) => {
                self.float_n = true;
                w.other = Some(self.numbered_float(f));
            }
            T::Atomic(inner) => {
                w.other = Some(self.type_name(inner)?);
                (w.qualifiers, w.atomic) = (w.qualifiers.and(Qualifiers::ATOMIC), Some(t.span));
            }
            T::Struct(s) => w.other = Some(Type::Record(self.record(s, behind)?)),
            T::Enum(e) => w.other = Some(Type::Int(self.enumeration(e, behind)?)),
            T::TypedefName(n) => match self.lookup(&n.node.name) {
                Some(Symbol::Typedef(t)) => {
                    w.align = t.align;
                    w.volatile |= t.volatile;
                    w.qualifiers = w.qualifiers.and(t.qualifiers);
                    w.other = Some(t.ty.clone());
                }
                Some(Symbol::Refused(what)) => return Err(Problem::Unsupported(what.clone())),
                // The parser knows this name without a declaration.
                _ if n.node.name == "__builtin_va_list" => w.other = Some(self.va_list()),
                _ => return self.invalid(n.span, format!("`{}` is not a type", n.node.name)),
            },
            T::TypeOf(e) => {
                let (ty, qualifiers) = match &e.node {
                    ast::TypeOf::Type(t) => self.association(t)?,
                    ast::TypeOf::Expression(e) => self.checked_exact(e)?,
                };
                w.volatile |= match &e.node {
                    ast::TypeOf::Type(t) => self.names_volatile(t)?,
                    ast::TypeOf::Expression(e) => self.may_be_volatile(e, qualifiers),
                };
                // It may also be written as `typeof_unqual`, and compilers differ about atomic types.
                let open = self.options.is_c23() || qualifiers.include(Qualifiers::ATOMIC);
                let own = if open { Qualifiers::OPEN } else { qualifiers };
                w.qualifiers = w.qualifiers.and(own);
                w.other = Some(ty);
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
            self.float_type(4)
        } else if w.double {
            let long = if word == 32 { 12 } else { 16 };
            if w.long > 0 { Type::Float(long) } else { self.float_type(8) }
        } else if w.int128 {
            Type::Int(IntType::new(128, !w.unsigned))
        } else if w.char {
            let name = if w.signed || w.unsigned { Name::Byte } else { Name::Char };
            Type::Int(IntType::new(8, !w.unsigned).called(name))
        } else if w.short {
            Type::Int(IntType::new(16, !w.unsigned).called(Name::Short))
        } else if w.long >= 2 {
            Type::Int(IntType::new(64, !w.unsigned).called(Name::LongLong))
        } else if w.long == 1 {
            Type::Int(IntType::long(self.options.data_model, !w.unsigned))
        } else if w.int || w.signed || w.unsigned {
            Type::Int(IntType::new(32, !w.unsigned).called(Name::Int))
        } else if at.start < at.end {
            Type::INT // implicit int
        } else {
            return self.invalid(at, "a declaration without a type");
        })
    }

    fn new_record(&mut self, name: &str, union: bool) -> RecordId {
        let id = self.unit.records.declare(name.to_string(), union);
        self.scopes.last_mut().expect("a scope").tags.insert(name.to_string(), Tag::Record(id));
        id
    }

    /// Declares a type of the innermost scope, if it has none of the name.
    pub(super) fn declare_record(&mut self, name: &str, union: bool) {
        if self.scopes.last().is_some_and(|s| !s.tags.contains_key(name)) {
            self.new_record(name, union);
        }
    }

    /// Types that are defined among parameters would end with them, or with the function.
    pub(super) fn among_parameters<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.in_parameters, true);
        let out = f(self);
        self.in_parameters = outer;
        out
    }

    /// A type is defined here.
    fn begin_definition(&mut self, at: AstSpan) -> Res<()> {
        self.defines();
        match self.in_parameters {
            true => self.unsupported(at, "a type that is defined in a list of parameters"),
            false => Ok(()),
        }
    }

    fn record(&mut self, s: &Ast<ast::StructType>, behind: &[Ast<ast::Extension>]) -> Res<RecordId> {
        let union = s.node.kind.node == ast::StructKind::Union;
        let name = s.node.identifier.as_ref().map(|i| i.node.name.clone());
        if s.node.declarations.is_some() {
            self.begin_definition(s.span)?;
        }
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
                    _ => self.new_record(n, union),
                }
            }
            None => self.unit.records.declare(ANONYMOUS.into(), union),
        };
        if let Some(declarations) = &s.node.declarations {
            let mut members = Vec::new();
            for d in declarations {
                if let ast::StructDeclaration::Field(f) = &d.node {
                    self.stating(self.sites_after(), |me| me.members(f, &mut members))?;
                }
            }
            let mut marks = self.keyword_marks(s.span.start);
            self.marks(behind, &mut marks)?;
            // As gcc: what counts is the pragma that holds at the closing brace.
            let limit = self.pack_at(s.span.end);
            let packing = Packing { packed: marks.packed, align: marks.align, limit };
            self.unit.records.complete(id, members, packing, self.options.data_model);
            self.rely_on_record(id, name.as_deref(), s.span);
        }
        Ok(id)
    }

    fn members(&mut self, f: &Ast<ast::StructField>, members: &mut Vec<Member>) -> Res<()> {
        let base = self.qualified(&f.node.specifiers, f.span)?;
        // A struct or union without a tag is a member; any other type is only declared.
        let unnamed = |s: &Ast<ast::SpecifierQualifier>| match &s.node {
            ast::SpecifierQualifier::TypeSpecifier(t) => {
                matches!(&t.node, ast::TypeSpecifier::Struct(r) if r.node.identifier.is_none())
            }
            _ => false,
        };
        if f.node.declarators.is_empty() && f.node.specifiers.iter().any(unnamed) {
            let (ty, type_align) = (base.ty.clone(), base.align);
            let (align, packed, volatile) = (base.marks.align, base.marks.packed, base.volatile);
            members.push(Member {
                name: String::new(),
                ty,
                width: None,
                align,
                type_align,
                packed,
                volatile,
                qualifiers: base.qualifiers,
            });
        }
        for d in &f.node.declarators {
            let mut marks = base.marks.clone();
            let (name, ty) = match &d.node.declarator {
                Some(decl) => {
                    self.marks(&decl.node.extensions, &mut marks)?;
                    self.declarator(base.ty.clone(), (base.volatile, base.qualifiers), decl)?
                }
                None => (String::new(), base.ty.clone()),
            };
            let ty = self.with_mode(ty, &marks);
            if let Type::Array(_, Len::Variable(_)) = ty {
                return self.unsupported(d.span, "a struct with an array of variable length");
            }
            let width = match &d.node.bit_width {
                Some(e) => match (u32::try_from(self.constant(e)?), &ty) {
                    (Ok(_), Type::Int(t)) if t.is_int128() => {
                        return self.unsupported(e.span, "a bit-field of type `__int128`");
                    }
                    (Ok(w), Type::Int(t)) if w <= t.bits => Some(w),
                    _ => return self.invalid(e.span, "the width of a bit-field"),
                },
                None => None,
            };
            let type_align = base.align_of(&ty);
            if let (Some(_), Some(align), Type::Int(t)) = (width, type_align, &ty)
                && align > t.size()
            {
                return self.unsupported(d.span, "a bit-field of a type that is aligned beyond its size");
            }
            let volatile = d.node.declarator.as_ref();
            let volatile = volatile.map_or(base.volatile, |x| declares_volatile(base.volatile, x));
            let qualifiers = d.node.declarator.as_ref();
            let qualifiers = qualifiers.map_or(base.qualifiers, |x| declared_qualifiers(base.qualifiers, x));
            let (align, packed) = (marks.align, marks.packed);
            members.push(Member { name, ty, width, align, type_align, packed, volatile, qualifiers });
        }
        Ok(())
    }

    fn enumeration(&mut self, e: &Ast<ast::EnumType>, behind: &[Ast<ast::Extension>]) -> Res<IntType> {
        let name = e.node.identifier.as_ref().map(|i| i.node.name.clone());
        if e.node.enumerators.is_empty() {
            let found = name.as_ref().and_then(|n| self.scopes.iter().rev().find_map(|c| c.tags.get(n)));
            return Ok(match found {
                Some(Tag::Enum(t)) => *t,
                Some(Tag::Record(_)) => return self.invalid(e.span, "the tag of a struct"),
                // gcc lets an enum be mentioned before its definition, which must then agree with this.
                None => {
                    let ty = IntType::UINT.called(Name::Unknown);
                    if let Some(n) = name {
                        self.scopes[0].tags.insert(n, Tag::Enum(ty));
                    }
                    ty
                }
            });
        }
        self.begin_definition(e.span)?;
        let mut marks = self.keyword_marks(e.span.start);
        self.marks(behind, &mut marks)?;
        let (mut next, mut least, mut greatest) = (0i128, 0, 0);
        // Inside the braces an enumerator has the type of its value, which the next one inherits.
        let mut own = IntType::INT;
        let mut constants: Vec<(String, i128)> = Vec::new();
        for (i, c) in e.node.enumerators.iter().enumerate() {
            if let Some(v) = &c.node.expression {
                // Behind the enum, a name in it may be another one, or have another type.
                let hides = |c: &Ast<ast::Enumerator>| self.lookup(&c.node.identifier.node.name).is_some();
                let changes = |(_, value): &(String, i128)| !IntType::INT.contains(*value);
                let sites = match e.node.enumerators[i..].iter().any(hides) || constants.iter().any(changes) {
                    true => Sites::default(),
                    false => self.sites_after(),
                };
                let ty;
                (next, ty) = self.stating(sites, |me| me.typed_constant(v))?;
                own = match ty {
                    Type::Int(t) => t,
                    _ => return self.invalid(v.span, "an enumerator that is no integer"),
                };
            }
            (least, greatest) = (least.min(next), greatest.max(next));
            if IntType::INT.contains(next) {
                own = IntType::INT;
            } else if !own.contains(next) {
                return self.unsupported(c.span, "an enumerator that its type does not hold");
            }
            let name = c.node.identifier.node.name.clone();
            self.declare(&name, Symbol::Constant(next, own));
            constants.push((name, next));
            next += 1;
        }
        // As gcc: the narrowest type from `int` on (from `char` on if packed) that holds all values; unsigned
        // unless one is negative.
        let widths: &[u32] = if marks.packed { &[8, 16, 32, 64] } else { &[32, 64] };
        let own = Name::Enum(e.span.start as u32);
        let mut types = widths.iter().map(|&bits| IntType::new(bits, least < 0).called(own));
        let Some(ty) = types.find(|t| t.contains(least) && t.contains(greatest)) else {
            return self.unsupported(e.span, "an enum that no integer type holds");
        };
        self.rely_on_enum(name.as_deref(), &constants, ty, e.span);
        for (name, value) in constants {
            let ty = if IntType::INT.contains(value) { IntType::INT } else { ty };
            self.declare(&name, Symbol::Constant(value, ty));
        }
        if let Some(n) = name {
            if let Some(Tag::Enum(forward)) = self.scopes.last().and_then(|s| s.tags.get(&n))
                && *forward != ty
            {
                return self.unsupported(e.span, "an enum that is used before its definition");
            }
            self.scopes.last_mut().expect("a scope").tags.insert(n, Tag::Enum(ty));
        }
        Ok(ty)
    }

    /// Applies a declarator to a base type, which is `volatile` or not and has qualifiers: the declared name
    /// (empty if abstract) and its type.
    pub(super) fn declarator(
        &mut self,
        base: Type,
        (volatile, qualifiers): (bool, Qualifiers),
        d: &Ast<ast::Declarator>,
    ) -> Res<(String, Type)> {
        let (pointers, rest): (Vec<_>, Vec<_>) = d.node.derived.iter().partition(|x| {
            matches!(x.node, ast::DerivedDeclarator::Pointer(_) | ast::DerivedDeclarator::Block(_))
        });
        // An effect in one of them, beside another one that is no constant.
        let lengths = lengths(&d.node);
        let varying = lengths.iter().filter(|e| !self.is_constant(&e.node)).count() > 1;
        if varying && lengths.iter().any(|e| has_effects(&e.node)) && self.builder.is_some() {
            return self.unsupported(d.span, "lengths of arrays whose order of evaluation is open");
        }
        let base = (base, volatile, qualifiers);
        let (mut ty, volatile, qualifiers) = pointers.iter().fold(base, |(t, volatile, qualifiers), x| {
            let ty = t.pointer_to_qualified(volatile, qualifiers);
            (ty, has_qualifier(&x.node, &ast::TypeQualifier::Volatile), own_qualifiers(&x.node))
        });
        for x in rest.iter().rev() {
            ty = match &x.node {
                ast::DerivedDeclarator::Array(a) => {
                    let len = self.array_length(a)?;
                    if let Len::Fixed(n) = len {
                        // Of a type that is not complete yet, one byte counts.
                        let element = self.unit.records.size_of(&ty, self.options.data_model).unwrap_or(1);
                        if element.checked_mul(n).is_none_or(|bytes| bytes > LARGEST) {
                            return self.invalid(x.span, "unsupported: an array of more than 2^48 bytes");
                        }
                    }
                    Type::Array(Arc::new(ty), len)
                }
                // The parser takes `int (*)()` for a prototype.
                ast::DerivedDeclarator::Function(f)
                    if f.node.parameters.is_empty()
                        && f.node.ellipsis == ast::Ellipsis::None
                        && !self.options.is_c23() =>
                {
                    Type::Function(Arc::new(FunctionType { result: ty, params: None, variadic: false }))
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
            ast::DeclaratorKind::Declarator(inner) => {
                // What is inside applies to the elements of an array, or to a function.
                let function = rest.iter().any(|x| !matches!(x.node, ast::DerivedDeclarator::Array(_)));
                let qualifiers = if function { Qualifiers::NONE } else { qualifiers };
                self.declarator(ty, (volatile && !function, qualifiers), inner)
            }
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
}

/// Does the specifier define a struct, union or enum?
fn defines_tag(t: &Ast<ast::TypeSpecifier>) -> bool {
    match &t.node {
        ast::TypeSpecifier::Struct(s) => s.node.declarations.is_some(),
        ast::TypeSpecifier::Enum(e) => !e.node.enumerators.is_empty(),
        _ => false,
    }
}
