//! The circuit as the solvers see it: variables, gates, and the clauses of each gate.
//!
//! Conjunctions whose only use is in another conjunction are merged into it, and multiplexers and exclusive
//! disjunctions get one variable instead of three. This is the part of variable elimination that is cheap and
//! loses nothing (Een, Mishchenko, Soerensson: Applying Logic Synthesis for Speeding Up SAT, 2007). What the
//! solvers get of it is in `relation`: there more gates are eliminated. Those have the last numbers, and no
//! variable in a solver.
//!
//! Signals are gates over latches that may occur in cubes like latches. What is a latch or a signal is called
//! a state variable.

use palisade_aig::simulate::{Ternary, evaluate_ternary, ternary};
use palisade_aig::{Aig, Circuit, Lit as Edge, Node};
use palisade_sat::{Lit, Var};
use rustc_hash::FxHashSet;

use crate::Clause;
use crate::options::Options;
use crate::relation::Relation;

/// A conjunction is merged up to this many arguments.
const MAX_ARITY: usize = 16;

/// What a gate's variable is equivalent to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gate {
    /// The conjunction of `children[start..start + len]`.
    And(u32, u32),
    /// Exclusive or.
    Xor(Lit, Lit),
    /// If the first then the second else the third.
    Mux(Lit, Lit, Lit),
}

/// A function of the latches that may occur in cubes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Signal {
    /// The literal that has its value.
    pub(crate) now: Lit,
    /// The literal that has its value after the step.
    pub(crate) next: Lit,
    /// Its value in the initial states, if it is the same in all.
    pub(crate) reset: Option<bool>,
    /// Its place among what the circuit watches.
    place: usize,
}

/// A transition relation ready for solvers.
#[derive(Clone, Debug)]
pub struct Model {
    /// Number of latches: variables `0..latches`.
    pub(crate) latches: usize,
    /// Number of inputs: the variables after the latches. Then comes the variable that is constantly true.
    pub(crate) inputs: usize,
    gates: Vec<Gate>,
    children: Vec<Lit>,
    /// The next value of each latch.
    pub(crate) next: Vec<Lit>,
    /// The reset value of each latch.
    pub(crate) reset: Vec<Option<bool>>,
    pub(crate) bad: Lit,
    /// What must hold in every step, without the constant true.
    pub(crate) constraints: Vec<Lit>,
    /// If the property is about latches only and wanted in the frames: bad states after one step.
    pub(crate) bad_next: Option<Lit>,
    /// The signals, and by number of a variable the number of its signal plus 1, or 0; empty without any.
    pub(crate) signals: Vec<Signal>,
    signal_of: Vec<u32>,
    /// Its clauses.
    pub(crate) relation: Relation,
    /// Variables that are not eliminated: those below this number.
    pub(crate) kept: usize,
}

impl Model {
    /// Makes the model of a circuit. With `property_frames` it has bad states of the next step, if bad states
    /// and constraints do not depend on inputs.
    pub fn new(circuit: &Circuit, property_frames: bool, options: &Options) -> Model {
        let mut circuit = circuit.clone();
        let bad = circuit.bad();
        let bad_next = if property_frames { bad_after_step(&mut circuit, bad) } else { None };
        let signals = signals(&mut circuit);
        let shapes = Shapes::new(&circuit, bad, bad_next, &signals);
        let mut model = shapes.number(&circuit, bad, bad_next, &signals);
        let (relation, gone) = Relation::new(&model, options);
        model.relation = relation;
        model.put_last(&gone);
        model
    }

