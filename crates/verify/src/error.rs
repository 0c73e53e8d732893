//! Ends of a run that are not a verdict.

use std::fmt;

use palisade_front_c::Diagnostics;

/// Why there is no verdict.
#[derive(Clone, Debug)]
pub enum Error {
    /// The caller asked for something that does not exist or does not fit together.
    Usage(String),
    /// An input cannot be read, or uses something unsupported. The message names the place.
    Input(String),
    /// The same for C, with the source line.
    C(Diagnostics),
    /// A bug in Palisade: an engine made a false claim, or a transformation an ill-formed program.
    Defect(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::Usage(text) | Error::Input(text) => f.write_str(text),
            Error::C(diagnostics) => diagnostics.fmt(f),
            Error::Defect(text) => write!(f, "internal error: {text}"),
        }
    }
}

impl std::error::Error for Error {}
