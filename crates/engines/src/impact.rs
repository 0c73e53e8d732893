//! `impact`: lazy abstraction with interpolants.
//!
//! After McMillan, "Lazy Abstraction with Interpolants" (CAV 2006), whose names are kept: `refine`,
//! `force_cover`; `close`, `cover` and the search are in [`crate::art`]. It is TREE-ITP of Cimatti and
//! Griggio, "Software Model Checking via IC3" (CAV 2012).
//!
//! - A spurious path is interpolated, and each interpolant joins the formula of its node as it is.
//! - **Forced covering**: an uncovered node `v` and an earlier node `w` of its location have a nearest common
//!   ancestor `x`. If the path from `x` to `v`, started in the formula of `x`, implies the formula of `w`,
//!   then the interpolants of that fact strengthen the nodes between and `v`, and `w` covers `v`. All of the
//!   formula or nothing.
//!
//! # Limits
//! Interpolants grow with the paths; nothing makes them smaller but the solver's simplification. Where a path
//! cannot be interpolated within its step limit, it is refuted edge by edge.

use crate::art::unwind::{Ending, Method, prove};
use crate::art::{Art, NodeId};
use crate::path::exclude::{Excluder, Interpolants, Purpose, negated};
use crate::{Budget, Engine, Observer, Outcome, Task};

palisade_options::options! {
    /// Lazy abstraction with interpolants.
    pub struct ImpactOptions in "impact" {
        /// earlier nodes that are tried as a forced cover of one node (0: no forced covering)
        pub force: usize = 3,
    }
}

/// The engine.
pub struct Impact;

impl Engine for Impact {
    fn name(&self) -> &'static str {
        "impact"
    }

    fn about(&self) -> &'static str {
        "lazy abstraction with interpolants: unwinding, refinement by interpolants, forced covering"
    }

    fn run(&self, task: &Task<'_>, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
        let mut method = TreeItp {
            excluder: Excluder::new(task, budget, Interpolants::Formulas),
            force: task.options.impact.force,
        };
        prove(Art::new(task, budget, observer), &mut method)
    }
}

struct TreeItp<'a> {
    excluder: Excluder<'a>,
    force: usize,
}

impl<'a> Method<'a> for TreeItp<'a> {
    fn label(&mut self, _: &mut Art<'a, '_>, _: NodeId) -> Result<(), Ending> {
        Ok(())
    }

    /// REFINE: interpolates the path from the root and strengthens its nodes.
    fn refine(&mut self, art: &mut Art<'a, '_>, v: NodeId) -> Result<(), Ending> {
        art.block_path(&mut self.excluder, v)
    }

    /// Only a node that may be covered anyway is tried with force.
    fn is_due(&self, _: &Art<'a, '_>, _: NodeId) -> bool {
        false
    }

    /// FORCE-COVER, for the ancestors of the location first and then for the newest other nodes.
    fn strengthen(&mut self, art: &mut Art<'a, '_>, v: NodeId) -> Result<(), Ending> {
        let mut candidates: Vec<NodeId> = art.ancestors_at_location(v).collect();
        candidates.extend(art.earlier(v).into_iter().filter(|w| !candidates.contains(w)).collect::<Vec<_>>());
        candidates.retain(|&w| !art.is_covered(w));
        for w in candidates.into_iter().take(self.force) {
            if self.force_cover(art, v, w)? {
                break;
            }
        }
        Ok(())
    }

    fn report(&mut self, art: &mut Art<'a, '_>) {
        self.excluder.report(art.observer);
    }

    fn queries(&self) -> u64 {
        self.excluder.queries()
    }
}

impl<'a> TreeItp<'a> {
    /// Makes `w` cover `v`, if the path from their nearest common ancestor implies it.
    fn force_cover(&mut self, art: &mut Art<'a, '_>, v: NodeId, w: NodeId) -> Result<bool, Ending> {
        let nodes = art.nodes_from(Some(art.common_ancestor(v, w)), v);
        let clauses = art.node(w).clauses.clone();
        if !art.entails_all(&nodes, &clauses) {
            return Ok(false);
        }
        let goals = negated(art.task.pool, &clauses);
        let Some(found) = art.imply(&mut self.excluder, Purpose::ForcedCover, &nodes, &goals)? else {
            return Ok(false);
        };
        art.strengthen_nodes(&nodes, &found);
        // What is known at the end now excludes all states outside the formula of `w`.
        if art.exists(v) && !art.is_false(v) && art.implies(v, w) {
            art.cover(v, w);
            art.stats.forced += 1;
        }
        Ok(true)
    }
}
