//! Edge-relative induction (seed 004, Definition 2 and Lemma 1): the queries on which every IC3 of this tool runs.
//!
//! For an edge `e: l -> l'` and a cube `s` at `l'` the query is `F(i, l) and guard(e) and s[update(e)]`, for a self-loop with `not s` besides
//! (relative induction is sound only there). Because edges are guarded assignments, `s` is asked for *after the update* and no
//! next-state variables exist: the atoms of lemmas and of substituted cubes are over the same variables and often the same atoms.
//!
//! There is one incremental solver per edge, or one per location that the edges leaving it share ([`Sharing`]). It holds the guard (shared: under a literal that
//! selects the edge) for ever and the lemmas of the source location under one activation literal per level; it follows the frames' log when it is
//! asked, so what is not asked costs nothing. A solver whose clauses are mostly obsolete is rebuilt.
//!
//! Answers carry their model or core; nothing is kept as "the last answer".

use palisade_program::{EdgeId, Loc, Program};
use palisade_smt::{Answer, Limits, Solver};
use palisade_term::{Assignment, Sort, Term, TermPool, Value, eval::Evaluator};
use rustc_hash::FxHashMap;

use crate::frames::{ALWAYS, Frames};
use crate::options::Sharing;
use crate::{Budget, SolverFactory, literal};

/// The answer to a query about one edge.
#[derive(Clone, Debug)]
pub enum EdgeAnswer {
    /// Some state of the frame leads into the cube; a model of the source's variables and the edge's inputs.
    Predecessor(Assignment),
    /// None does; these literals of the cube suffice for that.
    Blocked(Vec<Term>),
    /// The solver did not decide.
    Unknown(String),
}

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

/// A solver that follows the frames of a location.
struct SourceSolver<'a> {
    solver: Box<dyn Solver + 'a>,
    /// Activation literals by level.
    activation: Vec<Term>,
    /// How much of the source's log has been asserted.
    seen: usize,
    /// Lemma clauses asserted so far, live or not.
    clauses: usize,
}

/// What is kept about an edge besides its solver.
struct EdgeState {
    /// The literal that switches the guard on, where the solver is shared.
    selector: Option<Term>,
    update: FxHashMap<Term, Term>,
    /// Literals after the update.
    after: FxHashMap<Term, Term>,
    /// Recent models, newest last: most failing queries fail again on one of them.
    witnesses: Vec<Witness>,
}

/// A transition seen in an earlier model: it is tried before the solver.
struct Witness {
    model: Assignment,
    /// The state it leads to.
    successor: Assignment,
}

/// How many earlier models an edge keeps.
const WITNESSES: usize = 6;

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

/// The edge queries of a program.
pub struct Consecution<'a> {
    pool: &'a TermPool,
    program: &'a Program,
    factory: &'a dyn SolverFactory,
    budget: Budget,
    incoming: Vec<Vec<EdgeId>>,
    outgoing: Vec<Vec<EdgeId>>,
    edges: Vec<EdgeState>,
    /// By edge or by location.
    solvers: Vec<Option<SourceSolver<'a>>>,
    sharing: Sharing,
    activation: Vec<Term>,
    /// Counters.
    pub stats: QueryStats,
}

