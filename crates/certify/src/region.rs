//! The regions between annotated locations, each as one formula.
//!
//! A certificate may leave *interior* locations without a formula, as long as the annotated ones cut every
//! cycle. Then what lies between an annotated location and the next ones is acyclic, and consecution is a
//! statement about the paths through it (Floyd, "Assigning Meanings to Programs", 1967). There may be
//! exponentially many, but one formula of the size of the region describes them all:
//! - an edge that is not the only one to leave its source has a Boolean `taken`, which implies that its
//!   source is reached and that its guard holds;
//! - a location is reached when one of its incoming edges is taken;
//! - a location's variables have the values that the only way there gives them; where ways with different
//!   values meet, the variable gets a copy, which equals the value of every edge that is taken there; the
//!   cells of arrays that differ at constant indices only are chosen by the first edge that is taken;
//! - every edge has its own copy of its inputs. They are simply free: no quantifiers.
//!
//! Every path satisfies it: take the edges of the path and no others. And in every model there is a path into
//! each reached location: go backwards along the first taken edges. So the formula is exact, although it does
//! not forbid that several paths are taken at once.
//!
//! Entry points: [`Regions::new`], [`Regions::behind`].

use std::collections::BTreeMap;

use palisade_program::{CutInvariants, EdgeId, Loc, Program};
use palisade_term::{Assignment, Sort, Substitution, Term, TermPool};
use rustc_hash::FxHashMap;

/// The interior locations of a certificate, in an order in which edges between them go forward.
pub(crate) struct Regions<'a> {
    pool: &'a TermPool,
    program: &'a Program,
    outgoing: Vec<Vec<EdgeId>>,
    /// Interior locations in topological order.
    order: Vec<Loc>,
    /// The position of an interior location in `order`; `None` for annotated ones.
    position: Vec<Option<usize>>,
    /// The copies of the variables of a location and of the inputs of an edge, and the Boolean of an edge:
    /// the same in all regions, made when first needed.
    vars: FxHashMap<(Loc, usize), Term>,
    inputs: FxHashMap<EdgeId, Vec<Term>>,
    taken: FxHashMap<EdgeId, Term>,
}

/// What lies between an annotated location and the next ones, if there is anything between them.
pub(crate) struct Region {
    /// Over the start's plain variables and copies of everything else: what is so when edges are taken.
    pub constraints: Vec<Term>,
    /// The annotated locations where it ends, with what arrives there.
    pub exits: Vec<(Loc, Reached)>,
    interior: FxHashMap<Loc, Vec<(EdgeId, Term)>>,
}

/// A location as a region reaches it.
pub(crate) struct Reached {
    /// When it is reached.
    pub reach: Term,
    /// The values of its variables, when it is.
    pub values: Vec<Term>,
    /// The edges that lead there, and when they are taken.
    arrivals: Vec<(EdgeId, Term)>,
}

/// One edge that leads to a location.
struct Arrival {
    edge: EdgeId,
    taken: Term,
    values: Vec<Term>,
}

impl<'a> Regions<'a> {
    /// Orders the interior locations; a location on a cycle of them when they cannot be ordered. An edge
    /// whose guard is the constant false does not count.
    pub fn new(pool: &'a TermPool, program: &'a Program, invariants: &CutInvariants) -> Result<Self, Loc> {
        let mut outgoing = program.outgoing();
        for edges in &mut outgoing {
            edges.retain(|&e| program.edge(e).guard != pool.fls());
        }
        let interior = |l: Loc| invariants.at(l).is_none();
        let order = topological(program, &outgoing, interior)?;
        let mut position = vec![None; program.locations.len()];
        for (i, l) in order.iter().enumerate() {
            position[l.index()] = Some(i);
        }
        let (vars, inputs, taken) = Default::default();
        Ok(Regions { pool, program, outgoing, order, position, vars, inputs, taken })
    }

    /// Does the edge both start and end at annotated locations?
    pub fn is_direct(&self, e: EdgeId) -> bool {
        let edge = self.program.edge(e);
        self.position[edge.source.index()].is_none() && self.position[edge.target.index()].is_none()
    }

    /// The region behind an annotated location, without the edges that are direct.
    pub fn behind(&mut self, start: Loc) -> Region {
        let mut region =
            Region { constraints: Vec::new(), exits: Vec::new(), interior: FxHashMap::default() };
        let mut pending: BTreeMap<usize, Vec<Arrival>> = BTreeMap::new();
        let mut leaving: BTreeMap<Loc, Vec<Arrival>> = BTreeMap::new();
        let arrivals = Vec::new();
        let mut current = Some((
            start,
            Reached { reach: self.pool.tru(), values: self.program.vars(start).to_vec(), arrivals },
        ));
        while let Some((l, reached)) = current {
            let edges: Vec<EdgeId> =
                self.outgoing[l.index()].iter().copied().filter(|&e| !self.is_direct(e)).collect();
            let only = self.outgoing[l.index()].len() == 1;
            for e in edges {
                let Some(arrival) = self.take(e, only, &reached, &mut region.constraints) else { continue };
                let target = self.program.edge(e).target;
                match self.position[target.index()] {
                    Some(p) => pending.entry(p).or_default().push(arrival),
                    None => leaving.entry(target).or_default().push(arrival),
                }
            }
            if l != start {
                region.interior.insert(l, reached.arrivals);
            }
            current = pending.pop_first().map(|(p, arrivals)| {
                let l = self.order[p];
                (l, self.join(l, arrivals, &mut region.constraints))
            });
        }
        for (l, arrivals) in leaving {
            let reached = self.join(l, arrivals, &mut region.constraints);
            region.exits.push((l, reached));
        }
        region
    }

