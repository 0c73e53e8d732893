//! Strong liveness: at every location, drops the variables that cannot influence a guard on the way to the
//! error.
//!
//! A variable lives at `l` when an edge from `l` towards the error has it in its guard or in the update of a
//! variable that lives at the target. That is the cone of influence of the error, taken for each location by
//! itself: a counter that only counts itself is dead even in its own loop. Locations that cannot reach the
//! error are dropped.
//!
//! Way back: formulas stay as they are (they mention live variables only, and those evolve as before);
//! dropped locations get `true`.

use palisade_program::{CutInvariants, Program, Run, reaches_error};
use palisade_term::{Term, TermPool};
use rustc_hash::FxHashSet;

use crate::back::{Back, BackTranslation, Transformed};
use crate::rebuild::{Correspondence, rebuild};

/// Drops dead variables.
pub fn liveness(pool: &TermPool, old: &Program) -> Transformed {
    let useful = reaches_error(old, |e| old.edge(e).guard != pool.fls());
    let live = strongly_live(pool, old, &useful);
    let (program, map) = rebuild(
        pool,
        old,
        &useful,
        |l, i| live[l.index()].contains(&old.vars(l)[i]),
        |e| useful[old.edge(e).source.index()].then(|| (old.edge(e).guard, old.edge(e).update.clone())),
    );
    Transformed { program, back: Box::new(LivenessBack(map)) }
}

/// The variables that live at each location from which the error can be reached.
fn strongly_live(pool: &TermPool, program: &Program, useful: &[bool]) -> Vec<FxHashSet<Term>> {
    let n = program.locations.len();
    let incoming = program.incoming();
    let mut live: Vec<FxHashSet<Term>> = vec![FxHashSet::default(); n];
    // Subterms already looked at, per edge: the work on an edge is linear in its terms, however often its
    // target changes.
    let mut seen: Vec<FxHashSet<Term>> = vec![FxHashSet::default(); program.edges.len()];
    let mut queued = vec![false; n];
    let mut queue: Vec<_> = program.locs().filter(|l| useful[l.index()]).collect();
    for l in &queue {
        queued[l.index()] = true;
    }
    while let Some(l) = queue.pop() {
        queued[l.index()] = false;
        for &id in &incoming[l.index()] {
            let e = program.edge(id);
            let needed: Vec<Term> = (program.vars(l).iter().zip(&e.update))
                .filter(|(v, _)| live[l.index()].contains(v))
                .map(|(_, &u)| u)
                .chain([e.guard])
                .collect();
            let mut grown = false;
            let mut stack = needed;
            while let Some(t) = stack.pop() {
                if !seen[id.index()].insert(t) {
                    continue;
                }
                if pool.is_var(t) {
                    grown |= !e.inputs.contains(&t) && live[e.source.index()].insert(t);
                }
                stack.extend(pool.args(t));
            }
            if grown && !queued[e.source.index()] {
                queued[e.source.index()] = true;
                queue.push(e.source);
            }
        }
    }
    live
}

struct LivenessBack(Correspondence);

impl BackTranslation for LivenessBack {
    fn cut_invariants(&self, pool: &TermPool, old: &Program, new: &CutInvariants) -> Back<CutInvariants> {
        self.0.formulas(old, new, |_| pool.tru())
    }

    fn run(&self, pool: &TermPool, old: &Program, new: &Run) -> Back<Run> {
        self.0.run(pool, old, new)
    }
}
