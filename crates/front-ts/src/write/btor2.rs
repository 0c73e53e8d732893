//! A program with a single loop location, over Booleans, bit-vectors and arrays of them, as BTOR2.
//!
//! Where the program has the shape that [`read_btor2`](crate::read_btor2) makes (one entry edge, one loop
//! edge, whose guard every error edge repeats), states get `init` and `next`, and the guard is a
//! `constraint`. Any other gets two states more: `started`, false only before the entry edge, and `alive`,
//! true as long as every edge that was taken could be taken. Inputs choose the edge. Bad states are the edges
//! into the error location, in their order.
//!
//! Booleans and vectors of width 1 are the same in BTOR2. An array with the same value everywhere is a state
//! that keeps its initial value; the value must be a constant then.
//!
//! Entry point: [`btor2`].

use std::fmt;
use std::fmt::Write as _;

use palisade_program::{Edge, Loc, Program};
use palisade_term::{Op, Sort, Term, TermPool};
use rustc_hash::{FxHashMap, FxHashSet};

/// Why a program is not written as BTOR2.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotBtor2 {
    /// It has so many locations besides entry and error.
    Locations(usize),
    /// A sort or an operator that BTOR2 does not have.
    Unsupported(String),
}

impl fmt::Display for NotBtor2 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotBtor2::Locations(n) => {
                let what = "encode it as a single loop first";
                write!(f, "a BTOR2 file has one loop location; the program has {n}: {what}")
            }
            NotBtor2::Unsupported(what) => write!(f, "BTOR2 has no {what}"),
        }
    }
}

impl std::error::Error for NotBtor2 {}

/// The program as a BTOR2 file.
///
/// # Errors
/// If it has several loop locations, or sorts or operators that BTOR2 does not have.
pub fn btor2(pool: &TermPool, program: &Program) -> Result<String, NotBtor2> {
    let inner: Vec<Loc> = program.locs().filter(|&l| l != program.entry && l != program.error).collect();
    let home = match inner[..] {
        [l] => Some(l),
        [] => None,
        _ => return Err(NotBtor2::Locations(inner.len())),
    };
    let system = match home.and_then(|l| direct(pool, program, l)) {
        Some(system) => system,
        None => flagged(pool, program, home),
    };
    Writer::new(pool).system(&system)
}

/// The parts of a file.
struct System {
    inputs: Vec<Term>,
    states: Vec<State>,
    constraints: Vec<Term>,
    bads: Vec<Term>,
}

struct State {
    var: Term,
    /// Over the states before it.
    init: Option<Term>,
    /// Over states and inputs; any value if there is none.
    next: Option<Term>,
}

/// The edges between two locations.
fn edges(program: &Program, source: Loc, target: Loc) -> Vec<&Edge> {
    program.edges.iter().filter(|e| e.source == source && e.target == target).collect()
}

