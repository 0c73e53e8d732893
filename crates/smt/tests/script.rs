//! SMT-LIB scripts: what goes in and what must come out.

use std::ops::ControlFlow;

use palisade_smt::Limits;
use palisade_smt::script::{Summary, run};
use palisade_term::TermPool;

fn answers(text: &str) -> (String, Summary) {
    let pool = TermPool::new();
    let mut out = String::new();
    let summary = run(&pool, text, &Limits::default(), &mut |reply| {
        out.push_str(&format!("{reply}\n"));
        ControlFlow::Continue(())
    });
    (out, summary.expect("S-expressions"))
}

#[track_caller]
fn expect(text: &str, out: &str) {
    assert_eq!(answers(text).0.trim(), out.trim());
}

#[test]
fn scopes_models_and_values() {
    expect(
        r#"(set-logic QF_LIA)
        (declare-fun x () Int) (declare-const y Int)
        (assert (and (> x 3) (= y (+ x 1))))
        (push 1) (assert (< x 5)) (check-sat) (get-value (x y (* 2 y))) (get-model) (pop 1)
        (push 1) (assert (< y 5)) (check-sat) (pop 1)
        (check-sat) (echo "done ""quoted""") (exit) (check-sat)"#,
        "sat\n((x 4) (y 5) ((* 2 y) 10))\n(\n  (define-fun x () Int 4)\n  (define-fun y () Int \
         5)\n)\nunsat\nsat\n\"done \"\"quoted\"\"\"",
    );
}

#[test]
fn cores_of_named_assertions_and_of_assumptions() {
    expect(
        "(set-option :produce-unsat-cores true)
        (declare-fun x () Real) (declare-fun b () Bool)
        (assert (! (> x 1.5) :named low)) (assert (! b :named other)) (assert (! (< x 1) :named high))
        (check-sat) (get-unsat-core)
        (reset-assertions)
        (assert (=> b (> x 0)))
        (check-sat-assuming (b (< x 0) (< x 7))) (get-unsat-assumptions)
        (check-sat)",
        "unsat\n(low high)\nunsat\n(b (< x 0))\nsat",
    );
}

#[test]
fn bit_vectors_arrays_and_definitions() {
    expect(
        "(declare-fun a () (Array Int (_ BitVec 8))) (declare-fun i () Int)
        (define-fun twice ((v (_ BitVec 8))) (_ BitVec 8) (bvshl v #x01))
        (assert (= (select (store a i #x81) i) (bvadd #x80 #x01)))
        (assert (= (twice (select a i)) #x02))
        (assert (distinct (select a i) #x01))
        (check-sat) (get-value ((select a i)))",
        "sat\n(((select a i) #x81))",
    );
}

#[test]
fn errors_are_answers_and_never_verdicts() {
    let (out, summary) = answers(
        "(declare-fun x () Int) (assert (< x unknown)) (check-sat) (get-model) (push 1) (assert true) \
         (check-sat) (pop 1) (foo)",
    );
    let lines: Vec<&str> = out.lines().collect();
    assert!(lines[0].starts_with("(error \""), "{out}");
    assert_eq!(lines[1], "unknown");
    assert_eq!(lines[3], "unknown", "the broken assertion still stands: {out}");
    assert_eq!((summary.errors, summary.answers.len()), (3, 2));
}

#[test]
fn names_of_closed_scopes_may_be_declared_anew() {
    expect(
        "(push) (declare-fun x () Int) (assert (= x 3)) (check-sat) (pop)
        (declare-fun x () Bool) (assert x) (check-sat) (get-value (x))",
        "sat\nsat\n((x true))",
    );
}

#[test]
fn the_status_of_a_benchmark_is_compared() {
    let (_, summary) = answers("(declare-fun b () Bool) (assert b) (set-info :status unsat) (check-sat)");
    assert_eq!(summary.wrong, 1);
}

#[test]
fn declared_sorts_and_differences() {
    expect(
        "(set-logic QF_AX) (declare-sort Index 0) (declare-sort Element 0)
        (declare-fun a () (Array Index Element)) (declare-fun b () (Array Index Element))
        (declare-fun i () Index) (declare-fun j () Index) (declare-fun e () Element)
        (assert (= b (store a i e)))
        (push 1) (assert (not (= i j))) (assert (not (= (select a j) (select b j)))) (check-sat) (pop 1)
        (assert (not (= a b))) (check-sat)
        (reset) (set-logic QF_IDL) (declare-fun x () Int) (declare-fun y () Int) (declare-fun z () Int)
        (assert (<= (- x y) (- 2))) (assert (<= (- y z) (- 1))) (assert (distinct (- z x) 3))
        (check-sat-assuming ((<= (- z x) 3))) (check-sat)
        (reset) (set-logic QF_RDL) (declare-fun u () Real) (declare-fun v () Real)
        (assert (< (- u v) (/ 1 2))) (assert (> (- u v) (/ 1 3))) (check-sat)
        (assert (< (- u v) (/ 1 3))) (check-sat)",
        "unsat\nsat\nunsat\nsat\nsat\nunsat",
    );
}

#[test]
fn interpolants_of_named_parts() {
    let (out, summary) = answers(
        "(declare-fun x () Int) (declare-fun y () Int) (declare-fun z () Int)
        (assert (! (= x 0) :named A)) (assert (! (= y (+ x 1)) :named B))
        (assert (! (and (= z y) (< z 1)) :named C))
        (check-sat) (get-interpolants A B C)",
    );
    let (first, interpolants) = out.split_once('\n').expect("two replies");
    assert_eq!((first, summary.errors), ("unsat", 0), "{out}");
    // The second is about y only, and between `y = 1` and `y >= 1`.
    assert!(interpolants.contains('y') && !interpolants.contains('z'), "{out}");
}

#[test]
fn a_model_is_gone_once_something_is_asserted() {
    let (out, summary) = answers("(declare-const b Bool) (check-sat) (assert b) (get-model)");
    assert!(out.contains("(error \"1:"), "{out}");
    assert_eq!(summary.errors, 1);
}

#[test]
fn a_reply_can_end_the_script() {
    let pool = TermPool::new();
    let mut replies = 0;
    let stop = &mut |_: palisade_smt::script::Reply<'_>| {
        replies += 1;
        ControlFlow::Break(())
    };
    let summary = run(&pool, "(check-sat) (check-sat)", &Limits::default(), stop).unwrap();
    assert_eq!((replies, summary.answers.len()), (1, 1));
}
