//! Constant and copy propagation: at every location, which variables are constant and which are equal, on all
//! feasible ways there.
//!
//! Conditional (an edge whose guard is refuted by the facts at its source contributes nothing, Wegman and
//! Zadeck, "Constant Propagation with Conditional Branches", 1991) and with equalities between variables as
//! congruence classes (Alpern, Wegman and Zadeck, "Detecting Equality of Variables in Programs", 1988).
//! Guards that say `x = c` or `x = y` refine the facts on their edge. The lattice of a location is a
//! partition of its variables with at most one constant per class; joins only split, so it terminates. A
//! location that keeps changing gives up what changes, so that it terminates soon.
//!
//! The new program keeps one variable per non-constant class and drops what was found unreachable.
//! Way back: the facts `x = c`, `x = y` are conjoined; an unreachable location gets `false`.

use std::collections::BTreeSet;

use palisade_program::{CutInvariants, EdgeId, Graph, Loc, Program, Run};
use palisade_term::{Substitution, Term, TermPool};
use rustc_hash::FxHashMap;

use crate::back::{Back, BackTranslation, Transformed};
use crate::rebuild::{Correspondence, rebuild};

/// Propagates constants and copies.
pub fn constprop(pool: &TermPool, old: &Program) -> Transformed {
    let facts = Analysis::new(pool, old).run();
    let keep: Vec<bool> = facts.iter().map(Option::is_some).collect();
    let is_representative = |l: Loc, i: usize| match &facts[l.index()] {
        Some(f) => f[i] == old.vars(l)[i],
        None => true, // the error location, when it was found unreachable
    };
    // Edges of one source usually come together.
    let mut known: Option<(Loc, FxHashMap<Term, Term>)> = None;
    let (program, map) = rebuild(pool, old, &keep, is_representative, |e| {
        let source = old.edge(e).source;
        if known.as_ref().is_none_or(|(l, _)| *l != source) {
            known = Some((source, replacements(old.vars(source), facts[source.index()].as_ref()?)));
        }
        transfer(pool, old, e, &known.as_ref().expect("just set").1)
    });
    Transformed { program, back: Box::new(ConstpropBack { facts, map }) }
}

/// For each variable of a location the constant it equals or the representative of its class (the first of
/// the class).
type Facts = Vec<Term>;

/// A location that has changed this often gives up every further fact that changes.
const PATIENCE: u32 = 8;

struct Analysis<'a> {
    pool: &'a TermPool,
    program: &'a Program,
    graph: Graph,
    /// `None`: not reached so far.
    facts: Vec<Option<Facts>>,
    /// How often the facts of a location have changed.
    changes: Vec<u32>,
}

impl<'a> Analysis<'a> {
    fn new(pool: &'a TermPool, program: &'a Program) -> Self {
        let n = program.locations.len();
        Analysis { pool, program, graph: Graph::new(program), facts: vec![None; n], changes: vec![0; n] }
    }

    /// The greatest fixpoint, by a worklist in reverse postorder.
    fn run(mut self) -> Vec<Option<Facts>> {
        let entry = self.program.entry;
        self.facts[entry.index()] = Some(self.program.vars(entry).to_vec());
        let mut queue = BTreeSet::from([self.graph.position[entry.index()]]);
        while let Some(p) = queue.pop_first() {
            let l = self.graph.order[p as usize];
            let source = self.facts[l.index()].as_ref().expect("only reached locations are queued");
            let known = replacements(self.program.vars(l), source);
            for &e in &self.graph.outgoing[l.index()] {
                let Some((_, values)) = transfer(self.pool, self.program, e, &known) else { continue };
                let target = self.program.edge(e).target;
                let (vars, before) = (self.program.vars(target), self.facts[target.index()].as_ref());
                let mut joined = join(self.pool, vars, before, &values);
                if before == Some(&joined) {
                    continue;
                }
                let changes = &mut self.changes[target.index()];
                *changes += 1;
                if let Some(before) = before.filter(|_| *changes > PATIENCE) {
                    for ((fact, &old), &var) in joined.iter_mut().zip(before).zip(vars) {
                        if *fact != old {
                            *fact = var;
                        }
                    }
                }
                self.facts[target.index()] = Some(joined);
                queue.insert(self.graph.position[target.index()]);
            }
        }
        self.facts
    }
}

