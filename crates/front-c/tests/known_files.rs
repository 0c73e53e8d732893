//! Programs whose meaning gcc knows, one test for each file: those of `data/exact` mean the same to the
//! front-end, those of `data/refused` are refused.
//!
//! In `data/exact` every `CHECK` holds. The compiled program must agree, for both data models where the
//! machine can run both. A file of `data/refused` reaches its error when it is compiled (or needs something
//! that only a linker has), so a translation that drops the construct would give a verdict; it must be an
//! error with a position, or a run to an unsupported construct.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::execute::{End, execute, execute_filled};
use palisade_front_c::{COptions, Confirmation, DataModel, Input, IntMode, translate};
use palisade_term::TermPool;

const PRELUDE: &str = "extern void reach_error(void);\nextern int __VERIFIER_nondet_end(void);\n\
    #define CHECK(c) if (!(c)) reach_error();\n";

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

fn means_what_the_compiler_says(file: &Path) -> datatest_stable::Result<()> {
    let (dir, copy) = prepared(file);
    let error = dir.join("error.c");
    std::fs::write(&error, ERROR).expect("writing");
    for (data_model, flag) in models() {
        let binary = dir.join("program");
        let compiled = Command::new("gcc").args(["-w", flag, "-o"]).args([&binary, &copy, &error]).status();
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
            assert_eq!(asked.get("__VERIFIER_nondet_end"), Some(&1), "{} {flag} ends early", file.display());
        }
    }
    let _ = std::fs::remove_dir_all(&dir);
    Ok(())
}

/// The same for programs with floating point, which only words can express. Each operation has the precision
/// of its type.
fn floats_mean_what_the_compiler_says(file: &Path) -> datatest_stable::Result<()> {
    let (dir, copy) = prepared(file);
    let error = dir.join("error.c");
    std::fs::write(&error, ERROR).expect("writing");
    for (data_model, flag) in models() {
        let binary = dir.join("program");
        let precise = ["-msse2", "-mfpmath=sse", "-ffp-contract=off", "-w", flag, "-o"];
        let mut gcc = Command::new("gcc");
        let compiled = gcc.args(precise).args([&binary, &copy, &error]).arg("-lm").status();
        if compiled.expect("gcc runs").success() {
            let code = Command::new(&binary).status().expect("it runs").code();
            assert_eq!(code, Some(0), "{}: gcc {flag} disagrees", file.display());
        } else {
            assert_eq!(flag, "-m32", "{} does not compile", file.display());
            eprintln!("skipped: there are no 32-bit libraries");
        }
        let pool = TermPool::new();
        let options = COptions { int_mode: IntMode::Bv, data_model, ..COptions::default() };
        let c = translate(&pool, &[Input::Path(copy.clone())], &options)
            .unwrap_or_else(|e| panic!("refused: {}", e.render(false)));
        let confirmed = matches!(c.confirmation, Confirmation::Confirmed { .. } | Confirmation::NoCompiler);
        assert!(confirmed, "{} {flag}: {}", file.display(), c.confirmation);
        let (end, asked) = execute_filled(&pool, &c, 1);
        assert_eq!(end, End::Exit, "{} {flag}", file.display());
        assert_eq!(asked.get("__VERIFIER_nondet_end"), Some(&1), "{} {flag} ends early", file.display());
    }
    let _ = std::fs::remove_dir_all(&dir);
    Ok(())
}

fn is_refused(file: &Path) -> datatest_stable::Result<()> {
    let (dir, copy) = prepared(file);
    for (data_model, flag) in models() {
        let pool = TermPool::new();
        let options = COptions { data_model, ..COptions::default() };
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
    Ok(())
}

datatest_stable::harness! {
    { test = means_what_the_compiler_says, root = "tests/data/exact", pattern = r"\.c$" },
    { test = floats_mean_what_the_compiler_says, root = "tests/data/floats", pattern = r"\.c$" },
    { test = is_refused, root = "tests/data/refused", pattern = r"\.c$" },
}
