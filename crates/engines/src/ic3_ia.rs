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
//! | predicates by location | [`crate::abstraction::domain`] |
//! | abstract states as predecessors | [`crate::abstraction::states`] |
//! | unrolling a path, interpolants, minimal predicates | [`crate::abstraction::refine`] |
//! | state mining beside it | [`crate::abstraction::mining`] |
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

use palisade_program::Run;
use palisade_term::Term;

use crate::abstraction::domain::Domain;
use crate::abstraction::executed;
use crate::abstraction::refine::{Refinement, Refiner, Settings, Source};
use crate::abstraction::states::{AbstractStates, atoms};
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
        pub source: Source = Source::Edges,
        /// state mining: look for an equation through so many states of spurious steps (0: off)
        pub min_points: usize = 0,
        /// make two predicates of an equation
        pub split_equations: bool = true,
    }
}

/// One run of the engine.
struct Ic3Ia<'a> {
    task: Task<'a>,
    budget: Budget,
    ic3: Ic3<'a>,
    domain: Rc<RefCell<Domain<'a>>>,
    refiner: Refiner<'a>,
}

impl<'a> Ic3Ia<'a> {
    fn new(task: &Task<'a>, budget: &Budget) -> Self {
        let options = &task.options.ic3_ia;
        let domain = Rc::new(RefCell::new(Domain::new(task, budget)));
        let states = AbstractStates::new(task, budget, Rc::clone(&domain), options.reduce);
        // What makes new literals is off: lemmas consist of predicates.
        let generalize = Generalize { farkas: false, relax: false, ..task.options.generalize.clone() };
        let ic3 = Ic3::new(task, budget, Box::new(states), &generalize);
        let settings = Settings {
            source: options.source,
            split_equations: options.split_equations,
            minimize: options.minimize,
            min_points: options.min_points,
        };
        let refiner = Refiner::new(task, budget, settings);
        Ic3Ia { task: *task, budget: budget.clone(), ic3, domain, refiner }
    }

    fn prove(self, observer: &mut dyn Observer) -> Outcome {
        self.first_predicates(observer);
        let Ic3Ia { task, budget, mut ic3, domain, mut refiner } = self;
        if task.options.ic3_ia.background {
            ic3.assume_background(observer);
        }
        let mut refine = |ic3: &mut Ic3<'a>, first, observer: &mut dyn Observer| {
            budget.check().map_err(Reason::Stopped)?;
            refined(&mut refiner, &mut domain.borrow_mut(), ic3, first, observer)
        };
        let outcome = ic3.prove(&mut refine, observer);
        ic3.report(observer);
        refiner.report(observer);
        observer.event(Event::Counter("predicates", domain.borrow().len() as u64));
        observer.event(Event::Counter("equivalent predicates skipped", domain.borrow().skipped));
        outcome
    }

    /// The atoms of guards over the variables of their source: of the edges into the error, or of all. Then
    /// equations that executions suggest.
    fn first_predicates(&self, observer: &mut dyn Observer) {
        let Task { pool, program, options, .. } = self.task;
        let split = options.ic3_ia.split_equations;
        let mut domain = self.domain.borrow_mut();
        for edge in program.edge_ids().map(|e| program.edge(e)) {
            if edge.target == program.error || options.ic3_ia.guards {
                let own = |a: &Term| pool.free_vars(*a).iter().all(|v| program.vars(edge.source).contains(v));
                let found = atoms(pool, edge.guard, split).into_iter().filter(own);
                domain.extend(edge.source, found, "program", observer);
            }
        }
        if options.ic3_ia.executions {
            for (l, equation) in executed::equations(&self.task, &self.budget) {
                domain.extend(l, atoms(pool, equation, split), "executions", observer);
            }
        }
    }
}

/// A run of the abstract path, or new predicates and no obligations.
fn refined<'a>(
    refiner: &mut Refiner<'a>,
    domain: &mut Domain<'a>,
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
    let before = domain.len();
    // Atoms that say the same as a predicate are no progress; the domain remembers them, so the next
    // refutation brings others, or says that there are none.
    while domain.len() == before {
        match refiner.refine(&path, &known, domain, observer)? {
            Refinement::Run(run) => return Ok(Path::Real(run)),
            Refinement::Predicates(found) => {
                for (l, predicate, by) in found {
                    domain.extend(l, [predicate], by, observer);
                }
            }
        }
    }
    // Lemmas of proved conjectures are not made of predicates yet.
    for (l, cube) in ic3.proved.drain(..) {
        domain.extend(l, cube, "conjecture", observer);
    }
    observer.event(Event::SpuriousPath { length, predicates: domain.len() - before });
    ic3.forget_obligations();
    Ok(Path::Refined)
}
