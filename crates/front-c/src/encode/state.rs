//! The symbolic state of a block, what its execution requires, and the edges it ends in.
//!
//! The state maps variables of the automaton to terms over their values at the block's start and over the
//! inputs of the edge. A requirement holds under the path condition of the current expression (the right side
//! of `&&` is only evaluated when the left is true). [`Otherwise`] says what happens when it fails. Undefined
//! behaviour of arithmetic is cut. Undefined behaviour of memory, a checked property and an unsupported
//! construct become an edge to the error location that leaves the block in the middle. In all cases the block
//! continues with the requirement in its guard.

use std::sync::Arc;

use palisade_program::{Property, Statement};
use palisade_term::{Sort, Term};
use rustc_hash::{FxHashMap, FxHashSet};

use super::Encoder;
use crate::domain::Undefined;
use crate::ir::Span;
use crate::memory::Leaf;
use crate::numbers::AS_NUMBER;
use crate::options::UndefinedMemory;
use crate::story::Event;
use crate::types::Type;

/// A fresh value, and what it satisfies.
#[derive(Clone, Debug)]
pub(super) struct RawInput {
    pub(super) term: Term,
    pub(super) range: Option<Term>,
}

/// A call of a nondeterministic function on an edge.
#[derive(Clone, Debug)]
pub(super) struct RawNondet {
    pub(super) function: Arc<str>,
    pub(super) ty: Type,
    pub(super) input: Option<Term>,
}

/// A block of memory that is allocated, and the inputs that are its first contents.
#[derive(Clone, Default)]
pub(super) struct RawBlock {
    /// Byte offset, type, input.
    pub(super) contents: Vec<(u64, Type, Term)>,
    /// Arrays whose elements are one input.
    pub(super) arrays: Vec<(Leaf, Term)>,
}

/// The symbolic state.
#[derive(Default)]
pub(super) struct State {
    pub(super) source: u32,
    pub(super) values: FxHashMap<Term, Term>,
    pub(super) guard: Vec<Term>,
    pub(super) inputs: Vec<RawInput>,
    pub(super) nondets: Vec<RawNondet>,
    pub(super) blocks: Vec<RawBlock>,
    pub(super) statements: Vec<Statement>,
    pub(super) last_span: Option<Span>,
    /// The conditions under which the current expression is evaluated.
    pub(super) path: Vec<Term>,
    /// What happened after the log of the block, on the edge at hand only.
    pub(super) tail: Vec<Event>,
    /// The edges to the error location that later requirements may share.
    shared: Vec<Shared>,
    /// The names of all variables of the automaton (not reset between blocks).
    pub(super) names: FxHashSet<String>,
}

/// An edge for requirements that fail in the same way: for each member of a struct that is copied, say. Its
/// guard is computed when it is complete. Where several requirements fail, all their edges may be taken: each
/// of them leads to the error location, and none is a violation.
struct Shared {
    edge: usize,
    /// How much of the block's guard is that of the edge.
    prefix: usize,
    fails: Vec<Term>,
}

/// Where an edge leads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Goal {
    Location(u32),
    Error,
    Exit,
}

/// An edge before liveness is known.
pub(super) struct RawEdge {
    pub(super) source: u32,
    pub(super) goal: Goal,
    pub(super) inputs: Vec<RawInput>,
    pub(super) nondets: Vec<RawNondet>,
    pub(super) blocks: Vec<RawBlock>,
    pub(super) guard: Term,
    pub(super) values: FxHashMap<Term, Term>,
    pub(super) statements: Vec<Statement>,
    /// The log of its block, up to where the edge leaves it, and what happens then.
    pub(super) log: (usize, usize),
    pub(super) tail: Vec<Event>,
    pub(super) property: Option<Property>,
}

/// What happens when a requirement fails.
pub(super) enum Otherwise {
    /// The behaviour is undefined and assumed absent.
    Cut,
    /// That is no run: what is chosen here, or was there from the start, is as it must be.
    Chosen,
    /// The named property is violated.
    Violates(&'static str),
    /// The result is unknown, for this reason.
    Unsupported(Arc<str>),
    /// Undefined behaviour of memory, which no proof may rest on.
    Undefined(Arc<str>),
}

impl Encoder<'_> {
    /// Begins a block.
    pub(super) fn begin(&mut self, source: u32) {
        self.settle();
        let s = &mut self.state;
        s.source = source;
        // A map that was large once would stay large in every edge.
        s.values = FxHashMap::default();
        s.guard.clear();
        s.inputs.clear();
        s.nondets.clear();
        s.blocks.clear();
        s.statements.clear();
        s.path.clear();
        s.tail.clear();
        s.last_span = None;
        self.logs.push(Vec::new());
    }

