//! A model-based test of the solver interface: random sequences of legal calls are played to the solver and
//! to a model of it that tries all assignments of small domains. A sequence that fails is shrunk and printed,
//! with the seed that gives it.
//!
//! The model knows for each formula the set of assignments that satisfy it; so what a query must answer is an
//! intersection of sets. Every answer is compared: models, cores, minimised cores (nothing in them can be
//! left out), interpolants (implications and symbols), and that "unknown" is said only under a limit or
//! interrupt, with the right reason. After an interrupt or a limit the same solver goes on, so that what they
//! leave behind would be found.

mod common;

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use common::Random;
use palisade_smt::interpolate::{Interpolation, Interpolator, NativeInterpolator, Settings};
use palisade_smt::native::{NativeSolver, Options};
use palisade_smt::{Answer, Limits, Solver, Stats, UnknownReason};
use palisade_term::{Assignment, Sort, Term, TermPool, Value};
use rustc_hash::FxHashMap;

/// A call.
#[derive(Clone, Debug)]
enum Call {
    Push,
    /// At most as many as are open.
    Pop(usize),
    Assert(Term),
    Check {
        temporary: Vec<Term>,
        assumptions: Vec<Term>,
    },
    /// A check whose core is minimised.
    Minimize {
        temporary: Vec<Term>,
        assumptions: Vec<Term>,
    },
    Interpolate(Vec<Term>),
    Steps(Option<u64>),
    Interrupt(bool),
}

/// The variables with their domains, and all assignments.
struct World<'p> {
    pool: &'p TermPool,
    bools: Vec<Term>,
    /// Booleans that mostly stand in front of clauses and among assumptions.
    guards: Vec<Term>,
    ints: Vec<Term>,
    words: Vec<Term>,
    /// The integers are in their domain.
    range: Term,
    assignments: Vec<Assignment>,
    memo: FxHashMap<Term, Vec<bool>>,
}

const INTS: i64 = 3;
const WIDTH: u32 = 2;

impl<'p> World<'p> {
    /// Every second world has guards, and fewer other variables.
    fn new(pool: &'p TermPool, seed: u64) -> Self {
        let name = |kind: &str, n: usize, sort: Sort| -> Vec<Term> {
            (0..n).map(|i| pool.var(&format!("{kind}{i}"), sort.clone())).collect()
        };
        let [bools, guards, words] = if seed.is_multiple_of(2) { [2, 0, 2] } else { [1, 3, 1] };
        let (bools, guards) = (name("b", bools, Sort::Bool), name("g", guards, Sort::Bool));
        let (ints, words) = (name("i", 2, Sort::Int), name("w", words, Sort::BitVec(WIDTH)));
        let inside = |&i: &Term| pool.and2(pool.ge(i, pool.int(0)), pool.le(i, pool.int(INTS - 1)));
        let range = pool.and(ints.iter().map(inside));
        let mut assignments = vec![Assignment::new()];
        let mut extend = |var: Term, values: Vec<Value>| {
            let all = std::mem::take(&mut assignments);
            for a in all {
                for v in &values {
                    let mut a = a.clone();
                    a.set(var, v.clone());
                    assignments.push(a);
                }
            }
        };
        bools.iter().chain(&guards).for_each(|&b| extend(b, vec![Value::Bool(false), Value::Bool(true)]));
        ints.iter().for_each(|&i| extend(i, (0..INTS).map(|n| Value::Int(n.into())).collect()));
        words
            .iter()
            .for_each(|&w| extend(w, (0..1 << WIDTH).map(|n| Value::BitVec(WIDTH, n.into())).collect()));
        World { pool, bools, guards, ints, words, range, assignments, memo: FxHashMap::default() }
    }

    /// Which assignments satisfy the formula.
    fn truth(&mut self, t: Term) -> &[bool] {
        let (pool, all) = (self.pool, &self.assignments);
        self.memo.entry(t).or_insert_with(|| all.iter().map(|a| pool.holds(t, a)).collect())
    }

    fn satisfiable(&mut self, formulas: impl IntoIterator<Item = Term>) -> bool {
        let mut all = vec![true; self.assignments.len()];
        for t in formulas {
            all.iter_mut().zip(self.truth(t)).for_each(|(a, b)| *a &= b);
        }
        all.contains(&true)
    }

