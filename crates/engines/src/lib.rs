//! The verification engines, and the parts they share.
//!
//! Every engine implements [`Engine`]: it gets a [`Task`] (a program and a way to make solvers), a [`Budget`]
//! and an [`Observer`], and returns an [`Outcome`]. Engines never read files, never print, never exit; they
//! poll the budget and report through the observer. An outcome is a *claim*: it becomes a verdict only after
//! `certify` has checked it on the untransformed program.
//!
//! One module per engine, named as on the command line; the table of engines is [`all`].

pub mod abstraction;
pub mod art;
pub mod auto;
pub mod background;
mod backward;
pub mod bits;
pub mod bmc;
pub mod budget;
pub mod cell_facts;
pub mod ic3;
pub mod ic3_cegar;
pub mod ic3_cfa;
pub mod ic3_ia;
pub mod ic3_loop;
pub mod imc;
pub mod impact;
pub mod kind;
pub mod observe;
pub mod options;
pub mod path;
pub mod pdr_cfg;
pub mod predabs;
pub mod shrink;
pub mod timed;
pub mod tree_ic3;
mod trials;
mod unroll;
mod unwinding;
pub mod values;
pub mod walk;

use palisade_ic3::literal;
use palisade_program::{Invariants, Program, Run};
use palisade_smt::{Interpolator, Limits, Solver};
use palisade_term::{Term, TermPool};

pub use auto::Runs;
pub use budget::{Budget, Part, Stop};
pub use observe::{Event, Observer, Silent, learned};

/// What an engine works on.
#[derive(Clone, Copy)]
pub struct Task<'a> {
    /// The terms of the program.
    pub pool: &'a TermPool,
    /// The program, after the transformations the driver chose.
    pub program: &'a Program,
    /// Makes solvers over `pool`.
    pub solvers: &'a dyn SolverFactory,
    /// Option values (`--set name=value`).
    pub options: &'a Options,
}

impl<'a> Task<'a> {
    /// A new solver that stops with the budget, and gives up a query after so many steps.
    pub fn solver(&self, budget: &Budget, steps: Option<u64>) -> Box<dyn Solver + 'a> {
        let mut solver = self.solvers.solver(self.pool);
        solver.set_limits(Limits { steps, interrupt: Some(budget.interrupt_flag()) });
        solver
    }
}

/// Makes solvers for the engines.
pub trait SolverFactory {
    /// A fresh solver with nothing asserted.
    fn solver<'p>(&self, pool: &'p TermPool) -> Box<dyn Solver + 'p>;

    /// A source of Craig interpolants.
    fn interpolator<'p>(&self, pool: &'p TermPool) -> Box<dyn Interpolator + 'p>;
}

/// What an engine claims.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// The error location cannot be reached; the proof.
    Safe(Invariants),
    /// It cannot: no run is longer than so many edges, and none ends there. Whoever checks that unwinds the
    /// program ([`palisade_program::CutInvariants::rounds`]).
    Ends(u32),
    /// It can; the run.
    Unsafe(Run),
    /// Not decided: why, and what is known.
    Unknown(Reason, Partial),
}

/// Why an engine gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// The budget ended it.
    Stopped(Stop),
    /// The solver could not decide a query the engine depends on.
    Solver(String),
    /// The engine's method ends here (a bound was reached, the strategy is exhausted).
    Incomplete(String),
}

/// What an engine had learned when it stopped without an answer.
#[derive(Clone, Debug, Default)]
pub struct Partial {
    /// No run of at most this many steps (edges of the task's program) reaches the error location.
    pub safe_bound: Option<u32>,
    /// Formulas known to be invariant, by location index.
    pub invariants: Vec<(palisade_program::Loc, Term)>,
    /// The location the engine was busy with.
    pub stuck_at: Option<palisade_program::Loc>,
    /// Anything worth telling the user, one line each.
    pub notes: Vec<String>,
}

/// The shape of program that an engine wants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A control-flow automaton with large blocks.
    Blocks,
    /// The same, with some of their cells instead of arrays (`prophecy` of `transform`). Proofs come back,
    /// runs do not.
    Cells(Cells),
    /// One location besides entry and error: a transition system.
    Loop {
        /// How the program counter is kept.
        pc: Pc,
        /// One edge from the loop to itself, not one for each way through the program.
        merged: bool,
    },
    /// An and-inverter graph.
    Bits,
    /// The program as the front-end gave it.
    Source,
}

/// What is known of arrays where they are replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cells {
    /// Facts about all their cells ([`cell_facts`]).
    Facts,
    /// These, and the cells that the error reads.
    Any,
    /// These cells only; numbers that indices are compared with are parameters.
    AnySize,
}

/// The program counter of a program that has been made one loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pc {
    /// One integer.
    Int,
    /// As many Booleans as the number of locations needs.
    Bool,
    /// None: the input is one loop already and stays as it is; other inputs get an integer.
    AsIs,
}

/// A verification engine.
pub trait Engine {
    /// The name on the command line.
    fn name(&self) -> &'static str;

    /// One line for `palisade engines`.
    fn about(&self) -> &'static str;

    /// The shape of program that it wants; the driver prepares it and translates the outcome back.
    fn shape(&self, _pool: &TermPool, _program: &Program, _options: &Options) -> Shape {
        Shape::Blocks
    }

    /// Is a program for this engine? A stage for which it is not is left out, before the program is prepared.
    fn applies(&self, _pool: &TermPool, _program: &Program, _options: &Options) -> bool {
        true
    }

    /// The engines that this one tries, one after the other, each on the shape that it wants, if it is made
    /// of others.
    fn stages(&self) -> Vec<Box<dyn Engine>> {
        Vec::new()
    }

    /// Runs until an answer or the end of the budget.
    fn run(&self, task: &Task<'_>, budget: &Budget, observer: &mut dyn Observer) -> Outcome;
}

pub use options::Options;

/// All engines, in the order in which they are listed.
pub fn all() -> Vec<Box<dyn Engine>> {
    vec![
        Box::new(auto::Auto),
        Box::new(bmc::Bmc),
        Box::new(kind::Kind),
        Box::new(values::Values { limits: None }),
        Box::new(bits::FSIS),
        Box::new(imc::Imc),
        Box::new(ic3_cfa::Ic3CfaEngine),
        Box::new(ic3_loop::Ic3Engine),
        Box::new(ic3_cegar::Ic3CegarEngine),
        Box::new(ic3_ia::Ic3IaEngine),
        Box::new(pdr_cfg::PdrCfgEngine),
        Box::new(tree_ic3::TreeIc3),
        Box::new(tree_ic3::TreeIc3Itp),
        Box::new(tree_ic3::TreeIc3ItpMono),
        Box::new(impact::Impact),
        Box::new(predabs::PredAbs),
    ]
}

#[cfg(test)]
mod tests {
    use palisade_smt::{Interpolator, NativeInterpolator, NativeSolver, Solver};
    use palisade_term::TermPool;

    use crate::SolverFactory;

    /// The native solver, for unit tests.
    pub(crate) struct Native;

    impl SolverFactory for Native {
        fn solver<'p>(&self, pool: &'p TermPool) -> Box<dyn Solver + 'p> {
            Box::new(NativeSolver::new(pool))
        }

        fn interpolator<'p>(&self, pool: &'p TermPool) -> Box<dyn Interpolator + 'p> {
            Box::new(NativeInterpolator::new(pool))
        }
    }
}
