//! Termination as safety: a program in which every loop has a measure that must go down.
//!
//! A [`Measure`] of the head of a loop ([`Nest`]) is a list of terms over the variables that live there,
//! compared lexicographically, or a number of rounds. [`Measures::watch`] makes the program that keeps the
//! value that each measure had when a run was last at its head. A run that comes back to the head without
//! having left the loop takes an edge into the error location unless the measure has gone down.
//!
//! # Why that is enough
//! Let every loop have a measure, and let the error location be unreachable. A run that never ends is from
//! some point on in one loop and comes to its head again and again: loops are the strongly connected parts of
//! the graph without the heads of the loops around, so who stays in one for ever, and comes to its head only
//! so often, stays in a loop inside of it. At each return the first component that does not stay within what
//! it was goes down, all before it do not go up, and it was not negative (as integer; words are never), so
//! that the first one goes down only so often, then the second one, and so on: a contradiction.
//!
//! # Invariants
//! - Locations and edges of the program keep their numbers; new edges are the last ones, and all lead to the
//!   error location.
//! - What is kept is the last of the variables of the locations of the loop. A loop that is entered elsewhere
//!   than at its head also keeps whether the run has been at its head since.
//!
//! # Runs that do not end
//! [`watch_repetition`] is the other side: a run takes an edge into the error location when it comes to the
//! head of a loop in a state in which it was there before. It may go on like that for ever.
//!
//! Entry points: [`Measures::watch`], [`watch_repetition`].

use std::fmt::Display;
use std::sync::Arc;

use palisade_term::{Sort, Term, TermPool, Value};

use crate::{Edge, EdgeId, Loc, Nest, Program, Property};

/// The name of the property that no run goes on for ever.
pub const TERMINATION: &str = "termination";

/// What goes down with every round of a loop.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Terms over the variables of the head, integers or words, compared lexicographically.
    Terms(Vec<Term>),
    /// The rounds that are left, at first so many.
    Rounds(u32),
}

/// Measures of heads of loops.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measures {
    /// Each head once.
    pub of: Vec<(Loc, Measure)>,
}

/// A loop: its head, and all locations of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Loop {
    /// Where every round begins.
    pub head: Loc,
    /// The locations in order, the head among them.
    pub members: Vec<Loc>,
}

/// The loops of a program, outer ones first.
pub fn loops(program: &Program) -> Vec<Loop> {
    Nest::of(program, |l| l != program.error).loops()
}

impl Loop {
    /// Is a location one of the loop?
    pub fn has(&self, l: Loc) -> bool {
        self.members.binary_search(&l).is_ok()
    }

    /// Is it entered elsewhere than at its head?
    fn has_side_entries(&self, program: &Program) -> bool {
        program.edges.iter().any(|e| e.target != self.head && self.has(e.target) && !self.has(e.source))
    }
}

impl Measures {
    /// The heads of loops that have no measure.
    pub fn missing(&self, program: &Program) -> Vec<Loc> {
        let known = |l: &Loc| self.of.iter().any(|(head, _)| head == l);
        loops(program).into_iter().map(|l| l.head).filter(|head| !known(head)).collect()
    }

    /// The program that reaches its error location also when a measure does not go down.
    pub fn watch(&self, pool: &TermPool, program: &Program) -> Watched {
        let mut out = Watched { program: program.clone(), instead_of: Vec::new() };
        for l in loops(program) {
            if let Some((_, measure)) = self.of.iter().find(|(head, _)| *head == l.head) {
                Watch::new(pool, program, &l, measure).put_into(&mut out);
            }
        }
        out
    }
}

/// A program with more ways to its error location.
#[derive(Clone, Debug)]
pub struct Watched {
    /// The program.
    pub program: Program,
    /// For each of its new edges, the last ones: the edge back to the head of a loop that a run would take.
    pub instead_of: Vec<EdgeId>,
}

impl Watched {
    /// Lets the locations of a loop have more variables. `at_head` says what they are behind an edge to the
    /// head, from within the loop or from outside; other edges of the loop do not change them. Behind a side
    /// entry they are false, 0 and the like.
    fn keep(
        &mut self,
        pool: &TermPool,
        of: &Loop,
        kept: &[Term],
        mut at_head: impl FnMut(&mut Watched, EdgeId, bool) -> Vec<Term>,
    ) {
        let edges: Vec<EdgeId> = self.program.edge_ids().collect();
        for e in edges {
            let Edge { source, target, .. } = *self.program.edge(e);
            let values = match (of.has(source), of.has(target)) {
                (_, false) => continue,
                (again, true) if target == of.head => at_head(self, e, again),
                (true, true) => kept.to_vec(),
                (false, true) => {
                    kept.iter().map(|&v| Value::default_of(pool.sort(v)).to_term(pool)).collect()
                }
            };
            self.program.edges[e.index()].update.extend(values);
        }
        for l in &of.members {
            self.program.locations[l.index()].vars.extend(kept);
        }
    }

