//! What the user sees at the end: the evidence, the result line, the JSON report.
//!
//! Evidence is for people. A proof shows the invariants at the loops; a counterexample is told statement by
//! statement; an unknown says why, how far, and where the run was. The exact certificate goes to
//! `--certificate`.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, Write as _};

use palisade_certify::{Counterexample, Proof};
use palisade_engines::Stop;
use palisade_front_c::{Assumption, Confirmation};
use palisade_program::{Graph, Loc, Program, Property, State};
use palisade_term::{Term, TermPool, Value};
use palisade_verify::{Unknown, Verdict};
use serde_json::{Map, json};

use crate::args::Format;
use crate::resources;
use crate::result::Final;
use crate::session::Session;
use crate::status;

/// The end of a run.
pub struct Report {
    /// The verdict.
    pub result: Final,
    /// The evidence, for people.
    pub text: String,
    /// The evidence, for the JSON report.
    pub details: Map<String, serde_json::Value>,
}

impl Report {
    /// The report with what the user's compiler said about the translation.
    pub fn with_translation(mut self, confirmation: Option<&Confirmation>) -> Report {
        if let Some(confirmation) = confirmation {
            let _ = writeln!(self.text, "translation: {confirmation}");
            self.details.insert("translation".into(), json!(confirmation.to_string()));
        }
        self
    }

    /// Says what a proof rests on besides the program.
    pub fn assume(&mut self, assumptions: &[Assumption]) {
        if self.result != Final::True || assumptions.is_empty() {
            return;
        }
        for a in assumptions {
            let places = match &a.places[..] {
                [one] => format!("at {one}"),
                [first, rest @ ..] => format!("at {first} and {} more places", rest.len()),
                [] => continue,
            };
            let _ = writeln!(self.text, "assuming {} {places}", a.what);
            for place in &a.dead {
                let _ = writeln!(self.text, "note: nothing behind {place} is executed, assuming {}", a.what);
            }
        }
        let list = assumptions.iter().map(|a| json!({"what": a.what, "places": a.places, "dead": a.dead}));
        self.details.insert("assumptions".to_string(), list.collect());
    }
}

/// The report of a verdict about a program.
pub fn verdict(pool: &TermPool, program: &Program, verdict: &Verdict, session: &Session) -> Report {
    match verdict {
        Verdict::Safe(evidence) => proof(pool, program, evidence),
        Verdict::Unsafe(evidence) => counterexample(pool, program, evidence),
        Verdict::Unknown(why) => unknown(pool, why, session),
    }
}

/// The report of the check of a witness circuit.
pub fn witness_circuit(checked: Result<(), String>) -> Report {
    match checked {
        Ok(()) => Report {
            result: Final::True,
            text: "proof: the witness simulates the circuit, and its property is inductive\n".into(),
            details: Map::new(),
        },
        Err(why) => Report {
            result: Final::Unknown(why.clone()),
            text: format!("unknown: {why}\n"),
            details: Map::new(),
        },
    }
}

/// The report of a proof.
fn proof(pool: &TermPool, program: &Program, proof: &Proof) -> Report {
    let loops: BTreeSet<Loc> = Graph::new(program).loop_heads().collect();
    let mut text = String::new();
    let mut list = Vec::new();
    let count = program.edges.len();
    let _ = match loops.len() {
        0 => writeln!(text, "proof: no loop is reachable; checked on all {count} edges"),
        _ => writeln!(text, "proof: inductive invariants, checked on all {count} edges"),
    };
    for l in program.locs().filter(|&l| l != program.entry && l != program.error) {
        let Some(formula) = proof.invariants().at(l) else { continue };
        let position = program.location(l).position.as_ref();
        list.push(json!({
            "location": program.location(l).name,
            "position": position.map(|p| p.to_string()),
            "loop": loops.contains(&l),
            "formula": pool.infix(formula).to_string(),
        }));
        if loops.contains(&l) {
            let _ = writeln!(text, "  {}:", place(program, l));
            for conjunct in pool.conjuncts(formula) {
                let _ = writeln!(text, "    {}", pool.infix(conjunct));
            }
            if formula == pool.tru() {
                let _ = writeln!(text, "    true");
            }
        }
    }
    let details = Map::from_iter([("invariants".to_string(), json!(list))]);
    Report { result: Final::True, text, details }
}

