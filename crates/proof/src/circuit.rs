//! Bit-vector operators as circuits: each bit of the result as a Boolean term over the bits of the arguments.
//!
//! The gates ([`and`], [`xor`], [`parity`], [`majority`], [`choose`]) are functions on Boolean terms whose
//! results do not depend on how their arguments are ordered or negated, so a solver that builds the same
//! circuits from literals gets the same terms. The circuits are the textbook ones: ripple-carry adders,
//! comparison by the carry of a subtraction, shift-and-add multiplication, restoring division, barrel
//! shifters. Vectors are least significant bit first.

use std::collections::BTreeSet;

use palisade_term::{Integer, Op, Term, TermPool};

/// Conjunction of two bits.
pub fn and(p: &TermPool, a: Term, b: Term) -> Term {
    // The pool would not see it once it has merged a conjunction with its surroundings.
    if a == p.not(b) { p.fls() } else { p.and2(a, b) }
}

/// Disjunction of two bits.
pub fn or(p: &TermPool, a: Term, b: Term) -> Term {
    p.not(and(p, p.not(a), p.not(b)))
}

/// Exclusive or of two bits. One that undoes another disappears: `(a xor b) xor a` is `b`.
pub fn xor(p: &TermPool, a: Term, b: Term) -> Term {
    for (x, y) in [(a, b), (b, a)] {
        let ((nx, x), (ny, y)) = (p.strip_not(x), p.strip_not(y));
        if let (Op::Eq, [u, v]) = (p.op(x), p.args(x))
            && (*u == y || *v == y)
        {
            // (u = v) xor u is not v.
            let other = if *u == y { *v } else { *u };
            return if nx == ny { p.not(other) } else { other };
        }
    }
    p.xor(a, b)
}

fn is_const(p: &TermPool, t: Term) -> bool {
    p.as_bool(t).is_some()
}

/// Exclusive or of three bits: the sum of a full adder.
pub fn parity(p: &TermPool, a: Term, b: Term, c: Term) -> Term {
    let ((na, a), (nb, b), (nc, c)) = (p.strip_not(a), p.strip_not(b), p.strip_not(c));
    let mut args = [a, b, c];
    if !args.iter().any(|&t| is_const(p, t)) {
        args.sort_unstable(); // equal ones become neighbours
    }
    let [a, b, c] = args;
    let t = if b == c { a } else { xor(p, xor(p, a, b), c) };
    if na ^ nb ^ nc { p.not(t) } else { t }
}

/// Majority of three bits: the carry of a full adder.
pub fn majority(p: &TermPool, a: Term, b: Term, c: Term) -> Term {
    for (x, y, z) in [(a, b, c), (b, a, c), (c, a, b)] {
        match p.as_bool(x) {
            Some(true) => return or(p, y, z),
            Some(false) => return and(p, y, z),
            None if y == z => return y,
            None if y == p.not(z) => return x,
            None => {}
        }
    }
    let mut args = [a, b, c];
    // Majority is self-dual: at most one negation among three, by turning all around.
    let negate = args.iter().filter(|&&t| *p.op(t) == Op::Not).count() >= 2;
    if negate {
        args = args.map(|t| p.not(t));
    }
    args.sort_unstable_by_key(|&t| p.strip_not(t).1);
    let [a, b, c] = args;
    // If two agree they decide, else the third does. (As a disjunction of conjunctions, these would merge
    // with conjunctions among the arguments.)
    let t = p.ite(p.eq(a, b), a, c);
    if negate { p.not(t) } else { t }
}

/// `c ? a : b`.
pub fn choose(p: &TermPool, c: Term, a: Term, b: Term) -> Term {
    if let Some(v) = p.as_bool(c) {
        return if v { a } else { b };
    }
    if a == b {
        return a;
    }
    if *p.op(c) == Op::Not {
        return choose(p, p.not(c), b, a);
    }
    let not_c = p.not(c);
    if a == p.tru() || a == c {
        return or(p, c, b);
    }
    if a == p.fls() || a == not_c {
        return and(p, not_c, b);
    }
    if b == p.tru() || b == not_c {
        return or(p, not_c, a);
    }
    if b == p.fls() || b == c {
        return and(p, c, a);
    }
    if a == p.not(b) {
        return p.not(xor(p, c, a));
    }
    if *p.op(a) == Op::Not {
        return p.not(choose(p, c, p.not(a), p.not(b)));
    }
    p.ite(c, a, b)
}

/// Conjunction of many bits.
pub fn all(p: &TermPool, bits: impl IntoIterator<Item = Term>) -> Term {
    let bits: BTreeSet<Term> = bits.into_iter().collect();
    if bits.iter().any(|&t| *p.op(t) == Op::Not && bits.contains(&p.not(t))) {
        return p.fls();
    }
    p.and(bits)
}