    fn add_error(&mut self, pool: &TermPool, e: EdgeId, if_also: Term, property: Property) {
        let edge = self.program.edge(e);
        let mut stuck = Edge { target: self.program.error, update: Vec::new(), ..edge.clone() };
        stuck.guard = pool.and2(edge.guard, if_also);
        stuck.origin.property = Some(property);
        self.program.add_edge(stuck);
        self.instead_of.push(e);
    }
}

/// The program that reaches its error location also when it repeats a state at the head of a loop. When a run
/// comes to a head, it may remember the state; so edges to heads have an input more, the last one. The
/// property says what a repetition means.
pub fn watch_repetition(pool: &TermPool, program: &Program, property: &Property) -> Watched {
    let mut out = Watched { program: program.clone(), instead_of: Vec::new() };
    for l in loops(program) {
        let name = |what: &str| format!("{what} at {}", program.location(l.head).name);
        let now = program.vars(l.head);
        let before = now
            .iter()
            .map(|&v| pool.var(&name(&format!("{} before", pool.var_display(v))), pool.sort(v).clone()));
        let (known, choice) = (pool.var(&name("known"), Sort::Bool), pool.var(&name("remember"), Sort::Bool));
        let kept: Vec<Term> = [known].into_iter().chain(before).collect();
        out.keep(pool, &l, &kept, |out, e, again| {
            let state: Vec<Term> = now.iter().map(|&v| out.program.after(pool, e, v)).collect();
            out.program.edges[e.index()].inputs.push(choice);
            if !again {
                return [choice].into_iter().chain(state).collect();
            }
            let same = kept[1..].iter().zip(&state).map(|(&a, &b)| pool.eq(a, b));
            out.add_error(pool, e, pool.and([known].into_iter().chain(same)), property.clone());
            let keep = kept[1..].iter().zip(&state).map(|(&old, &new)| pool.ite(choice, new, old));
            [pool.or2(known, choice)].into_iter().chain(keep).collect()
        });
    }
    out
}

/// The measure of one loop.
struct Watch<'a> {
    pool: &'a TermPool,
    of: &'a Loop,
    /// What the measure is when a run comes to the head from outside, and in the next round.
    first: Vec<Term>,
    next: Vec<Term>,
    /// The variables that keep it.
    kept: Vec<Term>,
    /// Has the run been at the head since it entered the loop? Without side entries it has.
    counted: Option<Term>,
}

impl<'a> Watch<'a> {
    fn new(pool: &'a TermPool, program: &Program, of: &'a Loop, measure: &Measure) -> Watch<'a> {
        let name = |what: &dyn Display| format!("measure {what} of {}", program.location(of.head).name);
        let (kept, first, next): (Vec<Term>, Vec<Term>, Vec<Term>) = match measure {
            Measure::Terms(terms) => {
                let kept = |(i, &t): (usize, &Term)| pool.var(&name(&i), pool.sort(t).clone());
                (terms.iter().enumerate().map(kept).collect(), terms.clone(), terms.clone())
            }
            Measure::Rounds(n) => {
                let left = pool.var(&name(&0), Sort::BitVec(32));
                let less = pool.bv_sub(left, pool.bitvec(1, 32));
                (vec![left], vec![pool.bitvec(*n, 32)], vec![less])
            }
        };
        let counted = of.has_side_entries(program).then(|| pool.var(&name(&"known"), Sort::Bool));
        Watch { pool, of, first, next, kept, counted }
    }

    fn put_into(&self, out: &mut Watched) {
        let pool = self.pool;
        let all: Vec<Term> = self.counted.iter().chain(&self.kept).copied().collect();
        out.keep(pool, self.of, &all, |out, e, again| {
            // What is kept is not among the variables of the head yet: it means what was kept before.
            let after = |terms: &[Term]| -> Vec<Term> {
                terms.iter().map(|&t| out.program.after(pool, e, t)).collect()
            };
            let (first, next) = (after(&self.first), after(&self.next));
            let mut values = first;
            if again {
                let less = is_less(pool, &next, &self.kept);
                let down = self.counted.map_or(less, |counted| pool.implies(counted, less));
                let one = |(&first, &next): (&Term, &Term)| match self.counted {
                    Some(counted) => pool.ite(counted, next, first),
                    None => next,
                };
                values = values.iter().zip(&next).map(one).collect();
                out.add_error(pool, e, pool.not(down), Property::Violated(Arc::from(TERMINATION)));
                let edge = &mut out.program.edges[e.index()];
                edge.guard = pool.and2(edge.guard, down);
            }
            self.counted.map(|_| pool.tru()).into_iter().chain(values).collect()
        });
    }
}

/// Is a measure less than it was before, component by component?
pub fn is_less(pool: &TermPool, now: &[Term], before: &[Term]) -> Term {
    let mut less = pool.fls();
    for (&now, &before) in now.iter().zip(before).rev() {
        let (down, not_up) = match pool.sort(now) {
            Sort::Int => {
                let at_least_zero = pool.le(pool.int(0), before);
                (pool.and2(at_least_zero, pool.lt(now, before)), pool.le(now, before))
            }
            _ => (pool.bv_ult(now, before), pool.bv_ule(now, before)),
        };
        less = pool.or2(down, pool.and2(not_up, less));
    }
    less
}
