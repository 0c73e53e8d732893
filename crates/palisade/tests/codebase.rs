//! Whole code bases: entry functions, all claims, annotations, flags of a build, `palisade.toml`.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

use common::{output, palisade};
use serde_json::Value;

const LIBRARY: &str = "#include <assert.h>
int counter;
static const int table[3] = {1, 2, 3};
struct point { int x; int y; };

int clamp(int v, int lo, int hi) {
  if (v < lo) return lo;
  if (v > hi) return hi;
  return v;
}

int half(int a, int b) {
  return (a + b) / 2;
}

void move(struct point *p, int to) {
  p->x = clamp(to, 0, 100);
  assert(p->x >= 0 && p->x <= 100);
}

int first(const int *p) {
  return *p;
}

int second(const int *p) {
  return p[1];
}

int seen(void) {
  assert(counter == 0);
  return table[1];
}

int divide(int a, int b) {
  assert(b != 0);
  return a / b;
}
";

fn file(dir: &Path, name: &str, text: &str) -> PathBuf {
    let path = dir.join(name);
    fs::write(&path, text).unwrap();
    path
}

fn run_in(dir: &Path, words: &str) -> (Output, String) {
    let mut command = palisade();
    command.current_dir(dir).args(shell_words::split(words).unwrap());
    let result = output(command);
    let said = String::from_utf8_lossy(&result.stdout).to_string();
    let both = format!("{words}\n{said}{}", String::from_utf8_lossy(&result.stderr));
    (result, both)
}

/// Runs a command; the last line of its output must be this.
fn ends_with(dir: &Path, words: &str, last: &str) -> String {
    let (_, said) = run_in(dir, words);
    assert!(said.lines().any(|l| l == last), "{last}\n{said}");
    said
}

#[test]
fn a_function_is_verified_in_any_state() {
    let tmp = tempfile::tempdir().unwrap();
    file(tmp.path(), "lib.c", LIBRARY);
    let said = ends_with(tmp.path(), "verify --function move lib.c", "RESULT: TRUE");
    assert!(
        said.contains("assuming that on entry of `move` p points to an object of its own, of 1 element"),
        "{said}"
    );
    assert!(!said.contains("can be called"), "{said}");
    let half = "verify --function half --check overflow --json r.json --sarif r.sarif --witness r.yml lib.c";
    let said = ends_with(tmp.path(), half, "RESULT: FALSE(overflow)");
    let caller = "that `half` can be called in the state in which the run begins";
    assert!(said.contains(&format!("assuming {caller}\n")), "{said}");
    for (file, words) in
        [("r.json", caller), ("r.sarif", caller), ("r.yml", "CHECK( init(half()), LTL(G ! overflow) )")]
    {
        let text = fs::read_to_string(tmp.path().join(file)).unwrap();
        assert!(text.contains(words), "{file}: {text}");
        assert!(!text.contains("__palisade"), "{file}: {text}");
    }
    // One element is there, and a second one if it is asked for.
    ends_with(tmp.path(), "verify --function first --check bounds lib.c", "RESULT: TRUE");
    ends_with(tmp.path(), "verify --function second --check bounds lib.c", "RESULT: FALSE(bounds)");
    let two = "verify --function second --check bounds --set entry.elements=2 lib.c";
    ends_with(tmp.path(), two, "RESULT: TRUE");
    // Globals have any value, or the one at the start; a constant has its own.
    ends_with(tmp.path(), "verify --function seen lib.c", "RESULT: FALSE(assert)");
    ends_with(tmp.path(), "verify --function seen --set entry.globals=zero lib.c", "RESULT: TRUE");
    let (result, said) = run_in(tmp.path(), "verify --function seen --set entry.globals=one lib.c");
    assert_eq!(result.status.code(), Some(2), "{said}");
    // The fresh objects would count as lost.
    let (result, said) = run_in(tmp.path(), "verify --function first --check valid-memcleanup lib.c");
    assert_eq!(result.status.code(), Some(3), "{said}");
    let (result, said) = run_in(tmp.path(), "verify --function nowhere lib.c");
    assert_eq!(result.status.code(), Some(3), "{said}");
}

/// The certificate says where verification began, so it cannot be taken for one of another program.
#[test]
fn certificates_of_functions_and_claims_are_checked_alone() {
    let tmp = tempfile::tempdir().unwrap();
    file(tmp.path(), "lib.c", LIBRARY);
    let words = "verify --function seen --set entry.globals=zero --certificate p.smt2 lib.c";
    ends_with(tmp.path(), words, "RESULT: TRUE");
    ends_with(tmp.path(), "check lib.c p.smt2", "RESULT: TRUE");
    let text = fs::read_to_string(tmp.path().join("p.smt2")).unwrap();
    assert!(text.contains("function=seen") && text.contains("globals=zero"), "{text}");
    file(tmp.path(), "p.smt2", &text.replace("globals=zero", "globals=any"));
    let (result, said) = run_in(tmp.path(), "check lib.c p.smt2");
    assert_eq!(result.status.code(), Some(20), "{said}");
    let (result, said) = run_in(tmp.path(), "check --function move lib.c p.smt2");
    assert_eq!(result.status.code(), Some(2), "{said}");
}

