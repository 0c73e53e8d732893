//! Implicants, projection, elimination and enumeration, checked by the solver itself.

mod common;

use common::{Gen, Logic};
use palisade_smt::native::Options;
use palisade_smt::project::{Enumeration, all_sat, implicant, preimage};
use palisade_smt::{Answer, NativeSolver, Solver};
use palisade_term::{Sort, Term, TermPool};

fn solver(pool: &TermPool) -> NativeSolver<'_> {
    NativeSolver::with_options(pool, Options { checked: true, ..Options::default() })
}

fn valid(pool: &TermPool, formula: Term) -> bool {
    solver(pool).check(&[pool.not(formula)]).is_unsat()
}

#[test]
fn implicants_imply_the_formula_and_hold_in_the_model() {
    for logic in [Logic::Lia, Logic::Lra, Logic::Bv, Logic::DivMod] {
        for seed in 0..25 {
            let p = TermPool::new();
            let mut g = Gen::new(&p, logic, seed + 300);
            let f = g.formula(3);
            let Answer::Sat(m) = solver(&p).check(&[f]) else { continue };
            let cube = implicant(&p, f, &m);
            assert!(cube.iter().all(|&l| p.holds(l, &m)), "{logic:?} {seed}");
            assert!(valid(&p, p.implies(p.and(cube), f)), "{logic:?} {seed}: {}", p.infix(f));
        }
    }
}

#[test]
fn projections_imply_what_they_project() {
    for logic in [Logic::Lia, Logic::Lra, Logic::Bv] {
        for seed in 0..20 {
            let p = TermPool::new();
            let mut g = Gen::new(&p, logic, seed + 900);
            let f = g.formula(3);
            let vars: Vec<Term> = p.free_vars(f).into_iter().collect();
            let eliminate = &vars[..vars.len() / 2];
            let Answer::Sat(m) = solver(&p).check(&[f]) else { continue };
            let cube = p.and(preimage(&p, f, &m, eliminate));
            assert!(p.holds(cube, &m));
            assert!(p.free_vars(cube).iter().all(|v| !eliminate.contains(v)), "{logic:?} {seed}");
            // Every state of the projection has values of the eliminated variables: the kept ones of a model
            // fixed, the formula is satisfiable.
            let mut s = solver(&p);
            s.assert(cube);
            for _ in 0..3 {
                let Answer::Sat(state) = s.check(&[]) else { break };
                let fixed: Vec<Term> = (vars[vars.len() / 2..].iter())
                    .map(|&v| p.eq(v, p.eval(v, &state).to_term(&p)))
                    .collect();
                let mut t = solver(&p);
                t.assert(f);
                assert!(t.check(&fixed).is_sat(), "{logic:?} {seed}: {} for {}", p.infix(cube), p.infix(f));
                s.assert(p.not(p.and(fixed)));
            }
        }
    }
}

#[test]
fn all_sat_visits_each_assignment_once() {
    let p = TermPool::new();
    let [x, y] = ["x", "y"].map(|n| p.var(n, Sort::Int));
    let mut s = solver(&p);
    s.assert(p.lt(x, y));
    let atoms = [p.le(x, p.int(0)), p.le(y, p.int(0)), p.le(x, p.int(5))];
    let mut seen = Vec::new();
    let end = all_sat(&mut s, &atoms, &[], &mut |cube| {
        seen.push(cube.to_vec());
        true
    });
    assert_eq!(end, Enumeration::Complete);
    seen.sort();
    let n = seen.len();
    seen.dedup();
    // x <= 0 implies x <= 5, and y <= 0 implies x <= 0.
    assert_eq!((n, seen.len()), (4, 4));
    let mut count = 0;
    let end = all_sat(&mut s, &atoms, &[p.gt(x, p.int(0))], &mut |_| {
        count += 1;
        count < 2
    });
    assert_eq!(end, Enumeration::Stopped);
    assert!(s.check(&[p.le(y, p.int(0))]).is_sat(), "enumeration leaves nothing behind");
}
