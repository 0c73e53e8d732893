//! What a person is told when an input cannot be read.

use std::fmt;
use std::sync::Arc;

use palisade_program::Position;
use palisade_smtlib::{Error, ErrorKind};

/// Why an input was not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReadError {
    /// Where.
    pub position: Position,
    /// Is the text wrong, or only not supported?
    pub kind: ErrorKind,
    /// What.
    pub message: String,
    /// What to do about it.
    pub hint: Option<String>,
    /// The line of the text, cut to a readable part, and the column in it to point at.
    excerpt: Option<(String, usize)>,
}

impl ReadError {
    pub(crate) fn new(file: &str, text: &str, error: Error) -> ReadError {
        let position = Position { file: Arc::from(file), line: error.pos.line, column: error.pos.column };
        let excerpt = excerpt(text, &position);
        ReadError { position, kind: error.kind, message: error.message, hint: error.hint, excerpt }
    }
}

/// Long lines (generated files have lines of megabytes) are cut around the position.
fn excerpt(text: &str, at: &Position) -> Option<(String, usize)> {
    const BEFORE: usize = 40;
    const AFTER: usize = 50;
    let line = text.lines().nth(at.line as usize - 1)?;
    let column = at.column as usize - 1;
    let from = column.saturating_sub(BEFORE);
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    let mut out: String = line.chars().skip(from).take(BEFORE + AFTER).map(clean).collect();
    let mut mark = column - from;
    if from > 0 {
        out.insert_str(0, "...");
        mark += 3;
    }
    if line.chars().nth(from + BEFORE + AFTER).is_some() {
        out.push_str("...");
    }
    Some((out, mark))
}

impl fmt::Display for ReadError {
    /// The message with its place, the line with a mark, and the advice, on lines of their own.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = match self.kind {
            ErrorKind::Malformed => "error",
            ErrorKind::Unsupported => "unsupported",
        };
        write!(f, "{}: {kind}: {}", self.position, self.message)?;
        if let Some((line, mark)) = &self.excerpt {
            let number = self.position.line.to_string();
            let margin = " ".repeat(number.len());
            write!(f, "\n {number} | {line}\n {margin} | {}^", " ".repeat(*mark))?;
        }
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ReadError {}
