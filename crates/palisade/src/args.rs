//! The command line. `--help` is made from the comments here.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};

use crate::failure::Failure;

/// What `--version` says; `-V` says the first line.
const LONG_VERSION: &str = concat!(
    env!("CARGO_PKG_VERSION"),
    "\ncommit: ",
    env!("PALISADE_COMMIT"),
    "\ntarget: ",
    env!("PALISADE_TARGET"),
    " (",
    env!("PALISADE_PROFILE"),
    ")\ninputs: C, HORN (SMT-LIB), VMT, BTOR2, AIGER\nsolvers: native, SMT-LIB 2 processes",
    "\noutputs: certificates, JSON, SARIF 2.1.0, HTML, witnesses 2.0 and 2.1, AIGER and BTOR2 witnesses",
    "\nfeatures: ",
    env!("PALISADE_FEATURES"),
);

/// Palisade, an inductive software model checker. It answers with a proof, a counterexample, or the reason
/// why there is neither.
///
/// The output ends with one line: `RESULT: TRUE` (exit code 0), `RESULT: FALSE(property)` (10) or `RESULT:
/// UNKNOWN(reason)` (20). Usage errors exit with 2, unreadable or unsupported inputs with 3, internal errors
/// with 70.
#[derive(Parser, Debug)]
#[command(name = "palisade", version, long_version = LONG_VERSION, about, max_term_width = 100)]
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
    /// Validate a witness of SV-COMP for a C program: confirm or refute it.
    Validate(Box<ValidateArgs>),
    /// Print the program that is verified, as an automaton or in another language.
    Dump(Box<DumpArgs>),
    /// List the engines.
    Engines,
    /// List the options of `--set`.
    Options,
    /// Run an SMT-LIB script on the solver.
    Smt(SmtArgs),
    /// Explain a run from its trace (`verify --trace`).
    Explain(ExplainArgs),
    /// Run engines over benchmark suites and compare them.
    Bench(Box<palisade_bench::BenchArgs>),
    /// Run three small examples and explain what is seen.
    Demo,
    /// Print the completion script of a shell.
    Completion(CompletionArgs),
    /// Print the manual page, or write the pages of all commands.
    Man(ManArgs),
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

/// The meaning of signed overflow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Signed {
    /// It is assumed not to happen (or checked, with `--check overflow`).
    Undefined,
    /// It wraps around.
    Wrap,
}

/// The meaning of an undefined access to memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum UndefinedChoice {
    /// If it can be reached, there is no proof: the result is UNKNOWN, unless the property is violated.
    Report,
    /// A read gives any value, a write changes nothing that the program owns.
    Arbitrary,
    /// It is assumed not to happen.
    Assume,
}

/// Can an allocation fail?
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Malloc {
    /// There is always enough memory.
    Succeed,
    /// Each allocation returns a new block, or a null pointer.
    MayFail,
}

/// Does the user's compiler check the translation?
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Confirm {
    /// If a compiler is found.
    On,
    /// No.
    Off,
}

/// Is left out what the property cannot see?
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum SliceChoice {
    /// Where it is possible.
    On,
    /// Only what comes to its end in every run.
    Careful,
    /// No.
    Off,
}

