//! Exact arithmetic on the bits of floating-point numbers, with integers only.
//!
//! Every operation computes the exact result as an integer times a power of two, where a flag stands for
//! what is smaller than the last bit, and rounds once (`round`). Arguments are the bits of numbers of the
//! format, in the low bits of a `u64`.

mod convert;

pub use convert::{convert, from_int, round_to_integral, to_int};

use std::cmp::Ordering;

use crate::{Class, Format, Rounding};

/// A finite number that is not zero, or zero: `significand * 2^exponent`.
#[derive(Clone, Copy)]
struct Finite {
    sign: bool,
    significand: u64,
    exponent: i32,
}

impl Finite {
    /// The value of finite bits.
    fn new(f: Format, a: u64) -> Finite {
        let m = f.magnitude(a);
        let field = m >> f.fraction();
        let fraction = m & ((1 << f.fraction()) - 1);
        let (significand, e) = match field {
            0 => (fraction, 1),
            _ => (fraction | 1 << f.fraction(), field as i32),
        };
        Finite { sign: f.sign(a), significand, exponent: e - 1 + f.least_exponent() }
    }

    /// The same value with a significand of exactly the format's length; not for zero.
    fn normal(f: Format, a: u64) -> Finite {
        let x = Finite::new(f, a);
        let by = f.significand - (64 - x.significand.leading_zeros());
        Finite { significand: x.significand << by, exponent: x.exponent - by as i32, ..x }
    }
}

/// Does rounding go away from zero? `odd` is the last bit that is kept, `half` the first that is not, `rest`
/// whether there is anything behind it.
pub(crate) fn goes_away(r: Rounding, sign: bool, odd: bool, half: bool, rest: bool) -> bool {
    match r {
        Rounding::NearestEven => half && (rest || odd),
        Rounding::NearestAway => half,
        Rounding::Up => !sign && (half || rest),
        Rounding::Down => sign && (half || rest),
        Rounding::Zero => false,
    }
}

/// The result when a number is too large.
fn overflow(f: Format, r: Rounding, sign: bool) -> u64 {
    let infinite = match r {
        Rounding::NearestEven | Rounding::NearestAway => true,
        Rounding::Up => !sign,
        Rounding::Down => sign,
        Rounding::Zero => false,
    };
    signed(f, sign, if infinite { f.infinity() } else { f.greatest() })
}

fn signed(f: Format, sign: bool, magnitude: u64) -> u64 {
    if sign { magnitude | f.sign_bit() } else { magnitude }
}

/// Shifts right; what is lost as the first lost bit and whether anything else was.
fn shift_right(m: u128, by: u32, more: bool) -> (u128, bool, bool) {
    match by {
        0 => (m, false, more),
        1..=127 => {
            let half = m >> (by - 1) & 1 == 1;
            (m >> by, half, more || m & ((1 << (by - 1)) - 1) != 0)
        }
        128 => (0, m >> 127 == 1, more || m << 1 != 0),
        _ => (0, false, more || m != 0),
    }
}

/// Rounds `significand * 2^exponent`. With `more`, the value is greater by less than one unit of the
/// significand, which then has more bits than the format.
pub(crate) fn round(f: Format, r: Rounding, sign: bool, significand: u128, exponent: i32, more: bool) -> u64 {
    if significand == 0 {
        debug_assert!(!more, "a significand with enough bits");
        return signed(f, sign, 0);
    }
    let length = (128 - significand.leading_zeros()) as i32;
    let last = (exponent + length - f.significand as i32).max(f.least_exponent());
    let (mut m, half, rest) = if last >= exponent {
        shift_right(significand, (last - exponent) as u32, more)
    } else {
        debug_assert!(!more, "a significand with enough bits");
        (significand << (exponent - last), false, false)
    };
    if goes_away(r, sign, m & 1 == 1, half, rest) {
        m += 1;
    }
    // The biased exponent is added, so that a carry out of the significand, and out of the subnormal numbers,
    // goes where it belongs.
    let field = last - f.least_exponent();
    if field >= (1 << f.exponent) {
        return overflow(f, r, sign);
    }
    let magnitude = m + ((field as u128) << f.fraction());
    if magnitude >= u128::from(f.infinity()) {
        return overflow(f, r, sign);
    }
    signed(f, sign, magnitude as u64)
}

