//! `__attribute__((cleanup(f)))`: `f(&x)` where the scope of the variable `x` is left.
//!
//! What follows the declaration is a block of its own, inside the one that `x` is in. When a function is
//! complete, every edge of its graph that leaves such a block, by whatever jump, gets the calls, innermost
//! first. Ends of the program and `longjmp` are no edges. What `return` gives is stored before its edge.
//!
//! Unsupported: a variable in a statement expression whose order among other operands is open.
//!
//! Entry points: [`Lowerer::clean_up_later`], [`Lowerer::finish_cleanups`].

use lang_c::span::Span as AstSpan;
use rustc_hash::FxHashMap;

use super::{Lowerer, Res, Symbol};
use crate::ir::{Callee, Expr, ExprKind, FuncId, NodeId, NodeKind, Place, Side, Span};

/// A variable with a function for its end.
pub(super) struct Cleanup {
    /// The block that is left.
    pub(super) scope: u32,
    variable: Place,
    function: FuncId,
    span: Span,
}

impl Lowerer<'_> {
    /// A variable with the attribute was declared and initialised.
    pub(super) fn clean_up_later(&mut self, name: &str, variable: Place, at: AstSpan) -> Res<()> {
        let function = match self.lookup(name) {
            Some(Symbol::Func(f)) if self.is_defined(name) => *f,
            _ => {
                let what = format!("attribute `cleanup` with `{name}`, a function without a body");
                return self.unsupported(at, &what);
            }
        };
        if let Some(what) = self.unusable(name) {
            let what = format!("use of a function with {what}");
            return self.unsupported(at, &what);
        }
        if variable.ty.is_variable() {
            return self.unsupported(at, "attribute `cleanup` of an array of variable length");
        }
        let one = self.unit.function(function).signature().params.as_ref().is_some_and(|p| p.len() == 1);
        if !one {
            return self.unsupported(at, "attribute `cleanup` with a function that has not one parameter");
        }
        let span = self.span(at);
        self.b().enter_block();
        let scope = self.b().scope;
        // A node of its own, in case nothing follows in the block.
        let begin = self.b().label();
        self.b().place(begin);
        self.b().cleanups.push(Cleanup { scope, variable, function, span });
        Ok(())
    }

    /// Adds the calls to a function whose graph is complete.
    pub(super) fn finish_cleanups(&mut self) {
        let cleanups = std::mem::take(&mut self.b().cleanups);
        if cleanups.is_empty() {
            return;
        }
        let (current, scope, span) = (self.b().current.take(), self.b().scope, self.b().span);
        let mut made: FxHashMap<(u32, NodeId, bool), NodeId> = FxHashMap::default();
        for n in 0..self.b().nodes.len() {
            let b = self.b();
            let from = b.nodes[n].scope;
            for to in b.nodes[n].kind.successors() {
                let b = self.b();
                let Some(target) = b.nodes.get(to.0 as usize) else { continue };
                let (here, there) = (b.around(from), b.around(target.scope));
                let left: Vec<u32> = here.into_iter().filter(|s| !there.contains(s)).collect();
                let ends = |s: &u32| cleanups.iter().position(|c| c.scope == *s);
                let calls: Vec<usize> = left.iter().filter_map(ends).collect();
                if calls.is_empty() {
                    continue;
                }
                let operand = b.is_operand(n as u32);
                let first = match made.get(&(from, to, operand)) {
                    Some(first) => *first,
                    None => {
                        let calls = calls.into_iter().map(|k| &cleanups[k]);
                        self.cleanup_calls(calls, to, operand)
                    }
                };
                made.insert((from, to, operand), first);
                self.b().nodes[n].kind.redirect(to, first);
            }
        }
        (self.b().current, self.b().scope, self.b().span) = (current, scope, span);
    }

    /// The calls on the way to a node; gives the first node.
    fn cleanup_calls<'c>(
        &mut self,
        cleanups: impl Iterator<Item = &'c Cleanup>,
        to: NodeId,
        operand: bool,
    ) -> NodeId {
        let mut first = None;
        for c in cleanups {
            let b = self.b();
            b.scope = b.scopes[c.scope as usize];
            b.span = c.span;
            if first.is_none() {
                let label = b.label();
                b.place(label);
                first = Some(label);
            }
            if operand {
                let at = AstSpan::span(c.span.start as usize, c.span.end as usize);
                let what = self.located(at, "attribute `cleanup` in an operand whose order is open");
                self.b().finish(NodeKind::Unsupported(what.into()));
                self.b().current = None;
                break;
            }
            let address = Expr {
                ty: c.variable.ty.clone().pointer_to(),
                kind: ExprKind::Address(Box::new(c.variable.clone())),
                span: c.span,
            };
            let signature = self.unit.function(c.function).signature();
            let args = self.converted(vec![address], Some(&signature));
            self.emit_call(Callee::Direct(c.function), &signature, args);
        }
        self.b().jump(to);
        first.expect("there is a call")
    }
}

impl super::Builder {
    /// A block and those around it.
    fn around(&self, mut scope: u32) -> Vec<u32> {
        let mut all = vec![scope];
        while scope != 0 {
            scope = self.scopes[scope as usize];
            all.push(scope);
        }
        all
    }

    /// Is a node in a part of the graph whose order among others is open?
    fn is_operand(&self, n: u32) -> bool {
        let mut sides = self.orders.iter().flat_map(|o| o.left.iter().chain(&o.right));
        let in_side = sides.any(|s| matches!(s, Side::Nodes(nodes) if nodes.contains(&n)));
        in_side || self.early.iter().any(|nodes| nodes.contains(&n))
    }
}
