//! Programs whose meaning gcc knows, as files: those of `data/exact` mean the same to the front-end, those of `data/refused` are refused.
//!
//! In `data/exact` every `CHECK` holds. The compiled program must agree, for both data models where the machine can run both. A file of
//! `data/refused` reaches its error when it is compiled (or needs something that only a linker has), so a translation that drops the
//! construct would give a verdict; it must be an error with a position, or a run to an unsupported construct.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::execute::{End, execute, execute_filled};
use palisade_front_c::known::{self, Status};
use palisade_front_c::{COptions, Confirmation, DataModel, Input, IntMode, translate};
use palisade_term::TermPool;

const PRELUDE: &str = "extern void reach_error(void);\nextern int __VERIFIER_nondet_end(void);\n#define CHECK(c) if (!(c)) reach_error();\n";

fn files(folder: &str) -> Vec<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(folder);
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(dir).expect("a folder").map(|f| f.expect("a file").path()).collect();
    files.sort();
    assert!(files.len() > 3);
    files
}

/// A temporary folder with the file behind the prelude.
fn prepared(file: &Path) -> (PathBuf, PathBuf) {
    let stem = file.file_stem().expect("a name").to_string_lossy().into_owned();
    let dir = std::env::temp_dir().join(format!("palisade-known-{}-{stem}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a temporary directory");
    let text = std::fs::read(file).expect("a file");
    let copy = dir.join(format!("{stem}.c"));
    let text = [PRELUDE.as_bytes(), b"#line 1\n", &text].concat();
    std::fs::write(&copy, text).expect("writing");
    (dir, copy)
}

fn models() -> [(DataModel, &'static str); 2] {
    [(DataModel::Ilp32, "-m32"), (DataModel::Lp64, "-m64")]
}

#[test]
fn exact_programs_mean_what_the_compiler_says() {
    for file in files("exact") {
        let (dir, copy) = prepared(&file);
        let error = dir.join("error.c");
        std::fs::write(&error, "void _exit(int); void reach_error(void) { _exit(1); } int __VERIFIER_nondet_end(void) { return 0; }").expect("writing");
        for (data_model, flag) in models() {
            let binary = dir.join("program");
            let compiled =
                Command::new("gcc").args(["-w", flag, "-o"]).args([&binary, &copy, &error]).status();
            if compiled.expect("gcc runs").success() {
                let code = Command::new(&binary).status().expect("it runs").code();
                assert_eq!(code, Some(0), "{}: gcc {flag} disagrees", file.display());
            } else {
                assert_eq!(flag, "-m32", "{} does not compile", file.display());
                eprintln!("skipped: there are no 32-bit libraries");
            }
            for int_mode in [IntMode::C, IntMode::Bv] {
                let pool = TermPool::new();
                let options = COptions { int_mode, data_model, ..COptions::default() };
                let c = translate(&pool, &[Input::Path(copy.clone())], &options)
                    .unwrap_or_else(|e| panic!("refused: {}", e.render(false)));
                let confirmed =
                    matches!(c.confirmation, Confirmation::Confirmed { .. } | Confirmation::NoCompiler);
                assert!(confirmed, "{} {flag}: {}", file.display(), c.confirmation);
                // What C leaves open is 1: the nonzero value of `isdigit`, what `rand` returns.
                let (end, asked) = execute_filled(&pool, &c, 1);
                assert_eq!(end, End::Exit, "{} {int_mode:?} {flag}", file.display());
                assert_eq!(
                    asked.get("__VERIFIER_nondet_end"),
                    Some(&1),
                    "{} {flag} ends early",
                    file.display()
                );
            }
        }
        let _ = std::fs::remove_dir_all(&dir);
    }
}

#[test]
fn what_is_not_known_is_refused() {
    for file in files("refused") {
        let (dir, copy) = prepared(&file);
        for (data_model, flag) in models() {
            let pool = TermPool::new();
            let options = COptions { data_model, ..COptions::default() };
            match translate(&pool, &[Input::Path(copy.clone())], &options) {
                Err(e) => assert!(e.0[0].position.is_some(), "{}: {e}", file.display()),
                Ok(c) => match execute(&pool, &c, |_, _| 0).0 {
                    End::Error(p) => assert!(p.unsupported().is_some(), "{} {flag}: {p}", file.display()),
                    other => panic!("{} {flag}: {other:?}", file.display()),
                },
            }
        }
        let _ = std::fs::remove_dir_all(&dir);
    }
}

/// The names of a list in `tests/data`; `#` begins a comment.
fn listed(text: &str) -> Vec<&str> {
    text.lines().flat_map(|l| l.split('#').next().unwrap_or_default().split_whitespace()).collect()
}

#[test]
fn every_name_of_the_tables_is_there_once() {
    let mut names = known::names();
    names.sort_unstable();
    let twice = names.windows(2).find(|w| w[0] == w[1]);
    assert_eq!(twice, None);
}

/// An attribute of gcc's manual has exactly one status, and the translation keeps to it.
#[test]
fn every_attribute_of_the_manual_is_known_or_refused() {
    let names = listed(include_str!("data/gcc-attributes.txt"));
    assert!(names.len() > 150, "{}", names.len());
    for name in names {
        let pool = TermPool::new();
        let text = format!("struct s {{ int x; }} __attribute__(({name})); int main(void) {{ return 0; }}");
        let result = translate(&pool, &[Input::Text("t.i".into(), text)], &COptions::default());
        match (known::attribute(name), result) {
            (Status::Harmless(reason), Ok(_)) => assert!(!reason.is_empty()),
            (Status::Refused(_), Err(e)) => assert!(e.0[0].position.is_some(), "{name}: {e}"),
            (Status::Handled, _) => {}
            (status, Ok(_)) => panic!("{name} is {status:?}, but the program is translated"),
            (status, Err(e)) => panic!("{name} is {status:?}, but the program is refused: {e}"),
        }
    }
}

/// A builtin of gcc's manual has exactly one status, and the run that calls it keeps to it.
#[test]
fn every_builtin_of_the_manual_is_known_or_refused() {
    let names = listed(include_str!("data/gcc-builtins.txt"));
    assert!(names.len() > 200, "{}", names.len());
    for name in names {
        let pool = TermPool::new();
        let text = format!("int main(void) {{ {name}(); return 0; }}");
        let result = translate(&pool, &[Input::Text("t.i".into(), text)], &COptions::default());
        let end = result.map(|c| execute(&pool, &c, |_, _| 0).0);
        let refused = match &end {
            Err(e) => e.0[0].position.is_some(),
            Ok(End::Error(p)) => p.unsupported().is_some(),
            Ok(_) => false,
        };
        match known::builtin(name) {
            Status::Harmless(_) => assert!(matches!(end, Ok(End::Exit)), "{name}: {end:?}"),
            Status::Refused(_) => assert!(refused, "{name}: {end:?}"),
            // Handled, but not without arguments, or it ends the program.
            Status::Handled => assert!(refused || matches!(end, Ok(End::Exit)), "{name}: {end:?}"),
        }
    }
}

/// Library functions by name: what is refused is refused also where the program declares it itself.
#[test]
fn library_functions_are_known_by_name() {
    for (_, name) in known::names().into_iter().filter(|(kind, _)| *kind == "function") {
        let Some(Status::Refused(_)) = known::function(name) else { continue };
        let pool = TermPool::new();
        let text = format!("int {name}(); int main(void) {{ {name}(); return 0; }}");
        let c =
            translate(&pool, &[Input::Text("t.i".into(), text)], &COptions::default()).expect("translated");
        let End::Error(p) = execute(&pool, &c, |_, _| 0).0 else { panic!("{name} is not refused") };
        assert!(p.unsupported().is_some(), "{name}: {p}");
    }
}
