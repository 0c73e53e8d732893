//! Witnesses for C programs in the format of SV-COMP, versions 2.0 and 2.1.
//!
//! After Ayaziová, Beyer, Lingsch-Rosenfeld, Spiessl, Strejček: "Software Verification Witnesses 2.0" (SPIN
//! 2024). A proof becomes an `invariant_set`, a counterexample a `violation_sequence`: the values that
//! functions without a body return, in order, and the statement that violates the property. These values
//! decide the run, apart from uninitialised memory. All places are in the files that are verified.
//!
//! Limits: values of uninitialised variables are not stated; a proof whose invariants cannot be said in C
//! gives an empty set, which says only that the program is correct.
//!
//! Entry point: [`write()`].

use std::borrow::Cow;

use serde::Serialize;

use crate::document::{Document, PlaceKind, Position, Run, Step, Verdict};
use crate::scan::Scan;
use crate::{hash, time};

/// The version of the format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Version {
    /// 2.0.
    #[default]
    V2_0,
    /// 2.1.
    V2_1,
}

impl Version {
    fn text(self) -> &'static str {
        match self {
            Version::V2_0 => "2.0",
            Version::V2_1 => "2.1",
        }
    }
}

#[derive(Serialize)]
struct Entry<'d> {
    entry_type: &'static str,
    metadata: Metadata<'d>,
    content: Vec<Content<'d>>,
}

#[derive(Serialize)]
struct Metadata<'d> {
    format_version: &'static str,
    uuid: String,
    creation_time: String,
    producer: Producer<'d>,
    task: Task<'d>,
}

#[derive(Serialize)]
struct Producer<'d> {
    name: &'static str,
    version: &'d str,
    #[serde(skip_serializing_if = "Option::is_none")]
    configuration: Option<&'d str>,
}

#[derive(Serialize)]
struct Task<'d> {
    input_files: Vec<&'d str>,
    input_file_hashes: std::collections::BTreeMap<&'d str, &'d str>,
    specification: Cow<'d, str>,
    data_model: &'d str,
    language: &'static str,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Content<'d> {
    Segment { segment: Vec<Item<'d>> },
    Invariant { invariant: InvariantEntry<'d> },
}

#[derive(Serialize)]
struct Item<'d> {
    waypoint: Waypoint<'d>,
}

#[derive(Serialize)]
struct Waypoint<'d> {
    #[serde(rename = "type")]
    kind: &'static str,
    action: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    constraint: Option<Constraint>,
    location: Location<'d>,
}

#[derive(Serialize)]
struct Constraint {
    value: String,
    format: &'static str,
}

#[derive(Serialize)]
struct InvariantEntry<'d> {
    #[serde(rename = "type")]
    kind: &'static str,
    location: Location<'d>,
    value: &'d str,
    format: &'static str,
}

#[derive(Serialize)]
struct Location<'d> {
    file_name: &'d str,
    line: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    function: Option<&'d str>,
}

/// The witness of a document, as YAML. `text` reads an input file.
///
/// # Errors
/// Says why there is none: no answer, no C program, an annotation that does not hold, or a run without a
/// place in the source.
pub fn write(
    document: &Document,
    text: &dyn Fn(&str) -> Option<String>,
    version: Version,
) -> Result<String, String> {
    if document.language.as_deref() != Some("c") {
        return Err("only C programs have witnesses of this format".into());
    }
    if document.property.as_deref() == Some("annotation") {
        return Err("the format has no word for annotations that do not hold".into());
    }
    let (entry_type, content) = match (document.result, &document.evidence.run) {
        (Verdict::True, _) => ("invariant_set", invariants(document)),
        (Verdict::False, Some(run)) => ("violation_sequence", waypoints(document, text, run)?),
        _ => return Err("without an answer there is no witness".into()),
    };
    let inputs = &document.inputs;
    let mut entry = Entry {
        entry_type,
        metadata: Metadata {
            format_version: version.text(),
            uuid: String::new(),
            creation_time: time::now(),
            producer: Producer {
                name: "Palisade",
                version: &document.palisade,
                configuration: document.engine.as_deref(),
            },
            task: Task {
                input_files: inputs.iter().map(|f| f.path.as_str()).collect(),
                input_file_hashes: inputs
                    .iter()
                    .filter_map(|f| Some((f.path.as_str(), f.sha256.as_deref()?)))
                    .collect(),
                specification: specification(document),
                data_model: document.data_model.as_deref().unwrap_or("ILP32"),
                language: "C",
            },
        },
        content,
    };
    // The same witness has the same identity, and another one another.
    let text = serde_yaml_ng::to_string(&[&entry]).map_err(|e| e.to_string())?;
    entry.metadata.uuid = uuid(&text);
    serde_yaml_ng::to_string(&[&entry]).map_err(|e| e.to_string())
}

