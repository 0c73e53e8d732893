//! How a contestant meets one task.
//!
//! `palisade` gets the limits as arguments, so that it can stop by itself and say what it has; the harness's
//! own limits are a little above and kill. Other tools are killed at the limits. A verdict that comes after
//! the time limit is a timeout for both, unless it is wrong: that is never forgiven.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use anyhow::{Context, Result};

use crate::answer::{self, Convention, Verdict};
use crate::contestant::Contestant;
use crate::counters;
use crate::limits::{self, Limits, Stop, Usage};
use crate::options::BenchOptions;
use crate::record::{Answer, Certificate, Correct, Row, WALL_TIMEOUT};
use crate::suite::{Expected, Task};
use crate::taskargs;

/// A run of a contestant on a task, not yet measured.
#[derive(Clone, Debug)]
pub struct Job<'a> {
    /// The task.
    pub task: &'a Task,
    /// Who runs.
    pub contestant: &'a Contestant,
    /// All arguments besides engine name and limits: from the table and from the user.
    args: Vec<String>,
    /// How the args column shows them.
    shown: String,
}

impl<'a> Job<'a> {
    /// Works out the arguments.
    pub fn new(task: &'a Task, contestant: &'a Contestant, options: &BenchOptions) -> Job<'a> {
        let mut user = options.args.clone();
        if let Contestant::Palisade { args, .. } = contestant {
            user.extend(args.iter().cloned());
        }
        let args = taskargs::arguments(task, options.task_args, &user, &options.args_for);
        let shown = match contestant {
            Contestant::Palisade { .. } => shell_words::join(&args),
            Contestant::External { words, .. } => {
                // A dump depends on what the front-end was told.
                let dumped = words.iter().any(|word| word.contains("{horn}") || word.contains("{vmt}"));
                let front_end = if dumped { taskargs::front_end(&args) } else { Vec::new() };
                let note = if front_end.is_empty() {
                    String::new()
                } else {
                    format!(" # {}", shell_words::join(front_end))
                };
                words.join(" ") + &note
            }
        };
        Job { task, contestant, args, shown }
    }

    /// The key of the row this job will give.
    pub fn key(&self) -> (String, String, String) {
        (self.task.name(), self.contestant.name().to_owned(), self.shown.clone())
    }

    fn row(&self) -> Row {
        Row {
            suite: self.task.suite.clone(),
            family: self.task.family.clone(),
            file: self.task.name(),
            expected: self.task.expected,
            engine: self.contestant.name().to_owned(),
            verdict: Answer::Error,
            reason: String::new(),
            correct: Correct::None,
            cpu: 0.0,
            wall: 0.0,
            memory_mb: 0.0,
            certificate: Certificate::None,
            exit: "-".to_owned(),
            args: self.shown.clone(),
            check_cpu: 0.0,
            dump_cpu: 0.0,
            counters: String::new(),
        }
    }
}

/// A dump of a task, or why there is none; and what it cost.
#[derive(Clone, Debug)]
struct Dump {
    file: PathBuf,
    cpu: f64,
    failure: Option<String>,
}

type DumpKey = (PathBuf, &'static str, Vec<String>);

/// Measures jobs. Shared by all workers.
pub struct Bench<'a> {
    options: &'a BenchOptions,
    executable: PathBuf,
    interrupt: &'a AtomicBool,
    scratch: tempfile::TempDir,
    serial: AtomicU64,
    /// One cell per dump, so that workers who need the same one wait for it instead of making it twice.
    dumps: Mutex<BTreeMap<DumpKey, Arc<OnceLock<Option<Dump>>>>>,
}

/// Where the output of one child goes.
struct Output {
    stdout: PathBuf,
    stderr: PathBuf,
}

impl Drop for Output {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.stdout);
        let _ = fs::remove_file(&self.stderr);
    }
}