    // ---- random formulas -----------------------------------------------------------------------

    fn literal(&self, rng: &mut Random) -> Term {
        let p = self.pool;
        let atom = match rng.below(7) {
            0 | 1 => *rng.one_of(&self.bools),
            2 | 3 => {
                let k = p.int(rng.range(-2, 2));
                let sum = p.add2(p.mul(k, *rng.one_of(&self.ints)), *rng.one_of(&self.ints));
                let c = p.int(rng.range(-3, 5));
                if rng.one_in(2) { p.le(sum, c) } else { p.eq(sum, c) }
            }
            4 => {
                let x = p.int_mod(*rng.one_of(&self.ints), p.int(2));
                let c = p.ite(*rng.one_of(&self.bools), p.int(0), p.int(1));
                p.eq(x, c)
            }
            _ => {
                let (x, y) = (*rng.one_of(&self.words), *rng.one_of(&self.words));
                let c = p.bitvec(rng.below(1 << WIDTH), WIDTH);
                match rng.below(4) {
                    0 => p.eq(p.bv_add(x, y), c),
                    1 => p.bv_ult(p.bv_mul(x, y), c),
                    2 => p.bv_sle(x, p.bv_xor(y, c)),
                    _ => p.eq(x, c),
                }
            }
        };
        if rng.one_in(2) { atom } else { p.not(atom) }
    }

    fn formula(&self, rng: &mut Random, depth: u32) -> Term {
        let p = self.pool;
        if depth == 0 {
            return self.literal(rng);
        }
        let parts: Vec<Term> = (0..2 + rng.below(2)).map(|_| self.formula(rng, depth - 1)).collect();
        match rng.below(5) {
            0 => p.and(parts),
            1 => p.eq(parts[0], parts[1]),
            _ => p.or(parts),
        }
    }

    /// A clause or a cube behind a guard, or the end of a guard; rarely something else that mentions one.
    fn guarded(&self, rng: &mut Random) -> Term {
        let p = self.pool;
        let guard = *rng.one_of(&self.guards);
        let other = self.literal(rng);
        match rng.below(12) {
            0 => p.or2(guard, other),
            1 => p.eq(guard, other),
            2 => p.implies(guard, p.or2(other, p.not(*rng.one_of(&self.guards)))),
            3 | 4 => p.not(guard),
            5 | 6 => p.implies(guard, p.or2(other, self.literal(rng))),
            7 => p.implies(guard, p.and2(other, self.formula(rng, 1))),
            _ => p.implies(guard, other),
        }
    }

    /// Adds guards to assumptions.
    fn assume_guards(&self, rng: &mut Random, mut assumptions: Vec<Term>) -> Vec<Term> {
        for &guard in &self.guards {
            match rng.below(5) {
                0 => assumptions.push(self.pool.not(guard)),
                1 | 2 => assumptions.push(guard),
                _ => {}
            }
        }
        assumptions
    }

    fn calls(&self, seed: u64, length: usize) -> Vec<Call> {
        let rng = &mut Random::new(seed);
        let mut out = Vec::new();
        for _ in 0..length {
            let list = |rng: &mut Random, most: usize, depth: u32| -> Vec<Term> {
                (0..rng.below(most + 1)).map(|_| self.formula(rng, depth)).collect()
            };
            out.push(match rng.below(20) {
                0..=2 => Call::Push,
                3 | 4 => Call::Pop(1 + rng.below(2)),
                5 | 6 if !self.guards.is_empty() => Call::Assert(self.guarded(rng)),
                5..=8 => {
                    let depth = rng.below(3) as u32;
                    Call::Assert(self.formula(rng, depth))
                }
                n @ 9..=16 => {
                    let temporary = list(rng, 1, 1);
                    let assumptions = list(rng, if n < 15 { 5 } else { 8 }, 0);
                    let assumptions = self.assume_guards(rng, assumptions);
                    if n < 15 {
                        Call::Check { temporary, assumptions }
                    } else {
                        Call::Minimize { temporary, assumptions }
                    }
                }
                17 => Call::Interpolate(list(rng, 5, 1)),
                18 => Call::Steps(if rng.one_in(2) { None } else { Some(rng.below(40) as u64) }),
                _ => Call::Interrupt(rng.one_in(3)),
            });
        }
        out
    }
}

