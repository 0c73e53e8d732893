//! Statements in expressions (GNU C) that do not simply end: jumps to other statements, and loops. Where the
//! order of operands is open, it matters whether such an operand comes first.
//!
//! Entry point: [`escapes`].

use lang_c::ast;
use lang_c::span::{Node as Ast, Span};
use lang_c::visit::{self, Visit};
use rustc_hash::FxHashSet;

use super::constant::is_zero;
use crate::dialect::GOTO;
use crate::ir::Side;

/// How the statements in an expression may not come to its end, as sides of an order.
pub(super) fn escapes(e: &Ast<ast::Expression>) -> Vec<Side> {
    let mut found = Found::default();
    found.visit_expression(&e.node, &e.span);
    let inside = |to: &&String| found.labels.contains(*to);
    let back = found.jumps.iter().any(|to| inside(&to));
    let out = found.jumps.iter().any(|to| !inside(&to));
    let leaves = (found.leaves || out).then_some(Side::Leaves);
    leaves.into_iter().chain((found.loops || back).then_some(Side::Loops)).collect()
}

#[derive(Default)]
struct Found {
    leaves: bool,
    loops: bool,
    /// The loops around what is visited, and the loops and `switch`es.
    inside: (u32, u32),
    labels: FxHashSet<String>,
    jumps: Vec<String>,
}

impl Found {
    fn enter(&mut self, s: &ast::Statement, span: &Span, by: (u32, u32)) {
        self.inside = (self.inside.0 + by.0, self.inside.1 + by.1);
        visit::visit_statement(self, s, span);
        self.inside = (self.inside.0 - by.0, self.inside.1 - by.1);
    }
}

impl<'ast> Visit<'ast> for Found {
    fn visit_expression(&mut self, e: &'ast ast::Expression, span: &'ast Span) {
        if let ast::Expression::Call(c) = e
            && matches!(&c.node.callee.node, ast::Expression::Identifier(i) if i.node.name == GOTO)
        {
            self.leaves = true;
        }
        visit::visit_expression(self, e, span);
    }

    fn visit_statement(&mut self, s: &'ast ast::Statement, span: &'ast Span) {
        use ast::Statement as S;
        match s {
            S::Return(_) => self.leaves = true,
            S::Continue => self.leaves |= self.inside.0 == 0,
            S::Break => self.leaves |= self.inside.1 == 0,
            S::Goto(to) => self.jumps.push(to.node.name.clone()),
            S::Labeled(l) => {
                if let ast::Label::Identifier(name) = &l.node.label.node {
                    self.labels.insert(name.node.name.clone());
                }
            }
            S::While(_) | S::For(_) => self.loops = true,
            S::DoWhile(d) => self.loops |= !is_zero(&d.node.expression.node),
            S::Switch(_) | S::Compound(_) | S::Expression(_) | S::If(_) | S::Asm(_) => {}
        }
        let by = match s {
            S::While(_) | S::For(_) | S::DoWhile(_) => (1, 1),
            S::Switch(_) => (0, 1),
            _ => (0, 0),
        };
        self.enter(s, span, by);
    }
}
