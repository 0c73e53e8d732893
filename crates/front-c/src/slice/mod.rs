//! Slicing: what the property cannot see is left out before anything is inlined.
//!
//! Drivers call hundreds of functions that have nothing to do with the property. Inlining them all makes
//! millions of statements, and one of them that is not supported spoils the result. So the program is sliced
//! first, on a flat view of it (`flat`: one instance for each function) whose size is that of the text:
//! `relevant` finds the statements that decide whether the property is violated, `rewrite` removes the
//! others.
//!
//! **When.** The property is that something is not reached (error functions, assertions, a label), and an
//! undefined access to memory has the meaning of `--undefined arbitrary`: a read gives any value, a write
//! changes nothing. Then a statement that nothing relevant depends on has no part in the verdict. With
//! `report` and `assume`, and where memory, overflow, termination or the like are checked, every statement
//! may be the one that matters, and nothing is sliced; there, only `static` objects that nothing mentions
//! lose their initialisers (`forget_unused`).
//!
//! **A proof.** Every run of the program is, without the statements that were left out, a run of the slice:
//! what is left reads only parts of memory whose writers are all kept, and the branches that lead to them are
//! kept. Runs can only be added, where what was left out does not end or is cut. So a proof of the slice is
//! one of the program. Invariants speak of what is left.
//!
//! **A violation.** Where what was left out comes to its end in every run (`exact`: no loop, no arithmetic
//! that may be undefined, nothing unsupported), runs of the slice are runs of the program. Elsewhere the
//! statement becomes [`Instr::Open`]: a violation behind it is `UNKNOWN(depends on ...)`, never FALSE.
//! *Careful* slicing ([`Slicing::Careful`]) keeps such statements, and so all violations are exact; small
//! programs are always sliced like that, and others if a violation was found that is open.
//!
//! **What is kept always**: ends of the program, assumptions, errors, what is unsupported with unknown
//! effects (also pointers that nobody knows), calls through pointers that may be something else than
//! functions of the program, and branches whose ways meet only at the end of the function.
//!
//! The slice depends only on the program and on options that certificates record, so a certificate is checked
//! on the same slice.
//!
//! **Limits**: the order of statements is ignored, and so is the calling context. Memory of the environment
//! is one part. Addresses are followed through variables, bytes and arithmetic, not through files and not
//! where single bits of them choose what becomes a pointer otherwise than by a cast: that is an assumption of
//! every slice (`assumption`).

mod exact;
mod flat;
mod regions;
mod relevant;
mod rewrite;

use rustc_hash::FxHashMap;

use crate::encode::Assumption;
use crate::ir::{
    Callee, FuncId, Global, Instr, NodeId, NodeKind, Nondet, OpenChoice, Part, Place, PlaceKind, Unit, VarRef,
};
use crate::options::{COptions, Slicing};
use crate::points_to::Target;
use crate::types::Type;
use exact::Exact;
use flat::Flat;
use regions::Regions;
use relevant::Relevant;

/// A program with fewer statements is sliced carefully.
const SMALL: u32 = 2000;

/// What was left out of a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slice {
    /// The functions that could be called and have nothing relevant in them.
    pub functions: Vec<String>,
    /// How many statements were left out.
    pub statements: usize,
    /// How many statements could be reached.
    pub of: usize,
    /// Something was left out that may not end or be undefined: a violation may be open because of that.
    pub open: bool,
}

impl std::fmt::Display for Slice {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} of {} statements", self.statements, self.of)?;
        if !self.functions.is_empty() {
            write!(f, ", all of {} functions", self.functions.len())?;
        }
        Ok(())
    }
}

/// Can the program be sliced under these options?
pub fn is_possible(options: &COptions) -> bool {
    options.slice != Slicing::Off && !options.checks.termination && options.ignores_undefined()
}

/// Leaves out what the property cannot see.
pub(crate) fn slice(unit: &mut Unit, entry: FuncId, options: &COptions) -> Slice {
    let flat = Flat::new(unit, entry);
    let (memory, points_to) = flat::analyse(unit, &flat, options, true);
    let regions: Vec<Option<Regions>> = (0..unit.functions.len())
        .map(|f| flat.instance_of[f].map(|_| Regions::new(&unit.functions[f], &flat.instances.reachable[f])))
        .collect();
    let exact = Exact::new(unit, &flat, options);
    let careful = options.slice == Slicing::Careful || flat.instances.nodes < SMALL;
    let kept = if careful { Some(&exact) } else { None };
    let relevant = Relevant::new(unit, &flat, &memory, &points_to, &regions, kept);
    let mut out = Slice::default();
    let mut functions = Vec::new();
    for (f, i) in flat.instance_of.iter().enumerate() {
        let (Some(i), Some(regions)) = (i, &regions[f]) else { continue };
        let (function, count) = rewrite::rewrite(unit, &flat, &relevant, regions, &exact, *i);
        out.statements += count.out;
        out.of += count.all;
        out.open |= count.opens;
        functions.push((f, function));
    }
    let initials: Vec<Vec<bool>> = unit
        .globals
        .iter()
        .enumerate()
        .map(|(g, global)| {
            let relevant = |k: usize| relevant.initials.contains_key(&(g as u32, k as u32));
            (0..global.init.len()).map(relevant).collect()
        })
        .collect();
    for (f, function) in functions {
        unit.functions[f] = function;
    }
    for (global, kept) in unit.globals.iter_mut().zip(initials) {
        keep_initialisers(global, |k| kept.get(k).copied().unwrap_or(true));
    }
    if out.open {
        unit.open.push(OpenChoice::Sliced);
    }
    let left = Flat::new(unit, entry);
    for (f, function) in unit.functions.iter_mut().enumerate() {
        if flat.instance_of[f].is_some() && left.instance_of[f].is_none() {
            out.functions.push(function.name.clone());
        }
        if left.instance_of[f].is_none() {
            // It would only cost time.
            function.nodes.clear();
            function.vars.clear();
            function.params.clear();
            function.result = None;
            function.sites = 0;
        }
    }
    out
}

