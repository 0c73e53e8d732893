//! Unwinding loop by loop: Clarke, Kroening, Lerda, "A Tool for Checking ANSI-C Programs", TACAS 2004.
//!
//! The program is run once, with terms for values, in the order of its loops ([`Nest`]): every round of a
//! loop has its own copies of the loop's locations, and what leaves the loop in whatever round is brought
//! together before the program goes on. So the code behind a loop that has up to sixteen rounds is there
//! once, where unrolling by the number of steps (`unroll.rs`) would have it sixteen times.
//!
//! A loop is left when its guard is false for the constants that come to it, or when the solver says that
//! nothing comes to its head again. If all loops end so, the whole program is one formula: either a model of
//! "an edge into the error location is taken" is a run, or there is none and the number of rounds is the
//! proof, which its checker repeats ([`Outcome::Ends`]). A loop that goes on for too long is cut; then only
//! the runs count. Locations from which no edges lead to the error location are left out.
//!
//! # Encoding
//! A copy of a location is a [`Cell`]: a Boolean for "a run comes here" and a term for each variable. Where
//! ways meet, words and Booleans are chosen by the ways that are taken, first come, first served, and so are
//! the cells of arrays that differ at constant indices only; everything else gets a variable that equals the
//! value of each way that is taken. Edges that leave a cell exclude each other
//! by their guards; those that do not have a Boolean that chooses them. So in every model there is a run to
//! each cell whose Boolean is true (go back along the first way that is taken), and every run gives a model.
//!
//! # Limits
//! Counterexamples are not the shortest. Loops without a small bound are another engine's business.
//!
//! Entry point: [`unwind`].

use palisade_program::{EdgeId, Loc, Nest, Program, Run, Step, Walker, interpret, reaches_error};
use palisade_smt::{Answer, Limits as SolverLimits, Solver};
use palisade_term::eval::Evaluator;
use palisade_term::{Assignment, Sort, Substitution, Term, TermPool};
use rustc_hash::FxHashMap;

use crate::{Budget, Event, Observer, Outcome, Partial, Reason, Task};

/// How far an unwinding goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Copies of locations.
    pub cells: usize,
    /// Rounds of a loop after which it may go on or not: constants do not decide it.
    pub rounds: u32,
    /// Such rounds while there are at most so many copies.
    pub more_rounds: (u32, usize),
    /// Only programs that seem to end: a loop may have a few more such rounds than another has rounds that
    /// constants decide (the text is not longer than the buffer), and the first one that has more ends all.
    pub similar: bool,
    /// Solver steps for a question on the way: whether a loop goes on, whether the error is reached already.
    pub steps: Option<u64>,
    /// Solver steps for all questions on the way together.
    pub all_steps: Option<u64>,
    /// Solver steps for the last question, if all loops have ended.
    pub last_steps: Option<u64>,
}

/// Unwinds the program; unknown if it is larger than the limits allow.
pub(crate) fn unwind(
    task: &Task<'_>,
    budget: &Budget,
    limits: Limits,
    observer: &mut dyn Observer,
) -> Outcome {
    let nest = Nest::of(task.program, |l| l != task.program.error);
    let mut unwinding = Unwinding::new(task, budget, limits, &nest, observer);
    let walked = nest.walk(&mut unwinding);
    let unknown = |reason, stuck_at| Outcome::Unknown(reason, Partial { stuck_at, ..Partial::default() });
    let steps = if unwinding.cut.is_none() { limits.last_steps } else { limits.steps };
    match walked.and_then(|()| unwinding.is_safe(steps)) {
        Err(End::Found(run)) => Outcome::Unsafe(run),
        Err(End::GaveUp(reason)) => unknown(reason, None),
        Ok(safe) => match unwinding.cut {
            Some(_) => {
                let why = format!("a loop has more than {} rounds", unwinding.rounds);
                unknown(Reason::Incomplete(why), unwinding.cut)
            }
            None if !safe => unknown(Reason::Solver("step limit".to_owned()), None),
            None => Outcome::Ends(unwinding.rounds),
        },
    }
}

/// A copy of a location.
struct Cell {
    /// A run comes here.
    at: Term,
    /// The values of the variables.
    state: Vec<Term>,
    /// The ways in; none for the entry.
    ways: Vec<Way>,
}

