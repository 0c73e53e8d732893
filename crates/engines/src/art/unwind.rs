//! The search: McMillan's UNWIND and DFS with the node selection as a parameter, and what the engines fill
//! in.
//!
//! A leaf is taken from the open ones. The nodes on its path that have changed are tried to be covered first,
//! from the root down; then the leaf itself. What is still uncovered is refined at the error location, and
//! expanded anywhere else. The search ends when no leaf is open.

use palisade_program::Run;

use super::{Art, NodeId};
use crate::shrink::shrink;
use crate::{Event, Outcome, Reason};

/// Why the search ended early.
#[derive(Debug)]
pub enum Ending {
    /// A run to the error location.
    Run(Run),
    /// The engine cannot go on.
    Reason(Reason),
}

/// What distinguishes the engines.
pub trait Method<'a> {
    /// Gives a new node its first clauses.
    fn label(&mut self, art: &mut Art<'a, '_>, v: NodeId) -> Result<(), Ending>;

    /// Strengthens an uncovered node, and the nodes above it as needed, so that it may be covered.
    fn strengthen(&mut self, art: &mut Art<'a, '_>, v: NodeId) -> Result<(), Ending>;

    /// Excludes the path to an error node, or finds that it can be run. On success the node is false or
    /// removed.
    fn refine(&mut self, art: &mut Art<'a, '_>, v: NodeId) -> Result<(), Ending>;

    /// Tells its counters.
    fn report(&mut self, art: &mut Art<'a, '_>);
}

/// Runs a method on a tree to its end.
pub fn prove<'a>(mut art: Art<'a, '_>, method: &mut dyn Method<'a>) -> Outcome {
    if art.task.program.entry == art.task.program.error {
        return Outcome::Unsafe(Run::default());
    }
    let mut busy = None;
    let ending = unwind(&mut art, method, &mut busy);
    method.report(&mut art);
    art.report();
    match ending {
        Ok(()) => {
            debug_assert_eq!(art.check(), Ok(()), "the tree is an abstract reachability tree, and safe");
            let found = art.invariants();
            Outcome::Safe(shrink(&art.task, &art.budget, found))
        }
        Err(Ending::Run(run)) => {
            let edges: Vec<_> = run.steps.iter().map(|s| s.edge).collect();
            art.observer.event(Event::Counterexample(&edges));
            Outcome::Unsafe(run)
        }
        Err(Ending::Reason(reason)) => {
            let reason = art.budget.check().map_or_else(Reason::Stopped, |()| reason);
            Outcome::Unknown(reason, art.partial(busy))
        }
    }
}

/// Unwinds until no leaf is open.
fn unwind<'a>(
    art: &mut Art<'a, '_>,
    method: &mut dyn Method<'a>,
    busy: &mut Option<NodeId>,
) -> Result<(), Ending> {
    let mut longest = 0;
    while let Some(v) = art.next_leaf() {
        art.budget.check().map_err(|stop| Ending::Reason(Reason::Stopped(stop)))?;
        *busy = Some(v);
        if art.stats.longest > longest {
            longest = art.stats.longest;
            art.observer.event(Event::Bound(longest));
        }
        if settle_path(art, method, v)? {
            continue;
        }
        if art.node(v).location == art.task.program.error {
            method.refine(art, v)?;
            if art.exists(v) && !art.is_false(v) {
                let why = "a path to the error was refuted, but not excluded from the tree".into();
                return Err(Ending::Reason(Reason::Incomplete(why)));
            }
            continue;
        }
        for child in art.expand(v) {
            if art.exists(child) {
                method.label(art, child)?;
            }
        }
    }
    Ok(())
}

/// Covers the first node on the path to a leaf that can be, of those that have changed. Is the leaf closed
/// now?
fn settle_path<'a>(art: &mut Art<'a, '_>, method: &mut dyn Method<'a>, leaf: NodeId) -> Result<bool, Ending> {
    for v in art.nodes_from(None, leaf) {
        if !art.exists(leaf) {
            return Ok(true);
        }
        if !art.node(v).changed {
            continue;
        }
        if settle(art, method, v)? {
            return Ok(true);
        }
    }
    Ok(!art.exists(leaf) || art.is_false(leaf))
}

/// Covers a node if it can be, after strengthening if need be; a node that is false is settled, too.
fn settle<'a>(art: &mut Art<'a, '_>, method: &mut dyn Method<'a>, v: NodeId) -> Result<bool, Ending> {
    if art.refuted(v) || art.close(v) {
        return Ok(true);
    }
    if art.node(v).location == art.task.program.error {
        return Ok(false);
    }
    method.strengthen(art, v)?;
    if !art.exists(v) || art.is_covered(v) || art.is_false(v) {
        return Ok(true);
    }
    Ok(art.node(v).changed && (art.refuted(v) || art.close(v)))
}
