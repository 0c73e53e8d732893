//! Differential testing at length: random incremental scripts by logic against `z3`.
//!
//! `cargo run --release -p palisade-tools --bin difftest -- [LOGIC|all] [QUERIES] [FIRST SEED] [INTERPOLATE]`
//!
//! Every so many refutations of a script are interpolated; without the last argument every second of
//! bit-vectors, every tenth of others.
//!
//! Every model is evaluated; every refutation, together with its core, is solved again by z3, and in half of
//! the scripts its proof is checked; some are interpolated, and each sequence is checked by z3 for its
//! implications and here for its symbols. Scripts of a batch share one pool and one run of z3, which is asked
//! many questions at once. A failure is shrunk and printed; the exit code is then 1.

#[path = "../../../smt/tests/common/mod.rs"]
mod common;

use std::time::Instant;

use common::{Command, Counts, LOGICS, Logic, Oracle, Settings, fails, play_safely, script, show, shrink};
use palisade_smt::native::Options;
use palisade_term::TermPool;

/// Is it about bits? Circuits fill pools.
fn has_bits(logic: Logic) -> bool {
    matches!(logic, Logic::Bv | Logic::BvArrays | Logic::Convert | Logic::Mixed)
}

/// Scripts that share a pool.
fn batch_size(logic: Logic) -> u64 {
    if has_bits(logic) { 10 } else { 100 }
}

fn settings(logic: Logic, seed: u64, interpolate: Option<u64>) -> Settings {
    let options = Options {
        checked: true,
        hold_back: !seed.is_multiple_of(4),
        cuts: !seed.is_multiple_of(3),
        equations: !seed.is_multiple_of(5),
        proofs: seed.is_multiple_of(2),
        garbage: if seed % 7 < 3 { 0 } else { 2_000 },
        ..Options::default()
    };
    // A hard query costs as much as thousands of others, which find more; products may take for ever.
    let steps = if logic == Logic::Nonlinear { 1_000 } else { 4_000 };
    Settings { options, steps, interpolate: interpolate.unwrap_or(if has_bits(logic) { 2 } else { 10 }) }
}

/// Commands of a script: many short ones, some long.
fn length(seed: u64) -> usize {
    [6, 10, 15, 40][(seed / 3 % 4) as usize]
}

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let wanted = args.get(1).map_or("all", |s| s.as_str()).to_lowercase();
    let queries: u64 = args.get(2).and_then(|s| s.parse().ok()).unwrap_or(2000);
    let first: u64 = args.get(3).and_then(|s| s.parse().ok()).unwrap_or(1);
    let interpolate: Option<u64> = args.get(4).and_then(|s| s.parse().ok());
    let logics: Vec<Logic> =
        LOGICS.into_iter().filter(|l| wanted == "all" || format!("{l:?}").to_lowercase() == wanted).collect();
    if logics.is_empty() {
        eprintln!("no such logic: {wanted}; there are {LOGICS:?}");
        std::process::exit(2);
    }
    let nowhere = TermPool::new();
    let mut process = Oracle::start(&nowhere).map(Oracle::rest);
    if process.is_none() {
        eprintln!("z3 is not on the path; answers are only checked against a fresh solver");
    }
    std::panic::set_hook(Box::new(|_| {}));
    let mut failed = false;
    println!(
        "logic       queries      sat    unsat  unknown  z3 unknown   proofs  interpolated  not \
         interpolated  seconds"
    );
    for logic in logics {
        let started = Instant::now();
        let mut counts = Counts::default();
        let (mut seed, mut shown) = (first, 0);
        while counts.queries() < queries {
            failed |= batch(logic, seed, interpolate, &mut counts, &mut process);
            seed += batch_size(logic);
            // A long run that is ended has shown something all the same.
            if counts.queries() / PROGRESS > shown {
                shown = counts.queries() / PROGRESS;
                row(logic, &counts, started);
            }
        }
        row(logic, &counts, started);
    }
    if failed {
        std::process::exit(1);
    }
}

/// After so many queries the counts are shown.
const PROGRESS: u64 = 20_000;

fn row(logic: Logic, counts: &Counts, started: Instant) {
    println!(
        "{:<10} {:>8} {:>8} {:>8} {:>8} {:>11} {:>8} {:>13} {:>17} {:>8.0}",
        format!("{logic:?}"),
        counts.queries(),
        counts.sat,
        counts.unsat,
        counts.unknown,
        counts.oracle_unknown,
        counts.proofs,
        counts.interpolants,
        counts.not_interpolated,
        started.elapsed().as_secs_f64()
    );
}

/// Plays the scripts of some seeds; whether one failed.
fn batch(
    logic: Logic,
    first: u64,
    interpolate: Option<u64>,
    counts: &mut Counts,
    process: &mut Option<common::Resting>,
) -> bool {
    let pool = TermPool::new();
    let mut oracle = process.take().map(|p| p.wake(&pool));
    let mut failed = Vec::new();
    let mut claims = Vec::new();
    for seed in first..first + batch_size(logic) {
        let commands = script(&pool, logic, seed, length(seed));
        match play_safely(&pool, &commands, &settings(logic, seed, interpolate)) {
            Ok((c, of_script)) => {
                counts.add(c);
                claims.extend(of_script.into_iter().map(|c| (seed, c)));
            }
            Err(what) => failed.push((seed, what)),
        }
    }
    let all: Vec<common::Claim> = claims.iter().map(|(_, c)| c.clone()).collect();
    match common::confirm(&pool, &all, &mut oracle) {
        Ok(unknown) => counts.oracle_unknown += unknown,
        Err(_) => {
            // Which of the scripts is it?
            for seed in first..first + batch_size(logic) {
                let mine: Vec<common::Claim> =
                    claims.iter().filter(|(s, _)| *s == seed).map(|(_, c)| c.clone()).collect();
                if let Err(what) = common::confirm(&pool, &mine, &mut oracle) {
                    failed.push((seed, what));
                }
            }
        }
    }
    for (seed, what) in &failed {
        report(&pool, logic, *seed, &settings(logic, *seed, interpolate), what, &mut oracle);
    }
    *process = oracle.map(Oracle::rest);
    !failed.is_empty()
}

fn report<'p>(
    pool: &'p TermPool,
    logic: Logic,
    seed: u64,
    settings: &Settings,
    what: &str,
    oracle: &mut Option<Oracle<'p>>,
) {
    // On a pool of its own, if it fails there too: then it can be repeated by its seed alone.
    let alone = TermPool::new();
    let mut other = oracle.as_ref().and_then(|_| Oracle::start(&alone));
    let commands = script(&alone, logic, seed, length(seed));
    if fails(&alone, &commands, settings, &mut other).is_err() {
        shrink_and_show(&alone, logic, seed, what, &commands, settings, &mut other);
    } else {
        let commands = script(pool, logic, seed, length(seed));
        shrink_and_show(pool, logic, seed, what, &commands, settings, oracle);
    }
}

fn shrink_and_show(
    pool: &TermPool,
    logic: Logic,
    seed: u64,
    what: &str,
    commands: &[Command],
    settings: &Settings,
    oracle: &mut Option<Oracle<'_>>,
) {
    let small = shrink(commands, &mut |s: &[Command]| fails(pool, s, settings, oracle).is_err());
    let why = fails(pool, &small, settings, oracle).err();
    println!("FAILED {logic:?} seed {seed}: {what}\nshrunk ({why:?}):\n{}\n", show(pool, &small));
}
