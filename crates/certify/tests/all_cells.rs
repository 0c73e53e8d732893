//! Invariants about all cells of an array: checked by instances, kept in files; nothing follows from a
//! formula for one value.

use palisade_certify::{Checker, Rejection, read_proof, write_proof};
use palisade_program::{CutInvariants, Edge, Loc, Location, Program};
use palisade_smt::NativeSolver;
use palisade_term::{Sort, Term, TermPool};

/// `for (i = 0; i < n; i++) a[i] = 7;`, then the error if a cell below `n` is not `value`.
struct Fill {
    program: Program,
    head: Loc,
    a: Term,
    i: Term,
    n: Term,
}

fn fill(pool: &TermPool, value: i64) -> Fill {
    let sort = Sort::array(Sort::Int, Sort::Int);
    let (a, i, n) = (pool.var("a", sort.clone()), pool.var("i", Sort::Int), pool.var("n", Sort::Int));
    let (any, x) = (pool.var("any", sort), pool.var("x", Sort::Int));
    let mut program = Program::new();
    let location = Location { name: "head".into(), position: None, vars: vec![a, i, n] };
    let head = program.add_location(location);
    let (entry, error) = (program.entry, program.error);
    program.add_edge(Edge::new(entry, head, &[any, x], pool.tru(), &[any, pool.int(0), x]));
    let next = [pool.store(a, i, pool.int(7)), pool.add2(i, pool.int(1)), n];
    program.add_edge(Edge::new(head, head, &[], pool.lt(i, n), &next));
    let inside = [pool.le(n, i), pool.le(pool.int(0), x), pool.lt(x, n)];
    let wrong = pool.not(pool.eq(pool.select(a, x), pool.int(value)));
    program.add_edge(Edge::new(head, error, &[x], pool.and(inside.into_iter().chain([wrong])), &[]));
    Fill { program, head, a, i, n }
}

/// `for all k: 0 <= k < i ==> a[k] == value`, with these variables standing for all values.
fn claim(pool: &TermPool, of: &Fill, forall: &[Term], k: Term, value: i64) -> CutInvariants {
    let filled = pool.and2(pool.le(pool.int(0), k), pool.lt(k, of.i));
    let cell = pool.eq(pool.select(of.a, k), pool.int(value));
    let mut claim = CutInvariants { forall: forall.to_vec(), ..CutInvariants::bare(pool, &of.program) };
    claim.set(of.head, pool.implies(filled, cell));
    claim
}

fn check(pool: &TermPool, of: &Fill, claim: &CutInvariants) -> Result<(), Rejection> {
    let checker = Checker::new(pool, &of.program);
    checker.proof(claim.clone(), &|pool| Box::new(NativeSolver::new(pool))).map(|_| ())
}

#[test]
fn a_fact_about_all_cells_is_a_proof_and_survives_the_file() {
    let pool = TermPool::new();
    let of = fill(&pool, 7);
    let k = pool.var("k", Sort::Int);
    let proof = claim(&pool, &of, &[k], k, 7);
    check(&pool, &of, &proof).unwrap();
    let text = write_proof(&pool, &of.program, &proof, &[]);
    assert!(text.contains("(forall ((k Int))"), "{text}");
    let read = read_proof(&pool, &of.program, &text).unwrap();
    assert_eq!(read.forall.len(), 1);
    check(&pool, &of, &read).unwrap();
    assert_eq!(write_proof(&pool, &of.program, &read, &[]).matches("forall").count(), 1);
}

#[test]
fn wrong_facts_about_all_cells_are_no_proofs() {
    let pool = TermPool::new();
    let (of, other) = (fill(&pool, 7), fill(&pool, 8));
    let k = pool.var("k", Sort::Int);
    // Another value is not written; what is written is not enough.
    assert!(check(&pool, &of, &claim(&pool, &of, &[k], k, 8)).is_err());
    assert!(check(&pool, &other, &claim(&pool, &other, &[k], k, 7)).is_err());
    // A variable must stand for all values, and be none of the program.
    let free = check(&pool, &of, &claim(&pool, &of, &[], k, 7));
    assert!(matches!(free, Err(Rejection::OutOfScope { .. })), "{free:?}");
    for own in [of.n, pool.var("x", Sort::Int)] {
        let own = check(&pool, &of, &claim(&pool, &of, &[own], own, 7));
        assert!(matches!(own, Err(Rejection::OutOfScope { .. })), "{own:?}");
    }
    // The formula of the entry holds for all values, too.
    let mut entry = claim(&pool, &of, &[k], k, 7);
    entry.set(of.program.entry, pool.le(pool.int(0), k));
    assert!(matches!(check(&pool, &of, &entry), Err(Rejection::Initiation { .. })));
}
