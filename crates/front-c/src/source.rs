//! Source text: the way from an offset in the preprocessed text back to file, line and column.
//!
//! A table of the lines, made from the line markers, gives the original positions. Comments are blanked byte
//! for byte, so that offsets stay. What the parser does not know is written in words that it knows
//! (`crate::dialect`, `crate::implicit_int`), and annotations and witnesses are woven in (`crate::woven`). A
//! list of these changes leads every offset of the parsed text back to the text as it was given, and all that
//! a user sees is made from that one. [`crate::preprocess`] reads the files.

use std::sync::{Arc, OnceLock};

use lang_c::ast::TranslationUnit;
use palisade_program::Position;
use palisade_report::annotations;
use rustc_hash::FxHashMap;

use crate::columns;
use crate::dialect::{self, Edit};
use crate::implicit_int;
use crate::lead::{self, Led};
use crate::spelling::Spelling;
use crate::tokens::tokens;
use crate::woven::unweave;

/// A preprocessed translation unit with its line table.
#[derive(Clone, Debug)]
pub struct Source {
    /// The text that is parsed.
    pub text: Arc<str>,
    /// The text as it was given, without comments.
    given: Arc<str>,
    /// How the two differ, in their order.
    changes: Vec<Change>,
    /// For every line of the given text: where it starts, and the file and line number it stands for.
    lines: Vec<Line>,
    /// The name of the input.
    name: Arc<str>,
    /// The text is that of the input itself.
    as_given: bool,
    /// Names that the parser cannot read, by those that it reads for them.
    renamed: FxHashMap<String, String>,
    /// Where tokens of the given text come from, on lines whose columns the preprocessor moved; in its order.
    origins: Vec<Led>,
    /// The tree of the text, where it is kept for the next one who wants it.
    tree: Option<Arc<OnceLock<Arc<TranslationUnit>>>>,
}

/// Where the parsed text has `len` bytes from `at` on, the given text has `given_len` from `given` on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Change {
    at: usize,
    len: usize,
    given: usize,
    given_len: usize,
    /// Something is woven in here.
    woven: bool,
}

/// A line of the given text.
#[derive(Clone, Debug)]
pub(crate) struct Line {
    /// Its first byte.
    pub(crate) start: usize,
    /// What it stands for: file and line number.
    pub(crate) file: Arc<str>,
    pub(crate) number: u32,
    /// In a header of the system.
    pub(crate) system: bool,
}

impl Source {
    /// The name of the input.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// A text with line markers.
    pub fn new(name: &str, text: &str) -> Source {
        Source::of_standard(name, text, false)
    }

    /// A text with line markers, of C23 or of an earlier standard.
    pub(crate) fn of_standard(name: &str, given: &str, c23: bool) -> Source {
        Source::read(name, given, c23, true)
    }

    /// What a preprocessor made of a text. `ask` asks it where the tokens are written, where that is not
    /// clear.
    pub(crate) fn preprocessed(
        name: &str,
        given: &str,
        c23: bool,
        ask: impl FnOnce() -> Option<Spelling>,
    ) -> Source {
        let mut source = Source::read(name, given, c23, false);
        source.origins = lead::back(&source.given, &source.lines, ask);
        source
    }

    fn read(name: &str, given: &str, c23: bool, as_given: bool) -> Source {
        let given = if c23 { dialect::without_separators(given) } else { given.into() };
        let given = if as_given { given } else { dialect::with_letters(given) };
        let (given, woven) = unweave(&given, as_given);
        let given = blank_comments(&given);
        let (whole, mut changes) = changed(&given, woven, Vec::new());
        changes.iter_mut().for_each(|c| c.woven = true);
        let edits = dialect::edits(&whole, c23);
        let renamed = dialect::renamed(&whole, &edits);
        let (first, changes) = changed(&whole, edits, changes);
        let missing = implicit_int::missing(&first).into_iter();
        let missing = missing.map(|at| Edit { at, len: 0, text: implicit_int::WORD.into() }).collect();
        let (text, changes) = changed(&first, missing, changes);
        let mut file: Arc<str> = name.into();
        let mut number = 1;
        let mut system = false;
        let mut lines = Vec::new();
        let mut start = 0;
        for line in given.split_inclusive('\n') {
            lines.push(Line { start, file: file.clone(), number, system });
            start += line.len();
            match marker(line) {
                Some((n, f)) => {
                    number = n;
                    system = is_system(line);
                    if let Some(f) = f {
                        file = f.into();
                    }
                }
                None => number += 1,
            }
        }
        if lines.is_empty() {
            lines.push(Line { start: 0, file, number: 1, system });
        }
        let (text, given) = (text.into(), given.into());
        let (name, origins) = (name.into(), Vec::new());
        Source { text, given, changes, lines, name, as_given, renamed, origins, tree: None }
    }

