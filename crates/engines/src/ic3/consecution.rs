//! Edge-relative induction: the queries on which every IC3 over terms of this tool runs.
//!
//! After Lange, Neuhaeusser and Noll, "IC3 Software Model Checking on Control Flow Automata" (FMCAD 2015),
//! Definition 2 and Lemma 1. For an edge `e: l -> l'` and a cube `s` at `l'` the query is `F(i, l) and
//! guard(e) and s[update(e)]`, for a self-loop with `not s` besides (relative induction is sound only there).
//!
//! The solvers are [`EdgeSolvers`]; this module makes them follow the frames: the lemmas of the source
//! location, by level, are their groups. A solver catches up with its location's log when it is asked, so
//! what is not asked costs nothing. A solver whose clauses are mostly obsolete is made anew.
//!
//! With `solvers=frame` every level has solvers of its own, which hold the frame's lemmas for good: nothing
//! is switched on and off, but what one frame's solver learns the others do not know. Otherwise one solver
//! holds all frames.
//!
//! Entry points: [`Consecution::edge`] and [`Consecution::cube`].

use palisade_ic3::frames::{ALWAYS, Frames, Language};
use palisade_program::{EdgeId, Loc, Program};
use palisade_term::{Assignment, Term, TermPool};

use super::edge_solvers::{Assumed, EdgeAnswer, EdgeSolvers, Question, sum};
use crate::options::Sharing;
use crate::{Budget, Task};

/// The answer to a query about all edges that enter a location.
#[derive(Clone, Debug)]
pub enum CubeAnswer {
    /// The cube has a predecessor along this edge.
    Predecessor(EdgeId, Assignment),
    /// No edge leads into the cube; the union of the edges' cores.
    Blocked(Vec<Term>),
    /// Some edge was not decided.
    Unknown(String),
}

/// Which induction a query uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Induction {
    /// The cube itself is excluded before a self-loop.
    Relative,
    /// It is not.
    Plain,
}

/// Counters of the queries made.
#[derive(Clone, Copy, Debug, Default)]
pub struct QueryStats {
    /// Queries that reached a solver.
    pub solved: u64,
    /// Queries answered by an earlier model.
    pub by_witness: u64,
    /// Queries answered by counting steps.
    pub by_distance: u64,
    /// Solvers rebuilt.
    pub rebuilt: u64,
}

/// Solvers that follow the frames.
struct Followers<'a> {
    solvers: EdgeSolvers<'a>,
    /// How much of the source's log each solver has seen.
    seen: Vec<usize>,
}

/// The edge queries of a program, relative to frames.
pub struct Consecution<'a> {
    task: Task<'a>,
    /// One that holds all frames, or one for each level.
    followers: Vec<Followers<'a>>,
    budget: Budget,
    incoming: Vec<Vec<EdgeId>>,
    by_witness: u64,
    by_distance: u64,
}

impl<'a> Followers<'a> {
    fn new(task: &Task<'a>, budget: &Budget) -> Followers<'a> {
        let solvers = EdgeSolvers::new(task, budget);
        Followers { seen: vec![0; solvers.slots()], solvers }
    }

    /// Brings the solver of an edge up to date with the frames of its source, or with one of them.
    fn follow<G: Language<Place = Loc, Formula = Term>>(
        &mut self,
        frames: &Frames<G>,
        e: EdgeId,
        only: Option<u32>,
    ) {
        let source = self.solvers.program().edge(e).source;
        let live = frames.at(source).count();
        if self.solvers.clauses(e).is_some_and(|clauses| clauses > 64 + 3 * live) {
            self.solvers.reset(e);
        }
        let slot = self.solvers.slot(e);
        if self.solvers.clauses(e).is_none() {
            self.seen[slot] = 0;
        }
        let log = frames.log(source);
        for &(id, level) in &log[self.seen[slot]..] {
            let lemma = frames.lemma(id);
            // Skip what a later entry of the log or a stronger lemma makes superfluous.
            if lemma.subsumed || lemma.level != level || only.is_some_and(|only| level < only) {
                continue;
            }
            let group = (level != ALWAYS && only.is_none()).then_some(level);
            self.solvers.add(e, group, lemma.formula);
        }
        self.seen[slot] = log.len();
    }
}

impl<'a> Consecution<'a> {
    /// Prepares the queries; solvers are made when first needed.
    pub fn new(task: &Task<'a>, budget: &Budget) -> Consecution<'a> {
        Consecution {
            task: *task,
            incoming: task.program.incoming(),
            followers: vec![Followers::new(task, budget)],
            budget: budget.clone(),
            by_witness: 0,
            by_distance: 0,
        }
    }

    /// The edges that enter a location, those that led into the latest cubes first.
    pub fn incoming(&self, l: Loc) -> &[EdgeId] {
        &self.incoming[l.index()]
    }

    /// The program.
    pub fn program(&self) -> &'a Program {
        self.task.program
    }

