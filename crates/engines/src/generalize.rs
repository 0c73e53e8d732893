//! Generalisation: from a blocked cube to a cube with more states that is still blocked.
//!
//! Every step has a switch (`generalize.*`) and a counter:
//! - the **lemma cache** (Lange et al. 2018): a lemma of a lower level that excludes the cube is tried as it is, which costs one query instead of a
//!   generalisation;
//! - the **core** of the blocking queries (Bradley 2011 §4; seed 000 §3);
//! - **syntactic variable reduction** along the weakest precondition (Lange et al. 2018): literals that came from guards only, over variables that the
//!   weakest precondition of the next cube does not mention, are dropped together;
//! - **`mic`**: dropping literals one at a time, those least active in earlier lemmas first, each failure answered by
//!   **`ctgDown`**: counterexamples to generalisation are blocked one level below when that takes one query (Hassan, Bradley, Somenzi 2013);
//! - **Farkas sums**: two inequalities of the cube are replaced by a positive combination of them, which is what an interpolant of the
//!   edge query would contain: `k <= 0, j <= n-1` becomes `j+k <= n-1`. The combinations tried are the plain sum and those that cancel a variable;
//! - **relaxing** the constants of inequalities as far as the cube stays blocked.
//!
//! Each step only ever asks [`Consecution::cube`]; what comes out is blocked at the given level by construction. Entry point: [`Generalizer::generalize`].

use std::collections::BTreeSet;

use num_traits::{Signed, Zero};
use palisade_program::Loc;
use palisade_term::{Rational, Term};
use rustc_hash::FxHashMap;

use crate::Options;
use crate::consecution::{Consecution, CubeAnswer};
use crate::frames::{Frames, LemmaId};
use crate::literal::{self, HalfSpace};
use crate::predecessor::Predecessors;

/// How many counterexamples to generalisation are blocked for one dropped literal.
const MAX_CTGS: usize = 3;
/// How deep the blocking of counterexamples to generalisation may nest.
const MAX_CTG_DEPTH: usize = 1;
/// Cubes with more inequalities than this are not summed pairwise.
const MAX_FARKAS: usize = 12;

/// How many lemmas of lower levels are tried for one cube.
const MAX_CACHED: usize = 2;

/// What each step did.
#[derive(Clone, Copy, Debug, Default)]
pub struct GeneralizeStats {
    /// Cubes blocked by a lemma that was known at a lower level.
    pub cached: u64,
    /// Literals removed by variable reduction.
    pub variables_dropped: u64,
    /// Literals removed by cores.
    pub core_dropped: u64,
    /// Literals removed by `mic`.
    pub mic_dropped: u64,
    /// Counterexamples to generalisation that were blocked.
    pub ctgs: u64,
    /// Pairs replaced by their sum.
    pub sums: u64,
    /// Constants relaxed.
    pub relaxed: u64,
}

/// Where a cube is blocked: a location and the level up to which.
#[derive(Clone, Copy, Debug)]
pub struct At {
    /// The location.
    pub location: Loc,
    /// The level.
    pub level: u32,
}

/// The generaliser: switches, literal activity, counters.
pub struct Generalizer {
    cache: bool,
    core: bool,
    variables: bool,
    mic: bool,
    ctg: bool,
    farkas: bool,
    relax: bool,
    activity: FxHashMap<Term, f64>,
    bump: f64,
    /// Counters.
    pub stats: GeneralizeStats,
}

impl Generalizer {
    /// With the switches of the options.
    pub fn new(options: &Options) -> Generalizer {
        Generalizer {
            cache: options.generalize.cache,
            core: options.generalize.core,
            variables: options.generalize.variables,
            mic: options.generalize.mic,
            ctg: options.generalize.ctg,
            farkas: options.generalize.farkas,
            relax: options.generalize.relax,
            activity: FxHashMap::default(),
            bump: 1.0,
            stats: GeneralizeStats::default(),
        }
    }