/// The parts of a program that has the shape of a BTOR2 file.
fn direct(pool: &TermPool, program: &Program, home: Loc) -> Option<System> {
    let (enter, step) = (edges(program, program.entry, home), edges(program, home, home));
    let ([enter], [step]) = (&enter[..], &step[..]) else { return None };
    let errors = edges(program, home, program.error);
    let simple = program.vars(program.entry).is_empty()
        && enter.guard == pool.tru()
        && edges(program, program.entry, program.error).is_empty()
        && program.edges.len() == 2 + errors.len();
    let vars = program.vars(home);
    let state: FxHashSet<Term> = vars.iter().copied().collect();
    if !simple || program.edges.iter().any(|e| e.inputs.iter().any(|i| state.contains(i))) {
        return None;
    }
    let conjuncts = |t: Term| -> Vec<Term> {
        match pool.op(t) {
            Op::And => pool.args(t).to_vec(),
            Op::Bool(true) => Vec::new(),
            _ => vec![t],
        }
    };
    let constraints = conjuncts(step.guard);
    let mut bads = Vec::new();
    for e in &errors {
        let mut rest = conjuncts(e.guard);
        if e.guard != pool.fls() && !constraints.iter().all(|c| rest.contains(c)) {
            return None;
        }
        rest.retain(|c| !constraints.contains(c));
        bads.push(pool.and(rest));
    }
    // A choice on the entry edge is the value of the first state that it goes to.
    let mut chosen: FxHashMap<Term, Term> = FxHashMap::default();
    let mut states = Vec::new();
    let count = |i: Term| step.update.iter().filter(|&&u| u == i).count();
    let elsewhere = |i: Term| {
        let mut terms = step.update.iter().filter(|&&u| u != i).chain([&step.guard]).chain(&bads);
        terms.any(|&t| pool.free_vars(t).contains(&i))
    };
    let mut inputs: Vec<Term> = step.inputs.clone();
    for ((&var, &first), &next) in vars.iter().zip(&enter.update).zip(&step.update) {
        let init = if enter.inputs.contains(&first) && !chosen.contains_key(&first) {
            chosen.insert(first, var);
            None
        } else if pool.free_vars(first).iter().all(|i| chosen.contains_key(i)) {
            let init = pool.substitute(first, &chosen);
            let inside = if matches!(pool.op(init), Op::ConstArray) { pool.args(init)[0] } else { init };
            if has_constant_array(pool, inside) {
                return None; // that is a state, which an initial value must not depend on
            }
            Some(init)
        } else {
            return None;
        };
        // A choice of the loop edge alone that nothing else reads: a state without `next`.
        let alone = |i: Term| count(i) == 1 && !elsewhere(i) && errors.iter().all(|e| !e.inputs.contains(&i));
        let free = step.inputs.contains(&next) && alone(next);
        if free {
            inputs.retain(|&i| i != next);
        }
        states.push(State { var, init, next: (!free).then_some(next) });
    }
    for e in &errors {
        inputs.extend(e.inputs.iter().filter(|i| !step.inputs.contains(i)));
    }
    let mut seen = FxHashSet::default();
    inputs.retain(|&i| seen.insert(i));
    Some(System { inputs, states, constraints, bads })
}

fn has_constant_array(pool: &TermPool, t: Term) -> bool {
    let (mut stack, mut seen) = (vec![t], FxHashSet::default());
    while let Some(t) = stack.pop() {
        if matches!(pool.op(t), Op::ConstArray) {
            return true;
        }
        if seen.insert(t) {
            stack.extend(pool.args(t));
        }
    }
    false
}

/// The parts of any other program.
fn flagged(pool: &TermPool, program: &Program, home: Option<Loc>) -> System {
    let started = pool.fresh_var("started", Sort::Bool);
    let alive = pool.fresh_var("alive", Sort::Bool);
    let vars: Vec<Term> = home.map(|l| program.vars(l).to_vec()).unwrap_or_default();
    let mut inputs = Vec::new();
    // For the entry and the loop location: may an edge be taken, and what are the next values?
    let mut steps = Vec::new();
    let mut bads = Vec::new();
    for source in [Some(program.entry), home] {
        let mut taken: Option<(Term, Vec<Term>)> = None;
        for e in program.edges.iter().filter(|e| Some(e.source) == source) {
            // Inputs get names of their own: other edges and the state may use the same. So do the variables
            // of the entry, which have any value.
            let own = |v: Term| (v, pool.fresh_var(pool.var_name(v), pool.sort(v).clone()));
            let mut map: FxHashMap<Term, Term> = e.inputs.iter().map(|&i| own(i)).collect();
            inputs.extend(e.inputs.iter().map(|i| map[i]));
            if e.source == program.entry {
                let entry: Vec<(Term, Term)> = program.vars(program.entry).iter().map(|&v| own(v)).collect();
                inputs.extend(entry.iter().map(|(_, own)| *own));
                map.extend(entry);
            }
            let mut substitution = palisade_term::Substitution::new(pool, &map);
            let guard = substitution.apply(e.guard);
            if e.target == program.error {
                let here = if e.source == program.entry { pool.not(started) } else { started };
                bads.push(pool.and([alive, here, guard]));
                continue;
            }
            let update: Vec<Term> = e.update.iter().map(|&u| substitution.apply(u)).collect();
            taken = Some(match taken {
                None => (guard, update),
                Some((other, others)) => {
                    let this = pool.fresh_var("edge", Sort::Bool);
                    inputs.push(this);
                    let choose = |a: Term, b: Term| pool.ite(this, a, b);
                    let update = update.iter().zip(&others).map(|(&a, &b)| choose(a, b)).collect();
                    (choose(guard, other), update)
                }
            });
        }
        steps.push(taken.unwrap_or_else(|| (pool.fls(), vars.clone())));
    }
    let [(enter, first), (step, next)] = &steps[..] else { unreachable!("there are two locations") };
    let mut states: Vec<State> = (vars.iter().zip(first.iter().zip(next)))
        .map(|(&var, (&first, &next))| State { var, init: None, next: Some(pool.ite(started, next, first)) })
        .collect();
    let go = pool.and([alive, pool.ite(started, *step, *enter)]);
    states.push(State { var: started, init: Some(pool.fls()), next: Some(pool.tru()) });
    states.push(State { var: alive, init: Some(pool.tru()), next: Some(go) });
    System { inputs, states, constraints: Vec::new(), bads }
}

