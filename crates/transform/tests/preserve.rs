//! Every transformation preserves the verdict, and what it says about the new program can be said about the
//! old one.
//!
//! Random small programs are explored exhaustively, before and after. Error runs are translated and replayed;
//! invariants (reachable states and more) are translated and checked by z3 on the old program.

mod common;

use std::cell::Cell;

use common::generate::{Generator, Shape};
use common::oracle::Z3;
use common::{ends_in_error, explore, invariant, obligations, show};
use palisade_fuzzing::Random;
use palisade_program::{CutInvariants, Program, Run};
use palisade_smt::{Answer, NativeSolver, Solver};
use palisade_term::{Sort, Term, TermPool};
use palisade_transform::{
    Back, BackTranslation, Cells, Context, ControlOptions, CutPoints, LbeOptions, Options, PcEncoding,
    Pipeline, Prophesied, Transformed, cells, constprop, control, inputs, lbe, liveness, phases, prepare,
    prophecy, single_loop, trim,
};
use rustc_hash::FxHashMap;

const SHAPE: Shape = Shape { max_locations: 7, max_vars: 3, inputs: 25, quotients: false };

/// What happened, so that a test can see that it tested something.
#[derive(Default, Debug)]
struct Tally {
    safe: usize,
    translated: usize,
    unsafe_: usize,
    skipped: usize,
}

/// Runs a transformation on many random programs and checks everything about it.
fn check(
    seeds: std::ops::Range<u64>,
    shape: Shape,
    transform: impl Fn(&TermPool, &Program) -> Transformed,
) -> Tally {
    check_made(seeds, |pool, rng| Generator::new(pool, rng, shape).program(), transform)
}

/// The same for programs that are made otherwise.
fn check_made(
    seeds: std::ops::Range<u64>,
    make: impl Fn(&TermPool, &mut Random) -> Program,
    transform: impl Fn(&TermPool, &Program) -> Transformed,
) -> Tally {
    let mut tally = Tally::default();
    let mut z3 = Z3::start();
    for seed in palisade_fuzzing::seeds(seeds) {
        let pool = TermPool::new();
        let mut rng = Random::new(seed);
        let old = make(&pool, &mut rng);
        let Transformed { program: new, back } = transform(&pool, &old);
        let context = || format!("seed {seed}\nold {}\nnew {}", show(&pool, &old), show(&pool, &new));
        new.check(&pool).unwrap_or_else(|e| panic!("{e}\n{}", context()));
        let names: std::collections::BTreeSet<&str> = new.locations.iter().map(|l| l.name.as_str()).collect();
        assert_eq!(names.len(), new.locations.len(), "two locations of one name\n{}", context());
        let (Some(before), Some(after)) = (explore(&pool, &old), explore(&pool, &new)) else {
            tally.skipped += 1;
            continue;
        };
        assert_eq!(before.error_run.is_some(), after.error_run.is_some(), "verdicts differ\n{}", context());
        if let Some(run) = &after.error_run {
            tally.unsafe_ += 1;
            ends_in_error(&pool, &new, run).unwrap_or_else(|e| panic!("{e}\n{}", context()));
            let translated = back.run(&pool, &old, run).unwrap_or_else(|e| panic!("{e}\n{}", context()));
            ends_in_error(&pool, &old, &translated).unwrap_or_else(|e| panic!("{e}\n{}", context()));
            continue;
        }
        tally.safe += 1;
        let proof = invariant(&pool, &new, &mut rng, &after);
        let translated = back.invariants(&mut Context::new(&pool), &old, &proof);
        let Ok(translated) = translated else { continue };
        tally.translated += 1;
        let Some(z3) = &mut z3 else { continue };
        let wrong = |of: &Program, proof| {
            obligations(&pool, of, proof).into_iter().filter(|(_, f)| *f != pool.tru()).collect::<Vec<_>>()
        };
        let all = pool.and(wrong(&old, &translated).into_iter().map(|(_, f)| f));
        if !z3.valid(&pool, all) {
            // Whose fault is it?
            for (what, f) in obligations(&pool, &new, &proof) {
                assert!(z3.valid(&pool, f), "the test's own invariant is wrong at {what}\n{}", context());
            }
            for (what, f) in wrong(&old, &translated) {
                assert!(z3.valid(&pool, f), "not inductive: {what}: {}\n{}", pool.infix(f), context());
            }
        }
    }
    println!("{tally:?}");
    tally
}