#[test]
fn every_claim_has_its_verdict_and_its_certificate() {
    let tmp = tempfile::tempdir().unwrap();
    file(tmp.path(), "lib.c", LIBRARY);
    let words = "verify --all --check assert,overflow,div-by-zero,bounds --cache kept --certificate proofs \
                 --json all.json --sarif all.sarif lib.c";
    let (result, said) = run_in(tmp.path(), words);
    assert_eq!(result.status.code(), Some(10), "{said}");
    let json: Value =
        serde_json::from_str(&fs::read_to_string(tmp.path().join("all.json")).unwrap()).unwrap();
    let claims = json["claims"].as_array().unwrap();
    let verdict = |function: &str, property: &str| -> Vec<&str> {
        let named = |c: &&Value| {
            c["function"] == function && c["claim"].as_str().unwrap().starts_with(&format!("{property}@"))
        };
        claims.iter().filter(named).map(|c| c["result"].as_str().unwrap()).collect()
    };
    assert_eq!(verdict("half", "overflow"), ["FALSE"], "{said}");
    assert_eq!(verdict("move", "assert"), ["TRUE"], "{said}");
    assert_eq!(verdict("seen", "assert"), ["FALSE"], "{said}");
    assert_eq!(verdict("divide", "assert"), ["FALSE"], "{said}");
    // Behind the assertion the divisor is not 0, but the quotient may overflow.
    assert_eq!(verdict("divide", "div-by-zero"), ["TRUE"], "{said}");
    assert_eq!(verdict("divide", "overflow"), ["FALSE"], "{said}");
    for c in claims.iter().filter(|c| c["result"] != "UNKNOWN") {
        let certificate = c["certificate"].as_str().unwrap();
        let (checked, told) = run_in(tmp.path(), &format!("check lib.c {certificate}"));
        let expected = if c["result"] == "TRUE" { 0 } else { 10 };
        assert_eq!(checked.status.code(), Some(expected), "{told}");
    }
    let log: Value =
        serde_json::from_str(&fs::read_to_string(tmp.path().join("all.sarif")).unwrap()).unwrap();
    let each = "assuming that each function can be called in the state in which a run of it begins";
    assert_eq!(said.matches(each).count(), 1, "{said}");
    let violated = claims.iter().filter(|c| c["result"] == "FALSE").count();
    assert_eq!(log["runs"][0]["results"].as_array().unwrap().len(), violated);
    // A single claim can be asked about by its name.
    let claim = claims.iter().find(|c| c["function"] == "divide" && c["result"] == "TRUE").unwrap();
    let name = claim["claim"].as_str().unwrap();
    let checks = "--check assert,overflow,div-by-zero,bounds --function divide";
    ends_with(tmp.path(), &format!("verify {checks} --claim {name} lib.c"), "RESULT: TRUE");
    let (result, _) = run_in(tmp.path(), &format!("verify {checks} --claim assert@x.c:1:1 lib.c"));
    assert_eq!(result.status.code(), Some(2));
}

/// Static functions of one name in two files are two functions.
#[test]
fn functions_of_one_name_are_all_verified() {
    let tmp = tempfile::tempdir().unwrap();
    let text = "#include <assert.h>\nstatic int chk(int x) { assert(x CONDITION); return x; }\n\
                int NAME(int x) { return x > 5 ? chk(x) : 0; }\n";
    file(tmp.path(), "a.c", &text.replace("CONDITION", "== x").replace("NAME", "first"));
    file(tmp.path(), "b.c", &text.replace("CONDITION", "> 4").replace("NAME", "second"));
    let (_, said) = run_in(tmp.path(), "verify --all --cache none a.c b.c");
    for line in [
        "TRUE     a.c:2:25: assert in a.c:chk: assert(x == x)\n",
        "FALSE    b.c:2:25: assert in b.c:chk: assert(x > 4)\n",
        "TRUE     b.c:2:25: assert in second: assert(x > 4)\n",
    ] {
        assert!(said.contains(line), "{said}");
    }
    ends_with(tmp.path(), "verify --function b.c:chk a.c b.c", "RESULT: FALSE(assert)");
    let (refused, said) = run_in(tmp.path(), "verify --function chk a.c b.c");
    assert_eq!(refused.status.code(), Some(3), "{said}");
    assert!(String::from_utf8_lossy(&refused.stderr).contains("say `a.c:chk` or `b.c:chk`"));
}

