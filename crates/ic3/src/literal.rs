//! Cube literals seen as linear inequalities, and the cheap syntactic relations between them.
//!
//! A literal `f <= c`, `f < c` or its negation is a half-space; [`HalfSpace`] is that view, `linear <= 0` or
//! `linear < 0`, with integer literals already tightened by the pool. Generalisation, subsumption and
//! guidance all work on it.

use palisade_term::{Linear, Op, Rational, Sort, Term, TermPool};

/// The literal `expr <= 0` (or `expr < 0` when strict) over one arithmetic sort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HalfSpace {
    /// The linear expression.
    pub expr: Linear,
    /// Is the inequality strict? Never over the integers.
    pub strict: bool,
    /// `Int` or `Real`.
    pub sort: Sort,
}

impl HalfSpace {
    /// The half-space of a literal, if it is one.
    pub fn of(pool: &TermPool, lit: Term) -> Option<HalfSpace> {
        let (negated, atom) = pool.strip_not(lit);
        let strict_atom = match pool.op(atom) {
            Op::Le => false,
            Op::Lt => true,
            _ => return None,
        };
        let [form, bound] = pool.args(atom) else { return None };
        let sort = pool.sort(*form).clone();
        let expr = pool.linear(*form).minus(&pool.linear(*bound));
        if !negated {
            return Some(HalfSpace { expr, strict: strict_atom, sort });
        }
        let mut flipped = expr.scaled(&-Rational::ONE);
        if sort == Sort::Int {
            flipped.constant += Rational::ONE; // not (e <= 0) is -e + 1 <= 0
            return Some(HalfSpace { expr: flipped, strict: false, sort });
        }
        Some(HalfSpace { expr: flipped, strict: !strict_atom, sort })
    }

    /// The literal of this half-space, in the pool's normal form.
    pub fn literal(&self, pool: &TermPool) -> Term {
        if self.strict {
            pool.linear_lt(self.expr.clone(), &self.sort)
        } else {
            pool.linear_le(self.expr.clone(), &self.sort)
        }
    }

    /// `a * self + b * other` for positive `a`, `b`: implied by both together.
    pub fn combine(&self, a: &Rational, other: &HalfSpace, b: &Rational) -> HalfSpace {
        HalfSpace {
            expr: self.expr.scaled(a).add_scaled(b, &other.expr),
            strict: self.strict || other.strict,
            sort: self.sort.clone(),
        }
    }

    /// The same half-space moved to another constant.
    pub fn with_constant(&self, constant: Rational) -> HalfSpace {
        HalfSpace { expr: Linear { coeffs: self.expr.coeffs.clone(), constant }, ..self.clone() }
    }
}

/// What two literals must have in common for one to imply the other: the left-hand side of an inequality or
/// the atom itself, and the polarity.
pub type Key = (Term, bool);

/// The key of a literal.
pub fn key(pool: &TermPool, lit: Term) -> Key {
    let (negated, atom) = pool.strip_not(lit);
    match pool.op(atom) {
        Op::Le | Op::Lt => (pool.args(atom)[0], negated),
        _ => (atom, negated),
    }
}

/// Does literal `a` imply literal `b`? Syntactic: equal, or parallel half-spaces.
///
/// The pool's normal form gives parallel inequalities the same left-hand side and negates those that point
/// the other way, so comparing the constants is enough.
pub fn implies(pool: &TermPool, a: Term, b: Term) -> bool {
    if a == b {
        return true;
    }
    let ((negated, x), (other, y)) = (pool.strip_not(a), pool.strip_not(b));
    if negated != other || !matches!(pool.op(x), Op::Le | Op::Lt) || !matches!(pool.op(y), Op::Le | Op::Lt) {
        return false;
    }
    let (&[f, c], &[g, d]) = (pool.args(x), pool.args(y)) else { return false };
    if f != g {
        return false;
    }
    let (Some(c), Some(d)) = (pool.as_number(c), pool.as_number(d)) else { return false };
    // f <= c implies f <= d when c <= d; not (f <= c), that is f > c, implies f > d when d <= c. Strictness
    // decides at equal constants.
    let (strict_a, strict_b) = (*pool.op(x) == Op::Lt, *pool.op(y) == Op::Lt);
    if negated {
        // f > c or, from a strict atom, f >= c.
        d < c || (d == c && (!strict_a || strict_b))
    } else {
        c < d || (c == d && (strict_a || !strict_b))
    }
}

/// Is cube `small` implied by cube `big`: does every literal of `small` follow from one of `big`?
/// Then blocking `small` blocks `big`.
pub fn subsumes(pool: &TermPool, small: &[Term], big: &[Term]) -> bool {
    small.iter().all(|&s| big.iter().any(|&b| implies(pool, b, s)))
}

/// A cube with its equalities between numbers replaced by inequalities, sorted and without duplicates, so
/// that generalisation can keep one side.
pub fn split_equalities(pool: &TermPool, cube: &[Term]) -> Vec<Term> {
    let mut out = Vec::with_capacity(cube.len() + 2);
    for &lit in cube {
        match (pool.op(lit), pool.args(lit)) {
            (Op::Eq, &[a, b]) if pool.sort(a).is_arith() => out.extend([pool.le(a, b), pool.ge(a, b)]),
            // Bit-vectors: both readings of the order; generalisation keeps what it needs.
            (Op::Eq, &[a, b]) if pool.sort(a).width().is_some_and(|w| w > 1) => {
                out.extend([pool.bv_ule(a, b), pool.bv_ule(b, a), pool.bv_sle(a, b), pool.bv_sle(b, a)]);
            }
            _ => out.push(lit),
        }
    }
    out.retain(|&l| l != pool.tru());
    tidy(pool, &mut out);
    out
}

/// Sorts a cube, removes duplicates and literals implied by others of the cube.
pub fn tidy(pool: &TermPool, cube: &mut Vec<Term>) {
    cube.sort_unstable();
    cube.dedup();
    let all = cube.clone();
    cube.retain(|&l| !all.iter().any(|&other| other != l && implies(pool, other, l)));
}

/// The formula that excludes a cube.
pub fn clause(pool: &TermPool, cube: &[Term]) -> Term {
    pool.or(cube.iter().map(|&l| pool.not(l)))
}