    /// The pool.
    pub fn pool(&self) -> &'a TermPool {
        self.task.pool
    }

    /// A target literal as it is seen before the edge.
    pub fn after(&mut self, e: EdgeId, lit: Term) -> Term {
        self.followers[0].solvers.after(e, lit)
    }

    /// Does a state of `F(level, source)` lead along `e` into `cube`?
    pub fn edge<G: Language<Place = Loc, Formula = Term>>(
        &mut self,
        frames: &Frames<G>,
        e: EdgeId,
        level: u32,
        cube: &[Term],
        induction: Induction,
    ) -> EdgeAnswer {
        self.edge_except(frames, e, level, cube, (induction, &[]))
    }

    /// The same, for states that satisfy some more clauses over the source's variables.
    pub fn edge_except<G: Language<Place = Loc, Formula = Term>>(
        &mut self,
        frames: &Frames<G>,
        e: EdgeId,
        level: u32,
        cube: &[Term],
        (induction, besides): (Induction, &[Term]),
    ) -> EdgeAnswer {
        let edge = self.program().edge(e);
        if frames.unreachable(edge.source, level) {
            self.by_distance += 1;
            return EdgeAnswer::Blocked(Vec::new());
        }
        let relative = induction == Induction::Relative && edge.source == edge.target;
        let only = (self.task.options.general.solvers == Sharing::Frame).then_some(level);
        let (follower, assumed) = match only {
            Some(level) => (level as usize, Assumed::These(&[])),
            None => (0, Assumed::From(level)),
        };
        while self.followers.len() <= follower {
            self.followers.push(Followers::new(&self.task, &self.budget));
        }
        let followers = &mut self.followers[follower];
        let question = Question { assumed, cube, relative, besides };
        followers.follow(frames, e, only);
        let witness = followers.solvers.known_witness(e, question, |before| {
            frames.at(edge.source).all(|(_, m)| m.level < level || before.holds(m.formula))
        });
        if let Some(model) = witness {
            self.by_witness += 1;
            return EdgeAnswer::Predecessor(model);
        }
        match followers.solvers.ask(e, question) {
            EdgeAnswer::Unknown(_) if self.budget.check().is_ok() => {
                // What a long-lived solver cannot decide, a new one may.
                followers.solvers.reset(e);
                followers.follow(frames, e, only);
                followers.solvers.ask(e, question)
            }
            answer => answer,
        }
    }

    /// Can `cube` at `l` be entered in one step from the frames below `level`? Asks all edges that enter `l`.
    pub fn cube<G: Language<Place = Loc, Formula = Term>>(
        &mut self,
        frames: &Frames<G>,
        l: Loc,
        cube: &[Term],
        level: u32,
        induction: Induction,
    ) -> CubeAnswer {
        debug_assert!(level > 0);
        let mut core: Vec<Term> = Vec::new();
        for i in 0..self.incoming[l.index()].len() {
            let e = self.incoming[l.index()][i];
            match self.edge(frames, e, level - 1, cube, induction) {
                EdgeAnswer::Predecessor(model) => {
                    self.ask_first(l, e);
                    return CubeAnswer::Predecessor(e, model);
                }
                EdgeAnswer::Blocked(part) => core.extend(part),
                EdgeAnswer::Unknown(why) => return CubeAnswer::Unknown(why),
            }
        }
        core.sort_unstable();
        core.dedup();
        CubeAnswer::Blocked(core)
    }

    /// Asks this edge first next time: what failed tends to fail again.
    pub fn ask_first(&mut self, l: Loc, e: EdgeId) {
        let edges = &mut self.incoming[l.index()];
        if let Some(i) = edges.iter().position(|&x| x == e) {
            edges[..=i].rotate_right(1);
        }
    }

    /// Counters.
    pub fn stats(&self) -> QueryStats {
        QueryStats {
            solved: self.followers.iter().map(|f| f.solvers.solved).sum(),
            by_witness: self.by_witness,
            by_distance: self.by_distance,
            rebuilt: self.followers.iter().map(|f| f.solvers.rebuilt).sum(),
        }
    }

    /// The sum of the solvers' counters.
    pub fn solver_stats(&self) -> palisade_smt::Stats {
        self.followers.iter().map(|f| f.solvers.solver_stats()).fold(palisade_smt::Stats::default(), sum)
    }
}
