//! The abstract domain of `ic3-cegar` and `ic3-ia`: a vector of predicates, and the lattice of their
//! implications.
//!
//! After Birgmeier, "Software Verification with IC3 via Abstraction and Interpolation" (master's thesis, TU
//! Wien 2013), section 3.1. An abstract state is a cube of [`Literal`]s, signed numbers of predicates, so
//! that new predicates leave old cubes as they are. Predicates are never removed.
//!
//! Every predicate belongs to one location and is over its variables; a program that is one loop has one
//! location, and then the domain is the thesis's. The lattice orders the predicates of a location by
//! implication: [`Domain::parents`] are the strongest of the weaker ones, [`Domain::children`] the weakest of
//! the stronger ones.
//!
//! Invariants: no two predicates of a location are equivalent, or one equivalent to the other's negation, as
//! far as the solver can tell; no predicate is constant; direct links of the lattice are never implied by
//! others.
//!
//! Implications are refuted by remembered states where that is possible: every predicate has a signature, its
//! truth values in up to 64 states of its location. A query that is satisfiable brings a new state.

use std::collections::BTreeSet;

use palisade_ic3::frames::Language;
use palisade_program::Loc;
use palisade_smt::{Answer, Solver};
use palisade_term::eval::Evaluator;
use palisade_term::{Assignment, Term, TermPool};
use rustc_hash::FxHashSet;

use crate::{Budget, Event, Observer, Task, literal};

/// A predicate or its negation: the number of the predicate plus one, negative for the negation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Literal(i32);

impl Literal {
    /// The predicate of this number, or its negation.
    pub fn new(predicate: usize, holds: bool) -> Literal {
        let number = i32::try_from(predicate + 1).expect("fewer than 2^31 predicates");
        Literal(if holds { number } else { -number })
    }

    /// The number of the predicate.
    pub fn predicate(self) -> usize {
        self.0.unsigned_abs() as usize - 1
    }

    /// Is it the predicate itself?
    pub fn holds(self) -> bool {
        self.0 > 0
    }
}

/// A predicate with its place in the lattice.
struct Predicate {
    location: Loc,
    /// Without negation.
    term: Term,
    variables: BTreeSet<Term>,
    /// Bit `k`: does it hold in sample `k` of its location?
    signature: u64,
    parents: Vec<usize>,
    children: Vec<usize>,
}

/// What is kept about a location.
struct Place<'a> {
    predicates: Vec<usize>,
    known: FxHashSet<Term>,
    samples: Vec<Assignment>,
    /// Answers implications; nothing is asserted.
    solver: Option<Box<dyn Solver + 'a>>,
}

/// Solver steps of one implication.
const MAX_STEPS: u64 = 20_000;

/// The bits of a signature.
const MAX_SAMPLES: usize = 64;

/// The predicates of all locations.
pub struct Domain<'a> {
    task: Task<'a>,
    budget: Budget,
    predicates: Vec<Predicate>,
    at: Vec<Place<'a>>,
    /// Predicates that were skipped because they are equivalent to known ones.
    pub skipped: u64,
}

