//! Switches, counters and the reasons to stop.

/// The switches of the solver.
#[derive(Clone, Debug)]
pub struct Config {
    /// Pivots of one check before it changes to Bland's rule, which terminates.
    pub bland_after: u32,
    /// Rows longer than this are not used for bound propagation.
    pub propagation_row_limit: usize,
    /// Report atoms implied by a bound on the same variable.
    pub unate_propagation: bool,
    /// Slacks that may have rows without the check looking for rows to drop.
    pub min_rows: usize,
    /// Give a slack a row only when the assignment violates one of its bounds, rather than when it is first
    /// bounded. Fewer and shorter rows, and less propagation along rows.
    pub lazy_rows: bool,
    /// Offer cuts over new forms from the integer check (otherwise only splits on single variables).
    pub cuts: bool,
    /// Every how many failed integer checks a cut is tried before a split.
    pub cut_period: u32,
    /// Cuts with a coefficient of more bits than this are not offered.
    pub cut_max_bits: u64,
    /// Use the cube test (see the module `cube`) before splitting.
    pub cube_test: bool,
    /// Solve the equalities over the integers before splitting.
    pub diophantine: bool,
    /// Split on forms too, when splits on single variables do not end.
    pub form_splits: bool,
    /// Splits and cuts that [`crate::Arith::final_check`] requests between two calls of
    /// [`crate::Arith::reset_budget`], if these allow fewer than `u64::MAX` steps.
    pub max_splits: u32,
}

impl Default for Config {
    fn default() -> Config {
        Config {
            bland_after: 100,
            propagation_row_limit: 32,
            unate_propagation: true,
            min_rows: 24,
            lazy_rows: true,
            cuts: true,
            cut_period: 4,
            cut_max_bits: 32,
            cube_test: true,
            diophantine: true,
            form_splits: true,
            max_splits: 10_000,
        }
    }
}

/// Deterministic counters of work done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stats {
    /// Calls of [`crate::Arith::check`].
    pub checks: u64,
    /// Conflicts, of bounds and of checks.
    pub conflicts: u64,
    /// Pivots.
    pub pivots: u64,
    /// Steps, as the budget counts them.
    pub steps: u64,
    /// Row additions in pivots and row activations.
    pub row_additions: u64,
    /// Rows made for slacks.
    pub activations: u64,
    /// Rows dropped.
    pub drops: u64,
    /// Atoms implied by a bound on the same variable.
    pub unate_propagations: u64,
    /// Atoms implied by a row.
    pub row_propagations: u64,
    /// Integer variables made integral by moving a nonbasic variable.
    pub patches: u64,
    /// Integral solutions found by the cube test.
    pub cubes: u64,
    /// Cuts offered.
    pub cuts: u64,
    /// Splits requested.
    pub splits: u64,
    /// Splits requested on forms.
    pub form_splits: u64,
    /// Conflicts and cuts from solving equalities over the integers.
    pub diophantine: u64,
    /// Disequalities satisfied by moving a variable.
    pub diseq_moves: u64,
}

/// Why an answer is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    /// The step budget is used up.
    Budget,
    /// The caller's interrupt flag is set.
    Interrupt,
}

/// The answer of a check over the rationals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// The bounds have a common rational solution.
    Sat,
    /// They have none; see [`crate::Arith::conflict`].
    Unsat,
    /// Stopped before an answer.
    Unknown(Stop),
}