    /// The current value of a variable.
    pub(super) fn get(&self, var: Term) -> Term {
        self.state.values.get(&var).copied().unwrap_or(var)
    }

    pub(super) fn set(&mut self, var: Term, value: Term) {
        // Element after element of one array (its initial values): one event, unless an edge left in between.
        let at = self.logs.last().map(|log| (self.logs.len() - 1, log.len()));
        let shared = self.edges.last().is_some_and(|e| Some(e.log) == at);
        match self.logs.last_mut().and_then(|log| log.last_mut()) {
            Some(Event::Set(v, t))
                if *v == var && !shared && matches!(self.pool.sort(var), Sort::Array(_)) =>
            {
                *t = value;
            }
            _ => self.log(Event::Set(var, value)),
        }
        self.state.values.insert(var, value);
    }

    /// A fresh input.
    pub(super) fn input(&mut self, name: &str, sort: Sort) -> Term {
        let term = self.pool.fresh_var(name, sort);
        self.state.inputs.push(RawInput { term, range: None });
        term
    }

    /// An arbitrary value of a scalar type.
    pub(super) fn arbitrary(&mut self, name: &str, ty: &Type) -> Term {
        let sort = self.sort_of(ty);
        let term = self.input(name, sort);
        if let Type::Int(t) = ty {
            let range = self.domain.range(term, *t);
            self.state.inputs.last_mut().expect("just pushed").range = range;
        }
        term
    }

    /// Records that a statement is executed.
    pub(super) fn record(&mut self, span: Span) {
        if self.state.last_span == Some(span) || span.start == span.end {
            return;
        }
        self.state.last_span = Some(span);
        self.log(Event::Statement(span, self.instance.0));
        let s = self.statement(span);
        self.state.statements.push(s);
    }

    /// Records the outcome of a condition.
    pub(super) fn record_condition(&mut self, span: Span, outcome: bool) {
        let s = self.statement(span);
        let text = if outcome { format!("[{}]", s.text) } else { format!("[!({})]", s.text) };
        self.state.statements.push(Statement { position: s.position, text: text.into() });
        self.state.last_span = None;
        self.state.tail.push(Event::Condition(span, self.instance.0, outcome));
    }

    /// Assumes that an operation is defined, and remembers that where it is not clear.
    fn assume_defined(&mut self, condition: Term, assumption: &'static str, span: Span) {
        // What annotations and witnesses say must not end a run that the program goes on with.
        if self.unit.claims.contains(&self.span) {
            let what = format!("an annotation that is undefined, {}", self.position(span));
            return self.require(condition, &Otherwise::Unsupported(what.into()));
        }
        let before = self.state.guard.len();
        self.require(condition, &Otherwise::Cut);
        if self.state.guard.len() > before {
            self.note(assumption, span);
        }
    }

    /// Remembers an assumption, and whether anything can be executed behind it.
    pub(super) fn note(&mut self, assumption: &'static str, span: Span) {
        let at = self.position(span);
        let key = (assumption, at.file.to_string(), at.line, at.column);
        let nothing_follows = self.dead();
        *self.assumptions.entry(key).or_default() |= nothing_follows;
    }

    /// What is here must not be reached.
    pub(super) fn undefined_here(&mut self, what: &str, span: Span) {
        let never = self.pool.fls();
        match self.options.undefined {
            UndefinedMemory::Report => {
                let what = format!("{what}, {}", self.position(span));
                self.require(never, &Otherwise::Undefined(what.into()));
            }
            UndefinedMemory::Arbitrary | UndefinedMemory::Assume => {
                self.assume_defined(never, "that nothing undefined is reached", span);
            }
        }
    }

    /// Requires a condition of the current expression.
    pub(super) fn require(&mut self, condition: Term, otherwise: &Otherwise) {
        let path = self.pool.and(self.state.path.iter().copied());
        let full = self.pool.implies(path, condition);
        if full == self.pool.tru() || self.state.guard.contains(&full) {
            return;
        }
        if matches!(otherwise, Otherwise::Cut) {
            self.check_cut(full);
        }
        let property = match otherwise {
            Otherwise::Cut | Otherwise::Chosen => None,
            Otherwise::Violates(name) => Some(Property::Violated((*name).into())),
            Otherwise::Unsupported(what) => Some(Property::Unsupported(Arc::clone(what))),
            Otherwise::Undefined(what) => Some(Property::Undefined(Arc::clone(what))),
        };
        match property {
            Some(property) => self.emit_error(self.pool.not(full), property),
            None => self.settle(),
        }
        self.state.guard.push(full);
    }

