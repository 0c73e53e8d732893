//! Finding the tasks: suites are folders searched for `tasks.csv` tables, in a fixed order.
//!
//! A table has the header `file,verdict,property,source`; `file` is relative to the table. The *suite* of a
//! task is the name of the folder the user gave, its *family* the folder of its table below that. Order is
//! that of the arguments, then of the sorted folders, then of the rows, and selection ([`select`]) never
//! changes it; so two runs over the same suites see the same sequence.

use std::collections::BTreeSet;
use std::fmt;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use regex::Regex;
use serde::{Deserialize, Serialize};

/// What a table of tasks knows about a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Expected {
    /// The property holds.
    True,
    /// The property is violated.
    False,
    /// Nobody knows.
    Unknown,
}

impl Expected {
    /// Reads the words of the table.
    pub fn parse(word: &str) -> Option<Expected> {
        match word.trim() {
            "true" => Some(Expected::True),
            "false" => Some(Expected::False),
            "unknown" | "" => Some(Expected::Unknown),
            _ => None,
        }
    }
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Expected::True => "true",
            Expected::False => "false",
            Expected::Unknown => "unknown",
        })
    }
}

/// One row of a `tasks.csv`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Task {
    /// Name of the folder the user gave.
    pub suite: String,
    /// Folder of the table, relative to the suite's folder (its name, when they are the same).
    pub family: String,
    /// The input, as a path that works from the current folder.
    pub file: PathBuf,
    /// The verdict to expect.
    pub expected: Expected,
    /// The property column, verbatim.
    pub property: String,
    /// The source column, verbatim.
    pub source: String,
}

impl Task {
    /// The file as it appears in tables and files.
    pub fn name(&self) -> String {
        self.file.display().to_string()
    }
}

/// Which of the tasks found are to be run.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// Keep the tasks whose path matches.
    pub filter: Option<Regex>,
    /// Keep the tasks whose table says this.
    pub expected: Option<Expected>,
    /// Keep this many, drawn without replacement.
    pub sample: Option<usize>,
    /// Seed of the drawing.
    pub seed: u64,
    /// Keep the first this many.
    pub limit: Option<usize>,
}

#[derive(Deserialize)]
struct Line {
    file: String,
    verdict: String,
    property: String,
    source: String,
}

/// Reads all tables under `suites`. A task that is reached twice is kept once.
pub fn load(suites: &[PathBuf]) -> Result<Vec<Task>> {
    let mut tasks = Vec::new();
    let mut seen = BTreeSet::new();
    for suite in suites {
        let (root, tables) = tables(suite)?;
        if tables.is_empty() {
            bail!("no tasks.csv in {}: a suite is a folder that holds one, at any depth", suite.display());
        }
        for table in tables {
            for task in read_table(&root, &table)? {
                let identity = (
                    fs::canonicalize(&task.file).unwrap_or_else(|_| task.file.clone()),
                    task.property.clone(),
                );
                if seen.insert(identity) {
                    tasks.push(task);
                }
            }
        }
    }
    Ok(tasks)
}

/// Applies filters, sample and limit, in that order.
pub fn select(mut tasks: Vec<Task>, selection: &Selection) -> Vec<Task> {
    if let Some(filter) = &selection.filter {
        tasks.retain(|task| filter.is_match(&task.name()));
    }
    if let Some(expected) = selection.expected {
        tasks.retain(|task| task.expected == expected);
    }
    if let Some(count) = selection.sample {
        let chosen = sample(tasks.len(), count, selection.seed);
        tasks =
            tasks.into_iter().enumerate().filter(|(i, _)| chosen.contains(i)).map(|(_, task)| task).collect();
    }
    if let Some(limit) = selection.limit {
        tasks.truncate(limit);
    }
    tasks
}

/// `count` of the numbers below `n`: the head of a Fisher-Yates shuffle.
fn sample(n: usize, count: usize, seed: u64) -> BTreeSet<usize> {
    let mut random = palisade_random::Random::new(seed);
    let mut order: Vec<usize> = (0..n).collect();
    for i in 0..count.min(n) {
        // The bias of the remainder is below n / 2^64.
        let j = i + random.below(n - i);
        order.swap(i, j);
    }
    order.into_iter().take(count).collect()
}

