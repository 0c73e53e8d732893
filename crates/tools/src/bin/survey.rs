//! Reads every Horn and VMT file below the given folders and prints, per folder, how many are read, and why
//! others are not.
//!
//! `cargo run --release -p palisade-tools --bin survey -- ../shared/benchmarks/chc ../shared/benchmarks/vmt`

use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use palisade_front_ts::{Program, read_horn, read_vmt};
use palisade_fuzzing::files_below;
use palisade_term::TermPool;

fn read(file: &Path) -> Result<(TermPool, Program), String> {
    let text = std::fs::read_to_string(file).map_err(|e| e.to_string())?;
    let pool = TermPool::new();
    let name = file.display().to_string();
    let program = if file.extension().is_some_and(|e| e == "vmt") {
        read_vmt(&pool, &name, &text, None).map_err(|e| e.to_string())?.program
    } else {
        read_horn(&pool, &name, &text).map_err(|e| e.to_string())?.program
    };
    program.check(&pool).map_err(|e| e.to_string())?;
    Ok((pool, program))
}

#[derive(Default)]
struct Row {
    files: usize,
    read: usize,
    locations: usize,
    edges: usize,
    inputs: usize,
    terms: usize,
    time: Duration,
    slowest: Duration,
}

fn main() {
    let folders: Vec<String> = std::env::args().skip(1).collect();
    let all = files_below(folders.iter().map(Path::new), &["smt2", "vmt"]);
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    for file in &all {
        let folder = file.parent().map(|p| p.display().to_string()).unwrap_or_default();
        let row = rows.entry(folder).or_default();
        row.files += 1;
        let begin = Instant::now();
        match read(file) {
            Ok((pool, program)) => {
                row.read += 1;
                row.locations += program.locations.len();
                row.edges += program.edges.len();
                row.inputs += program.edges.iter().map(|e| e.inputs.len()).sum::<usize>();
                row.terms += pool.len();
            }
            Err(e) => println!("{e}\n"),
        }
        let time = begin.elapsed();
        row.time += time;
        row.slowest = row.slowest.max(time);
    }
    println!(
        "{:60} {:>5} {:>5} {:>9} {:>7} {:>8} {:>9} {:>8} {:>8}",
        "folder", "files", "read", "locations", "edges", "inputs", "terms", "ms", "max ms"
    );
    for (folder, r) in &rows {
        println!(
            "{folder:60} {:>5} {:>5} {:>9} {:>7} {:>8} {:>9} {:>8} {:>8}",
            r.files,
            r.read,
            r.locations,
            r.edges,
            r.inputs,
            r.terms,
            r.time.as_millis(),
            r.slowest.as_millis()
        );
    }
    let sum = |f: fn(&Row) -> usize| rows.values().map(f).sum::<usize>();
    println!("{} of {} files read", sum(|r| r.read), sum(|r| r.files));
}
