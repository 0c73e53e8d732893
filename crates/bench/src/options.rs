//! What a run is told: [`BenchOptions`], and [`BenchArgs`], the same as command-line arguments.
//!
//! The two are apart so that programs can run benchmarks without making a command line;
//! [`BenchArgs::options`] is the one way from one to the other, and says what is wrong with an argument.

use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use clap::Args;
use regex::Regex;

use crate::beside::Beside;
use crate::cluster::{Cluster, Lines, Submission};
use crate::contestant::Contestant;
use crate::counters::Measure;
use crate::record::Existing;
use crate::suite::{Expected, Selection};
use crate::taskargs::ArgsFor;

/// A scatter plot to draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Scatter {
    /// The engine on the horizontal axis.
    pub x: String,
    /// The engine on the vertical axis.
    pub y: String,
    /// The SVG file.
    pub file: PathBuf,
}

impl Scatter {
    /// Reads `X,Y=FILE`.
    pub fn parse(text: &str) -> Result<Scatter> {
        let wrong = || anyhow!("`{text}` is not of the form X,Y=FILE.svg");
        let (pair, file) = text.split_once('=').ok_or_else(wrong)?;
        let (x, y) = pair.split_once(',').ok_or_else(wrong)?;
        Ok(Scatter { x: x.trim().to_owned(), y: y.trim().to_owned(), file: PathBuf::from(file) })
    }
}

/// A density plot to draw.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Density {
    /// What it is about.
    pub measure: Measure,
    /// The SVG file.
    pub file: PathBuf,
}

impl Density {
    /// Reads `COUNTER=FILE` or `COUNTER/COUNTER=FILE`.
    pub fn parse(text: &str) -> Result<Density> {
        let (measure, file) =
            text.rsplit_once('=').ok_or_else(|| anyhow!("`{text}` is not of the form COUNTER=FILE.svg"))?;
        Ok(Density { measure: Measure::parse(measure)?, file: PathBuf::from(file) })
    }
}

/// What to run, on what, within which limits, and where the results go.
#[derive(Clone, Debug)]
pub struct BenchOptions {
    /// Folders or `tasks.csv` files.
    pub suites: Vec<PathBuf>,
    /// Which of their tasks.
    pub selection: Selection,
    /// Who runs, in the order of the tables.
    pub contestants: Vec<Contestant>,
    /// The `palisade` executable; this one if not given.
    pub executable: Option<PathBuf>,
    /// CPU limit of one run.
    pub timeout: Duration,
    /// Wall-clock limit of one run; twice the CPU limit if not given.
    pub wall: Option<Duration>,
    /// Memory limit of one run, in units of 2^20 bytes.
    pub memory_mb: u64,
    /// How many runs at the same time.
    pub jobs: usize,
    /// More arguments for `palisade verify`.
    pub args: Vec<String>,
    /// More arguments for the tasks that match.
    pub args_for: Vec<ArgsFor>,
    /// Whether the tables' property and source columns give arguments, see [`crate::taskargs`].
    pub task_args: bool,
    /// Whether certificates are checked again by `palisade check`.
    pub recheck: bool,
    /// CPU limit of one such check.
    pub check_timeout: Duration,
    /// Where the rows go.
    pub csv: Option<PathBuf>,
    /// What to do if that file exists.
    pub existing: Existing,
    /// Where the table goes, as Markdown.
    pub table: Option<PathBuf>,
    /// Where the cactus plot goes.
    pub plot: Option<PathBuf>,
    /// Where the page for a browser goes.
    pub html: Option<PathBuf>,
    /// Scatter plots.
    pub scatter: Vec<Scatter>,
    /// Where the scatter matrix goes.
    pub matrix: Option<PathBuf>,
    /// The counters that runs are asked for: those of the table and of the density plots.
    pub counters: Vec<Measure>,
    /// Density plots.
    pub density: Vec<Density>,
    /// Published times to compare with.
    pub beside: Vec<Beside>,
    /// Who starts the runs, if it is not this process.
    pub submission: Option<Submission>,
    /// This process was started for some lines of a list.
    pub lines: Option<Lines>,
}

