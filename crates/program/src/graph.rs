//! The graph under a program: depth-first order, loop heads, reachability. Guards are not looked at.
//!
//! Entry points: [`Graph::new`], [`Graph::whole`], [`reaches`], [`reachable_from_entry`].

use crate::{EdgeId, Loc, Program};

/// Adjacency and a depth-first numbering from the entry.
pub struct Graph {
    /// For every location, the edges that leave it, ascending.
    pub outgoing: Vec<Vec<EdgeId>>,
    /// Reachable locations in reverse postorder: every edge that is not retreating goes forward in it.
    pub order: Vec<Loc>,
    /// The position of a location in `order`; `u32::MAX` when it is unreachable.
    pub position: Vec<u32>,
    /// Targets of retreating edges. Every cycle contains one.
    pub loop_head: Vec<bool>,
}

impl Graph {
    /// Explores the program from its entry. Guards are not looked at.
    pub fn new(program: &Program) -> Graph {
        Graph::explore(program, [program.entry])
    }

    /// Explores all of the program, also what is unreachable.
    pub fn whole(program: &Program) -> Graph {
        Graph::explore(program, [program.entry].into_iter().chain(program.locs()))
    }

    fn explore(program: &Program, roots: impl IntoIterator<Item = Loc>) -> Graph {
        let n = program.locations.len();
        let outgoing = program.outgoing();
        let mut loop_head = vec![false; n];
        let mut position = vec![u32::MAX; n];
        let mut postorder = Vec::with_capacity(n);
        // 0: not seen, 1: on the stack, 2: done.
        let mut colour = vec![0u8; n];
        for root in roots {
            if colour[root.index()] != 0 {
                continue;
            }
            let mut stack: Vec<(Loc, usize)> = vec![(root, 0)];
            colour[root.index()] = 1;
            while let Some((l, next)) = stack.last_mut() {
                let l = *l;
                // Successors in reverse, so that reverse postorder follows the order of the edges.
                let out = &outgoing[l.index()];
                if *next == out.len() {
                    colour[l.index()] = 2;
                    postorder.push(l);
                    stack.pop();
                    continue;
                }
                let target = program.edge(out[out.len() - 1 - *next]).target;
                *next += 1;
                match colour[target.index()] {
                    0 => {
                        colour[target.index()] = 1;
                        stack.push((target, 0));
                    }
                    1 => loop_head[target.index()] = true,
                    _ => {}
                }
            }
        }
        postorder.reverse();
        for (i, l) in postorder.iter().enumerate() {
            position[l.index()] = i as u32;
        }
        Graph { outgoing, order: postorder, position, loop_head }
    }

    /// The locations that are targets of retreating edges, ascending.
    pub fn loop_heads(&self) -> impl Iterator<Item = Loc> {
        self.loop_head.iter().enumerate().filter(|(_, head)| **head).map(|(i, _)| Loc(i as u32))
    }

    /// Was the location found?
    pub fn reachable(&self, l: Loc) -> bool {
        self.position[l.index()] != u32::MAX
    }
}

/// The locations from which the error can be reached by edges that satisfy `usable`.
pub fn reaches_error(program: &Program, usable: impl Fn(EdgeId) -> bool) -> Vec<bool> {
    reaches(program, [program.error], usable)
}

/// The locations from which one of these can be reached by edges that satisfy `usable`.
pub fn reaches(
    program: &Program,
    targets: impl IntoIterator<Item = Loc>,
    usable: impl Fn(EdgeId) -> bool,
) -> Vec<bool> {
    search(program, targets, &program.incoming(), |e| usable(e).then(|| program.edge(e).source))
}

/// The locations reachable from the entry by edges that satisfy `usable`.
pub fn reachable_from_entry(program: &Program, usable: impl Fn(EdgeId) -> bool) -> Vec<bool> {
    search(program, [program.entry], &program.outgoing(), |e| usable(e).then(|| program.edge(e).target))
}

/// What is found from some locations along their edges; `next` is where an edge leads, if it may be used.
fn search(
    program: &Program,
    starts: impl IntoIterator<Item = Loc>,
    edges: &[Vec<EdgeId>],
    next: impl Fn(EdgeId) -> Option<Loc>,
) -> Vec<bool> {
    let mut seen = vec![false; program.locations.len()];
    let mut stack: Vec<Loc> = starts.into_iter().collect();
    stack.iter().for_each(|l| seen[l.index()] = true);
    while let Some(l) = stack.pop() {
        for n in edges[l.index()].iter().filter_map(|&e| next(e)) {
            if !std::mem::replace(&mut seen[n.index()], true) {
                stack.push(n);
            }
        }
    }
    seen
}
