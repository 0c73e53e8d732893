//! Finding statements, conditions and calls in C text by position, without parsing it.
//!
//! Comments, literals and preprocessor lines are masked first. Positions are those of witnesses: a loop or
//! branch at its keyword (or at the `?`), a call at its closing parenthesis, a statement at its first
//! character.
//!
//! Entry point: [`Scan`].

use std::ops::Range;

use crate::witness_reader::Location;

/// How names of functions begin that ask for an input.
const INPUT: &str = "__VERIFIER_nondet_";

const BRANCHES: [&str; 5] = ["if", "while", "for", "do", "switch"];

/// A text with its mask.
pub(crate) struct Scan<'t> {
    pub(crate) text: &'t str,
    /// The same with comments, literals and preprocessor lines blanked, byte for byte.
    mask: Vec<u8>,
}

pub(crate) fn is_word(b: u8) -> bool {
    b == b'_' || b.is_ascii_alphanumeric() || !b.is_ascii()
}

impl<'t> Scan<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        Scan { text, mask: mask(text.as_bytes()) }
    }

    pub(crate) fn at(&self, i: usize) -> u8 {
        self.mask.get(i).copied().unwrap_or(0)
    }

    /// The bytes of a line: where it starts and ends.
    fn line(&self, number: u32) -> Option<(usize, usize)> {
        let mut start = 0;
        for (i, line) in self.text.split_inclusive('\n').enumerate() {
            if i as u32 + 1 == number {
                return Some((start, start + line.len()));
            }
            start += line.len();
        }
        None
    }

    /// The offset of a line and a column.
    pub(crate) fn offset(&self, line: u32, column: u32) -> Option<usize> {
        let (start, end) = self.line(line)?;
        let (at, _) = self.text[start..end].char_indices().nth(column.checked_sub(1)? as usize)?;
        Some(start + at)
    }

    /// The line and the column of an offset.
    pub(crate) fn position(&self, at: usize) -> (u32, u32) {
        let before = &self.text[..at];
        let line = before.rfind('\n').map_or(0, |i| i + 1);
        (before.matches('\n').count() as u32 + 1, before[line..].chars().count() as u32 + 1)
    }

    /// The offset of a place with a column, else the leftmost one of its line that is suitable.
    fn place(&self, l: &Location, suitable: &dyn Fn(usize) -> bool) -> Result<usize, String> {
        let (start, end) = self.line(l.line).ok_or("there is no such line")?;
        match l.column {
            Some(c) => {
                let at = self.offset(l.line, c).ok_or("there is no such column")?;
                if suitable(at) { Ok(at) } else { Err(format!("column {c} is not such a place")) }
            }
            None => (start..end).find(|&i| suitable(i)).ok_or_else(|| "the line has no such place".into()),
        }
    }

    pub(crate) fn word_at(&self, at: usize) -> &str {
        let end = (at..self.mask.len()).find(|&i| !is_word(self.at(i))).unwrap_or(self.mask.len());
        &self.text[at..end]
    }

    pub(crate) fn starts_word(&self, i: usize) -> bool {
        is_word(self.at(i)) && !self.at(i).is_ascii_digit() && (i == 0 || !is_word(self.at(i - 1)))
    }

    pub(crate) fn skip_blank(&self, mut i: usize) -> usize {
        while self.at(i).is_ascii_whitespace() {
            i += 1;
        }
        i
    }

    /// The last byte before an offset that is not blank.
    pub(crate) fn before(&self, at: usize) -> Option<usize> {
        (0..at).rev().find(|&i| !self.at(i).is_ascii_whitespace())
    }

    /// Where the bracket at the first offset is matched, going through the offsets in either direction.
    fn matched(&self, mut offsets: impl Iterator<Item = usize>) -> Option<usize> {
        let mut depth = 0;
        offsets.find(|&i| {
            match self.at(i) {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth -= 1,
                _ => {}
            }
            depth == 0
        })
    }

    /// The bracket that closes the one at an offset.
    pub(crate) fn closing(&self, open: usize) -> Option<usize> {
        self.matched(open..self.mask.len())
    }

    /// The bracket that is closed by the one at an offset.
    pub(crate) fn opening(&self, close: usize) -> Option<usize> {
        self.matched((0..=close).rev())
    }

    /// A statement: where it starts, and behind its end if it is a simple one.
    pub(crate) fn statement(&self, l: &Location) -> Result<(usize, Option<usize>), String> {
        let suitable = |i: usize| {
            let b = self.at(i);
            let first = self.starts_word(i) || matches!(b, b'*' | b'(' | b'+' | b'-' | b'{');
            // `else` belongs to a statement, and is none.
            first && self.word_at(i) != "else"
        };
        let start = self.place(l, &suitable)?;
        Ok((start, self.end_of_statement(start)))
    }

    /// Where the innermost statement begins that an offset is in.
    pub(crate) fn start_of_statement(&self, at: usize) -> usize {
        // Out of parentheses and initialisers; `behind` is the offset behind the statement before.
        let (mut i, mut inside, mut behind) = (at, at, 0);
        while let Some(j) = self.before(i) {
            i = match self.at(j) {
                b')' | b']' => self.opening(j).unwrap_or(j),
                b'}' if self.is_initializer(self.opening(j)) => self.opening(j).unwrap_or(j),
                b'{' if !self.is_initializer(Some(j)) => {
                    behind = behind.max(j + 1);
                    break;
                }
                b'(' | b'[' | b'{' => {
                    (inside, behind) = (j, 0);
                    j
                }
                b';' | b'}' => {
                    behind = behind.max(j + 1);
                    if self.at(j) == b';' { j } else { self.opening(j).unwrap_or(j) }
                }
                _ => j,
            };
        }
        self.past_heads(behind, inside)
    }

    /// Past labels and the heads of branches and loops that end before an offset.
    fn past_heads(&self, from: usize, inside: usize) -> usize {
        let mut start = self.skip_blank(from);
        loop {
            let word = self.word_at(start);
            let behind = self.skip_blank(start + word.len());
            let colon = || (behind..inside).find(|&i| matches!(self.at(i), b':' | b'?'));
            let next = match word {
                "else" | "do" => Some(behind),
                "if" | "while" | "for" | "switch" => self.closing(behind).map(|c| c + 1),
                "case" => colon().map(|c| c + 1),
                "" => None,
                // A macro that stands for a statement.
                _ if self.at(behind) == b'(' && self.defines(word) => {
                    let next = self.closing(behind).map(|c| self.skip_blank(c + 1));
                    next.filter(|&n| self.starts_word(n) || self.at(n) == b'{')
                }
                _ => (self.at(behind) == b':').then_some(behind + 1),
            };
            match next.map(|n| self.skip_blank(n)).filter(|&n| n <= inside) {
                Some(next) => start = next,
                None => return start.min(inside),
            }
        }
    }

    /// Does a brace open an initialiser?
    fn is_initializer(&self, open: Option<usize>) -> bool {
        open.and_then(|o| self.before(o)).is_some_and(|i| matches!(self.at(i), b'=' | b','))
    }

    /// Behind the end of the statement that starts at an offset, if it is a simple one.
    pub(crate) fn end_of_statement(&self, start: usize) -> Option<usize> {
        if BRANCHES.contains(&self.word_at(start)) || self.at(start) == b'{' {
            return None;
        }
        let mut depth = 0i32;
        for i in start..self.mask.len() {
            match self.at(i) {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth -= 1,
                b';' if depth == 0 => return Some(i + 1),
                _ => {}
            }
            if depth < 0 {
                break;
            }
        }
        None
    }

    /// Does a label begin here?
    pub(crate) fn is_label(&self, at: usize) -> bool {
        let word = self.word_at(at);
        let behind = self.skip_blank(at + word.len());
        let named = !word.is_empty() && self.at(behind) == b':';
        named || ["case", "default"].contains(&word)
    }

    /// Can a statement be put here, without braces?
    pub(crate) fn follows_statement(&self, at: usize) -> bool {
        self.before(at).is_some_and(|i| matches!(self.at(i), b';' | b'{' | b'}' | b':'))
    }

    /// The condition of a branch: from, to, and whether it is a `switch`.
    pub(crate) fn branch(&self, l: &Location) -> Result<(usize, usize, bool), String> {
        let suitable =
            |i: usize| self.at(i) == b'?' || (self.starts_word(i) && BRANCHES.contains(&self.word_at(i)));
        let at = self.place(l, &suitable)?;
        if self.at(at) == b'?' {
            return Ok((self.condition_before(at), at, false));
        }
        self.condition_behind(at)
    }

    /// The condition of the loop or branch whose keyword is at an offset.
    pub(crate) fn condition_behind(&self, at: usize) -> Result<(usize, usize, bool), String> {
        let not_found = || "the condition is not found".to_string();
        let mut word = self.word_at(at).to_string();
        let mut open = self.skip_blank(at + word.len());
        if word == "do" {
            let end = self.closing(open).filter(|_| self.at(open) == b'{').ok_or_else(not_found)?;
            let tail = self.skip_blank(end + 1);
            word = self.word_at(tail).to_string();
            open = self.skip_blank(tail + word.len());
        }
        let close = self.closing(open).filter(|_| self.at(open) == b'(').ok_or_else(not_found)?;
        if word != "for" {
            return Ok((open + 1, close, word == "switch"));
        }
        let mut depth = 0;
        let mut ends = Vec::new();
        for i in open..close {
            match self.at(i) {
                b'(' | b'[' | b'{' => depth += 1,
                b')' | b']' | b'}' => depth -= 1,
                b';' if depth == 1 => ends.push(i),
                _ => {}
            }
        }
        match ends[..] {
            [first, second] => Ok((first + 1, second, false)),
            _ => Err(not_found()),
        }
    }

    /// Where the condition before a `?` begins.
    fn condition_before(&self, question: usize) -> usize {
        let mut i = question;
        while i > 0 {
            let b = self.at(i - 1);
            match b {
                b')' | b']' => {
                    let open = self.opening(i - 1).unwrap_or(0);
                    if self.follows_keyword(open) {
                        break;
                    }
                    i = open;
                    continue;
                }
                b'(' | b'[' | b'{' | b'}' | b';' | b',' | b'?' | b':' => break,
                b'=' => {
                    let compares = self.at(i) == b'=' || (i > 1 && b"=<>!".contains(&self.at(i - 2)));
                    if !compares {
                        break;
                    }
                }
                _ => {}
            }
            i -= 1;
        }
        let start = self.skip_blank(i);
        if self.word_at(start) == "return" { self.skip_blank(start + "return".len()) } else { start }
    }

    /// Does a parenthesis belong to a branch or loop?
    fn follows_keyword(&self, open: usize) -> bool {
        let word = self.before(open).and_then(|last| {
            let start = (0..=last).rev().take_while(|&j| is_word(self.at(j))).last()?;
            Some(self.word_at(start))
        });
        word.is_some_and(|w| BRANCHES.contains(&w))
    }

    /// A call: where its function's name starts, and its closing parenthesis.
    pub(crate) fn call(&self, l: &Location) -> Result<(usize, usize), String> {
        let found = |i: usize| {
            if self.at(i) != b')' {
                return None;
            }
            let open = self.opening(i)?;
            let last = self.before(open)?;
            if !is_word(self.at(last)) {
                return None;
            }
            let start = (0..=last).rev().take_while(|&j| is_word(self.at(j))).last()?;
            let word = self.word_at(start);
            let keyword = BRANCHES.contains(&word) || matches!(word, "return" | "sizeof" | "else");
            // A function begins there.
            let head = self.at(self.skip_blank(i + 1)) == b'{';
            (!keyword && !head).then_some(start)
        };
        let close = self.place(l, &|i| found(i).is_some())?;
        Ok((found(close).ok_or("there is no call")?, close))
    }

    /// The calls of a function without arguments: everything but its declarations.
    pub(crate) fn calls_of(&self, name: &str) -> Vec<usize> {
        let mut out = Vec::new();
        for i in 0..self.mask.len() {
            if !self.starts_word(i) || self.word_at(i) != name {
                continue;
            }
            let called = self.at(self.skip_blank(i + name.len())) == b'(';
            let declared = self.before(i).is_some_and(|j| {
                let start = (0..=j).rev().take_while(|&k| is_word(self.at(k))).last();
                let word = start.map_or("", |s| self.word_at(s));
                self.at(j) == b'*' || (!word.is_empty() && !matches!(word, "return" | "else" | "do"))
            });
            if called && !declared {
                out.push(i);
            }
        }
        out
    }

    /// The calls of a function in the bodies of macros that the text defines.
    pub(crate) fn calls_in_macros(&self, name: &str) -> Vec<usize> {
        let mut out = Vec::new();
        let bytes = self.text.as_bytes();
        let mut at = 0;
        for line in self.text.split_inclusive('\n') {
            let (start, end) = (at, at + line.len());
            at = end;
            // A directive is blank in the mask, and so are its further lines. What looks like one in a
            // comment is no matter.
            let continues = start >= 2 && goes_on(&bytes[..start - 1]);
            let words = line.trim_start().strip_prefix('#').map(str::trim_start);
            let defines = words.is_some_and(|w| w.starts_with("define"));
            let masked = self.mask[start..end].iter().all(u8::is_ascii_whitespace);
            if !masked || !(defines || continues) {
                continue;
            }
            // The name of the macro itself is the second word of its line.
            let body = match words.filter(|_| defines) {
                Some(w) => {
                    let rest = w["define".len()..].trim_start();
                    let behind = rest.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(rest.len());
                    end - rest.len() + behind
                }
                None => start,
            };
            let text = &self.text[body..end];
            for (i, _) in text.match_indices(name) {
                let before = text[..i].bytes().next_back().is_some_and(is_word);
                let rest = &text[i + name.len()..];
                if !before && rest.trim_start().starts_with('(') {
                    out.push(body + i);
                }
            }
        }
        out
    }

    /// Does the text define a macro of this name?
    pub(crate) fn defines(&self, name: &str) -> bool {
        self.text.lines().any(|line| {
            let words = line.trim_start().strip_prefix('#').map(str::trim_start);
            let rest = words.and_then(|w| w.strip_prefix("define")).map_or("", str::trim_start);
            rest.strip_prefix(name).is_some_and(|r| !r.bytes().next().is_some_and(is_word))
        })
    }

    /// The macros of the text, and `assert`, that are used in a line, with their arguments.
    pub(crate) fn macros_in_line(&self, number: u32) -> Vec<Range<usize>> {
        let Some((start, end)) = self.line(number) else { return Vec::new() };
        let mut out: Vec<Range<usize>> = Vec::new();
        for i in start..end {
            let inside = out.last().is_some_and(|before| before.contains(&i));
            if inside || !self.starts_word(i) {
                continue;
            }
            let word = self.word_at(i);
            if word != "assert" && !self.defines(word) {
                continue;
            }
            let behind = i + self.word_at(i).len();
            let open = self.skip_blank(behind);
            let closed = if self.at(open) == b'(' { self.closing(open) } else { None };
            out.push(i..closed.map_or(behind, |close| close + 1));
        }
        out
    }

    /// The calls in a part of the text that ask for an input: where each begins, and its closing parenthesis.
    pub(crate) fn inputs_in(&self, range: Range<usize>) -> Vec<(usize, usize)> {
        let asks = |&i: &usize| self.starts_word(i) && self.word_at(i).starts_with(INPUT);
        let call = |i: usize| {
            let open = self.skip_blank(i + self.word_at(i).len());
            Some((i, self.closing(open).filter(|_| self.at(open) == b'(')?))
        };
        range.filter(asks).filter_map(call).collect()
    }

    /// The calls in bodies of macros that ask for an input.
    pub(crate) fn inputs_in_macros(&self) -> Vec<Range<usize>> {
        let text = self.text;
        let end = |at: usize| text[at..].bytes().position(|b| !is_word(b)).map_or(at, |n| at + n);
        let found = text.match_indices(INPUT).map(|(at, _)| &text[at..end(at)]);
        let mut names: Vec<&str> = found.collect();
        names.sort_unstable();
        names.dedup();
        let mut out = Vec::new();
        for name in names {
            for at in self.calls_in_macros(name) {
                if let Some(close) = text[at..].find(')') {
                    out.push(at..at + close + 1);
                }
            }
        }
        out
    }

    /// Is there a declaration that says that a function returns nothing?
    pub(crate) fn returns_nothing(&self, function: &str) -> bool {
        let named = |&i: &usize| self.starts_word(i) && self.word_at(i) == function;
        (0..self.mask.len()).filter(named).any(|i| {
            let Some(end) = self.before(i) else { return false };
            let start = (0..=end).rev().take_while(|&k| is_word(self.at(k))).last();
            start.is_some_and(|start| self.word_at(start) == "void")
        })
    }

    /// The labels of the `switch` whose body begins here, without those of inner ones.
    pub(crate) fn case_labels(&self, behind: usize) -> Vec<String> {
        let open = self.skip_blank(behind);
        let Some(close) = self.closing(open).filter(|_| self.at(open) == b'{') else { return Vec::new() };
        let mut out = Vec::new();
        let mut i = open + 1;
        while i < close {
            if self.starts_word(i) && self.word_at(i) == "switch" {
                let inner = (i..close).find(|&j| self.at(j) == b'{').and_then(|j| self.closing(j));
                i = inner.unwrap_or(i) + 1;
                continue;
            }
            if self.starts_word(i) && self.word_at(i) == "case" {
                let end = (i..close).find(|&j| self.at(j) == b':').unwrap_or(close);
                out.push(self.text[i + 4..end].trim().to_string());
            }
            i += 1;
        }
        out
    }
}