/// What is kept of a function is told only if nothing that decides it has changed.
#[test]
fn no_edit_leaves_an_old_verdict() {
    let tmp = tempfile::tempdir().unwrap();
    let head = "#include <assert.h>\n";
    let pick = "int pick__assert_fail(const char *s, int n, int m) { return n; }\n";
    let lines = "int f(void) { assert(pick__assert_fail(\"a\", __LINE__, 0) == 3); return 0; }\n";
    let own = "extern void reach_error(void); int last;
void __assert_fail(const char *e, const char *f, unsigned l, const char *g) { last = l; }
#define assert(x) ((x) ? (void)0 : __assert_fail(#x, __FILE__, __LINE__, __func__))\n";
    let uses = "int f(int x) { last = 0; assert(x == 1); if (last == 5) reach_error(); return 0; }\n";
    let array = "extern int a[]; int g(void) { extern int a[SIZE]; return a[0]; }
int f(void) { assert(sizeof a == 8); return 0; }\n";
    let included = "int f(int x) {\n#include \"body.h\"\n  return take(\"t\", 5, x);\n}\n";
    let take = "static int take(const char *s, int n, int x) { assert(n == 5); return x; }\n";
    for (name, versions) in [
        ("line.c", [format!("{head}{pick}{lines}"), format!("{head}{pick}\n{lines}")]),
        ("own.c", [format!("{own}{uses}"), format!("{own}\n{uses}")]),
        ("array.c", ["2", "3"].map(|n| format!("{head}{}", array.replace("SIZE", n)))),
        (
            "contract.c",
            ["0", "5"].map(|n| {
                format!(
                    "{head}//@ requires a > 0;\n//@ ensures \\result > {n};\nint f(int a) {{ return a; }}\n"
                )
            }),
        ),
        (
            "body.c",
            ["5", "6"].map(|n| format!("{head}{take}{}", included.replace("\", 5", &format!("\", {n}")))),
        ),
    ] {
        file(tmp.path(), "body.h", "assert(x != 7 || x == 7);\n");
        for text in versions {
            file(tmp.path(), name, &text);
            let anew = run_in(tmp.path(), &format!("verify --all --cache none {name}")).1;
            let kept = run_in(tmp.path(), &format!("verify --all --cache kept {name}")).1;
            assert_eq!(anew.lines().skip(1).collect::<Vec<_>>(), kept.lines().skip(1).collect::<Vec<_>>());
        }
    }
}

/// Also those that the translation decides, that nothing leads to, or that share a macro.
#[test]
fn every_assertion_has_a_line() {
    let tmp = tempfile::tempdir().unwrap();
    let text = "#include <assert.h>
#define RANGE(x, l, h) assert(x >= l); assert(x <= h)
static const int limit = 3;
int f(int a) {
  assert(limit == 3);
  if (a > 100 ||
      a < 0) return 0;
  RANGE(a, 0, 99);
  return 1;
}
int g(int (*callback)(int)) { int r = callback(1); assert(r); return r; }
";
    file(tmp.path(), "a.c", text);
    let (_, said) = run_in(tmp.path(), "verify --all --cache none --certificate proofs a.c");
    for line in [
        "TRUE     a.c:5:3: assert in f: assert(limit == 3)\n",
        "TRUE     a.c:8:3: assert in f: assert(a >= 0)\n",
        "FALSE    a.c:8:3#2: assert in f: assert(a <= 99)\n",
        "UNKNOWN  a.c:11:52: assert in g: assert(r)  (undefined behaviour: call through a pointer",
        "4 claims: 2 TRUE, 1 FALSE, 1 UNKNOWN\n",
    ] {
        assert!(said.contains(line), "{said}");
    }
    ends_with(tmp.path(), "verify --function f --claim assert@a.c:5:3 a.c", "RESULT: TRUE");
    ends_with(tmp.path(), "verify --function f --claim assert@a.c:8:3#2 a.c", "RESULT: FALSE(assert)");
    for proof in fs::read_dir(tmp.path().join("proofs")).unwrap() {
        let proof = proof.unwrap().path();
        let (checked, told) = run_in(tmp.path(), &format!("check a.c {}", proof.display()));
        let is_run = proof.extension().is_some_and(|e| e == "json");
        assert_eq!(checked.status.code(), Some(if is_run { 10 } else { 0 }), "{told}");
    }
}

/// `int a[3]` says how many elements the function expects.
#[test]
fn declared_lengths_of_parameters_are_those_of_their_objects() {
    let tmp = tempfile::tempdir().unwrap();
    let text = "#include <assert.h>
enum { ROWS = 2 };
int last(const int a[3], char *s, int m[static ROWS][3]) { *s = 1; m[1][2] = a[2]; return m[1][2]; }
int over(int a[3]) { return a[3]; }
int rows(int m[ROWS][3]) { assert(m[1][2] != 77); return m[0][0]; }
int many(int n, int a[n]) { return a[0]; }
";
    file(tmp.path(), "a.c", text);
    let said = ends_with(tmp.path(), "verify --function last --check bounds a.c", "RESULT: TRUE");
    let objects = "that on entry of `last` a points to a separate object of 3 elements; \
        s points to a separate object of 1 element; m points to a separate object of 2 elements at a.c:3:5";
    assert!(said.contains(objects), "{said}");
    ends_with(tmp.path(), "verify --function over --check bounds a.c", "RESULT: FALSE(bounds)");
    let more = "verify --function over --check bounds --set entry.elements=4 a.c";
    ends_with(tmp.path(), more, "RESULT: TRUE");
    ends_with(tmp.path(), "verify --function rows --check assert,bounds a.c", "RESULT: FALSE(assert)");
    ends_with(tmp.path(), "verify --function many --check bounds a.c", "RESULT: TRUE");
}

