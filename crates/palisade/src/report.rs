//! What the user sees at the end: the evidence, the result line, the document.
//!
//! [`crate::evidence`] collects what a verdict rests on, [`crate::tell`] tells it to people, and the document
//! for machines is [`palisade_report::Document`], from which all other formats are made.

use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::path::Path;

use palisade_certify::Counterexample;
use palisade_engines::Stop;
use palisade_front_c::{Assumption, Confirmation, Slice, Story};
use palisade_program::{Measures, Program, Property, TERMINATION};
use palisade_report::{
    Automaton, ClaimResult, Document, Evidence, InputFile, Verdict as Answer, document, html,
};
use palisade_term::TermPool;
use palisade_verify::{Certified, Language, SolverChoice, Verdict, placement};
use serde_json::json;

use crate::args::Format;
use crate::result::Final;
use crate::session::{Known, Session};
use crate::{evidence, files, resources, status, tell};

/// The end of a run.
#[derive(Clone, Debug)]
pub struct Report {
    /// The verdict.
    pub result: Final,
    /// The evidence, for people.
    pub text: String,
    /// The evidence, for the document.
    pub evidence: Evidence,
    /// Of satisfiable Horn clauses: their model in SMT-LIB.
    pub model: Option<String>,
    /// The automaton, where a page shows it.
    pub automaton: Option<Automaton>,
    /// Of `verify --all`: the verdict about each claim, and the reports of those that are violated.
    pub claims: Vec<ClaimResult>,
    /// See above.
    pub details: Vec<Report>,
}

impl Report {
    /// A report with its evidence.
    pub fn new(result: Final, text: String, evidence: Evidence) -> Report {
        let (claims, details) = (Vec::new(), Vec::new());
        Report { result, text, evidence, model: None, automaton: None, claims, details }
    }

    /// The report with what the user's compiler said about the translation.
    pub fn with_translation(mut self, confirmation: Option<&Confirmation>) -> Report {
        if let Some(confirmation) = confirmation {
            let text = confirmation.to_string();
            let told = text.strip_prefix("the translation was ").unwrap_or(&text);
            let _ = writeln!(self.text, "translation: {told}");
            self.evidence.translation = Some(text);
        }
        self
    }

    /// The report with what was left out of the program.
    pub fn with_slice(mut self, sliced: Option<&Slice>) -> Report {
        if let Some(sliced) = sliced.filter(|s| s.statements > 0) {
            let _ = writeln!(self.text, "sliced away: {sliced}");
            self.evidence.sliced = Some(sliced.to_string());
        }
        self
    }

    /// The report of an answer to the question whether all runs end: what goes down in each loop.
    pub fn about_ends(
        mut self,
        pool: &TermPool,
        program: &Program,
        measures: &Measures,
        story: Option<&Story>,
    ) -> Report {
        match &self.result {
            Final::True => {
                self.evidence.measures = evidence::measures(pool, program, measures, story);
                self.text = tell::ends(&self.evidence, program.edges.len());
            }
            Final::False(property) if property == TERMINATION => {
                self.text.push_str("the last state is one that the run had before: it need not end\n");
            }
            Final::False(_) | Final::Unknown(_) => {}
        }
        self
    }

    /// Says what a verdict about a function rests on besides the program. A counterexample was executed and
    /// passes by all places where something is assumed; only what the program means counts for it, too.
    pub fn assume(&mut self, assumptions: &[Assumption], function: &str) {
        let violated = matches!(self.result, Final::False(_)) && function != "main";
        let caller = violated.then(|| called(function));
        for a in assumptions.iter().chain(&caller) {
            match self.result {
                Final::True => {}
                Final::False(_) if a.places.is_empty() => {}
                Final::False(_) | Final::Unknown(_) => continue,
            }
            let _ = writeln!(self.text, "assuming {}{}", a.what, places(a));
            for place in &a.dead {
                let _ = writeln!(self.text, "note: nothing behind {place} is executed, assuming {}", a.what);
            }
            self.evidence.assumptions.push(palisade_report::Assumption {
                what: a.what.clone(),
                places: a.places.clone(),
                dead: a.dead.clone(),
            });
        }
    }
}