    /// A lemma of a lower level that excludes the cube and holds at `at` too.
    fn cached(
        &mut self,
        q: &mut Consecution<'_>,
        frames: &Frames,
        at: At,
        cube: &[Term],
    ) -> Option<Vec<Term>> {
        let mut known: Vec<(LemmaId, Vec<Term>)> = (frames.excluding(q.pool(), at.location, cube))
            .filter(|(_, m)| m.level < at.level)
            .map(|(id, m)| (id, m.cube.clone()))
            .collect();
        known.sort_unstable_by_key(|(id, _)| std::cmp::Reverse(*id));
        for (_, lemma) in known.iter().take(MAX_CACHED) {
            if let CubeAnswer::Blocked(core) = q.cube(frames, at.location, lemma, at.level) {
                self.stats.cached += 1;
                self.reward(&core);
                return Some(core);
            }
        }
        None
    }

    /// Enlarges a cube that is blocked at `at`; `core` are the literals that its blocking queries needed, `relevant` the variables of the weakest precondition that
    /// the cube was made for, where that is known.
    pub fn generalize(
        &mut self,
        q: &mut Consecution<'_>,
        frames: &mut Frames,
        predecessors: &Predecessors,
        at: At,
        (cube, core): (&[Term], Vec<Term>),
        relevant: Option<&BTreeSet<Term>>,
    ) -> Vec<Term> {
        if self.cache
            && let Some(known) = self.cached(q, frames, at, cube)
        {
            return known;
        }
        let mut cube = if self.core {
            self.stats.core_dropped += (cube.len() - core.len()) as u64;
            core
        } else {
            cube.to_vec()
        };
        if self.variables
            && let Some(relevant) = relevant
        {
            cube = self.variable_reduction(q, frames, at, cube, relevant);
        }
        if self.mic {
            cube = self.mic(q, frames, predecessors, at, cube, 0);
        }
        if self.farkas {
            cube = self.farkas_sums(q, frames, at, cube);
        }
        if self.relax {
            cube = self.relax_constants(q, frames, at, cube);
        }
        self.reward(&cube);
        cube
    }

    /// Keeps only the literals over relevant variables, if that is still blocked.
    fn variable_reduction(
        &mut self,
        q: &mut Consecution<'_>,
        frames: &Frames,
        at: At,
        cube: Vec<Term>,
        relevant: &BTreeSet<Term>,
    ) -> Vec<Term> {
        let (inside, outside): (Vec<Term>, Vec<Term>) =
            cube.iter().partition(|&&l| q.pool().free_vars(l).iter().any(|v| relevant.contains(v)));
        if inside.is_empty() || outside.len() < 2 {
            return cube; // a single literal is as cheap to drop by `mic`
        }
        match q.cube(frames, at.location, &inside, at.level) {
            CubeAnswer::Blocked(core) => {
                self.stats.variables_dropped += (cube.len() - core.len()) as u64;
                core
            }
            _ => cube,
        }
    }

    /// Literals of lemmas become more active: they are dropped last.
    fn reward(&mut self, cube: &[Term]) {
        for &l in cube {
            *self.activity.entry(l).or_insert(0.0) += self.bump;
        }
        self.bump *= 1.05;
        if self.bump > 1e100 {
            self.activity.values_mut().for_each(|a| *a *= 1e-100);
            self.bump *= 1e-100;
        }
    }

    /// `mic`: a minimal (up to one pass) subcube that is still blocked.
    fn mic(
        &mut self,
        q: &mut Consecution<'_>,
        frames: &mut Frames,
        predecessors: &Predecessors,
        at: At,
        mut cube: Vec<Term>,
        depth: usize,
    ) -> Vec<Term> {
        let mut order = cube.clone();
        order.sort_by(|a, b| {
            let act = |t: &Term| self.activity.get(t).copied().unwrap_or(0.0);
            act(a).total_cmp(&act(b)).then(a.cmp(b))
        });
        for lit in order {
            if cube.len() <= 1 || !cube.contains(&lit) {
                continue;
            }
            let smaller: Vec<Term> = cube.iter().copied().filter(|&x| x != lit).collect();
            if let Some(core) = self.down(q, frames, predecessors, at, &smaller, depth) {
                self.stats.mic_dropped += (cube.len() - core.len()) as u64;
                cube = core;
            }
        }
        cube
    }

