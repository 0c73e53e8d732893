//! Shared by the tests: running a translated program, and generating random C programs.

pub mod execute;
pub mod generate;
