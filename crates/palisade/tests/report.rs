//! What people and other tools receive: the document, witnesses, and their foreign validators.
//!
//! `check-jsonschema` (PyPI) and gcc judge what is written; a test says so where one is absent. The schema of
//! witnesses, a replayer and a corpus of witnesses of other tools are in `../shared/formats`.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::{output, palisade};
use serde_json::Value;

const UNSAFE: &str = "#include <assert.h>
extern int __VERIFIER_nondet_int(void);
#define LIMIT 10
int g;
int f(int a) { int r = a + 1; return r; }
int main(void) {
  int n = __VERIFIER_nondet_int(), x = 0;
  if (n < 0 || n > LIMIT) return 0;
  for (int i = 0; i < n; i++) {
    int y = f(x);
    x = y + 1;
    g = x * 2;
  }
  assert(x != 8);
  return 0;
}
";

const SAFE: &str = "extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
struct ring { unsigned head; unsigned tail; } r;
int main(void) {
  unsigned n = __VERIFIER_nondet_uint();
  r.head = 0; r.tail = 0;
  for (unsigned i = 0; i < n; i++) {
    r.tail = r.tail + 1;
    if (r.tail - r.head > 16) r.head = r.head + 1;
    if (r.tail - r.head > 16) { reach_error(); }
  }
  int k = 0, m = 0;
  do {
    k++;
    m += 2;
  } while (k < 100);
  if (m != 200) { reach_error(); }
  while (k < 1000) { k = k + 1; m = m + 2; }
  if (m != 2000) { reach_error(); }
  return 0;
}
";

/// Only words can express it.
const WORDS: &str = "extern void reach_error(void);
int main(void) {
  double x = 0.5;
  if (x + x > 1.0) reach_error();
  return 0;
}
";

const CALL: &str = "#include <assert.h>
extern int __VERIFIER_nondet_int(void);
void reach_error(void) { assert(0); }
int main(void) {
  int unused = __VERIFIER_nondet_int() ;
  int x = __VERIFIER_nondet_int() ;
  int y = __VERIFIER_nondet_int();
  if (x > 100 && y < x - 50 && y > 60)
    reach_error();
  return 0;
}
";

const ASSERTED: &str = "#include <assert.h>
extern int __VERIFIER_nondet_int(void);
#define CHECK(x) assert(x)
#define BOTH(a, b) do { CHECK(a); CHECK(b); } while (0)
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x > 10) {
    BOTH(x != 3, x != 12);
  }
  return 0;
}
";

const IN_MACRO: &str = "extern void reach_error(void);
extern int __VERIFIER_nondet_int(void);
#define FAIL() reach_error()
int main(void) {
  int x = __VERIFIER_nondet_int();
  if (x == 12)
    FAIL();
  return 0;
}
";

fn file(dir: &Path, name: &str, text: &str) -> PathBuf {
    let path = dir.join(name);
    fs::write(&path, text).unwrap();
    path
}

fn run(words: &[&str]) -> Output {
    let mut command = palisade();
    command.args(words);
    output(command)
}

fn document(dir: &Path, program: &Path) -> Value {
    let json = dir.join("report.json");
    run(&["verify", "--json", json.to_str().unwrap(), program.to_str().unwrap()]);
    serde_json::from_str(&fs::read_to_string(&json).unwrap()).unwrap()
}

/// Is the tool here? A test that needs it says so.
fn found(tool: &str) -> bool {
    let there = Command::new(tool).arg("--version").output().is_ok_and(|o| o.status.success());
    if !there {
        eprintln!("skipped: there is no {tool} here");
    }
    there
}

fn shared(path: &str) -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    // A worktree may lie one folder deeper than the project.
    let candidates = [root.join("../shared"), root.join("../../shared")];
    let found = candidates.into_iter().map(|c| c.join(path)).find(|p| p.exists());
    if found.is_none() {
        eprintln!("skipped: there is no ../shared/{path} here");
    }
    found
}

fn follows_schema(schema: &Path, instance: &Path) {
    let result =
        Command::new("check-jsonschema").arg("--schemafile").arg(schema).arg(instance).output().unwrap();
    assert!(result.status.success(), "{}", String::from_utf8_lossy(&result.stdout));
}

