//! Shared by the tests of the library: settings by name, and a run that stops at a bound.
#![allow(dead_code)]

use palisade_engines::{Event, Observer, Options, Stop};
use palisade_program::{EdgeId, Program};
use palisade_verify::{Budget, Engine, Settings, TermPool, Verdict, verify};

/// Settings of an engine with options by name.
pub fn settings(engine: Box<dyn Engine>, set: &[(&str, &str)]) -> Settings<'static> {
    let mut options = Options::new();
    for (name, value) in set {
        options.set(name, value).expect("a good option");
    }
    Settings { engine, options, ..Settings::default() }
}

/// Remembers the counterexample of the engine, and stops a run whose bound grows too large.
pub struct Impatient {
    budget: Budget,
    bound: u32,
    /// The edges of the prepared program.
    pub counterexample: Option<Vec<EdgeId>>,
}

impl Observer for Impatient {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Bound(k) if k >= self.bound => self.budget.stop(Stop::Timeout),
            Event::Counterexample(edges) => self.counterexample = Some(edges.to_vec()),
            _ => {}
        }
    }
}

impl palisade_verify::Observer for Impatient {}

/// Verifies up to a bound; a claim that fails its check fails the test.
pub fn bounded(
    pool: &TermPool,
    program: &Program,
    settings: &Settings<'_>,
    bound: u32,
) -> (Verdict, Option<Vec<EdgeId>>) {
    let budget = Budget::unlimited();
    let mut observer = Impatient { budget: budget.clone(), bound, counterexample: None };
    let verdict = verify(pool, program, settings, &budget, &mut observer);
    let verdict = verdict.unwrap_or_else(|e| panic!("{}: {e}", settings.engine.name()));
    (verdict, observer.counterexample)
}
