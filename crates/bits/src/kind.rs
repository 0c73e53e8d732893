//! k-induction (Sheeran, Singh, Stålmarck: Checking Safety Properties Using Induction and a SAT-Solver,
//! 2000).
//!
//! For `k = 0, 1, 2, ...`: the base case is bounded search to depth `k`; the step case asks for `k + 1` steps
//! from any state, the first `k` of them good and the last one bad. If there is no such path, `N_k` ("no bad
//! state within `k` steps") is inductive: a step out of it would begin such a path.
//!
//! With `simple_path`, the states of the path must differ: then every property is k-inductive for some `k`.
//! The demand is made lazily, for two states that are equal in a model. (A shortest path out of `N_k` has no
//! two equal states, so `N_k` is inductive then too.)
//!
//! # The invariant
//! `N_k` is a set of states once its inputs are eliminated, which is done one input at a time as long as the
//! graph stays small. Otherwise interpolation with the same `k` finds an invariant: if the property is
//! k-inductive, no image that it makes is too coarse (see `Kind::invariant`). With simple paths that is not
//! certain; then the answer is unknown.
//!
//! Entry point: [`run`].

use palisade_aig::{Aig, Circuit, Lit, Predicate};
use palisade_sat::{SolveResult, Solver};

use crate::bmc::Search;
use crate::imc;
use crate::unroll::{Clauses, Unrolling};
use crate::{Control, Counter, Invariant, Monitor, Options, Stopped, Unknown, Verdict, with_reduction};

/// Runs k-induction on a circuit.
pub fn run(
    circuit: &Circuit,
    options: &Options,
    simple_path: bool,
    control: &Control,
    monitor: &mut dyn Monitor,
) -> Verdict {
    with_reduction(circuit, options, control, monitor, |circuit, monitor| {
        let mut kind = Kind { circuit, options, simple_path, control, queries: 0, distinct: 0 };
        let verdict = kind.run(monitor).unwrap_or(Verdict::Unknown(Unknown::Stopped));
        monitor.counters(&kind.counters());
        verdict
    })
}

struct Kind<'c> {
    circuit: &'c Circuit,
    options: &'c Options,
    /// Must the states of an induction path differ?
    simple_path: bool,
    control: &'c Control,
    queries: u64,
    /// Pairs of states that had to be told apart.
    distinct: u64,
}

/// The step case: a path from anywhere.
struct Path<'c> {
    unrolling: Unrolling<'c>,
    /// The state before each step.
    states: Vec<Vec<Lit>>,
    clauses: Clauses,
    sat: Solver,
}

impl<'c> Kind<'c> {
    fn run(&mut self, monitor: &mut dyn Monitor) -> Result<Verdict, Stopped> {
        let mut base = Search::new(self.circuit, self.control);
        let mut path = self.path();
        for k in 0.. {
            if self.options.bound != 0 && k as u64 > self.options.bound {
                let why = format!("no proof and no counterexample of up to {} steps", self.options.bound);
                return Ok(Verdict::Unknown(Unknown::Incomplete(why)));
            }
            self.queries += 1;
            if let Some(trace) = base.deepen()? {
                return Ok(Verdict::Unsafe(trace));
            }
            monitor.bound(k as u32 + 1);
            if self.holds(&mut path)? {
                return Ok(match self.invariant(k)? {
                    Some(predicate) => {
                        Verdict::Safe(Invariant { clauses: Vec::new(), predicate: Some(predicate) })
                    }
                    None => {
                        let why =
                            format!("safe by induction over {k} steps, but there is no invariant to show it");
                        Verdict::Unknown(Unknown::Incomplete(why))
                    }
                });
            }
        }
        unreachable!("there are more numbers than anybody can count")
    }

