//! From the parser's syntax tree to the intermediate program: names, types, conversions, sequencing.
//!
//! A construct that is not C (an undeclared name, a missing member) is an error and ends the translation. A
//! construct that is C but not supported becomes an [`crate::ir::NodeKind::Unsupported`] node (or
//! expression): a program gets no verdict only if it can reach such a node.

mod allocate;
mod arguments;
mod arrays;
mod assembly;
mod assign;
mod atomics;
mod attributes;
mod builder;
mod builtin;
mod bytes;
mod calendar;
mod call;
mod cleanup;
mod condition;
mod constant;
mod constructors;
mod convert;
mod decl;
mod escape;
mod exact;
mod expr;
mod float;
mod formats;
mod gnu;
mod init;
mod input;
mod jump;
mod named;
mod order;
mod outside;
mod own_use;
mod parameters;
mod place;
mod prototypes;
mod qualifiers;
mod relied;
mod rows;
mod stmt;
mod text;
mod typename;
mod undeclared;
mod variadic;

use std::sync::Arc;

use lang_c::ast;
use lang_c::span::Node as Ast;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::confirm::Facts;
use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::ir::{Expr, FuncId, Span, Unit, VarRef};
use crate::known::Scan;
use crate::options::{COptions, IntMode};
use crate::source::Source;
use crate::types::{FunctionType, IntType, Len, Qualifiers, RecordId, Type};
pub(crate) use attributes::{acts, changes};
use builder::Builder;
pub(crate) use constant::{fold, is_same, is_zero};
pub(crate) use float::ROUNDING;
pub(crate) use text::bytes_of;
pub(crate) use variadic::HIDDEN;

/// A type that a name stands for.
#[derive(Clone, Debug)]
struct Typedef {
    ty: Type,
    /// Its alignment, if the typedef sets it.
    align: Option<u64>,
    volatile: bool,
    qualifiers: Qualifiers,
}

/// What a name stands for.
#[derive(Clone, Debug)]
enum Symbol {
    Typedef(Typedef),
    Constant(i128, IntType),
    Var(VarRef, Type),
    Func(FuncId),
    /// A local array of arrays of variable length: the variable, its type, and that of the array.
    Flat(u32, Type, Type),
    /// `envp` of the entry function.
    Argument,
    /// `argv` of it, and whether there are more than are modelled.
    Arguments(u32, Type, Expr),
    /// A type that cannot be modelled: why, and where it was declared.
    Refused(String),
}

/// What a tag stands for.
#[derive(Clone, Copy, Debug)]
enum Tag {
    Record(RecordId),
    Enum(IntType),
}

#[derive(Default)]
struct Scope {
    names: FxHashMap<String, Symbol>,
    /// What declarations say about variables besides their types.
    about: FxHashMap<String, exact::About>,
    /// The functions of which a prototype is visible.
    prototypes: FxHashSet<String>,
    tags: FxHashMap<String, Tag>,
    /// It has no place where the compiler can be asked about what is declared in it.
    narrow: bool,
}

/// Why something is not translated.
#[derive(Debug)]
enum Problem {
    /// Not C: the program is refused.
    Invalid(Diagnostic),
    /// C, but not supported: a run that reaches it gives no verdict.
    Unsupported(String),
}

type Res<T> = Result<T, Problem>;

