//! Floating-point expressions to terms: the circuits of [`palisade_float`], rounded as C's operators do.
//!
//! The bits of a NaN that an operation made differ from machine to machine. So wherever the sign of a NaN
//! becomes visible, it is arbitrary, and a violation that follows counts as one that need not occur.

use palisade_float::{Circuits, Format, Rounding};
use palisade_term::Term;

use super::Encoder;
use super::state::Otherwise;
use crate::domain::{Undefined, Val};
use crate::ir::{BinOp, CmpOp, Expr, ExprKind, FloatOp, Span};
use crate::lower::ROUNDING;
use crate::types::{IntType, Type};

/// How an operation rounds.
#[derive(Clone, Copy)]
pub(super) enum Mode {
    Fixed(Rounding),
    /// By the last two bits of a word, see [`crate::library::ROUNDING`].
    Chosen(Term),
}

impl<'a> Encoder<'a> {
    /// The rounding mode that an expression gives.
    pub(super) fn mode(&mut self, e: &Expr) -> Mode {
        Mode::Chosen(self.int(e).term)
    }

    /// A result in the rounding mode.
    fn by_mode(&self, mode: Mode, result: impl Fn(Rounding) -> Term) -> Term {
        let p = self.pool;
        let word = match mode {
            Mode::Fixed(r) => return result(r),
            Mode::Chosen(word) => word,
        };
        let set = |k| p.eq(p.extract(k, k, word), p.bitvec(1, 1));
        let choose = |k, one: &dyn Fn() -> Term, zero: &dyn Fn() -> Term| {
            let c = set(k);
            match p.as_bool(c) {
                Some(true) => one(),
                Some(false) => zero(),
                None => p.ite(c, one(), zero()),
            }
        };
        choose(1, &|| choose(0, &|| result(Rounding::Zero), &|| result(Rounding::Up)), &|| {
            choose(0, &|| result(Rounding::Down), &|| result(Rounding::NearestEven))
        })
    }

