//! The story of a run: every statement that it executes, with the values after it.
//!
//! An edge of the automaton is a basic block, and liveness has removed variables that decide nothing. For a
//! person, and for formats that name statements, that is too coarse. So the encoding logs for every block
//! what happens in it: statements, conditions, values of functions without a body, and what is stored, as
//! terms over the values at the beginning of the block. [`Story::tell`] evaluates the log along a run, for
//! all variables of the source, also those that are no part of the automaton's states.
//!
//! Values that the run leaves open (what no guard depends on) are told as zero. A variable that lives at a
//! location has the value of the checked run.
//!
//! What is woven into the program (annotations, witnesses) is no step of the story; a claim of it that does
//! not hold is the last one.
//!
//! A run of a million steps is told at its two ends; of what is between, the steps to which something comes
//! from outside (`AT_THE_ENDS`). Nobody reads the rest, and it would be gigabytes.
//!
//! Entry point: [`Story::tell`].

mod teller;

use std::sync::Arc;

use palisade_float::literal;
use palisade_program::{EdgeId, Position, Program, Replay, Run};
use palisade_report::{annotations, instrument};
use palisade_term::{Term, TermPool, Value, eval::Evaluator};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::addresses::Addresses;
use crate::entry::START;
use crate::ir::Span;
use crate::library::PREFIX;
use crate::places::Site;
use crate::source::Source;
use crate::types::{IntType, Type};
use crate::woven;
use teller::Teller;

/// A run of more edges is told at its ends, and so many edges are an end.
const WHOLE: usize = 20_000;
const AT_THE_ENDS: usize = 1000;

/// Something that happens on an edge. Terms are over the variables before the edge and its inputs.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Event {
    /// A statement is executed, in a call.
    Statement(Span, u32),
    /// A condition has this value.
    Condition(Span, u32, bool),
    /// A function without body returned a value.
    Returned(Arc<str>, Type, Option<Term>, Span),
    /// A variable gets a value.
    Set(Term, Term),
    /// A call begins.
    Enter(u32),
    /// A call has ended; its caller goes on at the call.
    Leave(Span, u32),
    /// The property is violated, or the run ends for another reason that the edge states.
    Violation(Span, u32, Option<Arc<str>>),
}

/// A function instance of the inlined program.
#[derive(Clone, Debug)]
pub struct Frame {
    /// The function.
    pub function: String,
    /// The calling frame.
    pub caller: Option<u32>,
}

/// What a variable of the automaton is in the source.
#[derive(Clone, Debug)]
pub struct Name {
    /// The path to it as C: `x`, `s.a[2]`; for an array with `[]` for each open index.
    pub text: String,
    /// The frame of a local variable.
    pub frame: Option<u32>,
    /// The type of the scalar, or of the elements.
    pub ty: Type,
    /// The strides of open indices, outermost first: an index of the automaton's array is the sum of their
    /// multiples.
    pub strides: Vec<i128>,
    /// The address of what is at index 0, if pointers can point to it.
    pub origin: Option<i128>,
    /// Not something of the source: a temporary, a block of memory, a flag.
    pub internal: bool,
    /// Where it can be named.
    pub scope: Option<Span>,
    /// The file that it belongs to, of a global variable that other files cannot name.
    pub home: Option<u32>,
}

/// The logs of all edges, and what is needed to tell them.
#[derive(Clone, Debug, Default)]
pub struct Story {
    pub(crate) sources: Vec<Source>,
    pub(crate) frames: Vec<Frame>,
    pub(crate) edges: Vec<Vec<Event>>,
    /// For edges from the entry: variables without a value there, with the inputs that stand for them.
    pub(crate) unset: Vec<Vec<(Term, Term)>>,
    pub(crate) names: FxHashMap<Term, Name>,
    pub(crate) addresses: Addresses,
    /// The objects whose addresses are numbers.
    pub(crate) numbers: Vec<Placed>,
    /// What is known of these numbers.
    pub(crate) placement: Option<Term>,
    /// The assertions of all function instances: the property, where it would be violated, and an instance.
    pub(crate) assertions: Vec<(Arc<str>, Span, u32)>,
    /// For every location the statement that it is at.
    pub(crate) sites: Vec<Option<Site>>,
}

