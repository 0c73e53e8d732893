//! The compiled program beside the automaton: equal values pass, a compiler with another idea of C is caught.
#![cfg(unix)]

use std::os::unix::fs::PermissionsExt as _;

use palisade_front_c::{COptions, CrossCheck, DataModel, Input, IntMode, cross_check};

const PROGRAM: &str = r#"
int __VERIFIER_nondet_int(void);
unsigned char __VERIFIER_nondet_uchar(void);
void __VERIFIER_assume(int);
void reach_error(void);
struct pair { short a; unsigned b : 5; char c[3]; } global;
static int twice(int n) { return n + n; }
int main(void) {
  int n = __VERIFIER_nondet_int(), uninitialised;
  __VERIFIER_assume(n >= 0 && n < 40);
  unsigned char byte = __VERIFIER_nondet_uchar();
  char small = byte;
  long sum = 0;
  struct pair *p = &global;
  for (int i = 0; i < n; i++) {
    sum += twice(i) - byte;
    p->b += i;
    global.c[i % 3]++;
    small = small * 3 + i;
  }
  int chained = small = sum >> 2;
  if (sum == 12345) reach_error();
  uninitialised += chained;
  return uninitialised;
}
"#;

fn options(int_mode: IntMode) -> COptions {
    COptions { int_mode, data_model: DataModel::Lp64, ..COptions::default() }
}

fn check(text: &str, options: &COptions) -> CrossCheck {
    let input = Input::Text("t.c".into(), text.into());
    cross_check(&[input], options, 30, 7).expect("translated")
}

fn has_gcc() -> bool {
    let found = std::process::Command::new("gcc").arg("--version").output().is_ok();
    if !found {
        eprintln!("no gcc: not tested");
    }
    found
}

#[test]
fn equal_programs_agree() {
    for mode in [IntMode::C, IntMode::Bv] {
        match check(PROGRAM, &options(mode)) {
            CrossCheck::Agree { runs, values, skipped, .. } => {
                assert!(runs > 5 && values > 200, "{runs} runs, {values} values, {skipped} skipped");
            }
            _ if !has_gcc() => {}
            other => panic!("{mode:?}: {other}"),
        }
    }
    assert!(matches!(check(PROGRAM, &options(IntMode::Math)), CrossCheck::Impossible(_)));
    let volatile = "volatile int x; int main(void) { int y = x; return y; }";
    assert!(matches!(check(volatile, &options(IntMode::C)), CrossCheck::Impossible(_)));
}

/// Each statement stores one value.
#[test]
fn every_stored_value_is_compared() {
    let statements = [
        "x = 3;",
        "y = x + __VERIFIER_nondet_uchar();",
        "x += y;",
        "x++;",
        "--y;",
        "int z = x * 2;",
        "*p = z - 1;",
        "s[y & 1].a = p[0];",
        "s[1].b = y;",
        "*p = twice;",
        "c = __VERIFIER_nondet_uchar();",
        "return(c);",
    ];
    for n in 1..=statements.len() {
        let text = format!(
            "unsigned char __VERIFIER_nondet_uchar(void); struct {{ short a; unsigned b : 3; }} s[2];\n\
             int x, y, twice = 2; char c; int main(void) {{ int *p = &x; {} }}",
            statements[..n].join(" ")
        );
        match check(&text, &options(IntMode::C)) {
            CrossCheck::Agree { runs, values, .. } => assert_eq!((runs, values), (30, 30 * n), "{text}"),
            _ if !has_gcc() => {}
            other => panic!("{other}\n{text}"),
        }
    }
}

/// What `main` returns is not taken for a word of the harness.
#[test]
fn any_value_may_be_returned() {
    for data_model in [DataModel::Ilp32, DataModel::Lp64] {
        for value in [palisade_front_c::ERROR_EXIT, 108, 109] {
            let text = format!("int main(void) {{ int a = {value}; return a; }}");
            let checked = check(&text, &COptions { data_model, ..options(IntMode::C) });
            let agrees = matches!(checked, CrossCheck::Agree { runs: 30, partial: 0, .. });
            assert!(agrees || !has_gcc() || !cfg!(target_os = "linux"), "{value}: {checked}");
        }
    }
}

