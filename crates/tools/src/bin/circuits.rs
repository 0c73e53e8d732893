//! Runs Boolean IC3 on AIGER files and prints a line for each: verdict, CPU time, counters. For measurements;
//! verdicts of runs are replayed, clauses are not checked here.
//!
//! `cargo run --release -p palisade-tools --bin circuits -- SECONDS [option=value]... FILE...`

use std::sync::atomic::Ordering;
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use palisade_bits::{Control, Counter, Monitor, Options, Verdict, ic3};
use palisade_options::Group as _;

#[derive(Default)]
struct Last(Vec<Counter>);

impl Monitor for Last {
    fn bound(&mut self, _bound: u32) {}
    fn counters(&mut self, counters: &[Counter]) {
        self.0 = counters.to_vec();
    }
}

/// CPU seconds of the main thread, as Linux counts them.
fn cpu() -> f64 {
    let text = std::fs::read_to_string("/proc/self/schedstat").expect("Linux");
    text.split(' ').next().and_then(|n| n.parse::<f64>().ok()).expect("nanoseconds") / 1e9
}

fn main() {
    let mut options = Options::default();
    let mut words = std::env::args().skip(1);
    let seconds: f64 = words.next().and_then(|s| s.parse().ok()).expect("seconds");
    for word in words {
        if let Some((name, value)) = word.split_once('=') {
            options.set(name, value).expect("an option");
            continue;
        }
        let bytes = std::fs::read(&word).expect("a file");
        let circuit = palisade_aig::aiger::read(&bytes).expect("AIGER");
        let control = Control::default();
        let flag = control.stop.clone();
        let (done, over) = std::sync::mpsc::channel::<()>();
        let timer = std::thread::spawn(move || {
            let begin = cpu();
            while over.recv_timeout(Duration::from_millis(20)) == Err(RecvTimeoutError::Timeout) {
                if cpu() - begin > seconds {
                    flag.store(true, Ordering::SeqCst);
                }
            }
        });
        let start = cpu();
        let mut last = Last::default();
        let verdict = ic3::run(&circuit, &options, &control, &mut last);
        let time = cpu() - start;
        let _ = done.send(());
        timer.join().expect("the timer ends");
        let word_of = match &verdict {
            Verdict::Safe(invariant) => format!("true {}", invariant.clauses.len()),
            Verdict::Unsafe(trace) => match circuit.replay(trace) {
                Ok(_) => format!("false {}", trace.inputs.len()),
                Err(e) => format!("WRONG {e}"),
            },
            Verdict::Unknown(_) => "unknown 0".into(),
        };
        let counters: Vec<String> =
            last.0.iter().map(|(n, v)| format!("{}={v}", n.replace(' ', "-"))).collect();
        let name = word.rsplit('/').next().unwrap_or(&word);
        println!("{name} {word_of} {time:.2} {}", counters.join(" "));
    }
}