    /// A piece of C with its names as they were written.
    pub(crate) fn respelled(&self, text: String) -> String {
        if self.renamed.is_empty() {
            return text;
        }
        let mut out = String::new();
        let mut done = 0;
        for word in columns::tokens(&text, 0) {
            if let Some(written) = self.renamed.get(&text[word.clone()]) {
                out.push_str(&text[done..word.start]);
                out.push_str(written);
                done = word.end;
            }
        }
        out + &text[done..]
    }

    /// Is this the name of the input?
    pub(crate) fn is_named(&self, name: &str) -> bool {
        &*self.name == name
    }

    /// The source, with a tree that is made once for it and all its clones.
    pub(crate) fn with_tree(self) -> Source {
        Source { tree: Some(Arc::default()), ..self }
    }

    /// The tree: the one that is kept, or a new one.
    pub(crate) fn tree<E>(
        &self,
        make: impl FnOnce() -> Result<TranslationUnit, E>,
    ) -> Result<Arc<TranslationUnit>, E> {
        let Some(kept) = &self.tree else { return make().map(Arc::new) };
        if let Some(tree) = kept.get() {
            return Ok(Arc::clone(tree));
        }
        let tree = Arc::new(make()?);
        Ok(Arc::clone(kept.get_or_init(|| tree)))
    }

    /// Leads an offset of the parsed text back to the given one.
    fn given_offset(&self, offset: usize) -> usize {
        let Some(i) = self.changes.partition_point(|c| c.at <= offset).checked_sub(1) else { return offset };
        let c = self.changes[i];
        match offset - c.at {
            inside if inside < c.len && c.woven && c.given_len == 0 => {
                // What is woven in stands for what follows it.
                let rest = &self.given[c.given..];
                c.given + (rest.len() - rest.trim_start_matches(' ').len())
            }
            inside if inside < c.len && c.len == c.given_len => c.given + inside,
            inside if inside < c.len => c.given,
            behind => c.given + c.given_len + (behind - c.len),
        }
    }

    /// The end in the given text of a span that ends here in the parsed one.
    fn given_end(&self, end: usize) -> usize {
        let i = self.changes.partition_point(|c| c.at < end);
        match i.checked_sub(1).map(|i| self.changes[i]) {
            Some(c) if end <= c.at + c.len => c.given + c.given_len,
            _ => self.given_offset(end),
        }
    }

    /// The token of an offset of the given text, on a line whose columns were moved.
    fn origin(&self, offset: usize) -> Option<&Led> {
        let i = self.origins.partition_point(|o| o.made.start <= offset).checked_sub(1)?;
        let origin = &self.origins[i];
        (offset < origin.made.end).then_some(origin)
    }

    fn line_index(&self, offset: usize) -> usize {
        line_index(&self.lines, offset)
    }

    /// The place of an offset.
    pub fn position(&self, offset: usize) -> Position {
        self.given_position(self.given_offset(offset))
    }

    fn given_position(&self, offset: usize) -> Position {
        let line = &self.lines[self.line_index(offset)];
        let (number, column) = match self.origin(offset) {
            Some(o) if o.same => (o.from.0, o.from.1 + (offset - o.made.start)),
            Some(o) => o.from,
            None => (line.number, self.raw_column(offset)),
        };
        Position { file: line.file.clone(), line: number, column: column as u32 + 1 }
    }

