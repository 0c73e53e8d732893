//! Atomic builtins of gcc: `__atomic_*`, `__sync_*`.
//!
//! A program with one thread sees of them what the plain operations do: loads, stores, exchanges, and
//! arithmetic that wraps around. The arguments that say how threads see the order change nothing.
//!
//! `nand` is the complement of the conjunction in both families, as since gcc 4.4.
//!
//! Unsupported: arithmetic on pointers (in bytes) and on `_Bool`, objects that are no scalars, flags of more
//! than a byte.
//!
//! Entry point: [`Lowerer::atomic`].

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};

use super::constant::has_effects;
use super::{Lowerer, Res};
use crate::ir::{BinOp, CmpOp, Expr, ExprKind, Place, PlaceKind};
use crate::types::{IntType, Type};

type Args<'t> = &'t [Ast<ast::Expression>];

impl Lowerer<'_> {
    /// A call of an atomic builtin; the value is `None` for a void one.
    pub(super) fn atomic(&mut self, name: &str, args: Args<'_>, at: AstSpan) -> Res<Option<Expr>> {
        let words = name.trim_start_matches("__atomic_").trim_start_matches("__sync_");
        // The value before, or the one behind?
        let (old, operator) = match words {
            _ if words.starts_with("fetch_") => (true, words["fetch_".len()..].trim_start_matches("and_")),
            _ => (false, words.trim_end_matches("_fetch").trim_end_matches("_and")),
        };
        let complemented = operator == "nand";
        let operator = match operator {
            "add" => Some(BinOp::Add),
            "sub" => Some(BinOp::Sub),
            "and" | "nand" => Some(BinOp::And),
            "or" => Some(BinOp::Or),
            "xor" => Some(BinOp::Xor),
            _ => None,
        };
        match (words, args) {
            ("load_n", [p, rest @ ..]) => {
                let [place] = self.atomic_places([p], rest, at)?;
                let value = self.value_of(place);
                Ok(Some(self.b().save(value)))
            }
            ("load", [p, to, rest @ ..]) => {
                let [from, to] = self.atomic_places([p, to], rest, at)?;
                let value = self.value_of(from);
                self.assign_to(to, value);
                Ok(None)
            }
            ("store", [p, from, rest @ ..]) => {
                let [to, from] = self.atomic_places([p, from], rest, at)?;
                let value = self.value_of(from);
                self.assign_to(to, value);
                Ok(None)
            }
            ("store_n", [p, v, rest @ ..]) => {
                let (place, value) = self.atomic_operands(p, v, rest, at)?;
                self.assign_to(place, value);
                Ok(None)
            }
            ("lock_release", [p, rest @ ..]) => {
                let [place] = self.atomic_places([p], rest, at)?;
                self.assign_to(place, Expr::constant(0, Type::INT, self.span(at)));
                Ok(None)
            }
            ("clear", [p, rest @ ..]) => {
                let flag = self.atomic_flag(p, rest, at)?;
                self.assign_to(flag, Expr::constant(0, Type::INT, self.span(at)));
                Ok(None)
            }
            ("test_and_set", [p, rest @ ..]) => {
                let flag = self.atomic_flag(p, rest, at)?;
                let before = self.value_of(flag.clone());
                let before = self.b().save(before);
                // Compilers disagree about what else is set.
                let natural = self.convert(before.clone(), Type::Int(IntType::new(8, false)));
                let one = Expr::constant(1, Type::INT, self.span(at));
                let other = self.compare(CmpOp::Gt, natural, one, at);
                self.refuse_if(other, "an atomic flag that is neither 0 nor 1", at);
                let before = self.convert(before, Type::Int(IntType::BOOL));
                self.assign_to(flag, Expr::constant(1, Type::INT, self.span(at)));
                Ok(Some(before))
            }
            ("exchange_n" | "lock_test_and_set", [p, v, rest @ ..]) => {
                let (place, value) = self.atomic_operands(p, v, rest, at)?;
                let before = self.value_of(place.clone());
                let before = self.b().save(before);
                self.assign_to(place, value);
                Ok(Some(before))
            }
            ("exchange", [p, v, to, rest @ ..]) => {
                let [place, from, to] = self.atomic_places([p, v, to], rest, at)?;
                let (before, value) = (self.value_of(place.clone()), self.value_of(from));
                let (before, value) = (self.b().save(before), self.b().save(value));
                self.assign_to(place, value);
                self.assign_to(to, before);
                Ok(None)
            }
            ("bool_compare_and_swap" | "val_compare_and_swap", [p, expected, v, rest @ ..]) => {
                let [pointer, expected, value] = self.atomic_values([p, expected, v], rest, at)?;
                let place = self.atomic_place(pointer, at)?;
                let expected = self.convert(expected, place.ty.clone());
                let (before, same) = self.swap(place, expected, value, at);
                Ok(Some(if words.starts_with("bool") { same } else { before }))
            }
            ("compare_exchange_n" | "compare_exchange", [p, expected, v, rest @ ..]) => {
                let [pointer, expected, value] = self.atomic_values([p, expected, v], rest, at)?;
                let place = self.atomic_place(pointer, at)?;
                let guess = self.atomic_place(expected, at)?;
                // gcc only warns, and takes the type of the first.
                if guess.ty != place.ty {
                    return self.unsupported(at, &format!("`{name}` with objects of two types"));
                }
                let value = match words {
                    "compare_exchange" => {
                        let from = self.atomic_place(value, at)?;
                        self.value_of(from)
                    }
                    _ => value,
                };
                let wanted = self.value_of(guess.clone());
                let wanted = self.b().save(wanted);
                let (before, same) = self.swap(place, wanted, value, at);
                let (fails, end) = (self.b().label(), self.b().label());
                self.b().branch(same.clone(), end, fails);
                self.b().place(fails);
                self.assign_to(guess, before);
                self.b().jump(end);
                self.b().place(end);
                Ok(Some(same))
            }
            (_, [p, v, rest @ ..]) if operator.is_some() => {
                let operator = operator.expect("just seen");
                let (place, value) = self.atomic_operands(p, v, rest, at)?;
                let Some(ty) = place.ty.as_int().filter(|t| !t.boolean) else {
                    return self.unsupported(at, &format!("`{name}` of something that is no integer"));
                };
                let before = self.value_of(place.clone());
                let before = self.b().save(before);
                let unsigned = Type::Int(if self.math() { ty } else { IntType::new(ty.bits, false) });
                let (a, b) = (self.convert(before.clone(), unsigned.clone()), self.convert(value, unsigned));
                let mut behind = self.arithmetic(operator, a, b, at)?;
                if complemented {
                    let (ty, span) = (behind.ty.clone(), behind.span);
                    behind = Expr { ty, span, kind: ExprKind::BitNot(Box::new(behind)) };
                }
                let behind = self.convert(behind, Type::Int(ty));
                let behind = self.b().save(behind);
                self.assign_to(place, behind.clone());
                Ok(Some(if old { before } else { behind }))
            }
            _ => self.unsupported(at, &format!("call of `{name}`")),
        }
    }

    /// Stores the value if the place holds what is wanted. The value before, and whether it was that.
    fn swap(&mut self, place: Place, wanted: Expr, value: Expr, at: AstSpan) -> (Expr, Expr) {
        let before = self.value_of(place.clone());
        let before = self.b().save(before);
        let value = self.convert(value, place.ty.clone());
        let value = self.b().save(value);
        let same = self.compare(CmpOp::Eq, before.clone(), wanted, at);
        let same = self.convert(same, Type::Int(IntType::BOOL));
        let same = self.b().save(same);
        let (then, end) = (self.b().label(), self.b().label());
        self.b().branch(same.clone(), then, end);
        self.b().place(then);
        self.assign_to(place, value);
        self.b().jump(end);
        self.b().place(end);
        (before, same)
    }

    fn assign_to(&mut self, place: Place, value: Expr) {
        let place = self.written(place);
        self.assign(place, value);
    }

    /// The object behind a pointer and a value for it.
    fn atomic_operands(
        &mut self,
        p: &Ast<ast::Expression>,
        v: &Ast<ast::Expression>,
        rest: Args<'_>,
        at: AstSpan,
    ) -> Res<(Place, Expr)> {
        let [pointer, value] = self.atomic_values([p, v], rest, at)?;
        let place = self.atomic_place(pointer, at)?;
        let value = self.convert(value, place.ty.clone());
        Ok((place, self.b().save(value)))
    }

    /// The objects behind pointers.
    fn atomic_places<const N: usize>(
        &mut self,
        pointers: [&Ast<ast::Expression>; N],
        rest: Args<'_>,
        at: AstSpan,
    ) -> Res<[Place; N]> {
        let given = self.atomic_values(pointers, rest, at)?;
        let places =
            given.into_iter().map(|pointer| self.atomic_place(pointer, at)).collect::<Res<Vec<_>>>()?;
        Ok(places.try_into().expect("one place for each pointer"))
    }

    /// The values of arguments. The rest say how threads see the order, and whether an exchange may fail for
    /// no reason.
    fn atomic_values<const N: usize>(
        &mut self,
        asked: [&Ast<ast::Expression>; N],
        rest: Args<'_>,
        at: AstSpan,
    ) -> Res<[Expr; N]> {
        if rest.iter().any(|e| has_effects(&e.node)) {
            return self.unsupported(at, "an atomic operation with effects in its order");
        }
        self.values(asked, at)
    }

    /// The flag behind a pointer: a byte, or a struct that has nothing else (`atomic_flag`).
    fn atomic_flag(&mut self, p: &Ast<ast::Expression>, rest: Args<'_>, at: AstSpan) -> Res<Place> {
        let [pointer] = self.atomic_values([p], rest, at)?;
        let pointer = self.b().save(pointer);
        let mut flag = self.deref(pointer, at)?;
        if let Type::Record(r) = flag.ty
            && let [field] = self.unit.records.fields(r)
            && !field.bit_field
        {
            let ty = field.ty.clone();
            flag = Place { ty, span: flag.span, kind: PlaceKind::Field(Box::new(flag), 0) };
        }
        match &flag.ty {
            Type::Int(t) if t.size() == 1 => Ok(flag),
            _ => self.unsupported(at, "an atomic flag of more than a byte"),
        }
    }

    fn atomic_place(&mut self, pointer: Expr, at: AstSpan) -> Res<Place> {
        let pointer = self.b().save(pointer);
        let place = self.deref(pointer, at)?;
        match place.ty {
            Type::Int(_) | Type::Pointer(_) => Ok(place),
            _ => self.unsupported(at, "an atomic operation on something that is no number"),
        }
    }
}
