//! The user's compiler confirms what the translation relied on, and a compiler that sees things differently
//! is noticed.

#[cfg(unix)]
use std::path::PathBuf;

use palisade_front_c::{COptions, Checks, Confirmation, DataModel, Input, translate};
use palisade_term::TermPool;

const MODELS: [DataModel; 2] = [DataModel::Ilp32, DataModel::Lp64];

/// Facts of every kind, in every place where one can stand.
const PROGRAM: &str = r#"
enum color { RED, GREEN = 7, BLUE = GREEN + 3, LAST = 1u << 31 };
enum wide { NARROW = -1, WIDE = 5000000000 };
enum __attribute__((packed)) small { ONE = 1, TWO };
struct pair { char c; long long l; short s[3]; } __attribute__((packed));
struct outer { struct { int a; char b; }; union { long x; char y; } u; enum wide w; unsigned f : 3; };
typedef struct { char c; double d; } *pointer;
typedef struct { char c[8]; } aligned __attribute__((aligned(8)));
struct moded { enum color __attribute__((mode(byte))) a, b; };
__builtin_va_list arguments;
static struct { short a; struct { char x; int y; } in[2]; } global[3];
int table[sizeof(struct pair) + BLUE];
extern int unknown(void), more[];
void reach_error(void);
int id(int n, char *text, short values[4]) {
  typedef unsigned char byte;
  int x = n, y = x + 1;
  if (n) for (int k = 0, j = k + 1; k < n; k++) for (long m = j; m < 3; m++) x += m * k;
  else for (byte k = 0; k < 3; k++) { y = k + sizeof k; }
  switch (n) { case 'a' + 1: x = text[1] ^ 3; break; case BLUE: values[0] = ~x; default: ; }
  int n2 = ({ unsigned short s = n; s + 1u; });
  { long n = sizeof(n); x = n > 3; enum { RED = 5, AFTER = RED + 1 }; x = AFTER; int q[RED]; x += sizeof q; }
  return x + y + n2;
}
int main(void) {
  struct outer o = { 0 };
  pointer p = 0;
  unsigned char c = 200;
  int i = c << 2, s = -c, b = o.f + 1, small = TWO;
  _Bool t = i;
  i = t ? c : 1L;
  i = __builtin_offsetof(struct outer, w) + _Alignof(long long) + __alignof__(struct pair);
  global[1].in[0].y = o.a + 0x80000000 + 10000000000;
  int v[i & 3];
  return id(i, "a", 0) + (sizeof(v) > 3) + (p == 0) + s + b + small + sizeof(table);
}
"#;

fn confirmation(text: &str, options: &COptions) -> Confirmation {
    let input = Input::Text("t.i".into(), text.into());
    translate(&TermPool::new(), &[input], options).expect("translated").confirmation
}

#[test]
fn every_kind_of_fact_is_confirmed() {
    for data_model in MODELS {
        match confirmation(PROGRAM, &COptions { data_model, ..COptions::default() }) {
            Confirmation::Confirmed { facts, left_out, .. } => {
                assert!(facts > 180, "only {facts} facts");
                // The bit-field, its value, and the expression with braces.
                assert!(left_out < 8, "{left_out} facts are left out");
            }
            Confirmation::NoCompiler => eprintln!("no compiler: not tested"),
            other => panic!("{other}"),
        }
    }
    let off = COptions { confirm: false, ..COptions::default() };
    assert!(matches!(confirmation(PROGRAM, &off), Confirmation::Off));
}

/// An error function that is not declared has the type by which compilers know its name.
#[test]
fn undeclared_error_functions_have_a_type() {
    for (name, call) in [("abort", "abort()"), ("exit", "exit(2)"), ("malloc", "malloc(2)"), ("f", "f(2)")] {
        let options = COptions {
            checks: Checks { error_functions: [name.to_string()].into(), ..Checks::default() },
            ..COptions::default()
        };
        match confirmation(&format!("int main(void) {{ {call}; return 0; }}"), &options) {
            Confirmation::Confirmed { .. } => {}
            Confirmation::NoCompiler => eprintln!("no compiler: not tested"),
            other => panic!("{name}: {other}"),
        }
    }
}

/// A compiler with another idea of C.
#[cfg(unix)]
fn other_compiler(flag: &str) -> PathBuf {
    use std::os::unix::fs::PermissionsExt as _;
    let file = std::env::temp_dir().join(format!("palisade-cc-{}-{}", std::process::id(), &flag[2..]));
    std::fs::write(&file, format!("#!/bin/sh\nexec gcc {flag} \"$@\"\n")).expect("written");
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o755)).expect("executable");
    file
}

#[cfg(unix)]
#[test]
fn differences_are_found() {
    if std::process::Command::new("gcc").arg("--version").output().is_err() {
        eprintln!("no gcc: not tested");
        return;
    }
    let cases = [
        ("-funsigned-char", "(char)-1", "-1", "255"),
        ("-fpack-struct", "sizeof(struct pair)", "20", "15"),
        ("-fshort-enums", "(enum color)0", "unsigned int", "unsigned char"),
    ];
    let text = "struct pair { char c; long long l; short s[3]; };\nenum color { RED };\n\
                int main(void) { return sizeof(struct pair) + RED; }\n";
    for (flag, expression, ours, theirs) in cases {
        let compiler = other_compiler(flag);
        let options = COptions { preprocessor: compiler.display().to_string(), ..COptions::default() };
        let result = confirmation(text, &options);
        let _ = std::fs::remove_file(&compiler);
        let Confirmation::Different(_, list) = result else { panic!("{flag}: {result}") };
        let found = list.iter().find(|d| d.text == expression);
        let found = found.unwrap_or_else(|| panic!("{flag}: {list:?}"));
        assert!(found.ours.contains(ours) && found.theirs.contains(theirs), "{flag}: {found}");
    }
}