impl<'a> Bench<'a> {
    /// Prepares a run with `executable` as `palisade`.
    pub fn new(
        options: &'a BenchOptions,
        executable: PathBuf,
        interrupt: &'a AtomicBool,
    ) -> Result<Bench<'a>> {
        // The name says whose it is, so that it can be removed should this process be killed.
        let prefix = format!("palisade-bench-{}-", std::process::id());
        let scratch = tempfile::Builder::new().prefix(&prefix).tempdir().context("temporary folder")?;
        Ok(Bench {
            options,
            executable,
            interrupt,
            scratch,
            serial: AtomicU64::new(0),
            dumps: Mutex::default(),
        })
    }

    /// Measures one job; nothing if interrupted. An error is one of the harness, not of the tool.
    pub fn measure(&self, job: &Job<'_>) -> Result<Option<Row>> {
        match job.contestant {
            Contestant::Palisade { .. } => self.palisade(job),
            Contestant::External { words, .. } => self.external(job, words),
        }
    }

    fn palisade(&self, job: &Job<'_>) -> Result<Option<Row>> {
        let certificate = self.scratch_file("certificate");
        let mut command = Command::new(&self.executable);
        command
            .arg("verify")
            .arg("--timeout")
            .arg(seconds(self.options.timeout))
            .arg("--memory")
            .arg(self.options.memory_mb.to_string());
        let report = (!self.options.counters.is_empty()).then(|| self.scratch_file("json"));
        if let Some(report) = &report {
            command.arg("--json").arg(report);
        }
        command.arg("--certificate").arg(&certificate).args(&job.args).arg(&job.task.file);
        let (usage, output) = self.child(command, &self.verify_limits())?;
        let mut row = job.row();
        if let Some(report) = &report {
            row.counters = counters::read(report, &self.options.counters);
            let _ = fs::remove_file(report);
        }
        let keep_going = self.fill(&mut row, &usage, || {
            let read = answer::read_result(&output.stdout)?;
            Ok(palisade_answer(read, &usage, || answer::last_words(&output.stderr)))
        })?;
        if keep_going && self.options.recheck && matches!(row.verdict, Answer::True | Answer::False) {
            let verdict = answer::read_result(&output.stdout)?.ok();
            if !self.recheck(&mut row, job, &certificate, verdict.as_ref())? {
                return Ok(None);
            }
        }
        let _ = fs::remove_file(&certificate);
        Ok(keep_going.then_some(row))
    }

    /// Checks the certificate in another process. False if interrupted.
    ///
    /// Accepted is exit code 0, or the very `RESULT:` line of the run again with its exit code; all else is a
    /// rejection.
    fn recheck(
        &self,
        row: &mut Row,
        job: &Job<'_>,
        certificate: &Path,
        verdict: Option<&Verdict>,
    ) -> Result<bool> {
        if !certificate.exists() {
            row.certificate = Certificate::Missing;
            return Ok(true);
        }
        let mut command = Command::new(&self.executable);
        // The certificate says under which options the front-end made its program.
        command.arg("check").arg(&job.task.file).arg(certificate);
        let cpu = self.options.check_timeout;
        let limits =
            Limits { cpu, wall: cpu * 2 + Duration::from_secs(2), memory: self.verify_limits().memory };
        let (usage, output) = self.child(command, &limits)?;
        row.check_cpu = round(usage.cpu.as_secs_f64());
        let again = answer::read_result(&output.stdout)?.ok();
        let confirmed = verdict.is_some_and(|verdict| {
            again.as_ref() == Some(verdict) && usage.status.code() == Some(answer::exit_code(verdict))
        });
        row.certificate = match usage.stop {
            Some(Stop::Interrupted) => return Ok(false),
            Some(Stop::Cpu | Stop::Wall | Stop::Memory) => Certificate::Limit,
            None if usage.status.success() || confirmed => Certificate::Ok,
            None => Certificate::Bad,
        };
        if row.certificate == Certificate::Bad {
            let words = answer::last_words(&output.stderr);
            row.reason = format!(
                "{}{}check: exit {}: {words}",
                row.reason,
                if row.reason.is_empty() { "" } else { "; " },
                usage.exit()
            );
        }
        Ok(true)
    }

    fn external(&self, job: &Job<'_>, words: &[String]) -> Result<Option<Row>> {
        let mut row = job.row();
        let mut convention = Convention::of_file(&job.task.file);
        let mut words = words.to_vec();
        for format in ["horn", "vmt"] {
            let hole = format!("{{{format}}}");
            if !words.iter().any(|word| word.contains(&hole)) {
                continue;
            }
            let Some(dump) = self.dump(job, format)? else { return Ok(None) };
            row.dump_cpu = dump.cpu;
            if let Some(failure) = dump.failure {
                row.verdict = if failure.starts_with("dump:") { Answer::Error } else { Answer::Unknown };
                row.reason = failure;
                return Ok(Some(row));
            }
            convention = if format == "horn" { Convention::Horn } else { Convention::Plain };
            replace(&mut words, &hole, &dump.file.display().to_string());
        }
        replace(&mut words, "{file}", &job.task.name());
        replace(&mut words, "{timeout}", &seconds(self.options.timeout));
        replace(&mut words, "{memory}", &self.options.memory_mb.to_string());
        let mut command = Command::new(&words[0]);
        command.args(&words[1..]);
        let options = self.options;
        let limits = Limits { cpu: options.timeout, wall: options.wall(), memory: options.memory_mb << 20 };
        let (usage, output) = self.child(command, &limits)?;
        let keep_going = self.fill(&mut row, &usage, || {
            Ok(match answer::read_external(&output.stdout, convention)? {
                Some(verdict) => split(verdict),
                None => (
                    Answer::Error,
                    format!("no answer, exit {}: {}", usage.exit(), answer::last_words(&output.stderr)),
                ),
            })
        })?;
        Ok(keep_going.then_some(row))
    }

    /// The dump of a task in a format, made once. None if interrupted.
    fn dump(&self, job: &Job<'_>, format: &'static str) -> Result<Option<Dump>> {
        let args = taskargs::front_end(&job.args);
        let key = (job.task.file.clone(), format, args.clone());
        let cell =
            Arc::clone(self.dumps.lock().unwrap_or_else(PoisonError::into_inner).entry(key).or_default());
        if let Some(dump) = cell.get() {
            return Ok(dump.clone());
        }
        let mut failed = None;
        let dump = cell.get_or_init(|| {
            let mut command = Command::new(&self.executable);
            command.arg("dump").arg("--as").arg(format).args(&args).arg(&job.task.file);
            match self.make_dump(command, format) {
                Ok(dump) => dump,
                Err(error) => {
                    failed = Some(error);
                    None
                }
            }
        });
        failed.map_or(Ok(dump.clone()), Err)
    }

    fn make_dump(&self, command: Command, format: &str) -> Result<Option<Dump>> {
        let (usage, output) = self.child(command, &self.verify_limits())?;
        let words = || answer::last_words(&output.stderr);
        let failure = match (usage.stop, usage.status.code()) {
            (Some(Stop::Interrupted), _) => return Ok(None),
            (Some(Stop::Cpu | Stop::Wall), _) => Some("timeout: while dumping".to_owned()),
            (Some(Stop::Memory), _) => Some("memory: while dumping".to_owned()),
            (None, Some(0)) => None,
            (None, Some(3 | 20)) => Some(format!("unsupported: dump: {}", words())),
            (None, _) => Some(format!("dump: exit {}: {}", usage.exit(), words())),
        };
        let file = self.scratch_file(if format == "horn" { "horn.smt2" } else { "vmt" });
        if failure.is_none() {
            fs::rename(&output.stdout, &file).context("keeping a dump")?;
        }
        Ok(Some(Dump { file, cpu: round(usage.cpu.as_secs_f64()), failure }))
    }

    /// Fills in what was measured and answered. False if interrupted.
    fn fill(
        &self,
        row: &mut Row,
        usage: &Usage,
        answer: impl FnOnce() -> Result<(Answer, String)>,
    ) -> Result<bool> {
        row.cpu = round(usage.cpu.as_secs_f64());
        row.wall = round(usage.wall.as_secs_f64());
        row.memory_mb = (usage.memory as f64 / f64::from(1 << 20) * 10.0).round() / 10.0;
        row.exit = usage.exit();
        (row.verdict, row.reason) = match usage.stop {
            Some(Stop::Interrupted) => return Ok(false),
            Some(Stop::Cpu) => (Answer::Unknown, "timeout: killed at the CPU limit".to_owned()),
            Some(Stop::Wall) => (Answer::Unknown, WALL_TIMEOUT.to_owned()),
            Some(Stop::Memory) => (Answer::Unknown, "memory: killed at the limit".to_owned()),
            None => answer()?,
        };
        row.correct = match (row.verdict, row.expected) {
            (Answer::Unknown | Answer::Error, _) => Correct::None,
            (_, Expected::Unknown) => Correct::Unconfirmed,
            (Answer::True, Expected::True) | (Answer::False, Expected::False) => Correct::Yes,
            (Answer::True | Answer::False, _) => Correct::No,
        };
        if matches!(row.correct, Correct::Yes | Correct::Unconfirmed) && usage.cpu > self.options.timeout {
            row.reason = format!("timeout: answered {:?} after the limit", row.verdict).to_lowercase();
            row.verdict = Answer::Unknown;
            row.correct = Correct::None;
        }
        Ok(true)
    }

    fn child(&self, command: Command, limits: &Limits) -> Result<(Usage, Output)> {
        let output = Output { stdout: self.scratch_file("out"), stderr: self.scratch_file("err") };
        let program = command.get_program().to_owned();
        let usage = limits::run(command, &output.stdout, &output.stderr, limits, self.interrupt)
            .with_context(|| format!("running {}", program.display()))?;
        Ok((usage, output))
    }

    /// The limits that kill `palisade`: those it was told, and grace to say that it reached them.
    fn verify_limits(&self) -> Limits {
        let options = self.options;
        let memory = (options.memory_mb + options.memory_mb / 10 + 64) << 20;
        Limits { cpu: options.timeout + options.grace(), wall: options.wall() + options.grace(), memory }
    }

    fn scratch_file(&self, extension: &str) -> PathBuf {
        self.scratch.path().join(format!("{}.{extension}", self.serial.fetch_add(1, Ordering::Relaxed)))
    }
}

