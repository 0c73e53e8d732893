//! The search: McMillan's UNWIND and DFS with the node selection as a parameter, and what the engines fill
//! in.
//!
//! A leaf is taken from the open ones. The nodes on its path are tried to be covered first, from the root
//! down, and strengthened where that fails; then the leaf itself. That is done only where it may end
//! otherwise than the last time: the node has changed, an earlier node was uncovered, or what the engine
//! strengthens with is newer. What is still uncovered is refined at the error location, and expanded anywhere
//! else. The search ends when no leaf is open.

use palisade_program::{Loc, Run};

use super::{Art, NodeId};
use crate::shrink::shrink;
use crate::{Event, Outcome, Reason};

/// Larger trees are checked at the end only.
const MAX_CHECKED: u64 = 200;

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

    /// Has what an uncovered node would be strengthened with changed since the last time?
    fn is_due(&self, art: &Art<'a, '_>, v: NodeId) -> bool;

    /// Strengthens an uncovered node, and the nodes above it as needed, so that it may be covered.
    fn strengthen(&mut self, art: &mut Art<'a, '_>, v: NodeId) -> Result<(), Ending>;

    /// Excludes the path to an error node, or finds that it can be run. On success the node is false or
    /// removed.
    fn refine(&mut self, art: &mut Art<'a, '_>, v: NodeId) -> Result<(), Ending>;

    /// Queries of its own so far.
    fn queries(&self) -> u64;

    /// Tells its counters.
    fn report(&mut self, art: &mut Art<'a, '_>);
}

/// Runs a method on a tree to its end.
pub fn prove<'a>(mut art: Art<'a, '_>, method: &mut dyn Method<'a>) -> Outcome {
    if art.task.program.entry == art.task.program.error {
        return Outcome::Unsafe(Run::default());
    }
    let mut busy = Vec::new();
    let ending = unwind(&mut art, method, &mut busy);
    debug_assert_eq!(art.check_tree(), Ok(()), "the tree is an abstract reachability tree");
    tell_queries(&mut art, method);
    method.report(&mut art);
    art.report();
    match ending {
        Ok(()) => {
            debug_assert_eq!(art.check_safe(), Ok(()), "no leaf is open, and the error nodes are false");
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
            Outcome::Unknown(reason, art.partial(&busy))
        }
    }
}

fn tell_queries<'a>(art: &mut Art<'a, '_>, method: &dyn Method<'a>) {
    let own = art.stats.queries + art.stats.path_queries;
    art.observer.event(Event::Queries(own + method.queries()));
}

/// Unwinds until no leaf is open.
fn unwind<'a>(art: &mut Art<'a, '_>, method: &mut dyn Method<'a>, busy: &mut Vec<Loc>) -> Result<(), Ending> {
    let mut longest = 0;
    while let Some(v) = art.next_leaf() {
        art.budget.check().map_err(|stop| Ending::Reason(Reason::Stopped(stop)))?;
        // The nodes may be gone when somebody asks where the search was.
        *busy = art.nodes_from(None, v).into_iter().map(|x| art.node(x).location).collect();
        if art.stats.longest > longest {
            longest = art.stats.longest;
            art.observer.event(Event::Bound(longest));
        }
        if settle_path(art, method, v)? {
            continue;
        }
        if art.node(v).location == art.task.program.error {
            let refined = method.refine(art, v);
            tell_queries(art, method);
            refined?;
            assert_small(art);
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

/// In debug builds: the definition of the tree holds, while it is small enough to check that often.
fn assert_small(art: &Art<'_, '_>) {
    if cfg!(debug_assertions) && art.alive() < MAX_CHECKED {
        assert_eq!(art.check_tree(), Ok(()), "the tree is an abstract reachability tree");
    }
}

/// Covers the first node on the path to a leaf that can be. Is the leaf closed now?
fn settle_path<'a>(art: &mut Art<'a, '_>, method: &mut dyn Method<'a>, leaf: NodeId) -> Result<bool, Ending> {
    for v in art.nodes_from(None, leaf) {
        if !art.exists(leaf) {
            return Ok(true);
        }
        if settle(art, method, v)? {
            return Ok(true);
        }
    }
    Ok(!art.exists(leaf) || art.is_false(leaf))
}

/// Covers a node if it can be, after strengthening if need be; a node that is false is settled, too.
fn settle<'a>(art: &mut Art<'a, '_>, method: &mut dyn Method<'a>, v: NodeId) -> Result<bool, Ending> {
    let due = art.is_due(v);
    if due && (art.refuted(v) || art.close(v)) {
        return Ok(true);
    }
    if art.node(v).location == art.task.program.error || !(due || method.is_due(art, v)) {
        return Ok(false);
    }
    method.strengthen(art, v)?;
    assert_small(art);
    if !art.exists(v) || art.is_covered(v) || art.is_false(v) {
        return Ok(true);
    }
    Ok(art.node(v).changed && (art.refuted(v) || art.close(v)))
}
