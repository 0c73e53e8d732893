//! What tests and fuzzers share: mutation fuzzing of text readers on stable Rust, reproducible random
//! numbers, random C programs, shrinking of failing inputs, golden files, z3 as a judge, and how long random
//! tests run.
//!
//! A [`Campaign`] takes valid texts, changes tokens and phrases of them as a [`Syntax`] says, and gives the
//! results to a reader, which must neither panic nor take long. Texts that the reader accepts join the texts
//! to start from. This is a development tool: only tests and the `tools` crate depend on it.
//!
//! - The input being tried is always on disk (`current`), so that it is there even after a stack overflow.
//! - Time is CPU time of the process, so that other work on the machine does not look like slowness.
//!
//! Entry points: [`Campaign::run`], [`Random`], [`scale()`], [`shrink()`], [`golden()`], [`layouts()`].

mod campaign;
mod golden;
mod layouts;
mod mutate;
mod scale;
mod shrink;
mod z3;

pub use campaign::{Campaign, Tally, files_below, texts_below};
pub use golden::golden;
pub use layouts::{INTEGERS, layouts};
pub use mutate::{Syntax, mutate};
pub use palisade_random::Random;
pub use scale::{scale, seed_shift, seeds};
pub use shrink::shrink;
pub use z3::z3;
