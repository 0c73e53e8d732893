//! Programs whose meaning gcc knows, one test for each file: those of `data/exact` mean the same to the
//! front-end, those of `data/refused` are refused.
//!
//! In `data/exact` every `CHECK` holds. The compiled program must agree, for both data models where the
//! machine can run both. Some of the checks, turned into their contrary, must then fail in both. A first line
//! `// std=gnu2x` names the standard. A file of `data/refused` reaches its error when it is compiled (or
//! needs something that only a linker has), so a translation that drops the construct would give a verdict;
//! it must be an error with a position, or a run to an unsupported construct.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::execute::{End, execute, execute_filled};
use palisade_front_c::{COptions, Confirmation, DataModel, Input, IntMode, translate};
use palisade_term::TermPool;

const PRELUDE: &str = "extern void reach_error(void);\nextern int __VERIFIER_nondet_end(void);\n\
    #define CHECK(c) if (!(c)) reach_error();\n#define REFUTE(c) if (c) reach_error();\n";

/// What the compiled program is linked with.
const ERROR: &str = "void _exit(int); void reach_error(void) { _exit(1); }\n\
    int __VERIFIER_nondet_end(void) { return 0; }\n";

/// A temporary folder with the file behind the prelude.
fn prepared(file: &Path) -> (PathBuf, PathBuf) {
    let stem = file.file_stem().expect("a name").to_string_lossy().into_owned();
    let folder = file.parent().and_then(Path::file_name).expect("a folder").to_string_lossy().into_owned();
    let dir = std::env::temp_dir().join(format!("palisade-known-{}-{folder}-{stem}", std::process::id()));
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

/// The standard that the first line of a file names.
fn standard(file: &Path) -> Option<String> {
    let text = String::from_utf8_lossy(&std::fs::read(file).expect("a file")).into_owned();
    text.lines().next()?.strip_prefix("// std=").map(str::to_string)
}

/// At most this many checks of a file are turned into their contrary.
const REFUTED: usize = 6;

/// How the programs of a folder are compiled and read.
struct Reading {
    /// Options for gcc.
    flags: &'static [&'static str],
    modes: &'static [IntMode],
}

/// Compiles a file with what it is linked with; false if that does not work.
fn compiled(reading: &Reading, std: Option<&String>, flag: &str, file: &Path, binary: &Path) -> bool {
    let mut gcc = Command::new("gcc");
    gcc.args(std.iter().map(|s| format!("-std={s}"))).args(reading.flags).args(["-w", flag, "-o"]);
    let error = file.with_file_name("error.c");
    std::fs::write(&error, ERROR).expect("writing");
    gcc.args([binary, file, &error]).arg("-lm").status().expect("gcc runs").success()
}

/// Turns some checks into their contrary: the compiled program and the translation must both fail.
fn contraries_fail(file: &Path, copy: &Path, reading: &Reading) {
    let text = String::from_utf8_lossy(&std::fs::read(copy).expect("a file")).into_owned();
    let std = standard(file);
    let begin = text.find("#line 1").expect("the prelude");
    let checks: Vec<usize> = text.match_indices("CHECK(").map(|(i, _)| i).filter(|i| *i > begin).collect();
    let step = checks.len().div_ceil(REFUTED).max(1);
    for &at in checks.iter().step_by(step) {
        let contrary = format!("{}REFUTE({}", &text[..at], &text[at + "CHECK(".len()..]);
        let (other, binary) = (copy.with_file_name("contrary.c"), copy.with_file_name("contrary"));
        std::fs::write(&other, contrary).expect("writing");
        assert!(compiled(reading, std.as_ref(), "-m64", &other, &binary));
        let fails = Command::new(&binary).status().expect("it runs").code() == Some(1);
        for &int_mode in reading.modes {
            let pool = TermPool::new();
            let (data_model, std) = (DataModel::Lp64, std.clone());
            let options = COptions { int_mode, data_model, std, ..COptions::default() };
            let c = translate(&pool, &[Input::Path(other.clone())], &options)
                .unwrap_or_else(|e| panic!("refused: {}", e.render(false)));
            let (end, _) = execute_filled(&pool, &c, 1);
            let ours = matches!(&end, End::Error(p) if p.unsupported().is_none());
            assert_eq!(ours, fails, "{}, {int_mode:?}, the contrary at byte {at}: {end:?}", file.display());
        }
    }
}

