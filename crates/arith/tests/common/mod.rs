//! What the test files share: a driver that plays the part of the SAT solver.
#![allow(dead_code)]

use palisade_arith::{Arith, BoundKind, Check, Delta, Final, Int, Rational, Var};

/// The reasons that the driver gives to its own splits and cuts.
pub const DRIVER: u32 = 1_000_000;

/// Decides the asserted bounds over the integers by doing the splits and cuts that the solver asks for.
/// `None` when it gives up. Checks every proof on the way. On `Some(true)` the levels stay open.
pub fn decide(arith: &mut Arith, depth: u32) -> Option<bool> {
    let answer = arith.final_check();
    match answer {
        Final::Sat => Some(true),
        Final::Unsat => {
            arith.verify(arith.conflict()).expect("a conflict is a proof");
            Some(false)
        }
        Final::Unknown(_) => None,
        _ if depth == 0 => None,
        Final::Split { var, k } => {
            let low = Delta::from(k.clone());
            let high = Delta::from(&k + &Int::ONE);
            branch(arith, var, depth, [(BoundKind::Upper, low), (BoundKind::Lower, high)])
        }
        Final::SplitDisequality { var, value, .. } => {
            let sides =
                [(BoundKind::Upper, Delta::below(value.clone())), (BoundKind::Lower, Delta::above(value))];
            branch(arith, var, depth, sides)
        }
        Final::Cut(cut) => {
            let proved = arith.replay(&cut.proof).expect("a cut has a derivation");
            let left: Vec<(Var, Int)> =
                proved.coeffs.iter().map(|(v, c)| (*v, c.to_int().unwrap())).collect();
            assert_eq!(left, cut.form);
            assert_eq!(proved.rhs, Rational::from(&cut.bound));
            let mut value = Delta::ZERO;
            for (v, c) in &cut.form {
                value.add_mul_int(c, &arith.evaluate(*v));
            }
            assert!(value > Delta::from(cut.bound.clone()), "the cut excludes the assignment");
            let (var, factor) = arith.define(&cut.form).expect("a cut has variables");
            let limit = Delta::real(Rational::of(&cut.bound, &factor));
            let kind = if factor.is_positive() { BoundKind::Upper } else { BoundKind::Lower };
            if !arith.assert_bound(var, kind, &limit, DRIVER) {
                arith.verify(arith.conflict()).expect("a conflict is a proof");
                return Some(false);
            }
            decide(arith, depth - 1)
        }
    }
}

fn branch(arith: &mut Arith, var: Var, depth: u32, sides: [(BoundKind, Delta); 2]) -> Option<bool> {
    let mut complete = true;
    for (kind, value) in sides {
        arith.push_level();
        let level = arith.level();
        if arith.assert_bound(var, kind, &value, DRIVER + 1) {
            match decide(arith, depth - 1) {
                Some(true) => return Some(true),
                Some(false) => {}
                None => complete = false,
            }
        } else {
            arith.verify(arith.conflict()).expect("a conflict is a proof");
        }
        arith.pop_levels(arith.level() - level + 1);
    }
    complete.then_some(false)
}

/// Runs the rational check and verifies what it says.
pub fn check_verified(arith: &mut Arith) -> bool {
    match arith.check() {
        Check::Sat => true,
        Check::Unsat => {
            arith.verify(arith.conflict()).expect("a conflict is a proof");
            false
        }
        Check::Unknown(stop) => panic!("no limit was set: {stop:?}"),
    }
}
