//! Tells a run, edge by edge: which steps there are, and what each of them changes.
//!
//! A statement is a step of its own as soon as something happens in it; what a call answers belongs to the
//! statement that made the call. Values are evaluated over the state at the beginning of the edge.
//!
//! Entry points: [`Teller::new`], [`Teller::edge`].

use std::collections::BTreeSet;
use std::sync::Arc;

use palisade_program::EdgeId;
use palisade_report::instrument;
use palisade_term::{Assignment, Op, Term, TermPool, Value, eval::Evaluator};

use super::{Answer, Event, Kind, Name, Story, Telling, Told, Valued};
use crate::ir::Span;
use crate::library::PREFIX;
use crate::types::Type;

/// What is told of a run so far.
pub(super) struct Teller<'s> {
    story: &'s Story,
    /// The values of all variables now.
    pub(super) memory: Assignment,
    /// The scalars that have a value now, in the order in which they got one.
    known: Vec<Valued>,
    /// The statement at hand, and its frame.
    at: Option<(Span, u32)>,
    /// Something that is woven in came after the last step.
    interrupted: bool,
    /// What calls have answered whose values are looked at before their statement goes on.
    looked_at: Option<Vec<Answer>>,
    /// The middle of a long run: only steps to which something comes from outside are kept.
    brief: bool,
    /// How many steps were left out, and how many of those that are kept have been looked at for that.
    left_out: usize,
    settled: usize,
    pub(super) out: Telling,
}

impl<'s> Teller<'s> {
    pub(super) fn new(story: &'s Story) -> Self {
        Teller {
            story,
            memory: Assignment::new(),
            known: Vec::new(),
            at: None,
            interrupted: false,
            looked_at: None,
            brief: false,
            left_out: 0,
            settled: 0,
            out: Telling::default(),
        }
    }

    /// From here on everything is told, or what comes from outside.
    pub(super) fn in_brief(&mut self, brief: bool) {
        self.brief = brief;
    }

    /// Numbers the steps that cannot go on any more, and leaves out those in brief to which nothing came.
    fn settle(&mut self, open: usize) {
        let rest = self.out.steps.split_off(self.settled);
        let done = rest.len().saturating_sub(open);
        for (i, mut told) in rest.into_iter().enumerate() {
            let is_done = i < done;
            if is_done && self.brief && told.answers.is_empty() {
                self.left_out += 1;
                continue;
            }
            if is_done {
                self.settled += 1;
                told.number = self.settled + self.left_out;
            }
            self.out.steps.push(told);
        }
    }

    /// The whole story.
    pub(super) fn end(mut self) -> Telling {
        self.brief = false;
        self.settle(0);
        self.out
    }

