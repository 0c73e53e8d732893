//! Location-local frames, delta-encoded.
//!
//! After Een, Mishchenko and Brayton, "Efficient Implementation of Property Directed Reachability" (FMCAD
//! 2011), and Lange, Neuhaeusser and Noll, "IC3 Software Model Checking on Control Flow Automata" (FMCAD
//! 2015), section IV.
//!
//! `F(i, l)` over-approximates the states reachable at location `l` in at most `i` steps. It is stored as
//! lemmas, each with the highest level at which it is known to hold: `F(i, l)` is the conjunction of the
//! lemmas at `l` whose level is at least `i`. [`ALWAYS`] marks lemmas that hold at every level.
//!
//! Levels below a location's distance from the entry are unreachable by counting steps alone: there `F(i, l)`
//! is false without any lemma.
//!
//! What a literal is, and when one implies another, is said by a [`Language`]: terms, or signed predicates.
//! Lemmas are indexed by the keys of their literals: of thousands, those that may subsume a cube or be
//! subsumed by it are found without looking at the others.
//!
//! Every change is appended to the location's log; solvers follow the log at their own pace (see
//! [`crate::ic3::consecution`]).
//!
//! Entry point: [`Frames`].

use std::fmt::Debug;
use std::hash::Hash;

use palisade_program::{Loc, Program};
use palisade_term::{Term, TermPool};
use rustc_hash::FxHashMap;

use crate::literal;

/// The literals that lemmas are made of.
pub trait Language {
    /// A literal.
    type Literal: Copy + Ord + Hash + Debug;
    /// What two literals must have in common for one to imply the other.
    type Key: Copy + Ord + Hash + Debug;

    /// The key of a literal.
    fn key(&self, literal: Self::Literal) -> Self::Key;

    /// Does literal `a` imply literal `b`? Cheap and syntactic.
    fn implies(&self, a: Self::Literal, b: Self::Literal) -> bool;

    /// The formula that excludes a cube.
    fn clause(&self, cube: &[Self::Literal]) -> Term;

    /// Is cube `small` implied by cube `big`: does every literal of `small` follow from one of `big`? Then
    /// blocking `small` blocks `big`.
    fn subsumes(&self, small: &[Self::Literal], big: &[Self::Literal]) -> bool {
        small.iter().all(|&s| big.iter().any(|&b| self.implies(b, s)))
    }
}

impl Language for TermPool {
    type Literal = Term;
    type Key = literal::Key;

    fn key(&self, lit: Term) -> literal::Key {
        literal::key(self, lit)
    }

    fn implies(&self, a: Term, b: Term) -> bool {
        literal::implies(self, a, b)
    }

    fn clause(&self, cube: &[Term]) -> Term {
        literal::clause(self, cube)
    }
}

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
pub struct Lemma<L> {
    /// Where it holds.
    pub location: Loc,
    /// The excluded states: a sorted conjunction of literals over the location's variables.
    pub cube: Vec<L>,
    /// The formula that holds: the negated cube.
    pub formula: Term,
    /// Up to which level it is known to hold.
    pub level: u32,
    /// Has a stronger lemma replaced it?
    pub subsumed: bool,
}

/// The frames of all locations.
pub struct Frames<G: Language = TermPool> {
    lemmas: Vec<Lemma<G::Literal>>,
    at: Vec<Vec<LemmaId>>,
    /// Live lemmas by location and the key of a literal.
    index: Vec<FxHashMap<G::Key, Vec<LemmaId>>>,
    log: Vec<Vec<(LemmaId, u32)>>,
    distance: Vec<Option<u32>>,
}

impl<G: Language> Frames<G> {
    /// Empty frames: every state is possible from the location's distance on.
    pub fn new(program: &Program) -> Frames<G> {
        let n = program.locations.len();
        Frames {
            lemmas: Vec::new(),
            at: vec![Vec::new(); n],
            index: vec![FxHashMap::default(); n],
            log: vec![Vec::new(); n],
            distance: distances(program),
        }
    }

