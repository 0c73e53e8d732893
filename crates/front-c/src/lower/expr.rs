//! Expressions: from C, with its side effects, to pure typed expressions and the instructions that come before them.
//!
//! Operands are evaluated from left to right; a left operand is saved in a temporary when the right one has effects.

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};

use super::constant::{fold, has_effects, is_assignment};
use super::{Lowerer, Res, Symbol};
use crate::ir::{BinOp, CmpOp, Expr, ExprKind, Instr, Place, PlaceKind, VarRef};
use crate::types::{IntType, Len, Type};

type Node = Ast<ast::Expression>;

impl Lowerer<'_> {
    /// The value of an expression. Arrays and functions have become pointers.
    pub(super) fn expr(&mut self, e: &Node) -> Res<Expr> {
        use ast::Expression as E;
        match &e.node {
            E::Constant(c) => self.literal(c),
            E::Identifier(i) => match self.lookup(&i.node.name) {
                Some(Symbol::Constant(v, t)) => Ok(Expr::constant(*v, Type::Int(*t), self.span(e.span))),
                Some(Symbol::Func(f)) => {
                    let f = *f;
                    self.unit.functions[f.0 as usize].address_taken = true;
                    let ty = self.unit.function(f).ty.clone().pointer_to();
                    Ok(Expr { ty, kind: ExprKind::Function(f), span: self.span(e.span) })
                }
                _ => {
                    let place = self.place(e)?;
                    Ok(self.value_of(place))
                }
            },
            E::StringLiteral(_) | E::Member(_) | E::CompoundLiteral(_) => {
                let place = self.place(e)?;
                Ok(self.value_of(place))
            }
            E::Call(c) => {
                let span = self.span(e.span);
                Ok(match self.call(c, e.span)? {
                    Some(value) => Expr { span, ..value },
                    None => Expr::constant(0, Type::Void, span),
                })
            }
            E::SizeOfTy(t) => {
                let ty = self.type_name(&t.node.0)?;
                self.size_of(&ty, e.span)
            }
            E::SizeOfVal(v) => {
                let ty = self.unconverted_type(&v.node.0)?;
                self.size_of(&ty, e.span)
            }
            E::AlignOf(t) => {
                let ty = self.type_name(&t.node.0)?;
                let a = self.unit.records.align_of(&ty, self.options.data_model);
                Ok(Expr::constant(i128::from(a), self.size_type(), self.span(e.span)))
            }
            E::UnaryOperator(u) => self.unary(&u.node, e),
            E::Cast(c) => {
                let ty = self.type_name(&c.node.type_name)?;
                let value = self.expr(&c.node.expression)?;
                Ok(self.convert(value, ty))
            }
            E::BinaryOperator(b) if b.node.operator.node == ast::BinaryOperator::Index => {
                let place = self.place(e)?;
                Ok(self.value_of(place))
            }
            E::BinaryOperator(b) if is_assignment(&b.node.operator.node) => {
                let place = self.assignment(&b.node, e.span)?;
                Ok(self.value_of(place))
            }
            E::BinaryOperator(b) => self.binary_expr(&b.node, e.span),
            E::Conditional(c) => self.conditional(&c.node, e.span),
            E::Comma(list) => {
                let (last, first) = list.split_last().expect("a comma has operands");
                for x in first {
                    self.discard(x)?;
                }
                self.expr(last)
            }
            E::Statement(s) => self.statement_expression(s),
            E::OffsetOf(o) => self.offset_of(&o.node, e.span),
            E::GenericSelection(_) => self.unsupported(e.span, "generic selection"),
            E::VaArg(_) => self.unsupported(e.span, "variable arguments"),
        }
    }

    /// Evaluates an expression for its effects only.
    pub(super) fn discard(&mut self, e: &Node) -> Res<()> {
        use ast::Expression as E;
        use ast::UnaryOperator as U;
        match &e.node {
            E::UnaryOperator(u) if matches!(u.node.operator.node, U::PostIncrement | U::PostDecrement) => {
                let up = u.node.operator.node == U::PostIncrement;
                self.step(&u.node.operand, up, e.span)?;
            }
            E::BinaryOperator(b) if is_assignment(&b.node.operator.node) => {
                self.assignment(&b.node, e.span)?;
            }
            E::Comma(list) => {
                for x in list.iter() {
                    self.discard(x)?;
                }
            }
            E::Cast(c) if has_effects(&c.node.expression.node) => self.discard(&c.node.expression)?,
            _ if has_effects(&e.node) => {
                self.expr(e)?;
            }
            // A pure expression without use matters only for what it must satisfy.
            _ if self.checks_operations() => {
                let value = self.expr(e)?;
                self.evaluate(value);
            }
            _ => {
                self.dry(|s| s.expr(e))?;
            }
        }
        Ok(())
    }

    /// Can the mere evaluation of an expression violate a property?
    fn checks_operations(&self) -> bool {
        let c = &self.options.checks;
        c.overflow || c.division || c.bounds || c.shift
    }

    /// Evaluates an expression whose value is not used, for what it must satisfy. Floating-point expressions may contain integer ones
    /// that are lost, so they are only dropped when no operation is checked.
    pub(super) fn evaluate(&mut self, value: Expr) {
        if !self.checks_operations() {
            return;
        }
        let value = match value.ty {
            Type::Int(_) | Type::Pointer(_) => value,
            Type::Float(_) if !harmless_float(&value) => Expr { ty: Type::INT, ..value },
            _ => return,
        };
        self.b().save(value);
    }

    /// The type of an expression as a value.
    pub(super) fn type_of(&mut self, e: &Node) -> Res<Type> {
        self.unconverted_type(e)
    }

    /// The type of an expression before arrays become pointers.
    fn unconverted_type(&mut self, e: &Node) -> Res<Type> {
        let lvalue = self.dry(|s| s.place(e));
        match lvalue {
            Ok(p) => Ok(p.ty),
            Err(_) => Ok(self.dry(|s| s.expr(e))?.ty),
        }
    }

    fn size_of(&mut self, ty: &Type, at: AstSpan) -> Res<Expr> {
        let span = self.span(at);
        if let Type::Array(element, Len::Variable(v)) = ty {
            let n = Place::var(VarRef::Local(*v), Type::Int(IntType::new(64, true)), span).load();
            let element = self.size_of(element, at)?;
            let n = self.convert(n, self.size_type());
            return self.arithmetic(BinOp::Mul, n, element, at);
        }
        match self.unit.records.size_of(ty, self.options.data_model) {
            Some(n) => Ok(Expr::constant(i128::from(n), self.size_type(), span)),
            None => self.invalid(at, format!("the size of the incomplete type `{ty}`")),
        }
    }

    fn offset_of(&mut self, o: &ast::OffsetOfExpression, at: AstSpan) -> Res<Expr> {
        let mut ty = self.type_name(&o.type_name)?;
        let mut offset = 0;
        let mut names = vec![&o.designator.node.base];
        for m in &o.designator.node.members {
            match &m.node {
                ast::OffsetMember::Member(i) | ast::OffsetMember::IndirectMember(i) => names.push(i),
                ast::OffsetMember::Index(_) => return self.unsupported(at, "offsetof of an array element"),
            }
        }
        for name in names {
            let Type::Record(r) = ty else {
                return self.invalid(at, "offsetof in something that is no struct");
            };
            let Some(path) = self.unit.records.find(r, &name.node.name) else {
                return self.invalid(name.span, format!("no member `{}`", name.node.name));
            };
            for k in path {
                let Type::Record(r) = ty else { unreachable!("a path of records") };
                let f = &self.unit.records.fields(r)[k as usize];
                offset += f.offset;
                ty = f.ty.clone();
            }
        }
        Ok(Expr::constant(i128::from(offset), self.size_type(), self.span(at)))
    }

    // ---- operators -----------------------------------------------------------------------------

    fn unary(&mut self, u: &ast::UnaryOperatorExpression, e: &Node) -> Res<Expr> {
        use ast::UnaryOperator as U;
        let span = self.span(e.span);
        match u.operator.node {
            U::PreIncrement | U::PreDecrement => {
                let place = self.step(&u.operand, u.operator.node == U::PreIncrement, e.span)?;
                Ok(self.value_of(place))
            }
            U::PostIncrement | U::PostDecrement => {
                let place = self.place(&u.operand)?;
                let old = self.value_of(place.clone());
                let old = self.b().save(old);
                self.step_place(place, u.operator.node == U::PostIncrement, e.span)?;
                Ok(old)
            }
            U::Address => {
                if let ast::Expression::Identifier(i) = &u.operand.node
                    && matches!(self.lookup(&i.node.name), Some(Symbol::Func(_)))
                {
                    return self.expr(&u.operand);
                }
                let place = self.place(&u.operand)?;
                if let PlaceKind::Field(base, k) = &place.kind
                    && let Type::Record(r) = base.ty
                    && (self.unit.records.fields(r)[*k as usize].bit_field || self.unit.records.get(r).union)
                {
                    let what = self.located(e.span, "address of a union member");
                    let ty = place.ty.pointer_to();
                    return Ok(Expr { ty, kind: ExprKind::Unsupported(what.into()), span });
                }
                let ty = place.ty.clone().pointer_to();
                Ok(match place.kind {
                    PlaceKind::Deref(pointer) if pointer.ty == ty => *pointer, // `&*p` is `p`
                    _ => Expr { ty, kind: ExprKind::Address(Box::new(place)), span },
                })
            }
            U::Indirection => {
                let pointer = self.expr(&u.operand)?;
                if matches!(pointer.ty.pointee(), Some(Type::Function(_))) {
                    return Ok(pointer); // `*f` of a function pointer is the function again
                }
                let place = self.deref(pointer, e.span)?;
                Ok(self.value_of(place))
            }
            U::Plus => self.promoted(&u.operand),
            U::Minus | U::Complement => {
                let a = self.promoted(&u.operand)?;
                if a.ty.as_int().is_none() {
                    return Ok(self.not_an_integer(a, e.span));
                }
                let minus = u.operator.node == U::Minus;
                if let (Some(v), Type::Int(t)) = (a.as_const(), &a.ty) {
                    let r = if minus { -v } else { !v };
                    if t.contains(r) {
                        return Ok(Expr::constant(r, a.ty, span));
                    }
                }
                let ty = a.ty.clone();
                let a = Box::new(a);
                Ok(Expr { ty, kind: if minus { ExprKind::Neg(a) } else { ExprKind::BitNot(a) }, span })
            }
            U::Negate => {
                let a = self.expr(&u.operand)?;
                Ok(self.truth(a, e.span, true))
            }
        }
    }

    /// An expression of another type than integers where one is needed: floating point, or an error.
    pub(super) fn not_an_integer(&self, e: Expr, at: AstSpan) -> Expr {
        let what = match &e.kind {
            ExprKind::Unsupported(_) => return e,
            _ if matches!(e.ty, Type::Float(_)) => self.located(at, "floating point"),
            _ => self.located(at, "arithmetic on something that is no integer"),
        };
        Expr { ty: e.ty, kind: ExprKind::Unsupported(what.into()), span: e.span }
    }

    fn promoted(&mut self, e: &Node) -> Res<Expr> {
        let a = self.expr(e)?;
        Ok(match a.ty {
            Type::Int(t) => self.convert(a, Type::Int(t.promoted())),
            _ => a,
        })
    }

    /// The condition as `int`: `e != 0`, or `e == 0` when negated.
    pub(super) fn truth(&mut self, e: Expr, at: AstSpan, negate: bool) -> Expr {
        let span = self.span(at);
        match &e.ty {
            Type::Int(_) => {
                if let Some(v) = fold(&e) {
                    return Expr::constant(i128::from((v != 0) != negate), Type::INT, span);
                }
                if !negate {
                    return e;
                }
                Expr { ty: Type::INT, kind: ExprKind::Not(Box::new(e)), span }
            }
            Type::Pointer(_) => {
                let null = Expr::constant(0, e.ty.clone(), span);
                let op = if negate { CmpOp::Eq } else { CmpOp::Ne };
                Expr { ty: Type::INT, kind: ExprKind::Compare(op, Box::new(e), Box::new(null)), span }
            }
            _ => {
                let e = self.not_an_integer(e, at);
                Expr { ty: Type::INT, ..e }
            }
        }
    }

    fn binary_expr(&mut self, b: &ast::BinaryOperatorExpression, at: AstSpan) -> Res<Expr> {
        use ast::BinaryOperator as B;
        if matches!(b.operator.node, B::LogicalAnd | B::LogicalOr) {
            return self.logical(b, at);
        }
        let mut a = self.expr(&b.lhs)?;
        if has_effects(&b.rhs.node) {
            a = self.b().save(a);
        }
        let c = self.expr(&b.rhs)?;
        let compare = match b.operator.node {
            B::Less => Some(CmpOp::Lt),
            B::Greater => Some(CmpOp::Gt),
            B::LessOrEqual => Some(CmpOp::Le),
            B::GreaterOrEqual => Some(CmpOp::Ge),
            B::Equals => Some(CmpOp::Eq),
            B::NotEquals => Some(CmpOp::Ne),
            _ => None,
        };
        match compare {
            Some(op) => Ok(self.compare(op, a, c, at)),
            None => match arithmetic_op(&b.operator.node) {
                Some(op) => self.arithmetic(op, a, c, at),
                None => self.invalid(at, "an operator that is not expected here"),
            },
        }
    }

    fn logical(&mut self, b: &ast::BinaryOperatorExpression, at: AstSpan) -> Res<Expr> {
        let and = b.operator.node == ast::BinaryOperator::LogicalAnd;
        let span = self.span(at);
        if has_effects(&b.lhs.node) || has_effects(&b.rhs.node) {
            let result = self.b().temp("tmp", Type::INT);
            let (yes, no, end) = (self.b().label(), self.b().label(), self.b().label());
            self.condition_parts(and, b, yes, no)?;
            for (label, value) in [(yes, 1), (no, 0)] {
                self.b().place(label);
                self.b().emit(Instr::Assign(result.clone(), Expr::constant(value, Type::INT, span)));
                self.b().jump(end);
            }
            self.b().place(end);
            return Ok(result.load());
        }
        let x = self.expr(&b.lhs)?;
        let x = self.truth(x, b.lhs.span, false);
        // A constant on the left decides whether the right is evaluated at all.
        if let Some(v) = x.as_const() {
            if (v != 0) != and {
                return Ok(Expr::constant(i128::from(v != 0), Type::INT, span));
            }
            let y = self.expr(&b.rhs)?;
            let y = self.truth(y, b.rhs.span, true);
            return Ok(self.truth(y, at, true));
        }
        let y = self.expr(&b.rhs)?;
        let y = self.truth(y, b.rhs.span, false);
        let (x, y) = (Box::new(x), Box::new(y));
        Ok(Expr { ty: Type::INT, kind: if and { ExprKind::And(x, y) } else { ExprKind::Or(x, y) }, span })
    }

    /// Jumps to `yes` or `no` as the short-circuit operator says.
    fn condition_parts(
        &mut self,
        and: bool,
        b: &ast::BinaryOperatorExpression,
        yes: crate::ir::NodeId,
        no: crate::ir::NodeId,
    ) -> Res<()> {
        let more = self.b().label();
        if and {
            self.condition(&b.lhs, more, no)?;
        } else {
            self.condition(&b.lhs, yes, more)?;
        }
        self.b().place(more);
        self.condition(&b.rhs, yes, no)
    }

    /// Evaluates a condition and jumps.
    pub(super) fn condition(&mut self, e: &Node, yes: crate::ir::NodeId, no: crate::ir::NodeId) -> Res<()> {
        let own = self.span(e.span);
        let outer = std::mem::replace(&mut self.b().span, own);
        let done = self.condition_inner(e, yes, no);
        self.b().span = outer;
        done
    }

    fn condition_inner(&mut self, e: &Node, yes: crate::ir::NodeId, no: crate::ir::NodeId) -> Res<()> {
        use ast::Expression as E;
        match &e.node {
            E::BinaryOperator(b)
                if has_effects(&e.node)
                    && matches!(
                        b.node.operator.node,
                        ast::BinaryOperator::LogicalAnd | ast::BinaryOperator::LogicalOr
                    ) =>
            {
                let and = b.node.operator.node == ast::BinaryOperator::LogicalAnd;
                self.condition_parts(and, &b.node, yes, no)
            }
            E::UnaryOperator(u) if u.node.operator.node == ast::UnaryOperator::Negate => {
                self.condition(&u.node.operand, no, yes)
            }
            _ => {
                let value = self.expr(e)?;
                let value = self.truth(value, e.span, false);
                self.b().branch(value, yes, no);
                Ok(())
            }
        }
    }

    fn conditional(&mut self, c: &ast::ConditionalExpression, at: AstSpan) -> Res<Expr> {
        let span = self.span(at);
        let (then, otherwise) = (&c.then_expression, &c.else_expression);
        let a_ty = self.dry(|s| s.expr(then))?;
        let b_ty = self.dry(|s| s.expr(otherwise))?;
        let ty = match (&a_ty.ty, &b_ty.ty) {
            (Type::Int(x), Type::Int(y)) => Type::Int(x.common(*y)),
            (Type::Pointer(x), Type::Pointer(_)) if **x != Type::Void => a_ty.ty.clone(),
            (Type::Pointer(_), Type::Pointer(_)) => b_ty.ty.clone(),
            (Type::Pointer(_), _) => a_ty.ty.clone(),
            (_, Type::Pointer(_)) => b_ty.ty.clone(),
            (Type::Void, _) | (_, Type::Void) => Type::Void,
            (Type::Float(_), _) => a_ty.ty.clone(),
            (_, Type::Float(_)) => b_ty.ty.clone(),
            _ => a_ty.ty.clone(),
        };
        let pure = !has_effects(&then.node) && !has_effects(&otherwise.node) && ty.is_scalar();
        if pure {
            let k = self.expr(&c.condition)?;
            let k = self.truth(k, c.condition.span, false);
            let chosen = k.as_const().map(|v| if v != 0 { then } else { otherwise });
            if let Some(x) = chosen {
                let x = self.expr(x)?;
                return Ok(self.convert(x, ty));
            }
            let a = self.expr(then)?;
            let a = self.convert(a, ty.clone());
            let b = self.expr(otherwise)?;
            let b = self.convert(b, ty.clone());
            return Ok(Expr { ty, kind: ExprKind::Cond(Box::new(k), Box::new(a), Box::new(b)), span });
        }
        let result = (ty != Type::Void).then(|| self.b().temp("tmp", ty.clone()));
        let (yes, no, end) = (self.b().label(), self.b().label(), self.b().label());
        self.condition(&c.condition, yes, no)?;
        for (label, branch) in [(yes, then), (no, otherwise)] {
            self.b().place(label);
            match &result {
                Some(place) => {
                    let value = self.expr(branch)?;
                    let value = self.convert(value, ty.clone());
                    self.b().emit(Instr::Assign(place.clone(), value));
                }
                None => self.discard(branch)?,
            }
            self.b().jump(end);
        }
        self.b().place(end);
        Ok(match result {
            Some(place) => place.load(),
            None => Expr::constant(0, Type::Void, span),
        })
    }

    // ---- assignments ---------------------------------------------------------------------------

    /// Performs `++` or `--` on an lvalue; returns the place.
    fn step(&mut self, operand: &Node, up: bool, at: AstSpan) -> Res<Place> {
        let place = self.place(operand)?;
        self.step_place(place, up, at)
    }

    fn step_place(&mut self, place: Place, up: bool, at: AstSpan) -> Res<Place> {
        let old = self.value_of(place.clone());
        let one = Expr::constant(1, Type::INT, self.span(at));
        let new = self.arithmetic(if up { BinOp::Add } else { BinOp::Sub }, old, one, at)?;
        self.assign(place.clone(), new);
        Ok(place)
    }

    /// Stores a converted value. Floating-point objects are not modelled: what they hold matters only where it is used, and every
    /// use is unsupported.
    pub(super) fn assign(&mut self, place: Place, value: Expr) {
        if matches!(place.ty, Type::Float(_)) {
            return self.evaluate(value);
        }
        let value = self.convert(value, place.ty.clone());
        self.b().emit(Instr::Assign(place, value));
    }

    fn assignment(&mut self, b: &ast::BinaryOperatorExpression, at: AstSpan) -> Res<Place> {
        if self.builder.is_none() {
            return self.invalid(at, "an assignment outside a function");
        }
        if b.operator.node == ast::BinaryOperator::Assign {
            let mut place = self.place(&b.lhs)?;
            if has_effects(&b.rhs.node) && !self.only_asks(&b.rhs) {
                place = self.freeze(place);
            }
            let value = self.expr(&b.rhs)?;
            self.assign(place.clone(), value);
            return Ok(place);
        }
        let place = self.place(&b.lhs)?;
        let value = self.expr(&b.rhs)?;
        let old = self.value_of(place.clone());
        let Some(op) = compound_op(&b.operator.node) else {
            return self.invalid(at, "an operator that is not expected here");
        };
        let new = self.arithmetic(op, old, value, at)?;
        self.assign(place.clone(), new);
        Ok(place)
    }

    /// Is this only a call of a function without body, which changes nothing?
    fn only_asks(&self, e: &Node) -> bool {
        match &e.node {
            ast::Expression::Cast(c) => self.only_asks(&c.node.expression),
            ast::Expression::Call(c) => match &c.node.callee.node {
                ast::Expression::Identifier(i) => {
                    let undefined = !self.defined.contains(&i.node.name);
                    undefined && !c.node.arguments.iter().any(|a| has_effects(&a.node))
                }
                _ => false,
            },
            _ => false,
        }
    }

    /// Fixes which object a place is: later effects do not change its indices and pointers. Like gcc, the place of an assignment is
    /// determined before the value.
    fn freeze(&mut self, place: Place) -> Place {
        let kind = match place.kind {
            PlaceKind::Var(_) => place.kind,
            PlaceKind::Deref(e) => PlaceKind::Deref(Box::new(self.b().save(*e))),
            PlaceKind::Index(base, i) => {
                let base = self.freeze(*base);
                PlaceKind::Index(Box::new(base), Box::new(self.b().save(*i)))
            }
            PlaceKind::Field(base, k) => PlaceKind::Field(Box::new(self.freeze(*base)), k),
        };
        Place { kind, ..place }
    }

    fn statement_expression(&mut self, s: &Ast<ast::Statement>) -> Res<Expr> {
        let span = self.span(s.span);
        let void = Expr::constant(0, Type::Void, span);
        if self.builder.is_none() {
            return self.invalid(s.span, "a statement expression outside a function");
        }
        let ast::Statement::Compound(items) = &s.node else {
            self.statement(s)?;
            return Ok(void);
        };
        self.scoped(|me| {
            let Some((last, first)) = items.split_last() else { return Ok(void) };
            for item in first {
                me.block_item(item)?;
            }
            if let ast::BlockItem::Statement(st) = &last.node
                && let ast::Statement::Expression(Some(e)) = &st.node
            {
                let value = me.expr(e)?;
                // The value must outlive the scope.
                return Ok(if value.ty == Type::Void { value } else { me.b().save(value) });
            }
            me.block_item(last)?;
            Ok(void)
        })
    }
}

