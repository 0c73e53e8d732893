//! Cycles of interior locations, unwound.
//!
//! A certificate with a number of rounds ([`CutInvariants::rounds`]) may leave whole cycles without a
//! formula: it claims that no run stays longer among them. The checker then looks at another program.
//! Every interior location is there once for each round, and a new round begins at the head of a cycle
//! (the target of an edge that closes one, in a search in depth). An edge that would begin a round too
//! many leads into the error location instead.
//!
//! So the interior is acyclic, and a run of the program is a run of the other one, up to the first round
//! too many. If the other one cannot reach its error location, no run of the program is that long, and
//! none reaches the error.
//!
//! Entry point: [`unwind`].

use palisade_program::{CutInvariants, Edge, Graph, Loc, Location, Program};
use palisade_term::TermPool;
use rustc_hash::FxHashMap;

/// A program whose interior locations are on no cycle, and the formulas of the others.
pub(crate) struct Unwound {
    pub program: Program,
    pub invariants: CutInvariants,
}

/// Unwinds the interior of a certificate; `None` if that takes more edges than this.
pub(crate) fn unwind(
    pool: &TermPool,
    program: &Program,
    invariants: &CutInvariants,
    rounds: u32,
    most: usize,
) -> Option<Unwound> {
    let Graph { outgoing, loop_head, .. } = Graph::whole(program);
    let interior = |l: Loc| invariants.at(l).is_none();
    // Annotated locations keep their numbers; copies come behind.
    let mut out = Program { edges: Vec::new(), ..program.clone() };
    let mut formulas = invariants.formulas.clone();
    formulas.iter_mut().for_each(|f| *f = f.or(Some(pool.fls())));
    let mut copies: FxHashMap<(Loc, u32), Loc> = FxHashMap::default();
    let mut work: Vec<(Loc, u32)> = program.locs().filter(|&l| !interior(l)).map(|l| (l, 0)).collect();
    while let Some((l, round)) = work.pop() {
        let source = if interior(l) { copies[&(l, round)] } else { l };
        for &e in &outgoing[l.index()] {
            let edge = program.edge(e);
            if edge.guard == pool.fls() {
                continue;
            }
            let target = edge.target;
            let begins = interior(l) && loop_head[target.index()];
            let next = round + u32::from(begins);
            let (target, update) = if !interior(target) {
                (target, edge.update.clone())
            } else if next > rounds {
                (program.error, Vec::new())
            } else {
                let copy = *copies.entry((target, next)).or_insert_with(|| {
                    work.push((target, next));
                    formulas.push(None);
                    let old = program.location(target);
                    out.add_location(Location { name: format!("{}@{next}", old.name), ..old.clone() })
                });
                (copy, edge.update.clone())
            };
            out.add_edge(Edge { source, target, update, ..edge.clone() });
            if out.edges.len() > most {
                return None;
            }
        }
    }
    Some(Unwound { program: out, invariants: CutInvariants { formulas, rounds: None } })
}