impl<'a> Domain<'a> {
    /// No predicates.
    pub fn new(task: &Task<'a>, budget: &Budget) -> Domain<'a> {
        let place = |_| Place {
            predicates: Vec::new(),
            known: FxHashSet::default(),
            samples: Vec::new(),
            solver: None,
        };
        let at = task.program.locs().map(place).collect();
        Domain { task: *task, budget: budget.clone(), predicates: Vec::new(), at, skipped: 0 }
    }

    /// The number of predicates.
    pub fn len(&self) -> usize {
        self.predicates.len()
    }

    /// Are there none?
    pub fn is_empty(&self) -> bool {
        self.predicates.is_empty()
    }

    /// The formula of a predicate.
    pub fn predicate(&self, number: usize) -> Term {
        self.predicates[number].term
    }

    /// The predicates of a location, oldest first.
    pub fn at(&self, l: Loc) -> &[usize] {
        &self.at[l.index()].predicates
    }

    /// The formula of a literal.
    pub fn term(&self, literal: Literal) -> Term {
        let term = self.predicate(literal.predicate());
        if literal.holds() { term } else { self.task.pool.not(term) }
    }

    /// The formulas of a cube.
    pub fn terms(&self, cube: &[Literal]) -> Vec<Term> {
        cube.iter().map(|&l| self.term(l)).collect()
    }

    /// The predicates of a location that share a variable with these.
    pub fn about(&self, l: Loc, variables: &BTreeSet<Term>) -> Vec<usize> {
        let shared = |&p: &usize| self.predicates[p].variables.iter().any(|v| variables.contains(v));
        self.at(l).iter().copied().filter(shared).collect()
    }

    /// The strongest predicates that a predicate implies.
    pub fn parents(&self, predicate: usize) -> &[usize] {
        &self.predicates[predicate].parents
    }

    /// The weakest predicates that imply a predicate.
    pub fn children(&self, predicate: usize) -> &[usize] {
        &self.predicates[predicate].children
    }

    /// The next weaker literals.
    pub fn weaker(&self, literal: Literal) -> Vec<Literal> {
        let p = literal.predicate();
        let next = if literal.holds() { self.parents(p) } else { self.children(p) };
        next.iter().map(|&q| Literal::new(q, literal.holds())).collect()
    }

    /// Is it a predicate, or known to say nothing more than the others do?
    pub fn knows(&self, location: Loc, formula: Term) -> bool {
        let (_, term) = self.task.pool.strip_not(formula);
        self.task.pool.as_bool(term).is_some() || self.at[location.index()].known.contains(&term)
    }

    /// Adds a predicate over the variables of a location; `None` if it is constant or equivalent to a known
    /// one.
    pub fn add(&mut self, location: Loc, formula: Term) -> Option<usize> {
        let pool = self.task.pool;
        let (_, term) = pool.strip_not(formula);
        if pool.as_bool(term).is_some() || !self.at[location.index()].known.insert(term) {
            return None;
        }
        let number = self.predicates.len();
        let samples = &self.at[location.index()].samples;
        let signature = samples.iter().enumerate().map(|(k, s)| u64::from(pool.holds(term, s)) << k).sum();
        self.predicates.push(Predicate {
            location,
            term,
            variables: pool.free_vars(term),
            signature,
            parents: Vec::new(),
            children: Vec::new(),
        });
        if !self.place(number) {
            self.predicates.pop();
            self.skipped += 1;
            return None;
        }
        self.at[location.index()].predicates.push(number);
        Some(number)
    }

    /// Adds predicates from one source, and tells which are new; returns how many.
    pub fn extend(
        &mut self,
        location: Loc,
        found: impl IntoIterator<Item = Term>,
        by: &'static str,
        observer: &mut dyn Observer,
    ) -> usize {
        let before = self.len();
        for formula in found {
            if let Some(new) = self.add(location, formula) {
                let predicate = self.predicate(new);
                observer.event(Event::Predicate { location, predicate, by });
            }
        }
        self.len() - before
    }

    /// Links the newest predicate; false if it is constant or equivalent to another or its negation.
    fn place(&mut self, new: usize) -> bool {
        let location = self.predicates[new].location;
        let others = self.at(location).to_vec();
        if self.is_constant(new) {
            return false;
        }
        let (mut above, mut below) = (BTreeSet::new(), BTreeSet::new());
        for &other in &others {
            if self.predicates[new].variables.is_disjoint(&self.predicates[other].variables) {
                continue;
            }
            if above.contains(&other) || self.implies(new, other) {
                above.insert(other);
                self.add_all(other, &mut above, Domain::parents);
            }
            if below.contains(&other) || self.implies(other, new) {
                below.insert(other);
                self.add_all(other, &mut below, Domain::children);
            }
            if above.contains(&other) && below.contains(&other) || self.complements(new, other) {
                return false;
            }
        }
        let parents: Vec<usize> =
            above.iter().copied().filter(|&p| !self.children(p).iter().any(|c| above.contains(c))).collect();
        let children: Vec<usize> =
            below.iter().copied().filter(|&c| !self.parents(c).iter().any(|p| below.contains(p))).collect();
        for &p in &parents {
            for &c in &children {
                self.predicates[p].children.retain(|&x| x != c);
                self.predicates[c].parents.retain(|&x| x != p);
            }
            self.predicates[p].children.push(new);
        }
        for &c in &children {
            self.predicates[c].parents.push(new);
        }
        self.predicates[new].parents = parents;
        self.predicates[new].children = children;
        true
    }

    /// Everything that can be reached in one direction.
    fn add_all(&self, from: usize, out: &mut BTreeSet<usize>, next: fn(&Self, usize) -> &[usize]) {
        for &p in next(self, from) {
            if out.insert(p) {
                self.add_all(p, out, next);
            }
        }
    }

    fn is_constant(&mut self, p: usize) -> bool {
        let (location, term) = (self.predicates[p].location, self.predicates[p].term);
        let negation = self.task.pool.not(term);
        self.unsatisfiable(location, &[term]) || self.unsatisfiable(location, &[negation])
    }

    fn implies(&mut self, p: usize, q: usize) -> bool {
        let (a, b) = (&self.predicates[p], &self.predicates[q]);
        if a.signature & !b.signature != 0 {
            return false;
        }
        let (location, a, b) = (a.location, a.term, b.term);
        let pool = self.task.pool;
        literal::implies(pool, a, b) || self.unsatisfiable(location, &[a, pool.not(b)])
    }

    /// Is one equivalent to the negation of the other?
    fn complements(&mut self, p: usize, q: usize) -> bool {
        let (a, b) = (&self.predicates[p], &self.predicates[q]);
        let all = u64::MAX.checked_shr(64 - self.at[a.location.index()].samples.len() as u32).unwrap_or(0);
        if a.signature ^ b.signature != all {
            return false;
        }
        let (location, a, b) = (a.location, a.term, b.term);
        let pool = self.task.pool;
        self.unsatisfiable(location, &[a, b]) && self.unsatisfiable(location, &[pool.not(a), pool.not(b)])
    }

    /// Asks the solver; a state that it finds becomes a sample.
    fn unsatisfiable(&mut self, location: Loc, formulas: &[Term]) -> bool {
        let (task, budget) = (self.task, &self.budget);
        let place = &mut self.at[location.index()];
        let solver = place.solver.get_or_insert_with(|| task.solver(budget, Some(MAX_STEPS)));
        match solver.check(formulas) {
            Answer::Unsat(_) => true,
            Answer::Unknown(_) => false,
            Answer::Sat(state) => {
                if place.samples.len() < MAX_SAMPLES {
                    let bit = place.samples.len();
                    for p in &mut self.predicates {
                        if p.location == location {
                            p.signature |= u64::from(task.pool.holds(p.term, &state)) << bit;
                        }
                    }
                    place.samples.push(state);
                }
                false
            }
        }
    }

    /// The abstract state of a state over some predicates.
    pub fn abstract_state(&self, predicates: &[usize], state: &Assignment) -> Vec<Literal> {
        let mut in_state = Evaluator::new(self.task.pool, state);
        predicates.iter().map(|&p| Literal::new(p, in_state.holds(self.predicate(p)))).collect()
    }

    /// The pool.
    pub fn pool(&self) -> &'a TermPool {
        self.task.pool
    }
}

impl Language for Domain<'_> {
    type Place = Loc;
    type Literal = Literal;
    type Key = literal::Key;
    type Formula = Term;

    fn index(place: Loc) -> usize {
        place.index()
    }

    fn key(&self, lit: Literal) -> literal::Key {
        literal::key(self.task.pool, self.term(lit))
    }

    fn implies(&self, a: Literal, b: Literal) -> bool {
        a == b || literal::implies(self.task.pool, self.term(a), self.term(b))
    }

    fn clause(&self, cube: &[Literal]) -> Term {
        literal::clause(self.task.pool, &self.terms(cube))
    }
}
