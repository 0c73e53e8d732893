//! Smaller invariants: what is not needed goes, what is needed stays, and the rest is still a proof.

mod common;

use common::{Native, edge, location};
use palisade_engines::shrink::shrink;
use palisade_engines::{Budget, Options, SolverFactory, Task};
use palisade_program::{Invariants, Program};
use palisade_smt::Answer;
use palisade_term::{Sort, Term, TermPool};

/// `x = y = z = 0; while (*) { x++; y++; z += 2 } assert(x == y)`.
fn twins(pool: &TermPool) -> (Program, [Term; 3]) {
    let [x, y, z] = ["x", "y", "z"].map(|n| pool.var(n, Sort::Int));
    let mut p = Program::new();
    let head = location(&mut p, "head", &[x, y, z]);
    let (entry, error) = (p.entry, p.error);
    let zero = pool.int(0);
    let plus = |v: Term, n: i64| pool.add2(v, pool.int(n));
    edge(&mut p, entry, head, &[], pool.tru(), &[zero, zero, zero]);
    edge(&mut p, head, head, &[], pool.tru(), &[plus(x, 1), plus(y, 1), plus(z, 2)]);
    edge(&mut p, head, error, &[], pool.not(pool.eq(x, y)), &[]);
    (p, [x, y, z])
}

fn is_proof(pool: &TermPool, p: &Program, inv: &Invariants) -> bool {
    p.edge_ids().all(|e| {
        let edge = p.edge(e);
        let mut solver = Native.solver(pool);
        solver.assert(edge.guard);
        solver.assert(inv.at(edge.source));
        solver.assert(pool.not(p.after(pool, e, inv.at(edge.target))));
        matches!(solver.check(&[]), Answer::Unsat(_))
    })
}

#[test]
fn only_what_the_property_needs_is_kept() {
    let pool = TermPool::new();
    let (program, [x, y, z]) = twins(&pool);
    let head = program.locs().find(|&l| program.vars(l).len() == 3).unwrap();
    let zero = pool.int(0);
    let mut inv = Invariants::trivial(&pool, &program);
    let twice = pool.eq(z, pool.add2(x, y));
    let conjuncts = [
        pool.ge(x, zero),
        pool.le(x, y),
        pool.ge(x, y),
        pool.ge(z, zero),
        twice,
        pool.le(x, pool.add2(y, z)),
    ];
    inv.set(head, pool.and(conjuncts));
    assert!(is_proof(&pool, &program, &inv));
    let options = Options::new();
    let task = Task { pool: &pool, program: &program, solvers: &Native, options: &options };
    let smaller = shrink(&task, &Budget::unlimited(), inv);
    assert!(is_proof(&pool, &program, &smaller));
    assert_eq!(smaller.at(head), pool.and2(pool.le(x, y), pool.ge(x, y)));
}

#[test]
fn a_stopped_budget_gives_the_invariants_back() {
    let pool = TermPool::new();
    let (program, [x, y, z]) = twins(&pool);
    let head = program.locs().find(|&l| program.vars(l).len() == 3).unwrap();
    let mut inv = Invariants::trivial(&pool, &program);
    inv.set(head, pool.and2(pool.eq(x, y), pool.eq(z, pool.add2(x, y))));
    let budget = Budget::unlimited();
    budget.stop(palisade_engines::Stop::Timeout);
    let options = Options::new();
    let task = Task { pool: &pool, program: &program, solvers: &Native, options: &options };
    assert_eq!(shrink(&task, &budget, inv.clone()), inv);
}
