//! Interpolants are what they claim: implied from the left, inductive along the sequence, contradictory at
//! the end, over shared symbols.

mod common;

use std::collections::BTreeSet;

use common::paths::counters;
use common::{Gen, Logic, Oracle, Verdict};
use palisade_smt::interpolate::{Settings, Strength};
use palisade_smt::{Interpolation, Interpolator, Limits, NativeInterpolator, NativeSolver, Solver};
use palisade_term::{Rational, Sort, Term, TermPool, Version};
use rustc_hash::FxHashMap;

fn settings(strength: Strength, simplify: bool) -> Settings {
    Settings { strength, simplify, limits: Limits { steps: Some(500_000), interrupt: None } }
}

/// Checks a sequence with the native solver and, if it is there, the oracle.
#[track_caller]
fn verify(pool: &TermPool, parts: &[Term], sequence: &[Term], oracle: &mut Option<Oracle<'_>>) {
    assert_eq!(sequence.len() + 1, parts.len());
    let symbols =
        |terms: &[Term]| -> BTreeSet<Term> { terms.iter().flat_map(|&t| pool.free_vars(t)).collect() };
    for k in 0..parts.len() {
        let before = if k == 0 { pool.tru() } else { sequence[k - 1] };
        let after = sequence.get(k).copied().unwrap_or_else(|| pool.fls());
        let step = [before, parts[k], pool.not(after)];
        let show = || format!("{} and {} => {}", pool.infix(before), pool.infix(parts[k]), pool.infix(after));
        assert!(NativeSolver::new(pool).check(&step).is_unsat(), "native: {}", show());
        if let Some(oracle) = oracle {
            assert_ne!(oracle.conjunction(&step), Verdict::Sat, "oracle: {}", show());
        }
        if k > 0 {
            let (left, right) = (symbols(&parts[..k]), symbols(&parts[k..]));
            let shared: BTreeSet<Term> = left.intersection(&right).copied().collect();
            assert!(pool.free_vars(before).is_subset(&shared), "symbols of {}", pool.infix(before));
        }
    }
}

fn equivalent(pool: &TermPool, a: Term, b: Term) -> bool {
    NativeSolver::new(pool).check(&[pool.xor(a, b)]).is_unsat()
}

fn interpolants(pool: &TermPool, parts: &[Term], settings: &Settings) -> Vec<Term> {
    match NativeInterpolator::new(pool).interpolate(parts, settings) {
        Interpolation::Interpolants(sequence) => sequence,
        other => panic!("{other:?}"),
    }
}

const ALL: [(Strength, bool); 4] = [
    (Strength::Stronger, true),
    (Strength::Weaker, true),
    (Strength::Stronger, false),
    (Strength::Weaker, false),
];

#[test]
fn a_relation_rather_than_a_point() {
    for sort in [Sort::Int, Sort::Real] {
        let pool = TermPool::new();
        let (x, y) = (pool.var("x", sort.clone()), pool.var("y", sort.clone()));
        let (xp, yp) = (pool.primed(x), pool.primed(y));
        let zero = pool.number(Rational::from_integer(0.into()), &sort);
        let one = pool.number(Rational::from_integer(1.into()), &sort);
        let steps = [pool.eq(xp, pool.add2(x, one)), pool.eq(yp, pool.add2(y, one))];
        let first = pool.and([pool.eq(x, zero), pool.eq(y, zero), steps[0], steps[1]]);
        let parts = [first, pool.not(pool.eq(xp, yp))];
        for (strength, simplify) in ALL {
            let sequence = interpolants(&pool, &parts, &settings(strength, simplify));
            verify(&pool, &parts, &sequence, &mut None);
            assert!(equivalent(&pool, sequence[0], pool.eq(xp, yp)), "{}", pool.infix(sequence[0]));
            if simplify {
                assert_eq!(sequence[0], pool.eq(xp, yp));
            }
        }
    }
}

/// What the left says of `y`, and what the right needs to know of it. The sequence of a path is inductive
/// either way.
#[test]
fn the_strongest_and_the_weakest() {
    let pool = TermPool::new();
    for sort in [Sort::Int, Sort::Real] {
        let [x, y, z] = ["x", "y", "z"].map(|n| pool.var(&format!("{n}-{sort:?}"), sort.clone()));
        let number = |k: i64| if sort == Sort::Int { pool.int(k) } else { pool.real(Rational::from(k)) };
        let plus = |v, k| pool.add2(v, number(k));
        let parts = [
            pool.and2(pool.ge(x, number(0)), pool.eq(y, plus(x, 3))),
            pool.eq(z, plus(y, 3)),
            pool.lt(z, number(1)),
        ];
        for (strength, y_from, z_from) in [(Strength::Stronger, 3, 6), (Strength::Weaker, -2, 1)] {
            for simplify in [false, true] {
                let got = interpolants(&pool, &parts, &settings(strength, simplify));
                verify(&pool, &parts, &got, &mut None);
                assert_eq!(got, [pool.ge(y, number(y_from)), pool.ge(z, number(z_from))], "{strength:?}");
            }
        }
    }
}

