//! How long random and differential tests run.

/// The value of the environment variable `PALISADE_TEST_SCALE`: random tests run so many times as many rounds
/// as usual. The default is 1; then all tests together take minutes.
///
/// # Panics
/// When the variable is set to something that is not a number from 1.
pub fn scale() -> usize {
    match std::env::var("PALISADE_TEST_SCALE") {
        Err(_) => 1,
        Ok(text) => match text.parse() {
            Ok(n) if n >= 1 => n,
            _ => panic!("PALISADE_TEST_SCALE is `{text}`; a number from 1 is needed"),
        },
    }
}
