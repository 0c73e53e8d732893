//! A program whose variables are Booleans, bit-vectors and small arrays of them, as a circuit.
//!
//! Latches are the bits of a program counter and of every variable; a variable that does not live at a
//! location is 0 there. Which edge is taken is chosen by inputs; a constraint says that its guard holds.
//! Formulas become gates by way of their canonical form ([`Canon`]), which is also what proofs are checked
//! against, so there are no circuits of bit-vector operators here.
//!
//! Where the entry does nothing but give variables constants or arbitrary values, it disappears: its values
//! are the resets. So the program of a circuit becomes that circuit again, without a program counter.
//!
//! Arrays are replaced by their elements first (`arrays`). [`Finite::watch`] watches what the program
//! compares (`comparisons`): it stays a comparison in invariants.
//!
//! The way back: [`Finite::invariants`] fixes the program counter of clauses to each location in turn, and
//! variables that do not live there to 0; that is exact, because entering the location gives them that value.
//! [`Finite::run`] follows the program counter.

use palisade_program::{EdgeId, Invariants, Loc, Program, Run, Step};
use palisade_proof::{Canon, circuit as gates};
use palisade_term::{Integer, Sort, Term, TermPool, Value};
use rustc_hash::{FxHashMap, FxHashSet};

use crate::arrays::{self, Elements};
use crate::circuit::{Circuit, Trace};
use crate::comparisons;
use crate::formula::{Formulas, NoGate};
use crate::graph::Lit;
use crate::predicate::Predicate;
use crate::simulate::Simulator;

/// What makes a program not finite, or not expressible: a sort or an operator.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotFinite(pub String);

impl std::fmt::Display for NotFinite {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for NotFinite {}

/// What a latch stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bit {
    /// A bit of the program counter.
    Counter(usize),
    /// A bit of a variable.
    Var(Term, u32),
}

/// A program as a circuit.
#[derive(Clone, Debug)]
pub struct Finite {
    /// The circuit. Its bad literals are the edges into the error location, in order.
    pub circuit: Circuit,
    /// What each latch stands for.
    bits: Vec<Bit>,
    /// What each function that is watched stands for.
    watched: Vec<Term>,
    /// Is there more to the guards of steps than constraints?
    guarded: bool,
    /// The locations that have a value of the program counter: its index.
    locations: Vec<Loc>,
    /// The edges that leave each of them for a location that is not the error, and the inputs that choose
    /// among them.
    steps: Vec<(Vec<EdgeId>, Vec<usize>)>,
    /// The edges into the error location.
    errors: Vec<EdgeId>,
    /// The entry edge, where the entry is a matter of resets.
    folded: Option<EdgeId>,
    /// The first circuit input of each input term.
    inputs: FxHashMap<(EdgeId, Term), usize>,
    /// The program over the elements of its arrays, if it has arrays. All of the above is about that one.
    elements: Option<Elements>,
}

/// Makes the circuit of a program.
///
/// # Errors
/// If a variable or a term is not about Booleans, bit-vectors and small arrays.
pub fn encode(pool: &TermPool, program: &Program) -> Result<Finite, NotFinite> {
    let elements = arrays::blast(pool, program)?;
    let circuit = {
        let mut encoder = Encoder::new(pool, elements.as_ref().map_or(program, |e| &e.program))?;
        encoder.edges()?;
        encoder.out
    };
    Ok(Finite { elements, ..circuit })
}

/// Are all variables and inputs of a program Booleans, bit-vectors and small arrays? Then [`encode`] may
/// still refuse a term.
pub fn is_finite(pool: &TermPool, program: &Program) -> bool {
    let state = program.locations.iter().flat_map(|l| &l.vars);
    let inputs = program.edges.iter().flat_map(|e| &e.inputs);
    state.chain(inputs).all(|&v| width(pool, v).is_ok() || arrays::small(pool.sort(v)).is_some())
}

fn width(pool: &TermPool, t: Term) -> Result<u32, NotFinite> {
    match pool.sort(t) {
        Sort::Bool => Ok(1),
        Sort::BitVec(w) => Ok(*w),
        other => Err(NotFinite(format!("`{}` is of the infinite sort {other:?}", pool.var_display(t)))),
    }
}

/// Bit `i` of a variable as a Boolean term.
fn bit_term(pool: &TermPool, v: Term, i: u32) -> Term {
    if *pool.sort(v) == Sort::Bool { v } else { gates::bit(pool, v, i) }
}