/// The facts that hold on both sides: those known so far (if anything is) and those of the new values.
fn join(pool: &TermPool, vars: &[Term], known: Option<&Facts>, values: &[Term]) -> Facts {
    let mut classes: FxHashMap<(Option<Term>, Term), Term> = FxHashMap::default();
    let mut out = Vec::with_capacity(vars.len());
    for (i, (&var, &value)) in vars.iter().zip(values).enumerate() {
        let before = known.map(|k| k[i]);
        let fact = if pool.is_const(value) && before.is_none_or(|b| b == value) {
            value
        } else {
            *classes.entry((before, value)).or_insert(var)
        };
        out.push(fact);
    }
    out
}

/// Facts as a substitution.
fn replacements(vars: &[Term], facts: &Facts) -> FxHashMap<Term, Term> {
    vars.iter().copied().zip(facts.iter().copied()).filter(|(v, f)| v != f).collect()
}

/// The guard and the update of an edge, rewritten under what is known at its source; `None` when the guard is
/// refuted.
fn transfer(
    pool: &TermPool,
    program: &Program,
    e: EdgeId,
    known: &FxHashMap<Term, Term>,
) -> Option<(Term, Vec<Term>)> {
    let edge = program.edge(e);
    let mut by_facts = Substitution::new(pool, known);
    let guard = by_facts.apply(edge.guard);
    let learnt = equalities(pool, guard)?;
    let mut by_guard = Substitution::new(pool, &learnt);
    let update = (edge.update.iter())
        .map(|&u| {
            let t = if pool.is_var(u) { known.get(&u).copied().unwrap_or(u) } else { by_facts.apply(u) };
            if learnt.is_empty() || pool.is_const(t) { t } else { by_guard.apply(t) }
        })
        .collect();
    Some((guard, update))
}

/// What a guard says about single variables, as a closed substitution; `None` when the guard is refuted by
/// it.
fn equalities(pool: &TermPool, guard: Term) -> Option<FxHashMap<Term, Term>> {
    if guard == pool.fls() {
        return None;
    }
    let mut learnt: FxHashMap<Term, Term> = FxHashMap::default();
    let conjuncts = pool.conjuncts(guard);
    for &c in &conjuncts {
        let c = pool.substitute(c, &learnt);
        if c == pool.fls() {
            return None;
        }
        let Some((var, value)) = equality(pool, c) else { continue };
        let single = FxHashMap::from_iter([(var, value)]);
        for t in learnt.values_mut() {
            *t = pool.substitute(*t, &single);
        }
        learnt.insert(var, value);
    }
    // Facts learnt late may refute conjuncts that came early.
    if !learnt.is_empty() && conjuncts.iter().any(|&c| pool.substitute(c, &learnt) == pool.fls()) {
        return None;
    }
    Some(learnt)
}

/// Reads a literal as `variable = constant` or `variable = variable`.
fn equality(pool: &TermPool, literal: Term) -> Option<(Term, Term)> {
    let sides = pool.args(pool.strip_not(literal).1);
    if sides.iter().any(|&t| pool.args(t).len() > 2) {
        return None; // a long sum
    }
    // The variable created later gives way.
    let mut definitions = pool.definitions(literal, |_| true).into_iter().rev();
    definitions.find(|&(_, t)| pool.is_var(t) || pool.is_const(t))
}

struct ConstpropBack {
    facts: Vec<Option<Facts>>,
    map: Correspondence,
}

impl BackTranslation for ConstpropBack {
    fn cut_invariants(&self, pool: &TermPool, old: &Program, new: &CutInvariants) -> Back<CutInvariants> {
        // A location that is gone, or the error when it is not reached, gets `false`.
        let mut out = self.map.formulas(old, new, |_| pool.fls())?;
        for (l, formula) in old.locs().zip(&mut out.formulas) {
            let Some(f) = formula else { continue };
            *f = match &self.facts[l.index()] {
                Some(facts) => {
                    let known = old.vars(l).iter().zip(facts).filter(|(v, f)| v != f);
                    pool.and(known.map(|(&v, &t)| pool.eq(v, t)).chain([*f]))
                }
                None => pool.fls(),
            };
        }
        Ok(out)
    }

    fn run(&self, pool: &TermPool, old: &Program, new: &Run) -> Back<Run> {
        self.map.run(pool, old, new)
    }
}
