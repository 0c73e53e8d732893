//! Errors for people: what is wrong, where, with the source line underlined.

use std::fmt;
use std::ops::Range;

use annotate_snippets::{Level, Renderer, Snippet};
use palisade_program::Position;

use crate::source::Source;

/// What is wrong, and where in the source, if it is anywhere.
#[derive(Clone, Debug)]
pub struct Diagnostic {
    /// What is wrong.
    pub message: String,
    /// Where.
    pub position: Option<Position>,
    /// The source line and the part of it that is meant.
    line: Option<(String, Range<usize>)>,
}

impl Diagnostic {
    /// A message without a place.
    pub fn plain(message: impl Into<String>) -> Diagnostic {
        Diagnostic { message: message.into(), position: None, line: None }
    }

    /// A message about a span of a source.
    pub fn at(source: &Source, start: usize, end: usize, message: impl Into<String>) -> Diagnostic {
        let (line, range) = source.excerpt(start, end);
        Diagnostic {
            message: message.into(),
            position: Some(source.position(start)),
            line: Some((line.to_string(), range)),
        }
    }

    /// The message with its source line, for a terminal; `color` adds escape sequences.
    pub fn render(&self, color: bool) -> String {
        let renderer = if color { Renderer::styled() } else { Renderer::plain() };
        let (Some(p), Some((line, range))) = (&self.position, &self.line) else {
            return renderer.render(Level::Error.title(&self.message)).to_string();
        };
        let snippet = Snippet::source(line)
            .line_start(p.line as usize)
            .origin(&p.file)
            .annotation(Level::Error.span(range.clone()).label(""));
        renderer.render(Level::Error.title(&self.message).snippet(snippet)).to_string()
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.position {
            Some(p) => write!(f, "{p}: {}", self.message),
            None => write!(f, "{}", self.message),
        }
    }
}

/// Why a program was not translated.
#[derive(Clone, Debug)]
pub struct Diagnostics(pub Vec<Diagnostic>);

impl Diagnostics {
    /// All messages with their source lines.
    pub fn render(&self, color: bool) -> String {
        self.0.iter().map(|d| d.render(color)).collect::<Vec<_>>().join("\n")
    }
}

impl From<Diagnostic> for Diagnostics {
    fn from(d: Diagnostic) -> Self {
        Diagnostics(vec![d])
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, d) in self.0.iter().enumerate() {
            if i > 0 {
                writeln!(f)?;
            }
            write!(f, "{d}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}
