//! The solver against its own proofs, against enumeration, and under random scripts of assertions and
//! backtracking.

mod common;

use common::{check_verified, decide};
use palisade_arith::proof::Conflict;
use palisade_arith::{
    ALit, Arith, Bound, BoundKind, Comparison, Config, Delta, Final, Int, Model, Rational, Var,
};
use palisade_fuzzing::{Random, seeds};

fn random_form(rng: &mut Random, vars: &[Var], coefficients: i64, length: usize) -> Vec<(Var, Int)> {
    (0..=rng.below(length))
        .map(|_| (*rng.one_of(vars), Int::from(rng.range(-coefficients, coefficients))))
        .collect()
}

fn random_value(rng: &mut Random, kind: BoundKind, range: i64) -> Delta {
    let value = Rational::of(&Int::from(rng.range(-range, range)), &Int::from(rng.range(1, 3)));
    match (rng.chance(30), kind) {
        (false, _) => Delta::real(value),
        (true, BoundKind::Upper) => Delta::below(value),
        (true, BoundKind::Lower) => Delta::above(value),
    }
}

fn random_kind(rng: &mut Random) -> BoundKind {
    if rng.chance(50) { BoundKind::Lower } else { BoundKind::Upper }
}

/// Does the model respect a bound that was asserted?
fn respects(arith: &Arith, model: &Model, (var, kind, value): &(Var, BoundKind, Delta)) -> bool {
    let actual = arith.value_in(model, *var);
    match kind {
        BoundKind::Lower => actual >= value.real && (value.inf.is_zero() || actual > value.real),
        BoundKind::Upper => actual <= value.real && (value.inf.is_zero() || actual < value.real),
    }
}

/// Is the premise one of the bounds asserted with that reason (tightened, for integers)?
fn is_live(arith: &Arith, live: &[Vec<(Var, BoundKind, Delta)>], premise: &Bound) -> bool {
    let flat: Vec<_> = live.iter().flatten().collect();
    let (var, kind, value) = flat[premise.reason as usize];
    if *var != premise.var || *kind != premise.kind {
        return false;
    }
    if !arith.is_int(*var) {
        return *value == premise.value;
    }
    let tight = if *kind == BoundKind::Upper { value.floor() } else { value.ceil() };
    premise.value == Delta::from(tight)
}

