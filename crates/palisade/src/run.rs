//! Runs a command: threads, panics, exit codes.
//!
//! The work is done on a thread with a large stack, since some parsers recurse over their input. A panic
//! there is a bug in Palisade: exit code 70.

use palisade_options::{Group as _, Kind, Row};
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::panic;
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use palisade_report::witness::Version;

use crate::args::{CheckArgs, Command, ValidateArgs, VerifyArgs};
use crate::failure::Failure;
use crate::record::Recording;
use crate::report::{self, Report};
use crate::session::{Outputs, Session, Subject};
use crate::trace::TraceFile;
use crate::{
    all, args, demo, drive, dump, explain, files, manual, project, readings, smt, status, validate, watchdog,
};

/// The stack of a worker.
pub const STACK: usize = 256 << 20;

/// Runs a command and returns the exit code.
pub fn run(command: Command) -> u8 {
    let result = match command {
        Command::Verify(args) => verify(*args),
        Command::Check(args) => check(*args),
        Command::Validate(args) => validate(*args),
        Command::Dump(args) => with_large_stack(move || dump::dump(&args)).and_then(|r| r).and_then(print),
        Command::Engines => print(engines()),
        Command::Options => print(options()),
        Command::Smt(args) => with_large_stack(move || smt::run(&args)).and_then(|r| r),
        Command::Explain(args) => palisade_verify::read_text(&args.file)
            .map_err(Failure::from)
            .and_then(|text| {
                let located =
                    |f: Failure| Failure { message: format!("{}: {}", args.file.display(), f.message), ..f };
                explain::story(&text).map_err(located)
            })
            .and_then(print),
        Command::Demo => demo::run(),
        Command::Completion(args) => print(manual::completion(args.shell)),
        Command::Man(args) => match &args.folder {
            Some(folder) => manual::write(folder).map(|()| 0),
            None => manual::page().and_then(print),
        },
        Command::Bench(args) => {
            palisade_front_c::scratch::sweep(&std::env::temp_dir());
            // Another executable may have others.
            let engines = args.engines.iter().filter(|_| args.exe.is_none());
            let unknown = engines.into_iter().find_map(|e| palisade_verify::find_engine(e.trim()).err());
            match unknown {
                Some(error) => Err(error.into()),
                None => palisade_bench::execute(&args).map_err(|e| Failure::usage(format!("{e:#}"))),
            }
        }
    };
    result.unwrap_or_else(|failure| {
        eprintln!("palisade: {failure}");
        failure.code
    })
}

fn verify(mut args: VerifyArgs) -> Result<u8, Failure> {
    if args.inputs.is_empty() {
        return Err(Failure::usage(format!("an input is needed: there is no {} here", project::FILE)));
    }
    args.resolve()?;
    let plan = drive::Plan::new(&args)?;
    let script = args.record.as_deref().map(|stem| Recording::script(stem, 0));
    let certificate = args.certificate.as_deref().filter(|_| !args.all);
    let made = [&args.witness, &args.json, &args.sarif, &args.html, &args.harness].map(|f| f.as_deref());
    files::begin(
        &[&made[..], &[certificate]].concat(),
        &[script.as_deref(), args.trace.as_deref()],
        &args.inputs,
    )?;
    let trace = match &args.trace {
        Some(path) => Some(
            TraceFile::create(path)
                .map_err(|e| Failure::usage(format!("cannot write {}: {e}", path.display())))?,
        ),
        None => None,
    };
    let subject = drive::subject(&args, &plan);
    let version = match args.witness_version {
        args::WitnessVersion::V2_0 => Version::V2_0,
        args::WitnessVersion::V2_1 => Version::V2_1,
    };
    let outputs = Outputs {
        json: args.json.clone(),
        sarif: args.sarif.clone(),
        html: args.html.clone(),
        witness: args.witness.clone().map(|p| (p, version)),
    };
    let session = Session::new(args.format, subject, outputs, trace);
    watched(session, args.limits, move |session| match args.all {
        true => all::verify(&args, &plan, session),
        false => readings::verify(args, plan, None, session),
    })
}

fn check(args: CheckArgs) -> Result<u8, Failure> {
    let solver = palisade_verify::Certified(drive::solver(&args.check_with, "--check-with")?);
    let subject = Subject { inputs: args.files.clone(), ..Subject::default() };
    let session = Session::new(args::Format::Palisade, subject, Outputs::default(), None);
    watched(session, args.limits, move |session| {
        drive::check(&args, &solver, session).map(|report| (Arc::clone(session), report))
    })
}

