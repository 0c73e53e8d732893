//! Benchmarks: run engines of `palisade`, and other tools, over suites of tasks; check, count and draw what
//! they answer.
//!
//! This is the library behind `palisade bench`. Every run is a process of its own ([`limits`]): `palisade
//! verify` with the limits, then, for a verdict, `palisade check` of its certificate in another process.
//! Verdicts are held against the suite's table ([`suite`]); a wrong one, a rejected certificate, or two
//! engines that contradict each other make the run fail. Rows go to a CSV file as they are known
//! ([`record`]); a run that was stopped continues when started again. At the end there is a table
//! ([`summary`]), a table of the engines' counters ([`counters`]), one of published times beside ours
//! ([`beside`]), and there are plots ([`plot`]) and a page for a browser ([`html`]). Schedulers of clusters
//! can start the runs ([`cluster`]).
//!
//! Invariants:
//! - An answer that breaks the contract of `palisade` (one `RESULT:` line at the end, the exit code that goes
//!   with it) is an error, never a verdict.
//! - Tables, plots and the finished CSV file do not depend on the order in which children end.
//! - What a task's table says about how it must be read is turned into arguments in one place, [`taskargs`].
//!
//! Entry points: [`run()`] with [`BenchOptions`]; a command line embeds [`BenchArgs`] and calls [`execute`].

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod answer;
pub mod beside;
pub mod cluster;
pub mod contestant;
pub mod counters;
pub mod html;
pub mod job;
pub mod limits;
mod options;
pub mod plot;
mod progress;
pub mod record;
mod run;
pub mod signals;
pub mod suite;
pub mod summary;
pub mod taskargs;

pub use contestant::Contestant;
pub use options::{BenchArgs, BenchOptions, Density, Scatter};
pub use run::{execute, run, run_until};
pub use summary::{Score, Summary};
