//! `scanf`: what it reads is arbitrary.
//!
//! The result is the number of values that were stored, or -1. The values are stored in order, each of them
//! arbitrary in its type. Only conversions of whole numbers and of one character are known, without width:
//! these can give every value; and words (`%s`, `%31s`), for which there is a model in C. Any other format is
//! unsupported. (`sscanf`, whose input is known, is in `crate::library`.)

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};

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
            Kind::Number(bits) => same(p, *bits),
            Kind::Word(_) => same(p, 8),
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
                self.emit_call(Callee::Direct(model), &signature, values);
                continue;
            }
            let place = self.deref(pointer, at)?;
            let place = self.written(place);
            let ty = place.ty.as_int().unwrap_or(IntType::INT);
            let value = self.b().temp("input", Type::Int(ty));
            self.b().emit(Instr::Havoc(value.clone()));
            self.assign(place, value.load());
        }
        self.b().place(end);
        Ok(count.load())
    }
}

/// What a conversion reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A number of so many bits, or a character.
    Number(u32),
    /// A word of at most so many characters.
    Word(u32),
}

/// What a format asks for; `None` if it has other conversions.
fn conversions(format: &str, word: u32) -> Option<Vec<Kind>> {
    let mut out = Vec::new();
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        rest = &rest[at + 1..];
        if let Some(behind) = rest.strip_prefix('%') {
            rest = behind;
            continue;
        }
        let digits = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
        if let Some(behind) = rest[digits..].strip_prefix('s') {
            out.push(Kind::Word(match &rest[..digits] {
                "" => i32::MAX as u32,
                width => width.parse().ok().filter(|n| *n > 0)?,
            }));
            rest = behind;
            continue;
        }
        let lengths = [("hh", 8), ("h", 16), ("ll", 64), ("l", word), ("z", word), ("j", 64), ("", 32)];
        let (prefix, bits) = lengths.into_iter().find(|(p, _)| rest.starts_with(p))?;
        let conversion = rest[prefix.len()..].chars().next()?;
        out.push(Kind::Number(match conversion {
            'd' | 'i' | 'u' | 'x' | 'X' | 'o' => bits,
            'c' if prefix.is_empty() => 8,
            _ => return None,
        }));
        rest = &rest[prefix.len() + 1..];
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::{Kind, conversions};

    #[test]
    fn formats_are_read() {
        let numbers = |bits: &[u32]| Some(bits.iter().map(|b| Kind::Number(*b)).collect());
        assert_eq!(conversions("%d %c%%,%ld", 64), numbers(&[32, 8, 64]));
        assert_eq!(conversions("%hhu%lli", 32), numbers(&[8, 64]));
        assert_eq!(conversions("%7s%d", 32), Some(vec![Kind::Word(7), Kind::Number(32)]));
        for unknown in ["%0s", "%ls", "%2d", "%*d", "%lc", "%f", "%n", "%"] {
            assert_eq!(conversions(unknown, 32), None, "{unknown}");
        }
    }
}
