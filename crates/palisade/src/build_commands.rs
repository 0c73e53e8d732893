//! `-p`: how a build compiles the inputs, from its `compile_commands.json` (the JSON compilation database
//! that CMake, Meson and Bear write).
//!
//! Flags that decide what the program means are taken over, in their order, for each file; so are those that
//! only define macros (`-O2`, `-mavx2`). Flags for warnings, debugging and the linker mean nothing here. One
//! that is not known to be of these kinds is refused; of those that begin with `-f` it is known which change
//! a program, the rest guides the compiler. The checks that `_FORTIFY_SOURCE` adds are left out. Response
//! files (`@file`) and words for the preprocessor (`-Wp,`) are read like the command itself. Relative paths
//! are those of the folder where the command runs.
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
    /// A flag that lets the compiler make one operation of a product and a sum.
    fuses: Option<String>,
    /// It must not.
    separate: bool,
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
    if found.iter().any(|(_, f)| f.words.iter().any(|w| w == "-DNDEBUG" || w == "-DNDEBUG=1")) {
        eprintln!("palisade: note: the build defines NDEBUG: `assert` is not there");
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
        if flags.words.iter().any(|w| w.starts_with("-O") && w != "-O0") {
            // Where code is optimised, the headers of glibc bring definitions of their own for functions that
            // are known here.
            flags.words.extend(["-U_FORTIFY_SOURCE", "-D__NO_INLINE__=1"].map(String::from));
        }
        match &flags.fuses {
            Some(word) if !flags.separate => {
                Err(format!("the flag `{word}` is only supported with `-ffp-contract=off`"))
            }
            _ => Ok(flags),
        }
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
    let plain =
        name.trim_end_matches(".exe").trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-');
    let last = plain.rsplit('-').next().unwrap_or_default();
    if !matches!(last, "gcc" | "cc" | "clang" | "c") {
        return Err(format!("it is compiled by `{name}`, whose C is not known here"));
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
        let refused = || Err(format!("the flag `{word}` is not supported"));
        if REFUSED.iter().any(|f| word.starts_with(f)) || word.starts_with("-Wl,") && gives_symbols(&word) {
            return refused();
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
        } else if let Some(option) = FILES.iter().find(|o| word.starts_with(**o)) {
            // Found from the folder of the command, or else like an `#include`.
            let file = value(option).ok_or_else(|| format!("`{option}` without a file"))?;
            let there = directory.join(&file);
            let file = if there.exists() { there.display().to_string() } else { file };
            flags.words.extend([option.to_string(), file]);
        } else if matches!(word.as_str(), "-nostdinc" | "-undef") {
            flags.words.push(word);
        } else if matches!(word.as_str(), "-m32" | "-m64") {
            flags.m32 = word == "-m32";
        } else if let Some(mode) = word.strip_prefix("-ffp-contract=") {
            flags.separate = mode == "off";
        } else if defines_macros(&word) {
            if may_fuse(&word) {
                flags.fuses = Some(word.clone());
            }
            flags.words.push(word);
        } else if let Some(name) = value("-D") {
            flags.words.push(format!("-D{name}"));
        } else if let Some(name) = value("-U") {
            flags.words.push(format!("-U{name}"));
        } else if let Some((option, dir)) = FOLDERS.iter().find_map(|o| Some((o, value(o)?))) {
            let dir = directory.join(dir.trim_start_matches('=')).display().to_string();
            flags.words.extend([option.to_string(), dir]);
        } else if TAKES_A_WORD.contains(&word.as_str()) {
            if words.next().is_some_and(|given| word == "-Xlinker" && gives_symbols(&given)) {
                return refused();
            }
        } else if matches!(word.as_str(), "-fwrapv" | "-fno-strict-overflow") {
            flags.wrap = true;
        } else if matches!(word.as_str(), "-fno-wrapv" | "-fstrict-overflow") {
            flags.wrap = false;
        } else if word.starts_with('-') && !is_nothing(&word) {
            return refused();
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
            _ if defines_macros(word) => true,
            _ if FILES.contains(&word) || FOLDERS.contains(&word) => words.next().is_some(),
            _ => word.len() > 2 && (word.starts_with("-D") || word.starts_with("-U")),
        };
        if !known {
            return false;
        }
    }
    true
}

/// Does it only define macros, as far as a program can tell? The letters are those of plain options, so that
/// nothing else can hide in it.
fn defines_macros(word: &str) -> bool {
    let plain = |text: &str| text.chars().all(|c| c.is_ascii_alphanumeric() || "-_.=,+".contains(c));
    let list = |text: &str| text.chars().all(|c| c.is_ascii_lowercase() || c == ',' || c == '-');
    match word {
        "-O" | "-O0" | "-O1" | "-O2" | "-O3" | "-O4" | "-Os" | "-Og" | "-Oz" => true,
        "-pthread" | "-trigraphs" | "-fgnu89-inline" | "-fno-gnu89-inline" => true,
        "-ffreestanding" | "-fno-freestanding" | "-fhosted" | "-fno-hosted" => true,
        "-fpic" | "-fPIC" | "-fpie" | "-fPIE" | "-fno-pic" | "-fno-PIC" | "-fno-pie" | "-fno-PIE" => true,
        "-fexceptions" | "-fno-exceptions" | "-finline" | "-fno-inline" => true,
        "-fsignaling-nans" | "-fno-math-errno" | "-fno-trapping-math" | "-frounding-math" => true,
        _ => {
            let rest = |prefix: &str| word.strip_prefix(prefix);
            rest("-fstack-protector").is_some_and(list)
                || rest("-fno-stack-protector").is_some_and(list)
                || rest("-fcf-protection").is_some_and(|r| plain(r) && !r.contains(','))
                || rest("-fsanitize=").is_some_and(list)
                || rest("-fno-sanitize=").is_some_and(list)
                || rest("-m").is_some_and(|r| !r.is_empty() && plain(r))
        }
    }
}

