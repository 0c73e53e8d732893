//! What the tables say about a task, as arguments of `palisade`. This is the one place that knows.
//!
//! | task | arguments |
//! |---|---|
//! | property says `mathematical integers` (`c/ctigar`) | `--int math` |
//! | C file, source `sosy-lab/sv-benchmarks` | `--64` if it ends in `LP64`, else `--32` |
//! | C file, property `P`, and a property file `F` for it | `--property F` |
//! | C file, property `no-overflow`, and no such file | `--check overflow` |
//! | anything else | none: HORN, VMT, BTOR2 and AIGER files carry their property |
//!
//! A property file is `properties/P.prp` or `properties/P-*.prp` beside or above the suite; of several, the
//! first whose error function occurs in the task.
//!
//! What the user gives with `--args`, `--args-for` or `--config` wins over the table's arguments about the
//! same thing.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow};

use crate::suite::Task;

/// Options that decide what the input *means*, with whether they take a value, and what they are about.
/// These, and only these, are handed to `palisade dump` besides `palisade verify`; `palisade check` finds
/// them in the certificate.
const FRONT_END_OPTIONS: &[(&str, bool, &str)] = &[
    ("--int", true, "integers"),
    ("--signed", true, "signed"),
    ("--32", false, "width"),
    ("--64", false, "width"),
    ("--property", true, "property"),
    ("--check", true, "property"),
];

/// How far above a task the `properties` folder is looked for.
const PROPERTY_DEPTH: usize = 4;

/// Arguments for the tasks whose path matches a pattern.
#[derive(Clone, Debug)]
pub struct ArgsFor {
    /// Matched against the whole path; `*` also matches `/`.
    pub pattern: glob::Pattern,
    /// The arguments.
    pub args: Vec<String>,
}

impl ArgsFor {
    /// Reads `GLOB=ARGS`.
    pub fn parse(text: &str) -> Result<ArgsFor> {
        let (pattern, args) =
            text.split_once('=').ok_or_else(|| anyhow!("`{text}` is not of the form GLOB=ARGS"))?;
        Ok(ArgsFor { pattern: glob::Pattern::new(pattern)?, args: shell_words::split(args)? })
    }
}

/// All arguments of a task: from its table, unless the user speaks about the same thing, then the user's.
pub fn arguments(task: &Task, use_table: bool, user: &[String], args_for: &[ArgsFor]) -> Vec<String> {
    let mut from_user = user.to_vec();
    for entry in args_for {
        if entry.pattern.matches(&task.name()) {
            from_user.extend(entry.args.iter().cloned());
        }
    }
    let mut result = Vec::new();
    if use_table {
        for option in from_table(task) {
            if !from_user.iter().any(|arg| topic(arg).is_some() && topic(arg) == topic(&option[0])) {
                result.extend(option);
            }
        }
    }
    result.extend(from_user);
    result
}

/// The part of `args` that the front-end reads.
pub fn front_end(args: &[String]) -> Vec<String> {
    let mut result = Vec::new();
    let mut rest = args.iter();
    while let Some(arg) = rest.next() {
        let (name, joined) = arg.split_once('=').map_or((arg.as_str(), false), |(name, _)| (name, true));
        let Some((_, takes_value, _)) = FRONT_END_OPTIONS.iter().find(|(option, ..)| *option == name) else {
            continue;
        };
        result.push(arg.clone());
        if *takes_value && !joined {
            result.extend(rest.next().cloned());
        }
    }
    result
}

fn topic(arg: &str) -> Option<&'static str> {
    let name = arg.split('=').next().unwrap_or(arg);
    FRONT_END_OPTIONS.iter().find(|(option, ..)| *option == name).map(|(.., topic)| *topic)
}

fn from_table(task: &Task) -> Vec<Vec<String>> {
    let words = |list: &[&str]| list.iter().map(|&word| word.to_owned()).collect::<Vec<_>>();
    let mut options = Vec::new();
    if task.property.contains("mathematical integers") {
        options.push(words(&["--int", "math"]));
    }
    if !is_c(&task.file) {
        return options;
    }
    if task.source.starts_with("sosy-lab/sv-benchmarks") {
        options.push(words(&[if task.source.ends_with("LP64") { "--64" } else { "--32" }]));
    }
    if let Some(file) = property_file(task) {
        options.push(vec!["--property".to_owned(), file.display().to_string()]);
    } else if task.property == "no-overflow" {
        options.push(words(&["--check", "overflow"]));
    }
    options
}

fn is_c(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "c" || extension == "i")
}

