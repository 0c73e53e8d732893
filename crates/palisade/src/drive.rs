//! `palisade verify` and `palisade check`: the library ([`palisade_verify`]) between the files of the user
//! and the report.
//!
//! Entry points: [`verify`] and [`check`].

use std::path::{Path, PathBuf};

use palisade_engines::{Options, SolverFactory};
use palisade_front_c::{COptions, CrossCheck, Input, Slice, Slicing, Story};
use palisade_program::{Property, Watched};
use palisade_report::annotations::{self, Woven};
use palisade_term::TermPool;
use palisade_verify::{
    Certified, Hardware, Language, Loaded, Program, Settings, SolverChoice, Solvers, Verdict,
};

use crate::args::{CheckArgs, Format, VerifyArgs};
use crate::claims;
use crate::evidence;
use crate::failure::Failure;
use crate::files;
use crate::front;
use crate::readings::wants_words;
use crate::record::Recording;
use crate::report::{self, Report};
use crate::result::Final;
use crate::session::{Session, Subject};
use crate::watch::Watch;

/// What `verify` needs besides its input, looked up before anything is read.
#[derive(Clone)]
pub struct Plan {
    /// The settings of the engine.
    pub options: Options,
    /// How a C program is read.
    pub c_options: COptions,
    /// The solver of the engine.
    pub solver: SolverChoice,
    /// The solver that checks the proof.
    pub checker: Certified,
}

impl Plan {
    /// Resolves names; errors are usage errors.
    pub fn new(args: &VerifyArgs) -> Result<Plan, Failure> {
        palisade_verify::find_engine(&args.engine)?;
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
        let mut c_options = args.front.c_options()?;
        // Both are about all values that functions of the environment return.
        if args.harness.is_some() || args.cross_check.is_some() {
            c_options.slice = Slicing::Off;
        }
        Ok(Plan {
            c_options,
            solver: solver(&args.solver, "--solver")?.seeded(options.general.seed),
            checker: Certified(solver(&args.check_with, "--check-with")?),
            options,
        })
    }
}

/// What a run is about.
pub fn subject(args: &VerifyArgs, plan: &Plan) -> Subject {
    Subject {
        inputs: args.inputs.clone(),
        engine: Some(args.engine.clone()),
        options: front::recorded(&args.front, &plan.c_options),
        data_model: Some(plan.c_options.data_model.name()),
        specification: Some(plan.c_options.checks.specification()),
    }
}

/// The solver that an option names.
pub fn solver(text: &str, option: &str) -> Result<SolverChoice, Failure> {
    SolverChoice::parse(text).map_err(|e| Failure::usage(format!("{option}: {e}")))
}

/// The process ends with the run: giving millions of terms back one by one would only delay the verdict.
fn long_lived_pool() -> &'static TermPool {
    Box::leak(Box::new(TermPool::new()))
}

/// `palisade verify`.
pub fn verify(args: &VerifyArgs, plan: Plan, session: &Session) -> Result<Report, Failure> {
    let (inputs, c_options) = sources(&args.inputs, &plan.c_options)?;
    verify_inputs(args, &inputs, Plan { c_options, ..plan }, session)
}

