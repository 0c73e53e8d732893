//! What fuzzers and random tests share: mutation fuzzing of readers of text on stable Rust, reproducible random numbers, and shrinking of what fails.
//!
//! A [`Campaign`] takes valid texts, changes tokens and phrases of them as a [`Syntax`] tells it, and gives the results to a reader, which must neither panic nor take
//! long. What the reader accepts joins the texts to start from. A development tool: only examples and tests depend on it.
//!
//! - The input being tried is always on disk (`current`), so that it is there even after a stack overflow.
//! - Time is CPU time of the process, so that other work on the machine does not look like slowness.
//!
//! Entry points: [`Campaign::run`], [`Random`], [`scale()`], [`shrink()`].

mod campaign;
mod mutate;
mod random;
mod scale;
mod shrink;

pub use campaign::{Campaign, Tally, files_below, texts_below};
pub use mutate::{Syntax, mutate};
pub use random::Random;
pub use scale::scale;
pub use shrink::shrink;
