//! Why a claim was not accepted, and how to tell a person.

use std::fmt::Write as _;

use palisade_program::{EdgeId, Loc, Malformed, Program, ReplayError};
use palisade_smt::UnknownReason;
use palisade_term::{Assignment, Term, TermPool, Value};

/// Why a claim is not a verdict.
#[derive(Clone, Debug)]
pub enum Rejection {
    /// The program itself breaks the rules of the model.
    Program(Malformed),
    /// There is not exactly one formula for every location.
    WrongCount {
        /// Locations.
        expected: usize,
        /// Formulas.
        found: usize,
    },
    /// A location's formula is not a formula over its variables.
    OutOfScope {
        /// The location.
        location: Loc,
        /// The offending subterm.
        term: Term,
    },
    /// The formula of the entry location does not hold in every initial state.
    Initiation {
        /// The conjunct that fails.
        conjunct: Term,
        /// An initial state outside.
        model: Assignment,
    },
    /// An edge leads out of the invariants.
    Consecution {
        /// The edge.
        edge: EdgeId,
        /// The conjunct of the target's formula that fails.
        conjunct: Term,
        /// A state inside, and inputs, from which the edge leads outside.
        model: Assignment,
    },
    /// The formula of the error location is not false.
    ErrorNotExcluded,
    /// The solver did not decide a query that the check depends on.
    Undecided {
        /// The edge; `None` for initiation.
        edge: Option<EdgeId>,
        /// Why not.
        why: UnknownReason,
    },
    /// The run cannot be executed.
    Replay(ReplayError),
    /// The run can be executed, but does not end in the error location.
    EndsElsewhere(Loc),
}

impl Rejection {
    /// Was the check cut short by an interruption rather than failed?
    pub fn is_interruption(&self) -> bool {
        matches!(self, Rejection::Undecided { why: UnknownReason::Interrupted, .. })
    }

    /// Says in one line what was wrong.
    pub fn describe(&self, pool: &TermPool, program: &Program) -> String {
        let name = |l: Loc| &program.location(l).name;
        match self {
            Rejection::Program(m) => m.to_string(),
            Rejection::WrongCount { expected, found } => {
                format!("there are {found} formulas for {expected} locations")
            }
            Rejection::OutOfScope { location, term } => {
                format!(
                    "the formula of {} mentions `{}`, which does not live there",
                    name(*location),
                    pool.infix(*term)
                )
            }
            Rejection::Initiation { conjunct, model } => {
                let vars = program.vars(program.entry);
                format!("`{}` does not hold initially{}", pool.infix(*conjunct), values(pool, vars, model))
            }
            Rejection::Consecution { edge, conjunct, model } => {
                let e = program.edge(*edge);
                let vars: Vec<Term> = program.vars(e.source).iter().chain(&e.inputs).copied().collect();
                format!(
                    "{} does not preserve `{}` at {}{}",
                    describe_edge(program, *edge),
                    pool.infix(*conjunct),
                    name(e.target),
                    values(pool, &vars, model)
                )
            }
            Rejection::ErrorNotExcluded => "the formula of the error location is not false".into(),
            Rejection::Undecided { edge: Some(edge), why } => {
                format!("{} could not be checked: {why}", describe_edge(program, *edge))
            }
            Rejection::Undecided { edge: None, why } => format!("the entry could not be checked: {why}"),
            Rejection::Replay(e) => e.to_string(),
            Rejection::EndsElsewhere(l) => format!("the run ends at {}, not at the error", name(*l)),
        }
    }
}

/// An edge as a person would point at it.
fn describe_edge(program: &Program, id: EdgeId) -> String {
    let e = program.edge(id);
    let mut out =
        format!("edge {} ({} -> {}", id.0, program.location(e.source).name, program.location(e.target).name);
    if let Some(s) = e.origin.statements.first() {
        if let Some(p) = &s.position {
            let _ = write!(out, ", {p}");
        }
        let _ = write!(out, ": {}", s.text);
    }
    out.push(')');
    out
}

/// `: with x = 1, y = 2`, or nothing when there are no variables.
fn values(pool: &TermPool, vars: &[Term], model: &Assignment) -> String {
    let list: Vec<String> = vars
        .iter()
        .map(|&v| {
            let value = model.get(v).cloned().unwrap_or_else(|| Value::default_of(pool.sort(v)));
            format!("{} = {value}", pool.var_display(v))
        })
        .collect();
    if list.is_empty() { String::new() } else { format!(": with {}", list.join(", ")) }
}
