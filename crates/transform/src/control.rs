//! Control-flow recovery: one location for each value of a program counter, the inverse of the single-loop
//! encoding ([`pc`](mod@crate::pc)).
//!
//! Transition systems made from software keep the place in the program in Boolean variables. A location with
//! a loop is divided by the values of its Booleans: from the entry on, each edge is specialised to the values
//! before and after it, by substitution and propagation of units, without a solver. If few values are reached
//! and few steps lead on from each, the Booleans are a program counter, and what comes out is the
//! control-flow automaton that the system was made from: blocks, liveness and location-local frames work
//! again. Otherwise nothing is done.
//!
//! # Invariants
//! - The specialised edges of an edge cover it: a combination of values is left out only when the guard is
//!   false under it. An edge that can be taken by no state adds work, never a wrong verdict.
//! - Beyond a location from which the error is one step away in every state, nothing is explored: no
//!   certificate has states there.
//! - The variables of a location stay as they are (constant propagation drops the counter).
//!
//! Entry point: [`control`](fn@control). Way back: that of `divide`, with the values of
//! the counter as conditions.

use palisade_program::{EdgeId, Graph, Loc, Program};
use palisade_term::{Sort, Term, TermPool};
use rustc_hash::FxHashSet;

use crate::back::Transformed;
use crate::divide::{Case, Division, Place};

/// When Booleans count as a program counter.
#[derive(Clone, Debug)]
pub struct ControlOptions {
    /// More locations than this are too many.
    pub max_locations: usize,
    /// More edges than this for each location, in the mean, are too many.
    pub max_degree: usize,
    /// A bound on the work: the terms of all guards that are looked at.
    pub allowance: usize,
}

impl Default for ControlOptions {
    fn default() -> Self {
        ControlOptions { max_locations: 400, max_degree: 4, allowance: 20_000_000 }
    }
}

/// So many locations may have more edges than others before the Booleans are given up.
const SLACK: usize = 8;

/// Divides locations by the values of their Booleans; `None` when these are no program counter.
pub fn control(pool: &TermPool, old: &Program, options: &ControlOptions) -> Option<Transformed> {
    let own_loop = |l: Loc| old.edges.iter().any(|e| e.source == l && e.target == l);
    let counters: Vec<Vec<usize>> =
        (old.locs()).map(|l| if own_loop(l) { booleans(pool, old, l) } else { Vec::new() }).collect();
    if counters.iter().all(Vec::is_empty) {
        return None;
    }
    let allowance = options.allowance;
    let division = Division::new(old);
    let mut recovery = Recovery { pool, old, graph: Graph::new(old), counters, options, allowance, division };
    recovery.explore()?;
    Some(recovery.division.finish())
}

/// The positions of the Boolean variables of a location.
fn booleans(pool: &TermPool, program: &Program, l: Loc) -> Vec<usize> {
    (program.vars(l).iter().enumerate())
        .filter(|(_, v)| *pool.sort(**v) == Sort::Bool)
        .map(|(i, _)| i)
        .collect()
}

struct Recovery<'a> {
    pool: &'a TermPool,
    old: &'a Program,
    graph: Graph,
    /// For every old location, the positions of its counter among its variables.
    counters: Vec<Vec<usize>>,
    options: &'a ControlOptions,
    allowance: usize,
    division: Division<'a>,
}

impl Recovery<'_> {
    /// Follows all edges from the entry; `None` when there are too many.
    fn explore(&mut self) -> Option<()> {
        let error = self.old.error;
        let mut next = 0;
        while next < self.division.places.len() {
            let source = Loc(next as u32);
            next += 1;
            let Place { loc, condition } = self.division.places[source.index()].clone();
            // Edges into the error first: where one is always open, the others do not matter.
            let mut outgoing = self.graph.outgoing[loc.index()].clone();
            outgoing.sort_by_key(|&e| self.old.edge(e).target != error);
            for e in outgoing {
                if self.follow(source, e, &condition)? {
                    break;
                }
            }
            if self.division.places.len() > self.options.max_locations {
                return None;
            }
        }
        Some(())
    }

    /// Adds the cases of an edge. Says whether it leads into the error from every state.
    fn follow(&mut self, source: Loc, e: EdgeId, condition: &[Term]) -> Option<bool> {
        let (pool, edge) = (self.pool, self.old.edge(e));
        let values: Vec<(Term, bool)> = (condition.iter())
            .map(|&c| pool.strip_not(c))
            .map(|(negated, variable)| (variable, !negated))
            .collect();
        let first = Case { fixed: Vec::new(), ..Case::of(edge).fix(pool, &values) };
        let inputs: FxHashSet<Term> = edge.inputs.iter().copied().collect();
        let counter = self.counters[edge.target.index()].clone();
        let mut open = vec![first];
        while let Some(case) = open.pop() {
            let Some(case) = case.propagate(pool, &inputs, &mut self.allowance)? else { continue };
            let undecided = counter.iter().copied().find(|&i| !pool.is_const(case.update[i]));
            if let Some(i) = undecided {
                // The first value last, so that it is looked at first.
                open.extend([true, false].map(|b| self.decide(&case, i, b, &inputs)));
                continue;
            }
            let literal = |&i: &usize| {
                let v = self.old.vars(edge.target)[i];
                if case.update[i] == pool.tru() { v } else { pool.not(v) }
            };
            let condition = counter.iter().map(literal).collect();
            let target = self.division.place(Place { loc: edge.target, condition });
            let always = edge.target == self.old.error && case.guard == pool.tru();
            self.division.add(source, target, e, case);
            if always {
                return Some(true);
            }
            // Places that were looked at, not all that were found: one with very many successors is no place
            // in a program.
            if self.division.program.edges.len() > self.options.max_degree * (source.index() + SLACK) {
                return None;
            }
        }
        Some(false)
    }

    /// The case in which a variable of the counter gets the value.
    fn decide(&self, case: &Case, i: usize, value: bool, inputs: &FxHashSet<Term>) -> Case {
        let (negated, atom) = self.pool.strip_not(case.update[i]);
        if inputs.contains(&atom) {
            return case.fix(self.pool, &[(atom, value != negated)]);
        }
        let condition = if value { case.update[i] } else { self.pool.not(case.update[i]) };
        let mut update = case.update.clone();
        update[i] = self.pool.bool(value);
        Case { guard: self.pool.and2(case.guard, condition), update, fixed: case.fixed.clone() }
    }
}