    fn raw_column(&self, offset: usize) -> usize {
        let line = &self.lines[self.line_index(offset)];
        let offset = offset.min(self.given.len());
        self.given.get(line.start..offset).map_or(0, |s| s.chars().count())
    }

    /// The place of an offset in the input itself: a preprocessed input is not led back to the files that its
    /// line markers name.
    pub fn place_in_input(&self, offset: usize) -> Position {
        if !self.as_given {
            return self.position(offset);
        }
        let offset = self.given_offset(offset);
        let line = self.line_index(offset) as u32 + 1;
        Position { file: self.name.clone(), line, column: self.raw_column(offset) as u32 + 1 }
    }

    /// The lines of a span as they were given, without line markers: file, number, whether it is of a header
    /// of the system or of a macro from there, and the part of the text that is in the span.
    pub(crate) fn lines_of(&self, start: usize, end: usize) -> Vec<(&str, u32, bool, &str)> {
        let (start, end) = (self.given_offset(start), self.given_end(end));
        let mut out = Vec::new();
        for i in self.line_index(start)..self.lines.len() {
            let line = &self.lines[i];
            if line.start >= end {
                break;
            }
            let to = self.lines.get(i + 1).map_or(self.given.len(), |l| l.start);
            let text = self.given.get(line.start.max(start)..to.min(end)).unwrap_or("").trim_end();
            if marker(text).is_none() && !text.is_empty() {
                out.push((&*line.file, line.number, line.system, text));
            }
        }
        out
    }

    /// Does the user's own text have this word, outside of what macros of the system expand to?
    pub(crate) fn writes(&self, word: &str) -> bool {
        self.given.match_indices(word).any(|(at, _)| !self.lines[self.line_index(at)].system)
    }

    /// What is parsed of a span, without line markers: also what was woven in.
    pub(crate) fn parsed(&self, start: usize, end: usize) -> String {
        let text = self.text.get(start..end).unwrap_or("");
        text.lines().filter(|l| marker(l).is_none()).collect::<Vec<_>>().join("\n")
    }

    /// Is the span parsed as it was given?
    pub(crate) fn is_unchanged(&self, start: usize, end: usize) -> bool {
        let first = self.changes.partition_point(|c| c.at + c.len < start);
        self.changes.get(first).is_none_or(|c| c.at > end)
    }

    /// Is the text that of the input itself, not of a preprocessor?
    pub(crate) fn is_as_given(&self) -> bool {
        self.as_given
    }

    /// Is the offset in the expansion of a macro?
    pub fn in_expansion(&self, offset: usize) -> bool {
        self.origin(self.given_offset(offset)).is_some_and(|o| !o.same)
    }

    /// Is the span woven into the text, and nothing of it what the author wrote?
    pub(crate) fn is_woven(&self, start: usize, end: usize) -> bool {
        start < end && self.given_end(end) <= self.given_offset(start)
    }

    /// Where the woven text begins that the offset is in.
    pub(crate) fn woven_from(&self, offset: usize) -> Option<usize> {
        let c = self.changes[self.changes.partition_point(|c| c.at <= offset).checked_sub(1)?];
        (c.woven && offset < c.at + c.len).then_some(c.at)
    }

    /// The end of a span without the blanks and line markers at its end.
    pub fn trimmed_end(&self, start: usize, end: usize) -> usize {
        let mut text = self.text.get(start..end).unwrap_or("").trim_end();
        while let Some((before, last)) = text.rsplit_once('\n')
            && marker(last).is_some()
        {
            text = before.trim_end();
        }
        start + text.len()
    }

