//! Functions of the library that work on objects of any type: `realloc`, `qsort`, `bsearch`, `div`.
//!
//! Memory is made of typed cells, so a model in C over `void *` would see bytes. Here the type of the
//! elements is that of the pointer that the program passes, before it became a `void *`; the size that is
//! passed must be that of the type.
//!
//! - `realloc` is a new block, a loop that copies what both blocks have, and `free` of the old one. It may
//!   fail where `malloc` may. To no bytes is unsupported: C leaves open what is returned.
//! - `qsort` is an insertion sort. C leaves the order of equal elements open: all orders are tried, and a
//!   violation that follows is `UNKNOWN`. The comparison must change nothing, since C leaves open which
//!   elements it is called for. Before it sorts, two elements that may be any are compared: what goes wrong
//!   there is `UNKNOWN`.
//! - `bsearch` halves, as in glibc; the key is compared with any element first. If there are equal elements
//!   beside the one that was found, C leaves open which is returned: unsupported.

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};

use super::bytes::{element_of, stripped};
use super::constant::fold;
use super::order::{Operand, Operated};
use super::{Lowerer, Problem, Res};
use crate::ir::{
    BinOp, Callee, CmpOp, Expr, ExprKind, FuncId, Instr, NodeId, NodeKind, Place, PlaceKind, Storage,
};
use crate::types::{IntType, Type};

/// An array that a library function was given.
struct Elements {
    base: Expr,
    element: Type,
    at: AstSpan,
}

