//! Well-formedness: the invariants of the crate documentation, checked.

use std::fmt;

use palisade_term::{Sort, TermPool};
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
        for e in self.edge_ids() {
            self.check_edge(pool, e)?;
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

    fn check_edge(&self, pool: &TermPool, id: EdgeId) -> Result<(), Malformed> {
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
        let mut scope: FxHashSet<_> = self.vars(e.source).iter().copied().collect();
        for &i in &e.inputs {
            if !is_plain_var(pool, i) || !scope.insert(i) {
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
        let mut stray = None;
        pool.visit(e.update.iter().copied().chain([e.guard]), |t| {
            if pool.is_var(t) && !scope.contains(&t) {
                stray = Some(t);
            }
        });
        match stray {
            Some(t) => Err(Malformed(format!("{} mentions {}, which is not in scope", at(), pool.infix(t)))),
            None => Ok(()),
        }
    }
}