    /// The text of a span as it was written, where it begins with a macro; shortened.
    pub fn as_written(&self, start: usize, end: usize) -> Option<String> {
        let (start, end) = (self.given_offset(start), self.given_end(end));
        let (first, last) = (self.origin(start)?, self.origin(end.checked_sub(1)?)?);
        let file = &self.lines[self.line_index(start)].file;
        if first.same || first.first != last.first || *file != self.lines[self.line_index(end - 1)].file {
            return None;
        }
        let ((line, column), to) = (first.from, first.to.max(last.to));
        let text = std::fs::read(&**file).ok()?;
        let text = text_of(&text);
        let lines = text.lines().zip(1..).skip(line as usize - 1).take((to.0 - line) as usize + 1);
        let lines = lines.map(|(text, number)| {
            let begin = if number == line { column } else { 0 };
            let end = if number == to.0 { to.1 } else { usize::MAX };
            text.chars().skip(begin).take(end.saturating_sub(begin)).collect::<String>()
        });
        let text = blank_comments(&lines.collect::<Vec<_>>().join("\n"));
        let lines = text.lines().map(str::trim).filter(|l| !l.is_empty());
        Some(lines.collect::<Vec<_>>().join(" "))
    }

    /// The `assert` whose failure a span is, where it calls what the macro expands to: the first argument is
    /// its text.
    pub fn asserted(&self, start: usize, end: usize) -> Option<String> {
        let mut words = tokens(self.text.get(start..end)?).into_iter().map(|t| t.text);
        if words.next()? != "__assert_fail" || words.next()? != "(" {
            return None;
        }
        let literal = words.next()?.strip_prefix('"')?.strip_suffix('"')?;
        let mut text = String::new();
        let mut chars = literal.chars();
        while let Some(c) = chars.next() {
            text.push(if c == '\\' { chars.next()? } else { c });
        }
        Some(format!("assert({text})"))
    }

    /// The place behind the last character of a span.
    pub fn end_position(&self, end: usize) -> Position {
        let last = self.given_end(end).saturating_sub(1);
        let mut position = self.given_position(last);
        match self.origin(last) {
            Some(o) if !o.same => (position.line, position.column) = (o.to.0, o.to.1 as u32 + 1),
            _ => position.column += 1,
        }
        position
    }

    /// The first annotation of each header of the user, which nobody reads.
    pub(crate) fn annotated_headers(&self) -> Vec<String> {
        let mut files: Vec<&Arc<str>> = self.lines.iter().filter(|l| !l.system).map(|l| &l.file).collect();
        files.dedup();
        files.sort_unstable();
        files.dedup();
        let headers = files.into_iter().filter(|f| !self.as_given && **f != self.name && !f.starts_with('<'));
        let first = |f: &Arc<str>| {
            let line = annotations::first(&text_of(&std::fs::read(&**f).ok()?))?;
            Some(format!("{f}:{line}"))
        };
        headers.filter_map(first).collect()
    }

    /// Is the offset in a header of the system?
    pub fn in_system_header(&self, offset: usize) -> bool {
        self.lines[self.line_index(self.given_offset(offset))].system
    }

    /// The text of the line of an offset as it was given, and the byte range of `[start, end)` in it.
    pub fn excerpt(&self, start: usize, end: usize) -> (&str, std::ops::Range<usize>) {
        let (start, end) = (self.given_offset(start), self.given_end(end));
        let i = self.line_index(start);
        let from = self.lines[i].start;
        let to = self.lines.get(i + 1).map_or(self.given.len(), |l| l.start);
        let line = self.given[from..to].trim_end();
        // A span may end inside a character: the parser counts bytes.
        let a = (start - from).min(line.len());
        let a = (0..=a).rev().find(|&i| line.is_char_boundary(i)).unwrap_or(0);
        let b = end.saturating_sub(from).clamp(a, line.len());
        let b = (b..=line.len()).find(|&i| line.is_char_boundary(i)).unwrap_or(line.len());
        (line, a..b)
    }

    /// The text of a span on one line, shortened, without line markers.
    pub fn snippet(&self, start: usize, end: usize) -> String {
        const LONGEST: usize = 80;
        let mut out = String::new();
        let (start, end) = (self.given_offset(start), self.given_end(end));
        let code = self.given.get(start..end).unwrap_or("").lines().filter(|l| marker(l).is_none());
        for word in code.flat_map(str::split_whitespace) {
            if !out.is_empty() {
                out.push(' ');
            }
            out.push_str(word);
            if out.len() > LONGEST {
                let cut = (0..=LONGEST).rev().find(|&i| out.is_char_boundary(i)).unwrap_or(0);
                out.truncate(cut);
                out.push_str("...");
                break;
            }
        }
        out
    }
}