/// An edge that is taken from a cell.
struct Way {
    edge: EdgeId,
    from: usize,
    taken: Term,
    inputs: Vec<Term>,
    /// What the variables of the target are behind it.
    values: Vec<Term>,
}

/// Why a walk ends.
enum End {
    Found(Run),
    GaveUp(Reason),
}

struct Unwinding<'a, 'o> {
    pool: &'a TermPool,
    program: &'a Program,
    budget: &'o Budget,
    limits: Limits,
    observer: &'o mut dyn Observer,
    solver: Box<dyn Solver + 'a>,
    outgoing: Vec<Vec<EdgeId>>,
    /// Edges lead to the error location from there.
    matters: Vec<bool>,
    /// Booleans whose step versions are those of cells and of edges that are chosen.
    at_mark: Term,
    choice_marks: Vec<Term>,
    cells: Vec<Cell>,
    /// What comes to the next copy of a location.
    arriving: FxHashMap<Loc, Vec<Way>>,
    /// Ways into the error location, and how many of them are known not to be taken.
    errors: Vec<Way>,
    refuted: usize,
    /// The number of cells at which the error is asked about again.
    next_check: usize,
    /// The most rounds of a loop so far.
    rounds: u32,
    loops: Loops,
    /// A loop that was left although it may go on.
    cut: Option<Loc>,
}

/// Which loops count to a constant: a round decides nothing if the values exclude some ways out of the loop
/// and leave none.
struct Loops {
    /// By location: the heads of the loops around it, inner ones last.
    around: Vec<Vec<Loc>>,
    /// By head, of the present round: ways out that are open, and such that are excluded.
    exits: FxHashMap<Loc, (usize, usize)>,
    /// By head: the rounds so far that were not decided.
    open: FxHashMap<Loc, u32>,
    /// The most rounds of a loop that constants decided.
    decided: u32,
}

impl Loops {
    fn new(program: &Program, nest: &Nest) -> Loops {
        let mut around = vec![Vec::new(); program.locations.len()];
        for l in nest.loops() {
            l.members.iter().for_each(|m| around[m.index()].push(l.head));
        }
        Loops { around, exits: FxHashMap::default(), open: FxHashMap::default(), decided: 0 }
    }

    /// An edge is open, or not.
    fn edge(&mut self, source: Loc, target: Loc, open: bool) {
        for &head in &self.around[source.index()] {
            if !self.around[target.index()].contains(&head) {
                let (taken, excluded) = self.exits.entry(head).or_default();
                *if open { taken } else { excluded } += 1;
            }
        }
    }

    /// A round ends: was it open, and how many were so far?
    fn round(&mut self, head: Loc, round: u32) -> (bool, u32) {
        let (taken, excluded) = self.exits.remove(&head).unwrap_or_default();
        let is_open = taken > 0 || excluded == 0;
        let count = self.open.entry(head).or_default();
        *count = if round == 1 { 0 } else { *count } + u32::from(is_open);
        self.decided = self.decided.max(round.saturating_sub(*count));
        (is_open, *count)
    }
}

impl<'a, 'o> Unwinding<'a, 'o> {
    fn new(
        task: &Task<'a>,
        budget: &'o Budget,
        limits: Limits,
        nest: &Nest,
        observer: &'o mut dyn Observer,
    ) -> Self {
        let (pool, program) = (task.pool, task.program);
        Unwinding {
            pool,
            program,
            budget,
            limits,
            observer,
            solver: task.solver(budget, None),
            outgoing: program.outgoing(),
            matters: reaches_error(program, |e| program.edge(e).guard != pool.fls()),
            at_mark: pool.fresh_var("at", Sort::Bool),
            choice_marks: program.edge_ids().map(|_| pool.fresh_var("taken", Sort::Bool)).collect(),
            cells: Vec::new(),
            arriving: FxHashMap::default(),
            errors: Vec::new(),
            refuted: 0,
            next_check: 64,
            rounds: 0,
            loops: Loops::new(program, nest),
            cut: None,
        }
    }

