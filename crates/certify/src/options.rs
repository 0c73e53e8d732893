//! The front-end options in the head of a certificate: what its program *is* may depend on how the input was
//! read.
//!
//! Options are texts `NAME=VALUE`, in the order in which they were written; this crate does not know what
//! they mean. A proof has them as `(set-info :palisade-options ("int=c" "width=32"))`, a run as `"options":
//! ["int=c", "width=32"]`. Inputs that need no options (Horn clauses, transition systems) get none, so that
//! the proof of a Horn system is nothing but a model.

use std::fmt::Write as _;

use palisade_smtlib::Tree;
use serde::Deserialize;

use crate::{FileError, FileKind, file_kind};

const KEYWORD: &str = "palisade-options";

/// The options line of a proof; nothing if there are none.
pub(crate) fn line(options: &[String]) -> String {
    if options.is_empty() {
        return String::new();
    }
    let mut out = format!("(set-info :{KEYWORD} (");
    for (i, option) in options.iter().enumerate() {
        let space = if i == 0 { "" } else { " " };
        let _ = write!(out, "{space}\"{}\"", option.replace('"', "\"\""));
    }
    out.push_str("))\n");
    out
}

#[derive(Deserialize)]
struct Head {
    #[serde(default)]
    options: Vec<String>,
}

/// The options a certificate was made under, of a proof or a run. A file by another tool has none.
pub fn read_options(text: &str) -> Result<Vec<String>, FileError> {
    if file_kind(text) == FileKind::Run {
        let head: Head = serde_json::from_str(text).map_err(|e| FileError(format!("not a run file: {e}")))?;
        return Ok(head.options);
    }
    let tree = Tree::parse(text).map_err(|e| FileError(e.to_string()))?;
    let mut found: Option<Vec<String>> = None;
    for root in tree.roots() {
        let Some([_, name, value]) = root.form("set-info").and_then(|items| items.exactly()) else {
            continue;
        };
        if name.keyword().map(|k| k.trim_start_matches(':')) != Some(KEYWORD) {
            continue;
        }
        let words =
            value.list().map(|l| l.iter().map(|s| s.string().map(String::from)).collect::<Option<_>>());
        let Some(Some(words)) = words else {
            return Err(FileError(format!("{}: the options are a list of strings", value.pos())));
        };
        if found.replace(words).is_some() {
            return Err(FileError(format!("{}: the options are given twice", root.pos())));
        }
    }
    Ok(found.unwrap_or_default())
}
