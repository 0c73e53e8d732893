//! One incremental solver per edge, with groups of clauses that a query switches on.
//!
//! For an edge `e: l -> l'` and a cube `s` at `l'` the query is `assumed and guard(e) and s[update(e)]`.
//! Because edges are guarded assignments, `s` is asked for *after the update* and no next-state variables
//! exist: the atoms of lemmas and of substituted cubes are over the same variables and often the same atoms.
//!
//! What is assumed at the source is the caller's business: clauses are added to a [`Group`], and a query
//! names the groups that it assumes. [`crate::ic3::consecution`] makes a group of every level of a location;
//! the clauses of a tree node are a group as well. A solver keeps its guard; the caller resets one whose
//! clauses are mostly obsolete.
//!
//! Solvers belong to edges, or to locations whose leaving edges share one ([`Sharing`]); then a literal
//! selects the edge. For one solver per frame, [`crate::ic3::consecution`] has solvers of edges for each.
//!
//! Answers carry their model or core; nothing is kept as "the last answer". Recent models are remembered per
//! edge, and tried before the solver is asked: most queries that fail fail again on one of them.

use palisade_program::{EdgeId, Program};
use palisade_smt::{Answer, Solver, Stats};
use palisade_term::{Assignment, Sort, Term, TermPool, Value, eval::Evaluator};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::options::Sharing;
use crate::{Budget, Task, literal};

/// The answer to a query about one edge.
#[derive(Clone, Debug)]
pub enum EdgeAnswer {
    /// Some assumed state leads into the cube; a model of the source's variables and the edge's inputs.
    Predecessor(Assignment),
    /// None does; these literals of the cube suffice for that.
    Blocked(Vec<Term>),
    /// The solver did not decide.
    Unknown(String),
}

/// A set of clauses that queries can assume. The same number may be used with every edge.
pub type Group = u32;

/// The groups that a query assumes.
#[derive(Clone, Copy, Debug)]
pub enum Assumed<'q> {
    /// All groups from this number on.
    From(Group),
    /// These groups.
    These(&'q [Group]),
}

/// What an edge query asks.
#[derive(Clone, Copy, Debug)]
pub struct Question<'q> {
    /// What is assumed before the edge.
    pub assumed: Assumed<'q>,
    /// The states after the edge.
    pub cube: &'q [Term],
    /// Are the states of the cube excluded before the edge? (Relative induction; right only for self-loops.)
    pub relative: bool,
    /// Clauses over the source's variables that this query assumes besides.
    pub besides: &'q [Term],
}

/// The solver of an edge, or of the edges that leave a location.
struct Slot<'a> {
    solver: Box<dyn Solver + 'a>,
    /// Clauses added so far, obsolete or not.
    clauses: usize,
}

/// What is kept about an edge besides its solver.
struct EdgeState {
    /// The literal that switches the guard on, where the solver is shared.
    selector: Option<Term>,
    update: FxHashMap<Term, Term>,
    /// Literals after the update.
    after: FxHashMap<Term, Term>,
    /// Recent models, newest last.
    witnesses: Vec<Witness>,
}

/// A transition seen in an earlier model.
struct Witness {
    model: Assignment,
    /// The state it leads to.
    successor: Assignment,
}

/// How many earlier models an edge keeps.
const WITNESSES: usize = 6;

/// How many literals an edge keeps as they are seen before it. That is memory for speed, and nothing else.
const MAX_AFTER: usize = 20_000;

/// The solvers of a program's edges.
pub struct EdgeSolvers<'a> {
    task: Task<'a>,
    budget: Budget,
    outgoing: Vec<Vec<EdgeId>>,
    edges: Vec<EdgeState>,
    /// By edge or by location.
    slots: Vec<Option<Slot<'a>>>,
    sharing: Sharing,
    /// The literals that switch groups on, by group.
    activation: Vec<Term>,
    /// Queries that reached a solver.
    pub solved: u64,
    /// Solvers thrown away.
    pub rebuilt: u64,
    /// Counters of solvers that were thrown away.
    retired: Stats,
}

