//! Symbolic execution of the acyclic region behind a location, in topological order, with merging where paths
//! meet.
//!
//! Invariants: a location is left only after all paths of the region into it have arrived, so each is
//! executed once; guards and values are over the variables of the start and the inputs of the block. With
//! merging, paths that meet are joined (values become conditionals over the branches); without it every path
//! keeps its trail of edges. A region that creates too many terms is refused with a location that should
//! become a cut point.
//!
//! Entry points: [`Composer::block`], [`Composer::explore`].

use std::collections::BTreeMap;
use std::rc::Rc;

use palisade_program::{EdgeId, Graph, Loc, Program};
use palisade_term::{Substitution, Term, TermPool};
use rustc_hash::FxHashMap;

use super::choice::Choices;
use super::pathcond::{PathCond, PathConds};
use super::{Block, LbeOptions};

/// What arrives at a location: under `guard`, its variables have `values`; all over the start's variables and
/// block inputs.
#[derive(Clone)]
pub(crate) struct Contribution {
    pub guard: Term,
    pub values: Rc<[Term]>,
    /// The edges of the one path this is, when paths are not merged.
    pub trail: Option<Rc<[EdgeId]>>,
}

/// A path, or several merged ones, on its way.
#[derive(Clone)]
struct Path {
    condition: PathCond,
    values: Rc<[Term]>,
    trail: Option<Rc<[EdgeId]>>,
}

/// The result of an exploration.
pub(crate) struct Exploration {
    /// What arrives at the locations where it stopped, by position in the graph's order.
    pub exits: BTreeMap<u32, Vec<Contribution>>,
    /// The locations it went through, without the start.
    pub interior: Vec<Loc>,
    /// The edges it took, in topological order.
    pub edges: Vec<EdgeId>,
}

/// Symbolic execution between cut points.
pub(crate) struct Composer<'a> {
    pub pool: &'a TermPool,
    pub program: &'a Program,
    pub graph: &'a Graph,
    pub choices: &'a Choices,
    pub options: &'a LbeOptions,
}

impl Composer<'_> {
    /// The block behind a cut point; or a location inside it that should become a cut point because the block
    /// is too large.
    pub fn block(&self, start: Loc, cut: &[bool]) -> Result<Block, Loc> {
        let found = self.explore(start, false, |l| cut[l.index()])?;
        let exits = (found.exits.into_iter())
            .flat_map(|(p, all)| all.into_iter().map(move |c| (p, c)))
            .map(|(p, c)| (self.graph.order[p as usize], c))
            .collect();
        Ok(Block { interior: found.interior, exits, edges: found.edges })
    }

    /// Executes from `start` until every path has ended or stopped. With `until_join`, also stops at the
    /// first location through which all paths pass that have not ended or stopped before it; it is then an
    /// exit like the others.
    pub fn explore(
        &self,
        start: Loc,
        until_join: bool,
        stop: impl Fn(Loc) -> bool,
    ) -> Result<Exploration, Loc> {
        let mut conditions = PathConds::new(self.pool);
        let terms_before = self.pool.len();
        let merge = self.options.merge;
        let position = |l: Loc| self.graph.position[l.index()];
        let mut found = Exploration { exits: BTreeMap::new(), interior: Vec::new(), edges: Vec::new() };
        let mut stopped: BTreeMap<u32, Vec<Path>> = BTreeMap::new();
        let mut pending: BTreeMap<u32, Vec<Path>> = BTreeMap::new();
        let first = Path {
            condition: conditions.root(),
            values: self.program.vars(start).into(),
            trail: (!merge).then(|| Rc::from([])),
        };
        let mut current = Some((start, vec![first]));
        let mut paths_seen = 0;
        while let Some((l, paths)) = current.take() {
            let paths = if merge { merged(&mut conditions, paths) } else { paths };
            paths_seen += paths.len();
            for path in paths {
                for (e, next) in self.step(&mut conditions, l, &path) {
                    let target = self.program.edge(e).target;
                    let list = if stop(target) { &mut stopped } else { &mut pending };
                    list.entry(position(target)).or_default().push(next);
                    found.edges.push(e);
                }
            }
            let last = pending.len() == 1;
            if let Some((p, paths)) = pending.pop_first() {
                let next = self.graph.order[p as usize];
                if until_join && last {
                    stopped.insert(p, paths);
                    break;
                }
                let too_large = self.pool.len() - terms_before > self.options.max_terms;
                if too_large || (!merge && paths_seen + paths.len() > self.options.max_paths) {
                    return Err(next);
                }
                found.interior.push(next);
                current = Some((next, paths));
            }
        }
        for (p, paths) in stopped {
            let paths = if merge { merged(&mut conditions, paths) } else { paths };
            let arriving = paths.into_iter().map(|path| Contribution {
                guard: conditions.formula(path.condition),
                values: path.values,
                trail: path.trail,
            });
            found.exits.insert(p, arriving.collect());
        }
        Ok(found)
    }

    /// Takes every edge that leaves `l`.
    fn step(&self, conditions: &mut PathConds<'_>, l: Loc, path: &Path) -> Vec<(EdgeId, Path)> {
        let pool = self.pool;
        let edges = &self.graph.outgoing[l.index()];
        let mut map: FxHashMap<Term, Term> = FxHashMap::default();
        for (&v, &t) in self.program.vars(l).iter().zip(path.values.iter()) {
            if v != t {
                map.insert(v, t);
            }
        }
        for &e in edges {
            for &i in &self.program.edge(e).inputs {
                map.insert(i, self.choices.input(l, i));
            }
        }
        let mut substitution = Substitution::new(pool, &map);
        let mut out = Vec::new();
        for &e in edges {
            let edge = self.program.edge(e);
            let literals = self.choices.code(e).iter().copied().chain([substitution.apply(edge.guard)]);
            let mut condition = Some(path.condition);
            for literal in literals {
                condition = condition.and_then(|c| conditions.extend(c, literal));
            }
            let Some(condition) = condition else { continue };
            let values =
                (edge.update.iter())
                    .map(|&u| {
                        if pool.is_var(u) { map.get(&u).copied().unwrap_or(u) } else { substitution.apply(u) }
                    })
                    .collect();
            let trail = path.trail.as_ref().map(|t| t.iter().copied().chain([e]).collect());
            out.push((e, Path { condition, values, trail }));
        }
        out
    }
}

/// One path for all, or none when they turn out infeasible.
fn merged(conditions: &mut PathConds<'_>, paths: Vec<Path>) -> Vec<Path> {
    if paths.len() < 2 {
        return paths;
    }
    let parts = paths.into_iter().map(|p| (p.condition, p.values)).collect();
    let merged = conditions.merge(parts);
    merged.into_iter().map(|(condition, values)| Path { condition, values, trail: None }).collect()
}
