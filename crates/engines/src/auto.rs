//! `auto`: what a user gets without asking.
//!
//! A circuit goes to IC3 on the SAT core. Programs that compute with constants are run ([`crate::values`]),
//! within a small allowance, and programs with inputs are run with some of them (`trials`). Programs over
//! words whose loops have few rounds (a checksum of any eight bytes, text of up to twenty characters) are
//! unwound: about them there is rarely anything simpler to say than what they compute. So are programs over
//! integers, within a smaller allowance (a number of six digits, a sorted array of five). Arrays are replaced
//! by facts about all of their cells, and by any one of these, for a while. Then the strongest single engine;
//! where its method ends without an answer (an undecided query, a path that could not be made concrete), the
//! unrolling engines, which ask other queries. A stopped run stays stopped. What the strongest engine learned
//! is what an UNKNOWN reports.

use std::time::Duration;

use palisade_aig::finite::{encode, is_finite};
use palisade_program::Program;
use palisade_term::{Op, Sort, Term, TermPool};
use rustc_hash::FxHashSet;

use crate::background::ranges;
use crate::bits;
use crate::ic3_cfa::Ic3CfaEngine;
use crate::kind::Kind;
use crate::options::Backend;
use crate::trials::{self, Trials};
use crate::unwinding;
use crate::values::{Limits, Values};
use crate::{Budget, Cells, Engine, Observer, Options, Outcome, Partial, Reason, Shape, Task};

/// States with one successor each are cheap; those of a program that branches on inputs soon become many.
const ALLOWANCE: Limits = Limits { states: 10_000, per_location: 1000, branching: 300 };

/// How far programs are unwound before anything else is tried.
const SHORT: unwinding::Limits = unwinding::Limits {
    cells: 10_000,
    rounds: 8,
    more_rounds: (20, 2000),
    similar: false,
    steps: Some(500_000),
    all_steps: None,
    last_steps: Some(15_000_000),
};

/// Programs that compute with floating-point numbers in a loop have hard questions from the first round on:
/// they get so many solver steps for all of them, and then their ranges are looked at.
const FLOATING: u64 = 600_000;

/// The same for programs over integers, where invariants are mostly easier to find.
const INTEGERS: unwinding::Limits = unwinding::Limits {
    cells: 2000,
    rounds: 8,
    more_rounds: (12, 500),
    similar: true,
    steps: Some(20_000),
    all_steps: Some(60_000),
    last_steps: Some(400_000),
};

/// Proofs about cells of arrays are found soon or not at all.
const CELLS: Duration = Duration::from_secs(4);

/// The engine: several, one after the other.
pub struct Auto;

impl Engine for Auto {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn about(&self) -> &'static str {
        "the default: ic3 for circuits; else values, trials, unwinding of short programs, ic3-cfa, kind"
    }

    fn stages(&self) -> Vec<Box<dyn Engine>> {
        vec![
            Box::new(Circuits),
            Box::new(Values { limits: Some(ALLOWANCE) }),
            Box::new(Trials::Short),
            Box::new(Short),
            Box::new(ByCells { cells: Cells::Facts, of: Some(Memory::Linked) }),
            Box::new(ByCells { cells: Cells::AnySize, of: None }),
            Box::new(ByCells { cells: Cells::Facts, of: Some(Memory::Flat) }),
            Box::new(Trials::Long),
            Box::new(ByCells { cells: Cells::Any, of: None }),
            Box::new(Symbolic),
        ]
    }

    fn run(&self, task: &Task<'_>, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
        let mut outcome = Outcome::Unknown(Reason::Incomplete(String::new()), Partial::default());
        for stage in self.stages() {
            outcome = stage.run(task, budget, observer);
            if !matches!(outcome, Outcome::Unknown(..)) {
                break;
            }
        }
        outcome
    }
}

/// The answer of a stage to a program that is not for it.
fn not_tried() -> Outcome {
    Outcome::Unknown(Reason::Incomplete("not tried".to_owned()), Partial::default())
}

/// Boolean IC3, for programs that are circuits: one step that is a function, guarded by constraints at most.
struct Circuits;

impl Engine for Circuits {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn about(&self) -> &'static str {
        "ic3 on the SAT core, for circuits"
    }

    fn applies(&self, pool: &TermPool, program: &Program, options: &Options) -> bool {
        options.ic3.backend != Backend::Smt && bits::is_circuit(pool, program) && is_finite(pool, program)
    }

    fn shape(&self, _pool: &TermPool, _program: &Program, _options: &Options) -> Shape {
        Shape::Source
    }

    fn run(&self, task: &Task<'_>, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
        if !self.applies(task.pool, task.program, task.options) {
            return not_tried();
        }
        match encode(task.pool, task.program) {
            Ok(finite) if !finite.has_control() => bits::ic3(task, finite, budget, observer),
            _ => not_tried(),
        }
    }
}

/// Does the state of a program have words in it?
fn speaks_of_words(pool: &TermPool, program: &Program) -> bool {
    let is_word = |sort: &Sort| match sort.array_parts() {
        Some((_, element)) => element.width().is_some(),
        None => sort.width().is_some(),
    };
    program.locs().any(|l| program.sorts(pool, l).any(is_word))
}