impl<'a> EdgeSolvers<'a> {
    /// Prepares the edges; solvers are made when first needed.
    pub fn new(task: &Task<'a>, budget: &Budget) -> EdgeSolvers<'a> {
        let (pool, program, sharing) = (task.pool, task.program, task.options.general.solvers);
        let shared = sharing == Sharing::Location;
        let state = |e| EdgeState {
            selector: shared.then(|| pool.fresh_var("edge", Sort::Bool)),
            update: program.update_map(e),
            after: FxHashMap::default(),
            witnesses: Vec::new(),
        };
        let slots = if shared { program.locations.len() } else { program.edges.len() };
        EdgeSolvers {
            task: *task,
            budget: budget.clone(),
            outgoing: program.outgoing(),
            edges: program.edge_ids().map(state).collect(),
            slots: (0..slots).map(|_| None).collect(),
            sharing,
            activation: Vec::new(),
            solved: 0,
            rebuilt: 0,
            retired: Stats::default(),
        }
    }

    /// The pool.
    pub fn pool(&self) -> &'a TermPool {
        self.task.pool
    }

    /// The program.
    pub fn program(&self) -> &'a Program {
        self.task.program
    }

    /// The number of the edge's solver: edges that share a solver have the same.
    pub fn slot(&self, e: EdgeId) -> usize {
        match self.sharing {
            Sharing::Edge | Sharing::Frame => e.index(),
            Sharing::Location => self.task.program.edge(e).source.index(),
        }
    }

    /// The number of solvers that there can be.
    pub fn slots(&self) -> usize {
        self.slots.len()
    }

    /// A target literal as it is seen before the edge.
    pub fn after(&mut self, e: EdgeId, lit: Term) -> Term {
        let edge = &mut self.edges[e.index()];
        if edge.after.len() > MAX_AFTER {
            edge.after.clear();
        }
        *edge.after.entry(lit).or_insert_with(|| self.task.pool.substitute(lit, &edge.update))
    }

    /// The clauses that the edge's solver holds, obsolete or not; `None` if there is no solver.
    pub fn clauses(&self, e: EdgeId) -> Option<usize> {
        self.slots[self.slot(e)].as_ref().map(|s| s.clauses)
    }

    /// Throws the edge's solver away, with all clauses added to it.
    pub fn reset(&mut self, e: EdgeId) {
        let slot = self.slot(e);
        if let Some(old) = self.slots[slot].take() {
            self.retired = sum(self.retired, Stats { memory: 0, ..old.solver.stats() });
            self.rebuilt += 1;
        }
        self.edges[e.index()].after.clear();
    }

    /// Adds a clause over the source's variables to the edge's solver: to a group, or for every query.
    pub fn add(&mut self, e: EdgeId, group: Option<Group>, clause: Term) {
        let pool = self.task.pool;
        let clause = match group {
            None => clause,
            Some(group) => {
                while self.activation.len() <= group as usize {
                    self.activation.push(pool.fresh_var("act", Sort::Bool));
                }
                pool.or([pool.not(self.activation[group as usize]), clause])
            }
        };
        let slot = self.open(e);
        slot.solver.assert(clause);
        slot.clauses += 1;
    }

    /// The edge's solver, made if there is none.
    fn open(&mut self, e: EdgeId) -> &mut Slot<'a> {
        let slot = self.slot(e);
        if self.slots[slot].is_none() {
            let (pool, program) = (self.task.pool, self.task.program);
            let mut solver = self.task.solver(&self.budget, None);
            let own = [e];
            let shared = match self.sharing {
                Sharing::Edge | Sharing::Frame => &own[..],
                Sharing::Location => &self.outgoing[program.edge(e).source.index()],
            };
            for &e in shared {
                let selected = self.edges[e.index()].selector.map(|s| pool.not(s));
                solver.assert(pool.or(selected.into_iter().chain([program.edge(e).guard])));
            }
            self.slots[slot] = Some(Slot { solver, clauses: 0 });
        }
        self.slots[slot].as_mut().expect("just made")
    }

    /// Asks the solver of an edge. Every group in use must have been added before.
    pub fn ask(&mut self, e: EdgeId, question: Question<'_>) -> EdgeAnswer {
        let after: Vec<Term> = question.cube.iter().map(|&l| self.after(e, l)).collect();
        let mut assumptions: Vec<Term> = self.edges[e.index()].selector.into_iter().collect();
        match question.assumed {
            Assumed::From(group) => {
                assumptions.extend(self.activation.get(group as usize..).unwrap_or_default());
            }
            // A group without a clause assumes nothing.
            Assumed::These(groups) => {
                assumptions.extend(groups.iter().filter_map(|&g| self.activation.get(g as usize)));
            }
        }
        assumptions.extend(&after);
        self.solved += 1;
        let pool = self.task.pool;
        let slot = self.open(e);
        let mut temporary = question.besides.to_vec();
        temporary.extend(question.relative.then(|| literal::clause(pool, question.cube)));
        let answer = if temporary.is_empty() {
            slot.solver.check(&assumptions)
        } else {
            slot.solver.check_with(&temporary, &assumptions)
        };
        match answer {
            Answer::Sat(model) => {
                self.remember(e, &model);
                EdgeAnswer::Predecessor(model)
            }
            Answer::Unsat(core) => {
                let core: FxHashSet<Term> = core.into_iter().collect();
                let kept = question.cube.iter().zip(&after).filter(|(_, a)| core.contains(*a));
                EdgeAnswer::Blocked(kept.map(|(&l, _)| l).collect())
            }
            Answer::Unknown(why) => EdgeAnswer::Unknown(why.to_string()),
        }
    }

    /// An earlier model of this edge that answers the question, if its source state is admitted.
    pub fn known_witness(
        &self,
        e: EdgeId,
        question: Question<'_>,
        admitted: impl Fn(&mut Evaluator<'_, '_>) -> bool,
    ) -> Option<Assignment> {
        for w in self.edges[e.index()].witnesses.iter().rev() {
            let mut after = Evaluator::new(self.task.pool, &w.successor);
            if !question.cube.iter().all(|&l| after.holds(l)) {
                continue;
            }
            let mut before = Evaluator::new(self.task.pool, &w.model);
            if question.relative && question.cube.iter().all(|&l| before.holds(l)) {
                continue;
            }
            if question.besides.iter().all(|&c| before.holds(c)) && admitted(&mut before) {
                return Some(w.model.clone());
            }
        }
        None
    }

    fn remember(&mut self, e: EdgeId, model: &Assignment) {
        let program = self.task.program;
        let edge = program.edge(e);
        let mut ev = Evaluator::new(self.task.pool, model);
        let values: Vec<Value> = edge.update.iter().map(|&u| ev.eval(u)).collect();
        let successor = program.vars(edge.target).iter().copied().zip(values).collect();
        let witnesses = &mut self.edges[e.index()].witnesses;
        if witnesses.len() == WITNESSES {
            witnesses.remove(0);
        }
        witnesses.push(Witness { model: model.clone(), successor });
    }

    /// The sum of the solvers' counters, of those thrown away too.
    pub fn solver_stats(&self) -> Stats {
        self.slots.iter().flatten().map(|s| s.solver.stats()).fold(self.retired, sum)
    }
}

/// The sum of counters.
pub fn sum(a: Stats, b: Stats) -> Stats {
    Stats {
        queries: a.queries + b.queries,
        conflicts: a.conflicts + b.conflicts,
        decisions: a.decisions + b.decisions,
        propagations: a.propagations + b.propagations,
        pivots: a.pivots + b.pivots,
        steps: a.steps + b.steps,
        memory: a.memory + b.memory,
    }
}