    /// Gives these gates the last numbers; the order is the same otherwise.
    fn put_last(&mut self, gone: &[bool]) {
        let first = self.first_gate();
        let (left, out): (Vec<usize>, Vec<usize>) = (0..gone.len()).partition(|&g| !gone[g]);
        self.kept = first + left.len();
        let mut map: Vec<Var> = (0..self.vars()).map(Var::new).collect();
        for (new, &old) in left.iter().chain(&out).enumerate() {
            map[first + old] = Var::new(first + new);
        }
        let rename = |l: Lit| map[l.var().index()].lit(l.is_positive());
        let rename_gate = |&old: &usize| match self.gates[old] {
            Gate::And(start, len) => Gate::And(start, len),
            Gate::Xor(a, b) => Gate::Xor(rename(a), rename(b)),
            Gate::Mux(c, a, b) => Gate::Mux(rename(c), rename(a), rename(b)),
        };
        self.gates = left.iter().chain(&out).map(rename_gate).collect();
        for lits in [&mut self.children, &mut self.next, &mut self.constraints] {
            lits.iter_mut().for_each(|l| *l = rename(*l));
        }
        self.bad = rename(self.bad);
        self.bad_next = self.bad_next.map(rename);
        for s in &mut self.signals {
            (s.now, s.next) = (rename(s.now), rename(s.next));
        }
        self.index_signals();
        let order: Vec<Var> = left.iter().map(|&g| Var::new(first + g)).collect();
        self.relation.renumber(&order, rename);
    }

    /// Makes the signals known by their variables; the first of several with the same one stays.
    fn index_signals(&mut self) {
        let mut seen = FxHashSet::default();
        self.signals.retain(|s| seen.insert(s.now.var()));
        self.signal_of = if self.signals.is_empty() { Vec::new() } else { vec![0; self.vars()] };
        for (i, s) in self.signals.iter().enumerate() {
            self.signal_of[s.now.var().index()] = i as u32 + 1;
        }
    }

    /// The signal of a state variable that is no latch.
    #[inline]
    fn signal(&self, v: Var) -> &Signal {
        &self.signals[self.signal_of[v.index()] as usize - 1]
    }