/// `palisade verify` of inputs that need not be the files of the command line.
pub fn verify_inputs(
    args: &VerifyArgs,
    inputs: &[Input],
    plan: Plan,
    session: &Session,
) -> Result<Report, Failure> {
    let pool = long_lived_pool();
    let again = plan.clone();
    let loaded = load(pool, inputs, &plan.c_options, args.front.claim.as_deref(), session)?;
    let Loaded { mut program, calls, language, confirmation, hardware, .. } = loaded;
    let Loaded { assumptions, mut story, sliced, open, ends, .. } = loaded;
    if args.harness.is_some() && calls.is_none() {
        return Err(Failure::usage("--harness: only counterexamples of C programs become C files"));
    }
    if args.witness.is_some() && hardware.is_none() && language != Language::C {
        return Err(Failure::usage("--witness: only C programs and circuits (AIGER, BTOR2) have witnesses"));
    }
    if ends && (args.witness.is_some() || args.harness.is_some() || args.cross_check.is_some()) {
        let what = "--check termination: there is no witness, no harness and no comparison for runs that end";
        return Err(Failure::usage(what));
    }
    if args.format == Format::Hwmcc && hardware.is_none() {
        return Err(Failure::usage("--format: only circuits (AIGER, BTOR2) have witnesses"));
    }
    if args.format == Format::Chc && !language.is_horn() {
        return Err(Failure::usage("--format: only Horn clauses are answered as in CHC-COMP"));
    }
    let cross_check = match args.cross_check {
        Some(_) if calls.is_none() => {
            return Err(Failure::usage("--cross-check: only C programs can be compiled"));
        }
        Some(n) => Some(cross_checked(args, &plan, n)?),
        None => None,
    };
    let recording = args.record.as_deref().map(|stem| Recording::new(&plan.solver, stem));
    let engine: &dyn SolverFactory = match &recording {
        Some(recording) => recording,
        None => &plan.solver,
    };
    let settings = Settings {
        engine: palisade_verify::find_engine(&args.engine)?,
        options: plan.options,
        solvers: Solvers { engine, transform: &plan.solver, check: &plan.checker },
        ..Settings::for_language(language)
    };
    session.known().wants_words = wants_words(pool, &program, language);
    let mut watch = Watch::new(pool, session);
    // Whether runs end is a question about a program that watches its loops.
    let (verdict, measures) = if ends {
        let (open, budget) = (open.as_ref(), &session.budget);
        let ended = palisade_verify::terminates(pool, &program, open, &settings, budget, &mut watch)?;
        let lines = palisade_certify::write_measures(pool, &program, &ended.measures);
        watch_loops(&mut program, story.as_mut(), ended.watched);
        (ended.verdict, Some((ended.measures, lines)))
    } else {
        (palisade_verify::verify(pool, &program, &settings, &session.budget, &mut watch)?, None)
    };
    let mut report = report::verdict(pool, &program, &verdict, story.as_ref(), session);
    if let Some((measures, _)) = &measures {
        report = report.about_ends(pool, &program, measures, story.as_ref());
    }
    let mut report = report.with_translation(confirmation.as_ref()).with_slice(sliced.as_ref());
    if !matches!(report.result, Final::Unknown(_)) {
        session.answer();
    }
    if let (Verdict::Unsafe(cex), Some(Slice { open: true, .. })) = (&verdict, &sliced)
        && again.c_options.slice != Slicing::Careful
        && matches!(cex.property(&program), Some(Property::Open(_)))
    {
        // Perhaps only because of what was left out.
        let c_options = COptions { slice: Slicing::Careful, ..again.c_options.clone() };
        match verify_inputs(args, inputs, Plan { c_options, ..again.clone() }, session) {
            // Then the program is too large.
            Err(failure) if failure.code == Failure::INPUT => {}
            other => return other,
        }
    }
    if let Verdict::Unsafe(cex) = &verdict
        && let Some(Property::Unsupported(what)) = cex.property(&program)
        && what.contains(palisade_front_c::TOO_DEEP)
        && again.c_options.recursion_bound < front::DEEPEST
        && args.front.recursion.is_none()
        && cex.run().steps.iter().all(|step| step.inputs.is_empty())
    {
        // What happens up to there is known, so it is worth while to go on.
        let c_options = front::deeper(&again.c_options, front::DEEPEST);
        match verify_inputs(args, inputs, Plan { c_options, ..again }, session) {
            Err(failure) if failure.code == Failure::INPUT => {}
            other => return other,
        }
    }
    let options = if calls.is_some() { front::recorded(&args.front, &plan.c_options) } else { Vec::new() };
    let certificate = match &verdict {
        Verdict::Safe(proof) => {
            if language.is_horn() && proof.invariants().first_interior().is_some() {
                eprintln!(
                    "palisade: warning: the proof does not define every predicate: the certificate is no \
                     model of the clauses"
                );
            }
            let measures = measures.map(|(_, lines)| lines).unwrap_or_default();
            Some(measures + &palisade_certify::write_proof(pool, &program, proof.invariants(), &options))
        }
        Verdict::Unsafe(cex) => {
            if let (Some(path), Some(calls)) = (&args.harness, &calls) {
                files::write("harness", path, calls.harness(cex.run()).as_bytes());
                let open: Vec<&str> = calls.left_open(cex.run()).into_iter().collect();
                if !open.is_empty() {
                    let rest = if open.len() > 5 { " and others" } else { "" };
                    let names = open.iter().take(5).map(|n| format!("`{n}`")).collect::<Vec<_>>().join(", ");
                    eprintln!(
                        "palisade: warning: the harness does not set {names}{rest}: it repeats the run only \
                         where these have the same values"
                    );
                }
                if let Some(function) = args.front.function.as_ref().filter(|f| *f != "main") {
                    let what = "is for you to call, in the state in which the run begins";
                    eprintln!("palisade: warning: the harness has no `main`: `{function}` {what}");
                }
            }
            Some(palisade_certify::write_run(pool, &program, cex.run(), &options))
        }
        Verdict::Unknown(_) => None,
    };
    let model = match (&verdict, &certificate) {
        (Verdict::Safe(proof), Some(text)) if proof.invariants().first_interior().is_none() => {
            Some(format!("(\n{text})\n"))
        }
        _ => None,
    };
    if let (Some(path), Some(mut text)) = (&args.certificate, certificate) {
        if let Some(confirmation) = &confirmation {
            text = palisade_certify::annotate(&text, &confirmation.to_string());
        }
        files::write("certificate", path, text.as_bytes());
    }
    report.model = model;
    if args.html.is_some() {
        report.automaton = Some(evidence::automaton(&program, &verdict));
    }
    report.assume(&assumptions, &plan.c_options.function);
    if let Some(hardware) = &hardware {
        witness(args, pool, &program, hardware, &verdict, &mut report)?;
    }
    if let Some(text) = cross_check {
        report.text.push_str(&format!("cross-check: {text}\n"));
        report.evidence.cross_check = Some(text);
    }
    Ok(report)
}