    /// Asks a question on the way: whether one of these can hold. `None`: the solver does not say.
    fn ask_on_the_way(&mut self, any: Term) -> Result<Option<Answer>, End> {
        let spent = self.solver.stats().steps;
        if self.limits.all_steps.is_some_and(|most| spent > most) {
            let why = "the questions on the way take too many steps".to_owned();
            return Err(End::GaveUp(Reason::Incomplete(why)));
        }
        Ok(self.ask(any, self.limits.steps))
    }

    /// Asks whether one of these can hold, with so many steps. `None`: the solver does not say.
    fn ask(&mut self, any: Term, steps: Option<u64>) -> Option<Answer> {
        self.solver.set_limits(SolverLimits { steps, interrupt: Some(self.budget.interrupt_flag()) });
        match self.solver.check(&[any]) {
            Answer::Unknown(_) => None,
            answer => Some(answer),
        }
    }

    /// Is none of the ways into the error location taken that were not refuted yet? False if the solver does
    /// not say.
    fn is_safe(&mut self, steps: Option<u64>) -> Result<bool, End> {
        self.budget.check().map_err(|stop| End::GaveUp(Reason::Stopped(stop)))?;
        let any = self.pool.or(self.errors[self.refuted..].iter().map(|w| w.taken));
        self.observer.event(Event::Bound(self.rounds));
        match if any == self.pool.fls() { Some(Answer::Unsat(Vec::new())) } else { self.ask(any, steps) } {
            Some(Answer::Unsat(_)) => {
                self.solver.assert(self.pool.not(any));
                self.refuted = self.errors.len();
                Ok(true)
            }
            Some(Answer::Sat(model)) => {
                let run = self.run(&model).ok_or_else(|| unexecutable("its model takes no path"))?;
                match interpret(self.pool, self.program, &run) {
                    Ok(_) => {
                        let edges: Vec<_> = run.steps.iter().map(|s| s.edge).collect();
                        self.observer.event(Event::Counterexample(&edges));
                        Err(End::Found(run))
                    }
                    Err(e) => Err(unexecutable(&e.to_string())),
                }
            }
            _ => Ok(false),
        }
    }

    /// The run to the error location that a model takes.
    fn run(&self, model: &Assignment) -> Option<Run> {
        let mut ev = Evaluator::new(self.pool, model);
        let mut steps = Vec::new();
        let mut ways = &self.errors;
        let first = loop {
            let way = ways.iter().find(|w| ev.holds(w.taken))?;
            steps.push(Step { edge: way.edge, inputs: way.inputs.iter().map(|&i| ev.eval(i)).collect() });
            let cell = &self.cells[way.from];
            if cell.ways.is_empty() {
                break cell;
            }
            ways = &cell.ways;
        };
        steps.reverse();
        Some(Run { initial: first.state.iter().map(|&x| ev.eval(x)).collect(), steps })
    }

    /// The cell in which these ways meet.
    fn meet(&mut self, l: Loc, ways: Vec<Way>) -> Cell {
        let pool = self.pool;
        let number = self.cells.len() as u32;
        let any = pool.or(ways.iter().map(|w| w.taken));
        let at = if pool.is_var(any) || pool.is_const(any) {
            any
        } else {
            let at = pool.at_step(self.at_mark, number);
            self.solver.assert(pool.eq(at, any));
            at
        };
        let state = (self.program.vars(l).iter().enumerate())
            .map(|(i, &v)| {
                let (last, others) = ways.split_last().expect("a way leads here");
                let value = last.values[i];
                if others.iter().all(|w| w.values[i] == value) {
                    return value;
                }
                match pool.sort(v) {
                    Sort::Bool | Sort::BitVec(_) => {
                        others.iter().rev().fold(value, |rest, w| pool.ite(w.taken, w.values[i], rest))
                    }
                    sort => {
                        let pairs: Vec<(Term, Term)> = ways.iter().map(|w| (w.taken, w.values[i])).collect();
                        let cells = sort.array_parts().and_then(|_| pool.choose_cells(&pairs));
                        if let Some(chosen) = cells {
                            return chosen;
                        }
                        let copy = pool.at_step(v, number);
                        for w in &ways {
                            self.solver.assert(pool.implies(w.taken, pool.eq(copy, w.values[i])));
                        }
                        copy
                    }
                }
            })
            .collect();
        Cell { at, state, ways }
    }

