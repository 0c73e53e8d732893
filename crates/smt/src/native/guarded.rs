//! Clauses behind a guard: a Boolean variable that nothing else mentions.
//!
//! An engine that works with assumptions instead of scopes names every literal of a cube, or every temporary
//! clause, by a new Boolean `b`: it asserts `b => C`, assumes `b` in a few queries, and then forgets `b` or
//! asserts `not b`. Thousands of such clauses pile up, and almost all of them are dead. So a clause `not b or
//! C` is not given to the core while `b` occurs nowhere else: a model makes `b` false. Only a query that
//! assumes `b` gets `C`, as a temporary clause of that query. This is what the other style (literals assumed
//! as they are) costs. A guard that is never assumed again costs only its entry in the table, and after `not
//! b` that entry is all there is.
//!
//! Invariants:
//! - A guard in the table is a variable that neither the core nor a held-back clause knows. Every clause of
//!   the table was asserted outside all scopes.
//! - A model that does not mention a guard makes it false, which satisfies its clauses.
//! - A guard that is encoded, because another formula mentions it, leaves the table, and its clauses become
//!   ordinary ones ([`NativeSolver::wake`]). So does a guard that is worth keeping in the core: one with many
//!   clauses, or one that is assumed again and again and is no name of a cube or of a single clause (the
//!   frames of IC3, a relation).
//!
//! Not covered: `b = C` in place of `b => C`. There a model must give `b` the value of `C`, needed or not.
//! With arrays, products or proofs nothing is kept back here: their theory lemmas are for good and may
//! mention anything.

use palisade_sat::Lit;
use palisade_term::{Assignment, Op, Term, Value};
use rustc_hash::FxHashMap;

use super::gates::{Rule, fls, tru};
use super::justify::Demand;
use super::{NativeSolver, Scope};

/// A guard with more clauses than this leaves the table when it is assumed.
const MANY: usize = 8;
/// A guard of other things than a cube or a clause leaves the table when more queries than this have assumed
/// it.
const OFTEN: u32 = 8;

/// A formula of the table.
struct Formula {
    /// As it was asserted, without the variables that equalities replace, and without arrays.
    asserted: Term,
    resolved: Term,
    rewritten: Term,
    /// Its clauses, without the guard.
    clauses: Vec<Vec<Term>>,
}

/// What is behind a guard.
#[derive(Default)]
struct Entry {
    formulas: Vec<Formula>,
    /// Number of clauses.
    clauses: usize,
    /// Is something behind it that is neither a cube nor one clause of literals?
    is_frame: bool,
    /// Was the guard asserted to be false?
    is_false: bool,
    /// Queries that assumed the guard.
    uses: u32,
}

impl Entry {
    fn clauses(&self) -> Vec<Vec<Term>> {
        self.formulas.iter().flat_map(|f| f.clauses.iter().cloned()).collect()
    }
}

/// The table of guards.
#[derive(Default)]
pub(super) struct Guards {
    entries: FxHashMap<Term, Entry>,
    /// Are mentioned guards being woken?
    waking: bool,
}

impl Guards {
    /// The asserted formulas of the table, in no particular order.
    pub fn asserted(&self) -> impl Iterator<Item = Term> {
        self.entries.values().flat_map(|e| e.formulas.iter().map(|f| f.asserted))
    }

    /// Bytes held, roughly.
    pub fn memory(&self) -> usize {
        self.entries.capacity() * (size_of::<(Term, Entry)>() + 1 + size_of::<Formula>() + 40)
    }
}

/// How a query treats an assumption.
pub(super) enum Assumption {
    /// As a formula.
    Formula(Term),
    /// The guard of these clauses, each without the guard.
    Guard(Term, Vec<Vec<Term>>),
    /// A guard that is to be false, as it is anyway.
    Absent,
}

