//! `palisade.toml`: what `palisade verify` does in a folder when it is given no input.
//!
//! The table `[verify]` has `inputs`, and the long options of the command by name: `check = "overflow"`,
//! `all = true`, `set = ["entry.globals=zero"]`; `D`, `I` and `p` too. An option of the command line replaces
//! the one of the file.
//!
//! What is wrong in the file is told with its line, and is an unreadable input (exit code 3).
//!
//! Entry point: [`command`].

use std::ffi::OsString;
use std::path::Path;

use clap::{CommandFactory as _, Parser as _};

use crate::args::Cli;
use crate::failure::Failure;

/// The name of the file.
pub const FILE: &str = "palisade.toml";

/// The command that the file and the words given make together.
pub fn command(file: &Path, given: &[OsString]) -> Result<Cli, Failure> {
    let wrong = |e: clap::Error| {
        let said = e.to_string();
        let said = said.strip_prefix("error: ").unwrap_or(&said);
        let said = said.split("\n\nUsage:").next().unwrap_or(said);
        let said = said.split("\n\nFor more information").next().unwrap_or(said).trim_end();
        Failure::input(format!("{}: {said}", file.display()))
    };
    // The words alone were a command: whatever is wrong now comes from the file.
    Cli::try_parse_from(words(file, given)?).map_err(wrong)
}

/// The command line of `palisade verify` as the file and the words given say it.
fn words(file: &Path, given: &[OsString]) -> Result<Vec<OsString>, Failure> {
    let text = palisade_verify::read_text(file)?;
    let unreadable = |e: String| Failure::input(format!("{}: {e}", file.display()));
    let at = |key: &str, e: String| {
        let line = text.lines().position(|l| {
            let words = l.trim_start().trim_start_matches(['[', '"', '\'']);
            words
                .strip_prefix(key)
                .is_some_and(|rest| rest.trim_start().starts_with(['=', ']', '"', '\'', '.']))
        });
        let place = line.map_or(String::new(), |l| format!(":{}", l + 1));
        Failure::input(format!("{}{place}: {e}", file.display()))
    };
    let table: toml::Table = text.parse().map_err(|e: toml::de::Error| unreadable(e.to_string()))?;
    if let Some(other) = table.keys().find(|k| *k != "verify") {
        return Err(at(other, format!("there is no table `{other}`, only `verify`")));
    }
    let empty = toml::Table::new();
    let verify = match table.get("verify") {
        Some(toml::Value::Table(verify)) => verify,
        None => &empty,
        Some(_) => return Err(at("verify", "`verify` is not a table: write `[verify]`".into())),
    };
    let options = known();
    if let Some(other) = verify.keys().find(|k| *k != "inputs" && !options.contains(k)) {
        let near = options.iter().map(String::as_str).chain(["inputs"]);
        let near = near.map(|o| (distance(o, other), o)).min().filter(|(d, _)| *d <= 2);
        let hint = near.map_or(String::new(), |(_, o)| format!("; `{o}` is meant?"));
        return Err(at(other, format!("`palisade verify` has no option `{other}`{hint}")));
    }
    let mut out: Vec<OsString> = vec!["palisade".into(), "verify".into()];
    let mut inputs: Vec<OsString> = Vec::new();
    for (key, value) in verify {
        let values = match value {
            toml::Value::Array(list) => list.iter().collect(),
            one => vec![one],
        };
        let name = if key.len() == 1 { format!("-{key}") } else { format!("--{key}") };
        if is_given(given, &name) && !matches!(value, toml::Value::Array(_)) {
            continue;
        }
        for value in values {
            if !value.is_bool() && is_switch(key) {
                return Err(at(key, format!("`{key}` is true or false")));
            }
            let text = match value {
                toml::Value::String(s) => Some(s.clone()),
                toml::Value::Integer(i) => Some(i.to_string()),
                toml::Value::Float(f) => Some(f.to_string()),
                toml::Value::Boolean(true) => None,
                toml::Value::Boolean(false) => continue,
                _ => return Err(at(key, format!("the value of `{key}` is no text, number or truth value"))),
            };
            match (key.as_str(), text) {
                ("inputs", Some(path)) if matches!(value, toml::Value::String(_)) => inputs.push(path.into()),
                ("inputs", _) => return Err(at(key, "`inputs` is a list of file names".into())),
                (_, None) => out.push(name.clone().into()),
                (_, Some(text)) => out.extend([OsString::from(&name), text.into()]),
            }
        }
    }
    if inputs.is_empty() {
        return Err(unreadable("`inputs` is missing in `[verify]`: the files to verify".into()));
    }
    out.extend(given.iter().cloned());
    out.extend(inputs);
    Ok(out)
}

