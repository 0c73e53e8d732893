//! Backward reachability: for every location, the states from which no path of at most `k` edges reaches the
//! error location.
//!
//! `N_0` is true everywhere but at the error location, and `N_k(l) = for all edges e: l -> m and all inputs:
//! guard => N_{k-1}(m)[update]`, the weakest precondition of Dijkstra. Two uses:
//! - In an acyclic program `N_d`, with `d` the length of the longest path, is inductive.
//! - If k-induction's step case holds at `k`, then `N_k` is inductive. For suppose `s` is in `N_k`, `s ->
//!   s'`, and `s'` is not in `N_k`. Then a shortest path from `s'` to the error has exactly `k` edges, since
//!   a shorter one would give `s` a path of at most `k` edges. The path from `s` through `s'` is a
//!   counterexample to the step case: its states before the last cannot reach the error in one edge (again,
//!   `s` would reach it in at most `k`), and they are pairwise distinct (a repetition would give `s` or `s'`
//!   a shorter path). So the proof survives the simple-path restriction too.
//!
//! Inputs are universally quantified, and certificates are quantifier-free: they are eliminated exactly
//! ([`palisade_eliminate`]), or there is no certificate.
//!
//! Entry point: [`Backward::invariants`].

use palisade_eliminate as eliminate;
use palisade_program::{EdgeId, Invariants, Loc, Program, reachable_from_entry};
use palisade_term::TermPool;

use crate::{Budget, Reason, Task};

/// Certificates with more distinct subterms than this are of no use to anyone.
const MAX_SIZE: usize = 200_000;

/// Computes `N_k`, one step at a time.
pub(crate) struct Backward<'a> {
    pool: &'a TermPool,
    program: &'a Program,
    budget: Budget,
    outgoing: Vec<Vec<EdgeId>>,
    current: Invariants,
}

impl<'a> Backward<'a> {
    /// Starts with `N_0`.
    pub fn new(task: &Task<'a>, budget: &Budget) -> Self {
        Backward {
            pool: task.pool,
            program: task.program,
            budget: budget.clone(),
            outgoing: task.program.outgoing(),
            current: Invariants::trivial(task.pool, task.program),
        }
    }

    /// `N_k` at one location, given `N_{k-1}`; the reason when an input cannot be eliminated.
    pub fn step_at(&self, l: Loc) -> Result<palisade_term::Term, Reason> {
        let pool = self.pool;
        let mut parts = Vec::new();
        for &e in &self.outgoing[l.index()] {
            let edge = self.program.edge(e);
            let safe = self.program.after(pool, e, self.current.at(edge.target));
            let safe = pool.implies(edge.guard, safe);
            let safe = eliminate::forall(pool, &edge.inputs, safe).map_err(|why| {
                let name = &self.program.location(l).name;
                Reason::Incomplete(format!("the invariant at {name} needs a quantifier: {why}"))
            })?;
            parts.push(safe);
        }
        Ok(pool.and(parts))
    }

    /// Goes on to the next `N_k`.
    pub fn step(&mut self) -> Result<(), Reason> {
        let mut next = Invariants::trivial(self.pool, self.program);
        for l in self.program.locs().filter(|&l| l != self.program.error) {
            self.budget.check().map_err(Reason::Stopped)?;
            let formula = self.step_at(l)?;
            if self.pool.dag_size(formula) > MAX_SIZE {
                return Err(Reason::Incomplete("the invariant is too large".into()));
            }
            next.set(l, formula);
        }
        self.current = next;
        Ok(())
    }

    /// `N_k` as a proof of safety, for a caller who knows that it is inductive and that the entry satisfies
    /// it.
    pub fn invariants(mut self, k: u32) -> Result<Invariants, Reason> {
        for _ in 0..k {
            self.step()?;
        }
        // Runs may start in any state of the entry, so its formula is valid; certificates say it plainly.
        self.current.set(self.program.entry, self.pool.tru());
        Ok(self.current)
    }
}

/// The invariant of a program without cycles that was found safe. None if the entry leads to cycles, or if
/// the formulas cannot be written down.
pub(crate) fn acyclic(task: &Task<'_>, budget: &Budget) -> Option<Invariants> {
    let mut invariants = Backward::new(task, budget).invariants(longest_path(task.program)?).ok()?;
    // There may be cycles where no run comes.
    let reached = reachable_from_entry(task.program, |_| true);
    for l in task.program.locs().filter(|l| !reached[l.index()]) {
        invariants.set(l, task.pool.fls());
    }
    Some(invariants)
}

/// The number of edges of the longest path from the entry, when there is a longest one: no cycle can be
/// reached from there.
pub(crate) fn longest_path(program: &Program) -> Option<u32> {
    // A path of as many edges as there are locations repeats one.
    let outgoing = program.outgoing();
    let mut layer = vec![program.entry];
    let mut depth = 0;
    loop {
        let mut next: Vec<Loc> =
            layer.iter().flat_map(|l| &outgoing[l.index()]).map(|&e| program.edge(e).target).collect();
        next.sort_unstable();
        next.dedup();
        if next.is_empty() {
            return Some(depth);
        }
        depth += 1;
        if depth as usize >= program.locations.len() {
            return None;
        }
        layer = next;
    }
}
