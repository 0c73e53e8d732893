//! S-expressions with a position on every node.
//!
//! A [`Tree`] holds all expressions of a text in flat vectors; a [`Sexpr`] is a copyable view of one node.
//! Reading, walking and dropping are iterative, so nesting depth is bounded by memory only.
//!
//! The lexical rules are those of SMT-LIB 2.7, read generously where no ambiguity can arise: simple symbols
//! may contain any character that does not end a token, and numerals may have leading zeros.

use std::borrow::Cow;
use std::fmt;

use crate::error::Error;
use crate::position::Pos;

/// What a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// `abc` or `|any text|`; [`Sexpr::text`] is without the bars.
    Symbol,
    /// `:abc`; [`Sexpr::text`] is with the colon.
    Keyword,
    /// `123`.
    Numeral,
    /// `1.25`.
    Decimal,
    /// `#x1f`; [`Sexpr::text`] is the digits alone.
    Hex,
    /// `#b01`; [`Sexpr::text`] is the digits alone.
    Binary,
    /// `"text"`; [`Sexpr::text`] is between the quotes, with doubled quotes still doubled.
    String,
    /// `( ... )`.
    List,
}

/// For atoms, `start..end` is a range of the text; for lists, of [`Tree::children`].
#[derive(Clone, Copy)]
struct Node {
    kind: Kind,
    start: u32,
    end: u32,
    pos: Pos,
}

/// All S-expressions of a text.
pub struct Tree<'s> {
    text: &'s str,
    nodes: Vec<Node>,
    children: Vec<u32>,
    roots: Vec<u32>,
}

/// One S-expression of a [`Tree`].
#[derive(Clone, Copy)]
pub struct Sexpr<'t> {
    tree: &'t Tree<'t>,
    id: u32,
}

/// Does this byte end a simple token?
fn ends_token(b: u8) -> bool {
    b.is_ascii_whitespace() || matches!(b, b'(' | b')' | b';' | b'"' | b'|') || b == 0x0b
}

struct Lexer<'s> {
    text: &'s str,
    at: usize,
    pos: Pos,
}

impl<'s> Lexer<'s> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn advance(&mut self) {
        let b = self.text.as_bytes()[self.at];
        self.at += 1;
        if b == b'\n' {
            self.pos.line += 1;
            self.pos.column = 1;
        } else if b & 0xc0 != 0x80 {
            self.pos.column += 1; // continuation bytes of a character are not columns
        }
    }

    fn skip_blanks(&mut self) {
        while let Some(b) = self.peek() {
            match b {
                b';' => {
                    while self.peek().is_some_and(|b| b != b'\n') {
                        self.advance();
                    }
                }
                b if b.is_ascii_whitespace() || b == 0x0b => self.advance(),
                _ => return,
            }
        }
    }

    fn skip_token(&mut self) {
        while self.peek().is_some_and(|b| !ends_token(b)) {
            self.advance();
        }
    }

    /// Reads up to the closing mark; the opening one is at the current position.
    fn delimited(&mut self, mark: u8, what: &str) -> Result<(usize, usize), Error> {
        let open = self.pos;
        self.advance();
        let start = self.at;
        loop {
            match self.peek() {
                None => return Err(Error::malformed(open, format!("this {what} is never closed"))),
                Some(b) if b == mark => {
                    let end = self.at;
                    self.advance();
                    // In a string, a doubled quote stands for one quote.
                    if mark == b'"' && self.peek() == Some(b'"') {
                        self.advance();
                        continue;
                    }
                    return Ok((start, end));
                }
                Some(_) => self.advance(),
            }
        }
    }

    /// Reads the atom at the current position.
    fn atom(&mut self) -> Result<Node, Error> {
        let pos = self.pos;
        let first = self.peek().expect("called at a character");
        let (kind, start, end) = match first {
            b'|' => {
                let (s, e) = self.delimited(b'|', "quoted symbol")?;
                (Kind::Symbol, s, e)
            }
            b'"' => {
                let (s, e) = self.delimited(b'"', "string")?;
                (Kind::String, s, e)
            }
            _ => {
                let start = self.at;
                self.skip_token();
                self.classify(start, pos)?
            }
        };
        Ok(Node { kind, start: start as u32, end: end as u32, pos })
    }

    fn classify(&self, start: usize, pos: Pos) -> Result<(Kind, usize, usize), Error> {
        let text = &self.text[start..self.at];
        let end = self.at;
        let bad = |what: &str| Err(Error::malformed(pos, format!("`{}` is not a {what}", shorten(text))));
        let all = |t: &str, ok: fn(&u8) -> bool| !t.is_empty() && t.as_bytes().iter().all(ok);
        match text.as_bytes()[0] {
            b':' if text.len() == 1 => bad("keyword"),
            b':' => Ok((Kind::Keyword, start, end)),
            b'#' => match text.as_bytes().get(1) {
                Some(b'x') if all(&text[2..], u8::is_ascii_hexdigit) => Ok((Kind::Hex, start + 2, end)),
                Some(b'b') if all(&text[2..], |b| matches!(b, b'0' | b'1')) => {
                    Ok((Kind::Binary, start + 2, end))
                }
                _ => bad("bit-vector constant (#x and hexadecimal digits, or #b and binary digits)"),
            },
            b'0'..=b'9' => match text.split_once('.') {
                None if all(text, u8::is_ascii_digit) => Ok((Kind::Numeral, start, end)),
                Some((w, f)) if all(w, u8::is_ascii_digit) && all(f, u8::is_ascii_digit) => {
                    Ok((Kind::Decimal, start, end))
                }
                _ => bad("number"),
            },
            _ => Ok((Kind::Symbol, start, end)),
        }
    }
}

