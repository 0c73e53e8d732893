//! What comes out of a run.
//!
//! A verdict holds its checked evidence: [`Proof`] and [`Counterexample`] have no public constructor.

use std::fmt;

use palisade_certify::{Counterexample, Proof};
use palisade_engines::{Partial, Stop};
use palisade_program::{Program, Property};

/// The result of a run.
#[derive(Clone, Debug)]
pub enum Verdict {
    /// The error location cannot be reached.
    Safe(Proof),
    /// A run reaches the error location. The property of its last edge says what that means: a violation,
    /// undefined behaviour, or something unsupported.
    Unsafe(Counterexample),
    /// Not decided.
    Unknown(Box<Unknown>),
}

impl Verdict {
    /// Does it decide the property of the program? A run into something unsupported does not.
    pub fn is_answer(&self, program: &Program) -> bool {
        match self {
            Verdict::Safe(_) => true,
            Verdict::Unsafe(cex) => matches!(cex.property(program), None | Some(Property::Violated(_))),
            Verdict::Unknown(_) => false,
        }
    }
}

/// Why a run ended without a decision, and what it learned.
#[derive(Clone, Debug)]
pub struct Unknown {
    /// Why.
    pub reason: Reason,
    /// What the engine had learned.
    pub partial: Partial,
    /// The program that `partial` speaks about: as the engine had it.
    pub program: Program,
}

impl Unknown {
    /// Nothing was learned.
    pub(crate) fn bare(reason: Reason, program: &Program) -> Verdict {
        let unknown = Unknown { reason, partial: Partial::default(), program: program.clone() };
        Verdict::Unknown(Box::new(unknown))
    }
}

/// Why there is no decision. Its text is the reason in the result line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The budget ended the run.
    Stopped(Stop),
    /// The solver could not decide a query that the engine depends on.
    Solver(String),
    /// The method ends here.
    Incomplete(String),
    /// The check of the claim was not decided.
    Unchecked(String),
    /// A certificate that was given is not one.
    WrongCertificate(String),
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Stopped(stop) => stop.fmt(f),
            Reason::Solver(why) => write!(f, "solver: {why}"),
            Reason::Incomplete(why) => write!(f, "incomplete: {why}"),
            Reason::Unchecked(why) => write!(f, "the certificate could not be checked: {why}"),
            Reason::WrongCertificate(why) => write!(f, "the certificate is wrong: {why}"),
        }
    }
}

impl From<palisade_engines::Reason> for Reason {
    fn from(reason: palisade_engines::Reason) -> Reason {
        match reason {
            palisade_engines::Reason::Stopped(stop) => Reason::Stopped(stop),
            palisade_engines::Reason::Solver(why) => Reason::Solver(why),
            palisade_engines::Reason::Incomplete(why) => Reason::Incomplete(why),
        }
    }
}
