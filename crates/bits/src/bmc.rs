//! Bounded model checking: is there a run of 0, 1, 2, ... steps into a bad state? (Biere, Cimatti, Clarke,
//! Zhu: Symbolic Model Checking without BDDs, 1999.)
//!
//! It never proves safety. Entry point: [`run`].

use palisade_aig::{Circuit, Lit, Trace};
use palisade_sat::{Limits, Options as SatOptions, SolveResult, Solver};

use crate::unroll::{Clauses, Unrolling};
use crate::{Monitor, Options, Stop, Stopped, Unknown, Verdict, with_reduction};

/// Searches for a run, up to `bits.bound` steps if that is not 0.
pub fn run(circuit: &Circuit, options: &Options, stop: &Stop, monitor: &mut dyn Monitor) -> Verdict {
    with_reduction(circuit, |circuit| {
        let mut search = Search::new(circuit, stop);
        loop {
            let depth = search.depth();
            if options.bound != 0 && depth as u64 > options.bound {
                let why = format!("no counterexample of up to {} steps", options.bound);
                return Verdict::Unknown(Unknown::Incomplete(why));
            }
            match search.deepen() {
                Ok(Some(trace)) => return Verdict::Unsafe(trace),
                Ok(None) => monitor.bound(depth as u32 + 1),
                Err(Stopped) => return Verdict::Unknown(Unknown::Stopped),
            }
        }
    })
}

/// A search that grows by one step at a time.
pub(crate) struct Search<'c> {
    unrolling: Unrolling<'c>,
    first: Vec<Lit>,
    clauses: Clauses,
    sat: Solver,
}

impl<'c> Search<'c> {
    pub(crate) fn new(circuit: &'c Circuit, stop: &Stop) -> Self {
        let (unrolling, first) = Unrolling::from_reset(circuit);
        let mut sat = Solver::new(SatOptions::default());
        sat.set_limits(Limits { interrupt: Some(stop.0.clone()), ..Limits::default() });
        Search { unrolling, first, clauses: Clauses::default(), sat }
    }

    /// The steps of the next run that is searched.
    pub(crate) fn depth(&self) -> usize {
        self.unrolling.bad.len()
    }

    /// Searches for a run with one more step than before.
    pub(crate) fn deepen(&mut self) -> Result<Option<Trace>, Stopped> {
        self.unrolling.extend();
        let last = self.depth() - 1;
        let mut literal = |l: Lit| self.clauses.literal(&self.unrolling.aig, l, &mut self.sat, 0);
        let constraint = literal(self.unrolling.constraint[last]);
        let bad = literal(self.unrolling.bad[last]);
        self.sat.add_clause(&[constraint]);
        match self.sat.solve(&[bad]) {
            SolveResult::Sat => Ok(Some(self.trace())),
            SolveResult::Unsat => {
                self.sat.add_clause(&[!bad]);
                Ok(None)
            }
            SolveResult::Unknown(_) => Err(Stopped),
        }
    }

    fn trace(&self) -> Trace {
        let values = |lits: &Vec<Lit>| lits.iter().map(|&l| self.clauses.value(l, &self.sat)).collect();
        Trace { initial: values(&self.first), inputs: self.unrolling.inputs.iter().map(values).collect() }
    }
}
