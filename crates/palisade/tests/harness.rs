//! A counterexample of a C program, as C: compiled and linked with the program it makes it reach the error.

use std::fs;
use std::path::Path;
use std::process::Command;

/// The exit status of a program that reaches its error in a harness.
const ERROR_EXIT: i32 = 107;

const PROGRAMS: [(&str, &str); 4] = [
    (
        "every type of input, in an order that matters",
        "int main(void) {\n\
           signed char a = __VERIFIER_nondet_char(); unsigned short b = __VERIFIER_nondet_ushort(); long c = __VERIFIER_nondet_long();\n\
           unsigned long d = __VERIFIER_nondet_ulong(); _Bool e = __VERIFIER_nondet_bool(); int f = __VERIFIER_nondet_int(), g = __VERIFIER_nondet_int();\n\
           if (a == -100 && b == 60000 && c == -5000000000L && d == 18446744073709551615UL && e && f == g + 7 && g == 2147483640) reach_error();\n\
           return 0; }",
    ),
    (
        "a loop, an assumption, values that do not matter",
        "int main(void) {\n\
           int n = __VERIFIER_nondet_int(), s = 0; __VERIFIER_assume(n > 3 && n < 9);\n\
           while (n > 0) { int x = __VERIFIER_nondet_int(), unused = __VERIFIER_nondet_int(); if (x < 0 || x > 10) return 0; s += x; n--; }\n\
           if (s == 37) reach_error(); return 0; }",
    ),
    (
        "an assertion, arrays and the string library",
        "void assert(int); char *strncpy(char *, const char *, __SIZE_TYPE__); int strcmp(const char *, const char *);\n\
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

const DECLARATIONS: &str = "extern char __VERIFIER_nondet_char(void); extern unsigned short __VERIFIER_nondet_ushort(void);\n\
    extern long __VERIFIER_nondet_long(void); extern unsigned long __VERIFIER_nondet_ulong(void); extern _Bool __VERIFIER_nondet_bool(void);\n\
    extern int __VERIFIER_nondet_int(void); extern void *__VERIFIER_nondet_pointer(void); extern void __VERIFIER_assume(int); extern void reach_error(void);\n";

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
