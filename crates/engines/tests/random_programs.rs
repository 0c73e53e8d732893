//! Engines with each of their switches on random finite programs, against explicit-state search. Claims are
//! checked by `certify`. All engines in all encodings: `crates/verify/tests/random.rs`.
//!
//! The switches come from the table of options: each is turned to every other value that it has (numbers: to
//! 0, 1 and 2). A group of options that no engine here is tried with has to be named in [`ELSEWHERE`].

mod common;

use std::collections::BTreeMap;
use std::ops::Range;

use common::finite::{random_program, random_ring, shortest};
use common::verdict;
use palisade_engines::{Engine, Options};
use palisade_fuzzing::Random;
use palisade_options::{Group as _, Kind};
use palisade_term::TermPool;

/// What the runs of a comparison counted.
type Counters = BTreeMap<&'static str, u64>;

/// Compares an engine with the search on some programs.
fn compare(name: &str, seeds: Range<u64>, set: &[(&str, &str)]) -> Counters {
    let engines = palisade_engines::all();
    let engine: &dyn Engine = &**engines.iter().find(|e| e.name() == name).expect("an engine of this name");
    let (mut safe_runs, mut unsafe_runs) = (0, 0);
    let mut sum = Counters::new();
    let wanted = (seeds.end - seeds.start) / 8;
    for seed in palisade_fuzzing::seeds(seeds) {
        let pool = TermPool::new();
        let mut random = Random::new(seed);
        let program = match seed % 2 {
            0 => random_program(&pool, &mut random),
            _ => random_ring(&pool, &mut random),
        };
        let expected = shortest(&pool, &program).is_none();
        // The analyses before the run would prove most of these programs alone.
        let alone = [&[("art.background", "false")], set].concat();
        let (safe, record) = verdict(engine, &pool, &program, &alone);
        assert_eq!(safe, expected, "{name} with {set:?}, seed {seed}");
        *if safe { &mut safe_runs } else { &mut unsafe_runs } += 1;
        for (counter, value) in record.counters {
            *sum.entry(counter).or_default() += value;
        }
    }
    assert!(safe_runs >= wanted && unsafe_runs >= wanted, "{safe_runs} safe, {unsafe_runs} unsafe");
    sum
}

/// The group of an option.
fn group(name: &str) -> &str {
    name.split_once('.').map_or(name, |(group, _)| group)
}

/// Every switch of some groups, turned to every other value.
fn switches(groups: &[&str]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for row in Options::table() {
        if !groups.contains(&group(&row.name)) || UNUSUAL.contains(&&*row.name) {
            continue;
        }
        let values: &[&str] = match row.kind {
            Kind::Bool => &["false", "true"],
            Kind::Number => &["0", "1", "2"],
            Kind::Choice(words) => words,
        };
        let other = values.iter().filter(|v| **v != row.default);
        found.extend(other.map(|v| (row.name.clone(), v.to_string())));
    }
    found
}

/// Compares an engine with the search under every switch of some groups, besides other settings.
fn compare_each(name: &str, seeds: Range<u64>, groups: &[&str], with: &[(&str, &str)]) {
    for (option, value) in switches(groups) {
        // Which analyses run before makes a difference only if any do.
        let before = ("art.background", if group(&option) == "background" { "true" } else { "false" });
        let set = [&[before], with, &[(&*option, &*value)]].concat();
        compare(name, seeds.clone(), &set);
    }
}

/// The groups that the engines below are tried with.
const TRIED: [&str; 12] = [
    "art",
    "background",
    "generalize",
    "ic3",
    "ic3-cegar",
    "ic3-ia",
    "impact",
    "path",
    "pdr-cfg",
    "predabs",
    "solvers",
    "tree-ic3",
];
/// Groups whose switches other tests turn: how programs are prepared and circuits (`verify`), unrolling
/// (`unrolling.rs`), and the engines of other crates.
const ELSEWHERE: [&str; 14] = [
    "bits",
    "bmc",
    "cell-facts",
    "cells",
    "control",
    "encoding",
    "imc",
    "kind",
    "merge-edges",
    "phases",
    "seed",
    "transform",
    "unroll-short",
    "values",
];
/// Options that are not switches: threads make runs differ.
const UNUSUAL: [&str; 1] = ["ic3.workers"];

#[test]
fn no_group_of_options_is_forgotten() {
    for row in Options::table() {
        let group = group(&row.name);
        assert!(TRIED.contains(&group) || ELSEWHERE.contains(&group), "{}", row.name);
    }
}

#[test]
fn ic3_cfa() {
    compare("ic3-cfa", 0..150, &[]);
    compare_each("ic3-cfa", 300..330, &["background", "generalize", "ic3", "solvers"], &[]);
}

#[test]
fn ic3() {
    compare("ic3", 0..150, &[]);
    let smt = ("ic3.backend", "smt");
    compare("ic3", 0..150, &[smt]);
    compare_each("ic3", 300..330, &["background", "generalize", "solvers"], &[smt]);
    for (option, value) in switches(&["ic3"]) {
        if option != "ic3.backend" {
            compare("ic3", 300..330, &[smt, (&option, &value)]);
        }
    }
}

#[test]
fn ic3_ia() {
    compare("ic3-ia", 0..150, &[]);
    compare_each("ic3-ia", 300..330, &["generalize", "ic3-ia", "path", "solvers"], &[]);
}

#[test]
fn ic3_cegar() {
    compare("ic3-cegar", 0..150, &[]);
    compare_each("ic3-cegar", 300..330, &["generalize", "ic3-cegar", "path", "solvers"], &[]);
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
    compare_each("pdr-cfg", 300..330, &["pdr-cfg"], &[]);
}

/// Do the runs come to what is counted there?
fn assert_counted(counters: &Counters, names: &[&str]) {
    for name in names {
        assert!(counters.get(name).copied().unwrap_or(0) > 0, "{name}: {counters:?}");
    }
}

#[test]
fn impact() {
    let counters = compare("impact", 0..200, &[]);
    let ways = ["paths refuted by interpolants", "forced covers", "forced covers by interpolants"];
    assert_counted(&counters, &ways);
    assert_counted(&counters, &["covers", "uncovers"]);
    compare_each("impact", 300..330, &["art", "background", "impact", "path"], &[]);
}

/// The three engines on trees of clauses.
fn tree(name: &str) -> Counters {
    let counters = compare(name, 0..200, &[]);
    assert_counted(&counters, &["covers", "uncovers", "clauses added to nodes"]);
    let groups = ["art", "background", "generalize", "path", "solvers", "tree-ic3"];
    compare_each(name, 300..330, &groups, &[]);
    counters
}

#[test]
fn tree_ic3() {
    let counters = tree("tree-ic3");
    assert_counted(&counters, &["paths refuted edge by edge", "strengthenings edge by edge"]);
}

#[test]
fn tree_ic3_itp() {
    let counters = tree("tree-ic3-itp");
    assert_counted(&counters, &["paths refuted by interpolants", "strengthenings by interpolants"]);
}

#[test]
fn tree_ic3_itp_mono() {
    let counters = tree("tree-ic3-itp-mono");
    assert_counted(&counters, &["paths refuted by interpolants", "strengthenings by interpolants"]);
}

#[test]
fn predabs() {
    let counters = compare("predabs", 0..200, &[]);
    let counted = ["paths refuted by interpolants", "predicates", "cubes of abstractions", "nodes removed"];
    assert_counted(&counters, &counted);
    compare_each("predabs", 300..330, &["art", "background", "path", "predabs"], &[]);
}