/// The report of a counterexample. A location that stands for an unsupported construct is no violation.
fn counterexample(pool: &TermPool, program: &Program, cex: &Counterexample) -> Report {
    let result = match cex.property(program) {
        None => Final::False("assert".into()),
        Some(Property::Violated(name)) => Final::False(name.to_string()),
        Some(no_verdict) => Final::Unknown(no_verdict.to_string()),
    };
    let steps = &cex.run().steps;
    let mut text = match cex.property(program) {
        Some(Property::Unsupported(_)) => {
            format!("a run of {} steps reaches something unsupported:\n", steps.len())
        }
        Some(Property::Undefined(_)) => {
            format!("a run of {} steps has undefined behaviour:\n", steps.len())
        }
        Some(Property::Open(what)) => {
            format!("a run of {} steps violates the property, but that depends on {what}:\n", steps.len())
        }
        Some(Property::Violated(_)) | None => {
            let property = cex.property(program).and_then(Property::violated).unwrap_or("assert");
            format!("counterexample: a run of {} steps violates `{property}`:\n", steps.len())
        }
    };
    let states = &cex.replay().states;
    let mut list = Vec::new();
    let initial = named(pool, program.vars(program.entry), &states[0].1);
    if !initial.is_empty() {
        let _ = writeln!(text, "     initially {}", join(&initial));
    }
    for (i, step) in steps.iter().enumerate() {
        let edge = program.edge(step.edge);
        let changed = changes(pool, program, &states[i], &states[i + 1]);
        let inputs = named(pool, &edge.inputs, &step.inputs);
        if !changed.is_empty() || !inputs.is_empty() || i + 1 == steps.len() {
            tell_step(&mut text, program, i, step.edge, &inputs, &changed);
        }
        let object = |pairs: &[(String, String)]| -> Map<String, serde_json::Value> {
            pairs.iter().map(|(n, v)| (n.clone(), json!(v))).collect()
        };
        let position = edge.origin.statements.iter().find_map(|s| s.position.as_ref());
        list.push(json!({
            "step": i + 1,
            "edge": step.edge.0,
            "from": program.location(edge.source).name,
            "to": program.location(edge.target).name,
            "position": position.map(ToString::to_string),
            "statements": edge.origin.statements.iter().map(|s| s.text.to_string()).collect::<Vec<_>>(),
            "inputs": object(&inputs),
            "state": object(&named(pool, program.vars(edge.target), &states[i + 1].1)),
        }));
    }
    let details = Map::from_iter([("run".to_string(), json!(list))]);
    Report { result, text, details }
}

/// One line per statement of the edge; the last one carries what it did.
fn tell_step(
    out: &mut String,
    program: &Program,
    i: usize,
    edge: palisade_program::EdgeId,
    inputs: &[(String, String)],
    changed: &[(String, String)],
) {
    let edge = program.edge(edge);
    let mut effect = String::new();
    if !inputs.is_empty() {
        let _ = write!(effect, "  with {}", join(inputs));
    }
    if !changed.is_empty() {
        let _ = write!(effect, "  => {}", join(changed));
    }
    let statements = &edge.origin.statements;
    if statements.is_empty() {
        let (from, to) = (&program.location(edge.source).name, &program.location(edge.target).name);
        let _ = writeln!(out, "{:>4}  {from} -> {to}{effect}", i + 1);
    }
    for (j, s) in statements.iter().enumerate() {
        let number = if j == 0 { format!("{:>4}", i + 1) } else { "    ".into() };
        let position = s.position.as_ref().map_or(String::new(), |p| format!("{p}: "));
        let effect = if j + 1 == statements.len() { effect.as_str() } else { "" };
        let _ = writeln!(out, "{number}  {position}{}{effect}", s.text);
    }
}

/// The variables that an edge gave a new value, or that began to live.
fn changes(
    pool: &TermPool,
    program: &Program,
    before: &(Loc, State),
    after: &(Loc, State),
) -> Vec<(String, String)> {
    let old = |v: Term| program.vars(before.0).iter().position(|&w| w == v).map(|i| &before.1[i]);
    let pairs = program.vars(after.0).iter().zip(&after.1);
    let new = pairs.filter(|(v, x)| old(**v) != Some(x));
    new.map(|(&v, x)| (pool.var_display(v), x.to_string())).collect()
}

fn named(pool: &TermPool, vars: &[Term], values: &[Value]) -> Vec<(String, String)> {
    vars.iter().zip(values).map(|(&v, x)| (pool.var_display(v), x.to_string())).collect()
}

fn join(pairs: &[(String, String)]) -> String {
    pairs.iter().map(|(n, v)| format!("{n} = {v}")).collect::<Vec<_>>().join(", ")
}