fn any_nan(f: Format, a: u64, b: u64) -> bool {
    f.is_nan(a) || f.is_nan(b)
}

/// `-a`. Changes the sign of a NaN, too.
pub fn neg(f: Format, a: u64) -> u64 {
    a ^ f.sign_bit()
}

/// `|a|`.
pub fn abs(f: Format, a: u64) -> u64 {
    f.magnitude(a)
}

/// `a + b`.
pub fn add(f: Format, r: Rounding, a: u64, b: u64) -> u64 {
    if any_nan(f, a, b) {
        return f.nan();
    }
    match (f.class(a), f.class(b)) {
        (Class::Infinite, Class::Infinite) => return if a == b { a } else { f.nan() },
        (Class::Infinite, _) => return a,
        (_, Class::Infinite) => return b,
        _ => {}
    }
    let (mut x, mut y) = (Finite::new(f, a), Finite::new(f, b));
    if x.exponent < y.exponent {
        (x, y) = (y, x);
    }
    let apart = (x.exponent - y.exponent) as u32;
    // Beyond 60 bits only whether `y` is zero matters: `x` is then normal, and 60 bits longer than needed.
    let by = apart.min(60);
    let (m, n) = (u128::from(x.significand) << by, u128::from(y.significand));
    let (n, more) = if apart > 60 { (0, n != 0) } else { (n, false) };
    let exponent = x.exponent - by as i32;
    if x.sign == y.sign {
        return match m + n {
            0 => signed(f, x.sign, 0),
            sum => round(f, r, x.sign, sum, exponent, more),
        };
    }
    match m.cmp(&n) {
        Ordering::Equal => signed(f, r == Rounding::Down, 0),
        Ordering::Greater if more => round(f, r, x.sign, m - 1, exponent, true),
        Ordering::Greater => round(f, r, x.sign, m - n, exponent, false),
        Ordering::Less => round(f, r, y.sign, n - m, exponent, false),
    }
}

/// `a - b`.
pub fn sub(f: Format, r: Rounding, a: u64, b: u64) -> u64 {
    add(f, r, a, neg(f, b))
}

/// `a * b`.
pub fn mul(f: Format, r: Rounding, a: u64, b: u64) -> u64 {
    let sign = f.sign(a) != f.sign(b);
    match (f.class(a), f.class(b)) {
        (Class::Nan, _) | (_, Class::Nan) => f.nan(),
        (Class::Infinite, Class::Zero) | (Class::Zero, Class::Infinite) => f.nan(),
        (Class::Infinite, _) | (_, Class::Infinite) => signed(f, sign, f.infinity()),
        _ => {
            let (x, y) = (Finite::new(f, a), Finite::new(f, b));
            let product = u128::from(x.significand) * u128::from(y.significand);
            round(f, r, sign, product, x.exponent + y.exponent, false)
        }
    }
}

/// `a / b`.
pub fn div(f: Format, r: Rounding, a: u64, b: u64) -> u64 {
    let sign = f.sign(a) != f.sign(b);
    match (f.class(a), f.class(b)) {
        (Class::Nan, _) | (_, Class::Nan) => f.nan(),
        (Class::Infinite, Class::Infinite) | (Class::Zero, Class::Zero) => f.nan(),
        (Class::Infinite, _) | (_, Class::Zero) => signed(f, sign, f.infinity()),
        (Class::Zero, _) | (_, Class::Infinite) => signed(f, sign, 0),
        _ => {
            let (x, y) = (Finite::normal(f, a), Finite::normal(f, b));
            let by = f.significand + 2;
            let (m, n) = (u128::from(x.significand) << by, u128::from(y.significand));
            round(f, r, sign, m / n, x.exponent - y.exponent - by as i32, m % n != 0)
        }
    }
}

/// The square root.
pub fn sqrt(f: Format, r: Rounding, a: u64) -> u64 {
    match f.class(a) {
        Class::Zero => return a,
        Class::Nan => return f.nan(),
        _ if f.sign(a) => return f.nan(),
        Class::Infinite => return a,
        _ => {}
    }
    let x = Finite::normal(f, a);
    // An even exponent, and a radicand with two bits for each bit of the result and of the next two.
    let by = f.significand as i32 + 4 + (x.exponent + f.significand as i32).rem_euclid(2);
    let radicand = u128::from(x.significand) << by;
    let root = radicand.isqrt();
    round(f, r, false, root, (x.exponent - by) / 2, root * root != radicand)
}

