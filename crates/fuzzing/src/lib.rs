//! Mutation fuzzing of readers of text, on stable Rust and with the same inputs for the same seed.
//!
//! A [`Campaign`] takes valid texts, changes tokens and phrases of them as a [`Syntax`] tells it, and gives the results to a reader, which must neither panic nor take
//! long. What the reader accepts joins the texts to start from. A development tool: only examples and tests depend on it.
//!
//! - The input being tried is always on disk (`current`), so that it is there even after a stack overflow.
//! - Time is CPU time of the process, so that other work on the machine does not look like slowness.
//!
//! Entry points: [`Campaign::run`], [`Random`].

mod campaign;
mod mutate;
mod random;

pub use campaign::{Campaign, Tally};
pub use mutate::{Syntax, mutate};
pub use random::Random;
