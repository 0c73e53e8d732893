//! Certificates that leave interior locations without a formula: accepted exactly when the annotated ones cut
//! every cycle and every path between them preserves the formulas. The oracle follows all paths from all
//! states with all inputs.

mod common;

use std::collections::{BTreeMap, BTreeSet};

use common::{Proved, assignments, counters, lock};
use palisade_certify::{Checker, Rejection};
use palisade_fuzzing::Random;
use palisade_program::{CutInvariants, Edge, EdgeId, Invariants, Loc, Location, Program, State, take};
use palisade_smt::NativeSolver;
use palisade_term::{Assignment, Sort, Term, TermPool};

fn check(pool: &TermPool, program: &Program, claim: &CutInvariants) -> Result<(), Rejection> {
    let checker = Checker::new(pool, program);
    checker.proof(claim.clone(), &|pool| Box::new(NativeSolver::new(pool))).map(|_| ())
}

fn without(invariants: &Invariants, interior: &[Loc]) -> CutInvariants {
    let mut out = CutInvariants::from(invariants.clone());
    for l in interior {
        out.formulas[l.index()] = None;
    }
    out
}

/// Is there a cycle of locations without a formula? By closure, not by search. An edge whose guard is the
/// constant false is none.
fn has_uncut_cycle(pool: &TermPool, program: &Program, claim: &CutInvariants) -> bool {
    let n = program.locations.len();
    let mut reaches = vec![vec![false; n]; n];
    for e in program.edges.iter().filter(|e| e.guard != pool.fls()) {
        let interior = |l: Loc| claim.at(l).is_none();
        reaches[e.source.index()][e.target.index()] |= interior(e.source) && interior(e.target);
    }
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                reaches[i][j] |= reaches[i][k] && reaches[k][j];
            }
        }
    }
    (0..n).any(|i| reaches[i][i])
}

fn inside(pool: &TermPool, program: &Program, formula: Term, l: Loc, state: &State) -> bool {
    let model: Assignment = program.vars(l).iter().copied().zip(state.iter().cloned()).collect();
    pool.holds(formula, &model)
}

/// Every state that can be reached from these, stopping at annotated locations.
fn explore(
    pool: &TermPool,
    program: &Program,
    claim: &CutInvariants,
    starts: Vec<(Loc, State)>,
) -> BTreeSet<(Loc, State)> {
    let outgoing = program.outgoing();
    let mut seen = BTreeSet::new();
    // Paths begin at annotated locations, too.
    let mut stack: Vec<(Loc, State, bool)> = starts.into_iter().map(|(l, s)| (l, s, true)).collect();
    while let Some((l, state, is_start)) = stack.pop() {
        if !is_start && claim.at(l).is_some() {
            continue;
        }
        for &e in &outgoing[l.index()] {
            for inputs in assignments(pool, &program.edge(e).inputs) {
                if let Some(next) = take(pool, program, &state, e, &inputs) {
                    let target = program.edge(e).target;
                    if seen.insert((target, next.clone())) {
                        stack.push((target, next, false));
                    }
                }
            }
        }
    }
    seen
}

/// The oracle.
fn is_proof(pool: &TermPool, program: &Program, claim: &CutInvariants) -> bool {
    let (Some(entry), Some(error)) = (claim.at(program.entry), claim.at(program.error)) else { return false };
    let initially = assignments(pool, program.vars(program.entry))
        .iter()
        .all(|s| inside(pool, program, entry, program.entry, s));
    if !initially || inside(pool, program, error, program.error, &vec![]) {
        return false;
    }
    if claim.rounds.is_none() && has_uncut_cycle(pool, program, claim) {
        return false;
    }
    program.locs().filter(|&l| claim.at(l).is_some()).all(|l| {
        let states = assignments(pool, program.vars(l)).into_iter();
        let starts: Vec<(Loc, State)> =
            states.filter(|s| inside(pool, program, claim.at(l).unwrap(), l, s)).map(|s| (l, s)).collect();
        explore(pool, program, claim, starts).iter().all(|(t, state)| match claim.at(*t) {
            Some(formula) => inside(pool, program, formula, *t, state),
            None => true,
        })
    })
}

