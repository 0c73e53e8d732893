//! Agreement with a compiler: random programs, compiled with gcc and translated, must observe the same
//! values. Then the inputs of a run become part of the program, with an error at the last observation, and
//! after every transformation the way to that error must be the same, step for step.
//!
//! `PALISADE_TEST_SCALE=50 PALISADE_TEST_SEED=100 cargo test -p palisade-front-c --test differential` runs 50
//! times as many programs, others than usual.

mod common;

use std::path::{Path, PathBuf};
use std::process::Command;

use common::execute::{End, execute, execute_run};
use common::experiment::{INPUTS, TRANSLATED, closed, header, input, prelude};
use common::generate::Program;
use common::simulate::to_error;
use palisade_front_c::{COptions, DataModel, Entry, Globals, Input, IntMode, translate};
use palisade_program::{Run, interpret};
use palisade_term::TermPool;
use palisade_transform::{
    BackTranslation, LbeOptions, PcEncoding, constprop, lbe, liveness, prepare, single_loop, trim,
};

/// Programs that are compiled together.
const BATCH: u64 = 20;

/// The values a compiled program observes for an input seed; `None` if it does something undefined.
fn compiled(binary: &Path, program: u64, seed: u64) -> Option<Vec<i128>> {
    let out = Command::new(binary)
        .args([seed.to_string(), program.to_string()])
        .output()
        .expect("the compiled program runs");
    let text = String::from_utf8_lossy(&out.stdout).to_string();
    let mut lines: Vec<&str> = text.lines().collect();
    if lines.pop() != Some("end") {
        return None;
    }
    Some(lines.iter().map(|l| l.parse().expect("a number")).collect())
}

/// Compiles programs into one binary.
fn compile(dir: &Path, numbers: &[u64], wrap: bool) -> PathBuf {
    let (c, binary) = (dir.join(format!("p{}.c", numbers[0])), dir.join(format!("p{}", numbers[0])));
    let mut whole = format!("{}void observe(long long);\n{}", prelude(numbers), header());
    for &n in numbers {
        whole.push_str(&Program::generate(n, wrap));
    }
    std::fs::write(&c, whole).expect("writing the programs");
    let sanitize: &[&str] = if wrap {
        &["-fwrapv", "-fsanitize=shift-exponent,integer-divide-by-zero,bounds,null"]
    } else {
        &["-fsanitize=undefined", "-fno-sanitize=shift-base"]
    };
    let status = Command::new("gcc")
        .args(["-w", "-O0", "-fno-sanitize-recover=all", "-std=gnu11"])
        .args(sanitize)
        .arg("-o")
        .args([&binary, &c])
        .status()
        .expect("gcc runs");
    assert!(status.success(), "the generated programs do not compile: {}", c.display());
    binary
}

/// Compares one program on three inputs in both exact modes: how many runs were compared, how many are
/// undefined in C, and how many were repeated after a transformation.
fn compare(binary: &Path, number: u64, wrap: bool) -> (usize, usize, usize) {
    let runs: Vec<(u64, Option<Vec<i128>>)> = (1..=3).map(|s| (s, compiled(binary, number, s))).collect();
    let text = format!("{TRANSLATED}{}{}", header(), Program::generate(number, wrap));
    let (mut compared, mut repeated) = (0, 0);
    for mode in [IntMode::C, IntMode::Bv] {
        let options = COptions {
            int_mode: mode,
            data_model: DataModel::Lp64,
            signed_wrap: wrap,
            function: format!("program{number}"),
            entry: Entry { globals: Globals::Zero, ..Entry::default() },
            ..COptions::default()
        };
        let pool = TermPool::new();
        let program = translate(&pool, &[Input::Text("program.c".into(), text.clone())], &options)
            .unwrap_or_else(|e| panic!("program {number} is refused: {}", e.render(false)));
        program.program.check(&pool).expect("a well-formed program");
        for (s, expected) in &runs {
            let Some(expected) = expected else { continue };
            let (end, asked) = execute(&pool, &program, |function, k| {
                let name = function.strip_prefix("__VERIFIER_nondet_").expect("an input function");
                match INPUTS.iter().position(|i| i.0 == name) {
                    Some(f) => input(*s, f, k),
                    None => expected.get(k).copied().unwrap_or(i128::from(i64::MAX)),
                }
            });
            let observed = asked.get("__VERIFIER_nondet_expected").copied().unwrap_or(0);
            assert_eq!(
                (&end, observed),
                (&End::Exit, expected.len()),
                "program {number}, inputs {s}, {mode:?}, wrap {wrap}: differs at observation {observed} \
                    of {}; see {}.c",
                expected.len(),
                binary.display()
            );
            compared += 1;
            if *s == 1 && !expected.is_empty() {
                let asked = |f: &str| asked.get(f).copied().unwrap_or(0);
                let mut wrong = expected.clone();
                *wrong.last_mut().expect("not empty") ^= 1;
                let text = closed(&Program::generate(number, wrap), *s, asked, &wrong);
                repeated += transformations(&text, &options);
            }
        }
    }
    (compared, runs.iter().filter(|r| r.1.is_none()).count(), repeated)
}