/// The text so far.
struct Writer<'p> {
    pool: &'p TermPool,
    out: String,
    last: u64,
    sorts: FxHashMap<Sort, u64>,
    nodes: FxHashMap<Term, u64>,
}

impl<'p> Writer<'p> {
    fn new(pool: &'p TermPool) -> Self {
        let (sorts, nodes) = (FxHashMap::default(), FxHashMap::default());
        Writer { pool, out: String::new(), last: 0, sorts, nodes }
    }

    fn system(mut self, system: &System) -> Result<String, NotBtor2> {
        for &i in &system.inputs {
            self.variable("input", i)?;
        }
        for state in &system.states {
            self.variable("state", state.var)?;
        }
        for state in &system.states {
            if let Some(init) = state.init {
                // One value for all elements is written as that value.
                let value = match self.pool.op(init) {
                    Op::ConstArray => self.pool.args(init)[0],
                    _ => init,
                };
                self.assignment("init", state.var, value)?;
            }
        }
        for state in &system.states {
            if let Some(next) = state.next {
                self.assignment("next", state.var, next)?;
            }
        }
        for (word, terms) in [("constraint", &system.constraints), ("bad", &system.bads)] {
            for &t in terms {
                let node = self.term(t)?;
                self.line(format_args!("{word} {node}"));
            }
        }
        if system.bads.is_empty() {
            // A file without a property is not valid.
            let node = self.term(self.pool.fls())?;
            self.line(format_args!("bad {node}"));
        }
        Ok(self.out)
    }

    fn line(&mut self, text: fmt::Arguments<'_>) -> u64 {
        self.last += 1;
        let _ = writeln!(self.out, "{} {text}", self.last);
        self.last
    }

    fn variable(&mut self, kind: &str, v: Term) -> Result<(), NotBtor2> {
        let sort = self.sort(self.pool.sort(v))?;
        let name = self.pool.var_display(v).to_string();
        let writable = !name.is_empty() && name.chars().all(|c| c.is_ascii_graphic() && c != ';');
        let symbol = if writable { format!(" {name}") } else { String::new() };
        let node = self.line(format_args!("{kind} {sort}{symbol}"));
        self.nodes.insert(v, node);
        Ok(())
    }

    fn assignment(&mut self, kind: &str, var: Term, value: Term) -> Result<(), NotBtor2> {
        let sort = self.sort(self.pool.sort(var))?;
        let (var, value) = (self.nodes[&var], self.term(value)?);
        self.line(format_args!("{kind} {sort} {var} {value}"));
        Ok(())
    }

    fn sort(&mut self, sort: &Sort) -> Result<u64, NotBtor2> {
        let sort = if *sort == Sort::Bool { Sort::BitVec(1) } else { sort.clone() };
        if let Some(&known) = self.sorts.get(&sort) {
            return Ok(known);
        }
        let is_vector = |s: &Sort| matches!(s, Sort::Bool | Sort::BitVec(_));
        let id = match (&sort, sort.array_parts()) {
            (Sort::BitVec(w), _) => self.line(format_args!("sort bitvec {w}")),
            (_, Some((index, element))) if is_vector(index) && is_vector(element) => {
                let (index, element) = (self.sort(index)?, self.sort(element)?);
                self.line(format_args!("sort array {index} {element}"))
            }
            _ => return Err(NotBtor2::Unsupported(format!("sort {sort}"))),
        };
        self.sorts.insert(sort, id);
        Ok(id)
    }