impl<'a> Consecution<'a> {
    /// Prepares the queries; solvers are made when first needed.
    pub fn new(
        pool: &'a TermPool,
        program: &'a Program,
        factory: &'a dyn SolverFactory,
        budget: &Budget,
        sharing: Sharing,
    ) -> Consecution<'a> {
        let shared = sharing == Sharing::Location;
        let state = |e| EdgeState {
            selector: shared.then(|| pool.fresh_var("edge", Sort::Bool)),
            update: program.update_map(e),
            after: FxHashMap::default(),
            witnesses: Vec::new(),
        };
        let slots = if shared { program.locations.len() } else { program.edges.len() };
        Consecution {
            pool,
            program,
            factory,
            budget: budget.clone(),
            incoming: program.incoming(),
            outgoing: program.outgoing(),
            edges: program.edge_ids().map(state).collect(),
            solvers: (0..slots).map(|_| None).collect(),
            sharing,
            activation: Vec::new(),
            stats: QueryStats::default(),
        }
    }

    /// The edges that enter a location.
    pub fn incoming(&self, l: Loc) -> &[EdgeId] {
        &self.incoming[l.index()]
    }

    /// The program.
    pub fn program(&self) -> &'a Program {
        self.program
    }

    /// The pool.
    pub fn pool(&self) -> &'a TermPool {
        self.pool
    }

    /// A target literal as it is seen before the edge.
    pub fn after(&mut self, e: EdgeId, lit: Term) -> Term {
        let edge = &mut self.edges[e.index()];
        *edge.after.entry(lit).or_insert_with(|| self.pool.substitute(lit, &edge.update))
    }

    /// The place of an edge's solver.
    fn slot(&self, e: EdgeId) -> usize {
        match self.sharing {
            Sharing::Edge => e.index(),
            Sharing::Location => self.program.edge(e).source.index(),
        }
    }

    /// Does a state of `F(level, source)` lead along `e` into `cube`? With `relative`, states of the cube itself are excluded from the source
    /// when the edge is a self-loop.
    pub fn edge(
        &mut self,
        frames: &Frames,
        e: EdgeId,
        level: u32,
        cube: &[Term],
        relative: bool,
    ) -> EdgeAnswer {
        let edge = self.program.edge(e);
        if frames.unreachable(edge.source, level) {
            self.stats.by_distance += 1;
            return EdgeAnswer::Blocked(Vec::new());
        }
        let relative = relative && edge.source == edge.target;
        self.follow(frames, e);
        if let Some(model) = self.known_witness(frames, e, level, cube, relative) {
            self.stats.by_witness += 1;
            return EdgeAnswer::Predecessor(model);
        }
        let after: Vec<Term> = cube.iter().map(|&l| self.after(e, l)).collect();
        let mut answer = self.ask(e, level, cube, &after, relative);
        if matches!(answer, Answer::Unknown(_)) && self.budget.check().is_ok() {
            // What a long-lived solver cannot decide, a new one may.
            let slot = self.slot(e);
            self.solvers[slot] = None;
            self.stats.rebuilt += 1;
            self.follow(frames, e);
            answer = self.ask(e, level, cube, &after, relative);
        }
        match answer {
            Answer::Sat(model) => {
                self.remember(e, &model);
                EdgeAnswer::Predecessor(model)
            }
            Answer::Unsat(core) => {
                let core: rustc_hash::FxHashSet<Term> = core.into_iter().collect();
                let kept =
                    cube.iter().zip(&after).filter(|(_, a)| core.contains(*a)).map(|(&l, _)| l).collect();
                EdgeAnswer::Blocked(kept)
            }
            Answer::Unknown(why) => EdgeAnswer::Unknown(why.to_string()),
        }
    }

    /// Asks the solver of an edge, which has been brought up to date.
    fn ask(&mut self, e: EdgeId, level: u32, cube: &[Term], after: &[Term], relative: bool) -> Answer {
        let slot = self.slot(e);
        let ss = self.solvers[slot].as_mut().expect("made by follow");
        let levels = ss.activation.get(level as usize..).unwrap_or_default();
        let mut assumptions: Vec<Term> = self.edges[e.index()].selector.into_iter().collect();
        assumptions.extend(levels.iter().chain(after));
        self.stats.solved += 1;
        if relative {
            ss.solver.check_with(&[literal::clause(self.pool, cube)], &assumptions)
        } else {
            ss.solver.check(&assumptions)
        }
    }

    /// Can `cube` at `l` be entered in one step from the frames below `level`? Asks all edges that enter `l`.
    pub fn cube(&mut self, frames: &Frames, l: Loc, cube: &[Term], level: u32) -> CubeAnswer {
        debug_assert!(level > 0);
        let mut core: Vec<Term> = Vec::new();
        for i in 0..self.incoming[l.index()].len() {
            let e = self.incoming[l.index()][i];
            match self.edge(frames, e, level - 1, cube, true) {
                EdgeAnswer::Predecessor(model) => {
                    // Ask this edge first next time: what failed tends to fail again.
                    self.incoming[l.index()][..=i].rotate_right(1);
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

    /// The activation literal of a level, shared by all edges.
    fn activation(&mut self, level: usize) -> Term {
        while self.activation.len() <= level {
            self.activation.push(self.pool.fresh_var("act", Sort::Bool));
        }
        self.activation[level]
    }

    /// Brings the solver of an edge up to date with the frames of its source.
    fn follow(&mut self, frames: &Frames, e: EdgeId) {
        let source = self.program.edge(e).source;
        let live = frames.at(source).count();
        let slot = self.slot(e);
        if self.solvers[slot].as_ref().is_some_and(|ss| ss.clauses > 64 + 3 * live) {
            self.solvers[slot] = None;
            self.stats.rebuilt += 1;
        }
        if self.solvers[slot].is_none() {
            let mut solver = self.factory.solver(self.pool);
            solver.set_limits(Limits { steps: None, interrupt: Some(self.budget.interrupt_flag()) });
            let own = [e];
            let shared = match self.sharing {
                Sharing::Edge => &own[..],
                Sharing::Location => &self.outgoing[source.index()],
            };
            for &e in shared {
                let guard = self.program.edge(e).guard;
                let selected = self.edges[e.index()].selector.map(|s| self.pool.not(s));
                solver.assert(self.pool.or(selected.into_iter().chain([guard])));
            }
            self.solvers[slot] = Some(SourceSolver { solver, activation: Vec::new(), seen: 0, clauses: 0 });
        }
        let log = frames.log(source);
        let seen = self.solvers[slot].as_ref().expect("just made").seen;
        for &(id, level) in &log[seen..] {
            let lemma = frames.lemma(id);
            // Skip what a later entry of the log or a stronger lemma makes superfluous.
            if lemma.subsumed || lemma.level != level {
                continue;
            }
            let clause = if level == ALWAYS {
                lemma.formula
            } else {
                let act = self.activation(level as usize);
                self.pool.or([self.pool.not(act), lemma.formula])
            };
            let ss = self.solvers[slot].as_mut().expect("just made");
            ss.solver.assert(clause);
            ss.clauses += 1;
        }
        let ss = self.solvers[slot].as_mut().expect("just made");
        ss.seen = log.len();
        ss.activation.clone_from(&self.activation);
    }

    /// An earlier model of this edge that answers the query.
    fn known_witness(
        &self,
        frames: &Frames,
        e: EdgeId,
        level: u32,
        cube: &[Term],
        relative: bool,
    ) -> Option<Assignment> {
        let source = self.program.edge(e).source;
        for w in self.edges[e.index()].witnesses.iter().rev() {
            let mut after = Evaluator::new(self.pool, &w.successor);
            if !cube.iter().all(|&l| after.holds(l)) {
                continue;
            }
            let mut before = Evaluator::new(self.pool, &w.model);
            if relative && cube.iter().all(|&l| before.holds(l)) {
                continue;
            }
            if frames.at(source).all(|(_, m)| m.level < level || before.holds(m.formula)) {
                return Some(w.model.clone());
            }
        }
        None
    }

    fn remember(&mut self, e: EdgeId, model: &Assignment) {
        let edge = self.program.edge(e);
        let mut ev = Evaluator::new(self.pool, model);
        let values: Vec<Value> = edge.update.iter().map(|&u| ev.eval(u)).collect();
        let successor = self.program.vars(edge.target).iter().copied().zip(values).collect();
        let witnesses = &mut self.edges[e.index()].witnesses;
        if witnesses.len() == WITNESSES {
            witnesses.remove(0);
        }
        witnesses.push(Witness { model: model.clone(), successor });
    }

    /// The sum of the solvers' counters.
    pub fn solver_stats(&self) -> palisade_smt::Stats {
        let mut sum = palisade_smt::Stats::default();
        for ss in self.solvers.iter().flatten() {
            let s = ss.solver.stats();
            sum.queries += s.queries;
            sum.conflicts += s.conflicts;
            sum.decisions += s.decisions;
            sum.propagations += s.propagations;
            sum.pivots += s.pivots;
            sum.memory += s.memory;
        }
        sum
    }
}