/// The text, cut to a length fit for a message.
pub(crate) fn shorten(text: &str) -> Cow<'_, str> {
    const LIMIT: usize = 60;
    match text.char_indices().nth(LIMIT) {
        None => Cow::Borrowed(text),
        Some((i, _)) => Cow::Owned(format!("{}...", &text[..i])),
    }
}

impl<'s> Tree<'s> {
    /// Reads all S-expressions of a text.
    pub fn parse(text: &'s str) -> Result<Tree<'s>, Error> {
        if u32::try_from(text.len()).is_err() {
            return Err(Error::unsupported(Pos::START, "the text is larger than 4 GB"));
        }
        let mut tree = Tree { text, nodes: Vec::new(), children: Vec::new(), roots: Vec::new() };
        let mut lexer = Lexer { text, at: 0, pos: Pos::START };
        // Finished nodes whose list is still open; each open list is its position and where its items begin.
        let mut items: Vec<u32> = Vec::new();
        let mut open: Vec<(Pos, usize)> = Vec::new();
        loop {
            lexer.skip_blanks();
            let node = match lexer.peek() {
                None => break,
                Some(b'(') => {
                    open.push((lexer.pos, items.len()));
                    lexer.advance();
                    continue;
                }
                Some(b')') => {
                    let Some((pos, first)) = open.pop() else {
                        return Err(Error::malformed(
                            lexer.pos,
                            "a closing parenthesis without an opening one",
                        ));
                    };
                    lexer.advance();
                    let start = tree.children.len() as u32;
                    tree.children.extend(items.drain(first..));
                    Node { kind: Kind::List, start, end: tree.children.len() as u32, pos }
                }
                Some(_) => lexer.atom()?,
            };
            tree.nodes.push(node);
            let id = tree.nodes.len() as u32 - 1;
            if open.is_empty() { tree.roots.push(id) } else { items.push(id) }
        }
        match open.pop() {
            Some((pos, _)) => Err(Error::malformed(pos, "this parenthesis is never closed")),
            None => Ok(tree),
        }
    }

    /// The text it was read from.
    pub fn source(&self) -> &'s str {
        self.text
    }

    /// The expressions at the top, in order.
    pub fn roots<'t>(&'t self) -> impl ExactSizeIterator<Item = Sexpr<'t>> + use<'t, 's> {
        let tree: &'t Tree<'t> = self;
        self.roots.iter().map(move |&id| Sexpr { tree, id })
    }

    /// Every node, inner ones first.
    pub fn all_nodes<'t>(&'t self) -> impl ExactSizeIterator<Item = Sexpr<'t>> + use<'t, 's> {
        let tree: &'t Tree<'t> = self;
        (0..self.nodes.len() as u32).map(move |id| Sexpr { tree, id })
    }
}