struct Encoder<'a> {
    pool: &'a TermPool,
    program: &'a Program,
    canon: Canon<'a>,
    out: Finite,
    /// The bits of variables and inputs, and formulas over them.
    known: Formulas,
    state_vars: FxHashSet<Term>,
    counter: Vec<Lit>,
    /// Inputs of edges that are variables elsewhere, under another name.
    renamed: FxHashMap<EdgeId, FxHashMap<Term, Term>>,
}

impl<'a> Encoder<'a> {
    fn new(pool: &'a TermPool, program: &'a Program) -> Result<Self, NotFinite> {
        let folded = folded_entry(pool, program);
        let start = folded.map_or(program.entry, |e| program.edge(e).target);
        let others = program.locs().filter(|&l| l != program.error && l != program.entry && l != start);
        let locations: Vec<Loc> = [start].into_iter().chain(others).collect();
        let errors = program.edge_ids().filter(|&e| program.edge(e).target == program.error).collect();
        let out = Finite {
            circuit: Circuit::default(),
            bits: Vec::new(),
            watched: Vec::new(),
            guarded: false,
            steps: Vec::new(),
            locations,
            errors,
            folded,
            inputs: FxHashMap::default(),
            elements: None,
        };
        let mut encoder = Encoder {
            pool,
            program,
            canon: Canon::new(pool),
            out,
            known: Formulas::default(),
            state_vars: FxHashSet::default(),
            counter: Vec::new(),
            renamed: FxHashMap::default(),
        };
        encoder.latches(start)?;
        Ok(encoder)
    }

    /// A latch for each bit of the program counter, whose first value is 0, and of each variable.
    fn latches(&mut self, start: Loc) -> Result<(), NotFinite> {
        let bits = usize::BITS - (self.out.locations.len() - 1).leading_zeros();
        for i in 0..bits as usize {
            self.counter.push(self.out.circuit.add_latch(Some(false)));
            self.out.bits.push(Bit::Counter(i));
        }
        for l in self.out.locations.clone() {
            for (k, &v) in self.program.vars(l).iter().enumerate() {
                if !self.state_vars.insert(v) {
                    continue;
                }
                let reset = self.out.folded.map(|e| self.program.edge(e).update.get(k).copied());
                for i in 0..width(self.pool, v)? {
                    let value = match reset {
                        _ if l != start => Some(false),
                        Some(Some(update)) => constant_bit(self.pool, update, i),
                        _ => None,
                    };
                    let lit = self.out.circuit.add_latch(value);
                    self.out.bits.push(Bit::Var(v, i));
                    self.known.insert(bit_term(self.pool, v, i), lit);
                }
            }
        }
        Ok(())
    }

    /// Is the program counter at this location?
    fn at(&mut self, index: usize) -> Lit {
        let bits: Vec<Lit> =
            self.counter.iter().enumerate().map(|(i, &l)| l ^ (index >> i & 1 == 0)).collect();
        self.out.circuit.aig.and_all(bits)
    }

    fn edges(&mut self) -> Result<(), NotFinite> {
        let outgoing = self.program.outgoing();
        let latches = self.out.bits.len();
        let mut next: Vec<Vec<Lit>> = vec![Vec::new(); latches];
        let mut moves: Vec<Vec<Lit>> = Vec::new();
        for (index, l) in self.out.locations.clone().into_iter().enumerate() {
            let edges: Vec<EdgeId> = outgoing[l.index()].to_vec();
            let steps: Vec<EdgeId> =
                edges.into_iter().filter(|&e| self.program.edge(e).target != self.program.error).collect();
            let at = self.at(index);
            let choices: Vec<usize> = (0..usize::BITS - steps.len().saturating_sub(1).leading_zeros())
                .map(|_| {
                    self.out.circuit.add_input();
                    self.out.circuit.inputs.len() - 1
                })
                .collect();
            for (k, &e) in steps.iter().enumerate() {
                let chosen: Vec<Lit> = (choices.iter().enumerate())
                    .map(|(i, &c)| self.out.circuit.inputs[c] ^ (k >> i & 1 == 0))
                    .chain([at])
                    .collect();
                let taken = self.out.circuit.aig.and_all(chosen);
                let mut holds = self.take(e, taken, &mut next)?;
                holds.push(taken);
                moves.push(holds);
            }
            self.out.steps.push((steps, choices));
        }
        for e in self.out.errors.clone() {
            let source = self.program.edge(e).source;
            let Some(index) = self.out.locations.iter().position(|&l| l == source) else {
                return Err(NotFinite("an edge leads from the entry to the error".into()));
            };
            let at = self.at(index);
            let mut holds = self.guard(e)?;
            holds.push(at);
            let bad = self.out.circuit.aig.and_all(holds);
            self.out.circuit.bads.push(bad);
        }
        for (latch, cases) in next.into_iter().enumerate() {
            self.out.circuit.latches[latch].next = self.out.circuit.aig.or_all(cases);
        }
        self.out.guarded = self.constrain(&moves);
        Ok(())
    }

