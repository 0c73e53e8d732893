//! Craig interpolants of a sequence of formulas, all from one refutation.
//!
//! For parts `A_0 .. A_n` whose conjunction is unsatisfiable the result is `I_1 .. I_n` with `A_0 => I_1`,
//! `I_k and A_k => I_{k+1}`, `I_n and A_n => false`, each over symbols that occur both before and from part
//! `k` on. The solver's proof is walked once for all cuts (`partial`): McMillan's system for the Boolean part
//! ("An Interpolating Theorem Prover", TCS 2005) or its dual, the weighted sum of the earlier literals for a
//! Farkas lemma or the negated sum of the later ones, a congruence for a conflict between integer equalities.
//! Then the results are made smaller (`simplify`), keeping the sequence inductive.
//!
//! For this the solver restricts itself: integer splits are on single variables and no cuts are added, so no
//! literal mixes parts; equalities are two inequalities, so that `x = y` comes out rather than a point of it.
//! A proof that cannot be interpolated all the same gives `Unknown` with the reason.
//!
//! Entry points: [`Interpolator`], implemented by [`NativeInterpolator`] and by [`crate::PipeInterpolator`];
//! [`Settings`].

mod partial;
mod simplify;

use palisade_term::{Assignment, Term, TermPool};

use crate::native::{NativeSolver, Options};
use crate::solver::{Answer, Limits, Solver, Stats, UnknownReason};

/// A sequence of Craig interpolants, or why there is none.
#[derive(Clone, Debug)]
pub enum Interpolation {
    /// The conjunction is unsatisfiable; for parts `A_0 .. A_n` the interpolants `I_1 .. I_n` (one fewer than
    /// parts): `A_0 => I_1`, `I_k and A_k => I_{k+1}`, `I_n and A_n => false`, each over symbols shared
    /// between the parts before `k` and those from `k` on.
    Interpolants(Vec<Term>),
    /// The conjunction is satisfiable.
    Sat(Assignment),
    /// No refutation, or one that cannot be interpolated; every caller has a fallback.
    Unknown(UnknownReason),
}

/// A source of Craig interpolants. It does not depend on what any solver has asserted: the parts are all
/// there is.
pub trait Interpolator {
    /// The interpolants of a sequence of formulas, a model of their conjunction, or why there is neither.
    fn interpolate(&mut self, parts: &[Term], settings: &Settings) -> Interpolation;

    /// Counters since creation.
    fn stats(&self) -> Stats;
}

/// Which of the interpolants that a refutation has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Strength {
    /// The logically strongest: McMillan's system, and what the earlier parts say.
    #[default]
    Stronger,
    /// The logically weakest: its dual, and what the later parts need.
    Weaker,
}

/// How to interpolate.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Which interpolants to read off the refutation.
    pub strength: Strength,
    /// Make the interpolants smaller with the help of the solver.
    pub simplify: bool,
    /// Limits of the refutation; simplification adds a fixed bound of its own.
    pub limits: Limits,
}

impl Default for Settings {
    fn default() -> Self {
        Settings { strength: Strength::default(), simplify: true, limits: Limits::default() }
    }
}

/// Interpolants from the proofs of the native solver. See the [module](self).
pub struct NativeInterpolator<'p> {
    pool: &'p TermPool,
    stats: Stats,
}

impl<'p> NativeInterpolator<'p> {
    /// For the terms of a pool.
    pub fn new(pool: &'p TermPool) -> Self {
        NativeInterpolator { pool, stats: Stats::default() }
    }

    fn attempt(&mut self, parts: &[Term], settings: &Settings, equations: bool) -> Interpolation {
        let options = Options {
            proofs: true,
            cuts: false,
            equations,
            hold_back: false,
            checked: false,
            ..Options::default()
        };
        let mut solver = NativeSolver::with_options(self.pool, options);
        solver.set_limits(settings.limits.clone());
        for &t in parts {
            solver.assert(t);
        }
        let answer = solver.check(&[]);
        // The solver goes, and its memory with it.
        self.stats += Stats { memory: 0, ..solver.stats() };
        match answer {
            Answer::Sat(model) => return Interpolation::Sat(model),
            Answer::Unknown(why) => return Interpolation::Unknown(why),
            Answer::Unsat(_) => {}
        }
        let incomplete = |why: &str| Interpolation::Unknown(UnknownReason::Incomplete(why.into()));
        let refutation = match solver.last_refutation() {
            Some(Ok(r)) => r,
            Some(Err(why)) => return incomplete(why),
            None => return incomplete("the solver gave no proof"),
        };
        match partial::interpolants(self.pool, parts, &refutation.proof, settings.strength) {
            Err(why) => incomplete(&why),
            Ok(raw) => Interpolation::Interpolants(simplify::sequence(self.pool, parts, raw, settings)),
        }
    }
}

impl Interpolator for NativeInterpolator<'_> {
    fn interpolate(&mut self, parts: &[Term], settings: &Settings) -> Interpolation {
        // Equations over the integers first; what they derive may mix parts, and then splits must do.
        match self.attempt(parts, settings, true) {
            Interpolation::Unknown(UnknownReason::Incomplete(_)) => self.attempt(parts, settings, false),
            other => other,
        }
    }

    fn stats(&self) -> Stats {
        self.stats
    }
}
