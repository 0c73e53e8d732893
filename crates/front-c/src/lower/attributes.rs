//! The attributes that have a meaning here, and what becomes of those that have none.
//!
//! `packed`, `aligned`, `mode`, `noreturn`, `weak` and asm labels of functions without a body are read
//! from the syntax tree (or, between `struct` and its tag, from the [`Scan`](crate::known::Scan)) and
//! claimed there. Whatever the scan finds in a declaration beyond that is refused where it can matter: a
//! function with such an attribute where it is called or begins, a typedef where it is used, anything
//! else at once.

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};

use super::constructors::Hook;
use super::{Lowerer, Problem, Res, Symbol};
use crate::diagnostics::Diagnostic;
use crate::inline::reachable_nodes;
use crate::ir::{Callee, FuncId, Function, Instr, Node, NodeKind, Place, PlaceKind, Unit, VarRef};
use crate::known::attributes::plain;
use crate::known::scan::Found;
use crate::known::{Scan, Status, builtins};
use crate::library::HANDLERS;
use crate::options::IntMode;
use crate::types::{DataModel, IntType, Type};

/// The alignment of `aligned` without an argument: the largest of any type on x86.
const LARGEST_ALIGNMENT: u64 = 16;

/// What attributes say about a declaration.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks {
    /// `aligned`, in bytes; the largest if there are several.
    pub(super) align: Option<u64>,
    pub(super) packed: bool,
    /// The mode, and where the attribute stands.
    mode: Option<(String, usize)>,
    pub(super) noreturn: bool,
    /// An asm label: its text and where it stands.
    pub(super) label: Option<(String, usize)>,
    /// `cleanup`: the function, and where the attribute stands.
    pub(super) cleanup: Option<(String, AstSpan)>,
    /// `constructor` and `destructor`: their priorities, and where they stand.
    pub(super) hooks: Vec<(Hook, Option<u32>, AstSpan)>,
}

impl Marks {
    fn align(&mut self, bytes: u64) {
        self.align = Some(self.align.unwrap_or(1).max(bytes));
    }
}

