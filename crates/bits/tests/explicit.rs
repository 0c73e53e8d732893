//! Random circuits: every engine and every switch against explicit-state search.

mod common;

use common::{Explicit, judge, random_circuit};
use palisade_bits::{Deaf, Options, Stop, ic3};
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
            let mut options = Options::default();
            switch.iter().for_each(|(name, value)| options.set(name, value).unwrap());
            let verdict = ic3::run(&c, &options, &Stop::default(), &mut Deaf);
            judge(&c, &explicit, &verdict, &format!("circuit {n}, switch {k}"));
        }
    }
    assert!(safe >= 50 && deep >= 10, "{safe} safe, {deep} with runs of several steps");
}
