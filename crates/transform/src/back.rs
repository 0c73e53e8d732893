//! The way back: the trait every transformation answers with, and its composition.
//!
//! A transformation returns the new program together with a [`BackTranslation`]. A [`Pipeline`] keeps the
//! program before each stage and translates through them in reverse. What a translation returns is again
//! evidence of the same kind; it never weakens a certificate, and what it cannot express it refuses as
//! [`Untranslatable`].

use std::fmt;

use palisade_program::{CutInvariants, Invariants, Loc, Program, ReplayError, Run};
use palisade_term::{Term, TermPool};

/// Finds a formula between two others: given `a` and `b` whose conjunction is unsatisfiable, some `i` over
/// their common variables with `a => i` and `i and b` unsatisfiable; `None` when it cannot.
pub type Interpolator<'a> = dyn FnMut(Term, Term) -> Option<Term> + 'a;

/// What a translation may use.
pub struct Context<'a> {
    /// The pool of all terms.
    pub pool: &'a TermPool,
    /// Asked for an intermediate formula where quantifier elimination is out of reach.
    pub interpolator: Option<&'a mut Interpolator<'a>>,
    /// A bound on the distinct subterms of the formula of one location.
    pub max_size: usize,
    /// A bound on the work of the whole translation: the terms it creates, and the sizes of the formulas it
    /// takes preconditions of. What is used up is subtracted.
    pub allowance: usize,
}

impl<'a> Context<'a> {
    /// A context without an interpolator.
    pub fn new(pool: &'a TermPool) -> Self {
        Context { pool, interpolator: None, max_size: 200_000, allowance: usize::MAX }
    }

    /// The same, with an interpolator as the last resort.
    pub fn with_interpolator(pool: &'a TermPool, interpolator: &'a mut Interpolator<'a>) -> Self {
        Context { interpolator: Some(interpolator), ..Context::new(pool) }
    }
}

/// Why a certificate or run could not be translated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Untranslatable {
    /// The formula of a location inside a large block needs a quantifier that could not be eliminated. Finer
    /// cut points ([`crate::CutPoints`]) avoid it.
    Quantifier {
        /// The location of the old program.
        location: Loc,
        /// What stood in the way.
        reason: String,
    },
    /// [`Context::allowance`] is used up.
    Allowance,
    /// The transformation adds runs: there is no way back for one of them.
    Abstract,
    /// The number of formulas is not the number of locations.
    WrongLength,
    /// The run is not a run of the transformed program.
    NotARun(ReplayError),
}

impl fmt::Display for Untranslatable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Untranslatable::Quantifier { location, reason } => {
                write!(f, "no quantifier-free invariant at location {}: {reason}", location.0)
            }
            Untranslatable::Allowance => write!(f, "the invariants inside large blocks are too large"),
            Untranslatable::Abstract => write!(f, "the run is one of an abstraction"),
            Untranslatable::WrongLength => write!(f, "not one formula for each location"),
            Untranslatable::NotARun(e) => write!(f, "not a run of the transformed program: {e}"),
        }
    }
}

impl std::error::Error for Untranslatable {}

/// What comes back, or why nothing does.
pub type Back<T> = Result<T, Untranslatable>;

/// Translates evidence about the new program of a transformation into evidence about its old one.
pub trait BackTranslation {
    /// Formulas for the locations of `old` that the formulas of the new program tell about; locations inside
    /// blocks get none. If the given formulas are a certificate (entry true, error false, every path between
    /// annotated locations preserves them), the returned ones satisfy these conditions, too; see
    /// [`CutInvariants`]. That they cut every cycle of `old` is the business of the whole sequence
    /// ([`crate::prepare`](fn@crate::prepare)): a cycle may have been found infeasible and be gone.
    fn cut_invariants(&self, pool: &TermPool, old: &Program, new: &CutInvariants) -> Back<CutInvariants>;

