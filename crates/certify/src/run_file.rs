//! Runs as JSON.
//!
//! ```json
//! { "format": "palisade-run", "version": 1, "property": "assert",
//!   "options": ["int=c", "signed=undefined", "width=32", "check=assert", "undefined=report"],
//!   "initial": [],
//!   "steps": [ { "edge": 0, "from": "entry", "to": "loop", "position": "a.c:3:5",
//!                "statements": ["x = nondet()"],
//!                "inputs": [ { "name": "n", "sort": "Int", "value": "-5" } ] } ] }
//! ```
//! Numbers are strings, so that no reader rounds them: integers in decimal, rationals as `n/d`, bit-vectors
//! as unsigned decimals; an array is `{"default": v, "entries": [[index, value], ...]}`. The options are
//! there for C only. Names, sorts, positions and statements are for people; the reader demands that names,
//! sorts and the property fit the program, and ignores positions and statements. `"translation"`, if it is
//! there, says what the user's compiler confirmed; readers ignore it.

use palisade_program::{EdgeId, Program, Run, Step};
use palisade_term::{ArrayValue, Integer, Rational, Sort, Term, TermPool, Value};
use serde::{Deserialize, Serialize};

use crate::FileError;

const FORMAT: &str = "palisade-run";
const VERSION: u32 = 1;

#[derive(Serialize, Deserialize)]
struct RunFile {
    format: String,
    version: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    property: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    options: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    translation: Option<String>,
    initial: Vec<NamedValue>,
    steps: Vec<StepFile>,
}

#[derive(Serialize, Deserialize)]
struct StepFile {
    edge: u32,
    from: String,
    to: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    position: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    statements: Vec<String>,
    #[serde(default)]
    inputs: Vec<NamedValue>,
}

