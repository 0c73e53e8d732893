//! Affine relations modulo two at every location, by models: Karr's analysis over the field with two
//! elements.
//!
//! The abstract state is the affine hull of the parity vectors seen: a point and directions in echelon form,
//! one machine word each. A state that leaves it adds a direction, so a location changes at most once per
//! integer variable. What comes out are the equations of the hull, such as `i + j + n` is even. Relations of
//! one variable, and of two, are left to [`super::congruence`], which knows every modulus.

use palisade_program::Loc;
use palisade_term::{Assignment, Sort, Term, TermPool, eval::Evaluator};

use super::abstraction::{Domain, fixpoint, unreached};
use crate::{Budget, Task};

/// Locations with fewer integer variables than this have no relation worth finding here, with more than that
/// no room in a word.
const VARIABLES: std::ops::RangeInclusive<usize> = 3..=60;

/// An affine space of parity vectors; bit `i` belongs to the location's `i`-th integer variable.
#[derive(Clone)]
struct Hull {
    point: u64,
    /// Echelon form: the highest bit of each occurs in no other.
    directions: Vec<u64>,
}

impl Hull {
    /// Extends to a vector; false if it was included.
    fn join(&mut self, vector: u64) -> bool {
        let mut d = vector ^ self.point;
        for &b in &self.directions {
            if d & lead(b) != 0 {
                d ^= b;
            }
        }
        if d == 0 {
            return false;
        }
        for b in &mut self.directions {
            if *b & lead(d) != 0 {
                *b ^= d;
            }
        }
        self.directions.push(d);
        true
    }

    /// The equations of the space: a mask and the parity of the variables in it.
    fn equations(&self, variables: usize) -> Vec<(u64, bool)> {
        let leads: u64 = self.directions.iter().map(|&d| lead(d)).sum();
        let free = (0..variables).map(|i| 1u64 << i).filter(|bit| leads & bit == 0);
        free.map(|bit| {
            // The variable of `bit` follows from the leading ones whose direction moves it.
            let mask = self.directions.iter().filter(|d| *d & bit != 0).fold(bit, |m, &d| m | lead(d));
            (mask, (self.point & mask).count_ones() % 2 == 1)
        })
        .collect()
    }
}

fn lead(d: u64) -> u64 {
    1 << (63 - d.leading_zeros())
}

/// The integer variables of a location.
fn integers(task: &Task<'_>, l: Loc) -> Vec<Term> {
    task.program.vars(l).iter().copied().filter(|&v| *task.pool.sort(v) == Sort::Int).collect()
}

/// The equations of a hull as literals over the location's variables.
fn literals<'t>(pool: &'t TermPool, vars: &'t [Term], hull: &Hull) -> impl Iterator<Item = (u32, Term)> + 't {
    hull.equations(vars.len()).into_iter().map(|(mask, odd)| {
        let sum = pool.add((0..vars.len()).filter(|i| mask >> i & 1 == 1).map(|i| vars[i]));
        (mask.count_ones(), pool.eq(pool.int_mod(sum, pool.int(2)), pool.int(i64::from(odd))))
    })
}

/// The hulls of every location; `None` where nothing was seen.
struct Parities<'t, 'a> {
    task: &'t Task<'a>,
    vars: Vec<Vec<Term>>,
    at: Vec<Option<Hull>>,
}

impl Domain for Parities<'_, '_> {
    fn literals(&self, l: Loc) -> Option<Vec<Term>> {
        let hull = self.at[l.index()].as_ref()?;
        let vars = &self.vars[l.index()];
        if !VARIABLES.contains(&vars.len()) {
            return Some(Vec::new());
        }
        Some(literals(self.task.pool, vars, hull).map(|(_, t)| t).collect())
    }

    fn join(&mut self, l: Loc, state: &Assignment) -> bool {
        let mut ev = Evaluator::new(self.task.pool, state);
        let mut vector = 0;
        for (i, &v) in self.vars[l.index()].iter().enumerate().take(*VARIABLES.end()) {
            vector |= u64::from(ev.eval(v).as_int().bit(0)) << i;
        }
        match &mut self.at[l.index()] {
            slot @ None => {
                *slot = Some(Hull { point: vector, directions: Vec::new() });
                true
            }
            Some(hull) => hull.join(vector),
        }
    }
}

/// All relations of three and more variables modulo two, as literals by location; `known` are invariants
/// already found.
pub fn analyse(task: &Task<'_>, budget: &Budget, known: &[(Loc, Term)]) -> Vec<(Loc, Term)> {
    let vars: Vec<Vec<Term>> = task.program.locs().map(|l| integers(task, l)).collect();
    if !vars.iter().any(|v| VARIABLES.contains(&v.len())) {
        return Vec::new();
    }
    let mut domain = Parities { task, at: vec![None; vars.len()], vars };
    if fixpoint(task, budget, known, &mut domain).is_none() {
        return Vec::new();
    }
    let mut out: Vec<(Loc, Term)> = unreached(task, &domain).collect();
    for l in task.program.locs() {
        let vars = &domain.vars[l.index()];
        if let Some(hull) = &domain.at[l.index()]
            && VARIABLES.contains(&vars.len())
        {
            out.extend(literals(task.pool, vars, hull).filter(|(n, _)| *n > 2).map(|(_, t)| (l, t)));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::Hull;

    /// The hull of even-weight vectors has the one equation that says so.
    #[test]
    fn equations_describe_the_vectors_joined() {
        let mut hull = Hull { point: 0b000, directions: Vec::new() };
        assert!(hull.join(0b011) && hull.join(0b110));
        assert!(!hull.join(0b101));
        assert_eq!(hull.equations(3), [(0b111, false)]);
        assert!(hull.join(0b100));
        assert_eq!(hull.equations(3), []);
    }

    /// Every vector of a random space satisfies its equations, and there are as many as dimensions missing.
    #[test]
    fn equations_and_directions_are_complementary() {
        let mut random = palisade_fuzzing::Random::new(1);
        let mut next = || random.bits();
        for _ in 0..200 {
            let n = 2 + (next() % 9) as usize;
            let vectors: Vec<u64> = (0..next() % 8 + 1).map(|_| next() % (1 << n)).collect();
            let mut hull = Hull { point: vectors[0], directions: Vec::new() };
            for &v in &vectors {
                hull.join(v);
            }
            let equations = hull.equations(n);
            assert_eq!(equations.len() + hull.directions.len(), n);
            for (mask, odd) in equations {
                assert!(vectors.iter().all(|v| ((v & mask).count_ones() % 2 == 1) == odd));
            }
        }
    }
}
