//! C that the parser does not know, in words that it knows.
//!
//! The parser reads C11 with most of GNU C. The rest is rewritten token by token before parsing, in a way
//! that means the same:
//!
//! | written | parsed |
//! |---|---|
//! | `__attribute__( ( a ) )` | `__attribute__  (( a ))` |
//! | `[[nodiscard, gnu::packed]]` | `__attribute__((warn_unused_result, packed))` |
//! | digraphs `<: :> <% %>` | `[ ] { }` |
//! | `$`, letters that are not ASCII, `\u00e9` in names | `_Zx24_`, `_Zxe9_` |
//! | `\u00e9` in literals | the character |
//! | `a ?: b` | `a ? SAME : b` |
//! | `&&label`, `goto *p;` | `LABEL label`, one word; `GOTO(p);` |
//! | `__label__ l;` | nothing; `l` gets a name of its own in the block |
//! | `__auto_type x = e;` | `__typeof__((0, e)) x = e;` |
//! | `__builtin_types_compatible_p(a, b)` | `COMPATIBLE(sizeof (a), sizeof (b))` |
//! | `__alignof__ e` | `ALIGNMENT(e)` |
//! | `l: }`, `l: int x;` | `l: ; }`, `l: ; int x;` |
//! | `_Static_assert(e)`, `(struct s){}` | `_Static_assert(e, "")`, `(struct s){0}` |
//! | `sizeof (int[]){1, 2}` | `sizeof ((int[]){1, 2})` |
//! | `_Alignas(a)` of a member | `__attribute__((aligned(a)))` |
//! | `unsigned __int128`, `__float128` | `unsigned INT128`, a type that the parser knows; `_Float128` |
//! | `_Thread_local`, `__thread`, `;` between declarations | nothing |
//! | C23: `nullptr`, `bool`, `true`, `constexpr`, `alignas`, `1'000` and so on | their meaning in C11 |
//!
//! A text without such a construct is not changed. What is not understood here stays as it is, and the parser
//! refuses it. Threads are not supported, so a variable for each thread is one variable.
//!
//! Words in capitals stand for the names below, which begin with `__palisade_`. The lowering gives them their
//! meaning; [`for_compiler`] turns them back for gcc.
//!
//! Invariants: an edit keeps the number of lines; edits are in the order of the text and do not overlap.
//!
//! Modules: `labels`, `attributes`; the rest is here.
//!
//! Entry points: [`edits`], [`renamed`], [`without_separators`], [`with_letters`], [`for_compiler`].

mod attributes;
mod labels;

use std::borrow::Cow;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::source::raw_byte;
use crate::tokens::{Token, tokens, typedef_names};

/// The value of the condition, between `?` and `:`.
pub(crate) const SAME: &str = "__palisade_same";
/// Begins the name that stands for the address of a label.
pub(crate) const LABEL: &str = "__palisade_label_";
/// Stands behind the name of a label that only its block knows.
pub(crate) const LOCAL: &str = "__palisade_local_";
/// A call of it is a computed `goto`.
pub(crate) const GOTO: &str = "__palisade_goto";
/// A call of it asks whether the types in two `sizeof`s are compatible.
pub(crate) const COMPATIBLE: &str = "__palisade_compatible";
/// A call of it asks for the alignment of an expression.
pub(crate) const ALIGNMENT: &str = "__palisade_alignment";
/// Stands for `__int128`: a floating-point type that the parser knows and no compiler for this machine has.
const INT128: &str = "_Float16x";
/// Begins the name of a variable whose initialiser names another one of its name, until it is in scope.
const OWN: &str = "__palisade_own_";
/// The `sizeof` around such a type. The preprocessor never writes blanks like these.
const TYPE: &str = "sizeof \t (";

/// A part of a text that is replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Edit {
    /// Where it begins.
    pub(crate) at: usize,
    /// How many bytes are replaced.
    pub(crate) len: usize,
    /// By what.
    pub(crate) text: String,
}

/// The edits of a text without comments.
pub(crate) fn edits(text: &str, c23: bool) -> Vec<Edit> {
    let tokens = tokens(text);
    let types = typedef_names(&tokens);
    let mut pass = Pass { text, tokens: &tokens, types: &types, c23, out: Vec::new() };
    pass.run();
    pass.local_labels();
    let mut out = pass.out;
    out.sort_by_key(|e| (e.at, e.len));
    // What is inside another edit is part of that one.
    let mut end = 0;
    out.retain(|e| {
        let keep = e.at >= end;
        end = end.max(e.at + e.len);
        keep
    });
    out
}

