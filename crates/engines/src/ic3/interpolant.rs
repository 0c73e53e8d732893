//! Interpolants of blocked cubes: what the edges into a location say about a cube that they cannot enter.
//!
//! For every incoming edge, `F(level-1, source) and relation` contradicts the cube after the edge; an
//! interpolant of the two is a formula over the location's variables that holds after the edge and excludes
//! the cube. Their disjunction holds after every edge. Werner, "Property Directed Reachability in Ultimate"
//! (2018), section 4.4, leaves this as an open end; Cimatti and Griggio, "Software Model Checking via IC3"
//! (CAV 2012), section 5, use interpolants on paths.

use palisade_ic3::frames::Frames;
use palisade_program::EdgeId;
use palisade_smt::Limits;
use palisade_smt::interpolate::{Interpolation, Settings};
use palisade_term::{Term, Version};
use rustc_hash::FxHashSet;

use super::by_location::ByLocation;
use super::{Answer, Flavour as _, FrameId};
use crate::{Budget, Task};

/// Solver steps of one interpolation.
const MAX_STEPS: u64 = 200_000;

/// A formula that holds at the location after every edge from the frames below the level and contradicts the
/// cube; `None` where the solver finds none.
pub fn of_blocked_cube(
    task: &Task<'_>,
    budget: &Budget,
    frames: &Frames,
    at: FrameId,
    edges: &[EdgeId],
    cube: &[Term],
) -> Option<Term> {
    let pool = task.pool;
    let post = pool.version_all(pool.and(cube.iter().copied()), Version::Primed);
    let limits = Limits { steps: Some(MAX_STEPS), interrupt: Some(budget.interrupt_flag()) };
    let settings = Settings { limits, ..Settings::default() };
    let mut interpolator = task.solvers.interpolator(pool);
    let mut parts = Vec::new();
    for &e in edges {
        let source = task.program.edge(e).source;
        let frame = frames.formula(pool, source, at.level - 1);
        if frame == pool.fls() {
            continue;
        }
        let before = pool.and([frame, task.program.relation(pool, e)]);
        let Interpolation::Interpolants(sequence) = interpolator.interpolate(&[before, post], &settings)
        else {
            return None;
        };
        parts.push(pool.unprime(*sequence.first()?));
    }
    let formula = pool.or(parts);
    let allowed: FxHashSet<Term> = task.program.vars(at.location).iter().copied().collect();
    pool.free_vars(formula).iter().all(|v| allowed.contains(v)).then_some(formula)
}

/// The cube that an interpolant of the blocking queries excludes, where that is a cube and still blocked by
/// induction.
pub fn wider_cube(
    task: &Task<'_>,
    budget: &Budget,
    flavour: &mut ByLocation<'_>,
    at: FrameId,
    cube: &[Term],
) -> Option<Vec<Term>> {
    let pool = task.pool;
    let edges = flavour.consecution.incoming(at.location);
    let formula = of_blocked_cube(task, budget, &flavour.frames, at, edges, cube)?;
    let excluded = pool.conjuncts(pool.nnf(pool.not(formula)));
    if !excluded.iter().all(|&t| pool.is_literal(t)) {
        return None;
    }
    match flavour.blocked(at, &excluded) {
        Answer::Yes(core) => Some(core),
        Answer::No(_) | Answer::Undecided(_) => None,
    }
}
