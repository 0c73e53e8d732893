//! One row per (task, engine), and the CSV file that keeps them.
//!
//! The file's first line is a comment with the configuration of the run: limits, and a fingerprint of the
//! executable. Rows are appended and flushed as they are known, so that whatever ends a run, the rows on disk
//! are whole (a torn last line is cut off when the file is opened again). Rows of the same configuration are
//! not measured twice: a run that is started again continues. At its end the file is rewritten in sorted
//! order, so that it does not depend on which child was faster.

use std::fs::{self, File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde::{Deserialize, Serialize};

use crate::suite::Expected;

/// The verdict column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Answer {
    /// The property holds.
    True,
    /// The property is violated.
    False,
    /// No verdict, for an honest reason.
    Unknown,
    /// A crash, or output that breaks the contract.
    Error,
}

/// The correct column: the verdict against the table's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Correct {
    /// As expected.
    #[serde(rename = "yes")]
    Yes,
    /// The opposite of what is expected.
    #[serde(rename = "no")]
    No,
    /// A verdict where the table has none.
    #[serde(rename = "?")]
    Unconfirmed,
    /// No verdict.
    #[serde(rename = "-")]
    None,
}

/// The certificate column: what the second, separate check said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Certificate {
    /// Accepted.
    #[serde(rename = "ok")]
    Ok,
    /// Rejected.
    #[serde(rename = "bad")]
    Bad,
    /// A verdict came without one.
    #[serde(rename = "missing")]
    Missing,
    /// The check itself ran into its limits.
    #[serde(rename = "limit")]
    Limit,
    /// Not asked for.
    #[serde(rename = "-")]
    None,
}

/// What a row counts as. Every row is in exactly one class.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Class {
    /// A verdict that nothing speaks against.
    Solved,
    /// A verdict against the table.
    Wrong,
    /// A verdict whose certificate is missing or rejected.
    BadCertificate,
    /// No verdict, for another reason than those below.
    Unknown,
    /// Out of time.
    Timeout,
    /// Out of memory.
    Memout,
    /// The input, or something in it, is not supported.
    Unsupported,
    /// A crash, or output that breaks the contract.
    Error,
}

/// One measurement; the columns of the CSV file, in order.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// The folder the user gave.
    pub suite: String,
    /// The folder of the table below it.
    pub family: String,
    /// The input.
    pub file: String,
    /// The table's verdict.
    pub expected: Expected,
    /// The engine, configuration or external tool.
    pub engine: String,
    /// The tool's verdict.
    pub verdict: Answer,
    /// The property violated, or why there is no verdict.
    pub reason: String,
    /// The verdict against the table's.
    pub correct: Correct,
    /// CPU seconds, user and system, of the whole process group.
    pub cpu: f64,
    /// Wall-clock seconds.
    pub wall: f64,
    /// Peak resident memory, in units of 2^20 bytes.
    pub memory_mb: f64,
    /// The second check of the certificate.
    pub certificate: Certificate,
    /// Exit code, or `signal N`.
    pub exit: String,
    /// Arguments besides engine and limits, or the command of an external tool.
    pub args: String,
    /// CPU seconds of the second check; not in `cpu`.
    pub check_cpu: f64,
    /// CPU seconds of the dump an external tool was given; not in `cpu`.
    pub dump_cpu: f64,
    /// Counters of the run that were asked for, `name=value` with `;` between them.
    #[serde(default)]
    pub counters: String,
}

impl Row {
    /// What tells measurements apart.
    pub fn key(&self) -> (String, String, String) {
        (self.file.clone(), self.engine.clone(), self.args.clone())
    }

