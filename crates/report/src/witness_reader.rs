//! Reading witnesses of SV-COMP, of any tool.
//!
//! Entry point: [`read`].

use std::collections::BTreeMap;

use serde::Deserialize;

/// A place that a witness names.
#[derive(Clone, Debug, Deserialize)]
pub struct Location {
    /// The file.
    pub file_name: Option<String>,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; without it, the leftmost suitable place of the line is meant.
    pub column: Option<u32>,
}

/// What must hold at a waypoint.
#[derive(Clone, Debug, Deserialize)]
pub struct Constraint {
    /// A C expression, a truth value, or a case label.
    pub value: serde_yaml_ng::Value,
}

impl Constraint {
    /// Its text, whatever YAML made of it.
    pub fn text(&self) -> String {
        match &self.value {
            serde_yaml_ng::Value::String(s) => s.clone(),
            serde_yaml_ng::Value::Bool(b) => b.to_string(),
            serde_yaml_ng::Value::Number(n) => n.to_string(),
            _ => String::new(),
        }
    }
}

/// A waypoint.
#[derive(Clone, Debug, Deserialize)]
pub struct Waypoint {
    /// `assumption`, `target`, `function_enter`, `function_return`, `branching`.
    #[serde(rename = "type")]
    pub kind: String,
    /// `follow` or `avoid`.
    pub action: String,
    /// What must hold.
    pub constraint: Option<Constraint>,
    /// Where.
    pub location: Location,
}

/// An invariant.
#[derive(Clone, Debug, Deserialize)]
pub struct Invariant {
    /// `loop_invariant`, `location_invariant`.
    #[serde(rename = "type")]
    pub kind: String,
    /// Where it holds.
    pub location: Location,
    /// The expression.
    pub value: String,
    /// The language of the expression.
    pub format: Option<String>,
}

/// The verification task.
#[derive(Clone, Debug, Deserialize)]
pub struct Task {
    /// SHA-256 of the files.
    #[serde(default)]
    pub input_file_hashes: BTreeMap<String, String>,
    /// The property.
    pub specification: String,
    /// `ILP32` or `LP64`.
    pub data_model: String,
}

/// A witness.
#[derive(Clone, Debug)]
pub enum Witness {
    /// The program is correct, since these hold.
    Invariants(Task, Vec<Invariant>),
    /// A run through these segments violates the property.
    Violation(Task, Vec<Vec<Waypoint>>),
}

impl Witness {
    /// The verification task.
    pub fn task(&self) -> &Task {
        match self {
            Witness::Invariants(task, _) | Witness::Violation(task, _) => task,
        }
    }
}

#[derive(Deserialize)]
struct Entry {
    entry_type: String,
    metadata: Metadata,
    content: serde_yaml_ng::Value,
}

#[derive(Deserialize)]
struct Metadata {
    format_version: Option<serde_yaml_ng::Value>,
    task: Task,
}

impl Metadata {
    /// Is it a version of the format that is read here?
    fn check(&self) -> Result<(), String> {
        let version = match &self.format_version {
            Some(serde_yaml_ng::Value::String(v)) => v.clone(),
            Some(serde_yaml_ng::Value::Number(v)) => v.to_string(),
            Some(_) => "?".into(),
            None => return Ok(()),
        };
        match version.starts_with("2.") || version == "2" {
            true => Ok(()),
            false => Err(format!("version {version} of the format is not supported (2.0 and 2.1 are)")),
        }
    }
}

#[derive(Deserialize)]
struct Segment {
    segment: Vec<Item>,
}

#[derive(Deserialize)]
struct Item {
    waypoint: Waypoint,
}

#[derive(Deserialize)]
struct InvariantItem {
    invariant: Option<Invariant>,
}

/// Reads a witness.
///
/// # Errors
/// Says what is not of the format, or not supported.
pub fn read(text: &str) -> Result<Witness, String> {
    let other = |e: serde_yaml_ng::Error| format!("this is no witness of SV-COMP, version 2.0 or 2.1: {e}");
    let entries: Vec<Entry> = serde_yaml_ng::from_str(text).map_err(other)?;
    let mut all: Vec<Invariant> = Vec::new();
    let mut task = None;
    for entry in entries {
        entry.metadata.check()?;
        match entry.entry_type.as_str() {
            "violation_sequence" => {
                let content: Vec<Segment> =
                    serde_yaml_ng::from_value(entry.content).map_err(|e| e.to_string())?;
                let segments =
                    content.into_iter().map(|s| s.segment.into_iter().map(|i| i.waypoint).collect());
                let segments: Vec<Vec<Waypoint>> = segments.collect();
                well_formed(&segments)?;
                return Ok(Witness::Violation(entry.metadata.task, segments));
            }
            "invariant_set" => {
                let content: Vec<InvariantItem> =
                    serde_yaml_ng::from_value(entry.content).map_err(|e| e.to_string())?;
                for item in content {
                    all.push(item.invariant.ok_or("contracts of functions are not supported")?);
                }
                task = Some(entry.metadata.task);
            }
            other => return Err(format!("entries of type `{other}` are not supported")),
        }
    }
    match task {
        Some(task) => Ok(Witness::Invariants(task, all)),
        None => Err("the witness has no entry".into()),
    }
}

/// Each segment ends in its one waypoint to follow; the last of them, and no other, is the target.
fn well_formed(segments: &[Vec<Waypoint>]) -> Result<(), String> {
    for (i, segment) in segments.iter().enumerate() {
        let follow = segment.iter().filter(|w| w.action == "follow").count();
        let ends = segment.last().is_some_and(|w| w.action == "follow");
        if follow != 1 || !ends {
            return Err(format!("segment {} does not end in its only waypoint to follow", i + 1));
        }
        let target = segment.iter().any(|w| w.kind == "target");
        if target != (i + 1 == segments.len()) {
            return Err("the target is not the last waypoint".into());
        }
        if let Some(w) = segment.iter().find(|w| !matches!(w.action.as_str(), "follow" | "avoid")) {
            return Err(format!("waypoints with the action `{}` are not supported", w.action));
        }
    }
    if segments.is_empty() { Err("the witness has no segment".into()) } else { Ok(()) }
}
