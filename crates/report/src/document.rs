//! The document about the end of a run.
//!
//! Positions are those of the source as the user sees it: columns count characters from 1, and what a macro
//! expands to is at its name. `in_input` differs for preprocessed inputs, where it is the place in the file
//! that was given.
//!
//! The version follows its meaning: the first number changes when a reader of the old format would misread
//! the new one.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The name of the format.
pub const FORMAT: &str = "palisade-report";
/// The version of the format.
pub const VERSION: &str = "1.5";

/// Everything about the end of a run.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Document {
    /// Always `palisade-report`.
    pub format: String,
    /// The version of this format.
    pub version: String,
    /// The version of Palisade.
    pub palisade: String,
    /// The input files as the user named them, in one text.
    pub input: String,
    /// The input files.
    pub inputs: Vec<InputFile>,
    /// The language of the input: `c`, `horn`, `vmt`, `aiger`, `btor2`; null if it was not read.
    pub language: Option<String>,
    /// How a C program was read, as `NAME=VALUE`.
    pub options: Vec<String>,
    /// `ILP32` or `LP64`, for C.
    pub data_model: Option<String>,
    /// The properties, in the notation of SV-COMP where it has one.
    pub specification: Option<String>,
    /// The engine; null for a mere check.
    pub engine: Option<String>,
    /// The verdict.
    pub result: Verdict,
    /// The violated property.
    pub property: Option<String>,
    /// Why there is no answer.
    pub reason: Option<String>,
    /// The exit code of the process.
    pub exit_code: u8,
    /// CPU time of the run, solver processes included.
    pub cpu_seconds: f64,
    /// Time on the clock.
    pub wall_seconds: f64,
    /// The greatest resident memory.
    pub peak_memory_bytes: Option<u64>,
    /// The bound that the engine reached.
    pub bound: Option<u32>,
    /// Solver queries.
    pub queries: u64,
    /// Lemmas learned.
    pub lemmas: u64,
    /// Counters of the engine.
    pub counters: BTreeMap<String, u64>,
    /// The evidence.
    pub evidence: Evidence,
    /// Of `verify --all`: the verdict about each claim.
    pub claims: Vec<ClaimResult>,
    /// The automaton, where a page shows it.
    pub automaton: Option<Automaton>,
}

/// The verdict about one claim: an assertion or a checked operation.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ClaimResult {
    /// Its name, `PROPERTY@FILE:LINE:COLUMN`.
    pub claim: String,
    /// Where verification began.
    pub function: String,
    /// The statement.
    pub statement: String,
    /// The verdict.
    pub result: Verdict,
    /// Why there is no answer.
    pub reason: Option<String>,
    /// The file of the certificate.
    pub certificate: Option<String>,
}

/// The control-flow automaton of the program.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Automaton {
    /// Its locations.
    pub locations: Vec<AutomatonLocation>,
    /// Its edges.
    pub edges: Vec<AutomatonEdge>,
    /// The index of the location where runs begin.
    pub entry: usize,
    /// The index of the error location.
    pub error: usize,
    /// The indices of the edges that the counterexample takes, in order.
    pub path: Vec<usize>,
}

/// A location of the automaton.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AutomatonLocation {
    /// Its name.
    pub name: String,
    /// Where it is in the source.
    pub position: Option<Position>,
    /// It is the head of a loop.
    #[serde(rename = "loop")]
    pub is_loop: bool,
}

/// An edge of the automaton.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AutomatonEdge {
    /// The index of the location where it starts.
    pub from: usize,
    /// The index of the location where it leads.
    pub to: usize,
    /// The statements that it stands for.
    pub text: String,
}

/// An input file.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct InputFile {
    /// Its path as the user named it.
    pub path: String,
    /// Its SHA-256; null if it could not be read.
    pub sha256: Option<String>,
}

/// The three answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
pub enum Verdict {
    /// The property holds.
    True,
    /// The property is violated.
    False,
    /// Not decided.
    Unknown,
}

/// What supports the verdict.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Evidence {
    /// Of a proof: its invariants. Without an answer: what was learned.
    pub invariants: Vec<Invariant>,
    /// Of the proof of a C program: what of its invariants can be said in C.
    pub c_invariants: Vec<CInvariant>,
    /// Of a proof by unwinding: how often a run comes back to the head of a loop at most before it leaves it.
    #[serde(default)]
    pub rounds: Option<u32>,
    /// Of a proof that all runs end: what goes down in each loop.
    #[serde(default)]
    pub measures: Vec<Measure>,
    /// Of a counterexample: the run.
    pub run: Option<Run>,
    /// What the user's compiler says about the translation of C.
    pub translation: Option<String>,
    /// How much was left out of a C program because the property cannot see it.
    #[serde(default)]
    pub sliced: Option<String>,
    /// What a proof rests on besides the program.
    pub assumptions: Vec<Assumption>,
    /// What the comparison with the compiled program said.
    pub cross_check: Option<String>,
    /// No run of up to so many steps of the prepared program is a violation.
    pub safe_bound: Option<u32>,
    /// Where the engine was when it gave up.
    pub stuck_at: Option<String>,
    /// What the run was busy with when it was stopped.
    pub phase: Option<String>,
    /// More about a run without an answer.
    pub notes: Vec<String>,
}

