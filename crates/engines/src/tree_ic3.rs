//! `tree-ic3`, `tree-ic3-itp`, `tree-ic3-itp-mono`: IC3 on an abstract reachability tree.
//!
//! After Cimatti and Griggio, "Software Model Checking via IC3" (CAV 2012), §4 and §5. The building blocks of
//! its Fig. 3:
//!
//! | block | where |
//! |---|---|
//! | ART unwinding, node covering | [`crate::art::unwind`], [`crate::art::cover`] |
//! | path blocking: TREE-IC3-BLOCK-PATH (Fig. 2) | [`crate::path::block`] |
//! | interpolants first, as clauses when they are few | [`crate::path::exclude`] |
//! | forward propagation | `propagate`: a node gets the clauses of its parent that survive the edge |
//! | strengthening | `strengthen`: a node gets clauses of an ancestor that the path between them implies |
//!
//! `tree-ic3` blocks paths edge by edge. `tree-ic3-itp` interpolates them first. `tree-ic3-itp-mono` takes
//! the clauses of an ancestor all together or not at all, which is how forced covering works.
//!
//! # Invariants
//! Strengthening a node alone would break point (iii) of the definition of the tree: the nodes between may be
//! too weak to imply the new clauses. So path blocking is "tricked" first: it refutes the negation of the
//! clauses along the path, and the nodes between learn what that takes.
//!
//! # Limits
//! No relative induction: a cube is blocked at a node only by what the node above says. So lemmas that need
//! induction come from covering alone, and long loops with few branches are the domain of `ic3-cfa`.

use palisade_term::Term;

use crate::art::unwind::{Ending, Method, prove};
use crate::art::{Art, NodeId};
use crate::ic3::edge_solvers::EdgeAnswer;
use crate::path::cnf::excluded_cube;
use crate::path::exclude::{Excluder, Interpolants, Purpose, negated};
use crate::{Budget, Engine, Observer, Outcome, Task};

palisade_options::choices! {
    /// The ancestors whose clauses are tried.
    pub enum Ancestors { #[default] Nearest = "nearest", All = "all", None = "none" }
}

palisade_options::options! {
    /// Tree-based IC3.
    pub struct TreeIc3Options in "tree-ic3" {
        /// the ancestors at its location whose clauses a node is strengthened with
        pub ancestors: Ancestors = Ancestors::Nearest,
        /// a new node gets the clauses of its parent that survive the edge
        pub propagate: bool = true,
        /// experiment: the same again before a node is expanded, if its parent's formula got stronger
        pub propagate_again: bool = false,
    }
}

/// Paths are blocked edge by edge.
pub struct TreeIc3;
/// Paths are interpolated first.
pub struct TreeIc3Itp;
/// The clauses of an ancestor all together or not at all.
pub struct TreeIc3ItpMono;

impl Engine for TreeIc3 {
    fn name(&self) -> &'static str {
        "tree-ic3"
    }

    fn about(&self) -> &'static str {
        "IC3 on an abstract reachability tree: path blocking, strengthening clause by clause"
    }

    fn run(&self, task: &Task<'_>, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
        run(task, budget, observer, Interpolants::Never, false)
    }
}

impl Engine for TreeIc3Itp {
    fn name(&self) -> &'static str {
        "tree-ic3-itp"
    }

    fn about(&self) -> &'static str {
        "tree-ic3 with interpolants first, as clauses when they are few"
    }

    fn run(&self, task: &Task<'_>, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
        run(task, budget, observer, Interpolants::Clauses, false)
    }
}

impl Engine for TreeIc3ItpMono {
    fn name(&self) -> &'static str {
        "tree-ic3-itp-mono"
    }

    fn about(&self) -> &'static str {
        "tree-ic3-itp with all clauses of an ancestor together or none"
    }

    fn run(&self, task: &Task<'_>, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
        run(task, budget, observer, Interpolants::Clauses, true)
    }
}

fn run(
    task: &Task<'_>,
    budget: &Budget,
    observer: &mut dyn Observer,
    interpolants: Interpolants,
    monolithic: bool,
) -> Outcome {
    let mut method = Tree { excluder: Excluder::new(task, budget, interpolants), monolithic };
    prove(Art::new(task, budget, observer), &mut method)
}

struct Tree<'a> {
    excluder: Excluder<'a>,
    monolithic: bool,
}

