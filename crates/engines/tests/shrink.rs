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

/// `(x, y) = (0, 1) or (1, 0); loop swap x and y; assert(x != y)`.
#[test]
fn disjuncts_keep_what_they_need() {
    let pool = TermPool::new();
    let [x, y, z] = ["x", "y", "z"].map(|n| pool.var(n, Sort::Int));
    let mut program = Program::new();
    let head = location(&mut program, "head", &[x, y, z]);
    let (entry, error) = (program.entry, program.error);
    let [zero, one] = [0, 1].map(|k| pool.int(k));
    edge(&mut program, entry, head, &[], pool.tru(), &[zero, one, zero]);
    edge(&mut program, entry, head, &[], pool.tru(), &[one, zero, one]);
    edge(&mut program, head, head, &[], pool.tru(), &[y, x, z]);
    edge(&mut program, head, error, &[], pool.eq(x, y), &[]);
    let (less, more) = (pool.lt(x, y), pool.lt(y, x));
    let options = Options::new();
    let task = Task { pool: &pool, program: &program, solvers: &Native, options: &options };
    let expected = pool.or2(less, more);
    let positive = pool.ge(z, zero);
    // `x <= y` follows from `x < y`; `z >= 0` is true and not needed; a literal that is excluded; a case that
    // another has.
    let cases = [
        vec![more, pool.and2(less, pool.le(x, y))],
        vec![pool.and2(more, positive), pool.and2(less, positive)],
        vec![pool.and2(more, pool.or2(positive, less)), pool.and2(less, positive)],
        vec![more, less, pool.and2(less, pool.ge(z, one)), pool.and2(more, pool.le(z, zero))],
    ];
    for cases in cases {
        let mut inv = Invariants::trivial(&pool, &program);
        inv.set(head, pool.or(cases));
        assert!(is_proof(&pool, &program, &inv));
        let smaller = shrink(&task, &Budget::unlimited(), inv);
        assert!(is_proof(&pool, &program, &smaller));
        assert_eq!(smaller.at(head), expected, "{}", pool.infix(smaller.at(head)));
    }
}
