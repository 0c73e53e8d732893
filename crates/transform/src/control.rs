//! Control-flow recovery: one location for each value of a program counter, the inverse of the single-loop encoding ([`pc`](mod@crate::pc)).
//!
//! Transition systems made from software keep the place in the program in Boolean variables. A location with a loop is divided by the values of its
//! Booleans: from the entry on, each edge is specialised to the values before and after it, by substitution and propagation of units, without a solver. If few values are
//! reached and few steps lead on from each, the Booleans are a program counter, and what comes out is the control-flow automaton that the system was made
//! from: blocks, liveness and location-local frames work again. Otherwise nothing is done.
//!
//! # Invariants
//! - The specialised edges of an edge cover it: a combination of values is left out only when the guard is false under it. An edge that can be
//!   taken by no state adds work, never a wrong verdict.
//! - Beyond a location from which the error is one step away in every state, nothing is explored: no certificate has states there.
//! - The variables of a location stay as they are (constant propagation drops the counter).
//!
//! Way back: `inv(l)` is the disjunction over the values `c` of the counter of `counter = c and inv(l, c)`; a step keeps its values.

use palisade_program::{CutInvariants, Edge, EdgeId, Loc, Location, Program, ReplayError, Run, Step};
use palisade_term::{Op, Sort, Substitution, Term, TermPool, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::back::{Back, BackTranslation, Transformed, Untranslatable};
use crate::graph::Graph;

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
    let mut division = Division {
        pool,
        old,
        graph: Graph::new(old),
        counters,
        options,
        allowance: options.allowance,
        index: FxHashMap::default(),
        places: Vec::new(),
        program: Program { locations: Vec::new(), edges: Vec::new(), entry: Loc(0), error: Loc(1) },
        steps: Vec::new(),
    };
    division.explore()?;
    let Division { counters, places, program, steps, .. } = division;
    Some(Transformed { program, back: Box::new(ControlBack { counters, places, steps }) })
}

/// The positions of the Boolean variables of a location.
fn booleans(pool: &TermPool, program: &Program, l: Loc) -> Vec<usize> {
    (program.vars(l).iter().enumerate())
        .filter(|(_, v)| *pool.sort(**v) == Sort::Bool)
        .map(|(i, _)| i)
        .collect()
}

/// A location of the new program: an old one with the values of its counter.
type Place = (Loc, Vec<bool>);

struct Division<'a> {
    pool: &'a TermPool,
    old: &'a Program,
    graph: Graph,
    /// For every old location, the positions of its counter among its variables.
    counters: Vec<Vec<usize>>,
    options: &'a ControlOptions,
    allowance: usize,
    index: FxHashMap<Place, Loc>,
    places: Vec<Place>,
    program: Program,
    /// For every new edge, the old one and the inputs that were fixed.
    steps: Vec<(EdgeId, Vec<(Term, bool)>)>,
}

/// One case of an edge: what is left of it, and what was decided.
struct Case {
    guard: Term,
    update: Vec<Term>,
    fixed: Vec<(Term, bool)>,
}

