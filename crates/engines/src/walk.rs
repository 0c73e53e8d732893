//! Walks: concrete executions in search of long counterexamples.
//!
//! A backward engine needs a frontier for every step of a counterexample; an error behind a loop of a
//! thousand rounds is found sooner by running the program. A walk starts at the entry and takes, at every
//! location, an edge that the state enables: the error's first, then the one taken least often so far. Inputs
//! are guessed from small numbers and the constants of the guard; where guesses fail, a solver is asked for
//! them with the state fixed. A dead end starts a new walk.
//!
//! Everything found is an execution, so a run that ends at the error location is a counterexample. A search
//! that finds none says nothing. Entry points: [`walk`]; [`visit`] and [`wander`] for the states on the way.

use num_integer::Integer as _;
use num_traits::One;
use palisade_program::{EdgeId, Loc, Run, State, Step, take};
use palisade_random::Random;
use palisade_smt::{Answer, Solver};
use palisade_term::{ArrayValue, Assignment, Integer, Op, Rational, Sort, Term, TermPool, Value};

use crate::{Budget, Task};

/// Guesses of inputs before the solver is asked.
const GUESSES: usize = 3;
/// Solver steps for the inputs of one step.
const MAX_STEPS: u64 = 20_000;
/// The effort of a query, in evaluations of the same guard; and the size of a guard whose evaluation is one
/// unit.
const QUERY_EFFORT: usize = 30;
const UNIT_SIZE: usize = 64;
/// Walks that end early: after so many, more of them will not differ.
const MAX_WALKS: usize = 50;
/// Queries for the inputs of one step when they are varied.
const MAX_DROPS: usize = 6;
/// What integers in memory are that nobody has written, in [`wander`]: no value that a program computes.
pub const GARBAGE: i64 = -77_077_077;
/// Guesses of inputs of one edge in [`wander`]; it does not ask the solver.
const MORE_GUESSES: usize = 8;
/// In how many of a hundred cases a walk in [`wander`] stays in the loop that it is in.
const PERSISTENCE: [usize; 4] = [50, 75, 90, 30];

/// An execution to the error location, if one is found with about as much effort as this many steps along
/// small edges without inputs take.
pub fn walk(task: &Task<'_>, budget: &Budget, effort: usize) -> Option<Run> {
    let mut walker = Walker::new(task, budget, effort);
    for _ in 0..MAX_WALKS {
        if let Some(run) = walker.search() {
            return Some(run);
        }
        if walker.left == 0 || !walker.chose {
            return None; // without a choice the next walk is the same
        }
    }
    None
}

/// Shows states that executions reach, in walks of at most `steps` steps. Inputs that only a solver finds are
/// varied, too: the guesses that the guard allows are kept.
pub fn visit(
    task: &Task<'_>,
    budget: &Budget,
    walks: usize,
    steps: usize,
    seen: &mut dyn FnMut(Loc, &State),
) {
    let mut walker = Walker::new(task, budget, usize::MAX);
    walker.vary = true;
    for _ in 0..walks {
        if walker.at_most(steps, &mut |step| seen(step.at, step.state)).is_some() || !walker.chose {
            return;
        }
    }
}

/// A step of a walk.
pub struct Taken<'s> {
    /// The edge.
    pub edge: EdgeId,
    /// The values before, and those of the inputs.
    pub before: &'s State,
    /// The inputs.
    pub inputs: &'s [Value],
    /// Where it leads.
    pub at: Loc,
    /// The state there.
    pub state: &'s State,
}

/// Shows the steps of executions that go through loops a random number of times. Memory that nobody has
/// written holds [`GARBAGE`].
pub fn wander(
    task: &Task<'_>,
    budget: &Budget,
    walks: usize,
    steps: usize,
    seen: &mut dyn FnMut(&Taken<'_>),
) {
    let mut walker = Walker::new(task, budget, usize::MAX);
    walker.wanders = true;
    for i in 0..walks {
        walker.persistence = PERSISTENCE[i % PERSISTENCE.len()];
        let _ = walker.at_most(steps, seen);
        if !walker.chose {
            return;
        }
    }
}

/// What a walk knows of an edge.
struct EdgeInfo<'a> {
    /// The variables of the source that the guard mentions.
    state: Vec<Term>,
    /// Numbers worth guessing.
    constants: Vec<Rational>,
    solver: Option<Box<dyn Solver + 'a>>,
    /// The effort of evaluating the guard.
    effort: usize,
    taken: u64,
}

