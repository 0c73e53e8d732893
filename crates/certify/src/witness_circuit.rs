//! Witness circuits: certificates of safe circuits that are circuits (Yu, Froleyks, Biere, Heljanko: Towards
//! Compositional Hardware Model Checking Certification, 2023).
//!
//! A witness shares inputs and latches with the circuit that it certifies. It simulates the circuit (reset,
//! transition), its property implies the circuit's, and its property is inductive (base, step). With `R`,
//! `F`, `C`, `P` for resets, next states, constraints and property, primes for the witness, and `K` for what
//! is shared, five checks say so:
//!
//! | check | formula |
//! |---|---|
//! | reset | `R{K} and C` implies `R'{K} and C'` |
//! | transition | `F{K} and C_0 and C_1 and C_0'` implies `F'{K} and C_1'` |
//! | property | `C and C'` implies (`P'` implies `P`) |
//! | base | `R' and C'` implies `P'` |
//! | step | `P_0' and F' and C_0' and C_1'` implies `P_1'` |
//!
//! What is not shared is arbitrary wherever it is not constrained, so that every run of the circuit extends
//! to one of the witness. A name `= N` in the witness says which literal of the circuit an input or latch
//! shares; without any such name the first ones are shared, in order. Each conjunct of a conclusion is one
//! query to a [`Refuter`].
//!
//! # Limits
//! No reset functions, no oracles, no mapping of literals to gates: the reader of AIGER refuses the first,
//! and the others are read as names that share nothing.
//!
//! Entry point: [`check_witness_circuit`].

use std::fmt;

use palisade_aig::{Aig, Circuit, Lit, Node};
use palisade_sat::Lit as SatLit;

use crate::refuter::Refuter;

/// Why a witness circuit is not accepted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WitnessRejection {
    /// A name refers to a literal that is no input or latch of the circuit, or two to the same.
    Mapping(String),
    /// A check fails: its name.
    Check(&'static str),
}

impl fmt::Display for WitnessRejection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            WitnessRejection::Mapping(name) => {
                write!(f, "the name `{name}` shares nothing that can be shared")
            }
            WitnessRejection::Check(name) => write!(f, "the {name} check of the witness circuit fails"),
        }
    }
}

/// Checks that the witness is a proof of the circuit's safety.
///
/// # Errors
/// Says what is wrong.
pub fn check_witness_circuit(circuit: &Circuit, witness: &Circuit) -> Result<(), WitnessRejection> {
    Checks::new(circuit, witness)?.run()
}

/// For each input and each latch of the witness, the one of the circuit that it shares.
struct Shared {
    inputs: Vec<Option<usize>>,
    latches: Vec<Option<usize>>,
}

impl Shared {
    fn new(circuit: &Circuit, witness: &Circuit) -> Result<Shared, WitnessRejection> {
        let names = || witness.input_names.iter().chain(&witness.latch_names).flatten();
        if !names().any(|n| n.starts_with('=')) {
            let first = |n: usize, of: usize| (0..n).map(|i| (i < of).then_some(i)).collect();
            return Ok(Shared {
                inputs: first(witness.inputs.len(), circuit.inputs.len()),
                latches: first(witness.latches.len(), circuit.latches.len()),
            });
        }
        let inputs = 1..=circuit.inputs.len();
        let latches = circuit.inputs.len() + 1..=circuit.inputs.len() + circuit.latches.len();
        Ok(Shared {
            inputs: by_name(&witness.input_names, witness.inputs.len(), inputs)?,
            latches: by_name(&witness.latch_names, witness.latches.len(), latches)?,
        })
    }
}

/// The inputs or latches that names refer to; `vars` are their variables in the file of the circuit.
fn by_name(
    names: &[Option<String>],
    count: usize,
    vars: std::ops::RangeInclusive<usize>,
) -> Result<Vec<Option<usize>>, WitnessRejection> {
    let mut out = vec![None; count];
    for (i, name) in names.iter().enumerate().take(count) {
        let Some((name, code)) = name.as_ref().and_then(|n| Some((n, n.strip_prefix('=')?))) else {
            continue;
        };
        let code: Option<usize> = code.split_whitespace().next().and_then(|c| c.parse().ok());
        let place = code.filter(|c| c % 2 == 0 && vars.contains(&(c / 2))).map(|c| c / 2 - vars.start());
        match place {
            Some(_) if !out.contains(&place) => out[i] = place,
            _ => return Err(WitnessRejection::Mapping(name.clone())),
        }
    }
    Ok(out)
}

/// A circuit at one moment, in the common graph.
struct Moment {
    next: Vec<Lit>,
    property: Lit,
    constraint: Lit,
}

