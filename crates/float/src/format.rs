//! Formats, rounding modes and classes of floating-point numbers.

/// A binary interchange format: a sign bit, a biased exponent, a significand whose first bit is implicit.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Format {
    /// The bits of the exponent.
    pub exponent: u32,
    /// The bits of the significand, the implicit one included.
    pub significand: u32,
}

/// How a result that is not representable is rounded.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// To the nearest; of two, the one whose last bit is 0. C's default.
    NearestEven,
    /// To the nearest; of two, the one with the greater magnitude.
    NearestAway,
    /// Towards plus infinity.
    Up,
    /// Towards minus infinity.
    Down,
    /// Towards zero.
    Zero,
}

impl Rounding {
    /// All five.
    pub const ALL: [Rounding; 5] =
        [Rounding::NearestEven, Rounding::NearestAway, Rounding::Up, Rounding::Down, Rounding::Zero];
}

/// The kinds of floating-point numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Not a number.
    Nan,
    /// Plus or minus infinity.
    Infinite,
    /// Plus or minus zero.
    Zero,
    /// Smaller than any normal number.
    Subnormal,
    /// All others.
    Normal,
}

impl Format {
    /// C's `float`.
    pub const BINARY32: Format = Format { exponent: 8, significand: 24 };
    /// C's `double`.
    pub const BINARY64: Format = Format { exponent: 11, significand: 53 };

    /// A format with so many bits, if this crate can handle it: it fits a word, and its greatest number is an
    /// integer.
    pub fn new(exponent: u32, significand: u32) -> Option<Format> {
        let fine = (2..=15).contains(&exponent) && (2..=53).contains(&significand);
        let format = Format { exponent, significand };
        (fine && format.width() <= 64 && format.bias() >= format.fraction() as i32).then_some(format)
    }

    /// All bits.
    pub fn width(self) -> u32 {
        self.exponent + self.significand
    }

    /// What is added to the exponent; the greatest exponent of a finite number.
    pub fn bias(self) -> i32 {
        (1 << (self.exponent - 1)) - 1
    }

    /// The bits of the significand that are stored.
    pub fn fraction(self) -> u32 {
        self.significand - 1
    }

    /// The sign bit.
    pub fn sign_bit(self) -> u64 {
        1 << (self.width() - 1)
    }

    /// Plus infinity.
    pub fn infinity(self) -> u64 {
        ((1 << self.exponent) - 1) << self.fraction()
    }

    /// The NaN that operations give.
    pub fn nan(self) -> u64 {
        self.infinity() | 1 << (self.fraction() - 1)
    }

    /// The greatest finite number.
    pub fn greatest(self) -> u64 {
        self.infinity() - 1
    }

    /// One.
    pub fn one(self) -> u64 {
        (self.bias() as u64) << self.fraction()
    }

    /// The exponent of the last bit of a subnormal number: all numbers are multiples of 2 to this power.
    pub(crate) fn least_exponent(self) -> i32 {
        1 - self.bias() - self.fraction() as i32
    }

    /// The bits without the sign.
    pub fn magnitude(self, a: u64) -> u64 {
        a & (self.sign_bit() - 1)
    }

    /// Is the sign bit set?
    pub fn sign(self, a: u64) -> bool {
        a & self.sign_bit() != 0
    }

    /// The kind of a number.
    pub fn class(self, a: u64) -> Class {
        let m = self.magnitude(a);
        match m {
            0 => Class::Zero,
            _ if m > self.infinity() => Class::Nan,
            _ if m == self.infinity() => Class::Infinite,
            _ if m >> self.fraction() == 0 => Class::Subnormal,
            _ => Class::Normal,
        }
    }

    /// Is it a NaN?
    pub fn is_nan(self, a: u64) -> bool {
        self.class(a) == Class::Nan
    }
}
