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
    for seed in palisade_fuzzing::seeds(seeds) {
        let pool = TermPool::new();
        let program = random_program(&pool, &mut Random::new(seed));
        let expected = shortest(&pool, &program).is_none();
        // The analyses before the run would prove most of these programs alone.
        let alone = [&[("art.background", "false")], set].concat();
        let (safe, _) = verdict(engine, &pool, &program, &alone);
        assert_eq!(safe, expected, "{name} with {set:?}, seed {seed}");
        *if safe { &mut safe_runs } else { &mut unsafe_runs } += 1;
    }
    assert!(safe_runs >= 5 && unsafe_runs >= 5, "{safe_runs} safe, {unsafe_runs} unsafe");
}

/// The switches of generalisation, each turned the other way.
const GENERALIZE: [(&str, &str); 10] = [
    ("generalize.cache", "false"),
    ("generalize.core", "false"),
    ("generalize.ctg", "false"),
    ("generalize.farkas", "false"),
    ("generalize.max-joins", "3"),
    ("generalize.max-depth", "2"),
    ("generalize.mic", "false"),
    ("generalize.relax", "true"),
    ("generalize.split-equalities", "false"),
    ("generalize.variables", "false"),
];

/// Compares an engine with the search under each switch.
fn compare_each(name: &str, seeds: std::ops::Range<u64>, switches: &[(&str, &str)]) {
    for switch in switches {
        compare(name, seeds.clone(), &[*switch]);
    }
}

#[test]
fn ic3_cfa() {
    compare("ic3-cfa", 0..150, &[]);
    let own = [
        ("generalize.interpolants", "true"),
        ("ic3.guidance", "false"),
        ("ic3.predecessor", "wp"),
        ("ic3.predecessor", "state"),
        ("ic3.reenqueue", "false"),
        ("ic3.walk", "false"),
        ("solvers", "location"),
        ("background.houdini", "false"),
    ];
    compare_each("ic3-cfa", 300..340, &own);
    compare_each("ic3-cfa", 300..340, &GENERALIZE);
}

#[test]
fn ic3() {
    compare("ic3", 0..150, &[]);
    let smt = ("ic3.backend", "smt");
    compare("ic3", 0..150, &[smt]);
    let own = [
        ("ic3.bad", "dual-rail"),
        ("ic3.bad", "core"),
        ("ic3.cubes", "3"),
        ("ic3.predecessor", "wp"),
        ("ic3.predecessor", "state"),
        ("ic3.reenqueue", "false"),
        ("solvers", "location"),
        ("solvers", "frame"),
    ];
    for switch in own.into_iter().chain(GENERALIZE) {
        compare("ic3", 300..340, &[smt, switch]);
    }
}

#[test]
fn ic3_ia() {
    compare("ic3-ia", 0..150, &[]);
    let own = [
        ("ic3-ia.background", "false"),
        ("ic3-ia.executions", "false"),
        ("ic3-ia.guards", "false"),
        ("ic3-ia.minimize", "false"),
        ("ic3-ia.reduce", "false"),
        ("ic3-ia.source", "interpolants"),
        ("ic3-ia.source", "edges"),
        ("ic3-ia.split-equations", "false"),
        ("path.strength", "weaker"),
    ];
    compare_each("ic3-ia", 300..340, &own);
    compare_each("ic3-ia", 300..340, &GENERALIZE);
}

#[test]
fn ic3_cegar() {
    compare("ic3-cegar", 0..150, &[]);
    let own = [
        ("ic3-cegar.pairs", "false"),
        ("ic3-cegar.expressions", "false"),
        ("ic3-cegar.refinement", "beautiful"),
        ("ic3-cegar.refinement", "preimage"),
        ("path.strength", "weaker"),
        ("solvers", "location"),
    ];
    compare_each("ic3-cegar", 300..340, &own);
    for preset in palisade_engines::ic3_cegar::PRESETS {
        compare("ic3-cegar", 300..360, preset.settings);
        // Nothing to begin with: every predicate comes from refinement.
        let bare = [("ic3-cegar.pairs", "false"), ("ic3-cegar.expressions", "false")];
        for refinement in ["interpolation", "beautiful", "preimage"] {
            let refinement = [("ic3-cegar.refinement", refinement)];
            compare("ic3-cegar", 400..430, &[preset.settings, &bare[..], &refinement[..]].concat());
        }
    }
}

#[test]
fn pdr_cfg() {
    compare("pdr-cfg", 0..60, &[]);
    let own = [
        ("pdr-cfg.core", "false"),
        ("pdr-cfg.dnf", "false"),
        ("pdr-cfg.interpolants", "false"),
        ("pdr-cfg.syntactic", "false"),
    ];
    compare_each("pdr-cfg", 300..330, &own);
}

#[test]
fn impact() {
    compare("impact", 0..200, &[]);
    for switch in [("impact.force", "0")].iter().chain(&SHARED) {
        compare("impact", 300..350, &[*switch]);
    }
}

const SHARED: [(&str, &str); 8] = [
    ("art.background", "true"),
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
