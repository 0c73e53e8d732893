//! Ranges of floating-point numbers at every location, by models (the interval domain of Cousot and Cousot,
//! "Static Determination of Dynamic Properties of Programs", 1976; for floating point cf. Miné, "Relational
//! Abstract Domains for the Detection of Floating-Point Run-Time Errors", 2004).
//!
//! A floating-point number is a word here, and its operations are circuits ([`palisade_float`]). Nothing says
//! which words are numbers. So a word of 32 or 64 bits is taken for one where its bits without the sign are
//! used, as all those circuits do, or where it is copied from or to such a word. That is a guess which only
//! costs time: what is found is an invariant, whatever the bits mean.
//!
//! The abstract state of a number is a least and a greatest value, infinities included, and whether it may be
//! a NaN. A state that leaves the range moves the bound to the next threshold: a number that the program
//! compares with, or its negative, or zero; beyond all of them an infinity. So every bound moves only a few
//! times (widening with thresholds), and each move is one query, whose model is the state.
//!
//! Only for programs with loops that have such numbers, and with an allowance of its own: the last query of
//! an edge proves that a sum of products stays in its range, which takes the solver seconds.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use palisade_float::{Circuits, Format, exact};
use palisade_program::{Graph, Loc};
use palisade_term::{Assignment, Op, Term, Value};
use rustc_hash::FxHashSet;

use super::abstraction::{Domain, fixpoint_within, unreached};
use crate::{Budget, Task};

/// More numbers than this at one location are too many.
const MAX_NUMBERS: usize = 24;
/// So many thresholds of each type are used, the smallest ones first.
const MAX_THRESHOLDS: usize = 24;
/// Solver steps of the analysis.
const MAX_STEPS: u64 = 3_000_000;

/// The range of one word.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Range {
    word: Term,
    format: Format,
    /// The least and the greatest number; `None` while only a NaN was seen.
    bounds: Option<(u64, u64)>,
    may_be_nan: bool,
}

impl Range {
    fn new(word: Term, format: Format) -> Range {
        Range { word, format, bounds: None, may_be_nan: false }
    }

    /// Extends to a value; false if it was included.
    fn join(&mut self, value: u64, thresholds: &[u64]) -> bool {
        let f = self.format;
        if f.is_nan(value) {
            return !std::mem::replace(&mut self.may_be_nan, true);
        }
        let less = |a: u64, b: u64| exact::compare(f, a, b) == Some(Ordering::Less);
        let Some((least, greatest)) = &mut self.bounds else {
            self.bounds = Some((value, value));
            return true;
        };
        if less(value, *least) {
            let next = thresholds.iter().rev().find(|t| !less(value, **t));
            *least = next.copied().unwrap_or(f.infinity() | f.sign_bit());
            return true;
        }
        if less(*greatest, value) {
            let next = thresholds.iter().find(|t| !less(**t, value));
            *greatest = next.copied().unwrap_or(f.infinity());
            return true;
        }
        false
    }

    /// What it says, as literals.
    fn literals(&self, task: &Task<'_>) -> Vec<Term> {
        let (pool, f) = (task.pool, self.format);
        let c = Circuits::new(pool, f);
        let nan = c.is_nan(self.word);
        let Some((least, greatest)) = self.bounds else { return vec![nan] };
        let infinities = (least == f.infinity() | f.sign_bit(), greatest == f.infinity());
        let above = if infinities.0 { pool.not(nan) } else { c.le(c.constant(least), self.word) };
        let below = if infinities.1 { pool.not(nan) } else { c.le(self.word, c.constant(greatest)) };
        [above, below].map(|t| if self.may_be_nan { pool.or2(nan, t) } else { t }).to_vec()
    }
}

/// The ranges at every location; `None` where nothing was seen.
struct Ranges<'t, 'a> {
    task: &'t Task<'a>,
    numbers: &'t FxHashSet<Term>,
    /// The thresholds of both formats, in ascending order.
    thresholds: [Vec<u64>; 2],
    at: Vec<Option<Vec<Range>>>,
}

impl Domain for Ranges<'_, '_> {
    fn literals(&self, l: Loc) -> Option<Vec<Term>> {
        self.at[l.index()].as_ref().map(|rs| rs.iter().flat_map(|r| r.literals(self.task)).collect())
    }

    fn join(&mut self, l: Loc, state: &Assignment) -> bool {
        let (first, ranges) = match &mut self.at[l.index()] {
            Some(ranges) => (false, ranges),
            slot => {
                let words = self.task.program.vars(l).iter().filter(|v| self.numbers.contains(v));
                let start = |&v: &Term| Some(Range::new(v, format(self.task, v)?));
                (true, slot.insert(words.filter_map(start).collect()))
            }
        };
        let mut grew = first;
        for r in ranges {
            let Some(Value::BitVec(_, bits)) = state.get(r.word) else { continue };
            let Ok(bits) = u64::try_from(bits) else { continue };
            grew |= r.join(bits, &self.thresholds[usize::from(r.format == Format::BINARY64)]);
        }
        grew
    }
}

