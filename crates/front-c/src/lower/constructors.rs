//! Functions that run before `main` and after it: `__attribute__((constructor))` and `destructor`.
//!
//! `main` calls a function of ours at its beginning, and another one where it ends and where `exit` is
//! called, behind what `atexit` was given. When all files are read, these get their bodies: the constructors
//! with the least priority first, and those without one last; destructors the other way round. Functions of
//! equal priority in one file run in the order of their definitions (destructors: against it), as gcc and
//! clang have it with the linkers of Linux. In several files it is the order of the link, and refused.
//!
//! gcc has another order with optimisation if such a function calls one that is defined behind it, or if its
//! address is taken; and always if one with a priority was declared before. All that is refused where
//! priorities are equal.
//!
//! Entry points: [`Lowerer::declare_hooks`], [`Lowerer::run_hooks`], [`Lowerer::define_hooks`].

use std::sync::Arc;

use lang_c::span::Span as AstSpan;
use rustc_hash::{FxHashMap, FxHashSet};

use super::attributes::Marks;
use super::builder::Builder;
use super::{Lowerer, Res};
use crate::diagnostics::Diagnostic;
use crate::ir::{Callee, FuncId, Instr, NodeKind, Span};
use crate::library::PREFIX;
use crate::types::{FunctionType, Type};

/// The priority of a function without one.
const LAST: u32 = 65535;

/// One of these functions: its priority, its file, where it is defined, and where the attribute stands.
type Hooked = (u32, u32, u32, FuncId, AstSpan);

/// When such functions run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Hook {
    Before,
    After,
}

/// All of them.
#[derive(Default)]
pub(super) struct Hooks {
    /// The functions that call them.
    callers: FxHashMap<Hook, FuncId>,
    /// The functions that each file has declared.
    declared: FxHashSet<(u32, FuncId)>,
    /// By file and function: the priority, and where the attribute stands.
    marked: FxHashMap<(u32, FuncId, Hook), (u32, AstSpan)>,
}

