//! What happens when the inputs inside a block cannot be eliminated: a clear refusal, an interpolant, or
//! finer cut points.

mod common;

use common::obligations;
use common::oracle::Z3;
use palisade_eliminate::exists;
use palisade_program::{Edge, Invariants, Loc, Location, Program};
use palisade_term::{Sort, Term, TermPool, Version};
use palisade_transform::{Context, CutPoints, LbeOptions, Transformed, Untranslatable, lbe};

/// `x = 0; loop { if (x + i*i < 0) error; x++ }` with `i` nondeterministic, one location before and one after
/// the test.
fn squares(pool: &TermPool) -> Program {
    let (x, i) = (pool.var("x", Sort::Int), pool.var("i", Sort::Int));
    let mut p = Program::new();
    let place = |name: &str| Location { name: name.into(), position: None, vars: vec![x] };
    let (head, test) = (p.add_location(place("head")), p.add_location(place("test")));
    let bad = pool.lt(pool.add2(x, pool.mul(i, i)), pool.int(0));
    p.add_edge(Edge::new(p.entry, head, &[], pool.tru(), &[pool.int(0)]));
    p.add_edge(Edge::new(head, test, &[], pool.tru(), &[x]));
    p.add_edge(Edge::new(test, p.error, &[i], bad, &[]));
    p.add_edge(Edge::new(test, head, &[], pool.tru(), &[pool.add2(x, pool.int(1))]));
    p
}

/// `x >= 0` at every location but entry and error.
fn nonnegative(pool: &TermPool, program: &Program) -> Invariants {
    let mut invariants = Invariants::trivial(pool, program);
    for l in program.locs().filter(|&l| l != program.entry && l != program.error) {
        invariants.set(l, pool.ge(program.vars(l)[0], pool.int(0)));
    }
    invariants
}

fn assert_certificate(pool: &TermPool, program: &Program, invariants: &Invariants) {
    let Some(mut z3) = Z3::start() else { return };
    for (what, f) in obligations(pool, program, invariants) {
        assert!(z3.valid(pool, f), "{what}: {}", pool.infix(f));
    }
}

#[test]
fn refused_with_the_location_and_the_reason() {
    let pool = TermPool::new();
    let p = squares(&pool);
    let Transformed { program, back } = lbe(&pool, &p, &LbeOptions::default());
    assert_eq!(program.locations.len(), 3);
    let refused = back.invariants(&mut Context::new(&pool), &p, &nonnegative(&pool, &program)).unwrap_err();
    assert!(
        matches!(&refused, Untranslatable::Quantifier { location: Loc(3), reason } if reason.contains("i*i")),
        "{refused}"
    );
}

#[test]
fn an_interpolant_does_it() {
    let pool = TermPool::new();
    let p = squares(&pool);
    let Transformed { program, back } = lbe(&pool, &p, &LbeOptions::default());
    // The strongest interpolant: what reaches the location, with everything local projected away.
    let mut asked = 0;
    let mut strongest = |a: Term, _: Term| {
        asked += 1;
        let local: Vec<Term> = (pool.free_vars(a).into_iter())
            .filter(|&v| pool.var_parts(v).is_some_and(|(_, version)| version != Version::Plain))
            .collect();
        exists(&pool, &local, a).ok()
    };
    let mut cx = Context::with_interpolator(&pool, &mut strongest);
    let translated = back.invariants(&mut cx, &p, &nonnegative(&pool, &program)).expect("interpolated");
    assert_eq!(asked, 1);
    assert_certificate(&pool, &p, &translated);
}

#[test]
fn finer_cut_points_need_no_elimination() {
    let pool = TermPool::new();
    let p = squares(&pool);
    let options = LbeOptions { cut_points: CutPoints::LoopHeadsAndInputs, ..LbeOptions::default() };
    let Transformed { program, back } = lbe(&pool, &p, &options);
    assert_eq!(program.locations.len(), 4);
    let translated = back
        .invariants(&mut Context::new(&pool), &p, &nonnegative(&pool, &program))
        .expect("nothing to eliminate");
    assert_certificate(&pool, &p, &translated);
}

#[test]
fn evidence_of_the_wrong_shape_is_refused() {
    let pool = TermPool::new();
    let p = squares(&pool);
    let Transformed { back, .. } = lbe(&pool, &p, &LbeOptions::default());
    let short = Invariants { formulas: vec![pool.tru()] };
    assert_eq!(back.invariants(&mut Context::new(&pool), &p, &short), Err(Untranslatable::WrongLength));
}
