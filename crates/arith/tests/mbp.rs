//! Projection: the model satisfies the result, and wherever the result holds, values for the eliminated
//! variables exist.

use palisade_arith::mbp::{LinCon, Normal, Rel, eliminate_exactly, project};
use palisade_arith::{Int, Rational, Var};
use palisade_fuzzing::{Random, seeds};

fn random_constraint(rng: &mut Random, vars: usize, scale: i64, divisibility: bool) -> LinCon {
    let coeffs = (0..=rng.below(3))
        .map(|_| (Var(rng.below(vars) as u32), Int::from(rng.range(-scale, scale))))
        .collect();
    let rel = match rng.below(if divisibility { 12 } else { 10 }) {
        0 => Rel::Eq,
        1 => Rel::Ne,
        2 | 3 => Rel::Lt,
        10 => Rel::Divides(Int::from(rng.range(2, 4))),
        11 => Rel::NotDivides(Int::from(rng.range(2, 4))),
        _ => Rel::Le,
    };
    LinCon::new(coeffs, rel, Int::from(rng.range(-6, 6)))
}

/// Constraints and an integral model of them.
fn random_system(
    rng: &mut Random,
    vars: usize,
    scale: i64,
    divisibility: bool,
) -> (Vec<LinCon>, Vec<Rational>) {
    let point: Vec<Rational> = (0..vars).map(|_| Rational::from(rng.range(-5, 5))).collect();
    let mut cons = Vec::new();
    let wanted = rng.range(1, 7);
    while (cons.len() as i64) < wanted {
        let mut con = random_constraint(rng, vars, scale, divisibility);
        if con.rel == Rel::Eq {
            con.rhs = con.left(&|v| point[v.index()].clone()).num();
        }
        if con.holds(&|v| point[v.index()].clone()) {
            cons.push(con);
        }
    }
    (cons, point)
}

#[test]
fn one_integer_variable_against_enumeration() {
    let mut kept = 0;
    for seed in seeds(0..1500) {
        let mut rng = Random::new(seed);
        let scale = rng.range(1, 4);
        let (cons, point) = random_system(&mut rng, 3, scale, true);
        let model = |v: Var| point[v.index()].clone();
        let result = project(&cons, &model, &|_| true, &[Var(0)]).unwrap();
        assert!(result.iter().all(|c| c.coeff(Var(0)).is_none() && c.holds(&model)), "{cons:?}\n{result:?}");
        kept += result.len();
        for y in -8..=8 {
            for z in -8..=8 {
                let at = |x: i64| move |v: Var| Rational::from([x, y, z][v.index()]);
                if result.iter().all(|c| c.holds(&at(0))) {
                    let witness = (-250..=250).any(|x| cons.iter().all(|c| c.holds(&at(x))));
                    assert!(witness, "seed {seed}: no x for y={y}, z={z}\n{cons:?}\n{result:?}");
                }
            }
        }
    }
    assert!(kept > 1500, "most projections say something: {kept}");
}

#[test]
fn one_rational_variable_against_exact_elimination() {
    let mut compared = 0;
    for seed in seeds(0..1500) {
        let mut rng = Random::new(seed);
        let (mut cons, mut point) = random_system(&mut rng, 3, 3, false);
        cons.retain(|c| c.rel != Rel::Ne);
        // A fractional model: half way between two models is one (the constraints are convex).
        let (_, other) = random_system(&mut rng, 3, 1, false);
        let half: Vec<Rational> =
            point.iter().zip(&other).map(|(a, b)| &(a + b) / &Rational::from(2)).collect();
        if cons.iter().all(|c| c.holds(&|v| half[v.index()].clone())) {
            point = half;
        }
        let model = |v: Var| point[v.index()].clone();
        let result = project(&cons, &model, &|_| false, &[Var(0)]).unwrap();
        assert!(result.iter().all(|c| c.coeff(Var(0)).is_none() && c.holds(&model)));
        let exact = eliminate_exactly(&cons, &|_| false, Var(0), 100).expect("no disequalities");
        assert!(exact.iter().all(|c| c.holds(&model)));
        for i in -12..=12 {
            for j in -12..=12 {
                let at = |v: Var| Rational::of(&Int::from([0, i, j][v.index()]), &Int::from(2));
                if result.iter().all(|c| c.holds(&at)) {
                    compared += 1;
                    assert!(
                        exact.iter().all(|c| c.holds(&at)),
                        "seed {seed}\n{cons:?}\n{result:?}\n{exact:?}"
                    );
                }
            }
        }
    }
    assert!(compared > 5_000);
}