#[test]
fn every_step_is_a_statement_with_its_values() {
    let tmp = tempfile::tempdir().unwrap();
    let program = file(tmp.path(), "a.c", UNSAFE);
    let report = document(tmp.path(), &program);
    assert_eq!(report["result"], "FALSE");
    let steps = report["evidence"]["run"]["steps"].as_array().unwrap();
    for step in steps {
        assert_eq!(step["position"]["file"], program.to_str().unwrap(), "{step}");
        let line = step["position"]["line"].as_u64().unwrap() as usize;
        let column = step["position"]["column"].as_u64().unwrap() as usize;
        let text = UNSAFE.lines().nth(line - 1).unwrap();
        // The text of a step stands where the step says; a condition that a macro made is at the macro.
        let told = step["text"].as_str().unwrap();
        if step["kind"] == "condition" {
            assert!(text.contains(told) || text.contains("LIMIT"), "{step}");
        } else {
            assert_eq!(text.chars().nth(column - 1), told.chars().next(), "{step}");
        }
    }
    let value = |step: &Value, name: &str| {
        let values = step["values"].as_array().unwrap();
        values.iter().find(|v| v["variable"] == name).map(|v| v["value"].as_str().unwrap().to_string())
    };
    let last = steps.last().unwrap();
    assert_eq!((&last["violation"], &last["position"]["column"]), (&Value::Bool(true), &Value::from(3)));
    assert_eq!(value(last, "x").as_deref(), Some("8"));
    assert_eq!(value(last, "i"), None, "`i` has no name behind its loop");
    // `g` decides nothing and is no part of the automaton, but its values are told.
    assert_eq!(value(last, "g").as_deref(), Some("16"));
    let inside: Vec<&Value> = steps.iter().filter(|s| s["text"] == "x = y + 1;").collect();
    let seen: Vec<String> = inside.iter().filter_map(|s| value(s, "x")).collect();
    assert_eq!(seen, ["2", "4", "6", "8"]);
    assert!(steps.iter().any(|s| s["function"] == "f" && s["depth"] == 1 && value(s, "a").is_some()));
}

#[test]
fn documents_follow_their_schema() {
    if !found("check-jsonschema") {
        return;
    }
    let tmp = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let schema = root.join("docs/report.schema.json");
    let mut programs = vec![file(tmp.path(), "a.c", UNSAFE), file(tmp.path(), "b.c", SAFE)];
    programs.extend(["counter.smt2", "leak.smt2"].map(|e| root.join("examples").join(e)));
    for program in programs {
        document(tmp.path(), &program);
        follows_schema(&schema, &tmp.path().join("report.json"));
    }
    // The validator can say no.
    fs::write(tmp.path().join("report.json"), "{\"format\": 1}").unwrap();
    let judged = Command::new("check-jsonschema")
        .arg("--schemafile")
        .arg(&schema)
        .arg(tmp.path().join("report.json"))
        .output()
        .unwrap();
    assert!(!judged.status.success());
}

/// Every invariant is put into the program as an assertion; the compiler and its sanitizer judge.
#[test]
fn invariants_are_valid_c_and_hold() {
    if !found("gcc") {
        return;
    }
    let tmp = tempfile::tempdir().unwrap();
    let report = document(tmp.path(), &file(tmp.path(), "b.c", SAFE));
    assert_eq!(report["result"], "TRUE");
    let list = report["evidence"]["c_invariants"].as_array().unwrap();
    assert!(list.iter().any(|i| i["kind"] == "loop"), "{list:?}");
    assert!(list.iter().any(|i| i["kind"] == "location"), "{list:?}");
    let mut lines: Vec<String> = SAFE.lines().map(str::to_string).collect();
    for i in list {
        let (line, column) =
            (i["position"]["line"].as_u64().unwrap(), i["position"]["column"].as_u64().unwrap());
        let check = format!("if (!({})) __builtin_abort(); ", i["expression"].as_str().unwrap());
        // A loop invariant holds before the loop in particular.
        lines[line as usize - 1].insert_str(column as usize - 1, &check);
    }
    let text = lines.join("\n")
        + "\nunsigned __VERIFIER_nondet_uint(void) { return 40; }\n\
           void reach_error(void) { __builtin_abort(); }\n";
    let checked = file(tmp.path(), "checked.c", &text);
    let binary = tmp.path().join("checked");
    let compiled = Command::new("gcc")
        .args(["-w", "-Werror=implicit", "-fsanitize=undefined", "-fno-sanitize-recover=all", "-o"])
        .args([&binary, &checked])
        .output()
        .unwrap();
    assert!(compiled.status.success(), "{text}\n{}", String::from_utf8_lossy(&compiled.stderr));
    let ran = Command::new(&binary).output().unwrap();
    assert!(ran.status.success(), "{text}\n{}", String::from_utf8_lossy(&ran.stderr));
}

fn witness(dir: &Path, program: &Path, version: &str) -> PathBuf {
    let path = dir.join("witness.yml");
    let words = ["verify", "--64", "--check", "call(reach_error)", "--witness-version", version, "--witness"];
    let mut command = palisade();
    command.args(words).arg(&path).arg(program);
    output(command);
    path
}

