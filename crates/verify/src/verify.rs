//! From a program to a checked verdict: prepare, run the engine, translate its claim back, check it.
//!
//! An engine's outcome is a claim about the prepared program. It is translated back to the program as the
//! front-end gave it and checked there; only then is there a verdict. A formula for every location is tried
//! first, within an allowance. Formulas at cut points are the fallback; a proof that comes back as neither
//! is UNKNOWN. A claim that fails its check is an [`Error::Defect`].
//! A program with edges for undefined behaviour is asked about twice, see [`crate::undefined`]; so is one in
//! which a run comes to something unsupported: another run may violate the property.
//!
//! Entry point: [`verify`].

use std::time::Duration;

use palisade_certify::{Checker, Proof, Rejection};
use palisade_engines::cell_facts::{self, CellFacts};
use palisade_engines::{Budget, Engine, Outcome, Partial, Shape, SolverFactory, Task};
use palisade_program::{CutInvariants, Invariants, Nest, Program, Property, Run};
use palisade_smt::interpolate::{self, Interpolation};
use palisade_smt::{Limits, Solver};
use palisade_term::TermPool;
use palisade_transform::{BackTranslation, Context, Facts, Prepared, Untranslatable};

use crate::error::Error;
use crate::observe::{Observer, Phase};
use crate::prepare::{prepare_with, wanted_shape};
use crate::settings::Settings;
use crate::undefined;
use crate::verdict::{Reason, Unknown, Verdict};

/// The work that a formula for every location may cost, in terms ([`Context::allowance`]): about a second.
const ALLOWANCE: usize = 100_000;
/// The same where a formula for every location is worth more.
const LARGE_ALLOWANCE: usize = 5_000_000;
/// A bound on one interpolation on the way back: some seconds.
const INTERPOLATION_STEPS: u64 = 10_000_000;
/// A bound on one question about the phases of a loop: tens of milliseconds.
const PHASE_STEPS: u64 = 20_000;

/// Facts about all cells of arrays are found soon or not at all.
const FACTS: Duration = Duration::from_secs(4);

/// How often twice the rounds are tried.
const MORE_ROUNDS: u32 = 3;

/// Verifies a program as its front-end gave it.
pub fn verify(
    pool: &TermPool,
    program: &Program,
    settings: &Settings<'_>,
    budget: &Budget,
    observer: &mut dyn Observer,
) -> Result<Verdict, Error> {
    let attempt = Attempt { pool, program, settings, budget, unwind: settings.options.general.unroll_short };
    let mut verdict = attempt.decide(observer)?;
    // The unwound program may be too large or too hard for the checker: then the stages behind unwinding run.
    if let (Verdict::Unknown(unknown), true) = (&verdict, attempt.unwind)
        && matches!(unknown.reason, Reason::Unchecked(_))
        && !settings.engine.stages().is_empty()
    {
        verdict = Attempt { unwind: false, ..attempt }.decide(observer)?;
    }
    let violation = match &verdict {
        Verdict::Unsafe(cex) if undefined::is_unsupported(cex.property(program)) => {
            attempt.violation(observer)?
        }
        _ => None,
    };
    Ok(violation.unwrap_or(verdict))
}

/// What an engine claims, translated back to the program as the front-end gave it.
enum Claim {
    Safe(CutInvariants),
    Unsafe(Run),
    Unknown(Box<Unknown>),
}

#[derive(Clone, Copy)]
struct Attempt<'a> {
    pool: &'a TermPool,
    program: &'a Program,
    settings: &'a Settings<'a>,
    budget: &'a Budget,
    /// Unwind programs whose loops have few rounds.
    unwind: bool,
}