/// Functions that `main` does not lead to are named, also when the verdicts were kept.
#[test]
fn functions_without_claims_are_named() {
    let tmp = tempfile::tempdir().unwrap();
    let text = "#include <assert.h>
static int g(int x) { assert(x > 0); return x; }
int h(int x) { return x; }
void never(int y) { assert(h(y) == 3); }
int (*p)(int) = g;
int main(void) { return p(2); }
";
    file(tmp.path(), "a.c", text);
    for _ in 0..2 {
        let (_, said) = run_in(tmp.path(), "verify --all --cache cache a.c");
        let wanted = "no claims of functions that `main` does not lead to: `h`, `never`\n";
        assert!(said.contains(wanted), "{said}");
    }
    let said =
        ends_with(tmp.path(), "verify --all --cache none --function never a.c", "RESULT: FALSE(assert)");
    assert!(!said.contains("does not lead to"), "{said}");
}

fn kept(dir: &Path) -> Vec<PathBuf> {
    let folders = fs::read_dir(dir.join("kept")).unwrap().map(|e| e.unwrap().path());
    let files = |f: PathBuf| fs::read_dir(f).unwrap().map(|e| e.unwrap().path()).collect::<Vec<_>>();
    folders.flat_map(files).collect()
}

/// The lines about claims, without places, also in reasons.
fn claim_lines(said: &str) -> Vec<String> {
    let word = |l: &&str| ["TRUE", "FALSE", "UNKNOWN"].iter().any(|w| l.starts_with(w));
    let told = |l: &str| l.split_once(": ").unwrap().1.split("  (").next().unwrap().to_string();
    said.lines().filter(word).map(told).collect()
}

/// The answers are the same with what is kept, without it, and with what somebody else put there. An edit
/// that moves lines finds everything again.
#[test]
fn certificates_are_kept_by_content_and_checked_again() {
    let tmp = tempfile::tempdir().unwrap();
    file(tmp.path(), "lib.c", LIBRARY);
    // A folder that cannot be one is said, and the input stays.
    let (result, said) = run_in(tmp.path(), "verify --all --cache lib.c lib.c");
    assert!(result.status.code() == Some(2) && said.contains("cannot keep results in lib.c"), "{said}");
    let words = "verify --all --recheck --check assert,overflow --cache kept lib.c";
    let first = run_in(tmp.path(), words).1;
    let count = kept(tmp.path()).len();
    assert!(count > 3, "{count}");
    let second = run_in(tmp.path(), words).1;
    assert_eq!(claim_lines(&first), claim_lines(&second));
    file(tmp.path(), "lib.c", &format!("\n\n/* moved */\n{LIBRARY}"));
    let moved = run_in(tmp.path(), words).1;
    assert_eq!(claim_lines(&first), claim_lines(&moved));
    // Nothing is new: the lines in assertions are counted from their functions.
    assert_eq!(kept(tmp.path()).len(), count);
    for entry in kept(tmp.path()) {
        fs::write(&entry, "{\"Certificate\": \"; nothing is proved\\n\"}").unwrap();
    }
    let forged = run_in(tmp.path(), words).1;
    assert_eq!(claim_lines(&first), claim_lines(&forged));
}

/// What is known of a function is told again, where it is now, as long as nothing that it depends on changes.
#[test]
fn functions_that_did_not_change_are_not_verified_again() {
    let tmp = tempfile::tempdir().unwrap();
    let words =
        |options: &str| format!("verify --all --check assert,overflow {options} --json all.json lib.c");
    let told = |text: &str, options: &str| {
        file(tmp.path(), "lib.c", text);
        let (_, said) = run_in(tmp.path(), &words(options));
        let json: Value =
            serde_json::from_str(&fs::read_to_string(tmp.path().join("all.json")).unwrap()).unwrap();
        (said.lines().skip(1).map(str::to_string).collect::<Vec<_>>(), json["claims"].clone())
    };
    let edits = [
        LIBRARY.to_string(),
        // Lines move, and one function changes.
        format!("\n\n{}", LIBRARY.replace("(a + b) / 2", "a / 2 + b / 2")),
        // A function that others call.
        LIBRARY.replace("if (v < lo) return lo;", ""),
        // A variable.
        LIBRARY.replace("int counter;", "int x; const int counter = 0;"),
        // No C: nothing that is known of other functions is told.
        LIBRARY.replace("return *p;", "return *nowhere;"),
        LIBRARY.replace("#include <assert.h>\n", ""),
        // Macros count by what they expand to.
        LIBRARY.replace("int counter;", "#undef assert\n#define assert(x) ((void)0)\nint counter;"),
    ];
    for text in &edits {
        let cold = told(text, "--cache none");
        let first = told(text, "--cache kept");
        let count = kept(tmp.path()).len();
        let second = told(text, "--cache kept --sarif all.sarif");
        assert_eq!(cold, first, "{text}");
        assert_eq!(cold, second, "{text}");
        assert_eq!(kept(tmp.path()).len(), count, "{text}");
    }
    // What is damaged is no result.
    for entry in kept(tmp.path()) {
        let text = fs::read_to_string(&entry).unwrap();
        fs::write(&entry, text.replace("FALSE", "TRUE")).unwrap();
    }
    assert_eq!(told(LIBRARY, "--cache none"), told(LIBRARY, "--cache kept"));
}

