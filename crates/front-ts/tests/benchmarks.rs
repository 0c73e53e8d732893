//! Files of the shared benchmark collection (`../shared/benchmarks`): all are read, or refused for a stated
//! reason; what we write of them has the same answer. Says so and passes where the collection is absent.

mod common;

use std::path::{Path, PathBuf};

use common::{read, z3};
use palisade_front_ts::{ErrorKind, read_btor2, write};
use palisade_fuzzing::Random;
use palisade_term::eval::Evaluator;
use palisade_term::{Assignment, Integer, Sort, TermPool, Value};

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

/// A random value; arrays have a few elements.
fn random_value(random: &mut Random, sort: &Sort) -> Value {
    match (sort, sort.array_parts()) {
        (Sort::Bool, _) => Value::Bool(random.below(2) == 1),
        (Sort::BitVec(w), _) => {
            let mut n = Integer::from(0);
            for i in 0..*w {
                n.set_bit(u64::from(i), random.below(2) == 1);
            }
            Value::BitVec(*w, n)
        }
        (_, Some((index, element))) => {
            let mut value = Value::default_of(sort);
            for _ in 0..4 {
                let (i, e) = (random_value(random, index), random_value(random, element));
                let Value::Array(array) = &mut value else { unreachable!("an array") };
                array.set(i, e);
            }
            value
        }
        _ => unreachable!("no other sorts in BTOR2"),
    }
}

/// Every second file of BTOR2, written and read again: guards and updates have the same values in random
/// states.
#[test]
fn btor2_is_written_again() {
    let Some(root) = collection() else { return };
    let files = std::fs::read_dir(root.join("btor2")).expect("a folder").flatten().map(|e| e.path());
    let mut files: Vec<PathBuf> = files.filter(|f| f.extension().is_some_and(|e| e == "btor2")).collect();
    files.sort();
    let mut written = 0;
    let mut random = Random::new(1);
    for file in files.iter().step_by(2) {
        let name = file.display();
        let pool = TermPool::new();
        let Ok(program) = read(&pool, file) else { continue };
        let text = write::btor2(&pool, &program).unwrap_or_else(|e| panic!("{name}: {e}"));
        let again = read_btor2(&pool, "again", &text).unwrap_or_else(|e| panic!("{name}: {e}")).program;
        assert_eq!(again.edges.len(), program.edges.len(), "{name}");
        for (e, f) in again.edges.iter().zip(&program.edges).take(20) {
            assert_eq!(e.inputs.len(), f.inputs.len(), "{name}");
            assert_eq!(again.vars(e.source), program.vars(f.source), "{name}");
            for _ in 0..3 {
                let mut values = Assignment::new();
                for &v in program.vars(f.source) {
                    values.set(v, random_value(&mut random, pool.sort(v)));
                }
                // The variables of choices are new ones.
                for (&i, &j) in e.inputs.iter().zip(&f.inputs) {
                    let value = random_value(&mut random, pool.sort(i));
                    values.set(i, value.clone());
                    values.set(j, value);
                }
                let mut values = Evaluator::new(&pool, &values);
                assert_eq!(values.eval(e.guard), values.eval(f.guard), "{name}");
                for (&u, &v) in e.update.iter().zip(&f.update) {
                    assert_eq!(values.eval(u), values.eval(v), "{name}");
                }
            }
        }
        written += 1;
    }
    assert!(written > 50, "{written} files");
}
