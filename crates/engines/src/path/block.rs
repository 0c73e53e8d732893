//! TREE-IC3-BLOCK-PATH: refuting a path edge by edge.
//!
//! After Cimatti and Griggio, "Software Model Checking via IC3" (CAV 2012), Fig. 2. `F[j]` are the clauses at
//! position `j`; an obligation is a cube at a position whose states lead into the goal along the rest of the
//! path. The one at the lowest position is asked first: does `F[j-1]` and the edge imply that the cube is not
//! entered? If so it is generalised and `F[j]` learns its negation; if not, cubes of its preimage become
//! obligations at `j-1` (APPROX-PREIMAGE).
//!
//! It ends with every goal excluded at the last position (the empty cube, at the error location, by the empty
//! clause at some position), or with an obligation at position 0, which is a run of exactly the path's
//! length.
//!
//! # Invariants
//! - `F[j-1] and T_{j-1} => F[j]'` for every clause learned. Nothing is pushed relative to itself: see
//!   [`super::edges`].
//! - Generalisation is that of every IC3 here ([`crate::ic3::generalize`]); the flavour is `OnPath`, its
//!   places are positions.
//! - Obligations are a stack: their positions fall towards the top, so the top is the lowest.

use std::collections::BTreeSet;

use palisade_program::EdgeId;
use palisade_term::{Assignment, Term, TermPool, Value};

use super::Path;
use super::cnf::excluded_cube;
use super::edges::EdgeQueries;
use super::options::Preimage;
use crate::ic3::edge_solvers::EdgeAnswer;
use crate::ic3::generalize::{Blocked, Generalizer, TermFlavour};
use crate::ic3::obligations::{Duty, ObligationId, Obligations};
use crate::ic3::predecessor::{Concrete, Predecessors};
use crate::ic3::{Answer, Flavour};
use crate::{Budget, Event, Observer, Stop, Task, learned, literal};

/// How many cubes `all` may enumerate for one preimage.
const MAX_CUBES: usize = 200;

/// How blocking a path ended.
pub enum Blocking {
    /// The goals are excluded: the clauses learned, by position.
    Blocked(Vec<Vec<Term>>),
    /// The path can be run into a goal: the obligations, and the one at position 0.
    Feasible(Obligations<Term>, ObligationId),
    /// A query was not decided.
    Unknown(String),
    /// The budget ended.
    Stopped(Stop),
}

/// Blocks paths; keeps the edge solvers and the memory of generalisation between them.
pub struct Blocker<'a> {
    task: Task<'a>,
    budget: Budget,
    /// The edge queries.
    pub queries: EdgeQueries<'a>,
    predecessors: Concrete<'a>,
    generalizer: Generalizer,
    /// Obligations made.
    obligations: u64,
    /// Clauses learned.
    clauses: u64,
}

/// A path with the clauses of its positions: the flavour of IC3 that blocks cubes at positions.
struct OnPath<'p, 'a> {
    task: Task<'a>,
    path: &'p Path<'a>,
    queries: &'p mut EdgeQueries<'a>,
    predecessors: &'p mut Concrete<'a>,
    /// The clauses at each position.
    clauses: Vec<Vec<Term>>,
    /// Clauses that generalisation added on its way and the observer has not been told of.
    added: Vec<(usize, Term)>,
}

impl<'a> Blocker<'a> {
    /// Prepares blocking.
    pub fn new(task: &Task<'a>, budget: &Budget) -> Self {
        Blocker {
            task: *task,
            budget: budget.clone(),
            queries: EdgeQueries::new(task, budget),
            predecessors: Concrete::new(task, budget),
            generalizer: Generalizer::new(&task.options.generalize),
            obligations: 0,
            clauses: 0,
        }
    }