/// Random scripts of push, pop, assert and check. Models are evaluated, certificates summed up and traced to
/// live bounds, and explanations are asked for late, after further pivots.
fn script(seed: u64, coefficients: i64, range: i64, ints: bool) {
    let mut rng = Random::new(seed);
    let config = Config { min_rows: rng.below(8), lazy_rows: rng.chance(50), ..Config::default() };
    let mut arith = Arith::new(config);
    let vars: Vec<Var> = (0..rng.range(2, 6)).map(|_| arith.new_var(ints && rng.chance(60))).collect();
    let mut slacks = vars.clone();
    for _ in 0..rng.range(2, 12) {
        let form = random_form(&mut rng, &vars, coefficients, 4);
        slacks.extend(arith.define(&form).map(|(v, _)| v));
    }
    let mut atoms: Vec<ALit> = Vec::new();
    for _ in 0..rng.below(30) {
        let (var, kind) = (*rng.one_of(&slacks), random_kind(&mut rng));
        atoms.push(arith.atom(var, kind, &random_value(&mut rng, kind, range)));
    }
    // Per level: the asserted bounds, and the literals reported as implied with the number of bounds at that
    // time.
    let mut live: Vec<Vec<(Var, BoundKind, Delta)>> = vec![Vec::new()];
    let mut implied: Vec<Vec<(ALit, usize)>> = vec![Vec::new()];
    let mut consistent = true;
    for _ in 0..120 {
        let count: usize = live.iter().map(Vec::len).sum();
        match rng.below(10) {
            0 | 1 if consistent => {
                arith.push_level();
                live.push(Vec::new());
                implied.push(Vec::new());
            }
            2 | 3 if arith.level() > 0 && (!consistent || rng.chance(30)) => {
                let pops = 1 + rng.below(arith.level());
                arith.pop_levels(pops);
                live.truncate(live.len() - pops);
                implied.truncate(implied.len() - pops);
                consistent = true;
            }
            4..=7 if consistent => {
                let kind = random_kind(&mut rng);
                let (bound, ok) = if atoms.is_empty() || rng.chance(50) {
                    let bound = (*rng.one_of(&slacks), kind, random_value(&mut rng, kind, range));
                    let ok = arith.assert_bound(bound.0, bound.1, &bound.2, count as u32);
                    (bound, ok)
                } else {
                    let lit = *rng.one_of(&atoms);
                    let lit = if rng.chance(50) { lit } else { !lit };
                    (arith.literal_bound(lit), arith.assert_lit(lit, count as u32))
                };
                live.last_mut().unwrap().push(bound);
                consistent = ok;
                if !ok {
                    arith.verify(arith.conflict()).unwrap();
                    if arith.level() == 0 {
                        return;
                    }
                }
            }
            8 | 9 if consistent => {
                consistent = check_verified(&mut arith);
                if consistent {
                    arith.assert_invariants();
                    let model = arith.model();
                    let integral = vars.iter().all(|v| !arith.is_int(*v) || model.value(*v).is_integer());
                    for bound in live.iter().flatten() {
                        // A tightened integer bound implies the asserted one.
                        assert!(respects(&arith, &model, bound), "{bound:?} in {model:?} ({integral})");
                    }
                    arith.propagate();
                    while let Some(lit) = arith.next_implied() {
                        implied.last_mut().unwrap().push((lit, count));
                    }
                } else {
                    let Conflict::Farkas(farkas) = arith.conflict() else { panic!("a rational conflict") };
                    for (premise, _) in &farkas.premises {
                        assert!(is_live(&arith, &live, premise), "{premise:?}");
                    }
                    if arith.level() == 0 {
                        return;
                    }
                }
            }
            _ => {}
        }
        for (lit, count) in implied.iter().flatten() {
            let farkas = arith.explain(*lit, 999_999);
            let mut reasons = Vec::new();
            arith.explain_reasons(*lit, &mut reasons);
            let (last, premises) = farkas.premises.split_last().unwrap();
            assert_eq!(last.0.reason, 999_999);
            assert_eq!(reasons, premises.iter().map(|(b, _)| b.reason).collect::<Vec<_>>());
            for (premise, _) in premises {
                assert!((premise.reason as usize) < *count && is_live(&arith, &live, premise));
            }
            arith.verify(&Conflict::Farkas(farkas)).expect("an implied literal's negation is contradictory");
        }
        // What is implied holds in the current model of a consistent state (over the integers, in an integral
        // one).
        if consistent && check_verified(&mut arith) {
            for (lit, _) in implied.iter().flatten() {
                assert!(arith.holds(*lit) || arith.is_int(arith.literal_bound(*lit).0));
            }
        }
    }
}

#[test]
fn random_scripts_over_rationals() {
    for seed in seeds(0..600) {
        script(seed, 1, 5, false);
        script(seed + 10_000, 4, 9, false);
    }
}

#[test]
fn random_scripts_over_mixed_variables() {
    for seed in seeds(0..600) {
        script(seed + 20_000, 2, 7, true);
    }
}

#[test]
fn random_scripts_at_the_limits_of_machine_words() {
    for seed in seeds(0..200) {
        script(seed + 30_000, i64::MAX / 2, i64::MAX / 2, seed % 2 == 0);
        script(seed + 40_000, 3_037_000_499, i64::MAX / 2, false);
    }
}

