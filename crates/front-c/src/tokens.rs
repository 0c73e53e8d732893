//! The tokens of preprocessed text, for the passes that change it before it is parsed.
//!
//! Names are whole, literals are one token, every other character is one by itself, and lines of the
//! preprocessor are none.

use rustc_hash::FxHashSet;

use crate::source::literal_end;

/// A token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Token<'t> {
    /// Its offset.
    pub(crate) at: usize,
    /// Its text.
    pub(crate) text: &'t str,
}

impl Token<'_> {
    /// The offset behind it.
    pub(crate) fn end(self) -> usize {
        self.at + self.text.len()
    }

    /// Is it a name or a keyword?
    pub(crate) fn is_name(self) -> bool {
        self.text.starts_with(|c: char| c.is_alphabetic() || c == '_' || c == '$')
    }
}

/// Names, and every other character by itself; literals are one token, lines of the preprocessor none.
pub(crate) fn tokens(text: &str) -> Vec<Token<'_>> {
    let bytes = text.as_bytes();
    let mut out = Vec::new();
    let (mut i, mut line_start) = (0, true);
    while i < bytes.len() {
        let begin = i;
        match bytes[i] {
            b'\n' => {
                line_start = true;
                i += 1;
                continue;
            }
            c if c.is_ascii_whitespace() => {
                i += 1;
                continue;
            }
            b'#' if line_start => {
                i += text[i..].find('\n').unwrap_or(text.len() - i);
                continue;
            }
            b'"' | b'\'' => i = (literal_end(bytes, i) + 1).min(bytes.len()),
            c if c.is_ascii_alphanumeric() || c == b'_' || c == b'$' || c >= 0x80 => {
                let word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_' || *b == b'$' || *b >= 0x80;
                i += bytes[i..].iter().take_while(|b| word(b)).count();
            }
            _ => i += 1,
        }
        line_start = false;
        // A literal may end inside a character if the text is broken; then it is no token.
        if let Some(token) = text.get(begin..i) {
            out.push(Token { at: begin, text: token });
        }
    }
    out
}

/// All names that occur in declarations with `typedef`, outside of braces: more than are defined there.
pub(crate) fn typedef_names<'t>(tokens: &[Token<'t>]) -> FxHashSet<&'t str> {
    let mut names = FxHashSet::default();
    let mut i = 0;
    while i < tokens.len() {
        if tokens[i].text == "typedef" {
            let mut depth = 0usize;
            while i < tokens.len() && !(depth == 0 && tokens[i].text == ";") {
                match tokens[i].text {
                    "{" => depth += 1,
                    "}" => depth = depth.saturating_sub(1),
                    name if depth == 0 && tokens[i].is_name() => {
                        names.insert(name);
                    }
                    _ => {}
                }
                i += 1;
            }
        }
        i += 1;
    }
    names
}