struct Lowerer<'a> {
    options: &'a COptions,
    sources: &'a [Source],
    /// The attributes and pragmas of each source.
    scans: &'a [Scan],
    unit_index: u32,
    unit: Unit,
    /// Names with external linkage, across all translation units.
    linked: FxHashMap<String, Symbol>,
    /// Expressions, by their place in the text, that have no effects by their form and whose time matters all
    /// the same, see [`Lowerer::pure`].
    timed: FxHashSet<(usize, usize)>,
    scopes: Vec<Scope>,
    /// String literals, by where they stand.
    strings: FxHashMap<(u32, u32, Vec<u8>), u32>,
    /// The functions with external linkage that have a body in some translation unit.
    defined: FxHashSet<String>,
    /// The functions with a body that only their translation unit knows: its index and the name.
    own: FxHashSet<(u32, String)>,
    /// Where functions are defined.
    definitions: FxHashMap<FuncId, decl::Definition>,
    /// The last call of whose result only the sign is used.
    sign_only: Option<lang_c::span::Span>,
    /// The last expression whose value is not used.
    unused_call: Option<lang_c::span::Span>,
    /// The names in the function that are not only used with two indices.
    as_pointers: FxHashSet<String>,
    /// What runs before and after `main`.
    hooks: constructors::Hooks,
    /// The names that `getenv` is asked for.
    environment: Vec<Vec<u8>>,
    /// The functions that a translation unit says are weak: its index and the name.
    weak: FxHashSet<(u32, String)>,
    /// Functions that cannot be called, by name: why.
    refused: FxHashMap<String, String>,
    /// The functions that some file calls without a declaration, and where.
    undeclared: FxHashMap<String, String>,
    /// The global variables that have an initialiser.
    initialised: FxHashSet<u32>,
    builder: Option<Builder>,
    /// What the translation relies on.
    facts: Facts,
    /// Where that can be stated now.
    sites: relied::Sites,
    /// Counts scopes and declarations: as long as the count stays the same, names keep their meaning.
    generation: u32,
    /// Structs without a tag whose layout was stated.
    named: FxHashSet<RecordId>,
    /// Where the innermost block ends.
    scope_end: u32,
    /// The structs of variable arguments.
    lists: Option<variadic::Lists>,
    /// A type like `_Float32` was named.
    float_n: bool,
    /// The places of the observables.
    observed: FxHashSet<(u32, u32, u32)>,
    /// What calls of `scanf` read, see [`input::scanned`].
    scanned: Option<char>,
    /// Does the program change the rounding mode?
    changes_rounding: bool,
    /// The variable that holds it, if so.
    rounding: Option<VarRef>,
    /// Is this computed by the compiler, as the initialisers of static objects?
    at_translation: bool,
    /// The parameters of a function are declared.
    in_parameters: bool,
}

/// Lowers all translation units into one linked program.
pub(crate) fn lower(
    trees: &[Arc<ast::TranslationUnit>],
    sources: &[Source],
    scans: &[Scan],
    options: &COptions,
) -> Result<(Unit, Facts), Diagnostics> {
    let mut lowerer = Lowerer {
        options,
        sources,
        scans,
        unit_index: 0,
        unit: Unit::default(),
        linked: FxHashMap::default(),
        timed: FxHashSet::default(),
        scopes: Vec::new(),
        strings: FxHashMap::default(),
        defined: FxHashSet::default(),
        own: FxHashSet::default(),
        definitions: FxHashMap::default(),
        sign_only: None,
        unused_call: None,
        as_pointers: FxHashSet::default(),
        hooks: constructors::Hooks::default(),
        environment: Vec::new(),
        weak: FxHashSet::default(),
        refused: FxHashMap::default(),
        undeclared: FxHashMap::default(),
        initialised: FxHashSet::default(),
        builder: None,
        facts: Facts::default(),
        sites: relied::Sites::default(),
        generation: 1,
        named: FxHashSet::default(),
        observed: FxHashSet::default(),
        scope_end: 0,
        lists: None,
        float_n: false,
        scanned: input::scanned(trees),
        changes_rounding: crate::library::used(trees).contains("fesetround"),
        rounding: None,
        at_translation: false,
        in_parameters: false,
    };
    for (i, tree) in trees.iter().enumerate() {
        for (name, of_file) in functions_of(tree, &|_| true) {
            let _ = match of_file {
                true => lowerer.own.insert((i as u32, name)),
                false => lowerer.defined.insert(name),
            };
        }
    }
    for (i, tree) in trees.iter().enumerate() {
        lowerer.unit_index = i as u32;
        for item in &tree.0 {
            lowerer.refuse_attributes(item)?;
        }
    }
    lowerer.declare_hooks();
    for (i, tree) in trees.iter().enumerate() {
        lowerer.unit_index = i as u32;
        lowerer.scopes = vec![Scope::default()];
        for item in &tree.0 {
            lowerer.external(item).map_err(Diagnostics::from)?;
        }
    }
    lowerer.define_hooks()?;
    lowerer.refuse_bodies();
    // `int a[];` that no other declaration completes has one element (C11 6.9.2p5).
    for g in lowerer.unit.globals.iter_mut().filter(|g| !g.external) {
        if let Type::Array(_, len @ Len::Unknown) = &mut g.var.ty {
            *len = Len::Fixed(1);
        }
    }
    crate::order::resolve(&mut lowerer.unit, options);
    crate::jumps::resolve(&mut lowerer.unit, &options.function, sources);
    crate::lifetime::insert(&mut lowerer.unit);
    Ok((lowerer.unit, lowerer.facts))
}

