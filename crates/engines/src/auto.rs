//! `auto`: what a user gets without asking.
//!
//! The strongest single engine first; where its method ends without an answer (an undecided query, a path
//! that could not be made concrete), the unrolling engines, which ask other queries. A stopped run stays
//! stopped. What the first engine learned is what an UNKNOWN reports.

use crate::{Budget, Engine, Observer, Outcome, Reason, Task, ic3_cfa::Ic3CfaEngine, kind::Kind};

/// The engine: several, one after the other.
pub struct Auto;

impl Engine for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn about(&self) -> &'static str {
        "the default: ic3-cfa, then k-induction where its method ends without an answer"
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
