//! Results in the Static Analysis Results Interchange Format (SARIF, OASIS standard, version 2.1.0), for code
//! reviews and editors.
//!
//! A counterexample is a result with its run as a code flow. A proof is a log without results, with a note. A
//! run without an answer is a log without results, and a warning says why. The rule of a result is its
//! property; rules are related to the Common Weakness Enumeration. The fingerprint of a result depends on the
//! rule, the file, the function and the text of the violating statement, and so survives edits elsewhere.
//!
//! Files below the root are named relative to it, others by their absolute address.
//!
//! Entry point: [`write()`].

use std::collections::BTreeMap;
use std::path::{Component, Path, PathBuf};

use serde_json::json;
use serde_sarif::sarif;

use crate::document::{Document, Position, Run, Step, StepKind, Verdict};
use crate::rules::{self, Rule};
use crate::{hash, time};

/// The name for the root of relative addresses.
const ROOT: &str = "SRCROOT";
/// The name of the Common Weakness Enumeration.
const CWE: &str = "CWE";

/// The log of a run, as JSON: of its document, and of more documents about single claims, if there are any.
/// `root` is the folder that relative paths start from: the working folder.
///
/// # Errors
/// Says why the log cannot be written.
pub fn write(document: &Document, claims: &[Document], root: &Path) -> Result<String, String> {
    let about = if claims.is_empty() { std::slice::from_ref(document) } else { claims };
    let violations: Vec<&Document> = about.iter().filter(|d| d.result == Verdict::False).collect();
    let mut used: Vec<Rule> = Vec::new();
    let mut results = Vec::new();
    for d in violations {
        let rule = rules::find(d.property.as_deref().unwrap_or_default());
        let index = used.iter().position(|r| *r == rule).unwrap_or_else(|| {
            used.push(rule);
            used.len() - 1
        });
        results.push(result(d, &rule, index, root));
    }
    let driver = sarif::ToolComponent::builder()
        .name("Palisade")
        .version(document.palisade.clone())
        .short_description(text("An inductive software model checker"))
        .rules(used.iter().map(descriptor).collect::<Vec<_>>())
        .supported_taxonomies(vec![component(CWE)])
        .build();
    let mut weaknesses: Vec<_> = used.iter().filter_map(|r| r.cwe).collect();
    weaknesses.sort_unstable();
    weaknesses.dedup();
    let taxa = weaknesses.into_iter().map(|(number, name)| {
        sarif::ReportingDescriptor::builder().id(number.to_string()).name(name).build()
    });
    let cwe = sarif::ToolComponent::builder()
        .name(CWE)
        .organization("MITRE")
        .information_uri("https://cwe.mitre.org/")
        .short_description(text("The MITRE Common Weakness Enumeration"))
        .taxa(taxa.collect::<Vec<_>>())
        .build();
    let run = sarif::Run::builder()
        .tool(sarif::Tool::builder().driver(driver).build())
        .invocations(vec![invocation(document)])
        .artifacts(artifacts(document, root))
        .original_uri_base_ids(BTreeMap::from([(ROOT.to_string(), base(root))]))
        .taxonomies(vec![cwe])
        .column_kind(json!("unicodeCodePoints"))
        .results(results)
        .build();
    let log =
        sarif::Sarif::builder().schema(sarif::SCHEMA_URL).version(json!("2.1.0")).runs(vec![run]).build();
    let mut out = serde_json::to_string_pretty(&log).map_err(|e| e.to_string())?;
    out.push('\n');
    Ok(out)
}

fn text(words: &str) -> sarif::MultiformatMessageString {
    sarif::MultiformatMessageString::builder().text(words).build()
}

fn message(words: impl Into<String>) -> sarif::Message {
    sarif::Message::builder().text(words.into()).build()
}

fn component(name: &str) -> sarif::ToolComponentReference {
    sarif::ToolComponentReference::builder().name(name).build()
}

/// A reference to an entry of the Common Weakness Enumeration.
fn weakness(number: u32) -> sarif::ReportingDescriptorReference {
    sarif::ReportingDescriptorReference::builder()
        .id(number.to_string())
        .tool_component(component(CWE))
        .build()
}