/// The names of the functions a tree defines.
pub(crate) fn defined_functions(tree: &ast::TranslationUnit) -> impl Iterator<Item = String> + '_ {
    functions_of(tree, &|_| true).into_iter().map(|f| f.0)
}

/// The functions that a tree defines at the offsets that are asked for.
pub(crate) fn functions_of(
    tree: &ast::TranslationUnit,
    wanted: &dyn Fn(usize) -> bool,
) -> Vec<(String, bool)> {
    let here = tree.0.iter().filter(|item| wanted(item.span.start));
    let names = here.filter_map(|item| {
        let ast::ExternalDeclaration::FunctionDefinition(f) = &item.node else { return None };
        let of_file = |s: &Ast<ast::DeclarationSpecifier>| match &s.node {
            ast::DeclarationSpecifier::StorageClass(c) => c.node == ast::StorageClassSpecifier::Static,
            _ => false,
        };
        Some((declared_name(&f.node.declarator)?, f.node.specifiers.iter().any(of_file)))
    });
    names.collect()
}

/// The name a declarator declares.
pub(crate) fn declared_name(d: &Ast<ast::Declarator>) -> Option<String> {
    match &d.node.kind.node {
        ast::DeclaratorKind::Declarator(inner) => declared_name(inner),
        ast::DeclaratorKind::Identifier(i) => Some(i.node.name.clone()),
        ast::DeclaratorKind::Abstract => None,
    }
}

/// The names a declaration declares.
fn declared_names(d: &ast::Declaration) -> Vec<String> {
    d.declarators.iter().filter_map(|x| declared_name(&x.node.declarator)).collect()
}

impl<'a> Lowerer<'a> {
    fn external(&mut self, item: &Ast<ast::ExternalDeclaration>) -> Result<(), Diagnostic> {
        let span = item.span;
        let relied = self.facts.len();
        let result = match &item.node {
            ast::ExternalDeclaration::Declaration(d) => {
                self.stating(relied::Sites::behind(span), |me| me.declaration(d))
            }
            ast::ExternalDeclaration::StaticAssert(_) => Ok(()),
            ast::ExternalDeclaration::FunctionDefinition(f) => {
                self.stating(relied::Sites::behind(span), |me| me.function(f))
            }
        };
        // An attribute that is refused may say something about a tag, and is no reason of this kind.
        let result = match result {
            Err(Problem::Unsupported(what)) if self.is_one_file() && self.refuse_names(item, &what) => Ok(()),
            other => other,
        };
        if self.is_refused(item) {
            self.facts.forget(relied);
        }
        let result = result.and_then(|()| self.refuse_unclaimed(item));
        result.map_err(|p| match p {
            Problem::Invalid(d) => d,
            Problem::Unsupported(what) => {
                Diagnostic::at(self.source(), span.start, span.end, format!("unsupported: {what}"))
            }
        })
    }

    /// Has the function that this file means by a name a body?
    fn is_defined(&self, name: &str) -> bool {
        self.defined.contains(name) || self.own.contains(&(self.unit_index, name.to_string()))
    }

    /// Is the program one file, apart from the models of the library?
    fn is_one_file(&self) -> bool {
        self.sources.iter().filter(|s| !s.is_named(crate::LIBRARY)).count() == 1
    }

    /// Makes the uses of what a declaration declares unsupported. False if that is not enough.
    fn refuse_names(&mut self, item: &Ast<ast::ExternalDeclaration>, what: &str) -> bool {
        let names: Vec<String> = match &item.node {
            ast::ExternalDeclaration::Declaration(d) => declared_names(&d.node),
            ast::ExternalDeclaration::FunctionDefinition(f) => {
                declared_name(&f.node.declarator).into_iter().collect()
            }
            ast::ExternalDeclaration::StaticAssert(_) => return false,
        };
        if names.is_empty() || names.contains(&self.options.function) {
            return false;
        }
        self.builder = None;
        self.scopes.truncate(1);
        for name in names {
            self.linked.remove(&name);
            self.declare(&name, Symbol::Refused(what.to_string()));
        }
        true
    }

