//! More than one machine: jobs are handed to HyperQueue or to Slurm.
//!
//! Nothing here schedules, and nothing starts daemons. Each job that is left becomes a line of a list; the
//! scheduler starts this program for each line, or for some of them ([`Lines`]), which measures these jobs
//! and leaves each row as a file. The process that was started by the user waits, and takes the rows over as
//! they appear.
//!
//! # Invariants
//! - A row appears at once or not at all: it is written beside its name and then renamed.
//! - What a line needs is in one line of the file of jobs: it does not look at the suites, so the cost of
//!   a job does not grow with their number.
//! - A row is taken for the job whose key it has. So a job that a scheduler runs twice, after a worker or a
//!   server was killed, gives one row; what has a row already is never submitted again.
//!
//! Limits: all machines share the folders of the tasks and of the results.
//!
//! Entry points: [`measure`], [`Lines::read`].

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use clap::ValueEnum;

use crate::job::Job;
use crate::options::BenchOptions;
use crate::record::{Configuration, Row};
use crate::suite::Task;

/// Who starts the jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Cluster {
    /// HyperQueue: `hq submit --each-line`.
    Hq,
    /// Slurm: `sbatch --array`.
    Slurm,
}

/// Where jobs go, and with which arguments of the scheduler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Submission {
    /// Who starts the jobs.
    pub cluster: Cluster,
    /// More arguments for `hq submit` or `sbatch`.
    pub args: Vec<String>,
    /// The command line of this program, without the options about where to run.
    pub words: Vec<OsString>,
}

/// Slurm refuses longer arrays unless it is configured for them, and starting one of its tasks costs more
/// than a small job.
const ARRAY: usize = 1000;
const POLL: Duration = Duration::from_millis(200);
/// The folder of rows is that of the table with this behind its name.
const ROWS: &str = "rows";
const LIST: &str = "list";
/// The file with the task and the contestant of each job.
const JOBS: &str = "jobs";
/// How many tasks the array has.
const STEP: &str = "PALISADE_BENCH_STEP";

/// Lines of a list, in a process that a scheduler started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lines {
    folder: PathBuf,
    /// The numbers of the jobs.
    pub jobs: Vec<usize>,
}

impl Lines {
    /// The lines that this process is for. HyperQueue says the line; Slurm says a number, and every line that
    /// is a multiple of the size of the array behind it is meant.
    pub fn read(folder: &Path) -> Result<Lines> {
        let number = |name: &str| std::env::var(name).ok().and_then(|v| v.trim().parse::<usize>().ok());
        let jobs = match (number("HQ_ENTRY"), number("SLURM_ARRAY_TASK_ID")) {
            (Some(job), _) => vec![job],
            (None, Some(task)) => {
                let list = fs::read_to_string(folder.join(LIST)).context("the list of jobs")?;
                let lines = list.lines().skip(task).step_by(number(STEP).unwrap_or(ARRAY).max(1));
                let jobs =
                    lines.map(|l| l.trim().parse().context("the list has something else than numbers"));
                jobs.collect::<Result<_>>()?
            }
            (None, None) => bail!("neither HQ_ENTRY nor SLURM_ARRAY_TASK_ID is set"),
        };
        Ok(Lines { folder: folder.to_path_buf(), jobs })
    }

    /// The tasks of the jobs, and the numbers of their contestants.
    pub fn tasks(&self) -> Result<Vec<(Task, usize)>> {
        let text = fs::read_to_string(self.folder.join(JOBS)).context("the file of jobs")?;
        let all: Vec<&str> = text.lines().collect();
        let task = |&job: &usize| {
            let line = all.get(job).context("there is no such job")?;
            serde_json::from_str(line).context("the file of jobs")
        };
        self.jobs.iter().map(task).collect()
    }

    /// Is there a row already? A scheduler that lost a process starts it again from the beginning.
    pub fn is_done(&self, number: usize, job: &Job<'_>) -> bool {
        let text = fs::read_to_string(self.folder.join(format!("{number}.json"))).ok();
        let row = text.and_then(|text| serde_json::from_str::<Row>(&text).ok());
        row.is_some_and(|row| row.key() == job.key())
    }

    /// Leaves a row for the process that waits.
    pub fn leave(&self, number: usize, row: &Row) -> Result<()> {
        let path = self.folder.join(format!("{number}.json"));
        let draft = self.folder.join(format!("{number}.{}.draft", std::process::id()));
        fs::write(&draft, serde_json::to_string(row)?).context("writing a row")?;
        fs::rename(&draft, &path).context("writing a row")
    }
}

/// The folder where the rows of a table appear.
pub fn folder(csv: &Path) -> PathBuf {
    let mut name = csv.as_os_str().to_owned();
    name.push(".");
    name.push(ROWS);
    name.into()
}

