//! Does every run end? By measures of loops, and by states that are repeated.
//!
//! Whether a program ends is asked as a question of safety, about a program that watches more
//! ([`palisade_program::Measures`]): with a measure for every loop, a proof that none of them ever fails to
//! go down is a proof that every run ends; and a run that comes to the head of a loop in a state in which it
//! was there before is one that need not end. So every engine serves, and answers are checked as always.
//!
//! **In this order.** Programs whose loops have few rounds are run and unwound: the measure is a number of
//! rounds, and the proof is that there are no more. Then each loop is given a measure of its own, in slices
//! of time that become longer, and between two slices a repeated state is looked for.
//!
//! **Where measures come from.** Loops compare what they count with its bound, so differences of what is
//! compared come first, their distances, and pairs of these (lexicographically). A measure that fails leaves
//! a round behind in which it did not go down; what fails on a known round is not tried. Where no comparison
//! is a measure, one is made that goes down in all known rounds: a sum of variables with coefficients that a
//! solver finds (counterexamples guide it, as in Cook, See, Zuleger: Ramsey vs. Lexicographic Termination
//! Proving, 2013).
//!
//! # Limits
//! Sums are over integers; over words, only what is compared. Structures in memory have no size here: who
//! walks along a list of any length is not proved to end. A run that is endless without repeating a state
//! soon is not found.
//!
//! Entry point: [`terminates`].

use std::sync::Arc;
use std::time::Duration;

use palisade_certify::{Checker, Counterexample};
use palisade_engines::{Engine, Runs};
use palisade_program::{
    EdgeId, Loc, Loop, Measure, Measures, Program, Property, State, TERMINATION, Watched, is_less, loops,
    take, watch_repetition,
};
use palisade_smt::Answer;
use palisade_term::{Assignment, Op, Sort, Term, TermPool, Value};
use rustc_hash::FxHashSet;

use crate::error::Error;
use crate::observe::Observer;
use crate::settings::Settings;
use crate::verdict::{Reason, Unknown, Verdict};
use crate::verify::{limited, verify};
use crate::{Budget, find_engine};

/// The rounds of a loop that counts as short: more than are ever unwound.
const MANY_ROUNDS: u32 = 100_000_000;
/// What running and unwinding may take.
const SHORT: Duration = Duration::from_secs(10);
/// What one measure of one loop may take: at first, and how often that is doubled at most.
const SLICE: Duration = Duration::from_millis(400);
const LONGEST: u32 = 12;
/// Measures that are tried for a loop in one slice.
const TRIES: usize = 12;
/// The coefficients of sums.
const COEFFICIENTS: [i64; 2] = [1, 10];
/// Variables of a sum, and solver steps to find its coefficients.
const MOST_VARIABLES: usize = 12;
const STEPS: u64 = 200_000;

/// The answer, with the program that it is about.
#[derive(Clone, Debug)]
pub struct Ended {
    /// The verdict.
    pub verdict: Verdict,
    /// The program as it was watched: proofs and runs are about this one.
    pub watched: Watched,
    /// Of a proof: the measures of the loops.
    pub measures: Measures,
}

/// The program that counterexamples are about: it also reaches its error location when it repeats a state.
/// Where C or the environment leaves something open, such a run may depend on that.
pub(crate) fn repetitions(pool: &TermPool, program: &Program, open: Option<&Arc<str>>) -> Watched {
    let endless = || Property::Violated(TERMINATION.into());
    watch_repetition(pool, program, &open.cloned().map_or_else(endless, Property::Open))
}

