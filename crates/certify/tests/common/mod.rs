//! What the tests share: a solver that tries all values, and small programs over Booleans and 3-bit numbers.
//!
//! The domain is finite, so that validity of an invariant has an independent oracle: executing every edge
//! from every state with every input.

// Every test file uses a part of this.
#![allow(dead_code)]

use palisade_certify::{Checker, Proof, Rejection};
use palisade_program::{Edge, EdgeId, Invariants, Loc, Location, Program, Run, Step, take};
use palisade_smt::{Answer, Limits, Solver, Stats};
use palisade_term::{Assignment, Sort, Term, TermPool, Value};

/// A solver for variables of small sorts that simply tries all values.
pub struct TryAll<'p> {
    pool: &'p TermPool,
    scopes: Vec<Vec<Term>>,
}

impl<'p> TryAll<'p> {
    pub fn new(pool: &'p TermPool) -> Self {
        TryAll { pool, scopes: vec![Vec::new()] }
    }
}

pub fn domain(sort: &Sort) -> Vec<Value> {
    match sort {
        Sort::Bool => vec![Value::Bool(false), Value::Bool(true)],
        Sort::BitVec(w) => (0..1u32 << w).map(|v| Value::BitVec(*w, v.into())).collect(),
        other => panic!("{other} is not finite"),
    }
}

/// All combinations of values of these variables.
pub fn assignments(pool: &TermPool, vars: &[Term]) -> Vec<Vec<Value>> {
    let mut out = vec![Vec::new()];
    for &v in vars {
        let values = domain(pool.sort(v));
        out = out
            .into_iter()
            .flat_map(|row| {
                values.iter().map(move |x| {
                    let mut row = row.clone();
                    row.push(x.clone());
                    row
                })
            })
            .collect();
    }
    out
}

impl Solver for TryAll<'_> {
    fn pool(&self) -> &TermPool {
        self.pool
    }
    fn push(&mut self) {
        self.scopes.push(Vec::new());
    }
    fn pop(&mut self, scopes: usize) {
        self.scopes.truncate(self.scopes.len() - scopes);
    }
    fn assert(&mut self, formula: Term) {
        self.scopes.last_mut().unwrap().push(formula);
    }
    fn check(&mut self, assumptions: &[Term]) -> Answer {
        let all = self.pool.and(self.scopes.iter().flatten().chain(assumptions).copied());
        let vars: Vec<Term> = self.pool.free_vars(all).into_iter().collect();
        for row in assignments(self.pool, &vars) {
            let model: Assignment = vars.iter().copied().zip(row).collect();
            if self.pool.holds(all, &model) {
                return Answer::Sat(model);
            }
        }
        Answer::Unsat(assumptions.to_vec())
    }
    fn set_limits(&mut self, _limits: Limits) {}
    fn stats(&self) -> Stats {
        Stats::default()
    }
}

/// Checks a proof by trying all values.
pub fn check(pool: &TermPool, program: &Program, invariants: &Invariants) -> Result<Proof, Rejection> {
    Checker::new(pool, program).proof(invariants.clone(), &|pool| Box::new(TryAll::new(pool)))
}

/// The oracle: is every state that an edge reaches from inside the invariants inside again?
pub fn is_inductive(pool: &TermPool, program: &Program, invariants: &Invariants) -> bool {
    let inside = |l: Loc, state: &[Value]| {
        let model: Assignment = program.vars(l).iter().copied().zip(state.iter().cloned()).collect();
        pool.holds(invariants.at(l), &model)
    };
    let entry = program.entry;
    if inside(program.error, &[]) || !assignments(pool, program.vars(entry)).iter().all(|s| inside(entry, s))
    {
        return false;
    }
    program.edge_ids().all(|e| {
        let edge = program.edge(e);
        assignments(pool, program.vars(edge.source)).iter().filter(|s| inside(edge.source, s)).all(|s| {
            assignments(pool, &edge.inputs).iter().all(|i| match take(pool, program, s, e, i) {
                Some(next) => inside(edge.target, &next),
                None => true,
            })
        })
    })
}

/// A program with its proof.
pub struct Proved {
    pub program: Program,
    pub invariants: Invariants,
}

fn location(program: &mut Program, name: &str, vars: &[Term]) -> Loc {
    program.add_location(Location { name: name.into(), position: None, vars: vars.to_vec() })
}

