//! Typed construction: arithmetic with the usual conversions, comparisons, pointer arithmetic, casts (C11
//! 6.3, 6.5).
//!
//! All conversions become explicit here. Constants are folded only where no integer mode could disagree:
//! where the exact value fits the type.

use lang_c::span::Span as AstSpan;

use super::constant::{fold, fold_defined};
use super::{Lowerer, Res};
use crate::ir::{BinOp, CmpOp, Expr, ExprKind, Place, PlaceKind};
use crate::types::{IntType, Type};

/// Why an index is refused.
const LONG_INDEX: &str = "an index of more than 64 bits";

impl Lowerer<'_> {
    pub(super) fn pointer_plus(&mut self, pointer: Expr, index: Expr, minus: bool) -> Expr {
        if index.as_const() == Some(0) {
            return pointer;
        }
        if pointer.ty.pointee().is_some_and(Type::is_variable) {
            return self.move_by_rows(pointer, index, minus);
        }
        let (ty, span) = (pointer.ty.clone(), pointer.span);
        Expr { ty, kind: ExprKind::PtrAdd(Box::new(pointer), Box::new(index), minus), span }
    }

    /// An index of 128 bits as one of 64, which addresses have. Another one is unsupported.
    pub(super) fn short_index(&mut self, index: Expr, at: AstSpan) -> Res<Expr> {
        if !matches!(index.ty, Type::Int(t) if t.is_int128()) {
            return Ok(index);
        }
        let word = IntType::word(self.options.data_model, true);
        match fold(&index) {
            Some(v) if word.contains(v) => return Ok(Expr::constant(v, Type::Int(word), index.span)),
            None if self.builder.is_some() => {}
            _ => return self.unsupported(at, LONG_INDEX),
        }
        let index = self.b().save(index);
        let short = self.convert(index.clone(), Type::Int(word));
        let back = self.convert(short.clone(), index.ty.clone());
        let differs = self.compare(CmpOp::Ne, back, index, at);
        self.refuse_if(differs, LONG_INDEX, at);
        Ok(short)
    }

    /// A binary arithmetic operator with the usual conversions, or pointer arithmetic.
    pub(super) fn arithmetic(&mut self, op: BinOp, a: Expr, b: Expr, at: AstSpan) -> Res<Expr> {
        let span = self.span(at);
        let (ta, tb) = match (&a.ty, &b.ty) {
            (Type::Int(x), Type::Int(y)) => (*x, *y),
            (Type::Pointer(_), Type::Int(_)) if matches!(op, BinOp::Add | BinOp::Sub) => {
                let b = self.short_index(b, at)?;
                return Ok(self.pointer_plus(a, b, op == BinOp::Sub));
            }
            (Type::Int(_), Type::Pointer(_)) if op == BinOp::Add => {
                let a = self.short_index(a, at)?;
                return Ok(self.pointer_plus(b, a, false));
            }
            (Type::Pointer(_), Type::Pointer(_)) if op == BinOp::Sub => {
                if self.is_label_address(&a) || self.is_label_address(&b) {
                    return self.unsupported(at, "a difference of addresses of labels");
                }
                if a.ty.pointee().is_some_and(Type::is_variable) {
                    return self.unsupported(at, "a difference of pointers to arrays of variable length");
                }
                let ty = Type::Int(IntType::word(self.options.data_model, true));
                let size = a.ty.pointee().and_then(|t| self.size_in_bytes(t)).filter(|&n| n > 0);
                if let (Some(x), Some(y), Some(n)) =
                    (self.constant_address(&a), self.constant_address(&b), size)
                    && let Some(bytes) = ty.as_int().map(|t| t.wrap(x - y))
                    && bytes % n == 0
                {
                    return Ok(Expr::constant(bytes / n, ty, span));
                }
                return Ok(Expr { ty, kind: ExprKind::PtrSub(Box::new(a), Box::new(b)), span });
            }
            (Type::Float(_), _) | (_, Type::Float(_)) => {
                let ty = super::float::common(&a.ty, &b.ty);
                let e = if matches!(a.ty, Type::Float(_)) { a } else { b };
                return Ok(Expr { ty, ..self.not_an_integer(e, at) });
            }
            (Type::Ieee(_), Type::Ieee(_) | Type::Int(_)) | (Type::Int(_), Type::Ieee(_)) => {
                return self.float_arithmetic(op, a, b, at);
            }
            _ => return self.invalid(at, format!("operands of types `{}` and `{}`", a.ty, b.ty)),
        };
        let shift = matches!(op, BinOp::Shl | BinOp::Shr);
        let ty = if shift { ta.promoted() } else { ta.common(tb) };
        let a = self.convert(a, Type::Int(ty));
        let b = self.convert(b, Type::Int(if shift { tb.promoted() } else { ty }));
        let e = Expr { ty: Type::Int(ty), kind: ExprKind::Binary(op, Box::new(a), Box::new(b)), span };
        // Constants fold where no mode can disagree: the value fits the type.
        if let ExprKind::Binary(_, x, y) = &e.kind
            && let (Some(x), Some(y)) = (x.as_const(), y.as_const())
            && let Some(v) = exact(op, x, y)
            && ty.contains(v)
        {
            return Ok(Expr::constant(v, e.ty, span));
        }
        Ok(e)
    }

    pub(super) fn compare(&mut self, op: CmpOp, a: Expr, b: Expr, at: AstSpan) -> Expr {
        let span = self.span(at);
        let is_null = |e: &Expr| super::bytes::stripped(e).as_const() == Some(0);
        let labels = [&a, &b].into_iter().any(|e| self.is_label_address(e));
        if labels && !is_null(&a) && !is_null(&b) {
            let what = self.located(at, "a comparison with the address of a label");
            return Expr { ty: Type::INT, kind: ExprKind::Unsupported(what.into()), span };
        }
        // Whether pointers are equal, or null, as integers is whether they are as pointers.
        let word = self.options.data_model.word();
        let (a, b) = match op {
            CmpOp::Eq | CmpOp::Ne => {
                let a = unwrap_address(a, &b, word);
                let b = unwrap_address(b, &a, word);
                (a, b)
            }
            _ => (a, b),
        };
        let (a, b) = match (&a.ty, &b.ty) {
            (Type::Int(x), Type::Int(y)) => {
                let ty = Type::Int(x.common(*y));
                (self.convert(a, ty.clone()), self.convert(b, ty))
            }
            (Type::Pointer(_), Type::Pointer(_)) => (a, b),
            (Type::Pointer(_), Type::Int(_)) => {
                let ty = a.ty.clone();
                (a, self.convert(b, ty))
            }
            (Type::Int(_), Type::Pointer(_)) => {
                let ty = b.ty.clone();
                (self.convert(a, ty), b)
            }
            (Type::Ieee(_), Type::Ieee(_) | Type::Int(_)) | (Type::Int(_), Type::Ieee(_)) => {
                return self.float_compare(op, a, b, at);
            }
            (Type::Int(_) | Type::Ieee(_) | Type::Pointer(_), _) => {
                let e = self.not_an_integer(b, at);
                return Expr { ty: Type::INT, ..e };
            }
            _ => {
                let e = self.not_an_integer(a, at);
                return Expr { ty: Type::INT, ..e };
            }
        };
        let e = Expr { ty: Type::INT, kind: ExprKind::Compare(op, Box::new(a), Box::new(b)), span };
        match fold_defined(&e) {
            Some(v) if !self.math() => Expr::constant(v, Type::INT, span),
            _ => e,
        }
    }

    /// The size of a type; 1 for `void` and functions, as in gcc.
    pub(super) fn size_in_bytes(&self, ty: &Type) -> Option<i128> {
        match ty {
            Type::Void | Type::Function(_) => Some(1),
            _ => self.unit.records.size_of(ty, self.options.data_model).map(i128::from),
        }
    }

    /// The address that an expression has by its form alone, if it is made from a number.
    fn constant_address(&self, e: &Expr) -> Option<i128> {
        let address = match &e.kind {
            ExprKind::Const(v) => Some(*v),
            ExprKind::Cast(inner) if matches!(inner.ty, Type::Pointer(_)) => self.constant_address(inner),
            ExprKind::Address(place) => self.constant_place(place),
            ExprKind::PtrAdd(base, index, minus) => {
                let size = self.size_in_bytes(e.ty.pointee()?)?;
                let steps = fold(index)?.checked_mul(size)?;
                let base = self.constant_address(base)?;
                if *minus { base.checked_sub(steps) } else { base.checked_add(steps) }
            }
            _ => None,
        };
        address.map(|v| self.as_address(v))
    }

    /// A number as an address: so many bits, without a sign.
    fn as_address(&self, v: i128) -> i128 {
        IntType::new(self.options.data_model.word(), false).wrap(v)
    }

    /// The address of a place behind a pointer that was a number other than zero.
    pub(super) fn fixed_address(&self, place: &Place) -> Option<i128> {
        let mut root = place;
        let pointer = loop {
            match &root.kind {
                PlaceKind::Var(_) => return None,
                PlaceKind::Deref(pointer) => break pointer,
                PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => root = base,
            }
        };
        self.constant_address(pointer).filter(|v| *v != 0)?;
        self.constant_place(place).map(|v| self.as_address(v))
    }

    fn constant_place(&self, place: &Place) -> Option<i128> {
        match &place.kind {
            PlaceKind::Var(_) => None,
            PlaceKind::Deref(pointer) => self.constant_address(pointer),
            PlaceKind::Field(base, k) => {
                let Type::Record(r) = base.ty else { return None };
                let field = self.unit.records.fields(r).get(*k as usize).filter(|f| !f.bit_field)?;
                Some(self.constant_place(base)? + i128::from(field.offset))
            }
            PlaceKind::Index(base, index) => {
                let size = self.size_in_bytes(&place.ty)?;
                self.constant_place(base)?.checked_add(fold(index)?.checked_mul(size)?)
            }
        }
    }

    /// Converts a value to a type.
    pub(super) fn convert(&self, e: Expr, ty: Type) -> Expr {
        let span = e.span;
        if e.ty == ty {
            return Expr { ty, ..e }; // it may have another name
        }
        let unsupported = |what: &str| {
            let position = self.sources[span.unit as usize].position(span.start as usize);
            Expr { ty: ty.clone(), kind: ExprKind::Unsupported(format!("{what}, {position}").into()), span }
        };
        match (&e.ty, &ty) {
            _ if matches!(e.kind, ExprKind::Unsupported(_)) => Expr { ty, ..e },
            (Type::Int(_), Type::Int(_)) => e.cast(ty),
            (Type::Pointer(_), Type::Int(t)) if t.boolean => {
                let null = Expr::constant(0, e.ty.clone(), span);
                let kind = ExprKind::Compare(CmpOp::Ne, Box::new(e), Box::new(null));
                Expr { ty: Type::INT, kind, span }.cast(ty)
            }
            (Type::Pointer(_), Type::Pointer(_)) => match e.kind {
                ExprKind::Cast(inner) if inner.ty == ty => Expr { ty, ..*inner },
                _ => Expr { ty, kind: ExprKind::Cast(Box::new(e)), span },
            },
            // Integers that were made pointers are integers again; `offsetof` by hand. To wider types, gcc
            // extends the sign.
            (Type::Pointer(_), Type::Int(t)) if self.constant_address(&e).is_some() => {
                let address = self.constant_address(&e).unwrap_or(0);
                let signed = IntType::new(self.options.data_model.word(), true).wrap(address);
                Expr::constant(t.wrap(signed), ty, span)
            }
            (Type::Pointer(_), Type::Int(_)) => Expr { ty, kind: ExprKind::Cast(Box::new(e)), span },
            (Type::Int(_), Type::Pointer(_)) => {
                if let Some(v) = fold_defined(&e) {
                    return Expr::constant(self.as_address(v), ty, span);
                }
                // A pointer that went through integer types that hold it.
                let word = self.options.data_model.word();
                let mut inner = &e;
                while let ExprKind::Cast(x) = &inner.kind
                    && inner.ty.as_int().is_some_and(|t| t.bits >= word)
                {
                    inner = x;
                    if let Type::Pointer(_) = inner.ty {
                        let inner = inner.clone();
                        return self.convert(inner, ty);
                    }
                }
                // The encoder refuses it; the slicer knows what it may point to.
                Expr { ty, kind: ExprKind::Cast(Box::new(e)), span }
            }
            (_, Type::Void) => Expr { ty, kind: ExprKind::Const(0), span },
            (Type::Float(_), _) => unsupported(super::float::refused(&e.ty)),
            (_, Type::Float(_)) => unsupported(super::float::refused(&ty)),
            (Type::Ieee(_), Type::Int(t)) | (Type::Int(t), Type::Ieee(_)) if t.is_int128() => {
                unsupported("a conversion between `__int128` and floating point")
            }
            (Type::Ieee(_), Type::Int(_) | Type::Ieee(_)) | (Type::Int(_), Type::Ieee(_)) => {
                self.float_converted(e, ty)
            }
            (Type::Record(_), Type::Record(_)) => e,
            _ => unsupported("this conversion"),
        }
    }
}