/// Integer systems in small boxes against enumeration.
#[test]
fn integer_systems_agree_with_enumeration() {
    let (mut sat, mut unsat) = (0, 0);
    for seed in seeds(0..3000) {
        let mut rng = Random::new(seed);
        let config = Config {
            cut_period: 1 + rng.below(3) as u32,
            cube_test: rng.chance(50),
            lazy_rows: rng.chance(50),
            diophantine: rng.chance(70),
            ..Config::default()
        };
        let mut arith = Arith::new(config);
        let n = rng.range(2, 4) as usize;
        let vars: Vec<Var> = (0..n).map(|_| arith.new_var(true)).collect();
        let size = 5;
        let mut ok = true;
        for v in &vars {
            ok &= arith.assert_bound(*v, BoundKind::Lower, &Delta::from(-size), 0);
            ok &= arith.assert_bound(*v, BoundKind::Upper, &Delta::from(size), 0);
        }
        // Σ a·x in [low, high], and Σ a·x != c
        let mut rows: Vec<(Vec<i64>, i64, i64)> = Vec::new();
        let mut holes: Vec<(Vec<i64>, i64)> = Vec::new();
        let scale = *rng.one_of(&[1, 3, 7]);
        for _ in 0..rng.range(1, 5) {
            let coeffs: Vec<i64> = (0..n).map(|_| rng.range(-scale, scale)).collect();
            let form: Vec<(Var, Int)> = vars.iter().zip(&coeffs).map(|(v, c)| (*v, Int::from(*c))).collect();
            let Some((slack, factor)) = arith.define(&form) else { continue };
            let factor = Rational::from(&factor);
            if rng.chance(20) {
                let value = rng.range(-3, 3);
                arith.assert_disequality(slack, &Rational::from(value) / &factor, 7);
                holes.push((coeffs, value));
                continue;
            }
            let low = rng.range(-10, 8);
            let high = low + if rng.chance(40) { 0 } else { rng.range(0, 4) };
            let (mut a, mut b) = (&Rational::from(low) / &factor, &Rational::from(high) / &factor);
            if factor.is_negative() {
                std::mem::swap(&mut a, &mut b);
            }
            ok = ok && arith.assert_bound(slack, BoundKind::Lower, &Delta::real(a), 1);
            ok = ok && arith.assert_bound(slack, BoundKind::Upper, &Delta::real(b), 2);
            rows.push((coeffs, low, high));
        }
        let expected = enumerate(n, size, &mut |point| {
            let dot = |c: &[i64]| c.iter().zip(point).map(|(a, b)| a * b).sum::<i64>();
            rows.iter().all(|(c, l, h)| (*l..=*h).contains(&dot(c)))
                && holes.iter().all(|(c, v)| dot(c) != *v)
        });
        let actual = ok && decide(&mut arith, 300).expect("a bounded system is decided");
        assert_eq!(actual, expected.is_some(), "seed {seed}: {rows:?} {holes:?}, {expected:?}");
        if actual {
            sat += 1;
            let model = arith.model();
            let dot = |c: &[i64]| {
                let mut sum = Rational::ZERO;
                for (v, a) in vars.iter().zip(c) {
                    sum.add_mul(&Rational::from(*a), model.value(*v));
                }
                sum
            };
            assert!(vars.iter().all(|v| model.value(*v).is_integer()));
            assert!(
                rows.iter().all(|(c, l, h)| dot(c) >= Rational::from(*l) && dot(c) <= Rational::from(*h))
            );
            assert!(holes.iter().all(|(c, v)| dot(c) != Rational::from(*v)));
        } else {
            unsat += 1;
        }
    }
    assert!(sat > 500 && unsat > 500, "both answers occur: {sat} sat, {unsat} unsat");
}

fn enumerate(n: usize, size: i64, accept: &mut dyn FnMut(&[i64]) -> bool) -> Option<Vec<i64>> {
    let mut point = vec![-size; n];
    loop {
        if accept(&point) {
            return Some(point);
        }
        let i = point.iter().position(|x| *x < size)?;
        point[i] += 1;
        point[..i].fill(-size);
    }
}

#[test]
fn forms_equal_up_to_a_factor_share_a_slack() {
    let mut arith = Arith::default();
    let (x, y) = (arith.new_var(true), arith.new_var(true));
    let form = |a: i64, b: i64| vec![(x, Int::from(a)), (y, Int::from(b))];
    let (s, one) = arith.define(&form(1, -1)).unwrap();
    assert!(one.is_one());
    assert_eq!(arith.define(&form(-3, 3)), Some((s, Int::from(-3))));
    assert_eq!(arith.define(&[(y, Int::from(-2)), (x, Int::from(2))]), Some((s, Int::from(2))));
    assert_eq!(arith.define(&[(s, Int::from(2)), (y, Int::from(2))]), Some((x, Int::from(2))));
    assert_eq!(arith.define(&[(x, Int::ONE), (x, Int::MINUS_ONE)]), None);
    assert_eq!(arith.define(&[]), None);
}

