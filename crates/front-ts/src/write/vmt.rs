//! A program with a single loop location as VMT-LIB.
//!
//! When initial states and property can be stated over the state variables alone, they are. Otherwise (inputs
//! are left on the entry or error edges, or an edge leads from the entry straight to the error) two Boolean
//! state variables are added: `started`, false only before the entry edge is taken, and `failed`, set by the
//! error edges.

use std::fmt;
use std::fmt::Write as _;

use palisade_program::{Edge, Loc, Program};
use palisade_smtlib::Writer;
use palisade_term::{Sort, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

/// The program has more than one location besides entry and error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotSingleLoop {
    /// How many there are.
    pub locations: usize,
}

impl fmt::Display for NotSingleLoop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "a VMT file has one loop location; the program has {}: encode it as a single loop first",
            self.locations
        )
    }
}

impl std::error::Error for NotSingleLoop {}

/// The parts of a transition system.
struct System {
    state: Vec<Term>,
    init: Term,
    trans: Term,
    property: Term,
}

/// The program as a VMT-LIB script with one invariant property.
pub fn vmt(pool: &TermPool, program: &Program) -> Result<String, NotSingleLoop> {
    let inner: Vec<Loc> = program.locs().filter(|&l| l != program.entry && l != program.error).collect();
    let home = match inner[..] {
        [l] => Some(l),
        [] => None,
        _ => return Err(NotSingleLoop { locations: inner.len() }),
    };
    let system = match home.and_then(|l| direct(pool, program, l)) {
        Some(system) => system,
        None => flagged(pool, program, home),
    };
    Ok(script(pool, &system))
}

/// Names for the next values: `x.next` where that is free, `x'` otherwise.
fn next_names(pool: &TermPool, system: &System) -> Vec<Term> {
    let mut taken: FxHashSet<Term> = system.state.iter().copied().collect();
    for t in [system.init, system.trans, system.property] {
        taken.extend(pool.free_vars(t));
    }
    let name = |&v: &Term| {
        let next = pool.var(&format!("{}.next", pool.var_name(v)), pool.sort(v).clone());
        if taken.insert(next) { next } else { pool.primed(v) }
    };
    system.state.iter().map(name).collect()
}

fn script(pool: &TermPool, system: &System) -> String {
    let System { state, init, trans, property } = system;
    let nexts = next_names(pool, system);
    let map: FxHashMap<Term, Term> =
        state.iter().map(|&v| pool.primed(v)).zip(nexts.iter().copied()).collect();
    let trans = &pool.substitute(*trans, &map);
    let mut writer = Writer::new(pool);
    let mut out = String::new();
    let known: FxHashSet<Term> = state.iter().chain(&nexts).copied().collect();
    let mut inputs: FxHashSet<Term> = FxHashSet::default();
    for t in [init, trans, property] {
        inputs.extend(pool.free_vars(*t).into_iter().filter(|v| !known.contains(v)));
    }
    let mut inputs: Vec<Term> = inputs.into_iter().collect();
    inputs.sort_unstable();
    for &v in state.iter().chain(&nexts).chain(&inputs) {
        let _ = writeln!(out, "{}", writer.declare(v));
    }
    for (i, (&v, &n)) in state.iter().zip(&nexts).enumerate() {
        let (name, next) = (writer.var(v), writer.var(n));
        let definition = writer.names.reserve(&format!(".sv{i}"));
        let _ = writeln!(out, "(define-fun {definition} () {} (! {name} :next {next}))", pool.sort(v));
    }
    let parts = [
        (".init", init, ":init true"),
        (".trans", trans, ":trans true"),
        (".property", property, ":invar-property 0"),
    ];
    for (name, &t, mark) in parts {
        let name = writer.names.reserve(name);
        let _ = writeln!(out, "(define-fun {name} () Bool (! {} {mark}))", writer.term(t));
    }
    out.push_str("(assert true)\n");
    out
}

