//! The way of a run: front-end, transformations, engine, back-translation, check, report.
//!
//! An engine's outcome is a claim about the transformed program. It is translated back to the program as the front-end gave it and checked there; only then is there a
//! verdict. A formula for every location is tried first (within an allowance), formulas at cut points are the fallback; a proof that comes back as neither is UNKNOWN. A claim
//! that fails its check is an internal error with what failed, never a verdict; an error edge that stands for something unsupported makes the run UNKNOWN.
//!
//! Entry points: [`verify`] and [`check`].

use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use palisade_certify::{Checker, FileKind, Rejection};
use palisade_engines::options::Transform;
use palisade_engines::{Engine, Options, Outcome, Partial, Reason, SolverFactory, Task};
use palisade_program::{CutInvariants, Invariants, Program, Run};
use palisade_smt::interpolate::{Interpolation, Settings};
use palisade_smt::{Answer, Limits, Solver};
use palisade_term::TermPool;
use palisade_transform::{Context, Pipeline, Prepared, Satisfiable, Untranslatable, prepare_with};

use crate::args::{CheckArgs, VerifyArgs};
use crate::failure::Failure;
use crate::input::Language;
use crate::report::{self, Report};
use crate::session::{Session, stop_word};
use crate::solvers::{Recording, SolverChoice};
use crate::watch::Watch;
use crate::{front, input, trace};

/// The work that a formula for every location may cost, in terms ([`Context::allowance`]): about a second.
const ALLOWANCE: usize = 100_000;
/// The same for Horn clauses.
const HORN_ALLOWANCE: usize = 5_000_000;
/// A bound on one interpolation on the way back: some seconds.
const INTERPOLATION_STEPS: u64 = 10_000_000;
/// A bound on one question about the phases of a loop: tens of milliseconds.
const PHASE_STEPS: u64 = 20_000;

/// What `verify` needs besides its input, checked before anything is read.
pub struct Plan {
    engine: String,
    options: Options,
    solver: SolverChoice,
    checker: SolverChoice,
    /// Where the engine's queries go.
    record: Option<PathBuf>,
}

impl Plan {
    /// Resolves names; errors are usage errors.
    pub fn new(args: &VerifyArgs) -> Result<Plan, Failure> {
        find_engine(&args.engine)?;
        let mut options = Options::new();
        if let Some(preset) = &args.preset {
            options.preset(&args.engine, preset).map_err(Failure::usage)?;
        }
        for (name, value) in &args.settings {
            options.set(name, value).map_err(|e| Failure::usage(e.to_string()))?;
        }
        if let Some(seed) = args.seed {
            options.general.seed = seed;
        }
        let solver = SolverChoice::parse(&args.solver, "--solver")?.seeded(options.general.seed);
        Ok(Plan {
            engine: args.engine.clone(),
            options,
            solver,
            checker: SolverChoice::parse(&args.check_with, "--check-with")?,
            record: args.record.clone(),
        })
    }
}

fn find_engine(name: &str) -> Result<Box<dyn Engine>, Failure> {
    let engines = palisade_engines::all();
    let names: Vec<&str> = engines.iter().map(|e| e.name()).collect();
    let message = format!("there is no engine `{name}`; there are: {}", names.join(", "));
    engines.into_iter().find(|e| e.name() == name).ok_or_else(|| Failure::usage(message))
}

/// The process ends with the run: giving millions of terms back one by one would only delay the verdict.
fn long_lived_pool() -> &'static TermPool {
    Box::leak(Box::new(TermPool::new()))
}

/// `palisade verify`.
pub fn verify(args: &VerifyArgs, plan: &Plan, session: &Session) -> Result<Report, Failure> {
    let pool = long_lived_pool();
    let input::Loaded { program: original, calls, .. } = load(pool, &args.inputs, &args.front, session)?;
    let options = if calls.is_some() { front::recorded(&args.front)? } else { Vec::new() };
    if args.harness.is_some() && calls.is_none() {
        return Err(Failure::usage("--harness: only counterexamples of C programs become C files"));
    }
    let claim = Attempt { pool, original: &original, plan, session }.solve()?;
    if !matches!(claim, Claim::Unknown(_)) {
        session.phase("checking the certificate");
    }
    let checker = Checker::new(pool, &original);
    let (report, certificate) = match claim {
        Claim::Safe(invariants) => {
            match checker.proof(invariants, &|pool| session.limit(plan.checker.checking(pool))) {
                Ok(proof) => {
                    if is_horn(session) && proof.invariants().first_interior().is_some() {
                        eprintln!(
                            "palisade: warning: the proof does not define every predicate: the certificate is no model of the clauses"
                        );
                    }
                    let text = palisade_certify::write_proof(pool, &original, proof.invariants(), &options);
                    (report::proof(pool, &original, &proof), text)
                }
                Err(rejection) => return rejected(pool, &original, session, &rejection),
            }
        }
        Claim::Unsafe(run) => match checker.counterexample(run) {
            Ok(cex) => {
                if let (Some(path), Some(calls)) = (&args.harness, &calls) {
                    write_output("harness", path, &calls.harness(cex.run()));
                }
                let text = palisade_certify::write_run(pool, &original, cex.run(), &options);
                (report::counterexample(pool, &original, &cex), text)
            }
            Err(rejection) => return rejected(pool, &original, session, &rejection),
        },
        Claim::Unknown(report) => return Ok(report),
    };
    if let Some(path) = &args.certificate {
        write_output("certificate", path, &certificate);
    }
    Ok(report)
}