    /// Tells what happens on an edge, the `step`-th of the run, behind which these variables live.
    pub(super) fn edge(&mut self, step: usize, edge: EdgeId, after: &[Term], before: &mut Evaluator<'_, '_>) {
        let pool = before.pool();
        let mut frame = None;
        let (mut last, first) = (None, self.out.steps.len());
        for event in &self.story.edges[edge.index()] {
            match event {
                Event::Statement(span, f) => {
                    self.begin(step, Kind::Statement, *span, *f);
                    (last, frame) = (Some(*span), Some(*f));
                }
                Event::Condition(span, f, outcome) => {
                    self.begin(step, Kind::Condition(*outcome), *span, *f);
                    (last, frame) = (Some(*span), Some(*f));
                }
                Event::Enter(f) => self.known.retain(|v| v.key.1 != Some(*f)),
                Event::Leave(span, f) => {
                    let left = frame.replace(*f);
                    self.known.retain(|v| v.key.1.is_none() || v.key.1 != left);
                    self.begin(step, Kind::Return, *span, *f);
                    last = None;
                }
                Event::Returned(function, ty, value, call) => {
                    let value = value.map(|t| before.eval(t));
                    self.answer(function, ty, value, *call);
                }
                // The values of arrays are in the states of the run.
                Event::Set(var, _) if self.brief && is_array(pool, *var) && after.contains(var) => {
                    self.known.retain(|v| v.key.0 != *var);
                }
                Event::Set(var, term) => {
                    let value = before.eval(*term);
                    let cells = written(pool, *term, *var)
                        .map(|cells| cells.iter().map(|&c| before.eval(c)).collect());
                    self.set(*var, value, cells, self.out.steps.len() > first || step > 0);
                }
                Event::Violation(span, f, _) => {
                    let claim = self.story.woven_claim(*span).map(|c| format!("{c} does not hold"));
                    // What is woven in without a claim stands for the step that led there.
                    let is_new = last != Some(*span) || self.out.steps.len() == first;
                    if let Some(text) = claim {
                        self.end_step();
                        self.at = Some((*span, *f));
                        self.out
                            .steps
                            .push(Told { text, ..self.story.told(step, Kind::Statement, *span, *f) });
                    } else if is_new && !self.story.is_woven(*span) {
                        self.push(step, Kind::Statement, *span, *f);
                    }
                    self.end_step();
                    if let Some(told) = self.out.steps.last_mut() {
                        told.violation = true;
                    }
                }
            }
        }
        self.end_step();
        // Only the last one may still go on.
        self.settle(1);
    }

    /// Begins a step, if it is one of the program.
    fn begin(&mut self, step: usize, kind: Kind, span: Span, frame: u32) {
        let text = &self.story.sources[span.unit as usize].text[span.start as usize..];
        let looks = text.starts_with(instrument::RETURNED);
        if looks {
            self.looked_at.get_or_insert_default();
        }
        if looks || self.story.is_woven(span) {
            self.interrupted = true;
            return;
        }
        self.push(step, kind, span, frame);
        if let (Some(answers), Some(told)) = (self.looked_at.take(), self.out.steps.last_mut()) {
            told.answers.extend(answers);
        }
    }

    fn push(&mut self, step: usize, kind: Kind, span: Span, frame: u32) {
        self.end_step();
        self.at = Some((span, frame));
        let told = self.story.told(step, kind, span, frame);
        if let Some(before) = self.out.steps.last()
            && (&before.begin, &before.end) == (&told.begin, &told.end)
        {
            // What takes the place of a statement is one step, and a statement goes on after something that
            // is woven into it.
            let replaces = self.story.sources[span.unit as usize].woven_from(span.start as usize).is_some();
            let goes_on = kind == before.kind || kind == Kind::Return;
            if replaces || (self.interrupted && goes_on && before.changed.is_empty()) {
                return;
            }
        }
        self.interrupted = false;
        // A call that returns into a temporary only, before the statement goes on, is no step of its own.
        if let Some(before) = self.out.steps.last()
            && before.kind == Kind::Return
            && before.changed.is_empty()
            && before.begin == told.begin
            && before.step == step
        {
            self.out.steps.pop();
        }
        self.out.steps.push(told);
    }

    fn end_step(&mut self) {
        let (Some(told), Some((span, frame))) = (self.out.steps.last_mut(), self.at) else { return };
        if self.brief {
            return;
        }
        let in_scope = |s: Span| s.unit == span.unit && s.start <= span.end && span.start < s.end;
        let visible = |v: &&Valued| {
            let Some(name) = self.story.names.get(&v.key.0) else { return true };
            match v.key.1 {
                Some(f) => f == frame && name.scope.is_none_or(in_scope),
                None => name.home.is_none_or(|unit| unit == span.unit),
            }
        };
        told.values = self.known.iter().filter(visible).cloned().collect();
    }

