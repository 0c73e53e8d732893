//! Calls of `setjmp` and `longjmp`; `crate::jumps` has what they mean.

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};

use super::{Lowerer, Res};
use crate::ir::{BinOp, CmpOp, Expr, ExprKind, Global, Instr, Place, PlaceKind, VarRef, Variable};
use crate::jumps::{Jumps, SITE};
use crate::library::PREFIX;
use crate::types::{IntType, RecordId, Type};

impl Lowerer<'_> {
    /// The globals for jumps, whose buffers have this type.
    fn jumps(&mut self, buffer: RecordId, at: AstSpan) -> Res<Jumps> {
        if let Some(jumps) = self.unit.jumps {
            return match jumps.buffer == buffer {
                true => Ok(jumps),
                false => self.unsupported(at, "jumps with buffers of several types"),
            };
        }
        let mut global = |name: &str, ty: Type| {
            let var = Variable::new(format!("{PREFIX}{name}"), ty);
            let init = Vec::new();
            self.unit.globals.push(Global { var, init, external: false, exported: false, literal: false });
            self.unit.globals.len() as u32 - 1
        };
        let word = Type::Int(IntType::new(self.options.data_model.word(), true));
        let (count, wanted) = (global("jump_sites", word.clone()), global("jump", word));
        let value = global("jump_value", Type::INT);
        let jumps = Jumps { count, wanted, value, buffer };
        self.unit.jumps = Some(jumps);
        Ok(jumps)
    }

    /// Where a buffer has the number of its site.
    fn jump_buffer(&mut self, pointer: Expr, at: AstSpan) -> Res<(Jumps, Place)> {
        let place = self.deref(pointer, at)?;
        let Type::Record(r) = place.ty else {
            return self.unsupported(at, "a buffer for jumps that is not declared as in the library");
        };
        let first = self.unit.records.fields(r).first().map(|f| f.ty.clone());
        let span = self.span(at);
        let word = Type::Int(IntType::new(self.options.data_model.word(), true));
        let Some(Type::Array(element, _)) =
            first.clone().filter(|t| matches!(t, Type::Array(e, _) if **e == word))
        else {
            return self.unsupported(at, "a buffer for jumps that is not declared as in the library");
        };
        let ty = first.expect("just seen");
        let field = Place { ty, kind: PlaceKind::Field(Box::new(place), 0), span };
        let zero = Expr::constant(0, Type::INT, span);
        let kind = PlaceKind::Index(Box::new(field), Box::new(zero));
        Ok((self.jumps(r, at)?, Place { ty: (*element).clone(), kind, span }))
    }

    fn jump_variable(&self, g: u32, at: AstSpan) -> Place {
        Place::var(VarRef::Global(g), self.unit.globals[g as usize].var.ty.clone(), self.span(at))
    }

    /// `setjmp`.
    pub(super) fn set_jump(&mut self, buffer: &Ast<ast::Expression>, at: AstSpan) -> Res<Expr> {
        let [pointer] = self.values([buffer], at)?;
        let pointer = self.b().save(pointer);
        let (jumps, place) = self.jump_buffer(pointer, at)?;
        let span = self.span(at);
        let count = self.jump_variable(jumps.count, at);
        let most = (1i128 << (self.options.data_model.word() - 1)) - 1;
        let most = Expr::constant(most, count.ty.clone(), span);
        let kind = ExprKind::Compare(CmpOp::Ge, Box::new(count.clone().load()), Box::new(most));
        self.refuse_if(Expr { ty: Type::INT, kind, span }, "more calls of `setjmp` than have numbers", at);
        let one = Expr::constant(1, count.ty.clone(), span);
        let next = self.arithmetic(BinOp::Add, count.clone().load(), one, at)?;
        self.b().emit(Instr::Assign(count.clone(), next));
        self.assign(place, count.clone().load());
        // One behind the other.
        let site = self.b().temp(SITE, count.ty.clone());
        let result = self.b().temp("tmp", Type::INT);
        self.b().emit(Instr::Assign(site, count.load()));
        self.b().emit(Instr::Assign(result.clone(), Expr::constant(0, Type::INT, span)));
        Ok(result.load())
    }

    /// `longjmp`.
    pub(super) fn jump_to(&mut self, args: [&Ast<ast::Expression>; 2], at: AstSpan) -> Res<()> {
        let [pointer, value] = self.values(args, at)?;
        let pointer = self.b().save(pointer);
        let (jumps, place) = self.jump_buffer(pointer, at)?;
        let span = self.span(at);
        let value = self.convert(value, Type::INT);
        let value = self.b().save(value);
        let (zero, one) = (Expr::constant(0, Type::INT, span), Expr::constant(1, Type::INT, span));
        let kind = ExprKind::Compare(CmpOp::Eq, Box::new(value.clone()), Box::new(zero.clone()));
        let is_zero = Expr { ty: Type::INT, kind, span };
        let kind = ExprKind::Cond(Box::new(is_zero), Box::new(one), Box::new(value));
        let to = self.jump_variable(jumps.value, at);
        self.b().emit(Instr::Assign(to, Expr { ty: Type::INT, kind, span }));
        let wanted = self.b().save(place.load());
        let none = Expr::constant(0, wanted.ty.clone(), span);
        let kind = ExprKind::Compare(CmpOp::Le, Box::new(wanted.clone()), Box::new(none));
        self.refuse_if(Expr { ty: Type::INT, kind, span }, "a jump by a buffer that was never set", at);
        let to = self.jump_variable(jumps.wanted, at);
        self.b().emit(Instr::Assign(to, wanted));
        self.halt();
        Ok(())
    }
}
