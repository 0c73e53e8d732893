//! Published run times beside ours.
//!
//! `--beside TIMES.csv=TABLE.md` writes a table with a line per task: the columns of the published table (the
//! first names the file, the others are seconds, empty or `*` where it was not solved) and the CPU seconds of
//! our engines. After it come the counts, and for every column what it solves and no engine of ours of the
//! same name does.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, ensure};

use crate::record::Class;
use crate::summary::Summary;

/// A published table and where the comparison goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beside {
    /// The published times.
    pub times: PathBuf,
    /// The Markdown file.
    pub table: PathBuf,
}

impl Beside {
    /// Reads `TIMES.csv=TABLE.md`.
    pub fn parse(text: &str) -> Result<Beside> {
        let (times, table) =
            text.split_once('=').ok_or_else(|| anyhow!("`{text}` is not of the form TIMES.csv=TABLE.md"))?;
        Ok(Beside { times: times.into(), table: table.into() })
    }
}

/// Published times: the names of the columns, and the seconds of each file.
#[derive(Clone, Debug)]
pub struct Times {
    columns: Vec<String>,
    seconds: BTreeMap<String, Vec<Option<f64>>>,
}

impl Times {
    /// Reads the table.
    pub fn read(file: &Path) -> Result<Times> {
        let context = || format!("published times {}", file.display());
        let mut reader = csv::Reader::from_path(file).with_context(context)?;
        let columns: Vec<String> =
            reader.headers().with_context(context)?.iter().skip(1).map(str::to_owned).collect();
        let mut seconds = BTreeMap::new();
        for record in reader.records() {
            let record = record.with_context(context)?;
            let name = record.get(0).unwrap_or_default().to_owned();
            let cell = |text: &str| match text.trim() {
                "" | "*" => Ok(None),
                number => number.parse().map(Some).with_context(|| format!("`{number}` of {name}")),
            };
            let row: Result<Vec<Option<f64>>> = record.iter().skip(1).map(cell).collect();
            seconds.insert(name.clone(), row.with_context(context)?);
        }
        ensure!(!seconds.is_empty(), "{}: no rows", file.display());
        Ok(Times { columns, seconds })
    }
}

/// The comparison.
pub fn markdown(times: &Times, summary: &Summary) -> String {
    let engines: Vec<&str> = summary.engines.iter().map(|score| score.engine.as_str()).collect();
    let mut ours: BTreeMap<(&str, &str), f64> = BTreeMap::new();
    let mut files: Vec<&str> = Vec::new();
    for row in &summary.rows {
        let name = row.file.rsplit('/').next().unwrap_or(&row.file);
        files.push(name);
        if row.class() == Class::Solved {
            ours.insert((name, &row.engine), row.cpu);
        }
    }
    files.sort_unstable();
    files.dedup();
    let mut text = String::from("| task |");
    for name in &times.columns {
        let _ = write!(text, " {name} |");
    }
    for name in &engines {
        let _ = write!(text, " ours: {} |", name.replace('|', "\\|"));
    }
    let _ = writeln!(text, "\n|---|{}", "---:|".repeat(times.columns.len() + engines.len()));
    for &file in &files {
        let _ = write!(text, "| `{file}` |");
        let none = vec![None; times.columns.len()];
        let published = times.seconds.get(file).unwrap_or(&none);
        let own = engines.iter().map(|engine| ours.get(&(file, *engine)).copied());
        for value in published.iter().copied().chain(own) {
            let _ = write!(text, " {} |", value.map_or_else(|| "-".to_owned(), |v| format!("{v:.2}")));
        }
        text.push('\n');
    }
    let solves = |file: &str, k: usize| times.seconds.get(file).is_some_and(|row| row[k].is_some());
    let _ = write!(text, "| **solved** |");
    for k in 0..times.columns.len() {
        let _ = write!(text, " {} |", files.iter().filter(|file| solves(file, k)).count());
    }
    for engine in &engines {
        let _ =
            write!(text, " {} |", files.iter().filter(|file| ours.contains_key(&(file, *engine))).count());
    }
    let _ = writeln!(text, "\n");
    for (k, name) in times.columns.iter().enumerate() {
        let Some(engine) = engines.iter().find(|engine| **engine == *name) else { continue };
        let missing: Vec<String> = files
            .iter()
            .filter(|file| solves(file, k) && !ours.contains_key(&(file, *engine)))
            .map(|file| format!("`{file}`"))
            .collect();
        let list = if missing.is_empty() { "nothing".to_owned() } else { missing.join(", ") };
        let _ = writeln!(text, "- {name}: published as solved and not solved by ours: {list}");
    }
    text
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use super::*;
    use crate::record::tests::row;

    #[test]
    fn what_only_the_published_table_solves_is_named() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "file,C,CR\na.c,1.5,*\nb.c,2,3.25\n").unwrap();
        let times = Times::read(file.path()).unwrap();
        let rows = vec![row("x/a.c", "CR", 0.25), row("x/a.c", "new", 1.0)];
        let mut unsolved = row("x/b.c", "CR", 9.0);
        unsolved.verdict = crate::record::Answer::Unknown;
        let rows = [rows, vec![unsolved]].concat();
        let summary = Summary::new(&["CR".into(), "new".into()], rows, Duration::from_secs(10));
        let text = markdown(&times, &summary);
        assert!(text.contains("| `a.c` | 1.50 | - | 0.25 | 1.00 |"), "{text}");
        assert!(text.contains("| `b.c` | 2.00 | 3.25 | - | - |"), "{text}");
        assert!(text.contains("| **solved** | 2 | 1 | 1 | 1 |"), "{text}");
        assert!(text.contains("- CR: published as solved and not solved by ours: `b.c`"), "{text}");
        fs::write(file.path(), "file,C\na.c,soon\n").unwrap();
        assert!(Times::read(file.path()).is_err());
    }
}