/// Decides whether every run of a program ends. `open` is what decides some of its runs that C or the
/// environment leaves open.
pub fn terminates(
    pool: &TermPool,
    program: &Program,
    open: Option<&Arc<str>>,
    settings: &Settings<'_>,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Result<Ended, Error> {
    let loops = loops(program);
    let search = Search { pool, program, open, settings, budget };
    let bare = |verdict| {
        let watched = Watched { program: program.clone(), instead_of: Vec::new() };
        Ended { verdict, watched, measures: Measures::default() }
    };
    if loops.is_empty() {
        return Ok(bare(verify(pool, program, settings, budget, observer)?));
    }
    if !settings.engine.stages().is_empty() {
        let rounds = loops.iter().map(|l| (l.head, Measure::Rounds(MANY_ROUNDS))).collect();
        if let Some(ended) = search.short(Measures { of: rounds }, observer)? {
            return Ok(ended);
        }
    }
    let mut unmeasured: Vec<Candidates> = loops.iter().map(|l| Candidates::new(pool, program, l)).collect();
    let mut measures = Measures::default();
    for k in 0..LONGEST {
        let slice = SLICE * 2_u32.pow(k);
        let mut left = Vec::new();
        for mut candidates in unmeasured {
            if budget.check().is_err() {
                break;
            }
            match search.measure(&mut candidates, slice, observer)? {
                Found::Measure(measure) => measures.of.push((candidates.head, measure)),
                Found::Nothing => left.push(candidates),
                Found::Answer(ended) => return Ok(*ended),
            }
        }
        unmeasured = left;
        if unmeasured.is_empty() && budget.check().is_ok() {
            return search.together(measures, observer);
        }
        if let Some(ended) = search.repetition(slice, observer)? {
            return Ok(ended);
        }
        if budget.check().is_err() {
            break;
        }
    }
    let heads: Vec<&str> = unmeasured.iter().map(|c| program.location(c.head).name.as_str()).collect();
    let why = match budget.check() {
        Err(stop) => Reason::Stopped(stop),
        Ok(()) => Reason::Incomplete(format!("no measure was found for the loop at {}", heads.join(", "))),
    };
    Ok(bare(Unknown::bare(why, program)))
}

/// What a loop has after a slice of time.
enum Found {
    Measure(Measure),
    Nothing,
    /// The whole program has an answer, which no measure changes.
    Answer(Box<Ended>),
}

#[derive(Clone, Copy)]
struct Search<'a> {
    pool: &'a TermPool,
    program: &'a Program,
    open: Option<&'a Arc<str>>,
    settings: &'a Settings<'a>,
    budget: &'a Budget,
}

impl Search<'_> {
    /// Runs the program, and unwinds it.
    fn short(&self, measures: Measures, observer: &mut dyn Observer) -> Result<Option<Ended>, Error> {
        let (part, settings) = (self.budget.part(SHORT), self.settings_of(Box::new(Runs)));
        let watched = measures.watch(self.pool, self.program);
        match verify(self.pool, &watched.program, &settings, &part.budget, observer)? {
            verdict @ Verdict::Safe(_) => Ok(Some(Ended { verdict, watched, measures })),
            Verdict::Unsafe(cex) if !self.is_watched(&cex) => self.own_error(&cex).map(Some),
            Verdict::Unsafe(_) | Verdict::Unknown(_) => Ok(None),
        }
    }

    /// Does a run end because of what is watched, rather than at an error of the program itself?
    fn is_watched(&self, cex: &Counterexample) -> bool {
        cex.run().steps.last().is_some_and(|s| s.edge.index() >= self.program.edges.len())
    }

    /// A run to an error of the program itself, as one of the program that counterexamples are about.
    fn own_error(&self, cex: &Counterexample) -> Result<Ended, Error> {
        let watched = repetitions(self.pool, self.program, self.open);
        let mut run = cex.run().clone();
        for step in &mut run.steps {
            // Nothing is remembered.
            let inputs = watched.program.edge(step.edge).inputs.len();
            step.inputs.resize(inputs, Value::Bool(false));
        }
        match Checker::new(self.pool, &watched.program).counterexample(run) {
            Ok(cex) => Ok(Ended { verdict: Verdict::Unsafe(cex), watched, measures: Measures::default() }),
            Err(why) => Err(Error::Defect(why.describe(self.pool, &watched.program))),
        }
    }

    fn settings_of(&self, engine: Box<dyn Engine>) -> Settings<'_> {
        Settings {
            engine,
            options: self.settings.options.clone(),
            solvers: self.settings.solvers,
            every_location: false,
        }
    }

    /// A measure of one loop; the others may be endless.
    fn measure(
        &self,
        candidates: &mut Candidates,
        slice: Duration,
        observer: &mut dyn Observer,
    ) -> Result<Found, Error> {
        candidates.undecided.clear();
        for _ in 0..TRIES {
            let next = candidates.next(self);
            let Some(terms) = next.filter(|_| self.budget.check().is_ok()) else { break };
            let measures = Measures { of: vec![(candidates.head, Measure::Terms(terms.clone()))] };
            let watched = measures.watch(self.pool, self.program);
            let part = self.budget.part(slice);
            let verdict = verify(self.pool, &watched.program, self.settings, &part.budget, observer)?;
            match &verdict {
                Verdict::Safe(_) => return Ok(Found::Measure(Measure::Terms(terms))),
                Verdict::Unsafe(cex) if !self.is_watched(cex) => {
                    return Ok(Found::Answer(Box::new(self.own_error(cex)?)));
                }
                Verdict::Unsafe(cex) => match self.last_round(&watched, candidates.head, cex) {
                    Some(round) => candidates.rounds.push(round),
                    None => candidates.undecided.push(terms),
                },
                Verdict::Unknown(_) => candidates.undecided.push(terms),
            }
        }
        Ok(Found::Nothing)
    }

    /// The states at the head before and after the round in which a measure did not go down.
    fn last_round(&self, watched: &Watched, head: Loc, cex: &Counterexample) -> Option<(State, State)> {
        let last = cex.run().steps.last()?;
        let new = last.edge.index().checked_sub(self.program.edges.len())?;
        let back: EdgeId = *watched.instead_of.get(new)?;
        // What is watched comes after the variables of the program.
        let own = |(l, state): &(Loc, State)| state[..self.program.vars(*l).len()].to_vec();
        let states = &cex.replay().states[..cex.run().steps.len()];
        let before = states.iter().rev().find(|(l, _)| *l == head).map(own)?;
        let after = take(self.pool, self.program, &own(states.last()?), back, &last.inputs)?;
        Some((before, after))
    }

    /// All loops with the measures that were found for them one by one.
    fn together(&self, measures: Measures, observer: &mut dyn Observer) -> Result<Ended, Error> {
        let watched = measures.watch(self.pool, self.program);
        match verify(self.pool, &watched.program, self.settings, self.budget, observer)? {
            Verdict::Unsafe(cex) if self.is_watched(&cex) => {
                Err(Error::Defect("a measure does not go down that was shown to".into()))
            }
            Verdict::Unsafe(cex) => self.own_error(&cex),
            verdict => Ok(Ended { verdict, watched, measures }),
        }
    }

    /// A run that repeats a state at the head of a loop.
    fn repetition(&self, slice: Duration, observer: &mut dyn Observer) -> Result<Option<Ended>, Error> {
        let watched = repetitions(self.pool, self.program, self.open);
        let (part, settings) = (self.budget.part(slice), self.settings_of(find_engine("bmc")?));
        let verdict = verify(self.pool, &watched.program, &settings, &part.budget, observer)?;
        let found = matches!(&verdict, Verdict::Unsafe(cex) if self.is_watched(cex));
        Ok(found.then_some(Ended { verdict, watched, measures: Measures::default() }))
    }
}

