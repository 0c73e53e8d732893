//! Floating-point literals of C: decimal and hexadecimal, read with correct rounding, and written so that
//! reading them gives the same bits.

use num_traits::{One, Zero};
use palisade_term::Integer;

use crate::{Class, Format, Rounding};

/// The greatest exponent that is looked at: beyond it every literal is zero or infinite.
const FAR: i64 = 200_000;

/// The bits of a literal without suffix: `1.5`, `.5e-3`, `0x1.8p+1`. `None` if it is not one.
pub fn read(f: Format, r: Rounding, text: &str) -> Option<u64> {
    Some(match value(text)? {
        None => 0,
        Some((n, d, two)) => ratio(f, r, n, d, two),
    })
}

/// The bits of a literal of a wider type, rounded to the nearest with that many bits of significand, and then
/// to the format: `(double)0.1L`. The wider type must have more exponents.
pub fn read_through(f: Format, significand: u32, text: &str) -> Option<u64> {
    let Some((n, d, two)) = value(text)? else { return Some(0) };
    let have = n.bits() as i64 - d.bits() as i64;
    // The quotient has one bit more than wanted, or two.
    let by = i64::from(significand) + 1 - have;
    let (n, d) = if by >= 0 { (n << by, d) } else { (n, d << -by) };
    let (quotient, rest) = (&n / &d, &n % &d);
    let lost = quotient.bits() - u64::from(significand);
    let kept: Integer = &quotient >> lost;
    let unit = Integer::one() << lost;
    let twice: Integer = (&quotient - (&kept << lost)) * 2;
    let up = match twice.cmp(&unit) {
        std::cmp::Ordering::Greater => true,
        std::cmp::Ordering::Equal => !rest.is_zero() || kept.bit(0),
        std::cmp::Ordering::Less => false,
    };
    let kept = if up { kept + 1 } else { kept };
    Some(ratio(f, Rounding::NearestEven, kept, Integer::one(), two - by + lost as i64))
}

/// The value of a literal as a fraction times a power of two, and `None` for zero; or nothing if it is no
/// literal.
type Parts = Option<(Integer, Integer, i64)>;