/// The answer of a `palisade verify` that ended by itself, held to its contract.
fn palisade_answer(
    read: Result<Verdict, String>,
    usage: &Usage,
    stderr: impl Fn() -> String,
) -> (Answer, String) {
    match (usage.status.code(), read) {
        (Some(code), Ok(verdict)) if code == answer::exit_code(&verdict) => split(verdict),
        (Some(3), Ok(Verdict::Unknown(reason))) if reason.starts_with("unsupported") => {
            (Answer::Unknown, reason)
        }
        (Some(3), Ok(Verdict::Unknown(_)) | Err(_)) => {
            (Answer::Unknown, format!("unsupported: {}", stderr()))
        }
        (Some(2), Err(_)) => (Answer::Error, format!("usage: {}", stderr())),
        (Some(70), _) => (Answer::Error, format!("internal error: {}", stderr())),
        (_, Ok(verdict)) => (Answer::Error, format!("says {verdict} but exit {}", usage.exit())),
        (_, Err(problem)) => (Answer::Error, format!("{problem}, exit {}: {}", usage.exit(), stderr())),
    }
}

fn split(verdict: Verdict) -> (Answer, String) {
    match verdict {
        Verdict::True => (Answer::True, String::new()),
        Verdict::False(property) => (Answer::False, property),
        Verdict::Unknown(reason) => (Answer::Unknown, reason),
    }
}

fn replace(words: &mut [String], hole: &str, by: &str) {
    for word in words {
        *word = word.replace(hole, by);
    }
}

/// Whole seconds without a fraction, since some tools read only integers.
pub(crate) fn seconds(duration: Duration) -> String {
    if duration.subsec_nanos() == 0 {
        duration.as_secs().to_string()
    } else {
        duration.as_secs_f64().to_string()
    }
}

/// To a tenth of a millisecond: below that there is only noise.
fn round(value: f64) -> f64 {
    (value * 10_000.0).round() / 10_000.0
}
