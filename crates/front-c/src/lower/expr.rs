//! Expressions: from C, with its side effects, to pure typed expressions and the instructions that come
//! before them.
//!
//! Operands whose order is open are in `order`, what branches in `condition`, what stores in `assign`.

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};

use super::constant::{fold, has_effects, is_assignment, is_void};
use super::relied::Sites;
use super::{Lowerer, Problem, Res, Symbol};
use crate::dialect::LABEL;
use crate::ir::{BinOp, CmpOp, Expr, ExprKind, Part, Place, PlaceKind, VarRef};
use crate::options::UndefinedMemory;
use crate::types::{IntType, Len, Qualifiers, Type};

type Node = Ast<ast::Expression>;

impl Lowerer<'_> {
    /// The value of an expression. Arrays and functions have become pointers.
    pub(super) fn expr(&mut self, e: &Node) -> Res<Expr> {
        let value = self.value(e)?;
        self.rely_on_value(e, &value);
        Ok(value)
    }

    fn value(&mut self, e: &Node) -> Res<Expr> {
        use ast::Expression as E;
        match &e.node {
            E::Constant(c) => self.literal(c),
            E::Identifier(i) if i.node.name.starts_with(LABEL) => self.label_address(&i.node.name, e.span),
            E::Identifier(i) => match self.lookup(&i.node.name) {
                Some(Symbol::Constant(v, t)) => Ok(Expr::constant(*v, Type::Int(*t), self.span(e.span))),
                Some(Symbol::Func(f)) => {
                    let f = *f;
                    if let Some(what) = self.unusable(&i.node.name) {
                        return Err(Problem::Unsupported(format!("use of a function with {what}")));
                    }
                    self.unit.functions[f.0 as usize].address_taken = true;
                    let ty = Type::Function(self.visible_signature(&i.node.name, f)).pointer_to();
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
                if ty.is_variable() && has_effects(&v.node.0.node) {
                    return self.unsupported(e.span, "an effect in the size of an array of variable length");
                }
                self.size_of(&ty, e.span)
            }
            E::AlignOf(t) => {
                // The operand is not evaluated.
                let (ty, align) = self.dry(|me| me.aligned_type_name(&t.node.0))?;
                // The span has the parentheses around it.
                let text = self.source().text[e.span.start..]
                    .trim_start_matches(|c: char| c == '(' || c.is_whitespace());
                let standard = text.starts_with("_Alignof");
                let (records, model) = (&self.unit.records, self.options.data_model);
                let a = match align {
                    Some(a) => a,
                    None if standard => records.align_of(&ty, model),
                    None => records.preferred_align_of(&ty, model),
                };
                Ok(Expr::constant(i128::from(a), self.size_type(), self.span(e.span)))
            }
            E::UnaryOperator(u) => self.unary(&u.node, e),
            E::Cast(c) if is_void(&c.node.type_name.node) && self.builder.is_some() => {
                self.discard(&c.node.expression)?;
                Ok(Expr::constant(0, Type::Void, self.span(e.span)))
            }
            E::Cast(c) => {
                let ty = self.type_name(&c.node.type_name)?;
                if let Some(value) = self.narrowed_literal(&c.node.expression, &ty, e.span) {
                    return Ok(value);
                }
                let value = self.expr(&c.node.expression)?;
                if matches!((&ty, &value.ty), (Type::Record(_), Type::Int(_) | Type::Pointer(_)))
                    && self.builder.is_some()
                {
                    return self.cast_to_union(value, ty, e.span);
                }
                self.refuse_address(&value, &ty, e.span)?;
                Ok(self.convert(value, ty))
            }
            E::BinaryOperator(b) if b.node.operator.node == ast::BinaryOperator::Index => {
                match self.character(&b.node, e.span)? {
                    Some(value) => Ok(value),
                    None => {
                        let place = self.place(e)?;
                        Ok(self.value_of(place))
                    }
                }
            }
            E::BinaryOperator(b) if is_assignment(&b.node.operator.node) => self.assignment(&b.node, e.span),
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
            E::GenericSelection(g) => {
                let selected = self.selected(&g.node, e.span)?;
                self.expr(selected)
            }
            E::VaArg(a) if self.builder.is_some() => self.va_arg(&a.node, e.span),
            E::VaArg(_) => self.invalid(e.span, "variable arguments outside a function"),
        }
    }

    /// `"abc"[1]`: gcc takes it as a constant, so it may stand in a static initialiser.
    fn character(&mut self, b: &ast::BinaryOperatorExpression, at: AstSpan) -> Res<Option<Expr>> {
        let ast::Expression::StringLiteral(s) = &b.lhs.node else { return Ok(None) };
        if has_effects(&b.rhs.node) {
            return Ok(None);
        }
        let index = self.dry(|me| me.expr(&b.rhs))?;
        let text = self.text(s)?;
        let code = fold(&index).and_then(|i| text.codes.get(usize::try_from(i).ok()?).copied());
        let ty = text.element;
        Ok(code.map(|c| Expr::constant(ty.wrap(i128::from(c)), Type::Int(ty), self.span(at))))
    }

    /// Evaluates an expression for its effects only.
    pub(super) fn discard(&mut self, e: &Node) -> Res<()> {
        use ast::Expression as E;
        use ast::UnaryOperator as U;
        match &e.node {
            E::UnaryOperator(u)
                if matches!(
                    u.node.operator.node,
                    U::PostIncrement | U::PostDecrement | U::PreIncrement | U::PreDecrement
                ) =>
            {
                let up = matches!(u.node.operator.node, U::PostIncrement | U::PreIncrement);
                let place = self.place(&u.node.operand)?;
                self.step_place(place, up, e.span)?;
            }
            E::BinaryOperator(b) if is_assignment(&b.node.operator.node) => {
                self.assign_only(&b.node, e.span)?;
            }
            E::Comma(list) => {
                for x in list.iter() {
                    self.discard(x)?;
                }
            }
            E::Cast(c) if is_void(&c.node.type_name.node) => self.discard(&c.node.expression)?,
            _ if has_effects(&e.node) => {
                self.unused_call = Some(e.span);
                let value = self.expr(e)?;
                // That nobody knows what `printf` returns matters only to those who use it.
                let is_result = matches!((&e.node, &value.kind), (E::Call(_), ExprKind::Unsupported(_)));
                if !(is_result && value.span == self.span(e.span)) {
                    self.evaluate(value);
                }
            }
            // A pure expression without use matters only for what it must satisfy.
            _ if self.checks_operations() || self.reports_accesses() => {
                let value = self.expr(e)?;
                self.evaluate(value);
            }
            _ => {
                self.dry(|s| s.expr(e))?;
            }
        }
        Ok(())
    }

    /// Is undefined behaviour of an access told, also where its value is not used?
    fn reports_accesses(&self) -> bool {
        self.builder.is_some() && self.options.undefined == UndefinedMemory::Report
    }

    /// Can the mere evaluation of an expression violate a property?
    fn checks_operations(&self) -> bool {
        let c = &self.options.checks;
        c.overflow || c.division || c.bounds || c.shift || c.memory()
    }

    /// Evaluates an expression whose value is not used, only for its requirements. Floating-point expressions
    /// may contain integer expressions, which would be lost; so they are dropped only if no operation is
    /// checked.
    pub(super) fn evaluate(&mut self, value: Expr) {
        if !(self.checks_operations() || self.reports_accesses() && accesses(&value)) {
            return;
        }
        let value = match value.ty {
            Type::Int(_) | Type::Ieee(_) | Type::Pointer(_) => value,
            Type::Float(_) if !harmless_float(&value) => Expr { ty: Type::INT, ..value },
            _ => return,
        };
        self.save(value);
    }

    /// The type of an expression before arrays become pointers. Nothing is evaluated.
    pub(super) fn unconverted_type(&mut self, e: &Node) -> Res<Type> {
        let before = self.builder.as_ref().map_or(0, |b| b.vars.len());
        let ty = self.expression_type(e)?;
        self.refuse_new_lengths(&ty, before, e.span)?;
        Ok(ty)
    }

    /// Refuses a type whose length was made since there were so many variables.
    pub(super) fn refuse_new_lengths(&mut self, ty: &Type, before: usize, at: AstSpan) -> Res<()> {
        match most_recent_length(ty) {
            Some(length) if length as usize >= before => {
                self.unsupported(at, "a type with an array of variable length in an expression")
            }
            _ => Ok(()),
        }
    }

    /// No part is visited twice, because such questions are nested in each other.
    fn expression_type(&mut self, e: &Node) -> Res<Type> {
        use ast::Expression as E;
        let named = match &e.node {
            E::Cast(c) => Some(&c.node.type_name),
            E::CompoundLiteral(c) => Some(&c.node.type_name),
            _ => None,
        };
        if let Some(name) = named {
            let ty = self.dry(|s| s.type_name(name))?;
            // The length may come from the initialiser.
            if !matches!(ty, Type::Array(_, Len::Unknown)) {
                return Ok(ty);
            }
        }
        match &e.node {
            // An object, or a constant or function.
            E::Identifier(_) => match self.place(e) {
                Ok(place) => Ok(place.ty),
                Err(_) => {
                    let value = self.dry(|s| s.expr(e))?;
                    Ok(match (&value.kind, value.ty.pointee()) {
                        (ExprKind::Function(_), Some(function)) => function.clone(),
                        _ => value.ty,
                    })
                }
            },
            // Other objects, which may be arrays.
            E::StringLiteral(_) | E::Member(_) | E::CompoundLiteral(_) => Ok(self.dry(|s| s.place(e))?.ty),
            E::UnaryOperator(u) if u.node.operator.node == ast::UnaryOperator::Indirection => {
                Ok(self.dry(|s| s.place(e))?.ty)
            }
            E::BinaryOperator(b) if b.node.operator.node == ast::BinaryOperator::Index => {
                Ok(self.dry(|s| s.place(e))?.ty)
            }
            E::GenericSelection(g) => {
                let selected = self.selected(&g.node, e.span)?;
                self.expression_type(selected)
            }
            E::Call(c) => match (&c.node.callee.node, &c.node.arguments[..]) {
                (E::Identifier(i), [k, a, b]) if i.node.name == "__builtin_choose_expr" => {
                    let chosen = if self.constant(k)? != 0 { a } else { b };
                    self.expression_type(chosen)
                }
                _ => Ok(self.dry(|s| s.expr(e))?.ty),
            },
            _ => Ok(self.dry(|s| s.expr(e))?.ty),
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
        if let (Type::Array(element, Len::Fixed(n)), true) = (ty, ty.is_variable()) {
            let element = self.size_of(element, at)?;
            let n = Expr::constant(i128::from(*n), self.size_type(), span);
            return self.arithmetic(BinOp::Mul, n, element, at);
        }
        match self.size_in_bytes(ty) {
            Some(n) => Ok(Expr::constant(n, self.size_type(), span)),
            None if ty.is_variable() => {
                self.unsupported(at, "the size of an array of arrays of variable length")
            }
            None => self.invalid(at, format!("the size of the incomplete type `{ty}`")),
        }
    }

    fn offset_of(&mut self, o: &ast::OffsetOfExpression, at: AstSpan) -> Res<Expr> {
        let mut ty = self.type_name(&o.type_name)?;
        let (mut offset, mut varying) = (0, Vec::new());
        let mut steps = vec![Ok(&o.designator.node.base)];
        for m in &o.designator.node.members {
            steps.push(match &m.node {
                ast::OffsetMember::Member(i) | ast::OffsetMember::IndirectMember(i) => Ok(i),
                ast::OffsetMember::Index(e) => Err(e),
            });
        }
        for step in steps {
            let name = match step {
                Ok(name) => name,
                Err(index) => {
                    let Type::Array(element, _) = &ty else {
                        return self.invalid(at, "offsetof of an element of something that is no array");
                    };
                    let element = (**element).clone();
                    let size = self.unit.records.size_of(&element, self.options.data_model);
                    let n = self.expr(index)?;
                    let (Some(size), Type::Int(_)) = (size, &n.ty) else {
                        return self.unsupported(at, "this offsetof");
                    };
                    match super::constant::fold(&n).map(u64::try_from) {
                        Some(Ok(n)) if n.checked_mul(size).is_some() => {
                            self.constant(index)?; // which the compiler confirms
                            offset += n * size;
                        }
                        Some(_) => return self.unsupported(at, "this offsetof"),
                        None => varying.push((n, size)),
                    }
                    ty = element;
                    continue;
                }
            };
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
        let mut sum = Expr::constant(i128::from(offset), self.size_type(), self.span(at));
        // An index that varies is GNU C.
        for (n, size) in varying {
            let size = Expr::constant(i128::from(size), self.size_type(), self.span(at));
            let n = self.convert(n, self.size_type());
            let bytes = self.arithmetic(BinOp::Mul, n, size, at)?;
            sum = self.arithmetic(BinOp::Add, sum, bytes, at)?;
        }
        Ok(sum)
    }

    // ---- operators -----------------------------------------------------------------------------

    fn unary(&mut self, u: &ast::UnaryOperatorExpression, e: &Node) -> Res<Expr> {
        use ast::UnaryOperator as U;
        let span = self.span(e.span);
        match u.operator.node {
            U::PreIncrement | U::PreDecrement => {
                self.step(&u.operand, u.operator.node == U::PreIncrement, e.span)
            }
            U::PostIncrement | U::PostDecrement => {
                let place = self.place(&u.operand)?;
                let old = self.value_of(place.clone());
                let old = self.save(old);
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
                    && self.unit.records.fields(r)[*k as usize].bit_field
                {
                    let what = self.located(e.span, "address of a bit-field");
                    let ty = place.ty.pointer_to();
                    return Ok(Expr { ty, kind: ExprKind::Unsupported(what.into()), span });
                }
                let ty =
                    place.ty.clone().pointer_to_qualified(self.place_is_volatile(&place), Qualifiers::OPEN);
                if let Some(address) = self.fixed_address(&place) {
                    return Ok(Expr::constant(address, ty, span));
                }
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
                if let (Some(_), U::Minus) = (a.ty.as_float(), u.operator.node.clone()) {
                    return Ok(self.float_minus(a, e.span));
                }
                if a.ty.as_int().is_none() {
                    return Ok(self.not_an_integer(a, e.span));
                }
                let minus = u.operator.node == U::Minus;
                if let (Some(v), Type::Int(t)) = (a.as_const(), &a.ty) {
                    let r = if minus { v.checked_neg() } else { Some(!v) };
                    if let Some(r) = r.filter(|r| t.contains(*r)) {
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
            _ if matches!(e.ty, Type::Float(_)) => self.located(at, super::float::refused(&e.ty)),
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

    fn binary_expr(&mut self, b: &ast::BinaryOperatorExpression, at: AstSpan) -> Res<Expr> {
        use ast::BinaryOperator as B;
        if matches!(b.operator.node, B::LogicalAnd | B::LogicalOr) {
            return self.logical(b, at);
        }
        if let Some(failed) = self.failed_signal(b, at)? {
            return Ok(failed);
        }
        self.expect_sign_only(b)?;
        let (a, c) = self.two_values(&b.lhs, &b.rhs, at)?;
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
        let (outer, statement) = (self.b().scope, self.b().span);
        let value = self.scoped_until(s.span.end, |me| {
            let Some((last, first)) = items.split_last() else { return Ok(void) };
            for item in first {
                me.block_item(item)?;
            }
            let (labels, end) = match &last.node {
                ast::BlockItem::Statement(st) => behind_labels(st),
                _ => (Vec::new(), None),
            };
            if let Some(ast::Statement::Expression(Some(e))) = end {
                labels.into_iter().for_each(|l| me.place_label(l));
                let value = me.stating(Sites::statement(last.span), |me| me.expr(e))?;
                if value.ty == Type::Void {
                    return Ok(value);
                }
                // The value outlives the scope, and what it points to may not.
                let saved = me.b().save(value);
                if let ExprKind::Load(p) = &saved.kind
                    && let PlaceKind::Var(VarRef::Local(v)) = p.kind
                {
                    me.b().vars[v as usize].scope = outer;
                }
                return Ok(saved);
            }
            me.block_item(last)?;
            Ok(void)
        });
        // The statement around it goes on.
        self.b().span = statement;
        value
    }
}

/// The names of labels before a statement, and the statement.
fn behind_labels(mut s: &Ast<ast::Statement>) -> (Vec<&str>, Option<&ast::Statement>) {
    let mut labels = Vec::new();
    while let ast::Statement::Labeled(l) = &s.node {
        let ast::Label::Identifier(name) = &l.node.label.node else { return (labels, None) };
        labels.push(name.node.name.as_str());
        s = &l.node.statement;
    }
    (labels, Some(&s.node))
}

/// The last variable that a type has as the length of an array.
fn most_recent_length(ty: &Type) -> Option<u32> {
    match ty {
        Type::Array(element, Len::Variable(v)) => Some(*v).max(most_recent_length(element)),
        Type::Array(inner, _) => most_recent_length(inner),
        Type::Pointer(inner) => most_recent_length(inner),
        _ => None,
    }
}

/// Does an expression read through a pointer, or an element of an array?
fn accesses(e: &Expr) -> bool {
    let mut found = false;
    Part::Expr(e).visit(&mut |part| {
        if let Part::Place(p) = part {
            found |= matches!(p.kind, PlaceKind::Deref(_) | PlaceKind::Index(..));
        }
    });
    found
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