/// Where something is assumed: the first place, and how many more.
pub fn places(assumption: &Assumption) -> String {
    match &assumption.places[..] {
        [] => String::new(),
        [one] => format!(" at {one}"),
        [first, _] => format!(" at {first} and 1 more place"),
        [first, rest @ ..] => format!(" at {first} and {} more places", rest.len()),
    }
}

/// What a counterexample rests on that begins at a function other than `main`: nobody looked whether a caller
/// gets there.
pub fn called(function: &str) -> Assumption {
    let what = format!("that `{function}` can be called in the state in which the run begins");
    Assumption { what, places: Vec::new(), dead: Vec::new() }
}

/// What a proof is worth if the property asks nothing of the program.
const NOTHING_ASKED: &str =
    "note: as it was translated, the program has no place where the property could be violated\n";

/// The report of a verdict about a program.
pub fn verdict(
    pool: &TermPool,
    program: &Program,
    verdict: &Verdict,
    story: Option<&Story>,
    session: &Session,
) -> Report {
    match verdict {
        Verdict::Safe(proof) => {
            let evidence = evidence::proof(pool, program, proof, story);
            let mut text = tell::proof(&evidence, program.edges.len());
            // A name that was mistyped gives proofs, too.
            let asks = |p: &Property| matches!(p, Property::Violated(_) | Property::Open(_));
            let asked = program.edges.iter().any(|e| e.origin.property.as_ref().is_some_and(asks));
            if story.is_some() && !asked {
                text.push_str(NOTHING_ASKED);
            }
            Report::new(Final::True, text, evidence)
        }
        Verdict::Unsafe(cex) => {
            let evidence = evidence::counterexample(pool, program, cex, story);
            counterexample(violated(pool, program, cex, story, session).as_ref(), evidence)
        }
        Verdict::Unknown(why) => {
            let evidence = evidence::unknown(pool, why, story);
            unknown(why.reason.to_string(), evidence, &session.known())
        }
    }
}

/// What a counterexample violates, if it does not depend on where objects lie.
fn violated(
    pool: &TermPool,
    program: &Program,
    counterexample: &Counterexample,
    story: Option<&Story>,
    session: &Session,
) -> Option<Property> {
    let Some(story) = story else { return counterexample.property(program).cloned() };
    let solvers = Certified(SolverChoice::Native(0));
    placement::property(pool, program, story, counterexample, &solvers, &session.budget)
}

/// The report of the check of a witness circuit.
pub fn witness_circuit(checked: Result<(), String>) -> Report {
    let (result, text) = match checked {
        Ok(()) => {
            (Final::True, "proof: the witness simulates the circuit, and its property is inductive\n".into())
        }
        Err(why) => (Final::Unknown(why.clone()), format!("unknown: {why}\n")),
    };
    Report::new(result, text, Evidence::default())
}

/// The report of a counterexample. A location that stands for an unsupported construct is no violation.
fn counterexample(property: Option<&Property>, evidence: Evidence) -> Report {
    let steps = evidence.run.as_ref().and_then(|r| r.steps.last()).map_or(0, |s| s.step);
    let violates = |name: &str| format!("counterexample: a run of {steps} steps violates `{name}`:\n");
    let (result, mut text) = match property {
        None => (Final::False("assert".into()), violates("assert")),
        Some(Property::Violated(name)) => (Final::False(name.to_string()), violates(name)),
        Some(no_verdict) => {
            let text = match no_verdict {
                Property::Unsupported(_) => {
                    format!("a run of {steps} steps reaches something unsupported:\n")
                }
                Property::Open(what) => {
                    format!("a run of {steps} steps violates the property, but that depends on {what}:\n")
                }
                _ => format!("a run of {steps} steps has undefined behaviour:\n"),
            };
            (Final::Unknown(no_verdict.to_string()), text)
        }
    };
    if let Some(run) = &evidence.run {
        tell::run(&mut text, run);
    }
    Report::new(result, text, evidence)
}

