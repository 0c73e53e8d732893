//! Jumps out of functions: `setjmp` and `longjmp`.
//!
//! A call of `setjmp` gets a number that no other call had, and stores it in its buffer and in a variable of
//! the function, the *site*. A call of `longjmp` says where it wants to go, by the number in the buffer, and
//! ends its function. Behind every call that may lead to one, the caller looks: if somebody wants to jump,
//! and to one of its own sites, it goes on there, otherwise it ends, too. So a jump is an ordinary way
//! through the program, and blocks end as at a `return`. A jump to a function that has ended finds no site,
//! and leads to an unsupported step in the entry function.
//!
//! What the function with the site has changed in its variables since then is indeterminate, unless they are
//! `volatile` (C11 7.13.2.1p3): a number or pointer that differs is havocked. An array or union that may
//! have been changed is havocked always, and a violation behind that is open. The `volatile` variables of
//! such a function are like others, if their addresses are not taken: nobody else knows them.
//!
//! Invariants: the lowering marks sites and jumps by the names and globals of [`Jumps`] only, so that what
//! it takes back leaves no trace; this pass runs when nodes are no longer known by number elsewhere.
//!
//! Unsupported: sites in several blocks of one function; 2^31 (2^63 with `--64`) and more calls of `setjmp`.
//!
//! Entry point: [`resolve`].

use rustc_hash::FxHashSet;

use crate::inline::{pointer_targets, reachable_nodes};
use crate::ir::{
    Callee, CmpOp, Expr, ExprKind, FuncId, Function, Instr, Node, NodeId, NodeKind, OpenChoice, Part, Place,
    PlaceKind, Unit, VarRef, Variable,
};
use crate::source::Source;
use crate::types::{RecordId, Type};

/// The name of the variable with the number of a site. The one behind it has the result of the call.
pub(crate) const SITE: &str = "jump site";

/// The globals by which jumps are made.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Jumps {
    /// How many sites there were.
    pub(crate) count: u32,
    /// The site that somebody wants to jump to, or 0.
    pub(crate) wanted: u32,
    /// What `setjmp` will return there.
    pub(crate) value: u32,
    /// The type of buffers.
    pub(crate) buffer: RecordId,
}

/// A call of `setjmp`: the variable with its number, and the node where it stores the result of the call.
struct Site {
    number: u32,
    at: NodeId,
}

/// Makes the jumps of a program.
pub(crate) fn resolve(unit: &mut Unit, entry: &str, sources: &[Source]) {
    let Some(jumps) = unit.jumps else { return };
    let jumping = jumping(unit, jumps);
    for f in 0..unit.functions.len() {
        let function = &unit.functions[f];
        if !function.defined() {
            continue;
        }
        let calls: Vec<NodeId> = nodes(function)
            .filter(|(_, node)| {
                matches!(&node.kind, NodeKind::Instr(Instr::Call { callee, args, .. }, _)
                if targets(unit, callee, args.len()).iter().any(|g| jumping.contains(g)))
            })
            .map(|(n, _)| n)
            .collect();
        let own: Vec<NodeId> =
            nodes(function).filter(|(n, _)| is_jump(function, *n, jumps)).map(|(n, _)| n).collect();
        let sites = sites(function);
        let is_entry = function.name == entry;
        let opens = Pass { unit, sources, jumps, f, is_entry }.make(&sites, &calls, &own);
        if opens {
            unit.open.push(OpenChoice::Library(FuncId(f as u32)));
        }
    }
}

fn nodes(f: &Function) -> impl Iterator<Item = (NodeId, &Node)> {
    f.nodes.iter().enumerate().map(|(n, node)| (NodeId(n as u32), node))
}

