//! The exact code against the machine's own arithmetic (to nearest, ties to even), on special and random
//! numbers, and against the definition of rounding in the other modes.
//!
//! `PALISADE_TEST_SCALE=100 cargo test --release -p palisade-float --test machine` compares more than ten
//! million operations.

use std::cmp::Ordering;

use palisade_float::{Class, Format, Rounding, exact};
use palisade_fuzzing::{Random, scale, seed_shift};

const R: Rounding = Rounding::NearestEven;
const F32: Format = Format::BINARY32;
const F64: Format = Format::BINARY64;

/// A number that is likely to be at a border: of the format, of integers, or near another number.
fn interesting(f: Format, random: &mut Random, other: u64) -> u64 {
    let mask = u64::MAX >> (64 - f.width());
    let any = random.bits() & mask;
    let special =
        [0, 1, f.one(), f.infinity(), f.nan(), f.greatest(), (1 << f.fraction()) - 1, 1 << f.fraction()];
    let near = |v: u64, random: &mut Random| v.wrapping_add(random.range(-3, 3) as u64) & mask;
    match random.below(8) {
        0 => random.pick(&special) | if random.one_in(2) { f.sign_bit() } else { 0 },
        1 => near(random.pick(&special), random),
        2 => near(other, random),
        // A close exponent, so that operands overlap.
        3 | 4 => {
            let field = (other >> f.fraction()).wrapping_add(random.range(-60, 60) as u64) << f.fraction();
            (field & mask) | any & ((1 << f.fraction()) - 1)
        }
        // Few bits: results that are exact or ties.
        5 => (any >> f.fraction() << f.fraction()) | 1 << random.below(f.fraction() as usize),
        6 => exact::from_int(f, R, i128::from(random.range(-1000, 1000))),
        _ => any,
    }
}

fn same(f: Format, got: u64, want: u64) -> bool {
    got == want || f.is_nan(got) && f.is_nan(want) && got == f.nan()
}

macro_rules! against_the_machine {
    ($name:ident, $f:expr, $float:ty, $bits:ty, $other:expr, $other_float:ty) => {
        #[test]
        fn $name() {
            let f = $f;
            let mut random = Random::new(11 + seed_shift());
            let mut b = 0;
            for _ in 0..3000 * scale() {
                let a = interesting(f, &mut random, b);
                b = interesting(f, &mut random, a);
                let (x, y) = (<$float>::from_bits(a as $bits), <$float>::from_bits(b as $bits));
                let check = |what: &str, got: u64, want: $float| {
                    let want = u64::from(want.to_bits());
                    assert!(same(f, got, want), "{what} {a:#x} {b:#x}: {got:#x}, the machine {want:#x}");
                };
                check("add", exact::add(f, R, a, b), x + y);
                check("sub", exact::sub(f, R, a, b), x - y);
                check("mul", exact::mul(f, R, a, b), x * y);
                check("div", exact::div(f, R, a, b), x / y);
                check("sqrt", exact::sqrt(f, R, a), x.sqrt());
                check("fmod", exact::fmod(f, a, b), x % y);
                check("rint", exact::round_to_integral(f, R, a), x.round_ties_even());
                check("round", exact::round_to_integral(f, Rounding::NearestAway, a), x.round());
                check("floor", exact::round_to_integral(f, Rounding::Down, a), x.floor());
                check("ceil", exact::round_to_integral(f, Rounding::Up, a), x.ceil());
                check("trunc", exact::round_to_integral(f, Rounding::Zero, a), x.trunc());
                assert_eq!(exact::compare(f, a, b), x.partial_cmp(&y), "compare {a:#x} {b:#x}");
                assert_eq!(f.is_nan(a), x.is_nan());
                assert_eq!(f.class(a) == Class::Infinite, x.is_infinite());
                assert_eq!(f.class(a) == Class::Subnormal, x.is_subnormal());
                assert_eq!(f.class(a) == Class::Normal, x.is_normal());
                let least = exact::min(f, a, b);
                check("min", least, if x == y { <$float>::from_bits(least as $bits) } else { x.min(y) });
                let most = exact::max(f, a, b);
                check("max", most, if x == y { <$float>::from_bits(most as $bits) } else { x.max(y) });
                let integer = random.bits() >> random.below(64);
                check(
                    "from signed",
                    exact::from_int(f, R, i128::from(integer as i64)),
                    integer as i64 as $float,
                );
                check("from unsigned", exact::from_int(f, R, i128::from(integer)), integer as $float);
                let converted = exact::convert(f, $other, R, a);
                let want = u64::from((x as $other_float).to_bits());
                assert!(same($other, converted, want), "convert {a:#x}: {converted:#x}, not {want:#x}");
                macro_rules! to_int {
                    ($int:ty) => {
                        let bits = <$int>::BITS;
                        let got = exact::to_int(f, Rounding::Zero, a, bits, <$int>::MIN != 0);
                        // The machine's conversion saturates: compare where it cannot have done that.
                        let want = x as $int;
                        match got {
                            Some(v) => assert_eq!(v, i128::from(want), "to_int {a:#x}"),
                            None => assert!(
                                x.is_nan() || want == <$int>::MIN || want == <$int>::MAX,
                                "to_int {a:#x} does not fit {bits} bits"
                            ),
                        }
                    };
                }
                to_int!(i32);
                to_int!(u32);
                to_int!(i64);
                to_int!(u64);
                to_int!(i8);
            }
        }
    };
}

