//! Statements: labels, branches, loops, `switch`, `goto`, `return`.
//!
//! Every loop begins with a node that is marked as its head, which is where the encoding puts a location. A
//! statement that is not supported ends its path in a node that says so; the translation goes on behind it.

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};
use lang_c::visit::{self, Visit};

use super::builder::Switch;
use super::relied::Sites;
use super::{Lowerer, Problem, Res, Symbol, declared_names};
use crate::dialect::LOCAL;
use crate::ir::{Instr, NodeId, NodeKind, Place, VarRef};
use crate::types::{IntType, Type};

impl Lowerer<'_> {
    pub(super) fn function_body(&mut self, s: &Ast<ast::Statement>) -> Res<()> {
        match &s.node {
            // The outermost block shares its scope with the parameters.
            ast::Statement::Compound(items) => {
                for item in items {
                    self.block_item(item)?;
                }
                Ok(())
            }
            _ => self.statement(s),
        }
    }

    pub(super) fn block_item(&mut self, item: &Ast<ast::BlockItem>) -> Res<()> {
        match &item.node {
            ast::BlockItem::Declaration(d) => {
                self.b().span = Default::default();
                let span = self.span(d.span);
                self.b().span = span;
                let done = self.stating(Sites::declaration(d.span), |me| me.declaration(d));
                if let Err(Problem::Unsupported(what)) = &done {
                    // The path ends here; what follows is still checked for names.
                    for name in declared_names(&d.node) {
                        if !self.scopes.last().is_some_and(|s| s.names.contains_key(&name)) {
                            self.declare(&name, Symbol::Refused(what.clone()));
                        }
                    }
                }
                self.recover(done)
            }
            ast::BlockItem::StaticAssert(_) => Ok(()),
            ast::BlockItem::Statement(s) => self.stating(Sites::statement(s.span), |me| me.statement(s)),
        }
    }

    pub(super) fn statement(&mut self, s: &Ast<ast::Statement>) -> Res<()> {
        let span = self.span(s.span);
        self.b().span = span;
        let done = self.statement_inner(s);
        self.recover(done)
    }

    /// A statement that is part of another one is a block.
    fn substatement(&mut self, s: &Ast<ast::Statement>) -> Res<()> {
        let mut found = Literals(false);
        found.visit_statement(&s.node, &s.span);
        self.named_inside(found.0, |me| me.statement(s))
    }

    fn statement_inner(&mut self, s: &Ast<ast::Statement>) -> Res<()> {
        use ast::Statement as S;
        match &s.node {
            S::Labeled(l) => self.labeled(&l.node),
            S::Compound(items) => self.scoped_until(s.span.end, |me| {
                for item in items {
                    me.block_item(item)?;
                }
                Ok(())
            }),
            S::Expression(Some(e)) => self.full(|me| me.discard(e)),
            S::Expression(None) => Ok(()),
            S::If(i) => self.named_inside(in_expression(&i.node.condition), |me| me.if_statement(&i.node)),
            S::Switch(w) => {
                self.named_inside(in_expression(&w.node.expression), |me| me.switch_statement(&w.node))
            }
            S::While(w) => self.named_inside(in_expression(&w.node.expression), |me| {
                let (head, body, end) = me.loop_labels();
                let ended = me.full_condition(&w.node.expression, body, end)?;
                me.loop_body(&w.node.statement, end, head)?;
                me.b().jump(head);
                me.b().place(end);
                me.b().end(ended);
                Ok(())
            }),
            S::DoWhile(w) => self.named_inside(in_expression(&w.node.expression), |me| {
                let (head, test, end) = me.loop_labels();
                me.loop_body(&w.node.statement, end, test)?;
                me.b().place(test);
                let again = me.b().label();
                let ended = me.full_condition(&w.node.expression, again, end)?;
                me.b().jump(head);
                me.b().place(end);
                me.b().end(ended);
                Ok(())
            }),
            S::For(f) if self.options.is_c90() => self.for_statement(&f.node),
            S::For(f) => {
                let declares = matches!(f.node.initializer.node, ast::ForInitializer::Declaration(_));
                let sites = if declares { Sites::body(f.node.statement.span) } else { self.sites };
                self.stating(sites, |me| me.scoped_until(s.span.end, |me| me.for_statement(&f.node)))
            }
            S::Goto(label) => {
                let target = self.named_label(&label.node.name);
                self.b().jump(target);
                Ok(())
            }
            S::Continue => match self.b().continues.last().copied() {
                Some(target) => {
                    self.b().jump(target);
                    Ok(())
                }
                None => self.invalid(s.span, "`continue` outside a loop"),
            },
            S::Break => match self.b().breaks.last().copied() {
                Some(target) => {
                    self.b().jump(target);
                    Ok(())
                }
                None => self.invalid(s.span, "`break` outside a loop or switch"),
            },
            S::Return(_) if self.b().ensured && self.source().woven_from(s.span.start).is_none() => {
                self.invalid(s.span, "a `return` made by a macro, in a function with `ensures`")
            }
            S::Return(value) => self.return_statement(value.as_deref()),
            S::Asm(a) => self.assembly(&a.node, s.span),
        }
    }

    /// Something with a full expression: temporaries end with it.
    pub(super) fn full<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.builder.as_ref().map_or(0, |b| b.ending.len());
        let out = f(self);
        if let Some(b) = &mut self.builder {
            b.end_temporaries(before);
        }
        out
    }

    /// A condition that is a full expression. Goes on where it holds; the temporaries that it gives back end
    /// where it does not hold, too.
    fn full_condition(&mut self, e: &Ast<ast::Expression>, yes: NodeId, no: NodeId) -> Res<Vec<u32>> {
        let before = self.b().ending.len();
        self.condition(e, yes, no)?;
        let ended = self.b().ending.split_off(before);
        self.b().place(yes);
        self.b().end(ended.clone());
        Ok(ended)
    }

    /// The head of a loop (placed), and two labels for it.
    pub(super) fn loop_labels(&mut self) -> (NodeId, NodeId, NodeId) {
        let b = self.b();
        let head = b.label();
        b.nodes[head.0 as usize].loop_head = true;
        let (x, y) = (b.label(), b.label());
        b.place(head);
        (head, x, y)
    }

    fn loop_body(&mut self, body: &Ast<ast::Statement>, on_break: NodeId, on_continue: NodeId) -> Res<()> {
        self.b().breaks.push(on_break);
        self.b().continues.push(on_continue);
        let done = self.substatement(body);
        self.b().breaks.pop();
        self.b().continues.pop();
        done
    }

    fn for_statement(&mut self, f: &ast::ForStatement) -> Res<()> {
        let span = self.b().span;
        match &f.initializer.node {
            ast::ForInitializer::Expression(e) => {
                let at = self.span(e.span);
                self.b().span = at;
                self.full(|me| me.discard(e))?;
            }
            ast::ForInitializer::Declaration(d) => {
                let at = self.span(d.span);
                self.b().span = at;
                self.declaration(d)?;
            }
            ast::ForInitializer::Empty | ast::ForInitializer::StaticAssert(_) => {}
        }
        self.b().span = span;
        let (head, body, end) = self.loop_labels();
        let next = self.b().label();
        let ended = match &f.condition {
            Some(c) => self.full_condition(c, body, end)?,
            None => {
                self.b().place(body);
                Vec::new()
            }
        };
        self.loop_body(&f.statement, end, next)?;
        self.b().place(next);
        if let Some(step) = &f.step {
            let at = self.span(step.span);
            self.b().span = at;
            self.full(|me| me.discard(step))?;
        }
        self.b().jump(head);
        self.b().place(end);
        self.b().end(ended);
        Ok(())
    }

    fn if_statement(&mut self, i: &ast::IfStatement) -> Res<()> {
        let (yes, no) = (self.b().label(), self.b().label());
        let ended = self.full_condition(&i.condition, yes, no)?;
        self.substatement(&i.then_statement)?;
        match &i.else_statement {
            None => {
                self.b().place(no);
                self.b().end(ended);
            }
            Some(e) => {
                let end = self.b().label();
                self.b().jump(end);
                self.b().place(no);
                self.b().end(ended);
                self.substatement(e)?;
                self.b().place(end);
            }
        }
        Ok(())
    }

    fn switch_statement(&mut self, w: &ast::SwitchStatement) -> Res<()> {
        let before = self.b().ending.len();
        let mut value = self.expr(&w.expression)?;
        if self.b().ending.len() > before {
            value = self.save(value);
            self.b().end_temporaries(before);
        }
        let Some(ty) = value.ty.as_int().map(IntType::promoted) else {
            return self.unsupported(w.expression.span, "a switch over something that is no integer");
        };
        let value = self.convert(value, Type::Int(ty));
        let end = self.b().label();
        let node = self.b().switch(value, Vec::new(), end);
        self.b().current = None;
        self.b().switches.push(Switch { ty, cases: Vec::new(), default: None });
        self.b().breaks.push(end);
        let done = self.substatement(&w.statement);
        self.b().breaks.pop();
        let switch = self.b().switches.pop().expect("the switch");
        let b = self.b();
        if let NodeKind::Switch(_, cases, default) = &mut b.nodes[node.0 as usize].kind {
            *cases = switch.cases;
            *default = switch.default.unwrap_or(end);
        }
        b.place(end);
        done
    }

    fn labeled(&mut self, l: &ast::LabeledStatement) -> Res<()> {
        let place = match &l.label.node {
            ast::Label::Identifier(name) => {
                self.place_label(&name.node.name);
                return self.statement(&l.statement);
            }
            ast::Label::Case(e) => {
                let v = self.constant(e)?;
                Some((v, v))
            }
            ast::Label::CaseRange(r) => Some((self.constant(&r.node.low)?, self.constant(&r.node.high)?)),
            ast::Label::Default => None,
        };
        let label = self.b().label();
        let Some(switch) = self.b().switches.last_mut() else {
            return self.invalid(l.label.span, "a case label outside a switch");
        };
        match place {
            Some((low, high)) => match (switch.ty.wrapped(low), switch.ty.wrapped(high)) {
                (Some(low), Some(high)) => switch.cases.push((low, high, label)),
                _ => return self.unsupported(l.label.span, "a case label of more than 127 bits"),
            },
            None => switch.default = Some(label),
        }
        self.b().place(label);
        self.statement(&l.statement)
    }

    /// A label with a name stands here.
    pub(super) fn place_label(&mut self, name: &str) {
        let label = self.named_label(name);
        let span = self.b().span;
        self.b().nodes[label.0 as usize].span = span;
        self.b().placed.push(name.to_string());
        self.b().place(label);
        let written = || self.source().respelled(name.split(LOCAL).next().unwrap_or(name).to_string());
        if self.options.checks.error_label.as_ref().is_some_and(|l| *l == written()) {
            self.b().finish(NodeKind::Error("unreach-label".into()));
            self.b().current = None;
        }
    }

    fn named_label(&mut self, name: &str) -> NodeId {
        if let Some(&l) = self.b().labels.get(name) {
            return l;
        }
        let l = self.b().label();
        self.b().labels.insert(name.to_string(), l);
        l
    }

    fn return_statement(&mut self, value: Option<&Ast<ast::Expression>>) -> Res<()> {
        let ty = self.b().result_type.clone();
        let span = self.b().span;
        match (value, self.b().result) {
            (Some(e), Some(v)) => {
                let value = self.expr(e)?;
                self.observe(e.span, &ty);
                self.assign(Place::var(VarRef::Local(v), ty, span), value);
            }
            (Some(e), None) => self.discard(e)?,
            // The value is indeterminate if the caller looks at it.
            (None, Some(v)) => self.b().emit(Instr::Havoc(Place::var(VarRef::Local(v), ty, span))),
            (None, None) => {}
        }
        let exit = self.b().exit;
        self.b().jump(exit);
        Ok(())
    }
}

/// Are there compound literals, outside of the statements in it that are blocks?
struct Literals(bool);

impl<'ast> Visit<'ast> for Literals {
    fn visit_statement(&mut self, s: &'ast ast::Statement, span: &'ast AstSpan) {
        use ast::Statement as S;
        if !matches!(s, S::Compound(_) | S::If(_) | S::Switch(_) | S::While(_) | S::DoWhile(_) | S::For(_)) {
            visit::visit_statement(self, s, span);
        }
    }

    fn visit_expression(&mut self, e: &'ast ast::Expression, span: &'ast AstSpan) {
        self.0 |= matches!(e, ast::Expression::CompoundLiteral(_));
        visit::visit_expression(self, e, span);
    }
}

fn in_expression(e: &Ast<ast::Expression>) -> bool {
    let mut found = Literals(false);
    found.visit_expression(&e.node, &e.span);
    found.0
}
