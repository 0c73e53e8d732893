//! Well-formedness: the invariants of the crate documentation, checked.

use std::fmt;
use std::rc::Rc;

use palisade_term::{Occurring, Sort, Term, TermPool};
use rustc_hash::FxHashSet;

use crate::{EdgeId, Loc, Program, is_plain_var};

/// A broken invariant of a program: a bug in whatever built it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Malformed(pub String);

impl fmt::Display for Malformed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "malformed program: {}", self.0)
    }
}

impl std::error::Error for Malformed {}

impl Program {
    /// Checks every invariant of the model.
    pub fn check(&self, pool: &TermPool) -> Result<(), Malformed> {
        let err = |m: String| Err(Malformed(m));
        if !self.vars(self.error).is_empty() {
            return err("the error location has variables".into());
        }
        let mut names = FxHashSet::default();
        for l in self.locs() {
            self.check_location(pool, l, &mut names)?;
        }
        for (l, leaving) in self.locs().zip(self.outgoing()) {
            let vars: FxHashSet<Term> = self.vars(l).iter().copied().collect();
            let mut others = Occurring::new(pool, |t| !vars.contains(&t));
            for e in leaving {
                self.check_edge(pool, e, &vars, &mut |t| others.of(t))?;
            }
        }
        Ok(())
    }

    fn check_location<'a>(
        &'a self,
        pool: &TermPool,
        l: Loc,
        names: &mut FxHashSet<&'a str>,
    ) -> Result<(), Malformed> {
        let location = self.location(l);
        if !names.insert(&location.name) {
            return Err(Malformed(format!("two locations are named {}", location.name)));
        }
        let mut seen = FxHashSet::default();
        for &v in &location.vars {
            if !is_plain_var(pool, v) || !seen.insert(v) {
                return Err(Malformed(format!("bad variable {} at {}", pool.infix(v), location.name)));
            }
        }
        Ok(())
    }

    /// `vars`: those of the source. `others`: the variables in a term that are not among them.
    fn check_edge(
        &self,
        pool: &TermPool,
        id: EdgeId,
        vars: &FxHashSet<Term>,
        others: &mut dyn FnMut(Term) -> Rc<[Term]>,
    ) -> Result<(), Malformed> {
        let e = self.edge(id);
        let at = || {
            format!("edge {} ({} -> {})", id.0, self.location(e.source).name, self.location(e.target).name)
        };
        if e.source == self.error {
            return Err(Malformed(format!("{} leaves the error location", at())));
        }
        if e.target == self.entry {
            return Err(Malformed(format!("{} enters the entry location", at())));
        }
        let mut inputs: FxHashSet<Term> = FxHashSet::default();
        for &i in &e.inputs {
            if !is_plain_var(pool, i) || vars.contains(&i) || !inputs.insert(i) {
                return Err(Malformed(format!("{}: bad input {}", at(), pool.infix(i))));
            }
        }
        if *pool.sort(e.guard) != Sort::Bool {
            return Err(Malformed(format!("{}: the guard is not a formula", at())));
        }
        let targets = self.vars(e.target);
        if targets.len() != e.update.len() {
            return Err(Malformed(format!(
                "{}: {} updates for {} variables",
                at(),
                e.update.len(),
                targets.len()
            )));
        }
        for (&v, &u) in targets.iter().zip(&e.update) {
            if pool.sort(v) != pool.sort(u) {
                return Err(Malformed(format!("{}: {} gets a value of another sort", at(), pool.infix(v))));
            }
        }
        let mut terms = e.update.iter().chain([&e.guard]);
        let stray = terms.find_map(|&t| others(t).iter().copied().find(|v| !inputs.contains(v)));
        match stray {
            Some(t) => Err(Malformed(format!("{} mentions {}, which is not in scope", at(), pool.infix(t)))),
            None => Ok(()),
        }
    }
}
