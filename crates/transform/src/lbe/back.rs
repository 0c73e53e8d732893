//! The way back from large blocks.
//!
//! **Runs.** With its inputs given, a block has one path: it is found again by executing the old program and
//! taking, at each location, the edge whose choice code and guard hold.
//!
//! **Invariants.** Cut points keep their formulas. A location `l` inside a block gets its weakest
//! precondition `and over edges e: forall inputs. guard_e => inv(target_e)[update_e]`, computed backwards
//! through the block. It is implied at `l` because the whole block is inductive, and it implies what is
//! needed at the successors by construction. The inputs are eliminated exactly ([`palisade_eliminate`]).
//!
//! Taken edge by edge, weakest preconditions double at every branch. When formulas are large, the whole
//! region up to the location where the branches meet again is composed with merged values first, and the
//! precondition is taken across that. When inputs cannot be eliminated, an interpolant does as well: any
//! formula implied by what reaches `l` from the cut points and excluding what leads out of the invariant. It
//! is asked of the caller's interpolator, if there is one.

use palisade_program::{
    CutInvariants, EdgeId, Graph, Invariants, Loc, Program, ReplayError, Run, State, Step, take,
};
use palisade_term::{Assignment, Term, TermPool, Value, Version};
use rustc_hash::FxHashMap;

use super::LbeOptions;
use super::choice::Choices;
use super::compose::{Composer, Contribution};
use crate::back::{Back, BackTranslation, Context, Untranslatable};
use crate::rebuild::at_old_locations;
use palisade_eliminate::{bounds, forall_within};

/// Formulas up to this size may be copied into several branches.
const SMALL: usize = 1_000;

pub(super) struct LbeBack {
    graph: Graph,
    choices: Choices,
    cut: Vec<bool>,
    /// For every new location, the old one.
    locs: Vec<Loc>,
    /// For every new edge, its inputs and the old location of its target.
    edges: Vec<(Vec<Term>, Loc)>,
}

impl LbeBack {
    pub fn new(graph: Graph, choices: Choices, cut: Vec<bool>, locs: Vec<Loc>, new: &Program) -> Self {
        let edges = new.edges.iter().map(|e| (e.inputs.clone(), locs[e.target.index()])).collect();
        LbeBack { graph, choices, cut, locs, edges }
    }

    /// Follows one block: appends its small steps and returns where it ends.
    fn follow(
        &self,
        pool: &TermPool,
        old: &Program,
        (mut l, mut state): (Loc, State),
        inputs: &Assignment,
        steps: &mut Vec<Step>,
    ) -> Option<(Loc, State)> {
        loop {
            let value = |t: Term| inputs.get(t).cloned().unwrap_or_else(|| Value::default_of(pool.sort(t)));
            let mut enabled = self.graph.outgoing[l.index()].iter().filter_map(|&edge| {
                if !self.choices.code(edge).iter().all(|&c| pool.holds(c, inputs)) {
                    return None;
                }
                let inputs: Vec<Value> =
                    old.edge(edge).inputs.iter().map(|&i| value(self.choices.input(l, i))).collect();
                let next = take(pool, old, &state, edge, &inputs)?;
                Some((Step { edge, inputs }, next))
            });
            let (step, next) = enabled.next()?;
            drop(enabled);
            l = old.edge(step.edge).target;
            state = next;
            steps.push(step);
            if self.cut[l.index()] {
                return Some((l, state));
            }
        }
    }
}

impl BackTranslation for LbeBack {
    fn run(&self, pool: &TermPool, old: &Program, new: &Run) -> Back<Run> {
        let mut run = Run { initial: new.initial.clone(), steps: Vec::new() };
        let mut at = (old.entry, new.initial.clone());
        for (i, step) in new.steps.iter().enumerate() {
            let Some((vars, target)) = self.edges.get(step.edge.index()) else {
                return Err(Untranslatable::NotARun(ReplayError::WrongSource { step: i }));
            };
            let inputs: Assignment = vars.iter().copied().zip(step.inputs.iter().cloned()).collect();
            match self.follow(pool, old, at, &inputs, &mut run.steps) {
                Some(next) if next.0 == *target => at = next,
                _ => return Err(Untranslatable::NotARun(ReplayError::GuardFalse { step: i })),
            }
        }
        Ok(run)
    }

