//! Unrolling a program into one growing formula: the part that bounded model checking and k-induction share.
//!
//! Layer `k` describes the states after `k` edges. For every location that the graph can reach in exactly `k`
//! edges there is a [`Cell`]: a Boolean "the run is here" and a term for each variable. The constraints run
//! backwards only: being at a cell implies that one of its incoming edges was taken, and a taken edge implies
//! its source cell, its guard and its updates. So assuming one cell of the last layer asks exactly for the
//! runs that end there, and nothing forces the solver to decide anything about other cells.
//!
//! Terms are propagated, not only named: a variable whose value is the same along all incoming edges, and is
//! a constant or linear in one variable, keeps that term. Straight-line code and loop counters need no new
//! variables, and edges whose guards become false disappear.
//!
//! Invariant: along any one run, a step variable `x@k` has one meaning. At layer `k` it is the state variable
//! `x` of the run's location, or the input `x` of the edge that leaves it (an edge's inputs are never among
//! its source's variables).

use palisade_program::{EdgeId, Loc, Program, Run, Step};
use palisade_smt::{Answer, Solver, Stats};
use palisade_term::eval::Evaluator;
use palisade_term::{Assignment, Op, Sort, Term, TermPool};
use rustc_hash::FxHashMap;

use crate::{Budget, Task};

/// A location at a depth.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    /// The run is here at this depth.
    pub at: Term,
    /// The values of the location's variables.
    pub state: Vec<Term>,
    /// The ways in (none in the first layer).
    arrivals: Vec<Arrival>,
}

/// An edge taken into a cell.
#[derive(Clone, Debug)]
struct Arrival {
    edge: EdgeId,
    taken: Term,
    inputs: Vec<Term>,
}

/// An edge of the last layer, with its terms moved to that depth.
struct Way {
    edge: EdgeId,
    source_at: Term,
    guard: Term,
    update: Vec<Term>,
    inputs: Vec<Term>,
}

/// Where the runs of an unrolling begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Start {
    /// At the entry: real runs.
    Entry,
    /// At any location but entry and error, in any state: the paths of an induction step.
    Anywhere,
}

/// A program unrolled to some depth, with the solver that holds the constraints.
pub(crate) struct Unrolling<'a> {
    pool: &'a TermPool,
    program: &'a Program,
    solver: Box<dyn Solver + 'a>,
    incoming: Vec<Vec<EdgeId>>,
    /// One Boolean per location and per edge; their step versions mark the cells and arrivals.
    at_marks: Vec<Term>,
    taken_marks: Vec<Term>,
    layers: Vec<Vec<Option<Cell>>>,
}

impl<'a> Unrolling<'a> {
    /// An unrolling of depth 0.
    pub fn new(task: &Task<'a>, budget: &Budget, start: Start) -> Self {
        let (pool, program) = (task.pool, task.program);
        let solver = task.solver(budget, None);
        let at_marks: Vec<Term> = program.locs().map(|_| pool.fresh_var("at", Sort::Bool)).collect();
        let taken_marks: Vec<Term> =
            program.edge_ids().map(|_| pool.fresh_var("taken", Sort::Bool)).collect();
        let begins = |l: Loc| match start {
            Start::Entry => l == program.entry,
            Start::Anywhere => l != program.entry && l != program.error,
        };
        let first = program
            .locs()
            .map(|l| {
                begins(l).then(|| Cell {
                    at: pool.at_step(at_marks[l.index()], 0),
                    state: program.vars(l).iter().map(|&v| pool.at_step(v, 0)).collect(),
                    arrivals: Vec::new(),
                })
            })
            .collect();
        let incoming = program.incoming();
        Unrolling { pool, program, solver, incoming, at_marks, taken_marks, layers: vec![first] }
    }

    /// The number of edges of the longest runs described.
    pub fn depth(&self) -> u32 {
        u32::try_from(self.layers.len() - 1).expect("fewer than 2^32 layers")
    }

    /// The cell of a location at a depth, when the graph can reach it.
    pub fn cell(&self, l: Loc, depth: u32) -> Option<&Cell> {
        self.layers[depth as usize][l.index()].as_ref()
    }

    /// Counters of the solver.
    pub fn stats(&self) -> Stats {
        self.solver.stats()
    }

    /// Adds one layer.
    pub fn extend(&mut self) {
        let next = self.program.locs().map(|m| self.arrive(m)).collect();
        self.layers.push(next);
    }

    /// The cell of `m` in the layer after the last, its constraints asserted.
    fn arrive(&mut self, m: Loc) -> Option<Cell> {
        let pool = self.pool;
        let depth = self.depth() + 1;
        let ways: Vec<Way> = self.incoming[m.index()].iter().filter_map(|&e| self.leave(e)).collect();
        if ways.is_empty() {
            return None;
        }
        let at = pool.at_step(self.at_marks[m.index()], depth);
        // Variables keep a term that every way in agrees on, when it is simple; others are named.
        let state: Vec<Term> = (self.program.vars(m).iter().enumerate())
            .map(|(i, &v)| {
                let value = ways[0].update[i];
                let keep = ways.iter().all(|w| w.update[i] == value) && is_simple(pool, value);
                if keep { value } else { pool.at_step(v, depth) }
            })
            .collect();
        let single = ways.len() == 1;
        let mut arrivals = Vec::with_capacity(ways.len());
        for way in ways {
            let taken = if single { at } else { pool.at_step(self.taken_marks[way.edge.index()], depth) };
            let mut facts = vec![way.source_at, way.guard];
            facts.extend(state.iter().zip(&way.update).map(|(&x, &u)| pool.eq(x, u)));
            for fact in facts.into_iter().filter(|&f| f != pool.tru()) {
                self.solver.assert(pool.implies(taken, fact));
            }
            arrivals.push(Arrival { edge: way.edge, taken, inputs: way.inputs });
        }
        if !single {
            self.solver.assert(pool.implies(at, pool.or(arrivals.iter().map(|a| a.taken))));
        }
        Some(Cell { at, state, arrivals })
    }

