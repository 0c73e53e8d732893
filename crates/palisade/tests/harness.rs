//! A counterexample of a C program, as C: compiled and linked with the program it makes it reach the error.
//!
//! `PALISADE_TEST_SCALE=10 cargo test --release -p palisade --test harness suite -- --nocapture` does that
//! for all unsafe tasks of `../shared/benchmarks/c/svcomp` that `bmc` finds within 5 seconds; otherwise one
//! small family of them is tried.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The exit status of a program that reaches its error in a harness.
const ERROR_EXIT: i32 = 107;

const PROGRAMS: [(&str, &str); 6] = [
    (
        "contents of allocated memory",
        "void *malloc(__SIZE_TYPE__); struct inner { char tag; long weight; }; struct node \
         { int key; struct inner in; struct node *next; short rest[3]; };\n\
         int main(void) {\n\
           struct node *a = malloc(sizeof(struct node)), *b = malloc(sizeof(struct node));\n\
           if (a->key == 41 && b->key == -7 && b->in.tag == 'x' && b->in.weight == 123456789012L && a->next \
           == 0 && b->next != 0) reach_error();\n\
           return 0; }",
    ),
    (
        "arrays in allocated memory",
        "void *malloc(__SIZE_TYPE__); struct row { int a; short b[3]; char c; };\n\
         int main(void) {\n\
           int *p = malloc(4 * sizeof *p), *q = malloc(100 * sizeof *q);\n\
           struct row *r = malloc(sizeof *r);\n\
           if (p[2] == 7 && p[0] == 3 && q[77] == 5 && q[3] == -2 && q[4] == q[5] && q[5] == 9 &&\n\
             r->b[1] == -4 && r->b[2] == r->a + 1 && r->c == 'x') reach_error();\n\
           return 0; }",
    ),
    (
        "every type of input, in an order that matters",
        "int main(void) {\n\
           signed char a = __VERIFIER_nondet_char(); unsigned short b = __VERIFIER_nondet_ushort(); long c = \
           __VERIFIER_nondet_long();\n\
           unsigned long d = __VERIFIER_nondet_ulong(); _Bool e = __VERIFIER_nondet_bool(); int f = \
           __VERIFIER_nondet_int(), g = __VERIFIER_nondet_int();\n\
           if (a == -100 && b == 60000 && c == -5000000000L && d == 18446744073709551615UL && e && f == g + \
           7 && g == 2147483640) reach_error();\n\
           return 0; }",
    ),
    (
        "a loop, an assumption, values that do not matter",
        "int main(void) {\n\
           int n = __VERIFIER_nondet_int(), s = 0; __VERIFIER_assume(n > 3 && n < 9);\n\
           while (n > 0) { int x = __VERIFIER_nondet_int(), unused = __VERIFIER_nondet_int(); \
           if (x < 0 || x > 10) return 0; s += x; n--; }\n\
           if (s == 37) reach_error(); return 0; }",
    ),
    (
        "an assertion, arrays and the string library",
        "void assert(int); char *strncpy(char *, const char *, __SIZE_TYPE__); int strcmp(const char *, \
         const char *);\n\
         int main(void) {\n\
           char a[4] = { 0 }, b[4] = { 0 }; for (int i = 0; i < 3; i++) a[i] = __VERIFIER_nondet_char();\n\
           strncpy(b, a, 2); assert(strcmp(b, \"xy\") != 0); return 0; }",
    ),
    (
        "pointers from outside",
        "int main(void) {\n\
           int *p = __VERIFIER_nondet_pointer(), *q = __VERIFIER_nondet_pointer();\n\
           if (p == 0 && q != 0) { *q = 5; if (*q == 5) reach_error(); } return 0; }",
    ),
];

const DECLARATIONS: &str = "extern char __VERIFIER_nondet_char(void); extern unsigned short \
    __VERIFIER_nondet_ushort(void);\n\
    extern long __VERIFIER_nondet_long(void); extern unsigned long __VERIFIER_nondet_ulong(void); extern \
    _Bool __VERIFIER_nondet_bool(void);\n\
    extern int __VERIFIER_nondet_int(void); extern void *__VERIFIER_nondet_pointer(void); extern void \
    __VERIFIER_assume(int); extern void reach_error(void);\n";

