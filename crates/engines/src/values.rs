//! `values`: explicit values. Runs the program on the values that are known and lets the others be anything.
//!
//! A state says of each variable which value it has, or nothing; of an array it may know some cells. From a
//! state, every edge is followed whose guard is not false there, and the states that come up are collected.
//! When no new one does and no edge into the error location can be taken, the proof of a location is the
//! disjunction of its states. So programs that compute with constants (a checksum of a fixed message, a
//! product of fixed matrices) are proved by running them, whatever their operations are, where a solver would
//! have to multiply symbols. Beyer, Löwe, "Explicit-State Software Model Checking Based on CEGAR and
//! Interpolation", FASE 2013, refines what is known; here everything that is a constant is known, and there
//! is no refinement.
//!
//! Invariants of a state: each variable is mapped to a constant, to itself (unknown), or, for an array, to
//! writes of constants over itself or over a constant array.
//!
//! Where the known values lead into the error location, the program is executed ([`crate::walk`]): often that
//! is a counterexample.
//!
//! Limits: a bound on the states, since their disjunction has to be checked.
//!
//! Entry points: [`Values`], [`prove`].

use std::collections::BTreeMap;

use palisade_options::options;
use palisade_program::{Edge, EdgeId, Invariants, Loc, Program};
use palisade_smt::Answer;
use palisade_term::{Op, Sort, Substitution, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::walk::walk;
use crate::{Budget, Engine, Event, Observer, Options, Outcome, Partial, Reason, Shape, Task};

/// Solver steps for an edge into the error location whose guard is not decided by the known values.
const MAX_STEPS: u64 = 20_000;

options! {
    /// Explicit values.
    pub struct ValuesOptions in "values" {
        /// give up after this many states of one location: its part of a proof is their disjunction
        pub states: u64 = 3000,
    }
}

/// The effort of executing a program whose known values lead into the error location.
const WALK: usize = 50_000;
/// Cells of an array from which on one formula about all of it is smaller than one for each.
const MANY: usize = 32;

/// The engine.
pub struct Values {
    /// Limits other than the options say.
    pub limits: Option<Limits>,
}

impl Engine for Values {
    fn name(&self) -> &'static str {
        "values"
    }

    fn about(&self) -> &'static str {
        "explicit values: proves programs that compute with constants, by running them"
    }

    /// Every location has its states: what lies within a large block would need a formula made from them.
    fn shape(&self, _: &TermPool, _: &Program, _: &Options) -> Shape {
        Shape::Source
    }

    fn run(&self, task: &Task<'_>, budget: &Budget, observer: &mut dyn Observer) -> Outcome {
        let limits = self.limits.unwrap_or_else(|| Limits::of(&task.options.values));
        match explore(task, budget, limits, observer) {
            Ok(invariants) => Outcome::Safe(invariants),
            Err(Failure::Reached(reason)) => match walk(task, budget, WALK) {
                Some(run) => Outcome::Unsafe(run),
                None => Outcome::Unknown(reason, Partial::default()),
            },
            Err(Failure::Open(reason)) => Outcome::Unknown(reason, Partial::default()),
        }
    }
}

/// How many states may be collected.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// In all.
    pub states: usize,
    /// At one location.
    pub per_location: usize,
    /// Once the known values have left some branch open; more if a quarter of the locations are more.
    pub branching: usize,
}

impl Limits {
    /// The limits that the options set.
    pub fn of(options: &ValuesOptions) -> Limits {
        let per_location = usize::try_from(options.states).unwrap_or(usize::MAX);
        Limits { states: usize::MAX, per_location, branching: usize::MAX }
    }
}

/// The proof, or why there is none.
pub fn prove(
    task: &Task<'_>,
    budget: &Budget,
    limits: Limits,
    observer: &mut dyn Observer,
) -> Result<Invariants, Reason> {
    explore(task, budget, limits, observer).map_err(|(Failure::Reached(why) | Failure::Open(why))| why)
}

