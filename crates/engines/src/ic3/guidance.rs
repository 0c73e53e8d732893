//! Global guidance: conjectures from lemmas that differ only in constants or coefficients (`x <= 1`, `x <=
//! 2`, ...).
//!
//! After Vediramana Krishnan, Chen, Shoham and Gurfinkel, "Global Guidance for Local Generalization in Model
//! Checking" (CAV 2020). Local generalisation cannot see that it repeats itself; this module looks at all
//! lemmas of a location and proposes cubes that would end the repetition. A proposal is only a conjecture:
//! the engine tries it with a bounded number of steps and may fail harmlessly.
//!
//! - **Clusters**: lemmas with the same left-hand sides and moving constants. Proposals: the cube without the
//!   moving literals; the linear relation between the constants (the moving parameter eliminated by
//!   Fourier-Motzkin), for the whole line and for the half-line that the members run along; the hull of the
//!   constants.
//! - **Progressions**: single-inequality lemmas whose left-hand sides grow by one and the same step.
//!   Proposal: the step itself.

use std::collections::{BTreeMap, BTreeSet};

use palisade_program::Loc;
use palisade_term::{Rational, Sort, Term, TermPool};

use crate::literal::{self, HalfSpace};

/// The left-hand side of an inequality, its strictness and sort.
type Side = (Vec<(Term, Rational)>, bool, Sort);

/// The shape of a cube: its left-hand sides and the literals that are not inequalities.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Shape {
    location: Loc,
    sides: Vec<Side>,
    rest: Vec<Term>,
}

/// How often one conjecture is tried.
const MAX_TRIES: u32 = 3;
/// Members of a cluster that are looked at, newest first.
const WINDOW: usize = 8;
/// Lemmas that are compared with a new one in the search for progressions, newest first.
const PROGRESSION_WINDOW: usize = 64;

/// All lemmas seen, by shape, and the conjectures already made.
#[derive(Default)]
pub struct Guidance {
    clusters: BTreeMap<Shape, Vec<Vec<Rational>>>,
    singles: BTreeMap<Loc, Vec<HalfSpace>>,
    conjectured: BTreeMap<(Loc, Vec<Term>), u32>,
    /// Conjectures tried; the engine counts.
    pub tried: u64,
    /// Conjectures proved; the engine counts.
    pub proved: u64,
}

impl Guidance {
    /// Nothing seen yet.
    pub fn new() -> Guidance {
        Guidance::default()
    }

    /// Takes note of a lemma's cube and returns cubes worth conjecturing, the most general first.
    pub fn observe(
        &mut self,
        pool: &TermPool,
        location: Loc,
        cube: &[Term],
        progressions: bool,
    ) -> Vec<Vec<Term>> {
        let mut halves: Vec<HalfSpace> = Vec::new();
        let mut rest = Vec::new();
        for &l in cube {
            match HalfSpace::of(pool, l) {
                Some(h) => halves.push(h),
                None => rest.push(l),
            }
        }
        if halves.is_empty() {
            return Vec::new();
        }
        halves.sort_by(|a, b| a.expr.coeffs.cmp(&b.expr.coeffs));
        rest.sort_unstable();
        let shape = Shape {
            location,
            sides: halves.iter().map(|h| (h.expr.coeffs.clone(), h.strict, h.sort.clone())).collect(),
            rest: rest.clone(),
        };
        let constants: Vec<Rational> = halves.iter().map(|h| h.expr.constant.clone()).collect();
        let members = self.clusters.entry(shape).or_default();
        if !members.contains(&constants) {
            members.push(constants);
        }
        let window: Vec<Vec<Rational>> = members.iter().rev().take(WINDOW).cloned().collect();
        let mut out = Vec::new();
        if window.len() >= 3 {
            out.extend(cluster_conjectures(pool, &halves, &rest, &window));
        }
        if progressions && halves.len() == 1 && rest.is_empty() {
            out.extend(self.progression(pool, location, &halves[0]));
        }
        out.retain(|c| {
            let n = self.conjectured.entry((location, c.clone())).or_insert(0);
            *n += 1;
            *n <= MAX_TRIES
        });
        out
    }