const ANNOTATED: &str = "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
//@ requires n >= 0;
//@ ensures \\result == n;
int count(int n) {
  int i = 0;
  //@ loop invariant i <= n;
  while (i < n) {
    i++;
  }
  return i;
}
int main(void) {
  int n = __VERIFIER_nondet_int();
  if (n < 0) return 0;
  if (count(n) != n) { reach_error(); }
  return 0;
}
";

/// Where `main` depends on all that there is, what is kept about the text is not taken for its claims.
#[test]
fn a_program_that_uses_all_its_parts_keeps_its_claims() {
    let tmp = tempfile::tempdir().unwrap();
    let text = "#include <assert.h>\nint f(int x) { return x + 1; }\n\
                int main(void) { assert(f(1) == 3); return 0; }\n";
    file(tmp.path(), "a.c", text);
    let all = "verify --all --cache kept a.c";
    for _ in 0..2 {
        let said = ends_with(tmp.path(), all, "1 claims: 0 TRUE, 1 FALSE, 0 UNKNOWN");
        assert!(said.contains("RESULT: FALSE(assert)"), "{said}");
    }
    file(tmp.path(), "a.c", &text.replace("+ 1", "+ 2"));
    ends_with(tmp.path(), all, "RESULT: TRUE");
}

#[test]
fn annotations_are_proved_and_never_trusted() {
    let tmp = tempfile::tempdir().unwrap();
    file(tmp.path(), "a.c", ANNOTATED);
    ends_with(tmp.path(), "verify --certificate a.smt2 a.c", "RESULT: TRUE");
    ends_with(tmp.path(), "check a.c a.smt2", "RESULT: TRUE");
    // Assumed where verification begins.
    ends_with(tmp.path(), "verify --function count a.c", "RESULT: TRUE");
    let wrong = [
        ("i <= n;", "i < n;", "verify a.c"),
        ("if (n < 0) return 0;", "", "verify a.c"),
        ("\\result == n", "\\result == n + 1", "verify a.c"),
        ("//@ requires n >= 0;", "", "verify --function count a.c"),
    ];
    for (from, to, words) in wrong {
        let text = ANNOTATED.replacen(from, to, 1);
        assert_ne!(text, ANNOTATED, "{from}");
        file(tmp.path(), "a.c", &text);
        let said = ends_with(tmp.path(), words, "RESULT: FALSE(annotation)");
        assert!(said.contains("a.c:") && !said.contains("__palisade"), "{said}");
        let claim = if to.is_empty() { "n >= 0" } else { to.trim_end_matches(';') };
        assert!(words.contains("--function") || said.contains(&format!("{claim} does not hold")), "{said}");
    }
    file(tmp.path(), "a.c", &ANNOTATED.replace("i <= n;", "i++ <= n;"));
    let (result, said) = run_in(tmp.path(), "verify a.c");
    assert_eq!(result.status.code(), Some(3), "{said}");
    assert!(said.contains("a.c:7: ") || said.contains("line 7: "), "{said}");
    // An annotation that is undefined, or that a macro gives an effect, ends or changes no run.
    let text = "int main(void) {\n  int i = 0;\n  //@ ANNOTATION;\n  while (i < 3) i++;\n  \
                //@ assert i == 4;\n  return 0;\n}\n";
    for annotation in ["loop invariant 1 / (i - i) == 0", "loop invariant i + 2147483647 > 0"] {
        file(tmp.path(), "a.c", &text.replace("ANNOTATION", annotation));
        let (result, said) = run_in(tmp.path(), "verify a.c");
        assert_ne!(result.status.code(), Some(0), "{said}");
    }
    let text = text.replace("ANNOTATION", "assert SET");
    file(tmp.path(), "a.c", &format!("#define SET (i = 1)\n{text}").replace("i++", "i += 3"));
    let (result, said) = run_in(tmp.path(), "verify a.c");
    assert_eq!(result.status.code(), Some(3), "{said}");
}

