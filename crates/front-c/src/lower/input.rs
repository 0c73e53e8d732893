//! `scanf`: what it reads is arbitrary.
//!
//! The result is the number of values that were stored, or -1. The values are stored in order, each of them
//! arbitrary in its type. Only conversions of whole numbers and of one character are known, without width:
//! these can give every value. Any other format is unsupported. (`sscanf`, whose input is known, is
//! in `crate::library`.)

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};

use super::order::{Operand, Operated};
use super::{Lowerer, Res};
use crate::ir::{CmpOp, Expr, ExprKind, Instr};
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
        let types = conversions(text.trim_end_matches('\0'), word);
        let Some(types) = types.filter(|t| t.len() == rest.len()) else {
            return self.unsupported(at, "this format of `scanf`");
        };
        let span = self.span(at);
        let operands: Vec<Operand<'_>> = rest.iter().map(Operand::Value).collect();
        let pointers: Vec<Expr> =
            self.operands(&operands, false, at)?.into_iter().map(Operated::value).collect();
        let same = |p: &Expr, bits: u32| {
            p.ty.pointee().and_then(Type::as_int).is_some_and(|t| t.bits == bits && !t.boolean)
        };
        if !pointers.iter().zip(&types).all(|(p, bits)| same(p, *bits)) {
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
        for (i, pointer) in pointers.into_iter().enumerate() {
            let more = self.b().label();
            self.b().branch(bound(CmpOp::Gt, i as i128), more, end);
            self.b().place(more);
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

/// The widths of the numbers that a format asks for; `None` if it has other conversions.
fn conversions(format: &str, word: u32) -> Option<Vec<u32>> {
    let mut out = Vec::new();
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        rest = &rest[at + 1..];
        if let Some(behind) = rest.strip_prefix('%') {
            rest = behind;
            continue;
        }
        let lengths = [("hh", 8), ("h", 16), ("ll", 64), ("l", word), ("z", word), ("j", 64), ("", 32)];
        let (prefix, bits) = lengths.into_iter().find(|(p, _)| rest.starts_with(p))?;
        let conversion = rest[prefix.len()..].chars().next()?;
        out.push(match conversion {
            'd' | 'i' | 'u' | 'x' | 'X' | 'o' => bits,
            'c' if prefix.is_empty() => 8,
            _ => return None,
        });
        rest = &rest[prefix.len() + 1..];
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::conversions;

    #[test]
    fn formats_are_read() {
        assert_eq!(conversions("%d %c%%,%ld", 64), Some(vec![32, 8, 64]));
        assert_eq!(conversions("%hhu%lli", 32), Some(vec![8, 64]));
        for unknown in ["%s", "%2d", "%*d", "%lc", "%f", "%n", "%"] {
            assert_eq!(conversions(unknown, 32), None, "{unknown}");
        }
    }
}