impl Lowerer<'_> {
    pub(super) fn scan(&self) -> &Scan {
        &self.scans[self.unit_index as usize]
    }

    /// Reads attributes of the syntax tree into `marks`.
    pub(super) fn marks(&mut self, list: &[Ast<ast::Extension>], marks: &mut Marks) -> Res<()> {
        for e in list {
            match &e.node {
                ast::Extension::Attribute(a) => self.mark(a, marks)?,
                ast::Extension::AsmLabel(s) => {
                    let text: String = s.node.iter().map(|part| part.trim_matches('"')).collect();
                    marks.label = Some((text, e.span.start));
                }
                ast::Extension::AvailabilityAttribute(_) => {
                    return self.unsupported(e.span, "attribute `availability`");
                }
            }
        }
        Ok(())
    }

    fn mark(&mut self, a: &ast::Attribute, marks: &mut Marks) -> Res<()> {
        let at = a.name.span.start;
        match (plain(&a.name.node), a.arguments.as_slice()) {
            ("packed", []) => marks.packed = true,
            ("aligned", []) => marks.align(LARGEST_ALIGNMENT),
            ("aligned", [e]) => {
                let n = self.constant(e)?;
                match u64::try_from(n).ok().filter(|n| n.is_power_of_two()) {
                    Some(n) => marks.align(n),
                    None => return self.invalid(e.span, "an alignment that is no power of two"),
                }
            }
            ("mode", [e]) => {
                if let ast::Expression::Identifier(i) = &e.node {
                    marks.mode = Some((plain(&i.node.name).to_string(), at));
                }
                return Ok(()); // claimed where it is applied
            }
            ("noreturn", []) => marks.noreturn = true,
            ("cleanup", [e]) => {
                if let ast::Expression::Identifier(i) = &e.node {
                    marks.cleanup = Some((i.node.name.clone(), a.name.span));
                }
                return Ok(()); // claimed where the variable is declared
            }
            (name @ ("constructor" | "destructor"), rest) if rest.len() < 2 => {
                let hook = if name == "constructor" { Hook::Before } else { Hook::After };
                let priority = rest.first().map(|e| self.constant(e)).transpose()?;
                let Ok(priority) = priority.map(u16::try_from).transpose() else {
                    return self.invalid(a.name.span, "a priority beyond 65535");
                };
                marks.hooks.push((hook, priority.map(u32::from), a.name.span));
                return Ok(()); // claimed where the function is declared
            }
            _ => return Ok(()),
        }
        self.scan().claim(at);
        Ok(())
    }

    /// The attributes between `struct`, `union` or `enum` (at this offset) and the tag, which the parser does
    /// not see.
    pub(super) fn keyword_marks(&self, offset: usize) -> Marks {
        let mut marks = Marks::default();
        for a in self.scan().after_keyword(offset) {
            let number = a.arguments.trim().parse().ok().filter(|n: &u64| n.is_power_of_two());
            match (plain(&a.name), a.arguments.trim(), number) {
                ("packed", "", _) => marks.packed = true,
                ("aligned", "", _) => marks.align(LARGEST_ALIGNMENT),
                ("aligned", _, Some(n)) => marks.align(n),
                _ => continue,
            }
            self.scan().claim(a.span.start);
        }
        marks
    }

    /// The limit of `#pragma pack` at an offset.
    pub(super) fn pack_at(&self, offset: usize) -> Option<u64> {
        self.scan().pack_at(offset)
    }

    /// The type that `mode` makes of a declared type.
    pub(super) fn with_mode(&self, ty: Type, marks: &Marks) -> Type {
        let Some((mode, at)) = &marks.mode else { return ty };
        let word = self.options.data_model.word();
        let bits = match mode.as_str() {
            "QI" | "byte" => 8,
            "HI" => 16,
            "SI" => 32,
            "DI" => 64,
            // As gcc has it: on 64 bits only. Over integers of any size it stays refused.
            "TI" if word == 64 && self.options.int_mode == IntMode::Bv => 128,
            "word" | "pointer" | "unwind_word" | "libgcc_cmp_return" | "libgcc_shift_count" => word,
            _ => 0,
        };
        let extended = if self.options.data_model == DataModel::Ilp32 { 12 } else { 16 };
        let new = match (&ty, mode.as_str()) {
            (Type::Int(t), _) if bits > 0 && !t.boolean => Type::Int(IntType::new(bits, t.signed)),
            (Type::Float(_) | Type::Ieee(_), "SF") => self.float_type(4),
            (Type::Float(_) | Type::Ieee(_), "DF") => self.float_type(8),
            (Type::Float(_) | Type::Ieee(_), "XF") => Type::Float(extended),
            _ => return ty, // not claimed, so it is refused
        };
        self.scan().claim(*at);
        new
    }

    /// An asm label of a function: the function is another one than its name says.
    pub(super) fn label_function(&mut self, name: &str, marks: &Marks, at: AstSpan) {
        let Some((label, offset)) = &marks.label else { return };
        // glibc has a newer function under the old name: `__isoc99_scanf`, `__isoc23_strtol`.
        let newer = ["__isoc99_", "__isoc23_"].iter().any(|p| label.strip_prefix(p) == Some(name));
        if label != name && !newer {
            let what = self.located(at, &format!("`{name}`, which an asm label makes `{label}`"));
            self.refused.insert(name.to_string(), what);
        }
        self.scan().claim(*offset);
    }

    /// Refuses, before anything is lowered, what has attributes that are never handled.
    pub(super) fn refuse_attributes(
        &mut self,
        item: &Ast<ast::ExternalDeclaration>,
    ) -> Result<(), Diagnostic> {
        self.claim_weak(item);
        let range = item.span.start..item.span.end;
        let refused = |a: &&Found| matches!(a.status, Status::Refused(_)) || plain(&a.name) == "weak";
        let Some(found) = self.scan().open(range).find(refused).cloned() else { return Ok(()) };
        let span = AstSpan { start: found.span.start, end: found.span.end };
        let renames = matches!(plain(&found.name), "alias" | "ifunc" | "weak" | "weakref");
        let names = match &item.node {
            // These matter although nobody calls the function.
            _ if is_hook(&found) => None,
            // A declaration inside a function says something about another one.
            ast::ExternalDeclaration::FunctionDefinition(f)
                if renames && span.start > f.node.statement.span.start =>
            {
                None
            }
            ast::ExternalDeclaration::FunctionDefinition(f) => {
                super::declared_name(&f.node.declarator).map(|n| vec![n])
            }
            ast::ExternalDeclaration::Declaration(d) if is_typedef(&d.node.specifiers) => Some(Vec::new()),
            ast::ExternalDeclaration::Declaration(d) if renames => {
                let names = d.node.declarators.iter().map(|x| super::declared_name(&x.node.declarator));
                names.collect::<Option<Vec<_>>>().filter(|names| !names.is_empty())
            }
            ast::ExternalDeclaration::Declaration(d) => {
                let functions = d.node.declarators.iter().map(|x| function_name(&x.node.declarator));
                functions.collect::<Option<Vec<_>>>().filter(|names| !names.is_empty())
            }
            ast::ExternalDeclaration::StaticAssert(_) => None,
        };
        let what = found.refusal();
        let Some(names) = names else {
            return Err(Diagnostic::at(self.source(), span.start, span.end, format!("unsupported: {what}")));
        };
        let what = self.located(span, &what);
        // A function or variable whose name is refused is unsupported where it is used.
        self.refused.extend(names.into_iter().map(|name| (name, what.clone())));
        if plain(&found.name) == "weak" {
            self.scan().claim(found.span.start);
            return self.refuse_attributes(item);
        }
        Ok(())
    }

    /// A weak function that the program defines is that function: the files are all there is. Any other weak
    /// name may be absent.
    fn claim_weak(&mut self, item: &Ast<ast::ExternalDeclaration>) {
        let (names, end) = match &item.node {
            ast::ExternalDeclaration::FunctionDefinition(f) => {
                (vec![super::declared_name(&f.node.declarator)], f.node.statement.span.start)
            }
            // A variable that is defined: there is no other file that could have it.
            ast::ExternalDeclaration::Declaration(d) if self.is_one_file() && defines_variables(&d.node) => {
                let found = self.scan().open(item.span.start..item.span.end);
                let weak: Vec<usize> =
                    found.filter(|a| plain(&a.name) == "weak").map(|a| a.span.start).collect();
                weak.into_iter().for_each(|at| self.scan().claim(at));
                return;
            }
            ast::ExternalDeclaration::Declaration(d) if !is_typedef(&d.node.specifiers) => {
                let names = d.node.declarators.iter().map(|x| function_name(&x.node.declarator));
                (names.collect(), item.span.end)
            }
            _ => return,
        };
        let Some(names) = names.into_iter().collect::<Option<Vec<String>>>() else { return };
        let found = self.scan().open(item.span.start..end).filter(|a| plain(&a.name) == "weak");
        let found: Vec<usize> = found.map(|a| a.span.start).collect();
        if !found.is_empty() && names.iter().all(|n| self.is_defined(n)) {
            found.into_iter().for_each(|at| self.scan().claim(at));
            self.weak.extend(names.into_iter().map(|n| (self.unit_index, n)));
        }
    }

    /// Has an item that was lowered attributes that nobody gave a meaning?
    pub(super) fn is_refused(&self, item: &Ast<ast::ExternalDeclaration>) -> bool {
        self.scan().open(item.span.start..item.span.end).next().is_some()
    }

    /// Refuses what is left of the attributes of an item after it was lowered.
    pub(super) fn refuse_unclaimed(&mut self, item: &Ast<ast::ExternalDeclaration>) -> Res<()> {
        let range = item.span.start..item.span.end;
        let Some(found) = self.scan().open(range).next().cloned() else { return Ok(()) };
        let span = AstSpan { start: found.span.start, end: found.span.end };
        let what = self.located(span, &found.refusal());
        match &item.node {
            // These matter although nobody calls the function.
            _ if is_hook(&found) => Err(Problem::Invalid(self.refused_attribute(&found))),
            ast::ExternalDeclaration::FunctionDefinition(f) => {
                self.refused.extend(super::declared_name(&f.node.declarator).map(|name| (name, what)));
                Ok(())
            }
            ast::ExternalDeclaration::Declaration(d) if is_typedef(&d.node.specifiers) => {
                for x in &d.node.declarators {
                    if let Some(name) = super::declared_name(&x.node.declarator) {
                        self.declare(&name, Symbol::Refused(what.clone()));
                    }
                }
                Ok(())
            }
            _ if matches!(found.status, Status::Refused(_)) => Ok(()), // its functions are refused already
            _ => Err(Problem::Invalid(self.refused_attribute(&found))),
        }
    }

    fn refused_attribute(&self, found: &Found) -> Diagnostic {
        let what = format!("unsupported: {}", found.refusal());
        Diagnostic::at(self.source(), found.span.start, found.span.end, what)
    }

    /// A function that is refused and has a body is unsupported from its first step on.
    pub(super) fn refuse_bodies(&mut self) {
        let hooks = self.has_hooks() || self.linked.contains_key(HANDLERS);
        if let Some(Symbol::Func(main)) = self.linked.get("main").cloned()
            && (hooks || !self.unit.function(main).block_names.is_empty())
            && self.is_called(main)
        {
            let what = match hooks {
                true => "`main` with functions that run before or after it, called by the program",
                false => "`main` with a command line, called by the program",
            };
            self.refused.entry("main".into()).or_insert(what.into());
        }
        for f in self.unit.functions.iter_mut().filter(|f| f.defined()) {
            if let Some(what) = self.refused.get(&f.name) {
                f.nodes[f.entry.0 as usize].kind = NodeKind::Unsupported(what.as_str().into());
            } else if f.exported && builtins::is_replaced(&f.name) && acts(f) {
                let what = format!("a definition of `{}` that compilers replace by their own", f.name);
                f.nodes[f.entry.0 as usize].kind = NodeKind::Unsupported(what.into());
            }
        }
    }

    /// Does the program call this function itself, or take its address?
    fn is_called(&self, f: FuncId) -> bool {
        let calls = |node: &Node| match &node.kind {
            NodeKind::Instr(Instr::Call { callee: Callee::Direct(g), .. }, _) => *g == f,
            _ => false,
        };
        let mut others = self.unit.functions.iter();
        self.unit.function(f).address_taken || others.any(|g| g.nodes.iter().any(calls))
    }
}

