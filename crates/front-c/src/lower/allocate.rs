//! Memory that the program allocates: `malloc`, `calloc` and what is made of them.
//!
//! A block has no type here: what its address is converted to decides that (see [`Instr::Alloc`]). With
//! `--malloc may-fail` each call chooses whether it returns null; `calloc` always does where the number of
//! bytes is no `size_t`.
//!
//! Entry points: [`Lowerer::try_to_allocate`], [`Lowerer::allocate_elements`], [`Lowerer::allocate_bytes`].

use lang_c::span::Span as AstSpan;

use super::constant::fold;
use super::{Lowerer, Res};
use crate::ir::{BinOp, CmpOp, Expr, ExprKind, Instr, Nondet, Storage};
use crate::library::internal_name;
use crate::types::{IntType, Type};

impl Lowerer<'_> {
    /// `malloc` or `calloc`, which may fail if the options say so.
    pub(super) fn try_to_allocate(&mut self, bytes: Expr, zero: bool, at: AstSpan) -> Expr {
        if !self.options.malloc_fails {
            self.succeeds(at);
            return self.allocate_bytes(bytes, zero, Storage::Allocated, true);
        }
        let span = self.span(at);
        let ty = Type::Void.pointer_to();
        let bytes = self.b().save(bytes);
        let result = self.b().temp("block", ty.clone());
        self.b().emit(Instr::Assign(result.clone(), Expr::constant(0, ty, span)));
        let flag = self.b().temp("fails", Type::Int(IntType::BOOL));
        let function = Some(crate::harness::MALLOC_FAILS.into());
        let (ty, call) = (Type::Int(IntType::BOOL), crate::ir::Span::default());
        let nondet = Nondet::value(function, ty, call);
        self.b().emit(Instr::Nondet(Some(flag.clone()), nondet));
        let (fails, works, end) = (self.b().label(), self.b().label(), self.b().label());
        self.b().branch(flag.load(), fails, works);
        self.b().place(fails);
        self.no_memory(at);
        self.b().jump(end);
        self.b().place(works);
        self.succeeds(at);
        let block = self.allocate_bytes(bytes, zero, Storage::Allocated, true);
        self.b().emit(Instr::Assign(result.clone(), block));
        self.b().place(end);
        result.load()
    }

    /// `calloc`: null if the number of bytes is no `size_t`.
    pub(super) fn allocate_elements(&mut self, n: Expr, size: Expr, at: AstSpan) -> Res<Expr> {
        let span = self.span(at);
        let (n, size) = (self.convert(n, self.size_type()), self.convert(size, self.size_type()));
        let most = (1i128 << self.options.data_model.word()) - 1;
        let fits = match (fold(&n), fold(&size)) {
            _ if self.math() => Some(true),
            (Some(a), Some(b)) => Some(a.checked_mul(b).is_some_and(|total| total <= most)),
            (Some(0 | 1), _) | (_, Some(0 | 1)) => Some(true),
            _ => None,
        };
        if fits == Some(true) {
            let total = self.arithmetic(BinOp::Mul, n, size, at)?;
            return Ok(self.try_to_allocate(total, true, at));
        }
        let ty = Type::Void.pointer_to();
        let result = self.b().temp("block", ty.clone());
        self.b().emit(Instr::Assign(result.clone(), Expr::constant(0, ty, span)));
        if fits == Some(false) {
            self.no_memory(at);
            return Ok(result.load());
        }
        // By a constant, if one factor is one.
        let (n, size) = if fold(&n).is_some() { (size, n) } else { (n, size) };
        let n = self.b().save(n);
        let size = if fold(&size).is_some() { size } else { self.b().save(size) };
        let (divide, allocate) = (self.b().label(), self.b().label());
        let (fails, end) = (self.b().label(), self.b().label());
        let zero = Expr::constant(0, self.size_type(), span);
        let make = |op, a: &Expr, b: Expr| {
            let kind = ExprKind::Compare(op, Box::new(a.clone()), Box::new(b));
            Expr { ty: Type::INT, kind, span }
        };
        let limit = match fold(&size) {
            Some(size) => {
                self.b().jump(divide);
                Expr::constant(most / size, self.size_type(), span)
            }
            None => {
                self.b().branch(make(CmpOp::Eq, &size, zero), allocate, divide);
                let most = Expr::constant(most, self.size_type(), span);
                self.arithmetic(BinOp::Div, most, size.clone(), at)?
            }
        };
        self.b().place(divide);
        self.b().branch(make(CmpOp::Le, &n, limit), allocate, fails);
        self.b().place(fails);
        self.no_memory(at);
        self.b().jump(end);
        self.b().place(allocate);
        let total = self.arithmetic(BinOp::Mul, n, size, at)?;
        let block = self.try_to_allocate(total, true, at);
        self.b().emit(Instr::Assign(result.clone(), block));
        self.b().place(end);
        Ok(result.load())
    }

    /// An allocation fails: `errno` is `ENOMEM`.
    pub(super) fn no_memory(&mut self, at: AstSpan) {
        const ENOMEM: i128 = 12;
        if let Some(errno) = self.errno(at) {
            let value = Expr::constant(ENOMEM, errno.ty.clone(), errno.span);
            self.b().emit(Instr::Assign(errno, value));
        }
    }

    /// An allocation succeeds, and may change `errno` all the same (C11 7.5p3), if the program looks at it.
    pub(super) fn succeeds(&mut self, at: AstSpan) {
        let looks = internal_name("__errno_location").is_some_and(|n| self.linked.contains_key(&n));
        let Some(errno) = self.errno(at).filter(|_| looks) else { return };
        let (changes, end) = (self.b().label(), self.b().label());
        let choice = self.outside(Type::Int(IntType::BOOL)).expect("a value");
        self.b().branch(choice, changes, end);
        self.b().place(changes);
        let value = self.unknown(Type::INT);
        self.b().emit(Instr::Assign(errno, value.clone()));
        let zero = Box::new(Expr::constant(0, Type::INT, value.span));
        let (ty, span) = (Type::INT, value.span);
        self.b().emit(Instr::Assume(Expr {
            ty,
            kind: ExprKind::Compare(CmpOp::Ne, Box::new(value), zero),
            span,
        }));
        self.b().place(end);
    }

    /// Allocates untyped memory. The element type is decided by what the pointer is converted to, see
    /// [`Instr::Alloc`].
    pub(super) fn allocate_bytes(
        &mut self,
        bytes: Expr,
        zero: bool,
        storage: Storage,
        by_malloc: bool,
    ) -> Expr {
        let dest = self.b().temp("block", Type::Void.pointer_to());
        let site = self.b().sites;
        self.b().sites += 1;
        let count = self.convert(bytes, self.size_type());
        self.evaluate(count.clone());
        let element = Type::Void;
        self.b().emit(Instr::Alloc { dest: dest.clone(), element, count, zero, storage, by_malloc, site });
        dest.load()
    }
}
