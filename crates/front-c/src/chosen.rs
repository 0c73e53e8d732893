//! What a verdict rests on because the user chose so, or did not choose otherwise: integers without bounds,
//! signed arithmetic that wraps around, allocations that succeed, memory that is freed and not used any
//! more, floating-point operations without excess precision, functions without body that leave the rest
//! alone or are called `assume`, annotations that are assumed or not read, fixed addresses.
//!
//! Entry points: [`assumptions`], [`about_outside`].

use crate::encode::{Assumption, has_callbacks};
use crate::inline::Instances;
use crate::ir::{Expr, ExprKind, FuncId, Function, Instr, Node, NodeKind, Nondet, Part, Span, Storage, Unit};
use crate::known::builtins;
use crate::lower::fold;
use crate::options::{COptions, DataModel, IntMode, UndefinedMemory};
use crate::source::Source;
use crate::types::Type;

/// The assumptions of some options about a program. One without places is about what the program means.
pub(crate) fn assumptions(
    unit: &Unit,
    instances: &Instances,
    sources: &[Source],
    options: &COptions,
) -> Vec<Assumption> {
    let mut out = Vec::new();
    let mut assume = |what: &str, places: Vec<String>| {
        out.push(Assumption { what: what.into(), places, dead: Vec::new() });
    };
    if options.int_mode == IntMode::Math {
        assume("that integers have no bounds: nothing overflows or wraps around", Vec::new());
    } else if options.signed_wrap {
        assume("that signed arithmetic wraps around, as with gcc's -fwrapv", Vec::new());
    }
    if !options.malloc_fails {
        let mut places = Vec::new();
        for instance in &instances.all {
            let nodes = unit.function(instance.function).nodes.iter();
            let reachable = &instances.reachable[instance.function.0 as usize];
            for (node, _) in nodes.zip(reachable).filter(|(_, reachable)| **reachable) {
                // The first instance may be a start function of ours, whose blocks are objects of the caller.
                let ours = instance.caller.is_none() && instance.name.starts_with("__palisade_");
                let NodeKind::Instr(Instr::Alloc { storage: Storage::Allocated, .. }, _) = &node.kind else {
                    continue;
                };
                let place = sources[node.span.unit as usize].position(node.span.start as usize).to_string();
                if !ours && !places.contains(&place) {
                    places.push(place);
                }
            }
        }
        if !places.is_empty() {
            assume("that memory can be allocated", places);
        }
    }
    if !unit.assumed.is_empty() {
        let place = |s: &Span| sources[s.unit as usize].position(s.start as usize).to_string();
        let places: std::collections::BTreeSet<String> = unit.assumed.iter().map(place).collect();
        let what = "that `assume` without a body returns only if its argument is not zero";
        assume(what, places.into_iter().collect());
    }
    for own in own_library(unit, instances) {
        let place = sources[own.span.unit as usize].position(own.span.start as usize);
        let what = "are calls of the program's own, as with gcc's -fno-builtin";
        assume(&format!("that calls of `{}` ({place}) {what}", own.name), Vec::new());
    }
    if !options.required.is_empty() {
        let what = format!("that `{}` is first called as its `requires` says", options.function);
        assume(&what, options.required.clone());
    }
    let mut headers: Vec<String> = sources.iter().flat_map(Source::annotated_headers).collect();
    headers.sort();
    headers.dedup();
    if !headers.is_empty() {
        assume("nothing of annotations in headers, which are not checked either,", headers);
    }
    let mut fixed = std::collections::BTreeSet::new();
    for (node, _) in nodes(unit, instances).filter(|(_, reachable)| *reachable) {
        node.kind.visit(&mut |part| {
            if let Part::Expr(e) = part
                && is_fixed_address(e)
            {
                fixed.insert(sources[e.span.unit as usize].position(e.span.start as usize).to_string());
            }
        });
    }
    if !fixed.is_empty() {
        let what = "that no object of the program lies at an address that it gives as a number";
        assume(what, fixed.into_iter().collect());
    }
    if unit.frees && !unit.moves && !options.sees_free() {
        assume("that memory is not used after it is freed", Vec::new());
    }
    let computes = |part: Part<'_>| matches!(part, Part::Expr(e) if matches!(e.ty, Type::Ieee(_)));
    if options.data_model == DataModel::Ilp32 && mentions(unit, instances, computes) {
        let what =
            "that floating-point operations have the precision of their types, as with gcc's -mfpmath=sse";
        assume(what, Vec::new());
    }
    out
}

/// What is taken for granted about functions without body, where nothing else is said about them: of the
/// whole program, since calls that do nothing else may be sliced away.
pub(crate) fn about_outside(
    unit: &Unit,
    entry: FuncId,
    sources: &[Source],
    options: &COptions,
) -> Vec<Assumption> {
    if options.undefined == UndefinedMemory::Report {
        return Vec::new();
    }
    let (calls, known) = crate::slice::outside_calls(unit, entry);
    let mut out = Vec::new();
    let mut assume = |what: &str, relies: &dyn Fn(&Nondet) -> bool| {
        let mut places = Vec::new();
        for call in calls.iter().filter(|n| relies(n)) {
            let place = sources[call.call.unit as usize].position(call.call.start as usize).to_string();
            if !places.contains(&place) {
                places.push(place);
            }
        }
        if !places.is_empty() {
            out.push(Assumption { what: what.into(), places, dead: Vec::new() });
        }
    };
    assume("that functions without a body use only what they are given pointers to", &|_| known);
    assume("that functions without a body neither change nor return what is constant for them", &|n| {
        n.trusts
    });
    if has_callbacks(unit, options) {
        assume("that functions without a body call none of the program", &|_| true);
    }
    out
}

/// The functions of the program that compilers may take for those of the library.
fn own_library<'u>(unit: &'u Unit, instances: &Instances) -> Vec<&'u Function> {
    let called: std::collections::BTreeSet<u32> = instances.all.iter().map(|i| i.function.0).collect();
    let functions = called.into_iter().map(|f| unit.function(FuncId(f)));
    functions.filter(|f| f.exported && builtins::is_computed(&f.name)).collect()
}

/// Is it a pointer that is made from a number other than 0?
fn is_fixed_address(e: &Expr) -> bool {
    let number = match &e.kind {
        ExprKind::Cast(from) if from.ty.as_int().is_some() => fold(from),
        ExprKind::Const(v) => Some(*v),
        _ => None,
    };
    matches!(e.ty, Type::Pointer(_)) && number.is_some_and(|n| n != 0)
}

/// The nodes of all functions that have an instance, and whether they can be reached.
fn nodes<'u>(unit: &'u Unit, instances: &'u Instances) -> impl Iterator<Item = (&'u Node, bool)> {
    instances.all.iter().flat_map(move |instance| {
        let nodes = unit.function(instance.function).nodes.iter();
        nodes.zip(instances.reachable[instance.function.0 as usize].iter().copied())
    })
}

/// Is something like that in a function that is reached?
fn mentions(unit: &Unit, instances: &Instances, wanted: impl Fn(Part<'_>) -> bool) -> bool {
    let mut found = false;
    for (node, _) in nodes(unit, instances).filter(|(_, reachable)| *reachable) {
        node.kind.visit(&mut |part| found |= wanted(part));
    }
    found
}
