//! FSIS: finite-state inductive strengthening, the ancestor of IC3 (Bradley, Manna: Checking Safety by
//! Inductive Generalization of Counterexamples to Induction, 2007).
//!
//! There are no frames. A good state that leads to a bad state is a counterexample to induction. Its negation
//! is weakened by `down` to the largest subclause `d` that is inductive relative to what is known and to the
//! property (`d and P and T => d'`), if there is one, and then made minimal. Where there is none, the states
//! themselves are excluded: they become a target like the bad states, and what leads to them is a
//! counterexample to induction in turn. So every excluded cube leads to a bad state, and one with an initial
//! state begins a counterexample. Bounded search goes on beside it, and finds counterexamples that
//! exclusions would reach last.
//!
//! Where bad states depend on inputs, the property is no clause over latches. Then the first targets are the
//! states that are bad with some inputs, and `down` assumes that the inputs of its step are not such ones.
//!
//! Invariant of the search: once no step leads from what is known into a target, that stays so, since clauses
//! are only added. When this holds for all targets, property, clauses and excluded cubes together are
//! inductive: no state of theirs is bad, so that assuming the property in a step is no restriction.
//!
//! Entry point: [`run`].

use palisade_aig::{Circuit, Trace};
use palisade_sat::Lit;

use crate::bmc::Search;
use crate::ic3::{Lifter, negated};
use crate::model::Model;
use crate::options::Domain;
use crate::step::Step;
use crate::{
    Control, Counter, Invariant, Monitor, Options, Predicate, Stopped, Unknown, Verdict, with_reduction,
};

/// Runs FSIS on a circuit.
pub fn run(circuit: &Circuit, options: &Options, control: &Control, monitor: &mut dyn Monitor) -> Verdict {
    with_reduction(circuit, options, control, monitor, |circuit, monitor| {
        run_as_is(circuit, options, control, monitor)
    })
}

/// Runs FSIS on a circuit without reductions.
pub fn run_as_is(
    circuit: &Circuit,
    options: &Options,
    control: &Control,
    monitor: &mut dyn Monitor,
) -> Verdict {
    let model = Model::new(circuit, true, options);
    let mut solver = Step::new(&model, control, Domain::None, true);
    if model.bad_next.is_some() {
        solver.load(!model.bad);
        solver.add_clause(&[!model.bad]);
    }
    let mut fsis = Fsis {
        model: &model,
        control,
        solver,
        search: Search::new(circuit, control),
        beside: options.beside,
        searched: 0,
        property: model.bad_next.map(|_| Predicate::property(circuit)),
        lifter: Lifter::new(&model, options, control),
        activity: vec![0.0; model.latches],
        clauses: Vec::new(),
        excluded: Vec::new(),
    };
    let verdict = fsis.run();
    monitor.counters(&fsis.counters());
    verdict.unwrap_or(Verdict::Unknown(Unknown::Stopped))
}

/// States that lead to a target.
struct Excluded {
    cube: Vec<Lit>,
    inputs: Box<[u64]>,
    /// The excluded cube that the step leads to; `None` for bad states.
    next: Option<usize>,
}

struct Fsis<'m> {
    model: &'m Model,
    control: &'m Control,
    solver: Step<'m>,
    /// Bounded search beside, its part of the work in percent, and what it cost.
    search: Search<'m>,
    beside: u64,
    searched: u64,
    /// The property, where it is a part of the invariant.
    property: Option<Predicate>,
    lifter: Lifter<'m>,
    activity: Vec<f64>,
    /// Cubes whose negations are inductive relative to what was known.
    clauses: Vec<Vec<Lit>>,
    excluded: Vec<Excluded>,
}