/// Enough programs of both kinds were seen and every certificate came through.
fn thorough(tally: &Tally) {
    assert!(tally.safe > 20 && tally.unsafe_ > 20, "the generator has lost its balance: {tally:?}");
    assert_eq!(tally.translated, tally.safe, "some certificates were not translated: {tally:?}");
}

#[test]
fn trimming() {
    thorough(&check(0..200, SHAPE, trim));
}

#[test]
fn constants_and_copies() {
    thorough(&check(1000..1300, SHAPE, constprop));
}

#[test]
fn strong_liveness() {
    thorough(&check(2000..2200, SHAPE, liveness));
}

#[test]
fn large_blocks() {
    thorough(&check(3000..3500, SHAPE, |pool, p| lbe(pool, p, &LbeOptions::default())));
}

#[test]
fn large_blocks_path_by_path() {
    let options = LbeOptions { merge: false, ..LbeOptions::default() };
    thorough(&check(4000..4200, SHAPE, |pool, p| lbe(pool, p, &options)));
}

#[test]
fn large_blocks_with_quotients() {
    let shape = Shape { quotients: true, ..SHAPE };
    thorough(&check(5000..5200, shape, |pool, p| lbe(pool, p, &LbeOptions::default())));
}

#[test]
fn large_blocks_cut_at_inputs() {
    let options = LbeOptions { cut_points: CutPoints::LoopHeadsAndInputs, ..LbeOptions::default() };
    thorough(&check(6000..6150, SHAPE, |pool, p| lbe(pool, p, &options)));
}

#[test]
fn parallel_edges() {
    let options = LbeOptions { cut_points: CutPoints::All, ..LbeOptions::default() };
    thorough(&check(7000..7150, SHAPE, |pool, p| lbe(pool, p, &options)));
}

#[test]
fn divided_blocks() {
    let options = LbeOptions { max_terms: 10, max_copies: 1, ..LbeOptions::default() };
    thorough(&check(8000..8150, SHAPE, |pool, p| lbe(pool, p, &options)));
    let options = LbeOptions { merge: false, max_paths: 3, ..LbeOptions::default() };
    thorough(&check(8200..8350, SHAPE, |pool, p| lbe(pool, p, &options)));
}

#[test]
fn single_loop_with_integer_counter() {
    thorough(&check(9000..9150, SHAPE, |pool, p| single_loop(pool, p, PcEncoding::Integer)));
}

#[test]
fn single_loop_with_boolean_counter() {
    thorough(&check(9200..9350, SHAPE, |pool, p| single_loop(pool, p, PcEncoding::Booleans)));
}

#[test]
fn the_default_sequence() {
    let whole = |pool: &TermPool, p: &Program| {
        let prepared = prepare(pool, p, &Options::default());
        Transformed { program: prepared.program, back: Box::new(prepared.back) }
    };
    thorough(&check(10_000..10_500, Shape { max_locations: 12, ..SHAPE }, whole));
}

#[test]
fn the_default_sequence_and_a_merged_single_loop() {
    let whole = |pool: &TermPool, p: &Program| {
        let prepared = prepare(pool, p, &Options::default());
        let (mut back, program) = (prepared.back, prepared.program);
        let step = single_loop(pool, &program, PcEncoding::Booleans);
        let program = if back.is_empty() { back.push(p.clone(), step) } else { back.push(program, step) };
        let step = lbe(pool, &program, &LbeOptions::default());
        let program = back.push(program, step);
        Transformed { program, back: Box::new(back) }
    };
    thorough(&check(11_000..11_200, SHAPE, whole));
}

