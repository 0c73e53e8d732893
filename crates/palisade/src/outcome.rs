//! What is kept of a function whose claims were all tried: the verdicts, and the parts of the text that
//! decided them.
//!
//! The key is a hash of the version of Palisade, of all options, and of the contents of the parts
//! ([`palisade_front_c::parts`]). If it is found, nothing is translated and no certificate is checked: the
//! verdict was certified when it was kept. So whoever can write to the folder is trusted, as is SHA-256;
//! `--recheck` and `--certificate` trust neither and go back to the certificates ([`crate::cache`]). A hash
//! of the content tells damage from a result.
//!
//! Parts may have moved. Every place, in fields and in texts, is led to where its part is now; if two parts
//! that shared a line have moved apart, nothing is found.
//!
//! Entry points: [`key`], [`find`], [`store`].

use std::collections::BTreeMap;

use palisade_front_c::{Assumption, COptions, Extent, Outline};
use palisade_report::{ClaimResult, Evidence, hash};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::cache::Cache;
use crate::report::Report;
use crate::result::Final;

/// The verdicts about the claims of a function.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// All claims.
    pub claims: Vec<ClaimResult>,
    assumptions: Vec<palisade_report::Assumption>,
    /// More about those that are violated, in a file of its own: a run is long, and few ask for it.
    #[serde(skip)]
    details: Vec<Detail>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Detail {
    property: String,
    text: String,
    evidence: Evidence,
}

impl Outcome {
    /// Of what a run told.
    pub fn new(claims: &[ClaimResult], details: &[Report], assumptions: &[Assumption]) -> Outcome {
        let detail = |r: &Report| match &r.result {
            Final::False(property) => Some(Detail {
                property: property.clone(),
                text: r.text.clone(),
                evidence: r.evidence.clone(),
            }),
            Final::True | Final::Unknown(_) => None,
        };
        let assumption = |a: &Assumption| palisade_report::Assumption {
            what: a.what.clone(),
            places: a.places.clone(),
            dead: a.dead.clone(),
        };
        Outcome {
            claims: claims.to_vec(),
            details: details.iter().filter_map(detail).collect(),
            assumptions: assumptions.iter().map(assumption).collect(),
        }
    }

    /// The reports of violated claims.
    pub fn details(&self) -> impl Iterator<Item = Report> + '_ {
        let report =
            |d: &Detail| Report::new(Final::False(d.property.clone()), d.text.clone(), d.evidence.clone());
        self.details.iter().map(report)
    }

    /// What the verdicts rest on.
    pub fn assumptions(&self) -> impl Iterator<Item = Assumption> + '_ {
        self.assumptions.iter().map(|a| Assumption {
            what: a.what.clone(),
            places: a.places.clone(),
            dead: a.dead.clone(),
        })
    }
}

/// An outcome in its file.
#[derive(Serialize, Deserialize)]
struct Kept {
    /// Where the parts were: file, first line, last line.
    extents: Vec<(String, u32, u32)>,
    /// The outcome in JSON.
    outcome: String,
    /// The hash of all that.
    sum: String,
}

fn sum(key: &str, extents: &[(String, u32, u32)], outcome: &str) -> String {
    hash::of_bytes(format!("{key}\0{extents:?}\0{outcome}").as_bytes())
}

/// The hash of each part.
pub fn hashes(outline: &Outline) -> Vec<String> {
    outline.parts.iter().map(|p| hash::of_bytes(p.content.as_bytes())).collect()
}

/// The key of some parts under some words and options.
pub fn key(words: &[String], options: &COptions, hashes: &[String], parts: &[usize]) -> String {
    let mut text = format!("{words:?}\0{options:?}");
    for &i in parts {
        text.push('\n');
        text.push_str(&hashes[i]);
    }
    hash::of_bytes(text.as_bytes())
}

fn extents(outline: &Outline, parts: &[usize]) -> Vec<(String, u32, u32)> {
    let extent = |e: &Extent| (e.file.clone(), e.first, e.last);
    parts.iter().map(|&i| extent(&outline.parts[i].extent)).collect()
}

/// The key of the details of an outcome.
fn details_of(key: &str) -> String {
    hash::of_bytes(format!("{key} details").as_bytes())
}

/// Keeps an outcome.
pub fn store(cache: &Cache, key: &str, outline: &Outline, parts: &[usize], outcome: &Outcome) {
    let extents = extents(outline, parts);
    let keep = |key: &str, outcome: serde_json::Result<String>| {
        let Ok(outcome) = outcome else { return };
        let sum = sum(key, &extents, &outcome);
        cache.store(key, &Kept { extents: extents.clone(), outcome, sum });
    };
    keep(&details_of(key), serde_json::to_string(&outcome.details));
    keep(key, serde_json::to_string(outcome));
}

/// The outcome of a key, with the places of now; with more about violated claims if that is asked for.
pub fn find(cache: &Cache, key: &str, outline: &Outline, parts: &[usize], detailed: bool) -> Option<Outcome> {
    let mut outcome: Outcome = moved(cache, key, outline, parts)?;
    if detailed {
        outcome.details = moved(cache, &details_of(key), outline, parts)?;
    }
    Some(outcome)
}

