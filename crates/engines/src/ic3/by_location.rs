//! The flavour of IC3 with frames per location and cubes of terms: what `ic3-cfa` and `ic3` run on.
//!
//! A cube at a location and level is blocked if every edge into the location is refuted from the frames one
//! level below ([`Consecution`]). The entry is a location like any other, so "no initial state" is the
//! refutation of the edges that leave it.
//!
//! Entry point: [`ByLocation`].

use palisade_ic3::frames::{ALWAYS, Frames};
use palisade_program::{EdgeId, Invariants, Loc};
use palisade_term::eval::Evaluator;
use palisade_term::{Assignment, Term, TermPool};

use super::consecution::{Consecution, CubeAnswer, Induction};
use super::generalize::TermFlavour;
use super::predecessor::Predecessors;
use super::push::Framed;
use super::{Answer, Flavour, FrameId};
use crate::{Budget, Observer, Task, learned, literal};

/// Frames, the queries relative to them, and a way to make predecessors.
pub struct ByLocation<'a> {
    /// The queries.
    pub consecution: Consecution<'a>,
    /// The lemmas.
    pub frames: Frames,
    /// From models to cubes.
    pub predecessors: Box<dyn Predecessors + 'a>,
    /// Lemmas that generalisation added and the observer has not been told of.
    added: Vec<(FrameId, Term)>,
}

/// A way into a cube: an edge, with a model of its source's variables and its inputs.
pub type Way = (EdgeId, Assignment);

impl<'a> ByLocation<'a> {
    /// Empty frames for the task.
    pub fn new(
        task: &Task<'a>,
        budget: &Budget,
        frames: Frames,
        predecessors: Box<dyn Predecessors + 'a>,
    ) -> ByLocation<'a> {
        ByLocation { consecution: Consecution::new(task, budget), frames, predecessors, added: Vec::new() }
    }

    /// The pool.
    pub fn pool(&self) -> &'a TermPool {
        self.consecution.pool()
    }

    /// Takes an invariant from elsewhere as a lemma of all levels.
    pub fn assume(&mut self, location: Loc, invariant: Term, observer: &mut dyn Observer) {
        let pool = self.consecution.pool();
        let excluded = pool.not(invariant);
        // `false` excludes everything: the empty cube.
        let cube = if excluded == pool.tru() { Vec::new() } else { vec![excluded] };
        self.frames.add(pool, location, cube, ALWAYS);
        learned(observer, None, location, invariant, "background");
    }

    /// Tells the observer what generalisation has added.
    pub fn tell(&mut self, observer: &mut dyn Observer) {
        for (at, formula) in self.added.drain(..) {
            if observer.wants_detail() {
                learned(observer, Some(at.level), at.location, formula, "ctg");
            }
        }
    }

    /// The highest level up to `limit` at which the cube stays blocked, given that it is at `at`, with the
    /// core there.
    pub fn highest(
        &mut self,
        mut at: FrameId,
        limit: u32,
        cube: &[Term],
        mut core: Vec<Term>,
    ) -> (u32, Vec<Term>) {
        while at.level < limit {
            at.level += 1;
            match self.blocked(at, cube) {
                Answer::Yes(smaller) => core = smaller,
                Answer::No(_) | Answer::Undecided(_) => return (at.level - 1, core),
            }
        }
        (at.level, core)
    }

    /// Adds the negation of a cube that is blocked at `at`, pushed up to the limit; returns the level it
    /// reaches.
    pub fn learn_up_to(
        &mut self,
        limit: u32,
        mut at: FrameId,
        mut cube: Vec<Term>,
        observer: &mut dyn Observer,
    ) -> u32 {
        while at.level < limit {
            let above = FrameId { level: at.level + 1, ..at };
            let Answer::Yes(core) = self.blocked(above, &cube) else { break };
            (at, cube) = (above, core);
        }
        if observer.wants_detail() {
            learned(observer, Some(at.level), at.location, literal::clause(self.pool(), &cube), "block");
        }
        self.frames.add(self.consecution.pool(), at.location, cube, at.level);
        at.level
    }

    /// The variables of the weakest precondition of a cube: what a predecessor along `e` is about.
    pub fn relevant(&mut self, e: EdgeId, target: &[Term]) -> Option<std::collections::BTreeSet<Term>> {
        let mut variables = std::collections::BTreeSet::new();
        for &lit in target {
            let before = self.consecution.after(e, lit);
            variables.extend(self.pool().free_vars(before));
        }
        (!variables.is_empty()).then_some(variables)
    }

    /// The counters by name.
    pub fn counters(&self) -> [(&'static str, u64); 6] {
        let queries = self.consecution.stats();
        [
            ("queries", queries.solved),
            ("queries answered by a remembered model", queries.by_witness),
            ("queries answered by counting steps", queries.by_distance),
            ("solvers rebuilt", queries.rebuilt),
            ("solver steps", self.consecution.solver_stats().steps),
            ("lemmas", self.frames.len() as u64),
        ]
    }

    /// The invariants of inductive frames.
    pub fn invariants(&self, level: u32) -> Invariants {
        invariants(&self.consecution, &self.frames, level)
    }
}