#[test]
fn witnesses_follow_their_schema_and_are_replayed() {
    let (Some(schema), true) = (shared("formats/witness-2.x.schema.json"), found("check-jsonschema")) else {
        return;
    };
    let tmp = tempfile::tempdir().unwrap();
    for (name, text) in [("call.c", CALL), ("b.c", SAFE)] {
        for version in ["2.0", "2.1"] {
            let program = file(tmp.path(), name, text);
            let yaml = witness(tmp.path(), &program, version);
            follows_schema(&schema, &yaml);
            assert!(fs::read_to_string(&yaml).unwrap().contains(&format!("'{version}'")));
        }
    }
    let program = file(tmp.path(), "call.c", CALL);
    let yaml = witness(tmp.path(), &program, "2.0");
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../contrib/replay_witness.py");
    for replayer in [shared("formats/replay_witness.py").unwrap(), ours] {
        let replayed = Command::new("python3").arg(replayer).arg(&yaml).arg(&program).output().unwrap();
        let said = String::from_utf8_lossy(&replayed.stdout).to_string();
        assert!(said.contains("target 9 CONFIRMED"), "{said} {}", String::from_utf8_lossy(&replayed.stderr));
    }
}

#[test]
fn our_witnesses_are_confirmed_by_ourselves() {
    let tmp = tempfile::tempdir().unwrap();
    for (name, text, code) in [("call.c", CALL, 10), ("b.c", SAFE, 0), ("words.c", WORDS, 0)] {
        let program = file(tmp.path(), name, text);
        let yaml = witness(tmp.path(), &program, "2.0");
        let result = run(&["validate", yaml.to_str().unwrap(), program.to_str().unwrap()]);
        let said = String::from_utf8_lossy(&result.stdout).to_string();
        assert_eq!(result.status.code(), Some(code), "{said} {}", String::from_utf8_lossy(&result.stderr));
        assert!(said.starts_with("witness confirmed"), "{said}");
    }
    // Also with the default checks, which are assertions and calls of several functions.
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let yaml = tmp.path().join("default.yml");
    for (name, code) in [("off_by_one.c", 10), ("sum.c", 0)] {
        let (yaml, program) = (yaml.to_str().unwrap(), examples.join(name));
        assert_eq!(run(&["verify", "--witness", yaml, program.to_str().unwrap()]).status.code(), Some(code));
        let result = run(&["validate", yaml, program.to_str().unwrap()]);
        let said = String::from_utf8_lossy(&result.stdout).to_string();
        assert_eq!(result.status.code(), Some(code), "{said} {}", String::from_utf8_lossy(&result.stderr));
    }
    // What is violated is named as `verify` names it, also where macros make the assertion or the call.
    for (text, property) in [(ASSERTED, "assert"), (IN_MACRO, "unreach-call")] {
        let (yaml, program) = (yaml.to_str().unwrap(), file(tmp.path(), "macros.c", text));
        let program = program.to_str().unwrap();
        let last = format!("RESULT: FALSE({property})\n");
        for words in [&["verify", "--witness", yaml, program][..], &["validate", yaml, program]] {
            let result = run(words);
            let said = String::from_utf8_lossy(&result.stdout).to_string();
            assert!(said.ends_with(&last), "{said} {}", String::from_utf8_lossy(&result.stderr));
        }
    }
    // A call that a header hides cannot be led along the witness: that is no refutation.
    file(tmp.path(), "check.h", "#define FAIL() reach_error()\n");
    let program = file(
        tmp.path(),
        "hidden.c",
        &IN_MACRO.replace("#define FAIL() reach_error()", "#include \"check.h\""),
    );
    let program = program.to_str().unwrap();
    let hidden = tmp.path().join("hidden.yml");
    assert_eq!(run(&["verify", "--witness", hidden.to_str().unwrap(), program]).status.code(), Some(10));
    let result = run(&["validate", hidden.to_str().unwrap(), program]);
    assert_eq!(result.status.code(), Some(20), "{}", String::from_utf8_lossy(&result.stdout));
    // A wrong value is no run, a wrong invariant does not hold.
    let program = file(tmp.path(), "call.c", CALL);
    let yaml = witness(tmp.path(), &program, "2.0");
    let text = fs::read_to_string(&yaml).unwrap();
    let at = text.rfind("\\result == ").unwrap();
    let end = at + text[at..].find(['\'', '"', '\n']).unwrap();
    let wrong = file(tmp.path(), "wrong.yml", &format!("{}\\result == 7{}", &text[..at], &text[end..]));
    let result = run(&["validate", wrong.to_str().unwrap(), program.to_str().unwrap()]);
    assert_eq!(result.status.code(), Some(0), "{}", String::from_utf8_lossy(&result.stdout));
}