/// A check belongs to its statement: the program around it stays as it is.
#[test]
fn assertions_change_no_program() {
    let tmp = tempfile::tempdir().unwrap();
    let program = |text: &str| format!("extern void reach_error(void);\nint main(void) {{\n{text}\n}}\n");
    let both = [
        (
            "int n = 0; while (n < 3)\n//@ assert n < 5;\nn++;\nif (n == 3) reach_error(); return 0;",
            "unreach-call",
        ),
        (
            "int n = 0; for (; n < 3;)\n//@ assert n < 5;\nn++;\nif (n == 3) reach_error(); return 0;",
            "unreach-call",
        ),
        ("int n = 1; if (n == 0)\n//@ assert n < 5;\nreach_error(); return 0;", ""),
        ("int n = 1; if (n) n = 2; else\n//@ assert n < 5;\nreach_error(); return 0;", ""),
        ("int n = 0; do\n//@ assert n < 2;\nn++;\nwhile (n < 3); return 0;", "annotation"),
        ("int n = 0;\n#ifdef NO\n//@ assert n == 1;\n#endif\nn = 1; return n;", ""),
        ("int n = 0;\n#ifndef NO\n//@ assert n == 1;\n#endif\nn = 1; return n;", "annotation"),
    ];
    for (text, violated) in both {
        file(tmp.path(), "a.c", &program(text));
        let result =
            if violated.is_empty() { "RESULT: TRUE".into() } else { format!("RESULT: FALSE({violated})") };
        ends_with(tmp.path(), "verify a.c", &result);
    }
    // What cannot be placed is refused.
    for text in [
        "int n = 1; if (n) n = 2;\n//@ assert n < 5;\nelse n = 3; return 0;",
        "int n = 1; while (n < 3)\n//@ assert n < 5;\n{ n++; } return 0;",
        "int n = 1;\n//@ loop invariant n < 5;\n#define N 3\nwhile (n < N) n++; return 0;",
    ] {
        file(tmp.path(), "a.c", &program(text));
        let (result, said) = run_in(tmp.path(), "verify a.c");
        assert_eq!(result.status.code(), Some(3), "{said}");
    }
    // A `return` that a macro makes would leave the function unseen.
    for body in ["RETURN a;", "LEAVE(a > 3); return a;"] {
        let text = format!(
            "#define RETURN return\n#define LEAVE(e) if (!(e)) return -1\n//@ ensures \\result >= 3;\n\
             static int f(int a) {{ {body} }}\nint main(void) {{ return f(2); }}\n"
        );
        file(tmp.path(), "a.c", &text);
        let (result, said) = run_in(tmp.path(), "verify a.c");
        assert_eq!(result.status.code(), Some(3), "{said}");
        assert!(said.contains("a.c:4:") && said.contains("made by a macro"), "{said}");
    }
    // A program begins with known values.
    let text = "static int done;\n//@ requires done == 7;\nint main(void) { return done; }\n";
    file(tmp.path(), "a.c", text);
    ends_with(tmp.path(), "verify --witness a.yml a.c", "RESULT: FALSE(annotation)");
    // The format of witnesses has no word for that.
    assert!(!tmp.path().join("a.yml").exists());
}

/// Annotations and witnesses are code for the engine, and no step of what is told.
#[test]
fn what_is_woven_in_is_not_told() {
    let tmp = tempfile::tempdir().unwrap();
    let text = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\n\
                //@ ensures \\result >= 0;\nint clip(int x) { if (x < 0) return 0; return x; }\n\
                int main(void) {\n  int n = __VERIFIER_nondet_int(), s = 0, i = 0;\n  \
                //@ loop invariant s >= 0; loop invariant i >= 0;\n  \
                while (i < 4) { s += clip(n) > 9; i++; }\n  //@ assert i == 4;\n  \
                if (s > 3) { reach_error(); }\n  return 0;\n}\n";
    let steps = |said: &str| {
        let run = said.lines().filter(|l| l.contains("  a.") && !l.starts_with("      "));
        run.map(str::to_string).collect::<Vec<_>>()
    };
    for name in ["a.c", "a.i"] {
        file(tmp.path(), name, text);
        let verify = format!("verify --engine ic3-cfa --witness b.yml {name}");
        let annotated = ends_with(tmp.path(), &verify, "RESULT: FALSE(unreach-call)");
        file(tmp.path(), name, &text.replace("//@", "// "));
        let verify = format!("verify --engine ic3-cfa --witness a.yml {name}");
        let plain = ends_with(tmp.path(), &verify, "RESULT: FALSE(unreach-call)");
        assert!(steps(&plain).len() > 20, "{plain}");
        assert_eq!(steps(&annotated), steps(&plain), "{annotated}");
        for witness in ["a.yml", "b.yml"] {
            let validate = format!("validate {witness} {name}");
            let along = ends_with(tmp.path(), &validate, "RESULT: FALSE(unreach-call)");
            assert_eq!(steps(&along), steps(&plain), "{along}");
        }
    }
}