fn moved<T: DeserializeOwned>(cache: &Cache, key: &str, outline: &Outline, parts: &[usize]) -> Option<T> {
    let kept: Kept = cache.find(key)?;
    if kept.sum != sum(key, &kept.extents, &kept.outcome) {
        return None;
    }
    let moves = Moves::new(&kept.extents, &extents(outline, parts))?;
    if moves.files.is_empty() {
        return serde_json::from_str(&kept.outcome).ok();
    }
    let mut value: Value = serde_json::from_str(&kept.outcome).ok()?;
    moves.apply(&mut value);
    serde_json::from_value(value).ok()
}

/// Where lines have moved to.
struct Moves {
    /// For each file, ranges of lines in their order, and how far each has moved. No line is in two of them.
    files: BTreeMap<String, Vec<Range>>,
}

/// A range of lines that has moved.
#[derive(Clone, Copy)]
struct Range {
    first: u32,
    last: u32,
    by: i64,
}

impl Moves {
    fn new(old: &[(String, u32, u32)], new: &[(String, u32, u32)]) -> Option<Moves> {
        let mut by_file: BTreeMap<&str, Vec<Range>> = BTreeMap::new();
        if old.len() != new.len() {
            return None;
        }
        for ((file, first, last), (file_now, first_now, _)) in old.iter().zip(new) {
            if file != file_now {
                return None;
            }
            let by = i64::from(*first_now) - i64::from(*first);
            by_file.entry(file).or_default().push(Range { first: *first, last: *last, by });
        }
        let mut files = BTreeMap::new();
        for (file, mut ranges) in by_file {
            if ranges.iter().all(|r| r.by == 0) {
                continue;
            }
            ranges.sort_by_key(|r| (r.first, r.last));
            let mut apart: Vec<Range> = Vec::new();
            for r in ranges {
                match apart.last_mut() {
                    Some(before) if before.last >= r.first => {
                        if before.by != r.by {
                            return None;
                        }
                        before.last = before.last.max(r.last);
                    }
                    _ => apart.push(r),
                }
            }
            files.insert(file.to_string(), apart);
        }
        Some(Moves { files })
    }

    fn line(&self, file: &str, line: u32) -> u32 {
        let Some(ranges) = self.files.get(file) else { return line };
        let range = ranges[..ranges.partition_point(|r| r.first <= line)].last();
        let by = range.filter(|r| line <= r.last).map_or(0, |r| r.by);
        u32::try_from(i64::from(line) + by).unwrap_or(line)
    }

    fn apply(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.text(text),
            Value::Array(all) => all.iter_mut().for_each(|v| self.apply(v)),
            Value::Object(fields) => {
                let file = fields.get("file").and_then(Value::as_str).map(str::to_string);
                let line = fields.get("line").and_then(Value::as_u64).and_then(|l| u32::try_from(l).ok());
                fields.values_mut().for_each(|v| self.apply(v));
                if let (Some(file), Some(line)) = (file, line) {
                    fields.insert("line".into(), self.line(&file, line).into());
                }
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// A text with its places `FILE:LINE` as they are now.
    fn text(&self, text: &str) -> String {
        let mut out = text.to_string();
        for file in self.files.keys() {
            let (name, mut done, mut next) = (format!("{file}:"), String::new(), out.as_str());
            while let Some(at) = next.find(&name) {
                let (before, rest) = next.split_at(at + name.len());
                let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
                done.push_str(before);
                // The end of a longer name is another file.
                let inside = before[..at].ends_with(|c: char| c.is_alphanumeric() || "/_-.+".contains(c));
                match rest[..digits].parse() {
                    Ok(line) if !inside => done.push_str(&self.line(file, line).to_string()),
                    _ => done.push_str(&rest[..digits]),
                }
                next = &rest[digits..];
            }
            done.push_str(next);
            out = done;
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(file: &str, first: u32, last: u32) -> (String, u32, u32) {
        (file.into(), first, last)
    }

    #[test]
    fn places_move_with_their_parts() {
        let old = [part("a.c", 1, 1), part("a.c", 3, 6), part("b.h", 3, 3)];
        let new = [part("a.c", 1, 1), part("a.c", 5, 8), part("b.h", 3, 3)];
        let moves = Moves::new(&old, &new).unwrap();
        assert_eq!(
            moves.text("at a.c:4:1, a.c:1:2, b.h:3:1 and lib/a.c:4:1"),
            "at a.c:6:1, a.c:1:2, b.h:3:1 and lib/a.c:4:1"
        );
        let mut value = serde_json::json!({"run": [{"file": "a.c", "line": 6, "column": 1}], "n": "a.c:3:3"});
        moves.apply(&mut value);
        assert_eq!(
            value,
            serde_json::json!({"run": [{"file": "a.c", "line": 8, "column": 1}], "n": "a.c:5:3"})
        );
        // Up, with a part that another one lies in, and what is in no part.
        let old = [part("a.c", 9, 20), part("a.c", 10, 11), part("a.c", 12, 15), part("a.c", 30, 30)];
        let new = [part("a.c", 4, 15), part("a.c", 5, 6), part("a.c", 7, 10), part("a.c", 30, 30)];
        let moves = Moves::new(&old, &new).unwrap();
        let lines = [8, 9, 11, 13, 20, 21, 30].map(|l| moves.line("a.c", l));
        assert_eq!(lines, [8, 4, 6, 8, 15, 21, 30]);
        // Two parts of one line that are on two lines now.
        assert!(
            Moves::new(&[part("a.c", 1, 1), part("a.c", 1, 1)], &[part("a.c", 1, 1), part("a.c", 2, 2)])
                .is_none()
        );
    }
}