/// What the calls left.
struct State<'a, 'p> {
    world: &'a mut World<'p>,
    scopes: Vec<Vec<Term>>,
    limited: bool,
    interrupted: bool,
}

impl State<'_, '_> {
    fn base(&self, temporary: &[Term]) -> Vec<Term> {
        self.scopes.iter().flatten().chain(temporary).copied().collect()
    }

    /// The core of an answer, if it is one; an error if the answer is wrong.
    fn judge(
        &mut self,
        temporary: &[Term],
        assumptions: &[Term],
        answer: Answer,
    ) -> Result<Option<Vec<Term>>, String> {
        let base = self.base(temporary);
        match answer {
            Answer::Sat(model) => {
                let pool = self.world.pool;
                match base.iter().chain(assumptions).find(|&&t| !pool.holds(t, &model)) {
                    Some(t) => Err(format!("the model falsifies {}", pool.infix(*t))),
                    None => Ok(None),
                }
            }
            Answer::Unsat(core) => {
                let mut rest = assumptions.iter();
                if !core.iter().all(|c| rest.any(|a| a == c)) {
                    return Err("the core is no sublist of the assumptions".into());
                }
                if self.world.satisfiable(base.into_iter().chain(core.iter().copied())) {
                    return Err("unsat, but there is a model of the core".into());
                }
                Ok(Some(core))
            }
            Answer::Unknown(UnknownReason::Interrupted) if self.interrupted => Ok(None),
            Answer::Unknown(UnknownReason::Limit) if self.limited => Ok(None),
            Answer::Unknown(why) => Err(format!("unknown without a reason: {why}")),
        }
    }

    fn judge_minimal(&mut self, temporary: &[Term], core: &[Term], small: &[Term]) -> Result<(), String> {
        let base = self.base(temporary);
        if !small.iter().all(|t| core.contains(t)) {
            return Err("the minimised core is no part of the core".into());
        }
        if self.world.satisfiable(base.iter().chain(small).copied()) {
            return Err("the minimised core has a model".into());
        }
        if self.limited || self.interrupted {
            return Ok(());
        }
        for i in 0..small.len() {
            let fewer = small.iter().enumerate().filter(|(k, _)| *k != i).map(|(_, t)| *t);
            if !self.world.satisfiable(base.iter().copied().chain(fewer)) {
                return Err(format!("formula {i} of a minimised core can be left out"));
            }
        }
        Ok(())
    }

    fn judge_interpolants(&mut self, parts: &[Term], answer: Interpolation) -> Result<(), String> {
        let world = &mut *self.world;
        let pool = world.pool;
        match answer {
            Interpolation::Sat(model) if parts.iter().all(|&t| pool.holds(t, &model)) => Ok(()),
            Interpolation::Sat(_) => Err("the model does not satisfy the parts".into()),
            // A refutation may have no interpolants; the rest must have its reason.
            Interpolation::Unknown(UnknownReason::Incomplete(_)) => Ok(()),
            Interpolation::Unknown(UnknownReason::Interrupted) if self.interrupted => Ok(()),
            Interpolation::Unknown(UnknownReason::Limit) if self.limited => Ok(()),
            Interpolation::Unknown(why) => Err(format!("unknown without a reason: {why}")),
            Interpolation::Interpolants(sequence) => {
                if sequence.len() + 1 != parts.len() {
                    return Err("one interpolant fewer than parts".into());
                }
                let symbols =
                    |ts: &[Term]| -> BTreeSet<Term> { ts.iter().flat_map(|&t| pool.free_vars(t)).collect() };
                for k in 0..parts.len() {
                    let before = if k == 0 { pool.tru() } else { sequence[k - 1] };
                    let after = sequence.get(k).copied().unwrap_or_else(|| pool.fls());
                    if world.satisfiable([before, parts[k], pool.not(after)]) {
                        return Err(format!("interpolant {k} and its part do not imply the next"));
                    }
                    let (left, right) = (symbols(&parts[..k]), symbols(&parts[k..]));
                    if k > 0 && !pool.free_vars(before).iter().all(|v| left.contains(v) && right.contains(v))
                    {
                        return Err(format!("symbols of interpolant {k}"));
                    }
                }
                Ok(())
            }
        }
    }
}

