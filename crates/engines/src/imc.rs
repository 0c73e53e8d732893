//! `imc`: interpolation-based model checking (McMillan: Interpolation and SAT-Based Model Checking, 2003).
//!
//! A finite program becomes a circuit and is decided on the SAT core (`palisade_bits::imc`); any other is
//! decided over SMT, as described here. `--set imc.backend` chooses.
//!
//! The program is one loop, and its edges are one formula. `R` is a set of states at its head. The first one
//! is an interpolant between the edges from the entry and "an error within `k` edges"; the next ones are
//! interpolants between a step from `R` and the same. Each contains an image and no state from which `k`
//! edges lead to the error; it is added to `R`, until nothing new comes: then `R` is inductive. If a step
//! from `R` does lead there, an image was too coarse, and `k` grows. Counterexamples come from the bounded
//! search beside it, which is always as deep as the images look.
//!
//! # What it does not do
//! Where the solver's refutations cannot be interpolated, the run ends as unknown.

use palisade_aig::finite::{encode, is_finite};
use palisade_program::{EdgeId, Invariants, Loc, Program};
use palisade_smt::interpolate::Settings;
use palisade_smt::{Answer, Interpolation, Interpolator, UnknownReason};
use palisade_term::{Term, TermPool, Version};
use rustc_hash::FxHashMap;

use crate::bmc::Search;
use crate::options::Backend;
use crate::path::settings;
use crate::{Budget, Engine, Event, Observer, Options, Outcome, Partial, Pc, Reason, Shape, Task, bits};

/// The engine.
pub struct Imc;

impl Engine for Imc {
    fn name(&self) -> &'static str {
        "imc"
    }

    fn about(&self) -> &'static str {
        "interpolation-based model checking: on the SAT core for finite programs, over SMT for others"
    }

    fn shape(&self, pool: &TermPool, program: &Program, options: &Options) -> Shape {
        let bits = match options.imc.backend {
            Backend::Sat => true,
            Backend::Smt => false,
            Backend::Auto => is_finite(pool, program),
        };
        if bits { Shape::Bits } else { Shape::Loop { pc: Pc::AsIs, merged: true } }
    }

    fn run(&self, task: &Task<'_>, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
        let backend = task.options.imc.backend;
        if backend != Backend::Smt {
            match encode(task.pool, task.program) {
                Ok(finite) => return bits::imc(task, &finite, budget, observer),
                Err(why) if backend == Backend::Sat => return bits::not_finite(&why),
                Err(_) => {}
            }
        }
        over_smt(task, budget, observer)
    }
}

fn over_smt(task: &Task<'_>, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
    if task.program.locations.len() > 3 {
        let why = "interpolation over SMT works on one loop".to_string();
        return Outcome::Unknown(Reason::Incomplete(why), Partial::default());
    }
    let mut images = Images::new(task, budget);
    let outcome = grow(task, &mut images, budget, observer);
    observer.event(Event::Counter("images", images.count));
    outcome
}