    fn cut_invariants(&self, pool: &TermPool, old: &Program, new: &CutInvariants) -> Back<CutInvariants> {
        // What is not reachable from the entry has `false`, the interior of blocks nothing.
        at_old_locations(&self.locs, old, new, |l| (!self.graph.reachable(l)).then_some(pool.fls()))
    }

    fn invariants(&self, cx: &mut Context<'_>, old: &Program, new: &Invariants) -> Back<Invariants> {
        let known = self.cut_invariants(cx.pool, old, &new.clone().into())?;
        let formulas: Vec<Term> = known.formulas.iter().map(|f| f.unwrap_or(cx.pool.tru())).collect();
        let sizes = formulas.iter().map(|&f| cx.pool.dag_size(f)).collect();
        let mut backwards = Backwards { back: self, cx, old, formulas, sizes };
        for &l in self.graph.order.iter().rev() {
            if !self.cut[l.index()] {
                let formula = backwards.interior(l)?;
                backwards.sizes[l.index()] = backwards.cx.pool.dag_size(formula);
                backwards.formulas[l.index()] = formula;
            }
        }
        Ok(Invariants { formulas: backwards.formulas })
    }
}

/// The computation of the formulas inside blocks, from the ends of the blocks backwards.
struct Backwards<'b, 'c, 'd> {
    back: &'b LbeBack,
    cx: &'b mut Context<'c>,
    old: &'d Program,
    formulas: Vec<Term>,
    /// The sizes of the formulas.
    sizes: Vec<usize>,
}