impl BenchOptions {
    /// The defaults, for these suites and contestants.
    pub fn new(suites: Vec<PathBuf>, contestants: Vec<Contestant>) -> BenchOptions {
        let timeout = Duration::from_secs(60);
        BenchOptions {
            suites,
            selection: Selection::default(),
            contestants,
            executable: None,
            timeout,
            wall: None,
            memory_mb: 2048,
            jobs: 1,
            args: Vec::new(),
            args_for: Vec::new(),
            task_args: true,
            recheck: true,
            check_timeout: timeout,
            csv: None,
            existing: Existing::default(),
            table: None,
            plot: None,
            html: None,
            scatter: Vec::new(),
            matrix: None,
            counters: Vec::new(),
            density: Vec::new(),
            beside: Vec::new(),
            submission: None,
            lines: None,
        }
    }

    /// The wall-clock limit.
    pub(crate) fn wall(&self) -> Duration {
        self.wall.unwrap_or(self.timeout * 2)
    }

    /// How long after its limit `palisade` may still be talking before it is killed.
    pub(crate) fn grace(&self) -> Duration {
        Duration::from_secs(1).max(self.timeout / 10)
    }
}

/// Run engines over benchmark suites and compare them.
///
/// Every run is a process of its own under CPU, wall-clock and memory limits. Verdicts are compared with the
/// suite's table, certificates are checked again by another process, and anything wrong is reported loudly
/// and makes the exit code 1. With `--csv`, a run that was stopped continues where it was when started again.
#[derive(Args, Clone, Debug)]
pub struct BenchArgs {
    /// Folders that hold `tasks.csv` files at any depth, or such files
    #[arg(value_name = "SUITE", required = true)]
    pub suites: Vec<PathBuf>,
    /// Engines to run, separated by commas
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub engines: Vec<String>,
    /// A named configuration of palisade, e.g. 'noctg=--engine ic3 --set generalize.ctg=false'
    #[arg(long, value_name = "NAME=ARGS")]
    pub config: Vec<String>,
    /// Another tool, e.g. 'spacer=z3 fp.engine=spacer {horn}'; {file}, {horn}, {vmt}, {timeout} and {memory}
    /// are replaced
    #[arg(long, value_name = "NAME=CMD")]
    pub external: Vec<String>,
    /// CPU seconds for each run
    #[arg(long, value_name = "S", default_value = "60")]
    pub timeout: f64,
    /// Wall-clock seconds for each run [default: twice the CPU seconds]
    #[arg(long, value_name = "S")]
    pub wall_timeout: Option<f64>,
    /// Memory for each run, in MB
    #[arg(long, value_name = "MB", default_value = "2048")]
    pub memory: u64,
    /// Runs at the same time
    #[arg(long, short, value_name = "N", default_value = "1")]
    pub jobs: usize,
    /// Only tasks whose path matches
    #[arg(long, value_name = "REGEX")]
    pub filter: Option<String>,
    /// Only tasks whose table says this: true, false or unknown
    #[arg(long, value_name = "VERDICT")]
    pub expected: Option<String>,
    /// Only this many tasks, drawn at random
    #[arg(long, value_name = "N")]
    pub sample: Option<usize>,
    /// Seed of the drawing
    #[arg(long, value_name = "N", default_value = "1")]
    pub sample_seed: u64,
    /// Only the first this many tasks
    #[arg(long, value_name = "N")]
    pub limit: Option<usize>,
    /// More arguments for 'palisade verify'
    #[arg(long, value_name = "ARGS", allow_hyphen_values = true)]
    pub args: Option<String>,
    /// More arguments for the tasks whose path matches, e.g. '*svcomp/bitvector*=--int bv'
    #[arg(long, value_name = "GLOB=ARGS")]
    pub args_for: Vec<String>,
    /// Take no arguments from the property and source columns of the tables
    #[arg(long)]
    pub no_task_args: bool,
    /// Do not check certificates again
    #[arg(long)]
    pub no_recheck: bool,
    /// CPU seconds for each check of a certificate [default: those of a run]
    #[arg(long, value_name = "S")]
    pub check_timeout: Option<f64>,
    /// The palisade to run [default: this one]
    #[arg(long, value_name = "PATH")]
    pub exe: Option<PathBuf>,
    /// Write a row per run; continue the file if it has the same configuration
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Continue the file even if palisade was built anew since
    #[arg(long, requires = "csv", conflicts_with = "overwrite")]
    pub resume: bool,
    /// Begin the file anew
    #[arg(long, requires = "csv")]
    pub overwrite: bool,
    /// Write the table as Markdown
    #[arg(long, value_name = "FILE")]
    pub table: Option<PathBuf>,
    /// Write tables and plots as one page for a browser, which sorts and filters
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Draw a cactus plot
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,
    /// Draw a scatter plot of two engines
    #[arg(long, value_name = "X,Y=FILE.svg")]
    pub scatter: Vec<String>,
    /// Draw a scatter plot of every two engines
    #[arg(long, value_name = "FILE.svg")]
    pub matrix: Option<PathBuf>,
    /// Counters of the engines to tabulate, separated by commas; A/B is a ratio
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub counters: Vec<String>,
    /// Draw how a counter, or a ratio of two, is spread over the solved tasks
    #[arg(long, value_name = "COUNTER=FILE.svg")]
    pub density: Vec<String>,
    /// Write a table of our times beside published ones: a file column, then a column of seconds for each
    /// tool
    #[arg(long, value_name = "TIMES.csv=TABLE.md")]
    pub beside: Vec<String>,
    /// Let a scheduler start the runs; rows are kept beside the --csv file
    #[arg(long, value_name = "SCHEDULER", requires = "csv")]
    pub on: Option<Cluster>,
    /// More arguments for 'hq submit' or 'sbatch'
    #[arg(long, value_name = "ARGS", requires = "on", allow_hyphen_values = true)]
    pub submit: Option<String>,
    /// Measure the job that the scheduler started this process for
    #[arg(long, value_name = "FOLDER", hide = true)]
    pub line_of: Option<PathBuf>,
}