/// The report of no answer: why, and what the engine knew.
fn unknown(reason: String, evidence: Evidence, known: &Known) -> Report {
    let mut text = format!("unknown: {reason}\n");
    if let Some(bound) = evidence.safe_bound {
        let _ = writeln!(text, "  no run of up to {bound} steps of the prepared program reaches the error");
    }
    if let Some(at) = &evidence.stuck_at {
        let _ = writeln!(text, "  busy at {at}");
    }
    work_so_far(&mut text, known);
    let mut before = String::new();
    for i in evidence.invariants.iter().take(SHOWN) {
        let at = i.position.as_ref().map_or(i.location.clone(), |p| format!("{p} ({})", i.location));
        if at != before {
            let _ = writeln!(text, "  invariants at {at}:");
            before = at;
        }
        let _ = writeln!(text, "    {}", shortened(&i.formula));
    }
    if evidence.invariants.len() > SHOWN {
        let more = evidence.invariants.len() - SHOWN;
        let _ = writeln!(text, "  and {more} more invariants (--json has all)");
    }
    for note in &evidence.notes {
        let _ = writeln!(text, "  {note}");
    }
    Report::new(Final::Unknown(reason), text, evidence)
}

/// Invariants that are told without an answer.
const SHOWN: usize = 20;
/// Characters of each.
const LONGEST: usize = 300;

/// The begin of a long formula. The document has all of it.
fn shortened(formula: &str) -> String {
    match formula.char_indices().nth(LONGEST) {
        Some((end, _)) => {
            let rest = formula[end..].chars().count();
            format!("{}... ({rest} more characters; --json has all)", &formula[..end])
        }
        None => formula.to_string(),
    }
}

fn work_so_far(out: &mut String, known: &Known) {
    if let Some(bound) = known.bound {
        let _ = writeln!(out, "  bound {bound}, {} queries, {} lemmas", known.queries, known.lemmas);
    }
}

/// The last word about a run whose worker did not come to an end: prints it, and returns the exit code.
pub fn abandoned(session: &Session, stop: Stop) -> u8 {
    let reason = stop.to_string();
    let known = session.known().clone();
    let mut text = format!("unknown: {reason}\n  while {}\n", known.phase);
    work_so_far(&mut text, &known);
    if let Some(name) = known.location.and_then(|l| known.names.get(l.index())) {
        let _ = writeln!(text, "  busy at {name}");
    }
    let evidence = Evidence { phase: Some(known.phase.to_string()), ..Evidence::default() };
    // A violation that was found stays one.
    let violated = known.claims.iter().find(|c| c.result == Answer::False);
    let result = match violated {
        Some(claim) => Final::False(claim.claim.split('@').next().unwrap_or_default().into()),
        None => Final::Unknown(reason),
    };
    let (claims, details) = (known.claims, known.details);
    publish(session, &Report { claims, details, ..Report::new(result, text, evidence) })
}

/// Prints the report, writes the files and the end of the trace; returns the exit code. Files that cannot
/// be written cost a message, never the verdict.
pub fn publish(session: &Session, report: &Report) -> u8 {
    status::wipe();
    let code = report.result.exit_code();
    let known = session.known().clone();
    if let Some(trace) = &session.trace
        && let Ok(mut trace) = trace.try_lock()
    {
        let t = session.started.elapsed().as_secs_f64();
        trace.line(&json!({ "event": "result", "result": report.result.to_string(), "t": t }));
        trace.flush();
    }
    write_files(session, &known, report);
    files::finish();
    let line = report.result.line(session.format, known.language);
    let text = match (session.format, &report.result) {
        // Nothing but a witness there, and without an answer there is none.
        (Format::Hwmcc, Final::Unknown(_)) => format!("{line}\n"),
        (Format::Svcomp, _) => format!("{line}\n"),
        (Format::Chc, _) => format!("{line}\n{}", report.model.as_deref().unwrap_or_default()),
        _ => format!("{}{line}\n", report.text),
    };
    let mut out = io::stdout().lock();
    if let Err(e) = write!(out, "{text}").and_then(|()| out.flush()) {
        // If stderr is closed too, nobody is told; a panic would leave the process without an end.
        let _ = writeln!(io::stderr(), "palisade: error: the output was not written: {e}; {line}");
    }
    code
}

