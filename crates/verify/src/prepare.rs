//! The program in the shape that an engine wants, with the way back.
//!
//! - blocks: control-flow recovery, constants, liveness, large blocks, phases of loops;
//! - cells: the same, with some of their cells instead of arrays, and facts about all;
//! - one loop, with a counter: the same without phases; then
//!   [`single_loop`](fn@palisade_transform::single_loop);
//! - one loop, as it is: no control-flow recovery; an integer counter if the program is not one loop;
//! - bits: a loop whose next state is a function stays as it is, others are made smaller; the engine makes
//!   the graph, with its own counter;
//! - source: nothing.
//!
//! The encoding comes last, so that no other transformation undoes it. `--set encoding` chooses another shape
//! than the engine's. Whether the edges of a single loop become one is the engine's choice as well, unless
//! `--set merge-edges` makes it.
//!
//! Entry points: [`wanted_shape`], [`prepare`](fn@prepare), [`prepare_with`].

use palisade_engines::bits::is_circuit;
use palisade_engines::options::{Encoding, Transform};
use palisade_engines::{Cells, Engine, Options, Pc, Shape};
use palisade_program::Program;
use palisade_smt::{Answer, Solver};
use palisade_term::TermPool;
use palisade_transform::{Ask, FindFacts, LbeOptions, PcEncoding, Prepared, Satisfiable, lbe, single_loop};

/// The shape that an engine gets: the one it asks for, unless the options name another.
pub fn wanted_shape(engine: &dyn Engine, pool: &TermPool, program: &Program, options: &Options) -> Shape {
    let own = engine.shape(pool, program, options);
    let merged = options.general.merge_edges.or(matches!(own, Shape::Loop { merged: true, .. }));
    let one_loop = |pc| Shape::Loop { pc, merged };
    match (options.general.encoding, own) {
        (Encoding::Engine, Shape::Loop { pc, .. }) => one_loop(pc),
        (Encoding::Engine, own) => own,
        (Encoding::Cfa, _) => Shape::Blocks,
        (Encoding::CellFacts, _) => Shape::Cells(Cells::Facts),
        (Encoding::AnyCell, _) => Shape::Cells(Cells::Any),
        (Encoding::AnyCellAnySize, _) => Shape::Cells(Cells::AnySize),
        (Encoding::PcInt, _) => one_loop(Pc::Int),
        (Encoding::PcBool, _) => one_loop(Pc::Bool),
        (Encoding::AsIs, _) => one_loop(Pc::AsIs),
    }
}

/// Prepares a program. The solver is asked about the phases of loops.
pub fn prepare(
    pool: &TermPool,
    program: &Program,
    shape: Shape,
    options: &Options,
    solver: Box<dyn Solver + '_>,
) -> Prepared {
    prepare_with(pool, program, shape, options, solver, &mut |_| None)
}

/// The same, with somebody who finds facts about all cells of arrays; one shape has a use for them.
pub fn prepare_with(
    pool: &TermPool,
    program: &Program,
    shape: Shape,
    options: &Options,
    solver: Box<dyn Solver + '_>,
    facts: &mut FindFacts<'_>,
) -> Prepared {
    // A circuit, or as good as one, has the reductions of the engines on bits.
    if shape == Shape::Source || shape == Shape::Bits && is_circuit(pool, program) {
        return Prepared::unchanged(program);
    }
    let prepared = smaller(pool, program, shape, options, solver, facts);
    let Shape::Loop { pc, merged } = shape else { return prepared };
    let counter = match pc {
        Pc::AsIs if is_one_loop(&prepared.program) => None,
        Pc::Int | Pc::AsIs => Some(PcEncoding::Integer),
        Pc::Bool => Some(PcEncoding::Booleans),
    };
    let Prepared { mut program, mut back, forall, used_facts } = prepared;
    if let Some(encoding) = counter {
        let step = single_loop(pool, &program, encoding);
        program = back.push(program, step);
    }
    if merged {
        let step = lbe(pool, &program, &LbeOptions::default());
        program = back.push(program, step);
    }
    Prepared { program, back, forall, used_facts }
}

/// One location besides entry and error, or none.
fn is_one_loop(program: &Program) -> bool {
    program.locations.len() <= 3
}

/// What all shapes have in common: the program made smaller.
fn smaller(
    pool: &TermPool,
    program: &Program,
    shape: Shape,
    options: &Options,
    mut solver: Box<dyn Solver + '_>,
    facts: &mut FindFacts<'_>,
) -> Prepared {
    let general = &options.general;
    let mut wanted =
        palisade_transform::Options { cells: general.cells, ..palisade_transform::Options::default() };
    match general.transform {
        Transform::None => return Prepared::unchanged(program),
        Transform::Light => wanted.lbe = None,
        Transform::Full => {}
    }
    if !general.control || matches!(shape, Shape::Loop { pc: Pc::AsIs, .. }) {
        wanted.control = None;
    }
    let mut satisfiable = |formula| match solver.check(&[formula]) {
        Answer::Sat(_) => Some(true),
        Answer::Unsat(_) => Some(false),
        Answer::Unknown(_) => None,
    };
    let cells = if let Shape::Cells(cells) = shape { Some(cells) } else { None };
    wanted.prophecy = cells.map(|cells| match cells {
        Cells::Facts => palisade_transform::Cells::None,
        Cells::Any => palisade_transform::Cells::Any,
        Cells::AnySize => palisade_transform::Cells::AnySize,
    });
    let phases = general.phases && matches!(shape, Shape::Blocks | Shape::Cells(_));
    let satisfiable: Option<&mut Satisfiable<'_>> = if phases { Some(&mut satisfiable) } else { None };
    let wants_facts = general.cell_facts && matches!(cells, Some(Cells::Facts | Cells::Any));
    let ask = Ask { satisfiable, facts: wants_facts.then_some(facts) };
    palisade_transform::prepare_with(pool, program, &wanted, ask)
}