/// Does the attribute make code run before or after `main`?
fn is_hook(found: &Found) -> bool {
    matches!(plain(&found.name), "constructor" | "destructor" | "init_priority")
}

/// Does a function do more than compute a value?
pub(crate) fn acts(f: &Function) -> bool {
    let local = |p: &Place| matches!(p.kind, PlaceKind::Var(VarRef::Local(_)));
    let nodes = f.nodes.iter().zip(reachable_nodes(f)).filter(|(_, reachable)| *reachable);
    nodes.map(|(node, _)| node).any(|node| match &node.kind {
        NodeKind::Instr(Instr::Nop | Instr::Open | Instr::Scope { .. }, _) => false,
        NodeKind::Instr(Instr::Assign(p, _) | Instr::Zero(p, _) | Instr::Havoc(p), _) => !local(p),
        NodeKind::Instr(..)
        | NodeKind::Halt
        | NodeKind::Error(_)
        | NodeKind::Undefined(_)
        | NodeKind::Unsupported(_) => true,
        NodeKind::Branch(..) | NodeKind::Switch(..) | NodeKind::Exit => node.loop_head,
    })
}

/// May a function, or one that it calls, change something that others see, or end the program?
pub(crate) fn changes(unit: &Unit, f: FuncId) -> bool {
    fn own(p: &Place) -> bool {
        match &p.kind {
            PlaceKind::Var(v) => matches!(v, VarRef::Local(_)),
            PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => own(base),
            PlaceKind::Deref(_) => false,
        }
    }
    let (mut seen, mut work) = (vec![f], vec![f]);
    while let Some(f) = work.pop() {
        let f = unit.function(f);
        if !f.defined() {
            return true;
        }
        let nodes = f.nodes.iter().zip(reachable_nodes(f)).filter(|(_, reachable)| *reachable);
        for (node, _) in nodes {
            match &node.kind {
                NodeKind::Instr(Instr::Nop | Instr::Scope { .. }, _)
                | NodeKind::Branch(..)
                | NodeKind::Switch(..)
                | NodeKind::Exit => {}
                NodeKind::Instr(Instr::Assign(p, _) | Instr::Zero(p, _) | Instr::Havoc(p), _) if own(p) => {}
                NodeKind::Instr(Instr::Call { dest, callee: Callee::Direct(g), .. }, _)
                    if dest.as_ref().is_none_or(own) =>
                {
                    if !seen.contains(g) {
                        seen.push(*g);
                        work.push(*g);
                    }
                }
                _ => return true,
            }
        }
    }
    false
}