    /// The node of a term; what it rests on comes first.
    fn term(&mut self, root: Term) -> Result<u64, NotBtor2> {
        let mut stack = vec![root];
        while let Some(&t) = stack.last() {
            if self.nodes.contains_key(&t) {
                stack.pop();
                continue;
            }
            let before = stack.len();
            let args = self.pool.args(t).iter().copied();
            stack.extend(args.filter(|a| !self.nodes.contains_key(a)));
            if stack.len() == before {
                let node = self.node(t)?;
                self.nodes.insert(t, node);
                stack.pop();
            }
        }
        Ok(self.nodes[&root])
    }

    /// The node of a term whose arguments have nodes.
    fn node(&mut self, t: Term) -> Result<u64, NotBtor2> {
        let pool = self.pool;
        let sort = self.sort(pool.sort(t))?;
        let args: Vec<u64> = pool.args(t).iter().map(|a| self.nodes[a]).collect();
        let word = match pool.op(t) {
            Op::Bool(value) => {
                return Ok(self.line(format_args!("{} {sort}", if *value { "one" } else { "zero" })));
            }
            Op::BitVec(n) => return Ok(self.line(format_args!("constd {sort} {n}"))),
            Op::Extract(high, low) => {
                return Ok(self.line(format_args!("slice {sort} {} {high} {low}", args[0])));
            }
            Op::ZeroExtend(n) => return Ok(self.line(format_args!("uext {sort} {} {n}", args[0]))),
            Op::SignExtend(n) => return Ok(self.line(format_args!("sext {sort} {} {n}", args[0]))),
            Op::ConstArray => return self.constant_array(t, sort, args[0]),
            Op::Not | Op::BvNot => "not",
            Op::BvNeg => "neg",
            Op::And | Op::BvAnd => "and",
            Op::Or | Op::BvOr => "or",
            Op::BvXor => "xor",
            Op::Eq => "eq",
            Op::Ite => "ite",
            Op::Concat => "concat",
            Op::BvAdd => "add",
            Op::BvMul => "mul",
            Op::BvUdiv => "udiv",
            Op::BvUrem => "urem",
            Op::BvSdiv => "sdiv",
            Op::BvSrem => "srem",
            Op::BvSmod => "smod",
            Op::BvShl => "sll",
            Op::BvLshr => "srl",
            Op::BvAshr => "sra",
            Op::BvUlt => "ult",
            Op::BvUle => "ulte",
            Op::BvSlt => "slt",
            Op::BvSle => "slte",
            Op::Select => "read",
            Op::Store => "write",
            Op::Var(..) => {
                return Err(NotBtor2::Unsupported(format!("value for `{}`", pool.var_display(t))));
            }
            other => return Err(NotBtor2::Unsupported(format!("operator like {other:?}"))),
        };
        // Conjunctions and disjunctions have two arguments here.
        if matches!(pool.op(t), Op::And | Op::Or) {
            let mut node = args[0];
            for &a in &args[1..] {
                node = self.line(format_args!("{word} {sort} {node} {a}"));
            }
            return Ok(node);
        }
        let args: Vec<String> = args.iter().map(u64::to_string).collect();
        Ok(self.line(format_args!("{word} {sort} {}", args.join(" "))))
    }

    /// A state that keeps the array which has one constant everywhere.
    fn constant_array(&mut self, t: Term, sort: u64, value: u64) -> Result<u64, NotBtor2> {
        if !self.pool.is_const(self.pool.args(t)[0]) {
            return Err(NotBtor2::Unsupported("array that is the same variable value everywhere".into()));
        }
        let state = self.line(format_args!("state {sort}"));
        self.line(format_args!("init {sort} {state} {value}"));
        self.line(format_args!("next {sort} {state} {state}"));
        Ok(state)
    }
}
