//! Finding where an S-expression ends in a stream of bytes, before all of the stream is there.

/// Feed it bytes; it says when the first expression is complete.
///
/// It counts parentheses and steps over comments, strings and quoted symbols; whether the expression is
/// well-formed is for [`crate::Tree`] to say.
#[derive(Clone, Debug, Default)]
pub struct Framer {
    depth: usize,
    state: State,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum State {
    #[default]
    Blank,
    Token,
    Comment,
    Quoted,
    String,
    /// Just after a quote that closes a string, or is the first half of a doubled quote.
    StringEnd,
}

impl Framer {
    /// At the beginning of a stream.
    pub fn new() -> Framer {
        Framer::default()
    }

    /// Takes the next byte. `true`: the expression was complete *before* this byte, which belongs to what
    /// follows.
    fn ended_before(&self, b: u8) -> bool {
        let ends = b.is_ascii_whitespace() || matches!(b, b'(' | b')' | b';' | b'"' | b'|');
        match self.state {
            State::Token => self.depth == 0 && ends,
            State::StringEnd => self.depth == 0 && b != b'"',
            _ => false,
        }
    }

    /// Feeds bytes until the first expression is complete; returns how many bytes it has, counting blanks
    /// before it. Afterwards the framer is at its beginning again. `None`: all bytes were taken and the
    /// expression is not complete.
    pub fn feed(&mut self, bytes: &[u8]) -> Option<usize> {
        for (i, &b) in bytes.iter().enumerate() {
            if self.ended_before(b) {
                *self = Framer::new();
                return Some(i);
            }
            if self.step(b) {
                *self = Framer::new();
                return Some(i + 1);
            }
        }
        None
    }

    /// Takes one byte; `true` when it completes the expression.
    fn step(&mut self, b: u8) -> bool {
        match self.state {
            State::Comment => {
                if b == b'\n' {
                    self.state = State::Blank;
                }
                return false;
            }
            State::Quoted => {
                if b == b'|' {
                    self.state = State::Blank;
                    return self.depth == 0;
                }
                return false;
            }
            State::String => {
                if b == b'"' {
                    self.state = State::StringEnd;
                }
                return false;
            }
            State::StringEnd if b == b'"' => {
                self.state = State::String;
                return false;
            }
            State::Blank | State::Token | State::StringEnd => {}
        }
        self.state = State::Blank;
        match b {
            b'(' => self.depth += 1,
            b')' => {
                self.depth = self.depth.saturating_sub(1);
                return self.depth == 0;
            }
            b';' => self.state = State::Comment,
            b'"' => self.state = State::String,
            b'|' => self.state = State::Quoted,
            b if b.is_ascii_whitespace() => {}
            _ => self.state = State::Token,
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str, chunk: usize) -> Vec<String> {
        let mut framer = Framer::new();
        let mut out = Vec::new();
        let mut pending = Vec::new();
        for piece in text.as_bytes().chunks(chunk) {
            let mut piece = piece;
            while let Some(n) = framer.feed(piece) {
                pending.extend_from_slice(&piece[..n]);
                out.push(String::from_utf8(std::mem::take(&mut pending)).unwrap().trim().to_string());
                piece = &piece[n..];
            }
            pending.extend_from_slice(piece);
        }
        out
    }

    #[test]
    fn expressions_of_a_stream() {
        let text = "sat\n((x 1) (|a)| \"q\"\")\"))unsat ; (comment\n \"s\" |b| (a)\n";
        let expect = ["sat", "((x 1) (|a)| \"q\"\")\"))", "unsat", "; (comment\n \"s\"", "|b|", "(a)"];
        for chunk in [1, 2, 3, 7, 100] {
            assert_eq!(split(text, chunk), expect, "in chunks of {chunk}");
        }
    }

    #[test]
    fn incomplete_is_not_complete() {
        assert_eq!(Framer::new().feed(b"(a (b)"), None);
        assert_eq!(Framer::new().feed(b"sat"), None);
        assert_eq!(Framer::new().feed(b"sat\n"), Some(3));
    }
}
