//! Proofs whose way back to a formula for every location is too long: they are certified at cut points, and
//! their files are checked like others.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

fn palisade(words: &[&str], files: &[&Path]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_palisade")).args(words).args(files).output().expect("the binary starts")
}

fn told(result: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&result.stdout), String::from_utf8_lossy(&result.stderr))
}

/// A loop whose body compares many nondeterministic values with each other. A formula inside the body speaks
/// about all their orders.
fn comparisons(values: usize) -> String {
    let mut body = String::new();
    for i in 0..values {
        let _ = writeln!(body, "    int v{i} = __VERIFIER_nondet_int();");
    }
    for i in 0..values {
        for j in 0..i {
            let _ = writeln!(body, "    if (v{i} < v{j}) s = s + 1;");
        }
    }
    let most = 10 + values * (values - 1) / 2;
    format!(
        "extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {{
  int s = 0;
  while (__VERIFIER_nondet_int()) {{
    if (s > 10) s = 0;
{body}    if (s < 0 || s > {most}) reach_error();
  }}
  return 0;
}}
"
    )
}

#[test]
fn a_proof_at_cut_points_is_written_and_checked() {
    let tmp = tempfile::tempdir().unwrap();
    let (program, certificate) = (tmp.path().join("comparisons.c"), tmp.path().join("proof.smt2"));
    fs::write(&program, comparisons(7)).unwrap();
    let path = certificate.display().to_string();
    let words = ["verify", "--engine", "ic3-cfa", "--timeout", "100", "--certificate", &path];
    let result = palisade(&words, &[&program]);
    assert_eq!(result.status.code(), Some(0), "{}", told(&result));
    let text = fs::read_to_string(&certificate).unwrap();
    assert!(text.contains("cut every cycle"), "this program no longer needs cut points:\n{text}");

    let check = |text: &str| {
        let changed = tmp.path().join("changed.smt2");
        fs::write(&changed, text).unwrap();
        palisade(&["check"], &[&program, &changed])
    };
    let result = check(&text);
    assert_eq!(result.status.code(), Some(0), "{}", told(&result));
    assert!(String::from_utf8_lossy(&result.stdout).ends_with("RESULT: TRUE\n"), "{}", told(&result));

    // The definition of the loop's head, taken away: nothing cuts the loop.
    let parts: Vec<&str> = text.split("(define-fun ").collect();
    let head = parts.iter().skip(1).find(|part| part.contains("s")).expect("the loop's head has a formula");
    let result = check(&text.replace(&format!("(define-fun {head}"), ""));
    assert_eq!(result.status.code(), Some(20), "{}", told(&result));
    assert!(told(&result).contains("no location of a cycle"), "{}", told(&result));

    // Made true everywhere: the error is no longer excluded. Made false: the loop's head is not reached, they
    // say.
    for formula in ["true", "false"] {
        let weak: Vec<String> = (parts.iter().skip(1))
            .map(|part| format!("(define-fun {} Bool {formula})", part.split(" Bool\n").next().unwrap()))
            .collect();
        let result = check(&weak.join("\n"));
        assert_eq!(result.status.code(), Some(20), "{}", told(&result));
        assert!(told(&result).contains("the certificate is wrong: "), "{}", told(&result));
    }
}

/// A model of Horn clauses defines every predicate, even one that could do without.
#[test]
fn a_horn_model_is_complete() {
    let tmp = tempfile::tempdir().unwrap();
    let (clauses, model) = (tmp.path().join("clauses.smt2"), tmp.path().join("model.smt2"));
    let text = "(set-logic HORN)
(declare-fun p (Int) Bool)
(declare-fun q (Int) Bool)
(assert (p 0))
(assert (forall ((x Int)) (=> (and (p x) (< x 9)) (q x))))
(assert (forall ((x Int)) (=> (q x) (p (+ x 1)))))
(assert (forall ((x Int)) (=> (and (p x) (> x 9)) false)))
(check-sat)
";
    fs::write(&clauses, text).unwrap();
    let p = "(define-fun p ((x Int)) Bool (<= x 9))";
    let q = "(define-fun q ((x Int)) Bool (<= x 8))";
    fs::write(&model, format!("{p}\n{q}\n")).unwrap();
    let result = palisade(&["check"], &[&clauses, &model]);
    assert_eq!(result.status.code(), Some(0), "{}", told(&result));
    fs::write(&model, format!("{p}\n")).unwrap();
    let result = palisade(&["check"], &[&clauses, &model]);
    assert_eq!(result.status.code(), Some(3), "{}", told(&result));
    assert!(told(&result).contains("there is no definition of `q`"), "{}", told(&result));
}