/// Unwinding. On the program as it is: the solver does better with many small edges than with few large
/// ones, and the rounds are those that the checker needs.
struct Short;

impl Engine for Short {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn about(&self) -> &'static str {
        "unwinding of loops that have few rounds"
    }

    fn applies(&self, _pool: &TermPool, _program: &Program, options: &Options) -> bool {
        options.general.unroll_short
    }

    fn shape(&self, _pool: &TermPool, _program: &Program, _options: &Options) -> Shape {
        Shape::Source
    }

    fn run(&self, task: &Task<'_>, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
        if !self.applies(task.pool, task.program, task.options) {
            return not_tried();
        }
        let limits = match speaks_of_words(task.pool, task.program) {
            true => unwinding::Limits { all_steps: ranges::applies(task).then_some(FLOATING), ..SHORT },
            false => INTEGERS,
        };
        unwinding::unwind(task, budget, limits, observer)
    }
}

/// The first stages of `auto` alone: programs that come to an end soon.
pub struct Runs;

impl Engine for Runs {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn about(&self) -> &'static str {
        "values, then unwinding of short programs"
    }

    fn stages(&self) -> Vec<Box<dyn Engine>> {
        vec![Box::new(Values { limits: Some(ALLOWANCE) }), Box::new(Short)]
    }

    fn run(&self, task: &Task<'_>, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
        Short.run(task, budget, observer)
    }
}

/// Proofs about cells of arrays: `ic3-cfa` on a program that has some of their cells instead of arrays. That
/// has more runs, so only a proof counts.
struct ByCells {
    cells: Cells,
    /// Only programs with such memory, if one is given: facts about all cells are most of what can be said of
    /// lists, and rarely what arrays need.
    of: Option<Memory>,
}

/// How a program uses its arrays.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Memory {
    /// What is read from a cell tells where to read next, as in lists.
    Linked,
    /// It does not.
    Flat,
}

/// The memory of a program.
fn memory(pool: &TermPool, program: &Program) -> Memory {
    // All terms that are computed from what was read, and then from variables that hold such numbers.
    let mut read: FxHashSet<Term> = FxHashSet::default();
    let updates = || program.edges.iter().flat_map(|e| e.update.iter().zip(program.vars(e.target)));
    pool.visit(updates().map(|(&u, _)| u), |t| {
        if *pool.op(t) == Op::Select || pool.args(t).iter().any(|a| read.contains(a)) {
            read.insert(t);
        }
    });
    let holders = updates().filter(|&(u, &v)| *pool.sort(v) == Sort::Int && read.contains(u));
    let holders: Vec<Term> = holders.map(|(_, &v)| v).collect();
    read.extend(holders);
    let mut linked = false;
    pool.visit(program.edges.iter().flat_map(|e| e.update.iter().copied().chain([e.guard])), |t| {
        if *pool.op(t) == Op::Select || pool.args(t).iter().any(|a| read.contains(a)) {
            read.insert(t);
        }
        linked |= matches!(pool.op(t), Op::Select | Op::Store) && read.contains(&pool.args(t)[1]);
    });
    if linked { Memory::Linked } else { Memory::Flat }
}

impl Engine for ByCells {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn about(&self) -> &'static str {
        "ic3-cfa about cells of arrays"
    }

    fn applies(&self, pool: &TermPool, program: &Program, _options: &Options) -> bool {
        trials::has_arrays(pool, program) && self.of.is_none_or(|m| memory(pool, program) == m)
    }

    fn shape(&self, _pool: &TermPool, _program: &Program, _options: &Options) -> Shape {
        Shape::Cells(self.cells)
    }

    fn run(&self, task: &Task<'_>, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
        let is_of_scalars = |s: &Sort| s.array_parts().is_some_and(|(_, e)| e.array_parts().is_none());
        if task.program.locs().any(|l| task.program.sorts(task.pool, l).any(is_of_scalars)) {
            return not_tried();
        }
        let part = budget.part(CELLS);
        match Ic3CfaEngine.run(task, &part.budget, observer) {
            Outcome::Unknown(why, known) if budget.check().is_ok() => {
                let reason = match why {
                    Reason::Stopped(_) => {
                        Reason::Incomplete("no proof about cells was found soon".to_owned())
                    }
                    other => other,
                };
                Outcome::Unknown(reason, known)
            }
            outcome => outcome,
        }
    }
}

/// The engines that ask a solver about one edge after the other.
struct Symbolic;

impl Engine for Symbolic {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn about(&self) -> &'static str {
        "ic3-cfa, then k-induction"
    }

    fn run(&self, task: &Task<'_>, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
        let first = Ic3CfaEngine.run(task, budget, observer);
        let Outcome::Unknown(why, known) = first else { return first };
        if matches!(why, Reason::Stopped(_)) {
            return Outcome::Unknown(why, known);
        }
        match Kind.run(task, budget, observer) {
            Outcome::Unknown(_, second) => {
                let safe_bound = known.safe_bound.max(second.safe_bound);
                Outcome::Unknown(why, Partial { safe_bound, ..known })
            }
            decided => decided,
        }
    }
}
