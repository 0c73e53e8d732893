//! What a recorder writes is what was asked: its script, played on the solver and on z3, gives the answers
//! that were given.

mod common;

use std::cell::RefCell;
use std::io::Write as _;
use std::ops::ControlFlow;
use std::process::{Command as Process, Stdio};
use std::rc::Rc;

use common::{Command, Logic, script};
use palisade_smt::record::Recorder;
use palisade_smt::{Answer, Limits, NativeSolver, Solver};
use palisade_term::TermPool;

/// Plays commands on a recorder; the script, and the answers that were given.
fn record(commands: &[Command], pool: &TermPool) -> (String, Vec<bool>) {
    let text = Rc::new(RefCell::new(String::new()));
    let sink = Rc::clone(&text);
    let mut answers = Vec::new();
    let sink = Box::new(move |piece: &str| sink.borrow_mut().push_str(piece));
    let mut solver = Recorder::new(pool, Box::new(NativeSolver::new(pool)), sink);
    for command in commands {
        let answer = match command {
            Command::Push => {
                solver.push();
                continue;
            }
            Command::Pop => {
                solver.pop(1);
                continue;
            }
            Command::Assert(t) => {
                solver.assert(*t);
                continue;
            }
            Command::Check { temporary, assumptions } if temporary.is_empty() => solver.check(assumptions),
            Command::Check { temporary, assumptions } => solver.check_with(temporary, assumptions),
        };
        match answer {
            Answer::Sat(_) => answers.push(true),
            Answer::Unsat(_) => answers.push(false),
            Answer::Unknown(_) => {}
        }
    }
    drop(solver);
    (Rc::into_inner(text).expect("the recorder is gone").into_inner(), answers)
}

fn by_z3(script: &str) -> Option<Vec<String>> {
    let mut child = Process::new("z3")
        .args(["-in", "-T:60"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .ok()?;
    let mut input = child.stdin.take().expect("piped");
    let text = script.to_string();
    let writer = std::thread::spawn(move || input.write_all(text.as_bytes()));
    let output = child.wait_with_output().expect("z3 runs");
    writer.join().expect("no panic").expect("z3 reads");
    Some(String::from_utf8_lossy(&output.stdout).lines().map(str::to_string).collect())
}

#[test]
fn a_replay_gives_the_same_answers() {
    let mut total = 0;
    for (logic, seeds) in [(Logic::Lia, 12), (Logic::Lra, 12), (Logic::Bv, 6)] {
        for seed in 0..seeds {
            let pool = TermPool::new();
            let (text, answers) = record(&script(&pool, logic, 900 + seed, 40), &pool);
            total += answers.len();
            // In a pool of its own: only what is in the text counts.
            let fresh = TermPool::new();
            let mut errors = String::new();
            let summary = palisade_smt::script::run(&fresh, &text, &Limits::default(), &mut |reply| {
                if let palisade_smt::script::Reply::Error(e) = reply {
                    errors += &format!("{e}\n");
                }
                ControlFlow::Continue(())
            })
            .expect("S-expressions");
            assert_eq!((summary.errors, summary.wrong), (0, 0), "{errors}{text}");
            let given: Vec<Option<bool>> = answers.iter().map(|&a| Some(a)).collect();
            assert_eq!(summary.answers, given, "{text}");
            match by_z3(&text) {
                Some(lines) => {
                    let words: Vec<&str> =
                        answers.iter().map(|&sat| if sat { "sat" } else { "unsat" }).collect();
                    assert_eq!(lines, words, "{text}");
                }
                None => eprintln!("z3 is absent: its replay is not compared"),
            }
        }
    }
    assert!(total > 100, "too few queries were decided: {total}");
}
