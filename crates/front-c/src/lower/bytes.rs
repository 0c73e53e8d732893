//! `memset` and `memcpy` of objects that are not bytes: whole objects at once, arrays element by element.
//!
//! Memory is made of typed cells. So a copy of whole elements between arrays of one type, and a fill with
//! zero, need no bytes. What a `void *` points to is known later (`encode/clear.rs`). All other calls use the
//! library's loops over `char` (`crate::library`): what they run over is seen as bytes (`memory::views`).

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};

use super::call::cannot_fail;
use super::constant::{fold, has_effects};
use super::decl::reads_object;
use super::{Lowerer, Res};
use crate::ir::{BinOp, CmpOp, Expr, ExprKind, Instr, NodeKind, Padding, Place, PlaceKind};
use crate::types::Type;

/// Why a copy is refused.
pub(super) const OVERLAP: &str = "a copy between parts of memory that overlap";

impl Lowerer<'_> {
    /// `memset(p, 0, n)`. `None`: another use, and nothing was done.
    pub(super) fn fill(
        &mut self,
        object: &Ast<ast::Expression>,
        byte: &Ast<ast::Expression>,
        size: &Ast<ast::Expression>,
        at: AstSpan,
    ) -> Res<Option<Expr>> {
        if [object, byte, size].iter().any(|e| has_effects(&e.node)) {
            return Ok(None);
        }
        let (to, byte, size) = (self.expr(object)?, self.expr(byte)?, self.expr(size)?);
        if fold(&byte) != Some(0) {
            return Ok(None);
        }
        let result = self.given_back(&to);
        if let Some(place) = whole_object(&to)
            && self.has_size(&place.ty, &size)
        {
            let place = self.written(place);
            self.b().emit(Instr::Zero(place, Padding::Zero));
            return Ok(Some(result));
        }
        let Some(element) = element_of(&to) else {
            if stripped(&to).ty.pointee() != Some(&Type::Void) {
                return Ok(None);
            }
            let size = self.convert(size, self.size_type());
            self.b().emit(Instr::Clear(stripped(&to).clone(), size));
            return Ok(Some(result));
        };
        Ok(self.each_element(&to, None, &element, size, false, at)?.then_some(result))
    }

    /// What `memset` and `memcpy` return: the address that they were given, whatever they write.
    fn given_back(&mut self, to: &Expr) -> Expr {
        let fixed = cannot_fail(to) && !reads_object(to);
        let now = if fixed { to.clone() } else { self.b().save(to.clone()) };
        self.convert(now, Type::Void.pointer_to())
    }

    /// `memcpy(p, q, n)` of objects of one type. `None`: another use, and nothing was done.
    pub(super) fn copy(
        &mut self,
        to: &Ast<ast::Expression>,
        from: &Ast<ast::Expression>,
        size: &Ast<ast::Expression>,
        at: AstSpan,
    ) -> Res<Option<Expr>> {
        if [to, from, size].iter().any(|e| has_effects(&e.node)) {
            return Ok(None);
        }
        let (to, from, size) = (self.expr(to)?, self.expr(from)?, self.expr(size)?);
        let result = self.given_back(&to);
        if let (Some(a), Some(b)) = (whole_object(&to), whole_object(&from))
            && a.ty == b.ty
            && matches!(a.ty, Type::Record(_) | Type::Int(_) | Type::Ieee(_) | Type::Pointer(_))
            && self.has_size(&a.ty, &size)
        {
            let a = self.written(a);
            self.b().emit(Instr::Assign(a, b.load()));
            return Ok(Some(result));
        }
        if let Some((a, b)) = self.with_pointers(&to, &from, &size) {
            let pointer = a.ty.clone().pointer_to();
            let [first, second] = [&to, &from].map(|e| as_pointer(e, &pointer));
            let one = Expr::constant(1, self.size_type(), self.span(at));
            self.demand_apart(&first, &second, &one, at);
            let a = self.written(a);
            self.b().emit(Instr::Assign(a, b.load()));
            return Ok(Some(result));
        }
        match (element_of(&to), element_of(&from)) {
            (Some(element), Some(other)) if element == other => {
                Ok(self.each_element(&to, Some(&from), &element, size, false, at)?.then_some(result))
            }
            _ => Ok(None),
        }
    }

    /// The two places where one is a whole object with pointers or padding, and the other one is where bytes
    /// are: such an object is copied as it is, since pointers and padding have no bytes.
    fn with_pointers(&self, to: &Expr, from: &Expr, size: &Expr) -> Option<(Place, Place)> {
        let pointer = |t: &Type| matches!(t, Type::Pointer(_));
        let object = |e: &Expr| {
            let place = whole_object(e)?;
            let records = &self.unit.records;
            let odd = place.ty.has(records, &pointer) || records.has_gaps(&place.ty, self.options.data_model);
            let whole = matches!(place.ty, Type::Record(_) | Type::Pointer(_));
            (odd && whole && self.has_size(&place.ty, size)).then_some(place)
        };
        let bytes = |e: &Expr, ty: &Type| {
            let e = stripped(e);
            let byte = |t: &Type| matches!(t, Type::Void) || matches!(t, Type::Int(t) if t.bits == 8);
            let kind = PlaceKind::Deref(Box::new(as_pointer(e, &ty.clone().pointer_to())));
            e.ty.pointee().is_some_and(byte).then(|| Place { ty: ty.clone(), kind, span: e.span })
        };
        match (object(to), object(from)) {
            (Some(a), None) => bytes(from, &a.ty).map(|b| (a, b)),
            (None, Some(b)) => bytes(to, &b.ty).map(|a| (a, b)),
            _ => None,
        }
    }

    fn has_size(&self, ty: &Type, size: &Expr) -> bool {
        let n = self.unit.records.size_of(ty, self.options.data_model).map(i128::from);
        n.is_some() && n == fold(size)
    }

    /// A loop that zeroes elements, or copies them, as many as `size` bytes have. False: they are bytes,
    /// which are not wanted here, and nothing was done.
    pub(super) fn each_element(
        &mut self,
        to: &Expr,
        from: Option<&Expr>,
        element: &Type,
        size: Expr,
        bytes_too: bool,
        at: AstSpan,
    ) -> Res<bool> {
        let least = if bytes_too { 1 } else { 2 };
        let Some(bytes) = self.unit.records.size_of(element, self.options.data_model).filter(|&n| n >= least)
        else {
            return Ok(false);
        };
        if fold(&size).is_some_and(|n| n % i128::from(bytes) != 0) {
            return Ok(false);
        }
        let (span, word) = (self.span(at), self.size_type());
        let pointer = element.clone().pointer_to();
        let to = self.b().save(Expr { ty: pointer.clone(), ..stripped(to).clone() });
        let from = from.map(|e| self.b().save(Expr { ty: pointer.clone(), ..stripped(e).clone() }));
        let size = self.convert(size, word.clone());
        let size = self.b().save(size);
        let constant = |v: i128| Expr::constant(v, word.clone(), span);
        let rest = self.arithmetic(BinOp::Rem, size.clone(), constant(i128::from(bytes)), at)?;
        let (whole, part) = (self.b().label(), self.b().label());
        let is_whole = self.compare(CmpOp::Eq, rest, constant(0), at);
        self.b().branch(is_whole, whole, part);
        self.b().place(part);
        let what = self.located(at, "a part of an object that is not `char` as bytes");
        self.b().finish(NodeKind::Unsupported(what.into()));
        self.b().current = None;
        self.b().place(whole);
        let count = self.arithmetic(BinOp::Div, size, constant(i128::from(bytes)), at)?;
        let count = self.b().save(count);
        let index = self.b().temp("i", word.clone());
        self.b().emit(Instr::Assign(index.clone(), constant(0)));
        let (head, body, end) = self.loop_labels();
        let more = self.compare(CmpOp::Lt, index.clone().load(), count.clone(), at);
        self.b().branch(more, body, end);
        self.b().place(body);
        let at_index = |base: Expr| {
            let kind = ExprKind::PtrAdd(Box::new(base), Box::new(index.clone().load()), false);
            let pointer = Expr { ty: pointer.clone(), kind, span };
            Place { ty: element.clone(), kind: PlaceKind::Deref(Box::new(pointer)), span }
        };
        let target = at_index(to.clone());
        let instr = match &from {
            Some(from) => Instr::Assign(target, at_index(from.clone()).load()),
            None => Instr::Zero(target, Padding::Zero),
        };
        self.b().emit(instr);
        let next = self.arithmetic(BinOp::Add, index.clone().load(), constant(1), at)?;
        self.b().emit(Instr::Assign(index.clone(), next));
        self.b().jump(head);
        self.b().place(end);
        // A new block lies apart from the old one anyway.
        if let Some(from) = from.filter(|_| !bytes_too) {
            self.demand_apart(&to, &from, &count, at);
        }
        Ok(true)
    }

    /// What a copy between parts that overlap does is undefined, unless they begin at the same place.
    fn demand_apart(&mut self, to: &Expr, from: &Expr, count: &Expr, at: AstSpan) {
        let span = self.span(at);
        let end = |of: &Expr| {
            let kind = ExprKind::PtrAdd(Box::new(of.clone()), Box::new(count.clone()), false);
            Expr { ty: of.ty.clone(), kind, span }
        };
        let before = |a: &Expr, b: Expr| {
            let kind = ExprKind::Compare(CmpOp::Before, Box::new(a.clone()), Box::new(b));
            Expr { ty: Type::INT, kind, span }
        };
        let (overlap, apart) = (self.b().label(), self.b().label());
        for (first, second) in [(to, from), (from, to)] {
            let (inside, next) = (self.b().label(), self.b().label());
            self.b().branch(before(first, second.clone()), inside, next);
            self.b().place(inside);
            self.b().branch(before(second, end(first)), overlap, apart);
            self.b().place(next);
        }
        self.b().jump(apart);
        self.b().place(overlap);
        let what = self.located(at, OVERLAP);
        self.b().finish(NodeKind::Unsupported(what.into()));
        self.b().current = None;
        self.b().place(apart);
    }
}