/// A floating-point constant or the value of an object: nothing that could go wrong is hidden in it.
fn harmless_float(e: &Expr) -> bool {
    match &e.kind {
        ExprKind::Load(_) => true,
        ExprKind::Unsupported(what) => {
            what.starts_with("floating-point constant") || what.starts_with("floating-point value")
        }
        _ => false,
    }
}

fn arithmetic_op(op: &ast::BinaryOperator) -> Option<BinOp> {
    use ast::BinaryOperator as B;
    Some(match op {
        B::Multiply => BinOp::Mul,
        B::Divide => BinOp::Div,
        B::Modulo => BinOp::Rem,
        B::Plus => BinOp::Add,
        B::Minus => BinOp::Sub,
        B::ShiftLeft => BinOp::Shl,
        B::ShiftRight => BinOp::Shr,
        B::BitwiseAnd => BinOp::And,
        B::BitwiseXor => BinOp::Xor,
        B::BitwiseOr => BinOp::Or,
        _ => return None,
    })
}

fn compound_op(op: &ast::BinaryOperator) -> Option<BinOp> {
    use ast::BinaryOperator as B;
    Some(match op {
        B::AssignMultiply => BinOp::Mul,
        B::AssignDivide => BinOp::Div,
        B::AssignModulo => BinOp::Rem,
        B::AssignPlus => BinOp::Add,
        B::AssignMinus => BinOp::Sub,
        B::AssignShiftLeft => BinOp::Shl,
        B::AssignShiftRight => BinOp::Shr,
        B::AssignBitwiseAnd => BinOp::And,
        B::AssignBitwiseXor => BinOp::Xor,
        B::AssignBitwiseOr => BinOp::Or,
        _ => return None,
    })
}