    /// Requires that an operation is defined: checked, assumed, or ignored, as the options say.
    pub(super) fn require_defined(&mut self, kind: Undefined, condition: Term) {
        let checks = &self.options.checks;
        // C11 6.5.7: a left shift that is not representable overflows.
        let lossy = checks.overflow && kind == Undefined::Shift(true);
        let (checked, name, total, assumption) = match kind {
            _ if lossy => (true, "overflow", false, ""),
            Undefined::Overflow => {
                (checks.overflow, "overflow", self.options.signed_wrap, "no signed overflow")
            }
            Undefined::Division => (checks.division, "div-by-zero", false, "no division by zero"),
            Undefined::Conversion => {
                (false, "", false, "floating-point numbers that become integers fit their types")
            }
            Undefined::Shift(total) => (checks.shift, "shift", total, "shift amounts smaller than the width"),
        };
        if checked {
            self.require(condition, &Otherwise::Violates(name));
        } else if !total {
            self.assume_defined(condition, assumption, self.span);
        }
    }

    /// Requires that an access to memory is defined, as the options say. Returns the condition under which
    /// the access takes place: undefined accesses that continue with any value do not.
    pub(super) fn require_access(&mut self, condition: Term, what: &str, span: Span) -> Term {
        let otherwise = match (self.options.checks.access(), self.options.undefined) {
            (Some(name), _) => Otherwise::Violates(name),
            (_, UndefinedMemory::Arbitrary) => return condition,
            (_, UndefinedMemory::Assume) => {
                self.assume_defined(condition, "no undefined access to memory", span);
                return self.pool.tru();
            }
            (_, UndefinedMemory::Report) => {
                Otherwise::Undefined(format!("{what}, {}", self.position(span)).into())
            }
        };
        self.require(condition, &otherwise);
        self.pool.tru()
    }

    /// Requires that a call or a declaration is defined: there is no value to continue with.
    pub(super) fn require_sane(&mut self, condition: Term, what: &str, span: Span) {
        let at = || -> Arc<str> { format!("{what}, {}", self.position(span)).into() };
        let otherwise = match (self.options.checks.access(), self.options.undefined) {
            (Some(name), _) => Otherwise::Violates(name),
            (_, UndefinedMemory::Arbitrary) => Otherwise::Unsupported(at()),
            (_, UndefinedMemory::Assume) => {
                return self.assume_defined(condition, "no undefined call or array", span);
            }
            (_, UndefinedMemory::Report) => Otherwise::Undefined(at()),
        };
        self.require(condition, &otherwise);
    }

    /// Demands that something is defined that is no access to memory: that it is not is no violation of
    /// `--check bounds` and `--check memory`, but nobody knows how the program goes on.
    pub(super) fn require_meaning(&mut self, condition: Term, what: &str, span: Span) {
        if self.options.checks.access().is_some() {
            let what = format!("{what}, {}", self.position(span));
            self.require(condition, &Otherwise::Unsupported(what.into()));
        } else {
            self.require_sane(condition, what, span);
        }
    }

    /// The current expression cannot be modelled.
    pub(super) fn unsupported(&mut self, what: &str, span: Span) {
        let what = format!("{what}, {}", self.position(span));
        self.unsupported_located(what.into());
    }

    /// The same, for a reason that says where.
    pub(super) fn unsupported_located(&mut self, what: Arc<str>) {
        self.require(self.pool.fls(), &Otherwise::Unsupported(what));
    }

    fn raw_edge(&self, goal: Goal, guard: Term) -> RawEdge {
        let s = &self.state;
        RawEdge {
            source: s.source,
            goal,
            inputs: s.inputs.clone(),
            nondets: s.nondets.clone(),
            blocks: s.blocks.clone(),
            guard,
            values: FxHashMap::default(),
            statements: s.statements.clone(),
            log: (self.logs.len() - 1, self.logs.last().map_or(0, Vec::len)),
            tail: s.tail.clone(),
            property: None,
        }
    }

    /// The guard of the block so far, and a condition.
    fn guard(&self, prefix: usize, condition: Term) -> Term {
        self.pool.and(self.state.guard[..prefix].iter().copied().chain([condition]))
    }