/// What the points-to analysis of the slice does not follow.
pub(crate) fn assumption() -> Assumption {
    let what = "that no pointer is put together from parts of addresses, or comes back through a file";
    Assumption { what: what.into(), places: Vec::new(), dead: Vec::new() }
}

/// Global variables that nothing mentions need no values; those that functions without body know do, and what
/// their values mention.
pub(crate) fn forget_unused(unit: &mut Unit, entry: FuncId) {
    let mut used = Flat::new(unit, entry).globals;
    let exported = |(_, g): &(usize, &Global)| g.exported;
    let mut work: Vec<usize> =
        unit.globals.iter().enumerate().filter(exported).map(|(k, _)| k).filter(|k| !used[*k]).collect();
    work.iter().for_each(|k| used[*k] = true);
    while let Some(k) = work.pop() {
        for (_, value) in &unit.globals[k].init {
            Part::Expr(value).visit(&mut |part| {
                if let Part::Place(Place { kind: PlaceKind::Var(VarRef::Global(g)), .. }) = part
                    && !std::mem::replace(&mut used[*g as usize], true)
                {
                    work.push(*g as usize);
                }
            });
        }
    }
    for (global, _) in unit.globals.iter_mut().zip(used).filter(|(_, used)| !used) {
        keep_initialisers(global, |_| false);
    }
}

/// Keeps some parts of what an object is initialised with. If none is left, no run tells its value.
fn keep_initialisers(global: &mut Global, mut kept: impl FnMut(usize) -> bool) {
    let (had, mut k) = (!global.init.is_empty(), 0);
    global.init.retain(|_| {
        k += 1;
        kept(k - 1)
    });
    global.var.temporary |= had && global.init.is_empty();
}

/// The calls of functions without body that can be reached, and whether the program uses variables that such
/// functions know by name.
pub(crate) fn outside_calls(unit: &Unit, entry: FuncId) -> (Vec<&Nondet>, bool) {
    let flat = Flat::new(unit, entry);
    let mut calls = Vec::new();
    for instance in &flat.instances.all {
        let reachable = &flat.instances.reachable[instance.function.0 as usize];
        let nodes = unit.function(instance.function).nodes.iter().zip(reachable);
        for (node, _) in nodes.filter(|(_, r)| **r) {
            if let NodeKind::Instr(Instr::Nondet(_, n), _) = &node.kind
                && n.foreign
            {
                calls.push(n);
            }
        }
    }
    // A variable that the program does not use itself may lead on to others.
    let leads = |g: &Global| g.init.iter().any(|(p, _)| matches!(p.ty, Type::Pointer(_)));
    let known = unit.globals.iter().zip(&flat.globals);
    let known = known.filter(|(g, _)| g.exported).any(|(g, used)| *used && !g.var.constant || leads(g));
    (calls, known)
}

/// The functions that calls through pointers may call, by function and node. Without those that the pointer
/// cannot point to.
pub(crate) fn pointer_calls(
    unit: &Unit,
    entry: FuncId,
    options: &COptions,
) -> FxHashMap<(FuncId, NodeId), Vec<FuncId>> {
    let flat = Flat::new(unit, entry);
    let mut out = FxHashMap::default();
    let mut calls = Vec::new();
    for (n, instance) in flat.instances.all.iter().enumerate() {
        let f = unit.function(instance.function);
        for (k, node) in f.nodes.iter().enumerate() {
            if let NodeKind::Instr(Instr::Call { callee: Callee::Indirect(e), .. }, _) = &node.kind {
                calls.push((crate::inline::InstanceId(n as u32), NodeId(k as u32), e));
            }
        }
    }
    if calls.is_empty() {
        return out;
    }
    // The encoder refuses pointers that functions without body may have changed.
    let (memory, points_to) = flat::analyse(unit, &flat, options, false);
    for (i, n, e) in calls {
        let possible = points_to.targets(e, i, &flat.instances, &memory);
        let known = flat.instances.calls.get(&(i, n)).into_iter().flatten();
        let functions =
            known.map(|t| t.function).filter(|f| possible.contains(&Target::Function(*f))).collect();
        out.insert((flat.instances.get(i).function, n), functions);
    }
    out
}
