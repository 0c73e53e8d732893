//! Variable arguments (`<stdarg.h>`).
//!
//! A call of a variadic function puts the arguments that have no parameter into an array of slots, and
//! passes the address of the first one in a hidden parameter. A slot has the kind of its argument and a
//! place for each kind: signed numbers, unsigned numbers, pointers, `double` where floating point is
//! modelled. The slot of a struct has the address of a copy; its kind is the type of the struct. Behind the
//! last argument stands a slot of kind [`Kind::End`]. `va_start` makes the list point to the first slot,
//! `va_arg` reads one and steps on.
//!
//! `va_arg` with a type that does not fit the argument is undefined in C and unsupported here, and so is one
//! behind the last argument. As in gcc on x86, signed and unsigned numbers of one width may stand for each
//! other. Elsewhere floating-point numbers are passed, but reading them is unsupported. So is a struct that
//! is read as one of another translation unit.
//!
//! On x86-64 `va_list` is an array of one struct of 24 bytes, so a function that is given one moves the
//! caller's; on i386 it is a pointer.

use std::sync::Arc;

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};
use palisade_float::Format;

use super::{Lowerer, Res};
use crate::ir::{ARGUMENTS, CmpOp, Expr, ExprKind, Instr, NodeKind, Padding, Place, PlaceKind, VarRef};
use crate::types::{DataModel, FunctionType, IntType, Len, Member, Packing, RecordId, Type};

/// The name of the hidden parameter.
pub(crate) const HIDDEN: &str = "...";

/// What a slot holds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    End = 0,
    Int = 1,
    Unsigned = 2,
    Long = 3,
    UnsignedLong = 4,
    Pointer = 5,
    Other = 6,
    Double = 7,
    /// The first of the kinds of structs, in the order of their types.
    Struct = 8,
}

/// The members of a slot.
const KIND: u32 = 0;
const NUMBER: u32 = 1;
const NATURAL: u32 = 2;
const POINTER: u32 = 3;
const REAL: u32 = 4;

const LONG: Type = Type::Int(IntType::new(64, true));
const NATURAL_TYPE: Type = Type::Int(IntType::new(64, false));
const DOUBLE: Type = Type::Ieee(Format::BINARY64);

/// The structs of variable arguments: a slot, and on x86-64 the list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Lists {
    slot: RecordId,
    list: RecordId,
}

/// The kind of a slot that has the address of a struct.
fn of_struct(r: RecordId) -> i128 {
    Kind::Struct as i128 + i128::from(r.0)
}

