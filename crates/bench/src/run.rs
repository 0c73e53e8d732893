//! The run: which jobs are left, workers that measure them, one writer that records them, and the summary of
//! all.
//!
//! A job is a task and a contestant. Rows of the CSV file that belong to the same configuration (limits,
//! arguments, binary) count as done, so that a run that was stopped goes on where it was. A signal stops the
//! children and keeps what is complete.
//!
//! Entry points: [`run`], [`execute`].

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use signal_hook::consts::{SIGINT, SIGTERM, SIGXCPU};

use crate::beside::{self, Times};
use crate::cluster::{self, Lines};
use crate::contestant::Contestant;
use crate::html;
use crate::job::{Bench, Job, seconds};
use crate::options::{BenchArgs, BenchOptions};
use crate::plot;
use crate::progress::Progress;
use crate::record::{self, Configuration, Log, Row};
use crate::signals::Wish;
use crate::suite::{self, Task};
use crate::summary::Summary;

/// So long after a child the processes of a stopped task are all stopped.
const STOPPED: Duration = Duration::from_secs(1);

/// Runs, prints the table to stdout, and returns the exit code.
pub fn execute(args: &BenchArgs) -> Result<u8> {
    let summary = run(&args.options()?)?;
    print!("{}", summary.markdown());
    Ok(summary.exit_code())
}

/// Runs until the end, or until SIGINT, SIGTERM or SIGXCPU: then running children are killed and what is
/// complete is kept. A second signal, later, ends the process at once.
pub fn run(options: &BenchOptions) -> Result<Summary> {
    let wish = Wish::by(&[SIGINT, SIGTERM, SIGXCPU])?;
    run_until(options, wish.flag())
}

/// Runs until the end, or until `interrupt` is raised.
pub fn run_until(options: &BenchOptions, interrupt: &AtomicBool) -> Result<Summary> {
    let executable = match &options.executable {
        Some(path) => path.clone(),
        None => std::env::current_exe().context("finding this executable")?,
    };
    if let Some(lines) = &options.lines {
        return some_lines(options, executable, lines, interrupt);
    }
    let tasks = suite::select(suite::load(&options.suites)?, &options.selection);
    check(options, &tasks)?;
    let configuration =
        Configuration { settings: settings(options), executable: record::fingerprint(&executable)? };
    let (mut log, known) = match &options.csv {
        Some(path) => {
            let (log, rows) = Log::open(path, &configuration, options.existing)?;
            (Some(log), rows)
        }
        None => (None, Vec::new()),
    };
    // If a key was measured twice, the later row counts.
    let mut rows: BTreeMap<_, Row> = known.into_iter().map(|row| (row.key(), row)).collect();
    let jobs = jobs(options, &tasks);
    let wanted: BTreeSet<_> = jobs.iter().map(Job::key).collect();
    let left: Vec<usize> = (0..jobs.len()).filter(|&n| !rows.contains_key(&jobs[n].key())).collect();

    let bench = Bench::new(options, executable, interrupt)?;
    let mut progress = Progress::new(jobs.len(), jobs.len() - left.len());
    let mut measured = 0;
    let record = |row: Row| {
        if let Some(log) = &mut log {
            log.append(&row)?;
        }
        progress.advance(&row);
        measured += 1;
        rows.insert(row.key(), row);
        Ok(())
    };
    let outcome = match &options.submission {
        Some(s) => cluster::measure(s, options, &configuration, &jobs, &left, interrupt, record),
        None => {
            let left: Vec<&Job<'_>> = left.iter().map(|&n| &jobs[n]).collect();
            measure(&bench, &left, options.jobs, interrupt, record)
        }
    };
    progress.finish();
    let mut all: Vec<Row> = rows.into_values().collect();
    record::sort(&mut all);
    if let Some(log) = log {
        log.finish(&all)?;
    }
    outcome?;

    all.retain(|row| wanted.contains(&row.key()));
    let names: Vec<String> = options.contestants.iter().map(|c| c.name().to_owned()).collect();
    let mut summary = Summary::new(&names, all, options.timeout);
    summary.measured = measured;
    summary.planned = jobs.len();
    summary.counters.clone_from(&options.counters);
    summary.interrupted = interrupt.load(Ordering::Relaxed);
    write_outputs(options, &summary)?;
    Ok(summary)
}

/// All jobs, in the order of the tasks.
fn jobs<'a>(options: &'a BenchOptions, tasks: &'a [Task]) -> Vec<Job<'a>> {
    tasks
        .iter()
        .flat_map(|task| options.contestants.iter().map(move |c| Job::new(task, c, options)))
        .collect()
}