fn agrees(file: &Path, reading: &Reading) {
    let (dir, copy) = prepared(file);
    let std = standard(file);
    for (data_model, flag) in models() {
        let binary = dir.join("program");
        if compiled(reading, std.as_ref(), flag, &copy, &binary) {
            let code = Command::new(&binary).status().expect("it runs").code();
            assert_eq!(code, Some(0), "{}: gcc {flag} disagrees", file.display());
        } else {
            assert_eq!(flag, "-m32", "{} does not compile", file.display());
            eprintln!("skipped: there are no 32-bit libraries");
        }
        for &int_mode in reading.modes {
            let pool = TermPool::new();
            let options = COptions { int_mode, data_model, std: std.clone(), ..COptions::default() };
            let c = translate(&pool, &[Input::Path(copy.clone())], &options)
                .unwrap_or_else(|e| panic!("refused: {}", e.render(false)));
            let confirmed =
                matches!(c.confirmation, Confirmation::Confirmed { .. } | Confirmation::NoCompiler);
            assert!(confirmed, "{} {flag}: {}", file.display(), c.confirmation);
            // What C leaves open is 1: the nonzero value of `isdigit`, what `rand` returns.
            let (end, asked) = execute_filled(&pool, &c, 1);
            assert_eq!(end, End::Exit, "{} {int_mode:?} {flag}", file.display());
            assert_eq!(asked.get("__VERIFIER_nondet_end"), Some(&1), "{} {flag} ends early", file.display());
        }
    }
    contraries_fail(file, &copy, reading);
    let _ = std::fs::remove_dir_all(&dir);
}

fn means_what_the_compiler_says(file: &Path) -> datatest_stable::Result<()> {
    agrees(file, &Reading { flags: &[], modes: &[IntMode::C, IntMode::Bv] });
    Ok(())
}

/// Only words can express floating point. Each operation has the precision of its type.
fn floats_mean_what_the_compiler_says(file: &Path) -> datatest_stable::Result<()> {
    let flags = &["-msse2", "-mfpmath=sse", "-ffp-contract=off", "-frounding-math"];
    agrees(file, &Reading { flags, modes: &[IntMode::Bv] });
    Ok(())
}

fn is_refused(file: &Path) -> datatest_stable::Result<()> {
    refuses(file, COptions::default().int_mode);
    Ok(())
}

fn float_is_refused(file: &Path) -> datatest_stable::Result<()> {
    refuses(file, IntMode::Bv);
    Ok(())
}

fn refuses(file: &Path, int_mode: IntMode) {
    let (dir, copy) = prepared(file);
    for (data_model, flag) in models() {
        let pool = TermPool::new();
        let options = COptions { data_model, int_mode, ..COptions::default() };
        match translate(&pool, &[Input::Path(copy.clone())], &options) {
            Err(e) => assert!(e.0[0].position.is_some(), "{}: {e}", file.display()),
            Ok(c) => {
                let differs = matches!(c.confirmation, Confirmation::Different(..));
                assert!(!differs, "{} {flag}: {}", file.display(), c.confirmation);
                match execute(&pool, &c, |_, _| 0).0 {
                    End::Error(p) => assert!(p.unsupported().is_some(), "{} {flag}: {p}", file.display()),
                    other => panic!("{} {flag}: {other:?}", file.display()),
                }
            }
        }
    }
    let _ = std::fs::remove_dir_all(&dir);
}

datatest_stable::harness! {
    { test = means_what_the_compiler_says, root = "tests/data/exact", pattern = r"\.c$" },
    { test = floats_mean_what_the_compiler_says, root = "tests/data/floats", pattern = r"\.c$" },
    { test = is_refused, root = "tests/data/refused", pattern = r"\.c$" },
    { test = float_is_refused, root = "tests/data/floats-refused", pattern = r"\.c$" },
}