/// Lets a program watch its loops.
fn watch_loops(program: &mut Program, story: Option<&mut Story>, watched: Watched) {
    if let Some(story) = story {
        story.repeat(&watched.instead_of);
    }
    *program = watched.program;
}

/// Writes the witness of a circuit where it is wanted.
fn witness(
    args: &VerifyArgs,
    pool: &TermPool,
    program: &Program,
    hardware: &Hardware,
    verdict: &Verdict,
    report: &mut Report,
) -> Result<(), Failure> {
    let on_stdout = args.format == Format::Hwmcc;
    match verdict {
        Verdict::Unsafe(cex) if on_stdout || args.witness.is_some() => {
            let text = match hardware.witness(pool, program, cex.run()) {
                Ok(text) => text,
                Err(why) if on_stdout => return Err(Failure::internal(why)),
                Err(why) => {
                    eprintln!("palisade: warning: there is no witness: {why}");
                    return Ok(());
                }
            };
            args.witness.iter().for_each(|path| files::write("witness", path, text.as_bytes()));
            if on_stdout {
                report.text = text.strip_suffix(".\n").unwrap_or(&text).into();
            }
        }
        Verdict::Safe(proof) => {
            if let Some(path) = &args.witness {
                let bytes = hardware.witness_circuit(pool, proof.invariants()).unwrap_or_else(|| {
                    eprintln!(
                        "palisade: warning: this proof has no witness circuit: it is written as a certificate"
                    );
                    palisade_certify::write_proof(pool, program, proof.invariants(), &[]).into_bytes()
                });
                files::write("witness", path, &bytes);
            }
            if on_stdout {
                report.text = format!("{}\n{}\n", hardware.status(true), hardware.properties(program));
            }
        }
        _ => {}
    }
    Ok(())
}

/// Runs the compiled program beside the automaton; a difference is a defect.
fn cross_checked(args: &VerifyArgs, plan: &Plan, n: usize) -> Result<String, Failure> {
    let seed = plan.options.general.seed;
    match palisade_front_c::cross_check(&paths(&args.inputs), &plan.c_options, n, seed) {
        Ok(CrossCheck::Differ(at, what)) => {
            let text = CrossCheck::Differ(at, what).to_string();
            Err(Failure::internal(format!("the automaton is not the compiled program: {text}")))
        }
        Ok(agreed) => Ok(agreed.to_string()),
        Err(diagnostics) => Err(palisade_verify::Error::C(diagnostics).into()),
    }
}

