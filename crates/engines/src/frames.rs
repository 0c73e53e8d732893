//! Location-local frames, delta-encoded (seed 004 §IV; Eén, Mishchenko, Brayton 2011).
//!
//! `F(i, l)` over-approximates the states reachable at location `l` in at most `i` steps. It is stored as lemmas, each with the highest level
//! at which it is known to hold: `F(i, l)` is the conjunction of the lemmas at `l` whose level is at least `i`. [`ALWAYS`] marks lemmas that
//! hold at every level.
//!
//! Levels below a location's distance from the entry are unreachable by counting steps alone: there `F(i, l)` is false without any lemma.
//!
//! Every change is appended to the location's log; solvers follow the log at their own pace (see [`crate::consecution`]).

use palisade_program::{Loc, Program};
use palisade_term::{Term, TermPool};

use crate::literal;

/// The level of a lemma that is an invariant.
pub const ALWAYS: u32 = u32::MAX;

/// Index of a lemma in its [`Frames`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LemmaId(u32);

impl LemmaId {
    /// As an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A learned fact: no state of `cube` is reachable at `location` within `level` steps.
#[derive(Clone, Debug)]
pub struct Lemma {
    /// Where it holds.
    pub location: Loc,
    /// The excluded states: a sorted conjunction of literals over the location's variables.
    pub cube: Vec<Term>,
    /// The formula that holds: the negated cube.
    pub formula: Term,
    /// Up to which level it is known to hold.
    pub level: u32,
    /// Has a stronger lemma replaced it?
    pub subsumed: bool,
}

/// The frames of all locations.
pub struct Frames {
    lemmas: Vec<Lemma>,
    at: Vec<Vec<LemmaId>>,
    log: Vec<Vec<(LemmaId, u32)>>,
    distance: Vec<Option<u32>>,
}

impl Frames {
    /// Empty frames: every state is possible from the location's distance on.
    pub fn new(program: &Program) -> Frames {
        let n = program.locations.len();
        Frames {
            lemmas: Vec::new(),
            at: vec![Vec::new(); n],
            log: vec![Vec::new(); n],
            distance: distances(program),
        }
    }

    /// Empty frames as in the papers' pseudo-code: only the entry is reachable in no steps, every location from one step on.
    pub fn without_distances(program: &Program) -> Frames {
        let mut frames = Frames::new(program);
        for l in program.locs() {
            frames.distance[l.index()] = Some(u32::from(l != program.entry));
        }
        frames
    }

    /// The fewest edges from the entry to a location; `None` if there is no path at all.
    pub fn distance(&self, l: Loc) -> Option<u32> {
        self.distance[l.index()]
    }

    /// Is `F(level, l)` false by counting steps?
    pub fn unreachable(&self, l: Loc, level: u32) -> bool {
        self.distance(l).is_none_or(|d| level < d)
    }

    /// The largest finite distance: from this level on, no frame is false by counting steps only.
    pub fn diameter(&self) -> u32 {
        self.distance.iter().flatten().copied().max().unwrap_or(0)
    }

    /// A lemma.
    pub fn lemma(&self, id: LemmaId) -> &Lemma {
        &self.lemmas[id.index()]
    }

    /// The number of lemmas ever added.
    pub fn len(&self) -> usize {
        self.lemmas.len()
    }

    /// Has no lemma been added?
    pub fn is_empty(&self) -> bool {
        self.lemmas.is_empty()
    }

    /// The live lemmas of a location, oldest first.
    pub fn at(&self, l: Loc) -> impl Iterator<Item = (LemmaId, &Lemma)> {
        self.at[l.index()].iter().map(|&id| (id, self.lemma(id)))
    }

    /// All live lemmas whose level is exactly this.
    pub fn exactly(&self, level: u32) -> Vec<LemmaId> {
        let mut out = Vec::new();
        for ids in &self.at {
            out.extend(ids.iter().copied().filter(|&id| self.lemma(id).level == level));
        }
        out
    }

    /// The log of a location: every (lemma, level) that became true, in order.
    pub fn log(&self, l: Loc) -> &[(LemmaId, u32)] {
        &self.log[l.index()]
    }

    /// Is the cube excluded from `F(level, l)` by a single lemma, syntactically?
    pub fn blocked(&self, pool: &TermPool, l: Loc, cube: &[Term], level: u32) -> bool {
        self.unreachable(l, level)
            || self.at(l).any(|(_, m)| m.level >= level && literal::subsumes(pool, &m.cube, cube))
    }

    /// Adds a lemma and drops the lemmas it subsumes. Returns `None` when an existing lemma already says as much.
    pub fn add(
        &mut self,
        pool: &TermPool,
        location: Loc,
        mut cube: Vec<Term>,
        level: u32,
    ) -> Option<LemmaId> {
        cube.sort_unstable();
        if self.at(location).any(|(_, m)| m.level >= level && literal::subsumes(pool, &m.cube, &cube)) {
            return None;
        }
        let id = LemmaId(u32::try_from(self.lemmas.len()).expect("fewer than 2^32 lemmas"));
        let formula = literal::clause(pool, &cube);
        let weaker: Vec<LemmaId> = (self.at(location))
            .filter(|(_, m)| m.level <= level && literal::subsumes(pool, &cube, &m.cube))
            .map(|(id, _)| id)
            .collect();
        for &w in &weaker {
            self.lemmas[w.index()].subsumed = true;
        }
        self.at[location.index()].retain(|id| !weaker.contains(id));
        self.lemmas.push(Lemma { location, cube, formula, level, subsumed: false });
        self.at[location.index()].push(id);
        self.log[location.index()].push((id, level));
        Some(id)
    }

    /// Raises a lemma to a higher level.
    pub fn raise(&mut self, pool: &TermPool, id: LemmaId, level: u32) {
        let m = &mut self.lemmas[id.index()];
        debug_assert!(m.level < level);
        m.level = level;
        let location = m.location;
        let cube = m.cube.clone();
        self.log[location.index()].push((id, level));
        // What it now subsumes at its new level can go.
        let weaker: Vec<LemmaId> = (self.at(location))
            .filter(|(o, m)| *o != id && m.level <= level && literal::subsumes(pool, &cube, &m.cube))
            .map(|(o, _)| o)
            .collect();
        for &w in &weaker {
            self.lemmas[w.index()].subsumed = true;
        }
        self.at[location.index()].retain(|o| !weaker.contains(o));
    }

    /// `F(level, l)` as a formula.
    pub fn formula(&self, pool: &TermPool, l: Loc, level: u32) -> Term {
        if self.unreachable(l, level) {
            return pool.fls();
        }
        pool.and(self.at(l).filter(|(_, m)| m.level >= level).map(|(_, m)| m.formula))
    }
}

/// Breadth-first distances from the entry.
fn distances(program: &Program) -> Vec<Option<u32>> {
    let outgoing = program.outgoing();
    let mut distance = vec![None; program.locations.len()];
    distance[program.entry.index()] = Some(0);
    let mut queue = std::collections::VecDeque::from([program.entry]);
    while let Some(l) = queue.pop_front() {
        let d = distance[l.index()].expect("queued with a distance");
        for &e in &outgoing[l.index()] {
            let t = program.edge(e).target;
            if distance[t.index()].is_none() {
                distance[t.index()] = Some(d + 1);
                queue.push_back(t);
            }
        }
    }
    distance
}