/// The edges of the longest path that leaves a formula and goes through locations without one; `None` if it
/// does not end. Locations from which edges lead to no formula do not count.
fn longest(pool: &TermPool, program: &Program, claim: &CutInvariants) -> Option<u32> {
    let mut counts: Vec<bool> = program.locs().map(|l| claim.at(l).is_some()).collect();
    for _ in program.locs() {
        for e in program.edges.iter().filter(|e| e.guard != pool.fls()) {
            counts[e.source.index()] |= counts[e.target.index()];
        }
    }
    let mut outgoing = program.outgoing();
    outgoing.iter_mut().for_each(|edges| edges.retain(|&e| counts[program.edge(e).target.index()]));
    let mut known: BTreeMap<(Loc, State), Option<u32>> = BTreeMap::new();
    // `None` while a state is being looked at: whoever comes there again has found a cycle.
    fn from(
        pool: &TermPool,
        program: &Program,
        (claim, outgoing): (&CutInvariants, &[Vec<EdgeId>]),
        known: &mut BTreeMap<(Loc, State), Option<u32>>,
        at: (Loc, State),
        is_start: bool,
    ) -> Option<u32> {
        if !is_start {
            if claim.at(at.0).is_some() {
                return Some(0);
            }
            if let Some(length) = known.get(&at) {
                return *length;
            }
            known.insert(at.clone(), None);
        }
        let mut most = 0;
        for &e in &outgoing[at.0.index()] {
            for inputs in assignments(pool, &program.edge(e).inputs) {
                if let Some(next) = take(pool, program, &at.1, e, &inputs) {
                    let next = (program.edge(e).target, next);
                    most = most.max(1 + from(pool, program, (claim, outgoing), known, next, false)?);
                }
            }
        }
        if !is_start {
            known.insert(at, Some(most));
        }
        Some(most)
    }
    let mut most = 0;
    for l in program.locs().filter(|&l| claim.at(l).is_some()) {
        let states = assignments(pool, program.vars(l)).into_iter();
        for s in states.filter(|s| inside(pool, program, claim.at(l).unwrap(), l, s)) {
            most = most.max(from(pool, program, (claim, &outgoing), &mut known, (l, s), true)?);
        }
    }
    Some(most)
}

/// With a number of rounds, cycles need no formula if no path goes around them more often.
#[test]
fn cycles_without_a_formula_are_unwound() {
    let (mut accepted, mut too_long, mut endless, mut wrong) = (0, 0, 0, 0);
    for seed in palisade_fuzzing::seeds(0..1_000) {
        let pool = TermPool::new();
        let mut rng = Random::new(seed);
        let mut generator = Generator { pool: &pool, rng: &mut rng };
        let program = generator.program();
        let mut claim = generator.claim(&program);
        let cyclic = has_uncut_cycle(&pool, &program, &claim);
        claim.rounds = Some(0);
        let good = is_proof(&pool, &program, &claim);
        let length = longest(&pool, &program, &claim);
        let mut judged = |rounds: u32, expected: Option<bool>| {
            claim.rounds = Some(rounds);
            let verdict = check(&pool, &program, &claim);
            if let Some(expected) = expected {
                assert_eq!(verdict.is_ok(), expected, "seed {seed}, {rounds} rounds: {claim:?}\n{verdict:?}");
            }
            if let Err(rejection) = &verdict {
                assert!(matches!(rejection, Rejection::Rounds { .. } | Rejection::Initiation { .. }));
            }
            verdict.is_ok()
        };
        match (good, length) {
            (true, Some(length)) => {
                let few = judged(0, None);
                judged(length.max(1), Some(true));
                accepted += usize::from(cyclic);
                too_long += usize::from(!few);
            }
            (_, None) => {
                judged(12, Some(false));
                endless += 1;
            }
            (false, Some(length)) => {
                judged(length + 1, Some(false));
                wrong += usize::from(cyclic);
            }
        }
    }
    println!("{accepted} accepted, {too_long} not without a round, {endless} endless, {wrong} wrong");
    assert!(accepted > 50 && too_long > 0 && endless > 50 && wrong > 20);
}

