//! `ic3` over SMT: IC3 on one transition relation.
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

use palisade_program::Run;

use crate::ic3::basic::{Ic3, Obstacle};
use crate::ic3::concretize::concretize;
use crate::ic3::predecessor::Concrete;
use crate::shrink::shrink;
use crate::{Budget, Engine, Event, Observer, Outcome, Pc, Shape, Task};

/// The engine.
pub struct Ic3Engine;

impl Engine for Ic3Engine {
    fn name(&self) -> &'static str {
        "ic3"
    }

    fn about(&self) -> &'static str {
        "IC3 on one transition relation, the program counter as a variable"
    }

    fn shape(&self) -> Shape {
        Shape::Loop { pc: Pc::Int }
    }

    fn run(&self, task: &Task<'_>, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
        if task.program.entry == task.program.error {
            return Outcome::Unsafe(Run::default());
        }
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
