//! Frames with lemmas by place, delta-encoded.
//!
//! After Een, Mishchenko and Brayton, "Efficient Implementation of Property Directed Reachability" (FMCAD
//! 2011), and Lange, Neuhaeusser and Noll, "IC3 Software Model Checking on Control Flow Automata" (FMCAD
//! 2015), section IV.
//!
//! `F(i, l)` over-approximates the states reachable at place `l` in at most `i` steps. It is stored as
//! lemmas, each with the highest level at which it is known to hold: `F(i, l)` is the conjunction of the
//! lemmas at `l` whose level is at least `i`. [`ALWAYS`] marks lemmas that hold at every level.
//!
//! Levels below a place's distance from the entry are unreachable by counting steps alone: there `F(i, l)` is
//! false without any lemma.
//!
//! What a literal and a place are, and when a literal implies another, is said by a [`Language`]: terms or
//! signed predicates at locations, SAT literals of a circuit. Lemmas are indexed by the keys of their
//! literals: of thousands, those that may subsume a cube or be subsumed by it are found without looking at
//! the others.
//!
//! Every change is appended to the place's log; solvers follow the log at their own pace.
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
    /// Where lemmas hold.
    type Place: Copy + Eq + Debug;
    /// A literal.
    type Literal: Copy + Ord + Hash + Debug;
    /// What two literals must have in common for one to imply the other.
    type Key: Copy + Ord + Hash + Debug;
    /// What solvers get of a lemma.
    type Formula: Clone + Debug;

    /// The number of a place.
    fn index(place: Self::Place) -> usize;

    /// The key of a literal.
    fn key(&self, literal: Self::Literal) -> Self::Key;

    /// Does literal `a` imply literal `b`? Cheap and syntactic.
    fn implies(&self, a: Self::Literal, b: Self::Literal) -> bool;

    /// The formula that excludes a cube.
    fn clause(&self, cube: &[Self::Literal]) -> Self::Formula;

    /// Is cube `small` implied by cube `big`: does every literal of `small` follow from one of `big`? Then
    /// blocking `small` blocks `big`. Both are sorted.
    fn subsumes(&self, small: &[Self::Literal], big: &[Self::Literal]) -> bool {
        small.iter().all(|&s| big.iter().any(|&b| self.implies(b, s)))
    }
}

impl Language for TermPool {
    type Place = Loc;
    type Literal = Term;
    type Key = literal::Key;
    type Formula = Term;

    fn index(place: Loc) -> usize {
        place.index()
    }

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

/// A learned fact: no state of `cube` is reachable at `place` within `level` steps.
pub struct Lemma<G: Language> {
    /// Where it holds.
    pub place: G::Place,
    /// The excluded states: a sorted conjunction of literals.
    pub cube: Vec<G::Literal>,
    /// The formula that holds: the negated cube.
    pub formula: G::Formula,
    /// Up to which level it is known to hold.
    pub level: u32,
    /// Has a stronger lemma replaced it?
    pub subsumed: bool,
}

/// What is known at one place.
struct Known<K> {
    /// Live lemmas, oldest first.
    live: Vec<LemmaId>,
    /// Live lemmas by the key of their first literal: what may exclude a cube.
    by_first: FxHashMap<K, Vec<LemmaId>>,
    /// Live lemmas by the keys of all their literals: what a cube may replace.
    by_any: FxHashMap<K, Vec<LemmaId>>,
    /// The live lemma without literals, which excludes everything.
    empty: Option<LemmaId>,
    /// Every (lemma, level) that became true, in order.
    log: Vec<(LemmaId, u32)>,
    /// The fewest steps from the entry; `None` if there is no way at all.
    distance: Option<u32>,
}

/// The frames of all places.
pub struct Frames<G: Language = TermPool> {
    lemmas: Vec<Lemma<G>>,
    places: Vec<Known<G::Key>>,
}

impl<G: Language> Frames<G> {
    /// Empty frames: every state is possible from the distance of its place on.
    pub fn with_distances(distances: impl IntoIterator<Item = Option<u32>>) -> Frames<G> {
        let place = |distance| Known {
            live: Vec::new(),
            by_first: FxHashMap::default(),
            by_any: FxHashMap::default(),
            empty: None,
            log: Vec::new(),
            distance,
        };
        Frames { lemmas: Vec::new(), places: distances.into_iter().map(place).collect() }
    }

    fn place(&self, place: G::Place) -> &Known<G::Key> {
        &self.places[G::index(place)]
    }

    /// The fewest steps from the entry to a place; `None` if there is no path at all.
    pub fn distance(&self, place: G::Place) -> Option<u32> {
        self.place(place).distance
    }

    /// Is the frame of a place false by counting steps?
    pub fn unreachable(&self, place: G::Place, level: u32) -> bool {
        self.distance(place).is_none_or(|d| level < d)
    }

    /// The largest finite distance: from this level on, no frame is false by counting steps only.
    pub fn diameter(&self) -> u32 {
        self.places.iter().filter_map(|p| p.distance).max().unwrap_or(0)
    }