    /// What the row counts as.
    pub fn class(&self) -> Class {
        let reason = self.reason.to_ascii_lowercase();
        let says = |words: &[&str]| words.iter().any(|word| reason.starts_with(word));
        match self.verdict {
            Answer::True | Answer::False if self.correct == Correct::No => Class::Wrong,
            Answer::True | Answer::False => match self.certificate {
                Certificate::Bad | Certificate::Missing => Class::BadCertificate,
                Certificate::Ok | Certificate::Limit | Certificate::None => Class::Solved,
            },
            Answer::Unknown if says(&["timeout", "out of time"]) => Class::Timeout,
            Answer::Unknown if says(&["memory", "memout", "out of memory"]) => Class::Memout,
            Answer::Unknown if says(&["unsupported"]) => Class::Unsupported,
            Answer::Unknown => Class::Unknown,
            Answer::Error => Class::Error,
        }
    }
}

/// Sorts rows into the order of the file.
pub fn sort(rows: &mut [Row]) {
    fn key(row: &Row) -> [&str; 5] {
        [&row.suite, &row.family, &row.file, &row.engine, &row.args]
    }
    rows.sort_by(|a, b| key(a).cmp(&key(b)));
}

/// What to do with a file that exists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Existing {
    /// Continue it if it has the same configuration, refuse otherwise.
    #[default]
    SameConfiguration,
    /// Continue it also if the executable is another.
    Resume,
    /// Begin anew.
    Overwrite,
}

/// What a file of rows depends on besides the columns of its rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Configuration {
    /// Limits and checks, as one line.
    pub settings: String,
    /// Fingerprint of the executable.
    pub executable: String,
}

/// The reason of a row that was killed at the wall-clock limit.
pub const WALL_TIMEOUT: &str = "timeout: killed at the wall-clock limit";

const MAGIC: &str = "# palisade-bench 1";

impl Configuration {
    fn header(&self) -> String {
        format!("{MAGIC} {} exe={}", self.settings, self.executable)
    }

    fn parse(line: &str) -> Option<Configuration> {
        let (settings, executable) = line.strip_prefix(MAGIC)?.trim().rsplit_once(" exe=")?;
        Some(Configuration { settings: settings.to_owned(), executable: executable.to_owned() })
    }
}

/// The CSV file of a run.
#[derive(Debug)]
pub struct Log {
    path: PathBuf,
    file: File,
    header: String,
}

impl Log {
    /// Opens or begins the file; returns the rows it already has.
    pub fn open(path: &Path, configuration: &Configuration, existing: Existing) -> Result<(Log, Vec<Row>)> {
        let context = || format!("results {}", path.display());
        let mut text = String::new();
        if existing != Existing::Overwrite && path.exists() {
            File::open(path).and_then(|mut file| file.read_to_string(&mut text)).with_context(context)?;
        }
        // Without a newline at its end the last line was torn.
        text.truncate(text.rfind('\n').map_or(0, |end| end + 1));
        if text.is_empty() {
            let header = configuration.header();
            let mut file = File::create(path).with_context(context)?;
            file.write_all(&to_csv(&header, &[])?).and_then(|()| file.flush()).with_context(context)?;
            return Ok((Log { path: path.to_path_buf(), file, header }, Vec::new()));
        }
        let header = text.lines().next().unwrap_or_default().to_owned();
        check_configuration(path, &header, configuration, existing)?;
        let rows = from_csv(&text).with_context(context)?;
        let file = OpenOptions::new().append(true).open(path).with_context(context)?;
        file.set_len(text.len() as u64).with_context(context)?;
        Ok((Log { path: path.to_path_buf(), file, header }, rows))
    }

    /// Adds a row, in one write.
    pub fn append(&mut self, row: &Row) -> Result<()> {
        let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(Vec::new());
        writer.serialize(row)?;
        let line = writer.into_inner()?;
        self.file
            .write_all(&line)
            .and_then(|()| self.file.flush())
            .with_context(|| format!("results {}", self.path.display()))
    }

