//! Random circuits: every engine and every switch against explicit-state search. `PALISADE_TEST_SCALE=n`
//! takes so many times as many.

mod common;

use common::{Explicit, judge, random_circuit};
use palisade_aig::{Circuit, Lit};
use palisade_bits::{Control, Counter, Deaf, Monitor, Options, Unknown, Verdict, bmc, fsis, ic3, imc, kind};
use palisade_fuzzing::{Random, scale};
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
    &[("bits.ctg-limit", "5")],
    &[("bits.infinite", "true")],
    &[("bits.eliminate", "false")],
    &[("bits.eliminate", "false"), ("bits.polarity", "none")],
    &[("bits.polarity", "none")],
    &[("bits.polarity", "all")],
    &[("bits.polarity", "all"), ("bits.fold", "false"), ("bits.domain", "none")],
    &[("bits.polarity", "all"), ("bits.property-frames", "false"), ("bits.one-solver", "true")],
    &[("bits.fold", "false")],
    &[("bits.fold", "false"), ("bits.property-frames", "false")],
    &[("bits.one-solver", "true")],
    &[("bits.one-solver", "true"), ("bits.infinite", "true"), ("bits.property-frames", "false")],
    &[("bits.rebuild", "false")],
    &[("bits.reverse-order", "true")],
    &[("bits.beside", "0")],
    &[("bits.simulate-between", "0")],
    &[("bits.simulate-between", "1000")],
    &[("bits.equivalences", "true")],
    &[("bits.equivalences", "true"), ("bits.equivalent-gates", "true")],
    &[("bits.triggered-pushing", "false")],
    &[("bits.reenqueue", "false")],
    &[("bits.keep-obligations", "false")],
    &[("bits.domain", "none")],
    &[("bits.domain", "decide")],
    &[("bits.initial-clauses", "true")],
    &[("bits.property-frames", "false")],
];

#[test]
fn ic3_agrees_with_explicit_search_for_every_switch() {
    let mut random = Random::new(1);
    let (mut safe, mut deep) = (0, 0);
    for n in 0..400 * scale() {
        let c = random_circuit(&mut random, if n % 20 == 0 { 12 } else { 6 });
        let explicit = Explicit::new(&c);
        safe += usize::from(explicit.shortest().is_none());
        deep += usize::from(explicit.shortest().is_some_and(|s| s >= 2));
        for (k, switch) in SWITCHES.iter().enumerate() {
            // A short simulation, so that there is something left to do.
            let mut options = Options { simulate: if k == 0 { 5_000 } else { 0 }, ..Options::default() };
            switch.iter().for_each(|(name, value)| options.set(name, value).unwrap());
            let verdict = ic3::run(&c, &options, &Control::default(), &mut Deaf);
            judge(&c, &explicit, &verdict, &format!("circuit {n}, switch {k}"));
        }
    }
    assert!(safe >= 50 && deep >= 10, "{safe} safe, {deep} with runs of several steps");
}

/// The options of this name and value, besides the default.
fn with(switch: &[(&str, &str)]) -> Options {
    let mut options = Options::default();
    switch.iter().for_each(|(name, value)| options.set(name, value).unwrap());
    options
}

/// Random circuits for an engine: now and then one of up to 12 latches.
fn circuits(seed: u64, count: usize) -> impl Iterator<Item = (usize, Circuit, Explicit)> {
    let mut random = Random::new(seed);
    (0..count * scale()).map(move |n| {
        let c = random_circuit(&mut random, if n % 20 == 0 { 12 } else { 6 });
        let explicit = Explicit::new(&c);
        (n, c, explicit)
    })
}

#[test]
fn fsis_agrees_with_explicit_search_for_every_switch() {
    let switches: [&[(&str, &str)]; 8] = [
        &[],
        &[("bits.eliminate", "false")],
        &[("bits.polarity", "all")],
        &[("bits.ternary", "false")],
        &[("bits.lift", "false")],
        &[("bits.ternary", "false"), ("bits.lift", "false")],
        &[("bits.beside", "0")],
        &[("bits.equivalences", "true")],
    ];
    for (n, c, explicit) in circuits(2, 300) {
        for (k, switch) in switches.iter().enumerate() {
            let verdict = fsis::run(&c, &with(switch), &Control::default(), &mut Deaf);
            judge(&c, &explicit, &verdict, &format!("fsis, circuit {n}, switch {k}"));
        }
    }
}

#[test]
fn imc_agrees_with_explicit_search_for_every_system() {
    let switches: [&[(&str, &str)]; 4] = [
        &[],
        &[("bits.system", "dual")],
        &[("bits.system", "pudlak")],
        &[("bits.system", "pudlak"), ("bits.equivalences", "true")],
    ];
    for (n, c, explicit) in circuits(6, 300) {
        for (k, switch) in switches.iter().enumerate() {
            let verdict = imc::run(&c, &with(switch), &Control::default(), &mut Deaf);
            judge(&c, &explicit, &verdict, &format!("imc, circuit {n}, switch {k}"));
        }
    }
}

