//! A SAT solver with one copy of the transition relation.
//!
//! The clauses of a gate are added when a query first reaches it, so that a frame that is asked little stays
//! small. Before a query the cone of what it is about becomes the domain: the solver decides nothing else. A
//! model then is a partial assignment: it fixes the cone, and falsifies no clause of the frame. That is
//! enough for IC3: the predecessor that is made from it leads to where it should, and a lemma that blocks it
//! will block that very assignment.

use palisade_sat::{Lit, SolveResult, Solver, Var};

use crate::model::Model;
use crate::{Control, Stopped};

/// A set of variables that is cheap to list in order.
#[derive(Clone, Default)]
struct VarSet {
    words: Vec<u64>,
}

impl VarSet {
    fn new(vars: usize) -> VarSet {
        VarSet { words: vec![0; vars.div_ceil(64)] }
    }

    #[inline]
    fn contains(&self, v: Var) -> bool {
        self.words[v.index() / 64] >> (v.index() % 64) & 1 == 1
    }

    /// Adds; false if it was there.
    #[inline]
    fn insert(&mut self, v: Var) -> bool {
        let (word, bit) = (&mut self.words[v.index() / 64], 1 << (v.index() % 64));
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    fn iter(&self) -> impl Iterator<Item = Var> + '_ {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            let mut rest = word;
            std::iter::from_fn(move || {
                if rest == 0 {
                    return None;
                }
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                Some(Var::new(64 * i + bit))
            })
        })
    }
}

/// The solver.
pub(crate) struct Step<'m> {
    model: &'m Model,
    pub(crate) sat: Solver,
    loaded: VarSet,
    domain: VarSet,
    /// How many roots the domain was made for.
    domain_roots: usize,
    use_domain: bool,
    /// A scope with a temporary clause is open.
    open: bool,
    work: Vec<Var>,
    pub(crate) queries: u64,
}

impl<'m> Step<'m> {
    /// A solver with the constraints of the model asserted if `constrained`.
    pub(crate) fn new(model: &'m Model, control: &Control, use_domain: bool, constrained: bool) -> Self {
        let mut sat = control.solver(false);
        for _ in 0..model.vars() {
            sat.new_var();
        }
        sat.add_clause(&[model.constant()]);
        let vars = model.vars();
        let mut step = Step {
            model,
            sat,
            loaded: VarSet::new(vars),
            domain: VarSet::new(vars),
            domain_roots: 0,
            use_domain,
            open: false,
            work: Vec::new(),
            queries: 0,
        };
        if constrained {
            for &c in &model.constraints {
                step.load(c.var());
                step.sat.add_clause(&[c]);
            }
        }
        step
    }

    /// Adds the clauses of the gates that a variable rests on.
    pub(crate) fn load(&mut self, v: Var) {
        self.work.push(v);
        while let Some(v) = self.work.pop() {
            if !self.loaded.insert(v) {
                continue;
            }
            let sat = &mut self.sat;
            self.model.clauses(v, |clause| sat.add_clause_in(0, clause, 0));
            let work = &mut self.work;
            self.model.arguments(v, |a| work.push(a));
        }
    }

    /// A new variable that is no part of the circuit, to switch clauses on.
    pub(crate) fn new_switch(&mut self) -> Lit {
        self.close();
        self.sat.new_var().positive()
    }

    /// Adds a clause for good.
    pub(crate) fn add_clause(&mut self, clause: &[Lit]) {
        self.close();
        self.sat.add_clause(clause);
    }

    /// Removes the temporary clause of the last query.
    fn close(&mut self) {
        if std::mem::take(&mut self.open) {
            self.sat.pop();
        }
    }

    /// Is there a model of the frame, the assumptions and, if it is not empty, the clause? The answer can be
    /// read until the next call.
    pub(crate) fn solve(&mut self, assumptions: &[Lit], clause: &[Lit]) -> Result<bool, Stopped> {
        self.solve_with(&[], assumptions, clause)
    }

    /// As [`Step::solve`], with switches on.
    pub(crate) fn solve_with(
        &mut self,
        switches: &[Lit],
        assumptions: &[Lit],
        clause: &[Lit],
    ) -> Result<bool, Stopped> {
        self.close();
        for l in assumptions.iter().chain(clause) {
            if !self.loaded.contains(l.var()) {
                self.load(l.var());
            }
        }
        self.set_domain(assumptions, clause);
        if !clause.is_empty() {
            self.sat.push();
            self.sat.add_clause(clause);
            self.open = true;
        }
        self.queries += 1;
        let result = if switches.is_empty() {
            self.sat.solve(assumptions)
        } else {
            // The same ones first, so that the solver keeps what follows from them.
            let all: Vec<Lit> = switches.iter().chain(assumptions).copied().collect();
            self.sat.solve(&all)
        };
        match result {
            SolveResult::Sat => Ok(true),
            SolveResult::Unsat => Ok(false),
            SolveResult::Unknown(_) => Err(Stopped),
        }
    }

    /// The cone of the query becomes the domain, unless the present one has it and is not much larger.
    fn set_domain(&mut self, assumptions: &[Lit], clause: &[Lit]) {
        if !self.use_domain {
            return;
        }
        let roots = assumptions.len() + clause.len();
        let covered = self.domain_roots > 0
            && self.domain_roots <= 2 * roots + 4
            && assumptions.iter().chain(clause).all(|l| self.domain.contains(l.var()));
        if covered {
            return;
        }
        self.domain.words.fill(0);
        self.domain_roots = roots;
        self.work.extend(assumptions.iter().chain(clause).chain(&self.model.constraints).map(|l| l.var()));
        while let Some(v) = self.work.pop() {
            if self.domain.insert(v) {
                let work = &mut self.work;
                self.model.arguments(v, |a| work.push(a));
            }
        }
        self.sat.set_domain(self.domain.iter());
    }

    /// The value of a literal in the model.
    #[inline]
    pub(crate) fn value(&self, l: Lit) -> Option<bool> {
        self.sat.value(l)
    }

    /// Is the assumption part of the core of the last refutation?
    pub(crate) fn core(&self) -> &[Lit] {
        self.sat.core()
    }
}
