//! Facts about all cells of arrays and of the heap: guessed from executions, and kept if they are inductive.
//!
//! Blocks that a loop allocates are the cells of one array for each member, in the order of the allocations.
//! So the shape of a list of any length is a fact about numbers, `forall k. 0 < k < n ==> next[k] == k - 1`,
//! and so is that its first part has been freed. Such facts are of few kinds. They are guessed from a table
//! of what executions show (`guess`), in the manner of Garg, Löding, Madhusudan and Neider, "Learning
//! Universally Quantified Invariants of Linear Data Structures" (2013), and dropped by models of the edges
//! that they do not survive (`inductive`), until all that are left are inductive together. On the way, a
//! guess that is dropped is replaced by its weaker neighbours.
//!
//! | file | job |
//! |---|---|
//! | `table.rs` | what executions show; which arrays belong together |
//! | `language.rs` | what can be said of a cell |
//! | `sums.rs` | which sums of variables a program computes or compares |
//! | `guess.rs` | the strongest guesses that the table allows, and the weaker ones |
//! | `inductive.rs` | guess and check |
//! | `needed.rs` | what of it a proof needs |
//!
//! Invariants: what is given out holds in all reachable states, for every index. Whoever uses it as evidence
//! must show it with instances for the cells that an edge touches; `certify` does that.
//!
//! Limits: indices that are integers; elements that are integers or Booleans; facts about one cell, those
//! that pointers in it lead to, and variables. Where the order of a list is not that of its allocations
//! (insertion in the middle), little is found.
//!
//! Entry points: [`find`], [`needed`](fn@needed).

mod guess;
mod inductive;
mod language;
mod needed;
mod sums;
mod table;

use palisade_program::Loc;
use palisade_term::{Sort, Term};

use guess::{Grid, about_cells, about_variables};
use inductive::{Place, inductive};
pub use needed::needed;
use table::{Groups, is_cells, tables};

use crate::{Budget, Task, background};

/// Larger programs are left alone.
const MAX_EDGES: usize = 400;
const MAX_ARRAYS: usize = 40;

/// Facts about a program.
pub struct CellFacts {
    /// The variable that stands for any index.
    pub index: Term,
    /// What holds at a location, for all values of that variable.
    pub facts: Vec<(Loc, Term)>,
}

/// The facts about all cells that are found; `None` if there are none.
pub fn find(task: &Task<'_>, budget: &Budget) -> Option<CellFacts> {
    let (pool, program) = (task.pool, task.program);
    let arrays = |l: Loc| program.vars(l).iter().filter(|&&v| is_cells(pool, v)).count();
    let most = program.locs().map(arrays).max()?;
    if most == 0 || most > MAX_ARRAYS || program.edges.len() > MAX_EDGES {
        return None;
    }
    let groups = Groups::new(pool, program);
    let tables = tables(task, budget, &groups);
    let grids: Vec<Option<Grid>> = (0..groups.offsets.len())
        .map(|group| {
            let all: Vec<Grid> = tables.iter().filter_map(|t| t.grid(group)).collect();
            table::common_grid(&all)
        })
        .collect();
    let sums = sums::of(pool, program);
    let index = pool.fresh_var("k", Sort::Int);
    let mut places: Vec<Place> = Vec::new();
    for table in tables {
        let mut guesses = Vec::new();
        for group in 0..groups.offsets.len() {
            let found = about_cells(pool, &table, &groups, &grids, group);
            guesses.extend(found.into_iter().map(|g| (Some(group), g)));
        }
        guesses.push((None, about_variables(pool, &table, &groups, &grids, &sums)));
        places.push(Place { table, guesses });
    }
    let known = background::invariants(task, budget);
    inductive(task, budget, &mut places, &groups, &known, index)?;
    places.iter_mut().for_each(|place| place.without_implied(task, budget, index));
    let mut facts = Vec::new();
    for l in program.locs().filter(|&l| l != program.entry && l != program.error) {
        facts.extend(places[l.index()].terms(pool, index).into_iter().map(|(_, t)| (l, t)));
    }
    if !facts.iter().any(|&(_, t)| pool.free_vars(t).contains(&index)) {
        return None;
    }
    facts.extend(known);
    Some(CellFacts { index, facts })
}
