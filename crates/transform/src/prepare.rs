//! The default sequence of transformations: trim, small arrays, recovery of control flow, then rounds of
//! trim, constants and copies, liveness, large blocks, until nothing changes; then prophecies, if they are
//! wanted; phases last.
//!
//! Loop heads of the program that was given stay outside large blocks, even when a loop turns out to be
//! infeasible later: so formulas at the locations that are left cut every cycle of that program, and a proof
//! can always come back as formulas at cut points. Only a location that was divided by its program counter
//! needs the formulas of all its parts; blocks then end at inputs, so that these formulas are substitutions.
//!
//! Entry point: [`prepare`].

use palisade_program::{CutInvariants, Graph, Invariants, Program, Run};
use palisade_term::{Term, TermPool};
use rustc_hash::FxHashSet;

use crate::back::{Back, BackTranslation, Context, Pipeline, Transformed};
use crate::control::ControlOptions;
use crate::lbe::{CutPoints, LbeOptions, lbe_keeping};
use crate::phases::Satisfiable;
use crate::{Cells, Facts, Prophesied, cells, constprop, control, inputs, liveness, phases, prophecy, trim};

/// Which transformations are applied.
#[derive(Clone, Debug)]
pub struct Options {
    /// Arrays of at most so many elements become variables.
    pub cells: usize,
    /// Recovery of control flow from program counters.
    pub control: Option<ControlOptions>,
    /// Constant and copy propagation.
    pub constprop: bool,
    /// Per-location liveness (the cone of influence).
    pub liveness: bool,
    /// Large-block encoding.
    pub lbe: Option<LbeOptions>,
    /// What takes the place of arrays; then there is a way back for proofs only.
    pub prophecy: Option<Cells>,
    /// The sequence is repeated until nothing changes, at most this often.
    pub rounds: usize,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            cells: 8,
            control: Some(ControlOptions::default()),
            constprop: true,
            liveness: true,
            lbe: Some(LbeOptions::default()),
            prophecy: None,
            rounds: 4,
        }
    }
}

/// A program made ready for the engines, with the way back.
pub struct Prepared {
    /// The transformed program.
    pub program: Program,
    /// From evidence about it to evidence about the program that was given.
    pub back: Pipeline,
    /// Variables of the transformed program that are no variables of the other one: what comes back holds
    /// for all their values.
    pub forall: Vec<Term>,
    /// The stage of [`Prepared::back`] that replaced arrays, if facts were known about their cells.
    pub used_facts: Option<usize>,
}

impl Prepared {
    /// A program as it is.
    pub fn unchanged(program: &Program) -> Prepared {
        Prepared { program: program.clone(), back: Pipeline::new(), forall: Vec::new(), used_facts: None }
    }

    /// Translates a certificate back to the program that was given to [`prepare`].
    pub fn invariants(
        &self,
        cx: &mut Context<'_>,
        original: &Program,
        invariants: &Invariants,
    ) -> Back<Invariants> {
        self.back.invariants(cx, original, invariants)
    }

    /// Translates a certificate back to the program that was given to [`prepare`], but only to the locations
    /// that are not inside large blocks. That takes no time, and they cut every cycle. It fails when a part
    /// of a divided location ([`crate::control`](mod@crate::control)) lies inside a block.
    pub fn cut_invariants(
        &self,
        pool: &TermPool,
        original: &Program,
        invariants: &Invariants,
    ) -> Back<CutInvariants> {
        let forall = self.forall.clone();
        self.back.cut_invariants(pool, original, &CutInvariants { forall, ..invariants.clone().into() })
    }

    /// Translates a run back to the program that was given to [`prepare`].
    pub fn run(&self, pool: &TermPool, original: &Program, run: &Run) -> Back<Run> {
        self.back.run(pool, original, run)
    }
}

/// What changes when a round of transformations does something.
fn measure(program: &Program) -> (usize, usize, usize, usize) {
    let vars = program.locations.iter().map(|l| l.vars.len()).sum();
    let inputs = program.edges.iter().map(|e| e.inputs.len()).sum();
    (program.locations.len(), program.edges.len(), vars, inputs)
}

/// Trims, propagates constants, drops dead variables and collapses blocks, until nothing changes.
pub fn prepare(pool: &TermPool, original: &Program, options: &Options) -> Prepared {
    prepare_with(pool, original, options, Ask::default())
}

