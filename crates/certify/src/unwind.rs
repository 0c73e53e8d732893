//! Cycles of interior locations, unwound.
//!
//! A certificate with a number of rounds ([`CutInvariants::rounds`]) may leave whole cycles without a
//! formula: it claims that no run stays longer in them. The checker then looks at another program. Its
//! interior is that of the certificate, loop by loop ([`Nest`]): a location of a loop is there once for each
//! round of the loop and of the loops around it, and what leaves a loop in whatever round comes to the same
//! copy of what follows. An edge that would begin a round too many leads into the error location instead.
//!
//! So the interior is acyclic, and a run of the program is a run of the other one, up to the first round
//! too many. If the other one cannot reach its error location, no run of the program is that long, and
//! none reaches the error.
//!
//! Interior locations from which no edges lead to a formula again, so not to the error either, are left out:
//! how long a run stays there does not matter. Constants are followed on the way: where all that comes to a
//! copy brings the same constant, an edge whose guard is false for it is left out. So loops that count to a
//! constant have the rounds that they have.
//!
//! Entry point: [`unwind`].

use palisade_program::{CutInvariants, Edge, EdgeId, Loc, Location, Nest, Program, Walker, reaches};
use palisade_term::{Substitution, Term, TermPool};
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
    let interior = |l: Loc| invariants.at(l).is_none();
    let with_formula = program.locs().filter(|&l| !interior(l));
    let matters = reaches(program, with_formula, |e| program.edge(e).guard != pool.fls());
    let mut formulas = invariants.formulas.clone();
    formulas.iter_mut().for_each(|f| *f = f.or(Some(pool.fls())));
    let mut unwinding = Unwinding {
        pool,
        program,
        outgoing: program.outgoing(),
        interior: program.locs().map(interior).collect(),
        matters,
        rounds,
        most,
        copies: 0,
        // Annotated locations keep their numbers; copies come behind.
        out: Program { edges: Vec::new(), ..program.clone() },
        formulas,
        arriving: FxHashMap::default(),
    };
    for l in program.locs().filter(|&l| !interior(l)) {
        unwinding.leave(l, l, &vec![None; program.vars(l).len()]).ok()?;
    }
    Nest::of(program, interior).walk(&mut unwinding).ok()?;
    let Unwinding { out: program, formulas, .. } = unwinding;
    Some(Unwound {
        program,
        invariants: CutInvariants { formulas, rounds: None, forall: invariants.forall.clone() },
    })
}

/// What is known of the variables of a location: a constant, or nothing.
type Known = Vec<Option<Term>>;

struct Unwinding<'a> {
    pool: &'a TermPool,
    program: &'a Program,
    outgoing: Vec<Vec<EdgeId>>,
    interior: Vec<bool>,
    /// Edges lead to a location with a formula from there.
    matters: Vec<bool>,
    rounds: u32,
    most: usize,
    copies: usize,
    out: Program,
    formulas: Vec<Option<Term>>,
    /// What comes to the next copy of a location: edges of the new program that have no target yet, and what
    /// is known behind all of them.
    arriving: FxHashMap<Loc, (Vec<EdgeId>, Known)>,
}

/// It takes too many edges.
struct TooLarge;

impl Unwinding<'_> {
    /// Copies the edges of a location, to a source about whose variables this is known.
    fn leave(&mut self, l: Loc, source: Loc, known: &[Option<Term>]) -> Result<(), TooLarge> {
        let values: FxHashMap<Term, Term> =
            self.program.vars(l).iter().zip(known).filter_map(|(&v, k)| Some((v, (*k)?))).collect();
        let mut here = Substitution::new(self.pool, &values);
        for e in self.outgoing[l.index()].clone() {
            let edge = self.program.edge(e);
            let inward = self.interior[edge.target.index()];
            if here.apply(edge.guard) == self.pool.fls() || inward && !self.matters[edge.target.index()] {
                continue;
            }
            if self.out.edges.len() == self.most {
                return Err(TooLarge);
            }
            let copy = self.out.add_edge(Edge { source, ..edge.clone() });
            if !inward {
                continue;
            }
            let constant = |&u: &Term| Some(here.apply(u)).filter(|&u| self.pool.is_const(u));
            let after: Known = edge.update.iter().map(constant).collect();
            let (edges, known) =
                self.arriving.entry(edge.target).or_insert_with(|| (Vec::new(), after.clone()));
            edges.push(copy);
            known.iter_mut().zip(&after).filter(|(k, a)| k != a).for_each(|(k, _)| *k = None);
        }
        Ok(())
    }
}

impl Walker for Unwinding<'_> {
    type Stop = TooLarge;

    fn visit(&mut self, l: Loc) -> Result<(), TooLarge> {
        let Some((edges, known)) = self.arriving.remove(&l) else { return Ok(()) };
        let old = self.program.location(l);
        self.copies += 1;
        let name = format!("{}@{}", old.name, self.copies);
        let copy = self.out.add_location(Location { name, ..old.clone() });
        self.formulas.push(None);
        for e in edges {
            self.out.edges[e.index()].target = copy;
        }
        self.leave(l, copy, &known)
    }

    /// A round too many is the error.
    fn goes_on(&mut self, head: Loc, round: u32) -> Result<bool, TooLarge> {
        if round <= self.rounds {
            return Ok(self.arriving.contains_key(&head));
        }
        for e in self.arriving.remove(&head).into_iter().flat_map(|(edges, _)| edges) {
            let edge = &mut self.out.edges[e.index()];
            edge.target = self.program.error;
            edge.update = Vec::new();
        }
        Ok(false)
    }
}