/// `(unsigned long)p` as `p`, when it is compared with such a value or with 0. A type with fewer bits than an
/// address does not hold all of it.
fn unwrap_address(e: Expr, other: &Expr, word: u32) -> Expr {
    let holds_address = |ty: &Type| ty.as_int().is_some_and(|t| t.bits >= word);
    let comparable = |x: &Expr| match &x.kind {
        ExprKind::Cast(inner) => matches!(inner.ty, Type::Pointer(_)) && holds_address(&x.ty),
        _ => fold(x) == Some(0) || matches!(x.ty, Type::Pointer(_)),
    };
    match e.kind {
        ExprKind::Cast(inner)
            if matches!(inner.ty, Type::Pointer(_)) && holds_address(&e.ty) && comparable(other) =>
        {
            *inner
        }
        _ => e,
    }
}

fn exact(op: BinOp, x: i128, y: i128) -> Option<i128> {
    Some(match op {
        BinOp::Add => x.checked_add(y)?,
        BinOp::Sub => x.checked_sub(y)?,
        BinOp::Mul => x.checked_mul(y)?,
        BinOp::Div => x.checked_div(y)?,
        // It is undefined where the quotient is.
        BinOp::Rem if y == -1 => return None,
        BinOp::Rem => x.checked_rem(y)?,
        BinOp::Shl if x >= 0 && (0..32).contains(&y) => x.checked_mul(1 << y)?,
        BinOp::Shr if (0..32).contains(&y) => x >> y,
        BinOp::Shl | BinOp::Shr => return None,
        BinOp::And => x & y,
        BinOp::Or => x | y,
        BinOp::Xor => x ^ y,
    })
}