    /// Three single-inequality lemmas whose left-hand sides are `f, f + d, f + 2d` propose `d`, with the
    /// constants it had in either step.
    fn progression(&mut self, pool: &TermPool, location: Loc, new: &HalfSpace) -> Vec<Vec<Term>> {
        let known = self.singles.entry(location).or_default();
        if known.contains(new) {
            return Vec::new();
        }
        let mut steps: BTreeSet<Term> = BTreeSet::new();
        for b in known.iter().rev().take(PROGRESSION_WINDOW) {
            if b.sort != new.sort || b.expr.coeffs == new.expr.coeffs {
                continue;
            }
            let d = new.expr.minus(&b.expr);
            let before = b.expr.minus(&d);
            for a in known.iter().filter(|a| a.sort == new.sort && a.expr.coeffs == before.coeffs) {
                for expr in [d.clone(), b.expr.minus(&a.expr)] {
                    steps
                        .insert(HalfSpace { expr, strict: new.strict, sort: new.sort.clone() }.literal(pool));
                }
            }
        }
        known.push(new.clone());
        steps.into_iter().filter(|t| pool.as_bool(*t).is_none()).map(|t| vec![t]).collect()
    }
}

/// Conjectures from a cluster: `window` holds the constants of its members, newest first.
fn cluster_conjectures(
    pool: &TermPool,
    halves: &[HalfSpace],
    rest: &[Term],
    window: &[Vec<Rational>],
) -> Vec<Vec<Term>> {
    let moving: Vec<usize> =
        (0..halves.len()).filter(|&j| window.iter().any(|c| c[j] != window[0][j])).collect();
    let fixed: Vec<Term> =
        (0..halves.len()).filter(|j| !moving.contains(j)).map(|j| halves[j].literal(pool)).collect();
    let mut out: Vec<Vec<Term>> = Vec::new();
    let mut propose = |extra: Vec<Term>| {
        let mut cube: Vec<Term> = rest.iter().chain(&fixed).copied().chain(extra).collect();
        cube.retain(|&t| t != pool.tru());
        literal::tidy(pool, &mut cube);
        if !cube.is_empty() && !cube.contains(&pool.fls()) && !out.contains(&cube) {
            out.push(cube);
        }
    };
    propose(Vec::new());
    // Each constant as weak as the weakest member.
    let hull = |j: usize| window.iter().map(|c| &c[j]).min().expect("a cluster has members").clone();
    let weakest = |j: usize| halves[j].with_constant(hull(j)).literal(pool);
    if let Some(line) = fit_line(&moving, window) {
        let relation = eliminate_parameter(pool, halves, &moving, &line);
        propose(relation.clone());
        // The same for the half-line from the first member on: what tightens along it is weakest there.
        let tightening = moving.iter().zip(&line).filter(|(_, (_, step))| step.is_positive());
        propose(relation.into_iter().chain(tightening.map(|(&j, _)| weakest(j))).collect());
    }
    propose(moving.iter().map(|&j| weakest(j)).collect());
    out
}

/// The moving constants as `base + t * step`, if the three newest members lie on a line.
fn fit_line(moving: &[usize], window: &[Vec<Rational>]) -> Option<Vec<(Rational, Rational)>> {
    let (a, b, c) = (&window[2], &window[1], &window[0]);
    let first = *moving.iter().find(|&&j| a[j] != b[j])?;
    let ratio = (&c[first] - &b[first]) / (&b[first] - &a[first]);
    let line: Vec<(Rational, Rational)> = moving.iter().map(|&j| (a[j].clone(), &b[j] - &a[j])).collect();
    let collinear = moving.iter().all(|&j| &c[j] - &b[j] == &ratio * (&b[j] - &a[j]));
    (collinear && !ratio.is_zero()).then_some(line)
}

/// `exists t. and_j e_j + base_j + t*step_j <= 0`, by Fourier-Motzkin on the single parameter `t`.
fn eliminate_parameter(
    pool: &TermPool,
    halves: &[HalfSpace],
    moving: &[usize],
    line: &[(Rational, Rational)],
) -> Vec<Term> {
    let at = |i: usize| -> HalfSpace { halves[moving[i]].with_constant(line[i].0.clone()) };
    let mut out = Vec::new();
    for i in 0..moving.len() {
        let si = &line[i].1;
        if si.is_zero() {
            out.push(at(i).literal(pool));
            continue;
        }
        for j in 0..moving.len() {
            let sj = &line[j].1;
            if si.is_positive() && sj.is_negative() && halves[moving[i]].sort == halves[moving[j]].sort {
                let sum = at(i).combine(&sj.abs(), &at(j), si);
                if !sum.expr.is_constant() {
                    out.push(sum.literal(pool));
                }
            }
        }
    }
    out
}