/// Does a declaration define variables, and declare nothing else?
fn defines_variables(d: &ast::Declaration) -> bool {
    use ast::DeclarationSpecifier as S;
    let stored = d.specifiers.iter().any(|s| matches!(s.node, S::StorageClass(_)));
    let variable = |x: &Ast<ast::InitDeclarator>| {
        let derived = |d: &ast::DerivedDeclarator| {
            matches!(d, ast::DerivedDeclarator::Pointer(_) | ast::DerivedDeclarator::Array(_))
        };
        let d = &x.node.declarator.node;
        matches!(d.kind.node, ast::DeclaratorKind::Identifier(_))
            && d.derived.iter().all(|x| derived(&x.node))
    };
    let of_typedef = d.specifiers.iter().any(|s| {
        matches!(&s.node, S::TypeSpecifier(t)
            if matches!(t.node, ast::TypeSpecifier::TypedefName(_) | ast::TypeSpecifier::TypeOf(_)))
    });
    // A type that a name stands for may be that of a function.
    !stored
        && !d.declarators.is_empty()
        && d.declarators.iter().all(|x| variable(x) && (!of_typedef || x.node.initializer.is_some()))
}

fn is_typedef(specifiers: &[Ast<ast::DeclarationSpecifier>]) -> bool {
    specifiers.iter().any(|s| match &s.node {
        ast::DeclarationSpecifier::StorageClass(c) => c.node == ast::StorageClassSpecifier::Typedef,
        _ => false,
    })
}

/// The name that a declarator declares, if it declares a function and nothing around it.
fn function_name(d: &Ast<ast::Declarator>) -> Option<String> {
    let ast::DeclaratorKind::Identifier(i) = &d.node.kind.node else { return None };
    let outermost = d.node.derived.iter().find(|x| !matches!(x.node, ast::DerivedDeclarator::Pointer(_)))?;
    let function =
        matches!(outermost.node, ast::DerivedDeclarator::Function(_) | ast::DerivedDeclarator::KRFunction(_));
    function.then(|| i.node.name.clone())
}