impl Lowerer<'_> {
    /// Makes the functions that call them, if there are any.
    pub(super) fn declare_hooks(&mut self) {
        for (hook, name) in [(Hook::Before, "constructor"), (Hook::After, "destructor")] {
            if self.scans.iter().any(|s| s.mentions(name)) {
                let ty = FunctionType { result: Type::Void, params: Some(Vec::new()), variadic: false };
                let ty = Type::Function(Arc::new(ty));
                let f = self.unit.declare(&format!("{PREFIX}{name}s"), ty, Span::default());
                self.hooks.callers.insert(hook, f);
            }
        }
    }

    /// Are there any?
    pub(super) fn has_hooks(&self) -> bool {
        !self.hooks.callers.is_empty()
    }

    /// A call of all of them.
    pub(super) fn run_hooks(&mut self, hook: Hook) {
        if let Some(&f) = self.hooks.callers.get(&hook) {
            self.b().emit(Instr::Call { dest: None, callee: Callee::Direct(f), args: Vec::new() });
        }
    }

    /// A function was declared with such attributes, or without. Compilers differ about priorities of which
    /// the first declaration does not speak, and about attributes behind the definition.
    pub(super) fn mark_hooks(&mut self, f: FuncId, marks: &Marks) -> Res<()> {
        let is_new = self.hooks.declared.insert((self.unit_index, f));
        let is_defined = self.definitions.get(&f).is_some_and(|d| d.span.unit == self.unit_index);
        for (hook, priority, at) in &marks.hooks {
            self.scan().claim(at.start);
            let priority = priority.unwrap_or(LAST);
            let known = self.hooks.marked.insert((self.unit_index, f, *hook), (priority, *at));
            let before = known.map_or(LAST, |(p, _)| p);
            if !is_new && before != priority || known.is_none() && is_defined {
                let what = "unsupported: declarations that differ in when the function runs";
                return self.invalid(*at, what);
            }
        }
        Ok(())
    }

    /// Gives the functions that call them their bodies.
    pub(super) fn define_hooks(&mut self) -> Result<(), Diagnostic> {
        for (hook, caller) in self.hooks.callers.clone() {
            let mut all: Vec<Hooked> = Vec::new();
            for (&(unit, f, which), &(priority, at)) in &self.hooks.marked {
                let Some(definition) = self.definitions.get(&f).filter(|_| which == hook) else { continue };
                if definition.span.unit == unit {
                    all.push((priority, unit, definition.span.start, f, at));
                }
            }
            all.sort_unstable_by_key(|h| (h.0, h.1, h.2));
            for pair in all.windows(2) {
                if pair[0].0 == pair[1].0 && pair[0].1 != pair[1].1 {
                    let what = "unsupported: functions of equal priority in several files, which run before \
                                or after `main` in the order of the link";
                    return Err(self.at_hook(&pair[1], what));
                }
            }
            let has_equals = |h: &Hooked| all.iter().filter(|other| other.0 == h.0).count() > 1;
            if let Some(h) = all.iter().find(|h| has_equals(h) && self.may_run_elsewhere(h)) {
                let what = "unsupported: functions of equal priority that run before or after `main`, whose \
                            order depends on the compiler";
                return Err(self.at_hook(h, what));
            }
            for h in &all {
                let signature = self.unit.function(h.3).signature();
                if !signature.params.as_ref().is_some_and(Vec::is_empty) {
                    let what = "unsupported: a function with parameters that runs before or after `main`";
                    return Err(self.at_hook(h, what));
                }
            }
            if self.options.function != "main" && !all.is_empty() {
                let what = "unsupported: functions that run before or after `main`, with another entry \
                            function";
                return Err(self.at_hook(&all[0], what));
            }
            if hook == Hook::After {
                all.reverse();
            }
            let mut b = Builder::new(&self.unit.function(caller).name, Type::Void);
            for (_, unit, _, f, at) in all {
                b.span = Span { unit, start: at.start as u32, end: at.end as u32 };
                let result = self.unit.function(f).signature().result.clone();
                let dest = (result != Type::Void).then(|| b.temp("tmp", result));
                b.emit(Instr::Call { dest, callee: Callee::Direct(f), args: Vec::new() });
            }
            b.jump(b.exit);
            let function = &mut self.unit.functions[caller.0 as usize];
            (function.vars, function.nodes, function.scopes) = (b.vars, b.nodes, b.scopes);
        }
        Ok(())
    }

    /// May a compiler run a function in another order than that of the definitions?
    fn may_run_elsewhere(&self, &(priority, unit, start, f, _): &Hooked) -> bool {
        let is_later = |f: FuncId| {
            let definition = self.definitions.get(&f).map(|d| d.span);
            definition.is_some_and(|d| d.unit == unit && d.start >= start)
        };
        let (mut seen, mut work) = (FxHashSet::from_iter([f]), vec![f]);
        while let Some(caller) = work.pop() {
            for node in &self.unit.function(caller).nodes {
                match &node.kind {
                    NodeKind::Instr(Instr::Call { callee: Callee::Direct(g), .. }, _) => {
                        if is_later(*g) {
                            return true;
                        }
                        // What is called where the program ends is no call of the program.
                        let ours = self.unit.function(*g).name.starts_with(PREFIX);
                        if !ours && seen.insert(*g) {
                            work.push(*g);
                        }
                    }
                    NodeKind::Instr(Instr::Call { callee: Callee::Indirect(_), .. }, _) => return true,
                    _ => {}
                }
            }
        }
        let function = self.unit.function(f);
        let was_declared = function.span.unit != unit || function.span.start != start;
        function.address_taken || priority != LAST && was_declared
    }

    fn at_hook(&self, (_, unit, _, _, at): &Hooked, what: &str) -> Diagnostic {
        Diagnostic::at(&self.sources[*unit as usize], at.start, at.end, what)
    }
}