impl<'a> Method<'a> for Tree<'a> {
    /// Forward propagation: the empty clause if the edge cannot be taken, else the clauses of the parent that
    /// survive it.
    fn label(&mut self, art: &mut Art<'a, '_>, v: NodeId) -> Result<(), Ending> {
        if art.task.options.tree_ic3.propagate {
            self.propagate(art, v);
        }
        Ok(())
    }

    /// Path blocking.
    fn refine(&mut self, art: &mut Art<'a, '_>, v: NodeId) -> Result<(), Ending> {
        if has_stronger_parent(art, v) {
            self.propagate(art, v);
        }
        if art.is_false(v) { Ok(()) } else { art.block_path(&mut self.excluder, v) }
    }

    fn is_due(&self, art: &Art<'a, '_>, v: NodeId) -> bool {
        has_stronger_parent(art, v) || ancestors(art, v).into_iter().any(|p| !art.is_tried(p, v))
    }

    /// Strengthening, with the clauses of the ancestors at the node's location.
    fn strengthen(&mut self, art: &mut Art<'a, '_>, v: NodeId) -> Result<(), Ending> {
        if has_stronger_parent(art, v) {
            self.propagate(art, v);
        }
        for p in ancestors(art, v) {
            if art.exists(v) && !art.is_false(v) && !art.is_tried(p, v) {
                self.strengthen_by(art, p, v)?;
            }
            if art.exists(v) {
                art.set_tried(p, v);
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

/// The ancestors whose clauses a node is strengthened with.
fn ancestors(art: &Art<'_, '_>, v: NodeId) -> Vec<NodeId> {
    let wanted = match art.task.options.tree_ic3.ancestors {
        Ancestors::Nearest => 1,
        Ancestors::All => usize::MAX,
        Ancestors::None => 0,
    };
    art.ancestors_at_location(v).take(wanted).collect()
}

/// Is the formula of a node's parent stronger than when its clauses were last propagated? A parent at the
/// node's own location is an ancestor to strengthen with.
fn has_stronger_parent(art: &Art<'_, '_>, v: NodeId) -> bool {
    let (options, node) = (&art.task.options.tree_ic3, art.node(v));
    let elsewhere = |p: NodeId| art.node(p).location != node.location;
    options.propagate_again
        && options.propagate
        && node.parent.is_some_and(|(p, _)| elsewhere(p) && !art.is_tried(p, v))
}

impl<'a> Tree<'a> {
    /// Gives a node the clauses of its parent that survive the edge.
    fn propagate(&mut self, art: &mut Art<'a, '_>, v: NodeId) {
        let (pool, program) = (art.task.pool, art.task.program);
        let (parent, e) = art.node(v).parent.expect("nothing is propagated to the root");
        let known = art.node(parent).clauses.clone();
        let here = program.vars(art.node(v).location);
        let lives = |c: &Term| pool.free_vars(*c).iter().all(|x| here.contains(x));
        for c in [pool.fls()].into_iter().chain(known.iter().copied().filter(lives)) {
            if c != pool.fls() && art.implies_clause(v, c) {
                continue;
            }
            let cube = if c == pool.fls() { Vec::new() } else { excluded_cube(pool, c) };
            if let EdgeAnswer::Blocked(_) = self.excluder.blocker.queries.ask(e, &known, &cube) {
                art.strengthen(v, c);
                if art.is_false(v) {
                    break;
                }
            }
        }
        art.set_tried(parent, v);
    }

    /// STRENGTHENING of Fig. 3, for one ancestor.
    fn strengthen_by(&mut self, art: &mut Art<'a, '_>, p: NodeId, v: NodeId) -> Result<(), Ending> {
        let mut missing: Vec<Term> = Vec::new();
        for c in art.node(p).clauses.clone() {
            if !art.implies_clause(v, c) {
                missing.push(c);
            }
        }
        if missing.is_empty() {
            return Ok(());
        }
        let nodes = art.nodes_from(Some(p), v);
        let held = if !self.monolithic {
            art.entailed(&nodes, &missing)
        } else if art.entails_all(&nodes, &missing) {
            missing
        } else {
            Vec::new()
        };
        if held.is_empty() {
            return Ok(());
        }
        if nodes.len() > 2 {
            let goals = negated(art.task.pool, &held);
            let purpose = Purpose::Strengthening;
            let Some(found) = art.imply(&mut self.excluder, purpose, &nodes, &goals)? else {
                return Ok(());
            };
            art.strengthen_nodes(&nodes[..nodes.len() - 1], &found);
        }
        for c in held {
            if art.exists(v) {
                art.strengthen(v, c);
            }
        }
        Ok(())
    }
}
