//! `-p`: how a build compiles the inputs, from its `compile_commands.json` (the JSON compilation database
//! that CMake, Meson and Bear write).
//!
//! Flags that decide what the program means are taken over, in their order, for each file; one that cannot be
//! is refused. Flags for warnings, optimisation and debugging mean nothing here. Response files (`@file`) and
//! words for the preprocessor (`-Wp,`) are read like the command itself. Relative paths are those of the
//! folder where the command runs.
//!
//! Entry point: [`apply`].

use std::path::{Path, PathBuf};

use palisade_front_c::FileFlags;
use serde::Deserialize;

use crate::args::{FrontArgs, Signed};
use crate::failure::Failure;

#[derive(Deserialize)]
struct Entry {
    directory: PathBuf,
    file: PathBuf,
    command: Option<String>,
    arguments: Option<Vec<String>>,
}

/// What a command says about the meaning of its file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Flags {
    /// For the preprocessor.
    words: Vec<String>,
    std: Option<String>,
    m32: bool,
    wrap: bool,
}

impl Flags {
    /// What all files that are verified together must share.
    fn language(&self) -> (&Option<String>, bool, bool) {
        (&self.std, self.m32, self.wrap)
    }
}

/// Adds the flags of the build to those of the command line.
pub fn apply(folder: &Path, inputs: &[PathBuf], front: &mut FrontArgs) -> Result<(), Failure> {
    let path = if folder.is_dir() { folder.join("compile_commands.json") } else { folder.to_path_buf() };
    let text = palisade_verify::read_text(&path)?;
    let unreadable = |e: String| Failure::input(format!("{}: {e}", path.display()));
    let entries: Vec<Entry> = serde_json::from_str(&text).map_err(|e| unreadable(e.to_string()))?;
    let base = path.parent().unwrap_or(Path::new("."));
    let mut found: Vec<(&PathBuf, Flags)> = Vec::new();
    for input in inputs {
        let mut ways: Vec<Flags> = Vec::new();
        for entry in entries.iter().filter(|e| same(&base.join(&e.directory).join(&e.file), input)) {
            let flags = entry.flags(base).map_err(|e| unreadable(format!("{}: {e}", input.display())))?;
            if !ways.contains(&flags) {
                ways.push(flags);
            }
        }
        if ways.len() > 1 {
            eprintln!(
                "palisade: warning: {} compiles {} in {} ways; the first is taken",
                path.display(),
                input.display(),
                ways.len()
            );
        }
        let none = || unreadable(format!("the build does not compile {}", input.display()));
        let flags = ways.into_iter().next().ok_or_else(none)?;
        if let Some((other, _)) = found.iter().find(|(_, f)| f.language() != flags.language()) {
            return Err(Failure::usage(format!(
                "{} and {} are compiled with different -std, -m32 or -fwrapv: verify them one at a time",
                other.display(),
                input.display()
            )));
        }
        found.push((input, flags));
    }
    let Some((_, first)) = found.first() else { return Ok(()) };
    front.std = front.std.take().or(first.std.clone());
    if !front.m32 && !front.m64 {
        (front.m32, front.m64) = (first.m32, !first.m32);
    }
    if first.wrap && front.signed.is_none() {
        front.signed = Some(Signed::Wrap);
    }
    // A name that is defined twice has the later definition: the command line's own come last.
    front.flags = found
        .into_iter()
        .map(|(file, flags)| FileFlags { file: file.clone(), words: flags.words })
        .filter(|f| !f.words.is_empty())
        .collect();
    Ok(())
}