/// Bytes that are not UTF-8 stand for themselves in C literals. In the text each is one character of a
/// private range.
const RAW: u32 = 0x10_ff00;

/// The text of a C file. A byte that is not part of UTF-8 becomes a private character, which [`bytes_of`]
/// turns back. So do the bytes of these characters themselves.
///
/// A byte order mark at the beginning is no part of it.
pub fn text_of(bytes: &[u8]) -> String {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut out = String::new();
    let raw = |out: &mut String, bytes: &[u8]| {
        out.extend(bytes.iter().filter_map(|b| char::from_u32(RAW + u32::from(*b))));
    };
    for chunk in bytes.utf8_chunks() {
        let mut rest = chunk.valid();
        while let Some((at, c)) = rest.char_indices().find(|(_, c)| raw_byte(*c).is_some()) {
            let end = at + c.len_utf8();
            out.push_str(&rest[..at]);
            raw(&mut out, &rest.as_bytes()[at..end]);
            rest = &rest[end..];
        }
        out.push_str(rest);
        raw(&mut out, chunk.invalid());
    }
    out
}

/// The bytes of a text as they were in the file.
pub fn bytes_of(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    for c in text.chars() {
        match raw_byte(c) {
            Some(b) => out.push(b),
            None => out.extend(c.encode_utf8(&mut [0; 4]).bytes()),
        }
    }
    out
}

/// The byte of the file that a private character stands for.
pub(crate) fn raw_byte(c: char) -> Option<u8> {
    u32::from(c).checked_sub(RAW).and_then(|b| u8::try_from(b).ok()).filter(|b| *b >= 0x80)
}

/// A text after some edits, and how it differs from the text that `earlier` changes were made to. An edit
/// that touches what was changed before becomes one change with it.
fn changed(text: &str, edits: Vec<Edit>, earlier: Vec<Change>) -> (String, Vec<Change>) {
    let mut out = String::with_capacity(text.len() + 8 * edits.len());
    let mut changes = Vec::with_capacity(earlier.len() + edits.len());
    let (mut edits, mut earlier) = (edits.into_iter().peekable(), earlier.into_iter().peekable());
    // Up to where the text is copied, and the offset of the first text that this stands for.
    let (mut done, mut given) = (0, 0);
    loop {
        let next = [edits.peek().map(|e| e.at), earlier.peek().map(|c| c.at)];
        let Some(start) = next.into_iter().flatten().min() else { break };
        out.push_str(&text[done..start]);
        given += start - done;
        done = start;
        let (at, from, mut woven) = (out.len(), given, false);
        // The end of what belongs together; a change of no length is together with an edit that begins there.
        let (mut end, mut first, mut meets) = (start, true, false);
        loop {
            if let Some(c) = earlier.next_if(|c| c.at < end || c.at == start) {
                given = c.given + c.given_len + end.saturating_sub(c.at + c.len);
                end = end.max(c.at + c.len);
                woven |= c.woven;
                meets = true;
            } else if let Some(edit) = edits.next_if(|e| e.at < end || (e.at == start && (first || meets))) {
                out.push_str(&text[done..edit.at]);
                out.push_str(&edit.text);
                done = edit.at + edit.len;
                given += done.saturating_sub(end);
                end = end.max(done);
            } else {
                break;
            }
            first = false;
        }
        out.push_str(&text[done..end]);
        done = end;
        changes.push(Change { at, len: out.len() - at, given: from, given_len: given - from, woven });
    }
    out.push_str(&text[done..]);
    (out, changes)
}

/// The closing quote of the string or character literal that begins here; the end of the line if there is
/// none.
pub(crate) fn literal_end(text: &[u8], begin: usize) -> usize {
    let mut i = begin + 1;
    while i < text.len() && text[i] != text[begin] && text[i] != b'\n' {
        i += if text[i] == b'\\' { 2 } else { 1 };
    }
    i
}

