//! The flavour of IC3 whose cubes are abstract states: conjunctions of the predicates of a [`Domain`].
//!
//! Queries are about the real transitions ([`Consecution`]); only the cubes are abstract. Entry point:
//! [`ByPredicate`].

use palisade_ic3::frames::Frames;
use palisade_program::{EdgeId, Invariants, Loc};
use palisade_term::eval::Evaluator;
use palisade_term::{Assignment, Term, TermPool};

use super::domain::{Domain, Literal};
use crate::ic3::by_location::Way;
use crate::ic3::consecution::{Consecution, CubeAnswer, Induction};
use crate::ic3::edge_solvers::EdgeAnswer;
use crate::ic3::lift::lifted;
use crate::ic3::push::Framed;
use crate::ic3::{Answer, Flavour, FrameId};
use crate::{Budget, Observer, Task, learned};

/// Frames, domain and queries.
pub struct ByPredicate<'a> {
    task: Task<'a>,
    budget: Budget,
    /// The queries.
    pub consecution: Consecution<'a>,
    /// The lemmas.
    pub frames: Frames<Domain<'a>>,
    /// The predicates.
    pub domain: Domain<'a>,
    /// The predicate that describes the initial states of a location, where there is one.
    initial: Vec<Option<usize>>,
    /// The highest level that lemmas can have now.
    pub frontier: u32,
    /// Lemmas that generalisation added and the observer has not been told of.
    added: Vec<(FrameId, Term)>,
}

impl<'a> ByPredicate<'a> {
    /// No predicates, no lemmas.
    pub fn new(task: &Task<'a>, budget: &Budget) -> ByPredicate<'a> {
        ByPredicate {
            task: *task,
            budget: budget.clone(),
            consecution: Consecution::new(task, budget),
            frames: Frames::new(task.program),
            domain: Domain::new(task, budget),
            initial: vec![None; task.program.locations.len()],
            frontier: 0,
            added: Vec::new(),
        }
    }

    /// Takes the formula of a location's initial states as a predicate. The first frame is then exactly these
    /// states.
    pub fn set_initial(&mut self, l: Loc, condition: Term) {
        let holds = !self.task.pool.strip_not(condition).0;
        if let Some(p) = self.domain.add(l, condition) {
            self.initial[l.index()] = Some(p);
            self.frames.add(&self.domain, l, vec![Literal::new(p, !holds)], 1);
        }
    }

    /// The literal that excludes the initial states, if the cube has it.
    fn not_initial(&self, l: Loc, cube: &[Literal]) -> Option<Literal> {
        let p = self.initial[l.index()]?;
        cube.iter().copied().find(|lit| lit.predicate() == p)
    }

    /// The predicates over which a lifted state is abstracted: those that share a variable with it, and the
    /// initial condition.
    pub fn relevant(&self, l: Loc, state: &[Term]) -> Vec<usize> {
        let variables = state.iter().flat_map(|&t| self.task.pool.free_vars(t)).collect();
        let mut predicates = self.domain.about(l, &variables);
        if let Some(p) = self.initial[l.index()]
            && !predicates.contains(&p)
        {
            predicates.push(p);
        }
        predicates
    }

    /// Can these states be entered in one step from the frames below?
    pub fn concrete(&mut self, at: FrameId, state: &[Term], induction: Induction) -> CubeAnswer {
        self.consecution.cube(&self.frames, at.location, state, at.level, induction)
    }

    /// The abstract state of the model's state, over the predicates that its lifting is about.
    fn abstract_predecessor(&self, way: &Way, cube: &[Literal]) -> Vec<Literal> {
        let (e, model) = way;
        let source = self.task.program.edge(*e).source;
        let state = lifted(&self.task, &self.budget, *e, model, &self.domain.terms(cube));
        self.domain.abstract_state(&self.relevant(source, &state), model)
    }

    /// A literal that the update of an edge makes false, whatever came before: most edges lead to another
    /// value of the program counter, and need no query. A literal that is needed anyway is best, a predicate
    /// is better than a negation.
    fn refuted(&mut self, e: EdgeId, cube: &[Literal], terms: &[Term], needed: &[Term]) -> Option<Term> {
        let fls = self.task.pool.fls();
        let mut best = None;
        for (literal, &term) in cube.iter().zip(terms) {
            if self.consecution.after(e, term) != fls {
                continue;
            }
            if needed.contains(&term) {
                return Some(term);
            }
            if best.is_none() || literal.holds() {
                best = Some(term);
            }
        }
        best
    }

    /// The highest level up to the frontier at which a cube stays blocked, and what suffices there.
    fn pushed(&mut self, mut at: FrameId, mut cube: Vec<Literal>) -> (FrameId, Vec<Literal>) {
        while at.level < self.frontier {
            let above = FrameId { level: at.level + 1, ..at };
            let Answer::Yes(core) = self.blocked(above, &cube) else { break };
            (at, cube) = (above, core);
        }
        (at, cube)
    }

    /// Adds the negation of a cube that is blocked at `at`, pushed up to the frontier; returns the level that
    /// it reaches.
    pub fn learn_pushed(
        &mut self,
        mut at: FrameId,
        mut cube: Vec<Literal>,
        observer: &mut dyn Observer,
    ) -> (u32, Vec<Literal>) {
        (at, cube) = self.pushed(at, cube);
        for (at, formula) in self.added.drain(..) {
            if observer.wants_detail() {
                learned(observer, Some(at.level), at.location, formula, "ctg");
            }
        }
        self.frames.add(&self.domain, at.location, cube.clone(), at.level);
        if observer.wants_detail() {
            let formula = self.task.pool.not(self.task.pool.and(self.domain.terms(&cube)));
            learned(observer, Some(at.level), at.location, formula, "block");
        }
        (at.level, cube)
    }

    /// The invariants of inductive frames.
    pub fn invariants(&self, level: u32) -> Invariants {
        let Task { pool, program, .. } = self.task;
        let mut out = Invariants::trivial(pool, program);
        for l in program.locs().filter(|&l| l != program.entry && l != program.error) {
            out.set(l, self.frames.formula(pool, l, level));
        }
        out
    }
}

impl Flavour for ByPredicate<'_> {
    type Place = FrameId;
    type Literal = Literal;
    type Model = Way;