    /// An edge to the error location from the middle of the block.
    ///
    /// A violation after a choice that C or the environment has need not occur with every compiler.
    pub(super) fn emit_error(&mut self, condition: Term, property: Property) {
        let mut condition = condition;
        if let Property::Violated(_) = property {
            let (open, placed) = (self.open_flag(), self.placed_flag());
            let what = self.open.clone().unwrap_or_default();
            for (flag, what) in [(open, what), (placed, AS_NUMBER.into())] {
                let Some(flag) = flag else { continue };
                let set = self.get(flag);
                self.push_error(self.pool.and2(condition, set), Property::Open(what), &property);
                condition = self.pool.and2(condition, self.pool.not(set));
            }
        }
        self.push_error(condition, property.clone(), &property);
    }

    /// What goes wrong in the model of a library function is told where the program calls it.
    fn told(&self, property: Property) -> Property {
        let (Property::Unsupported(what) | Property::Undefined(what)) = &property else { return property };
        let Some(at) = what.rfind(&format!(", {}:", crate::LIBRARY)) else { return property };
        let mut instance = self.instance;
        let call = loop {
            let Some((caller, node)) = self.instances.get(instance).caller else { return property };
            let span = self.unit.function(self.instances.get(caller).function).node(node).span;
            if !self.sources[span.unit as usize].is_named(crate::LIBRARY) {
                break span;
            }
            instance = caller;
        };
        let told: Arc<str> = format!("{}, {}", &what[..at], self.position(call)).into();
        match property {
            Property::Unsupported(_) => Property::Unsupported(told),
            _ => Property::Undefined(told),
        }
    }

    /// An edge with a property where `stated` is violated.
    fn push_error(&mut self, condition: Term, property: Property, stated: &Property) {
        if condition == self.pool.fls() || self.dead() {
            return;
        }
        let property = self.told(property);
        let (span, instance) = self.fault.unwrap_or((self.span, self.instance));
        let stated = if let Property::Violated(name) = stated { Some(Arc::clone(name)) } else { None };
        let fault = Event::Violation(span, instance.0, stated);
        if matches!(property, Property::Violated(_)) {
            self.settle();
            let guard = self.guard(self.state.guard.len(), condition);
            self.add_error(guard, property, fault);
        } else if let Some(k) = self.shared_by(&property, &fault) {
            let shared = &mut self.state.shared[k];
            shared.fails.push(condition);
            let inputs = &mut self.edges[shared.edge].inputs;
            inputs.extend_from_slice(&self.state.inputs[inputs.len()..]);
        } else {
            let (edge, prefix) = (self.edges.len(), self.state.guard.len());
            self.state.shared.push(Shared { edge, prefix, fails: vec![condition] });
            self.add_error(condition, property, fault);
        }
    }

    fn add_error(&mut self, guard: Term, property: Property, fault: Event) {
        if guard == self.pool.fls() {
            return;
        }
        let mut edge = self.raw_edge(Goal::Error, guard);
        edge.tail.push(fault);
        edge.property = Some(property);
        self.edges.push(edge);
    }

    /// The edge of an earlier requirement that failed in the same way.
    fn shared_by(&self, property: &Property, fault: &Event) -> Option<usize> {
        let s = &self.state;
        s.shared.iter().position(|shared| {
            let edge = &self.edges[shared.edge];
            edge.property.as_ref() == Some(property)
                && (s.nondets.len(), s.blocks.len()) == (edge.nondets.len(), edge.blocks.len())
                && edge.tail.split_last().is_some_and(|(last, old)| last == fault && *old == s.tail)
        })
    }

    /// Completes the edges that requirements share. What is assumed from here on is not assumed by them.
    pub(super) fn settle(&mut self) {
        for Shared { edge, prefix, fails } in std::mem::take(&mut self.state.shared) {
            self.edges[edge].guard = self.guard(prefix, self.pool.or(fails));
        }
    }

    /// An edge that ends the block.
    pub(super) fn emit(&mut self, goal: Goal, condition: Term) {
        self.settle();
        let guard = self.guard(self.state.guard.len(), condition);
        if guard == self.pool.fls() {
            return;
        }
        let mut edge = self.raw_edge(goal, guard);
        if let Goal::Location(_) = goal {
            edge.values = self.state.values.clone();
        }
        self.edges.push(edge);
    }

    /// Can the block go on? Not after a requirement that always fails.
    pub(super) fn dead(&self) -> bool {
        self.state.guard.contains(&self.pool.fls())
    }
}
