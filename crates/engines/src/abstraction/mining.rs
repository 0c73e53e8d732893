//! State mining: equations through the states for which the domain had to be refined.
//!
//! After Birgmeier, "Software Verification with IC3 via Abstraction and Interpolation" (master's thesis, TU
//! Wien 2013), section 3.4, algorithms 4 and 5. Interpolants may exclude one state after the other for ever;
//! an equation through several of these states is a guess at what they have in common.
//!
//! The lifted states of refinements are grouped by location, by the values of their control variables (the
//! thesis's program counter) and by the variables that they assign. A group with enough states is searched
//! for a linear equation ([`equations`], algorithm 5): the thesis asks an SMT solver for coefficients, we
//! compute the null space, of which every basis vector is an equation. Where there is none, a set of points
//! in general position, as many as there are unknowns, is the core, and smaller groups are tried without one
//! or without the others of these points (`Mining::mine`, algorithm 4).
//!
//! Entry point: [`Mining::add`].

use std::collections::BTreeMap;

use num_traits::{One, Zero};
use palisade_program::Loc;
use palisade_term::{Linear, Rational, Sort, Term, TermPool};

/// Fewer points than this always lie on a common line.
const FEWEST: usize = 3;

/// Groups tried for one state.
const MAX_GROUPS: usize = 64;

/// States of one kind: location, values of control, the sort and the variables of the point.
type Kind = (Loc, Vec<Term>, Vec<Term>);

/// A state as numbers, in the order of its kind's variables.
type Point = Vec<Rational>;

/// The states seen in refinements.
pub struct Mining {
    min_points: usize,
    groups: BTreeMap<Kind, Vec<Point>>,
    /// Equations found.
    pub found: u64,
}

impl Mining {
    /// Searches groups of so many states and more.
    pub fn new(min_points: usize) -> Mining {
        Mining { min_points: min_points.max(FEWEST), groups: BTreeMap::new(), found: 0 }
    }

    /// Adds a lifted state whose equations over `control` variables only say of which kind it is. Returns
    /// equations through the states of its kind.
    pub fn add(
        &mut self,
        pool: &TermPool,
        location: Loc,
        state: &[Term],
        is_control: impl Fn(Term) -> bool,
    ) -> Vec<Term> {
        let (mut control, mut variables, mut point) = (Vec::new(), Vec::new(), Vec::new());
        for &equation in state {
            match value_of(pool, equation) {
                Some((v, value)) if !is_control(v) => {
                    variables.push(v);
                    point.push(value);
                }
                _ => control.push(equation),
            }
        }
        let Some(&first) = variables.first() else { return Vec::new() };
        let sort = pool.sort(first).clone();
        if variables.len() < 2 || variables.iter().any(|v| *pool.sort(*v) != sort) {
            return Vec::new();
        }
        let kind = (location, control, variables);
        let points = self.groups.entry(kind.clone()).or_default();
        if !points.contains(&point) {
            points.push(point);
        }
        if points.len() < self.min_points {
            return Vec::new();
        }
        let all: Vec<usize> = (0..points.len()).collect();
        let mut left = MAX_GROUPS;
        let Some((used, found)) = mine(points, all, &mut left) else { return Vec::new() };
        let mut index = 0..;
        points.retain(|_| !used.contains(&index.next().expect("an endless range")));
        self.found += 1;
        let term = |c: &Vec<Rational>| equation(pool, &kind.2, c, &sort);
        found.iter().map(term).collect()
    }
}

/// `MINESTATES`: points of the group that have equations in common, with these.
fn mine(points: &[Point], group: Vec<usize>, left: &mut usize) -> Option<(Vec<usize>, Vec<Vec<Rational>>)> {
    if group.len() < FEWEST || *left == 0 {
        return None;
    }
    *left -= 1;
    let chosen: Vec<&Point> = group.iter().map(|&i| &points[i]).collect();
    match equations(&chosen) {
        Ok(found) => Some((group, found)),
        Err(core) => {
            let core: Vec<usize> = core.into_iter().map(|i| group[i]).collect();
            let without = |out: &[usize]| group.iter().copied().filter(|i| !out.contains(i)).collect();
            mine(points, without(&core[..1]), left).or_else(|| mine(points, without(&core[1..]), left))
        }
    }
}