/// An assertion over several lines, inputs that macros ask for, and a name with other letters.
const WRITTEN: &str = "#include <assert.h>
extern int __VERIFIER_nondet_int(void);
#define READ(v) do { v = __VERIFIER_nondet_int(); } while (0)
#define ANY __VERIFIER_nondet_int()
int main(void) {
  int gr\u{f6}\u{df}e, y = ANY;
  READ(gr\u{f6}\u{df}e);
  assert(gr\u{f6}\u{df}e != 17 ||   /* the
                         bound */
         y != 4);
  return 0;
}
";

#[test]
fn steps_are_told_as_they_are_written() {
    let tmp = tempfile::tempdir().unwrap();
    let program = file(tmp.path(), "written.c", WRITTEN);
    let document = document(tmp.path(), &program);
    let steps = document["evidence"]["run"]["steps"].as_array().unwrap();
    let last = steps.last().unwrap();
    assert_eq!((&last["position"]["line"], &last["position"]["column"]), (&8.into(), &3.into()), "{last}");
    assert_eq!(last["text"], "assert(gr\u{f6}\u{df}e != 17 || y != 4)");
    let values = last["values"].to_string();
    assert!(values.contains("\"gr\u{f6}\u{df}e\""), "{values}");
    // Preprocessed by somebody else, the assertion still has its words.
    if let Ok(made) = Command::new("gcc").arg("-E").arg(&program).output()
        && made.status.success()
    {
        let made = file(tmp.path(), "made.i", &String::from_utf8_lossy(&made.stdout));
        let said = run(&["verify", made.to_str().unwrap()]);
        let said = String::from_utf8_lossy(&said.stdout).to_string();
        assert!(said.contains("17 || y != 4)\n") && !said.contains("__assert_fail"), "{said}");
    }
}

#[test]
fn invariants_have_the_names_that_were_written() {
    let tmp = tempfile::tempdir().unwrap();
    let text = "extern void reach_error(void);
extern unsigned __VERIFIER_nondet_uint(void);
int main(void) {
  unsigned n\u{e9} = __VERIFIER_nondet_uint(), i$ = 0;
  while (i$ < n\u{e9}) i$++;
  if (i$ > n\u{e9}) reach_error();
  return 0;
}
";
    let program = file(tmp.path(), "names.c", text);
    let yaml = witness(tmp.path(), &program, "2.0");
    let said = fs::read_to_string(&yaml).unwrap();
    assert!(said.contains("n\u{e9} >= i$"), "{said}");
    let told = run(&["validate", yaml.to_str().unwrap(), program.to_str().unwrap()]);
    assert_eq!(told.status.code(), Some(0));
    let told = run(&["verify", program.to_str().unwrap()]);
    assert!(String::from_utf8_lossy(&told.stdout).contains("    n\u{e9} >= i$\n"));
}

/// Of several macros on one line each has its own steps. gcc says where tokens are written.
#[test]
fn macros_side_by_side_are_told_apart() {
    if !found("gcc") {
        eprintln!("skipped: there is no gcc");
        return;
    }
    let tmp = tempfile::tempdir().unwrap();
    for (fails, place) in [(1, ":8:3: NEED(n != K)"), (2, ":8:16: NEED(n != L)"), (3, ":8:29: NEED(n != M)")]
    {
        let values = [1, 2, 3].map(|i| if i == fails { 7 } else { 300 });
        let text = format!(
            "extern unsigned char __VERIFIER_nondet_uchar(void); extern void reach_error(void);
#define TWO(p, q) p = 1; q = 2
#define SET(p, v) p = v
#define NEED(c) if (!(c)) reach_error();
enum {{ K = {}, L = {}, M = {} }};
int main(void) {{ int n, a, b, c;
  n = __VERIFIER_nondet_uchar(); TWO(a, b); SET(c, 3);
  NEED(n != K) NEED(n != L) NEED(n !=
    M) c = 4; return a + b + c;
}}
",
            values[0], values[1], values[2]
        );
        let program = file(tmp.path(), "main.c", &text);
        let told = run(&["verify", program.to_str().unwrap()]);
        let told = String::from_utf8_lossy(&told.stdout).into_owned();
        for step in [place, ":7:34: TWO(a, b);  => b = 2", ":7:45: SET(c, 3);  => c = 3"] {
            assert!(told.contains(step), "{step}: {told}");
        }
    }
}

