//! The options of the abstract reachability tree.

use palisade_options::{choices, options};

choices! {
    /// Which leaf is expanded next.
    pub enum Order { #[default] DepthFirst = "dfs", BreadthFirst = "bfs", Distance = "distance" }
}

options! {
    /// The abstract reachability tree of the lazy-abstraction engines.
    pub struct ArtOptions in "art" {
        /// which leaf is expanded next: the newest, the least deep, the one nearest to the error
        pub order: Order = Order::DepthFirst,
        /// give every node what the background analyses know of its location
        pub background: bool = true,
    }
}
