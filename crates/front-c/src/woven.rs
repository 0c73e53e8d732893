//! Texts that carry more than the program: annotations and witnesses, woven in as code.
//!
//! What is woven in stands between marks that say what it replaces (`palisade_report::instrument`). They are
//! names, so a preprocessor leaves them alone. [`unweave`] gives the text as its author wrote it, and the
//! edits that make the text to verify from it; with these the source leads every place back.
//!
//! Invariant: applying the edits to the text gives what was woven, without the marks. A mark without its
//! partner stays in the text, where the parser finds it.

use palisade_report::instrument::{CLAIM, WOVEN, WOVEN_END};

use crate::dialect::Edit;
use crate::source::literal_end;

/// The text without what is woven into it, and the edits that weave it in. Of a text that went through no
/// preprocessor (`exact`) every blank is known: what comes back is the author's, byte for byte.
pub(crate) fn unweave(text: &str, exact: bool) -> (String, Vec<Edit>) {
    let (mut out, mut edits) = (String::with_capacity(text.len()), Vec::new());
    let (bytes, mut from, mut i) = (text.as_bytes(), 0, 0);
    while i < bytes.len() {
        match bytes[i] {
            b'"' | b'\'' => i = literal_end(bytes, i),
            b'_' if text[i..].starts_with(WOVEN) => {
                let Some((replaced, inside, end)) = marked(text, i) else { break };
                out.push_str(&text[from..i]);
                // The blanks around the marks are not the author's. A preprocessor makes one of several.
                if exact {
                    out.truncate(out.len() - usize::from(out.ends_with(' ')));
                }
                let mut end =
                    end + usize::from((exact || !replaced.is_empty()) && bytes.get(end) == Some(&b' '));
                let mut woven = text[inside].to_string();
                // Nor is the line that ends the head.
                if exact && edits.is_empty() && text[end..].starts_with("\n# 1 ") {
                    end += 1 + text[end + 1..].find('\n').map_or(0, |n| n + 1);
                    woven.push('\n');
                }
                edits.push(Edit { at: out.len(), len: replaced.len(), text: woven });
                out.push_str(&replaced);
                (from, i) = (end, end);
                continue;
            }
            _ => {}
        }
        i += 1;
    }
    out.push_str(&text[from.min(text.len())..]);
    (out, edits)
}

/// What the marks from `at` on say: the text that is replaced, the range of the one that replaces it, and
/// where the marks end.
fn marked(text: &str, at: usize) -> Option<(String, std::ops::Range<usize>, usize)> {
    let digits = at + WOVEN.len();
    let count = text[digits..].bytes().take_while(u8::is_ascii_hexdigit).count();
    let inside = digits + count;
    let end = inside + text[inside..].find(WOVEN_END)?;
    let byte = |pair: &[u8]| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    let bytes = text.as_bytes()[digits..inside].chunks(2).map(byte).collect::<Option<Vec<u8>>>()?;
    Some((String::from_utf8(bytes).ok()?, inside..end, end + WOVEN_END.len()))
}

/// The last expression that a woven text claims, as its author wrote it.
pub(crate) fn claimed(text: &str) -> Option<&str> {
    let open = format!("{CLAIM}(!!(");
    let rest = &text[text.rfind(&open)? + open.len()..];
    let mut depth = 1;
    let end = rest.char_indices().find_map(|(i, c)| {
        depth += i32::from(c == '(') - i32::from(c == ')');
        (depth == 0).then_some(i)
    })?;
    Some(rest[..end].trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_comes_back() {
        let woven =
            format!("a {WOVEN}6621 g {WOVEN_END} (b); {WOVEN} if (x) h(); {WOVEN_END} c(\"{WOVEN}\");");
        let (text, edits) = unweave(&woven, false);
        assert_eq!(text, format!("a f!(b);  c(\"{WOVEN}\");"));
        let edits: Vec<_> = edits.iter().map(|e| (e.at, e.len, e.text.trim())).collect();
        assert_eq!(edits, [(2, 2, "g"), (9, 0, "if (x) h();")]);
        let woven = format!(" {WOVEN} int p;\n {WOVEN_END} \n# 1 \"a.i\"\nx( {WOVEN} y {WOVEN_END} z);");
        let (text, edits) = unweave(&woven, true);
        assert_eq!(text, "x(z);");
        assert!(edits[0].text.ends_with('\n'));
        assert_eq!(edits.iter().map(|e| (e.at, e.len)).collect::<Vec<_>>(), [(0, 0), (2, 0)]);
    }

    #[test]
    fn a_claim_is_told_without_its_clothes() {
        let text = format!("if (!{CLAIM}(!!(f (x) > 0))) wrong();");
        assert_eq!(claimed(&text), Some("f (x) > 0"));
        assert_eq!(claimed("x"), None);
    }
}
