//! `scanf`: what it reads is arbitrary.
//!
//! The result is the number of values that were stored, or -1. The values are stored in order, each of them
//! arbitrary in its type. Only conversions of whole numbers and of one character are known, without width:
//! these can give every value; and words (`%s`, `%31s`), for which there is a model in C. Any other format is
//! unsupported. (`sscanf`, whose input is known, is in `crate::library`.)
//!
//! A character is none that what stands before it would have read: a blank, a digit, a part of a word. At the
//! beginning of a format that may be an earlier call: a violation behind such a character is open.

use std::sync::Arc;

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};
use lang_c::visit::{self, Visit};

use super::order::{Operand, Operated};
use super::{Lowerer, Res, Symbol};
use crate::ir::{Callee, CmpOp, Expr, ExprKind, Instr};
use crate::library::internal_name;
use crate::types::{IntType, Type};

impl Lowerer<'_> {
    /// A call of `scanf` with this format.
    pub(super) fn scan_input(
        &mut self,
        format: &Ast<ast::Expression>,
        rest: &[Ast<ast::Expression>],
        at: AstSpan,
    ) -> Res<Expr> {
        self.touch_errno(at);
        let ast::Expression::StringLiteral(s) = &format.node else {
            return self.unsupported(at, "`scanf` with a format that is no literal");
        };
        let text = String::from_utf8_lossy(&self.string_bytes(s)?).into_owned();
        let word = self.options.data_model.word();
        let kinds = conversions(text.trim_end_matches('\0'), word);
        let Some(kinds) = kinds.filter(|t| t.len() == rest.len()) else {
            return self.unsupported(at, "this format of `scanf`");
        };
        let span = self.span(at);
        let operands: Vec<Operand<'_>> = rest.iter().map(Operand::Value).collect();
        let pointers: Vec<Expr> =
            self.operands(&operands, false, at)?.into_iter().map(Operated::value).collect();
        let same = |p: &Expr, bits: u32| {
            p.ty.pointee().and_then(Type::as_int).is_some_and(|t| t.bits == bits && !t.boolean)
        };
        let fits = |(p, kind): (&Expr, &Kind)| match kind {
            Kind::Number(bits, _) => same(p, *bits),
            Kind::Character(_) | Kind::Word(_) => same(p, 8),
        };
        if !pointers.iter().zip(&kinds).all(fits) {
            return self.unsupported(at, "`scanf` into another type than its format says");
        }
        let pointers: Vec<Expr> = pointers.into_iter().map(|p| self.b().save(p)).collect();
        let count = self.b().temp("count", Type::INT);
        self.b().emit(Instr::Havoc(count.clone()));
        let bound = |op: CmpOp, v: i128| {
            let v = Expr::constant(v, Type::INT, span);
            let kind = ExprKind::Compare(op, Box::new(count.clone().load()), Box::new(v));
            Expr { ty: Type::INT, kind, span }
        };
        self.b().emit(Instr::Assume(bound(CmpOp::Ge, -1)));
        self.b().emit(Instr::Assume(bound(CmpOp::Le, pointers.len() as i128)));
        let end = self.b().label();
        let mut whole = None;
        for (i, (pointer, kind)) in pointers.into_iter().zip(kinds).enumerate() {
            let more = self.b().label();
            self.b().branch(bound(CmpOp::Gt, i as i128), more, end);
            self.b().place(more);
            if let Kind::Word(most) = kind {
                let model = internal_name("scanf").and_then(|n| self.linked.get(&n));
                let Some(Symbol::Func(model)) = model else {
                    return self.unsupported(at, "this format of `scanf`");
                };
                let model = *model;
                let signature = self.unit.function(model).signature();
                let most = Expr::constant(i128::from(most), self.size_type(), span);
                let values = self.converted(vec![pointer, most], Some(&signature));
                whole = self.emit_call(Callee::Direct(model), &signature, values);
                continue;
            }
            let place = self.deref(pointer, at)?;
            let place = self.written(place);
            let ty = place.ty.as_int().unwrap_or(IntType::INT);
            let value = self.b().temp("input", Type::Int(ty));
            self.b().emit(Instr::Havoc(value.clone()));
            if let Kind::Character(behind) = kind {
                self.restrict_character(value.clone().load(), behind, whole.take());
            }
            self.assign(place, value.load());
        }
        self.b().place(end);
        Ok(count.load())
    }

    /// What stands before a character in a format has not read it. `whole`: has the word before it all its
    /// characters?
    fn restrict_character(&mut self, c: Expr, behind: Behind, whole: Option<Expr>) {
        let span = c.span;
        let make = |kind: ExprKind| Box::new(Expr { ty: Type::INT, kind, span });
        let between = |(first, last): (u8, u8)| {
            let bound = |b: u8| Box::new(Expr::constant(b.into(), c.ty.clone(), span));
            let least = make(ExprKind::Compare(CmpOp::Ge, Box::new(c.clone()), bound(first)));
            let most = make(ExprKind::Compare(CmpOp::Le, Box::new(c.clone()), bound(last)));
            make(ExprKind::And(least, most))
        };
        let either = |a: Box<Expr>, b: Box<Expr>| make(ExprKind::Or(a, b));
        let zero = || Box::new(Expr::constant(0, Type::INT, span));
        let not = |e: Box<Expr>| make(ExprKind::Compare(CmpOp::Eq, e, zero()));
        let blank = || either(between((b' ', b' ')), between((9, 13)));
        let digit = |conversion: char| match conversion {
            'i' | 'o' => between((b'0', b'7')),
            'x' | 'X' => {
                let letters = either(between((b'a', b'f')), between((b'A', b'F')));
                either(between((b'0', b'9')), letters)
            }
            _ => between((b'0', b'9')),
        };
        let read_before = match (behind, whole) {
            (Behind::Blank, _) => blank(),
            (Behind::Number(conversion), _) => digit(conversion),
            (Behind::Word, Some(whole)) => {
                let end = either(blank(), Box::new(whole));
                not(end)
            }
            (Behind::Start, _) if self.scanned == Some('s') => not(blank()),
            (Behind::Start, _) if self.scanned.is_some() => digit(self.scanned.unwrap_or('d')),
            _ => return,
        };
        if behind != Behind::Start {
            self.b().emit(Instr::Assume(*not(read_before)));
            return;
        }
        let (open, next) = (self.b().label(), self.b().label());
        self.b().branch(*read_before, open, next);
        self.b().place(open);
        self.b().emit(Instr::Open);
        self.opens();
        self.b().place(next);
    }
}