/// An output that cannot be written costs a message, never the verdict.
fn write_output(what: &str, path: &Path, text: &str) {
    if let Err(e) = std::fs::write(path, text) {
        eprintln!("palisade: error: the {what} {} was not written: {e}", path.display());
    }
}

/// A claim that did not pass the check: out of time, out of the checker's reach, or a bug.
fn rejected(
    pool: &TermPool,
    program: &Program,
    session: &Session,
    rejection: &Rejection,
) -> Result<Report, Failure> {
    let what = rejection.describe(pool, program);
    let reason = match (session.budget.check(), rejection) {
        (Err(stop), Rejection::Undecided { .. }) => stop_word(stop).to_string(),
        (Ok(()), Rejection::Undecided { .. }) => format!("the certificate could not be checked: {what}"),
        _ => return Err(Failure::internal(format!("the certificate is wrong: {what}"))),
    };
    Ok(report::unknown(pool, program, reason, &Partial::default(), session))
}

/// `palisade check`.
pub fn check(args: &CheckArgs, solver: &SolverChoice, session: &Session) -> Result<Report, Failure> {
    let (certificate, inputs) = args.files.split_last().expect("two files at least");
    let pool = TermPool::new();
    let text = input::read_text(certificate)?;
    let unreadable =
        |e: palisade_certify::FileError| Failure::input(format!("{}: {e}", certificate.display()));
    let options = palisade_certify::read_options(&text).map_err(unreadable)?;
    let front = front::adopt(&args.front, &options, &certificate.display().to_string())?;
    if !options.is_empty() {
        // What is confirmed is a statement about this program.
        eprintln!("palisade: the certificate is for {}", options.join(" "));
    }
    let program = load(&pool, inputs, &front, session)?.program;
    session.phase("checking the certificate");
    let checker = Checker::new(&pool, &program);
    let result = match palisade_certify::file_kind(&text) {
        FileKind::Proof => {
            let invariants = palisade_certify::read_proof(&pool, &program, &text).map_err(unreadable)?;
            if is_horn(session) {
                palisade_certify::all_defined(&program, &invariants).map_err(unreadable)?;
            }
            checker
                .proof(invariants, &|pool| session.limit(solver.checking(pool)))
                .map(|proof| report::proof(&pool, &program, &proof))
        }
        FileKind::Run => {
            let run = palisade_certify::read_run(&pool, &program, &text).map_err(unreadable)?;
            checker.counterexample(run).map(|cex| report::counterexample(&pool, &program, &cex))
        }
    };
    Ok(result.unwrap_or_else(|rejection| {
        let what = rejection.describe(&pool, &program);
        let reason = match (session.budget.check(), &rejection) {
            (Err(stop), Rejection::Undecided { .. }) => stop_word(stop).to_string(),
            (Ok(()), Rejection::Undecided { .. }) => format!("the certificate could not be checked: {what}"),
            _ => format!("the certificate is wrong: {what}"),
        };
        report::unknown(&pool, &program, reason, &Partial::default(), session)
    }))
}

/// Is the input a system of Horn clauses?
fn is_horn(session: &Session) -> bool {
    matches!(session.known().language, Some(Language::Horn(_)))
}

fn load(
    pool: &TermPool,
    inputs: &[std::path::PathBuf],
    front: &crate::args::FrontArgs,
    session: &Session,
) -> Result<input::Loaded, Failure> {
    session.phase("reading");
    let loaded = input::load(pool, inputs, front)?;
    session.known().language = Some(loaded.language);
    loaded.program.check(pool).map_err(|e| Failure::internal(e.to_string()))?;
    Ok(loaded)
}

/// The claim of an engine, about the program as the front-end gave it.
enum Claim {
    Safe(CutInvariants),
    Unsafe(Run),
    Unknown(Report),
}

/// The program as the engine gets it; the solver is asked about the phases of loops.
pub fn prepare(
    pool: &TermPool,
    program: &Program,
    options: &Options,
    mut solver: Box<dyn Solver + '_>,
) -> Prepared {
    let mut wanted = palisade_transform::Options::default();
    match options.general.transform {
        Transform::None => return Prepared { program: program.clone(), back: Pipeline::new() },
        Transform::Light => wanted.lbe = None,
        Transform::Full => {}
    }
    if !options.general.control {
        wanted.control = None;
    }
    let mut satisfiable = |formula| match solver.check(&[formula]) {
        Answer::Sat(_) => Some(true),
        Answer::Unsat(_) => Some(false),
        Answer::Unknown(_) => None,
    };
    let ask: Option<&mut Satisfiable<'_>> =
        if options.general.phases { Some(&mut satisfiable) } else { None };
    prepare_with(pool, program, &wanted, ask)
}

