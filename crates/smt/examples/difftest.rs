//! Differential testing at length: random incremental scripts by logic against `z3`.
//!
//! `cargo run --release -p palisade-smt --example difftest -- [LOGIC|all] [SCRIPTS] [FIRST SEED]`
//! Every model is evaluated, every core is solved again by z3. A failure is shrunk and printed; the exit code is then 1.

#[path = "../tests/common/mod.rs"]
mod common;

use common::{Counts, LOGICS, Logic, Oracle, fails, script, show, shrink};
use palisade_smt::native::Options;
use palisade_term::TermPool;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let wanted = args.get(1).map_or("all", |s| s.as_str()).to_lowercase();
    let scripts: u64 = args.get(2).and_then(|s| s.parse().ok()).unwrap_or(200);
    let first: u64 = args.get(3).and_then(|s| s.parse().ok()).unwrap_or(1);
    let logics: Vec<Logic> =
        LOGICS.into_iter().filter(|l| wanted == "all" || format!("{l:?}").to_lowercase() == wanted).collect();
    std::panic::set_hook(Box::new(|_| {}));
    let mut failed = false;
    println!("logic        scripts  queries      sat    unsat  unknown  z3 unknown");
    for logic in logics {
        let mut counts = Counts::default();
        for seed in first..first + scripts {
            let pool = TermPool::new();
            let mut oracle = Oracle::start(&pool);
            if oracle.is_none() {
                eprintln!("z3 is not on the path; answers are only checked against a fresh solver");
            }
            let commands = script(&pool, logic, seed, 40);
            let options = Options {
                checked: true,
                hold_back: seed % 4 != 0,
                cuts: seed % 3 != 0,
                ..Options::default()
            };
            match fails(&pool, &commands, &options, &mut oracle) {
                Ok(c) => counts.add(c),
                Err(what) => {
                    failed = true;
                    let mut again = |s: &[common::Command]| fails(&pool, s, &options, &mut oracle).is_err();
                    let small = shrink(&commands, &mut again);
                    let why = fails(&pool, &small, &options, &mut oracle).err();
                    println!(
                        "FAILED {logic:?} seed {seed}: {what}\nshrunk ({why:?}):\n{}\n",
                        show(&pool, &small)
                    );
                }
            }
        }
        println!(
            "{:<12} {scripts:>7} {:>8} {:>8} {:>8} {:>8} {:>11}",
            format!("{logic:?}"),
            counts.queries(),
            counts.sat,
            counts.unsat,
            counts.unknown,
            counts.oracle_unknown
        );
    }
    if failed {
        std::process::exit(1);
    }
}