#[test]
fn comparisons_share_atoms() {
    let mut arith = Arith::default();
    let (x, r) = (arith.new_var(true), arith.new_var(false));
    // Over the integers x < 4, x <= 3, x <= 7/2 and not x >= 4 are one atom.
    let a = arith.atom(x, BoundKind::Upper, &Delta::from(3));
    assert_eq!(arith.atom(x, BoundKind::Upper, &Delta::below(Rational::from(4))), a);
    assert_eq!(arith.atom(x, BoundKind::Upper, &Delta::real(Rational::of(&Int::from(7), &Int::from(2)))), a);
    assert_eq!(arith.atom(x, BoundKind::Lower, &Delta::from(4)), !a);
    // Over the rationals r <= 3 is not (r > 3), and differs from r < 3.
    let b = arith.atom(r, BoundKind::Upper, &Delta::from(3));
    assert_eq!(arith.atom(r, BoundKind::Lower, &Delta::above(Rational::from(3))), !b);
    assert_ne!(arith.atom(r, BoundKind::Upper, &Delta::below(Rational::from(3))).atom(), b.atom());
}

#[test]
fn a_bound_decides_the_atoms_of_its_variable() {
    let mut arith = Arith::default();
    let x = arith.new_var(true);
    let atoms: Vec<ALit> = (0..10).map(|k| arith.atom(x, BoundKind::Upper, &Delta::from(k))).collect();
    arith.push_level();
    assert!(arith.assert_lit(atoms[6], 1));
    let mut implied = Vec::new();
    while let Some(lit) = arith.next_implied() {
        implied.push(lit);
    }
    assert_eq!(implied, atoms[7..]);
    arith.push_level();
    assert!(arith.assert_lit(!atoms[4], 2));
    implied.clear();
    while let Some(lit) = arith.next_implied() {
        implied.push(lit);
    }
    assert_eq!(implied, atoms[..4].iter().map(|a| !*a).collect::<Vec<_>>());
    assert!(!arith.assert_lit(atoms[3], 3));
    assert_eq!(arith.conflict().reasons(), [2, 3]);
    arith.pop_levels(1);
    // After backtracking the same news comes again.
    assert!(arith.assert_lit(!atoms[5], 4));
    assert_eq!(arith.next_implied(), Some(!atoms[0]));
}

#[test]
fn a_row_decides_the_atoms_of_its_variables() {
    let mut arith = Arith::new(Config { lazy_rows: false, ..Config::default() });
    let (x, y) = (arith.new_var(true), arith.new_var(true));
    let (sum, _) = arith.define(&[(x, Int::from(2)), (y, Int::from(3))]).unwrap();
    let atom = arith.atom(sum, BoundKind::Upper, &Delta::from(14));
    let far = arith.atom(y, BoundKind::Lower, &Delta::from(-31));
    // 2x + 3y needs a row to take part.
    assert!(arith.assert_bound(sum, BoundKind::Lower, &Delta::from(-91), 0));
    assert!(arith.assert_bound(x, BoundKind::Upper, &Delta::from(2), 1));
    assert!(arith.assert_bound(y, BoundKind::Upper, &Delta::from(3), 2));
    assert!(check_verified(&mut arith));
    arith.propagate();
    assert_eq!(arith.next_implied(), Some(atom));
    let mut reasons = Vec::new();
    arith.explain_reasons(atom, &mut reasons);
    reasons.sort_unstable();
    assert_eq!(reasons, [1, 2]);
    // 3y >= -91 - 4, so y >= -31 after rounding up.
    assert_eq!(arith.next_implied(), Some(far));
    arith.verify(&Conflict::Farkas(arith.explain(far, 3))).unwrap();
}

