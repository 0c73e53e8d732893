//! Facts about all cells of arrays: random small C programs that fill, copy and change arrays and assert
//! something of every cell, beside what they compute.
//!
//! The proofs are about any one cell and checked by `certify`; where the assertion fails, there is none.

mod common;

use common::{bounded, settings};
use palisade_fuzzing::{Random, scale};
use palisade_verify::{COptions, Input, TermPool, Verdict, find_engine, load};

/// The length of the arrays: more than become variables of their own.
const LENGTH: usize = 12;

/// A program, and whether its assertion holds.
fn program(rng: &mut Random) -> (String, bool) {
    let (mut a, mut b) = ([0_i64; LENGTH], [0_i64; LENGTH]);
    let mut text = String::from("void reach_error(void);\nint main(void) {\n");
    text += &format!("  int a[{LENGTH}] = {{0}}, b[{LENGTH}] = {{0}};\n");
    for _ in 0..2 + rng.below(2) {
        let c = rng.below(3) as i64;
        let from = rng.below(3);
        // What is written: (array a, value).
        let (statement, effect): (String, Effect) = match rng.below(6) {
            0 => (format!("a[i] = {c};"), Box::new(move |_, _, _| (true, c))),
            1 => (format!("a[i] = i + {c};"), Box::new(move |i, _, _| (true, i + c))),
            2 => ("b[i] = a[i];".to_owned(), Box::new(|_, a, _| (false, a))),
            3 => (format!("b[i] = a[i] + {c};"), Box::new(move |_, a, _| (false, a + c))),
            4 => (
                format!("if (a[i] > {c}) b[i] = a[i]; else b[i] = {c};"),
                Box::new(move |_, a, _| (false, a.max(c))),
            ),
            _ => {
                let at = rng.below(LENGTH) as i64;
                let statement = format!("if (i == {at}) a[i] = {c};");
                (statement, Box::new(move |i, a, _| (true, if i == at { c } else { a })))
            }
        };
        text += &format!("  for (int i = {from}; i < {LENGTH}; i++) {{ {statement} }}\n");
        for i in from..LENGTH {
            let (to_a, value) = effect(i as i64, a[i], b[i]);
            if to_a { a[i] = value } else { b[i] = value }
        }
    }
    let c = rng.below(3) as i64;
    let from = rng.below(2);
    let (condition, holds): (String, Check) = match rng.below(4) {
        0 => ("b[i] == a[i]".to_owned(), Box::new(|_, a, b| a == b)),
        1 => ("b[i] >= a[i]".to_owned(), Box::new(|_, a, b| b >= a)),
        2 => (format!("a[i] >= {c}"), Box::new(move |_, a, _| a >= c)),
        _ => (format!("a[i] <= i + {c}"), Box::new(move |i, a, _| a <= i + c)),
    };
    text += &format!(
        "  for (int i = {from}; i < {LENGTH}; i++) if (!({condition})) reach_error();\n  return 0;\n}}\n"
    );
    let holds = (from..LENGTH).all(|i| holds(i as i64, a[i], b[i]));
    (text, holds)
}

/// What a loop writes for an index and the old cells: to `a` or to `b`, and which value.
type Effect = Box<dyn Fn(i64, i64, i64) -> (bool, i64)>;
/// Does the assertion hold for an index and its cells?
type Check = Box<dyn Fn(i64, i64, i64) -> bool>;

#[test]
fn proofs_about_any_cell_are_right() {
    for encoding in ["cell-facts", "any-cell", "any-size"] {
        let (mut proved, mut violated) = (0, 0);
        for seed in 0..40 * scale() as u64 {
            let (text, holds) = program(&mut Random::new(seed));
            let pool = TermPool::new();
            let input = Input::Text("cells.c".into(), text.clone());
            let loaded = load(&pool, &[input], &COptions::default()).expect("a C program");
            let options = [("encoding", encoding)];
            let settings = settings(find_engine("ic3-cfa").expect("an engine"), &options);
            match bounded(&pool, &loaded.program, &settings, 20).0 {
                Verdict::Safe(proof) => {
                    assert!(holds, "{encoding}, seed {seed}:\n{text}");
                    proved += usize::from(!proof.invariants().forall.is_empty());
                }
                Verdict::Unsafe(_) => assert!(!holds, "{encoding}, seed {seed}:\n{text}"),
                Verdict::Unknown(_) => {}
            }
            violated += usize::from(!holds);
        }
        assert!(proved >= 8 && violated >= 8, "{encoding}: {proved} proved, {violated} violated");
    }
}