    /// Replaces the file by the sorted rows, atomically.
    pub fn finish(self, rows: &[Row]) -> Result<()> {
        let context = || format!("results {}", self.path.display());
        let folder = self.path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut temporary = tempfile::NamedTempFile::new_in(folder).with_context(context)?;
        temporary.write_all(&to_csv(&self.header, rows)?).with_context(context)?;
        // Temporary files are private to the user; results are not.
        fs::set_permissions(temporary.path(), fs::metadata(&self.path)?.permissions())
            .with_context(context)?;
        temporary.persist(&self.path).with_context(context)?;
        Ok(())
    }
}

fn check_configuration(path: &Path, header: &str, wanted: &Configuration, existing: Existing) -> Result<()> {
    let Some(found) = Configuration::parse(header) else {
        bail!(
            "{} exists and is not a result file of this tool; choose another name, or --overwrite it",
            path.display()
        );
    };
    if found.settings != wanted.settings {
        bail!(
            "{} holds results of another configuration\n  there: {}\n  here:  {}\nchoose another name, or \
             --overwrite it",
            path.display(),
            found.settings,
            wanted.settings
        );
    }
    if found.executable != wanted.executable && existing != Existing::Resume {
        bail!(
            "{} holds results of another build of the executable; choose another name, --overwrite it, or \
             --resume to mix the two",
            path.display()
        );
    }
    Ok(())
}

fn to_csv(header: &str, rows: &[Row]) -> Result<Vec<u8>> {
    let mut writer =
        csv::WriterBuilder::new().has_headers(false).from_writer(format!("{header}\n").into_bytes());
    writer.write_record(COLUMNS)?;
    for row in rows {
        writer.serialize(row)?;
    }
    Ok(writer.into_inner()?)
}

/// The columns of a result file.
pub const COLUMNS: [&str; 17] = [
    "suite",
    "family",
    "file",
    "expected",
    "engine",
    "verdict",
    "reason",
    "correct",
    "cpu",
    "wall",
    "memory_mb",
    "certificate",
    "exit",
    "args",
    "check_cpu",
    "dump_cpu",
    "counters",
];

fn from_csv(text: &str) -> Result<Vec<Row>> {
    let body = text.split_once('\n').map_or("", |(_, body)| body);
    let mut reader = csv::Reader::from_reader(body.as_bytes());
    reader.deserialize().map(|row| Ok(row?)).collect()
}