impl Backwards<'_, '_, '_> {
    /// The formula of an interior location. What that takes is subtracted from the allowance.
    fn interior(&mut self, l: Loc) -> Back<Term> {
        let terms = self.cx.pool.len();
        let targets = self.back.graph.outgoing[l.index()].iter().map(|&e| self.old.edge(e).target);
        let taken: usize = targets.map(|t| self.sizes[t.index()]).sum();
        let formula = self.precondition(l);
        let used = self.cx.pool.len() - terms + taken;
        self.cx.allowance = self.cx.allowance.checked_sub(used).ok_or(Untranslatable::Allowance)?;
        formula
    }

    fn precondition(&mut self, l: Loc) -> Back<Term> {
        let edges = &self.back.graph.outgoing[l.index()];
        let large = |e: &EdgeId| self.sizes[self.old.edge(*e).target.index()] > SMALL;
        let fits = |t: Term| self.cx.pool.dag_size(t) <= self.cx.max_size;
        // Large formulas are not copied into several branches.
        let across_first = edges.len() > 1 && edges.iter().any(large);
        if across_first && let Some(f) = self.across(l).ok().filter(|&f| fits(f)) {
            return Ok(f);
        }
        let reason = match self.stepwise(l) {
            Ok(f) if fits(f) => return Ok(f),
            Ok(_) => "the weakest precondition is too large".to_string(),
            Err(reason) => reason,
        };
        if !across_first && let Some(f) = self.across(l).ok().filter(|&f| fits(f)) {
            return Ok(f);
        }
        self.between(l, &reason)
    }

    /// The weakest precondition over the edges of `l`; the reason when inputs cannot be eliminated.
    fn stepwise(&self, l: Loc) -> Result<Term, String> {
        let pool = self.cx.pool;
        let mut parts = Vec::new();
        for &e in &self.back.graph.outgoing[l.index()] {
            parts.push(self.forall(&self.old.edge(e).inputs, self.obligation(e))?);
        }
        Ok(bounds::and(pool, parts))
    }

    fn forall(&self, inputs: &[Term], f: Term) -> Result<Term, String> {
        forall_within(self.cx.pool, inputs, f, self.cx.allowance)
    }

    /// `guard => inv(target)[update]`, with the inputs free.
    fn obligation(&self, e: EdgeId) -> Term {
        let edge = self.old.edge(e);
        let post = self.old.after(self.cx.pool, e, self.formulas[edge.target.index()]);
        self.cx.pool.implies(edge.guard, post)
    }

    /// The weakest precondition across the region up to where the branches of `l` meet.
    fn across(&self, l: Loc) -> Result<Term, String> {
        let pool = self.cx.pool;
        let options =
            LbeOptions { max_terms: self.cx.max_size.min(self.cx.allowance), ..LbeOptions::default() };
        let composer = self.composer(&options);
        let found = composer
            .explore(l, true, |m| self.back.cut[m.index()])
            .map_err(|_| "the region is too large".to_string())?;
        let mut parts = Vec::new();
        for (&p, arriving) in &found.exits {
            let exit = self.back.graph.order[p as usize];
            for c in arriving {
                let f = pool.implies(c.guard, self.instance(exit, c));
                let inputs = super::occurring(pool, &self.back.choices, [f].into_iter());
                parts.push(self.forall(&inputs, f)?);
            }
        }
        Ok(bounds::and(pool, parts))
    }

    fn composer<'x>(&'x self, options: &'x LbeOptions) -> Composer<'x> {
        Composer {
            pool: self.cx.pool,
            program: self.old,
            graph: &self.back.graph,
            choices: &self.back.choices,
            options,
        }
    }

    /// The formula of a location, with its variables replaced by what arrives there.
    fn instance(&self, l: Loc, c: &Contribution) -> Term {
        let map: FxHashMap<Term, Term> =
            self.old.vars(l).iter().copied().zip(c.values.iter().copied()).filter(|(a, b)| a != b).collect();
        self.cx.pool.substitute(self.formulas[l.index()], &map)
    }

    /// A formula between what reaches `l` and what its edges require.
    fn between(&mut self, l: Loc, reason: &str) -> Back<Term> {
        let fail = |reason: String| Err(Untranslatable::Quantifier { location: l, reason });
        if self.cx.interpolator.is_none() {
            return fail(reason.to_string());
        }
        let pool = self.cx.pool;
        let Some(reaching) = self.reaching(l) else {
            return fail(format!("{reason}; and the region before it is too large"));
        };
        let edges = &self.back.graph.outgoing[l.index()];
        // Edges may share the names of their inputs: only one disjunct needs to hold, so that ties nothing
        // together.
        let leaving = pool.or(edges.iter().map(|&e| pool.not(self.obligation(e))));
        let interpolator = self.cx.interpolator.as_mut().expect("checked above");
        match interpolator(reaching, leaving) {
            Some(f) => Ok(f),
            None => fail(format!("{reason}; and no interpolant was found")),
        }
    }

    /// The states at `l` that the blocks lead to from their cut points' formulas, as a formula over the
    /// variables of `l` and step copies of everything else; `None` when it is too large.
    fn reaching(&self, l: Loc) -> Option<Term> {
        let pool = self.cx.pool;
        let options =
            LbeOptions { max_terms: self.cx.max_size.min(self.cx.allowance), ..LbeOptions::default() };
        let composer = self.composer(&options);
        let mut ways = Vec::new();
        for &c in &self.back.graph.order {
            if !self.back.cut[c.index()] || c == self.old.error {
                continue;
            }
            let found = composer.explore(c, false, |m| m == l || self.back.cut[m.index()]).ok()?;
            let Some(arriving) = found.exits.get(&self.back.graph.position[l.index()]) else { continue };
            for way in arriving {
                let start = pool.and2(self.formulas[c.index()], way.guard);
                let values = self.old.vars(l).iter().zip(way.values.iter());
                let ends = values.map(|(&v, &t)| pool.eq(v, pool.version_all(t, Version::Step(0))));
                ways.push(pool.and(ends.chain([pool.version_all(start, Version::Step(0))])));
            }
        }
        Some(pool.or(ways))
    }
}