/// Plays calls; the first that goes wrong, and how.
fn play(world: &mut World<'_>, solver: &mut dyn Solver, calls: &[Call]) -> Result<(), String> {
    let range = world.range;
    let flag = Arc::new(AtomicBool::new(false));
    let mut limits = Limits { steps: None, interrupt: Some(flag.clone()) };
    let mut state = State { world, scopes: vec![vec![range]], limited: false, interrupted: false };
    solver.set_limits(limits.clone());
    solver.assert(range);
    let mut stats = Stats::default();
    for (at, call) in calls.iter().enumerate() {
        let wrong = |what: String| format!("call {at}: {what}");
        match call {
            Call::Push => {
                solver.push();
                state.scopes.push(Vec::new());
            }
            Call::Pop(n) => {
                let n = (*n).min(state.scopes.len() - 1);
                solver.pop(n);
                state.scopes.truncate(state.scopes.len() - n);
            }
            Call::Assert(t) => {
                solver.assert(*t);
                state.scopes.last_mut().expect("never empty").push(*t);
            }
            Call::Check { temporary, assumptions } => {
                let answer = solver.check_with(temporary, assumptions);
                state.judge(temporary, assumptions, answer).map_err(wrong)?;
            }
            Call::Minimize { temporary, assumptions } => {
                let answer = solver.check_with(temporary, assumptions);
                if let Some(core) = state.judge(temporary, assumptions, answer).map_err(wrong)? {
                    let small = solver.minimize_core(temporary, &core);
                    state.judge_minimal(temporary, &core, &small).map_err(wrong)?;
                }
            }
            Call::Interpolate(parts) => {
                // The domain belongs to the first part, so that the assignments decide.
                let mut parts = parts.clone();
                parts.insert(0, range);
                let settings = Settings { limits: limits.clone(), ..Settings::default() };
                let answer = NativeInterpolator::new(state.world.pool).interpolate(&parts, &settings);
                state.judge_interpolants(&parts, answer).map_err(wrong)?;
            }
            Call::Steps(steps) => {
                state.limited = steps.is_some();
                limits.steps = *steps;
                solver.set_limits(limits.clone());
            }
            Call::Interrupt(raised) => {
                state.interrupted = *raised;
                flag.store(*raised, Ordering::Relaxed);
            }
        }
        let now = solver.stats();
        if now.queries < stats.queries || now.conflicts < stats.conflicts || now.memory == 0 {
            return Err(wrong(format!("counters run backwards: {stats:?}, {now:?}")));
        }
        stats = now;
    }
    Ok(())
}

/// Smaller variants of a call.
fn smaller(pool: &TermPool, call: &Call) -> Vec<Call> {
    let lists = |list: &[Term]| -> Vec<Vec<Term>> {
        let mut out = Vec::new();
        for i in 0..list.len() {
            let mut without = list.to_vec();
            without.remove(i);
            out.push(without);
            for &part in pool.args(list[i]).iter().filter(|&&a| *pool.sort(a) == Sort::Bool) {
                let mut simpler = list.to_vec();
                simpler[i] = part;
                out.push(simpler);
            }
        }
        out
    };
    match call {
        Call::Assert(t) => {
            lists(&[*t]).into_iter().filter(|l| l.len() == 1).map(|l| Call::Assert(l[0])).collect()
        }
        Call::Interpolate(parts) => lists(parts).into_iter().map(Call::Interpolate).collect(),
        Call::Check { temporary: t, assumptions: a } => {
            let fewer = lists(a).into_iter().map(|a| Call::Check { temporary: t.clone(), assumptions: a });
            fewer
                .chain(lists(t).into_iter().map(|t| Call::Check { temporary: t, assumptions: a.clone() }))
                .collect()
        }
        Call::Minimize { temporary: t, assumptions: a } => {
            let fewer = lists(a).into_iter().map(|a| Call::Minimize { temporary: t.clone(), assumptions: a });
            fewer.chain([Call::Check { temporary: t.clone(), assumptions: a.clone() }]).collect()
        }
        _ => Vec::new(),
    }
}

