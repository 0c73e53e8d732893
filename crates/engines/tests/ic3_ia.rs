//! `ic3-ia`: a program worked by hand, and its queries against the encoding of the paper.
//!
//! Cimatti, Griggio, Mover and Tonetta, "IC3 Modulo Theories via Implicit Predicate Abstraction" (TACAS
//! 2014), ask about abstract steps: `F(X) and EQ(X, Y) and T(Y, Y') and EQ(Y', X') and c(X')`, where `EQ`
//! says "the same values of all predicates". Where `F` and `c` are made of predicates, the query without the
//! copies has the same answer.

mod common;

use common::Tree::Predicate;
use common::finite::random_program;
use common::numbers::random_loop;
use common::{Native, Recorder, edge, location, verdict};
use palisade_engines::abstraction::executed::equations;
use palisade_engines::abstraction::states::atoms;
use palisade_engines::ic3_ia::Ic3IaEngine;
use palisade_engines::{Budget, Options, Task};
use palisade_fuzzing::Random;
use palisade_program::{EdgeId, Loc, Program};
use palisade_smt::{Answer, NativeSolver, Solver as _};
use palisade_term::{Rational, Sort, Term, TermPool, Version};

fn satisfiable(pool: &TermPool, formulas: &[Term]) -> bool {
    match NativeSolver::new(pool).check(formulas) {
        Answer::Sat(_) => true,
        Answer::Unsat(_) => false,
        Answer::Unknown(why) => panic!("small queries are decided: {why}"),
    }
}

/// Some comparisons between the variables of a location and constants.
fn predicates(pool: &TermPool, program: &Program, l: Loc, r: &mut Random) -> Vec<Term> {
    let vars = program.vars(l);
    let predicate = |_| {
        let a = r.pick(vars);
        let alike: Vec<Term> = vars.iter().copied().filter(|b| pool.sort(*b) == pool.sort(a)).collect();
        let constant = match pool.sort(a) {
            Sort::BitVec(w) => pool.bitvec(r.below(4) as u32, *w),
            sort => pool.number(Rational::from_integer((r.below(6) as i64).into()), sort),
        };
        let b = if r.below(2) == 0 { r.pick(&alike) } else { constant };
        match (r.below(2), pool.sort(a)) {
            (0, _) => pool.eq(a, b),
            (_, Sort::BitVec(_)) => pool.bv_ule(a, b),
            _ => pool.le(a, b),
        }
    };
    let found: Vec<Term> = if vars.is_empty() { Vec::new() } else { (0..3).map(predicate).collect() };
    found.into_iter().flat_map(|p| atoms(pool, p, true)).collect()
}

/// A cube of some of the predicates.
fn cube(pool: &TermPool, predicates: &[Term], r: &mut Random) -> Vec<Term> {
    let signed = |&p: &Term| match r.below(3) {
        0 => None,
        1 => Some(p),
        _ => Some(pool.not(p)),
    };
    predicates.iter().filter_map(signed).collect()
}

/// The paper's query: abstract states are versions 0 and 2, the concrete step is over version 1.
fn with_copies(
    pool: &TermPool,
    program: &Program,
    e: EdgeId,
    (before, after): (&[Term], &[Term]),
    frame: Term,
    cube: Term,
) -> bool {
    let at = |k: u32, t: Term| pool.version_all(t, Version::Step(k));
    let mut all = vec![at(0, frame), at(1, program.edge(e).guard), at(2, cube)];
    all.extend(before.iter().map(|&p| pool.eq(at(0, p), at(1, p))));
    all.extend(after.iter().map(|&p| pool.eq(at(1, program.after(pool, e, p)), at(2, p))));
    satisfiable(pool, &all)
}

#[test]
fn copies_of_the_variables_add_nothing_to_words() {
    copies_add_nothing(&random_program);
}

#[test]
fn copies_of_the_variables_add_nothing_to_numbers() {
    for sort in [Sort::Int, Sort::Real] {
        copies_add_nothing(&|pool, r| random_loop(pool, r, &sort));
    }
}

/// Compares both queries on the edges of random programs.
fn copies_add_nothing(random_program: &dyn Fn(&TermPool, &mut Random) -> Program) {
    let (mut yes, mut no) = (0, 0);
    for seed in 0..300 {
        let (pool, mut r) = (TermPool::new(), Random::new(seed));
        let program = random_program(&pool, &mut r);
        for e in program.edge_ids() {
            let (source, target) = (program.edge(e).source, program.edge(e).target);
            let before = predicates(&pool, &program, source, &mut r);
            let after = predicates(&pool, &program, target, &mut r);
            let lemma = cube(&pool, &before, &mut r);
            // The negation of an empty cube would be false.
            let frame = if lemma.is_empty() { pool.tru() } else { pool.not(pool.and(lemma)) };
            let cube = pool.and(cube(&pool, &after, &mut r));
            let ours = satisfiable(&pool, &[frame, program.pre(&pool, e, cube)]);
            let papers = with_copies(&pool, &program, e, (&before, &after), frame, cube);
            assert_eq!(ours, papers, "seed {seed}, edge {e:?}");
            if ours { yes += 1 } else { no += 1 }
        }
    }
    assert!(yes > 100 && no > 100, "{yes} steps, {no} none");
}