/// What may be the measure of a loop.
struct Candidates {
    head: Loc,
    /// The variables at the head, and those of them that sums are made of.
    variables: Vec<Term>,
    numbers: Vec<Term>,
    /// Differences of what is compared in the loop.
    differences: Vec<Term>,
    /// Sums that were made to fit the known rounds, with their coefficients.
    sums: Vec<(Term, Vec<Term>)>,
    /// States at the head before and after a round.
    rounds: Vec<(State, State)>,
    /// What was tried in this slice of time, without an answer.
    undecided: Vec<Vec<Term>>,
}

impl Candidates {
    fn new(pool: &TermPool, program: &Program, of: &Loop) -> Candidates {
        let variables = program.vars(of.head).to_vec();
        let known: FxHashSet<Term> = variables.iter().copied().collect();
        let edges = program.edges.iter().filter(|e| of.has(e.source));
        let (mut pairs, mut equal) = (Vec::new(), Vec::new());
        pool.visit(edges.flat_map(|e| e.update.iter().copied().chain([e.guard])), |t| {
            use Op::{BvSle, BvSlt, BvUle, BvUlt, Eq, Le, Lt};
            if let (Eq | Le | Lt | BvUle | BvUlt | BvSle | BvSlt, &[a, b]) = (pool.op(t), pool.args(t))
                && matches!(pool.sort(a), Sort::Int | Sort::BitVec(_))
                && pool.free_vars(t).iter().all(|v| known.contains(v))
            {
                pairs.extend([(b, a), (a, b)]);
                equal.extend((pool.op(t) == &Eq && *pool.sort(a) == Sort::Int).then_some((a, b)));
            }
        });
        let mut seen = FxHashSet::default();
        let difference = |(a, b): (Term, Term)| match pool.sort(a) {
            Sort::Int => pool.sub(a, b),
            _ => pool.bv_sub(a, b),
        };
        // What is to become equal comes nearer, from either side.
        let distance = |(a, b): (Term, Term)| {
            let d = pool.sub(a, b);
            pool.ite(pool.le(pool.int(0), d), d, pool.neg(d))
        };
        let distances: Vec<Term> = equal.into_iter().map(distance).collect();
        let differences = pairs.into_iter().map(difference).chain(distances);
        let differences = differences.filter(|&t| !pool.is_const(t) && seen.insert(t));
        let numbers: Vec<Term> =
            variables.iter().copied().filter(|&v| *pool.sort(v) == Sort::Int).take(MOST_VARIABLES).collect();
        Candidates {
            head: of.head,
            differences: differences.collect(),
            variables,
            numbers,
            sums: Vec::new(),
            rounds: Vec::new(),
            undecided: Vec::new(),
        }
    }

