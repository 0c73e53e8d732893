//! Projection: the model satisfies the result, and wherever the result holds, values for the eliminated
//! variables exist.

use palisade_arith::mbp::{LinCon, Normal, Rel, project};
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

/// Is there a rational value of the variable that satisfies the constraints, with the others as they are?
/// There are no disequalities and no divisibility constraints.
fn has_rational_value(cons: &[LinCon], var: Var, at: &dyn Fn(Var) -> Rational) -> bool {
    let zero = |v: Var| if v == var { Rational::ZERO } else { at(v) };
    let (mut low, mut high) = (Vec::new(), Vec::new());
    for c in cons {
        let a = &c.left(&|v| if v == var { Rational::ONE } else { at(v) }) - &c.left(&zero);
        if a.is_zero() {
            if !c.holds(&zero) {
                return false;
            }
            continue;
        }
        let bound = &(&Rational::from(&c.rhs) - &c.left(&zero)) / &a;
        let strict = c.rel == Rel::Lt;
        if c.rel == Rel::Eq || a.is_negative() {
            low.push((bound.clone(), strict));
        }
        if c.rel == Rel::Eq || a.is_positive() {
            high.push((bound, strict));
        }
    }
    low.iter().all(|(l, sl)| high.iter().all(|(h, sh)| l < h || (l == h && !sl && !sh)))
}

#[test]
fn one_rational_variable_against_its_bounds() {
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
        for i in -12..=12 {
            for j in -12..=12 {
                let at = |v: Var| Rational::of(&Int::from([0, i, j][v.index()]), &Int::from(2));
                if result.iter().all(|c| c.holds(&at)) {
                    compared += 1;
                    assert!(has_rational_value(&cons, Var(0), &at), "seed {seed}\n{cons:?}\n{result:?}");
                }
            }
        }
    }
    assert!(compared > 5_000);
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
