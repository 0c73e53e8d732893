//! `auto`: what a user gets without asking.
//!
//! Programs that compute with constants are run ([`crate::values`]), within a small allowance. Programs over
//! words whose loops have few rounds (a checksum of any eight bytes, text of up to twenty characters) are
//! unwound: about them there is rarely anything simpler to say than what they compute. Then the strongest
//! single engine; where its method ends without an answer (an undecided query, a path that could not be made
//! concrete), the unrolling engines, which ask other queries. A stopped run stays stopped. What the strongest
//! engine learned is what an UNKNOWN reports.

use palisade_term::Sort;

use crate::ic3_cfa::Ic3CfaEngine;
use crate::kind::Kind;
use crate::unwinding;
use crate::values::{Limits, Values};
use crate::{Budget, Engine, Observer, Outcome, Reason, Task};

/// States with one successor each are cheap; those of a program that branches on inputs soon become many.
const ALLOWANCE: Limits = Limits { states: 10_000, per_location: 1000, branching: 300 };

/// How far programs are unwound before anything else is tried.
const SHORT: unwinding::Limits = unwinding::Limits {
    cells: 2000,
    rounds: 8,
    more_rounds: (20, 500),
    steps: Some(500_000),
    last_steps: Some(50_000_000),
};

/// The engine: several, one after the other.
pub struct Auto;

impl Engine for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn about(&self) -> &'static str {
        "the default: values, unrolling of short programs, ic3-cfa, then k-induction"
    }

    fn stages(&self) -> Vec<Box<dyn Engine>> {
        vec![Box::new(Values { limits: Some(ALLOWANCE) }), Box::new(Symbolic)]
    }

    fn run(&self, task: &Task<'_>, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
        match (Values { limits: Some(ALLOWANCE) }).run(task, budget, observer) {
            Outcome::Unknown(..) => Symbolic.run(task, budget, observer),
            decided => decided,
        }
    }
}

/// Does the state of a program have words in it?
fn speaks_of_words(task: &Task<'_>) -> bool {
    let is_word = |sort: &Sort| match sort.array_parts() {
        Some((_, element)) => element.width().is_some(),
        None => sort.width().is_some(),
    };
    task.program.locs().any(|l| task.program.sorts(task.pool, l).any(is_word))
}

/// The engines that ask a solver.
struct Symbolic;

impl Engine for Symbolic {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn about(&self) -> &'static str {
        "ic3-cfa, then k-induction"
    }

    fn run(&self, task: &Task<'_>, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
        if task.options.general.unroll_short && speaks_of_words(task) {
            match unwinding::unwind(task, budget, SHORT, observer) {
                Outcome::Unknown(Reason::Solver(_) | Reason::Incomplete(_), _) => {}
                decided => return decided,
            }
        }
        let first = Ic3CfaEngine.run(task, budget, observer);
        let Outcome::Unknown(why, known) = first else { return first };
        if matches!(why, Reason::Stopped(_)) {
            return Outcome::Unknown(why, known);
        }
        match Kind.run(task, budget, observer) {
            Outcome::Unknown(_, second) => {
                let safe_bound = known.safe_bound.max(second.safe_bound);
                Outcome::Unknown(why, crate::Partial { safe_bound, ..known })
            }
            decided => decided,
        }
    }
}