impl Moment {
    fn new(aig: &mut Aig, circuit: &Circuit, inputs: &[Lit], latches: &[Lit]) -> Moment {
        let mut map = vec![Lit::FALSE; circuit.aig.len()];
        for (l, &image) in circuit.inputs.iter().zip(inputs) {
            map[l.node()] = image;
        }
        for (l, &image) in circuit.latches.iter().zip(latches) {
            map[l.lit.node()] = image;
        }
        circuit.aig.copy_into(aig, &vec![true; circuit.aig.len()], &mut map);
        let image = |l: Lit| map[l.node()] ^ l.is_negated();
        let good: Vec<Lit> = circuit.bads.iter().map(|&b| !image(b)).collect();
        let constraints: Vec<Lit> = circuit.constraints.iter().map(|&c| image(c)).collect();
        Moment {
            next: circuit.latches.iter().map(|l| image(l.next)).collect(),
            property: aig.and_all(good),
            constraint: aig.and_all(constraints),
        }
    }
}

/// The literals of shared things, and new ones for the others.
fn leaves(aig: &mut Aig, shared: &[Option<usize>], of: &[Lit]) -> Vec<Lit> {
    shared.iter().map(|s| s.map_or_else(|| aig.leaf(), |i| of[i])).collect()
}

/// Both circuits in one graph.
struct Checks<'c> {
    circuit: &'c Circuit,
    witness: &'c Circuit,
    shared: Shared,
    aig: Aig,
    vars: Vec<Option<SatLit>>,
    refuter: Refuter,
}

impl<'c> Checks<'c> {
    fn new(circuit: &'c Circuit, witness: &'c Circuit) -> Result<Self, WitnessRejection> {
        let shared = Shared::new(circuit, witness)?;
        Ok(Checks {
            circuit,
            witness,
            shared,
            aig: Aig::new(),
            vars: Vec::new(),
            refuter: Refuter::new(None),
        })
    }

    fn run(mut self) -> Result<(), WitnessRejection> {
        let (circuit, witness) = (self.circuit, self.witness);
        let aig = &mut self.aig;
        let fresh = |aig: &mut Aig, n: usize| -> Vec<Lit> { (0..n).map(|_| aig.leaf()).collect() };
        let inputs = [fresh(aig, circuit.inputs.len()), fresh(aig, circuit.inputs.len())];
        let state = fresh(aig, circuit.latches.len());
        let now = Moment::new(aig, circuit, &inputs[0], &state);
        let then = Moment::new(aig, circuit, &inputs[1], &now.next);
        let own_inputs = inputs.each_ref().map(|i| leaves(aig, &self.shared.inputs, i));
        let own_state = leaves(aig, &self.shared.latches, &state);
        let own = Moment::new(aig, witness, &own_inputs[0], &own_state);
        // After a step of the circuit: what is shared is as the circuit says, the rest is arbitrary.
        let follows = leaves(aig, &self.shared.latches, &now.next);
        let own_follows = Moment::new(aig, witness, &own_inputs[1], &follows);
        // After a step of the witness.
        let own_then = Moment::new(aig, witness, &own_inputs[1], &own.next);

        let resets: Vec<Lit> = (self.shared.latches.iter().flatten())
            .filter_map(|&l| circuit.latches[l].reset.map(|value| state[l] ^ !value))
            .collect();
        let own_resets: Vec<Lit> = (witness.latches.iter().zip(&own_state))
            .filter_map(|(l, &s)| l.reset.map(|value| s ^ !value))
            .collect();
        let sharing = self.shared.latches.iter().enumerate().filter(|(_, s)| s.is_some());
        let shared_latches: Vec<usize> = sharing.map(|(i, _)| i).collect();
        let mut goals: Vec<Lit> = (shared_latches.iter())
            .filter_map(|&i| witness.latches[i].reset.map(|value| own_state[i] ^ !value))
            .collect();
        goals.push(own.constraint);
        let premises: Vec<Lit> = resets.iter().copied().chain([now.constraint]).collect();
        self.check("reset", &premises, &goals)?;

        let mut goals: Vec<Lit> =
            shared_latches.iter().map(|&i| !self.aig.xor(own.next[i], follows[i])).collect();
        goals.push(own_follows.constraint);
        self.check("transition", &[now.constraint, then.constraint, own.constraint], &goals)?;

        let premises = [now.constraint, own.constraint, own.property];
        self.check("property", &premises, &[now.property])?;
        let premises: Vec<Lit> = own_resets.into_iter().chain([own.constraint]).collect();
        self.check("base", &premises, &[own.property])?;
        let premises = [own.property, own.constraint, own_then.constraint];
        self.check("step", &premises, &[own_then.property])
    }

    /// Do the premises imply the goals?
    fn check(&mut self, name: &'static str, premises: &[Lit], goals: &[Lit]) -> Result<(), WitnessRejection> {
        let premise = self.refuter.fresh();
        for p in self.conjuncts(premises) {
            let p = self.literal(p);
            self.refuter.clause(&[!premise, p]);
        }
        for g in self.conjuncts(goals) {
            if g == Lit::TRUE {
                continue;
            }
            let g = self.literal(g);
            if !self.refuter.refutes(&[premise, !g]) {
                return Err(WitnessRejection::Check(name));
            }
        }
        Ok(())
    }

