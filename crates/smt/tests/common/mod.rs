//! Random formulas and random incremental scripts, and the oracle they are compared with.
//!
//! A script is generated once as data ([`Command`]s) and then played: to the native solver, to the oracle, or
//! again after parts of it were cut out when a failure is being shrunk.

#![allow(dead_code, unused_imports, missing_docs)]

mod generate;
mod oracle;
pub mod paths;
mod play;

pub use palisade_fuzzing::Random;

pub use generate::{Gen, LOGICS, Logic};
pub use oracle::{Oracle, Resting, Verdict};
pub use play::{Claim, Command, Counts, Settings, confirm, fails, play, play_safely, script, show, shrink};