impl Flavour for ByLocation<'_> {
    type Place = FrameId;
    type Literal = Term;
    type Model = Way;

    fn blocked(&mut self, at: FrameId, cube: &[Term]) -> Answer<Term, Way> {
        match self.consecution.cube(&self.frames, at.location, cube, at.level, Induction::Relative) {
            CubeAnswer::Blocked(core) => Answer::Yes(core),
            CubeAnswer::Predecessor(e, model) => Answer::No((e, model)),
            CubeAnswer::Unknown(why) => Answer::Undecided(why),
        }
    }

    fn counterexample(
        &mut self,
        at: FrameId,
        cube: &[Term],
        (e, model): &Way,
    ) -> Option<(FrameId, Vec<Term>)> {
        let program = self.consecution.program();
        let source = program.edge(*e).source;
        if at.level <= 1 || source == program.entry {
            return None;
        }
        let states = self.predecessors.cube(*e, model, cube);
        Some((FrameId { location: source, level: at.level - 1 }, states))
    }

    fn learn(&mut self, at: FrameId, cube: Vec<Term>) -> bool {
        match self.frames.add(self.consecution.pool(), at.location, cube, at.level) {
            Some(id) => {
                self.added.push((at, self.frames.lemma(id).formula));
                true
            }
            None => false,
        }
    }

    fn join(&mut self, at: FrameId, cube: &[Term], _: &[Term], (e, model): &Way) -> Option<Vec<Term>> {
        if self.consecution.program().edge(*e).source != at.location {
            return None;
        }
        let mut before = Evaluator::new(self.pool(), model);
        Some(cube.iter().copied().filter(|&l| before.holds(l)).collect())
    }
}

impl TermFlavour for ByLocation<'_> {
    fn pool(&self) -> &TermPool {
        self.consecution.pool()
    }

    fn known(&self, at: FrameId, cube: &[Term]) -> Vec<Vec<Term>> {
        let mut known: Vec<_> = (self.frames.excluding(self.consecution.pool(), at.location, cube))
            .filter(|(_, m)| m.level < at.level)
            .map(|(id, m)| (id, m.cube.clone()))
            .collect();
        known.sort_unstable_by_key(|(id, _)| std::cmp::Reverse(*id));
        known.into_iter().map(|(_, cube)| cube).collect()
    }
}

impl<'a> Framed for ByLocation<'a> {
    type Language = TermPool;

    fn language(&self) -> &TermPool {
        self.consecution.pool()
    }

    fn frames(&self) -> &Frames {
        &self.frames
    }

    fn frames_and_language(&mut self) -> (&mut Frames, &TermPool) {
        (&mut self.frames, self.consecution.pool())
    }

    fn still_admitted(&self, (e, model): &Way, level: u32) -> bool {
        let source = self.consecution.program().edge(*e).source;
        let mut before = Evaluator::new(self.consecution.pool(), model);
        !self.frames.unreachable(source, level)
            && self.frames.at(source).all(|(_, m)| m.level < level || before.holds(m.formula))
    }
}

/// The invariants of inductive frames.
pub fn invariants(consecution: &Consecution<'_>, frames: &Frames, level: u32) -> Invariants {
    let program = consecution.program();
    let mut out = Invariants::trivial(consecution.pool(), program);
    let inner = |l: &Loc| *l != program.entry && *l != program.error;
    for l in program.locs().filter(inner) {
        out.set(l, frames.formula(consecution.pool(), l, level));
    }
    out
}