    /// An edge is taken, or the property is violated. (A step from a violation need not be possible.) Is
    /// there more to that than constraints that violations have too?
    fn constrain(&mut self, moves: &[Vec<Lit>]) -> bool {
        if let [only] = moves
            && self.implied_by_errors(only)
        {
            self.out.circuit.constraints = only.iter().copied().filter(|&l| l != Lit::TRUE).collect();
            return false;
        }
        let cases: Vec<Lit> = moves.iter().map(|m| self.out.circuit.aig.and_all(m.iter().copied())).collect();
        let bad = self.out.circuit.bad();
        let any = self.out.circuit.aig.or_all(cases.into_iter().chain([bad]));
        self.out.circuit.constraints = if any == Lit::TRUE { Vec::new() } else { vec![any] };
        true
    }

    /// Does every error edge have all these conjuncts in its guard?
    fn implied_by_errors(&mut self, conjuncts: &[Lit]) -> bool {
        (self.out.errors.clone().into_iter())
            .all(|e| self.guard(e).is_ok_and(|g| conjuncts.iter().all(|c| *c == Lit::TRUE || g.contains(c))))
    }

    /// The values of the latches when an edge is taken; returns the conjuncts of its guard.
    fn take(&mut self, e: EdgeId, taken: Lit, next: &mut [Vec<Lit>]) -> Result<Vec<Lit>, NotFinite> {
        let edge = self.program.edge(e);
        let guard = self.guard(e)?;
        let target = self.out.locations.iter().position(|&l| l == edge.target);
        let target = target.ok_or_else(|| NotFinite("an edge leads into the entry".into()))?;
        let mut values: FxHashMap<Term, Vec<Lit>> = FxHashMap::default();
        for (&v, &u) in self.program.vars(edge.target).iter().zip(&edge.update) {
            let bits = self.value(e, u)?;
            values.insert(v, bits);
        }
        for (latch, cases) in next.iter_mut().enumerate() {
            let value = match self.out.bits[latch] {
                Bit::Counter(i) => Lit::constant(target >> i & 1 == 1),
                Bit::Var(v, i) => values.get(&v).map_or(Lit::FALSE, |bits| bits[i as usize]),
            };
            cases.push(self.out.circuit.aig.and(taken, value));
        }
        Ok(guard)
    }

    /// The conjuncts of an edge's guard.
    fn guard(&mut self, e: EdgeId) -> Result<Vec<Lit>, NotFinite> {
        let conjuncts = self.pool.conjuncts(self.program.edge(e).guard);
        let mut lits = Vec::with_capacity(conjuncts.len());
        for c in conjuncts {
            lits.extend(self.value(e, c)?);
        }
        Ok(lits)
    }

    /// The bits of a term of an edge.
    fn value(&mut self, e: EdgeId, t: Term) -> Result<Vec<Lit>, NotFinite> {
        self.declare_inputs(e)?;
        let t = self.renamed.get(&e).map_or(t, |map| self.pool.substitute(t, map));
        let bits = match self.pool.sort(t) {
            Sort::Bool => vec![self.canon.formula(t)],
            Sort::BitVec(_) => self.canon.bits(t).to_vec(),
            other => return Err(NotFinite(format!("a term is of the infinite sort {other:?}"))),
        };
        let gate = |b| self.known.literal(self.pool, &mut self.out.circuit.aig, b);
        bits.into_iter().map(gate).collect::<Result<_, NoGate>>().map_err(|e| NotFinite(e.0))
    }

    /// The variable that stands for an input: a new one if it is also the variable of another location.
    fn meaning(&mut self, e: EdgeId, input: Term) -> Term {
        if !self.state_vars.contains(&input) {
            return input;
        }
        let pool = self.pool;
        let fresh = || pool.fresh_var(pool.var_name(input), pool.sort(input).clone());
        *self.renamed.entry(e).or_default().entry(input).or_insert_with(fresh)
    }

