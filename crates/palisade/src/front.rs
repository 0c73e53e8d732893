//! What decides the meaning of a C program: options of the command line, and the same in the head of a
//! certificate.
//!
//! A certificate speaks of the automaton that the front-end made under some options, so `verify` writes them
//! into it ([`recorded`]) and `check` reads them back ([`adopt`]). Options on the command line of `check` are
//! not needed; one that contradicts the certificate is an error, never a check of another program. Folders
//! with headers (`-I`) are no matter of meaning: those of the command line win.

use std::path::PathBuf;

use clap::ValueEnum;
use palisade_front_c::{
    COptions, Checks, DataModel, Entry, FileFlags, Globals, IntMode, Slicing, UndefinedMemory,
};
use palisade_verify::read_text;

use crate::args::{Confirm, FrontArgs, IntModel, Malloc, Signed, SliceChoice, UndefinedChoice};
use crate::build_commands;
use crate::failure::Failure;

/// How many calls of a recursion are followed where its run has no inputs.
pub const DEEPEST: u32 = 400;

/// The same options, with recursion followed so many calls deep.
pub fn deeper(c_options: &COptions, depth: u32) -> COptions {
    let standard = COptions::default();
    let each = standard.recursion_budget / standard.recursion_bound as usize;
    COptions {
        recursion_bound: depth,
        recursion_budget: each * depth as usize,
        recursion_apart: true,
        ..c_options.clone()
    }
}

impl FrontArgs {
    /// Takes flags from the build, if one is given. Once.
    pub fn follow_build(&mut self, inputs: &[PathBuf]) -> Result<(), Failure> {
        match self.build.clone() {
            Some(build) => build_commands::apply(&build, inputs, self),
            None => Ok(()),
        }
    }

    /// The options of the C front-end.
    pub fn c_options(&self) -> Result<COptions, Failure> {
        let checks = self.checks()?.unwrap_or_default();
        let memory = checks.memory();
        let recursion = match self.recursion {
            Some(depth) if depth != COptions::default().recursion_bound => {
                deeper(&COptions::default(), depth)
            }
            _ => COptions::default(),
        };
        Ok(COptions {
            data_model: if self.m64 { DataModel::Lp64 } else { DataModel::Ilp32 },
            int_mode: match self.int_model.unwrap_or(IntModel::C) {
                IntModel::Math => IntMode::Math,
                IntModel::C => IntMode::C,
                IntModel::Bv => IntMode::Bv,
            },
            signed_wrap: self.signed == Some(Signed::Wrap),
            checks,
            malloc_fails: self.malloc == Some(Malloc::MayFail),
            undefined: match (self.undefined, &self.property) {
                (Some(UndefinedChoice::Report), _) | (None, None) => UndefinedMemory::Report,
                (None, Some(_)) if memory => UndefinedMemory::Report,
                (Some(UndefinedChoice::Arbitrary), _) | (None, Some(_)) => UndefinedMemory::Arbitrary,
                (Some(UndefinedChoice::Assume), _) => UndefinedMemory::Assume,
            },
            include_dirs: self.include.clone(),
            defines: self.define.clone(),
            flags: self.flags.clone(),
            std: self.std.clone(),
            confirm: self.confirm != Some(Confirm::Off),
            function: self.function.clone().unwrap_or_else(|| "main".into()),
            entry: self.entry,
            slice: match self.slice {
                Some(SliceChoice::On) => Slicing::On,
                Some(SliceChoice::Careful) => Slicing::Careful,
                None | Some(SliceChoice::Off) => Slicing::Off,
            },
            ..recursion
        })
    }

    /// The properties asked for, if any were.
    fn checks(&self) -> Result<Option<Checks>, Failure> {
        match (&self.property, &self.check) {
            (Some(file), _) => Checks::from_property_file(&read_text(file)?)
                .map(Some)
                .map_err(|e| Failure::input(format!("{}: {e}", file.display()))),
            (None, Some(list)) => Checks::parse(list).map(Some).map_err(Failure::usage),
            (None, None) => Ok(None),
        }
    }
}