    /// Cores of the edges inside the program first. Where they meet the initial states, the literal "not
    /// initial" is added instead of a core of its own (section 3.6, "Generalization in Consecution").
    fn blocked(&mut self, at: FrameId, cube: &[Literal]) -> Answer<Literal, Way> {
        let program = self.task.program;
        let terms = self.domain.terms(cube);
        let mut needed: Vec<Term> = Vec::new();
        let edges = self.consecution.incoming(at.location).to_vec();
        let (first, inside): (Vec<_>, Vec<_>) =
            edges.into_iter().partition(|&e| program.edge(e).source == program.entry);
        for e in inside {
            if let Some(literal) = self.refuted(e, cube, &terms, &needed) {
                needed.push(literal);
                continue;
            }
            match self.consecution.edge(&self.frames, e, at.level - 1, &terms, Induction::Relative) {
                EdgeAnswer::Predecessor(model) => {
                    self.consecution.ask_first(at.location, e);
                    return Answer::No((e, model));
                }
                EdgeAnswer::Blocked(core) => needed.extend(core),
                EdgeAnswer::Unknown(why) => return Answer::Undecided(why),
            }
        }
        let not_initial = self.not_initial(at.location, cube).map(|l| self.domain.term(l));
        for e in first {
            if let Some(literal) = self.refuted(e, cube, &terms, &needed) {
                needed.push(literal);
                continue;
            }
            let mut ask = |cube: &[Term]| {
                self.consecution.edge(&self.frames, e, at.level - 1, cube, Induction::Relative)
            };
            let mut core: Vec<Term> = terms.iter().copied().filter(|t| needed.contains(t)).collect();
            if let Some(literal) = not_initial {
                if !matches!(ask(&core), EdgeAnswer::Blocked(_)) {
                    core.push(literal);
                }
                if matches!(ask(&core), EdgeAnswer::Blocked(_)) {
                    needed = core;
                    continue;
                }
            }
            match ask(&terms) {
                EdgeAnswer::Predecessor(model) => return Answer::No((e, model)),
                EdgeAnswer::Blocked(core) => needed.extend(core),
                EdgeAnswer::Unknown(why) => return Answer::Undecided(why),
            }
        }
        let core = cube.iter().zip(&terms).filter(|(_, t)| needed.contains(t)).map(|(&l, _)| l);
        Answer::Yes(core.collect())
    }

    /// The abstract states of a counterexample to generalisation come one by one: that of the model, and
    /// after it is blocked the next query brings the next.
    fn counterexample(
        &mut self,
        at: FrameId,
        cube: &[Literal],
        way: &Way,
    ) -> Option<(FrameId, Vec<Literal>)> {
        let program = self.task.program;
        let source = program.edge(way.0).source;
        if at.level <= 1 || source == program.entry {
            return None;
        }
        let states = self.abstract_predecessor(way, cube);
        (!states.is_empty()).then_some((FrameId { location: source, level: at.level - 1 }, states))
    }

    /// Algorithm 8, lines 31 to 36 of the thesis.
    fn highest(&mut self, at: FrameId, cube: Vec<Literal>) -> (FrameId, Vec<Literal>) {
        if self.task.options.ic3_cegar.push_ctgs { self.pushed(at, cube) } else { (at, cube) }
    }

    fn learn(&mut self, at: FrameId, cube: Vec<Literal>) -> bool {
        match self.frames.add(&self.domain, at.location, cube, at.level) {
            Some(id) => {
                self.added.push((at, self.frames.lemma(id).formula));
                true
            }
            None => false,
        }
    }

    fn join(&mut self, at: FrameId, cube: &[Literal], _: &[Literal], way: &Way) -> Option<Vec<Literal>> {
        if self.task.program.edge(way.0).source != at.location {
            return None;
        }
        if self.task.options.ic3_cegar.abstract_joins {
            let states = self.abstract_predecessor(way, cube);
            return Some(cube.iter().copied().filter(|l| states.contains(l)).collect());
        }
        let mut before = Evaluator::new(self.task.pool, &way.1);
        Some(cube.iter().copied().filter(|&l| before.holds(self.domain.term(l))).collect())
    }

    fn weaker(&self, literal: Literal) -> Vec<Literal> {
        self.domain.weaker(literal)
    }
}

impl<'a> Framed for ByPredicate<'a> {
    type Language = Domain<'a>;

    fn language(&self) -> &Domain<'a> {
        &self.domain
    }

    fn frames(&self) -> &Frames<Domain<'a>> {
        &self.frames
    }

    fn frames_and_language(&mut self) -> (&mut Frames<Domain<'a>>, &Domain<'a>) {
        (&mut self.frames, &self.domain)
    }

    fn still_admitted(&self, (e, model): &Way, level: u32) -> bool {
        admitted(self.task.pool, &self.frames, self.task.program.edge(*e).source, model, level)
    }
}

/// Does the frame of a location admit a state?
fn admitted(pool: &TermPool, frames: &Frames<Domain<'_>>, l: Loc, state: &Assignment, level: u32) -> bool {
    let mut before = Evaluator::new(pool, state);
    !frames.unreachable(l, level) && frames.at(l).all(|(_, m)| m.level < level || before.holds(m.formula))
}