/// Witnesses of inputs in all kinds of places are confirmed, and not when an input is another one.
#[test]
fn witnesses_restrict_inputs_wherever_they_are_asked_for() {
    let tmp = tempfile::tempdir().unwrap();
    let head = "#include <assert.h>
extern int __VERIFIER_nondet_int(void);
extern unsigned char __VERIFIER_nondet_uchar(void);
typedef unsigned long long u64;
extern u64 stamp(void);
extern void log_it(int);
";
    for (body, right, wrong) in [
        // A function that returns nothing has no value to restrict.
        (
            "int x = __VERIFIER_nondet_int(); log_it(1); int y = __VERIFIER_nondet_int(); log_it(2); \
          assert(x != 3 || y != 4);",
            "== 4",
            "== 5",
        ),
        // Values keep their type.
        ("u64 t = stamp(); assert(t != 0x100000007ull);", "== 4294967303", "== 7"),
        // A condition is a call.
        (
            "int n = 0; while (__VERIFIER_nondet_uchar()) \
             if (++n == 2) assert(__VERIFIER_nondet_uchar() != 9);",
            "== 9",
            "== 8",
        ),
        ("if (__VERIFIER_nondet_int() == 7) assert(0);", "== 7", "== 8"),
        ("switch (__VERIFIER_nondet_int()) { case 5: assert(0); }", "== 5", "== 6"),
    ] {
        let program = file(tmp.path(), "main.c", &format!("{head}int main(void) {{ {body} return 0; }}\n"));
        let yaml = tmp.path().join("witness.yml");
        let (program, witness) = (program.to_str().unwrap(), yaml.to_str().unwrap());
        assert_eq!(run(&["verify", "--64", "--witness", witness, program]).status.code(), Some(10), "{body}");
        let text = fs::read_to_string(witness).unwrap();
        assert!(text.contains(&format!("\\result {right}")), "{text}");
        let told = run(&["validate", witness, program]);
        assert_eq!(told.status.code(), Some(10), "{body}: {}", String::from_utf8_lossy(&told.stderr));
        let other = file(tmp.path(), "other.yml", &text.replace(right, wrong));
        let told = run(&["validate", other.to_str().unwrap(), program]);
        assert_eq!(told.status.code(), Some(0), "{body}: {}", String::from_utf8_lossy(&told.stderr));
    }
}

#[test]
fn witnesses_restrict_inputs_that_macros_ask_for() {
    let tmp = tempfile::tempdir().unwrap();
    let program = file(tmp.path(), "written.c", WRITTEN);
    let yaml = tmp.path().join("witness.yml");
    let (program, witness) = (program.to_str().unwrap(), yaml.to_str().unwrap());
    assert_eq!(run(&["verify", "--witness", witness, program]).status.code(), Some(10));
    let text = fs::read_to_string(witness).unwrap();
    assert!(text.contains("\\result == 4") && text.contains("\\result == 17"), "{text}");
    assert_eq!(run(&["validate", witness, program]).status.code(), Some(10));
    for (right, wrong) in [("== 4", "== 5"), ("== 17", "== 18")] {
        let other = file(tmp.path(), "other.yml", &text.replace(right, wrong));
        let result = run(&["validate", other.to_str().unwrap(), program]);
        assert_eq!(result.status.code(), Some(0), "{}", String::from_utf8_lossy(&result.stdout));
    }
    // On the line of a function's head, and in arguments over several lines.
    let text = "#include <assert.h>
extern int __VERIFIER_nondet_int(void);
#define R(o) o = __VERIFIER_nondet_int()
#define SET(o, v) o = (v)
int main(void) { int a, b; R(a);
  SET(b,
      __VERIFIER_nondet_int()); SET(b, b + 1); R(b);
  assert(a != 3 || b != 4);
}
";
    let other = file(tmp.path(), "arguments.c", text);
    let other = other.to_str().unwrap();
    assert_eq!(run(&["verify", "--witness", witness, other]).status.code(), Some(10));
    assert_eq!(run(&["validate", witness, other]).status.code(), Some(10));
    let text = fs::read_to_string(witness).unwrap().replace("\\result == 4", "\\result == 5");
    let wrong = file(tmp.path(), "other.yml", &text);
    assert_eq!(run(&["validate", wrong.to_str().unwrap(), other]).status.code(), Some(0));
    if let Some(schema) = shared("formats/witness-2.x.schema.json").filter(|_| found("check-jsonschema")) {
        follows_schema(&schema, &yaml);
    }
}