/// `x = y = 0; loop { y = x; x = x + 1 } assert(y >= 0)`. The only predicate at first is `y >= 0`. It does
/// not survive the loop, so entry, loop, loop, error is an abstract path; its interpolant after the first
/// edge is `x >= 0`, and with that both are inductive.
#[test]
fn one_refinement_by_an_interpolant() {
    let pool = TermPool::new();
    let (x, y) = (pool.var("x", Sort::Int), pool.var("y", Sort::Int));
    let zero = pool.int(0);
    let mut p = Program::new();
    let l = location(&mut p, "l", &[x, y]);
    let (entry, error) = (p.entry, p.error);
    edge(&mut p, entry, l, &[], pool.tru(), &[zero, zero]);
    edge(&mut p, l, l, &[], pool.tru(), &[pool.add2(x, pool.int(1)), x]);
    edge(&mut p, l, error, &[], pool.lt(y, zero), &[]);
    let alone = [("ic3-ia.background", "false"), ("ic3-ia.source", "interpolants")];
    let (safe, record) = verdict(&Ic3IaEngine, &pool, &p, &alone);
    assert!(safe);
    let (_, found) = pool.strip_not(pool.ge(x, zero));
    let (_, first) = pool.strip_not(pool.ge(y, zero));
    assert_eq!(record.tree, [Predicate(l, first), Predicate(l, found)]);
    assert_eq!(counter(&record, "refinements"), 1);
    assert_eq!(counter(&record, "predicates"), 2);
    // Lemmas consist of predicates.
    for (_, at, formula) in record.lemmas {
        let made_of = pool.atoms(formula).iter().all(|a| *a == found || *a == first);
        assert!(at == l && made_of, "{formula:?}");
    }
}

/// `x = 0; y = 0; loop { x += 1; y += 2 }`, error when `x <= 7 and y > 20`. The interpolants of one path
/// after the other are about one number each. Three states that spurious steps leave from lie on a line; in
/// the end it is `y = 2 x`.
#[test]
fn states_of_spurious_steps_are_mined() {
    let pool = TermPool::new();
    let (x, y) = (pool.var("x", Sort::Int), pool.var("y", Sort::Int));
    let (zero, one, two) = (pool.int(0), pool.int(1), pool.int(2));
    let mut p = Program::new();
    let l = location(&mut p, "l", &[x, y]);
    let (entry, error) = (p.entry, p.error);
    edge(&mut p, entry, l, &[], pool.tru(), &[zero, zero]);
    edge(&mut p, l, l, &[], pool.tru(), &[pool.add2(x, one), pool.add2(y, two)]);
    edge(&mut p, l, error, &[], pool.and2(pool.le(x, pool.int(7)), pool.gt(y, pool.int(20))), &[]);
    let run = |points: &'static str| {
        let alone = [
            ("ic3-ia.background", "false"),
            ("ic3-ia.executions", "false"),
            ("ic3-ia.source", "interpolants"),
            ("ic3-ia.min-points", points),
        ];
        let (safe, record) = verdict(&Ic3IaEngine, &pool, &p, &alone);
        assert!(safe);
        let found = record.tree.iter().filter(|t| match t {
            Predicate(_, p) => pool.free_vars(*p).len() == 2,
            other => panic!("{other:?}"),
        });
        (counter(&record, "minings") > 0, found.cloned().collect::<Vec<_>>())
    };
    assert_eq!(run("0"), (false, Vec::new()));
    let (mined, found) = run("3");
    assert!(mined && found.contains(&Predicate(l, pool.le(pool.add2(x, x), y))), "{found:?}");
}

/// A loop whose phase is a Boolean: `y = 2 x` in the first phase, which ends at x = 8, and after it x and y
/// have nothing in common.
/// The affine hull of all states is everything; that of the states of the first phase is the equation.
#[test]
fn executions_suggest_equations_of_a_phase() {
    let pool = TermPool::new();
    let (b, x, y) = (pool.var("b", Sort::Bool), pool.var("x", Sort::Int), pool.var("y", Sort::Int));
    let (more, one, two) = (pool.var("more", Sort::Int), pool.int(1), pool.int(2));
    let ends = pool.ge(x, pool.int(7));
    let mut p = Program::new();
    let l = location(&mut p, "l", &[b, x, y]);
    let entry = p.entry;
    edge(&mut p, entry, l, &[], pool.tru(), &[pool.fls(), pool.int(0), pool.int(0)]);
    edge(&mut p, l, l, &[], pool.not(b), &[ends, pool.add2(x, one), pool.add2(y, two)]);
    edge(&mut p, l, l, &[more], b, &[b, pool.add2(x, one), more]);
    let options = Options::new();
    let task = Task { pool: &pool, program: &p, solvers: &Native, options: &options };
    let found = equations(&task, &Budget::unlimited());
    assert_eq!(found, [(l, pool.eq(y, pool.add2(x, x)))]);
}

fn counter(record: &Recorder, name: &str) -> u64 {
    record.counters.iter().find(|c| c.0 == name).map(|c| c.1).unwrap_or_else(|| panic!("no counter {name}"))
}
