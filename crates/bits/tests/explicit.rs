//! Random circuits: every engine and every switch against explicit-state search.

mod common;

use common::{Explicit, judge, random_circuit};
use palisade_aig::{Circuit, Lit};
use palisade_bits::{Deaf, Options, Stop, Unknown, Verdict, bmc, fsis, ic3, imc, kind};
use palisade_fuzzing::Random;
use palisade_options::Group as _;

/// The options that each run changes.
const SWITCHES: &[&[(&str, &str)]] = &[
    &[],
    &[("bits.mic", "false")],
    &[("bits.ctg", "false")],
    &[("bits.joins", "false")],
    &[("bits.ctg-depth", "2")],
    &[("bits.mic-attempts", "2")],
    &[("bits.parent-lemmas", "false")],
    &[("bits.ternary", "false")],
    &[("bits.lift", "false")],
    &[("bits.ternary", "false"), ("bits.lift", "false")],
    &[("bits.predict", "false")],
    &[("bits.dynamic", "true")],
    &[("bits.triggered-pushing", "false")],
    &[("bits.reenqueue", "false")],
    &[("bits.keep-obligations", "false")],
    &[("bits.domain", "false")],
    &[("bits.initial-clauses", "true")],
    &[("bits.property-frames", "true")],
];

#[test]
fn ic3_agrees_with_explicit_search_for_every_switch() {
    let mut random = Random::new(1);
    let (mut safe, mut deep) = (0, 0);
    for n in 0..400 {
        let c = random_circuit(&mut random, if n % 20 == 0 { 12 } else { 6 });
        let explicit = Explicit::new(&c);
        safe += usize::from(explicit.shortest().is_none());
        deep += usize::from(explicit.shortest().is_some_and(|s| s >= 2));
        for (k, switch) in SWITCHES.iter().enumerate() {
            // A short simulation, so that there is something left to do.
            let mut options = Options { simulate: if k == 0 { 5_000 } else { 0 }, ..Options::default() };
            switch.iter().for_each(|(name, value)| options.set(name, value).unwrap());
            let verdict = ic3::run(&c, &options, &Stop::default(), &mut Deaf);
            judge(&c, &explicit, &verdict, &format!("circuit {n}, switch {k}"));
        }
    }
    assert!(safe >= 50 && deep >= 10, "{safe} safe, {deep} with runs of several steps");
}

#[test]
fn fsis_imc_and_kind_agree_with_explicit_search() {
    let mut random = Random::new(2);
    for n in 0..300 {
        let c = random_circuit(&mut random, if n % 20 == 0 { 9 } else { 6 });
        let explicit = Explicit::new(&c);
        let options = Options::default();
        let verdict = fsis::run(&c, &options, &Stop::default(), &mut Deaf);
        judge(&c, &explicit, &verdict, &format!("fsis, circuit {n}"));
        let verdict = imc::run(&c, &options, &Stop::default(), &mut Deaf);
        judge(&c, &explicit, &verdict, &format!("imc, circuit {n}"));
        // With the invariant from the unrolling, and by interpolation, which is not certain to work with
        // simple paths.
        let verdict = kind::run(&c, &options, &Stop::default(), &mut Deaf);
        judge(&c, &explicit, &verdict, &format!("kind, circuit {n}"));
        let by_images = Options { invariant_gates: 0, ..Options::default() };
        match kind::run(&c, &by_images, &Stop::default(), &mut Deaf) {
            Verdict::Unknown(Unknown::Incomplete(_)) => assert!(explicit.shortest().is_none()),
            verdict => judge(&c, &explicit, &verdict, &format!("kind by images, circuit {n}")),
        }
        let plain = Options { simple_path: false, bound: 10, ..by_images };
        match kind::run(&c, &plain, &Stop::default(), &mut Deaf) {
            Verdict::Unknown(Unknown::Incomplete(why)) => assert!(why.contains("no proof"), "{why}"),
            verdict => judge(&c, &explicit, &verdict, &format!("kind without simple paths, circuit {n}")),
        }
    }
}

#[test]
fn bmc_finds_the_shortest_runs_and_no_others() {
    let mut random = Random::new(3);
    for n in 0..200 {
        let c = random_circuit(&mut random, 6);
        let explicit = Explicit::new(&c);
        let options = Options { bound: 12, ..Options::default() };
        match (bmc::run(&c, &options, &Stop::default(), &mut Deaf), explicit.shortest()) {
            (Verdict::Unsafe(trace), Some(shortest)) => {
                assert!(c.replay(&trace).is_ok(), "circuit {n}");
                assert_eq!(trace.inputs.len(), shortest + 1, "circuit {n}");
            }
            (Verdict::Unknown(Unknown::Incomplete(_)), shortest) => {
                assert!(shortest.is_none_or(|s| s > 12), "circuit {n}");
            }
            (verdict, shortest) => panic!("circuit {n}: {verdict:?}, {shortest:?}"),
        }
    }
}

#[test]
fn a_counter_of_16_bits_is_refuted() {
    let mut c = Circuit::default();
    let mut carry = Lit::TRUE;
    let bits: Vec<Lit> = (0..16).map(|_| c.add_latch(Some(false))).collect();
    for (i, &b) in bits.iter().enumerate() {
        c.latches[i].next = c.aig.xor(b, carry);
        carry = c.aig.and(carry, b);
    }
    c.bads = vec![c.aig.and_all(bits)];
    let verdict = ic3::run(&c, &Options::default(), &Stop::default(), &mut Deaf);
    let Verdict::Unsafe(trace) = verdict else { panic!("{verdict:?}") };
    assert_eq!((c.replay(&trace), trace.inputs.len()), (Ok(0), 1 << 16));
}
