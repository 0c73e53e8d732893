//! Columns of preprocessed text, led back to the file that was preprocessed.
//!
//! The preprocessor keeps lines (by its markers) but not columns: blanks and comments are squeezed, and what
//! a macro expands to takes the place of its name. Each source line is aligned with the text that was made
//! from it; a line whose parentheses stay open is aligned together with the lines that close them. A macro
//! stands, with its arguments, for any sequence of tokens, if possible one that closes the brackets that it
//! opens; all other tokens stand for themselves. Tokens that a macro expands to are at its name.
//!
//! Where the preprocessor says where tokens are written (`crate::spelling`), a name is a macro if it is not
//! in the text, a token stands for itself only, and an expansion has no tokens of the line but those of its
//! macro's arguments. Of two macros side by side, the second begins with the first token of its body.
//! Otherwise all this is guessed: a name is taken as a macro if no such name occurs in the text.
//!
//! Limits: of two macros side by side, the first gets too few tokens if the body of the second begins with an
//! argument. Where places are guessed, a macro whose expansion contains its own name is not aligned; such a
//! line keeps the columns of the preprocessed text.
//!
//! Entry points: [`Written`], [`align`].

use std::borrow::Cow;
use std::ops::{Range, RangeInclusive};

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

/// Where a token of the preprocessed text is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// Nobody says.
    Unknown,
    /// At this byte of the lines that are aligned.
    Here(usize),
    /// In another file, or at this line and byte of the same one.
    Elsewhere(Option<(u32, usize)>),
}

/// The part of the preprocessed text that stands for some lines.
pub(crate) struct Made<'t> {
    /// The whole text.
    pub(crate) text: &'t str,
    /// The tokens, by their bytes in the text.
    pub(crate) tokens: &'t [Range<usize>],
    /// Where each of them is written.
    pub(crate) places: &'t [Place],
    /// Where the body of a macro begins, by its name.
    pub(crate) body: &'t dyn Fn(&str) -> Option<(u32, usize)>,
}

impl Made<'_> {
    fn word(&self, j: usize) -> &str {
        &self.text[self.tokens[j].clone()]
    }

    fn has(&self, word: &str) -> bool {
        (0..self.tokens.len()).any(|j| self.word(j) == word)
    }

    fn has_place(&self, at: usize) -> bool {
        self.places.contains(&Place::Here(at))
    }
}

/// A line that is aligned.
pub(crate) struct Aligned {
    /// Where its tokens come from.
    pub(crate) origins: Vec<Origin>,
    /// There may be other ways to align it.
    pub(crate) guessed: bool,
}

/// Aligns a line of a source with the tokens of the preprocessed text that stand for it.
pub(crate) fn align(line: &str, made: &Made<'_>) -> Option<Aligned> {
    let words = tokens(line, 0);
    if words.len().saturating_mul(made.tokens.len()) > LARGEST {
        return None;
    }
    let exact = !made.places.contains(&Place::Unknown);
    let unknown = vec![Place::Unknown; made.tokens.len()];
    let plain = Made { places: &unknown, ..*made };
    let known = exact.then_some(made).into_iter().flat_map(|made| {
        let units = units(line, &words, &|i| !made.has_place(words[i].start));
        [true, false].map(|balanced| (made, units.clone(), balanced))
    });
    let guesses = [(false, true), (true, true), (false, false), (true, false)];
    let guesses = guesses.into_iter().map(|(with_arguments, balanced)| {
        let is_gone = |i: usize| match &line[words[i].clone()] {
            "(" => with_arguments,
            word => !plain.has(&decoded(word)),
        };
        (&plain, units(line, &words, &is_gone), balanced)
    });
    let (ends, units) = known
        .chain(guesses)
        .find_map(|(made, units, balanced)| Some((matching(&units, line, made, balanced)?, units)))?;
    let guessed = !exact && units.iter().filter(|u| u.wild).count() > 1;
    let mut origins = Vec::with_capacity(made.tokens.len());
    let mut begin = 0;
    for (unit, end) in units.into_iter().zip(ends) {
        for m in &made.tokens[begin..end] {
            origins.push(Origin { made: m.clone(), from: unit.range.clone(), same: !unit.wild });
        }
        begin = end;
    }
    Some(Aligned { origins, guessed })
}

#[derive(Clone)]
struct Unit {
    range: Range<usize>,
    wild: bool,
}

