//! Palisade as a library: from a program to a checked verdict.
//!
//! [`load`](fn@load) reads a program, [`verify`](fn@verify) decides it. Between the two ends of `verify` lie
//! the transformations that give the program the shape that the engine wants, the engine, the way back of
//! its claim, and the check of the claim on the program as the front-end gave it.
//!
//! ```
//! use palisade_verify::{Budget, COptions, Input, Settings, Silent, TermPool, Verdict, load, verify};
//! # fn main() -> Result<(), palisade_verify::Error> {
//! let text = "void reach_error(void);
//!     int main(void) { int x = 0; while (x < 10) x++; if (x != 10) reach_error(); }";
//! let pool = TermPool::new();
//! let program = load(&pool, &[Input::Text("count.c".into(), text.into())], &COptions::default())?.program;
//! match verify(&pool, &program, &Settings::default(), &Budget::unlimited(), &mut Silent)? {
//!     Verdict::Safe(proof) => assert!(proof.invariants().at(program.entry) == Some(pool.tru())),
//!     Verdict::Unsafe(counterexample) => panic!("a run of {} steps", counterexample.run().steps.len()),
//!     Verdict::Unknown(unknown) => panic!("{}", unknown.reason),
//! }
//! # Ok(())
//! # }
//! ```
//!
//! | module | job |
//! |---|---|
//! | [`load`](mod@load) | the choice of the front-end, and reading |
//! | [`settings`] | engine, options and solvers of a run, each looked up once |
//! | [`prepare`](mod@prepare) | the program in the shape that an engine wants |
//! | [`verify`](mod@verify) | engine, way back, check |
//! | [`termination`] | whether every run ends, as questions of safety |
//! | [`undefined`] | programs with edges for undefined behaviour |
//! | [`placement`] | violations that may depend on where objects lie |
//! | [`check`](mod@check) | the check of a certificate file, without an engine |
//! | [`hardware`] | witnesses of circuits, in the words of hardware model checking |
//! | [`verdict`] | what comes out |
//! | [`observe`] | what is told while a run lasts |
//!
//! # Invariants
//! - A verdict cannot be made without its check: [`Verdict::Safe`] and [`Verdict::Unsafe`] hold types that
//!   only [`palisade_certify::Checker`] makes.
//! - A claim that fails its check is an [`Error::Defect`], never a verdict.
//! - Nothing here prints or ends the process. Files are read by `load` only, and nothing is written.
//! - A verdict does not borrow the pool. The caller owns the pool and may drop it, or leak it.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod check;
mod error;
pub mod hardware;
pub mod load;
pub mod observe;
pub mod placement;
pub mod prepare;
pub mod settings;
pub mod termination;
pub mod undefined;
pub mod verdict;
pub mod verify;

pub use check::{check, watched_by};
pub use error::Error;
pub use hardware::{Hardware, is_witness};
pub use load::{Language, Loaded, load, read_bytes, read_text};
pub use observe::{Observer, Phase};
pub use palisade_engines::{Budget, Engine, Silent, Stop};
pub use palisade_front_c::{COptions, Input};
pub use palisade_program::Program;
pub use palisade_term::TermPool;
pub use prepare::{prepare, wanted_shape};
pub use settings::{Certified, Settings, SolverChoice, Solvers, default_engine, find_engine};
pub use termination::{Ended, terminates};
pub use verdict::{Reason, Unknown, Verdict, what_matters};
pub use verify::verify;
