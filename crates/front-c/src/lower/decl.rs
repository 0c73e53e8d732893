//! Declarations and function definitions; linkage between translation units.
//!
//! Names with external linkage are found again in `linked` across the units, those with internal linkage only
//! in their own. A variable that is only declared (`extern`) stays external: its value is arbitrary.
//! Tentative definitions and array lengths that come later complete the earlier ones.

use std::sync::Arc;

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};
use lang_c::visit::Visit as _;

use super::attributes::Marks;
use super::builder::{Builder, OPEN};
use super::constructors::Hook;
use super::exact::About;
use super::init::Entry;
use super::parameters::{Parameter, Seen};
use super::qualifiers::{adjust, declared_qualifiers, declares, declares_volatile};
use super::relied::Sites;
use super::typename::Specified;
use super::{HIDDEN, Lowerer, Problem, Res, Symbol, Typedef, arguments, rows};
use crate::ir::{
    Expr, ExprKind, FuncId, Global, Instr, NodeId, NodeKind, Part, Place, Span, VarRef, Variable,
};
use crate::known::is_of_linker;
use crate::library::HANDLERS;
use crate::types::{FunctionType, Len, Param, Qualifiers, Type};

/// What is wrong with a function that two files declare differently.
pub(super) const CLASH: &str = "another type than that in another file";

/// Where a function is defined.
pub(super) struct Definition {
    pub(super) span: Span,
    inline: bool,
}

