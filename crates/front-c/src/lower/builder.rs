//! Building the graph of one function.
//!
//! Nodes are appended behind the current one; labels are nodes that do nothing and may be jumped to before
//! they are placed. After a jump there is no current node, and what is appended then is unreachable unless a
//! label is placed.

use std::ops::Range;

use rustc_hash::FxHashMap;

use super::cleanup::Cleanup;
use super::gnu::ComputedGoto;
use super::order::storable;
use crate::ir::{Expr, ExprKind, Instr, Node, NodeId, NodeKind, Order, Place, Span, VarRef, Variable};
use crate::types::{IntType, Type};

/// A successor that is not known yet.
pub(super) const OPEN: NodeId = NodeId(u32::MAX);

/// A `switch` whose body is being lowered.
pub(super) struct Switch {
    pub(super) ty: IntType,
    pub(super) cases: Vec<(i128, i128, NodeId)>,
    pub(super) default: Option<NodeId>,
}

/// What was built before something that may be taken back.
pub(super) struct Before {
    pub(super) current: Option<NodeId>,
    nodes: usize,
    sites: u32,
    orders: usize,
    early: usize,
    ending: usize,
    placed: usize,
    taken: usize,
    gotos: usize,
    switches: Vec<(usize, Option<NodeId>)>,
    given_up: Option<String>,
}

/// The graph under construction. `current` is the node whose successor is the next node to be added; `None`
/// after a jump.
pub(super) struct Builder {
    pub(super) vars: Vec<Variable>,
    pub(super) nodes: Vec<Node>,
    /// The stores of the assignment whose value was given last, and of those whose value it stores: the type
    /// of what they store, which is the same for all, and their nodes.
    pub(super) chain: Option<(Type, Vec<u32>)>,
    pub(super) current: Option<NodeId>,
    pub(super) span: Span,
    pub(super) result: Option<u32>,
    pub(super) result_type: Type,
    pub(super) exit: NodeId,
    pub(super) breaks: Vec<NodeId>,
    pub(super) continues: Vec<NodeId>,
    pub(super) switches: Vec<Switch>,
    pub(super) labels: FxHashMap<String, NodeId>,
    pub(super) placed: Vec<String>,
    pub(super) sites: u32,
    /// The names of the first blocks that are allocated.
    pub(super) block_names: Vec<String>,
    pub(super) name: String,
    pub(super) orders: Vec<Order>,
    pub(super) early: Vec<Range<u32>>,
    /// The blocks, by the one around each, and the current one.
    pub(super) scopes: Vec<u32>,
    pub(super) scope: u32,
    /// Temporaries with a struct that is no lvalue, and those of them that end with the full expression.
    pub(super) rvalues: Vec<u32>,
    pub(super) ending: Vec<u32>,
    /// Labels whose address is taken, and the jumps to such labels.
    pub(super) taken: Vec<String>,
    pub(super) gotos: Vec<ComputedGoto>,
    /// Variables with a function that is called at their end.
    pub(super) cleanups: Vec<Cleanup>,
    /// Something is checked at each `return`, where it is woven in.
    pub(super) ensured: bool,
    /// The hidden parameter of a variadic function.
    pub(super) hidden: Option<u32>,
    /// Where the function begins in the text.
    pub(super) begin: u32,
    /// Inside how many operands that are lowered twice.
    pub(super) copies: u32,
    /// The first statement that was given up, and why.
    pub(super) given_up: Option<String>,
}

impl Builder {
    pub(super) fn new(name: &str, result_type: Type) -> Builder {
        let mut b = Builder {
            vars: Vec::new(),
            nodes: Vec::new(),
            chain: None,
            current: None,
            span: Span::default(),
            result: None,
            result_type,
            exit: OPEN,
            breaks: Vec::new(),
            continues: Vec::new(),
            switches: Vec::new(),
            labels: FxHashMap::default(),
            placed: Vec::new(),
            sites: 0,
            block_names: Vec::new(),
            name: name.to_string(),
            orders: Vec::new(),
            early: Vec::new(),
            scopes: vec![0],
            scope: 0,
            rvalues: Vec::new(),
            ending: Vec::new(),
            taken: Vec::new(),
            gotos: Vec::new(),
            cleanups: Vec::new(),
            ensured: false,
            hidden: None,
            begin: 0,
            copies: 0,
            given_up: None,
        };
        let entry = b.label(); // node 0
        b.current = Some(entry);
        b.exit = b.push(NodeKind::Exit);
        b
    }

    /// Begins a block; gives the one around it.
    pub(super) fn enter_block(&mut self) -> u32 {
        self.scopes.push(self.scope);
        std::mem::replace(&mut self.scope, self.scopes.len() as u32 - 1)
    }

    fn push(&mut self, kind: NodeKind) -> NodeId {
        self.nodes.push(Node { kind, span: self.span, loop_head: false, scope: self.scope });
        NodeId(u32::try_from(self.nodes.len() - 1).expect("few nodes"))
    }

    /// A node that does nothing, to jump to.
    pub(super) fn label(&mut self) -> NodeId {
        self.push(NodeKind::Instr(Instr::Nop, OPEN))
    }

    /// Adds a node after the current one and makes it the current one.
    fn append(&mut self, kind: NodeKind) -> NodeId {
        let n = self.push(kind);
        self.jump(n);
        n
    }

    /// The last node stores the value of an assignment, of this type unless it is part of a union; `before`
    /// are the stores whose value it is.
    pub(super) fn link(&mut self, ty: Option<Type>, before: Option<(Type, Vec<u32>)>) {
        let last = self.nodes.len() as u32 - 1;
        let stores = matches!(self.nodes[last as usize].kind, NodeKind::Instr(Instr::Assign(..), _));
        self.chain = ty.filter(|t| stores && storable(t)).map(|ty| {
            let mut nodes = before.filter(|(t, _)| *t == ty).map_or_else(Vec::new, |(_, nodes)| nodes);
            nodes.push(last);
            (ty, nodes)
        });
    }