    /// The next measure to try: it goes down in all known rounds.
    fn next(&mut self, search: &Search<'_>) -> Option<Vec<Term>> {
        let pool = search.pool;
        let all = |c: &Candidates| -> Vec<Term> {
            c.differences.iter().chain(c.sums.iter().map(|(sum, _)| sum)).copied().collect()
        };
        if let Some(found) = all(self).into_iter().map(|t| vec![t]).find(|m| self.may_be(pool, m)) {
            return Some(found);
        }
        if let Some((sum, coefficients)) = self.sum(search) {
            self.sums.push((sum, coefficients));
            return Some(vec![sum]);
        }
        let all = all(self);
        let all = || all.iter().copied();
        all().flat_map(|a| all().map(move |b| vec![a, b])).find(|m| m[0] != m[1] && self.may_be(pool, m))
    }

    /// Is nothing known against a measure?
    fn may_be(&self, pool: &TermPool, terms: &[Term]) -> bool {
        !self.undecided.iter().any(|m| m == terms)
            && self.rounds.iter().all(|(before, after)| self.goes_down(pool, terms, before, after))
    }

    fn goes_down(&self, pool: &TermPool, terms: &[Term], before: &State, after: &State) -> bool {
        let at = |state: &State| -> Assignment {
            self.variables.iter().copied().zip(state.iter().cloned()).collect()
        };
        let (before, after) = (at(before), at(after));
        let values = terms.iter().map(|&t| (pool.eval(t, &before), pool.eval(t, &after)));
        let constants = values.map(|(b, a)| (a.to_term(pool), b.to_term(pool)));
        let (now, then): (Vec<Term>, Vec<Term>) = constants.unzip();
        pool.as_bool(is_less(pool, &now, &then)) == Some(true)
    }

    /// A sum of variables that goes down in all known rounds and is none of those that were tried.
    fn sum(&self, search: &Search<'_>) -> Option<(Term, Vec<Term>)> {
        let pool = search.pool;
        if self.numbers.is_empty() || self.rounds.is_empty() {
            return None;
        }
        let name = |i: usize| pool.var(&format!("coefficient {i}"), Sort::Int);
        let coefficients: Vec<Term> = (0..self.numbers.len()).map(name).collect();
        let constant = pool.var("constant", Sort::Int);
        let at = |state: &State| {
            let value = |v: &Term| {
                let place = self.variables.iter().position(|w| w == v).expect("one of them");
                state[place].to_term(pool)
            };
            let products = self.numbers.iter().zip(&coefficients).map(|(v, &c)| pool.mul(value(v), c));
            pool.add(products.chain([constant]))
        };
        for most in COEFFICIENTS {
            let mut solver = limited(search.settings.solvers.transform, pool, search.budget, Some(STEPS));
            for &c in &coefficients {
                solver.assert(pool.and2(pool.le(pool.int(-most), c), pool.le(c, pool.int(most))));
            }
            for (before, after) in &self.rounds {
                solver.assert(is_less(pool, &[at(after)], &[at(before)]));
            }
            for (_, tried) in &self.sums {
                let same = coefficients.iter().zip(tried).map(|(&c, &value)| pool.eq(c, value));
                solver.assert(pool.not(pool.and(same)));
            }
            if let Answer::Sat(model) = solver.check(&[]) {
                let value = |&c: &Term| pool.eval(c, &model).to_term(pool);
                let values: Vec<Term> = coefficients.iter().map(value).collect();
                let products = self.numbers.iter().zip(&values).map(|(&v, &c)| pool.mul(v, c));
                return Some((pool.add(products.chain([value(&constant)])), values));
            }
        }
        None
    }
}
