//! The command line. Its words are fixed by the design; `--help` is made from the comments here.

use std::path::PathBuf;

use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};

/// Palisade, an inductive software model checker: it answers with a proof, a counterexample, or the reason
/// why not.
///
/// The output ends with one line, `RESULT: TRUE`, `RESULT: FALSE(property)` or `RESULT: UNKNOWN(reason)`, and
/// the exit code is 0, 10 or 20. Usage errors exit with 2, unreadable or unsupported inputs with 3, internal
/// errors with 70.
#[derive(Parser, Debug)]
#[command(name = "palisade", version, about, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Verify a program.
    Verify(Box<VerifyArgs>),
    /// Check a certificate (a proof or a run) against its input, without any engine.
    Check(Box<CheckArgs>),
    /// Print a program as it is verified: its automaton, or in another language.
    Dump(DumpArgs),
    /// List the engines.
    Engines,
    /// List the options of `--set`.
    Options,
    /// Run an SMT-LIB script on the solver.
    Smt(SmtArgs),
    /// Tell the story of a run from its trace (`verify --trace`).
    Explain(ExplainArgs),
    /// Run engines over benchmark suites and compare them.
    Bench(Box<palisade_bench::BenchArgs>),
}

/// How C integers are modelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum IntModel {
    /// Mathematical integers.
    Math,
    /// Exact C values over mathematical integers.
    C,
    /// Bit-vectors.
    Bv,
}

/// What signed overflow does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Signed {
    /// It is assumed not to happen (or checked, with `--check overflow`).
    Undefined,
    /// It wraps around.
    Wrap,
}

/// What an undefined access to memory means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum UndefinedChoice {
    /// No proof rests on it: where it can be reached the result is UNKNOWN, unless the property is violated.
    Report,
    /// A read gives any value, a write changes nothing that the program owns.
    Arbitrary,
    /// It is assumed not to happen.
    Assume,
}

/// Is the user's compiler asked about the translation?
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Confirm {
    /// Where a compiler is found.
    On,
    /// No.
    Off,
}

/// What decides the meaning of an input.
#[derive(Args, Clone, Debug, Default)]
#[command(group = ArgGroup::new("width").args(["m32", "m64"]))]
#[command(group = ArgGroup::new("what").args(["property", "check"]))]
pub struct FrontArgs {
    /// How C integers are modelled (default: c).
    #[arg(long = "int", value_name = "M")]
    pub int_model: Option<IntModel>,
    /// What signed overflow does in C (default: undefined).
    #[arg(long, value_name = "S")]
    pub signed: Option<Signed>,
    /// What an access through a null, dangling or uninitialised pointer or outside an object means in C
    /// (default: report; arbitrary with --property).
    #[arg(long, value_name = "U")]
    pub undefined: Option<UndefinedChoice>,
    /// C for a 32-bit system (ILP32); the default.
    #[arg(long = "32")]
    pub m32: bool,
    /// C for a 64-bit system (LP64).
    #[arg(long = "64")]
    pub m64: bool,
    /// The property of a C program, as an SV-COMP property file.
    #[arg(long, value_name = "F.prp")]
    pub property: Option<PathBuf>,
    /// The properties of a C program: a list of assert, overflow, div-by-zero, bounds, shift, call(F),
    /// label(L).
    #[arg(long, value_name = "LIST")]
    pub check: Option<String>,
    /// A folder with C headers.
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// A macro for C.
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// The C standard, for the preprocessor.
    #[arg(long, value_name = "STD")]
    pub std: Option<String>,
    /// Let the C compiler confirm every size, offset, constant and integer type that the translation relied
    /// on (default: on).
    #[arg(long, value_name = "on|off")]
    pub confirm: Option<Confirm>,
}

/// Limits of a run.
#[derive(Args, Clone, Copy, Debug)]
pub struct LimitArgs {
    /// CPU seconds of the whole run, solver processes included.
    #[arg(long, value_name = "S", value_parser = seconds)]
    pub timeout: Option<f64>,
    /// Memory of the whole run in MB, solver processes included.
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..))]
    pub memory: Option<u64>,
}

/// The words of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// `RESULT: ...`
    Palisade,
    /// The words of the input's own community, as the last line: `sat`, `unsat`, `unknown` for Horn clauses.
    Native,
    /// The words of hardware model checking, for circuits: a witness as `aigsim` or `btorsim` reads it, and
    /// nothing else.
    Hwmcc,
}