#[test]
fn loops_need_a_formula_and_what_lies_between_does_not() {
    let pool = TermPool::new();
    // Both locations of `counters` have a loop of their own; the two of `lock` are on one, and `idle` also
    // has its own.
    let Proved { program, invariants } = counters(&pool);
    for l in [Loc(2), Loc(3)] {
        let claim = without(&invariants, &[l]);
        let rejection = check(&pool, &program, &claim).unwrap_err();
        assert!(matches!(rejection, Rejection::Uncut(at) if at == l), "{rejection:?}");
        assert!(rejection.describe(&pool, &program).contains(&program.location(l).name));
    }
    let Proved { program, invariants } = lock(&pool);
    check(&pool, &program, &without(&invariants, &[Loc(3)])).unwrap();
    check(&pool, &program, &without(&invariants, &[Loc(2)])).unwrap_err();
    check(&pool, &program, &without(&invariants, &[Loc(2), Loc(3)])).unwrap_err();
    for missing in [program.entry, program.error] {
        let rejection = check(&pool, &program, &without(&invariants, &[missing])).unwrap_err();
        assert!(matches!(rejection, Rejection::Missing(l) if l == missing), "{rejection:?}");
    }
}

#[test]
fn a_path_that_leads_outside_is_told() {
    let pool = TermPool::new();
    let Proved { mut program, invariants } = lock(&pool);
    let (idle, busy) = (Loc(2), Loc(3));
    let (held, t) = (program.vars(idle)[0], program.vars(idle)[1]);
    let mut claim = without(&invariants, &[busy]);
    claim.set(idle, pool.and([pool.not(held), pool.bv_ule(t, pool.bitvec(1, 2))]));
    check(&pool, &program, &claim).expect("on the way to idle and back, t is increased by 1 and by 3");
    let back = program.edges.iter().position(|e| (e.source, e.target) == (busy, idle)).unwrap();
    program.edges[back].update[1] = pool.bv_add(t, pool.bitvec(1, 2));
    match check(&pool, &program, &claim).unwrap_err() {
        Rejection::Path { start, target, path, conjunct, model } => {
            assert_eq!((start, target, path.len(), path[1].index()), (idle, idle, 2, back));
            assert_eq!(conjunct, pool.bv_ule(t, pool.bitvec(1, 2)));
            assert!(pool.holds(claim.at(idle).unwrap(), &model));
        }
        other => panic!("{other:?}"),
    }
    let told = check(&pool, &program, &claim).unwrap_err().describe(&pool, &program);
    assert!(told.contains("idle -> busy -> idle") && told.contains("t = "), "{told}");
}

/// Random programs over Booleans and 2-bit numbers. The names are few, so that inputs of edges are variables
/// of other locations.
struct Generator<'a> {
    pool: &'a TermPool,
    rng: &'a mut Random,
}

