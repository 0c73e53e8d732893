//! Large-block encoding: one edge for all paths between two cut points (Beyer, Cimatti, Griggio, Keremoglu
//! and Sebastiani, "Software Model Checking via Large-Block Encoding", 2009).
//!
//! Cut points are the entry, the error and enough locations to break every cycle ([`CutPoints`]). From each
//! cut point the acyclic region behind it is executed symbolically (`compose`); where paths meet, their
//! values are merged by `ite`, so that a region with exponentially many paths gives terms of about the size
//! of its source. Edges of one location that may be enabled together are told apart by fresh Boolean inputs
//! (`choice`): given its inputs, a large block has exactly one path, which is also how a run finds its way
//! back.
//!
//! Way back (`back`): cut points keep their formulas; the locations inside a block get weakest preconditions,
//! from which the inputs are eliminated.
//!
//! Blocks are bounded: when one grows past [`LbeOptions::max_terms`], a location inside it becomes a cut
//! point.

mod back;
mod choice;
mod compose;
mod pathcond;

use std::collections::BTreeMap;

use palisade_program::{Edge, EdgeId, Graph, Loc, Origin, Program};
use palisade_term::{Term, TermPool};
use rustc_hash::FxHashSet;

use crate::back::Transformed;
use choice::Choices;
use compose::{Composer, Contribution};

/// Which locations stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CutPoints {
    /// Entry, error and loop heads: the largest blocks.
    #[default]
    LoopHeads,
    /// Also every location an edge with inputs leaves: the way back of invariants then needs no quantifier
    /// elimination.
    LoopHeadsAndInputs,
    /// Every location: only parallel edges are merged.
    All,
}

/// Options of the large-block encoding.
#[derive(Clone, Debug)]
pub struct LbeOptions {
    /// Which locations stay.
    pub cut_points: CutPoints,
    /// One edge between two cut points, with merged values; otherwise one edge for each path.
    pub merge: bool,
    /// A block that creates more terms than this is divided.
    pub max_terms: usize,
    /// Without merging: a block with more paths than this is divided.
    pub max_paths: usize,
    /// A location that lies inside more blocks than this becomes a cut point.
    pub max_copies: u32,
}

impl Default for LbeOptions {
    fn default() -> Self {
        LbeOptions {
            cut_points: CutPoints::LoopHeads,
            merge: true,
            max_terms: 200_000,
            max_paths: 256,
            max_copies: 32,
        }
    }
}

/// One block: what can be reached from a cut point before the next one.
struct Block {
    /// The locations inside.
    interior: Vec<Loc>,
    /// The edges into the next cut points.
    exits: Vec<(Loc, Contribution)>,
    /// The old edges on the way, in topological order.
    edges: Vec<EdgeId>,
}

/// Collapses everything between cut points.
pub fn lbe(pool: &TermPool, old: &Program, options: &LbeOptions) -> Transformed {
    lbe_keeping(pool, old, options, |_| false)
}

/// As [`lbe`](fn@lbe), with more cut points.
pub(crate) fn lbe_keeping(
    pool: &TermPool,
    old: &Program,
    options: &LbeOptions,
    keep: impl Fn(Loc) -> bool,
) -> Transformed {
    let graph = Graph::new(old);
    let choices = Choices::new(pool, old, &graph);
    let is_cut = |l| is_cut(old, &graph, options.cut_points, l) || (graph.reachable(l) && keep(l));
    let mut cut: Vec<bool> = old.locs().map(is_cut).collect();
    let blocks = divide(pool, old, &graph, &choices, &mut cut, options);

    let mut map: Vec<Option<Loc>> = vec![None; old.locations.len()];
    let mut locs = Vec::new();
    let mut program = Program { locations: Vec::new(), ..Program::new() };
    for l in old.locs().filter(|l| cut[l.index()]) {
        map[l.index()] = Some(program.add_location(old.location(l).clone()));
        locs.push(l);
    }
    let new_loc = |l: Loc| map[l.index()].expect("blocks begin and end at cut points");
    (program.entry, program.error) = (new_loc(old.entry), new_loc(old.error));
    for (&position, block) in &blocks {
        let source = new_loc(graph.order[position as usize]);
        let origin = merged_origin(old, &block.edges);
        for (exit, c) in &block.exits {
            program.add_edge(Edge {
                source,
                target: new_loc(*exit),
                inputs: occurring(pool, &choices, c.values.iter().copied().chain([c.guard])),
                guard: c.guard,
                update: c.values.to_vec(),
                origin: match &c.trail {
                    Some(trail) => merged_origin(old, trail),
                    None => origin.clone(),
                },
            });
        }
    }
    let back = back::LbeBack::new(graph, choices, cut, locs, &program);
    Transformed { program, back: Box::new(back) }
}