/// Has the jobs of these numbers measured elsewhere. `record` is called for each row, as it appears.
pub fn measure(
    submission: &Submission,
    options: &BenchOptions,
    configuration: &Configuration,
    jobs: &[Job<'_>],
    left: &[usize],
    interrupt: &AtomicBool,
    mut record: impl FnMut(Row) -> Result<()>,
) -> Result<()> {
    let csv = options.csv.as_ref().context("--on needs --csv: rows are kept beside it")?;
    let folder = folder(csv);
    prepare(&folder, configuration)?;
    let mut open: BTreeSet<usize> = left.iter().copied().collect();
    // Rows of a run whose waiting process was killed.
    take(&folder, jobs, &mut open, &mut record)?;
    if open.is_empty() {
        return Ok(());
    }
    let list: String = open.iter().map(|n| format!("{n}\n")).collect();
    // Lines of an earlier submission may be starting just now.
    let written: Result<String> = jobs.iter().try_fold(String::new(), |text, job| {
        Ok(text + &serde_json::to_string(&(job.task, contestant(options, job)?))? + "\n")
    });
    let draft = folder.join("draft");
    for (name, text) in [(JOBS, written?), (LIST, list)] {
        fs::write(&draft, text)
            .and_then(|()| fs::rename(&draft, folder.join(name)))
            .context("writing the jobs")?;
    }
    let mut client = submit(submission, options, &folder, open.len())?;
    loop {
        thread::sleep(POLL);
        take(&folder, jobs, &mut open, &mut record)?;
        let running = client.try_wait()?.is_none();
        if open.is_empty() || !running || interrupt.load(Ordering::Relaxed) {
            break;
        }
    }
    // The client only waits; the jobs belong to the scheduler.
    let _ = client.kill();
    let _ = client.wait();
    take(&folder, jobs, &mut open, &mut record)?;
    if open.is_empty() || interrupt.load(Ordering::Relaxed) {
        return Ok(());
    }
    bail!("{} jobs have no row: the scheduler ended without them; run the same command again", open.len())
}

/// The number of the contestant of a job.
fn contestant(options: &BenchOptions, job: &Job<'_>) -> Result<usize> {
    let mut names = options.contestants.iter().map(|c| c.name());
    names.position(|name| name == job.contestant.name()).context("a job of nobody")
}

/// An empty folder, or one with rows of the same configuration.
fn prepare(folder: &Path, configuration: &Configuration) -> Result<()> {
    let text = format!("{configuration:?}\n");
    let file = folder.join("configuration");
    if fs::read_to_string(&file).is_ok_and(|known| known == text) {
        return Ok(());
    }
    if folder.exists() {
        fs::remove_dir_all(folder).with_context(|| format!("emptying {}", folder.display()))?;
    }
    fs::create_dir_all(folder).with_context(|| format!("making {}", folder.display()))?;
    fs::write(file, text).context("writing the configuration")
}

/// Takes over the rows that have appeared.
fn take(
    folder: &Path,
    jobs: &[Job<'_>],
    open: &mut BTreeSet<usize>,
    record: &mut impl FnMut(Row) -> Result<()>,
) -> Result<()> {
    for entry in fs::read_dir(folder).context("the folder of rows")? {
        let path = entry?.path();
        let number = path.file_stem().and_then(|s| s.to_str()).and_then(|s| s.parse::<usize>().ok());
        let Some(number) = number.filter(|n| open.contains(n)) else { continue };
        if path.extension().is_none_or(|e| e != "json") {
            continue;
        }
        let Ok(row) = serde_json::from_str::<Row>(&fs::read_to_string(&path)?) else { continue };
        if jobs.get(number).is_some_and(|job| job.key() == row.key()) {
            open.remove(&number);
            record(row)?;
        }
    }
    Ok(())
}

/// Submits the lines of the list; the client ends when its jobs have ended.
fn submit(s: &Submission, options: &BenchOptions, folder: &Path, count: usize) -> Result<Child> {
    let seconds = options.wall().as_secs() + options.check_timeout.as_secs() * 2 + 60;
    let line = |command: &mut Command| {
        command.args(&s.words).arg("--line-of").arg(folder);
        command.stdin(Stdio::null()).stdout(Stdio::null());
    };
    match s.cluster {
        Cluster::Hq => {
            let mut command = Command::new("hq");
            command.args(["submit", "--wait", "--stdout", "none", "--stderr", "none", "--cpus", "1"]);
            command.arg("--time-limit").arg(format!("{seconds}s"));
            command.arg("--each-line").arg(folder.join(LIST)).args(&s.args).arg("--");
            line(&mut command);
            command.spawn().context("starting `hq`")
        }
        Cluster::Slurm => {
            let tasks = count.min(ARRAY);
            let mut command = Command::new("sbatch");
            command.args(["--wait", "--output", "/dev/null", "--error", "/dev/null", "--cpus-per-task", "1"]);
            command
                .arg(format!("--array=0-{}", tasks - 1))
                .arg(format!("--mem={}M", options.memory_mb + 200));
            command.arg(format!("--time={}", (seconds * count.div_ceil(tasks) as u64).div_ceil(60)));
            command.arg(format!("--export=ALL,{STEP}={tasks}")).args(&s.args);
            // A script that only starts its arguments.
            let script = folder.join("start.sh");
            fs::write(&script, "#!/bin/sh\nexec \"$@\"\n").context("writing the script")?;
            command.arg(script);
            line(&mut command);
            command.spawn().context("starting `sbatch`")
        }
    }
}
