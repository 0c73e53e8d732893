//! Program transformations, each with its way back.
//!
//! A transformation takes a [`Program`](palisade_program::Program) and returns a smaller or differently
//! shaped one with the same verdict, together with a [`BackTranslation`]: what turns invariants and runs of
//! the new program into invariants and runs of the old one. There is no transformation without its way back,
//! because certificates are checked on the program as the front-end gave it.
//!
//! | module | transformation | origin |
//! |---|---|---|
//! | [`trim`](mod@trim) | removes what lies on no path from the entry to the error | slicing on the graph |
//! | [`constprop`](mod@constprop) | constants and copies, infeasible edges | see there |
//! | [`liveness`](mod@liveness) | drops what cannot influence a guard | cone of influence, per location |
//! | [`lbe`](mod@lbe) | one edge for all paths between two cut points | see there |
//! | [`control`](mod@control) | one location for each value of a Boolean program counter | inverse of `pc` |
//! | [`cells`](mod@cells) | one variable for each element of a small array | see there |
//! | [`prophecy`](mod@prophecy) | arrays become the cells that the error reads | see there |
//! | [`phases`](mod@phases) | one location for each phase of a loop | see there |
//! | [`inputs`](mod@inputs) | inputs that guards determine are replaced | one-point rule |
//! | [`pc`] | single loop with a program counter, integer or Boolean | the transition systems of IC3 |
//!
//! # Invariants
//! - Verdicts are preserved in both directions: the error is reachable in the new program exactly when it is
//!   in the old one. Only [`prophecy`](mod@prophecy) adds runs: a proof comes back, a run does not.
//! - If `J` is a certificate of the new program (entry true, error false, every edge inductive), then the
//!   translated `J` is one of the old program. When that takes quantifier elimination that is out of reach,
//!   the translation says [`Untranslatable`]; it never returns formulas it cannot answer for.
//! - A run of the new program translates to a run of the old one that ends in the corresponding location.
//! - Deterministic, and free of recursion over the size of the program or its terms.
//!
//! Entry points: [`prepare`](fn@prepare) for the default sequence, [`Pipeline`] to compose by hand, and the
//! function of each module.

mod back;
pub mod cells;
pub mod constprop;
pub mod control;
mod divide;
pub mod inputs;
pub mod lbe;
pub mod liveness;
pub mod pc;
pub mod phases;
mod prepare;
pub mod prophecy;
mod rebuild;
pub mod trim;

pub use back::{Back, BackTranslation, Context, Interpolator, Part, Pipeline, Transformed, Untranslatable};
pub use cells::cells;
pub use constprop::constprop;
pub use control::{ControlOptions, control};
pub use inputs::inputs;
pub use lbe::{CutPoints, LbeOptions, lbe};
pub use liveness::liveness;
pub use palisade_program::Invariants;
pub use pc::{PcEncoding, single_loop};
pub use phases::{Satisfiable, phases};
pub use prepare::{Ask, FindFacts, Options, Prepared, prepare, prepare_with};
pub use prophecy::{Cells, Facts, Prophesied, prophecy};
pub use trim::trim;
