//! Shared by the engine tests: solvers, small programs, an observer that remembers, and a runner that accepts no claim without checking it.
#![allow(dead_code)]

pub mod finite;

use palisade_engines::{Budget, Engine, Event, Observer, Options, Outcome, SolverFactory, Task};
use palisade_program::{Edge, EdgeId, Loc, Location, Program, interpret};
use palisade_smt::{Answer, Interpolator, NativeInterpolator, NativeSolver, Solver};
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
    /// The edges of the counterexample.
    pub counterexample: Option<Vec<EdgeId>>,
    /// The level of the fixpoint.
    pub fixpoint: Option<u32>,
    /// Counters.
    pub counters: Vec<(&'static str, u64)>,
}

impl Observer for Recorder {
    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Lemma { level, location, formula, .. } => self.lemmas.push((level, location, formula)),
            Event::Obligation { level, location, cube, .. } => {
                self.obligations.push((level, location, cube.to_vec()))
            }
            Event::Counterexample(edges) => self.counterexample = Some(edges.to_vec()),
            Event::Fixpoint(k) => self.fixpoint = Some(k),
            Event::Counter(name, value) => self.counters.push((name, value)),
            _ => {}
        }
    }

    fn wants_detail(&self) -> bool {
        true
    }
}

/// Runs an engine and checks its claim: invariants by fresh solvers, runs by the interpreter. Returns true for safe.
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
    let safe = match outcome {
        Outcome::Safe(inv) => {
            for e in program.edge_ids() {
                let edge = program.edge(e);
                let mut solver = Native.solver(pool);
                solver.assert(inv.at(edge.source));
                solver.assert(edge.guard);
                solver.assert(pool.not(program.after(pool, e, inv.at(edge.target))));
                assert!(
                    matches!(solver.check(&[]), Answer::Unsat(_)),
                    "edge {e:?} does not preserve the invariants"
                );
            }
            assert_eq!(inv.at(program.entry), pool.tru());
            assert_eq!(inv.at(program.error), pool.fls());
            true
        }
        Outcome::Unsafe(run) => {
            let replay = interpret(pool, program, &run).expect("the run executes");
            assert_eq!(replay.states.last().expect("a state").0, program.error);
            false
        }
        Outcome::Unknown(why, _) => panic!("{} gave up: {why:?}", engine.name()),
    };
    (safe, recorder)
}