fn same(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

impl Entry {
    fn flags(&self, base: &Path) -> Result<Flags, String> {
        let words = match (&self.arguments, &self.command) {
            (Some(words), _) => words.clone(),
            (None, Some(command)) => shell_words::split(command).map_err(|e| e.to_string())?,
            (None, None) => return Err("the entry has neither `arguments` nor `command`".into()),
        };
        let mut flags = Flags::default();
        let is_wrapper = |w: &String| WRAPPERS.contains(&w.rsplit('/').next().unwrap_or_default());
        let mut words = words.into_iter().skip_while(is_wrapper);
        compiled_by(&words.next().unwrap_or_default(), &mut flags)?;
        read(words.collect(), &base.join(&self.directory), 0, &mut flags)?;
        Ok(flags)
    }
}

/// Programs that start a compiler.
const WRAPPERS: [&str; 5] = ["ccache", "sccache", "distcc", "icecc", "gomacc"];

/// What the name of a compiler says: `i686-linux-gnu-gcc-12` is for another machine than `gcc`.
fn compiled_by(compiler: &str, flags: &mut Flags) -> Result<(), String> {
    let name = compiler.rsplit(['/', '\\']).next().unwrap_or_default();
    if name.contains("++") {
        return Err("it is compiled as C++".into());
    }
    let machine = ["-gcc", "-cc", "-clang"].iter().find_map(|c| name.split_once(c));
    machine.map_or(Ok(()), |(machine, _)| compiled_for(machine, flags))
}

/// The sizes and signs of the machine that a program is compiled for: only Linux on x86 has those we know.
fn compiled_for(machine: &str, flags: &mut Flags) -> Result<(), String> {
    let architecture = machine.split('-').next().unwrap_or_default();
    let is_32 = matches!(architecture, "i386" | "i486" | "i586" | "i686");
    let known = machine.contains("linux") && !machine.ends_with("x32");
    if !known || !is_32 && !matches!(architecture, "x86_64" | "amd64") {
        return Err(format!("it is compiled for `{machine}`"));
    }
    flags.m32 = is_32;
    Ok(())
}

/// Response files may name others, but not for ever.
const NESTED: u32 = 10;

fn read(words: Vec<String>, directory: &Path, depth: u32, flags: &mut Flags) -> Result<(), String> {
    let mut words = words.into_iter();
    while let Some(word) = words.next() {
        if let Some(name) = word.strip_prefix('@') {
            let file = directory.join(name);
            let text = std::fs::read_to_string(&file).map_err(|e| format!("`{word}`: {e}"))?;
            let inner = shell_words::split(&text).map_err(|e| format!("`{word}`: {e}"))?;
            if depth == NESTED {
                return Err(format!("`{word}`: response files are nested too deep"));
            }
            read(inner, directory, depth + 1, flags)?;
            continue;
        }
        if let Some(list) = word.strip_prefix("-Wp,") {
            // There, but not in the command itself, these are followed by a file.
            let mut inner: Vec<String> = list.split(',').map(str::to_string).collect();
            if let Some(i) = inner.iter().position(|w| w == "-MD" || w == "-MMD") {
                inner.drain(i..(i + 2).min(inner.len()));
            }
            read(inner, directory, depth, flags)?;
            continue;
        }
        if REFUSED.iter().any(|f| word.starts_with(f)) {
            return Err(format!("the flag `{word}` is not supported"));
        }
        if let Some(machine) = word.strip_prefix("--target=") {
            compiled_for(machine, flags)?;
            continue;
        }
        if matches!(word.as_str(), "-target" | "--target" | "-arch") {
            let machine = words.next().unwrap_or_default();
            compiled_for(&machine, flags)?;
            continue;
        }
        // Behind the option, or the next word.
        let mut value = |option: &str| -> Option<String> {
            let rest = word.strip_prefix(option)?;
            if rest.is_empty() { words.next() } else { Some(rest.to_string()) }
        };
        if let Some(text) = word.strip_prefix("-std=").or(word.strip_prefix("--std=")) {
            if text.contains("++") {
                return Err("it is compiled as C++".into());
            }
            flags.std = Some(text.to_string());
        } else if word == "-ansi" {
            flags.std = Some("c90".into());
        } else if let Some(language) = value("-x") {
            if !matches!(language.as_str(), "c" | "none" | "c-header") {
                return Err(format!("it is compiled as `{language}`"));
            }
        } else if let Some(option) = FILES.iter().find(|o| word == **o) {
            // Found from the folder of the command, or else like an `#include`.
            let file = words.next().ok_or_else(|| format!("`{option}` without a file"))?;
            let there = directory.join(&file);
            let file = if there.exists() { there.display().to_string() } else { file };
            flags.words.extend([option.to_string(), file]);
        } else if matches!(word.as_str(), "-nostdinc" | "-undef") {
            flags.words.push(word);
        } else if let Some(name) = value("-D") {
            flags.words.push(format!("-D{name}"));
        } else if let Some(name) = value("-U") {
            flags.words.push(format!("-U{name}"));
        } else if let Some((option, dir)) = FOLDERS.iter().find_map(|o| Some((o, value(o)?))) {
            let dir = directory.join(dir.trim_start_matches('=')).display().to_string();
            flags.words.extend([option.to_string(), dir]);
        } else if TAKES_A_WORD.contains(&word.as_str()) {
            words.next();
        } else if matches!(word.as_str(), "-m32" | "-m64") {
            flags.m32 = word == "-m32";
        } else if matches!(word.as_str(), "-fwrapv" | "-fno-strict-overflow") {
            flags.wrap = true;
        } else if matches!(word.as_str(), "-fno-wrapv" | "-fstrict-overflow") {
            flags.wrap = false;
        }
    }
    Ok(())
}

/// Are these words such as are taken from a command? Others, which a file may bring, could make the compiler
/// start programs or write files.
pub(crate) fn are_taken(words: &[String]) -> bool {
    let mut words = words.iter().map(String::as_str);
    while let Some(word) = words.next() {
        let known = match word {
            "-nostdinc" | "-undef" => true,
            _ if FILES.contains(&word) || FOLDERS.contains(&word) => words.next().is_some(),
            _ => word.len() > 2 && (word.starts_with("-D") || word.starts_with("-U")),
        };
        if !known {
            return false;
        }
    }
    true
}

/// Options whose next word is a file that the preprocessor reads first.
const FILES: [&str; 2] = ["-include", "-imacros"];

/// Options with a folder of headers.
const FOLDERS: [&str; 5] = ["-isystem", "-iquote", "-idirafter", "-isysroot", "-I"];

/// Other options with a word of their own.
const TAKES_A_WORD: [&str; 9] =
    ["-o", "-MF", "-MT", "-MQ", "-Xassembler", "-Xlinker", "-T", "-u", "-aux-info"];

/// Flags that change sizes, signs, layouts, characters, floating-point arithmetic or the language, and flags
/// that we cannot follow.
const REFUSED: &[&str] = &[
    "-funsigned-char",
    "-fno-signed-char",
    "-fpack-struct",
    "-fshort-enums",
    "-fshort-wchar",
    "-fexec-charset",
    "-fwide-exec-charset",
    "-finput-charset",
    "-mx32",
    "-m16",
    "-malign-double",
    "-mms-bitfields",
    "-funsigned-bitfields",
    "-fno-signed-bitfields",
    "-mlong-double-",
    "-fsingle-precision-constant",
    "-Ofast",
    "-ffast-math",
    "-funsafe-math-optimizations",
    "-ffinite-math-only",
    "-fassociative-math",
    "-freciprocal-math",
    "-fno-signed-zeros",
    "-mfpmath=387",
    "-mfpmath=both",
    "-mdaz-ftz",
    "-traditional",
    "-fms-extensions",
    "-fplan9-extensions",
    "-fno-asm",
    "-Xpreprocessor",
    "--define-macro",
    "--undefine-macro",
    "--include",
    "--imacros",
    "--ansi",
    "--language",
    "--sysroot",
];

#[cfg(test)]
mod tests {
    use super::*;

    fn flags_in(directory: &Path, command: &str) -> Result<Flags, String> {
        let command = Some(command.to_string());
        let entry = Entry { directory: directory.into(), file: "a.c".into(), command, arguments: None };
        entry.flags(Path::new("/"))
    }

    fn flags(command: &str) -> Result<Flags, String> {
        flags_in(Path::new("/build"), command)
    }

    #[test]
    fn flags_of_meaning_are_taken_over_and_others_are_not() {
        let command =
            "gcc -I../include -isystem /x -DN=3 -UM -D 'S=\"a b\"' -O2 -Wall -std=c99 -c -o a.o a.c";
        let found = flags(command).unwrap();
        let words = ["-I", "/build/../include", "-isystem", "/x", "-DN=3", "-UM", "-DS=\"a b\""];
        assert_eq!(found.words, words);
        assert_eq!((found.std.as_deref(), found.m32, found.wrap), (Some("c99"), false, false));
        let found = flags("cc -m32 -fwrapv -MF a.d -Wp,-MMD,a.d,-DX -xc -include x.h a.c").unwrap();
        assert!(found.m32 && found.wrap);
        assert_eq!(found.words, ["-DX", "-include", "x.h"]);
        for other in ["-m32", "--target=i686-linux-gnu", "-target i386-pc-linux-gnu", "-Xclang -m32"] {
            assert!(flags(&format!("clang {other} a.c")).unwrap().m32, "{other}");
        }
        assert!(flags("/usr/bin/i686-linux-gnu-gcc-12 a.c").unwrap().m32);
        assert!(!flags("x86_64-linux-gnu-gcc -ffp-contract=off a.c").unwrap().m32);
        for refused in [
            "arm-linux-gnueabihf-gcc",
            "ccache /opt/x86_64-w64-mingw32-gcc",
            "x86_64-linux-gnux32-gcc",
            "g++",
            "clang --target=aarch64-linux-gnu",
            "clang -arch arm64",
            "gcc -fsingle-precision-constant",
            "gcc -mlong-double-64",
            "gcc -fexec-charset=IBM1047",
            "gcc --define-macro=NDEBUG",
            "gcc -Ofast",
            "clang -Xclang -fshort-wchar",
        ] {
            assert!(flags(&format!("{refused} a.c")).is_err(), "{refused}");
        }
        for refused in ["-funsigned-char", "-std=c++17", "-x c++", "@nowhere", "-include"] {
            assert!(flags(&format!("cc {refused}")).is_err(), "{refused}");
        }
    }

    #[test]
    fn response_files_are_read() {
        let tmp = tempfile::tempdir().unwrap();
        std::fs::write(tmp.path().join("flags"), "-DA=1\n@more -DC\n").unwrap();
        std::fs::write(tmp.path().join("more"), "'-DB=x y' -I inc").unwrap();
        let found = flags_in(tmp.path(), "cc @flags a.c").unwrap();
        let inc = tmp.path().join("inc").display().to_string();
        assert_eq!(found.words, ["-DA=1", "-DB=x y", "-I", &inc, "-DC"]);
        std::fs::write(tmp.path().join("more"), "@flags").unwrap();
        assert!(flags_in(tmp.path(), "cc @flags a.c").unwrap_err().contains("nested"));
    }
}