#[test]
fn released_atoms_are_silent_and_their_numbers_come_back() {
    let mut arith = Arith::default();
    let x = arith.new_var(true);
    let keep = arith.atom(x, BoundKind::Upper, &Delta::from(9));
    arith.push_level();
    let (a, b) =
        (arith.atom(x, BoundKind::Upper, &Delta::from(3)), arith.atom(x, BoundKind::Upper, &Delta::from(5)));
    assert!(arith.assert_lit(a, 1));
    // b is implied and not yet reported; a is asserted. Neither number is free while it has a value.
    arith.release_atom(b.atom());
    arith.release_atom(a.atom());
    assert_eq!(arith.next_implied(), Some(keep));
    assert_eq!(arith.next_implied(), None);
    let c = arith.atom(x, BoundKind::Upper, &Delta::from(3));
    assert!(c.atom() != a.atom() && c.atom() != b.atom());
    assert_eq!(arith.next_implied(), Some(c));
    arith.pop_levels(1);
    let d = arith.atom(x, BoundKind::Upper, &Delta::from(1));
    assert!(d.atom() == a.atom() || d.atom() == b.atom());
    assert!(arith.assert_lit(!d, 2) && !arith.assert_bound(x, BoundKind::Upper, &Delta::from(1), 3));
    assert_eq!(arith.conflict().reasons(), [2, 3]);
}

#[test]
fn comparisons_are_scaled_and_tightened() {
    let mut arith = Arith::default();
    let (x, y) = (arith.new_var(true), arith.new_var(true));
    let form = |a: i64, b: i64| vec![(x, Int::from(a)), (y, Int::from(b))];
    let lit = |c: Comparison| if let Comparison::Literal(lit) = c { lit } else { panic!("a literal") };
    // 2x - 2y < 7 is x - y <= 3 is not (y - x < -3)
    let a = lit(arith.comparison(&form(2, -2), BoundKind::Upper, true, &Rational::from(7)));
    let b = lit(arith.comparison(&form(-1, 1), BoundKind::Upper, true, &Rational::from(-3)));
    assert_eq!(a, !b);
    let c = lit(arith.comparison(&form(-3, 3), BoundKind::Lower, false, &Rational::from(-11)));
    assert_eq!(a, c);
    let zero = form(0, 0);
    assert_eq!(arith.comparison(&zero, BoundKind::Upper, false, &Rational::ZERO), Comparison::True);
    assert_eq!(arith.comparison(&zero, BoundKind::Upper, true, &Rational::ZERO), Comparison::False);
    assert_eq!(arith.comparison(&zero, BoundKind::Lower, true, &Rational::MINUS_ONE), Comparison::True);
}

#[test]
fn unused_rows_are_dropped_and_come_back() {
    let config = Config { min_rows: 4, lazy_rows: false, ..Config::default() };
    let mut arith = Arith::new(config);
    let vars: Vec<Var> = (0..12).map(|_| arith.new_var(false)).collect();
    for round in 0..50_i64 {
        arith.push_level();
        for (i, pair) in vars.windows(2).enumerate() {
            let coeff = Int::from(1 + (i as i64 + round) % 3);
            let (slack, _) = arith.define(&[(pair[0], coeff), (pair[1], Int::MINUS_ONE)]).unwrap();
            assert!(arith.assert_bound(slack, BoundKind::Upper, &Delta::from(round), 1));
            assert!(arith.assert_bound(slack, BoundKind::Lower, &Delta::from(-round), 2));
        }
        assert!(check_verified(&mut arith));
        arith.assert_invariants();
        arith.pop_levels(1);
    }
    assert!(arith.stats().drops > 100);
    arith.collect_rows();
    arith.assert_invariants();
    assert_eq!(arith.stats().drops, arith.stats().activations);
}

