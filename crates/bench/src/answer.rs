//! Reading verdicts: the contract of `palisade`, and the words of other tools.
//!
//! `palisade` must end its output with exactly one `RESULT:` line, and its exit code must agree. Anything
//! else is an error, never a verdict: a harness that guesses hides bugs.
//!
//! Other tools are read by the first line that is an answer in the [`Convention`] of what they were given.
//! The words mean opposite things in different worlds: for HORN clauses `sat` is safe, for BTOR2 and AIGER it
//! is a run to the bad state.

use std::fmt;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

/// What a tool says about a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The property holds.
    True,
    /// The property is violated; with its name, as far as the tool tells.
    False(String),
    /// No answer, and why.
    Unknown(String),
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Verdict::True => f.write_str("TRUE"),
            Verdict::False(property) => write!(f, "FALSE({property})"),
            Verdict::Unknown(reason) => write!(f, "UNKNOWN({reason})"),
        }
    }
}

/// What `sat`, `unsat`, `0` and `1` mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Convention {
    /// HORN: `sat` is safe.
    Horn,
    /// BTOR2 and AIGER witnesses: `sat` and `1` are unsafe.
    Hardware,
    /// C and VMT: only words that cannot be misread.
    Plain,
}

impl Convention {
    /// The convention for a file given as it is.
    pub fn of_file(file: &Path) -> Convention {
        match file.extension().and_then(|extension| extension.to_str()) {
            Some("smt2") => Convention::Horn,
            Some("btor2" | "btor" | "aig" | "aag") => Convention::Hardware,
            _ => Convention::Plain,
        }
    }
}

/// Reads the output of `palisade verify`: the verdict of its last line, if that is the only `RESULT:` line.
pub fn read_result(stdout: &Path) -> io::Result<Result<Verdict, String>> {
    let mut results = 0;
    let mut last = String::new();
    for_each_line(stdout, |line| {
        if line.starts_with("RESULT:") {
            results += 1;
        }
        if !line.is_empty() {
            line.clone_into(&mut last);
        }
        true
    })?;
    Ok(match results {
        0 => Err("no RESULT line".to_owned()),
        1 => parse_result(&last).ok_or_else(|| "the output does not end with its RESULT line".to_owned()),
        n => Err(format!("{n} RESULT lines")),
    })
}

/// `RESULT: TRUE`, `RESULT: FALSE(p)` or `RESULT: UNKNOWN(r)`.
pub fn parse_result(line: &str) -> Option<Verdict> {
    let word = line.strip_prefix("RESULT: ")?.trim_end();
    let argument =
        |name: &str| Some(word.strip_prefix(name)?.strip_prefix('(')?.strip_suffix(')')?.to_owned());
    if word == "TRUE" {
        return Some(Verdict::True);
    }
    argument("FALSE").map(Verdict::False).or_else(|| argument("UNKNOWN").map(Verdict::Unknown))
}

/// The exit code that goes with a verdict.
pub fn exit_code(verdict: &Verdict) -> i32 {
    match verdict {
        Verdict::True => 0,
        Verdict::False(_) => 10,
        Verdict::Unknown(_) => 20,
    }
}

/// Reads the output of another tool: its first answer.
pub fn read_external(stdout: &Path, convention: Convention) -> io::Result<Option<Verdict>> {
    let mut answer = None;
    for_each_line(stdout, |line| {
        answer = external_answer(line, convention);
        answer.is_none()
    })?;
    Ok(answer)
}

fn external_answer(line: &str, convention: Convention) -> Option<Verdict> {
    let falsified = || Some(Verdict::False(String::new()));
    if let Some(verdict) = parse_result(line) {
        return Some(verdict);
    }
    match (line.trim(), convention) {
        ("sat", Convention::Horn) | ("unsat" | "0", Convention::Hardware) => Some(Verdict::True),
        ("unsat", Convention::Horn) | ("sat" | "1", Convention::Hardware) => falsified(),
        ("2", Convention::Hardware) | ("unknown", _) => Some(Verdict::Unknown("unknown".to_owned())),
        ("timeout", _) => Some(Verdict::Unknown("timeout".to_owned())),
        ("safe" | "SAFE" | "TRUE" | "true", _) => Some(Verdict::True),
        ("unsafe" | "UNSAFE" | "FALSE" | "false", _) => falsified(),
        // What ABC prints: `Property proved.  Time = ...`, `Output 0 of miter "f" was asserted in ...`.
        (line, Convention::Hardware) if line.starts_with("Property proved.") => Some(Verdict::True),
        (line, Convention::Hardware) if line.starts_with("Output ") && line.contains(" was asserted in ") => {
            falsified()
        }
        (line, _) => {
            // The line of the SV-COMP tools, `Verification result: FALSE. Property violation (...)`.
            let result = line.strip_prefix("Verification result: ")?;
            match result.split(['.', ',', '(']).next()?.trim() {
                "TRUE" => Some(Verdict::True),
                "FALSE" => falsified(),
                _ => Some(Verdict::Unknown(result.to_owned())),
            }
        }
    }
}