/// Whom the transformations may ask.
#[derive(Default)]
pub struct Ask<'a, 'b> {
    /// Loops are divided into their phases in the end.
    pub satisfiable: Option<&'a mut Satisfiable<'b>>,
    /// What is known of all cells of arrays, for prophecies.
    pub facts: Option<&'a mut FindFacts<'b>>,
}

/// Finds facts about all cells of the arrays of a program.
pub type FindFacts<'b> = dyn FnMut(&Program) -> Option<Facts> + 'b;

/// As [`prepare`], with somebody to ask.
pub fn prepare_with(pool: &TermPool, original: &Program, options: &Options, ask: Ask<'_, '_>) -> Prepared {
    let mut back = Pipeline::new();
    let mut program = original.clone();
    let step = trim(pool, &program);
    program = apply(&mut back, program, step);
    if let Some(step) = cells(pool, &program, options.cells) {
        program = apply(&mut back, program, step);
    }
    let mut blocks = options.lbe.clone();
    if let Some(step) = options.control.as_ref().and_then(|options| control(pool, &program, options)) {
        program = apply(&mut back, program, step);
        if let Some(options) = &mut blocks {
            // All parts of a divided location need a formula on the way back, those inside blocks too: it
            // must be cheap.
            options.cut_points = CutPoints::LoopHeadsAndInputs;
        }
        let step = inputs(pool, &program);
        program = apply(&mut back, program, step);
    }
    // The heads of all loops stay outside blocks, even when a loop turns out to be infeasible later: then
    // formulas at the locations that are left cut every cycle of the program that was given. (Locations that
    // the other transformations drop have a formula on the way back.)
    let graph = Graph::new(&program);
    let heads = program.locs().filter(|l| graph.loop_head[l.index()]);
    let heads: FxHashSet<String> = heads.map(|l| program.location(l).name.clone()).collect();
    let smaller = |back: &mut Pipeline, mut program: Program| {
        let step = trim(pool, &program);
        program = apply(back, program, step);
        if options.constprop {
            let step = constprop(pool, &program);
            program = apply(back, program, step);
            let step = trim(pool, &program);
            program = apply(back, program, step);
        }
        if options.liveness {
            let step = liveness(pool, &program);
            program = apply(back, program, step);
        }
        program
    };
    for _ in 0..options.rounds.max(1) {
        let before = measure(&program);
        program = smaller(&mut back, program);
        if let Some(options) = &blocks {
            let step = lbe_keeping(pool, &program, options, |l| heads.contains(&program.location(l).name));
            program = apply(&mut back, program, step);
        }
        if measure(&program) == before {
            break;
        }
    }
    let (mut forall, mut used_facts) = (Vec::new(), None);
    if let Some(cells) = options.prophecy {
        let facts = ask.facts.and_then(|find| find(&program));
        if let Some(Prophesied { step, indices }) = prophecy(pool, &program, cells, facts.as_ref()) {
            forall = indices;
            used_facts = facts.map(|_| back.len());
            program = back.push(program, step);
            program = smaller(&mut back, program);
        }
    }
    // No blocks after this: the parts of a divided location keep their formulas.
    if let Some(step) = ask.satisfiable.and_then(|satisfiable| phases(pool, &program, satisfiable)) {
        program = apply(&mut back, program, step);
        program = smaller(&mut back, program);
    }
    Prepared { program, back, forall, used_facts }
}

/// Appends a transformation. One that changed nothing needs no way back.
fn apply(back: &mut Pipeline, program: Program, step: Transformed) -> Program {
    if same(&program, &step.program) { program } else { back.push(program, step) }
}

/// Are two programs the same, location by location and edge by edge?
fn same(a: &Program, b: &Program) -> bool {
    a.locations.len() == b.locations.len()
        && a.edges.len() == b.edges.len()
        && (a.entry, a.error) == (b.entry, b.error)
        && a.locations.iter().zip(&b.locations).all(|(x, y)| x.vars == y.vars)
        && (a.edges.iter().zip(&b.edges)).all(|(x, y)| {
            (x.source, x.target, x.guard) == (y.source, y.target, y.guard)
                && x.inputs == y.inputs
                && x.update == y.update
        })
}
