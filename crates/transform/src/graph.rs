//! The graph under a program: depth-first order, loop heads, reachability.

use palisade_program::{EdgeId, Loc, Program};

/// Adjacency and a depth-first numbering from the entry.
pub(crate) struct Graph {
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
        let n = program.locations.len();
        let outgoing = program.outgoing();
        let mut loop_head = vec![false; n];
        let mut position = vec![u32::MAX; n];
        let mut postorder = Vec::with_capacity(n);
        // 0: not seen, 1: on the stack, 2: done.
        let mut colour = vec![0u8; n];
        let mut stack: Vec<(Loc, usize)> = vec![(program.entry, 0)];
        colour[program.entry.index()] = 1;
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
        postorder.reverse();
        for (i, l) in postorder.iter().enumerate() {
            position[l.index()] = i as u32;
        }
        Graph { outgoing, order: postorder, position, loop_head }
    }

    /// Is the location reachable from the entry?
    pub fn reachable(&self, l: Loc) -> bool {
        self.position[l.index()] != u32::MAX
    }
}

/// The locations from which the error can be reached by edges that satisfy `usable`.
pub(crate) fn reaches_error(program: &Program, usable: impl Fn(EdgeId) -> bool) -> Vec<bool> {
    let incoming = program.incoming();
    let mut seen = vec![false; program.locations.len()];
    seen[program.error.index()] = true;
    let mut stack = vec![program.error];
    while let Some(l) = stack.pop() {
        for &e in &incoming[l.index()] {
            let s = program.edge(e).source;
            if !seen[s.index()] && usable(e) {
                seen[s.index()] = true;
                stack.push(s);
            }
        }
    }
    seen
}

/// The locations reachable from the entry by edges that satisfy `usable`.
pub(crate) fn reachable_from_entry(program: &Program, usable: impl Fn(EdgeId) -> bool) -> Vec<bool> {
    let outgoing = program.outgoing();
    let mut seen = vec![false; program.locations.len()];
    seen[program.entry.index()] = true;
    let mut stack = vec![program.entry];
    while let Some(l) = stack.pop() {
        for &e in &outgoing[l.index()] {
            let t = program.edge(e).target;
            if !seen[t.index()] && usable(e) {
                seen[t.index()] = true;
                stack.push(t);
            }
        }
    }
    seen
}
