//! Columns of preprocessed text, led back to the file that was preprocessed.
//!
//! The preprocessor keeps lines (by its markers) but not columns: blanks and comments are squeezed, and what
//! a macro expands to takes the place of its name. Each source line is aligned with the text that was made
//! from it; a line whose parentheses stay open is aligned together with the lines that close them. A name
//! that does not occur in that text is taken as a macro: it stands, with its arguments, for any sequence of
//! tokens, if possible one that closes the brackets that it opens; all other tokens stand for themselves.
//! Tokens that a macro expands to are at its name.
//!
//! Limit: a macro whose expansion contains its own name is not aligned; such a line keeps the columns of the
//! preprocessed text.
//!
//! Entry points: [`Written`], [`align`].

use std::ops::Range;

use crate::source::{blank_comments, text_of};

/// Where a token of the preprocessed text comes from: its byte range there, and the byte range in the source
/// line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    /// In the preprocessed text.
    pub(crate) made: Range<usize>,
    /// In the line of the source.
    pub(crate) from: Range<usize>,
    /// The token is the same in both; otherwise it is part of the expansion of the macro there.
    pub(crate) same: bool,
}

/// The largest table of an alignment.
const LARGEST: usize = 1 << 20;

/// Aligns a line of a source with the tokens of the preprocessed text that stand for it (their byte ranges in
/// `text`).
pub(crate) fn align(line: &str, text: &str, made: &[Range<usize>]) -> Option<Vec<Origin>> {
    let words = tokens(line, 0);
    if words.len().saturating_mul(made.len()) > LARGEST {
        return None;
    }
    let is_made = |w: &str| made.iter().any(|m| &text[m.clone()] == w);
    let ways = [(false, true), (true, true), (false, false), (true, false)];
    let matched = ways.into_iter().find_map(|(with_arguments, balanced)| {
        let units = units(line, &words, with_arguments, &is_made);
        matching(&units, line, text, made, balanced).map(|ends| (units, ends))
    });
    let (units, ends) = matched?;
    let mut out = Vec::with_capacity(made.len());
    let mut begin = 0;
    for (unit, end) in units.into_iter().zip(ends) {
        for m in &made[begin..end] {
            out.push(Origin { made: m.clone(), from: unit.range.clone(), same: !unit.wild });
        }
        begin = end;
    }
    Some(out)
}

struct Unit {
    range: Range<usize>,
    wild: bool,
}

/// The line as tokens and macro invocations.
fn units(
    line: &str,
    words: &[Range<usize>],
    with_arguments: bool,
    is_made: &dyn Fn(&str) -> bool,
) -> Vec<Unit> {
    let word = |i: usize| words.get(i).map_or("", |w| &line[w.clone()]);
    let mut out = Vec::new();
    let mut i = 0;
    while i < words.len() {
        let is_macro = is_name(word(i)) && !is_made(word(i));
        let mut last = i;
        if is_macro && with_arguments && word(i + 1) == "(" {
            let mut depth = 0;
            for j in i + 1..words.len() {
                match word(j) {
                    "(" => depth += 1,
                    ")" => depth -= 1,
                    _ => {}
                }
                if depth == 0 {
                    last = j;
                    break;
                }
            }
        }
        out.push(Unit { range: words[i].start..words[last].end, wild: is_macro });
        i = last + 1;
    }
    out
}

/// For every unit the number of made tokens up to its end, if the units match all of them. With `balanced` a
/// macro expands to whole brackets only.
fn matching(
    units: &[Unit],
    line: &str,
    text: &str,
    made: &[Range<usize>],
    balanced: bool,
) -> Option<Vec<usize>> {
    let width = made.len() + 1;
    let after = after(text, made, balanced);
    // `fits[i][j]`: the units from `i` on match the made tokens from `j` on.
    let mut fits = vec![false; (units.len() + 1) * width];
    fits[units.len() * width + made.len()] = true;
    for i in (0..units.len()).rev() {
        for j in (0..width).rev() {
            let next = |j: usize| j < width && fits[(i + 1) * width + j];
            fits[i * width + j] = if units[i].wild {
                next(j) || after.get(j).is_some_and(|&k| k < width && fits[i * width + k])
            } else {
                j < made.len() && text[made[j].clone()] == line[units[i].range.clone()] && next(j + 1)
            };
        }
    }
    if !fits[0] {
        return None;
    }
    let (mut ends, mut j) = (Vec::new(), 0);
    for (i, unit) in units.iter().enumerate() {
        if unit.wild {
            while !fits[(i + 1) * width + j] {
                j = after[j];
            }
        } else {
            j += 1;
        }
        ends.push(j);
    }
    Some(ends)
}

/// For every made token where an expansion that contains it goes on: behind the closing bracket of one that
/// opens, and nowhere behind one that closes.
fn after(text: &str, made: &[Range<usize>], balanced: bool) -> Vec<usize> {
    let mut after: Vec<usize> = (1..=made.len()).collect();
    if balanced {
        let mut open = Vec::new();
        for (j, m) in made.iter().enumerate() {
            match &text[m.clone()] {
                "(" | "[" | "{" => {
                    after[j] = usize::MAX;
                    open.push(j);
                }
                ")" | "]" | "}" => {
                    after[j] = usize::MAX;
                    if let Some(i) = open.pop() {
                        after[i] = j + 1;
                    }
                }
                _ => {}
            }
        }
    }
    after
}