impl NativeSolver<'_> {
    /// May clauses stay in the table?
    fn keeps_guards(&self) -> bool {
        self.options.hold_back && !self.arrays.is_used() && self.sat.theory().enc().products.is_empty()
    }

    /// Puts an asserted formula into the table if it is a clause with a guard; whether it did.
    pub(super) fn guard_clause(&mut self, asserted: Term, resolved: Term, rewritten: Term) -> bool {
        if !self.scopes.is_empty() || !self.keeps_guards() {
            return false;
        }
        let pool = self.pool;
        let (negated, atom) = pool.strip_not(rewritten);
        let top = pool.op(atom);
        if !(matches!((top, negated), (Op::Or, false) | (Op::And, true)) || (negated && pool.is_var(atom))) {
            return false;
        }
        let mut clauses = self.clauses_of(rewritten);
        let Some(mut clause) = clauses.pop().filter(|_| clauses.is_empty()) else { return false };
        let Some(at) = self.guard_of(&clause) else { return false };
        let guard = pool.strip_not(clause.swap_remove(at)).1;
        let clauses = if clause.len() == 1 { self.clauses_of(clause[0]) } else { vec![clause] };
        let entry = self.guards.entries.entry(guard).or_default();
        if entry.is_false {
            return true;
        }
        if let [empty] = &clauses[..]
            && empty.is_empty()
        {
            // What was behind the guard is dead.
            *entry = Entry { is_false: true, ..Entry::default() };
        }
        let is_cube = |clauses: &[Vec<Term>]| clauses.iter().all(|c| c.len() <= 1);
        let literals = clauses.iter().flatten().all(|&t| pool.is_literal(t));
        let first = entry.formulas.is_empty();
        let cubes = is_cube(&clauses) && entry.formulas.iter().all(|f| is_cube(&f.clauses));
        entry.is_frame |= !literals || !(cubes || (first && clauses.len() == 1));
        entry.clauses += clauses.len();
        entry.formulas.push(Formula { asserted, resolved, rewritten, clauses });
        true
    }

    /// The position of the guard of a clause. Of several the one with the fewest clauses, and the youngest of
    /// those.
    fn guard_of(&self, clause: &[Term]) -> Option<usize> {
        let pool = self.pool;
        let enc = self.sat.theory().enc();
        let variable = |t: Term| {
            let (negated, atom) = pool.strip_not(t);
            (negated && pool.is_var(atom) && enc.known(atom).is_none()).then_some(atom)
        };
        let candidates = clause.iter().enumerate().filter_map(|(i, &t)| Some((i, variable(t)?)));
        let clauses_behind = |v: Term| self.guards.entries.get(&v).map_or(0, |e| e.clauses);
        candidates.min_by_key(|&(_, v)| (clauses_behind(v), std::cmp::Reverse(v))).map(|(i, _)| i)
    }

    /// How the assumptions of a query are treated. Guards that cannot stay in the table leave it first.
    pub(super) fn treat_assumptions(&mut self, assumptions: &[Term]) -> Vec<Assumption> {
        if self.guards.entries.is_empty() {
            return assumptions.iter().map(|&t| Assumption::Formula(t)).collect();
        }
        let pool = self.pool;
        for &t in assumptions {
            let Some(entry) = self.guards.entries.get_mut(&t) else { continue };
            entry.uses += 1;
            let often = entry.is_frame && entry.uses > OFTEN;
            if entry.clauses > MANY || often || assumptions.contains(&pool.not(t)) {
                self.wake(t);
            }
        }
        let treat = |&t: &Term| {
            if let Some(entry) = self.guards.entries.get(&t) {
                return Assumption::Guard(t, entry.clauses());
            }
            match pool.strip_not(t) {
                (true, v) if self.guards.entries.contains_key(&v) => Assumption::Absent,
                _ => Assumption::Formula(t),
            }
        };
        assumptions.iter().map(treat).collect()
    }

    /// The guards among the variables that the core has got to know since there were `known` of them.
    pub(super) fn woken_since(&self, known: usize) -> Vec<Term> {
        if self.guards.entries.is_empty() {
            return Vec::new();
        }
        let fresh = &self.sat.theory().enc().variables[known..];
        fresh.iter().copied().filter(|v| self.guards.entries.contains_key(v)).collect()
    }

    /// Makes the clauses of guards ordinary ones if something mentions the guards.
    ///
    /// Those clauses may mention more guards, a long chain of them in an unrolling. The outermost call wakes
    /// them all; calls from within leave it to that one.
    pub(super) fn wake_mentioned(&mut self, known: usize) {
        if self.guards.waking {
            return;
        }
        self.guards.waking = true;
        self.wake_chain(known);
        self.guards.waking = false;
    }

    fn wake_chain(&mut self, mut known: usize) {
        loop {
            let woken = self.woken_since(known);
            known = self.sat.theory().enc().variables.len();
            if woken.is_empty() {
                return;
            }
            for guard in woken {
                self.wake(guard);
            }
        }
    }

    /// Makes the clauses of all guards ordinary ones, if the table may not be used any more.
    pub(super) fn wake_all_if_needed(&mut self) {
        if self.guards.entries.is_empty() || self.keeps_guards() {
            return;
        }
        let mut all: Vec<Term> = self.guards.entries.keys().copied().collect();
        all.sort_unstable();
        for guard in all {
            self.wake(guard);
        }
    }

    /// Makes the clauses of a guard ordinary ones. Not while a query runs.
    fn wake(&mut self, guard: Term) {
        let Some(entry) = self.guards.entries.remove(&guard) else { return };
        for f in entry.formulas {
            self.assert_for_good(f.asserted, f.resolved, f.rewritten);
        }
    }

    /// Adds a formula that was asserted outside all scopes, whatever scopes are open now.
    fn assert_for_good(&mut self, asserted: Term, resolved: Term, rewritten: Term) {
        let Some(&Scope { asserted: formulas, roots, .. }) = self.scopes.first() else {
            self.asserted.push(asserted);
            self.resolved.push(resolved);
            self.rewritten.push(rewritten);
            return self.add_asserted(rewritten);
        };
        let known = self.sat.theory().enc().variables.len();
        self.asserted.insert(formulas, asserted);
        self.resolved.insert(formulas, resolved);
        self.rewritten.insert(formulas, rewritten);
        let (mut made, before) = (Vec::new(), self.parts());
        self.add_permanent(rewritten, Rule::Input, &mut made);
        let (more_alive, more_roots) = (self.parts().saturating_sub(before), made.len());
        self.alive += more_alive;
        self.roots.splice(roots..roots, made);
        for scope in &mut self.scopes {
            scope.asserted += 1;
            scope.roots += more_roots;
            scope.alive += more_alive;
        }
        self.wake_mentioned(known);
    }

    /// The literal to assume for a guard, with the clauses behind it as clauses of the running query.
    pub(super) fn assume_guard(&mut self, clauses: &[Vec<Term>], roots: &mut Vec<Demand>) -> Lit {
        match clauses {
            [] => return tru(),
            [clause] if clause.is_empty() => return fls(),
            [clause] if clause.len() == 1 => {
                return self.encode(|enc, sink| enc.required_for_query(sink, clause[0]));
            }
            _ => {}
        }
        let guard = self.encode(|enc, sink| enc.free_for_query(sink));
        for clause in clauses {
            self.add_query_clause(!guard, clause, roots);
        }
        guard
    }

    /// Makes the guards that a query assumed true in its model.
    pub(super) fn complete_guards(assumptions: &[Assumption], model: &mut Assignment) {
        for a in assumptions {
            if let Assumption::Guard(guard, _) = a {
                model.set(*guard, Value::Bool(true));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use palisade_term::{Sort, TermPool};

    use super::*;
    use crate::{Answer, Solver};

    /// What a query has to look at: variables and forms, held-back clauses, demands.
    fn sizes(s: &NativeSolver<'_>) -> (usize, usize, usize) {
        (s.sat.num_vars() + s.sat.theory().enc().parts(), s.sat.theory().held_back.len(), s.roots.len())
    }

    #[test]
    fn dead_names_leave_nothing_in_the_core() {
        let p = TermPool::new();
        let (x, y) = (p.var("x", Sort::Int), p.var("y", Sort::Int));
        let mut s = NativeSolver::new(&p);
        s.assert(p.le(p.add2(x, y), p.int(10)));
        let mut after = Vec::new();
        for k in 0..400 {
            let name = |what: &str| p.var(&format!("{what}{k}"), Sort::Bool);
            let (lower, upper, clause) = (name("lower"), name("upper"), name("clause"));
            s.assert(p.implies(lower, p.ge(x, p.int(k % 7))));
            s.assert(p.implies(upper, p.and2(p.le(y, p.int(7)), p.ge(y, p.int(k % 5)))));
            s.assert(p.implies(clause, p.or2(p.ge(x, p.int(9)), p.ge(y, p.int(9)))));
            assert!(s.check(&[lower, upper]).is_sat());
            let answer = s.check(&[lower, clause, upper]);
            assert_eq!(answer.is_sat(), k % 5 <= 1, "query {k}");
            s.assert(p.not(clause));
            after.push(sizes(&s));
        }
        assert_eq!(after[100].1, 0, "nothing is held back");
        assert_eq!(after[100], after[399]);
    }

    #[test]
    fn a_guard_that_was_given_up_stays_false() {
        let p = TermPool::new();
        let (x, g, h) = (p.var("x", Sort::Int), p.var("g", Sort::Bool), p.var("h", Sort::Bool));
        let mut s = NativeSolver::new(&p);
        s.assert(p.implies(g, p.ge(x, p.int(3))));
        s.assert(p.not(g));
        s.assert(p.implies(g, p.ge(x, p.int(5))));
        let Answer::Unsat(core) = s.check(&[h, g]) else { panic!("given up") };
        assert_eq!(core, [g]);
        assert!(s.check(&[p.not(g), p.le(x, p.int(0))]).is_sat());
        // Mentioned by something else, also inside a scope.
        s.push();
        s.assert(p.or2(g, h));
        let Answer::Unsat(core) = s.check(&[p.not(h)]) else { panic!("h is all that is left") };
        assert_eq!(core, [p.not(h)]);
        s.pop(1);
        assert!(s.check(&[p.not(h)]).is_sat());
        assert!(s.check(&[g]).is_unsat());
    }

    #[test]
    fn a_guard_that_something_mentions_is_an_ordinary_variable() {
        let p = TermPool::new();
        let (x, g) = (p.var("x", Sort::Int), p.var("g", Sort::Bool));
        let mut s = NativeSolver::new(&p);
        s.assert(p.implies(g, p.ge(x, p.int(3))));
        s.push();
        s.assert(p.le(x, p.int(0)));
        // In an assumption, and in a temporary formula.
        assert!(s.check(&[p.or2(g, p.ge(x, p.int(1)))]).is_unsat());
        assert!(s.check_with(&[g], &[]).is_unsat());
        s.pop(1);
        assert_eq!(s.guards.entries.len(), 0);
        let Answer::Sat(model) = s.check_with(&[g], &[]) else { panic!("g is possible") };
        assert!(p.holds(p.and2(g, p.ge(x, p.int(3))), &model));
    }

    /// A chain of guards as an unrolling makes it: each clause mentions the guard before. Neither the stack
    /// nor the time may grow with more than its length.
    #[test]
    fn a_long_chain_is_woken_at_once() {
        let p = TermPool::new();
        let mut s = NativeSolver::new(&p);
        let names: Vec<Term> = (0..200_000).map(|k| p.var(&format!("at{k}"), Sort::Bool)).collect();
        for w in names.windows(2) {
            s.assert(p.implies(w[1], w[0]));
        }
        s.assert(p.not(names[0]));
        let last = names[names.len() - 1];
        let Answer::Unsat(core) = s.check(&[last]) else { panic!("the chain ends in false") };
        assert_eq!(core, [last]);
    }

    #[test]
    fn frames_leave_the_table() {
        let p = TermPool::new();
        let (x, y) = (p.var("x", Sort::Int), p.var("y", Sort::Int));
        let frame = p.var("frame", Sort::Bool);
        let mut s = NativeSolver::new(&p);
        for k in 0..20 {
            s.assert(p.implies(frame, p.or2(p.ge(x, p.int(k)), p.ge(y, p.int(20 - k)))));
        }
        assert!(s.check(&[]).is_sat());
        assert_eq!(s.guards.entries.len(), 1);
        assert!(s.check(&[frame, p.le(x, p.int(3)), p.le(y, p.int(3))]).is_unsat());
        assert_eq!((s.guards.entries.len(), s.sat.theory().held_back.len()), (0, 20));
    }
}
