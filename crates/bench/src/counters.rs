//! The counters of an engine's run, as `palisade verify --json` tells them.
//!
//! A run is asked for its counters with `--counters LIST`. A [`Measure`] of the list is a counter, or the
//! ratio of two (`A/B`): literals per clause, say. The values are kept in the row's column `counters`, and
//! the summary gets a table of the solved tasks of each engine: median, mean, standard deviation and largest.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use anyhow::{Result, bail};
use serde::Deserialize;

use crate::record::{Class, Row};

/// A counter, or the ratio of two.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Measure {
    /// The counter.
    pub counter: String,
    /// What it is divided by.
    pub per: Option<String>,
}

impl Measure {
    /// Reads `A` or `A/B`.
    pub fn parse(text: &str) -> Result<Measure> {
        let (counter, per) = match text.split_once('/') {
            Some((counter, per)) => (counter.trim(), Some(per.trim())),
            None => (text.trim(), None),
        };
        let is_name = |name: &str| !name.is_empty() && !name.contains(['=', ';']);
        if !is_name(counter) || !per.is_none_or(is_name) {
            bail!("`{text}` is not the name of a counter, or of two with a / between them");
        }
        Ok(Measure { counter: counter.to_owned(), per: per.map(str::to_owned) })
    }

    /// Its name in tables.
    pub fn name(&self) -> String {
        match &self.per {
            Some(per) => format!("{} / {per}", self.counter),
            None => self.counter.clone(),
        }
    }

    /// Its value in a row. A run that tells no such counter has none, and a ratio to zero has none.
    pub fn of(&self, row: &Row) -> Option<f64> {
        let values = decode(&row.counters);
        let value = |name: &str| values.get(name).map(|&v| v as f64);
        match &self.per {
            Some(per) => Some(value(&self.counter)? / value(per).filter(|v| *v > 0.0)?),
            None => value(&self.counter),
        }
    }

    /// Its values over the solved tasks of an engine, in increasing order.
    pub fn over(&self, rows: &[Row], engine: &str) -> Vec<f64> {
        let solved = rows.iter().filter(|row| row.engine == engine && row.class() == Class::Solved);
        let mut values: Vec<f64> = solved.filter_map(|row| self.of(row)).collect();
        values.sort_by(f64::total_cmp);
        values
    }
}

/// The counters that the measures need, from the JSON report of a run, as they stand in the column. A run
/// that was killed has no report.
pub fn read(report: &Path, measures: &[Measure]) -> String {
    #[derive(Deserialize)]
    struct Report {
        counters: BTreeMap<String, u64>,
    }
    let Ok(text) = fs::read_to_string(report) else { return String::new() };
    let Ok(Report { counters }) = serde_json::from_str(&text) else { return String::new() };
    let wanted = |name: &&String| {
        measures.iter().any(|m| m.counter == **name || m.per.as_ref().is_some_and(|per| *per == **name))
    };
    let parts: Vec<String> =
        counters.keys().filter(wanted).map(|name| format!("{name}={}", counters[name])).collect();
    parts.join(";")
}

fn decode(column: &str) -> BTreeMap<&str, u64> {
    let pairs = column.split(';').filter_map(|part| part.split_once('='));
    pairs.filter_map(|(name, value)| Some((name, value.parse().ok()?))).collect()
}

/// The table of all measures, a line for each engine that tells it.
pub fn table(measures: &[Measure], rows: &[Row], engines: &[&str]) -> String {
    let mut text = "| counter | engine | tasks | median | mean | deviation | largest |\n".to_owned();
    text += "|---|---|---:|---:|---:|---:|---:|\n";
    for measure in measures {
        for &engine in engines {
            let values = measure.over(rows, engine);
            let Some(&largest) = values.last() else { continue };
            let n = values.len() as f64;
            let mean = values.iter().sum::<f64>() / n;
            let deviation = (values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / n).sqrt();
            let median = values[values.len() / 2];
            let (name, count) = (measure.name(), values.len());
            let numbers = [median, mean, deviation, largest].map(short).join(" | ");
            let _ = writeln!(text, "| {name} | {} | {count} | {numbers} |", engine.replace('|', "\\|"));
        }
    }
    text
}

/// A number without needless digits.
fn short(value: f64) -> String {
    if value.fract() == 0.0 || value >= 100.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Answer;
    use crate::record::tests::row;

    #[test]
    fn counters_come_from_the_report() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let measures = ["a b", "c/d"].map(|text| Measure::parse(text).unwrap());
        fs::write(file.path(), r#"{"counters": {"a b": 7, "c": 3, "d": 2, "other": 1}, "result": "TRUE"}"#)
            .unwrap();
        assert_eq!(read(file.path(), &measures), "a b=7;c=3;d=2");
        fs::write(file.path(), "").unwrap();
        assert_eq!(read(file.path(), &measures), "");
        assert!(Measure::parse("a/").is_err() && Measure::parse("a=1").is_err());
    }

    #[test]
    fn the_table_is_about_solved_tasks() {
        let counted = |file: &str, counters: &str| Row { counters: counters.into(), ..row(file, "x", 1.0) };
        let mut rows = vec![
            counted("a", "n=1;c=4;d=2"),
            counted("b", "n=2;c=0;d=0"),
            counted("c", "n=6;c=9;d=2"),
            counted("d", "n=100"),
        ];
        rows[3].verdict = Answer::Unknown;
        let measures = ["n", "c/d", "absent"].map(|text| Measure::parse(text).unwrap());
        let text = table(&measures, &rows, &["x", "y"]);
        let lines: Vec<&str> = text.lines().skip(2).collect();
        assert_eq!(
            lines,
            ["| n | x | 3 | 2 | 3 | 2.16 | 6 |", "| c / d | x | 2 | 4.50 | 3.25 | 1.25 | 4.50 |"]
        );
    }
}
