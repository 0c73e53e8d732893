//! How long random and differential tests run, and on which numbers.

/// The value of the environment variable `PALISADE_TEST_SCALE`: random tests run so many times as many rounds
/// as usual. The default is 1; then all tests together take minutes.
///
/// # Panics
/// When the variable is set to something that is not a number from 1.
pub fn scale() -> usize {
    match variable("PALISADE_TEST_SCALE", 1) {
        0 => panic!("PALISADE_TEST_SCALE is 0; a number from 1 is needed"),
        n => n as usize,
    }
}

/// The value of the environment variable `PALISADE_TEST_SEED`, 0 by default: random tests add it to their
/// seeds, so that a long run tries other inputs than the usual ones.
///
/// # Panics
/// When the variable is set to something that is not a number.
pub fn seed_shift() -> u64 {
    variable("PALISADE_TEST_SEED", 0)
}

/// The seeds of a random test: the usual ones, [`scale()`] times as many, shifted by [`seed_shift`].
pub fn seeds(usual: std::ops::Range<u64>) -> std::ops::Range<u64> {
    let first = usual.start.wrapping_add(seed_shift());
    first..first + (usual.end - usual.start) * scale() as u64
}

fn variable(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Err(_) => default,
        Ok(text) => text.parse().unwrap_or_else(|_| panic!("{name} is `{text}`; a number is needed")),
    }
}