/// What the calls of `scanf` in a program read that a character behind it is not: `s` for words, else `x` or
/// `d` for numbers.
pub(super) fn scanned(trees: &[Arc<ast::TranslationUnit>]) -> Option<char> {
    struct Formats(Option<char>);
    impl<'ast> Visit<'ast> for Formats {
        fn visit_call_expression(&mut self, c: &'ast ast::CallExpression, span: &'ast AstSpan) {
            if let ast::Expression::Identifier(i) = &c.callee.node
                && i.node.name.ends_with("scanf")
            {
                let literals = c.arguments.iter().filter_map(|a| match &a.node {
                    ast::Expression::StringLiteral(s) => Some(s.node.concat()),
                    _ => None,
                });
                for kind in literals.filter_map(|text| conversions(&text, 64)).flatten() {
                    let new = match kind {
                        Kind::Word(_) => Some('s'),
                        Kind::Number(_, conversion) => Some(conversion),
                        Kind::Character(_) => None,
                    };
                    self.0 = self.0.max(new);
                }
            }
            visit::visit_call_expression(self, c, span);
        }
    }
    let mut formats = Formats(None);
    trees.iter().for_each(|t| formats.visit_translation_unit(t));
    formats.0
}

/// What a conversion reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A number of so many bits, by this conversion: `d`, `i`, `o` or `x`.
    Number(u32, char),
    /// A character.
    Character(Behind),
    /// A word of at most so many characters.
    Word(u32),
}

/// What a format has before a character.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Behind {
    /// Nothing.
    Start,
    /// White space, which reads all blanks.
    Blank,
    /// A number by this conversion.
    Number(char),
    /// A word.
    Word,
    /// Something after which any character may come.
    Other,
}

/// What a format asks for; `None` if it has other conversions.
fn conversions(format: &str, word: u32) -> Option<Vec<Kind>> {
    let mut out = Vec::new();
    let mut rest = format;
    let mut behind = Behind::Start;
    while let Some(at) = rest.find('%') {
        behind = match rest[..at].chars().last() {
            Some(c) if c.is_ascii_whitespace() || c == '\x0b' => Behind::Blank,
            Some(_) => Behind::Other,
            None => behind,
        };
        rest = &rest[at + 1..];
        if let Some(after) = rest.strip_prefix('%') {
            (rest, behind) = (after, Behind::Other);
            continue;
        }
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        if let Some(after) = rest[digits..].strip_prefix('s') {
            out.push(Kind::Word(match &rest[..digits] {
                "" => i32::MAX as u32,
                width => width.parse().ok().filter(|n| *n > 0)?,
            }));
            (rest, behind) = (after, Behind::Word);
            continue;
        }
        let lengths = [("hh", 8), ("h", 16), ("ll", 64), ("l", word), ("z", word), ("j", 64), ("", 32)];
        let (prefix, bits) = lengths.into_iter().find(|(p, _)| rest.starts_with(p))?;
        let conversion = rest[prefix.len()..].chars().next()?;
        let kind = match conversion {
            'd' | 'i' | 'o' => Kind::Number(bits, conversion),
            'u' => Kind::Number(bits, 'd'),
            'x' | 'X' => Kind::Number(bits, 'x'),
            'c' if prefix.is_empty() => Kind::Character(behind),
            _ => return None,
        };
        behind = match kind {
            Kind::Number(_, conversion) => Behind::Number(conversion),
            _ => Behind::Other,
        };
        out.push(kind);
        rest = &rest[prefix.len() + 1..];
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::{Behind, Kind, conversions};

    #[test]
    fn formats_are_read() {
        let (int, character) = (Kind::Number(32, 'd'), Kind::Character);
        assert_eq!(
            conversions("%d %c%%%c,%ld", 64),
            Some(vec![int, character(Behind::Blank), character(Behind::Other), Kind::Number(64, 'd')])
        );
        assert_eq!(conversions("%hhx%lli", 32), Some(vec![Kind::Number(8, 'x'), Kind::Number(64, 'i')]));
        assert_eq!(
            conversions("%c%7s%c%u%c", 32),
            Some(vec![
                character(Behind::Start),
                Kind::Word(7),
                character(Behind::Word),
                int,
                character(Behind::Number('d')),
            ])
        );
        for unknown in ["%0s", "%ls", "%2d", "%*d", "%lc", "%f", "%n", "%"] {
            assert_eq!(conversions(unknown, 32), None, "{unknown}");
        }
    }
}
