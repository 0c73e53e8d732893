//! A circuit as a program: one loop location whose variables are the latches.
//!
//! The entry edge resets the latches (one that may start with either value gets an input), the loop edge
//! takes a step, and one edge for each bad state leads into the error location. Constraints are part of every
//! guard but the entry's. Way back: a run of the program is a run of the circuit ([`Translation::trace`]),
//! and one of the circuit a run of the program ([`Translation::run`]).

use std::sync::Arc;

use palisade_program::{Edge, EdgeId, Loc, Location, Origin, Position, Program, Property, Run, Step};
use palisade_term::{Sort, Term, TermPool, Value};
use rustc_hash::FxHashSet;

use crate::circuit::{Circuit, Trace};
use crate::formula::Formulas;
use crate::graph::{Lit, Node};

/// A program made from a circuit.
#[derive(Clone, Debug)]
pub struct Translation {
    /// The program.
    pub program: Program,
    /// The latches that have an input on the entry edge, in its order.
    free: Vec<usize>,
    /// The loop edge; the edges of the bad states follow it.
    step: EdgeId,
}

/// Makes the program of a circuit. `file` is how positions name it.
pub fn translate(pool: &TermPool, circuit: &Circuit, file: &str) -> Translation {
    let mut used = FxHashSet::default();
    let mut fresh = |name: Option<&String>, default: String| {
        let wanted = name.filter(|n| !n.is_empty()).cloned().unwrap_or(default);
        let mut name = wanted.clone();
        let mut k = 0;
        while !used.insert(name.clone()) {
            k += 1;
            name = format!("{wanted}!{k}");
        }
        pool.var(&name, Sort::Bool)
    };
    let name_of = |names: &[Option<String>], i: usize| names.get(i).cloned().flatten();
    let latches: Vec<Term> = (0..circuit.latches.len())
        .map(|i| fresh(name_of(&circuit.latch_names, i).as_ref(), format!("l{i}")))
        .collect();
    let inputs: Vec<Term> = (0..circuit.inputs.len())
        .map(|i| fresh(name_of(&circuit.input_names, i).as_ref(), format!("i{i}")))
        .collect();
    let terms = gate_terms(pool, circuit, &latches, &inputs);
    let term = |l: Lit| if l.is_negated() { pool.not(terms[l.node()]) } else { terms[l.node()] };

    let mut program = Program::new();
    let head = program.add_location(Location {
        name: "loop".into(),
        position: Some(Position { file: Arc::from(file), line: 1, column: 1 }),
        vars: latches.clone(),
    });
    let free: Vec<usize> = (0..latches.len()).filter(|&i| circuit.latches[i].reset.is_none()).collect();
    let choices: Vec<Term> = free.iter().map(|i| fresh(None, format!("reset{i}"))).collect();
    let mut choice = choices.iter();
    let resets: Vec<Term> = (circuit.latches.iter())
        .map(|l| l.reset.map_or_else(|| *choice.next().expect("one for each"), |v| pool.bool(v)))
        .collect();
    let entry = program.entry;
    program.add_edge(Edge::new(entry, head, &choices, pool.tru(), &resets));
    let constraint = pool.and(circuit.constraints.iter().map(|&c| term(c)));
    let next: Vec<Term> = circuit.latches.iter().map(|l| term(l.next)).collect();
    let step = program.add_edge(Edge::new(head, head, &inputs, constraint, &next));
    for (i, &bad) in circuit.bads.iter().enumerate() {
        let guard = pool.and([constraint, term(bad)]);
        let mut edge = Edge::new(head, program.error, &inputs, guard, &[]);
        let name = if circuit.bads.len() == 1 { "bad".into() } else { format!("bad {i}") };
        edge.origin = Origin { property: Some(Property::Violated(name.into())), ..Origin::default() };
        program.add_edge(edge);
    }
    Translation { program, free, step }
}

fn gate_terms(pool: &TermPool, circuit: &Circuit, latches: &[Term], inputs: &[Term]) -> Vec<Term> {
    let mut terms = vec![pool.fls(); circuit.aig.len()];
    for (l, &t) in circuit.latches.iter().zip(latches) {
        terms[l.lit.node()] = t;
    }
    for (l, &t) in circuit.inputs.iter().zip(inputs) {
        terms[l.node()] = t;
    }
    for (n, node) in circuit.aig.nodes().iter().enumerate() {
        if let Node::And(a, b) = *node {
            let signed = |l: Lit| if l.is_negated() { pool.not(terms[l.node()]) } else { terms[l.node()] };
            terms[n] = pool.and([signed(a), signed(b)]);
        }
    }
    terms
}

