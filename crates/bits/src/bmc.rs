//! Bounded model checking: is there a run of 0, 1, 2, ... steps into a bad state? (Biere, Cimatti, Clarke,
//! Zhu: Symbolic Model Checking without BDDs, 1999.)
//!
//! It never proves safety. Entry point: [`run`].

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use palisade_aig::{Circuit, Lit, Trace};
use palisade_sat::{Limits, Lit as SatLit, SolveResult, Solver, Stopped as Why};

use crate::unroll::{Clauses, Unrolling};
use crate::{Control, Counter, Monitor, Options, Stopped, Unknown, Verdict, with_reduction};

/// Searches for a run, up to `bits.bound` steps if that is not 0.
pub fn run(circuit: &Circuit, options: &Options, control: &Control, monitor: &mut dyn Monitor) -> Verdict {
    with_reduction(circuit, options, control, monitor, |circuit, monitor| {
        let mut search = Search::new(circuit, control);
        let verdict = search.run(options, monitor);
        monitor.counters(&search.counters());
        verdict
    })
}

/// A search that grows by one step at a time.
pub(crate) struct Search<'c> {
    unrolling: Unrolling<'c>,
    first: Vec<Lit>,
    clauses: Clauses,
    sat: Solver,
    /// The bad states of the last step, if they are still to be decided.
    open: Option<SatLit>,
    stop: Arc<AtomicBool>,
    pub(crate) queries: u64,
}

impl<'c> Search<'c> {
    pub(crate) fn new(circuit: &'c Circuit, control: &Control) -> Self {
        let (unrolling, first) = Unrolling::from_reset(circuit);
        Search {
            unrolling,
            first,
            clauses: Clauses::default(),
            sat: control.solver(false),
            open: None,
            stop: control.stop.clone(),
            queries: 0,
        }
    }

    fn run(&mut self, options: &Options, monitor: &mut dyn Monitor) -> Verdict {
        loop {
            let depth = self.depth();
            if options.bound != 0 && depth as u64 > options.bound {
                let why = format!("no counterexample of up to {} steps", options.bound);
                return Verdict::Unknown(Unknown::Incomplete(why));
            }
            match self.deepen() {
                Ok(Some(trace)) => return Verdict::Unsafe(trace),
                Ok(None) => monitor.bound(depth as u32 + 1),
                Err(Stopped) => return Verdict::Unknown(Unknown::Stopped),
            }
        }
    }

    fn counters(&self) -> Vec<Counter> {
        let stats = self.sat.stats();
        vec![
            ("depth", self.depth() as u64),
            ("queries", self.queries),
            ("conflicts", stats.conflicts),
            ("propagations", stats.propagations),
            ("gates of the unrolling", self.unrolling.aig.len() as u64),
        ]
    }

    /// The steps of the next run that is searched.
    pub(crate) fn depth(&self) -> usize {
        self.unrolling.bad.len()
    }

    /// Searches for a run with one more step than before.
    pub(crate) fn deepen(&mut self) -> Result<Option<Trace>, Stopped> {
        self.advance(None)
    }

    /// As [`Search::deepen`], but for not many more than `limit` propagations; the next call goes on there.
    pub(crate) fn advance(&mut self, limit: Option<u64>) -> Result<Option<Trace>, Stopped> {
        let bad = match self.open {
            Some(bad) => bad,
            None => self.next_step(),
        };
        let limits = Limits { propagations: limit, interrupt: Some(self.stop.clone()), ..Limits::default() };
        self.sat.set_limits(limits);
        self.queries += 1;
        match self.sat.solve(&[bad]) {
            SolveResult::Sat => Ok(Some(self.trace())),
            SolveResult::Unsat => {
                self.sat.add_clause(&[!bad]);
                self.open = None;
                Ok(None)
            }
            SolveResult::Unknown(Why::Propagations) => Ok(None),
            SolveResult::Unknown(_) => Err(Stopped),
        }
    }

    /// Adds a step; its bad states.
    fn next_step(&mut self) -> SatLit {
        self.unrolling.extend();
        let last = self.depth() - 1;
        let mut literal = |l: Lit| self.clauses.literal(&self.unrolling.aig, l, &mut self.sat, 0);
        let constraint = literal(self.unrolling.constraint[last]);
        let bad = literal(self.unrolling.bad[last]);
        self.sat.add_clause(&[constraint]);
        self.open = Some(bad);
        bad
    }

    /// Propagations so far.
    pub(crate) fn propagations(&self) -> u64 {
        self.sat.stats().propagations
    }

    /// The gates of a step before anything is known about it.
    pub(crate) fn gates(&self) -> usize {
        self.unrolling.circuit().aig.len()
    }

    fn trace(&self) -> Trace {
        let values = |lits: &Vec<Lit>| lits.iter().map(|&l| self.clauses.value(l, &self.sat)).collect();
        Trace { initial: values(&self.first), inputs: self.unrolling.inputs.iter().map(values).collect() }
    }
}
