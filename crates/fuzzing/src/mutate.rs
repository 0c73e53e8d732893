//! The mutations: of bytes, of tokens, and of phrases (what belongs together in the syntax).

use std::ops::Range;

use crate::Random;

/// What the mutations have to know about a language. None of it need be exact: broken texts are wanted too.
pub trait Syntax {
    /// Words of the language and of its neighbourhood.
    fn words(&self) -> &[&str];
    /// Does this byte belong to a token of several bytes? Others that are not blank are tokens of their own.
    fn in_word(&self, byte: u8) -> bool;
    /// The end of what begins with a token: an expression, a statement, at least the token.
    fn phrase_end(&self, text: &[u8], token: Range<usize>) -> usize;
    /// What can be put around a phrase.
    fn brackets(&self) -> &[(&str, &str)];
    /// How deep a phrase is nested when it is nested deep.
    fn depth(&self) -> usize;
    /// Texts are cut off at this length.
    fn longest(&self) -> usize;
}

/// Where tokens begin and end.
fn tokens(syntax: &dyn Syntax, text: &[u8]) -> Vec<Range<usize>> {
    let mut out = Vec::new();
    let mut i = 0;
    while i < text.len() {
        let begin = i;
        i += 1;
        while syntax.in_word(text[begin]) && i < text.len() && syntax.in_word(text[i]) {
            i += 1;
        }
        if !text[begin].is_ascii_whitespace() {
            out.push(begin..i);
        }
    }
    out
}

/// A text of the corpus with one to four changes.
pub fn mutate(syntax: &dyn Syntax, random: &mut Random, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut text = random.one_of(corpus).clone();
    for _ in 0..*random.one_of(&[1, 1, 1, 2, 4]) {
        let tokens = tokens(syntax, &text);
        if tokens.is_empty() {
            break;
        }
        let token = random.one_of(&tokens).clone();
        let end = syntax.phrase_end(&text, token.clone());
        let phrase = token.start..end;
        match random.below(9) {
            0 => text[token.start] = (random.bits() & 0xff) as u8,
            1 => drop(text.splice(token, random.one_of(syntax.words()).bytes())),
            2 => drop(
                text.splice(token.start..token.start, format!(" {} ", random.one_of(syntax.words())).bytes()),
            ),
            3 => drop(text.drain(token)),
            4 => {
                let other = some_phrase(syntax, random, &text);
                text.splice(phrase, other);
            }
            5 => {
                let donor = random.one_of(corpus);
                let other = some_phrase(syntax, random, donor);
                text.splice(phrase, other);
            }
            6 => {
                // Once more, or very often.
                let times = if random.below(50) == 0 { 300 } else { 1 };
                let copy = [b" ", &text[phrase]].concat();
                text.splice(end..end, copy.repeat(times));
            }
            7 => {
                let depth = if random.below(50) == 0 { syntax.depth() } else { 3 };
                let (open, close) = *random.one_of(syntax.brackets());
                text.splice(end..end, close.repeat(depth).bytes());
                text.splice(token.start..token.start, open.repeat(depth).bytes());
            }
            _ => drop(text.drain(phrase)),
        }
        text.truncate(syntax.longest());
    }
    text
}

/// A phrase of a text.
fn some_phrase(syntax: &dyn Syntax, random: &mut Random, text: &[u8]) -> Vec<u8> {
    let tokens = tokens(syntax, text);
    if tokens.is_empty() {
        return Vec::new();
    }
    let token = random.one_of(&tokens).clone();
    text[token.start..syntax.phrase_end(text, token)].to_vec()
}
