//! Programs of `tests/data/golden`, one test each: the file `INPUT.cfa` says what the program is translated
//! to, and which property each error edge violates.
//!
//! The header of a program says how it is read: `// mode: ` the integers (`math`, `c` or `bv`), `// checks: `
//! what is checked (`assert` where the line is missing). `BLESS=1 cargo test -p palisade-front-c --test
//! golden` writes the `.cfa` files anew.

use std::path::{Path, PathBuf};

use palisade_front_c::{COptions, Checks, Input, IntMode, translate};
use palisade_front_ts::write;
use palisade_fuzzing::golden;
use palisade_term::TermPool;

/// The rest of the line that begins with `// key: `.
fn header<'t>(text: &'t str, key: &str) -> Option<&'t str> {
    text.lines().find_map(|l| l.strip_prefix("// ")?.strip_prefix(key)?.strip_prefix(": "))
}

fn is_translated_as_expected(file: &Path) -> datatest_stable::Result<()> {
    let text = std::fs::read_to_string(file)?;
    let int_mode = match header(&text, "mode") {
        Some("math") => IntMode::Math,
        Some("c") => IntMode::C,
        Some("bv") => IntMode::Bv,
        other => panic!("a line `// mode: math`, `c` or `bv` is needed, not {other:?}"),
    };
    let checks = Checks::parse(header(&text, "checks").unwrap_or("assert"))?;
    let name = file.file_name().expect("a file").to_string_lossy().into_owned();
    let options = COptions { int_mode, checks, ..COptions::default() };
    let pool = TermPool::new();
    let c = translate(&pool, &[Input::Text(name, text)], &options)
        .map_err(|e| format!("refused: {}", e.render(false)))?;
    c.program.check(&pool).expect("a well-formed program");
    let mut text = write::cfa(&pool, &c.program);
    text.push_str("\nproperties\n");
    for (number, edge) in c.program.edges.iter().enumerate() {
        if let Some(property) = &edge.origin.property {
            text.push_str(&format!("  edge {number}: {property}\n"));
        }
    }
    golden(&PathBuf::from(format!("{}.cfa", file.display())), &text);
    Ok(())
}

datatest_stable::harness! {
    { test = is_translated_as_expected, root = "tests/data/golden", pattern = r"\.c$" },
}