    /// `ctgDown` without joins: is the cube blocked, possibly after blocking a few counterexamples to generalisation?
    fn down(
        &mut self,
        q: &mut Consecution<'_>,
        frames: &mut Frames,
        predecessors: &Predecessors,
        at: At,
        cube: &[Term],
        depth: usize,
    ) -> Option<Vec<Term>> {
        let mut ctgs = 0;
        loop {
            match q.cube(frames, at.location, cube, at.level) {
                CubeAnswer::Blocked(core) => return Some(core),
                CubeAnswer::Unknown(_) => return None,
                CubeAnswer::Predecessor(e, model) => {
                    if !self.ctg || ctgs >= MAX_CTGS || depth >= MAX_CTG_DEPTH || at.level <= 1 {
                        return None;
                    }
                    let source = q.program().edge(e).source;
                    if source == q.program().entry {
                        return None;
                    }
                    let ctg = predecessors.cube(q, e, &model, cube)?;
                    let below = At { location: source, level: at.level - 1 };
                    let CubeAnswer::Blocked(core) = q.cube(frames, source, &ctg, below.level) else {
                        return None;
                    };
                    let blocked = self.mic(q, frames, predecessors, below, core, depth + 1);
                    frames.add(q.pool(), source, blocked, below.level)?;
                    self.stats.ctgs += 1;
                    ctgs += 1;
                }
            }
        }
    }

    /// Replaces pairs of inequalities by sums while the cube stays blocked.
    fn farkas_sums(
        &mut self,
        q: &mut Consecution<'_>,
        frames: &Frames,
        at: At,
        mut cube: Vec<Term>,
    ) -> Vec<Term> {
        'again: loop {
            let halves: Vec<(Term, HalfSpace)> =
                cube.iter().filter_map(|&t| HalfSpace::of(q.pool(), t).map(|h| (t, h))).collect();
            if halves.len() < 2 || halves.len() > MAX_FARKAS {
                return cube;
            }
            for (i, (a, ha)) in halves.iter().enumerate() {
                for (b, hb) in &halves[i + 1..] {
                    if ha.sort != hb.sort {
                        continue;
                    }
                    for sum in combinations(ha, hb) {
                        if sum.expr.is_constant() {
                            continue; // the pair is contradictory or says nothing together
                        }
                        let lit = sum.literal(q.pool());
                        let mut candidate: Vec<Term> =
                            cube.iter().copied().filter(|t| t != a && t != b).collect();
                        candidate.push(lit);
                        literal::tidy(q.pool(), &mut candidate);
                        if let CubeAnswer::Blocked(core) = q.cube(frames, at.location, &candidate, at.level) {
                            self.stats.sums += 1;
                            cube = core;
                            continue 'again;
                        }
                    }
                }
            }
            return cube;
        }
    }

    /// Moves the constant of each inequality outward while the cube stays blocked: doubling steps, then none.
    fn relax_constants(
        &mut self,
        q: &mut Consecution<'_>,
        frames: &Frames,
        at: At,
        mut cube: Vec<Term>,
    ) -> Vec<Term> {
        for lit in cube.clone() {
            let Some(half) = HalfSpace::of(q.pool(), lit) else { continue };
            let mut step = Rational::from_integer(1.into());
            let mut current = lit;
            let mut constant = half.expr.constant.clone();
            for _ in 0..8 {
                let moved = half.with_constant(&constant - &step);
                let new = moved.literal(q.pool());
                let candidate: Vec<Term> = cube.iter().map(|&t| if t == current { new } else { t }).collect();
                match q.cube(frames, at.location, &candidate, at.level) {
                    CubeAnswer::Blocked(core) if core.contains(&new) => {
                        self.stats.relaxed += 1;
                        cube = core;
                        current = new;
                        constant -= &step;
                        step = &step + &step;
                    }
                    CubeAnswer::Blocked(core) => {
                        cube = core; // not needed at all
                        break;
                    }
                    _ => break,
                }
            }
        }
        cube
    }
}

/// The combinations of two half-spaces worth trying: each that cancels a shared variable, and the plain sum.
fn combinations(a: &HalfSpace, b: &HalfSpace) -> Vec<HalfSpace> {
    let one = Rational::from_integer(1.into());
    let mut out = vec![a.combine(&one, b, &one)];
    for (v, c) in &a.expr.coeffs {
        let d = b.expr.coeff(*v);
        if d.is_zero() || c.is_positive() == d.is_positive() {
            continue;
        }
        let (x, y) = (d.abs(), c.abs());
        if x == y {
            continue; // the plain sum cancels it already
        }
        let sum = a.combine(&x, b, &y);
        if !out.contains(&sum) {
            out.push(sum);
        }
    }
    out
}
