//! Generalisation: from a blocked cube to a cube with more states that is still blocked.
//!
//! Every step has a switch (`generalize.*`) and a counter:
//! - the **lemma cache** (Lange, Prinz, Neuhaeusser, Noll and Katoen, "Improving Generalization in Software
//!   IC3", 2018): a lemma of a lower level that excludes the cube is tried as it is, which costs one query
//!   instead of a generalisation;
//! - the **core** of the blocking queries (Bradley, "SAT-Based Model Checking without Unrolling", 2011,
//!   section 4; Cimatti and Griggio, "Software Model Checking via IC3", 2012, section 3);
//! - **remainders last**: a core tends to the one literal about a remainder, and lemmas about remainders
//!   exclude one residue at a time; if the cube is blocked without them, they are dropped together;
//! - **syntactic variable reduction** along the weakest precondition (the same paper): literals that came
//!   from guards only, over variables that the weakest precondition of the next cube does not mention, are
//!   dropped together;
//! - **`mic`** with **`ctgDown`** ([`palisade_ic3::mic`]);
//! - **Farkas sums** ([`farkas`]);
//! - **relaxing** constants ([`relax`]).
//!
//! Each step only ever asks [`Flavour::blocked`]; what comes out is blocked at its place by construction.
//! Entry point: [`Generalizer::generalize`], for cubes of terms; other flavours use
//! [`palisade_ic3::mic`] alone.

pub mod farkas;
pub mod relax;

use std::collections::BTreeSet;

use palisade_ic3::mic::{Limits, Mic};
use palisade_term::{Op, Term, TermPool};
use rustc_hash::FxHashMap;

use super::{Answer, Flavour};
use crate::options;

/// How many lemmas of lower levels are tried for one cube.
const MAX_CACHED: usize = 2;

/// A flavour whose literals are terms.
pub trait TermFlavour: Flavour<Literal = Term> {
    /// The pool.
    fn pool(&self) -> &TermPool;

    /// The cubes of lemmas that exclude the cube but are not known to hold at its place, newest first.
    fn known(&self, at: Self::Place, cube: &[Term]) -> Vec<Vec<Term>>;
}

/// What each step did.
#[derive(Clone, Copy, Debug, Default)]
pub struct GeneralizeStats {
    /// Cubes blocked by a lemma that was known at a lower level.
    pub cached: u64,
    /// Literals removed by variable reduction.
    pub variables_dropped: u64,
    /// Cubes that are blocked without their literals about remainders.
    pub without_remainders: u64,
    /// Literals removed by cores.
    pub core_dropped: u64,
    /// Pairs replaced by their sum.
    pub sums: u64,
    /// Constants relaxed.
    pub relaxed: u64,
}

/// A blocked cube, and what is known about it.
#[derive(Clone, Debug)]
pub struct Blocked<'c> {
    /// The cube.
    pub cube: &'c [Term],
    /// The literals that its blocking queries needed.
    pub core: Vec<Term>,
    /// The variables of the weakest precondition that it was made for, where that is known.
    pub relevant: Option<&'c BTreeSet<Term>>,
}

/// The generaliser: switches, memory, counters.
pub struct Generalizer {
    options: options::Generalize,
    /// `mic`.
    pub mic: Mic<Term>,
    /// Counters.
    pub stats: GeneralizeStats,
    /// Whether a literal is about a remainder.
    about_remainders: FxHashMap<Term, bool>,
}

impl Generalizer {
    /// With the switches of the options.
    pub fn new(options: &options::Generalize) -> Generalizer {
        let limits = Limits {
            max_ctgs: if options.ctg { options.max_ctgs } else { 0 },
            max_obligations: options.ctg_limit,
            max_depth: options.max_depth,
            max_joins: options.max_joins,
            ..Limits::PLAIN
        };
        Generalizer {
            options: options.clone(),
            mic: Mic::new(limits),
            stats: GeneralizeStats::default(),
            about_remainders: FxHashMap::default(),
        }
    }

