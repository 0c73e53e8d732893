//! Asserting: from formulas to clauses of the core, or to clauses that are held back.

use palisade_sat::{Lit, Tag};
use palisade_term::{Op, Term};

use super::NativeSolver;
use super::gates::{self, Rule};
use super::held_back::View;
use super::justify::Demand;

impl NativeSolver<'_> {
    /// Adds an asserted formula, freed of arrays, to the current scope.
    pub(super) fn add_asserted(&mut self, formula: Term) {
        let (before, known) = (self.parts(), self.sat.theory().enc().variables.len());
        let mut roots = std::mem::take(&mut self.roots);
        self.add_formula(formula, &mut roots, true);
        self.roots = roots;
        self.alive += self.parts().saturating_sub(before);
        self.wake_mentioned(known);
    }

    /// Adds a formula to the current scope of the core; demands go to `roots`.
    pub(super) fn add_formula(&mut self, formula: Term, roots: &mut Vec<Demand>, hold_back: bool) {
        let (scope, tag) = (self.sat.depth(), Rule::Input.tag(formula.index() as u32));
        self.add_clauses(formula, scope, tag, roots, hold_back);
    }

    /// Adds a valid formula for good.
    pub(super) fn add_permanent(&mut self, formula: Term, rule: Rule, roots: &mut Vec<Demand>) {
        self.add_clauses(formula, 0, rule.tag(formula.index() as u32), roots, false);
    }

    fn add_clauses(
        &mut self,
        formula: Term,
        scope: usize,
        tag: Tag,
        roots: &mut Vec<Demand>,
        hold_back: bool,
    ) {
        for clause in self.clauses_of(formula) {
            if !(hold_back && clause.len() > 1 && self.hold_back(&clause)) {
                self.add_clause(&clause, scope, tag, roots);
            }
        }
    }

    /// The clauses whose conjunction a formula is at its top.
    pub(super) fn clauses_of(&self, formula: Term) -> Vec<Vec<Term>> {
        let pool = self.pool;
        let mut out = Vec::new();
        let mut work = vec![(formula, true)];
        while let Some((t, positive)) = work.pop() {
            let args = pool.args(t);
            match (pool.op(t), positive) {
                (Op::Not, _) => work.push((args[0], !positive)),
                (Op::And, true) | (Op::Or, false) => work.extend(args.iter().rev().map(|&a| (a, positive))),
                (Op::And, false) | (Op::Or, true) => out.push(self.flatten_clause(t, positive)),
                _ => out.push(vec![if positive { t } else { pool.not(t) }]),
            }
        }
        out
    }

    /// The disjuncts of a disjunction, or of a negated conjunction.
    fn flatten_clause(&self, t: Term, positive: bool) -> Vec<Term> {
        let pool = self.pool;
        let mut out = Vec::new();
        let mut work = vec![(t, positive)];
        while let Some((u, positive)) = work.pop() {
            let args = pool.args(u);
            match (pool.op(u), positive) {
                (Op::Not, _) => work.push((args[0], !positive)),
                (Op::And, false) | (Op::Or, true) => work.extend(args.iter().rev().map(|&a| (a, positive))),
                _ => out.push(if positive { u } else { pool.not(u) }),
            }
        }
        out
    }

    fn add_clause(&mut self, clause: &[Term], scope: usize, tag: Tag, roots: &mut Vec<Demand>) {
        let mut lits = std::mem::take(&mut self.lits);
        lits.clear();
        self.add_literals(lits, clause, scope, tag, roots);
    }

    /// Adds a clause of the running query: `first` and the literals of `others`.
    pub(super) fn add_query_clause(&mut self, first: Lit, others: &[Term], roots: &mut Vec<Demand>) {
        let (scope, tag) = (self.sat.depth(), Rule::Input.tag(0));
        let mut lits = std::mem::take(&mut self.lits);
        lits.clear();
        lits.push(first);
        let outer = std::mem::replace(&mut self.for_query, true);
        self.add_literals(lits, others, scope, tag, roots);
        self.for_query = outer;
    }

    /// Adds the clause of `lits` and of the literals of `clause`.
    fn add_literals(
        &mut self,
        mut lits: Vec<Lit>,
        clause: &[Term],
        scope: usize,
        tag: Tag,
        roots: &mut Vec<Demand>,
    ) {
        let for_query = self.for_query;
        self.encode(|enc, sink| {
            for &t in clause {
                lits.push(if for_query { enc.required_for_query(sink, t) } else { enc.required(sink, t) });
            }
            enc.gates.mention(&lits);
            if lits.contains(&gates::tru()) {
                return;
            }
            lits.retain(|&l| l != gates::fls());
            roots.push(match lits[..] {
                [l] => Demand::True(l),
                _ => {
                    let range =
                        if for_query { enc.gates.store_for_query(&lits) } else { enc.gates.store(&lits) };
                    Demand::Clause(range.0, range.1)
                }
            });
        });
        self.sat.add_clause_in(scope, &lits, tag);
        self.lits = lits;
    }

    /// Holds a clause back if it can be evaluated; whether it did.
    fn hold_back(&mut self, clause: &[Term]) -> bool {
        if !self.options.hold_back {
            return false;
        }
        let pool = self.pool;
        // The guard is a negated Boolean variable; the rest must be literals, with arithmetic or bit-vectors
        // among them.
        let guard = clause.iter().position(|&t| {
            let (negated, atom) = pool.strip_not(t);
            negated && pool.is_var(atom)
        });
        let theory = clause.iter().any(|&t| !pool.is_var(pool.strip_not(t).1));
        if !theory || !clause.iter().all(|&t| pool.is_literal(t)) {
            return false;
        }
        let mut views = Vec::with_capacity(clause.len());
        for (i, &t) in clause.iter().enumerate() {
            if Some(i) == guard {
                continue;
            }
            match self.view(t) {
                Some(v) => views.push(v),
                None => return false,
            }
        }
        let guard = guard.map(|i| {
            let var = pool.strip_not(clause[i]).1;
            self.encode(|enc, sink| enc.literal(sink, var))
        });
        let depth = self.scopes.len();
        self.sat.theory_mut().held_back.add(guard, &views, depth);
        true
    }

    /// How a literal of a held-back clause is evaluated; `None` if it cannot be.
    fn view(&mut self, t: Term) -> Option<u32> {
        if let Some(v) = self.sat.theory().held_back.view(t) {
            return Some(v);
        }
        let pool = self.pool;
        let (negated, atom) = pool.strip_not(t);
        let view = if pool.is_var(atom) {
            View::Bool(self.encode(|enc, sink| enc.literal(sink, t)))
        } else if pool.args(atom).first().is_some_and(|&a| pool.sort(a).is_arith()) {
            let (var, relation, bound) = self.sat.theory_mut().enc_mut().linear_view(atom)?;
            View::Linear(var, if negated { relation.negated() } else { relation }, bound)
        } else if self.sat.theory().words.supports(atom) {
            View::Word(atom, negated)
        } else {
            return None;
        };
        Some(self.sat.theory_mut().held_back.add_view(t, view))
    }
}
