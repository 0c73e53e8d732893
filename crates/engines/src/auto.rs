//! `auto`: what a user gets without asking.
//!
//! Programs that compute with constants are run ([`crate::values`]), within a small allowance. Then the
//! strongest single engine; where its method ends without an answer (an undecided query, a path that could
//! not be made concrete), the unrolling engines, which ask other queries. A stopped run stays stopped. What
//! the strongest engine learned is what an UNKNOWN reports.

use crate::ic3_cfa::Ic3CfaEngine;
use crate::kind::Kind;
use crate::values::{Limits, Values};
use crate::{Budget, Engine, Observer, Outcome, Reason, Task};

/// States with one successor each are cheap; those of a program that branches on inputs soon become many.
const ALLOWANCE: Limits = Limits { states: 10_000, per_location: 1000, branching: 300 };

/// The engine: several, one after the other.
pub struct Auto;

impl Engine for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn about(&self) -> &'static str {
        "the default: values, ic3-cfa, then k-induction where its method ends without an answer"
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
