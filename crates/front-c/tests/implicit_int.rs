//! Random programs in the style of C89, with types left out wherever gcc lets one leave them out, compared
//! with gcc: the translation must end with the same number, and must notice another number.
//!
//! Names of members, of parameters and of variables are also those of types elsewhere in the text, so that a
//! declaration that only looks incomplete would be changed wrongly.
//!
//! `PALISADE_TEST_SCALE=50 PALISADE_TEST_SEED=100 cargo test -p palisade-front-c --test implicit_int` runs 50
//! times as many programs, others than usual.

mod common;

use std::fmt::Write as _;
use std::process::Command;

use common::execute::{End, execute};
use palisade_front_c::{COptions, DataModel, Input, translate};
use palisade_fuzzing::Random;
use palisade_term::TermPool;

/// Specifiers behind which `int` may be left out.
const STORAGE: [&str; 4] = ["static", "extern", "const", "static const"];
const LOCAL: [&str; 4] = ["register", "auto", "const", "static"];

/// `int`, or nothing.
fn int(r: &mut Random) -> &'static str {
    if r.chance(60) { "" } else { "int " }
}

/// A program whose `main` gives `sum`, with `LAST` where it ends.
fn program(r: &mut Random) -> String {
    let mut out =
        String::from("typedef int number; typedef struct { int n, g0; number (*call)(); } record;\n");
    let globals = 2 + r.below(4);
    for g in 0..globals {
        let value = r.range(1, 9);
        match r.below(5) {
            0 => writeln!(out, "static {}g{g} = {value}, more{g}[2] = {{ 1, {value} }};", int(r)),
            1 => writeln!(out, "const {}g{g} = {value};", int(r)),
            2 => writeln!(out, "number g{g} = {value}; extern {}*away{g};", int(r)),
            3 => {
                let storage = *r.one_of(&["static", "static const", "const"]);
                writeln!(out, "{storage} {}g{g} = {value}, *p{g};", int(r))
            }
            _ => writeln!(out, "volatile unsigned short v{g}; static unsigned g{g} = {value};"),
        }
        .expect("a string");
    }
    let functions = 2 + r.below(4);
    for f in 0..functions {
        let storage = if r.chance(30) { "static " } else { "" };
        let result = if r.chance(70) { "" } else { "int " };
        let declared = match r.below(4) {
            0 => String::new(),
            1 => "int a; ".into(),
            2 => "register b; ".into(),
            _ => "number a; register b; ".into(),
        };
        // Without a storage class a function needs nothing at all, inside and outside of parentheses.
        let name = if r.chance(20) && !result.is_empty() { format!("(f{f})") } else { format!("f{f}") };
        writeln!(out, "{storage}{result}{name}(a, b) {declared}\n{{").expect("a string");
        let local = *r.one_of(&LOCAL);
        let (k, g) = (r.range(1, 7), r.below(globals));
        let pointer = if local == "static" { "0" } else { "&a" };
        writeln!(out, "  {local} {}x = {k}; {local} {}*p = {pointer};", int(r), int(r)).expect("a string");
        writeln!(out, "  record s; s.n = a; s.g0 = b;").expect("a string");
        if f > 0 && r.chance(60) {
            writeln!(out, "  a = f{}(a, x) + s.n;", r.below(f)).expect("a string");
        }
        if r.chance(50) {
            writeln!(out, "  switch (a & 3) {{ case 1: a += 2; break; default: b += g{g}; }}").expect("ok");
        }
        writeln!(out, "  return (a * 3 + b * {k} + x + g{g} + s.g0 + (p ? 1 : 2)) & 1023;\n}}").expect("ok");
    }
    let storage = *r.one_of(&STORAGE);
    if storage != "extern" {
        writeln!(out, "{storage} {}last = 3;", int(r)).expect("a string");
    } else {
        writeln!(out, "extern {}last; last = 3;", int(r)).expect("a string");
    }
    let main = if r.chance(70) { "" } else { "int " };
    writeln!(
        out,
        "{main}main() {{\n  {} {}sum = last;",
        if r.chance(50) { "auto" } else { "register" },
        int(r)
    )
    .expect("a string");
    for _ in 0..3 {
        let f = r.below(functions);
        writeln!(out, "  sum += f{f}({}, {});", r.range(0, 9), r.range(0, 9)).expect("a string");
    }
    writeln!(out, "  LAST\n}}").expect("a string");
    // A declaration that is only mentioned must have a definition.
    let away: Vec<String> =
        (0..globals).filter(|g| out.contains(&format!("away{g}"))).map(|g| format!("*away{g}")).collect();
    if !away.is_empty() {
        writeln!(out, "static none; int {};", away.join(", ")).expect("a string");
    }
    out
}

#[test]
fn programs_without_types_mean_what_gcc_says() {
    let scale: u64 = std::env::var("PALISADE_TEST_SCALE").ok().and_then(|s| s.parse().ok()).unwrap_or(1);
    let seed: u64 = std::env::var("PALISADE_TEST_SEED").ok().and_then(|s| s.parse().ok()).unwrap_or(0);
    let dir = std::env::temp_dir().join(format!("palisade-implicit-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a temporary directory");
    for round in 0..12 * scale {
        let text = program(&mut Random::new(seed + 9_100 + round));
        let (file, binary) = (dir.join("p.c"), dir.join("p"));
        std::fs::write(&file, text.replace("LAST", "return sum & 127;")).expect("writing");
        let mut gcc = Command::new("gcc");
        let compiled = gcc.args(["-w", "-std=gnu89", "-m64", "-o"]).args([&binary, &file]).output();
        let compiled = compiled.expect("gcc runs");
        assert!(compiled.status.success(), "{text}\n{}", String::from_utf8_lossy(&compiled.stderr));
        let code = Command::new(&binary).status().expect("it runs").code().expect("a code");
        for (op, ours) in [("!=", false), ("==", true)] {
            let last = format!("if ((sum & 127) {op} {code}) reach_error(); return 0;");
            let text = text.replace("LAST", &last);
            let pool = TermPool::new();
            let options = COptions { data_model: DataModel::Lp64, ..COptions::default() };
            let c = translate(&pool, &[Input::Text("p.c".into(), text.clone())], &options)
                .unwrap_or_else(|e| panic!("{text}\nrefused: {}", e.render(false)));
            let (end, _) = execute(&pool, &c, |_, _| 0);
            match ours {
                false => assert_eq!(end, End::Exit, "{text}"),
                true => {
                    assert!(matches!(&end, End::Error(p) if p.unsupported().is_none()), "{end:?}\n{text}")
                }
            }
        }
    }
    let _ = std::fs::remove_dir_all(&dir);
}