#[derive(Serialize, Deserialize)]
struct NamedValue {
    name: String,
    sort: String,
    value: Json,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum Json {
    Scalar(String),
    Array { default: Box<Json>, entries: Vec<(Json, Json)> },
}

/// The file of a run of the program that the front-end makes under these options ([`crate::read_options`]).
pub fn write_run(pool: &TermPool, program: &Program, run: &Run, options: &[String]) -> String {
    let named = |vars: &[Term], values: &[Value]| -> Vec<NamedValue> {
        vars.iter()
            .zip(values)
            .map(|(&v, x)| NamedValue {
                name: pool.var_name(v).into(),
                sort: pool.sort(v).to_string(),
                value: to_json(x),
            })
            .collect()
    };
    let step = |s: &Step| {
        let e = program.edge(s.edge);
        StepFile {
            edge: s.edge.0,
            from: program.location(e.source).name.clone(),
            to: program.location(e.target).name.clone(),
            position: e.origin.statements.iter().find_map(|s| s.position.as_ref()).map(|p| p.to_string()),
            statements: e.origin.statements.iter().map(|s| s.text.to_string()).collect(),
            inputs: named(&e.inputs, &s.inputs),
        }
    };
    let file = RunFile {
        format: FORMAT.into(),
        version: VERSION,
        property: property(program, run),
        options: options.to_vec(),
        translation: None,
        initial: named(program.vars(program.entry), &run.initial),
        steps: run.steps.iter().map(step).collect(),
    };
    to_text(&file)
}

fn to_text(file: &RunFile) -> String {
    let mut text = serde_json::to_string_pretty(file).expect("strings and numbers can be written as JSON");
    text.push('\n');
    text
}

/// The file with a note about the translation; unchanged if it is no run file.
pub(crate) fn annotate(text: &str, note: &str) -> String {
    match serde_json::from_str::<RunFile>(text) {
        Ok(file) => to_text(&RunFile { translation: Some(note.into()), ..file }),
        Err(_) => text.into(),
    }
}

/// What the last edge of a run says is violated.
fn property(program: &Program, run: &Run) -> Option<String> {
    let last = run.steps.last()?;
    program.edge(last.edge).origin.property.as_ref().map(|p| p.to_string())
}

/// Reads the file of a run of this program. What it claims is not checked yet.
pub fn read_run(pool: &TermPool, program: &Program, text: &str) -> Result<Run, FileError> {
    let file: RunFile = serde_json::from_str(text).map_err(|e| FileError(format!("not a run file: {e}")))?;
    if file.format != FORMAT || file.version != VERSION {
        return Err(FileError(format!(
            "this is {} version {}; {FORMAT} version {VERSION} is needed",
            file.format, file.version
        )));
    }
    let initial = values(pool, program.vars(program.entry), &file.initial)
        .map_err(|e| FileError(format!("initial state: {e}")))?;
    let mut steps = Vec::with_capacity(file.steps.len());
    for (i, s) in file.steps.iter().enumerate() {
        let err = |m: String| FileError(format!("step {i}: {m}"));
        let Some(edge) = program.edges.get(s.edge as usize) else {
            return Err(err(format!(
                "the program has {} edges, there is no edge {}",
                program.edges.len(),
                s.edge
            )));
        };
        let (from, to) = (&program.location(edge.source).name, &program.location(edge.target).name);
        if (from, to) != (&s.from, &s.to) {
            return Err(err(format!(
                "edge {} leads from {from} to {to}, not from {} to {}",
                s.edge, s.from, s.to
            )));
        }
        let inputs = values(pool, &edge.inputs, &s.inputs).map_err(err)?;
        steps.push(Step { edge: EdgeId(s.edge), inputs });
    }
    let run = Run { initial, steps };
    match property(program, &run) {
        ends if ends == file.property => Ok(run),
        ends => Err(FileError(format!(
            "the run is said to end in {}, its last edge in {}",
            file.property.as_deref().unwrap_or("no property"),
            ends.as_deref().unwrap_or("no property")
        ))),
    }
}

fn values(pool: &TermPool, vars: &[Term], given: &[NamedValue]) -> Result<Vec<Value>, String> {
    if vars.len() != given.len() {
        return Err(format!("{} values are given, {} are needed", given.len(), vars.len()));
    }
    let value = |(&v, g): (&Term, &NamedValue)| {
        let (name, sort) = (pool.var_name(v), pool.sort(v));
        if name != g.name || sort.to_string() != g.sort {
            return Err(format!("`{name}` of sort {sort} is needed, not `{}` of sort {}", g.name, g.sort));
        }
        from_json(&g.value, sort).ok_or_else(|| format!("the value of `{name}` is not of sort {sort}"))
    };
    vars.iter().zip(given).map(value).collect()
}

fn to_json(value: &Value) -> Json {
    match value {
        Value::Array(a) => Json::Array {
            default: Box::new(to_json(&a.default)),
            entries: a.entries.iter().map(|(i, v)| (to_json(i), to_json(v))).collect(),
        },
        scalar => Json::Scalar(scalar.to_string()),
    }
}

fn from_json(json: &Json, sort: &Sort) -> Option<Value> {
    match (json, sort) {
        (Json::Scalar(s), Sort::Bool) => s.parse().ok().map(Value::Bool),
        (Json::Scalar(s), Sort::Int) => s.parse().ok().map(Value::Int),
        (Json::Scalar(s), Sort::Real) => s.parse::<Rational>().ok().map(Value::Real),
        (Json::Scalar(s), Sort::BitVec(w)) => {
            let v: Integer = s.parse().ok()?;
            let fits = v >= Integer::from(0) && v.bits() <= u64::from(*w);
            fits.then_some(Value::BitVec(*w, v))
        }
        (Json::Array { default, entries }, Sort::Array(parts)) => {
            let mut array = ArrayValue {
                index_sort: parts.0.clone(),
                default: from_json(default, &parts.1)?,
                entries: Default::default(),
            };
            for (i, v) in entries {
                array.set(from_json(i, &parts.0)?, from_json(v, &parts.1)?);
            }
            Some(Value::Array(Box::new(array)))
        }
        _ => None,
    }
}