/// Replaces comments by blanks, byte for byte: preprocessed files may be written by hand, and the parser
/// knows no comments.
pub(crate) fn blank_comments(text: &str) -> String {
    let mut out = text.as_bytes().to_vec();
    let mut i = 0;
    while i < out.len() {
        match out[i] {
            b'"' | b'\'' => i = literal_end(&out, i),
            b'/' if out.get(i + 1) == Some(&b'/') => {
                while i < out.len() && out[i] != b'\n' {
                    out[i] = b' ';
                    i += 1;
                }
            }
            b'/' if out.get(i + 1) == Some(&b'*') => {
                let end = text[i + 2..].find("*/").map_or(out.len(), |k| i + k + 4);
                for b in &mut out[i..end] {
                    if *b != b'\n' {
                        *b = b' ';
                    }
                }
                i = end;
                continue;
            }
            _ => {}
        }
        i += 1;
    }
    // Only whole characters were replaced.
    String::from_utf8(out).unwrap_or_else(|_| text.to_string())
}

/// The index of the line that a byte is in.
pub(crate) fn line_index(lines: &[Line], offset: usize) -> usize {
    lines.partition_point(|l| l.start <= offset).saturating_sub(1)
}

/// Reads `# 12 "file.c" 1 3` or `#line 12 "file.c"`: the number of the next line, and the file.
pub(crate) fn marker(line: &str) -> Option<(u32, Option<String>)> {
    let rest = line.trim_start().strip_prefix('#')?.trim_start();
    let rest = rest.strip_prefix("line").unwrap_or(rest).trim_start();
    let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    let number = rest[..digits].parse().ok()?;
    let file =
        rest[digits..].trim_start().strip_prefix('"').and_then(|f| f.split('"').next()).map(str::to_string);
    Some((number, file))
}

/// Does a line marker say that what follows is a header of the system? The preprocessor says so by the flag
/// 3.
fn is_system(line: &str) -> bool {
    let flags = line.rsplit('"').next().unwrap_or_default();
    flags.split_whitespace().any(|flag| flag == "3")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_markers_lead_back() {
        let s = Source::new("x.i", "int a;\n# 40 \"real.c\"\nint b;\n  int c;\n");
        let at = |needle: &str| s.position(s.text.find(needle).unwrap()).to_string();
        assert_eq!(at("int a"), "x.i:1:1");
        assert_eq!(at("int b"), "real.c:40:1");
        assert_eq!(at("int c"), "real.c:41:3");
        assert_eq!(s.snippet(0, s.text.len()), "int a; int b; int c;");
    }

    #[test]
    fn written_types_do_not_move_columns() {
        let s = Source::new("x.c", "main() { f(); }\nstatic n; int m;\n");
        assert_eq!(&*s.text, "int main() { f(); }\nstatic int n; int m;\n");
        let at = |needle: &str| s.position(s.text.find(needle).unwrap()).to_string();
        assert_eq!(at("main"), "x.c:1:1");
        assert_eq!(at("f()"), "x.c:1:10");
        assert_eq!(at("m;"), "x.c:2:15");
    }

    #[test]
    fn excerpts_have_whole_characters() {
        let s = Source::new("x.i", "int \u{e9} = 1;\n");
        assert_eq!(s.excerpt(4, 5), ("int \u{e9} = 1;", 4..6));
        assert_eq!(s.excerpt(5, 5), ("int \u{e9} = 1;", 4..6));
        assert_eq!(s.excerpt(0, 99), ("int \u{e9} = 1;", 0..11));
    }

    #[test]
    fn comments_are_blanked() {
        assert_eq!(blank_comments("a /* b */ c // d\ne"), "a         c     \ne");
        assert_eq!(blank_comments("\"/*\" '//' /"), "\"/*\" '//' /");
        assert_eq!(blank_comments("x /* \n y"), "x    \n  ");
    }
}