/// A program with its integers in one array. Some are read and written at an index that is itself in the
/// array, which the guard keeps within `0..=3`.
fn in_an_array(pool: &TermPool, rng: &mut Random) -> Program {
    let old = Generator::new(pool, rng, SHAPE).program();
    let memory = pool.var("memory", Sort::array(Sort::Int, Sort::Int));
    let is_int = |v: Term| *pool.sort(v) == Sort::Int;
    let index = |v: Term| pool.int(pool.var_name(v)[1..].parse::<i64>().expect("x0, x1, ..."));
    let mut new = old.clone();
    for l in old.locs().filter(|&l| l != old.entry && l != old.error) {
        let others = old.vars(l).iter().copied().filter(|&v| !is_int(v));
        new.locations[l.index()].vars = others.chain([memory]).collect();
    }
    for (edge, e) in new.edges.iter_mut().zip(old.edge_ids()) {
        let from_entry = edge.source == old.entry;
        let mut inside = Vec::new();
        let mut place = |v: Term| {
            let at = index(v);
            if from_entry || !rng.chance(30) {
                return at;
            }
            let at = pool.select(memory, at);
            inside.extend([pool.ge(at, pool.int(0)), pool.le(at, pool.int(3))]);
            at
        };
        let source = old.vars(edge.source).iter().copied().filter(|&v| is_int(v) && !from_entry);
        let reads: FxHashMap<Term, Term> = source.map(|v| (v, pool.select(memory, place(v)))).collect();
        let start = pool.const_array(pool.sort(memory), pool.int(0));
        let mut whole = if from_entry { start } else { memory };
        let mut update = Vec::new();
        for (&v, &u) in old.vars(edge.target).iter().zip(&old.edge(e).update) {
            let u = pool.substitute(u, &reads);
            if is_int(v) {
                whole = pool.store(whole, place(v), u);
            } else {
                update.push(u);
            }
        }
        if edge.target != old.error {
            update.push(whole);
        }
        inside.push(pool.substitute(edge.guard, &reads));
        (edge.guard, edge.update) = (pool.and(inside), update);
    }
    new.cells.insert(memory, vec![0, 1, 2, 3]);
    new.check(pool).expect("well-formed");
    new
}

#[test]
fn cells_of_small_arrays() {
    let split = |pool: &TermPool, p: &Program| {
        let new = cells(pool, p, 4).expect("there is an array");
        let sorts = new.program.locs().flat_map(|l| new.program.sorts(pool, l).cloned().collect::<Vec<_>>());
        assert!(sorts.into_iter().all(|s| s.array_parts().is_none()));
        assert!(cells(pool, p, 3).is_none());
        new
    };
    thorough(&check_made(15_000..15_200, in_an_array, split));
}

/// Every run to the error is there for some prophecy. (A proof is one: the tests of `verify`.)
#[test]
fn prophecies_lose_no_run() {
    let (mut violated, mut excluded) = (0, 0);
    for seed in palisade_fuzzing::seeds(17_000..17_200) {
        let pool = TermPool::new();
        let old = in_an_array(&pool, &mut Random::new(seed));
        for cells in [Cells::Any, Cells::AnySize] {
            let Some(Prophesied { step, indices }) = prophecy(&pool, &old, cells, None) else { continue };
            let new = step.program;
            let context = || format!("seed {seed}\nold {}\nnew {}", show(&pool, &old), show(&pool, &new));
            new.check(&pool).unwrap_or_else(|e| panic!("{e}\n{}", context()));
            assert!(!indices.is_empty() && indices.len() <= palisade_transform::prophecy::MOST);
            let sorts = new.locs().flat_map(|l| new.sorts(&pool, l).cloned().collect::<Vec<_>>());
            assert!(sorts.into_iter().all(|s| s.array_parts().is_none()), "{}", context());
            let (Some(before), Some(after)) = (explore(&pool, &old), explore(&pool, &new)) else { continue };
            if before.error_run.is_some() {
                violated += 1;
                assert!(after.error_run.is_some(), "a run is lost\n{}", context());
            } else if after.error_run.is_none() {
                excluded += 1;
            }
        }
    }
    assert!(violated > 20 && excluded > 20, "{violated} violated, {excluded} proved");
}