impl<'t> Sexpr<'t> {
    fn node(self) -> &'t Node {
        &self.tree.nodes[self.id as usize]
    }

    /// Is it a list, a symbol, a number, ...?
    pub fn kind(self) -> Kind {
        self.node().kind
    }

    /// Where it begins.
    pub fn pos(self) -> Pos {
        self.node().pos
    }

    /// The text of an atom (see [`Kind`]); empty for a list.
    pub fn text(self) -> &'t str {
        let n = self.node();
        if n.kind == Kind::List { "" } else { &self.tree.text[n.start as usize..n.end as usize] }
    }

    /// The text of a symbol.
    pub fn symbol(self) -> Option<&'t str> {
        (self.kind() == Kind::Symbol).then(|| self.text())
    }

    /// Is it this symbol?
    pub fn is_symbol(self, name: &str) -> bool {
        self.symbol() == Some(name)
    }

    /// The text of a keyword, with its colon.
    pub fn keyword(self) -> Option<&'t str> {
        (self.kind() == Kind::Keyword).then(|| self.text())
    }

    /// The meaning of a string, doubled quotes undone.
    pub fn string(self) -> Option<Cow<'t, str>> {
        (self.kind() == Kind::String).then(|| match self.text() {
            t if t.contains("\"\"") => Cow::Owned(t.replace("\"\"", "\"")),
            t => Cow::Borrowed(t),
        })
    }

    /// The value of a numeral that fits.
    pub fn index(self) -> Option<u32> {
        if self.kind() == Kind::Numeral { self.text().parse().ok() } else { None }
    }

    /// The items of a list.
    pub fn list(self) -> Option<Items<'t>> {
        (self.kind() == Kind::List).then(|| self.items())
    }

    /// The items of a list; none for an atom.
    pub fn items(self) -> Items<'t> {
        let n = self.node();
        let ids =
            if n.kind == Kind::List { &self.tree.children[n.start as usize..n.end as usize] } else { &[] };
        Items { tree: self.tree, ids }
    }

    /// If it is a list that begins with this symbol, all its items.
    pub fn form(self, head: &str) -> Option<Items<'t>> {
        self.list().filter(|items| items.first().is_some_and(|h| h.is_symbol(head)))
    }
}

impl fmt::Debug for Sexpr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} {:?} at {}", self.kind(), self.text(), self.pos())
    }
}

impl fmt::Display for Sexpr<'_> {
    /// SMT-LIB notation, on one line.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        enum Work<'t> {
            Node(Sexpr<'t>),
            Text(&'static str),
        }
        let mut stack = vec![Work::Node(*self)];
        while let Some(work) = stack.pop() {
            let s = match work {
                Work::Text(t) => {
                    f.write_str(t)?;
                    continue;
                }
                Work::Node(s) => s,
            };
            match s.kind() {
                Kind::Symbol => f.write_str(&crate::names::quote(s.text()))?,
                Kind::Keyword | Kind::Numeral | Kind::Decimal => f.write_str(s.text())?,
                Kind::Hex => write!(f, "#x{}", s.text())?,
                Kind::Binary => write!(f, "#b{}", s.text())?,
                Kind::String => write!(f, "\"{}\"", s.text())?,
                Kind::List => {
                    f.write_str("(")?;
                    stack.push(Work::Text(")"));
                    for (i, item) in s.items().iter().enumerate().rev() {
                        stack.push(Work::Node(item));
                        if i > 0 {
                            stack.push(Work::Text(" "));
                        }
                    }
                }
            }
        }
        Ok(())
    }
}

/// The items of a list: a copyable slice of nodes.
#[derive(Clone, Copy)]
pub struct Items<'t> {
    tree: &'t Tree<'t>,
    ids: &'t [u32],
}

impl<'t> Items<'t> {
    /// The number of items.
    pub fn len(self) -> usize {
        self.ids.len()
    }

    /// Is the list empty?
    pub fn is_empty(self) -> bool {
        self.ids.is_empty()
    }

    /// The item at an index.
    pub fn get(self, i: usize) -> Option<Sexpr<'t>> {
        self.ids.get(i).map(|&id| Sexpr { tree: self.tree, id })
    }

    /// The first item.
    pub fn first(self) -> Option<Sexpr<'t>> {
        self.get(0)
    }

    /// The items from an index on.
    pub fn from(self, i: usize) -> Items<'t> {
        Items { tree: self.tree, ids: &self.ids[i.min(self.ids.len())..] }
    }

    /// The items in their order.
    pub fn iter(self) -> impl DoubleEndedIterator<Item = Sexpr<'t>> + ExactSizeIterator {
        self.ids.iter().map(move |&id| Sexpr { tree: self.tree, id })
    }

    /// As an array, when the number is right.
    pub fn exactly<const N: usize>(self) -> Option<[Sexpr<'t>; N]> {
        let ids: [u32; N] = self.ids.try_into().ok()?;
        Some(ids.map(|id| Sexpr { tree: self.tree, id }))
    }
}