    /// Enlarges a cube that is blocked at `at`.
    pub fn generalize<F: TermFlavour>(
        &mut self,
        flavour: &mut F,
        at: F::Place,
        blocked: Blocked<'_>,
    ) -> Vec<Term> {
        if self.options.cache
            && let Some(known) = self.cached(flavour, at, blocked.cube)
        {
            return known;
        }
        let mut cube = if self.options.core {
            self.stats.core_dropped += (blocked.cube.len() - blocked.core.len()) as u64;
            blocked.core
        } else {
            blocked.cube.to_vec()
        };
        if self.options.remainders && cube.iter().any(|&l| self.is_remainder(flavour.pool(), l)) {
            cube = self.without_remainders(flavour, at, blocked.cube, cube);
        }
        if self.options.variables
            && let Some(relevant) = blocked.relevant
        {
            cube = self.variable_reduction(flavour, at, cube, relevant);
        }
        if self.options.mic {
            cube = self.mic.mic(flavour, at, cube);
        }
        if self.options.farkas {
            cube = farkas::farkas_sums(flavour, at, cube, &mut self.stats.sums);
        }
        if self.options.relax {
            cube = relax::relax_constants(flavour, at, cube, &mut self.stats.relaxed);
        }
        self.mic.reward(&cube);
        cube
    }

    /// A lemma of a lower level that excludes the cube and holds at `at` too.
    fn cached<F: TermFlavour>(&mut self, flavour: &mut F, at: F::Place, cube: &[Term]) -> Option<Vec<Term>> {
        for lemma in flavour.known(at, cube).iter().take(MAX_CACHED) {
            if let Answer::Yes(core) = flavour.blocked(at, lemma) {
                self.stats.cached += 1;
                self.mic.reward(&core);
                return Some(core);
            }
        }
        None
    }

    /// The part of the cube that is not about remainders, if it is blocked; else the core.
    fn without_remainders<F: TermFlavour>(
        &mut self,
        flavour: &mut F,
        at: F::Place,
        cube: &[Term],
        core: Vec<Term>,
    ) -> Vec<Term> {
        let pool = flavour.pool();
        let others: Vec<Term> = cube.iter().copied().filter(|&l| !self.is_remainder(pool, l)).collect();
        if others.is_empty() {
            return core;
        }
        match flavour.blocked(at, &others) {
            Answer::Yes(core) => {
                self.stats.without_remainders += 1;
                core
            }
            Answer::No(_) | Answer::Undecided(_) => core,
        }
    }

    fn is_remainder(&mut self, pool: &TermPool, literal: Term) -> bool {
        *self.about_remainders.entry(literal).or_insert_with(|| {
            let mut found = false;
            pool.visit([literal], |t| found |= *pool.op(t) == Op::Mod);
            found
        })
    }

    /// Keeps only the literals over relevant variables, if that is still blocked.
    fn variable_reduction<F: TermFlavour>(
        &mut self,
        flavour: &mut F,
        at: F::Place,
        cube: Vec<Term>,
        relevant: &BTreeSet<Term>,
    ) -> Vec<Term> {
        let (inside, outside): (Vec<Term>, Vec<Term>) =
            cube.iter().partition(|&&l| flavour.pool().free_vars(l).iter().any(|v| relevant.contains(v)));
        if inside.is_empty() || outside.len() < 2 {
            return cube; // a single literal is as cheap to drop by `mic`
        }
        match flavour.blocked(at, &inside) {
            Answer::Yes(core) => {
                self.stats.variables_dropped += (cube.len() - core.len()) as u64;
                core
            }
            Answer::No(_) | Answer::Undecided(_) => cube,
        }
    }

    /// The counters by name.
    pub fn counters(&self) -> [(&'static str, u64); 9] {
        [
            ("cubes blocked by cached lemmas", self.stats.cached),
            ("literals dropped by cores", self.stats.core_dropped),
            ("cubes blocked without remainders", self.stats.without_remainders),
            ("literals dropped by variable reduction", self.stats.variables_dropped),
            ("literals dropped by mic", self.mic.dropped),
            ("counterexamples to generalisation blocked", self.mic.ctgs),
            ("joins", self.mic.joins),
            ("farkas sums", self.stats.sums),
            ("constants relaxed", self.stats.relaxed),
        ]
    }
}