#[test]
fn the_relation_along_a_path() {
    let pool = TermPool::new();
    let parts = counters(&pool, 20);
    for (strength, simplify) in ALL {
        let sequence = interpolants(&pool, &parts, &settings(strength, simplify));
        verify(&pool, &parts, &sequence, &mut None);
        for (k, &i) in sequence.iter().enumerate() {
            let at = |n: &str| pool.at_step(pool.var(n, Sort::Int), k as u32);
            assert!(equivalent(&pool, i, pool.eq(at("x"), at("y"))), "{k}: {}", pool.infix(i));
        }
    }
}

#[test]
fn parity_as_a_congruence() {
    let pool = TermPool::new();
    let (x, y, z) = (pool.var("x", Sort::Int), pool.var("y", Sort::Int), pool.var("z", Sort::Int));
    let twice = |t| pool.scale(&Rational::from_integer(2.into()), t);
    let parts = [pool.eq(x, twice(y)), pool.eq(x, pool.add2(twice(z), pool.int(1)))];
    for (strength, simplify) in ALL {
        let sequence = interpolants(&pool, &parts, &settings(strength, simplify));
        verify(&pool, &parts, &sequence, &mut None);
        let even = pool.eq(pool.int_mod(x, pool.int(2)), pool.int(0));
        assert!(equivalent(&pool, sequence[0], even), "{}", pool.infix(sequence[0]));
    }
}

#[test]
fn trivial_sequences() {
    let pool = TermPool::new();
    let b = pool.var("b", Sort::Bool);
    let s = Settings::default();
    assert!(matches!(NativeInterpolator::new(&pool).interpolate(&[b], &s), Interpolation::Sat(_)));
    assert_eq!(interpolants(&pool, &[pool.fls()], &s), []);
    assert_eq!(interpolants(&pool, &[b, pool.not(b)], &s), [b]);
    let sequence = interpolants(&pool, &[pool.fls(), b], &s);
    assert_eq!(sequence, [pool.fls()]);
    let sequence = interpolants(&pool, &[b, pool.fls(), b], &s);
    verify(&pool, &[b, pool.fls(), b], &sequence, &mut None);
}

#[test]
fn through_the_trait() {
    let pool = TermPool::new();
    let parts = counters(&pool, 3);
    let interpolator: &mut dyn Interpolator = &mut NativeInterpolator::new(&pool);
    match interpolator.interpolate(&parts, &Settings::default()) {
        Interpolation::Interpolants(sequence) => verify(&pool, &parts, &sequence, &mut None),
        other => panic!("{other:?}"),
    }
    assert!(interpolator.stats().queries > 0);
}

/// Random sequences in which part `k` speaks of steps `k` and `k + 1`.
fn random(logic: Logic, seeds: std::ops::Range<u64>, at_least: u32) {
    let pool = TermPool::new();
    let mut oracle = Oracle::start(&pool);
    if oracle.is_none() {
        eprintln!("without z3: it is not installed");
    }
    let (mut refuted, mut unknown) = (0, 0);
    for seed in palisade_fuzzing::seeds(seeds) {
        let mut g = Gen::new(&pool, logic, seed);
        let n = 2 + g.rng.below(4) as u32;
        let parts: Vec<Term> = (0..n)
            .map(|k| {
                let formulas: Vec<Term> = (0..1 + g.rng.below(4)).map(|_| g.formula(2)).collect();
                let formula = pool.and(formulas);
                // Some variables are of the step before, some of this one, some of all.
                let mut map = FxHashMap::default();
                for v in pool.free_vars(formula) {
                    match g.rng.below(5) {
                        0 | 1 => map.insert(v, pool.with_version(v, Version::Step(k))),
                        2 | 3 => map.insert(v, pool.with_version(v, Version::Step(k + 1))),
                        _ => None,
                    };
                }
                pool.substitute(formula, &map)
            })
            .collect();
        for (strength, simplify) in ALL {
            match NativeInterpolator::new(&pool).interpolate(&parts, &settings(strength, simplify)) {
                Interpolation::Interpolants(sequence) => {
                    refuted += 1;
                    verify(&pool, &parts, &sequence, &mut oracle);
                }
                Interpolation::Sat(model) => {
                    assert!(parts.iter().all(|&p| pool.holds(p, &model)));
                    break;
                }
                Interpolation::Unknown(_) => unknown += 1,
            }
        }
    }
    eprintln!("{logic:?}: {refuted} sequences, {unknown} without interpolants");
    assert!(refuted >= at_least && unknown <= refuted / 10, "{logic:?}: {refuted}, {unknown} unknown");
}

#[test]
fn random_booleans() {
    random(Logic::Bool, 0..150, 50);
}

#[test]
fn random_rationals() {
    random(Logic::Lra, 0..200, 50);
}

#[test]
fn random_integers() {
    random(Logic::Lia, 0..200, 50);
    random(Logic::Idl, 0..150, 50);
}

#[test]
fn random_division() {
    random(Logic::DivMod, 0..150, 40);
}

#[test]
fn random_bit_vectors() {
    random(Logic::Bv, 0..60, 15);
}
