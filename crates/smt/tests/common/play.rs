//! Random incremental scripts, and playing them.

use std::collections::BTreeSet;

use palisade_smt::native::Options;
use palisade_smt::{
    Answer, Interpolation, Interpolator, Limits, NativeInterpolator, NativeSolver, Solver, interpolate,
};
use palisade_term::{Sort, Term, TermPool};

use super::{Gen, Logic, Oracle, Verdict};

/// One step of a script.
#[derive(Clone, Debug)]
pub enum Command {
    Push,
    Pop,
    Assert(Term),
    Check { temporary: Vec<Term>, assumptions: Vec<Term> },
}

/// A random script; pops never exceed pushes.
pub fn script(pool: &TermPool, logic: Logic, seed: u64, length: usize) -> Vec<Command> {
    let mut g = Gen::new(pool, logic, seed);
    let mut open = 0;
    let mut out = Vec::new();
    let guards: Vec<Term> = (0..3).map(|i| pool.var(&format!("act{i}"), Sort::Bool)).collect();
    // Booleans that name a literal or a clause; in every second script.
    let mut names: Vec<Term> = Vec::new();
    let naming = seed.is_multiple_of(2);
    let depth = *g.rng.one_of(&[1, 1, 1, 2, 2, 3]);
    for _ in 0..length {
        match g.rng.below(if naming { 12 } else { 10 }) {
            0 => {
                out.push(Command::Push);
                open += 1;
            }
            1 if open > 0 => {
                out.push(Command::Pop);
                open -= 1;
            }
            2 | 3 => {
                let f = g.formula(depth);
                out.push(Command::Assert(f));
            }
            // A guarded clause: what IC3 asserts.
            4 | 5 => {
                let n = 1 + g.rng.below(3);
                let mut lits: Vec<Term> = (0..n).map(|_| g.literal()).collect();
                if !g.rng.one_in(4) {
                    lits.push(pool.not(*g.rng.one_of(&guards)));
                }
                out.push(Command::Assert(pool.or(lits)));
            }
            10 => {
                let name = match g.rng.below(4) {
                    0 if !names.is_empty() => *g.rng.one_of(&names),
                    _ => pool.var(&format!("name{}", names.len()), Sort::Bool),
                };
                names.push(name);
                let n = *g.rng.one_of(&[1, 1, 1, 3]);
                let lits: Vec<Term> = (0..n).map(|_| g.literal()).collect();
                let what = if g.rng.one_in(3) { pool.and(lits) } else { pool.or(lits) };
                out.push(Command::Assert(pool.implies(name, what)));
            }
            11 if !names.is_empty() => {
                // Mostly the name is given up; sometimes something else mentions it.
                let name = *g.rng.one_of(&names);
                let l = g.literal();
                out.push(Command::Assert(match g.rng.below(6) {
                    0 => pool.or2(name, l),
                    1 => pool.eq(name, *g.rng.one_of(&names)),
                    _ => pool.not(name),
                }));
            }
            _ => {
                let mut assumptions: Vec<Term> = (0..g.rng.below(5)).map(|_| g.literal()).collect();
                for _ in 0..names.len().min(4) {
                    let name = *g.rng.one_of(&names);
                    assumptions.push(if g.rng.one_in(5) { pool.not(name) } else { name });
                }
                for &a in &guards {
                    if g.rng.one_in(2) {
                        assumptions.push(a);
                    }
                }
                if g.rng.one_in(5) {
                    let f = g.formula(1);
                    assumptions.push(f);
                }
                let mut temporary = Vec::new();
                if g.rng.one_in(2) {
                    let n = 1 + g.rng.below(4);
                    let lits: Vec<Term> = (0..n).map(|_| g.literal()).collect();
                    temporary.push(pool.or(lits));
                }
                out.push(Command::Check { temporary, assumptions });
            }
        }
    }
    out
}

/// Counts of what scripts gave.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counts {
    pub sat: u64,
    pub unsat: u64,
    pub unknown: u64,
    pub oracle_unknown: u64,
    /// Refutations whose proof was checked.
    pub proofs: u64,
    /// Sequences of interpolants, and refutations that gave none.
    pub interpolants: u64,
    pub not_interpolated: u64,
}

impl Counts {
    pub fn add(&mut self, other: Counts) {
        self.sat += other.sat;
        self.unsat += other.unsat;
        self.unknown += other.unknown;
        self.oracle_unknown += other.oracle_unknown;
        self.proofs += other.proofs;
        self.interpolants += other.interpolants;
        self.not_interpolated += other.not_interpolated;
    }

    pub fn queries(&self) -> u64 {
        self.sat + self.unsat + self.unknown
    }
}

/// What a script is played with.
#[derive(Clone, Debug)]
pub struct Settings {
    pub options: Options,
    /// Limit of each query.
    pub steps: u64,
    /// Every so many refutations are interpolated; 0: none. Those about wide bit-vectors ten times less:
    /// their circuits make large interpolants.
    pub interpolate: u64,
}