/// The names of the options of `palisade verify`.
fn known() -> Vec<String> {
    let cli = Cli::command();
    let verify = cli.find_subcommand("verify").into_iter().flat_map(|v| v.get_arguments());
    let names = |a: &clap::Arg| [a.get_long().map(str::to_string), a.get_short().map(String::from)];
    verify.flat_map(names).flatten().collect()
}

/// Is it an option without a value?
fn is_switch(key: &str) -> bool {
    let cli = Cli::command();
    let verify = cli.find_subcommand("verify").into_iter().flat_map(|v| v.get_arguments());
    let is_named =
        |a: &&clap::Arg| a.get_long() == Some(key) || a.get_short().is_some_and(|c| key == c.to_string());
    verify.filter(is_named).any(|a| !a.get_action().takes_values())
}

/// How many letters must be put in, left out or changed to make one word of the other (Levenshtein).
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut corner = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = corner + usize::from(x != *y);
            corner = row[j + 1];
            row[j + 1] = replaced.min(corner + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

/// Does the command line have the option?
fn is_given(given: &[OsString], name: &str) -> bool {
    given.iter().filter_map(|w| w.to_str()).any(|w| {
        w == name || w.strip_prefix(name).is_some_and(|rest| rest.starts_with('=')) && name.starts_with("--")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_wins() {
        let tmp = tempfile::tempdir().unwrap();
        let file = tmp.path().join(FILE);
        let text =
            "[verify]\ninputs = [\"a.c\"]\nengine = \"bmc\"\nall = true\nD = [\"N=3\", \"M\"]\ntimeout = 5\n";
        std::fs::write(&file, text).unwrap();
        let line = |given: &[&str]| {
            let given: Vec<OsString> = given.iter().map(OsString::from).collect();
            let words = words(&file, &given).unwrap();
            words.iter().map(|w| w.to_str().unwrap().to_string()).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(line(&[]), "palisade verify -D N=3 -D M --all --engine bmc --timeout 5 a.c");
        let given = line(&["--engine", "kind", "--timeout=9"]);
        assert_eq!(given, "palisade verify -D N=3 -D M --all --engine kind --timeout=9 a.c");
    }

    #[test]
    fn mistakes_are_told_with_their_line() {
        let tmp = tempfile::tempdir().unwrap();
        let file = tmp.path().join(FILE);
        let cases = [
            ("engine = \"bmc\"\n", "`inputs` is missing"),
            (
                "inputs = [\"a.c\"]\nchekc = \"overflow\"\n",
                ":3: `palisade verify` has no option `chekc`; `check`",
            ),
            ("input = \"a.c\"\n", ":2: `palisade verify` has no option `input`; `inputs` is meant?"),
            ("inputs = [3]\n", ":2: `inputs` is a list of file names"),
            ("inputs = [\"a.c\"]\ntimeout = 2026-01-01\n", ":3: the value of `timeout`"),
            ("inputs = [\"a.c\"]\ntimeout = \"abc\"\n", ": invalid value 'abc' for '--timeout <S>'"),
            ("inputs = [\"a.c\"]\nall = true\nhtml = \"a.html\"\n", "'--all' cannot be used with"),
            ("inputs = [\"a.c\"]\nall = \"yes\"\n", ":3: `all` is true or false"),
            ("inputs = [\"a.c\"]\n64 = 1\n", ":3: `64` is true or false"),
            ("[verfy]\n", ":2: there is no table"),
        ];
        for (text, said) in cases {
            std::fs::write(&file, format!("[verify]\n{text}")).unwrap();
            let failure = command(&file, &[]).unwrap_err();
            assert_eq!(failure.code, 3, "{failure}");
            assert!(failure.message.contains(said), "{failure}");
            assert!(!failure.message.contains("Usage"), "{failure}");
        }
    }
}