/// The functions that may be left by a jump.
fn jumping(unit: &Unit, jumps: Jumps) -> FxHashSet<FuncId> {
    let all = || (0..unit.functions.len() as u32).map(FuncId);
    let has_jump = |f: &FuncId| {
        let f = unit.function(*f);
        nodes(f).any(|(n, _)| is_jump(f, n, jumps))
    };
    let mut out: FxHashSet<FuncId> = all().filter(has_jump).collect();
    loop {
        let leads = |f: &FuncId| {
            unit.function(*f).nodes.iter().any(|node| match &node.kind {
                NodeKind::Instr(Instr::Call { callee, args, .. }, _) => {
                    targets(unit, callee, args.len()).iter().any(|g| out.contains(g))
                }
                _ => false,
            })
        };
        let more: Vec<FuncId> = all().filter(|f| !out.contains(f) && leads(f)).collect();
        if more.is_empty() {
            return out;
        }
        out.extend(more);
    }
}

fn targets(unit: &Unit, callee: &Callee, args: usize) -> Vec<FuncId> {
    match callee {
        Callee::Direct(f) => vec![*f],
        Callee::Indirect(e) => pointer_targets(unit, &e.ty, args),
    }
}

/// Is it the end of a function by `longjmp`?
fn is_jump(f: &Function, n: NodeId, jumps: Jumps) -> bool {
    let NodeKind::Instr(Instr::Assign(place, _), next) = &f.node(n).kind else { return false };
    let wanted = matches!(place.kind, PlaceKind::Var(VarRef::Global(g)) if g == jumps.wanted);
    wanted && f.nodes.get(next.0 as usize).is_some_and(|next| matches!(next.kind, NodeKind::Halt))
}

/// The calls of `setjmp` in a function.
fn sites(f: &Function) -> Vec<Site> {
    let mut out = Vec::new();
    for (at, node) in nodes(f) {
        if let NodeKind::Instr(Instr::Assign(place, _), _) = &node.kind
            && let PlaceKind::Var(VarRef::Local(result)) = place.kind
            && let Some(number) = result.checked_sub(1)
            && f.vars[number as usize].temporary
            && f.vars[number as usize].name == SITE
        {
            out.push(Site { number, at });
        }
    }
    out
}

/// The variables of a function whose addresses are taken.
fn pointed_to(f: &Function) -> FxHashSet<u32> {
    let mut out = FxHashSet::default();
    for node in &f.nodes {
        node.kind.visit(&mut |part| {
            if let Part::Expr(Expr { kind: ExprKind::Address(p), .. }) = part {
                out.extend(root(p));
            }
        });
    }
    out
}

/// What is done to one function.
struct Pass<'u> {
    unit: &'u mut Unit,
    sources: &'u [Source],
    jumps: Jumps,
    f: usize,
    is_entry: bool,
}