/// The edges between two locations.
fn edges(program: &Program, source: Loc, target: Loc) -> impl Iterator<Item = &Edge> {
    program.edges.iter().filter(move |e| e.source == source && e.target == target)
}

/// The relation of an edge over the target's variables in the given version; the edge's inputs get names of
/// their own, because other edges and the state may use the same.
fn relation(pool: &TermPool, program: &Program, edge: &Edge, next: impl Fn(Term) -> Term) -> Term {
    let fresh = |i: Term| (i, pool.fresh_var(pool.var_name(i), pool.sort(i).clone()));
    let map: FxHashMap<Term, Term> = edge.inputs.iter().map(|&i| fresh(i)).collect();
    let mut substitution = palisade_term::Substitution::new(pool, &map);
    let mut parts = vec![substitution.apply(edge.guard)];
    for (&v, &u) in program.vars(edge.target).iter().zip(&edge.update) {
        parts.push(pool.eq(next(v), substitution.apply(u)));
    }
    pool.and(parts)
}

/// Initial states and property over the state variables alone; `None` when they cannot be stated so.
fn direct(pool: &TermPool, program: &Program, home: Loc) -> Option<System> {
    if !program.vars(program.entry).is_empty()
        || edges(program, program.entry, program.error).next().is_some()
    {
        return None;
    }
    let state = program.vars(home).to_vec();
    let mut init = Vec::new();
    for edge in edges(program, program.entry, home) {
        // An input that is assigned to a state variable is that variable.
        let mut map: FxHashMap<Term, Term> = FxHashMap::default();
        let mut equal = Vec::new();
        for (&v, &u) in state.iter().zip(&edge.update) {
            if edge.inputs.contains(&u) && !map.contains_key(&u) {
                map.insert(u, v);
            } else {
                equal.push((v, u));
            }
        }
        if edge.inputs.iter().any(|i| !map.contains_key(i)) {
            return None;
        }
        let mut substitution = palisade_term::Substitution::new(pool, &map);
        let mut parts = vec![substitution.apply(edge.guard)];
        parts.extend(equal.into_iter().map(|(v, u)| pool.eq(v, substitution.apply(u))));
        init.push(pool.and(parts));
    }
    let mut property = Vec::new();
    for edge in edges(program, home, program.error) {
        if !edge.inputs.is_empty() {
            return None;
        }
        property.push(pool.not(edge.guard));
    }
    let trans: Vec<Term> =
        edges(program, home, home).map(|e| relation(pool, program, e, |v| pool.primed(v))).collect();
    Some(System { state, init: pool.or(init), trans: pool.or(trans), property: pool.and(property) })
}

/// The general case.
fn flagged(pool: &TermPool, program: &Program, home: Option<Loc>) -> System {
    let started = pool.fresh_var("started", Sort::Bool);
    let failed = pool.fresh_var("failed", Sort::Bool);
    let (started_next, failed_next) = (pool.primed(started), pool.primed(failed));
    let mut trans = Vec::new();
    for edge in &program.edges {
        let fails = edge.target == program.error;
        // Where no state is defined (before the start, after the failure), the variables may have any value;
        // the entry's own variables are inputs of the first step.
        let mut first = edge.clone();
        if edge.source == program.entry {
            first.inputs.extend_from_slice(program.vars(program.entry));
        }
        trans.push(pool.and([
            relation(pool, program, &first, |v| pool.primed(v)),
            if edge.source == program.entry { pool.not(started) } else { started },
            pool.not(failed),
            started_next,
            if fails { failed_next } else { pool.not(failed_next) },
        ]));
    }
    let mut state = home.map(|l| program.vars(l).to_vec()).unwrap_or_default();
    state.extend([started, failed]);
    let init = pool.and([pool.not(started), pool.not(failed)]);
    System { state, init, trans: pool.or(trans), property: pool.not(failed) }
}
