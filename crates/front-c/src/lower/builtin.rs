//! Builtin functions of gcc that are not functions of the library: hints, checked arithmetic, choices at
//! compile time.
//!
//! `known::builtins` says which there are. The arithmetic of `__builtin_add_overflow` and its kind is that of
//! unbounded integers: it is done in an integer type that is wide enough for every result, and compared with
//! what the result becomes in the type of the destination.

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};

use super::constant::{fold, has_effects};
use super::order::{Operand, Operated};
use super::{Lowerer, Res, Symbol};
use crate::ir::{BinOp, CmpOp, Expr, ExprKind};
use crate::known::{Status, builtins};
use crate::options::IntMode;
use crate::types::{IntType, Type};

type Args<'t> = &'t [Ast<ast::Expression>];

/// Sums and differences of 64-bit numbers, and products of 32-bit numbers, signed or not, fit this type.
const WIDE: IntType = IntType::new(66, true);

impl Lowerer<'_> {
    /// A call of a builtin; the value is `None` for a void one.
    pub(super) fn builtin(&mut self, name: &str, args: Args<'_>, at: AstSpan) -> Res<Option<Expr>> {
        let span = self.span(at);
        if let Status::Harmless(_) = builtins::status(name) {
            self.effects(args)?;
            return Ok(None);
        }
        match (name, args) {
            _ if name.starts_with("__atomic_") || name.starts_with("__sync_") => self.atomic(name, args, at),
            ("__builtin_expect", [e, _]) | ("__builtin_expect_with_probability", [e, _, _]) => {
                let value = self.with_effects(e, &args[1..], at)?;
                let long = Type::Int(IntType::long(self.options.data_model, true));
                Ok(Some(self.convert(value, long)))
            }
            ("__builtin_constant_p", [e]) => {
                let Some(known) = self.is_known_constant(e)? else {
                    let what = self.located(at, "whether a compiler takes this for a constant");
                    let kind = ExprKind::Unsupported(what.into());
                    return Ok(Some(Expr { ty: Type::INT, kind, span }));
                };
                Ok(Some(Expr::constant(i128::from(known), Type::INT, span)))
            }
            ("__builtin_unreachable", []) => {
                self.undefined("`__builtin_unreachable`");
                Ok(None)
            }
            ("__builtin_trap", []) => {
                self.stop();
                Ok(None)
            }
            ("__builtin_assume_aligned", [p, rest @ ..]) => {
                let value = self.with_effects(p, rest, at)?;
                Ok(Some(self.convert(value, Type::Void.pointer_to())))
            }
            ("__builtin_choose_expr", [c, a, b]) => {
                let chosen = if self.constant(c)? != 0 { a } else { b };
                Ok(Some(self.expr(chosen)?))
            }
            ("__builtin_va_start", [list, ..]) => self.va_start(list, at).map(|()| None),
            ("__builtin_va_copy", [to, from]) => self.va_copy(to, from, at).map(|()| None),
            ("__builtin_va_end", [_]) => Ok(None),
            (_, [a, b, to]) if name.ends_with("_overflow") => self.checked(name, [a, b, to], at).map(Some),
            (_, [a, b, like]) if name.ends_with("_overflow_p") => {
                self.overflows(name, [a, b, like], at).map(Some)
            }
            _ => self.unsupported(at, &format!("call of `{name}`")),
        }
    }

    /// Is this a constant for gcc without optimisation? What is a constant expression by its form is one; the
    /// value of an object or a call is none. Of other expressions (`x * 0`) gcc computes some.
    fn is_known_constant(&mut self, e: &Ast<ast::Expression>) -> Res<Option<bool>> {
        use ast::Expression as E;
        if self.is_constant(&e.node) {
            let value = self.dry(|me| me.expr(e))?;
            return Ok(fold(&value).map(|_| true));
        }
        Ok(match &e.node {
            E::StringLiteral(_) | E::Constant(_) => Some(true),
            E::Identifier(i) => match self.lookup(&i.node.name) {
                Some(Symbol::Var(_, ty)) if ty.is_scalar() => Some(false),
                _ => None,
            },
            // gcc computes `strlen("abc")`.
            E::Call(c) => match &c.node.callee.node {
                E::Identifier(i) => {
                    let name = i.node.name.as_str();
                    let known = crate::library::internal_name(name).is_some() || builtins::is_builtin(name);
                    (self.is_defined(name) && !known).then_some(false)
                }
                _ => None,
            },
            E::Member(_) | E::UnaryOperator(_) => {
                let value = self.dry(|me| me.expr(e))?;
                matches!(value.kind, ExprKind::Load(_)).then_some(false)
            }
            E::Cast(c) => self.is_known_constant(&c.node.expression)?,
            E::BinaryOperator(b) => {
                use ast::BinaryOperator as B;
                let constant = [&b.node.lhs, &b.node.rhs].map(|x| self.is_constant(&x.node));
                let other = if constant[0] { &b.node.rhs } else { &b.node.lhs };
                match b.node.operator.node {
                    B::Plus | B::Minus if constant[0] || constant[1] => {
                        self.is_known_constant(other)?.filter(|known| !known)
                    }
                    _ => None,
                }
            }
            _ => None,
        })
    }

    /// The value of an argument beside others of which only the effects matter.
    fn with_effects(&mut self, e: &Ast<ast::Expression>, rest: Args<'_>, at: AstSpan) -> Res<Expr> {
        let operands: Vec<Operand<'_>> =
            std::iter::once(Operand::Value(e)).chain(rest.iter().map(Operand::Effects)).collect();
        Ok(self.operands(&operands, false, at)?.swap_remove(0).value())
    }

    /// The values of arguments.
    pub(super) fn values<const N: usize>(
        &mut self,
        asked: [&Ast<ast::Expression>; N],
        at: AstSpan,
    ) -> Res<[Expr; N]> {
        let given = self.operands(&asked.map(Operand::Value), false, at)?;
        let values: Vec<Expr> = given.into_iter().map(Operated::value).collect();
        Ok(values.try_into().expect("one value for each operand"))
    }

    /// `__builtin_add_overflow(a, b, &r)` and its kind: stores what the result becomes in the type of `r`;
    /// was it another value?
    fn checked(&mut self, name: &str, args: [&Ast<ast::Expression>; 3], at: AstSpan) -> Res<Expr> {
        let [a, b, pointer] = self.values(args, at)?;
        let exact = self.exact(name, [a, b], at)?;
        let place = self.deref(pointer, at)?;
        let place = self.written(place);
        let Some(to) = place.ty.as_int() else {
            return self.unsupported(at, &format!("`{name}` into something that is no integer"));
        };
        let (stored, differs) = self.fitted(exact, to, at);
        self.assign(place, stored);
        Ok(differs)
    }

    /// `__builtin_add_overflow_p(a, b, x)` and its kind: is the result another value in the type of `x`?
    fn overflows(&mut self, name: &str, [a, b, like]: [&Ast<ast::Expression>; 3], at: AstSpan) -> Res<Expr> {
        let to = match (self.unconverted_type(like)?, has_effects(&like.node)) {
            (Type::Int(t), false) => t,
            _ => return self.unsupported(at, &format!("`{name}` with this type")),
        };
        let operands = self.values([a, b], at)?;
        let exact = self.exact(name, operands, at)?;
        Ok(self.fitted(exact, to, at).1)
    }

    /// What a value becomes in a type, and whether that is another value.
    fn fitted(&mut self, exact: Expr, to: IntType, at: AstSpan) -> (Expr, Expr) {
        let stored = self.convert(exact.clone(), Type::Int(to));
        let stored = self.b().save(stored);
        let back = self.convert(stored.clone(), exact.ty.clone());
        let differs = self.compare(CmpOp::Ne, back, exact, at);
        let differs = self.b().save(differs);
        (stored, self.convert(differs, Type::Int(IntType::BOOL)))
    }

    /// The exact result of the operation that a builtin checks, in a type that holds it.
    fn exact(&mut self, name: &str, operands: [Expr; 2], at: AstSpan) -> Res<Expr> {
        let words =
            name.trim_start_matches("__builtin_").trim_end_matches("_p").trim_end_matches("_overflow");
        let (op, typed) = match words {
            "add" | "sub" | "mul" => (words, None),
            _ => (&words[1..4], Some((words.starts_with('s'), &words[4..]))),
        };
        let op = match op {
            "add" => BinOp::Add,
            "sub" => BinOp::Sub,
            "mul" => BinOp::Mul,
            _ => return self.unsupported(at, &format!("call of `{name}`")),
        };
        let typed = typed.map(|(signed, suffix)| {
            let bits = match suffix {
                "" => 32,
                "l" => self.options.data_model.word(),
                _ => 64,
            };
            IntType::new(bits, signed)
        });
        let mut values = Vec::new();
        for mut value in operands {
            if let Some(t) = typed {
                value = self.convert(value, Type::Int(t));
            }
            let Some(t) = value.ty.as_int() else {
                return self.unsupported(at, &format!("`{name}` of something that is no integer"));
            };
            if self.math() || t.is_int128() {
                return self.unsupported(at, &format!("call of `{name}`"));
            }
            values.push((self.b().save(value), t));
        }
        let all = |f: fn(IntType) -> bool| values.iter().all(|(_, t)| f(*t));
        let holds = match op {
            BinOp::Mul if all(|t| t.bits <= 32) => WIDE,
            BinOp::Mul if !all(|t| !t.signed) => IntType::new(128, true),
            // A product of two naturals of 64 bits needs 128; these are modelled as words only.
            BinOp::Mul if self.options.int_mode == IntMode::Bv => IntType::new(128, false),
            BinOp::Mul => return self.unsupported(at, &format!("call of `{name}` (use --int bv)")),
            _ => WIDE,
        };
        let mut wide = values.into_iter().map(|(v, _)| self.convert(v, Type::Int(holds)));
        let (a, b) = (wide.next().expect("two operands"), wide.next().expect("two operands"));
        drop(wide);
        self.arithmetic(op, a, b, at)
    }
}