/// Exact elimination over the integers against enumeration, both ways.
#[test]
fn exact_elimination_is_exact_over_integers() {
    let mut eliminated = 0;
    for seed in seeds(0..2000) {
        let mut rng = Random::new(seed);
        let (cons, _) = random_system(&mut rng, 3, 2, false);
        let Some(exact) = eliminate_exactly(&cons, &|_| true, Var(0), 50) else { continue };
        eliminated += 1;
        for y in -6..=6 {
            for z in -6..=6 {
                let at = |x: i64| move |v: Var| Rational::from([x, y, z][v.index()]);
                let witness = (-100..=100).any(|x| cons.iter().all(|c| c.holds(&at(x))));
                assert_eq!(
                    witness,
                    exact.iter().all(|c| c.holds(&at(0))),
                    "seed {seed}: {cons:?}\n{exact:?}"
                );
            }
        }
    }
    assert!(eliminated > 500);
}

#[test]
fn normal_forms_keep_the_meaning() {
    for seed in seeds(0..3000) {
        let mut rng = Random::new(seed);
        let con = random_constraint(&mut rng, 3, 9, true);
        let normal = con.clone().normalise(&|_| true);
        for x in -4..=4 {
            for y in -4..=4 {
                let at = |v: Var| Rational::from([x, y, x - y][v.index()]);
                let value = match &normal {
                    Normal::True => true,
                    Normal::False => false,
                    Normal::Constraint(c) => c.holds(&at),
                };
                assert_eq!(value, con.holds(&at), "{con} and {normal:?}");
            }
        }
        if let Normal::Constraint(c) = &normal {
            assert_eq!(c.clone().normalise(&|_| true), normal, "a normal form is its own");
        }
    }
}

#[test]
fn preferences() {
    let (x, y, z) = (Var(0), Var(1), Var(2));
    let con = |c: &[(Var, i64)], rel: Rel, rhs: i64| {
        LinCon::new(c.iter().map(|(v, k)| (*v, Int::from(*k))).collect(), rel, Int::from(rhs))
    };
    let zero = |_: Var| Rational::ZERO;
    // An assignment x' = x + 1 (here x = y + 1) is substituted, whatever else there is.
    let cons = [con(&[(x, 1), (y, -1)], Rel::Eq, 1), con(&[(x, 1)], Rel::Le, 5), con(&[(x, -1)], Rel::Le, 0)];
    let model = |v: Var| Rational::from([1, 0, 0][v.index()]);
    let result = project(&cons, &model, &|_| true, &[x]).unwrap();
    assert_eq!(result, [con(&[(y, -1)], Rel::Le, 1), con(&[(y, 1)], Rel::Le, 4)]);
    // A variable with bounds on one side only vanishes with them.
    let cons =
        [con(&[(x, 1), (y, -1)], Rel::Le, 0), con(&[(x, 3), (z, 2)], Rel::Lt, 7), con(&[(x, 1)], Rel::Ne, 0)];
    let model = |v: Var| Rational::from([-1, 0, 0][v.index()]);
    assert_eq!(project(&cons, &model, &|_| true, &[x]).unwrap(), []);
    // 2x = y leaves the parity of y.
    let cons = [con(&[(x, 2), (y, -1)], Rel::Eq, 0)];
    assert_eq!(
        project(&cons, &zero, &|_| true, &[x]).unwrap(),
        [con(&[(y, 1)], Rel::Divides(Int::from(2)), 0)]
    );
    // An assignment that is not a model is refused.
    let cons = [con(&[(x, 1)], Rel::Le, 0), con(&[(x, 1)], Rel::Lt, 0)];
    assert_eq!(project(&cons, &zero, &|_| true, &[x]).unwrap_err().constraint, 1);
}
