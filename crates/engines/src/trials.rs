//! Trials: the program is run with some inputs.
//!
//! Many violations are there for a large part of the inputs, and still hard to see for a solver: the loss of
//! a list element behind ten branches, or a polynomial of a `float`, which is a circuit of a hundred thousand
//! gates. So a program is run before anything is asked about it, within a small allowance. Integers are drawn
//! from small numbers and from the constants of the program and their neighbours; floating-point numbers
//! evenly from between two constants that the program compares with (`ranges`), and at such constants.
//!
//! A violation that was found is looked for again in fewer steps: people read it. Everything found is an
//! execution; a search that finds none says nothing. Only violations count: runs into something unsupported
//! or undefined are other engines' business.
//!
//! What lies behind loops of 100,000 rounds is found by two runs of up to two million steps: no other engine
//! gets that far, and often any inputs will do.
//!
//! Entry point: [`Trials`], two stages of `auto`. (`walk.rs` looks for one long execution, with a solver's
//! help.)

use std::time::Duration;

use num_traits::Signed as _;
use palisade_float::Format;
use palisade_program::{Edge, EdgeId, Program, Property, Run, Step};
use palisade_random::Random;
use palisade_term::eval::Evaluator;
use palisade_term::{Assignment, Integer, Sort, Term, TermPool, Value};
use rustc_hash::FxHashSet;

use crate::background::ranges;
use crate::{Budget, Engine, Observer, Options, Outcome, Partial, Reason, Shape, Task};

/// How many runs there are, and how long they may be.
struct Limits {
    runs: usize,
    /// Steps of a run; more if the program has more locations.
    steps: usize,
    /// The first runs have simple inputs.
    simple: usize,
    /// Once there is a violation, so many more runs look for a shorter one.
    more: usize,
    /// The terms are counted that are evaluated.
    counted: bool,
}

const SHORT: Limits = Limits { runs: 1000, steps: 1000, simple: 200, more: 50, counted: true };
const LONG: Limits = Limits { runs: 2, steps: 2_000_000, simple: 1, more: 0, counted: false };
/// Terms that are evaluated in all short runs: some milliseconds. Programs with arrays and those that read
/// floating-point numbers are harder for the engines that come next, and have more.
const TERMS: usize = 50_000;
const TERMS_OF_ARRAYS: usize = 2_000_000;
const TERMS_OF_NUMBERS: usize = 20_000_000;
/// The time of long runs, and the steps that they have for each round of the longest loop.
const TIME: Duration = Duration::from_secs(6);
const STEPS_OF_A_ROUND: usize = 40;
/// Inputs that are drawn for one step.
const DRAWS: usize = 4;
/// After so many steps the time is looked at.
const CHECK: usize = 10_000;
/// A large program has at least so many times its own size: reading it took longer.
const TIMES_ITS_SIZE: usize = 10;
/// Constants of the program that are drawn, and which of them are small.
const CONSTANTS: usize = 100;
const SMALL: i32 = 10_000;

/// The engine.
pub(crate) enum Trials {
    /// Of programs with inputs.
    Short,
    /// Of programs with arrays that mention a number of rounds which is too large for short runs. They need
    /// not have inputs.
    Long,
}

impl Engine for Trials {
    fn name(&self) -> &'static str {
        "auto"
    }

    fn about(&self) -> &'static str {
        "runs with some inputs"
    }

    fn applies(&self, pool: &TermPool, program: &Program, _options: &Options) -> bool {
        let worth = match self {
            Trials::Short => program.edges.iter().any(|e| !e.inputs.is_empty()),
            Trials::Long => has_arrays(pool, program) && most_rounds(pool, program) > SHORT.steps / 10,
        };
        worth && program.edge_ids().any(|e| is_violation(program, e))
    }

    fn shape(&self, _pool: &TermPool, _program: &Program, _options: &Options) -> Shape {
        Shape::Source
    }

    fn run(&self, task: &Task<'_>, budget: &Budget, _observer: &mut dyn Observer) -> Outcome {
        let found = match self {
            _ if !self.applies(task.pool, task.program, task.options) => None,
            Trials::Short => search(task, budget, SHORT),
            Trials::Long => {
                let steps = STEPS_OF_A_ROUND * most_rounds(task.pool, task.program);
                let limits = Limits { steps: steps.min(LONG.steps), ..LONG };
                search(task, &budget.part(TIME).budget, limits)
            }
        };
        match found {
            Some(run) => Outcome::Unsafe(run),
            None => Outcome::Unknown(Reason::Incomplete("no run was found".to_owned()), Partial::default()),
        }
    }
}

/// Is there an array in a state of the program?
pub(crate) fn has_arrays(pool: &TermPool, program: &Program) -> bool {
    program.locs().any(|l| program.sorts(pool, l).any(|s| s.array_parts().is_some()))
}

