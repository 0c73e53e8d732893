//! The modelled part of the C library behaves like the real one: one program, translated and compiled, finds
//! nothing to complain about in either.

mod common;

use std::process::Command;

use common::execute::{End, execute, execute_filled};
use palisade_front_c::{COptions, DataModel, Input, IntMode, translate};
use palisade_program::Property;
use palisade_term::TermPool;

const PROGRAM: &str = r#"
typedef __SIZE_TYPE__ size_t;
extern void reach_error(void); extern int __VERIFIER_nondet_end(void);
size_t strlen(const char *); size_t strnlen(const char *, size_t); char *strcpy(char *, const char *);
char *strncpy(char *, const char *, size_t);
char *strcat(char *, const char *); char *strncat(char *, const char *, size_t);
int strcmp(const char *, const char *); int strncmp(const char *, const char *, size_t);
char *strchr(const char *, int); char *strrchr(const char *, int);
int memcmp(const void *, const void *, size_t); void *memset(void *, int, size_t);
void *memcpy(void *, const void *, size_t); void *memmove(void *, const void *, size_t); int toupper(int);
int tolower(int); void *malloc(size_t);
#define CHECK(c) if (!(c)) reach_error();
struct pair { int a; short b; };
int main(void) {
  char a[8] = "abc", b[8], c[6] = { 1, 2, 3, 4, 5, 6 };
  CHECK(strlen(a) == 3) CHECK(strlen("") == 0) CHECK(strnlen(a, 2) == 2) CHECK(strnlen(a, 9) == 3)
  CHECK(strcpy(b, a) == b) CHECK(b[0] == 'a' && b[3] == 0)
  CHECK(strncpy(c, "xy", 4) == c) CHECK(c[0] == 'x' && c[1] == 'y' && c[2] == 0 && c[3] == 0 && c[4] == 5)
  strncpy(c, "pqrs", 2); CHECK(c[0] == 'p' && c[1] == 'q' && c[2] == 0)
  strcat(b, "de"); CHECK(strcmp(b, "abcde") == 0) strncat(b, "fgh", 1); CHECK(strcmp(b, "abcdef") == 0)
  CHECK(strncmp("abc", "abd", 2) == 0) CHECK(strncmp("a", "b", 0) == 0)
  CHECK(strchr(a, 'b') == a + 1) CHECK(strchr(a, 'z') == 0) CHECK(strchr(a, 0) == a + 3)
  strcpy(b, "xyxy"); CHECK(strrchr(b, 'x') == b + 2) CHECK(strrchr(b, 'q') == 0)
  CHECK(memcmp("ab\0c", "ab\0d", 3) == 0)
  memset(b, 'k', 3); CHECK(b[0] == 'k' && b[2] == 'k' && b[3] == 'y')
  memcpy(b + 1, a, 2); CHECK(b[0] == 'k' && b[1] == 'a' && b[2] == 'b' && b[3] == 'y')
  strcpy(b, "01234"); memmove(b + 1, b, 3); CHECK(strcmp(b, "00124") == 0) memmove(b, b + 1, 4);
  CHECK(strcmp(b, "01244") == 0)
  CHECK(toupper('q') == 'Q' && toupper('Q') == 'Q' && toupper('1') == '1' && tolower('Z') == 'z')
  struct pair p = { 1, 2 }, q; memcpy(&q, &p, sizeof q); CHECK(q.a == 1 && q.b == 2) memset(&q, 0, sizeof q);
  CHECK(q.a == 0 && q.b == 0)
  int v[6] = { 1, 2, 3, 4, 5, 6 }, w[6] = { 0 }, n = 3; memcpy(w + 1, v, n * sizeof(int));
  CHECK(w[0] == 0 && w[1] == 1 && w[3] == 3 && w[4] == 0)
  memcpy(w, v, sizeof v); CHECK(w[5] == 6) memset(v + 2, 0, 2 * sizeof(int));
  CHECK(v[1] == 2 && v[2] == 0 && v[3] == 0 && v[4] == 5) memset(v, 0, sizeof v);
  CHECK(v[0] == 0 && v[5] == 0)
  struct pair many[3] = { { 1, 2 }, { 3, 4 }, { 5, 6 } }, few[2]; memcpy(few, many + 1, sizeof few);
  CHECK(few[0].a == 3 && few[1].b == 6)
  unsigned short *h = malloc(4 * sizeof *h); memset(h, 0, 4 * sizeof *h); h[1] = 7;
  unsigned short *g = malloc(4 * sizeof *g); memcpy(g, h, 3 * sizeof *h); CHECK(g[1] == 7 && g[2] == 0)
  return __VERIFIER_nondet_end();
}
"#;

