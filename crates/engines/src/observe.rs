//! What a run tells while it works: the live status line and the trace file are observers.

use palisade_program::{EdgeId, Loc};
use palisade_term::Term;

/// Something that happened in an engine.
#[derive(Clone, Debug)]
pub enum Event<'a> {
    /// The bound (unrolling depth, frontier) grew.
    Bound(u32),
    /// A proof obligation was made: at a level and location, its cube, the obligation it leads to (by
    /// number).
    Obligation {
        /// Its number in this run.
        id: u64,
        /// The obligation it is a predecessor of.
        parent: Option<u64>,
        /// Level.
        level: u32,
        /// Location.
        location: Loc,
        /// The states to be blocked, a conjunction.
        cube: &'a [Term],
    },
    /// A lemma was learned.
    Lemma {
        /// The level up to which it holds (`None`: at all levels).
        level: Option<u32>,
        /// Location.
        location: Loc,
        /// The formula that holds.
        formula: Term,
        /// What made it: `block`, `ctg`, `push`, `background`, ...
        by: &'static str,
    },
    /// A lemma was pushed to a level.
    Push {
        /// The level it now reaches (`None`: all levels).
        level: Option<u32>,
        /// Location.
        location: Loc,
        /// The formula.
        formula: Term,
    },
    /// A node of the abstract reachability tree was made.
    Node {
        /// Its number.
        id: u64,
        /// The number of its parent.
        parent: Option<u64>,
        /// Location.
        location: Loc,
    },
    /// A node was covered by another.
    Covered {
        /// Its number.
        id: u64,
        /// The number of the node that covers it.
        by: u64,
        /// Location of both.
        location: Loc,
    },
    /// A node is no longer covered.
    Uncovered {
        /// Its number.
        id: u64,
        /// Location.
        location: Loc,
    },
    /// A node's formula got stronger.
    Strengthened {
        /// Its number.
        id: u64,
        /// Location.
        location: Loc,
        /// What was added (false: the node is unreachable).
        clause: Term,
    },
    /// A path of the tree to the error location was refuted.
    PathBlocked {
        /// The number of the error node.
        id: u64,
        /// The edges of the path.
        length: u32,
        /// How: `interpolants` or `edges`.
        by: &'static str,
    },
    /// A predicate was added to the abstraction.
    Predicate {
        /// Where it is tracked.
        location: Loc,
        /// The predicate.
        predicate: Term,
        /// Where it comes from: `program`, `interpolation`, `mining`, ...
        by: &'static str,
    },
    /// The abstract states of an obligation were enumerated.
    Abstraction {
        /// The number of the obligation.
        id: u64,
        /// Level.
        level: u32,
        /// Location.
        location: Loc,
        /// How many were visited.
        states: u64,
    },
    /// An abstract state of an obligation is entered by a step that the obligation itself does not have.
    Spurious {
        /// The number of the obligation.
        id: u64,
        /// Level.
        level: u32,
        /// Location.
        location: Loc,
        /// The abstract state.
        cube: &'a [Term],
    },
    /// The domain was refined, by the predicates told before, since an obligation met a spurious step.
    Refined {
        /// The number of the obligation.
        id: u64,
        /// Level.
        level: u32,
        /// Location.
        location: Loc,
        /// How many predicates are new.
        predicates: usize,
    },
    /// A trace of obligations reaches the entry over a spurious step: it is given up up to the obligation
    /// into which the last such step leads.
    Backtracked {
        /// The number of the obligation at the entry.
        id: u64,
        /// The number of the obligation at which the search goes on.
        to: u64,
    },
    /// A state of a counterexample with the variables that matter; from first to last.
    Lifted {
        /// Location.
        location: Loc,
        /// The equations of the state.
        cube: &'a [Term],
    },
    /// A path of edges to the error was found.
    Counterexample(&'a [EdgeId]),
    /// An abstract path to the error cannot be run; the predicates told before exclude it.
    SpuriousPath {
        /// Its edges.
        length: usize,
        /// How many predicates are new.
        predicates: usize,
    },
    /// The frames became inductive at this level.
    Fixpoint(u32),
    /// Queries answered so far, for the status line.
    Queries(u64),
    /// Lemmas so far, where an engine counts them and does not tell each.
    Lemmas(u64),
    /// A named counter's final value, at the end of a run.
    Counter(&'static str, u64),
    /// The path from a node of the tree to one below implies clauses there; the nodes between are
    /// strengthened by what that takes.
    PathImplies {
        /// The number of the node above.
        from: u64,
        /// The number of the node below.
        id: u64,
        /// The edges of the path.
        length: u32,
        /// How: `interpolants` or `edges`.
        by: &'static str,
    },
    /// The nodes below a node were removed.
    Removed {
        /// The number of the node.
        id: u64,
        /// Location.
        location: Loc,
        /// How many nodes.
        nodes: u64,
    },
}

/// Receives events.
pub trait Observer {
    /// Called for every event, in order.
    fn event(&mut self, event: Event<'_>);

    /// Does the observer want the detailed events (obligations, lemmas, pushes)? Engines may skip building
    /// them otherwise.
    fn wants_detail(&self) -> bool {
        false
    }
}

/// Tells of a lemma.
pub fn learned(
    observer: &mut dyn Observer,
    level: Option<u32>,
    location: Loc,
    formula: Term,
    by: &'static str,
) {
    observer.event(Event::Lemma { level, location, formula, by });
}

/// Ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {
    fn event(&mut self, _event: Event<'_>) {}
}
