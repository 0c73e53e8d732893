//! `-p`: how a build compiles the inputs, from its `compile_commands.json` (the JSON compilation database
//! that CMake, Meson and Bear write).
//!
//! Flags that decide what the program means are taken over; one that cannot be is refused. Flags for
//! warnings, optimisation and debugging mean nothing here.
//!
//! Entry point: [`apply`].

use std::path::{Path, PathBuf};

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
    include: Vec<PathBuf>,
    define: Vec<String>,
    std: Option<String>,
    m32: bool,
    wrap: bool,
}

/// Adds the flags of the build to those of the command line.
pub fn apply(folder: &Path, inputs: &[PathBuf], front: &mut FrontArgs) -> Result<(), Failure> {
    let path = if folder.is_dir() { folder.join("compile_commands.json") } else { folder.to_path_buf() };
    let text = palisade_verify::read_text(&path)?;
    let unreadable = |e: String| Failure::input(format!("{}: {e}", path.display()));
    let entries: Vec<Entry> = serde_json::from_str(&text).map_err(|e| unreadable(e.to_string()))?;
    let base = path.parent().unwrap_or(Path::new("."));
    let mut found: Option<(&PathBuf, Flags)> = None;
    for input in inputs {
        let entry = entries.iter().find(|e| same(&base.join(&e.directory).join(&e.file), input));
        let entry =
            entry.ok_or_else(|| unreadable(format!("the build does not compile {}", input.display())))?;
        let words = match (&entry.arguments, &entry.command) {
            (Some(words), _) => words.clone(),
            (None, Some(command)) => shell_words::split(command).map_err(|e| unreadable(e.to_string()))?,
            (None, None) => return Err(unreadable(format!("no command for {}", input.display()))),
        };
        let flags = read(&words, &base.join(&entry.directory)).map_err(unreadable)?;
        match &found {
            Some((other, known)) if *known != flags => {
                return Err(Failure::usage(format!(
                    "{} and {} are compiled with different flags: verify them one at a time",
                    other.display(),
                    input.display()
                )));
            }
            _ => found = Some((input, flags)),
        }
    }
    let Some((_, flags)) = found else { return Ok(()) };
    // A name that is defined twice has the later definition: the command line's own come last.
    front.define.splice(0..0, flags.define);
    front.include.extend(flags.include);
    front.std = front.std.take().or(flags.std);
    if !front.m32 && !front.m64 {
        (front.m32, front.m64) = (flags.m32, !flags.m32);
    }
    if flags.wrap && front.signed.is_none() {
        front.signed = Some(Signed::Wrap);
    }
    Ok(())
}

fn same(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

fn read(words: &[String], directory: &Path) -> Result<Flags, String> {
    let mut flags = Flags::default();
    let mut words = words.iter().skip(1).map(String::as_str);
    while let Some(word) = words.next() {
        let mut value = |prefix: &str| -> Option<String> {
            let rest = word.strip_prefix(prefix)?;
            if rest.is_empty() { words.next().map(str::to_string) } else { Some(rest.to_string()) }
        };
        if let Some(text) = word.strip_prefix("-std=") {
            flags.std = Some(text.to_string());
        } else if ["-include", "-imacros", "-nostdinc", "-undef"].contains(&word)
            || word.starts_with("-U")
            || word.starts_with('@')
            || REFUSED.iter().any(|f| word.starts_with(f))
        {
            return Err(format!("the flag `{word}` is not supported"));
        } else if let Some(name) = value("-D") {
            flags.define.push(name);
        } else if let Some(dir) = ["-I", "-isystem", "-iquote", "-idirafter"].iter().find_map(|p| value(p)) {
            flags.include.push(directory.join(dir));
        } else if matches!(word, "-o" | "-MF" | "-MT" | "-MQ" | "-x" | "-arch" | "-target") {
            words.next();
        } else if word == "-m32" {
            flags.m32 = true;
        } else if word == "-fwrapv" {
            flags.wrap = true;
        }
    }
    Ok(flags)
}

/// Flags that change sizes, signs or layouts.
const REFUSED: [&str; 5] = ["-funsigned-char", "-fpack-struct", "-fshort-enums", "-mx32", "-fshort-wchar"];

#[cfg(test)]
mod tests {
    use super::*;

    fn flags(command: &str) -> Result<Flags, String> {
        read(&shell_words::split(command).unwrap(), Path::new("/build"))
    }

    #[test]
    fn flags_of_meaning_are_taken_over_and_others_are_not() {
        let found =
            flags("gcc -I../include -isystem /x -DN=3 -D 'S=\"a b\"' -O2 -Wall -std=c99 -c -o a.o a.c")
                .unwrap();
        assert_eq!(found.include, [PathBuf::from("/build/../include"), "/x".into()]);
        assert_eq!(found.define, ["N=3", "S=\"a b\""]);
        assert_eq!((found.std.as_deref(), found.m32, found.wrap), (Some("c99"), false, false));
        let found = flags("cc -m32 -fwrapv -MF a.d a.c").unwrap();
        assert!(found.m32 && found.wrap && found.define.is_empty());
        for refused in ["-include x.h", "-UNDEBUG", "-funsigned-char", "@flags"] {
            assert!(flags(&format!("cc {refused} a.c")).is_err(), "{refused}");
        }
    }
}
