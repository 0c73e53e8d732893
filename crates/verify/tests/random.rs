//! Every engine on random finite programs, in every encoding, against explicit-state search.
//!
//! Claims are checked by `certify`, as in every run. `PALISADE_TEST_SCALE=N` runs N times as many programs.

mod common;
#[path = "../../engines/tests/common/finite.rs"]
#[allow(dead_code, reason = "the tests of the engines use more of it")]
mod finite;

use common::{bounded, settings};
use finite::{random_program, shortest};
use palisade_fuzzing::{Random, scale};
use palisade_verify::{Reason, Stop, TermPool, Verdict, find_engine};

/// How a program is prepared; a seed picks one.
const PREPARED: &[(&str, &str)] = &[
    ("transform", "none"),
    ("encoding", "cfa"),
    ("encoding", "pc-int"),
    ("encoding", "pc-bool"),
    ("encoding", "as-is"),
    ("merge-edges", "true"),
];

/// Options that make an engine end on finite programs, or let it end undecided.
fn own_options(engine: &str) -> &'static [(&'static str, &'static str)] {
    match engine {
        "bmc" => &[("bmc.bound", "12")],
        "kind" => &[("kind.simple-path", "true")],
        // Over SMT a refutation may have no interpolant.
        "imc" => &[("imc.backend", "sat")],
        _ => &[],
    }
}

#[derive(Default)]
struct Tally {
    safe: usize,
    violated: usize,
    undecided: usize,
}

/// One engine on one program; the verdict is the one that search gives, or none.
fn judge(engine: &str, more: &[(&'static str, &'static str)], seed: u64, tally: &mut Tally) {
    let pool = TermPool::new();
    let program = random_program(&pool, &mut Random::new(seed));
    let expected = shortest(&pool, &program);
    let prepared = PREPARED[seed as usize % PREPARED.len()];
    let options: Vec<_> = own_options(engine).iter().chain(more).copied().chain([prepared]).collect();
    let settings = settings(find_engine(engine).expect("an engine"), &options);
    let (verdict, path) = bounded(&pool, &program, &settings, 24);
    match (verdict, expected) {
        (Verdict::Safe(_), None) => tally.safe += 1,
        (Verdict::Unsafe(_), Some(length)) => {
            tally.violated += 1;
            if matches!(engine, "bmc" | "kind") && prepared.0 == "transform" && more.is_empty() {
                assert_eq!(path.map(|p| p.len()), Some(length), "{engine}, seed {seed}: not a shortest run");
            }
        }
        // A program counter that is an integer makes the program infinite.
        (Verdict::Unknown(unknown), _)
            if matches!(engine, "fsis" | "imc")
                && matches!(prepared.1, "pc-int" | "as-is")
                && unknown.reason.to_string().contains("not a finite program") => {}
        // Loops of the program may be gone in the other encoding: a number of rounds is not enough there.
        (Verdict::Unknown(unknown), None)
            if !more.is_empty()
                && prepared.0 == "encoding"
                && matches!(unknown.reason, Reason::Unchecked(_)) =>
        {
            tally.undecided += 1;
        }
        (Verdict::Unknown(unknown), _) => {
            let bounded = matches!(unknown.reason, Reason::Incomplete(_) | Reason::Stopped(Stop::Timeout));
            assert!(bounded, "{engine}, seed {seed}, {prepared:?}: {}", unknown.reason);
            tally.undecided += 1;
        }
        (verdict, expected) => {
            panic!("{engine}, seed {seed}, {prepared:?}: {verdict:?}, search: {expected:?}")
        }
    }
}

#[test]
fn every_engine_is_right_on_random_finite_programs() {
    for engine in palisade_engines::all() {
        let mut tally = Tally::default();
        for seed in 0..120 * scale() as u64 {
            judge(engine.name(), &[], seed, &mut tally);
        }
        let Tally { safe, violated, undecided } = tally;
        let shown = format!("{}: {safe} safe, {violated} unsafe, {undecided} undecided", engine.name());
        assert!(violated >= 10, "{shown}");
        match engine.name() {
            // Safe programs are out of reach of an unrolling, unless all runs end.
            "bmc" => {}
            // What depends on inputs is not decided by known values.
            "values" => assert!(safe >= 10, "{shown}"),
            // Simple paths make k-induction complete, as far as the bound is small and inputs can be
            // eliminated from the certificate.
            "kind" => assert!(undecided * 10 < safe, "{shown}"),
            _ => assert!(undecided == 0 && safe >= 10, "{shown}"),
        }
    }
}

/// Programs whose loops all have few rounds are proved, and violations in the first rounds are found.
#[test]
fn unwinding_is_right_on_random_finite_programs() {
    let mut tally = Tally::default();
    let options = [("bmc.order", "loops"), ("bmc.backend", "smt"), ("bmc.bound", "16")];
    for seed in 0..400 * scale() as u64 {
        judge("bmc", &options, seed, &mut tally);
    }
    let Tally { safe, violated, undecided } = tally;
    assert!(safe >= 200 && violated >= 50, "{safe} safe, {violated} unsafe, {undecided} undecided");
}