/// `palisade verify`.
#[derive(Args, Clone, Debug)]
pub struct VerifyArgs {
    /// The engine; `palisade engines` lists them.
    #[arg(long, value_name = "E", default_value_t = default_engine())]
    pub engine: String,
    #[command(flatten)]
    pub front: FrontArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// Other than 0: the seed of the native solver's first guesses. The same input, options and seed give the
    /// same run.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// A named list of settings for the engine (`palisade options` lists them); `--set` counts more.
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
    /// The solver of the engine: `native`, or the command of an SMT-LIB 2 solver such as "z3 -in".
    #[arg(long, value_name = "native|CMD", default_value = "native")]
    pub solver: String,
    /// The solver that checks the proof.
    #[arg(long = "check-with", value_name = "native|CMD", default_value = "native")]
    pub check_with: String,
    /// Where a C file goes that makes the compiled program repeat the counterexample, if there is one.
    #[arg(long, value_name = "F.c")]
    pub harness: Option<PathBuf>,
    /// Run the compiled C program N times beside the automaton, on random and boundary inputs, and compare
    /// every integer that it assigns.
    #[arg(long = "cross-check", value_name = "N")]
    pub cross_check: Option<usize>,
    /// Where the checked certificate goes.
    #[arg(long, value_name = "F")]
    pub certificate: Option<PathBuf>,
    /// Where the witness of a circuit goes: a run as `aigsim` or `btorsim` reads it, or the proof of an AIGER
    /// circuit as a witness circuit.
    #[arg(long, value_name = "F")]
    pub witness: Option<PathBuf>,
    /// Where the report goes, as JSON.
    #[arg(long, value_name = "F")]
    pub json: Option<PathBuf>,
    /// Where every event of the run goes, for `palisade explain`.
    #[arg(long, value_name = "F.jsonl")]
    pub trace: Option<PathBuf>,
    /// Where the queries of the engine go, as SMT-LIB scripts for `palisade smt` and other solvers: F.0.smt2,
    /// F.1.smt2, ..., one for each solver it made.
    #[arg(long, value_name = "F")]
    pub record: Option<PathBuf>,
    /// An option of an engine; `palisade options` lists them.
    #[arg(long = "set", value_name = "OPTION=VALUE", value_parser = setting)]
    pub settings: Vec<(String, String)>,
    /// The words of the result.
    #[arg(long, value_name = "W", default_value = "palisade")]
    pub format: Format,
    /// The input: .c, .i, .smt2 (HORN), .vmt, .aig, .aag, .btor2.
    #[arg(value_name = "INPUT", required = true)]
    pub inputs: Vec<PathBuf>,
}

/// `palisade check`.
#[derive(Args, Clone, Debug)]
pub struct CheckArgs {
    #[command(flatten)]
    pub front: FrontArgs,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// The solver that checks the proof: `native`, or the command of an SMT-LIB 2 solver such as "z3 -in".
    #[arg(long = "check-with", value_name = "native|CMD", default_value = "native")]
    pub check_with: String,
    /// The input, then the certificate. For circuits that can also be a witness of `aigsim` or `btorsim`, or
    /// a witness circuit.
    #[arg(value_names = ["INPUT", "CERTIFICATE"], required = true, num_args = 2..)]
    pub files: Vec<PathBuf>,
}

/// What `palisade dump` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum DumpFormat {
    /// The automaton as text.
    Cfa,
    /// The automaton for Graphviz.
    Dot,
    /// Horn clauses.
    Horn,
    /// One transition relation.
    Vmt,
}

/// `palisade dump`.
#[derive(Args, Clone, Debug)]
pub struct DumpArgs {
    /// In which language.
    #[arg(long = "as", value_name = "FORMAT")]
    pub format: DumpFormat,
    /// After the transformations of `verify`, rather than as the front-end gives it.
    #[arg(long)]
    pub transformed: bool,
    #[command(flatten)]
    pub front: FrontArgs,
    /// The input.
    #[arg(value_name = "INPUT", required = true)]
    pub inputs: Vec<PathBuf>,
}

/// `palisade smt`.
#[derive(Args, Clone, Debug)]
pub struct SmtArgs {
    /// The script.
    #[arg(value_name = "FILE.smt2")]
    pub file: PathBuf,
}

/// `palisade explain`.
#[derive(Args, Clone, Debug)]
pub struct ExplainArgs {
    /// The trace.
    #[arg(value_name = "TRACE.jsonl")]
    pub file: PathBuf,
}

fn default_engine() -> String {
    palisade_verify::default_engine().name().to_string()
}

fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(s) if s.is_finite() && s > 0.0 => Ok(s),
        _ => Err("a positive number of seconds is needed".into()),
    }
}

fn setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) => Ok((name.trim().into(), value.trim().into())),
        None => Err("OPTION=VALUE is needed".into()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        super::Cli::command().debug_assert();
    }
}
