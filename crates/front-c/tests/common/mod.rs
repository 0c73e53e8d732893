//! Shared by the tests: running a translated program, and generating random C programs.

pub mod asked;
pub mod execute;
#[allow(dead_code)] // not every test file compares with a compiler
pub mod experiment;
#[allow(dead_code)] // not every test file generates programs
pub mod generate;
pub mod simulate;