/// Formulas that must not be satisfiable together.
#[derive(Clone, Debug)]
pub struct Claim {
    pub what: String,
    pub formulas: Vec<Term>,
}

/// Plays a script to a fresh native solver and checks every answer as far as that is possible here: models by
/// evaluation, proofs by their checker, interpolants for their symbols. What else is claimed
/// (unsatisfiability together with the core, the implications of interpolants) is returned for an oracle. An
/// error is what went wrong.
pub fn play(
    pool: &TermPool,
    script: &[Command],
    settings: &Settings,
) -> Result<(Counts, Vec<Claim>), String> {
    let options = settings.options.clone();
    let proofs = options.proofs || options.certified;
    let mut solver = NativeSolver::with_options(pool, options);
    solver.set_limits(Limits { steps: Some(settings.steps), interrupt: None });
    let mut stack: Vec<Vec<Term>> = vec![Vec::new()];
    let mut counts = Counts::default();
    let mut claims = Vec::new();
    for (at, command) in script.iter().enumerate() {
        match command {
            Command::Push => {
                solver.push();
                stack.push(Vec::new());
            }
            Command::Pop => {
                if stack.len() > 1 {
                    solver.pop(1);
                    stack.pop();
                }
            }
            Command::Assert(t) => {
                solver.assert(*t);
                stack.last_mut().expect("never empty").push(*t);
            }
            Command::Check { temporary, assumptions } => {
                let answer = solver.check_with(temporary, assumptions);
                let base: Vec<Term> = stack.iter().flatten().chain(temporary).copied().collect();
                match &answer {
                    Answer::Sat(model) => {
                        counts.sat += 1;
                        if let Some(t) = base.iter().chain(assumptions).find(|&&t| !pool.holds(t, model)) {
                            return Err(format!("command {at}: the model falsifies {}", pool.infix(*t)));
                        }
                    }
                    Answer::Unsat(core) => {
                        counts.unsat += 1;
                        let mut rest = assumptions.iter();
                        if !core.iter().all(|c| rest.any(|a| a == c)) {
                            return Err(format!("command {at}: the core is no sublist of the assumptions"));
                        }
                        if proofs {
                            counts.proofs += 1;
                            check_proof(pool, &solver).map_err(|e| format!("command {at}: {e}"))?;
                        }
                        let formulas: Vec<Term> = base.iter().chain(core).copied().collect();
                        let every = settings.interpolate * if is_wide(pool, &formulas) { 10 } else { 1 };
                        if every > 0 && counts.unsat.is_multiple_of(every) {
                            check_interpolants(
                                pool,
                                &formulas,
                                at,
                                settings.steps,
                                &mut counts,
                                &mut claims,
                            )?;
                        }
                        claims.push(Claim { what: format!("command {at}: unsat"), formulas });
                    }
                    Answer::Unknown(_) => counts.unknown += 1,
                }
            }
        }
    }
    Ok((counts, claims))
}

/// Are there bit-vectors of more than a few bits?
fn is_wide(pool: &TermPool, formulas: &[Term]) -> bool {
    let wide = |v: &Term| matches!(pool.sort(*v), Sort::BitVec(w) if *w > 4);
    formulas.iter().any(|&t| pool.free_vars(t).iter().any(wide))
}

fn check_proof(pool: &TermPool, solver: &NativeSolver<'_>) -> Result<(), String> {
    match solver.last_refutation() {
        None => Err("no refutation".into()),
        Some(Err(why)) => Err(format!("no proof: {why}")),
        Some(Ok(r)) => r.check(pool).map_err(|e| e.to_string()),
    }
}

/// Interpolates formulas that are unsatisfiable together, in two to four parts.
fn check_interpolants(
    pool: &TermPool,
    formulas: &[Term],
    at: usize,
    steps: u64,
    counts: &mut Counts,
    claims: &mut Vec<Claim>,
) -> Result<(), String> {
    let parts = 2 + at % 3;
    let size = formulas.len().div_ceil(parts).max(1);
    let parts: Vec<Term> = formulas.chunks(size).map(|c| pool.and(c.iter().copied())).collect();
    let limits = Limits { steps: Some(steps), interrupt: None };
    let settings = interpolate::Settings { limits, ..Default::default() };
    let sequence = match NativeInterpolator::new(pool).interpolate(&parts, &settings) {
        Interpolation::Interpolants(sequence) => sequence,
        Interpolation::Sat(_) => return Err(format!("command {at}: a model instead of interpolants")),
        Interpolation::Unknown(_) => {
            counts.not_interpolated += 1;
            return Ok(());
        }
    };
    counts.interpolants += 1;
    if sequence.len() + 1 != parts.len() {
        return Err(format!("command {at}: {} interpolants of {} parts", sequence.len(), parts.len()));
    }
    let symbols =
        |terms: &[Term]| -> BTreeSet<Term> { terms.iter().flat_map(|&t| pool.free_vars(t)).collect() };
    for k in 0..parts.len() {
        let before = if k == 0 { pool.tru() } else { sequence[k - 1] };
        let after = sequence.get(k).copied().unwrap_or_else(|| pool.fls());
        if k > 0 {
            let (left, right) = (symbols(&parts[..k]), symbols(&parts[k..]));
            if !pool.free_vars(before).iter().all(|v| left.contains(v) && right.contains(v)) {
                let text = pool.infix(before);
                return Err(format!("command {at}: the symbols of the interpolant {text} are not shared"));
            }
        }
        let what = format!("command {at}: step {k} of interpolants");
        claims.push(Claim { what, formulas: vec![before, parts[k], pool.not(after)] });
    }
    Ok(())
}

