//! Every engine that decides finite programs, with each of its switches, on random programs against explicit-state search. Claims are checked by `certify`'s
//! conditions in `common::verdict`.

mod common;

use common::finite::{Random, random_program, shortest};
use common::verdict;
use palisade_engines::Engine;
use palisade_term::TermPool;

/// Compares an engine with the search on some programs.
fn compare(name: &str, seeds: std::ops::Range<u64>, set: &[(&str, &str)]) {
    let engines = palisade_engines::all();
    let engine: &dyn Engine = &**engines.iter().find(|e| e.name() == name).expect("an engine of this name");
    let (mut safe_runs, mut unsafe_runs) = (0, 0);
    for seed in seeds {
        let pool = TermPool::new();
        let program = random_program(&pool, &mut Random(seed));
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
    compare("impact", 0..300, &[]);
    let switches = [
        ("impact.force", "0"),
        ("art.order", "bfs"),
        ("art.order", "distance"),
        ("path.assume-nodes", "false"),
        ("path.simplify", "false"),
        ("path.strength", "weaker"),
        ("path.steps", "1"),
    ];
    for switch in switches {
        compare("impact", 300..360, &[switch]);
    }
}
