//! Floating point: literals, operators with the usual conversions, and the functions of `<math.h>` that are
//! operations of IEEE 754.
//!
//! `float` and `double` are modelled where integers are bit-vectors; elsewhere, and for `long double`, they
//! are types that can be declared but not computed with. Constants are folded as compilers do, rounded to the
//! nearest. Each operation has the precision of its type, as with SSE (`FLT_EVAL_METHOD` 0).
//!
//! In a program that uses `fesetround`, an operation that may round is [`ExprKind::Rounded`]: it reads the
//! mode where it is evaluated, like any variable. So the order of evaluation, the slice and the memory need
//! not know of rounding modes.

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};
use palisade_float::{Class, Format, Rounding, exact, literal};

use super::builder::Builder;
use super::order::{Operand, Operated};
use super::{Lowerer, Res};
use crate::ir::{BinOp, CmpOp, Expr, ExprKind, FloatOp, FuncId, NodeKind, Place, Span};
use crate::options::IntMode;
use crate::types::{IntType, Type};

/// How C's operators round.
pub(crate) const ROUNDING: Rounding = Rounding::NearestEven;

/// The rounding modes that a program can choose, in the order of [`crate::library::ROUNDING`].
const MODES: [Rounding; 4] = [Rounding::NearestEven, Rounding::Down, Rounding::Up, Rounding::Zero];

/// The bits of the significand of `long double` on x86.
const LONG_SIGNIFICAND: u32 = 64;

type Args<'t> = &'t [Ast<ast::Expression>];

/// What a function of `<math.h>` is.
#[derive(Clone, Copy)]
enum Meaning {
    /// An operation on so many numbers that gives a number of their type.
    Number(FloatOp, usize),
    /// A question: the answer is of type `int`.
    Question(FloatOp),
    /// A number rounded to an integer of this type; 0 stands for `long`.
    Integer(Rounding, u32),
    /// `isinf`: 1 or -1 by the sign.
    SignedInfinity,
    /// `fpclassify` of glibc.
    Classify,
    /// `__builtin_fpclassify`, with its values for the classes.
    ClassifyAs,
    /// Comparisons that raise no exceptions.
    Compare(CmpOp),
    /// `islessgreater`.
    LessOrGreater,
    /// `isunordered`.
    Unordered,
    /// A constant: an infinity or a NaN.
    Constant(Class),
    /// The greatest finite number where there is no infinity; here always infinity.
    HugeValue,
}

/// The format that a suffix of a function's name stands for.
fn suffixed(name: &str, base: &str) -> Option<Format> {
    match name.strip_prefix(base)? {
        "" => Some(Format::BINARY64),
        "f" => Some(Format::BINARY32),
        _ => None,
    }
}