/// Why there is no proof.
enum Failure {
    /// The known values take an edge into the error location.
    Reached(Reason),
    /// Something else.
    Open(Reason),
}

fn explore(
    task: &Task<'_>,
    budget: &Budget,
    limits: Limits,
    observer: &mut dyn Observer,
) -> Result<Invariants, Failure> {
    match Exploration::new(task, budget, limits, false).run(observer) {
        // Cells that nobody wrote may matter after all.
        Err(Failure::Open(Reason::Incomplete(_))) => {
            Exploration::new(task, budget, limits, true).run(observer)
        }
        other => other,
    }
}

/// The value of each variable of a location; see the head of the module.
type State = Vec<Term>;

struct Exploration<'t, 'a> {
    task: &'t Task<'a>,
    budget: &'t Budget,
    limits: Limits,
    /// Is it known that an array is constant where nobody wrote? Formulas about whole arrays cost more.
    whole_arrays: bool,
    seen: Vec<FxHashSet<State>>,
    /// What is kept of arrays, by variable and value: most steps change none.
    arrays: FxHashMap<(Term, Term), Term>,
    todo: Vec<(Loc, State)>,
    /// States collected.
    count: usize,
    /// Has more than one edge been followed from a state?
    branched: bool,
}

impl<'t, 'a> Exploration<'t, 'a> {
    fn new(task: &'t Task<'a>, budget: &'t Budget, limits: Limits, whole_arrays: bool) -> Self {
        let seen = task.program.locs().map(|_| FxHashSet::default()).collect();
        let (arrays, todo) = Default::default();
        let branching = limits.branching.max(task.program.locations.len() / 4);
        let limits = Limits { branching, ..limits };
        Exploration { task, budget, limits, whole_arrays, seen, arrays, todo, count: 0, branched: false }
    }

    fn run(mut self, observer: &mut dyn Observer) -> Result<Invariants, Failure> {
        let program = self.task.program;
        let outgoing = program.outgoing();
        self.add(program.entry, program.vars(program.entry).to_vec());
        while let Some((l, state)) = self.todo.pop() {
            self.budget.check().map_err(|stop| Failure::Open(Reason::Stopped(stop)))?;
            let limit = if self.branched { self.limits.branching } else { self.limits.states };
            let here = self.seen[l.index()].len();
            if self.count > limit || here > self.limits.per_location {
                let name = &program.location(l).name;
                let why = format!("{here} states of known values at {name} are too many");
                return Err(Failure::Open(Reason::Incomplete(why)));
            }
            let mut successors = Vec::new();
            for &e in &outgoing[l.index()] {
                successors.extend(self.follow(e, &state)?.map(|s| (program.edge(e).target, s)));
            }
            self.branched |= successors.len() > 1;
            for (target, next) in successors {
                self.add(target, next);
            }
        }
        observer.event(Event::Counter("states of values", self.count as u64));
        Ok(self.invariants())
    }

    fn add(&mut self, l: Loc, state: State) {
        if self.seen[l.index()].insert(state.clone()) {
            self.count += 1;
            self.todo.push((l, state));
        }
    }

    /// The state after an edge, if it may be taken.
    fn follow(&mut self, e: EdgeId, state: &State) -> Result<Option<State>, Failure> {
        let (pool, program) = (self.task.pool, self.task.program);
        let edge = program.edge(e);
        let mut known: FxHashMap<Term, Term> =
            program.vars(edge.source).iter().copied().zip(state.iter().copied()).collect();
        let guard = Substitution::new(pool, &known).apply(edge.guard);
        if guard == pool.fls() {
            return Ok(None);
        }
        if edge.target == program.error {
            return self.excluded(edge, guard).map(|()| None);
        }
        learn(pool, guard, &mut known);
        let mut moved = Substitution::new(pool, &known);
        let targets = program.vars(edge.target).iter().zip(&edge.update);
        Ok(Some(targets.map(|(&v, &u)| self.kept(v, moved.apply(u))).collect()))
    }

