//! The engines with predicates on random programs over integers and rationals, against explicit-state search.
//!
//! The programs of `random_programs.rs` are over bit-vectors; pairs, state mining, half-spaces and split
//! equations are about numbers. Here a program is one loop with a counter, as these engines want it. Every
//! part must have been used at least once.

mod common;

use std::collections::BTreeMap;

use common::finite::shortest_among;
use common::numbers::{MOST, random_loop};
use common::verdict;
use palisade_engines::Engine;
use palisade_fuzzing::Random;
use palisade_program::Program;
use palisade_term::{Rational, Sort, TermPool, Value};

/// Runs an engine on some programs and adds its counters up.
fn compare(
    name: &str,
    sort: &Sort,
    seeds: std::ops::Range<u64>,
    set: &[(&str, &str)],
    sums: &mut BTreeMap<&'static str, u64>,
) {
    let engines = palisade_engines::all();
    let engine: &dyn Engine = &**engines.iter().find(|e| e.name() == name).expect("an engine of this name");
    let (mut safe_runs, mut unsafe_runs) = (0, 0);
    for seed in palisade_fuzzing::seeds(seeds) {
        let pool = TermPool::new();
        let program = random_loop(&pool, &mut Random::new(seed), sort);
        let values: Vec<Value> = (0..=MOST)
            .map(|n| {
                if *sort == Sort::Int {
                    Value::Int(n.into())
                } else {
                    Value::Real(Rational::from_integer(n.into()))
                }
            })
            .collect();
        // An input that is rational has more values than these; but sums of whole numbers are whole.
        let expected = shortest_among(&pool, &program, &values).is_none();
        let (safe, record) = verdict(engine, &pool, &program, set);
        if *sort == Sort::Int || !has_inputs(&program) {
            assert_eq!(safe, expected, "{name} over {sort:?} with {set:?}, seed {seed}");
        } else {
            // What whole numbers reach is reached.
            assert!(expected || !safe, "{name} over {sort:?} with {set:?}, seed {seed}");
        }
        *if safe { &mut safe_runs } else { &mut unsafe_runs } += 1;
        for (counter, value) in record.counters {
            *sums.entry(counter).or_default() += value;
        }
        *sums.entry("backtracked").or_default() += record.backtracked as u64;
    }
    assert!(safe_runs >= 2 && unsafe_runs >= 2, "{name} {set:?}: {safe_runs} safe, {unsafe_runs} unsafe");
}

fn has_inputs(p: &Program) -> bool {
    p.edges.iter().any(|e| !e.inputs.is_empty())
}

#[test]
fn ic3_cegar() {
    let mut sums = BTreeMap::new();
    let bare = [("ic3-cegar.pairs", "false"), ("ic3-cegar.expressions", "false")];
    for preset in palisade_engines::ic3_cegar::PRESETS {
        for refinement in ["interpolation", "beautiful", "preimage"] {
            // Between rationals there is always one more half-space: that refinement may go on for ever.
            let sorts = if refinement == "beautiful" { &[Sort::Int][..] } else { &[Sort::Int, Sort::Real] };
            for sort in sorts {
                let set = [preset.settings, &bare[..], &[("ic3-cegar.refinement", refinement)][..]].concat();
                compare("ic3-cegar", sort, 0..24, &set, &mut sums);
            }
        }
        compare("ic3-cegar", &Sort::Int, 100..130, preset.settings, &mut sums);
    }
    for switch in [("ic3-cegar.abstract-joins", "true"), ("ic3-cegar.push-ctgs", "true")] {
        compare("ic3-cegar", &Sort::Int, 200..230, &[&[switch], &bare[..]].concat(), &mut sums);
    }
    for counter in [
        "interpolating refinements",
        "refinements by half-spaces",
        "refinements by pre-images",
        "minings",
        "geometric generalisations",
        "joins",
        "counterexamples to generalisation blocked",
        "spurious steps",
        "backtracked",
    ] {
        assert!(sums.get(counter).is_some_and(|&n| n > 0), "{counter}: {sums:?}");
    }
}

#[test]
fn ic3_ia() {
    let mut sums = BTreeMap::new();
    for sort in [Sort::Int, Sort::Real] {
        compare("ic3-ia", &sort, 0..60, &[], &mut sums);
        for switch in [
            ("ic3-ia.background", "false"),
            ("ic3-ia.executions", "false"),
            ("ic3-ia.guards", "false"),
            ("ic3-ia.minimize", "false"),
            ("ic3-ia.reduce", "false"),
            ("ic3-ia.source", "both"),
            ("ic3-ia.source", "interpolants"),
            ("ic3-ia.split-equations", "false"),
            ("path.strength", "weaker"),
        ] {
            let alone = [("ic3-ia.executions", "false"), switch];
            compare("ic3-ia", &sort, 100..130, &alone, &mut sums);
        }
        // Hardly a predicate to begin with, so that paths are refined.
        let bare = [
            ("ic3-ia.background", "false"),
            ("ic3-ia.executions", "false"),
            ("ic3-ia.guards", "false"),
            ("ic3-ia.min-points", "3"),
        ];
        compare("ic3-ia", &sort, 200..320, &bare, &mut sums);
    }
    for counter in ["refinements", "predicates"] {
        assert!(sums.get(counter).is_some_and(|&n| n > 0), "{counter}: {sums:?}");
    }
}