impl Pass<'_> {
    fn function(&mut self) -> &mut Function {
        &mut self.unit.functions[self.f]
    }

    fn push(&mut self, kind: NodeKind, like: NodeId) -> NodeId {
        let f = self.function();
        let like = f.node(like);
        let node = Node { kind, span: like.span, loop_head: false, scope: like.scope };
        f.nodes.push(node);
        NodeId(f.nodes.len() as u32 - 1)
    }

    /// Something that is not supported at a node.
    fn located(&self, at: NodeId, what: &str) -> NodeKind {
        let span = self.unit.functions[self.f].node(at).span;
        let place = self.sources[span.unit as usize].position(span.start as usize);
        NodeKind::Unsupported(format!("{what}, {place}").into())
    }

    fn global(&self, g: u32) -> Place {
        Place::var(VarRef::Global(g), self.unit.globals[g as usize].var.ty.clone(), Default::default())
    }

    fn local(&self, v: u32) -> Place {
        let ty = self.unit.functions[self.f].vars[v as usize].ty.clone();
        Place::var(VarRef::Local(v), ty, Default::default())
    }

    fn compare(op: CmpOp, a: Expr, b: Expr) -> Expr {
        let span = a.span;
        Expr { ty: Type::INT, kind: ExprKind::Compare(op, Box::new(a), Box::new(b)), span }
    }

    /// Leads all ways out; true if a violation behind a jump is open.
    fn make(mut self, sites: &[Site], calls: &[NodeId], own: &[NodeId]) -> bool {
        let f = self.function();
        if calls.is_empty() && own.is_empty() {
            return false;
        }
        let block = |f: &Function, s: &Site| f.node(s.at).scope;
        if sites.iter().any(|s| block(f, s) != block(f, &sites[0])) {
            for s in sites {
                let what = self.located(s.at, "`setjmp` in several blocks of one function");
                self.function().nodes[s.at.0 as usize].kind = what;
            }
            return false;
        }
        // Where nothing leads: the end of the function, or nowhere.
        let first = sites.first().map_or(f.entry, |s| s.at);
        let mut out = match self.is_entry {
            true => {
                let at = calls.first().or(own.first()).copied().unwrap_or(first);
                let what = self.located(at, "a jump to a function that has ended");
                self.push(what, first)
            }
            false => {
                let exit = |n: &(NodeId, &Node)| matches!(n.1.kind, NodeKind::Exit);
                let exit = nodes(self.function()).find(exit).map(|n| n.0);
                match exit {
                    Some(exit) => exit,
                    None => self.push(NodeKind::Exit, first),
                }
            }
        };
        let mut open = false;
        for s in sites {
            let hit = self.landing(s, &mut open);
            let wanted =
                Self::compare(CmpOp::Eq, self.global(self.jumps.wanted).load(), self.local(s.number).load());
            out = self.push(NodeKind::Branch(wanted, hit, out), s.at);
        }
        for &n in calls {
            let NodeKind::Instr(_, next) = self.function().node(n).kind else { continue };
            let wanted = self.global(self.jumps.wanted);
            let none = Expr::constant(0, wanted.ty.clone(), Default::default());
            let goes_on = Self::compare(CmpOp::Eq, wanted.load(), none);
            let look = self.push(NodeKind::Branch(goes_on, next, out), n);
            if let NodeKind::Instr(_, next) = &mut self.function().nodes[n.0 as usize].kind {
                *next = look;
            }
        }
        for &n in own {
            if let NodeKind::Instr(_, next) = &mut self.function().nodes[n.0 as usize].kind {
                *next = out;
            }
        }
        // No site was reached yet.
        for s in sites {
            let place = self.local(s.number);
            let none = Expr::constant(0, place.ty.clone(), Default::default());
            let entry = self.function().entry;
            let scope = self.function().node(entry).scope;
            let begin = self.push(NodeKind::Instr(Instr::Assign(place, none), entry), entry);
            self.function().nodes[begin.0 as usize].scope = scope;
            self.function().entry = begin;
        }
        if !sites.is_empty() {
            let pointed_to = pointed_to(self.function());
            let vars = self.function().vars.iter_mut().enumerate();
            vars.filter(|(v, _)| !pointed_to.contains(&(*v as u32))).for_each(|(_, v)| v.volatile = false);
        }
        open
    }

    /// The way to a site: what is indeterminate there, and the result of the call.
    fn landing(&mut self, s: &Site, open: &mut bool) -> NodeId {
        let NodeKind::Instr(_, behind) = self.function().node(s.at).kind else {
            unreachable!("a site stores")
        };
        let changed = self.changed(s, behind);
        let mut next = behind;
        for (place, known) in changed {
            let forget = self.push(NodeKind::Instr(Instr::Havoc(place.clone()), next), s.at);
            if !known {
                next = self.push(NodeKind::Instr(Instr::Open, forget), s.at);
                *open = true;
                continue;
            }
            // What it was when the site was reached.
            let scope = self.function().node(s.at).scope;
            let copy = Variable { temporary: true, scope, ..Variable::new("tmp", place.ty.clone()) };
            self.function().vars.push(copy);
            let copy = self.local(self.unit.functions[self.f].vars.len() as u32 - 1);
            let after = match &self.function().node(s.at).kind {
                NodeKind::Instr(_, next) => *next,
                _ => behind,
            };
            let keep =
                self.push(NodeKind::Instr(Instr::Assign(copy.clone(), place.clone().load()), after), s.at);
            if let NodeKind::Instr(_, next) = &mut self.function().nodes[s.at.0 as usize].kind {
                *next = keep;
            }
            let same = Self::compare(CmpOp::Eq, place.load(), copy.load());
            next = self.push(NodeKind::Branch(same, next, forget), s.at);
        }
        let result = self.local(s.number + 1);
        let value = self.global(self.jumps.value).load();
        next = self.push(NodeKind::Instr(Instr::Assign(result, value), next), s.at);
        let wanted = self.global(self.jumps.wanted);
        let none = Expr::constant(0, wanted.ty.clone(), Default::default());
        self.push(NodeKind::Instr(Instr::Assign(wanted, none), next), s.at)
    }

    /// The parts of variables that the function may change behind a site, and whether it can be seen that
    /// they are unchanged.
    fn changed(&self, s: &Site, behind: NodeId) -> Vec<(Place, bool)> {
        let f = &self.unit.functions[self.f];
        let pointed_to = pointed_to(f);
        let mut written = pointed_to.clone();
        let reachable = reachable_nodes(&Function { entry: behind, ..f.clone() });
        for (_, node) in nodes(f).filter(|(n, _)| reachable[n.0 as usize]) {
            if let NodeKind::Instr(instr, _) = &node.kind {
                let place = match instr {
                    Instr::Assign(p, _) | Instr::Zero(p, _) | Instr::Havoc(p) | Instr::BlockSize(p, _) => {
                        Some(p)
                    }
                    Instr::Nondet(p, _) | Instr::Call { dest: p, .. } => p.as_ref(),
                    Instr::Alloc { dest, .. } => Some(dest),
                    _ => None,
                };
                written.extend(place.and_then(root));
            }
        }
        let scope = f.node(s.at).scope;
        let mut out = Vec::new();
        for (v, var) in f.vars.iter().enumerate() {
            let v = v as u32;
            // Compound literals have no name.
            let object = !var.temporary || pointed_to.contains(&v);
            let own = object && !var.volatile && f.is_around(var.scope, scope);
            if own && written.contains(&v) {
                self.parts(self.local(v), &mut out);
            }
        }
        out
    }

    /// The parts of a place: numbers and pointers, and what has no such parts.
    fn parts(&self, place: Place, out: &mut Vec<(Place, bool)>) {
        let records = &self.unit.records;
        match place.ty {
            _ if self.is_buffer(&place.ty) => {}
            Type::Float(_) => {}
            Type::Int(_) | Type::Pointer(_) => out.push((place, true)),
            Type::Record(r) if !records.get(r).union => {
                for (k, field) in records.fields(r).iter().enumerate().filter(|(_, f)| !f.volatile) {
                    let kind = PlaceKind::Field(Box::new(place.clone()), k as u32);
                    self.parts(Place { ty: field.ty.clone(), kind, span: place.span }, out);
                }
            }
            _ => out.push((place, false)),
        }
    }

    fn is_buffer(&self, ty: &Type) -> bool {
        match ty {
            Type::Array(t, _) => self.is_buffer(t),
            Type::Record(r) => *r == self.jumps.buffer,
            _ => false,
        }
    }
}

/// The local variable that a place is a part of.
fn root(p: &Place) -> Option<u32> {
    match &p.kind {
        PlaceKind::Var(VarRef::Local(v)) => Some(*v),
        PlaceKind::Var(VarRef::Global(_)) | PlaceKind::Deref(_) => None,
        PlaceKind::Field(base, _) | PlaceKind::Index(base, _) => root(base),
    }
}