/// The folder that names the suite, and the tables below it, sorted.
fn tables(suite: &Path) -> Result<(PathBuf, Vec<PathBuf>)> {
    let metadata = fs::metadata(suite).with_context(|| format!("suite {}", suite.display()))?;
    if metadata.is_file() {
        let root = suite.parent().unwrap_or(Path::new("")).to_path_buf();
        return Ok((root, vec![suite.to_path_buf()]));
    }
    let mut found = Vec::new();
    let mut pending = vec![suite.to_path_buf()];
    while let Some(folder) = pending.pop() {
        let entries = fs::read_dir(&folder).with_context(|| format!("folder {}", folder.display()))?;
        for entry in entries {
            let entry = entry?;
            // `file_type` does not follow links, so a link to a parent folder is no loop.
            if entry.file_type()?.is_dir() {
                pending.push(entry.path());
            } else if entry.file_name() == "tasks.csv" {
                found.push(entry.path());
            }
        }
    }
    found.sort();
    Ok((suite.to_path_buf(), found))
}

fn read_table(root: &Path, table: &Path) -> Result<Vec<Task>> {
    let folder = table.parent().unwrap_or(Path::new(""));
    let suite = folder_name(root);
    let below = folder.strip_prefix(root).unwrap_or(folder);
    let family = if below.as_os_str().is_empty() { suite.clone() } else { below.display().to_string() };
    let mut reader = csv::ReaderBuilder::new()
        .trim(csv::Trim::All)
        .from_path(table)
        .with_context(|| format!("table {}", table.display()))?;
    let mut tasks = Vec::new();
    for (index, line) in reader.deserialize::<Line>().enumerate() {
        let place = || format!("{}, task {}", table.display(), index + 1);
        let line =
            line.with_context(|| format!("{}: expected the columns file,verdict,property,source", place()))?;
        let Some(expected) = Expected::parse(&line.verdict) else {
            bail!("{}: verdict `{}` is not true, false or unknown", place(), line.verdict);
        };
        tasks.push(Task {
            suite: suite.clone(),
            family: family.clone(),
            file: folder.join(&line.file),
            expected,
            property: line.property,
            source: line.source,
        });
    }
    Ok(tasks)
}

/// The last component of the folder, also for `.` and `..`.
fn folder_name(folder: &Path) -> String {
    let path = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let absolute = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    absolute.file_name().map_or_else(|| "/".to_owned(), |name| name.to_string_lossy().into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suite() -> tempfile::TempDir {
        let dir = tempfile::tempdir().unwrap();
        for (family, rows) in [("b", "x.c,true,p,s\ny.c,false,p,s\n"), ("a/deep", "z.c,unknown,p,s\n")] {
            let folder = dir.path().join(family);
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join("tasks.csv"), format!("file,verdict,property,source\n{rows}")).unwrap();
        }
        dir
    }

    #[test]
    fn tables_are_found_at_any_depth_in_sorted_order() {
        let dir = suite();
        let tasks = load(&[dir.path().to_path_buf()]).unwrap();
        let seen: Vec<_> = tasks.iter().map(|t| (t.family.as_str(), t.expected)).collect();
        assert_eq!(seen, [("a/deep", Expected::Unknown), ("b", Expected::True), ("b", Expected::False)]);
    }

    #[test]
    fn overlapping_suites_give_each_task_once() {
        let dir = suite();
        let tasks = load(&[dir.path().join("b/tasks.csv"), dir.path().to_path_buf()]).unwrap();
        assert_eq!(tasks.len(), 3);
        assert_eq!((tasks[0].suite.as_str(), tasks[0].family.as_str()), ("b", "b"));
    }

    #[test]
    fn a_bad_verdict_is_located() {
        let dir = tempfile::tempdir().unwrap();
        let table = dir.path().join("tasks.csv");
        fs::write(&table, "file,verdict,property,source\na.c,true,p,s\nb.c,maybe,p,s\n").unwrap();
        let error = load(&[table]).unwrap_err().to_string();
        assert!(error.contains("task 2") && error.contains("maybe"), "{error}");
    }

    #[test]
    fn samples_are_seeded_distinct_and_in_order() {
        let first = sample(1000, 100, 7);
        assert_eq!(first.len(), 100);
        assert_eq!(first, sample(1000, 100, 7));
        assert_ne!(first, sample(1000, 100, 8));
        assert_eq!(sample(3, 10, 1).len(), 3);
        // A uniform draw of 100 of 1000 has mean 499.5 and standard deviation about 27.
        let mean = first.iter().sum::<usize>() / 100;
        assert!((350..650).contains(&mean), "{mean}");
    }
}