/// Disjunction of many bits.
pub fn any(p: &TermPool, bits: impl IntoIterator<Item = Term>) -> Term {
    p.not(all(p, bits.into_iter().map(|b| p.not(b))))
}

/// Bit `i` of a bit-vector term, as a Boolean term that names it.
pub fn bit(p: &TermPool, t: Term, i: u32) -> Term {
    p.eq(p.extract(i, i, t), p.bitvec(1, 1))
}

/// The bits of a constant.
pub fn constant(p: &TermPool, value: &Integer, width: u32) -> Vec<Term> {
    (0..u64::from(width)).map(|i| p.bool(value.bit(i))).collect()
}

fn complement(p: &TermPool, a: &[Term]) -> Vec<Term> {
    a.iter().map(|&t| p.not(t)).collect()
}

/// `a + b + carry`, modulo 2^w.
pub fn add(p: &TermPool, a: &[Term], b: &[Term], mut carry: Term) -> Vec<Term> {
    let mut out = Vec::with_capacity(a.len());
    for (i, (&x, &y)) in a.iter().zip(b).enumerate() {
        out.push(parity(p, x, y, carry));
        if i + 1 < a.len() {
            carry = majority(p, x, y, carry);
        }
    }
    out
}

fn negate(p: &TermPool, a: &[Term]) -> Vec<Term> {
    add(p, &vec![p.fls(); a.len()], &complement(p, a), p.tru())
}

/// `c ? a : b`, bitwise.
pub fn select(p: &TermPool, c: Term, a: &[Term], b: &[Term]) -> Vec<Term> {
    a.iter().zip(b).map(|(&x, &y)| choose(p, c, x, y)).collect()
}

/// Product modulo 2^w: the bits of one operand, the constant one if there is one, select the summands.
fn multiply(p: &TermPool, a: &[Term], b: &[Term]) -> Vec<Term> {
    let w = a.len();
    // Only a whole constant changes the order: single bits may be constant as terms and not as literals of a
    // solver.
    let constant = |v: &[Term]| v.iter().all(|&t| is_const(p, t));
    let (rows, other) = if constant(b) { (b, a) } else { (a, b) };
    if constant(rows) {
        return multiply_constant(p, rows, other);
    }
    let mut sum = vec![p.fls(); w];
    for (i, &r) in rows.iter().enumerate().filter(|(_, r)| **r != p.fls()) {
        let summand: Vec<Term> = other[..w - i].iter().map(|&t| and(p, r, t)).collect();
        let high = add(p, &sum[i..], &summand, p.fls());
        sum.splice(i.., high);
    }
    sum
}

/// Product with a constant in non-adjacent form: digits -1, 0, 1, no two neighbours of which are both
/// nonzero.
fn multiply_constant(p: &TermPool, constant: &[Term], other: &[Term]) -> Vec<Term> {
    let w = constant.len();
    let mut sum = vec![p.fls(); w];
    let mut carry = 0;
    for i in 0..w {
        let next = constant.get(i + 1) == Some(&p.tru());
        let digit = i32::from(constant[i] == p.tru()) + carry;
        carry = i32::from(digit == 2 || (digit == 1 && next));
        if digit == 1 {
            let shifted = &other[..w - i];
            let high = if next {
                add(p, &sum[i..], &complement(p, shifted), p.tru())
            } else {
                add(p, &sum[i..], shifted, p.fls())
            };
            sum.splice(i.., high);
        }
    }
    sum
}

/// Unsigned `a <= b`.
fn at_most(p: &TermPool, a: &[Term], b: &[Term]) -> Term {
    a.iter().zip(b).fold(p.tru(), |le, (&x, &y)| majority(p, p.not(x), y, le))
}

/// Signed `a <= b`: unsigned with the sign bits turned around.
fn signed_at_most(p: &TermPool, a: &[Term], b: &[Term]) -> Term {
    let (mut a, mut b) = (a.to_vec(), b.to_vec());
    for v in [&mut a, &mut b] {
        let top = v.len() - 1;
        v[top] = p.not(v[top]);
    }
    at_most(p, &a, &b)
}

/// Equality.
pub fn equal(p: &TermPool, a: &[Term], b: &[Term]) -> Term {
    all(p, a.iter().zip(b).map(|(&x, &y)| p.not(xor(p, x, y))))
}

/// Quotient and remainder by restoring division; by zero that gives all ones and the dividend.
fn divide(p: &TermPool, a: &[Term], b: &[Term]) -> (Vec<Term>, Vec<Term>) {
    let w = a.len();
    let (mut quotient, mut rest) = (vec![p.fls(); w], vec![p.fls(); w]);
    for i in (0..w).rev() {
        // Shift the next bit in; the bit that falls out makes the remainder greater than any divisor.
        let overflow = rest[w - 1];
        rest.rotate_right(1);
        rest[0] = a[i];
        let fits = or(p, overflow, at_most(p, b, &rest));
        let difference = add(p, &rest, &complement(p, b), p.tru());
        rest = select(p, fits, &difference, &rest);
        quotient[i] = fits;
    }
    (quotient, rest)
}