/// The largest number that may be one of rounds, and of which long runs could see the end.
fn most_rounds(pool: &TermPool, program: &Program) -> usize {
    let mut most = 0;
    pool.visit(program.edges.iter().flat_map(|e| e.update.iter().copied().chain([e.guard])), |t| {
        let number = || pool.as_number(t).map(|n| n.to_integer());
        let rounds = pool.as_bitvec(t).cloned().or_else(number).and_then(|n| usize::try_from(&n).ok());
        most = rounds.filter(|n| *n < LONG.steps).map_or(most, |n| n.max(most));
    });
    most
}

/// Does an edge lead to the error location because a property is violated?
fn is_violation(program: &Program, e: EdgeId) -> bool {
    let edge = program.edge(e);
    edge.target == program.error && matches!(edge.origin.property, None | Some(Property::Violated(_)))
}

fn search(task: &Task<'_>, budget: &Budget, limits: Limits) -> Option<Run> {
    let (pool, program) = (task.pool, task.program);
    let mut outgoing = program.outgoing();
    let goes_on = |e: &EdgeId| program.edge(*e).target != program.error || is_violation(program, *e);
    outgoing.iter_mut().for_each(|edges| edges.retain(goes_on));
    let machine = Machine::new(pool, program, outgoing);
    let mut draw = Draw::new(task);
    let terms = match (limits.counted, draw.numbers.is_empty(), has_arrays(pool, program)) {
        (false, ..) => usize::MAX,
        (true, true, false) => TERMS,
        (true, true, true) => TERMS_OF_ARRAYS,
        (true, false, _) => TERMS_OF_NUMBERS,
    };
    let mut left = terms.max(TIMES_ITS_SIZE * machine.costs.iter().sum::<usize>());
    let mut found: Option<Run> = None;
    let mut more = limits.runs;
    for n in 0..limits.runs {
        draw.simple = n < limits.simple;
        if more == 0 || left == 0 || budget.check().is_err() {
            break;
        }
        more -= 1;
        if let Some(run) = machine.run(&mut draw, &mut left, limits.steps, budget)
            && found.as_ref().is_none_or(|known| run.steps.len() < known.steps.len())
        {
            more = found.map_or(limits.more, |_| more);
            found = Some(run);
        }
    }
    found
}

/// Executes the program. One assignment has the values of all variables, and an edge writes those that it
/// changes: of thousands of variables, most edges change one.
struct Machine<'a> {
    pool: &'a TermPool,
    program: &'a Program,
    outgoing: Vec<Vec<EdgeId>>,
    /// By edge: the variables of the target that it changes, and their new values.
    changes: Vec<Vec<(Term, Term)>>,
    /// By edge: the terms to evaluate.
    costs: Vec<usize>,
}

impl<'a> Machine<'a> {
    fn new(pool: &'a TermPool, program: &'a Program, outgoing: Vec<Vec<EdgeId>>) -> Machine<'a> {
        let changes: Vec<Vec<(Term, Term)>> = (program.edges.iter())
            .map(|edge| {
                let updates = program.vars(edge.target).iter().copied().zip(edge.update.iter().copied());
                updates.filter(|(v, u)| v != u).collect()
            })
            .collect();
        let cost = |(edge, changes): (&Edge, &Vec<(Term, Term)>)| {
            let mut cost = 1;
            pool.visit(changes.iter().map(|&(_, u)| u).chain([edge.guard]), |_| cost += 1);
            cost
        };
        let costs = program.edges.iter().zip(&changes).map(cost).collect();
        Machine { pool, program, outgoing, changes, costs }
    }

    /// A run to the error location, if this one gets there.
    fn run(&self, draw: &mut Draw<'_>, left: &mut usize, steps: usize, budget: &Budget) -> Option<Run> {
        let (pool, program) = (self.pool, self.program);
        let mut at = program.entry;
        // What has no value yet has the default.
        let mut state = Assignment::new();
        let initial = program.vars(at).iter().map(|v| Value::default_of(pool.sort(*v))).collect();
        let mut run = Run { initial, steps: Vec::new() };
        let most = steps.max(program.locations.len());
        while at != program.error && run.steps.len() < most {
            if run.steps.len() % CHECK == CHECK - 1 && budget.check().is_err() {
                return None;
            }
            let edges = &self.outgoing[at.index()];
            let first = if edges.is_empty() { 0 } else { draw.random.below(edges.len()) };
            let mut order = edges[first..].iter().chain(&edges[..first]).copied();
            let step = order.find_map(|e| self.step(e, &mut state, draw, left))?;
            at = program.edge(step.edge).target;
            run.steps.push(step);
        }
        (at == program.error).then_some(run)
    }

    /// Takes an edge if the state, and inputs that are drawn, allow it.
    fn step(&self, e: EdgeId, state: &mut Assignment, draw: &mut Draw<'_>, left: &mut usize) -> Option<Step> {
        let edge = self.program.edge(e);
        for _ in 0..if edge.inputs.is_empty() { 1 } else { DRAWS } {
            *left = left.saturating_sub(self.costs[e.index()]);
            if *left == 0 {
                return None;
            }
            let inputs = draw.inputs(&edge.inputs);
            edge.inputs.iter().zip(&inputs).for_each(|(&v, value)| state.set(v, value.clone()));
            let mut here = Evaluator::new(self.pool, state);
            if here.holds(edge.guard) {
                let changes = &self.changes[e.index()];
                let values: Vec<(Term, Value)> = changes.iter().map(|&(v, u)| (v, here.eval(u))).collect();
                values.into_iter().for_each(|(v, value)| state.set(v, value));
                return Some(Step { edge: e, inputs });
            }
        }
        None
    }
}