#[test]
fn kind_agrees_with_explicit_search() {
    for (n, c, explicit) in circuits(7, 300) {
        // With the invariant from the unrolling, and by interpolation, which is not certain to work with
        // simple paths.
        for merged in ["false", "true"] {
            let options = with(&[("bits.equivalences", merged)]);
            let verdict = kind::run(&c, &options, true, &Control::default(), &mut Deaf);
            judge(&c, &explicit, &verdict, &format!("kind, circuit {n}, merged {merged}"));
        }
        for system in ["mcmillan", "dual", "pudlak"] {
            let by_images = with(&[("bits.invariant-gates", "0"), ("bits.system", system)]);
            match kind::run(&c, &by_images, true, &Control::default(), &mut Deaf) {
                Verdict::Unknown(Unknown::Incomplete(_)) => assert!(explicit.shortest().is_none()),
                verdict => judge(&c, &explicit, &verdict, &format!("kind by images, circuit {n}, {system}")),
            }
        }
        let plain = with(&[("bits.invariant-gates", "0"), ("bits.bound", "10")]);
        match kind::run(&c, &plain, false, &Control::default(), &mut Deaf) {
            Verdict::Unknown(Unknown::Incomplete(why)) => assert!(why.contains("no proof"), "{why}"),
            verdict => judge(&c, &explicit, &verdict, &format!("kind without simple paths, circuit {n}")),
        }
    }
}

#[test]
fn bmc_finds_the_shortest_runs_and_no_others() {
    for (n, c, explicit) in circuits(3, 200) {
        for merged in ["false", "true"] {
            let options = with(&[("bits.bound", "12"), ("bits.equivalences", merged)]);
            match (bmc::run(&c, &options, &Control::default(), &mut Deaf), explicit.shortest()) {
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
    let verdict = ic3::run(&c, &Options::default(), &Control::default(), &mut Deaf);
    let Verdict::Unsafe(trace) = verdict else { panic!("{verdict:?}") };
    assert_eq!((c.replay(&trace), trace.inputs.len()), (Ok(0), 1 << 16));
}

#[test]
fn workers_and_seeds_agree_with_explicit_search() {
    let mut random = Random::new(4);
    for n in 0..100 * scale() {
        let c = random_circuit(&mut random, if n % 20 == 0 { 12 } else { 7 });
        let explicit = Explicit::new(&c);
        let options = Options { simulate: 0, ..Options::default() };
        for (seed, workers) in [(7, 1), (0, 2), (5, 4)] {
            let control = Control { seed, workers, ..Control::default() };
            let verdict = ic3::run(&c, &options, &control, &mut Deaf);
            judge(&c, &explicit, &verdict, &format!("circuit {n}, seed {seed}, {workers} workers"));
        }
    }
}

/// Two copies of a random circuit that read the same inputs, the second with all latches negated.
fn doubled(random: &mut Random) -> Circuit {
    let single = random_circuit(random, 6);
    let mut c = single.clone();
    let mut map = vec![Lit::FALSE; single.aig.len()];
    for l in &single.inputs {
        map[l.node()] = *l;
    }
    let copies: Vec<Lit> = single.latches.iter().map(|l| c.add_latch(l.reset.map(|r| !r))).collect();
    for (l, &copy) in single.latches.iter().zip(&copies) {
        map[l.lit.node()] = !copy;
    }
    single.aig.copy_into(&mut c.aig, &vec![true; single.aig.len()], &mut map);
    let image = |l: Lit| map[l.node()] ^ l.is_negated();
    for (i, l) in single.latches.iter().enumerate() {
        c.latches[single.latches.len() + i].next = !image(l.next);
    }
    c.bads.extend(single.bads.iter().map(|&b| image(b)));
    c
}

#[test]
fn equal_and_opposite_signals_are_merged() {
    let mut random = Random::new(5);
    let mut merged = Merged::default();
    for n in 0..150 * scale() {
        let c = doubled(&mut random);
        let explicit = Explicit::new(&c);
        for equivalent_gates in [false, true] {
            let what = format!("circuit {n}, gates {equivalent_gates}");
            let options = Options { equivalences: true, equivalent_gates, simulate: 0, ..Options::default() };
            let verdict = ic3::run(&c, &options, &Control::default(), &mut merged);
            judge(&c, &explicit, &verdict, &what);
            let verdict = imc::run(&c, &options, &Control::default(), &mut Deaf);
            judge(&c, &explicit, &verdict, &format!("imc, {what}"));
        }
    }
    assert!(merged.latches > 50 && merged.gates > 50, "{merged:?}");
}

/// A shift register, and a latch that has the conjunction of its last two bits a step earlier. No latches are
/// equal, but a gate and a latch are.
#[test]
fn a_gate_that_is_a_latch_is_merged_and_the_invariant_says_so() {
    let mut c = Circuit::default();
    let i = c.add_input();
    let x: Vec<Lit> = (0..3).map(|_| c.add_latch(Some(false))).collect();
    let both = c.add_latch(Some(false));
    (c.latches[0].next, c.latches[1].next, c.latches[2].next) = (i, x[0], x[1]);
    c.latches[3].next = c.aig.and(x[0], x[1]);
    let gate = c.aig.and(x[1], x[2]);
    c.bads = vec![c.aig.xor(gate, both)];
    let explicit = Explicit::new(&c);
    for (equivalent_gates, expected) in [(false, 0), (true, 1)] {
        let options = Options { equivalences: true, equivalent_gates, simulate: 0, ..Options::default() };
        let mut merged = Merged::default();
        let verdict = ic3::run(&c, &options, &Control::default(), &mut merged);
        judge(&c, &explicit, &verdict, "a gate that is a latch");
        assert_eq!((merged.latches, merged.gates.min(1)), (0, expected), "{merged:?}");
    }
}

/// Counts merged latches and gates.
#[derive(Debug, Default)]
struct Merged {
    latches: u64,
    gates: u64,
}

impl Monitor for Merged {
    fn bound(&mut self, _bound: u32) {}
    fn counters(&mut self, counters: &[Counter]) {
        for &(name, count) in counters {
            match name {
                "merged latches" => self.latches += count,
                "merged gates" => self.gates += count,
                _ => {}
            }
        }
    }
}
