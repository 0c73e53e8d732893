//! The program model: a control-flow automaton (CFA) whose edges carry formulas.
//!
//! Everything Palisade verifies is a [`Program`]: a C program has many locations, a linear Horn system *is*
//! one (predicates are locations, clauses are edges), a transition system has a single loop location.
//!
//! # Invariants
//! - A location has its **own vector of variables**: plain (unprimed) variable terms, pairwise distinct.
//! - An edge is a guarded simultaneous assignment: with the source's variables and the edge's inputs fixed,
//!   `guard` says whether it can be taken and `update` gives the value of every target variable. A general
//!   relation `R(x, x')` is an edge whose inputs are the next values. So an edge with its inputs is
//!   executable, weakest preconditions are substitutions, and [`Program::relation`] is the formula of the
//!   papers.
//! - The terms of an edge mention only the source's variables and the edge's inputs; inputs are distinct from
//!   the source's variables.
//! - The error location has no variables and no outgoing edges. The entry location has no incoming edges.
//! - Nondeterminism is an input of an edge, or the choice between edges.
//!
//! Entry points: [`Program`], [`Run`], [`interpret`].

mod check;
mod graph;
mod interpret;
mod invariants;
mod measure;
mod nest;
mod origin;
mod solve;

use palisade_term::{Sort, Term, TermPool, Version};
use rustc_hash::FxHashMap;

pub use check::Malformed;
pub use graph::{Graph, reachable_from_entry, reaches, reaches_error};
pub use interpret::{Replay, ReplayError, Run, State, Step, interpret, take};
pub use invariants::{CutInvariants, Invariants};
pub use measure::{Loop, Measure, Measures, TERMINATION, Watched, is_less, loops, watch_repetition};
pub use nest::{Nest, Walker};
pub use origin::{Origin, Position, Property, Statement};
pub use solve::{Parts, Solutions, solve_inputs};

/// Index of a location in [`Program::locations`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Loc(pub u32);

/// Index of an edge in [`Program::edges`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct EdgeId(pub u32);

impl Loc {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl EdgeId {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A control location.
#[derive(Clone, Debug)]
pub struct Location {
    /// A name, unique in the program (a predicate's name, or function and line).
    pub name: String,
    /// Where it stands in the source, if it stands anywhere.
    pub position: Option<Position>,
    /// The variables that live here.
    pub vars: Vec<Term>,
}

/// A guarded assignment between two locations.
#[derive(Clone, Debug)]
pub struct Edge {
    /// Where it starts.
    pub source: Loc,
    /// Where it leads.
    pub target: Loc,
    /// Fresh variables: nondeterministic values chosen when the edge is taken.
    pub inputs: Vec<Term>,
    /// The condition, over the source's variables and the inputs.
    pub guard: Term,
    /// One term for each variable of the target, over the source's variables and the inputs.
    pub update: Vec<Term>,
    /// The source statements it stands for.
    pub origin: Origin,
}

impl Edge {
    /// An edge that no source text is known for.
    pub fn new(source: Loc, target: Loc, inputs: &[Term], guard: Term, update: &[Term]) -> Edge {
        let (inputs, update) = (inputs.to_vec(), update.to_vec());
        Edge { source, target, inputs, guard, update, origin: Origin::default() }
    }
}

/// A program with one error location: the property is that it is never reached.
#[derive(Clone, Debug)]
pub struct Program {
    /// All locations.
    pub locations: Vec<Location>,
    /// All edges.
    pub edges: Vec<Edge>,
    /// Where runs begin, with arbitrary values of its variables (usually it has none).
    pub entry: Loc,
    /// What must not be reached.
    pub error: Loc,
    /// Variables that are arrays of few elements, with the indices of these: no run reads or writes
    /// elsewhere. Transformations may use this and then forget it; no verdict rests on it alone.
    pub cells: FxHashMap<Term, Vec<i64>>,
    /// Where variables are declared, as far as the front-end tells: for messages.
    pub declared: FxHashMap<Term, Position>,
}

impl Program {
    /// A program with an entry and an error location, both without variables.
    pub fn new() -> Program {
        let plain = |name: &str| Location { name: name.into(), position: None, vars: Vec::new() };
        Program {
            locations: vec![plain("entry"), plain("error")],
            edges: Vec::new(),
            entry: Loc(0),
            error: Loc(1),
            cells: FxHashMap::default(),
            declared: FxHashMap::default(),
        }
    }