/// The property file for the task's property, from the nearest `properties` folder that has one.
fn property_file(task: &Task) -> Option<PathBuf> {
    // `valid-memsafety (valid-deref)` says which part of the property is violated.
    let name = task.property.split(" (").next().unwrap_or_default();
    if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c)) {
        return None;
    }
    // A relative path ends where bench was started, and the folder may lie above that.
    let file = std::path::absolute(&task.file).ok()?;
    for folder in file.parent()?.ancestors().take(PROPERTY_DEPTH) {
        let properties = folder.join("properties");
        let Ok(entries) = fs::read_dir(&properties) else { continue };
        let mut candidates: Vec<PathBuf> = entries
            .filter_map(|entry| Some(entry.ok()?.path()))
            .filter(|path| {
                let stem = path.file_stem().unwrap_or_default().to_string_lossy();
                let tail = stem.strip_prefix(name);
                path.extension().is_some_and(|e| e == "prp")
                    && tail.is_some_and(|tail| tail.is_empty() || tail.starts_with('-'))
            })
            .collect();
        candidates.sort_by_key(|path| path.file_stem().unwrap_or_default().to_owned());
        if candidates.is_empty() {
            continue;
        }
        let source = fs::read(&task.file).unwrap_or_default();
        let source = String::from_utf8_lossy(&source);
        let fits = |path: &PathBuf| {
            let text = fs::read_to_string(path).unwrap_or_default();
            error_function(&text).is_none_or(|function| source.contains(function))
        };
        return candidates.iter().find(|path| fits(path)).or(candidates.first()).cloned();
    }
    None
}

/// `f` in `CHECK( init(main()), LTL(G ! call(f())) )`.
fn error_function(property: &str) -> Option<&str> {
    let (_, rest) = property.split_once("call(")?;
    rest.split('(').next().map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::suite::Expected;

    fn task(file: PathBuf, property: &str, source: &str) -> Task {
        Task {
            suite: "s".into(),
            family: "f".into(),
            file,
            expected: Expected::True,
            property: property.into(),
            source: source.into(),
        }
    }

    fn words(text: &str) -> Vec<String> {
        shell_words::split(text).unwrap()
    }

    #[test]
    fn ctigar_tasks_are_about_mathematical_integers_unless_the_user_says_otherwise() {
        let task = task("c/ctigar/up.c".into(), "assert (mathematical integers)", "hgoes/vvt");
        assert_eq!(arguments(&task, true, &[], &[]), words("--int math"));
        assert_eq!(arguments(&task, true, &words("--int=bv --seed 1"), &[]), words("--int=bv --seed 1"));
        assert_eq!(arguments(&task, false, &[], &[]), words(""));
        let only =
            [ArgsFor::parse("*ctigar*=--signed wrap").unwrap(), ArgsFor::parse("*svcomp*=--64").unwrap()];
        assert_eq!(arguments(&task, true, &[], &only), words("--int math --signed wrap"));
    }

    #[test]
    fn the_property_file_is_the_one_whose_error_function_occurs() {
        let dir = tempfile::tempdir().unwrap();
        let properties = dir.path().join("properties");
        let folder = dir.path().join("svcomp/loops");
        fs::create_dir_all(&properties).unwrap();
        fs::create_dir_all(&folder).unwrap();
        let check = |name: &str| format!("CHECK( init(main()), LTL(G ! call({name}())) )");
        fs::write(properties.join("unreach-call.prp"), check("reach_error")).unwrap();
        fs::write(properties.join("unreach-call-2019.prp"), check("__VERIFIER_error")).unwrap();
        fs::write(properties.join("unreach-callback.prp"), check("x")).unwrap();
        for (name, body, property) in [
            ("old.c", "__VERIFIER_error();", "unreach-call-2019.prp"),
            ("new.c", "reach_error();", "unreach-call.prp"),
            ("none.c", "", "unreach-call.prp"),
        ] {
            let file = folder.join(name);
            fs::write(&file, body).unwrap();
            let task = task(file, "unreach-call", "sosy-lab/sv-benchmarks a42b8c43");
            let expected =
                vec!["--32".to_owned(), "--property".into(), properties.join(property).display().to_string()];
            assert_eq!(arguments(&task, true, &[], &[]), expected, "{name}");
            assert_eq!(
                arguments(&task, true, &words("--64 --check overflow"), &[]),
                words("--64 --check overflow")
            );
        }
        fs::write(properties.join("valid-memsafety.prp"), "CHECK( init(main()), LTL(G valid-free) )")
            .unwrap();
        let part = task(folder.join("old.c"), "valid-memsafety (valid-free)", "here");
        let file = properties.join("valid-memsafety.prp").display().to_string();
        assert_eq!(arguments(&part, true, &[], &[]), ["--property".to_owned(), file]);
        let overflow = task(folder.join("old.c"), "no-overflow", "here");
        assert_eq!(arguments(&overflow, true, &[], &[]), words("--check overflow"));
    }

    #[test]
    fn inputs_that_carry_their_property_get_nothing() {
        for (file, property) in [("a.smt2", "check-sat"), ("a.aig", "bad"), ("a.vmt", "invar-property")] {
            assert_eq!(arguments(&task(file.into(), property, "x"), true, &[], &[]), words(""));
        }
    }

    #[test]
    fn the_front_end_part_keeps_values_with_their_options() {
        let args = words("--seed 3 --int bv --set a=b --64 --property=x.prp --check overflow");
        assert_eq!(front_end(&args), words("--int bv --64 --property=x.prp --check overflow"));
    }
}