#[test]
fn the_words_of_cbmc_are_understood() {
    let tmp = tempfile::tempdir().unwrap();
    let text = "int nondet_int(void);
int main(void) {
  int n = nondet_int(), i = 0;
  __CPROVER_assume(n >= 0);
  while (i < n)
    __CPROVER_loop_invariant(0 <= i && i <= n)
  {
    i++;
  }
  __CPROVER_assert(i == n, \"end\");
  return 0;
}
";
    file(tmp.path(), "a.c", text);
    ends_with(tmp.path(), "verify a.c", "RESULT: TRUE");
    file(tmp.path(), "a.c", &text.replace("0 <= i &&", "1 <= i &&"));
    ends_with(tmp.path(), "verify a.c", "RESULT: FALSE(annotation)");
}

#[test]
fn flags_come_from_the_build_and_defaults_from_the_project() {
    let tmp = tempfile::tempdir().unwrap();
    fs::create_dir_all(tmp.path().join("build")).unwrap();
    fs::create_dir_all(tmp.path().join("include")).unwrap();
    file(tmp.path(), "include/limit.h", "#ifndef LIMIT\n#error LIMIT is needed\n#endif\n");
    let text = "#include \"limit.h\"\n#include <assert.h>\n\
                int main(void) { assert(LIMIT == 3 && sizeof(long) == 8); return 0; }\n";
    file(tmp.path(), "a.c", text);
    let commands = "[{\"directory\": \"DIR/build\", \"file\": \"../a.c\",
        \"command\": \"cc -I../include -DLIMIT=3 -O2 -c ../a.c -o a.o\"}]";
    let commands = commands.replace("DIR", tmp.path().to_str().unwrap());
    file(tmp.path(), "build/compile_commands.json", &commands);
    let (result, said) = run_in(tmp.path(), "verify a.c");
    assert_eq!(result.status.code(), Some(3), "{said}");
    ends_with(tmp.path(), "verify -p build a.c", "RESULT: TRUE");
    file(tmp.path(), "palisade.toml", "[verify]\ninputs = [\"a.c\"]\np = \"build\"\nengine = \"ic3-cfa\"\n");
    ends_with(tmp.path(), "verify", "RESULT: TRUE");
    let (result, said) = run_in(tmp.path(), "verify --engine nothing");
    assert!(result.status.code() == Some(2) && said.contains("there is no engine `nothing`"), "{said}");
    // Each file has its own flags, in any of the forms that builds write.
    let main = "#include <assert.h>\nint three(void);\nint main(void) { assert(three() == N); return 0; }\n";
    file(tmp.path(), "main.c", main);
    file(tmp.path(), "three.c", "#ifdef N\n#error\n#endif\nint three(void) { return FROM_HEADER; }\n");
    file(tmp.path(), "build/config.h", "#define FROM_HEADER 3\n");
    file(tmp.path(), "build/flags.rsp", "-DN=4\n-UN \"-DN=3\"\n");
    let forms = serde_json::json!([
        {"directory": ".", "file": "../main.c", "arguments": ["cc", "@flags.rsp", "-c", "../main.c"]},
        {"directory": ".", "file": "../three.c", "command": "cc -include config.h -c ../three.c"},
    ]);
    file(tmp.path(), "build/compile_commands.json", &forms.to_string());
    ends_with(tmp.path(), "verify -p build --certificate p.smt2 main.c three.c", "RESULT: TRUE");
    ends_with(tmp.path(), "check main.c three.c p.smt2", "RESULT: TRUE");
    ends_with(tmp.path(), "check -p build main.c three.c p.smt2", "RESULT: TRUE");
    file(tmp.path(), "build/flags.rsp", "-DN=4\n");
    let (result, said) = run_in(tmp.path(), "check -p build main.c three.c p.smt2");
    assert!(result.status.code() == Some(2) && said.contains("-p contradicts p.smt2"), "{said}");
    let (result, said) = run_in(tmp.path(), "dump --as cfa -p build main.c three.c");
    assert!(result.status.success() && said.contains("-> error"), "{said}");
    file(tmp.path(), "build/compile_commands.json", &commands.replace("-O2", "-funsigned-char"));
    let (result, said) = run_in(tmp.path(), "verify -p build a.c");
    assert_eq!(result.status.code(), Some(3), "{said}");
}

/// What is checked in a condition is named there, not at the statement before.
#[test]
fn claims_in_conditions_have_their_place() {
    let tmp = tempfile::tempdir().unwrap();
    let text = "int f(int *p, int d) {\n  int s = 0;\n  if (p[d] > 10 / d)\n    s = 1;\n  return s;\n}\n";
    file(tmp.path(), "a.c", text);
    let (_, said) = run_in(tmp.path(), "verify --all --check memory,div-by-zero --cache none a.c");
    assert!(said.contains("FALSE    a.c:3:7: valid-deref in f: p[d] > 10 / d\n"), "{said}");
    assert!(said.contains("FALSE    a.c:3:7: div-by-zero in f: p[d] > 10 / d\n"), "{said}");
    let claim = "verify --function f --check memory,div-by-zero --claim div-by-zero@a.c:3:7 a.c";
    ends_with(tmp.path(), claim, "RESULT: FALSE(div-by-zero)");
}

const NESTED: &str = "#include <assert.h>
struct node { int value; struct node *next; int (*callback)(int); };
struct box { struct node *head; struct node first; int *data; union { int *p; long n; } u; };
struct box global;

int inside(struct box *b) {
  b->head->value = 1;
  assert(b->head->value == 1 && b->head != b->first.next);
  return b->first.next->value;
}

int deeper(struct box *b) {
  return b->head->next->value;
}

int data(void) {
  return *global.data;
}

int checked(const struct box *b) {
  assert(b->head != 0);
  return 0;
}

int twice(int **p) {
  **p = 3;
  return **p;
}
";

#[test]
fn pointers_in_objects_have_objects() {
    let tmp = tempfile::tempdir().unwrap();
    file(tmp.path(), "lib.c", NESTED);
    let verify = |options: &str, last: &str| {
        ends_with(tmp.path(), &format!("verify --check assert,memory {options} lib.c"), last)
    };
    let said = verify("--function inside", "RESULT: TRUE");
    assert!(said.contains("of `inside` b, b->head, b->first.next, b->data, global.head"), "{said}");
    verify("--function twice", "RESULT: TRUE");
    verify("--function data", "RESULT: TRUE");
    let said = verify("--function inside --set entry.depth=1", "RESULT: FALSE(valid-deref)");
    assert!(said.contains("b = &(*b@entry)") && said.contains("b@entry->head = "), "{said}");
    verify("--function deeper", "RESULT: FALSE(valid-deref)");
    let words = "--function deeper --set entry.depth=3 --certificate p.smt2";
    verify(words, "RESULT: TRUE");
    ends_with(tmp.path(), "check lib.c p.smt2", "RESULT: TRUE");
    // Null only where it is asked for.
    verify("--function checked", "RESULT: TRUE");
    let words = "verify --check memory --function checked --set entry.null=true lib.c";
    let said = ends_with(tmp.path(), words, "RESULT: FALSE(valid-deref)");
    assert!(said.contains("b = NULL"), "{said}");
    verify("--function data --set entry.null=true", "RESULT: FALSE(valid-deref)");
}

/// What several functions assume is told once, with the number of its places.
#[test]
fn assumptions_are_told_once() {
    let tmp = tempfile::tempdir().unwrap();
    let text = "#include <assert.h>\nint f(int x) { assert(x == x); return x + 1; }\n\
                int g(int x) { assert(x == x); return x + 2; }\n";
    file(tmp.path(), "two.c", text);
    for _ in 0..2 {
        // The second time from what is kept.
        let said = ends_with(tmp.path(), "verify --all --cache kept two.c", "RESULT: TRUE");
        let told: Vec<&str> = said.lines().filter(|l| l.starts_with("assuming no signed overflow")).collect();
        assert_eq!(told, ["assuming no signed overflow at two.c:2:32 and 1 more place"], "{said}");
    }
}

/// Outputs of an earlier run stay until a run has a result; then they are of that run.
#[test]
fn a_run_that_fails_loses_nothing() {
    let tmp = tempfile::tempdir().unwrap();
    file(tmp.path(), "good.c", "int main(void) { int i = 0; while (i < 9) i++; return 0; }\n");
    file(tmp.path(), "bad.c", "int main(void) { return 0;\n");
    let outputs = ["r.json", "r.sarif", "r.html", "r.yml", "r.smt2"];
    let words = "--json r.json --sarif r.sarif --html r.html --witness r.yml --certificate r.smt2";
    let read = || outputs.map(|f| fs::read_to_string(tmp.path().join(f)).ok());
    ends_with(tmp.path(), &format!("verify {words} good.c"), "RESULT: TRUE");
    let earlier = read();
    assert!(earlier.iter().all(Option::is_some));
    for (refused, code) in [("bad.c", 3), ("nowhere.c", 3), ("--engine dance good.c", 2)] {
        let (result, said) = run_in(tmp.path(), &format!("verify {words} {refused}"));
        assert_eq!(result.status.code(), Some(code), "{said}");
        assert_eq!(read(), earlier, "{said}");
    }
    let loops = "#include <assert.h>\nextern int n(void);\nint main(void) { int i = 0; \
                 while (n()) { if (i < 99) i++; } assert(i < 99); return 0; }\n";
    file(tmp.path(), "loops.c", loops);
    let (result, said) =
        run_in(tmp.path(), &format!("verify {words} --engine bmc --set bmc.bound=2 loops.c"));
    assert_eq!(result.status.code(), Some(20), "{said}");
    let now = read();
    assert!(now[0].as_ref().unwrap().contains("UNKNOWN"), "{said}");
    assert!(now[..3].iter().all(Option::is_some) && now[3..].iter().all(Option::is_none), "{said}");
}
