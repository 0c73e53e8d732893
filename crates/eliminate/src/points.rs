//! Test points: finitely many instances that are as good as all values.
//!
//! The points of the smaller side are taken: lower or upper bounds for numbers (Cooper, "Theorem Proving in
//! Arithmetic without Multiplication", 1972; Loos and Weispfenning, "Applying Linear Quantifier Elimination",
//! 1993), the starts of segments around the circle for bit-vectors. See the [module above](super) for the
//! kinds of points.

use palisade_term::{Integer, Linear, Op, Rational, Sort, Term, TermPool};
use rustc_hash::FxHashMap;

use super::Eliminator;
use crate::bounds;

/// Bound on the test points of one disjunction.
const MAX_POINTS: usize = 256;

/// Bit-vectors up to this width are tried value by value when all else fails.
const SMALL_WIDTH: u32 = 4;

/// A test point of an arithmetic variable.
#[derive(Clone, PartialEq, Eq)]
enum Point {
    /// Far below (`-1`) or far above (`1`) everything.
    Infinity(i8),
    /// A value.
    Value(Term),
    /// Right above (`1`) or below (`-1`) a value; rationals only.
    Beside(Linear, i8),
}

/// An arithmetic atom that mentions the variable: `k*v + rest rel 0`.
struct Atom {
    atom: Term,
    op: Op,
    k: Rational,
    rest: Linear,
}

impl Eliminator<'_> {
    /// `forall v. f` for a formula in negation normal form, as the conjunction of instances at test points.
    pub(super) fn instances(&mut self, f: Term) -> Result<Term, String> {
        match self.pool.sort(self.v).clone() {
            Sort::Bool => {
                let both = [self.pool.tru(), self.pool.fls()];
                Ok(self.conjoin(f, both.into_iter()))
            }
            sort @ (Sort::Int | Sort::Real) => self.arithmetic(f, &sort),
            Sort::BitVec(w) => self.bitvector(f, w),
            Sort::Array(_) => Err(format!("array input {} is compared or written", self.pool.infix(self.v))),
        }
    }

    fn conjoin(&self, f: Term, values: impl Iterator<Item = Term>) -> Term {
        let pool = self.pool;
        bounds::and(pool, values.map(|t| pool.substitute(f, &FxHashMap::from_iter([(self.v, t)]))))
    }

    // ---- arithmetic ----------------------------------------------------------------------------

    fn arithmetic(&mut self, f: Term, sort: &Sort) -> Result<Term, String> {
        let pool = self.pool;
        let mut atoms = Vec::new();
        // Points for the negation of f, approached from below and from above.
        let (mut below, mut above) = (vec![Point::Infinity(-1)], vec![Point::Infinity(1)]);
        for (atom, positive) in self.literals(f) {
            let a = self.view(atom)?;
            collect(pool, &a, !positive, sort, &mut below, &mut above);
            atoms.push(a);
        }
        let mut points = if below.len() <= above.len() { below } else { above };
        let mut unique: Vec<Point> = Vec::new();
        for p in points.drain(..) {
            if !unique.contains(&p) {
                unique.push(p);
            }
        }
        if unique.len() > MAX_POINTS || unique.len() * pool.dag_size(f) > super::MAX_TERMS {
            return Err(format!("input {} has too many test points", pool.infix(self.v)));
        }
        let instance = |p: &Point| match p {
            Point::Value(t) => pool.substitute(f, &FxHashMap::from_iter([(self.v, *t)])),
            _ => {
                let map: FxHashMap<Term, Term> =
                    atoms.iter().map(|a| (a.atom, virtual_value(pool, a, p, sort))).collect();
                pool.substitute(f, &map)
            }
        };
        Ok(bounds::and(pool, unique.iter().map(instance)))
    }

    /// Reads an atom as a linear constraint on the variable.
    fn view(&mut self, atom: Term) -> Result<Atom, String> {
        let pool = self.pool;
        let v = self.v;
        let refuse = || Err(format!("input {} occurs in {}", pool.infix(v), pool.infix(atom)));
        let op = pool.op(atom).clone();
        let linear =
            matches!(op, Op::Le | Op::Lt | Op::Eq) && pool.sort(pool.args(atom)[0]) == pool.sort(self.v);
        if !linear {
            return refuse();
        }
        let mut rest = pool.linear(pool.args(atom)[0]).minus(&pool.linear(pool.args(atom)[1]));
        let Some(i) = rest.coeffs.iter().position(|(t, _)| *t == self.v) else { return refuse() };
        let (_, k) = rest.coeffs.remove(i);
        if rest.coeffs.iter().any(|(t, _)| self.has(*t)) {
            return refuse();
        }
        Ok(Atom { atom, op, k, rest })
    }

    // ---- bit-vectors ---------------------------------------------------------------------------

    /// Around the circle of values, the truth of each atom changes at few places; the places where a segment
    /// starts suffice.
    fn bitvector(&mut self, f: Term, w: u32) -> Result<Term, String> {
        let pool = self.pool;
        let mut starts = Vec::new();
        for (atom, _) in self.literals(f) {
            match self.segment_starts(atom, w) {
                Some(s) => starts.extend(s),
                None if w <= SMALL_WIDTH => {
                    return Ok(self.conjoin(f, (0..1u32 << w).map(|k| pool.bitvec(k, w))));
                }
                None => return Err(format!("input {} occurs in {}", pool.infix(self.v), pool.infix(atom))),
            }
        }
        starts.sort_unstable();
        starts.dedup();
        if starts.len() > MAX_POINTS || starts.len() * pool.dag_size(f) > super::MAX_TERMS {
            return Err(format!("input {} has too many test points", pool.infix(self.v)));
        }
        Ok(self.conjoin(f, starts.into_iter()))
    }

    /// Where the truth of a comparison of `v + c` with something else may change, as values of `v`.
    fn segment_starts(&mut self, atom: Term, w: u32) -> Option<Vec<Term>> {
        let pool = self.pool;
        let op = pool.op(atom);
        if !matches!(op, Op::Eq | Op::BvUle | Op::BvSle) {
            return None;
        }
        let (a, b) = (pool.args(atom)[0], pool.args(atom)[1]);
        let one = pool.bitvec(1, w);
        let smallest = match op {
            Op::BvSle => pool.bitvec(Integer::from(1) << (w - 1), w),
            _ => pool.bitvec(0, w),
        };
        // (v + c) compared with t.
        let (shift, t, left) = match (self.has(a), self.has(b)) {
            (true, false) => (self.shift(a)?, b, true),
            (false, true) => (self.shift(b)?, a, false),
            _ => return None,
        };
        let values = match op {
            Op::Eq => [t, pool.bv_add(t, one)],
            _ if left => [smallest, pool.bv_add(t, one)],
            _ => [smallest, t],
        };
        Some(values.into_iter().map(|s| pool.bv_sub(s, shift)).collect())
    }

    /// For `v + c` the term `c`.
    fn shift(&mut self, t: Term) -> Option<Term> {
        let pool = self.pool;
        // Inside an extension, an extract or an array the variable is another number.
        if pool.sort(t) != pool.sort(self.v) {
            return None;
        }
        let mut c = pool.bitvec(0, pool.width(self.v));
        let mut t = t;
        while t != self.v {
            if *pool.op(t) != Op::BvAdd {
                return None;
            }
            let (a, b) = (pool.args(t)[0], pool.args(t)[1]);
            let (inner, constant) = match (self.has(a), self.has(b)) {
                (true, false) => (a, b),
                (false, true) => (b, a),
                _ => return None,
            };
            c = pool.bv_add(c, constant);
            t = inner;
        }
        Some(c)
    }
}

