//! Bit-blasting: the bit-vector operators as circuits of bit gates.
//!
//! Vectors are least significant bit first. Adders use full-adder gates (parity and majority); comparisons
//! are the carry chain of a subtraction; multiplication is shift-and-add over the operand with more constant
//! bits; division is the restoring divider, so that every output is a function of the inputs and no side
//! constraint is needed.

use palisade_sat::Lit;
use palisade_term::{Integer, Op};

use super::gates::{ClauseSink, Gates, fls, tru};

/// Bits, least significant first.
pub(crate) type Bits = Vec<Lit>;

/// Builds circuits into a table of gates.
pub(crate) struct Blaster<'a, S> {
    pub gates: &'a mut Gates,
    pub sink: &'a mut S,
}

/// The bits of a constant.
pub(crate) fn constant(value: &Integer, width: u32) -> Bits {
    (0..u64::from(width)).map(|i| if value.bit(i) { tru() } else { fls() }).collect()
}

fn is_const(l: Lit) -> bool {
    l.var() == tru().var()
}

impl<S: ClauseSink> Blaster<'_, S> {
    fn and(&mut self, a: Lit, b: Lit) -> Lit {
        self.gates.and2(self.sink, a, b)
    }

    fn or(&mut self, a: Lit, b: Lit) -> Lit {
        self.gates.or2(self.sink, a, b)
    }

    fn mux(&mut self, c: Lit, a: Lit, b: Lit) -> Lit {
        self.gates.mux(self.sink, c, a, b)
    }

    fn and_all(&mut self, mut lits: Vec<Lit>) -> Lit {
        let g = self.gates.and_gate(self.sink, &mut lits);
        self.gates.require_both(self.sink, g);
        g
    }

    fn or_all(&mut self, lits: &[Lit]) -> Lit {
        let negated = lits.iter().map(|&l| !l).collect();
        !self.and_all(negated)
    }

    /// Fresh bits.
    pub fn fresh(&mut self, width: u32) -> Bits {
        (0..width).map(|_| self.gates.free(self.sink)).collect()
    }

    /// `a + b + carry`, modulo 2^w.
    pub fn add(&mut self, a: &[Lit], b: &[Lit], mut carry: Lit) -> Bits {
        let mut out = Vec::with_capacity(a.len());
        for (i, (&x, &y)) in a.iter().zip(b).enumerate() {
            out.push(self.gates.xor3(self.sink, x, y, carry));
            if i + 1 < a.len() {
                carry = self.gates.maj(self.sink, x, y, carry);
            }
        }
        out
    }

    fn negate_all(a: &[Lit]) -> Bits {
        a.iter().map(|&l| !l).collect()
    }

    /// Two's complement negation.
    pub fn neg(&mut self, a: &[Lit]) -> Bits {
        let zero = vec![fls(); a.len()];
        self.add(&zero, &Self::negate_all(a), tru())
    }

    /// `c ? a : b`, bitwise.
    pub fn select(&mut self, c: Lit, a: &[Lit], b: &[Lit]) -> Bits {
        a.iter().zip(b).map(|(&x, &y)| self.mux(c, x, y)).collect()
    }

    /// Product modulo 2^w.
    pub fn mul(&mut self, a: &[Lit], b: &[Lit]) -> Bits {
        let w = a.len();
        // As the proof checker does it; bits that are constant by themselves are known to one of the two
        // only.
        let constant = |v: &[Lit]| v.iter().all(|&l| is_const(l));
        let (rows, other) = if constant(b) { (b, a) } else { (a, b) };
        if constant(rows) {
            return self.mul_const(rows, other);
        }
        let mut sum = vec![fls(); w];
        for (i, &r) in rows.iter().enumerate() {
            if r == fls() {
                continue;
            }
            let summand: Bits = other[..w - i].iter().map(|&l| self.gates.and2(self.sink, r, l)).collect();
            let high = self.add(&sum[i..], &summand, fls());
            sum.splice(i.., high);
        }
        sum
    }

    /// Product with a constant, in non-adjacent form: runs of ones cost one subtraction instead of many
    /// additions.
    fn mul_const(&mut self, constant: &[Lit], other: &[Lit]) -> Bits {
        let w = constant.len();
        let mut sum = vec![fls(); w];
        let mut carry = 0;
        for i in 0..w {
            let next = constant.get(i + 1).is_some_and(|&l| l == tru());
            let digit = i32::from(constant[i] == tru()) + carry;
            // digit 0, 1 or 2 (with a carry); a 1 before another 1 becomes -1 and a carry.
            let (use_digit, next_carry) = match digit {
                1 if next => (-1, 1),
                1 => (1, 0),
                2 => (0, 1),
                _ => (0, 0),
            };
            carry = next_carry;
            if use_digit != 0 {
                let low = sum[i..].to_vec();
                let shifted = &other[..w - i];
                let high = if use_digit == 1 {
                    self.add(&low, shifted, fls())
                } else {
                    self.add(&low, &Self::negate_all(shifted), tru())
                };
                sum.splice(i.., high);
            }
        }
        sum
    }

    /// Unsigned `a <= b` as a predicate that may hold or not: with a constant on one side it constrains bits
    /// directly.
    fn ule_atom(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let constant = |v: &[Lit]| v.iter().all(|&l| is_const(l));
        if !self.gates.direct || constant(a) == constant(b) {
            return self.ule(a, b);
        }
        if constant(b) {
            return if b.contains(&fls()) { self.gates.at_most_gate(self.sink, a, b) } else { tru() };
        }
        // k <= b is not (b <= k - 1).
        let Some(one) = a.iter().position(|&l| l == tru()) else { return tru() };
        let mut below = a.to_vec();
        below[..one].fill(tru());
        below[one] = fls();
        !self.gates.at_most_gate(self.sink, b, &below)
    }

    /// Unsigned `a <= b`, as a function of the bits.
    pub fn ule(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let mut le = tru();
        for (&x, &y) in a.iter().zip(b) {
            le = self.gates.maj(self.sink, !x, y, le);
        }
        le
    }

    /// Signed `a <= b`: unsigned with the sign bits turned around.
    fn sle_atom(&mut self, a: &[Lit], b: &[Lit]) -> Lit {
        let (mut a, mut b) = (a.to_vec(), b.to_vec());
        for v in [&mut a, &mut b] {
            let top = v.last_mut().expect("a bit-vector has at least one bit");
            *top = !*top;
        }
        self.ule_atom(&a, &b)
    }

    /// Quotient and remainder by restoring division; by zero: all ones and the dividend.
    pub fn udivrem(&mut self, a: &[Lit], b: &[Lit]) -> (Bits, Bits) {
        let w = a.len();
        let mut rem = vec![fls(); w];
        let mut quo = vec![fls(); w];
        for i in (0..w).rev() {
            // Shift the next bit in; the bit that falls out makes the remainder greater than any divisor.
            let overflow = rem[w - 1];
            rem.rotate_right(1);
            rem[0] = a[i];
            let fits = self.ule(b, &rem);
            let fits = self.or(overflow, fits);
            let difference = self.add(&rem.clone(), &Self::negate_all(b), tru());
            rem = self.select(fits, &difference, &rem.clone());
            quo[i] = fits;
        }
        // By zero the divider itself answers all ones and the dividend.
        (quo, rem)
    }

    /// Magnitude of a two's complement number, and its sign.
    fn magnitude(&mut self, a: &[Lit]) -> (Bits, Lit) {
        let sign = *a.last().expect("a bit-vector has at least one bit");
        let negated = self.neg(a);
        (self.select(sign, &negated, a), sign)
    }

    fn sdiv(&mut self, a: &[Lit], b: &[Lit]) -> Bits {
        let ((ma, sa), (mb, sb)) = (self.magnitude(a), self.magnitude(b));
        let (quo, _) = self.udivrem(&ma, &mb);
        let negated = self.neg(&quo);
        let differ = self.gates.xor2(self.sink, sa, sb);
        self.select(differ, &negated, &quo)
    }

    fn srem(&mut self, a: &[Lit], b: &[Lit]) -> Bits {
        let ((ma, sa), (mb, _)) = (self.magnitude(a), self.magnitude(b));
        let (_, rem) = self.udivrem(&ma, &mb);
        let negated = self.neg(&rem);
        self.select(sa, &negated, &rem)
    }

    fn smod(&mut self, a: &[Lit], b: &[Lit]) -> Bits {
        let sb = *b.last().expect("a bit-vector has at least one bit");
        let sa = *a.last().expect("a bit-vector has at least one bit");
        let rem = self.srem(a, b);
        // A remainder that is not zero and of the other sign moves by one divisor.
        let nonzero = self.or_all(&rem);
        let differ = self.gates.xor2(self.sink, sa, sb);
        let fix = self.and(nonzero, differ);
        let moved = self.add(&rem, b, fls());
        self.select(fix, &moved, &rem)
    }

    /// A shift by a variable amount; `left` or right, filling with `fill`.
    fn shift(&mut self, a: &[Lit], amount: &[Lit], left: bool, fill: Lit) -> Bits {
        let w = a.len();
        let mut out = a.to_vec();
        let mut too_far = Vec::new();
        for (k, &bit) in amount.iter().enumerate() {
            let step = if k < 31 { 1usize << k } else { usize::MAX };
            if step >= w {
                too_far.push(bit);
                continue;
            }
            let moved: Bits = (0..w)
                .map(|i| {
                    let from = if left { i.checked_sub(step) } else { Some(i + step).filter(|&j| j < w) };
                    from.map_or(fill, |j| out[j])
                })
                .collect();
            out = self.select(bit, &moved, &out.clone());
        }
        if too_far.is_empty() {
            return out;
        }
        let over = self.or_all(&too_far);
        self.select(over, &vec![fill; w], &out)
    }

    /// The bits of an operator with bit-vector arguments and result.
    pub fn apply(&mut self, op: &Op, args: &[&[Lit]]) -> Bits {
        let a = args[0];
        let top = *a.last().expect("a bit-vector has at least one bit");
        match op {
            Op::Concat => [args[1], a].concat(),
            Op::Extract(hi, lo) => a[*lo as usize..=*hi as usize].to_vec(),
            Op::ZeroExtend(n) => [a, &vec![fls(); *n as usize]].concat(),
            Op::SignExtend(n) => [a, &vec![top; *n as usize]].concat(),
            Op::BvNot => Self::negate_all(a),
            Op::BvNeg => self.neg(a),
            Op::BvAnd => a.iter().zip(args[1]).map(|(&x, &y)| self.and(x, y)).collect(),
            Op::BvOr => a.iter().zip(args[1]).map(|(&x, &y)| self.or(x, y)).collect(),
            Op::BvXor => a.iter().zip(args[1]).map(|(&x, &y)| self.gates.xor2(self.sink, x, y)).collect(),
            Op::BvAdd => self.add(a, args[1], fls()),
            Op::BvMul => self.mul(a, args[1]),
            Op::BvUdiv => self.udivrem(a, args[1]).0,
            Op::BvUrem => self.udivrem(a, args[1]).1,
            Op::BvSdiv => self.sdiv(a, args[1]),
            Op::BvSrem => self.srem(a, args[1]),
            Op::BvSmod => self.smod(a, args[1]),
            Op::BvShl => self.shift(a, args[1], true, fls()),
            Op::BvLshr => self.shift(a, args[1], false, fls()),
            Op::BvAshr => self.shift(a, args[1], false, top),
            other => unreachable!("not a bit-vector operator: {other:?}"),
        }
    }

    /// The literal of a comparison of bit-vectors. Its clauses may still have to be asked for.
    pub fn compare(&mut self, op: &Op, a: &[Lit], b: &[Lit]) -> Lit {
        match op {
            Op::Eq if self.gates.direct => self.gates.equal_gate(self.sink, a, b),
            Op::Eq => {
                let same = a.iter().zip(b).map(|(&x, &y)| !self.gates.xor2(self.sink, x, y)).collect();
                self.and_all(same)
            }
            Op::BvUle => self.ule_atom(a, b),
            Op::BvSle => self.sle_atom(a, b),
            Op::BvUlt => !self.ule_atom(b, a),
            Op::BvSlt => !self.sle_atom(b, a),
            other => unreachable!("not a comparison of bit-vectors: {other:?}"),
        }
    }
}
