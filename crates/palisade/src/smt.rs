//! `palisade smt`: runs an SMT-LIB 2 script on the native solver ([`palisade_smt::script`]) and prints its
//! replies as they come.
//!
//! A command that fails is answered on stdout as the standard wants it, and once more with its place on
//! stderr; the script goes on, and the exit code tells that something was not understood.

use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::path::Path;

use palisade_smt::Limits;
use palisade_smt::script::{self, Reply};
use palisade_smtlib::Error;
use palisade_term::TermPool;

use crate::args::SmtArgs;
use crate::failure::Failure;

/// Runs the script; exit code 0 when it was understood to its end.
pub fn run(args: &SmtArgs) -> Result<u8, Failure> {
    let text = palisade_verify::read_text(&args.file)?;
    let pool = TermPool::new();
    let mut first = None;
    let print = &mut |reply: Reply<'_>| {
        if let Reply::Error(e) = &reply {
            first.get_or_insert_with(|| located(&args.file, e));
        }
        let mut out = io::stdout().lock();
        match writeln!(out, "{reply}").and_then(|()| out.flush()) {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()), // nobody listens any more
        }
    };
    script::run(&pool, &text, &Limits::default(), print)
        .map_err(|e| Failure::input(located(&args.file, &e)))?;
    match first {
        Some(message) => Err(Failure::input(message)),
        None => Ok(0),
    }
}

/// An error with its file.
fn located(path: &Path, error: &Error) -> String {
    format!("{}:{error}", path.display())
}