/// What decides the meaning of an input.
#[derive(Args, Clone, Debug, Default)]
#[command(group = ArgGroup::new("width").args(["m32", "m64"]))]
#[command(group = ArgGroup::new("what").args(["property", "check"]))]
pub struct FrontArgs {
    /// How C integers are modelled (default: c; `verify` with the default engine tries bv beside it where the
    /// program has bit operations or wraps around).
    #[arg(long = "int", value_name = "M")]
    pub int_model: Option<IntModel>,
    /// The meaning of signed overflow in C (default: undefined).
    #[arg(long, value_name = "S")]
    pub signed: Option<Signed>,
    /// The meaning of an undefined access to memory in C: through a null, dangling or uninitialised pointer,
    /// or outside an object (default: report; arbitrary with --property, unless it is about memory).
    #[arg(long, value_name = "U")]
    pub undefined: Option<UndefinedChoice>,
    /// Whether malloc and calloc may return a null pointer (default: succeed).
    #[arg(long, value_name = "M")]
    pub malloc: Option<Malloc>,
    /// Leave out C statements that the property cannot see, with --undefined arbitrary (default: off; not
    /// with --harness and --cross-check).
    #[arg(long, value_name = "S")]
    pub slice: Option<SliceChoice>,
    /// How many calls of a recursive function may be active at once; a run with more is unsupported
    /// (default: 24, or 400 where the run that needs more has no inputs).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=10000))]
    pub recursion: Option<u32>,
    /// C for a 32-bit system (ILP32); the default.
    #[arg(long = "32")]
    pub m32: bool,
    /// C for a 64-bit system (LP64).
    #[arg(long = "64")]
    pub m64: bool,
    /// The property of a C program, as an SV-COMP property file.
    #[arg(long, value_name = "F.prp")]
    pub property: Option<PathBuf>,
    /// The properties of a C program: a list of assert, overflow, div-by-zero, bounds, shift, memory
    /// (valid-deref and valid-free), leaks (valid-memtrack), valid-memcleanup, call(F), label(L); or
    /// termination, alone: whether every run ends.
    #[arg(long, value_name = "LIST")]
    pub check: Option<String>,
    /// A folder with C headers.
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// A macro definition for the C preprocessor.
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// The C standard for the preprocessor.
    #[arg(long, value_name = "STD")]
    pub std: Option<String>,
    /// Verification begins at this function instead of `main`. Arguments and global variables have any value;
    /// a pointer argument points to a fresh object (`--set` entry.elements=N, entry.depth=N, entry.null=true,
    /// entry.globals=zero).
    #[arg(long, value_name = "F")]
    pub function: Option<String>,
    /// Verify one claim only: PROPERTY@FILE:LINE:COLUMN, as `verify --all` names it.
    #[arg(long, value_name = "CLAIM")]
    pub claim: Option<String>,
    /// Compile as this build does: the folder of its compile_commands.json.
    #[arg(short = 'p', value_name = "BUILD")]
    pub build: Option<PathBuf>,
    /// How the build preprocesses each input.
    #[arg(skip)]
    pub flags: Vec<palisade_front_c::FileFlags>,
    /// The state where verification begins, from `--set entry.*`.
    #[arg(skip)]
    pub entry: palisade_front_c::Entry,
    /// Check every size, offset, constant and integer type of the translation with the C compiler (default:
    /// on).
    #[arg(long, value_name = "on|off")]
    pub confirm: Option<Confirm>,
}

/// Limits of a run.
#[derive(Args, Clone, Copy, Debug)]
pub struct LimitArgs {
    /// Limit for the CPU seconds of the whole run, solver processes included.
    #[arg(long, value_name = "S", value_parser = seconds, allow_negative_numbers = true)]
    pub timeout: Option<f64>,
    /// Limit for the memory of the whole run in MB, solver processes included.
    #[arg(long, value_name = "MB", value_parser = clap::value_parser!(u64).range(1..))]
    pub memory: Option<u64>,
}

/// The form of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// `RESULT: ...`
    Palisade,
    /// The usual answer for the input language as the last line: `sat`, `unsat`, `unknown` for Horn clauses.
    Native,
    /// The output of hardware model checking competitions, for circuits: a witness for `aigsim` or `btorsim`,
    /// and nothing else.
    Hwmcc,
    /// One line as SV-COMP expects it: `true`, `false(unreach-call)`, `unknown`.
    Svcomp,
    /// The output of CHC-COMP, for Horn clauses: `sat` and a model, `unsat`, or `unknown`.
    Chc,
}

/// Versions of the witness format of SV-COMP.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum WitnessVersion {
    /// 2.0.
    #[value(name = "2.0")]
    V2_0,
    /// 2.1.
    #[value(name = "2.1")]
    V2_1,
}

