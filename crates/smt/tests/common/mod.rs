//! Random formulas and random incremental scripts, and the oracle they are compared with.
//!
//! A script is generated once as data ([`Command`]s) and then played: to the native solver, to the oracle, or again after parts of it were
//! cut out when a failure is being shrunk.

#![allow(dead_code, unused_imports, missing_docs)]

mod generate;
mod oracle;
pub mod paths;
mod play;

pub use generate::{Gen, LOGICS, Logic};
pub use oracle::{Oracle, Resting, Verdict};
pub use play::{Claim, Command, Counts, Settings, confirm, fails, play, play_safely, script, show, shrink};

/// A small deterministic generator (xorshift).
#[derive(Clone)]
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Rng {
        Rng(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) ^ 0xD1B5_4A32_D192_ED03)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 11
    }

    /// Below `n`.
    pub fn below(&mut self, n: u64) -> u64 {
        self.next() % n
    }

    /// Between the limits, both included.
    pub fn range(&mut self, low: i64, high: i64) -> i64 {
        low + self.below((high - low + 1) as u64) as i64
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.below(from.len() as u64) as usize]
    }
}
