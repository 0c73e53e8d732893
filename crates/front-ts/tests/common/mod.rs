//! Shared by the tests of files: the readers, and z3 as the oracle.
#![allow(dead_code)] // each test file uses a part

use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use palisade_front_ts::{Program, ReadError, read_btor2, read_horn, read_vmt};
use palisade_term::TermPool;

/// Reads a file with the front-end of its extension.
pub fn read(pool: &TermPool, file: &Path) -> Result<Program, ReadError> {
    let text = std::fs::read_to_string(file).expect("readable");
    let name = file.file_name().expect("a file").to_string_lossy().into_owned();
    let program = match file.extension().and_then(|e| e.to_str()) {
        Some("vmt") => read_vmt(pool, &name, &text, None)?.program,
        Some("btor2") => read_btor2(pool, &name, &text)?.program,
        _ => read_horn(pool, &name, &text)?.program,
    };
    program.check(pool).expect("a well-formed program");
    Ok(program)
}

/// The rest of the line that begins with `; key: `.
pub fn header(file: &Path, key: &str) -> Option<String> {
    let text = std::fs::read_to_string(file).expect("readable");
    let mark = format!("; {key}: ");
    text.lines().find_map(|l| l.strip_prefix(&mark)).map(str::to_string)
}

/// The answer that a file states: `sat` for safe, as z3 says it.
pub fn stated_answer(file: &Path) -> String {
    header(file, "answer").unwrap_or_else(|| panic!("{} has no line `; answer: `", file.display()))
}

/// z3's answer to a Horn script within so many seconds, or `None` when z3 is not installed.
pub fn z3(script: &str, seconds: u32) -> Option<String> {
    let child = Command::new("z3")
        .args(["-in", &format!("-T:{seconds}")])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let mut child = child.ok()?;
    // z3 closes its input early when it refuses a script.
    let _ = child.stdin.take().expect("piped").write_all(script.as_bytes());
    let output = child.wait_with_output().expect("an answer");
    Some(String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or("").to_string())
}

/// Checks a script's answer, or says that it could not be checked.
#[track_caller]
pub fn answers(file: &Path, script: &str, expected: &str) {
    match z3(script, 20) {
        Some(answer) if answer == "timeout" => {
            eprintln!("not checked, z3 ran out of time: {}", file.display())
        }
        Some(answer) => assert_eq!(answer, expected, "{} written as\n{script}", file.display()),
        None => eprintln!("not checked, z3 is not installed: {}", file.display()),
    }
}
