//! Loops that may not end.
//!
//! A run that does not end goes through some nodes again and again. [`find`] marks nodes so that every cycle
//! of a function's graph that may be taken for ever has a marked one.
//!
//! Entry point: [`find`].

use crate::ir::Function;

/// The nodes of a function that stand for its loops.
pub(crate) fn find(f: &Function) -> Vec<bool> {
    let heads: Vec<bool> = f.nodes.iter().map(|n| n.loop_head).collect();
    let all = on_cycles(f, &vec![false; f.nodes.len()]);
    // Loops that are made of `goto` have no head: then every node counts.
    let rest = on_cycles(f, &heads);
    let other = rest.iter().any(|x| *x);
    all.iter().zip(&heads).map(|(cyclic, head)| *cyclic && (*head || other)).collect()
}

/// Which nodes lie on a cycle of the function's graph without some nodes (Tarjan's strongly connected
/// components, iteratively).
pub(crate) fn on_cycles(f: &Function, without: &[bool]) -> Vec<bool> {
    let n = f.nodes.len();
    let successors = |v: usize| -> Vec<usize> {
        let all = if without[v] { Vec::new() } else { f.nodes[v].kind.successors() };
        all.into_iter().map(|x| x.0 as usize).filter(|&x| x < n).collect()
    };
    let (mut index, mut low) = (vec![usize::MAX; n], vec![0; n]);
    let (mut on_stack, mut out) = (vec![false; n], vec![false; n]);
    let (mut stack, mut counter) = (Vec::new(), 0);
    for start in 0..n {
        if index[start] != usize::MAX {
            continue;
        }
        let mut work: Vec<(usize, Vec<usize>)> = Vec::new();
        let mut enter = Some(start);
        loop {
            if let Some(v) = enter.take() {
                index[v] = counter;
                low[v] = counter;
                counter += 1;
                stack.push(v);
                on_stack[v] = true;
                work.push((v, successors(v)));
            }
            let Some((v, rest)) = work.last_mut() else { break };
            let v = *v;
            match rest.pop() {
                Some(w) if index[w] == usize::MAX => enter = Some(w),
                Some(w) => {
                    if on_stack[w] {
                        low[v] = low[v].min(index[w]);
                        out[v] |= w == v;
                    }
                }
                None => {
                    work.pop();
                    if let Some((u, _)) = work.last() {
                        low[*u] = low[*u].min(low[v]);
                    }
                    if low[v] == index[v] {
                        let at = stack.iter().rposition(|&w| w == v).expect("on the stack");
                        let component = stack.split_off(at);
                        let cycle = component.len() > 1;
                        for w in component {
                            on_stack[w] = false;
                            out[w] |= cycle;
                        }
                    }
                }
            }
        }
    }
    out
}
