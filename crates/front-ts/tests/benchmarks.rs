//! Files of the shared benchmark collection (`../shared/benchmarks`): all are read, or refused for a stated
//! reason; what we write of them has the same answer. Says so and passes where the collection is absent.

mod common;

use std::path::{Path, PathBuf};

use common::{read, z3};
use palisade_front_ts::{ErrorKind, write};
use palisade_term::TermPool;

/// The collection, or `None` where it is absent.
fn collection() -> Option<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/benchmarks");
    if folder.is_dir() {
        return Some(folder);
    }
    eprintln!("skipped: there is no ../shared/benchmarks");
    None
}

/// Every eighth file.
#[test]
fn a_sample_is_read() {
    let Some(root) = collection() else { return };
    let mut files: Vec<PathBuf> = Vec::new();
    for kind in ["chc", "vmt"] {
        for suite in std::fs::read_dir(root.join(kind)).expect("a folder").flatten() {
            files.extend(std::fs::read_dir(suite.path()).expect("a folder").flatten().map(|e| e.path()));
        }
    }
    files.retain(|f| f.extension().is_some_and(|e| e == "smt2" || e == "vmt"));
    files.sort();
    let mut read_files = 0;
    let sample: Vec<&PathBuf> = files.iter().step_by(8).collect();
    for file in &sample {
        let pool = TermPool::new();
        match read(&pool, file) {
            Ok(_) => {
                read_files += 1;
            }
            Err(e) => {
                assert_eq!(e.kind, ErrorKind::Unsupported, "{e}");
                assert!(e.message.contains("not linear"), "{e}");
            }
        }
    }
    assert!(read_files * 100 >= sample.len() * 90, "{read_files} of {} files read", sample.len());
}

/// Quick ones, of different suites, with both answers.
#[test]
fn written_clauses_have_the_answer_of_the_original() {
    let Some(root) = collection() else { return };
    let quick = [
        ("extra-small-lia/bouncy_one_counter_000.smt2", "sat"),
        ("hopv/lia__fpice__inductive2_000.smt2", "sat"),
        ("llreve-bench/smt2__faulty__barthe!_000.smt2", "unsat"),
        ("rust-horn/bmc-1-test-bmc-1-safe_000.smt2", "sat"),
        ("eldarica-misc/BV__dillig__04.c-bv_000.smt2", "unsat"),
        ("vmt-ctigar/MADWiFi-encode_ie_ok.c_000.smt2", "sat"),
    ];
    for (file, expected) in quick {
        let file = root.join("chc").join(file);
        let pool = TermPool::new();
        let program = read(&pool, &file).unwrap_or_else(|e| panic!("{e}"));
        match z3(&write::horn(&pool, &program), 10) {
            None => {
                eprintln!("skipped: z3 is not installed");
                return;
            }
            Some(answer) if answer == "timeout" => eprintln!("{}: z3 ran out of time", file.display()),
            Some(answer) => assert_eq!(answer, expected, "{}", file.display()),
        }
    }
}
