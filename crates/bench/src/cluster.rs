//! More than one machine: jobs are handed to HyperQueue or to Slurm.
//!
//! Nothing here schedules, and nothing starts daemons. Each job that is left becomes a line of a list; the
//! scheduler starts this program once for each line ([`Line`]), which measures that job and leaves its row as
//! a file. The process that was started by the user waits, and takes the rows over as they appear.
//!
//! # Invariants
//! - A row appears at once or not at all: it is written beside its name and then renamed.
//! - A row is taken for the job whose key it has. So a job that a scheduler runs twice, after a worker or a
//!   server was killed, gives one row; what has a row already is never submitted again.
//!
//! Limits: all machines share the folders of the tasks and of the results.
//!
//! Entry points: [`measure`], [`Line::read`].

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

/// Slurm refuses longer arrays unless it is configured for them.
const ARRAY: usize = 1000;
const POLL: Duration = Duration::from_millis(200);
/// The folder of rows is that of the table with this behind its name.
const ROWS: &str = "rows";
const LIST: &str = "list";
const OFFSET: &str = "PALISADE_BENCH_OFFSET";

/// One line of a list, in a process that a scheduler started.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    folder: PathBuf,
    /// The number of the job.
    pub job: usize,
}

impl Line {
    /// The line that this process is for: HyperQueue says the line, Slurm its number.
    pub fn read(folder: &Path) -> Result<Line> {
        let number = |name: &str| std::env::var(name).ok().and_then(|v| v.trim().parse::<usize>().ok());
        let job = match (number("HQ_ENTRY"), number("SLURM_ARRAY_TASK_ID")) {
            (Some(job), _) => job,
            (None, Some(task)) => {
                let list = fs::read_to_string(folder.join(LIST)).context("the list of jobs")?;
                let line = task + number(OFFSET).unwrap_or(0);
                let text = list.lines().nth(line).context("the list has no such line")?;
                text.trim().parse().context("the list has something else than numbers")?
            }
            (None, None) => bail!("neither HQ_ENTRY nor SLURM_ARRAY_TASK_ID is set"),
        };
        Ok(Line { folder: folder.to_path_buf(), job })
    }

    /// Leaves a row for the process that waits.
    pub fn leave(&self, row: &Row) -> Result<()> {
        let path = self.folder.join(format!("{}.json", self.job));
        let draft = self.folder.join(format!("{}.{}.draft", self.job, std::process::id()));
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
    fs::write(folder.join(LIST), list).context("writing the list of jobs")?;
    let mut children = submit(submission, options, &folder, open.len())?;
    loop {
        thread::sleep(POLL);
        take(&folder, jobs, &mut open, &mut record)?;
        let mut running = false;
        for child in &mut children {
            running |= child.try_wait()?.is_none();
        }
        if open.is_empty() || !running || interrupt.load(Ordering::Relaxed) {
            break;
        }
    }
    for child in &mut children {
        // The client only waits; the jobs belong to the scheduler.
        let _ = child.kill();
        let _ = child.wait();
    }
    take(&folder, jobs, &mut open, &mut record)?;
    if open.is_empty() || interrupt.load(Ordering::Relaxed) {
        return Ok(());
    }
    bail!("{} jobs have no row: the scheduler ended without them; run the same command again", open.len())
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

/// Submits the lines of the list; the clients end when their jobs have ended.
fn submit(s: &Submission, options: &BenchOptions, folder: &Path, count: usize) -> Result<Vec<Child>> {
    let seconds = options.wall().as_secs() + options.check_timeout.as_secs() * 2 + 60;
    let line = |command: &mut Command| {
        command.args(&s.words).arg("--line-of").arg(folder);
        command.stdin(Stdio::null()).stdout(Stdio::null());
    };
    let mut children = Vec::new();
    match s.cluster {
        Cluster::Hq => {
            let mut command = Command::new("hq");
            command.args(["submit", "--wait", "--stdout", "none", "--stderr", "none", "--cpus", "1"]);
            command.arg("--time-limit").arg(format!("{seconds}s"));
            command.arg("--each-line").arg(folder.join(LIST)).args(&s.args).arg("--");
            line(&mut command);
            children.push(command.spawn().context("starting `hq`")?);
        }
        Cluster::Slurm => {
            for offset in (0..count).step_by(ARRAY) {
                let last = (count - offset).min(ARRAY) - 1;
                let mut command = Command::new("sbatch");
                command.args([
                    "--wait",
                    "--output",
                    "/dev/null",
                    "--error",
                    "/dev/null",
                    "--cpus-per-task",
                    "1",
                ]);
                command.arg(format!("--array=0-{last}")).arg(format!("--mem={}M", options.memory_mb + 200));
                command.arg(format!("--time={}", seconds.div_ceil(60)));
                command.arg(format!("--export=ALL,{OFFSET}={offset}")).args(&s.args);
                // A script that only starts its arguments.
                let script = folder.join("start.sh");
                fs::write(&script, "#!/bin/sh\nexec \"$@\"\n").context("writing the script")?;
                command.arg(script);
                line(&mut command);
                children.push(command.spawn().context("starting `sbatch`")?);
            }
        }
    }
    Ok(children)
}
