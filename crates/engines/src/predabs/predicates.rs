//! The predicates of each location.

use palisade_program::{Loc, Program};
use palisade_term::Term;

use super::Scope;
use crate::Task;

/// Predicates by location, oldest first.
pub(super) struct Predicates {
    at: Vec<Vec<Term>>,
    /// The locations that share predicates with each.
    group: Vec<Vec<Loc>>,
}

impl Predicates {
    /// None yet.
    pub fn new(task: &Task<'_>) -> Predicates {
        let program = task.program;
        let together = |l: Loc, m: Loc| match task.options.predabs.scope {
            Scope::Location => l == m,
            Scope::Function => function(program, l) == function(program, m),
            Scope::Global => true,
        };
        let group = program.locs().map(|l| program.locs().filter(|&m| together(l, m)).collect()).collect();
        Predicates { at: vec![Vec::new(); program.locations.len()], group }
    }

    /// The predicates that nodes of a location are described by.
    pub fn at(&self, l: Loc) -> &[Term] {
        &self.at[l.index()]
    }

    /// Adds a predicate that was found at a location, wherever its variables live: is it new there?
    pub fn add(&mut self, task: &Task<'_>, l: Loc, predicate: Term) -> bool {
        let (pool, program) = (task.pool, task.program);
        let (_, predicate) = pool.strip_not(predicate);
        if pool.as_bool(predicate).is_some() || l == program.error || self.at(l).contains(&predicate) {
            return false;
        }
        let variables = pool.free_vars(predicate);
        for &m in &self.group[l.index()] {
            let here = program.vars(m);
            let list = &mut self.at[m.index()];
            if variables.iter().all(|v| here.contains(v)) && !list.contains(&predicate) {
                list.push(predicate);
            }
        }
        true
    }

    /// How many there are, over all locations.
    pub fn count(&self) -> usize {
        self.at.iter().map(Vec::len).sum()
    }
}

/// The function that a location belongs to: front-ends name locations `function:line`.
fn function(program: &Program, l: Loc) -> &str {
    let name = &program.location(l).name;
    name.rsplit_once(':').map_or(name, |(function, _)| function)
}