#[test]
fn equalities_without_integer_solution_are_refuted_without_splits() {
    // 2x + 4y + 6z = 2w + 1 needs the gcd; 3x + 5y = 1, 6x + 10y + 7z = 4 needs elimination: 7z = 2, refuted
    // modulo 7.
    let mut arith = Arith::default();
    let v: Vec<Var> = (0..4).map(|_| arith.new_var(true)).collect();
    let fix = |arith: &mut Arith, coeffs: &[i64], value: i64, reason: u32| {
        let form: Vec<(Var, Int)> = v.iter().zip(coeffs).map(|(v, c)| (*v, Int::from(*c))).collect();
        let (slack, factor) = arith.define(&form).unwrap();
        let value = Delta::real(&Rational::from(value) / &Rational::from(factor));
        arith.assert_bound(slack, BoundKind::Upper, &value, reason)
            && arith.assert_bound(slack, BoundKind::Lower, &value, reason)
    };
    arith.push_level();
    // Already the slack x + 2y + 3z - w cannot be one half.
    assert!(!fix(&mut arith, &[2, 4, 6, -2], 1, 1));
    arith.pop_levels(1);
    arith.push_level();
    assert!(fix(&mut arith, &[3, 5, 0, 0], 1, 1));
    assert!(fix(&mut arith, &[6, 10, 7, 0], 4, 2));
    assert_eq!(arith.final_check(), Final::Unsat);
    arith.verify(arith.conflict()).unwrap();
    assert_eq!(arith.conflict().reasons(), [1, 2]);
    arith.pop_levels(1);
    // x + y = 2z, x - y = 2w + 1 (w unbounded): x + y and x - y differ by an even number.
    assert!(fix(&mut arith, &[1, 1, -2, 0], 0, 1));
    assert!(fix(&mut arith, &[1, -1, 0, -2], 1, 2));
    assert_eq!(arith.final_check(), Final::Unsat);
    assert_eq!(arith.stats().splits, 0);
    arith.verify(arith.conflict()).unwrap();
}

#[test]
fn parity_shrinks_bounds() {
    // x = 2y, 3 <= x - 4z <= 3 after tightening fails; with 3 <= x - 4z <= 4 the even class leaves 4.
    let mut arith = Arith::default();
    let (x, y, z) = (arith.new_var(true), arith.new_var(true), arith.new_var(true));
    let (eq, _) = arith.define(&[(x, Int::ONE), (y, Int::from(-2))]).unwrap();
    let (f, _) = arith.define(&[(x, Int::ONE), (z, Int::from(-4))]).unwrap();
    assert!(arith.assert_bound(eq, BoundKind::Lower, &Delta::from(0), 1));
    assert!(arith.assert_bound(eq, BoundKind::Upper, &Delta::from(0), 1));
    assert!(arith.assert_bound(f, BoundKind::Lower, &Delta::from(3), 2));
    assert!(arith.assert_bound(f, BoundKind::Upper, &Delta::from(4), 3));
    assert_eq!(decide(&mut arith, 10), Some(true));
    assert!(arith.assert_bound(f, BoundKind::Upper, &Delta::from(3), 3));
    assert_eq!(decide(&mut arith, 10), Some(false));
}

#[test]
fn strict_bounds_and_disequalities_over_rationals() {
    let mut arith = Arith::default();
    let (x, y) = (arith.new_var(false), arith.new_var(false));
    // 0 < x < y < 1, x != 1/2, y != 1/2, x + y != 1
    let (d, _) = arith.define(&[(x, Int::ONE), (y, Int::MINUS_ONE)]).unwrap();
    let (s, _) = arith.define(&[(x, Int::ONE), (y, Int::ONE)]).unwrap();
    assert!(arith.assert_bound(x, BoundKind::Lower, &Delta::above(Rational::ZERO), 0));
    assert!(arith.assert_bound(d, BoundKind::Upper, &Delta::below(Rational::ZERO), 1));
    assert!(arith.assert_bound(y, BoundKind::Upper, &Delta::below(Rational::ONE), 2));
    let half = Rational::of(&Int::ONE, &Int::from(2));
    arith.assert_disequality(x, half.clone(), 3);
    arith.assert_disequality(y, half.clone(), 4);
    arith.assert_disequality(s, Rational::ONE, 5);
    assert_eq!(decide(&mut arith, 10), Some(true));
    let model = arith.model();
    let (a, b) = (model.value(x), model.value(y));
    assert!(
        a.is_positive() && a < b && *b < Rational::ONE && *a != half && *b != half && a + b != Rational::ONE
    );
    // x = y is now excluded, and so is everything below x when the bounds meet.
    assert!(!arith.assert_bound(d, BoundKind::Lower, &Delta::from(0), 6));
}

