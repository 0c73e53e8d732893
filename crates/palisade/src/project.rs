//! `palisade.toml`: what `palisade verify` does in a folder when it is given no input.
//!
//! The table `[verify]` has `inputs`, and the long options of the command by name: `check = "overflow"`,
//! `all = true`, `set = ["entry.globals=zero"]`; `D`, `I` and `p` too. An option of the command line replaces
//! the one of the file.
//!
//! Entry point: [`words`].

use std::ffi::OsString;
use std::path::Path;

use crate::failure::Failure;

/// The name of the file.
pub const FILE: &str = "palisade.toml";

/// The command line of `palisade verify` as the file and the words given say it.
pub fn words(file: &Path, given: &[OsString]) -> Result<Vec<OsString>, Failure> {
    let text = palisade_verify::read_text(file)?;
    let unreadable = |e: String| Failure::input(format!("{}: {e}", file.display()));
    let table: toml::Table = text.parse().map_err(|e: toml::de::Error| unreadable(e.to_string()))?;
    if let Some(other) = table.keys().find(|k| *k != "verify") {
        return Err(unreadable(format!("there is no table `{other}`, only `verify`")));
    }
    let empty = toml::Table::new();
    let verify = match table.get("verify") {
        Some(toml::Value::Table(verify)) => verify,
        None => &empty,
        Some(_) => return Err(unreadable("`verify` is not a table".into())),
    };
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
            let text = match value {
                toml::Value::String(s) => Some(s.clone()),
                toml::Value::Integer(i) => Some(i.to_string()),
                toml::Value::Float(f) => Some(f.to_string()),
                toml::Value::Boolean(true) => None,
                toml::Value::Boolean(false) => continue,
                _ => return Err(unreadable(format!("`{key}` has a value that no option has"))),
            };
            match (key.as_str(), text) {
                ("inputs", Some(path)) => inputs.push(path.into()),
                (_, None) => out.push(name.clone().into()),
                (_, Some(text)) => out.extend([OsString::from(&name), text.into()]),
            }
        }
    }
    if inputs.is_empty() {
        return Err(unreadable("`verify.inputs` names no file".into()));
    }
    out.extend(given.iter().cloned());
    out.extend(inputs);
    Ok(out)
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
        std::fs::write(&file, "[verify]\nengine = \"bmc\"\n").unwrap();
        assert!(words(&file, &[]).is_err());
    }
}