struct Walker<'t, 'a> {
    task: &'t Task<'a>,
    budget: &'t Budget,
    outgoing: Vec<Vec<EdgeId>>,
    edges: Vec<EdgeInfo<'a>>,
    random: Random,
    /// Effort that may still be spent.
    left: usize,
    /// Was there more than one way to go on?
    chose: bool,
    /// Vary the inputs that a solver finds.
    vary: bool,
    /// Take edges at random: in so many of a hundred cases one that stays at the location comes first.
    wanders: bool,
    persistence: usize,
}

impl<'t, 'a> Walker<'t, 'a> {
    fn new(task: &'t Task<'a>, budget: &'t Budget, effort: usize) -> Walker<'t, 'a> {
        let (pool, program) = (task.pool, task.program);
        let edges = program.edge_ids().map(|e| {
            let guard = program.edge(e).guard;
            let variables = pool.free_vars(guard);
            let mut constants = Vec::new();
            pool.visit([guard], |t| constants.extend(number(pool, t)));
            constants.sort();
            constants.dedup();
            let state = program.vars(program.edge(e).source).iter().copied();
            EdgeInfo {
                state: state.filter(|v| variables.contains(v)).collect(),
                constants,
                solver: None,
                effort: 1 + pool.dag_size(guard) / UNIT_SIZE,
                taken: 0,
            }
        });
        Walker {
            task,
            budget,
            outgoing: program.outgoing(),
            edges: edges.collect(),
            random: Random::new(1),
            left: effort,
            chose: false,
            vary: false,
            wanders: false,
            persistence: 0,
        }
    }

    /// Walks once, to the error, a dead end or the end of the allowance.
    fn search(&mut self) -> Option<Run> {
        self.at_most(usize::MAX, &mut |_| {})
    }

