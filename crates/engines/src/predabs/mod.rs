//! `predabs`: lazy predicate abstraction, refined by interpolants.
//!
//! After Henzinger, Jhala, Majumdar, Sutre, "Lazy Abstraction" (POPL 2002), with the predicates of Henzinger,
//! Jhala, Majumdar, McMillan, "Abstractions from Proofs" (POPL 2004), over large blocks (Beyer, Cimatti,
//! Griggio, Keremoglu, Sebastiani, "Software Model Checking via Large-Block Encoding", FMCAD 2009). It is the
//! default algorithm of KRATOS, with which Cimatti and Griggio, "Software Model Checking via IC3" (CAV 2012)
//! compare.
//!
//! - The formula of a node is the abstraction of its parent's post-image: the strongest Boolean combination
//!   of the predicates of its location (`abstraction`).
//! - A spurious path is interpolated. The atoms of an interpolant become predicates at the location where it
//!   stands, or in its function, or everywhere (`predicates`).
//! - Only the subtree below the first node of the path whose formula was made with fewer predicates is built
//!   again, or the whole tree.
//!
//! # Invariants
//! - A node's formula is implied by its parent's and the edge, whatever the predicates: abstraction only ever
//!   weakens the post-image.
//! - Predicates are never dropped, so a formula that is made again is stronger.
//! - Every refinement adds a predicate or rebuilds a node with more predicates than before: the same path
//!   does not come back.
//!
//! # Limits
//! The number of cubes of a Boolean abstraction is exponential in the predicates. Past a bound the Cartesian
//! abstraction is taken; then whole interpolants become predicates where their atoms are not enough.

mod abstraction;
mod predicates;

use palisade_term::Term;
use rustc_hash::FxHashMap;

use crate::art::unwind::{Ending, Method, prove};
use crate::art::{Art, NodeId};
use crate::path::exclude::{Excluder, Interpolants};
use crate::{Budget, Engine, Event, Observer, Outcome, Reason, Task};

use abstraction::Abstraction;
use predicates::Predicates;

palisade_options::choices! {
    /// Where a predicate is tracked.
    pub enum Scope { #[default] Location = "location", Function = "function", Global = "global" }
}

palisade_options::choices! {
    /// What is computed of a post-image.
    pub enum Precision { #[default] Boolean = "boolean", Cartesian = "cartesian" }
}

palisade_options::options! {
    /// Lazy predicate abstraction.
    pub struct PredAbsOptions in "predabs" {
        /// where a predicate is tracked: at the location of its interpolant, in its function, everywhere
        pub scope: Scope = Scope::Location,
        /// the best Boolean combination of predicates, or the best conjunction
        pub abstraction: Precision = Precision::Boolean,
        /// cubes of one Boolean abstraction before it becomes Cartesian
        pub max_cubes: usize = 256,
        /// build the whole tree again after each refinement
        pub restart: bool = false,
    }
}

/// The engine.
pub struct PredAbs;

impl Engine for PredAbs {
    fn name(&self) -> &'static str {
        "predabs"
    }

    fn about(&self) -> &'static str {
        "lazy predicate abstraction: Boolean abstraction of large blocks, predicates from interpolants"
    }

    fn run(&self, task: &Task<'_>, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
        let mut method = LazyAbstraction {
            excluder: Excluder::new(task, budget, Interpolants::Formulas),
            predicates: Predicates::new(task),
            abstraction: Abstraction::new(task, budget),
            made_with: FxHashMap::default(),
            restart: task.options.predabs.restart,
        };
        prove(Art::new(task, budget, observer), &mut method)
    }
}

struct LazyAbstraction<'a> {
    excluder: Excluder<'a>,
    predicates: Predicates,
    abstraction: Abstraction<'a>,
    /// How many predicates the formula of a node was made with.
    made_with: FxHashMap<NodeId, usize>,
    restart: bool,
}

impl<'a> Method<'a> for LazyAbstraction<'a> {
    /// The abstraction of the parent's post-image.
    fn label(&mut self, art: &mut Art<'a, '_>, v: NodeId) -> Result<(), Ending> {
        let node = art.node(v);
        let (location, (parent, edge)) = (node.location, node.parent.expect("the root has no label"));
        let predicates = self.predicates.at(location);
        self.made_with.insert(v, predicates.len());
        let post = self.abstraction.post(&art.node(parent).clauses, edge, predicates);
        let mut clauses = post.map_err(|stop| Ending::Reason(Reason::Stopped(stop)))?;
        clauses.extend(
            art.background(location).iter().filter(|c| !clauses.contains(c)).copied().collect::<Vec<_>>(),
        );
        art.relabel(v, clauses);
        Ok(())
    }

    fn is_due(&self, _: &Art<'a, '_>, _: NodeId) -> bool {
        false
    }

    fn strengthen(&mut self, _: &mut Art<'a, '_>, _: NodeId) -> Result<(), Ending> {
        Ok(())
    }

    /// Takes predicates from the interpolants and builds again what they change.
    fn refine(&mut self, art: &mut Art<'a, '_>, v: NodeId) -> Result<(), Ending> {
        let (nodes, found) = art.refute_path(&mut self.excluder, v)?;
        let pool = art.task.pool;
        for (&x, formulas) in nodes.iter().zip(&found) {
            self.learn(art, x, formulas.iter().flat_map(|&f| pool.atoms(f)).collect());
        }
        if self.first_stale(art, &nodes).is_none() {
            for (&x, formulas) in nodes.iter().zip(&found) {
                self.learn(art, x, formulas.clone());
            }
        }
        let Some(first) = self.first_stale(art, &nodes) else {
            let why = "a spurious path gave no new predicates".into();
            return Err(Ending::Reason(Reason::Incomplete(why)));
        };
        if self.restart {
            let root = nodes[0];
            art.remove_below(root);
            art.reopen(root);
        } else {
            art.remove_below(first);
            self.label(art, first)?;
            art.reopen(first);
        }
        self.made_with.retain(|&x, _| art.exists(x));
        Ok(())
    }

    fn report(&mut self, art: &mut Art<'a, '_>) {
        self.excluder.report(art.observer);
        let s = self.abstraction.stats;
        let counters = [
            ("predicates", self.predicates.count() as u64),
            ("abstractions", s.computed),
            ("abstractions made Cartesian", s.cartesian),
            ("abstraction queries not decided", s.undecided),
            ("cubes of abstractions", s.cubes),
            ("abstraction queries", s.queries),
        ];
        for (name, value) in counters {
            art.observer.event(Event::Counter(name, value));
        }
    }

    fn queries(&self) -> u64 {
        self.excluder.queries() + self.abstraction.stats.queries
    }
}

impl<'a> LazyAbstraction<'a> {
    fn learn(&mut self, art: &mut Art<'a, '_>, v: NodeId, predicates: Vec<Term>) {
        let location = art.node(v).location;
        for predicate in predicates {
            if self.predicates.add(&art.task, location, predicate) {
                art.observer.event(Event::Predicate { location, predicate, by: "interpolation" });
            }
        }
    }

    /// The first node whose formula was made with fewer predicates than there are now.
    fn first_stale(&self, art: &Art<'a, '_>, nodes: &[NodeId]) -> Option<NodeId> {
        let made_with = |v: &NodeId| self.made_with.get(v).copied().unwrap_or(0);
        let stale = |v: &NodeId| self.predicates.at(art.node(*v).location).len() > made_with(v);
        nodes[1..].iter().copied().find(stale)
    }
}
