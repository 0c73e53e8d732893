//! The theory hook under random call sequences, with difference logic as theory and an independent oracle.

mod common;

use common::difference::{Atom, Difference, consistent};
use common::{Name, check_proof, fuzz};
use palisade_fuzzing::Random;
use palisade_sat::{Lifetime, Lit, Options, SolveResult, Solver};
use std::cell::RefCell;
use std::collections::BTreeMap;

#[derive(Clone, Debug)]
enum Call {
    NewVar {
        scoped: bool,
    },
    NewAtom {
        atom: Atom,
        scoped: bool,
    },
    Clause {
        lits: Vec<Name>,
        up: usize,
    },
    /// A permanent clause that the theory holds back.
    Held {
        lits: Vec<Name>,
    },
    Push,
    Pop,
    CompactProof,
    Solve {
        assumptions: Vec<Name>,
    },
}

#[derive(Debug)]
struct Setup {
    options: Options,
    lifetime: Lifetime,
    ticks: usize,
    max_vars: usize,
}

const NODES: usize = 5;
/// Up to this many variables answers are compared with brute force; beyond, they rest on models and proofs
/// alone.
const BRUTE_VARS: usize = 9;

type Reference = common::Reference<Option<Atom>>;

/// Whether brute force finds a model; None if that would take too long.
fn satisfiable(r: &Reference, assumptions: &[Lit]) -> Option<bool> {
    if !r.brute {
        return None;
    }
    let place = |l: Lit| r.vars.iter().position(|v| v.0 == l.var()).expect("alive");
    let packed = |c: &[Lit]| c.iter().map(|&l| (place(l), l.is_positive())).collect::<Vec<_>>();
    let clauses: Vec<_> = r.clauses.iter().map(|c| packed(&c.2)).collect();
    let assumptions = packed(assumptions);
    let atoms = r.vars.iter().filter_map(|v| Some((v.0, v.2?))).collect();
    Some((0..1u64 << r.vars.len()).any(|a| {
        let holds = |&(place, sign): &(usize, bool)| (a >> place & 1 == 1) == sign;
        assumptions.iter().all(holds)
            && clauses.iter().all(|c| c.iter().any(holds))
            && consistent(NODES, &atoms, r.vars.iter().enumerate().map(|(i, v)| v.0.lit(a >> i & 1 == 1)))
    }))
}

fn make(rng: &mut Random, max_vars: usize) -> (Setup, Vec<Call>) {
    let names = |rng: &mut Random, min: usize, max: usize| -> Vec<Name> {
        let n = min + rng.below(max + 1 - min);
        (0..n).map(|_| (rng.below(max_vars), rng.chance(50))).collect()
    };
    let atom = |rng: &mut Random| {
        let (x, y) = (rng.below(NODES), rng.below(NODES));
        let constant = rng.below(5) as i64 - 2;
        if rng.chance(30) { Atom::Eq(x, y) } else { Atom::Le(x, y, constant) }
    };
    let mut calls = Vec::new();
    for _ in 0..max_vars / 2 + rng.below(max_vars / 2) {
        calls.push(Call::NewAtom { atom: atom(rng), scoped: false });
    }
    let clause_share = 30 + rng.below(40);
    for _ in 0..10 * max_vars + rng.below(10 * max_vars) {
        calls.push(match rng.below(16) {
            _ if rng.chance(clause_share) => {
                // Short clauses are rare, so that it takes a search to refute.
                let min = if rng.chance(1) { 0 } else { 2 };
                let up = if rng.chance(70) { 0 } else { rng.below(3) };
                Call::Clause { lits: names(rng, min, 4), up }
            }
            0 => Call::NewVar { scoped: rng.chance(50) },
            1..=2 => Call::NewAtom { atom: atom(rng), scoped: rng.chance(40) },
            3 => Call::Held { lits: names(rng, 2, 3) },
            4 => Call::CompactProof,
            5..=6 => Call::Push,
            7..=8 => Call::Pop,
            _ => Call::Solve { assumptions: names(rng, 0, 4) },
        });
    }
    calls.push(Call::Solve { assumptions: vec![] });
    let options = Options {
        proof: max_vars > BRUTE_VARS || rng.chance(70),
        reduce_base: if rng.chance(50) { 4 } else { 2000 },
        reduce_step: 1,
        collect_floor: if rng.chance(50) { 8 } else { 1 << 16 },
        reuse_trail: rng.chance(70),
        ..Options::default()
    };
    let lifetime = if rng.chance(50) { Lifetime::Permanent } else { Lifetime::Scope };
    (Setup { options, lifetime, ticks: rng.below(420), max_vars }, calls)
}