/// Draws inputs.
struct Draw<'a> {
    pool: &'a TermPool,
    /// The inputs and variables that are floating-point numbers.
    numbers: FxHashSet<Term>,
    /// What the program compares these with, of both formats, in ascending order.
    thresholds: [Vec<u64>; 2],
    /// Constants of the program, those in front being small.
    constants: Vec<Integer>,
    small: usize,
    random: Random,
    /// Small numbers only.
    simple: bool,
}

impl<'a> Draw<'a> {
    fn new(task: &Task<'a>) -> Draw<'a> {
        let pool = task.pool;
        let mut numbers = ranges::numbers(task);
        if !task.program.edges.iter().any(|e| e.inputs.iter().any(|v| numbers.contains(v))) {
            numbers.clear();
        }
        let mut constants = Vec::new();
        pool.visit(task.program.edges.iter().map(|e| e.guard), |t| {
            let number = || pool.as_number(t).map(|n| n.to_integer());
            if constants.len() < CONSTANTS {
                constants.extend(pool.as_bitvec(t).cloned().or_else(number));
            }
        });
        constants.sort_by_key(|c: &Integer| (c.abs(), c.clone()));
        constants.dedup();
        let small = constants.partition_point(|c| c.abs() < SMALL.into());
        let thresholds = [Format::BINARY32, Format::BINARY64].map(|f| ranges::thresholds(task, f));
        Draw { pool, numbers, thresholds, constants, small, random: Random::new(1), simple: true }
    }

    /// The constants, or the small ones.
    fn constants(&self, small: bool) -> &[Integer] {
        if small { &self.constants[..self.small] } else { &self.constants }
    }

    fn inputs(&mut self, of: &[Term]) -> Vec<Value> {
        of.iter().map(|&v| self.input(v)).collect()
    }

    fn input(&mut self, v: Term) -> Value {
        let sort = self.pool.sort(v);
        match *sort {
            Sort::BitVec(w @ (32 | 64)) if self.numbers.contains(&v) => {
                Value::BitVec(w, self.number(w).into())
            }
            Sort::BitVec(w) => Value::BitVec(w, palisade_term::eval::wrap(&self.integer(), w)),
            Sort::Int => Value::Int(self.integer()),
            Sort::Bool => Value::Bool(self.random.one_in(2)),
            _ => Value::default_of(sort),
        }
    }

    fn integer(&mut self) -> Integer {
        let near = self.random.below(5) as i64 - 1;
        match self.random.below(6) {
            0..3 => near.into(),
            3 | 4 if !self.constants(self.simple).is_empty() => {
                let place = self.random.below(self.constants(self.simple).len());
                self.constants(self.simple)[place].clone() + (near - 1)
            }
            _ if self.simple => near.into(),
            _ => (self.random.bits() as i32).into(),
        }
    }

    /// The bits of a floating-point number of this width.
    fn number(&mut self, width: u32) -> u64 {
        let known = &self.thresholds[usize::from(width == 64)];
        let (one, other) = match known.len() {
            0 => (None, None),
            n => (Some(known[self.random.below(n)]), Some(known[self.random.below(n)])),
        };
        if let (Some(one), true) = (one, self.random.one_in(4)) {
            let near = one.wrapping_add(self.random.below(3) as u64).wrapping_sub(1);
            return near & (u64::MAX >> (64 - width));
        }
        let share = (self.random.bits() >> 11) as f64 / (1_u64 << 53) as f64;
        let number = |bits: Option<u64>, default: f64| match (bits, width) {
            (None, _) => default,
            (Some(bits), 64) => f64::from_bits(bits),
            (Some(bits), _) => f64::from(f32::from_bits(bits as u32)),
        };
        let (one, other) = (number(one, -1.0), number(other, 1.0));
        let drawn = one + (other - one) * share;
        if width == 64 { drawn.to_bits() } else { u64::from((drawn as f32).to_bits()) }
    }
}