/// 64-bit FNV-1a of a file's bytes: tells two builds apart, nothing more.
pub fn fingerprint(file: &Path) -> Result<String> {
    let context = || format!("executable {}", file.display());
    let mut reader = File::open(file).with_context(context)?;
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut buffer = vec![0; 1 << 16];
    loop {
        let count = reader.read(&mut buffer).with_context(context)?;
        if count == 0 {
            return Ok(format!("{hash:016x}"));
        }
        for &byte in &buffer[..count] {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A solved row, to be changed by tests.
    pub(crate) fn row(file: &str, engine: &str, cpu: f64) -> Row {
        Row {
            suite: "s".into(),
            family: "f".into(),
            file: file.into(),
            expected: Expected::True,
            engine: engine.into(),
            verdict: Answer::True,
            reason: String::new(),
            correct: Correct::Yes,
            cpu,
            wall: cpu,
            memory_mb: 12.5,
            certificate: Certificate::Ok,
            exit: "0".into(),
            args: "--int math".into(),
            check_cpu: 0.1,
            dump_cpu: 0.0,
            counters: String::new(),
        }
    }

    fn configuration(settings: &str, executable: &str) -> Configuration {
        Configuration { settings: settings.into(), executable: executable.into() }
    }

    #[test]
    fn rows_survive_the_file_and_a_torn_line_is_dropped() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("r.csv");
        let same = configuration("timeout=5", "aa");
        let mut odd = row("a,\"b\".c", "ic3", 0.25);
        odd.reason = "one\ntwo, \"three\"".into();
        let (mut log, rows) = Log::open(&path, &same, Existing::SameConfiguration).unwrap();
        assert!(rows.is_empty());
        log.append(&odd).unwrap();
        log.append(&row("c.c", "ic3", 1.0)).unwrap();
        drop(log);
        OpenOptions::new().append(true).open(&path).unwrap().write_all(b"s,f,half").unwrap();
        let (mut log, rows) = Log::open(&path, &same, Existing::SameConfiguration).unwrap();
        assert_eq!(rows, [odd.clone(), row("c.c", "ic3", 1.0)]);
        log.append(&row("b.c", "ic3", 2.0)).unwrap();
        let mut all = [rows, vec![row("b.c", "ic3", 2.0)]].concat();
        sort(&mut all);
        log.finish(&all).unwrap();
        let (_, rows) = Log::open(&path, &same, Existing::SameConfiguration).unwrap();
        assert_eq!(rows.iter().map(|r| r.file.as_str()).collect::<Vec<_>>(), ["a,\"b\".c", "b.c", "c.c"]);
        let text = fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().nth(1).unwrap(), COLUMNS.join(","));
    }

    #[test]
    fn other_configurations_are_refused() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("r.csv");
        let open = |settings: &str, executable: &str, existing| {
            Log::open(&path, &configuration(settings, executable), existing).map(|_| ())
        };
        open("timeout=5", "aa", Existing::SameConfiguration).unwrap();
        assert!(open("timeout=6", "aa", Existing::SameConfiguration).is_err());
        assert!(open("timeout=6", "aa", Existing::Resume).is_err());
        assert!(open("timeout=5", "bb", Existing::SameConfiguration).is_err());
        open("timeout=5", "bb", Existing::Resume).unwrap();
        open("timeout=6", "bb", Existing::Overwrite).unwrap();
        open("timeout=6", "bb", Existing::SameConfiguration).unwrap();
        fs::write(&path, "a,b\n1,2\n").unwrap();
        assert!(open("timeout=6", "bb", Existing::Resume).is_err());
    }

    #[test]
    fn fingerprints_are_fnv_1a_over_all_of_the_file() {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), "a").unwrap();
        assert_eq!(fingerprint(file.path()).unwrap(), "af63dc4c8601ec8c");
        let mut bytes = vec![7; 100_000];
        fs::write(file.path(), &bytes).unwrap();
        let before = fingerprint(file.path()).unwrap();
        bytes[99_999] = 8;
        fs::write(file.path(), &bytes).unwrap();
        assert_ne!(fingerprint(file.path()).unwrap(), before);
    }

    #[test]
    fn classes() {
        let with = |verdict, reason: &str, correct, certificate| {
            Row { verdict, reason: reason.into(), correct, certificate, ..row("x", "e", 1.0) }.class()
        };
        assert_eq!(with(Answer::True, "", Correct::Yes, Certificate::Ok), Class::Solved);
        assert_eq!(with(Answer::False, "p", Correct::Unconfirmed, Certificate::None), Class::Solved);
        assert_eq!(with(Answer::True, "", Correct::Yes, Certificate::Limit), Class::Solved);
        assert_eq!(with(Answer::False, "p", Correct::No, Certificate::Ok), Class::Wrong);
        assert_eq!(with(Answer::False, "p", Correct::Yes, Certificate::Missing), Class::BadCertificate);
        assert_eq!(
            with(Answer::Unknown, "timeout: killed", Correct::None, Certificate::None),
            Class::Timeout
        );
        assert_eq!(with(Answer::Unknown, "memory", Correct::None, Certificate::None), Class::Memout);
        assert_eq!(
            with(Answer::Unknown, "unsupported: recursion", Correct::None, Certificate::None),
            Class::Unsupported
        );
        assert_eq!(with(Answer::Unknown, "incomplete", Correct::None, Certificate::None), Class::Unknown);
        assert_eq!(with(Answer::Error, "timeout", Correct::None, Certificate::None), Class::Error);
    }
}