/// Verifies, compiles and runs.
fn repeat(program: &Path, mode: &str, folder: &Path) {
    let (harness, binary) = (folder.join("harness.c"), folder.join("repeated"));
    let _ = fs::remove_file(&harness);
    let result = Command::new(env!("CARGO_BIN_EXE_palisade"))
        .args(["verify", "--engine", "bmc", "--64", "--int", mode, "--timeout", "60", "--harness"])
        .args([&harness, program])
        .output()
        .expect("the binary starts");
    let told = String::from_utf8_lossy(&result.stdout) + String::from_utf8_lossy(&result.stderr);
    assert_eq!(result.status.code(), Some(10), "{} {mode}\n{told}", program.display());
    let text = fs::read_to_string(&harness).expect("a harness was written");
    let compiled = Command::new("gcc")
        .args(["-w", "-m64", "-o"])
        .args([&binary, program, &harness])
        .output()
        .expect("gcc runs");
    assert!(compiled.status.success(), "{}\n{text}", String::from_utf8_lossy(&compiled.stderr));
    let status = Command::new(&binary).output().expect("the program runs").status;
    assert_eq!(
        status.code(),
        Some(ERROR_EXIT),
        "{} {mode} does not reach the error\n{text}",
        program.display()
    );
}

#[test]
fn counterexamples_are_repeated_by_compiled_programs() {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in PROGRAMS {
        let program = folder.path().join(format!("{}.c", name.replace([' ', ','], "_")));
        fs::write(&program, format!("{DECLARATIONS}{text}\n")).unwrap();
        for mode in ["c", "bv"] {
            repeat(&program, mode, folder.path());
        }
    }
    let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/off_by_one.c");
    repeat(&example, "c", folder.path());
}

/// The fate of the counterexample of a task: found, repeated.
fn attempt(program: &Path, property: &Path, seconds: &str, folder: &Path) -> (bool, bool) {
    let (harness, binary) = (folder.join("harness.c"), folder.join("repeated"));
    let _ = fs::remove_file(&harness);
    let found = Command::new(env!("CARGO_BIN_EXE_palisade"))
        .args(["verify", "--engine", "bmc", "--64", "--timeout", seconds, "--memory", "3000", "--property"])
        .arg(property)
        .arg("--harness")
        .args([&harness, program])
        .output()
        .expect("the binary starts")
        .status
        .code()
        == Some(10);
    if !found {
        return (false, false);
    }
    let compiled = Command::new("gcc").args(["-w", "-m64", "-o"]).args([&binary, program, &harness]).output();
    assert!(compiled.expect("gcc runs").status.success(), "{} does not compile", program.display());
    // A run that the harness does not decide may go anywhere.
    let run = Command::new("timeout").arg("10").arg(&binary).output().expect("the program runs");
    (true, run.status.code() == Some(ERROR_EXIT))
}

#[test]
fn suite() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/benchmarks/c");
    if !root.is_dir() {
        eprintln!("skipped: there is no ../shared/benchmarks/c");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let all = palisade_fuzzing::scale() >= 10;
    let seconds = if all { "5" } else { "20" };
    let mut families: Vec<_> =
        fs::read_dir(root.join("svcomp")).unwrap().map(|e| e.unwrap().path()).collect();
    families.sort();
    let (mut tasks, mut found, mut repeated) = (0, 0, 0);
    for family in families.iter().filter(|f| all || f.ends_with("bitvector-regression")) {
        let Ok(table) = fs::read_to_string(family.join("tasks.csv")) else { continue };
        for row in table.lines().filter(|row| row.contains(",false,unreach-call,")) {
            let program = family.join(row.split(',').next().unwrap());
            let (counterexample, again) =
                attempt(&program, &root.join("properties/unreach-call-2019.prp"), seconds, folder.path());
            tasks += 1;
            found += usize::from(counterexample);
            repeated += usize::from(again);
            if counterexample && !again {
                println!("not repeated: {}", program.display());
            }
        }
    }
    println!("{tasks} unsafe tasks, {found} counterexamples, {repeated} repeated by the compiled program");
    // In the large, some runs depend on uninitialised memory, which a harness does not decide.
    assert!(found >= 4 && if all { repeated * 10 >= found * 9 } else { repeated == found });
}
