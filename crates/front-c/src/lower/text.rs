//! String literals and character constants (C11 6.4.4.4, 6.4.5).
//!
//! As gcc on Linux: the execution character set is UTF-8, `wchar_t` has 32 bits and a sign, `u` is UTF-16 and
//! `U` is UTF-32. Escapes such as `\u00e9` are characters when they get here (`dialect` rewrites them).
//!
//! Not supported: an escape that does not fit its element, wide constants of several characters, and bytes
//! of the source that are not UTF-8 in wide literals.

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};

use super::{Lowerer, Res};
use crate::ir::{Expr, Place, PlaceKind};
use crate::types::{IntType, Len, Type};

/// The contents of a string literal.
pub(super) struct Text {
    pub(super) element: IntType,
    /// With the final zero.
    pub(super) codes: Vec<u32>,
}

impl Lowerer<'_> {
    pub(super) fn text(&self, s: &Ast<ast::StringLiteral>) -> Res<Text> {
        let Some(element) = element_of(&s.node) else {
            return self.unsupported(s.span, "string literals of different kinds side by side");
        };
        match codes_of(&s.node, element) {
            Some(codes) => Ok(Text { element, codes }),
            None => self.unsupported(s.span, "this escape sequence"),
        }
    }

    /// The bytes of a string literal, with the final zero.
    pub(super) fn string_bytes(&self, s: &Ast<ast::StringLiteral>) -> Res<Vec<u8>> {
        let text = self.text(s)?;
        match text.codes.into_iter().map(u8::try_from).collect() {
            Ok(bytes) if text.element == IntType::CHAR => Ok(bytes),
            _ => self.unsupported(s.span, "a wide string literal here"),
        }
    }

    pub(super) fn character_constant(&self, text: &str, at: AstSpan) -> Res<Expr> {
        let (prefix, inner) = text.split_once('\'').unwrap_or_default();
        let inner = inner.strip_suffix('\'').unwrap_or(inner);
        let Some(element) = element_by_prefix(prefix) else {
            return self.unsupported(at, "this character constant");
        };
        let Some(codes) = decode(inner, element.bits) else {
            return self.unsupported(at, "this escape sequence");
        };
        let (value, ty) = match (prefix, codes.as_slice()) {
            ("", [one]) => (IntType::CHAR.wrap(i128::from(*one)), IntType::INT),
            // As gcc: the last four bytes, the first of them most significant.
            ("", many) => {
                let join = |v: i128, c: &u32| ((v << 8) | i128::from(*c)) & 0xffff_ffff;
                (IntType::INT.wrap(many.iter().fold(0, join)), IntType::INT)
            }
            ("u8", _) => return self.unsupported(at, "this character constant"),
            (_, [one]) => (element.wrap(i128::from(*one)), element),
            _ => return self.unsupported(at, "a wide constant of several characters"),
        };
        Ok(Expr::constant(value, Type::Int(ty), self.span(at)))
    }
}

/// The bytes of a string literal, with the final zero; `None` if it is wide or cannot be read.
pub(crate) fn bytes_of(literal: &ast::StringLiteral) -> Option<Vec<u8>> {
    let element = element_of(literal).filter(|e| *e == IntType::CHAR)?;
    codes_of(literal, element)?.into_iter().map(|c| u8::try_from(c).ok()).collect()
}

/// The elements, with the final zero; `None` if an escape cannot be read.
fn codes_of(literal: &ast::StringLiteral, element: IntType) -> Option<Vec<u32>> {
    let mut codes = Vec::new();
    for part in literal {
        let inner = part.split_once('"').map_or("", |(_, inner)| inner);
        codes.extend(decode(inner.strip_suffix('"').unwrap_or(inner), element.bits)?);
    }
    codes.push(0);
    Some(codes)
}