/// A file that was preprocessed, line by line.
pub(crate) struct Written {
    /// As it is, and with its comments blanked: the same bytes, other characters.
    lines: Vec<(String, String)>,
}

impl Written {
    pub(crate) fn read(file: &str) -> Option<Written> {
        let text = text_of(&std::fs::read(file).ok()?);
        let both = |(a, b): (&str, &str)| (a.to_string(), b.to_string());
        Some(Written { lines: text.lines().zip(blank_comments(&text).lines()).map(both).collect() })
    }

    /// A line without its comments.
    pub(crate) fn line(&self, number: u32) -> Option<&str> {
        Some(&self.lines.get((number as usize).checked_sub(1)?)?.1)
    }

    /// The lines from this one on, up to the one that closes its parentheses, if that is another one: its
    /// number and the text of them all.
    pub(crate) fn logical(&self, first: u32) -> Option<(u32, String)> {
        const LONGEST: u32 = 200;
        let mut text = String::new();
        let mut depth = 0;
        for number in first..first.saturating_add(LONGEST) {
            let line = self.line(number)?;
            for token in tokens(line, 0) {
                match &line[token] {
                    "(" => depth += 1,
                    ")" => depth -= 1,
                    _ => {}
                }
            }
            text.push_str(line);
            if depth <= 0 {
                return (number > first).then_some((number, text));
            }
            text.push('\n');
        }
        None
    }

    /// The line and column of a byte, counted from the beginning of a line.
    pub(crate) fn place(&self, first: u32, byte: usize) -> (u32, usize) {
        let mut rest = byte;
        for (written, number) in self.lines.iter().map(|l| &l.0).zip(1..).skip(first as usize - 1) {
            if rest <= written.len() {
                return (number, written.get(..rest).unwrap_or(written).chars().count());
            }
            // The end of the line is one byte.
            rest -= written.len() + 1;
        }
        (first, 0)
    }
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c == '_' || c.is_ascii_alphabetic() || !c.is_ascii())
}

/// The tokens of a piece of text, as byte ranges shifted by `base`: names, numbers, literals, single other
/// characters.
pub(crate) fn tokens(piece: &str, base: usize) -> Vec<Range<usize>> {
    let bytes = piece.as_bytes();
    let is_word = |b: u8| b == b'_' || b.is_ascii_alphanumeric() || b >= 0x80;
    let mut out = Vec::new();
    let mut i = 0;
    while i < bytes.len() {
        let start = i;
        match bytes[i] {
            b if b.is_ascii_whitespace() => {
                i += 1;
                continue;
            }
            b'"' | b'\'' => i = (crate::source::literal_end(bytes, i) + 1).min(bytes.len()),
            b if is_word(b) => {
                while i < bytes.len() && is_word(bytes[i]) {
                    i += 1;
                }
            }
            _ => i += 1,
        }
        out.push(base + start..base + i);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The column of the first occurrence of a text in what was made of a line.
    fn column(line: &str, made: &str, of: &str) -> Option<usize> {
        let origins = align(line, made, &tokens(made, 0))?;
        let at = made.find(of).unwrap();
        origins.iter().find(|o| o.made.contains(&at)).map(|o| o.from.start + 1)
    }

    #[test]
    fn squeezed_blanks_are_counted() {
        assert_eq!(column("int  x =  1;", "int x = 1;", "1"), Some(11));
    }

    #[test]
    fn expansions_are_at_the_macro() {
        let line = "  if (a < MAX && b) f();";
        let made = "  if (a < (1 << 4) && b) f();";
        assert_eq!(column(line, made, "1 <<"), Some(11));
        assert_eq!(column(line, made, "b"), Some(18));
        assert_eq!(column(line, made, "f()"), Some(21));
    }

    #[test]
    fn arguments_belong_to_the_invocation() {
        let line = "  assert(x != 8); y = 1;";
        let made = " ((void) sizeof ((x != 8) ? 1 : 0), \
                    ({ if (x != 8) ; else __assert_fail (\"x != 8\"); })); y = 1;";
        assert_eq!(column(line, made, "((void)"), Some(3));
        assert_eq!(column(line, made, "__assert_fail"), Some(3));
        assert_eq!(column(line, made, "y = 1"), Some(19));
    }

    #[test]
    fn macros_in_arguments_and_behind_them() {
        let expanded = |c: &str| {
            format!("((void) sizeof (({c}) ? 1 : 0), ({{ if ({c}) ; else __assert_fail (\"c\"); }}))")
        };
        let line = "  assert(x != MAX); y = 1;";
        let made = format!("  {}; y = 1;", expanded("x != 8"));
        assert_eq!(column(line, &made, "__assert_fail"), Some(3));
        assert_eq!(column(line, &made, "y = 1"), Some(21));
        let line = "  assert(a); assert(b); STOP;";
        let made = format!("  {}; {}; return;", expanded("a"), expanded("b").replace("fail", "other"));
        assert_eq!(column(line, &made, "__assert_fail"), Some(3));
        assert_eq!(column(line, &made, "__assert_other"), Some(14));
        assert_eq!(column(line, &made, "return"), Some(25));
        // Brackets that two macros share.
        assert_eq!(column("BEGIN x = 1; END y;", "{ x = 1; } y;", "y"), Some(18));
    }

    #[test]
    fn an_object_like_macro_before_a_parenthesis() {
        assert_eq!(column("CALL (x);", "f (x);", "x"), Some(7));
        assert_eq!(column("a + b;", "a - b;", "b"), None);
    }
}
