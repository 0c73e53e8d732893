//! Shared by the engine tests: solvers, small programs, an observer that remembers, and a runner that accepts
//! no claim without checking it.
#![allow(dead_code)]

pub mod finite;
pub mod numbers;

use palisade_certify::Checker;
use palisade_engines::{Budget, Engine, Event, Observer, Options, Outcome, SolverFactory, Task};
use palisade_program::{CutInvariants, Edge, EdgeId, Loc, Location, Program};
use palisade_smt::{Interpolator, NativeInterpolator, NativeSolver, Solver, native};
use palisade_term::{Term, TermPool};

/// The native solver.
pub struct Native;

impl SolverFactory for Native {
    fn solver<'p>(&self, pool: &'p TermPool) -> Box<dyn Solver + 'p> {
        Box::new(NativeSolver::new(pool))
    }

    fn interpolator<'p>(&self, pool: &'p TermPool) -> Box<dyn Interpolator + 'p> {
        Box::new(NativeInterpolator::new(pool))
    }
}

/// Adds a location with a name and variables.
pub fn location(program: &mut Program, name: &str, vars: &[Term]) -> Loc {
    program.add_location(Location { name: name.into(), position: None, vars: vars.to_vec() })
}

/// Adds an edge.
pub fn edge(
    program: &mut Program,
    source: Loc,
    target: Loc,
    inputs: &[Term],
    guard: Term,
    update: &[Term],
) -> EdgeId {
    program.add_edge(Edge::new(source, target, inputs, guard, update))
}

/// Remembers what matters for the worked examples.
#[derive(Default)]
pub struct Recorder {
    /// (level, location, formula) of every lemma.
    pub lemmas: Vec<(Option<u32>, Loc, Term)>,
    /// (level, location, cube) of every obligation.
    pub obligations: Vec<(u32, Loc, Vec<Term>)>,
    /// (level, cube) of every spurious step.
    pub spurious: Vec<(u32, Vec<Term>)>,
    /// The level and the number of predicates of every refinement.
    pub refined: Vec<(u32, usize)>,
    /// How often a trace with a spurious step was given up.
    pub backtracked: usize,
    /// The lifted states of the counterexample.
    pub lifted: Vec<(Loc, Vec<Term>)>,
    /// The edges of the counterexample.
    pub counterexample: Option<Vec<EdgeId>>,
    /// The level of the fixpoint.
    pub fixpoint: Option<u32>,
    /// Counters.
    pub counters: Vec<(&'static str, u64)>,
    /// What happened to the abstract reachability tree.
    pub tree: Vec<Tree>,
}

/// An event of the abstract reachability tree, nodes by number.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    /// A node was made below another.
    Node(u64, Option<u64>, Loc),
    /// A node was covered by another.
    Covered(u64, u64),
    /// A node is no longer covered.
    Uncovered(u64),
    /// A node got a clause.
    Strengthened(u64, Term),
    /// The path to an error node was refuted.
    PathBlocked(u64),
    /// A location got a predicate.
    Predicate(Loc, Term),
}

impl Observer for Recorder {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Lemma { level, location, formula, .. } => self.lemmas.push((level, location, formula)),
            Event::Obligation { level, location, cube, .. } => {
                self.obligations.push((level, location, cube.to_vec()))
            }
            Event::Spurious { level, cube, .. } => self.spurious.push((level, cube.to_vec())),
            Event::Refined { level, predicates, .. } => self.refined.push((level, predicates)),
            Event::Backtracked { .. } => self.backtracked += 1,
            Event::Lifted { location, cube } => self.lifted.push((location, cube.to_vec())),
            Event::Counterexample(edges) => self.counterexample = Some(edges.to_vec()),
            Event::Fixpoint(k) => self.fixpoint = Some(k),
            Event::Counter(name, value) => self.counters.push((name, value)),
            Event::Node { id, parent, location } => self.tree.push(Tree::Node(id, parent, location)),
            Event::Covered { id, by, .. } => self.tree.push(Tree::Covered(id, by)),
            Event::Uncovered { id, .. } => self.tree.push(Tree::Uncovered(id)),
            Event::Strengthened { id, clause, .. } => self.tree.push(Tree::Strengthened(id, clause)),
            Event::PathBlocked { id, .. } => self.tree.push(Tree::PathBlocked(id)),
            Event::Predicate { location, predicate, .. } => {
                self.tree.push(Tree::Predicate(location, predicate));
            }
            _ => {}
        }
    }

    fn wants_detail(&self) -> bool {
        true
    }
}

/// The solver of the check: it believes itself only when the independent proof checker does.
fn certified<'p>(pool: &'p TermPool) -> Box<dyn Solver + 'p> {
    let options = native::Options { certified: true, ..native::Options::default() };
    Box::new(NativeSolver::with_options(pool, options))
}

/// Runs an engine and checks its claim with `certify`. Returns true for safe.
pub fn verdict(
    engine: &dyn Engine,
    pool: &TermPool,
    program: &Program,
    set: &[(&str, &str)],
) -> (bool, Recorder) {
    let mut options = Options::new();
    for (name, value) in set {
        options.set(name, value).expect("a good option");
    }
    program.check(pool).expect("a well-formed program");
    let mut recorder = Recorder::default();
    let task = Task { pool, program, solvers: &Native, options: &options };
    let outcome = engine.run(&task, &Budget::unlimited(), &mut recorder);
    let checker = Checker::new(pool, program);
    let claim = match &outcome {
        Outcome::Safe(invariants) => Some(CutInvariants::from(invariants.clone())),
        Outcome::Ends(depth) => {
            Some(CutInvariants { rounds: Some(*depth), ..CutInvariants::bare(pool, program) })
        }
        _ => None,
    };
    let safe = match outcome {
        Outcome::Safe(_) | Outcome::Ends(_) => match checker.proof(claim.expect("a proof"), &certified) {
            Ok(_) => true,
            Err(why) => panic!("{}: a wrong proof: {}", engine.name(), why.describe(pool, program)),
        },
        Outcome::Unsafe(run) => match checker.counterexample(run) {
            Ok(_) => false,
            Err(why) => panic!("{}: a wrong run: {}", engine.name(), why.describe(pool, program)),
        },
        Outcome::Unknown(why, _) => panic!("{} gave up: {why:?}", engine.name()),
    };
    (safe, recorder)
}
