//! Interpolants from a solver process.
//!
//! A process is asked only where [`super::PipeOptions::interpolation`] says that it understands the question,
//! and every interpolant is checked (shared symbols, implications) before it is given out. Which of the
//! interpolants of a refutation the process chooses is up to the process: [`Settings::strength`] and
//! [`Settings::simplify`] have no effect here.

use palisade_term::Term;

use super::PipeSolver;
use crate::interpolate::{Interpolation, Interpolator, Settings};
use crate::solver::{Answer, Limits, Solver, Stats, UnknownReason};

/// A solver process as a source of interpolants.
pub struct PipeInterpolator<'p> {
    solver: PipeSolver<'p>,
}

impl<'p> PipeInterpolator<'p> {
    /// Interpolants from the process of this solver. What is asserted in it is forgotten.
    pub fn new(mut solver: PipeSolver<'p>) -> Self {
        solver.scopes = vec![Vec::new()];
        solver.session = None;
        PipeInterpolator { solver }
    }

    fn refute(&mut self, parts: &[Term]) -> Interpolation {
        match self.solver.check(parts) {
            Answer::Sat(model) => return Interpolation::Sat(model),
            Answer::Unknown(why) => return Interpolation::Unknown(why),
            Answer::Unsat(_) => {}
        }
        if !self.solver.options.interpolation {
            let why = format!("{} gives no interpolants", self.solver.command[0]);
            return Interpolation::Unknown(UnknownReason::Incomplete(why));
        }
        self.solver.session = None;
        let asked = self.solver.guarded(|session, _, patience| session.interpolants(parts, patience));
        self.solver.session = None;
        let interpolants = match asked {
            Ok(interpolants) => interpolants,
            Err(why) => return Interpolation::Unknown(why),
        };
        match self.verify(parts, &interpolants) {
            Ok(()) => Interpolation::Interpolants(interpolants),
            Err(why) => Interpolation::Unknown(why),
        }
    }

    /// Each over shared variables, and each implied by the one before and its part.
    fn verify(&mut self, parts: &[Term], interpolants: &[Term]) -> Result<(), UnknownReason> {
        let pool = self.solver.pool;
        let vars: Vec<_> = parts.iter().map(|&p| pool.free_vars(p)).collect();
        for (k, &i) in interpolants.iter().enumerate() {
            let shared = |v: &Term| {
                vars[..=k].iter().any(|s| s.contains(v)) && vars[k + 1..].iter().any(|s| s.contains(v))
            };
            if let Some(stray) = pool.free_vars(i).into_iter().find(|v| !shared(v)) {
                let what = format!("an interpolant over {}, which is not shared", pool.infix(stray));
                return Err(UnknownReason::Failed(what));
            }
        }
        for (k, &part) in parts.iter().enumerate() {
            let before = if k == 0 { pool.tru() } else { interpolants[k - 1] };
            let after = interpolants.get(k).map_or(pool.tru(), |&i| pool.not(i));
            match self.solver.check(&[before, part, after]) {
                Answer::Unsat(_) => {}
                Answer::Sat(_) => {
                    return Err(UnknownReason::Failed("an interpolant that is not implied".into()));
                }
                Answer::Unknown(why) => return Err(why),
            }
        }
        Ok(())
    }
}

impl Interpolator for PipeInterpolator<'_> {
    fn interpolate(&mut self, parts: &[Term], settings: &Settings) -> Interpolation {
        self.solver.set_limits(settings.limits.clone());
        let result = self.refute(parts);
        // A process must not outlive the question: the next one may come much later.
        self.solver.session = None;
        self.solver.set_limits(Limits::default());
        result
    }

    fn stats(&self) -> Stats {
        self.solver.stats()
    }
}