/// `a - b * n`, where `n` is `a / b` rounded towards zero (C's `fmod`).
pub fn fmod(f: Format, a: u64, b: u64) -> u64 {
    match division(f, a, b) {
        Err(special) => special,
        Ok((rest, _)) => round(f, Rounding::Zero, f.sign(a), rest.significand.into(), rest.exponent, false),
    }
}

/// `a - b * n`, where `n` is `a / b` rounded to the nearest, ties to even (IEEE's and C's `remainder`).
pub fn remainder(f: Format, a: u64, b: u64) -> u64 {
    let (rest, odd) = match division(f, a, b) {
        Err(special) => return special,
        Ok(found) => found,
    };
    // The divisor with the exponent of the rest: if the rest is the smaller by far, it is the answer.
    let y = Finite::new(f, b);
    let apart = y.exponent - rest.exponent;
    debug_assert!(apart >= 0, "the rest is counted in units of the smaller operand");
    let m = u128::from(rest.significand);
    let n = if apart > 60 { u128::MAX >> 2 } else { u128::from(y.significand) << apart };
    match (2 * m).cmp(&n) {
        Ordering::Greater => round(f, Rounding::Zero, !rest.sign, n - m, rest.exponent, false),
        Ordering::Equal if odd => round(f, Rounding::Zero, !rest.sign, n - m, rest.exponent, false),
        _ => round(f, Rounding::Zero, rest.sign, m, rest.exponent, false),
    }
}

/// The rest of a division, with the sign of the dividend, and whether the quotient is odd; or the result
/// where nothing has to be divided.
fn division(f: Format, a: u64, b: u64) -> Result<(Finite, bool), u64> {
    match (f.class(a), f.class(b)) {
        (Class::Nan, _) | (_, Class::Nan) | (Class::Infinite, _) | (_, Class::Zero) => return Err(f.nan()),
        (Class::Zero, _) | (_, Class::Infinite) => return Err(a),
        _ => {}
    }
    let (x, y) = (Finite::new(f, a), Finite::new(f, b));
    if x.exponent < y.exponent {
        let apart = (y.exponent - x.exponent) as u32;
        if apart > 60 {
            return Ok((x, false));
        }
        let n = u128::from(y.significand) << apart;
        let m = u128::from(x.significand);
        return Ok((Finite { significand: (m % n) as u64, ..x }, m / n % 2 == 1));
    }
    let mut odd = x.significand / y.significand % 2 == 1;
    let mut rest = x.significand % y.significand;
    for _ in y.exponent..x.exponent {
        rest *= 2;
        odd = rest >= y.significand;
        rest %= y.significand;
    }
    Ok((Finite { sign: x.sign, significand: rest, exponent: y.exponent }, odd))
}

/// How two numbers compare; `None` with a NaN. The zeros are equal.
pub fn compare(f: Format, a: u64, b: u64) -> Option<Ordering> {
    if any_nan(f, a, b) {
        return None;
    }
    let key = |v: u64| {
        let m = f.magnitude(v) as i128;
        if f.sign(v) { -m } else { m }
    };
    Some(key(a).cmp(&key(b)))
}

/// The smaller one; if one is a NaN, the other one. Of two zeros the negative one.
pub fn min(f: Format, a: u64, b: u64) -> u64 {
    pick(f, a, b, Ordering::Less, true)
}

/// The greater one; if one is a NaN, the other one. Of two zeros the positive one.
pub fn max(f: Format, a: u64, b: u64) -> u64 {
    pick(f, a, b, Ordering::Greater, false)
}

fn pick(f: Format, a: u64, b: u64, wanted: Ordering, negative: bool) -> u64 {
    match compare(f, a, b) {
        Some(Ordering::Equal) => {
            if f.sign(a) == negative {
                a
            } else {
                b
            }
        }
        Some(order) => {
            if order == wanted {
                a
            } else {
                b
            }
        }
        None if f.is_nan(a) && f.is_nan(b) => f.nan(),
        None => {
            if f.is_nan(a) {
                b
            } else {
                a
            }
        }
    }
}
