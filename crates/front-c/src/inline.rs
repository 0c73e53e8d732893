//! Function inlining: the tree of call instances.
//!
//! Nothing is copied: an [`Instance`] is a function together with the place it is called from, and a node of
//! the whole program is a pair of an instance and a node of its function. The tree is expanded breadth-first.
//! A recursive call is expanded up to a bound on its depth and on the size of the program. After that the
//! call is unsupported, so cutting it off can never make a proof.

use std::collections::VecDeque;

use rustc_hash::FxHashMap;

use crate::diagnostics::{Diagnostic, Diagnostics};
use crate::ir::{Callee, FuncId, Instr, NodeId, NodeKind, Unit};
use crate::options::COptions;
use crate::source::Source;
use crate::types::{FunctionType, Type};

/// Index of an instance.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct InstanceId(pub u32);

/// A function, called from one place.
#[derive(Clone, Debug)]
pub struct Instance {
    /// The function.
    pub function: FuncId,
    /// The calling instance and the node of the call.
    pub caller: Option<(InstanceId, NodeId)>,
    /// The name shown to users: `f`, and `f#2` for the second instance.
    pub name: String,
    /// The number of its first node, among the nodes of all instances.
    pub first_node: u32,
    /// The number of its first variable.
    pub first_var: u32,
    /// The number of its first allocation site.
    pub first_site: u32,
}

/// A possible target of a call; without an instance where the expansion of a recursion ends.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// The function.
    pub function: FuncId,
    /// Its instance.
    pub instance: Option<InstanceId>,
}

/// All instances.
#[derive(Debug, Default)]
pub struct Instances {
    /// Indexed by [`InstanceId`]; the first is the entry function.
    pub all: Vec<Instance>,
    /// The targets of every call.
    pub calls: FxHashMap<(InstanceId, NodeId), Vec<Target>>,
    /// For every function, which of its nodes can be reached from its entry.
    pub reachable: Vec<Vec<bool>>,
    /// How many nodes there are in all.
    pub nodes: u32,
    /// How many variables, globals first.
    pub vars: u32,
    /// How many allocation sites.
    pub sites: u32,
}

impl Instances {
    /// The instance of a number; the entry function's is 0.
    pub fn get(&self, i: InstanceId) -> &Instance {
        &self.all[i.0 as usize]
    }

    /// Expands the calls from the entry function on. `pointer_calls`: what calls through pointers may call.
    pub fn expand(
        unit: &Unit,
        entry: FuncId,
        pointer_calls: &FxHashMap<(FuncId, NodeId), Vec<FuncId>>,
        sources: &[Source],
        options: &COptions,
    ) -> Result<Instances, Diagnostics> {
        let mut out = Instances::without_calls(unit);
        let mut counts: FxHashMap<FuncId, u32> = FxHashMap::default();
        let mut queue = VecDeque::from([out.add(unit, entry, None, &mut counts)]);
        while let Some(i) = queue.pop_front() {
            let f = unit.function(out.get(i).function);
            for (n, node) in f.nodes.iter().enumerate() {
                let NodeKind::Instr(Instr::Call { callee, args, .. }, _) = &node.kind else { continue };
                if !out.reachable[out.get(i).function.0 as usize][n] {
                    continue;
                }
                let candidates = match callee {
                    Callee::Direct(g) => vec![*g],
                    Callee::Indirect(e) => {
                        let known = pointer_calls.get(&(out.get(i).function, NodeId(n as u32)));
                        known.cloned().unwrap_or_else(|| pointer_targets(unit, &e.ty, args.len()))
                    }
                };
                let at = (i, NodeId(n as u32));
                let mut targets = Vec::new();
                for g in candidates {
                    let depth = out.depth(i, g);
                    let spent = match options.recursion_apart {
                        true => {
                            let calls = counts.get(&g).copied().unwrap_or_default() as usize;
                            calls * unit.function(g).nodes.len()
                        }
                        false => out.nodes as usize,
                    };
                    let cut =
                        depth > 0 && (depth > options.recursion_bound || spent > options.recursion_budget);
                    let instance =
                        (!cut && unit.function(g).defined()).then(|| out.add(unit, g, Some(at), &mut counts));
                    queue.extend(instance);
                    targets.push(Target { function: g, instance });
                }
                out.calls.insert(at, targets);
                if out.nodes as usize > options.max_nodes {
                    let source = &sources[node.span.unit as usize];
                    return Err(Diagnostic::at(
                        source,
                        node.span.start as usize,
                        node.span.end as usize,
                        format!("the program has more than {} statements after inlining", options.max_nodes),
                    )
                    .into());
                }
            }
        }
        Ok(out)
    }

