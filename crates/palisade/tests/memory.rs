//! Memory safety: programs with and without each defect, compared with the sanitizers of gcc.
//!
//! Every file in `tests/memory/` says at its head which properties are asked, with more options, and what the
//! answer must be:
//!
//! ```text
//! // check: memory,leaks
//! // expect: FALSE(valid-deref)
//! // sanitizers: blind, because ...
//! ```
//! Of an UNKNOWN only the beginning is stated. The run of a violation is written as a harness. Linked with
//! it, the program must make a sanitizer report, unless the file says why it cannot. A program that is safe
//! must not, on any of a few inputs.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::{output, palisade};

/// What nondeterministic functions are where no run says it: `SEED` counts, with extreme values between.
const INPUTS: &str = "int printf(const char *, ...); char *getenv(const char *); int atoi(const char *);\n\
    int __VERIFIER_nondet_int(void) {\n\
      static unsigned n; char *seed = getenv(\"SEED\"); unsigned s = seed ? atoi(seed) : 0;\n\
      n = n * 1103515245u + 12345u + s * 2654435761u;\n\
      switch (n >> 16 & 7) { case 0: return 0; case 1: return 1; case 2: return (int)n; default: \
    return n >> 16 & 15; } }\n";

struct Program {
    file: PathBuf,
    check: Vec<String>,
    expect: String,
    blind: bool,
}

fn programs() -> Vec<Program> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/memory");
    let mut files: Vec<PathBuf> = fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    files.sort();
    let program = |file: PathBuf| {
        let text = fs::read_to_string(&file).unwrap();
        let head = |key: &str| {
            let line =
                text.lines().find_map(|l| l.strip_prefix("// ")?.strip_prefix(key)?.strip_prefix(": "));
            line.map(str::to_string)
        };
        let check = head("check").expect("what is asked").split(' ').map(str::to_string).collect();
        let expect = head("expect").expect("what must come out");
        Program { blind: head("sanitizers").is_some(), file, check, expect }
    };
    files.into_iter().map(program).collect()
}

/// Compiles a program and a second file with the sanitizers. These have allocation functions of their own:
/// those of a harness need other names.
fn compile(program: &Path, second: &Path, binary: &Path) -> Output {
    let text = fs::read_to_string(second).unwrap();
    let renamed = ["malloc", "calloc"].into_iter().filter(|f| text.contains(&format!("\nvoid *{f}(")));
    Command::new("gcc")
        .args(["-w", "-g", "-m64", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"])
        .args(renamed.map(|f| format!("-D{f}=harness_{f}")))
        .arg("-o")
        .args([binary, program, second])
        .output()
        .expect("gcc runs")
}

/// Runs it; what a sanitizer reported, if one did.
fn report(binary: &Path, seed: u32, lost: bool) -> Option<String> {
    // A block that only a variable of a function that has returned points to is lost, but its address is
    // still on the stack.
    let roots = if lost { "use_stacks=0:use_registers=0" } else { "use_stacks=1" };
    let run = Command::new("timeout")
        .arg("10")
        .arg(binary)
        .env("SEED", seed.to_string())
        .env("ASAN_OPTIONS", "detect_leaks=1:detect_stack_use_after_return=1:allocator_may_return_null=1")
        .env("LSAN_OPTIONS", roots)
        .output()
        .expect("the program runs");
    let told = String::from_utf8_lossy(&run.stderr).into_owned();
    assert!(run.status.code() != Some(124), "{} does not end", binary.display());
    let reported = ["ERROR: AddressSanitizer", "ERROR: LeakSanitizer", "runtime error"];
    reported.iter().any(|r| told.contains(r)).then_some(told)
}

/// Can programs be compiled and run with the sanitizers? Not without their libraries, or under a debugger.
fn sanitizers_work(folder: &Path) -> bool {
    let (good, bad) = (folder.join("good.c"), folder.join("bad.c"));
    fs::write(&good, "int f(void); int main(void) { return f(); }").unwrap();
    fs::write(&bad, "void *malloc(unsigned long); int f(void) { malloc(4); return 0; }").unwrap();
    let binary = folder.join("probe");
    let compiled = Command::new("gcc").arg("--version").output().is_ok_and(|o| o.status.success())
        && compile(&good, &bad, &binary).status.success();
    compiled && report(&binary, 0, true).is_some_and(|r| r.contains("ERROR: LeakSanitizer: detected"))
}

#[test]
fn defects_are_found_and_only_they() {
    let tmp = tempfile::tempdir().unwrap();
    let sanitizers = sanitizers_work(tmp.path());
    if !sanitizers {
        eprintln!("gcc's sanitizers do not work here: nothing is compared with them");
    }
    let (harness, inputs) = (tmp.path().join("harness.c"), tmp.path().join("inputs.c"));
    fs::write(&inputs, INPUTS).unwrap();
    let all = programs();
    assert!(all.len() >= 40, "40 programs");
    let mut problems = Vec::new();
    for p in &all {
        let _ = fs::remove_file(&harness);
        let mut command = palisade();
        command.args(["verify", "--64", "--timeout", "60", "--check"]).args(&p.check);
        command.arg("--harness").args([&harness, &p.file]);
        let result = output(command);
        let told = String::from_utf8_lossy(&result.stdout).into_owned();
        let name = p.file.file_name().unwrap().to_string_lossy().into_owned();
        let last = told.lines().last().unwrap_or_default();
        let open = p.expect.starts_with("UNKNOWN") && last.starts_with(&format!("RESULT: {}", p.expect));
        if last != format!("RESULT: {}", p.expect) && !open {
            problems.push(format!("{name}: {last}, not {}", p.expect));
            continue;
        }
        if !sanitizers || p.blind || p.expect.starts_with("UNKNOWN") {
            continue;
        }
        let violated = p.expect != "TRUE";
        let binary = tmp.path().join("program");
        let compiled = compile(&p.file, if violated { &harness } else { &inputs }, &binary);
        assert!(compiled.status.success(), "{name}: {}", String::from_utf8_lossy(&compiled.stderr));
        let lost = p.expect.contains("memtrack");
        let seeds = if violated { 0..1 } else { 0..8 };
        let found: Vec<String> = seeds.filter_map(|seed| report(&binary, seed, lost)).collect();
        if violated == found.is_empty() {
            let text = found.first().map_or("the sanitizers report nothing", String::as_str);
            problems.push(format!("{name}: {} and {text}", p.expect));
        }
    }
    assert!(problems.is_empty(), "{}", problems.join("\n"));
}