against_the_machine!(single_precision, F32, f32, u32, F64, f64);
against_the_machine!(double_precision, F64, f64, u64, F32, f32);

/// What rounding means, for the modes that the machine's operators do not offer: the result in one direction
/// is the neighbour of the result in the other one, or equal to it if that is exact.
#[test]
fn other_modes_enclose_the_exact_result() {
    let mut random = Random::new(23 + seed_shift());
    for f in [F32, F64, Format::new(3, 4).unwrap(), Format::new(5, 11).unwrap()] {
        let mut b = 0;
        for _ in 0..2000 * scale() {
            let a = interesting(f, &mut random, b);
            b = interesting(f, &mut random, a);
            let ops: [(&str, &dyn Fn(Rounding) -> u64); 6] = [
                ("add", &|r| exact::add(f, r, a, b)),
                ("sub", &|r| exact::sub(f, r, a, b)),
                ("mul", &|r| exact::mul(f, r, a, b)),
                ("div", &|r| exact::div(f, r, a, b)),
                ("sqrt", &|r| exact::sqrt(f, r, a)),
                ("rint", &|r| exact::round_to_integral(f, r, a)),
            ];
            for (what, op) in ops {
                let [even, away, up, down, zero] = Rounding::ALL.map(op);
                let context = format!("{what} {a:#x} {b:#x}: {even:x} {away:x} {up:x} {down:x} {zero:x}");
                if f.is_nan(even) {
                    assert!([away, up, down, zero].iter().all(|v| *v == f.nan()), "{context}");
                    continue;
                }
                let le = |x, y| exact::compare(f, x, y).is_some_and(Ordering::is_le);
                assert!(le(down, even) && le(even, up) && le(down, away) && le(away, up), "{context}");
                assert!(even == up || even == down, "{context}");
                assert!(away == up || away == down, "{context}");
                let inwards = if f.sign(even) { up } else { down };
                assert!(zero == inwards || f.magnitude(zero) == 0 && f.magnitude(inwards) == 0, "{context}");
                if what != "rint" && up != down && f.magnitude(up) != 0 {
                    let neighbour = if f.sign(up) { up + 1 } else { up - 1 };
                    assert!(down == neighbour || f.magnitude(up) == 0, "{context}");
                }
            }
        }
    }
}

/// IEEE's remainder, by its definition, where all numbers are small integers.
#[test]
fn remainders_of_integers() {
    for f in [F32, F64] {
        for a in -40i128..=40 {
            for b in (-9i128..=9).filter(|b| *b != 0) {
                let (x, y) = (exact::from_int(f, R, a), exact::from_int(f, R, b));
                let mut n = (2 * a + b.abs()).div_euclid(2 * b.abs()) * b.signum();
                if (2 * a + b.abs()).rem_euclid(2 * b.abs()) == 0 && n % 2 != 0 {
                    n -= b.signum();
                }
                let got = exact::remainder(f, x, y);
                let want = exact::from_int(f, R, a - n * b);
                assert_eq!(exact::compare(f, got, want), Some(Ordering::Equal), "{a} rem {b}");
                assert!(f.magnitude(got) != 0 || f.sign(got) == (a < 0), "the sign of {a} rem {b}");
            }
        }
    }
}
