//! Dividing locations: what recovery of control flow and of phases share.
//!
//! A location of the new program is a [`Place`]: an old one with a condition on its states. The places of an
//! old location are disjoint and cover what can be reached there. A new edge is a [`Case`] of an old one: its
//! guard strengthened by the conditions before and after it, and simplified.
//!
//! Way back ([`DivisionBack`]): the formula of a location is the disjunction over its places of condition and
//! formula; a step keeps its edge.

use palisade_program::{CutInvariants, Edge, EdgeId, Loc, Location, Program, ReplayError, Run, Step};
use palisade_term::{Op, Substitution, Term, TermPool, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::back::{Back, BackTranslation, Untranslatable};

/// A location of the new program.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(crate) struct Place {
    /// The old location.
    pub loc: Loc,
    /// The literals that hold here, over the old location's variables.
    pub condition: Vec<Term>,
}

/// One case of an edge: what is left of it, and what was decided.
#[derive(Clone)]
pub(crate) struct Case {
    pub guard: Term,
    pub update: Vec<Term>,
    /// Boolean inputs that have a value now.
    pub fixed: Vec<(Term, bool)>,
}

impl Case {
    /// The whole edge.
    pub fn of(edge: &Edge) -> Case {
        Case { guard: edge.guard, update: edge.update.clone(), fixed: Vec::new() }
    }

    /// Propagates the units of the guard, until nothing changes: a literal among the conjuncts is true
    /// everywhere else, and a Boolean input that is one is fixed. `Some(None)` when the guard is false;
    /// `None` when the allowance, which pays for the terms that are looked at, is used up.
    pub fn propagate(
        mut self,
        pool: &TermPool,
        inputs: &FxHashSet<Term>,
        allowance: &mut usize,
    ) -> Option<Option<Case>> {
        loop {
            let mut size = 0;
            pool.visit([self.guard], |_| size += 1);
            *allowance = allowance.checked_sub(size)?;
            if self.guard == pool.fls() {
                return Some(None);
            }
            let (mut units, mut others) = (Vec::new(), Vec::new());
            let (mut values, mut known) = (FxHashMap::default(), FxHashMap::default());
            for c in pool.open_conjuncts(self.guard) {
                let (negated, atom) = pool.strip_not(c);
                if matches!(pool.op(atom), Op::And | Op::Or) {
                    others.push(c);
                    continue;
                }
                known.extend([(c, pool.tru()), (pool.not(c), pool.fls())]);
                if inputs.contains(&atom) {
                    values.insert(atom, pool.bool(!negated));
                    self.fixed.push((atom, !negated));
                } else {
                    units.push(c);
                }
            }
            // A unit is not simplified by itself, only by the inputs that are fixed.
            let mut by_values = Substitution::new(pool, &values);
            let units = units.into_iter().map(|c| by_values.apply(c));
            let mut by_units = Substitution::new(pool, &known);
            let simpler: Vec<Term> = others.iter().map(|&c| by_units.apply(c)).collect();
            let update = self.update.iter().map(|&u| by_units.apply(u)).collect();
            let settled = values.is_empty() && simpler == others;
            self = Case { guard: pool.and(units.chain(simpler)), update, fixed: self.fixed };
            if settled {
                return Some((self.guard != pool.fls()).then_some(self));
            }
        }
    }

    /// The case with values for Boolean inputs.
    pub fn fix(&self, pool: &TermPool, values: &[(Term, bool)]) -> Case {
        let map: FxHashMap<Term, Term> = values.iter().map(|&(v, b)| (v, pool.bool(b))).collect();
        let mut substitution = Substitution::new(pool, &map);
        Case {
            guard: substitution.apply(self.guard),
            update: self.update.iter().map(|&u| substitution.apply(u)).collect(),
            fixed: self.fixed.iter().chain(values).copied().collect(),
        }
    }
}

/// The new program as it grows.
pub(crate) struct Division<'a> {
    old: &'a Program,
    pub program: Program,
    pub places: Vec<Place>,
    index: FxHashMap<Place, Loc>,
    names: FxHashSet<String>,
    /// For every new edge, the old one and the inputs that were fixed.
    steps: Vec<(EdgeId, Vec<(Term, bool)>)>,
}

impl<'a> Division<'a> {
    /// The entry and the error, undivided.
    pub fn new(old: &'a Program) -> Division<'a> {
        let program = Program { locations: Vec::new(), ..Program::new() };
        let (places, index, steps) = (Vec::new(), FxHashMap::default(), Vec::new());
        let names = FxHashSet::default();
        let mut division = Division { old, program, places, index, names, steps };
        division.place(Place { loc: old.entry, condition: Vec::new() });
        division.place(Place { loc: old.error, condition: Vec::new() });
        division
    }

    /// The location of a place, made when it is new.
    pub fn place(&mut self, place: Place) -> Loc {
        if let Some(&l) = self.index.get(&place) {
            return l;
        }
        let old = self.old.location(place.loc);
        let mut name = old.name.clone();
        if !place.condition.is_empty() {
            // Numbered, as a condition and its negation need not look different.
            let part = self.places.iter().filter(|p| p.loc == place.loc).count();
            name = format!("{name}@{part}");
        }
        while !self.names.insert(name.clone()) {
            name.push('!');
        }
        let (position, vars) = (old.position.clone(), old.vars.clone());
        let l = self.program.add_location(Location { name, position, vars });
        self.index.insert(place.clone(), l);
        self.places.push(place);
        l
    }

    /// Adds a case of an old edge.
    pub fn add(&mut self, source: Loc, target: Loc, e: EdgeId, case: Case) {
        let edge = self.old.edge(e);
        let is_free = |i: &Term| case.fixed.iter().all(|(f, _)| f != i);
        self.program.add_edge(Edge {
            source,
            target,
            inputs: edge.inputs.iter().copied().filter(is_free).collect(),
            guard: case.guard,
            update: case.update,
            origin: edge.origin.clone(),
        });
        self.steps.push((e, case.fixed));
    }

    /// The new program, with the way back.
    pub fn finish(self) -> crate::Transformed {
        let back = DivisionBack { places: self.places, steps: self.steps };
        crate::Transformed { program: self.program, back: Box::new(back) }
    }
}

struct DivisionBack {
    places: Vec<Place>,
    steps: Vec<(EdgeId, Vec<(Term, bool)>)>,
}

impl BackTranslation for DivisionBack {
    fn cut_invariants(&self, pool: &TermPool, old: &Program, new: &CutInvariants) -> Back<CutInvariants> {
        if new.formulas.len() != self.places.len() {
            return Err(Untranslatable::WrongLength);
        }
        let mut cases: Vec<Option<Vec<Term>>> = vec![Some(Vec::new()); old.locations.len()];
        for (Place { loc, condition }, formula) in self.places.iter().zip(&new.formulas) {
            match (formula, &mut cases[loc.index()]) {
                (Some(f), Some(cases)) => cases.push(pool.and(condition.iter().chain([f]).copied())),
                // Without one of its parts, nothing is known about the whole.
                (_, cases) if condition.is_empty() => *cases = None,
                _ => {
                    let reason = "a part of it lies inside a block".into();
                    return Err(Untranslatable::Quantifier { location: *loc, reason });
                }
            }
        }
        let formulas = cases.into_iter().map(|c| c.map(|c| pool.or(c))).collect();
        Ok(CutInvariants { formulas, rounds: None, forall: new.forall.clone() })
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