impl Lowerer<'_> {
    /// `realloc(block, size)`.
    pub(super) fn reallocate(
        &mut self,
        block: &Ast<ast::Expression>,
        size: &Ast<ast::Expression>,
        at: AstSpan,
    ) -> Res<Expr> {
        let (mut block, size) = self.two_values(block, size, at)?;
        if fold(&block) == Some(0) {
            block = self.convert(block, Type::Void.pointer_to());
        }
        if !matches!(block.ty, Type::Pointer(_)) {
            return self.unsupported(at, "`realloc` of something that is no pointer");
        }
        let element = element_of(&block).unwrap_or(Type::Int(IntType::CHAR));
        let span = self.span(at);
        let pointer = element.clone().pointer_to();
        let old = self.b().save(Expr { ty: pointer.clone(), ..stripped(&block).clone() });
        let size = self.convert(size, self.size_type());
        let size = if fold(&size).is_some() { size } else { self.b().save(size) };
        self.refuse_nothing(&size, at);
        let result = self.b().temp("block", Type::Void.pointer_to());
        let null = Expr::constant(0, result.ty.clone(), span);
        self.b().emit(Instr::Assign(result.clone(), null));
        let (copy, end) = (self.b().label(), self.b().label());
        if self.options.malloc_fails {
            let (fails, works) = (self.b().label(), self.b().label());
            let failed = self.outside(Type::Int(IntType::BOOL)).expect("a value");
            self.b().branch(failed, fails, works);
            self.b().place(fails);
            self.no_memory(at);
            self.b().jump(end);
            self.b().place(works);
        }
        self.succeeds(at);
        let new = self.allocate_bytes(size.clone(), false, Storage::Allocated, false);
        self.b().emit(Instr::Assign(result.clone(), new));
        let new = self.convert(result.clone().load(), pointer.clone());
        let is_null = self.compare(CmpOp::Eq, old.clone(), Expr::constant(0, pointer, span), at);
        self.b().branch(is_null, end, copy);
        self.b().place(copy);
        let word = self.size_type();
        let kept = self.b().temp("kept", word.clone());
        self.b().emit(Instr::BlockSize(kept.clone(), old.clone()));
        let less = self.compare(CmpOp::Lt, size.clone(), kept.clone().load(), at);
        let kind = ExprKind::Cond(Box::new(less), Box::new(size), Box::new(kept.clone().load()));
        let least = self.b().save(Expr { ty: word, kind, span });
        self.each_element(&new, Some(&old), &element, least, true, at)?;
        self.unit.moves = true;
        self.b().emit(Instr::Free(old));
        self.b().place(end);
        Ok(result.load())
    }

    /// A size of zero is unsupported.
    fn refuse_nothing(&mut self, size: &Expr, at: AstSpan) {
        if fold(size).is_some_and(|n| n != 0) {
            return;
        }
        let (none, some) = (self.b().label(), self.b().label());
        let zero = Expr::constant(0, size.ty.clone(), self.span(at));
        let is_zero = self.compare(CmpOp::Eq, size.clone(), zero, at);
        self.b().branch(is_zero, none, some);
        self.b().place(none);
        self.give_up("`realloc` to no bytes", at);
        self.b().place(some);
    }

    fn give_up(&mut self, what: &str, at: AstSpan) {
        let what = self.located(at, what);
        self.b().finish(NodeKind::Unsupported(what.into()));
        self.b().current = None;
    }

    /// The array at a pointer, whose elements have this many bytes.
    fn array_of(&mut self, name: &str, base: &Expr, size: &Expr, at: AstSpan) -> Res<Elements> {
        let Some(element) = element_of(base) else {
            return self.unsupported(at, &format!("`{name}` of elements of an unknown type"));
        };
        let bytes = self.unit.records.size_of(&element, self.options.data_model);
        if bytes.is_none() || fold(size) != bytes.map(i128::from) {
            return self.unsupported(at, &format!("`{name}` of elements of another size than their type"));
        }
        let base = self.b().save(Expr { ty: element.clone().pointer_to(), ..stripped(base).clone() });
        Ok(Elements { base, element, at })
    }

    /// Calls a comparison of the program.
    fn call_comparison(&mut self, comparison: &Expr, a: Expr, b: Expr, at: AstSpan) -> Res<Expr> {
        let signature = match comparison.ty.pointee() {
            Some(Type::Function(t)) if t.result == Type::INT && !t.variadic => t.clone(),
            _ => return self.invalid(at, "a comparison that is no function of type `int`"),
        };
        if signature.params.as_ref().is_some_and(|p| p.len() != 2) {
            return self.invalid(at, "a comparison that does not take two arguments");
        }
        let callee = match comparison.kind {
            ExprKind::Function(f) => {
                let name = self.unit.function(f).name.clone();
                if !self.is_defined(&name) {
                    return Err(Problem::Unsupported(format!("a comparison by `{name}`")));
                }
                Callee::Direct(f)
            }
            _ => Callee::Indirect(comparison.clone()),
        };
        let args = self.converted(vec![a, b], Some(&signature));
        let result = self.emit_call(callee, &signature, args).expect("an `int`");
        Ok(self.b().save(result))
    }

    /// The values of the arguments; the comparison, which is the last one, must change nothing.
    fn values_and_comparison(
        &mut self,
        args: &[Ast<ast::Expression>],
        at: AstSpan,
    ) -> Res<(Vec<Expr>, Expr)> {
        let operands: Vec<Operand<'_>> = args.iter().map(Operand::Value).collect();
        let mut values: Vec<Expr> =
            self.operands(&operands, false, at)?.into_iter().map(Operated::value).collect();
        let comparison = values.pop().expect("a comparison");
        let comparison = match comparison.kind {
            ExprKind::Function(_) => comparison,
            _ => self.b().save(comparison),
        };
        self.b().emit(Instr::ChangesNothing(comparison.clone()));
        Ok((values, comparison))
    }

    /// `qsort(base, count, size, comparison)`.
    pub(super) fn sort(&mut self, args: &[Ast<ast::Expression>], at: AstSpan) -> Res<()> {
        let (values, comparison) = self.values_and_comparison(args, at)?;
        let [base, count, size] = &values[..] else {
            return self.invalid(at, "`qsort` takes four arguments");
        };
        let array = self.array_of("qsort", base, size, at)?;
        let word = self.size_type();
        let count = self.convert(count.clone(), word.clone());
        let count = self.b().save(count);
        self.compare_any(
            &count,
            |me, [a, b]| {
                let (left, right) = (array.pointer(me, a), array.pointer(me, b));
                me.call_comparison(&comparison, left, right, at)
            },
            at,
        )?;
        let (i, j) = (self.b().temp("i", word.clone()), self.b().temp("j", word.clone()));
        let one = Expr::constant(1, word.clone(), self.span(at));
        let zero = Expr::constant(0, word, self.span(at));
        self.b().emit(Instr::Assign(i.clone(), one.clone()));
        let (outer, begin, end) = self.loop_labels();
        let more = self.compare(CmpOp::Lt, i.clone().load(), count, at);
        self.b().branch(more, begin, end);
        self.b().place(begin);
        self.b().emit(Instr::Assign(j.clone(), i.clone().load()));
        let (inner, compare, placed) = self.loop_labels();
        let is_first = self.compare(CmpOp::Eq, j.clone().load(), zero.clone(), at);
        self.b().branch(is_first, placed, compare);
        self.b().place(compare);
        let before = self.arithmetic(BinOp::Sub, j.clone().load(), one.clone(), at)?;
        let left = array.pointer(self, before);
        let right = array.pointer(self, j.clone().load());
        let order = self.call_comparison(&comparison, left.clone(), right.clone(), at)?;
        let swap = self.b().label();
        self.branch_on_order(
            &order,
            [placed, swap],
            |me, swap| {
                // Equal elements that differ: either may come first.
                if array.element.is_scalar() && !matches!(array.element, Type::Ieee(_)) {
                    let differ = me.b().label();
                    let same =
                        me.compare(CmpOp::Eq, array.place(&left).load(), array.place(&right).load(), at);
                    me.b().branch(same, placed, differ);
                    me.b().place(differ);
                }
                me.b().emit(Instr::Open);
                let chosen = me.outside(Type::Int(IntType::BOOL)).expect("a value");
                me.b().branch(chosen, swap, placed);
            },
            at,
        );
        self.b().place(swap);
        let value = self.b().save(array.place(&left).load());
        self.b().emit(Instr::Assign(array.place(&left), array.place(&right).load()));
        self.b().emit(Instr::Assign(array.place(&right), value));
        let before = self.arithmetic(BinOp::Sub, j.clone().load(), one.clone(), at)?;
        self.b().emit(Instr::Assign(j, before));
        self.b().jump(inner);
        self.b().place(placed);
        let next = self.arithmetic(BinOp::Add, i.clone().load(), one, at)?;
        self.b().emit(Instr::Assign(i, next));
        self.b().jump(outer);
        self.b().place(end);
        Ok(())
    }

    /// Compares two elements, whichever they are, or none: C leaves open which a library compares, and what
    /// is undefined or a violation there may happen.
    fn compare_any(
        &mut self,
        count: &Expr,
        compare: impl FnOnce(&mut Self, [Expr; 2]) -> Res<Expr>,
        at: AstSpan,
    ) -> Res<()> {
        self.unit.sorts = true;
        let indices = [0; 2].map(|_| self.outside(count.ty.clone()).expect("a value"));
        let end = self.b().label();
        let conditions = [
            self.compare(CmpOp::Lt, indices[0].clone(), count.clone(), at),
            self.compare(CmpOp::Lt, indices[1].clone(), count.clone(), at),
            self.compare(CmpOp::Ne, indices[0].clone(), indices[1].clone(), at),
        ];
        for condition in conditions {
            let next = self.b().label();
            self.b().branch(condition, next, end);
            self.b().place(next);
        }
        self.b().emit(Instr::Open);
        compare(self, indices)?;
        // Runs without it go on.
        let never = Expr::constant(0, Type::INT, self.span(at));
        self.b().emit(Instr::Assume(never));
        self.b().place(end);
        Ok(())
    }

    /// Where the result of a comparison leads: less, greater, and what is done if it is zero, given where
    /// greater leads.
    fn branch_on_order(
        &mut self,
        order: &Expr,
        [less, greater]: [NodeId; 2],
        equal: impl FnOnce(&mut Self, NodeId),
        at: AstSpan,
    ) {
        let zero = Expr::constant(0, order.ty.clone(), self.span(at));
        let (not_greater, same) = (self.b().label(), self.b().label());
        let is_greater = self.compare(CmpOp::Lt, zero.clone(), order.clone(), at);
        self.b().branch(is_greater, greater, not_greater);
        self.b().place(not_greater);
        let is_less = self.compare(CmpOp::Lt, order.clone(), zero, at);
        self.b().branch(is_less, less, same);
        self.b().place(same);
        equal(self, greater);
    }

    /// `bsearch(key, base, count, size, comparison)`.
    pub(super) fn search(&mut self, args: &[Ast<ast::Expression>], at: AstSpan) -> Res<Expr> {
        let (values, comparison) = self.values_and_comparison(args, at)?;
        let [key, base, count, size] = &values[..] else {
            return self.invalid(at, "`bsearch` takes five arguments");
        };
        let array = self.array_of("bsearch", base, size, at)?;
        let key = self.b().save(key.clone());
        let (word, span) = (self.size_type(), self.span(at));
        let count = self.convert(count.clone(), word.clone());
        let count = self.b().save(count);
        self.compare_any(
            &count,
            |me, [i, _]| {
                let element = array.pointer(me, i);
                me.call_comparison(&comparison, key.clone(), element, at)
            },
            at,
        )?;
        let constant = |v: i128| Expr::constant(v, word.clone(), span);
        let (low, high) = (self.b().temp("low", word.clone()), self.b().temp("high", word.clone()));
        let middle = self.b().temp("middle", word.clone());
        let result = self.b().temp("found", array.base.ty.clone());
        self.b().emit(Instr::Assign(low.clone(), constant(0)));
        self.b().emit(Instr::Assign(high.clone(), count.clone()));
        let null = Expr::constant(0, result.ty.clone(), span);
        self.b().emit(Instr::Assign(result.clone(), null));
        let (head, look, end) = self.loop_labels();
        let more = self.compare(CmpOp::Lt, low.clone().load(), high.clone().load(), at);
        self.b().branch(more, look, end);
        self.b().place(look);
        let rest = self.arithmetic(BinOp::Sub, high.clone().load(), low.clone().load(), at)?;
        let half = self.arithmetic(BinOp::Div, rest, constant(2), at)?;
        let half = self.arithmetic(BinOp::Add, low.clone().load(), half, at)?;
        self.b().emit(Instr::Assign(middle.clone(), half));
        let element = array.pointer(self, middle.clone().load());
        let order = self.call_comparison(&comparison, key.clone(), element.clone(), at)?;
        let (lower, upper, found) = (self.b().label(), self.b().label(), self.b().label());
        self.branch_on_order(&order, [lower, upper], |me, _| me.b().jump(found), at);
        self.b().place(lower);
        self.b().emit(Instr::Assign(high, middle.clone().load()));
        self.b().jump(head);
        self.b().place(upper);
        let next = self.arithmetic(BinOp::Add, middle.clone().load(), constant(1), at)?;
        self.b().emit(Instr::Assign(low, next.clone()));
        self.b().jump(head);
        self.b().place(found);
        self.b().emit(Instr::Assign(result.clone(), element));
        let (ambiguous, beside, above) = (self.b().label(), self.b().label(), self.b().label());
        let is_first = self.compare(CmpOp::Eq, middle.clone().load(), constant(0), at);
        let check = self.b().label();
        self.b().branch(is_first, beside, check);
        self.b().place(check);
        let before = self.arithmetic(BinOp::Sub, middle.load(), constant(1), at)?;
        let neighbour = array.pointer(self, before);
        self.refuse_equal(&comparison, key.clone(), neighbour, [ambiguous, beside], at)?;
        self.b().place(beside);
        let is_last = self.compare(CmpOp::Eq, next.clone(), count, at);
        self.b().branch(is_last, end, above);
        self.b().place(above);
        let neighbour = array.pointer(self, next);
        self.refuse_equal(&comparison, key, neighbour, [ambiguous, end], at)?;
        self.b().place(ambiguous);
        self.give_up("`bsearch` among equal elements", at);
        self.b().place(end);
        Ok(result.load())
    }

    /// Branches on whether an element is equal to the key.
    fn refuse_equal(
        &mut self,
        comparison: &Expr,
        key: Expr,
        element: Expr,
        [equal, other]: [NodeId; 2],
        at: AstSpan,
    ) -> Res<()> {
        let order = self.call_comparison(comparison, key, element, at)?;
        let zero = Expr::constant(0, order.ty.clone(), self.span(at));
        let is_equal = self.compare(CmpOp::Eq, order, zero, at);
        self.b().branch(is_equal, equal, other);
        Ok(())
    }

    /// `div(a, b)` and its kind: a structure of quotient and remainder, as the program declares it.
    pub(super) fn quotient_and_rest(
        &mut self,
        name: &str,
        f: Option<FuncId>,
        a: &Ast<ast::Expression>,
        b: &Ast<ast::Expression>,
        at: AstSpan,
    ) -> Res<Expr> {
        let word = self.options.data_model.word();
        let bits = match name {
            "div" => 32,
            "ldiv" => word,
            _ => 64,
        };
        let number = Type::Int(IntType::new(bits, true));
        let ty = self.declared_result(f);
        let Some(Type::Record(r)) = ty.clone() else {
            return self.unsupported(at, &format!("`{name}` that is not declared as in the library"));
        };
        let place_of = |me: &Self, name: &str| {
            let fields = me.unit.records.fields(r);
            fields.iter().position(|m| m.name == name && m.ty == number && !m.bit_field)
        };
        let (Some(quotient @ 0), Some(rest @ 1)) = (place_of(self, "quot"), place_of(self, "rem")) else {
            return self.unsupported(at, &format!("`{name}` that is not declared as in the library"));
        };
        let (a, b) = self.two_values(a, b, at)?;
        let (a, b) = (self.convert(a, number.clone()), self.convert(b, number.clone()));
        let (a, b) = (self.b().save(a), self.b().save(b));
        let result = self.b().temp("parts", Type::Record(r));
        let span = self.span(at);
        for (field, op) in [(quotient, BinOp::Div), (rest, BinOp::Rem)] {
            let value = self.arithmetic(op, a.clone(), b.clone(), at)?;
            let kind = PlaceKind::Field(Box::new(result.clone()), field as u32);
            self.b().emit(Instr::Assign(Place { ty: number.clone(), kind, span }, value));
        }
        Ok(self.value_of(result))
    }
}

impl Elements {
    /// A pointer to an element.
    fn pointer(&self, lowerer: &mut Lowerer<'_>, index: Expr) -> Expr {
        let kind = ExprKind::PtrAdd(Box::new(self.base.clone()), Box::new(index), false);
        let span = lowerer.span(self.at);
        lowerer.b().save(Expr { ty: self.base.ty.clone(), kind, span })
    }

    fn place(&self, pointer: &Expr) -> Place {
        let kind = PlaceKind::Deref(Box::new(pointer.clone()));
        Place { ty: self.element.clone(), kind, span: pointer.span }
    }
}
