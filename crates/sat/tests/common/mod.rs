//! What the tests share: a generator, brute force, and a proof checker that knows nothing of the solver.
#![allow(dead_code)]

use palisade_sat::{Lit, Proof, Step, StepId, Tag, Var};
use std::collections::{BTreeMap, BTreeSet};

/// SplitMix64.
pub struct Rng(pub u64);

impl Rng {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.next() % n as u64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    pub fn lit(&mut self, vars: usize) -> Lit {
        Var::new(self.below(vars)).lit(self.chance(50))
    }
}

/// Whether the assignment, given as bits, satisfies the literal.
pub fn holds(assignment: u64, lit: Lit) -> bool {
    (assignment >> lit.var().index() & 1 == 1) == lit.is_positive()
}

/// Whether some assignment of the first `vars` variables satisfies all clauses and `also`.
pub fn brute_force(vars: usize, clauses: &[Vec<Lit>], also: impl Fn(u64) -> bool) -> bool {
    (0..1u64 << vars).any(|a| clauses.iter().all(|c| c.iter().any(|&l| holds(a, l))) && also(a))
}

/// Replays the part of the proof that `root` needs, resolution by resolution, and panics at the first step that does not hold.
/// Returns the clause of the root. Input and theory steps are judged by the callbacks.
pub fn check_proof(
    proof: &Proof,
    root: StepId,
    mut input: impl FnMut(&[Lit], Tag) -> bool,
    mut theory: impl FnMut(&[Lit], Tag) -> bool,
) -> BTreeSet<Lit> {
    let trimmed = proof.trim(root);
    let mut clauses: BTreeMap<StepId, BTreeSet<Lit>> = BTreeMap::new();
    let mut last = None;
    for (id, step) in trimmed.steps() {
        let stated: BTreeSet<Lit> = step.lits().iter().copied().collect();
        assert_eq!(stated.len(), step.lits().len(), "duplicate literal in {step:?}");
        match step {
            Step::Input { lits, tag } => {
                assert!(input(lits, tag), "not a live input: {lits:?} with tag {tag}")
            }
            Step::Theory { lits, tag } => {
                assert!(theory(lits, tag), "not valid in the theory: {lits:?} with tag {tag}")
            }
            Step::Derived { chain, .. } => {
                let mut resolvent = clauses[&chain[0]].clone();
                for a in &chain[1..] {
                    let other = &clauses[a];
                    let clashing: Vec<Lit> =
                        resolvent.iter().copied().filter(|&l| other.contains(&!l)).collect();
                    assert_eq!(clashing.len(), 1, "{resolvent:?} and {other:?} do not clash on one literal");
                    resolvent.remove(&clashing[0]);
                    resolvent.extend(other.iter().copied().filter(|&l| l != !clashing[0]));
                }
                assert_eq!(resolvent, stated, "the chain of {id:?} derives something else");
            }
        }
        last = Some(stated.clone());
        clauses.insert(id, stated);
    }
    last.expect("a trimmed proof has its root")
}