/// What goes down with every round of a loop.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Measure {
    /// The head of the loop.
    pub location: String,
    /// Where that is in the source.
    pub position: Option<Position>,
    /// The terms, compared lexicographically; none where the number of rounds is all there is to say.
    pub terms: Vec<String>,
}

/// An invariant of a proof.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Invariant {
    /// The location of the automaton.
    pub location: String,
    /// Where that is in the source.
    pub position: Option<Position>,
    /// It is the head of a loop.
    #[serde(rename = "loop")]
    pub is_loop: bool,
    /// The formula, in mathematical notation over variables of the automaton.
    pub formula: String,
    /// The parts of the formula that all hold.
    pub conjuncts: Vec<String>,
}

/// Where an invariant in C holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum PlaceKind {
    /// Each time the condition of the loop at the position is about to be evaluated.
    Loop,
    /// Before the statement at the position is executed.
    Location,
}

/// An invariant in C.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CInvariant {
    /// Where it holds.
    pub kind: PlaceKind,
    /// The loop or statement, in the source.
    pub position: Position,
    /// The same in the input file that was given.
    pub in_input: Position,
    /// The function.
    pub function: String,
    /// An expression without side effects whose evaluation is always defined there.
    pub expression: String,
    /// Its parts that all hold.
    pub conjuncts: Vec<String>,
}

/// That an operation is always defined.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Assumption {
    /// What is assumed.
    pub what: String,
    /// Where.
    pub places: Vec<String>,
    /// Places behind which nothing is executed under the assumption.
    pub dead: Vec<String>,
}

/// A place in a text.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Position {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

impl From<&palisade_program::Position> for Position {
    fn from(p: &palisade_program::Position) -> Position {
        Position { file: p.file.to_string(), line: p.line, column: p.column }
    }
}

impl fmt::Display for Position {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.file, self.line, self.column)
    }
}

/// A run into the error.
#[derive(Clone, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Run {
    /// How many edges of the automaton it takes.
    pub edges: usize,
    /// Values at the start: of global variables, or of the initial state.
    pub initial: Vec<Valued>,
    /// Statement by statement; of other languages than C, edge by edge.
    pub steps: Vec<Step>,
    /// What matters of the states before the edges: with these values, and the same values from outside,
    /// every state goes the same way. Empty for long runs.
    #[serde(default)]
    pub lifted: Vec<Lifted>,
}

impl Run {
    /// What people read: the steps, or of a long run those before and behind everything that is left out.
    pub fn ends(&self) -> (&[Step], &[Step]) {
        let gap = |(i, pair): (usize, &[Step])| (pair[1].step > pair[0].step + 1).then_some(i + 1);
        let mut gaps = self.steps.windows(2).enumerate().filter_map(gap);
        let Some(first) = gaps.next() else { return (&self.steps, &[]) };
        (&self.steps[..first], &self.steps[gaps.next_back().unwrap_or(first)..])
    }
}

/// The part of a state on which the rest of the run depends.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Lifted {
    /// The edge of the automaton that follows, from 1.
    pub edge: usize,
    /// The location.
    pub location: String,
    /// Its place in the source.
    pub position: Option<Position>,
    /// The variables that matter, as far as they are scalars with a name in the source.
    pub values: Vec<Valued>,
}

/// What a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum StepKind {
    /// A statement or declaration.
    Statement,
    /// A condition was evaluated.
    Condition,
    /// A call returned, and its caller goes on.
    Return,
    /// An edge of the automaton, for inputs without statements.
    Edge,
}

/// One step of a run.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Its number, from 1. Of a run of tens of thousands of steps, those in the middle are left out to which
    /// no value comes from outside.
    pub step: usize,
    /// The edge of the automaton in the run that it is part of, from 1.
    pub edge: usize,
    /// What it is.
    pub kind: StepKind,
    /// Its text.
    pub text: String,
    /// Where it begins in the source.
    pub position: Option<Position>,
    /// Behind its last character.
    pub end: Option<Position>,
    /// Where it begins in the input file that was given.
    pub in_input: Option<Position>,
    /// The function that it is in.
    pub function: Option<String>,
    /// How many calls are around it.
    pub depth: u32,
    /// Of a condition: its value.
    pub outcome: Option<bool>,
    /// Values that came from outside: of functions without a body, or inputs of the edge.
    pub answers: Vec<Answer>,
    /// What it assigned.
    pub changed: Vec<Valued>,
    /// The values after it that can be named there.
    pub values: Vec<Valued>,
    /// The property is violated by this step.
    pub violation: bool,
}

/// A value from outside.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The function, or the input.
    pub function: String,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: Option<String>,
    /// The value.
    pub value: String,
    /// The closing parenthesis of the call, in the input file; null if a macro made the call.
    pub closing: Option<Position>,
    /// Where the macro stands that made the call, in the input file.
    #[serde(default)]
    pub expanded: Option<Position>,
}

/// A variable with a value.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Valued {
    /// The variable, or a part of it.
    pub variable: String,
    /// The function of a local variable.
    pub function: Option<String>,
    /// Its type.
    #[serde(rename = "type")]
    pub ty: Option<String>,
    /// The value.
    pub value: String,
}