/// Sets an option of the state where verification begins.
pub fn set_entry(entry: &mut Entry, name: &str, value: &str) -> Result<(), String> {
    match (name, value) {
        ("entry.globals", "zero") => entry.globals = Globals::Zero,
        ("entry.globals", "any") => entry.globals = Globals::Any,
        ("entry.elements", n) if n.parse::<u32>().is_ok_and(|n| n > 0) => {
            entry.elements = n.parse().unwrap_or(1);
        }
        ("entry.depth", n) if n.parse::<u32>().is_ok_and(|n| n > 0) => {
            entry.depth = n.parse().unwrap_or(1);
        }
        ("entry.null", "true" | "false") => entry.null = value == "true",
        _ => {
            return Err(format!(
                "{name}={value}: known are entry.globals=zero|any, entry.elements=N, entry.depth=N (N > 0) \
                 and entry.null=true|false"
            ));
        }
    }
    Ok(())
}

fn word(value: impl ValueEnum) -> String {
    value.to_possible_value().expect("no value is hidden").get_name().to_string()
}

/// The options for the head of a certificate: all that matter, defaults too, since defaults may change.
pub fn recorded(front: &FrontArgs, c_options: &COptions) -> Vec<String> {
    let mut out = vec![
        format!("int={}", word(front.int_model.unwrap_or(IntModel::C))),
        format!("signed={}", word(front.signed.unwrap_or(Signed::Undefined))),
        format!("width={}", if front.m64 { 64 } else { 32 }),
        format!("check={}", stated(&c_options.checks)),
        format!("undefined={}", c_options.undefined.name()),
        format!("malloc={}", word(front.malloc.unwrap_or(Malloc::Succeed))),
    ];
    if palisade_front_c::slice::is_possible(c_options) {
        out.push(format!("slice={}", c_options.slice.name()));
    }
    if c_options.recursion_bound != COptions::default().recursion_bound {
        out.push(format!("recursion={}", c_options.recursion_bound));
    }
    out.extend(front.include.iter().map(|dir| format!("include={}", dir.display())));
    out.extend(front.define.iter().map(|text| format!("define={text}")));
    out.extend(front.flags.iter().map(|f| {
        let file = f.file.display().to_string();
        format!("flags={}", shell_words::join(std::iter::once(&file).chain(&f.words)))
    }));
    out.extend(front.std.iter().map(|std| format!("std={std}")));
    if let Some(function) = front.function.as_ref().filter(|f| *f != "main") {
        out.push(format!("function={function}"));
        out.push(format!("globals={}", front.entry.globals.name()));
        out.push(format!("elements={}", front.entry.elements));
        out.push(format!("depth={}", front.entry.depth));
        out.push(format!("null={}", front.entry.null));
    }
    out.extend(front.claim.iter().map(|claim| format!("claim={claim}")));
    out
}

/// The properties that the user states; that annotations hold is one besides.
fn stated(checks: &Checks) -> Checks {
    let mut checks = checks.clone();
    checks.error_functions.remove(palisade_report::annotations::WRONG);
    checks
}