    fn source(&self) -> &'a Source {
        &self.sources[self.unit_index as usize]
    }

    fn span(&self, s: lang_c::span::Span) -> Span {
        Span { unit: self.unit_index, start: s.start as u32, end: s.end as u32 }
    }

    fn invalid<T>(&self, s: lang_c::span::Span, message: impl Into<String>) -> Res<T> {
        Err(Problem::Invalid(Diagnostic::at(self.source(), s.start, s.end, message)))
    }

    /// An unsupported construct, with its place in the message.
    fn unsupported<T>(&self, s: lang_c::span::Span, what: &str) -> Res<T> {
        Err(Problem::Unsupported(self.located(s, what)))
    }

    fn located(&self, s: lang_c::span::Span, what: &str) -> String {
        format!("{what}, {}", self.source().position(s.start))
    }

    fn lookup(&self, name: &str) -> Option<&Symbol> {
        self.scopes.iter().rev().find_map(|s| s.names.get(name))
    }

    fn declare(&mut self, name: &str, symbol: Symbol) {
        self.scopes.last_mut().expect("a scope").names.insert(name.to_string(), symbol);
    }

    /// Declares a function; an earlier prototype that is still visible stays so (C11 6.2.7p4).
    fn declare_function(&mut self, name: &str, f: FuncId, prototype: bool) {
        let prototype = prototype || self.has_prototype(name);
        self.declare(name, Symbol::Func(f));
        if prototype {
            self.scopes.last_mut().expect("a scope").prototypes.insert(name.to_string());
        }
    }

    /// Is a prototype of the function visible, so that calls convert their arguments?
    fn has_prototype(&self, name: &str) -> bool {
        let scope = self.scopes.iter().rev().find(|s| s.names.contains_key(name));
        scope.is_some_and(|s| s.prototypes.contains(name))
    }

    /// The type of a function that is visible here.
    fn visible_signature(&self, name: &str, f: FuncId) -> Arc<FunctionType> {
        let known = self.unit.function(f).signature();
        if self.has_prototype(name) || known.params.is_none() {
            return known;
        }
        Arc::new(FunctionType { result: known.result.clone(), params: None, variadic: false })
    }

    fn at_file_scope(&self) -> bool {
        self.scopes.len() == 1
    }

    fn math(&self) -> bool {
        self.options.int_mode == IntMode::Math
    }

    /// The graph under construction; expressions with effects outside functions are invalid before they get
    /// here.
    fn b(&mut self) -> &mut Builder {
        self.builder.as_mut().expect("inside a function")
    }

    /// Saves a value, so that later effects do not change it; outside functions there are none.
    fn save(&mut self, value: Expr) -> Expr {
        match &mut self.builder {
            Some(b) => b.save(value),
            None => value,
        }
    }

    /// Does lowering an expression add to the graph? Outside functions there is none, and effects are refused
    /// where they stand.
    fn acts(&self, e: &Ast<ast::Expression>) -> bool {
        let timed = || self.timed.contains(&(e.span.start, e.span.end));
        self.builder.is_some() && (constant::has_effects(&e.node) || timed())
    }

    fn scoped<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(Scope::default());
        self.generation += 1;
        let outer = self.builder.as_mut().map(Builder::enter_block);
        let out = f(self);
        if let (Some(b), Some(outer)) = (&mut self.builder, outer) {
            b.scope = outer;
        }
        self.scopes.pop();
        self.generation += 1;
        out
    }

    /// A selection or iteration statement, or a part of one that is no block itself: types that are defined
    /// in it end with it (6.8.4, 6.8.5), and so do its compound literals, if it `has_literals`. C90 has none.
    fn named_inside<T>(&mut self, has_literals: bool, f: impl FnOnce(&mut Self) -> T) -> T {
        if self.options.is_c90() {
            return f(self);
        }
        self.scopes.push(Scope { narrow: true, ..Scope::default() });
        let outer = self.builder.as_mut().filter(|_| has_literals).map(Builder::enter_block);
        let out = self.stating(self.sites, f);
        if let (Some(b), Some(outer)) = (&mut self.builder, outer) {
            b.scope = outer;
        }
        let inside = self.scopes.pop().expect("the scope");
        self.generation += u32::from(!inside.names.is_empty() || !inside.tags.is_empty());
        out
    }

    /// A block that ends there.
    fn scoped_until<T>(&mut self, end: usize, f: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.scope_end, end as u32);
        let out = self.scoped(f);
        self.scope_end = outer;
        out
    }

    /// `size_t`.
    fn size_type(&self) -> Type {
        Type::Int(IntType::word(self.options.data_model, false))
    }
}