    /// Excludes the goals (cubes at the last position) from what can be run along the path. `known[j]` are
    /// the clauses of position `j`; positions beyond are true.
    pub fn block_path(
        &mut self,
        path: &Path<'a>,
        known: &[Vec<Term>],
        goals: &[Vec<Term>],
        observer: &mut dyn Observer,
    ) -> Blocking {
        let clauses: Vec<Vec<Term>> =
            (0..=path.len()).map(|j| known.get(j).cloned().unwrap_or_default()).collect();
        let given: Vec<usize> = clauses.iter().map(Vec::len).collect();
        let (queries, predecessors) = (&mut self.queries, &mut self.predecessors);
        let mut on_path = OnPath { task: self.task, path, queries, predecessors, clauses, added: Vec::new() };
        let mut obligations = Obligations::new(Duty::Must);
        let mut end = None;
        'goals: for goal in goals {
            let root = obligations.root(path.location(path.len()), goal.clone(), ());
            let mut stack = vec![(root, path.len())];
            while let Some((id, j)) = stack.pop() {
                if let Err(stop) = self.budget.check() {
                    end = Some(Blocking::Stopped(stop));
                    break 'goals;
                }
                if j == 0 {
                    self.obligations += obligations.made() as u64;
                    return Blocking::Feasible(obligations, id);
                }
                match process(&mut self.generalizer, &mut on_path, &obligations, (id, j), observer) {
                    Progress::Excluded => {}
                    Progress::Refuted => break 'goals,
                    Progress::Unknown(why) => {
                        end = Some(Blocking::Unknown(why));
                        break 'goals;
                    }
                    Progress::Preimage(cubes) => {
                        stack.push((id, j));
                        let (edge, before) = (path.edges()[j - 1], path.location(j - 1));
                        for cube in cubes {
                            let child = obligations.predecessor(id, edge, before, cube, ());
                            tell(&obligations, (child, j - 1), self.obligations, observer);
                            stack.push((child, j - 1));
                        }
                    }
                }
            }
        }
        self.obligations += obligations.made() as u64;
        if let Some(end) = end {
            return end;
        }
        let all = on_path.clauses.into_iter().zip(given);
        let learned: Vec<Vec<Term>> = all.map(|(mut all, given)| all.split_off(given)).collect();
        self.clauses += learned.iter().map(Vec::len).sum::<usize>() as u64;
        Blocking::Blocked(learned)
    }

    /// The counters by name.
    pub fn counters(&self) -> Vec<(&'static str, u64)> {
        let own = [("obligations", self.obligations), ("clauses learned edge by edge", self.clauses)];
        own.into_iter().chain(self.queries.counters()).chain(self.generalizer.counters()).collect()
    }
}

/// Tells of an obligation. Numbers go on from path to path: so many obligations were made before this one.
fn tell(
    obligations: &Obligations<Term>,
    (id, j): (ObligationId, usize),
    before: u64,
    observer: &mut dyn Observer,
) {
    if observer.wants_detail() {
        let made = obligations.get(id);
        let number = |id: ObligationId| before + id.number();
        observer.event(Event::Obligation {
            id: number(id),
            parent: made.next.map(|(_, next)| number(next)),
            level: j as u32,
            location: made.place,
            cube: &made.cube,
        });
    }
}

/// What became of one obligation.
enum Progress {
    /// A clause excludes it.
    Excluded,
    /// The empty clause was learned: the path is refuted.
    Refuted,
    /// Cubes that have to be excluded first.
    Preimage(Vec<Vec<Term>>),
    /// Not decided.
    Unknown(String),
}

/// One obligation: learns a clause, or finds predecessors.
fn process(
    generalizer: &mut Generalizer,
    on_path: &mut OnPath<'_, '_>,
    obligations: &Obligations<Term>,
    (id, j): (ObligationId, usize),
    observer: &mut dyn Observer,
) -> Progress {
    let obligation = obligations.get(id);
    let cube = &obligation.cube;
    if on_path.excludes(j, cube) {
        return Progress::Excluded;
    }
    let core = match on_path.blocked(j, cube) {
        Answer::Undecided(why) => return Progress::Unknown(why),
        Answer::No(model) => {
            return on_path
                .approx_preimage(j, cube, &model)
                .map_or_else(Progress::Unknown, Progress::Preimage);
        }
        Answer::Yes(core) => core,
    };
    if core.is_empty() {
        on_path.learn(j, Vec::new());
        on_path.tell("block-path", observer);
        return Progress::Refuted;
    }
    let relevant = obligation.next.map(|(e, next)| on_path.relevant(e, &obligations.get(next).cube));
    let relevant = relevant.filter(|r| !r.is_empty());
    let smaller = generalizer.generalize(on_path, j, Blocked { cube, core, relevant: relevant.as_ref() });
    on_path.tell("block-path-ctg", observer);
    let refuted = smaller.is_empty();
    on_path.learn(j, smaller);
    on_path.tell("block-path", observer);
    if refuted { Progress::Refuted } else { Progress::Excluded }
}