    /// Empty frames as in the papers' pseudo-code: only the entry is reachable in no steps, every location
    /// from one step on.
    pub fn without_distances(program: &Program) -> Frames<G> {
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
    pub fn lemma(&self, id: LemmaId) -> &Lemma<G::Literal> {
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
    pub fn at(&self, l: Loc) -> impl Iterator<Item = (LemmaId, &Lemma<G::Literal>)> {
        self.at[l.index()].iter().map(|&id| (id, self.lemma(id)))
    }

    /// The formulas that hold at every level, by location.
    pub fn always(&self) -> Vec<(Loc, Term)> {
        let live = self.at.iter().flatten().map(|&id| self.lemma(id));
        live.filter(|m| m.level == ALWAYS).map(|m| (m.location, m.formula)).collect()
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

    /// The live lemmas of a location that exclude all of a cube, syntactically.
    pub fn excluding<'f>(
        &'f self,
        language: &'f G,
        l: Loc,
        cube: &'f [G::Literal],
    ) -> impl Iterator<Item = (LemmaId, &'f Lemma<G::Literal>)> {
        let mut keys: Vec<G::Key> = cube.iter().map(|&t| language.key(t)).collect();
        keys.sort_unstable();
        keys.dedup();
        // A lemma is met under the key of its first literal; one without literals excludes everything.
        let index = &self.index[l.index()];
        let met = keys.into_iter().flat_map(move |key| {
            let ids = index.get(&key).into_iter().flatten();
            ids.filter(move |id| language.key(self.lemma(**id).cube[0]) == key)
        });
        let empty = self.at[l.index()].iter().filter(|id| self.lemma(**id).cube.is_empty());
        (met.chain(empty).map(|&id| (id, self.lemma(id))))
            .filter(move |(_, m)| language.subsumes(&m.cube, cube))
    }

    /// Is the cube excluded from `F(level, l)` by a single lemma, syntactically?
    pub fn blocked(&self, language: &G, l: Loc, cube: &[G::Literal], level: u32) -> bool {
        self.unreachable(l, level) || self.excluding(language, l, cube).any(|(_, m)| m.level >= level)
    }

    /// Adds a lemma and drops the lemmas it subsumes. Returns `None` when an existing lemma already says as
    /// much.
    pub fn add(
        &mut self,
        language: &G,
        location: Loc,
        mut cube: Vec<G::Literal>,
        level: u32,
    ) -> Option<LemmaId> {
        cube.sort_unstable();
        if self.excluding(language, location, &cube).any(|(_, m)| m.level >= level) {
            return None;
        }
        self.drop_weaker(language, location, &cube, level, None);
        let id = LemmaId(u32::try_from(self.lemmas.len()).expect("fewer than 2^32 lemmas"));
        let formula = language.clause(&cube);
        for &lit in &cube {
            let met = self.index[location.index()].entry(language.key(lit)).or_default();
            if met.last() != Some(&id) {
                met.push(id);
            }
        }
        self.lemmas.push(Lemma { location, cube, formula, level, subsumed: false });
        self.at[location.index()].push(id);
        self.log[location.index()].push((id, level));
        Some(id)
    }

    /// Raises a lemma to a higher level.
    pub fn raise(&mut self, language: &G, id: LemmaId, level: u32) {
        let m = &mut self.lemmas[id.index()];
        debug_assert!(m.level < level);
        m.level = level;
        let (location, cube) = (m.location, m.cube.clone());
        self.log[location.index()].push((id, level));
        self.drop_weaker(language, location, &cube, level, Some(id));
    }

    /// Drops the lemmas up to a level, but one, that exclude no more than the cube does.
    fn drop_weaker(&mut self, language: &G, l: Loc, cube: &[G::Literal], level: u32, but: Option<LemmaId>) {
        let candidates = match cube.first() {
            Some(&lit) => self.index[l.index()].get(&language.key(lit)),
            None => Some(&self.at[l.index()]),
        };
        let weaker: Vec<LemmaId> = (candidates.into_iter().flatten().copied())
            .filter(|&id| {
                let m = self.lemma(id);
                Some(id) != but && m.level <= level && language.subsumes(cube, &m.cube)
            })
            .collect();
        for id in weaker {
            self.lemmas[id.index()].subsumed = true;
            self.at[l.index()].retain(|&o| o != id);
            for lit in self.lemmas[id.index()].cube.clone() {
                if let Some(met) = self.index[l.index()].get_mut(&language.key(lit)) {
                    met.retain(|&o| o != id);
                }
            }
        }
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

#[cfg(test)]
mod tests {
    use palisade_program::{Location, Program};
    use palisade_term::{Sort, Term, TermPool};

    use super::Frames;
    use crate::literal::subsumes;

    /// The index finds what a search through all lemmas finds, and only the strongest lemmas stay.
    #[test]
    fn the_index_agrees_with_a_search() {
        let pool = TermPool::new();
        let vars = ["x", "y", "z"].map(|n| pool.var(n, Sort::Int));
        let flag = pool.var("b", Sort::Bool);
        let mut program = Program::new();
        let all: Vec<Term> = vars.iter().copied().chain([flag]).collect();
        let l = program.add_location(Location { name: "l".into(), position: None, vars: all });
        let mut seed = 0x2545_f491_4f6c_dd1d_u64;
        let mut next = |n: u64| {
            seed ^= seed << 13;
            seed ^= seed >> 7;
            seed ^= seed << 17;
            (seed >> 20) % n
        };
        let mut frames: Frames = Frames::without_distances(&program);
        for _ in 0..300 {
            let mut cube: Vec<Term> = Vec::new();
            for _ in 0..=next(3) {
                let (v, c) = (vars[next(3) as usize], pool.int(next(6) as i64));
                cube.push(match next(4) {
                    0 => flag,
                    1 => pool.not(flag),
                    2 => pool.le(v, c),
                    _ => pool.gt(v, c),
                });
            }
            cube.sort_unstable();
            cube.dedup();
            let level = 1 + next(4) as u32;
            let known = |frames: &Frames| {
                frames.at(l).any(|(_, m)| m.level >= level && subsumes(&pool, &m.cube, &cube))
            };
            assert_eq!(frames.blocked(&pool, l, &cube, level), known(&frames));
            let new = !known(&frames);
            assert_eq!(frames.add(&pool, l, cube.clone(), level).is_some(), new);
            assert!(known(&frames));
            for (a, m) in frames.at(l) {
                let weaker = |(b, o): (super::LemmaId, &super::Lemma<Term>)| {
                    a != b && o.level <= m.level && subsumes(&pool, &m.cube, &o.cube)
                };
                assert!(!frames.at(l).any(weaker), "a weaker lemma stayed");
            }
        }
    }
}