/// A pointer as one of this type.
fn as_pointer(e: &Expr, ty: &Type) -> Expr {
    Expr { ty: ty.clone(), kind: ExprKind::Cast(Box::new(stripped(e).clone())), span: e.span }
}

/// The pointer under conversions to other pointer types.
pub(super) fn stripped(e: &Expr) -> &Expr {
    match &e.kind {
        ExprKind::Cast(inner) if matches!(inner.ty, Type::Pointer(_)) => stripped(inner),
        _ => e,
    }
}

/// The type of the elements a pointer runs over, by its form.
pub(super) fn element_of(e: &Expr) -> Option<Type> {
    let ty = stripped(e).ty.pointee()?;
    matches!(ty, Type::Int(_) | Type::Ieee(_) | Type::Pointer(_) | Type::Record(_)).then(|| ty.clone())
}

/// The object a pointer expression is the start of, by its form.
fn whole_object(e: &Expr) -> Option<Place> {
    match &e.kind {
        ExprKind::Cast(inner) if matches!(inner.ty, Type::Pointer(_)) => whole_object(inner),
        ExprKind::Address(p) => match &p.kind {
            // The first element of an array, from the array itself.
            PlaceKind::Index(array, i) if i.as_const() == Some(0) => Some((**array).clone()),
            _ => Some((**p).clone()),
        },
        ExprKind::Load(_)
            if matches!(e.ty.pointee(), Some(Type::Record(_) | Type::Int(_) | Type::Ieee(_))) =>
        {
            let ty = e.ty.pointee()?.clone();
            Some(Place { ty, kind: PlaceKind::Deref(Box::new(e.clone())), span: e.span })
        }
        _ => None,
    }
}