    /// One formula for each location of `old`, from one for each location of the new program. If the given
    /// formulas are a certificate (entry true, error false, every edge inductive), so are the returned ones.
    fn invariants(&self, cx: &mut Context<'_>, old: &Program, new: &Invariants) -> Back<Invariants> {
        let formulas = self.cut_invariants(cx.pool, old, &new.clone().into())?;
        Ok(formulas.complete().expect("only blocks have an interior"))
    }

    /// The run of `old` that a run of the new program stands for.
    fn run(&self, pool: &TermPool, old: &Program, new: &Run) -> Back<Run>;
}

/// The result of a transformation.
pub struct Transformed {
    /// The new program.
    pub program: Program,
    /// The way back to the old one.
    pub back: Box<dyn BackTranslation>,
}

/// A sequence of transformations, as one.
#[derive(Default)]
pub struct Pipeline {
    stages: Vec<Stage>,
}

struct Stage {
    /// The program this stage was applied to; the first stage's is with the caller.
    old: Option<Program>,
    back: Box<dyn BackTranslation>,
}

impl Pipeline {
    /// The empty pipeline: the identity.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of transformations.
    pub fn len(&self) -> usize {
        self.stages.len()
    }

    /// No transformation yet.
    pub fn is_empty(&self) -> bool {
        self.stages.is_empty()
    }

    /// Appends a transformation of `current`, the program as the pipeline left it; returns the new program. A
    /// pipeline is always used with the program its first transformation was given.
    pub fn push(&mut self, current: Program, step: Transformed) -> Program {
        let old = if self.stages.is_empty() { None } else { Some(current) };
        self.stages.push(Stage { old, back: step.back });
        step.program
    }

    /// The program before stage number `at`; `old` is the one before the first.
    pub fn program<'p>(&'p self, old: &'p Program, at: usize) -> &'p Program {
        self.stages[at].old.as_ref().unwrap_or(old)
    }

    /// The stages from number `at` on. Their first program is [`Pipeline::program`].
    pub fn from_stage(&self, at: usize) -> Part<'_> {
        Part(&self.stages[at..])
    }

    /// The stages before number `at`.
    pub fn before_stage(&self, at: usize) -> Part<'_> {
        Part(&self.stages[..at])
    }
}

/// Some stages of a pipeline, one after the other.
#[derive(Clone, Copy)]
pub struct Part<'p>(&'p [Stage]);

impl Part<'_> {
    /// What the last program of the sequence has, through all stages.
    fn through_stages<T: Clone>(
        &self,
        old: &Program,
        new: &T,
        mut back: impl FnMut(&dyn BackTranslation, &Program, &T) -> Back<T>,
    ) -> Back<T> {
        let mut evidence = new.clone();
        for stage in self.0.iter().rev() {
            evidence = back(&*stage.back, stage.old.as_ref().unwrap_or(old), &evidence)?;
        }
        Ok(evidence)
    }
}

impl BackTranslation for Part<'_> {
    fn cut_invariants(&self, pool: &TermPool, old: &Program, new: &CutInvariants) -> Back<CutInvariants> {
        self.through_stages(old, new, |stage, old, new| stage.cut_invariants(pool, old, new))
    }

    fn invariants(&self, cx: &mut Context<'_>, old: &Program, new: &Invariants) -> Back<Invariants> {
        self.through_stages(old, new, |stage, old, new| stage.invariants(cx, old, new))
    }

    fn run(&self, pool: &TermPool, old: &Program, new: &Run) -> Back<Run> {
        self.through_stages(old, new, |stage, old, new| stage.run(pool, old, new))
    }
}

impl BackTranslation for Pipeline {
    fn cut_invariants(&self, pool: &TermPool, old: &Program, new: &CutInvariants) -> Back<CutInvariants> {
        self.from_stage(0).cut_invariants(pool, old, new)
    }

    fn invariants(&self, cx: &mut Context<'_>, old: &Program, new: &Invariants) -> Back<Invariants> {
        self.from_stage(0).invariants(cx, old, new)
    }

    fn run(&self, pool: &TermPool, old: &Program, new: &Run) -> Back<Run> {
        self.from_stage(0).run(pool, old, new)
    }
}
