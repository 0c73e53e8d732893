//! Microseconds per assertion and check on random difference and octagon systems with backtracking.
//!
//! `cargo run --release -p palisade-tools --bin octagons [QUERIES]`
//!
//! Each query asserts bounds from a pool of atoms one level each, checks after every assertion, and
//! backtracks on a conflict or at the end; it is what a small CDCL(T) query does to its theory solver.

use std::time::Instant;

use palisade_arith::{ALit, Arith, BoundKind, Check, Delta, Final, Int, Var};
use palisade_fuzzing::Random;

struct Setup {
    name: &'static str,
    vars: usize,
    atoms: usize,
    asserted: usize,
    coefficients: &'static [i64],
    terms: usize,
    ints: bool,
    /// One in so many assertions goes against the current assignment.
    against: usize,
    /// The second half of the variables is the first after an update (an equality each), asserted first in
    /// every query.
    updates: bool,
}

fn main() {
    println!(
        "{:<24} {:>9} {:>9} {:>9} {:>8} {:>8} {:>8} {:>8} {:>8}",
        "system",
        "us/query",
        "us/assert",
        "asserts",
        "conflict",
        "pivots/q",
        "implied",
        "splits/q",
        "rowadd/q"
    );
    let base = Setup {
        name: "",
        vars: 10,
        atoms: 200,
        asserted: 30,
        coefficients: &[1, -1],
        terms: 2,
        ints: true,
        against: 8,
        updates: false,
    };
    for setup in [
        Setup { name: "octagon 10 int", ..base },
        Setup { name: "octagon 20 int", vars: 20, atoms: 400, asserted: 40, ..base },
        Setup { name: "octagon 40 int", vars: 40, atoms: 800, asserted: 60, ..base },
        Setup { name: "octagon 20 int, hard", vars: 20, atoms: 400, asserted: 40, against: 2, ..base },
        Setup { name: "octagon 40 int, hard", vars: 40, atoms: 800, asserted: 60, against: 2, ..base },
        Setup {
            name: "octagon 20 real, hard",
            vars: 20,
            atoms: 400,
            asserted: 40,
            against: 2,
            ints: false,
            ..base
        },
        Setup { name: "transition 10 int", vars: 20, atoms: 400, asserted: 20, updates: true, ..base },
        Setup { name: "transition 20 int", vars: 40, atoms: 800, asserted: 30, updates: true, ..base },
        Setup {
            name: "transition 20 int, hard",
            vars: 40,
            atoms: 800,
            asserted: 30,
            updates: true,
            against: 2,
            ..base
        },
        Setup { name: "octagon 20 real", vars: 20, atoms: 400, asserted: 40, ints: false, ..base },
        Setup {
            name: "3 terms, +-3, 20 int",
            vars: 20,
            atoms: 400,
            coefficients: &[1, -1, 2, -2, 3, -3],
            terms: 3,
            ..base
        },
        Setup {
            name: "3 terms, +-3, 20 real",
            vars: 20,
            atoms: 400,
            coefficients: &[1, -1, 2, -2, 3, -3],
            terms: 3,
            ints: false,
            ..base
        },
        Setup {
            name: "3 terms, 20 int, hard",
            vars: 20,
            atoms: 400,
            coefficients: &[1, -1, 2, -2, 3, -3],
            terms: 3,
            against: 2,
            ..base
        },
    ] {
        run(&setup);
    }
}

fn run(setup: &Setup) {
    let mut rng = Random::new(1);
    let mut arith = Arith::default();
    let vars: Vec<Var> = (0..setup.vars).map(|_| arith.new_var(setup.ints)).collect();
    let mut atoms: Vec<ALit> = Vec::new();
    while atoms.len() < setup.atoms {
        let terms = 1 + rng.below(setup.terms);
        let form: Vec<(Var, Int)> = (0..terms)
            .map(|_| {
                let var = rng.pick(&vars);
                let coeff = rng.pick(setup.coefficients);
                (var, Int::from(coeff))
            })
            .collect();
        let Some((var, _)) = arith.define(&form) else { continue };
        let value = Delta::from(rng.below(21) as i64 - 10);
        let kind = if rng.below(2) == 0 { BoundKind::Lower } else { BoundKind::Upper };
        atoms.push(arith.atom(var, kind, &value));
    }
    let mut updates: Vec<(Var, Delta)> = Vec::new();
    if setup.updates {
        let half = vars.len() / 2;
        for i in 0..half {
            // x' = x + c, x' = y, x' = x + y, x' = x - y + c
            let other = vars[rng.below(half)];
            let (own, sign) = [(1, 0), (0, 1), (1, 1), (1, -1)][rng.below(4)];
            let form =
                [(vars[half + i], Int::MINUS_ONE), (vars[i], Int::from(own)), (other, Int::from(sign))];
            let (var, _) = arith.define(&form).expect("the updated variable occurs");
            updates.push((var, Delta::from(rng.below(3) as i64 - 1)));
        }
    }
    let queries: u32 = std::env::args().nth(1).map_or(4000, |n| n.parse().expect("a number of queries"));
    let (mut asserts, mut conflicts, mut implied, mut reasons) = (0_u64, 0_u64, 0_u64, 0_usize);
    let start = Instant::now();
    for _ in 0..queries {
        let mut left = setup.asserted;
        if setup.updates {
            arith.push_level();
            for (var, value) in &updates {
                assert!(arith.assert_bound(*var, BoundKind::Upper, value, 0));
                assert!(arith.assert_bound(*var, BoundKind::Lower, value, 0));
            }
            assert_eq!(arith.check(), Check::Sat);
        }
        while left > 0 {
            left -= 1;
            let lit = rng.pick(&atoms);
            // Mostly the literal that the current assignment suggests, as phase saving would.
            let lit = if arith.holds(lit) || rng.below(setup.against) == 0 { lit } else { !lit };
            arith.push_level();
            asserts += 1;
            let consistent = arith.assert_lit(lit, asserts as u32) && arith.check() == Check::Sat;
            if consistent {
                arith.propagate();
                while arith.next_implied().is_some() {
                    implied += 1;
                }
            } else {
                conflicts += 1;
                reasons += arith.conflict().reasons().len();
                let open = arith.level() - usize::from(setup.updates);
                arith.pop_levels(1 + rng.below(open.min(3)));
            }
        }
        if setup.ints && !matches!(arith.final_check(), Final::Sat | Final::Split { .. } | Final::Cut(_)) {
            conflicts += 1;
        }
        arith.pop_levels(arith.level());
    }
    let us = start.elapsed().as_secs_f64() * 1e6;
    let stats = arith.stats();
    let per = |n: u64| n as f64 / f64::from(queries);
    println!(
        "{:<24} {:>9.2} {:>9.3} {:>9} {:>8.2} {:>8.1} {:>8.1} {:>8.2} {:>8.1}",
        setup.name,
        us / f64::from(queries),
        us / asserts as f64,
        asserts,
        per(conflicts),
        per(stats.pivots),
        per(implied),
        per(stats.splits),
        per(stats.row_additions)
    );
    assert!(reasons > 0);
}