/// The ranges of all numbers, as literals by location; `known` are invariants already found.
pub fn analyse(task: &Task<'_>, budget: &Budget, known: &[(Loc, Term)]) -> Vec<(Loc, Term)> {
    let program = task.program;
    let Some((numbers, thresholds)) = subjects(task) else { return Vec::new() };
    let at = vec![None; program.locations.len()];
    let mut domain = Ranges { task, numbers: &numbers, thresholds, at };
    if fixpoint_within(task, budget, known, &mut domain, MAX_STEPS).is_none() {
        return Vec::new();
    }
    let mut out: Vec<(Loc, Term)> = unreached(task, &domain).collect();
    for l in program.locs() {
        let literals = domain.literals(l).into_iter().flatten();
        out.extend(literals.filter(|t| task.pool.as_bool(*t).is_none()).map(|t| (l, t)));
    }
    out
}

/// Are there numbers in loops, and thresholds for them?
pub fn applies(task: &Task<'_>) -> bool {
    subjects(task).is_some()
}

/// The numbers and the thresholds of both formats, if the analysis has something to look at.
fn subjects(task: &Task<'_>) -> Option<(FxHashSet<Term>, [Vec<u64>; 2])> {
    let program = task.program;
    let numbers = numbers(task);
    let count = |l: Loc| program.vars(l).iter().filter(|v| numbers.contains(v)).count();
    let in_loop = Graph::new(program).loop_heads().any(|l| count(l) > 0);
    if !in_loop || program.locs().any(|l| count(l) > MAX_NUMBERS) {
        return None;
    }
    let thresholds = [Format::BINARY32, Format::BINARY64].map(|f| thresholds(task, f));
    thresholds.iter().any(|t| !t.is_empty()).then_some((numbers, thresholds))
}

/// The format that a word of this width may have.
fn format(task: &Task<'_>, v: Term) -> Option<Format> {
    match task.pool.sort(v).width() {
        Some(32) => Some(Format::BINARY32),
        Some(64) => Some(Format::BINARY64),
        _ => None,
    }
}

/// The variables and inputs that look like floating-point numbers.
pub(crate) fn numbers(task: &Task<'_>) -> FxHashSet<Term> {
    let (pool, program) = (task.pool, task.program);
    let mut out: FxHashSet<Term> = FxHashSet::default();
    let terms = program.edges.iter().flat_map(|e| e.update.iter().copied().chain([e.guard]));
    pool.visit(terms, |t| {
        if let Op::Extract(high, 0) = pool.op(t)
            && let &[word] = pool.args(t)
            && pool.is_var(word)
            && format(task, word).is_some_and(|f| f.width() == high + 2)
        {
            out.insert(word);
        }
    });
    // Copies of numbers are numbers.
    loop {
        let before = out.len();
        for edge in &program.edges {
            for (&u, &v) in edge.update.iter().zip(program.vars(edge.target)) {
                if pool.is_var(u) && (out.contains(&u) || out.contains(&v)) {
                    out.extend([u, v]);
                }
            }
        }
        if out.len() == before {
            return out;
        }
    }
}

/// The numbers that the program compares magnitudes with, their negatives, and zero, in ascending order; none
/// if it does not.
pub(crate) fn thresholds(task: &Task<'_>, f: Format) -> Vec<u64> {
    let pool = task.pool;
    let mut magnitudes: BTreeSet<u64> = BTreeSet::new();
    let terms = task.program.edges.iter().flat_map(|e| e.update.iter().copied().chain([e.guard]));
    pool.visit(terms, |t| {
        if let Op::BvUlt | Op::BvUle = pool.op(t) {
            for &side in pool.args(t) {
                if let Some(m) = pool.as_bitvec(side)
                    && pool.width(side) + 1 == f.width()
                    && let Ok(m) = u64::try_from(m)
                    && m < f.infinity()
                {
                    magnitudes.insert(m);
                }
            }
        }
    });
    if magnitudes.is_empty() {
        return Vec::new();
    }
    magnitudes.remove(&0);
    let positive: Vec<u64> = magnitudes.into_iter().take(MAX_THRESHOLDS).collect();
    let negative = positive.iter().rev().map(|m| m | f.sign_bit());
    negative.chain([0]).chain(positive.iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use palisade_term::{Sort, TermPool};

    #[test]
    fn bounds_move_to_thresholds() {
        let pool = TermPool::new();
        let f = Format::BINARY64;
        let bits = |v: f64| v.to_bits();
        let thresholds: Vec<u64> = [-10.0, -1.0, 0.0, 1.0, 10.0].map(bits).to_vec();
        let mut r = Range::new(pool.var("x", Sort::BitVec(64)), f);
        assert!(r.join(bits(0.0), &thresholds));
        assert!(!r.join(bits(-0.0), &thresholds), "the zeros are equal");
        assert!(r.join(bits(0.5), &thresholds));
        assert_eq!(r.bounds, Some((bits(0.0), bits(1.0))));
        assert!(!r.join(bits(1.0), &thresholds));
        assert!(r.join(bits(-1.5), &thresholds));
        assert_eq!(r.bounds, Some((bits(-10.0), bits(1.0))));
        assert!(r.join(bits(11.0), &thresholds) && !r.join(bits(f64::INFINITY), &thresholds));
        assert_eq!(r.bounds, Some((bits(-10.0), bits(f64::INFINITY))));
        assert!(r.join(bits(f64::NAN), &thresholds) && !r.join(bits(-f64::NAN), &thresholds));
        assert_eq!(r.bounds, Some((bits(-10.0), bits(f64::INFINITY))));
    }
}
