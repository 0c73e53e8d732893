//! The readings of C integers: exact values over mathematical integers (`--int c`), and words (`--int bv`).
//!
//! Both are exact, so an answer under one of them is the answer. Linear arithmetic is easier on integers; bit
//! operations, wrap-around and products are easier on words. A user who names neither a reading nor an engine
//! gets both: integers first, and, where the program has something of that kind and the answer takes longer
//! than a moment, words beside them on a thread of their own. The first answer counts, and says which reading
//! gave it. Where integers cannot express a program at all, words are tried.
//!
//! Without an answer, what the first reading knows is reported; a defect in either ends the run.
//!
//! Entry point: [`verify`].

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use palisade_program::{Program, Property};
use palisade_term::{Op, TermPool};
use palisade_verify::{Input, Language, default_engine};

use crate::args::{IntModel, VerifyArgs};
use crate::drive::{self, Plan};
use crate::failure::Failure;
use crate::report::Report;
use crate::result::Final;
use crate::run::{STACK, WORKER};
use crate::session::Session;

/// What the first reading has for itself.
const HEAD_START: Duration = Duration::from_millis(700);

/// The end of one reading.
type End = Result<Report, Failure>;

/// `palisade verify`: the report, and the session that knows about it. Texts may stand for the inputs.
pub fn verify(
    args: VerifyArgs,
    plan: Plan,
    texts: Option<Vec<Input>>,
    session: &Arc<Session>,
) -> Result<(Arc<Session>, Report), Failure> {
    if args.front.int_model.is_some() || args.engine != default_engine().name() {
        return read(&args, plan, texts.as_deref(), session).map(|report| (Arc::clone(session), report));
    }
    let (send, receive) = channel();
    let answered = Arc::new(AtomicBool::new(false));
    let integers = Arc::clone(session);
    integers.race(&answered);
    start(args.clone(), plan, texts.clone(), &integers, &send)?;
    let mut words: Option<Arc<Session>> = None;
    let mut ends: [Option<End>; 2] = [None, None];
    loop {
        let done = ends.iter().zip([true, words.is_some()]).all(|(end, runs)| !runs || end.is_some());
        if done {
            return finish(ends, &integers, words.as_ref());
        }
        let message = match words {
            None if ends[0].is_none() => receive.recv_timeout(HEAD_START),
            _ => receive.recv().map_err(|_| RecvTimeoutError::Disconnected),
        };
        let begin = match message {
            Ok((_, Err(panicked))) => panic::resume_unwind(panicked),
            Ok((of_words, Ok(end))) => {
                if matches!(&end, Err(f) if f.code == Failure::INTERNAL) || is_answer(&end) {
                    let session = if of_words { words.unwrap_or(integers) } else { integers };
                    return end.map(|report| (session, reading(report, of_words)));
                }
                let beyond = !of_words && is_beyond(&end);
                ends[usize::from(of_words)] = Some(end);
                beyond
            }
            Err(RecvTimeoutError::Timeout) => integers.known().wants_words,
            Err(RecvTimeoutError::Disconnected) => unreachable!("this end of the channel is kept"),
        };
        if begin && words.is_none() && session.budget.check().is_ok() {
            let mut args = args.clone();
            args.front.int_model = Some(IntModel::Bv);
            let plan = Plan::new(&args)?;
            let beside = session.beside(drive::subject(&args, &plan));
            beside.race(&answered);
            start(args, plan, texts.clone(), &beside, &send)?;
            words = Some(beside);
        }
    }
}

/// One reading.
fn read(args: &VerifyArgs, plan: Plan, texts: Option<&[Input]>, session: &Session) -> End {
    match texts {
        Some(texts) => drive::verify_inputs(args, texts, plan, session),
        None => drive::verify(args, plan, session),
    }
}

type Message = (bool, thread::Result<End>);

/// Starts a reading on a thread of its own. It ends with the process, if not before.
fn start(
    args: VerifyArgs,
    plan: Plan,
    texts: Option<Vec<Input>>,
    session: &Arc<Session>,
    send: &Sender<Message>,
) -> Result<(), Failure> {
    let (session, send) = (Arc::clone(session), send.clone());
    let of_words = args.front.int_model.is_some();
    let work = move || {
        let end = panic::catch_unwind(AssertUnwindSafe(|| read(&args, plan, texts.as_deref(), &session)));
        // Nobody listens any more once there is an answer.
        let _ = send.send((of_words, end));
    };
    let builder = thread::Builder::new().name(WORKER.into()).stack_size(STACK);
    builder.spawn(work).map(|_| ()).map_err(Failure::no_thread)
}

/// Neither reading has an answer: what the first one says, unless only the second could read the program.
fn finish(
    ends: [Option<End>; 2],
    integers: &Arc<Session>,
    words: Option<&Arc<Session>>,
) -> Result<(Arc<Session>, Report), Failure> {
    match (ends, words) {
        ([Some(Err(_)), Some(Ok(report))], Some(session)) => Ok((Arc::clone(session), reading(report, true))),
        ([Some(Ok(first)), Some(Ok(report))], Some(session)) if needs_words(&first) => {
            Ok((Arc::clone(session), reading(report, true)))
        }
        ([Some(first), _], _) => first.map(|report| (Arc::clone(integers), reading(report, false))),
        _ => unreachable!("the first reading has ended"),
    }
}

/// Does a report say that only words can express the program?
fn needs_words(report: &Report) -> bool {
    matches!(&report.result, Final::Unknown(why) if why.contains("--int bv"))
}

/// Is it a verdict, or a run that is undefined or depends on what C leaves open? A violation was looked for
/// before such a run is told, and it stands against every proof.
fn is_answer(end: &End) -> bool {
    let Ok(report) = end else { return false };
    match &report.result {
        Final::Unknown(why) => report.evidence.run.is_some() && !why.starts_with("unsupported"),
        _ => true,
    }
}

/// Has this reading no way to express the program, or did its method end?
fn is_beyond(end: &End) -> bool {
    match end {
        Ok(report) => !matches!(&report.result, Final::Unknown(why) if is_stop(why)),
        Err(failure) => failure.code == Failure::INPUT,
    }
}

fn is_stop(reason: &str) -> bool {
    use palisade_engines::Stop;
    [Stop::Timeout, Stop::Memory, Stop::Interrupted].iter().any(|s| s.to_string() == reason)
}

/// The report says how integers were read, where there was a choice.
fn reading(mut report: Report, words: bool) -> Report {
    if words {
        report.text.push_str("integers: read as words (--int bv)\n");
    }
    report
}

/// Is there something in a C program that is easier on words (bit operations, wrap-around, products of
/// variables), or possible only there (floating point)?
pub fn wants_words(pool: &TermPool, program: &Program, language: Language) -> bool {
    let unsupported = |e: &palisade_program::Edge| match &e.origin.property {
        Some(Property::Unsupported(what)) => what.contains("--int bv"),
        _ => false,
    };
    let mut found = program.edges.iter().any(unsupported);
    if language == Language::C {
        let terms = program.edges.iter().flat_map(|e| e.update.iter().copied().chain([e.guard]));
        pool.visit(terms, |t| {
            found |= match pool.op(t) {
                Op::IntToBv(_) | Op::BvToInt | Op::Mod | Op::IntDiv => true,
                Op::Mul => pool.args(t).iter().filter(|&&factor| !pool.is_const(factor)).count() > 1,
                _ => false,
            };
        });
    }
    found
}