fn is_cut(old: &Program, graph: &Graph, points: CutPoints, l: Loc) -> bool {
    if l == old.entry || l == old.error {
        return true;
    }
    graph.reachable(l)
        && match points {
            CutPoints::LoopHeads => graph.loop_head[l.index()],
            CutPoints::LoopHeadsAndInputs => {
                let inputs = graph.outgoing[l.index()].iter().any(|&e| !old.edge(e).inputs.is_empty());
                inputs || graph.loop_head[l.index()]
            }
            CutPoints::All => true,
        }
}

/// Composes the blocks, adding cut points while one is too large. Blocks are keyed by the position of their
/// cut point.
fn divide(
    pool: &TermPool,
    old: &Program,
    graph: &Graph,
    choices: &Choices,
    cut: &mut [bool],
    options: &LbeOptions,
) -> BTreeMap<u32, Block> {
    let mut blocks: BTreeMap<u32, Block> = BTreeMap::new();
    let mut copies = vec![0u32; old.locations.len()];
    let mut queue: Vec<Loc> = graph.order.iter().rev().copied().filter(|l| cut[l.index()]).collect();
    while let Some(start) = queue.pop() {
        let position = graph.position[start.index()];
        let composer = Composer { pool, program: old, graph, choices, options };
        let outcome = composer.block(start, cut);
        let new_cuts: Vec<Loc> = match outcome {
            Err(too_large) => vec![too_large],
            Ok(block) => {
                for l in &block.interior {
                    copies[l.index()] += 1;
                }
                // The first location that is copied too often; those behind it are then copied less.
                let often = block.interior.iter().copied().find(|l| copies[l.index()] > options.max_copies);
                blocks.insert(position, block);
                often.into_iter().collect()
            }
        };
        for l in new_cuts {
            debug_assert!(!cut[l.index()], "only interior locations become cut points");
            cut[l.index()] = true;
            // Blocks that ran through the new cut point are made again.
            let stale: Vec<u32> =
                blocks.iter().filter(|(_, b)| b.interior.contains(&l)).map(|(&p, _)| p).collect();
            queue.push(l);
            if !blocks.contains_key(&position) {
                queue.push(start);
            }
            for p in stale {
                let block = blocks.remove(&p).expect("just found");
                for l in &block.interior {
                    copies[l.index()] -= 1;
                }
                queue.push(graph.order[p as usize]);
            }
        }
    }
    blocks
}

/// The statements of all parts, in topological order.
fn merged_origin(old: &Program, edges: &[EdgeId]) -> Origin {
    let mut origin = Origin::default();
    for &e in edges {
        let part = &old.edge(e).origin;
        origin.statements.extend(part.statements.iter().cloned());
        if part.property.is_some() {
            origin.property.clone_from(&part.property);
        }
    }
    origin
}

/// The inputs that occur in the terms, in a fixed order.
fn occurring(pool: &TermPool, choices: &Choices, terms: impl Iterator<Item = Term>) -> Vec<Term> {
    let mut found = FxHashSet::default();
    pool.visit(terms, |t| {
        if choices.is_input(t) {
            found.insert(t);
        }
    });
    let mut inputs: Vec<Term> = found.into_iter().collect();
    inputs.sort_unstable();
    inputs
}
