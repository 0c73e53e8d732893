//! `palisade`: the command line. The only crate that reads files, prints and exits.
//!
//! | module | job |
//! |---|---|
//! | `args` | the command line |
//! | `front` | the options that decide what a C program means |
//! | `drive` | the library [`palisade_verify`] between files and report |
//! | `readings` | C integers as numbers and as words, beside each other |
//! | `all`, `claims`, `cache` | a verdict for every claim, with results kept by content |
//! | `build_commands`, `project` | flags of a build; what `palisade.toml` says |
//! | `record` | the engine's queries as scripts |
//! | `report`, `evidence`, `tell`, `result`, `files` | what the user sees at the end |
//! | `session`, `watchdog`, `resources`, `status` | limits, interruption, the live status line |
//! | `watch`, `trace`, `explain` | what happens during a run, for people and tools |
//! | `validate` | witnesses of other tools |
//! | `demo`, `manual` | examples, explained; manual pages and completion of shells |
//! | `dump`, `smt` | the other commands |

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod all;
mod args;
mod build_commands;
mod cache;
mod claims;
mod demo;
mod drive;
mod dump;
mod evidence;
mod explain;
mod failure;
mod files;
mod front;
mod manual;
mod outcome;
mod project;
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

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;

/// The allocator of static binaries, whose C library may have a slow one (`contrib/release`).
#[cfg(feature = "mimalloc")]
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> ExitCode {
    let mut cli = args::Cli::parse();
    let wants_project = matches!(&cli.command, args::Command::Verify(v) if v.inputs.is_empty());
    let file = Path::new(project::FILE);
    if wants_project && file.exists() {
        let given: Vec<OsString> = std::env::args_os().skip(2).collect();
        match project::command(file, &given) {
            Ok(project) => cli = project,
            Err(failure) => {
                eprintln!("palisade: {failure}");
                return ExitCode::from(failure.code);
            }
        }
    }
    ExitCode::from(run::run(cli.command))
}
