//! Finds every attribute, asm label and pragma in preprocessed text, without the help of the parser.
//!
//! Attributes that stand where the parser has no rule for them (between `struct` and its tag, before a `;`,
//! behind a label) are blanked byte for byte, so that offsets stay; they are still in the list.
//!
//! Entry point: [`Scan::new`]. It knows tokens only: literals, directives, words and punctuation.

use std::cell::RefCell;
use std::ops::Range;

use rustc_hash::FxHashSet;

use super::{Status, attributes, pragmas};
use crate::source::literal_end;

/// An attribute or asm label of the text.
#[derive(Clone, Debug)]
pub(crate) struct Found {
    /// Its name as written.
    pub(crate) name: String,
    /// From the name to the end of its arguments.
    pub(crate) span: Range<usize>,
    /// The text of its arguments.
    pub(crate) arguments: String,
    /// What is known of it.
    pub(crate) status: Status,
    /// The offset of the word `struct`, `union` or `enum` that it follows directly.
    pub(crate) keyword: Option<usize>,
}

/// What a text has of attributes and pragmas.
#[derive(Debug, Default)]
pub(crate) struct Scan {
    /// In the order of the text.
    pub(crate) attributes: Vec<Found>,
    /// From which offset on which limit of `#pragma pack` holds.
    packs: Vec<(usize, Option<u64>)>,
    /// Pragmas that are not supported: where, and why.
    pub(crate) refused: Vec<(Range<usize>, String)>,
    /// The offsets of the attributes whose meaning has been used.
    claimed: RefCell<FxHashSet<usize>>,
}

/// The last two tokens: the previous one decides what an attribute belongs to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Previous {
    /// `struct`, `union` or `enum` at this offset.
    Keyword(usize),
    /// Another word, a literal, or a closing parenthesis or bracket: a declarator may end here.
    Declarator,
    /// `;`, `{`, `}` or `:`.
    Statement,
    /// Anything else.
    Other,
}

impl Scan {
    /// Scans a text. The second result is the text for the parser.
    pub(crate) fn new(text: &str) -> (Scan, String) {
        let mut scan = Scan::default();
        let mut out = text.as_bytes().to_vec();
        let bytes = text.as_bytes();
        let mut pack_stack = Vec::new();
        let mut previous = Previous::Statement;
        // Where the conditions of `if`, `while`, `for` and `switch` end: statements follow.
        let mut heads: FxHashSet<usize> = FxHashSet::default();
        let mut i = 0;
        while i < bytes.len() {
            match bytes[i] {
                b'"' | b'\'' => {
                    i = literal_end(bytes, i) + 1;
                    previous = Previous::Declarator;
                }
                b'#' => {
                    let end = text[i..].find('\n').map_or(bytes.len(), |n| i + n);
                    scan.directive(text, i..end, &mut pack_stack);
                    i = end;
                }
                c if c.is_ascii_alphabetic() || c == b'_' => {
                    let end = word_end(bytes, i);
                    match &text[i..end] {
                        "__attribute__" | "__attribute" => {
                            let close = parentheses_end(bytes, end);
                            let first = scan.attributes.len();
                            scan.specifier(text, end..close, previous);
                            let found = &scan.attributes[first..];
                            let harmless = found.iter().all(|a| matches!(a.status, Status::Harmless(_)));
                            let next = bytes[close..].iter().find(|c| !c.is_ascii_whitespace());
                            let alone = harmless && previous == Previous::Statement && next == Some(&b';');
                            if alone || matches!(previous, Previous::Keyword(_)) {
                                blank(&mut out[i..close]);
                            }
                            i = close;
                            continue;
                        }
                        "asm" | "__asm" | "__asm__" if previous == Previous::Declarator => {
                            let close = parentheses_end(bytes, end);
                            scan.add("asm label".into(), i..close, text[end..close].to_string(), previous);
                            i = close;
                            continue;
                        }
                        "_Pragma" | "__pragma" => {
                            let what = format!("`{}`", &text[i..end]);
                            scan.refused.push((i..end, what));
                        }
                        "struct" | "union" | "enum" => previous = Previous::Keyword(i),
                        "else" | "do" | "return" => previous = Previous::Statement,
                        "if" | "while" | "for" | "switch" => {
                            heads.insert(parentheses_end(bytes, end));
                            previous = Previous::Other;
                        }
                        _ => previous = Previous::Declarator,
                    }
                    i = end;
                }
                c if c.is_ascii_whitespace() => i += 1,
                c => {
                    previous = match c {
                        b';' | b'{' | b'}' | b':' => Previous::Statement,
                        b')' if heads.contains(&(i + 1)) => Previous::Statement,
                        b')' | b']' => Previous::Declarator,
                        b'0'..=b'9' => Previous::Declarator,
                        _ => Previous::Other,
                    };
                    i += 1;
                }
            }
        }
        (scan, String::from_utf8(out).unwrap_or_else(|_| text.to_string()))
    }