/// An object whose address is a number that the run chooses: a multiple of its alignment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Placed {
    /// The variable that holds the multiple.
    pub(crate) multiple: Term,
    pub(crate) align: i128,
    pub(crate) size: i128,
}

/// Where a claim is violated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Violation {
    /// The place.
    pub position: Position,
    /// The statement there; of an `assert` its condition as the macro got it; of an annotation what it says.
    pub text: String,
    /// How many other assertions a macro or annotations make before it at the same place.
    pub before: usize,
    /// It is the failure of an `assert` or of an annotation.
    pub is_assert: bool,
}

/// What kind of step it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A statement or declaration.
    Statement,
    /// A condition.
    Condition(bool),
    /// The caller goes on after a call.
    Return,
}

/// A variable with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Valued {
    /// The variable or cell, as C.
    pub variable: String,
    /// The function of a local variable.
    pub function: Option<String>,
    /// Its C type.
    pub ty: String,
    /// Its value.
    pub value: String,
    /// The variable of the automaton, and the frame of a local one.
    key: (Term, Option<u32>),
}

/// A value from a function without a body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// The function.
    pub function: String,
    /// Its C type.
    pub ty: String,
    /// The value.
    pub value: String,
    /// The closing parenthesis of the call, in the input; without if it is in the expansion of a macro.
    pub closing: Option<Position>,
    /// Where the macro stands whose expansion it is in, in the input.
    pub expanded: Option<Position>,
}

/// One step of the story.
#[derive(Clone, Debug)]
pub struct Told {
    /// Its number in the story, from 1: steps in the middle of a long run are left out.
    pub number: usize,
    /// The step of the run that this is a part of.
    pub step: usize,
    /// What kind of step.
    pub kind: Kind,
    /// Its text.
    pub text: String,
    /// Where it begins.
    pub begin: Position,
    /// Behind its last character.
    pub end: Position,
    /// Where it begins in the input itself, which may be a preprocessed file.
    pub in_input: Position,
    /// The function.
    pub function: String,
    /// How many calls are around it.
    pub depth: u32,
    /// Values from functions without body, in order.
    pub answers: Vec<Answer>,
    /// What it assigned, with the new values.
    pub changed: Vec<Valued>,
    /// The values after it of all scalars that have one: globals, and the variables of its function.
    pub values: Vec<Valued>,
    /// The property is violated here.
    pub violation: bool,
}

/// A run, told.
#[derive(Clone, Debug, Default)]
pub struct Telling {
    /// Global variables at the start.
    pub initial: Vec<Valued>,
    /// The steps.
    pub steps: Vec<Told>,
}

impl Story {
    /// The program has more edges, at the end: each does what one of its edges does.
    pub fn repeat(&mut self, edges: &[EdgeId]) {
        self.edges.extend(edges.iter().map(|e| self.edges[e.index()].clone()).collect::<Vec<_>>());
        self.unset.extend(edges.iter().map(|e| self.unset[e.index()].clone()).collect::<Vec<_>>());
    }

    /// The story of these sources, with names as they are written there.
    pub(crate) fn of(mut self, sources: &[Source]) -> Story {
        for source in sources {
            for name in self.names.values_mut() {
                name.text = source.respelled(std::mem::take(&mut name.text));
            }
            for frame in &mut self.frames {
                frame.function = source.respelled(std::mem::take(&mut frame.function));
            }
        }
        Story { sources: sources.to_vec(), ..self }
    }

    /// What a variable of the automaton is in the source.
    pub fn name(&self, variable: Term) -> Option<&Name> {
        self.names.get(&variable)
    }