/// The options of the command line together with those of a certificate (`file`, for messages).
pub fn adopt(given: &FrontArgs, options: &[String], file: &str) -> Result<FrontArgs, Failure> {
    if options.is_empty() {
        return Ok(given.clone());
    }
    let unreadable = |what: &str| Failure::input(format!("{file}: {what}"));
    // What is not said is off.
    let mut front = FrontArgs { slice: Some(SliceChoice::Off), ..FrontArgs::default() };
    let mut seen = Vec::new();
    for option in options {
        let (name, value) = option
            .split_once('=')
            .ok_or_else(|| unreadable(&format!("the option `{option}` has no value")))?;
        if !matches!(name, "include" | "define" | "flags") && seen.contains(&name) {
            return Err(unreadable(&format!("the option `{name}` is given twice")));
        }
        seen.push(name);
        let unknown = || unreadable(&format!("unknown option `{option}`"));
        match name {
            "int" => front.int_model = Some(IntModel::from_str(value, false).map_err(|_| unknown())?),
            "signed" => front.signed = Some(Signed::from_str(value, false).map_err(|_| unknown())?),
            "width" => match value {
                "32" => front.m32 = true,
                "64" => front.m64 = true,
                _ => return Err(unknown()),
            },
            "check" => front.check = Some(value.into()),
            "undefined" => {
                front.undefined = Some(UndefinedChoice::from_str(value, false).map_err(|_| unknown())?);
            }
            "malloc" => front.malloc = Some(Malloc::from_str(value, false).map_err(|_| unknown())?),
            "slice" => front.slice = Some(SliceChoice::from_str(value, false).map_err(|_| unknown())?),
            "include" => front.include.push(PathBuf::from(value)),
            "define" => front.define.push(value.into()),
            "flags" => {
                let mut words = shell_words::split(value).map_err(|_| unknown())?.into_iter();
                let file = words.next().ok_or_else(unknown)?.into();
                let words: Vec<String> = words.collect();
                if !build_commands::are_taken(&words) {
                    return Err(unknown());
                }
                front.flags.push(FileFlags { file, words });
            }
            "recursion" => front.recursion = Some(value.parse().map_err(|_| unknown())?),
            "std" => front.std = Some(value.into()),
            "function" => front.function = Some(value.into()),
            "claim" => front.claim = Some(value.into()),
            "globals" | "elements" | "depth" | "null" => {
                set_entry(&mut front.entry, &format!("entry.{name}"), value).map_err(|_| unknown())?;
            }
            _ => return Err(unknown()),
        }
    }
    let recorded = Checks::parse(front.check.as_deref().unwrap_or("assert")).map_err(|e| unreadable(&e))?;
    let contradictions = [
        ("--int", given.int_model.is_some_and(|m| front.int_model != Some(m))),
        ("--signed", given.signed.is_some_and(|s| front.signed != Some(s))),
        ("--32", given.m32 && !front.m32),
        ("--64", given.m64 && !front.m64),
        ("--property or --check", given.checks()?.is_some_and(|c| c != recorded)),
        ("-D", !given.define.is_empty() && given.define != front.define),
        ("-p", given.build.is_some() && !same_words(&given.flags, &front.flags)),
        ("--std", given.std.is_some() && given.std != front.std),
        ("--malloc", given.malloc.is_some_and(|m| front.malloc.unwrap_or(Malloc::Succeed) != m)),
        ("--undefined", given.undefined.is_some_and(|u| front.undefined != Some(u))),
        ("--slice", given.slice.is_some_and(|s| front.slice != Some(s))),
        ("--recursion", given.recursion.is_some() && given.recursion != front.recursion),
        ("--function", given.function.is_some() && given.function != front.function),
        ("--claim", given.claim.is_some() && given.claim != front.claim),
    ];
    if let Some((option, _)) = contradictions.iter().find(|(_, wrong)| *wrong) {
        return Err(Failure::usage(format!(
            "{option} contradicts {file}, which was made with {}",
            options.join(" ")
        )));
    }
    front.confirm = given.confirm;
    if !given.include.is_empty() {
        front.include.clone_from(&given.include);
    }
    Ok(front)
}