/// The property. Where verification began at another function than `main`, it says so.
fn specification(document: &Document) -> Cow<'_, str> {
    let property = document.specification.as_deref().unwrap_or_default();
    match document.options.iter().find_map(|o| o.strip_prefix("function=")) {
        None => property.into(),
        Some(function) => format!("CHECK( init({function}()), LTL({property}) )").into(),
    }
}

fn invariants(document: &Document) -> Vec<Content<'_>> {
    // The models of library functions have loops too; no reader of the witness knows them.
    let all = document.evidence.c_invariants.iter().filter(|i| is_in_input(document, &i.in_input));
    all.map(|i| {
        let invariant = InvariantEntry {
            kind: match i.kind {
                PlaceKind::Loop => "loop_invariant",
                PlaceKind::Location => "location_invariant",
            },
            location: location(&i.in_input, Some(&i.function)),
            value: &i.expression,
            format: "c_expression",
        };
        Content::Invariant { invariant }
    })
    .collect()
}

/// Is a place in one of the files that are verified? Others are models of library functions and headers.
fn is_in_input(document: &Document, place: &Position) -> bool {
    document.inputs.iter().any(|f| *f.path == *place.file)
}

fn waypoints<'d>(
    document: &'d Document,
    text: &dyn Fn(&str) -> Option<String>,
    run: &'d Run,
) -> Result<Vec<Content<'d>>, String> {
    let mut out = Vec::new();
    for step in &run.steps {
        for answer in &step.answers {
            let is_number = answer.value.parse::<i128>().is_ok();
            // What a macro calls has a line only.
            let closing = answer.closing.as_ref().map(|c| location(c, step.function.as_deref()));
            let expanded = answer.expanded.as_ref().map(|e| location(e, step.function.as_deref()));
            let place = closing.or(expanded.map(|l| Location { column: None, ..l }));
            let is_in_input = |l: &Location| document.inputs.iter().any(|f| *f.path == *l.file_name);
            if let Some(location) = place.filter(|l| is_number && is_in_input(l)) {
                out.push(segment(Waypoint {
                    kind: "function_return",
                    action: "follow",
                    constraint: Some(Constraint {
                        value: format!("\\result == {}", answer.value),
                        format: "acsl_expression",
                    }),
                    location,
                }));
            }
        }
    }
    run.steps.last().filter(|s| s.violation).ok_or("the run does not end in a violation")?;
    // What a library function violates is violated by its call.
    let place = |s: &'d Step| s.in_input.as_ref().filter(|p| is_in_input(document, p)).map(|p| (s, p));
    let last = run.steps.iter().rev().find_map(place);
    let (last, place) = last.ok_or("the violation has no place in the source")?;
    let mut location = location(place, last.function.as_deref());
    // The target is a statement; what is violated may be deep inside.
    if let Some((line, column)) = text(&place.file).and_then(|t| statement(&t, place.line, place.column)) {
        (location.line, location.column) = (line, Some(column));
    }
    out.push(segment(Waypoint { kind: "target", action: "follow", constraint: None, location }));
    Ok(out)
}

/// The place of the innermost statement around a place.
fn statement(text: &str, line: u32, column: u32) -> Option<(u32, u32)> {
    let scan = Scan::new(text);
    Some(scan.position(scan.start_of_statement(scan.offset(line, column)?)))
}

fn segment(waypoint: Waypoint<'_>) -> Content<'_> {
    Content::Segment { segment: vec![Item { waypoint }] }
}

fn location<'d>(position: &'d Position, function: Option<&'d str>) -> Location<'d> {
    Location { file_name: &position.file, line: position.line, column: Some(position.column), function }
}

/// A universally unique identifier (version 8) from the hash of a text.
fn uuid(text: &str) -> String {
    let h = hash::of_bytes(text.as_bytes());
    format!("{}-{}-8{}-a{}-{}", &h[0..8], &h[8..12], &h[13..16], &h[17..20], &h[20..32])
}
