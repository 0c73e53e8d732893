//! Engines with each of their switches on random finite programs, against explicit-state search. Claims are
//! checked by `certify`. All engines in all encodings: `crates/verify/tests/random.rs`.

mod common;

use common::finite::{random_program, shortest};
use common::verdict;
use palisade_engines::Engine;
use palisade_fuzzing::Random;
use palisade_term::TermPool;

/// Compares an engine with the search on some programs.
fn compare(name: &str, seeds: std::ops::Range<u64>, set: &[(&str, &str)]) {
    let engines = palisade_engines::all();
    let engine: &dyn Engine = &**engines.iter().find(|e| e.name() == name).expect("an engine of this name");
    let (mut safe_runs, mut unsafe_runs) = (0, 0);
    for seed in seeds {
        let pool = TermPool::new();
        let program = random_program(&pool, &mut Random::new(seed));
        let expected = shortest(&pool, &program).is_none();
        let (safe, _) = verdict(engine, &pool, &program, set);
        assert_eq!(safe, expected, "{name} with {set:?}, seed {seed}");
        *if safe { &mut safe_runs } else { &mut unsafe_runs } += 1;
    }
    assert!(safe_runs >= 5 && unsafe_runs >= 5, "{safe_runs} safe, {unsafe_runs} unsafe");
}

#[test]
fn ic3_cfa() {
    compare("ic3-cfa", 0..150, &[]);
}

#[test]
fn pdr_cfg() {
    compare("pdr-cfg", 0..60, &[]);
}

#[test]
fn impact() {
    compare("impact", 0..200, &[]);
    for switch in [("impact.force", "0")].iter().chain(&SHARED) {
        compare("impact", 300..350, &[*switch]);
    }
}

const SHARED: [(&str, &str); 7] = [
    ("art.order", "bfs"),
    ("art.order", "distance"),
    ("path.assume-nodes", "false"),
    ("path.simplify", "false"),
    ("path.strength", "weaker"),
    ("path.steps", "1"),
    ("path.cnf-factor", "1"),
];

#[test]
fn tree_ic3() {
    let own = [
        ("tree-ic3.ancestors", "all"),
        ("tree-ic3.ancestors", "none"),
        ("tree-ic3.propagate", "false"),
        ("path.preimage", "some"),
        ("path.preimage", "all"),
        ("path.preimage", "point"),
        ("generalize.split-equalities", "false"),
    ];
    for engine in ["tree-ic3", "tree-ic3-itp", "tree-ic3-itp-mono"] {
        compare(engine, 0..200, &[]);
        for switch in own.iter().chain(&SHARED) {
            compare(engine, 300..350, &[*switch]);
        }
    }
}

#[test]
fn predabs() {
    compare("predabs", 0..200, &[]);
    let own = [
        ("predabs.scope", "function"),
        ("predabs.scope", "global"),
        ("predabs.abstraction", "cartesian"),
        ("predabs.max-cubes", "2"),
        ("predabs.restart", "true"),
    ];
    for switch in own.iter().chain(&SHARED) {
        compare("predabs", 300..350, &[*switch]);
    }
}