    /// Takes an edge from a location; `None` when its guard is false there.
    fn take(
        &mut self,
        e: EdgeId,
        only: bool,
        reached: &Reached,
        constraints: &mut Vec<Term>,
    ) -> Option<Arrival> {
        let (pool, program) = (self.pool, self.program);
        let edge = program.edge(e);
        let copy = |&i: &Term| pool.fresh_var(pool.var_name(i), pool.sort(i).clone());
        let inputs = self.inputs.entry(e).or_insert_with(|| edge.inputs.iter().map(copy).collect());
        let vars = program.vars(edge.source).iter().zip(&reached.values);
        let map: FxHashMap<Term, Term> =
            vars.chain(edge.inputs.iter().zip(&*inputs)).map(|(&v, &t)| (v, t)).collect();
        let mut instance = Substitution::new(pool, &map);
        let guard = instance.apply(edge.guard);
        if guard == pool.fls() {
            return None;
        }
        let condition = pool.and([reached.reach, guard]);
        let taken = if only && pool.is_literal(condition) {
            condition
        } else {
            let taken = *self.taken.entry(e).or_insert_with(|| pool.fresh_var("taken", Sort::Bool));
            constraints.push(pool.implies(taken, reached.reach));
            constraints.push(pool.implies(taken, guard));
            taken
        };
        let values = edge.update.iter().map(|&u| instance.apply(u)).collect();
        Some(Arrival { edge: e, taken, values })
    }

    /// Brings together what arrives at a location.
    fn join(&mut self, l: Loc, arrivals: Vec<Arrival>, constraints: &mut Vec<Term>) -> Reached {
        let pool = self.pool;
        let mut values = arrivals[0].values.clone();
        for (i, value) in values.iter_mut().enumerate() {
            if arrivals.iter().all(|a| a.values[i] == *value) {
                continue;
            }
            let var = self.program.vars(l)[i];
            if pool.sort(var).array_parts().is_some() {
                let ways: Vec<(Term, Term)> = arrivals.iter().map(|a| (a.taken, a.values[i])).collect();
                if let Some(chosen) = pool.choose_cells(&ways) {
                    *value = chosen;
                    continue;
                }
            }
            let copy = *(self.vars.entry((l, i)))
                .or_insert_with(|| pool.fresh_var(pool.var_name(var), pool.sort(var).clone()));
            constraints.extend(arrivals.iter().map(|a| pool.implies(a.taken, pool.eq(copy, a.values[i]))));
            *value = copy;
        }
        let arrivals: Vec<(EdgeId, Term)> = arrivals.into_iter().map(|a| (a.edge, a.taken)).collect();
        Reached { reach: pool.or(arrivals.iter().map(|a| a.1)), values, arrivals }
    }
}

impl Region {
    /// The path by which an exit is reached in a model.
    pub fn path(
        &self,
        pool: &TermPool,
        program: &Program,
        exit: &Reached,
        model: &Assignment,
    ) -> Vec<EdgeId> {
        let mut path = Vec::new();
        let mut arrivals = Some(&exit.arrivals);
        while let Some(list) = arrivals {
            let Some(&(e, _)) = list.iter().find(|(_, taken)| pool.holds(*taken, model)) else { break };
            path.push(e);
            arrivals = self.interior.get(&program.edge(e).source);
        }
        path.reverse();
        path
    }
}

/// The locations of a set in topological order, or one on a cycle among them.
fn topological(
    program: &Program,
    outgoing: &[Vec<EdgeId>],
    member: impl Fn(Loc) -> bool,
) -> Result<Vec<Loc>, Loc> {
    #[derive(Clone, Copy, PartialEq)]
    enum Mark {
        New,
        Open,
        Done,
    }
    let mut marks = vec![Mark::New; program.locations.len()];
    let mut order = Vec::new();
    for root in program.locs().filter(|&l| member(l)) {
        if marks[root.index()] != Mark::New {
            continue;
        }
        marks[root.index()] = Mark::Open;
        let mut stack = vec![(root, 0)];
        while let Some((l, next)) = stack.last_mut() {
            let l = *l;
            let Some(&e) = outgoing[l.index()].get(*next) else {
                marks[l.index()] = Mark::Done;
                order.push(l);
                stack.pop();
                continue;
            };
            *next += 1;
            let target = program.edge(e).target;
            if !member(target) {
                continue;
            }
            match marks[target.index()] {
                Mark::New => {
                    marks[target.index()] = Mark::Open;
                    stack.push((target, 0));
                }
                Mark::Open => return Err(target),
                Mark::Done => {}
            }
        }
    }
    order.reverse();
    Ok(order)
}