fn value(text: &str) -> Option<Parts> {
    let (hex, body) = match text.get(..2) {
        Some("0x" | "0X") => (true, &text[2..]),
        _ => (false, text),
    };
    let base = if hex { 16 } else { 10 };
    let (mantissa, exponent) = match body.find(if hex { ['p', 'P'] } else { ['e', 'E'] }) {
        Some(at) => (&body[..at], signed_decimal(&body[at + 1..])?),
        None => (body, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits: Option<Vec<u32>> = whole.chars().chain(fraction.chars()).map(|c| c.to_digit(base)).collect();
    let digits = digits.filter(|d| !d.is_empty())?;
    let text: String = digits.iter().filter_map(|d| char::from_digit(*d, base)).collect();
    let value = Integer::parse_bytes(text.as_bytes(), base)?;
    let behind = i64::try_from(fraction.len()).ok()?;
    if value.is_zero() {
        return Some(None);
    }
    let size = i64::try_from(digits.len()).ok()?;
    let exponent = exponent.clamp(-FAR - 4 * size, FAR + 4 * size);
    Some(Some(if hex {
        (value, Integer::one(), exponent - 4 * behind)
    } else {
        let ten = exponent - behind;
        let power = Integer::from(10).pow(u32::try_from(ten.abs()).ok()?);
        if ten >= 0 { (value * power, Integer::one(), 0) } else { (value, power, 0) }
    }))
}

fn signed_decimal(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.chars().all(|c| c.is_ascii_digit()) {
        return None;
    }
    let value = digits.parse().unwrap_or(i64::MAX / 4).min(i64::MAX / 4);
    Some(if text.starts_with('-') { -value } else { value })
}

/// `n / d * 2^two`, rounded; both positive.
pub fn ratio(f: Format, r: Rounding, n: Integer, d: Integer, two: i64) -> u64 {
    // A quotient with at least three bits more than the significand, and at most 60 bits.
    let have = n.bits() as i64 - d.bits() as i64;
    let by = i64::from(f.significand) + 4 - have;
    let (n, d) = if by >= 0 { (n << by, d) } else { (n, d << -by) };
    let (quotient, rest) = (&n / &d, &n % &d);
    let quotient = u128::try_from(quotient).expect("a quotient of at most 60 bits");
    let exponent = (two - by).clamp(-1_000_000, 1_000_000) as i32;
    crate::exact::round(f, r, false, quotient, exponent, !rest.is_zero())
}

/// The number as a C literal in hexadecimal, with a sign and the suffix of its type: exact. `None` for
/// infinities and NaN, for which C has no literals.
pub fn hexadecimal(f: Format, a: u64) -> Option<String> {
    let sign = if f.sign(a) { "-" } else { "" };
    let suffix = if f == Format::BINARY32 { "f" } else { "" };
    let m = f.magnitude(a);
    let (field, fraction) = (m >> f.fraction(), m & ((1 << f.fraction()) - 1));
    let exponent = |field: u64| field as i64 - i64::from(f.bias());
    let digits = f.fraction().div_ceil(4);
    let shown = format!("{:0width$x}", fraction << (4 * digits - f.fraction()), width = digits as usize);
    let shown = shown.trim_end_matches('0');
    let point = if shown.is_empty() { "" } else { "." };
    match f.class(a) {
        Class::Nan | Class::Infinite => None,
        Class::Zero => Some(format!("{sign}0x0p+0{suffix}")),
        Class::Subnormal => Some(format!("{sign}0x0{point}{shown}p{:+}{suffix}", exponent(1))),
        Class::Normal => Some(format!("{sign}0x1{point}{shown}p{:+}{suffix}", exponent(field))),
    }
}

/// The number as people write it: `1.5`, `1e+300`, `-inf`, `nan`; the shortest decimal that reading takes for
/// this number.
pub fn decimal(f: Format, a: u64) -> String {
    let sign = if f.sign(a) { "-" } else { "" };
    match f.class(a) {
        Class::Nan => return "nan".to_string(),
        Class::Infinite => return format!("{sign}inf"),
        _ => {}
    }
    match f {
        Format::BINARY32 => format!("{:?}", f32::from_bits(a as u32)),
        Format::BINARY64 => format!("{:?}", f64::from_bits(a)),
        _ => hexadecimal(f, a).expect("a finite number"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const R: Rounding = Rounding::NearestEven;

    #[test]
    fn literals_are_rounded_correctly() {
        let texts = ["1", "0.1", "1e23", "9007199254740993", "4.9e-324", "2.4703282292062327e-324", "1e400"];
        for text in texts.iter().chain(&["2.2250738585072011e-308", "0.3e-45", "1e-99999999999", "16777217."])
        {
            let (double, single): (f64, f32) = (text.parse().unwrap(), text.parse().unwrap());
            assert_eq!(read(Format::BINARY64, R, text), Some(double.to_bits()), "{text}");
            assert_eq!(read(Format::BINARY32, R, text), Some(u64::from(single.to_bits())), "{text}");
        }
        assert_eq!(read(Format::BINARY64, R, "0x1.8p+1"), Some(3f64.to_bits()));
        assert_eq!(read(Format::BINARY64, R, "0X.1P4"), Some(1f64.to_bits()));
        assert_eq!(read(Format::BINARY64, R, "0x1p-1074"), Some(1));
        assert_eq!(read(Format::BINARY64, Rounding::Up, "0.1"), Some(0.1f64.to_bits()));
        assert_eq!(read(Format::BINARY64, Rounding::Down, "0.1"), Some(0.1f64.to_bits() - 1));
        // A tie only after the first rounding, to 64 bits.
        let tie = "1.00000000000000011102230246251565405";
        assert_eq!(read_through(Format::BINARY64, 64, tie), Some(1f64.to_bits()));
        assert_eq!(read(Format::BINARY64, R, tie), Some(1f64.to_bits() + 1));
        let max = "1.79769313486231570814527423731704357e+308";
        assert_eq!(read_through(Format::BINARY64, 64, max), Some(f64::MAX.to_bits()));
        assert_eq!(read(Format::BINARY64, R, "1e"), None);
        assert_eq!(read(Format::BINARY64, R, "."), None);
    }

    #[test]
    fn what_is_written_is_read_again() {
        let mut random = palisade_fuzzing::Random::new(7);
        for _ in 0..2000 {
            for f in [Format::BINARY32, Format::BINARY64] {
                let a = random.bits() >> (64 - f.width()) & (f.sign_bit() - 1);
                let Some(hex) = hexadecimal(f, a) else { continue };
                assert_eq!(read(f, R, hex.trim_end_matches('f')), Some(a), "{hex}");
                assert_eq!(read(f, R, &decimal(f, a)), Some(a), "{}", decimal(f, a));
            }
        }
        assert_eq!(hexadecimal(Format::BINARY32, 0xbfc0_0000), Some("-0x1.8p+0f".to_string()));
        assert_eq!(hexadecimal(Format::BINARY64, 1), Some("0x0.0000000000001p-1022".to_string()));
        assert_eq!(decimal(Format::BINARY32, 0xbfc0_0000), "-1.5");
    }
}
