//! Initialiser lists that use the object which they initialise.
//!
//! In `struct S s = {.n = 3, .m = f(&s)}` C leaves open which members are stored when `f` looks at them (C11
//! 6.7.9p23), and a member that is not stored yet has no value. Compilers differ, so such lists are
//! unsupported. A list may use the address of the object, as a value that nothing in the same entry looks
//! through (`{.next = &s, .data = s.buffer}`), and its size.
//!
//! Entry point: [`Lowerer::refuse_own_uses`].

use lang_c::ast;
use lang_c::span::{Node as Ast, Span as AstSpan};
use lang_c::visit::{self, Visit};

use super::init::{Entry, follows_pointers};
use super::order::is_step;
use super::{Lowerer, Res};
use crate::types::Type;

type Node = Ast<ast::Expression>;

impl Lowerer<'_> {
    /// Refuses a list for the object of this name if it uses more of it than its address.
    pub(super) fn refuse_own_uses(&mut self, name: &str, entries: &[Entry<'_>]) -> Res<()> {
        for entry in entries {
            let mut uses = Uses { name, address: false, parts: Vec::new(), acts: false };
            uses.visit_expression(&entry.value.node, &entry.value.span);
            let Uses { mut address, parts, acts, .. } = uses;
            let mut reads = false;
            for part in parts {
                // An array is its address.
                let is_array = matches!(self.unconverted_type(&part)?, Type::Array(..));
                *if is_array { &mut address } else { &mut reads } = true;
            }
            if reads || address && acts {
                let what = format!("an initialiser of `{name}` that uses `{name}`");
                return self.unsupported(entry.value.span, &what);
            }
        }
        Ok(())
    }
}

/// What an expression does with the object of a name.
struct Uses<'n> {
    name: &'n str,
    /// It takes the address of the object or of a part.
    address: bool,
    /// The parts that it names otherwise: values, or arrays that become their addresses.
    parts: Vec<Node>,
    /// It may look through an address, or hand one to something that may.
    acts: bool,
}

impl Uses<'_> {
    /// Does an expression name the object, a member or an element of it?
    fn is_part(&self, e: &ast::Expression) -> bool {
        use ast::Expression as E;
        match e {
            E::Identifier(i) => i.node.name == self.name,
            E::Member(m) => {
                m.node.operator.node == ast::MemberOperator::Direct && self.is_part(&m.node.expression.node)
            }
            E::BinaryOperator(b) if b.node.operator.node == ast::BinaryOperator::Index => {
                self.is_part(&b.node.lhs.node) || self.is_part(&b.node.rhs.node)
            }
            _ => false,
        }
    }

    /// Visits what an element of the object is chosen by.
    fn visit_indices(&mut self, part: &ast::Expression) {
        use ast::Expression as E;
        match part {
            E::Member(m) => self.visit_indices(&m.node.expression.node),
            E::BinaryOperator(b) => {
                for side in [&b.node.lhs, &b.node.rhs] {
                    match self.is_part(&side.node) {
                        true => self.visit_indices(&side.node),
                        false => self.visit_expression(&side.node, &side.span),
                    }
                }
            }
            _ => {}
        }
    }
}

impl<'ast> Visit<'ast> for Uses<'_> {
    fn visit_expression(&mut self, e: &'ast ast::Expression, span: &'ast AstSpan) {
        use ast::Expression as E;
        use ast::UnaryOperator as U;
        if self.is_part(e) {
            self.parts.push(Ast::new(e.clone(), *span));
            return self.visit_indices(e);
        }
        match e {
            // Nothing is evaluated there.
            E::SizeOfTy(_) | E::SizeOfVal(_) | E::AlignOf(_) => return,
            E::UnaryOperator(u)
                if u.node.operator.node == U::Address && self.is_part(&u.node.operand.node) =>
            {
                self.address = true;
                return self.visit_indices(&u.node.operand.node);
            }
            _ => self.acts |= follows_pointers(e) || is_step(e),
        }
        visit::visit_expression(self, e, span);
    }
}
