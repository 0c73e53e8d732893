//! Options, limits and counters.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// When the search restarts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RestartPolicy {
    /// Moving averages of the glue and Luby, in turns.
    Alternate,
    /// Moving averages of the glue only.
    Glucose,
    /// The Luby sequence only.
    Luby,
    /// No restarts.
    Never,
}

/// Options of a solver, fixed when it is made.
#[derive(Clone, Debug)]
pub struct Options {
    /// Log a proof.
    pub proof: bool,
    /// Restart policy.
    pub restarts: RestartPolicy,
    /// Decay of variable activities per conflict, below 1.
    pub var_decay: f64,
    /// The value a variable is first tried with.
    pub default_phase: bool,
    /// Other than 0: the order and values in which fresh variables are tried are drawn from this seed.
    pub seed: u64,
    /// Learned clauses with at most this glue are the last to be forgotten.
    pub tier1_glue: u32,
    /// Learned clauses with at most this glue stay for longer when they were used.
    pub tier2_glue: u32,
    /// Number of learned clauses at which the first reduction happens.
    pub reduce_base: usize,
    /// How much later each next reduction happens.
    pub reduce_step: usize,
    /// The arena is never collected below this many words of garbage.
    pub collect_floor: usize,
    /// Remove implied literals from learned clauses, recursively.
    pub minimize: bool,
    /// Keep the decision levels of assumptions that the next query shares as a prefix.
    pub reuse_trail: bool,
    /// In a domain, clauses imply only variables of the domain and of assumptions, except at level 0. A model
    /// of the domain then falsifies no clause, but need not be closed under propagation beyond (Su et al.,
    /// Extended CDCL for IC3, 2024). Not with theories.
    pub propagate_in_domain: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            proof: false,
            restarts: RestartPolicy::Alternate,
            var_decay: 0.95,
            default_phase: false,
            seed: 0,
            tier1_glue: 2,
            tier2_glue: 6,
            reduce_base: 2000,
            reduce_step: 300,
            collect_floor: 1 << 16,
            minimize: true,
            reuse_trail: true,
            propagate_in_domain: false,
        }
    }
}

/// Limits of one query, in deterministic steps, and an interrupt flag.
#[derive(Clone, Default, Debug)]
pub struct Limits {
    /// Stop after this many conflicts.
    pub conflicts: Option<u64>,
    /// Stop after about this many propagated literals.
    pub propagations: Option<u64>,
    /// Stop when [`memory_bytes`](crate::Solver::memory_bytes) passes this.
    pub memory_bytes: Option<usize>,
    /// Stop when somebody sets this to true.
    pub interrupt: Option<Arc<AtomicBool>>,
}

/// Counters since the solver was made.
#[derive(Clone, Default, PartialEq, Eq, Debug)]
pub struct Stats {
    /// Queries.
    pub solves: u64,
    /// Scopes opened.
    pub pushes: u64,
    /// Conflicts met in search.
    pub conflicts: u64,
    /// Decisions, assumptions included.
    pub decisions: u64,
    /// Literals propagated by clauses.
    pub propagations: u64,
    /// Restarts.
    pub restarts: u64,
    /// Assumption levels kept from one query to the next.
    pub reused_levels: u64,
    /// Learned clauses, units included.
    pub learned: u64,
    /// Literals in learned clauses.
    pub learned_literals: u64,
    /// Literals removed from learned clauses by minimisation.
    pub minimized_literals: u64,
    /// Reductions of the learned clauses.
    pub reductions: u64,
    /// Learned clauses removed by reductions.
    pub reduced: u64,
    /// Clauses removed with their scope.
    pub popped: u64,
    /// Passes over the clauses that removed satisfied ones.
    pub simplifications: u64,
    /// Clauses removed because they were satisfied for good.
    pub satisfied: u64,
    /// Collections of the clause arena.
    pub collections: u64,
    /// Literals propagated by the theory.
    pub theory_propagations: u64,
    /// Conflicts found by the theory.
    pub theory_conflicts: u64,
    /// Clauses the theory added.
    pub theory_clauses: u64,
    /// Theory propagations that had to be explained.
    pub explanations: u64,
    /// Final checks.
    pub final_checks: u64,
}