    /// Where an edge to the error location violates its property, and what stands there.
    pub fn violation(&self, edge: EdgeId) -> Option<Violation> {
        let events = self.edges.get(edge.index())?;
        events.iter().rev().find_map(|event| match event {
            Event::Violation(span, frame, _) => Some(self.violated(*span, *frame)),
            _ => None,
        })
    }

    /// All assertions of the functions that are called, also those that no edge violates.
    pub fn assertions(&self) -> impl Iterator<Item = (Arc<str>, Violation)> + '_ {
        let ours = |f: u32| self.frames[f as usize].function.starts_with(PREFIX);
        let written = self.assertions.iter().filter(move |(_, _, f)| !ours(*f));
        written.map(|(property, span, frame)| (property.clone(), self.violated(*span, *frame)))
    }

    fn violated(&self, span: Span, frame: u32) -> Violation {
        let source = &self.sources[span.unit as usize];
        let told = self.told(0, Kind::Statement, span, frame);
        let asserted = source.asserted(span.start as usize, span.end as usize);
        // One macro may make several assertions.
        let here = |s: &Span| s.unit == span.unit && source.position(s.start as usize) == told.begin;
        let earlier = self.assertions.iter().map(|(_, s, _)| *s).filter(|s| s.start < span.start && here(s));
        let before = match self.assertions.iter().any(|(_, s, _)| *s == span) {
            true => earlier.map(|s| s.start).collect::<FxHashSet<u32>>().len(),
            false => 0,
        };
        let claimed = self.woven_claim(span).or(asserted);
        let is_assert = claimed.is_some();
        let text = claimed.unwrap_or(told.text);
        Violation { position: told.begin, text, before, is_assert }
    }

    /// The preprocessed texts.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The function instances.
    pub fn frames(&self) -> &[Frame] {
        &self.frames
    }

    /// Tells a run that was executed.
    pub fn tell(&self, pool: &TermPool, program: &Program, run: &Run, replay: &Replay) -> Telling {
        let mut teller = Teller::new(self);
        let middle = match run.steps.len() {
            0..=WHOLE => 0..0,
            n => AT_THE_ENDS..n - AT_THE_ENDS,
        };
        for (i, step) in run.steps.iter().enumerate() {
            teller.in_brief(middle.contains(&i));
            let edge = program.edge(step.edge);
            let (source, state) = &replay.states[i];
            for (&v, value) in program.vars(*source).iter().zip(state) {
                teller.memory.set(v, value.clone());
            }
            let mut before = teller.memory.clone();
            for (&v, value) in edge.inputs.iter().zip(&step.inputs) {
                before.set(v, value.clone());
            }
            for (v, input) in &self.unset[step.edge.index()] {
                if let Some(value) = before.get(*input).cloned() {
                    before.set(*v, value);
                }
            }
            teller.edge(i, step.edge, program.vars(edge.target), &mut Evaluator::new(pool, &before));
        }
        let mut told = teller.end();
        told.initial.iter_mut().for_each(|v| self.with_file(v));
        told
    }

    /// Does a run fail to execute if the objects lie elsewhere? Then a number in the program happens to be
    /// the address of an object, and the run says nothing about other places.
    pub fn rests_on_places(&self, pool: &TermPool, program: &Program, run: &Run) -> bool {
        const FIRST: [i128; 2] = [0x1234_0000, 0x5670_0000];
        // One after the other with gaps, in either order.
        let places = |first: i128, objects: Vec<&Placed>| {
            let mut end = first;
            let place = |o: &Placed| {
                let multiple = end.div_euclid(o.align) + 1;
                end = multiple * o.align + o.size + 0x1000;
                (o.multiple, multiple)
            };
            objects.into_iter().map(place).collect::<Vec<_>>()
        };
        let backwards = places(FIRST[1], self.numbers.iter().rev().collect());
        [places(FIRST[0], self.numbers.iter().collect()), backwards].into_iter().any(|places| {
            let Some(other) = self.with_places(program, run, &places) else { return false };
            palisade_program::interpret(pool, program, &other).is_err()
        })
    }

    /// The property that an edge would violate if nothing were open.
    pub fn stated_property(&self, edge: EdgeId) -> Option<Arc<str>> {
        let events = self.edges.get(edge.index())?;
        events.iter().rev().find_map(|event| match event {
            Event::Violation(_, _, property) => property.clone(),
            _ => None,
        })
    }

    /// The inputs of an edge that choose where objects lie, and what is known of them; `None` if there are
    /// none.
    pub fn chosen_places(&self, pool: &TermPool, edge: EdgeId) -> Option<(Vec<Term>, Term)> {
        let unset: FxHashMap<Term, Term> = self.unset.get(edge.index())?.iter().copied().collect();
        let inputs: Vec<Term> = self.numbers.iter().filter_map(|n| unset.get(&n.multiple).copied()).collect();
        (!inputs.is_empty()).then_some((inputs, pool.substitute(self.placement?, &unset)))
    }

    /// A run with other multiples for the numbers of objects; none if it chooses none.
    fn with_places(&self, program: &Program, run: &Run, places: &[(Term, i128)]) -> Option<Run> {
        let mut out = run.clone();
        let first = out.steps.first_mut()?;
        let (edge, unset) = (program.edge(first.edge), &self.unset[first.edge.index()]);
        let mut is_other = false;
        for (variable, multiple) in places {
            let input = unset.iter().find(|(v, _)| v == variable).map(|(_, input)| *input);
            let at = input.and_then(|i| edge.inputs.iter().position(|&e| e == i));
            let Some(value) = at.and_then(|i| first.inputs.get_mut(i)) else { continue };
            *value = match value {
                Value::BitVec(width, _) => Value::BitVec(*width, (*multiple).into()),
                _ => Value::Int((*multiple).into()),
            };
            is_other = true;
        }
        is_other.then_some(out)
    }

    /// Variables of one name in several files are told with their files.
    fn with_file(&self, v: &mut Valued) {
        let Some(name) = self.names.get(&v.key.0) else { return };
        let twin = |n: &Name| n.text == name.text && n.frame.is_none() && n.home != name.home;
        if let Some(home) = name.home
            && self.names.values().any(twin)
        {
            v.variable = format!("{}::{}", self.sources[home as usize].name(), v.variable);
        }
    }

    fn told(&self, step: usize, kind: Kind, span: Span, frame: u32) -> Told {
        let source = &self.sources[span.unit as usize];
        let (start, end) = (span.start as usize, source.trimmed_end(span.start as usize, span.end as usize));
        let written = match kind {
            Kind::Condition(_) => None,
            Kind::Statement | Kind::Return => {
                source.as_written(start, end).or_else(|| source.asserted(start, end))
            }
        };
        let text = written.unwrap_or_else(|| source.snippet(start, end));
        let mut depth = 0;
        let mut at = self.frames[frame as usize].caller;
        while let Some(f) = at {
            depth += 1;
            at = self.frames[f as usize].caller;
        }
        Told {
            number: 0,
            step,
            kind,
            text,
            begin: source.position(start),
            end: source.end_position(end),
            in_input: source.place_in_input(start),
            function: self.function(frame).into(),
            depth,
            answers: Vec::new(),
            changed: Vec::new(),
            values: Vec::new(),
            violation: false,
        }
    }

    /// The function of a frame, in the words of the source: the start function stands for the one it calls.
    fn function(&self, frame: u32) -> &str {
        let function = &self.frames[frame as usize].function;
        let begun = || self.frames.iter().find(|f| f.caller == Some(frame));
        match function.as_str() {
            START => begun().map_or(function, |f| &f.function),
            _ => function,
        }
    }

    /// Is there nothing of the program in the span?
    fn is_woven(&self, span: Span) -> bool {
        self.sources[span.unit as usize].is_woven(span.start as usize, span.end as usize)
    }

    /// What is claimed by something that is woven into the program.
    fn woven_claim(&self, span: Span) -> Option<String> {
        let source = &self.sources[span.unit as usize];
        let from = source.woven_from(span.start as usize)?;
        let text = source.text.get(from..span.end as usize)?;
        let ours = [annotations::WRONG, instrument::WRONG];
        let claim = ours.iter().any(|f| text.contains(f)).then(|| woven::claimed(text))??;
        Some(claim.replace(instrument::RESULT, "\\result").replace(annotations::OLD, ""))
    }

    fn valued(&self, var: Term, name: &Name, variable: String, value: &Value) -> Valued {
        Valued {
            variable,
            function: name.frame.map(|f| self.frames[f as usize].function.clone()),
            ty: name.ty.to_string(),
            value: self.shown(&name.ty, value),
            key: (var, name.frame),
        }
    }

    /// A variable of the automaton with its value, if it is a scalar with a name in the source.
    pub fn told_value(&self, var: Term, value: &Value) -> Option<Valued> {
        let name = self.names.get(&var).filter(|n| !n.internal && n.strides.is_empty())?;
        let mut told = self.valued(var, name, name.text.clone(), value);
        self.with_file(&mut told);
        Some(told)
    }

    /// A text with names as they are written in the sources.
    fn respelled(&self, text: String) -> String {
        self.sources.iter().fold(text, |text, source| source.respelled(text))
    }

    /// A formula for people, with places instead of addresses.
    pub fn formula(&self, pool: &TermPool, formula: Term) -> String {
        let worded = |t: Term, negated: bool| self.addresses.worded(pool, &self.names, t, negated);
        self.respelled(pool.infix_by(formula, &worded).to_string())
    }

    /// A value as C writes it.
    fn shown(&self, ty: &Type, value: &Value) -> String {
        match (ty, number(value, ty.as_int())) {
            (Type::Pointer(to), Some(v)) => {
                let place = self.addresses.place(v, to).unwrap_or_else(|| format!("address {v}"));
                self.respelled(place)
            }
            (Type::Ieee(f), _) => literal::decimal(*f, float_bits(value)),
            (_, Some(v)) => v.to_string(),
            (_, None) => value.to_string(),
        }
    }
}