/// The edges as relations between the values before and after, as transition systems come.
fn as_relation(pool: &TermPool, old: &Program) -> Program {
    let mut program = old.clone();
    for e in &mut program.edges {
        let after: Vec<_> = e.update.iter().map(|&u| pool.fresh_var("after", pool.sort(u).clone())).collect();
        let equations = after.iter().zip(&e.update).map(|(&v, &u)| pool.eq(v, u));
        e.guard = pool.and(equations.chain([e.guard]));
        e.inputs.extend(after.iter().copied());
        e.update = after;
    }
    program
}

/// The way back from [`as_relation`]: the new inputs are the last.
struct Forget;

impl BackTranslation for Forget {
    fn cut_invariants(&self, _: &TermPool, _: &Program, new: &CutInvariants) -> Back<CutInvariants> {
        Ok(new.clone())
    }

    fn run(&self, _: &TermPool, old: &Program, new: &Run) -> Back<Run> {
        let mut run = new.clone();
        for step in &mut run.steps {
            step.inputs.truncate(old.edge(step.edge).inputs.len());
        }
        Ok(run)
    }
}

#[test]
fn a_counter_becomes_locations_again() {
    let (recovered, before, left) = (Cell::new(0), Cell::new(0), Cell::new(0));
    // Next values that are inputs. The first edge leaves everything but the counter open.
    let relational = |pool: &TermPool, p: &Program| {
        let later = p.edges.iter().filter(|e| e.source != p.entry);
        later.flat_map(|e| &e.inputs).filter(|i| pool.var_name(**i).starts_with("after")).count()
    };
    let whole = |pool: &TermPool, p: &Program| {
        let mut back = Pipeline::new();
        let step = single_loop(pool, p, PcEncoding::Booleans);
        let program = back.push(p.clone(), step);
        let merged = LbeOptions { cut_points: CutPoints::All, ..LbeOptions::default() };
        let step = lbe(pool, &program, &merged);
        let program = back.push(program, step);
        let relation = as_relation(pool, &program);
        let mut program = back.push(program, Transformed { program: relation, back: Box::new(Forget) });
        if let Some(step) = control(pool, &program, &ControlOptions::default()) {
            recovered.set(recovered.get() + 1);
            before.set(before.get() + relational(pool, &step.program));
            program = back.push(program, step);
            let step = inputs(pool, &program);
            program = back.push(program, step);
            left.set(left.get() + relational(pool, &program));
        }
        Transformed { program, back: Box::new(back) }
    };
    thorough(&check(12_000..12_200, SHAPE, whole));
    assert!(recovered.get() > 100, "{recovered:?}");
    assert!(10 * left.get() < before.get(), "{left:?} of {before:?}");
}

#[test]
fn phases_become_locations() {
    let divided = Cell::new(0);
    let split = |pool: &TermPool, p: &Program| {
        let mut solver = NativeSolver::new(pool);
        let mut satisfiable = |formula| match solver.check(&[formula]) {
            Answer::Sat(_) => Some(true),
            Answer::Unsat(_) => Some(false),
            Answer::Unknown(_) => None,
        };
        let mut back = Pipeline::new();
        let step = lbe(pool, p, &LbeOptions::default());
        let mut program = back.push(p.clone(), step);
        if let Some(step) = phases(pool, &program, &mut satisfiable) {
            divided.set(divided.get() + 1);
            program = back.push(program, step);
        }
        Transformed { program, back: Box::new(back) }
    };
    thorough(&check(13_000..13_500, SHAPE, split));
    assert!(divided.get() > 40, "{divided:?}");
}