impl BenchArgs {
    /// The options these arguments stand for.
    pub fn options(&self) -> Result<BenchOptions> {
        let mut contestants: Vec<Contestant> =
            self.engines.iter().map(|name| Contestant::engine(name.trim())).collect();
        for text in &self.config {
            contestants.push(Contestant::configuration(text).context("--config")?);
        }
        for text in &self.external {
            contestants.push(Contestant::external(text).context("--external")?);
        }
        if contestants.is_empty() {
            contestants.push(Contestant::engine("auto"));
        }
        let timeout = duration("--timeout", self.timeout)?;
        let mut options = BenchOptions::new(self.suites.clone(), contestants);
        options.selection = Selection {
            filter: self.filter.as_deref().map(Regex::new).transpose().context("--filter")?,
            expected: (self.expected.as_deref())
                .map(|word| {
                    Expected::parse(word)
                        .with_context(|| format!("--expected {word}: true, false or unknown"))
                })
                .transpose()?,
            sample: self.sample,
            seed: self.sample_seed,
            limit: self.limit,
        };
        options.executable.clone_from(&self.exe);
        options.timeout = timeout;
        options.wall = self.wall_timeout.map(|seconds| duration("--wall-timeout", seconds)).transpose()?;
        options.memory_mb = self.memory;
        options.jobs = self.jobs.max(1);
        options.args = shell_words::split(self.args.as_deref().unwrap_or_default()).context("--args")?;
        options.args_for = self
            .args_for
            .iter()
            .map(|text| ArgsFor::parse(text))
            .collect::<Result<_>>()
            .context("--args-for")?;
        options.task_args = !self.no_task_args;
        options.recheck = !self.no_recheck;
        options.check_timeout =
            self.check_timeout.map_or(Ok(timeout), |seconds| duration("--check-timeout", seconds))?;
        options.csv.clone_from(&self.csv);
        options.existing = match (self.resume, self.overwrite) {
            (_, true) => Existing::Overwrite,
            (true, false) => Existing::Resume,
            (false, false) => Existing::SameConfiguration,
        };
        options.table.clone_from(&self.table);
        options.plot.clone_from(&self.plot);
        options.html.clone_from(&self.html);
        options.scatter = self
            .scatter
            .iter()
            .map(|text| Scatter::parse(text))
            .collect::<Result<_>>()
            .context("--scatter")?;
        options.matrix.clone_from(&self.matrix);
        options.density = (self.density.iter().map(|text| Density::parse(text)))
            .collect::<Result<_>>()
            .context("--density")?;
        options.counters = (self.counters.iter().map(|text| Measure::parse(text)))
            .collect::<Result<_>>()
            .context("--counters")?;
        for density in &options.density {
            if !options.counters.contains(&density.measure) {
                options.counters.push(density.measure.clone());
            }
        }
        options.beside = (self.beside.iter().map(|text| Beside::parse(text)))
            .collect::<Result<_>>()
            .context("--beside")?;
        if let Some(cluster) = self.on {
            let args = shell_words::split(self.submit.as_deref().unwrap_or_default()).context("--submit")?;
            options.submission = Some(Submission { cluster, args, words: own_words()? });
        }
        options.lines = self.line_of.as_deref().map(Lines::read).transpose()?;
        Ok(options)
    }
}

