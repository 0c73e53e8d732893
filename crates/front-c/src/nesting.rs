//! A limit on how deep brackets may be nested, checked before the parser sees the text.
//!
//! The parser backtracks without memoization: for nested calls and subscripts its time grows at least with
//! the square of the depth. Code that recurses over the tree needs stack. Compilers have such a limit too
//! (clang: 256 by default). Blocks are cheap, and generated programs nest them deeply, so braces have a limit
//! of their own.

use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::source::{Source, literal_end};

/// How deep parentheses and square brackets, counted together, may be nested.
pub const MAX_BRACKETS: usize = 256;

/// How deep braces may be nested.
pub const MAX_BRACES: usize = 2_000;

/// Refuses a text that is nested deeper than the limits, at the first bracket too many.
pub fn check(source: &Source) -> Result<(), Diagnostics> {
    let text = source.text.as_bytes();
    let (mut brackets, mut braces) = (0usize, 0usize);
    let mut i = 0;
    while i < text.len() {
        match text[i] {
            b'"' | b'\'' => i = literal_end(text, i),
            b'(' | b'[' => brackets += 1,
            b')' | b']' => brackets = brackets.saturating_sub(1),
            b'{' => braces += 1,
            b'}' => braces = braces.saturating_sub(1),
            _ => {}
        }
        let (what, limit) = match (brackets > MAX_BRACKETS, braces > MAX_BRACES) {
            (true, _) => ("parentheses and square brackets", MAX_BRACKETS),
            (_, true) => ("braces", MAX_BRACES),
            _ => {
                i += 1;
                continue;
            }
        };
        let message = format!("unsupported: {what} nested more than {limit} deep");
        return Err(Diagnostic::at(source, i, i + 1, message).into());
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> Option<String> {
        check(&Source::new("t.i", text)).err().map(|d| d.to_string())
    }

    fn nested(open: &str, n: usize, close: &str) -> String {
        format!("{}x{}", open.repeat(n), close.repeat(n))
    }

    #[test]
    fn the_limit_is_met_and_not_passed() {
        assert_eq!(refused(&nested("(", MAX_BRACKETS, ")")), None);
        let too_deep = "t.i:2:257: unsupported: parentheses and square brackets nested more than 256 deep";
        assert_eq!(refused(&format!("\n{}", nested("(", MAX_BRACKETS + 1, ")"))).as_deref(), Some(too_deep));
        assert!(refused(&nested("f[(", MAX_BRACKETS / 2 + 1, ")]")).is_some());
        assert_eq!(refused(&nested("{", MAX_BRACES, "}")), None);
        assert!(refused(&nested("{", MAX_BRACES + 1, "}")).is_some());
    }

    #[test]
    fn only_depth_counts() {
        assert_eq!(refused(&"()".repeat(10_000)), None);
        // Literals and comments hide brackets, escaped quotes do not end them.
        assert_eq!(refused(&"\"\\\"((\" '(' '\\'' /* ( */ // (\n".repeat(1_000)), None);
    }
}