/// The run of a program that has only one, before and after every transformation: how many of the eight could
/// be compared.
fn transformations(text: &str, options: &COptions) -> usize {
    let pool = TermPool::new();
    let c = translate(&pool, &[Input::Text("program.c".into(), text.into())], options)
        .unwrap_or_else(|e| panic!("{}\n{text}", e.render(false)));
    let run = execute_run(&pool, &c, |f, _| panic!("{f} is called in a closed program"));
    let reaches_error = |run: &Run| {
        let replay = interpret(&pool, &c.program, run).expect("the run executes");
        assert_eq!(replay.states.last().map(|s| s.0), Some(c.program.error), "{text}");
    };
    reaches_error(&run);
    let edges = |run: &Run| run.steps.iter().map(|s| s.edge).collect::<Vec<_>>();
    let check = |name: &str, new: &palisade_program::Program, back: &dyn BackTranslation| {
        new.check(&pool).unwrap_or_else(|e| panic!("{name}: {e}\n{text}"));
        let Some(new_run) = to_error(&pool, new).unwrap_or_else(|e| panic!("{name}: {e}\n{text}")) else {
            return false;
        };
        let again = back.run(&pool, &c.program, &new_run).unwrap_or_else(|e| panic!("{name}: {e}\n{text}"));
        assert_eq!(edges(&again), edges(&run), "{name}: another way to the error\n{text}");
        reaches_error(&again);
        true
    };
    let merged = LbeOptions::default();
    let paths = LbeOptions { merge: false, ..LbeOptions::default() };
    let single = [
        ("trim", trim(&pool, &c.program)),
        ("constprop", constprop(&pool, &c.program)),
        ("liveness", liveness(&pool, &c.program)),
        ("lbe", lbe(&pool, &c.program, &merged)),
        ("lbe by paths", lbe(&pool, &c.program, &paths)),
        ("single loop", single_loop(&pool, &c.program, PcEncoding::Integer)),
        ("single loop, Boolean", single_loop(&pool, &c.program, PcEncoding::Booleans)),
    ];
    let mut repeated = 0;
    for (name, step) in &single {
        repeated += usize::from(check(name, &step.program, step.back.as_ref()));
    }
    let prepared = prepare(&pool, &c.program, &palisade_transform::Options::default());
    repeated += usize::from(check("all", &prepared.program, &prepared.back));
    // Large blocks may have more choices than are tried; nothing else has any.
    assert!(repeated >= 5, "{repeated} of 8 transformations could be compared\n{text}");
    repeated
}

#[test]
fn translated_programs_behave_as_compiled_ones() {
    let dir = std::env::temp_dir().join(format!("palisade-front-c-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a temporary directory");
    let (mut compared, mut undefined, mut repeated) = (0, 0, 0);
    let numbers: Vec<u64> = palisade_fuzzing::seeds(1..41).collect();
    let count = numbers.len();
    for (k, batch) in numbers.chunks(BATCH as usize).enumerate() {
        let wrap = k % 2 == 1;
        let binary = compile(&dir, batch, wrap);
        for &n in batch {
            let (a, b, c) = compare(&binary, n, wrap);
            compared += a;
            undefined += b;
            repeated += c;
        }
        if count > 100 {
            println!(
                "{} programs, {compared} runs compared, {undefined} runs undefined in C",
                (k + 1) * BATCH as usize
            );
        }
    }
    println!(
        "{count} programs, {compared} runs compared, {undefined} runs undefined in C, {repeated} \
            runs repeated after a transformation"
    );
    assert!(repeated >= 10 * count, "too few runs could be repeated");
    assert!(compared >= count, "too few runs could be compared");
    let _ = std::fs::remove_dir_all(&dir);
}