/// Has the claims checked by the oracle or, without one, by fresh solvers. Returns how many stayed undecided.
pub fn confirm(pool: &TermPool, claims: &[Claim], oracle: &mut Option<Oracle<'_>>) -> Result<u64, String> {
    let mut verdicts: Vec<Verdict> = match oracle {
        Some(o) => o.conjunctions(&claims.iter().map(|c| &c.formulas[..]).collect::<Vec<_>>()),
        None => claims.iter().map(|c| decide_afresh(pool, &c.formulas)).collect(),
    };
    if let Some(o) = oracle {
        for (verdict, claim) in verdicts.iter_mut().zip(claims) {
            if *verdict == Verdict::Sat && !o.has_model(&claim.formulas) {
                *verdict = Verdict::Unknown;
            }
        }
    }
    if let Some(i) = verdicts.iter().position(|v| *v == Verdict::Sat) {
        return Err(format!("{}, but the oracle says sat", claims[i].what));
    }
    Ok(verdicts.iter().filter(|v| **v == Verdict::Unknown).count() as u64)
}

fn decide_afresh(pool: &TermPool, formulas: &[Term]) -> Verdict {
    let mut fresh = NativeSolver::new(pool);
    fresh.set_limits(Limits { steps: Some(2_000_000), interrupt: None });
    formulas.iter().for_each(|&t| fresh.assert(t));
    match fresh.check(&[]) {
        Answer::Sat(_) => Verdict::Sat,
        Answer::Unsat(_) => Verdict::Unsat,
        Answer::Unknown(_) => Verdict::Unknown,
    }
}

/// Checks with fewer assumptions or fewer temporaries.
fn smaller(command: &Command) -> Vec<Command> {
    let Command::Check { temporary, assumptions } = command else { return Vec::new() };
    let without = |list: &[Term], i: usize| [&list[..i], &list[i + 1..]].concat();
    let fewer_assumptions = (0..assumptions.len())
        .map(|i| Command::Check { temporary: temporary.clone(), assumptions: without(assumptions, i) });
    let fewer_temporaries = (0..temporary.len())
        .map(|i| Command::Check { temporary: without(temporary, i), assumptions: assumptions.clone() });
    fewer_assumptions.chain(fewer_temporaries).collect()
}

/// Cuts a failing script down as long as it fails: whole commands first, then assumptions and temporaries.
pub fn shrink(script: &[Command], fails: &mut dyn FnMut(&[Command]) -> bool) -> Vec<Command> {
    palisade_fuzzing::shrink(script, &smaller, fails)
}

/// A script as text.
pub fn show(pool: &TermPool, script: &[Command]) -> String {
    let list = |ts: &[Term]| ts.iter().map(|&t| pool.infix(t).to_string()).collect::<Vec<_>>().join(", ");
    let line = |c: &Command| match c {
        Command::Push => "push".to_string(),
        Command::Pop => "pop".to_string(),
        Command::Assert(t) => format!("assert {}", pool.infix(*t)),
        Command::Check { temporary, assumptions } => {
            format!("check with [{}] assuming [{}]", list(temporary), list(assumptions))
        }
    };
    script.iter().map(line).collect::<Vec<_>>().join("\n")
}

/// Plays a script, catching panics as failures.
pub fn play_safely(
    pool: &TermPool,
    script: &[Command],
    settings: &Settings,
) -> Result<(Counts, Vec<Claim>), String> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| play(pool, script, settings))).unwrap_or_else(
        |panic| {
            let text = panic.downcast_ref::<String>().cloned();
            let text = text.or_else(|| panic.downcast_ref::<&str>().map(|s| (*s).to_string()));
            Err(format!("panic: {}", text.unwrap_or_default()))
        },
    )
}

/// Plays a script and has its claims confirmed.
pub fn fails(
    pool: &TermPool,
    script: &[Command],
    settings: &Settings,
    oracle: &mut Option<Oracle<'_>>,
) -> Result<Counts, String> {
    let (mut counts, claims) = play_safely(pool, script, settings)?;
    counts.oracle_unknown += confirm(pool, &claims, oracle)?;
    Ok(counts)
}
