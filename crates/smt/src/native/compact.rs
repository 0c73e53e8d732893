//! Starting over: the solver forgets what only past queries and popped scopes needed.
//!
//! Encodings are permanent, and that is right for most of them: they come again. But an engine asks hundreds
//! of thousands of queries on one solver, and each may have terms that never come again; linear forms, views,
//! definitions and their clauses would pile up for ever, and the search would propagate through them. What
//! belongs to a literal of a query goes with it (see [`super::encode`]). For the rest there is a garbage
//! collector of the simplest kind: when more is dead than alive, the core and the encoder are made anew from
//! the formulas that are asserted.
//!
//! What is lost is what the search had learned; nothing else refers to the old core, proofs included: a
//! refutation is complete when its query ends. Since as much has been encoded since the last time as is
//! encoded now, the cost per query stays bounded by a constant factor.

use palisade_sat::Solver as SatSolver;
use palisade_term::TermPool;

use super::encode::Encoder;
use super::query::{CONFLICT_STEPS, PROPAGATIONS_PER_STEP};
use super::theory::Theories;
use super::words::Words;
use super::{NativeSolver, Options, Scope};
use crate::solver::Stats;

/// Steps of the proof log that count as one part.
const STEPS_PER_PART: usize = 8;

impl<'p> NativeSolver<'p> {
    /// An empty core.
    pub(super) fn core(pool: &'p TermPool, options: &Options) -> SatSolver<Theories<'p>> {
        let config = palisade_arith::Config {
            cuts: options.cuts,
            diophantine: options.equations,
            ..palisade_arith::Config::default()
        };
        let theories = Theories::new(Encoder::new(pool, config), Words::new(pool), options.proofs);
        let sat_options = palisade_sat::Options {
            proof: options.proofs,
            seed: options.seed,
            ..palisade_sat::Options::default()
        };
        SatSolver::with_theory(sat_options, theories)
    }

    /// Makes the constants of an empty core.
    pub(super) fn init_core(&mut self) {
        let direct = !self.options.proofs;
        self.encode(|enc, sink| {
            enc.gates.direct = direct;
            enc.gates.init(sink);
        });
        self.alive = self.parts();
    }

    /// How much there is, dead or alive: variables of the core, forms and variables of arithmetic, views of
    /// literals.
    pub(super) fn parts(&self) -> usize {
        let theories = self.sat.theory();
        let proof = self.sat.proof().map_or(0, |p| p.len() / STEPS_PER_PART);
        self.sat.live_vars() + theories.enc().parts() + theories.held_back.parts() + proof
    }

    /// Starts over if more is dead than alive. Not while a query runs.
    pub(super) fn compact(&mut self) {
        self.arrays.forget_unchanged();
        let dead = self.parts().saturating_sub(self.alive);
        if dead > self.alive.max(self.options.garbage) {
            self.start_over();
        }
    }

    fn start_over(&mut self) {
        self.past = self.stats_so_far();
        self.sat = Self::core(self.pool, &self.options);
        self.init_core();
        self.solved.forget();
        self.instances.clear();
        self.product_facts.clear();
        self.roots.clear();
        let scopes = std::mem::take(&mut self.scopes);
        let formulas = std::mem::take(&mut self.rewritten);
        let mut from = 0;
        for end in scopes.iter().map(|s| s.asserted).chain([formulas.len()]) {
            for &formula in &formulas[from..end] {
                self.add_asserted(formula);
            }
            from = end;
            if self.scopes.len() < scopes.len() {
                self.open_scope(end);
            }
        }
        self.rewritten = formulas;
    }

    /// Opens a scope that begins after `asserted` formulas.
    pub(super) fn open_scope(&mut self, asserted: usize) {
        self.sat.push();
        self.scopes.push(Scope { roots: self.roots.len(), asserted, alive: self.alive });
    }

    /// The counters, over all cores.
    pub(super) fn stats_so_far(&self) -> Stats {
        let s = self.sat.stats();
        let theories = self.sat.theory();
        let arith = theories.enc().arith.stats();
        Stats {
            queries: self.queries,
            conflicts: self.past.conflicts + s.conflicts,
            decisions: self.past.decisions + s.decisions,
            propagations: self.past.propagations + s.propagations,
            pivots: self.past.pivots + arith.pivots,
            steps: self.past.steps
                + CONFLICT_STEPS * s.conflicts
                + s.propagations / PROPAGATIONS_PER_STEP
                + arith.steps,
            memory: (self.sat.memory_bytes() + theories.memory() + self.guards.memory()) as u64,
        }
    }
}