fn descriptor(rule: &Rule) -> sarif::ReportingDescriptor {
    let relationships = rule.cwe.map(|(number, _)| {
        sarif::ReportingDescriptorRelationship::builder()
            .target(weakness(number))
            .kinds(vec!["superset".to_string()])
            .build()
    });
    sarif::ReportingDescriptor::builder()
        .id(rule.id)
        .short_description(text(rule.violation))
        .full_description(text(rule.about))
        .relationships(relationships.into_iter().collect::<Vec<_>>())
        .build()
}

fn invocation(document: &Document) -> sarif::Invocation {
    let (level, said) = match document.result {
        Verdict::True => {
            let rests = document.evidence.assumptions.iter().map(|a| format!(", assuming {}", a.what));
            ("note", format!("the property is proved{}", rests.collect::<String>()))
        }
        Verdict::False => ("note", "the property is violated".to_string()),
        Verdict::Unknown => {
            ("warning", format!("not decided: {}", document.reason.as_deref().unwrap_or("no reason")))
        }
    };
    let notification = sarif::Notification::builder().message(message(said)).level(json!(level)).build();
    sarif::Invocation::builder()
        .execution_successful(document.result != Verdict::Unknown)
        .exit_code(i64::from(document.exit_code))
        .end_time_utc(time::now())
        .tool_execution_notifications(vec![notification])
        .build()
}

fn artifacts(document: &Document, root: &Path) -> Vec<sarif::Artifact> {
    let artifact = |f: &crate::InputFile| {
        let hashes: BTreeMap<String, String> =
            f.sha256.iter().map(|h| ("sha-256".to_string(), h.clone())).collect();
        sarif::Artifact::builder().location(address(&f.path, root)).hashes(hashes).build()
    };
    document.inputs.iter().map(artifact).collect()
}

fn result(document: &Document, rule: &Rule, index: usize, root: &Path) -> sarif::Result {
    let run = document.evidence.run.as_ref();
    let violation = run.and_then(|r| r.steps.last());
    let place = violation.and_then(|s| location(s, root));
    let place = place.or_else(|| {
        let input = document.inputs.first()?;
        Some(physical(
            sarif::PhysicalLocation::builder().artifact_location(address(&input.path, root)).build(),
        ))
    });
    let words = match violation {
        Some(step) if step.kind != StepKind::Edge => format!("{} at `{}`", rule.violation, step.text),
        _ => format!("{}: {}", rule.violation, document.property.as_deref().unwrap_or(rule.id)),
    };
    let words = document.evidence.assumptions.iter().fold(words, |w, a| format!("{w}, assuming {}", a.what));
    let flows = run.map(|r| code_flow(r, root)).into_iter().collect::<Vec<_>>();
    sarif::Result::builder()
        .rule_id(rule.id)
        .rule_index(index as i64)
        .kind(sarif::ResultKind::Fail)
        .level(sarif::ResultLevel::Error)
        .message(message(words))
        .locations(place.into_iter().collect::<Vec<_>>())
        .partial_fingerprints(BTreeMap::from([(
            "palisadeViolation/v1".to_string(),
            fingerprint(document, rule, violation, root),
        )]))
        .code_flows(flows)
        .taxa(rule.cwe.map(|(number, _)| weakness(number)).into_iter().collect::<Vec<_>>())
        .build()
}

/// The same for the same violation after edits elsewhere: no line numbers.
fn fingerprint(document: &Document, rule: &Rule, violation: Option<&Step>, root: &Path) -> String {
    let file = violation.and_then(|s| s.position.as_ref()).map(|p| p.file.clone());
    let file = file.or_else(|| document.inputs.first().map(|f| f.path.clone())).unwrap_or_default();
    let function = violation.and_then(|s| s.function.as_deref()).unwrap_or_default();
    let statement = violation.map_or("", |s| &s.text);
    let parts = [rule.id, &uri(&file, root).0, function, statement];
    hash::of_bytes(parts.join("\0").as_bytes())
}

fn code_flow(run: &Run, root: &Path) -> sarif::CodeFlow {
    let initial = run.initial.iter().map(|v| (v.variable.clone(), text(&v.value)));
    let (first, last) = run.ends();
    let steps = first.iter().chain(last).map(|s| thread_flow_location(s, root)).collect::<Vec<_>>();
    let flow = sarif::ThreadFlow::builder()
        .initial_state(initial.collect::<BTreeMap<_, _>>())
        .locations(steps)
        .build();
    sarif::CodeFlow::builder()
        .message(message("a run that violates the property"))
        .thread_flows(vec![flow])
        .build()
}