/// A program of two files, each with a variable of the same name.
#[test]
fn witnesses_of_several_files_are_validated() {
    let tmp = tempfile::tempdir().unwrap();
    let main = "#include <assert.h>
int get(int);
static int calls;
int main(void) {
  int a[50] = {0}, k = 0;
  calls++;
  k = get(3);
  a[k] = calls;
  assert(a[21] == 0);
  return 0;
}
";
    let other = "extern int __VERIFIER_nondet_int(void);
static int calls;
int get(int k) {
  calls = calls + 2;
  int v = __VERIFIER_nondet_int();
  if (v < 0 || v > 10) return 0;
  return v * k;
}
";
    let files = [file(tmp.path(), "main.c", main), file(tmp.path(), "other.c", other)];
    let [main, other] = files.each_ref().map(|f| f.to_str().unwrap());
    let witness = tmp.path().join("witness.yml");
    let witness = witness.to_str().unwrap();
    let told = run(&["verify", "--witness", witness, main, other]);
    let told = String::from_utf8_lossy(&told.stdout).to_string();
    let last = told.split("assert(a[21] == 0)\n").nth(1).unwrap_or_else(|| panic!("{told}"));
    let values = last.lines().next().unwrap();
    assert!(values.contains("a[21] = 1") && values.contains(" calls = 1,"), "{told}");
    assert!(!values.contains("calls = 2") && told.contains("other.c::calls = 0"), "{told}");
    assert_eq!(run(&["validate", witness, other, main]).status.code(), Some(10));
    let text = fs::read_to_string(witness).unwrap();
    let wrong = file(tmp.path(), "wrong.yml", &text.replace("\\result == 7", "\\result == 6"));
    assert_eq!(run(&["validate", wrong.to_str().unwrap(), main, other]).status.code(), Some(0));
    let away = file(tmp.path(), "away.yml", &text.replace("other.c", "another.c"));
    let refused = run(&["validate", away.to_str().unwrap(), main, other]);
    assert_eq!(refused.status.code(), Some(3));
    assert!(String::from_utf8_lossy(&refused.stderr).contains("another.c is none of the files"));
}

#[test]
fn a_wrong_invariant_is_refuted() {
    let tmp = tempfile::tempdir().unwrap();
    let program = file(tmp.path(), "b.c", SAFE);
    let yaml = witness(tmp.path(), &program, "2.0");
    let right = fs::read_to_string(&yaml).unwrap();
    let at = right.find("value: ").unwrap() + "value: ".len();
    let end = at + right[at..].find('\n').unwrap();
    let wrong = format!("{}r.tail < 5u{}", &right[..at], &right[end..]);
    let wrong = file(tmp.path(), "wrong.yml", &wrong);
    let result = run(&["validate", wrong.to_str().unwrap(), program.to_str().unwrap()]);
    let said = String::from_utf8_lossy(&result.stdout).to_string();
    assert_eq!(result.status.code(), Some(10), "{said} {}", String::from_utf8_lossy(&result.stderr));
    assert!(said.starts_with("witness refuted: an invariant does not hold"), "{said}");
    assert!(said.ends_with("RESULT: FALSE(invariant)\n"), "{said}");
}

/// What a witness says changes and ends no run of the program.
#[test]
fn a_witness_with_effects_or_undefined_values_confirms_nothing() {
    let tmp = tempfile::tempdir().unwrap();
    let text = "extern void reach_error(void);\nint main(void) {\n  int i = 0;\n  while (i < 3) i++;\n  \
                if (!(LAST)) reach_error();\n  return 0;\n}\n";
    let program = file(tmp.path(), "c.c", &text.replace("LAST", "i == 3"));
    let right = fs::read_to_string(witness(tmp.path(), &program, "2.0")).unwrap();
    let at = right.find("value: ").expect("the loop has an invariant") + "value: ".len();
    let end = at + right[at..].find('\n').unwrap();
    let program = file(tmp.path(), "c.c", &text.replace("LAST", "i == 4"));
    for (value, code) in [
        ("1", 10),
        ("i / (i - i) >= 0", 10),
        ("i + 2147483647 > 0", 10),
        ("(i = 4) > 0", 3),
        ("({ i = 4; 1; })", 3),
        ("i++ >= 0", 3),
        ("1)), ((0", 3),
    ] {
        let wrong = file(tmp.path(), "w.yml", &format!("{}'{value}'{}", &right[..at], &right[end..]));
        let result = run(&["validate", wrong.to_str().unwrap(), program.to_str().unwrap()]);
        let said = String::from_utf8_lossy(&result.stdout).to_string();
        let why = String::from_utf8_lossy(&result.stderr).to_string();
        // Undefined in some run: another may still violate the property.
        let open = code == 10 && result.status.code() == Some(20);
        assert!(open || result.status.code() == Some(code), "{value}: {said} {why}");
    }
}

/// However a validation ends, it leaves nothing in the folder for temporary files.
#[test]
fn validation_leaves_nothing_behind() {
    let tmp = tempfile::tempdir().unwrap();
    let scratch = tmp.path().join("scratch");
    fs::create_dir(&scratch).unwrap();
    let program = file(tmp.path(), "b.c", SAFE);
    let yaml = witness(tmp.path(), &program, "2.0");
    for timeout in ["60", "0.01"] {
        let mut command = palisade();
        command.env("TMPDIR", &scratch).args(["validate", "--timeout", timeout]).args([&yaml, &program]);
        let result = output(command);
        let expected = if timeout == "60" { 0 } else { 20 };
        assert_eq!(result.status.code(), Some(expected), "{}", String::from_utf8_lossy(&result.stdout));
        assert_eq!(fs::read_dir(&scratch).unwrap().count(), 0, "--timeout {timeout}");
    }
}

