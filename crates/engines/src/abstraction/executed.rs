//! Equations through the states of executions.
//!
//! The program is run for a while ([`crate::walk`]), and the states are grouped by location and by the values
//! of what looks like control: Booleans, and variables that only ever get constants. The equations that all
//! states of a group satisfy are guesses at invariants of these places (Sharma and others, "A Data Driven
//! Approach for Algebraic Loop Invariants", ESOP 2013, for equations of degree one). As predicates they need
//! not hold: IC3 finds out where they do. Where locations show the control flow, affine analysis
//! ([`crate::background`]) proves most of them before the run; in a transition system whose control is a
//! vector of Booleans it cannot, and a refutation of one path after the other finds `x = y + 1`, `x = y + 2`.
//!
//! The thesis that `ic3-cegar` is after draws equations through the states of spurious steps instead
//! ([`super::mining`]); the algebra is shared.
//!
//! Entry point: [`equations`].

use std::collections::BTreeMap;

use palisade_program::Loc;
use palisade_term::{Sort, Term, Value};

use super::initial::control_variables;
use super::mining;
use crate::walk::visit;
use crate::{Budget, Task};

/// How often and how long the program is run.
const WALKS: usize = 16;
const STEPS: usize = 80;
/// Groups beyond this many are not opened.
const MAX_GROUPS: usize = 64;
/// States kept of a group.
const MAX_POINTS: usize = 60;
/// Points beyond those that the unknowns need: an equation that these satisfy, too, is less accidental.
const MORE_POINTS: usize = 1;
/// Equations that are given out.
const MAX_EQUATIONS: usize = 60;

/// A group: the location, and the values of its control.
type Kind = (Loc, Vec<Value>);

/// The variables of a location, told apart.
struct Variables {
    control: Vec<usize>,
    integers: Vec<usize>,
    rationals: Vec<usize>,
}

/// Equations between two or more variables that all states of a group satisfy.
pub fn equations(task: &Task<'_>, budget: &Budget) -> Vec<(Loc, Term)> {
    let Task { pool, program, .. } = *task;
    let variables: Vec<Variables> = program
        .locs()
        .map(|l| {
            let constants = control_variables(task, l);
            let mut of = Variables { control: Vec::new(), integers: Vec::new(), rationals: Vec::new() };
            for (k, &v) in program.vars(l).iter().enumerate() {
                match pool.sort(v) {
                    Sort::Bool => of.control.push(k),
                    _ if constants.contains(&v) => of.control.push(k),
                    Sort::Int => of.integers.push(k),
                    Sort::Real => of.rationals.push(k),
                    _ => {}
                }
            }
            of
        })
        .collect();
    let mut groups: BTreeMap<Kind, Vec<Vec<Value>>> = BTreeMap::new();
    visit(task, budget, WALKS, STEPS, &mut |l, state| {
        let control: Vec<Value> = variables[l.index()].control.iter().map(|&k| state[k].clone()).collect();
        if groups.len() >= MAX_GROUPS && !groups.contains_key(&(l, control.clone())) {
            return;
        }
        let points = groups.entry((l, control)).or_default();
        if points.len() < MAX_POINTS && !points.contains(state) {
            points.push(state.clone());
        }
    });
    let mut out = Vec::new();
    for ((l, _), states) in &groups {
        let of = &variables[l.index()];
        for numbers in [&of.integers, &of.rationals] {
            if numbers.len() < 2 || states.len() < numbers.len() + 1 + MORE_POINTS {
                continue;
            }
            let point = |state: &Vec<Value>| numbers.iter().filter_map(|&k| state[k].as_rational()).collect();
            let points: Vec<Vec<_>> = states.iter().map(point).collect();
            let own: Vec<Term> = numbers.iter().map(|&k| program.vars(*l)[k]).collect();
            let sort = pool.sort(own[0]);
            let Ok(found) = mining::equations(&points.iter().collect::<Vec<_>>()) else { continue };
            for coefficients in found {
                let equation = mining::equation(pool, &own, &coefficients, sort);
                if pool.free_vars(equation).len() > 1 && !out.contains(&(*l, equation)) {
                    out.push((*l, equation));
                }
            }
        }
    }
    out.truncate(MAX_EQUATIONS);
    out
}