/// Can a text stand for one operand in the text of a program: does it close what it opens, and nothing else?
pub fn is_one_expression(text: &str) -> bool {
    let mut depth = 0_usize;
    for c in text.chars() {
        match c {
            '(' | '[' => depth += 1,
            ')' | ']' if depth == 0 => return false,
            ')' | ']' => depth -= 1,
            ';' | '{' | '}' | '#' | '"' | '\n' => return false,
            _ => {}
        }
    }
    depth == 0 && !text.trim().is_empty() && !text.contains("//") && !text.contains("/*")
}

/// Has an expression in C no side effect, as far as its text shows?
pub fn is_pure(expression: &str) -> bool {
    let bytes: Vec<char> = expression.chars().filter(|c| !c.is_whitespace()).collect();
    let pairs = bytes.windows(2);
    let call = pairs.clone().any(|w| (w[0].is_alphanumeric() || "_)]".contains(w[0])) && w[1] == '(');
    let step = pairs.clone().any(|w| (w[0] == '+' || w[0] == '-') && w[0] == w[1]);
    let compares = |i: usize| i > 0 && "<>!=".contains(bytes[i - 1]) || bytes.get(i + 1) == Some(&'=');
    let shifts = |i: usize| i > 1 && bytes[i - 1] == bytes[i - 2] && "<>".contains(bytes[i - 1]);
    let assigns = (0..bytes.len()).any(|i| bytes[i] == '=' && (!compares(i) || shifts(i)));
    !call && !step && !assigns && !expression.contains('#')
}