/// Adds the test points of the literal `atom` (or its negation) of an existential problem.
fn collect(
    pool: &TermPool,
    a: &Atom,
    positive: bool,
    sort: &Sort,
    below: &mut Vec<Point>,
    above: &mut Vec<Point>,
) {
    // The value where k*v + rest is zero.
    let root = a.rest.scaled(&-a.k.recip());
    if *sort == Sort::Real {
        let at = Point::Value(pool.from_linear(&root, sort));
        let (right, left) = (Point::Beside(root.clone(), 1), Point::Beside(root, -1));
        match (&a.op, positive) {
            (Op::Eq, true) => {
                below.push(at.clone());
                above.push(at);
            }
            (Op::Eq, false) => {
                below.push(right);
                above.push(left);
            }
            (op, _) => {
                // A positive coefficient bounds from above; negation turns the side and the strictness.
                let upper = a.k.is_positive() == positive;
                let strict = (*op == Op::Lt) == positive;
                match (upper, strict) {
                    (true, false) => above.push(at),
                    (true, true) => above.push(left),
                    (false, false) => below.push(at),
                    (false, true) => below.push(right),
                }
            }
        }
        return;
    }
    let one = pool.int(1);
    match (&a.op, positive) {
        (Op::Eq, true) => {
            let at = Point::Value(floor(pool, &root));
            below.push(at.clone());
            above.push(at);
        }
        // v is not the root: if that is what keeps a smaller value out, the next one is it. (For a root that
        // is not whole the literal is true anyway and the points do no harm.)
        (Op::Eq, false) => {
            below.push(Point::Value(pool.add2(floor(pool, &root), one)));
            above.push(Point::Value(pool.sub(floor(pool, &root), one)));
        }
        _ => {
            let upper = a.k.is_positive() == positive;
            // Over the integers only `<=` occurs; its negation is strict.
            match (upper, positive) {
                (true, true) => above.push(Point::Value(floor(pool, &root))),
                (false, true) => below.push(Point::Value(ceil(pool, &root))),
                // v < root and v > root
                (true, false) => above.push(Point::Value(pool.sub(ceil(pool, &root), one))),
                (false, false) => below.push(Point::Value(pool.add2(floor(pool, &root), one))),
            }
        }
    }
}

/// The floor of a rational combination of integer terms.
fn floor(pool: &TermPool, l: &Linear) -> Term {
    let mut d = Integer::from(1);
    for c in l.coeffs.iter().map(|(_, c)| c).chain([&l.constant]) {
        d = num_integer::Integer::lcm(&d, &c.denom());
    }
    let whole = l.scaled(&Rational::from_integer(d.clone()));
    pool.int_div(pool.from_linear(&whole, &Sort::Int), pool.int(d))
}

fn ceil(pool: &TermPool, l: &Linear) -> Term {
    pool.neg(floor(pool, &l.scaled(&-Rational::from_integer(1.into()))))
}

/// The truth of an atom at infinity or beside a value.
fn virtual_value(pool: &TermPool, a: &Atom, p: &Point, sort: &Sort) -> Term {
    match p {
        Point::Value(_) => unreachable!("values are substituted"),
        Point::Infinity(side) => match a.op {
            Op::Eq => pool.fls(),
            _ => pool.bool(a.k.is_positive() == (*side < 0)),
        },
        Point::Beside(root, side) => {
            if a.op == Op::Eq {
                return pool.fls();
            }
            // The atom's value at the root; the step beside it decides when that is zero.
            let value = a.rest.add_scaled(&a.k, root);
            debug_assert!(!a.k.is_zero(), "the atom mentions the variable");
            if a.k.is_positive() == (*side > 0) {
                pool.linear_lt(value, sort)
            } else {
                pool.linear_le(value, sort)
            }
        }
    }
}