    /// Circuit inputs for the inputs of an edge.
    fn declare_inputs(&mut self, e: EdgeId) -> Result<(), NotFinite> {
        for &t in &self.program.edge(e).inputs {
            if self.out.inputs.contains_key(&(e, t)) {
                continue;
            }
            let original = t;
            let t = self.meaning(e, t);
            let width = width(self.pool, t)?;
            let first = self.out.circuit.inputs.len();
            let shared = self.known.get(bit_term(self.pool, t, 0));
            let first = match shared {
                Some(lit) => self.out.circuit.inputs.iter().position(|&l| l == lit).unwrap_or(first),
                None => {
                    for i in 0..width {
                        let lit = self.out.circuit.add_input();
                        self.known.insert(bit_term(self.pool, t, i), lit);
                    }
                    first
                }
            };
            self.out.inputs.insert((e, original), first);
        }
        Ok(())
    }
}

/// The edge that leaves the entry, if it is the only one and does nothing but give values.
fn folded_entry(pool: &TermPool, program: &Program) -> Option<EdgeId> {
    let mut edges = program.edge_ids().filter(|&e| program.edge(e).source == program.entry);
    let e = edges.next()?;
    let edge = program.edge(e);
    if edges.next().is_some()
        || !program.vars(program.entry).is_empty()
        || edge.guard != pool.tru()
        || edge.target == program.error
    {
        return None;
    }
    let mut used = FxHashSet::default();
    let plain = |u: &Term| pool.is_const(*u) || edge.inputs.contains(u) && used.insert(*u);
    edge.update.iter().all(plain).then_some(e)
}

/// A term where some variables are 0.
fn where_zero(pool: &TermPool, t: Term, zero: impl Fn(Term) -> bool) -> Term {
    let zero_of = |v: Term| match pool.sort(v) {
        Sort::BitVec(w) => pool.bitvec(0, *w),
        _ => pool.fls(),
    };
    let vars = pool.free_vars(t).into_iter().filter(|&v| zero(v));
    let map: FxHashMap<Term, Term> = vars.map(|v| (v, zero_of(v))).collect();
    pool.substitute(t, &map)
}

/// A bit of a constant; `None` for what is not one.
fn constant_bit(pool: &TermPool, t: Term, i: u32) -> Option<bool> {
    pool.as_bool(t).or_else(|| pool.as_bitvec(t).map(|n| n.bit(u64::from(i))))
}

/// A value from bits, least significant first.
fn value_of(sort: &Sort, bits: impl Iterator<Item = bool>) -> Value {
    match sort {
        Sort::Bool => Value::Bool({ bits }.next().unwrap_or(false)),
        _ => {
            let mut n = Integer::from(0);
            let mut w = 0;
            for (i, b) in bits.enumerate() {
                n.set_bit(i as u64, b);
                w = i as u32 + 1;
            }
            Value::BitVec(w, n)
        }
    }
}

impl Finite {
    /// Is there control flow: several steps, or one that is guarded by more than constraints?
    pub fn has_control(&self) -> bool {
        self.guarded
    }

    /// Watches the comparisons of words that the program makes: lemmas over bits may be about them.
    pub fn watch(&mut self, pool: &TermPool, program: &Program) {
        let (mut state, mut known) = (FxHashSet::default(), Formulas::default());
        for (bit, latch) in self.bits.iter().zip(&self.circuit.latches) {
            if let Bit::Var(v, i) = *bit {
                state.insert(v);
                known.insert(bit_term(pool, v, i), latch.lit);
            }
        }
        let mut canon = Canon::new(pool);
        for t in comparisons::of_program(pool, self.over_elements(program), &state) {
            let formula = canon.formula(t);
            if let Ok(lit) = known.literal(pool, &mut self.circuit.aig, formula) {
                self.circuit.watched.push(lit);
                self.watched.push(t);
            }
        }
    }

    /// The formulas of the locations that clauses over latches and what is watched, and a predicate, stand
    /// for.
    pub fn invariants(
        &self,
        pool: &TermPool,
        program: &Program,
        clauses: &[Vec<(usize, bool)>],
        predicate: Option<&Predicate>,
    ) -> Invariants {
        let mut out = Invariants::trivial(pool, program);
        let program = self.over_elements(program);
        for (index, &l) in self.locations.iter().enumerate() {
            let lives: FxHashSet<Term> = program.vars(l).iter().copied().collect();
            let here = |number: usize| match self.bits.get(number) {
                Some(Bit::Counter(i)) => pool.bool(index >> i & 1 == 1),
                Some(&Bit::Var(v, i)) if lives.contains(&v) => bit_term(pool, v, i),
                Some(Bit::Var(..)) => pool.fls(),
                None => where_zero(pool, self.watched[number - self.bits.len()], |v| !lives.contains(&v)),
            };
            let literal =
                |&(latch, value): &(usize, bool)| if value { here(latch) } else { pool.not(here(latch)) };
            let conjuncts = clauses.iter().map(|c| pool.or(c.iter().map(literal)));
            let formula = pool.and(conjuncts.chain(predicate.map(|p| p.term(pool, here))));
            out.set(l, self.elements.as_ref().map_or(formula, |e| e.formula(pool, formula)));
        }
        out
    }