    /// The state variables: latches, then signals.
    pub(crate) fn state_vars(&self) -> impl Iterator<Item = Var> + '_ {
        (0..self.latches).map(Var::new).chain(self.signals.iter().map(|s| s.now.var()))
    }

    /// The clause that excludes a cube, for those who do not know literals.
    pub(crate) fn clause_of(&self, cube: &[Lit]) -> Clause {
        let number = |l: &Lit| {
            let v = l.var();
            if self.is_latch(v) {
                return (v.index(), !l.is_positive());
            }
            let signal = self.signal(v);
            (self.latches + signal.place, l.is_positive() != signal.now.is_positive())
        };
        cube.iter().map(number).collect()
    }

    /// What queries are about besides latches and inputs.
    pub(crate) fn roots(&self) -> impl Iterator<Item = Lit> + '_ {
        let property = [self.bad].into_iter().chain(self.bad_next);
        let signals = self.signals.iter().flat_map(|s| [s.now, s.next]);
        self.next.iter().chain(&self.constraints).copied().chain(property).chain(signals)
    }

    /// Number of variables.
    pub fn vars(&self) -> usize {
        self.first_gate() + self.gates.len()
    }

    pub(crate) fn constant(&self) -> Lit {
        Var::new(self.latches + self.inputs).positive()
    }

    pub(crate) fn first_gate(&self) -> usize {
        self.latches + self.inputs + 1
    }

    /// The gate of a variable, if it is one.
    #[inline]
    pub(crate) fn gate(&self, v: Var) -> Option<Gate> {
        v.index().checked_sub(self.first_gate()).map(|g| self.gates[g])
    }

    #[inline]
    pub(crate) fn is_latch(&self, v: Var) -> bool {
        v.index() < self.latches
    }

    /// The arguments of a conjunction.
    #[inline]
    pub(crate) fn children(&self, start: u32, len: u32) -> &[Lit] {
        &self.children[start as usize..(start + len) as usize]
    }

    /// Calls `f` with each variable that the gate of `v` is over.
    #[inline]
    pub(crate) fn arguments(&self, v: Var, mut f: impl FnMut(Var)) {
        match self.gate(v) {
            None => {}
            Some(Gate::And(start, len)) => self.children(start, len).iter().for_each(|l| f(l.var())),
            Some(Gate::Xor(a, b)) => [a, b].into_iter().for_each(|l| f(l.var())),
            Some(Gate::Mux(c, a, b)) => [c, a, b].into_iter().for_each(|l| f(l.var())),
        }
    }

    /// The value of a gate, as far as those of its arguments determine it.
    #[inline]
    pub(crate) fn evaluate(&self, gate: Gate, value: impl Fn(Lit) -> Option<bool>) -> Option<bool> {
        match gate {
            Gate::And(start, len) => {
                let args = self.children(start, len);
                if args.iter().any(|&a| value(a) == Some(false)) {
                    Some(false)
                } else {
                    args.iter().all(|&a| value(a) == Some(true)).then_some(true)
                }
            }
            Gate::Xor(a, b) => value(a).zip(value(b)).map(|(a, b)| a != b),
            Gate::Mux(c, a, b) => match value(c) {
                Some(c) => value(if c { a } else { b }),
                None => value(a).filter(|_| value(a) == value(b)),
            },
        }
    }

    /// Calls `emit` with each clause of the gate of `v`, whose literal is the first.
    pub(crate) fn clauses(&self, v: Var, mut emit: impl FnMut(&[Lit])) {
        let g = v.positive();
        match self.gate(v) {
            None => {}
            Some(Gate::And(start, len)) => {
                let mut long = vec![g];
                for &c in self.children(start, len) {
                    emit(&[!g, c]);
                    long.push(!c);
                }
                emit(&long);
            }
            Some(Gate::Xor(a, b)) => {
                emit(&[!g, a, b]);
                emit(&[!g, !a, !b]);
                emit(&[g, !a, b]);
                emit(&[g, a, !b]);
            }
            Some(Gate::Mux(c, a, b)) => {
                emit(&[!g, !c, a]);
                emit(&[!g, c, b]);
                emit(&[g, !c, !a]);
                emit(&[g, c, !b]);
                // Implied, but unit propagation would not see them.
                emit(&[!g, a, b]);
                emit(&[g, !a, !b]);
            }
        }
    }

    /// Can a cube of state literals contain an initial state? Exact if it has a literal for every latch that
    /// its signals need.
    pub(crate) fn is_initial(&self, cube: &[Lit]) -> bool {
        !cube.iter().any(|&l| self.excludes_initial(l))
    }

    /// The literal that is true when a state literal is true after the step.
    #[inline]
    pub(crate) fn after_step(&self, l: Lit) -> Lit {
        let v = l.var();
        if self.is_latch(v) {
            let next = self.next[v.index()];
            return if l.is_positive() { next } else { !next };
        }
        let signal = self.signal(v);
        if l == signal.now { signal.next } else { !signal.next }
    }

    /// The literals that are true when a cube of state literals is entered by the step: signals first, since
    /// solvers blame earlier assumptions.
    pub(crate) fn after(&self, cube: &[Lit]) -> Vec<Lit> {
        let of = |latches: bool| cube.iter().filter(move |l| self.is_latch(l.var()) == latches);
        if self.signals.is_empty() {
            return cube.iter().map(|&l| self.after_step(l)).collect();
        }
        of(false).chain(of(true)).map(|&l| self.after_step(l)).collect()
    }

    /// Does this literal alone exclude the initial states?
    #[inline]
    pub(crate) fn excludes_initial(&self, l: Lit) -> bool {
        let v = l.var();
        if self.is_latch(v) {
            return self.reset[v.index()].is_some_and(|r| r != l.is_positive());
        }
        let signal = self.signal(v);
        signal.reset.is_some_and(|r| r != (l == signal.now))
    }
}

/// Something that a circuit watches.
struct Watched {
    place: usize,
    gate: Edge,
    next: Edge,
    reset: Option<bool>,
}

