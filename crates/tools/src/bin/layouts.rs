//! Random programs about memory, asked both ways: the verdict must be what the compiled program does.
//!
//! `cargo run --release -p palisade-tools --bin layouts -- PALISADE FIRST_SEED COUNT [SECONDS]`
//!
//! The programs are those of `palisade_fuzzing::layouts`, with numbers for their inputs. Each is compiled by
//! gcc with its sanitizers for addresses and undefined behaviour and run, for ILP32 and LP64 in turns. Then
//! `PALISADE verify` is asked in `--int c` and `bv` whether the sum that the program reports can be another
//! one, where TRUE is right, and whether it can be this one, where FALSE is right. No run of a program in
//! which a sanitizer finds something gets to the sum, so FALSE is wrong there; so is TRUE, if memory is
//! misused. A wrong verdict and an exit code that is no verdict (a crash, exit 70) are printed with the
//! program's file, which stays in the folder `layouts-wrong`. At the end there are the counts, and why there
//! was no answer; the exit code is 1 if anything was wrong.
//!
//! Many programs are linked into one file, since a sanitizer's library takes longer to link than a program to
//! compile. 32-bit programs need gcc's libraries for them (Debian: `gcc-multilib`).

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, ExitCode, Stdio};

use palisade_fuzzing::{Random, layouts};

/// Programs that are compiled at once.
const BATCH: u64 = 24;

/// Numbers with which something may happen.
const INPUTS: &[&str] = &["0", "1", "-1", "5", "7", "100", "127", "255", "256", "-32768", "2147483647"];

/// What a run did.
enum Ran {
    Sum(u32),
    /// A sanitizer stopped it: because of memory, or of something else.
    Undefined {
        memory: bool,
    },
    /// It was not compiled, or was slow.
    Nothing,
}

struct Program {
    seed: u64,
    text: String,
    ran: Ran,
}

/// A random program with numbers for its inputs.
fn program(seed: u64) -> String {
    let mut random = Random::new(seed ^ 0x5eed);
    let mut text = layouts(seed);
    for input in ["int", "uchar", "long"] {
        let call = format!("= __VERIFIER_nondet_{input}()");
        while text.contains(&call) {
            text = text.replacen(&call, &format!("= {}", random.one_of(INPUTS)), 1);
        }
    }
    text
}

/// Compiles and runs programs of one data model.
fn run(programs: &mut [Program], width: &str, folder: &Path) {
    let mut calls = String::new();
    let mut files = Vec::new();
    for (k, p) in programs.iter().enumerate() {
        let file = folder.join(format!("p{k}.c"));
        std::fs::write(&file, p.text.replace("int main(void)", &format!("int main{k}(void)")))
            .expect("written");
        calls.push_str(&format!("  case {k}: return main{k}();\n"));
        files.push(file);
    }
    let declared: String = (0..programs.len()).map(|k| format!("int main{k}(void);\n")).collect();
    let driver = folder.join("driver.c");
    let text = format!(
        "#include <stdio.h>\n#include <stdlib.h>\n{declared}\
         void report(unsigned sum) {{ printf(\"%u\\n\", sum); }}\n\
         int main(int argc, char **argv) {{\n  switch (atoi(argv[1])) {{\n{calls}  }}\n  return 1;\n}}\n"
    );
    std::fs::write(&driver, text).expect("written");
    let binary = folder.join("programs");
    let compiled = Command::new("gcc")
        .args(["-w", "-O0", width, "-fsanitize=address,undefined", "-fno-sanitize=alignment"])
        .args(["-fno-sanitize-recover=all", "-o"])
        .args([&binary, &driver])
        .args(files)
        .stdin(Stdio::null())
        .output()
        .expect("gcc starts");
    if !compiled.status.success() {
        print!("not compiled: {}", String::from_utf8_lossy(&compiled.stderr));
        return;
    }
    for (k, p) in programs.iter_mut().enumerate() {
        let out = Command::new("timeout")
            .args(["2", &binary.to_string_lossy(), &k.to_string()])
            .env("ASAN_OPTIONS", "detect_leaks=0:detect_stack_use_after_return=1")
            .output()
            .expect("the programs start");
        let found = String::from_utf8_lossy(&out.stderr).into_owned();
        let sum = String::from_utf8_lossy(&out.stdout).trim().parse();
        p.ran = match sum {
            _ if found.contains("AddressSanitizer") || found.contains("null pointer") => {
                Ran::Undefined { memory: true }
            }
            _ if found.contains("runtime error") => Ran::Undefined { memory: false },
            Ok(sum) => Ran::Sum(sum),
            Err(_) => Ran::Nothing,
        };
    }
}

