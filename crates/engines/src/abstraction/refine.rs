//! From a spurious abstract path to the predicates that exclude it.
//!
//! After Cimatti, Griggio, Mover and Tonetta, "IC3 Modulo Theories via Implicit Predicate Abstraction" (TACAS
//! 2014): the path is unrolled; if it is feasible, it is the counterexample; otherwise the atoms of its
//! sequence interpolants exclude it, and a minimal part of them is kept. What is minimal is asked of the
//! *abstract* path: positions are linked only by the predicates of their location (the paper's `EQ`), new
//! predicates under an activation literal each, and the core of the refutation says which are needed.
//!
//! Ours: the path may also be refuted edge by edge ([`crate::path::block`]). Its clauses are generalised as
//! those of IC3 are, so their atoms are not tied to the length of the path where those of interpolants often
//! are. [`Source`] chooses.
//!
//! Beside it, states of spurious steps may be mined for equations ([`super::mining`]); these are kept whether
//! they exclude the path or not.
//!
//! Entry point: [`Refiner::refine`].

use palisade_options::choices;
use palisade_program::{EdgeId, Loc, Run};
use palisade_smt::Answer;
use palisade_term::{Sort, Term};

use super::domain::Domain;
use super::initial::control_variables;
use super::mining::Mining;
use super::states::atoms;
use crate::ic3::lift::lifted;
use crate::path::Path;
use crate::path::exclude::{Excluded, Excluder, Interpolants};
use crate::{Budget, Event, Observer, Reason, Task};