/// What a failing tool says on stderr, shortened: our own message if there is one, without the excerpt of the
/// input that follows it, else the last line that is not empty.
pub fn last_words(file: &Path) -> String {
    let (mut last, mut own) = (String::new(), None);
    let _ = for_each_line(file, |line| {
        if !line.trim().is_empty() {
            line.trim().clone_into(&mut last);
        }
        if let Some(message) = line.strip_prefix("palisade: ").filter(|m| !m.starts_with("warning: ")) {
            own = Some(match message.split_once(": unsupported: ") {
                Some((position, what)) => format!("{what}, {position}"),
                None => message.to_string(),
            });
        }
        true
    });
    own.unwrap_or(last).chars().take(160).collect()
}

/// Calls `visit` until it says false. Bytes that are not UTF-8 are replaced: tools print what they like.
fn for_each_line(file: &Path, mut visit: impl FnMut(&str) -> bool) -> io::Result<()> {
    let mut reader = BufReader::new(File::open(file)?);
    let mut bytes = Vec::new();
    while reader.read_until(b'\n', &mut bytes)? > 0 {
        let line = String::from_utf8_lossy(&bytes);
        if !visit(line.trim_end_matches(['\n', '\r'])) {
            break;
        }
        bytes.clear();
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn read(text: &str) -> Result<Verdict, String> {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), text).unwrap();
        read_result(file.path()).unwrap()
    }

    fn external(text: &str, convention: Convention) -> Option<Verdict> {
        let file = tempfile::NamedTempFile::new().unwrap();
        fs::write(file.path(), text).unwrap();
        read_external(file.path(), convention).unwrap()
    }

    #[test]
    fn the_result_line_is_the_last_and_only_one() {
        assert_eq!(read("invariant: x\nRESULT: TRUE\n"), Ok(Verdict::True));
        assert_eq!(read("RESULT: FALSE(unreach-call)\n"), Ok(Verdict::False("unreach-call".into())));
        assert_eq!(
            read("RESULT: UNKNOWN(timeout (frame 3))"),
            Ok(Verdict::Unknown("timeout (frame 3)".into()))
        );
        for bad in [
            "",
            "TRUE",
            "RESULT: TRUE\nmore\n",
            "RESULT: TRUE\nRESULT: TRUE\n",
            "RESULT: FALSE\n",
            "RESULT: true\n",
        ] {
            assert!(read(bad).is_err(), "{bad:?}");
        }
    }

    #[test]
    fn a_refusal_is_told_by_its_message() {
        let words = |text: &str| {
            let file = tempfile::NamedTempFile::new().unwrap();
            fs::write(file.path(), text).unwrap();
            last_words(file.path())
        };
        let refusal = "palisade: warning: x\npalisade: f.btor2:3:1: unsupported: fair\n 3 | fair\n   | ^\n";
        assert_eq!(words(refusal), "fair, f.btor2:3:1");
        assert_eq!(words("palisade: f.aag:1:5: no\n 1 | aag\n   | ^\n"), "f.aag:1:5: no");
        assert_eq!(words("one\ntwo\n\n"), "two");
    }

    #[test]
    fn sat_is_read_in_the_convention_of_the_input() {
        assert_eq!(external("sat\n(model)\n", Convention::Horn), Some(Verdict::True));
        assert_eq!(external("unsat\n", Convention::Horn), Some(Verdict::False(String::new())));
        assert_eq!(external("sat\nb0\n#0\n", Convention::Hardware), Some(Verdict::False(String::new())));
        assert_eq!(external("0\nb0\n", Convention::Hardware), Some(Verdict::True));
        assert_eq!(external("sat\n", Convention::Plain), None);
        assert_eq!(
            external("log\nunknown\nsat\n", Convention::Horn),
            Some(Verdict::Unknown("unknown".into()))
        );
        assert_eq!(external("(error \"sat\")\n", Convention::Horn), None);
        assert_eq!(external("Property proved.  Time = 0.2 sec\n", Convention::Hardware), Some(Verdict::True));
        assert_eq!(
            external("Output 0 of miter \"f\" was asserted in frame 1.\n", Convention::Hardware),
            Some(Verdict::False(String::new()))
        );
        assert_eq!(
            external("Verification result: FALSE. Property violation.\n", Convention::Plain),
            Some(Verdict::False(String::new()))
        );
        assert_eq!(external("RESULT: TRUE\n", Convention::Plain), Some(Verdict::True));
    }
}