    /// The program that the circuit was made from.
    fn over_elements<'a>(&'a self, program: &'a Program) -> &'a Program {
        self.elements.as_ref().map_or(program, |e| &e.program)
    }

    /// The run of the program that corresponds to a run of the circuit; `None` if there is no such run.
    pub fn run(&self, pool: &TermPool, program: &Program, trace: &Trace) -> Option<Run> {
        let run = self.run_over_elements(pool, self.over_elements(program), trace)?;
        let Some(elements) = &self.elements else { return Some(run) };
        let step = |s: &Step| {
            let inputs = elements.values(pool, &program.edge(s.edge).inputs, &s.inputs);
            Step { edge: s.edge, inputs }
        };
        let initial = elements.values(pool, program.vars(program.entry), &run.initial);
        Some(Run { initial, steps: run.steps.iter().map(step).collect() })
    }

    fn run_over_elements(&self, pool: &TermPool, program: &Program, trace: &Trace) -> Option<Run> {
        let word = |b: &bool| if *b { u64::MAX } else { 0 };
        let mut simulator = Simulator::new(&self.circuit);
        let mut state: Vec<u64> = trace.initial.iter().map(word).collect();
        let mut run =
            Run { initial: self.values(pool, program.vars(program.entry), &state), steps: Vec::new() };
        if let Some(e) = self.folded {
            run.initial = Vec::new();
            run.steps.push(self.entry_step(pool, program, e, &state));
        }
        for inputs in &trace.inputs {
            let words: Vec<u64> = inputs.iter().map(word).collect();
            simulator.evaluate(&self.circuit, &state, &words);
            let bad = self.circuit.bads.iter().position(|&b| simulator.value(b) != 0);
            let edge = match bad {
                Some(b) => self.errors[b],
                None => self.chosen(&state, inputs)?,
            };
            let value = |&t: &Term| {
                // An input that no gate reads has no place in the circuit: any value will do.
                let bit = |first: &usize, i: usize| inputs[first + i];
                let first = self.inputs.get(&(edge, t));
                let width = pool.sort(t).width().unwrap_or(1) as usize;
                value_of(pool.sort(t), (0..width).map(|i| first.is_some_and(|f| bit(f, i))))
            };
            run.steps.push(Step { edge, inputs: program.edge(edge).inputs.iter().map(value).collect() });
            if bad.is_some() {
                return Some(run);
            }
            simulator.next_state(&self.circuit, &mut state);
        }
        None
    }

    /// The edge that the program counter and the inputs choose.
    fn chosen(&self, state: &[u64], inputs: &[bool]) -> Option<EdgeId> {
        let index = (self.bits.iter().zip(state))
            .map(|(bit, &v)| match bit {
                Bit::Counter(i) if v != 0 => 1 << i,
                _ => 0,
            })
            .sum::<usize>();
        let (steps, choices) = self.steps.get(index)?;
        let choice = choices.iter().enumerate().map(|(i, &c)| usize::from(inputs[c]) << i).sum::<usize>();
        steps.get(choice).copied()
    }

    /// The values of variables in a state.
    fn values(&self, pool: &TermPool, vars: &[Term], state: &[u64]) -> Vec<Value> {
        let bits = |v: Term| {
            let of =
                move |(bit, s): (&Bit, &u64)| matches!(bit, Bit::Var(w, _) if *w == v).then_some(*s != 0);
            self.bits.iter().zip(state).filter_map(of)
        };
        vars.iter().map(|&v| value_of(pool.sort(v), bits(v))).collect()
    }

    /// The step from the entry: inputs that are values of variables have those of the first state, others a
    /// default.
    fn entry_step(&self, pool: &TermPool, program: &Program, e: EdgeId, state: &[u64]) -> Step {
        let edge = program.edge(e);
        let vars = program.vars(edge.target);
        let values = self.values(pool, vars, state);
        let value = |&t: &Term| {
            let at = edge.update.iter().position(|&u| u == t);
            at.map_or_else(|| Value::default_of(pool.sort(t)), |i| values[i].clone())
        };
        Step { edge: e, inputs: edge.inputs.iter().map(value).collect() }
    }
}
