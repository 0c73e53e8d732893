//! Several workers: threads with different seeds and orders that tell each other their lemmas (Bradley,
//! SAT-Based Model Checking without Unrolling, 2011, says why IC3 lends itself to this).
//!
//! A lemma of another worker was proved relative to that worker's frames. It is added here only after the
//! same query about the frames here, so that the frames of each worker keep their invariants whatever the
//! others do; one that does not hold here is forgotten. The first verdict counts, and stops the others. The
//! result then depends on the speed of the threads: only one worker is deterministic.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::Duration;

use palisade_sat::Lit;

use super::frames::sorted;
use super::{Ic3, Problem, run_one};
use crate::options::Options;
use crate::{Control, Deaf, Monitor, Stopped, Unknown, Verdict};

/// Longer lemmas are not told.
const MAX_TOLD: usize = 30;

/// What the workers told so far: who, the level, the lemma.
#[derive(Default)]
pub(super) struct Exchange {
    told: Mutex<Vec<(usize, usize, Vec<Lit>)>>,
}

/// One worker's access to the exchange.
#[derive(Clone)]
pub(super) struct Port {
    exchange: Arc<Exchange>,
    me: usize,
    /// How much of the exchange was read.
    read: usize,
}

impl Port {
    pub(super) fn tell(&self, level: usize, lemma: &[Lit]) {
        if lemma.len() <= MAX_TOLD {
            let mut told = self.exchange.told.lock().expect("no worker panics with the lock");
            told.push((self.me, level, sorted(lemma.to_vec())));
        }
    }

    /// What the others told since the last call.
    fn news(&mut self) -> Vec<(usize, Vec<Lit>)> {
        let told = self.exchange.told.lock().expect("no worker panics with the lock");
        let me = self.me;
        let others = told[self.read..].iter().filter(|(who, ..)| *who != me);
        let news = others.map(|(_, level, lemma)| (*level, lemma.clone())).collect();
        self.read = told.len();
        news
    }
}

impl Ic3<'_> {
    /// Adds the lemmas of other workers that hold here.
    pub(super) fn listen(&mut self) -> Result<(), Stopped> {
        let Some(port) = &mut self.port else { return Ok(()) };
        for (level, lemma) in port.news() {
            self.control.check()?;
            let level = level.min(self.frontier);
            if level == 0 || self.blocks(level, &lemma) {
                continue;
            }
            if let Some(core) = self.refute(level - 1, &lemma)? {
                self.stats.imported += 1;
                self.add_own_lemma(level, core);
            }
        }
        Ok(())
    }
}

/// The options of a worker: the first has those that were asked for, the others vary the order of literals
/// and the effort of generalisation.
fn variant(options: &Options, worker: usize) -> Options {
    let mut options = options.clone();
    match worker % 4 {
        0 => {}
        1 => options.reverse_order = !options.reverse_order,
        2 => options.dynamic = !options.dynamic,
        _ => options.ctg = !options.ctg,
    }
    options
}

/// Runs the workers of `control` on a circuit. Tells the bounds of the first worker and the counters of the
/// one that came to a verdict.
pub(super) fn run(
    problem: Problem<'_>,
    options: &Options,
    control: &Control,
    monitor: &mut dyn Monitor,
) -> Verdict {
    let exchange = Arc::new(Exchange::default());
    let ended = Arc::new(AtomicBool::new(false));
    let verdict = Mutex::new(None);
    let work = |me: usize, monitor: &mut dyn Monitor| {
        let seed = control.seed.wrapping_add(me as u64);
        let control = Control { stop: ended.clone(), seed, workers: 1 };
        let port = Port { exchange: exchange.clone(), me, read: 0 };
        let options = variant(options, me);
        let mut last = Last(Vec::new(), monitor);
        let (found, _) = run_one(problem, &options, &control, Some(port), &mut last);
        if me == 0 || !matches!(found, Verdict::Unknown(Unknown::Stopped)) {
            let mut verdict = verdict.lock().expect("no worker panics with the lock");
            let better = match &*verdict {
                None => true,
                Some((Verdict::Unknown(_), _)) => !matches!(found, Verdict::Unknown(_)),
                Some(_) => false,
            };
            if better {
                *verdict = Some((found, last.0));
            }
        }
        ended.store(true, Ordering::SeqCst);
    };
    thread::scope(|scope| {
        for me in 1..control.workers {
            let work = &work;
            scope.spawn(move || work(me, &mut Deaf));
        }
        scope.spawn(|| {
            while !ended.load(Ordering::Relaxed) {
                thread::sleep(Duration::from_millis(2));
                if control.stop.load(Ordering::Relaxed) {
                    ended.store(true, Ordering::SeqCst);
                }
            }
        });
        work(0, monitor);
    });
    let found = verdict.into_inner().expect("no worker panics with the lock");
    let (verdict, counters) = found.unwrap_or((Verdict::Unknown(Unknown::Stopped), Vec::new()));
    monitor.counters(&counters);
    verdict
}

/// Passes bounds on and keeps the counters.
struct Last<'m>(Vec<crate::Counter>, &'m mut dyn Monitor);

impl Monitor for Last<'_> {
    fn bound(&mut self, bound: u32) {
        self.1.bound(bound);
    }

    fn counters(&mut self, counters: &[crate::Counter]) {
        self.0 = counters.to_vec();
    }
}
