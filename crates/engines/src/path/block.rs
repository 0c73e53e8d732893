//! TREE-IC3-BLOCK-PATH: refuting a path edge by edge.
//!
//! After Cimatti and Griggio, "Software Model Checking via IC3" (CAV 2012), Fig. 2. `F[j]` are the clauses at position `j`; an obligation is a cube at a position whose states lead
//! into the goal along the rest of the path. The one at the lowest position is asked first: does `F[j-1]` and the edge imply that the cube is not entered? If so it is
//! generalised and `F[j]` learns its negation; if not, cubes of its preimage become obligations at `j-1` (APPROX-PREIMAGE).
//!
//! It ends with every goal excluded at the last position (the empty cube, at the error location, by the empty clause at some position), or with an obligation at position 0,
//! which is a run of exactly the path's length.
//!
//! # Invariants
//! - `F[j-1] and T_{j-1} => F[j]'` for every clause learned. Nothing is pushed relative to itself: see [`super::edges`].
//! - Obligations are a stack: their positions fall towards the top, so the top is the lowest.

use palisade_smt::project;
use palisade_term::{Assignment, Term, Value};

use super::Path;
use super::edges::{EdgeAnswer, EdgeQueries};
use super::options::Preimage;
use crate::ic3::obligations::{Duty, Obligation, ObligationId, Obligations};
use crate::{Budget, Event, Observer, Stop, Task, literal};

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

/// Counters of path blocking.
#[derive(Clone, Copy, Debug, Default)]
pub struct BlockStats {
    /// Obligations made.
    pub obligations: u64,
    /// Clauses learned.
    pub clauses: u64,
    /// Literals dropped in generalisation.
    pub dropped: u64,
}

/// Blocks paths; keeps the edge solvers between them.
pub struct Blocker<'a> {
    task: Task<'a>,
    budget: Budget,
    /// The edge queries.
    pub queries: EdgeQueries<'a>,
    /// Counters.
    pub stats: BlockStats,
}

/// One call.
struct Attempt<'p, 'a> {
    path: &'p Path<'a>,
    /// The clauses at each position, and how many of them were there from the start.
    clauses: Vec<Vec<Term>>,
    given: Vec<usize>,
    obligations: Obligations<Term>,
    stack: Vec<(ObligationId, usize)>,
}

impl<'a> Blocker<'a> {
    /// Prepares blocking.
    pub fn new(task: &Task<'a>, budget: &Budget) -> Self {
        let queries = EdgeQueries::new(task, budget);
        Blocker { task: *task, budget: budget.clone(), queries, stats: BlockStats::default() }
    }

    /// Excludes the goals (cubes at the last position) from what can be run along the path. `known[j]` are the clauses of position `j`; positions beyond are true.
    pub fn block_path(
        &mut self,
        path: &Path<'a>,
        known: &[Vec<Term>],
        goals: &[Vec<Term>],
        observer: &mut dyn Observer,
    ) -> Blocking {
        let clauses: Vec<Vec<Term>> =
            (0..=path.len()).map(|j| known.get(j).cloned().unwrap_or_default()).collect();
        let given = clauses.iter().map(Vec::len).collect();
        let mut attempt =
            Attempt { path, clauses, given, obligations: Obligations::new(Duty::Must), stack: Vec::new() };
        for goal in goals {
            let location = path.location(path.len());
            let goal = Obligation { location, cube: goal.clone(), next: None, depth: 0, extra: () };
            let root = attempt.obligations.create(goal);
            attempt.stack.push((root, path.len()));
            while let Some((id, j)) = attempt.stack.pop() {
                if let Err(stop) = self.budget.check() {
                    return Blocking::Stopped(stop);
                }
                if j == 0 {
                    return Blocking::Feasible(attempt.obligations, id);
                }
                match self.process(&mut attempt, id, j, observer) {
                    Ok(true) => return attempt.result(),
                    Ok(false) => {}
                    Err(why) => return Blocking::Unknown(why),
                }
            }
        }
        attempt.result()
    }