/// Are these the flags of one build? The files may have moved.
fn same_words(a: &[FileFlags], b: &[FileFlags]) -> bool {
    a.iter().map(|f| &f.words).eq(b.iter().map(|f| &f.words))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(front: &FrontArgs) -> Vec<String> {
        super::recorded(front, &front.c_options().unwrap())
    }

    fn words(list: &[&str]) -> Vec<String> {
        list.iter().map(|w| w.to_string()).collect()
    }

    #[test]
    fn what_is_recorded_is_adopted() {
        let front = FrontArgs {
            int_model: Some(IntModel::Bv),
            signed: Some(Signed::Wrap),
            m64: true,
            check: Some("overflow,assert,bounds".into()),
            include: vec!["a b".into()],
            define: vec!["X=\"=\"".into(), "Y".into()],
            flags: vec![FileFlags { file: "a b.c".into(), words: vec!["-DS=\"x y\"".into(), "-UN".into()] }],
            std: Some("gnu11".into()),
            function: Some("f".into()),
            entry: Entry { globals: Globals::Zero, elements: 3, depth: 2, null: true },
            claim: Some("assert@a.c:1:2".into()),
            ..FrontArgs::default()
        };
        let options = recorded(&front);
        let again = adopt(&FrontArgs::default(), &options, "f").unwrap();
        assert_eq!(recorded(&again), options);
        assert_eq!(adopt(&front, &options, "f").unwrap().define, front.define);
        let defaults = recorded(&FrontArgs::default());
        let known =
            ["int=c", "signed=undefined", "width=32", "check=assert", "undefined=report", "malloc=succeed"];
        assert_eq!(defaults, known);
    }

    #[test]
    fn contradictions_are_refused() {
        let options = recorded(&FrontArgs { define: vec!["N=3".into()], ..FrontArgs::default() });
        let cases: [(&str, FrontArgs); 8] = [
            ("--malloc", FrontArgs { malloc: Some(Malloc::MayFail), ..FrontArgs::default() }),
            ("--int", FrontArgs { int_model: Some(IntModel::Math), ..FrontArgs::default() }),
            ("--signed", FrontArgs { signed: Some(Signed::Wrap), ..FrontArgs::default() }),
            ("--64", FrontArgs { m64: true, ..FrontArgs::default() }),
            ("--check", FrontArgs { check: Some("overflow".into()), ..FrontArgs::default() }),
            ("-D", FrontArgs { define: vec!["N=4".into()], ..FrontArgs::default() }),
            ("--std", FrontArgs { std: Some("c99".into()), ..FrontArgs::default() }),
            ("--undefined", FrontArgs { undefined: Some(UndefinedChoice::Assume), ..FrontArgs::default() }),
        ];
        for (name, given) in cases {
            let failure = adopt(&given, &options, "f").expect_err(name);
            assert!(failure.message.contains(name) && failure.code == 2, "{}", failure.message);
        }
        let agreeing = FrontArgs { int_model: Some(IntModel::C), m32: true, ..FrontArgs::default() };
        assert!(adopt(&agreeing, &options, "f").is_ok());
        for twice in ["int=c", "signed=wrap", "width=64", "check=assert", "undefined=assume", "std=c99"] {
            let failure = adopt(&FrontArgs::default(), &words(&[twice, twice]), "f").expect_err(twice);
            assert!(failure.message.contains("twice") && failure.code == 3, "{}", failure.message);
        }
        for bad in ["undefined=perhaps", "int", "int=five", "width=16", "check=everything", "colour=red"] {
            assert_eq!(adopt(&FrontArgs::default(), &words(&[bad]), "f").expect_err(bad).code, 3);
        }
    }

    /// A certificate cannot make the compiler start a program or write a file.
    #[test]
    fn flags_of_a_certificate_are_those_of_a_build() {
        let adopted =
            |words: &str| adopt(&FrontArgs::default(), &[format!("flags=a.c {words}")], "x.cert").is_ok();
        assert!(adopted("-DN=3 -UM -I /include -isystem /x -include a.h -nostdinc"));
        let others = ["-wrapper x", "-fplugin=x.so", "-o x", "-B x", "-I", "-D", "b.c", "@x", "-Wp,-MD,x"];
        for words in others {
            assert!(!adopted(words), "{words}");
        }
    }
}
