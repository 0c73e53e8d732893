//! Exact numbers against big integers, with operands around the limits of machine words.

use num_bigint::BigInt;
use num_integer::Integer;
use palisade_arith::{Delta, Int, Rational};
use palisade_fuzzing::Random;

/// Numbers near powers of two and their negatives, and small ones.
fn operand(rng: &mut Random) -> BigInt {
    let base = match rng.below(6) {
        0 => BigInt::from(rng.range(-3, 3)),
        1 => BigInt::from(i64::MAX) + rng.range(-2, 2),
        2 => BigInt::from(i64::MIN) + rng.range(-2, 2),
        3 => (BigInt::from(1) << rng.range(20, 70)) + rng.range(-2, 2),
        4 => BigInt::from(rng.range(-1000, 1000)),
        _ => BigInt::from(rng.bits() as i64).pow(rng.range(1, 3) as u32),
    };
    if rng.chance(50) { -base } else { base }
}

fn int(value: &BigInt) -> Int {
    Int::from_big(value.clone())
}

#[test]
fn integers_agree_with_big_integers() {
    let mut rng = Random::new(1);
    for _ in 0..30_000 {
        let (a, b, c) = (operand(&mut rng), operand(&mut rng), operand(&mut rng));
        let (x, y, z) = (int(&a), int(&b), int(&c));
        assert_eq!((&x + &y).to_big(), &a + &b);
        assert_eq!((&x - &y).to_big(), &a - &b);
        assert_eq!((&x * &y).to_big(), &a * &b);
        assert_eq!((-&x).to_big(), -&a);
        assert_eq!(x.abs().to_big(), BigInt::from(a.magnitude().clone()));
        assert_eq!(x.cmp(&y), a.cmp(&b));
        assert_eq!(x.gcd(&y).to_big(), a.gcd(&b));
        assert_eq!(x.bits(), a.bits());
        assert_eq!(
            x.lcm(&y).to_big(),
            if a == BigInt::ZERO || b == BigInt::ZERO { BigInt::ZERO } else { a.lcm(&b) }
        );
        let mut sum = x.clone();
        sum.add_mul(&y, &z);
        assert_eq!(sum.to_big(), &a + &b * &c);
        // Canonical: a value that fits a word is held in one, so equality is equality of values.
        assert_eq!((&x * &y).to_i64(), i64::try_from(&a * &b).ok());
        assert_eq!(&(&x + &y) - &y, x);
        if b != BigInt::ZERO {
            assert_eq!(x.div_floor(&y).to_big(), a.div_floor(&b));
            assert_eq!(x.div_ceil(&y).to_big(), a.div_ceil(&b));
            assert_eq!(x.mod_floor(&y).to_big(), a.mod_floor(&b));
            assert_eq!(y.divides(&x), a.is_multiple_of(&b));
        }
    }
}

/// A rational the slow way.
#[derive(Clone, Debug)]
struct Slow(BigInt, BigInt);

fn same(fast: &Rational, slow: &Slow) {
    assert_eq!(fast.num().to_big() * &slow.1, fast.den().to_big() * &slow.0, "{fast} and {slow:?}");
    assert!(fast.den().is_positive());
    assert!(fast.num().gcd(&fast.den()).is_one());
}

#[test]
fn rationals_agree_with_big_fractions() {
    let mut rng = Random::new(2);
    let nonzero = |rng: &mut Random| {
        loop {
            let d = if rng.chance(40) { BigInt::from(1) } else { operand(rng) };
            if d != BigInt::ZERO {
                return d;
            }
        }
    };
    for _ in 0..30_000 {
        let (a, p) = (operand(&mut rng), nonzero(&mut rng));
        let (b, q) = (operand(&mut rng), nonzero(&mut rng));
        let (x, y) = (Rational::of(&int(&a), &int(&p)), Rational::of(&int(&b), &int(&q)));
        same(&x, &Slow(a.clone(), p.clone()));
        same(&(&x + &y), &Slow(&a * &q + &b * &p, &p * &q));
        same(&(&x - &y), &Slow(&a * &q - &b * &p, &p * &q));
        same(&(&x * &y), &Slow(&a * &b, &p * &q));
        same(&-&x, &Slow(-&a, p.clone()));
        let mut sum = x.clone();
        sum.add_mul(&x, &y);
        assert_eq!(sum, &x + &(&x * &y));
        sum = x.clone();
        sum.add_mul_int(&y.num(), &x);
        assert_eq!(sum, &x + &(&x * &Rational::from(y.num())));
        if b != BigInt::ZERO {
            same(&(&x / &y), &Slow(&a * &q, &p * &b));
            assert_eq!(&y * &y.recip(), Rational::ONE);
        }
        let order = (&a * &q).cmp(&(&b * &p));
        let flip = (p < BigInt::ZERO) != (q < BigInt::ZERO);
        assert_eq!(x.cmp(&y), if flip { order.reverse() } else { order });
        assert_eq!(x.floor().to_big(), a.div_floor(&p));
        assert_eq!(x.ceil().to_big(), -(-&a).div_floor(&p));
        assert_eq!(&Rational::from(x.floor()) + &x.fract(), x);
        assert_eq!(x.is_integer(), a.is_multiple_of(&p));
        assert_eq!(&(&x + &y) - &y, x);
        assert_eq!(x.to_string() == y.to_string(), x == y);
    }
}

#[test]
fn infinitesimals_order_and_round_like_strict_bounds() {
    let three = Rational::from(3);
    let (below, exact, above) = (Delta::below(three.clone()), Delta::from(3), Delta::above(three));
    assert!(below < exact && exact < above && above < Delta::from(4));
    assert_eq!(below.floor(), Int::from(2));
    assert_eq!(below.ceil(), Int::from(3));
    assert_eq!(above.floor(), Int::from(3));
    assert_eq!(above.ceil(), Int::from(4));
    assert_eq!(Delta::below(Rational::of(&Int::from(7), &Int::from(2))).floor(), Int::from(3));
    assert_eq!(
        above.at(&Rational::of(&Int::ONE, &Int::from(4))),
        Rational::of(&Int::from(13), &Int::from(4))
    );
}

#[test]
fn numbers_are_two_words() {
    assert_eq!(size_of::<Int>(), 16);
    assert_eq!(size_of::<Rational>(), 16);
    assert_eq!(size_of::<Delta>(), 32);
}
