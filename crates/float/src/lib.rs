//! IEEE 754 binary floating point.
//!
//! A floating-point number is its bits: a `u64` in exact code, a bit-vector term in formulas. So everything
//! that works on bit-vectors (solvers, the proof checker, the evaluator, engines, certificates) works on
//! floating point, and no other crate needs a sort for it.
//!
//! - [`Format`]: how many bits the exponent and the significand have; [`Rounding`]: the five rounding modes.
//! - [`exact`]: arithmetic on bits with integers only. It is the reference for the circuits, and folds
//!   constants. Tests compare it with the machine's own arithmetic and with z3.
//! - [`Circuits`]: the same operations as bit-vector terms. Tests compare them with [`exact`] and with z3.
//! - [`literal`]: decimal and hexadecimal literals, read with correct rounding and written so that reading
//!   gives the same bits.
//!
//! Invariants: an operation that makes a NaN makes [`Format::nan`], the quiet NaN with sign 0 and no payload.
//! Machines give other bits (x86 sets the sign, and keeps the payload of an operand), and C leaves them open.
//! So whoever lets a program look at the bits of a NaN has to treat them as unknown.
//!
//! Limits: significands of at most 53 bits and formats of at most 64 bits. There is no fused
//! multiply-and-add, and no circuit for remainders. Exception flags are not modelled.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

mod circuit;
pub mod exact;
mod format;
pub mod literal;

pub use circuit::Circuits;
pub use format::{Class, Format, Rounding};