/// What `--all` does not give.
const ALONE: [&str; 7] = ["claim", "harness", "witness", "trace", "record", "html", "cross_check"];

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
    /// The seed of the native solver's first guesses; 0 means no randomness. The same input, options and seed
    /// give the same run.
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// A named list of settings for the engine (`palisade options` lists them). `--set` overrides it.
    #[arg(long, value_name = "NAME")]
    pub preset: Option<String>,
    /// The solver of the engine: `native`, or the command of an SMT-LIB 2 solver such as "z3 -in".
    #[arg(long, value_name = "native|CMD", default_value = "native")]
    pub solver: String,
    /// The solver that checks the proof.
    #[arg(long = "check-with", value_name = "native|CMD", default_value = "native")]
    pub check_with: String,
    /// Write a C harness that replays the counterexample.
    #[arg(long, value_name = "F.c")]
    pub harness: Option<PathBuf>,
    /// Compile the C program and run it N times on random and boundary inputs; compare every integer that it
    /// assigns with the automaton.
    #[arg(long = "cross-check", value_name = "N")]
    pub cross_check: Option<usize>,
    /// Write the checked certificate to this file.
    #[arg(long, value_name = "F")]
    pub certificate: Option<PathBuf>,
    /// Write the witness. Of a C program: a correctness or violation witness of SV-COMP, as YAML. Of a
    /// circuit: a run for `aigsim` or `btorsim`, or the proof: of an AIGER circuit as a witness circuit, of
    /// BTOR2 as a certificate.
    #[arg(long, value_name = "F")]
    pub witness: Option<PathBuf>,
    /// The version of the witness of a C program.
    #[arg(long = "witness-version", value_name = "V", default_value = "2.0")]
    pub witness_version: WitnessVersion,
    /// Write the document about the run, as JSON.
    #[arg(long, value_name = "F")]
    pub json: Option<PathBuf>,
    /// Write the result for code reviews and editors, as SARIF 2.1.0.
    #[arg(long, value_name = "F.sarif")]
    pub sarif: Option<PathBuf>,
    /// Write the run, the invariants and the automaton as one page for a browser.
    #[arg(long, value_name = "F.html")]
    pub html: Option<PathBuf>,
    /// A verdict for every assertion and checked operation, one line each. `--certificate` is a folder then.
    #[arg(long, conflicts_with_all = ALONE)]
    pub all: bool,
    /// With --all: limit for the CPU seconds of one attempt (default: 10).
    #[arg(long = "claim-timeout", value_name = "S", value_parser = seconds, requires = "all")]
    pub claim_timeout: Option<f64>,
    /// With --all: believe nothing that was kept: check its certificates again.
    #[arg(long, requires = "all")]
    pub recheck: bool,
    /// With --all: the folder where results are kept, or `none` (default: palisade in the user's cache).
    #[arg(long, value_name = "DIR", requires = "all")]
    pub cache: Option<PathBuf>,
    /// Write every event of the run, for `palisade explain`.
    #[arg(long, value_name = "F.jsonl")]
    pub trace: Option<PathBuf>,
    /// Write the queries of the engine as SMT-LIB scripts: F.0.smt2, F.1.smt2, ..., one for each solver that
    /// it made.
    #[arg(long, value_name = "F")]
    pub record: Option<PathBuf>,
    /// An option of an engine; `palisade options` lists them.
    #[arg(long = "set", value_name = "OPTION=VALUE", value_parser = setting)]
    pub settings: Vec<(String, String)>,
    /// The form of the result.
    #[arg(long, value_name = "W", default_value = "palisade")]
    pub format: Format,
    /// The input: .c, .i, .smt2 (HORN), .vmt, .aig, .aag, .btor2. Without one, palisade.toml says what to do.
    #[arg(value_name = "INPUT")]
    pub inputs: Vec<PathBuf>,
}

impl VerifyArgs {
    /// Takes the options of the front-end out of `--set`, and flags from the build.
    pub fn resolve(&mut self) -> Result<(), Failure> {
        let (entry, engine): (Vec<_>, Vec<_>) =
            self.settings.drain(..).partition(|(name, _)| name.starts_with("entry."));
        self.settings = engine;
        for (name, value) in entry {
            crate::front::set_entry(&mut self.front.entry, &name, &value).map_err(Failure::usage)?;
        }
        self.front.follow_build(&self.inputs)
    }
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
    /// The input, then the certificate. The certificate of a circuit can also be a witness for `aigsim` or
    /// `btorsim`, or a witness circuit.
    #[arg(value_names = ["INPUT", "CERTIFICATE"], required = true, num_args = 2..)]
    pub files: Vec<PathBuf>,
}

/// `palisade validate`.
#[derive(Args, Clone, Debug)]
pub struct ValidateArgs {
    /// The engine; `palisade engines` lists them.
    #[arg(long, value_name = "E", default_value_t = default_engine())]
    pub engine: String,
    #[command(flatten)]
    pub limits: LimitArgs,
    /// The witness, then the files of the program. The data model and the property are those of the witness.
    #[arg(value_names = ["WITNESS", "INPUT"], required = true, num_args = 2..)]
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
    /// States and next-state functions, of programs over Booleans, bit-vectors and arrays of them.
    Btor2,
}

/// `palisade dump`.
#[derive(Args, Clone, Debug)]
pub struct DumpArgs {
    /// The language of the output.
    #[arg(long = "as", value_name = "FORMAT")]
    pub format: DumpFormat,
    /// Print the program after the transformations of `verify`, not as the front-end gives it.
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

/// `palisade completion`.
#[derive(Args, Clone, Copy, Debug)]
pub struct CompletionArgs {
    /// The shell.
    #[arg(value_name = "SHELL")]
    pub shell: clap_complete::Shell,
}

/// `palisade man`.
#[derive(Args, Clone, Debug)]
pub struct ManArgs {
    /// Write the pages of all commands into this folder.
    #[arg(long, value_name = "DIR")]
    pub folder: Option<PathBuf>,
}

/// The arguments of a `palisade verify` that another command starts.
pub fn verify(words: impl IntoIterator<Item = impl Into<OsString> + Clone>) -> Result<VerifyArgs, Failure> {
    match Cli::try_parse_from(words) {
        Ok(Cli { command: Command::Verify(verify) }) => Ok(*verify),
        Ok(_) => Err(Failure::internal("a verification is expected")),
        Err(e) => Err(Failure::usage(e.to_string())),
    }
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