/// The meaning of a function and the type of its arguments; `None` for macros of any type.
fn meaning(name: &str) -> Option<(Meaning, Option<Format>)> {
    use Meaning as M;
    const NUMBERS: &[(&str, M)] = &[
        ("fabs", M::Number(FloatOp::Abs, 1)),
        ("sqrt", M::Number(FloatOp::Sqrt, 1)),
        ("floor", M::Number(FloatOp::Round(Rounding::Down), 1)),
        ("ceil", M::Number(FloatOp::Round(Rounding::Up), 1)),
        ("trunc", M::Number(FloatOp::Round(Rounding::Zero), 1)),
        ("round", M::Number(FloatOp::Round(Rounding::NearestAway), 1)),
        ("roundeven", M::Number(FloatOp::Round(Rounding::NearestEven), 1)),
        ("rint", M::Number(FloatOp::Round(ROUNDING), 1)),
        ("nearbyint", M::Number(FloatOp::Round(ROUNDING), 1)),
        ("fmin", M::Number(FloatOp::Min, 2)),
        ("fmax", M::Number(FloatOp::Max, 2)),
        ("copysign", M::Number(FloatOp::CopySign, 2)),
        ("lrint", M::Integer(ROUNDING, 0)),
        ("lround", M::Integer(Rounding::NearestAway, 0)),
        ("llrint", M::Integer(ROUNDING, 64)),
        ("llround", M::Integer(Rounding::NearestAway, 64)),
        ("__isnan", M::Question(FloatOp::IsNan)),
        ("__finite", M::Question(FloatOp::IsFinite)),
        ("finite", M::Question(FloatOp::IsFinite)),
        ("__isinf", M::SignedInfinity),
        ("__signbit", M::Question(FloatOp::SignBit)),
        ("__fpclassify", M::Classify),
        ("__builtin_inf", M::Constant(Class::Infinite)),
        ("__builtin_huge_val", M::HugeValue),
        ("__builtin_nan", M::Constant(Class::Nan)),
        ("nan", M::Constant(Class::Nan)),
    ];
    const MACROS: &[(&str, M)] = &[
        ("isnan", M::Question(FloatOp::IsNan)),
        ("isinf", M::Question(FloatOp::IsInfinite)),
        ("isinf_sign", M::SignedInfinity),
        ("isfinite", M::Question(FloatOp::IsFinite)),
        ("isnormal", M::Question(FloatOp::IsNormal)),
        ("signbit", M::Question(FloatOp::SignBit)),
        ("fpclassify", M::ClassifyAs),
        ("isgreater", M::Compare(CmpOp::Gt)),
        ("isgreaterequal", M::Compare(CmpOp::Ge)),
        ("isless", M::Compare(CmpOp::Lt)),
        ("islessequal", M::Compare(CmpOp::Le)),
        ("islessgreater", M::LessOrGreater),
        ("isunordered", M::Unordered),
    ];
    // `isnan` and its like are macros over builtins that take any type; as functions they take `double`.
    if let Some(base) = name.strip_prefix("__builtin_")
        && let Some((_, m)) = MACROS.iter().find(|(n, _)| *n == base)
    {
        return Some((*m, None));
    }
    if let Some((_, m)) = MACROS.iter().find(|(n, m)| *n == name && !matches!(m, M::ClassifyAs)) {
        return Some((*m, None));
    }
    let plain = name.strip_prefix("__builtin_").unwrap_or(name);
    let find = |name: &str| NUMBERS.iter().find_map(|(base, m)| Some((*m, Some(suffixed(name, base)?))));
    find(name).or_else(|| find(plain))
}

/// The type of the arguments of such a function, unless it is a macro of any type.
pub(super) fn parameter(name: &str) -> Option<Format> {
    meaning(name)?.1
}

/// Is this a function of floating-point numbers with a meaning here?
pub(super) fn is_modelled(name: &str) -> bool {
    meaning(name).is_some()
}

/// Does the function round to integers in the mode of the program? `roundeven` does not.
fn is_told(name: &str) -> bool {
    !name.contains("roundeven")
}

/// Is this such a function of `long double`?
pub(super) fn is_long(name: &str) -> bool {
    name.strip_suffix('l').is_some_and(|short| matches!(meaning(short), Some((_, Some(Format::BINARY64)))))
}

/// What is not supported of a floating-point type that is not modelled.
pub(super) fn refused(ty: &Type) -> &'static str {
    match ty {
        Type::Float(4 | 8) => "floating point (use --int bv)",
        _ => "floating point of type `long double`",
    }
}

/// The format that can hold the numbers of both.
pub(super) fn wider(a: Format, b: Format) -> Format {
    if a.width() >= b.width() { a } else { b }
}

/// The type of arithmetic on two types, one of which is a floating-point type that is not modelled.
pub(super) fn common(a: &Type, b: &Type) -> Type {
    let size = |t: &Type| match t {
        Type::Float(bytes) => *bytes,
        Type::Ieee(f) => u64::from(f.width()) / 8,
        _ => 0,
    };
    if size(a) >= size(b) { a.clone() } else { b.clone() }
}

/// Does a conversion to floating point never round?
fn is_exact(from: &Type, to: Format) -> bool {
    match from {
        Type::Int(t) => t.bits <= to.significand,
        Type::Ieee(f) => f.significand <= to.significand,
        _ => false,
    }
}

