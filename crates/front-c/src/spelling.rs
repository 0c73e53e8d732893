//! Where the tokens of a preprocessed text are written, as gcc's `-fdebug-cpp` says.
//!
//! gcc puts a mark before each token: the file, line and column where it is spelled, which is the definition
//! of a macro for what that expands to, and the place of use for its arguments. The marks are taken away; the
//! text that is left is what the preprocessor writes without them. A token that begins a literal is skipped
//! as a whole, so that a literal that looks like a mark stays.
//!
//! Entry point: [`unmarked`].

use rustc_hash::FxHashMap;

use crate::source::literal_end;

/// How a mark begins.
const MARK: &str = "{P:";

/// Where a token is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Token {
    /// The byte of its line in the preprocessed text.
    at: usize,
    file: u32,
    line: u32,
    /// In bytes, from 0.
    column: usize,
}

/// Where the tokens of a text are written.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spelling {
    files: Vec<String>,
    /// The lines of the text, each with its tokens in order.
    lines: Vec<(String, Vec<Token>)>,
}

impl Spelling {
    /// File, line and column (in bytes, from 0) where the byte `at` of a line of the text is written, if the
    /// line still has this text.
    pub(crate) fn of(&self, line: usize, text: &str, at: usize) -> Option<(&str, u32, usize)> {
        let (written, tokens) = self.lines.get(line)?;
        if written.trim_end() != text.trim_end() {
            return None;
        }
        let token = tokens.get(tokens.partition_point(|t| t.at <= at).checked_sub(1)?)?;
        Some((&self.files[token.file as usize], token.line, token.column + (at - token.at)))
    }
}

/// What a mark says.
struct Mark<'m> {
    path: &'m str,
    line: u32,
    column: usize,
    /// It is about the expansion of a macro.
    expansion: bool,
}

#[derive(Default)]
struct Reader<'m> {
    out: String,
    /// Where the line begins in `out`.
    begin: usize,
    tokens: Vec<Token>,
    /// The mark of the next token, which may be lines away.
    pending: Option<Mark<'m>>,
    known: FxHashMap<&'m str, u32>,
    spelling: Spelling,
}

/// A text without its marks, and what they say.
pub(crate) fn unmarked(marked: &str) -> (String, Spelling) {
    let mut reader = Reader::default();
    for line in marked.split_inclusive('\n') {
        reader.begin = reader.out.len();
        reader.line(line);
        let tokens = std::mem::take(&mut reader.tokens);
        let text = reader.out[reader.begin..].to_string();
        reader.spelling.lines.push((text, tokens));
    }
    (reader.out, reader.spelling)
}

impl<'m> Reader<'m> {
    fn line(&mut self, line: &'m str) {
        if is_line_marker(line) {
            self.out.push_str(line);
            return;
        }
        let mut rest = line;
        while let Some(at) = rest.find(MARK) {
            self.text(&rest[..at]);
            rest = &rest[at..];
            let Some((mark, length)) = read(rest) else {
                self.text(MARK);
                rest = &rest[MARK.len()..];
                continue;
            };
            // Of several marks in a row, one that is not about an expansion is about the token.
            if !mark.expansion || self.pending.as_ref().is_none_or(|p| p.expansion) {
                self.pending = Some(mark);
            }
            rest = &rest[length..];
            let literal = literal_length(rest);
            self.text(&rest[..literal]);
            rest = &rest[literal..];
        }
        self.text(rest);
    }

    fn text(&mut self, piece: &str) {
        let blank = piece.len() - piece.trim_start().len();
        if blank < piece.len()
            && let Some(mark) = self.pending.take()
        {
            let file = *self.known.entry(mark.path).or_insert_with(|| {
                self.spelling.files.push(mark.path.to_string());
                self.spelling.files.len() as u32 - 1
            });
            let at = self.out.len() - self.begin + blank;
            self.tokens.push(Token { at, file, line: mark.line, column: mark.column });
        }
        self.out.push_str(piece);
    }
}

/// What a mark says, and its length. What the compiler itself defines has no place, and no path.
fn read(text: &str) -> Option<(Mark<'_>, usize)> {
    let (path, rest) = text.strip_prefix(MARK)?.split_once(";F:")?;
    let (_, rest) = rest.split_once(";L:")?;
    let (line, rest) = rest.split_once(";C:")?;
    let (column, rest) = rest.split_once(";S:")?;
    let (_, rest) = rest.split_once(";E:")?;
    let (expansion, rest) = rest.split_once(",LOC:")?;
    let (_, rest) = rest.split_once(",R:")?;
    let (last, rest) = rest.split_once('}')?;
    last.parse::<u64>().ok()?;
    let (line, column): (i64, i64) = (line.parse().ok()?, column.parse().ok()?);
    let line = u32::try_from(line).unwrap_or(0);
    let column = usize::try_from(column - 1).unwrap_or(0);
    Some((Mark { path, line, column, expansion: expansion == "1" }, text.len() - rest.len()))
}

fn is_line_marker(line: &str) -> bool {
    line.strip_prefix("# ").is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// The length of the literal that a text begins with; 0 without one.
fn literal_length(text: &str) -> usize {
    let prefix = text.bytes().take_while(|b| matches!(b, b'L' | b'u' | b'U' | b'8')).count();
    match text.as_bytes().get(prefix) {
        Some(b'"' | b'\'') => (literal_end(text.as_bytes(), prefix) + 1).min(text.len()),
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mark(line: i32, column: i32) -> String {
        format!("{{P:a.c;F:<NULL>;L:{line};C:{column};S:0;M:0x7f;E:0,LOC:1,R:22}}")
    }

    #[test]
    fn marks_are_taken_away_and_read() {
        let (m1, m2, m3) = (mark(7, 3), mark(2, 11), mark(-1, -1));
        let literal = "\"{P:b;F:;L:1;C:1;S:0;M:0;E:0,LOC:1,R:1}\"";
        let (text, spelling) = unmarked(&format!("# 1 \"a.c\"\n  {m1}x {m2}+= {m1}L{literal}{m3}; {{P:\n"));
        assert_eq!(text, format!("# 1 \"a.c\"\n  x += L{literal}; {{P:\n"));
        let line = text.lines().nth(1).unwrap();
        assert_eq!(spelling.of(1, line, 2), Some(("a.c", 7, 2)));
        assert_eq!(spelling.of(1, line, 5), Some(("a.c", 2, 11)));
        assert_eq!(spelling.of(1, "other", 5), None);
        assert_eq!(spelling.of(0, "# 1 \"a.c\"", 3), None);
    }

    #[test]
    fn a_mark_is_about_the_next_token() {
        let (m1, m2) = (mark(7, 3), mark(9, 5));
        let expansion = mark(8, 1).replace("E:0", "E:1");
        let (text, spelling) = unmarked(&format!("{m1}{expansion}\n# 7 \"a.c\"\n  x {expansion}{m2}y\n"));
        assert_eq!(text, "\n# 7 \"a.c\"\n  x y\n");
        assert_eq!(spelling.of(2, "  x y", 2), Some(("a.c", 7, 2)));
        assert_eq!(spelling.of(2, "  x y", 4), Some(("a.c", 9, 4)));
    }
}