fn grow(
    task: &Task<'_>,
    images: &mut Images<'_, '_>,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Outcome {
    let mut search = Search::new(task, budget);
    for k in 1.. {
        // An image looks at the edge into the loop and at `k` edges from there.
        while search.depth() <= k {
            if let Some(outcome) = search.deepen(task, observer) {
                return outcome;
            }
        }
        if let Err(stop) = budget.check() {
            return search.unknown(Reason::Stopped(stop));
        }
        if let Some(gap) = search.gap() {
            return search.unknown(Reason::Solver(gap.to_string()));
        }
        let fixpoint = images.until_fixpoint(k);
        match fixpoint {
            Ok(None) => {}
            Ok(Some(states)) => {
                observer.event(Event::Fixpoint(k));
                let mut invariants = Invariants::trivial(task.pool, task.program);
                images.heads().for_each(|l| invariants.set(l, states));
                return Outcome::Safe(invariants);
            }
            Err(why) => {
                let reason = budget.check().map_or_else(Reason::Stopped, |()| Reason::Incomplete(why));
                return search.unknown(reason);
            }
        }
    }
    unreachable!("the loop only returns")
}

/// The transition relation as formulas, and what is asked about it.
struct Images<'a, 't> {
    task: &'t Task<'a>,
    budget: &'t Budget,
    /// The location of the loop; none if the program has no loop.
    head: Option<Loc>,
    settings: Settings,
    interpolator: Box<dyn Interpolator + 'a>,
    count: u64,
}

impl<'a, 't> Images<'a, 't> {
    fn new(task: &'t Task<'a>, budget: &'t Budget) -> Self {
        let p = task.program;
        let head = p.locs().find(|&l| l != p.entry && l != p.error);
        let (settings, interpolator) = (settings(task, budget), task.solvers.interpolator(task.pool));
        Images { task, budget, head, settings, interpolator, count: 0 }
    }

    fn heads(&self) -> impl Iterator<Item = Loc> + use<> {
        self.head.into_iter()
    }

    /// A formula at a step of the unrolling.
    fn at(&self, step: u32, formula: Term) -> Term {
        self.task.pool.version_all(formula, Version::Step(step))
    }

    /// The edges between two locations as one formula from a step to the next.
    fn edges(&self, source: Loc, target: Loc, step: u32) -> Term {
        let (pool, p) = (self.task.pool, self.task.program);
        let between = |e: &EdgeId| p.edge(*e).source == source && p.edge(*e).target == target;
        pool.or(p.edge_ids().filter(between).map(|e| {
            let edge = p.edge(e);
            let assigned = p.vars(target).iter().zip(&edge.update);
            let equal = assigned.map(|(&v, &u)| pool.eq(pool.at_step(v, step + 1), self.at(step, u)));
            pool.and([self.at(step, edge.guard)].into_iter().chain(equal))
        }))
    }

    /// From the state at step 1: an error within `k` edges.
    fn errors(&self, head: Loc, k: u32) -> Term {
        let pool = self.task.pool;
        (1..=k).rev().fold(pool.fls(), |later, step| {
            let further = pool.and2(self.edges(head, head, step), later);
            pool.or([self.edges(head, self.task.program.error, step), further])
        })
    }

    /// Adds images until they repeat; the states. `None` if one is too coarse for `k`.
    fn until_fixpoint(&mut self, k: u32) -> Result<Option<Term>, String> {
        let pool = self.task.pool;
        let Some(head) = self.head else { return Ok(Some(pool.tru())) };
        let errors = self.errors(head, k);
        let start = self.edges(self.task.program.entry, head, 0);
        let Some(mut states) = self.image(head, start, errors)? else { return Ok(None) };
        loop {
            let step = pool.and2(self.at(0, states), self.edges(head, head, 0));
            let Some(image) = self.image(head, step, errors)? else { return Ok(None) };
            if self.implies(image, states)? {
                return Ok(Some(states));
            }
            states = pool.or([states, image]);
        }
    }

    /// An interpolant over the variables of the head.
    fn image(&mut self, head: Loc, step: Term, errors: Term) -> Result<Option<Term>, String> {
        self.count += 1;
        let pool = self.task.pool;
        match self.interpolator.interpolate(&[step, errors], &self.settings) {
            Interpolation::Sat(_) => Ok(None),
            Interpolation::Unknown(why) => Err(why.to_string()),
            Interpolation::Interpolants(found) => {
                let [image] = found[..] else { return Err("not one interpolant for two parts".into()) };
                let back: FxHashMap<Term, Term> =
                    self.task.program.vars(head).iter().map(|&v| (pool.at_step(v, 1), v)).collect();
                if pool.free_vars(image).iter().any(|v| !back.contains_key(v)) {
                    return Err("an interpolant over foreign variables".into());
                }
                Ok(Some(pool.substitute(image, &back)))
            }
        }
    }

    fn implies(&mut self, a: Term, b: Term) -> Result<bool, String> {
        let pool = self.task.pool;
        match self.task.solver(self.budget, self.settings.limits.steps).check(&[a, pool.not(b)]) {
            Answer::Unsat(_) => Ok(true),
            Answer::Sat(_) => Ok(false),
            Answer::Unknown(UnknownReason::Failed(why)) => Err(why),
            Answer::Unknown(why) => Err(why.to_string()),
        }
    }
}