    fn answer(&mut self, function: &Arc<str>, ty: &Type, value: Option<Value>, call: Span) {
        if *ty == Type::Void {
            return;
        }
        let source = &self.story.sources[call.unit as usize];
        // The parser counts blanks behind a call as part of it.
        let text = source.text.get(call.start as usize..call.end as usize).unwrap_or("").trim_end();
        let last = (call.start as usize + text.len()).saturating_sub(1);
        let closes = text.ends_with(')');
        let value = value.as_ref().map_or("0".into(), |v| self.story.shown(ty, v));
        let place = closes.then(|| source.place_in_input(last));
        let (expanded, closing) = if source.in_expansion(last) { (place, None) } else { (None, place) };
        let answer = Answer { function: function.to_string(), ty: ty.to_string(), value, closing, expanded };
        match (&mut self.looked_at, self.out.steps.last_mut()) {
            (Some(kept), _) => kept.push(answer),
            (None, Some(told)) => told.answers.push(answer),
            (None, None) => {}
        }
    }

    /// A variable has a new value, which of an array differs from the old one in these cells at most.
    fn set(&mut self, var: Term, value: Value, cells: Option<BTreeSet<Value>>, in_step: bool) {
        let old = self.memory.get(var).cloned();
        self.memory.set(var, value.clone());
        let is_told = |n: &&Name| {
            let function = n.frame.map_or("", |f| &self.story.frames[f as usize].function);
            !n.internal && !function.starts_with(PREFIX)
        };
        let Some(name) = self.story.names.get(&var).filter(is_told) else { return };
        let mut news = Vec::new();
        match (&value, &old) {
            (Value::Array(new), Some(Value::Array(old))) if new.default == old.default => {
                let all = || new.entries.keys().chain(old.entries.keys()).cloned().collect();
                let cells: BTreeSet<Value> = cells.unwrap_or_else(all);
                for cell in cells.iter().filter(|c| new.get(c) != old.get(c)) {
                    if let Some(text) = name.cell(cell) {
                        news.push(self.story.valued(var, name, text, new.get(cell)));
                    }
                }
            }
            (Value::Array(new), _) => {
                self.known.retain(|v| v.key.0 != var);
                for (cell, value) in &new.entries {
                    news.extend(name.cell(cell).map(|text| self.story.valued(var, name, text, value)));
                }
            }
            _ => news.push(self.story.valued(var, name, name.text.clone(), &value)),
        }
        if !matches!(value, Value::Array(_)) {
            news.iter().for_each(|new| remember(&mut self.known, new));
        } else if in_step {
            // Of an array, elements that were assigned; each step tells them again.
            const MOST: usize = 16;
            for new in &news {
                let known = |v: &&Valued| v.key == new.key;
                let is_known = self.known.iter().filter(known).any(|v| v.variable == new.variable);
                if is_known || self.known.iter().filter(known).count() < MOST {
                    remember(&mut self.known, new);
                }
            }
        }
        let target = match self.out.steps.last_mut() {
            Some(told) if in_step => &mut told.changed,
            _ => &mut self.out.initial,
        };
        // A table may have many elements: the first ones of a variable need not be looked for.
        if target.iter().any(|v| v.key.0 == var) {
            news.iter().for_each(|new| remember(target, new));
        } else {
            target.extend(news);
        }
    }
}

fn is_array(pool: &TermPool, var: Term) -> bool {
    pool.sort(var).array_parts().is_some()
}

/// The indices at which a term may differ from an array, if it is made from it by writing.
fn written(pool: &TermPool, term: Term, array: Term) -> Option<Vec<Term>> {
    let (mut todo, mut cells) = (vec![term], Vec::new());
    while let Some(t) = todo.pop() {
        match pool.op(t) {
            _ if t == array => {}
            Op::Store => {
                let parts = pool.args(t);
                todo.push(parts[0]);
                cells.push(parts[1]);
            }
            Op::Ite => todo.extend(&pool.args(t)[1..]),
            _ => return None,
        }
    }
    (term != array).then_some(cells)
}

fn remember(list: &mut Vec<Valued>, new: &Valued) {
    match list.iter_mut().find(|v| v.key == new.key && v.variable == new.variable) {
        Some(old) => old.value.clone_from(&new.value),
        None => list.push(new.clone()),
    }
}
