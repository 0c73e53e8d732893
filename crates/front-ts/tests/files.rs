//! Every file under `tests/data` is a test of its own: what it is read as, what a solver says about what we
//! write of it, and where errors point.
//!
//! - `horn`, `vmt`, `btor2`: inputs. The line `; answer: ` says whether they are safe (`sat`) or not
//!   (`unsat`), the file `INPUT.cfa` how they are read. `BLESS=1 cargo test -p palisade-front-ts --test
//!   files` writes the `.cfa` files anew.
//! - `bad`: inputs that are refused. The line `; error: ` gives place and message.

mod common;

use std::path::{Path, PathBuf};

use common::{answers, header, read, stated_answer, z3};
use palisade_front_ts::{read_btor2, read_horn, read_vmt, write};
use palisade_fuzzing::golden;
use palisade_term::TermPool;
use palisade_transform::{PcEncoding, single_loop};

fn is_read_as_expected(file: &Path) -> datatest_stable::Result<()> {
    let pool = TermPool::new();
    let program = read(&pool, file)?;
    golden(&PathBuf::from(format!("{}.cfa", file.display())), &write::cfa(&pool, &program));
    assert!(write::dot(&pool, &program).starts_with("digraph"));
    Ok(())
}

fn written_horn_has_the_same_answer(file: &Path) -> datatest_stable::Result<()> {
    let pool = TermPool::new();
    let program = read(&pool, file)?;
    let script = write::horn(&pool, &program);
    answers(file, &script, &stated_answer(file));
    // What we write, we read, and write the same again.
    let pool = TermPool::new();
    let again = read_horn(&pool, "again", &script).unwrap_or_else(|e| panic!("{e}\n{script}")).program;
    assert_eq!(again.edges.len(), program.edges.len(), "{script}");
    answers(file, &write::horn(&pool, &again), &stated_answer(file));
    Ok(())
}

/// z3 reads the plainer shapes only. A file that it does not decide says so in a line `; z3: undecided`.
fn the_original_has_the_stated_answer(file: &Path) -> datatest_stable::Result<()> {
    let text = std::fs::read_to_string(file)?;
    if text.contains("(rule ") {
        return Ok(()); // z3 answers rules the other way round
    }
    let undecided = header(file, "z3").is_some_and(|z3| z3 == "undecided");
    match z3(&text, 20).as_deref() {
        None => eprintln!("not checked, z3 is not installed: {}", file.display()),
        Some("timeout") => eprintln!("not checked, z3 ran out of time: {}", file.display()),
        Some("unknown") if undecided => {}
        Some(answer) => assert_eq!(answer, stated_answer(file), "{}", file.display()),
    }
    Ok(())
}

/// A program with one inner location is written as VMT as it is; others are refused with their size.
fn written_vmt_has_the_same_answer(file: &Path) -> datatest_stable::Result<()> {
    let pool = TermPool::new();
    let program = read(&pool, file)?;
    let inner = program.locations.len() - 2;
    match write::vmt(&pool, &program) {
        Ok(script) => {
            assert!(inner <= 1, "{inner} locations are written as one loop");
            vmt_answers(file, &script);
        }
        Err(e) => {
            assert_eq!(e.locations, inner);
            assert_ne!(inner, 1, "a single loop is refused");
        }
    }
    Ok(())
}

/// Single loops over Booleans, bit-vectors and arrays become BTOR2.
fn written_btor2_has_the_same_answer(file: &Path) -> datatest_stable::Result<()> {
    let pool = TermPool::new();
    let program = read(&pool, file)?;
    let inner = program.locations.len() - 2;
    match write::btor2(&pool, &program) {
        Ok(text) => {
            assert!(inner <= 1, "{inner} locations are written as one loop");
            let pool = TermPool::new();
            let again = read_btor2(&pool, "again", &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
            again.program.check(&pool).expect("a well-formed program");
            answers(file, &write::horn(&pool, &again.program), &stated_answer(file));
        }
        Err(write::NotBtor2::Locations(n)) => assert!(n == inner && inner != 1, "{n} locations"),
        Err(write::NotBtor2::Unsupported(what)) => {
            assert!(file.extension().is_some_and(|e| e != "btor2"), "{what}");
        }
    }
    Ok(())
}

/// Programs of any shape become VMT by way of the single-loop encoding.
fn the_single_loop_has_the_same_answer(file: &Path) -> datatest_stable::Result<()> {
    let pool = TermPool::new();
    let program = read(&pool, file)?;
    let single = single_loop(&pool, &program, PcEncoding::Booleans).program;
    vmt_answers(file, &write::vmt(&pool, &single).expect("a single loop"));
    Ok(())
}

fn vmt_answers(file: &Path, script: &str) {
    let pool = TermPool::new();
    let again = read_vmt(&pool, "again", script, None).unwrap_or_else(|e| panic!("{e}\n{script}"));
    again.program.check(&pool).expect("a well-formed program");
    answers(file, &write::horn(&pool, &again.program), &stated_answer(file));
}

fn the_error_says_where_and_what(file: &Path) -> datatest_stable::Result<()> {
    let expected = header(file, "error").expect("a line `; error: `");
    let error = match read(&TermPool::new(), file) {
        Ok(_) => return Err(format!("{} was read", file.display()).into()),
        Err(e) => e,
    };
    let found = format!("{}:{}: {}", error.position.line, error.position.column, error.message);
    let (place, message) = expected.split_once(": ").expect("line:column: message");
    let shown = error.to_string();
    assert!(found.starts_with(&format!("{place}: ")), "expected {expected}\nfound {shown}");
    assert!(found.contains(message) && shown.contains('^'), "expected {expected}\nfound {shown}");
    assert!(shown.lines().all(|l| l.chars().count() < 200), "too long: {shown}");
    Ok(())
}

const INPUT: &str = r"^(horn|vmt|btor2)/[^/]*\.(smt2|vmt|btor2)$";

datatest_stable::harness! {
    { test = is_read_as_expected, root = "tests/data", pattern = INPUT },
    { test = written_horn_has_the_same_answer, root = "tests/data", pattern = INPUT },
    { test = written_vmt_has_the_same_answer, root = "tests/data", pattern = INPUT },
    { test = written_btor2_has_the_same_answer, root = "tests/data", pattern = INPUT },
    { test = the_single_loop_has_the_same_answer, root = "tests/data", pattern = INPUT },
    { test = the_original_has_the_stated_answer, root = "tests/data/horn", pattern = r"\.smt2$" },
    { test = the_error_says_where_and_what, root = "tests/data/bad", pattern = r"\.(smt2|vmt|btor2)$" },
}
