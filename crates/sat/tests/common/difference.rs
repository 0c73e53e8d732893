//! A toy theory to exercise the hook: difference logic over integers with equalities.
//!
//! Atoms are `x - y <= c` and `x = y`. It propagates bounds with lazy explanations (or, now and then, by
//! lemmas), splits disequalities with new atoms, and holds back input clauses until a candidate model
//! violates them. It is written for clarity; everything is recomputed.

use palisade_sat::{Context, FinalCheck, Lifetime, Lit, Tag, Theory, Var};
use std::collections::BTreeMap;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Atom {
    /// `x - y <= c`
    Le(usize, usize, i64),
    /// `x = y`
    Eq(usize, usize),
}

/// `x - y <= c`, because of `lit`.
#[derive(Clone, Copy)]
struct Edge {
    x: usize,
    y: usize,
    c: i64,
    lit: Lit,
}

const FAR: i64 = i64::MAX / 4;

pub struct Difference {
    pub nodes: usize,
    pub atoms: BTreeMap<Var, Atom>,
    /// Input clauses that are only handed out when violated.
    pub held: Vec<(Vec<Lit>, Tag)>,
    asserted: Vec<Lit>,
    edges: Vec<Edge>,
    levels: Vec<(usize, usize)>,
    /// Varies what the theory does from call to call.
    pub ticks: usize,
    pub lifetime: Lifetime,
}

impl Difference {
    pub fn new(nodes: usize, lifetime: Lifetime) -> Self {
        Difference {
            nodes,
            atoms: BTreeMap::new(),
            held: Vec::new(),
            asserted: Vec::new(),
            edges: Vec::new(),
            levels: Vec::new(),
            ticks: 0,
            lifetime,
        }
    }

    pub fn depth(&self) -> usize {
        self.levels.len()
    }

    pub fn asserted(&self) -> &[Lit] {
        &self.asserted
    }

    /// Shortest paths over the given edges, with the last edge of each.
    fn paths(&self, edges: &[Edge]) -> Vec<Vec<(i64, usize)>> {
        // d[x][y] bounds x - y; the entry also names the edge by which the path leaves x.
        let n = self.nodes;
        let mut d = vec![vec![(FAR, usize::MAX); n]; n];
        for (i, e) in edges.iter().enumerate() {
            if e.c < d[e.x][e.y].0 {
                d[e.x][e.y] = (e.c, i);
            }
        }
        for k in 0..n {
            for i in 0..n {
                for j in 0..n {
                    let through = d[i][k].0 + d[k][j].0;
                    if d[i][k].0 < FAR && d[k][j].0 < FAR && through < d[i][j].0 {
                        d[i][j] = (through, d[i][k].1);
                    }
                }
            }
        }
        d
    }

    /// A path from x to y of length at most `c` in at most `nodes` steps, as the literals of its edges.
    fn path(&self, edges: &[Edge], x: usize, y: usize, c: i64) -> Option<Vec<Lit>> {
        // best[k][v]: shortest way from v to y in at most k steps, and its first edge.
        let mut best = vec![vec![(FAR, usize::MAX); self.nodes]];
        best[0][y] = (0, usize::MAX);
        for k in 1..=self.nodes {
            let mut row = vec![(FAR, usize::MAX); self.nodes];
            for (i, e) in edges.iter().enumerate() {
                let rest = best[k - 1][e.y].0;
                if rest < FAR && rest + e.c < row[e.x].0 {
                    row[e.x] = (rest + e.c, i);
                }
            }
            best.push(row);
        }
        let steps = (1..=self.nodes).find(|&k| best[k][x].0 <= c)?;
        let (mut v, mut lits) = (x, Vec::new());
        for k in (1..=steps).rev() {
            let e = &edges[best[k][v].1];
            lits.push(e.lit);
            v = e.y;
        }
        assert_eq!(v, y);
        Some(lits)
    }

    /// The clause that excludes a negative cycle, if there is one.
    fn negative_cycle(&self) -> Option<Vec<Lit>> {
        let cycle = (0..self.nodes).find_map(|x| self.path(&self.edges, x, x, -1))?;
        Some(cycle.into_iter().map(|l| !l).collect())
    }

    fn explain_with(&self, lit: Lit, edges: &[Edge]) -> Vec<Lit> {
        let premises = match (self.atoms[&lit.var()], lit.is_positive()) {
            (Atom::Le(x, y, c), true) => self.path(edges, x, y, c),
            (Atom::Le(x, y, c), false) => self.path(edges, y, x, -c - 1),
            (Atom::Eq(..), _) => unreachable!("equalities are not propagated"),
        };
        premises.expect("it follows").into_iter().map(|l| !l).collect()
    }
}

impl Theory for Difference {
    fn assert(&mut self, lit: Lit) {
        assert!(!self.asserted.iter().any(|l| l.var() == lit.var()), "{lit:?} is asserted twice");
        self.asserted.push(lit);
        match (self.atoms[&lit.var()], lit.is_positive()) {
            (Atom::Le(x, y, c), true) => self.edges.push(Edge { x, y, c, lit }),
            (Atom::Le(x, y, c), false) => self.edges.push(Edge { x: y, y: x, c: -c - 1, lit }),
            (Atom::Eq(x, y), true) => {
                self.edges.push(Edge { x, y, c: 0, lit });
                self.edges.push(Edge { x: y, y: x, c: 0, lit });
            }
            (Atom::Eq(..), false) => {}
        }
    }

    fn new_level(&mut self) {
        self.levels.push((self.asserted.len(), self.edges.len()));
    }