impl Fsis<'_> {
    fn run(&mut self) -> Result<Verdict, Stopped> {
        if let Some(trace) = self.search.deepen()? {
            return Ok(Verdict::Unsafe(trace));
        }
        // The bad states, then every excluded cube, in order: `None`, `Some(0)`, `Some(1)`, ...
        let mut target: Option<usize> = None;
        loop {
            let literals = match target {
                None => vec![self.model.bad_next.unwrap_or(self.model.bad)],
                Some(i) => self.model.after(&self.excluded[i].cube),
            };
            while self.solver.solve(&literals, &[])? {
                self.control.check()?;
                if let Some(trace) = self.search_beside()? {
                    return Ok(Verdict::Unsafe(trace));
                }
                let (cube, inputs) =
                    self.lifter.predecessor(self.model, &self.solver, &literals, &self.activity)?;
                if self.model.is_initial(&cube) {
                    self.excluded.push(Excluded { cube, inputs, next: target });
                    return Ok(Verdict::Unsafe(self.trace()));
                }
                match self.inductive_subclause(&cube)? {
                    Some(clause) => self.learn(clause),
                    None => {
                        self.solver.add_clause(&negated(&cube));
                        self.excluded.push(Excluded { cube, inputs, next: target });
                    }
                }
            }
            let next = target.map_or(0, |i| i + 1);
            if next == self.excluded.len() {
                return Ok(Verdict::Safe(self.invariant()));
            }
            target = Some(next);
        }
    }

    /// Goes on with bounded search while it has done less than its part of the work.
    fn search_beside(&mut self) -> Result<Option<Trace>, Stopped> {
        let allowed = self.solver.sat.stats().propagations / 100 * self.beside;
        while self.searched < allowed {
            let before = self.search.propagations();
            let found = self.search.advance(Some(allowed - self.searched))?;
            if found.is_some() {
                return Ok(found);
            }
            self.searched += self.search.propagations() - before + self.search.gates() as u64;
        }
        Ok(None)
    }

    fn learn(&mut self, cube: Vec<Lit>) {
        cube.iter().for_each(|l| self.activity[l.var().index()] += 1.0);
        self.solver.add_clause(&negated(&cube));
        self.clauses.push(cube);
    }

    /// A minimal cube around the given one whose negation is inductive relative to what is known; `None` if
    /// there is none.
    fn inductive_subclause(&mut self, cube: &[Lit]) -> Result<Option<Vec<Lit>>, Stopped> {
        let Some(mut best) = self.down(cube.to_vec())? else { return Ok(None) };
        let mut order = best.clone();
        order.sort_by(|a, b| {
            let (x, y) = (self.activity[a.var().index()], self.activity[b.var().index()]);
            x.total_cmp(&y).then(a.cmp(b))
        });
        for l in order {
            if !best.contains(&l) {
                continue;
            }
            let smaller = best.iter().copied().filter(|&m| m != l).collect();
            if let Some(smaller) = self.down(smaller)? {
                best = smaller;
            }
        }
        Ok(Some(best))
    }

    /// The largest inductive subclause of the negation: a counterexample to its induction has to be excluded
    /// too, so the literals that it does not satisfy are given up.
    fn down(&mut self, mut cube: Vec<Lit>) -> Result<Option<Vec<Lit>>, Stopped> {
        loop {
            if self.model.is_initial(&cube) {
                return Ok(None);
            }
            let mut after = self.model.after(&cube);
            if self.property.is_none() {
                after.push(!self.model.bad);
            }
            let outside = negated(&cube);
            if !self.solver.solve(&after, &outside)? {
                return Ok(Some(cube));
            }
            let solver = &self.solver;
            cube.retain(|&l| solver.value(l) != Some(false));
        }
    }

    fn invariant(&self) -> Invariant {
        let cubes = self.clauses.iter().chain(self.excluded.iter().map(|e| &e.cube));
        let clauses = cubes.map(|cube| self.model.clause_of(cube)).collect();
        Invariant { clauses, predicate: self.property.clone() }
    }

    /// The run that begins in the cube that was excluded last.
    fn trace(&self) -> Trace {
        let mut at = self.excluded.len().checked_sub(1);
        let mut initial: Vec<bool> = self.model.reset.iter().map(|r| r.unwrap_or(false)).collect();
        if let Some(first) = at {
            for l in &self.excluded[first].cube {
                initial[l.var().index()] = l.is_positive();
            }
        }
        let mut inputs = Vec::new();
        while let Some(i) = at {
            let packed = &self.excluded[i].inputs;
            inputs.push((0..self.model.inputs).map(|k| packed[k / 64] >> (k % 64) & 1 == 1).collect());
            at = self.excluded[i].next;
        }
        if self.property.is_some() {
            // The last one leads into a bad state, whatever the inputs are there.
            inputs.push(vec![false; self.model.inputs]);
        }
        Trace { initial, inputs }
    }

    fn counters(&self) -> Vec<Counter> {
        vec![
            ("queries", self.solver.queries + self.lifter.solver().queries),
            ("lemmas", self.clauses.len() as u64),
            ("excluded", self.excluded.len() as u64),
            ("steps of bounded search", self.search.depth() as u64),
        ]
    }
}