/// Measures the jobs of some lines of a list, for the process that waits for them.
fn some_lines(
    options: &BenchOptions,
    executable: PathBuf,
    lines: &Lines,
    interrupt: &AtomicBool,
) -> Result<Summary> {
    let bench = Bench::new(options, executable, interrupt)?;
    let mut rows = Vec::new();
    for (&number, (task, contestant)) in lines.jobs.iter().zip(lines.tasks()?) {
        let contestant = options.contestants.get(contestant).context("there is no such engine")?;
        let job = Job::new(&task, contestant, options);
        if lines.is_done(number, &job) {
            continue;
        }
        // Nothing if it is interrupted.
        let Some(row) = bench.measure(&job)? else { break };
        // Who stops a task stops all of its processes, in any order: what a child that was stopped says is no
        // result, and one that died of a signal is believed only if this process stays.
        if row.exit.starts_with("signal") {
            thread::sleep(STOPPED);
        }
        let stopped = ["signal 2", "signal 15"].contains(&row.exit.as_str()) || row.reason == "interrupted";
        if stopped || interrupt.load(Ordering::Relaxed) {
            break;
        }
        lines.leave(number, &row)?;
        rows.push(row);
    }
    let names: Vec<String> = options.contestants.iter().map(|c| c.name().to_owned()).collect();
    Ok(Summary::new(&names, rows, options.timeout))
}

/// Measures the jobs on `workers` threads; `record` is called on this thread, in the order of completion. The
/// first error ends all.
fn measure(
    bench: &Bench<'_>,
    jobs: &[&Job<'_>],
    workers: usize,
    interrupt: &AtomicBool,
    mut record: impl FnMut(Row) -> Result<()>,
) -> Result<()> {
    let next = AtomicUsize::new(0);
    let failed = AtomicBool::new(false);
    let stopped = || interrupt.load(Ordering::Relaxed) || failed.load(Ordering::Relaxed);
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for _ in 0..workers.clamp(1, jobs.len().max(1)) {
            let sender = sender.clone();
            let (next, stopped) = (&next, &stopped);
            scope.spawn(move || {
                while !stopped() {
                    let Some(job) = jobs.get(next.fetch_add(1, Ordering::Relaxed)) else { break };
                    if sender.send(bench.measure(job)).is_err() {
                        break;
                    }
                }
            });
        }
        drop(sender);
        let mut result = Ok(());
        for message in receiver {
            // After an error, rows that are still coming in are kept; only the first error is told.
            if let Err(error) = message.and_then(|row| row.map_or(Ok(()), &mut record))
                && result.is_ok()
            {
                failed.store(true, Ordering::Relaxed);
                result = Err(error);
            }
        }
        result
    })
}

/// Finds mistakes that would otherwise show only after hours.
fn check(options: &BenchOptions, tasks: &[Task]) -> Result<()> {
    let mut names = BTreeSet::new();
    for contestant in &options.contestants {
        if !names.insert(contestant.name()) {
            bail!("two engines are named `{}`", contestant.name());
        }
    }
    for scatter in &options.scatter {
        for name in [&scatter.x, &scatter.y] {
            if !names.contains(name.as_str()) {
                bail!("--scatter: there is no engine `{name}` in this run");
            }
        }
    }
    if tasks.is_empty() {
        bail!("no tasks: nothing matches the selection");
    }
    if let Some(task) = tasks.iter().find(|task| !task.file.is_file()) {
        bail!("{}: the table names it, but there is no such file", task.name());
    }
    let outputs =
        [&options.csv, &options.table, &options.plot, &options.matrix, &options.html].into_iter().flatten();
    let outputs = outputs
        .chain(options.scatter.iter().map(|scatter| &scatter.file))
        .chain(options.density.iter().map(|density| &density.file))
        .chain(options.beside.iter().map(|beside| &beside.table));
    for beside in &options.beside {
        Times::read(&beside.times)?;
    }
    for file in outputs {
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        if !folder.is_dir() {
            bail!("{}: there is no folder {}", file.display(), folder.display());
        }
    }
    for contestant in &options.contestants {
        if let Contestant::External { name, words } = contestant
            && !is_program(&words[0])
        {
            bail!("--external {name}: there is no program `{}`", words[0]);
        }
    }
    Ok(())
}

/// Whether the word names a file, or something in a folder of PATH.
fn is_program(word: &str) -> bool {
    if word.contains('/') {
        return Path::new(word).is_file();
    }
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).any(|folder| folder.join(word).is_file())
}

/// All that changes what a row means and is not in the row.
fn settings(options: &BenchOptions) -> String {
    format!(
        "timeout={} wall={} memory={} check={}",
        seconds(options.timeout),
        seconds(options.wall()),
        options.memory_mb,
        if options.recheck { seconds(options.check_timeout) } else { "no".to_owned() },
    )
}

fn write_outputs(options: &BenchOptions, summary: &Summary) -> Result<()> {
    let write = |file: &Path, text: String| {
        fs::write(file, text).with_context(|| format!("writing {}", file.display()))
    };
    if let Some(file) = &options.table {
        write(file, summary.markdown())?;
    }
    if let Some(file) = &options.plot {
        write(file, plot::cactus(summary))?;
    }
    if let Some(file) = &options.html {
        write(file, html::page(summary))?;
    }
    for scatter in &options.scatter {
        write(&scatter.file, plot::scatter(summary, &scatter.x, &scatter.y))?;
    }
    if let Some(file) = &options.matrix {
        write(file, plot::matrix(summary))?;
    }
    for density in &options.density {
        write(&density.file, plot::density(summary, &density.measure))?;
    }
    for beside in &options.beside {
        write(&beside.table, beside::markdown(&Times::read(&beside.times)?, summary))?;
    }
    Ok(())
}
