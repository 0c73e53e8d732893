//! Why a claim was not accepted, and the message about it.

use std::fmt::Write as _;

use palisade_program::{EdgeId, Loc, Malformed, Program, ReplayError};
use palisade_smt::UnknownReason;
use palisade_term::{Assignment, Term, TermPool, Value};

/// What the solver was asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Query {
    /// Does the entry's formula hold initially?
    Entry,
    /// Does an edge preserve the invariants?
    Edge(EdgeId),
    /// Do the paths through interior locations preserve them?
    Paths {
        /// Where they begin.
        start: Loc,
        /// Where they end.
        target: Loc,
    },
    /// Does every run end in so many rounds, and none in the error location?
    Rounds(u32),
}

/// Why a claim is not a verdict.
#[derive(Clone, Debug)]
pub enum Rejection {
    /// The program itself breaks the rules of the model.
    Program(Malformed),
    /// The claim is made for another number of locations.
    WrongCount {
        /// Locations.
        expected: usize,
        /// Locations of the claim.
        found: usize,
    },
    /// The entry or the error location has no formula.
    Missing(Loc),
    /// No location of a cycle has a formula. The named one is on it.
    Uncut(Loc),
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
    /// A path through interior locations leads out of the invariants.
    Path {
        /// Where it begins.
        start: Loc,
        /// Where it ends.
        target: Loc,
        /// Its edges.
        path: Vec<EdgeId>,
        /// The conjunct of the target's formula that fails.
        conjunct: Term,
        /// A state inside from which the path leads outside; the values of inputs are those of copies.
        model: Assignment,
    },
    /// There are longer runs than the certificate says, or they violate something; the text says which.
    Rounds {
        /// The rounds that were claimed.
        rounds: u32,
        /// What is so after unwinding them.
        why: String,
    },
    /// The formula of the error location is not false.
    ErrorNotExcluded,
    /// The solver did not decide a query that the check depends on.
    Undecided {
        /// The query.
        query: Query,
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
                format!("the certificate is for {found} locations, the program has {expected}")
            }
            Rejection::Missing(l) => format!("there is no formula at {}", name(*l)),
            Rejection::Uncut(l) => format!("no location of a cycle through {} has a formula", name(*l)),
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
            Rejection::Path { start, target, path, conjunct, model } => {
                let through: Vec<&str> =
                    path.iter().map(|e| &*program.location(program.edge(*e).target).name).collect();
                format!(
                    "the path {} -> {} does not preserve `{}` at {}{}",
                    name(*start),
                    through.join(" -> "),
                    pool.infix(*conjunct),
                    name(*target),
                    values(pool, program.vars(*start), model)
                )
            }
            Rejection::Rounds { rounds, why } => format!("in {rounds} rounds: {why}"),
            Rejection::ErrorNotExcluded => "the formula of the error location is not false".into(),
            Rejection::Undecided { query, why } => {
                let what = match query {
                    Query::Entry => "the entry".into(),
                    Query::Edge(edge) => describe_edge(program, *edge),
                    Query::Rounds(rounds) => format!("the runs of up to {rounds} rounds"),
                    Query::Paths { start, target } => {
                        format!("the paths from {} to {}", name(*start), name(*target))
                    }
                };
                format!("{what} could not be checked: {why}")
            }
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