#[test]
fn budget_and_interrupt_stop_cleanly() {
    use palisade_arith::{Check, Stop};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};
    let mut arith = Arith::default();
    let vars: Vec<Var> = (0..30).map(|_| arith.new_var(false)).collect();
    for (i, pair) in vars.windows(2).enumerate() {
        let (slack, _) = arith.define(&[(pair[0], Int::from(2)), (pair[1], Int::MINUS_ONE)]).unwrap();
        assert!(arith.assert_bound(slack, BoundKind::Lower, &Delta::from(i as i64 + 1), i as u32));
    }
    arith.reset_budget(3);
    assert_eq!(arith.check(), Check::Unknown(Stop::Budget));
    arith.assert_invariants();
    arith.reset_budget(160);
    let flag = Arc::new(AtomicBool::new(true));
    arith.set_interrupt(Some(flag.clone()));
    assert_eq!(arith.check(), Check::Unknown(Stop::Interrupt));
    flag.store(false, Ordering::Relaxed);
    arith.reset_budget(u64::MAX);
    assert_eq!(arith.check(), Check::Sat);
    arith.assert_invariants();
}

/// An even number and an odd one that have to be equal, on a strip without end: splits on single variables
/// follow it for ever, a split on a form ends it.
#[test]
fn strips_without_end_are_cut_lengthwise() {
    let decided = |form_splits: bool| {
        let mut arith = Arith::new(Config { form_splits, cuts: false, ..Config::default() });
        let [n, i, j, r, h, s, k, copy, l, m] = std::array::from_fn(|_| arith.new_var(true));
        type Bounded<'f> = (&'f [(Var, i64)], Option<i64>, Option<i64>);
        let forms: [Bounded<'_>; 17] = [
            (&[(n, 1)], Some(1), None),
            (&[(i, 1)], Some(0), None),
            (&[(j, 1)], Some(0), None),
            (&[(r, 1)], Some(0), Some(0)),
            (&[(s, 1)], None, Some(0)),
            (&[(n, 1), (i, -1)], Some(1), None),
            (&[(n, 1), (j, -1)], Some(1), None),
            (&[(r, 1), (s, -1)], Some(0), Some(0)),
            (&[(i, 1), (j, -1)], None, Some(0)),
            (&[(j, 1), (copy, -1)], Some(0), Some(0)),
            (&[(k, 2), (copy, -1)], Some(-1), Some(0)),
            (&[(i, 1), (r, -1), (h, -2)], None, Some(0)),
            (&[(i, 1), (h, -2)], Some(0), Some(1)),
            (&[(j, 1), (l, -2)], Some(0), Some(1)),
            (&[(n, 1), (i, -1), (k, 2), (copy, -1)], None, Some(0)),
            (&[(n, 1), (i, -1), (j, -1), (l, 2)], Some(0), None),
            (&[(i, 1), (m, -2)], Some(0), Some(0)),
        ];
        for (at, (form, lower, upper)) in forms.into_iter().enumerate() {
            let form: Vec<(Var, Int)> = form.iter().map(|(v, c)| (*v, Int::from(*c))).collect();
            let (slack, factor) = arith.define(&form).unwrap();
            for (kind, value) in [(BoundKind::Lower, lower), (BoundKind::Upper, upper)] {
                let Some(value) = value else { continue };
                let value = Delta::real(Rational::of(&Int::from(value), &factor));
                assert!(arith.assert_bound(slack, kind, &value, at as u32));
            }
        }
        let answer = decide(&mut arith, 200);
        (answer, arith.stats().form_splits)
    };
    assert_eq!(decided(false), (None, 0));
    let (answer, splits) = decided(true);
    assert_eq!(answer, Some(false));
    assert!(splits > 0);
}