fn validate(args: ValidateArgs) -> Result<u8, Failure> {
    // Nothing is written about it but the result.
    let subject = Subject { inputs: args.files.clone(), ..Subject::default() };
    let session = Session::new(args::Format::Palisade, subject, Outputs::default(), None);
    watched(session, args.limits, |session| {
        let validation = validate::prepare(&args)?;
        let plan = drive::Plan::new(&validation.verify)?;
        let woven = Some(validation.woven.clone());
        let (session, report) = readings::verify(validation.verify.clone(), plan, woven, session)?;
        Ok((session, validate::judge(&validation, report)))
    })
}

/// Runs the work under the watchdog and publishes its report.
pub fn watched(
    session: Arc<Session>,
    limits: args::LimitArgs,
    work: impl FnOnce(&Arc<Session>) -> Result<(Arc<Session>, Report), Failure> + Send,
) -> Result<u8, Failure> {
    let signals = watchdog::start(&session, limits)
        .map_err(|e| Failure::internal(format!("the watchdog does not start: {e}")))?;
    let result = with_large_stack(|| work(&session)).and_then(|r| r);
    if !session.claim() {
        // The watchdog has lost patience and is printing the result.
        loop {
            thread::park();
        }
    }
    status::wipe();
    match result {
        Ok((session, report)) => Ok(report::publish(&session, &report)),
        Err(failure) if failure.code == Failure::INTERNAL => Err(failure),
        Err(failure) => match signals.explains(&session) {
            Some(stop) => Ok(report::abandoned(&session, stop)),
            None => Err(failure),
        },
    }
}

/// What the worker's panic said, and where.
static PANIC: Mutex<Option<String>> = Mutex::new(None);

/// The name of the threads whose panics are reported.
pub const WORKER: &str = "worker";

/// Runs `work` on a thread with a large stack; a panic becomes an internal error.
fn with_large_stack<T: Send>(work: impl FnOnce() -> T + Send) -> Result<T, Failure> {
    let default = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        if thread::current().name() != Some(WORKER) {
            return default(info);
        }
        let text = info.payload_as_str().unwrap_or("no message");
        let place = info.location().map_or(String::new(), |l| format!(" ({}:{})", l.file(), l.line()));
        *PANIC.lock().unwrap_or_else(PoisonError::into_inner) = Some(format!("{text}{place}"));
    }));
    thread::scope(|scope| {
        let builder = thread::Builder::new().name(WORKER.into()).stack_size(STACK);
        let worker = builder.spawn_scoped(scope, work).map_err(Failure::no_thread)?;
        worker.join().map_err(|_| {
            let message = PANIC.lock().unwrap_or_else(PoisonError::into_inner).take();
            Failure::internal(message.unwrap_or_else(|| "a panic without a message".into()))
        })
    })
}

fn print(text: String) -> Result<u8, Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        // A reader that has seen enough (`| head`) is no error.
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::usage(format!("cannot write the output: {e}")))
        }
        _ => Ok(0),
    }
}

fn engines() -> String {
    palisade_engines::all().iter().map(|e| format!("{:<18} {}\n", e.name(), e.about())).collect()
}

fn options() -> String {
    let line = |o: Row| {
        let values = match o.kind {
            Kind::Bool => "true|false".into(),
            Kind::Number => "N".into(),
            Kind::Choice(words) => words.join("|"),
        };
        format!("{}={values}  (default {})\n    {}\n", o.name, o.default, o.about)
    };
    let mut text: String = palisade_engines::Options::table().into_iter().map(line).collect();
    text.push_str(
        "entry.globals=zero|any  (default any)\n    global variables where verification begins (--function)\n\
         entry.elements=N  (default 1)\n    elements of the object of a pointer argument, at least \
         (--function)\n\
         entry.depth=N  (default 2)\n    levels of pointers that have objects: 1 arguments, 2 pointers in \
         their objects, ... (--function)\n\
         entry.null=true|false  (default false)\n    these pointers can also be null (--function)\n",
    );
    text.push_str("\npresets:\n");
    for p in palisade_engines::options::PRESETS {
        let _ = writeln!(text, "{} for {}: {}", p.name, p.engine, p.about);
    }
    text
}