impl Division<'_> {
    /// Follows all edges from the entry; `None` when there are too many.
    fn explore(&mut self) -> Option<()> {
        let (entry, error) = (self.old.entry, self.old.error);
        self.place((entry, Vec::new()));
        self.place((error, Vec::new()));
        let mut next = 0;
        while next < self.places.len() {
            let source = Loc(next as u32);
            next += 1;
            let (l, values) = self.places[source.index()].clone();
            let counter = self.counters[l.index()].iter().zip(&values);
            let known: FxHashMap<Term, Term> =
                counter.map(|(&i, &b)| (self.old.vars(l)[i], self.pool.bool(b))).collect();
            // Edges into the error first: where one is always open, the others do not matter.
            let mut outgoing = self.graph.outgoing[l.index()].clone();
            outgoing.sort_by_key(|&e| self.old.edge(e).target != error);
            for e in outgoing {
                if self.follow(source, e, &known)? {
                    break;
                }
            }
            if self.places.len() > self.options.max_locations {
                return None;
            }
        }
        Some(())
    }

    /// Adds the cases of an edge. Says whether it leads into the error from every state.
    fn follow(&mut self, source: Loc, e: EdgeId, known: &FxHashMap<Term, Term>) -> Option<bool> {
        let edge = self.old.edge(e);
        let mut substitution = Substitution::new(self.pool, known);
        let first = Case {
            guard: substitution.apply(edge.guard),
            update: edge.update.iter().map(|&u| substitution.apply(u)).collect(),
            fixed: Vec::new(),
        };
        let inputs: FxHashSet<Term> = edge.inputs.iter().copied().collect();
        let counter = self.counters[edge.target.index()].clone();
        let mut open = vec![first];
        while let Some(case) = open.pop() {
            let Some(case) = self.propagate(case, &inputs)? else { continue };
            let undecided = counter.iter().copied().find(|&i| !self.pool.is_const(case.update[i]));
            if let Some(i) = undecided {
                // The first value last, so that it is looked at first.
                open.extend([true, false].map(|b| self.decide(&case, i, b, &inputs)));
                continue;
            }
            let values = counter.iter().map(|&i| case.update[i] == self.pool.tru()).collect();
            let target = self.place((edge.target, values));
            let always = target == self.program.error && case.guard == self.pool.tru();
            self.program.add_edge(Edge {
                source,
                target,
                inputs: edge
                    .inputs
                    .iter()
                    .copied()
                    .filter(|i| case.fixed.iter().all(|(f, _)| f != i))
                    .collect(),
                guard: case.guard,
                update: case.update,
                origin: edge.origin.clone(),
            });
            self.steps.push((e, case.fixed));
            if always {
                return Some(true);
            }
            // Places that were looked at, not all that were found: one with very many successors is no place in a program.
            if self.program.edges.len() > self.options.max_degree * (source.index() + SLACK) {
                return None;
            }
        }
        Some(false)
    }

    /// Propagates the units of the guard, until nothing changes: a literal among the conjuncts is true everywhere else, and a Boolean input that is one is
    /// fixed. `Some(None)` when the guard is false, `None` when the allowance is used up.
    fn propagate(&mut self, mut case: Case, inputs: &FxHashSet<Term>) -> Option<Option<Case>> {
        let pool = self.pool;
        loop {
            let mut size = 0;
            pool.visit([case.guard], |_| size += 1);
            self.allowance = self.allowance.checked_sub(size)?;
            if case.guard == pool.fls() {
                return Some(None);
            }
            let (mut units, mut others) = (Vec::new(), Vec::new());
            let (mut values, mut known) = (FxHashMap::default(), FxHashMap::default());
            for c in pool.open_conjuncts(case.guard) {
                let (negated, atom) = pool.strip_not(c);
                if matches!(pool.op(atom), Op::And | Op::Or) {
                    others.push(c);
                    continue;
                }
                known.extend([(c, pool.tru()), (pool.not(c), pool.fls())]);
                if inputs.contains(&atom) {
                    values.insert(atom, pool.bool(!negated));
                    case.fixed.push((atom, !negated));
                } else {
                    units.push(c);
                }
            }
            // A unit is not simplified by itself, only by the inputs that are fixed.
            let mut by_values = Substitution::new(pool, &values);
            let units = units.into_iter().map(|c| by_values.apply(c));
            let mut by_units = Substitution::new(pool, &known);
            let simpler: Vec<Term> = others.iter().map(|&c| by_units.apply(c)).collect();
            let update = case.update.iter().map(|&u| by_units.apply(u)).collect();
            let settled = values.is_empty() && simpler == others;
            case = Case { guard: pool.and(units.chain(simpler)), update, fixed: case.fixed };
            if settled {
                return Some((case.guard != pool.fls()).then_some(case));
            }
        }
    }

    /// The case in which a variable of the counter gets the value.
    fn decide(&self, case: &Case, i: usize, value: bool, inputs: &FxHashSet<Term>) -> Case {
        let (negated, atom) = self.pool.strip_not(case.update[i]);
        if inputs.contains(&atom) {
            return self.fix(case, &[(atom, value != negated)]);
        }
        let condition = if value { case.update[i] } else { self.pool.not(case.update[i]) };
        let mut update = case.update.clone();
        update[i] = self.pool.bool(value);
        Case { guard: self.pool.and2(case.guard, condition), update, fixed: case.fixed.clone() }
    }

    fn fix(&self, case: &Case, values: &[(Term, bool)]) -> Case {
        let map: FxHashMap<Term, Term> = values.iter().map(|&(v, b)| (v, self.pool.bool(b))).collect();
        let mut substitution = Substitution::new(self.pool, &map);
        Case {
            guard: substitution.apply(case.guard),
            update: case.update.iter().map(|&u| substitution.apply(u)).collect(),
            fixed: case.fixed.iter().chain(values).copied().collect(),
        }
    }

    /// The location of a place, made when it is new.
    fn place(&mut self, place: Place) -> Loc {
        if let Some(&l) = self.index.get(&place) {
            return l;
        }
        let old = self.old.location(place.0);
        let mut name = old.name.clone();
        if !place.1.is_empty() {
            name.push('@');
            name.extend(place.1.iter().map(|&b| if b { '1' } else { '0' }));
        }
        let l = self.program.add_location(Location {
            name,
            position: old.position.clone(),
            vars: old.vars.clone(),
        });
        self.index.insert(place.clone(), l);
        self.places.push(place);
        l
    }
}

