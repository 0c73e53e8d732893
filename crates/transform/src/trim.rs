//! Removes locations and edges that lie on no path from the entry to the error, and edges whose guard is the
//! constant false.
//!
//! Way back: a location that was unreachable gets `false`, one that cannot reach the error gets `true`.

use palisade_program::{CutInvariants, Program, Run, reachable_from_entry, reaches_error};
use palisade_term::TermPool;

use crate::back::{Back, BackTranslation, Transformed};
use crate::rebuild::{Correspondence, rebuild};

/// Trims the program.
pub fn trim(pool: &TermPool, old: &Program) -> Transformed {
    let usable = |e| old.edge(e).guard != pool.fls();
    let reachable = reachable_from_entry(old, usable);
    let useful = reaches_error(old, usable);
    let keep: Vec<bool> = reachable.iter().zip(&useful).map(|(a, b)| *a && *b).collect();
    let (program, map) = rebuild(
        pool,
        old,
        &keep,
        |_, _| true,
        |e| {
            let edge = old.edge(e);
            // The entry and the error stay even when the error is out of reach, but useless edges do not.
            (keep[edge.source.index()] && keep[edge.target.index()])
                .then(|| (edge.guard, edge.update.clone()))
        },
    );
    Transformed { program, back: Box::new(TrimBack { reachable, map }) }
}

struct TrimBack {
    reachable: Vec<bool>,
    map: Correspondence,
}

impl BackTranslation for TrimBack {
    fn cut_invariants(&self, pool: &TermPool, old: &Program, new: &CutInvariants) -> Back<CutInvariants> {
        self.map.formulas(old, new, |l| pool.bool(self.reachable[l.index()]))
    }

    fn run(&self, pool: &TermPool, old: &Program, new: &Run) -> Back<Run> {
        self.map.run(pool, old, new)
    }
}
