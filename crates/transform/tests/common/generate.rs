//! Random small programs: integers confined to `0..=3`, Booleans, loops, nondeterminism, overlapping guards.

use palisade_fuzzing::Random;
use palisade_program::{Edge, Loc, Location, Program};
use palisade_term::{Sort, Term, TermPool};

/// What is generated.
#[derive(Clone, Copy)]
pub struct Shape {
    pub max_locations: usize,
    pub max_vars: usize,
    /// Percentage of edges with an integer input.
    pub inputs: usize,
    /// Allow `div` and `mod`.
    pub quotients: bool,
}

pub struct Generator<'a> {
    pool: &'a TermPool,
    rng: &'a mut Random,
    shape: Shape,
    ints: Vec<Term>,
    bools: Vec<Term>,
}

impl<'a> Generator<'a> {
    pub fn new(pool: &'a TermPool, rng: &'a mut Random, shape: Shape) -> Self {
        let ints = (0..shape.max_vars).map(|i| pool.var(&format!("x{i}"), Sort::Int)).collect();
        let bools = (0..2).map(|i| pool.var(&format!("b{i}"), Sort::Bool)).collect();
        Generator { pool, rng, shape, ints, bools }
    }

    /// A program. Most edges go forward, so that there are blocks; some go back, so that there are loops.
    pub fn program(&mut self) -> Program {
        let mut p = Program::new();
        if self.rng.chance(20) {
            p.locations[0].vars = vec![self.ints[0]];
        }
        let n = 2 + self.rng.below(self.shape.max_locations - 1);
        for k in 0..n {
            let mut vars: Vec<Term> = self.ints.clone();
            vars.extend(&self.bools);
            vars.retain(|_| self.rng.chance(75));
            p.add_location(Location { name: format!("l{k}"), position: None, vars });
        }
        let inner = |k: usize| Loc(2 + k as u32);
        self.edge(&mut p, Loc(0), inner(0), None);
        if self.rng.chance(20) {
            self.edge(&mut p, Loc(0), inner(1 % n), None);
        }
        for k in 0..n {
            let complement = self.rng.chance(60);
            let condition = self.condition(&p, inner(k));
            for j in 0..1 + self.rng.below(3) {
                let target = match self.rng.below(20) {
                    0 => p.error,
                    1..=5 => inner(self.rng.below(n)),
                    _ if k + 1 < n => inner(k + 1 + self.rng.below((n - k - 1).min(2))),
                    _ => inner(self.rng.below(n)),
                };
                let extra = match (complement, j) {
                    (true, 0) => Some(condition),
                    (true, _) => Some(self.pool.not(condition)),
                    _ => None,
                };
                self.edge(&mut p, inner(k), target, extra);
            }
        }
        // The question is never trivial: some location near the end asks it.
        let (last, condition) = (inner(n - 1 - self.rng.below(2)), self.condition(&p, inner(n - 1)));
        let in_scope = self.pool.free_vars(condition).iter().all(|v| p.vars(last).contains(v));
        let error = p.error;
        self.edge(&mut p, last, error, in_scope.then_some(condition));
        p.check(self.pool).expect("generated programs are well-formed");
        p
    }

    /// Adds an edge. The guard keeps integers that are computed within `0..=3` and inputs within `0..=2`.
    fn edge(&mut self, p: &mut Program, source: Loc, target: Loc, extra: Option<Term>) {
        let pool = self.pool;
        let mut inputs = Vec::new();
        let mut guards: Vec<Term> = extra.into_iter().collect();
        if self.rng.chance(self.shape.inputs) {
            // Few names, so that edges of different locations share them.
            let i = pool.var(&format!("in{}", self.rng.below(2)), Sort::Int);
            inputs.push(i);
            guards.push(pool.ge(i, pool.int(0)));
            guards.push(pool.le(i, pool.int(2)));
        }
        if self.rng.chance(15) {
            inputs.push(pool.var(&format!("coin{}", self.rng.below(2)), Sort::Bool));
        }
        let mut scope: Vec<Term> = p.vars(source).to_vec();
        scope.extend(&inputs);
        if self.rng.chance(40) {
            guards.push(self.formula(&scope, 2));
        }
        for &v in p.vars(source) {
            if source == p.entry && *pool.sort(v) == Sort::Int {
                guards.push(pool.ge(v, pool.int(0)));
                guards.push(pool.le(v, pool.int(3)));
            }
        }
        let mut update = Vec::new();
        for &v in p.vars(target) {
            let keeps = p.vars(source).contains(&v) && self.rng.chance(60);
            let t = match pool.sort(v) {
                _ if keeps => v,
                Sort::Bool => self.formula(&scope, 1),
                _ => {
                    let t = self.integer(&scope, 2);
                    if !pool.is_const(t) && !pool.is_var(t) {
                        guards.push(pool.ge(t, pool.int(0)));
                        guards.push(pool.le(t, pool.int(3)));
                    }
                    t
                }
            };
            update.push(t);
        }
        let guard = pool.and(guards);
        p.add_edge(Edge::new(source, target, &inputs, guard, &update));
    }

    fn condition(&mut self, p: &Program, l: Loc) -> Term {
        let scope = p.vars(l).to_vec();
        self.formula(&scope, 1)
    }

    fn integer(&mut self, scope: &[Term], depth: usize) -> Term {
        let pool = self.pool;
        let ints: Vec<Term> = scope.iter().copied().filter(|&t| *pool.sort(t) == Sort::Int).collect();
        match self.rng.below(if depth == 0 { 2 } else { 7 }) {
            0 => pool.int(self.rng.below(4)),
            1 | 2 if !ints.is_empty() => self.rng.pick(&ints),
            3 if !ints.is_empty() => pool.add2(self.rng.pick(&ints), pool.int(self.rng.pick(&[-1, 1, 2]))),
            4 => {
                let (a, b) = (self.integer(scope, depth - 1), self.integer(scope, depth - 1));
                if self.rng.chance(50) { pool.add2(a, b) } else { pool.sub(a, b) }
            }
            5 => {
                let c = self.formula(scope, 0);
                let (a, b) = (self.integer(scope, depth - 1), self.integer(scope, depth - 1));
                pool.ite(c, a, b)
            }
            6 if self.shape.quotients => {
                let a = self.integer(scope, depth - 1);
                let m = pool.int(2 + self.rng.below(3));
                if self.rng.chance(50) { pool.int_div(a, m) } else { pool.int_mod(a, m) }
            }
            _ => pool.int(self.rng.below(4)),
        }
    }

    fn formula(&mut self, scope: &[Term], depth: usize) -> Term {
        let pool = self.pool;
        let bools: Vec<Term> = scope.iter().copied().filter(|&t| *pool.sort(t) == Sort::Bool).collect();
        match self.rng.below(if depth == 0 { 4 } else { 7 }) {
            0 if !bools.is_empty() => self.rng.pick(&bools),
            0 | 1 => pool.le(self.integer(scope, 0), self.integer(scope, 1)),
            2 => pool.eq(self.integer(scope, 0), self.integer(scope, 0)),
            3 => pool.le(self.integer(scope, 1), self.integer(scope, 0)),
            4 => pool.not(self.formula(scope, depth - 1)),
            5 => pool.and2(self.formula(scope, depth - 1), self.formula(scope, depth - 1)),
            _ => pool.or2(self.formula(scope, depth - 1), self.formula(scope, depth - 1)),
        }
    }
}
