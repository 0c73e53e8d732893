//! Where edges come from: source positions and statements, so that a trace can be told line by line.

use std::fmt;
use std::sync::Arc;

/// A place in a source file. Lines and columns count from 1.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position {
    /// The file as the user named it.
    pub file: Arc<str>,
    /// Line.
    pub line: u32,
    /// Column.
    pub column: u32,
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// One source statement that an edge performs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Statement {
    /// Where it stands.
    pub position: Option<Position>,
    /// Its text, shortened to one line: `x = y + 1`, `[x < n]`, `clause 3`.
    pub text: Arc<str>,
}

/// What it means that an edge into the error location is taken.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Property {
    /// The property of this name is violated (`assert`, `overflow`, `query 2`): a counterexample.
    Violated(Arc<str>),
    /// The run reaches something the front-end cannot model; the reason says what and where. Never a verdict.
    Unsupported(Arc<str>),
    /// The run has undefined behaviour that was neither assumed away nor checked; the text says what and
    /// where (`null dereference, file.c:7`). Neither a violation of the property nor a reason to call it
    /// proved.
    Undefined(Arc<str>),
    /// The property is violated, but that may be due to what the language leaves to the compiler or to the
    /// environment; the text says what and where (`the order of evaluation, file.c:7`). Neither a violation
    /// nor a reason to call it proved.
    Open(Arc<str>),
}

impl Property {
    /// The name of the violated property, if this is a violation.
    pub fn violated(&self) -> Option<&str> {
        match self {
            Property::Violated(name) => Some(name),
            Property::Unsupported(_) | Property::Undefined(_) | Property::Open(_) => None,
        }
    }

    /// What is not supported and where, if that is what this edge stands for.
    pub fn unsupported(&self) -> Option<&str> {
        match self {
            Property::Unsupported(what) => Some(what),
            Property::Violated(_) | Property::Undefined(_) | Property::Open(_) => None,
        }
    }
}

impl fmt::Display for Property {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Property::Violated(name) => f.write_str(name),
            Property::Unsupported(what) => write!(f, "unsupported: {what}"),
            Property::Undefined(what) => write!(f, "undefined behaviour: {what}"),
            Property::Open(what) => write!(f, "depends on {what}"),
        }
    }
}

/// What an edge stands for.
///
/// For edges of a front-end this is a plain list of statements. A transformation keeps its own way back from
/// its edges to the old ones; it gives merged edges the statements of all its parts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// The statements in the order in which they happen.
    pub statements: Vec<Statement>,
    /// For an edge into the error location: what taking it means.
    pub property: Option<Property>,
}

impl Origin {
    /// An origin of one statement.
    pub fn statement(position: Option<Position>, text: impl Into<Arc<str>>) -> Origin {
        Origin { statements: vec![Statement { position, text: text.into() }], property: None }
    }

    /// The statements of this, then those of the other; the later property wins.
    pub fn then(&self, other: &Origin) -> Origin {
        let mut statements = self.statements.clone();
        statements.extend(other.statements.iter().cloned());
        Origin { statements, property: other.property.clone().or_else(|| self.property.clone()) }
    }
}