/// The report of no answer: why, and what the engine knew.
fn unknown(pool: &TermPool, unknown: &Unknown, session: &Session) -> Report {
    let Unknown { partial, program, .. } = unknown;
    let reason = unknown.reason.to_string();
    let mut text = format!("unknown: {reason}\n");
    let mut details = Map::new();
    let lines = &mut text;
    let known = session.known().clone();
    if let Some(bound) = partial.safe_bound {
        let _ = writeln!(lines, "  no run of up to {bound} steps of the prepared program reaches the error");
        details.insert("safe_bound".into(), json!(bound));
    }
    let stuck = partial.stuck_at.map(|l| place(program, l));
    if let Some(at) = &stuck {
        let _ = writeln!(lines, "  busy at {at}");
    }
    work_so_far(lines, &known);
    let mut invariants = Vec::new();
    for &(l, formula) in &partial.invariants {
        let (at, formula) = (place(program, l), pool.infix(formula).to_string());
        let _ = writeln!(lines, "  invariant at {at}: {formula}");
        invariants.push(json!({ "location": program.location(l).name, "formula": formula }));
    }
    for note in &partial.notes {
        let _ = writeln!(lines, "  {note}");
    }
    details.insert("stuck_at".into(), json!(stuck));
    details.insert("invariants".into(), json!(invariants));
    details.insert("notes".into(), json!(partial.notes));
    Report { result: Final::Unknown(reason), text, details }
}

fn work_so_far(out: &mut String, known: &crate::session::Known) {
    if let Some(bound) = known.bound {
        let _ = writeln!(out, "  bound {bound}, {} queries, {} lemmas", known.queries, known.lemmas);
    }
}

/// The last word about a run whose worker did not come to an end: prints it, and returns the exit code.
pub fn abandoned(session: &Session, stop: Stop) -> u8 {
    let reason = stop.to_string();
    let known = session.known().clone();
    let mut text = format!("unknown: {reason}\n  while {}\n", known.phase);
    work_so_far(&mut text, &known);
    if let Some(name) = known.location.and_then(|l| known.names.get(l.index())) {
        let _ = writeln!(text, "  busy at {name}");
    }
    let details = Map::from_iter([("phase".to_string(), json!(known.phase))]);
    publish(session, &Report { result: Final::Unknown(reason), text, details })
}

/// Prints the report, writes the JSON file and the end of the trace; returns the exit code. Files that cannot
/// be written cost a message, never the verdict.
pub fn publish(session: &Session, report: &Report) -> u8 {
    status::wipe();
    let code = report.result.exit_code();
    let known = session.known().clone();
    if let Some(trace) = &session.trace
        && let Ok(mut trace) = trace.try_lock()
    {
        let t = session.started.elapsed().as_secs_f64();
        trace.line(&json!({ "event": "result", "result": report.result.to_string(), "t": t }));
        trace.flush();
    }
    if let Some(path) = &session.json {
        let text = format!("{:#}\n", json_report(session, &known, report));
        if let Err(e) = std::fs::write(path, text) {
            eprintln!("palisade: error: the report {} was not written: {e}", path.display());
        }
    }
    let line = report.result.line(session.format, known.language);
    // Nothing but a witness there, and without an answer there is none.
    let silent = session.format == Format::Hwmcc && matches!(report.result, Final::Unknown(_));
    let text = if silent { "" } else { &report.text };
    let mut out = io::stdout().lock();
    if let Err(e) = writeln!(out, "{text}{line}").and_then(|()| out.flush()) {
        eprintln!("palisade: error: the output was not written: {e}; {line}");
    }
    code
}

fn json_report(session: &Session, known: &crate::session::Known, report: &Report) -> serde_json::Value {
    let (result, property, reason) = match &report.result {
        Final::True => ("TRUE", None, None),
        Final::False(p) => ("FALSE", Some(p), None),
        Final::Unknown(r) => ("UNKNOWN", None, Some(r)),
    };
    let counters: Map<String, serde_json::Value> =
        known.counters.iter().map(|(n, v)| (n.to_string(), json!(v))).collect();
    let used = resources::usage();
    json!({
        "palisade": env!("CARGO_PKG_VERSION"),
        "input": session.subject.input,
        "engine": session.subject.engine,
        "result": result,
        "property": property,
        "reason": reason,
        "exit_code": report.result.exit_code(),
        "cpu_seconds": used.cpu.as_secs_f64(),
        "wall_seconds": session.started.elapsed().as_secs_f64(),
        "peak_memory_bytes": resources::peak_memory(),
        "bound": known.bound,
        "queries": known.queries,
        "lemmas": known.lemmas,
        "counters": counters,
        "evidence": report.details,
    })
}

/// A location as a person would look for it.
fn place(program: &Program, l: Loc) -> String {
    let location = program.location(l);
    match &location.position {
        Some(p) => format!("{p} ({})", location.name),
        None => location.name.clone(),
    }
}