/// The type of the elements; `None` if the parts do not agree. A part without a prefix agrees with all.
fn element_of(parts: &[String]) -> Option<IntType> {
    let mut kinds = parts.iter().filter_map(|p| p.split_once('"')).map(|(prefix, _)| prefix);
    let first = kinds.clone().find(|k| !k.is_empty()).unwrap_or("");
    kinds.all(|k| k.is_empty() || k == first).then(|| element_by_prefix(first))?
}

fn element_by_prefix(prefix: &str) -> Option<IntType> {
    match prefix {
        "" | "u8" => Some(IntType::CHAR),
        // `wchar_t` is `long` on i386 and `int` on x86-64: 32 bits on both.
        "L" => Some(IntType::new(32, true)),
        "u" => Some(IntType::new(16, false)),
        "U" => Some(IntType::new(32, false)),
        _ => None,
    }
}

/// Can this array be initialised by this string literal?
pub(super) fn takes_text(ty: &Type, e: &Ast<ast::Expression>) -> bool {
    match (ty, &e.node) {
        (Type::Array(t, _), ast::Expression::StringLiteral(s)) => {
            let element = element_of(&s.node);
            // A string of different kinds is told where it is used.
            t.as_int().is_some_and(|t| !t.boolean && element.is_none_or(|e| e.bits == t.bits))
        }
        _ => false,
    }
}

/// The elements of a literal without its quotes, each of so many bits; `None` for an escape sequence that is
/// not known or does not fit.
fn decode(text: &str, bits: u32) -> Option<Vec<u32>> {
    let mut out = Vec::new();
    let mut chars = text.chars().peekable();
    let most = u32::MAX >> (32 - bits);
    while let Some(c) = chars.next() {
        if c != '\\' {
            match (crate::source::raw_byte(c), bits) {
                (Some(byte), 8) => out.push(u32::from(byte)),
                (Some(_), _) => return None,
                (None, 8) => out.extend(c.to_string().bytes().map(u32::from)),
                (None, 16) => out.extend(c.encode_utf16(&mut [0; 2]).iter().map(|&u| u32::from(u))),
                (None, _) => out.push(u32::from(c)),
            }
            continue;
        }
        let code = match chars.next()? {
            'n' => 10,
            't' => 9,
            'r' => 13,
            'a' => 7,
            'b' => 8,
            'f' => 12,
            'v' => 11,
            'e' | 'E' => 27,
            c @ ('\\' | '\'' | '"' | '?') => u32::from(c),
            'x' => {
                let mut v = None;
                while let Some(d) = chars.peek().and_then(|c| c.to_digit(16)) {
                    v = Some(v.unwrap_or(0u32).checked_mul(16)? + d);
                    chars.next();
                }
                v?
            }
            c @ '0'..='7' => {
                let mut v = c.to_digit(8)?;
                for _ in 0..2 {
                    let Some(d) = chars.peek().and_then(|c| c.to_digit(8)) else { break };
                    v = 8 * v + d;
                    chars.next();
                }
                v
            }
            _ => return None,
        };
        if code > most {
            return None;
        }
        out.push(code);
    }
    Some(out)
}

/// The initialisers of an array of characters.
pub(super) fn string_init(object: &Place, codes: &[u32]) -> Vec<(Place, Expr)> {
    let span = object.span;
    let (limit, element) = match &object.ty {
        Type::Array(t, Len::Fixed(n)) => (*n as usize, (**t).clone()),
        Type::Array(t, _) => (codes.len(), (**t).clone()),
        _ => (codes.len(), Type::Int(IntType::CHAR)),
    };
    let nonzero = codes.iter().take(limit).enumerate().filter(|(_, c)| **c != 0);
    nonzero
        .map(|(i, &c)| {
            let index = Expr::constant(i as i128, Type::INT, span);
            let kind = PlaceKind::Index(Box::new(object.clone()), Box::new(index));
            let place = Place { ty: element.clone(), kind, span };
            let value = element.as_int().unwrap_or(IntType::CHAR).wrap(i128::from(c));
            (place, Expr::constant(value, element.clone(), span))
        })
        .collect()
}