impl Lowerer<'_> {
    /// The structs; they are made when they are needed first.
    fn lists(&mut self) -> Lists {
        if let Some(lists) = self.lists {
            return lists;
        }
        let model = self.options.data_model;
        let member = |name: &str, ty: Type| Member {
            name: name.into(),
            ty,
            width: None,
            align: None,
            type_align: None,
            packed: false,
            volatile: false,
            qualifiers: crate::types::Qualifiers::NONE,
        };
        let real = self.models_floats().then(|| member("real", DOUBLE));
        let records = &mut self.unit.records;
        let slot = records.declare("variable argument".into(), false);
        let mut members = vec![
            member("kind", Type::INT),
            member("number", LONG),
            member("natural", NATURAL_TYPE),
            member("pointer", Type::Void.pointer_to()),
        ];
        members.extend(real);
        records.complete(slot, members, Packing::default(), model);
        let list = records.declare("va_list".into(), false);
        let members = vec![
            member("next", Type::Record(slot).pointer_to()),
            member("rest", LONG),
            member("saved", LONG),
        ];
        records.complete(list, members, Packing::default(), model);
        let lists = Lists { slot, list };
        self.lists = Some(lists);
        lists
    }

    /// The type `va_list`.
    pub(super) fn va_list(&mut self) -> Type {
        let Lists { slot, list } = self.lists();
        match self.options.data_model {
            DataModel::Ilp32 => Type::Record(slot).pointer_to(),
            DataModel::Lp64 => Type::Array(Arc::new(Type::Record(list)), Len::Fixed(1)),
        }
    }

    /// The type of the hidden parameter.
    pub(super) fn hidden_type(&mut self) -> Type {
        Type::Record(self.lists().slot).pointer_to()
    }

    /// Puts the arguments that have no parameter into slots.
    pub(super) fn pack_arguments(&mut self, signature: &FunctionType, mut args: Vec<Expr>) -> Vec<Expr> {
        let Some(params) = signature.params.as_ref().filter(|_| signature.variadic) else { return args };
        let rest = args.split_off(params.len().min(args.len()));
        let slot = Type::Record(self.lists().slot);
        let span = self.b().span;
        let array = Type::Array(Arc::new(slot.clone()), Len::Fixed(rest.len() as u64 + 1));
        let object = self.b().temp(ARGUMENTS, array);
        let place = |i: usize, field: u32, ty: Type| {
            let index = Expr::constant(i as i128, Type::INT, span);
            let kind = PlaceKind::Index(Box::new(object.clone()), Box::new(index));
            let element = Place { ty: slot.clone(), kind, span };
            Place { ty, kind: PlaceKind::Field(Box::new(element), field), span }
        };
        // What was there before does not live on.
        self.b().emit(Instr::Zero(object.clone(), Padding::Zero));
        let last = rest.len();
        for (i, mut value) in rest.into_iter().enumerate() {
            let mut tag = None;
            if let Type::Record(r) = value.ty {
                tag = Some(of_struct(r));
                value = self.address_of_copy(value);
            }
            let kind = match &value.ty {
                Type::Int(t) => match (t.bits, t.signed) {
                    (32, true) => Kind::Int,
                    (32, false) => Kind::Unsigned,
                    (64, true) => Kind::Long,
                    (64, false) => Kind::UnsignedLong,
                    _ => Kind::Other,
                },
                Type::Pointer(_) => Kind::Pointer,
                Type::Ieee(Format::BINARY64) => Kind::Double,
                _ => Kind::Other,
            };
            let (field, ty) = match kind {
                Kind::Int | Kind::Long => (NUMBER, LONG),
                Kind::Unsigned | Kind::UnsignedLong => (NATURAL, NATURAL_TYPE),
                Kind::Double => (REAL, DOUBLE),
                _ => (POINTER, Type::Void.pointer_to()),
            };
            let tag = Expr::constant(tag.unwrap_or(kind as i128), Type::INT, span);
            self.b().emit(Instr::Assign(place(i, KIND, Type::INT), tag));
            if kind != Kind::Other {
                let value = self.convert(value, ty.clone());
                self.b().emit(Instr::Assign(place(i, field, ty), value));
            }
        }
        let end = Expr::constant(Kind::End as i128, Type::INT, span);
        self.b().emit(Instr::Assign(place(last, KIND, Type::INT), end));
        let zero = Expr::constant(0, Type::INT, span);
        let kind = PlaceKind::Index(Box::new(object), Box::new(zero));
        let first = Place { ty: slot.clone(), kind, span };
        args.push(Expr { ty: slot.pointer_to(), kind: ExprKind::Address(Box::new(first)), span });
        args
    }

    /// The address of a copy of a struct.
    fn address_of_copy(&mut self, value: Expr) -> Expr {
        let (ty, span) = (value.ty.clone(), value.span);
        let copy = self.b().temp(ARGUMENTS, ty.clone());
        self.b().emit(Instr::Assign(copy.clone(), value));
        Expr { ty: ty.pointer_to(), kind: ExprKind::Address(Box::new(copy)), span }
    }

    /// Where a list keeps the address of its next slot.
    fn next_slot(&mut self, list: &Ast<ast::Expression>, at: AstSpan) -> Res<Place> {
        let lists = self.lists();
        let next = Type::Record(lists.slot).pointer_to();
        if self.options.data_model == DataModel::Ilp32 {
            let place = self.place(list)?;
            return match place.ty == next {
                true => Ok(place),
                false => self.unsupported(at, "a list of variable arguments of another type"),
            };
        }
        let pointer = self.expr(list)?;
        if pointer.ty.pointee() != Some(&Type::Record(lists.list)) {
            return self.unsupported(at, "a list of variable arguments of another type");
        }
        let base = self.deref(pointer, at)?;
        Ok(Place { ty: next, kind: PlaceKind::Field(Box::new(base), 0), span: self.span(at) })
    }

    /// `va_start`.
    pub(super) fn va_start(&mut self, list: &Ast<ast::Expression>, at: AstSpan) -> Res<()> {
        let Some(hidden) = self.b().hidden else {
            return self.invalid(at, "`va_start` in a function without variable arguments");
        };
        let to = self.next_slot(list, at)?;
        let ty = self.hidden_type();
        let value = Place::var(VarRef::Local(hidden), ty, self.span(at)).load();
        self.b().emit(Instr::Assign(to, value));
        Ok(())
    }

    /// `va_copy`.
    pub(super) fn va_copy(
        &mut self,
        to: &Ast<ast::Expression>,
        from: &Ast<ast::Expression>,
        at: AstSpan,
    ) -> Res<()> {
        let from = self.next_slot(from, at)?;
        let value = self.b().save(from.load());
        let to = self.next_slot(to, at)?;
        self.b().emit(Instr::Assign(to, value));
        Ok(())
    }

    /// `va_arg`.
    pub(super) fn va_arg(&mut self, a: &ast::VaArgExpression, at: AstSpan) -> Res<Expr> {
        let ty = self.type_name(&a.type_name)?;
        let one = |kind: Kind| vec![kind as i128];
        let two = |kind: Kind, other: Kind| vec![kind as i128, other as i128];
        let (kinds, field, stored): (Vec<i128>, u32, Type) = match &ty {
            Type::Int(t) => match (t.bits, t.signed) {
                (32, true) => (two(Kind::Int, Kind::Unsigned), NUMBER, LONG),
                (32, false) => (two(Kind::Unsigned, Kind::Int), NATURAL, NATURAL_TYPE),
                (64, true) => (two(Kind::Long, Kind::UnsignedLong), NUMBER, LONG),
                (64, false) => (two(Kind::UnsignedLong, Kind::Long), NATURAL, NATURAL_TYPE),
                _ => return self.unsupported(at, &format!("a variable argument of type `{ty}`")),
            },
            Type::Pointer(_) => (one(Kind::Pointer), POINTER, Type::Void.pointer_to()),
            Type::Ieee(Format::BINARY64) => (one(Kind::Double), REAL, DOUBLE),
            Type::Record(r) => (vec![of_struct(*r)], POINTER, Type::Void.pointer_to()),
            _ => return self.unsupported(at, &format!("a variable argument of type `{ty}`")),
        };
        let span = self.span(at);
        let next = self.next_slot(&a.va_list, at)?;
        let pointer = self.b().save(next.clone().load());
        let slot = Type::Record(self.lists().slot);
        let member = |field: u32, ty: Type| {
            let base = Place { ty: slot.clone(), kind: PlaceKind::Deref(Box::new(pointer.clone())), span };
            Place { ty, kind: PlaceKind::Field(Box::new(base), field), span }
        };
        let kind = self.b().save(member(KIND, Type::INT).load());
        let is = |k: i128| {
            let tag = Expr::constant(k, Type::INT, span);
            let kind = ExprKind::Compare(CmpOp::Eq, Box::new(kind.clone()), Box::new(tag));
            Expr { ty: Type::INT, kind, span }
        };
        let result = self.b().temp("argument", ty.clone());
        let done = self.b().label();
        for (k, &wanted) in kinds.iter().enumerate() {
            let (good, other) = (self.b().label(), self.b().label());
            self.b().branch(is(wanted), good, other);
            self.b().place(good);
            // The second kind is the number of the other signedness.
            let (field, stored) = match (k, field) {
                (0, _) => (field, stored.clone()),
                (_, NUMBER) => (NATURAL, NATURAL_TYPE),
                _ => (NUMBER, LONG),
            };
            let value = member(field, stored).load();
            let value = match ty {
                Type::Record(_) => {
                    let copy = self.convert(value, ty.clone().pointer_to());
                    self.deref(copy, at)?.load()
                }
                _ => self.convert(value, ty.clone()),
            };
            self.b().emit(Instr::Assign(result.clone(), value));
            self.b().jump(done);
            self.b().place(other);
        }
        let what = self.located(at, "a variable argument of another type, or behind the last one");
        self.b().finish(NodeKind::Unsupported(what.into()));
        self.b().current = None;
        self.b().place(done);
        let one = Expr::constant(1, Type::INT, span);
        let stepped = self.pointer_plus(pointer.clone(), one, false);
        self.b().emit(Instr::Assign(next, stepped));
        Ok(result.load())
    }
}