    fn circuits(&self, f: Format) -> Circuits<'a> {
        Circuits::new(self.pool, f)
    }

    /// The bits of a floating-point expression.
    pub(super) fn float(&mut self, e: &Expr, f: Format) -> Term {
        match &e.kind {
            ExprKind::Rounded(mode, operation) => {
                self.note("that the compiler rounds where the program says so (-frounding-math)", e.span);
                let mode = self.mode(mode);
                self.float_in(mode, operation, f)
            }
            _ => self.float_in(Mode::Fixed(ROUNDING), e, f),
        }
    }

    /// The same; the outermost operation rounds in this mode.
    fn float_in(&mut self, mode: Mode, e: &Expr, f: Format) -> Term {
        let c = self.circuits(f);
        match &e.kind {
            ExprKind::FloatConst(bits) => c.constant(*bits),
            ExprKind::Load(p) => {
                let access = self.resolve(p, false);
                self.load_float(&access, f, e.span)
            }
            ExprKind::Neg(a) => c.neg(self.float(a, f)),
            ExprKind::Binary(op, a, b) => {
                let (x, y) = (self.float(a, f), self.float(b, f));
                match op {
                    BinOp::Add => self.by_mode(mode, |r| c.add(r, x, y)),
                    BinOp::Sub => self.by_mode(mode, |r| c.sub(r, x, y)),
                    BinOp::Mul => self.by_mode(mode, |r| c.mul(r, x, y)),
                    BinOp::Div => self.by_mode(mode, |r| c.div(r, x, y)),
                    _ => unreachable!("not an operation on floating-point numbers"),
                }
            }
            ExprKind::Cond(k, a, b) => {
                let k = self.condition(k);
                let x = self.under(k, |s| s.float(a, f));
                let y = self.under(self.pool.not(k), |s| s.float(b, f));
                self.pool.ite(k, x, y)
            }
            ExprKind::Cast(a) => match &a.ty {
                Type::Ieee(from) => {
                    let x = self.float(a, *from);
                    self.by_mode(mode, |r| c.from_float(r, *from, x))
                }
                Type::Int(from) => {
                    let v = self.int(a);
                    // `_Bool` is no bit-vector.
                    let (v, from) = match from.boolean {
                        true => (self.domain.convert(v, *from, IntType::INT), IntType::INT),
                        false => (v, *from),
                    };
                    self.by_mode(mode, |r| c.from_int(r, v.term, from.signed))
                }
                _ => {
                    self.unsupported("this conversion to floating point", e.span);
                    c.constant(0)
                }
            },
            ExprKind::Float(op, args) => {
                let args: Vec<Term> = args.iter().map(|a| self.float(a, f)).collect();
                self.float_function(*op, mode, f, &args, e.span)
            }
            ExprKind::Unsupported(what) => {
                self.unsupported_located(what.clone());
                c.constant(0)
            }
            _ => {
                self.unsupported("this floating-point expression", e.span);
                c.constant(0)
            }
        }
    }

    fn float_function(&mut self, op: FloatOp, mode: Mode, f: Format, args: &[Term], span: Span) -> Term {
        let (p, c) = (self.pool, self.circuits(f));
        match (op, args) {
            (FloatOp::Abs, &[a]) => c.abs(a),
            (FloatOp::Sqrt, &[a]) => self.by_mode(mode, |r| c.sqrt(r, a)),
            (FloatOp::Round(r), &[a]) => {
                // `rint` rounds as the operators do, `floor` and its kind in one way.
                let mode = if let Mode::Chosen(_) = mode { mode } else { Mode::Fixed(r) };
                self.by_mode(mode, |r| c.round_to_integral(r, a))
            }
            (FloatOp::Min | FloatOp::Max, &[a, b]) => {
                // C leaves open which of two zeros is the smaller one.
                let zeros = p.and2(c.is_zero(a), c.is_zero(b));
                let differ = p.not(p.eq(c.is_negative(a), c.is_negative(b)));
                let open = p.and2(zeros, differ);
                let value = if op == FloatOp::Min { c.min(a, b) } else { c.max(a, b) };
                if open == p.fls() {
                    return value;
                }
                self.set_open(open);
                let other = if op == FloatOp::Min { c.max(a, b) } else { c.min(a, b) };
                let choice = self.arbitrary("zero", &Type::Int(IntType::BOOL));
                p.ite(p.and2(open, choice), other, value)
            }
            (FloatOp::CopySign, &[a, b]) => {
                let sign = self.visible_sign(f, b);
                c.copy_sign(a, sign)
            }
            _ => {
                self.unsupported("this floating-point function", span);
                c.constant(0)
            }
        }
    }

    /// The sign of a number where the program sees it: that of a NaN is not known.
    fn visible_sign(&mut self, f: Format, a: Term) -> Term {
        let (p, c) = (self.pool, self.circuits(f));
        let nan = c.is_nan(a);
        if nan == p.fls() {
            return c.is_negative(a);
        }
        self.set_open(nan);
        let any = self.arbitrary("sign", &Type::Int(IntType::BOOL));
        p.ite(nan, any, c.is_negative(a))
    }

    /// The answer of a question about numbers.
    pub(super) fn float_predicate(&mut self, op: FloatOp, args: &[Expr], span: Span) -> Term {
        let Some(f) = args.first().and_then(|a| a.ty.as_float()) else {
            self.unsupported("this question about a number", span);
            return self.pool.fls();
        };
        let args: Vec<Term> = args.iter().map(|a| self.float(a, f)).collect();
        let c = self.circuits(f);
        match (op, &args[..]) {
            (FloatOp::IsNan, &[a]) => c.is_nan(a),
            (FloatOp::IsInfinite, &[a]) => c.is_infinite(a),
            (FloatOp::IsFinite, &[a]) => c.is_finite(a),
            (FloatOp::IsNormal, &[a]) => c.is_normal(a),
            (FloatOp::IsSubnormal, &[a]) => c.is_subnormal(a),
            (FloatOp::SignBit, &[a]) => self.visible_sign(f, a),
            (FloatOp::Unordered, &[a, b]) => c.unordered(a, b),
            _ => {
                self.unsupported("this question about a number", span);
                self.pool.fls()
            }
        }
    }

    /// The answer of a question as a number. Of `isinf` and `signbit` C says only that it is not zero.
    pub(super) fn answer_value(&mut self, op: FloatOp, c: Term, ty: IntType) -> Val {
        let value = self.truth_value(c, ty);
        if !matches!(op, FloatOp::IsInfinite | FloatOp::SignBit) || c == self.pool.fls() {
            return value;
        }
        self.set_open(c);
        let any = self.arbitrary("nonzero", &Type::Int(ty));
        let zero = self.domain.constant(0, ty).term;
        let any = self.pool.ite(self.pool.eq(any, zero), value.term, any);
        self.domain.variable(self.pool.ite(c, any, zero), ty)
    }

    pub(super) fn compare_floats(&mut self, op: CmpOp, f: Format, a: &Expr, b: &Expr) -> Term {
        let (x, y) = (self.float(a, f), self.float(b, f));
        let c = self.circuits(f);
        match op {
            CmpOp::Eq => c.eq(x, y),
            CmpOp::Ne => self.pool.not(c.eq(x, y)),
            CmpOp::Lt | CmpOp::Before => c.lt(x, y),
            CmpOp::Le => c.le(x, y),
            CmpOp::Gt => c.lt(y, x),
            CmpOp::Ge => c.le(y, x),
        }
    }

    /// `lrint` and its kind. C leaves the result open if it does not fit.
    pub(super) fn rounded_to_int(&mut self, mode: Mode, args: &[Expr], to: IntType, span: Span) -> Val {
        let Some((a, f)) = args.first().and_then(|a| Some((a, a.ty.as_float()?))) else {
            self.unsupported("this conversion of a floating-point number", span);
            return self.domain.constant(0, to);
        };
        let x = self.float(a, f);
        let c = self.circuits(f);
        let value = self.by_mode(mode, |r| c.to_int(r, x, to.bits, to.signed).0);
        let fits = self.by_mode(mode, |r| c.to_int(r, x, to.bits, to.signed).1);
        let what = format!("a floating-point number that does not fit an integer, {}", self.position(span));
        self.require(fits, &Otherwise::Unsupported(what.into()));
        self.domain.variable(value, to)
    }

    /// A number as an integer: undefined if it does not fit.
    pub(super) fn float_to_int(&mut self, a: &Expr, from: Format, to: IntType, span: Span) -> Val {
        let x = self.float(a, from);
        if to.boolean {
            self.unsupported("this conversion of a floating-point number", span);
            return self.domain.constant(0, to);
        }
        let (value, fits) = self.circuits(from).to_int(Rounding::Zero, x, to.bits, to.signed);
        self.require_defined(Undefined::Conversion, fits);
        self.domain.variable(value, to)
    }
}
