//! Functions of which a program only asks whether their result is zero. Then it does not matter which other
//! value they give, and a model need not leave it open: a program without inputs stays one.
//!
//! Entry point: [`valued`].

use std::sync::Arc;

use lang_c::ast::{BinaryOperator, Expression, Statement, TranslationUnit, UnaryOperator};
use lang_c::span::{Node, Span};
use lang_c::visit::{self, Visit};
use rustc_hash::FxHashSet;

use crate::lower::{is_same, is_zero};

/// The names that stand in expressions, but for calls that are conditions.
pub(super) fn valued(trees: &[Arc<TranslationUnit>]) -> FxHashSet<&str> {
    let mut names = Names::default();
    trees.iter().for_each(|t| names.visit_translation_unit(t));
    names.valued
}

#[derive(Default)]
struct Names<'ast> {
    valued: FxHashSet<&'ast str>,
    /// Only the truth of the expression that comes next matters.
    truth: bool,
}

impl<'ast> Names<'ast> {
    fn condition(&mut self, e: &'ast Node<Expression>) {
        self.truth = true;
        self.visit_expression(&e.node, &e.span);
    }
}

impl<'ast> Visit<'ast> for Names<'ast> {
    fn visit_expression(&mut self, e: &'ast Expression, span: &'ast Span) {
        use BinaryOperator as B;
        let truth = std::mem::take(&mut self.truth);
        match e {
            Expression::Identifier(i) => _ = self.valued.insert(&i.node.name),
            Expression::Call(c) if truth && matches!(c.node.callee.node, Expression::Identifier(_)) => {
                c.node.arguments.iter().for_each(|a| self.visit_expression(&a.node, &a.span));
            }
            Expression::UnaryOperator(u) if u.node.operator.node == UnaryOperator::Negate => {
                self.condition(&u.node.operand);
            }
            Expression::BinaryOperator(b) => match b.node.operator.node {
                B::LogicalAnd | B::LogicalOr => {
                    self.condition(&b.node.lhs);
                    self.condition(&b.node.rhs);
                }
                B::Equals | B::NotEquals if is_zero(&b.node.rhs.node) => self.condition(&b.node.lhs),
                B::Equals | B::NotEquals if is_zero(&b.node.lhs.node) => self.condition(&b.node.rhs),
                _ => visit::visit_expression(self, e, span),
            },
            Expression::Conditional(c) => {
                // The condition of `a ?: b` is its value, too.
                match is_same(&c.node.then_expression.node) && !truth {
                    true => self.visit_expression(&c.node.condition.node, &c.node.condition.span),
                    false => self.condition(&c.node.condition),
                }
                for part in [&c.node.then_expression, &c.node.else_expression] {
                    self.truth = truth;
                    self.visit_expression(&part.node, &part.span);
                }
            }
            _ => visit::visit_expression(self, e, span),
        }
        self.truth = false;
    }

    fn visit_statement(&mut self, s: &'ast Statement, span: &'ast Span) {
        match s {
            Statement::If(i) => {
                self.condition(&i.node.condition);
                let branches = [Some(&i.node.then_statement), i.node.else_statement.as_ref()];
                branches.into_iter().flatten().for_each(|s| self.visit_statement(&s.node, &s.span));
            }
            Statement::While(w) => {
                self.condition(&w.node.expression);
                self.visit_statement(&w.node.statement.node, &w.node.statement.span);
            }
            Statement::DoWhile(d) => {
                self.visit_statement(&d.node.statement.node, &d.node.statement.span);
                self.condition(&d.node.expression);
            }
            Statement::For(f) => {
                self.visit_for_initializer(&f.node.initializer.node, &f.node.initializer.span);
                f.node.condition.iter().for_each(|e| self.condition(e));
                f.node.step.iter().for_each(|e| self.visit_expression(&e.node, &e.span));
                self.visit_statement(&f.node.statement.node, &f.node.statement.span);
            }
            _ => visit::visit_statement(self, s, span),
        }
    }

    // `__attribute__((malloc(free, 1)))` calls nothing.
    fn visit_extension(&mut self, _: &'ast lang_c::ast::Extension, _: &'ast Span) {}
}