/// A text without its line breaks and line markers.
fn on_one_line(text: &str) -> String {
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|l| !l.starts_with('#')).collect();
    lines.join(" ").trim().to_string()
}

/// The text after its edits.
fn edited(text: &str, c23: bool) -> String {
    let (mut out, mut done) = (String::new(), 0);
    for e in edits(text, c23) {
        out.push_str(&text[done..e.at]);
        out.push_str(&e.text);
        done = e.at + e.len;
    }
    out + &text[done..]
}

/// A text of ours with the name of `__int128`. Literals stay as they are.
fn spelled_int128(text: &str) -> String {
    let (mut out, mut done) = (String::with_capacity(text.len()), 0);
    for t in tokens(text).iter().filter(|t| t.text == INT128) {
        out.push_str(&text[done..t.at]);
        out.push_str("__int128");
        done = t.end();
    }
    out + &text[done..]
}

/// A text of ours as the compiler knows it.
pub(crate) fn for_compiler(text: &str) -> Cow<'_, str> {
    if !text.contains("__palisade_") && !text.contains(INT128) {
        return text.into();
    }
    let goto = format!("{GOTO}(");
    let text = spelled_int128(text);
    let text = text.replace(SAME, "").replace(LABEL, "&&").replace(&goto, "goto *(");
    let text = text.replace(ALIGNMENT, "__alignof__");
    text.replace(COMPATIBLE, "__builtin_types_compatible_p").replace(TYPE, "__typeof__(").into()
}