    /// Fails unless the guard of an edge into the error location cannot hold.
    fn excluded(&self, edge: &Edge, guard: Term) -> Result<(), Failure> {
        let name = &self.task.program.location(edge.source).name;
        if guard == self.task.pool.tru() {
            let why = format!("the known values lead into the error at {name}");
            return Err(Failure::Reached(Reason::Incomplete(why)));
        }
        let mut solver = self.task.solver(self.budget, Some(MAX_STEPS));
        solver.assert(guard);
        match solver.check(&[]) {
            Answer::Unsat(_) => Ok(()),
            _ => {
                let why = format!("the known values do not exclude the error at {name}");
                Err(Failure::Open(Reason::Incomplete(why)))
            }
        }
    }

    /// What is kept of a value: of `v`, which is `value` now.
    fn kept(&mut self, v: Term, value: Term) -> Term {
        let pool = self.task.pool;
        if !matches!(pool.sort(value), Sort::Array(_)) {
            return if pool.is_const(value) { value } else { v };
        }
        if let Some(&kept) = self.arrays.get(&(v, value)) {
            return kept;
        }
        let kept = self.kept_of_array(v, value);
        self.arrays.insert((v, value), kept);
        kept
    }

    fn kept_of_array(&self, v: Term, value: Term) -> Term {
        let pool = self.task.pool;
        // The outermost write of a cell counts. An index that is not known may be any.
        let (mut cells, mut base) = (BTreeMap::new(), value);
        while let Op::Store = pool.op(base) {
            let [inner, index, element] = pool.args(base) else { unreachable!("a write has three parts") };
            if !pool.is_const(*index) {
                base = v;
                break;
            }
            cells.entry(*index).or_insert(*element);
            base = *inner;
        }
        let constant = pool.is_const(base) && (self.whole_arrays || cells.len() > MANY);
        let base = if constant { base } else { v };
        cells.into_iter().fold(base, |array, (index, element)| match pool.is_const(element) {
            true => pool.store(array, index, element),
            false if constant => pool.store(array, index, pool.select(v, index)),
            false => array,
        })
    }

    fn invariants(&self) -> Invariants {
        let (pool, program) = (self.task.pool, self.task.program);
        let mut out = Invariants::trivial(pool, program);
        for l in program.locs() {
            let mut formulas: Vec<Term> = (self.seen[l.index()].iter())
                .map(|state| {
                    pool.and(program.vars(l).iter().zip(state).flat_map(|(&v, &t)| facts(pool, v, t)))
                })
                .collect();
            formulas.sort_unstable();
            out.set(l, pool.or(formulas));
        }
        out
    }
}

/// Values of variables that a guard fixes.
fn learn(pool: &TermPool, guard: Term, known: &mut FxHashMap<Term, Term>) {
    let conjuncts = if *pool.op(guard) == Op::And { pool.args(guard).to_vec() } else { vec![guard] };
    for fact in conjuncts {
        let (a, b) = match pool.op(fact) {
            Op::Eq => (pool.args(fact)[0], pool.args(fact)[1]),
            Op::Not => (pool.args(fact)[0], pool.fls()),
            _ => (fact, pool.tru()),
        };
        for (variable, value) in [(a, b), (b, a)] {
            if pool.is_const(value) && known.get(&variable) == Some(&variable) {
                known.insert(variable, value);
            }
        }
    }
}

/// What a state says of a variable.
fn facts(pool: &TermPool, v: Term, value: Term) -> Vec<Term> {
    let (mut writes, mut base) = (Vec::new(), value);
    while let (Op::Store, [array, index, element]) = (pool.op(base), pool.args(base)) {
        writes.push((*index, *element));
        base = *array;
    }
    if base != v {
        return vec![pool.eq(v, value)];
    }
    writes.into_iter().map(|(index, element)| pool.eq(pool.select(v, index), element)).collect()
}