/// What became of an abstract path.
pub enum Refinement {
    /// It is real.
    Run(Run),
    /// Predicates that exclude it, then others; with their source.
    Predicates(Vec<(Loc, Term, &'static str)>),
}

choices! {
    /// Where new predicates come from: interpolants of the path, clauses that block it edge by edge, or both
    /// in turn.
    pub enum Source { Interpolants = "interpolants", #[default] Edges = "edges", Both = "both" }
}

/// How paths are refined.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Where predicates come from.
    pub source: Source,
    /// Make two predicates of an equation.
    pub split_equations: bool,
    /// Keep only what the refutation of the abstract path needs.
    pub minimize: bool,
    /// Look for an equation through so many states of spurious steps (0: never).
    pub min_points: usize,
}

/// Solver steps of the search for a minimal set of predicates.
const MAX_STEPS: u64 = 200_000;

/// Refines abstract paths.
pub struct Refiner<'a> {
    task: Task<'a>,
    budget: Budget,
    settings: Settings,
    excluder: Excluder<'a>,
    mining: Option<Mining>,
    /// Paths refined so far.
    pub refinements: u64,
}

impl<'a> Refiner<'a> {
    /// With these settings.
    pub fn new(task: &Task<'a>, budget: &Budget, settings: Settings) -> Refiner<'a> {
        let excluder = Excluder::new(task, budget, Interpolants::Formulas);
        let mining = (settings.min_points > 0).then(|| Mining::new(settings.min_points));
        Refiner { task: *task, budget: budget.clone(), settings, excluder, mining, refinements: 0 }
    }

    /// Makes a run of the path or finds predicates that exclude it. `known` holds at each position: the
    /// abstract states of the path, and what is true at their locations.
    pub fn refine(
        &mut self,
        edges: &[EdgeId],
        known: &[Vec<Term>],
        domain: &Domain<'_>,
        observer: &mut dyn Observer,
    ) -> Result<Refinement, Reason> {
        let path = Path::new(&self.task, self.task.program.entry, edges.to_vec());
        self.refinements += 1;
        let by_edges = match self.settings.source {
            Source::Interpolants => false,
            Source::Edges => true,
            Source::Both => self.refinements.is_multiple_of(2),
        };
        // The other way is for paths where the first brings nothing new.
        let ways = if by_edges {
            [Interpolants::Never, Interpolants::Formulas]
        } else {
            [Interpolants::Formulas, Interpolants::Never]
        };
        for way in ways {
            self.excluder.interpolants = way;
            let formulas = match self.excluder.exclude(&path, known, &[Vec::new()], observer)? {
                Excluded::Clauses(formulas, _) => formulas,
                Excluded::Feasible(Some(run)) => return Ok(Refinement::Run(run)),
                Excluded::Feasible(None) => {
                    return Err(Reason::Incomplete("a feasible path could not be executed".into()));
                }
            };
            let mut found = self.new_atoms(&path, &formulas, domain);
            if found.is_empty() {
                continue;
            }
            if self.settings.minimize
                && let Some(needed) = self.needed(&path, domain, known, &found)
            {
                found = needed;
            }
            let mined = self.mined(&path, known);
            let found = found.into_iter().map(|(l, p)| (l, p, "path"));
            return Ok(Refinement::Predicates(found.chain(mined).collect()));
        }
        Err(Reason::Incomplete("the refutation of an abstract path brings no new predicate".into()))
    }

    /// The atoms of the formulas that are not predicates yet, with their locations.
    fn new_atoms(&self, path: &Path<'_>, formulas: &[Vec<Term>], domain: &Domain<'_>) -> Vec<(Loc, Term)> {
        let pool = self.task.pool;
        let mut found: Vec<(Loc, Term)> = Vec::new();
        for (k, formula) in formulas.iter().enumerate().flat_map(|(k, all)| all.iter().map(move |&f| (k, f)))
        {
            let l = path.location(k);
            for atom in atoms(pool, formula, self.settings.split_equations) {
                let (_, atom) = pool.strip_not(atom);
                if !domain.knows(l, atom) && !found.contains(&(l, atom)) {
                    found.push((l, atom));
                }
            }
        }
        found
    }

    /// The new predicates that the refutation of the abstract path needs.
    fn needed(
        &self,
        path: &Path<'_>,
        domain: &Domain<'_>,
        known: &[Vec<Term>],
        new: &[(Loc, Term)],
    ) -> Option<Vec<(Loc, Term)>> {
        let Task { pool, program, .. } = self.task;
        let mut solver = self.task.solver(&self.budget, Some(MAX_STEPS));
        let switches: Vec<Term> = new.iter().map(|_| pool.fresh_var("needs", Sort::Bool)).collect();
        for (k, &e) in path.edges().iter().enumerate() {
            solver.assert(path.at(k, program.edge(e).guard));
            for &fact in &known[k] {
                solver.assert(path.at(k, fact));
            }
            let target = path.location(k + 1);
            // A predicate after edge `k` as it is seen before it, and at position `k + 1`.
            let link = |p: Term| pool.eq(path.at(k, program.after(pool, e, p)), path.at(k + 1, p));
            for &p in domain.at(target) {
                solver.assert(link(domain.predicate(p)));
            }
            for (&(l, p), &switch) in new.iter().zip(&switches) {
                if l == target {
                    solver.assert(pool.implies(switch, link(p)));
                }
            }
        }
        let Answer::Unsat(core) = solver.check(&switches) else { return None };
        let core = solver.minimize_core(&[], &core);
        let needed = new.iter().zip(&switches).filter(|(_, s)| core.contains(s)).map(|(p, _)| *p);
        Some(needed.collect())
    }

    /// State mining: equations through the states that the abstract steps of this path and of earlier ones
    /// leave from, as far as a step depends on them.
    fn mined(&mut self, path: &Path<'_>, known: &[Vec<Term>]) -> Vec<(Loc, Term, &'static str)> {
        let Some(mining) = &mut self.mining else { return Vec::new() };
        let Task { pool, program, .. } = self.task;
        let mut out = Vec::new();
        for (k, &e) in path.edges().iter().enumerate().skip(1) {
            let ahead = known.get(k + 1).map_or(&[][..], |cube| cube);
            let mut solver = self.task.solver(&self.budget, Some(MAX_STEPS));
            known[k].iter().for_each(|&fact| solver.assert(fact));
            let step = program.pre(pool, e, pool.and(ahead.iter().copied()));
            let Answer::Sat(model) = solver.check(&[step]) else { continue };
            let state = lifted(&self.task, &self.budget, e, &model, ahead);
            let l = path.location(k);
            let control = control_variables(&self.task, l);
            for equation in mining.add(pool, l, &state, |v| control.contains(&v)) {
                let parts = atoms(pool, equation, self.settings.split_equations);
                out.extend(parts.into_iter().map(|p| (l, p, "mining")));
            }
        }
        out
    }

    /// Tells the counters.
    pub fn report(&self, observer: &mut dyn Observer) {
        observer.event(Event::Counter("refinements", self.refinements));
        observer.event(Event::Counter("minings", self.mining.as_ref().map_or(0, |m| m.found)));
        self.excluder.report(observer);
    }
}
