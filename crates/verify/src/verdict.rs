//! What comes out of a run.
//!
//! A verdict holds its checked evidence: [`Proof`] and [`Counterexample`] have no public constructor.

use std::fmt;

use palisade_certify::{Counterexample, Proof};
use palisade_engines::ic3::lift::lifted_run;
use palisade_engines::{Budget, Partial, Stop};
use palisade_program::{Edge, Program, Property};
use palisade_term::{Sort, Term, TermPool};

use crate::SolverChoice;

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

/// Edges times variables of a run whose states are lifted.
const MAX_LIFTED: usize = 1_000;

/// Which variables matter at each state of a counterexample, from the first to the one before the last step
/// ([`palisade_engines::ic3::lift`]). `None` for a run that is long, or not about numbers and truth values:
/// what is told beside an answer must not cost more than the answer.
pub fn what_matters(pool: &TermPool, program: &Program, cex: &Counterexample) -> Option<Vec<Vec<Term>>> {
    let states = &cex.replay().states;
    let size: usize = states.iter().map(|(_, values)| values.len()).sum();
    let simple = |v: &Term| matches!(pool.sort(*v), Sort::Int | Sort::Real | Sort::Bool);
    let mut edges = cex.run().steps.iter().map(|s| program.edge(s.edge));
    let simple = |e: &Edge| e.inputs.iter().chain(program.vars(e.source)).all(simple);
    if size > MAX_LIFTED || !edges.all(simple) {
        return None;
    }
    let options = palisade_engines::Options::new();
    let solvers = SolverChoice::Native(0);
    let task = palisade_engines::Task { pool, program, solvers: &solvers, options: &options };
    let lifted = lifted_run(&task, &Budget::unlimited(), cex.run(), cex.replay());
    let variables = |cube: Vec<Term>| cube.iter().flat_map(|&t| pool.free_vars(t)).collect();
    Some(lifted.into_iter().map(variables).collect())
}