    /// No instances yet.
    pub(crate) fn without_calls(unit: &Unit) -> Instances {
        Instances {
            reachable: unit.functions.iter().map(reachable_nodes).collect(),
            vars: unit.globals.len() as u32,
            ..Instances::default()
        }
    }

    /// Adds an instance that has no caller of its own.
    pub(crate) fn add_alone(&mut self, unit: &Unit, function: FuncId) -> InstanceId {
        self.add(unit, function, None, &mut FxHashMap::default())
    }

    fn add(
        &mut self,
        unit: &Unit,
        function: FuncId,
        caller: Option<(InstanceId, NodeId)>,
        counts: &mut FxHashMap<FuncId, u32>,
    ) -> InstanceId {
        let f = unit.function(function);
        let count = counts.entry(function).or_default();
        *count += 1;
        let name = if *count == 1 { f.name.clone() } else { format!("{}#{count}", f.name) };
        self.all.push(Instance {
            function,
            caller,
            name,
            first_node: self.nodes,
            first_var: self.vars,
            first_site: self.sites,
        });
        self.nodes += f.nodes.len() as u32;
        self.vars += f.vars.len() as u32;
        self.sites += f.sites;
        InstanceId(self.all.len() as u32 - 1)
    }

    /// How often the function is on the call stack of an instance already.
    fn depth(&self, mut i: InstanceId, function: FuncId) -> u32 {
        let mut depth = 0;
        loop {
            let instance = self.get(i);
            depth += u32::from(instance.function == function);
            match instance.caller {
                Some((caller, _)) => i = caller,
                None => return depth,
            }
        }
    }
}

/// The functions a pointer of this type may stand for: those whose address is taken and whose type fits.
pub fn pointer_targets(unit: &Unit, pointer: &Type, args: usize) -> Vec<FuncId> {
    let Some(Type::Function(wanted)) = pointer.pointee() else { return Vec::new() };
    let ids = (0..unit.functions.len() as u32).map(FuncId);
    ids.filter(|&f| {
        let function = unit.function(f);
        let Type::Function(ty) = &function.ty else { return false };
        function.address_taken && compatible(wanted, ty, args)
    })
    .collect()
}

/// Can a function of type `ty` be called through a pointer to `wanted` with so many arguments?
fn compatible(wanted: &FunctionType, ty: &FunctionType, args: usize) -> bool {
    let kind = |t: &Type| match t {
        Type::Pointer(_) => Type::Void.pointer_to(),
        other => other.clone(),
    };
    if kind(&wanted.result) != kind(&ty.result) {
        return false;
    }
    match (&wanted.params, &ty.params) {
        (Some(a), Some(b)) => {
            a.len() == b.len()
                && wanted.variadic == ty.variadic
                && a.iter().zip(b).all(|(x, y)| kind(&x.ty) == kind(&y.ty))
        }
        (None, Some(b)) => b.len() == args,
        _ => true,
    }
}

/// The nodes that can be reached from the entry of a function.
pub(crate) fn reachable_nodes(f: &crate::ir::Function) -> Vec<bool> {
    let mut seen = vec![false; f.nodes.len()];
    let mut stack = if f.defined() { vec![f.entry] } else { Vec::new() };
    while let Some(n) = stack.pop() {
        if n.0 as usize >= seen.len() || std::mem::replace(&mut seen[n.0 as usize], true) {
            continue;
        }
        match &f.node(n).kind {
            NodeKind::Instr(_, next) => stack.push(*next),
            NodeKind::Branch(_, a, b) => stack.extend([*a, *b]),
            NodeKind::Switch(_, cases, default) => {
                stack.extend(cases.iter().map(|c| c.2));
                stack.push(*default);
            }
            NodeKind::Exit
            | NodeKind::Halt
            | NodeKind::Error(_)
            | NodeKind::Undefined(_)
            | NodeKind::Unsupported(_) => {}
        }
    }
    seen
}