    /// The stores of the assignment whose value was given last, if they store values of this type.
    pub(super) fn chain_of(&self, ty: &Type) -> Vec<u32> {
        self.chain.iter().filter(|(t, _)| t == ty).flat_map(|(_, nodes)| nodes.clone()).collect()
    }

    /// What is built now goes to a chain of its own, until it is taken back.
    pub(super) fn detach(&mut self) -> Before {
        Before {
            current: self.current.take(),
            nodes: self.nodes.len(),
            sites: self.sites,
            orders: self.orders.len(),
            early: self.early.len(),
            ending: self.ending.len(),
            placed: self.placed.len(),
            taken: self.taken.len(),
            gotos: self.gotos.len(),
            switches: self.switches.iter().map(|s| (s.cases.len(), s.default)).collect(),
            given_up: self.given_up.clone(),
        }
    }

    /// Takes back what was built since.
    pub(super) fn take_back(&mut self, before: Before) {
        self.nodes.truncate(before.nodes);
        self.labels.retain(|_, label| (label.0 as usize) < before.nodes);
        self.placed.truncate(before.placed);
        self.taken.truncate(before.taken);
        self.gotos.truncate(before.gotos);
        for (s, (cases, default)) in self.switches.iter_mut().zip(before.switches) {
            s.cases.truncate(cases);
            s.default = default;
        }
        self.given_up = before.given_up;
        self.sites = before.sites;
        self.orders.truncate(before.orders);
        self.early.truncate(before.early);
        self.ending.truncate(before.ending);
        self.current = before.current;
    }

    pub(super) fn emit(&mut self, instr: Instr) {
        let n = self.append(NodeKind::Instr(instr, OPEN));
        self.current = Some(n);
    }

    /// The current node leads to `target`; what follows is only reached by labels.
    pub(super) fn jump(&mut self, target: NodeId) {
        if let Some(c) = self.current.take()
            && let NodeKind::Instr(_, next) = &mut self.nodes[c.0 as usize].kind
        {
            *next = target;
        }
    }

    /// Continues at a label.
    pub(super) fn place(&mut self, label: NodeId) {
        self.jump(label);
        self.nodes[label.0 as usize].scope = self.scope;
        self.current = Some(label);
    }

    pub(super) fn branch(&mut self, condition: Expr, then: NodeId, otherwise: NodeId) {
        let span = std::mem::replace(&mut self.span, condition.span);
        match condition.as_const() {
            Some(0) => self.jump(otherwise),
            Some(_) => self.jump(then),
            None => {
                self.append(NodeKind::Branch(condition, then, otherwise));
            }
        }
        self.span = span;
    }

    pub(super) fn switch(
        &mut self,
        value: Expr,
        cases: Vec<(i128, i128, NodeId)>,
        default: NodeId,
    ) -> NodeId {
        let span = std::mem::replace(&mut self.span, value.span);
        let n = self.append(NodeKind::Switch(value, cases, default));
        self.span = span;
        n
    }

    /// Ends the current path.
    pub(super) fn finish(&mut self, kind: NodeKind) {
        self.append(kind);
    }

    pub(super) fn var(&mut self, name: &str, ty: Type, temporary: bool) -> u32 {
        // The blocks behind variables with `cleanup` end no life: such a function may look at what follows.
        let mut scope = self.scope;
        while self.cleanups.iter().any(|c| c.scope == scope) {
            scope = self.scopes[scope as usize];
        }
        self.vars.push(Variable { temporary, scope, ..Variable::new(name, ty) });
        (self.vars.len() - 1) as u32
    }

    /// The address of a part of a variable is taken. A temporary with a struct that is no lvalue ends with
    /// the full expression, and must not be changed (C11 6.2.4p8): it is alone in a block that has no
    /// nodes.
    pub(super) fn expose(&mut self, v: u32) {
        if !self.rvalues.contains(&v) || self.ending.contains(&v) {
            return;
        }
        self.scopes.push(self.scope);
        let var = &mut self.vars[v as usize];
        (var.scope, var.constant) = (self.scopes.len() as u32 - 1, true);
        self.ending.push(v);
        self.emit(Instr::Scope { left: Vec::new(), entered: vec![v] });
    }

    /// A full expression ends, and the temporaries with it that were exposed since there were so many.
    pub(super) fn end_temporaries(&mut self, before: usize) {
        let left = self.ending.split_off(before.min(self.ending.len()));
        self.end(left);
    }

    /// Ends temporaries, if the path goes on.
    pub(super) fn end(&mut self, left: Vec<u32>) {
        if !left.is_empty() && self.current.is_some() {
            self.emit(Instr::Scope { left, entered: Vec::new() });
        }
    }

    /// A new temporary.
    pub(super) fn temp(&mut self, name: &str, ty: Type) -> Place {
        let v = self.var(name, ty.clone(), true);
        Place::var(VarRef::Local(v), ty, self.span)
    }

    /// A new compound literal.
    pub(super) fn literal(&mut self, ty: Type) -> Place {
        let place = self.temp("literal", ty);
        self.vars.last_mut().expect("just made").literal = true;
        place
    }

    /// Saves a value in a temporary, so that later effects do not change it.
    pub(super) fn save(&mut self, value: Expr) -> Expr {
        if matches!(value.kind, ExprKind::Const(_) | ExprKind::FloatConst(_)) {
            return value;
        }
        let place = self.temp("tmp", value.ty.clone());
        self.emit(Instr::Assign(place.clone(), value));
        place.load()
    }
}