/// The command line of this process, without the options about where to run.
fn own_words() -> Result<Vec<OsString>> {
    let mut words = vec![std::env::current_exe().context("finding this executable")?.into_os_string()];
    let mut given = std::env::args_os().skip(1);
    while let Some(word) = given.next() {
        let text = word.to_string_lossy();
        if text == "--on" || text == "--submit" {
            given.next();
        } else if !text.starts_with("--on=") && !text.starts_with("--submit=") {
            words.push(word);
        }
    }
    Ok(words)
}

fn duration(option: &str, seconds: f64) -> Result<Duration> {
    match Duration::try_from_secs_f64(seconds) {
        Ok(duration) if !duration.is_zero() && seconds < 1e9 => Ok(duration),
        _ => bail!("{option} {seconds}: expected a positive number of seconds"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        args: BenchArgs,
    }

    fn options(line: &str) -> Result<BenchOptions> {
        let words = [vec!["bench".to_owned()], shell_words::split(line).unwrap()].concat();
        Cli::try_parse_from(words).map_err(|error| anyhow!("{error}"))?.args.options()
    }

    #[test]
    fn the_documented_line_is_read() {
        let options = options(
            "a b/tasks.csv --engines ic3,bmc --timeout 2.5 --memory 512 --jobs 2 --csv r.csv --plot p.svg \
             --args '--int bv' \
             --external 'spacer=z3 fp.engine=spacer {horn}' --config 'x=--engine ic3 --set a=b' --scatter \
             ic3,spacer=s.svg --matrix m.svg --counters 'frontier,literals/clauses' --density frontier=d.svg \
             --density predicates=e.svg --beside t.csv=t.md",
        )
        .unwrap();
        assert_eq!(
            options.contestants.iter().map(Contestant::name).collect::<Vec<_>>(),
            ["ic3", "bmc", "x", "spacer"]
        );
        assert_eq!(options.timeout, Duration::from_millis(2500));
        assert_eq!(options.wall(), Duration::from_secs(5));
        assert_eq!(options.check_timeout, options.timeout);
        assert_eq!(options.args, ["--int", "bv"]);
        assert_eq!(options.scatter, [Scatter { x: "ic3".into(), y: "spacer".into(), file: "s.svg".into() }]);
        assert_eq!(options.suites.len(), 2);
        let counters: Vec<String> = options.counters.iter().map(Measure::name).collect();
        assert_eq!(counters, ["frontier", "literals / clauses", "predicates"]);
        assert_eq!((options.density.len(), options.beside.len()), (2, 1));
    }

    #[test]
    fn mistakes_are_refused() {
        for line in [
            "",
            "a --timeout 0",
            "a --timeout -1",
            "a --filter '('",
            "a --external z3",
            "a --external z=z3",
            "a --scatter a=b",
            "a --counters a/",
            "a --density a",
            "a --beside t.csv",
            "a --resume",
            "a --csv x --resume --overwrite",
        ] {
            assert!(options(line).is_err(), "{line}");
        }
    }
}
