//! A run as one page for a browser: tables that can be sorted and filtered, and plots that follow.
//!
//! The page is self-contained: no network, no other file. It is a fixed text with one hole for data. The data
//! is JSON, in which `<` is written as an escape so that it cannot end its element, and the script puts texts
//! into the page as texts only. What is counted is counted by the script, for the rows that are selected.
//!
//! Entry point: [`page`].

use serde_json::json;

use crate::record::{Class, Row};
use crate::summary::Summary;

const PAGE: &str = include_str!("html/page.html");
const HOLE: &str = "@DATA@";

/// The page of a run.
pub fn page(summary: &Summary) -> String {
    let engines: Vec<&str> = summary.engines.iter().map(|score| score.engine.as_str()).collect();
    let rows: Vec<_> = summary.rows.iter().map(row).collect();
    let data = json!({ "timeout": summary.timeout.as_secs_f64(), "engines": engines, "rows": rows });
    let (before, after) = PAGE.split_once(HOLE).expect("the page has a hole");
    [before, &data.to_string().replace('<', "\\u003c"), after].concat()
}

fn row(row: &Row) -> serde_json::Value {
    json!({
        "family": row.family,
        "file": row.file,
        "expected": row.expected,
        "engine": row.engine,
        "verdict": row.verdict,
        "reason": row.reason,
        "class": class(row.class()),
        "cpu": row.cpu,
        "wall": row.wall,
        "memory": row.memory_mb,
        "certificate": row.certificate,
    })
}

fn class(class: Class) -> &'static str {
    match class {
        Class::Solved => "solved",
        Class::Wrong => "wrong",
        Class::BadCertificate => "bad-certificate",
        Class::Unknown => "unknown",
        Class::Timeout => "timeout",
        Class::Memout => "memout",
        Class::Unsupported => "unsupported",
        Class::Error => "error",
    }
}