/// What a circuit watches, as far as those are gates over latches alone.
fn signals(circuit: &mut Circuit) -> Vec<Watched> {
    let mut tainted = vec![false; circuit.aig.len()];
    let mut values = vec![Ternary::Unknown; circuit.aig.len()];
    circuit.inputs.iter().for_each(|i| tainted[i.node()] = true);
    for l in &circuit.latches {
        values[l.lit.node()] = l.reset.map_or(Ternary::Unknown, Ternary::known);
    }
    evaluate_ternary(&circuit.aig, &mut values);
    for (n, node) in circuit.aig.nodes().iter().enumerate() {
        if let Node::And(a, b) = *node {
            tainted[n] = tainted[a.node()] || tainted[b.node()];
        }
    }
    let is_gate =
        |(_, e): &(usize, Edge)| matches!(circuit.aig.node(e.node()), Node::And(..)) && !tainted[e.node()];
    let gates = circuit.watched.iter().copied().enumerate();
    let (places, gates): (Vec<usize>, Vec<Edge>) = gates.filter(is_gate).unzip();
    let after = after_step(circuit, &gates);
    let watched = |((place, gate), next): ((usize, Edge), Edge)| {
        let reset = ternary(&values, gate).certain();
        Watched { place, gate, next, reset }
    };
    places.into_iter().zip(gates).zip(after).map(watched).collect()
}

/// Bad states after one step, as a function of the current state and inputs; none if they depend on the
/// inputs of that step.
fn bad_after_step(circuit: &mut Circuit, bad: Edge) -> Option<Edge> {
    let marked = circuit.aig.cone(circuit.constraints.iter().copied().chain([bad]));
    if circuit.inputs.iter().any(|i| marked[i.node()]) || !circuit.constraints.is_empty() {
        return None;
    }
    after_step(circuit, &[bad]).pop()
}

/// Functions of the latches after one step, as functions of the current state and inputs.
fn after_step(circuit: &mut Circuit, functions: &[Edge]) -> Vec<Edge> {
    let marked = circuit.aig.cone(functions.iter().copied());
    let mut map = vec![Edge::FALSE; circuit.aig.len()];
    for l in &circuit.latches {
        map[l.lit.node()] = l.next;
    }
    let source = circuit.aig.clone();
    source.copy_into(&mut circuit.aig, &marked, &mut map);
    functions.iter().map(|f| map[f.node()] ^ f.is_negated()).collect()
}

/// Which nodes get a variable, and of which shape.
struct Shapes {
    needed: Vec<bool>,
    gates: Vec<Option<Shape>>,
}

#[derive(Clone, Debug)]
enum Shape {
    And(Vec<Edge>),
    Xor(Edge, Edge),
    Mux(Edge, Edge, Edge),
}

impl Shapes {
    fn new(circuit: &Circuit, bad: Edge, bad_next: Option<Edge>, signals: &[Watched]) -> Shapes {
        let aig = &circuit.aig;
        let roots: Vec<Edge> = (circuit.latches.iter().map(|l| l.next))
            .chain(circuit.constraints.iter().copied())
            .chain([bad])
            .chain(bad_next)
            .chain(signals.iter().flat_map(|s| [s.gate, s.next]))
            .collect();
        let cone = aig.cone(roots.iter().copied());
        let mut uses = vec![0u32; aig.len()];
        for (n, node) in aig.nodes().iter().enumerate() {
            if let (true, Node::And(a, b)) = (cone[n], *node) {
                uses[a.node()] += 1;
                uses[b.node()] += 1;
            }
        }
        let mut shapes = Shapes { needed: vec![false; aig.len()], gates: vec![None; aig.len()] };
        for r in roots {
            shapes.needed[r.node()] = true;
            uses[r.node()] += 2; // a root keeps its variable
        }
        for n in (0..aig.len()).rev() {
            if !shapes.needed[n] {
                continue;
            }
            let Node::And(a, b) = aig.node(n) else { continue };
            let shape = choice(aig, a, b).unwrap_or_else(|| Shape::And(merged(aig, &uses, a, b)));
            match &shape {
                Shape::And(args) => args.iter().for_each(|a| shapes.needed[a.node()] = true),
                Shape::Xor(a, b) => [a, b].iter().for_each(|a| shapes.needed[a.node()] = true),
                Shape::Mux(c, a, b) => [c, a, b].iter().for_each(|a| shapes.needed[a.node()] = true),
            }
            shapes.gates[n] = Some(shape);
        }
        shapes
    }

