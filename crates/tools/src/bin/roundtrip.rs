//! Does what we write mean what we read? Takes a sample of Horn and VMT files, writes each as Horn clauses,
//! and compares z3's answers. For Horn files the other answer is z3's on the original; for VMT files it is
//! z3's on our Horn text of the VMT text that we write and read again.
//!
//! `cargo run --release -p palisade-tools --bin roundtrip -- COUNT SEED SECONDS FOLDER...`

use std::collections::BTreeMap;
use std::path::Path;
use std::process::{Command, Stdio};

use palisade_front_ts::{read_horn, read_vmt, write};
use palisade_fuzzing::{Random, files_below};
use palisade_term::TermPool;

/// z3's answer to a script.
fn z3(script: &str, seconds: u32) -> String {
    use std::io::Write;
    let child = Command::new("z3")
        .args(["-in".to_string(), format!("-T:{seconds}"), "-memory:3000".to_string()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let mut child = child.expect("z3 is installed");
    let written = child.stdin.take().expect("piped").write_all(script.as_bytes());
    let output = child.wait_with_output().expect("an answer");
    if written.is_err() {
        return "timeout".into();
    }
    String::from_utf8_lossy(&output.stdout).lines().next().unwrap_or("nothing").to_string()
}

/// The two texts to compare, or why there are none.
fn texts(file: &Path) -> Result<(String, String), String> {
    let text = std::fs::read_to_string(file).map_err(|e| e.to_string())?;
    let pool = TermPool::new();
    if file.extension().is_some_and(|e| e == "smt2") {
        let horn = read_horn(&pool, "original", &text).map_err(|e| e.message)?;
        return Ok((text, write::horn(&pool, &horn.program)));
    }
    let vmt = read_vmt(&pool, "original", &text, None).map_err(|e| e.message)?;
    let written = write::vmt(&pool, &vmt.program).map_err(|e| e.to_string())?;
    let second_pool = TermPool::new();
    let again = read_vmt(&second_pool, "written", &written, None).map_err(|e| e.to_string())?;
    Ok((write::horn(&pool, &vmt.program), write::horn(&second_pool, &again.program)))
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [count, seed, seconds] =
        [0, 1, 2].map(|i| args.get(i).and_then(|a| a.parse::<u64>().ok()).expect("COUNT SEED SECONDS"));
    let mut all = files_below(args[3..].iter().map(Path::new), &["smt2", "vmt"]);
    let mut random = Random::new(seed);
    let mut table: BTreeMap<(String, String), usize> = BTreeMap::new();
    let mut taken = 0;
    while taken < count && !all.is_empty() {
        let file = all.swap_remove(random.below(all.len()));
        let (original, ours) = match texts(&file) {
            Ok(pair) => pair,
            Err(why) => {
                println!("not read: {}: {why}", file.display());
                continue;
            }
        };
        taken += 1;
        let answers = (z3(&original, seconds as u32), z3(&ours, seconds as u32));
        let decided = |a: &str| matches!(a, "sat" | "unsat");
        if decided(&answers.0) && decided(&answers.1) && answers.0 != answers.1 {
            println!("DIFFERENT: {}: {} became {}", file.display(), answers.0, answers.1);
        } else if answers.1.starts_with("(error") {
            println!("NOT VALID: {}: {}", file.display(), answers.1);
        }
        *table.entry(answers).or_default() += 1;
    }
    println!("{:>10} {:>10} {:>6}", "original", "written", "files");
    for ((a, b), n) in &table {
        println!("{a:>10} {b:>10} {n:>6}");
    }
}
