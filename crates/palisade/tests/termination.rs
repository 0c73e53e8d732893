//! `--check termination`: proofs by measures and by rounds, runs that need not end, and their certificates.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn palisade(folder: &Path, words: &str) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_palisade"));
    command.args(words.split_whitespace()).current_dir(folder).output().expect("the binary starts")
}

fn told(result: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&result.stderr), String::from_utf8_lossy(&result.stdout))
}

const HEAD: &str = "extern int __VERIFIER_nondet_int(void); extern unsigned __VERIFIER_nondet_uint(void);\n\
    void outside(void); void abort(void); void exit(int); void reach_error(void);\n\
    #define ND __VERIFIER_nondet_int()\n#define UND __VERIFIER_nondet_uint()\n";

/// A body of `main`, what the result is, and a word of the evidence.
const PROGRAMS: &[(&str, &str, &str)] = &[
    ("int n = ND; for (int i = 0; i < n; i++);", "TRUE", "n - i"),
    (
        "int x = ND, y = ND; while (x > 0 && y > 0) { if (ND) { x--; y = ND; } else y--; }",
        "TRUE",
        "x, then y",
    ),
    ("unsigned x = UND; while (x) x &= x - 1;", "TRUE", "    x\n"),
    ("int s = 0; for (int i = 0; i < 9; i++) for (int j = i; j < 9; j++) s += j;", "TRUE", "by the values"),
    ("int a[5]; for (int i = 0; i < 5; i++) a[i] = ND; return a[3];", "TRUE", "proof"),
    ("int lo = 0, hi = ND; while (lo < hi) { if (ND) lo++; else hi--; }", "TRUE", "hi"),
    ("int x = ND; while (x != 7) { if (x > 7) x--; else x++; }", "TRUE", "proof"),
    ("return ND;", "TRUE", "no loop"),
    ("while (1) if (ND) break;", "FALSE(termination)", "need not end"),
    ("while (1);", "FALSE(termination)", "need not end"),
    ("again: goto again;", "FALSE(termination)", "need not end"),
    ("for (;;) { if (ND) exit(1); if (ND) abort(); }", "FALSE(termination)", "need not end"),
    ("unsigned x = UND; while (x > 3) x ^= 5;", "FALSE(termination)", "need not end"),
    ("int x = ND; while (x != 0) x = -x;", "FALSE(termination)", "need not end"),
    // What is not the question.
    ("if (ND) reach_error();", "TRUE", "proof"),
    (
        "int n = ND; while (n > 0) { outside(); n--; }",
        "TRUE",
        "assuming that functions without a body return",
    ),
    ("for (unsigned i = 10; i >= 0; i--);", "FALSE(termination)", "need not end"),
    // What is asked besides.
    ("int n = ND, i = 0;\n//@ loop invariant i <= 3;\nwhile (i < n) i++;", "FALSE(annotation)", "i = 4"),
    ("int n = ND, i = 0;\n//@ loop invariant i >= 0;\nwhile (i < n) i++;", "TRUE", "n - i"),
    // What cannot be known.
    ("volatile int v = 0; while (!v);", "UNKNOWN(depends on a `volatile` object", ""),
    ("int a = 0, n = ND; if (n) goto in; while (a < 5) { a++; in: a++; if (n > 3) n--; }", "TRUE", "proof"),
];

#[test]
fn programs_end_or_not() {
    let tmp = tempfile::tempdir().unwrap();
    for (body, expected, evidence) in PROGRAMS {
        fs::write(tmp.path().join("p.c"), format!("{HEAD}int main(void) {{ {body} return 0; }}\n")).unwrap();
        let _ = fs::remove_file(tmp.path().join("cert"));
        let result = palisade(tmp.path(), "verify --check termination --timeout 60 --certificate cert p.c");
        let said = told(&result);
        let line = said.lines().last().unwrap_or_default();
        assert!(line.starts_with(&format!("RESULT: {expected}")), "{body}: {said}");
        assert!(said.contains(evidence), "{body}: {said}");
        assert_eq!(said.contains("need not end"), *expected == "FALSE(termination)", "{body}: {said}");
        if !line.contains("UNKNOWN") {
            let checked = told(&palisade(tmp.path(), "check p.c cert"));
            assert_eq!(checked.lines().last(), Some(line), "{body}: {checked}");
        }
    }
}

#[test]
fn a_property_file_asks_for_it_and_nothing_else_goes_with_it() {
    let tmp = tempfile::tempdir().unwrap();
    fs::write(tmp.path().join("p.c"), format!("{HEAD}int main(void) {{ while (ND); return 0; }}\n")).unwrap();
    fs::write(tmp.path().join("t.prp"), "CHECK( init(main()), LTL(F end) )\n").unwrap();
    let result = palisade(tmp.path(), "verify --property t.prp --format svcomp p.c");
    assert_eq!((told(&result).lines().last(), result.status.code()), (Some("false(termination)"), Some(10)));
    for (words, why) in [
        ("verify --check termination,overflow p.c", "alone"),
        ("verify --check termination --all p.c", "one question"),
        ("verify --check termination --witness w.yml p.c", "no witness"),
        ("dump --check termination --as horn p.c", "no property of this format"),
    ] {
        let result = palisade(tmp.path(), words);
        assert!(result.status.code() == Some(2) && told(&result).contains(why), "{words}: {}", told(&result));
    }
}

#[test]
fn wrong_certificates_are_refused() {
    let tmp = tempfile::tempdir().unwrap();
    let text = "int main(void) { int n = ND; for (int i = 0; i < n; i++); return 0; }\n";
    fs::write(tmp.path().join("p.c"), format!("{HEAD}{text}")).unwrap();
    let result = palisade(tmp.path(), "verify --check termination --certificate cert p.c");
    assert_eq!(result.status.code(), Some(0), "{}", told(&result));
    let good = fs::read_to_string(tmp.path().join("cert")).unwrap();
    let line = good.lines().find(|l| l.contains(":palisade-measure")).expect("a measure").to_string();
    let check = |text: &str| {
        fs::write(tmp.path().join("changed"), text).unwrap();
        let result = palisade(tmp.path(), "check p.c changed");
        (result.status.code(), told(&result))
    };
    assert_eq!(check(&good).0, Some(0));
    let no_measure = check(&good.replace(&line, ""));
    assert!(no_measure.0 == Some(3) && no_measure.1.contains("has no measure"), "{no_measure:?}");
    let twice = check(&good.replace(&line, &format!("{line}\n{line}")));
    assert!(twice.0 == Some(3) && twice.1.contains("two measures"), "{twice:?}");
    let start = line.rfind("((").expect("terms");
    for wrong in ["(0)))", "(i)))", "(n)))", "((- i n))))", "((+ n 1))))"] {
        let (code, said) = check(&good.replace(&line, &format!("{}{wrong}", &line[..start])));
        assert_eq!(code, Some(20), "{wrong}: {said}");
    }
    let (code, said) = check(&good.replace("check=termination", "check=assert"));
    assert_eq!(code, Some(3), "an invariant about a measure that is not there: {said}");
}