    fn number(self, circuit: &Circuit, bad: Edge, bad_next: Option<Edge>, signals: &[Watched]) -> Model {
        let (latches, inputs) = (circuit.latches.len(), circuit.inputs.len());
        let constant = Var::new(latches + inputs);
        let mut map = vec![constant.negative(); circuit.aig.len()];
        for (i, l) in circuit.latches.iter().enumerate() {
            map[l.lit.node()] = Var::new(i).positive();
        }
        for (i, l) in circuit.inputs.iter().enumerate() {
            map[l.node()] = Var::new(latches + i).positive();
        }
        let (mut gates, mut children) = (Vec::new(), Vec::<Lit>::new());
        for (n, shape) in self.gates.iter().enumerate() {
            let Some(shape) = shape else { continue };
            let image = |l: &Edge| signed(&map, *l);
            gates.push(match shape {
                Shape::And(args) => {
                    let start = children.len() as u32;
                    children.extend(args.iter().map(image));
                    Gate::And(start, args.len() as u32)
                }
                Shape::Xor(a, b) => Gate::Xor(image(a), image(b)),
                Shape::Mux(c, a, b) => Gate::Mux(image(c), image(a), image(b)),
            });
            map[n] = Var::new(latches + inputs + gates.len()).positive();
        }
        let image = |l: Edge| signed(&map, l);
        let constraints = circuit.constraints.iter().map(|&c| image(c));
        let signal =
            |s: &Watched| Signal { now: image(s.gate), next: image(s.next), reset: s.reset, place: s.place };
        Model {
            latches,
            inputs,
            next: circuit.latches.iter().map(|l| image(l.next)).collect(),
            reset: circuit.latches.iter().map(|l| l.reset).collect(),
            bad: image(bad),
            constraints: constraints.filter(|&c| c != constant.positive()).collect(),
            bad_next: bad_next.map(image),
            kept: latches + inputs + 1 + gates.len(),
            signals: signals.iter().map(signal).collect(),
            signal_of: Vec::new(),
            relation: Relation::default(),
            gates,
            children,
        }
    }
}

fn signed(map: &[Lit], l: Edge) -> Lit {
    let image = map[l.node()];
    if l.is_negated() { !image } else { image }
}

/// `not (c and a) and not (not c and b)` is a choice between `not a` and `not b`.
fn choice(aig: &Aig, x: Edge, y: Edge) -> Option<Shape> {
    let (Node::And(p, q), Node::And(r, s)) = (aig.node(x.node()), aig.node(y.node())) else { return None };
    if !x.is_negated() || !y.is_negated() {
        return None;
    }
    for (c, a) in [(p, q), (q, p)] {
        for (d, b) in [(r, s), (s, r)] {
            if c == !d {
                return Some(if a == !b { Shape::Xor(c, a) } else { Shape::Mux(c, !a, !b) });
            }
        }
    }
    None
}

/// The arguments of a conjunction, with those of conjunctions that are used only here.
fn merged(aig: &Aig, uses: &[u32], a: Edge, b: Edge) -> Vec<Edge> {
    let mut args = Vec::new();
    let mut work = vec![b, a];
    while let Some(l) = work.pop() {
        match aig.node(l.node()) {
            Node::And(p, q)
                if !l.is_negated()
                    && uses[l.node()] == 1
                    && args.len() + work.len() + 2 <= MAX_ARITY
                    && choice(aig, p, q).is_none() =>
            {
                work.extend([q, p]);
            }
            _ => args.push(l),
        }
    }
    args.sort_unstable();
    args.dedup();
    args
}