    /// Adds a location.
    pub fn add_location(&mut self, location: Location) -> Loc {
        self.locations.push(location);
        Loc(u32::try_from(self.locations.len() - 1).expect("fewer than 2^32 locations"))
    }

    /// Adds an edge; its source and target exist already.
    pub fn add_edge(&mut self, edge: Edge) -> EdgeId {
        self.edges.push(edge);
        EdgeId(u32::try_from(self.edges.len() - 1).expect("fewer than 2^32 edges"))
    }

    /// The location of an index.
    pub fn location(&self, l: Loc) -> &Location {
        &self.locations[l.index()]
    }

    /// The edge of an index.
    pub fn edge(&self, e: EdgeId) -> &Edge {
        &self.edges[e.index()]
    }

    /// The variables of a location.
    pub fn vars(&self, l: Loc) -> &[Term] {
        &self.locations[l.index()].vars
    }

    /// All location indices.
    pub fn locs(&self) -> impl Iterator<Item = Loc> + use<> {
        (0..self.locations.len() as u32).map(Loc)
    }

    /// All edge indices.
    pub fn edge_ids(&self) -> impl Iterator<Item = EdgeId> + use<> {
        (0..self.edges.len() as u32).map(EdgeId)
    }

    /// For every location, the edges that enter it.
    pub fn incoming(&self) -> Vec<Vec<EdgeId>> {
        let mut out = vec![Vec::new(); self.locations.len()];
        for e in self.edge_ids() {
            out[self.edge(e).target.index()].push(e);
        }
        out
    }

    /// For every location, the edges that leave it.
    pub fn outgoing(&self) -> Vec<Vec<EdgeId>> {
        let mut out = vec![Vec::new(); self.locations.len()];
        for e in self.edge_ids() {
            out[self.edge(e).source.index()].push(e);
        }
        out
    }

    /// The relation of an edge over source variables, inputs and primed target variables:
    /// `guard and x'_1 = update_1 and ...`.
    pub fn relation(&self, pool: &TermPool, e: EdgeId) -> Term {
        let edge = self.edge(e);
        let mut parts = vec![edge.guard];
        for (&v, &u) in self.vars(edge.target).iter().zip(&edge.update) {
            parts.push(pool.eq(pool.primed(v), u));
        }
        pool.and(parts)
    }

    /// The states before the edge (and inputs) from which it leads into `post`: `guard and post[update]`.
    /// `post` is over the target's plain variables; the result is over the source's variables and the inputs.
    pub fn pre(&self, pool: &TermPool, e: EdgeId, post: Term) -> Term {
        pool.and([self.edge(e).guard, self.after(pool, e, post)])
    }

    /// `post` as it is seen from before the edge: target variables replaced by their updates.
    pub fn after(&self, pool: &TermPool, e: EdgeId, post: Term) -> Term {
        pool.substitute(post, &self.update_map(e))
    }

    /// The update of an edge as a substitution.
    pub fn update_map(&self, e: EdgeId) -> FxHashMap<Term, Term> {
        let edge = self.edge(e);
        self.vars(edge.target).iter().copied().zip(edge.update.iter().copied()).collect()
    }

    /// The sorts of the variables of a location.
    pub fn sorts<'a>(&'a self, pool: &'a TermPool, l: Loc) -> impl Iterator<Item = &'a Sort> {
        self.vars(l).iter().map(move |&v| pool.sort(v))
    }
}

impl Default for Program {
    fn default() -> Self {
        Program::new()
    }
}

/// Is this term a plain variable?
fn is_plain_var(pool: &TermPool, t: Term) -> bool {
    matches!(pool.var_parts(t), Some((_, Version::Plain)))
}