/// Does the linker give a name to another object or function?
fn gives_symbols(word: &str) -> bool {
    word.contains("-wrap") || word.contains("-defsym")
}

/// Does the processor have one operation for a product and a sum? gcc uses it unless it is told not to.
fn may_fuse(word: &str) -> bool {
    let old = ["x86-64", "i386", "i486", "i586", "i686", "pentium", "nocona", "core2", "nehalem", "k8"];
    match word.strip_prefix("-march=") {
        Some(machine) => !old.iter().any(|m| machine == *m || machine.starts_with("pentium")),
        None => word.starts_with("-mfma") || word.starts_with("-mavx512"),
    }
}

/// Does it mean nothing for the meaning of a program: warnings, debugging, dependencies, the linker, what
/// guides optimisation?
fn is_nothing(word: &str) -> bool {
    let exact = [
        "-c",
        "-S",
        "-E",
        "-w",
        "-v",
        "-p",
        "-pg",
        "-s",
        "-C",
        "-CC",
        "-P",
        "-H",
        "-",
        "-Xclang",
        "-Qunused-arguments",
    ];
    let others = [
        "-pipe",
        "-static",
        "-shared",
        "-rdynamic",
        "-no-pie",
        "-pie",
        "-pedantic",
        "-nostdlib",
        "-nodefaultlibs",
    ];
    let long = ["--param", "--warn", "--debug", "--verbose", "--serialize-diagnostics", "--coverage"];
    let begins =
        ["-W", "-g", "-M", "-L", "-l", "-B", "-f", "-d", "-nostart", "-save-temps", "-pedantic", "-print"];
    exact.contains(&word)
        || others.contains(&word)
        || long.iter().any(|p| word.starts_with(p))
        || begins.iter().any(|p| word.starts_with(p))
}

/// Options whose next word is a file that the preprocessor reads first.
const FILES: [&str; 2] = ["-include", "-imacros"];

/// Options with a folder of headers.
const FOLDERS: [&str; 5] = ["-isystem", "-iquote", "-idirafter", "-isysroot", "-I"];

/// Other options with a word of their own.
const TAKES_A_WORD: [&str; 14] = [
    "-o",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-Xassembler",
    "-Xlinker",
    "-T",
    "-u",
    "-z",
    "-L",
    "-l",
    "--param",
    "-aux-info",
];

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
    "-fopenmp",
    "-fopenacc",
    "-fgnu-tm",
    "-fsso-struct",
    "-finstrument-functions",
    "-fleading-underscore",
    "-fpreprocessed",
    "-fdirectives-only",
    "-fexcess-precision=16",
    "-fcx-",
    "-fblocks",
    "-fplugin",
    "-include-pch",
    "-mabi=",
    "-m96bit-long-double",
    "-msoft-float",
    "-mno-80387",
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
    "-ffp-model=",
    "-ffp-eval-method=",
    "-fdenormal-fp-math",
    "-fapprox-func",
    "-fno-honor-",
    "-fmerge-all-constants",
    "-fwritable-strings",
    "-fpascal-strings",
    "-fwchar-type",
    "-fno-signed-wchar",
    "-fmax-type-align",
    "-fxl-pragma-pack",
    "-fms-compatibility",
    "-fborland-extensions",
    "-fobjc",
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
        let words = ["-I", "/build/../include", "-isystem", "/x", "-DN=3", "-UM", "-DS=\"a b\"", "-O2"];
        let headers = ["-U_FORTIFY_SOURCE", "-D__NO_INLINE__=1"];
        assert_eq!(found.words, [&words[..], &headers].concat());
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
            "sdcc",
            "/opt/arm/armcc",
            "iccarm",
            "cl.exe",
            "tcc",
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
            "gcc -fopenmp",
            "gcc -march=haswell",
            "gcc -mfma",
            "gcc --bogus",
            "gcc -qbogus",
            "gcc -finstrument-functions",
            "clang -Xclang -fshort-wchar",
        ] {
            assert!(flags(&format!("{refused} a.c")).is_err(), "{refused}");
        }
        let many =
            flags("gcc -includem.h -imacros m.h -trigraphs -Os -ffreestanding -mavx2 -pthread a.c").unwrap();
        let words = [
            "-include",
            "m.h",
            "-imacros",
            "m.h",
            "-trigraphs",
            "-Os",
            "-ffreestanding",
            "-mavx2",
            "-pthread",
        ];
        assert_eq!(many.words, [&words[..], &headers].concat());
        assert!(are_taken(&many.words));
        for taken in [
            "-march=haswell -ffp-contract=off",
            "-fsanitize=address,undefined",
            "-march=x86-64 -g3 -fno-common",
        ] {
            assert!(
                are_taken(&flags(&format!("gcc {taken} -Wall -MD -MF x.d -c a.c")).unwrap().words),
                "{taken}"
            );
        }
        for never in ["-wrapper", "-fplugin=x", "-mx;y", "-fsanitize=/x", "-save-temps"] {
            assert!(!are_taken(&[never.to_string()]), "{never}");
        }
        for refused in ["-ffp-model=fast", "-fmerge-all-constants", "-Wl,-O1,--wrap=f", "-Xlinker --wrap=f"] {
            assert!(flags(&format!("cc {refused}")).is_err(), "{refused}");
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