struct ControlBack {
    counters: Vec<Vec<usize>>,
    places: Vec<Place>,
    steps: Vec<(EdgeId, Vec<(Term, bool)>)>,
}

impl BackTranslation for ControlBack {
    fn cut_invariants(&self, pool: &TermPool, old: &Program, new: &CutInvariants) -> Back<CutInvariants> {
        if new.formulas.len() != self.places.len() {
            return Err(Untranslatable::WrongLength);
        }
        let mut cases: Vec<Option<Vec<Term>>> = vec![Some(Vec::new()); old.locations.len()];
        for ((l, values), formula) in self.places.iter().zip(&new.formulas) {
            let here = self.counters[l.index()].iter().zip(values).map(|(&i, &b)| {
                let v = old.vars(*l)[i];
                if b { v } else { pool.not(v) }
            });
            match (formula, &mut cases[l.index()]) {
                (Some(f), Some(cases)) => cases.push(pool.and(here.chain([*f]))),
                // Without one of its parts, nothing is known about the whole.
                (_, cases) if values.is_empty() => *cases = None,
                _ => {
                    let reason = "a part of it lies inside a block".into();
                    return Err(Untranslatable::Quantifier { location: *l, reason });
                }
            }
        }
        Ok(CutInvariants { formulas: cases.into_iter().map(|c| c.map(|c| pool.or(c))).collect() })
    }

    fn run(&self, pool: &TermPool, old: &Program, new: &Run) -> Back<Run> {
        let mut run = Run { initial: new.initial.clone(), steps: Vec::with_capacity(new.steps.len()) };
        for (i, step) in new.steps.iter().enumerate() {
            let Some((edge, fixed)) = self.steps.get(step.edge.index()) else {
                return Err(Untranslatable::NotARun(ReplayError::WrongSource { step: i }));
            };
            let mut free = step.inputs.iter();
            let value = |input: &Term| match fixed.iter().find(|(f, _)| f == input) {
                Some((_, b)) => Value::Bool(*b),
                None => free.next().cloned().unwrap_or_else(|| Value::default_of(pool.sort(*input))),
            };
            let inputs = old.edge(*edge).inputs.iter().map(value).collect();
            run.steps.push(Step { edge: *edge, inputs });
        }
        Ok(run)
    }
}
