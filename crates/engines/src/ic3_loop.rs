//! `ic3`: IC3 on one transition relation.
//!
//! A finite program (Booleans and bit-vectors) becomes a circuit and is decided on the SAT core
//! ([`crate::bits`]); any other is decided over SMT, as described here. `--set ic3.backend` chooses.
//!
//! Cimatti and Griggio, "Software Model Checking via IC3" (CAV 2012), section 3 and Figure 1. The program is
//! one loop: control is a variable like any other (`--set encoding=pc-int`, or `pc-bool` for ceil(log2 n)
//! Booleans as in the paper), and there is one sequence of frames. The loop of the figure is
//! [`crate::ic3::blocking`].
//!
//! | paper | here |
//! |---|---|
//! | APPROX-PREIMAGE, the first cubes (section 6.1) | `ic3.cubes`; how a cube is made: `ic3.predecessor` |
//! | bad cubes reduced by the dual-rail encoding (section 6.1) | `ic3.bad`, [`crate::ic3::bad`] |
//! | one solver with assumptions, or one for each frame | `solvers`, [`crate::ic3::consecution`] |
//!
//! Level `i` of the loop is level `i - 1` of the paper, because the edge from the entry counts.
//!
//! # What it does not do
//! Programs with many locations lose their control flow; `ic3-cfa` keeps it. `--preset paper` is without
//! background analyses, global guidance and walks.

use palisade_aig::finite::{encode, is_finite};
use palisade_program::{Program, Run};
use palisade_term::TermPool;

use crate::ic3::blocking::Ic3;
use crate::options::Backend;
use crate::{Budget, Engine, Observer, Options, Outcome, Pc, Shape, Task, bits};

/// The engine.
pub struct Ic3Engine;

impl Engine for Ic3Engine {
    fn name(&self) -> &'static str {
        "ic3"
    }

    fn about(&self) -> &'static str {
        "IC3 on one transition relation: on the SAT core for finite programs, over SMT for others"
    }

    fn shape(&self, pool: &TermPool, program: &Program, options: &Options) -> Shape {
        let bits = match options.ic3.backend {
            Backend::Sat => true,
            Backend::Smt => false,
            Backend::Auto => is_finite(pool, program),
        };
        if bits { Shape::Bits } else { Shape::Loop { pc: Pc::Int, merged: false } }
    }

    fn run(&self, task: &Task<'_>, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
        if task.program.entry == task.program.error {
            return Outcome::Unsafe(Run::default());
        }
        if task.options.ic3.backend == Backend::Smt {
            return Ic3::run_exactly(task, budget, observer);
        }
        match encode(task.pool, task.program) {
            Ok(finite) => bits::ic3(task, finite, budget, observer),
            Err(_) if task.options.ic3.backend == Backend::Auto => Ic3::run_exactly(task, budget, observer),
            Err(why) => bits::not_finite(&why),
        }
    }
}
