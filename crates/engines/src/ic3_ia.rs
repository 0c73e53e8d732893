//! `ic3-ia`: IC3 with implicit predicate abstraction.
//!
//! After Cimatti, Griggio, Mover and Tonetta, "IC3 Modulo Theories via Implicit Predicate Abstraction" (TACAS
//! 2014). Frames and cubes consist of predicates only. The paper's queries relate two copies of the variables
//! by `EQ`, "the same values of all predicates"; since what is assumed before a step and what is asked for
//! after it are made of predicates anyway, the copies add nothing, and the queries are those of
//! [`crate::ic3::blocking`] with cubes that are abstract states (`tests/ic3_ia.rs` compares with the paper's
//! encoding).
//!
//! The paper has one transition relation and one set of predicates. Here the program keeps its control flow
//! and every location has predicates of its own; `--set encoding=pc-int` gives the paper's setting.
//!
//! | part | where |
//! |---|---|
//! | abstract states, predicates by location | [`crate::abstraction::predicates`] |
//! | unrolling a path, interpolants, minimal predicates | [`crate::abstraction::refine`] |
//! | first predicates from executions | [`crate::abstraction::executed`] |
//! | frames, blocking, pushing | [`crate::ic3::blocking`] |
//!
//! When the obligations form a path from the entry, the path is unrolled: it is the counterexample, or its
//! interpolants bring predicates. Frames are kept (every lemma was proved by a query about the real
//! transitions); obligations go.
//!
//! # What it does not do
//! It stops with UNKNOWN when a path can be neither executed nor refuted, or when its refutations bring
//! nothing new.

use std::cell::RefCell;
use std::rc::Rc;

use palisade_program::{Loc, Run};
use palisade_term::Term;

use crate::abstraction::executed;
use crate::abstraction::predicates::{AbstractStates, Predicates, atoms};
use crate::abstraction::refine::{Refinement, Refiner, Settings, Source};
use crate::ic3::blocking::{Ic3, Path};
use crate::ic3::obligations::ObligationId;
use crate::options::Generalize;
use crate::timed::Timed;
use crate::{Budget, Engine, Event, Observer, Outcome, Reason, Task};

/// The engine.
pub struct Ic3IaEngine;

impl Engine for Ic3IaEngine {
    fn name(&self) -> &'static str {
        "ic3-ia"
    }

    fn about(&self) -> &'static str {
        "IC3 with implicit predicate abstraction, predicates per location from interpolants of spurious paths"
    }

    fn run(&self, task: &Task<'_>, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
        if task.program.entry == task.program.error {
            return Outcome::Unsafe(Run::default());
        }
        let timed = Timed::new(task.solvers);
        let task = Task { solvers: &timed, ..*task };
        let outcome = Ic3Ia::new(&task, budget).prove(observer);
        timed.report(observer);
        outcome
    }
}

palisade_options::options! {
    /// IC3 with implicit predicate abstraction.
    pub struct Ic3IaOptions in "ic3-ia" {
        /// begin with what the background analyses know
        pub background: bool = true,
        /// take equations through states of executions as first predicates
        pub executions: bool = true,
        /// take the comparisons of the program's guards as first predicates, not only those of the property
        pub guards: bool = true,
        /// keep only the new predicates that the refutation of the abstract path needs
        pub minimize: bool = true,
        /// drop literals of abstract predecessors that the step does not need
        pub reduce: bool = true,
        /// where new predicates come from: interpolants of spurious paths, the clauses that block them edge
        /// by edge, both in turn
        pub source: Source = Source::Both,
        /// make two predicates of an equation
        pub split_equations: bool = true,
    }
}

/// One run of the engine.
struct Ic3Ia<'a> {
    task: Task<'a>,
    budget: Budget,
    ic3: Ic3<'a>,
    predicates: Rc<RefCell<Predicates>>,
    refiner: Refiner<'a>,
}

