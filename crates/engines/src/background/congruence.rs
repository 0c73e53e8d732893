//! Congruences at every location, by models (the domain of Granger, "Static Analysis of Arithmetical
//! Congruences", 1989).
//!
//! For every variable that is an integer or a bit-vector, and for sums and differences of two where there are
//! few, the abstract state is `expression = residue (mod modulus)`; modulus 0 means a constant, modulus 1
//! means anything. A state that leaves it replaces the modulus by the greatest common divisor with the
//! distance, so every expression changes only a few times. Bit-vectors wrap around at a power of two, so
//! their moduli are powers of two, and the facts are about their low bits.

use num_integer::Integer as _;
use num_traits::{One, Zero};
use palisade_program::Loc;
use palisade_term::{Assignment, Integer, Sort, Term, Value, eval::Evaluator};
use rustc_hash::FxHashSet;

use super::abstraction::{Domain, fixpoint, unreached};
use crate::{Budget, Task};

/// Locations with more variables than this get no sums and differences.
const MAX_PAIRWISE: usize = 6;

/// `expression = residue (mod modulus)`.
#[derive(Clone)]
struct Congruence {
    expression: Term,
    modulus: Integer,
    residue: Integer,
}

impl Congruence {
    /// The expression has this value.
    fn new(task: &Task<'_>, expression: Term, value: &Value) -> Congruence {
        let modulus = match task.pool.sort(expression) {
            Sort::BitVec(w) => Integer::one() << *w,
            _ => Integer::zero(),
        };
        Congruence { expression, modulus, residue: number(value) }
    }

    /// Extends to a value; false if it was included.
    fn join(&mut self, value: &Value) -> bool {
        let modulus = self.modulus.gcd(&(number(value) - &self.residue));
        if modulus == self.modulus {
            return false;
        }
        if !modulus.is_zero() {
            self.residue = self.residue.mod_floor(&modulus);
        }
        self.modulus = modulus;
        true
    }

    /// As a literal; true when it says nothing.
    fn literal(&self, task: &Task<'_>) -> Term {
        let pool = task.pool;
        if let Sort::BitVec(_) = pool.sort(self.expression) {
            let bits = (self.modulus.bits() - 1) as u32;
            if bits == 0 {
                return pool.tru();
            }
            return pool
                .eq(pool.extract(bits - 1, 0, self.expression), pool.bitvec(self.residue.clone(), bits));
        }
        let residue = pool.int(self.residue.clone());
        if self.modulus.is_zero() {
            return pool.eq(self.expression, residue);
        }
        pool.eq(pool.int_mod(self.expression, pool.int(self.modulus.clone())), residue)
    }
}

/// An integer, or an unsigned bit-vector.
fn number(value: &Value) -> Integer {
    match value {
        Value::BitVec(_, n) | Value::Int(n) => n.clone(),
        other => unreachable!("{other:?} is no number"),
    }
}

/// The congruences of every location; `None` where nothing was seen.
struct Congruences<'t, 'a> {
    task: &'t Task<'a>,
    at: Vec<Option<Vec<Congruence>>>,
}

impl Domain for Congruences<'_, '_> {
    fn literals(&self, l: Loc) -> Option<Vec<Term>> {
        self.at[l.index()].as_ref().map(|cs| cs.iter().map(|c| c.literal(self.task)).collect())
    }

    fn join(&mut self, l: Loc, state: &Assignment) -> bool {
        let mut ev = Evaluator::new(self.task.pool, state);
        match &mut self.at[l.index()] {
            slot @ None => {
                let start = |t: Term| Congruence::new(self.task, t, &ev.eval(t));
                *slot = Some(expressions(self.task, l).into_iter().map(start).collect());
                true
            }
            Some(cs) => {
                let mut grew = false;
                for c in cs.iter_mut() {
                    grew |= c.join(&ev.eval(c.expression));
                }
                cs.retain(|c| !c.modulus.is_one());
                grew
            }
        }
    }
}

/// All congruences that say something, as literals by location, except those that are known; `known` are
/// invariants already found. Constants belong to them: others may rest on them.
pub fn analyse(task: &Task<'_>, budget: &Budget, known: &[(Loc, Term)]) -> Vec<(Loc, Term)> {
    let mut domain = Congruences { task, at: vec![None; task.program.locations.len()] };
    if fixpoint(task, budget, known, &mut domain).is_none() {
        return Vec::new();
    }
    let mut out: Vec<(Loc, Term)> = unreached(task, &domain).collect();
    let known: FxHashSet<(Loc, Term)> = known.iter().copied().collect();
    for l in task.program.locs() {
        let found = domain.at[l.index()].iter().flatten().filter(|c| !c.modulus.is_one());
        out.extend(found.map(|c| (l, c.literal(task))).filter(|fact| !known.contains(fact)));
    }
    out
}

/// The expressions that are watched at a location.
fn expressions(task: &Task<'_>, l: Loc) -> Vec<Term> {
    let pool = task.pool;
    let counts = |v: &Term| matches!(pool.sort(*v), Sort::Int | Sort::BitVec(_));
    let vars: Vec<Term> = task.program.vars(l).iter().copied().filter(counts).collect();
    let mut out = vars.clone();
    if vars.len() <= MAX_PAIRWISE {
        for (i, &a) in vars.iter().enumerate() {
            for &b in vars[i + 1..].iter().filter(|&&b| pool.sort(b) == pool.sort(a)) {
                out.extend(match pool.sort(a) {
                    Sort::Int => [pool.sub(a, b), pool.add2(a, b)],
                    _ => [pool.bv_sub(a, b), pool.bv_add(a, b)],
                });
            }
        }
    }
    out
}