    /// An edge as it leaves the last layer; `None` when it cannot.
    fn leave(&self, e: EdgeId) -> Option<Way> {
        let (pool, edge) = (self.pool, self.program.edge(e));
        let depth = self.depth();
        let cell = self.cell(edge.source, depth)?;
        let inputs: Vec<Term> = edge.inputs.iter().map(|&i| pool.at_step(i, depth)).collect();
        let map: FxHashMap<Term, Term> = (self.program.vars(edge.source).iter().zip(&cell.state))
            .chain(edge.inputs.iter().zip(&inputs))
            .map(|(&v, &t)| (v, t))
            .collect();
        let mut moved = palisade_term::Substitution::new(pool, &map);
        let guard = moved.apply(edge.guard);
        if guard == pool.fls() {
            return None;
        }
        let update = edge.update.iter().map(|&u| moved.apply(u)).collect();
        Some(Way { edge: e, source_at: cell.at, guard, update, inputs })
    }

    /// Asserts that whenever the run is at `l` at a depth, `formula` (over the variables of `l`) holds there.
    pub fn constrain(&mut self, l: Loc, depth: u32, formula: Term) {
        let Some(cell) = self.cell(l, depth) else { return };
        let map: FxHashMap<Term, Term> =
            self.program.vars(l).iter().copied().zip(cell.state.iter().copied()).collect();
        let here = self.pool.substitute(formula, &map);
        let fact = self.pool.implies(cell.at, here);
        self.solver.assert(fact);
    }

    /// Asserts a formula over step variables.
    pub fn assert(&mut self, formula: Term) {
        self.solver.assert(formula);
    }

    /// Is there a run of exactly the current depth that ends in the error location?
    pub fn check_error(&mut self) -> Answer {
        match self.cell(self.program.error, self.depth()) {
            Some(cell) => {
                let at = cell.at;
                self.solver.check(&[at])
            }
            None => Answer::Unsat(Vec::new()),
        }
    }

    /// Does the graph allow no run of the current depth, but those that end in the error location?
    pub fn is_dead(&self) -> bool {
        let last = &self.layers[self.depth() as usize];
        self.program.locs().all(|l| l == self.program.error || last[l.index()].is_none())
    }

    /// Is there a run of exactly the current depth at all (that has not reached the error location)?
    pub fn check_alive(&mut self) -> Answer {
        let depth = self.depth();
        let live = self.program.locs().filter(|&l| l != self.program.error);
        let any = self.pool.or(live.filter_map(|l| self.cell(l, depth)).map(|c| c.at));
        self.solver.check(&[any])
    }

    /// The path that a model of [`Unrolling::check_error`] takes: the location at each depth, and the steps
    /// between them.
    pub fn path(&self, model: &Assignment) -> Option<(Vec<Loc>, Vec<Step>)> {
        let mut ev = Evaluator::new(self.pool, model);
        let (mut here, mut steps) = (self.program.error, Vec::new());
        let mut locs = vec![here];
        for depth in (1..self.layers.len()).rev() {
            let cell = self.layers[depth][here.index()].as_ref()?;
            let arrival = cell.arrivals.iter().find(|a| ev.holds(a.taken))?;
            steps.push(Step {
                edge: arrival.edge,
                inputs: arrival.inputs.iter().map(|&i| ev.eval(i)).collect(),
            });
            here = self.program.edge(arrival.edge).source;
            locs.push(here);
        }
        steps.reverse();
        locs.reverse();
        Some((locs, steps))
    }

    /// The concrete run of a model of [`Unrolling::check_error`] for an unrolling from the entry.
    pub fn run(&self, model: &Assignment) -> Option<Run> {
        let (locs, steps) = self.path(model)?;
        let first = self.cell(locs[0], 0)?;
        let mut ev = Evaluator::new(self.pool, model);
        Some(Run { initial: first.state.iter().map(|&x| ev.eval(x)).collect(), steps })
    }
}

/// Constants, variables, linear terms in one variable and writes of constants are cheaper to repeat than to
/// name.
fn is_simple(pool: &TermPool, mut t: Term) -> bool {
    while let (Op::Store, [array, index, element]) = (pool.op(t), pool.args(t)) {
        if !pool.is_const(*index) || !pool.is_const(*element) {
            return false;
        }
        t = *array;
    }
    if pool.is_const(t) || pool.is_var(t) {
        return true;
    }
    pool.sort(t).is_arith() && {
        let l = pool.linear(t);
        l.coeffs.len() <= 1 && l.coeffs.iter().all(|(m, _)| pool.is_var(*m))
    }
}