    /// The ways that leave the last cell.
    fn leave(&mut self, l: Loc) {
        let (pool, program) = (self.pool, self.program);
        let from = self.cells.len() - 1;
        let step = from as u32;
        let state = self.cells[from].state.iter().copied();
        let mut map: FxHashMap<Term, Term> = program.vars(l).iter().copied().zip(state).collect();
        let mut ways = Vec::new();
        for &e in &self.outgoing[l.index()] {
            let edge = program.edge(e);
            let inputs: Vec<Term> = edge.inputs.iter().map(|&i| pool.at_step(i, step)).collect();
            map.extend(edge.inputs.iter().copied().zip(inputs.iter().copied()));
            let mut here = Substitution::new(pool, &map);
            let guard = here.apply(edge.guard);
            if edge.target != program.error {
                self.loops.edge(l, edge.target, guard != pool.fls());
            }
            if guard != pool.fls() && self.matters[edge.target.index()] {
                let values = edge.update.iter().map(|&u| here.apply(u)).collect();
                ways.push((guard, Way { edge: e, from, taken: guard, inputs, values }));
            }
        }
        let guards: Vec<Vec<Term>> = ways.iter().map(|(g, _)| pool.conjuncts(*g)).collect();
        for (i, (guard, mut way)) in ways.into_iter().enumerate() {
            let excludes = |other: &Vec<Term>| other.iter().any(|&g| guards[i].contains(&pool.not(g)));
            let alone = guards.iter().enumerate().all(|(j, other)| i == j || excludes(other));
            let choice =
                if alone { pool.tru() } else { pool.at_step(self.choice_marks[way.edge.index()], step) };
            way.taken = pool.and([self.cells[from].at, guard, choice]);
            let target = program.edge(way.edge).target;
            if target == program.error {
                self.errors.push(way);
            } else {
                self.arriving.entry(target).or_default().push(way);
            }
        }
    }
}

fn unexecutable(why: &str) -> End {
    End::GaveUp(Reason::Solver(format!("counterexample does not execute: {why}")))
}

impl Walker for Unwinding<'_, '_> {
    type Stop = End;

    fn visit(&mut self, l: Loc) -> Result<(), End> {
        let cell = if l == self.program.entry && self.cells.is_empty() {
            let state = self.program.vars(l).iter().map(|&v| self.pool.at_step(v, 0)).collect();
            Cell { at: self.pool.tru(), state, ways: Vec::new() }
        } else {
            let Some(ways) = self.arriving.remove(&l) else { return Ok(()) };
            self.meet(l, ways)
        };
        self.budget.check().map_err(|stop| End::GaveUp(Reason::Stopped(stop)))?;
        if self.cells.len() == self.limits.cells {
            let why = format!("more than {} copies of locations", self.limits.cells);
            return Err(End::GaveUp(Reason::Incomplete(why)));
        }
        self.cells.push(cell);
        self.leave(l);
        if self.cells.len() == self.next_check {
            self.next_check *= 2;
            self.is_safe(self.limits.steps)?;
        }
        Ok(())
    }

    fn goes_on(&mut self, head: Loc, round: u32) -> Result<bool, End> {
        let (is_open, open) = self.loops.round(head, round);
        let Some(ways) = self.arriving.get(&head) else { return Ok(false) };
        let any = self.pool.or(ways.iter().map(|w| w.taken));
        // Who comes again after a round that decided nothing is who came before.
        if (is_open || round == 1)
            && let Some(Answer::Unsat(_)) = self.ask_on_the_way(any)?
        {
            self.solver.assert(self.pool.not(any));
            self.arriving.remove(&head);
            return Ok(false);
        }
        let (more, small) = self.limits.more_rounds;
        let most = if self.cells.len() <= small { more } else { self.limits.rounds };
        let most = if self.limits.similar { most.min(self.loops.decided + 2) } else { most };
        if is_open && open > most && !self.pool.is_const(any) {
            if self.limits.similar {
                let why = format!("a loop has more than {most} rounds");
                return Err(End::GaveUp(Reason::Incomplete(why)));
            }
            self.cut = Some(head);
            self.arriving.remove(&head);
            return Ok(false);
        }
        self.rounds = self.rounds.max(round);
        Ok(true)
    }
}