impl Attempt<'_> {
    /// Is there an error, and if not, undefined behaviour?
    fn decide(&self, observer: &mut dyn Observer) -> Result<Verdict, Error> {
        if !undefined::occurs(self.program) {
            let claim = self.claim(observer)?;
            return self.certify(claim, observer);
        }
        let cut = undefined::cut(self.pool, self.program);
        let defined = Attempt { program: &cut, ..*self };
        if !undefined::is_reported(self.program) {
            // A proof must cover what is open anyway.
            let claim = self.claim(observer)?;
            let verdict = self.certify(claim, observer)?;
            return match &verdict {
                Verdict::Unsafe(cex) if undefined::is_undefined(cex.property(self.program)) => {
                    match defined.claim(observer)? {
                        claim @ Claim::Unsafe(_) => self.certify(claim, observer),
                        Claim::Safe(_) | Claim::Unknown(_) => Ok(verdict),
                    }
                }
                _ => Ok(verdict),
            };
        }
        let known = match defined.claim(observer)? {
            Claim::Safe(invariants) => invariants,
            other => return self.certify(other, observer),
        };
        observer.phase(Phase::Checking);
        if let Ok(proof) = self.proof(known.clone()) {
            return Ok(Verdict::Safe(proof));
        }
        match defined.certify(Claim::Safe(known.clone()), observer)? {
            Verdict::Safe(_) => {}
            other => return Ok(other),
        }
        let assuming = undefined::assuming(self.pool, self.program, &known);
        let claim = match (Attempt { program: &assuming, ..*self }).claim(observer)? {
            Claim::Safe(more) => Claim::Safe(undefined::together(self.pool, &known, more)),
            other => other,
        };
        self.certify(claim, observer)
    }

    /// A violation by a run that neither meets anything unsupported nor has undefined behaviour.
    fn violation(&self, observer: &mut dyn Observer) -> Result<Option<Verdict>, Error> {
        if !self.program.edges.iter().any(|e| matches!(e.origin.property, Some(Property::Violated(_)))) {
            return Ok(None);
        }
        let cut = undefined::cut_all(self.pool, self.program);
        match (Attempt { program: &cut, ..*self }).claim(observer)? {
            claim @ Claim::Unsafe(_) => self.certify(claim, observer).map(Some),
            Claim::Safe(_) | Claim::Unknown(_) => Ok(None),
        }
    }

    /// What the engine claims, or the first of its stages that comes to an answer.
    fn claim(&self, observer: &mut dyn Observer) -> Result<Claim, Error> {
        let mut stages = self.settings.engine.stages();
        let Some(last) = stages.pop() else { return self.stage(&*self.settings.engine, observer) };
        stages.retain(|e| e.applies(self.pool, self.program, &self.settings.options));
        for engine in stages {
            match self.stage(&*engine, observer)? {
                Claim::Unknown(why) if !matches!(why.reason, Reason::Stopped(_)) => {}
                answer => return Ok(answer),
            }
        }
        self.stage(&*last, observer)
    }

    /// Prepares the program, runs an engine and translates its claim back.
    fn stage(&self, engine: &dyn Engine, observer: &mut dyn Observer) -> Result<Claim, Error> {
        let shape = wanted_shape(engine, self.pool, self.program, &self.settings.options);
        let prepared = self.prepare(shape, observer)?;
        // Where no cell is wanted, this stage has nothing to say that another one does not.
        let own = engine.shape(self.pool, self.program, &self.settings.options);
        if matches!(own, Shape::Cells(_)) && prepared.forall.is_empty() {
            let reason = Reason::Incomplete("nothing is known of cells".to_owned());
            return Ok(self.unknown(&prepared, reason, Partial::default()));
        }
        self.run(engine, &prepared, observer)
    }

    /// Checks a proof. The rounds of the program may be more than those of what the engine had.
    fn proof(&self, mut invariants: CutInvariants) -> Result<Proof, Rejection> {
        let solvers = self.settings.solvers.check;
        let checker = Checker::new(self.pool, self.program).interrupted_by(self.budget.interrupt_flag());
        let check = |claim| checker.proof(claim, &|pool| limited(solvers, pool, self.budget, None));
        for _ in 0..MORE_ROUNDS {
            let Some(rounds) = invariants.rounds else { break };
            match check(invariants.clone()) {
                Err(Rejection::Rounds { .. }) => invariants.rounds = Some(2 * rounds.max(1)),
                other => return other,
            }
        }
        check(invariants)
    }

    fn prepare(&self, shape: Shape, observer: &mut dyn Observer) -> Result<Prepared, Error> {
        observer.phase(Phase::Transforming);
        let solver = limited(self.settings.solvers.transform, self.pool, self.budget, Some(PHASE_STEPS));
        let mut facts = |program: &Program| self.facts(program);
        let options = &self.settings.options;
        let prepared = prepare_with(self.pool, self.program, shape, options, solver, &mut facts);
        match prepared.program.check(self.pool) {
            Ok(()) => Ok(prepared),
            Err(e) => Err(Error::Defect(format!("after transformation: {e}"))),
        }
    }

    /// Questions about a prepared program.
    fn task<'t>(&'t self, program: &'t Program) -> Task<'t> {
        let Settings { solvers, options, .. } = self.settings;
        Task { pool: self.pool, program, solvers: solvers.engine, options }
    }

    /// Facts about all cells of a prepared program's arrays.
    fn facts(&self, program: &Program) -> Option<Facts> {
        let part = self.budget.part(FACTS);
        let CellFacts { index, facts } = cell_facts::find(&self.task(program), &part.budget)?;
        let mut formulas = vec![self.pool.tru(); program.locations.len()];
        for (l, fact) in facts {
            formulas[l.index()] = self.pool.and2(formulas[l.index()], fact);
        }
        Some(Facts { index, formulas })
    }

    /// Runs the engine and translates its claim back.
    fn run(
        &self,
        engine: &dyn Engine,
        prepared: &Prepared,
        observer: &mut dyn Observer,
    ) -> Result<Claim, Error> {
        observer.prepared(self.pool, &prepared.program);
        observer.phase(Phase::Verifying);
        let mut options = self.settings.options.clone();
        options.general.unroll_short = self.unwind && !self.settings.every_location;
        let task = Task {
            pool: self.pool,
            program: &prepared.program,
            solvers: self.settings.solvers.engine,
            options: &options,
        };
        match engine.run(&task, self.budget, &mut *observer) {
            Outcome::Unsafe(run) => match prepared.run(self.pool, self.program, &run) {
                Ok(run) => Ok(Claim::Unsafe(run)),
                Err(why @ Untranslatable::Abstract) => {
                    Ok(self.unknown(prepared, Reason::Incomplete(why.to_string()), Partial::default()))
                }
                Err(why) => Err(Error::Defect(why.to_string())),
            },
            Outcome::Safe(invariants) => {
                observer.phase(Phase::Translating);
                Ok(match self.translate(prepared, &invariants) {
                    Ok(invariants) => Claim::Safe(invariants),
                    Err(why) => {
                        let reason = Reason::Incomplete(format!("a proof was found, but {why}"));
                        let known = prepared.program.locs().map(|l| (l, invariants.at(l))).collect();
                        self.unknown(prepared, reason, Partial { invariants: known, ..Partial::default() })
                    }
                })
            }
            Outcome::Ends(depth) => {
                let bare = CutInvariants::bare(self.pool, self.program);
                let has_loops = !Nest::of(self.program, |_| true).heads().is_empty();
                Ok(Claim::Safe(CutInvariants { rounds: has_loops.then_some(depth), ..bare }))
            }
            Outcome::Unknown(reason, partial) => Ok(self.unknown(prepared, reason.into(), partial)),
        }
    }

    /// A formula for every location when that is cheap, else at cut points. The checker accepts those too,
    /// so no proof is lost on the way back.
    fn translate(&self, prepared: &Prepared, proof: &Invariants) -> Result<CutInvariants, Untranslatable> {
        let limits = limits(self.budget, Some(INTERPOLATION_STEPS));
        let settings = interpolate::Settings { limits, ..interpolate::Settings::default() };
        let mut interpolator = self.settings.solvers.transform.interpolator(self.pool);
        let mut between = |a, b| match interpolator.interpolate(&[a, b], &settings) {
            Interpolation::Interpolants(i) => i.first().copied(),
            _ => None,
        };
        let mut context = if self.settings.every_location {
            Context { allowance: LARGE_ALLOWANCE, ..Context::with_interpolator(self.pool, &mut between) }
        } else {
            Context { allowance: ALLOWANCE, ..Context::new(self.pool) }
        };
        let Some(at) = prepared.used_facts else {
            return match prepared.invariants(&mut context, self.program, proof) {
                Ok(all) => Ok(CutInvariants { forall: prepared.forall.clone(), ..all.into() }),
                Err(_) => prepared.cut_invariants(self.pool, self.program, proof),
            };
        };
        // Of the facts that were known about cells, few are needed.
        let program = prepared.back.program(self.program, at);
        let claim = CutInvariants { forall: prepared.forall.clone(), ..proof.clone().into() };
        let with_arrays = prepared.back.from_stage(at).cut_invariants(self.pool, program, &claim)?;
        let with_arrays = cell_facts::needed(&self.task(program), self.budget, with_arrays);
        let rest = prepared.back.before_stage(at);
        let all = with_arrays.complete().map(|all| rest.invariants(&mut context, self.program, &all));
        match all {
            Some(Ok(all)) => Ok(CutInvariants { forall: prepared.forall.clone(), ..all.into() }),
            _ => rest.cut_invariants(self.pool, self.program, &with_arrays),
        }
    }

    /// The budget's word counts more than the reason that an interrupted engine or solver gave.
    fn unknown(&self, prepared: &Prepared, reason: Reason, partial: Partial) -> Claim {
        let reason = self.budget.check().map_or_else(Reason::Stopped, |()| reason);
        Claim::Unknown(Box::new(Unknown { reason, partial, program: prepared.program.clone() }))
    }

    /// Checks the claim on the program as the front-end gave it.
    fn certify(&self, claim: Claim, observer: &mut dyn Observer) -> Result<Verdict, Error> {
        let checker = Checker::new(self.pool, self.program).interrupted_by(self.budget.interrupt_flag());
        if !matches!(claim, Claim::Unknown(_)) {
            observer.phase(Phase::Checking);
        }
        let checked = match claim {
            Claim::Unknown(unknown) => return Ok(Verdict::Unknown(unknown)),
            Claim::Safe(invariants) => self.proof(invariants).map(Verdict::Safe),
            Claim::Unsafe(run) => checker.counterexample(run).map(Verdict::Unsafe),
        };
        checked.or_else(|rejection| match rejected_claim(self.pool, self.program, self.budget, &rejection) {
            Reason::WrongCertificate(what) => Err(Error::Defect(format!("the certificate is wrong: {what}"))),
            reason => Ok(Unknown::bare(reason, self.program)),
        })
    }
}

