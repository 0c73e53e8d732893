//! The automaton's side of a comparison.

use std::collections::BTreeMap;

use palisade_program::{Position, Property, take};
use palisade_term::{Sort, TermPool, Value};

use super::{PROBE, RECORDED, float_of, value};
use crate::CProgram;
use crate::types::{IntType, Type};

/// At most this many steps of the automaton are executed in a run.
const MOST_STEPS: usize = 60_000;

/// How a run of the automaton ended.
pub(super) enum End {
    Exit,
    /// A property is violated, at this place.
    Violated(Option<Position>),
    /// A value differs, at this place.
    Differs(usize),
    /// An edge for something unsupported or for undefined behaviour.
    NoMeaning,
    /// The compiled program recorded no further value at this place.
    Exhausted(usize),
    Stuck(String),
    Ambiguous(String),
    Endless,
}

/// An execution of the automaton on the inputs of a seed.
pub(super) struct Walk<'a> {
    pub(super) pool: &'a TermPool,
    pub(super) c: &'a CProgram,
    pub(super) seed: u64,
    pub(super) recorded: &'a BTreeMap<usize, Vec<i64>>,
    /// What the automaton's value is compared with where it differs.
    pub(super) probe: Option<i128>,
    /// The value of all that no input function returns: orders of evaluation, what functions without body
    /// write.
    pub(super) free: i128,
}

impl Walk<'_> {
    /// Executes the automaton on the inputs of the seed. Also returned: how many values of each place were
    /// compared.
    pub(super) fn run(&mut self) -> (End, BTreeMap<usize, usize>) {
        let program = &self.c.program;
        let outgoing = program.outgoing();
        let mut asked: BTreeMap<&str, usize> = BTreeMap::new();
        let (mut at, mut state) = (program.entry, Vec::new());
        let observed = |asked: &BTreeMap<&str, usize>| {
            let ids = asked.iter().filter_map(|(f, n)| Some((recorded_id(f)?, *n)));
            ids.collect::<BTreeMap<usize, usize>>()
        };
        for _ in 0..MOST_STEPS {
            if program.location(at).name == "exit" {
                return (End::Exit, observed(&asked));
            }
            let mut taken = None;
            for &e in &outgoing[at.index()] {
                let edge = program.edge(e);
                let mut inputs: Vec<Value> =
                    edge.inputs.iter().map(|&i| number(self.pool.sort(i), self.free)).collect();
                let (mut local, mut exhausted) = (asked.clone(), None);
                for call in self.c.calls.on(e) {
                    let count = local.entry(call.function.as_str()).or_default();
                    let v = self.answer(&call.function, *count, &call.ty);
                    if let Some(id) = recorded_id(&call.function)
                        && self.recorded.get(&id).map_or(0, Vec::len) <= *count
                    {
                        exhausted = exhausted.or(Some(id));
                    }
                    if let Some(i) = call.input {
                        inputs[i] = number(self.pool.sort(edge.inputs[i]), v);
                    }
                    *count += 1;
                }
                if let Some(after) = take(self.pool, program, &state, e, &inputs) {
                    if taken.is_some() {
                        return (End::Ambiguous(program.location(at).name.clone()), observed(&asked));
                    }
                    taken = Some((e, after, local, exhausted));
                }
            }
            let Some((e, after, local, exhausted)) = taken else {
                return (End::Stuck(program.location(at).name.clone()), observed(&asked));
            };
            if let Some(id) = exhausted {
                return (End::Exhausted(id), observed(&asked));
            }
            asked = local;
            let edge = program.edge(e);
            let probed = asked.keys().find_map(|f| f.strip_prefix(PROBE)?.strip_prefix('_')?.parse().ok());
            if let (Some(id), true) = (probed, self.probe.is_none()) {
                return (End::Differs(id), observed(&asked));
            }
            if edge.target == program.error {
                let end = match &edge.origin.property {
                    Some(Property::Violated(_)) | None => {
                        End::Violated(edge.origin.statements.last().and_then(|s| s.position.clone()))
                    }
                    _ => End::NoMeaning,
                };
                return (end, observed(&asked));
            }
            (at, state) = (edge.target, after);
        }
        (End::Endless, observed(&asked))
    }

    /// What a function returns.
    fn answer(&self, function: &str, k: usize, ty: &Type) -> i128 {
        if function.starts_with(PROBE) {
            return self.probe.unwrap_or(0);
        }
        if let Some(id) = recorded_id(function) {
            let v = self.recorded.get(&id).and_then(|list| list.get(k)).copied().unwrap_or(0);
            return match ty {
                Type::Int(t) => t.wrap(i128::from(v)),
                Type::Ieee(_) => i128::from(v as u64),
                _ => 0,
            };
        }
        match ty {
            Type::Int(t) => t.wrap(i128::from(value(self.seed, function, k))),
            Type::Ieee(f) => i128::from(float_of(*f, value(self.seed, function, k))),
            _ => 0,
        }
    }

    /// The value of the automaton where it differs: the greatest number that it is not less than.
    pub(super) fn find_value(&mut self, ty: IntType) -> i128 {
        let (mut low, mut high) = (ty.min(), ty.max() + 1);
        while low + 1 < high {
            let middle = low + (high - low) / 2;
            self.probe = Some(middle);
            match self.run().0 {
                End::Violated(_) => high = middle,
                _ => low = middle,
            }
        }
        low
    }
}

/// The place whose recorded values a function returns.
fn recorded_id(function: &str) -> Option<usize> {
    function.strip_prefix(RECORDED)?.parse().ok()
}

fn number(sort: &Sort, v: i128) -> Value {
    match sort {
        Sort::Bool => Value::Bool(v != 0),
        Sort::Int => Value::Int(v.into()),
        Sort::BitVec(w) => Value::BitVec(*w, palisade_term::eval::wrap(&v.into(), *w)),
        other => Value::default_of(other),
    }
}
