//! A SAT solver with one copy of the transition relation.
//!
//! The clauses of a gate are added when a query first reaches it, so that a frame that is asked little stays
//! small; only those of one polarity, where the other is not needed (see `relation`). Before a query the cone
//! of what it is about becomes the domain: the solver decides nothing else, and with `Domain::Propagate` it
//! also propagates nothing else. A model then is a partial assignment: it fixes the cone, and falsifies no
//! clause of the frame. That is enough for IC3: the predecessor that is made from it leads to where it
//! should, and a lemma that blocks it will block that very assignment.

use palisade_sat::{Lit, Options as SatOptions, SolveResult, Solver, Var};

use crate::model::Model;
use crate::options::Domain;
use crate::{Control, Stopped};

/// A set of literals whose variables are cheap to list in order.
#[derive(Clone, Default)]
struct LitSet {
    words: Vec<u64>,
}

impl LitSet {
    fn new(vars: usize) -> LitSet {
        LitSet { words: vec![0; vars.div_ceil(32)] }
    }

    #[inline]
    fn contains(&self, l: Lit) -> bool {
        self.words[l.code() / 64] >> (l.code() % 64) & 1 == 1
    }

    /// Adds; false if it was there.
    #[inline]
    fn insert(&mut self, l: Lit) -> bool {
        let (word, bit) = (&mut self.words[l.code() / 64], 1 << (l.code() % 64));
        let new = *word & bit == 0;
        *word |= bit;
        new
    }

    fn vars(&self) -> impl Iterator<Item = Var> + '_ {
        self.words.iter().enumerate().flat_map(|(i, &word)| {
            // The bits of the positive literals.
            let mut rest = (word | word >> 1) & 0x5555_5555_5555_5555;
            std::iter::from_fn(move || {
                if rest == 0 {
                    return None;
                }
                let bit = rest.trailing_zeros() as usize;
                rest &= rest - 1;
                Some(Var::new(32 * i + bit / 2))
            })
        })
    }
}

/// The solver.
pub(crate) struct Step<'m> {
    model: &'m Model,
    pub(crate) sat: Solver,
    /// The keys of the literals that are loaded, and of those in the domain (see [`Relation::key`]).
    ///
    /// [`Relation::key`]: crate::relation::Relation::key
    loaded: LitSet,
    domain: LitSet,
    /// Signals of lemmas: always in the domain, so that a model falsifies no lemma by way of a gate.
    signals: Vec<Lit>,
    /// How many roots the domain was made for.
    domain_roots: usize,
    use_domain: Domain,
    /// A scope with a temporary clause is open.
    open: bool,
    work: Vec<Lit>,
    pub(crate) queries: u64,
}

impl<'m> Step<'m> {
    /// A solver with the constraints of the model asserted if `constrained`.
    pub(crate) fn new(model: &'m Model, control: &Control, use_domain: Domain, constrained: bool) -> Self {
        let propagate_in_domain = use_domain == Domain::Propagate;
        let mut sat = control.solver_with(SatOptions { propagate_in_domain, ..SatOptions::default() });
        for _ in 0..model.kept {
            sat.new_var();
        }
        sat.add_clause(&[model.constant()]);
        let mut step = Step {
            model,
            sat,
            loaded: LitSet::new(model.kept),
            domain: LitSet::new(model.kept),
            signals: Vec::new(),
            domain_roots: 0,
            use_domain,
            open: false,
            work: Vec::new(),
            queries: 0,
        };
        if constrained {
            for &c in &model.constraints {
                step.load(c);
                step.sat.add_clause(&[c]);
            }
        }
        step
    }

    /// Adds the clauses by which a literal can be true only if the gates that it rests on say so.
    pub(crate) fn load(&mut self, l: Lit) {
        let relation = &self.model.relation;
        self.work.push(relation.key(l));
        while let Some(key) = self.work.pop() {
            if !self.loaded.insert(key) {
                continue;
            }
            let sat = &mut self.sat;
            relation.clauses(key, |clause| sat.add_clause_in(0, clause, 0));
            let work = &mut self.work;
            relation.needs(key, |k| work.push(k));
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

    /// Adds a clause of state literals, and perhaps a switch, for good.
    pub(crate) fn add_lemma(&mut self, clause: &[Lit]) {
        self.close();
        for &l in clause {
            let v = l.var().index();
            if v < self.model.latches || v >= self.model.kept {
                continue;
            }
            let key = self.model.relation.key(l);
            if !self.signals.contains(&key) {
                self.load(l);
                self.signals.push(key);
                self.domain_roots = 0;
            }
        }
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
        for &l in assumptions.iter().chain(clause) {
            if !self.loaded.contains(self.model.relation.key(l)) {
                self.load(l);
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
        if self.use_domain == Domain::None {
            return;
        }
        let roots = assumptions.len() + clause.len();
        let relation = &self.model.relation;
        let mut keys = assumptions.iter().chain(clause).map(|&l| relation.key(l));
        let covered = self.domain_roots > 0
            && self.domain_roots <= 2 * roots + 4
            && keys.clone().all(|key| self.domain.contains(key));
        if covered {
            return;
        }
        self.domain.words.fill(0);
        self.domain_roots = roots;
        let constraints = self.model.constraints.iter().map(|&l| relation.key(l));
        self.work.extend(keys.by_ref().chain(constraints).chain(self.signals.iter().copied()));
        while let Some(key) = self.work.pop() {
            if self.domain.insert(key) {
                let work = &mut self.work;
                relation.needs(key, |k| work.push(k));
            }
        }
        self.sat.set_domain(self.domain.vars());
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