    /// The conjuncts of a conjunction, as far as the graph shows them.
    fn conjuncts(&self, lits: &[Lit]) -> Vec<Lit> {
        let mut work = lits.to_vec();
        let mut out = Vec::new();
        let mut seen = rustc_hash::FxHashSet::default();
        while let Some(l) = work.pop() {
            if !seen.insert(l) {
                continue;
            }
            match self.aig.node(l.node()) {
                Node::And(a, b) if !l.is_negated() => work.extend([a, b]),
                _ => out.push(l),
            }
        }
        out
    }

    /// The solver's literal of a literal of the graph, with the clauses that define it.
    fn literal(&mut self, l: Lit) -> SatLit {
        self.vars.resize(self.aig.len(), None);
        let mut stack = vec![l.node()];
        while let Some(&n) = stack.last() {
            if self.vars[n].is_some() {
                stack.pop();
                continue;
            }
            if let Node::And(a, b) = self.aig.node(n) {
                let before = stack.len();
                stack.extend([a.node(), b.node()].into_iter().filter(|&m| self.vars[m].is_none()));
                if stack.len() > before {
                    continue;
                }
            }
            stack.pop();
            let g = self.refuter.fresh();
            self.vars[n] = Some(g);
            match self.aig.node(n) {
                Node::Leaf => {}
                Node::False => self.refuter.clause(&[!g]),
                Node::And(a, b) => {
                    let args = [a, b].map(|l| signed(&self.vars, l));
                    self.refuter.conjunction(g, &args);
                }
            }
        }
        signed(&self.vars, l)
    }
}

fn signed(vars: &[Option<SatLit>], l: Lit) -> SatLit {
    let v = vars[l.node()].expect("arguments come first");
    if l.is_negated() { !v } else { v }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two latches that exchange their values; bad when both are on; the constraint is about an input.
    fn exchange() -> (Circuit, [Lit; 2]) {
        let mut c = Circuit::default();
        let i = c.add_input();
        let (a, b) = (c.add_latch(Some(false)), c.add_latch(Some(true)));
        (c.latches[0].next, c.latches[1].next) = (b, a);
        c.bads = vec![c.aig.and_all([a, b, i])];
        c.constraints = vec![i];
        (c, [a, b])
    }

    fn with_bad(mut c: Circuit, also: impl FnOnce(&mut Aig) -> Lit) -> Circuit {
        let also = also(&mut c.aig);
        c.bads.push(also);
        let bad = c.bad();
        c.bads = vec![bad];
        c
    }

    #[test]
    fn an_inductive_property_of_the_same_circuit_is_accepted() {
        let (c, [a, b]) = exchange();
        let witness = with_bad(c.clone(), |aig| !aig.xor(a, b));
        assert_eq!(check_witness_circuit(&c, &witness), Ok(()));
    }

    #[test]
    fn each_check_can_fail() {
        let (c, [a, b]) = exchange();
        let good = with_bad(c.clone(), |aig| !aig.xor(a, b));
        let fails = |w: &Circuit| match check_witness_circuit(&c, w) {
            Err(WitnessRejection::Check(name)) => name,
            other => panic!("{other:?}"),
        };
        let mut w = good.clone();
        w.latches[0].reset = Some(true);
        assert_eq!(fails(&w), "reset");
        let mut w = good.clone();
        w.constraints = vec![a];
        assert_eq!(fails(&w), "reset");
        let mut w = good.clone();
        w.latches[0].next = !b;
        assert_eq!(fails(&w), "transition");
        let mut w = good.clone();
        w.bads = vec![Lit::FALSE];
        assert_eq!(fails(&w), "property");
        assert_eq!(fails(&with_bad(c.clone(), |_| b)), "base");
        assert_eq!(fails(&with_bad(c.clone(), |_| a)), "step");
        let mut loose = good.clone();
        loose.latches[1].reset = None;
        assert_eq!(fails(&loose), "base", "a witness that starts anywhere has to hold anywhere");
    }

    #[test]
    fn names_say_what_is_shared() {
        let (c, _) = exchange();
        // The witness has the latches the other way round and one of its own.
        let mut w = Circuit::default();
        let i = w.add_input();
        let (b, a) = (w.add_latch(Some(true)), w.add_latch(Some(false)));
        let own = w.add_latch(None);
        (w.latches[0].next, w.latches[1].next, w.latches[2].next) = (a, b, !own);
        w.constraints = vec![i];
        w.bads = vec![!w.aig.xor(a, b)];
        let name = |n: &str| Some(format!("= {n}"));
        w.input_names = vec![name("2")];
        w.latch_names = vec![name("6"), name("4"), None];
        assert_eq!(check_witness_circuit(&c, &w), Ok(()));
        w.latch_names = vec![name("4"), name("6"), None];
        assert_eq!(check_witness_circuit(&c, &w), Err(WitnessRejection::Check("reset")));
        for wrong in ["2", "5", "99", "x"] {
            w.latch_names = vec![name("6"), name(wrong), None];
            let mapping = WitnessRejection::Mapping(format!("= {wrong}"));
            assert_eq!(check_witness_circuit(&c, &w), Err(mapping));
        }
    }
}