impl Translation {
    /// The location of the loop.
    pub fn head(&self) -> Loc {
        self.program.edge(self.step).source
    }

    /// The run of the program that a run of the circuit is; the bad state that it reaches must be known.
    pub fn run(&self, trace: &Trace, bad: usize) -> Run {
        let values = |bits: &[bool]| bits.iter().map(|&b| Value::Bool(b)).collect::<Vec<_>>();
        let reset: Vec<bool> = self.free.iter().map(|&i| trace.initial[i]).collect();
        let mut steps = vec![Step { edge: EdgeId(0), inputs: values(&reset) }];
        let last = trace.inputs.len() - 1;
        for (i, inputs) in trace.inputs.iter().enumerate() {
            let edge = if i == last { EdgeId(self.step.0 + 1 + bad as u32) } else { self.step };
            steps.push(Step { edge, inputs: values(inputs) });
        }
        Run { initial: Vec::new(), steps }
    }

    /// The run of the circuit that a run of the program into the error location is, and the bad state that it
    /// reaches. `None` if it is no such run.
    pub fn trace(&self, circuit: &Circuit, run: &Run) -> Option<(Trace, usize)> {
        let (first, rest) = run.steps.split_first()?;
        let bits = |values: &[Value]| {
            values.iter().map(|v| if let Value::Bool(b) = v { Some(*b) } else { None }).collect()
        };
        let reset: Vec<bool> = bits(&first.inputs)?;
        let mut initial: Vec<bool> = circuit.latches.iter().map(|l| l.reset.unwrap_or(false)).collect();
        for (&i, &value) in self.free.iter().zip(&reset) {
            initial[i] = value;
        }
        let inputs: Option<Vec<Vec<bool>>> = rest.iter().map(|s| bits(&s.inputs)).collect();
        let bad = rest.last()?.edge.0.checked_sub(self.step.0 + 1)? as usize;
        Some((Trace { initial, inputs: inputs? }, bad))
    }

    /// The witness circuit of an invariant (Yu, Biere, Heljanko: Progress in Certifying Hardware Model
    /// Checking Results, 2021): the circuit itself with a stronger property, which is inductive. Its inputs
    /// and latches are those of the circuit, in order and without names: that is how they are matched by
    /// default. `None` if the invariant is not about the latches.
    pub fn witness_circuit(&self, pool: &TermPool, circuit: &Circuit, invariant: Term) -> Option<Circuit> {
        let mut out = circuit.clone();
        let mut formulas = Formulas::default();
        for (&v, l) in self.program.vars(self.head()).iter().zip(&circuit.latches) {
            formulas.insert(v, l.lit);
        }
        let mut holds = Vec::new();
        for conjunct in pool.conjuncts(invariant) {
            holds.push(formulas.literal(pool, &mut out.aig, conjunct).ok()?);
        }
        let bads = holds.into_iter().map(|l| !l).chain(circuit.bads.iter().copied()).collect::<Vec<_>>();
        out.bads = vec![out.aig.or_all(bads)];
        (out.input_names, out.latch_names) = (Vec::new(), Vec::new());
        Some(out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use palisade_program::interpret;

    #[test]
    fn runs_go_both_ways() {
        let pool = TermPool::new();
        let mut c = Circuit::default();
        let i = c.add_input();
        let (a, b) = (c.add_latch(Some(false)), c.add_latch(None));
        c.latches[0].next = c.aig.and(b, i);
        c.bads = vec![Lit::FALSE, a];
        c.constraints = vec![b];
        let t = translate(&pool, &c, "f.aig");
        t.program.check(&pool).unwrap();
        let trace = Trace { initial: vec![false, true], inputs: vec![vec![true], vec![false]] };
        let bad = c.replay(&trace).unwrap();
        let run = t.run(&trace, bad);
        let replay = interpret(&pool, &t.program, &run).unwrap();
        assert_eq!(replay.states.last().unwrap().0, t.program.error);
        assert_eq!(t.trace(&c, &run), Some((trace, 1)));
    }
}