#[derive(Default)]
struct Counts {
    right: usize,
    wrong: usize,
    open: usize,
    undefined: usize,
    /// Why there was no answer.
    reasons: BTreeMap<String, usize>,
}

/// The last line without positions.
fn reason(stdout: &[u8]) -> String {
    let text = String::from_utf8_lossy(stdout);
    let line = text.lines().last().unwrap_or("refused");
    line.split(" /").next().unwrap_or(line).to_string()
}

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [palisade, first, count, rest @ ..] = &args[..] else {
        eprintln!("usage: layouts PALISADE FIRST_SEED COUNT [SECONDS]");
        return ExitCode::from(2);
    };
    let (Ok(first), Ok(count)) = (first.parse::<u64>(), count.parse::<u64>()) else {
        eprintln!("the seed and the count are numbers");
        return ExitCode::from(2);
    };
    let seconds = rest.first().map_or("2", String::as_str);
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut counts = Counts::default();
    let (mut asked, mut not_run) = (0, 0);
    let mut seeds = (first..first + count).peekable();
    while seeds.peek().is_some() {
        let batch: Vec<u64> = seeds.by_ref().take(BATCH as usize).collect();
        for (parity, width) in [(0, "-m64"), (1, "-m32")] {
            let mut programs: Vec<Program> = batch
                .iter()
                .filter(|&seed| seed % 2 == parity)
                .map(|&seed| Program { seed, text: program(seed), ran: Ran::Nothing })
                .collect();
            run(&mut programs, width, folder.path());
            for p in &programs {
                match p.ran {
                    Ran::Nothing => not_run += 1,
                    _ => asked += 1,
                }
                ask(palisade, p, width, seconds, folder.path(), &mut counts);
            }
        }
        let Counts { right, wrong, open, undefined, .. } = counts;
        println!(
            "{asked} programs ({undefined} undefined): {right} right, {wrong} wrong, {open} open, \
             {not_run} not run"
        );
    }
    for (reason, n) in &counts.reasons {
        println!("{n:6} {reason}");
    }
    ExitCode::from(u8::from(counts.wrong > 0))
}

/// Asks both ways in both readings of integers.
fn ask(palisade: &str, p: &Program, width: &str, seconds: &str, folder: &Path, counts: &mut Counts) {
    let (sum, memory) = match p.ran {
        Ran::Sum(sum) => (sum, None),
        Ran::Undefined { memory } => (0, Some(memory)),
        Ran::Nothing => return,
    };
    counts.undefined += usize::from(memory.is_some());
    let file = folder.join("asked.c");
    for (operator, expected) in [("!=", 0), ("==", 10)] {
        let text =
            format!("{}void report(unsigned sum) {{ if (sum {operator} {sum}u) reach_error(); }}\n", p.text);
        std::fs::write(&file, &text).expect("written");
        for mode in ["c", "bv"] {
            let model = if width == "-m64" { "--64" } else { "--32" };
            // The compiler confirms one of the four.
            let confirm = if (operator, mode) == ("!=", "c") { "on" } else { "off" };
            let out = Command::new(palisade)
                .args(["verify", model, "--int", mode, "--timeout", seconds, "--confirm", confirm])
                .arg(&file)
                .output()
                .expect("palisade starts");
            let right = match (out.status.code(), memory) {
                (Some(3 | 20), Some(true)) => Some(true),
                (Some(3 | 20), _) => None,
                (code, None) => Some(code == Some(expected)),
                // Arithmetic that overflows is assumed not to: the proof says so.
                (code, Some(memory)) => Some(code == Some(0) && !memory),
            };
            match right {
                Some(true) => counts.right += 1,
                None => {
                    counts.open += 1;
                    *counts.reasons.entry(reason(&out.stdout)).or_default() += 1;
                }
                Some(false) => {
                    counts.wrong += 1;
                    let kept = Path::new("layouts-wrong");
                    let kept = kept.join(format!("{}-{mode}-{expected}.c", p.seed));
                    std::fs::create_dir_all("layouts-wrong")
                        .and_then(|()| std::fs::write(&kept, &text))
                        .expect("kept");
                    let last = reason(&out.stdout);
                    println!(
                        "WRONG {}: {model} --int {mode} gives {:?} {last}",
                        kept.display(),
                        out.status.code()
                    );
                }
            }
        }
    }
}