/// Why a claim of an engine did not pass its check. The rounds of a proof by unwinding are a guess.
fn rejected_claim(pool: &TermPool, program: &Program, budget: &Budget, rejection: &Rejection) -> Reason {
    match (rejection, rejected(pool, program, budget, rejection)) {
        (Rejection::Rounds { .. }, Reason::WrongCertificate(what)) => Reason::Unchecked(what),
        (_, reason) => reason,
    }
}

/// Why a claim did not pass its check: out of time, out of the checker's reach, or wrong.
pub(crate) fn rejected(pool: &TermPool, program: &Program, budget: &Budget, rejection: &Rejection) -> Reason {
    let what = rejection.describe(pool, program);
    match (budget.check(), rejection) {
        (Err(stop), Rejection::Undecided { .. }) => Reason::Stopped(stop),
        (Ok(()), Rejection::Undecided { .. }) => Reason::Unchecked(what),
        _ => Reason::WrongCertificate(what),
    }
}

/// A solver that stops with the budget, and after so many steps of one query.
pub(crate) fn limited<'p>(
    solvers: &dyn SolverFactory,
    pool: &'p TermPool,
    budget: &Budget,
    steps: Option<u64>,
) -> Box<dyn Solver + 'p> {
    let mut solver = solvers.solver(pool);
    solver.set_limits(limits(budget, steps));
    solver
}

fn limits(budget: &Budget, steps: Option<u64>) -> Limits {
    Limits { steps, interrupt: Some(budget.interrupt_flag()) }
}
