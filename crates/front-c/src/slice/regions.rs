//! Postdominators of a function's graph, and what a branch decides about (Ferrante, Ottenstein, Warren: The
//! program dependence graph and its use in optimization, 1987; dominators as in Cooper, Harvey, Kennedy: A
//! simple, fast dominance algorithm, 2001).
//!
//! Every end of the graph leads to one exit. Nodes from which no end can be reached (endless loops) get an
//! edge to the exit, one for each such part of the graph: then every way from a branch either meets its
//! postdominator or never ends.

use crate::ir::Function;

/// For every node the next one that all ways from it meet, and the branches that decide whether it is
/// executed.
pub(super) struct Regions {
    /// The immediate postdominator; `None` if that is the exit, or if the node cannot be reached.
    pub(super) next: Vec<Option<u32>>,
    /// The branches that a node depends on.
    pub(super) depends: Vec<Vec<u32>>,
}

/// The successors of a node.
pub(super) fn successors(f: &Function, n: u32) -> Vec<u32> {
    f.nodes[n as usize].kind.successors().into_iter().map(|next| next.0).collect()
}

impl Regions {
    pub(super) fn new(f: &Function, reachable: &[bool]) -> Regions {
        let n = f.nodes.len();
        let exit = n as u32;
        let mut forward: Vec<Vec<u32>> = (0..n as u32)
            .map(|v| if reachable[v as usize] { successors(f, v) } else { Vec::new() })
            .collect();
        let mut backward: Vec<Vec<u32>> = vec![Vec::new(); n + 1];
        for v in (0..n).filter(|v| reachable[*v]) {
            if forward[v].is_empty() {
                forward[v].push(exit);
            }
            for &w in &forward[v] {
                backward[w as usize].push(v as u32);
            }
        }
        // Endless loops get a way out.
        let mut seen = vec![false; n + 1];
        collect(exit, &backward, &mut seen);
        let heads = (0..n).filter(|v| f.nodes[*v].loop_head);
        for v in heads.chain((0..n).rev()).filter(|v| reachable[*v]) {
            if !seen[v] {
                forward[v].push(exit);
                backward[n].push(v as u32);
                collect(v as u32, &backward, &mut seen);
            }
        }
        let ipdom = immediate(&forward, &backward, exit);
        let mut depends = vec![Vec::new(); n];
        for v in (0..n).filter(|v| reachable[*v] && forward[*v].len() > 1) {
            for &s in &forward[v] {
                let mut at = s;
                while at != exit && at != ipdom[v] {
                    let known: &mut Vec<u32> = &mut depends[at as usize];
                    if known.last() == Some(&(v as u32)) {
                        break;
                    }
                    known.push(v as u32);
                    at = ipdom[at as usize];
                }
            }
        }
        let next = (0..n).map(|v| (reachable[v] && ipdom[v] != exit).then_some(ipdom[v])).collect();
        Regions { next, depends }
    }
}

/// Marks all nodes from which there is a way to `start`.
fn collect(start: u32, backward: &[Vec<u32>], seen: &mut [bool]) {
    let mut stack = vec![start];
    seen[start as usize] = true;
    while let Some(v) = stack.pop() {
        for &w in &backward[v as usize] {
            if !std::mem::replace(&mut seen[w as usize], true) {
                stack.push(w);
            }
        }
    }
}

/// The immediate dominators of the graph turned around.
fn immediate(forward: &[Vec<u32>], backward: &[Vec<u32>], exit: u32) -> Vec<u32> {
    let n = backward.len();
    let mut number = vec![usize::MAX; n];
    let mut post = Vec::new();
    let mut seen = vec![false; n];
    let mut stack = vec![(exit, 0)];
    seen[exit as usize] = true;
    while let Some((v, k)) = stack.pop() {
        match backward[v as usize].get(k) {
            Some(&w) => {
                stack.push((v, k + 1));
                if !std::mem::replace(&mut seen[w as usize], true) {
                    stack.push((w, 0));
                }
            }
            None => {
                number[v as usize] = post.len();
                post.push(v);
            }
        }
    }
    let none = u32::MAX;
    let mut dom = vec![none; n];
    dom[exit as usize] = exit;
    let mut changed = true;
    while changed {
        changed = false;
        for &v in post.iter().rev().filter(|v| **v != exit) {
            let mut new = none;
            for &s in &forward[v as usize] {
                if dom[s as usize] == none {
                    continue;
                }
                new = match new {
                    x if x == none => s,
                    x => {
                        let (mut a, mut b) = (x, s);
                        while a != b {
                            while number[a as usize] < number[b as usize] {
                                a = dom[a as usize];
                            }
                            while number[b as usize] < number[a as usize] {
                                b = dom[b as usize];
                            }
                        }
                        a
                    }
                };
            }
            if dom[v as usize] != new {
                dom[v as usize] = new;
                changed = true;
            }
        }
    }
    dom.into_iter().map(|d| if d == none { exit } else { d }).collect()
}