impl<'a> Ic3Ia<'a> {
    fn new(task: &Task<'a>, budget: &Budget) -> Self {
        let predicates = Rc::new(RefCell::new(Predicates::new(task.program)));
        let states = AbstractStates::new(task, budget, Rc::clone(&predicates), task.options.ic3_ia.reduce);
        // What makes new literals is off: lemmas consist of predicates.
        let generalize = Generalize { farkas: false, relax: false, ..task.options.generalize.clone() };
        let ic3 = Ic3::new(task, budget, Box::new(states), &generalize);
        let options = &task.options.ic3_ia;
        let settings = Settings {
            source: options.source,
            split_equations: options.split_equations,
            minimize: options.minimize,
        };
        let refiner = Refiner::new(task, budget, settings);
        Ic3Ia { task: *task, budget: budget.clone(), ic3, predicates, refiner }
    }

    fn prove(mut self, observer: &mut dyn Observer) -> Outcome {
        self.first_predicates(observer);
        let Ic3Ia { task, budget, mut ic3, predicates, mut refiner } = self;
        if task.options.ic3_ia.background {
            ic3.assume_background(observer);
        }
        let mut refine = |ic3: &mut Ic3<'a>, first, observer: &mut dyn Observer| {
            budget.check().map_err(Reason::Stopped)?;
            refined(&task, &mut refiner, &predicates, ic3, first, observer)
        };
        let outcome = ic3.prove(&mut refine, observer);
        ic3.report(observer);
        refiner.report(observer);
        observer.event(Event::Counter("refinements", refiner.refinements));
        observer.event(Event::Counter("predicates", predicates.borrow().count() as u64));
        outcome
    }

    /// The atoms of guards over the variables of their source: of the edges into the error, or of all. Then
    /// equations that executions suggest.
    fn first_predicates(&mut self, observer: &mut dyn Observer) {
        let Task { pool, program, options, .. } = self.task;
        for e in program.edge_ids() {
            let edge = program.edge(e);
            if edge.target != program.error && !options.ic3_ia.guards {
                continue;
            }
            for atom in atoms(pool, edge.guard, options.ic3_ia.split_equations) {
                if pool.free_vars(atom).iter().all(|v| program.vars(edge.source).contains(v))
                    && self.predicates.borrow_mut().add(pool, edge.source, atom)
                {
                    let (location, by) = (edge.source, "program");
                    observer.event(Event::Predicate { location, predicate: atom, by });
                }
            }
        }
        if options.ic3_ia.executions {
            for (l, equation) in executed::equations(&self.task, &self.budget) {
                for atom in atoms(pool, equation, options.ic3_ia.split_equations) {
                    if self.predicates.borrow_mut().add(pool, l, atom) {
                        observer.event(Event::Predicate { location: l, predicate: atom, by: "executions" });
                    }
                }
            }
        }
    }
}

/// A run of the abstract path, or new predicates and no obligations.
fn refined<'a>(
    task: &Task<'a>,
    refiner: &mut Refiner<'a>,
    predicates: &RefCell<Predicates>,
    ic3: &mut Ic3<'a>,
    first: ObligationId,
    observer: &mut dyn Observer,
) -> Result<Path, Reason> {
    let path = ic3.path(first);
    let length = path.len();
    observer.event(Event::Counterexample(&path));
    let always = ic3.lemmas.frames.always();
    let known: Vec<Vec<Term>> = (ic3.states(first))
        .map(|(l, cube)| {
            let facts = always.iter().filter(|a| a.0 == l).map(|a| a.1);
            cube.iter().copied().chain(facts).collect()
        })
        .collect();
    let refinement = refiner.refine(path, &known, &predicates.borrow(), observer)?;
    let found = match refinement {
        Refinement::Run(run) => return Ok(Path::Real(run)),
        Refinement::Predicates(found) => found,
    };
    // Lemmas of proved conjectures are not made of predicates yet.
    let conjectured = ic3.proved.drain(..).flat_map(|(l, cube)| cube.into_iter().map(move |p| (l, p)));
    let before = predicates.borrow().count();
    let by = |by: &'static str| move |(l, p): (Loc, Term)| (l, p, by);
    for (l, p, by) in found.into_iter().map(by("path")).chain(conjectured.map(by("conjecture"))) {
        if predicates.borrow_mut().add(task.pool, l, p) {
            observer.event(Event::Predicate { location: l, predicate: p, by });
        }
    }
    observer.event(Event::SpuriousPath { length, predicates: predicates.borrow().count() - before });
    ic3.forget_obligations();
    Ok(Path::Refined)
}
