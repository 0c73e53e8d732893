//! The circuits against the exact code: all pairs of numbers of small formats, special and random numbers of
//! large ones, in all rounding modes; as terms over variables, over one constant, and folded.

use std::cmp::Ordering;

use palisade_float::{Circuits, Class, Format, Rounding, exact};
use palisade_fuzzing::{Random, scale, seed_shift};
use palisade_term::{Assignment, Sort, Term, TermPool, Value};

/// A term over the variables, and what it is for their values.
type Case = (String, Term, Box<dyn Fn(u64, u64) -> Expected>);

enum Expected {
    Bits(u64),
    Truth(bool),
}

fn bits(f: impl Fn(u64, u64) -> u64 + 'static) -> Box<dyn Fn(u64, u64) -> Expected> {
    Box::new(move |a, b| Expected::Bits(f(a, b)))
}

fn truth(f: impl Fn(u64, u64) -> bool + 'static) -> Box<dyn Fn(u64, u64) -> Expected> {
    Box::new(move |a, b| Expected::Truth(f(a, b)))
}

/// All operations on two numbers of a format.
fn cases(pool: &TermPool, f: Format, a: Term, b: Term) -> Vec<Case> {
    let c = Circuits::new(pool, f);
    let is = move |a, b, o: &[Ordering]| exact::compare(f, a, b).is_some_and(|x| o.contains(&x));
    let mut out: Vec<Case> = vec![
        ("eq".into(), c.eq(a, b), truth(move |a, b| is(a, b, &[Ordering::Equal]))),
        ("lt".into(), c.lt(a, b), truth(move |a, b| is(a, b, &[Ordering::Less]))),
        ("le".into(), c.le(a, b), truth(move |a, b| is(a, b, &[Ordering::Less, Ordering::Equal]))),
        ("unordered".into(), c.unordered(a, b), truth(move |a, b| exact::compare(f, a, b).is_none())),
        ("nan".into(), c.is_nan(a), truth(move |a, _| f.class(a) == Class::Nan)),
        ("infinite".into(), c.is_infinite(a), truth(move |a, _| f.class(a) == Class::Infinite)),
        ("zero".into(), c.is_zero(a), truth(move |a, _| f.class(a) == Class::Zero)),
        ("subnormal".into(), c.is_subnormal(a), truth(move |a, _| f.class(a) == Class::Subnormal)),
        ("normal".into(), c.is_normal(a), truth(move |a, _| f.class(a) == Class::Normal)),
        ("finite".into(), c.is_finite(a), truth(move |a, _| f.magnitude(a) < f.infinity())),
        ("neg".into(), c.neg(a), bits(move |a, _| exact::neg(f, a))),
        ("abs".into(), c.abs(a), bits(move |a, _| exact::abs(f, a))),
        ("min".into(), c.min(a, b), bits(move |a, b| exact::min(f, a, b))),
        ("max".into(), c.max(a, b), bits(move |a, b| exact::max(f, a, b))),
    ];
    for r in Rounding::ALL {
        let mut put = |name: &str, t, e| out.push((format!("{name} {r:?}"), t, e));
        put("add", c.add(r, a, b), bits(move |a, b| exact::add(f, r, a, b)));
        put("sub", c.sub(r, a, b), bits(move |a, b| exact::sub(f, r, a, b)));
        put("mul", c.mul(r, a, b), bits(move |a, b| exact::mul(f, r, a, b)));
        put("div", c.div(r, a, b), bits(move |a, b| exact::div(f, r, a, b)));
        put("sqrt", c.sqrt(r, a), bits(move |a, _| exact::sqrt(f, r, a)));
        put("integral", c.round_to_integral(r, a), bits(move |a, _| exact::round_to_integral(f, r, a)));
        for other in formats() {
            let t = Circuits::new(pool, other).from_float(r, f, a);
            put(&format!("to {other:?}"), t, bits(move |a, _| exact::convert(f, other, r, a)));
        }
        for (width, signed) in [(3, true), (8, false), (32, true), (32, false), (64, true), (64, false)] {
            let (v, fits) = c.to_int(r, a, width, signed);
            let name = format!("to int {width} {signed}");
            put(&name, fits, truth(move |a, _| exact::to_int(f, r, a, width, signed).is_some()));
            let value = pool.ite(fits, v, pool.bitvec(0, width));
            let mask = u64::MAX >> (64 - width);
            let want = move |a: u64, _| exact::to_int(f, r, a, width, signed).unwrap_or(0) as u64 & mask;
            put(&name, value, bits(want));
            // The bits of a number as an integer.
            let w = width.min(f.width());
            let part = pool.extract(w - 1, 0, a);
            let want = move |a: u64, _| {
                let v = i128::from(a) & ((1 << w) - 1);
                let v = if signed && v >> (w - 1) == 1 { v - (1 << w) } else { v };
                exact::from_int(f, r, v)
            };
            put(&format!("from int {w} {signed}"), c.from_int(r, part, signed), bits(want));
        }
    }
    out
}