/// Functions that no edge of the automaton calls have no inputs; a program that mentions them still links.
#[test]
fn functions_that_are_never_called_do_not_matter() {
    let text = r#"
int __VERIFIER_nondet_int(void);
long __VERIFIER_nondet_long(void);
double __VERIFIER_nondet_double(void);
void reach_error(void);
int unused(void) { return (int)__VERIFIER_nondet_long() + (__VERIFIER_nondet_double() > 1); }
int main(void) {
  int n = __VERIFIER_nondet_int(), k = n / 3;
  if (k > n && n > 0) reach_error();
  return 0;
}
"#;
    match check(text, &options(IntMode::C)) {
        CrossCheck::Agree { runs, values, .. } => assert!(runs == 30 && values >= 60, "{runs}, {values}"),
        _ if !has_gcc() => {}
        other => panic!("{other}"),
    }
}

/// Undefined behaviour of the compiled program is no difference.
/// What C or another file leaves open is no difference: orders of evaluation, objects that a function
/// without body is given. A status of the harness may be one of the program.
#[test]
fn what_is_open_is_no_difference() {
    for text in [
        "int g; int f(void) { g = 5; return 1; } int main(void) { int x = g + f(); return x; }",
        "extern void foo(int *); int main(void) { int x = 1; foo(&x); int y = x; return y; }",
        "extern void exit(int); int main(void) { int x = 3; exit(107 + x - 3); }",
        "unsigned long __ctype_get_mb_cur_max(void); void *malloc(unsigned long); void free(void *); \
         int main(void) { char *p = malloc(3); *p = 2; int x = *p; free(p); return x; }",
    ] {
        match check(text, &options(IntMode::C)) {
            CrossCheck::Agree { runs, partial, .. } => assert!(runs + partial > 0, "{text}"),
            _ if !has_gcc() => {}
            other => panic!("{text}: {other}"),
        }
    }
}

#[test]
fn undefined_runs_are_skipped() {
    let text = "int a[2]; int main(void) { int x = 2147483647; x++; a[x & 7] = x; return x; }";
    match check(text, &options(IntMode::C)) {
        CrossCheck::Agree { runs, .. } => assert_eq!(runs, 0),
        _ if !has_gcc() => {}
        other => panic!("{other}"),
    }
}

/// gcc computes the low bits of a product without overflow, and its sanitizer does not see any.
#[test]
fn overflow_that_the_sanitizer_does_not_see_is_said() {
    let text = "int main(void) { unsigned short v = 65024;\n v = v * v; return v; }";
    match check(text, &options(IntMode::C)) {
        CrossCheck::Agree { runs: 0, values, unseen, .. } => {
            assert!(values > 0 && unseen.runs > 0);
            assert!(unseen.to_string().ends_with(", t.c:2"), "{unseen}");
        }
        _ if !has_gcc() => {}
        other => panic!("{other}"),
    }
}

/// A compiler for which `char` is unsigned, or that rounds sizes differently, computes other values.
#[test]
fn differences_are_found() {
    if !has_gcc() {
        return;
    }
    let text = "int main(void) {\n\n  char c = 200;\n  int x = c + 1;\n  return x;\n}\n";
    let compiler = std::env::temp_dir().join(format!("palisade-cross-cc-{}", std::process::id()));
    std::fs::write(&compiler, "#!/bin/sh\nexec gcc -funsigned-char \"$@\"\n").unwrap();
    std::fs::set_permissions(&compiler, std::fs::Permissions::from_mode(0o755)).unwrap();
    for mode in [IntMode::C, IntMode::Bv] {
        let other = COptions { preprocessor: compiler.display().to_string(), ..options(mode) };
        let CrossCheck::Differ(Some(at), what) = check(text, &other) else { panic!("{mode:?}") };
        assert_eq!(at.to_string(), "t.c:4:11");
        assert_eq!(what, "the automaton has the value -55, the compiled program 201");
    }
    std::fs::remove_file(&compiler).unwrap();
}