/// The schema of SARIF, as the crate that writes it ships it.
fn sarif_schema() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let words = ["metadata", "--format-version", "1", "--offline", "--locked"];
    let told = Command::new(env!("CARGO")).args(words).current_dir(root).output().ok()?;
    let metadata: Value = serde_json::from_slice(&told.stdout).ok()?;
    let packages = metadata["packages"].as_array()?;
    let sarif = packages.iter().find(|p| p["name"] == "serde-sarif")?;
    Some(Path::new(sarif["manifest_path"].as_str()?).parent()?.join("src/schema.json"))
}

fn judged_by_sarif_schema(schema: &Path, log: &Path) -> Output {
    let words = ["--regex-variant", "nonunicode", "--schemafile"];
    Command::new("check-jsonschema").args(words).arg(schema).arg(log).output().unwrap()
}

#[test]
fn sarif_logs_follow_their_schema() {
    let tmp = tempfile::tempdir().unwrap();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let schema = if found("check-jsonschema") { sarif_schema() } else { None };
    let mut programs = vec![file(tmp.path(), "a.c", UNSAFE), file(tmp.path(), "b.c", SAFE)];
    programs.extend(["counter.smt2", "leak.smt2"].map(|e| root.join("examples").join(e)));
    for program in programs {
        let log = tmp.path().join("log.sarif");
        run(&["verify", "--sarif", log.to_str().unwrap(), program.to_str().unwrap()]);
        if let Some(schema) = &schema {
            let judged = judged_by_sarif_schema(schema, &log);
            assert!(judged.status.success(), "{}", String::from_utf8_lossy(&judged.stdout));
        }
        let text = fs::read_to_string(&log).unwrap();
        let log: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(log["version"], "2.1.0");
    }
    if let Some(schema) = &schema {
        let wrong = file(tmp.path(), "wrong.sarif", "{\"version\": \"2.1.0\", \"runs\": [{}]}");
        assert!(!judged_by_sarif_schema(schema, &wrong).status.success(), "the validator can say no");
    }
}

#[test]
fn sarif_results_have_rule_place_flow_and_a_lasting_fingerprint() {
    let tmp = tempfile::tempdir().unwrap();
    let result = |text: &str| -> Value {
        let program = file(tmp.path(), "a.c", text);
        let log = tmp.path().join("log.sarif");
        let mut command = palisade();
        command.current_dir(tmp.path()).args(["verify", "--sarif", "log.sarif", "a.c"]);
        output(command);
        assert!(program.exists());
        let log: Value = serde_json::from_str(&fs::read_to_string(log).unwrap()).unwrap();
        log["runs"][0].clone()
    };
    let run = result(UNSAFE);
    let found = &run["results"][0];
    assert_eq!(found["ruleId"], "assert");
    assert_eq!(run["tool"]["driver"]["rules"][0]["id"], "assert");
    assert_eq!(found["taxa"][0]["id"], "617");
    let place = &found["locations"][0]["physicalLocation"];
    assert_eq!(place["artifactLocation"]["uri"], "a.c");
    assert_eq!((&place["region"]["startLine"], &place["region"]["startColumn"]), (&14.into(), &3.into()));
    let flow = found["codeFlows"][0]["threadFlows"][0]["locations"].as_array().unwrap();
    assert!(flow.len() > 20, "{}", flow.len());
    assert_eq!(flow.last().unwrap()["importance"], "essential");
    // Two lines more at the head move the violation, and it is still the same one.
    let moved = result(&format!("\n\n{UNSAFE}"));
    assert_eq!(moved["results"][0]["locations"][0]["physicalLocation"]["region"]["startLine"], 16);
    assert_eq!(moved["results"][0]["partialFingerprints"], found["partialFingerprints"]);
    let other = result(&UNSAFE.replace("x != 8", "x != 6"));
    assert_ne!(other["results"][0]["partialFingerprints"], found["partialFingerprints"]);
    let safe = result(SAFE);
    assert_eq!(safe["results"], Value::Array(Vec::new()));
}

