//! Files of `tests/data`, one test each.
//!
//! - `circuits`: the file `INPUT.cfa` says what program a circuit becomes, and writing the circuit in both
//!   formats and reading it again changes nothing. `BLESS=1 cargo test -p palisade-aig --test files` writes
//!   the `.cfa` files anew.
//! - `bad`: files that are refused; the line `error: ` in the comment is a part of the message.

use std::path::{Path, PathBuf};

use palisade_aig::aiger::{read, write_ascii, write_binary};
use palisade_aig::{Circuit, program};
use palisade_front_ts::write;
use palisade_fuzzing::golden;
use palisade_term::TermPool;

fn as_program(circuit: &Circuit, name: &str) -> String {
    let pool = TermPool::new();
    let program = program::translate(&pool, circuit, name).program;
    program.check(&pool).expect("a well-formed program");
    write::cfa(&pool, &program)
}

fn is_read_as_expected(file: &Path) -> datatest_stable::Result<()> {
    let name = file.file_name().expect("a file").to_string_lossy().into_owned();
    let circuit = read(&std::fs::read(file)?)?;
    let text = as_program(&circuit, &name);
    golden(&PathBuf::from(format!("{}.cfa", file.display())), &text);
    for bytes in [write_ascii(&circuit), write_binary(&circuit)] {
        assert_eq!(as_program(&read(&bytes)?, &name), text, "written and read again");
    }
    Ok(())
}

fn is_refused(file: &Path) -> datatest_stable::Result<()> {
    let text = std::fs::read_to_string(file)?;
    let expected = text.lines().find_map(|l| l.strip_prefix("error: ")).expect("a line `error: `");
    match read(text.as_bytes()) {
        Ok(_) => panic!("{} was read", file.display()),
        Err(e) => assert!(e.0.contains(expected), "expected: {expected}\nfound: {e}"),
    }
    Ok(())
}

datatest_stable::harness! {
    { test = is_read_as_expected, root = "tests/data/circuits", pattern = r"\.aag$" },
    { test = is_refused, root = "tests/data/bad", pattern = r"\.aag$" },
}