fn formats() -> [Format; 4] {
    [Format::new(3, 4).unwrap(), Format::new(4, 3).unwrap(), Format::BINARY32, Format::BINARY64]
}

fn agree(got: &Value, want: &Expected) -> bool {
    match (got, want) {
        (Value::Bool(g), Expected::Truth(w)) => g == w,
        (Value::BitVec(_, g), Expected::Bits(w)) => *g == (*w).into(),
        _ => false,
    }
}

fn shown(e: &Expected) -> String {
    match e {
        Expected::Bits(b) => format!("{b:#x}"),
        Expected::Truth(t) => t.to_string(),
    }
}

/// Compares the terms over variables `x`, `y` for these numbers.
fn compare(pool: &TermPool, cases: &[Case], f: Format, a: u64, b: u64) {
    let (x, y) = (pool.var("x", Sort::BitVec(f.width())), pool.var("y", Sort::BitVec(f.width())));
    let mut model = Assignment::new();
    model.set(x, Value::BitVec(f.width(), a.into()));
    model.set(y, Value::BitVec(f.width(), b.into()));
    for (name, term, expected) in cases {
        let (got, want) = (pool.eval(*term, &model), expected(a, b));
        assert!(agree(&got, &want), "{name} of {a:#x} {b:#x} in {f:?}: {got}, not {}", shown(&want));
    }
}

#[test]
fn all_pairs_of_small_formats() {
    let pool = TermPool::new();
    for f in [Format::new(2, 2).unwrap(), Format::new(3, 3).unwrap()] {
        let (x, y) = (pool.var("x", Sort::BitVec(f.width())), pool.var("y", Sort::BitVec(f.width())));
        let cases = cases(&pool, f, x, y);
        for a in 0..1 << f.width() {
            for b in 0..1 << f.width() {
                compare(&pool, &cases, f, a, b);
            }
        }
    }
}

/// Special numbers, numbers near them, and numbers that overlap.
fn number(f: Format, random: &mut Random, other: u64) -> u64 {
    let mask = u64::MAX >> (64 - f.width());
    let special = [0, 1, f.one(), f.infinity(), f.nan(), f.greatest(), 1 << f.fraction()];
    match random.below(6) {
        0 => random.pick(&special) | if random.one_in(2) { f.sign_bit() } else { 0 },
        1 => random.pick(&special).wrapping_add(random.range(-2, 2) as u64) & mask,
        2 => {
            other.wrapping_add(random.range(-2, 2) as u64) & mask
                ^ if random.one_in(2) { f.sign_bit() } else { 0 }
        }
        3 => {
            (other >> f.fraction()).wrapping_add(random.range(-30, 30) as u64) << f.fraction() & mask
                | random.bits() & ((1 << f.fraction()) - 1)
        }
        4 => exact::from_int(f, Rounding::Zero, i128::from(random.range(-300, 300))),
        _ => random.bits() & mask,
    }
}

#[test]
fn random_numbers_of_large_formats() {
    let pool = TermPool::new();
    let mut random = Random::new(5 + seed_shift());
    for f in [Format::BINARY32, Format::BINARY64, Format::new(5, 11).unwrap()] {
        let (x, y) = (pool.var("x", Sort::BitVec(f.width())), pool.var("y", Sort::BitVec(f.width())));
        let cases = cases(&pool, f, x, y);
        let mut b = f.one();
        for _ in 0..15 * scale() {
            let a = number(f, &mut random, b);
            b = number(f, &mut random, a);
            compare(&pool, &cases, f, a, b);
        }
    }
}

/// With constants the builders simplify: to the same function, and of constants to constants.
#[test]
fn constants_fold() {
    let mut random = Random::new(9 + seed_shift());
    for f in [Format::BINARY32, Format::BINARY64] {
        for _ in 0..3 * scale() {
            let pool = TermPool::new();
            let y = pool.var("y", Sort::BitVec(f.width()));
            let a = number(f, &mut random, f.one());
            let b = number(f, &mut random, a);
            let one = cases(&pool, f, pool.bitvec(a, f.width()), y);
            compare(&pool, &one, f, a, b);
            for (name, term, expected) in
                cases(&pool, f, pool.bitvec(a, f.width()), pool.bitvec(b, f.width()))
            {
                assert!(pool.is_const(term), "{name} of {a:#x} {b:#x} is no constant");
                let value = pool.eval(term, &Assignment::new());
                assert!(agree(&value, &expected(a, b)), "{name} of constants {a:#x} {b:#x}");
            }
        }
    }
}