/// Good witnesses of other tools are confirmed, bad ones refuted.
#[test]
fn the_corpus_is_judged_as_expected() {
    let Some(corpus) = shared("formats/witnesses/handcrafted") else { return };
    let mut wrong = Vec::new();
    let mut count = 0;
    for folder in fs::read_dir(corpus).unwrap().map(|e| e.unwrap().path()) {
        let program = folder.join(folder.file_name().unwrap()).with_extension("c");
        for yaml in fs::read_dir(&folder).unwrap().map(|e| e.unwrap().path()) {
            if yaml.extension().is_none_or(|e| e != "yml") {
                continue;
            }
            count += 1;
            let name = yaml.file_name().unwrap().to_str().unwrap().to_string();
            let expected = if name.starts_with("good") { 10 } else { 0 };
            let words = ["validate", "--timeout", "60", yaml.to_str().unwrap(), program.to_str().unwrap()];
            let result = run(&words);
            if result.status.code() != Some(expected) {
                let last = String::from_utf8_lossy(&result.stdout).lines().last().unwrap_or("").to_string();
                wrong.push(format!("{}: {last} {}", yaml.display(), String::from_utf8_lossy(&result.stderr)));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
    assert!(count >= 100, "{count}");
}

/// The page in a browser: what its script made of the document.
fn page_in_browser(page: &Path, fragment: &str) -> Option<String> {
    let browser = ["chromium", "chromium-browser", "google-chrome"].into_iter().find(|b| found(b))?;
    let profile = page.with_extension("profile");
    let url = format!("file://{}{fragment}", page.display());
    let words =
        ["--headless=new", "--no-sandbox", "--disable-gpu", "--virtual-time-budget=4000", "--dump-dom"];
    let shown = Command::new(browser)
        .args(words)
        .arg(format!("--user-data-dir={}", profile.display()))
        .arg(&url)
        .output()
        .unwrap();
    Some(String::from_utf8_lossy(&shown.stdout).to_string())
}

#[test]
fn pages_are_self_contained_and_work_in_a_browser() {
    let tmp = tempfile::tempdir().unwrap();
    let unsafe_text = UNSAFE.replace("int g;", "int g; /* </script><b>x</b> */");
    for (name, text) in [("a.c", unsafe_text.as_str()), ("b.c", SAFE)] {
        let program = file(tmp.path(), name, text);
        let page = tmp.path().join(name).with_extension("html");
        run(&["verify", "--html", page.to_str().unwrap(), program.to_str().unwrap()]);
        let html = fs::read_to_string(&page).unwrap();
        for outside in ["src=", "href=", "@import", "url(http", "fetch("] {
            assert!(!html.contains(outside), "{outside}");
        }
        assert_eq!(html.matches("</script>").count(), 2, "data ends its element");
        let Some(dom) = page_in_browser(&page, "#step=3") else { return };
        if name == "a.c" {
            assert!(dom.contains("<span id=\"verdict\" class=\"FALSE\">FALSE(assert)</span>"), "{dom}");
            assert!(dom.contains("step 3 of "), "the fragment chooses a step");
            assert!(dom.contains("class=\"row code seen now\""), "the step is marked in the source");
            assert!(dom.contains("class=\"edge path now\""), "the step is marked in the automaton");
            assert!(dom.contains("&lt;/script&gt;"), "the text is shown as text");
        } else {
            assert!(dom.contains("class=\"TRUE\""), "{dom}");
            assert!(dom.contains("class=\"invariant code\">loop invariant: "), "{dom}");
            assert!(dom.contains("class=\"node head\""), "loop heads are drawn");
        }
    }
}

#[test]
fn the_page_of_a_benchmark_counts_what_is_selected() {
    let tmp = tempfile::tempdir().unwrap();
    let suite = tmp.path().join("suite");
    fs::create_dir(&suite).unwrap();
    file(&suite, "up.c", SAFE);
    file(&suite, "<b>.c", UNSAFE);
    file(
        &suite,
        "tasks.csv",
        "file,verdict,property,source\nup.c,true,assert,test\n<b>.c,false,assert,test\n",
    );
    let page = tmp.path().join("bench.html");
    run(&[
        "bench",
        suite.to_str().unwrap(),
        "--engines",
        "ic3-cfa",
        "--config",
        "again=--engine ic3-cfa",
        "--timeout",
        "20",
        "--html",
        page.to_str().unwrap(),
    ]);
    let html = fs::read_to_string(&page).unwrap();
    for outside in ["src=", "href=", "@import", "url(http", "fetch("] {
        assert!(!html.contains(outside), "{outside}");
    }
    assert!(!html.contains("<b>"), "data is no markup");
    let Some(dom) = page_in_browser(&page, "") else { return };
    assert!(dom.contains("4 of 4 runs") && dom.contains("2 tasks, CPU limit 20 s"), "{dom}");
    assert_eq!(dom.matches("<td class=\"solved\">solved</td>").count(), 4, "{dom}");
    assert!(dom.contains("&lt;b&gt;.c") && dom.contains("<path d=\"M"), "{dom}");
    // Filters and orders are part of the address.
    let dom = page_in_browser(&page, "#text=up.c&engine=again&sort-rows=-6").unwrap();
    assert!(dom.contains("1 of 4 runs") && dom.contains("aria-sort=\"descending\""), "{dom}");
    assert_eq!(dom.matches("<td class=\"file\">").count(), 1, "{dom}");
}