fn thread_flow_location(step: &Step, root: &Path) -> sarif::ThreadFlowLocation {
    let state: BTreeMap<_, _> = step.values.iter().map(|v| (v.variable.clone(), text(&v.value))).collect();
    let kinds = match step.kind {
        StepKind::Condition => vec!["branch".to_string()],
        StepKind::Return => vec!["return".to_string()],
        StepKind::Statement | StepKind::Edge => Vec::new(),
    };
    let importance = if step.violation { "essential" } else { "important" };
    let place = location(step, root).unwrap_or_else(|| sarif::Location::builder().build());
    sarif::ThreadFlowLocation::builder()
        .location(sarif::Location { message: Some(message(told(step))), ..place })
        .kinds(kinds)
        .nesting_level(i64::from(step.depth))
        .execution_order(step.step as i64)
        .importance(json!(importance))
        .state(state)
        .build()
}

/// A step in one line.
fn told(step: &Step) -> String {
    let mut out = match step.outcome {
        Some(value) => format!("`{}` is {value}", step.text),
        None => step.text.clone(),
    };
    for a in &step.answers {
        out.push_str(&format!("; {} = {}", a.function, a.value));
    }
    for v in &step.changed {
        out.push_str(&format!("; now {} = {}", v.variable, v.value));
    }
    out
}

fn physical(place: sarif::PhysicalLocation) -> sarif::Location {
    sarif::Location::builder().physical_location(place).build()
}

fn location(step: &Step, root: &Path) -> Option<sarif::Location> {
    let begin = step.position.as_ref()?;
    let end =
        step.end.as_ref().filter(|e| e.file == begin.file && (e.line, e.column) > (begin.line, begin.column));
    let place = sarif::PhysicalLocation::builder()
        .artifact_location(address(&begin.file, root))
        .region(region(begin, end))
        .build();
    let function = step
        .function
        .as_ref()
        .map(|name| sarif::LogicalLocation::builder().name(name.clone()).kind("function").build());
    let logical = function.into_iter().collect::<Vec<_>>();
    Some(sarif::Location { logical_locations: Some(logical), ..physical(place) })
}

fn region(begin: &Position, end: Option<&Position>) -> sarif::Region {
    let end = end.unwrap_or(begin);
    sarif::Region::builder()
        .start_line(i64::from(begin.line.max(1)))
        .start_column(i64::from(begin.column.max(1)))
        .end_line(i64::from(end.line.max(1)))
        .end_column(i64::from(end.column.max(1)))
        .build()
}

fn address(file: &str, root: &Path) -> sarif::ArtifactLocation {
    match uri(file, root) {
        (uri, true) => sarif::ArtifactLocation::builder().uri(uri).uri_base_id(ROOT).build(),
        (uri, false) => sarif::ArtifactLocation::builder().uri(uri).build(),
    }
}

fn base(root: &Path) -> sarif::ArtifactLocation {
    let mut uri = absolute(root);
    if !uri.ends_with('/') {
        uri.push('/');
    }
    sarif::ArtifactLocation::builder().uri(uri).build()
}

fn absolute(path: &Path) -> String {
    format!("file://{}", encoded(&path.display().to_string()))
}

/// The address of a file, and whether it is relative to the root.
fn uri(file: &str, root: &Path) -> (String, bool) {
    let mut whole = PathBuf::new();
    for part in root.join(file).components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(whole.pop()),
            other => whole.push(other),
        }
    }
    match whole.strip_prefix(root) {
        Ok(below) => (encoded(&below.display().to_string()), true),
        Err(_) => (absolute(&whole), false),
    }
}

/// A path with everything encoded that an address cannot have.
fn encoded(path: &str) -> String {
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"/-._~+".contains(&b);
    path.bytes().map(|b| if plain(b) { char::from(b).to_string() } else { format!("%{b:02X}") }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_relative_below_the_root() {
        let root = Path::new("/home/me/project");
        assert_eq!(uri("src/a b.c", root), ("src/a%20b.c".into(), true));
        assert_eq!(uri("./src/../a.c", root), ("a.c".into(), true));
        assert_eq!(uri("/home/me/project/x.c", root), ("x.c".into(), true));
        assert_eq!(uri("../x.c", root), ("file:///home/me/x.c".into(), false));
    }
}
