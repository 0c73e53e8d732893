//! Failures, which are not verdicts: the message for the user, and the exit code.

use std::fmt;
use std::io::IsTerminal as _;

use palisade_verify::Error;

/// Why there is no result line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The exit code.
    pub code: u8,
    /// For the user.
    pub message: String,
}

impl Failure {
    /// The exit code for inputs.
    pub const INPUT: u8 = 3;
    /// The exit code for bugs.
    pub const INTERNAL: u8 = 70;

    /// The command line is wrong, or names an output that cannot be written.
    pub fn usage(message: impl Into<String>) -> Failure {
        Failure { code: 2, message: message.into() }
    }

    /// An input cannot be read, or uses what is not supported.
    pub fn input(message: impl Into<String>) -> Failure {
        Failure { code: Failure::INPUT, message: message.into() }
    }

    /// The system gives no more threads or memory.
    pub fn no_thread(error: std::io::Error) -> Failure {
        let what = "a thread with a stack of 256 MB cannot be made";
        Failure::usage(format!("{what}: {error} (see `ulimit -v` and `ulimit -u`)"))
    }

    /// A bug in Palisade.
    pub fn internal(message: impl Into<String>) -> Failure {
        Failure { code: Failure::INTERNAL, message: format!("internal error: {}", message.into()) }
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Failure {
        match error {
            Error::Usage(text) => Failure::usage(text),
            Error::Input(text) => Failure::input(text),
            Error::C(diagnostics) => Failure::input(diagnostics.render(std::io::stderr().is_terminal())),
            Error::Defect(text) => Failure::internal(text),
        }
    }
}
