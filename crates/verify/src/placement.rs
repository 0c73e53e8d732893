//! Violations of C programs that may depend on where objects lie.
//!
//! The addresses of objects that become integers are numbers that a run chooses, within what is known of them
//! (`palisade_front_c::numbers`). A violation counts only if it does not depend on this choice:
//!
//! - A run that no number is known to decide is executed again with the objects elsewhere. It depends on
//!   their places if it does not execute there: then a number of the program happened to be an address.
//! - A run that numbers may have decided ends at an edge for that. It is a violation if it executes wherever
//!   the objects lie, with the same inputs: the conditions along the run are computed with the numbers as
//!   variables, and a checked refutation of their negation shows it.
//!
//! Limit: a run with the address of something that has no number, which may be any number, stays open.
//!
//! Entry point: [`property`].

use palisade_certify::Counterexample;
use palisade_engines::{Budget, SolverFactory};
use palisade_front_c::{ANY_ADDRESS, AS_NUMBER, Story};
use palisade_program::{Program, Property, Run};
use palisade_smt::Answer;
use palisade_term::{Term, TermPool};
use rustc_hash::FxHashMap;

use crate::verify::limited;

/// Steps of the query.
const STEPS: u64 = 2_000_000;

/// What a run of a program with a story violates, if anything.
pub fn property(
    pool: &TermPool,
    program: &Program,
    story: &Story,
    counterexample: &Counterexample,
    solvers: &dyn SolverFactory,
    budget: &Budget,
) -> Option<Property> {
    let run = counterexample.run();
    let stated = counterexample.property(program).cloned();
    let rests_on_places = || story.rests_on_places(pool, program, run);
    match &stated {
        None | Some(Property::Violated(_)) if rests_on_places() => Some(Property::Open(AS_NUMBER.into())),
        Some(Property::Open(what)) if **what == *AS_NUMBER => {
            let name = run.steps.last().and_then(|s| story.stated_property(s.edge));
            let everywhere = || executes_everywhere(pool, program, story, run, solvers, budget);
            name.filter(|_| !rests_on_places() && everywhere()).map(Property::Violated).or(stated)
        }
        _ => stated,
    }
}

/// Does a run execute with its inputs wherever the objects lie?
fn executes_everywhere(
    pool: &TermPool,
    program: &Program,
    story: &Story,
    run: &Run,
    solvers: &dyn SolverFactory,
    budget: &Budget,
) -> bool {
    let places = run.steps.first().and_then(|s| story.chosen_places(pool, s.edge));
    let Some((numbers, placement)) = places else { return false };
    let initial = run.initial.iter().map(|v| v.to_term(pool));
    let mut state: FxHashMap<Term, Term> = program.vars(program.entry).iter().copied().zip(initial).collect();
    let mut guards = Vec::new();
    for step in &run.steps {
        let edge = program.edge(step.edge);
        for (&input, value) in edge.inputs.iter().zip(&step.inputs) {
            if numbers.contains(&input) {
                continue;
            }
            if pool.var_name(input).starts_with(ANY_ADDRESS) {
                return false;
            }
            state.insert(input, value.to_term(pool));
        }
        guards.push(pool.substitute(edge.guard, &state));
        let values = edge.update.iter().map(|u| pool.substitute(*u, &state));
        state = program.vars(edge.target).iter().copied().zip(values).collect();
    }
    let mut solver = limited(solvers, pool, budget, Some(STEPS));
    solver.assert(placement);
    solver.assert(pool.not(pool.and(guards)));
    matches!(solver.check(&[]), Answer::Unsat(_))
}