fn show(pool: &TermPool, calls: &[Call]) -> String {
    let list = |ts: &[Term]| ts.iter().map(|&t| pool.infix(t).to_string()).collect::<Vec<_>>().join(", ");
    let line = |c: &Call| match c {
        Call::Assert(t) => format!("assert {}", pool.infix(*t)),
        Call::Check { temporary, assumptions } => {
            format!("check with [{}] assuming [{}]", list(temporary), list(assumptions))
        }
        Call::Minimize { temporary, assumptions } => {
            format!("minimise with [{}] assuming [{}]", list(temporary), list(assumptions))
        }
        Call::Interpolate(parts) => format!("interpolate [{}]", list(parts)),
        other => format!("{other:?}"),
    };
    calls.iter().map(line).collect::<Vec<_>>().join("\n")
}

fn options(seed: u64) -> Options {
    Options {
        garbage: if seed % 7 < 3 { 0 } else { 2_000 },
        checked: true,
        hold_back: !seed.is_multiple_of(3),
        cuts: !seed.is_multiple_of(4),
        certified: seed.is_multiple_of(5),
        ..Options::default()
    }
}

/// Makes solvers.
type Make<'m> = dyn for<'p> Fn(&'p TermPool) -> Box<dyn Solver + 'p> + 'm;

/// Plays the calls of a seed. A failure is what went wrong and the shrunk calls.
fn run(seed: u64, length: usize, make: &Make<'_>) -> Result<(), (String, Vec<Call>, String)> {
    let pool = TermPool::new();
    let mut world = World::new(&pool, seed);
    let calls = world.calls(seed, length);
    let mut attempt = |calls: &[Call]| {
        let played = std::panic::AssertUnwindSafe(|| play(&mut world, &mut *make(&pool), calls));
        std::panic::catch_unwind(played).unwrap_or_else(|_| Err("panic".into()))
    };
    let Err(what) = attempt(&calls) else { return Ok(()) };
    let small = palisade_fuzzing::shrink(&calls, &|c| smaller(&pool, c), &mut |c| attempt(c).is_err());
    let text = show(&pool, &small);
    Err((what, small, text))
}

#[test]
fn random_calls() {
    for seed in palisade_fuzzing::seeds(0..300) {
        let make: &Make<'_> = &|pool| Box::new(NativeSolver::with_options(pool, options(seed)));
        if let Err((what, _, text)) = run(seed, 40, make) {
            panic!("seed {seed}: {what}\nshrunk to:\n{text}");
        }
    }
}

/// A solver with a defect: a pop keeps the last formula if there were many.
struct Forgetful<'p> {
    inner: NativeSolver<'p>,
    last: Option<Term>,
}

impl Solver for Forgetful<'_> {
    fn pool(&self) -> &TermPool {
        self.inner.pool()
    }
    fn push(&mut self) {
        self.inner.push();
    }
    fn pop(&mut self, scopes: usize) {
        self.inner.pop(scopes);
        if let Some(t) = self.last.take().filter(|_| scopes > 0) {
            self.inner.assert(t);
        }
    }
    fn assert(&mut self, formula: Term) {
        self.last = Some(formula);
        self.inner.assert(formula);
    }
    fn check(&mut self, assumptions: &[Term]) -> Answer {
        self.inner.check(assumptions)
    }
    fn set_limits(&mut self, limits: Limits) {
        self.inner.set_limits(limits);
    }
    fn stats(&self) -> Stats {
        self.inner.stats()
    }
}

#[test]
fn a_defect_is_found_and_shrunk() {
    let make: &Make<'_> = &|pool| Box::new(Forgetful { inner: NativeSolver::new(pool), last: None });
    let found = (0..100).find_map(|seed| run(seed, 40, make).err());
    let (_, calls, text) = found.expect("the defect is found");
    // Push, assert, pop and a check, or a temporary formula and a check.
    assert!(calls.len() <= 4, "shrunk to:\n{text}");
}