impl Lowerer<'_> {
    /// Are floating-point numbers more than types here?
    pub(super) fn models_floats(&self) -> bool {
        self.options.int_mode == IntMode::Bv
    }

    /// `float` or `double`, by size.
    pub(super) fn float_type(&self, size: u64) -> Type {
        match size {
            4 if self.models_floats() => Type::Ieee(Format::BINARY32),
            8 if self.models_floats() => Type::Ieee(Format::BINARY64),
            _ => Type::Float(size),
        }
    }

    /// Where the program changes the rounding mode, the expression that reads it.
    fn rounding_mode(&self, span: Span) -> Option<Expr> {
        let mode = self.rounding.filter(|_| !self.at_translation && self.rounds_as_told())?;
        Some(Place::var(mode, Type::Int(IntType::new(8, false)), span).load())
    }

    /// The models of the library compute exactly, or round to the nearest on their own account; but the
    /// results of some are rounded like those of operators.
    fn rounds_as_told(&self) -> bool {
        let model = |b: &Builder| b.name.strip_prefix(crate::library::PREFIX).map(str::to_string);
        !self.source().is_named(crate::LIBRARY)
            || self.builder.as_ref().and_then(model).is_some_and(|name| crate::library::is_rounded(&name))
    }

    /// An operation that is rounded.
    fn rounded(&self, e: Expr) -> Expr {
        match self.rounding_mode(e.span) {
            Some(mode) => {
                let (ty, span) = (e.ty.clone(), e.span);
                Expr { ty, kind: ExprKind::Rounded(Box::new(mode), Box::new(e)), span }
            }
            None => e,
        }
    }

    /// A constant. Compilers round to the nearest while they compile, or leave the operation to the program
    /// (gcc's `-frounding-math`): what differs in the mode that the program has chosen is not supported.
    fn folded(&self, f: Format, span: Span, value: impl Fn(Rounding) -> u64) -> Expr {
        let ty = Type::Ieee(f);
        let nearest = Expr { ty: ty.clone(), kind: ExprKind::FloatConst(value(ROUNDING)), span };
        let differs = MODES.iter().any(|r| value(*r) != value(ROUNDING));
        let Some(mode) = self.rounding_mode(span).filter(|_| differs) else { return nearest };
        let what = "a constant that is rounded while the rounding mode is not to the nearest";
        let position = self.sources[span.unit as usize].position(span.start as usize);
        let other =
            Expr { ty: ty.clone(), kind: ExprKind::Unsupported(format!("{what}, {position}").into()), span };
        let zero = Expr::constant(0, mode.ty.clone(), span);
        let kind = ExprKind::Compare(CmpOp::Eq, Box::new(mode), Box::new(zero));
        let is_nearest = Expr { ty: Type::INT, kind, span };
        Expr { ty, kind: ExprKind::Cond(Box::new(is_nearest), Box::new(nearest), Box::new(other)), span }
    }

    /// A conversion from or to floating point. Constants are folded.
    pub(super) fn float_converted(&self, e: Expr, ty: Type) -> Expr {
        let span = e.span;
        match (&e.kind, &e.ty, &ty) {
            (_, _, Type::Int(t)) if t.boolean => {
                let zero = Expr { ty: e.ty.clone(), kind: ExprKind::FloatConst(0), span };
                let kind = ExprKind::Compare(CmpOp::Ne, Box::new(e), Box::new(zero));
                return Expr { ty: Type::INT, kind, span }.cast(ty);
            }
            (ExprKind::Const(v), Type::Int(_), Type::Ieee(f)) => {
                return self.folded(*f, span, |r| exact::from_int(*f, r, *v));
            }
            (ExprKind::FloatConst(v), Type::Ieee(from), Type::Ieee(to)) => {
                return self.folded(*to, span, |r| exact::convert(*from, *to, r, *v));
            }
            (ExprKind::FloatConst(v), Type::Ieee(from), Type::Int(t)) => {
                if let Some(v) = exact::to_int(*from, Rounding::Zero, *v, t.bits, t.signed) {
                    return Expr { ty, kind: ExprKind::Const(v), span };
                }
            }
            _ => {}
        }
        let rounds = matches!(&ty, Type::Ieee(to) if !is_exact(&e.ty, *to));
        let cast = Expr { ty, kind: ExprKind::Cast(Box::new(e)), span };
        if rounds { self.rounded(cast) } else { cast }
    }

    /// The type `long double`.
    pub(super) fn long_double(&self) -> Type {
        Type::Float(if self.options.data_model.word() == 32 { 12 } else { 16 })
    }

    /// A type like `_Float32`. With an `x` it is the next one that the machine has.
    pub(super) fn numbered_float(&self, t: &ast::TS18661FloatType) -> Type {
        use ast::TS18661FloatFormat as Format;
        match (&t.format, t.width) {
            (Format::BinaryInterchange, 32 | 64) => self.float_type(t.width as u64 / 8),
            (Format::BinaryExtended, 32) => self.float_type(8),
            (Format::BinaryExtended, 64) => self.long_double(),
            _ => Type::Float(t.width as u64 / 8),
        }
    }

    pub(super) fn float_literal(&self, f: &ast::Float, at: AstSpan) -> Expr {
        let span = self.span(at);
        let ty = match &f.suffix.format {
            ast::FloatFormat::Float => self.float_type(4),
            ast::FloatFormat::Double => self.float_type(8),
            ast::FloatFormat::LongDouble => self.long_double(),
            ast::FloatFormat::TS18661Format(t) => self.numbered_float(t),
        };
        let text = &self.source().text[at.start..at.end];
        let number = match &f.suffix.format {
            ast::FloatFormat::Double => text,
            ast::FloatFormat::TS18661Format(_) => &text[..text.rfind(['f', 'F']).unwrap_or(text.len())],
            _ => text.trim_end_matches(['f', 'F', 'l', 'L']),
        };
        let value = match ty {
            Type::Ieee(format) if !f.suffix.imaginary => literal::read(format, ROUNDING, number),
            _ => None,
        };
        let kind = match value {
            Some(bits) => ExprKind::FloatConst(bits),
            None => {
                let what = match f.suffix.format {
                    ast::FloatFormat::LongDouble => "floating-point constant of type `long double`",
                    _ => "floating-point constant",
                };
                ExprKind::Unsupported(self.located(at, what).into())
            }
        };
        Expr { ty, kind, span }
    }

    /// `(double)1.5L`, as `<float.h>` writes its limits.
    pub(super) fn narrowed_literal(&self, e: &Ast<ast::Expression>, ty: &Type, at: AstSpan) -> Option<Expr> {
        let (ast::Expression::Constant(c), Type::Ieee(format)) = (&e.node, ty) else { return None };
        let ast::Constant::Float(f) = &c.node else { return None };
        if f.suffix.format != ast::FloatFormat::LongDouble || f.suffix.imaginary {
            return None;
        }
        let number = self.source().text[c.span.start..c.span.end].trim_end_matches(['l', 'L']);
        let bits = literal::read_through(*format, LONG_SIGNIFICAND, number)?;
        Some(Expr { ty: ty.clone(), kind: ExprKind::FloatConst(bits), span: self.span(at) })
    }

    pub(super) fn float_minus(&mut self, a: Expr, at: AstSpan) -> Expr {
        let (ty, span) = (a.ty.clone(), self.span(at));
        let kind = match (&a.kind, &ty) {
            (ExprKind::FloatConst(v), Type::Ieee(f)) => ExprKind::FloatConst(exact::neg(*f, *v)),
            _ => ExprKind::Neg(Box::new(a)),
        };
        Expr { ty, kind, span }
    }

    /// Two operands in their common type.
    fn float_operands(&self, a: Expr, b: Expr) -> (Expr, Expr, Format) {
        let f = match (a.ty.as_float(), b.ty.as_float()) {
            (Some(x), Some(y)) => wider(x, y),
            (Some(x), None) | (None, Some(x)) => x,
            (None, None) => Format::BINARY64,
        };
        (self.convert(a, Type::Ieee(f)), self.convert(b, Type::Ieee(f)), f)
    }

    pub(super) fn float_arithmetic(&mut self, op: BinOp, a: Expr, b: Expr, at: AstSpan) -> Res<Expr> {
        let (a, b, f) = self.float_operands(a, b);
        let operation = match op {
            BinOp::Add => exact::add,
            BinOp::Sub => exact::sub,
            BinOp::Mul => exact::mul,
            BinOp::Div => exact::div,
            _ => return self.invalid(at, "an operator that floating-point numbers do not have"),
        };
        let span = self.span(at);
        if let (ExprKind::FloatConst(x), ExprKind::FloatConst(y)) = (&a.kind, &b.kind) {
            return Ok(self.folded(f, span, |r| operation(f, r, *x, *y)));
        }
        let kind = ExprKind::Binary(op, Box::new(a), Box::new(b));
        Ok(self.rounded(Expr { ty: Type::Ieee(f), kind, span }))
    }

    pub(super) fn float_compare(&mut self, op: CmpOp, a: Expr, b: Expr, at: AstSpan) -> Expr {
        let (a, b, f) = self.float_operands(a, b);
        let span = self.span(at);
        if let (ExprKind::FloatConst(x), ExprKind::FloatConst(y)) = (&a.kind, &b.kind) {
            let order = exact::compare(f, *x, *y);
            let holds = match op {
                CmpOp::Eq => order.is_some_and(std::cmp::Ordering::is_eq),
                CmpOp::Ne => order.is_none_or(std::cmp::Ordering::is_ne),
                CmpOp::Lt | CmpOp::Before => order.is_some_and(std::cmp::Ordering::is_lt),
                CmpOp::Le => order.is_some_and(std::cmp::Ordering::is_le),
                CmpOp::Gt => order.is_some_and(std::cmp::Ordering::is_gt),
                CmpOp::Ge => order.is_some_and(std::cmp::Ordering::is_ge),
            };
            return Expr::constant(i128::from(holds), Type::INT, span);
        }
        Expr { ty: Type::INT, kind: ExprKind::Compare(op, Box::new(a), Box::new(b)), span }
    }

    /// The value of `INFINITY`, `NAN` and `HUGE_VAL`, which are calls in the headers of the library.
    pub(super) fn float_constant(&self, name: &str, args: Args<'_>, at: AstSpan) -> Option<Expr> {
        let (meaning, format) = meaning(name)?;
        let format = format?;
        let bits = match (meaning, args) {
            (Meaning::Constant(Class::Nan), [tag]) => {
                matches!(tag.node, ast::Expression::StringLiteral(_)).then(|| format.nan())?
            }
            (Meaning::Constant(Class::Infinite) | Meaning::HugeValue, []) => format.infinity(),
            _ => return None,
        };
        Some(Expr { ty: Type::Ieee(format), kind: ExprKind::FloatConst(bits), span: self.span(at) })
    }

    /// A call of a function of `<math.h>`.
    pub(super) fn float_call(&mut self, name: &str, args: Args<'_>, at: AstSpan) -> Res<Option<Expr>> {
        let (meaning, fixed) = meaning(name).expect("a function that is modelled");
        let span = self.span(at);
        if let Meaning::Constant(_) | Meaning::HugeValue = meaning {
            return match self.float_constant(name, args, at) {
                None => self.unsupported(at, &format!("call of `{name}`")),
                constant => Ok(constant),
            };
        }
        let operands: Vec<Operand<'_>> = args.iter().map(Operand::Value).collect();
        let mut values: Vec<Expr> =
            self.operands(&operands, false, at)?.into_iter().map(Operated::value).collect();
        let wanted = match meaning {
            Meaning::Number(_, n) => n,
            Meaning::Compare(_) | Meaning::LessOrGreater | Meaning::Unordered => 2,
            Meaning::ClassifyAs => 6,
            _ => 1,
        };
        if values.len() != wanted {
            return self.invalid(at, format!("`{name}` is called with {} arguments", values.len()));
        }
        if values.iter().any(|v| v.ty.as_float().is_none() && v.ty.as_int().is_none()) {
            return self.unsupported(at, &format!("call of `{name}` with this argument"));
        }
        let question =
            |op: FloatOp, args: Vec<Expr>| Expr { ty: Type::INT, kind: ExprKind::Float(op, args), span };
        let number = |v: i128| Expr::constant(v, Type::INT, span);
        let choose = |c: Expr, a: Expr, b: Expr| Expr {
            ty: Type::INT,
            kind: ExprKind::Cond(Box::new(c), Box::new(a), Box::new(b)),
            span,
        };
        if let Meaning::ClassifyAs = meaning {
            let x = values.pop().expect("six arguments");
            let x = self.any_float(x);
            let [nan, infinite, normal, subnormal, zero] =
                <[Expr; 5]>::try_from(values).expect("five classes");
            let is = |op| question(op, vec![x.clone()]);
            let out = choose(is(FloatOp::IsSubnormal), subnormal, zero);
            let out = choose(is(FloatOp::IsNormal), normal, out);
            let out = choose(is(FloatOp::IsInfinite), infinite, out);
            return Ok(Some(choose(is(FloatOp::IsNan), nan, out)));
        }
        if values.len() == 2 && fixed.is_none() {
            let b = values.pop().expect("two arguments");
            let a = values.pop().expect("two arguments");
            let (a, b, _) = self.float_operands(a, b);
            return Ok(Some(match meaning {
                Meaning::Compare(op) => self.float_compare(op, a, b, at),
                Meaning::LessOrGreater => {
                    let less = self.float_compare(CmpOp::Lt, a.clone(), b.clone(), at);
                    let greater = self.float_compare(CmpOp::Gt, a, b, at);
                    Expr { ty: Type::INT, kind: ExprKind::Or(Box::new(less), Box::new(greater)), span }
                }
                _ => question(FloatOp::Unordered, vec![a, b]),
            }));
        }
        let values: Vec<Expr> = values
            .into_iter()
            .map(|v| match fixed {
                Some(f) => self.convert(v, Type::Ieee(f)),
                None => self.any_float(v),
            })
            .collect();
        let float = |op: FloatOp, values: Vec<Expr>| Expr {
            ty: values[0].ty.clone(),
            kind: ExprKind::Float(op, values),
            span,
        };
        if let Meaning::Number(FloatOp::Sqrt, _) = meaning
            && self.linked.contains_key(crate::library::ERRNO)
        {
            let zero = Expr { ty: values[0].ty.clone(), kind: ExprKind::FloatConst(0), span };
            let negative = self.float_compare(CmpOp::Lt, values[0].clone(), zero, at);
            self.refuse_if(negative, "`errno` after a function of a number outside its domain", at);
        }
        Ok(Some(match meaning {
            Meaning::Number(FloatOp::Sqrt, _) => match (&values[0].kind, values[0].ty.as_float()) {
                // Compilers know the roots of constants.
                (ExprKind::FloatConst(x), Some(f)) if self.rounding.is_some() => {
                    self.folded(f, span, |r| exact::sqrt(f, r, *x))
                }
                _ => self.rounded(float(FloatOp::Sqrt, values)),
            },
            Meaning::Number(op @ FloatOp::Round(ROUNDING), _) if is_told(name) => {
                self.rounded(float(op, values))
            }
            Meaning::Number(op, _) => float(op, values),
            Meaning::Question(op) => question(op, values),
            Meaning::Integer(r, bits) => {
                let bits = if bits == 0 { self.options.data_model.word() } else { bits };
                let ty = Type::Int(IntType::new(bits, true));
                let e = Expr { ty, kind: ExprKind::Float(FloatOp::ToInt(r), values), span };
                if r == ROUNDING { self.rounded(e) } else { e }
            }
            Meaning::SignedInfinity => {
                let sign = question(FloatOp::SignBit, values.clone());
                let which = choose(sign, number(-1), number(1));
                choose(question(FloatOp::IsInfinite, values), which, number(0))
            }
            _ => {
                // The values of FP_NAN, FP_INFINITE, FP_ZERO, FP_SUBNORMAL, FP_NORMAL in glibc.
                let is = |op| question(op, values.clone());
                let out = choose(is(FloatOp::IsSubnormal), number(3), number(2));
                let out = choose(is(FloatOp::IsNormal), number(4), out);
                let out = choose(is(FloatOp::IsInfinite), number(1), out);
                choose(is(FloatOp::IsNan), number(0), out)
            }
        }))
    }

    /// A call of a function of `long double`. Macros of `<math.h>` mention them in branches that are not
    /// taken, so only what reaches the value is unsupported.
    pub(super) fn long_call(
        &mut self,
        name: &str,
        f: Option<FuncId>,
        args: Args<'_>,
        at: AstSpan,
    ) -> Res<Option<Expr>> {
        self.effects(args)?;
        let ty = self.declared_result(f).unwrap_or(Type::INT);
        let what = self.located(at, &format!("call of `{name}`"));
        Ok(Some(Expr { ty, kind: ExprKind::Unsupported(what.into()), span: self.span(at) }))
    }

    /// From here on the program is unsupported if the condition holds.
    pub(super) fn refuse_if(&mut self, condition: Expr, what: &str, at: AstSpan) {
        let what = self.located(at, what);
        let (good, bad) = (self.b().label(), self.b().label());
        self.b().branch(condition, bad, good);
        self.b().place(bad);
        self.b().finish(NodeKind::Unsupported(what.into()));
        self.b().current = None;
        self.b().place(good);
    }

    /// The argument of a macro that takes any floating-point type.
    fn any_float(&self, e: Expr) -> Expr {
        match e.ty {
            Type::Ieee(_) => e,
            _ => self.convert(e, Type::Ieee(Format::BINARY64)),
        }
    }
}