/// Two counters move together up to 5; a second loop takes them down again by a chosen amount.
pub fn counters(pool: &TermPool) -> Proved {
    let bv = |n: u32| pool.bitvec(n, 3);
    let (x, y, i) =
        (pool.var("x", Sort::BitVec(3)), pool.var("y", Sort::BitVec(3)), pool.var("i", Sort::BitVec(3)));
    let mut p = Program::new();
    let (entry, error) = (p.entry, p.error);
    let up = location(&mut p, "up", &[x, y]);
    let down = location(&mut p, "down", &[x, y]);
    let same = pool.eq(x, y);
    p.add_edge(Edge::new(entry, up, &[], pool.tru(), &[bv(0), bv(0)]));
    let inc = [pool.bv_add(x, bv(1)), pool.bv_add(y, bv(1))];
    p.add_edge(Edge::new(up, up, &[], pool.bv_ult(x, bv(5)), &inc));
    p.add_edge(Edge::new(up, down, &[], pool.bv_ule(bv(5), x), &[x, y]));
    let dec = [pool.bv_sub(x, i), pool.bv_sub(y, i)];
    p.add_edge(Edge::new(down, down, &[i], pool.bv_ule(i, x), &dec));
    p.add_edge(Edge::new(up, error, &[], pool.not(same), &[]));
    p.add_edge(Edge::new(down, error, &[], pool.bv_ult(bv(5), y), &[]));
    let mut invariants = Invariants::trivial(pool, &p);
    let both = pool.and([same, pool.bv_ule(x, bv(5))]);
    invariants.set(up, both);
    invariants.set(down, both);
    Proved { program: p, invariants }
}

/// A lock that alternates, with a ticket; the invariant has disjunctions.
pub fn lock(pool: &TermPool) -> Proved {
    let (held, t, go) =
        (pool.var("held", Sort::Bool), pool.var("t", Sort::BitVec(2)), pool.var("go", Sort::Bool));
    let bv = |n: u32| pool.bitvec(n, 2);
    let mut p = Program::new();
    let (entry, error) = (p.entry, p.error);
    let idle = location(&mut p, "idle", &[held, t]);
    let busy = location(&mut p, "busy", &[held, t]);
    p.add_edge(Edge::new(entry, idle, &[], pool.tru(), &[pool.fls(), bv(0)]));
    p.add_edge(Edge::new(idle, busy, &[go], go, &[pool.tru(), pool.bv_add(t, bv(1))]));
    p.add_edge(Edge::new(busy, idle, &[go], go, &[pool.fls(), pool.bv_add(t, bv(3))]));
    p.add_edge(Edge::new(idle, idle, &[go], pool.not(go), &[held, t]));
    p.add_edge(Edge::new(busy, error, &[], pool.not(held), &[]));
    p.add_edge(Edge::new(idle, error, &[], pool.eq(t, bv(3)), &[]));
    let mut invariants = Invariants::trivial(pool, &p);
    invariants.set(idle, pool.and([pool.not(held), pool.or([pool.eq(t, bv(0)), pool.eq(t, bv(2))])]));
    invariants.set(busy, pool.and([held, pool.or([pool.eq(t, bv(1)), pool.eq(t, bv(3))])]));
    Proved { program: p, invariants }
}

/// A door with a code: exactly one run of inputs reaches the error.
pub fn door(pool: &TermPool) -> (Program, Run) {
    let (x, k) = (pool.var("x", Sort::BitVec(3)), pool.var("key", Sort::BitVec(3)));
    let bv = |n: u32| pool.bitvec(n, 3);
    let mut p = Program::new();
    let (entry, error) = (p.entry, p.error);
    let first = location(&mut p, "first", &[x]);
    let second = location(&mut p, "second", &[x]);
    p.add_edge(Edge::new(entry, first, &[k], pool.eq(k, bv(3)), &[k]));
    p.add_edge(Edge::new(first, second, &[k], pool.eq(pool.bv_add(x, k), bv(1)), &[k]));
    p.add_edge(Edge::new(second, error, &[k], pool.and([pool.eq(k, bv(7)), pool.eq(x, bv(6))]), &[]));
    let value = |n: u32| vec![Value::BitVec(3, n.into())];
    let step = |e: u32, n: u32| Step { edge: EdgeId(e), inputs: value(n) };
    (p, Run { initial: vec![], steps: vec![step(0, 3), step(1, 6), step(2, 7)] })
}
