//! Which edge is taken, made a function of the inputs.
//!
//! Inside a large block all nondeterminism must be inputs of the block. Two things provide for that:
//! - The inputs of the edges that leave one location become inputs of the block, under names that are unique
//!   in the program. Edges of one location share the inputs they have in common: only one of them is taken,
//!   so nothing is lost, and `if (nondet())` has disjoint guards.
//! - Edges of one location whose guards are not plainly disjoint get a binary code over fresh Boolean inputs.

use palisade_program::{EdgeId, Graph, Loc, Program};
use palisade_term::{Op, Rational, Sort, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

/// The inputs of large blocks.
pub(crate) struct Choices {
    /// For every edge, the literals over choice inputs under which it is taken.
    codes: Vec<Vec<Term>>,
    /// Block inputs that replace an edge's input at a location, where they are not the same term.
    renamed: FxHashMap<(Loc, Term), Term>,
    /// All block inputs.
    inputs: FxHashSet<Term>,
}

impl Choices {
    /// Decides names and codes for a whole program.
    pub fn new(pool: &TermPool, program: &Program, graph: &Graph) -> Choices {
        let mut choices = Choices {
            codes: vec![Vec::new(); program.edges.len()],
            renamed: FxHashMap::default(),
            inputs: FxHashSet::default(),
        };
        choices.name_inputs(pool, program, graph);
        for &l in &graph.order {
            choices.assign_codes(pool, program, graph, l);
        }
        choices
    }

    /// The first location to use an input term keeps it, unless it is also a state variable somewhere.
    fn name_inputs(&mut self, pool: &TermPool, program: &Program, graph: &Graph) {
        let states: FxHashSet<Term> = program.locations.iter().flat_map(|l| l.vars.iter().copied()).collect();
        let mut owner: FxHashMap<Term, Loc> = FxHashMap::default();
        for &l in &graph.order {
            for &e in &graph.outgoing[l.index()] {
                for &i in &program.edge(e).inputs {
                    if !states.contains(&i) && *owner.entry(i).or_insert(l) == l {
                        self.inputs.insert(i);
                    } else {
                        let fresh = || pool.fresh_var(pool.var_name(i), pool.sort(i).clone());
                        let name = *self.renamed.entry((l, i)).or_insert_with(fresh);
                        self.inputs.insert(name);
                    }
                }
            }
        }
    }

    fn assign_codes(&mut self, pool: &TermPool, program: &Program, graph: &Graph, l: Loc) {
        let edges = &graph.outgoing[l.index()];
        if edges.len() < 2 {
            return;
        }
        let guards: Vec<Guard> = edges.iter().map(|&e| Guard::new(pool, program.edge(e).guard)).collect();
        let overlapping = overlapping(pool, &guards);
        let n = overlapping.len();
        if n == 0 {
            return;
        }
        let bits = usize::BITS - (n - 1).leading_zeros();
        let vars: Vec<Term> = (0..bits).map(|_| pool.fresh_var("choice", Sort::Bool)).collect();
        self.inputs.extend(vars.iter().copied());
        for (code, &k) in overlapping.iter().enumerate() {
            // Most significant bit first, as a decision tree; a bit is left out where only one value leads to
            // an edge.
            let mut literals = Vec::new();
            for b in (0..bits).rev() {
                let set = code >> b & 1 == 1;
                let sibling = ((code >> b) ^ 1) << b;
                if sibling < n {
                    let v = vars[b as usize];
                    literals.push(if set { v } else { pool.not(v) });
                }
            }
            self.codes[edges[k].index()] = literals;
        }
    }

    /// The literals over choice inputs under which an edge is taken.
    pub fn code(&self, e: EdgeId) -> &[Term] {
        &self.codes[e.index()]
    }

    /// The block input for an input of an edge that leaves `l`.
    pub fn input(&self, l: Loc, input: Term) -> Term {
        self.renamed.get(&(l, input)).copied().unwrap_or(input)
    }

    /// Is this term a block input?
    pub fn is_input(&self, t: Term) -> bool {
        self.inputs.contains(&t)
    }
}

/// What is looked at of a guard to see that two exclude each other.
struct Guard {
    /// The conjuncts.
    literals: FxHashSet<Term>,
    /// `term = constant` conjuncts, as a map.
    values: FxHashMap<Term, Term>,
}

impl Guard {
    fn new(pool: &TermPool, guard: Term) -> Guard {
        let mut literals = FxHashSet::default();
        let mut values = FxHashMap::default();
        for c in pool.conjuncts(guard) {
            literals.insert(c);
            if *pool.op(c) == Op::Eq {
                let (a, b) = (pool.args(c)[0], pool.args(c)[1]);
                if pool.is_const(b) {
                    values.insert(a, b);
                } else if pool.is_const(a) {
                    values.insert(b, a);
                }
            }
        }
        Guard { literals, values }
    }
}

/// Do two guards plainly exclude each other: by complementary conjuncts, different constants or disjoint
/// intervals?
fn disjoint(pool: &TermPool, a: &Guard, b: &Guard) -> bool {
    if a.literals.len() > b.literals.len() {
        return disjoint(pool, b, a);
    }
    if a.values.iter().any(|(t, c)| b.values.get(t).is_some_and(|d| surely_distinct(pool, *c, *d))) {
        return true;
    }
    // A conjunct of one that is the negation of the whole other guard (`!(p && q)` against `p && q`).
    let covers = |not: &Guard, and: &Guard| {
        not.literals.iter().any(|&l| {
            let (negated, body) = pool.strip_not(l);
            (negated && pool.conjuncts(body).iter().all(|c| and.literals.contains(c)))
                || (*pool.op(l) == Op::Or
                    && pool.args(l).iter().all(|&d| and.literals.contains(&pool.not(d))))
        })
    };
    if a.literals.iter().any(|&l| b.literals.contains(&pool.not(l))) || covers(a, b) || covers(b, a) {
        return true;
    }
    // Linear conjuncts over the same form that leave no value: compare pairwise only when there are few.
    if a.literals.len() * b.literals.len() > 64 {
        return false;
    }
    a.literals.iter().any(|&x| b.literals.iter().any(|&y| contradictory(pool, x, y)))
}

fn surely_distinct(pool: &TermPool, a: Term, b: Term) -> bool {
    a != b && !matches!(pool.sort(a), Sort::Array(_))
}

/// Do two linear literals over one form exclude each other?
fn contradictory(pool: &TermPool, x: Term, y: Term) -> bool {
    let (Some(p), Some(q)) = (Interval::new(pool, x), Interval::new(pool, y)) else { return false };
    p.form == q.form && (p.below(&q) || q.below(&p))
}

/// A literal as an interval of a linear form: bounds with strictness.
struct Interval {
    form: Term,
    lower: Option<(Rational, bool)>,
    upper: Option<(Rational, bool)>,
}

impl Interval {
    fn new(pool: &TermPool, literal: Term) -> Option<Interval> {
        let (negated, atom) = pool.strip_not(literal);
        let op = pool.op(atom);
        if !matches!(op, Op::Le | Op::Lt | Op::Eq) {
            return None;
        }
        let form = pool.args(atom)[0];
        let c = pool.as_number(pool.args(atom)[1])?;
        let strict = *op == Op::Lt;
        Some(match (op, negated) {
            (Op::Eq, true) => return None,
            (Op::Eq, false) => Interval { form, lower: Some((c.clone(), false)), upper: Some((c, false)) },
            (_, false) => Interval { form, lower: None, upper: Some((c, strict)) },
            (_, true) => Interval { form, lower: Some((c, !strict)), upper: None },
        })
    }

    /// Does this interval end before the other begins?
    fn below(&self, other: &Interval) -> bool {
        match (&self.upper, &other.lower) {
            (Some((u, us)), Some((l, ls))) => u < l || (u == l && (*us || *ls)),
            _ => false,
        }
    }
}

/// The guards that may hold together with another one.
fn overlapping(pool: &TermPool, guards: &[Guard]) -> Vec<usize> {
    let mut flags = vec![false; guards.len()];
    // Guards that fix the same term to different constants (a switch, a program counter) fall into groups
    // that exclude each other.
    let mut groups = vec![(0..guards.len()).collect::<Vec<usize>>()];
    if guards.len() > 8 {
        let mut counts: FxHashMap<Term, usize> = FxHashMap::default();
        for g in guards {
            for t in g.values.keys() {
                *counts.entry(*t).or_default() += 1;
            }
        }
        let full = counts.iter().filter(|(_, n)| **n == guards.len()).map(|(t, _)| *t).min();
        if let Some(t) = full.filter(|&t| !matches!(pool.sort(t), Sort::Array(_))) {
            let mut by_value: FxHashMap<Term, Vec<usize>> = FxHashMap::default();
            for (k, g) in guards.iter().enumerate() {
                by_value.entry(g.values[&t]).or_default().push(k);
            }
            groups = by_value.into_values().collect();
        }
    }
    for group in &groups {
        for (i, &a) in group.iter().enumerate() {
            for &b in &group[i + 1..] {
                let known = flags[a] && flags[b];
                if !known && !disjoint(pool, &guards[a], &guards[b]) {
                    flags[a] = true;
                    flags[b] = true;
                }
            }
        }
    }
    (0..guards.len()).filter(|&k| flags[k]).collect()
}