#[test]
fn the_library_behaves_like_the_real_one() {
    let dir = std::env::temp_dir().join(format!("palisade-library-{}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a temporary directory");
    let (file, error, binary) = (dir.join("p.c"), dir.join("e.c"), dir.join("p"));
    std::fs::write(&file, PROGRAM).expect("writing");
    std::fs::write(
        &error,
        "void exit(int); void reach_error(void) { exit(1); } int __VERIFIER_nondet_end(void) { return 0; }",
    )
    .expect("writing");
    let status = Command::new("gcc")
        .args(["-w", "-fno-builtin", "-o"])
        .args([&binary, &file, &error])
        .status()
        .expect("gcc runs");
    assert!(status.success());
    assert_eq!(
        Command::new(&binary).status().expect("it runs").code(),
        Some(0),
        "the real library disagrees"
    );
    for int_mode in [IntMode::Math, IntMode::C, IntMode::Bv] {
        for data_model in [DataModel::Ilp32, DataModel::Lp64] {
            let pool = TermPool::new();
            let options = COptions { int_mode, data_model, ..COptions::default() };
            let c = translate(&pool, &[Input::Path(file.clone())], &options).expect("translated");
            let (end, asked) = execute(&pool, &c, |_, _| 0);
            assert_eq!(end, End::Exit, "{int_mode:?} {data_model:?}");
            assert_eq!(asked.get("__VERIFIER_nondet_end"), Some(&1), "{int_mode:?} {data_model:?}");
        }
    }
    let _ = std::fs::remove_dir_all(&dir);
}

/// Of a comparison that is not equal only the sign is known: libraries return the difference of the
/// characters or a number of their own.
#[test]
fn comparisons_have_a_sign() {
    let cases = [
        ("strcmp(\"a\", \"b\")", -1),
        ("strcmp(\"b\", \"a\")", 1),
        ("strcmp(\"a\", \"ab\")", -98),
        ("strcmp(\"\\xff\", \"a\")", 158),
        ("strncmp(\"abc\", \"abf\", 3)", -3),
        ("memcmp(\"ab\\0d\", \"ab\\0c\", 4)", 1),
        ("strcasecmp(\"aB\", \"ad\")", -2),
    ];
    for (call, difference) in cases {
        for value in [-70i32, -1, 0, 1, 70] {
            let expected = if value.signum() == i32::signum(difference) { value } else { difference };
            let text = format!(
                "extern void reach_error(void); extern int __VERIFIER_nondet_end(void); int main(void) {{\
                 int r = {call}, s = {call}; if (r != {expected} || r != s) reach_error();\
                 return __VERIFIER_nondet_end(); }}"
            );
            let pool = TermPool::new();
            let c = translate(&pool, &[Input::Text("p.i".into(), text)], &COptions::default())
                .expect("translated");
            let (end, asked) = execute_filled(&pool, &c, value.into());
            assert_eq!(end, End::Exit, "{call} {value}");
            assert!(asked.contains_key("__VERIFIER_nondet_end"), "{call} {value}");
        }
    }
}

/// Bytes of pointers are not modelled, a definition of the program's own counts more than the library's,
/// and what is unknown stays unknown.
#[test]
fn what_is_not_modelled_is_said() {
    let run = |text: &str| {
        let pool = TermPool::new();
        let files =
            [Input::Text("p.i".into(), format!("extern void reach_error(void); void *memcpy();\n{text}"))];
        let c = translate(&pool, &files, &COptions::default()).expect("translated");
        execute(&pool, &c, |_, _| 0).0
    };
    let End::Error(property) =
        run("int main(void) { int x, *a[2] = { &x, &x }, *b[3]; memcpy(b, a, 6); return 0; }")
    else {
        panic!("bytes of a pointer")
    };
    assert!(property.unsupported().is_some(), "{property}");
    let own = "unsigned strlen(char *s) { return 7; } int main(void) { if (strlen(\"\") == 7) reach_error(); \
        return 0; }";
    assert_eq!(run(own), End::Error(Property::Violated("unreach-call".into())));
}
