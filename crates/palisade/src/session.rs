//! What the threads of a run share: the stop signal, what is known so far, and the right to speak the last
//! word.
//!
//! The worker does everything; the [watchdog](crate::watchdog) raises the stop signal and, should the worker
//! not react, ends the run itself with what is known. [`Session::claim`] sees to it that exactly one of them
//! prints the result.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::Instant;

use palisade_engines::Budget;
use palisade_program::Loc;
use palisade_report::ClaimResult;
use palisade_verify::Language;

use crate::args::Format;
use crate::report::Report;
use crate::trace::TraceFile;

/// What is known while a run lasts.
#[derive(Clone, Debug, Default)]
pub struct Known {
    /// What the run is busy with.
    pub phase: Cow<'static, str>,
    /// The bound reached.
    pub bound: Option<u32>,
    /// Solver queries.
    pub queries: u64,
    /// Lemmas learned.
    pub lemmas: u64,
    /// The location of the newest obligation or lemma.
    pub location: Option<Loc>,
    /// The names of the locations of the program the engine works on.
    pub names: Vec<String>,
    /// The input's language, once it is known.
    pub language: Option<Language>,
    /// Is there something in the program that is easier on words than on integers?
    pub wants_words: bool,
    /// Of `verify --all`: the verdicts that were told, and the reports of those that are violated, should a
    /// file ask for them.
    pub claims: Vec<ClaimResult>,
    /// See above.
    pub details: Vec<Report>,
    /// Counters that the engine reported.
    pub counters: Vec<(&'static str, u64)>,
}

/// What a run is about, for its reports.
#[derive(Clone, Debug, Default)]
pub struct Subject {
    /// The inputs, as the user named them.
    pub inputs: Vec<PathBuf>,
    /// The engine; `None` for a mere check.
    pub engine: Option<String>,
    /// If the input is C, how it is read, as `NAME=VALUE`.
    pub options: Vec<String>,
    /// If the input is C, its data model.
    pub data_model: Option<&'static str>,
    /// If the input is C, its property in the notation of SV-COMP.
    pub specification: Option<String>,
}

impl Subject {
    /// The inputs in one text.
    pub fn input(&self) -> String {
        self.inputs.iter().map(|p| p.display().to_string()).collect::<Vec<_>>().join(" ")
    }
}

/// The files that are made from the document of a run.
#[derive(Clone, Debug, Default)]
pub struct Outputs {
    /// The document itself.
    pub json: Option<PathBuf>,
    /// The result in SARIF.
    pub sarif: Option<PathBuf>,
    /// The page for a browser.
    pub html: Option<PathBuf>,
    /// The witness of a C program, and its version.
    pub witness: Option<(PathBuf, palisade_report::witness::Version)>,
}

/// The shared state of a run.
pub struct Session {
    /// The stop signal.
    pub budget: Budget,
    /// When the run began.
    pub started: Instant,
    /// The words of the result.
    pub format: Format,
    /// What is verified, and with what.
    pub subject: Subject,
    /// Where the reports go.
    pub outputs: Outputs,
    /// The trace file, if one is written.
    pub trace: Option<Mutex<TraceFile>>,
    known: Mutex<Known>,
    claimed: AtomicBool,
    /// Shared by sessions that look for the same answer: has one found it?
    answered: OnceLock<Arc<AtomicBool>>,
}

impl Session {
    /// A session that begins now.
    pub fn new(format: Format, subject: Subject, outputs: Outputs, trace: Option<TraceFile>) -> Arc<Session> {
        Arc::new(Session {
            budget: Budget::unlimited(),
            started: Instant::now(),
            format,
            subject,
            outputs,
            trace: trace.map(Mutex::new),
            known: Mutex::new(Known { phase: "reading".into(), ..Known::default() }),
            claimed: AtomicBool::new(false),
            answered: OnceLock::new(),
        })
    }

    /// A session for another way to the same answer, with the same budget and outputs. It writes no trace.
    pub fn beside(&self, subject: Subject) -> Arc<Session> {
        Arc::new(Session {
            budget: self.budget.clone(),
            started: self.started,
            format: self.format,
            subject,
            outputs: self.outputs.clone(),
            trace: None,
            known: Mutex::new(Known { phase: "reading".into(), ..Known::default() }),
            claimed: AtomicBool::new(false),
            answered: OnceLock::new(),
        })
    }

    /// Takes part in a race: of all sessions with this flag, one may answer.
    pub fn race(&self, answered: &Arc<AtomicBool>) {
        let _ = self.answered.set(Arc::clone(answered));
    }

    /// The right to write the files of an answer. Whoever comes too late never gets it, and waits for the end
    /// of the process.
    pub fn answer(&self) {
        if self.answered.get().is_some_and(|flag| flag.swap(true, Ordering::SeqCst)) {
            loop {
                thread::park();
            }
        }
    }

    /// What is known now.
    pub fn known(&self) -> MutexGuard<'_, Known> {
        // A panic elsewhere leaves plain data behind that is as good as any.
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says what the run is busy with.
    pub fn phase(&self, phase: impl Into<Cow<'static, str>>) {
        self.known().phase = phase.into();
    }

    /// The right to print the result and end the process; given once.
    pub fn claim(&self) -> bool {
        !self.claimed.swap(true, Ordering::SeqCst)
    }

    /// Has someone taken that right?
    pub fn is_over(&self) -> bool {
        self.claimed.load(Ordering::SeqCst)
    }
}
