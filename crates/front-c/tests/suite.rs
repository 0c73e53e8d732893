//! The benchmark suite, where it is present (`../shared/benchmarks`): every task translates, and no random
//! run of a task that is known to be safe reaches an error. A part of every folder by default, all tasks from
//! `PALISADE_TEST_SCALE=10` on.

mod common;

use std::path::{Path, PathBuf};

use palisade_front_c::{COptions, CProgram, Checks, Input, IntMode, translate};
use palisade_fuzzing::Random;
use palisade_program::{Property, take};
use palisade_term::{Sort, TermPool, Value};

fn suite() -> Option<PathBuf> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/benchmarks/c");
    if path.is_dir() {
        return Some(path);
    }
    println!("SKIPPED: the benchmark suite is not at {}", path.display());
    None
}

/// A random value, often small or at the edge of a type.
fn random_value(random: &mut Random, sort: &Sort) -> Value {
    let v: i128 = match random.below(6) {
        0 => 0,
        1 => 1,
        2 => random.below(12) as i128,
        3 => random.below(300) as i128 - 150,
        4 => i128::from(random.bits() as i32),
        _ => *[2_147_483_647, -2_147_483_648, 4_294_967_295, -1, 255]
            .get(random.below(5))
            .expect("five values"),
    };
    match sort {
        Sort::Bool => Value::Bool(v & 1 == 1),
        Sort::Int => Value::Int(v.into()),
        Sort::BitVec(w) => Value::BitVec(*w, (v & ((1i128 << w) - 1)).into()),
        other => Value::default_of(other),
    }
}

/// A random run: the property it violates, if any.
fn walk(pool: &TermPool, c: &CProgram, random: &mut Random) -> Option<Property> {
    let program = &c.program;
    let outgoing = program.outgoing();
    let (mut at, mut state) = (program.entry, Vec::new());
    for _ in 0..400 {
        let edges = &outgoing[at.index()];
        let mut next = None;
        // The inputs of every try are new: each edge may be taken with any inputs that satisfy its guard.
        for _ in 0..4 * edges.len() {
            let e = edges[random.below(edges.len())];
            let inputs: Vec<Value> =
                program.edge(e).inputs.iter().map(|&i| random_value(random, pool.sort(i))).collect();
            if let Some(after) = take(pool, program, &state, e, &inputs) {
                next = Some((e, after));
                break;
            }
        }
        let (e, after) = next?;
        if program.edge(e).target == program.error {
            return program.edge(e).origin.property.clone();
        }
        (at, state) = (program.edge(e).target, after);
    }
    None
}

#[test]
fn the_suite_translates_and_safe_tasks_stay_safe() {
    let Some(root) = suite() else { return };
    let all = palisade_fuzzing::scale() >= 10;
    let mut folders = vec![root.join("ctigar")];
    let mut svcomp: Vec<PathBuf> = std::fs::read_dir(root.join("svcomp"))
        .expect("the suite")
        .map(|e| e.expect("an entry").path())
        .collect();
    svcomp.sort();
    folders.extend(svcomp);
    let (mut tasks, mut reached) = (0, 0);
    for folder in folders {
        let name = folder.file_name().and_then(|n| n.to_str()).unwrap_or("").to_string();
        let table = std::fs::read_to_string(folder.join("tasks.csv")).expect("a table of tasks");
        let rows: Vec<Vec<&str>> = table.lines().skip(1).map(|l| l.split(',').collect()).collect();
        // The largest programs only on request, and a few of every folder otherwise.
        let large = matches!(name.as_str(), "product-lines" | "recursive" | "recursive-simple");
        let limit = if all {
            usize::MAX
        } else if large {
            2
        } else {
            12
        };
        for row in rows.iter().take(limit) {
            let (file, safe, property) = (folder.join(row[0]), row[1] == "true", row[2]);
            let modes = if name == "ctigar" { vec![IntMode::Math] } else { vec![IntMode::C, IntMode::Bv] };
            for int_mode in modes {
                let mut options = COptions { int_mode, ..COptions::default() };
                if property == "no-overflow" {
                    options.checks = Checks { overflow: true, ..Checks::none() };
                }
                let pool = TermPool::new();
                let c = translate(&pool, &[Input::Path(file.clone())], &options)
                    .unwrap_or_else(|e| panic!("{} is refused: {e}", file.display()));
                c.program.check(&pool).unwrap_or_else(|e| panic!("{}: {e}", file.display()));
                let mut random = Random::new(7);
                for _ in 0..6 {
                    let end = walk(&pool, &c, &mut random).filter(|p| matches!(p, Property::Violated(_)));
                    assert!(
                        !safe || end.is_none(),
                        "{} is safe but reaches {end:?} in mode {int_mode:?}",
                        file.display()
                    );
                    reached += usize::from(end.is_some());
                }
                tasks += 1;
            }
        }
    }
    println!("{tasks} tasks translated, {reached} random runs of unsafe tasks reached the error");
    assert!(tasks > 100 && reached > 0, "the suite is there, and some errors are found");
}
