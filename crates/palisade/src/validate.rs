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

use palisade_front_c::Checks;
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
        let bytes = palisade_verify::read_bytes(input)?;
        let hash = palisade_report::hash::of_bytes(&bytes);
        let text = palisade_front_c::text_of(&bytes);
        let hashes = &witness.task().input_file_hashes;
        if !hashes.is_empty() && !hashes.values().any(|h| h.eq_ignore_ascii_case(&hash)) {
            eprintln!("palisade: warning: the witness was made for another text than {}", input.display());
        }
        // What needs no preprocessor gets none: its lines and columns are those of the text.
        let preprocessed = input.extension().is_some_and(|e| e == "i");
        files.push(instrument::File { name: input.display().to_string(), text, preprocessed });
    }
    let (mut checks, entry) =
        Checks::from_specification(&witness.task().specification).map_err(unreadable)?;
    if checks.termination {
        return Err(unreadable("witnesses for termination are not supported".into()));
    }
    let width = match witness.task().data_model.as_str() {
        "LP64" => "--64",
        "ILP32" => "--32",
        other => return Err(unreadable(format!("unknown data model `{other}`"))),
    };
    let (woven, segments, invariants) = match &witness {
        Witness::Violation(_, segments) => {
            let (functions, assertions) = (checks.error_functions.clone(), checks.assertions);
            if checks != (Checks { error_functions: functions.clone(), assertions, ..Checks::none() }) {
                let only = "only violations by calls of error functions and by assertions are supported";
                return Err(unreadable(only.into()));
            }
            // The errors of the program itself are asked for, too: see `judge`.
            checks.error_functions.extend([instrument::VIOLATION, instrument::ASSERTION].map(String::from));
            let errors = instrument::Errors { functions: functions.into_iter().collect(), assertions };
            let woven = instrument::violation(&files, &errors, segments).map_err(unreadable)?;
            (woven, Some(segments.len()), 0)
        }
        Witness::Invariants(_, list) => {
            checks.error_functions.insert(instrument::WRONG.into());
            (instrument::invariants(&files, list).map_err(unreadable)?, None, list.len())
        }
    };
    let mut words: Vec<OsString> = ["palisade", "verify", width, "--check"].map(OsString::from).to_vec();
    words.push(checks.to_string().into());
    words.extend(["--undefined", "arbitrary", "--confirm", "off", "--engine"].map(OsString::from));
    words.push(given.engine.clone().into());
    for input in inputs {
        words.push("-I".into());
        words.push(input.parent().filter(|p| !p.as_os_str().is_empty()).map_or(".".into(), |p| p.into()));
    }
    if let Some(function) = entry.filter(|f| f != "main") {
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