impl Lowerer<'_> {
    /// Why a function cannot be used here, if it cannot. One with a body says what else is wrong with it.
    pub(super) fn unusable(&self, name: &str) -> Option<&String> {
        let defined = self.is_defined(name);
        self.refused.get(name).filter(|what| !defined || what.starts_with(CLASH))
    }

    pub(super) fn declaration(&mut self, d: &Ast<ast::Declaration>) -> Res<()> {
        self.redeclare_tag(d);
        let specified = self.specifiers(&d.node.specifiers, d.span)?;
        let mut result = Ok(());
        for (i, declarator) in d.node.declarators.iter().enumerate() {
            // The first declarator sees the names from before, the others those that the declaration
            // declares.
            let sites = if i == 0 { self.sites } else { self.sites_after() };
            let (name, ty) = self.stating(sites, |me| {
                let base = (specified.volatile, specified.qualifiers);
                me.declarator(specified.ty.clone(), base, &declarator.node.declarator)
            })?;
            let mut marks = specified.marks.clone();
            self.marks(&declarator.node.declarator.node.extensions, &mut marks)?;
            let ty = self.with_mode(ty, &marks);
            let init = declarator.node.initializer.as_ref();
            let volatile = declares_volatile(specified.volatile, &declarator.node.declarator);
            let constant =
                declares(specified.constant, &declarator.node.declarator, &ast::TypeQualifier::Const);
            let qualifiers = declared_qualifiers(specified.qualifiers, &declarator.node.declarator);
            let own = marks.clone();
            let specified = Specified { volatile, constant, qualifiers, marks: own, ..specified.clone() };
            let declared = self.stating(self.sites_after(), |me| {
                me.declare_one(&name, ty, &specified, &marks, init, declarator.span)
            });
            // What cannot be translated in one initialiser does not undo the other declarations.
            result = result.and(declared);
        }
        result
    }

    /// `struct s;` declares a type of this block, whatever `struct s` is around it (6.7.2.3).
    fn redeclare_tag(&mut self, d: &Ast<ast::Declaration>) {
        for s in d.node.specifiers.iter().filter(|_| d.node.declarators.is_empty()) {
            if let ast::DeclarationSpecifier::TypeSpecifier(t) = &s.node
                && let ast::TypeSpecifier::Struct(r) = &t.node
                && let (Some(name), None) = (&r.node.identifier, &r.node.declarations)
            {
                self.declare_record(&name.node.name, r.node.kind.node == ast::StructKind::Union);
            }
        }
    }

    fn declare_one(
        &mut self,
        name: &str,
        ty: Type,
        specified: &Specified,
        marks: &Marks,
        init: Option<&Ast<ast::Initializer>>,
        at: AstSpan,
    ) -> Res<()> {
        use ast::StorageClassSpecifier as S;
        let storage = &specified.storage;
        let align = marks.align.or(specified.align_of(&ty));
        let model = self.options.data_model;
        if align.is_some() && self.unit.records.size_of(&ty, model).is_some() {
            let natural = self.unit.records.align_of(&ty, model);
            self.unit.loosely_aligned |= align.is_some_and(|a| a < natural);
        }
        if *storage == Some(S::Typedef) {
            self.rely_on_typedef(name, &ty, align.is_some(), at);
            let Specified { volatile, qualifiers, .. } = *specified;
            self.declare(name, Symbol::Typedef(Typedef { ty, align, volatile, qualifiers }));
        } else if let Type::Function(_) = ty {
            let prototype = matches!(&ty, Type::Function(t) if t.params.is_some());
            let f = self.function_symbol(name, ty, *storage == Some(S::Static), at);
            self.unit.functions[f.0 as usize].noreturn |= marks.noreturn;
            self.mark_hooks(f, marks)?;
            self.label_function(name, marks, at);
            self.declare_function(name, f, prototype);
        } else {
            self.declare_variable(name, ty, (specified, align), init, at)?;
        }
        Ok(())
    }

    fn declare_variable(
        &mut self,
        name: &str,
        ty: Type,
        (specified, align): (&Specified, Option<u64>),
        init: Option<&Ast<ast::Initializer>>,
        at: AstSpan,
    ) -> Res<()> {
        use ast::StorageClassSpecifier as S;
        let storage = &specified.storage;
        if !specified.aligned_as {
            let before = self.scopes.last().and_then(|s| s.about.get(name)).and_then(|a| a.align);
            self.declare_about(name, About { qualifiers: specified.qualifiers, align: align.max(before) });
        }
        if *storage == Some(S::ThreadLocal) {
            return self.unsupported(at, "thread-local variable");
        }
        let declared = if self.at_file_scope() || matches!(storage, Some(S::Extern | S::Static)) {
            self.global(name, ty, specified, init, at)
        } else {
            self.local(name, ty, specified, init, at)
        };
        if let (Some(align), Some(Symbol::Var(v, _))) = (align, self.lookup(name)) {
            let var = match *v {
                VarRef::Global(g) => &mut self.unit.globals[g as usize].var,
                VarRef::Local(l) => &mut self.b().vars[l as usize],
            };
            var.align = var.align.max(align);
        }
        declared
    }

    /// The function of this name, declared now if it is new.
    fn function_symbol(&mut self, name: &str, ty: Type, is_static: bool, at: AstSpan) -> FuncId {
        let file_scope = self.scopes[0].names.get(name);
        let known = match file_scope {
            Some(Symbol::Func(f)) => Some(*f),
            _ if is_static => None,
            _ => match self.linked.get(name) {
                Some(Symbol::Func(f)) => Some(*f),
                _ => None,
            },
        };
        if let Some(f) = known {
            let elsewhere = file_scope.is_none();
            if elsewhere && !self.unit.records.compatible(&self.unit.function(f).ty, &ty) {
                let what = match self.undeclared.get(name) {
                    Some(call) => format!("{CLASH}, which calls it without a declaration at {call}"),
                    None => CLASH.to_string(),
                };
                let what = self.located(at, &what);
                self.refused.insert(name.to_string(), what);
            }
            let function = &mut self.unit.functions[f.0 as usize];
            // A prototype says more than `f()`.
            if let (Type::Function(old), Type::Function(new)) = (&function.ty, &ty)
                && old.params.is_none()
                && new.params.is_some()
            {
                function.ty = ty;
            }
            return f;
        }
        let span = self.span(at);
        let f = self.unit.declare(name, ty, span);
        self.unit.functions[f.0 as usize].exported = !is_static;
        if !is_static {
            self.linked.insert(name.to_string(), Symbol::Func(f));
        }
        self.scopes[0].names.insert(name.to_string(), Symbol::Func(f));
        f
    }

    fn global(
        &mut self,
        name: &str,
        mut ty: Type,
        specified: &Specified,
        init: Option<&Ast<ast::Initializer>>,
        at: AstSpan,
    ) -> Res<()> {
        use ast::StorageClassSpecifier as S;
        let (storage, volatile) = (&specified.storage, specified.volatile);
        let is_static = *storage == Some(S::Static);
        let is_extern = *storage == Some(S::Extern) && init.is_none();
        if is_extern && is_of_linker(name) {
            let what = self.located(at, &format!("`{name}`, which linkers define"));
            self.declare(name, Symbol::Refused(what));
            return Ok(());
        }
        // `extern` of what the file declared `static` names that one (C11 6.2.2p4).
        let here = self.scopes[0].names.get(name).filter(|s| matches!(s, Symbol::Var(..) | Symbol::Func(_)));
        let known = match (self.at_file_scope() || is_extern, is_static) {
            (true, false) => here.or_else(|| self.linked.get(name)).cloned(),
            (true, true) => here.cloned(),
            _ => None,
        };
        let g = match known {
            Some(Symbol::Var(VarRef::Global(g), _)) => {
                if !self.unit.records.compatible(&self.unit.globals[g as usize].var.ty, &ty) {
                    return self.invalid(at, format!("`{name}` was declared with another type"));
                }
                g
            }
            Some(Symbol::Func(_)) => return self.invalid(at, format!("`{name}` was declared as a function")),
            _ => {
                let shown = match &self.builder {
                    Some(b) if is_static => format!("{}::{name}", b.name),
                    _ => name.to_string(),
                };
                let g = self.unit.globals.len() as u32;
                let start = at.end as u32;
                let everywhere = Span { end: u32::MAX, start, ..self.span(at) };
                let var = Variable {
                    volatile,
                    constant: specified.constant,
                    visible: self.at_file_scope().then_some(everywhere),
                    ..Variable::new(shown, ty.clone())
                };
                let exported = !is_static && (self.at_file_scope() || is_extern);
                let init = Vec::new();
                self.unit.globals.push(Global { var, init, external: true, exported, literal: false });
                if name == crate::library::ROUNDING && self.changes_rounding {
                    self.rounding = Some(VarRef::Global(g));
                }
                if !is_static {
                    self.linked.insert(name.to_string(), Symbol::Var(VarRef::Global(g), ty.clone()));
                }
                g
            }
        };
        if !is_extern {
            self.unit.globals[g as usize].external = false;
            // Another file may have declared it otherwise.
            self.unit.globals[g as usize].var.constant = specified.constant;
        }
        self.unit.globals[g as usize].var.volatile |= volatile;
        let span = self.span(at);
        // Visible in its own initialiser.
        self.declare(name, Symbol::Var(VarRef::Global(g), ty.clone()));
        if let Some(init) = init {
            if !self.initialised.insert(g) {
                return self.invalid(at, format!("`{name}` is defined twice"));
            }
            let entries = self.initialiser(&mut ty, init)?;
            let object = Place::var(VarRef::Global(g), ty.clone(), span);
            self.unit.globals[g as usize].init =
                self.at_translation(|me| me.static_values(&object, entries, at))?;
        }
        // The length may have come from the initialiser or from another declaration.
        let old = &mut self.unit.globals[g as usize].var.ty;
        if matches!(old, Type::Array(_, Len::Unknown)) || matches!(ty, Type::Array(_, Len::Fixed(_))) {
            *old = ty.clone();
        } else {
            ty = old.clone();
        }
        self.rely_on_variable(name, &ty, at);
        let symbol = Symbol::Var(VarRef::Global(g), ty);
        if let Some(Symbol::Var(..)) = self.linked.get(name)
            && self.unit.globals[g as usize].exported
        {
            self.linked.insert(name.to_string(), symbol.clone());
        }
        self.declare(name, symbol);
        Ok(())
    }

    /// What a static object holds at the start.
    pub(super) fn static_values(
        &mut self,
        object: &Place,
        entries: Vec<Entry<'_>>,
        at: AstSpan,
    ) -> Res<Vec<(Place, Expr)>> {
        let mut values = Vec::new();
        for entry in entries {
            let place = self.at_path(object, &entry.path, object.span);
            for (place, value) in self.entry_values(place, &entry)? {
                // Of a floating-point number only that it overwrites the other members of a union
                // matters.
                if !matches!(place.ty, Type::Float(_)) {
                    let value = self.convert(value, place.ty.clone());
                    if reads_object(&value) {
                        return self.unsupported(at, "a static initialiser that is no constant");
                    }
                    values.push((place, value));
                } else if self.in_union(&place) {
                    values.push((place, value));
                }
            }
        }
        Ok(values)
    }

    fn local(
        &mut self,
        name: &str,
        mut ty: Type,
        specified: &Specified,
        init: Option<&Ast<ast::Initializer>>,
        at: AstSpan,
    ) -> Res<()> {
        let (span, ending) = (self.span(at), self.b().ending.len());
        let v = self.b().var(name, ty.clone(), false);
        let scope = Span { start: span.end, end: self.scope_end, ..span };
        self.b().vars[v as usize].visible = Some(scope);
        self.b().vars[v as usize].volatile = specified.volatile;
        self.b().vars[v as usize].constant = specified.constant;
        let symbol = |ty: &Type| Symbol::Var(VarRef::Local(v), ty.clone());
        self.declare(name, symbol(&ty));
        let outer = std::mem::replace(&mut self.b().span, span);
        let done = (|| {
            let Some(init) = init else {
                if let Type::Array(_, Len::Unknown) = ty {
                    return self.invalid(at, "an array without a length");
                }
                // A jump back to before the declaration ends the array (C11 6.2.4p7).
                if ty.is_variable() {
                    self.b().emit(Instr::Scope { left: vec![v], entered: vec![v] });
                }
                if matches!(&ty, Type::Array(row, _) if row.is_variable()) && self.as_pointers.contains(name)
                {
                    self.flat_array(name, v, &ty, span);
                }
                let own = self.b().vars[v as usize].ty.clone();
                self.b().emit(Instr::Havoc(Place::var(VarRef::Local(v), own, span)));
                self.rely_on_variable(name, &ty, at);
                return Ok(());
            };
            let entries = self.initialiser(&mut ty, init)?;
            self.b().vars[v as usize].ty = ty.clone();
            self.declare(name, symbol(&ty));
            self.rely_on_variable(name, &ty, at);
            match &init.node {
                ast::Initializer::Expression(e) => self.observe(e.span, &ty),
                ast::Initializer::List(_) => self.refuse_own_uses(name, &entries)?,
            }
            let object = Place::var(VarRef::Local(v), ty.clone(), span);
            self.run_initialiser(object, entries)
        })();
        self.b().end_temporaries(ending);
        self.b().span = outer;
        done?;
        if let Some((function, at)) = specified.marks.cleanup.clone() {
            let ty = self.b().vars[v as usize].ty.clone();
            self.scan().claim(at.start);
            self.clean_up_later(&function, Place::var(VarRef::Local(v), ty, span), at)?;
        }
        Ok(())
    }

    /// Is this the definition of an inline function that another file has too, in the same words? A call may
    /// use either (C11 6.7.4p7).
    fn repeats(&self, id: FuncId, second: &Definition) -> bool {
        let Some(first) = self.definitions.get(&id) else { return false };
        let words = |d: &Definition| {
            let text = &self.sources[d.span.unit as usize].text;
            text[d.span.start as usize..d.span.end as usize].split_whitespace()
        };
        (first.inline || second.inline)
            && first.span.unit != second.span.unit
            && words(first).eq(words(second))
    }

    /// The parameters of `main` behind the first: the command line, if it is used. The environment is not
    /// modelled.
    fn main_arguments(&mut self, params: &[Parameter], vars: &[u32], body: &Ast<ast::Statement>) {
        let argument = params.get(1).filter(|p| arguments::is_vector(&p.ty));
        if let Some(Parameter { name, ty, .. }) = argument {
            let names = [name.clone()];
            let mut seen = Seen { names: &names, ..Seen::default() };
            seen.visit_statement(&body.node, &body.span);
            if seen.mentions {
                self.b().block_names = arguments::names(name);
                let too_many = self.command_line((vars[0], &params[0].ty), (vars[1], ty));
                self.declare(name, Symbol::Arguments(vars[1], ty.clone(), too_many));
            }
        }
        let rest = params.iter().skip(if argument.is_some() { 2 } else { 1 });
        for p in rest.filter(|p| matches!(p.ty, Type::Pointer(_))) {
            self.declare(&p.name, Symbol::Argument);
        }
    }

    pub(super) fn function(&mut self, f: &Ast<ast::FunctionDefinition>) -> Res<()> {
        let def = &f.node;
        let specified = self.specifiers(&def.specifiers, f.span)?;
        let (name, mut ty) = {
            let base = (specified.volatile, specified.qualifiers);
            self.declarator(specified.ty, base, &def.declarator)?
        };
        let mut marks = specified.marks;
        self.marks(&def.declarator.node.extensions, &mut marks)?;
        let Type::Function(signature) = &ty else {
            return self.invalid(def.declarator.span, "a function body without a function type");
        };
        let signature = signature.clone();
        let (params, lengths) = self.named_params(def)?;
        if signature.params.is_none() {
            let known = params.iter().map(|p| Param { ty: p.ty.clone(), readonly: false }).collect();
            let full =
                FunctionType { result: signature.result.clone(), params: Some(known), variadic: false };
            ty = Type::Function(Arc::new(full));
        }
        let is_static = specified.storage == Some(ast::StorageClassSpecifier::Static);
        let id = self.function_symbol(&name, ty.clone(), is_static, def.declarator.span);
        self.declare_function(&name, id, signature.params.is_some());
        let inline = |s: &Ast<ast::DeclarationSpecifier>| match &s.node {
            ast::DeclarationSpecifier::Function(f) => f.node == ast::FunctionSpecifier::Inline,
            _ => false,
        };
        // `extern` or not, what is behind it is the same.
        let span = Span { start: def.declarator.span.start as u32, ..self.span(f.span) };
        let written = Definition { span, inline: def.specifiers.iter().any(inline) };
        if self.unit.function(id).defined() {
            if self.repeats(id, &written) {
                return Ok(());
            }
            let is_weak = |unit: u32| self.weak.contains(&(unit, name.clone()));
            let first = self.definitions.get(&id).map_or(self.unit_index, |d| d.span.unit);
            match (is_weak(first), is_weak(self.unit_index)) {
                (true, false) => {} // it takes the place of the first
                (false, true) => return Ok(()),
                _ => return self.invalid(def.declarator.span, format!("`{name}` is defined twice")),
            }
        }
        self.mark_hooks(id, &marks)?;
        self.definitions.insert(id, written);
        self.unit.functions[id.0 as usize].ty = ty;

        let mut builder = Builder::new(&name, signature.result.clone());
        builder.span = self.span(def.declarator.span);
        builder.begin = builder.span.start;
        builder.nodes.iter_mut().for_each(|n| n.span = builder.span); // entry and exit
        if signature.result != Type::Void {
            builder.result = Some(builder.var("return", signature.result.clone(), true));
        }
        let mut param_vars = Vec::new();
        for p in &params {
            let v = builder.var(&p.name, p.ty.clone(), false);
            builder.vars[v as usize].volatile = p.volatile;
            builder.vars[v as usize].visible = Some(self.span(def.statement.span));
            param_vars.push(v);
        }
        if signature.variadic {
            let v = builder.var(HIDDEN, self.hidden_type(), true);
            builder.hidden = Some(v);
            param_vars.push(v);
        }
        self.builder = Some(builder);
        self.scope_end = def.statement.span.end as u32;
        let body = self.scoped(|me| {
            for (p, v) in params.iter().zip(&param_vars) {
                me.declare(&p.name, Symbol::Var(VarRef::Local(*v), p.ty.clone()));
                me.declare_about(&p.name, About { qualifiers: p.qualifiers, align: None });
            }
            me.as_pointers = rows::used_as_pointers(&def.statement);
            for (p, v) in params.iter().zip(&param_vars) {
                let done = me.row_parameter(p, *v);
                me.recover(done)?;
            }
            if name == "main"
                && name == me.options.function
                && matches!(params.first(), Some(Parameter { ty: Type::Int(_), .. }))
            {
                me.main_arguments(&params, &param_vars, &def.statement);
            }
            let open = AstSpan::span(def.statement.span.start, def.statement.span.start + 1);
            for p in &params {
                let at = def.declarator.span;
                me.stating(Sites::behind(open), |me| me.rely_on_variable(&p.name, &p.ty, at));
            }
            // A call through a pointer leads here, too. Verification may begin at an error function.
            if me.is_error(&name) && name != me.options.function {
                me.violate(&name);
            }
            // What `atexit` was given is called where `main` ends.
            let is_main = name == "main";
            let handlers = is_main && (me.has_hooks() || me.linked.contains_key(HANDLERS));
            let (end, scope) = (me.b().exit, me.b().scope);
            if handlers {
                me.b().exit = me.b().label();
                me.run_hooks(Hook::Before);
            }
            let body = me.function_body(&def.statement);
            me.b().scope = scope;
            if handlers {
                let exit = std::mem::replace(&mut me.b().exit, end);
                me.b().place(exit);
                me.run_handlers();
                me.run_hooks(Hook::After);
                // Those too that a destructor gave to `atexit`.
                me.run_handlers();
            }
            let current = me.b().current;
            me.finish_gotos();
            me.b().current = current;
            let exit = me.b().exit;
            me.b().jump(exit);
            me.finish_cleanups();
            body
        });
        let mut b = self.builder.take().expect("a builder");
        body?;
        let given_up = b.given_up.take();
        let reason = |else_: &str| NodeKind::Unsupported(given_up.as_deref().unwrap_or(else_).into());
        let missing: Vec<NodeId> =
            b.labels.iter().filter(|(n, _)| !b.placed.contains(n)).map(|(_, &id)| id).collect();
        for id in missing {
            b.nodes[id.0 as usize].kind = reason("a jump to a label that was not translated");
        }
        // A label that nothing follows can only be reached through a statement that was given up.
        let nowhere = NodeId(b.nodes.len() as u32);
        for node in &mut b.nodes {
            if let NodeKind::Instr(_, next) = &mut node.kind
                && *next == OPEN
            {
                *next = nowhere;
            }
        }
        b.finish(reason("a statement that was not translated"));
        let function = &mut self.unit.functions[id.0 as usize];
        function.vars = b.vars;
        function.params = param_vars;
        function.lengths = lengths;
        function.old_style = signature.params.is_none();
        function.result = b.result;
        function.nodes = b.nodes;
        function.sites = b.sites;
        function.block_names = b.block_names;
        function.orders = b.orders;
        function.early = b.early;
        function.scopes = b.scopes;
        Ok(())
    }

    /// The parameters of a definition, in prototype or K&R style: name, type, `volatile`.
    fn named_params(&mut self, def: &ast::FunctionDefinition) -> Res<(Vec<Parameter>, Vec<Option<u64>>)> {
        // `int (*f(int x))(void)`: the parameters are those of the innermost declarator that has some; in
        // `int (f)(int x)` it is the outer one.
        let mut declarators = vec![&def.declarator];
        while let ast::DeclaratorKind::Declarator(inner) = &declarators[declarators.len() - 1].node.kind.node
        {
            declarators.push(inner);
        }
        for derived in declarators.iter().rev().flat_map(|d| &d.node.derived) {
            match &derived.node {
                ast::DerivedDeclarator::Function(f) => {
                    let (mut out, mut lengths, mut names) = (Vec::new(), Vec::new(), Vec::new());
                    for p in &f.node.parameters {
                        let known = self.parameter(p, &names)?;
                        names.push(known.name.clone());
                        if known.ty != Type::Void {
                            out.push(known);
                            lengths.push(self.stating(Sites::default(), |me| me.declared_length(p)));
                        }
                    }
                    return Ok((out, lengths));
                }
                ast::DerivedDeclarator::KRFunction(names) => {
                    return Ok((self.old_style_params(names, &def.declarations)?, Vec::new()));
                }
                _ => {}
            }
        }
        Ok(Default::default())
    }

    fn old_style_params(
        &mut self,
        names: &[Ast<ast::Identifier>],
        declarations: &[Ast<ast::Declaration>],
    ) -> Res<Vec<Parameter>> {
        let mut types = rustc_hash::FxHashMap::default();
        let all: Vec<String> = names.iter().map(|n| n.node.name.clone()).collect();
        for d in declarations {
            let mut seen = Seen { names: &all, ..Seen::default() };
            seen.visit_declaration(&d.node, &d.span);
            self.refuse(seen.mentions, seen.defines, d.span)?;
            let specified = self.among_parameters(|me| me.specifiers(&d.node.specifiers, d.span))?;
            for x in &d.node.declarators {
                let (base, declarator) = (specified.ty.clone(), &x.node.declarator);
                let base_qualifiers = (specified.volatile, specified.qualifiers);
                let (name, ty) = self.declarator(base, base_qualifiers, declarator)?;
                let volatile = declares_volatile(specified.volatile, declarator);
                let qualifiers = declared_qualifiers(specified.qualifiers, declarator);
                let own = if matches!(ty, Type::Array(..)) { Qualifiers::OPEN } else { qualifiers };
                types.insert(name, (adjust(ty, volatile, qualifiers), volatile, own));
            }
        }
        Ok(names
            .iter()
            .map(|n| {
                let implicit = (Type::INT, false, Qualifiers::NONE);
                let (ty, volatile, qualifiers) = types.remove(&n.node.name).unwrap_or(implicit);
                Parameter { name: n.node.name.clone(), ty, readonly: false, volatile, qualifiers, rows: None }
            })
            .collect())
    }

    /// Turns a failure inside a statement into a node that says so, unless the program is invalid.
    pub(super) fn recover(&mut self, result: Res<()>) -> Res<()> {
        match result {
            Err(Problem::Unsupported(what)) => {
                self.b().given_up.get_or_insert_with(|| what.clone());
                self.b().finish(NodeKind::Unsupported(what.into()));
                Ok(())
            }
            other => other,
        }
    }
}

/// Does the value depend on what is stored somewhere?
pub(super) fn reads_object(e: &Expr) -> bool {
    let mut reads = false;
    Part::Expr(e).visit(&mut |part| {
        reads |= matches!(part, Part::Expr(Expr { kind: ExprKind::Load(_), .. }));
    });
    reads
}
