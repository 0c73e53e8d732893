//! The command line: what `argv` of `main` points to.
//!
//! There are `argc` strings in memory of their own, which the program may change but not free, and a null
//! pointer behind them. Each is as long as it likes (up to `INT_MAX` with its end), with any characters. All
//! that is modelled for up to [`MOST`] of them. With more, a use of `argv` is unsupported.
//!
//! Nothing is made for a program that does not mention `argv`. The blocks are the first of `main`, so that
//! they have names ([`names`]). A program that calls `main` itself is refused, since these are the arguments
//! of the first call ([`Lowerer::refuse_bodies`]).
//!
//! Entry points: [`Lowerer::command_line`], [`Lowerer::argument_vector`].

use lang_c::span::Span as AstSpan;

use super::Lowerer;
use crate::ir::{BinOp, CmpOp, Expr, ExprKind, Instr, Place, PlaceKind, Storage, VarRef};
use crate::types::{IntType, Type};

/// So many arguments are modelled, with the name of the program.
const MOST: u64 = 4;

/// The names of the blocks, in their order.
pub(super) fn names(argv: &str) -> Vec<String> {
    let strings = (0..MOST).map(|k| format!("{argv}@entry[{k}]"));
    std::iter::once(format!("{argv}@entry")).chain(strings).collect()
}

/// Is it the type of `argv`?
pub(super) fn is_vector(ty: &Type) -> bool {
    let string = ty.pointee().and_then(Type::pointee);
    string.is_some_and(|c| *c == Type::Int(IntType::CHAR))
}

impl Lowerer<'_> {
    /// Makes the strings for the parameters `argc` and `argv`. Are there more than are modelled?
    pub(super) fn command_line(&mut self, argc: (u32, &Type), argv: (u32, &Type)) -> Expr {
        let span = self.b().span;
        let var = |(v, ty): (u32, &Type)| Place::var(VarRef::Local(v), ty.clone(), span);
        let (size, vector) = (self.size_type(), var(argv));
        let string = argv.1.pointee().expect("a vector").clone();
        let given = self.b().save(var(argc).load());
        let given = self.convert(given, size.clone());
        let number = |n: u64| Expr::constant(i128::from(n), size.clone(), span);
        let compare = |op, a: &Expr, b: Expr| Expr {
            ty: Type::INT,
            kind: ExprKind::Compare(op, Box::new(a.clone()), Box::new(b)),
            span,
        };
        let arithmetic = |op, a: &Expr, b: Expr| Expr {
            ty: size.clone(),
            kind: ExprKind::Binary(op, Box::new(a.clone()), Box::new(b)),
            span,
        };
        // With more of them, what is made here is not used.
        let (too_many, last) = (compare(CmpOp::Gt, &given, number(MOST)), self.b().label());
        let kind = ExprKind::Cond(Box::new(too_many.clone()), Box::new(number(0)), Box::new(given));
        let count = self.b().save(Expr { ty: size.clone(), kind, span });
        let word = u64::from(self.options.data_model.word() / 8);
        let elements = arithmetic(BinOp::Add, &count, number(1));
        let bytes = arithmetic(BinOp::Mul, &elements, number(word));
        let block = self.allocate_bytes(bytes, false, Storage::Library, false);
        let block = self.convert(block, argv.1.clone());
        self.b().emit(Instr::Assign(vector.clone(), block));
        for k in 0..MOST {
            let more = self.b().label();
            self.b().branch(compare(CmpOp::Gt, &count, number(k)), more, last);
            self.b().place(more);
            let length = self.outside(size.clone()).expect("a value");
            let length = self.b().save(length);
            let most = number(i32::MAX as u64);
            self.b().emit(Instr::Assume(compare(CmpOp::Ge, &length, number(1))));
            self.b().emit(Instr::Assume(compare(CmpOp::Le, &length, most)));
            let block = self.allocate_bytes(length.clone(), false, Storage::Library, false);
            let text = self.convert(block, string.clone());
            let text = self.b().save(text);
            let end = arithmetic(BinOp::Sub, &length, number(1));
            self.put(text.clone(), end, Expr::constant(0, Type::Int(IntType::CHAR), span));
            self.put(vector.clone().load(), number(k), text);
        }
        self.b().place(last);
        self.put(vector.load(), count, Expr::constant(0, string, span));
        self.b().save(too_many)
    }

    /// A use of `argv`, unless there are too many arguments.
    pub(super) fn argument_vector(&mut self, (v, ty): (u32, Type), too_many: Expr, at: AstSpan) -> Place {
        self.refuse_if(too_many, &format!("more than {MOST} arguments of the program"), at);
        Place::var(VarRef::Local(v), ty, self.span(at))
    }

    /// `pointer[index] = value`
    fn put(&mut self, pointer: Expr, index: Expr, value: Expr) {
        let (ty, span) = (value.ty.clone(), value.span);
        let kind = PlaceKind::Deref(Box::new(self.pointer_plus(pointer, index, false)));
        self.assign(Place { ty, kind, span }, value);
    }
}