    /// The attributes of `((a, b(1)))`.
    fn specifier(&mut self, text: &str, range: Range<usize>, previous: Previous) {
        let bytes = text.as_bytes();
        let mut i = range.start;
        while i < range.end {
            let c = bytes[i];
            if c.is_ascii_alphabetic() || c == b'_' {
                let end = word_end(bytes, i);
                let rest = &bytes[end..range.end];
                let open = rest.iter().position(|c| !c.is_ascii_whitespace()).filter(|&n| rest[n] == b'(');
                let close = open.map_or(end, |n| parentheses_end(bytes, end + n));
                let arguments = open.map_or("", |n| &text[end + n + 1..close.saturating_sub(1)]);
                self.add(text[i..end].to_string(), i..close, arguments.to_string(), previous);
                i = close;
            } else {
                i += 1;
            }
        }
    }

    fn add(&mut self, name: String, span: Range<usize>, arguments: String, previous: Previous) {
        let status = match name.as_str() {
            "asm label" => Status::Handled,
            _ => attributes::status_with(&name, &arguments),
        };
        let keyword = match previous {
            Previous::Keyword(k) => Some(k),
            _ => None,
        };
        self.attributes.push(Found { name, span, arguments, status, keyword });
    }

    /// `#pragma ...` and line markers. Others stand in a text that was not preprocessed.
    fn directive(&mut self, text: &str, range: Range<usize>, stack: &mut Vec<Option<u64>>) {
        let line = text[range.clone()].trim_start_matches('#').trim_start();
        let name: String = line.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
        let is_marker = name.is_empty() || name.starts_with(|c: char| c.is_ascii_digit());
        let pragma = &line[name.len()..];
        if name != "pragma" {
            if !is_marker && !matches!(name.as_str(), "line" | "ident" | "sccs") {
                self.refused.push((range, format!("`#{name}` in a text that counts as preprocessed")));
            }
            return;
        }
        match pragmas::status(pragma) {
            Status::Harmless(_) => {}
            Status::Handled => match pack(pragma, self.pack_at(range.end), stack) {
                Some(limit) => self.packs.push((range.end, limit)),
                None => self.refused.push((range, "this form of `#pragma pack`".into())),
            },
            Status::Refused(why) => {
                let name = pragma.split_whitespace().next().unwrap_or_default();
                self.refused.push((range, format!("`#pragma {name}` ({why})")));
            }
        }
    }

    /// The limit of `#pragma pack` at an offset.
    pub(crate) fn pack_at(&self, offset: usize) -> Option<u64> {
        let k = self.packs.partition_point(|(from, _)| *from <= offset);
        k.checked_sub(1).and_then(|k| self.packs[k].1)
    }

    /// The attributes between a `struct`, `union` or `enum` at this offset and its tag; the caller gives them
    /// their meaning.
    pub(crate) fn after_keyword(&self, offset: usize) -> impl Iterator<Item = &Found> {
        self.attributes.iter().filter(move |a| a.keyword == Some(offset))
    }

    /// Is there an attribute of this name?
    pub(crate) fn mentions(&self, name: &str) -> bool {
        self.attributes.iter().any(|a| super::attributes::plain(&a.name) == name)
    }

    /// Says that the meaning of the attribute at this offset has been used.
    pub(crate) fn claim(&self, offset: usize) {
        self.claimed.borrow_mut().insert(offset);
    }

    /// The attributes in a range that are refused, or handled somewhere but not where they stand.
    pub(crate) fn open(&self, range: Range<usize>) -> impl Iterator<Item = &Found> {
        let first = self.attributes.partition_point(|a| a.span.start < range.start);
        let inside = self.attributes[first..].iter().take_while(move |a| a.span.start < range.end);
        inside.filter(|a| match a.status {
            Status::Harmless(_) => false,
            Status::Handled => !self.claimed.borrow().contains(&a.span.start),
            Status::Refused(_) => true,
        })
    }
}