/// `palisade check`.
pub fn check(args: &CheckArgs, solver: &Certified, session: &Session) -> Result<Report, Failure> {
    let (certificate, inputs) = args.files.split_last().expect("two files at least");
    session.phase("reading");
    let pool = TermPool::new();
    let bytes = palisade_verify::read_bytes(certificate)?;
    if bytes.starts_with(b"aag ") || bytes.starts_with(b"aig ") {
        return check_circuit(args, &bytes, inputs, session);
    }
    let text = palisade_verify::read_text(certificate)?;
    let unreadable = |e: palisade_certify::FileError| {
        Failure::input(format!("{} cannot be read as a certificate: {e}", certificate.display()))
    };
    // A witness of a circuit knows no options.
    let witness = palisade_verify::is_witness(&text);
    let options =
        if witness { Vec::new() } else { palisade_certify::read_options(&text).map_err(unreadable)? };
    let mut given = args.front.clone();
    given.follow_build(inputs)?;
    let front = front::adopt(&given, &options, &certificate.display().to_string())?;
    if !options.is_empty() {
        // What is confirmed is a statement about this program.
        eprintln!("palisade: the certificate is for {}", options.join(" "));
    }
    let (inputs, c_options) = sources(inputs, &front.c_options()?)?;
    let mut loaded = load(&pool, &inputs, &c_options, front.claim.as_deref(), session)?;
    session.phase("checking the certificate");
    let mut measures = None;
    if loaded.ends {
        let watched = palisade_verify::watched_by(&pool, &loaded, &text).map_err(unreadable)?;
        measures = Some(watched.1);
        watch_loops(&mut loaded.program, loaded.story.as_mut(), watched.0);
    }
    let verdict =
        palisade_verify::check(&pool, &loaded, &text, solver, &session.budget).map_err(unreadable)?;
    let mut report = report::verdict(&pool, &loaded.program, &verdict, loaded.story.as_ref(), session);
    if let Some(measures) = &measures {
        report = report.about_ends(&pool, &loaded.program, measures, loaded.story.as_ref());
    }
    report.assume(&loaded.assumptions, &c_options.function);
    let mut report = report.with_translation(loaded.confirmation.as_ref()).with_slice(loaded.sliced.as_ref());
    if !options.is_empty() {
        // Macros among them may have removed what there was to prove: who reads the result must see them.
        report.text.insert_str(0, &format!("the program as read with {}\n", options.join(" ")));
    }
    Ok(report)
}

/// `palisade check` with a witness circuit.
fn check_circuit(
    args: &CheckArgs,
    witness: &[u8],
    inputs: &[PathBuf],
    session: &Session,
) -> Result<Report, Failure> {
    let loaded = load(&TermPool::new(), &paths(inputs), &args.front.c_options()?, None, session)?;
    session.phase("checking the witness circuit");
    let Some(hardware) = &loaded.hardware else {
        return Err(Failure::usage("a witness circuit certifies an AIGER circuit only"));
    };
    Ok(report::witness_circuit(hardware.check_circuit(witness)))
}

/// The input files, for the front-end.
pub fn paths(inputs: &[PathBuf]) -> Vec<Input> {
    inputs.iter().cloned().map(Input::Path).collect()
}

/// The inputs with their annotations as checks, and the options that this needs.
pub fn sources(inputs: &[PathBuf], c_options: &COptions) -> Result<(Vec<Input>, COptions), Failure> {
    let mut options = c_options.clone();
    let mut out = Vec::new();
    for path in inputs {
        let extension = path.extension().and_then(|e| e.to_str());
        if !matches!(extension, Some("c" | "i")) {
            out.push(Input::Path(path.clone()));
            continue;
        }
        let name = path.display().to_string();
        let text = palisade_front_c::text_of(&palisade_verify::read_bytes(path)?);
        let entry = match c_options.function.rsplit_once(':') {
            Some((file, function)) if file == name => function,
            Some(_) => "",
            None => &c_options.function,
        };
        let woven = annotations::weave(&name, &text, entry).map_err(Failure::input)?;
        out.push(match woven {
            None => Input::Path(path.clone()),
            Some(Woven { text, assumed }) => {
                options.required.extend(assumed.iter().map(|line| format!("{name}:{line}")));
                options.checks.error_functions.insert(annotations::WRONG.into());
                let folder = path.parent().filter(|p| !p.as_os_str().is_empty());
                options.include_dirs.insert(0, folder.unwrap_or(Path::new(".")).into());
                if extension == Some("i") { Input::Text(name, text) } else { Input::Piped(name, text) }
            }
        });
    }
    Ok((out, options))
}

/// Reads a program; of a claim, the program that violates nothing else.
pub fn load(
    pool: &TermPool,
    inputs: &[Input],
    c_options: &COptions,
    claim: Option<&str>,
    session: &Session,
) -> Result<Loaded, Failure> {
    let mut loaded = palisade_verify::load(pool, inputs, c_options)?;
    session.known().language = Some(loaded.language);
    if let Some(claim) = claim {
        let mut all = claims::of(&loaded.program, loaded.story.as_ref());
        all.extend(claims::without_edge(loaded.story.as_ref(), &all));
        if all.iter().all(|c| c.key() != claim) {
            let known: Vec<String> = all.iter().map(|c| c.key()).collect();
            return Err(Failure::usage(format!(
                "there is no claim `{claim}` (known: {})",
                if known.is_empty() { "none".into() } else { known.join(", ") }
            )));
        }
        let (program, story) = (&loaded.program, loaded.story.as_ref());
        loaded.program = claims::restrict(pool, program, story, &|c| c.key() == claim);
    }
    Ok(loaded)
}
