//! SHA-256 of input files.

use std::path::Path;

use sha2::{Digest, Sha256};

/// The SHA-256 of a file in hexadecimal digits, if it can be read.
pub fn of_file(path: &Path) -> Option<String> {
    std::fs::read(path).ok().map(|bytes| of_bytes(&bytes))
}

/// The SHA-256 of bytes in hexadecimal digits.
pub fn of_bytes(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|b| format!("{b:02x}")).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_hash_is_the_published_one() {
        let abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(super::of_bytes(b"abc"), abc);
    }
}
