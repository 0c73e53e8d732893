//! `palisade`: the command line. The only crate that reads files, prints and exits.
//!
//! | module | job |
//! |---|---|
//! | `args` | the command line |
//! | `front` | the options that decide what a C program means |
//! | `drive` | the library [`palisade_verify`] between files and report |
//! | `readings` | C integers as numbers and as words, beside each other |
//! | `record` | the engine's queries as scripts |
//! | `report`, `evidence`, `tell`, `result` | what the user sees at the end |
//! | `session`, `watchdog`, `resources`, `status` | limits, interruption, the live status line |
//! | `watch`, `trace`, `explain` | what happens during a run, for people and tools |
//! | `validate` | witnesses of other tools |
//! | `demo`, `manual` | examples, explained; manual pages and completion of shells |
//! | `dump`, `smt` | the other commands |

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod args;
mod demo;
mod drive;
mod dump;
mod evidence;
mod explain;
mod failure;
mod front;
mod manual;
mod readings;
mod record;
mod report;
mod resources;
mod result;
mod run;
mod session;
mod smt;
mod status;
mod tell;
mod trace;
mod validate;
mod watch;
mod watchdog;

use std::process::ExitCode;

use clap::Parser;

fn main() -> ExitCode {
    let cli = args::Cli::parse();
    ExitCode::from(run::run(cli.command))
}