impl Generator<'_> {
    fn names(&mut self, n: usize, except: &[Term]) -> Vec<Term> {
        let mut all: Vec<Term> = ["x", "y", "z"].iter().map(|n| self.pool.var(n, Sort::BitVec(2))).collect();
        all.push(self.pool.var("p", Sort::Bool));
        all.retain(|v| !except.contains(v));
        (0..n.min(all.len())).map(|_| all.remove(self.rng.below(all.len()))).collect()
    }

    fn number(&mut self, scope: &[Term], depth: usize) -> Term {
        let pool = self.pool;
        let vars: Vec<Term> = scope.iter().copied().filter(|&v| *pool.sort(v) != Sort::Bool).collect();
        match self.rng.below(if depth == 0 { 2 } else { 4 }) {
            0 if !vars.is_empty() => vars[self.rng.below(vars.len())],
            2 => pool.bv_add(self.number(scope, depth - 1), self.number(scope, depth - 1)),
            3 => pool.ite(
                self.formula(scope, depth - 1),
                self.number(scope, depth - 1),
                self.number(scope, depth - 1),
            ),
            _ => pool.bitvec(self.rng.below(4) as u32, 2),
        }
    }

    fn formula(&mut self, scope: &[Term], depth: usize) -> Term {
        let pool = self.pool;
        let vars: Vec<Term> = scope.iter().copied().filter(|&v| *pool.sort(v) == Sort::Bool).collect();
        match self.rng.below(if depth == 0 { 4 } else { 7 }) {
            0 if !vars.is_empty() => vars[self.rng.below(vars.len())],
            0 | 1 => pool.eq(self.number(scope, 1), self.number(scope, 1)),
            2 => pool.bv_ule(self.number(scope, 1), self.number(scope, 1)),
            3 => pool.tru(),
            4 => pool.not(self.formula(scope, depth - 1)),
            5 => pool.and([self.formula(scope, depth - 1), self.formula(scope, depth - 1)]),
            _ => pool.or([self.formula(scope, depth - 1), self.formula(scope, depth - 1)]),
        }
    }

    fn program(&mut self) -> Program {
        let mut p = Program::new();
        for i in 0..2 + self.rng.below(4) {
            let count = 1 + self.rng.below(2);
            let vars = self.names(count, &[]);
            p.add_location(Location { name: format!("l{i}"), position: None, vars });
        }
        let n = p.locations.len();
        for k in 0..n + self.rng.below(n + 2) {
            // Mostly forward, so that there is something between cycles.
            let source = if k < n && k != 1 { k } else { [0, 2, 3][self.rng.below(3)] };
            let mut target = 2 + self.rng.below(n - 2);
            if self.rng.below(3) > 0 {
                target = target.max((source + 1).min(n - 1));
            }
            if self.rng.below(6) == 0 {
                target = 1;
            }
            let source = if source == 1 { 0 } else { source };
            let (source, target) = (Loc(source as u32), Loc(target as u32));
            let vars = p.vars(source).to_vec();
            let count = self.rng.below(2);
            let inputs = self.names(count, &vars);
            let scope: Vec<Term> = vars.iter().chain(&inputs).copied().collect();
            let guard = self.formula(&scope, 2);
            let value = |&v: &Term| match self.pool.sort(v) {
                Sort::Bool => self.formula(&scope, 1),
                _ => self.number(&scope, 1),
            };
            let update: Vec<Term> = p.vars(target).iter().map(value).collect();
            p.add_edge(Edge::new(source, target, &inputs, guard, &update));
        }
        p
    }

    /// The reachable states at some locations; now and then something else there.
    fn claim(&mut self, program: &Program) -> CutInvariants {
        let pool = self.pool;
        let nowhere = CutInvariants {
            formulas: vec![None; program.locations.len()],
            ..CutInvariants::bare(pool, program)
        };
        let starts = assignments(pool, program.vars(program.entry)).into_iter().map(|s| (program.entry, s));
        let reachable = explore(pool, program, &nowhere, starts.collect());
        let mut claim = CutInvariants::bare(pool, program);
        let spoiled = self.rng.below(3) == 0;
        for l in program.locs().skip(2) {
            if self.rng.below(2) == 0 {
                continue;
            }
            let state = |s: &State| {
                pool.and(program.vars(l).iter().zip(s).map(|(&v, x)| pool.eq(v, x.to_term(pool))))
            };
            let mut formula = pool.or(reachable.iter().filter(|(m, _)| *m == l).map(|(_, s)| state(s)));
            if spoiled && self.rng.below(2) == 0 {
                let other = self.formula(program.vars(l), 1);
                formula =
                    if self.rng.below(2) == 0 { pool.and2(formula, other) } else { pool.or2(formula, other) };
            }
            claim.set(l, formula);
        }
        claim
    }
}

#[test]
fn random_claims_are_judged_rightly() {
    let (mut accepted, mut uncut, mut outside, mut long) = (0, 0, 0, 0);
    for seed in palisade_fuzzing::seeds(0..2_000) {
        let pool = TermPool::new();
        let mut rng = Random::new(seed);
        let mut generator = Generator { pool: &pool, rng: &mut rng };
        let program = generator.program();
        program.check(&pool).unwrap();
        for _ in 0..3 {
            let claim = generator.claim(&program);
            let verdict = check(&pool, &program, &claim);
            let good = is_proof(&pool, &program, &claim);
            assert_eq!(verdict.is_ok(), good, "seed {seed}: {program:#?}\n{claim:?}\n{verdict:?}");
            match verdict {
                Ok(()) => accepted += usize::from(claim.first_interior().is_some()),
                Err(Rejection::Uncut(_)) => uncut += 1,
                Err(Rejection::Path { start, target, path, .. }) => {
                    outside += 1;
                    long += usize::from(path.len() > 2);
                    // The path is one, and it has no annotated location inside.
                    let ends: Vec<(Loc, Loc)> =
                        path.iter().map(|&e| (program.edge(e).source, program.edge(e).target)).collect();
                    assert_eq!((ends[0].0, ends.last().unwrap().1), (start, target));
                    assert!(ends.windows(2).all(|w| w[0].1 == w[1].0 && claim.at(w[0].1).is_none()));
                }
                Err(_) => {}
            }
        }
    }
    println!("{accepted} accepted, {uncut} uncut, {outside} outside, {long} by long paths");
    assert!(accepted > 500 && uncut > 100 && outside > 200 && long > 20);
}
