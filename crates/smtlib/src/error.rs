//! Errors of readers: where, what, and what to do about it.

use std::fmt;

use crate::position::Pos;

/// Whether a text is wrong or only beyond what is supported.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// The text breaks the rules of its language.
    Malformed,
    /// The text may be right, but uses something this tool does not handle.
    Unsupported,
}

/// Why a text was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Where.
    pub pos: Pos,
    /// Whose fault.
    pub kind: ErrorKind,
    /// What is wrong, for a person.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
}

impl Error {
    /// The text is wrong here.
    pub fn malformed(pos: Pos, message: impl Into<String>) -> Error {
        Error { pos, kind: ErrorKind::Malformed, message: message.into(), hint: None }
    }

    /// The text needs something that is not supported.
    pub fn unsupported(pos: Pos, message: impl Into<String>) -> Error {
        Error { pos, kind: ErrorKind::Unsupported, message: message.into(), hint: None }
    }

    /// Adds advice.
    pub fn hint(mut self, hint: impl Into<String>) -> Error {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            ErrorKind::Malformed => "",
            ErrorKind::Unsupported => "unsupported: ",
        };
        write!(f, "{}: {kind}{}", self.pos, self.message)?;
        match &self.hint {
            Some(hint) => write!(f, " ({hint})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}