    /// A lemma.
    pub fn lemma(&self, id: LemmaId) -> &Lemma<G> {
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

    /// The live lemmas of a place, oldest first.
    pub fn at(&self, place: G::Place) -> impl Iterator<Item = (LemmaId, &Lemma<G>)> {
        self.place(place).live.iter().map(|&id| (id, self.lemma(id)))
    }

    /// The formulas that hold at every level, by place.
    pub fn always(&self) -> Vec<(G::Place, G::Formula)> {
        let live = self.places.iter().flat_map(|p| &p.live).map(|&id| self.lemma(id));
        live.filter(|m| m.level == ALWAYS).map(|m| (m.place, m.formula.clone())).collect()
    }

    /// All live lemmas whose level is exactly this.
    pub fn exactly(&self, level: u32) -> Vec<LemmaId> {
        let live = self.places.iter().flat_map(|p| &p.live).copied();
        live.filter(|&id| self.lemma(id).level == level).collect()
    }

    /// The log of a place: every (lemma, level) that became true, in order.
    pub fn log(&self, place: G::Place) -> &[(LemmaId, u32)] {
        &self.place(place).log
    }

    /// The live lemmas of a place that exclude all of a cube, syntactically. The cube is sorted.
    pub fn excluding<'f>(
        &'f self,
        language: &'f G,
        place: G::Place,
        cube: &'f [G::Literal],
    ) -> impl Iterator<Item = (LemmaId, &'f Lemma<G>)> {
        let mut keys: Vec<G::Key> = cube.iter().map(|&t| language.key(t)).collect();
        keys.sort_unstable();
        keys.dedup();
        let known = self.place(place);
        let met = keys.into_iter().flat_map(move |key| known.by_first.get(&key).into_iter().flatten());
        (met.chain(&known.empty).map(|&id| (id, self.lemma(id))))
            .filter(move |(_, m)| language.subsumes(&m.cube, cube))
    }

    /// Is the cube excluded from the frame of a place by a single lemma, syntactically?
    pub fn blocked(&self, language: &G, place: G::Place, cube: &[G::Literal], level: u32) -> bool {
        self.unreachable(place, level) || self.excluding(language, place, cube).any(|(_, m)| m.level >= level)
    }

    /// Adds a lemma and drops the lemmas it subsumes. Returns `None` when an existing lemma already says as
    /// much.
    pub fn add(
        &mut self,
        language: &G,
        place: G::Place,
        mut cube: Vec<G::Literal>,
        level: u32,
    ) -> Option<LemmaId> {
        cube.sort_unstable();
        if self.excluding(language, place, &cube).any(|(_, m)| m.level >= level) {
            return None;
        }
        self.drop_weaker(language, place, &cube, level, None);
        let id = LemmaId(u32::try_from(self.lemmas.len()).expect("fewer than 2^32 lemmas"));
        let known = &mut self.places[G::index(place)];
        for &lit in &cube {
            let met = known.by_any.entry(language.key(lit)).or_default();
            if met.last() != Some(&id) {
                met.push(id);
            }
        }
        match cube.first() {
            Some(&first) => known.by_first.entry(language.key(first)).or_default().push(id),
            None => known.empty = Some(id),
        }
        known.live.push(id);
        known.log.push((id, level));
        let formula = language.clause(&cube);
        self.lemmas.push(Lemma { place, cube, formula, level, subsumed: false });
        Some(id)
    }

    /// Raises a lemma to a higher level.
    pub fn raise(&mut self, language: &G, id: LemmaId, level: u32) {
        let m = &mut self.lemmas[id.index()];
        debug_assert!(m.level < level);
        m.level = level;
        let (place, cube) = (m.place, m.cube.clone());
        self.places[G::index(place)].log.push((id, level));
        self.drop_weaker(language, place, &cube, level, Some(id));
    }

    /// Drops the lemmas up to a level, but one, that exclude no more than the cube does.
    fn drop_weaker(
        &mut self,
        language: &G,
        place: G::Place,
        cube: &[G::Literal],
        level: u32,
        but: Option<LemmaId>,
    ) {
        let known = &mut self.places[G::index(place)];
        let candidates = match cube.first() {
            Some(&lit) => known.by_any.get(&language.key(lit)),
            None => Some(&known.live),
        };
        let weaker: Vec<LemmaId> = (candidates.into_iter().flatten().copied())
            .filter(|&id| {
                let m = &self.lemmas[id.index()];
                Some(id) != but && m.level <= level && language.subsumes(cube, &m.cube)
            })
            .collect();
        if weaker.is_empty() {
            return;
        }
        for &id in &weaker {
            self.lemmas[id.index()].subsumed = true;
        }
        let lemmas = &self.lemmas;
        let stays = |id: &LemmaId| !lemmas[id.index()].subsumed;
        known.live.retain(stays);
        known.empty = known.empty.filter(stays);
        for id in weaker {
            let keys: Vec<G::Key> = lemmas[id.index()].cube.iter().map(|&lit| language.key(lit)).collect();
            for (i, key) in keys.into_iter().enumerate() {
                if i == 0 {
                    known.by_first.get_mut(&key).expect("indexed").retain(stays);
                }
                known.by_any.get_mut(&key).expect("indexed").retain(stays);
            }
        }
    }
}

impl<G: Language<Place = Loc, Formula = Term>> Frames<G> {
    /// Empty frames of a program.
    pub fn new(program: &Program) -> Frames<G> {
        Frames::with_distances(distances(program))
    }

    /// Empty frames as in the papers' pseudo-code: only the entry is reachable in no steps, every location
    /// from one step on.
    pub fn without_distances(program: &Program) -> Frames<G> {
        Frames::with_distances(program.locs().map(|l| Some(u32::from(l != program.entry))))
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
    use palisade_random::Random;
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
        let mut random = Random::new(1);
        let mut next = |n: usize| random.below(n);
        let mut frames: Frames = Frames::without_distances(&program);
        for _ in 0..300 {
            let mut cube: Vec<Term> = Vec::new();
            for _ in 0..=next(3) {
                let (v, c) = (vars[next(3)], pool.int(next(6) as i64));
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
                let weaker = |(b, o): (super::LemmaId, &super::Lemma<TermPool>)| {
                    a != b && o.level <= m.level && subsumes(&pool, &m.cube, &o.cube)
                };
                assert!(!frames.at(l).any(weaker), "a weaker lemma stayed");
            }
        }
    }
}