    /// One obligation: learns a clause, or puts predecessors on the stack. Has the empty clause been learned?
    fn process(
        &mut self,
        attempt: &mut Attempt<'_, 'a>,
        id: ObligationId,
        j: usize,
        observer: &mut dyn Observer,
    ) -> Result<bool, String> {
        let pool = self.task.pool;
        let cube = attempt.obligations.get(id).cube.clone();
        if attempt.excludes(pool, j, &cube) {
            return Ok(false);
        }
        let e = attempt.path.edges()[j - 1];
        match self.queries.ask(e, &attempt.clauses[j - 1], &cube) {
            EdgeAnswer::Unknown(why) => Err(why),
            EdgeAnswer::Blocked(core) => {
                let smaller = self.generalize(attempt, j, core);
                self.stats.dropped += (cube.len() - smaller.len()) as u64;
                self.stats.clauses += 1;
                let clause = literal::clause(pool, &smaller);
                attempt.clauses[j].push(clause);
                if observer.wants_detail() {
                    let location = attempt.path.location(j);
                    observer.event(Event::Lemma {
                        level: Some(j as u32),
                        location,
                        formula: clause,
                        by: "block-path",
                    });
                }
                Ok(smaller.is_empty())
            }
            EdgeAnswer::Predecessor(model) => {
                attempt.stack.push((id, j));
                for pre in self.approx_preimage(attempt, j, &cube, model)? {
                    self.stats.obligations += 1;
                    let (location, depth) =
                        (attempt.path.location(j - 1), (attempt.path.len() - j + 1) as u32);
                    let child = Obligation { location, cube: pre, next: Some((e, id)), depth, extra: () };
                    let child = attempt.obligations.create(child);
                    if observer.wants_detail() {
                        observer.event(Event::Obligation {
                            id: child.number(),
                            parent: Some(id.number()),
                            level: (j - 1) as u32,
                            location,
                            cube: &attempt.obligations.get(child).cube,
                        });
                    }
                    attempt.stack.push((child, j - 1));
                }
                Ok(false)
            }
        }
    }

    /// APPROX-PREIMAGE: cubes at position `j-1` whose states lead into the cube; the first contains the model's state.
    fn approx_preimage(
        &mut self,
        attempt: &Attempt<'_, 'a>,
        j: usize,
        cube: &[Term],
        model: Assignment,
    ) -> Result<Vec<Vec<Term>>, String> {
        let options = &self.task.options.path;
        let wanted = match options.preimage {
            Preimage::First | Preimage::Point => 1,
            Preimage::Some => options.preimage_cubes.max(1),
            Preimage::All => MAX_CUBES,
        };
        let e = attempt.path.edges()[j - 1];
        let mut found = vec![self.preimage(attempt, j, cube, &model)];
        while found.len() < wanted {
            match self.queries.ask_except(e, &attempt.clauses[j - 1], cube, &found) {
                EdgeAnswer::Predecessor(model) => found.push(self.preimage(attempt, j, cube, &model)),
                EdgeAnswer::Blocked(_) => break,
                EdgeAnswer::Unknown(why) => return Err(why),
            }
        }
        Ok(found)
    }

    /// A cube that contains the model's state and leads into `cube`.
    fn preimage(&self, attempt: &Attempt<'_, 'a>, j: usize, cube: &[Term], model: &Assignment) -> Vec<Term> {
        let (pool, program) = (self.task.pool, self.task.program);
        let e = attempt.path.edges()[j - 1];
        if self.task.options.path.preimage == Preimage::Point {
            let value = |v: Term| model.get(v).cloned().unwrap_or_else(|| Value::default_of(pool.sort(v)));
            let vars = program.vars(program.edge(e).source).iter();
            return vars.map(|&v| pool.eq(v, value(v).to_term(pool))).collect();
        }
        let pre = program.pre(pool, e, pool.and(cube.iter().copied()));
        let mut found = project::preimage(pool, pre, model, &program.edge(e).inputs);
        if self.task.options.generalize.split_equalities {
            found = literal::split_equalities(pool, &found);
        }
        literal::tidy(pool, &mut found);
        found
    }

    /// A part of the core that is still blocked at position `j`.
    fn generalize(&mut self, attempt: &Attempt<'_, 'a>, j: usize, mut cube: Vec<Term>) -> Vec<Term> {
        let e = attempt.path.edges()[j - 1];
        for lit in cube.clone() {
            if cube.len() > 1 && cube.contains(&lit) {
                let fewer: Vec<Term> = cube.iter().copied().filter(|&l| l != lit).collect();
                if let EdgeAnswer::Blocked(core) = self.queries.ask(e, &attempt.clauses[j - 1], &fewer) {
                    cube = core;
                }
            }
        }
        cube
    }
}

impl Attempt<'_, '_> {
    /// Does a clause of the position exclude the cube syntactically?
    fn excludes(&self, pool: &palisade_term::TermPool, j: usize, cube: &[Term]) -> bool {
        self.clauses[j].iter().any(|&c| {
            let excluded = super::cnf::excluded_cube(pool, c);
            literal::subsumes(pool, &excluded, cube)
        })
    }

    /// What was learned.
    fn result(self) -> Blocking {
        let learned = self.clauses.into_iter().zip(self.given).map(|(mut all, given)| all.split_off(given));
        Blocking::Blocked(learned.collect())
    }
}