    fn path(&self) -> Path<'c> {
        let mut aig = Aig::new();
        let leaves: Vec<Lit> = self.circuit.latches.iter().map(|_| aig.leaf()).collect();
        let sat = self.control.solver(false);
        let unrolling = Unrolling::from(self.circuit, aig, leaves);
        Path { unrolling, states: Vec::new(), clauses: Clauses::default(), sat }
    }

    /// The step case with one step more than before: does every path with good states before it end in a good
    /// state?
    fn holds(&mut self, path: &mut Path<'_>) -> Result<bool, Stopped> {
        path.extend(self.simple_path);
        let bad = path.literal(path.unrolling.bad[path.states.len() - 1]);
        loop {
            self.queries += 1;
            match path.sat.solve(&[bad]) {
                SolveResult::Unsat => return Ok(true),
                SolveResult::Unknown(_) => return Err(Stopped),
                SolveResult::Sat if !self.simple_path => break,
                SolveResult::Sat => {
                    let told_apart = path.tell_apart();
                    self.distinct += told_apart;
                    if told_apart == 0 {
                        break;
                    }
                }
            }
        }
        path.sat.add_clause(&[!bad]);
        Ok(false)
    }

    /// An invariant of a property that is inductive over `k` steps.
    ///
    /// By interpolation with paths of `k + 1` steps: every image excludes bad states within `k` steps, and so
    /// do the initial states, by the base case. So a path from them into a bad state has `k + 1` steps with
    /// only the last state bad, which the step case excludes: no image is too coarse, and they end because
    /// they only grow.
    fn invariant(&self, k: usize) -> Result<Option<Predicate>, Stopped> {
        match self.no_bad_within(k)? {
            Some(predicate) => Ok(Some(predicate)),
            None => imc::invariant(self.circuit, self.control, self.options.system, k + 1),
        }
    }

    /// The states from which no bad state is reached in up to `k` steps; `None` if that is too large a graph.
    fn no_bad_within(&self, k: usize) -> Result<Option<Predicate>, Stopped> {
        let limit = self.options.invariant_gates.saturating_add(4 * self.circuit.aig.ands());
        let mut aig = Aig::new();
        let leaves: Vec<Lit> = self.circuit.latches.iter().map(|_| aig.leaf()).collect();
        let mut unrolling = Unrolling::from(self.circuit, aig, leaves.clone());
        let (mut allowed, mut reached) = (Lit::TRUE, Lit::FALSE);
        for i in 0..=k {
            self.control.check()?;
            unrolling.extend();
            let aig = &mut unrolling.aig;
            allowed = aig.and(allowed, unrolling.constraint[i]);
            let here = aig.and(allowed, unrolling.bad[i]);
            reached = aig.or(reached, here);
        }
        let inputs: Vec<Lit> = unrolling.inputs.into_iter().flatten().collect();
        // Latches first, then inputs, then gates: so that copies keep the literals of leaves.
        let all: Vec<Lit> = leaves.iter().chain(&inputs).copied().collect();
        let mut set = Set { aig: unrolling.aig, root: !reached }.with_leaves(&all, all.len(), None);
        for i in (leaves.len()..all.len()).rev() {
            self.control.check()?;
            let input = Lit::new(i + 1, false);
            if !set.aig.cone([set.root])[input.node()] {
                continue;
            }
            let first: Vec<Lit> = (1..=all.len()).map(|n| Lit::new(n, false)).collect();
            let mut without = set.with_leaves(&first, all.len(), Some((input, false)));
            let also = set.copied_into(&mut without.aig, &first, Some((input, true)));
            without.root = without.aig.and(without.root, also);
            set = without;
            if set.aig.ands() > limit {
                return Ok(None);
            }
        }
        let latches = (0..leaves.len()).map(|l| (l, Lit::new(l + 1, false))).collect();
        Ok(Some(Predicate { aig: set.aig, latches, root: set.root }))
    }

    fn counters(&self) -> Vec<Counter> {
        vec![("queries", self.queries), ("states told apart", self.distinct)]
    }
}

/// A set of assignments to leaves.
struct Set {
    aig: Aig,
    root: Lit,
}

impl Set {
    /// The same set in a graph that begins with `count` leaves: the images of `leaves`, in order. One of them
    /// may become a constant.
    fn with_leaves(&self, leaves: &[Lit], count: usize, fixed: Option<(Lit, bool)>) -> Set {
        let mut aig = Aig::new();
        for _ in 0..count {
            aig.leaf();
        }
        let root = self.copied_into(&mut aig, leaves, fixed);
        Set { aig, root }
    }

    /// The root's image in a graph that begins with the images of `leaves`.
    fn copied_into(&self, aig: &mut Aig, leaves: &[Lit], fixed: Option<(Lit, bool)>) -> Lit {
        let mut map = vec![Lit::FALSE; self.aig.len()];
        for (i, l) in leaves.iter().enumerate() {
            map[l.node()] = Lit::new(i + 1, false);
        }
        if let Some((leaf, value)) = fixed {
            map[leaf.node()] = Lit::constant(value);
        }
        self.aig.copy_into(aig, &self.aig.cone([self.root]), &mut map);
        map[self.root.node()] ^ self.root.is_negated()
    }
}

impl Path<'_> {
    /// One more step; its constraint holds. With `whole_states` models say the value of every latch.
    fn extend(&mut self, whole_states: bool) {
        let state = self.unrolling.state().to_vec();
        if whole_states {
            for &l in &state {
                self.literal(l);
            }
        }
        self.states.push(state);
        self.unrolling.extend();
        let constraint = self.literal(self.unrolling.constraint[self.states.len() - 1]);
        self.sat.add_clause(&[constraint]);
    }

    fn literal(&mut self, l: Lit) -> palisade_sat::Lit {
        self.clauses.literal(&self.unrolling.aig, l, &mut self.sat, 0)
    }

    /// Demands that states differ that are equal in the model; how many pairs.
    fn tell_apart(&mut self) -> u64 {
        let value = |l: &Lit| self.clauses.value(*l, &self.sat);
        let values: Vec<Vec<bool>> = self.states.iter().map(|s| s.iter().map(value).collect()).collect();
        let mut pairs = Vec::new();
        for j in 1..values.len() {
            pairs.extend((0..j).filter(|&i| values[i] == values[j]).map(|i| (i, j)));
        }
        for &(i, j) in &pairs {
            let differ: Vec<Lit> = (0..self.states[i].len())
                .map(|l| self.unrolling.aig.xor(self.states[i][l], self.states[j][l]))
                .collect();
            let clause: Vec<_> = differ.into_iter().map(|d| self.literal(d)).collect();
            self.sat.add_clause(&clause);
        }
        pairs.len() as u64
    }
}
