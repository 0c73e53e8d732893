//! And-inverter graphs (AIGs): Boolean circuits with registers, the form in which finite systems meet the SAT
//! core.
//!
//! - [`Aig`]: the graph. Conjunction and negation only, structurally hashed, inputs of a gate before the
//!   gate.
//! - [`Circuit`]: a graph with primary inputs, latches (next state, reset value), bad states and invariant
//!   constraints: the transition system of hardware model checking.
//! - [`simulate`]: 64 patterns at a time, and ternary simulation.
//! - [`reduce`](fn@reduce): cone of influence and latches that ternary simulation from the reset shows
//!   constant, with the way back.
//! - [`aiger`]: AIGER 1.9, ASCII and binary, in and out; witnesses.
//! - [`program`]: a circuit as a [`Program`](palisade_program::Program) with one loop location and `Bool`
//!   terms, so that every engine runs on it.
//! - [`finite`]: a program over Booleans and bit-vectors as a circuit, so that the engines on circuits run on
//!   it.
//!
//! # Invariants
//! - Node 0 is the constant; the arguments of a gate have smaller numbers than the gate. So a pass over all
//!   nodes in order is an evaluation, and nothing recurses.
//! - The meaning of a circuit is that of AIGER 1.9 (Biere, Heljanko, Wieringa: AIGER 1.9 And Beyond, 2011): a
//!   run starts in a state that the resets allow, satisfies every constraint in every step, and violates the
//!   property if a bad literal is true in its last step.
//!
//! # Not here
//! Liveness: justice and fairness are refused by the reader.
#![forbid(unsafe_code)]
#![warn(missing_docs)]

pub mod aiger;
mod arrays;
mod circuit;
mod comparisons;
pub mod finite;
mod formula;
mod graph;
mod predicate;
pub mod program;
mod reduce;
pub mod simulate;
mod witness;

pub use circuit::{Circuit, Latch, Trace};
pub use graph::{Aig, Lit, Node};
pub use predicate::Predicate;
pub use reduce::{Reduced, reduce};
pub use witness::{read_witness, write_witness};
