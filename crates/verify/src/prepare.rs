//! The program in the shape that an engine wants, with the way back.
//!
//! Entry point: [`prepare`].

use palisade_engines::Options;
use palisade_engines::options::Transform;
use palisade_program::Program;
use palisade_smt::{Answer, Solver};
use palisade_term::TermPool;
use palisade_transform::{Pipeline, Prepared, Satisfiable, prepare_with};

/// Prepares a program for an engine. The solver is asked about the phases of loops.
pub fn prepare(
    pool: &TermPool,
    program: &Program,
    options: &Options,
    mut solver: Box<dyn Solver + '_>,
) -> Prepared {
    let mut wanted = palisade_transform::Options::default();
    match options.general.transform {
        Transform::None => return Prepared { program: program.clone(), back: Pipeline::new() },
        Transform::Light => wanted.lbe = None,
        Transform::Full => {}
    }
    if !options.general.control {
        wanted.control = None;
    }
    let mut satisfiable = |formula| match solver.check(&[formula]) {
        Answer::Sat(_) => Some(true),
        Answer::Unsat(_) => Some(false),
        Answer::Unknown(_) => None,
    };
    let ask: Option<&mut Satisfiable<'_>> =
        if options.general.phases { Some(&mut satisfiable) } else { None };
    prepare_with(pool, program, &wanted, ask)
}
