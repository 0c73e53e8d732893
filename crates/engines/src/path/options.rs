//! The options of refuting paths.

use palisade_options::{choices, options};

choices! {
    /// Which of the interpolants that a refutation has.
    pub enum Strength { #[default] Stronger = "stronger", Weaker = "weaker" }
}

choices! {
    /// How much of a preimage becomes obligations.
    pub enum Preimage { #[default] First = "first", Some = "some", All = "all", Point = "point" }
}

options! {
    /// Refuting paths, by interpolants or edge by edge.
    pub struct PathOptions in "path" {
        /// solver steps of one interpolation (0: no limit)
        pub steps: u64 = 300_000,
        /// which interpolants are read off a refutation
        pub strength: Strength = Strength::Stronger,
        /// make interpolants smaller with the solver
        pub simplify: bool = true,
        /// assume the formulas of the nodes on a path when it is refuted
        pub assume_nodes: bool = true,
        /// an interpolant whose clauses are more than so many times larger is given up
        pub cnf_factor: usize = 5,
        /// edge by edge: the first cube of a preimage, the first few, all, or one state
        pub preimage: Preimage = Preimage::First,
        /// how many cubes are the first few
        pub preimage_cubes: usize = 3,
    }
}
