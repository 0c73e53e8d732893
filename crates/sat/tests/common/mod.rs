//! What the tests share: a generator, brute force, and a proof checker that knows nothing of the solver.
#![allow(dead_code)]

pub mod difference;

use palisade_fuzzing::{Random, shrink};
use palisade_sat::{Lit, Proof, Solver, Step, StepId, Tag, Theory, Var};
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A random literal over the first `vars` variables.
pub fn random_lit(rng: &mut Random, vars: usize) -> Lit {
    Var::new(rng.below(vars)).lit(rng.chance(50))
}

/// Whether the assignment, given as bits, satisfies the literal.
pub fn holds(assignment: u64, lit: Lit) -> bool {
    (assignment >> lit.var().index() & 1 == 1) == lit.is_positive()
}

/// Whether some assignment of the first `vars` variables satisfies all clauses and `also`.
pub fn brute_force(vars: usize, clauses: &[Vec<Lit>], also: impl Fn(u64) -> bool) -> bool {
    (0..1u64 << vars).any(|a| clauses.iter().all(|c| c.iter().any(|&l| holds(a, l))) && also(a))
}

/// Replays the part of the proof that `root` needs, resolution by resolution, and panics at the first step
/// that does not hold. Returns the clause of the root. Input and theory steps are judged by the callbacks.
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

/// Runs random call sequences; one that fails is shrunk by deleting calls, printed, and run again for its
/// message. `PALISADE_TEST_SCALE` and `PALISADE_TEST_SEED` try more and other seeds.
pub fn fuzz<S: Debug, C: Clone + Debug>(
    seeds: u64,
    make: impl Fn(&mut Random) -> (S, Vec<C>),
    run: impl Fn(&S, &[C]),
) {
    let fails = |setup: &S, calls: &[C]| catch_unwind(AssertUnwindSafe(|| run(setup, calls))).is_err();
    for seed in palisade_fuzzing::seeds(0..seeds) {
        let (setup, calls) = make(&mut Random::new(seed));
        if fails(&setup, &calls) {
            let small = shrink(&calls, &|_| Vec::new(), &mut |calls| fails(&setup, calls));
            eprintln!("seed {seed} with {setup:?} fails on:");
            for call in &small {
                eprintln!("    {call:?}");
            }
            run(&setup, &small);
            unreachable!("the shrunk sequence fails");
        }
    }
}

/// A literal by position among the variables alive.
pub type Name = (usize, bool);

/// What a solver has been told, for comparison with its answers.
pub struct Reference<X> {
    /// Variables alive, in the order of creation, with the scope they belong to and more.
    pub vars: Vec<(Var, usize, X)>,
    /// Clauses with their scope and tag.
    pub clauses: Vec<(usize, Tag, Vec<Lit>)>,
    /// Scopes open.
    pub depth: usize,
    /// The tag of the next clause.
    pub next_tag: Tag,
    /// Few enough variables for brute force.
    pub brute: bool,
}

impl<X> Reference<X> {
    /// Nothing told yet.
    pub fn new(brute: bool, next_tag: Tag) -> Reference<X> {
        Reference { vars: Vec::new(), clauses: Vec::new(), depth: 0, next_tag, brute }
    }

    /// The literals of names.
    pub fn lits(&self, names: &[Name]) -> Vec<Lit> {
        names.iter().map(|&(i, sign)| self.vars[i % self.vars.len()].0.lit(sign)).collect()
    }

    /// Notes a new variable.
    pub fn add_var(&mut self, v: Var, scoped: bool, more: X) {
        self.vars.push((v, if scoped { self.depth } else { 0 }, more));
    }

    /// Adds a clause, to the solver too, so many scopes up.
    pub fn add_clause<T: Theory>(&mut self, s: &mut Solver<T>, names: &[Name], up: usize) {
        let lits = self.lits(names);
        let scope = self.depth.saturating_sub(up);
        s.add_clause_in(scope, &lits, self.next_tag);
        let var_scope = |l: &Lit| self.vars.iter().find(|v| v.0 == l.var()).expect("alive").1;
        let scope = lits.iter().map(var_scope).fold(scope, usize::max);
        self.note_clause(scope, lits);
    }

    /// Notes a clause.
    pub fn note_clause(&mut self, scope: usize, lits: Vec<Lit>) {
        self.clauses.push((scope, self.next_tag, lits));
        self.next_tag += 1;
    }

    /// Is it a clause that was added and not popped?
    pub fn is_live(&self, lits: &[Lit], tag: Tag) -> bool {
        let set = |lits: &[Lit]| lits.iter().copied().collect::<BTreeSet<_>>();
        self.clauses.iter().any(|c| c.1 == tag && set(lits) == set(&c.2))
    }

    /// Closes the innermost scope.
    pub fn pop(&mut self) {
        self.clauses.retain(|c| c.0 < self.depth);
        self.vars.retain(|v| v.1 < self.depth);
        self.depth -= 1;
    }
}
