//! Programs rebuilt edge by edge: what trimming, constant propagation and liveness share.
//!
//! The new program keeps some locations, at each some of the variables, and some edges with their guards and
//! updates rewritten. Runs go back by renaming edges; inputs and initial values that were dropped do not
//! matter and get their sort's default.

use palisade_program::{CutInvariants, Edge, EdgeId, Loc, Location, Program, Run, Step};
use palisade_term::{Term, TermPool, Value};
use rustc_hash::FxHashSet;

use crate::back::{Back, Untranslatable};

/// The correspondence between a rebuilt program and its old one.
pub(crate) struct Correspondence {
    /// For every new location, the old one.
    pub locs: Vec<Loc>,
    /// For every new edge, the old one.
    edges: Vec<EdgeId>,
    /// For every new edge, the position of each of its inputs among the old edge's inputs.
    inputs: Vec<Vec<u32>>,
    /// The position of each variable of the new entry among the old entry's variables.
    initial: Vec<u32>,
}

impl Correspondence {
    /// Formulas of the new program at the old locations; `gone` where the location is gone.
    pub fn formulas(
        &self,
        old: &Program,
        new: &CutInvariants,
        gone: impl Fn(Loc) -> Term,
    ) -> Back<CutInvariants> {
        at_old_locations(&self.locs, old, new, |l| Some(gone(l)))
    }

    /// The old run of a new one.
    pub fn run(&self, pool: &TermPool, old: &Program, new: &Run) -> Back<Run> {
        let spread = |vars: &[Term], positions: &[u32], values: &[Value]| -> Vec<Value> {
            let mut out: Vec<Value> = vars.iter().map(|&v| Value::default_of(pool.sort(v))).collect();
            for (&p, v) in positions.iter().zip(values) {
                out[p as usize] = v.clone();
            }
            out
        };
        let mut run =
            Run { initial: spread(old.vars(old.entry), &self.initial, &new.initial), steps: Vec::new() };
        for (i, step) in new.steps.iter().enumerate() {
            let Some(&edge) = self.edges.get(step.edge.index()) else {
                return Err(Untranslatable::NotARun(palisade_program::ReplayError::WrongSource { step: i }));
            };
            let inputs = spread(&old.edge(edge).inputs, &self.inputs[step.edge.index()], &step.inputs);
            run.steps.push(Step { edge, inputs });
        }
        Ok(run)
    }
}

/// The formulas of new locations at the old ones they come from; `elsewhere` tells those of the others.
pub(crate) fn at_old_locations(
    origins: &[Loc],
    old: &Program,
    new: &CutInvariants,
    elsewhere: impl Fn(Loc) -> Option<Term>,
) -> Back<CutInvariants> {
    if new.formulas.len() != origins.len() {
        return Err(Untranslatable::WrongLength);
    }
    let mut formulas: Vec<Option<Term>> = old.locs().map(elsewhere).collect();
    for (l, &f) in origins.iter().zip(&new.formulas) {
        formulas[l.index()] = f;
    }
    Ok(CutInvariants { formulas, rounds: None, forall: new.forall.clone() })
}

/// Rebuilds a program. `keep_var` says which variables stay at which location (those of dropped locations are
/// not asked for); `rewrite` gives the guard and the update (for all old target variables) of an edge, or
/// `None` to drop it. Edges at dropped locations go too. The entry and the error always stay.
pub(crate) fn rebuild(
    pool: &TermPool,
    old: &Program,
    keep_loc: &[bool],
    keep_var: impl Fn(Loc, usize) -> bool,
    mut rewrite: impl FnMut(EdgeId) -> Option<(Term, Vec<Term>)>,
) -> (Program, Correspondence) {
    let keep = |l: Loc| keep_loc[l.index()] || l == old.entry || l == old.error;
    let mut map: Vec<Option<Loc>> = vec![None; old.locations.len()];
    let mut locations = Vec::new();
    let mut locs = Vec::new();
    let mut kept_vars: Vec<Vec<usize>> = vec![Vec::new(); old.locations.len()];
    for l in old.locs().filter(|&l| keep(l)) {
        map[l.index()] = Some(Loc(locations.len() as u32));
        locs.push(l);
        let place = old.location(l);
        let kept: Vec<usize> = (0..place.vars.len()).filter(|&i| keep_var(l, i)).collect();
        locations.push(Location {
            name: place.name.clone(),
            position: place.position.clone(),
            vars: kept.iter().map(|&i| place.vars[i]).collect(),
        });
        kept_vars[l.index()] = kept;
    }
    let new_loc = |l: Loc| map[l.index()].expect("a kept location");
    let mut program = Program {
        locations,
        edges: Vec::new(),
        entry: new_loc(old.entry),
        error: new_loc(old.error),
        cells: old.cells.clone(),
        declared: old.declared.clone(),
    };
    let (mut edges, mut inputs) = (Vec::new(), Vec::new());
    for id in old.edge_ids() {
        let e = old.edge(id);
        let (Some(source), Some(target)) = (map[e.source.index()], map[e.target.index()]) else { continue };
        let Some((guard, update)) = rewrite(id) else { continue };
        if guard == pool.fls() {
            continue;
        }
        let update: Vec<Term> = kept_vars[e.target.index()].iter().map(|&i| update[i]).collect();
        let used = used_inputs(pool, &e.inputs, update.iter().copied().chain([guard]));
        program.add_edge(Edge {
            source,
            target,
            inputs: used.iter().map(|&i| e.inputs[i as usize]).collect(),
            guard,
            update,
            origin: e.origin.clone(),
        });
        edges.push(id);
        inputs.push(used);
    }
    let initial = kept_vars[old.entry.index()].iter().map(|&i| i as u32).collect();
    (program, Correspondence { locs, edges, inputs, initial })
}

/// The positions of the inputs that occur in the terms.
fn used_inputs(pool: &TermPool, inputs: &[Term], terms: impl Iterator<Item = Term>) -> Vec<u32> {
    if inputs.is_empty() {
        return Vec::new();
    }
    let wanted: FxHashSet<Term> = inputs.iter().copied().collect();
    let mut found = FxHashSet::default();
    pool.visit(terms, |t| {
        if wanted.contains(&t) {
            found.insert(t);
        }
    });
    (0..inputs.len() as u32).filter(|&i| found.contains(&inputs[i as usize])).collect()
}
