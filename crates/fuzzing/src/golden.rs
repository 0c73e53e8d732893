//! Expected outputs that are files beside their input.

use std::path::Path;

/// Compares an output with the file that holds what is expected.
///
/// With the environment variable `BLESS` set (`BLESS=1 cargo test -p CRATE --test FILE`) the file is written
/// instead; read the difference before you commit it.
///
/// # Panics
/// When the output differs, or when the file cannot be written.
#[track_caller]
pub fn golden(file: &Path, output: &str) {
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(file, output).expect("a file that can be written");
    }
    let expected = std::fs::read_to_string(file).unwrap_or_default();
    if let Some(line) = first_difference(&expected, output) {
        let shown = |text: &str| text.lines().nth(line - 1).unwrap_or("(the end)").to_string();
        panic!(
            "{} differs from line {line} on\nexpected: {}\n   found: {}\n\
             If the change is intended, run the test once with BLESS=1.\n--- the whole output\n{output}",
            file.display(),
            shown(&expected),
            shown(output)
        );
    }
}

/// The first line, counted from 1, in which two texts differ.
fn first_difference(a: &str, b: &str) -> Option<usize> {
    if a == b {
        return None;
    }
    let same = a.lines().zip(b.lines()).take_while(|(x, y)| x == y).count();
    Some(same + 1)
}

#[cfg(test)]
mod tests {
    use super::{first_difference, golden};

    #[test]
    fn texts_differ_at_a_line() {
        assert_eq!(first_difference("a\nb\n", "a\nb\n"), None);
        assert_eq!(first_difference("a\nb\n", "a\nc\n"), Some(2));
        assert_eq!(first_difference("a\n", "a\nb\n"), Some(2));
    }

    #[test]
    #[should_panic(expected = "differs from line 1 on")]
    fn a_missing_file_is_a_difference() {
        let folder = tempfile::tempdir().expect("a folder");
        golden(&folder.path().join("absent"), "text");
    }
}