/// The document, and what is made from it.
fn write_files(session: &Session, known: &Known, report: &Report) {
    let outputs = &session.outputs;
    let is_c = known.language == Some(Language::C);
    let witness = outputs.witness.as_ref().filter(|_| is_c);
    let files = [&outputs.json, &outputs.sarif, &outputs.html];
    if files.iter().all(|f| f.is_none()) && witness.is_none() {
        return;
    }
    let document = document(session, known, report);
    let text = |path: &str| palisade_verify::read_text(Path::new(path)).ok();
    if let Some(path) = &outputs.json {
        let text = serde_json::to_string_pretty(&document).unwrap_or_default();
        files::write("report", path, format!("{text}\n").as_bytes());
    }
    if let Some(path) = &outputs.sarif {
        let root = std::env::current_dir().unwrap_or_default();
        let claims: Vec<Document> =
            report.details.iter().map(|d| self::document(session, known, d)).collect();
        match palisade_report::sarif::write(&document, &claims, &root) {
            Ok(text) => files::write("log", path, text.as_bytes()),
            Err(why) => eprintln!("palisade: error: the log was not written: {why}"),
        }
    }
    if let Some(path) = &outputs.html {
        let source = |path: String| Some(html::SourceText { text: text(&path)?, path });
        let sources: Vec<_> = html::files(&document).into_iter().filter_map(source).collect();
        match html::write(&document, &sources) {
            Ok(text) => files::write("page", path, text.as_bytes()),
            Err(why) => eprintln!("palisade: error: the page was not written: {why}"),
        }
    }
    if let Some((path, version)) = witness {
        match palisade_report::witness::write(&document, &text, *version) {
            Ok(text) => files::write("witness", path, text.as_bytes()),
            Err(why) => eprintln!("palisade: warning: there is no witness: {why}"),
        }
    }
}

fn document(session: &Session, known: &Known, report: &Report) -> Document {
    let (result, property, reason) = match &report.result {
        Final::True => (Answer::True, None, None),
        Final::False(p) => (Answer::False, Some(p.clone()), None),
        Final::Unknown(r) => (Answer::Unknown, None, Some(r.clone())),
    };
    let subject = &session.subject;
    let is_c = known.language == Some(Language::C);
    let file = |p: &std::path::PathBuf| InputFile {
        path: p.display().to_string(),
        sha256: palisade_report::hash::of_file(p),
    };
    Document {
        format: document::FORMAT.into(),
        version: document::VERSION.into(),
        palisade: env!("CARGO_PKG_VERSION").into(),
        input: subject.input(),
        inputs: subject.inputs.iter().map(file).collect(),
        language: known.language.map(|l| l.name().into()),
        options: if is_c { subject.options.clone() } else { Vec::new() },
        data_model: subject.data_model.filter(|_| is_c).map(Into::into),
        specification: subject.specification.clone().filter(|_| is_c),
        engine: subject.engine.clone(),
        result,
        property,
        reason,
        exit_code: report.result.exit_code(),
        cpu_seconds: resources::usage().cpu.as_secs_f64(),
        wall_seconds: session.started.elapsed().as_secs_f64(),
        peak_memory_bytes: resources::peak_memory(),
        bound: known.bound,
        queries: known.queries,
        lemmas: known.lemmas,
        counters: known.counters.iter().map(|(n, v)| (n.to_string(), *v)).collect(),
        evidence: report.evidence.clone(),
        claims: report.claims.clone(),
        automaton: report.automaton.clone(),
    }
}