/// The line as tokens and macro invocations. `is_gone` says of a word, by its index, that it is not in the
/// preprocessed text: of a name that it is a macro's, of a parenthesis behind one that it begins its
/// arguments.
fn units(line: &str, words: &[Range<usize>], is_gone: &dyn Fn(usize) -> bool) -> Vec<Unit> {
    let word = |i: usize| words.get(i).map_or("", |w| &line[w.clone()]);
    let mut out = Vec::new();
    let mut i = 0;
    while i < words.len() {
        let is_macro = is_name(word(i)) && is_gone(i);
        let mut last = i;
        if is_macro && word(i + 1) == "(" && is_gone(i + 1) {
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
fn matching(units: &[Unit], line: &str, made: &Made<'_>, balanced: bool) -> Option<Vec<usize>> {
    let count = made.tokens.len();
    let width = count + 1;
    let after = after(made, balanced);
    let is_same = |unit: &Unit, j: usize| match made.places[j] {
        Place::Here(at) => at == unit.range.start,
        Place::Elsewhere(_) => false,
        Place::Unknown => made.word(j) == decoded(&line[unit.range.clone()]),
    };
    let is_part = |unit: &Unit, j: usize| match made.places[j] {
        Place::Here(at) => unit.range.contains(&at),
        _ => true,
    };
    // Behind the bracket that a token opens, if all up to there is part of the expansion.
    let part = |unit: &Unit, j: usize| {
        let next = *after.get(j)?;
        (next < width && (j..next).all(|k| is_part(unit, k))).then_some(next)
    };
    // `fits[i][j]`: the units from `i` on match the made tokens from `j` on.
    let mut fits = vec![false; (units.len() + 1) * width];
    fits[units.len() * width + count] = true;
    for i in (0..units.len()).rev() {
        for j in (0..width).rev() {
            let next = |j: usize| j < width && fits[(i + 1) * width + j];
            fits[i * width + j] = if units[i].wild {
                next(j) || part(&units[i], j).is_some_and(|k| fits[i * width + k])
            } else {
                j < count && is_same(&units[i], j) && next(j + 1)
            };
        }
    }
    if !fits[0] {
        return None;
    }
    let (mut ends, mut j) = (Vec::new(), 0);
    for (i, unit) in units.iter().enumerate() {
        if unit.wild {
            let longer = |&j: &usize| part(unit, j).filter(|&k| fits[i * width + k]);
            let possible = std::iter::successors(Some(j), longer);
            let possible: Vec<usize> = possible.filter(|j| fits[(i + 1) * width + j]).collect();
            let next = units.get(i + 1).filter(|u| u.wild);
            let body = next.and_then(|u| {
                let name = line[u.range.clone()].split(|c: char| !is_part_of_name(c)).next();
                (made.body)(name.unwrap_or_default())
            });
            // A body in another file begins where the file changes.
            let begins = |j: &&usize| {
                let (before, here) = (j.checked_sub(1).map(|i| made.places[i]), made.places.get(**j));
                here == Some(&Place::Elsewhere(body)) && (body.is_some() || before != here.copied())
            };
            j = *possible.iter().find(|j| next.is_some() && begins(j)).or(possible.first())?;
        } else {
            j += 1;
        }
        ends.push(j);
    }
    Some(ends)
}

/// For every made token where an expansion that contains it goes on: behind the closing bracket of one that
/// opens, and nowhere behind one that closes.
fn after(made: &Made<'_>, balanced: bool) -> Vec<usize> {
    let mut after: Vec<usize> = (1..=made.tokens.len()).collect();
    if balanced {
        let mut open = Vec::new();
        for j in 0..made.tokens.len() {
            match made.word(j) {
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
        // Columns do not depend on how lines end.
        let text = text_of(&std::fs::read(file).ok()?).replace("\r\n", "\n");
        let both = |(a, b): (&str, &str)| (a.to_string(), b.to_string());
        Some(Written { lines: text.lines().zip(blank_comments(&text).lines()).map(both).collect() })
    }

    /// A line without its comments.
    pub(crate) fn line(&self, number: u32) -> Option<&str> {
        Some(&self.lines.get((number as usize).checked_sub(1)?)?.1)
    }

    /// Some lines without their comments.
    pub(crate) fn text(&self, numbers: RangeInclusive<u32>) -> String {
        numbers.filter_map(|n| self.line(n)).collect::<Vec<_>>().join("\n")
    }

    /// The line, not before `least`, that closes the parentheses that are open from line `first` on.
    pub(crate) fn closing_line(&self, first: u32, least: u32) -> Option<u32> {
        const LONGEST: u32 = 200;
        let mut depth = 0u32;
        for number in first..least.saturating_add(LONGEST) {
            let line = self.line(number)?;
            for token in tokens(line, 0) {
                match &line[token] {
                    "(" => depth += 1,
                    // What an earlier line opened is no matter.
                    ")" => depth = depth.saturating_sub(1),
                    _ => {}
                }
            }
            if depth == 0 && number >= least {
                return Some(number);
            }
        }
        None
    }

    /// The bytes of the lines from `first` on that come before line `number`.
    pub(crate) fn byte(&self, first: u32, number: u32) -> usize {
        (first..number).filter_map(|n| self.line(n)).map(|line| line.len() + 1).sum()
    }

    /// The line and the byte where the body of a macro begins that is defined before a line.
    pub(crate) fn body(&self, name: &str, before: u32) -> Option<(u32, usize)> {
        const DEEPEST: u32 = 8;
        let mut name = name.to_string();
        for _ in 0..DEEPEST {
            let (line, at) = (1..before).rev().find_map(|n| Some((n, body_of(self.line(n)?, &name)?)))?;
            let (line, at) = self.behind_blanks(line, at)?;
            let first = self.line(line)?[at..].split(|c: char| !is_part_of_name(c)).next()?.to_string();
            // What a body begins with may be a macro itself.
            let is_macro = |n: u32| body_of(self.line(n).unwrap_or_default(), &first).is_some();
            if first.is_empty() || first == name || !(1..before).any(is_macro) {
                return Some((line, at));
            }
            name = first;
        }
        None
    }

    /// The first character from a byte of a line on that is neither blank nor the end of a line that goes on.
    fn behind_blanks(&self, mut number: u32, mut at: usize) -> Option<(u32, usize)> {
        loop {
            let rest = self.line(number)?.get(at..)?;
            let blank = rest.len() - rest.trim_start().len();
            match rest.trim() {
                "\\" => (number, at) = (number + 1, 0),
                "" => return None,
                _ => return Some((number, at + blank)),
            }
        }
    }

    /// The line and column of a byte, counted from the beginning of a line.
    pub(crate) fn place(&self, first: u32, byte: usize) -> (u32, usize) {
        let mut rest = byte;
        let from = self.lines.get(first as usize - 1..).unwrap_or_default();
        for (written, number) in from.iter().map(|l| &l.0).zip(first..) {
            if rest <= written.len() {
                return (number, written.get(..rest).unwrap_or(written).chars().count());
            }
            // The end of the line is one byte.
            rest -= written.len() + 1;
        }
        (first, 0)
    }
}

/// Behind the name and the parameters of a macro, on the line that defines it.
fn body_of(line: &str, name: &str) -> Option<usize> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?.trim_start();
    let rest = rest.strip_prefix(name).filter(|r| !r.starts_with(is_part_of_name))?;
    let rest = if rest.starts_with('(') { rest.split_once(')')?.1 } else { rest };
    Some(line.len() - rest.len())
}

fn is_part_of_name(c: char) -> bool {
    c == '_' || c == '$' || c.is_ascii_alphanumeric() || !c.is_ascii()
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| {
        c == '_' || c == '\\' && word.len() > 1 || c.is_ascii_alphabetic() || !c.is_ascii()
    })
}

/// How many bytes the character takes that is written by its number (`\u00e9`) at the beginning of a text.
fn numbered(text: &[u8]) -> Option<usize> {
    let digits = match text {
        [b'\\', b'u', ..] => 4,
        [b'\\', b'U', ..] => 8,
        _ => return None,
    };
    let end = 2 + digits;
    text.get(2..end)?.iter().all(u8::is_ascii_hexdigit).then_some(end)
}

/// A name as the preprocessor writes it: with the characters themselves.
fn decoded(word: &str) -> Cow<'_, str> {
    if !word.contains('\\') || !is_name(word) {
        return word.into();
    }
    let mut out = String::new();
    let mut rest = word;
    while let Some(c) = rest.chars().next() {
        let character = numbered(rest.as_bytes()).and_then(|end| {
            let c = char::from_u32(u32::from_str_radix(&rest[2..end], 16).ok()?)?;
            Some((c, end))
        });
        let (c, end) = character.unwrap_or((c, c.len_utf8()));
        out.push(c);
        rest = &rest[end..];
    }
    out.into()
}

/// The tokens of a piece of text, as byte ranges shifted by `base`: names, numbers, literals, single other
/// characters.
pub(crate) fn tokens(piece: &str, base: usize) -> Vec<Range<usize>> {
    let bytes = piece.as_bytes();
    // The bytes of a part of a name or number.
    let part = |i: usize| match bytes.get(i) {
        Some(&b) if b == b'_' || b.is_ascii_alphanumeric() || b >= 0x80 => Some(1),
        Some(b'\\') => numbered(&bytes[i..]),
        _ => None,
    };
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
            _ if part(i).is_some() => {
                while let Some(n) = part(i) {
                    i += n;
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
        let words = tokens(made, 0);
        let places = vec![Place::Unknown; words.len()];
        let all = Made { text: made, tokens: &words, places: &places, body: &|_| None };
        let origins = align(line, &all)?.origins;
        let at = made.find(of).unwrap();
        origins.iter().find(|o| o.made.contains(&at)).map(|o| o.from.start + 1)
    }

    #[test]
    fn squeezed_blanks_are_counted() {
        assert_eq!(column("int  x =  1;", "int x = 1;", "1"), Some(11));
    }

    #[test]
    fn characters_may_be_written_by_their_numbers() {
        let line = r"int a\u00e9 = N; b = \U0001F600x\u00E9 + a\u00e9; c";
        let made = "int a\u{e9} = 12; b = \u{1F600}x\u{e9} + a\u{e9}; c";
        assert_eq!(column(line, made, "= 12"), Some(13));
        assert_eq!(column(line, made, "+"), Some(40));
        assert_eq!(column(line, made, "c"), Some(51));
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
