//! Reproducible random numbers: SplitMix64 (Steele, Lea, Flood, Fast Splittable Pseudorandom Number
//! Generators, 2014). The same seed gives the same numbers everywhere. All parts of Palisade draw from it;
//! only the tool `smt_stream` keeps another one, because its published figures are about those streams.
//!
//! Entry points: [`Random`] for a sequence, [`mix`] for one number that is made of another.

#![forbid(unsafe_code)]
#![warn(missing_docs)]

/// The distance of neighbouring states.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

/// A number that looks random, made of its argument: the first number of the sequence of that seed.
pub fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(STEP);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Number `i`, from 0 on, of the sequence of a seed.
pub fn at(seed: u64, i: u64) -> u64 {
    mix(seed.wrapping_add(i.wrapping_mul(STEP)))
}

/// A sequence of random numbers.
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The generator of a seed; neighbouring seeds give unrelated numbers.
    pub fn new(seed: u64) -> Random {
        Random(seed)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        let bits = mix(self.0);
        self.0 = self.0.wrapping_add(STEP);
        bits
    }

    /// A number below `n`, which is not zero.
    pub fn below(&mut self, n: usize) -> usize {
        (self.bits() % n as u64) as usize
    }

    /// A number between the limits, both included.
    pub fn range(&mut self, low: i64, high: i64) -> i64 {
        low + (self.bits() % (high - low + 1) as u64) as i64
    }

    /// True once in `n` times.
    pub fn one_in(&mut self, n: usize) -> bool {
        self.below(n) == 0
    }

    /// True in so many of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of the things; there must be one.
    pub fn one_of<'t, T>(&mut self, things: &'t [T]) -> &'t T {
        &things[self.below(things.len())]
    }

    /// One of the things, copied; there must be one.
    pub fn pick<T: Copy>(&mut self, things: &[T]) -> T {
        *self.one_of(things)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_sequence() {
        // The first numbers of seed 1234567 in the reference implementation (Vigna, splitmix64.c, 2015).
        let expected = [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423];
        let mut random = Random::new(1_234_567);
        for (i, number) in expected.into_iter().enumerate() {
            assert_eq!(random.bits(), number);
            assert_eq!(at(1_234_567, i as u64), number);
        }
    }
}
