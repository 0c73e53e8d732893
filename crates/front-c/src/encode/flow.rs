//! Blocks and locations: which nodes become locations, and the walk from one to the next.
//!
//! Blocks begin at joins, at loop heads and behind branches; everything between is one edge. Only nodes that
//! a walk arrives at become locations, in the order in which they are found, so what cannot be reached on the
//! graph, or only under a condition that is plainly false, is never encoded. A call goes on in its instance,
//! and from there back; a call through a pointer branches over what the pointer may be.
//!
//! Entry point: [`Encoder::run`].

use palisade_program::Property;
use rustc_hash::FxHashMap;

use super::state::{Goal, Otherwise};
use super::{Encoder, Node};
use crate::inline::InstanceId;
use crate::ir::{Callee, CmpOp, Expr, Instr, NodeKind};
use crate::memory::function_address;
use crate::points_to::Target;
use crate::story::Event;

impl Encoder<'_> {
    fn kind(&self, n: Node) -> &NodeKind {
        &self.unit.function(self.instances.get(n.0).function).node(n.1).kind
    }

    pub(super) fn number(&self, n: Node) -> usize {
        (self.instances.get(n.0).first_node + n.1.0) as usize
    }

    fn entry_of(&self, i: InstanceId) -> Node {
        (i, self.unit.function(self.instances.get(i).function).entry)
    }

    /// Skips nodes that do nothing, except the heads of loops.
    fn forward(&self, mut n: Node) -> Node {
        let f = self.unit.function(self.instances.get(n.0).function);
        for _ in 0..f.nodes.len() {
            match &f.node(n.1).kind {
                NodeKind::Instr(Instr::Nop, next) if !f.node(n.1).loop_head => n.1 = *next,
                NodeKind::Instr(Instr::Scope { left, entered }, next) if self.is_idle(n.0, left, entered) => {
                    n.1 = *next;
                }
                _ => break,
            }
        }
        n
    }

    fn successors(&self, n: Node) -> Vec<Node> {
        self.ways(n).into_iter().map(|next| self.forward(next)).collect()
    }

    /// The nodes that may come next.
    pub(super) fn ways(&self, n: Node) -> Vec<Node> {
        let here = |x: &crate::ir::NodeId| (n.0, *x);
        match self.kind(n) {
            NodeKind::Instr(Instr::Call { .. }, _) => {
                let targets = self.instances.calls.get(&n);
                targets.into_iter().flatten().filter_map(|t| t.instance).map(|i| self.entry_of(i)).collect()
            }
            NodeKind::Instr(_, next) => vec![here(next)],
            NodeKind::Branch(_, a, b) => vec![here(a), here(b)],
            NodeKind::Switch(_, cases, default) => {
                cases.iter().map(|c| here(&c.2)).chain([here(default)]).collect()
            }
            NodeKind::Exit => match self.instances.get(n.0).caller {
                Some((c, k)) => match self.kind((c, k)) {
                    NodeKind::Instr(_, next) => vec![(c, *next)],
                    _ => Vec::new(),
                },
                None => Vec::new(),
            },
            NodeKind::Halt | NodeKind::Error(_) | NodeKind::Undefined(_) | NodeKind::Unsupported(_) => {
                Vec::new()
            }
        }
    }

    /// Finds the nodes where blocks begin: joins, loop heads, and what follows a branch. All nodes that can
    /// be reached.
    fn find_cuts(&mut self) -> Vec<Node> {
        let mut cut = vec![false; self.instances.nodes as usize];
        let mut seen = vec![false; self.instances.nodes as usize];
        let start = self.forward(self.entry_of(InstanceId(0)));
        seen[self.number(start)] = true;
        let mut stack = vec![start];
        let mut all = Vec::new();
        while let Some(n) = stack.pop() {
            all.push(n);
            let next = self.successors(n);
            let many = next.len() > 1;
            for s in next {
                let k = self.number(s);
                let f = self.unit.function(self.instances.get(s.0).function);
                cut[k] |= many || seen[k] || f.node(s.1).loop_head;
                if !std::mem::replace(&mut seen[k], true) {
                    stack.push(s);
                }
            }
        }
        self.cut = cut;
        all
    }

    /// Encodes the whole program.
    pub(super) fn run(&mut self) {
        self.find_ends();
        let reachable = self.find_cuts();
        if self.counts_rounds() {
            self.find_left_loops(&reachable);
        }
        self.locations.push(None); // the entry
        self.begin(0);
        self.start();
        self.instance = InstanceId(0);
        self.walk(self.entry_of(InstanceId(0)));
        let mut next = 1;
        while next < self.locations.len() {
            let node = self.locations[next].expect("only the entry has no node");
            self.begin(next as u32);
            self.round(node);
            self.walk(node);
            next += 1;
        }
    }

    fn location(&mut self, n: Node) -> u32 {
        if let Some(&l) = self.location_of.get(&n) {
            return l;
        }
        let l = self.locations.len() as u32;
        self.locations.push(Some(n));
        self.location_of.insert(n, l);
        l
    }

    /// Ends the block: an edge to where a node is.
    fn goto(&mut self, n: Node, condition: palisade_term::Term) {
        let n = self.forward(n);
        self.fault = Some((self.unit.function(self.instances.get(n.0).function).node(n.1).span, n.0));
        match self.kind(n) {
            NodeKind::Error(property) => {
                let property = Property::Violated((**property).into());
                self.emit_error(condition, property);
            }
            NodeKind::Unsupported(what) => {
                let property = Property::Unsupported(what.clone());
                self.emit_error(condition, property);
            }
            NodeKind::Halt => self.emit(Goal::Exit, condition),
            _ => {
                if self.pool.fls() != condition {
                    let l = self.location(n);
                    self.emit(Goal::Location(l), condition);
                }
            }
        }
        self.fault = None;
    }

    /// Executes a block from a node to its end.
    fn walk(&mut self, start: Node) {
        let unit = self.unit;
        let mut here = self.forward(start);
        let mut executed = 0;
        loop {
            self.instance = here.0;
            self.here = Some(here);
            let node = unit.function(self.instances.get(here.0).function).node(here.1);
            self.span = node.span;
            if self.numbers.decisive.contains(&here) {
                self.set_placed(self.pool.tru());
            }
            let next = match &node.kind {
                NodeKind::Instr(Instr::Call { callee, args, .. }, _) => match self.call(here, callee, args) {
                    Some(n) => n,
                    None => return,
                },
                NodeKind::Instr(instr, next) => {
                    self.execute(instr);
                    (here.0, *next)
                }
                NodeKind::Exit => match self.instances.get(here.0).caller {
                    None => {
                        self.end_program();
                        return self.emit(Goal::Exit, self.pool.tru());
                    }
                    Some((caller, at)) => {
                        self.instance = caller;
                        let call = self.unit.function(self.instances.get(caller).function).node(at).span;
                        self.log(Event::Leave(call, caller.0));
                        self.state.last_span = None;
                        let NodeKind::Instr(Instr::Call { dest, .. }, next) = self.kind((caller, at)).clone()
                        else {
                            unreachable!("an instance is called by a call");
                        };
                        if let Some(d) = dest {
                            self.leave(here.0, &d);
                        }
                        self.end_instance(here.0);
                        (caller, next)
                    }
                },
                NodeKind::Branch(e, yes, no) => match self.branch(here, e, *yes, *no) {
                    Some(n) => n,
                    None => return,
                },
                NodeKind::Switch(e, cases, default) => return self.switch(here, e, cases, *default),
                NodeKind::Halt => return self.emit(Goal::Exit, self.pool.tru()),
                NodeKind::Undefined(what) => return self.undefined_here(what, self.span),
                NodeKind::Error(_) | NodeKind::Unsupported(_) => {
                    self.record(self.span);
                    return self.goto(here, self.pool.tru());
                }
            };
            if self.dead() {
                return;
            }
            executed += 1;
            here = self.forward(next);
            if self.cut[self.number(here)] || executed >= self.options.statements_per_edge {
                return self.goto(here, self.pool.tru());
            }
        }
    }

    fn branch(
        &mut self,
        here: Node,
        e: &Expr,
        yes: crate::ir::NodeId,
        no: crate::ir::NodeId,
    ) -> Option<Node> {
        let c = self.condition(e);
        if self.dead() {
            return None;
        }
        if let Some(b) = self.pool.as_bool(c) {
            self.record_condition(e.span, b);
            self.keep_tail();
            return Some((here.0, if b { yes } else { no }));
        }
        for (outcome, target) in [(true, yes), (false, no)] {
            let condition = if outcome { c } else { self.pool.not(c) };
            self.record_condition(e.span, outcome);
            let counted = self.goes_on(here, target).then(|| self.forget_rounds());
            self.goto((here.0, target), condition);
            if let Some((rounds, before)) = counted {
                self.state.values.insert(rounds, before);
            }
            self.state.statements.pop();
            self.state.tail.clear();
        }
        None
    }

    fn switch(
        &mut self,
        here: Node,
        e: &Expr,
        cases: &[(i128, i128, crate::ir::NodeId)],
        default: crate::ir::NodeId,
    ) {
        let v = self.int(e);
        if self.dead() {
            return;
        }
        let ty = e.ty.as_int().expect("a switch over integers");
        // Labels of one statement are one edge.
        let mut order: Vec<Node> = Vec::new();
        let mut conditions: FxHashMap<Node, Vec<palisade_term::Term>> = FxHashMap::default();
        let mut all = Vec::new();
        for (low, high, target) in cases {
            let (low, high) = (self.domain.constant(*low, ty), self.domain.constant(*high, ty));
            let c = if low.term == high.term {
                self.domain.compare(CmpOp::Eq, ty, v, low)
            } else {
                self.pool.and2(
                    self.domain.compare(CmpOp::Ge, ty, v, low),
                    self.domain.compare(CmpOp::Le, ty, v, high),
                )
            };
            all.push(c);
            let n = self.forward((here.0, *target));
            if !conditions.contains_key(&n) {
                order.push(n);
            }
            conditions.entry(n).or_default().push(c);
        }
        let n = self.forward((here.0, default));
        if !conditions.contains_key(&n) {
            order.push(n);
        }
        let none = self.pool.not(self.pool.or(all));
        conditions.entry(n).or_default().push(none);
        self.record(e.span);
        for n in order {
            let c = self.pool.or(conditions[&n].iter().copied());
            self.goto(n, c);
        }
    }

    /// Enters a function; `None` when the block ends here.
    fn call(&mut self, here: Node, callee: &Callee, args: &[Expr]) -> Option<Node> {
        self.record(self.span);
        let targets = self.instances.calls.get(&here).cloned().unwrap_or_default();
        match callee {
            Callee::Direct(f) => match targets.first().and_then(|t| t.instance) {
                Some(i) => {
                    self.log(Event::Enter(i.0));
                    self.enter(i, args);
                    (!self.dead()).then(|| self.entry_of(i))
                }
                None => {
                    let name = &self.unit.function(*f).name;
                    let what = format!("recursion of `{name}` {}", crate::TOO_DEEP);
                    self.unsupported(&what, self.span);
                    None
                }
            },
            Callee::Indirect(e) => {
                self.call_pointer(e, args, &targets);
                None
            }
        }
    }

    fn call_pointer(&mut self, e: &Expr, args: &[Expr], targets: &[crate::inline::Target]) {
        let caller = self.instance;
        let address = self.pointer(e);
        let possible = self.points_to.targets(e, caller, self.instances, self.memory);
        let mut known = Vec::new();
        for t in targets.iter().filter(|t| possible.contains(&Target::Function(t.function))) {
            let here = self.pool.eq(address, self.domain.address(function_address(t.function)));
            known.push(here);
            match t.instance {
                Some(i) => {
                    // Every target continues from the same state.
                    let values = self.state.values.clone();
                    self.settle();
                    let (guards, inputs) = (self.state.guard.len(), self.state.inputs.len());
                    let log = self.logs.last().cloned().unwrap_or_default();
                    self.log(Event::Enter(i.0));
                    self.state.guard.push(here);
                    self.check_result(self.unit.function(t.function), &e.ty);
                    self.enter(i, args);
                    if !self.dead() {
                        self.goto(self.entry_of(i), self.pool.tru());
                    }
                    self.instance = caller;
                    self.settle();
                    self.state.values = values;
                    self.state.guard.truncate(guards);
                    self.state.inputs.truncate(inputs);
                    self.logs.push(log);
                }
                None => {
                    let name = &self.unit.function(t.function).name;
                    let what = format!("call of `{name}` through a pointer, {}", self.position(self.span));
                    self.require(self.pool.not(here), &Otherwise::Unsupported(what.into()));
                }
            }
        }
        let other_type = |t: &Target| match t {
            Target::Function(f) if targets.iter().all(|known| known.function != *f) => Some(*f),
            _ => None,
        };
        for f in possible.iter().filter_map(other_type) {
            let name = &self.unit.function(f).name;
            let what = format!("call of `{name}` through a pointer to another function type");
            let here = self.pool.eq(address, self.domain.address(function_address(f)));
            self.require_meaning(self.pool.not(here), &what, self.span);
        }
        if possible.contains(&Target::Unknown) || possible.contains(&Target::Foreign) {
            let what = format!("call of an unknown function, {}", self.position(self.span));
            let below = self.domain.address_le(address, self.domain.address(-1));
            self.require(self.pool.not(below), &Otherwise::Unsupported(what.into()));
        }
        let any = self.pool.or(known);
        self.require_sane(any, "call through a pointer to no function", self.span);
    }
}