fn check_unsat(s: &Solver<Difference>, r: &Reference, assumptions: &[Lit]) {
    let core: Vec<Lit> = s.core().to_vec();
    assert!(core.iter().all(|l| assumptions.contains(l)), "the core is no subset of the assumptions");
    assert_ne!(satisfiable(r, &core), Some(true), "the core {core:?} is satisfiable");
    let (Some(proof), Some(root)) = (s.proof(), s.final_step()) else { return };
    let live = |lits: &[Lit], tag: u64| r.is_live(lits, tag);
    let atoms = &s.theory().atoms;
    let valid = |lits: &[Lit], _| !consistent(NODES, atoms, lits.iter().map(|&l| !l));
    let proved = check_proof(proof, root, live, valid);
    assert_eq!(proved, core.iter().map(|&l| !l).collect(), "the proof ends in another clause");
}

/// Runs the calls, and adds up what the hook was used for.
fn run(setup: &Setup, calls: &[Call], totals: &RefCell<BTreeMap<&'static str, u64>>) {
    let mut theory = Difference::new(NODES, setup.lifetime);
    theory.ticks = setup.ticks;
    let mut s = Solver::with_theory(setup.options.clone(), theory);
    let brute = setup.max_vars <= BRUTE_VARS;
    let mut r = Reference::new(brute, 100);
    for call in calls {
        let usable = !r.vars.is_empty();
        match call {
            Call::NewVar { scoped } if r.vars.len() < setup.max_vars => {
                let v = if *scoped { s.new_scoped_var() } else { s.new_var() };
                // Released variables that are no atoms must not reach the theory.
                r.add_var(v, *scoped, None);
            }
            Call::NewAtom { atom, scoped } if r.vars.len() < setup.max_vars => {
                let v = s.new_theory_var(if *scoped { Lifetime::Scope } else { Lifetime::Permanent });
                s.theory_mut().atoms.insert(v, *atom);
                r.add_var(v, *scoped, Some(*atom));
            }
            Call::Clause { lits, up } if usable || lits.is_empty() => {
                r.add_clause(&mut s, lits, *up);
            }
            Call::Held { lits } if usable => {
                let mut lits = r.lits(lits);
                lits.retain(|l| r.vars.iter().any(|v| v.0 == l.var() && v.1 == 0));
                s.theory_mut().held.push((lits.clone(), r.next_tag));
                r.note_clause(0, lits);
            }
            Call::CompactProof => s.compact_proof(),
            Call::Push if r.depth < 5 => {
                s.push();
                r.depth += 1;
            }
            Call::Pop if r.depth > 0 => {
                s.pop();
                r.pop();
                assert_eq!(s.theory().depth(), r.depth);
            }
            Call::Solve { assumptions } if usable || assumptions.is_empty() => {
                let assumptions = r.lits(assumptions);
                match s.solve(&assumptions) {
                    SolveResult::Sat => {
                        assert_ne!(satisfiable(&r, &assumptions), Some(false), "SAT, but there is no model");
                        for l in &assumptions {
                            assert_eq!(s.value(*l), Some(true));
                        }
                        for (_, _, c) in &r.clauses {
                            assert!(c.iter().any(|&l| s.value(l) == Some(true)), "the model fails {c:?}");
                        }
                        let model = s.assigned_literals().iter().copied();
                        assert!(consistent(NODES, &s.theory().atoms, model), "no model of the theory");
                    }
                    SolveResult::Unsat => check_unsat(&s, &r, &assumptions),
                    SolveResult::Unknown(_) => panic!("unknown without limits"),
                }
            }
            _ => {}
        }
        let own = |l: Lit| r.vars.iter().any(|v| v.0 == l.var());
        for &l in s.fixed_literals().iter().filter(|&&l| own(l)) {
            assert_ne!(satisfiable(&r, &[!l]), Some(true), "{l:?} is fixed but its negation is satisfiable");
        }
        for &l in s.theory().asserted() {
            assert_eq!(s.value(l), Some(true), "{l:?} is asserted to the theory and not true");
        }
    }
    let stats = s.stats();
    let mut totals = totals.borrow_mut();
    for (name, count) in [
        ("propagations", stats.theory_propagations),
        ("conflicts", stats.theory_conflicts),
        ("clauses", stats.theory_clauses),
        ("explanations", stats.explanations),
        ("final checks", stats.final_checks),
        ("reductions", stats.reductions),
        ("collections", stats.collections),
        ("reused levels", stats.reused_levels),
        ("popped clauses", stats.popped),
        ("conflicts of all kinds", stats.conflicts),
    ] {
        *totals.entry(name).or_default() += count;
    }
}

fn fuzz_hook(seeds: u64, max_vars: usize) {
    let totals = RefCell::default();
    fuzz(seeds, |rng| make(rng, max_vars), |setup, calls| run(setup, calls, &totals));
    let totals = totals.into_inner();
    println!("{totals:#?}");
    assert!(totals.values().all(|&n| n > 0), "some part of the hook was never used: {totals:#?}");
}

#[test]
fn difference_logic_against_brute_force() {
    fuzz_hook(400, BRUTE_VARS);
}

#[test]
fn difference_logic_with_proofs() {
    fuzz_hook(80, 40);
}