    /// The same, with so many steps. Shows every state.
    fn at_most(&mut self, steps: usize, seen: &mut dyn FnMut(&Taken<'_>)) -> Option<Run> {
        let (pool, program) = (self.task.pool, self.task.program);
        let mut at = program.entry;
        let mut state: State = program.vars(at).iter().map(|v| Value::default_of(pool.sort(*v))).collect();
        let mut run = Run { initial: state.clone(), steps: Vec::new() };
        while run.steps.len() < steps && self.left > 0 && self.budget.check().is_ok() {
            let mut order = self.outgoing[at.index()].clone();
            self.sort(&mut order);
            let found = order.into_iter().find_map(|e| self.inputs(e, &state).map(|inputs| (e, inputs)));
            let (e, inputs) = found?;
            let next = take(pool, program, &state, e, &inputs)?;
            let before = std::mem::replace(&mut state, next);
            self.edges[e.index()].taken += 1;
            at = program.edge(e).target;
            if at == program.error {
                run.steps.push(Step { edge: e, inputs });
                return Some(run);
            }
            seen(&Taken { edge: e, before: &before, inputs: &inputs, at, state: &state });
            run.steps.push(Step { edge: e, inputs });
        }
        None
    }

    /// Which edges of a location are tried first.
    fn sort(&mut self, edges: &mut [EdgeId]) {
        let program = self.task.program;
        if self.wanders {
            self.chose |= edges.len() > 1;
            let stays = self.random.chance(self.persistence);
            let random = &mut self.random;
            edges.sort_by_cached_key(|&e| {
                let edge = program.edge(e);
                (edge.target == program.error, (edge.source == edge.target) != stays, random.bits())
            });
        } else {
            edges.sort_by_key(|&e| (program.edge(e).target != program.error, self.edges[e.index()].taken, e));
        }
    }

    /// Inputs that take the edge from the state.
    fn inputs(&mut self, e: EdgeId, state: &State) -> Option<Vec<Value>> {
        let (pool, program) = (self.task.pool, self.task.program);
        let inputs = &program.edge(e).inputs;
        let effort = self.edges[e.index()].effort;
        self.left = self.left.saturating_sub(effort);
        if inputs.is_empty() {
            return take(pool, program, state, e, &[]).map(|_| Vec::new());
        }
        self.chose = true;
        for _ in 0..if self.wanders { MORE_GUESSES } else { GUESSES } {
            let guess: Vec<Value> = inputs.iter().map(|&i| self.guess(e, pool.sort(i))).collect();
            if take(pool, program, state, e, &guess).is_some() {
                return Some(guess);
            }
        }
        if self.wanders {
            return None;
        }
        self.left = self.left.saturating_sub(effort * QUERY_EFFORT);
        self.solve(e, state)
    }

    fn guess(&mut self, e: EdgeId, sort: &Sort) -> Value {
        let constants = self.edges[e.index()].constants.len();
        let number = match self.random.below(6) {
            0 | 1 => Rational::from_integer(0.into()),
            2 => Rational::from_integer(1.into()),
            3 if constants > 0 => {
                let at = self.random.below(constants);
                self.edges[e.index()].constants[at].clone()
            }
            _ => {
                let spread = 1 << self.random.below(12);
                Rational::from_integer((self.random.below(2 * spread + 1) as i64 - spread as i64).into())
            }
        };
        match sort {
            Sort::Bool => Value::Bool(self.random.below(2) == 1),
            Sort::Int => Value::Int(number.to_integer()),
            Sort::Real => Value::Real(number),
            Sort::BitVec(w) => Value::BitVec(*w, number.to_integer().mod_floor(&(Integer::one() << *w))),
            Sort::Array(parts) if self.wanders && parts.1 == Sort::Int => {
                let (index_sort, default) = (parts.0.clone(), Value::Int(GARBAGE.into()));
                Value::Array(Box::new(ArrayValue { index_sort, default, entries: Default::default() }))
            }
            other => Value::default_of(other),
        }
    }

    /// Inputs from a solver, with the state fixed. Guards over arrays are left to guesses: a large array is a
    /// large formula.
    fn solve(&mut self, e: EdgeId, state: &State) -> Option<Vec<Value>> {
        let (pool, program) = (self.task.pool, self.task.program);
        let edge = program.edge(e);
        let info = &mut self.edges[e.index()];
        if info.state.iter().any(|v| matches!(pool.sort(*v), Sort::Array(..))) {
            return None;
        }
        let values: Assignment =
            program.vars(edge.source).iter().copied().zip(state.iter().cloned()).collect();
        let fixed: Vec<Term> =
            info.state.iter().map(|&v| pool.eq(v, pool.eval(v, &values).to_term(pool))).collect();
        let wishes: Vec<Term> = if self.vary {
            let guess = |&i: &Term| pool.eq(i, self.guess(e, pool.sort(i)).to_term(pool));
            edge.inputs.iter().map(guess).collect()
        } else {
            Vec::new()
        };
        let info = &mut self.edges[e.index()];
        let solver = info.solver.get_or_insert_with(|| {
            let mut solver = self.task.solver(self.budget, Some(MAX_STEPS));
            solver.assert(edge.guard);
            solver
        });
        let model = granted(&mut **solver, &fixed, wishes)?;
        let get = |v: &Term| model.get(*v).cloned().unwrap_or_else(|| Value::default_of(pool.sort(*v)));
        let inputs: Vec<Value> = edge.inputs.iter().map(get).collect();
        take(pool, program, state, e, &inputs).map(|_| inputs)
    }
}

/// A model of the formulas that grants as many of the wishes as a few queries find.
fn granted(solver: &mut dyn Solver, formulas: &[Term], mut wishes: Vec<Term>) -> Option<Assignment> {
    for _ in 0..MAX_DROPS {
        let asked: Vec<Term> = formulas.iter().chain(&wishes).copied().collect();
        match solver.check(&asked) {
            Answer::Sat(model) => return Some(model),
            Answer::Unsat(core) => {
                let before = wishes.len();
                wishes.retain(|w| !core.contains(w));
                if wishes.len() == before {
                    return None;
                }
            }
            Answer::Unknown(_) => break,
        }
    }
    match solver.check(formulas) {
        Answer::Sat(model) => Some(model),
        Answer::Unsat(_) | Answer::Unknown(_) => None,
    }
}

/// The number that a constant stands for.
fn number(pool: &TermPool, t: Term) -> Option<Rational> {
    match pool.op(t) {
        Op::BitVec(value) => Some(Rational::from_integer(value.clone())),
        _ => pool.as_number(t),
    }
}
