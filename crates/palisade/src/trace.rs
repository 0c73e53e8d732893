//! The trace of a run: one JSON object per line and event, for `palisade explain` and for other tools.
//!
//! The first line is the header (`"event": "start"`), the last one the result (`"event": "result"`).
//! Locations are given by name, formulas in infix notation. A trace that cannot be written any more (a full
//! disk) is given up with a warning; the run goes on.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use palisade_engines::Event;
use palisade_program::{Loc, Program};
use palisade_term::{Term, TermPool};
use serde_json::{Value, json};

/// An open trace.
pub struct TraceFile {
    path: PathBuf,
    /// `None` once writing failed.
    out: Option<BufWriter<File>>,
}

impl TraceFile {
    /// Opens the file, emptying it.
    pub fn create(path: &Path) -> std::io::Result<TraceFile> {
        Ok(TraceFile { path: path.into(), out: Some(BufWriter::new(File::create(path)?)) })
    }

    /// Writes one line.
    pub fn line(&mut self, value: &Value) {
        self.attempt(|out| writeln!(out, "{value}"));
    }

    /// Sees to it that everything so far is in the file.
    pub fn flush(&mut self) {
        self.attempt(|out| out.flush());
    }

    fn attempt(&mut self, write: impl FnOnce(&mut BufWriter<File>) -> std::io::Result<()>) {
        let Some(out) = &mut self.out else { return };
        if let Err(e) = write(out) {
            eprintln!("palisade: warning: the trace {} ends early: {e}", self.path.display());
            // Dropping the buffer would try to write once more.
            if let Some(out) = self.out.take() {
                let _ = out.into_parts();
            }
        }
    }
}

/// The first line.
pub fn header(pool: &TermPool, program: &Program, engine: &str, input: &str) -> Value {
    let locations: Vec<Value> = program
        .locs()
        .map(|l| {
            let location = program.location(l);
            json!({
                "name": location.name,
                "position": location.position.as_ref().map(|p| p.to_string()),
                "variables": location.vars.iter().map(|&v| pool.var_display(v)).collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({
        "event": "start",
        "palisade": env!("CARGO_PKG_VERSION"),
        "input": input,
        "engine": engine,
        "entry": program.location(program.entry).name,
        "error": program.location(program.error).name,
        "locations": locations,
        "edges": program.edges.len(),
    })
}

/// An event as a line of the trace.
pub fn event(pool: &TermPool, program: &Program, event: &Event<'_>, seconds: f64) -> Value {
    let name = |l: Loc| program.location(l).name.clone();
    let infix = |t: Term| pool.infix(t).to_string();
    let mut value = match *event {
        Event::Bound(bound) => json!({ "event": "bound", "bound": bound }),
        Event::Obligation { id, parent, level, location, cube } => json!({
            "event": "obligation", "id": id, "parent": parent, "level": level, "location": name(location),
            "cube": cube.iter().map(|&t| infix(t)).collect::<Vec<_>>(),
        }),
        Event::Lemma { level, location, formula, by } => json!({
            "event": "lemma", "level": level, "location": name(location), "formula": infix(formula), "by": by,
        }),
        Event::Push { level, location, formula } => json!({
            "event": "push", "level": level, "location": name(location), "formula": infix(formula),
        }),
        Event::Node { id, parent, location } => {
            json!({ "event": "node", "id": id, "parent": parent, "location": name(location) })
        }
        Event::Covered { id, by, location } => {
            json!({ "event": "covered", "id": id, "by": by, "location": name(location) })
        }
        Event::Uncovered { id, location } => {
            json!({ "event": "uncovered", "id": id, "location": name(location) })
        }
        Event::Strengthened { id, location, clause } => json!({
            "event": "strengthened", "id": id, "location": name(location), "clause": infix(clause),
        }),
        Event::PathBlocked { id, length, by } => {
            json!({ "event": "path-blocked", "id": id, "length": length, "by": by })
        }
        Event::PathImplies { from, id, length, by } => {
            json!({ "event": "path-implies", "from": from, "id": id, "length": length, "by": by })
        }
        Event::Removed { id, location, nodes } => {
            json!({ "event": "removed", "id": id, "location": name(location), "nodes": nodes })
        }
        Event::Predicate { location, predicate, by } => json!({
            "event": "predicate", "location": name(location), "predicate": infix(predicate), "by": by,
        }),
        Event::Refined { id, level, location, predicates } => json!({
            "event": "refined", "id": id, "level": level, "location": name(location),
            "predicates": predicates,
        }),
        Event::Backtracked { id, to } => json!({ "event": "backtracked", "id": id, "to": to }),
        Event::Abstraction { id, level, location, states } => json!({
            "event": "abstraction", "id": id, "level": level, "location": name(location), "states": states,
        }),
        Event::Spurious { id, level, location, cube } => json!({
            "event": "spurious", "id": id, "level": level, "location": name(location),
            "cube": cube.iter().map(|&t| infix(t)).collect::<Vec<_>>(),
        }),
        Event::Lifted { location, cube } => json!({
            "event": "lifted", "location": name(location),
            "cube": cube.iter().map(|&t| infix(t)).collect::<Vec<_>>(),
        }),
        Event::Counterexample(edges) => {
            let mut path: Vec<String> = edges.iter().map(|&e| name(program.edge(e).source)).collect();
            path.extend(edges.last().map(|&e| name(program.edge(e).target)));
            let edges: Vec<u32> = edges.iter().map(|e| e.0).collect();
            json!({ "event": "counterexample", "edges": edges, "path": path })
        }
        Event::SpuriousPath { length, predicates } => {
            json!({ "event": "spurious-path", "length": length, "predicates": predicates })
        }
        Event::Fixpoint(level) => json!({ "event": "fixpoint", "level": level }),
        Event::Queries(queries) => json!({ "event": "queries", "queries": queries }),
        Event::Lemmas(lemmas) => json!({ "event": "lemmas", "lemmas": lemmas }),
        Event::Counter(counter, count) => json!({ "event": "counter", "name": counter, "value": count }),
    };
    value["t"] = json!((seconds * 1e6).round() / 1e6);
    value
}
