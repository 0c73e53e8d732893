//! `ic3`: IC3 on one transition relation.
//!
//! A finite program (Booleans and bit-vectors) becomes a circuit and is decided on the SAT core ([`crate::bits`]); any other
//! is decided over SMT, as described here. `--set ic3.backend` chooses.
//!
//! Cimatti and Griggio, "Software Model Checking via IC3" (CAV 2012), section 3 and Figure 1. The program is one loop:
//! control is a variable like any other (`--set encoding=pc-int`, or `pc-bool` for ceil(log2 n) Booleans as in the paper),
//! and there is one sequence of frames. The loop of the figure is [`crate::ic3::basic`].
//!
//! Level `i` of the loop is level `i - 1` of the paper, because the edge from the entry counts.
//!
//! # What it does not do
//! No background analyses, no global guidance, no walks: it is the paper's engine, to compare with. Programs with many
//! locations lose their control flow; `ic3-cfa` keeps it.

use palisade_aig::finite::{encode, is_finite};
use palisade_program::{Program, Run};
use palisade_term::TermPool;

use crate::ic3::basic::{Ic3, Obstacle};
use crate::ic3::concretize::concretize;
use crate::ic3::predecessor::Concrete;
use crate::options::Backend;
use crate::shrink::shrink;
use crate::{Budget, Engine, Event, Observer, Options, Outcome, Partial, Pc, Reason, Shape, Task, bits};

/// The engine.
pub struct Ic3Engine;

impl Engine for Ic3Engine {
    fn name(&self) -> &'static str {
        "ic3"
    }

    fn about(&self) -> &'static str {
        "IC3 on one transition relation: on the SAT core for finite programs, over SMT for others"
    }

    fn shape(&self, pool: &TermPool, program: &Program, options: &Options) -> Shape {
        let bits = match options.ic3.backend {
            Backend::Sat => true,
            Backend::Smt => false,
            Backend::Auto => is_finite(pool, program),
        };
        if bits { Shape::Bits } else { Shape::Loop { pc: Pc::Int } }
    }

    fn run(&self, task: &Task<'_>, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
        if task.program.entry == task.program.error {
            return Outcome::Unsafe(Run::default());
        }
        if task.options.ic3.backend == Backend::Smt {
            return self.over_smt(task, budget, observer);
        }
        match encode(task.pool, task.program) {
            Ok(finite) => bits::ic3(task, &finite, budget, observer),
            Err(_) if task.options.ic3.backend == Backend::Auto => self.over_smt(task, budget, observer),
            Err(why) => {
                let reason = Reason::Incomplete(format!("not a finite program: {why}"));
                Outcome::Unknown(reason, Partial::default())
            }
        }
    }
}

impl Ic3Engine {
    /// `IC3-prove`.
    fn over_smt(&self, task: &Task<'_>, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
        let mut ic3 = Ic3::new(task, budget, Box::new(Concrete::new(task, budget)), &task.options.generalize);
        let outcome = loop {
            observer.event(Event::Bound(ic3.frontier));
            match ic3.block(observer) {
                Ok(()) => {}
                Err(Obstacle::Path(first)) => {
                    break concretize(task, budget, &ic3.obligations, first, observer)
                        .map_or_else(|why| Outcome::Unknown(why, ic3.partial()), Outcome::Unsafe);
                }
                Err(Obstacle::Unknown(reason)) => break Outcome::Unknown(reason, ic3.partial()),
            }
            if let Some(level) = ic3.push(observer) {
                observer.event(Event::Fixpoint(level));
                break Outcome::Safe(shrink(task, budget, ic3.lemmas.invariants(level)));
            }
            ic3.frontier += 1;
        };
        ic3.report(observer);
        outcome
    }
}