struct Attempt<'a> {
    pool: &'a TermPool,
    original: &'a Program,
    plan: &'a Plan,
    session: &'a Session,
}

impl Attempt<'_> {
    /// Transforms, runs the engine and translates its answer back.
    fn solve(&self) -> Result<Claim, Failure> {
        self.session.phase("transforming");
        let mut solver = self.session.limit(self.plan.solver.solver(self.pool));
        let interrupt = Some(self.session.budget.interrupt_flag());
        solver.set_limits(Limits { steps: Some(PHASE_STEPS), interrupt });
        let prepared = prepare(self.pool, self.original, &self.plan.options, solver);
        prepared
            .program
            .check(self.pool)
            .map_err(|e| Failure::internal(format!("after transformation: {e}")))?;
        let internal = |e: palisade_transform::Untranslatable| Failure::internal(e.to_string());
        match self.run(&prepared)? {
            Outcome::Unsafe(run) => {
                let run = prepared.run(self.pool, self.original, &run);
                run.map(Claim::Unsafe).map_err(internal)
            }
            Outcome::Safe(invariants) => Ok(match self.translate(&prepared, &invariants) {
                Ok(invariants) => Claim::Safe(invariants),
                Err(why) => {
                    let reason = Reason::Incomplete(format!("a proof was found, but {why}"));
                    let known = prepared.program.locs().map(|l| (l, invariants.at(l))).collect();
                    let partial = Partial { invariants: known, ..Partial::default() };
                    Claim::Unknown(self.unknown(&prepared, reason, &partial))
                }
            }),
            Outcome::Unknown(reason, partial) => {
                Ok(Claim::Unknown(self.unknown(&prepared, reason, &partial)))
            }
        }
    }

    fn run(&self, prepared: &Prepared) -> Result<Outcome, Failure> {
        let Attempt { pool, plan, session, .. } = *self;
        let program = &prepared.program;
        {
            let mut known = session.known();
            known.phase = "verifying";
            known.names = program.locations.iter().map(|l| l.name.clone()).collect();
        }
        if let Some(file) = &session.trace {
            let header = trace::header(pool, program, &plan.engine, &session.subject.input);
            file.lock().unwrap_or_else(PoisonError::into_inner).line(&header);
        }
        let recording = plan.record.as_deref().map(|stem| Recording::new(&plan.solver, stem));
        let solvers: &dyn SolverFactory = match &recording {
            Some(recording) => recording,
            None => &plan.solver,
        };
        let task = Task { pool, program, solvers, options: &plan.options };
        let mut watch = Watch { pool, program, session };
        Ok(find_engine(&plan.engine)?.run(&task, &session.budget, &mut watch))
    }

    /// A formula for every location when that is cheap, else at cut points: the checker can do with those, and no proof is lost on the way back.
    /// For Horn clauses a formula for every predicate is what the user wants to have, so that may cost more.
    fn translate(
        &self,
        prepared: &Prepared,
        invariants: &Invariants,
    ) -> Result<CutInvariants, Untranslatable> {
        self.session.phase("translating the proof back");
        let interrupt = Some(self.session.budget.interrupt_flag());
        let limits = Limits { steps: Some(INTERPOLATION_STEPS), interrupt };
        let settings = Settings { limits, ..Settings::default() };
        let mut interpolator = self.plan.solver.interpolator(self.pool);
        let mut between = |a, b| match interpolator.interpolate(&[a, b], &settings) {
            Interpolation::Interpolants(i) => i.first().copied(),
            _ => None,
        };
        let mut context = if is_horn(self.session) {
            Context { allowance: HORN_ALLOWANCE, ..Context::with_interpolator(self.pool, &mut between) }
        } else {
            Context { allowance: ALLOWANCE, ..Context::new(self.pool) }
        };
        match prepared.invariants(&mut context, self.original, invariants) {
            Ok(all) => Ok(all.into()),
            Err(_) => prepared.cut_invariants(self.pool, self.original, invariants),
        }
    }

    /// The budget's word counts more than what an interrupted engine or solver gave as its reason.
    fn unknown(&self, prepared: &Prepared, reason: Reason, partial: &Partial) -> Report {
        let reason = match (self.session.budget.check(), reason) {
            (Err(stop), _) | (Ok(()), Reason::Stopped(stop)) => stop_word(stop).to_string(),
            (Ok(()), Reason::Solver(why)) => format!("solver: {why}"),
            (Ok(()), Reason::Incomplete(why)) => format!("incomplete: {why}"),
        };
        report::unknown(self.pool, &prepared.program, reason, partial, self.session)
    }
}

/// Outputs must be writable before hours are spent on what goes there. Opening for appending changes nothing in a file that exists.
pub fn probe(path: Option<&Path>) -> Result<(), Failure> {
    let Some(path) = path else { return Ok(()) };
    match std::fs::OpenOptions::new().append(true).create(true).open(path) {
        Ok(_) => Ok(()),
        Err(e) => Err(Failure::usage(format!("cannot write {}: {e}", path.display()))),
    }
}
