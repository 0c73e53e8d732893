//! File tests of the command line: every file is a test of its own.
//!
//! Every file in `tests/cli/` is an input whose header comment says what to run and what must come out:
//!
//! ```text
//! ; run: palisade verify --engine bmc $FILE
//! ; exit: 10
//! ; last: RESULT: FALSE(query)
//! ; stdout: counterexample
//! ```
//! `run` starts a command; `exit` is its exit code; `last` the last line of stdout (`-`: stdout is empty);
//! `stdout` and `stderr` are texts that occur there. Several commands run one after the other. `$FILE` is the
//! file itself, `$DIR` its folder, `$TMP` a fresh folder for all commands of the file.
//!
//! Files in `tests/fixme/` have the same headers and say what *should* come out, but does not. Such a test
//! fails when the file starts to work; then move the file to `tests/cli/`. A line `why: ` says what is
//! missing.
//!
//! The files of `examples/` in the root say in a comment what `palisade verify` answers.

mod common;

use std::fs;
use std::path::Path;

use common::{output, palisade};

#[derive(Debug)]
struct Case {
    words: Vec<String>,
    expectations: Vec<(String, String)>,
}

/// The directives at the head of a file; of an AIGER file, in its comment.
fn cases(path: &Path, tmp: &Path) -> Vec<Case> {
    let bytes = fs::read(path).unwrap();
    let text = String::from_utf8_lossy(&bytes);
    let mut out: Vec<Case> = Vec::new();
    // AIGER has comments at the end only, after a line `c`.
    let head = if path.extension().is_some_and(|e| e == "aag") { Some("c") } else { None };
    let after = text.lines().skip_while(|line| head.is_some_and(|h| *line != h)).skip(head.iter().count());
    for line in after {
        let Some(comment) = ["; ", "// ", "# "].iter().find_map(|c| line.strip_prefix(c)) else { break };
        let Some((key, value)) = comment.split_once(": ") else { continue };
        let value = value
            .replace("$FILE", &path.display().to_string())
            .replace("$DIR", &path.parent().unwrap().display().to_string())
            .replace("$TMP", &tmp.display().to_string());
        match key {
            "run" => {
                let mut words = shell_words::split(&value).unwrap();
                assert_eq!(words.remove(0), "palisade", "{}", path.display());
                out.push(Case { words, expectations: Vec::new() });
            }
            "exit" | "last" | "stdout" | "stderr" => {
                out.last_mut().expect("`run` comes first").expectations.push((key.into(), value));
            }
            _ => {}
        }
    }
    out
}

/// Runs a command and compares; an error says what differs.
fn check(path: &Path, case: &Case) -> Result<(), String> {
    let mut command = palisade();
    command.args(&case.words);
    let result = output(command);
    let (stdout, stderr) = (String::from_utf8_lossy(&result.stdout), String::from_utf8_lossy(&result.stderr));
    let expected = |key: &str| case.expectations.iter().any(|(k, _)| k == key);
    assert!(expected("exit"), "{}: the exit code is always expected", path.display());
    for (key, value) in &case.expectations {
        let met = match key.as_str() {
            "exit" => result.status.code() == value.parse().ok(),
            "last" if value == "-" => stdout.is_empty(),
            "last" => stdout.lines().last() == Some(value.as_str()) && stdout.matches("RESULT:").count() <= 1,
            "stdout" => stdout.contains(value.as_str()),
            _ => stderr.contains(value.as_str()),
        };
        if !met {
            let code = result.status.code();
            return Err(format!(
                "{}: {:?}\nexpected {key}: {value}\n--- exit {code:?}\n--- stdout\n{stdout}--- \
                 stderr\n{stderr}",
                path.display(),
                case.words
            ));
        }
    }
    Ok(())
}

/// Runs all commands of a file.
fn check_all(path: &Path) -> Result<(), String> {
    let path = fs::canonicalize(path).expect("a file");
    let tmp = tempfile::tempdir().expect("a folder");
    let cases = cases(&path, tmp.path());
    assert!(!cases.is_empty(), "{} has no line `run: `", path.display());
    cases.iter().try_for_each(|case| check(&path, case))
}

fn answers_as_expected(path: &Path) -> datatest_stable::Result<()> {
    Ok(check_all(path)?)
}

fn does_not_work_yet(path: &Path) -> datatest_stable::Result<()> {
    match check_all(path) {
        Err(difference) if difference.contains("internal error") => Err(difference.into()),
        Err(difference) => {
            eprintln!("{difference}");
            Ok(())
        }
        Ok(()) => Err(format!("{} works now: move it to tests/cli/", path.display()).into()),
    }
}

/// The examples say in a comment line what comes out.
fn example_answers_as_it_says(path: &Path) -> datatest_stable::Result<()> {
    let text = String::from_utf8_lossy(&fs::read(path)?).into_owned();
    let line = text.lines().find(|l| l.contains("palisade verify")).expect("an example names its command");
    let (command_line, expected) = line.split_at(line.find("RESULT:").expect("and its result"));
    let mut words: Vec<&str> = command_line.split_whitespace().skip_while(|w| *w != "verify").collect();
    let named = words.pop().expect("the file");
    assert!(path.ends_with(named.trim_start_matches("examples/")), "{named}");
    let mut command = palisade();
    command.args(words).arg(path);
    let result = output(command);
    let stdout = String::from_utf8_lossy(&result.stdout);
    let stderr = String::from_utf8_lossy(&result.stderr);
    assert_eq!(stdout.lines().last(), Some(expected), "{}\n{stdout}{stderr}", path.display());
    Ok(())
}

datatest_stable::harness! {
    { test = answers_as_expected, root = "tests/cli", pattern = r"\.(c|i|smt2|vmt|aag|btor2)$" },
    { test = does_not_work_yet, root = "tests/fixme", pattern = r"\.(c|i|smt2|vmt|aag|btor2)$" },
    { test = example_answers_as_it_says, root = "../../examples", pattern = r"\.(c|smt2|vmt|aag|btor2)$" },
}