/// Does a line that ends here, before its end of line, go on in the next one? Blanks behind the backslash,
/// such as the first half of an end of line, do not matter.
fn goes_on(text: &[u8]) -> bool {
    let blank = |b: &&u8| matches!(b, b' ' | b'\t' | b'\r');
    text.iter().rev().find(|b| !blank(b)) == Some(&b'\\')
}

/// Blanks comments, the insides of literals, and preprocessor lines.
fn mask(text: &[u8]) -> Vec<u8> {
    let mut out = text.to_vec();
    let mut i = 0;
    let mut fresh_line = true;
    while i < out.len() {
        let start = i;
        match out[i] {
            b'\n' => {
                fresh_line = true;
                i += 1;
                continue;
            }
            b if b.is_ascii_whitespace() => {
                i += 1;
                continue;
            }
            b'#' if fresh_line => {
                while i < out.len() && (out[i] != b'\n' || goes_on(&out[..i])) {
                    i += 1;
                }
            }
            b'/' if out.get(i + 1) == Some(&b'/') => {
                while i < out.len() && (out[i] != b'\n' || goes_on(&out[..i])) {
                    i += 1;
                }
            }
            b'/' if out.get(i + 1) == Some(&b'*') => {
                i += 2;
                while i < out.len() && !(out[i - 1] == b'*' && out[i] == b'/' && i > start + 2) {
                    i += 1;
                }
                i = (i + 1).min(out.len());
            }
            quote @ (b'"' | b'\'') => {
                i += 1;
                while i < out.len() && out[i] != quote && out[i] != b'\n' {
                    i += if out[i] == b'\\' { 2 } else { 1 };
                }
                i = (i + 1).min(out.len());
                // A literal is something: its quotes stay.
                out[start + 1..i.saturating_sub(1).max(start + 1)].iter_mut().for_each(|b| *b = b'_');
                fresh_line = false;
                continue;
            }
            _ => {
                fresh_line = false;
                i += 1;
                continue;
            }
        }
        out[start..i].iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = b' ');
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: u32, column: Option<u32>) -> Location {
        Location { file_name: None, line, column }
    }

    #[test]
    fn places_are_found() {
        let text = "int f(int x);\nint main() {\n  if (x > 0) /* if */ y = f(x);\n  \
                    for (i = 0; ; i++) a ? b : c;\n}\n";
        let s = Scan::new(text);
        let (from, to, _) = s.branch(&at(3, None)).unwrap();
        assert_eq!(&text[from..to], "x > 0");
        let (start, end) = s.statement(&at(3, Some(23))).unwrap();
        assert_eq!(&text[start..end.unwrap()], "y = f(x);");
        assert!(!s.follows_statement(start));
        let (start, close) = s.call(&at(3, None)).unwrap();
        assert_eq!(&text[start..=close], "f(x)");
        let (from, to, _) = s.branch(&at(4, Some(3))).unwrap();
        assert_eq!(&text[from..to], " ");
        let (from, to, _) = s.branch(&at(4, Some(24))).unwrap();
        assert_eq!(&text[from..to], "a ");
        assert!(s.branch(&at(3, Some(4))).is_err());
        assert!(!s.returns_nothing("f"));
    }

    #[test]
    fn statements_are_found_from_inside() {
        for text in [
            "int main() { f(); @int w[] = {1, 2}, v = x == 9 ? (e~(), 0) : 1; }",
            "int main() { if (x) { y = 1; } @return assert~(x), x; }",
            "int main() { while (x) @y = f(1, ~2); }",
            "int main() { if (x) y = 1; else @y = ~2; }",
            "int main() { @for (i = 0; f~(i); i++) g(i); }",
            "int main() { switch (x) { case 1: l: @y = a ? b : ~c; } }",
            "int main() { do @y = ({ int z = 1; z; }) + ~2; while (x); }",
            "int main() { x = ({ f(); @g(~1); 2; }); }",
            "int main() { @~x = 1; }",
            "#define NEED(c) if (!(c)) e();\nint main() { NEED(x) @NEED(~y) NEED(z) }",
        ] {
            let (start, inside) = (text.find('@').unwrap(), text.replace('@', "").find('~').unwrap());
            let text = text.replace(['@', '~'], "");
            assert_eq!(Scan::new(&text).start_of_statement(inside), start, "{text}");
        }
    }

    #[test]
    fn calls_are_told_from_declarations() {
        let text = "void e();\nvoid e() { }\nint main() { if (1) e(); else e (); }";
        assert_eq!(Scan::new(text).calls_of("e").len(), 2);
    }

    #[test]
    fn calls_in_macros_are_found() {
        let text = "#define e(x) f(x)\n#define CHECK(c) if (!(c)) \\\n  { e(1); me(); }\n#include <e(x).h>\n\
                    int main() { CHECK(0); e(2); }\n";
        for text in [text.to_string(), text.replace('\n', "\r\n")] {
            let found = Scan::new(&text).calls_in_macros("e");
            assert_eq!(found.iter().map(|&i| &text[i..i + 4]).collect::<Vec<_>>(), ["e(1)"]);
        }
    }

    #[test]
    fn labels_of_inner_switches_are_not_counted() {
        let text = "{ case 1: switch (b) { case 7: ; } case 2: ; default: ; }";
        assert_eq!(Scan::new(text).case_labels(0), ["1", "2"]);
    }

    #[test]
    fn side_effects_are_seen() {
        for pure in ["i < n", "a == b && !c", "x <= (y >> 2)", "a[i] != 0", "", "1"] {
            assert!(is_pure(pure), "{pure}");
        }
        for effect in ["i++ < n", "f()", "f (x)", "(c = g)", "x <<= 1", "--n", "a[i](2)"] {
            assert!(!is_pure(effect), "{effect}");
        }
    }
}
