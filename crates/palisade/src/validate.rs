//! `palisade validate`: witnesses of SV-COMP, of any tool, for C programs.
//!
//! The witness is woven into its program ([`palisade_report::instrument`]) and the result is verified like
//! any other program, certificate included. The answer is in the usual three words:
//!
//! | witness | TRUE | FALSE |
//! |---|---|---|
//! | correctness | the property and all invariants hold | one is violated; an invariant: `FALSE(invariant)` |
//! | violation | no run along the waypoints violates the property | one does |
//!
//! A violated property is named as `verify` names it. Limit: violation witnesses for calls of error functions
//! and for assertions only.
//!
//! Entry points: [`prepare`], [`judge`].

use std::ffi::OsString;

use palisade_report::instrument;
use palisade_report::witness_reader::{self, Witness};
use palisade_verify::Input;

use crate::args::{self, ValidateArgs, VerifyArgs};
use crate::failure::Failure;
use crate::report::Report;
use crate::result::Final;

/// The verification that decides a witness.
pub struct Validation {
    /// How the instrumented program is verified.
    pub verify: VerifyArgs,
    /// The instrumented program. It is never on the disk, so that nothing is left behind.
    pub woven: Vec<Input>,
    /// How many segments a violation witness has.
    segments: Option<usize>,
    /// How many invariants a correctness witness has.
    invariants: usize,
}

/// Reads a witness and weaves it into its program.
pub fn prepare(given: &ValidateArgs) -> Result<Validation, Failure> {
    let Some((file, inputs)) = given.files.split_first().filter(|(_, inputs)| !inputs.is_empty()) else {
        return Err(Failure::usage("a witness and its C files are needed"));
    };
    let unreadable = |e: String| Failure::input(format!("{}: {e}", file.display()));
    let witness = witness_reader::read(&palisade_verify::read_text(file)?).map_err(unreadable)?;
    let mut files = Vec::new();
    for input in inputs {
        let text = palisade_verify::read_text(input)?;
        let hash = palisade_report::hash::of_bytes(text.as_bytes());
        let hashes = &witness.task().input_file_hashes;
        if !hashes.is_empty() && !hashes.values().any(|h| h.eq_ignore_ascii_case(&hash)) {
            eprintln!("palisade: warning: the witness was made for another text than {}", input.display());
        }
        // What needs no preprocessor gets none: its lines and columns are those of the text.
        let preprocessed = input.extension().is_some_and(|e| e == "i");
        files.push(instrument::File { name: input.display().to_string(), text, preprocessed });
    }
    let functions = error_functions(&witness.task().specification);
    let mut checks = functions.iter().map(|f| format!("call({f})")).collect::<Vec<_>>();
    if witness.task().specification.contains("overflow") {
        checks.push("overflow".into());
    }
    if witness.task().specification.contains("assert") {
        checks.push("assert".into());
    }
    let (woven, segments, invariants) = match &witness {
        Witness::Violation(_, segments) => {
            let assertions = checks.iter().any(|c| c == "assert");
            if checks.is_empty() || checks.iter().any(|c| c == "overflow") {
                let only = "only violations by calls of error functions and by assertions are supported";
                return Err(unreadable(only.into()));
            }
            // The errors of the program itself are asked for, too: see `judge`.
            checks.extend([instrument::VIOLATION, instrument::ASSERTION].map(|f| format!("call({f})")));
            let errors = instrument::Errors { functions, assertions };
            let woven = instrument::violation(&files, &errors, segments).map_err(unreadable)?;
            (woven, Some(segments.len()), 0)
        }
        Witness::Invariants(_, list) => {
            checks.push(format!("call({})", instrument::WRONG));
            (instrument::invariants(&files, list).map_err(unreadable)?, None, list.len())
        }
    };
    let function = first_function(&witness.task().specification);
    let width = if witness.task().data_model == "LP64" { "--64" } else { "--32" };
    let mut words: Vec<OsString> = ["palisade", "verify", width, "--check"].map(OsString::from).to_vec();
    words.push(checks.join(",").into());
    words.extend(["--undefined", "arbitrary", "--confirm", "off", "--engine"].map(OsString::from));
    words.push(given.engine.clone().into());
    for input in inputs {
        words.push("-I".into());
        words.push(input.parent().filter(|p| !p.as_os_str().is_empty()).map_or(".".into(), |p| p.into()));
    }
    if let Some(function) = function {
        words.extend(["--function".into(), function.into()]);
    }
    words.extend(inputs.iter().map(OsString::from));
    let verify = args::verify(words)?;
    let woven = woven.into_iter().zip(files).map(|(text, file)| match file.preprocessed {
        true => Input::Text(file.name, text),
        false => Input::Piped(file.name, text),
    });
    let woven = woven.collect();
    Ok(Validation { verify, woven, segments, invariants })
}

/// The functions whose calls a specification forbids: `G ! call(f())`.
fn error_functions(specification: &str) -> Vec<String> {
    let compact: String = specification.chars().filter(|c| !c.is_whitespace()).collect();
    let calls = compact.split("call(").skip(1);
    calls.filter_map(|rest| rest.split('(').next().filter(|f| !f.is_empty())).map(str::to_string).collect()
}

/// The function where the run of a specification begins: `CHECK( init(f()), LTL(...) )`. Without one, `main`.
fn first_function(specification: &str) -> Option<String> {
    let compact: String = specification.chars().filter(|c| !c.is_whitespace()).collect();
    let name = compact.split_once("init(")?.1.split_once("()")?.0;
    (name != "main").then(|| name.to_string())
}

/// What the answer about the instrumented program says about the witness.
pub fn judge(validation: &Validation, mut report: Report) -> Report {
    let violated = match &report.result {
        Final::False(property) => property.clone(),
        Final::True | Final::Unknown(_) => String::new(),
    };
    let wrong = violated == "invariant";
    let along = match violated.as_str() {
        instrument::VIOLATION => Some("unreach-call"),
        instrument::ASSERTION => Some("assert"),
        _ => None,
    };
    match (&report.result, along) {
        (Final::False(_), Some(property)) => {
            report.text = report.text.replace(&format!("`{violated}`"), &format!("`{property}`"));
            report.result = Final::False(property.into());
        }
        (Final::False(_), None) if validation.segments.is_some() => {
            let why = "unsupported: an error in a macro of another file, or in one that makes names";
            report.result = Final::Unknown(why.into());
        }
        _ => {}
    }
    let said = match (&report.result, validation.segments) {
        (Final::True, Some(n)) => format!("refuted: no run along its {n} segments violates the property"),
        (Final::False(_), Some(n)) => {
            format!("confirmed: a run along its {n} segments violates the property")
        }
        (Final::True, None) => {
            format!("confirmed: the property and {} invariants hold", validation.invariants)
        }
        (Final::False(_), None) if wrong => "refuted: an invariant does not hold".into(),
        (Final::False(_), None) => "refuted: the property is violated".into(),
        (Final::Unknown(_), _) => "neither confirmed nor refuted".into(),
    };
    report.text.insert_str(0, &format!("witness {said}\n"));
    report
}