impl Found {
    /// Says what is refused, for messages.
    pub(crate) fn refusal(&self) -> String {
        match (self.name.as_str(), self.status) {
            ("asm label", _) => "asm label".into(),
            (name, Status::Refused(why)) => format!("attribute `{}` ({why})", attributes::plain(name)),
            (name, _) => format!("attribute `{}` at this place", attributes::plain(name)),
        }
    }
}

/// The new limit after a `pack` pragma; the outer `None` if its form is not known.
fn pack(pragma: &str, now: Option<u64>, stack: &mut Vec<Option<u64>>) -> Option<Option<u64>> {
    let inner = pragma.trim().strip_prefix("pack")?.trim().strip_prefix('(')?.trim_end().strip_suffix(')')?;
    let number = |w: &str| match w.parse().ok()? {
        0 => Some(None),
        n @ (1 | 2 | 4 | 8 | 16) => Some(Some(n)),
        _ => None,
    };
    let words: Vec<&str> = inner.split(',').map(str::trim).collect();
    match words.as_slice() {
        [""] => Some(None),
        ["push"] => {
            stack.push(now);
            Some(now)
        }
        ["push", n] => {
            stack.push(now);
            number(n)
        }
        ["pop"] => stack.pop(),
        [n] => number(n),
        _ => None,
    }
}

fn word_end(bytes: &[u8], from: usize) -> usize {
    let part = |c: &u8| c.is_ascii_alphanumeric() || *c == b'_';
    from + bytes[from..].iter().position(|c| !part(c)).unwrap_or(bytes.len() - from)
}

/// One past the parenthesis that closes the first one from here on.
fn parentheses_end(bytes: &[u8], from: usize) -> usize {
    let (mut depth, mut i) = (0, from);
    while i < bytes.len() {
        match bytes[i] {
            b'"' | b'\'' => i = literal_end(bytes, i),
            b'(' => depth += 1,
            b')' => depth -= 1,
            c if depth == 0 && !c.is_ascii_whitespace() => return i,
            _ => {}
        }
        i += 1;
        if depth == 0 && bytes[i - 1] == b')' {
            return i.min(bytes.len());
        }
    }
    bytes.len()
}

fn blank(bytes: &mut [u8]) {
    bytes.iter_mut().filter(|b| **b != b'\n').for_each(|b| *b = b' ');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_found_wherever_they_stand() {
        let text = "struct __attribute__((packed, aligned(8))) s { int x; } __attribute((unused)) v;\n\
            int f(void) __asm__(\"g\" \"h\") __attribute__ ((__cleanup__(h)));\n\
            void g(void) { char *s = \"__attribute__((x))\"; __attribute__((fallthrough)); \
            __asm__(\"nop\"); }";
        let (scan, parsed) = Scan::new(text);
        let names: Vec<&str> = scan.attributes.iter().map(|a| a.name.as_str()).collect();
        assert_eq!(names, ["packed", "aligned", "unused", "asm label", "__cleanup__", "fallthrough"]);
        assert_eq!(scan.attributes[1].arguments, "8");
        assert_eq!(scan.after_keyword(0).count(), 2);
        assert!(parsed.starts_with("struct                                     s {"), "{parsed}");
        assert!(
            !parsed.contains("fallthrough") && parsed.contains("__cleanup__") && parsed.len() == text.len()
        );
        let open: Vec<&str> = scan.open(0..text.len()).map(|a| a.name.as_str()).collect();
        assert_eq!(open, ["packed", "aligned", "asm label", "__cleanup__"]);
        scan.claim(scan.attributes[0].span.start);
        assert_eq!(scan.open(0..text.len()).count(), 3);
    }

    #[test]
    fn pragmas_are_read() {
        let text = "#pragma pack(push, 1)\nA\n#pragma pack(2)\nB\n#pragma pack(pop)\nC\n\
            #pragma GCC diagnostic ignored \"x\"\n\
            #pragma weak f\n# 3 \"x.c\"\n#pragma pack(push, name, 4)\n";
        let (scan, _) = Scan::new(text);
        let at = |s: &str| scan.pack_at(text.find(s).expect("it is there"));
        assert_eq!((at("A\n"), at("B\n"), at("C\n")), (Some(1), Some(2), None));
        let refused: Vec<&str> = scan.refused.iter().map(|(_, what)| what.as_str()).collect();
        assert_eq!(refused, ["`#pragma weak` (it renames functions)", "this form of `#pragma pack`"]);
    }
}