    fn backtrack(&mut self, levels: usize) {
        let (asserted, edges) = self.levels[self.levels.len() - levels];
        self.levels.truncate(self.levels.len() - levels);
        self.asserted.truncate(asserted);
        self.edges.truncate(edges);
    }

    fn propagate(&mut self, cx: &mut Context<'_>) {
        self.ticks += 1;
        assert_eq!(self.levels.len(), cx.depth() + cx.level());
        if self.ticks.is_multiple_of(5) {
            // A lazy theory: conflicts are then found late, at lower levels.
            return;
        }
        if let Some(clause) = self.negative_cycle() {
            cx.conflict(&clause, 1);
            return;
        }
        let d = self.paths(&self.edges);
        for (&v, &atom) in &self.atoms {
            let Atom::Le(x, y, c) = atom else { continue };
            let lit = if d[x][y].0 <= c {
                v.positive()
            } else if d[y][x].0 < -c {
                v.negative()
            } else {
                continue;
            };
            // A literal that is false but not yet asserted makes a clash, which the core must turn into a
            // conflict.
            if cx.value(lit) == Some(true) {
                continue;
            }
            if self.ticks.is_multiple_of(7) {
                let mut clause = self.explain_with(lit, &self.edges);
                clause.push(lit);
                cx.lemma(&clause, self.lifetime, true, 2);
            } else {
                cx.propagate(lit, self.edges.len() as u32);
            }
        }
    }

    fn explain(&mut self, lit: Lit, payload: u32, clause: &mut Vec<Lit>) -> Tag {
        clause.extend(self.explain_with(lit, &self.edges[..payload as usize]));
        3
    }

    fn final_check(&mut self, cx: &mut Context<'_>) -> FinalCheck {
        self.ticks += 1;
        if let Some(clause) = self.negative_cycle() {
            cx.conflict(&clause, 4);
            return FinalCheck::Progress;
        }
        let d = self.paths(&self.edges);
        let violated: Vec<usize> = (0..self.held.len())
            .filter(|&i| self.held[i].0.iter().all(|&l| cx.value(l) == Some(false)))
            .collect();
        for &i in &violated {
            cx.input_clause(&self.held[i].0, self.lifetime, self.held[i].1);
        }
        if !violated.is_empty() {
            return FinalCheck::Progress;
        }
        // The shortest way from x to anywhere (0 to nowhere) is a model: x - y <= c implies value(x) <= c +
        // value(y).
        let value: Vec<i64> =
            (0..self.nodes).map(|x| (0..self.nodes).map(|y| d[x][y].0).min().unwrap().min(0)).collect();
        for (&v, &atom) in &self.atoms.clone() {
            let Atom::Eq(x, y) = atom else { continue };
            if cx.value(v.positive()) == Some(false) && value[x] == value[y] {
                if x == y {
                    cx.lemma(&[v.positive()], Lifetime::Permanent, false, 6);
                    return FinalCheck::Progress;
                }
                let mut atom_var = |atom: Atom| {
                    if let Some((&v, _)) = self.atoms.iter().find(|(_, a)| **a == atom) {
                        return v;
                    }
                    let v = cx.new_var(true, self.lifetime);
                    self.atoms.insert(v, atom);
                    v
                };
                let (below, above) = (atom_var(Atom::Le(x, y, -1)), atom_var(Atom::Le(y, x, -1)));
                cx.lemma(&[v.positive(), below.positive(), above.positive()], self.lifetime, false, 5);
                return FinalCheck::Progress;
            }
        }
        FinalCheck::Consistent
    }

    fn decide(&mut self, cx: &Context<'_>) -> Option<Lit> {
        if !self.ticks.is_multiple_of(3) {
            return None;
        }
        self.atoms.keys().map(|v| v.lit(self.ticks.is_multiple_of(2))).find(|&l| cx.value(l).is_none())
    }

    fn phase(&mut self, var: Var) -> Option<bool> {
        self.ticks.is_multiple_of(4).then_some(var.index().is_multiple_of(2))
    }

    fn release(&mut self, var: Var) {
        self.atoms.remove(&var).expect("only atoms are released");
    }
}

/// An independent oracle: whether integers exist that satisfy `x - y <= c` for all of `les` and `x != y` for
/// all of `nes`.
pub fn feasible(nodes: usize, les: &[(usize, usize, i64)], nes: &[(usize, usize)]) -> bool {
    // Bellman-Ford by relaxation: values only go down, and stop going down unless there is a negative cycle.
    let mut value = vec![0; nodes];
    for _ in 0..=nodes {
        for &(x, y, c) in les {
            value[x] = value[x].min(value[y] + c);
        }
    }
    if les.iter().any(|&(x, y, c)| value[x] - value[y] > c) {
        return false;
    }
    let Some((&(x, y), rest)) = nes.split_first() else { return true };
    [(x, y, -1), (y, x, -1)].into_iter().any(|le| feasible(nodes, &[les, &[le]].concat(), rest))
}

/// Whether integers exist for these literals.
pub fn consistent(nodes: usize, atoms: &BTreeMap<Var, Atom>, lits: impl Iterator<Item = Lit>) -> bool {
    let (mut les, mut nes) = (Vec::new(), Vec::new());
    for l in lits {
        match (atoms.get(&l.var()), l.is_positive()) {
            (None, _) => {}
            (Some(&Atom::Le(x, y, c)), true) => les.push((x, y, c)),
            (Some(&Atom::Le(x, y, c)), false) => les.push((y, x, -c - 1)),
            (Some(&Atom::Eq(x, y)), true) => les.extend([(x, y, 0), (y, x, 0)]),
            (Some(&Atom::Eq(x, y)), false) => nes.push((x, y)),
        }
    }
    feasible(nodes, &les, &nes)
}