/// A preprocessed text with letters instead of the escapes that gcc writes for them in names.
pub(crate) fn with_letters(text: String) -> String {
    if !text.contains("\\U") {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut done = 0;
    for token in tokens(&text).into_iter().filter(|t| t.text == "\\") {
        let digits = text.get(token.end() + 1..token.end() + 9).filter(|_| token.end() >= done);
        let code = digits.filter(|_| text[token.end()..].starts_with('U'));
        let letter = code.and_then(|d| char::from_u32(u32::from_str_radix(d, 16).ok()?));
        if let Some(letter) = letter.filter(|c| *c >= '\u{a0}') {
            out.push_str(&text[done..token.at]);
            out.push(letter);
            done = token.end() + 9;
        }
    }
    out + &text[done..]
}

/// The beginning of a letter in a name that the parser does not take.
const LETTER: &str = "_Zx";

/// The names that edits changed into others, by the new ones.
pub(crate) fn renamed(text: &str, edits: &[Edit]) -> FxHashMap<String, String> {
    let is_plain = |s: &str| s.bytes().all(|b| b == b'_' || b.is_ascii_alphanumeric());
    let written = |e: &Edit| text[e.at..e.at + e.len].to_string();
    let other = edits.iter().filter(|e| e.text.contains(LETTER) && is_plain(&e.text));
    other.map(|e| (e.text.clone(), written(e))).filter(|(_, w)| !w.is_empty() && !is_plain(w)).collect()
}

/// Numbers of C23 without the quotes between their digits; blanks behind them keep the offsets of the rest.
pub(crate) fn without_separators(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = bytes.to_vec();
    let mut i = 0;
    while i < bytes.len() {
        match bytes[i] {
            b'"' | b'\'' => i = crate::source::literal_end(bytes, i) + 1,
            b'/' if bytes.get(i + 1) == Some(&b'/') => {
                i += text[i..].find('\n').unwrap_or(text.len() - i);
            }
            b'/' if bytes.get(i + 1) == Some(&b'*') => {
                i += text[i + 2..].find("*/").map_or(text.len() - i, |n| n + 4);
            }
            c if c.is_ascii_alphanumeric() || c == b'_' => {
                let word = |b: u8| b.is_ascii_alphanumeric() || b == b'_';
                let begin = i;
                let at = |i: usize| bytes.get(i).copied().unwrap_or(b' ');
                while word(at(i)) || (c.is_ascii_digit() && at(i) == b'\'' && word(at(i + 1))) {
                    i += 1;
                }
                let digits: Vec<u8> = bytes[begin..i].iter().copied().filter(|b| *b != b'\'').collect();
                out[begin..i].fill(b' ');
                out[begin..begin + digits.len()].copy_from_slice(&digits);
            }
            _ => i += 1,
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_string())
}

struct Pass<'a, 't> {
    text: &'t str,
    tokens: &'a [Token<'t>],
    types: &'a FxHashSet<&'t str>,
    c23: bool,
    out: Vec<Edit>,
}

impl<'t> Pass<'_, 't> {
    fn word(&self, i: usize) -> &'t str {
        self.tokens.get(i).map_or("", |t| t.text)
    }

    /// Do the two tokens from here on stand side by side?
    fn adjacent(&self, i: usize) -> bool {
        self.tokens.get(i + 1).is_some_and(|next| next.at == self.tokens[i].end())
    }

    /// Replaces what stands between two offsets. Lines stay.
    fn replace(&mut self, from: usize, to: usize, text: &str) {
        let lines = self.text[from..to].matches('\n').count();
        let text = format!("{text}{}", "\n".repeat(lines));
        self.out.push(Edit { at: from, len: to - from, text });
    }

    fn replace_word(&mut self, i: usize, text: &str) {
        let t = self.tokens[i];
        self.replace(t.at, t.end(), text);
    }

    /// Replaces by blanks.
    fn blank(&mut self, from: usize, to: usize) {
        let blank = |c: char| if c == '\n' { "\n".to_string() } else { " ".repeat(c.len_utf8()) };
        let text = self.text[from..to].chars().map(blank).collect();
        self.out.push(Edit { at: from, len: to - from, text });
    }

    /// The token that closes the bracket here.
    fn closing(&self, open: usize) -> Option<usize> {
        let mut depth = 0usize;
        for i in open..self.tokens.len() {
            match self.word(i) {
                "(" | "[" | "{" => depth += 1,
                ")" | "]" | "}" => depth = depth.checked_sub(1)?,
                _ => {}
            }
            if depth == 0 {
                return Some(i);
            }
        }
        None
    }

    /// The first token from here on that is one of these and in no bracket.
    fn find(&self, mut i: usize, wanted: &[&str]) -> Option<usize> {
        while i < self.tokens.len() {
            match self.word(i) {
                w if wanted.contains(&w) => return Some(i),
                "(" | "[" | "{" => i = self.closing(i)? + 1,
                ")" | "]" | "}" => return None,
                _ => i += 1,
            }
        }
        None
    }

    fn between(&self, first: usize, behind: usize) -> &'t str {
        &self.text[self.tokens[first].at..self.tokens[behind].at]
    }

    fn run(&mut self) {
        // For every open brace: is it that of a struct, and is it that of a function body?
        let mut braces: Vec<(bool, bool)> = Vec::new();
        let mut closed_body = true;
        let mut i = 0;
        while i < self.tokens.len() {
            let word = self.word(i);
            let outside = braces.is_empty();
            match word {
                "{" => {
                    braces.push((self.opens_record(i), self.opens_body(i)));
                    if self.word(i + 1) == "}" && self.is_literal(i) {
                        let at = self.tokens[i + 1].at;
                        self.replace(at, at, "0");
                    }
                }
                "}" => closed_body = braces.pop().is_some_and(|b| b.1),
                ";" if outside && closed_body && self.between_declarations(i) => {
                    self.blank(self.tokens[i].at, self.tokens[i].end());
                }
                "__attribute__" | "__attribute" => self.attribute(i),
                "[" if self.word(i + 1) == "[" => i = self.standard_attribute(i),
                "<" | ":" | "%" if self.adjacent(i) => self.digraph(i),
                "?" if self.word(i + 1) == ":" => {
                    let at = self.tokens[i + 1].at;
                    self.replace(at, at, &format!("{SAME} "));
                }
                "&" if self.word(i + 1) == "&" && self.adjacent(i) => {
                    self.label_address(i);
                    i += 1;
                }
                "goto" if self.word(i + 1) == "*" => self.computed_goto(i),
                "_Static_assert" => self.static_assert(i),
                "static_assert" if self.c23 => {
                    self.replace_word(i, "_Static_assert");
                    self.static_assert(i);
                }
                "_Thread_local" | "__thread" => self.blank(self.tokens[i].at, self.tokens[i].end()),
                "_Alignas" => self.align_as(i, braces.last().is_some_and(|b| b.0)),
                "alignas" if self.c23 => self.align_as(i, braces.last().is_some_and(|b| b.0)),
                "sizeof" => self.size_of_literal(i),
                "__alignof__" | "__alignof" => self.alignment(i),
                "__auto_type" => self.auto(i),
                "auto" if self.c23 && self.word(i + 2) == "=" => self.auto(i),
                "__float128" => self.replace_word(i, "_Float128"),
                // No compiler for this machine has it.
                INT128 => self.replace_word(i, "_Float128x"),
                "__int128" | "__int128_t" => self.replace_word(i, INT128),
                "__uint128_t" => self.replace_word(i, &format!("unsigned {INT128}")),
                "__builtin_types_compatible_p" => self.compatible(i),
                _ if self.c23 && self.keyword_of_c23(word).is_some() => {
                    let meaning = self.keyword_of_c23(word).unwrap_or_default();
                    self.replace_word(i, meaning);
                }
                _ => {}
            }
            if word == ":" {
                self.behind_label(i);
            }
            let literal = word.starts_with(['"', '\'']);
            if literal && word.contains('\\') {
                self.escapes(i);
            }
            if word == "\\" || (!literal && word.contains(|c: char| c == '$' || !c.is_ascii())) {
                i = self.name(i);
            }
            i += 1;
        }
    }

    /// `sizeof (int[]){1, 2}`: the parser takes the type for all of the operand.
    fn size_of_literal(&mut self, i: usize) {
        let Some(behind) = self.closing(i + 1).filter(|_| self.word(i + 1) == "(") else { return };
        if self.word(behind + 1) == "{"
            && let Some(last) = self.closing(behind + 1)
        {
            let (from, to) = (self.tokens[i + 1].at, self.tokens[last].end());
            self.replace(from, from, "(");
            self.replace(to, to, ")");
        }
    }

    /// `__alignof__` of an expression: the parser knows that of a type.
    fn alignment(&mut self, i: usize) {
        let names_type = |k: usize| {
            let tag = matches!(self.word(k), "struct" | "union" | "enum" | "const" | "volatile");
            tag || self.is_type(k) || self.word(k).starts_with("__typeof") || self.word(k) == "typeof"
        };
        if self.word(i + 1) == "(" && (names_type(i + 2) || self.word(i + 2).starts_with("__extension")) {
            return;
        }
        let mut k = i + 1;
        while matches!(self.word(k), "*" | "&" | "!" | "~" | "-" | "+") {
            k += 1;
        }
        let operand = self.tokens.get(k).is_some_and(|t| t.is_name() || t.text.starts_with(['"', '(']));
        if !operand {
            return;
        }
        let mut last = k;
        if self.word(k) == "(" {
            let Some(close) = self.closing(k) else { return };
            last = close;
        }
        loop {
            last = match self.word(last + 1) {
                "(" | "[" => match self.closing(last + 1) {
                    Some(close) => close,
                    None => return,
                },
                "." => last + 2,
                "-" if self.word(last + 2) == ">" && self.adjacent(last + 1) => last + 3,
                _ => break,
            };
        }
        // One argument, which may be a comma expression.
        let (from, to) = (self.tokens[i + 1].at, self.tokens[last].end());
        self.replace_word(i, &format!("{ALIGNMENT}("));
        self.replace(from, from, " ");
        self.replace(to, to, ")");
    }

    /// What a keyword of C23 is in C11. A name behind `.` or `->` is a member, and no keyword was allowed
    /// there.
    fn keyword_of_c23(&self, word: &str) -> Option<&'static str> {
        Some(match word {
            "nullptr" => "((void *)0)",
            "bool" => "_Bool",
            "true" => "((_Bool)1)",
            "false" => "((_Bool)0)",
            "alignof" => "_Alignof",
            "thread_local" => "",
            "constexpr" => "const",
            "typeof" | "typeof_unqual" => "__typeof__",
            _ => return None,
        })
    }

    /// Does this brace open a struct or union?
    fn opens_record(&self, i: usize) -> bool {
        let mut k = i;
        // Attributes and the tag stand between the keyword and the brace.
        while k > 0 {
            k -= 1;
            match self.word(k) {
                "struct" | "union" => return true,
                ")" => {
                    let Some(open) = self.opening(k) else { return false };
                    if open == 0 || !self.word(open - 1).starts_with("__attribute") {
                        return false;
                    }
                    k = open - 1;
                }
                "]" => match self.opening(k) {
                    Some(open) => k = open,
                    None => return false,
                },
                _ if self.tokens[k].is_name() => {}
                _ => return false,
            }
        }
        false
    }

    fn opening(&self, close: usize) -> Option<usize> {
        let mut depth = 0usize;
        for i in (0..=close).rev() {
            match self.word(i) {
                ")" | "]" | "}" => depth += 1,
                "(" | "[" | "{" => depth = depth.checked_sub(1)?,
                _ => {}
            }
            if depth == 0 {
                return Some(i);
            }
        }
        None
    }

    /// Does this brace open the body of a function, if it stands outside of all others?
    fn opens_body(&self, i: usize) -> bool {
        match i.checked_sub(1).map(|k| (k, self.word(k))) {
            // Before the parameters stands a name, or another parenthesis; before a compound literal neither.
            Some((k, ")")) => {
                let before = |close: usize| self.opening(close).and_then(|open| open.checked_sub(1));
                let mut behind = before(k);
                // Attributes stand behind the parameters, and behind `enum`.
                while let Some(w) =
                    behind.filter(|&w| matches!(self.word(w), "__attribute__" | "__attribute"))
                {
                    behind = match w.checked_sub(1) {
                        Some(close) if self.word(close) == ")" => before(close),
                        other => other,
                    };
                }
                let declarator = |w: usize| self.tokens[w].is_name() || self.word(w) == ")";
                !self.opens_record(i) && behind.is_some_and(|w| self.word(w) != "enum" && declarator(w))
            }
            Some((_, ";")) => true,
            _ => false,
        }
    }

    /// Does this brace begin the list of a compound literal, `(struct s){`?
    fn is_literal(&self, i: usize) -> bool {
        let Some(close) = i.checked_sub(1).filter(|&k| self.word(k) == ")") else { return false };
        let Some(open) = self.opening(close) else { return false };
        let is_type = self.is_type(open + 1) || matches!(self.word(open + 1), "struct" | "union" | "enum");
        let behind_operator = match open.checked_sub(1) {
            Some(k) => {
                let w = self.word(k);
                w == "return" || !(self.tokens[k].is_name() || matches!(w, ")" | "]" | "}"))
            }
            None => false,
        };
        is_type && behind_operator && self.word(close - 1) != "]"
    }

    /// Is the `;` here, outside of all braces, a declaration by itself?
    fn between_declarations(&self, i: usize) -> bool {
        match i.checked_sub(1) {
            None => true,
            Some(k) => matches!(self.word(k), ";" | "}"),
        }
    }

    fn digraph(&mut self, i: usize) {
        let shift = i > 0 && self.word(i - 1) == "<" && self.adjacent(i - 1);
        let text = match (self.word(i), self.word(i + 1)) {
            ("<", ":") if !shift => "[ ",
            ("<", "%") if !shift => "{ ",
            (":", ">") => "] ",
            ("%", ">") => "} ",
            _ => return,
        };
        self.replace(self.tokens[i].at, self.tokens[i + 1].end(), text);
    }

    fn static_assert(&mut self, i: usize) {
        if self.word(i + 1) != "(" {
            return;
        }
        let Some(close) = self.closing(i + 1) else { return };
        if self.find(i + 2, &[","]).is_none() {
            let at = self.tokens[close].at;
            self.replace(at, at, ", \"\"");
        }
    }

    /// The type of the initialiser, as a value.
    fn auto(&mut self, i: usize) {
        let Some(equals) = self.find(i, &["=", ";"]).filter(|&k| self.word(k) == "=") else { return };
        let Some(end) = self.find(equals + 1, &[";", ","]) else { return };
        if self.word(end) == "," {
            return;
        }
        let value = on_one_line(&edited(self.between(equals + 1, end), self.c23));
        self.replace_word(i, &format!("__typeof__((0, {value})) "));
        // The scope of the name begins behind the initialiser: there it is that of something else.
        let name = self.word(equals - 1).to_string();
        let is_member = |k: usize| matches!(self.word(k - 1), "." | "->");
        if (equals + 1..end).any(|k| self.word(k) == name && !is_member(k)) {
            let own = format!("{OWN}{name}");
            self.replace_word(equals - 1, &own);
            let behind = self.tokens[end].at;
            self.replace(behind, behind, &format!(", {name} = {own}"));
        }
    }

    fn compatible(&mut self, i: usize) {
        let Some(close) = Some(i + 1).filter(|k| self.word(*k) == "(").and_then(|k| self.closing(k)) else {
            return;
        };
        let Some(comma) = self.find(i + 2, &[","]) else { return };
        let type_text = |text: &str| format!("{TYPE}{})", on_one_line(&edited(text, self.c23)));
        let first = type_text(self.between(i + 2, comma));
        let second = type_text(self.between(comma + 1, close));
        self.replace(
            self.tokens[i].at,
            self.tokens[close].end(),
            &format!("{COMPATIBLE}({first}, {second})"),
        );
    }

    /// Does a type begin here, by a keyword or by the name of one?
    fn is_type(&self, i: usize) -> bool {
        let word = self.word(i);
        crate::implicit_int::is_keyword(word) || self.types.contains(word)
    }

    /// `\u00e9` and `\U000000e9` in a literal: the characters themselves. gcc's `\e`: its number.
    fn escapes(&mut self, i: usize) {
        let token = self.tokens[i];
        let mut rest = token.text;
        while let Some(k) = rest.find('\\') {
            let at = token.end() - rest.len() + k;
            let digits = match rest.as_bytes().get(k + 1) {
                Some(b'e' | b'E') => {
                    self.replace(at, at + 2, "\\033");
                    0
                }
                Some(b'u') => 4,
                Some(b'U') => 8,
                _ => 0,
            };
            let code = rest.get(k + 2..k + 2 + digits).filter(|_| digits > 0);
            let code = code.and_then(|d| u32::from_str_radix(d, 16).ok()).and_then(char::from_u32);
            // C11 6.4.3: of the characters below U+00A0 only three may be written so.
            let allowed = |c: &char| (*c >= '\u{a0}' || "$@`".contains(*c)) && raw_byte(*c).is_none();
            if let Some(c) = code.filter(allowed) {
                self.replace(at, at + 2 + digits, &c.to_string());
            }
            let behind = k + 2 + digits;
            rest = rest.get(behind..).or(rest.get(k + 2..)).unwrap_or("");
        }
    }

    /// A name with `$`, other letters or `\u00e9`. Gives its last token.
    fn name(&mut self, i: usize) -> usize {
        let mut first = i;
        if self.word(i) == "\\" && i > 0 && self.adjacent(i - 1) && self.tokens[i - 1].is_name() {
            first = i - 1;
        }
        let mut last = first;
        while self.adjacent(last) && (self.word(last + 1) == "\\" || self.word(last) == "\\") {
            last += 1;
        }
        let (from, to) = (self.tokens[first].at, self.tokens[last].end());
        let mut plain = String::new();
        let mut rest = &self.text[from..to];
        while let Some(c) = rest.chars().next() {
            let escape =
                rest.strip_prefix("\\u").map(|r| (r, 4)).or(rest.strip_prefix("\\U").map(|r| (r, 8)));
            if let Some((digits, n)) = escape {
                let Some(code) = digits.get(..n).and_then(|d| u32::from_str_radix(d, 16).ok()) else {
                    return last;
                };
                plain.push_str(&format!("{LETTER}{code:x}_"));
                rest = &digits[n..];
                continue;
            }
            match c {
                _ if raw_byte(c).is_some() || c == '\\' => return last,
                _ if c.is_ascii_alphanumeric() || c == '_' => plain.push(c),
                _ => plain.push_str(&format!("{LETTER}{:x}_", u32::from(c))),
            }
            rest = &rest[c.len_utf8()..];
        }
        // A name that is written so stays apart from this one: the parser refuses this one.
        let written = |t: &Token<'_>| t.text.contains(LETTER);
        if !plain.starts_with(|c: char| c.is_ascii_digit()) && !self.tokens.iter().any(written) {
            self.replace(from, to, &plain);
        }
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_the_parser_does_not_know_is_rewritten() {
        for (text, expected) in [
            ("int f(void) __attribute__( ( noreturn ) );", "int f(void) __attribute__ (( noreturn )) ;"),
            ("x = a ?: b;", "x = a ?__palisade_same : b;"),
            ("goto *t[i]; l: ;", "__palisade_goto(t[i]); l: ;"),
            ("{ p = &&l; a = b && c; l: ; }", "{ p = __palisade_label_l; a = b && c; l: ; }"),
            ("int a$b;", "int a_Zx24_b;"),
            ("int \u{e9}, \\u00e9;", "int _Zxe9_, _Zxe9_;"),
            ("[[nodiscard]] int f(void);", "__attribute__((warn_unused_result))  int f(void);"),
            ("x = sizeof (int[]){1}[0] + sizeof (y);", "x = sizeof ((int[]){1})[0] + sizeof (y);"),
            ("_Static_assert(f(1, 2));", "_Static_assert(f(1, 2), \"\");"),
            ("{ case 1: int x; }", "{ case 1: ;int x; }"),
            ("{ l: }", "{ l: ;}"),
            ("int a<:2:>;", "int a[ 2] ;"),
            ("\"\\u00e9\\\\u00e9\\u0022\"", "\"\u{e9}\\\\u00e9\\u0022\""),
            (";;int x;; int f(void) {}; struct s {};", "  int x;  int f(void) {}  struct s {};"),
            ("x = (struct s){}; p = (int[]){1};", "x = (struct s){0}; p = (int[]){1};"),
            ("__auto_type x = f(1);", "__typeof__((0, f(1)))  x = f(1);"),
            ("__auto_type x = (\n# 4 \"x.c\"\n1);", "__typeof__((0, ( 1)))  x = (\n# 4 \"x.c\"\n1);"),
            (
                "__auto_type x = x + y;",
                "__typeof__((0, x + y))  __palisade_own_x = x + y, x = __palisade_own_x;",
            ),
        ] {
            assert_eq!(edited(text, false), expected);
        }
        let c23 = "bool b = true; int *p = nullptr; constexpr int n = 1;";
        let c11 = "_Bool b = ((_Bool)1); int *p = ((void *)0); const int n = 1;";
        assert_eq!(edited(c23, true), c11);
        assert_eq!(edited(c23, false), c23);
        assert_eq!(without_separators("1'000 + '\\'' + 0x1'0"), "1000  + '\\'' + 0x10 ");
    }

    #[test]
    fn plain_c_stays_as_it_is() {
        for text in [
            "int f(int a, int b) { return a && b ? a : b; } struct s { int a : 3; int : 0; };",
            "int g(void) { return f () && x; } int h(void) {} struct t {} ;",
            "{ if (x++ && l) y = z-- && l; goto l; l: ; }",
            "double d = 1. && x; l: goto l; int a = b&&c; char *s = \"$ ?: [[x]] \u{e9}\";",
            "int x = c ? (int) a : (char) b; switch (x) { case 1: { int y; } default: x = 2; }",
            "typedef struct { int n; } T; T *f(T (*g)(void)); unsigned __attribute__((unused)) k;",
            "int a[2][2]; int b = a[a[0][1]][0]; int c = x<<y; int d = x < y; int e = a % b;",
        ] {
            assert_eq!(edited(text, false), text);
            assert_eq!(edits(text, true).len(), 0, "{text}");
        }
    }

    #[test]
    fn the_compiler_sees_what_was_written() {
        for text in [
            "{ x = a ?: b; goto *t[i]; p = &&l; l: ; }",
            "__builtin_types_compatible_p(int, char)",
            "unsigned __int128 x = sizeof \"_Float16x\";",
        ] {
            let back = for_compiler(&edited(text, false)).replace([' ', '\t'], "");
            let plain = text.replace(' ', "").replace("goto*t[i]", "goto*(t[i])");
            let plain = plain.replace("(int,char)", "(__typeof__(int),__typeof__(char))");
            assert_eq!(back, plain);
        }
    }

    #[test]
    fn positions_lead_back_to_the_text_as_given() {
        let s = crate::source::Source::new("x.c", "int a$b = c ?: d; int e;\nint (f)(int g);\n");
        let at = |needle: &str| s.position(s.text.find(needle).expect("it is there")).to_string();
        assert_eq!((at("d; int"), at("e;\n").as_str()), ("x.c:1:16".to_string(), "x.c:1:23"));
        assert_eq!(at("g)"), "x.c:2:13");
        let from = s.text.find("a_Zx24_b").expect("the name");
        assert_eq!(s.snippet(from, s.text.find("; int e").expect("the end")), "a$b = c ?: d");
        assert_eq!(s.end_position(from + "a_Zx24_b".len()).to_string(), "x.c:1:8");
    }
}