fn magnitude(p: &TermPool, a: &[Term]) -> Vec<Term> {
    select(p, a[a.len() - 1], &negate(p, a), a)
}

fn signed_quotient(p: &TermPool, a: &[Term], b: &[Term]) -> Vec<Term> {
    let (quotient, _) = divide(p, &magnitude(p, a), &magnitude(p, b));
    let differ = xor(p, a[a.len() - 1], b[b.len() - 1]);
    select(p, differ, &negate(p, &quotient), &quotient)
}

/// The remainder with the sign of the dividend.
fn signed_remainder(p: &TermPool, a: &[Term], b: &[Term]) -> Vec<Term> {
    let (_, rest) = divide(p, &magnitude(p, a), &magnitude(p, b));
    select(p, a[a.len() - 1], &negate(p, &rest), &rest)
}

/// The remainder with the sign of the divisor: one that is not zero and of the other sign moves by one
/// divisor.
fn signed_modulus(p: &TermPool, a: &[Term], b: &[Term]) -> Vec<Term> {
    let rest = signed_remainder(p, a, b);
    let nonzero = any(p, rest.iter().copied());
    let fix = and(p, nonzero, xor(p, a[a.len() - 1], b[b.len() - 1]));
    select(p, fix, &add(p, &rest, b, p.fls()), &rest)
}

/// A shift by a variable amount, filling with `fill`.
fn shift(p: &TermPool, a: &[Term], amount: &[Term], left: bool, fill: Term) -> Vec<Term> {
    let w = a.len();
    let mut out = a.to_vec();
    let mut too_far = Vec::new();
    for (k, &bit) in amount.iter().enumerate() {
        let step = if k < 31 { 1usize << k } else { usize::MAX };
        if step >= w {
            too_far.push(bit);
            continue;
        }
        let source = |i: usize| if left { i.checked_sub(step) } else { Some(i + step).filter(|&j| j < w) };
        let moved: Vec<Term> = (0..w).map(|i| source(i).map_or(fill, |j| out[j])).collect();
        out = select(p, bit, &moved, &out);
    }
    if too_far.is_empty() { out } else { select(p, any(p, too_far), &vec![fill; w], &out) }
}

/// The bits of an operator on bit-vectors; `None` if it is not one.
pub fn apply(p: &TermPool, op: &Op, args: &[&[Term]]) -> Option<Vec<Term>> {
    let a = *args.first()?;
    let top = *a.last()?;
    let b = args.get(1).copied().unwrap_or(&[]);
    let bitwise = |f: fn(&TermPool, Term, Term) -> Term| a.iter().zip(b).map(|(&x, &y)| f(p, x, y)).collect();
    Some(match op {
        Op::Concat => [b, a].concat(),
        Op::Extract(hi, lo) => a[*lo as usize..=*hi as usize].to_vec(),
        Op::ZeroExtend(n) => [a, &vec![p.fls(); *n as usize]].concat(),
        Op::SignExtend(n) => [a, &vec![top; *n as usize]].concat(),
        Op::BvNot => complement(p, a),
        Op::BvNeg => negate(p, a),
        Op::BvAnd => bitwise(and),
        Op::BvOr => bitwise(or),
        Op::BvXor => bitwise(xor),
        Op::BvAdd => add(p, a, b, p.fls()),
        Op::BvMul => multiply(p, a, b),
        Op::BvUdiv => divide(p, a, b).0,
        Op::BvUrem => divide(p, a, b).1,
        Op::BvSdiv => signed_quotient(p, a, b),
        Op::BvSrem => signed_remainder(p, a, b),
        Op::BvSmod => signed_modulus(p, a, b),
        Op::BvShl => shift(p, a, b, true, p.fls()),
        Op::BvLshr => shift(p, a, b, false, p.fls()),
        Op::BvAshr => shift(p, a, b, false, top),
        _ => return None,
    })
}

/// A comparison of bit-vectors as a Boolean term over their bits; `None` if the operator is not one.
pub fn compare(p: &TermPool, op: &Op, a: &[Term], b: &[Term]) -> Option<Term> {
    Some(match op {
        Op::Eq => equal(p, a, b),
        Op::BvUle => at_most(p, a, b),
        Op::BvSle => signed_at_most(p, a, b),
        Op::BvUlt => p.not(at_most(p, b, a)),
        Op::BvSlt => p.not(signed_at_most(p, b, a)),
        _ => return None,
    })
}
