//! z3 as a judge.

use std::io::Write as _;
use std::process::{Command, Stdio};

/// The lines that z3 answers to a script; `None` without z3.
pub fn z3(script: &str) -> Option<Vec<String>> {
    let mut child =
        Command::new("z3").arg("-in").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().ok()?;
    child.stdin.take()?.write_all(script.as_bytes()).ok()?;
    let out = child.wait_with_output().ok()?;
    Some(String::from_utf8_lossy(&out.stdout).lines().map(str::to_string).collect())
}