impl OnPath<'_, '_> {
    /// Tells the observer what was learned.
    fn tell(&mut self, by: &'static str, observer: &mut dyn Observer) {
        for (j, clause) in self.added.drain(..) {
            learned(observer, Some(j as u32), self.path.location(j), clause, by);
        }
    }

    /// The edge into a position.
    fn edge(&self, j: usize) -> EdgeId {
        self.path.edges()[j - 1]
    }

    /// Does a clause of the position exclude the cube syntactically?
    fn excludes(&self, j: usize, cube: &[Term]) -> bool {
        let pool = self.task.pool;
        self.clauses[j].iter().any(|&c| literal::subsumes(pool, &excluded_cube(pool, c), cube))
    }

    /// The variables of the weakest precondition of a cube.
    fn relevant(&mut self, e: EdgeId, target: &[Term]) -> BTreeSet<Term> {
        let pool = self.task.pool;
        target.iter().flat_map(|&l| pool.free_vars(self.queries.after(e, l))).collect()
    }

    /// APPROX-PREIMAGE: cubes at position `j-1` whose states lead into the cube; the first contains the
    /// model's state.
    fn approx_preimage(
        &mut self,
        j: usize,
        cube: &[Term],
        model: &Assignment,
    ) -> Result<Vec<Vec<Term>>, String> {
        let options = &self.task.options.path;
        let wanted = match options.preimage {
            Preimage::First | Preimage::Point => 1,
            Preimage::Some => options.preimage_cubes.max(1),
            Preimage::All => MAX_CUBES,
        };
        let mut found = vec![self.preimage(j, cube, model)];
        while found.len() < wanted {
            match self.queries.ask_except(self.path.edges()[j - 1], &self.clauses[j - 1], cube, &found) {
                EdgeAnswer::Predecessor(model) => found.push(self.preimage(j, cube, &model)),
                EdgeAnswer::Blocked(_) => break,
                EdgeAnswer::Unknown(why) => return Err(why),
            }
        }
        Ok(found)
    }

    /// A cube that contains the model's state and leads into `cube`.
    fn preimage(&mut self, j: usize, cube: &[Term], model: &Assignment) -> Vec<Term> {
        let (pool, program, e) = (self.task.pool, self.task.program, self.edge(j));
        if self.task.options.path.preimage != Preimage::Point {
            return self.predecessors.cube(e, model, cube);
        }
        let value = |v: Term| model.get(v).cloned().unwrap_or_else(|| Value::default_of(pool.sort(v)));
        let vars = program.vars(program.edge(e).source).iter();
        vars.map(|&v| pool.eq(v, value(v).to_term(pool))).filter(|&l| l != pool.tru()).collect()
    }
}

impl Flavour for OnPath<'_, '_> {
    type Place = usize;
    type Literal = Term;
    type Model = Assignment;

    fn blocked(&mut self, j: usize, cube: &[Term]) -> Answer<Term, Assignment> {
        match self.queries.ask(self.path.edges()[j - 1], &self.clauses[j - 1], cube) {
            EdgeAnswer::Blocked(core) => Answer::Yes(core),
            EdgeAnswer::Predecessor(model) => Answer::No(model),
            EdgeAnswer::Unknown(why) => Answer::Undecided(why),
        }
    }

    fn counterexample(&mut self, j: usize, cube: &[Term], model: &Assignment) -> Option<(usize, Vec<Term>)> {
        (j > 1).then(|| (j - 1, self.predecessors.cube(self.edge(j), model, cube)))
    }

    fn learn(&mut self, j: usize, cube: Vec<Term>) -> bool {
        let clause = literal::clause(self.task.pool, &cube);
        let new = !self.clauses[j].contains(&clause);
        if new {
            self.clauses[j].push(clause);
            self.added.push((j, clause));
        }
        new
    }
}

impl TermFlavour for OnPath<'_, '_> {
    fn pool(&self) -> &TermPool {
        self.task.pool
    }

    /// Clauses of other positions at the same location, nearest first: a node that repeats them is easier to
    /// cover.
    fn known(&self, j: usize, cube: &[Term]) -> Vec<Vec<Term>> {
        let pool = self.task.pool;
        let mut found: Vec<Vec<Term>> = Vec::new();
        for i in (1..j).rev().filter(|&i| self.path.location(i) == self.path.location(j)) {
            let excluded = self.clauses[i].iter().map(|&c| excluded_cube(pool, c));
            found.extend(excluded.filter(|c| literal::subsumes(pool, c, cube)));
        }
        found
    }
}