/// The coefficients, constant last, of independent equations that all points satisfy; where there are none,
/// points in general position that show it.
pub fn equations(points: &[&Point]) -> Result<Vec<Vec<Rational>>, Vec<usize>> {
    let unknowns = points[0].len() + 1;
    // Rows in reduced echelon form, each with its pivot column.
    let mut rows: Vec<(usize, Vec<Rational>)> = Vec::new();
    let mut independent = Vec::new();
    for (i, point) in points.iter().enumerate() {
        let mut row: Vec<Rational> = point.iter().cloned().chain([Rational::one()]).collect();
        for (pivot, known) in &rows {
            subtract(&mut row, known, *pivot);
        }
        let Some(pivot) = row.iter().position(|c| !c.is_zero()) else { continue };
        let scale = row[pivot].clone();
        row.iter_mut().for_each(|c| *c = &*c / &scale);
        for (_, known) in &mut rows {
            subtract(known, &row, pivot);
        }
        rows.push((pivot, row));
        independent.push(i);
        if rows.len() == unknowns {
            return Err(independent);
        }
    }
    let free = (0..unknowns).filter(|c| rows.iter().all(|(p, _)| p != c));
    let vector = |f: usize| {
        let mut out = vec![Rational::zero(); unknowns];
        out[f] = Rational::one();
        for (pivot, row) in &rows {
            out[*pivot] = -&row[f];
        }
        out
    };
    Ok(free.map(vector).collect())
}

/// Makes the entry of a column zero by subtracting a row whose entry there is one.
fn subtract(row: &mut [Rational], known: &[Rational], column: usize) {
    let factor = row[column].clone();
    if factor.is_zero() {
        return;
    }
    for (c, k) in row.iter_mut().zip(known) {
        *c = &*c - &(&factor * k);
    }
}

/// The equation of these variables with these coefficients, constant last.
pub fn equation(pool: &TermPool, variables: &[Term], coefficients: &[Rational], sort: &Sort) -> Term {
    let constant = coefficients.last().expect("a constant").clone();
    let parts = variables.iter().zip(coefficients);
    let form = parts.fold(Linear::constant(constant), |sum, (&v, c)| sum.add_scaled(c, &Linear::term(v)));
    pool.linear_eq(form, sort)
}

/// The variable and value of an equation `variable = number`.
fn value_of(pool: &TermPool, equation: Term) -> Option<(Term, Rational)> {
    let &[v, c] = pool.args(equation) else { return None };
    let is_equation = *pool.op(equation) == palisade_term::Op::Eq && pool.is_var(v);
    is_equation.then(|| pool.as_number(c).map(|value| (v, value))).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point(values: &[i64]) -> Point {
        values.iter().map(|&v| Rational::from_integer(v.into())).collect()
    }

    #[test]
    fn points_on_a_line_give_its_equation() {
        let pool = TermPool::new();
        let (x, y, pc) = (pool.var("x", Sort::Int), pool.var("y", Sort::Int), pool.var("pc", Sort::Int));
        let mut mining = Mining::new(3);
        let mut add = |at: i64, a: i64, b: i64| {
            let state = [(pc, at), (x, a), (y, b)].map(|(v, c)| pool.eq(v, pool.int(c)));
            mining.add(&pool, Loc(2), &state, |v| v == pc)
        };
        // y = 2x + 1 at pc = 1; a state of another location does not count.
        assert!(add(1, 0, 1).is_empty());
        assert!(add(1, 1, 3).is_empty());
        assert!(add(2, 7, 7).is_empty());
        let found = add(1, 5, 11);
        assert_eq!(found, [pool.eq(pool.sub(y, pool.add2(x, x)), pool.int(1))]);
        // The points of an equation are used up.
        assert!(add(1, 2, 2).is_empty());
    }

    #[test]
    fn a_point_off_the_line_is_left_out() {
        // (0,0), (1,1), (2,2) and the outlier (0,5): the core of all four has three points.
        let points = [point(&[0, 5]), point(&[0, 0]), point(&[1, 1]), point(&[2, 2])];
        let all: Vec<&Point> = points.iter().collect();
        assert_eq!(equations(&all), Err(vec![0, 1, 2]));
        let (used, found) = mine(&points, vec![0, 1, 2, 3], &mut 10).expect("an equation");
        assert_eq!(used, [1, 2, 3]);
        assert_eq!(found.len(), 1);
    }

    #[test]
    fn few_points_have_several_equations() {
        // A line in space: two equations.
        let points = [point(&[0, 0, 4]), point(&[1, 2, 4]), point(&[2, 4, 4])];
        let all: Vec<&Point> = points.iter().collect();
        let found = equations(&all).expect("a line");
        assert_eq!(found.len(), 2);
        for c in &found {
            for p in &points {
                let sum = p.iter().zip(c).fold(c[3].clone(), |sum, (x, k)| sum + x * k);
                assert!(sum.is_zero());
            }
        }
    }
}