/// The number that a value stands for, by its type.
pub(crate) fn number(value: &Value, ty: Option<IntType>) -> Option<i128> {
    match value {
        Value::Int(i) => i.to_string().parse().ok(),
        Value::Bool(b) => Some(i128::from(*b)),
        Value::BitVec(w, v) => {
            let v: u128 = v.to_string().parse().ok()?;
            let signed = ty.is_none_or(|t| t.signed);
            if *w == 128 && signed {
                return Some(v as i128);
            }
            let v = i128::try_from(v).ok()?;
            Some(if signed && *w < 127 && v >> (w - 1) & 1 == 1 { v - (1 << w) } else { v })
        }
        _ => None,
    }
}

/// The bits of a floating-point number.
pub(crate) fn float_bits(value: &Value) -> u64 {
    match value {
        Value::BitVec(_, v) => u64::try_from(v).unwrap_or(0),
        _ => 0,
    }
}

impl Name {
    /// The cell of an array as C.
    fn cell(&self, index: &Value) -> Option<String> {
        let mut rest = number(index, Some(IntType::new(64, true)))?;
        let mut parts = self.text.split("[]");
        let mut out = parts.next()?.to_string();
        for (stride, part) in self.strides.iter().zip(parts) {
            out.push_str(&format!("[{}]{part}", rest.div_euclid(*stride)));
            rest = rest.rem_euclid(*stride);
        }
        Some(out)
    }
}
